/* SPDX-License-Identifier: MIT */
/* The programs in README.md and docs/ as they stand there: compiled, and run on the simulator with rows whose results are
 * plain to see. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "../support/check.h"
#include "../support/num.h"

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "README.inc"
#include "norm-gradients.inc"
#include "norms.inc"
#include "quantisation.inc"
#include "softmax.inc"
#include "vecadd.inc"

enum { ROWS = 4, COLS = 64, N = ROWS * COLS };

static struct check_device device;

static void open_device(void)
{
    char message[600];
    cr_assert(check_open(&device, 0, message, sizeof message), "%s", message);
}

static void close_device(void)
{
    check_close(&device);
}

/* Device memory of n elements, all v. */
static void *filled(unsigned dtype, int n, double v)
{
    void *p = NULL;
    char *host = malloc(num_bytes(dtype, n));
    for (int i = 0; i < n; i++)
        num_put(dtype, host, i, v);
    cr_assert_eq(device.rt->memory_alloc(device.rt, num_bytes(dtype, n), &p), 0);
    cr_assert_eq(device.rt->memory_to_device(device.rt, p, host, num_bytes(dtype, n)), 0);
    free(host);
    return p;
}

static void *reserve(uint64_t bytes)
{
    void *p = NULL;
    return device.rt->memory_alloc(device.rt, bytes, &p) ? NULL : p;
}

static double at(unsigned dtype, const void *p, int i)
{
    char host[4];
    cr_assert_eq(device.rt->device_sync(device.rt), 0);
    cr_assert_eq(device.rt->memory_to_host(device.rt, host, (const char *)p + num_bytes(dtype, i), num_bytes(dtype, 1)), 0);
    return num_get(dtype, host, 0);
}

#define SUCCEEDS(call) cr_assert_eq(call, FLY_STATUS_SUCCESS, "%s", flyErrorMessage(device.handle))
#define BF16 FLY_DTYPE_BF16
#define F32 FLY_DTYPE_F32

Test(doc_examples, readme, .init = open_device, .fini = close_device)
{
    void *x = filled(BF16, N, 3), *gamma = filled(BF16, COLS, 2), *beta = filled(BF16, COLS, 0.5), *y = filled(BF16, N, NAN);
    cr_assert_eq(normalise(NULL, ROWS, COLS, x, gamma, beta, y), 0);
    cr_expect_eq(at(BF16, y, N - 1), 0.5); /* a row of equals is its mean */
}

Test(doc_examples, norms, .init = open_device, .fini = close_device)
{
    void *attention = filled(BF16, N, 3), *hidden = filled(BF16, N, 1), *gamma = filled(F32, COLS, 0.5), *y = filled(BF16, N, NAN);
    SUCCEEDS(add_and_normalise(device.handle, ROWS, COLS, attention, hidden, gamma, y));
    cr_expect_eq(at(BF16, hidden, N - 1), 4);
    cr_expect_eq(at(BF16, y, N - 1), 0.5);
}

Test(doc_examples, norm_gradients, .init = open_device, .fini = close_device)
{
    void *hidden = filled(BF16, N, 2), *gamma = filled(F32, COLS, 1), *dy = filled(BF16, N, 1), *rstd = filled(F32, ROWS, 0.5);
    void *dhidden = filled(BF16, N, 3), *dgamma = filled(F32, COLS, NAN);
    SUCCEEDS(norm_gradient(device.handle, ROWS, COLS, hidden, gamma, dy, rstd, dhidden, dgamma, reserve));
    cr_expect_eq(at(BF16, dhidden, N - 1), 3); /* dy along x has no gradient through the norm */
    cr_expect_eq(at(F32, dgamma, COLS - 1), ROWS);
}

Test(doc_examples, softmax, .init = open_device, .fini = close_device)
{
    void *scores = filled(BF16, N, 7), *gradient = filled(BF16, N, 1);
    SUCCEEDS(attention_weights(device.handle, 2, ROWS / 2, COLS, 0.125f, scores));
    cr_expect_eq(at(BF16, scores, N - 1), 1.0 / COLS);
    cr_expect_eq(at(BF16, scores, COLS - 1), 0, "the first query sees the last key");
    SUCCEEDS(attention_weights_gradient(device.handle, ROWS, COLS, 0.125f, scores, gradient));
    cr_expect_eq(at(BF16, gradient, N - 1), 0);
}

Test(doc_examples, quantisation, .init = open_device, .fini = close_device)
{
    void *x = filled(BF16, N, -2), *gamma = filled(BF16, COLS, 1), *codes = filled(FLY_DTYPE_I8, N, 0), *scales = filled(F32, ROWS, NAN);
    SUCCEEDS(quantise(device.handle, ROWS, COLS, x, codes, scales));
    cr_expect_eq(at(FLY_DTYPE_I8, codes, N - 1), -127);
    cr_expect_float_eq(at(F32, scales, ROWS - 1), 2.0 / 127, 1e-8);
    SUCCEEDS(normalise_and_quantise(device.handle, ROWS, COLS, x, gamma, codes, scales));
    cr_expect_eq(at(FLY_DTYPE_I8, codes, N - 1), -127);
    cr_expect_float_eq(at(F32, scales, ROWS - 1), 1.0 / 127, 1e-8);
}

Test(doc_examples, vecadd, .init = open_device, .fini = close_device)
{
    void *sum = filled(F32, N, 1.5), *more = filled(F32, N, -4);
    SUCCEEDS(accumulate(device.handle, N, sum, more));
    cr_expect_eq(at(F32, sum, N - 1), -2.5);
}
