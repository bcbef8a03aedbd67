/* SPDX-License-Identifier: MIT */
/*
 * The text of an instruction as llvm-objdump 22 writes it: each format is a list of parts in the
 * order of its assembly syntax.
 */
#include "decode/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void sim_put(struct sim_text *t, const char *format, ...)
{
    va_list ap;
    size_t left = t->len < t->size ? t->size - t->len : 0;

    va_start(ap, format);
    t->len += vsnprintf(left ? t->buf + t->len : NULL, left, format, ap);
    va_end(ap);
}

/* Operands with their signs, from first to last, separated by commas. */
static void operands(struct sim_text *t, unsigned first, unsigned last, const char *sep)
{
    for (unsigned k = first; k < last; k++) {
        const struct sim_operand *o = &t->i->o[k];

        sim_put(t, "%s", sep);
        if (o->file == SIM_FILE_IMM)
            sim_text_simm16(t, o->value);
        else if (t->op->format >= SIM_FMT_VOP3P && t->op->format <= SIM_FMT_VOP3PX16 &&
                 !sim_is_mix(t->op))
            sim_text_operand(t, o); /* signs are lists behind the operands */
        else
            sim_text_source(t, o);
        sep = ", ";
    }
}

static void scalar(struct sim_text *t)
{
    unsigned v = t->i->noperands ? t->i->o[t->i->noperands - 1].value : 0;

    switch (t->op->token) {
    case SIM_OP_s_waitcnt:
        sim_text_waitcnt(t, v);
        return;
    case SIM_OP_s_delay_alu:
        sim_text_delay_alu(t, v);
        return;
    case SIM_OP_s_waitcnt_depctr: case SIM_OP_s_wait_alu:
        sim_text_depctr(t, v);
        return;
    case SIM_OP_s_version:
        sim_text_version(t, v);
        return;
    case SIM_OP_s_endpgm:
        if (!v)
            return;
        break;
    case SIM_OP_s_set_gpr_idx_on:
        operands(t, 0, 1, " ");
        sim_put(t, ", ");
        sim_text_gpr_idx(t, t->i->words[0] >> 8 & 0xff);
        return;
    case SIM_OP_s_sendmsg_rtn_b32: case SIM_OP_s_sendmsg_rtn_b64:
        operands(t, 0, 1, " ");
        sim_put(t, ", ");
        sim_text_sendmsg(t, t->i->words[0] & 0xff);
        return;
    case SIM_OP_s_subvector_loop_begin: case SIM_OP_s_subvector_loop_end:
        operands(t, 0, 1, " ");
        sim_put(t, ", %u", v);
        return;
    case SIM_OP_s_setreg_b32:
        sim_put(t, " ");
        sim_text_simm16(t, v);
        sim_put(t, ", ");
        sim_text_source(t, &t->i->o[0]);
        return;
    }
    operands(t, 0, t->i->noperands, " ");
}

static void signed_hex(struct sim_text *t, int32_t v)
{
    sim_put(t, v < 0 ? "-0x%x" : "0x%x", v < 0 ? -(uint32_t)v : (uint32_t)v);
}

static void smem(struct sim_text *t)
{
    const struct sim_insn *i = t->i;
    const struct sim_operand *so = NULL;
    unsigned n = i->noperands;

    if (!n)
        return;
    if (i->o[n - 1].field == SIM_F_soffset) {
        so = &i->o[n - 1];
        n--;
    }
    if (so && strstr(sim_op_name(t->op->token), "prefetch")) {
        operands(t, 0, n, " ");
        sim_put(t, n ? ", " : " ");
        signed_hex(t, i->offset);
        sim_put(t, ", ");
        if (so->file == SIM_FILE_NONE)
            sim_put(t, "null");
        else
            sim_text_operand(t, so);
        sim_put(t, ", %u", text_field(t, SIM_F_sdata) & 31);
        return;
    }
    if (strncmp(sim_op_name(t->op->token), "s_atc_probe", 11) == 0)
        sim_put(t, text_field(t, SIM_F_sdata) > 64 ? " 0x%x," : " %u,", text_field(t, SIM_F_sdata));
    operands(t, 0, n, " ");
    if (so && text_accepts(t, SIM_F_offset)) {
        bool imm = t->f->isa != SIM_ISA_GFX9 || text_field(t, SIM_F_imm);

        sim_put(t, ", ");
        if (t->f->isa == SIM_ISA_GFX11 && so->file == SIM_FILE_NONE && !i->offset) {
            sim_put(t, "null"); /* LLVM sees the form with a register */
        } else if (so->file != SIM_FILE_NONE) {
            sim_text_operand(t, so);
            if (imm && (i->offset || t->f->isa != SIM_ISA_GFX11)) {
                sim_put(t, " offset:");
                signed_hex(t, i->offset);
            }
        } else {
            signed_hex(t, i->offset);
        }
    }
    if (t->f->isa >= SIM_ISA_GFX12 && so && i->scale_offset)
        sim_put(t, " scale_offset");
    if (t->f->isa >= SIM_ISA_GFX12)
        sim_text_th_scope(t);
    else if (so && i->o[0].field == SIM_F_sdata)
        sim_put(t, "%s%s", i->glc ? " glc" : "", i->dlc ? " dlc" : "");
}

static void vector(struct sim_text *t)
{
    const struct sim_insn *i = t->i;

    operands(t, 0, i->noperands, " ");
    switch (t->op->format) {
    case SIM_FMT_VOP3: case SIM_FMT_VOP3SD:
        if (text_is(t, SIM_OP_v_bitop3_b32) || text_is(t, SIM_OP_v_bitop3_b16))
            sim_text_bitop(t);
        sim_text_opsel(t);
        sim_text_clamp_omod(t);
        break;
    case SIM_FMT_VOP3P:
        sim_text_packed(t);
        break;
    default:
        sim_text_clamp_omod(t);
        break;
    }
    if (i->lanes == SIM_LANES_SDWA)
        sim_text_sdwa(t);
    else
        sim_text_dpp(t);
}

static void mfma(struct sim_text *t)
{
    const struct sim_insn *i = t->i;

    operands(t, 0, i->noperands, " ");
    if (t->op->format == SIM_FMT_VOP3PX) {
        sim_text_bits(t, "op_sel", (i->matrix_a_scale & 1) | (i->matrix_b_scale & 1) << 1, 3, 0);
        sim_text_bits(t, "op_sel_hi", (i->matrix_a_scale >> 1) | (i->matrix_b_scale >> 1) << 1, 3,
                      7);
    }
    if (i->cbsz)
        sim_put(t, " cbsz:%u", i->cbsz);
    if (i->abid && !text_accepts(t, SIM_F_f8f6f4))
        sim_put(t, " abid:%u", i->abid);
    if (i->blgp) {
        bool f64 = strncmp(sim_op_name(t->op->token), "v_mfma_f64", 10) == 0;

        if (f64 && t->f->flags & SIM_BLGP_NEG)
            sim_text_bits(t, "neg", i->blgp, 3, 0);
        else
            sim_put(t, " blgp:%u", i->blgp);
    }
}

static void scaled_wmma(struct sim_text *t)
{
    static const char *const fmts[] = {"FP8", "BF8", "FP6", "BF6", "FP4"};
    static const char *const scales[] = {"E8", "E5M3", "E4M3"};
    const struct sim_insn *i = t->i;

    operands(t, 0, i->noperands, " ");
    if (text_accepts(t, SIM_F_f8f6f4)) {
        if (i->matrix_a_fmt && i->matrix_a_fmt < 5)
            sim_put(t, " matrix_a_fmt:MATRIX_FMT_%s", fmts[i->matrix_a_fmt]);
        if (i->matrix_b_fmt && i->matrix_b_fmt < 5)
            sim_put(t, " matrix_b_fmt:MATRIX_FMT_%s", fmts[i->matrix_b_fmt]);
    }
    if (text_accepts(t, SIM_F_scale)) {
        if (i->matrix_a_scale)
            sim_put(t, " matrix_a_scale:MATRIX_SCALE_ROW1");
        if (i->matrix_b_scale)
            sim_put(t, " matrix_b_scale:MATRIX_SCALE_ROW1");
        if (i->matrix_a_scale_fmt && i->matrix_a_scale_fmt < 3)
            sim_put(t, " matrix_a_scale_fmt:MATRIX_SCALE_FMT_%s", scales[i->matrix_a_scale_fmt]);
        if (i->matrix_b_scale_fmt && i->matrix_b_scale_fmt < 3)
            sim_put(t, " matrix_b_scale_fmt:MATRIX_SCALE_FMT_%s", scales[i->matrix_b_scale_fmt]);
    }
    if (i->matrix_reuse & 1)
        sim_put(t, " matrix_a_reuse");
    if (i->matrix_reuse & 2)
        sim_put(t, " matrix_b_reuse");
    sim_text_bits(t, "neg_lo", text_field(t, SIM_F_neg2) << 2, 3, 0);
    sim_text_bits(t, "neg_hi", text_field(t, SIM_F_neg_hi2) << 2, 3, 0);
}

static void dual(struct sim_text *t)
{
    const struct sim_insn *i = t->i;
    unsigned x = i->noperands - i->y_operands;
    char name[64];
    unsigned last = x;

    while (last && i->o[last - 1].field == SIM_F_vcc)
        last--;
    operands(t, 0, last, " ");
    sim_opcode_text(i->op_y, name, sizeof name);
    sim_put(t, " :: %s", name);
    t->op = i->op_y;
    last = i->noperands;
    while (last > x && i->o[last - 1].field == SIM_F_vcc)
        last--;
    operands(t, x, last, " ");
    if (text_is(t, SIM_OP_v_bitop2_b32))
        sim_text_bitop(t);
}

static void ds(struct sim_text *t)
{
    operands(t, 0, t->i->noperands, " ");
    if (text_is(t, SIM_OP_ds_swizzle_b32)) {
        sim_text_swizzle(t, t->i->offset);
    } else if (text_accepts(t, SIM_F_offset2)) {
        if (t->i->offset)
            sim_put(t, " offset0:%u", t->i->offset);
        if (t->i->offset1)
            sim_put(t, " offset1:%u", t->i->offset1);
    } else {
        sim_text_offset(t);
    }
    if (t->i->gds && (t->f->isa != SIM_ISA_GFX9 ||
                      strncmp(sim_op_name(t->op->token), "ds_gws", 6) == 0))
        sim_put(t, " gds");
}

static void flat(struct sim_text *t)
{
    const struct sim_insn *i = t->i;
    unsigned n = i->noperands;

    /* FLAT without a scalar address has no `off` */
    if (n && t->op->format == SIM_FMT_FLAT && i->o[n - 1].field == SIM_F_saddr &&
        i->o[n - 1].file == SIM_FILE_NONE)
        n--;
    operands(t, 0, n, " ");
    if (text_is(t, SIM_OP_tensor_save))
        sim_put(t, " null");
    sim_text_offset(t);
    if (i->scale_offset)
        sim_put(t, " scale_offset");
    if (t->f->isa >= SIM_ISA_GFX12)
        sim_text_th_scope(t);
    else
        sim_text_cache_bits(t);
    if (i->lds)
        sim_put(t, " lds");
}

static void buffer(struct sim_text *t)
{
    const struct sim_insn *i = t->i;

    operands(t, 0, i->noperands, " ");
    if (sim_op_name(t->op->token)[0] == 't')
        sim_text_typed_format(t);
    if (i->idxen)
        sim_put(t, " idxen");
    if (i->offen)
        sim_put(t, " offen");
    sim_text_offset(t);
    if (t->f->isa >= SIM_ISA_GFX12)
        sim_text_th_scope(t);
    else
        sim_text_cache_bits(t);
    if (i->tfe)
        sim_put(t, " tfe");
    if (i->lds || text_is(t, SIM_OP_buffer_store_lds_dword))
        sim_put(t, " lds");
}

static void mnemonic(struct sim_text *t)
{
    char name[64];
    const struct sim_opcode *o = t->op;

    if (t->i->lanes == SIM_LANES_PLAIN) {
        sim_opcode_text(o, name, sizeof name);
        sim_put(t, "%s", name);
        return;
    }
    sim_put(t, "%s%s%s", sim_op_name(o->token),
            o->form == SIM_FORM_e64 || o->format == SIM_FMT_VOP3 || o->format == SIM_FMT_VOP3SD ||
                    o->format == SIM_FMT_VOP3P
                ? "_e64"
                : "",
            t->i->lanes == SIM_LANES_SDWA                                                 ? "_sdwa"
            : t->f->isa != SIM_ISA_GFX9 && o->format == SIM_FMT_VOPC /* as LLVM has it */ ? ""
                                                                                          : "_dpp");
}

int sim_print(const struct sim_family *f, const struct sim_insn *i, unsigned msb, char *buf,
              size_t n)
{
    struct sim_text t = {.buf = buf,
                         .size = n,
                         .t = sim_table_get(f->isa),
                         .f = f,
                         .i = i,
                         .op = i->op,
                         .msb = f->flags & SIM_HAS_VGPR_MSB ? msb : 0};

    if (n)
        *buf = 0;
    if (!i->op) {
        sim_put(&t, ".long 0x%08x", i->words[0]);
        return t.len;
    }
    mnemonic(&t);
    switch (i->format) {
    case SIM_FMT_SOP1: case SIM_FMT_SOP2: case SIM_FMT_SOPC: case SIM_FMT_SOPK: case SIM_FMT_SOPP:
        scalar(&t);
        break;
    case SIM_FMT_SMEM:
        smem(&t);
        break;
    case SIM_FMT_VOP1: case SIM_FMT_VOP2: case SIM_FMT_VOPC: case SIM_FMT_VOP3: case SIM_FMT_VOP3SD:
        vector(&t);
        break;
    case SIM_FMT_VOP3P:
        if (f->isa == SIM_ISA_GFX1250 && i->op->cls == SIM_MATRIX && text_accepts(&t, SIM_F_f8f6f4))
            scaled_wmma(&t);
        else
            vector(&t);
        break;
    case SIM_FMT_MAI:
        mfma(&t);
        break;
    case SIM_FMT_VOP3PX: case SIM_FMT_VOP3PX16:
        f->isa == SIM_ISA_GFX9 ? mfma(&t) : scaled_wmma(&t);
        break;
    case SIM_FMT_VOPDX: case SIM_FMT_VOPD3X:
        dual(&t);
        break;
    case SIM_FMT_DS:
        ds(&t);
        break;
    case SIM_FMT_FLAT: case SIM_FMT_SCRATCH: case SIM_FMT_GLOBAL:
        flat(&t);
        break;
    case SIM_FMT_MUBUF: case SIM_FMT_MTBUF: case SIM_FMT_VBUFFER:
        buffer(&t);
        break;
    case SIM_FMT_TENSOR:
        operands(&t, 0, i->noperands == 4 && i->o[2].file == SIM_FILE_NULL &&
                 i->o[3].file == SIM_FILE_NULL ? 2 : i->noperands, " ");
        sim_text_th_scope(&t);
        break;
    }
    return t.len;
}
