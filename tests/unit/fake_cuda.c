/* SPDX-License-Identifier: MIT */
/*
 * A CUDA driver of two devices that does nothing but keep books: the functions libfly's table
 * wants, to test that table where no NVIDIA GPU is. Built as a shared library that test_cuda opens
 * by path.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

enum { DEVICES = 2, INVALID_VALUE = 1, INVALID_CONTEXT = 201, INVALID_PTX = 218, DEPTH = 8 };

struct fake_cuda fake_cuda;

static char contexts[DEVICES]; /* their addresses are the primary contexts */
static __thread void *stack[DEPTH];
static __thread int depth;
static __thread int capture_mode;

typedef unsigned long long device_ptr;

#define API(name, ...)                                                                             \
    int name(__VA_ARGS__);                                                                         \
    int name(__VA_ARGS__)

API(cuInit, unsigned flags)
{
    return flags ? INVALID_VALUE : 0;
}

API(cuGetErrorString, int code, const char **text)
{
    *text = code == INVALID_PTX ? "a PTX JIT compilation failed" : "fake error";
    return 0;
}

API(cuDeviceGetCount, int *n)
{
    *n = DEVICES;
    return 0;
}

API(cuDeviceGet, int *d, int i)
{
    *d = i;
    return i < 0 || i >= DEVICES ? 101 : 0;
}

API(cuDeviceGetName, char *name, int n, int d)
{
    snprintf(name, (size_t)n, "fake %d", d);
    return 0;
}

API(cuDeviceGetAttribute, int *value, int attribute, int d)
{
    switch (attribute) {
    case 13: *value = 1980000; return 0;
    case 16: *value = d ? 108 : 132; return 0;
    case 75: *value = d ? 8 : 9; return 0;
    case 76: *value = 0; return 0;
    case 97: *value = 232448; return 0;
    default: return INVALID_VALUE;
    }
}

API(cuDeviceTotalMem_v2, size_t *bytes, int d)
{
    (void)d;
    *bytes = (size_t)80 << 30;
    return 0;
}

API(cuDevicePrimaryCtxRetain, void **context, int d)
{
    *context = &contexts[d];
    fake_cuda.retained[d]++;
    return 0;
}

API(cuDevicePrimaryCtxRelease_v2, int d)
{
    fake_cuda.retained[d]--;
    return 0;
}

API(cuCtxGetCurrent, void **context)
{
    *context = depth ? stack[depth - 1] : NULL;
    return 0;
}

API(cuCtxGetDevice, int *d)
{
    *d = depth && stack[depth - 1] == &contexts[1];
    return depth ? 0 : INVALID_CONTEXT;
}

API(cuCtxPushCurrent_v2, void *context)
{
    stack[depth++] = context;
    return 0;
}

API(cuCtxPopCurrent_v2, void **context)
{
    *context = stack[--depth];
    return 0;
}

API(cuCtxSynchronize, void)
{
    return depth ? 0 : INVALID_CONTEXT;
}

/* PTX is a terminated string; one that says "nonsense" does not compile. */
API(cuModuleLoadDataEx, void **module, const void *image, unsigned n, int *options, void **values)
{
    if (!depth)
        return INVALID_CONTEXT;
    fake_cuda.mode_at_load = capture_mode;
    if (strstr(image, "nonsense")) {
        for (unsigned i = 0; i + 1 < n; i++)
            if (options[i] == 5 && options[i + 1] == 6)
                snprintf(values[i], (size_t)(uintptr_t)values[i + 1],
                         "line 3: nonsense\nand more\n");
        return INVALID_PTX;
    }
    fake_cuda.modules++;
    fake_cuda.loads++;
    *module = &fake_cuda;
    return 0;
}

API(cuModuleUnload, void *module)
{
    (void)module;
    fake_cuda.modules--;
    return depth ? 0 : INVALID_CONTEXT;
}

API(cuModuleGetFunction, void **function, void *module, const char *name)
{
    (void)module;
    snprintf(fake_cuda.function, sizeof fake_cuda.function, "%s", name);
    *function = &fake_cuda;
    return 0;
}

API(cuFuncGetAttribute, int *value, int attribute, void *function)
{
    (void)function;
    *value = attribute == 4 ? 32 : 0;
    return 0;
}

API(cuLaunchKernel, void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
    unsigned bz, unsigned lds, void *stream, void **params, void **extra)
{
    (void)function, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)lds, (void)stream;
    if (!depth)
        return INVALID_CONTEXT;
    if (params || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4])
        return INVALID_VALUE;
    fake_cuda.launches++;
    fake_cuda.launch_device = stack[depth - 1] == &contexts[1];
    fake_cuda.grid = gx;
    fake_cuda.cluster = 0;
    fake_cuda.kernarg_bytes = *(size_t *)extra[3];
    return 0;
}

struct config {
    unsigned grid[3], block[3], lds;
    void *stream;
    struct {
        int id, pad;
        unsigned value[16];
    } *attributes;
    unsigned count;
};

API(cuLaunchKernelEx, const struct config *config, void *function, void **params, void **extra)
{
    unsigned cluster = 0;
    enum { CLUSTER_DIMENSION = 4, PROGRAMMATIC_SERIALIZATION = 6 };
    for (unsigned i = 0; i < config->count; i++) {
        const unsigned *value = config->attributes[i].value;
        if (config->attributes[i].id == PROGRAMMATIC_SERIALIZATION && value[0] == 1)
            fake_cuda.overlapped++;
        else if (config->attributes[i].id == CLUSTER_DIMENSION && value[0] > 1 && value[1] == 1 && value[2] == 1 &&
                 config->grid[0] % value[0] == 0)
            cluster = value[0];
        else
            return INVALID_VALUE;
    }
    int error = cuLaunchKernel(function, config->grid[0], config->grid[1], config->grid[2], config->block[0],
                          config->block[1], config->block[2], config->lds, config->stream, params, extra);
    fake_cuda.cluster = cluster;
    return error;
}

/* 240 workgroups at a time. */
API(cuOccupancyMaxActiveClusters, int *clusters, void *function, const struct config *config)
{
    (void)function;
    if (config->count != 1 || config->attributes[0].id != 4 || config->attributes[0].value[0] != config->grid[0])
        return INVALID_VALUE;
    *clusters = (int)(240 / config->attributes[0].value[0]);
    return 0;
}

API(cuThreadExchangeStreamCaptureMode, int *mode)
{
    int was = capture_mode;
    capture_mode = *mode;
    *mode = was;
    return 0;
}

/* The rest is there because the table wants it. */
#define NOTHING(name, ...)                                                                         \
    API(name, __VA_ARGS__)                                                                         \
    {                                                                                              \
        return 801;                                                                                \
    }
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING(cuMemAlloc_v2, device_ptr *p, size_t n)
NOTHING(cuMemFree_v2, device_ptr p)
NOTHING(cuMemcpyHtoD_v2, device_ptr p, const void *q, size_t n)
NOTHING(cuMemcpyDtoH_v2, void *p, device_ptr q, size_t n)
NOTHING(cuMemcpyDtoD_v2, device_ptr p, device_ptr q, size_t n)
NOTHING(cuMemsetD8_v2, device_ptr p, unsigned char v, size_t n)
NOTHING(cuStreamCreate, void **s, unsigned f)
NOTHING(cuStreamDestroy_v2, void *s)
NOTHING(cuStreamSynchronize, void *s)
NOTHING(cuStreamIsCapturing, void *s, int *v)
NOTHING(cuEventCreate, void **e, unsigned f)
NOTHING(cuEventDestroy_v2, void *e)
NOTHING(cuEventRecord, void *e, void *s)
NOTHING(cuEventSynchronize, void *e)
NOTHING(cuEventElapsedTime, float *t, void *a, void *b)
NOTHING(cuStreamBeginCapture_v2, void *s, int m)
NOTHING(cuStreamEndCapture, void *s, void **g)
NOTHING(cuGraphInstantiateWithFlags, void **e, void *g, unsigned long long f)
NOTHING(cuGraphLaunch, void *g, void *s)
NOTHING(cuGraphExecDestroy, void *g)
NOTHING(cuGraphDestroy, void *g)
