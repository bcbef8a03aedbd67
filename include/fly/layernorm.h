/* SPDX-License-Identifier: MIT */
/*
 * Layer normalisation of each row of a matrix (Ba, Kiros, Hinton 2016):
 *
 *     s    = x + residual                      rounded to dtype; x where residual is null
 *     mean = sum(s) / cols
 *     rstd = 1 / sqrt(sum((s - mean)^2) / cols + eps)
 *     y    = (s - mean) * rstd * gamma + beta
 *
 * Arithmetic is f32 whatever the element type; results round to nearest even. The variance is summed
 * from deviations, so a large mean does not spoil it. |y - exact| <= 1/2 ulp(y) + 8 u (|xhat gamma| +
 * |beta|) + 2^-126, u = 2^-24, where variance + eps is not below 2^-126 and sum((s - mean)^2) is within the range of f32:
 * where it overflows (4096 columns about 3e17 from their mean) rstd is 0 and y is beta. A row of equal values with eps = 0
 * has rstd = infinity, and NaN for y and yscale. NaN and infinities stay in their row. Deterministic; no workspace.
 *
 * Quantised output (ydtype is an 8-bit type): with t = y before rounding, times xscale where that is given,
 *
 *     yscale = max(|t|) / M, 1 where that is 0      M = 127 for I8, the largest finite code of an fp8
 *     y      = t / yscale, to nearest even, saturated (I8 to -127..127)
 *
 * yscale is the quotient rounded to f32. Codes are those of t times the reciprocal of yscale, which is within 2^-22 of
 * the quotient, so that a quotient as near as that to the middle of two codes may become either: flyQuantPerToken
 * (fly/quant.h) rounds quotients. A row of zeros has scale 1. Rows of infinities and NaN, and tiny ones, are as there.
 */
#ifndef FLY_LAYERNORM_H
#define FLY_LAYERNORM_H

#include <fly/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flyLayerNormArgs_t {
    size_t size;          /* sizeof(flyLayerNormArgs_t), set by FLY_ARGS_INIT */
    int64_t rows;         /* >= 0; 0 does nothing and succeeds, with arguments checked */
    int64_t cols;         /* >= 1, at most 2^31 - 2^16 (more is NOT_SUPPORTED) */
    const void *x;        /* [rows, cols] of dtype, rows ldx apart, aligned to its element */
    const void *gamma;    /* [cols] of dtype, aligned to its element; null: ones */
    const void *beta;     /* [cols] of dtype, aligned to its element; null: zeros */
    void *y;              /* [rows, cols] of dtype, rows ldy apart, aligned to its element; y == x (or
                             residual) of equal type with equal leading dimensions works in place, not
                             residual_out; any other overlap is undefined */
    float *mean;          /* [rows] f32, 4-byte aligned; null: not wanted */
    float *rstd;          /* [rows] f32, 4-byte aligned; null: not wanted */
    int64_t ldx;          /* elements between row starts of x, >= cols; 0: cols */
    int64_t ldy;          /* elements between row starts of y, >= cols; 0: cols */
    float eps;            /* >= 0, finite; added to the variance as it is, 0 adds nothing */
    uint32_t dtype;       /* flyDtype_t of x, gamma, beta, residual, residual_out and xscale: F32, F16 or BF16 */
    const void *residual; /* [rows, cols] of dtype, rows ldr apart; null: no add */
    void *residual_out;   /* [rows, cols] of dtype, rows ldro apart: s; required with residual, null without;
                             may be residual (or x) when the leading dimensions are equal */
    float *yscale;        /* [rows] f32, 4-byte aligned: required with an 8-bit ydtype, else null */
    const void *xscale;   /* [cols] of dtype: smooth quantisation; null: dynamic. Only with an 8-bit ydtype */
    int64_t ldr;          /* elements between row starts, >= cols; 0: cols */
    int64_t ldro;         /* likewise */
    uint32_t ydtype;      /* flyDtype_t of y: dtype (or 0), I8, or the E4M3 encoding the arch converts to
                             (E4M3FNUZ on gfx942, E4M3 on later ones) */
    uint32_t reserved;    /* 0 */
} flyLayerNormArgs_t;

/* Launches on the handle's stream. INVALID_VALUE: args or a required pointer (x, y) null, cols < 1,
 * rows < 0, a leading dimension below cols, a misaligned pointer, an unknown dtype, eps negative or not
 * finite, a result in the place of an input whose elements or rows are of another size, or of another result.
 * NOT_SUPPORTED: a dtype libfly knows but LayerNorm has not. NO_KERNELS, BAD_KERNEL_FILE, RUNTIME_ERROR,
 * NOT_READY as in types.h. On error nothing is launched or written. */
FLY_API flyStatus_t flyLayerNorm(flyHandle_t handle, const flyLayerNormArgs_t *args);

/* Validates, selects and loads, without launching; fills *plan. */
FLY_API flyStatus_t flyLayerNormPlan(flyHandle_t handle, const flyLayerNormArgs_t *args, flyPlan_t *plan);

#ifdef __cplusplus
}
#endif
#endif
