/* SPDX-License-Identifier: MIT */
/* Per-row quantisation of the row as it is: no rounding before, so no bound sum. */
#include "rowwise.h"

static int64_t scratch_doubles(const struct fly_problem *p)
{
    return 2 * ref_field(p, "cols");
}

static void compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                    double *scratch, struct ref_worst *w)
{
    int64_t cols = ref_field(p, "cols");
    double *x = scratch, *s = x + cols;
    for (int64_t r = from; r < to; r++) {
        ref_row(ref_operand(t, "x"), r, cols, 0, x);
        ref_row(NULL, r, cols, 0, s);
        ref_note_output(w, t, r, cols, x, s);
    }
}

const struct ref_op ref_quant = {"quant", ref_rowwise_rows, compare, scratch_doubles};
