/* SPDX-License-Identifier: MIT */
/*
 * flyGemmPreshuffle against its reference on a device, which FLY_RUNTIME and FLYSIM_DEVICES choose:
 * every variant of the registry around its block's edges and with tails of k, epilogues, scales,
 * strides, batches, split-k, special values, repeatability, wrong arguments.
 *
 * FLY_TEST_ARCH names the arch, so that the list of variants needs no device; unset: one case for
 * all of the device's variants. FLY_TEST_FULL=1 is the long tier. FLY_TEST_SHORT=1 runs each
 * variant's loop and its split form once: for runs with another arithmetic.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <fly/gemm.h>
#include <fly/preshuffle.h>

#include "../support/check.h"
#include "../support/fill.h"
#include "../support/num.h"
#include "core/arch.h"
#include "core/handle.h"

static bool asked(const char *name)
{
    const char *v = getenv(name);
    return v && strcmp(v, "0") != 0;
}

static bool full_tier(void)
{
    return asked("FLY_TEST_FULL");
}

static const struct fly_op *op(void)
{
    return fly_op_table[FLY_OP_gemm];
}

/* ---- the device, one a case: Criterion runs each in its own process
 * ------------------------------- */

static struct check_device device;

static void open_device(void)
{
    char message[600];
    if (!check_open(&device, 0, message, sizeof message)) {
        if (getenv("FLY_TEST_ARCH"))
            cr_assert_fail("%s", message);
        cr_skip_test("no runtime with a GPU on this machine");
    }
}

/* Whether the device has kernels for the op at all. */
static bool has_kernels(const char *arch)
{
    for (uint32_t i = 0; i < op()->nkernels; i++)
        if (!strcmp(fly_arch_row(op()->kernels[i].arch)->name, arch))
            return true;
    return false;
}

static void open_gemm_device(void)
{
    open_device();
    if (device.handle && !has_kernels(device.arch))
        cr_skip_test("no GEMM kernels for %s", device.arch);
}

static void close_device(void)
{
    check_close(&device);
}

/* ---- problems
 * --------------------------------------------------------------------------------------- */

struct shape {
    int64_t m, n, k;
    int64_t pad_a, pad_c; /* 16-byte chunks, elements between rows */
    int64_t batch, split;
    int epi, scale;
};

enum { EPILOGUES = 5, SCALES = 9, SCALE_RC = 8 };

static void set(struct fly_problem *p, const char *name, int64_t v)
{
    int i = fly_field_index(op(), name);
    cr_assert_geq(i, 0, "gemm has no field %s", name);
    p->v[i] = v;
}

static struct fly_problem problem(const uint8_t types[3], const struct shape *s)
{
    struct fly_problem p;
    int64_t chunk = 16 / (int64_t)num_bytes(types[0], 1);
    fly_problem_init(op(), types, &p);
    set(&p, "m", s->m);
    set(&p, "n", s->n);
    set(&p, "k", s->k);
    set(&p, "batch", s->batch ? s->batch : 1);
    set(&p, "lda", s->k + s->pad_a * chunk);
    set(&p, "ldc", s->n + s->pad_c);
    set(&p, "epi", s->epi);
    set(&p, "scale", s->scale);
    set(&p, "split", s->split);
    return p;
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

static void run(const uint8_t types[3], const struct shape *s, int pattern, uint64_t seed,
                struct check_result *r)
{
    struct check_options opt = {.pattern = pattern, .seed = seed, .exact = seed & 1};
    struct fly_problem p = problem(types, s);
    check_problem(&device, &p, &opt, r);
    verdict(r);
}

/* ---- every variant around the edges of its block
 * --------------------------------------------------- */

static void run_variant(const struct fly_kernel *k)
{
    const struct fly_gemm_tile *t = &k->gemm;
    int64_t chunk = 16 / (int64_t)num_bytes(k->types[0], 1);
    const struct shape split = {
        .m = 17, .n = 40, .k = 5 * t->k + 3 * chunk, .split = 3, .epi = 3, .scale = SCALE_RC};
    /* One block and one short k tile; edges of m and n; tails of k; several k tiles; rows of every
     * kind. */
    const struct {
        struct shape s;
        int pattern;
    } shapes[] =
        {
            {{.m = 1, .n = 16, .k = chunk, .scale = SCALE_RC, .epi = 1}, FILL_NORMAL},
            {{.m = t->m, .n = t->n, .k = t->k, .scale = SCALE_RC}, FILL_ONE_HOT},
            {{.m = t->m + 1, .n = t->n + 1, .k = t->k + chunk, .pad_a = 1, .pad_c = 3, .epi = 2},
             FILL_NORMAL},
            {{.m = t->m - 1, .n = t->n - 1, .k = 3 * t->k - chunk, .epi = 3, .scale = 4},
             FILL_UNIFORM},
            {{.m = 5, .n = t->n + 20, .k = 4 * t->k, .pad_c = 4, .epi = 4, .scale = SCALE_RC},
             FILL_NORMAL},
            {{.m = 2 * t->m + 3, .n = t->n, .k = t->k + 2 * chunk, .epi = 1, .scale = 2},
             FILL_EQUAL},
            {split, FILL_NORMAL},
            {{.m = 3,
              .n = 30,
              .k = t->k + chunk,
              .batch = 3,
              .pad_a = 2,
              .pad_c = 2,
              .scale = 6,
              .epi = 1},
             FILL_TWO_VALUES},
        },
      few[] = {
          {{.m = t->m, .n = t->n, .k = 2 * t->k + chunk, .scale = SCALE_RC}, FILL_NORMAL},
          {split, FILL_NORMAL},
      };
    bool once = asked("FLY_TEST_SHORT");
    fly_force(device.handle, k->name);
    for (size_t i = 0; i < (once ? sizeof few / sizeof *few : sizeof shapes / sizeof *shapes); i++)
        for (int times = full_tier() ? 4 : 1; times > 0; times--) {
            struct check_result r;
            const struct shape *s = once ? &few[i].s : &shapes[i].s;
            int pattern = once ? few[i].pattern : shapes[i].pattern;
            run(k->types, s,
                times > 3   ? FILL_WIDE
                : times > 2 ? FILL_UNIFORM
                : times > 1 ? FILL_TWO_VALUES
                            : pattern,
                100 * (uint64_t)(k - op()->kernels) + i, &r);
        }
    fly_force(device.handle, NULL);
}

static bool chosen(const struct fly_kernel *k, const char *arch)
{
    return strcmp(fly_arch_row(k->arch)->name, arch) == 0 && k->gemm.m > 0;
}

ParameterizedTestParameters(gemm, variant)
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

ParameterizedTest(int *row, gemm, variant, .init = open_gemm_device, .fini = close_device)
{
    uint32_t ran = 0;
    for (uint32_t i = 0; i < op()->nkernels; i++)
        if (*row < 0 ? chosen(&op()->kernels[i], device.arch) : (int)i == *row) {
            run_variant(&op()->kernels[i]);
            ran++;
        }
    cr_assert_gt(ran, 0, "the registry has no gemm for %s", device.arch);
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* ---- properties, with the kernels that selection picks
 * ---------------------------------------------- */

/* The input types the device has kernels for; the encoding of fp8 is the arch's own. */
static unsigned device_types(uint8_t out[8][3], uint8_t result)
{
    static const uint8_t ins[] = {FLY_DTYPE_BF16, FLY_DTYPE_F16, FLY_DTYPE_I8, FLY_DTYPE_E4M3,
                                  FLY_DTYPE_E4M3FNUZ};
    unsigned n = 0;
    for (size_t i = 0; i < sizeof ins; i++) {
        const uint8_t types[3] = {ins[i], ins[i], result};
        for (uint32_t j = 0; j < op()->nkernels; j++)
            if (!memcmp(op()->kernels[j].types, types, 3) &&
                !strcmp(fly_arch_row(op()->kernels[j].arch)->name, device.arch)) {
                memcpy(out[n++], types, 3);
                break;
            }
    }
    return n;
}

static bool is_float(unsigned dtype)
{
    return dtype != FLY_DTYPE_I8;
}

Test(gemm, structured_data, .init = open_gemm_device, .fini = close_device)
{
    static const int patterns[] = {FILL_UNIFORM, FILL_ONE_HOT, FILL_EQUAL, FILL_TWO_VALUES,
                                   FILL_ZERO,    FILL_RAMP,    FILL_WIDE,  FILL_DENORMAL};
    uint8_t types[8][3];
    for (int result = FLY_DTYPE_F32; result <= FLY_DTYPE_BF16; result++) {
        unsigned n = device_types(types, (uint8_t)result);
        for (unsigned t = 0; t < n; t++)
            for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
                const struct shape s = {.m = 37,
                                        .n = 72,
                                        .k = 272,
                                        .scale = i & 1 ? SCALE_RC : 0,
                                        .epi = (int)i % EPILOGUES};
                struct check_result r;
                run(types[t], &s, patterns[i], i, &r);
            }
    }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

Test(gemm, every_epilogue_and_scale, .init = open_gemm_device, .fini = close_device)
{
    uint8_t types[8][3];
    for (int result = FLY_DTYPE_F32; result <= FLY_DTYPE_BF16; result++) {
        unsigned n = device_types(types, (uint8_t)result);
        for (unsigned t = 0; t < n; t++)
            for (int i = 0; i < EPILOGUES * SCALES; i++) {
                const struct shape s = {
                    .m = 18, .n = 33 + i % 2, .k = 64, .scale = i % SCALES, .epi = i / SCALES};
                struct check_result r;
                if (full_tier() || (i + (int)t) % 3 == 0)
                    run(types[t], &s, FILL_NORMAL, (uint64_t)i, &r);
            }
    }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* Every tail of k that a k tile can have, in each loop. */
Test(gemm, every_tail_of_k, .init = open_gemm_device, .fini = close_device)
{
    for (uint32_t i = 0; i < op()->nkernels; i++) {
        const struct fly_kernel *k = &op()->kernels[i];
        int64_t chunk = 16 / (int64_t)num_bytes(k->types[0], 1);
        if (!chosen(k, device.arch) || k->types[2] != FLY_DTYPE_F32)
            continue;
        fly_force(device.handle, k->name);
        for (int64_t tail = chunk; tail < k->gemm.k;
             tail += asked("FLY_TEST_SHORT") ? 5 * chunk : chunk) {
            const struct shape s = {.m = 1 + tail / chunk * 5 % 16, .n = 16, .k = k->gemm.k + tail};
            struct check_result r;
            run(k->types, &s, FILL_NORMAL, (uint64_t)tail, &r);
        }
    }
    fly_force(device.handle, NULL);
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* Long sums: the error stays within the bound, and int8 is exact before it is scaled. */
Test(gemm, long_sums, .init = open_gemm_device, .fini = close_device)
{
    uint8_t types[8][3];
    unsigned n = device_types(types, FLY_DTYPE_F32);
    for (unsigned t = 0; t < n; t++)
        for (int split = 0; split < 2; split++) {
            const struct shape s = {.m = 16, .n = 64, .k = 8192, .split = split ? 5 : 1};
            struct check_result r;
            run(types[t], &s, FILL_NORMAL, t, &r);
            run(types[t], &s, FILL_UNIFORM, t, &r);
        }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* int8 sums of the largest products are the int32 sums, rounded once where C is f32; in parts too.
 */
Test(gemm, int8_is_exact_before_scaling, .init = open_gemm_device, .fini = close_device)
{
    static const uint8_t types[3] = {FLY_DTYPE_I8, FLY_DTYPE_I8, FLY_DTYPE_F32};
    static const struct shape shapes[] = {
        {.m = 21, .n = 40, .k = 8192, .split = 1}, {.m = 21, .n = 40, .k = 8192, .split = 7},
        {.m = 9, .n = 17, .k = 16, .split = 1},    {.m = 70, .n = 65, .k = 2064, .split = 3},
        {.m = 130, .n = 66, .k = 144, .split = 1}, {.m = 1, .n = 16, .k = 131056, .split = 2},
    };
    for (size_t i = 0; i < 2 * (sizeof shapes / sizeof *shapes); i++) {
        const struct shape *s = &shapes[i / 2];
        struct fly_problem p = problem(types, s);
        struct check_options opt = {.seed = i, .pattern = FILL_UNIFORM};
        struct check_case c;
        struct check_result r;
        int64_t wrong = 0;
        if (check_prepare(&c, &device, &p, &opt, &r)) {
            struct check_buffer *a = &c.b[0], *b = &c.b[1], *out = &c.b[2];
            if (i & 1) { /* all -128: the largest sums there are */
                memset(a->before, 0x80, a->bytes);
                memset(b->before, 0x80, b->bytes);
                cr_assert_eq(device.rt->memory_to_device(device.rt, a->device, a->before, a->bytes),
                             0);
                cr_assert_eq(device.rt->memory_to_device(device.rt, b->device, b->before, b->bytes),
                             0);
            }
            check_launch(&c, &r);
            cr_assert_eq(r.status, FLY_STATUS_SUCCESS, "%s", r.message);
            cr_assert_eq(device.rt->memory_to_host(device.rt, out->after, out->device, out->bytes),
                         0);
            const signed char *x = (const signed char *)a->before + a->head,
                              *y = (const signed char *)b->before + b->head;
            const float *got = (const float *)(out->after + out->head);
            for (int64_t row = 0; row < s->m; row++)
                for (int64_t col = 0; col < s->n; col++) {
                    int64_t sum = 0;
                    for (int64_t k = 0; k < s->k; k++)
                        sum += x[row * s->k + k] *
                               y[((col / 16 * ((s->k + 63) / 64) + k / 64) * 4 + k / 16 % 4) * 256 +
                                 col % 16 * 16 + k % 16];
                    wrong += got[row * s->n + col] != (float)sum;
                }
        }
        cr_expect_eq(wrong, 0, "%lld of %lld sums are wrong: m=%lld n=%lld k=%lld in %lld parts",
                     (long long)wrong, (long long)(s->m * s->n), (long long)s->m, (long long)s->n,
                     (long long)s->k, (long long)s->split);
        check_release(&c);
    }
}

/* Rows of C behind row m - 1, as far as a block reaches and further, keep what they hold. */
Test(gemm, rows_after_m_stay, .init = open_gemm_device, .fini = close_device)
{
    enum { N = 64, K = 64, ROWS = 600 };
    static const int64_t sizes[] = {1, 15, 16, 17, 31, 33, 63, 65, 127, 129, 255, 257};
    struct fly_runtime *rt = device.rt;
    static unsigned short host[ROWS * N];
    void *a, *b, *c;
    cr_assert_eq(rt->memory_alloc(rt, ROWS * K * 2, &a) | rt->memory_alloc(rt, N * K * 2, &b) |
                     rt->memory_alloc(rt, sizeof host, &c),
                 0);
    cr_assert_eq(
        rt->memory_fill(rt, a, 0x3f, ROWS * K * 2) | rt->memory_fill(rt, b, 0x3f, N * K * 2), 0);
    for (uint32_t j = 0; j < op()->nkernels; j++) {
        const struct fly_kernel *k = &op()->kernels[j];
        if (!k->gemm.m || k->types[0] != FLY_DTYPE_BF16 || k->types[2] != FLY_DTYPE_BF16 ||
            strcmp(fly_arch_row(k->arch)->name, device.arch))
            continue;
        fly_force(device.handle, k->name);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const flyGemmPreshuffleArgs_t g = {.size = sizeof g,
                                               .m = sizes[i],
                                               .n = N,
                                               .k = K,
                                               .a = a,
                                               .b = b,
                                               .c = c,
                                               .in_dtype = FLY_DTYPE_BF16,
                                               .out_dtype = FLY_DTYPE_BF16,
                                               .layout = FLY_LAYOUT_B16};
            int64_t strayed = 0, missing = 0;
            cr_assert_eq(rt->memory_fill(rt, c, 0x5a, sizeof host), 0);
            cr_assert_eq(flyGemmPreshuffle(device.handle, &g), FLY_STATUS_SUCCESS, "%s",
                         flyErrorMessage(device.handle));
            cr_assert_eq(rt->device_sync(rt), 0);
            cr_assert_eq(rt->memory_to_host(rt, host, c, sizeof host), 0);
            for (int64_t at = 0; at < ROWS * N; at++)
                if (at < sizes[i] * N)
                    missing += host[at] == 0x5a5a;
                else
                    strayed += host[at] != 0x5a5a;
            cr_expect_eq(strayed, 0, "%s, m = %lld: %lld elements behind C were written", k->name,
                         (long long)sizes[i], (long long)strayed);
            cr_expect_eq(missing, 0, "%s, m = %lld: %lld elements of C were not written", k->name,
                         (long long)sizes[i], (long long)missing);
        }
    }
    fly_force(device.handle, NULL);
}

/* Element (row, col) of A becomes v before the launch. */
static void plant(struct check_case *c, int64_t row, int64_t col, double v)
{
    struct check_buffer *a = &c->b[0];
    num_put(a->o.dtype, a->before + a->head, row * a->o.stride[1] + col, v);
    cr_assert_eq(c->d->rt->memory_to_device(c->d->rt, a->device, a->before, a->bytes), 0);
}

/* NaN and infinity in some rows of A change those rows of C and no other, whatever the tail of k:
 * in every variant, and in parts of k. */
Test(gemm, nan_stays_in_its_row, .init = open_gemm_device, .fini = close_device)
{
    for (uint32_t i = 0; i < op()->nkernels; i++) {
        const struct fly_kernel *k = &op()->kernels[i];
        int64_t chunk = 16 / (int64_t)num_bytes(k->types[0], 1);
        if (!chosen(k, device.arch) || !is_float(k->types[0]) || k->types[2] != FLY_DTYPE_BF16)
            continue;
        fly_force(device.handle, k->name);
        for (int split = 1; split <= 2; split++) {
            const struct shape s = {.m = k->gemm.m + 5,
                                    .n = 40,
                                    .k = (split + 1) * k->gemm.k + chunk,
                                    .pad_a = split - 1,
                                    .split = split,
                                    .epi = (int)(i + (unsigned)split) % EPILOGUES};
            struct fly_problem p = problem(k->types, &s);
            struct check_options opt = {.seed = i};
            struct check_case c;
            struct check_result r;
            if (check_prepare(&c, &device, &p, &opt, &r)) {
                plant(&c, 3, s.k - 1, __builtin_nan(""));
                plant(&c, 17, 0,
                      k->types[0] <= FLY_DTYPE_BF16 ? __builtin_inf() : __builtin_nan(""));
                plant(&c, s.m - 1, s.k / 2, __builtin_nan(""));
                check_launch(&c, &r);
                if (r.status == FLY_STATUS_SUCCESS)
                    check_compare(&c, &r);
            }
            verdict(&r);
            check_release(&c);
        }
    }
    fly_force(device.handle, NULL);
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* Scales of all magnitudes: one operand's huge, the other's tiny. */
Test(gemm, extreme_scales, .init = open_gemm_device, .fini = close_device)
{
    uint8_t types[8][3];
    unsigned n = device_types(types, FLY_DTYPE_F32);
    for (unsigned t = 0; t < n; t++)
        for (int flip = 0; flip < 2; flip++) {
            const struct shape s = {.m = 20, .n = 70, .k = 128, .scale = SCALE_RC};
            struct fly_problem p = problem(types[t], &s);
            struct check_options opt = {.seed = t};
            struct check_case c;
            struct check_result r;
            if (check_prepare(&c, &device, &p, &opt, &r)) {
                for (int side = 0; side < 2; side++) {
                    struct check_buffer *b = &c.b[3 + side];
                    for (int64_t i = 0; i < (side ? s.n : s.m); i++)
                        num_put(FLY_DTYPE_F32, b->before + b->head, i,
                                (side ^ flip ? 0x1p-90 : 0x1p88) * (double)(1 + i % 5));
                    cr_assert_eq(
                        device.rt->memory_to_device(device.rt, b->device, b->before, b->bytes), 0);
                }
                check_launch(&c, &r);
                if (r.status == FLY_STATUS_SUCCESS)
                    check_compare(&c, &r);
            }
            verdict(&r);
            check_release(&c);
        }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* Scales, bias and C anywhere their element may lie: in one launch and in parts. */
Test(gemm, operands_off_their_vectors, .init = open_gemm_device, .fini = close_device)
{
    uint8_t types[8][3];
    for (int result = FLY_DTYPE_F32; result <= FLY_DTYPE_BF16; result++) {
        unsigned n = device_types(types, (uint8_t)result);
        for (unsigned t = 0; t < n; t++)
            for (int i = 0; i < 4; i++) {
                const struct shape s = {.m = 9,
                                        .n = 132,
                                        .k = 1024,
                                        .scale = SCALE_RC,
                                        .epi = 1,
                                        .split = 1 + i / 2 * 2};
                struct fly_problem p = problem(types[t], &s);
                struct check_options opt = {.seed = t, .exact = true};
                struct check_result r;
                opt.shift[2] = i & 1; /* C, then both scales and the bias */
                opt.shift[3] = opt.shift[4] = opt.shift[5] = 1;
                check_problem(&device, &p, &opt, &r);
                verdict(&r);
            }
    }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

Test(gemm, repeats_bit_for_bit, .init = open_gemm_device, .fini = close_device)
{
    uint8_t types[8][3];
    unsigned n = device_types(types, FLY_DTYPE_BF16);
    for (unsigned t = 0; t < n; t++)
        for (int split = 1; split <= 7; split += 3) {
            const struct shape s = {
                .m = 20, .n = 70, .k = 2048, .scale = SCALE_RC, .epi = 3, .split = split};
            struct check_result first, again;
            run(types[t], &s, FILL_WIDE, 5, &first);
            run(types[t], &s, FILL_WIDE, 5, &again);
            cr_assert_eq(first.hash, again.hash, "two runs differ: %s", first.message);
        }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* Batches, dense and with strides that leave gaps, their scales and bias shared or not. */
Test(gemm, batches, .init = open_gemm_device, .fini = close_device)
{
    uint8_t types[8][3];
    unsigned n = device_types(types, FLY_DTYPE_F16);
    for (unsigned t = 0; t < n; t++)
        for (int split = 0; split < 2; split++) {
            const struct shape s = {.m = 19,
                                    .n = 36,
                                    .k = 320,
                                    .batch = 3,
                                    .scale = SCALE_RC,
                                    .epi = 1,
                                    .split = split ? 2 : 0};
            struct fly_problem p = problem(types[t], &s);
            struct check_options opt = {.seed = 9};
            struct check_result r;
            check_problem(&device, &p, &opt, &r);
            verdict(&r);
            set(&p, "stride_sa", s.m);
            set(&p, "stride_sb", s.n);
            set(&p, "stride_bias", s.n);
            check_problem(&device, &p, &opt, &r);
            verdict(&r);
            set(&p, "stride_a", s.m * s.k + 48);
            set(&p, "stride_b", 48 * 384 + 64);
            set(&p, "stride_c", s.m * s.n + 7);
            check_problem(&device, &p, &opt, &r);
            verdict(&r);
        }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* Rows and batches so far apart that byte offsets take more than 32 bits: the numbers are small and
 * whole, so C is exact. */
Test(gemm, far_apart, .init = open_gemm_device, .fini = close_device)
{
    enum { M = 37, N = 20, K = 40, BATCH = 2, B_BYTES = 32 * 128, LD = (1 << 25) - 8 };
    struct fly_runtime *rt = device.rt;
    const int64_t stride = (int64_t)M * LD + 64;
    char *a, *b, *c, row[2 * K], shuffled[B_BYTES] = {0};
    float got[N];
    void *memory[3];
    int wrong = 0;
    if (!getenv("FLY_TEST_ARCH"))
        cr_skip_test("15 GB that are hardly touched: for the simulator");
    cr_assert_eq(rt->memory_alloc(rt, (size_t)(2 * BATCH * stride), &memory[0]) |
                     rt->memory_alloc(rt, BATCH * B_BYTES, &memory[1]) |
                     rt->memory_alloc(rt, (size_t)(4 * BATCH * stride), &memory[2]),
                 0);
    a = memory[0];
    b = memory[1];
    c = memory[2];
    for (int n = 0; n < N; n++)
        for (int k = 0; k < K; k++)
            num_put(FLY_DTYPE_BF16, shuffled,
                    (((n / 16 * 2 + k / 32) * 4 + k / 8 % 4) * 16 + n % 16) * 8 + k % 8,
                    (n * 3 + k) % 7 - 3);
    for (int batch = 0; batch < BATCH; batch++) {
        cr_assert_eq(rt->memory_to_device(rt, b + batch * B_BYTES, shuffled, B_BYTES), 0);
        for (int m = 0; m < M; m++) {
            for (int k = 0; k < K; k++)
                num_put(FLY_DTYPE_BF16, row, k, (batch + m * 5 + k * 2) % 9 - 4);
            char *at = a + 2 * (batch * stride + (int64_t)m * LD);
            cr_assert_eq(rt->memory_to_device(rt, at, row, sizeof row), 0);
        }
    }
    const flyGemmPreshuffleArgs_t g = {.size = sizeof g,
                                       .m = M,
                                       .n = N,
                                       .k = K,
                                       .a = a,
                                       .b = b,
                                       .c = c,
                                       .in_dtype = FLY_DTYPE_BF16,
                                       .out_dtype = FLY_DTYPE_F32,
                                       .layout = FLY_LAYOUT_B16,
                                       .lda = LD,
                                       .ldc = LD,
                                       .batch = BATCH,
                                       .stride_a = stride,
                                       .stride_c = stride};
    cr_assert_eq(flyGemmPreshuffle(device.handle, &g), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(device.handle));
    cr_assert_eq(rt->device_sync(rt), 0);
    for (int batch = 0; batch < BATCH; batch++)
        for (int m = 0; m < M; m++) {
            char *at = c + 4 * (batch * stride + (int64_t)m * LD);
            cr_assert_eq(rt->memory_to_host(rt, got, at, sizeof got), 0);
            for (int n = 0; n < N; n++) {
                int sum = 0;
                for (int k = 0; k < K; k++)
                    sum += ((batch + m * 5 + k * 2) % 9 - 4) * ((n * 3 + k) % 7 - 3);
                wrong += got[n] != (float)sum;
            }
        }
    cr_expect_eq(wrong, 0, "%d elements are wrong", wrong);
}

/* ---- weights shuffled by the library itself
 * ---------------------------------------------------------- */

/* Row-major weights through flyPreshuffleB, then the product; against the product from weights
 * shuffled on the host, bit for bit. */
Test(gemm, takes_what_preshuffle_makes, .init = open_gemm_device, .fini = close_device)
{
    enum { M = 5, N = 37, K = 80, BYTES = 48 * 192 };
    struct fly_runtime *rt = device.rt;
    char *host = calloc(1, 2 * BYTES);
    void *src, *dst[2], *a, *c[2];
    cr_assert_eq(rt->memory_alloc(rt, N * K * 2, &src), 0);
    cr_assert_eq(rt->memory_alloc(rt, M * K * 2, &a), 0);
    fill_matrix(FLY_DTYPE_BF16, host, N, K, K, FILL_NORMAL, 1);
    cr_assert_eq(rt->memory_to_device(rt, src, host, N * K * 2), 0);
    fill_matrix(FLY_DTYPE_BF16, host + BYTES, M, K, K, FILL_NORMAL, 2);
    cr_assert_eq(rt->memory_to_device(rt, a, host + BYTES, M * K * 2), 0);
    flyPreshuffleBArgs_t s = {
        .size = sizeof s, .n = N, .k = K, .dtype = FLY_DTYPE_BF16, .to = FLY_LAYOUT_B16};
    uint64_t bytes = 0;
    float got[2][M * N];
    cr_assert_eq(flyPreshuffleBSize(device.handle, &s, &bytes), FLY_STATUS_SUCCESS);
    cr_assert_eq(bytes, BYTES);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(rt->memory_alloc(rt, BYTES, &dst[i]), 0);
        cr_assert_eq(rt->memory_alloc(rt, sizeof got[i], &c[i]), 0);
        if (i == 0) {
            s.src = src;
            s.dst = dst[0];
            cr_assert_eq(flyPreshuffleB(device.handle, &s), FLY_STATUS_SUCCESS, "%s",
                         flyErrorMessage(device.handle));
        } else {
            char *shuffled = aligned_alloc(16, BYTES);
            s.src = host;
            s.dst = shuffled;
            cr_assert_eq(flyPreshuffleBHost(device.arch, &s), FLY_STATUS_SUCCESS, "%s",
                         flyErrorMessage(NULL));
            cr_assert_eq(rt->memory_to_device(rt, dst[1], shuffled, BYTES), 0);
            free(shuffled);
        }
        flyGemmPreshuffleArgs_t g = {.size = sizeof g,
                                     .m = M,
                                     .n = N,
                                     .k = K,
                                     .a = a,
                                     .b = dst[i],
                                     .c = c[i],
                                     .in_dtype = FLY_DTYPE_BF16,
                                     .out_dtype = FLY_DTYPE_F32,
                                     .layout = FLY_LAYOUT_B16};
        cr_assert_eq(flyGemmPreshuffle(device.handle, &g), FLY_STATUS_SUCCESS, "%s",
                     flyErrorMessage(device.handle));
        cr_assert_eq(rt->device_sync(rt), 0);
        cr_assert_eq(rt->memory_to_host(rt, got[i], c[i], sizeof got[i]), 0);
    }
    cr_expect_eq(memcmp(got[0], got[1], sizeof got[0]), 0, "the two differ");
    free(host);
}

/* ---- wrong arguments
 * -------------------------------------------------------------------------------- */

/* A valid call on device memory, for tests to spoil; c is poisoned. */
struct call {
    flyGemmPreshuffleArgs_t a;
    char *memory;
    unsigned char poison[4096];
};

enum { PART = 4096 }; /* bytes of each operand */

static void make_call(struct call *c)
{
    void *memory;
    memset(c, 0, sizeof *c);
    memset(c->poison, 0x5a, sizeof c->poison);
    cr_assert_eq(device.rt->memory_alloc(device.rt, 6 * PART, &memory), 0);
    cr_assert_eq(device.rt->memory_fill(device.rt, memory, 0, 6 * PART), 0);
    c->memory = memory;
    cr_assert_eq(device.rt->memory_to_device(device.rt, c->memory, c->poison, PART), 0);
    c->a = (flyGemmPreshuffleArgs_t){.size = sizeof c->a,
                                     .m = 4,
                                     .n = 16,
                                     .k = 32,
                                     .c = c->memory,
                                     .a = c->memory + PART,
                                     .b = c->memory + 2 * PART,
                                     .scale_a = (float *)(c->memory + 3 * PART),
                                     .scale_b = (float *)(c->memory + 4 * PART),
                                     .bias = c->memory + 5 * PART,
                                     .in_dtype = FLY_DTYPE_BF16,
                                     .out_dtype = FLY_DTYPE_BF16,
                                     .scale_mode_a = FLY_SCALE_VECTOR,
                                     .scale_mode_b = FLY_SCALE_VECTOR,
                                     .epilogue = FLY_EPILOGUE_BIAS,
                                     .layout = FLY_LAYOUT_B16};
}

/* The call must fail with `want`, say `word` in its sentence, and leave c alone. */
static void refuses(struct call *c, flyStatus_t want, const char *word)
{
    unsigned char now[PART];
    flyStatus_t s = flyGemmPreshuffle(device.handle, &c->a);
    const char *message = flyErrorMessage(device.handle);
    cr_expect_eq(s, want, "%s: status %d (%s), not %d", word, s, message, want);
    cr_expect(strstr(message, "flyGemmPreshuffle") && strstr(message, word),
              "\"%s\" names not flyGemmPreshuffle and %s", message, word);
    cr_assert_eq(device.rt->device_sync(device.rt), 0);
    cr_assert_eq(
        device.rt->memory_to_host(device.rt, now, c->a.c ? c->memory : c->memory, sizeof now), 0);
    cr_expect(memcmp(now, c->poison, sizeof now) == 0, "%s: c was written", word);
    device.rt->memory_free(device.rt, c->memory);
}

#define REFUSES(want, word, ...)                                                                   \
    do {                                                                                           \
        struct call c;                                                                             \
        make_call(&c);                                                                             \
        __VA_ARGS__;                                                                               \
        refuses(&c, want, word);                                                                   \
    } while (0)
#define INVALID FLY_STATUS_INVALID_VALUE

Test(gemm, refuses_wrong_arguments, .init = open_gemm_device, .fini = close_device)
{
    struct call good;
    make_call(&good);
    cr_assert_eq(flyGemmPreshuffle(device.handle, &good.a), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(device.handle));
    cr_assert_str_eq(flyErrorMessage(device.handle), "");
    cr_expect_eq(flyGemmPreshuffle(NULL, &good.a), FLY_STATUS_INVALID_HANDLE);
    cr_expect_eq(flyGemmPreshuffle(device.handle, NULL), INVALID);

    REFUSES(INVALID, "a = ", c.a.a = NULL);
    REFUSES(INVALID, "b = ", c.a.b = NULL);
    REFUSES(INVALID, "c = ", c.a.c = NULL);
    REFUSES(INVALID, "scale_a = ", c.a.scale_a = NULL);
    REFUSES(INVALID, "scale_b = ", c.a.scale_b = NULL);
    REFUSES(INVALID, "bias = ", c.a.bias = NULL);
    REFUSES(INVALID, "a = ", c.a.a = (char *)c.a.a + 8);
    REFUSES(INVALID, "b = ", c.a.b = (char *)c.a.b + 4);
    REFUSES(INVALID, "c = ", c.a.c = (char *)c.a.c + 1);
    REFUSES(INVALID, "workspace = ", c.a.workspace = c.memory + 4);
    REFUSES(INVALID, "m = ", c.a.m = -1);
    REFUSES(INVALID, "n = ", c.a.n = 0);
    REFUSES(INVALID, "k = ", c.a.k = 0);
    REFUSES(INVALID, "k = 20: bf16 needs a multiple of 8", c.a.k = 20);
    REFUSES(INVALID, "k = ", c.a.k = INT64_MAX / 2);
    REFUSES(INVALID, "lda = ", c.a.lda = 31);
    REFUSES(INVALID, "lda = ", c.a.lda = 36);
    REFUSES(INVALID, "ldc = ", c.a.ldc = 15);
    REFUSES(INVALID, "batch = ", c.a.batch = -2);
    REFUSES(INVALID, "batch = ", c.a.batch = 1 << 20);
    REFUSES(INVALID, "stride_a = ", c.a.stride_a = 12);
    REFUSES(INVALID, "stride_c = ", c.a.stride_c = -1);
    REFUSES(INVALID, "in_dtype = ", c.a.in_dtype = 0);
    REFUSES(INVALID, "out_dtype = ", c.a.out_dtype = 99);
    REFUSES(FLY_STATUS_NOT_SUPPORTED, "in_dtype = f32", c.a.in_dtype = FLY_DTYPE_F32);
    REFUSES(FLY_STATUS_NOT_SUPPORTED, "out_dtype = i8", c.a.out_dtype = FLY_DTYPE_I8);
    REFUSES(INVALID, "epilogue = ", c.a.epilogue = 5);
    REFUSES(INVALID, "scale_mode_a = ", c.a.scale_mode_a = 3);
    REFUSES(INVALID, "scale_mode_b = ", c.a.scale_mode_b = 77);
    REFUSES(INVALID, "layout = ", c.a.layout = 9);
    REFUSES(FLY_STATUS_NOT_SUPPORTED, "layout = 0", c.a.layout = FLY_LAYOUT_ROW);
    REFUSES(INVALID, "size", c.a.size = 0);
    REFUSES(INVALID, "size", c.a.size = sizeof c.a - 1);
    REFUSES(INVALID, "size", c.a.size = SIZE_MAX);
    /* sizes that nothing can hold */
    REFUSES(INVALID, "m = ", c.a.m = INT64_MAX);
    REFUSES(INVALID, "n = ", c.a.n = INT64_MAX);
    REFUSES(INVALID, "lda = ", c.a.lda = INT64_MAX - 7);
    REFUSES(INVALID, "ldc = ", c.a.ldc = INT64_MAX);
    REFUSES(INVALID, "stride_b = ", c.a.stride_b = INT64_MAX - 7);
    REFUSES(INVALID, "a passes 2^63 bytes", c.a.m = 1 << 30, c.a.lda = INT32_MAX - 7,
            c.a.batch = 65535);
    REFUSES(INVALID, "b passes 2^63 bytes", c.a.n = 1 << 30, c.a.k = 1 << 26, c.a.batch = 65535);
    REFUSES(INVALID, "c passes 2^63 bytes", c.a.m = 1 << 30, c.a.ldc = INT32_MAX,
            c.a.batch = 65535);
    REFUSES(FLY_STATUS_NOT_SUPPORTED, "more blocks than a grid", c.a.m = 1 << 30, c.a.n = 1 << 22);
    /* rows so far apart that those of a block beyond m would come around to others */
    REFUSES(FLY_STATUS_NOT_SUPPORTED, "rows of a block of A", c.a.m = 2, c.a.lda = 1 << 28);
    REFUSES(FLY_STATUS_NOT_SUPPORTED, "rows of a block of C", c.a.m = 2, c.a.ldc = 1 << 27);
    /* fp8 in an encoding that is not this arch's */
    unsigned foreign = !strcmp(device.arch, "gfx950") ? FLY_DTYPE_E4M3FNUZ : FLY_DTYPE_E4M3;
    REFUSES(FLY_STATUS_NOT_SUPPORTED, device.arch, c.a.in_dtype = foreign);
}

Test(gemm, no_rows_is_nothing_to_do, .init = open_gemm_device, .fini = close_device)
{
    struct call c;
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    make_call(&c);
    c.a.m = 0;
    cr_expect_eq(flyGemmPreshuffle(device.handle, &c.a), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(device.handle));
    cr_expect_eq(flyGemmPreshufflePlan(device.handle, &c.a, &plan), FLY_STATUS_SUCCESS);
    cr_expect_str_eq(plan.kernel, "");
    cr_expect_eq(plan.reason, FLY_REASON_NONE);
    /* Tensors without elements have no address in many programs. */
    c.a.a = c.a.c = NULL;
    c.a.scale_a = NULL;
    cr_expect_eq(flyGemmPreshuffle(device.handle, &c.a), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(device.handle));
}

/* One row has no next one: lda and ldc may be anything that is allowed. */
Test(gemm, one_row_may_have_any_pitch, .init = open_gemm_device, .fini = close_device)
{
    struct call c;
    make_call(&c);
    c.a.m = 1;
    c.a.lda = INT32_MAX - 7;
    c.a.ldc = INT32_MAX;
    cr_expect_eq(flyGemmPreshuffle(device.handle, &c.a), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(device.handle));
    cr_expect_eq(device.rt->device_sync(device.rt), 0);
}

/* The plan says how long the pick is modelled, what limits it, and what would have been next. */
Test(gemm, plan_explains_the_pick, .init = open_gemm_device, .fini = close_device)
{
    static const int64_t sizes[][3] = {
        {1, 4096, 4096}, {16, 7168, 18432}, {300, 2112, 7168}, {4096, 4096, 4096}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        flyPlan_t plan = FLY_ARGS_INIT(plan);
        const flyGemmPreshuffleArgs_t g = {.size = sizeof g,
                                           .m = sizes[i][0],
                                           .n = sizes[i][1],
                                           .k = sizes[i][2],
                                           .in_dtype = FLY_DTYPE_BF16,
                                           .out_dtype = FLY_DTYPE_BF16,
                                           .layout = FLY_LAYOUT_B16};
        cr_assert_eq(flyGemmPreshufflePlan(device.handle, &g, &plan), FLY_STATUS_SUCCESS, "%s",
                     flyErrorMessage(device.handle));
        cr_expect_eq(plan.reason, FLY_REASON_HEURISTIC);
        cr_expect_gt(plan.modelled_us, 0);
        cr_expect(strstr("HBM L2 L1 LDS matrix", plan.bound) && *plan.bound, "bound \"%s\"",
                  plan.bound);
        cr_expect(*plan.second && strcmp(plan.second, plan.kernel), "next to %s: %s", plan.kernel,
                  plan.second);
        cr_expect(!strncmp(plan.note, "k ", 2), "note \"%s\"", plan.note);
        cr_expect_eq(strstr(plan.note, "parts") != NULL, plan.launches == 2, "%u launches: %s",
                     plan.launches, plan.note);
        cr_expect_geq(1.05 * plan.second_us, plan.modelled_us, "%s takes %.2f us, %s %.2f",
                      plan.kernel, plan.modelled_us, plan.second, plan.second_us);
    }
}

/* The plan says how much workspace; less is refused, none runs in one launch. */
Test(gemm, workspace_is_the_callers, .init = open_gemm_device, .fini = close_device)
{
    enum { M = 4, N = 64, K = 16384 };
    struct fly_runtime *rt = device.rt;
    void *a, *b, *c, *workspace;
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    cr_assert_eq(rt->memory_alloc(rt, M * K * 2, &a) | rt->memory_alloc(rt, N * K * 2, &b) |
                     rt->memory_alloc(rt, M * N * 4, &c),
                 0);
    cr_assert_eq(rt->memory_fill(rt, a, 0x3f, M * K * 2) | rt->memory_fill(rt, b, 0x3f, N * K * 2),
                 0);
    flyGemmPreshuffleArgs_t g = {.size = sizeof g,
                                 .m = M,
                                 .n = N,
                                 .k = K,
                                 .a = a,
                                 .b = b,
                                 .c = c,
                                 .in_dtype = FLY_DTYPE_BF16,
                                 .out_dtype = FLY_DTYPE_F32,
                                 .layout = FLY_LAYOUT_B16};
    cr_assert_eq(flyGemmPreshufflePlan(device.handle, &g, &plan), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(device.handle));
    cr_assert_gt(plan.workspace_bytes, 0, "%s is not split", plan.kernel);
    cr_expect_eq(plan.launches, 2);
    cr_expect_gt(plan.grid[1], 1);
    float got[2][M * N];
    cr_assert_eq(rt->memory_alloc(rt, plan.workspace_bytes, &workspace), 0);
    g.workspace = workspace;
    g.workspace_bytes = plan.workspace_bytes - 1;
    cr_expect_eq(flyGemmPreshuffle(device.handle, &g), FLY_STATUS_WORKSPACE_TOO_SMALL);
    cr_expect(strstr(flyErrorMessage(device.handle), "workspace_bytes"), "%s",
              flyErrorMessage(device.handle));
    for (int i = 0; i < 2; i++) {
        g.workspace = i ? NULL : workspace;
        g.workspace_bytes = i ? 0 : plan.workspace_bytes;
        cr_expect_eq(flyGemmPreshuffle(device.handle, &g), FLY_STATUS_SUCCESS, "%s",
                     flyErrorMessage(device.handle));
        cr_assert_eq(rt->device_sync(rt), 0);
        cr_assert_eq(rt->memory_to_host(rt, got[i], c, sizeof got[i]), 0);
    }
    for (int i = 0; i < M * N; i++)
        cr_expect_float_eq(got[0][i], got[1][i], 1e-3f * got[1][i]);
}
