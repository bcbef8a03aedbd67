/* SPDX-License-Identifier: MIT */
/* The table of references, made from the build's list of ops, and the note of the worst element. */
#include "ref.h"

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

void ref_note(struct ref_worst *w, const struct ref_tensor *t, int operand, int64_t i, int64_t j, double exact,
              double s, double got)
{
    struct num_error e = num_error(t[operand].o.dtype, exact, s, got);
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
