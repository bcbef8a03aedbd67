/* SPDX-License-Identifier: MIT */
/* Patterns are small functions of a hash; rows are filled on all cores. */
#include "fill.h"

#include <math.h>

#include <fly/types.h>

#include "num.h"
#include "par.h"

uint64_t fill_bits(uint64_t seed, uint64_t i)
{
    /* SplitMix64 (Steele, Lea, Flood 2014) at position i of the stream of `seed`. */
    uint64_t z = seed * 0xd1342543de82ef95u + (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

double fill_unit(uint64_t seed, uint64_t i)
{
    return (double)(fill_bits(seed, i) >> 11) * 0x1p-53;
}

/* Sum of four uniform 16-bit numbers, mean 0 and deviation 1: |z| < 3.5. */
static double normal(uint64_t bits)
{
    int64_t s = 0;
    for (int k = 0; k < 4; k++)
        s += (int64_t)(bits >> (16 * k) & 0xffff);
    return ((double)s - 131070.0) * (1.7320508075688772 / 65536.0);
}

const char *fill_name(int pattern)
{
    static const char *const name[FILL_PATTERNS] = {
        "normal",   "uniform", "offset1", "offset1e-3", "offsetulps", "equal", "zero", "onehot", "twovalues", "denormal",
        "large",    "ramp",    "wide",    "nan",        "inf",   "infboth", "allinf", "huge"};
    if (pattern == FILL_MIXED)
        return "mixed";
    if (pattern == FILL_SPECIAL)
        return "special";
    return pattern >= 0 && pattern < FILL_PATTERNS ? name[pattern] : "?";
}

int fill_row_pattern(int pattern, uint64_t seed, int64_t row)
{
    int64_t shift = (int64_t)(seed % 64);
    if (pattern == FILL_MIXED)
        return (int)((row + shift) % FILL_FINITE);
    if (pattern == FILL_SPECIAL)
        return (row + shift) % 2 ? FILL_NORMAL
                                 : FILL_FINITE + (int)((row + shift) / 2 % (FILL_PATTERNS - FILL_FINITE));
    return pattern;
}

/* The matrix fill_row fills, and where in a row the exceptional element lies. */
struct matrix {
    unsigned dtype;
    char *base;
    int64_t cols, ld;
    int pattern;
    uint64_t seed;
};

static double element(const struct matrix *m, int pattern, int64_t row, int64_t col, int64_t special)
{
    uint64_t bits = fill_bits(m->seed, (uint64_t)(row * m->cols + col));
    double z = normal(bits), sign = bits & 1 ? 1 : -1;
    switch (pattern) {
    case FILL_UNIFORM:
        return (double)(bits >> 11) * 0x1p-51 - 2.0;
    case FILL_OFFSET_1:
        return 1e4 + z;
    case FILL_OFFSET_M3:
        return 1e4 + 1e-3 * z;
    case FILL_OFFSET_ULPS:
        return 1e4 + 8 * num_ulp(m->dtype, 1e4) * z;
    case FILL_EQUAL:
        return 1e4;
    case FILL_ZERO:
        return sign * 0.0;
    case FILL_ONE_HOT:
        return col == special ? 1000.0 : 0.0;
    case FILL_TWO_VALUES:
        return (col & 1 ? -1 : 1) * 3.14159;
    case FILL_DENORMAL:
        return sign * num_min_denormal(m->dtype) * (double)(bits >> 40 & 127);
    case FILL_LARGE: /* squares of deviations still sum up in f32 over 2^20 columns */
        return sign * (m->dtype == FLY_DTYPE_F16 ? 60000.0 : 0x1p50) * (0.5 + 0.5 * fabs(z) / 3.5);
    case FILL_RAMP:
        return ((double)col - 0.5 * (double)m->cols) / 16.0;
    case FILL_WIDE:
        return z * ldexp(1.0, (int)(bits >> 32 & 15) - 8);
    case FILL_NAN:
        return col == special ? NAN : z;
    case FILL_INF:
        return col == special ? sign * INFINITY : z;
    case FILL_INF_BOTH:
        return col == special ? INFINITY : col == (special + 1) % m->cols ? -INFINITY : z;
    case FILL_ALL_INF:
        return -INFINITY;
    case FILL_HUGE:
        return sign * num_max(m->dtype);
    default:
        return z;
    }
}

static void fill_rows(void *ctx, int64_t from, int64_t to, int thread)
{
    const struct matrix *m = ctx;
    (void)thread;
    for (int64_t r = from; r < to; r++) {
        int pattern = fill_row_pattern(m->pattern, m->seed, r);
        int64_t special = (int64_t)(fill_bits(~m->seed, (uint64_t)r) % (uint64_t)m->cols);
        char *row = m->base + num_bytes(m->dtype, r * m->ld);
        for (int64_t c = 0; c < m->cols; c++)
            num_put(m->dtype, row, c, element(m, pattern, r, c, special));
    }
}

void fill_matrix(unsigned dtype, void *base, int64_t rows, int64_t cols, int64_t ld, int pattern,
                 uint64_t seed)
{
    struct matrix m = {dtype, base, cols, ld, pattern, seed};
    if (cols > 0)
        par_for(rows, 1 + 65536 / cols, fill_rows, &m);
}
