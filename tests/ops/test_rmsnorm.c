/* SPDX-License-Identifier: MIT */
/* flyRmsNorm against its reference. */
#include "rowwise.h"

ROWWISE_TESTS(rmsnorm)

/* The sum in the place of an addend, y in that of x. */
Test(rmsnorm, in_place, .init = rowwise_open, .fini = rowwise_close)
{
    rowwise_add_in_place(fly_op_table[FLY_OP_rmsnorm]);
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}
