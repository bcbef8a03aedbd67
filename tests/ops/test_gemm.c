/* SPDX-License-Identifier: MIT */
/*
 * flyGemmPreshuffle against its reference on a device, which FLY_RUNTIME and FLYSIM_DEVICES choose: every
 * variant of the registry around its block's edges and with tails of k, epilogues, scales, strides, batches,
 * split-k, special values, repeatability, wrong arguments.
 *
 * FLY_TEST_ARCH names the arch, so that the list of variants needs no device; unset: one case for all of
 * the device's variants. FLY_TEST_FULL=1 is the long tier.
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

static bool full_tier(void)
{
    const char *v = getenv("FLY_TEST_FULL");
    return v && strcmp(v, "0") != 0;
}

static const struct fly_op *op(void)
{
    return fly_op_table[FLY_OP_gemm];
}

/* ---- the device, one a case: Criterion runs each in its own process ------------------------------- */

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

/* ---- problems --------------------------------------------------------------------------------------- */

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

static void run(const uint8_t types[3], const struct shape *s, int pattern, uint64_t seed, struct check_result *r)
{
    struct check_options opt = {.pattern = pattern, .seed = seed, .exact = seed & 1};
    struct fly_problem p = problem(types, s);
    check_problem(&device, &p, &opt, r);
    verdict(r);
}

/* ---- every variant around the edges of its block --------------------------------------------------- */

static void run_variant(const struct fly_kernel *k)
{
    const struct fly_gemm_tile *t = &k->gemm;
    int64_t chunk = 16 / (int64_t)num_bytes(k->types[0], 1);
    const struct shape shapes[] = {
        /* m, n, k, pads: one block and one short k tile; edges of m and n; tails of k; several k tiles */
        {.m = 1, .n = 16, .k = chunk, .scale = SCALE_RC, .epi = 1},
        {.m = t->m, .n = t->n, .k = t->k, .scale = SCALE_RC},
        {.m = t->m + 1, .n = t->n + 1, .k = 2 * t->k + chunk, .pad_a = 1, .pad_c = 3, .epi = 2},
        {.m = t->m - 1, .n = t->n - 1, .k = 3 * t->k - chunk, .epi = 3, .scale = 4},
        {.m = 5, .n = t->n + 20, .k = 4 * t->k, .pad_c = 4, .epi = 4, .scale = SCALE_RC},
        {.m = 2 * t->m + 3, .n = 2 * t->n, .k = t->k + 2 * chunk, .epi = 1, .scale = 2},
        {.m = 17, .n = 40, .k = 5 * t->k + 3 * chunk, .split = 3, .epi = 3, .scale = SCALE_RC},
        {.m = 3, .n = 30, .k = t->k + chunk, .batch = 3, .pad_a = 2, .pad_c = 2, .scale = 6, .epi = 1},
    };
    fly_force(device.handle, k->name);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int times = full_tier() ? 3 : 1; times > 0; times--) {
            struct check_result r;
            run(k->types, &shapes[i], times > 2 ? FILL_UNIFORM : times > 1 ? FILL_TWO_VALUES : FILL_NORMAL,
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
