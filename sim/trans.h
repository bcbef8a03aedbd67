/* SPDX-License-Identifier: MIT */
/*
 * Transcendental functions. Hardware's last bits are not public (AMD's ISA documents give 1 ulp),
 * so the value is computed in double and rounded once, which is the correctly rounded result but
 * for a few inputs in a thousand million. `ulp` moves a result by that many units in the last
 * place, to find kernels that rely on more than hardware promises; 0 otherwise.
 *
 * Denormals: exp, log, sqrt, rsq and rcp of f32 take a denormal for zero and return zero for a
 * denormal (RDNA2 ISA, "denormals are flushed"; LLVM AMDGPU scales the arguments of all five for
 * that reason). The f16 and bf16 forms keep them. sin and cos take revolutions, any magnitude.
 *
 * The double functions are branch-free and vectorise in loops over lanes.
 */
#ifndef SIM_TRANS_H
#define SIM_TRANS_H

#include "float.h"

/* 2^r - 1 for |r| <= 1/2, without cancellation. */
SIM_INLINE double sim_exp2_tail(double r)
{
    double t = r * 0x1.62e42fefa39efp-1, p = 1.0 / 6227020800.0;
    p = p * t + 1.0 / 479001600.0;
    p = p * t + 1.0 / 39916800.0;
    p = p * t + 1.0 / 3628800.0;
    p = p * t + 1.0 / 362880.0;
    p = p * t + 1.0 / 40320.0;
    p = p * t + 1.0 / 5040.0;
    p = p * t + 1.0 / 720.0;
    p = p * t + 1.0 / 120.0;
    p = p * t + 1.0 / 24.0;
    p = p * t + 1.0 / 6.0;
    p = p * t + 0.5;
    return t + t * (t * p);
}

/* Splits x into an integer and |r| <= 1/2; *scale is 2^integer, which must be a normal double. */
SIM_INLINE double sim_exp2_split(double x, double *scale)
{
    double shifted = x + 0x1.8p52;
    *scale = sim_f64((sim_f64_bits(shifted) << 52) + ((uint64_t)1023 << 52));
    return x - (shifted - 0x1.8p52);
}

SIM_INLINE double sim_exp2(double x)
{
    double scale;
    x = x < -1000 ? -1000 : x;
    x = x > 1000 ? 1000 : x;
    double r = sim_exp2_split(x, &scale);
    return scale + scale * sim_exp2_tail(r);
}

/* x positive and normal. */
SIM_INLINE double sim_log2_normal(double x)
{
    /* x = 2^e * m, sqrt(1/2) <= m < sqrt(2). */
    uint64_t t = sim_f64_bits(x) - 0x3fe6a09e667f3bcdull + ((uint64_t)1024 << 52);
    int32_t e = (int32_t)(t >> 52) - 1024;
    double m = sim_f64(sim_f64_bits(x) - ((uint64_t)(t >> 52) << 52) + ((uint64_t)1024 << 52));
    double s = (m - 1) / (m + 1), z = s * s, p = 1.0 / 23;
    p = p * z + 1.0 / 21;
    p = p * z + 1.0 / 19;
    p = p * z + 1.0 / 17;
    p = p * z + 1.0 / 15;
    p = p * z + 1.0 / 13;
    p = p * z + 1.0 / 11;
    p = p * z + 1.0 / 9;
    p = p * z + 1.0 / 7;
    p = p * z + 1.0 / 5;
    p = p * z + 1.0 / 3;
    /* 2 / ln 2 in two parts. */
    double hi = s * 0x1.71547652b82fep1, lo = s * 0x1.777d0ffda0d24p-55 + hi * (z * p);
    return e + (hi + lo);
}
SIM_INLINE double sim_log2(double x)
{
    double safe = x >= 0x1p-1000 && x <= 0x1p1000 ? x : 1.0;
    double r = sim_log2_normal(safe);
    r = x == 0 ? -(double)INFINITY : r;
    r = x < 0 || x != x ? (double)NAN : r;
    return x > 0x1p1000 ? x : r;
}

SIM_INLINE double sim_rcp(double x) { return 1 / x; }
SIM_INLINE double sim_sqrt(double x) { return __builtin_sqrt(x); }
SIM_INLINE double sim_rsq(double x) { return 1 / __builtin_sqrt(x); }

/* sin(pi/2 u) and cos(pi/2 u) for |u| <= 1/2. */
SIM_INLINE double sim_sin_quarter(double u)
{
    double t = u * 0x1.921fb54442d18p0, z = t * t, p = -1.0 / 121645100408832000.0;
    p = p * z + 1.0 / 355687428096000.0;
    p = p * z - 1.0 / 1307674368000.0;
    p = p * z + 1.0 / 6227020800.0;
    p = p * z - 1.0 / 39916800.0;
    p = p * z + 1.0 / 362880.0;
    p = p * z - 1.0 / 5040.0;
    p = p * z + 1.0 / 120.0;
    p = p * z - 1.0 / 6.0;
    return t + t * (z * p);
}
SIM_INLINE double sim_cos_quarter(double u)
{
    double t = u * 0x1.921fb54442d18p0, z = t * t, p = 1.0 / 2432902008176640000.0;
    p = p * z - 1.0 / 6402373705728000.0;
    p = p * z + 1.0 / 20922789888000.0;
    p = p * z - 1.0 / 87178291200.0;
    p = p * z + 1.0 / 479001600.0;
    p = p * z - 1.0 / 3628800.0;
    p = p * z + 1.0 / 40320.0;
    p = p * z - 1.0 / 720.0;
    p = p * z + 1.0 / 24.0;
    p = p * z - 0.5;
    return 1 + z * p;
}
/* Quarter turns from -2 to 2 and what is left of x revolutions; exact for an f32. */
SIM_INLINE double sim_turn(double x, double *left)
{
    double big = fabs(x) < 0x1p52 ? x : 0;
    double r = big - (big + 0x1.8p52 - 0x1.8p52);
    double q = 4 * r + 0x1.8p52 - 0x1.8p52;
    *left = 4 * r - q;
    return q;
}
SIM_INLINE double sim_sin(double x)
{
    double u, q = sim_turn(x, &u), s = sim_sin_quarter(u), c = sim_cos_quarter(u);
    double r = q == 0 ? s : q == 1 ? c : q == -1 ? -c : 0 - s;
    return x - x == 0 ? r : (double)NAN;
}
SIM_INLINE double sim_cos(double x)
{
    double u, q = sim_turn(x, &u), s = sim_sin_quarter(u), c = sim_cos_quarter(u);
    double r = q == 0 ? c : q == 1 ? 0 - s : q == -1 ? s : -c;
    return x - x == 0 ? r : (double)NAN;
}

SIM_INLINE double sim_tanh(double x)
{
    double scale, y = x < -20 ? -20 : x > 20 ? 20 : x;
    double r = sim_exp2_split(y * 0x1.71547652b82fep1, &scale);
    double e = (scale - 1) + scale * sim_exp2_tail(r); /* e^2x - 1 */
    return x == 0 ? x : e / (e + 2);
}

/* ---- results in a format ---- */

/* A finite result other than 0 moved by `ulp`, away from 0 if positive; never to infinity. */
SIM_INLINE uint32_t sim_shift_f32(uint32_t r, int ulp)
{
    uint32_t mag = (r & 0x7fffffff) + (uint32_t)ulp;
    return (r & 0x7fffffff) == 0 || mag - 0x800000 >= 0x7f000000 ? r : (r & 0x80000000) | mag;
}
SIM_INLINE uint32_t sim_shift_16(uint32_t r, int ulp, uint32_t inf)
{
    uint32_t mag = (r & 0x7fff) + (uint32_t)ulp;
    return (r & 0x7fff) == 0 || mag - 1 >= inf - 1 ? r : (r & 0x8000) | mag;
}

/* sim_<name>_f32(x, ulp), _f16, _bf16: register bits to register bits. FLUSH: denormals of f32. */
#define SIM_TRANS(name, fn, flush) \
    SIM_INLINE uint32_t sim_##name##_f32(uint32_t x, int ulp) \
    { \
        uint32_t in = flush ? sim_f32_flush(x) : x; \
        uint32_t r = sim_f32_bits((float)fn((double)sim_f32(in))); \
        r = sim_shift_f32(flush ? sim_f32_flush(r) : r, ulp); \
        return sim_f32_nan(r, x, x, x); \
    } \
    SIM_INLINE uint32_t sim_##name##_f16(uint32_t h, int ulp) \
    { \
        double x = (double)sim_f32(sim_f32_from_f16(h)); \
        uint32_t r = sim_f16_from_f64(sim_f64_bits(fn(x))); \
        return sim_f16_nan(sim_shift_16(r, ulp, 0x7c00), h, h, h); \
    } \
    SIM_INLINE uint32_t sim_##name##_bf16(uint32_t h, int ulp) \
    { \
        double x = (double)sim_f32(h << 16); \
        uint32_t r = sim_bf16_from_f64(sim_f64_bits(fn(x))); \
        return sim_bf16_nan(sim_shift_16(r, ulp, 0x7f80), h, h, h); \
    }
SIM_TRANS(exp, sim_exp2, 1)
SIM_TRANS(log, sim_log2, 1)
SIM_TRANS(rcp, sim_rcp, 1)
SIM_TRANS(rsq, sim_rsq, 1)
SIM_TRANS(sqrt, sim_sqrt, 1)
SIM_TRANS(sin, sim_sin, 0)
SIM_TRANS(cos, sim_cos, 0)
SIM_TRANS(tanh, sim_tanh, 0)
#undef SIM_TRANS

#endif
