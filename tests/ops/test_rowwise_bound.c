/* SPDX-License-Identifier: MIT */
/*
 * Memory is the bound of row-wise operations on rows of 4 MiB and a little, and of some of 32 MiB, by the simulator's
 * model: no unit takes longer than HBM. Where one does, rowwise_bound.inc names the problem with its share, which must
 * not grow. Launches are sampled: WAVES of them run, and what they count stands for all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "../support/check.h"
#include "core/dtype.h"
#include "core/handle.h"
#include "flysim.h"

enum { INPUT_BYTES = 4 << 20, MANY_BYTES = 32 << 20, WAVES = 128 };

static const struct {
    const char *arch, *problem, *bound;
    double share; /* of HBM's time */
} exceptions[] = {
#define ROWWISE_BOUND(arch, problem, bound, share) {arch, problem, bound, share},
#include "rowwise_bound.inc"
};

static struct check_device device;
static int (*mark)(const void *, size_t), (*reset_counts)(void), (*get_counts)(struct flysim_counts *);
static int (*sample)(uint64_t, uint64_t);
static const char *(*unit_name)(int);
static int failures, problems;

static void open_simulator(void)
{
    char message[600];
    cr_assert(check_open(&device, 0, message, sizeof message), "%s", message);
    *(void **)&mark = device.rt->symbol(device.rt, "flysimMarkParam");
    *(void **)&reset_counts = device.rt->symbol(device.rt, "flysimResetCounts");
    *(void **)&get_counts = device.rt->symbol(device.rt, "flysimGetCounts");
    *(void **)&unit_name = device.rt->symbol(device.rt, "flysimUnitName");
    *(void **)&sample = device.rt->symbol(device.rt, "flysimSample");
    cr_assert(mark && reset_counts && get_counts && unit_name && sample, "%s is not the simulator", device.rt->name);
    sample(WAVES, 0);
}

static void close_simulator(void)
{
    check_close(&device);
}

/* A buffer of one small value: in every float type 0x3c in all bytes is one. */
static void *filled(size_t bytes)
{
    void *p = NULL;
    cr_assert(!device.rt->memory_alloc(device.rt, bytes, &p) && !device.rt->memory_fill(device.rt, p, 0x3c, bytes));
    return p;
}

/* Nothing is compared: operands are the same everywhere. */
static void prepare(struct check_case *c, const struct fly_problem *p)
{
    struct fly_operand o[FLY_MAX_OPERANDS];
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    memset(c, 0, sizeof *c);
    c->d = &device;
    c->p = *p;
    c->op = fly_op_table[p->op];
    c->n = c->op->operands(p, o);
    for (uint32_t i = 0; i < c->n; i++) {
        c->b[i].o = o[i];
        c->b[i].alias = -1;
        c->b[i].bytes = o[i].present ? fly_operand_bytes(&o[i]) : 0;
        if (c->b[i].bytes)
            c->b[i].device = filled(c->b[i].bytes);
        c->ptr[i] = c->b[i].device;
        if (o[i].present && o[i].role == FLY_PARAM)
            mark(c->b[i].device, c->b[i].bytes);
    }
    cr_assert_eq(c->op->plan(device.handle, p, c->ptr, &plan), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(device.handle));
    c->workspace_bytes = plan.workspace_bytes;
    if (plan.workspace_bytes) {
        c->workspace = filled(plan.workspace_bytes);
        mark(c->workspace, c->workspace_bytes);
    }
}

static void judge(const char *text)
{
    struct flysim_counts c = {.size = sizeof c};
    struct check_case run;
    struct check_result r;
    struct fly_problem p;
    char why[300];
    double limit = 1;
    cr_assert_eq(fly_problem_parse(text, &p, why, sizeof why), FLY_STATUS_SUCCESS, "%s: %s", text, why);
    prepare(&run, &p);
    reset_counts();
    check_launch(&run, &r);
    cr_assert_eq(r.status, FLY_STATUS_SUCCESS, "%s", r.message);
    get_counts(&c);
    check_release(&run);
    int most = 0;
    for (int u = 1; u < FLYSIM_UNITS; u++)
        if (c.unit_ns[u] > c.unit_ns[most])
            most = u;
    double share = c.unit_ns[most] / c.unit_ns[FLYSIM_HBM];
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (!strcmp(exceptions[i].arch, device.arch) && !strcmp(exceptions[i].problem, text))
            limit = exceptions[i].share;
    problems++;
    if (share > limit + 0.005) {
        failures++;
        fprintf(stderr, "ROWWISE_BOUND(\"%s\", \"%s\", \"%s\", %.2f)\n", device.arch, text, unit_name(most),
                share + 0.005);
    }
}

static void judge_rows(const char *form, const char *type, int element, long long bytes, long long cols)
{
    char text[FLY_MAX_PROBLEM_TEXT];
    const long long rows = (bytes + element * cols - 1) / (element * cols);
    if (strstr(form, "%s,%s"))
        snprintf(text, sizeof text, form, type, type, rows, cols);
    else
        snprintf(text, sizeof text, form, type, rows, cols);
    judge(text);
}

Test(rowwise_bound, memory_is_the_bound, .init = open_simulator, .fini = close_simulator)
{
    static const char *const forms[] = {
        "layernorm:%s:rows=%lld,cols=%lld", "layernorm:%s:rows=%lld,cols=%lld,add=1",
        "layernorm:%s,%s,i8:rows=%lld,cols=%lld,quant=dynamic", "rmsnorm:%s:rows=%lld,cols=%lld",
        "rmsnorm:%s:rows=%lld,cols=%lld,add=1", "rmsnorm:%s,%s,i8:rows=%lld,cols=%lld,quant=dynamic",
        "softmax:%s:rows=%lld,cols=%lld", "softmaxbwd:%s:rows=%lld,cols=%lld", "layernormbwd:%s:rows=%lld,cols=%lld",
        "rmsnormbwd:%s:rows=%lld,cols=%lld", "quant:%s,i8:rows=%lld,cols=%lld"};
    static const char *const types[] = {"f32", "bf16", "f16"};
    static const int64_t cols[] = {64, 768, 1000, 3001, 4096, 8192};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
            for (size_t i = 0; i < sizeof cols / sizeof *cols; i++) {
                if (t == 2 && cols[i] % 1000) /* float16 takes the instructions of bfloat16 or fewer */
                    continue;
                judge_rows(forms[f], types[t], t ? 2 : 4, INPUT_BYTES, cols[i]);
                if (t == 1 && (cols[i] == 1000 || cols[i] == 8192))
                    judge_rows(forms[f], types[t], 2, MANY_BYTES, cols[i]);
            }
    /* Rows of odd width, which share waves and begin anywhere in a line, of what takes most instructions. */
    static const int64_t odd[] = {257, 385, 513, 769, 1025, 1537, 2049};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        judge_rows(forms[2], "bf16", 2, MANY_BYTES, odd[i]);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        char text[FLY_MAX_PROBLEM_TEXT];
        snprintf(text, sizeof text, "vecadd:%s:n=%d", types[t], INPUT_BYTES / (t ? 2 : 4));
        judge(text);
    }
    printf("%d problems, %zu named exceptions on all targets\n", problems, sizeof exceptions / sizeof *exceptions);
    cr_assert_eq(failures, 0, "%d problems are not bound by memory and not named", failures);
}
