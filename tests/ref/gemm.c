/* SPDX-License-Identifier: MIT */
/*
 * GEMM with shuffled weights, a row of C at a time, in double: C = epilogue(sum A B * scale_a *
 * scale_b), B read through the formula of its layout. S of the bound: sqrt(k) sum|a b| |scales| +
 * |bias| + |sum|, the last for the activation; int8 sums are exact and S leaves the first term to
 * the roundings of the scales. Where the device's matrix unit flushes, S has what it may lose, too.
 */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "../support/num.h"
#include "ref.h"

/* Largest B that is kept decoded in a thread's scratch; beyond, columns are decoded again for each
 * row. */
enum { KEPT = 1 << 24 };

enum { A, B, C, SCALE_A, SCALE_B, BIAS }; /* operands, in the op's order */

static int64_t field(const struct fly_problem *p, const char *name)
{
    return p->v[fly_field_index(fly_op_table[p->op], name)];
}

static int64_t rows(const struct fly_problem *p)
{
    return field(p, "m") * field(p, "batch");
}

static bool kept(const struct fly_problem *p)
{
    return field(p, "n") * field(p, "k") * field(p, "batch") <= KEPT;
}

static int64_t scratch_doubles(const struct fly_problem *p)
{
    int64_t b = kept(p) ? field(p, "n") * field(p, "batch") : 1;
    return 1 + (2 + b) * field(p, "k") + field(p, "n");
}

/* Row `row` of B[n, k] as doubles: element (row, at) of FLY_LAYOUT_B16, 16-byte chunk after chunk.
 */
static void row_of_b(const struct ref_tensor *b, int64_t base, int64_t row, int64_t k, double *out)
{
    int64_t bytes = (int64_t)num_bytes(b->o.dtype, 1), chunk = 16 / bytes,
            blocks = (k * bytes + 63) / 64;
    for (int64_t i = 0; i * chunk < k; i++) {
        int64_t byte = ((row / 16 * blocks + i / 4) * 4 + i % 4) * 256 + row % 16 * 16;
        num_get_array(b->o.dtype, b->before, base + byte / bytes, chunk, out + i * chunk);
    }
}

/* All of B decoded into scratch, by the first row that is compared: scratch[0] says so. */
static const double *all_of_b(const struct fly_problem *p, const struct ref_tensor *b,
                              double *scratch)
{
    int64_t n = field(p, "n"), k = field(p, "k"), batch = field(p, "batch");
    for (int64_t i = 0; scratch[0] == 0 && i < batch; i++)
        for (int64_t j = 0; j < n; j++)
            row_of_b(b, i * b->o.stride[0], j, k, scratch + 1 + (i * n + j) * k);
    scratch[0] = 1;
    return scratch + 1;
}

typedef double pair __attribute__((vector_size(16)));

static void dot(const double *a, const double *b, int64_t k, double *sum, double *size)
{
    pair s0 = {0}, s1 = {0}, m0 = {0}, m1 = {0};
    int64_t i = 0;
    for (; i + 4 <= k; i += 4) {
        pair x0 = {a[i] * b[i], a[i + 1] * b[i + 1]},
             x1 = {a[i + 2] * b[i + 2], a[i + 3] * b[i + 3]};
        s0 += x0;
        s1 += x1;
        m0 += (pair){fabs(x0[0]), fabs(x0[1])};
        m1 += (pair){fabs(x1[0]), fabs(x1[1])};
    }
    for (; i < k; i++) {
        s0[0] += a[i] * b[i];
        m0[0] += fabs(a[i] * b[i]);
    }
    *sum = (s0[0] + s0[1]) + (s1[0] + s1[1]);
    *size = (m0[0] + m0[1]) + (m1[0] + m1[1]);
}

/* Sum |a b| over the products that a matrix unit loses which takes factors below `tiny` for zero, and
 * what it loses of products and sums below 2^-126. */
static double lost(const double *a, const double *b, int64_t k, double tiny)
{
    double sum = 0;
    for (int64_t i = 0; i < k; i++)
        sum += fmin(fabs(a[i]), fabs(b[i])) < tiny ? fabs(a[i] * b[i]) : 0;
    return sum + (double)k * 0x1p-125;
}

/* Whether sums of f32 may pass the largest float on the way, by the products that are finite; size: sum |a b|. */
static bool overflows(const double *a, const double *b, int64_t k, double size)
{
    double sum = 0;
    if (isfinite(size))
        return size >= 0x1p127;
    for (int64_t i = 0; i < k; i++)
        sum += isfinite(a[i] * b[i]) ? fabs(a[i] * b[i]) : 0;
    return sum >= 0x1p127;
}

/* The largest slope of the activation. */
static double steepest(int64_t kind)
{
    return kind == 3 ? 1.1 : kind == 4 ? 1.13 : 1;
}

static double epilogue(int64_t kind, double x)
{
    switch (kind) {
    case 2:
        return x < 0 ? 0 : x;
    case 3:
        return x / (1 + exp(-x));
    case 4:
        return 0.5 * x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
    default:
        return x;
    }
}

/* Element i of a vector parameter of batch `batch`, `none` where it is absent. */
static double parameter(const struct ref_tensor *t, int64_t batch, int64_t i, double none)
{
    if (!t->before)
        return none;
    int64_t base = t->o.shape[0] > 1 ? batch * t->o.stride[0] : 0;
    return num_get(t->o.dtype, t->before, base + (t->o.shape[1] > 1 ? i : 0));
}

static void compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from,
                    int64_t to, double *scratch, struct ref_worst *w)
{
    int64_t m = field(p, "m"), n = field(p, "n"), k = field(p, "k"), kind = field(p, "epi");
    const double *all = kept(p) ? all_of_b(p, &t[B], scratch) : NULL;
    double *a = scratch + 1 + (kept(p) ? n * field(p, "batch") : 1) * k, *b = a + k, *got = b + k;
    bool exact = t[A].o.dtype == FLY_DTYPE_I8;
    for (int64_t r = from; r < to; r++) {
        int64_t batch = r / m, row = r % m;
        num_get_array(t[A].o.dtype, t[A].before, batch * t[A].o.stride[0] + row * t[A].o.stride[1],
                      k, a);
        num_get_array(t[C].o.dtype, t[C].after, batch * t[C].o.stride[0] + row * t[C].o.stride[1],
                      n, got);
        double scale_a = parameter(&t[SCALE_A], batch, row, 1);
        for (int64_t j = 0; j < n; j++) {
            double sum, size, bias = parameter(&t[BIAS], batch, j, 0);
            double scale = scale_a * parameter(&t[SCALE_B], batch, j, 1);
            if (!all)
                row_of_b(&t[B], batch * t[B].o.stride[0], j, k, b);
            dot(a, all ? all + (batch * n + j) * k : b, k, &sum, &size);
            /* Infinite or NaN then, by the order of summation, and what the epilogue makes of that. */
            if (!exact && !isnan(sum) && (got[j] == 0 || !isfinite(got[j])) &&
                overflows(a, all ? all + (batch * n + j) * k : b, k, size)) {
                ref_note_equal(w, C, r, j, got[j], got[j]);
                continue;
            }
            sum = sum * scale;
            double s = fabs(sum) + fabs(bias) + (exact ? 0 : sqrt((double)k) * size * fabs(scale));
            if (t[A].flushed > 0)
                s += lost(a, all ? all + (batch * n + j) * k : b, k, t[A].flushed) * fabs(scale) *
                     steepest(kind) / (NUM_C * NUM_U);
            ref_note(w, t, C, r, j, epilogue(kind, sum + bias), s, got[j]);
        }
    }
}

const struct ref_op ref_gemm = {"gemm", rows, compare, scratch_doubles};
