/* SPDX-License-Identifier: MIT */
/*
 * Per-row quantisation:
 *
 *     yscale = max(|x|) / M, 1 where that is 0      M = 127 for I8, the largest finite code of an fp8
 *     y      = x / yscale, to nearest even, saturated (I8 to -127..127)
 *
 * Both quotients are those of f32, rounded to nearest even, as C divides floats; the code is that of the rounded quotient:
 * for I8, y = rintf(x / yscale). Every target gives the same bits. A row whose largest magnitude over M rounds to 0 (below
 * M 2^-150: zeros, and numbers next to them) has scale 1 and codes 0; a scale below 2^-126 has few bits, and quotients
 * that pass M saturate. A row with a NaN has a NaN scale; its codes are NaN (fp8) or 0 (I8). A row with an infinity has
 * scale infinity; its finite elements have code 0, infinite ones NaN (fp8) or 0 (I8). Deterministic; no workspace.
 */
#ifndef FLY_QUANT_H
#define FLY_QUANT_H

#include <fly/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flyQuantPerTokenArgs_t {
    size_t size;       /* sizeof(flyQuantPerTokenArgs_t), set by FLY_ARGS_INIT */
    int64_t rows;      /* >= 0; 0 does nothing and succeeds, with arguments checked */
    int64_t cols;      /* >= 1, at most 2^31 - 2^16 (more is NOT_SUPPORTED) */
    const void *x;     /* [rows, cols] of dtype, rows ldx apart, aligned to its element */
    void *y;           /* [rows, cols] of ydtype, rows ldy apart; never x */
    float *yscale;     /* [rows] f32, 4-byte aligned */
    int64_t ldx;       /* elements between row starts, >= cols; 0: cols */
    int64_t ldy;       /* likewise */
    uint32_t dtype;    /* flyDtype_t of x: F32, F16 or BF16 */
    uint32_t ydtype;   /* flyDtype_t of y: I8, or the E4M3 encoding the arch converts to */
} flyQuantPerTokenArgs_t;

/* INVALID_VALUE: x, y or yscale null, cols < 1, rows < 0, a leading dimension below cols, a misaligned
 * pointer, an unknown dtype, y = x. NOT_SUPPORTED: a type combination not listed, or an 8-bit float the arch lacks. */
FLY_API flyStatus_t flyQuantPerToken(flyHandle_t handle, const flyQuantPerTokenArgs_t *args);
FLY_API flyStatus_t flyQuantPerTokenPlan(flyHandle_t handle, const flyQuantPerTokenArgs_t *args, flyPlan_t *plan);

#ifdef __cplusplus
}
#endif
#endif
