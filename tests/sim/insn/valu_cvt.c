/* SPDX-License-Identifier: MIT */
/*
 * Conversions. References: CDNA3/CDNA4 ISA guides; formats from the OCP 8-bit and microscaling
 * specifications, FNUZ as the CDNA3 guide has it. Scaled conversions multiply by, or divide by, the
 * power of two of the scale's exponent field.
 */
#include "valu.h"

#define REF(name) static void name(struct lane *l)
#define A32 ((uint32_t)l->s[0])
#define S32(k) lane_f32(l, l->s[k])
#define S16(k) lane_f16(l, l->s[k])
#define S64(k) lane_f64(l, l->s[k])

REF(i32_f64) { l->d = (uint32_t)ref_to_int(S64(0), INT32_MIN, INT32_MAX); }
REF(u32_f64) { l->d = (uint32_t)ref_to_int(S64(0), 0, UINT32_MAX); }
REF(i32_f32) { l->d = (uint32_t)ref_to_int(S32(0), INT32_MIN, INT32_MAX); }
REF(u32_f32) { l->d = (uint32_t)ref_to_int(S32(0), 0, UINT32_MAX); }
REF(f64_i32) { l->d = pack_f64(l, ref_from_int((int32_t)A32)); }
REF(f64_u32) { l->d = pack_f64(l, ref_from_int(A32)); }
REF(f32_i32) { l->d = pack_f32(l, ref_from_int((int32_t)A32)); }
REF(f32_u32) { l->d = pack_f32(l, ref_from_int(A32)); }
REF(f32_ubyte0) { l->d = pack_f32(l, ref_from_int(A32 & 0xff)); }
REF(f32_ubyte1) { l->d = pack_f32(l, ref_from_int(A32 >> 8 & 0xff)); }
REF(f32_ubyte2) { l->d = pack_f32(l, ref_from_int(A32 >> 16 & 0xff)); }
REF(f32_ubyte3) { l->d = pack_f32(l, ref_from_int(A32 >> 24)); }

/* f32 to f16 rounds by the f16 mode and keeps f16 denormals by it. */
REF(f16_f32)
{
    l->d = pack_f16(l, S32(0));
    if (!(l->mode & 0x10)) /* whether flushed f32 inputs matter: they are zero in f16 anyway */
        lane_alt(l, pack_f16(l, ref_unpack(REF_F32, l->s[0])));
}
REF(f32_f16) { l->d = pack_f32(l, S16(0)); }
REF(f32_f64) { l->d = pack_f32(l, S64(0)); }
REF(f64_f32) { l->d = pack_f64(l, S32(0)); }
REF(f16_u16) { l->d = pack_f16(l, ref_from_int(A32 & 0xffff)); }
REF(f16_i16) { l->d = pack_f16(l, ref_from_int((int16_t)A32)); }
REF(u16_f16) { l->d = (uint16_t)ref_to_int(S16(0), 0, 0xffff); }
REF(i16_f16) { l->d = (uint16_t)ref_to_int(S16(0), -32768, 32767); }

/* floor(x + 0.5): one addition in f32 by the text; exact on hardware that keeps the bits. */
REF(rpi)
{
    struct ref_num half = { .man = 1, .exp = -1 };
    struct ref_num sum = ref_add(S32(0), half, REF_DOWN);
    l->d = (uint32_t)ref_to_int(ref_integral(sum, REF_DOWN), INT32_MIN, INT32_MAX);
    struct ref_num rounded = ref_unpack(REF_F32, ref_pack(REF_F32, sum, round32(l), false));
    lane_alt(l, (uint32_t)ref_to_int(ref_integral(rounded, REF_DOWN), INT32_MIN, INT32_MAX));
}
REF(flr) { l->d = (uint32_t)ref_to_int(ref_integral(S32(0), REF_DOWN), INT32_MIN, INT32_MAX); }

/* A signed nibble over 16. */
REF(off_i4)
{
    int v = (int)(A32 & 15);
    l->d = pack_f32(l, ref_scale(ref_from_int(v < 8 ? v : v - 16), -4));
}

/* Normalised integers: the nearest of 32767 (65535) steps. Neither the direction of a tie nor
 * whether the product is rounded to f32 before is documented. */
enum { NORMS = 6 };
static int norm(struct ref_num x, bool is_signed, uint64_t out[NORMS])
{
    int top = is_signed ? 32767 : 65535, n = 0;
    struct ref_num one = ref_from_int(1), low = ref_from_int(is_signed ? -1 : 0);
    struct ref_num half = { .man = 1, .exp = -1 };

    if (x.cls == REF_NAN)
        x = ref_from_int(0);
    if (ref_cmp(x, one) > 0)
        x = one;
    if (ref_cmp(x, low) < 0)
        x = low;
    struct ref_num v = ref_mul(x, ref_from_int(top));
    struct ref_num in_f32 = ref_unpack(REF_F32, ref_pack(REF_F32, v, REF_RNE, false));
    for (int k = 0; k < 2; k++, v = in_f32) {
        struct ref_num up = ref_add(v, half, REF_DOWN);
        out[n++] = (uint64_t)ref_to_int(ref_integral(v, REF_RNE), -top, top) & 0xffff;
        out[n++] = (uint64_t)ref_to_int(ref_integral(up, REF_DOWN), -top, top) & 0xffff;
        out[n++] = (uint64_t)ref_to_int(v, -top, top) & 0xffff;
    }
    return n;
}

static void norm_one(struct lane *l, struct ref_num x, bool is_signed)
{
    uint64_t v[NORMS];
    int n = norm(x, is_signed, v);
    for (int i = 0; i < n; i++)
        lane_alt(l, v[i]);
    l->d = v[0];
}

static void norm_two(struct lane *l, struct ref_num x, struct ref_num y, bool is_signed)
{
    uint64_t a[NORMS], b[NORMS];
    int n = norm(x, is_signed, a), m = norm(y, is_signed, b);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            lane_alt(l, a[i] | b[k] << 16);
    l->d = a[0] | b[0] << 16;
}

REF(norm_i16_f16) { norm_one(l, S16(0), true); }
REF(norm_u16_f16) { norm_one(l, S16(0), false); }
REF(pknorm_i16_f32) { norm_two(l, S32(0), S32(1), true); }
REF(pknorm_u16_f32) { norm_two(l, S32(0), S32(1), false); }
REF(pknorm_i16_f16) { norm_two(l, S16(0), S16(1), true); }
REF(pknorm_u16_f16) { norm_two(l, S16(0), S16(1), false); }

static uint64_t half_rounded(struct lane *l, struct ref_num x, enum ref_round mode)
{
    return ref_pack(REF_F16, x, mode, !(l->mode & 0x80));
}
REF(pkrtz) { l->d = half_rounded(l, S32(0), REF_ZERO) | half_rounded(l, S32(1), REF_ZERO) << 16; }
REF(pk_f16) { l->d = half_rounded(l, S32(0), REF_RNE) | half_rounded(l, S32(1), REF_RNE) << 16; }
REF(pk_bf16)
{
    l->d = 0;
    for (int k = 0; k < 2; k++)
        l->d |= ref_pack(REF_BF16, S32(k), REF_RNE, false) << 16 * k;
}
REF(f32_bf16) { l->d = l->s[0] << 16 & 0xffff0000; }

REF(pk_u16_u32)
{
    l->d = 0;
    for (int k = 0; k < 2; k++)
        l->d |= ((uint32_t)l->s[k] > 0xffff ? 0xffffu : l->s[k] & 0xffff) << 16 * k;
}
REF(pk_i16_i32)
{
    l->d = 0;
    for (int k = 0; k < 2; k++) {
        int32_t v = (int32_t)l->s[k];
        l->d |= (uint64_t)(uint16_t)(v < -32768 ? -32768 : v > 32767 ? 32767 : v) << 16 * k;
    }
}

/* Saturating; the rounding of f32_to_u8 is not in the text: nearest even, or cut. */
static void pk_u8(struct lane *l, uint64_t into)
{
    int at = (int)(l->s[1] & 3) * 8;
    uint64_t keep = into & ~(0xffull << at);
    struct ref_num x = S32(0);
    for (int m = 0; m < 2; m++) {
        uint64_t v = (uint64_t)ref_to_int(ref_integral(x, m ? REF_ZERO : round32(l)), 0, 255);
        if (m)
            lane_alt(l, keep | v << at);
        else
            l->d = keep | v << at;
    }
}
REF(pk_u8_f32) { pk_u8(l, l->s[2]); }
REF(pkaccum_u8) { pk_u8(l, l->d); }

/* fp8: e4m3 and e5m2, FNUZ on gfx940, OCP after it. */
static struct ref_format fp8_format(const struct lane *l, bool bf8)
{
    return l->target == T_942 ? (bf8 ? REF_E5M2Z : REF_E4M3Z) : bf8 ? REF_E5M2 : REF_E4M3;
}
static uint64_t from_fp8(const struct lane *l, uint64_t byte, bool bf8)
{
    return ref_pack(REF_F32, ref_unpack(fp8_format(l, bf8), byte & 0xff), REF_RNE, false);
}
REF(f32_fp8) { l->d = from_fp8(l, l->s[0], false); }
REF(f32_bf8) { l->d = from_fp8(l, l->s[0], true); }
REF(pk_f32_fp8) { l->d = from_fp8(l, l->s[0], false) | from_fp8(l, l->s[0] >> 8, false) << 32; }
REF(pk_f32_bf8) { l->d = from_fp8(l, l->s[0], true) | from_fp8(l, l->s[0] >> 8, true) << 32; }

/* Out of range: the CDNA3 guide makes it NaN (or infinity where the format has it) with FP16_OVFL =
 * 0. */
static uint64_t to_fp8(const struct lane *l, struct ref_num x, bool bf8)
{
    return ref_pack(fp8_format(l, bf8), x, REF_RNE, false);
}
static void pk_fp8(struct lane *l, bool bf8)
{
    static const uint8_t nan[] = { 0x7f, 0x7e, 0x7d, 0xff, 0xfe, 0xfd };
    uint64_t x[2] = { to_fp8(l, S32(0), bf8), to_fp8(l, S32(1), bf8) };
    bool any[2];
    for (int k = 0; k < 2; k++) /* which NaN is open where there are several */
        any[k] = bf8 && l->target != T_942 && S32(k).cls == REF_NAN;
    for (int i = 0; i < 36 && (any[0] || any[1]); i++)
        lane_alt(l, (any[0] ? nan[i % 6] : x[0]) | (any[1] ? nan[i / 6] : x[1]) << 8);
    l->d = x[0] | x[1] << 8;
}
REF(pk_fp8_f32) { pk_fp8(l, false); }
REF(pk_bf8_f32) { pk_fp8(l, true); }

REF(pk_i16_f32)
{
    l->d = 0;
    for (int k = 0; k < 2; k++)
        l->d |= (uint64_t)(uint16_t)ref_to_int(S32(k), -32768, 32767) << 16 * k;
}
REF(pk_u16_f32)
{
    l->d = 0;
    for (int k = 0; k < 2; k++)
        l->d |= (uint64_t)ref_to_int(S32(k), 0, 65535) << 16 * k;
}

#define FLT (VF_CLAMP | VF_OMOD | VF_SDWA | VF_DPP)
#define SD (VF_SDWA | VF_DPP)

static const struct valu_row rows[] = {
    /* name, form, destination, sources, reference, flags, targets, ulps */
    { "v_cvt_i32_f64", VOP1, V_I32, { V_F64 }, i32_f64, VF_DPP, ON_ALL },
    { "v_cvt_u32_f64", VOP1, V_U32, { V_F64 }, u32_f64, VF_DPP, ON_ALL },
    { "v_cvt_f64_i32", VOP1, V_F64, { V_I32 }, f64_i32, VF_CLAMP | VF_OMOD | VF_DPP, ON_ALL },
    { "v_cvt_f64_u32", VOP1, V_F64, { V_U32 }, f64_u32, VF_CLAMP | VF_OMOD | VF_DPP, ON_ALL },
    { "v_cvt_f32_i32", VOP1, V_F32, { V_I32 }, f32_i32, FLT | VF_MODES, ON_ALL },
    { "v_cvt_f32_u32", VOP1, V_F32, { V_U32 }, f32_u32, FLT | VF_MODES, ON_ALL },
    { "v_cvt_i32_f32", VOP1, V_I32, { V_F32 }, i32_f32, SD, ON_ALL },
    { "v_cvt_u32_f32", VOP1, V_U32, { V_F32 }, u32_f32, SD, ON_ALL },
    { "v_cvt_f16_f32", VOP1, V_F16, { V_F32 }, f16_f32, FLT | VF_MODES, ON_GFX9 },
    { "v_cvt_f32_f16", VOP1, V_F32, { V_F16 }, f32_f16, FLT | VF_MODES, ON_GFX9 },
    { "v_cvt_f32_f64", VOP1, V_F32, { V_F64 }, f32_f64, (FLT | VF_MODES) & ~VF_SDWA, ON_ALL },
    { "v_cvt_f64_f32", VOP1, V_F64, { V_F32 }, f64_f32, VF_CLAMP | VF_OMOD | VF_DPP | VF_MODES,
      ON_ALL },
    { "v_cvt_rpi_i32_f32", VOP1, V_I32, { V_F32 }, rpi, SD, ON_GFX9 },
    { "v_cvt_flr_i32_f32", VOP1, V_I32, { V_F32 }, flr, SD, ON_GFX9 },
    { "v_cvt_off_f32_i4", VOP1, V_F32, { V_B32 }, off_i4, FLT, ON_ALL },
    { "v_cvt_f32_ubyte0", VOP1, V_F32, { V_B32 }, f32_ubyte0, FLT, ON_ALL },
    { "v_cvt_f32_ubyte1", VOP1, V_F32, { V_B32 }, f32_ubyte1, FLT, ON_ALL },
    { "v_cvt_f32_ubyte2", VOP1, V_F32, { V_B32 }, f32_ubyte2, FLT, ON_ALL },
    { "v_cvt_f32_ubyte3", VOP1, V_F32, { V_B32 }, f32_ubyte3, FLT, ON_ALL },
    { "v_cvt_f16_u16", VOP1, V_F16, { V_U16 }, f16_u16, FLT | VF_MODES, ON_GFX9 },
    { "v_cvt_f16_i16", VOP1, V_F16, { V_I16 }, f16_i16, FLT | VF_MODES, ON_GFX9 },
    { "v_cvt_u16_f16", VOP1, V_U16, { V_F16 }, u16_f16, SD | VF_HI_ANY, ON_GFX9 },
    { "v_cvt_i16_f16", VOP1, V_I16, { V_F16 }, i16_f16, SD | VF_HI_ANY, ON_GFX9 },
    { "v_cvt_norm_i16_f16", VOP1, V_I16, { V_F16 }, norm_i16_f16, SD | VF_HI_ANY, ON_GFX9 },
    { "v_cvt_norm_u16_f16", VOP1, V_U16, { V_F16 }, norm_u16_f16, SD | VF_HI_ANY, ON_GFX9 },
    { "v_cvt_pknorm_i16_f32", VOP3, V_P16, { V_F32, V_F32 }, pknorm_i16_f32, 0, ON_GFX9 },
    { "v_cvt_pknorm_u16_f32", VOP3, V_P16, { V_F32, V_F32 }, pknorm_u16_f32, 0, ON_GFX9 },
    { "v_cvt_pknorm_i16_f16", VOP3, V_P16, { V_F16, V_F16 }, pknorm_i16_f16, VF_OPSEL, ON_GFX9 },
    { "v_cvt_pknorm_u16_f16", VOP3, V_P16, { V_F16, V_F16 }, pknorm_u16_f16, VF_OPSEL, ON_GFX9 },
    { "v_cvt_pkrtz_f16_f32", VOP3, V_PF16, { V_F32, V_F32 }, pkrtz, VF_NAN_ANY, ON_GFX9 },
    { "v_cvt_pk_f16_f32", VOP3, V_PF16, { V_F32, V_F32 }, pk_f16, VF_NAN_ANY, ON_950 },
    { "v_cvt_pk_bf16_f32", VOP3, V_PBF16, { V_F32, V_F32 }, pk_bf16, VF_NAN_ANY, ON_950 },
    { "v_cvt_f32_bf16", VOP1, V_F32, { V_BF16 }, f32_bf16, VF_SDWA | VF_DPP, ON_950 },
    { "v_cvt_pk_u16_u32", VOP3, V_P16, { V_U32, V_U32 }, pk_u16_u32, 0, ON_ALL },
    { "v_cvt_pk_i16_i32", VOP3, V_P16, { V_I32, V_I32 }, pk_i16_i32, 0, ON_ALL },
    { "v_cvt_pk_u8_f32", VOP3, V_B32, { V_F32, V_SHIFT, V_B32 }, pk_u8_f32, 0, ON_ALL },
    { "v_cvt_pkaccum_u8_f32", VOP3, V_B32, { V_F32, V_SHIFT }, pkaccum_u8, VF_ACC, ON_GFX9 },
    { "v_cvt_f32_fp8", VOP1, V_F32, { V_FP8 }, f32_fp8, VF_SDWA | VF_SRC_SEL | VF_DPP | VF_NAN_ANY,
      ON_940 },
    { "v_cvt_f32_bf8", VOP1, V_F32, { V_FP8 }, f32_bf8, VF_SDWA | VF_SRC_SEL | VF_DPP | VF_NAN_ANY,
      ON_940 },
    { "v_cvt_pk_f32_fp8", VOP1, V_PF32, { V_FP8 }, pk_f32_fp8, VF_SDWA | VF_SRC_SEL | VF_NAN_ANY,
      ON_940 },
    { "v_cvt_pk_f32_bf8", VOP1, V_PF32, { V_FP8 }, pk_f32_bf8, VF_SDWA | VF_SRC_SEL | VF_NAN_ANY,
      ON_940 },
    { "v_cvt_pk_fp8_f32", VOP3, V_B32, { V_F32, V_F32 }, pk_fp8_f32, VF_PK_CVT | VF_ACC, ON_940 },
    { "v_cvt_pk_bf8_f32", VOP3, V_B32, { V_F32, V_F32 }, pk_bf8_f32, VF_PK_CVT | VF_ACC, ON_940 },
    /* gfx10 and later */
    { "v_cvt_f32_fp8", VOP1, V_F32, { V_FP8 }, f32_fp8, VF_NAN_ANY, ON_GFX12 },
    { "v_cvt_f32_bf8", VOP1, V_F32, { V_FP8 }, f32_bf8, VF_NAN_ANY, ON_GFX12 },
    { "v_cvt_pk_f32_fp8", VOP1, V_PF32, { V_FP8 }, pk_f32_fp8, VF_NAN_ANY, ON_GFX12 },
    { "v_cvt_pk_f32_bf8", VOP1, V_PF32, { V_FP8 }, pk_f32_bf8, VF_NAN_ANY, ON_GFX12 },
    { "v_cvt_f32_bf16", VOP1, V_F32, { V_BF16 }, f32_bf16, VF_NO_S | VF_NO_INLINE, ON_1250 },
    { "v_cvt_f16_f32", VOP1, V_F16, { V_F32 }, f16_f32, (FLT | VF_MODES) & ~VF_SDWA, ON_GFX11UP },
    { "v_cvt_f32_f16", VOP1, V_F32, { V_F16 }, f32_f16, (FLT | VF_MODES) & ~VF_SDWA, ON_GFX11UP },
    { "v_cvt_nearest_i32_f32", VOP1, V_I32, { V_F32 }, rpi, VF_DPP, ON_GFX11UP },
    { "v_cvt_floor_i32_f32", VOP1, V_I32, { V_F32 }, flr, VF_DPP, ON_GFX11UP },
    { "v_cvt_f16_u16", VOP1, V_F16, { V_U16 }, f16_u16, (FLT | VF_MODES) & ~VF_SDWA, ON_GFX11UP },
    { "v_cvt_f16_i16", VOP1, V_F16, { V_I16 }, f16_i16, (FLT | VF_MODES) & ~VF_SDWA, ON_GFX11UP },
    { "v_cvt_u16_f16", VOP1, V_U16, { V_F16 }, u16_f16, VF_DPP, ON_GFX11UP },
    { "v_cvt_i16_f16", VOP1, V_I16, { V_F16 }, i16_f16, VF_DPP, ON_GFX11UP },
    { "v_cvt_norm_i16_f16", VOP1, V_I16, { V_F16 }, norm_i16_f16, VF_DPP, ON_GFX11UP },
    { "v_cvt_norm_u16_f16", VOP1, V_U16, { V_F16 }, norm_u16_f16, VF_DPP, ON_GFX11UP },
    { "v_cvt_pk_norm_i16_f32", VOP3, V_P16, { V_F32, V_F32 }, pknorm_i16_f32, 0, ON_GFX11UP },
    { "v_cvt_pk_norm_u16_f32", VOP3, V_P16, { V_F32, V_F32 }, pknorm_u16_f32, 0, ON_GFX11UP },
    { "v_cvt_pk_norm_i16_f16", VOP3, V_P16, { V_F16, V_F16 }, pknorm_i16_f16, 0, ON_GFX11UP },
    { "v_cvt_pk_norm_u16_f16", VOP3, V_P16, { V_F16, V_F16 }, pknorm_u16_f16, 0, ON_GFX11UP },
    { "v_cvt_pk_rtz_f16_f32", VOP2, V_PF16, { V_F32, V_F32 }, pkrtz, VF_NAN_ANY, ON_GFX11UP },
    { "v_cvt_pk_i16_f32", VOP3, V_P16, { V_F32, V_F32 }, pk_i16_f32, 0, ON_GFX11UP },
    { "v_cvt_pk_u16_f32", VOP3, V_P16, { V_F32, V_F32 }, pk_u16_f32, 0, ON_GFX11UP },
    { "v_cvt_pk_f16_f32", VOP3, V_PF16, { V_F32, V_F32 }, pk_f16, VF_NAN_ANY, ON_1250 },
    { "v_cvt_pk_bf16_f32", VOP3, V_PBF16, { V_F32, V_F32 }, pk_bf16, VF_NAN_ANY, ON_1250 },
    { "v_cvt_pk_fp8_f32", VOP3, V_B32, { V_F32, V_F32 }, pk_fp8_f32, VF_PK_CVT | VF_ACC, ON_GFX12 },
    { "v_cvt_pk_bf8_f32", VOP3, V_B32, { V_F32, V_F32 }, pk_bf8_f32, VF_PK_CVT | VF_ACC, ON_GFX12 },
};

void run_valu_cvt(enum target t);
void run_valu_cvt(enum target t) { valu_run(t, rows, sizeof rows / sizeof *rows); }
