/* SPDX-License-Identifier: MIT */
/*
 * Element types of test data: conversions to and from double, spacing, and the error bound every op is
 * held to. Written from the formats' definitions; shares no code with the generator, the library or the
 * simulator. Used by the tests, fly-bench and the references.
 */
#ifndef TESTS_NUM_H
#define TESTS_NUM_H

#include <stddef.h>
#include <stdint.h>

#define NUM_U 0x1p-24 /* unit roundoff of f32, in which kernels compute */
#define NUM_C 8.0     /* the constant of the bound */

/* Bytes of `n` elements of a dtype (flyDtype_t); 0 for a dtype without conversions here. */
size_t num_bytes(unsigned dtype, int64_t n);

/* Element i of an array, exactly. */
double num_get(unsigned dtype, const void *base, int64_t i);

/* Stores v at element i, rounded once to nearest even; overflow gives infinity, NaN stays NaN. E4M3, E4M3FNUZ
 * and I8 saturate; NaN is 0 in I8. The functions below do not know these three. */
void num_put(unsigned dtype, void *base, int64_t i, double v);

/* Elements from..from+n-1 as doubles: num_get in a loop, with the type looked up once. */
void num_get_array(unsigned dtype, const void *base, int64_t from, int64_t n, double *out);

/* v rounded to the dtype. */
double num_round(unsigned dtype, double v);

/* Distance between the dtype's neighbours at |v|; of its smallest denormals near 0. */
double num_ulp(unsigned dtype, double v);

double num_max(unsigned dtype);        /* largest finite value */
double num_min_normal(unsigned dtype);
double num_min_denormal(unsigned dtype);

/* How far a result is from exact. `c` is what the bound |err| <= 1/2 ulp(exact) + c u S would need;
 * `fraction` is |err| over that bound at c = 8. Both are infinite when NaN, infinity or sign of infinity
 * differ, and `got` must be NaN where `exact` is. */
struct num_error {
    double fraction, c;
};
struct num_error num_error(unsigned dtype, double exact, double s, double got);

#endif
