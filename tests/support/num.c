/* SPDX-License-Identifier: MIT */
/* Conversions and spacing of the float formats, from one table of their parameters. */
#include "num.h"

#include <math.h>
#include <string.h>

#include <fly/types.h>

/* value = sign * 2^(exponent - bias) * 1.mantissa; the top exponent holds infinity and NaN. */
struct format {
    int bytes, exp_bits, man_bits;
};

static const struct format formats[] = {
    [FLY_DTYPE_F32]  = {4, 8, 23},
    [FLY_DTYPE_F16]  = {2, 5, 10},
    [FLY_DTYPE_BF16] = {2, 8, 7},
};

static const struct format *format_of(unsigned dtype)
{
    static const struct format none;
    return dtype < sizeof formats / sizeof *formats ? &formats[dtype] : &none;
}

/* 2^e for -1022 <= e <= 1023. */
static double two_to(int e)
{
    uint64_t bits = (uint64_t)(e + 1023) << 52;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

/* Exponent of a finite v; -1023 for 0 and denormal doubles, far below every format here. */
static int exponent(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1023;
}

/* 8-bit types: fp8 with a bias, a largest value and the code of NaN (OCP has it in both signs, FNUZ once, in
 * place of -0), and int8. None has infinities. */
struct small {
    unsigned dtype;
    int bias, max;
    uint8_t nan;
};

static const struct small smalls[] = {
    {FLY_DTYPE_E4M3, 7, 448, 0x7f},
    {FLY_DTYPE_E4M3FNUZ, 8, 240, 0x80},
    {FLY_DTYPE_I8, 0, 127, 0},
};

static const struct small *small_of(unsigned dtype)
{
    for (size_t i = 0; i < sizeof smalls / sizeof *smalls; i++)
        if (smalls[i].dtype == dtype)
            return &smalls[i];
    return NULL;
}

static double small_decode(const struct small *s, uint8_t code)
{
    int e = code >> 3 & 15, m = code & 7;
    if (s->dtype == FLY_DTYPE_I8)
        return (int8_t)code;
    if (code == s->nan || (s->nan == 0x7f && code == 0xff))
        return NAN;
    double v = e ? (8 + m) * two_to(e - s->bias - 3) : m * two_to(1 - s->bias - 3);
    return code & 0x80 ? -v : v;
}

static uint8_t small_encode(const struct small *s, double v)
{
    if (s->dtype == FLY_DTYPE_I8)
        return (uint8_t)(int8_t)(isnan(v) ? 0 : fmax(-128, fmin(127, rint(v))));
    if (isnan(v))
        return s->nan;
    double size = fmin(fabs(v), s->max);
    int e = exponent(size), low = 1 - s->bias;
    int steps = (int)rint(size / two_to((e < low ? low : e) - 3)); /* of 1/8 of the power of two */
    uint8_t code = (uint8_t)(e < low ? steps : (e - low) * 8 + steps); /* a carry is right, too */
    return code && signbit(v) ? code | 0x80 : code;
}

static int min_exponent(const struct format *f)
{
    return 2 - (1 << (f->exp_bits - 1));
}

size_t num_bytes(unsigned dtype, int64_t n)
{
    if (dtype == FLY_DTYPE_I32)
        return 4 * (size_t)n;
    return small_of(dtype) ? (size_t)n : (size_t)format_of(dtype)->bytes * (size_t)n;
}

double num_max(unsigned dtype)
{
    const struct format *f = format_of(dtype);
    if (small_of(dtype))
        return small_of(dtype)->max;
    return ldexp(2.0 - ldexp(1.0, -f->man_bits), (1 << (f->exp_bits - 1)) - 1);
}

double num_min_normal(unsigned dtype)
{
    return ldexp(1.0, min_exponent(format_of(dtype)));
}

double num_min_denormal(unsigned dtype)
{
    const struct format *f = format_of(dtype);
    return ldexp(1.0, min_exponent(f) - f->man_bits);
}

double num_ulp(unsigned dtype, double v)
{
    const struct format *f = format_of(dtype);
    const struct small *small = small_of(dtype);
    if (small && dtype == FLY_DTYPE_I8)
        return 1;
    if (small)
        return two_to((exponent(v) < 1 - small->bias ? 1 - small->bias : exponent(v)) - 3);
    int e = exponent(v), low = min_exponent(f), top = (1 << (f->exp_bits - 1)) - 1;
    return two_to((e < low ? low : e > top ? top : e) - f->man_bits);
}

double num_round(unsigned dtype, double v)
{
    if (v == 0 || !isfinite(v))
        return v;
    double ulp = num_ulp(dtype, v);
    double r = rint(v / ulp) * ulp; /* v / ulp is exact: ulp is a power of two */
    return fabs(r) > num_max(dtype) ? copysign(INFINITY, v) : r;
}

static double decode(const struct format *f, uint32_t bits)
{
    int e = (int)(bits >> f->man_bits) & ((1 << f->exp_bits) - 1);
    uint32_t m = bits & ((1u << f->man_bits) - 1);
    int negative = bits >> (f->man_bits + f->exp_bits) & 1;
    double v;
    if (e == (1 << f->exp_bits) - 1)
        v = m ? NAN : INFINITY;
    else if (e == 0)
        v = m * two_to(min_exponent(f) - f->man_bits);
    else
        v = (double)(m | 1u << f->man_bits) * two_to(e - 1 + min_exponent(f) - f->man_bits);
    return negative ? -v : v;
}

static uint32_t encode(const struct format *f, unsigned dtype, double v)
{
    uint32_t sign = (uint32_t)(signbit(v) ? 1 : 0) << (f->man_bits + f->exp_bits);
    int least = min_exponent(f), most = (1 << (f->exp_bits - 1)) - 1;
    if (exponent(v) >= least && exponent(v) <= most) { /* a carry out of the mantissa is right, too */
        uint64_t bits, cut = 52 - (uint64_t)f->man_bits;
        memcpy(&bits, &v, sizeof bits);
        bits &= ~(UINT64_C(1) << 63);
        bits += (UINT64_C(1) << (cut - 1)) - 1 + (bits >> cut & 1);
        return sign | (uint32_t)((bits >> cut) - ((uint64_t)(1022 + least) << f->man_bits));
    }
    uint32_t top = (uint32_t)((1 << f->exp_bits) - 1) << f->man_bits;
    if (isnan(v))
        return sign | top | 1u << (f->man_bits - 1);
    double r = fabs(num_round(dtype, v));
    if (isinf(r) || exponent(v) > most)
        return sign | top;
    if (r < num_min_normal(dtype))
        return sign | (uint32_t)(r / num_min_denormal(dtype));
    return sign | 1u << f->man_bits; /* rounded up to the smallest normal number */
}

double num_get(unsigned dtype, const void *base, int64_t i)
{
    double v;
    num_get_array(dtype, base, i, 1, &v);
    return v;
}

void num_get_array(unsigned dtype, const void *base, int64_t from, int64_t n, double *out)
{
    const struct format *f = format_of(dtype);
    const struct small *s = small_of(dtype);
    if (dtype == FLY_DTYPE_I32) {
        for (int64_t i = 0; i < n; i++)
            out[i] = ((const int32_t *)base)[from + i];
    } else if (s) {
        for (int64_t i = 0; i < n; i++)
            out[i] = small_decode(s, ((const uint8_t *)base)[from + i]);
    } else if (f->bytes == 4) {
        const char *p = (const char *)base + 4 * from;
        for (int64_t i = 0; i < n; i++) {
            float v;
            memcpy(&v, p + 4 * i, 4);
            out[i] = v;
        }
    } else if (f->bytes == 2 && f->exp_bits == 8) {
        const char *p = (const char *)base + 2 * from;
        for (int64_t i = 0; i < n; i++) {
            uint16_t h;
            memcpy(&h, p + 2 * i, 2);
            uint32_t w = (uint32_t)h << 16; /* bf16 is the upper half of f32 */
            float v;
            memcpy(&v, &w, 4);
            out[i] = v;
        }
    } else {
        const char *p = (const char *)base + 2 * from;
        for (int64_t i = 0; i < n; i++) {
            uint16_t h;
            memcpy(&h, p + 2 * i, 2);
            out[i] = decode(f, h);
        }
    }
}

void num_put(unsigned dtype, void *base, int64_t i, double v)
{
    const struct format *f = format_of(dtype);
    const struct small *s = small_of(dtype);
    if (dtype == FLY_DTYPE_I32) {
        ((int32_t *)base)[i] = (int32_t)v;
    } else if (s) {
        ((uint8_t *)base)[i] = small_encode(s, v);
    } else if (f->bytes == 4) {
        float w = (float)v;
        memcpy((char *)base + 4 * i, &w, 4);
    } else {
        uint16_t h = (uint16_t)encode(f, dtype, v);
        memcpy((char *)base + 2 * i, &h, 2);
    }
}

struct num_error num_error(unsigned dtype, double exact, double s, double got)
{
    struct num_error bad = {INFINITY, INFINITY}, none = {0, 0};
    if (isnan(exact) || isnan(got))
        return isnan(exact) && isnan(got) ? none : bad;
    double half = 0.5 * num_ulp(dtype, exact), slack = NUM_U * s;
    if (isinf(exact))
        return got == exact ? none : bad;
    if (isinf(got)) { /* right when exact, moved by the bound, rounds beyond the largest value */
        double limit = num_max(dtype) + half;
        double short_by = limit - copysign(1, got) * exact;
        if (short_by <= 0)
            return none;
        return short_by <= NUM_C * slack ? (struct num_error){short_by / (NUM_C * slack), short_by / slack} : bad;
    }
    double err = fabs(got - exact), bound = half + NUM_C * slack;
    struct num_error e = {err / bound, 0};
    if (err > half)
        e.c = slack > 0 ? (err - half) / slack : INFINITY;
    return e;
}
