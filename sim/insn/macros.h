/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary of instruction bodies. This file is compiled once for each lane count and each CPU
 * level (SIM_W, SIM_TABLE); nothing in it may depend on the level but speed.
 *
 *   INSN(v_add_f32, F32N, F32, F32) { D = S0 + S1; }
 *
 * names a handler, the type of the destination and of the sources; the loop over the lanes, operand
 * fetch with every modifier, EXEC and the store with clamp, omod, SDWA and op_sel come from the types.
 * In a body: D destination, S0..S3 sources, LANE the lane number, CLAMP, IN the instruction, WAVE.
 * Types: U32 I32 F32 U64 I64 F64 U16 I16 F16 (a float holding the value); F32N, F64N and F16N are
 * arithmetic results, whose NaNs follow the rule of nan_rule(). MASK as a source is 0 or ~0 a lane.
 */
#ifndef SIM_INSN_MACROS_H
#define SIM_INSN_MACROS_H

#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "../atomic.h"
#include "../check.h"
#include "../dpp.h"
#include "../float.h"
#include "../handlers.h"
#include "../mem.h"
#include "../state.h"
#include "../trans.h"
#include "../trap.h"

#define W SIM_W
#define FULL (SIM_W == 64 ? ~0ull : 0xffffffffull)
#define AI static inline __attribute__((always_inline))
#define SLOW static __attribute__((noinline, cold))
#define FN static __attribute__((noinline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#ifdef __clang__
#define LANES _Pragma("clang loop vectorize(assume_safety)") for (int i = 0; i < W; i++)
#else
#define LANES _Pragma("GCC ivdep") for (int i = 0; i < W; i++)
#endif

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define STR_(a) #a
#define STR(a) STR_(a)

AI float f32_of(u32 x) { float f; memcpy(&f, &x, 4); return f; }
AI u32 bits_of(float x) { u32 u; memcpy(&u, &x, 4); return u; }
AI double f64_of(u64 x) { double f; memcpy(&f, &x, 8); return f; }
AI u64 bits64_of(double x) { u64 u; memcpy(&u, &x, 8); return u; }

#include "rows.h"

/* ---- half precision, by rows ---------------------------------------------------------------- */

FN void half_to_float(float *d, const u32 *s)
{
#ifdef __F16C__
    for (int i = 0; i < W; i += 8) {
        __m256i x = _mm256_and_si256(_mm256_loadu_si256((const __m256i *)(s + i)),
                                     _mm256_set1_epi32(0xffff));
        __m128i h = _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        _mm256_storeu_ps(d + i, _mm256_cvtph_ps(h));
    }
#else
    LANES d[i] = f32_of(sim_f32_from_f16(s[i] & 0xffff));
#endif
}

/* round: of 16- and 64-bit results, MODE[3:2]. */
FN void float_to_half(u32 *d, const float *s, unsigned round)
{
#ifdef __F16C__
#define ROWS(imm)                                                                                  \
    for (int i = 0; i < W; i += 8)                                                                 \
        _mm256_storeu_si256((__m256i *)(d + i),                                                    \
                            _mm256_cvtepu16_epi32(_mm256_cvtps_ph(_mm256_loadu_ps(s + i), imm)));
    switch (round) {
    case SIM_RNE: ROWS(0) break;
    case SIM_RUP: ROWS(2) break;
    case SIM_RDOWN: ROWS(1) break;
    default: ROWS(3) break;
    }
#undef ROWS
#else
    if (round == SIM_RNE)
        LANES d[i] = sim_f16_from_f32(bits_of(s[i]));
    else
        for (int i = 0; i < W; i++)
            d[i] = sim_f16_from_f32_mode(bits_of(s[i]), (enum sim_round)round, 0, false);
#endif
}

/* ---- operands ---------------------------------------------------------------------------------- */

/* Temporary rows of a wave: sources 2 (k - 1) + word, then the destination's two words. */
enum { TMP_D = 6, TMP_X = 8 };

AI u32 *vrow(struct sim_wave *w, unsigned r) { return w->v + (size_t)r * W; }

FN void broadcast(u32 *d, u32 x) { LANES d[i] = x; }

/* Applies the instruction's DPP control to row s; the lanes it may write are left in w->lane_mask.
 * Returns d. */
FN const u32 *dpp_row(struct sim_wave *w, const struct insn *in, const u32 *s, u32 *d)
{
    const struct sim_insn *x = in->src;
    const struct sim_dpp_lanes *dpp = in->aux;
    u64 have = dpp->have;
    if (w->exec != FULL && !x->dpp.fi) {
        u32 on[W];
        take_lanes(on, w->erow, dpp->from);
        have &= pack_signs(on);
    }
    take_lanes(d, s, dpp->from);
    if (have != FULL) {
        u32 on[W];
        unpack_mask(on, have);
        LANES d[i] &= on[i];
    }
    w->lane_mask = (x->lanes == SIM_LANES_DPP8 || x->dpp.bound_ctrl ? FULL : have) & dpp->open;
    return d;
}

/* The general fetch: DPP, then sub-register selection, then abs and neg of a `width`-bit float. */
FN const u32 *fetch(struct sim_wave *w, const struct insn *in, int k, int j, int width)
{
    const struct operand *o = &in->o[k];
    u32 *t = w->tmp[2 * (k - 1) + j];
    const u32 *p = t;
    switch (o->kind) {
    case SIM_KIND_ROW: p = vrow(w, o->reg + j); break;
    case SIM_KIND_CONST: p = o->rows + 64 * j; break;
    case SIM_KIND_S: broadcast(t, w->s[o->reg + j]); break;
    case SIM_KIND_SPECIAL: broadcast(t, j ? 0 : sim_special(w, o->reg)); break;
    default: broadcast(t, 0);
    }
    if (o->mods & SIM_MOD_DPP)
        p = dpp_row(w, in, p, t);
    if (o->sel != SIM_SEL_DWORD) {
        int sh = o->sel < SIM_SEL_WORD0 ? 8 * o->sel : 16 * (o->sel - SIM_SEL_WORD0);
        int left = o->sel < SIM_SEL_WORD0 ? 24 - sh : 16 - sh, keep = o->sel < SIM_SEL_WORD0 ? 24 : 16;
        if (o->mods & SIM_MOD_SEXT)
            LANES t[i] = (u32)((i32)(p[i] << left) >> keep);
        else
            LANES t[i] = p[i] << left >> keep;
        p = t;
    }
    if (o->mods & (SIM_MOD_ABS | SIM_MOD_NEG)) {
        u32 sign = width == 16 ? 0x8000u : width == 64 && j == 0 ? 0 : 0x80000000u;
        u32 keep = o->mods & SIM_MOD_ABS ? ~sign : ~0u, flip = o->mods & SIM_MOD_NEG ? sign : 0;
        LANES t[i] = (p[i] & keep) ^ flip;
        p = t;
    }
    return p;
}

/* Source k (1..3), word j, as a row of 32-bit lanes. */
AI const u32 *src(struct sim_wave *w, const struct insn *in, int k, int j, int width)
{
    const struct operand *o = &in->o[k];
    if (likely(!o->slow)) {
        if (o->kind == SIM_KIND_ROW)
            return vrow(w, o->reg + j);
        if (o->kind == SIM_KIND_CONST)
            return o->rows + 64 * j;
        u32 *t = w->tmp[2 * (k - 1) + j], x = w->s[o->reg + j];
        LANES t[i] = x;
        return t;
    }
    return fetch(w, in, k, j, width);
}

/* MODE[7:6]: whether 16- and 64-bit denormals are read and written. */
enum { DENORM16_IN = 0x40, DENORM16_OUT = 0x80 };

FN const u32 *flush_half(u32 *d, const u32 *s)
{
    LANES d[i] = sim_f16_flush(s[i] & 0xffff);
    return d;
}

/* Source k as a row of floats, from half precision. */
FN const float *src_half(struct sim_wave *w, const struct insn *in, int k)
{
    const u32 *p = src(w, in, k, 0, 16);
    if (unlikely(!(w->mode & DENORM16_IN)))
        p = flush_half(w->tmp[2 * (k - 1)], p);
    float *t = (float *)w->tmp[2 * (k - 1) + 1];
    half_to_float(t, p);
    return t;
}

/* Signalling NaNs stay so on their way to a float and back: for instructions that choose an operand. */
AI float keep_signal1(float x, u32 half)
{
    u32 h = half & 0x7fff;
    return f32_of(bits_of(x) & (h > 0x7c00 && h < 0x7e00 ? ~0x400000u : ~0u));
}
FN const float *keep_signal(float *d, const u32 *s)
{
    LANES d[i] = keep_signal1(d[i], s[i]);
    return d;
}
FN const float *src_half_raw(struct sim_wave *w, const struct insn *in, int k)
{
    const float *f = src_half(w, in, k);
    return keep_signal((float *)f, src(w, in, k, 0, 16));
}

/* The host computes f64 in the modes of f32; where MODE tells them apart, f64 instructions change the
 * host's modes and back. */
AI bool split_modes(const struct sim_wave *w)
{
    return ((w->mode ^ w->mode >> 2) & 0x33) != 0;
}

/* A lane mask operand as 0 or ~0 a lane. */
FN const u32 *src_mask(struct sim_wave *w, const struct insn *in, int k)
{
    const struct operand *o = &in->o[k];
    u64 m = o->kind == SIM_KIND_CONST ? 0 : W == 64 ? (u64)w->s[o->reg] | (u64)w->s[o->reg + 1] << 32
                                                 : w->s[o->reg];
    if (o->kind == SIM_KIND_CONST)
        m = (u64)o->rows[0] | (u64)o->rows[64] << 32;
    u32 *t = w->tmp[2 * (k > 3 ? 2 : k - 1) + 1];
    unpack_mask(t, m);
    return t;
}

AI u64 s64_get(const struct sim_wave *w, unsigned r)
{
    return (u64)w->s[r] | (u64)w->s[r + 1] << 32;
}

AI u64 mask_get(const struct sim_wave *w, unsigned r)
{
    return W == 64 ? s64_get(w, r) : w->s[r];
}

AI u64 pack_bytes(const u8 *t)
{
    u64 m = 0;
#ifdef __AVX2__
    for (int k = 0; k < W / 32; k++) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(t + 32 * k));
        m |= (u64)(u32)_mm256_movemask_epi8(_mm256_slli_epi16(x, 7)) << (32 * k);
    }
#else
    for (int k = 0; k < W / 16; k++) {
        __m128i x = _mm_loadu_si128((const __m128i *)(t + 16 * k));
        m |= (u64)(u32)_mm_movemask_epi8(_mm_slli_epi16(x, 7)) << (16 * k);
    }
#endif
    return m;
}

AI void set_exec(struct sim_wave *w, u64 m)
{
    w->exec = W == 64 ? m : (u32)m;
    unpack_mask(w->erow, m);
    if (unlikely(w->exec & ~w->barrier_exec))
        sim_exec_grew(w, w->exec);
}

/* Writes a lane mask to a scalar destination. */
AI void put_mask(struct sim_wave *w, unsigned r, u64 m)
{
    w->s[r] = (u32)m;
    if (W == 64)
        w->s[r + 1] = (u32)(m >> 32);
    if (unlikely(r - SIM_S_EXEC < 2u))
        set_exec(w, mask_get(w, SIM_S_EXEC));
}

/* ---- destinations --------------------------------------------------------------------------------- */

enum finish { FK_BITS, FK_F32, FK_F64, FK_F16, FK_I16 };

/* Whether the result may go straight to the register. */
AI bool in_place(const struct sim_wave *w, const struct insn *in)
{
    return likely(w->exec == FULL && !in->dst);
}

AI u32 *dst(struct sim_wave *w, const struct insn *in, bool direct, int j)
{
    return direct ? vrow(w, in->o[0].reg + j) : w->tmp[TMP_D + j];
}

/* gfx12 applies the output modifier always; before that, IEEE mode or results with denormals turn it
 * off. It flushes denormals and makes -0 positive (CDNA3 ISA 6.2.2, RDNA4 ISA 7.2.3.1). */
FN unsigned omod_of(const struct sim_wave *w, const struct insn *in, unsigned denorm_out)
{
    if (w->prog->target->family->isa >= SIM_ISA_GFX12)
        return in->omod;
    return w->mode & denorm_out || w->mode & 0x200 ? 0 : in->omod;
}

/* Whether clamp turns NaN into 0: DX10_CLAMP, always on gfx12. */
FN bool clamps_nan(const struct sim_wave *w)
{
    return w->mode & 0x100 || w->prog->target->family->isa >= SIM_ISA_GFX12;
}

FN void clamp_row(const struct sim_wave *w, u32 *d)
{
    const bool nan = !clamps_nan(w);
    LANES {
        float v = f32_of(d[i]), x = v > 0 ? v : 0;
        x = x < 1 ? x : 1;
        d[i] = nan && v != v ? d[i] : bits_of(x);
    }
}

FN void scale_row(u32 *d, unsigned omod)
{
    const float m = omod == 1 ? 2 : omod == 2 ? 4 : 0.5f;
    LANES {
        u32 r = bits_of(f32_of(d[i]) * m);
        r = r & 0x7f800000 ? r : 0;
        d[i] = (d[i] & 0x7fffffff) > 0x7f800000 ? d[i] | 0x400000 : r;
    }
}

FN void modify(struct sim_wave *w, const struct insn *in, u32 *d)
{
    const unsigned omod = omod_of(w, in, 0x20);
    if (omod)
        scale_row(d, omod);
    if (in->clamp)
        clamp_row(w, d);
}

FN void modify64(struct sim_wave *w, const struct insn *in, u32 *lo, u32 *hi)
{
    const unsigned omod = omod_of(w, in, DENORM16_OUT);
    const bool nan = !clamps_nan(w);
    const double m = omod == 1 ? 2 : omod == 2 ? 4 : 0.5;
    for (int i = 0; i < W; i++) {
        u64 b = (u64)hi[i] << 32 | lo[i];
        double v = f64_of(b);
        if (omod) {
            b = v == v ? bits64_of(v * m) : b | 0x8000000000000;
            b = b & 0x7ff0000000000000 ? b : 0;
            v = f64_of(b);
        }
        if (in->clamp && (v == v || !nan))
            b = bits64_of(v > 0 ? v < 1 ? v : 1 : 0);
        lo[i] = (u32)b;
        hi[i] = (u32)(b >> 32);
    }
}

/* Moves the result from the temporary rows to the registers: omod, clamp, SDWA and half selection, lanes
 * that EXEC or DPP leave out. 16-bit results are bits in the low half of a row. */
FN void finish(struct sim_wave *w, const struct insn *in, int words, enum finish kind)
{
    u32 *lo = w->tmp[TMP_D], *hi = w->tmp[TMP_D + 1];
    const unsigned how = in->dst;
    if (how & (SIM_DST_OMOD | SIM_DST_CLAMP)) {
        if (kind == FK_F32)
            modify(w, in, lo);
        else if (kind == FK_F64)
            modify64(w, in, lo, hi);
    }
    const u32 *m = w->erow;
    u32 *dmask = w->tmp[TMP_X + 3];
    if (how & SIM_DST_DPP) {
        unpack_mask(dmask, w->exec & w->lane_mask);
        m = dmask;
    }
    u32 *d = vrow(w, in->o[0].reg);
    if (how & (SIM_DST_SDWA | SIM_DST_HI | SIM_DST_KEEP)) {
        unsigned sel = how & SIM_DST_HI ? SIM_SEL_WORD1 : SIM_SEL_WORD0, unused = 2;
        if (how & SIM_DST_SDWA) {
            sel = in->src->sdwa.dst_sel;
            unused = in->src->sdwa.dst_unused;
        }
        unsigned bits = sel == SIM_SEL_DWORD ? 32 : sel < SIM_SEL_WORD0 ? 8 : 16;
        unsigned sh = sel == SIM_SEL_DWORD ? 0 : sel < SIM_SEL_WORD0 ? 8 * sel : 16 * (sel - SIM_SEL_WORD0);
        u32 field = bits == 32 ? ~0u : (1u << bits) - 1;
        for (int i = 0; i < W; i++) {
            u32 x = (lo[i] & field) << sh, keep = d[i] & ~(field << sh);
            if (bits < 32 && unused == 0)
                keep = 0;
            else if (bits < 32 && unused == 1)
                keep = lo[i] >> (bits - 1) & 1 && sh + bits < 32 ? ~0u << (sh + bits) : 0;
            u32 r = x | keep;
            d[i] = (r & m[i]) | (d[i] & ~m[i]);
        }
        return;
    }
    LANES d[i] = (lo[i] & m[i]) | (d[i] & ~m[i]);
    if (words == 2) {
        u32 *dh = d + W;
        LANES dh[i] = (hi[i] & m[i]) | (dh[i] & ~m[i]);
    }
}

AI void done(struct sim_wave *w, const struct insn *in, bool direct, int words, enum finish kind)
{
    if (direct)
        return;
    if (w->exec == FULL && in->dst == SIM_DST_ALIAS) {
        u32 *d = vrow(w, in->o[0].reg);
        const u32 *t = w->tmp[TMP_D];
        for (int i = 0; i < W * words; i++)
            d[i] = i < W ? t[i] : w->tmp[TMP_D + 1][i - W];
        return;
    }
    finish(w, in, words, kind);
}

/* ---- NaN results ------------------------------------------------------------------------------------ */

/* An arithmetic result that is NaN is the first source that is NaN, made quiet; without one, the
 * positive quiet NaN. Sources null are left out. */
FN void nan_rule(u32 *d, const u32 *a, const u32 *b, const u32 *c)
{
    static const u32 none[W];
    a = a ? a : none;
    b = b ? b : none;
    c = c ? c : none;
    LANES
    {
        u32 r = 0x7fc00000;
        r = (c[i] & 0x7fffffff) > 0x7f800000 ? c[i] | 0x400000 : r;
        r = (b[i] & 0x7fffffff) > 0x7f800000 ? b[i] | 0x400000 : r;
        r = (a[i] & 0x7fffffff) > 0x7f800000 ? a[i] | 0x400000 : r;
        d[i] = (d[i] & 0x7fffffff) > 0x7f800000 ? r : d[i];
    }
}

AI bool nan64(u32 lo, u32 hi) { return (hi & 0x7fffffff) + (lo != 0) > 0x7ff00000; }
FN void nan_rule64(u32 *d, u32 *dh, const u32 *al, const u32 *ah, const u32 *bl, const u32 *bh,
                   const u32 *cl, const u32 *ch)
{
    static const u32 none[W];
    al = al ? al : none, ah = ah ? ah : none;
    bl = bl ? bl : none, bh = bh ? bh : none;
    cl = cl ? cl : none, ch = ch ? ch : none;
    LANES
    {
        const bool a = nan64(al[i], ah[i]), b = nan64(bl[i], bh[i]), c = nan64(cl[i], ch[i]), r = nan64(d[i], dh[i]);
        const u32 lo = a ? al[i] : b ? bl[i] : c ? cl[i] : 0;
        const u32 hi = a ? ah[i] : b ? bh[i] : c ? ch[i] : 0x7ff80000;
        d[i] = r ? lo : d[i];
        dh[i] = r ? hi | 0x80000 : dh[i];
    }
}

/* ---- types ------------------------------------------------------------------------------------------ */

#define T_U32 u32
#define T_I32 i32
#define T_F32 float
#define T_F32N float
#define T_U64 u64
#define T_I64 i64
#define T_F64 double
#define T_F64N double
#define T_U16 u32
#define T_I16 i32
#define T_F16 float
#define T_F16N float
#define T_F16S float
#define T_MASK u32

#define SRC32(k) const u32 *s##k = src(w, in, k, 0, 32);
/* 64-bit lanes are paired up first, so that the loop over them is plain. */
#define SRC64(k)                                                                                   \
    const u32 *s##k = src(w, in, k, 0, 64), *t##k = src(w, in, k, 1, 64);                          \
    u64 q##k[W] __attribute__((aligned(64)));                                                      \
    pair_words(q##k, s##k, t##k);
#define SRC_U32 SRC32
#define SRC_I32 SRC32
#define SRC_F32 SRC32
#define SRC_U64 SRC64
#define SRC_I64 SRC64
#define SRC_F64 SRC64
#define SRC_U16(k) const u32 *s##k = src(w, in, k, 0, 16);
#define SRC_I16 SRC_U16
#define SRC_F16(k) const float *s##k = src_half(w, in, k);
#define SRC_F16S(k) const float *s##k = src_half_raw(w, in, k);
#define SRC_MASK(k) const u32 *s##k = src_mask(w, in, k);

#define GET_U32(k) s##k[i]
#define GET_I32(k) (i32)s##k[i]
#define GET_F32(k) f32_of(s##k[i])
#define GET_U64(k) q##k[i]
#define GET_I64(k) (i64)q##k[i]
#define GET_F64(k) f64_of(q##k[i])
#define GET_U16(k) (s##k[i] & 0xffff)
#define GET_I16(k) (i32)(i16)s##k[i]
#define GET_F16(k) s##k[i]
#define GET_F16S(k) s##k[i]
#define GET_MASK(k) s##k[i]

/* As nan_rule wants them: the row of a 32-bit source, or null. */
#define NAN_U32(k) NULL
#define NAN_I32(k) NULL
#define NAN_U16(k) NULL
#define NAN_I16(k) NULL
#define NAN_F32(k) s##k
#define NAN_F64(k) s##k, t##k
#define NAN64_F64(k) s##k, t##k
#define NAN64_I32(k) NULL, NULL
#define NAN64_U32(k) NULL, NULL
#define NAN_F16(k) (const u32 *)s##k

#define DST32 const bool direct = in_place(w, in); u32 *d = dst(w, in, direct, 0);
#define DST64 DST32 u32 *dh = dst(w, in, direct, 1); u64 r64[W] __attribute__((aligned(64)));
#define DST_U32 DST32
#define DST_I32 DST32
#define DST_F32 DST32
#define DST_F32N DST32
#define DST_U64 DST64
#define DST_I64 DST64
#define DST_F64 DST64 ENTER_F64
#define DST_F64N DST_F64
#define ENTER_F64                                                                                  \
    const bool split = unlikely(split_modes(w));                                                   \
    if (split)                                                                                     \
        sim_host_mode64(w);
#define LEAVE_F64                                                                                  \
    if (split)                                                                                     \
        sim_host_mode(w);
#define DST_U16 u32 *d = w->tmp[TMP_D];
#define DST_I16 DST_U16
#define DST_F16 float *d = (float *)w->tmp[TMP_X];
#define DST_F16N DST_F16
#define DST_F16S DST_F16

#define PUT_U32 d[i] = r_;
#define PUT_I32 d[i] = (u32)r_;
#define PUT_F32 d[i] = bits_of(r_);
#define PUT_F32N PUT_F32
#define PUT_U64 r64[i] = r_;
#define PUT_I64 r64[i] = (u64)r_;
#define PUT_F64 r64[i] = bits64_of(r_);
#define PUT_F64N PUT_F64
#define PUT_U16 d[i] = r_ & 0xffff;
#define PUT_I16 d[i] = (u32)r_ & 0xffff;
#define PUT_F16 d[i] = r_;
#define PUT_F16S d[i] = r_;
#define PUT_F16N PUT_F16

#define DONE_U32(...) done(w, in, direct, 1, FK_BITS);
#define DONE_I32 DONE_U32
#define DONE_F32(...) done(w, in, direct, 1, FK_F32);
#define DONE_U64(...) done(w, in, direct, 2, FK_BITS);
#define DONE_I64 DONE_U64
#define DONE_F64(...) done(w, in, direct, 2, FK_F64); LEAVE_F64
#define DONE_U16(...) done(w, in, false, 1, FK_I16);
#define DONE_I16 DONE_U16
#define DONE_F16(...) done_half(w, in, d, false);
#define DONE_F16S(...) done_half(w, in, d, true);

/* MODE.FP16_OVFL: a result that is too large becomes the largest number; infinities stay. */
AI bool saturates(const struct sim_wave *w) { return w->mode >> 23 & 1; }

/* Rounds a row of floats to halves in d. raw: signalling NaNs stay so. */
FN void round_halves(const struct sim_wave *w, u32 *d, float *s, bool raw)
{
    float_to_half(d, s, w->mode >> 2 & 3);
    if (unlikely(!(w->mode & DENORM16_OUT)))
        flush_half(d, d);
    if (unlikely(saturates(w)))
        LANES d[i] -= (d[i] & 0x7fff) == 0x7c00 && (bits_of(s[i]) & 0x7fffffff) < 0x7f800000;
    if (raw)
        LANES {
            u32 f = bits_of(s[i]) & 0x7fffffff;
            d[i] &= f > 0x7f800000 && f < 0x7fc00000 ? ~0x200u : ~0u;
        }
}

/* Clamp and output modifier of halves that float_to_half has made; s is scratch. */
FN void modify_halves(struct sim_wave *w, const struct insn *in, u32 *d, float *s)
{
    const unsigned omod = in->omod ? omod_of(w, in, DENORM16_OUT) : 0;
    half_to_float(s, d);
    if (omod) {
        scale_row((u32 *)s, omod);
        float_to_half(d, s, w->mode >> 2 & 3);
        LANES d[i] = d[i] & 0x7c00 ? d[i] : 0;
        half_to_float(s, d);
    }
    if (in->clamp)
        clamp_row(w, (u32 *)s);
    float_to_half(d, s, SIM_RNE);
}

FN void done_half(struct sim_wave *w, const struct insn *in, float *d, bool raw)
{
    const bool direct = in_place(w, in);
    u32 *t = direct ? vrow(w, in->o[0].reg) : w->tmp[TMP_D];
    round_halves(w, t, d, raw);
    if (direct)
        return;
    if (in->omod || in->clamp)
        modify_halves(w, in, t, d);
    finish(w, in, 1, FK_F16);
}

/* ---- bodies ------------------------------------------------------------------------------------------ */

#define D (*D_)
#define LANE i_
#define CLAMP (in->clamp)
#define IN in
#define WAVE w
#define IEEE (w->ieee)

#define BODY_OF(dt) struct sim_wave *w, const struct insn *in, int i_, T_##dt *D_

#define SIM_SECTION CAT(sim_bodies_, SIM_TABLE)
#define REGISTER(name, dt, n, fl, ...)                                                             \
    static const struct sim_body e_##name = {#name, h_##name, SIM_DT_##dt, n, fl, {__VA_ARGS__}};  \
    static const struct sim_body *const p_##name                                                   \
        __attribute__((used, section(STR(SIM_SECTION)))) = &e_##name;

#define HANDLER(name) static const struct insn *h_##name(struct sim_wave *w, const struct insn *in)

#define INSN_1(name, dt, fl, a)                                                                        \
    AI void b_##name(BODY_OF(dt), T_##a S0);                                                       \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        SRC_##a(1) DST_##dt                                                                        \
        LANES { T_##dt r_; b_##name(w, in, i, &r_, GET_##a(1)); PUT_##dt }                         \
        FIX1_##dt(a) DONE_##dt()                                                                   \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, dt, 1, fl, SIM_DT_##a)                                                                       \
    AI void b_##name(BODY_OF(dt), T_##a S0)

#define INSN_2(name, dt, fl, a, b)                                                                     \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1);                                             \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        SRC_##a(1) SRC_##b(2) DST_##dt                                                             \
        LANES { T_##dt r_; b_##name(w, in, i, &r_, GET_##a(1), GET_##b(2)); PUT_##dt }             \
        FIX2_##dt(a, b) DONE_##dt()                                                                \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, dt, 2, fl, SIM_DT_##a, SIM_DT_##b)                                                                       \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1)

#define INSN_3(name, dt, fl, a, b, c)                                                                  \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1, T_##c S2);                                   \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        SRC_##a(1) SRC_##b(2) SRC_##c(3) DST_##dt                                                  \
        LANES                                                                                      \
        {                                                                                          \
            T_##dt r_;                                                                             \
            b_##name(w, in, i, &r_, GET_##a(1), GET_##b(2), GET_##c(3));                           \
            PUT_##dt                                                                               \
        }                                                                                          \
        FIX3_##dt(a, b, c) DONE_##dt()                                                             \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, dt, 3, fl, SIM_DT_##a, SIM_DT_##b, SIM_DT_##c)                                                                       \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1, T_##c S2)

#define COUNT_(a, b, c, d, n, ...) n
#define COUNT(...) COUNT_(__VA_ARGS__, 4, 3, 2, 1, 0)
#define INSN(name, dt, ...) CAT(INSN_, COUNT(__VA_ARGS__))(name, dt, 0, __VA_ARGS__)
/* The same with SIM_BODY_* flags. */
#define INSN_F(name, dt, fl, ...) CAT(INSN_, COUNT(__VA_ARGS__))(name, dt, fl, __VA_ARGS__)

#define FIXNONE1(a)
#define FIXNONE2(a, b)
#define FIXNONE3(a, b, c)
#define FIX1_U32 FIXNONE1
#define FIX2_U32 FIXNONE2
#define FIX3_U32 FIXNONE3
#define FIX1_I32 FIXNONE1
#define FIX2_I32 FIXNONE2
#define FIX3_I32 FIXNONE3
#define FIX1_F32 FIXNONE1
#define FIX2_F32 FIXNONE2
#define FIX3_F32 FIXNONE3
#define FIX1_U64(a) split_words(d, dh, r64);
#define FIX2_U64(a, b) split_words(d, dh, r64);
#define FIX3_U64(a, b, c) split_words(d, dh, r64);
#define FIX1_I64(a) split_words(d, dh, r64);
#define FIX2_I64(a, b) split_words(d, dh, r64);
#define FIX3_I64(a, b, c) split_words(d, dh, r64);
#define FIX1_F64(a) split_words(d, dh, r64);
#define FIX2_F64(a, b) split_words(d, dh, r64);
#define FIX3_F64(a, b, c) split_words(d, dh, r64);
#define FIX1_U16 FIXNONE1
#define FIX2_U16 FIXNONE2
#define FIX3_U16 FIXNONE3
#define FIX1_I16 FIXNONE1
#define FIX2_I16 FIXNONE2
#define FIX3_I16 FIXNONE3
#define FIX1_F16S FIXNONE1
#define FIX2_F16S FIXNONE2
#define FIX3_F16S FIXNONE3
#define FIX1_F16 FIXNONE1
#define FIX2_F16 FIXNONE2
#define FIX3_F16 FIXNONE3
#define FIX1_F32N(a) if (unlikely(any_nan(d))) nan_rule(d, NAN_##a(1), NULL, NULL);
#define FIX2_F32N(a, b) if (unlikely(any_nan(d))) nan_rule(d, NAN_##a(1), NAN_##b(2), NULL);
#define FIX3_F32N(a, b, c) if (unlikely(any_nan(d))) nan_rule(d, NAN_##a(1), NAN_##b(2), NAN_##c(3));
#define FIX1_F16N(a) if (unlikely(any_nan((const u32 *)d))) nan_rule((u32 *)d, NAN_##a(1), NULL, NULL);
#define FIX2_F16N(a, b) if (unlikely(any_nan((const u32 *)d))) nan_rule((u32 *)d, NAN_##a(1), NAN_##b(2), NULL);
#define FIX3_F16N(a, b, c)                                                                         \
    if (unlikely(any_nan((const u32 *)d))) nan_rule((u32 *)d, NAN_##a(1), NAN_##b(2), NAN_##c(3));
#define FIX1_F64N(a) split_words(d, dh, r64); if (unlikely(any_nan64(r64))) nan_rule64(d, dh, NAN64_##a(1), NULL, NULL, NULL, NULL);
#define FIX2_F64N(a, b) split_words(d, dh, r64); if (unlikely(any_nan64(r64))) nan_rule64(d, dh, NAN64_##a(1), NAN64_##b(2), NULL, NULL);
#define FIX3_F64N(a, b, c) split_words(d, dh, r64); if (unlikely(any_nan64(r64))) nan_rule64(d, dh, NAN64_##a(1), NAN64_##b(2), NAN64_##c(3));
#define DONE_F32N DONE_F32
#define DONE_F64N DONE_F64
#define DONE_F16N DONE_F16

/* ---- compares: CMP(lt_f32, F32, F32) { D = S0 < S1; } makes v_cmp_lt_f32 and v_cmpx_lt_f32 -------- */

AI u64 written_lanes(const struct sim_wave *w, const struct insn *in)
{
    return in->dst & SIM_DST_DPP ? w->exec & w->lane_mask : w->exec;
}

AI void put_cmpx(struct sim_wave *w, const struct insn *in, u64 m)
{
    if (w->prog->gfx9 && in->o[0].kind == SIM_KIND_S)
        put_mask(w, in->o[0].reg, m);
    set_exec(w, m);
}

#define CMP_ENTER_F64 ENTER_F64
#define CMP_LEAVE_F64 LEAVE_F64
#define CMP_ENTER_U32
#define CMP_LEAVE_U32
#define CMP_ENTER_I32
#define CMP_LEAVE_I32
#define CMP_ENTER_F32
#define CMP_LEAVE_F32
#define CMP_ENTER_U64
#define CMP_LEAVE_U64
#define CMP_ENTER_I64
#define CMP_LEAVE_I64
#define CMP_ENTER_U16
#define CMP_LEAVE_U16
#define CMP_ENTER_I16
#define CMP_LEAVE_I16
#define CMP_ENTER_F16
#define CMP_LEAVE_F16
#define CMP(name, a, b)                                                                            \
    AI void c_##name(struct sim_wave *w, const struct insn *in, u8 *D_, T_##a S0, T_##b S1);       \
    static inline u64 m_##name(struct sim_wave *w, const struct insn *in)                          \
    {                                                                                              \
        u8 t[W] __attribute__((aligned(64)));                                                      \
        SRC_##a(1) SRC_##b(2) CMP_ENTER_##a                                                        \
        LANES c_##name(w, in, &t[i], GET_##a(1), GET_##b(2));                                      \
        CMP_LEAVE_##a                                                                              \
        return pack_bytes(t) & written_lanes(w, in);                                               \
    }                                                                                              \
    HANDLER(v_cmp_##name)                                                                          \
    {                                                                                              \
        put_mask(w, in->o[0].reg, m_##name(w, in));                                                \
        return in + 1;                                                                             \
    }                                                                                              \
    HANDLER(v_cmpx_##name)                                                                         \
    {                                                                                              \
        put_cmpx(w, in, m_##name(w, in));                                                          \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(v_cmp_##name, MASK, 2, 0, SIM_DT_##a, SIM_DT_##b)                                                             \
    REGISTER(v_cmpx_##name, MASK, 2, SIM_BODY_CMPX, SIM_DT_##a, SIM_DT_##b)                                                \
    AI void c_##name(struct sim_wave *w, const struct insn *in, u8 *D_, T_##a S0, T_##b S1)

/* ---- packed 16-bit: PK(v_pk_add_f16, F16N, F16, F16) { D = S0 + S1; } ------------------------------ */

/* Half `hi` of result: which half of the source, its sign. */
FN const u32 *pk_bits(struct sim_wave *w, const struct insn *in, int k, int hi, bool is_float)
{
    const struct operand *o = &in->o[k];
    u32 *t = w->tmp[2 * (k - 1)];
    const u32 *p = t;
    if (o->kind == SIM_KIND_ROW)
        p = vrow(w, o->reg);
    else if (o->kind == SIM_KIND_CONST)
        p = o->rows;
    else
        broadcast(t, w->s[o->reg]);
    const int sh = o->opsel >> hi & 1 ? 16 : 0;
    const u32 flip = is_float && o->opsel >> (2 + hi) & 1 ? 0x8000 : 0;
    u32 *r = w->tmp[2 * (k - 1) + 1];
    LANES r[i] = (p[i] >> sh & 0xffff) ^ flip;
    return r;
}

FN const float *pk_half(struct sim_wave *w, const struct insn *in, int k, int hi, bool raw)
{
    const u32 *p = pk_bits(w, in, k, hi, true);
    if (unlikely(!(w->mode & DENORM16_IN)))
        p = flush_half((u32 *)p, p);
    float *t = (float *)w->tmp[2 * (k - 1)];
    half_to_float(t, p);
    return raw ? keep_signal(t, p) : t;
}

#define PKSRC_F16(k) const float *s##k = pk_half(w, in, k, hi, false);
#define PKSRC_F16S(k) const float *s##k = pk_half(w, in, k, hi, true);
#define PKSRC_U16(k) const u32 *s##k = pk_bits(w, in, k, hi, false);
#define PKSRC_I16 PKSRC_U16
#define PKDST_F16 float *d = (float *)w->tmp[TMP_X];
#define PKDST_F16N PKDST_F16
#define PKDST_F16S PKDST_F16
#define PKDST_U16 u32 *d = w->tmp[TMP_X];
#define PKDST_I16 PKDST_U16
#define PKDONE_F16 pk_done_half(w, in, d, hi, false);
#define PKDONE_F16S pk_done_half(w, in, d, hi, true);
#define PKDONE_F16N PKDONE_F16
#define PKDONE_U16 pk_done(w, in, d, hi);
#define PKDONE_I16 PKDONE_U16

FN void pk_done(struct sim_wave *w, const struct insn *in, const u32 *d, int hi)
{
    u32 *t = w->tmp[TMP_D];
    if (!hi)
        LANES t[i] = d[i] & 0xffff;
    else
        LANES t[i] |= d[i] << 16;
    if (!hi)
        return;
    if (w->exec == FULL) {
        u32 *o = vrow(w, in->o[0].reg);
        LANES o[i] = t[i];
        return;
    }
    u32 *o = vrow(w, in->o[0].reg);
    const u32 *m = w->erow;
    LANES o[i] = (t[i] & m[i]) | (o[i] & ~m[i]);
}

FN void pk_done_half(struct sim_wave *w, const struct insn *in, float *d, int hi, bool raw)
{
    u32 *t = w->tmp[TMP_X + 1];
    round_halves(w, t, d, raw);
    if (in->clamp)
        modify_halves(w, in, t, d);
    pk_done(w, in, t, hi);
}

#define PK_1(name, dt, a)                                                                          \
    AI void b_##name(BODY_OF(dt), T_##a S0);                                                       \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        for (int hi = 0; hi < 2; hi++) {                                                           \
            PKSRC_##a(1) PKDST_##dt                                                                \
            LANES { T_##dt r_; b_##name(w, in, i, &r_, GET_##a(1)); PUT_##dt }                     \
            FIX1_##dt(a) PKDONE_##dt                                                               \
        }                                                                                          \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, dt, 1, SIM_BODY_PACKED, SIM_DT_##a)                                                         \
    AI void b_##name(BODY_OF(dt), T_##a S0)

#define PK_2(name, dt, a, b)                                                                       \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1);                                             \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        for (int hi = 0; hi < 2; hi++) {                                                           \
            PKSRC_##a(1) PKSRC_##b(2) PKDST_##dt                                                   \
            LANES { T_##dt r_; b_##name(w, in, i, &r_, GET_##a(1), GET_##b(2)); PUT_##dt }         \
            FIX2_##dt(a, b) PKDONE_##dt                                                            \
        }                                                                                          \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, dt, 2, SIM_BODY_PACKED, SIM_DT_##a, SIM_DT_##b)                                                         \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1)

#define PK_3(name, dt, a, b, c)                                                                    \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1, T_##c S2);                                   \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        for (int hi = 0; hi < 2; hi++) {                                                           \
            PKSRC_##a(1) PKSRC_##b(2) PKSRC_##c(3) PKDST_##dt                                      \
            LANES                                                                                  \
            {                                                                                      \
                T_##dt r_;                                                                         \
                b_##name(w, in, i, &r_, GET_##a(1), GET_##b(2), GET_##c(3));                       \
                PUT_##dt                                                                           \
            }                                                                                      \
            FIX3_##dt(a, b, c) PKDONE_##dt                                                         \
        }                                                                                          \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, dt, 3, SIM_BODY_PACKED, SIM_DT_##a, SIM_DT_##b, SIM_DT_##c)                                                         \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1, T_##c S2)

#define PK(name, dt, ...) CAT(PK_, COUNT(__VA_ARGS__))(name, dt, __VA_ARGS__)

/* ---- packed 32-bit: PK32(v_pk_add_f32, F32, F32) { D = S0 + S1; } ---------------------------------- */

/* Source of result half hi of a packed 32-bit instruction: op_sel chooses the register of the pair; a
 * scalar pair or a constant likewise. A constant has one word, read by both halves. */
AI const u32 *pk_word(struct sim_wave *w, const struct insn *in, int k, int hi)
{
    const struct operand *o = &in->o[k];
    const int j = o->opsel >> hi & 1;
    const u32 flip = o->opsel >> (2 + hi) & 1 ? 0x80000000u : 0;
    const u32 *p;
    u32 *t = w->tmp[2 * (k - 1) + hi];
    if (likely(o->kind == SIM_KIND_ROW))
        p = vrow(w, o->reg + j);
    else if (o->kind == SIM_KIND_CONST)
        p = o->rows + (o->words > 1 ? 64 * j : 0);
    else {
        broadcast(t, w->s[o->reg + j]);
        p = t;
    }
    if (unlikely(flip)) {
        LANES t[i] = p[i] ^ flip;
        p = t;
    }
    return p;
}

#define PK32_2(name, dt, a, b)                                                                     \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1);                                             \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        const bool direct = in_place(w, in);                                                       \
        for (int hi = 0; hi < 2; hi++) {                                                           \
            const u32 *s1 = pk_word(w, in, 1, hi), *s2 = pk_word(w, in, 2, hi);                    \
            u32 *d = dst(w, in, direct, hi);                                                       \
            LANES { T_##dt r_; b_##name(w, in, i, &r_, GET_##a(1), GET_##b(2)); PUT_##dt }         \
            FIX2_##dt(a, b)                                                                        \
        }                                                                                          \
        if (!direct)                                                                               \
            pk32_done(w, in);                                                                      \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, dt, 2, SIM_BODY_PACKED, SIM_DT_##a, SIM_DT_##b)                                                         \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1)

#define PK32_3(name, dt, a, b, c)                                                                  \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1, T_##c S2);                                   \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        const bool direct = in_place(w, in);                                                       \
        for (int hi = 0; hi < 2; hi++) {                                                           \
            const u32 *s1 = pk_word(w, in, 1, hi), *s2 = pk_word(w, in, 2, hi),                    \
                      *s3 = pk_word(w, in, 3, hi);                                                 \
            u32 *d = dst(w, in, direct, hi);                                                       \
            LANES                                                                                  \
            {                                                                                      \
                T_##dt r_;                                                                         \
                b_##name(w, in, i, &r_, GET_##a(1), GET_##b(2), GET_##c(3));                       \
                PUT_##dt                                                                           \
            }                                                                                      \
            FIX3_##dt(a, b, c)                                                                     \
        }                                                                                          \
        if (!direct)                                                                               \
            pk32_done(w, in);                                                                      \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, dt, 3, SIM_BODY_PACKED, SIM_DT_##a, SIM_DT_##b, SIM_DT_##c)                                                         \
    AI void b_##name(BODY_OF(dt), T_##a S0, T_##b S1, T_##c S2)

#define PK32(name, dt, ...) CAT(PK32_, COUNT(__VA_ARGS__))(name, dt, __VA_ARGS__)

AI void pk32_done(struct sim_wave *w, const struct insn *in)
{
    u32 *d = vrow(w, in->o[0].reg);
    const u32 *t = w->tmp[TMP_D];
    if (likely(w->exec == FULL && !in->clamp)) {
        for (int i = 0; i < W; i++)
            d[i] = t[i];
        for (int i = 0; i < W; i++)
            d[W + i] = w->tmp[TMP_D + 1][i];
        return;
    }
    for (int h = 0; h < 2; h++) {
        u32 *x = w->tmp[TMP_D + h];
        if (in->clamp)
            clamp_row(w, x);
        u32 *o = d + W * h;
        const u32 *m = w->erow;
        LANES o[i] = (x[i] & m[i]) | (o[i] & ~m[i]);
    }
}

/* ---- scalar: SINSN(s_add_u32, S32, S32, S32) { ... D = ...; SCC = ...; } --------------------------- */

#define SCC (w->scc)

AI u32 get_S32(struct sim_wave *w, const struct operand *o)
{
    if (likely(o->kind == SIM_KIND_S))
        return w->s[o->reg];
    return o->kind == SIM_KIND_CONST ? (u32)o->val : sim_special(w, o->reg);
}

AI u64 get_S64(struct sim_wave *w, const struct operand *o)
{
    if (likely(o->kind == SIM_KIND_S))
        return s64_get(w, o->reg);
    return o->kind == SIM_KIND_CONST ? o->val : sim_special(w, o->reg);
}

AI void put_S32(struct sim_wave *w, const struct insn *in, u32 x)
{
    unsigned r = in->o[0].reg;
    w->s[r] = x;
    if (unlikely(r - SIM_S_EXEC < 2u))
        set_exec(w, w->exec);
}

AI void put_S64(struct sim_wave *w, const struct insn *in, u64 x)
{
    unsigned r = in->o[0].reg;
    w->s[r] = (u32)x;
    w->s[r + 1] = (u32)(x >> 32);
    if (unlikely(r - SIM_S_EXEC < 2u))
        set_exec(w, w->exec);
}

#define T_S32 u32
#define T_S64 u64

#define SINSN_1(name, dt, a)                                                                       \
    AI void b_##name(struct sim_wave *w, const struct insn *in, T_##dt *D_, T_##a S0);             \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        T_##dt r_ = 0;                                                                             \
        b_##name(w, in, &r_, get_##a(w, &in->o[1]));                                               \
        put_##dt(w, in, r_);                                                                       \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, dt, 1, SIM_BODY_SCALAR)                                                         \
    AI void b_##name(struct sim_wave *w, const struct insn *in, T_##dt *D_, T_##a S0)

#define SINSN_2(name, dt, a, b)                                                                    \
    AI void b_##name(struct sim_wave *w, const struct insn *in, T_##dt *D_, T_##a S0, T_##b S1);   \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        T_##dt r_ = 0;                                                                             \
        b_##name(w, in, &r_, get_##a(w, &in->o[1]), get_##b(w, &in->o[2]));                        \
        put_##dt(w, in, r_);                                                                       \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, dt, 2, SIM_BODY_SCALAR)                                                         \
    AI void b_##name(struct sim_wave *w, const struct insn *in, T_##dt *D_, T_##a S0, T_##b S1)

#define SINSN(name, dt, ...) CAT(SINSN_, COUNT(__VA_ARGS__))(name, dt, __VA_ARGS__)

/* SCMP(s_cmp_eq_i32, S32, S32) { SCC = S0 == S1; } */
#define SCMP(name, a, b)                                                                           \
    AI void b_##name(struct sim_wave *w, const struct insn *in, T_##a S0, T_##b S1);               \
    HANDLER(name)                                                                                  \
    {                                                                                              \
        b_##name(w, in, get_##a(w, &in->o[1]), get_##b(w, &in->o[2]));                             \
        return in + 1;                                                                             \
    }                                                                                              \
    REGISTER(name, NONE, 2, SIM_BODY_SCALAR)                                                       \
    AI void b_##name(struct sim_wave *w, const struct insn *in, T_##a S0, T_##b S1)

/* A handler written out: HAND(name, types, sources, flags) { ...; return in + 1; } */
#define HAND(name, dt, n, fl)                                                                      \
    HANDLER(name);                                                                                 \
    REGISTER(name, dt, n, fl)                                                                      \
    HANDLER(name)

/* Another name for a handler defined above. */
#define ALIAS(name, of)                                                                            \
    static const struct sim_body a_##name = {#name, h_##of, SIM_DT_ALIAS, 0, 0};                   \
    static const struct sim_body *const q_##name                                                   \
        __attribute__((used, section(STR(SIM_SECTION)))) = &a_##name;

/* ---- control -------------------------------------------------------------------------------------------- */

/* Closes the straight run that ends with `in`, for the counts. */
AI void close_run(struct sim_wave *w, const struct insn *in)
{
    const struct insn *first = w->prog->insn;
    w->diff[w->run - first]++;
    w->diff[in - first + 1]--;
    w->budget -= in - w->run + 1;
}

AI const struct insn *jump(struct sim_wave *w, const struct insn *in, const struct insn *to)
{
    close_run(w, in);
    w->run = to;
    if (unlikely(w->budget <= 0)) {
        w->pc = to;
        return NULL;
    }
    return to;
}

AI const struct insn *stop(struct sim_wave *w, const struct insn *in, enum sim_state state)
{
    close_run(w, in);
    w->state = state;
    w->pc = w->run = in + 1;
    return NULL;
}

#endif
