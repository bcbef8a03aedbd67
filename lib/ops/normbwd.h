/* SPDX-License-Identifier: MIT */
/*
 * What the gradients of the norms share. A launch has `programs` workgroups, each with every programs-th row
 * (or group of rows), whose sums over rows go to the workspace; a second kernel adds them up. The layout of the
 * workspace is told in kernels-gen/normbwd.h.
 */
#ifndef FLY_OPS_NORMBWD_H
#define FLY_OPS_NORMBWD_H

#include "core/launch.h"
#include "core/op.h"

/* The fields of both ops, in this order; the last is LayerNorm's only. */
enum {
    FLY_NORMBWD_ROWS, FLY_NORMBWD_COLS, FLY_NORMBWD_LDX, FLY_NORMBWD_LDDY, FLY_NORMBWD_LDDX, FLY_NORMBWD_LDDR,
    FLY_NORMBWD_GAMMA, FLY_NORMBWD_DGAMMA, FLY_NORMBWD_ADD, FLY_NORMBWD_ATOMIC, FLY_NORMBWD_DBETA, FLY_NORMBWD_FIELDS
};
extern const struct fly_field fly_normbwd_fields[FLY_NORMBWD_FIELDS];

/* What either op is called with: mean and dbeta are null in RMSNorm's. */
struct fly_normbwd_args {
    int64_t rows, cols, ldx, lddy, lddx, lddr;
    const void *x, *gamma, *dy, *mean, *rstd, *dresidual;
    void *dx, *dgamma, *dbeta, *workspace;
    uint64_t workspace_bytes;
    uint32_t dtype, wdtype, atomic;
};

/* Copies an op's own argument struct to `a`, and checks what only that op has. */
typedef flyStatus_t fly_normbwd_read_fn(flyHandle_t h, const char *function, const void *args,
                                        struct fly_normbwd_args *a);

/* The public call of either op, and its Plan. */
flyStatus_t fly_normbwd_call(flyHandle_t h, const struct fly_op *op, fly_normbwd_read_fn *read, const void *args);
flyStatus_t fly_normbwd_plan(flyHandle_t h, const struct fly_op *op, const char *function, fly_normbwd_read_fn *read,
                             const void *args, flyPlan_t *plan);

/* What a problem and the pointers of its operands are called with, without workspace. */
struct fly_normbwd_args fly_normbwd_args_of(const struct fly_problem *p, void *const ptr[]);

/* How the launches of a problem divide the work. */
struct fly_normbwd_work {
    int32_t programs; /* workgroups of the first kernel; 0 without rows */
    int32_t before;   /* columns between the grid of vectors and the rows */
    int32_t lanes;    /* vectors a row of the workspace has room for, a multiple of 16 */
    int64_t half;     /* f32 of dgamma in a program's part of the workspace */
};

/* x: the pointer the rows' alignment is taken from. */
struct fly_normbwd_work fly_normbwd_work(const struct fly_kernel *k, const struct fly_problem *p,
                                         const struct fly_target *t, const void *x);

/* Members of struct fly_op. */
const char *fly_normbwd_check(const struct fly_problem *p);
uint32_t fly_normbwd_operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS]);
const char *fly_normbwd_fits(const struct fly_kernel *k, const struct fly_problem *p);
int fly_normbwd_limits(const struct fly_kernel *k, char *text, size_t bytes);
uint32_t fly_normbwd_heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                               const struct fly_target *t);
void fly_normbwd_grid(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t,
                      uint32_t grid[3], uint32_t *launches);
const struct fly_kernel *fly_normbwd_second(const struct fly_kernel *k, const struct fly_problem *p,
                                            const struct fly_target *t);
uint64_t fly_normbwd_workspace(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t);
void fly_normbwd_ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params);

#endif
