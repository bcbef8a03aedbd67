/* SPDX-License-Identifier: MIT */
/*
 * A HIP runtime of two devices that does nothing but keep books: enough of the API for libfly's
 * table, to test that table where no HIP is. Built as a shared library that test_hip opens by path.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fake_hip.h"

enum { DEVICES = 2, INVALID_VALUE = 1, INVALID_DEVICE = 101, CAPTURE_UNSUPPORTED = 900 };

struct fake_hip fake_hip;

static __thread int current;

struct function {
    char name[128];
};

#define API(name, ...)                                                                             \
    int name(__VA_ARGS__);                                                                         \
    int name(__VA_ARGS__)

API(hipGetDeviceCount, int *n)
{
    *n = DEVICES;
    return 0;
}

API(hipGetDevice, int *d)
{
    *d = current;
    return 0;
}

API(hipSetDevice, int d)
{
    if (d < 0 || d >= DEVICES)
        return INVALID_DEVICE;
    current = d;
    return 0;
}

/* The published layout of ROCm 6 and 7: 1472 bytes, name at 0, memory at 288, gcnArchName at 1160.
 */
API(hipGetDevicePropertiesR0600, void *props, int d)
{
    uint64_t memory = (uint64_t)64 << 30;
    if (d < 0 || d >= DEVICES)
        return INVALID_DEVICE;
    memset(props, 0, 1472);
    strcpy(props, "fake");
    memcpy((char *)props + 288, &memory, sizeof memory);
    strcpy((char *)props + 1160, d ? "gfx950:sramecc+:xnack-" : "gfx942:sramecc+:xnack-");
    return 0;
}

API(hipDeviceGetAttribute, int *value, int attribute, int d)
{
    (void)d;
    switch (attribute) {
    case 5: *value = 2100000; return 0;
    case 63: *value = d ? 256 : 304; return 0;
    case 74: *value = 65536; return 0;
    default: return INVALID_VALUE;
    }
}

API(hipDeviceSynchronize, void)
{
    return 0;
}

/* Real HIP refuses what is no code object; so does this. */
API(hipModuleLoadData, void **module, const void *image)
{
    if (fake_hip.capturing)
        return CAPTURE_UNSUPPORTED;
    if (memcmp(image, "\177ELF", 4))
        return 200;
    fake_hip.modules++;
    *module = &fake_hip;
    return 0;
}

API(hipModuleUnload, void *module)
{
    (void)module;
    fake_hip.modules--;
    return 0;
}

API(hipModuleGetFunction, void **function, void *module, const char *name)
{
    static struct function functions[64];
    static int n;
    (void)module;
    struct function *f = &functions[n++ % 64];
    strncpy(f->name, name, sizeof f->name - 1);
    *function = f;
    return 0;
}

API(hipFuncGetAttribute, int *value, int attribute, void *function)
{
    (void)function;
    *value = attribute == 4 ? 40 : 0;
    return 0;
}

API(hipModuleLaunchKernel, void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
    unsigned by, unsigned bz, unsigned lds, void *stream, void **params, void **extra)
{
    (void)lds, (void)stream;
    if (params || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4] != (void *)3)
        return INVALID_VALUE;
    struct fake_hip *s = &fake_hip;
    s->launches++;
    s->launch_device = current;
    s->grid[0] = gx, s->grid[1] = gy, s->grid[2] = gz;
    s->block[0] = bx, s->block[1] = by, s->block[2] = bz;
    s->kernarg_bytes = *(size_t *)extra[3];
    memcpy(s->kernargs, extra[1],
           s->kernarg_bytes < sizeof s->kernargs ? s->kernarg_bytes : sizeof s->kernargs);
    memcpy(s->function, ((struct function *)function)->name, sizeof s->function);
    return 0;
}

API(hipMalloc, void **p, size_t n)
{
    *p = malloc(n ? n : 1);
    return *p ? 0 : 2;
}

API(hipFree, void *p)
{
    free(p);
    return 0;
}

API(hipMemcpy, void *dst, const void *src, size_t n, int kind)
{
    (void)kind;
    memcpy(dst, src, n);
    return 0;
}

API(hipMemset, void *dst, int value, size_t n)
{
    memset(dst, value, n);
    return 0;
}

/* As HIP does when another stream of the process is capturing in global mode. */
API(hipStreamIsCapturing, void *stream, int *state)
{
    (void)stream;
    *state = 0;
    return fake_hip.capturing ? 906 : 0;
}

const char *hipGetErrorString(int code);
const char *hipGetErrorString(int code)
{
    return code == INVALID_DEVICE ? "invalid device ordinal" : "fake error";
}
