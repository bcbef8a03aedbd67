/* SPDX-License-Identifier: MIT */
/*
 * f64 arithmetic. References: CDNA3/CDNA4 ISA guides, instruction chapters. Reciprocal and roots
 * are approximations on hardware; the simulator promises the correctly rounded value, 1 ulp
 * allowed here.
 */
#include "valu.h"

#define REF(name) static void name(struct lane *l)
#define S64(k) lane_f64(l, l->s[k])
#define OUT(x) (l->d = pack_f64(l, x))

/* A denormal source under a mode that flushes: left open where the text works on fields of the
 * bits. */
static bool flushed(const struct lane *l, int k)
{
    return ref_is_denormal(REF_F64, l->s[k]) && (l->mode & 0xc0) != 0xc0;
}

REF(add) { OUT(ref_add(S64(0), S64(1), round16(l))); }
REF(mul) { OUT(ref_mul(S64(0), S64(1))); }
REF(fma3) { OUT(ref_add(ref_mul(S64(0), S64(1)), S64(2), round16(l))); }
REF(fmac) { OUT(ref_add(ref_mul(S64(0), S64(1)), lane_f64(l, l->d), round16(l))); }

static void min_max(struct lane *l, bool max)
{
    uint64_t a = l->s[0], b = l->s[1], quiet = 1ull << 51;
    struct ref_num x = lane_f64(l, a), y = lane_f64(l, b);
    bool sa = x.cls == REF_NAN && !(a & quiet), sb = y.cls == REF_NAN && !(b & quiet);
    bool raw = !(l->mode & MODE_IEEE) && l->target < T_1201; /* a NaN passes as it is */
    a = raw && x.cls == REF_NAN ? a : pack_f64(l, x);
    b = raw && y.cls == REF_NAN ? b : pack_f64(l, y);
    int c = ref_cmp(x, y);
    if (l->mode & MODE_IEEE && (sa || sb))
        l->d = sa ? a : b;
    else if (x.cls == REF_NAN) /* of two NaNs gfx12 takes the first */
        l->d = y.cls == REF_NAN && l->target >= T_1201 ? a : b;
    else if (y.cls == REF_NAN)
        l->d = a;
    else if (c == 0)
        l->d = x.neg == max ? b : a;
    else
        l->d = (c > 0) == max ? a : b;
}
REF(min) { min_max(l, false); }
REF(max) { min_max(l, true); }

REF(trunc_) { OUT(ref_integral(S64(0), REF_ZERO)); }
REF(floor_) { OUT(ref_integral(S64(0), REF_DOWN)); }
REF(ceil_) { OUT(ref_integral(S64(0), REF_UP)); }
REF(rndne) { OUT(ref_integral(S64(0), REF_RNE)); }
REF(fract)
{
    struct ref_num x = S64(0);
    if (x.cls == REF_INF) {
        l->d = 0xfff8000000000000;
        lane_alt(l, 0x7ff8000000000000);
        return;
    }
    OUT(ref_add(x, ref_neg(ref_integral(x, REF_DOWN)), round16(l)));
    if (l->d == 0x3ff0000000000000) /* "result clamped to 0x3fefffffffffffff" */
        l->d = 0x3fefffffffffffff;
    if (l->d << 1 == 0)
        lane_alt(l, l->d ^ 1ull << 63);
}
REF(frexp_mant)
{
    l->skip = flushed(l, 0);
    struct ref_num x = S64(0);
    if (x.cls == REF_FINITE && x.man)
        x.exp = -(63 - __builtin_clzll((uint64_t)x.man)) - 1;
    OUT(x);
}
REF(frexp_exp)
{
    l->skip = flushed(l, 0);
    struct ref_num x = S64(0);
    l->d = x.cls == REF_FINITE && x.man ? (uint32_t)(x.exp + 64 - __builtin_clzll((uint64_t)x.man))
        : 0;
}
REF(ldexp_)
{
    int by = (int32_t)l->s[1];
    OUT(ref_scale(S64(0), by > 5000 ? 5000 : by < -5000 ? -5000 : by));
}
REF(rcp) { OUT(ref_div(ref_from_int(1), S64(0))); }
REF(sqrt_) { OUT(ref_sqrt(S64(0))); }
REF(rsq)
{
    struct ref_num x = S64(0);
    if (x.cls == REF_FINITE && !x.man) {
        l->d = x.neg ? 0xfff0000000000000 : 0x7ff0000000000000;
        return;
    }
    /* The root has 63 bits: the quotient is good to far below half an ulp of f64, ties cannot
     * happen. */
    OUT(ref_div(ref_from_int(1), ref_sqrt(x)));
}

static int exponent64(uint64_t b)
{
    return (int)(b >> 52 & 0x7ff);
}

REF(div_fixup)
{
    l->skip = flushed(l, 1) || flushed(l, 2);
    struct ref_num den = S64(1), num = S64(2);
    uint64_t sign = (uint64_t)(den.neg != num.neg) << 63, inf = 0x7ff0000000000000;
    bool dz = den.cls == REF_FINITE && !den.man, nz = num.cls == REF_FINITE && !num.man;
    if (num.cls == REF_NAN || den.cls == REF_NAN) {
        l->d = pack_f64(l, num.cls == REF_NAN ? num : den);
    } else if ((dz && nz) || (den.cls == REF_INF && num.cls == REF_INF)) {
        l->d = 0xfff8000000000000;
    } else if (dz || num.cls == REF_INF) {
        l->d = sign | inf;
    } else if (den.cls == REF_INF || nz) {
        l->d = sign;
    } else if (exponent64(l->s[2]) - exponent64(l->s[1]) < -1075) {
        l->d = sign;
        lane_alt(l, sign | 1);
        lane_alt(l, sign | 0x0010000000000000);
    } else {
        struct ref_num q = S64(0);
        if (q.cls == REF_NAN) { /* the estimate overflowed on the way (division.c needs this) */
            l->d = sign | inf;
            return;
        }
        q.neg = sign != 0;
        l->d = pack_f64(l, q);
    }
}

REF(div_fmas)
{
    struct ref_num r = ref_add(ref_mul(S64(0), S64(1)), S64(2), round16(l));
    int by = exponent64(l->s[2]) > 1023 ? 128 : -128;
    OUT(l->mask_in ? ref_scale(r, by) : r);
    if (l->mask_in)
        lane_alt(l, pack_f64(l, ref_scale(ref_unpack(REF_F64, pack_f64(l, r)), by)));
}

/* Bits of 2/pi, as the fraction 0.1010..., most significant word first (1216 bits). */
static const uint32_t two_over_pi[] = {
    0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab, 0xdebbc561,
    0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f,
    0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b,
    0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab };

REF(trig_preop)
{
    int e = exponent64(l->s[0]), shift = (int)(l->s[1] & 31) * 53;
    if (e > 1077)
        shift += e - 1077;
    uint64_t bits = 0; /* the 53 bits that start `shift` below the point */
    for (int i = 0; i < 53; i++) {
        int at = shift + i;
        uint64_t bit = at < 1201 ? two_over_pi[at / 32] >> (31 - at % 32) & 1 : 0;
        bits |= bit << (52 - i);
    }
    struct ref_num r = { REF_FINITE, false, false, -53 - shift + (e >= 1968 ? 128 : 0), bits };
    OUT(r);
    if (ref_unpack(REF_F64, l->s[0]).cls == REF_NAN)
        l->skip = true;
}

static void num(struct lane *l, bool max)
{
    uint32_t mode = l->mode;
    l->mode &= ~(uint32_t)MODE_IEEE;
    min_max(l, max);
    l->mode = mode;
}
REF(min_num) { num(l, false); }
REF(max_num) { num(l, true); }
static void nan_wins(struct lane *l, bool max)
{
    struct ref_num x = S64(0), y = S64(1);
    bool sx = !(l->s[0] >> 51 & 1), sy = !(l->s[1] >> 51 & 1); /* signalling NaNs first */
    if (x.cls == REF_NAN && (sx || y.cls != REF_NAN || !sy))
        OUT(x);
    else if (y.cls == REF_NAN)
        OUT(y);
    else
        num(l, max);
}
REF(minimum) { nan_wins(l, false); }
REF(maximum) { nan_wins(l, true); }

#define ARITH (VF_CLAMP | VF_OMOD | VF_MODES)
#define UNARY (VF_CLAMP | VF_OMOD | VF_DPP)

static const struct valu_row rows[] = {
    /* name, form, destination, sources, reference, flags, targets, ulps */
    { "v_add_f64", VOP3, V_F64, { V_F64, V_F64 }, add, ARITH, ON_GFX9 | ON_1100 },
    { "v_mul_f64", VOP3, V_F64, { V_F64, V_F64 }, mul, ARITH, ON_GFX9 | ON_1100 },
    { "v_min_f64", VOP3, V_F64, { V_F64, V_F64 }, min, ARITH, ON_GFX9 | ON_1100 },
    { "v_max_f64", VOP3, V_F64, { V_F64, V_F64 }, max, ARITH, ON_GFX9 | ON_1100 },
    { "v_fma_f64", VOP3, V_F64, { V_F64, V_F64, V_F64 }, fma3, ARITH, ON_ALL },
    { "v_fmac_f64", VOP2, V_F64, { V_F64, V_F64 }, fmac, ARITH | VF_ACC | VF_DPP, ON_GFX9 },
    { "v_trunc_f64", VOP1, V_F64, { V_F64 }, trunc_, UNARY | VF_MODES, ON_ALL },
    { "v_floor_f64", VOP1, V_F64, { V_F64 }, floor_, UNARY | VF_MODES, ON_ALL },
    { "v_ceil_f64", VOP1, V_F64, { V_F64 }, ceil_, UNARY | VF_MODES, ON_ALL },
    { "v_rndne_f64", VOP1, V_F64, { V_F64 }, rndne, UNARY | VF_MODES, ON_ALL },
    { "v_fract_f64", VOP1, V_F64, { V_F64 }, fract, UNARY, ON_ALL },
    { "v_frexp_mant_f64", VOP1, V_F64, { V_F64 }, frexp_mant, UNARY, ON_ALL },
    { "v_frexp_exp_i32_f64", VOP1, V_I32, { V_F64 }, frexp_exp, VF_DPP, ON_ALL },
    { "v_ldexp_f64", VOP3, V_F64, { V_F64, V_SHIFT }, ldexp_, VF_CLAMP | VF_OMOD, ON_ALL },
    { "v_rcp_f64", VOP1, V_F64, { V_F64 }, rcp, UNARY, ON_ALL, 1 },
    { "v_rsq_f64", VOP1, V_F64, { V_F64 }, rsq, UNARY, ON_ALL, 1 },
    { "v_sqrt_f64", VOP1, V_F64, { V_F64 }, sqrt_, UNARY, ON_ALL, 1 },
    { "v_div_fixup_f64", VOP3, V_F64, { V_F64, V_F64, V_F64 }, div_fixup, VF_CLAMP | VF_OMOD,
      ON_ALL },
    { "v_div_fmas_f64", VOP3, V_F64, { V_F64, V_F64, V_F64 }, div_fmas, VF_CLAMP | VF_OMOD | VF_VCC,
      ON_ALL },
    { "v_trig_preop_f64", VOP3, V_F64, { V_F64, V_SHIFT }, trig_preop, VF_CLAMP | VF_OMOD, ON_ALL },
    /* gfx12 */
    { "v_add_f64", VOP2, V_F64, { V_F64, V_F64 }, add, ARITH, ON_GFX12 },
    { "v_mul_f64", VOP2, V_F64, { V_F64, V_F64 }, mul, ARITH, ON_GFX12 },
    { "v_min_num_f64", VOP2, V_F64, { V_F64, V_F64 }, min_num, ARITH, ON_GFX12 },
    { "v_max_num_f64", VOP2, V_F64, { V_F64, V_F64 }, max_num, ARITH, ON_GFX12 },
    { "v_minimum_f64", VOP3, V_F64, { V_F64, V_F64 }, minimum, ARITH, ON_GFX12 },
    { "v_maximum_f64", VOP3, V_F64, { V_F64, V_F64 }, maximum, ARITH, ON_GFX12 },
    { "v_fmac_f64", VOP2, V_F64, { V_F64, V_F64 }, fmac, ARITH | VF_ACC, ON_1250 },
};

void run_valu_f64(enum target t);
void run_valu_f64(enum target t)
{
    valu_run(t, rows, sizeof rows / sizeof *rows);
}
