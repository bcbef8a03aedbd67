/* SPDX-License-Identifier: MIT */
/*
 * From encoded fields to operands and modifiers. Everything that is true of a format, and not of
 * one opcode, is here, once: source codes, constants, literals, SDWA and DPP dwords, accumulation
 * registers, addresses whose width depends on other fields.
 */
#include "decode/fields.h"

#include <string.h>

uint32_t sim_bits(const uint32_t *words, unsigned lo, unsigned bits)
{
    uint64_t w = words[lo / 32];

    if (lo / 32 < 4)
        w |= (uint64_t)words[lo / 32 + 1] << 32;
    return (w >> lo % 32) & ((UINT64_C(1) << bits) - 1);
}

void sim_fields_build(struct sim_table *t)
{
    enum { GFX9 = 1 << SIM_ISA_GFX9, GFX11 = 1 << SIM_ISA_GFX11, GFX12 = 1 << SIM_ISA_GFX12,
           GFX1250 = 1 << SIM_ISA_GFX1250, ALL = GFX9 | GFX11 | GFX12 | GFX1250 };
    static const struct { uint8_t sets, format, field, lo, bits; } fields[] = {
#define FORMAT(sets, name, dwords, mask0, match0, mask2, match2, lo, bits)
#define FIELD(sets, format, name, lo, bits) {sets, SIM_FMT_##format, SIM_F_##name, lo, bits},
#include "decode/formats.inc"
    };

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i].sets & 1 << t->isa)
            t->place[fields[i].format][fields[i].field] =
                (struct sim_place){fields[i].lo, fields[i].bits};
    memcpy(t->place[SIM_FMT_VOP3PX16], t->place[SIM_FMT_VOP3PX], sizeof t->place[0]);
}

/* Registers of A or B of an f8f6f4 matrix instruction: fp8 bf8 fp6 bf6 fp4. */
static unsigned f8f6f4_bits(const struct sim_fields *c, const struct sim_slot *s)
{
    unsigned fmt = s->field == SIM_F_src0
                       ? (c->t->isa == SIM_ISA_GFX9 ? c->out->cbsz : c->out->matrix_a_fmt)
                       : (c->t->isa == SIM_ISA_GFX9 ? c->out->blgp : c->out->matrix_b_fmt);

    return fmt < 2 ? s->bits : fmt < 4 ? s->bits / 4 * 3 : fmt == 4 ? s->bits / 2 : 0;
}

static unsigned width(const struct sim_fields *c, const struct sim_slot *s)
{
    unsigned bits = s->kinds & SIM_K_M ? c->wave : s->bits;

    if (c->op->accepts >> SIM_F_f8f6f4 & 1 && (s->field == SIM_F_src0 || s->field == SIM_F_src1))
        bits = f8f6f4_bits(c, s);
    if (c->op->cls == SIM_MATRIX && c->wave > c->f->wave && s->bits > 32 &&
        (c->t->isa != SIM_ISA_GFX11 || s->field == SIM_F_vdst || s->field == SIM_F_src2))
        bits /= 2; /* twice the lanes; RDNA3 keeps copies of A and B in both halves */
    if (s->field == SIM_F_vdst && c->wave > c->f->wave &&
        (c->op->token == SIM_OP_global_load_tr_b64 || c->op->token == SIM_OP_global_load_tr_b128))
        bits /= 2;
    if (s->field == SIM_F_vdata && c->out->tfe)
        bits += 32;
    return bits;
}

/* True if the saddr field says there is no scalar address. */
static bool saddr_off(const struct sim_fields *c)
{
    return fields_get(c, SIM_F_saddr) == (c->f->flags & SIM_SCALAR_NULL ? CODE_NULL : 0x7f);
}

/* Whether this form of the encoding has the operand; *bits is its width. Absent operands that text
 * shows as `off` stay, with file NONE. */
static bool memory_operand(const struct sim_fields *c, const struct sim_slot *s,
                           struct sim_operand *o, unsigned *bits)
{
    const struct sim_insn *i = c->out;
    bool absent = false;

    switch (s->field) {
    case SIM_F_vdst:
        if (fields_accepts(c, SIM_F_rtn) && !i->returns)
            return false;
        return !i->lds;
    case SIM_F_vdata:
        return !i->lds;
    case SIM_F_addr:
        if (c->format == SIM_FMT_SCRATCH)
            absent = fields_has(c, SIM_F_sve) && c->f->flags & (SIM_TEXT_SC | SIM_SCALAR_NULL)
                         ? !i->sve
                         : !saddr_off(c);
        else if (c->format != SIM_FMT_DS && fields_has(c, SIM_F_saddr))
            for (unsigned k = 0; k < c->op->nslots; k++)
                if (c->op->slot[k].field == SIM_F_saddr)
                    *bits = saddr_off(c) ? 64 : 32;
        break;
    case SIM_F_saddr:
        absent = saddr_off(c);
        break;
    case SIM_F_vaddr:
        absent = !i->offen && !i->idxen;
        *bits = i->offen && i->idxen ? 64 : 32;
        break;
    case SIM_F_soffset:
        if (c->format == SIM_FMT_SMEM)
            absent = c->t->isa == SIM_ISA_GFX9
                         ? !fields_get(c, SIM_F_soffset_en) && fields_get(c, SIM_F_imm)
                         : fields_get(c, SIM_F_soffset) == CODE_NULL;
        break;
    default:
        break;
    }
    if (absent)
        *bits = 0;
    (void)o;
    return true;
}

static int source_index(unsigned field)
{
    switch (field) {
    case SIM_F_src0: case SIM_F_srcx0: case SIM_F_srcy0: case SIM_F_scale_src0:
        return 0;
    case SIM_F_src1: case SIM_F_vsrc1: case SIM_F_vsrcx1: case SIM_F_vsrcy1: case SIM_F_scale_src1:
        return 1;
    case SIM_F_src2: case SIM_F_vsrcx2: case SIM_F_vsrcy2:
        return 2;
    default:
        return -1;
    }
}

static bool is_bitop3(const struct sim_opcode *o)
{
    return o->token == SIM_OP_v_bitop3_b32 || o->token == SIM_OP_v_bitop3_b16;
}

bool sim_is_mix(const struct sim_opcode *o)
{
    switch (o->token) {
    case SIM_OP_v_fma_mix_f32: case SIM_OP_v_fma_mixlo_f16: case SIM_OP_v_fma_mixhi_f16:
    case SIM_OP_v_fma_mix_f32_bf16: case SIM_OP_v_fma_mixlo_bf16: case SIM_OP_v_fma_mixhi_bf16:
        return true;
    default:
        return false;
    }
}

/* The modifiers of a source that the format has fields for. */
static void source_modifiers(const struct sim_fields *c, struct sim_operand *o)
{
    int k = source_index(o->field);

    if (k < 0 || is_bitop3(c->op))
        return;
    if (fields_accepts(c, SIM_F_abs0 + k))
        o->abs = fields_get(c, SIM_F_abs0 + k);
    if (fields_accepts(c, SIM_F_neg0 + k))
        o->neg = fields_get(c, SIM_F_neg0 + k);
    if (sim_is_mix(c->op))
        o->abs = fields_get(c, SIM_F_neg_hi0 + k);
    else
        o->neg_hi = fields_get(c, SIM_F_neg_hi0 + k);
    o->opsel = fields_get(c, SIM_F_opsel0 + k);
    o->opsel_hi = fields_get(c, SIM_F_opsel_hi0 + k);
}

/* Is this register operand an accumulation register? R slots follow an acc bit of the format. */
static bool acc(const struct sim_fields *c, const struct sim_slot *s)
{
    if (!(s->kinds & SIM_K_R))
        return false;
    switch (c->format) {
    case SIM_FMT_MAI: case SIM_FMT_VOP3PX:
        return fields_get(c, s->field == SIM_F_src0   ? SIM_F_acc0
                      : s->field == SIM_F_src1 ? SIM_F_acc1
                                               : SIM_F_acc_cd);
    default:
        return fields_get(c, SIM_F_acc);
    }
}

static bool fill(struct sim_fields *c, const struct sim_slot *s, struct sim_operand *o)
{
    unsigned v = fields_get(c, s->field);
    bool scalar_code = (s->kinds & (SIM_K_S | SIM_K_M)) && !(s->kinds & SIM_K_V);

    switch (s->field) {
    case SIM_F_simm16:
        o->file = SIM_FILE_IMM;
        o->value = v;
        return true;
    case SIM_F_vcc:
        o->file = SIM_FILE_VCC;
        return true;
    case SIM_F_K:
        return sim_operand_source(c, o,
                                  &(struct sim_slot){.kinds = s->bits == 64 ? SIM_K_W : SIM_K_L,
                                                     .type = s->type,
                                                     .field = s->field},
                                  s->bits == 64 ? CODE_LIT64 : CODE_LITERAL);
    case SIM_F_sbase:
        return sim_operand_scalar(c, o, v * 2);
    case SIM_F_srsrc:
        return sim_operand_scalar(c, o, fields_has(c, SIM_F_th) ? v : v * 4);
    case SIM_F_soffset:
        if (c->format == SIM_FMT_SMEM && c->t->isa == SIM_ISA_GFX9 &&
            !fields_get(c, SIM_F_soffset_en))
            v = fields_get(c, SIM_F_offset) & 0x7f;
        return sim_operand_source(c, o, s, v);
    case SIM_F_vdsty:
        if (c->format == SIM_FMT_VOPDY)
            v = v * 2 + !(fields_get(c, SIM_F_vdstx) & 1);
        return sim_operand_vgpr(c, o, s, v);
    case SIM_F_vdst: case SIM_F_vsrc1: case SIM_F_addr: case SIM_F_data: case SIM_F_data0:
    case SIM_F_data1: case SIM_F_vaddr: case SIM_F_vdata: case SIM_F_vdstx: case SIM_F_vsrcx1:
    case SIM_F_vsrcx2: case SIM_F_vsrcy1: case SIM_F_vsrcy2:
        if (scalar_code)
            return v < 128 && sim_operand_scalar(c, o, v);
        return sim_operand_vgpr(c, o, s, v);
    default:
        return sim_operand_source(c, o, s, v);
    }
}

/* Operands of one row, appended to out. */
static bool operands(struct sim_fields *c)
{
    struct sim_insn *out = c->out;
    bool memory = c->format >= SIM_FMT_DS || c->format == SIM_FMT_SMEM;

    for (unsigned k = 0; k < c->op->nslots; k++) {
        const struct sim_slot *s = &c->op->slot[k];
        struct sim_operand *o = &out->o[out->noperands];
        unsigned bits = width(c, s);

        *o = (struct sim_operand){.type = s->type, .access = s->access, .field = s->field};
        if (memory && !memory_operand(c, s, o, &bits))
            continue;
        out->noperands++;
        if (bits || s->kinds & SIM_K_N) {
            if (!fill(c, s, o))
                return false;
            if (o->file == SIM_FILE_V && acc(c, s))
                o->file = SIM_FILE_A;
            o->words = o->file == SIM_FILE_IMM ? 0 : (bits + 31) / 32;
            if (!sim_operand_tuple_ok(c, o))
                return false;
        } else if (fields_accepts(c, SIM_F_f8f6f4)) {
            return false;
        }
        source_modifiers(c, o);
        if (sim_is_mix(c->op) && source_index(s->field) >= 0 && !o->opsel_hi)
            sim_operand_as_f32(c, o);
        if (o->true16 && !o->half) {
            int src = source_index(s->field);
            int bit = s->field == SIM_F_vdst ? SIM_F_opsel3 : src >= 0 ? SIM_F_opsel0 + src : 0;

            if (bit)
                o->half = fields_get(c, bit);
        }
        if (o->field == SIM_F_vdata && fields_accepts(c, SIM_F_rtn) && !out->returns)
            o->access = SIM_READ;
        if (o->field == SIM_F_sdata && fields_accepts(c, SIM_F_rtn) && !out->returns)
            o->access = SIM_READ;
    }
    return true;
}

static int32_t sign_extend(uint32_t v, unsigned bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

/* Fields that belong to the instruction and not to an operand. */
static bool whole(struct sim_fields *c)
{
    struct sim_insn *o = c->out;
    bool gfx12 = c->t->isa >= SIM_ISA_GFX12;

    o->clamp = fields_accepts(c, SIM_F_clamp) && fields_get(c, SIM_F_clamp);
    o->omod = fields_accepts(c, SIM_F_omod) ? fields_get(c, SIM_F_omod) : 0;
    if (c->op->cls == SIM_MATRIX) {
        o->cbsz = fields_get(c, SIM_F_cbsz);
        o->abid = fields_get(c, SIM_F_abid);
        o->blgp = fields_get(c, SIM_F_blgp);
    }
    o->opsel = fields_get(c, SIM_F_opsel0) | fields_get(c, SIM_F_opsel1) << 1 |
               fields_get(c, SIM_F_opsel2) << 2 | fields_get(c, SIM_F_opsel3) << 3;
    o->glc = fields_get(c, SIM_F_glc);
    o->slc = fields_get(c, SIM_F_slc);
    o->dlc = fields_get(c, SIM_F_dlc);
    o->scc = fields_get(c, SIM_F_scc);
    o->th = fields_get(c, SIM_F_th);
    o->scope = fields_get(c, SIM_F_scope);
    o->offen = fields_get(c, SIM_F_offen);
    o->idxen = fields_get(c, SIM_F_idxen);
    o->lds = fields_accepts(c, SIM_F_lds) && fields_get(c, SIM_F_lds);
    o->tfe = fields_accepts(c, SIM_F_tfe) && fields_get(c, SIM_F_tfe);
    o->gds = fields_get(c, SIM_F_gds);
    o->nv = fields_get(c, SIM_F_nv);
    o->sve = fields_get(c, SIM_F_sve);
    if (c->format == SIM_FMT_SCRATCH && c->t->isa == SIM_ISA_GFX9 && !(c->f->flags & SIM_TEXT_SC)) {
        o->lds = fields_accepts(c, SIM_F_lds) && o->sve; /* gfx90a: the bit is the lds bit */
        o->sve = false;
    }
    o->scale_offset = fields_get(c, SIM_F_scale_offset);
    o->dfmt = fields_has(c, SIM_F_format) ? fields_get(c, SIM_F_format) : fields_get(c, SIM_F_dfmt);
    o->nfmt = fields_get(c, SIM_F_nfmt);
    o->returns = fields_accepts(c, SIM_F_rtn) && (gfx12 ? o->th & 1 : o->glc);
    if (c->format == SIM_FMT_VOP3PX && c->t->isa == SIM_ISA_GFX9) {
        o->matrix_a_scale = fields_get(c, SIM_F_scale_opsel0) | fields_get(c, SIM_F_scale_opsel_hi0)
                                                                    << 1;
        o->matrix_b_scale = fields_get(c, SIM_F_scale_opsel1) | fields_get(c, SIM_F_scale_opsel_hi1)
                                                                    << 1;
    } else if (c->format == SIM_FMT_VOP3PX || c->format == SIM_FMT_VOP3PX16) {
        o->matrix_a_fmt = fields_get(c, SIM_F_matrix_a_fmt);
        o->matrix_b_fmt =
            fields_get(c, SIM_F_matrix_b_fmt_lo) | fields_get(c, SIM_F_matrix_b_fmt_hi) << 2;
        o->matrix_a_scale = fields_get(c, SIM_F_matrix_a_scale_row);
        o->matrix_b_scale = fields_get(c, SIM_F_matrix_b_scale_row);
        o->matrix_a_scale_fmt = fields_get(c, SIM_F_matrix_a_scale_fmt);
        o->matrix_b_scale_fmt = fields_get(c, SIM_F_matrix_b_scale_fmt);
        o->matrix_reuse = fields_get(c, SIM_F_matrix_a_reuse) | fields_get(c, SIM_F_matrix_b_reuse)
                                                                    << 1;
    } else if (c->format == SIM_FMT_VOP3P && c->t->isa == SIM_ISA_GFX1250 &&
               c->op->cls == SIM_MATRIX) {
        unsigned b = fields_get(c, SIM_F_opsel_hi0) | fields_get(c, SIM_F_opsel_hi1) << 1 |
                     fields_get(c, SIM_F_opsel_hi2) << 2;

        if (fields_accepts(c, SIM_F_f8f6f4)) {
            o->matrix_a_fmt = o->opsel & 7;
            o->matrix_b_fmt = b;
        } else if (fields_accepts(c, SIM_F_opsel2)) {
            o->matrix_reuse = (o->opsel >> 2 & 1) | (b >> 2 & 1) << 1;
        }
    }
    if (c->format == SIM_FMT_VOP3P && c->op->cls == SIM_MATRIX && gfx12 &&
        !fields_accepts(c, SIM_F_f8f6f4))
        o->index_key = (fields_accepts(c, SIM_F_opsel0) ? fields_get(c, SIM_F_opsel0) : 0) |
                       (fields_accepts(c, SIM_F_opsel1) ? fields_get(c, SIM_F_opsel1) << 1 : 0);
    if (is_bitop3(c->op)) {
        o->omod = 0;
        o->bitop = fields_get(c, SIM_F_omod) << 6 | fields_get(c, SIM_F_abs2) << 5 |
                   fields_get(c, SIM_F_abs1) << 4 | fields_get(c, SIM_F_abs0) << 3 |
                   fields_get(c, SIM_F_neg2) << 2 | fields_get(c, SIM_F_neg1) << 1 |
                   fields_get(c, SIM_F_neg0);
    }
    if (fields_accepts(c, SIM_F_offset) || fields_accepts(c, SIM_F_offset2)) {
        uint32_t v = fields_get(c, SIM_F_offset);
        unsigned bits = c->t->place[c->format][SIM_F_offset].bits;

        if (c->format == SIM_FMT_DS) {
            o->offset = fields_get(c, SIM_F_offset0);
            o->offset1 = fields_get(c, SIM_F_offset1);
            if (fields_accepts(c, SIM_F_offset)) {
                o->offset |= o->offset1 << 8;
                o->offset1 = 0;
            }
        } else if (c->format == SIM_FMT_MUBUF || c->format == SIM_FMT_MTBUF ||
                   (c->format == SIM_FMT_FLAT && !gfx12)) {
            o->offset = v;
        } else if (c->format == SIM_FMT_SMEM && c->t->isa == SIM_ISA_GFX9 &&
                   !fields_get(c, SIM_F_imm)) {
            o->offset = 0;
        } else {
            o->offset = sign_extend(v, bits);
        }
    }
    return true;
}

/* Modifier bits that the row does not accept must be zero; op_sel_hi is set by assemblers
 * everywhere. */
static bool unknown_modifier(const struct sim_fields *c)
{
    unsigned last = c->format == SIM_FMT_VOP3P || c->format == SIM_FMT_VOP3PX ||
                            c->format == SIM_FMT_VOP3PX16
                        ? SIM_F_NONE
                        : SIM_F_opsel3;

    for (unsigned m = SIM_F_abs0; m <= last; m++)
        if (!fields_accepts(c, m) && fields_get(c, m))
            return true;
    if (c->format == SIM_FMT_VOP3 || c->format == SIM_FMT_VOP3SD)
        return (!fields_accepts(c, SIM_F_clamp) && fields_get(c, SIM_F_clamp)) ||
               (!fields_accepts(c, SIM_F_omod) && fields_get(c, SIM_F_omod));
    return false;
}

/* Operands of a row whose src0 comes from the extra dword: the field is given a harmless register
 * while the rest is read. */
static bool operands_with(struct sim_fields *c)
{
    uint32_t *w = c->out->words, keep[2];
    struct sim_place at = c->t->place[c->format][SIM_F_src0];
    bool ok;

    if (c->out->lanes == SIM_LANES_PLAIN)
        return operands(c);
    memcpy(keep, w, sizeof keep);
    /* src0 lies within one dword in every format that has these forms */
    w[at.lo / 32] = (w[at.lo / 32] & ~(0x1ffu << at.lo % 32)) | 0x100u << at.lo % 32;
    ok = operands(c);
    memcpy(w, keep, sizeof keep);
    return ok;
}

static bool half(struct sim_fields *c, const struct sim_opcode *op, unsigned format)
{
    c->op = op;
    c->format = format;
    return whole(c) && !unknown_modifier(c) && sim_lanes_form(c);
}

bool sim_fields(const struct sim_table *t, const struct sim_family *f, unsigned wave,
                struct sim_insn *out)
{
    struct sim_fields c = {.t = t, .f = f, .out = out, .wave = wave, .next = out->size / 4};
    uint32_t extra = 0;

    if (!half(&c, out->op, out->op->format))
        return false;
    if (out->lanes != SIM_LANES_PLAIN)
        extra = out->words[c.next++];
    if (!operands_with(&c))
        return false;
    if (!sim_lanes_apply(&c, extra))
        return false;
    if (out->op_y) {
        unsigned n = out->noperands;

        if (!half(&c, out->op_y, out->op_y->format) || !operands(&c))
            return false;
        out->y_operands = out->noperands - n;
        if (out->op_y->format == SIM_FMT_VOPD3Y)
            out->bitop = fields_get(&c, SIM_F_vsrcy2);
    }
    out->size = c.next * 4;
    return true;
}
