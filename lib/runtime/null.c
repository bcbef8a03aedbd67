/* SPDX-License-Identifier: MIT */
/*
 * A runtime that does nothing: kernels load without files and launches return at once. What is left
 * is the library's own cost, which the dispatch benchmark measures, and its logic, which the unit
 * tests run on any machine. Device memory is host memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime.h"

enum { OUT_OF_MEMORY = 2, NULL_CUS = 304 };

static struct fly_device_info device = {
    .name = "no device", .arch = "gfx942", .cus = NULL_CUS, .lds_bytes = 65536};

static int device_count(struct fly_runtime *rt, int *count)
{
    (void)rt;
    *count = 1;
    return 0;
}

static int device_current(struct fly_runtime *rt, int *current)
{
    (void)rt;
    *current = 0;
    return 0;
}

static int device_info(struct fly_runtime *rt, int number, struct fly_device_info *info)
{
    (void)rt, (void)number;
    *info = device;
    return 0;
}

static int device_enter(struct fly_runtime *rt, int number, intptr_t *saved)
{
    (void)rt, (void)number;
    *saved = 0;
    return 0;
}

static int device_leave(struct fly_runtime *rt, int number, intptr_t saved)
{
    (void)rt, (void)number, (void)saved;
    return 0;
}

static int device_sync(struct fly_runtime *rt)
{
    (void)rt;
    return 0;
}

static int device_release(struct fly_runtime *rt, int number)
{
    (void)rt, (void)number;
    return 0;
}

static int module_load(struct fly_runtime *rt, const void *image, size_t bytes, void **module,
                       char *log, size_t log_bytes)
{
    (void)rt, (void)image, (void)bytes;
    if (log_bytes)
        *log = '\0';
    *module = &device;
    return 0;
}

static int handle_done(struct fly_runtime *rt, void *handle)
{
    (void)rt, (void)handle;
    return 0;
}

static int module_function(struct fly_runtime *rt, void *module, const char *name, void **function)
{
    (void)rt, (void)name;
    *function = module;
    return 0;
}

static int function_registers(struct fly_runtime *rt, void *function, uint32_t *registers)
{
    (void)rt, (void)function;
    *registers = 0;
    return 0;
}

static int launch(struct fly_runtime *rt, void *function, const uint32_t grid[3],
                  const uint32_t block[3], uint32_t lds_bytes, void *stream, void *kernargs,
                  size_t kernarg_bytes, uint32_t cluster, bool overlap)
{
    (void)cluster, (void)overlap;
    (void)rt, (void)function, (void)grid, (void)block, (void)lds_bytes, (void)stream,
        (void)kernargs;
    (void)kernarg_bytes;
    return 0;
}

static int memory_alloc(struct fly_runtime *rt, size_t bytes, void **p)
{
    (void)rt;
    return posix_memalign(p, 256, bytes ? bytes : 1) ? OUT_OF_MEMORY : 0;
}

static int memory_free(struct fly_runtime *rt, void *p)
{
    (void)rt;
    free(p);
    return 0;
}

static int memory_copy(struct fly_runtime *rt, void *dst, const void *src, size_t bytes)
{
    (void)rt;
    memcpy(dst, src, bytes);
    return 0;
}

static int memory_fill(struct fly_runtime *rt, void *dst, uint8_t value, size_t bytes)
{
    (void)rt;
    memset(dst, value, bytes);
    return 0;
}

static int handle_create(struct fly_runtime *rt, void **handle)
{
    (void)rt;
    *handle = &device;
    return 0;
}

static int stream_capturing(struct fly_runtime *rt, void *stream, bool *capturing)
{
    (void)rt, (void)stream;
    *capturing = false;
    return 0;
}

static int two_handles(struct fly_runtime *rt, void *a, void *b)
{
    (void)rt, (void)a, (void)b;
    return 0;
}

static int event_elapsed(struct fly_runtime *rt, void *start, void *stop, float *milliseconds)
{
    (void)rt, (void)start, (void)stop;
    *milliseconds = 0;
    return 0;
}

static int capture_end(struct fly_runtime *rt, void *stream, void **graph)
{
    (void)stream;
    return handle_create(rt, graph);
}

static const char *text(struct fly_runtime *rt, int code)
{
    (void)rt;
    return code == OUT_OF_MEMORY ? "out of memory" : "no error";
}

static flyStatus_t status(struct fly_runtime *rt, int code)
{
    (void)rt;
    return code == OUT_OF_MEMORY ? FLY_STATUS_OUT_OF_MEMORY
                                 : code ? FLY_STATUS_RUNTIME_ERROR : FLY_STATUS_SUCCESS;
}

static void *symbol(struct fly_runtime *rt, const char *name)
{
    (void)rt, (void)name;
    return NULL;
}

static struct fly_runtime table = {
    .name = "null",
    .image = FLY_IMAGE_NONE,
    .loads_in_capture = true,
    .device_count = device_count,
    .device_current = device_current,
    .device_info = device_info,
    .device_enter = device_enter,
    .device_leave = device_leave,
    .device_sync = device_sync,
    .device_release = device_release,
    .module_load = module_load,
    .module_unload = handle_done,
    .module_function = module_function,
    .function_registers = function_registers,
    .launch = launch,
    .memory_alloc = memory_alloc,
    .memory_free = memory_free,
    .memory_to_device = memory_copy,
    .memory_to_host = memory_copy,
    .memory_copy = memory_copy,
    .memory_fill = memory_fill,
    .stream_create = handle_create,
    .stream_destroy = handle_done,
    .stream_sync = handle_done,
    .stream_capturing = stream_capturing,
    .event_create = handle_create,
    .event_destroy = handle_done,
    .event_record = two_handles,
    .event_sync = handle_done,
    .event_elapsed = event_elapsed,
    .capture_begin = handle_done,
    .capture_end = capture_end,
    .graph_launch = two_handles,
    .graph_destroy = handle_done,
    .text = text,
    .status = status,
    .symbol = symbol,
};

struct fly_runtime *fly_runtime_null(const char *arch, uint32_t cus)
{
    snprintf(device.arch, sizeof device.arch, "%s", arch);
    device.cus = cus;
    return &table;
}
