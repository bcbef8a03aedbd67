/* SPDX-License-Identifier: MIT */
/* The table of references, made from the build's list of ops, and the note of the worst element. */
#include "ref.h"

#include <math.h>
#include <string.h>

#include "../support/num.h"

#define FLY_OP(name) extern const struct ref_op ref_##name;
#include "ops.inc"

static const struct ref_op *const table[] = {
#define FLY_OP(name) &ref_##name,
#include "ops.inc"
};

const struct ref_op *ref_find(const char *op)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (strcmp(table[i]->name, op) == 0)
            return table[i];
    return NULL;
}

static void note(struct ref_worst *w, int operand, int64_t i, int64_t j, double exact, double got, struct num_error e)
{
    int named = w->operand < 0 || e.c > w->c || (e.c == w->c && e.fraction > w->fraction);
    w->compared++;
    if (w->operand < 0 || e.fraction > w->fraction)
        w->fraction = e.fraction;
    if (!named)
        return;
    w->c = e.c;
    w->exact = exact;
    w->got = got;
    w->operand = operand;
    w->i = i;
    w->j = j;
}

void ref_note(struct ref_worst *w, const struct ref_tensor *t, int operand, int64_t i, int64_t j, double exact,
              double s, double got)
{
    note(w, operand, i, j, exact, got, num_error(t[operand].o.dtype, exact, s, got));
}

void ref_note_equal(struct ref_worst *w, int operand, int64_t i, int64_t j, double expected, double got)
{
    const bool equal = got == expected || (isnan(got) && isnan(expected));
    note(w, operand, i, j, expected, got, equal ? (struct num_error){0, 0} : (struct num_error){INFINITY, INFINITY});
}
