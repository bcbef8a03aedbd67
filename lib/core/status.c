/* SPDX-License-Identifier: MIT */
/* Statuses, the sentences that go with them, and the rules for argument structs. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/args.h"
#include "core/handle.h"
#include "core/log.h"

/* What flyErrorMessage(NULL) tells: failures that have no handle to keep them. */
static __thread char thread_message[FLY_MAX_MESSAGE];

static bool is_handle(flyHandle_t h)
{
    return h && h->magic == FLY_HANDLE_MAGIC;
}

flyStatus_t fly_fail(flyHandle_t h, flyStatus_t status, const char *format, ...)
{
    char *message = is_handle(h) ? h->message : thread_message;
    char text[FLY_MAX_MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(message, text, sizeof text);
    fly_log(FLY_LOG_ERROR, "%s: %s", flyStatusName(status), message);
    return status;
}

flyStatus_t fly_bad_handle(flyHandle_t h, const char *function)
{
    if (!h)
        return fly_fail(NULL, FLY_STATUS_INVALID_HANDLE,
                        "%s: handle = NULL: must come from flyCreate", function);
    return fly_fail(NULL, FLY_STATUS_INVALID_HANDLE,
                    "%s: handle = %p: is no handle, or was destroyed", function, (void *)h);
}

void fly_thread_message_clear(void)
{
    thread_message[0] = '\0';
}

const char *flyErrorMessage(flyHandle_t h)
{
    return is_handle(h) ? h->message : thread_message;
}

const char *flyStatusName(flyStatus_t status)
{
    static const char *const names[] = {
        [FLY_STATUS_SUCCESS] = "FLY_STATUS_SUCCESS",
        [FLY_STATUS_INVALID_VALUE] = "FLY_STATUS_INVALID_VALUE",
        [FLY_STATUS_INVALID_HANDLE] = "FLY_STATUS_INVALID_HANDLE",
        [FLY_STATUS_NOT_SUPPORTED] = "FLY_STATUS_NOT_SUPPORTED",
        [FLY_STATUS_NO_RUNTIME] = "FLY_STATUS_NO_RUNTIME",
        [FLY_STATUS_NO_DEVICE] = "FLY_STATUS_NO_DEVICE",
        [FLY_STATUS_NO_KERNELS] = "FLY_STATUS_NO_KERNELS",
        [FLY_STATUS_BAD_KERNEL_FILE] = "FLY_STATUS_BAD_KERNEL_FILE",
        [FLY_STATUS_WORKSPACE_TOO_SMALL] = "FLY_STATUS_WORKSPACE_TOO_SMALL",
        [FLY_STATUS_OUT_OF_MEMORY] = "FLY_STATUS_OUT_OF_MEMORY",
        [FLY_STATUS_RUNTIME_ERROR] = "FLY_STATUS_RUNTIME_ERROR",
        [FLY_STATUS_NOT_READY] = "FLY_STATUS_NOT_READY",
        [FLY_STATUS_INTERNAL] = "FLY_STATUS_INTERNAL",
    };
    unsigned i = (unsigned)status;
    return i < sizeof names / sizeof *names ? names[i] : "unknown status";
}

/* No version of a struct comes near: such a size was never set. */
enum { LARGEST_ARGS = 4096 };

flyStatus_t fly_args_copy_other(flyHandle_t h, const char *function, const void *args, void *out,
                                size_t first, size_t known)
{
    if (!args)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE,
                        "%s: args = NULL: must point to an argument struct", function);
    size_t size;
    memcpy(&size, args, sizeof size);
    if (size < first)
        return fly_fail(
            h, FLY_STATUS_INVALID_VALUE,
            "%s: size = %zu: the first version of the struct has %zu bytes; use FLY_ARGS_INIT",
            function, size, first);
    if (size > LARGEST_ARGS)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: size = %zu: no struct is larger than %d bytes; use FLY_ARGS_INIT",
                        function, size, LARGEST_ARGS);
    if (size <= known) {
        memset(out, 0, known);
        memcpy(out, args, size);
        memcpy(out, &known, sizeof known);
        return FLY_STATUS_SUCCESS;
    }
    const unsigned char *bytes = args;
    for (size_t i = known; i < size; i++)
        if (bytes[i])
            return fly_fail(h, FLY_STATUS_NOT_SUPPORTED,
                            "%s: size = %zu: this library knows %zu bytes, and byte %zu beyond "
                            "them is not zero: "
                            "the program uses a field of a later version",
                            function, size, known, i);
    memcpy(out, args, known);
    memcpy(out, &known, sizeof known);
    return FLY_STATUS_SUCCESS;
}
