/* SPDX-License-Identifier: MIT */
/*
 * What the gradients of the norms share. A launch has `programs` workgroups, each with every programs-th row
 * (or group of rows), whose sums over rows go to the workspace; a second kernel adds them up. The layout of the
 * workspace is told in kernels-gen/normbwd.h.
 */
#ifndef FLY_OPS_NORMBWD_H
#define FLY_OPS_NORMBWD_H

#include "core/op.h"

/* The fields of both ops up to here, in this order; each op has its own after them. */
enum {
    FLY_NORMBWD_ROWS, FLY_NORMBWD_COLS, FLY_NORMBWD_LDX, FLY_NORMBWD_LDDY, FLY_NORMBWD_LDDX, FLY_NORMBWD_LDDR,
    FLY_NORMBWD_GAMMA, FLY_NORMBWD_DGAMMA, FLY_NORMBWD_ADD, FLY_NORMBWD_ATOMIC, FLY_NORMBWD_FIELDS
};

#define FLY_NORMBWD_INT(flags, same, fallback, low, high, doc)                                     \
    FLY_FIELD_INT, flags, same, fallback, low, high, NULL, doc
#define FLY_NORMBWD_LD(doc) FLY_NORMBWD_INT(0, FLY_NORMBWD_COLS, 0, 1, INT64_MAX, doc)
#define FLY_NORMBWD_FIELD_TABLE                                                                    \
    [FLY_NORMBWD_ROWS] = {"rows", FLY_NORMBWD_INT(FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, 0, INT64_MAX, \
                                                  "rows; 0 only zeroes the sums over rows")},      \
    [FLY_NORMBWD_COLS] = {"cols", FLY_NORMBWD_INT(FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, 1, INT64_MAX, \
                                                  "columns")},                                     \
    [FLY_NORMBWD_LDX] = {"ldx", FLY_NORMBWD_LD("elements between rows of x")},                     \
    [FLY_NORMBWD_LDDY] = {"lddy", FLY_NORMBWD_LD("elements between rows of dy")},                  \
    [FLY_NORMBWD_LDDX] = {"lddx", FLY_NORMBWD_LD("elements between rows of dx")},                  \
    [FLY_NORMBWD_LDDR] = {"lddr", FLY_NORMBWD_LD("elements between rows of dresidual")},           \
    [FLY_NORMBWD_GAMMA] = {"gamma", FLY_NORMBWD_INT(0, -1, 1, 0, 1, "0: all ones")},               \
    [FLY_NORMBWD_DGAMMA] = {"dgamma", FLY_NORMBWD_INT(0, -1, 1, 0, 1, "0: not wanted")},           \
    [FLY_NORMBWD_ADD] = {"add", FLY_NORMBWD_INT(FLY_FIELD_CHOICE, -1, 0, 0, 1, "1: add dresidual to dx")}, \
    [FLY_NORMBWD_ATOMIC] = {"atomic", FLY_NORMBWD_INT(0, -1, 0, 0, 1, "1: sums over rows by atomics, in no fixed order")}

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

/* Workgroups that add up `halves` sums over rows. */
static inline uint32_t fly_normbwd_adders(const struct fly_kernel *sum, const struct fly_normbwd_work *w, unsigned halves)
{
    return (uint32_t)(halves * (w->half / sum->rowwise.threads));
}

/* Members of struct fly_op; each op says which of its problems have sums over rows. */
const char *fly_normbwd_check(const struct fly_problem *p);
const char *fly_normbwd_fits(const struct fly_kernel *k, const struct fly_problem *p);
int fly_normbwd_limits(const struct fly_kernel *k, char *text, size_t bytes);
uint32_t fly_normbwd_heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                               const struct fly_target *t);
void fly_normbwd_grid(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t, bool sums,
                      uint32_t grid[3], uint32_t *launches);
uint64_t fly_normbwd_workspace(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t,
                               unsigned halves);
/* The kernel of k's arch and types, one of op->kernels, that adds up. */
const struct fly_kernel *fly_normbwd_second(const struct fly_op *op, const struct fly_kernel *k);

#endif
