/* SPDX-License-Identifier: MIT */
/*
 * f16 and 16-bit integer operations on one half. References: CDNA3/CDNA4 ISA guides. What becomes
 * of the other half of the destination: zeroed on gfx9 for the operations that LLVM lists as
 * measured (GCNSubtarget::zeroesHigh16BitsOfDest), kept by the native VOP3 ones (Vega ISA guide,
 * V_MAD_F16), open for the few that neither names.
 */
#include "valu.h"

#include <math.h>

#define REF(name) static void name(struct lane *l)
#define S16(k) lane_f16(l, l->s[k])
#define OUT(x) (l->d = pack_f16(l, x))

/* A denormal source under a mode that flushes: left open where the text works on fields of the
 * bits. */
static bool flushed(const struct lane *l, int k)
{
    return ref_is_denormal(REF_F16, l->s[k]) && (l->mode & 0xc0) != 0xc0;
}

REF(add) { OUT(ref_add(S16(0), S16(1), round16(l))); }
REF(sub) { OUT(ref_add(S16(0), ref_neg(S16(1)), round16(l))); }
REF(subrev) { OUT(ref_add(S16(1), ref_neg(S16(0)), round16(l))); }
REF(mul) { OUT(ref_mul(S16(0), S16(1))); }
REF(fma3) { OUT(ref_add(ref_mul(S16(0), S16(1)), S16(2), round16(l))); }

/* Unfused; denormals may be flushed whatever MODE says (LLVM: isFMADLegal wants them off). */
static uint32_t mad16(struct lane *l, uint64_t c, uint32_t mode)
{
    struct lane m = *l;
    m.mode = mode;
    uint32_t p = pack_f16(&m, ref_mul(lane_f16(&m, l->s[0]), lane_f16(&m, l->s[1])));
    return pack_f16(&m, ref_add(lane_f16(&m, p), lane_f16(&m, c), round16(&m)));
}
static void mad_any(struct lane *l, uint64_t c)
{
    uint32_t kept = mad16(l, c, l->mode);
    lane_alt(l, mad16(l, c, l->mode & ~0xc0u));
    l->d = kept;
}
REF(mad3) { mad_any(l, l->s[2]); }
REF(mac) { mad_any(l, l->d & 0xffff); }

static uint32_t min_max(struct lane *l, uint32_t a, uint32_t b, bool max)
{
    struct ref_num x = lane_f16(l, a), y = lane_f16(l, b);
    bool sa = x.cls == REF_NAN && !(a & 0x200), sb = y.cls == REF_NAN && !(b & 0x200);
    bool raw = !(l->mode & MODE_IEEE) && l->target < T_1201; /* a NaN passes as it is */
    a = raw && x.cls == REF_NAN ? a : pack_f16(l, x);
    b = raw && y.cls == REF_NAN ? b : pack_f16(l, y);
    if (l->mode & MODE_IEEE && (sa || sb))
        return sa ? a : b;
    if (x.cls == REF_NAN) /* of two NaNs gfx12 takes the first */
        return y.cls == REF_NAN && l->target >= T_1201 ? a : b;
    if (y.cls == REF_NAN)
        return a;
    int c = ref_cmp(x, y);
    if (c == 0)
        return x.neg == max ? b : a;
    return (c > 0) == max ? a : b;
}
static uint32_t min_max3(struct lane *l, bool max)
{
    return min_max(l, min_max(l, (uint32_t)l->s[0], (uint32_t)l->s[1], max), (uint32_t)l->s[2],
        max);
}
REF(min) { l->d = min_max(l, (uint32_t)l->s[0], (uint32_t)l->s[1], false); }
REF(max) { l->d = min_max(l, (uint32_t)l->s[0], (uint32_t)l->s[1], true); }
REF(min3) { l->d = min_max3(l, false); }
REF(max3) { l->d = min_max3(l, true); }
REF(med3)
{
    struct lane m = *l;
    bool nan = false;
    m.mode |= 0x80; /* a denormal result is flushed at the end, not while comparing */
    for (int i = 0; i < 3; i++) {
        m.s[i] = pack_f16(&m, S16(i));
        nan |= S16(i).cls == REF_NAN;
    }
    l->d = min_max3(l, false);
    for (int i = 0; i < 3 && !nan; i++)
        if (ref_cmp(ref_unpack(REF_F16, min_max3(&m, true)), ref_unpack(REF_F16, m.s[i])) == 0) {
            l->d = pack_f16(l, ref_unpack(REF_F16, min_max(&m, (uint32_t)m.s[(i + 1) % 3],
                                                           (uint32_t)m.s[(i + 2) % 3], true)));
            return;
        }
}

REF(trunc_) { OUT(ref_integral(S16(0), REF_ZERO)); }
REF(floor_) { OUT(ref_integral(S16(0), REF_DOWN)); }
REF(ceil_) { OUT(ref_integral(S16(0), REF_UP)); }
REF(rndne) { OUT(ref_integral(S16(0), REF_RNE)); }
REF(fract)
{
    struct ref_num x = S16(0);
    if (x.cls == REF_INF) {
        l->d = 0xfe00;
        lane_alt(l, 0x7e00);
        return;
    }
    OUT(ref_add(x, ref_neg(ref_integral(x, REF_DOWN)), round16(l)));
    if (l->d == 0x3c00)
        lane_alt(l, 0x3bff);
    if ((l->d & 0x7fff) == 0)
        lane_alt(l, l->d ^ 0x8000);
}
REF(frexp_mant)
{
    l->skip = flushed(l, 0);
    struct ref_num x = S16(0);
    if (x.cls == REF_FINITE && x.man)
        x.exp = -(63 - __builtin_clzll((uint64_t)x.man)) - 1;
    OUT(x);
}
REF(frexp_exp)
{
    l->skip = flushed(l, 0);
    struct ref_num x = S16(0);
    l->d = x.cls == REF_FINITE && x.man ? (uint16_t)(x.exp + 64 - __builtin_clzll((uint64_t)x.man))
        : 0;
}
REF(ldexp_) { OUT(ref_scale(S16(0), (int16_t)l->s[1])); }

static void f16_of(struct lane *l, long double (*f)(long double))
{
    struct ref_num x = S16(0);
    if (x.cls == REF_NAN) {
        OUT(x);
        return;
    }
    OUT(ref_from_ld(f(ref_to_ld(x))));
}
static long double f_rcp(long double x) { return 1 / x; }
static long double f_rsq(long double x) { return 1 / sqrtl(x); }
static long double f_sqrt(long double x) { return sqrtl(x); }
static long double f_exp(long double x) { return exp2l(x); }
static long double f_log(long double x) { return log2l(x); }
REF(rcp) { f16_of(l, f_rcp); }
REF(rsq) { f16_of(l, f_rsq); }
REF(sqrt_) { f16_of(l, f_sqrt); }
REF(exp_) { f16_of(l, f_exp); }
REF(log_) { f16_of(l, f_log); }
static void sin_cos(struct lane *l, bool cosine)
{
    struct ref_num x = S16(0);
    if (x.cls != REF_FINITE) {
        l->d = 0x7e00;
        return;
    }
    long double full = ref_to_ld(x), t = full - rintl(full);
    long double r = cosine ? cosl(t * 6.283185307179586476925286766559005768L)
                           : sinl(t * 6.283185307179586476925286766559005768L);
    if (!cosine && (t == 0 || fabsl(t) == 0.5L))
        r = copysignl(0, full);
    if (cosine && fabsl(t) == 0.25L)
        r = 0;
    OUT(ref_from_ld(r));
    if ((l->d & 0x7fff) == 0)
        lane_alt(l, l->d ^ 0x8000);
}
REF(sin_) { sin_cos(l, false); }
REF(cos_) { sin_cos(l, true); }

REF(div_fixup)
{
    l->skip = flushed(l, 1) || flushed(l, 2);
    struct ref_num den = S16(1), num = S16(2);
    uint64_t sign = den.neg != num.neg ? 0x8000 : 0;
    bool dz = den.cls == REF_FINITE && !den.man, nz = num.cls == REF_FINITE && !num.man;
    if (num.cls == REF_NAN || den.cls == REF_NAN) {
        OUT(num.cls == REF_NAN ? num : den);
    } else if ((dz && nz) || (den.cls == REF_INF && num.cls == REF_INF)) {
        l->d = 0xfe00;
    } else if (dz || num.cls == REF_INF) {
        l->d = sign | 0x7c00;
    } else if (den.cls == REF_INF || nz) {
        l->d = sign;
    } else {
        struct ref_num q = S16(0);
        uint64_t mag = l->s[0] & 0x7fff;
        q.neg = sign != 0;
        OUT(q);
        if (q.cls == REF_NAN) {
            lane_alt(l, sign | mag);
            lane_alt(l, sign | 0x7c00);
        }
    }
}

/* 16-bit integers; clamp saturates. */
static void out_u16(struct lane *l, int64_t x)
{
    if (l->clamp)
        x = x < 0 ? 0 : x > 0xffff ? 0xffff : x;
    l->d = (uint16_t)x;
}
static void out_i16(struct lane *l, int64_t x)
{
    if (l->clamp)
        x = x < -32768 ? -32768 : x > 32767 ? 32767 : x;
    l->d = (uint16_t)x;
}
#define UA ((uint16_t)l->s[0])
#define UB ((uint16_t)l->s[1])
#define UC ((uint16_t)l->s[2])
#define IA ((int16_t)l->s[0])
#define IB ((int16_t)l->s[1])
#define IC ((int16_t)l->s[2])
REF(add_u) { out_u16(l, UA + UB); }
REF(sub_u) { out_u16(l, UA - UB); }
REF(subrev_u) { out_u16(l, UB - UA); }
REF(add_i) { out_i16(l, IA + IB); }
REF(sub_i) { out_i16(l, IA - IB); }
REF(mul_lo_u) { out_u16(l, (int64_t)UA * UB); }
REF(mad_u) { out_u16(l, (int64_t)UA * UB + UC); }
REF(mad_i) { out_i16(l, (int64_t)IA * IB + IC); }
REF(lshl) { l->d = (uint16_t)(UB << (UA & 15)); }
REF(lshr) { l->d = UB >> (UA & 15); }
REF(ashr) { l->d = (uint16_t)(IB >> (UA & 15)); }
REF(min_u) { l->d = UA < UB ? UA : UB; }
REF(max_u) { l->d = UA > UB ? UA : UB; }
REF(min_i) { l->d = IA < IB ? UA : UB; }
REF(max_i) { l->d = IA > IB ? UA : UB; }
REF(min3_u) { uint16_t m = UA < UB ? UA : UB; l->d = m < UC ? m : UC; }
REF(max3_u) { uint16_t m = UA > UB ? UA : UB; l->d = m > UC ? m : UC; }
REF(min3_i) { int16_t m = IA < IB ? IA : IB; l->d = (uint16_t)(m < IC ? m : IC); }
REF(max3_i) { int16_t m = IA > IB ? IA : IB; l->d = (uint16_t)(m > IC ? m : IC); }
REF(med3_u)
{
    uint16_t lo = UA < UB ? UA : UB, hi = UA < UB ? UB : UA;
    l->d = UC < lo ? lo : UC > hi ? hi : UC;
}
REF(med3_i)
{
    int16_t lo = IA < IB ? IA : IB, hi = IA < IB ? IB : IA;
    l->d = (uint16_t)(IC < lo ? lo : IC > hi ? hi : IC);
}

/* Moves bits; whether a denormal or a NaN is canonicalised on the way is open. */
REF(pack_b32)
{
    l->d = (l->s[0] & 0xffff) | (l->s[1] & 0xffff) << 16;
    for (int m = 1; m < 4; m++) {
        uint64_t v = 0;
        for (int k = 0; k < 2; k++) {
            uint64_t h = l->s[k] & 0xffff;
            struct ref_num n = ref_unpack(REF_F16, h);
            v |= (n.cls == REF_NAN && m >> k & 1 ? h | 0x200 : h) << 16 * k;
        }
        lane_alt(l, v);
    }
}

REF(fmac) { OUT(ref_add(ref_mul(S16(0), S16(1)), lane_f16(l, l->d & 0xffff), round16(l))); }
REF(and_) { l->d = UA & UB; }
REF(or_) { l->d = UA | UB; }
REF(xor_) { l->d = UA ^ UB; }

/* Two steps of min or max. How: by IEEE mode, the number over any NaN, or NaN over any number. */
enum how { BY_MODE, NUMBER, NAN_WINS };
static uint32_t step(struct lane *l, uint32_t a, uint32_t b, bool max, enum how how)
{
    struct lane m = *l;
    struct ref_num x = lane_f16(l, a), y = lane_f16(l, b);
    if (how != BY_MODE)
        m.mode &= ~(uint32_t)MODE_IEEE;
    bool second = y.cls == REF_NAN && !(b & 0x200) && (a & 0x200); /* signalling ones first */
    if (how == NAN_WINS && (x.cls == REF_NAN || y.cls == REF_NAN))
        return pack_f16(l, x.cls == REF_NAN && !second ? x : y);
    return min_max(&m, a, b, max);
}
static void steps(struct lane *l, bool first, bool second, enum how how)
{
    uint32_t r = step(l, (uint32_t)l->s[0], (uint32_t)l->s[1], first, how);
    l->d = step(l, r, (uint32_t)l->s[2], second, how);
}
REF(maxmin) { steps(l, true, false, BY_MODE); }
REF(minmax) { steps(l, false, true, BY_MODE); }
REF(min_num) { l->d = step(l, (uint32_t)l->s[0], (uint32_t)l->s[1], false, NUMBER); }
REF(max_num) { l->d = step(l, (uint32_t)l->s[0], (uint32_t)l->s[1], true, NUMBER); }
REF(min3_num) { steps(l, false, false, NUMBER); }
REF(max3_num) { steps(l, true, true, NUMBER); }
REF(maxmin_num) { steps(l, true, false, NUMBER); }
REF(minmax_num) { steps(l, false, true, NUMBER); }
REF(minimum) { l->d = step(l, (uint32_t)l->s[0], (uint32_t)l->s[1], false, NAN_WINS); }
REF(maximum) { l->d = step(l, (uint32_t)l->s[0], (uint32_t)l->s[1], true, NAN_WINS); }
REF(minimum3) { steps(l, false, false, NAN_WINS); }
REF(maximum3) { steps(l, true, true, NAN_WINS); }
REF(minimummaximum) { steps(l, false, true, NAN_WINS); }
REF(maximumminimum) { steps(l, true, false, NAN_WINS); }
REF(med3_num)
{
    uint32_t mode = l->mode;
    l->mode &= ~(uint32_t)MODE_IEEE;
    med3(l);
    l->mode = mode;
}

#define ARITH (VF_CLAMP | VF_OMOD | VF_SDWA | VF_DPP | VF_MODES)
#define ARITH3 (VF_CLAMP | VF_OMOD | VF_OPSEL | VF_KEEP_HI | VF_MODES)
#define UNARY (VF_CLAMP | VF_OMOD | VF_SDWA | VF_DPP)
#define SD (VF_SDWA | VF_DPP)
#define INT3 (VF_OPSEL | VF_KEEP_HI)

static const struct valu_row rows[] = {
    /* name, form, destination, sources, reference, flags, targets, ulps */
    { "v_add_f16", VOP2, V_F16, { V_F16, V_F16 }, add, ARITH, ON_GFX9 },
    { "v_sub_f16", VOP2, V_F16, { V_F16, V_F16 }, sub, ARITH, ON_GFX9 },
    { "v_subrev_f16", VOP2, V_F16, { V_F16, V_F16 }, subrev, ARITH, ON_GFX9 },
    { "v_mul_f16", VOP2, V_F16, { V_F16, V_F16 }, mul, ARITH, ON_GFX9 },
    { "v_min_f16", VOP2, V_F16, { V_F16, V_F16 }, min, ARITH, ON_GFX9 },
    { "v_max_f16", VOP2, V_F16, { V_F16, V_F16 }, max, ARITH, ON_GFX9 },
    { "v_ldexp_f16", VOP2, V_F16, { V_F16, V_I16 }, ldexp_, UNARY, ON_GFX9 },
    { "v_mac_f16", VOP2, V_F16, { V_F16, V_F16 }, mac, VF_CLAMP | VF_OMOD | VF_DPP | VF_ACC |
      VF_HI_ANY, ON_GFX9 },
    { "v_madmk_f16", VOP2K, V_F16, { V_F16, V_F16, V_F16 }, mad3, VF_NO_MODS | VF_HI_ANY, ON_GFX9 },
    { "v_madak_f16", VOP2K, V_F16, { V_F16, V_F16, V_F16 }, mad3, VF_NO_MODS | VF_HI_ANY, ON_GFX9 },
    { "v_fma_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, fma3, ARITH3, ON_GFX9 },
    { "v_fma_legacy_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, fma3, VF_CLAMP | VF_OMOD | VF_MODES,
      ON_GFX9 },
    { "v_mad_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, mad3, ARITH3 & ~VF_MODES, ON_GFX9 },
    { "v_mad_legacy_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, mad3, VF_CLAMP | VF_OMOD, ON_GFX9 },
    { "v_min3_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, min3, ARITH3, ON_GFX9 },
    { "v_max3_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, max3, ARITH3, ON_GFX9 },
    { "v_med3_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, med3, ARITH3, ON_GFX9 },
    { "v_div_fixup_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, div_fixup, ARITH3 & ~VF_MODES,
      ON_GFX9 },
    { "v_div_fixup_legacy_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, div_fixup, VF_CLAMP | VF_OMOD,
      ON_GFX9 },
    { "v_trunc_f16", VOP1, V_F16, { V_F16 }, trunc_, ARITH, ON_GFX9 },
    { "v_floor_f16", VOP1, V_F16, { V_F16 }, floor_, ARITH, ON_GFX9 },
    { "v_ceil_f16", VOP1, V_F16, { V_F16 }, ceil_, ARITH, ON_GFX9 },
    { "v_rndne_f16", VOP1, V_F16, { V_F16 }, rndne, ARITH, ON_GFX9 },
    { "v_fract_f16", VOP1, V_F16, { V_F16 }, fract, UNARY, ON_GFX9 },
    { "v_frexp_mant_f16", VOP1, V_F16, { V_F16 }, frexp_mant, UNARY, ON_GFX9 },
    { "v_frexp_exp_i16_f16", VOP1, V_I16, { V_F16 }, frexp_exp, SD, ON_GFX9 },
    { "v_rcp_f16", VOP1, V_F16, { V_F16 }, rcp, UNARY, ON_GFX9, 1 },
    { "v_rsq_f16", VOP1, V_F16, { V_F16 }, rsq, UNARY, ON_GFX9, 1 },
    { "v_sqrt_f16", VOP1, V_F16, { V_F16 }, sqrt_, UNARY, ON_GFX9, 1 },
    { "v_exp_f16", VOP1, V_F16, { V_F16 }, exp_, UNARY, ON_GFX9, 1 },
    { "v_log_f16", VOP1, V_F16, { V_F16 }, log_, UNARY, ON_GFX9, 1 },
    { "v_sin_f16", VOP1, V_F16, { V_F16 }, sin_, UNARY | VF_NAN_ANY, ON_GFX9, 1 },
    { "v_cos_f16", VOP1, V_F16, { V_F16 }, cos_, UNARY | VF_NAN_ANY, ON_GFX9, 1 },
    { "v_add_u16", VOP2, V_U16, { V_U16, V_U16 }, add_u, SD | VF_CLAMP, ON_GFX9 },
    { "v_sub_u16", VOP2, V_U16, { V_U16, V_U16 }, sub_u, SD | VF_CLAMP, ON_GFX9 },
    { "v_subrev_u16", VOP2, V_U16, { V_U16, V_U16 }, subrev_u, SD | VF_CLAMP, ON_GFX9 },
    { "v_mul_lo_u16", VOP2, V_U16, { V_U16, V_U16 }, mul_lo_u, SD, ON_GFX9 },
    { "v_lshlrev_b16", VOP2, V_B16, { V_U16, V_B16 }, lshl, SD, ON_GFX9 },
    { "v_lshrrev_b16", VOP2, V_B16, { V_U16, V_B16 }, lshr, SD, ON_GFX9 },
    { "v_ashrrev_i16", VOP2, V_B16, { V_U16, V_I16 }, ashr, SD, ON_GFX9 },
    { "v_min_u16", VOP2, V_U16, { V_U16, V_U16 }, min_u, SD, ON_GFX9 },
    { "v_max_u16", VOP2, V_U16, { V_U16, V_U16 }, max_u, SD, ON_GFX9 },
    { "v_min_i16", VOP2, V_I16, { V_I16, V_I16 }, min_i, SD, ON_GFX9 },
    { "v_max_i16", VOP2, V_I16, { V_I16, V_I16 }, max_i, SD, ON_GFX9 },
    { "v_add_i16", VOP3, V_I16, { V_I16, V_I16 }, add_i, INT3 | VF_CLAMP, ON_GFX9 },
    { "v_sub_i16", VOP3, V_I16, { V_I16, V_I16 }, sub_i, INT3 | VF_CLAMP, ON_GFX9 },
    { "v_mad_u16", VOP3, V_U16, { V_U16, V_U16, V_U16 }, mad_u, INT3 | VF_CLAMP, ON_GFX9 },
    { "v_mad_i16", VOP3, V_I16, { V_I16, V_I16, V_I16 }, mad_i, INT3 | VF_CLAMP, ON_GFX9 },
    { "v_mad_legacy_u16", VOP3, V_U16, { V_U16, V_U16, V_U16 }, mad_u, VF_CLAMP, ON_GFX9 },
    { "v_mad_legacy_i16", VOP3, V_I16, { V_I16, V_I16, V_I16 }, mad_i, VF_CLAMP, ON_GFX9 },
    { "v_min3_i16", VOP3, V_I16, { V_I16, V_I16, V_I16 }, min3_i, INT3, ON_GFX9 },
    { "v_max3_i16", VOP3, V_I16, { V_I16, V_I16, V_I16 }, max3_i, INT3, ON_GFX9 },
    { "v_med3_i16", VOP3, V_I16, { V_I16, V_I16, V_I16 }, med3_i, INT3, ON_GFX9 },
    { "v_min3_u16", VOP3, V_U16, { V_U16, V_U16, V_U16 }, min3_u, INT3, ON_GFX9 },
    { "v_max3_u16", VOP3, V_U16, { V_U16, V_U16, V_U16 }, max3_u, INT3, ON_GFX9 },
    { "v_med3_u16", VOP3, V_U16, { V_U16, V_U16, V_U16 }, med3_u, INT3, ON_GFX9 },
    { "v_pack_b32_f16", VOP3, V_B32, { V_F16, V_F16 }, pack_b32, VF_OPSEL, ON_GFX9 },
    /* gfx10 and later: every 16-bit result leaves the other half alone */
    { "v_add_f16", VOP2, V_F16, { V_F16, V_F16 }, add, ARITH, ON_GFX11UP },
    { "v_sub_f16", VOP2, V_F16, { V_F16, V_F16 }, sub, ARITH, ON_GFX11UP },
    { "v_subrev_f16", VOP2, V_F16, { V_F16, V_F16 }, subrev, ARITH, ON_GFX11UP },
    { "v_mul_f16", VOP2, V_F16, { V_F16, V_F16 }, mul, ARITH, ON_GFX11UP },
    { "v_min_f16", VOP2, V_F16, { V_F16, V_F16 }, min, ARITH, ON_1100 },
    { "v_max_f16", VOP2, V_F16, { V_F16, V_F16 }, max, ARITH, ON_1100 },
    { "v_ldexp_f16", VOP2, V_F16, { V_F16, V_I16 }, ldexp_, UNARY & ~VF_SDWA, ON_GFX11UP },
    { "v_fma_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, fma3, ARITH3, ON_GFX11UP },
    { "v_min3_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, min3, ARITH3, ON_1100 },
    { "v_max3_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, max3, ARITH3, ON_1100 },
    { "v_med3_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, med3, ARITH3, ON_1100 },
    { "v_div_fixup_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, div_fixup, ARITH3 & ~VF_MODES,
      ON_GFX11UP },
    { "v_trunc_f16", VOP1, V_F16, { V_F16 }, trunc_, ARITH, ON_GFX11UP },
    { "v_floor_f16", VOP1, V_F16, { V_F16 }, floor_, ARITH, ON_GFX11UP },
    { "v_ceil_f16", VOP1, V_F16, { V_F16 }, ceil_, ARITH, ON_GFX11UP },
    { "v_rndne_f16", VOP1, V_F16, { V_F16 }, rndne, ARITH, ON_GFX11UP },
    { "v_fract_f16", VOP1, V_F16, { V_F16 }, fract, UNARY & ~VF_SDWA, ON_GFX11UP },
    { "v_frexp_mant_f16", VOP1, V_F16, { V_F16 }, frexp_mant, UNARY & ~VF_SDWA, ON_GFX11UP },
    { "v_frexp_exp_i16_f16", VOP1, V_I16, { V_F16 }, frexp_exp, SD, ON_GFX11UP },
    { "v_rcp_f16", VOP1, V_F16, { V_F16 }, rcp, UNARY & ~VF_SDWA, ON_GFX11UP, 1 },
    { "v_rsq_f16", VOP1, V_F16, { V_F16 }, rsq, UNARY & ~VF_SDWA, ON_GFX11UP, 1 },
    { "v_sqrt_f16", VOP1, V_F16, { V_F16 }, sqrt_, UNARY & ~VF_SDWA, ON_GFX11UP, 1 },
    { "v_exp_f16", VOP1, V_F16, { V_F16 }, exp_, UNARY & ~VF_SDWA, ON_GFX11UP, 1 },
    { "v_log_f16", VOP1, V_F16, { V_F16 }, log_, UNARY & ~VF_SDWA, ON_GFX11UP, 1 },
    { "v_sin_f16", VOP1, V_F16, { V_F16 }, sin_, (UNARY & ~VF_SDWA) | VF_NAN_ANY, ON_GFX11UP, 1 },
    { "v_cos_f16", VOP1, V_F16, { V_F16 }, cos_, (UNARY & ~VF_SDWA) | VF_NAN_ANY, ON_GFX11UP, 1 },
    { "v_add_nc_u16", VOP3, V_U16, { V_U16, V_U16 }, add_u, VF_CLAMP, ON_GFX11UP },
    { "v_sub_nc_u16", VOP3, V_U16, { V_U16, V_U16 }, sub_u, VF_CLAMP, ON_GFX11UP },
    { "v_mul_lo_u16", VOP3, V_U16, { V_U16, V_U16 }, mul_lo_u, 0, ON_GFX11UP },
    { "v_lshlrev_b16", VOP3, V_B16, { V_U16, V_B16 }, lshl, 0, ON_GFX11UP },
    { "v_lshrrev_b16", VOP3, V_B16, { V_U16, V_B16 }, lshr, 0, ON_GFX11UP },
    { "v_ashrrev_i16", VOP3, V_B16, { V_U16, V_I16 }, ashr, 0, ON_GFX11UP },
    { "v_min_u16", VOP3, V_U16, { V_U16, V_U16 }, min_u, 0, ON_GFX11UP },
    { "v_max_u16", VOP3, V_U16, { V_U16, V_U16 }, max_u, 0, ON_GFX11UP },
    { "v_min_i16", VOP3, V_I16, { V_I16, V_I16 }, min_i, 0, ON_GFX11UP },
    { "v_max_i16", VOP3, V_I16, { V_I16, V_I16 }, max_i, 0, ON_GFX11UP },
    { "v_add_nc_i16", VOP3, V_I16, { V_I16, V_I16 }, add_i, INT3 | VF_CLAMP, ON_GFX11UP },
    { "v_sub_nc_i16", VOP3, V_I16, { V_I16, V_I16 }, sub_i, INT3 | VF_CLAMP, ON_GFX11UP },
    { "v_mad_u16", VOP3, V_U16, { V_U16, V_U16, V_U16 }, mad_u, INT3 | VF_CLAMP, ON_GFX11UP },
    { "v_mad_i16", VOP3, V_I16, { V_I16, V_I16, V_I16 }, mad_i, INT3 | VF_CLAMP, ON_GFX11UP },
    { "v_min3_i16", VOP3, V_I16, { V_I16, V_I16, V_I16 }, min3_i, INT3, ON_GFX11UP },
    { "v_max3_i16", VOP3, V_I16, { V_I16, V_I16, V_I16 }, max3_i, INT3, ON_GFX11UP },
    { "v_med3_i16", VOP3, V_I16, { V_I16, V_I16, V_I16 }, med3_i, INT3, ON_GFX11UP },
    { "v_min3_u16", VOP3, V_U16, { V_U16, V_U16, V_U16 }, min3_u, INT3, ON_GFX11UP },
    { "v_max3_u16", VOP3, V_U16, { V_U16, V_U16, V_U16 }, max3_u, INT3, ON_GFX11UP },
    { "v_med3_u16", VOP3, V_U16, { V_U16, V_U16, V_U16 }, med3_u, INT3, ON_GFX11UP },
    { "v_pack_b32_f16", VOP3, V_B32, { V_F16, V_F16 }, pack_b32, VF_OPSEL, ON_GFX11UP },
    { "v_fmac_f16", VOP2, V_F16, { V_F16, V_F16 }, fmac, VF_CLAMP | VF_OMOD | VF_DPP | VF_ACC,
      ON_GFX11UP },
    { "v_fmamk_f16", VOP2K, V_F16, { V_F16, V_F16, V_F16 }, fma3, VF_NO_MODS, ON_GFX11UP },
    { "v_fmaak_f16", VOP2K, V_F16, { V_F16, V_F16, V_F16 }, fma3, VF_NO_MODS, ON_GFX11UP },
    { "v_maxmin_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, maxmin, ARITH3, ON_1100 },
    { "v_minmax_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, minmax, ARITH3, ON_1100 },
    { "v_min_num_f16", VOP2, V_F16, { V_F16, V_F16 }, min_num, ARITH & ~VF_SDWA, ON_GFX12 },
    { "v_max_num_f16", VOP2, V_F16, { V_F16, V_F16 }, max_num, ARITH & ~VF_SDWA, ON_GFX12 },
    { "v_min3_num_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, min3_num, ARITH3, ON_GFX12 },
    { "v_max3_num_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, max3_num, ARITH3, ON_GFX12 },
    { "v_med3_num_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, med3_num, ARITH3, ON_GFX12 },
    { "v_maxmin_num_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, maxmin_num, ARITH3, ON_GFX12 },
    { "v_minmax_num_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, minmax_num, ARITH3, ON_GFX12 },
    { "v_minimum_f16", VOP3, V_F16, { V_F16, V_F16 }, minimum, ARITH3, ON_GFX12 },
    { "v_maximum_f16", VOP3, V_F16, { V_F16, V_F16 }, maximum, ARITH3, ON_GFX12 },
    { "v_minimum3_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, minimum3, ARITH3, ON_GFX12 },
    { "v_maximum3_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, maximum3, ARITH3, ON_GFX12 },
    { "v_minimummaximum_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, minimummaximum, ARITH3,
      ON_GFX12 },
    { "v_maximumminimum_f16", VOP3, V_F16, { V_F16, V_F16, V_F16 }, maximumminimum, ARITH3,
      ON_GFX12 },
    { "v_and_b16", VOP3, V_B16, { V_B16, V_B16 }, and_, 0, ON_GFX11UP },
    { "v_or_b16", VOP3, V_B16, { V_B16, V_B16 }, or_, 0, ON_GFX11UP },
    { "v_xor_b16", VOP3, V_B16, { V_B16, V_B16 }, xor_, 0, ON_GFX11UP },
};

void run_valu_f16(enum target t);
void run_valu_f16(enum target t)
{
    valu_run(t, rows, sizeof rows / sizeof *rows);
}
