/* SPDX-License-Identifier: MIT */
/*
 * Tests any row-wise op has, over struct fly_op: every variant of the registry at its tile edges, the shapes
 * of shapes.inc with what selection picks, NaN and infinities, in place, strides, misaligned rows,
 * repeatability. A test file defines ROWWISE_OP and includes this; what is special about the op it adds.
 *
 * FLY_TEST_ARCH names the arch, so that the list of variants needs no device; unset: one case for all of the
 * device's variants. FLY_TEST_FULL=1 is the long tier.
 */
#ifndef TESTS_OPS_ROWWISE_H
#define TESTS_OPS_ROWWISE_H

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include "../support/check.h"

extern struct check_device rowwise_device;
extern int rowwise_failures;

void rowwise_open(void);  /* skips the case where no device is */
void rowwise_close(void);

/* A problem of the op with every field at its default but rows and cols; quantised outputs dynamic. */
struct fly_problem rowwise_problem(const struct fly_op *op, const uint8_t types[3], int64_t rows, int64_t cols);
void rowwise_set(struct fly_problem *p, const char *field, int64_t v);

/* Runs it; a failure is printed with what reproduces it and counted. Returns a hash of the outputs. */
uint64_t rowwise_run(const struct fly_problem *p, const struct check_options *opt);

bool rowwise_of_device(const struct fly_kernel *k); /* whether the device's arch is the kernel's */
/* Whether the device has kernels of these types: 8-bit floats differ. */
bool rowwise_has_types(const struct fly_op *op, const uint8_t types[3]);
size_t rowwise_variants(const struct fly_op *op, int **list); /* the first row of each types on FLY_TEST_ARCH, or one -1 */
void rowwise_variant(const struct fly_op *op, int row); /* all variants of the row's types and arch */
void rowwise_shapes(const struct fly_op *op);
void rowwise_repeats(const struct fly_op *op);
void rowwise_special(const struct fly_op *op);
/* Rows more than 4 GiB apart in every matrix, so that every row but the first lies beyond 32 bits of bytes: the same bits
 * as rows that lie together, with what selection picks, rows of odd width, single elements and loops. Memory between
 * rows is never touched, so the simulator needs none for it; all matrices share one allocation. */
void rowwise_far_apart(const struct fly_op *op);
/* More than `rows` rows for each row of each workgroup that stays for all rows, of few columns; with the op's field
 * atomic and without. */
void rowwise_many_rows(const struct fly_op *op, int64_t rows);
/* The first output in the place of each of the op's first `inputs` matrices, at equal strides; `with`: a field to
 * set to 1, or null. */
void rowwise_in_place(const struct fly_op *op, int inputs, const char *with);
/* The residual's sum in the place of x or of the residual, with the result apart or in the place of the other. */
void rowwise_add_in_place(const struct fly_op *op);

#define ROWWISE_TESTS(name)                                                                        \
    ParameterizedTestParameters(name, variant)                                                     \
    {                                                                                              \
        int *list;                                                                                 \
        size_t n = rowwise_variants(fly_op_table[FLY_OP_##name], &list);                           \
        return cr_make_param_array(int, list, n);                                                  \
    }                                                                                              \
    ParameterizedTest(int *row, name, variant, .init = rowwise_open, .fini = rowwise_close)        \
    {                                                                                              \
        rowwise_variant(fly_op_table[FLY_OP_##name], *row);                                        \
        cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);                        \
    }                                                                                              \
    Test(name, shapes, .init = rowwise_open, .fini = rowwise_close)                                \
    {                                                                                              \
        rowwise_shapes(fly_op_table[FLY_OP_##name]);                                               \
        cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);                        \
    }                                                                                              \
    Test(name, keeps_nan_and_infinities_in_their_row, .init = rowwise_open, .fini = rowwise_close) \
    {                                                                                              \
        rowwise_special(fly_op_table[FLY_OP_##name]);                                              \
        cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);                        \
    }                                                                                              \
    Test(name, rows_far_apart, .init = rowwise_open, .fini = rowwise_close)                        \
    {                                                                                              \
        rowwise_far_apart(fly_op_table[FLY_OP_##name]);                                            \
    }                                                                                              \
    Test(name, repeats_bit_for_bit, .init = rowwise_open, .fini = rowwise_close)                   \
    {                                                                                              \
        rowwise_repeats(fly_op_table[FLY_OP_##name]);                                              \
        cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);                        \
    }

#endif
