/* SPDX-License-Identifier: MIT */
/*
 * The CUDA driver. No header and no toolkit is used: the few types and constants below are its
 * published ABI (cuda.h), with the symbol versions every driver since CUDA 11.4 has. Work runs in
 * the primary context of the device, the one the CUDA runtime and every framework use.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime.h"

enum {
    ERROR_OUT_OF_MEMORY = 2,
    ERROR_NO_DEVICE = 100,
    ERROR_INVALID_DEVICE = 101,
    ERROR_INVALID_IMAGE = 200,
    ERROR_NO_BINARY_FOR_GPU = 209,
    ERROR_INVALID_PTX = 218,
    ERROR_UNSUPPORTED_PTX = 222,

    ATTRIBUTE_CLOCK_KHZ = 13,
    ATTRIBUTE_CUS = 16,
    ATTRIBUTE_MAJOR = 75,
    ATTRIBUTE_MINOR = 76,
    ATTRIBUTE_LDS_BYTES = 97, /* with opt-in */
    FUNCTION_NUM_REGS = 4,

    JIT_ERROR_LOG = 5,
    JIT_ERROR_LOG_BYTES = 6,
    STREAM_NON_BLOCKING = 1,
    CAPTURE_THREAD_LOCAL = 1,
    CAPTURE_RELAXED = 2,
    CAPTURE_ACTIVE = 1,

    MAX_DEVICES = 64
};

/* Values of cuLaunchKernel's `extra` list. */
#define LAUNCH_BUFFER ((void *)1)
#define LAUNCH_BUFFER_SIZE ((void *)2)
#define LAUNCH_END ((void *)0)

typedef void *ptr;
typedef unsigned long long device_ptr;

/* CUlaunchAttribute and CUlaunchConfig of the driver. */
struct launch_attribute {
    int id, pad;
    unsigned value[3];
    char rest[52];
};
struct launch_config {
    unsigned grid[3], block[3], lds_bytes;
    ptr stream;
    struct launch_attribute *attributes;
    unsigned attribute_count;
};
enum { LAUNCH_CLUSTER_DIMENSION = 4, LAUNCH_PROGRAMMATIC_SERIALIZATION = 6 };

/* CUDA_FUNCTION(name, symbol, parameters) */
#define CUDA_FUNCTIONS                                                                             \
    CUDA_FUNCTION(cuInit, "cuInit", (unsigned))                                                    \
    CUDA_FUNCTION(cuGetErrorString, "cuGetErrorString", (int, const char **))                      \
    CUDA_FUNCTION(cuDeviceGetCount, "cuDeviceGetCount", (int *))                                   \
    CUDA_FUNCTION(cuDeviceGet, "cuDeviceGet", (int *, int))                                        \
    CUDA_FUNCTION(cuDeviceGetName, "cuDeviceGetName", (char *, int, int))                          \
    CUDA_FUNCTION(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int))                 \
    CUDA_FUNCTION(cuDeviceTotalMem, "cuDeviceTotalMem_v2", (size_t *, int))                        \
    CUDA_FUNCTION(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (ptr *, int))              \
    CUDA_FUNCTION(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (int))                \
    CUDA_FUNCTION(cuCtxGetCurrent, "cuCtxGetCurrent", (ptr *))                                     \
    CUDA_FUNCTION(cuCtxGetDevice, "cuCtxGetDevice", (int *))                                       \
    CUDA_FUNCTION(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (ptr))                                  \
    CUDA_FUNCTION(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (ptr *))                                  \
    CUDA_FUNCTION(cuCtxSynchronize, "cuCtxSynchronize", (void))                                    \
    CUDA_FUNCTION(cuModuleLoadDataEx, "cuModuleLoadDataEx", (ptr *, const void *, unsigned, int *, void **)) \
    CUDA_FUNCTION(cuModuleUnload, "cuModuleUnload", (ptr))                                         \
    CUDA_FUNCTION(cuModuleGetFunction, "cuModuleGetFunction", (ptr *, ptr, const char *))          \
    CUDA_FUNCTION(cuFuncGetAttribute, "cuFuncGetAttribute", (int *, int, ptr))                     \
    CUDA_FUNCTION(cuLaunchKernel, "cuLaunchKernel",                                                \
                  (ptr, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, ptr, \
                   void **, void **))                                                              \
    CUDA_FUNCTION(cuLaunchKernelEx, "cuLaunchKernelEx",                                            \
                  (const struct launch_config *, ptr, void **, void **))                           \
    CUDA_FUNCTION(cuOccupancyMaxActiveClusters, "cuOccupancyMaxActiveClusters",                    \
                  (int *, ptr, const struct launch_config *))                                      \
    CUDA_FUNCTION(cuMemAlloc, "cuMemAlloc_v2", (device_ptr *, size_t))                             \
    CUDA_FUNCTION(cuMemFree, "cuMemFree_v2", (device_ptr))                                         \
    CUDA_FUNCTION(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (device_ptr, const void *, size_t))             \
    CUDA_FUNCTION(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *, device_ptr, size_t))                   \
    CUDA_FUNCTION(cuMemcpyDtoD, "cuMemcpyDtoD_v2", (device_ptr, device_ptr, size_t))               \
    CUDA_FUNCTION(cuMemsetD8, "cuMemsetD8_v2", (device_ptr, unsigned char, size_t))                \
    CUDA_FUNCTION(cuStreamCreate, "cuStreamCreate", (ptr *, unsigned))                             \
    CUDA_FUNCTION(cuStreamDestroy, "cuStreamDestroy_v2", (ptr))                                    \
    CUDA_FUNCTION(cuStreamSynchronize, "cuStreamSynchronize", (ptr))                               \
    CUDA_FUNCTION(cuStreamIsCapturing, "cuStreamIsCapturing", (ptr, int *))                        \
    CUDA_FUNCTION(cuThreadExchangeStreamCaptureMode, "cuThreadExchangeStreamCaptureMode", (int *)) \
    CUDA_FUNCTION(cuEventCreate, "cuEventCreate", (ptr *, unsigned))                               \
    CUDA_FUNCTION(cuEventDestroy, "cuEventDestroy_v2", (ptr))                                      \
    CUDA_FUNCTION(cuEventRecord, "cuEventRecord", (ptr, ptr))                                      \
    CUDA_FUNCTION(cuEventSynchronize, "cuEventSynchronize", (ptr))                                 \
    CUDA_FUNCTION(cuEventElapsedTime, "cuEventElapsedTime", (float *, ptr, ptr))                   \
    CUDA_FUNCTION(cuStreamBeginCapture, "cuStreamBeginCapture_v2", (ptr, int))                     \
    CUDA_FUNCTION(cuStreamEndCapture, "cuStreamEndCapture", (ptr, ptr *))                          \
    CUDA_FUNCTION(cuGraphInstantiate, "cuGraphInstantiateWithFlags", (ptr *, ptr, unsigned long long)) \
    CUDA_FUNCTION(cuGraphLaunch, "cuGraphLaunch", (ptr, ptr))                                      \
    CUDA_FUNCTION(cuGraphExecDestroy, "cuGraphExecDestroy", (ptr))                                 \
    CUDA_FUNCTION(cuGraphDestroy, "cuGraphDestroy", (ptr))

struct cuda {
#define CUDA_FUNCTION(name, symbol, parameters) int(*name) parameters;
    CUDA_FUNCTIONS
#undef CUDA_FUNCTION
    int init_error;       /* of cuInit */
    pthread_mutex_t lock; /* for retaining and releasing */
    _Atomic(void *) primary[MAX_DEVICES];
};

static struct cuda *api(struct fly_runtime *rt)
{
    return rt->api;
}

static device_ptr address(const void *p)
{
    return (device_ptr)(uintptr_t)p;
}

static int device_count(struct fly_runtime *rt, int *count)
{
    *count = 0;
    if (api(rt)->init_error == ERROR_NO_DEVICE)
        return 0;
    if (api(rt)->init_error)
        return api(rt)->init_error;
    int error = api(rt)->cuDeviceGetCount(count);
    if (*count > MAX_DEVICES)
        *count = MAX_DEVICES;
    return error;
}

/* The driver has no current device, only a current context; without one the CUDA runtime would use
 * 0. */
static int device_current(struct fly_runtime *rt, int *device)
{
    void *context = NULL;
    *device = 0;
    int error = api(rt)->cuCtxGetCurrent(&context);
    return error || !context ? error : api(rt)->cuCtxGetDevice(device);
}

static int device_info(struct fly_runtime *rt, int device, struct fly_device_info *info)
{
    struct cuda *cu = api(rt);
    int d, cus, major, minor, lds, clock = 0;
    size_t memory = 0;
    memset(info, 0, sizeof *info);
    int error = cu->cuDeviceGet(&d, device);
    if (!error)
        error = cu->cuDeviceGetName(info->name, sizeof info->name, d);
    if (!error)
        error = cu->cuDeviceGetAttribute(&cus, ATTRIBUTE_CUS, d);
    if (!error)
        error = cu->cuDeviceGetAttribute(&major, ATTRIBUTE_MAJOR, d);
    if (!error)
        error = cu->cuDeviceGetAttribute(&minor, ATTRIBUTE_MINOR, d);
    if (!error)
        error = cu->cuDeviceGetAttribute(&lds, ATTRIBUTE_LDS_BYTES, d);
    if (!error)
        error = cu->cuDeviceTotalMem(&memory, d);
    if (error)
        return error;
    if (cu->cuDeviceGetAttribute(&clock, ATTRIBUTE_CLOCK_KHZ, d))
        clock = 0;
    snprintf(info->arch, sizeof info->arch, "sm_%d%d", major, minor);
    info->cus = (uint32_t)cus;
    info->lds_bytes = (uint32_t)lds;
    info->clock_khz = (uint32_t)clock;
    info->memory_bytes = memory;
    return 0;
}

static int retain(struct cuda *cu, int device, void **context)
{
    int d, error = 0;
    pthread_mutex_lock(&cu->lock);
    *context = atomic_load_explicit(&cu->primary[device], memory_order_relaxed);
    if (!*context) {
        error = cu->cuDeviceGet(&d, device);
        if (!error)
            error = cu->cuDevicePrimaryCtxRetain(context, d);
        if (!error)
            atomic_store_explicit(&cu->primary[device], *context, memory_order_release);
    }
    pthread_mutex_unlock(&cu->lock);
    return error;
}

/* saved: 1 when a context was pushed and must be popped. */
static int device_enter(struct fly_runtime *rt, int device, intptr_t *saved)
{
    struct cuda *cu = api(rt);
    *saved = 0;
    if (device < 0 || device >= MAX_DEVICES)
        return ERROR_INVALID_DEVICE;
    void *context = atomic_load_explicit(&cu->primary[device], memory_order_acquire),
         *current = NULL;
    int error = context ? 0 : retain(cu, device, &context);
    if (!error)
        error = cu->cuCtxGetCurrent(&current);
    if (error || current == context)
        return error;
    error = cu->cuCtxPushCurrent(context);
    *saved = !error;
    return error;
}

static int device_leave(struct fly_runtime *rt, int device, intptr_t saved)
{
    void *popped;
    (void)device;
    return saved ? api(rt)->cuCtxPopCurrent(&popped) : 0;
}

static int device_sync(struct fly_runtime *rt)
{
    return api(rt)->cuCtxSynchronize();
}

static int device_release(struct fly_runtime *rt, int device)
{
    struct cuda *cu = api(rt);
    int d, error = 0;
    if (device < 0 || device >= MAX_DEVICES)
        return ERROR_INVALID_DEVICE;
    pthread_mutex_lock(&cu->lock);
    if (atomic_load_explicit(&cu->primary[device], memory_order_relaxed)) {
        atomic_store_explicit(&cu->primary[device], NULL, memory_order_release);
        error = cu->cuDeviceGet(&d, device);
        if (!error)
            error = cu->cuDevicePrimaryCtxRelease(d);
    }
    pthread_mutex_unlock(&cu->lock);
    return error;
}

/* Loading is legal during a capture; the relaxed mode also covers what the driver allocates for it.
 */
static int module_load(struct fly_runtime *rt, const void *image, size_t bytes, void **module,
                       char *log, size_t log_bytes)
{
    struct cuda *cu = api(rt);
    (void)bytes;
    if (log_bytes)
        *log = '\0';
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_BYTES};
    void *values[] = {log, (void *)(uintptr_t)log_bytes};
    int mode = CAPTURE_RELAXED;
    int error = cu->cuThreadExchangeStreamCaptureMode(&mode);
    if (error)
        return error;
    error = cu->cuModuleLoadDataEx(module, image, log_bytes ? 2 : 0, options, values);
    int restored = cu->cuThreadExchangeStreamCaptureMode(&mode);
    /* The log ends in a newline and may have several lines; the caller puts it into a sentence. */
    for (char *s = log; log_bytes && *s; s++)
        if (*s == '\n')
            *s = s[1] ? ';' : '\0';
    return error ? error : restored;
}

static int module_unload(struct fly_runtime *rt, void *module)
{
    return api(rt)->cuModuleUnload(module);
}

static int module_function(struct fly_runtime *rt, void *module, const char *name, void **function)
{
    return api(rt)->cuModuleGetFunction(function, module, name);
}

static int function_registers(struct fly_runtime *rt, void *function, uint32_t *registers)
{
    int value = 0;
    int error = api(rt)->cuFuncGetAttribute(&value, FUNCTION_NUM_REGS, function);
    *registers = (uint32_t)value;
    return error;
}

static int function_clusters(struct fly_runtime *rt, void *function, uint32_t block, uint32_t cluster,
                             uint32_t *clusters)
{
    struct launch_attribute attribute = {.id = LAUNCH_CLUSTER_DIMENSION, .value = {cluster, 1, 1}};
    const struct launch_config config = {
        .grid = {cluster, 1, 1}, .block = {block, 1, 1}, .attributes = &attribute, .attribute_count = 1};
    int count = 0;
    int error = api(rt)->cuOccupancyMaxActiveClusters(&count, function, &config);
    *clusters = (uint32_t)count;
    return error;
}

static int launch(struct fly_runtime *rt, void *function, const uint32_t grid[3],
                  const uint32_t block[3], uint32_t lds_bytes, void *stream, void *kernargs,
                  size_t kernarg_bytes, uint32_t cluster, bool overlap)
{
    void *extra[] = {LAUNCH_BUFFER, kernargs, LAUNCH_BUFFER_SIZE, &kernarg_bytes, LAUNCH_END};
    if (overlap || cluster) {
        struct launch_attribute attributes[2];
        unsigned n = 0;
        if (cluster)
            attributes[n++] = (struct launch_attribute){.id = LAUNCH_CLUSTER_DIMENSION, .value = {cluster, 1, 1}};
        if (overlap)
            attributes[n++] = (struct launch_attribute){.id = LAUNCH_PROGRAMMATIC_SERIALIZATION, .value = {1}};
        struct launch_config config = {.grid = {grid[0], grid[1], grid[2]},
                                       .block = {block[0], block[1], block[2]},
                                       .lds_bytes = lds_bytes,
                                       .stream = stream,
                                       .attributes = attributes,
                                       .attribute_count = n};
        return api(rt)->cuLaunchKernelEx(&config, function, NULL, extra);
    }
    return api(rt)->cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1],
                                   block[2], lds_bytes, stream, NULL, extra);
}

static int memory_alloc(struct fly_runtime *rt, size_t bytes, void **p)
{
    device_ptr d = 0;
    int error = api(rt)->cuMemAlloc(&d, bytes);
    *p = (void *)(uintptr_t)d;
    return error;
}

static int memory_free(struct fly_runtime *rt, void *p)
{
    return p ? api(rt)->cuMemFree(address(p)) : 0;
}

static int memory_to_device(struct fly_runtime *rt, void *dst, const void *src, size_t bytes)
{
    return api(rt)->cuMemcpyHtoD(address(dst), src, bytes);
}

static int memory_to_host(struct fly_runtime *rt, void *dst, const void *src, size_t bytes)
{
    return api(rt)->cuMemcpyDtoH(dst, address(src), bytes);
}

static int memory_copy(struct fly_runtime *rt, void *dst, const void *src, size_t bytes)
{
    int error = api(rt)->cuMemcpyDtoD(address(dst), address(src), bytes);
    return error ? error : api(rt)->cuCtxSynchronize();
}

static int memory_fill(struct fly_runtime *rt, void *dst, uint8_t value, size_t bytes)
{
    int error = api(rt)->cuMemsetD8(address(dst), value, bytes);
    return error ? error : api(rt)->cuCtxSynchronize();
}

static int stream_create(struct fly_runtime *rt, void **stream)
{
    return api(rt)->cuStreamCreate(stream, STREAM_NON_BLOCKING);
}

static int stream_destroy(struct fly_runtime *rt, void *stream)
{
    return api(rt)->cuStreamDestroy(stream);
}

static int stream_sync(struct fly_runtime *rt, void *stream)
{
    return api(rt)->cuStreamSynchronize(stream);
}

static int stream_capturing(struct fly_runtime *rt, void *stream, bool *capturing)
{
    int state = 0;
    int error = api(rt)->cuStreamIsCapturing(stream, &state);
    *capturing = state == CAPTURE_ACTIVE;
    return error;
}

static int event_create(struct fly_runtime *rt, void **event)
{
    return api(rt)->cuEventCreate(event, 0);
}

static int event_destroy(struct fly_runtime *rt, void *event)
{
    return api(rt)->cuEventDestroy(event);
}

static int event_record(struct fly_runtime *rt, void *event, void *stream)
{
    return api(rt)->cuEventRecord(event, stream);
}

static int event_sync(struct fly_runtime *rt, void *event)
{
    return api(rt)->cuEventSynchronize(event);
}

static int event_elapsed(struct fly_runtime *rt, void *start, void *stop, float *milliseconds)
{
    return api(rt)->cuEventElapsedTime(milliseconds, start, stop);
}

static int capture_begin(struct fly_runtime *rt, void *stream)
{
    return api(rt)->cuStreamBeginCapture(stream, CAPTURE_THREAD_LOCAL);
}

static int capture_end(struct fly_runtime *rt, void *stream, void **graph)
{
    void *recorded = NULL;
    *graph = NULL;
    int error = api(rt)->cuStreamEndCapture(stream, &recorded);
    if (!error)
        error = api(rt)->cuGraphInstantiate(graph, recorded, 0);
    if (recorded) {
        int destroyed = api(rt)->cuGraphDestroy(recorded);
        error = error ? error : destroyed;
    }
    return error;
}

static int graph_launch(struct fly_runtime *rt, void *graph, void *stream)
{
    return api(rt)->cuGraphLaunch(graph, stream);
}

static int graph_destroy(struct fly_runtime *rt, void *graph)
{
    return api(rt)->cuGraphExecDestroy(graph);
}

static const char *text(struct fly_runtime *rt, int code)
{
    const char *s = NULL;
    return api(rt)->cuGetErrorString(code, &s) || !s ? "no text" : s;
}

static flyStatus_t status(struct fly_runtime *rt, int code)
{
    (void)rt;
    switch (code) {
    case 0: return FLY_STATUS_SUCCESS;
    case ERROR_OUT_OF_MEMORY: return FLY_STATUS_OUT_OF_MEMORY;
    case ERROR_NO_DEVICE: return FLY_STATUS_NO_DEVICE;
    case ERROR_INVALID_IMAGE:
    case ERROR_NO_BINARY_FOR_GPU:
    case ERROR_INVALID_PTX:
    case ERROR_UNSUPPORTED_PTX: return FLY_STATUS_BAD_KERNEL_FILE;
    default: return FLY_STATUS_RUNTIME_ERROR;
    }
}

static void *symbol(struct fly_runtime *rt, const char *name)
{
    return dlsym(rt->library, name);
}

static const struct fly_runtime table = {
    .name = "cuda",
    .image = FLY_IMAGE_PTX,
    .loads_in_capture = true,
    .device_count = device_count,
    .device_current = device_current,
    .device_info = device_info,
    .device_enter = device_enter,
    .device_leave = device_leave,
    .device_sync = device_sync,
    .device_release = device_release,
    .module_load = module_load,
    .module_unload = module_unload,
    .module_function = module_function,
    .function_registers = function_registers,
    .function_clusters = function_clusters,
    .launch = launch,
    .memory_alloc = memory_alloc,
    .memory_free = memory_free,
    .memory_to_device = memory_to_device,
    .memory_to_host = memory_to_host,
    .memory_copy = memory_copy,
    .memory_fill = memory_fill,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .stream_sync = stream_sync,
    .stream_capturing = stream_capturing,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .event_sync = event_sync,
    .event_elapsed = event_elapsed,
    .capture_begin = capture_begin,
    .capture_end = capture_end,
    .graph_launch = graph_launch,
    .graph_destroy = graph_destroy,
    .text = text,
    .status = status,
    .symbol = symbol,
};

struct fly_runtime *fly_cuda_open(const char *path, void *library, char *message, size_t bytes)
{
    struct fly_runtime *rt = malloc(sizeof *rt);
    struct cuda *cu = calloc(1, sizeof *cu);
    if (!rt || !cu) {
        snprintf(message, bytes, "no memory");
        goto fail;
    }
#define CUDA_FUNCTION(name, symbol, parameters)                                                    \
    *(void **)&cu->name = dlsym(library, symbol);                                                  \
    if (!cu->name) {                                                                               \
        snprintf(message, bytes, "it lacks %s: the driver is too old", symbol);                    \
        goto fail;                                                                                 \
    }
    CUDA_FUNCTIONS
#undef CUDA_FUNCTION
    pthread_mutex_init(&cu->lock, NULL);
    cu->init_error = cu->cuInit(0);
    *rt = table;
    rt->api = cu;
    rt->library = library;
    snprintf(rt->path, sizeof rt->path, "%s", path);
    return rt;
fail:
    free(cu);
    free(rt);
    return NULL;
}
