/* SPDX-License-Identifier: MIT */
/*
 * Fused operations give the bits of what they fuse, where both round the same way: a norm that adds a residual those of
 * the sum taken first and normalised then, RMSNorm of f32 with 8-bit output those of flyQuantPerToken after the norm
 * with f32 output, if both sum a row in the same order, which kernels of the same tile do: on AMD those that are selected.
 * LayerNorm's codes may differ where quotients lie next to the middle of two.
 */
#include <math.h>
#include <stdio.h>
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

static bool same_tile(const struct fly_rowwise_tile *a, const struct fly_rowwise_tile *b)
{
    return a->threads == b->threads && a->vectors == b->vectors && a->vec == b->vec && a->passes == b->passes;
}

/* The device's kernel of op that gives `out` from f32 with k's tile; null: none. */
static const struct fly_kernel *twin_of(const struct fly_op *op, const struct fly_kernel *k, unsigned out)
{
    for (uint32_t i = 0; i < op->nkernels; i++) {
        const struct fly_kernel *other = &op->kernels[i];
        if (rowwise_of_device(other) && other->types[0] == FLY_DTYPE_F32 && other->types[1] == FLY_DTYPE_F32 &&
            other->types[2] == out && same_tile(&other->rowwise, &k->rowwise))
            return other;
    }
    return NULL;
}

/* Codes of products with a reciprocal: where they differ from those of quotients, the quotient of `normal` lies within
 * 2^-22 of the middle of both. */
static void compare_near(const void *codes, const void *others, const void *normal, const void *scales, unsigned dtype,
                         int64_t rows, int64_t cols, const char *what)
{
    struct fly_runtime *rt = rowwise_device.rt;
    const size_t n = (size_t)(rows * cols);
    char *a = malloc(n), *b = malloc(n);
    float *v = malloc(4 * n), *scale = malloc(4 * (size_t)rows);
    cr_assert(!rt->memory_to_host(rt, a, codes, n) && !rt->memory_to_host(rt, b, others, n) &&
              !rt->memory_to_host(rt, v, normal, 4 * n) && !rt->memory_to_host(rt, scale, scales, 4 * (size_t)rows));
    for (size_t i = 0; i < n; i++) {
        const double middle = (num_get(dtype, a, (int64_t)i) + num_get(dtype, b, (int64_t)i)) / 2;
        const double quotient = (double)v[i] / (double)scale[(int64_t)i / cols];
        if (a[i] != b[i] && !(fabs(quotient - middle) <= 0x1p-22 * fabs(quotient)))
            cr_expect_fail("%s: element %zu differs", what, i);
    }
    free(a);
    free(b);
    free(v);
    free(scale);
}

/* fused and plain: the names of the kernels to run, null for what selection takes. */
static void quantise_after(const struct fly_op *op, const uint8_t types[3], const char *fused, const char *plain,
                           int64_t rows, int64_t cols)
{
    struct fly_runtime *rt = rowwise_device.rt;
    const struct fly_op *quantise = fly_op_table[FLY_OP_quant];
    const uint8_t floats[3] = {FLY_DTYPE_F32, FLY_DTYPE_F32, FLY_DTYPE_F32};
    const uint8_t codes[3] = {FLY_DTYPE_F32, FLY_DTYPE_NONE, types[2]};
    struct fly_problem first = rowwise_problem(op, types, rows, cols), norm, then;
    struct check_options opt = {.pattern = FILL_MIXED, .seed = (uint64_t)cols};
    struct check_case c;
    struct check_result r;
    void *normal, *y, *scale, *ptr[FLY_MAX_OPERANDS];
    cr_assert(check_prepare(&c, &rowwise_device, &first, &opt, &r), "%s", r.message);
    fly_force(rowwise_device.handle, fused);
    check_launch(&c, &r);
    cr_assert_eq(r.status, FLY_STATUS_SUCCESS, "%s", r.message);
    const size_t bytes = num_bytes(types[2], rows * cols);
    cr_assert_eq(rt->memory_alloc(rt, (size_t)(4 * rows * cols), &normal), 0);
    cr_assert_eq(rt->memory_alloc(rt, bytes, &y), 0);
    cr_assert_eq(rt->memory_alloc(rt, (size_t)(4 * rows), &scale), 0);

    norm = rowwise_problem(op, floats, rows, cols);
    memcpy(ptr, c.ptr, sizeof ptr);
    ptr[operand(&c, "y")] = normal;
    ptr[operand(&c, "yscale")] = NULL;
    fly_force(rowwise_device.handle, plain);
    cr_assert_eq(op->run(rowwise_device.handle, &norm, ptr, NULL, 0), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(rowwise_device.handle));
    fly_force(rowwise_device.handle, NULL);
    then = rowwise_problem(quantise, codes, rows, cols);
    void *const operands[FLY_MAX_OPERANDS] = {normal, y, scale};
    cr_assert_eq(quantise->run(rowwise_device.handle, &then, operands, NULL, 0), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(rowwise_device.handle));
    cr_assert_eq(rt->device_sync(rt), 0);
    char what[200];
    const char *which = fused ? fused : op->name;
    snprintf(what, sizeof what, "%s, %lld rows of %lld columns: the codes", which, (long long)rows, (long long)cols);
    if (op->id == FLY_OP_rmsnorm)
        compare(c.ptr[operand(&c, "y")], y, bytes, what);
    else
        compare_near(c.ptr[operand(&c, "y")], y, normal, scale, types[2], rows, cols, what);
    snprintf(what, sizeof what, "%s, %lld rows of %lld columns: the scales", which, (long long)rows, (long long)cols);
    compare(c.ptr[operand(&c, "yscale")], scale, (size_t)(4 * rows), what);
    rt->memory_free(rt, normal);
    rt->memory_free(rt, y);
    rt->memory_free(rt, scale);
    check_release(&c);
}

Test(fused, quantised_output_has_the_bits_of_quantising_after, .init = rowwise_open, .fini = rowwise_close)
{
    static const enum fly_op_id ops[] = {FLY_OP_layernorm, FLY_OP_rmsnorm};
    int compared = 0;
    for (int o = 0; o < 2; o++) {
        const struct fly_op *op = fly_op_table[ops[o]];
        for (uint32_t i = 0; i < op->nkernels; i++) {
            const struct fly_kernel *k = &op->kernels[i];
            if (!rowwise_of_device(k) || k->types[0] != FLY_DTYPE_F32 || num_bytes(k->types[2], 1) != 1)
                continue;
            const struct fly_kernel *plain = twin_of(op, k, FLY_DTYPE_F32);
            const int64_t sweep = (int64_t)k->rowwise.threads * k->rowwise.vectors * k->rowwise.vec;
            if (!plain)
                continue;
            quantise_after(op, k->types, k->name, plain->name, FILL_FINITE, sweep);
            quantise_after(op, k->types, k->name, plain->name, FILL_FINITE,
                           sweep * (k->rowwise.passes == 1 ? 1 : 2) - k->rowwise.vec / 2);
            compared++;
        }
    }
    cr_assert_gt(compared, 0, "no two kernels have the same tile");
}

Test(fused, selection_gives_both_the_same_tile, .init = rowwise_open, .fini = rowwise_close)
{
    static const struct {
        int64_t rows, cols;
    } shapes[] = {{900, 7},   {1500, 64}, {3, 257},   {1500, 257}, {40, 768},   {600, 1000},
                  {5, 1025},  {200, 2000}, {70, 3001}, {3, 8192},   {2, 16383},  {2, 40000}};
    static const enum fly_op_id ops[] = {FLY_OP_layernorm, FLY_OP_rmsnorm};
    if (strncmp(rowwise_device.arch, "gfx", 3))
        return; /* NVIDIA has other tiles for either */
    for (int o = 0; o < 2; o++) {
        const struct fly_op *op = fly_op_table[ops[o]];
        for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++) {
            if (op->types[t][0] != FLY_DTYPE_F32 || op->types[t][2] != FLY_DTYPE_I8)
                continue;
            for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
                quantise_after(op, op->types[t], NULL, NULL, shapes[s].rows, shapes[s].cols);
        }
    }
}
