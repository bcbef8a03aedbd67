/* SPDX-License-Identifier: MIT */
/*
 * Gradient of softmax, in double: dx = scale y (dy - sum(dy y)). S of the bound: |scale y| (|dy| + sum|dy y|).
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
    double scale = fly_field_to_float(ref_field(p, "scale"));
    double *dy = scratch, *y = dy + cols, *dx = y + cols, *s = dx + cols;
    for (int64_t r = from; r < to; r++) {
        double dot = 0, size = 0;
        ref_row(ref_operand(t, "dy"), r, cols, 0, dy);
        ref_row(ref_operand(t, "y"), r, cols, 0, y);
        for (int64_t c = 0; c < cols; c++) {
            dot += dy[c] * y[c];
            size += fabs(dy[c] * y[c]);
        }
        for (int64_t c = 0; c < cols; c++) {
            dx[c] = scale * y[c] * (dy[c] - dot);
            s[c] = fabs(scale * y[c]) * (fabs(dy[c]) + size);
        }
        ref_note_row(w, t, ref_operand(t, "dx"), r, cols, dx, s);
    }
}

const struct ref_op ref_softmaxbwd = {"softmaxbwd", ref_rowwise_rows, compare, scratch_doubles};
