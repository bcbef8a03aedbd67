/* SPDX-License-Identifier: MIT */
/*
 * Root-mean-square normalisation of each row of a matrix (Zhang, Sennrich 2019):
 *
 *     s    = x + residual                      rounded to dtype; x where residual is null
 *     rstd = 1 / sqrt(sum(s^2) / cols + eps)
 *     y    = s * rstd * gamma
 *
 * Arithmetic is f32 whatever the element type; results round to nearest even.
 * |y - exact| <= 1/2 ulp(y) + 8 u |xhat gamma| + 2^-126, u = 2^-24, where mean(s^2) + eps is not below 2^-126 and
 * sum(s^2) is within the range of f32: where it overflows (4096 columns of about 3e17) rstd and y are 0. A row of zeros
 * with eps = 0 has rstd = infinity, and NaN for y and yscale. NaN and infinities stay in their row. Deterministic; no
 * workspace.
 *
 * Quantised output (ydtype is an 8-bit type): with t = y before rounding, times xscale where that is given,
 *
 *     yscale = max(|t|) / M, 1 where that is 0      M = 127 for I8, the largest finite code of an fp8
 *     y      = t / yscale, to nearest even, saturated (I8 to -127..127)
 *
 * yscale is the quotient rounded to f32. With F32 input codes are those of the rounded quotient t / yscale, bit for bit
 * what flyQuantPerToken (fly/quant.h) makes of t; with F16 and BF16 of t times the reciprocal of yscale, which is within
 * 2^-22 of the quotient, so that a quotient as near as that to the middle of two codes may become either. A row of zeros
 * has scale 1. Rows of infinities and NaN, and tiny ones, are as in fly/quant.h.
 */
#ifndef FLY_RMSNORM_H
#define FLY_RMSNORM_H

#include <fly/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flyRmsNormArgs_t {
    size_t size;              /* sizeof(flyRmsNormArgs_t), set by FLY_ARGS_INIT */
    int64_t rows;             /* >= 0; 0 does nothing and succeeds, with arguments checked */
    int64_t cols;             /* >= 1, at most 2^31 - 2^16 (more is NOT_SUPPORTED) */
    const void *x;            /* [rows, cols] of dtype, rows ldx apart, aligned to its element */
    const void *gamma;        /* [cols] of wdtype, aligned to its element; null: ones */
    void *y;                  /* [rows, cols] of ydtype, rows ldy apart, aligned to its element; may be x (or
                                 residual) when the types and leading dimensions are equal, not residual_out */
    float *rstd;              /* [rows] f32, 4-byte aligned; null: not wanted */
    const void *residual;     /* [rows, cols] of dtype, rows ldr apart; null: no add */
    void *residual_out;       /* [rows, cols] of dtype, rows ldro apart: s; required with residual, null
                                 without; may be residual (or x) when the leading dimensions are equal */
    float *yscale;            /* [rows] f32, 4-byte aligned: required with an 8-bit ydtype, else null */
    const void *xscale;       /* [cols] of dtype: smooth quantisation; null: dynamic. Only with an 8-bit ydtype */
    int64_t ldx;              /* elements between row starts, >= cols; 0: cols. So are the next three */
    int64_t ldy;
    int64_t ldr;
    int64_t ldro;
    float eps;                /* >= 0, finite */
    uint32_t dtype;           /* flyDtype_t of x, residual, residual_out, xscale: F32, F16 or BF16 */
    uint32_t wdtype;          /* flyDtype_t of gamma: dtype (or 0), or F32 with F16 and BF16; a quantised output
                                 takes dtype only */
    uint32_t ydtype;          /* flyDtype_t of y: dtype (or 0), I8, or the E4M3 encoding the arch converts to
                                 (E4M3FNUZ on gfx942, E4M3 on later ones) */
} flyRmsNormArgs_t;

/* Launches on the handle's stream. INVALID_VALUE: a required pointer null or a forbidden one given, cols < 1,
 * rows < 0, a leading dimension below cols, a misaligned pointer, an unknown dtype, eps negative or not
 * finite, a result in the place of an input whose elements or rows are of another size, or of another result.
 * NOT_SUPPORTED: a type combination not listed, or an 8-bit float the arch lacks. */
FLY_API flyStatus_t flyRmsNorm(flyHandle_t handle, const flyRmsNormArgs_t *args);
FLY_API flyStatus_t flyRmsNormPlan(flyHandle_t handle, const flyRmsNormArgs_t *args, flyPlan_t *plan);

#ifdef __cplusplus
}
#endif
#endif
