/* SPDX-License-Identifier: MIT */
/*
 * The HIP runtime, ROCm 5.7 to 7, and the simulator, which exports the same functions. No header of
 * HIP is used: the few types, constants and struct offsets below are its published ABI
 * (hip_runtime_api.h).
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime.h"

enum {
    ERROR_OUT_OF_MEMORY = 2,
    ERROR_NO_DEVICE = 100,
    ERROR_INVALID_IMAGE = 200,
    ERROR_NO_BINARY_FOR_GPU = 209,
    ERROR_INVALID_KERNEL_FILE = 218,
    ERROR_NOT_SUPPORTED = 801,
    ERROR_CAPTURE_FIRST =
        900, /* hipErrorStreamCapture...: the stream, or one it waits for, is capturing */
    ERROR_CAPTURE_LAST = 908,

    ATTRIBUTE_CLOCK_KHZ = 5,
    ATTRIBUTE_CUS = 63,
    ATTRIBUTE_LDS_BYTES = 74,
    FUNCTION_NUM_REGS = 4,

    COPY_HOST_TO_DEVICE = 1,
    COPY_DEVICE_TO_HOST = 2,
    COPY_DEVICE_TO_DEVICE = 3,
    STREAM_NON_BLOCKING = 1,
    CAPTURE_THREAD_LOCAL = 1,
    CAPTURE_ACTIVE = 1
};

/* Values of hipModuleLaunchKernel's `extra` list. */
#define LAUNCH_BUFFER ((void *)1)
#define LAUNCH_BUFFER_SIZE ((void *)2)
#define LAUNCH_END ((void *)3)

/* hipDeviceProp_t: since ROCm 6 (hipGetDevicePropertiesR0600), and before. */
static const struct props_layout {
    size_t bytes, memory, arch;
} props_r0600 = {1472, 288, 1160}, props_r0000 = {792, 256, 396};
enum { PROPS_MAX_BYTES = 4096, PROPS_ARCH_BYTES = 256, PROPS_NAME_BYTES = 256 };

typedef void *ptr;

/* HIP_FUNCTION(required, name, parameters) */
#define HIP_FUNCTIONS                                                                              \
    HIP_FUNCTION(1, hipGetDeviceCount, (int *))                                                    \
    HIP_FUNCTION(1, hipGetDevice, (int *))                                                         \
    HIP_FUNCTION(1, hipSetDevice, (int))                                                           \
    HIP_FUNCTION(0, hipGetDevicePropertiesR0600, (ptr, int))                                       \
    HIP_FUNCTION(0, hipGetDeviceProperties, (ptr, int))                                            \
    HIP_FUNCTION(1, hipDeviceGetAttribute, (int *, int, int))                                      \
    HIP_FUNCTION(1, hipDeviceSynchronize, (void))                                                  \
    HIP_FUNCTION(1, hipModuleLoadData, (ptr *, const void *))                                      \
    HIP_FUNCTION(1, hipModuleUnload, (ptr))                                                        \
    HIP_FUNCTION(1, hipModuleGetFunction, (ptr *, ptr, const char *))                              \
    HIP_FUNCTION(0, hipFuncGetAttribute, (int *, int, ptr))                                        \
    HIP_FUNCTION(1, hipModuleLaunchKernel,                                                         \
                 (ptr, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, ptr,  \
                  void **, void **))                                                               \
    HIP_FUNCTION(1, hipMalloc, (ptr *, size_t))                                                    \
    HIP_FUNCTION(1, hipFree, (ptr))                                                                \
    HIP_FUNCTION(1, hipMemcpy, (ptr, const void *, size_t, int))                                   \
    HIP_FUNCTION(1, hipMemset, (ptr, int, size_t))                                                 \
    HIP_FUNCTION(0, hipStreamCreateWithFlags, (ptr *, unsigned))                                   \
    HIP_FUNCTION(0, hipStreamDestroy, (ptr))                                                       \
    HIP_FUNCTION(0, hipStreamSynchronize, (ptr))                                                   \
    HIP_FUNCTION(0, hipStreamIsCapturing, (ptr, int *))                                            \
    HIP_FUNCTION(0, hipEventCreate, (ptr *))                                                       \
    HIP_FUNCTION(0, hipEventDestroy, (ptr))                                                        \
    HIP_FUNCTION(0, hipEventRecord, (ptr, ptr))                                                    \
    HIP_FUNCTION(0, hipEventSynchronize, (ptr))                                                    \
    HIP_FUNCTION(0, hipEventElapsedTime, (float *, ptr, ptr))                                      \
    HIP_FUNCTION(0, hipStreamBeginCapture, (ptr, int))                                             \
    HIP_FUNCTION(0, hipStreamEndCapture, (ptr, ptr *))                                             \
    HIP_FUNCTION(0, hipGraphInstantiate, (ptr *, ptr, ptr *, char *, size_t))                      \
    HIP_FUNCTION(0, hipGraphLaunch, (ptr, ptr))                                                    \
    HIP_FUNCTION(0, hipGraphExecDestroy, (ptr))                                                    \
    HIP_FUNCTION(0, hipGraphDestroy, (ptr))                                                        \
    HIP_FUNCTION(0, hipGetLastError, (void))

struct hip {
#define HIP_FUNCTION(required, name, parameters) int(*name) parameters;
    HIP_FUNCTIONS
#undef HIP_FUNCTION
    const char *(*hipGetErrorString)(int);
    const char *(*flysimLastError)(void); /* the simulator's report of its last fault */
};

static struct hip *api(struct fly_runtime *rt)
{
    return rt->api;
}

/* Takes an error that libfly expects out of the thread's state, where the application would find
 * it. */
static void forget_error(struct fly_runtime *rt)
{
    if (api(rt)->hipGetLastError)
        api(rt)->hipGetLastError();
}

/* A call of a function that this HIP may lack. */
#define OPTIONAL(rt, name, ...) (api(rt)->name ? api(rt)->name(__VA_ARGS__) : ERROR_NOT_SUPPORTED)

static int device_count(struct fly_runtime *rt, int *count)
{
    return api(rt)->hipGetDeviceCount(count);
}

static int device_current(struct fly_runtime *rt, int *device)
{
    return api(rt)->hipGetDevice(device);
}

static int device_info(struct fly_runtime *rt, int device, struct fly_device_info *info)
{
    struct hip *hip = api(rt);
    _Alignas(16) char props[PROPS_MAX_BYTES] = {0};
    const struct props_layout *l = hip->hipGetDevicePropertiesR0600 ? &props_r0600 : &props_r0000;
    int error = hip->hipGetDevicePropertiesR0600 ? hip->hipGetDevicePropertiesR0600(props, device)
                                                 : hip->hipGetDeviceProperties(props, device);
    int cus = 0, lds = 0, clock = 0;
    if (!error)
        error = hip->hipDeviceGetAttribute(&cus, ATTRIBUTE_CUS, device);
    if (!error)
        error = hip->hipDeviceGetAttribute(&lds, ATTRIBUTE_LDS_BYTES, device);
    if (error)
        return error;
    if (hip->hipDeviceGetAttribute(&clock, ATTRIBUTE_CLOCK_KHZ, device)) {
        clock = 0;
        forget_error(rt);
    }
    memset(info, 0, sizeof *info);
    props[PROPS_NAME_BYTES - 1] = '\0';
    props[l->arch + PROPS_ARCH_BYTES - 1] = '\0';
    snprintf(info->name, sizeof info->name, "%s", props);
    snprintf(info->arch, sizeof info->arch, "%s", props + l->arch);
    memcpy(&info->memory_bytes, props + l->memory, sizeof info->memory_bytes);
    info->cus = (uint32_t)cus;
    info->lds_bytes = (uint32_t)lds;
    info->clock_khz = (uint32_t)clock;
    return 0;
}

/* saved: the device to go back to, or -1 when it is current already. */
static int device_enter(struct fly_runtime *rt, int device, intptr_t *saved)
{
    int current;
    *saved = -1;
    int error = api(rt)->hipGetDevice(&current);
    if (error || current == device)
        return error;
    error = api(rt)->hipSetDevice(device);
    if (!error)
        *saved = current;
    return error;
}

static int device_leave(struct fly_runtime *rt, int device, intptr_t saved)
{
    (void)device;
    return saved < 0 ? 0 : api(rt)->hipSetDevice((int)saved);
}

static int device_sync(struct fly_runtime *rt)
{
    return api(rt)->hipDeviceSynchronize();
}

static int device_release(struct fly_runtime *rt, int device)
{
    (void)rt, (void)device;
    return 0;
}

static int module_load(struct fly_runtime *rt, const void *image, size_t bytes, void **module,
                       char *log, size_t log_bytes)
{
    (void)bytes;
    if (log_bytes)
        *log = '\0';
    return api(rt)->hipModuleLoadData(module, image);
}

static int module_unload(struct fly_runtime *rt, void *module)
{
    return api(rt)->hipModuleUnload(module);
}

static int module_function(struct fly_runtime *rt, void *module, const char *name, void **function)
{
    return api(rt)->hipModuleGetFunction(function, module, name);
}

static int function_registers(struct fly_runtime *rt, void *function, uint32_t *registers)
{
    int value = 0;
    int error = OPTIONAL(rt, hipFuncGetAttribute, &value, FUNCTION_NUM_REGS, function);
    *registers = error ? 0 : (uint32_t)value;
    return error == ERROR_NOT_SUPPORTED ? 0 : error;
}

static int launch(struct fly_runtime *rt, void *function, const uint32_t grid[3],
                  const uint32_t block[3], uint32_t lds_bytes, void *stream, void *kernargs,
                  size_t kernarg_bytes, uint32_t cluster, bool overlap)
{
    (void)cluster, (void)overlap;
    void *extra[] = {LAUNCH_BUFFER, kernargs, LAUNCH_BUFFER_SIZE, &kernarg_bytes, LAUNCH_END};
    return api(rt)->hipModuleLaunchKernel(function, grid[0], grid[1], grid[2], block[0], block[1],
                                          block[2], lds_bytes, stream, NULL, extra);
}

static int memory_alloc(struct fly_runtime *rt, size_t bytes, void **p)
{
    return api(rt)->hipMalloc(p, bytes);
}

static int memory_free(struct fly_runtime *rt, void *p)
{
    return api(rt)->hipFree(p);
}

static int memory_to_device(struct fly_runtime *rt, void *dst, const void *src, size_t bytes)
{
    return api(rt)->hipMemcpy(dst, src, bytes, COPY_HOST_TO_DEVICE);
}

static int memory_to_host(struct fly_runtime *rt, void *dst, const void *src, size_t bytes)
{
    return api(rt)->hipMemcpy(dst, src, bytes, COPY_DEVICE_TO_HOST);
}

static int memory_copy(struct fly_runtime *rt, void *dst, const void *src, size_t bytes)
{
    int error = api(rt)->hipMemcpy(dst, src, bytes, COPY_DEVICE_TO_DEVICE);
    return error ? error : api(rt)->hipDeviceSynchronize();
}

static int memory_fill(struct fly_runtime *rt, void *dst, uint8_t value, size_t bytes)
{
    int error = api(rt)->hipMemset(dst, value, bytes);
    return error ? error : api(rt)->hipDeviceSynchronize();
}

static int stream_create(struct fly_runtime *rt, void **stream)
{
    return OPTIONAL(rt, hipStreamCreateWithFlags, stream, STREAM_NON_BLOCKING);
}

static int stream_destroy(struct fly_runtime *rt, void *stream)
{
    return OPTIONAL(rt, hipStreamDestroy, stream);
}

static int stream_sync(struct fly_runtime *rt, void *stream)
{
    return OPTIONAL(rt, hipStreamSynchronize, stream);
}

/* Asking about the default stream while another one captures is itself an error of the capture
 * kind. */
static int stream_capturing(struct fly_runtime *rt, void *stream, bool *capturing)
{
    int state = 0;
    int error = OPTIONAL(rt, hipStreamIsCapturing, stream, &state);
    *capturing = state == CAPTURE_ACTIVE;
    if (error >= ERROR_CAPTURE_FIRST && error <= ERROR_CAPTURE_LAST) {
        *capturing = true;
        forget_error(rt);
        return 0;
    }
    return error == ERROR_NOT_SUPPORTED ? 0 : error;
}

static int event_create(struct fly_runtime *rt, void **event)
{
    return OPTIONAL(rt, hipEventCreate, event);
}

static int event_destroy(struct fly_runtime *rt, void *event)
{
    return OPTIONAL(rt, hipEventDestroy, event);
}

static int event_record(struct fly_runtime *rt, void *event, void *stream)
{
    return OPTIONAL(rt, hipEventRecord, event, stream);
}

static int event_sync(struct fly_runtime *rt, void *event)
{
    return OPTIONAL(rt, hipEventSynchronize, event);
}

static int event_elapsed(struct fly_runtime *rt, void *start, void *stop, float *milliseconds)
{
    return OPTIONAL(rt, hipEventElapsedTime, milliseconds, start, stop);
}

static int capture_begin(struct fly_runtime *rt, void *stream)
{
    return OPTIONAL(rt, hipStreamBeginCapture, stream, CAPTURE_THREAD_LOCAL);
}

static int capture_end(struct fly_runtime *rt, void *stream, void **graph)
{
    void *recorded = NULL;
    *graph = NULL;
    int error = OPTIONAL(rt, hipStreamEndCapture, stream, &recorded);
    if (!error)
        error = OPTIONAL(rt, hipGraphInstantiate, graph, recorded, NULL, NULL, 0);
    if (recorded) {
        int destroyed = OPTIONAL(rt, hipGraphDestroy, recorded);
        error = error ? error : destroyed;
    }
    return error;
}

static int graph_launch(struct fly_runtime *rt, void *graph, void *stream)
{
    return OPTIONAL(rt, hipGraphLaunch, graph, stream);
}

static int graph_destroy(struct fly_runtime *rt, void *graph)
{
    return OPTIONAL(rt, hipGraphExecDestroy, graph);
}

static const char *text(struct fly_runtime *rt, int code)
{
    struct hip *hip = api(rt);
    const char *fault = hip->flysimLastError ? hip->flysimLastError() : NULL;
    if (fault && *fault)
        return fault;
    const char *s = hip->hipGetErrorString ? hip->hipGetErrorString(code) : NULL;
    return s ? s : "no text";
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
    case ERROR_INVALID_KERNEL_FILE: return FLY_STATUS_BAD_KERNEL_FILE;
    default: return FLY_STATUS_RUNTIME_ERROR;
    }
}

static void *symbol(struct fly_runtime *rt, const char *name)
{
    return dlsym(rt->library, name);
}

static const struct fly_runtime table = {
    .image = FLY_IMAGE_CODE_OBJECT,
    .loads_in_capture = false,
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

struct fly_runtime *fly_hip_open(const char *name, const char *path, void *library, char *message,
                                 size_t bytes)
{
    struct fly_runtime *rt = malloc(sizeof *rt);
    struct hip *hip = calloc(1, sizeof *hip);
    if (!rt || !hip) {
        snprintf(message, bytes, "no memory");
        goto fail;
    }
#define HIP_FUNCTION(required, name, parameters)                                                   \
    *(void **)&hip->name = dlsym(library, #name);                                                  \
    if ((required) && !hip->name) {                                                                \
        snprintf(message, bytes, "it lacks %s", #name);                                            \
        goto fail;                                                                                 \
    }
    HIP_FUNCTIONS
#undef HIP_FUNCTION
    *(void **)&hip->hipGetErrorString = dlsym(library, "hipGetErrorString");
    *(void **)&hip->flysimLastError = dlsym(library, "flysimLastError");
    if (!hip->hipGetDevicePropertiesR0600 && !hip->hipGetDeviceProperties) {
        snprintf(message, bytes, "it lacks hipGetDeviceProperties");
        goto fail;
    }
    *rt = table;
    rt->name = name;
    rt->api = hip;
    rt->library = library;
    snprintf(rt->path, sizeof rt->path, "%s", path);
    return rt;
fail:
    free(hip);
    free(rt);
    return NULL;
}
