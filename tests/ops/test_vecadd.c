/* SPDX-License-Identifier: MIT */
/* flyVecAdd against its reference: one sum an element, rounded once, so every bit is checked. */
#include "rowwise.h"

#include <fly/vecadd.h>

#include "../support/fill.h"
#include "core/handle.h"

static const struct fly_op *op(void)
{
    return fly_op_table[FLY_OP_vecadd];
}

static void add(const uint8_t types[3], int64_t n, unsigned way)
{
    struct fly_problem p;
    uint64_t bits = 0x9e3779b97f4a7c15u * (way + 1);
    struct check_options opt = {.pattern = way % 3 == 2 ? FILL_WIDE : way % 3 ? FILL_DENORMAL : FILL_NORMAL,
                                .seed = way, .in_place = way % 4 == 1, .in_place_of = way / 4 % 2, .exact = way % 2};
    fly_problem_init(op(), types, &p);
    rowwise_set(&p, "n", n);
    for (int i = 0; i < 3; i++)
        opt.shift[i] = way % 5 ? (uint8_t)(bits >> (8 + 6 * i) & 31) : 0;
    rowwise_run(&p, &opt);
}

/* Every variant at the edges of a vector, of a wave's and of a workgroup's piece, in place or not, with all
 * three vectors at unlike addresses. */
Test(vecadd, variants_at_their_edges, .init = rowwise_open, .fini = rowwise_close)
{
    unsigned way = 0;
    for (uint32_t i = 0; i < op()->nkernels; i++) {
        const struct fly_kernel *k = &op()->kernels[i];
        const int64_t piece = (int64_t)k->block * k->rowwise.vectors * k->rowwise.vec, vec = k->rowwise.vec;
        const int64_t sizes[] = {1, vec - 1, vec, vec + 1, 64 * vec - 3, piece - 33, piece - 1, piece, piece + 1,
                                 2 * piece, 3 * piece + vec + 1, 5 * piece - 7};
        if (!rowwise_of_device(k))
            continue;
        fly_force(rowwise_device.handle, k->name);
        for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++, way++)
            add(k->types, sizes[n], way);
    }
    fly_force(rowwise_device.handle, NULL);
    cr_assert_gt(way, 0);
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}

Test(vecadd, shapes_and_special_values, .init = rowwise_open, .fini = rowwise_close)
{
    static const int64_t sizes[] = {0, 1, 2, 3, 65, 1000, 4096, 65536, 100003, 1 << 20};
    for (int t = 0; op()->types[t][0]; t++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int pattern = FILL_FINITE; pattern < FILL_PATTERNS; pattern++) {
                struct check_options opt = {.pattern = pattern == FILL_HUGE ? FILL_LARGE : pattern, .seed = i};
                struct fly_problem p;
                fly_problem_init(op(), op()->types[t], &p);
                rowwise_set(&p, "n", sizes[i]);
                if (sizes[i] < 100000 || pattern == FILL_NAN)
                    rowwise_run(&p, &opt);
            }
    cr_assert_eq(rowwise_failures, 0, "%d failures", rowwise_failures);
}

Test(vecadd, refuses_what_its_contract_says, .init = rowwise_open, .fini = rowwise_close)
{
    flyHandle_t h = rowwise_device.handle;
    char *some = (char *)0x10000; /* refused before anybody looks */
    flyVecAddArgs_t good = FLY_ARGS_INIT(good), a;
    good.n = 5, good.a = some, good.b = some + 64, good.y = some + 128, good.dtype = FLY_DTYPE_F32;
    a = good, a.n = -1;
    cr_expect_eq(flyVecAdd(h, &a), FLY_STATUS_INVALID_VALUE);
    a = good, a.a = NULL;
    cr_expect_eq(flyVecAdd(h, &a), FLY_STATUS_INVALID_VALUE);
    a = good, a.b = some + 2;
    cr_expect_eq(flyVecAdd(h, &a), FLY_STATUS_INVALID_VALUE);
    a = good, a.y = NULL;
    cr_expect_eq(flyVecAdd(h, &a), FLY_STATUS_INVALID_VALUE);
    a = good, a.dtype = FLY_DTYPE_NONE;
    cr_expect_eq(flyVecAdd(h, &a), FLY_STATUS_INVALID_VALUE);
    a = good, a.dtype = FLY_DTYPE_I8;
    cr_expect_eq(flyVecAdd(h, &a), FLY_STATUS_NOT_SUPPORTED);
    a = good, a.reserved = 1;
    cr_expect_eq(flyVecAdd(h, &a), FLY_STATUS_INVALID_VALUE);
    a = good, a.n = 0;
    cr_expect_eq(flyVecAdd(h, &a), FLY_STATUS_SUCCESS);
}
