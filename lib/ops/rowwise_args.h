/* SPDX-License-Identifier: MIT */
/*
 * Validation that row-wise operations share. A call is a shape, its types and a table of tensors; what the
 * table cannot say (which of them go together) the op checks itself.
 */
#ifndef FLY_OPS_ROWWISE_ARGS_H
#define FLY_OPS_ROWWISE_ARGS_H

#include <stdbool.h>

#include "core/handle.h"
#include "core/launch.h"

/* FLY_WRITTEN goes with one of the others: where a matrix that is written lies on another one, rows must lie on rows. */
enum fly_tensor_need { FLY_OPTIONAL, FLY_REQUIRED, FLY_FORBIDDEN, FLY_WRITTEN = 4 };

struct fly_rowwise_tensor {
    const char *name;
    const void *p;
    int64_t *ld;        /* a matrix: its leading dimension, cols where it is 0; null: a vector */
    const char *ld_name;
    uint8_t dtype;      /* flyDtype_t */
    uint8_t need;       /* enum fly_tensor_need, FLY_WRITTEN */
    const char *why;    /* why it is required or forbidden here, "must point to device memory" by default */
};

/* Checks rows, cols, every pointer, alignment and leading dimension, that matrices stay below 2^63 bytes, and that
 * one which is written lies on another one only where both have elements and rows of the same size; fills leading dimensions in. INVALID_VALUE with a sentence on failure. */
flyStatus_t fly_rowwise_validate(flyHandle_t h, const char *function, int64_t rows, int64_t cols,
                                 const struct fly_rowwise_tensor *t, uint32_t n);

/* dtype is F32, F16 or BF16; else INVALID_VALUE (no dtype) or NOT_SUPPORTED. */
flyStatus_t fly_rowwise_float_type(flyHandle_t h, const char *function, const char *field, uint32_t dtype);

/* The output type of a norm: `dtype` for 0 and itself, I8 and both E4M3 are accepted. */
flyStatus_t fly_rowwise_output_type(flyHandle_t h, const char *function, uint32_t dtype, uint32_t *ydtype);

/* A float field that must be finite, and not negative where `least` is 0. */
flyStatus_t fly_rowwise_finite(flyHandle_t h, const char *function, const char *field, float v, bool negative);

bool fly_is_quantised(unsigned dtype);

/* Whether [rows, cols] with rows `ld` apart can be addressed: its bytes fit int64_t. */
bool fly_rowwise_addressable(int64_t rows, int64_t ld, int64_t cols, int64_t bytes);

/* Checks an op's argument struct, copies it to `copy`, its own type, with defaults filled in, and makes the problem. */
typedef flyStatus_t fly_validate_fn(flyHandle_t h, const char *function, const void *args, void *copy,
                                    struct fly_problem *p);

/* The public call of an op whose first field counts rows, of which none is no work, and that takes no workspace;
 * and its Plan. copy: where validate may put its copy, of `bytes`, which launch then gets. */
flyStatus_t fly_rowwise_call(flyHandle_t h, const struct fly_op *op, fly_validate_fn *validate, fly_launch_fn *launch,
                             const void *args, void *copy, size_t bytes);
flyStatus_t fly_rowwise_plan(flyHandle_t h, const struct fly_op *op, const char *function, fly_validate_fn *validate,
                             const void *args, void *copy, flyPlan_t *plan);

/* Address of element `i` of an operand that may be absent. */
static inline uint64_t fly_at(const void *p, int64_t i, unsigned bytes)
{
    return p ? (uint64_t)(uintptr_t)p + (uint64_t)i * bytes : 0;
}

#endif
