/* SPDX-License-Identifier: MIT */
/* A runtime that fails on demand: the null runtime, wrapped. */
#include "fault.h"

#include <string.h>

struct fault_state fault;

static struct fly_runtime base, table;

static int fails(enum fault_point point)
{
    return fault.point == point && fault.after-- <= 0 ? fault.code : 0;
}

static int device_count(struct fly_runtime *rt, int *count)
{
    (void)rt;
    *count = fault.devices;
    return fails(FAULT_DEVICE_COUNT);
}

static int device_current(struct fly_runtime *rt, int *device)
{
    (void)rt;
    *device = fault.current;
    return fails(FAULT_DEVICE_CURRENT);
}

static int device_info(struct fly_runtime *rt, int device, struct fly_device_info *info)
{
    int error = fails(FAULT_DEVICE_INFO);
    return error ? error : base.device_info(rt, device, info);
}

static int device_enter(struct fly_runtime *rt, int device, intptr_t *saved)
{
    (void)rt;
    int error = fails(FAULT_DEVICE_ENTER);
    if (error)
        return error;
    fault.entered++;
    *saved = fault.current;
    fault.current = device;
    return 0;
}

static int device_leave(struct fly_runtime *rt, int device, intptr_t saved)
{
    (void)rt, (void)device;
    fault.entered--;
    fault.current = (int)saved;
    return fails(FAULT_DEVICE_LEAVE);
}

static int device_release(struct fly_runtime *rt, int device)
{
    (void)rt, (void)device;
    return fails(FAULT_DEVICE_RELEASE);
}

static int stream_capturing(struct fly_runtime *rt, void *stream, bool *capturing)
{
    (void)rt, (void)stream;
    *capturing = fault.capturing;
    return fails(FAULT_STREAM_CAPTURING);
}

static int module_load(struct fly_runtime *rt, const void *image, size_t bytes, void **module,
                       char *log, size_t log_bytes)
{
    int error = fails(FAULT_MODULE_LOAD);
    if (error) {
        if (log_bytes)
            strncpy(log, "line 1: the loader's own words", log_bytes - 1);
        return error;
    }
    fault.modules++;
    fault.loads++;
    return base.module_load(rt, image, bytes, module, log, log_bytes);
}

static int module_unload(struct fly_runtime *rt, void *module)
{
    (void)rt, (void)module;
    fault.modules--;
    return fails(FAULT_MODULE_UNLOAD);
}

static int module_function(struct fly_runtime *rt, void *module, const char *name, void **function)
{
    int error = fails(FAULT_MODULE_FUNCTION);
    return error ? error : base.module_function(rt, module, name, function);
}

static int function_registers(struct fly_runtime *rt, void *function, uint32_t *registers)
{
    (void)rt, (void)function;
    *registers = 24;
    return fails(FAULT_FUNCTION_REGISTERS);
}

static int launch(struct fly_runtime *rt, void *function, const uint32_t grid[3],
                  const uint32_t block[3], uint32_t lds_bytes, void *stream, void *kernargs,
                  size_t kernarg_bytes, uint32_t cluster, bool overlap)
{
    int error = fails(FAULT_LAUNCH);
    if (error)
        return error;
    if (fault.launches < FAULT_LAUNCHES && kernarg_bytes <= sizeof fault.launch[0].kernargs) {
        struct fault_launch *l = &fault.launch[fault.launches];
        memcpy(l->grid, grid, sizeof l->grid);
        memcpy(l->kernargs, kernargs, kernarg_bytes);
    }
    fault.launches++;
    return base.launch(rt, function, grid, block, lds_bytes, stream, kernargs, kernarg_bytes, cluster,
                       overlap);
}

static const char *text(struct fly_runtime *rt, int code)
{
    (void)rt;
    return code == 2 ? "the fake device is out of memory" : "the fake device is on fire";
}

struct fly_runtime *fault_runtime(void)
{
    return fault_runtime_of("gfx942");
}

struct fly_runtime *fault_runtime_of(const char *arch)
{
    base = *fly_runtime_null(arch, 304);
    memset(&fault, 0, sizeof fault);
    fault.devices = 4;
    fault.current = 2;
    table = base;
    table.name = "fake";
    table.loads_in_capture = false;
    table.device_count = device_count;
    table.device_current = device_current;
    table.device_info = device_info;
    table.device_enter = device_enter;
    table.device_leave = device_leave;
    table.device_release = device_release;
    table.stream_capturing = stream_capturing;
    table.module_load = module_load;
    table.module_unload = module_unload;
    table.module_function = module_function;
    table.function_registers = function_registers;
    table.launch = launch;
    table.text = text;
    return &table;
}
