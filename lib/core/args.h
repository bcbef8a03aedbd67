/* SPDX-License-Identifier: MIT */
/* The size rules of argument structs, in one place. */
#ifndef FLY_CORE_ARGS_H
#define FLY_CORE_ARGS_H

#include <string.h>

#include "core/handle.h"

/*
 * Copies the caller's struct into `out`, `known` bytes large, whose first member is size_t size.
 * Fields that the caller's version does not have become zero. `first` is the size of the struct's
 * first version. Fails with a sentence: null or a smaller size INVALID_VALUE, an unknown tail that
 * is not zero NOT_SUPPORTED.
 */
flyStatus_t fly_args_copy_other(flyHandle_t h, const char *function, const void *args, void *out,
                                size_t first, size_t known);

static inline flyStatus_t fly_args_copy(flyHandle_t h, const char *function, const void *args,
                                        void *out, size_t first, size_t known)
{
    size_t size;
    if (args && (memcpy(&size, args, sizeof size), size == known)) {
        memcpy(out, args, known);
        return FLY_STATUS_SUCCESS;
    }
    return fly_args_copy_other(h, function, args, out, first, known);
}

#endif
