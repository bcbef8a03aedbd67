/* SPDX-License-Identifier: MIT */
/* The books of the fake CUDA driver, which the test finds by dlsym. */
#ifndef TESTS_UNIT_FAKE_CUDA_H
#define TESTS_UNIT_FAKE_CUDA_H

#include <stddef.h>

extern struct fake_cuda {
    int retained[2]; /* primary contexts */
    int modules, loads, launches, overlapped;
    int launch_device;
    int mode_at_load; /* stream capture mode of the thread */
    unsigned grid, cluster; /* of the last launch; cluster 0: none */
    size_t kernarg_bytes;
    char function[128];
} fake_cuda;

#endif
