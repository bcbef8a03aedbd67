/* SPDX-License-Identifier: MIT */
/* The tests' own tools: conversions against the host's, the bound, the patterns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include <fly/types.h>

#include "fill.h"
#include "num.h"

Test(num, every_16_bit_code_survives_a_round_trip)
{
    for (unsigned dtype = FLY_DTYPE_F16; dtype <= FLY_DTYPE_BF16; dtype++)
        for (uint32_t code = 0; code < 0x10000; code++) {
            uint16_t in = (uint16_t)code, out = 0;
            double v = num_get(dtype, &in, 0);
            num_put(dtype, &out, 0, v);
            if (isnan(v))
                cr_assert(isnan(num_get(dtype, &out, 0)), "dtype %u code %04x", dtype, code);
            else
                cr_assert_eq(in, out, "dtype %u code %04x became %04x", dtype, code, out);
        }
}

/* Ties, both sides of ties, denormals and overflow, around every code: neighbours a < b, and the middle. */
Test(num, rounds_to_nearest_even)
{
    for (unsigned dtype = FLY_DTYPE_F16; dtype <= FLY_DTYPE_BF16; dtype++)
        for (uint16_t code = 0; code < 0x7fff; code++) {
            uint16_t next = (uint16_t)(code + 1), out;
            double a = num_get(dtype, &code, 0), b = num_get(dtype, &next, 0), middle = a + (b - a) / 2;
            if (!isfinite(a) || !isfinite(b))
                continue;
            num_put(dtype, &out, 0, middle);
            cr_assert_eq(out, code & 1 ? next : code, "tie above %04x went to %04x", code, out);
            num_put(dtype, &out, 0, nextafter(middle, 0));
            cr_assert_eq(out, code);
            num_put(dtype, &out, 0, -nextafter(middle, INFINITY));
            cr_assert_eq(out, next | 0x8000);
            cr_assert_eq(num_ulp(dtype, middle), b - a, "ulp above %04x", code);
        }
}

Test(num, f32_is_the_hosts_float)
{
    for (uint64_t i = 0; i < 200000; i++) {
        uint32_t bits = (uint32_t)fill_bits(5, i);
        double v = ldexp(1 + fill_unit(6, i), (int)(bits % 300) - 160);
        float host = (float)v, ours;
        num_put(FLY_DTYPE_F32, &ours, 0, v);
        cr_assert_eq(host, ours);
        if (isfinite(host))
            cr_assert_eq(num_round(FLY_DTYPE_F32, v), (double)host, "%a", v);
    }
    cr_assert_eq(num_max(FLY_DTYPE_F16), 65504.0);
    cr_assert_eq(num_min_denormal(FLY_DTYPE_F32), 0x1p-149);
    cr_assert_eq(num_min_normal(FLY_DTYPE_BF16), 0x1p-126);
}

Test(num, the_bound_takes_roundings_and_refuses_mistakes)
{
    double exact = 1.0 + 0x1p-8; /* a tie between two bf16 numbers: both are half an ulp away */
    cr_assert_float_eq(num_error(FLY_DTYPE_BF16, exact, 0, 1.0).fraction, 1.0, 1e-9);
    cr_assert_eq(num_error(FLY_DTYPE_BF16, exact, 0, 1.0).c, 0);
    cr_assert_eq(num_error(FLY_DTYPE_BF16, exact, 1, 1.0 + 0x1p-6).fraction > 1, 1);
    cr_assert_float_eq(num_error(FLY_DTYPE_F32, 1.0, 1.0, 1.0 + 5.5 * 0x1p-23).c, 10.0, 1e-9);
    cr_assert(isinf(num_error(FLY_DTYPE_F16, 1.0, 1.0, NAN).c));
    cr_assert(isinf(num_error(FLY_DTYPE_F16, NAN, 1.0, 1.0).c));
    cr_assert_eq(num_error(FLY_DTYPE_F16, NAN, 1.0, NAN).c, 0);
    cr_assert(isinf(num_error(FLY_DTYPE_F16, INFINITY, 1.0, -INFINITY).c));
    cr_assert_eq(num_error(FLY_DTYPE_F16, 70000.0, 1.0, INFINITY).c, 0);
    cr_assert(isinf(num_error(FLY_DTYPE_F16, 60000.0, 1.0, INFINITY).c));
}

Test(fill, depends_on_seed_and_position_only)
{
    float a[3][40], b[3][40];
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    fill_matrix(FLY_DTYPE_F32, a, 3, 33, 40, FILL_NORMAL, 9);
    fill_matrix(FLY_DTYPE_F32, b, 3, 33, 40, FILL_NORMAL, 9);
    cr_assert_eq(memcmp(a, b, sizeof a), 0);
    cr_assert_eq(a[0][33], 0.0f, "an element between rows was written");
    fill_matrix(FLY_DTYPE_F32, b, 3, 33, 40, FILL_NORMAL, 10);
    cr_assert_neq(memcmp(a, b, sizeof a), 0);
}

Test(fill, normal_has_mean_0_and_deviation_1)
{
    enum { N = 100000 };
    float *v = malloc(N * sizeof *v);
    double sum = 0, square = 0;
    fill_matrix(FLY_DTYPE_F32, v, 1, N, N, FILL_NORMAL, 1);
    for (int i = 0; i < N; i++) {
        sum += v[i];
        square += v[i] * v[i];
    }
    cr_assert_lt(fabs(sum / N), 0.02);
    cr_assert_float_eq(square / N, 1.0, 0.02);
    free(v);
}

Test(fill, special_rows_alternate_with_finite_ones)
{
    int kinds[FILL_PATTERNS] = {0};
    for (int row = 0; row < 2 * FILL_PATTERNS; row++)
        kinds[fill_row_pattern(FILL_SPECIAL, 0, row)]++;
    for (int i = FILL_FINITE; i < FILL_PATTERNS; i++)
        cr_assert_gt(kinds[i], 0, "%s never comes", fill_name(i));
    cr_assert_gt(kinds[FILL_NORMAL], 0);
}
