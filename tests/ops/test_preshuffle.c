/* SPDX-License-Identifier: MIT */
/*
 * flyPreshuffleB against the formula of its layout, on the device that FLY_RUNTIME and
 * FLYSIM_DEVICES choose and on the host: both widths of elements, both layouts of the source, tails
 * of n and k, strides, batches, sources that are not aligned, wrong arguments.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include <fly/preshuffle.h>

#include "../ref/ref.h"
#include "../support/check.h"
#include "../support/fill.h"
#include "../support/num.h"
#include "core/arch.h"

static const struct fly_op *op(void)
{
    return fly_op_table[FLY_OP_preshuffle];
}

static struct check_device device;

static void open_device(void)
{
    char message[600];
    bool any = false;
    if (!check_open(&device, 0, message, sizeof message)) {
        if (getenv("FLY_TEST_ARCH"))
            cr_assert_fail("%s", message);
        cr_skip_test("no runtime with a GPU on this machine");
    }
    for (uint32_t i = 0; i < op()->nkernels; i++)
        any |= !strcmp(fly_arch_row(op()->kernels[i].arch)->name, device.arch);
    if (!any)
        cr_skip_test("%s has no layout for shuffled weights yet", device.arch);
}

static void close_device(void)
{
    check_close(&device);
}

static const uint8_t widths[2][3] = {{FLY_DTYPE_I8, FLY_DTYPE_I8, FLY_DTYPE_I8},
                                     {FLY_DTYPE_BF16, FLY_DTYPE_BF16, FLY_DTYPE_BF16}};

/* n, k in 16-byte chunks, elements between rows beyond dense, batch, elements the source is shifted
 * by. */
static const struct {
    int64_t n, chunks, pad, batch;
    uint8_t shift;
} shapes[] = {
    {1, 1, 0, 1, 0},    {16, 4, 0, 1, 0},  {17, 5, 0, 1, 0}, {15, 3, 16, 1, 0}, {64, 16, 0, 1, 0},
    {100, 17, 0, 1, 0}, {33, 20, 1, 1, 0}, {40, 9, 3, 2, 1}, {70, 33, 0, 3, 0}, {16, 64, 0, 1, 1},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static struct fly_problem problem(const uint8_t types[3], size_t i, int column)
{
    struct fly_problem p;
    int64_t k = shapes[i].chunks * 16 / (int64_t)num_bytes(types[0], 1);
    fly_problem_init(op(), types, &p);
    const struct {
        const char *name;
        int64_t v;
    } fields[] = {{"n", shapes[i].n},
                  {"k", k},
                  {"batch", shapes[i].batch},
                  {"from", column},
                  {"ld", shapes[i].pad ? (column ? shapes[i].n : k) + shapes[i].pad : 0}};
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        p.v[fly_field_index(op(), fields[f].name)] = fields[f].v;
    return p;
}

Test(preshuffle, follows_the_formula, .init = open_device, .fini = close_device)
{
    int failures = 0;
    for (size_t w = 0; w < 2; w++)
        for (size_t i = 0; i < SHAPES; i++)
            for (int column = 0; column < 2; column++) {
                struct fly_problem p = problem(widths[w], i, column);
                struct check_options opt = {
                    .pattern = FILL_WIDE, .seed = i, .exact = i & 1, .shift = {shapes[i].shift}};
                struct check_result r;
                check_problem(&device, &p, &opt, &r);
                if (r.outcome != CHECK_PASS) {
                    fprintf(stderr, "%s\n", r.message);
                    failures++;
                }
            }
    cr_assert_eq(failures, 0, "%d failures", failures);
}

/* The host's version against the same reference; no device is opened. */
Test(preshuffle, host_follows_the_formula)
{
    const struct ref_op *ref = ref_find("preshuffle");
    for (size_t w = 0; w < 2; w++)
        for (size_t i = 0; i < SHAPES; i++)
            for (int column = 0; column < 2; column++) {
                struct fly_problem p = problem(widths[w], i, column);
                struct fly_operand o[FLY_MAX_OPERANDS];
                struct ref_tensor t[FLY_MAX_OPERANDS] = {0};
                struct ref_worst worst = {.operand = -1};
                op()->operands(&p, o);
                size_t in = fly_operand_bytes(&o[0]), out = fly_operand_bytes(&o[1]);
                uint8_t *src = malloc(in), *dst = malloc(out);
                for (size_t b = 0; b < in; b++)
                    src[b] = (uint8_t)fill_bits(i, b);
                memset(dst, 0xa5, out);
                flyPreshuffleBArgs_t a = FLY_ARGS_INIT(a);
                a.n = shapes[i].n;
                a.k = p.v[fly_field_index(op(), "k")];
                a.ld = p.v[fly_field_index(op(), "ld")];
                a.batch = shapes[i].batch;
                a.dtype = w ? FLY_DTYPE_F16 : FLY_DTYPE_E4M3;
                a.from = column ? FLY_LAYOUT_COLUMN : FLY_LAYOUT_ROW;
                a.to = FLY_LAYOUT_B16;
                a.src = src;
                a.dst = dst;
                cr_assert_eq(flyPreshuffleBHost("gfx942", &a), FLY_STATUS_SUCCESS, "%s",
                             flyErrorMessage(NULL));
                t[0] = (struct ref_tensor){o[0], src, src};
                t[1] = (struct ref_tensor){o[1], NULL, dst};
                ref->compare(&p, t, 0, ref->rows(&p), NULL, &worst);
                cr_expect_eq(worst.c, 0, "n=%lld k=%lld: row %lld byte %lld", (long long)a.n,
                             (long long)a.k, (long long)worst.i, (long long)worst.j);
                cr_expect_gt(worst.compared, 0);
                free(src);
                free(dst);
            }
}

Test(preshuffle, host_refuses_wrong_arguments)
{
    char src[256], dst[2048] __attribute__((aligned(16)));
    const flyPreshuffleBArgs_t good = {.size = sizeof good,
                                       .n = 16,
                                       .k = 16,
                                       .src = src,
                                       .dst = dst,
                                       .dtype = FLY_DTYPE_I8,
                                       .to = FLY_LAYOUT_B16};
    flyPreshuffleBArgs_t a = good;
    memset(src, 1, sizeof src);
    cr_expect_eq(flyPreshuffleBHost("gfx942", &a), FLY_STATUS_SUCCESS);
    cr_expect_eq(flyPreshuffleBHost(NULL, &a), FLY_STATUS_INVALID_VALUE);
    cr_expect_eq(flyPreshuffleBHost("gfx9999", &a), FLY_STATUS_NOT_SUPPORTED);
    cr_expect_eq(flyPreshuffleBHost("gfx942", NULL), FLY_STATUS_INVALID_VALUE);
#define REFUSES(want, word, ...)                                                                   \
    do {                                                                                           \
        a = good;                                                                                  \
        __VA_ARGS__;                                                                               \
        cr_expect_eq(flyPreshuffleBHost("gfx942", &a), want, word);                                \
        cr_expect(strstr(flyErrorMessage(NULL), word), "\"%s\" does not name " word,               \
                  flyErrorMessage(NULL));                                                          \
    } while (0)
    REFUSES(FLY_STATUS_INVALID_VALUE, "n =", a.n = 0);
    REFUSES(FLY_STATUS_INVALID_VALUE, "k =", a.k = 8);
    REFUSES(FLY_STATUS_INVALID_VALUE, "ld =", a.ld = 15);
    REFUSES(FLY_STATUS_INVALID_VALUE, "src =", a.src = NULL);
    REFUSES(FLY_STATUS_INVALID_VALUE, "dst =", a.dst = NULL);
    REFUSES(FLY_STATUS_INVALID_VALUE, "dst =", a.dst = dst + 8);
    REFUSES(FLY_STATUS_INVALID_VALUE, "dtype =", a.dtype = 0);
    REFUSES(FLY_STATUS_NOT_SUPPORTED, "dtype =", a.dtype = FLY_DTYPE_F32);
    REFUSES(FLY_STATUS_INVALID_VALUE, "from =", a.from = FLY_LAYOUT_B16);
    REFUSES(FLY_STATUS_NOT_SUPPORTED, "to =", a.to = FLY_LAYOUT_RDNA4_FP8);
    REFUSES(FLY_STATUS_INVALID_VALUE, "reserved =", a.reserved = 1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "size", a.size = 8);
    REFUSES(FLY_STATUS_INVALID_VALUE, "n =", a.n = INT64_MAX);
    REFUSES(FLY_STATUS_INVALID_VALUE, "k =", a.k = INT64_MAX - 15);
    REFUSES(FLY_STATUS_INVALID_VALUE, "batch =", a.batch = -1);
    REFUSES(FLY_STATUS_INVALID_VALUE, "src pass 2^63", a.n = 1 << 30, a.k = 1 << 27, a.batch = 65);
    REFUSES(FLY_STATUS_INVALID_VALUE, "stride_dst =", a.stride_dst = INT64_MAX - 15);
}

Test(preshuffle, says_how_much_memory, .init = open_device, .fini = close_device)
{
    flyPreshuffleBArgs_t a = {
        .size = sizeof a, .n = 17, .k = 48, .dtype = FLY_DTYPE_BF16, .to = FLY_LAYOUT_B16};
    uint64_t bytes = 0;
    cr_expect_eq(flyPreshuffleBSize(device.handle, &a, &bytes), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(device.handle));
    cr_expect_eq(bytes, 32u * 128);
    a.batch = 3;
    cr_expect_eq(flyPreshuffleBSize(device.handle, &a, &bytes), FLY_STATUS_SUCCESS);
    cr_expect_eq(bytes, 3u * 32 * 128);
    cr_expect_eq(flyPreshuffleBSize(device.handle, &a, NULL), FLY_STATUS_INVALID_VALUE);
    cr_expect_eq(flyPreshuffleBSize(NULL, &a, &bytes), FLY_STATUS_INVALID_HANDLE);
}
