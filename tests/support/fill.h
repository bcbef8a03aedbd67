/* SPDX-License-Identifier: MIT */
/*
 * Test data: rows whose structure reaches the branches of row-wise kernels, a pure function of (seed,
 * row, column), so that any element can be made again and large matrices are made in parallel.
 */
#ifndef TESTS_FILL_H
#define TESTS_FILL_H

#include <stdint.h>

enum fill_pattern {
    FILL_NORMAL,     /* mean 0, deviation 1 */
    FILL_UNIFORM,    /* [-2, 2) */
    FILL_OFFSET_1,   /* 1e4 + noise of 1: equal to 1e4 in 16 bits */
    FILL_OFFSET_M3,  /* 1e4 + noise of 1e-3 */
    FILL_OFFSET_ULPS, /* 1e4 + noise of 8 units in the last place of the type */
    FILL_EQUAL,      /* 1e4 everywhere */
    FILL_ZERO,       /* +0 and -0 */
    FILL_ONE_HOT,    /* zeros and one large value */
    FILL_TWO_VALUES, /* +a, -a in turn */
    FILL_DENORMAL,   /* denormals of the type */
    FILL_LARGE,      /* magnitudes near the square root of the type's or f32's largest value */
    FILL_RAMP,       /* column number, scaled */
    FILL_WIDE,       /* magnitudes over many binades */
    FILL_FINITE,     /* number of patterns above: all of them finite */
    FILL_NAN = FILL_FINITE, /* FILL_NORMAL with one NaN */
    FILL_INF,        /* one infinity */
    FILL_INF_BOTH,   /* +inf and -inf */
    FILL_ALL_INF,    /* -inf everywhere */
    FILL_HUGE,       /* the type's largest values: f32 sums overflow */
    FILL_PATTERNS,
    FILL_MIXED = 100,  /* row r has pattern r % FILL_FINITE, shifted by the seed */
    FILL_SPECIAL = 101 /* rows of FILL_NORMAL with the non-finite patterns between them */
};

const char *fill_name(int pattern);

/* Which pattern row `row` of a matrix filled with `pattern` has. */
int fill_row_pattern(int pattern, uint64_t seed, int64_t row);

/* [rows, cols] at ld elements between rows; elements between rows stay as they are. */
void fill_matrix(unsigned dtype, void *base, int64_t rows, int64_t cols, int64_t ld, int pattern,
                 uint64_t seed);

/* 64 random bits of (seed, i). */
uint64_t fill_bits(uint64_t seed, uint64_t i);

/* [0, 1) of (seed, i). */
double fill_unit(uint64_t seed, uint64_t i);

#endif
