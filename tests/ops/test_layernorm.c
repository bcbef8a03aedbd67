/* SPDX-License-Identifier: MIT */
/*
 * flyLayerNorm against its reference on a device, which FLY_RUNTIME and FLYSIM_DEVICES choose: what all
 * row-wise operations are tried with (rowwise.h), and precision far from zero and wrong arguments.
 */
#include <stddef.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <fly/layernorm.h>

#include "../support/fill.h"
#include "rowwise.h"

ROWWISE_TESTS(layernorm)

/* The sum in the place of an addend, y in that of x. */
Test(layernorm, in_place, .init = rowwise_open, .fini = rowwise_close)
{
    rowwise_add_in_place(fly_op_table[FLY_OP_layernorm]);
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}

/* ---- precision ------------------------------------------------------------------------------------- */

Test(layernorm, keeps_precision_far_from_zero, .init = rowwise_open, .fini = rowwise_close)
{
    static const uint8_t dtypes[] = {FLY_DTYPE_F32, FLY_DTYPE_F16, FLY_DTYPE_BF16};
    static const int pattern[] = {FILL_OFFSET_1, FILL_OFFSET_M3, FILL_OFFSET_ULPS, FILL_EQUAL};
    static const int64_t cols[] = {64, 769, 4096, 16384, 40000};
    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < 4; i++)
            for (size_t c = 0; c < sizeof cols / sizeof *cols; c++) {
                const uint8_t types[3] = {dtypes[d], dtypes[d], dtypes[d]};
                struct fly_problem p = rowwise_problem(fly_op_table[FLY_OP_layernorm], types, 3, cols[c]);
                rowwise_set(&p, "gamma", c & 1);
                rowwise_set(&p, "beta", c & 1);
                rowwise_set(&p, "mean", 1);
                rowwise_set(&p, "rstd", 1);
                struct check_options opt = {.pattern = pattern[i], .seed = 11 * c + i};
                rowwise_run(&p, &opt);
            }
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}

/* ---- wrong arguments -------------------------------------------------------------------------------- */

/* A valid call on device memory, for tests to spoil; y is poisoned. */
struct call {
    flyLayerNormArgs_t a;
    void *x, *y;
    unsigned char poison[4096];
};

static void make_call(struct call *c)
{
    struct fly_runtime *rt = rowwise_device.rt;
    memset(c, 0, sizeof *c);
    memset(c->poison, 0x5a, sizeof c->poison);
    cr_assert_eq(rt->memory_alloc(rt, 4096, &c->x), 0);
    cr_assert_eq(rt->memory_alloc(rt, 4096, &c->y), 0);
    cr_assert_eq(rt->memory_to_device(rt, c->x, c->poison, 4096), 0);
    cr_assert_eq(rt->memory_to_device(rt, c->y, c->poison, 4096), 0);
    c->a = (flyLayerNormArgs_t){.size = sizeof c->a, .rows = 4, .cols = 64, .x = c->x, .y = c->y, .eps = 1e-5f,
                                .dtype = FLY_DTYPE_BF16};
}

/* The call must fail with `want`, say `word` in its sentence, and leave y alone. */
static void refuses(struct call *c, flyStatus_t want, const char *word)
{
    unsigned char now[4096];
    flyStatus_t s = flyLayerNorm(rowwise_device.handle, &c->a);
    const char *message = flyErrorMessage(rowwise_device.handle);
    cr_expect_eq(s, want, "%s: status %d (%s), not %d", word, s, message, want);
    cr_expect(strstr(message, "flyLayerNorm") && strstr(message, word), "\"%s\" names not flyLayerNorm and %s",
              message, word);
    cr_assert_eq(rowwise_device.rt->device_sync(rowwise_device.rt), 0);
    cr_assert_eq(rowwise_device.rt->memory_to_host(rowwise_device.rt, now, c->y, sizeof now), 0);
    cr_expect(memcmp(now, c->poison, sizeof now) == 0, "%s: y was written", word);
}

#define REFUSES(want, word, ...)          \
    do {                                  \
        struct call c;                    \
        make_call(&c);                    \
        __VA_ARGS__;                      \
        refuses(&c, want, word);          \
    } while (0)

Test(layernorm, refuses_wrong_arguments, .init = rowwise_open, .fini = rowwise_close)
{
    struct call good;
    make_call(&good);
    cr_assert_eq(flyLayerNorm(rowwise_device.handle, &good.a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(rowwise_device.handle));
    cr_assert_str_eq(flyErrorMessage(rowwise_device.handle), "");

    cr_expect_eq(flyLayerNorm(NULL, &good.a), FLY_STATUS_INVALID_HANDLE);
    cr_expect_eq(flyLayerNorm(rowwise_device.handle, NULL), FLY_STATUS_INVALID_VALUE);
    cr_expect_gt(strlen(flyErrorMessage(rowwise_device.handle)), 0);

    REFUSES(FLY_STATUS_INVALID_VALUE, "x", c.a.x = NULL);
    REFUSES(FLY_STATUS_INVALID_VALUE, "y", c.a.y = NULL);
    REFUSES(FLY_STATUS_INVALID_VALUE, "rows", c.a.rows = -1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "cols", c.a.cols = 0);
    REFUSES(FLY_STATUS_INVALID_VALUE, "cols", c.a.cols = -64);
    REFUSES(FLY_STATUS_INVALID_VALUE, "cols", c.a.cols = INT64_MIN);
    REFUSES(FLY_STATUS_INVALID_VALUE, "ldx", c.a.ldx = 63);
    REFUSES(FLY_STATUS_INVALID_VALUE, "ldx", c.a.ldx = -64);
    REFUSES(FLY_STATUS_INVALID_VALUE, "ldy", c.a.ldy = 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "dtype", c.a.dtype = 0);
    REFUSES(FLY_STATUS_INVALID_VALUE, "dtype", c.a.dtype = 99);
    REFUSES(FLY_STATUS_NOT_SUPPORTED, "dtype", c.a.dtype = FLY_DTYPE_I8);
    REFUSES(FLY_STATUS_INVALID_VALUE, "eps", c.a.eps = -1e-5f);
    REFUSES(FLY_STATUS_INVALID_VALUE, "eps", c.a.eps = __builtin_nanf(""));
    REFUSES(FLY_STATUS_INVALID_VALUE, "eps", c.a.eps = __builtin_inff());
    REFUSES(FLY_STATUS_INVALID_VALUE, "x", c.a.x = (char *)c.x + 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "y", c.a.y = (char *)c.y + 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "gamma", c.a.gamma = (char *)c.x + 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "beta", c.a.beta = (char *)c.x + 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "mean", c.a.mean = (float *)((char *)c.x + 2));
    REFUSES(FLY_STATUS_INVALID_VALUE, "rstd", c.a.rstd = (float *)((char *)c.x + 2));
    REFUSES(FLY_STATUS_INVALID_VALUE, "size", c.a.size = 0);
    REFUSES(FLY_STATUS_INVALID_VALUE, "size", c.a.size = offsetof(flyLayerNormArgs_t, residual) - 1);
}

/* A struct of a later version is accepted while what this version does not know is zero. */
Test(layernorm, takes_larger_structs_with_a_zero_tail, .init = rowwise_open, .fini = rowwise_close)
{
    struct {
        flyLayerNormArgs_t a;
        unsigned char tail[24];
    } later;
    struct call c;
    make_call(&c);
    memset(&later, 0, sizeof later);
    later.a = c.a;
    later.a.size = sizeof later;
    cr_expect_eq(flyLayerNorm(rowwise_device.handle, &later.a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(rowwise_device.handle));
    cr_assert_eq(rowwise_device.rt->device_sync(rowwise_device.rt), 0);
    for (size_t i = 0; i < sizeof later.tail; i += 23) {
        memset(later.tail, 0, sizeof later.tail);
        later.tail[i] = 1;
        cr_expect_eq(flyLayerNorm(rowwise_device.handle, &later.a), FLY_STATUS_NOT_SUPPORTED);
        cr_expect_gt(strlen(flyErrorMessage(rowwise_device.handle)), 0);
    }
}

Test(layernorm, no_rows_is_nothing_to_do, .init = rowwise_open, .fini = rowwise_close)
{
    struct call c;
    unsigned char now[4096];
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    make_call(&c);
    c.a.rows = 0;
    cr_expect_eq(flyLayerNorm(rowwise_device.handle, &c.a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(rowwise_device.handle));
    cr_expect_eq(flyLayerNormPlan(rowwise_device.handle, &c.a, &plan), FLY_STATUS_SUCCESS);
    cr_expect_eq(plan.launches, 0);
    cr_expect_str_eq(plan.kernel, "");
    cr_assert_eq(rowwise_device.rt->device_sync(rowwise_device.rt), 0);
    cr_assert_eq(rowwise_device.rt->memory_to_host(rowwise_device.rt, now, c.y, sizeof now), 0);
    cr_expect(memcmp(now, c.poison, sizeof now) == 0, "y was written");
}
