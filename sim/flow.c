/* SPDX-License-Identifier: MIT */
/*
 * Bytes nobody wrote are not an error until they matter: compilers load and compute with values they
 * then drop. So "undefined" is a property of each byte of each lane that moves through arithmetic as
 * precisely as code needs: selections, shifts, byte moves and low halves of 64-bit integers are
 * followed, all else makes the whole result undefined. What matters is an address, stored data, a
 * branch and EXEC; check.c reports there.
 */
#include "flow.h"

#include <string.h>

#include "decode/decode.h"
#include "dpp.h"
#include "handlers.h"
#include "matrix.h"

static u64 permute(const struct sim_wave *w, const struct insn *in, u64 m, int lanes)
{
    const signed char *map = ((const struct sim_dpp_lanes *)in->aux)->from;
    u64 r = 0;
    if (!in->src->dpp.fi)
        m &= w->exec; /* lanes that are off are not read */
    for (int i = 0; i < lanes; i++)
        if (map[i] >= 0 && m >> map[i] & 1)
            r |= 1ull << i;
    return r;
}

/* Undefined lanes of byte b of word j of source k. */
static u64 source_byte(struct sim_wave *w, const struct insn *in, int k, unsigned j, unsigned b)
{
    const struct operand *o = &in->o[1 + k];
    u64 m;
    if (o->kind == SIM_KIND_S) {
        if (!w->sorigin[o->reg + j])
            return 0;
        return o->words * 32 == w->prog->wave && w->smask[o->reg] ? w->smask[o->reg] : w->full; /* a lane mask */
    }
    if (o->kind != SIM_KIND_ROW)
        return 0;
    m = w->und[o->reg + j][b];
    return o->mods & SIM_MOD_DPP ? permute(w, in, m, w->prog->wave) : m;
}

u64 sim_flow_source(struct sim_wave *w, const struct insn *in, int k, unsigned j, unsigned bytes)
{
    u64 m = 0;
    for (unsigned b = 0; b < 4; b++)
        if (bytes >> b & 1)
            m |= source_byte(w, in, k, j, b);
    return m;
}

/* A lane mask operand: its undefined lanes. */
static u64 mask_lanes(const struct sim_wave *w, const struct operand *o)
{
    if (o->kind != SIM_KIND_S)
        return 0;
    if (w->sorigin[o->reg] && !w->smask[o->reg])
        return w->full;
    return w->smask[o->reg];
}

/* Whether the operand is one value for all lanes, and that value. */
static bool uniform(const struct sim_wave *w, const struct operand *o, u32 *v)
{
    if (o->mods || o->sel != SIM_SEL_DWORD)
        return false;
    if (o->kind == SIM_KIND_CONST)
        *v = o->rows[0];
    else if (o->kind == SIM_KIND_S)
        *v = w->s[o->reg];
    else
        return false;
    return true;
}

static void shift(struct sim_wave *w, const struct insn *in, int k, unsigned n, bool left, u64 out[4])
{
    const unsigned bytes = n / 8, more = n % 8 != 0;
    for (unsigned b = 0; b < 4; b++) {
        u64 m = 0;
        for (unsigned e = 0; e <= more; e++) {
            const int from = left ? (int)b - (int)bytes - (int)e : (int)b + (int)bytes + (int)e;
            if (from >= 0 && from < 4)
                m |= source_byte(w, in, k, 0, (unsigned)from);
        }
        out[b] = m;
    }
}

static void fill(struct sim_undefined *u, u64 m)
{
    for (int j = 0; j < 2; j++)
        for (int b = 0; b < 4; b++)
            u->w[j][b] = m;
    u->rest = m;
}

static u64 everything(struct sim_wave *w, const struct insn *in)
{
    u64 m = 0;
    for (int k = 0; k < 3; k++) {
        const struct operand *o = &in->o[1 + k];
        if (o->kind != SIM_KIND_ROW && o->kind != SIM_KIND_S)
            continue;
        for (unsigned j = 0; j < o->words; j++)
            m |= sim_flow_source(w, in, k, j, in->reads[k]);
    }
    if (in->use[SIM_SET_SCC] & w->bad[SIM_SET_SCC])
        m = w->full;
    return m;
}

/* One matrix operand with 1 in the undefined elements and 0 elsewhere, or all 1: the product then shows
 * which results depend on them. */
static u32 one_of(unsigned type, bool fnuz)
{
    switch (type) {
    case SIM_MT_F32: case SIM_MT_XF32: return 0x3f800000;
    case SIM_MT_F16: return 0x3c003c00;
    case SIM_MT_BF16: return 0x3f803f80;
    case SIM_MT_FP8: return fnuz ? 0x40404040 : 0x38383838;
    case SIM_MT_BF8: return fnuz ? 0x40404040 : 0x3c3c3c3c;
    case SIM_MT_I8: return 0x01010101;
    default: return 0;
    }
}

static void matrix(struct sim_wave *w, const struct insn *in, struct sim_undefined *u)
{
    static _Thread_local u32 a[16 * 64], b[16 * 64], d[32 * 64];
    const struct sim_matrix_form *f = in->aux;
    const int lanes = w->prog->wave;
    const bool fnuz = w->prog->target->family->flags & SIM_FP8_FNUZ;
    const u32 one[2] = {one_of(f->a, fnuz), one_of(f->b, fnuz)};
    u64 hit[32] = {0}, any = 0;
    for (int k = 0; k < 2; k++)
        for (unsigned j = 0; j < in->o[1 + k].words; j++)
            any |= sim_flow_source(w, in, k, j, 15);
    const bool all = any && (!one[0] || !one[1] || f->sparse || in->o[0].words > 32);
    for (int k = 0; all && k < 32; k++)
        hit[k] = w->full;
    for (int k = 0; any && !all && k < 2; k++) {
        u32 *row[2] = {a, b};
        bool some = false;
        for (int q = 0; q < 2; q++)
            for (unsigned j = 0; j < in->o[1 + q].words; j++)
                for (int i = 0; i < lanes; i++) {
                    u32 x = one[q];
                    if (q == k) {
                        u32 keep = 0;
                        for (unsigned c = 0; c < 4; c++)
                            if (source_byte(w, in, q, j, c) >> i & 1)
                                keep |= f->a == SIM_MT_F32 || f->a == SIM_MT_XF32 ? ~0u
                                      : f->a == SIM_MT_F16 || f->a == SIM_MT_BF16 ? 0xffffu << (c / 2 * 16) : 255u << (8 * c);
                        x &= keep;
                        some |= keep != 0;
                    }
                    row[q][j * (unsigned)lanes + (unsigned)i] = x;
                }
        if (!some)
            continue;
        struct sim_matrix_args x = {.a = a, .b = b, .d = d, .wave = (u8)lanes, .cbsz = in->src->cbsz,
                                    .abid = in->src->abid, .blgp = in->src->blgp};
        sim_matrix_level(2)(f, &x);
        for (unsigned j = 0; j < in->o[0].words; j++)
            for (int i = 0; i < lanes; i++)
                if (d[j * (unsigned)lanes + (unsigned)i])
                    hit[j] |= 1ull << i;
    }
    for (unsigned j = 0; j < in->o[0].words && j < 32; j++)
        if (in->o[3].kind == SIM_KIND_ROW && !f->sparse)
            hit[j] |= sim_flow_source(w, in, 2, j, 15);
    /* Written here, since a result has more words than the struct. */
    for (unsigned j = 0; j < in->o[0].words && j < 32; j++)
        for (int c = 0; c < 4; c++)
            w->und[in->o[0].reg + j][c] = hit[j];
    fill(u, 0);
}

void sim_flow_exchange(struct sim_wave *w, const struct insn *in, u64 out[4])
{
    const bool swizzle = in->src->op->op == SIM_OP_ds_swizzle_b32, push = in->src->op->op == SIM_OP_ds_permute_b32;
    const unsigned lanes = (unsigned)w->prog->wave;
    const u32 *a = sim_row(w, lanes, in->o[1].reg);
    const u64 *und = w->und[swizzle ? in->o[1].reg : in->o[2].reg];
    u64 r[4] = {0};
    for (u64 m = w->exec; m; m &= m - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(m);
        const unsigned other = swizzle ? sim_swizzle_lane((u32)in->imm & 0xffff, i) : (a[i] + (u32)in->imm) / 4 % lanes;
        const unsigned from = push ? i : other, to = push ? other : i;
        for (int b = 0; b < 4; b++)
            if (w->exec >> from & 1)
                r[b] = (r[b] & ~(1ull << to)) | (und[b] >> from & 1) << to;
    }
    memcpy(out, r, sizeof r);
}

void sim_flow(struct sim_wave *w, const struct insn *in, struct sim_undefined *u)
{
    u32 v;
    memset(u, 0, sizeof *u);
    switch (in->flow) {
    case SIM_FLOW_BITWISE:
    case SIM_FLOW_AND:
        for (unsigned j = 0; j < in->o[0].words && j < 2; j++)
            for (unsigned b = 0; b < 4; b++) {
                u64 m = 0;
                bool zero = false;
                for (int k = 0; k < 3; k++) {
                    m |= source_byte(w, in, k, j < in->o[1 + k].words ? j : 0, b);
                    if (in->flow == SIM_FLOW_AND && k < 2 && j == 0 && uniform(w, &in->o[1 + k], &v) && !(v >> (8 * b) & 255))
                        zero = true;
                }
                u->w[j][b] = zero ? 0 : m;
            }
        if (in->o[1].sel != SIM_SEL_DWORD || (in->o[2].kind != SIM_KIND_NONE && in->o[2].sel != SIM_SEL_DWORD) ||
            in->o[1].mods & SIM_MOD_SEXT)
            fill(u, everything(w, in));
        return;
    case SIM_FLOW_SELECT: {
        const struct operand *o = &in->o[3];
        const u64 mask = o->kind == SIM_KIND_S ? w->prog->wave == 64 ? (u64)w->s[o->reg] | (u64)w->s[o->reg + 1] << 32
                                                                      : w->s[o->reg] : 0;
        const u64 unknown = mask_lanes(w, o);
        for (unsigned b = 0; b < 4; b++)
            u->w[0][b] = (source_byte(w, in, 0, 0, b) & ~mask) | (source_byte(w, in, 1, 0, b) & mask) | unknown;
        return;
    }
    case SIM_FLOW_SHL:
    case SIM_FLOW_SHR:
        if (uniform(w, &in->o[1], &v))
            shift(w, in, 1, v & 31, in->flow == SIM_FLOW_SHL, u->w[0]);
        else
            fill(u, everything(w, in));
        return;
    case SIM_FLOW_SHL_OR:
        if (!uniform(w, &in->o[2], &v)) {
            fill(u, everything(w, in));
            return;
        }
        shift(w, in, 0, v & 31, true, u->w[0]);
        for (unsigned b = 0; b < 4; b++)
            u->w[0][b] |= source_byte(w, in, 2, 0, b);
        return;
    case SIM_FLOW_PERM:
        if (!uniform(w, &in->o[3], &v)) {
            fill(u, everything(w, in));
            return;
        }
        for (unsigned b = 0; b < 4; b++) {
            const unsigned q = v >> (8 * b) & 255;
            if (q < 8)
                u->w[0][b] = source_byte(w, in, q < 4 ? 1 : 0, 0, q & 3);
            else if (q < 12)
                u->w[0][b] = source_byte(w, in, q < 10 ? 1 : 0, 0, q & 1 ? 3 : 1);
        }
        return;
    case SIM_FLOW_LOW: {
        u64 low = 0;
        for (int k = 0; k < 3; k++)
            low |= sim_flow_source(w, in, k, 0, 15);
        fill(u, everything(w, in));
        for (int b = 0; b < 4; b++)
            u->w[0][b] = low;
        return;
    }
    case SIM_FLOW_PK16:
        for (unsigned hi = 0; hi < 2; hi++) {
            u64 m = 0;
            for (int k = 0; k < 3; k++)
                if (in->o[1 + k].kind == SIM_KIND_ROW || in->o[1 + k].kind == SIM_KIND_S)
                    m |= sim_flow_source(w, in, k, 0, in->o[1 + k].opsel >> hi & 1 ? 12 : 3);
            u->w[0][2 * hi] = u->w[0][2 * hi + 1] = m;
        }
        return;
    case SIM_FLOW_PK32:
        for (unsigned hi = 0; hi < 2; hi++) {
            u64 m = 0;
            for (int k = 0; k < 3; k++)
                if (in->o[1 + k].kind == SIM_KIND_ROW || in->o[1 + k].kind == SIM_KIND_S)
                    m |= sim_flow_source(w, in, k, in->o[1 + k].opsel >> hi & 1, 15);
            for (int b = 0; b < 4; b++)
                u->w[hi][b] = m;
        }
        return;
    case SIM_FLOW_PK_MOV:
        for (int k = 0; k < 2; k++)
            for (unsigned b = 0; b < 4; b++)
                u->w[k][b] = source_byte(w, in, k, in->o[1 + k].opsel & 1, b);
        return;
    case SIM_FLOW_MATRIX:
        matrix(w, in, u);
        return;
    default:
        fill(u, everything(w, in));
    }
}

/* ---- at decode ---- */

static unsigned flow_of(unsigned op)
{
    switch (op) {
    case SIM_OP_v_mov_b32: case SIM_OP_v_mov_b64: case SIM_OP_v_accvgpr_read_b32: case SIM_OP_v_accvgpr_write_b32:
    case SIM_OP_v_accvgpr_mov_b32: case SIM_OP_v_not_b32: case SIM_OP_v_or_b32: case SIM_OP_v_xor_b32:
    case SIM_OP_v_xnor_b32: case SIM_OP_v_or3_b32: case SIM_OP_v_bfi_b32: case SIM_OP_v_bitop3_b32:
    case SIM_OP_v_xor3_b32: case SIM_OP_v_bitop2_b32:
        return SIM_FLOW_BITWISE;
    case SIM_OP_v_and_b32: case SIM_OP_v_and_or_b32:
        return SIM_FLOW_AND;
    case SIM_OP_v_cndmask_b32:
        return SIM_FLOW_SELECT;
    case SIM_OP_v_lshlrev_b32:
        return SIM_FLOW_SHL;
    case SIM_OP_v_lshrrev_b32: case SIM_OP_v_ashrrev_i32:
        return SIM_FLOW_SHR;
    case SIM_OP_v_lshl_or_b32:
        return SIM_FLOW_SHL_OR;
    case SIM_OP_v_perm_b32:
        return SIM_FLOW_PERM;
    case SIM_OP_v_mad_u64_u32: case SIM_OP_v_mad_i64_i32: case SIM_OP_v_lshl_add_u64: case SIM_OP_v_lshlrev_b64:
    case SIM_OP_v_add_nc_u64: case SIM_OP_v_sub_nc_u64: case SIM_OP_v_mul_u64:
        return SIM_FLOW_LOW;
    case SIM_OP_v_pk_mov_b32:
        return SIM_FLOW_PK_MOV;
    case SIM_OP_v_readlane_b32: case SIM_OP_v_readfirstlane_b32:
        return SIM_FLOW_READLANE;
    case SIM_OP_v_writelane_b32:
        return SIM_FLOW_WRITELANE;
    case SIM_OP_v_swap_b32: case SIM_OP_v_swap_b16:
        return SIM_FLOW_SWAP;
    case SIM_OP_v_permlane16_swap_b32:
        return SIM_FLOW_SWAP16;
    case SIM_OP_v_permlane32_swap_b32:
        return SIM_FLOW_SWAP32;
    default:
        return SIM_FLOW_ALL;
    }
}

static bool is_half(unsigned dt)
{
    return dt == SIM_DT_F16 || dt == SIM_DT_F16S || dt == SIM_DT_U16 || dt == SIM_DT_I16 || dt == SIM_DT_BF16;
}

void sim_flow_lower(struct insn *in, unsigned op, const u8 *st, bool packed)
{
    in->flow = (u8)flow_of(op);
    if (packed && in->flow == SIM_FLOW_ALL && in->o[0].words == 2)
        in->flow = SIM_FLOW_PK32;
    else if (packed && in->flow == SIM_FLOW_ALL && is_half(st[0]))
        in->flow = SIM_FLOW_PK16;
    for (int k = 0; k < 3; k++) {
        const struct operand *o = &in->o[1 + k];
        in->reads[k] = o->sel == SIM_SEL_WORD1   ? 12
                     : o->sel == SIM_SEL_WORD0   ? 3
                     : o->sel < SIM_SEL_WORD0    ? (u8)(1u << o->sel)
                     : is_half(st[k])             ? 3
                                                 : 15;
    }
    switch (op) {
    case SIM_OP_v_fma_mixlo_f16: case SIM_OP_v_fma_mixlo_bf16: in->half = 1; break;
    case SIM_OP_v_fma_mixhi_f16: case SIM_OP_v_fma_mixhi_bf16: in->half = 2; break;
    default: break;
    }
    switch (op) {
    case SIM_OP_v_fma_mix_f32: case SIM_OP_v_fma_mixlo_f16: case SIM_OP_v_fma_mixhi_f16:
    case SIM_OP_v_fma_mix_f32_bf16: case SIM_OP_v_fma_mixlo_bf16: case SIM_OP_v_fma_mixhi_bf16:
        for (int k = 0; k < 3; k++)
            in->reads[k] = !(in->o[1 + k].opsel & 2) ? 15 : in->o[1 + k].opsel & 1 ? 12 : 3;
        break;
    case SIM_OP_v_cvt_f32_ubyte0: in->reads[0] = 1; break;
    case SIM_OP_v_cvt_f32_ubyte1: in->reads[0] = 2; break;
    case SIM_OP_v_cvt_f32_ubyte2: in->reads[0] = 4; break;
    case SIM_OP_v_cvt_f32_ubyte3: in->reads[0] = 8; break;
    case SIM_OP_v_bfe_u32: case SIM_OP_v_bfe_i32:
        if (in->o[2].kind == SIM_KIND_CONST && in->o[3].kind == SIM_KIND_CONST) {
            unsigned off = in->o[2].rows[0] & 31, n = in->o[3].rows[0] & 31, bytes = 0;
            for (unsigned bit = off; bit < off + n && bit < 32; bit++)
                bytes |= 1u << (bit / 8);
            in->reads[0] = (u8)bytes;
        }
        break;
    default: break;
    }
}
