/* SPDX-License-Identifier: MIT */
/* Validation that row-wise operations share. */
#include "ops/rowwise_args.h"

#include <float.h>
#include <inttypes.h>

#include "core/dtype.h"
#include "ops/rowwise.h"

#define REFUSE(status, ...) return fly_fail(h, status, "%s: " __VA_ARGS__)

bool fly_rowwise_addressable(int64_t rows, int64_t ld, int64_t cols, int64_t bytes)
{
    int64_t n;
    return rows == 0 || (!__builtin_mul_overflow(rows - 1, ld, &n) && !__builtin_add_overflow(n, cols, &n) &&
                         !__builtin_mul_overflow(n, bytes, &n));
}

/* `w` is written where `o` lies: its rows and elements must lie on those of o, and o must not be written, too. */
static flyStatus_t check_shared(flyHandle_t h, const char *function, int64_t rows, const struct fly_rowwise_tensor *w,
                                const struct fly_rowwise_tensor *o)
{
    if (o->need & FLY_WRITTEN)
        REFUSE(FLY_STATUS_INVALID_VALUE, "%s = %p: is %s, too: two results cannot share memory", function, w->name, w->p,
               o->name);
    if (fly_dtype_bits(w->dtype) != fly_dtype_bits(o->dtype))
        REFUSE(FLY_STATUS_INVALID_VALUE, "%s = %p: is %s, too, whose %s elements are larger than %s: in place takes equal types",
               function, w->name, w->p, o->name, fly_dtype_token(o->dtype), fly_dtype_token(w->dtype));
    if (rows > 1 && *w->ld != *o->ld)
        REFUSE(FLY_STATUS_INVALID_VALUE, "%s = %" PRId64 ": must be %s = %" PRId64 ", as %s is %s", function, w->ld_name, *w->ld,
               o->ld_name, *o->ld, w->name, o->name);
    return FLY_STATUS_SUCCESS;
}

flyStatus_t fly_rowwise_validate(flyHandle_t h, const char *function, int64_t rows, int64_t cols,
                                 const struct fly_rowwise_tensor *t, uint32_t n)
{
    if (rows < 0)
        REFUSE(FLY_STATUS_INVALID_VALUE, "rows = %" PRId64 ": must not be negative", function, rows);
    if (cols < 1)
        REFUSE(FLY_STATUS_INVALID_VALUE, "cols = %" PRId64 ": must be at least 1", function, cols);
    for (uint32_t i = 0; i < n; i++) {
        unsigned bytes = fly_dtype_bits(t[i].dtype) / 8;
        if (!t[i].p && (t[i].need & ~FLY_WRITTEN) == FLY_REQUIRED)
            REFUSE(FLY_STATUS_INVALID_VALUE, "%s = NULL: %s", function, t[i].name,
                   t[i].why ? t[i].why : "must point to device memory");
        if (t[i].p && (t[i].need & ~FLY_WRITTEN) == FLY_FORBIDDEN)
            REFUSE(FLY_STATUS_INVALID_VALUE, "%s = %p: %s", function, t[i].name, t[i].p, t[i].why);
        if ((uintptr_t)t[i].p & (bytes - 1))
            REFUSE(FLY_STATUS_INVALID_VALUE, "%s = %p: must be aligned to %u bytes", function, t[i].name, t[i].p, bytes);
        if (!t[i].ld)
            continue;
        if (*t[i].ld == 0)
            *t[i].ld = cols;
        if (*t[i].ld < cols)
            REFUSE(FLY_STATUS_INVALID_VALUE, "%s = %" PRId64 ": must be at least cols = %" PRId64, function,
                   t[i].ld_name, *t[i].ld, cols);
        if (!fly_rowwise_addressable(rows, *t[i].ld, cols, bytes))
            REFUSE(FLY_STATUS_INVALID_VALUE,
                   "rows = %" PRId64 ": with rows of %s %" PRId64 " elements apart the matrix passes 2^63 bytes", function,
                   rows, t[i].name, *t[i].ld);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; t[i].ld && t[i].p && t[i].need & FLY_WRITTEN && k < n; k++) {
            if (k == i || !t[k].ld || t[k].p != t[i].p)
                continue;
            flyStatus_t status = check_shared(h, function, rows, &t[i], &t[k]);
            if (status != FLY_STATUS_SUCCESS)
                return status;
        }
    return FLY_STATUS_SUCCESS;
}

flyStatus_t fly_rowwise_float_type(flyHandle_t h, const char *function, const char *field, uint32_t dtype)
{
    if (dtype == FLY_DTYPE_NONE || dtype >= FLY_DTYPE_COUNT)
        REFUSE(FLY_STATUS_INVALID_VALUE, "%s = %" PRIu32 ": is no flyDtype_t", function, field, dtype);
    if (dtype > FLY_DTYPE_BF16)
        REFUSE(FLY_STATUS_NOT_SUPPORTED, "%s = %s: must be f32, f16 or bf16", function, field, fly_dtype_token(dtype));
    return FLY_STATUS_SUCCESS;
}

bool fly_is_quantised(unsigned dtype)
{
    return dtype == FLY_DTYPE_I8 || dtype == FLY_DTYPE_E4M3 || dtype == FLY_DTYPE_E4M3FNUZ;
}

flyStatus_t fly_rowwise_output_type(flyHandle_t h, const char *function, uint32_t dtype, uint32_t *ydtype)
{
    if (*ydtype == FLY_DTYPE_NONE)
        *ydtype = dtype;
    if (*ydtype >= FLY_DTYPE_COUNT)
        REFUSE(FLY_STATUS_INVALID_VALUE, "ydtype = %" PRIu32 ": is no flyDtype_t", function, *ydtype);
    if (*ydtype != dtype && !fly_is_quantised(*ydtype))
        REFUSE(FLY_STATUS_NOT_SUPPORTED, "ydtype = %s: must be dtype = %s, i8, e4m3 or e4m3z", function,
               fly_dtype_token(*ydtype), fly_dtype_token(dtype));
    return FLY_STATUS_SUCCESS;
}

flyStatus_t fly_rowwise_finite(flyHandle_t h, const char *function, const char *field, float v, bool negative)
{
    if (!(v >= (negative ? -FLT_MAX : 0) && v <= FLT_MAX))
        REFUSE(FLY_STATUS_INVALID_VALUE, "%s = %g: must be finite%s", function, field, (double)v,
               negative ? "" : " and not negative");
    return FLY_STATUS_SUCCESS;
}

flyStatus_t fly_rowwise_call(flyHandle_t h, const struct fly_op *op, fly_validate_fn *validate, fly_launch_fn *launch,
                             const void *args, void *copy, size_t bytes)
{
    struct fly_problem p;
    struct fly_entry *e;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, op->function);
    const uint64_t tag = fly_recent_tag(op, args);
    const struct fly_recent_call *known = tag ? fly_recent_find(&h->recent, op, args, tag) : NULL;
    if (known)
        return fly_dispatch_entry(h, op, known->entry, launch, known->checked, 0);
    flyStatus_t status = validate(h, op->function, args, copy, &p);
    if (status != FLY_STATUS_SUCCESS || p.v[FLY_ROWWISE_ROWS] == 0)
        return status;
    status = fly_entry_of(h, op, &p, &e);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_dispatch_entry(h, op, e, launch, copy, 0);
    if (status == FLY_STATUS_SUCCESS && tag)
        fly_recent_add(&h->recent, op, args, tag, copy, bytes, e);
    return status;
}

flyStatus_t fly_rowwise_plan(flyHandle_t h, const struct fly_op *op, const char *function, fly_validate_fn *validate,
                             const void *args, void *copy, flyPlan_t *plan)
{
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, function);
    flyStatus_t status = validate(h, function, args, copy, &p);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    return fly_plan(h, op, p.v[FLY_ROWWISE_ROWS] ? &p : NULL, plan);
}
