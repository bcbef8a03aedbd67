/* SPDX-License-Identifier: MIT */
/* Element-wise sum, rounded once; compared in pieces of 4096 elements. */
#include "rowwise.h"

#include "../support/num.h"

enum { PIECE = 4096 };

static int64_t pieces(const struct fly_problem *p)
{
    return (ref_field(p, "n") + PIECE - 1) / PIECE;
}

static int64_t scratch_doubles(const struct fly_problem *p)
{
    (void)p;
    return 0;
}

static void compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                    double *scratch, struct ref_worst *w)
{
    const struct ref_tensor *a = ref_operand(t, "a"), *b = ref_operand(t, "b"), *y = ref_operand(t, "y");
    int64_t n = ref_field(p, "n"), last = to * PIECE < n ? to * PIECE : n;
    (void)scratch;
    for (int64_t i = from * PIECE; i < last; i++) {
        double sum = num_get(a->o.dtype, a->before, i) + num_get(b->o.dtype, b->before, i);
        ref_note(w, t, (int)(y - t), 0, i, sum, 0, num_get(y->o.dtype, y->after, i));
    }
}

const struct ref_op ref_vecadd = {"vecadd", pieces, compare, scratch_doubles};
