/* SPDX-License-Identifier: MIT */
/*
 * gfx950's conversions to and from fp8, fp6 and fp4 with a scale, and the stochastic roundings of
 * gfx940. References: CDNA4 ISA guide, V_CVT_SCALEF32_*, V_CVT_SR_*; formats from the OCP
 * microscaling specification. The scale is the exponent field of an f32: packing divides by
 * 2^(e-127), unpacking multiplies. Stochastic rounding has to give one of the two neighbours, and
 * exact values exactly; which of the two is the hardware's affair (the guide's text adds random
 * bits and then rounds to nearest, which would not keep exact values). An e8m0 exponent of 255 is
 * NaN and not drawn.
 */
#include "valu.h"

#include <string.h>

struct scv {
    const struct ref_format *from, *to;
    int n;     /* elements */
    bool pack; /* divides by the scale */
    bool random;
    bool two;  /* elements alternate between the first two sources */
    int scale; /* source that holds it; -1 none */
    bool e8m0; /* as a byte of its own */
};

static int width(const struct ref_format *f) { return f->exp_bits + f->man_bits + 1; }

static uint64_t bits_at(const uint32_t *w, int at, int n)
{
    uint64_t v = 0;
    for (int i = 0; i < n; i++)
        v |= (uint64_t)(w[(at + i) / 32] >> (at + i) % 32 & 1) << i;
    return v;
}

static bool element_fits(const struct scv *c, uint64_t src, int exp, uint64_t got)
{
    struct ref_num x = ref_unpack(*c->from, src);
    if (x.cls == REF_NAN) {
        if (c->to->flags & REF_NO_NAN)
            return true; /* not described */
        return ref_unpack(*c->to, got).cls == REF_NAN;
    }
    x = ref_scale(x, c->pack ? 127 - exp : exp - 127);
    for (int m = 0; m < 3; m++) {
        enum ref_round r = !m       ? (c->random ? REF_ZERO : REF_RNE)
                           : m == 1 ? (x.neg ? REF_DOWN : REF_UP)
                                    : REF_RNE;
        if (m == 1 && !c->random)
            continue;
        for (int flush = 0; flush < 2; flush++) {
            uint64_t v = ref_pack(*c->to, x, r, flush && width(c->to) > 8);
            if (v == got ||
                (ref_unpack(*c->to, v).cls == REF_NAN && ref_unpack(*c->to, got).cls == REF_NAN))
                return true;
        }
        /* A stochastic rounding beyond the largest number may stop there. */
        if (c->random && x.cls == REF_FINITE && ref_pack(*c->to, x, REF_ZERO, false) == got)
            return true;
    }
    return false;
}

static void convert(struct lane *l)
{
    const struct scv *c = l->row->aux;
    int from = width(c->from), to = width(c->to), at = 0, exp = 127;
    uint32_t src[32], want_rest[32];
    int words = type_words(l->row->d);

    memcpy(src, l->w[0], sizeof src);
    if (c->scale >= 0)
        exp = (int)(l->s[c->scale] >> (c->e8m0 ? 0 : 23) & 0xff);
    if (exp == 255 || (c->e8m0 && l->lane > 15)) { /* those of lanes above: lanes.c */
        l->skip = true;
        return;
    }
    if (l->row->flags & VF_SRC_BYTE) { /* a byte, or a word of two elements */
        int step = c->n * from <= 8 ? 8 : 16;
        unsigned pick = step == 8 ? (l->opsel & 3) : (l->opsel & 1);
        src[0] = (uint32_t)(l->s[0] >> pick * step);
    }
    if (l->row->flags & VF_BYTE_DST)
        at = (int)(l->opsel >> 2 & 3) * 8;
    else if (l->row->flags & VF_PK_CVT)
        at = (int)(l->opsel >> 3 & 1) * 16;
    l->ok = true;
    memcpy(want_rest, l->dw, sizeof want_rest);
    for (int e = 0; e < c->n; e++) {
        uint64_t x =
            c->two ? bits_at(l->w[e & 1], e / 2 * from, from) : bits_at(src, e * from, from);
        uint64_t got = bits_at(l->got, at + e * to, to);
        l->ok &= element_fits(c, x, exp, got);
        for (int i = 0; i < to; i++) {
            int bit = at + e * to + i;
            want_rest[bit / 32] =
                (want_rest[bit / 32] & ~(1u << bit % 32)) | (uint32_t)(got >> i & 1) << bit % 32;
        }
    }
    l->ok &= !memcmp(want_rest, l->got, (size_t)words * 4);
    l->d = l->got[0];
}

#define CV(from, to, n, pack, random, two, scale)                                                  \
    .aux = &(const struct scv){ &REF_##from, &REF_##to, n, pack, random, two, scale }
#define E8M0(from, to, n)                                                                          \
    .aux = &(const struct scv){ &REF_##from, &REF_##to, n, false, false, false, 1, true }
#define BASE (VF_SELF | VF_ACC)
#define PK (BASE | VF_PK_CVT)
#define BYTE (BASE | VF_BYTE_DST)
#define SRC (VF_SELF | VF_SRC_BYTE)
#define WIDE (VF_SELF | VF_NO_MODS)
#define D3(T, a, b, c) T, { a, b, c }, convert

static const struct valu_row rows[] = {
    { "v_cvt_sr_fp8_f32", VOP3, D3(V_B32, V_F32, V_B32, V_NONE), BYTE, ON_950,
      CV(F32, E4M3, 1, true, true, false, -1) },
    { "v_cvt_sr_bf8_f32", VOP3, D3(V_B32, V_F32, V_B32, V_NONE), BYTE, ON_950,
      CV(F32, E5M2, 1, true, true, false, -1) },
    { "v_cvt_sr_fp8_f32", VOP3, D3(V_B32, V_F32, V_B32, V_NONE), BYTE, ON_942,
      CV(F32, E4M3Z, 1, true, true, false, -1) },
    { "v_cvt_sr_bf8_f32", VOP3, D3(V_B32, V_F32, V_B32, V_NONE), BYTE, ON_942,
      CV(F32, E5M2Z, 1, true, true, false, -1) },
    { "v_cvt_sr_fp8_f32", VOP3, D3(V_B32, V_F32, V_B32, V_NONE), BASE, ON_GFX12,
      CV(F32, E4M3, 1, true, true, false, -1) },
    { "v_cvt_sr_bf8_f32", VOP3, D3(V_B32, V_F32, V_B32, V_NONE), BASE, ON_GFX12,
      CV(F32, E5M2, 1, true, true, false, -1) },
    { "v_cvt_sr_f16_f32", VOP3, D3(V_B32, V_F32, V_B32, V_NONE), PK, ON_950,
      CV(F32, F16, 1, true, true, false, -1) },
    { "v_cvt_sr_bf16_f32", VOP3, D3(V_B32, V_F32, V_B32, V_NONE), PK, ON_950,
      CV(F32, BF16, 1, true, true, false, -1) },
    { "v_cvt_scalef32_pk_fp8_f32", VOP3, D3(V_B32, V_F32, V_F32, V_F32), PK, ON_950,
      CV(F32, E4M3, 2, true, false, true, 2) },
    { "v_cvt_scalef32_pk_bf8_f32", VOP3, D3(V_B32, V_F32, V_F32, V_F32), PK, ON_950,
      CV(F32, E5M2, 2, true, false, true, 2) },
    { "v_cvt_scalef32_pk_fp4_f32", VOP3, D3(V_B32, V_F32, V_F32, V_F32), BYTE, ON_950,
      CV(F32, E2M1, 2, true, false, true, 2) },
    { "v_cvt_scalef32_sr_fp8_f32", VOP3, D3(V_B32, V_F32, V_B32, V_F32), BYTE, ON_950,
      CV(F32, E4M3, 1, true, true, false, 2) },
    { "v_cvt_scalef32_sr_bf8_f32", VOP3, D3(V_B32, V_F32, V_B32, V_F32), BYTE, ON_950,
      CV(F32, E5M2, 1, true, true, false, 2) },
    { "v_cvt_scalef32_sr_pk_fp4_f32", VOP3, D3(V_B32, V_PF32, V_B32, V_F32), BYTE | VF_NO_MODS |
      VF_NO_S | VF_NO_INLINE, ON_950,
      CV(F32, E2M1, 2, true, true, false, 2) },
    { "v_cvt_scalef32_pk_fp8_f16", VOP3, D3(V_B32, V_PF16, V_F32, V_NONE), PK | VF_NO_MODS, ON_950,
      CV(F16, E4M3, 2, true, false, false, 1) },
    { "v_cvt_scalef32_pk_bf8_f16", VOP3, D3(V_B32, V_PF16, V_F32, V_NONE), PK | VF_NO_MODS, ON_950,
      CV(F16, E5M2, 2, true, false, false, 1) },
    { "v_cvt_scalef32_pk_fp8_bf16", VOP3, D3(V_B32, V_PBF16, V_F32, V_NONE), PK | VF_NO_MODS,
      ON_950, CV(BF16, E4M3, 2, true, false, false, 1) },
    { "v_cvt_scalef32_pk_bf8_bf16", VOP3, D3(V_B32, V_PBF16, V_F32, V_NONE), PK | VF_NO_MODS,
      ON_950, CV(BF16, E5M2, 2, true, false, false, 1) },
    { "v_cvt_scalef32_pk_fp4_f16", VOP3, D3(V_B32, V_PF16, V_F32, V_NONE), BYTE | VF_NO_MODS,
      ON_950, CV(F16, E2M1, 2, true, false, false, 1) },
    { "v_cvt_scalef32_pk_fp4_bf16", VOP3, D3(V_B32, V_PBF16, V_F32, V_NONE), BYTE | VF_NO_MODS,
      ON_950, CV(BF16, E2M1, 2, true, false, false, 1) },
    { "v_cvt_scalef32_sr_fp8_f16", VOP3, D3(V_B32, V_F16, V_B32, V_F32), BYTE | VF_NO_MODS, ON_950,
      CV(F16, E4M3, 1, true, true, false, 2) },
    { "v_cvt_scalef32_sr_bf8_f16", VOP3, D3(V_B32, V_F16, V_B32, V_F32), BYTE | VF_NO_MODS, ON_950,
      CV(F16, E5M2, 1, true, true, false, 2) },
    { "v_cvt_scalef32_sr_fp8_bf16", VOP3, D3(V_B32, V_BF16, V_B32, V_F32), BYTE | VF_NO_MODS,
      ON_950, CV(BF16, E4M3, 1, true, true, false, 2) },
    { "v_cvt_scalef32_sr_bf8_bf16", VOP3, D3(V_B32, V_BF16, V_B32, V_F32), BYTE | VF_NO_MODS,
      ON_950, CV(BF16, E5M2, 1, true, true, false, 2) },
    { "v_cvt_scalef32_sr_pk_fp4_f16", VOP3, D3(V_B32, V_PF16, V_B32, V_F32), BYTE | VF_NO_MODS,
      ON_950, CV(F16, E2M1, 2, true, true, false, 2) },
    { "v_cvt_scalef32_sr_pk_fp4_bf16", VOP3, D3(V_B32, V_PBF16, V_B32, V_F32), BYTE | VF_NO_MODS,
      ON_950, CV(BF16, E2M1, 2, true, true, false, 2) },
    { "v_cvt_scalef32_f32_fp8", VOP3, D3(V_B32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E4M3, F32, 1, false, false, false, 1) },
    { "v_cvt_scalef32_f32_bf8", VOP3, D3(V_B32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E5M2, F32, 1, false, false, false, 1) },
    { "v_cvt_scalef32_f16_fp8", VOP3, D3(V_B32, V_FP8, V_F32, V_NONE), SRC | PK | VF_NO_MODS,
      ON_950, CV(E4M3, F16, 1, false, false, false, 1) },
    { "v_cvt_scalef32_f16_bf8", VOP3, D3(V_B32, V_FP8, V_F32, V_NONE), SRC | PK | VF_NO_MODS,
      ON_950, CV(E5M2, F16, 1, false, false, false, 1) },
    { "v_cvt_scalef32_pk_f32_fp8", VOP3, D3(V_P32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E4M3, F32, 2, false, false, false, 1) },
    { "v_cvt_scalef32_pk_f32_bf8", VOP3, D3(V_P32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E5M2, F32, 2, false, false, false, 1) },
    { "v_cvt_scalef32_pk_f32_fp4", VOP3, D3(V_P32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E2M1, F32, 2, false, false, false, 1) },
    { "v_cvt_scalef32_pk_f16_fp8", VOP3, D3(V_B32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E4M3, F16, 2, false, false, false, 1) },
    { "v_cvt_scalef32_pk_f16_bf8", VOP3, D3(V_B32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E5M2, F16, 2, false, false, false, 1) },
    { "v_cvt_scalef32_pk_f16_fp4", VOP3, D3(V_B32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E2M1, F16, 2, false, false, false, 1) },
    { "v_cvt_scalef32_pk_bf16_fp8", VOP3, D3(V_B32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E4M3, BF16, 2, false, false, false, 1) },
    { "v_cvt_scalef32_pk_bf16_bf8", VOP3, D3(V_B32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E5M2, BF16, 2, false, false, false, 1) },
    { "v_cvt_scalef32_pk_bf16_fp4", VOP3, D3(V_B32, V_FP8, V_F32, V_NONE), SRC | VF_NO_MODS, ON_950,
      CV(E2M1, BF16, 2, false, false, false, 1) },
    { "v_cvt_scalef32_2xpk16_fp6_f32", VOP3, D3(V_W6, V_W16, V_W16, V_F32), WIDE, ON_950,
      CV(F32, E2M3, 32, true, false, true, 2) },
    { "v_cvt_scalef32_2xpk16_bf6_f32", VOP3, D3(V_W6, V_W16, V_W16, V_F32), WIDE, ON_950,
      CV(F32, E3M2, 32, true, false, true, 2) },
    { "v_cvt_scalef32_sr_pk32_fp6_f32", VOP3, D3(V_W6, V_W32, V_B32, V_F32), WIDE, ON_950,
      CV(F32, E2M3, 32, true, true, false, 2) },
    { "v_cvt_scalef32_sr_pk32_bf6_f32", VOP3, D3(V_W6, V_W32, V_B32, V_F32), WIDE, ON_950,
      CV(F32, E3M2, 32, true, true, false, 2) },
    { "v_cvt_scalef32_pk32_fp6_f16", VOP3, D3(V_W6, V_W16, V_F32, V_NONE), WIDE, ON_950,
      CV(F16, E2M3, 32, true, false, false, 1) },
    { "v_cvt_scalef32_pk32_bf6_f16", VOP3, D3(V_W6, V_W16, V_F32, V_NONE), WIDE, ON_950,
      CV(F16, E3M2, 32, true, false, false, 1) },
    { "v_cvt_scalef32_pk32_fp6_bf16", VOP3, D3(V_W6, V_W16, V_F32, V_NONE), WIDE, ON_950,
      CV(BF16, E2M3, 32, true, false, false, 1) },
    { "v_cvt_scalef32_pk32_bf6_bf16", VOP3, D3(V_W6, V_W16, V_F32, V_NONE), WIDE, ON_950,
      CV(BF16, E3M2, 32, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk32_fp6_f16", VOP3, D3(V_W6, V_W16, V_B32, V_F32), WIDE, ON_950,
      CV(F16, E2M3, 32, true, true, false, 2) },
    { "v_cvt_scalef32_sr_pk32_bf6_f16", VOP3, D3(V_W6, V_W16, V_B32, V_F32), WIDE, ON_950,
      CV(F16, E3M2, 32, true, true, false, 2) },
    { "v_cvt_scalef32_sr_pk32_fp6_bf16", VOP3, D3(V_W6, V_W16, V_B32, V_F32), WIDE, ON_950,
      CV(BF16, E2M3, 32, true, true, false, 2) },
    { "v_cvt_scalef32_sr_pk32_bf6_bf16", VOP3, D3(V_W6, V_W16, V_B32, V_F32), WIDE, ON_950,
      CV(BF16, E3M2, 32, true, true, false, 2) },
    { "v_cvt_scalef32_pk32_f32_fp6", VOP3, D3(V_W32, V_W6, V_F32, V_NONE), WIDE, ON_950,
      CV(E2M3, F32, 32, false, false, false, 1) },
    { "v_cvt_scalef32_pk32_f32_bf6", VOP3, D3(V_W32, V_W6, V_F32, V_NONE), WIDE, ON_950,
      CV(E3M2, F32, 32, false, false, false, 1) },
    { "v_cvt_scalef32_pk32_f16_fp6", VOP3, D3(V_W16, V_W6, V_F32, V_NONE), WIDE, ON_950,
      CV(E2M3, F16, 32, false, false, false, 1) },
    { "v_cvt_scalef32_pk32_f16_bf6", VOP3, D3(V_W16, V_W6, V_F32, V_NONE), WIDE, ON_950,
      CV(E3M2, F16, 32, false, false, false, 1) },
    { "v_cvt_scalef32_pk32_bf16_fp6", VOP3, D3(V_W16, V_W6, V_F32, V_NONE), WIDE, ON_950,
      CV(E2M3, BF16, 32, false, false, false, 1) },
    { "v_cvt_scalef32_pk32_bf16_bf6", VOP3, D3(V_W16, V_W6, V_F32, V_NONE), WIDE, ON_950,
      CV(E3M2, BF16, 32, false, false, false, 1) },
    /* gfx1250: 8 or 16 elements */
    { "v_cvt_scalef32_pk8_fp8_f32", VOP3, D3(V_B64, V_W8, V_F32, V_NONE), WIDE, ON_1250,
      CV(F32, E4M3, 8, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk8_fp8_f32", VOP3, D3(V_B64, V_W8, V_B32, V_F32), WIDE, ON_1250,
      CV(F32, E4M3, 8, true, true, false, 2) },
    { "v_cvt_scalef32_pk8_fp8_f16", VOP3, D3(V_B64, V_W4, V_F32, V_NONE), WIDE, ON_1250,
      CV(F16, E4M3, 8, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk8_fp8_f16", VOP3, D3(V_B64, V_W4, V_B32, V_F32), WIDE, ON_1250,
      CV(F16, E4M3, 8, true, true, false, 2) },
    { "v_cvt_scalef32_pk8_fp8_bf16", VOP3, D3(V_B64, V_W4, V_F32, V_NONE), WIDE, ON_1250,
      CV(BF16, E4M3, 8, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk8_fp8_bf16", VOP3, D3(V_B64, V_W4, V_B32, V_F32), WIDE, ON_1250,
      CV(BF16, E4M3, 8, true, true, false, 2) },
    { "v_cvt_scalef32_pk8_bf8_f32", VOP3, D3(V_B64, V_W8, V_F32, V_NONE), WIDE, ON_1250,
      CV(F32, E5M2, 8, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk8_bf8_f32", VOP3, D3(V_B64, V_W8, V_B32, V_F32), WIDE, ON_1250,
      CV(F32, E5M2, 8, true, true, false, 2) },
    { "v_cvt_scalef32_pk8_bf8_f16", VOP3, D3(V_B64, V_W4, V_F32, V_NONE), WIDE, ON_1250,
      CV(F16, E5M2, 8, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk8_bf8_f16", VOP3, D3(V_B64, V_W4, V_B32, V_F32), WIDE, ON_1250,
      CV(F16, E5M2, 8, true, true, false, 2) },
    { "v_cvt_scalef32_pk8_bf8_bf16", VOP3, D3(V_B64, V_W4, V_F32, V_NONE), WIDE, ON_1250,
      CV(BF16, E5M2, 8, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk8_bf8_bf16", VOP3, D3(V_B64, V_W4, V_B32, V_F32), WIDE, ON_1250,
      CV(BF16, E5M2, 8, true, true, false, 2) },
    { "v_cvt_scalef32_pk8_fp4_f32", VOP3, D3(V_B32, V_W8, V_F32, V_NONE), WIDE, ON_1250,
      CV(F32, E2M1, 8, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk8_fp4_f32", VOP3, D3(V_B32, V_W8, V_B32, V_F32), WIDE, ON_1250,
      CV(F32, E2M1, 8, true, true, false, 2) },
    { "v_cvt_scalef32_pk8_fp4_f16", VOP3, D3(V_B32, V_W4, V_F32, V_NONE), WIDE, ON_1250,
      CV(F16, E2M1, 8, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk8_fp4_f16", VOP3, D3(V_B32, V_W4, V_B32, V_F32), WIDE, ON_1250,
      CV(F16, E2M1, 8, true, true, false, 2) },
    { "v_cvt_scalef32_pk8_fp4_bf16", VOP3, D3(V_B32, V_W4, V_F32, V_NONE), WIDE, ON_1250,
      CV(BF16, E2M1, 8, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk8_fp4_bf16", VOP3, D3(V_B32, V_W4, V_B32, V_F32), WIDE, ON_1250,
      CV(BF16, E2M1, 8, true, true, false, 2) },
    { "v_cvt_scalef32_pk16_fp6_f32", VOP3, D3(V_W3, V_W16, V_F32, V_NONE), WIDE, ON_1250,
      CV(F32, E2M3, 16, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk16_fp6_f32", VOP3, D3(V_W3, V_W16, V_B32, V_F32), WIDE, ON_1250,
      CV(F32, E2M3, 16, true, true, false, 2) },
    { "v_cvt_scalef32_pk16_fp6_f16", VOP3, D3(V_W3, V_W8, V_F32, V_NONE), WIDE, ON_1250,
      CV(F16, E2M3, 16, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk16_fp6_f16", VOP3, D3(V_W3, V_W8, V_B32, V_F32), WIDE, ON_1250,
      CV(F16, E2M3, 16, true, true, false, 2) },
    { "v_cvt_scalef32_pk16_fp6_bf16", VOP3, D3(V_W3, V_W8, V_F32, V_NONE), WIDE, ON_1250,
      CV(BF16, E2M3, 16, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk16_fp6_bf16", VOP3, D3(V_W3, V_W8, V_B32, V_F32), WIDE, ON_1250,
      CV(BF16, E2M3, 16, true, true, false, 2) },
    { "v_cvt_scalef32_pk16_bf6_f32", VOP3, D3(V_W3, V_W16, V_F32, V_NONE), WIDE, ON_1250,
      CV(F32, E3M2, 16, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk16_bf6_f32", VOP3, D3(V_W3, V_W16, V_B32, V_F32), WIDE, ON_1250,
      CV(F32, E3M2, 16, true, true, false, 2) },
    { "v_cvt_scalef32_pk16_bf6_f16", VOP3, D3(V_W3, V_W8, V_F32, V_NONE), WIDE, ON_1250,
      CV(F16, E3M2, 16, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk16_bf6_f16", VOP3, D3(V_W3, V_W8, V_B32, V_F32), WIDE, ON_1250,
      CV(F16, E3M2, 16, true, true, false, 2) },
    { "v_cvt_scalef32_pk16_bf6_bf16", VOP3, D3(V_W3, V_W8, V_F32, V_NONE), WIDE, ON_1250,
      CV(BF16, E3M2, 16, true, false, false, 1) },
    { "v_cvt_scalef32_sr_pk16_bf6_bf16", VOP3, D3(V_W3, V_W8, V_B32, V_F32), WIDE, ON_1250,
      CV(BF16, E3M2, 16, true, true, false, 2) },
    { "v_cvt_pk_fp8_f16", VOP3, D3(V_B32, V_PF16, V_NONE, V_NONE), BASE | VF_NO_MODS, ON_1250,
      CV(F16, E4M3, 2, true, false, false, -1) },
    { "v_cvt_pk_bf8_f16", VOP3, D3(V_B32, V_PF16, V_NONE, V_NONE), BASE | VF_NO_MODS, ON_1250,
      CV(F16, E5M2, 2, true, false, false, -1) },
    { "v_cvt_sr_fp8_f16", VOP3, D3(V_B32, V_F16, V_B32, V_NONE), BASE | VF_NO_MODS, ON_1250,
      CV(F16, E4M3, 1, true, true, false, -1) },
    { "v_cvt_sr_bf8_f16", VOP3, D3(V_B32, V_F16, V_B32, V_NONE), BASE | VF_NO_MODS, ON_1250,
      CV(F16, E5M2, 1, true, true, false, -1) },
    { "v_cvt_sr_pk_bf16_f32", VOP3, D3(V_B32, V_F32, V_F32, V_B32), VF_SELF | VF_NO_MODS, ON_1250,
      CV(F32, BF16, 2, true, true, true, -1) },
    { "v_cvt_sr_pk_f16_f32", VOP3, D3(V_B32, V_F32, V_F32, V_B32), VF_SELF | VF_NO_MODS, ON_1250,
      CV(F32, F16, 2, true, true, true, -1) },
    { "v_cvt_scale_pk8_f32_fp8", VOP3, D3(V_W8, V_B64, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E4M3, F32, 8) },
    { "v_cvt_scale_pk8_f16_fp8", VOP3, D3(V_W4, V_B64, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E4M3, F16, 8) },
    { "v_cvt_scale_pk8_bf16_fp8", VOP3, D3(V_W4, V_B64, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E4M3, BF16, 8) },
    { "v_cvt_scale_pk8_f32_bf8", VOP3, D3(V_W8, V_B64, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E5M2, F32, 8) },
    { "v_cvt_scale_pk8_f16_bf8", VOP3, D3(V_W4, V_B64, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E5M2, F16, 8) },
    { "v_cvt_scale_pk8_bf16_bf8", VOP3, D3(V_W4, V_B64, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E5M2, BF16, 8) },
    { "v_cvt_scale_pk8_f32_fp4", VOP3, D3(V_W8, V_B32, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E2M1, F32, 8) },
    { "v_cvt_scale_pk8_f16_fp4", VOP3, D3(V_W4, V_B32, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E2M1, F16, 8) },
    { "v_cvt_scale_pk8_bf16_fp4", VOP3, D3(V_W4, V_B32, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E2M1, BF16, 8) },
    { "v_cvt_scale_pk16_f32_fp6", VOP3, D3(V_W16, V_W3, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E2M3, F32, 16) },
    { "v_cvt_scale_pk16_f16_fp6", VOP3, D3(V_W8, V_W3, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E2M3, F16, 16) },
    { "v_cvt_scale_pk16_bf16_fp6", VOP3, D3(V_W8, V_W3, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E2M3, BF16, 16) },
    { "v_cvt_scale_pk16_f32_bf6", VOP3, D3(V_W16, V_W3, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E3M2, F32, 16) },
    { "v_cvt_scale_pk16_f16_bf6", VOP3, D3(V_W8, V_W3, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E3M2, F16, 16) },
    { "v_cvt_scale_pk16_bf16_bf6", VOP3, D3(V_W8, V_W3, V_B32, V_NONE), WIDE | VF_NO_S | VF_NO_INLINE, ON_1250,
      E8M0(E3M2, BF16, 16) },
};

void run_valu_scale(enum target t);
void run_valu_scale(enum target t) { valu_run(t, rows, sizeof rows / sizeof *rows); }
