/* SPDX-License-Identifier: MIT */
/* What the references of row-wise operations share. */
#include "rowwise.h"

#include <math.h>
#include <string.h>

#include "../support/num.h"

int64_t ref_field(const struct fly_problem *p, const char *name)
{
    int i = fly_field_index(fly_op_table[p->op], name);
    return i < 0 ? 0 : p->v[i];
}

const struct ref_tensor *ref_operand(const struct ref_tensor *t, const char *name)
{
    for (int i = 0; i < FLY_MAX_OPERANDS && t[i].o.name; i++)
        if (strcmp(t[i].o.name, name) == 0)
            return t[i].before || t[i].after ? &t[i] : NULL;
    return NULL;
}

void ref_row(const struct ref_tensor *t, int64_t r, int64_t cols, double none, double *out)
{
    if (t)
        num_get_array(t->o.dtype, t->before, t->o.rank == 1 ? 0 : r * t->o.stride[0], cols, out);
    else
        for (int64_t c = 0; c < cols; c++)
            out[c] = none;
}

void ref_note_row(struct ref_worst *w, const struct ref_tensor *t, const struct ref_tensor *o, int64_t r,
                  int64_t cols, const double *exact, const double *s)
{
    if (!o)
        return;
    int64_t row = o->o.rank == 1 ? 0 : r * o->o.stride[0];
    for (int64_t c = 0; c < cols; c++)
        ref_note(w, t, (int)(o - t), r, c, exact[c], s[c], num_get(o->o.dtype, o->after, row + c));
}

void ref_note_one(struct ref_worst *w, const struct ref_tensor *t, const struct ref_tensor *o, int64_t i,
                  double exact, double s)
{
    if (o)
        ref_note(w, t, (int)(o - t), i, 0, exact, s, num_get(o->o.dtype, o->after, i));
}

void ref_note_output(struct ref_worst *w, const struct ref_tensor *t, int64_t r, int64_t cols, double *v, double *s)
{
    const struct ref_tensor *y = ref_operand(t, "y"), *yscale = ref_operand(t, "yscale");
    const struct ref_tensor *xscale = ref_operand(t, "xscale");
    if (yscale) {
        double largest = 0, bound = 0;
        for (int64_t c = 0; c < cols; c++) {
            if (xscale) {
                double x = num_get(xscale->o.dtype, xscale->before, c);
                v[c] *= x;
                s[c] = s[c] * fabs(x) + REF_TINY; /* the product may underflow */
            }
            if (isnan(v[c]) || fabs(v[c]) > largest) { /* a NaN stays the largest */
                largest = fabs(v[c]);
                bound = s[c];
            } else if (fabs(v[c]) + NUM_C * NUM_U * s[c] >= largest && s[c] > bound) {
                bound = s[c]; /* another element may be the largest after rounding */
            }
            if (isnan(largest))
                break;
        }
        double scale = largest / num_max(y->o.dtype);
        /* 1 where it rounds to 0; as near half of the smallest number as the row's results are exact, either. */
        const double edge = NUM_C * NUM_U * (scale + bound / num_max(y->o.dtype));
        const bool either = fabs(scale - num_min_denormal(FLY_DTYPE_F32) / 2) <= edge;
        if (either ? num_get(yscale->o.dtype, yscale->after, r) == 1 : (float)scale == 0)
            scale = 1;
        ref_note_one(w, t, yscale, r, scale, largest == 0 ? 0 : scale + bound / num_max(y->o.dtype));
        if (!isfinite(scale)) /* such a row has no codes worth a contract beyond NaN staying NaN */
            return;
        /* Below the normal numbers the scale that codes are made with is rounded to few bits. */
        const double coarse = scale < num_min_normal(FLY_DTYPE_F32) ? num_min_denormal(FLY_DTYPE_F32) / 2 / scale : 0;
        for (int64_t c = 0; c < cols; c++) {
            v[c] /= scale;
            s[c] = (s[c] + fabs(v[c]) * bound / num_max(y->o.dtype)) / scale +
                   fabs(v[c]) * (2 + coarse / (NUM_C * NUM_U));
        }
    }
    ref_note_row(w, t, y, r, cols, v, s);
}

void ref_added_row(struct ref_worst *w, const struct ref_tensor *t, int64_t r, int64_t cols, double *x)
{
    const struct ref_tensor *in = ref_operand(t, "x"), *residual = ref_operand(t, "residual");
    const struct ref_tensor *out = ref_operand(t, "residual_out");
    ref_row(in, r, cols, 0, x);
    if (!residual)
        return;
    for (int64_t c = 0; c < cols; c++) {
        double sum = x[c] + num_get(residual->o.dtype, residual->before, r * residual->o.stride[0] + c);
        x[c] = num_round(in->o.dtype, sum);
        /* The sum of two 16-bit numbers is exact in f32, so it is rounded once: no bound sum. */
        ref_note(w, t, (int)(out - t), r, c, x[c], 0, num_get(out->o.dtype, out->after, r * out->o.stride[0] + c));
    }
}

int64_t ref_rowwise_rows(const struct fly_problem *p)
{
    return ref_field(p, "rows");
}

bool ref_too_small(double variance)
{
    return variance > 0 && variance < 0x1p-126;
}
