/* SPDX-License-Identifier: MIT */
/*
 * That the checks find mistakes: a LayerNorm on the host stands in for the GPU's, right or with one fault
 * planted, and check_problem must pass or fail it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "check.h"
#include "fill.h"
#include "num.h"

enum fault {
    NONE,
    ONE_ELEMENT_OFF,    /* by two units in the last place, in f32 twenty */
    ROW_NOT_WRITTEN,
    WRITES_BEFORE,      /* the element before the output */
    WRITES_BEHIND,
    WRITES_BETWEEN_ROWS,
    WRITES_INPUT,
    NAN_ELEMENT,
    SQUARES_MINUS_MEAN, /* E[x^2] - mean^2 in f32 */
    WRONG_RSTD,
    WRONG_MEAN,
    NOISE,              /* two runs differ in a last bit */
    LAUNCH_FAILS
};

static enum fault fault;
static unsigned dtype;
static int runs;
static struct check_device device;

static const void *argument(const char *args, const char *name, uint32_t *bytes)
{
    const struct fly_op *op = fly_op_table[FLY_OP_layernorm];
    for (uint32_t i = 0; i < op->nkernargs; i++)
        if (strcmp(op->kernargs[i].name, name) == 0) {
            *bytes = op->kernargs[i].size;
            return args + op->kernargs[i].offset;
        }
    cr_assert_fail("no kernel argument %s", name);
    return NULL;
}

static char *pointer(const char *args, const char *name)
{
    uint32_t bytes;
    char *p;
    memcpy(&p, argument(args, name, &bytes), sizeof p);
    return p;
}

static int64_t integer(const char *args, const char *name)
{
    uint32_t bytes;
    int64_t v = 0; /* little endian, and not negative here */
    const void *at = argument(args, name, &bytes);
    memcpy(&v, at, bytes);
    return v;
}

static int launch(struct fly_runtime *rt, void *function, const uint32_t grid[3], const uint32_t block[3],
                  uint32_t lds_bytes, void *stream, void *kernargs, size_t kernarg_bytes, uint32_t cluster,
                  bool overlap)
{
    (void)rt, (void)cluster, (void)overlap, (void)function, (void)grid, (void)block, (void)lds_bytes, (void)stream, (void)kernarg_bytes;
    char *x = pointer(kernargs, "x"), *y = pointer(kernargs, "y");
    char *gamma = pointer(kernargs, "gamma"), *beta = pointer(kernargs, "beta");
    char *mean_out = pointer(kernargs, "mean"), *rstd_out = pointer(kernargs, "rstd");
    int64_t rows = integer(kernargs, "rows"), cols = integer(kernargs, "cols");
    int64_t ldx = integer(kernargs, "ldx"), ldy = integer(kernargs, "ldy");
    float eps;
    uint32_t bytes;
    memcpy(&eps, argument(kernargs, "eps", &bytes), sizeof eps);
    if (fault == LAUNCH_FAILS)
        return 1;
    runs++;
    for (int64_t r = 0; r < rows; r++) {
        double mean = 0, var = 0, square = 0;
        for (int64_t c = 0; c < cols; c++)
            mean += num_get(dtype, x, r * ldx + c) / (double)cols;
        for (int64_t c = 0; c < cols; c++) {
            double v = num_get(dtype, x, r * ldx + c);
            var += (v - mean) * (v - mean) / (double)cols;
            square += v * v / (double)cols;
        }
        if (fault == SQUARES_MINUS_MEAN)
            var = fmaxf((float)square - (float)mean * (float)mean, 0);
        double rstd = 1 / sqrt(var + eps);
        if (fault == ROW_NOT_WRITTEN && r == rows - 1)
            continue;
        for (int64_t c = 0; c < cols; c++) {
            double v = (num_get(dtype, x, r * ldx + c) - mean) * rstd;
            if (gamma)
                v *= num_get(dtype, gamma, c);
            if (beta)
                v += num_get(dtype, beta, c);
            bool one = r == rows / 2 && c == cols / 3;
            if (one && fault == ONE_ELEMENT_OFF)
                v += (dtype == FLY_DTYPE_F32 ? 20 : 2) * num_ulp(dtype, v);
            if (one && fault == NOISE && runs % 2)
                v = num_round(dtype, v) + num_ulp(dtype, v);
            if (one && fault == NAN_ELEMENT)
                v = NAN;
            num_put(dtype, y, r * ldy + c, v);
        }
        if (mean_out)
            num_put(FLY_DTYPE_F32, mean_out, r, fault == WRONG_MEAN ? mean + 1e-3 : mean);
        if (rstd_out)
            num_put(FLY_DTYPE_F32, rstd_out, r, fault == WRONG_RSTD ? rstd * (1 + 1e-5) : rstd);
    }
    if (fault == WRITES_BEFORE)
        num_put(dtype, y, -1, 1.0);
    if (fault == WRITES_BEHIND)
        num_put(dtype, y, (rows - 1) * ldy + cols, 1.0);
    if (fault == WRITES_BETWEEN_ROWS)
        num_put(dtype, y, cols, 1.0);
    if (fault == WRITES_INPUT)
        num_put(dtype, x, 0, 1.0);
    return 0;
}

static void open_host(void)
{
    char message[300];
    struct fly_runtime *rt = fly_runtime_null("gfx942", 304);
    rt->launch = launch;
    cr_assert(check_open_on(&device, rt, 0, message, sizeof message), "%s", message);
}

static void run(enum fault f, unsigned type, int pattern, const struct check_options *base, struct check_result *r)
{
    char text[200];
    struct fly_problem p;
    struct check_options opt = *base;
    static const char *const token[] = {[FLY_DTYPE_F32] = "f32", [FLY_DTYPE_F16] = "f16", [FLY_DTYPE_BF16] = "bf16"};
    snprintf(text, sizeof text, "layernorm:%s:rows=31,cols=200,ldx=203,ldy=203,mean=1,rstd=1", token[type]);
    cr_assert_eq(fly_problem_parse(text, &p, text, sizeof text), FLY_STATUS_SUCCESS, "%s", text);
    fault = f;
    dtype = type;
    opt.pattern = pattern;
    check_problem(&device, &p, &opt, r);
}

Test(check, passes_what_is_right, .init = open_host)
{
    struct check_result r;
    for (unsigned type = FLY_DTYPE_F32; type <= FLY_DTYPE_BF16; type++)
        for (int i = 0; i < 8; i++) {
            struct check_options opt = {.seed = (uint64_t)i, .in_place = i & 1, .exact = i >> 1 & 1, .shift = {3, 1, 2, 5}};
            run(NONE, type, i & 4 ? FILL_SPECIAL : FILL_MIXED, &opt, &r);
            cr_assert_eq(r.outcome, CHECK_PASS, "%s", r.message);
            cr_assert_gt(r.worst.compared, 0);
        }
}

Test(check, fails_what_is_wrong, .init = open_host)
{
    struct check_result r;
    struct check_options opt = {.seed = 3};
    for (unsigned type = FLY_DTYPE_F32; type <= FLY_DTYPE_BF16; type++)
        for (int f = ONE_ELEMENT_OFF; f <= LAUNCH_FAILS; f++) {
            if (f == NOISE)
                continue;
            run((enum fault)f, type, f == SQUARES_MINUS_MEAN ? FILL_OFFSET_ULPS : FILL_NORMAL, &opt, &r);
            cr_expect_eq(r.outcome, CHECK_FAIL, "fault %d was not seen: %s", f, r.message);
            cr_expect(strstr(r.message, "layernorm:") && strstr(r.message, "seed=3"), "%s", r.message);
        }
}

Test(check, hashes_differ_where_bits_do, .init = open_host)
{
    struct check_result a, b;
    struct check_options opt = {.seed = 3};
    run(NONE, FLY_DTYPE_BF16, FILL_NORMAL, &opt, &a);
    run(NONE, FLY_DTYPE_BF16, FILL_NORMAL, &opt, &b);
    cr_assert_eq(a.hash, b.hash);
    run(NOISE, FLY_DTYPE_BF16, FILL_NORMAL, &opt, &a);
    run(NOISE, FLY_DTYPE_BF16, FILL_NORMAL, &opt, &b);
    cr_assert_neq(a.hash, b.hash);
}

/* One row of C = A B, in f16 with B all 1.5, whose products with factors below `below` are left out. */
static double gemm_c(double below, double flushed)
{
    enum { N = 16, K = 64 };
    uint16_t a[K], b[N * K];
    float out[N];
    struct fly_problem p;
    struct fly_operand o[FLY_MAX_OPERANDS];
    struct ref_tensor t[FLY_MAX_OPERANDS] = {0};
    struct ref_worst worst = {.operand = -1};
    const struct ref_op *ref = ref_find("gemm");
    double sum = 0;
    char text[200] = "gemm:f16,f32:m=1,n=16,k=64";
    cr_assert_eq(fly_problem_parse(text, &p, text, sizeof text), FLY_STATUS_SUCCESS, "%s", text);
    const uint32_t operands = fly_op_table[p.op]->operands(&p, o);
    for (int64_t i = 0; i < K; i++) {
        num_put(FLY_DTYPE_F16, a, i, (double)(i + 1) * 0x1p-19); /* 2^-14 is the 32nd */
        double v = num_get(FLY_DTYPE_F16, a, i);
        sum += v < below ? 0 : 1.5 * v;
    }
    for (int64_t i = 0; i < N * K; i++)
        num_put(FLY_DTYPE_F16, b, i, 1.5);
    for (int64_t i = 0; i < N; i++)
        num_put(FLY_DTYPE_F32, out, i, sum);
    for (uint32_t i = 0; i < operands; i++)
        t[i].o = o[i];
    t[0] = (struct ref_tensor){.o = o[0], .before = a, .after = a, .flushed = flushed};
    t[1] = (struct ref_tensor){.o = o[1], .before = b, .after = b, .flushed = flushed};
    t[2] = (struct ref_tensor){.o = o[2], .after = out};
    double *scratch = calloc((size_t)ref->scratch_doubles(&p) + 1, sizeof *scratch);
    ref->compare(&p, t, 0, 1, scratch, &worst);
    free(scratch);
    return worst.c;
}

Test(check, matrix_units_that_flush_may_lose_subnormal_factors_only)
{
    const double normal = num_min_normal(FLY_DTYPE_F16);
    cr_expect_lt(gemm_c(0, 0), 1);
    cr_expect_gt(gemm_c(normal, 0), 1000);
    cr_expect_leq(gemm_c(normal, normal), NUM_C);
    cr_expect_gt(gemm_c(normal * 1.02, normal), NUM_C); /* one product more */
}
