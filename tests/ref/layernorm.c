/* SPDX-License-Identifier: MIT */
/*
 * LayerNorm of one row after the other, in double:
 *     mean = sum(x) / cols, rstd = 1 / sqrt(sum((x - mean)^2) / cols + eps),
 *     y = (x - mean) rstd gamma + beta
 * S of the bound: |xhat gamma| + |beta| for y; sum|x| / cols for the mean; rstd for rstd. To each comes
 * what f32 cannot hold below its smallest denormal, 2^-149 in x and 2^-149 in the result. In a row with a
 * NaN or an infinity everything is NaN, but for the mean, which may be either.
 */
#include <math.h>
#include <stddef.h>

#include "../support/num.h"
#include "ref.h"

/* u TINY = 2^-149. */
#define TINY 0x1p-125

/* Operand numbers, looked up by name so that the op may add operands. */
struct operands {
    int x, gamma, beta, y, mean, rstd;
};

static int find(const struct ref_tensor *t, const char *name)
{
    for (int i = 0; i < FLY_MAX_OPERANDS && t[i].o.name; i++) {
        const char *a = t[i].o.name, *b = name;
        while (*a && *a == *b)
            a++, b++;
        if (*a == *b)
            return i;
    }
    return -1;
}

static int64_t field(const struct fly_problem *p, const char *name)
{
    return p->v[fly_field_index(fly_op_table[p->op], name)];
}

static int64_t rows(const struct fly_problem *p)
{
    return field(p, "rows");
}

static int64_t scratch_doubles(const struct fly_problem *p)
{
    return 4 * field(p, "cols");
}

/* Vector parameter `i`, or `none` everywhere where it is absent. */
static void parameter(const struct ref_tensor *t, int i, int64_t cols, double none, double *out)
{
    if (i >= 0 && t[i].before)
        num_get_array(t[i].o.dtype, t[i].before, 0, cols, out);
    else
        for (int64_t c = 0; c < cols; c++)
            out[c] = none;
}

static void compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                    double *scratch, struct ref_worst *w)
{
    const struct operands n = {find(t, "x"), find(t, "gamma"), find(t, "beta"),
                               find(t, "y"), find(t, "mean"),  find(t, "rstd")};
    int64_t cols = field(p, "cols");
    double eps = fly_field_to_float(field(p, "eps"));
    double *x = scratch, *gamma = x + cols, *beta = gamma + cols, *got = beta + cols;
    parameter(t, n.gamma, cols, 1.0, gamma);
    parameter(t, n.beta, cols, 0.0, beta);

    for (int64_t r = from; r < to; r++) {
        num_get_array(t[n.x].o.dtype, t[n.x].before, r * t[n.x].o.stride[0], cols, x);
        double sum = 0, size = 0, square = 0;
        for (int64_t c = 0; c < cols; c++) {
            sum += x[c];
            size += fabs(x[c]);
        }
        /* The mean is mean + low: rounding it to double would show in deviations of 1e-10 of it. */
        double mean = sum / (double)cols, low = 0;
        for (int64_t c = 0; c < cols; c++)
            low += x[c] - mean;
        low /= (double)cols;
        for (int64_t c = 0; c < cols; c++) {
            double d = (x[c] - mean) - low;
            square += d * d;
        }
        double rstd = 1.0 / sqrt(square / (double)cols + eps);

        num_get_array(t[n.y].o.dtype, t[n.y].after, r * t[n.y].o.stride[0], cols, got);
        for (int64_t c = 0; c < cols; c++) {
            double scaled = ((x[c] - mean) - low) * rstd * gamma[c];
            double s = fabs(scaled) + fabs(beta[c]) + TINY * (fabs(rstd * gamma[c]) + 1);
            ref_note(w, t, n.y, r, c, scaled + beta[c], s, got[c]);
        }
        if (n.mean >= 0 && t[n.mean].after) {
            double found = num_get(t[n.mean].o.dtype, t[n.mean].after, r);
            mean += low;
            if (!isfinite(mean))
                mean = isfinite(found) ? NAN : found;
            ref_note(w, t, n.mean, r, 0, mean, size / (double)cols + TINY, found);
        }
        if (n.rstd >= 0 && t[n.rstd].after)
            ref_note(w, t, n.rstd, r, 0, rstd, rstd, num_get(t[n.rstd].o.dtype, t[n.rstd].after, r));
    }
}

const struct ref_op ref_layernorm = {"layernorm", rows, compare, scratch_doubles};
