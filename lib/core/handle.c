/* SPDX-License-Identifier: MIT */
/* Making, using and destroying handles. */
#include "core/handle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fly/version.h>

#include "core/arch.h"
#include "core/env.h"
#include "core/log.h"

static flyStatus_t create(const char *function, struct fly_runtime *rt, int device,
                          flyHandle_t *handle)
{
    int count = 0;
    int error = rt->device_count(rt, &count);
    if (!error && count > 0 && device < 0)
        error = rt->device_current(rt, &device);
    if (error)
        return fly_fail(NULL, rt->status(rt, error), "%s: the %s runtime (%s) says: %s (%d)",
                        function, rt->name, rt->path, rt->text(rt, error), error);
    if (count <= 0)
        return fly_fail(NULL, FLY_STATUS_NO_DEVICE, "%s: the %s runtime (%s) has no device",
                        function, rt->name, rt->path);
    if (device >= count)
        return fly_fail(NULL, FLY_STATUS_INVALID_VALUE,
                        "%s: device = %d: the %s runtime has %d, numbered from 0", function, device,
                        rt->name, count);
    struct flyHandle *h = calloc(1, sizeof *h);
    if (!h)
        return fly_fail(NULL, FLY_STATUS_OUT_OF_MEMORY, "%s: no memory for a handle (%zu bytes)",
                        function, sizeof *h);
    char why[FLY_MAX_MESSAGE - 100];
    flyStatus_t status = fly_device_open(rt, device, &h->device, why, sizeof why);
    if (status != FLY_STATUS_SUCCESS) {
        free(h);
        return fly_fail(NULL, status, "%s: %s", function, why);
    }
    h->rt = rt;
    fly_force(h, fly_env(FLY_ENV_KERNEL));
    h->magic = FLY_HANDLE_MAGIC;
    *handle = h;
    return FLY_STATUS_SUCCESS;
}

/* What every creation starts with. */
static flyStatus_t begin(const char *function, flyHandle_t *handle)
{
    fly_log_open();
    fly_thread_message_clear();
    if (!handle)
        return fly_fail(NULL, FLY_STATUS_INVALID_VALUE,
                        "%s: handle = NULL: must point to a flyHandle_t", function);
    *handle = NULL;
    return FLY_STATUS_SUCCESS;
}

static flyStatus_t find_and_create(const char *function, int device, flyHandle_t *handle)
{
    struct fly_runtime *rt;
    char why[FLY_MAX_MESSAGE - 100];
    flyStatus_t status = fly_runtime_find(fly_env(FLY_ENV_RUNTIME), &rt, why, sizeof why);
    if (status != FLY_STATUS_SUCCESS)
        return fly_fail(NULL, status, "%s: %s", function, why);
    return create(function, rt, device, handle);
}

flyStatus_t flyCreate(flyHandle_t *handle)
{
    flyStatus_t status = begin("flyCreate", handle);
    return status == FLY_STATUS_SUCCESS ? find_and_create("flyCreate", -1, handle) : status;
}

flyStatus_t flyCreateOnDevice(flyHandle_t *handle, int device)
{
    flyStatus_t status = begin("flyCreateOnDevice", handle);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (device < 0)
        return fly_fail(NULL, FLY_STATUS_INVALID_VALUE,
                        "flyCreateOnDevice: device = %d: must not be negative", device);
    return find_and_create("flyCreateOnDevice", device, handle);
}

flyStatus_t fly_create_on(struct fly_runtime *rt, int device, flyHandle_t *handle)
{
    flyStatus_t status = begin("flyCreate", handle);
    return status == FLY_STATUS_SUCCESS ? create("flyCreate", rt, device, handle) : status;
}

void fly_force(flyHandle_t h, const char *name)
{
    snprintf(h->forced, sizeof h->forced, "%s", name ? name : "");
    fly_cache_clear(&h->cache);
    fly_recent_clear(&h->recent);
}

flyStatus_t flyDestroy(flyHandle_t h)
{
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, "flyDestroy");
    struct fly_runtime *rt = h->rt;
    int error = fly_device_close(h->device);
    h->magic = 0;
    free(h);
    if (error)
        return fly_fail(NULL, rt->status(rt, error), "flyDestroy: the %s runtime says: %s (%d)",
                        rt->name, rt->text(rt, error), error);
    return FLY_STATUS_SUCCESS;
}

flyStatus_t flySetStream(flyHandle_t h, void *stream)
{
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, "flySetStream");
    h->stream = stream;
    return FLY_STATUS_SUCCESS;
}

flyStatus_t flySetOverlap(flyHandle_t h, int on)
{
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, "flySetOverlap");
    h->overlap = on != 0;
    return FLY_STATUS_SUCCESS;
}

flyStatus_t flyGetStream(flyHandle_t h, void **stream)
{
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, "flyGetStream");
    if (!stream)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE,
                        "flyGetStream: stream = NULL: must point to a pointer");
    *stream = h->stream;
    return FLY_STATUS_SUCCESS;
}

const char *flyArchName(flyHandle_t h)
{
    return fly_handle_begin(h) ? h->device->target.arch->name : NULL;
}

int flyVersion(void)
{
    return FLY_VERSION_MAJOR * 10000 + FLY_VERSION_MINOR * 100 + FLY_VERSION_PATCH;
}
