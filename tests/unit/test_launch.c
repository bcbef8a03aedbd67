/* SPDX-License-Identifier: MIT */
/* Launches of problems with more work-items than a launch may have: parts, each with its own
 * pointers. */
#include <string.h>

#include "fault.h"
#include "ops/rowwise.h"
#include "unit.h"

static int64_t argument(const struct fault_launch *l, const char *name)
{
    const struct fly_op *op = fly_op_find("layernorm");
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
