/* SPDX-License-Identifier: MIT */
/* flySoftmax against its reference. */
#include "rowwise.h"

ROWWISE_TESTS(softmax)

/* y in the place of x. */
Test(softmax, in_place, .init = rowwise_open, .fini = rowwise_close)
{
    rowwise_in_place(fly_op_table[FLY_OP_softmax], 1, NULL);
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}
