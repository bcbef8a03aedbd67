/* SPDX-License-Identifier: MIT */
/* Memory: device, host, managed; copies and fills. */
#include <stdlib.h>
#include <string.h>

#include "../mem.h"
#include "api.h"

static hipError_t allocate(void **p, size_t n, unsigned flags)
{
    hipError_t e = hip_setup();
    if (e)
        return e;
    if (!p)
        return hipErrorInvalidValue;
    *p = NULL;
    if (!n)
        return 0;
    int d = hip_current();
    double total = hip_device(d)->target->mem_gib * 1073741824.0;
    if (!(flags & SIM_MEM_HOST) && (double)sim_mem_used(d) + (double)n > total)
        return hipErrorOutOfMemory;
    *p = sim_mem_alloc(n, flags & SIM_MEM_HOST ? -1 : d, flags);
    if (!*p)
        return hipErrorOutOfMemory;
    /* What the host may write without a call cannot be followed. */
    if (flags & SIM_MEM_HOST)
        sim_mem_mark((u64)(uintptr_t)*p, n, true);
    return 0;
}

static hipError_t release(void *p)
{
    hipError_t e = hip_setup();
    if (e || !p)
        return e;
    hip_device_sync(-1);
    return sim_mem_free(p) ? 0 : hipErrorInvalidValue;
}

hipError_t hipMalloc(void **p, size_t n) { return hip_return(allocate(p, n, 0)); }
hipError_t hipExtMallocWithFlags(void **p, size_t n, unsigned f) { (void)f; return hip_return(allocate(p, n, 0)); }
hipError_t hipMallocAsync(void **p, size_t n, hipStream_t s) { (void)s; return hip_return(allocate(p, n, 0)); }
hipError_t hipFree(void *p) { return hip_return(release(p)); }
hipError_t hipFreeAsync(void *p, hipStream_t s) { (void)s; return hip_return(release(p)); }
hipError_t hipHostMalloc(void **p, size_t n, unsigned f) { (void)f; return hip_return(allocate(p, n, SIM_MEM_HOST)); }
hipError_t hipHostAlloc(void **p, size_t n, unsigned f) { return hipHostMalloc(p, n, f); }
hipError_t hipMallocHost(void **p, size_t n) { return hipHostMalloc(p, n, 0); }
hipError_t hipMemAllocHost(void **p, size_t n) { return hipHostMalloc(p, n, 0); }
hipError_t hipHostFree(void *p) { return hip_return(release(p)); }
hipError_t hipFreeHost(void *p) { return hip_return(release(p)); }
hipError_t hipMallocManaged(void **p, size_t n, unsigned f) { return hipHostMalloc(p, n, f); }
hipError_t hipMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    if (!pitch)
        return hip_return(hipErrorInvalidValue);
    *pitch = (width + 255) & ~(size_t)255;
    return hipMalloc(p, *pitch * height);
}
hipError_t hipHostGetDevicePointer(void **d, void *h, unsigned f)
{
    (void)f;
    if (!d || !sim_mem_find((u64)(uintptr_t)h))
        return hip_return(hipErrorInvalidValue);
    *d = h;
    return 0;
}
hipError_t hipHostGetFlags(unsigned *f, void *p)
{
    if (!f || !sim_mem_find((u64)(uintptr_t)p))
        return hip_return(hipErrorInvalidValue);
    *f = 0;
    return 0;
}
hipError_t hipHostRegister(void *p, size_t n, unsigned f)
{
    (void)f;
    hipError_t e = hip_setup();
    if (!e)
        e = !p || !n ? hipErrorInvalidValue : sim_mem_register(p, n) ? 0 : hipErrorHostMemoryAlreadyRegistered;
    return hip_return(e);
}
hipError_t hipHostUnregister(void *p)
{
    hip_device_sync(-1);
    return hip_return(sim_mem_unregister(p) ? 0 : hipErrorHostMemoryNotRegistered);
}

hipError_t hipMemGetInfo(size_t *free_, size_t *total)
{
    hipError_t e = hip_setup();
    if (e)
        return hip_return(e);
    int d = hip_current();
    size_t t = (size_t)(hip_device(d)->target->mem_gib * 1073741824.0);
    if (total) *total = t;
    if (free_) *free_ = t - sim_mem_used(d);
    return 0;
}

hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *n, hipDeviceptr_t p)
{
    const struct sim_alloc *a = sim_mem_find((u64)(uintptr_t)p);
    if (!a || a->flags & SIM_MEM_FREED)
        return hip_return(hipErrorInvalidValue);
    if (base) *base = (void *)(uintptr_t)a->lo;
    if (n) *n = a->hi - a->lo;
    return 0;
}

hipError_t hipPointerGetAttributes(struct pointer_attributes *x, const void *p)
{
    const struct sim_alloc *a = sim_mem_find((u64)(uintptr_t)p);
    if (!x)
        return hip_return(hipErrorInvalidValue);
    memset(x, 0, sizeof *x);
    if (!a || a->flags & SIM_MEM_FREED)
        return hip_return(hipErrorInvalidValue);
    x->type = a->flags & SIM_MEM_HOST ? 1 : 2;
    x->device = a->device < 0 ? 0 : a->device;
    x->devicePointer = (void *)(uintptr_t)p;
    x->hostPointer = a->flags & SIM_MEM_HOST ? (void *)(uintptr_t)p : NULL;
    return 0;
}

/* A device range must be live and hold n bytes. Pointers outside the arena are the host's. */
static hipError_t check(const void *p, size_t n, bool device)
{
    const struct sim_alloc *a = sim_mem_find((u64)(uintptr_t)p);
    if (!a)
        return device && !sim_mem_foreign((u64)(uintptr_t)p) ? hipErrorInvalidValue : 0;
    if (a->flags & SIM_MEM_FREED || n > a->hi - (u64)(uintptr_t)p || (u64)(uintptr_t)p > a->hi)
        return hipErrorInvalidValue;
    return 0;
}

static hipError_t copy(void *dst, const void *src, size_t n, int kind, struct stream *s, bool wait)
{
    hipError_t e = hip_setup();
    if (e || !n)
        return e;
    if (!dst || !src)
        return hipErrorInvalidValue;
    if (kind < 0 || kind > hipMemcpyDefault)
        return hipErrorInvalidMemcpyDirection;
    e = check(dst, n, kind == hipMemcpyHostToDevice || kind == hipMemcpyDeviceToDevice);
    if (!e)
        e = check(src, n, kind == hipMemcpyDeviceToHost || kind == hipMemcpyDeviceToDevice);
    if (!e)
        e = hip_enqueue_copy(dst, src, n, s);
    return e ? e : wait ? hip_stream_sync(s) : 0;
}

hipError_t hipMemcpy(void *d, const void *s, size_t n, int kind) { return hip_return(copy(d, s, n, kind, NULL, true)); }
hipError_t hipMemcpyWithStream(void *d, const void *s, size_t n, int kind, hipStream_t st)
{
    return hip_return(copy(d, s, n, kind, st, true));
}
hipError_t hipMemcpyAsync(void *d, const void *s, size_t n, int kind, hipStream_t st)
{
    return hip_return(copy(d, s, n, kind, st, false));
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t d, void *s, size_t n) { return hipMemcpy(d, s, n, hipMemcpyHostToDevice); }
hipError_t hipMemcpyDtoH(void *d, hipDeviceptr_t s, size_t n) { return hipMemcpy(d, s, n, hipMemcpyDeviceToHost); }
hipError_t hipMemcpyDtoD(hipDeviceptr_t d, hipDeviceptr_t s, size_t n) { return hipMemcpy(d, s, n, hipMemcpyDeviceToDevice); }
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t d, const void *s, size_t n, hipStream_t st)
{
    return hipMemcpyAsync(d, s, n, hipMemcpyHostToDevice, st);
}
hipError_t hipMemcpyDtoHAsync(void *d, hipDeviceptr_t s, size_t n, hipStream_t st)
{
    return hipMemcpyAsync(d, s, n, hipMemcpyDeviceToHost, st);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t d, hipDeviceptr_t s, size_t n, hipStream_t st)
{
    return hipMemcpyAsync(d, s, n, hipMemcpyDeviceToDevice, st);
}
hipError_t hipMemcpyPeer(void *d, int dd, const void *s, int sd, size_t n)
{
    (void)dd; (void)sd;
    return hipMemcpy(d, s, n, hipMemcpyDefault);
}
hipError_t hipMemcpyPeerAsync(void *d, int dd, const void *s, int sd, size_t n, hipStream_t st)
{
    (void)dd; (void)sd;
    return hipMemcpyAsync(d, s, n, hipMemcpyDefault, st);
}
hipError_t hipMemcpy2D(void *d, size_t dp, const void *s, size_t sp, size_t width, size_t height, int kind)
{
    for (size_t y = 0; y < height; y++) {
        hipError_t e = hipMemcpy((char *)d + y * dp, (const char *)s + y * sp, width, kind);
        if (e)
            return e;
    }
    return 0;
}
hipError_t hipMemcpy2DAsync(void *d, size_t dp, const void *s, size_t sp, size_t width, size_t height, int kind,
                            hipStream_t st)
{
    for (size_t y = 0; y < height; y++) {
        hipError_t e = hipMemcpyAsync((char *)d + y * dp, (const char *)s + y * sp, width, kind, st);
        if (e)
            return e;
    }
    return 0;
}

static hipError_t fill(void *d, uint32_t v, unsigned unit, size_t count, struct stream *s, bool wait)
{
    hipError_t e = hip_setup();
    if (e || !count)
        return e;
    if (!d)
        return hipErrorInvalidValue;
    e = check(d, count * unit, true);
    if (!e)
        e = hip_enqueue_fill(d, v, unit, count, s);
    return e ? e : wait ? hip_stream_sync(s) : 0;
}
hipError_t hipMemset(void *d, int v, size_t n) { return hip_return(fill(d, (uint8_t)v, 1, n, NULL, true)); }
hipError_t hipMemsetAsync(void *d, int v, size_t n, hipStream_t s) { return hip_return(fill(d, (uint8_t)v, 1, n, s, false)); }
hipError_t hipMemsetD8(hipDeviceptr_t d, unsigned char v, size_t n) { return hip_return(fill(d, v, 1, n, NULL, true)); }
hipError_t hipMemsetD8Async(hipDeviceptr_t d, unsigned char v, size_t n, hipStream_t s) { return hip_return(fill(d, v, 1, n, s, false)); }
hipError_t hipMemsetD16(hipDeviceptr_t d, unsigned short v, size_t n) { return hip_return(fill(d, v, 2, n, NULL, true)); }
hipError_t hipMemsetD16Async(hipDeviceptr_t d, unsigned short v, size_t n, hipStream_t s) { return hip_return(fill(d, v, 2, n, s, false)); }
hipError_t hipMemsetD32(hipDeviceptr_t d, int v, size_t n) { return hip_return(fill(d, (uint32_t)v, 4, n, NULL, true)); }
hipError_t hipMemsetD32Async(hipDeviceptr_t d, int v, size_t n, hipStream_t s) { return hip_return(fill(d, (uint32_t)v, 4, n, s, false)); }
hipError_t hipMemPrefetchAsync(const void *p, size_t n, int d, hipStream_t s) { (void)p; (void)n; (void)d; (void)s; return 0; }
hipError_t hipMemAdvise(const void *p, size_t n, int a, int d) { (void)p; (void)n; (void)a; (void)d; return 0; }
