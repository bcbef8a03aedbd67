/* SPDX-License-Identifier: MIT */
/*
 * Softmax of the visible columns of one row after the other, in double. S of the bound: y (1 + |z - max|),
 * the last from rounding the exponent; beside it a result below the smallest normal f32 may be 0. A row with a visible
 * NaN or +inf is NaN in its hidden columns too.
 */
#include <math.h>

#include "../support/num.h"
#include "rowwise.h"

static int64_t scratch_doubles(const struct fly_problem *p)
{
    return 3 * ref_field(p, "cols");
}

static int64_t visible(const struct fly_problem *p, const struct ref_tensor *t, int64_t r)
{
    const struct ref_tensor *lengths = ref_operand(t, "lengths");
    int64_t cols = ref_field(p, "cols"), n = cols;
    if (lengths) {
        int64_t length = ((const int32_t *)lengths->before)[r];
        n = length < 0 ? 0 : length < n ? length : n;
    }
    if (ref_field(p, "causal")) {
        int64_t block = ref_field(p, "causal_rows");
        int64_t last = r % block + cols - block;
        n = last + 1 < 0 ? 0 : last + 1 < n ? last + 1 : n;
    }
    return n;
}

static void compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                    double *scratch, struct ref_worst *w)
{
    int64_t cols = ref_field(p, "cols");
    double scale = fly_field_to_float(ref_field(p, "scale"));
    double *x = scratch, *y = x + cols, *s = y + cols;
    for (int64_t r = from; r < to; r++) {
        int64_t n = visible(p, t, r);
        double top = -INFINITY, sum = 0;
        bool broken = false; /* a NaN or +inf is seen */
        ref_row(ref_operand(t, "x"), r, cols, 0, x);
        for (int64_t c = 0; c < n; c++) {
            x[c] *= scale;
            broken |= isnan(x[c]) || x[c] == INFINITY;
            top = fmax(top, x[c]);
        }
        for (int64_t c = 0; c < n; c++)
            sum += top == -INFINITY ? 0 : exp(x[c] - top);
        for (int64_t c = 0; c < cols; c++) {
            bool zero = c >= n || (top == -INFINITY && !broken);
            y[c] = broken ? NAN : zero ? 0 : exp(x[c] - top) / sum;
            s[c] = zero || y[c] == 0 ? 0 : y[c] * (1 + fabs(x[c] - top));
            if (!zero)
                s[c] += 0x1p-126 / (NUM_C * NUM_U);
        }
        ref_note_row(w, t, ref_operand(t, "y"), r, cols, y, s);
    }
}

const struct ref_op ref_softmax = {"softmax", ref_rowwise_rows, compare, scratch_doubles};
