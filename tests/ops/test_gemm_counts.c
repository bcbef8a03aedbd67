/* SPDX-License-Identifier: MIT */
/*
 * What GEMM kernels do, by the simulator's counters: no LDS bank conflicts, matrix units the bound
 * of the large blocks with every other unit below 85 % of them, weights asked for once at decode.
 * L1 is taken at 64 bytes a clock and compute unit, which is an assumption.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include "../support/check.h"
#include "../support/num.h"
#include "core/arch.h"
#include "core/dtype.h"
#include "core/handle.h"
#include "flysim.h"
#include "ops/gemm_model.h"

enum { L1_BYTES = 64, SIMDS = 4, ISSUE = 4 };

static const struct fly_op *op(void)
{
    return fly_op_table[FLY_OP_gemm];
}

static struct check_device device;
static int (*reset_counts)(void);
static int (*get_counts)(struct flysim_counts *);
static const char *(*unit_name)(int);

static void open_simulator(void)
{
    char message[600];
    cr_assert(check_open(&device, 0, message, sizeof message), "%s", message);
    void *reset = device.rt->symbol(device.rt, "flysimResetCounts");
    void *get = device.rt->symbol(device.rt, "flysimGetCounts");
    void *name = device.rt->symbol(device.rt, "flysimUnitName");
    cr_assert(reset && get && name, "%s is not the simulator", device.rt->name);
    memcpy(&unit_name, &name, sizeof name);
    memcpy(&reset_counts, &reset, sizeof reset);
    memcpy(&get_counts, &get, sizeof get);
}

static void close_simulator(void)
{
    check_close(&device);
}

/* A problem on zeros: nothing is compared, and counts do not depend on data. */
static bool prepare(struct check_case *c, const struct fly_problem *p)
{
    struct fly_operand o[FLY_MAX_OPERANDS];
    struct fly_runtime *rt = device.rt;
    memset(c, 0, sizeof *c);
    c->d = &device;
    c->p = *p;
    c->op = op();
    c->n = op()->operands(p, o);
    for (uint32_t i = 0; i < c->n; i++) {
        c->b[i].o = o[i];
        c->b[i].alias = -1;
        c->b[i].bytes = o[i].present ? fly_operand_bytes(&o[i]) : 0;
        if (c->b[i].bytes && (rt->memory_alloc(rt, c->b[i].bytes, &c->b[i].device) ||
                              rt->memory_fill(rt, c->b[i].device, 0, c->b[i].bytes)))
            return false;
        c->ptr[i] = c->b[i].device;
    }
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    if (op()->plan(device.handle, p, c->ptr, &plan) != FLY_STATUS_SUCCESS)
        return false;
    c->workspace_bytes = plan.workspace_bytes;
    return !plan.workspace_bytes || !(rt->memory_alloc(rt, plan.workspace_bytes, &c->workspace) ||
                                      rt->memory_fill(rt, c->workspace, 0, plan.workspace_bytes));
}

/* Counts of one call with the kernel forced, or the one that is picked (null). */
static struct flysim_counts count(const struct fly_kernel *k, const char *text)
{
    struct flysim_counts c = {.size = sizeof c};
    struct check_case run;
    struct check_result r;
    struct fly_problem p;
    char why[300];
    cr_assert_eq(fly_problem_parse(text, &p, why, sizeof why), FLY_STATUS_SUCCESS, "%s: %s", text,
                 why);
    fly_force(device.handle, k ? k->name : NULL);
    cr_assert(prepare(&run, &p), "%s: %s", text, flyErrorMessage(device.handle));
    reset_counts();
    check_launch(&run, &r);
    cr_assert_eq(r.status, FLY_STATUS_SUCCESS, "%s", r.message);
    get_counts(&c);
    check_release(&run);
    fly_force(device.handle, NULL);
    return c;
}

/* "gemm:bf16:m=,n=,k=" for kernel k. */
static void problem_of(const struct fly_kernel *k, int64_t m, int64_t n, int64_t depth, char *text,
                       size_t bytes)
{
    struct fly_problem p;
    fly_problem_init(op(), k->types, &p);
    p.v[fly_field_index(op(), "m")] = m;
    p.v[fly_field_index(op(), "n")] = n;
    p.v[fly_field_index(op(), "k")] = depth;
    p.v[fly_field_index(op(), "lda")] = depth;
    p.v[fly_field_index(op(), "ldc")] = n;
    p.v[fly_field_index(op(), "split")] = 1;
    fly_problem_print(&p, text, bytes);
}

/* Variants of the arch whose loops differ: one type of result is enough. */
static bool chosen(const struct fly_kernel *k, const char *arch)
{
    return strcmp(fly_arch_row(k->arch)->name, arch) == 0 && k->gemm.m > 0 &&
           k->types[2] == FLY_DTYPE_BF16;
}

ParameterizedTestParameters(gemm_counts, loop)
{
    const char *arch = getenv("FLY_TEST_ARCH");
    size_t n = 0;
    int *list = cr_malloc(sizeof *list * (op()->nkernels + 1));
    for (uint32_t i = 0; arch && i < op()->nkernels; i++)
        if (chosen(&op()->kernels[i], arch))
            list[n++] = (int)i;
    if (n == 0)
        list[n++] = -1;
    return cr_make_param_array(int, list, n);
}

/* Whether the figures promise the matrix units as the bound: blocks of 64x256 and more, on CDNA4 of
 * 128x256, whose matrix units ask twice as much of L1. */
static bool matrix_bound(const struct fly_kernel *k)
{
    int area = k->gemm.m * k->gemm.n;
    bool fast = fly_arch_row(k->arch)->family == FLY_FAMILY_CDNA4;
    return area >= (fast ? 128 * 256 : 64 * 256) && k->gemm.n >= (fast ? 256 : 128);
}

ParameterizedTest(int *row, gemm_counts, loop, .init = open_simulator, .fini = close_simulator)
{
    if (*row < 0)
        cr_skip_test("no GEMM kernels for %s", device.arch);
    const struct fly_kernel *k = &op()->kernels[*row];
    const struct fly_gemm_tile *t = &k->gemm;
    char text[FLY_MAX_PROBLEM_TEXT];
    problem_of(k, t->m, t->n, 48 * t->k, text, sizeof text);
    struct flysim_counts c = count(k, text);
    double waves = k->block / 64.0, matrix = (double)c.matrix_cycles / SIMDS;
    double asked = (double)(c.read_bytes + c.write_bytes + c.param_bytes);
    uint64_t issued = 0;
    for (int i = 0; i < FLYSIM_CLASSES; i++)
        issued += c.instructions[i];
    const struct {
        const char *unit;
        double share;
    } shares[] = {
        {"L1", asked / L1_BYTES / matrix},
        {"LDS", (double)c.lds_cycles / matrix},
        {"VALU", (double)c.valu_cycles / (double)c.matrix_cycles},
        {"issue", (double)issued * ISSUE / waves / ((double)c.matrix_cycles / waves)},
    };
    cr_expect_eq(c.lds_conflict_cycles, 0, "%s: %llu cycles of bank conflicts", k->name,
                 (unsigned long long)c.lds_conflict_cycles);
    cr_expect_eq(c.spills, 0, "%s spills", k->name);
    cr_expect_eq(c.agprs, 0, "%s has accumulation registers", k->name);
    for (size_t i = 0; matrix_bound(k) && i < sizeof shares / sizeof *shares; i++)
        cr_expect_lt(shares[i].share, 0.85, "%s: %s is busy %.2f of the matrix units' time",
                     k->name, shares[i].unit, shares[i].share);
}

/* All units on a problem of prefill size, L2 and memory included: 32 waves spread over the grid,
 * each line of A and B once from memory. Rows are long, and as short as the share that C has of L1's
 * work leaves below the limit: lines of C over those of A and B go as 1 / k. */
Test(gemm_counts, prefill_is_bound_by_matrix_units, .init = open_simulator, .fini = close_simulator)
{
    enum { M = 4096, N = 8192, LONG = 8192, SHORT = 2048, WAVES = 32 }; /* bytes of a row of A */
    int (*sample)(uint64_t, uint64_t);
    void *symbol = device.rt->symbol(device.rt, "flysimSample");
    int kernels = 0;
    cr_assert_not_null(symbol);
    memcpy(&sample, &symbol, sizeof sample);
    for (uint32_t i = 0; i < 2 * op()->nkernels; i++) {
        const struct fly_kernel *k = &op()->kernels[i / 2];
        const int64_t row = i % 2 ? SHORT : LONG;
        char text[FLY_MAX_PROBLEM_TEXT];
        struct flysim_counts c = {.size = sizeof c};
        struct check_case run;
        struct check_result r;
        struct fly_problem p;
        /* CDNA3 has room; the assembly stores C in halves of lines. */
        bool tight = !strcmp(device.arch, "gfx950") && !strstr(k->name, "_asm");
        if (!chosen(k, device.arch) || !matrix_bound(k) || (row == SHORT && !tight))
            continue;
        const int64_t depth = row / (int64_t)num_bytes(k->types[0], 1);
        problem_of(k, M, N, depth, text, sizeof text);
        cr_assert_eq(fly_problem_parse(text, &p, NULL, 0), FLY_STATUS_SUCCESS, "%s", text);
        fly_force(device.handle, k->name);
        cr_assert(prepare(&run, &p), "%s: %s", text, flyErrorMessage(device.handle));
        sample(WAVES, (uint64_t)((M + N) * row));
        reset_counts();
        check_launch(&run, &r);
        sample(0, 0);
        cr_assert_eq(r.status, FLY_STATUS_SUCCESS, "%s", r.message);
        get_counts(&c);
        check_release(&run);
        cr_expect_str_eq(c.bound, "matrix", "%s is bound by %s", k->name, c.bound);
        cr_expect_lt(c.simulated_workgroups, c.workgroups);
        char line[300] = "";
        for (int u = 0; u < FLYSIM_UNITS; u++) {
            double share = c.unit_ns[u] / c.unit_ns[FLYSIM_MATRIX_UNIT];
            size_t at = strlen(line);
            if (u == FLYSIM_MATRIX_UNIT)
                continue;
            snprintf(line + at, sizeof line - at, " %s %.2f", unit_name(u), share);
            cr_expect_lt(share, 0.85, "%s: %s is busy %.2f of the matrix units' time", k->name,
                         unit_name(u), share);
        }
        fprintf(stderr, "%s, k=%lld, L1 at %d B/clk (assumed), of the matrix units' time:%s\n",
                k->name, (long long)depth, FLYSIM_L1_BYTES, line);
        kernels++;
    }
    fly_force(device.handle, NULL);
    cr_expect_gt(kernels, 0);
}

/* The bound that selection goes by is the one that counts of the pick come to, parts of k and the
 * launch that adds them up included. */
Test(gemm_counts, selection_models_what_is_counted, .init = open_simulator, .fini = close_simulator)
{
    static const char *const problems[] = {
        "gemm:bf16:m=256,n=2112,k=7168",         "gemm:i8,bf16:m=512,n=2112,k=7168,scale=rc",
        "gemm:bf16:m=64,n=4096,k=4096",          "gemm:f16:m=17,n=5120,k=8192",
        "gemm:bf16,f32:m=1024,n=8192,k=2048",    "gemm:i8,bf16:m=5120,n=2048,k=8320,scale=rc",
        "gemm:bf16:m=100,n=3000,k=4096,epi=bias"};
    int (*sample)(uint64_t, uint64_t), (*mark)(const void *, size_t);
    void *symbols[] = {device.rt->symbol(device.rt, "flysimSample"),
                       device.rt->symbol(device.rt, "flysimMarkParam")};
    cr_assert(symbols[0] && symbols[1]);
    memcpy(&sample, &symbols[0], sizeof sample);
    memcpy(&mark, &symbols[1], sizeof mark);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        struct flysim_counts c = {.size = sizeof c};
        struct check_case run;
        struct check_result r;
        struct fly_problem p;
        flyPlan_t plan = FLY_ARGS_INIT(plan);
        const struct fly_kernel *k = NULL;
        cr_assert_eq(fly_problem_parse(problems[i], &p, NULL, 0), FLY_STATUS_SUCCESS);
        cr_assert(prepare(&run, &p), "%s", flyErrorMessage(device.handle));
        cr_assert_eq(op()->plan(device.handle, &p, run.ptr, &plan), FLY_STATUS_SUCCESS);
        for (uint32_t j = 0; j < op()->nkernels; j++)
            if (!strcmp(op()->kernels[j].name, plan.kernel))
                k = &op()->kernels[j];
        for (uint32_t j = 3; j < run.n; j++) /* scales and bias */
            if (run.b[j].device)
                mark(run.b[j].device, run.b[j].bytes);
        if (run.workspace)
            mark(run.workspace, run.workspace_bytes);
        sample(64, run.b[0].bytes + run.b[1].bytes);
        reset_counts();
        check_launch(&run, &r);
        sample(0, 0);
        cr_assert_eq(r.status, FLY_STATUS_SUCCESS, "%s", r.message);
        get_counts(&c);
        check_release(&run);
        const struct fly_gemm_shape s = {
            p.v[fly_field_index(op(), "m")], p.v[fly_field_index(op(), "n")],
            p.v[fly_field_index(op(), "k")], 1,
            fly_dtype_bits(p.types[0]),      fly_dtype_bits(p.types[2])};
        const struct fly_target *t = &device.handle->device->target;
        struct fly_gemm_estimate e = fly_gemm_estimate(k, &s, t, plan.grid[1]);
        double us = e.microseconds / e.cycles * fly_gemm_bound_cycles(k, &s, t, plan.grid[1]);
        double ratio = us / (c.modelled_ns * 1e-3);
        cr_expect(ratio > 0.95 && ratio < 1.02,
                  "%s: %s in %u parts is bound to %.2f us by the model, "
                  "%.2f by count",
                  problems[i], k->name, plan.grid[1], us, c.modelled_ns * 1e-3);
    }
}

/* A sample of the grid counts as all of it does, when all blocks are alike. */
Test(gemm_counts, samples_extrapolate, .init = open_simulator, .fini = close_simulator)
{
    static const char text[] = "gemm:bf16:m=512,n=2048,k=512,split=1";
    int (*sample)(uint64_t, uint64_t);
    void *symbol = device.rt->symbol(device.rt, "flysimSample");
    cr_assert_not_null(symbol);
    memcpy(&sample, &symbol, sizeof sample);
    struct flysim_counts all = count(NULL, text);
    sample(32, 0);
    struct flysim_counts some = count(NULL, text);
    sample(0, 0);
    cr_expect_eq(all.workgroups, all.simulated_workgroups);
    cr_expect_eq(some.workgroups, all.workgroups);
    cr_expect_eq(some.waves, all.waves);
    cr_expect_leq(some.simulated_workgroups, 8);
    for (int i = 0; i < FLYSIM_CLASSES; i++)
        cr_expect_eq(some.instructions[i], all.instructions[i], "class %d: %llu, %llu", i,
                     (unsigned long long)some.instructions[i],
                     (unsigned long long)all.instructions[i]);
    cr_expect_eq(some.read_bytes, all.read_bytes);
    cr_expect_eq(some.write_bytes, all.write_bytes);
    cr_expect_eq(some.matrix_cycles, all.matrix_cycles);
}

/* At decode no line of an operand is read that need not be, and none twice from memory: parts of k,
 * which caches serve, apart. */
Test(gemm_counts, decode_moves_what_it_must, .init = open_simulator, .fini = close_simulator)
{
    static const char *const problems[] = {"gemm:bf16:m=1,n=4096,k=4096",
                                           "gemm:bf16:m=16,n=5120,k=4096",
                                           "gemm:bf16:m=17,n=2048,k=7168",
                                           "gemm:f16:m=32,n=4096,k=4096",
                                           "gemm:bf16:m=8,n=2064,k=2088",
                                           "gemm:i8,bf16:m=32,n=5120,k=8192,scale=rc",
                                           "gemm:i8,bf16:m=16,n=10240,k=5120,scale=rc",
                                           "gemm:fp8,bf16:m=16,n=5120,k=8192,scale=rc",
                                           "gemm:fp8,bf16:m=32,n=2112,k=7168,scale=rc"};
    int (*mark)(const void *, size_t);
    void *symbol = device.rt->symbol(device.rt, "flysimMarkParam");
    cr_assert_not_null(symbol);
    memcpy(&mark, &symbol, sizeof mark);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        struct flysim_counts c = {.size = sizeof c};
        struct check_case run;
        struct check_result r;
        struct fly_problem p;
        uint64_t ideal, params;
        char text[FLY_MAX_PROBLEM_TEXT];
        const char *fp8 = strstr(problems[i], "fp8"); /* the arch's own encoding */
        snprintf(text, sizeof text, "%.*s%s%s", fp8 ? 5 : 0, problems[i],
                 !fp8                             ? ""
                 : !strcmp(device.arch, "gfx942") ? "e4m3z"
                                                  : "e4m3",
                 fp8 ? fp8 + 3 : problems[i]);
        cr_assert_eq(fly_problem_parse(text, &p, NULL, 0), FLY_STATUS_SUCCESS, "%s", text);
        cr_assert(prepare(&run, &p), "%s: %s", text, flyErrorMessage(device.handle));
        if (run.workspace)
            mark(run.workspace, run.workspace_bytes);
        reset_counts();
        check_launch(&run, &r);
        cr_assert_eq(r.status, FLY_STATUS_SUCCESS, "%s", r.message);
        get_counts(&c);
        op()->ideal_bytes(&p, &ideal, &params);
        double unique = (double)(c.first_read_bytes + c.first_write_bytes);
        cr_expect_leq(unique, 1.03 * (double)ideal, "%s: %.0f bytes, %.3f of what must move", text,
                      unique, unique / (double)ideal);
        cr_expect_geq(unique, 0.99 * (double)ideal, "%s: %.0f bytes, %.3f of what must move", text,
                      unique, unique / (double)ideal);
        check_release(&run);
    }
}

/* At decode the weights are asked for once, and A once a block of columns. */
Test(gemm_counts, decode_asks_for_weights_once, .init = open_simulator, .fini = close_simulator)
{
    static const int64_t rows[] = {1, 16, 17, 32};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[FLY_MAX_PROBLEM_TEXT];
        struct fly_problem p;
        flyPlan_t plan = FLY_ARGS_INIT(plan);
        void *none[FLY_MAX_OPERANDS] = {0};
        const int64_t m = rows[i], n = 2048, k = 4096;
        snprintf(text, sizeof text, "gemm:bf16:m=%lld,n=%lld,k=%lld,split=1", (long long)m,
                 (long long)n, (long long)k);
        cr_assert_eq(fly_problem_parse(text, &p, NULL, 0), FLY_STATUS_SUCCESS);
        if (op()->plan(device.handle, &p, none, &plan) != FLY_STATUS_SUCCESS)
            cr_skip_test("%s", flyErrorMessage(device.handle));
        const struct fly_kernel *kernel = NULL;
        for (uint32_t j = 0; j < op()->nkernels; j++)
            if (!strcmp(op()->kernels[j].name, plan.kernel))
                kernel = &op()->kernels[j];
        cr_assert_leq(m, kernel->gemm.m, "%s would ask for B twice", plan.kernel);
        struct flysim_counts c = count(NULL, text);
        int64_t blocks = (n + kernel->gemm.n - 1) / kernel->gemm.n;
        /* A of a block: its rows, and once more the last tile of a slice, which a clamped prefetch
         * repeats. */
        double a = (double)(blocks * m) * (double)(k + kernel->gemm.slices * kernel->gemm.k) * 2, b = (double)(n * k) * 2;
        double got = (double)c.read_bytes;
        cr_expect_leq(got, 1.01 * b + 1.01 * a, "%s: %.0f bytes asked for, B has %.0f, A %.0f",
                      plan.kernel, got, b, a);
        cr_expect_geq(got, b, "%s: %.0f bytes asked for, B has %.0f", plan.kernel, got, b);
    }
}
