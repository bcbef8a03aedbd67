/* SPDX-License-Identifier: MIT */
/*
 * Gradients of the norms, in double, from the statistics the kernel was given:
 *     xhat = (x - mean) rstd, g = dy gamma, c1 = mean(g) (LayerNorm only), c2 = mean(g xhat)
 *     dx = rstd (g - c1 - xhat c2) + dresidual; dgamma = sum over rows of dy xhat; dbeta = sum of dy
 * S of the bound: rstd (|g| + mean|g| + |xhat| mean|g xhat|) + |dresidual| for dx, the sum of absolute values
 * for the others. Products may underflow: S has the smallest denormal once for each, and once a row in sums
 * over rows. Additions in memory may take what is below 2^-126 for 0, a difference that 2^-105 in S allows (8 ulp of
 * f32 of it). What passes the range of f32 on the way says nothing: it is not compared.
 */
#include "normbwd.h"

#include <math.h>
#include <string.h>

#include "../support/num.h"

int64_t ref_normbwd_units(const struct fly_problem *p)
{
    return ref_field(p, "rows") + 1;
}

int64_t ref_normbwd_scratch(const struct fly_problem *p)
{
    return 8 * ref_field(p, "cols");
}

static double statistic(const struct ref_tensor *t, const char *name, int64_t r)
{
    const struct ref_tensor *o = ref_operand(t, name);
    return o ? num_get(o->o.dtype, o->before, r) : 0;
}

/* Sum of what is finite: where the rest decides, the exact result is not finite and S does not matter. */
static double sum_finite(double sum, double term)
{
    return isfinite(term) ? sum + term : sum;
}

/* Notes the elements of a row, or of a vector, that f32 reaches without passing its range. */
static void note(struct ref_worst *w, const struct ref_tensor *t, const char *name, int64_t r, int64_t cols,
                 const double *exact, const double *s)
{
    const struct ref_tensor *o = ref_operand(t, name);
    for (int64_t c = 0; o && c < cols; c++)
        if (isfinite(s[c]) ? s[c] < 0x1p126 : !isfinite(exact[c]))
            ref_note(w, t, (int)(o - t), r, c, exact[c], s[c],
                     num_get(o->o.dtype, o->after, (o->o.rank == 1 ? 0 : r * o->o.stride[0]) + c));
}

static void sums_over_rows(const struct fly_problem *p, const struct ref_tensor *t, double *scratch,
                           struct ref_worst *w)
{
    int64_t rows = ref_field(p, "rows"), cols = ref_field(p, "cols");
    double *x = scratch, *dy = x + cols, *dgamma = dy + cols, *sg = dgamma + cols, *dbeta = sg + cols,
           *sb = dbeta + cols;
    const double lost = ref_field(p, "atomic") ? 0x1p-105 : 0;
    memset(dgamma, 0, 4 * (size_t)cols * sizeof *dgamma);
    for (int64_t r = 0; r < rows; r++) {
        double mean = statistic(t, "mean", r), rstd = statistic(t, "rstd", r);
        ref_row(ref_operand(t, "x"), r, cols, 0, x);
        ref_row(ref_operand(t, "dy"), r, cols, 0, dy);
        for (int64_t c = 0; c < cols; c++) {
            dgamma[c] += dy[c] * (x[c] - mean) * rstd;
            sg[c] = sum_finite(sg[c], fabs(dy[c] * rstd * (x[c] - mean)) + REF_TINY * (1 + fabs(dy[c])) + lost);
            dbeta[c] += dy[c];
            sb[c] = sum_finite(sb[c], fabs(dy[c]) + lost);
        }
    }
    note(w, t, "dgamma", 0, cols, dgamma, sg);
    note(w, t, "dbeta", 0, cols, dbeta, sb);
}

void ref_normbwd_compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                         double *scratch, struct ref_worst *w, bool centred)
{
    int64_t rows = ref_field(p, "rows"), cols = ref_field(p, "cols");
    double *x = scratch, *dy = x + cols, *gamma = dy + cols, *add = gamma + cols, *dx = add + cols, *s = dx + cols;
    ref_row(ref_operand(t, "gamma"), 0, cols, 1.0, gamma);
    for (int64_t r = from; r < to && r < rows; r++) {
        double mean = statistic(t, "mean", r), rstd = statistic(t, "rstd", r);
        double c1 = 0, c2 = 0, a1 = 0, a2 = 0;
        ref_row(ref_operand(t, "x"), r, cols, 0, x);
        ref_row(ref_operand(t, "dy"), r, cols, 0, dy);
        ref_row(ref_operand(t, "dresidual"), r, cols, 0, add);
        for (int64_t c = 0; c < cols; c++) {
            double g = dy[c] * gamma[c], xhat = (x[c] - mean) * rstd;
            c1 += g, a1 += fabs(g);
            c2 += g * xhat, a2 += fabs(g * xhat);
        }
        c1 /= (double)cols, a1 /= (double)cols;
        c2 /= (double)cols, a2 /= (double)cols;
        if (!centred)
            c1 = a1 = 0;
        for (int64_t c = 0; c < cols; c++) {
            double g = dy[c] * gamma[c], xhat = (x[c] - mean) * rstd;
            dx[c] = rstd * (g - c1 - xhat * c2) + add[c];
            double inner = fabs(g) + a1 + fabs(xhat) * a2;
            s[c] = fabs(rstd) * inner + fabs(add[c]) + (inner < 0x1p126 ? 0 : INFINITY) +
                   REF_TINY * (1 + fabs(rstd) * (1 + fabs(gamma[c]) + fabs(xhat)));
        }
        note(w, t, "dx", r, cols, dx, s);
    }
    if (to > rows)
        sums_over_rows(p, t, scratch, w);
}
