/* SPDX-License-Identifier: MIT */
/*
 * The part of HIP's C ABI the simulator exports, declared anew from its published documentation: types,
 * constants, structs. Internals shared by the files of sim/hip come last.
 */
#ifndef SIM_HIP_H
#define SIM_HIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../launch.h"

typedef int hipError_t;
typedef int hipDevice_t;
typedef void *hipDeviceptr_t;
typedef struct stream *hipStream_t;
typedef struct event *hipEvent_t;
typedef struct module *hipModule_t;
typedef struct sim_function *hipFunction_t;
typedef struct graph *hipGraph_t;
typedef struct graph_exec *hipGraphExec_t;
typedef struct graph_node *hipGraphNode_t;
typedef struct context *hipCtx_t;
typedef struct { uint32_t x, y, z; } dim3;

enum {
#define HIP_ERROR(name, code, text) name = code,
#include "error.inc"
};

enum { hipMemcpyHostToHost, hipMemcpyHostToDevice, hipMemcpyDeviceToHost, hipMemcpyDeviceToDevice, hipMemcpyDefault };
enum { hipStreamNonBlocking = 1, hipEventDisableTiming = 2 };
enum { hipStreamCaptureStatusNone, hipStreamCaptureStatusActive, hipStreamCaptureStatusInvalidated };

/* hipDeviceProp_t as of ROCm 6 (R0600). */
struct prop_r0600 {
    char name[256];
    char uuid[16];
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode;
    int textures[40];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount,
        unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize,
        maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported,
        singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
        computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch,
        cooperativeMultiDeviceLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor,
        accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int more[13];
    int reserved[63];
    int hipReserved[32];
    char gcnArchName[256];
    size_t maxSharedMemoryPerMultiProcessor;
    int clockInstructionRate;
    unsigned arch;
    unsigned *hdpMemFlushCntl, *hdpRegFlushCntl;
    int cooperative[4], isLargeBar, asicRevision;
};

/* The same before ROCm 6, under the name without a suffix. */
struct prop_r0000 {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate, memoryClockRate,
        memoryBusWidth;
    size_t totalConstMem;
    int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor, computeMode,
        clockInstructionRate;
    unsigned arch;
    int concurrentKernels, pciDomainID, pciBusID, pciDeviceID;
    size_t maxSharedMemoryPerMultiProcessor;
    int isMultiGpuBoard, canMapHostMemory, gcnArch;
    char gcnArchName[256];
    int rest[35];
};

_Static_assert(sizeof(struct prop_r0600) == 1472, "hipDeviceProp_tR0600");
_Static_assert(offsetof(struct prop_r0600, totalGlobalMem) == 288, "hipDeviceProp_tR0600");
_Static_assert(offsetof(struct prop_r0600, gcnArchName) == 1160, "hipDeviceProp_tR0600");
_Static_assert(sizeof(struct prop_r0000) == 792, "hipDeviceProp_tR0000");
_Static_assert(offsetof(struct prop_r0000, gcnArchName) == 396, "hipDeviceProp_tR0000");

struct pointer_attributes {
    int type, device;
    void *devicePointer, *hostPointer;
    int isManaged;
    unsigned allocationFlags;
};

struct func_attributes {
    int binaryVersion, cacheModeCA;
    size_t constSizeBytes, localSizeBytes;
    int maxDynamicSharedSizeBytes, maxThreadsPerBlock, numRegs, preferredShmemCarveout, ptxVersion;
    size_t sharedSizeBytes;
};

/* hipLaunchAttribute, hipLaunchConfig_t and HIP_LAUNCH_CONFIG as of ROCm 7. */
enum { hipLaunchAttributeCooperative = 2, hipLaunchAttributeClusterDimension = 4, hipLaunchAttributePriority = 8 };
struct launch_attribute {
    int id;
    char pad[4];
    union { char pad[64]; dim3 clusterDim; int cooperative, priority; } val;
};
struct launch_config {
    dim3 grid, block;
    size_t shared;
    hipStream_t stream;
    struct launch_attribute *attrs;
    unsigned nattrs;
};
struct drv_launch_config {
    dim3 grid, block;
    unsigned shared;
    hipStream_t stream;
    struct launch_attribute *attrs;
    unsigned nattrs;
};
_Static_assert(sizeof(struct launch_attribute) == 72, "hipLaunchAttribute");
_Static_assert(sizeof(struct launch_config) == 56, "hipLaunchConfig_t");
_Static_assert(sizeof(struct drv_launch_config) == 56, "HIP_LAUNCH_CONFIG");

struct launch_params { void *func; dim3 grid, block; void **args; size_t shared; hipStream_t stream; };

/* ---- internals ---- */

#define API __attribute__((visibility("default")))

enum { MAX_DEVICES = 64 };

struct device {
    const struct sim_target *target;
    struct flysim_counts counts;
    double longest_ns; /* of the launches counted */
    struct stream *null_stream;
};

/* Reads the environment once; hipErrorNoDevice when FLYSIM_DEVICES names none that exists. */
hipError_t hip_setup(void);
int hip_device_count(void);
struct device *hip_device(int i);
int hip_current(void);

/* Keeps the error for hipGetLastError and returns it. */
hipError_t hip_return(hipError_t e);
/* For launch failures: the report. */
void hip_report(const char *text);

/* A module of the current device from a file's bytes (an ELF, a bundle, a compressed bundle). */
hipError_t hip_module_from(const void *data, size_t size, int device, struct sim_module **out);

/* Queues a launch of f; items: work-items of the grid, a multiple of the block or not; cluster: workgroups that
 * run together, null: as the kernel was compiled. */
hipError_t hip_enqueue_kernel(struct sim_function *f, const uint32_t items[3], const uint32_t block[3],
                              const uint32_t cluster[3], uint32_t shared, struct stream *s, void **params, void **extra);
/* Queues a copy, a fill or a call; the null stream for s null. */
hipError_t hip_enqueue_copy(void *dst, const void *src, size_t n, struct stream *s);
hipError_t hip_enqueue_fill(void *dst, uint32_t value, unsigned unit, size_t n, struct stream *s);
hipError_t hip_stream_sync(struct stream *s);
struct stream *hip_stream_new(int device, unsigned flags);
/* Ends every stream of a device (-1: of all). */
hipError_t hip_device_sync(int device);
/* A kernel registered by the host program's own code. */
struct sim_function *hip_host_function(const void *host, int device);
void hip_add_counts(struct device *d, const struct flysim_counts *c);

#endif
