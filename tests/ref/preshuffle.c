/* SPDX-License-Identifier: MIT */
/*
 * The shuffled layout, byte by byte from its formula: byte `at` of row `row` of B, zeros beyond n
 * and k. A difference of one bit is a failure.
 */
#include <math.h>
#include <stddef.h>

#include "../support/num.h"
#include "ref.h"

enum { SRC, DST }; /* operands, in the op's order */

static int64_t field(const struct fly_problem *p, const char *name)
{
    return p->v[fly_field_index(fly_op_table[p->op], name)];
}

static int64_t up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

/* Rows of B, padding included. */
static int64_t rows(const struct fly_problem *p)
{
    return up(field(p, "n"), 16) * field(p, "batch");
}

static int64_t scratch_doubles(const struct fly_problem *p)
{
    (void)p;
    return 1;
}

static void compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from,
                    int64_t to, double *scratch, struct ref_worst *w)
{
    int64_t n = field(p, "n"), bytes = (int64_t)num_bytes(t[SRC].o.dtype, 1),
            kb = field(p, "k") * bytes;
    int64_t column = field(p, "from"), padded = up(n, 16), kb64 = up(kb, 64) / 64;
    (void)scratch;
    for (int64_t r = from; r < to; r++) {
        int64_t batch = r / padded, row = r % padded;
        for (int64_t at = 0; at < kb64 * 64; at++) {
            int64_t lies =
                ((row / 16 * kb64 + at / 64) * 4 + at % 64 / 16) * 256 + row % 16 * 16 + at % 16;
            int64_t element =
                batch * t[SRC].o.stride[0] + (column ? at / bytes * t[SRC].o.stride[1] + row
                                                     : row * t[SRC].o.stride[1] + at / bytes);
            int want = row < n && at < kb
                           ? ((const uint8_t *)t[SRC].before)[element * bytes + at % bytes]
                           : 0;
            int got = ((const uint8_t *)t[DST].after)[batch * t[DST].o.stride[0] * bytes + lies];
            w->compared++;
            if (w->operand < 0 || (want != got && w->c == 0))
                *w = (struct ref_worst){want == got ? 0 : INFINITY,
                                        want == got ? 0 : INFINITY,
                                        want,
                                        got,
                                        DST,
                                        r,
                                        at,
                                        w->compared};
        }
    }
}

const struct ref_op ref_preshuffle = {"preshuffle", rows, compare, scratch_doubles};
