/* SPDX-License-Identifier: MIT */
/* A norm that adds a residual gives the bits of the sum taken first and normalised then. */
#include <stdlib.h>
#include <string.h>

#include "../support/fill.h"
#include "../support/num.h"
#include "core/handle.h"
#include "rowwise.h"

/* Index of the operand `name` of c's problem. */
static int operand(const struct check_case *c, const char *name)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (strcmp(c->b[i].o.name, name) == 0)
            return (int)i;
    cr_assert_fail("no operand %s", name);
    return -1;
}

static void compare(const void *a, const void *b, size_t bytes, const char *what)
{
    struct fly_runtime *rt = rowwise_device.rt;
    char *x = malloc(bytes), *y = malloc(bytes);
    cr_assert_eq(rt->memory_to_host(rt, x, a, bytes), 0);
    cr_assert_eq(rt->memory_to_host(rt, y, b, bytes), 0);
    cr_expect_eq(memcmp(x, y, bytes), 0, "%s differs", what);
    free(x);
    free(y);
}

static void add_first(const struct fly_op *op, const uint8_t types[3], int64_t rows, int64_t cols)
{
    struct fly_runtime *rt = rowwise_device.rt;
    const struct fly_op *add = fly_op_table[FLY_OP_vecadd];
    const uint8_t same[3] = {types[0], FLY_DTYPE_NONE, types[0]};
    const size_t bytes = num_bytes(types[0], rows * cols);
    struct fly_problem fused = rowwise_problem(op, types, rows, cols), alone = fused, sum;
    struct check_options opt = {.pattern = FILL_WIDE, .seed = (uint64_t)cols};
    struct check_case c;
    struct check_result r;
    void *added, *y, *ptr[FLY_MAX_OPERANDS];
    rowwise_set(&fused, "add", 1);
    fly_problem_init(add, same, &sum);
    rowwise_set(&sum, "n", rows * cols);
    cr_assert(check_prepare(&c, &rowwise_device, &fused, &opt, &r), "%s", r.message);
    check_launch(&c, &r);
    cr_assert_eq(r.status, FLY_STATUS_SUCCESS, "%s", r.message);
    const int x = operand(&c, "x"), residual = operand(&c, "residual"), residual_out = operand(&c, "residual_out");
    const int out = operand(&c, "y");

    cr_assert_eq(rt->memory_alloc(rt, bytes, &added), 0);
    cr_assert_eq(rt->memory_alloc(rt, bytes, &y), 0);
    void *const terms[FLY_MAX_OPERANDS] = {c.ptr[x], c.ptr[residual], added};
    cr_assert_eq(add->run(rowwise_device.handle, &sum, terms, NULL, 0), FLY_STATUS_SUCCESS);
    memcpy(ptr, c.ptr, sizeof ptr);
    ptr[x] = added;
    ptr[out] = y;
    ptr[residual] = ptr[residual_out] = NULL;
    cr_assert_eq(op->run(rowwise_device.handle, &alone, ptr, NULL, 0), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(rowwise_device.handle));
    cr_assert_eq(rt->device_sync(rt), 0);
    compare(c.ptr[residual_out], added, bytes, "the sum");
    compare(c.ptr[out], y, num_bytes(types[2], rows * cols), "the norm of the sum");
    rt->memory_free(rt, added);
    rt->memory_free(rt, y);
    check_release(&c);
}

Test(fused, add_has_the_bits_of_adding_first, .init = rowwise_open, .fini = rowwise_close)
{
    static const struct {
        int64_t rows, cols;
    } shapes[] = {{9, 64}, {5, 1000}, {4, 2000}, {3, 3001}, {3, 4097}, {2, 5000}, {2, 70001}};
    static const enum fly_op_id ops[] = {FLY_OP_layernorm, FLY_OP_rmsnorm};
    for (int o = 0; o < 2; o++) {
        const struct fly_op *op = fly_op_table[ops[o]];
        for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++)
            for (size_t s = 0; op->types[t][2] == op->types[t][0] && s < sizeof shapes / sizeof *shapes; s++)
                add_first(op, op->types[t], shapes[s].rows, shapes[s].cols);
    }
}

Test(layernorm, rows_far_apart, .init = rowwise_open, .fini = rowwise_close)
{
    rowwise_far_apart(fly_op_table[FLY_OP_layernorm]);
}
