/* SPDX-License-Identifier: MIT */
/*
 * LayerNorm of one row after the other, in double:
 *     mean = sum(s) / cols, rstd = 1 / sqrt(sum((s - mean)^2) / cols + eps),
 *     y = (s - mean) rstd gamma + beta, s = x + residual rounded
 * S of the bound: |xhat gamma| + |beta| for y, sum|s| / cols for the mean, rstd for rstd. To each comes what f32
 * cannot hold below its smallest denormal, 2^-149 in s and 2^-149 in the result. In a row with a NaN or an
 * infinity everything is NaN, but for the mean, which may be either.
 */
#include <math.h>

#include "../support/num.h"
#include "rowwise.h"

static int64_t scratch_doubles(const struct fly_problem *p)
{
    return 5 * ref_field(p, "cols");
}

static void compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                    double *scratch, struct ref_worst *w)
{
    int64_t cols = ref_field(p, "cols");
    double eps = fly_field_to_float(ref_field(p, "eps"));
    double *x = scratch, *gamma = x + cols, *beta = gamma + cols, *y = beta + cols, *s = y + cols;
    const struct ref_tensor *mean_out = ref_operand(t, "mean");
    ref_row(ref_operand(t, "gamma"), 0, cols, 1.0, gamma);
    ref_row(ref_operand(t, "beta"), 0, cols, 0.0, beta);

    for (int64_t r = from; r < to; r++) {
        ref_added_row(w, t, r, cols, x);
        double sum = 0, lost = 0, size = 0, square = 0;
        for (int64_t c = 0; c < cols; c++) {
            double longer = sum + x[c], part = longer - sum; /* two-sum: lost gets what rounding took */
            lost += (sum - (longer - part)) + (x[c] - part);
            sum = longer;
            size += fabs(x[c]);
        }
        /* The mean is mean + low: an error of 2^-53 of it would show in deviations of 1e-9 of it. */
        double mean = sum / (double)cols, low = (fma(-mean, (double)cols, sum) + lost) / (double)cols;
        for (int64_t c = 0; c < cols; c++) {
            double d = (x[c] - mean) - low;
            square += d * d;
        }
        double rstd = 1.0 / sqrt(square / (double)cols + eps);
        for (int64_t c = 0; c < cols; c++) {
            double scaled = ((x[c] - mean) - low) * rstd * gamma[c];
            y[c] = scaled + beta[c];
            s[c] = fabs(scaled) + fabs(beta[c]) + REF_TINY * (fabs(rstd * gamma[c]) + 1);
        }
        const bool excluded = ref_too_small(square / (double)cols + eps);
        if (!excluded)
            ref_note_output(w, t, r, cols, y, s);
        if (mean_out) {
            double found = num_get(mean_out->o.dtype, mean_out->after, r);
            mean += low;
            if (!isfinite(mean))
                mean = isfinite(found) ? NAN : found;
            ref_note_one(w, t, mean_out, r, mean, size / (double)cols + REF_TINY);
        }
        if (!excluded)
            ref_note_one(w, t, ref_operand(t, "rstd"), r, rstd, rstd);
    }
}

const struct ref_op ref_layernorm = {"layernorm", ref_rowwise_rows, compare, scratch_doubles};
