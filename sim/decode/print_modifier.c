/* SPDX-License-Identifier: MIT */
/* Text of what follows the operands; see text.h. */
#include "decode/text.h"

#include <string.h>

static unsigned sources(const struct sim_text *t)
{
    unsigned n = 0;

    for (unsigned k = 0; k < t->i->noperands; k++)
        switch (t->i->o[k].field) {
        case SIM_F_src0: case SIM_F_src1: case SIM_F_src2:
            n++;
        }
    return n;
}

/* " op_sel:[0,1,1]" of the bits, unless all have the default value. */
void sim_text_bits(struct sim_text *t, const char *name, unsigned bits, unsigned n, unsigned normal)
{
    if (bits == normal)
        return;
    sim_put(t, " %s:[", name);
    for (unsigned k = 0; k < n; k++)
        sim_put(t, "%s%u", k ? "," : "", bits >> k & 1);
    sim_put(t, "]");
}

void sim_text_clamp_omod(struct sim_text *t)
{
    static const char *const omods[] = {"", " mul:2", " mul:4", " div:2"};

    if (t->i->clamp)
        sim_put(t, " clamp");
    sim_put(t, "%s", omods[t->i->omod & 3]);
}

/* Conversions that pick one byte of an 8-bit float register; gfx12 names it byte_sel. */
static bool is_byte_sel(const struct sim_text *t)
{
    const char *name = sim_op_name(t->op->token);

    return strncmp(name, "v_cvt_sr_fp8", 12) == 0 || strncmp(name, "v_cvt_sr_bf8", 12) == 0 ||
           strcmp(name, "v_cvt_f32_fp8") == 0 || strcmp(name, "v_cvt_f32_bf8") == 0 ||
           strcmp(name, "v_cvt_f16_fp8") == 0 || strcmp(name, "v_cvt_f16_bf8") == 0;
}

/* byte_sel, and op_sel of the bits that do not pick the byte. */
static void byte_sel(struct sim_text *t)
{
    unsigned sel = t->i->opsel, byte, n = sources(t);

    if (text_accepts(t, SIM_F_opsel2)) { /* of the destination: bits 2 and 3 */
        byte = sel >> 2;
        sel &= (1u << n) - 1;
    } else { /* of the source: bits 1 and 0; the destination may have a half */
        byte = (sel & 1) << 1 | (sel >> 1 & 1);
        sel = text_accepts(t, SIM_F_opsel3) ? (sel >> 3 & 1) << n : 0;
    }
    sim_text_bits(t, "op_sel", sel, n + 1, 0);
    if (byte)
        sim_put(t, " byte_sel:%u", byte);
}

/* op_sel of a VOP3 word: sources, then the destination where it has a bit. */
void sim_text_opsel(struct sim_text *t)
{
    /* the tied accumulator of v_fmac_f16 counts as a source; v_permlane16 has bits for two of
     * three */
    unsigned n = text_accepts(t, SIM_F_opsel2) || text_is(t, SIM_OP_v_fmac_f16)              ? 3
                 : text_is(t, SIM_OP_v_permlane16_b32) || text_is(t, SIM_OP_v_permlanex16_b32) ? 2
                                                                                     : sources(t);
    unsigned bits = t->i->opsel & ((1u << n) - 1);

    if (text_is(t, SIM_OP_v_permlane16_swap_b32) || text_is(t, SIM_OP_v_permlane32_swap_b32)) {
        sim_put(t, "%s%s", bits & 2 ? " bound_ctrl:1" : "", bits & 1 ? " fi:1" : "");
        return;
    }
    if (!(t->op->accepts >> SIM_F_opsel0 & 15))
        return;
    if (strncmp(sim_op_name(t->op->token), "v_cvt_scale_pk", 14) == 0) {
        if (t->i->opsel)
            sim_put(t, " scale_sel:%u", t->i->opsel);
        return;
    }
    if (t->f->isa >= SIM_ISA_GFX12 && is_byte_sel(t)) {
        byte_sel(t);
        return;
    }
    if (text_is(t, SIM_OP_v_cndmask_b16)) /* its halves are in the names of the registers alone */
        return;
    if (text_accepts(t, SIM_F_opsel3) ||
        (t->op->slot[0].kinds & SIM_K_M && t->i->lanes == SIM_LANES_PLAIN)) {
        bits |= (t->i->opsel >> 3 & 1) << n;
        n++;
    }
    sim_text_bits(t, "op_sel", bits, n, 0);
}

void sim_text_packed(struct sim_text *t)
{
    unsigned n = sources(t), all = (1u << n) - 1, hi = 0, neg = 0, neg_hi = 0;
    bool mix = sim_is_mix(t->op);

    if (strncmp(sim_op_name(t->op->token), "v_wmma_ld_scale", 15) == 0)
        return;
    if (t->op->cls == SIM_MATRIX && t->f->isa >= SIM_ISA_GFX12) {
        if (t->i->index_key)
            sim_put(t, " index_key:%u", t->i->index_key);
        if (t->i->matrix_reuse & 1)
            sim_put(t, " matrix_a_reuse");
        if (t->i->matrix_reuse & 2)
            sim_put(t, " matrix_b_reuse");
        all = 0;
    }
    for (unsigned k = 0; k < n; k++) {
        hi |= text_field(t, SIM_F_opsel_hi0 + k) << k;
        neg |= text_field(t, SIM_F_neg0 + k) << k;
        neg_hi |= text_field(t, SIM_F_neg_hi0 + k) << k;
    }
    if (strncmp(sim_op_name(t->op->token), "v_dot2_", 7) == 0 || t->op->accepts >> SIM_F_opsel0 & 7)
        sim_text_bits(t, "op_sel", t->i->opsel & all, n, 0);
    if (strncmp(sim_op_name(t->op->token), "v_dot2_", 7) == 0 ||
        t->op->accepts >> SIM_F_opsel_hi0 & 7)
        sim_text_bits(t, "op_sel_hi", hi & all, n, mix ? 0 : all);
    if (!mix && t->op->accepts >> SIM_F_neg0 & 7)
        sim_text_bits(t, "neg_lo", neg, n, 0);
    if (!mix && t->op->accepts >> SIM_F_neg_hi0 & 7)
        sim_text_bits(t, "neg_hi", neg_hi, n, 0);
    if (t->i->clamp)
        sim_put(t, " clamp");
}

void sim_text_dpp(struct sim_text *t)
{
    unsigned c = t->i->dpp.ctrl;

    if (t->i->lanes == SIM_LANES_DPP8) {
        sim_put(t, " dpp8:[");
        for (int k = 0; k < 8; k++)
            sim_put(t, "%s%u", k ? "," : "", t->i->dpp.dpp8 >> 3 * k & 7);
        sim_put(t, "]");
        if (t->i->dpp.fi)
            sim_put(t, " fi:1");
        return;
    }
    if (t->i->lanes != SIM_LANES_DPP16)
        return;
    if (c < 0x100)
        sim_put(t, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
    else if (c > 0x100 && c < 0x110)
        sim_put(t, " row_shl:%u", c & 15);
    else if (c > 0x110 && c < 0x120)
        sim_put(t, " row_shr:%u", c & 15);
    else if (c > 0x120 && c < 0x130)
        sim_put(t, " row_ror:%u", c & 15);
    else if (c == 0x130 || c == 0x134 || c == 0x138 || c == 0x13c)
        sim_put(t, " wave_%s:1",
                c == 0x130   ? "shl"
                : c == 0x134 ? "rol"
                : c == 0x138 ? "shr"
                             : "ror");
    else if (c == 0x140)
        sim_put(t, " row_mirror");
    else if (c == 0x141)
        sim_put(t, " row_half_mirror");
    else if (c == 0x142 || c == 0x143)
        sim_put(t, " row_bcast:%u", c == 0x142 ? 15 : 31);
    else if (c >= 0x150 && c < 0x160)
        sim_put(t, " row_%s:%u", t->f->isa == SIM_ISA_GFX9 ? "newbcast" : "share", c & 15);
    else if (c >= 0x160 && c < 0x170)
        sim_put(t, " row_xmask:%u", c & 15);
    else
        sim_put(t, " /* Invalid dpp_ctrl value */");
    sim_put(t, " row_mask:0x%x bank_mask:0x%x", t->i->dpp.row_mask, t->i->dpp.bank_mask);
    if (t->i->dpp.bound_ctrl)
        sim_put(t, " bound_ctrl:1");
    if (t->i->dpp.fi && t->f->isa != SIM_ISA_GFX9)
        sim_put(t, " fi:1");
}

void sim_text_sdwa(struct sim_text *t)
{
    static const char *const sel[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1",
                                      "DWORD", "7"};
    static const char *const unused[] = {"PAD", "SEXT", "PRESERVE", "PAD"};
    bool two = false;

    for (unsigned k = 0; k < t->i->noperands; k++)
        two |= t->i->o[k].field == SIM_F_vsrc1;
    if (t->op->format != SIM_FMT_VOPC)
        sim_put(t, " dst_sel:%s dst_unused:UNUSED_%s", sel[t->i->sdwa.dst_sel],
            unused[t->i->sdwa.dst_unused]);
    sim_put(t, " src0_sel:%s", sel[t->i->sdwa.src0_sel]);
    if (two)
        sim_put(t, " src1_sel:%s", sel[t->i->sdwa.src1_sel]);
}

/* Cache bits of the families before gfx12. */
void sim_text_cache_bits(struct sim_text *t)
{
    bool sc = t->f->flags & SIM_TEXT_SC;

    if (!text_accepts(t, SIM_F_offset) && !sc) /* cache control of gfx90a and gfx11 has none */
        return;
    if (t->i->glc)
        sim_put(t, sc ? " sc0" : " glc");
    if (t->i->slc && text_accepts(t, SIM_F_offset))
        sim_put(t, sc ? " nt" : " slc");
    if (t->i->dlc)
        sim_put(t, " dlc");
    if (t->i->scc)
        sim_put(t, sc ? " sc1" : " scc");
}

/* Temporal hint and scope of gfx12; RDNA4 ISA, "Memory scopes and temporal hints". */
void sim_text_th_scope(struct sim_text *t)
{
    static const char *const loads[] = {"RT", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT"};
    static const char *const stores[] = {"RT",    "NT",    "HT",    "WB",
                                         "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
    static const char *const atomics[] = {"0x0", "RETURN", "NT", "NT_RETURN", "0x4", "0x5", "0x6",
                                          "0x7"};
    static const char *const scopes[] = {"", " scope:SCOPE_SE", " scope:SCOPE_DEV",
                                         " scope:SCOPE_SYS"};
    unsigned th = t->i->th;
    bool system = t->i->scope == 3, store = t->op->cls == SIM_STORE;

    if (th && t->op->cls == SIM_ATOMIC && th & 4 && t->i->scope >= 2)
        sim_put(t, " th:TH_ATOMIC_CASCADE_%s", th & 2 ? "NT" : "RT");
    else if (th && t->op->cls == SIM_ATOMIC)
        sim_put(t, " th:TH_ATOMIC_%s", atomics[th]);
    else if (th == 3 && system)
        sim_put(t, " th:TH_%s_BYPASS", store ? "STORE" : "LOAD");
    else if (th == 7 && !store)
        sim_put(t, " th:0x7");
    else if (th)
        sim_put(t, " th:TH_%s_%s", store ? "STORE" : "LOAD", (store ? stores : loads)[th]);
    sim_put(t, "%s%s", scopes[t->i->scope], t->i->nv ? " nv" : "");
}

void sim_text_offset(struct sim_text *t)
{
    if (text_accepts(t, SIM_F_offset) && t->i->offset)
        sim_put(t, " offset:%d", t->i->offset);
}

/* The truth table of v_bitop3 and v_bitop2. */
void sim_text_bitop(struct sim_text *t)
{
    if (t->i->bitop)
        sim_put(t, t->i->bitop > 10 ? " bitop3:0x%x" : " bitop3:%u", t->i->bitop);
}
