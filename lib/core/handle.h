/* SPDX-License-Identifier: MIT */
/* The handle and what every operation does with it. */
#ifndef FLY_CORE_HANDLE_H
#define FLY_CORE_HANDLE_H

#include <stdbool.h>
#include <stdint.h>

#include <fly/handle.h>

#include "core/cache.h"
#include "core/module.h"
#include "core/recent.h"
#include "runtime/runtime.h"

enum { FLY_MAX_MESSAGE = 1024, FLY_MAX_KERNEL_NAME = 96 };

#define FLY_HANDLE_MAGIC 0x656c646e61796c66u /* "flyandle" */

struct flyHandle {
    uint64_t magic;
    struct fly_runtime *rt;
    struct fly_device *device;
    void *stream;
    bool overlap; /* flySetOverlap */
    char forced[FLY_MAX_KERNEL_NAME + 32]; /* FLY_KERNEL, "" when unset */
    char message[FLY_MAX_MESSAGE];         /* of the last failure, "" after a success */
    struct fly_cache cache;
    struct fly_recent recent;
};

/* flyCreateOnDevice on a runtime of the caller's choice (fly_runtime_null, a test's). device -1:
 * the current one. */
flyStatus_t fly_create_on(struct fly_runtime *rt, int device, flyHandle_t *handle);

/* Forces kernel `name` for its operation, as FLY_KERNEL does; null or "": none. Empties the cache.
 */
void fly_force(flyHandle_t h, const char *name);

/* Keeps the sentence (in the handle, or for the thread when h is null) and returns `status`. Form:
 * "function: field = value: rule". */
flyStatus_t fly_fail(flyHandle_t h, flyStatus_t status, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* INVALID_HANDLE with its sentence. */
flyStatus_t fly_bad_handle(flyHandle_t h, const char *function) __attribute__((cold));

void fly_thread_message_clear(void);

/* Start of every public call on a handle: false when h is none. Clears the last sentence. */
static inline bool fly_handle_begin(flyHandle_t h)
{
    if (__builtin_expect(!h || h->magic != FLY_HANDLE_MAGIC, 0))
        return false;
    h->message[0] = '\0';
    return true;
}

#endif
