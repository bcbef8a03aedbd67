/* SPDX-License-Identifier: MIT */
/* Gradient of flyRmsNorm (fly/rmsnorm.h). */
#ifndef FLY_RMSNORMBWD_H
#define FLY_RMSNORMBWD_H

#include <fly/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The gradient. With xhat = x * rstd, x the row that was normalised (the forward's residual_out where it
 * added):
 *
 *     c      = sum(dy * gamma * xhat) / cols
 *     dx     = rstd * (dy * gamma - xhat * c) + dresidual
 *     dgamma = sum over rows of dy * xhat
 *
 * Arithmetic is f32 whatever the element type; results round to nearest even. With g = dy * gamma and u = 2^-24,
 *
 *     |dx - exact|     <= 1/2 ulp(dx) + 8 u (rstd (|g| + mean(|g xhat|) |xhat|) + |dresidual|)
 *     |dgamma - exact| <= 1/2 ulp(dgamma) + 8 u sum |dy xhat|
 *
 * while no term passes the range of f32 (on NVIDIA 17 u, not 8 u, in dgamma where terms are all but equal); products
 * below 2^-126 may lose 2^-149 each. NaN and infinities stay in their row of dx, and in their column of dgamma unless
 * rstd of a row is not finite.
 *
 * Deterministic by default: dgamma is summed in two stages through the workspace. atomic = 1 adds with f32 atomics
 * instead, where registers hold a row: no fixed order, the workspace then is at most 64 rows of f32, and memory may take
 * addends and sums below 2^-126 in magnitude for 0, as NVIDIA's does.
 */
typedef struct flyRmsNormBackwardArgs_t {
    size_t size;              /* sizeof(flyRmsNormBackwardArgs_t), set by FLY_ARGS_INIT */
    int64_t rows;             /* >= 0; with 0 dgamma is zeroed */
    int64_t cols;             /* >= 1, at most 2^31 - 2^16 (more is NOT_SUPPORTED) */
    const void *x;            /* [rows, cols] of dtype, rows ldx apart, aligned to its element, as are the others */
    const void *gamma;        /* [cols] of wdtype; null: ones */
    const void *dy;           /* [rows, cols] of dtype, rows lddy apart */
    const float *rstd;        /* [rows] f32, 4-byte aligned, as the forward wrote it */
    const void *dresidual;    /* [rows, cols] of dtype, rows lddr apart: gradient of residual_out; null: none;
                                 may be dx when the leading dimensions are equal */
    void *dx;                 /* [rows, cols] of dtype, rows lddx apart; may be dy or x likewise
                                 (INVALID_VALUE where they are not) */
    void *dgamma;             /* [cols] of wdtype; null: not wanted */
    void *workspace;          /* workspace_bytes of device memory, 16-byte aligned; contents do not matter */
    uint64_t workspace_bytes; /* at least what the plan says */
    int64_t ldx;              /* elements between row starts, >= cols; 0: cols. So are the next three */
    int64_t lddy;
    int64_t lddx;
    int64_t lddr;
    uint32_t dtype;           /* flyDtype_t of x, dy, dx, dresidual: F32, F16 or BF16 */
    uint32_t wdtype;          /* flyDtype_t of gamma and dgamma: dtype (or 0), or F32 with F16 and BF16 */
    uint32_t atomic;          /* 0: deterministic; 1: f32 atomics */
    uint32_t reserved;        /* 0 */
} flyRmsNormBackwardArgs_t;

/* As flyRmsNorm; WORKSPACE_TOO_SMALL when workspace_bytes is below the plan's. */
FLY_API flyStatus_t flyRmsNormBackward(flyHandle_t handle, const flyRmsNormBackwardArgs_t *args);
FLY_API flyStatus_t flyRmsNormBackwardPlan(flyHandle_t handle, const flyRmsNormBackwardArgs_t *args,
                                           flyPlan_t *plan);

#ifdef __cplusplus
}
#endif
#endif
