/* SPDX-License-Identifier: MIT */
/*
 * Number formats and float semantics of the simulated GPUs. Everything here is a branch-free scalar
 * function on register bits (f32, f16, bf16 and smaller in a uint32_t, f64 in a uint64_t), meant to
 * be called in lane loops of constant length, which the compiler then vectorises. Conversions work
 * on integers and do not depend on the host's rounding or denormal mode; arithmetic expects the
 * host in its default mode. Build with -ffp-contract=off -fno-math-errno -fno-trapping-math.
 *
 * NaN rule, one for all families: a NaN operand is returned quieted, the first one in source order;
 * a NaN that an operation makes itself is +0x7fc00000 (0x7e00, 0x7fc0, 0x7ff8000000000000).
 */
#ifndef SIM_FLOAT_H
#define SIM_FLOAT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SIM_INLINE static inline __attribute__((always_inline, unused))

/* Rounding modes as MODE.round encodes them; SR adds the seed to the bits that are cut off. */
enum sim_round { SIM_RNE, SIM_RUP, SIM_RDOWN, SIM_RTZ, SIM_RSR };

/* ---- bits ---- */

SIM_INLINE float sim_f32(uint32_t x) { float f; memcpy(&f, &x, 4); return f; }
SIM_INLINE uint32_t sim_f32_bits(float f) { uint32_t x; memcpy(&x, &f, 4); return x; }
SIM_INLINE double sim_f64(uint64_t x) { double f; memcpy(&f, &x, 8); return f; }
SIM_INLINE uint64_t sim_f64_bits(double f) { uint64_t x; memcpy(&x, &f, 8); return x; }

SIM_INLINE bool sim_f32_is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }
SIM_INLINE bool sim_f32_is_snan(uint32_t x) { return sim_f32_is_nan(x) && !(x & 0x400000); }
SIM_INLINE bool sim_f16_is_nan(uint32_t x) { return (x & 0x7fff) > 0x7c00; }
SIM_INLINE bool sim_f16_is_snan(uint32_t x) { return sim_f16_is_nan(x) && !(x & 0x200); }
SIM_INLINE bool sim_bf16_is_nan(uint32_t x) { return (x & 0x7fff) > 0x7f80; }
SIM_INLINE bool sim_bf16_is_snan(uint32_t x) { return sim_bf16_is_nan(x) && !(x & 0x40); }
SIM_INLINE bool sim_f64_is_nan(uint64_t x)
{
    return (x & 0x7fffffffffffffff) > 0x7ff0000000000000;
}
SIM_INLINE bool sim_f64_is_snan(uint64_t x)
{
    return sim_f64_is_nan(x) && !(x & 0x8000000000000);
}

/* Denormals to zero of the same sign (denormal mode "flush", on inputs or results). */
SIM_INLINE uint32_t sim_f32_flush(uint32_t x) { return x & 0x7f800000 ? x : x & 0x80000000; }
SIM_INLINE uint32_t sim_f16_flush(uint32_t x) { return x & 0x7c00 ? x : x & 0x8000; }
SIM_INLINE uint32_t sim_bf16_flush(uint32_t x) { return x & 0x7f80 ? x : x & 0x8000; }
SIM_INLINE uint64_t sim_f64_flush(uint64_t x)
{
    return x & 0x7ff0000000000000 ? x : x & 0x8000000000000000;
}

/* Applies the NaN rule to `r`, the host's result of an operation on a, b, c (pass an operand twice
 * where there are fewer). */
SIM_INLINE uint32_t sim_f32_nan(uint32_t r, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t n = 0x7fc00000;
    n = sim_f32_is_nan(c) ? c | 0x400000 : n;
    n = sim_f32_is_nan(b) ? b | 0x400000 : n;
    n = sim_f32_is_nan(a) ? a | 0x400000 : n;
    return sim_f32_is_nan(r) ? n : r;
}
SIM_INLINE uint32_t sim_f16_nan(uint32_t r, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t n = 0x7e00;
    n = sim_f16_is_nan(c) ? (c & 0xffff) | 0x200 : n;
    n = sim_f16_is_nan(b) ? (b & 0xffff) | 0x200 : n;
    n = sim_f16_is_nan(a) ? (a & 0xffff) | 0x200 : n;
    return sim_f16_is_nan(r) ? n : r;
}
SIM_INLINE uint32_t sim_bf16_nan(uint32_t r, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t n = 0x7fc0;
    n = sim_bf16_is_nan(c) ? (c & 0xffff) | 0x40 : n;
    n = sim_bf16_is_nan(b) ? (b & 0xffff) | 0x40 : n;
    n = sim_bf16_is_nan(a) ? (a & 0xffff) | 0x40 : n;
    return sim_bf16_is_nan(r) ? n : r;
}
SIM_INLINE uint64_t sim_f64_nan(uint64_t r, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t n = 0x7ff8000000000000, q = 0x8000000000000;
    n = sim_f64_is_nan(c) ? c | q : n;
    n = sim_f64_is_nan(b) ? b | q : n;
    n = sim_f64_is_nan(a) ? a | q : n;
    return sim_f64_is_nan(r) ? n : r;
}

/* ---- narrowing ---- */

/* The finite f32 x times 2^-scale, rounded to a format with `man` mantissa bits and exponent bias
 * `bias`: exponent and mantissa as one number, without sign and without an upper limit, so that
 * 1 is the least denormal. The top bits of `seed` fill the cut-off bits (SIM_RSR). */
SIM_INLINE uint32_t sim_narrow(uint32_t x, unsigned man, int bias, int scale, enum sim_round round,
                               uint32_t seed)
{
    uint32_t mag = x & 0x7fffffff;
    /* A denormal is made normal through an exact int to float conversion. */
    uint32_t nd = sim_f32_bits((float)(int32_t)(mag & 0x7fffff));
    int e = (int)(mag >> 23 ? mag >> 23 : (nd >> 23) - 149);
    uint32_t sig = ((mag >> 23 ? mag : nd) & 0x7fffff) | (mag ? 0x800000 : 0);
    int te = e - 127 + bias - scale;
    int extra = te < 1 ? 1 - te : 0;
    unsigned cut = 23 - man + (unsigned)(extra > 8 + (int)man ? 8 + (int)man : extra);
    uint32_t base = te < 1 ? 0 : (uint32_t)(te - 1) << man;
    uint32_t low = (1u << cut) - 1, add;
    switch (round) {
    case SIM_RNE: add = (low >> 1) + (sig >> cut & 1); break;
    case SIM_RUP: add = x >> 31 ? 0 : low; break;
    case SIM_RDOWN: add = x >> 31 ? low : 0; break;
    case SIM_RSR: add = seed >> (32 - cut); break;
    default: add = 0; break;
    }
    return base + ((sig + add) >> cut);
}

/* ---- f16 ---- */

SIM_INLINE uint32_t sim_f32_from_f16(uint32_t h)
{
    uint32_t mag = h & 0x7fff, s = (h & 0x8000) << 16;
    uint32_t norm = (mag << 13) + ((127 - 15) << 23);
    uint32_t den = sim_f32_bits((float)(int32_t)mag * 0x1p-24f);
    uint32_t inf = 0x7f800000 | mag << 13 | (mag > 0x7c00 ? 0x400000 : 0);
    return s | (mag >= 0x7c00 ? inf & 0x7fffffff : mag < 0x400 ? den : norm);
}

/* Overflow gives infinity, or the largest number if the rounding points that way or with `ovfl`
 * (MODE.fp16_ovfl: a finite value never becomes infinity). */
SIM_INLINE uint32_t sim_f16_from_f32_mode(uint32_t x, enum sim_round round, uint32_t seed,
                                          bool ovfl)
{
    uint32_t mag = x & 0x7fffffff, s = x >> 16 & 0x8000;
    uint32_t r = sim_narrow(x, 10, 15, 0, round, seed);
    bool down = ovfl || round == SIM_RTZ || (round == SIM_RUP && x >> 31)
             || (round == SIM_RDOWN && !(x >> 31));
    r = r >= 0x7c00 ? 0x7c00 - (uint32_t)down : r;
    r = mag == 0x7f800000 ? 0x7c00 : r;
    r = mag > 0x7f800000 ? 0x7e00 | (mag >> 13 & 0x3ff) : r;
    return s | r;
}
SIM_INLINE uint32_t sim_f16_from_f32(uint32_t x)
{
    return sim_f16_from_f32_mode(x, SIM_RNE, 0, false);
}
SIM_INLINE uint32_t sim_f16_from_f32_rtz(uint32_t x)
{
    return sim_f16_from_f32_mode(x, SIM_RTZ, 0, false);
}
SIM_INLINE uint32_t sim_f16_from_f32_sr(uint32_t x, uint32_t seed)
{
    return sim_f16_from_f32_mode(x, SIM_RSR, seed, false);
}

/* f64 to the f32 that rounds to the same f16, bf16 or smaller number: cut to 24 bits, the last one
 * set if anything was lost (round to odd), so that a second rounding does no harm. Works from
 * either f32 neighbour, so the host's rounding mode does not matter. */
SIM_INLINE uint32_t sim_f32_odd_from_f64(uint64_t d)
{
    double x = sim_f64(d);
    float near = (float)x;
    uint32_t bits = sim_f32_bits(near);
    bits -= fabs((double)near) > fabs(x);
    return bits | ((double)near != x && x == x);
}
SIM_INLINE uint32_t sim_f16_from_f64(uint64_t d)
{
    return sim_f16_from_f32(sim_f32_odd_from_f64(d));
}

/* ---- bf16 ---- */

SIM_INLINE uint32_t sim_f32_from_bf16(uint32_t b)
{
    uint32_t x = b << 16;
    return x | (sim_f32_is_nan(x) ? 0x400000 : 0);
}
SIM_INLINE uint32_t sim_bf16_from_f32(uint32_t x)
{
    uint32_t r = (x + 0x7fff + (x >> 16 & 1)) >> 16;
    return sim_f32_is_nan(x) ? x >> 16 | 0x40 : r;
}
/* By any rounding but SIM_RSR; overflow as for f16. */
SIM_INLINE uint32_t sim_bf16_from_f32_mode(uint32_t x, enum sim_round round)
{
    uint32_t up = round == SIM_RUP ? x >> 31 ? 0 : 0xffff : round == SIM_RDOWN && x >> 31 ? 0xffff : 0;
    uint32_t r = (x + up) >> 16;
    return round == SIM_RNE ? sim_bf16_from_f32(x) : sim_f32_is_nan(x) ? x >> 16 | 0x40 : r;
}
SIM_INLINE uint32_t sim_bf16_from_f32_sr(uint32_t x, uint32_t seed)
{
    uint32_t r = (x + (seed >> 16)) >> 16;
    r = (x & 0x7fffffff) == 0x7f800000 ? x >> 16 : r;
    return sim_f32_is_nan(x) ? x >> 16 | 0x40 : r;
}
SIM_INLINE uint32_t sim_bf16_from_f64(uint64_t d)
{
    return sim_bf16_from_f32(sim_f32_odd_from_f64(d));
}

/* ---- 8, 6 and 4 bits ---- */

enum sim_mini {
#define SIM_MINI(id, man, bias, max, inf, nan, unsig) SIM_##id,
#include "float.inc"
    SIM_MINI_COUNT
};
struct sim_mini_format { uint8_t man, bias, max, inf, nan, unsig; };
static const struct sim_mini_format sim_mini_format[SIM_MINI_COUNT] __attribute__((unused)) = {
#define SIM_MINI(id, man, bias, max, inf, nan, unsig) {man, bias, max, inf, nan, unsig},
#include "float.inc"
};

/* Exact. */
SIM_INLINE uint32_t sim_f32_from_mini(enum sim_mini id, uint32_t code)
{
    const struct sim_mini_format f = sim_mini_format[id];
    bool fnuz = f.nan == 0x80;
    uint32_t wide = f.max > 0x1f ? 0x7f : f.max, sbit = f.unsig ? 0 : wide + 1;
    uint32_t mag = code & (f.unsig ? 0xff : wide), s = code & sbit ? 0x80000000 : 0;
    uint32_t norm = (mag << (23 - f.man)) + ((uint32_t)(127 - f.bias) << 23);
    float least = sim_f32((uint32_t)(127 + 1 - f.bias - f.man) << 23);
    uint32_t den = sim_f32_bits((float)(int32_t)mag * least);
    uint32_t r = s | (mag >> f.man ? norm : den);
    r = f.inf && mag == f.inf ? s | 0x7f800000 : r;
    if (fnuz)
        return (code & 0xff) == 0x80 ? 0x7fc00000 : r;
    return f.nan && mag > (f.inf ? f.inf : f.max) ? s | 0x7fc00000 : r;
}

/* x * 2^-scale as a mini float. Above the largest number: that number if `sat`, else infinity, or
 * NaN in a format without infinity. Infinities likewise. The 4- and 6-bit formats always saturate;
 * NaN becomes their largest number, keeping the sign. (CDNA3 ISA: MODE.fp16_ovfl selects `sat`.) */
SIM_INLINE uint32_t sim_mini_from_f32(enum sim_mini id, uint32_t x, int scale, enum sim_round round,
                                      uint32_t seed, bool sat)
{
    const struct sim_mini_format f = sim_mini_format[id];
    bool fnuz = f.nan == 0x80;
    uint32_t wide = f.max > 0x1f ? 0x7f : f.max, sbit = f.unsig ? 0 : wide + 1;
    uint32_t mag = scale == 128 ? 0x7fc00000 : x & 0x7fffffff, s = x >> 31 ? sbit : 0;
    uint32_t r = sim_narrow(x, f.man, f.bias, scale, round, seed);
    uint32_t over = sat || !f.nan ? f.max : f.inf ? f.inf : f.nan;
    r = r > f.max || mag == 0x7f800000 ? over : r;
    r = mag > 0x7f800000 ? (f.nan ? f.nan : f.max) : r;
    if (fnuz)
        return r == 0x80 || r == 0 ? r : r | s;
    return r | s;
}

/* A mini float times 2^scale, as f32: exact, or rounded to nearest even where it is denormal. Here
 * and in sim_mini_from_f32 a scale of 128 (E8M0's NaN) makes NaN. */
SIM_INLINE uint32_t sim_f32_from_mini_scaled(enum sim_mini id, uint32_t code, int scale)
{
    double p = sim_f64((uint64_t)(1023 + scale) << 52);
    uint32_t r = sim_f32_bits((float)((double)sim_f32(sim_f32_from_mini(id, code)) * p));
    return scale == 128 ? 0x7fc00000 : r;
}

/* Scale operands: an E8M0 byte or the exponent of an f32 (v_cvt_scalef32_*: CDNA4 ISA, "scale =
 * exponent(S2.f32)") as the power of two they stand for; the byte 255 is NaN. */
SIM_INLINE int sim_scale_of_e8m0(uint32_t byte) { return (int)(byte & 0xff) - 127; }
SIM_INLINE int sim_scale_of_f32(uint32_t x) { return (int)(x >> 23 & 0xff) - 127; }

/* v_prng_b32: the next seed of a stochastic conversion of several elements. */
SIM_INLINE uint32_t sim_prng(uint32_t x) { return x << 1 ^ (x >> 31 ? 197 : 0); }

#endif
