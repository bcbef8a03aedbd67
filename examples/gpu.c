/* SPDX-License-Identifier: MIT */
/* The dozen runtime functions the examples need, from whichever library is there. */
#define _GNU_SOURCE /* dladdr */
#include "gpu.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fly/fly.h>

#include "flysim.h"

/* HIP and the simulator. */
static int (*hip_set_device)(int);
static int (*hip_malloc)(void **, size_t);
static int (*hip_free)(void *);
static int (*hip_memcpy)(void *, const void *, size_t, int);
static int (*hip_device_count)(int *);
enum { HIP_HOST_TO_DEVICE = 1, HIP_DEVICE_TO_HOST = 2 };

/* The CUDA driver. */
static int (*cu_init)(unsigned);
static int (*cu_device_count)(int *);
static int (*cu_retain)(void **, int);
static int (*cu_set_current)(void *);
static int (*cu_alloc)(uint64_t *, size_t);
static int (*cu_free)(uint64_t);
static int (*cu_upload)(uint64_t, const void *, size_t);
static int (*cu_download)(void *, uint64_t, size_t);

/* The simulator's own. */
static int (*sim_mark)(const void *, size_t);
static int (*sim_reset)(void);
static int (*sim_counts)(struct flysim_counts *);

static const char *name = "nothing";
static int is_cuda;

static void check(int code, const char *what)
{
    if (code != 0) {
        fprintf(stderr, "%s: %s failed with code %d\n", name, what, code);
        exit(1);
    }
}

/* dlsym into a function pointer, which C does not convert from void *. */
#define LOAD(variable, library, symbol) (*(void **)&(variable) = dlsym(library, symbol))

static int open_hip(const char *path)
{
    int n = 0;
    void *lib = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!lib)
        return 0;
    if (!LOAD(hip_device_count, lib, "hipGetDeviceCount") || !LOAD(hip_set_device, lib, "hipSetDevice") ||
        !LOAD(hip_malloc, lib, "hipMalloc") || !LOAD(hip_free, lib, "hipFree") || !LOAD(hip_memcpy, lib, "hipMemcpy") ||
        hip_device_count(&n) != 0 || n < 1)
        return 0;
    name = "HIP";
    if (LOAD(sim_counts, lib, "flysimGetCounts") && LOAD(sim_reset, lib, "flysimResetCounts") &&
        LOAD(sim_mark, lib, "flysimMarkParam"))
        name = "the simulator";
    return n;
}

static int open_cuda(void)
{
    int n = 0;
    void *lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!lib || !LOAD(cu_init, lib, "cuInit") || !LOAD(cu_device_count, lib, "cuDeviceGetCount") ||
        !LOAD(cu_retain, lib, "cuDevicePrimaryCtxRetain") || !LOAD(cu_set_current, lib, "cuCtxSetCurrent") ||
        !LOAD(cu_alloc, lib, "cuMemAlloc_v2") || !LOAD(cu_free, lib, "cuMemFree_v2") ||
        !LOAD(cu_upload, lib, "cuMemcpyHtoD_v2") || !LOAD(cu_download, lib, "cuMemcpyDtoH_v2") ||
        cu_init(0) != 0 || cu_device_count(&n) != 0 || n < 1)
        return 0;
    name = "CUDA";
    is_cuda = 1;
    return n;
}

/* The simulator lies next to libfly or where the loader looks. */
static int open_simulator(void)
{
    char path[4096];
    Dl_info info;
    const char *slash;
    if (dladdr((void *)(intptr_t)flyVersion, &info) && info.dli_fname && (slash = strrchr(info.dli_fname, '/'))) {
        snprintf(path, sizeof path, "%.*s/libflysim.so", (int)(slash - info.dli_fname), info.dli_fname);
        int n = open_hip(path);
        if (n > 0)
            return n;
    }
    return open_hip("libflysim.so");
}

int gpu_open(const char *simulated)
{
    static const char *const hip[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5"};
    const char *wanted = getenv("FLY_RUNTIME");
    int n = 0;
    for (int i = 0; i < 3 && n == 0; i++)
        if (!wanted || strcmp(wanted, "hip") == 0)
            n = open_hip(hip[i]);
    if (n == 0 && (!wanted || strcmp(wanted, "cuda") == 0))
        n = open_cuda();
    if (n == 0 && (!wanted || strcmp(wanted, "sim") == 0 || strchr(wanted, '/'))) {
        setenv("FLYSIM_DEVICES", simulated, 0);
        if (!wanted)
            setenv("FLY_RUNTIME", "sim", 1);
        n = wanted && strchr(wanted, '/') ? open_hip(wanted) : open_simulator();
    }
    return n;
}

const char *gpu_name(void)
{
    return name;
}

int gpu_is_simulated(void)
{
    return sim_counts != NULL;
}

void gpu_set_device(int device)
{
    void *context;
    if (is_cuda) {
        check(cu_retain(&context, device), "cuDevicePrimaryCtxRetain");
        check(cu_set_current(context), "cuCtxSetCurrent");
    } else {
        check(hip_set_device(device), "hipSetDevice");
    }
}

void *gpu_alloc(size_t bytes)
{
    void *p = NULL;
    uint64_t address = 0;
    if (!is_cuda) {
        check(hip_malloc(&p, bytes), "hipMalloc");
        return p;
    }
    check(cu_alloc(&address, bytes), "cuMemAlloc");
    return (void *)(uintptr_t)address;
}

void gpu_free(void *ptr)
{
    if (is_cuda)
        check(cu_free((uintptr_t)ptr), "cuMemFree");
    else
        check(hip_free(ptr), "hipFree");
}

void gpu_upload(void *device, const void *host, size_t bytes)
{
    if (is_cuda)
        check(cu_upload((uintptr_t)device, host, bytes), "cuMemcpyHtoD");
    else
        check(hip_memcpy(device, host, bytes, HIP_HOST_TO_DEVICE), "hipMemcpy");
}

void gpu_download(void *host, const void *device, size_t bytes)
{
    if (is_cuda)
        check(cu_download(host, (uintptr_t)device, bytes), "cuMemcpyDtoH");
    else
        check(hip_memcpy(host, device, bytes, HIP_DEVICE_TO_HOST), "hipMemcpy");
}

void gpu_mark_param(const void *device, size_t bytes)
{
    if (sim_mark)
        check(sim_mark(device, bytes), "flysimMarkParam");
}

void gpu_reset_bytes(void)
{
    if (sim_reset)
        check(sim_reset(), "flysimResetCounts");
}

unsigned long long gpu_bytes(void)
{
    struct flysim_counts c = {.size = sizeof c};
    if (!sim_counts)
        return 0;
    check(sim_counts(&c), "flysimGetCounts");
    return c.read_bytes + c.write_bytes;
}
