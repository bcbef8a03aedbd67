/* SPDX-License-Identifier: MIT */
/* The exported functions: HIP's C ABI as its documentation gives it. */
#ifndef SIM_HIP_API_H
#define SIM_HIP_API_H

#include "hip.h"

#pragma GCC visibility push(default)

/* device.c */
hipError_t hipGetLastError(void);
hipError_t hipPeekAtLastError(void);
hipError_t hipExtGetLastError(void);
const char *hipGetErrorName(hipError_t e);
const char *hipGetErrorString(hipError_t e);
hipError_t hipDrvGetErrorName(hipError_t e, const char **s);
hipError_t hipDrvGetErrorString(hipError_t e, const char **s);
hipError_t hipInit(unsigned flags);
hipError_t hipGetDeviceCount(int *n);
hipError_t hipSetDevice(int d);
hipError_t hipGetDevice(int *d);
hipError_t hipDeviceGet(hipDevice_t *d, int i);
hipError_t hipDeviceGetName(char *name, int len, hipDevice_t d);
hipError_t hipDeviceTotalMem(size_t *n, hipDevice_t d);
hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t d);
hipError_t hipDeviceGetPCIBusId(char *id, int len, int d);
hipError_t hipGetDevicePropertiesR0600(struct prop_r0600 *p, int d);
hipError_t hipGetDeviceProperties(struct prop_r0000 *p, int d);
hipError_t hipGetDevicePropertiesR0000(struct prop_r0000 *p, int d);
hipError_t hipDeviceGetAttribute(int *v, int attribute, int d);
hipError_t hipDriverGetVersion(int *v);
hipError_t hipRuntimeGetVersion(int *v);
hipError_t hipDeviceSynchronize(void);
hipError_t hipDeviceReset(void);
hipError_t hipSetDeviceFlags(unsigned f);
hipError_t hipGetDeviceFlags(unsigned *f);
hipError_t hipDeviceGetStreamPriorityRange(int *least, int *greatest);
hipError_t hipDeviceSetCacheConfig(int c);
hipError_t hipDeviceSetSharedMemConfig(int c);
hipError_t hipDeviceGetLimit(size_t *v, int limit);
hipError_t hipDeviceSetLimit(int limit, size_t v);
hipError_t hipDeviceCanAccessPeer(int *can, int d, int peer);
hipError_t hipDeviceEnablePeerAccess(int peer, unsigned flags);
hipError_t hipDeviceDisablePeerAccess(int peer);
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *c, hipDevice_t d);
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t d);
hipError_t hipCtxGetCurrent(hipCtx_t *c);
hipError_t hipCtxSetCurrent(hipCtx_t c);
hipError_t hipCtxGetDevice(hipDevice_t *d);
hipError_t hipCtxSynchronize(void);

/* memory.c */
hipError_t hipMalloc(void **p, size_t n);
hipError_t hipExtMallocWithFlags(void **p, size_t n, unsigned f);
hipError_t hipMallocAsync(void **p, size_t n, hipStream_t s);
hipError_t hipFree(void *p);
hipError_t hipFreeAsync(void *p, hipStream_t s);
hipError_t hipHostMalloc(void **p, size_t n, unsigned f);
hipError_t hipHostAlloc(void **p, size_t n, unsigned f);
hipError_t hipMallocHost(void **p, size_t n);
hipError_t hipMemAllocHost(void **p, size_t n);
hipError_t hipHostFree(void *p);
hipError_t hipFreeHost(void *p);
hipError_t hipMallocManaged(void **p, size_t n, unsigned f);
hipError_t hipMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
hipError_t hipHostGetDevicePointer(void **d, void *h, unsigned f);
hipError_t hipHostGetFlags(unsigned *f, void *p);
hipError_t hipHostRegister(void *p, size_t n, unsigned f);
hipError_t hipHostUnregister(void *p);
hipError_t hipMemGetInfo(size_t *free_, size_t *total);
hipError_t hipMemGetAddressRange(hipDeviceptr_t *base, size_t *n, hipDeviceptr_t p);
hipError_t hipPointerGetAttributes(struct pointer_attributes *x, const void *p);
hipError_t hipMemcpy(void *d, const void *s, size_t n, int kind);
hipError_t hipMemcpyWithStream(void *d, const void *s, size_t n, int kind, hipStream_t st);
hipError_t hipMemcpyAsync(void *d, const void *s, size_t n, int kind, hipStream_t st);
hipError_t hipMemcpyHtoD(hipDeviceptr_t d, void *s, size_t n);
hipError_t hipMemcpyDtoH(void *d, hipDeviceptr_t s, size_t n);
hipError_t hipMemcpyDtoD(hipDeviceptr_t d, hipDeviceptr_t s, size_t n);
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t d, const void *s, size_t n, hipStream_t st);
hipError_t hipMemcpyDtoHAsync(void *d, hipDeviceptr_t s, size_t n, hipStream_t st);
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t d, hipDeviceptr_t s, size_t n, hipStream_t st);
hipError_t hipMemcpyPeer(void *d, int dd, const void *s, int sd, size_t n);
hipError_t hipMemcpyPeerAsync(void *d, int dd, const void *s, int sd, size_t n, hipStream_t st);
hipError_t hipMemcpy2D(void *d, size_t dp, const void *s, size_t sp, size_t width, size_t height,
    int kind);
hipError_t hipMemcpy2DAsync(void *d, size_t dp, const void *s, size_t sp, size_t width, size_t
    height, int kind, hipStream_t st);
hipError_t hipMemset(void *d, int v, size_t n);
hipError_t hipMemsetAsync(void *d, int v, size_t n, hipStream_t s);
hipError_t hipMemsetD8(hipDeviceptr_t d, unsigned char v, size_t n);
hipError_t hipMemsetD8Async(hipDeviceptr_t d, unsigned char v, size_t n, hipStream_t s);
hipError_t hipMemsetD16(hipDeviceptr_t d, unsigned short v, size_t n);
hipError_t hipMemsetD16Async(hipDeviceptr_t d, unsigned short v, size_t n, hipStream_t s);
hipError_t hipMemsetD32(hipDeviceptr_t d, int v, size_t n);
hipError_t hipMemsetD32Async(hipDeviceptr_t d, int v, size_t n, hipStream_t s);
hipError_t hipMemPrefetchAsync(const void *p, size_t n, int d, hipStream_t s);
hipError_t hipMemAdvise(const void *p, size_t n, int a, int d);

/* module.c */
hipError_t hipModuleLoadData(hipModule_t *m, const void *data);
hipError_t hipModuleLoadDataEx(hipModule_t *m, const void *data, unsigned n, int *options, void
    **values);
hipError_t hipModuleLoad(hipModule_t *m, const char *path);
hipError_t hipModuleUnload(hipModule_t m);
hipError_t hipModuleGetFunction(hipFunction_t *f, hipModule_t m, const char *name);
hipError_t hipModuleGetGlobal(hipDeviceptr_t *p, size_t *n, hipModule_t m, const char *name);
hipError_t hipFuncGetAttribute(int *v, int attribute, hipFunction_t f);
hipError_t hipFuncGetAttributes(struct func_attributes *a, const void *host);
hipError_t hipFuncSetAttribute(const void *f, int a, int v);
hipError_t hipFuncSetCacheConfig(const void *f, int c);
hipError_t hipFuncSetSharedMemConfig(const void *f, int c);
hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned
    bx, unsigned by, unsigned bz, unsigned shared, hipStream_t s, void **params, void **extra);
hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned
    gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, hipStream_t s, void **params);
hipError_t hipDrvLaunchKernelEx(const struct drv_launch_config *c, hipFunction_t f, void **params, void **extra);
hipError_t hipLaunchKernelExC(const struct launch_config *c, const void *host, void **args);
hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t x, uint32_t y, uint32_t z, uint32_t
    bx, uint32_t by, uint32_t bz, size_t shared, hipStream_t s, void **params, void **extra,
    hipEvent_t start, hipEvent_t stop, uint32_t flags);
hipError_t hipHccModuleLaunchKernel(hipFunction_t f, uint32_t x, uint32_t y, uint32_t z, uint32_t
    bx, uint32_t by, uint32_t bz, size_t shared, hipStream_t s, void **params, void **extra,
    hipEvent_t start, hipEvent_t stop);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *n, hipFunction_t f, int block,
    size_t shared);
hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, hipFunction_t f,
    int block, size_t shared, unsigned flags);
hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *grid, int *block, hipFunction_t f, size_t
    shared, int limit);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host, int block,
    size_t shared);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *host, int
    block, size_t shared, unsigned flags);
hipError_t hipOccupancyMaxActiveClusters(int *n, const void *host, const struct launch_config *c);
hipError_t hipOccupancyMaxPotentialBlockSize(int *grid, int *block, const void *host, size_t
    shared, int limit);
hipError_t hipGetSymbolAddress(void **p, const void *s);
hipError_t hipGetSymbolSize(size_t *n, const void *s);
hipError_t hipMemcpyToSymbol(const void *s, const void *src, size_t n, size_t offset, int kind);
hipError_t hipMemcpyFromSymbol(void *dst, const void *s, size_t n, size_t offset, int kind);
hipError_t hipLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
    hipStream_t s);
hipError_t hipLaunchKernel_spt(const void *host, dim3 grid, dim3 block, void **args, size_t
    shared, hipStream_t s);
hipError_t hipLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **args,
    unsigned shared, hipStream_t s);
hipError_t hipExtLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
    hipStream_t s, hipEvent_t start, hipEvent_t stop, int flags);
hipError_t hipGetFuncBySymbol(hipFunction_t *f, const void *host);

/* stream.c */
hipError_t hipStreamCreateWithFlags(hipStream_t *s, unsigned flags);
hipError_t hipStreamCreate(hipStream_t *s);
hipError_t hipStreamCreateWithPriority(hipStream_t *s, unsigned flags, int priority);
hipError_t hipStreamDestroy(hipStream_t s);
hipError_t hipStreamSynchronize(hipStream_t s);
hipError_t hipStreamQuery(hipStream_t s);
hipError_t hipStreamGetFlags(hipStream_t s, unsigned *f);
hipError_t hipStreamGetPriority(hipStream_t s, int *p);
hipError_t hipStreamGetDevice(hipStream_t s, hipDevice_t *d);
hipError_t hipLaunchHostFunc(hipStream_t s, void (*f)(void *), void *user);
hipError_t hipStreamAddCallback(hipStream_t s, void (*f)(hipStream_t, hipError_t, void *), void
    *user, unsigned flags);
hipError_t hipEventCreateWithFlags(hipEvent_t *e, unsigned flags);
hipError_t hipEventCreate(hipEvent_t *e);
hipError_t hipEventDestroy(hipEvent_t e);
hipError_t hipEventRecord(hipEvent_t e, hipStream_t s);
hipError_t hipEventRecordWithFlags(hipEvent_t e, hipStream_t s, unsigned flags);
hipError_t hipEventSynchronize(hipEvent_t e);
hipError_t hipEventQuery(hipEvent_t e);
hipError_t hipEventElapsedTime(float *ms, hipEvent_t a, hipEvent_t b);
hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t e, unsigned flags);
hipError_t hipStreamBeginCapture(hipStream_t s, int mode);
hipError_t hipStreamEndCapture(hipStream_t s, hipGraph_t *g);
hipError_t hipStreamIsCapturing(hipStream_t s, int *status);
hipError_t hipStreamGetCaptureInfo(hipStream_t s, int *status, unsigned long long *id);
hipError_t hipThreadExchangeStreamCaptureMode(int *mode);
hipError_t hipGraphCreate(hipGraph_t *g, unsigned flags);
hipError_t hipGraphDestroy(hipGraph_t g);
hipError_t hipGraphInstantiate(hipGraphExec_t *x, hipGraph_t g, hipGraphNode_t *bad, char *log,
    size_t n);
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *x, hipGraph_t g, unsigned long long
    flags);
hipError_t hipGraphExecDestroy(hipGraphExec_t x);
hipError_t hipGraphGetNodes(hipGraph_t g, hipGraphNode_t *nodes, size_t *n);
hipError_t hipGraphLaunch(hipGraphExec_t x, hipStream_t s);
hipError_t hipGraphUpload(hipGraphExec_t x, hipStream_t s);

#pragma GCC visibility pop

#endif
