/* SPDX-License-Identifier: MIT */
/*
 * flyLayerNorm against its reference on a device, which FLY_RUNTIME and FLYSIM_DEVICES choose: every
 * variant of the registry at its tile edges, the shapes of shapes.inc with the variant selection picks,
 * special values, in place, strides, misaligned rows, repeatability, wrong arguments.
 *
 * FLY_TEST_ARCH names the arch, so that the list of variants needs no device; unset: one case for all of
 * the device's variants. FLY_TEST_FULL=1 is the long tier.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <fly/layernorm.h>

#include "../support/check.h"
#include "../support/fill.h"
#include "../support/num.h"
#include "core/arch.h"
#include "core/handle.h"

static const unsigned dtypes[] = {FLY_DTYPE_F32, FLY_DTYPE_F16, FLY_DTYPE_BF16};

static bool full_tier(void)
{
    const char *v = getenv("FLY_TEST_FULL");
    return v && strcmp(v, "0") != 0;
}

/* ---- the device, one a case: Criterion runs each in its own process ------------------------------- */

static struct check_device device;

static void open_device(void)
{
    char message[600];
    if (check_open(&device, 0, message, sizeof message))
        return;
    if (getenv("FLY_TEST_ARCH"))
        cr_assert_fail("%s", message);
    cr_skip_test("no runtime with a GPU on this machine");
}

static void close_device(void)
{
    check_close(&device);
}

/* ---- problems --------------------------------------------------------------------------------------- */

struct shape {
    int64_t rows, cols;
    int64_t pad_x, pad_y; /* elements between rows */
    bool gamma, beta, mean, rstd;
    float eps;
};

static void set(struct fly_problem *p, const char *name, int64_t v)
{
    int i = fly_field_index(fly_op_table[FLY_OP_layernorm], name);
    cr_assert_geq(i, 0, "layernorm has no field %s", name);
    p->v[i] = v;
}

static struct fly_problem problem(unsigned dtype, const struct shape *s)
{
    struct fly_problem p;
    uint8_t types[3] = {(uint8_t)dtype, (uint8_t)dtype, (uint8_t)dtype};
    fly_problem_init(fly_op_table[FLY_OP_layernorm], types, &p);
    set(&p, "rows", s->rows);
    set(&p, "cols", s->cols);
    set(&p, "ldx", s->cols + s->pad_x);
    set(&p, "ldy", s->cols + s->pad_y);
    set(&p, "ldr", s->cols);
    set(&p, "ldro", s->cols);
    set(&p, "gamma", s->gamma);
    set(&p, "beta", s->beta);
    set(&p, "mean", s->mean);
    set(&p, "rstd", s->rstd);
    set(&p, "eps", fly_field_from_float(s->eps));
    return p;
}

/* The n-th way to dress a shape: with or without each option, rows and buffers shifted, data of another
 * kind. Consecutive n differ in everything, and 64 of them hold every pair of choices. */
static void dress(unsigned n, unsigned dtype, struct shape *s, struct check_options *opt)
{
    uint64_t b = fill_bits(77, n);
    int es = (int)num_bytes(dtype, 1);
    s->gamma = b & 1;
    s->beta = b >> 1 & 1;
    s->mean = b >> 2 & 1;
    s->rstd = b >> 3 & 1;
    s->eps = b >> 4 & 1 ? 1e-5f : b >> 5 & 1 ? 1e-2f : 1e-12f;
    s->pad_x = b >> 6 & 1 ? 0 : b >> 7 & 1 ? 16 / es : 1 + (int64_t)(b >> 8 & 3);
    opt->in_place = (b >> 10 & 3) == 0;
    s->pad_y = opt->in_place ? s->pad_x : b >> 12 & 1 ? 0 : 1 + (int64_t)(b >> 13 & 7);
    opt->exact = b >> 16 & 1;
    opt->pattern = n % 3 ? FILL_MIXED : FILL_NORMAL;
    opt->seed = b >> 32;
    for (int i = 0; i < FLY_MAX_OPERANDS; i++)
        opt->shift[i] = b >> 17 & 1 ? 0 : (uint8_t)(fill_bits(78, n * 16u + (unsigned)i) & 7);
}

/* A failure keeps the case going; its line says how to run it again. */
static int failures;

static void verdict(const struct check_result *r)
{
    if (r->outcome == CHECK_PASS)
        return;
    fprintf(stderr, "%s\n", r->message);
    failures += r->outcome == CHECK_FAIL;
}

static void run_dressed(unsigned dtype, int64_t rows, int64_t cols, unsigned n)
{
    struct shape s = {.rows = rows, .cols = cols};
    struct check_options opt = {0};
    struct check_result r;
    dress(n, dtype, &s, &opt);
    struct fly_problem p = problem(dtype, &s);
    check_problem(&device, &p, &opt, &r);
    verdict(&r);
}

/* ---- every variant at its tile edges ---------------------------------------------------------------- */

static const struct fly_op *op(void)
{
    return fly_op_table[FLY_OP_layernorm];
}

static int add_edges(int64_t *list, int n, int64_t edge)
{
    for (int64_t d = -1; d <= 1; d++)
        if (edge + d >= 1)
            list[n++] = edge + d;
    return n;
}

static void run_variant(const struct fly_kernel *k)
{
    const struct fly_rowwise_tile *t = &k->rowwise;
    unsigned dtype = k->types[0];
    int64_t step = (int64_t)t->threads * t->vec, capacity = step * t->vectors;
    int64_t cols[64], rows[8];
    int ncols = 0, nrows = 0;
    unsigned n = 1000u * (unsigned)(k - op()->kernels);

    cols[ncols++] = 1;
    cols[ncols++] = t->vec + 1;
    cols[ncols++] = step / 2 + 3;
    ncols = add_edges(cols, ncols, step);
    ncols = add_edges(cols, ncols, capacity);
    cols[ncols++] = capacity - t->vec;
    if (t->passes > 1 || capacity < 2048)
        cols[ncols++] = 2 * capacity + 5;
    if (full_tier()) {
        for (int v = 2; v < t->vectors; v++)
            ncols = add_edges(cols, ncols, v * step);
        ncols = add_edges(cols, ncols, t->vec);
        ncols = add_edges(cols, ncols, t->threads);
        cols[ncols++] = 3 * capacity;
    }
    rows[nrows++] = 1;
    rows[nrows++] = 2 * t->rows + 1;
    rows[nrows++] = t->rows;
    if (t->rows > 1)
        rows[nrows++] = t->rows - 1;

    fly_force(device.handle, k->name);
    for (int c = 0; c < ncols; c++) {
        struct shape s = {.rows = 1, .cols = cols[c], .eps = 1e-5f};
        struct fly_problem p = problem(dtype, &s);
        if (cols[c] < 1 || op()->fits(k, &p))
            continue;
        for (int i = 0; i < nrows; i++)
            if (full_tier() || i == c % nrows)
                for (int times = full_tier() ? 4 : 1; times > 0; times--)
                    run_dressed(dtype, rows[i], cols[c], n++);
        /* every kind of row at once */
        if (c % 4 == 0 || full_tier()) {
            struct check_options opt = {.pattern = FILL_MIXED, .seed = n};
            struct check_result r;
            struct shape all = {.rows = FILL_FINITE, .cols = cols[c], .gamma = true, .beta = true, .mean = true,
                                .rstd = true, .eps = 1e-5f};
            p = problem(dtype, &all);
            check_problem(&device, &p, &opt, &r);
            verdict(&r);
        }
    }
    /* NaN and infinities stay in their row. */
    struct shape special = {.rows = 2 * (FILL_PATTERNS - FILL_FINITE), .cols = capacity > 4096 ? 4096 : capacity,
                            .gamma = true, .beta = true, .mean = true, .rstd = true, .eps = 1e-5f};
    struct check_options opt = {.pattern = FILL_SPECIAL, .seed = 3};
    struct check_result r;
    struct fly_problem p = problem(dtype, &special);
    if (!op()->fits(k, &p)) {
        check_problem(&device, &p, &opt, &r);
        verdict(&r);
    }
    fly_force(device.handle, NULL);
}

/* Quantised outputs are tested by test_rmsnorm's kind of cases; these problems have one type. */
static bool of_arch(const struct fly_kernel *k, const char *arch)
{
    return k->types[0] == k->types[2] && strcmp(fly_arch_row(k->arch)->name, arch) == 0;
}

ParameterizedTestParameters(layernorm, variant)
{
    const char *arch = getenv("FLY_TEST_ARCH");
    size_t n = 0;
    int *list = cr_malloc(sizeof *list * (op()->nkernels + 1));
    for (uint32_t i = 0; arch && i < op()->nkernels; i++)
        if (of_arch(&op()->kernels[i], arch))
            list[n++] = (int)i;
    if (n == 0)
        list[n++] = -1;
    return cr_make_param_array(int, list, n);
}

ParameterizedTest(int *row, layernorm, variant, .init = open_device, .fini = close_device)
{
    const char *arch = getenv("FLY_TEST_ARCH");
    uint32_t ran = 0;
    for (uint32_t i = 0; i < op()->nkernels; i++)
        if (*row < 0 ? of_arch(&op()->kernels[i], arch ? arch : device.arch) : (int)i == *row) {
            run_variant(&op()->kernels[i]);
            ran++;
        }
    cr_assert_gt(ran, 0, "the registry has no layernorm for %s", device.arch);
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* ---- what selection picks --------------------------------------------------------------------------- */

static void run_shapes(unsigned dtype)
{
    enum { QUICK, FULL };
    static const struct {
        int tier;
        int64_t rows, cols;
    } shapes[] = {
#define ROWWISE_SHAPE(tier, rows, cols) {tier, rows, cols},
#include "../shapes.inc"
    };
    unsigned n = 500000 + 1000 * dtype;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (shapes[i].tier == FULL && !full_tier())
            continue;
        for (int times = full_tier() ? 4 : 1; times > 0; times--)
            run_dressed(dtype, shapes[i].rows, shapes[i].cols, n++);
    }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

Test(layernorm, shapes_f32, .init = open_device, .fini = close_device) { run_shapes(FLY_DTYPE_F32); }
Test(layernorm, shapes_f16, .init = open_device, .fini = close_device) { run_shapes(FLY_DTYPE_F16); }
Test(layernorm, shapes_bf16, .init = open_device, .fini = close_device) { run_shapes(FLY_DTYPE_BF16); }

/* A large common offset must not spoil the deviations, whatever the noise: 1, 1e-3, none. */
Test(layernorm, keeps_precision_far_from_zero, .init = open_device, .fini = close_device)
{
    static const int pattern[] = {FILL_OFFSET_1, FILL_OFFSET_M3, FILL_OFFSET_ULPS, FILL_EQUAL};
    static const int64_t cols[] = {64, 769, 4096, 16384, 40000};
    for (size_t d = 0; d < 3; d++)
        for (size_t i = 0; i < 4; i++)
            for (size_t c = 0; c < sizeof cols / sizeof *cols; c++) {
                struct shape s = {.rows = 3, .cols = cols[c], .gamma = c & 1, .beta = c & 1, .mean = true,
                                  .rstd = true, .eps = 1e-5f};
                struct check_options opt = {.pattern = pattern[i], .seed = 11 * c + i};
                struct check_result r;
                struct fly_problem p = problem(dtypes[d], &s);
                check_problem(&device, &p, &opt, &r);
                verdict(&r);
            }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

Test(layernorm, repeats_bit_for_bit, .init = open_device, .fini = close_device)
{
    static const int64_t cols[] = {65, 1000, 8192, 20000};
    for (size_t d = 0; d < 3; d++)
        for (size_t c = 0; c < sizeof cols / sizeof *cols; c++) {
            struct shape s = {.rows = 9, .cols = cols[c], .gamma = true, .beta = true, .mean = true, .rstd = true,
                              .eps = 1e-5f};
            struct check_options opt = {.pattern = FILL_MIXED, .seed = c};
            struct check_result first, again;
            struct fly_problem p = problem(dtypes[d], &s);
            check_problem(&device, &p, &opt, &first);
            check_problem(&device, &p, &opt, &again);
            verdict(&first);
            cr_assert_eq(first.hash, again.hash, "two runs differ: %s", first.message);
        }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* ---- wrong arguments -------------------------------------------------------------------------------- */

/* A valid call on device memory, for tests to spoil; y is poisoned. */
struct call {
    flyLayerNormArgs_t a;
    void *x, *y;
    unsigned char poison[4096];
};

static void make_call(struct call *c)
{
    struct fly_runtime *rt = device.rt;
    memset(c, 0, sizeof *c);
    memset(c->poison, 0x5a, sizeof c->poison);
    cr_assert_eq(rt->memory_alloc(rt, 4096, &c->x), 0);
    cr_assert_eq(rt->memory_alloc(rt, 4096, &c->y), 0);
    cr_assert_eq(rt->memory_to_device(rt, c->x, c->poison, 4096), 0);
    cr_assert_eq(rt->memory_to_device(rt, c->y, c->poison, 4096), 0);
    c->a = (flyLayerNormArgs_t){.size = sizeof c->a, .rows = 4, .cols = 64, .x = c->x, .y = c->y, .eps = 1e-5f,
                                .dtype = FLY_DTYPE_BF16};
}

/* The call must fail with `want`, say `word` in its sentence, and leave y alone. */
static void refuses(struct call *c, flyStatus_t want, const char *word)
{
    unsigned char now[4096];
    flyStatus_t s = flyLayerNorm(device.handle, &c->a);
    const char *message = flyErrorMessage(device.handle);
    cr_expect_eq(s, want, "%s: status %d (%s), not %d", word, s, message, want);
    cr_expect(strstr(message, "flyLayerNorm") && strstr(message, word), "\"%s\" names not flyLayerNorm and %s",
              message, word);
    cr_assert_eq(device.rt->device_sync(device.rt), 0);
    cr_assert_eq(device.rt->memory_to_host(device.rt, now, c->y, sizeof now), 0);
    cr_expect(memcmp(now, c->poison, sizeof now) == 0, "%s: y was written", word);
}

#define REFUSES(want, word, ...)          \
    do {                                  \
        struct call c;                    \
        make_call(&c);                    \
        __VA_ARGS__;                      \
        refuses(&c, want, word);          \
    } while (0)

Test(layernorm, refuses_wrong_arguments, .init = open_device, .fini = close_device)
{
    struct call good;
    make_call(&good);
    cr_assert_eq(flyLayerNorm(device.handle, &good.a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(device.handle));
    cr_assert_str_eq(flyErrorMessage(device.handle), "");

    cr_expect_eq(flyLayerNorm(NULL, &good.a), FLY_STATUS_INVALID_HANDLE);
    cr_expect_eq(flyLayerNorm(device.handle, NULL), FLY_STATUS_INVALID_VALUE);
    cr_expect_gt(strlen(flyErrorMessage(device.handle)), 0);

    REFUSES(FLY_STATUS_INVALID_VALUE, "x", c.a.x = NULL);
    REFUSES(FLY_STATUS_INVALID_VALUE, "y", c.a.y = NULL);
    REFUSES(FLY_STATUS_INVALID_VALUE, "rows", c.a.rows = -1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "cols", c.a.cols = 0);
    REFUSES(FLY_STATUS_INVALID_VALUE, "cols", c.a.cols = -64);
    REFUSES(FLY_STATUS_INVALID_VALUE, "cols", c.a.cols = INT64_MIN);
    REFUSES(FLY_STATUS_INVALID_VALUE, "ldx", c.a.ldx = 63);
    REFUSES(FLY_STATUS_INVALID_VALUE, "ldx", c.a.ldx = -64);
    REFUSES(FLY_STATUS_INVALID_VALUE, "ldy", c.a.ldy = 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "dtype", c.a.dtype = 0);
    REFUSES(FLY_STATUS_INVALID_VALUE, "dtype", c.a.dtype = 99);
    REFUSES(FLY_STATUS_NOT_SUPPORTED, "dtype", c.a.dtype = FLY_DTYPE_I8);
    REFUSES(FLY_STATUS_INVALID_VALUE, "eps", c.a.eps = -1e-5f);
    REFUSES(FLY_STATUS_INVALID_VALUE, "eps", c.a.eps = __builtin_nanf(""));
    REFUSES(FLY_STATUS_INVALID_VALUE, "eps", c.a.eps = __builtin_inff());
    REFUSES(FLY_STATUS_INVALID_VALUE, "x", c.a.x = (char *)c.x + 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "y", c.a.y = (char *)c.y + 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "gamma", c.a.gamma = (char *)c.x + 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "beta", c.a.beta = (char *)c.x + 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "mean", c.a.mean = (float *)((char *)c.x + 2));
    REFUSES(FLY_STATUS_INVALID_VALUE, "rstd", c.a.rstd = (float *)((char *)c.x + 2));
    REFUSES(FLY_STATUS_INVALID_VALUE, "size", c.a.size = 0);
    REFUSES(FLY_STATUS_INVALID_VALUE, "size", c.a.size = offsetof(flyLayerNormArgs_t, residual) - 1);
}

/* A struct of a later version is accepted while what this version does not know is zero. */
Test(layernorm, takes_larger_structs_with_a_zero_tail, .init = open_device, .fini = close_device)
{
    struct {
        flyLayerNormArgs_t a;
        unsigned char tail[24];
    } later;
    struct call c;
    make_call(&c);
    memset(&later, 0, sizeof later);
    later.a = c.a;
    later.a.size = sizeof later;
    cr_expect_eq(flyLayerNorm(device.handle, &later.a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(device.handle));
    cr_assert_eq(device.rt->device_sync(device.rt), 0);
    for (size_t i = 0; i < sizeof later.tail; i += 23) {
        memset(later.tail, 0, sizeof later.tail);
        later.tail[i] = 1;
        cr_expect_eq(flyLayerNorm(device.handle, &later.a), FLY_STATUS_NOT_SUPPORTED);
        cr_expect_gt(strlen(flyErrorMessage(device.handle)), 0);
    }
}

Test(layernorm, no_rows_is_nothing_to_do, .init = open_device, .fini = close_device)
{
    struct call c;
    unsigned char now[4096];
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    make_call(&c);
    c.a.rows = 0;
    cr_expect_eq(flyLayerNorm(device.handle, &c.a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(device.handle));
    cr_expect_eq(flyLayerNormPlan(device.handle, &c.a, &plan), FLY_STATUS_SUCCESS);
    cr_expect_eq(plan.launches, 0);
    cr_expect_str_eq(plan.kernel, "");
    cr_assert_eq(device.rt->device_sync(device.rt), 0);
    cr_assert_eq(device.rt->memory_to_host(device.rt, now, c.y, sizeof now), 0);
    cr_expect(memcmp(now, c.poison, sizeof now) == 0, "y was written");
}
