/* SPDX-License-Identifier: MIT */
/*
 * Device memory for the examples. A real program allocates with HIP or CUDA, which it links; the
 * examples open the runtime by name instead, so that the same binary runs on an AMD GPU, an NVIDIA GPU
 * or the simulator, and builds without any of them.
 */
#ifndef EXAMPLES_GPU_H
#define EXAMPLES_GPU_H

#include <stddef.h>

/* Opens the runtime FLY_RUNTIME names, else the first that has a device: HIP, CUDA, and last the
 * simulator with `simulated` ("gfx942,gfx950"), for which it sets FLY_RUNTIME and FLYSIM_DEVICES. Call
 * it before flyCreate. Returns the number of devices, 0 when there is nothing to run on. */
int gpu_open(const char *simulated);

const char *gpu_name(void); /* "HIP", "CUDA" or "the simulator" */
int gpu_is_simulated(void);

/* Each ends the program with a sentence when the runtime refuses. */
void gpu_set_device(int device);
void *gpu_alloc(size_t bytes);
void gpu_free(void *ptr);
void gpu_upload(void *device, const void *host, size_t bytes);
void gpu_download(void *host, const void *device, size_t bytes); /* waits for what was launched before */

/* Bytes the simulator saw move since gpu_reset_bytes: reads and writes of the large buffers, apart from
 * those marked as parameters (gamma, beta). 0 on a GPU, which does not count. */
void gpu_mark_param(const void *device, size_t bytes);
void gpu_reset_bytes(void);
unsigned long long gpu_bytes(void);

#endif
