/* SPDX-License-Identifier: MIT */
/*
 * f32 arithmetic. References: CDNA3/CDNA4 ISA guides, chapter "Vector ALU operations" and the
 * instruction chapters; division steps as the RDNA3 guide describes V_DIV_FMAS (the CDNA text's
 * factor 2^32 cannot give LLVM's division sequence its right result, which test_division checks).
 */
#include "valu.h"

#include <math.h>

#define S32(k) lane_f32(l, l->s[k])
#define REF(name) static void name(struct lane *l)
#define OUT(x) (l->d = pack_f32(l, x))

/* A denormal source under a mode that flushes: left open where the text works on fields of the
 * bits. */
static bool flushed(const struct lane *l, int k)
{
    return ref_is_denormal(REF_F32, l->s[k]) && (l->mode & 0x30) != 0x30;
}

REF(add) { OUT(ref_add(S32(0), S32(1), round32(l))); }
REF(sub) { OUT(ref_add(S32(0), ref_neg(S32(1)), round32(l))); }
REF(subrev) { OUT(ref_add(S32(1), ref_neg(S32(0)), round32(l))); }
REF(mul) { OUT(ref_mul(S32(0), S32(1))); }
REF(fma3) { OUT(ref_add(ref_mul(S32(0), S32(1)), S32(2), round32(l))); }
REF(fmac) { OUT(ref_add(ref_mul(S32(0), S32(1)), lane_f32(l, l->d), round32(l))); }
REF(fmamk) { OUT(ref_add(ref_mul(S32(0), S32(1)), S32(2), round32(l))); }

/* Zero times anything is zero, also infinity and NaN. */
REF(mul_legacy)
{
    struct ref_num a = S32(0), b = S32(1);
    if ((a.cls == REF_FINITE && !a.man) || (b.cls == REF_FINITE && !b.man))
        l->d = 0;
    else
        OUT(ref_mul(a, b));
}

/* Unfused multiply and add; denormals are flushed whatever MODE says (LLVM: isFMADLegal), which is
 * left open here when they are enabled. */
static uint32_t mad32(struct lane *l, uint64_t a, uint64_t b, uint64_t c, uint32_t mode,
    bool legacy)
{
    struct lane m = *l;
    m.mode = mode;
    struct ref_num x = lane_f32(&m, a), y = lane_f32(&m, b);
    uint32_t p = pack_f32(&m, ref_mul(x, y));
    if (legacy && ((x.cls == REF_FINITE && !x.man) || (y.cls == REF_FINITE && !y.man)))
        p = 0;
    return pack_f32(&m, ref_add(lane_f32(&m, p), lane_f32(&m, c), round32(&m)));
}

static void mad_any(struct lane *l, uint64_t c, bool legacy)
{
    l->d = mad32(l, l->s[0], l->s[1], c, l->mode & ~0x30u, legacy);
    lane_alt(l, mad32(l, l->s[0], l->s[1], c, l->mode, legacy));
}

REF(mad3) { mad_any(l, l->s[2], false); }
REF(mac) { mad_any(l, l->d, false); }
REF(mad_legacy) { mad_any(l, l->s[2], true); }

/* V_MIN_F32: a signalling NaN is quieted and returned under IEEE; else the other operand; -0 <
 * +0. */
static uint32_t min_max(struct lane *l, uint32_t a, uint32_t b, bool max)
{
    struct ref_num x = lane_f32(l, a), y = lane_f32(l, b);
    bool sa = x.cls == REF_NAN && !(a & 0x400000), sb = y.cls == REF_NAN && !(b & 0x400000);
    bool raw = !(l->mode & MODE_IEEE) && l->target < T_1201; /* a NaN passes as it is */
    a = raw && x.cls == REF_NAN ? a : pack_f32(l, x);
    b = raw && y.cls == REF_NAN ? b : pack_f32(l, y);
    if (l->mode & MODE_IEEE && (sa || sb))
        return sa ? a : b;
    if (x.cls == REF_NAN) /* of two NaNs gfx12 takes the first */
        return y.cls == REF_NAN && l->target >= T_1201 ? a : b;
    if (y.cls == REF_NAN)
        return a;
    int c = ref_cmp(x, y);
    if (c == 0)
        return max ? (x.neg ? b : a) : x.neg ? a : b;
    return (c > 0) == max ? a : b;
}

static uint32_t min_max3(struct lane *l, bool max)
{
    return min_max(l, min_max(l, (uint32_t)l->s[0], (uint32_t)l->s[1], max), (uint32_t)l->s[2],
        max);
}

static bool any_nan(const struct lane *l, int n)
{
    for (int i = 0; i < n; i++)
        if (ref_unpack(REF_F32, l->s[i]).cls == REF_NAN)
            return true;
    return false;
}

REF(min) { l->d = min_max(l, (uint32_t)l->s[0], (uint32_t)l->s[1], false); }
REF(max) { l->d = min_max(l, (uint32_t)l->s[0], (uint32_t)l->s[1], true); }
REF(min3) { l->d = min_max3(l, false); }
REF(max3) { l->d = min_max3(l, true); }

REF(med3)
{
    struct lane m = *l;
    if (any_nan(l, 3)) {
        l->d = min_max3(l, false);
        return;
    }
    m.mode |= 0x20; /* a denormal result is flushed at the end, not while comparing */
    for (int i = 0; i < 3; i++)
        m.s[i] = pack_f32(&m, S32(i));
    /* drop one equal to the largest, the larger of the rest is the median */
    for (int i = 0; i < 3; i++)
        if (ref_cmp(ref_unpack(REF_F32, min_max3(&m, true)), ref_unpack(REF_F32, m.s[i])) == 0) {
            l->d = pack_f32(l, ref_unpack(REF_F32, min_max(&m, (uint32_t)m.s[(i + 1) % 3],
                                                           (uint32_t)m.s[(i + 2) % 3], true)));
            return;
        }
}

/* IEEE 754-2019 minimum and maximum: a NaN wins. */
static uint32_t minimum_maximum(struct lane *l, uint32_t a, uint32_t b, bool max)
{
    struct ref_num x = lane_f32(l, a), y = lane_f32(l, b);
    bool second = y.cls == REF_NAN && !(b & 0x400000) && (a & 0x400000); /* signalling ones first */
    if (x.cls == REF_NAN || y.cls == REF_NAN)
        return pack_f32(l, x.cls == REF_NAN && !second ? x : y);
    int c = ref_cmp(x, y);
    a = pack_f32(l, x);
    b = pack_f32(l, y);
    if (c == 0)
        return max ? (x.neg ? b : a) : x.neg ? a : b;
    return (c > 0) == max ? a : b;
}

static void minimum_maximum3(struct lane *l, bool max)
{
    l->d = minimum_maximum(l, minimum_maximum(l, (uint32_t)l->s[0], (uint32_t)l->s[1], max),
        (uint32_t)l->s[2], max);
}

REF(minimum3) { minimum_maximum3(l, false); }
REF(maximum3) { minimum_maximum3(l, true); }

REF(trunc_) { OUT(ref_integral(S32(0), REF_ZERO)); }
REF(floor_) { OUT(ref_integral(S32(0), REF_DOWN)); }
REF(ceil_) { OUT(ref_integral(S32(0), REF_UP)); }
REF(rndne) { OUT(ref_integral(S32(0), REF_RNE)); }

/* S0 - floor(S0) as one addition; the largest result is below 1. */
REF(fract)
{
    struct ref_num x = S32(0);
    if (x.cls == REF_INF) { /* inf - inf; RDNA's text calls the result NaN */
        l->d = 0xffc00000;
        lane_alt(l, 0x7fc00000);
        return;
    }
    OUT(ref_add(x, ref_neg(ref_integral(x, REF_DOWN)), round32(l)));
    if (l->d == 0x3f800000) /* "result clamped to 0x3f7fffff" */
        l->d = 0x3f7fffff;
    if (l->d << 1 == 0) /* the sign of x - x is not worth a rule */
        lane_alt(l, l->d ^ 0x80000000);
}

static struct ref_num frexp_mant(struct ref_num x)
{
    if (x.cls == REF_FINITE && x.man) {
        int top = x.man >> 64 ? 127 : 63 - __builtin_clzll((uint64_t)x.man);
        x.exp = -top - 1;
    }
    return x;
}

REF(frexp_mant32)
{
    l->skip = flushed(l, 0);
    OUT(frexp_mant(S32(0)));
}

REF(frexp_exp32)
{
    l->skip = flushed(l, 0);
    struct ref_num x = S32(0);
    l->d = 0;
    if (x.cls == REF_FINITE && x.man)
        l->d = (uint32_t)(x.exp + 63 - __builtin_clzll((uint64_t)x.man) + 1);
}

REF(ldexp32)
{
    int by = (int32_t)l->s[1];
    by = by > 1000 ? 1000 : by < -1000 ? -1000 : by;
    OUT(ref_scale(S32(0), by));
}

static struct ref_num fetch_flushed(uint64_t s)
{
    return ref_unpack(REF_F32, ref_is_denormal(REF_F32, s) ? s & 0x80000000 : s);
}

/* Transcendental: the value rounded once, denormals flushed on both sides ("1ULP accuracy,
 * denormals are flushed", CDNA3 guide, instruction pages). */
static void transcendental(struct lane *l, long double (*f)(long double))
{
    struct ref_num x = fetch_flushed(l->s[0]);
    if (x.cls == REF_NAN)
        l->d = pack_f32(l, x);
    else
        l->d = ref_pack(REF_F32, ref_from_ld(f(ref_to_ld(x))), REF_RNE, true);
}

static long double f_rcp(long double x) { return 1 / x; }
static long double f_rsq(long double x) { return 1 / sqrtl(x); }
static long double f_sqrt(long double x) { return sqrtl(x); }
static long double f_exp(long double x) { return exp2l(x); }
static long double f_log(long double x) { return log2l(x); }

REF(rcp) { transcendental(l, f_rcp); }
REF(rsq) { transcendental(l, f_rsq); }
REF(sqrt_) { transcendental(l, f_sqrt); }
REF(exp_) { transcendental(l, f_exp); }
REF(log_) { transcendental(l, f_log); }

/* Turns, not radians; the full range, where large numbers are whole turns. */
static void sin_cos(struct lane *l, bool cosine)
{
    const long double turn = 6.283185307179586476925286766559005768L;
    struct ref_num x = S32(0);
    if (x.cls != REF_FINITE) {
        l->d = 0xffc00000;
        return;
    }
    long double full = ref_to_ld(x), t = full - rintl(full);
    long double r = cosine ? cosl(t * turn) : sinl(t * turn);
    if (!cosine && (t == 0 || fabsl(t) == 0.5L))
        r = copysignl(0, full);
    if (cosine && fabsl(t) == 0.25L)
        r = 0;
    OUT(ref_from_ld(r));
    if (l->d << 1 == 0) /* the guide's examples: sin(-0) is -0, sin(-max) is +0 */
        lane_alt(l, l->d ^ 0x80000000);
}

REF(sin_) { sin_cos(l, false); }
REF(cos_) { sin_cos(l, true); }

/* Legacy forms: flush denormals, log2(0) = -max. */
REF(exp_legacy) { transcendental(l, f_exp); }
REF(log_legacy)
{
    transcendental(l, f_log);
    if (l->d == 0xff800000)
        lane_alt(l, 0xff7fffff);
}

static int exponent32(uint64_t b)
{
    return (int)(b >> 23 & 0xff);
}

REF(div_fixup)
{
    l->skip = flushed(l, 1) || flushed(l, 2);
    struct ref_num den = S32(1), num = S32(2);
    bool neg = den.neg != num.neg;
    uint64_t sign = neg ? 0x80000000 : 0;
    bool dz = den.cls == REF_FINITE && !den.man, nz = num.cls == REF_FINITE && !num.man;
    if (num.cls == REF_NAN || den.cls == REF_NAN) {
        l->d = pack_f32(l, num.cls == REF_NAN ? num : den);
    } else if ((dz && nz) || (den.cls == REF_INF && num.cls == REF_INF)) {
        l->d = 0xffc00000;
    } else if (dz || num.cls == REF_INF) {
        l->d = sign | 0x7f800000;
    } else if (den.cls == REF_INF || nz) {
        l->d = sign;
    } else if (exponent32(l->s[2]) - exponent32(l->s[1]) < -150) {
        l->d = sign; /* underflow: the smallest by some texts */
        lane_alt(l, sign | 1);
        lane_alt(l, sign | 0x00800000);
    } else if (exponent32(l->s[1]) == 255) {
        l->d = sign | 0x7f800000;
    } else {
        struct ref_num q = S32(0);
        if (q.cls == REF_NAN) { /* the estimate overflowed on the way (division.c needs this) */
            l->d = sign | 0x7f800000;
            return;
        }
        q.neg = neg;
        l->d = pack_f32(l, q);
    }
}

REF(div_fmas)
{
    struct ref_num r = ref_add(ref_mul(S32(0), S32(1)), S32(2), round32(l));
    int by = exponent32(l->s[2]) > 127 ? 64 : -64;
    OUT(l->mask_in ? ref_scale(r, by) : r);
    /* Rounded before the scaling, or after: differs for denormal results only. */
    if (l->mask_in)
        lane_alt(l, pack_f32(l, ref_scale(ref_unpack(REF_F32, pack_f32(l, r)), by)));
}

/* The cube map instructions: face, coordinates and twice the major axis of (x, y, z). */
static int cube_face(const struct lane *l, struct ref_num c[3])
{
    struct ref_num m[3];
    for (int i = 0; i < 3; i++) {
        c[i] = lane_f32(l, l->s[i]);
        m[i] = c[i];
        m[i].neg = false;
    }
    bool ge_zx = ref_cmp(m[2], m[0]) == 0 || ref_cmp(m[2], m[0]) == 1;
    bool ge_zy = ref_cmp(m[2], m[1]) == 0 || ref_cmp(m[2], m[1]) == 1;
    bool ge_yx = ref_cmp(m[1], m[0]) == 0 || ref_cmp(m[1], m[0]) == 1;
    return ge_zx && ge_zy ? 2 : ge_yx ? 1 : 0;
}

static bool below_zero(struct ref_num x)
{
    return ref_cmp(x, ref_from_int(0)) == -1;
}

static void cube_out(struct lane *l, struct ref_num x)
{
    OUT(x);
    if (any_nan(l, 3))
        l->skip = true;
}

REF(cubeid)
{
    struct ref_num c[3];
    int axis = cube_face(l, c);
    cube_out(l, ref_from_int(axis * 2 + below_zero(c[axis])));
}

REF(cubema)
{
    struct ref_num c[3];
    int axis = cube_face(l, c);
    cube_out(l, ref_scale(c[axis], 1));
}

REF(cubesc)
{
    struct ref_num c[3];
    int axis = cube_face(l, c);
    bool neg = below_zero(c[axis]);
    cube_out(l, axis == 2 ? (neg ? ref_neg(c[0]) : c[0]) : axis == 1 ? c[0] : neg ? c[2]
        : ref_neg(c[2]));
}

REF(cubetc)
{
    struct ref_num c[3];
    int axis = cube_face(l, c);
    bool neg = below_zero(c[axis]);
    cube_out(l, axis == 1 ? (neg ? ref_neg(c[2]) : c[2]) : ref_neg(c[1]));
}

REF(pk_fma)
{
    uint64_t out = 0;
    for (int k = 0; k < 2; k++)
        out |= (uint64_t)pack_f32(l, ref_add(ref_mul(lane_f32(l, l->s[0] >> 32 * k),
            lane_f32(l, l->s[1] >> 32 * k)),
                                             lane_f32(l, l->s[2] >> 32 * k), round32(l))) << 32 * k;
    l->d = out;
}

REF(pk_mul)
{
    uint64_t out = 0;
    for (int k = 0; k < 2; k++)
        out |= (uint64_t)pack_f32(l, ref_mul(lane_f32(l, l->s[0] >> 32 * k),
            lane_f32(l, l->s[1] >> 32 * k))) << 32 * k;
    l->d = out;
}

REF(pk_add)
{
    uint64_t out = 0;
    for (int k = 0; k < 2; k++)
        out |= (uint64_t)pack_f32(l, ref_add(lane_f32(l, l->s[0] >> 32 * k),
            lane_f32(l, l->s[1] >> 32 * k), round32(l)))
               << 32 * k;
    l->d = out;
}

static bool is_zero(struct ref_num x)
{
    return x.cls == REF_FINITE && !x.man;
}
static void dx9(struct lane *l, struct ref_num c)
{
    if (is_zero(S32(0)) || is_zero(S32(1)))
        OUT(c);
    else
        OUT(ref_add(ref_mul(S32(0), S32(1)), c, round32(l)));
}
REF(fma_dx9) { dx9(l, S32(2)); }
REF(fmac_dx9) { dx9(l, lane_f32(l, l->d)); }
REF(mullit)
{
    struct ref_num b = S32(1), c = S32(2);
    bool lowest = l->s[1] == 0xff7fffff || (b.cls == REF_INF && b.neg) || b.cls == REF_NAN;
    if (lowest || c.cls == REF_NAN || ref_cmp(c, ref_from_int(0)) <= 0)
        l->d = 0xff7fffff;
    else
        OUT(ref_mul(S32(0), b));
}
REF(maxmin)
{
    l->d = min_max(l, min_max(l, (uint32_t)l->s[0], (uint32_t)l->s[1], true), (uint32_t)l->s[2],
        false);
}
REF(minmax)
{
    l->d = min_max(l, min_max(l, (uint32_t)l->s[0], (uint32_t)l->s[1], false), (uint32_t)l->s[2],
        true);
}

/* gfx12's min_num and max_num: IEEE 754-2019 minimumNumber, the number wins over any NaN. */
static uint32_t num(struct lane *l, uint32_t a, uint32_t b, bool max)
{
    uint32_t mode = l->mode;
    l->mode &= ~(uint32_t)MODE_IEEE;
    uint32_t r = min_max(l, a, b, max);
    l->mode = mode;
    return r;
}
static void num3(struct lane *l, bool first, bool second)
{
    l->d = num(l, num(l, (uint32_t)l->s[0], (uint32_t)l->s[1], first), (uint32_t)l->s[2], second);
}
REF(min_num) { l->d = num(l, (uint32_t)l->s[0], (uint32_t)l->s[1], false); }
REF(max_num) { l->d = num(l, (uint32_t)l->s[0], (uint32_t)l->s[1], true); }
REF(min3_num) { num3(l, false, false); }
REF(max3_num) { num3(l, true, true); }
REF(maxmin_num) { num3(l, true, false); }
REF(minmax_num) { num3(l, false, true); }
REF(med3_num)
{
    uint32_t mode = l->mode;
    l->mode &= ~(uint32_t)MODE_IEEE;
    med3(l);
    l->mode = mode;
}
REF(minimum) { l->d = minimum_maximum(l, (uint32_t)l->s[0], (uint32_t)l->s[1], false); }
REF(maximum) { l->d = minimum_maximum(l, (uint32_t)l->s[0], (uint32_t)l->s[1], true); }
REF(minimummaximum)
{
    l->d = minimum_maximum(l, minimum_maximum(l, (uint32_t)l->s[0], (uint32_t)l->s[1], false),
                           (uint32_t)l->s[2], true);
}
REF(maximumminimum)
{
    l->d = minimum_maximum(l, minimum_maximum(l, (uint32_t)l->s[0], (uint32_t)l->s[1], true),
                           (uint32_t)l->s[2], false);
}
static long double f_tanh(long double x) { return tanhl(x); }
REF(tanh_) { transcendental(l, f_tanh); }

#define ARITH (VF_CLAMP | VF_OMOD | VF_SDWA | VF_DPP | VF_MODES)
#define ARITH3 (VF_CLAMP | VF_OMOD | VF_MODES)
#define UNARY (VF_CLAMP | VF_OMOD | VF_SDWA | VF_DPP)

static const struct valu_row rows[] = {
    /* name, form, destination, sources, reference, flags, targets, ulps */
    { "v_add_f32", VOP2, V_F32, { V_F32, V_F32 }, add, ARITH, ON_ALL },
    { "v_sub_f32", VOP2, V_F32, { V_F32, V_F32 }, sub, ARITH, ON_ALL },
    { "v_subrev_f32", VOP2, V_F32, { V_F32, V_F32 }, subrev, ARITH, ON_ALL },
    { "v_mul_f32", VOP2, V_F32, { V_F32, V_F32 }, mul, ARITH, ON_ALL },
    { "v_mul_legacy_f32", VOP3, V_F32, { V_F32, V_F32 }, mul_legacy, ARITH3, ON_GFX9 },
    { "v_min_f32", VOP2, V_F32, { V_F32, V_F32 }, min, ARITH, ON_GFX9 | ON_1100 },
    { "v_max_f32", VOP2, V_F32, { V_F32, V_F32 }, max, ARITH, ON_GFX9 | ON_1100 },
    { "v_fmac_f32", VOP2, V_F32, { V_F32, V_F32 }, fmac, VF_CLAMP | VF_OMOD | VF_DPP | VF_MODES |
      VF_ACC, ON_ALL },
    { "v_mac_f32", VOP2, V_F32, { V_F32, V_F32 }, mac, VF_CLAMP | VF_OMOD | VF_DPP | VF_ACC,
      ON_90A },
    { "v_fmamk_f32", VOP2K, V_F32, { V_F32, V_F32, V_F32 }, fmamk, VF_NO_MODS, ON_940 |
      ON_GFX11UP },
    { "v_fmaak_f32", VOP2K, V_F32, { V_F32, V_F32, V_F32 }, fma3, VF_NO_MODS, ON_940 | ON_GFX11UP },
    { "v_madmk_f32", VOP2K, V_F32, { V_F32, V_F32, V_F32 }, mad3, VF_NO_MODS, ON_90A },
    { "v_madak_f32", VOP2K, V_F32, { V_F32, V_F32, V_F32 }, mad3, VF_NO_MODS, ON_90A },
    { "v_fma_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, fma3, ARITH3, ON_ALL },
    { "v_mad_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, mad3, VF_CLAMP | VF_OMOD, ON_90A },
    { "v_mad_legacy_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, mad_legacy, VF_CLAMP | VF_OMOD,
      ON_90A },
    { "v_min3_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, min3, ARITH3, ON_GFX9 | ON_1100 },
    { "v_max3_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, max3, ARITH3, ON_GFX9 | ON_1100 },
    { "v_med3_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, med3, ARITH3, ON_GFX9 | ON_1100 },
    { "v_minimum3_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, minimum3, ARITH3, ON_950 | ON_GFX12 },
    { "v_maximum3_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, maximum3, ARITH3, ON_950 | ON_GFX12 },
    { "v_trunc_f32", VOP1, V_F32, { V_F32 }, trunc_, ARITH, ON_ALL },
    { "v_floor_f32", VOP1, V_F32, { V_F32 }, floor_, ARITH, ON_ALL },
    { "v_ceil_f32", VOP1, V_F32, { V_F32 }, ceil_, ARITH, ON_ALL },
    { "v_rndne_f32", VOP1, V_F32, { V_F32 }, rndne, ARITH, ON_ALL },
    { "v_fract_f32", VOP1, V_F32, { V_F32 }, fract, UNARY, ON_ALL },
    { "v_frexp_mant_f32", VOP1, V_F32, { V_F32 }, frexp_mant32, UNARY, ON_ALL },
    { "v_frexp_exp_i32_f32", VOP1, V_I32, { V_F32 }, frexp_exp32, VF_SDWA | VF_DPP, ON_ALL },
    { "v_ldexp_f32", VOP3, V_F32, { V_F32, V_SHIFT }, ldexp32, VF_CLAMP | VF_OMOD, ON_ALL },
    { "v_rcp_f32", VOP1, V_F32, { V_F32 }, rcp, UNARY, ON_ALL, 1 },
    { "v_rcp_iflag_f32", VOP1, V_F32, { V_F32 }, rcp, UNARY, ON_ALL, 1 },
    { "v_rsq_f32", VOP1, V_F32, { V_F32 }, rsq, UNARY, ON_ALL, 1 },
    { "v_sqrt_f32", VOP1, V_F32, { V_F32 }, sqrt_, UNARY, ON_ALL, 1 },
    { "v_exp_f32", VOP1, V_F32, { V_F32 }, exp_, UNARY, ON_ALL, 1 },
    { "v_log_f32", VOP1, V_F32, { V_F32 }, log_, UNARY, ON_ALL, 1 },
    { "v_exp_legacy_f32", VOP1, V_F32, { V_F32 }, exp_legacy, UNARY, ON_GFX9, 1 },
    { "v_log_legacy_f32", VOP1, V_F32, { V_F32 }, log_legacy, UNARY, ON_GFX9, 1 },
    { "v_sin_f32", VOP1, V_F32, { V_F32 }, sin_, UNARY | VF_NAN_ANY, ON_ALL, 1 },
    { "v_cos_f32", VOP1, V_F32, { V_F32 }, cos_, UNARY | VF_NAN_ANY, ON_ALL, 1 },
    { "v_div_fixup_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, div_fixup, VF_CLAMP | VF_OMOD,
      ON_ALL },
    { "v_div_fmas_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, div_fmas, VF_CLAMP | VF_OMOD | VF_VCC,
      ON_ALL },
    { "v_cubeid_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, cubeid, VF_CLAMP | VF_OMOD, ON_ALL },
    { "v_cubesc_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, cubesc, VF_CLAMP | VF_OMOD, ON_ALL },
    { "v_cubetc_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, cubetc, VF_CLAMP | VF_OMOD, ON_ALL },
    { "v_cubema_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, cubema, VF_CLAMP | VF_OMOD, ON_ALL },
    { "v_pk_fma_f32", VOP3P, V_PF32, { V_PF32, V_PF32, V_PF32 }, pk_fma, VF_CLAMP | VF_NEG_LO_HI,
      ON_GFX9 | ON_1250 },
    { "v_pk_mul_f32", VOP3P, V_PF32, { V_PF32, V_PF32 }, pk_mul, VF_CLAMP | VF_NEG_LO_HI, ON_GFX9 |
      ON_1250 },
    { "v_pk_add_f32", VOP3P, V_PF32, { V_PF32, V_PF32 }, pk_add, VF_CLAMP | VF_NEG_LO_HI, ON_GFX9 |
      ON_1250 },
    /* gfx10 and later */
    { "v_mul_dx9_zero_f32", VOP2, V_F32, { V_F32, V_F32 }, mul_legacy, ARITH & ~VF_SDWA,
      ON_GFX11UP },
    { "v_fma_dx9_zero_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, fma_dx9, ARITH3, ON_GFX11UP },
    { "v_fmac_dx9_zero_f32", VOP2, V_F32, { V_F32, V_F32 }, fmac_dx9, VF_CLAMP | VF_OMOD | VF_ACC,
      ON_1100 },
    { "v_mullit_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, mullit, ARITH3 & ~VF_MODES,
      ON_GFX11UP },
    { "v_maxmin_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, maxmin, ARITH3, ON_1100 },
    { "v_minmax_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, minmax, ARITH3, ON_1100 },
    { "v_min_num_f32", VOP2, V_F32, { V_F32, V_F32 }, min_num, ARITH & ~VF_SDWA, ON_GFX12 },
    { "v_max_num_f32", VOP2, V_F32, { V_F32, V_F32 }, max_num, ARITH & ~VF_SDWA, ON_GFX12 },
    { "v_min3_num_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, min3_num, ARITH3, ON_GFX12 },
    { "v_max3_num_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, max3_num, ARITH3, ON_GFX12 },
    { "v_med3_num_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, med3_num, ARITH3, ON_GFX12 },
    { "v_maxmin_num_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, maxmin_num, ARITH3, ON_GFX12 },
    { "v_minmax_num_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, minmax_num, ARITH3, ON_GFX12 },
    { "v_minimum_f32", VOP3, V_F32, { V_F32, V_F32 }, minimum, ARITH3, ON_GFX12 },
    { "v_maximum_f32", VOP3, V_F32, { V_F32, V_F32 }, maximum, ARITH3, ON_GFX12 },
    { "v_minimummaximum_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, minimummaximum, ARITH3,
      ON_GFX12 },
    { "v_maximumminimum_f32", VOP3, V_F32, { V_F32, V_F32, V_F32 }, maximumminimum, ARITH3,
      ON_GFX12 },
    { "v_tanh_f32", VOP1, V_F32, { V_F32 }, tanh_, UNARY & ~VF_SDWA, ON_1250, 1 },
};

void run_valu_f32(enum target t);
void run_valu_f32(enum target t)
{
    valu_run(t, rows, sizeof rows / sizeof *rows);
}
