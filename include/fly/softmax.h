/* SPDX-License-Identifier: MIT */
/*
 * Softmax of each row of a matrix:
 *
 *     z = scale * x over the visible columns       y = exp(z - max(z)) / sum(exp(z - max(z)))
 *
 * Column j of row i is visible when j < length (the row's, where lengths is given) and, with causal = 1,
 * j <= i % causal_rows + cols - causal_rows: each group of causal_rows rows is a query block aligned to the
 * end of the keys. Hidden columns give exactly 0 and what they hold, NaN included, changes nothing; a row with no
 * visible column, or whose visible columns are all -inf, gives zeros. A visible NaN or +inf (of scale * x) makes all of
 * its row NaN, hidden columns too, and only its row.
 * Arithmetic is f32; |y - exact| <= 1/2 ulp(y) + 8 u y (1 + |z - max(z)|) + 2^-126, u = 2^-24: a result below
 * the normal numbers of f32 may be 0. scale * x beyond the largest float is infinite, and an element further below its row's
 * maximum than that float, before scaling, is 0 whatever the scale. Deterministic; no workspace.
 */
#ifndef FLY_SOFTMAX_H
#define FLY_SOFTMAX_H

#include <fly/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flySoftmaxArgs_t {
    size_t size;            /* sizeof(flySoftmaxArgs_t), set by FLY_ARGS_INIT */
    int64_t rows;           /* >= 0; 0 does nothing and succeeds, with arguments checked */
    int64_t cols;           /* >= 1, at most 2^31 - 2^16 (more is NOT_SUPPORTED) */
    const void *x;          /* [rows, cols] of dtype, rows ldx apart, aligned to its element */
    void *y;                /* [rows, cols] of dtype, rows ldy apart; may be x with ldy == ldx */
    const int32_t *lengths; /* [rows] visible columns of each row, clamped to 0..cols, 4-byte aligned; null:
                               all of them */
    int64_t ldx;            /* elements between row starts, >= cols; 0: cols */
    int64_t ldy;            /* likewise */
    int64_t causal_rows;    /* with causal: rows of a query block, 1..; 0: rows. Else 0 */
    float scale;            /* finite; 0 means 1 */
    uint32_t causal;        /* 0 or 1 */
    uint32_t dtype;         /* flyDtype_t of x and y: F32, F16 or BF16 */
    uint32_t reserved;      /* 0 */
} flySoftmaxArgs_t;

/* Launches on the handle's stream. INVALID_VALUE: x or y null, cols < 1, rows < 0, a leading dimension below
 * cols, a misaligned pointer, an unknown dtype, scale not finite, y = x with ldy != ldx. NOT_SUPPORTED: another dtype. */
FLY_API flyStatus_t flySoftmax(flyHandle_t handle, const flySoftmaxArgs_t *args);
FLY_API flyStatus_t flySoftmaxPlan(flyHandle_t handle, const flySoftmaxArgs_t *args, flyPlan_t *plan);

#ifdef __cplusplus
}
#endif
#endif
