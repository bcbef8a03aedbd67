/* SPDX-License-Identifier: MIT */
/* Launches of problems with more work-items than a launch may have: parts, each with its own
 * pointers. */
#include <string.h>

#include "fault.h"
#include "ops/rowwise.h"
#include "unit.h"

static int64_t argument_of(const struct fly_op *op, const struct fault_launch *l, const char *name)
{
    int i = 0;
    while (strcmp(op->kernargs[i].name, name))
        i++;
    int64_t v = 0;
    if (op->kernargs[i].size == 4) {
        int32_t narrow;
        memcpy(&narrow, l->kernargs + op->kernargs[i].offset, 4);
        return narrow;
    }
    memcpy(&v, l->kernargs + op->kernargs[i].offset, sizeof v);
    return v;
}

static int64_t argument(const struct fault_launch *l, const char *name)
{
    return argument_of(fly_op_find("layernorm"), l, name);
}

static void check_parts(flyHandle_t h, flyLayerNormArgs_t *a, unsigned element)
{
    fault.launches = 0;
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    cr_assert_eq(flyLayerNormPlan(h, a, &plan), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    cr_assert_eq(flyLayerNorm(h, a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    cr_assert_eq((uint32_t)fault.launches, plan.launches);
    cr_assert_leq(fault.launches, FAULT_LAUNCHES);
    const struct fly_kernel *k = fly_registry_find(plan.kernel, NULL);
    int64_t row = 0;
    for (int i = 0; i < fault.launches; i++) {
        const struct fault_launch *l = &fault.launch[i];
        int64_t rows = argument(l, "rows");
        cr_assert_gt(rows, 0);
        cr_assert_eq(argument(l, "x"), (int64_t)(uintptr_t)a->x + row * a->ldx * element);
        cr_assert_eq(argument(l, "y"), (int64_t)(uintptr_t)a->y + row * a->ldy * element);
        cr_assert_eq(argument(l, "mean"), (int64_t)(uintptr_t)a->mean + row * 4);
        cr_assert_eq(argument(l, "rstd"), 0);
        cr_assert_eq(argument(l, "gamma"), (int64_t)(uintptr_t)a->gamma);
        cr_assert_leq((uint64_t)l->grid[0] * k->block, UINT64_C(0xffffffff));
        cr_assert_eq(l->grid[0], (uint32_t)((rows + k->rowwise.rows - 1) / k->rowwise.rows));
        if (i + 1 < fault.launches)
            cr_assert_eq(rows % k->rowwise.rows, 0);
        row += rows;
    }
    cr_assert_eq(row, a->rows);
    cr_assert_eq(plan.grid[0], fault.launch[0].grid[0]);
}

Test(launch, large_problems_go_in_parts)
{
    static const int64_t cols[] = {1, 64, 1000, 8192, 100000};
    struct fly_runtime *rt = fault_runtime();
    flyHandle_t h;
    cr_assert_eq(fly_create_on(rt, -1, &h), FLY_STATUS_SUCCESS);
    flyLayerNormArgs_t a = unit_layernorm();
    a.mean = (float *)(uintptr_t)a.y;
    for (unsigned c = 0; c < sizeof cols / sizeof *cols; c++) {
        flyPlan_t plan = FLY_ARGS_INIT(plan);
        a.rows = 1;
        a.cols = cols[c];
        a.ldx = cols[c] + 8;
        a.ldy = cols[c] + 3;
        cr_assert_eq(flyLayerNormPlan(h, &a, &plan), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
        int64_t most = fly_rowwise_rows_per_launch(fly_registry_find(plan.kernel, NULL));
        const int64_t rows[] = {1, 1000, most - 1, most, most + 1, 3 * most, 3 * most + 7};
        for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
            a.rows = rows[r];
            check_parts(h, &a, 2);
        }
    }
    flyDestroy(h);
}

Test(launch, a_failing_part_ends_the_call)
{
    struct fly_runtime *rt = fault_runtime();
    flyHandle_t h;
    cr_assert_eq(fly_create_on(rt, -1, &h), FLY_STATUS_SUCCESS);
    flyLayerNormArgs_t a = unit_layernorm();
    a.rows = INT64_C(1) << 33;
    fault.point = FAULT_LAUNCH;
    fault.after = 1;
    fault.code = 719;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_RUNTIME_ERROR);
    cr_assert_eq(fault.launches, 1);
    cr_assert(strstr(flyErrorMessage(h), "on fire"), "%s", flyErrorMessage(h));
    flyDestroy(h);
}

/* What a kernel of sm90a is told of where vectors lie, 0 where it takes single elements and is told nothing; -1: refused. */
#define ALIGNED(function, op, args)                                                                                  \
    (memset(fault.launch, 0, sizeof fault.launch),           \
     fault.launches = 0, function(h, &(args)) == FLY_STATUS_SUCCESS                                                  \
                             ? (int)argument_of(fly_op_find(op), &fault.launch[0], "aligned")                        \
                             : -1)

/* A kernel that took vectors where they are not aligned would fault: every operand, distance and width counts. */
Test(launch, kernels_learn_where_vectors_lie)
{
    static _Alignas(64) char memory[512];
    char *const at = memory, *const to = memory + 64, *const more = memory + 128, *const sum = memory + 192;
    char *const off = memory + 256 + 2, *const code_off = memory + 256 + 4;
    flyHandle_t h;
    cr_assert_eq(fly_create_on(fault_runtime_of("sm90a"), -1, &h), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(NULL));

    flyLayerNormArgs_t n = FLY_ARGS_INIT(n);
    n.rows = 4, n.cols = 1000, n.dtype = FLY_DTYPE_BF16, n.eps = 1e-5f;
    n.x = n.gamma = n.beta = at, n.y = to;
    cr_expect_eq(ALIGNED(flyLayerNorm, "layernorm", n), 1);
#define EXPECT(function, op, args, change, value)                                                                    \
    do {                                                                                                             \
        __typeof__(args) it = args;                                                                                  \
        change;                                                                                                      \
        cr_expect_eq(ALIGNED(function, op, it), value, "%s: %s", op, #change);                                       \
    } while (0)
    EXPECT(flyLayerNorm, "layernorm", n, it.x = off, 0);
    EXPECT(flyLayerNorm, "layernorm", n, it.y = off, 0);
    EXPECT(flyLayerNorm, "layernorm", n, it.gamma = off, 0);
    EXPECT(flyLayerNorm, "layernorm", n, it.beta = off, 0);
    EXPECT(flyLayerNorm, "layernorm", n, (it.gamma = NULL, it.beta = NULL), 1);
    EXPECT(flyLayerNorm, "layernorm", n, it.cols = 1001, 0);
    EXPECT(flyLayerNorm, "layernorm", n, it.ldx = 1004, 0);
    EXPECT(flyLayerNorm, "layernorm", n, it.ldy = 1004, 0);
    EXPECT(flyLayerNorm, "layernorm", n, (it.ldx = 1004, it.rows = 1), 1);
    EXPECT(flyLayerNorm, "layernorm", n, it.mean = (float *)(memory + 4), 1);
    n.residual = more, n.residual_out = sum;
    EXPECT(flyLayerNorm, "layernorm", n, it.residual = off, 0);
    EXPECT(flyLayerNorm, "layernorm", n, it.residual_out = off, 0);
    EXPECT(flyLayerNorm, "layernorm", n, it.ldr = 1004, 0);
    EXPECT(flyLayerNorm, "layernorm", n, it.ldro = 1004, 0);
    n.residual = n.residual_out = NULL;
    n.ydtype = FLY_DTYPE_I8, n.yscale = (float *)memory;
    EXPECT(flyLayerNorm, "layernorm", n, it.y = to + 8, 1);
    EXPECT(flyLayerNorm, "layernorm", n, it.y = code_off, 0);
    EXPECT(flyLayerNorm, "layernorm", n, it.xscale = off, 0);

    flyRmsNormArgs_t r = FLY_ARGS_INIT(r);
    r.rows = 4, r.cols = 1000, r.dtype = FLY_DTYPE_BF16, r.eps = 1e-5f;
    r.x = r.gamma = at, r.y = to;
    EXPECT(flyRmsNorm, "rmsnorm", r, it.cols = 1000, 1);
    EXPECT(flyRmsNorm, "rmsnorm", r, it.x = off, 0);
    EXPECT(flyRmsNorm, "rmsnorm", r, it.y = off, 0);
    EXPECT(flyRmsNorm, "rmsnorm", r, it.gamma = off, 0);
    EXPECT(flyRmsNorm, "rmsnorm", r, it.ldx = 1004, 0);
    EXPECT(flyRmsNorm, "rmsnorm", r, it.ldy = 1004, 0);
    r.residual = more, r.residual_out = sum;
    EXPECT(flyRmsNorm, "rmsnorm", r, it.residual = off, 0);
    EXPECT(flyRmsNorm, "rmsnorm", r, it.residual_out = off, 0);
    EXPECT(flyRmsNorm, "rmsnorm", r, it.ldr = 1004, 0);
    EXPECT(flyRmsNorm, "rmsnorm", r, it.ldro = 1004, 0);
    r.residual = r.residual_out = NULL;
    r.ydtype = FLY_DTYPE_I8, r.yscale = (float *)memory;
    EXPECT(flyRmsNorm, "rmsnorm", r, it.y = code_off, 0);
    EXPECT(flyRmsNorm, "rmsnorm", r, it.xscale = off, 0);

    flySoftmaxArgs_t s = FLY_ARGS_INIT(s);
    s.rows = 4, s.cols = 1000, s.dtype = FLY_DTYPE_F32, s.scale = 1;
    s.x = at, s.y = to;
    EXPECT(flySoftmax, "softmax", s, it.cols = 1000, 1);
    EXPECT(flySoftmax, "softmax", s, it.cols = 1002, 0);
    EXPECT(flySoftmax, "softmax", s, it.x = code_off, 0);
    EXPECT(flySoftmax, "softmax", s, it.y = code_off, 0);
    EXPECT(flySoftmax, "softmax", s, it.ldx = 1002, 0);
    EXPECT(flySoftmax, "softmax", s, it.ldy = 1002, 0);

    flySoftmaxBackwardArgs_t b = FLY_ARGS_INIT(b);
    b.rows = 4, b.cols = 1000, b.dtype = FLY_DTYPE_BF16, b.scale = 1;
    b.y = at, b.dy = more, b.dx = to;
    EXPECT(flySoftmaxBackward, "softmaxbwd", b, it.cols = 1000, 1);
    EXPECT(flySoftmaxBackward, "softmaxbwd", b, it.y = off, 0);
    EXPECT(flySoftmaxBackward, "softmaxbwd", b, it.dy = off, 0);
    EXPECT(flySoftmaxBackward, "softmaxbwd", b, it.dx = off, 0);
    EXPECT(flySoftmaxBackward, "softmaxbwd", b, it.ldy = 1004, 0);
    EXPECT(flySoftmaxBackward, "softmaxbwd", b, it.lddy = 1004, 0);
    EXPECT(flySoftmaxBackward, "softmaxbwd", b, it.lddx = 1004, 0);

    flyQuantPerTokenArgs_t q = FLY_ARGS_INIT(q);
    q.rows = 4, q.cols = 1000, q.dtype = FLY_DTYPE_BF16, q.ydtype = FLY_DTYPE_I8;
    q.x = at, q.y = to, q.yscale = (float *)memory;
    EXPECT(flyQuantPerToken, "quant", q, it.cols = 1000, 1);
    EXPECT(flyQuantPerToken, "quant", q, it.x = off, 0);
    EXPECT(flyQuantPerToken, "quant", q, it.y = code_off, 0);
    EXPECT(flyQuantPerToken, "quant", q, it.ldx = 1004, 0);
    EXPECT(flyQuantPerToken, "quant", q, it.ldy = 1004, 0);
    flyDestroy(h);
}
