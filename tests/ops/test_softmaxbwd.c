/* SPDX-License-Identifier: MIT */
/* flySoftmaxBackward against its reference. */
#include "rowwise.h"

ROWWISE_TESTS(softmaxbwd)

/* dx in the place of dy and of y. */
Test(softmaxbwd, in_place, .init = rowwise_open, .fini = rowwise_close)
{
    rowwise_in_place(fly_op_table[FLY_OP_softmaxbwd], 2, NULL);
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}
