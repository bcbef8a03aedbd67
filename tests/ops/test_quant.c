/* SPDX-License-Identifier: MIT */
/* flyQuantPerToken against its reference, which allows one value for each scale and code. */
#include "rowwise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../support/fill.h"
#include "../support/num.h"

ROWWISE_TESTS(quant)

/* Of what a row is made: its scale, and how far in units in the last place of f32 elements lie from where codes meet. */
static float scale_of_row(int64_t r, unsigned dtype)
{
    static const float scales[] = {
        1, 0x1p-3f, 0x1.fffffep+0f, 0x1.fffffep-9f, 0x1.5ffffep+0f, 0x1.7bfffep+3f, 0x1.000002p+0f, 0x1.23456p-5f,
        0x1.fffffcp+10f, 0x1.d7fffep-2f, 0x1p-70f, 0x1.fffffep-80f, 0x1.234568p-100f, 0x1p+90f, 0x1.fffffep+100f, 0x1.2345p+115f,
        0x1p-126f, 0x1.8p-140f, 0x1p-147f, 0x1p-148f, 0x1p-149f, 0x1p-130f, 0x1.fffffep-127f, 0x1.5p+119f,
    };
    static const float halves[] = {1, 0x1p-3f, 0x1.8p+4f, 0x1.fcp-10f, 0x1.54p-12f, 0x1p-24f, 0x1.8p-18f, 0x1p-17f};
    const uint64_t bits = fill_bits(3, (uint64_t)r);
    if (dtype == FLY_DTYPE_F16)
        return halves[r % 8];
    if (r < (int64_t)(sizeof scales / sizeof *scales))
        return scales[r];
    return ldexpf(1 + (float)(bits >> 41) * 0x1p-23f, (int)(bits & 31) - 16);
}

static double next_to(double v, int places)
{
    float f = (float)v;
    for (; places; places -= places < 0 ? -1 : 1)
        f = nextafterf(f, places < 0 ? -INFINITY : INFINITY);
    return f;
}

static double element(const struct fly_problem *p, int64_t r, int64_t c)
{
    const float scale = scale_of_row(r, p->types[0]), largest = (float)num_max(p->types[2]);
    const uint64_t bits = fill_bits(5, (uint64_t)(r * 4096 + c));
    const double sign = bits & 1 ? -1 : 1;
    if (c == r % 7)
        return sign * (double)(scale * largest);
    if (r % 11 == 10 && c == 8 + r % 5) /* the largest magnitude is not near a multiple of the scale */
        return sign * (double)(scale * (largest + 0.37f));
    if (p->types[2] == FLY_DTYPE_I8)
        return sign * next_to((double)(scale * ((float)(c % 127) + 0.5f)), (int)(bits >> 8 & 3) - 1 - (int)(r % 2));
    const float place = ldexpf(1 + (float)(2 * (bits >> 16 & 7) + 1) / 16, (int)(c % 18) - 10);
    return sign * next_to((double)(scale * (c % 18 < 3 ? (float)(bits >> 24 & 7) + 0.5f : place)), (int)(bits >> 8 & 3) - 1);
}

static void run_ties(const struct fly_op *op, const uint8_t types[3], int64_t rows, int64_t cols)
{
    struct fly_problem p = rowwise_problem(op, types, rows, cols);
    struct check_options opt = {.pattern = FILL_NORMAL};
    struct check_case c;
    struct check_result r;
    cr_assert(check_prepare(&c, &rowwise_device, &p, &opt, &r), "%s", r.message);
    struct check_buffer *x = &c.b[0];
    for (int64_t row = 0; row < rows; row++)
        for (int64_t col = 0; col < cols; col++) {
            double v = element(&p, row, col);
            if (row == rows - 3 && col == 9)
                v = INFINITY;
            if (row == rows - 2)
                v = col == 3 ? NAN : col == 5 ? INFINITY : v;
            if (row == rows - 1)
                v = col & 1 ? -0.0 : 0.0;
            num_put(types[0], x->before + x->head, row * x->o.stride[0] + col, v);
        }
    cr_assert_eq(rowwise_device.rt->memory_to_device(rowwise_device.rt, x->device, x->before, x->bytes), 0);
    check_launch(&c, &r);
    cr_assert_eq(r.status, FLY_STATUS_SUCCESS, "%s", r.message);
    check_compare(&c, &r);
    cr_expect_eq(r.outcome, CHECK_PASS, "%s", r.message);
    check_release(&c);
}

/* Codes were those of products with a rounded reciprocal, exact ties went either way, and a scale below the normal
 * numbers of f32 was another than what codes were made with. */
Test(quant, rounds_quotients_to_nearest_even, .init = rowwise_open, .fini = rowwise_close)
{
    static const int64_t cols[] = {37, 256, 1000, 70001};
    enum { ROWS = 300, ROWS_READ_TWICE = 28 };
    const struct fly_op *op = fly_op_table[FLY_OP_quant];
    for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++)
        for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
            if (rowwise_has_types(op, op->types[t]) && (cols[i] < 70000 || t % 3 == 0))
                run_ties(op, op->types[t], cols[i] < 70000 ? ROWS : ROWS_READ_TWICE, cols[i]);
}
