/* SPDX-License-Identifier: MIT */
/* What the row-wise operations share: how a tile covers rows, which tile suits a shape. */
#ifndef FLY_OPS_ROWWISE_H
#define FLY_OPS_ROWWISE_H

#include "core/op.h"

/* Work-items one launch may have: runtimes count them in 32 bits. */
#define FLY_MAX_WORKITEMS UINT64_C(0xffffffff)

/* Longest row: kernels count columns in 32 bits, and loops over a row step past its end once. */
#define FLY_ROWWISE_MAX_COLS ((INT64_C(1) << 31) - (1 << 16))

/* Null when the tile of k takes rows of `cols` columns, else why not. */
const char *fly_rowwise_fits(const struct fly_kernel *k, int64_t cols);

/* Most columns of a row for k; 0: no limit. */
int64_t fly_rowwise_max_cols(const struct fly_kernel *k);

/* struct fly_op's limits. */
int fly_rowwise_limits(const struct fly_kernel *k, char *text, size_t bytes);

/* What an op's kernels do beside moving a row: little, powers of all that a tile has room for, ask for parameters, hold two
 * rows or make codes of a row as it is, make codes of results. */
enum fly_rowwise_work { FLY_ROWWISE_LIGHT, FLY_ROWWISE_POWERS, FLY_ROWWISE_ASKS, FLY_ROWWISE_WIDE, FLY_ROWWISE_BUSY };

/* The best tile of k[0..n-1] for p, or n. twice: a row may be read twice where it stays in L1, as it is not the sum of
 * two. */
uint32_t fly_rowwise_heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                               enum fly_rowwise_work work, bool twice, const struct fly_target *t);

/* Columns of a line before the first one of a row, at most, if rows lie ld apart, the first at a line. */
int64_t fly_rowwise_most_before(int64_t ld, int64_t line);

/* Rows one launch of k may cover. */
int64_t fly_rowwise_rows_per_launch(const struct fly_kernel *k);

/* Workgroups of the call's kernel for `rows` rows, which must fit one launch. */
static inline uint32_t fly_rowwise_workgroups(const struct fly_kernel *k, int64_t rows, uint32_t clusters)
{
    if (k->resident) /* they go on from row to row */
        return (uint32_t)(rows < clusters ? rows : clusters) * k->cluster;
    return (uint32_t)((rows + k->rowwise.rows - 1) / k->rowwise.rows);
}

/* The address of elements of `out` bytes, scaled so that multiples of 16 are where what comes of 16 bytes of input may lie. */
static inline uint64_t fly_rowwise_place(uint64_t address, unsigned in, unsigned out)
{
    return out == 1 ? address * in : address;
}

/* The kernel argument `aligned`: whether vectors of all operands lie at multiples of their size. places: addresses, or-ed;
 * elements: columns and, of several rows, leading dimensions, or-ed. */
static inline int32_t fly_rowwise_aligned(uint64_t places, int64_t elements, unsigned in)
{
    return (places | (uint64_t)elements * in) % 16 == 0;
}

/* Fields that row-wise ops share, behind the name. */
#define FLY_ROWWISE_FIELD_ROWS                                                                     \
    FLY_FIELD_INT, FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, 0, INT64_MAX, NULL, "rows; 0 does nothing"
#define FLY_ROWWISE_FIELD_COLS                                                                     \
    FLY_FIELD_INT, FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, 1, FLY_ROWWISE_MAX_COLS, NULL, "columns"
#define FLY_ROWWISE_FIELD_LD(of)                                                                   \
    FLY_FIELD_INT, 0, FLY_ROWWISE_COLS, 0, 1, INT64_MAX, NULL, "elements between rows of " of

/* The members of struct fly_op that need no more than the shape. A row-wise op's fields start with
 * rows, cols and the leading dimension of its first matrix. */
enum { FLY_ROWWISE_ROWS, FLY_ROWWISE_COLS, FLY_ROWWISE_LD };
const char *fly_rowwise_op_fits(const struct fly_kernel *k, const struct fly_problem *p);
uint32_t fly_rowwise_op_heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                                  const struct fly_target *t);
void fly_rowwise_op_grid(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t,
                         uint32_t grid[3], uint32_t *launches);
uint64_t fly_no_workspace(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t);

#endif
