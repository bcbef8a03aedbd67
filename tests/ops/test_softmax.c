/* SPDX-License-Identifier: MIT */
/* flySoftmax against its reference. */
#include "rowwise.h"

#include "../support/fill.h"

ROWWISE_TESTS(softmax)

/* What hidden columns hold does not matter; a NaN or +inf in a visible one makes all of its row NaN. */
Test(softmax, nan_and_infinities_beside_masks, .init = rowwise_open, .fini = rowwise_close)
{
    static const int64_t cols[] = {7, 65, 1000, 3001, 8192, 40001};
    const struct fly_op *op = fly_op_table[FLY_OP_softmax];
    for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++)
        for (size_t c = 0; c < sizeof cols / sizeof *cols; c++) {
            const int64_t rows = (cols[c] < 8192 ? 4 : 1) * (FILL_PATTERNS - FILL_FINITE);
            struct fly_problem p = rowwise_problem(op, op->types[t], rows, cols[c]);
            struct check_options opt = {.pattern = FILL_SPECIAL, .seed = c};
            rowwise_set(&p, "lengths", c % 3 != 1);
            rowwise_set(&p, "causal", c % 3 != 0);
            rowwise_set(&p, "causal_rows", c % 3 ? rows / 2 : rows);
            rowwise_run(&p, &opt);
        }
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}

/* y in the place of x. */
Test(softmax, in_place, .init = rowwise_open, .fini = rowwise_close)
{
    rowwise_in_place(fly_op_table[FLY_OP_softmax], 1, NULL);
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}
