/* SPDX-License-Identifier: MIT */
/*
 * Packed 16-bit operations, mixed-precision fma and dot products. References: CDNA2/3/4 ISA
 * guides, VOP3P chapter and section 6.4. Float dot products: exact products, any order of the sum.
 */
#include "valu.h"

#define REF(name) static void name(struct lane *l)

typedef uint32_t half_fn(struct lane *l, uint32_t a, uint32_t b, uint32_t c);

static void both(struct lane *l, half_fn *f)
{
    uint64_t r = 0;
    for (int k = 0; k < 32; k += 16)
        r |= (uint64_t)(f(l, l->s[0] >> k & 0xffff, l->s[1] >> k & 0xffff,
            l->s[2] >> k & 0xffff) & 0xffff) << k;
    l->d = r;
}

static uint32_t su(const struct lane *l, int64_t x)
{
    return (uint32_t)(l->clamp ? x < 0 ? 0 : x > 0xffff ? 0xffff : x : x);
}
static uint32_t si(const struct lane *l, int64_t x)
{
    return (uint32_t)(l->clamp ? x < -32768 ? -32768 : x > 32767 ? 32767 : x : x);
}

#define HALF(name, expr)                                                              \
    static uint32_t h_##name(struct lane *l, uint32_t a, uint32_t b, uint32_t c)      \
    {                                                                                 \
        int32_t ia = (int16_t)a, ib = (int16_t)b, ic = (int16_t)c;                    \
        (void)ia, (void)ib, (void)ic, (void)l;                                        \
        return (uint32_t)(expr);                                                      \
    }                                                                                 \
    REF(pk_##name) { both(l, h_##name); }

HALF(mad_i16, si(l, (int64_t)ia * ib + ic))
HALF(mad_u16, su(l, (int64_t)a * b + c))
HALF(mul_lo_u16, a * b)
HALF(add_i16, si(l, ia + ib))
HALF(sub_i16, si(l, ia - ib))
HALF(add_u16, su(l, (int64_t)a + b))
HALF(sub_u16, su(l, (int64_t)a - b))
HALF(lshl, b << (a & 15))
HALF(lshr, b >> (a & 15))
HALF(ashr, ib >> (a & 15))
HALF(max_i16, ia > ib ? a : b)
HALF(min_i16, ia < ib ? a : b)
HALF(max_u16, a > b ? a : b)
HALF(min_u16, a < b ? a : b)

static uint32_t minmax(struct lane *l, uint32_t a, uint32_t b, bool max, bool nan_wins)
{
    struct ref_num x = lane_f16(l, a), y = lane_f16(l, b);
    bool sa = x.cls == REF_NAN && !(a & 0x200), sb = y.cls == REF_NAN && !(b & 0x200);
    bool raw = !(l->mode & MODE_IEEE) && l->target < T_1201; /* a NaN passes as it is */
    a = raw && x.cls == REF_NAN ? a : pack_f16(l, x);
    b = raw && y.cls == REF_NAN ? b : pack_f16(l, y);
    if (nan_wins && (x.cls == REF_NAN || y.cls == REF_NAN)) /* signalling ones first */
        return pack_f16(l, x.cls == REF_NAN && (sa || !sb) ? x : y);
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

HALF(add_f16, pack_f16(l, ref_add(lane_f16(l, a), lane_f16(l, b), round16(l))))
HALF(mul_f16, pack_f16(l, ref_mul(lane_f16(l, a), lane_f16(l, b))))
HALF(fma_f16, pack_f16(l, ref_add(ref_mul(lane_f16(l, a), lane_f16(l, b)), lane_f16(l, c),
    round16(l))))
HALF(min_f16, minmax(l, a, b, false, false))
HALF(max_f16, minmax(l, a, b, true, false))
HALF(minimum3_f16, minmax(l, minmax(l, a, b, false, true), c, false, true))
HALF(maximum3_f16, minmax(l, minmax(l, a, b, true, true), c, true, true))

static uint32_t num(struct lane *l, uint32_t a, uint32_t b, bool max)
{
    struct lane m = *l;
    m.mode &= ~(uint32_t)MODE_IEEE;
    return minmax(&m, a, b, max, false);
}
HALF(min_num_f16, num(l, a, b, false))
HALF(max_num_f16, num(l, a, b, true))
HALF(minimum_f16, minmax(l, a, b, false, true))
HALF(maximum_f16, minmax(l, a, b, true, true))

REF(pk_fmac_f16)
{
    uint64_t r = 0;
    for (int k = 0; k < 32; k += 16)
        r |= (uint64_t)h_fma_f16(l, l->s[0] >> k & 0xffff, l->s[1] >> k & 0xffff,
            l->d >> k & 0xffff) << k;
    l->d = r;
}

/* op_sel picks the word of each source; both are in place already for the low (opsel) result. */
REF(pk_mov)
{
    l->d = (l->s[0] & 0xffffffff) | l->s[1] << 32;
}

/* Sources arrive as f32; one fma, rounded once to the result's format. Whether an inline constant
 * is expanded as f16 or f32 is not documented; LLVM does not fold any. */
static struct ref_num mix(struct lane *l)
{
    return ref_add(ref_mul(lane_f32(l, l->s[0]), lane_f32(l, l->s[1])), lane_f32(l, l->s[2]),
        round32(l));
}
REF(fma_mix) { l->d = pack_f32(l, mix(l)); }
/* To f16: rounded once, or through f32 as the text's f32_to_f16 of the f32 expression reads. */
static void mix16(struct lane *l, int at)
{
    struct ref_num r = mix(l);
    uint64_t keep = l->d & (at ? 0xffff : 0xffff0000);
    uint64_t once = pack_f16(l, r), twice = pack_f16(l, ref_unpack(REF_F32, pack_f32(l, r)));
    l->d = keep | once << at;
    lane_alt(l, keep | twice << at);
    if (r.cls == REF_NAN)
        for (uint64_t v = 0; v < 4; v++)
            lane_alt(l, keep | (0x7e00 | (v & 1) << 15 | (v & 2 ? once & 0x1ff : 0)) << at);
}
REF(fma_mixlo) { mix16(l, 0); }
REF(fma_mixhi) { mix16(l, 16); }

static int64_t field(uint64_t x, int at, int bits, bool is_signed)
{
    uint64_t v = x >> at & ((1u << bits) - 1);
    return is_signed && v >> (bits - 1) ? (int64_t)v - (1 << bits) : (int64_t)v;
}

static void dot_int(struct lane *l, int bits, bool is_signed, int64_t sum)
{
    for (int at = 0; at < 32; at += bits)
        sum += field(l->s[0], at, bits, is_signed) * field(l->s[1], at, bits, is_signed);
    if (l->clamp)
        sum = is_signed ? sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum
                        : sum > UINT32_MAX ? UINT32_MAX : sum;
    l->d = (uint32_t)sum;
}
/* Signed where the operand's neg bit is set (l->imm: bit 0 A, bit 1 B). */
static void dot_iu(struct lane *l, int bits)
{
    int64_t sum = (int32_t)l->s[2];
    for (int at = 0; at < 32; at += bits)
        sum += field(l->s[0], at, bits, l->imm & 1) * field(l->s[1], at, bits, l->imm & 2);
    if (l->clamp)
        sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
    l->d = (uint32_t)sum;
}
REF(dot4_iu) { dot_iu(l, 8); }
REF(dot8_iu) { dot_iu(l, 4); }
#define C_I ((int32_t)l->s[2])
#define C_U ((int64_t)(uint32_t)l->s[2])
#define D_I ((int32_t)l->d)
REF(dot2_i) { dot_int(l, 16, true, C_I); }
REF(dot2_u) { dot_int(l, 16, false, C_U); }
REF(dot4_i) { dot_int(l, 8, true, C_I); }
REF(dot4_u) { dot_int(l, 8, false, C_U); }
REF(dot8_i) { dot_int(l, 4, true, C_I); }
REF(dot8_u) { dot_int(l, 4, false, C_U); }
REF(dot2c_i) { dot_int(l, 16, true, D_I); }
REF(dot4c_i) { dot_int(l, 8, true, D_I); }
REF(dot8c_i) { dot_int(l, 4, true, D_I); }

/* V_DOT2 of floats flushes denormals of inputs and output and rounds to nearest whatever MODE says
 * (CDNA3 guide 6.4). The order of the sum is open. */
static struct ref_num no_denormal(struct ref_format f, uint64_t bits)
{
    int sign = f.exp_bits + f.man_bits;
    return ref_unpack(f, ref_is_denormal(f, bits) ? bits >> sign << sign : bits);
}

static struct ref_num sum_flushed(struct ref_num a, struct ref_num b)
{
    return ref_unpack(REF_F32, ref_pack(REF_F32, ref_add(a, b, REF_RNE), REF_RNE, true));
}

static void dot_float(struct lane *l, struct ref_format f, uint64_t c)
{
    struct ref_num p[3];
    int h = f.exp_bits + f.man_bits + 1;
    uint64_t m = (1ull << h) - 1;

    for (int k = 0; k < 2; k++)
        p[k] = ref_mul(no_denormal(f, l->s[0] >> h * k & m), no_denormal(f, l->s[1] >> h * k & m));
    p[2] = no_denormal(REF_F32, c & 0xffffffff);
    for (int first = 0; first < 3; first++) {
        struct ref_num s = sum_flushed(p[first], p[(first + 1) % 3]);
        uint64_t v = ref_pack(REF_F32, sum_flushed(s, p[(first + 2) % 3]), REF_RNE, true);
        lane_alt(l, v);
        l->d = v;
    }
    /* All three at once. */
    lane_alt(l, ref_pack(REF_F32, ref_add(ref_add(p[0], p[1], REF_RNE), p[2], REF_RNE), REF_RNE,
        true));
}
REF(dot2_f16) { dot_float(l, REF_F16, l->s[2]); }
REF(dot2_bf16) { dot_float(l, REF_BF16, l->s[2]); }
REF(dot2c_f16) { dot_float(l, REF_F16, l->d); }
REF(dot2c_bf16) { dot_float(l, REF_BF16, l->d); }

/* 16-bit results: after one, two or three roundings to the result's format, in any order of the sum. */
static void dot_half(struct lane *l, struct ref_format f, bool flush)
{
    struct ref_num p[3];
    for (int k = 0; k < 3; k++) {
        uint64_t a = k < 2 ? l->s[0] >> 16 * k & 0xffff : l->s[2] & 0xffff, b = l->s[1] >> 16 * (k & 1) & 0xffff;
        struct ref_num x = flush ? no_denormal(f, a) : lane_f16(l, a), y = flush ? no_denormal(f, b) : lane_f16(l, b);
        p[k] = k < 2 ? ref_mul(x, y) : x;
    }
    enum ref_round r = round16(l);
    for (int first = 0; first < 3; first++)
        for (int wide = 0; wide < 3; wide++) {
            struct ref_num s = ref_add(p[first], p[(first + 1) % 3], REF_RNE);
            struct ref_format mid = wide == 1 ? REF_F32 : f;
            if (wide)
                s = ref_unpack(mid, ref_pack(mid, s, wide == 1 ? REF_RNE : r, flush && wide == 1));
            s = ref_add(s, p[(first + 2) % 3], REF_RNE);
            if (wide == 1)
                s = ref_unpack(REF_F32, ref_pack(REF_F32, s, REF_RNE, flush));
            l->d = f.exp_bits == 5 ? pack_f16(l, s) : pack_bf16(l, s);
            lane_alt(l, l->d);
        }
}
REF(dot2h_f16) { dot_half(l, REF_F16, false); }
REF(dot2h_bf16) { dot_half(l, REF_BF16, true); }

#define PKF (VF_CLAMP | VF_NEG_LO_HI)

static const struct valu_row rows[] = {
    /* name, form, destination, sources, reference, flags, targets */
    { "v_pk_mad_i16", VOP3P, V_P16, { V_P16, V_P16, V_P16 }, pk_mad_i16, VF_CLAMP, ON_ALL },
    { "v_pk_mad_u16", VOP3P, V_P16, { V_P16, V_P16, V_P16 }, pk_mad_u16, VF_CLAMP, ON_ALL },
    { "v_pk_mul_lo_u16", VOP3P, V_P16, { V_P16, V_P16 }, pk_mul_lo_u16, 0, ON_ALL },
    { "v_pk_add_i16", VOP3P, V_P16, { V_P16, V_P16 }, pk_add_i16, VF_CLAMP, ON_ALL },
    { "v_pk_sub_i16", VOP3P, V_P16, { V_P16, V_P16 }, pk_sub_i16, VF_CLAMP, ON_ALL },
    { "v_pk_add_u16", VOP3P, V_P16, { V_P16, V_P16 }, pk_add_u16, VF_CLAMP, ON_ALL },
    { "v_pk_sub_u16", VOP3P, V_P16, { V_P16, V_P16 }, pk_sub_u16, VF_CLAMP, ON_ALL },
    { "v_pk_lshlrev_b16", VOP3P, V_P16, { V_P16, V_P16 }, pk_lshl, 0, ON_ALL },
    { "v_pk_lshrrev_b16", VOP3P, V_P16, { V_P16, V_P16 }, pk_lshr, 0, ON_ALL },
    { "v_pk_ashrrev_i16", VOP3P, V_P16, { V_P16, V_P16 }, pk_ashr, 0, ON_ALL },
    { "v_pk_max_i16", VOP3P, V_P16, { V_P16, V_P16 }, pk_max_i16, 0, ON_ALL },
    { "v_pk_min_i16", VOP3P, V_P16, { V_P16, V_P16 }, pk_min_i16, 0, ON_ALL },
    { "v_pk_max_u16", VOP3P, V_P16, { V_P16, V_P16 }, pk_max_u16, 0, ON_ALL },
    { "v_pk_min_u16", VOP3P, V_P16, { V_P16, V_P16 }, pk_min_u16, 0, ON_ALL },
    { "v_pk_fma_f16", VOP3P, V_PF16, { V_PF16, V_PF16, V_PF16 }, pk_fma_f16, PKF | VF_MODES,
      ON_ALL },
    { "v_pk_add_f16", VOP3P, V_PF16, { V_PF16, V_PF16 }, pk_add_f16, PKF | VF_MODES, ON_ALL },
    { "v_pk_mul_f16", VOP3P, V_PF16, { V_PF16, V_PF16 }, pk_mul_f16, PKF | VF_MODES, ON_ALL },
    { "v_pk_min_f16", VOP3P, V_PF16, { V_PF16, V_PF16 }, pk_min_f16, PKF | VF_MODES, ON_GFX9 |
      ON_1100 },
    { "v_pk_max_f16", VOP3P, V_PF16, { V_PF16, V_PF16 }, pk_max_f16, PKF | VF_MODES, ON_GFX9 |
      ON_1100 },
    { "v_pk_minimum3_f16", VOP3P, V_PF16, { V_PF16, V_PF16, V_PF16 }, pk_minimum3_f16, PKF,
      ON_950 },
    { "v_pk_maximum3_f16", VOP3P, V_PF16, { V_PF16, V_PF16, V_PF16 }, pk_maximum3_f16, PKF,
      ON_950 },
    { "v_pk_fmac_f16", VOP2, V_PF16, { V_PF16, V_PF16 }, pk_fmac_f16, VF_ACC | VF_NO_E64, ON_GFX9 },
    { "v_pk_mov_b32", VOP3P, V_P32, { V_P32, V_P32 }, pk_mov, VF_NO_INLINE, ON_GFX9 },
    { "v_fma_mix_f32", VOP3P, V_F32, { V_MIX, V_MIX, V_MIX }, fma_mix, VF_CLAMP | VF_NEG_LO_HI |
      VF_NO_INLINE, ON_ALL },
    { "v_fma_mixlo_f16", VOP3P, V_B32, { V_MIX, V_MIX, V_MIX }, fma_mixlo, VF_NEG_LO_HI | VF_ACC |
      VF_NO_INLINE, ON_ALL },
    { "v_fma_mixhi_f16", VOP3P, V_B32, { V_MIX, V_MIX, V_MIX }, fma_mixhi, VF_NEG_LO_HI | VF_ACC |
      VF_NO_INLINE, ON_ALL },
    { "v_dot2_i32_i16", VOP3P, V_I32, { V_P16, V_P16, V_I32 }, dot2_i, VF_CLAMP | VF_NO_OPSEL,
      ON_GFX9 },
    { "v_dot2_u32_u16", VOP3P, V_U32, { V_P16, V_P16, V_U32 }, dot2_u, VF_CLAMP | VF_NO_OPSEL,
      ON_GFX9 },
    { "v_dot4_i32_i8", VOP3P, V_I32, { V_B32, V_B32, V_I32 }, dot4_i, VF_CLAMP | VF_NO_OPSEL,
      ON_GFX9 },
    { "v_dot4_u32_u8", VOP3P, V_U32, { V_B32, V_B32, V_U32 }, dot4_u, VF_CLAMP | VF_NO_OPSEL,
      ON_ALL },
    { "v_dot8_i32_i4", VOP3P, V_I32, { V_B32, V_B32, V_I32 }, dot8_i, VF_CLAMP | VF_NO_OPSEL,
      ON_GFX9 },
    { "v_dot8_u32_u4", VOP3P, V_U32, { V_B32, V_B32, V_U32 }, dot8_u, VF_CLAMP | VF_NO_OPSEL,
      ON_ALL },
    { "v_dot2c_i32_i16", VOP2, V_I32, { V_P16, V_P16 }, dot2c_i, VF_ACC | VF_DPP | VF_CLAMP,
      ON_GFX9 },
    { "v_dot4c_i32_i8", VOP2, V_I32, { V_B32, V_B32 }, dot4c_i, VF_ACC | VF_DPP | VF_CLAMP,
      ON_GFX9 },
    { "v_dot8c_i32_i4", VOP2, V_I32, { V_B32, V_B32 }, dot8c_i, VF_ACC | VF_DPP | VF_CLAMP,
      ON_GFX9 },
    { "v_dot2_f32_f16", VOP3P, V_F32, { V_PF16, V_PF16, V_F32 }, dot2_f16, VF_NO_OPSEL | VF_NAN_ANY,
      ON_GFX9 },
    { "v_dot2_f32_bf16", VOP3P, V_F32, { V_PBF16, V_PBF16, V_F32 }, dot2_bf16, VF_NO_OPSEL |
      VF_NAN_ANY, ON_950 },
    { "v_dot2c_f32_f16", VOP2, V_F32, { V_PF16, V_PF16 }, dot2c_f16, VF_ACC | VF_DPP | VF_NAN_ANY,
      ON_GFX9 },
    { "v_dot2c_f32_bf16", VOP2, V_F32, { V_PBF16, V_PBF16 }, dot2c_bf16, VF_ACC | VF_DPP |
      VF_NAN_ANY, ON_950 },
    /* gfx10 and later */
    { "v_dot4_i32_iu8", VOP3P, V_I32, { V_B32, V_B32, V_I32 }, dot4_iu, VF_CLAMP | VF_NO_OPSEL |
      VF_NEG_BITS, ON_GFX11UP },
    { "v_dot8_i32_iu4", VOP3P, V_I32, { V_B32, V_B32, V_I32 }, dot8_iu, VF_CLAMP | VF_NO_OPSEL |
      VF_NEG_BITS, ON_GFX11UP },
    { "v_dot2_f16_f16", VOP3, V_F16, { V_PF16, V_PF16, V_F16 }, dot2h_f16,
      VF_OPSEL | VF_NO_ABS | VF_NO_INLINE | VF_NAN_ANY | VF_MODES, ON_RDNA },
    { "v_dot2_bf16_bf16", VOP3, V_BF16, { V_PBF16, V_PBF16, V_BF16 }, dot2h_bf16,
      VF_OPSEL | VF_NO_ABS | VF_NO_INLINE | VF_NAN_ANY, ON_RDNA },
    { "v_dot2acc_f32_f16", VOP2, V_F32, { V_PF16, V_PF16 }, dot2c_f16,
      VF_ACC | VF_NAN_ANY | VF_NO_E64 | VF_NO_SUFFIX, ON_1100 },
    { "v_dot2_f32_f16", VOP3P, V_F32, { V_PF16, V_PF16, V_F32 }, dot2_f16, VF_NO_OPSEL | VF_NAN_ANY,
      ON_RDNA },
    { "v_dot2_f32_bf16", VOP3P, V_F32, { V_PBF16, V_PBF16, V_F32 }, dot2_bf16, VF_NO_OPSEL |
      VF_NAN_ANY, ON_RDNA },
    { "v_pk_fmac_f16", VOP2, V_PF16, { V_PF16, V_PF16 }, pk_fmac_f16, VF_ACC | VF_NO_SUFFIX |
      VF_NO_E64, ON_GFX11UP },
    { "v_pk_min_num_f16", VOP3P, V_PF16, { V_PF16, V_PF16 }, pk_min_num_f16, PKF, ON_GFX12 },
    { "v_pk_max_num_f16", VOP3P, V_PF16, { V_PF16, V_PF16 }, pk_max_num_f16, PKF, ON_GFX12 },
    { "v_pk_minimum_f16", VOP3P, V_PF16, { V_PF16, V_PF16 }, pk_minimum_f16, PKF, ON_GFX12 },
    { "v_pk_maximum_f16", VOP3P, V_PF16, { V_PF16, V_PF16 }, pk_maximum_f16, PKF, ON_GFX12 },
    { "v_pk_minimum3_f16", VOP3P, V_PF16, { V_PF16, V_PF16, V_PF16 }, pk_minimum3_f16, PKF,
      ON_1250 },
    { "v_pk_maximum3_f16", VOP3P, V_PF16, { V_PF16, V_PF16, V_PF16 }, pk_maximum3_f16, PKF,
      ON_1250 },
};

void run_valu_pk(enum target t);
void run_valu_pk(enum target t)
{
    valu_run(t, rows, sizeof rows / sizeof *rows);
}
