/* SPDX-License-Identifier: MIT */
/*
 * RMSNorm of one row after the other, in double: rstd = 1 / sqrt(sum(s^2) / cols + eps), y = s rstd gamma,
 * s = x + residual rounded. S of the bound: |s rstd gamma| for y with what f32 loses
 * by underflow, rstd for rstd.
 */
#include <math.h>

#include "rowwise.h"

static int64_t scratch_doubles(const struct fly_problem *p)
{
    return 4 * ref_field(p, "cols");
}

static void compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                    double *scratch, struct ref_worst *w)
{
    int64_t cols = ref_field(p, "cols");
    double eps = fly_field_to_float(ref_field(p, "eps"));
    double *x = scratch, *gamma = x + cols, *y = gamma + cols, *s = y + cols;
    ref_row(ref_operand(t, "gamma"), 0, cols, 1.0, gamma);
    for (int64_t r = from; r < to; r++) {
        ref_added_row(w, t, r, cols, x);
        double square = 0;
        for (int64_t c = 0; c < cols; c++)
            square += x[c] * x[c];
        double rstd = 1.0 / sqrt(square / (double)cols + eps);
        if (ref_too_small(square / (double)cols + eps))
            continue;
        for (int64_t c = 0; c < cols; c++) {
            y[c] = x[c] * rstd * gamma[c];
            s[c] = fabs(y[c]) + REF_TINY * (fabs(rstd * gamma[c]) + 1);
        }
        ref_note_output(w, t, r, cols, y, s);
        ref_note_one(w, t, ref_operand(t, "rstd"), r, rstd, rstd);
    }
}

const struct ref_op ref_rmsnorm = {"rmsnorm", ref_rowwise_rows, compare, scratch_doubles};
