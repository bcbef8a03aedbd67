/* SPDX-License-Identifier: MIT */
/* Gradient of flySoftmax (fly/softmax.h). */
#ifndef FLY_SOFTMAXBWD_H
#define FLY_SOFTMAXBWD_H

#include <fly/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient: dx = scale * y * (dy - sum(dy * y)), the sum in f32. Hidden columns have y = 0 and so
 * dx = 0 in a finite row. |dx - exact| <= 1/2 ulp(dx) + 8 u |scale| y (|dy| + sum |dy y|) + 2^-126, u = 2^-24. NaN and
 * infinities stay in their row. Deterministic; no workspace. */
typedef struct flySoftmaxBackwardArgs_t {
    size_t size;       /* sizeof(flySoftmaxBackwardArgs_t), set by FLY_ARGS_INIT */
    int64_t rows;      /* >= 0; 0 does nothing and succeeds, with arguments checked */
    int64_t cols;      /* >= 1, at most 2^31 - 2^16 (more is NOT_SUPPORTED) */
    const void *dy;    /* [rows, cols] of dtype, rows lddy apart, aligned to its element, as are y and dx */
    const void *y;     /* [rows, cols] of dtype, rows ldy apart: what the forward wrote */
    void *dx;          /* [rows, cols] of dtype, rows lddx apart; may be dy or y with equal leading dimensions */
    int64_t lddy;      /* elements between row starts, >= cols; 0: cols */
    int64_t ldy;       /* likewise */
    int64_t lddx;      /* likewise */
    float scale;       /* as in the forward; 0 means 1 */
    uint32_t dtype;    /* flyDtype_t of all three: F32, F16 or BF16 */
} flySoftmaxBackwardArgs_t;

/* INVALID_VALUE: dy, y or dx null, cols < 1, rows < 0, a leading dimension below cols, a misaligned pointer, an unknown
 * dtype, scale not finite, dx = dy or y with other leading dimensions. NOT_SUPPORTED: another dtype. */
FLY_API flyStatus_t flySoftmaxBackward(flyHandle_t handle, const flySoftmaxBackwardArgs_t *args);
FLY_API flyStatus_t flySoftmaxBackwardPlan(flyHandle_t handle, const flySoftmaxBackwardArgs_t *args,
                                           flyPlan_t *plan);

#ifdef __cplusplus
}
#endif
#endif
