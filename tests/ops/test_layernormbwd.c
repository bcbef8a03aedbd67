/* SPDX-License-Identifier: MIT */
/* flyLayerNormBackward against its reference. */
#include "rowwise.h"

ROWWISE_TESTS(layernormbwd)

/* So many rows that a program's sums go from registers to memory twice, with tiles that share a workgroup among
 * rows and one that does not; in order, and by atomics. */
Test(layernormbwd, adds_up_many_rows, .init = rowwise_open, .fini = rowwise_close)
{
    rowwise_many_rows(fly_op_table[FLY_OP_layernormbwd], 40);
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}

/* dx in the place of x, of dy and of dresidual. */
Test(layernormbwd, in_place, .init = rowwise_open, .fini = rowwise_close)
{
    rowwise_in_place(fly_op_table[FLY_OP_layernormbwd], 3, "add");
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}
