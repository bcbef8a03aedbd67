/* SPDX-License-Identifier: MIT */
/*
 * Calls that the contracts of row-wise operations refuse. Each one gives its status and a sentence that starts with the
 * function and names the field, its Plan says the same, and not a byte of any operand changes: all of them lie in one
 * poisoned allocation.
 */
#include <stdlib.h>
#include <string.h>

#include <fly/fly.h>

#include "rowwise.h"

enum { ROWS = 4, COLS = 64, SLOT = 2048, SLOTS = 16, POISON = 0x3c };

static char *arena, *next;

static void open_arena(void)
{
    rowwise_open();
    cr_assert_eq(rowwise_device.rt->memory_alloc(rowwise_device.rt, SLOT * SLOTS, (void **)&arena), 0);
    cr_assert_eq(rowwise_device.rt->memory_fill(rowwise_device.rt, arena, POISON, SLOT * SLOTS), 0);
}

/* The next operand's place, from `next` = arena on. */
static void *slot(void)
{
    char *p = next;
    next += SLOT;
    cr_assert(next <= arena + SLOT * SLOTS);
    return p;
}

static void expect(flyStatus_t got, flyStatus_t want, const char *function, const char *field)
{
    const char *text = flyErrorMessage(rowwise_device.handle);
    const size_t n = strlen(function);
    char now[SLOT * SLOTS];
    cr_expect_eq(got, want, "%s, %s: %s, not %s: \"%s\"", function, field, flyStatusName(got), flyStatusName(want), text);
    cr_expect(!strncmp(text, function, n) && text[n] == ':' && strstr(text + n, field),
              "\"%s\" does not start with %s or does not say %s", text, function, field);
    cr_assert_eq(rowwise_device.rt->device_sync(rowwise_device.rt), 0);
    cr_assert_eq(rowwise_device.rt->memory_to_host(rowwise_device.rt, now, arena, sizeof now), 0);
    for (size_t i = 0; i < sizeof now; i++)
        if (now[i] != POISON) {
            cr_expect_fail("%s, %s: byte %zu of the operands was written", function, field, i);
            cr_assert_eq(rowwise_device.rt->memory_fill(rowwise_device.rt, arena, POISON, sizeof now), 0);
            return;
        }
}

/* ---- calls with every operand, for tests to spoil ---- */

static void LayerNorm(flyLayerNormArgs_t *a)
{
    *a = (flyLayerNormArgs_t){.size = sizeof *a, .rows = ROWS, .cols = COLS, .x = slot(), .gamma = slot(), .beta = slot(),
                              .y = slot(), .mean = slot(), .rstd = slot(), .residual = slot(), .residual_out = slot(),
                              .eps = 1e-5f, .dtype = FLY_DTYPE_BF16};
}

static void RmsNorm(flyRmsNormArgs_t *a)
{
    *a = (flyRmsNormArgs_t){.size = sizeof *a, .rows = ROWS, .cols = COLS, .x = slot(), .gamma = slot(), .y = slot(),
                            .rstd = slot(), .residual = slot(), .residual_out = slot(), .eps = 1e-5f,
                            .dtype = FLY_DTYPE_BF16};
}

static void Softmax(flySoftmaxArgs_t *a)
{
    *a = (flySoftmaxArgs_t){.size = sizeof *a, .rows = ROWS, .cols = COLS, .x = slot(), .y = slot(), .lengths = slot(),
                            .causal = 1, .dtype = FLY_DTYPE_BF16};
}

static void SoftmaxBackward(flySoftmaxBackwardArgs_t *a)
{
    *a = (flySoftmaxBackwardArgs_t){.size = sizeof *a, .rows = ROWS, .cols = COLS, .dy = slot(), .y = slot(), .dx = slot(),
                                    .dtype = FLY_DTYPE_BF16};
}

static void QuantPerToken(flyQuantPerTokenArgs_t *a)
{
    *a = (flyQuantPerTokenArgs_t){.size = sizeof *a, .rows = ROWS, .cols = COLS, .x = slot(), .y = slot(), .yscale = slot(),
                                  .dtype = FLY_DTYPE_BF16, .ydtype = FLY_DTYPE_I8};
}

static void LayerNormBackward(flyLayerNormBackwardArgs_t *a)
{
    *a = (flyLayerNormBackwardArgs_t){.size = sizeof *a, .rows = ROWS, .cols = COLS, .x = slot(), .gamma = slot(),
                                      .dy = slot(), .mean = slot(), .rstd = slot(), .dresidual = slot(), .dx = slot(),
                                      .dgamma = slot(), .dbeta = slot(), .workspace = slot(), .workspace_bytes = SLOT,
                                      .dtype = FLY_DTYPE_BF16};
}

static void RmsNormBackward(flyRmsNormBackwardArgs_t *a)
{
    *a = (flyRmsNormBackwardArgs_t){.size = sizeof *a, .rows = ROWS, .cols = COLS, .x = slot(), .gamma = slot(),
                                    .dy = slot(), .rstd = slot(), .dresidual = slot(), .dx = slot(), .dgamma = slot(),
                                    .workspace = slot(), .workspace_bytes = SLOT, .dtype = FLY_DTYPE_BF16};
}

/* A call that differs from one with all operands by what follows the field must fail so, and say `field`. */
#define REFUSES(op, status, field, ...)                                                           \
    do {                                                                                          \
        fly##op##Args_t a;                                                                        \
        flyPlan_t plan = FLY_ARGS_INIT(plan);                                                     \
        next = arena;                                                                             \
        op(&a);                                                                                   \
        __VA_ARGS__;                                                                              \
        expect(fly##op(rowwise_device.handle, &a), FLY_STATUS_##status, "fly" #op, field);        \
        expect(fly##op##Plan(rowwise_device.handle, &a, &plan), FLY_STATUS_##status, "fly" #op "Plan", field); \
    } while (0)

/* Without the Plan. */
#define CALL_REFUSES(op, status, field, ...)                                                      \
    do {                                                                                          \
        fly##op##Args_t a;                                                                        \
        next = arena;                                                                             \
        op(&a);                                                                                   \
        __VA_ARGS__;                                                                              \
        expect(fly##op(rowwise_device.handle, &a), FLY_STATUS_##status, "fly" #op, field);        \
    } while (0)

static float *odd(const void *p)
{
    return (float *)((uintptr_t)p + 2);
}

static void *past(const void *p)
{
    return (void *)((uintptr_t)p + 1);
}

#define NORM_REFUSALS(op)                                                                          \
    do {                                                                                           \
        REFUSES(op, INVALID_VALUE, "residual_out = NULL", a.residual_out = NULL);                  \
        REFUSES(op, INVALID_VALUE, "residual_out = 0x", a.residual = NULL);                        \
        REFUSES(op, INVALID_VALUE, "residual = 0x", a.residual = past(a.residual));                \
        REFUSES(op, INVALID_VALUE, "residual_out = 0x", a.residual_out = past(a.residual_out));    \
        REFUSES(op, INVALID_VALUE, "ldr = 63", a.ldr = COLS - 1);                                  \
        REFUSES(op, INVALID_VALUE, "ldro = -64", a.ldro = -COLS);                                  \
        REFUSES(op, INVALID_VALUE, "rows = 4", a.ldr = INT64_MAX / 2);                             \
        REFUSES(op, INVALID_VALUE, "yscale = 0x", a.yscale = slot());                              \
        REFUSES(op, INVALID_VALUE, "xscale = 0x", a.xscale = slot());                              \
        REFUSES(op, INVALID_VALUE, "yscale = NULL", a.ydtype = FLY_DTYPE_I8);                      \
        REFUSES(op, INVALID_VALUE, "yscale = NULL", a.ydtype = FLY_DTYPE_I8, a.xscale = slot());   \
        REFUSES(op, INVALID_VALUE, "yscale = 0x", a.ydtype = FLY_DTYPE_I8, a.yscale = odd(slot())); \
        REFUSES(op, INVALID_VALUE, "xscale = 0x", a.ydtype = FLY_DTYPE_I8, a.yscale = slot(), a.xscale = past(slot())); \
        REFUSES(op, NOT_SUPPORTED, "ydtype = f32", a.ydtype = FLY_DTYPE_F32);                      \
        REFUSES(op, NOT_SUPPORTED, "ydtype = e5m2", a.ydtype = FLY_DTYPE_E5M2, a.yscale = slot()); \
        REFUSES(op, INVALID_VALUE, "ydtype = 99", a.ydtype = 99);                                  \
        REFUSES(op, INVALID_VALUE, "cols = 0", a.cols = 0);                                        \
        REFUSES(op, INVALID_VALUE, "rows = -1", a.rows = -1);                                      \
        REFUSES(op, INVALID_VALUE, "eps = -1", a.eps = -1);                                        \
        REFUSES(op, INVALID_VALUE, "ldy = 65: must be ldx = 64", a.y = (void *)a.x, a.ldy = COLS + 1); \
        REFUSES(op, INVALID_VALUE, "y = 0x", a.y = (void *)a.x, a.ydtype = FLY_DTYPE_I8, a.yscale = slot()); \
        REFUSES(op, INVALID_VALUE, "is residual_out, too", a.residual_out = a.y);                  \
        REFUSES(op, INVALID_VALUE, "ldro = 72: must be ldr = 64", a.residual_out = (void *)a.residual, a.ldro = 72); \
    } while (0)

Test(refusals, of_the_norms, .init = open_arena, .fini = rowwise_close)
{
    NORM_REFUSALS(LayerNorm);
    NORM_REFUSALS(RmsNorm);
    REFUSES(LayerNorm, INVALID_VALUE, "reserved = 1", a.reserved = 1);
    /* An 8-bit output takes weights of the input's type only. */
    REFUSES(RmsNorm, NOT_SUPPORTED, "wdtype = f32", a.ydtype = FLY_DTYPE_I8, a.yscale = slot(), a.wdtype = FLY_DTYPE_F32);
    REFUSES(RmsNorm, NOT_SUPPORTED, "wdtype = f16", a.wdtype = FLY_DTYPE_F16);
    REFUSES(RmsNorm, NOT_SUPPORTED, "wdtype = bf16", a.dtype = FLY_DTYPE_F32, a.wdtype = FLY_DTYPE_BF16);
    REFUSES(RmsNorm, INVALID_VALUE, "wdtype = 15", a.wdtype = 15);
    REFUSES(RmsNorm, INVALID_VALUE, "gamma = 0x", a.wdtype = FLY_DTYPE_F32, a.gamma = odd(a.gamma));
}

/* The encoding of E4M3 that the device does not convert to. */
Test(refusals, of_an_fp8_the_arch_lacks, .init = open_arena, .fini = rowwise_close)
{
    static const uint8_t fp8[] = {FLY_DTYPE_E4M3, FLY_DTYPE_E4M3FNUZ};
    const struct fly_op *quant = fly_op_table[FLY_OP_quant];
    int refused = 0;
    for (int i = 0; i < 2; i++) {
        const char *word = i ? "e4m3z" : "e4m3";
        bool has = false;
        for (uint32_t k = 0; k < quant->nkernels; k++)
            has |= quant->kernels[k].types[2] == fp8[i] && rowwise_of_device(&quant->kernels[k]);
        if (has)
            continue;
        REFUSES(QuantPerToken, NOT_SUPPORTED, word, a.ydtype = fp8[i]);
        REFUSES(LayerNorm, NOT_SUPPORTED, word, a.ydtype = fp8[i], a.yscale = slot());
        REFUSES(RmsNorm, NOT_SUPPORTED, word, a.ydtype = fp8[i], a.yscale = slot());
        refused++;
    }
    cr_assert_geq(refused, 1, "no arch has both encodings");
}

Test(refusals, of_softmax_and_its_gradient, .init = open_arena, .fini = rowwise_close)
{
    REFUSES(Softmax, INVALID_VALUE, "x = NULL", a.x = NULL);
    REFUSES(Softmax, INVALID_VALUE, "y = NULL", a.y = NULL);
    REFUSES(Softmax, INVALID_VALUE, "lengths = 0x", a.lengths = (const int32_t *)odd(a.lengths));
    REFUSES(Softmax, INVALID_VALUE, "causal = 2", a.causal = 2);
    REFUSES(Softmax, INVALID_VALUE, "causal_rows = -1", a.causal_rows = -1);
    REFUSES(Softmax, INVALID_VALUE, "causal_rows = 4", a.causal = 0, a.causal_rows = 4);
    REFUSES(Softmax, INVALID_VALUE, "scale = ", a.scale = __builtin_inff());
    REFUSES(Softmax, INVALID_VALUE, "scale = ", a.scale = __builtin_nanf(""));
    REFUSES(Softmax, INVALID_VALUE, "ldy = 63", a.ldy = COLS - 1);
    REFUSES(Softmax, INVALID_VALUE, "ldy = 64: must be ldx = 65", a.y = (void *)a.x, a.ldx = COLS + 1);
    REFUSES(Softmax, NOT_SUPPORTED, "dtype = i8", a.dtype = FLY_DTYPE_I8);
    REFUSES(Softmax, INVALID_VALUE, "reserved = 1", a.reserved = 1);
    REFUSES(SoftmaxBackward, INVALID_VALUE, "dy = NULL", a.dy = NULL);
    REFUSES(SoftmaxBackward, INVALID_VALUE, "y = NULL", a.y = NULL);
    REFUSES(SoftmaxBackward, INVALID_VALUE, "dx = NULL", a.dx = NULL);
    REFUSES(SoftmaxBackward, INVALID_VALUE, "lddy = 63", a.lddy = COLS - 1);
    REFUSES(SoftmaxBackward, INVALID_VALUE, "ldy = 63", a.ldy = COLS - 1);
    REFUSES(SoftmaxBackward, INVALID_VALUE, "lddx = 63", a.lddx = COLS - 1);
    REFUSES(SoftmaxBackward, INVALID_VALUE, "lddx = 64: must be ldy = 65", a.dx = (void *)a.y, a.ldy = COLS + 1);
    REFUSES(SoftmaxBackward, INVALID_VALUE, "scale = ", a.scale = -__builtin_inff());
    REFUSES(SoftmaxBackward, INVALID_VALUE, "dtype = 0", a.dtype = FLY_DTYPE_NONE);
}

Test(refusals, of_quantisation, .init = open_arena, .fini = rowwise_close)
{
    REFUSES(QuantPerToken, INVALID_VALUE, "x = NULL", a.x = NULL);
    REFUSES(QuantPerToken, INVALID_VALUE, "y = NULL", a.y = NULL);
    REFUSES(QuantPerToken, INVALID_VALUE, "yscale = NULL", a.yscale = NULL);
    REFUSES(QuantPerToken, INVALID_VALUE, "yscale = 0x", a.yscale = odd(a.yscale));
    REFUSES(QuantPerToken, INVALID_VALUE, "x = 0x", a.x = past(a.x));
    REFUSES(QuantPerToken, INVALID_VALUE, "ldx = 63", a.ldx = COLS - 1);
    REFUSES(QuantPerToken, INVALID_VALUE, "y = 0x", a.y = (void *)a.x);
    REFUSES(QuantPerToken, INVALID_VALUE, "ldy = 63", a.ldy = COLS - 1);
    REFUSES(QuantPerToken, INVALID_VALUE, "ydtype = 0", a.ydtype = FLY_DTYPE_NONE);
    REFUSES(QuantPerToken, NOT_SUPPORTED, "ydtype = bf16", a.ydtype = FLY_DTYPE_BF16);
    REFUSES(QuantPerToken, NOT_SUPPORTED, "dtype = i8", a.dtype = FLY_DTYPE_I8);
}

#define GRADIENT_REFUSALS(op)                                                                      \
    do {                                                                                           \
        fly##op##Args_t whole;                                                                     \
        flyPlan_t plan = FLY_ARGS_INIT(plan);                                                      \
        next = arena;                                                                              \
        op(&whole);                                                                                \
        cr_assert_eq(fly##op##Plan(rowwise_device.handle, &whole, &plan), FLY_STATUS_SUCCESS, "%s", \
                     flyErrorMessage(rowwise_device.handle));                                      \
        cr_assert_gt(plan.workspace_bytes, 0);                                                     \
        CALL_REFUSES(op, WORKSPACE_TOO_SMALL, "workspace_bytes = 0", a.workspace_bytes = 0);       \
        CALL_REFUSES(op, WORKSPACE_TOO_SMALL, "workspace_bytes = ", a.workspace_bytes = plan.workspace_bytes - 1); \
        CALL_REFUSES(op, WORKSPACE_TOO_SMALL, "workspace_bytes = 0", a.workspace = NULL);          \
        CALL_REFUSES(op, WORKSPACE_TOO_SMALL, "workspace_bytes = 8", a.workspace_bytes = 8, a.atomic = 1); \
        REFUSES(op, INVALID_VALUE, "workspace = 0x", a.workspace = (char *)a.workspace + 8);       \
        REFUSES(op, INVALID_VALUE, "atomic = 2", a.atomic = 2);                                    \
        REFUSES(op, INVALID_VALUE, "rstd = NULL", a.rstd = NULL);                                  \
        REFUSES(op, INVALID_VALUE, "rstd = 0x", a.rstd = odd(a.rstd));                             \
        REFUSES(op, INVALID_VALUE, "x = NULL", a.x = NULL);                                        \
        REFUSES(op, INVALID_VALUE, "dy = NULL", a.dy = NULL);                                      \
        REFUSES(op, INVALID_VALUE, "dx = NULL", a.dx = NULL);                                      \
        REFUSES(op, INVALID_VALUE, "dresidual = 0x", a.dresidual = past(a.dresidual));             \
        REFUSES(op, INVALID_VALUE, "dgamma = 0x", a.dgamma = past(a.dgamma));                      \
        REFUSES(op, INVALID_VALUE, "lddr = 63", a.lddr = COLS - 1);                                \
        REFUSES(op, INVALID_VALUE, "lddx = 63", a.lddx = COLS - 1);                                \
        REFUSES(op, INVALID_VALUE, "lddx = 72: must be lddr = 64", a.dx = (void *)a.dresidual, a.lddx = 72); \
        REFUSES(op, NOT_SUPPORTED, "dtype = i8", a.dtype = FLY_DTYPE_I8);                          \
    } while (0)

Test(refusals, of_the_gradients_of_norms, .init = open_arena, .fini = rowwise_close)
{
    GRADIENT_REFUSALS(LayerNormBackward);
    GRADIENT_REFUSALS(RmsNormBackward);
    REFUSES(LayerNormBackward, INVALID_VALUE, "mean = NULL", a.mean = NULL);
    REFUSES(LayerNormBackward, INVALID_VALUE, "dbeta = 0x", a.dbeta = past(a.dbeta));
    REFUSES(RmsNormBackward, NOT_SUPPORTED, "wdtype = f16", a.wdtype = FLY_DTYPE_F16);
    REFUSES(RmsNormBackward, NOT_SUPPORTED, "wdtype = bf16", a.dtype = FLY_DTYPE_F32, a.wdtype = FLY_DTYPE_BF16);
    REFUSES(RmsNormBackward, INVALID_VALUE, "wdtype = 15", a.wdtype = 15);
    REFUSES(RmsNormBackward, INVALID_VALUE, "reserved = 1", a.reserved = 1);
}
