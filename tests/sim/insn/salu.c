/* SPDX-License-Identifier: MIT */
/*
 * Scalar ALU: every SOP1, SOP2, SOPC and SOPK operation with registers, VCC, EXEC, inline
 * constants, literals and source = destination, SCC in and out, EXEC where an operation writes it.
 * References: CDNA3/CDNA4 ISA guides, SALU chapters.
 */
#include "insn.h"
#include "ref_float.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sl {
    uint64_t s[2], d, exec;
    bool scc;
    int16_t imm;
};

typedef void salu_ref(struct sl *l);

enum sform { SOP1, SOP2, SOPC, SOPK };
enum { SF_ACC = 1,     /* reads the destination */
       SF_EXEC = 2,    /* writes EXEC */
       SF_DST_SRC = 4, /* SOPK compare: the register is a source */
       SF_UNSIGNED_K = 8,
       SF_F32 = 16,    /* values of floats */
       SF_F16 = 32 };

struct srow {
    const char *name;
    enum sform form;
    int d, s0, s1; /* bits: 0 32 64 */
    salu_ref *ref;
    unsigned flags, targets;
};

#define REF(name) static void name(struct sl *l)
#define A ((uint32_t)l->s[0])
#define B ((uint32_t)l->s[1])
#define IA ((int32_t)l->s[0])
#define IB ((int32_t)l->s[1])
#define A64 (l->s[0])
#define B64 (l->s[1])
#define NZ32 (l->scc = (uint32_t)l->d != 0)
#define NZ64 (l->scc = l->d != 0)
#define OP32(name, expr) REF(name##_b32) { l->d = (uint32_t)(expr); NZ32; }
#define OP64(name, expr) REF(name##_b64) { l->d = (expr); NZ64; }

REF(mov) { l->d = l->s[0]; }
REF(cmov) { if (l->scc) l->d = l->s[0]; }
OP32(not_, ~A) OP64(not_, ~A64)
OP32(and_, A & B) OP64(and_, A64 & B64)
OP32(or_, A | B) OP64(or_, A64 | B64)
OP32(xor_, A ^ B) OP64(xor_, A64 ^ B64)
OP32(andn2, A & ~B) OP64(andn2, A64 & ~B64)
OP32(orn2, A | ~B) OP64(orn2, A64 | ~B64)
OP32(nand, ~(A & B)) OP64(nand, ~(A64 & B64))
OP32(nor, ~(A | B)) OP64(nor, ~(A64 | B64))
OP32(xnor, ~(A ^ B)) OP64(xnor, ~(A64 ^ B64))
OP32(lshl, A << (B & 31)) OP64(lshl, A64 << (B & 63))
OP32(lshr, A >> (B & 31)) OP64(lshr, A64 >> (B & 63))
OP32(ashr, IA >> (B & 31)) OP64(ashr, (uint64_t)((int64_t)A64 >> (B & 63)))
REF(bfm32) { l->d = (uint32_t)(((1ull << (A & 31)) - 1) << (B & 31)); }
REF(bfm64) { l->d = ((1ull << (A & 63)) - 1) << (B & 63); }

static uint64_t wqm(uint64_t x, int bits)
{
    uint64_t r = 0;
    for (int i = 0; i < bits; i++)
        r |= (uint64_t)((x >> (i & 60) & 15) != 0) << i;
    return r;
}
OP32(wqm, wqm(A, 32)) OP64(wqm, wqm(A64, 64))
static uint64_t quadmask(uint64_t x, int bits)
{
    uint64_t r = 0;
    for (int i = 0; i < bits / 4; i++)
        r |= (uint64_t)((x >> i * 4 & 15) != 0) << i;
    return r;
}
OP32(quadmask, quadmask(A, 32)) OP64(quadmask, quadmask(A64, 64))
static uint64_t reversed(uint64_t x, int bits)
{
    uint64_t r = 0;
    for (int i = 0; i < bits; i++)
        r |= (x >> i & 1) << (bits - 1 - i);
    return r;
}
REF(brev32) { l->d = reversed(A, 32); }
REF(brev64) { l->d = reversed(A64, 64); }
OP32(bcnt0_32, 32 - __builtin_popcount(A)) OP32(bcnt0_64, 64 - __builtin_popcountll(A64))
OP32(bcnt1_32, __builtin_popcount(A)) OP32(bcnt1_64, __builtin_popcountll(A64))
static uint32_t first(uint64_t x, int bits)
{
    for (int i = 0; i < bits; i++)
        if (x >> i & 1)
            return (uint32_t)i;
    return ~0u;
}
REF(ff0_32) { l->d = first(~A, 32); }
REF(ff0_64) { l->d = first(~A64, 64); }
REF(ff1_32) { l->d = first(A, 32); }
REF(ff1_64) { l->d = first(A64, 64); }
REF(flbit32) { l->d = first(reversed(A, 32), 32); }
REF(flbit64) { l->d = first(reversed(A64, 64), 64); }
/* Bits equal to the sign bit, from the top; -1 if all are. */
REF(flbit_i32) { l->d = first(reversed(IA < 0 ? ~A : A, 32), 32); }
REF(flbit_i64) { l->d = first(reversed((int64_t)A64 < 0 ? ~A64 : A64, 64), 64); }
REF(sext8) { l->d = (uint32_t)(int8_t)A; }
REF(sext16) { l->d = (uint32_t)(int16_t)A; }
REF(bitset0_32) { l->d &= ~(1u << (A & 31)); }
REF(bitset1_32) { l->d |= 1u << (A & 31); }
REF(bitset0_64) { l->d &= ~(1ull << (A & 63)); }
REF(bitset1_64) { l->d |= 1ull << (A & 63); }
REF(abs_) { l->d = IA < 0 ? -A : A; NZ32; }
REF(bitreplicate)
{
    l->d = 0;
    for (int i = 0; i < 32; i++)
        l->d |= (uint64_t)(A >> i & 1) * 3 << 2 * i;
}
#define SAVEEXEC(name, expr)                                                                  \
    REF(name##_save) { uint64_t e = l->exec; l->exec = (expr); l->d = e; l->scc = l->exec != 0; }
SAVEEXEC(and_, A64 & e) SAVEEXEC(or_, A64 | e) SAVEEXEC(xor_, A64 ^ e) SAVEEXEC(andn2, A64 & ~e)
SAVEEXEC(orn2, A64 | ~e) SAVEEXEC(nand, ~(A64 & e)) SAVEEXEC(nor, ~(A64 | e))
SAVEEXEC(xnor, ~(A64 ^ e))
SAVEEXEC(andn1, ~A64 & e) SAVEEXEC(orn1, ~A64 | e)
REF(andn1_wr) { l->d = l->exec = ~A64 & l->exec; l->scc = l->exec != 0; }
REF(andn2_wr) { l->d = l->exec = A64 & ~l->exec; l->scc = l->exec != 0; }

/* The 32-bit forms of wave32. */
#define SAVEEXEC32(name, expr)                                                                \
    REF(name##_save32)                                                                        \
    {                                                                                         \
        uint32_t e = (uint32_t)l->exec;                                                       \
        l->exec = (uint32_t)(expr);                                                           \
        l->d = e;                                                                             \
        l->scc = l->exec != 0;                                                                \
    }
SAVEEXEC32(and_, A & e) SAVEEXEC32(or_, A | e) SAVEEXEC32(xor_, A ^ e) SAVEEXEC32(andn2, A & ~e)
SAVEEXEC32(orn2, A | ~e) SAVEEXEC32(nand, ~(A & e)) SAVEEXEC32(nor, ~(A | e))
SAVEEXEC32(xnor, ~(A ^ e))
SAVEEXEC32(andn1, ~A & e) SAVEEXEC32(orn1, ~A | e)
REF(andn1_wr32) { l->d = l->exec = ~A & (uint32_t)l->exec; l->scc = l->exec != 0; }
REF(andn2_wr32) { l->d = l->exec = A & ~(uint32_t)l->exec; l->scc = l->exec != 0; }

/* gfx12's scalar floats: as the vector instructions, without modifiers; f16 in the low half, the
 * high half of the result zero (RDNA4 ISA guide, 6.9). */
#define N32(k) ref_unpack(REF_F32, (uint32_t)(k))
#define N16(k) ref_unpack(REF_F16, (k) & 0xffff)
#define OUT32(x) (l->d = ref_pack(REF_F32, (x), REF_RNE, false))
#define OUT16(x) (l->d = ref_pack(REF_F16, (x), REF_RNE, false))
#define FLOATS(n, N, OUT)                                                                     \
    REF(add_f##n) { OUT(ref_add(N(A), N(B), REF_RNE)); }                                      \
    REF(sub_f##n) { OUT(ref_add(N(A), minus(N(B)), REF_RNE)); }                               \
    REF(mul_f##n) { OUT(ref_mul(N(A), N(B))); }                                               \
    REF(fmac_f##n) { OUT(ref_add(ref_mul(N(A), N(B)), N(l->d), REF_RNE)); }                   \
    REF(ceil_f##n) { OUT(ref_integral(N(A), REF_UP)); }                                       \
    REF(floor_f##n) { OUT(ref_integral(N(A), REF_DOWN)); }                                    \
    REF(trunc_f##n) { OUT(ref_integral(N(A), REF_ZERO)); }                                    \
    REF(rndne_f##n) { OUT(ref_integral(N(A), REF_RNE)); }                                     \
    REF(min_num_f##n) { OUT(pick(N(A), N(B), false, false)); }                                \
    REF(max_num_f##n) { OUT(pick(N(A), N(B), true, false)); }                                 \
    REF(minimum_f##n) { OUT(pick(N(A), N(B), false, true)); }                                 \
    REF(maximum_f##n) { OUT(pick(N(A), N(B), true, true)); }                                  \
    REF(lt_f##n) { l->scc = ref_cmp(N(A), N(B)) == -1; }                                      \
    REF(eq_f##n) { l->scc = ref_cmp(N(A), N(B)) == 0; }                                       \
    REF(le_f##n) { int c = ref_cmp(N(A), N(B)); l->scc = c == -1 || c == 0; }                 \
    REF(gt_f##n) { l->scc = ref_cmp(N(A), N(B)) == 1; }                                       \
    REF(lg_f##n) { int c = ref_cmp(N(A), N(B)); l->scc = c == -1 || c == 1; }                 \
    REF(ge_f##n) { int c = ref_cmp(N(A), N(B)); l->scc = c == 1 || c == 0; }                  \
    REF(o_f##n) { l->scc = ref_cmp(N(A), N(B)) != 2; }                                        \
    REF(u_f##n) { l->scc = ref_cmp(N(A), N(B)) == 2; }                                        \
    REF(nge_f##n) { int c = ref_cmp(N(A), N(B)); l->scc = !(c == 1 || c == 0); }              \
    REF(nlg_f##n) { int c = ref_cmp(N(A), N(B)); l->scc = !(c == -1 || c == 1); }             \
    REF(ngt_f##n) { l->scc = ref_cmp(N(A), N(B)) != 1; }                                      \
    REF(nle_f##n) { int c = ref_cmp(N(A), N(B)); l->scc = !(c == -1 || c == 0); }             \
    REF(neq_f##n) { l->scc = ref_cmp(N(A), N(B)) != 0; }                                      \
    REF(nlt_f##n) { l->scc = ref_cmp(N(A), N(B)) != -1; }
/* A NaN keeps its sign. */
static struct ref_num minus(struct ref_num a)
{
    return a.cls == REF_NAN ? a : ref_neg(a);
}

/* The smaller or larger; a number before NaN, or NaN (a signalling one first) before a number. */
static struct ref_num pick(struct ref_num a, struct ref_num b, bool max, bool nan_wins)
{
    bool na = a.cls == REF_NAN, nb = b.cls == REF_NAN;
    bool sa = na && !(a.man >> 51 & 1), sb = nb && !(b.man >> 51 & 1);
    if (na && nb)
        return nan_wins && sb && !sa ? b : a;
    if (na || nb)
        return na == nan_wins ? a : b;
    int c = ref_cmp(a, b);
    if (c == 0)
        return a.neg == max ? b : a;
    return (c > 0) == max ? a : b;
}
FLOATS(32, N32, OUT32)
FLOATS(16, N16, OUT16)
REF(cvt_f32_i32) { OUT32(ref_from_int(IA)); }
REF(cvt_f32_u32) { OUT32(ref_from_int(A)); }
REF(cvt_i32_f32) { l->d = (uint32_t)ref_to_int(N32(A), INT32_MIN, INT32_MAX); }
REF(cvt_u32_f32) { l->d = (uint32_t)ref_to_int(N32(A), 0, UINT32_MAX); }
REF(cvt_f16_f32) { OUT16(N32(A)); }
REF(cvt_f32_f16) { OUT32(N16(A)); }
REF(cvt_hi_f32_f16) { OUT32(N16(A >> 16)); }
REF(cvt_pk_rtz)
{
    l->d = ref_pack(REF_F16, N32(A), REF_ZERO, false) |
           ref_pack(REF_F16, N32(B), REF_ZERO, false) << 16;
}
REF(add64) { l->d = A64 + B64; }
REF(sub64) { l->d = A64 - B64; }
REF(mul64) { l->d = A64 * B64; }
REF(pack_hl) { l->d = A >> 16 | B << 16; }

REF(add_u) { uint64_t r = (uint64_t)A + B; l->d = (uint32_t)r; l->scc = r >> 32; }
REF(sub_u) { l->d = A - B; l->scc = B > A; }
REF(add_i) { int64_t r = (int64_t)IA + IB; l->d = (uint32_t)r; l->scc = r != (int32_t)r; }
REF(sub_i) { int64_t r = (int64_t)IA - IB; l->d = (uint32_t)r; l->scc = r != (int32_t)r; }
REF(addc) { uint64_t r = (uint64_t)A + B + l->scc; l->d = (uint32_t)r; l->scc = r >> 32; }
REF(subb)
{
    uint64_t b = (uint64_t)B + l->scc;
    l->d = (uint32_t)(A - b);
    l->scc = b > A;
}
REF(min_i) { l->scc = IA < IB; l->d = l->scc ? A : B; }
REF(max_i) { l->scc = IA >= IB; l->d = l->scc ? A : B; }
REF(min_u) { l->scc = A < B; l->d = l->scc ? A : B; }
REF(max_u) { l->scc = A >= B; l->d = l->scc ? A : B; }
REF(cselect) { l->d = l->scc ? l->s[0] : l->s[1]; }
REF(mul_i) { l->d = A * B; }
REF(mul_hi_u) { l->d = (uint64_t)A * B >> 32; }
REF(mul_hi_i) { l->d = (uint32_t)((int64_t)IA * IB >> 32); }
REF(absdiff)
{
    uint32_t r = A - B;
    l->d = (int32_t)r < 0 ? -r : r;
    NZ32;
}
static void lshl_add(struct sl *l, int n)
{
    uint64_t r = ((uint64_t)A << n) + B;
    l->d = (uint32_t)r;
    l->scc = r >> 32 != 0;
}
REF(lshl1_add) { lshl_add(l, 1); }
REF(lshl2_add) { lshl_add(l, 2); }
REF(lshl3_add) { lshl_add(l, 3); }
REF(lshl4_add) { lshl_add(l, 4); }
REF(pack_ll) { l->d = (A & 0xffff) | B << 16; }
REF(pack_lh) { l->d = (A & 0xffff) | (B & 0xffff0000); }
REF(pack_hh) { l->d = A >> 16 | (B & 0xffff0000); }

/* Offset in bits [4:0] ([5:0]), width in [22:16]; a width at or beyond the rest takes all of it. */
static uint64_t bfe(uint64_t x, uint32_t spec, int bits, bool is_signed)
{
    int at = (int)(spec & (uint32_t)(bits - 1)), n = (int)(spec >> 16 & 127);
    if (n == 0)
        return 0;
    if (at + n > bits)
        n = bits - at;
    x = x << (64 - at - n);
    return is_signed ? (uint64_t)((int64_t)x >> (64 - n)) : x >> (64 - n);
}
OP32(bfe_u, bfe(A, B, 32, false)) OP64(bfe_u, bfe(A64, B, 64, false))
OP32(bfe_i, bfe(A, B, 32, true)) OP64(bfe_i, bfe(A64, B, 64, true))

#define CMP(name, expr) REF(name) { l->scc = (expr); }
CMP(eq, A == B) CMP(lg, A != B) CMP(gt_i, IA > IB) CMP(ge_i, IA >= IB) CMP(lt_i, IA < IB)
CMP(le_i, IA <= IB)
CMP(gt_u, A > B) CMP(ge_u, A >= B) CMP(lt_u, A < B) CMP(le_u, A <= B) CMP(eq64, A64 == B64)
CMP(lg64, A64 != B64)
CMP(bitcmp0_32, !(A >> (B & 31) & 1)) CMP(bitcmp1_32, A >> (B & 31) & 1)
CMP(bitcmp0_64, !(A64 >> (B & 63) & 1)) CMP(bitcmp1_64, A64 >> (B & 63) & 1)

/* SOPK: s[0] is the register, s[1] the constant, sign- or zero-extended. */
REF(movk) { l->d = B; }
REF(cmovk) { if (l->scc) l->d = B; }
REF(addk)
{
    int64_t r = (int64_t)(int32_t)l->d + IB;
    l->d = (uint32_t)r;
    l->scc = r != (int32_t)r;
}
REF(mulk) { l->d = (uint32_t)l->d * B; }

static const struct srow rows[] = {
    /* name, form, bits of the destination and sources, reference, flags, targets */
    { "s_mov_b32", SOP1, 32, 32, 0, mov, 0, ON_ALL },
    { "s_mov_b64", SOP1, 64, 64, 0, mov, 0, ON_ALL },
    { "s_cmov_b32", SOP1, 32, 32, 0, cmov, SF_ACC, ON_ALL },
    { "s_cmov_b64", SOP1, 64, 64, 0, cmov, SF_ACC, ON_ALL },
    { "s_not_b32", SOP1, 32, 32, 0, not__b32, 0, ON_ALL },
    { "s_not_b64", SOP1, 64, 64, 0, not__b64, 0, ON_ALL },
    { "s_wqm_b32", SOP1, 32, 32, 0, wqm_b32, 0, ON_ALL },
    { "s_wqm_b64", SOP1, 64, 64, 0, wqm_b64, 0, ON_ALL },
    { "s_brev_b32", SOP1, 32, 32, 0, brev32, 0, ON_ALL },
    { "s_brev_b64", SOP1, 64, 64, 0, brev64, 0, ON_ALL },
    { "s_bcnt0_i32_b32", SOP1, 32, 32, 0, bcnt0_32_b32, 0, ON_ALL },
    { "s_bcnt0_i32_b64", SOP1, 32, 64, 0, bcnt0_64_b32, 0, ON_ALL },
    { "s_bcnt1_i32_b32", SOP1, 32, 32, 0, bcnt1_32_b32, 0, ON_ALL },
    { "s_bcnt1_i32_b64", SOP1, 32, 64, 0, bcnt1_64_b32, 0, ON_ALL },
    { "s_ff0_i32_b32", SOP1, 32, 32, 0, ff0_32, 0, ON_GFX9 },
    { "s_ff0_i32_b64", SOP1, 32, 64, 0, ff0_64, 0, ON_GFX9 },
    { "s_ff1_i32_b32", SOP1, 32, 32, 0, ff1_32, 0, ON_GFX9 },
    { "s_ff1_i32_b64", SOP1, 32, 64, 0, ff1_64, 0, ON_GFX9 },
    { "s_flbit_i32_b32", SOP1, 32, 32, 0, flbit32, 0, ON_GFX9 },
    { "s_flbit_i32_b64", SOP1, 32, 64, 0, flbit64, 0, ON_GFX9 },
    { "s_flbit_i32", SOP1, 32, 32, 0, flbit_i32, 0, ON_GFX9 },
    { "s_flbit_i32_i64", SOP1, 32, 64, 0, flbit_i64, 0, ON_GFX9 },
    { "s_ctz_i32_b32", SOP1, 32, 32, 0, ff1_32, 0, ON_GFX11UP },
    { "s_ctz_i32_b64", SOP1, 32, 64, 0, ff1_64, 0, ON_GFX11UP },
    { "s_clz_i32_u32", SOP1, 32, 32, 0, flbit32, 0, ON_GFX11UP },
    { "s_clz_i32_u64", SOP1, 32, 64, 0, flbit64, 0, ON_GFX11UP },
    { "s_cls_i32", SOP1, 32, 32, 0, flbit_i32, 0, ON_GFX11UP },
    { "s_cls_i32_i64", SOP1, 32, 64, 0, flbit_i64, 0, ON_GFX11UP },
    { "s_sext_i32_i8", SOP1, 32, 32, 0, sext8, 0, ON_ALL },
    { "s_sext_i32_i16", SOP1, 32, 32, 0, sext16, 0, ON_ALL },
    { "s_bitset0_b32", SOP1, 32, 32, 0, bitset0_32, SF_ACC, ON_ALL },
    { "s_bitset0_b64", SOP1, 64, 32, 0, bitset0_64, SF_ACC, ON_ALL },
    { "s_bitset1_b32", SOP1, 32, 32, 0, bitset1_32, SF_ACC, ON_ALL },
    { "s_bitset1_b64", SOP1, 64, 32, 0, bitset1_64, SF_ACC, ON_ALL },
    { "s_abs_i32", SOP1, 32, 32, 0, abs_, 0, ON_ALL },
    { "s_quadmask_b32", SOP1, 32, 32, 0, quadmask_b32, 0, ON_ALL },
    { "s_quadmask_b64", SOP1, 64, 64, 0, quadmask_b64, 0, ON_ALL },
    { "s_bitreplicate_b64_b32", SOP1, 64, 32, 0, bitreplicate, 0, ON_ALL },
    { "s_and_saveexec_b64", SOP1, 64, 64, 0, and__save, SF_EXEC, ON_GFX9 },
    { "s_or_saveexec_b64", SOP1, 64, 64, 0, or__save, SF_EXEC, ON_GFX9 },
    { "s_xor_saveexec_b64", SOP1, 64, 64, 0, xor__save, SF_EXEC, ON_GFX9 },
    { "s_andn2_saveexec_b64", SOP1, 64, 64, 0, andn2_save, SF_EXEC, ON_GFX9 },
    { "s_orn2_saveexec_b64", SOP1, 64, 64, 0, orn2_save, SF_EXEC, ON_GFX9 },
    { "s_nand_saveexec_b64", SOP1, 64, 64, 0, nand_save, SF_EXEC, ON_GFX9 },
    { "s_nor_saveexec_b64", SOP1, 64, 64, 0, nor_save, SF_EXEC, ON_GFX9 },
    { "s_xnor_saveexec_b64", SOP1, 64, 64, 0, xnor_save, SF_EXEC, ON_GFX9 },
    { "s_andn1_saveexec_b64", SOP1, 64, 64, 0, andn1_save, SF_EXEC, ON_GFX9 },
    { "s_orn1_saveexec_b64", SOP1, 64, 64, 0, orn1_save, SF_EXEC, ON_GFX9 },
    { "s_andn1_wrexec_b64", SOP1, 64, 64, 0, andn1_wr, SF_EXEC, ON_GFX9 },
    { "s_andn2_wrexec_b64", SOP1, 64, 64, 0, andn2_wr, SF_EXEC, ON_GFX9 },
    { "s_and_saveexec_b32", SOP1, 32, 32, 0, and__save32, SF_EXEC, ON_GFX11UP },
    { "s_or_saveexec_b32", SOP1, 32, 32, 0, or__save32, SF_EXEC, ON_GFX11UP },
    { "s_xor_saveexec_b32", SOP1, 32, 32, 0, xor__save32, SF_EXEC, ON_GFX11UP },
    { "s_nand_saveexec_b32", SOP1, 32, 32, 0, nand_save32, SF_EXEC, ON_GFX11UP },
    { "s_nor_saveexec_b32", SOP1, 32, 32, 0, nor_save32, SF_EXEC, ON_GFX11UP },
    { "s_xnor_saveexec_b32", SOP1, 32, 32, 0, xnor_save32, SF_EXEC, ON_GFX11UP },
    { "s_and_not0_saveexec_b32", SOP1, 32, 32, 0, andn1_save32, SF_EXEC, ON_GFX11UP },
    { "s_or_not0_saveexec_b32", SOP1, 32, 32, 0, orn1_save32, SF_EXEC, ON_GFX11UP },
    { "s_and_not1_saveexec_b32", SOP1, 32, 32, 0, andn2_save32, SF_EXEC, ON_GFX11UP },
    { "s_or_not1_saveexec_b32", SOP1, 32, 32, 0, orn2_save32, SF_EXEC, ON_GFX11UP },
    { "s_and_not0_wrexec_b32", SOP1, 32, 32, 0, andn1_wr32, SF_EXEC, ON_GFX11UP },
    { "s_and_not1_wrexec_b32", SOP1, 32, 32, 0, andn2_wr32, SF_EXEC, ON_GFX11UP },
    { "s_add_u32", SOP2, 32, 32, 32, add_u, 0, ON_GFX9 | ON_1100 },
    { "s_sub_u32", SOP2, 32, 32, 32, sub_u, 0, ON_GFX9 | ON_1100 },
    { "s_add_i32", SOP2, 32, 32, 32, add_i, 0, ON_GFX9 | ON_1100 },
    { "s_sub_i32", SOP2, 32, 32, 32, sub_i, 0, ON_GFX9 | ON_1100 },
    { "s_addc_u32", SOP2, 32, 32, 32, addc, 0, ON_GFX9 | ON_1100 },
    { "s_subb_u32", SOP2, 32, 32, 32, subb, 0, ON_GFX9 | ON_1100 },
    { "s_add_co_u32", SOP2, 32, 32, 32, add_u, 0, ON_GFX12 },
    { "s_sub_co_u32", SOP2, 32, 32, 32, sub_u, 0, ON_GFX12 },
    { "s_add_co_i32", SOP2, 32, 32, 32, add_i, 0, ON_GFX12 },
    { "s_sub_co_i32", SOP2, 32, 32, 32, sub_i, 0, ON_GFX12 },
    { "s_add_co_ci_u32", SOP2, 32, 32, 32, addc, 0, ON_GFX12 },
    { "s_sub_co_ci_u32", SOP2, 32, 32, 32, subb, 0, ON_GFX12 },
    { "s_min_i32", SOP2, 32, 32, 32, min_i, 0, ON_ALL },
    { "s_min_u32", SOP2, 32, 32, 32, min_u, 0, ON_ALL },
    { "s_max_i32", SOP2, 32, 32, 32, max_i, 0, ON_ALL },
    { "s_max_u32", SOP2, 32, 32, 32, max_u, 0, ON_ALL },
    { "s_cselect_b32", SOP2, 32, 32, 32, cselect, 0, ON_ALL },
    { "s_cselect_b64", SOP2, 64, 64, 64, cselect, 0, ON_ALL },
    { "s_and_b32", SOP2, 32, 32, 32, and__b32, 0, ON_ALL },
    { "s_and_b64", SOP2, 64, 64, 64, and__b64, 0, ON_ALL },
    { "s_or_b32", SOP2, 32, 32, 32, or__b32, 0, ON_ALL },
    { "s_or_b64", SOP2, 64, 64, 64, or__b64, 0, ON_ALL },
    { "s_xor_b32", SOP2, 32, 32, 32, xor__b32, 0, ON_ALL },
    { "s_xor_b64", SOP2, 64, 64, 64, xor__b64, 0, ON_ALL },
    { "s_andn2_b32", SOP2, 32, 32, 32, andn2_b32, 0, ON_GFX9 },
    { "s_andn2_b64", SOP2, 64, 64, 64, andn2_b64, 0, ON_GFX9 },
    { "s_orn2_b32", SOP2, 32, 32, 32, orn2_b32, 0, ON_GFX9 },
    { "s_orn2_b64", SOP2, 64, 64, 64, orn2_b64, 0, ON_GFX9 },
    { "s_and_not1_b32", SOP2, 32, 32, 32, andn2_b32, 0, ON_GFX11UP },
    { "s_and_not1_b64", SOP2, 64, 64, 64, andn2_b64, 0, ON_GFX11UP },
    { "s_or_not1_b32", SOP2, 32, 32, 32, orn2_b32, 0, ON_GFX11UP },
    { "s_or_not1_b64", SOP2, 64, 64, 64, orn2_b64, 0, ON_GFX11UP },
    { "s_nand_b32", SOP2, 32, 32, 32, nand_b32, 0, ON_ALL },
    { "s_nand_b64", SOP2, 64, 64, 64, nand_b64, 0, ON_ALL },
    { "s_nor_b32", SOP2, 32, 32, 32, nor_b32, 0, ON_ALL },
    { "s_nor_b64", SOP2, 64, 64, 64, nor_b64, 0, ON_ALL },
    { "s_xnor_b32", SOP2, 32, 32, 32, xnor_b32, 0, ON_ALL },
    { "s_xnor_b64", SOP2, 64, 64, 64, xnor_b64, 0, ON_ALL },
    { "s_lshl_b32", SOP2, 32, 32, 32, lshl_b32, 0, ON_ALL },
    { "s_lshl_b64", SOP2, 64, 64, 32, lshl_b64, 0, ON_ALL },
    { "s_lshr_b32", SOP2, 32, 32, 32, lshr_b32, 0, ON_ALL },
    { "s_lshr_b64", SOP2, 64, 64, 32, lshr_b64, 0, ON_ALL },
    { "s_ashr_i32", SOP2, 32, 32, 32, ashr_b32, 0, ON_ALL },
    { "s_ashr_i64", SOP2, 64, 64, 32, ashr_b64, 0, ON_ALL },
    { "s_bfm_b32", SOP2, 32, 32, 32, bfm32, 0, ON_ALL },
    { "s_bfm_b64", SOP2, 64, 32, 32, bfm64, 0, ON_ALL },
    { "s_mul_i32", SOP2, 32, 32, 32, mul_i, 0, ON_ALL },
    { "s_mul_hi_u32", SOP2, 32, 32, 32, mul_hi_u, 0, ON_ALL },
    { "s_mul_hi_i32", SOP2, 32, 32, 32, mul_hi_i, 0, ON_ALL },
    { "s_bfe_u32", SOP2, 32, 32, 32, bfe_u_b32, 0, ON_ALL },
    { "s_bfe_i32", SOP2, 32, 32, 32, bfe_i_b32, 0, ON_ALL },
    { "s_bfe_u64", SOP2, 64, 64, 32, bfe_u_b64, 0, ON_ALL },
    { "s_bfe_i64", SOP2, 64, 64, 32, bfe_i_b64, 0, ON_ALL },
    { "s_absdiff_i32", SOP2, 32, 32, 32, absdiff, 0, ON_ALL },
    { "s_lshl1_add_u32", SOP2, 32, 32, 32, lshl1_add, 0, ON_ALL },
    { "s_lshl2_add_u32", SOP2, 32, 32, 32, lshl2_add, 0, ON_ALL },
    { "s_lshl3_add_u32", SOP2, 32, 32, 32, lshl3_add, 0, ON_ALL },
    { "s_lshl4_add_u32", SOP2, 32, 32, 32, lshl4_add, 0, ON_ALL },
    { "s_pack_ll_b32_b16", SOP2, 32, 32, 32, pack_ll, 0, ON_ALL },
    { "s_pack_lh_b32_b16", SOP2, 32, 32, 32, pack_lh, 0, ON_ALL },
    { "s_pack_hh_b32_b16", SOP2, 32, 32, 32, pack_hh, 0, ON_ALL },
    { "s_pack_hl_b32_b16", SOP2, 32, 32, 32, pack_hl, 0, ON_GFX11UP },
    { "s_add_nc_u64", SOP2, 64, 64, 64, add64, 0, ON_GFX12 },
    { "s_sub_nc_u64", SOP2, 64, 64, 64, sub64, 0, ON_GFX12 },
    { "s_mul_u64", SOP2, 64, 64, 64, mul64, 0, ON_GFX12 },
    { "s_add_f32", SOP2, 32, 32, 32, add_f32, SF_F32, ON_GFX12 },
    { "s_sub_f32", SOP2, 32, 32, 32, sub_f32, SF_F32, ON_GFX12 },
    { "s_mul_f32", SOP2, 32, 32, 32, mul_f32, SF_F32, ON_GFX12 },
    { "s_min_num_f32", SOP2, 32, 32, 32, min_num_f32, SF_F32, ON_GFX12 },
    { "s_max_num_f32", SOP2, 32, 32, 32, max_num_f32, SF_F32, ON_GFX12 },
    { "s_minimum_f32", SOP2, 32, 32, 32, minimum_f32, SF_F32, ON_GFX12 },
    { "s_maximum_f32", SOP2, 32, 32, 32, maximum_f32, SF_F32, ON_GFX12 },
    { "s_fmac_f32", SOP2, 32, 32, 32, fmac_f32, SF_F32 | SF_ACC, ON_GFX12 },
    { "s_ceil_f32", SOP1, 32, 32, 0, ceil_f32, SF_F32, ON_GFX12 },
    { "s_floor_f32", SOP1, 32, 32, 0, floor_f32, SF_F32, ON_GFX12 },
    { "s_trunc_f32", SOP1, 32, 32, 0, trunc_f32, SF_F32, ON_GFX12 },
    { "s_rndne_f32", SOP1, 32, 32, 0, rndne_f32, SF_F32, ON_GFX12 },
    { "s_add_f16", SOP2, 32, 32, 32, add_f16, SF_F16, ON_GFX12 },
    { "s_sub_f16", SOP2, 32, 32, 32, sub_f16, SF_F16, ON_GFX12 },
    { "s_mul_f16", SOP2, 32, 32, 32, mul_f16, SF_F16, ON_GFX12 },
    { "s_min_num_f16", SOP2, 32, 32, 32, min_num_f16, SF_F16, ON_GFX12 },
    { "s_max_num_f16", SOP2, 32, 32, 32, max_num_f16, SF_F16, ON_GFX12 },
    { "s_minimum_f16", SOP2, 32, 32, 32, minimum_f16, SF_F16, ON_GFX12 },
    { "s_maximum_f16", SOP2, 32, 32, 32, maximum_f16, SF_F16, ON_GFX12 },
    { "s_fmac_f16", SOP2, 32, 32, 32, fmac_f16, SF_F16 | SF_ACC, ON_GFX12 },
    { "s_ceil_f16", SOP1, 32, 32, 0, ceil_f16, SF_F16, ON_GFX12 },
    { "s_floor_f16", SOP1, 32, 32, 0, floor_f16, SF_F16, ON_GFX12 },
    { "s_trunc_f16", SOP1, 32, 32, 0, trunc_f16, SF_F16, ON_GFX12 },
    { "s_rndne_f16", SOP1, 32, 32, 0, rndne_f16, SF_F16, ON_GFX12 },
    { "s_cvt_f32_i32", SOP1, 32, 32, 0, cvt_f32_i32, 0, ON_GFX12 },
    { "s_cvt_f32_u32", SOP1, 32, 32, 0, cvt_f32_u32, 0, ON_GFX12 },
    { "s_cvt_i32_f32", SOP1, 32, 32, 0, cvt_i32_f32, SF_F32, ON_GFX12 },
    { "s_cvt_u32_f32", SOP1, 32, 32, 0, cvt_u32_f32, SF_F32, ON_GFX12 },
    { "s_cvt_f16_f32", SOP1, 32, 32, 0, cvt_f16_f32, SF_F32, ON_GFX12 },
    { "s_cvt_f32_f16", SOP1, 32, 32, 0, cvt_f32_f16, SF_F16, ON_GFX12 },
    { "s_cvt_hi_f32_f16", SOP1, 32, 32, 0, cvt_hi_f32_f16, SF_F16, ON_GFX12 },
    { "s_cvt_pk_rtz_f16_f32", SOP2, 32, 32, 32, cvt_pk_rtz, SF_F32, ON_GFX12 },
    { "s_cmp_lt_f32", SOPC, 0, 32, 32, lt_f32, SF_F32, ON_GFX12 },
    { "s_cmp_eq_f32", SOPC, 0, 32, 32, eq_f32, SF_F32, ON_GFX12 },
    { "s_cmp_le_f32", SOPC, 0, 32, 32, le_f32, SF_F32, ON_GFX12 },
    { "s_cmp_gt_f32", SOPC, 0, 32, 32, gt_f32, SF_F32, ON_GFX12 },
    { "s_cmp_lg_f32", SOPC, 0, 32, 32, lg_f32, SF_F32, ON_GFX12 },
    { "s_cmp_ge_f32", SOPC, 0, 32, 32, ge_f32, SF_F32, ON_GFX12 },
    { "s_cmp_o_f32", SOPC, 0, 32, 32, o_f32, SF_F32, ON_GFX12 },
    { "s_cmp_u_f32", SOPC, 0, 32, 32, u_f32, SF_F32, ON_GFX12 },
    { "s_cmp_nge_f32", SOPC, 0, 32, 32, nge_f32, SF_F32, ON_GFX12 },
    { "s_cmp_nlg_f32", SOPC, 0, 32, 32, nlg_f32, SF_F32, ON_GFX12 },
    { "s_cmp_ngt_f32", SOPC, 0, 32, 32, ngt_f32, SF_F32, ON_GFX12 },
    { "s_cmp_nle_f32", SOPC, 0, 32, 32, nle_f32, SF_F32, ON_GFX12 },
    { "s_cmp_neq_f32", SOPC, 0, 32, 32, neq_f32, SF_F32, ON_GFX12 },
    { "s_cmp_nlt_f32", SOPC, 0, 32, 32, nlt_f32, SF_F32, ON_GFX12 },
    { "s_cmp_lt_f16", SOPC, 0, 32, 32, lt_f16, SF_F16, ON_GFX12 },
    { "s_cmp_eq_f16", SOPC, 0, 32, 32, eq_f16, SF_F16, ON_GFX12 },
    { "s_cmp_le_f16", SOPC, 0, 32, 32, le_f16, SF_F16, ON_GFX12 },
    { "s_cmp_gt_f16", SOPC, 0, 32, 32, gt_f16, SF_F16, ON_GFX12 },
    { "s_cmp_lg_f16", SOPC, 0, 32, 32, lg_f16, SF_F16, ON_GFX12 },
    { "s_cmp_ge_f16", SOPC, 0, 32, 32, ge_f16, SF_F16, ON_GFX12 },
    { "s_cmp_o_f16", SOPC, 0, 32, 32, o_f16, SF_F16, ON_GFX12 },
    { "s_cmp_u_f16", SOPC, 0, 32, 32, u_f16, SF_F16, ON_GFX12 },
    { "s_cmp_nge_f16", SOPC, 0, 32, 32, nge_f16, SF_F16, ON_GFX12 },
    { "s_cmp_nlg_f16", SOPC, 0, 32, 32, nlg_f16, SF_F16, ON_GFX12 },
    { "s_cmp_ngt_f16", SOPC, 0, 32, 32, ngt_f16, SF_F16, ON_GFX12 },
    { "s_cmp_nle_f16", SOPC, 0, 32, 32, nle_f16, SF_F16, ON_GFX12 },
    { "s_cmp_neq_f16", SOPC, 0, 32, 32, neq_f16, SF_F16, ON_GFX12 },
    { "s_cmp_nlt_f16", SOPC, 0, 32, 32, nlt_f16, SF_F16, ON_GFX12 },
    { "s_cmp_eq_i32", SOPC, 0, 32, 32, eq, 0, ON_ALL },
    { "s_cmp_lg_i32", SOPC, 0, 32, 32, lg, 0, ON_ALL },
    { "s_cmp_gt_i32", SOPC, 0, 32, 32, gt_i, 0, ON_ALL },
    { "s_cmp_ge_i32", SOPC, 0, 32, 32, ge_i, 0, ON_ALL },
    { "s_cmp_lt_i32", SOPC, 0, 32, 32, lt_i, 0, ON_ALL },
    { "s_cmp_le_i32", SOPC, 0, 32, 32, le_i, 0, ON_ALL },
    { "s_cmp_eq_u32", SOPC, 0, 32, 32, eq, 0, ON_ALL },
    { "s_cmp_lg_u32", SOPC, 0, 32, 32, lg, 0, ON_ALL },
    { "s_cmp_gt_u32", SOPC, 0, 32, 32, gt_u, 0, ON_ALL },
    { "s_cmp_ge_u32", SOPC, 0, 32, 32, ge_u, 0, ON_ALL },
    { "s_cmp_lt_u32", SOPC, 0, 32, 32, lt_u, 0, ON_ALL },
    { "s_cmp_le_u32", SOPC, 0, 32, 32, le_u, 0, ON_ALL },
    { "s_cmp_eq_u64", SOPC, 0, 64, 64, eq64, 0, ON_ALL },
    { "s_cmp_lg_u64", SOPC, 0, 64, 64, lg64, 0, ON_ALL },
    { "s_bitcmp0_b32", SOPC, 0, 32, 32, bitcmp0_32, 0, ON_ALL },
    { "s_bitcmp1_b32", SOPC, 0, 32, 32, bitcmp1_32, 0, ON_ALL },
    { "s_bitcmp0_b64", SOPC, 0, 64, 32, bitcmp0_64, 0, ON_ALL },
    { "s_bitcmp1_b64", SOPC, 0, 64, 32, bitcmp1_64, 0, ON_ALL },
    { "s_movk_i32", SOPK, 32, 0, 16, movk, 0, ON_ALL },
    { "s_cmovk_i32", SOPK, 32, 0, 16, cmovk, SF_ACC, ON_ALL },
    { "s_addk_i32", SOPK, 32, 0, 16, addk, SF_ACC, ON_GFX9 | ON_1100 },
    { "s_addk_co_i32", SOPK, 32, 0, 16, addk, SF_ACC, ON_GFX12 },
    { "s_mulk_i32", SOPK, 32, 0, 16, mulk, SF_ACC, ON_ALL },
    { "s_cmpk_eq_i32", SOPK, 0, 32, 16, eq, SF_DST_SRC, ON_GFX9 | ON_1100 },
    { "s_cmpk_lg_i32", SOPK, 0, 32, 16, lg, SF_DST_SRC, ON_GFX9 | ON_1100 },
    { "s_cmpk_gt_i32", SOPK, 0, 32, 16, gt_i, SF_DST_SRC, ON_GFX9 | ON_1100 },
    { "s_cmpk_ge_i32", SOPK, 0, 32, 16, ge_i, SF_DST_SRC, ON_GFX9 | ON_1100 },
    { "s_cmpk_lt_i32", SOPK, 0, 32, 16, lt_i, SF_DST_SRC, ON_GFX9 | ON_1100 },
    { "s_cmpk_le_i32", SOPK, 0, 32, 16, le_i, SF_DST_SRC, ON_GFX9 | ON_1100 },
    { "s_cmpk_eq_u32", SOPK, 0, 32, 16, eq, SF_DST_SRC | SF_UNSIGNED_K, ON_GFX9 | ON_1100 },
    { "s_cmpk_lg_u32", SOPK, 0, 32, 16, lg, SF_DST_SRC | SF_UNSIGNED_K, ON_GFX9 | ON_1100 },
    { "s_cmpk_gt_u32", SOPK, 0, 32, 16, gt_u, SF_DST_SRC | SF_UNSIGNED_K, ON_GFX9 | ON_1100 },
    { "s_cmpk_ge_u32", SOPK, 0, 32, 16, ge_u, SF_DST_SRC | SF_UNSIGNED_K, ON_GFX9 | ON_1100 },
    { "s_cmpk_lt_u32", SOPK, 0, 32, 16, lt_u, SF_DST_SRC | SF_UNSIGNED_K, ON_GFX9 | ON_1100 },
    { "s_cmpk_le_u32", SOPK, 0, 32, 16, le_u, SF_DST_SRC | SF_UNSIGNED_K, ON_GFX9 | ON_1100 },
};

/* Where an operand is. Registers: sources s[20:21] and s[22:23], destination s[30:31]. */
enum place { P_SGPR, P_VCC, P_INLINE, P_LITERAL, P_SAME, P_EXEC };
enum { S_A = 20, S_B = 22, S_D = 30 };

struct scase {
    const struct srow *row;
    enum place at[2], d_at;
    uint64_t value[2]; /* constants */
    int snippet, runs;
};

static const uint64_t specials[] = {
    0, 1, ~0ull, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff80, 0x7fff, 0x8000, 0xffff, 0x10000,
    0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000, 0x7fffffffffffffff,
    0x8000000000000000, 0x00100000, 0x00200000, 0x00400000, 0x001f0001, 0x00210000, 0x00080018,
    0x0040003f, 0x007f0000, 0x5555555555555555, 0xaaaaaaaaaaaaaaaa };

static uint64_t draw(int bits)
{
    uint64_t v = rand_below(2) ? specials[rand_below(sizeof specials / sizeof *specials)]
        : rand64() >> rand_below(64);
    return bits == 64 ? v : (uint32_t)v;
}

/* Floats whose sums and products matter, specials among them. */
static uint64_t draw_float(bool half)
{
    static const uint32_t f32[] = { 0, 0x80000000, 1, 0x807fffff, 0x00800000, 0x3f800000,
                                    0xbf800000, 0x3f000000, 0x7f7fffff, 0xff7fffff, 0x7f800000,
                                    0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0xffbfffff,
                                    0x4f000000, 0xcf000000, 0x4f800000, 0x477fe000, 0x477ff000,
                                    0x33000001, 0x4b000001, 0x40200000 };
    static const uint32_t f16[] = { 0, 0x8000, 1, 0x83ff, 0x400, 0x3c00, 0xbc00, 0x3800, 0x7bff,
                                    0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x7c01, 0xfdff, 0x6401,
                                    0x4100 };
    uint32_t r = (uint32_t)rand64();
    if (!half)
        return rand_below(3) ? (r & 0x807fffff) | (110 + rand_below(34)) << 23
            : f32[rand_below(sizeof f32 / 4)];
    uint32_t h = rand_below(3) ? (r & 0x83ff) | (5 + rand_below(20)) << 10
        : f16[rand_below(sizeof f16 / 4)];
    return h | (r & 0xffff0000);
}

static const char *reg(char *out, int first, int bits)
{
    if (bits == 64)
        sprintf(out, "s[%d:%d]", first, first + 1);
    else
        sprintf(out, "s%d", first);
    return out;
}

static void operand(char *out, enum place at, int bits, int first, bool half, uint64_t *value)
{
    if (at == P_VCC) {
        strcpy(out, bits == 64 ? "vcc" : "vcc_lo");
    } else if (at == P_EXEC) {
        strcpy(out, bits == 64 ? "exec" : "exec_lo");
    } else if (at == P_INLINE) {
        int v = (int)rand_below(81) - 16;
        *value = (uint64_t)(int64_t)v;
        sprintf(out, "%d", v);
    } else if (at == P_LITERAL) {
        *value = 0x1000 | (rand64() & (half ? 0x7fff : 0x7fffffff));
        sprintf(out, "0x%x", (uint32_t)*value);
    } else {
        reg(out, first, bits);
    }
}

static void add_case(struct batch *b, struct scase *list, int *n, struct scase c)
{
    const struct srow *r = c.row;
    char d[16], x[24], y[24];

    if (c.d_at == P_VCC)
        strcpy(d, r->d == 64 ? "vcc" : "vcc_lo");
    else if (c.d_at == P_EXEC)
        strcpy(d, r->d == 64 ? "exec" : "exec_lo");
    else
        reg(d, c.d_at == P_SAME ? S_A : S_D, r->d);
    bool half = r->flags & SF_F16;
    operand(x, c.at[0], r->s0, S_A, half, &c.value[0]);
    if (r->form == SOPK) {
        uint16_t k = (uint16_t)draw(32);
        c.value[1] = r->flags & SF_UNSIGNED_K ? k : (uint64_t)(int64_t)(int16_t)k;
        c.snippet = batch_add(b, "%s %s, 0x%x", r->name, r->flags & SF_DST_SRC ? x : d, k);
    } else {
        operand(y, c.at[1], r->s1, S_B, half, &c.value[1]);
        if (r->form == SOPC)
            c.snippet = batch_add(b, "%s %s, %s", r->name, x, y);
        else if (r->form == SOP2)
            c.snippet = batch_add(b, "%s %s, %s, %s", r->name, d, x, y);
        else
            c.snippet = batch_add(b, "%s %s, %s", r->name, d, x);
    }
    list[(*n)++] = c;
}

static int make_cases(struct batch *b, const struct srow *r, struct scase *list)
{
    int n = 0;
    struct scase c = { .row = r, .runs = 200 };
    add_case(b, list, &n, c);
    c.runs = 30;
    if (r->form == SOPK) {
        for (int i = 0; i < 20; i++)
            add_case(b, list, &n, c);
        return n;
    }
    for (int i = 0; i < (r->form == SOP1 ? 1 : 2); i++) {
        for (int k = 0; k < 3; k++) {
            c.at[i] = P_INLINE;
            add_case(b, list, &n, c);
        }
        c.at[i] = P_VCC;
        add_case(b, list, &n, c);
        c.at[i] = P_EXEC;
        add_case(b, list, &n, c);
        if ((i ? r->s1 : r->s0) == 32) {
            c.at[i] = P_LITERAL;
            add_case(b, list, &n, c);
        }
        c.at[i] = P_SGPR;
    }
    if (r->d) {
        c.d_at = P_VCC;
        add_case(b, list, &n, c);
        c.d_at = P_SAME;
        add_case(b, list, &n, c);
        if (!(r->flags & SF_EXEC)) {
            c.d_at = P_EXEC;
            add_case(b, list, &n, c);
        }
    }
    return n;
}

static uint64_t read_place(const struct wave_state *w, enum place at, int first, int bits,
    uint64_t value)
{
    uint64_t v = at == P_VCC ? w->vcc : at == P_EXEC ? w->exec
                 : at == P_SGPR || at == P_SAME ? w->s[first] | (uint64_t)w->s[first + 1] << 32
                     : value;
    return bits == 64 ? v : (uint32_t)v;
}

static void run_case(const struct batch *b, const struct scase *c, struct wave_state *w)
{
    static struct wave_state want;
    const struct srow *r = c->row;

    rand_seed(batch_text(b, c->snippet));
    for (int run = 0; run < c->runs; run++) {
        for (int i = S_A; i < S_A + 4; i++)
            w->s[i] = (uint32_t)draw(32);
        if (r->s0 == 64) {
            uint64_t v = draw(64);
            w->s[S_A] = (uint32_t)v;
            w->s[S_A + 1] = (uint32_t)(v >> 32);
        }
        if (rand_below(6) == 0)
            w->s[S_B] = w->s[S_A], w->s[S_B + 1] = w->s[S_A + 1];
        for (int i = S_D; i < S_D + 2; i++)
            w->s[i] = (uint32_t)draw(32);
        if (r->flags & (SF_F32 | SF_F16)) {
            w->s[S_A] = (uint32_t)draw_float(r->flags & SF_F16);
            w->s[S_B] = (uint32_t)draw_float(r->flags & SF_F16);
            w->s[S_D] = (uint32_t)draw_float(r->flags & SF_F16);
        }
        w->vcc = draw(64);
        w->exec = draw(64);
        if (target_lanes(b->target) == 32)
            w->vcc = (uint32_t)w->vcc, w->exec = (uint32_t)w->exec;
        w->scc = rand_below(2);
        w->mode = b->target >= T_1201 ? MODE_DENORM : MODE_KERNEL;
        want = *w;

        struct sl l = { .scc = w->scc, .exec = w->exec };
        l.s[0] = read_place(w, c->at[0], S_A, r->s0, c->value[0]);
        l.s[1] = read_place(w, c->at[1], S_B, r->s1 == 16 ? 32 : r->s1, c->value[1]);
        if (r->form == SOPK)
            l.s[1] = (uint32_t)c->value[1];
        l.d = read_place(w, c->d_at == P_SAME ? P_SGPR : c->d_at, c->d_at == P_SAME ? S_A : S_D,
            r->d, 0);
        r->ref(&l);
        want.scc = l.scc;
        if (r->flags & SF_EXEC)
            want.exec = l.exec;
        if (r->d && c->d_at == P_VCC) {
            want.vcc = r->d == 64 ? l.d : (w->vcc & ~0xffffffffull) | (uint32_t)l.d;
        } else if (r->d && c->d_at == P_EXEC) {
            want.exec = r->d == 64 ? l.d : (w->exec & ~0xffffffffull) | (uint32_t)l.d;
        } else if (r->d) {
            int at = c->d_at == P_SAME ? S_A : S_D;
            want.s[at] = (uint32_t)l.d;
            if (r->d == 64)
                want.s[at + 1] = (uint32_t)(l.d >> 32);
        }
        struct wave_state before = *w;
        if (!run_snippet(b, c->snippet, w, NULL)) {
            fail(b->target, r->name, "%s: %s", batch_text(b, c->snippet), run_error());
            return;
        }
        if (target_lanes(b->target) == 32) /* EXEC_HI means nothing */
            w->exec = (uint32_t)w->exec, want.exec = (uint32_t)want.exec;
        if (memcmp(w->s, want.s, sizeof w->s) || w->scc != want.scc || w->vcc != want.vcc ||
            w->exec != want.exec ||
            w->m0 != want.m0 || w->mode != want.mode) {
            int at = c->d_at == P_SAME ? S_A : S_D;
            fail(b->target, r->name,
                 "%s: s0 %llx s1 %llx scc %u: got %08x%08x scc %u vcc %llx exec %llx, "
                 "want %08x%08x scc %u vcc %llx exec %llx",
                 batch_text(b, c->snippet), (unsigned long long)l.s[0], (unsigned long long)l.s[1],
                     before.scc,
                 w->s[at + 1], w->s[at], w->scc, (unsigned long long)w->vcc,
                     (unsigned long long)w->exec,
                 want.s[at + 1], want.s[at], want.scc, (unsigned long long)want.vcc,
                     (unsigned long long)want.exec);
            return;
        }
    }
}

void run_salu(enum target t);
void run_salu(enum target t)
{
    static struct wave_state w;
    struct batch b;
    struct scase *list = calloc(sizeof rows / sizeof *rows * 24, sizeof *list);
    int n = 0;

    batch_begin(&b, t);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].targets >> t & 1) {
            covered_add(t, rows[i].name);
            rand_seed(rows[i].name);
            n += make_cases(&b, &rows[i], list + n);
        }
    if (!batch_assemble(&b))
        fail(t, "(assembler)", "a scalar form is refused");
    else
        for (int i = 0; i < n; i++)
            run_case(&b, &list[i], &w);
    free(list);
    batch_end(&b);
}
