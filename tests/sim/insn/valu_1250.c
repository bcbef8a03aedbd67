/* SPDX-License-Identifier: MIT */
/*
 * Vector operations that gfx1250 adds, and gfx12's dot products of 8-bit floats. Mnemonics, operands and modifiers are
 * LLVM's, the meaning is what the names say; that clamp saturates the sum of v_add_max and its kin, and
 * that bf16 obeys MODE's fields of f16, are assumptions the simulator shares.
 */
#include "valu.h"

#include <math.h>

#define REF(name) static void name(struct lane *l)

/* ---- sums against a third operand, three operands ---- */

static int64_t clamped(const struct lane *l, int64_t x, int bits, bool is_signed)
{
    int64_t lo = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t hi = is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1;
    if (l->clamp)
        return x < lo ? lo : x > hi ? hi : x;
    x &= ((int64_t)1 << bits) - 1;
    return is_signed && x >> (bits - 1) ? x - ((int64_t)1 << bits) : x;
}

static int64_t value(uint64_t x, int at, int bits, bool is_signed)
{
    int64_t v = (int64_t)(x >> at & (((uint64_t)1 << bits) - 1));
    return is_signed && v >> (bits - 1) ? v - ((int64_t)1 << bits) : v;
}

/* how: '+' adds the first two, 'x' and 'n' take the larger, the smaller one; then the third. */
static void against(struct lane *l, int bits, bool is_signed, char first, bool max)
{
    uint64_t r = 0;
    for (int at = 0; at < 32; at += bits) {
        int64_t a = value(l->s[0], at, bits, is_signed), b = value(l->s[1], at, bits, is_signed),
                c = value(l->s[2], at, bits, is_signed);
        int64_t t = first == '+' ? clamped(l, a + b, bits, is_signed) : (a > b) == max ? a : b;
        t = (t > c) == max ? t : c;
        r |= ((uint64_t)t & (((uint64_t)1 << bits) - 1)) << at;
    }
    l->d = r;
}
REF(add_max_i32) { against(l, 32, true, '+', true); }
REF(add_min_i32) { against(l, 32, true, '+', false); }
REF(add_max_u32) { against(l, 32, false, '+', true); }
REF(add_min_u32) { against(l, 32, false, '+', false); }
REF(add_max_i16) { against(l, 16, true, '+', true); }
REF(add_min_i16) { against(l, 16, true, '+', false); }
REF(add_max_u16) { against(l, 16, false, '+', true); }
REF(add_min_u16) { against(l, 16, false, '+', false); }
REF(max3_i16) { against(l, 16, true, 'm', true); }
REF(min3_i16) { against(l, 16, true, 'm', false); }
REF(max3_u16) { against(l, 16, false, 'm', true); }
REF(min3_u16) { against(l, 16, false, 'm', false); }

/* ---- packed floats ---- */

typedef struct ref_num fetch_fn(const struct lane *l, uint64_t bits);
typedef uint32_t pack_fn(const struct lane *l, struct ref_num x);
typedef struct ref_num op_fn(struct lane *l, const struct ref_num *x);

static void packed(struct lane *l, int n, fetch_fn *fetch, pack_fn *pack, op_fn *f)
{
    uint64_t r = 0;
    for (int at = 0; at < 32; at += 16) {
        struct ref_num x[3];
        for (int k = 0; k < n; k++)
            x[k] = fetch(l, l->s[k] >> at & 0xffff);
        r |= (uint64_t)pack(l, f(l, x)) << at;
    }
    l->d = r;
}
static struct ref_num o_add(struct lane *l, const struct ref_num *x) { return ref_add(x[0], x[1], round16(l)); }
static struct ref_num o_mul(struct lane *l, const struct ref_num *x)
{
    (void)l;
    return ref_mul(x[0], x[1]);
}
static struct ref_num o_fma(struct lane *l, const struct ref_num *x)
{
    return ref_add(ref_mul(x[0], x[1]), x[2], round16(l));
}

/* A number wins over NaN, of two NaNs the first; -0 is less than +0. */
static struct ref_num pick(struct ref_num a, struct ref_num b, bool max)
{
    if (a.cls == REF_NAN || b.cls == REF_NAN)
        return a.cls == REF_NAN && b.cls != REF_NAN ? b : a;
    int c = ref_cmp(a, b);
    if (c == 0)
        return a.neg == max ? b : a;
    return (c > 0) == max ? a : b;
}
static struct ref_num o_max(struct lane *l, const struct ref_num *x)
{
    (void)l;
    return pick(x[0], x[1], true);
}
static struct ref_num o_min(struct lane *l, const struct ref_num *x)
{
    (void)l;
    return pick(x[0], x[1], false);
}
static struct ref_num o_max3(struct lane *l, const struct ref_num *x)
{
    (void)l;
    return pick(pick(x[0], x[1], true), x[2], true);
}
static struct ref_num o_min3(struct lane *l, const struct ref_num *x)
{
    (void)l;
    return pick(pick(x[0], x[1], false), x[2], false);
}
REF(add_bf16) { packed(l, 2, lane_bf16, pack_bf16, o_add); }
REF(mul_bf16) { packed(l, 2, lane_bf16, pack_bf16, o_mul); }
REF(fma_bf16) { packed(l, 3, lane_bf16, pack_bf16, o_fma); }
REF(max_bf16) { packed(l, 2, lane_bf16, pack_bf16, o_max); }
REF(min_bf16) { packed(l, 2, lane_bf16, pack_bf16, o_min); }
REF(max3_f16) { packed(l, 3, lane_f16, pack_f16, o_max3); }
REF(min3_f16) { packed(l, 3, lane_f16, pack_f16, o_min3); }

/* ---- mixed precision: rounded to f32, then to bf16 ---- */

static struct ref_num mix(struct lane *l)
{
    return ref_add(ref_mul(lane_f32(l, l->s[0]), lane_f32(l, l->s[1])), lane_f32(l, l->s[2]),
                   round32(l));
}
REF(mix_f32) { l->d = pack_f32(l, mix(l)); }
static void mix_half(struct lane *l, int at)
{
    struct ref_num r = mix(l);
    uint64_t keep = l->d & (at ? 0xffff : 0xffff0000);
    uint64_t once = pack_bf16(l, r), twice = pack_bf16(l, ref_unpack(REF_F32, pack_f32(l, r)));
    l->d = keep | once << at;
    lane_alt(l, keep | twice << at);
    if (r.cls == REF_NAN)
        for (uint64_t v = 0; v < 4; v++)
            lane_alt(l, keep | (0x7fc0 | (v & 1) << 15 | (v & 2 ? once & 0x3f : 0)) << at);
}
REF(mixlo) { mix_half(l, 0); }
REF(mixhi) { mix_half(l, 16); }

/* ---- transcendentals of 16 bits ---- */

static void of(struct lane *l, fetch_fn *fetch, pack_fn *pack, long double (*f)(long double))
{
    struct ref_num x = fetch(l, l->s[0]);
    l->d = pack(l, x.cls == REF_NAN ? x : ref_from_ld(f(ref_to_ld(x))));
}
static long double f_rcp(long double x) { return 1 / x; }
static long double f_rsq(long double x) { return 1 / sqrtl(x); }
REF(rcp) { of(l, lane_bf16, pack_bf16, f_rcp); }
REF(rsq) { of(l, lane_bf16, pack_bf16, f_rsq); }
REF(sqrt_) { of(l, lane_bf16, pack_bf16, sqrtl); }
REF(exp_) { of(l, lane_bf16, pack_bf16, exp2l); }
REF(log_) { of(l, lane_bf16, pack_bf16, log2l); }
REF(tanh_bf16) { of(l, lane_bf16, pack_bf16, tanhl); }
REF(tanh_f16) { of(l, lane_f16, pack_f16, tanhl); }
/* In turns; what is no number has no sine. */
static void turn(struct lane *l, bool cosine)
{
    struct ref_num x = lane_bf16(l, l->s[0]);
    if (x.cls != REF_FINITE) {
        l->d = 0x7fc0;
        return;
    }
    long double full = ref_to_ld(x), t = full - rintl(full), a = t * 6.283185307179586476925286766559L;
    long double v = cosine ? cosl(a) : sinl(a);
    if (cosine && fabsl(t) == 0.25L)
        v = 0;
    if (!cosine && (t == 0 || fabsl(t) == 0.5L))
        v = full < 0 || (full == 0 && x.neg) ? -0.0L : 0.0L;
    l->d = pack_bf16(l, ref_from_ld(v));
    lane_alt(l, pack_bf16(l, ref_from_ld(-0.0L)) & (v == 0 ? ~0u : 0));
    if (v == 0) {
        lane_alt(l, 0);
        lane_alt(l, 0x8000);
    }
}
REF(sin_) { turn(l, false); }
REF(cos_) { turn(l, true); }

/* ---- 8-bit floats to f16 ---- */

static uint64_t mini_f16(struct lane *l, struct ref_format f, uint64_t x)
{
    (void)l;
    return ref_pack(REF_F16, ref_unpack(f, x & 0xff), REF_RNE, false);
}
static void unpack(struct lane *l, struct ref_format f, int n)
{
    unsigned pick = n == 1 ? l->opsel & 3 : 0;
    uint64_t x = l->s[0] >> 8 * pick;
    l->d = mini_f16(l, f, x) | (n == 2 ? mini_f16(l, f, x >> 8) << 16 : 0);
}
REF(f16_fp8) { unpack(l, REF_E4M3, 1); }
REF(f16_bf8) { unpack(l, REF_E5M2, 1); }
REF(pk_f16_fp8) { unpack(l, REF_E4M3, 2); }
REF(pk_f16_bf8) { unpack(l, REF_E5M2, 2); }

/* Four products of 8-bit floats, added in rising order with a rounding each (assumed). */
static void dot4(struct lane *l, struct ref_format a, struct ref_format b)
{
    struct ref_num r = ref_unpack(REF_F32, l->s[2] & 0xffffffff);
    for (int k = 0; k < 32; k += 8) {
        struct ref_num p = ref_mul(ref_unpack(a, l->s[0] >> k & 255), ref_unpack(b, l->s[1] >> k & 255));
        r = ref_unpack(REF_F32, ref_pack(REF_F32, ref_add(r, p, REF_RNE), REF_RNE, false));
    }
    l->d = ref_pack(REF_F32, r, REF_RNE, false);
}
REF(dot4_ff) { dot4(l, REF_E4M3, REF_E4M3); }
REF(dot4_fb) { dot4(l, REF_E4M3, REF_E5M2); }
REF(dot4_bf) { dot4(l, REF_E5M2, REF_E4M3); }
REF(dot4_bb) { dot4(l, REF_E5M2, REF_E5M2); }

REF(fma_k)
{
    l->d = pack_f64(l, ref_add(ref_mul(lane_f64(l, l->s[0]), lane_f64(l, l->s[1])), lane_f64(l, l->s[2]),
                               round16(l)));
}

#define PKF (VF_CLAMP | VF_NEG_LO_HI | VF_MODES)
#define T16 (VF_MODES | VF_NO_S | VF_NO_INLINE)

static const struct valu_row rows[] = {
    { "v_add_max_i32", VOP3, V_I32, { V_I32, V_I32, V_I32 }, add_max_i32, VF_CLAMP, ON_1250 },
    { "v_add_min_i32", VOP3, V_I32, { V_I32, V_I32, V_I32 }, add_min_i32, VF_CLAMP, ON_1250 },
    { "v_add_max_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, add_max_u32, VF_CLAMP, ON_1250 },
    { "v_add_min_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, add_min_u32, VF_CLAMP, ON_1250 },
    { "v_pk_add_max_i16", VOP3P, V_P16, { V_P16, V_P16, V_P16 }, add_max_i16, VF_CLAMP, ON_1250 },
    { "v_pk_add_min_i16", VOP3P, V_P16, { V_P16, V_P16, V_P16 }, add_min_i16, VF_CLAMP, ON_1250 },
    { "v_pk_add_max_u16", VOP3P, V_P16, { V_P16, V_P16, V_P16 }, add_max_u16, VF_CLAMP, ON_1250 },
    { "v_pk_add_min_u16", VOP3P, V_P16, { V_P16, V_P16, V_P16 }, add_min_u16, VF_CLAMP, ON_1250 },
    { "v_pk_max3_i16", VOP3P, V_P16, { V_P16, V_P16, V_P16 }, max3_i16, 0, ON_1250 },
    { "v_pk_min3_i16", VOP3P, V_P16, { V_P16, V_P16, V_P16 }, min3_i16, 0, ON_1250 },
    { "v_pk_max3_u16", VOP3P, V_P16, { V_P16, V_P16, V_P16 }, max3_u16, 0, ON_1250 },
    { "v_pk_min3_u16", VOP3P, V_P16, { V_P16, V_P16, V_P16 }, min3_u16, 0, ON_1250 },
    { "v_pk_max3_num_f16", VOP3P, V_PF16, { V_PF16, V_PF16, V_PF16 }, max3_f16, PKF, ON_1250 },
    { "v_pk_min3_num_f16", VOP3P, V_PF16, { V_PF16, V_PF16, V_PF16 }, min3_f16, PKF, ON_1250 },
    { "v_pk_add_bf16", VOP3P, V_PBF16, { V_PBF16, V_PBF16 }, add_bf16, PKF, ON_1250 },
    { "v_pk_mul_bf16", VOP3P, V_PBF16, { V_PBF16, V_PBF16 }, mul_bf16, PKF, ON_1250 },
    { "v_pk_fma_bf16", VOP3P, V_PBF16, { V_PBF16, V_PBF16, V_PBF16 }, fma_bf16, PKF, ON_1250 },
    { "v_pk_max_num_bf16", VOP3P, V_PBF16, { V_PBF16, V_PBF16 }, max_bf16, PKF, ON_1250 },
    { "v_pk_min_num_bf16", VOP3P, V_PBF16, { V_PBF16, V_PBF16 }, min_bf16, PKF, ON_1250 },
    { "v_fma_mix_f32_bf16", VOP3P, V_F32, { V_MIXB, V_MIXB, V_MIXB }, mix_f32,
      VF_CLAMP | VF_NEG_LO_HI | VF_NO_INLINE, ON_1250 },
    { "v_fma_mixlo_bf16", VOP3P, V_B32, { V_MIXB, V_MIXB, V_MIXB }, mixlo,
      VF_NEG_LO_HI | VF_ACC | VF_NO_INLINE, ON_1250 },
    { "v_fma_mixhi_bf16", VOP3P, V_B32, { V_MIXB, V_MIXB, V_MIXB }, mixhi,
      VF_NEG_LO_HI | VF_ACC | VF_NO_INLINE, ON_1250 },
    { "v_rcp_bf16", VOP1, V_BF16, { V_BF16 }, rcp, T16, ON_1250, 1 },
    { "v_rsq_bf16", VOP1, V_BF16, { V_BF16 }, rsq, T16, ON_1250, 1 },
    { "v_sqrt_bf16", VOP1, V_BF16, { V_BF16 }, sqrt_, T16, ON_1250, 1 },
    { "v_exp_bf16", VOP1, V_BF16, { V_BF16 }, exp_, T16, ON_1250, 1 },
    { "v_log_bf16", VOP1, V_BF16, { V_BF16 }, log_, T16, ON_1250, 1 },
    { "v_sin_bf16", VOP1, V_BF16, { V_BF16 }, sin_, T16, ON_1250, 1 },
    { "v_cos_bf16", VOP1, V_BF16, { V_BF16 }, cos_, T16, ON_1250, 1 },
    { "v_tanh_bf16", VOP1, V_BF16, { V_BF16 }, tanh_bf16, T16, ON_1250, 1 },
    { "v_tanh_f16", VOP1, V_F16, { V_F16 }, tanh_f16, T16, ON_1250, 1 },
    { "v_cvt_f16_fp8", VOP1, V_F16, { V_FP8 }, f16_fp8, VF_NO_S | VF_NO_INLINE, ON_1250 },
    { "v_cvt_f16_bf8", VOP1, V_F16, { V_FP8 }, f16_bf8, VF_NO_S | VF_NO_INLINE, ON_1250 },
    { "v_cvt_pk_f16_fp8", VOP1, V_PF16, { V_B16 }, pk_f16_fp8, VF_NO_S | VF_NO_INLINE | VF_NO_E64 | VF_NO_SUFFIX,
      ON_1250 },
    { "v_cvt_pk_f16_bf8", VOP1, V_PF16, { V_B16 }, pk_f16_bf8, VF_NO_S | VF_NO_INLINE | VF_NO_E64 | VF_NO_SUFFIX,
      ON_1250 },
    { "v_fmaak_f64", VOP2K, V_F64, { V_F64, V_F64, V_F64 }, fma_k, 0, ON_1250 },
    { "v_fmamk_f64", VOP2K, V_F64, { V_F64, V_F64, V_F64 }, fma_k, 0, ON_1250 },
    /* gfx12 */
    { "v_dot4_f32_fp8_fp8", VOP3P, V_F32, { V_FP8, V_FP8, V_F32 }, dot4_ff, VF_NO_OPSEL | VF_NAN_ANY | VF_NO_INLINE,
      ON_1201 },
    { "v_dot4_f32_fp8_bf8", VOP3P, V_F32, { V_FP8, V_FP8, V_F32 }, dot4_fb, VF_NO_OPSEL | VF_NAN_ANY | VF_NO_INLINE,
      ON_1201 },
    { "v_dot4_f32_bf8_fp8", VOP3P, V_F32, { V_FP8, V_FP8, V_F32 }, dot4_bf, VF_NO_OPSEL | VF_NAN_ANY | VF_NO_INLINE,
      ON_1201 },
    { "v_dot4_f32_bf8_bf8", VOP3P, V_F32, { V_FP8, V_FP8, V_F32 }, dot4_bb, VF_NO_OPSEL | VF_NAN_ANY | VF_NO_INLINE,
      ON_1201 },
};

void run_valu_1250(enum target t);
void run_valu_1250(enum target t)
{
    valu_run(t, rows, sizeof rows / sizeof *rows);
}
