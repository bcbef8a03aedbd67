/* SPDX-License-Identifier: MIT */
/* Source forms that bring a dword of their own: SDWA, DPP16, DPP8; see fields.h. */
#include "decode/fields.h"

/* A source from a DPP or SDWA dword replaces the one the word names. */
static bool replace_source(struct sim_fields *c, unsigned field, unsigned code)
{
    for (unsigned k = 0; k < c->op->nslots; k++) {
        const struct sim_slot *s = &c->op->slot[k];
        struct sim_operand *o = &c->out->o[k];

        if (s->field != field)
            continue;
        o->file = SIM_FILE_NONE;
        o->half = 0;
        if (code < 256)
            return sim_operand_scalar(c, o, code);
        if (!sim_operand_vgpr(c, o, s, code - 256))
            return false;
        if (o->true16 && c->format == SIM_FMT_VOP3)
            o->half = fields_get(c, SIM_F_opsel0);
        return true;
    }
    return true;
}

static struct sim_operand *operand_of(struct sim_fields *c, unsigned field)
{
    for (unsigned k = 0; k < c->out->noperands; k++)
        if (c->out->o[k].field == field)
            return &c->out->o[k];
    return NULL;
}

/* Do DPP and SDWA sign bits apply? Float instructions have neg and abs, integer ones sext. */
static bool is_float(const struct sim_opcode *op)
{
    for (unsigned k = 0; k < op->nslots; k++)
        switch (op->slot[k].type) {
        case SIM_T_F16: case SIM_T_BF16: case SIM_T_F32: case SIM_T_F64: case SIM_T_V2F16:
        case SIM_T_V2BF16:
            return true;
        }
    return false;
}

static bool sdwa(struct sim_fields *c, uint32_t w)
{
    struct sim_insn *out = c->out;
    bool two = false;
    struct sim_operand *o;

    for (unsigned k = 0; k < c->op->nslots; k++)
        two |= c->op->slot[k].field == SIM_F_vsrc1;
    out->sdwa.src0_sel = w >> 16 & 7;
    out->sdwa.src1_sel = w >> 24 & 7;
    if (c->format == SIM_FMT_VOPC) {
        if (w >> 15 & 1) {
            o = operand_of(c, SIM_F_vcc);
            o->field = SIM_F_sdst;
            o->file = SIM_FILE_NONE;
            if (!sim_operand_scalar(c, o, w >> 8 & 0x7f))
                return false;
        }
    } else {
        out->sdwa.dst_sel = w >> 8 & 7;
        out->sdwa.dst_unused = w >> 11 & 3;
        out->clamp = w >> 13 & 1;
        out->omod = w >> 14 & 3;
    }
    if (!replace_source(c, SIM_F_src0, (w & 0xff) + (w >> 23 & 1 ? 0 : 256)))
        return false;
    if ((o = operand_of(c, SIM_F_src0))) {
        o->sext = w >> 19 & 1;
        o->neg = w >> 20 & 1;
        o->abs = w >> 21 & 1;
    }
    if (!two)
        return true;
    if (!replace_source(c, SIM_F_vsrc1, fields_get(c, SIM_F_vsrc1) + (w >> 31 & 1 ? 0 : 256)))
        return false;
    o = operand_of(c, SIM_F_vsrc1);
    o->sext = w >> 27 & 1;
    o->neg = w >> 28 & 1;
    o->abs = w >> 29 & 1;
    return true;
}

static bool dpp(struct sim_fields *c, uint32_t w)
{
    struct sim_insn *out = c->out;
    bool vop3 =
        c->format == SIM_FMT_VOP3 || c->format == SIM_FMT_VOP3SD || c->format == SIM_FMT_VOP3P;
    struct sim_operand *o;

    if (!replace_source(c, SIM_F_src0, (w & 0xff) + 256))
        return false;
    if (out->lanes == SIM_LANES_DPP8) {
        out->dpp.dpp8 = w >> 8;
        out->dpp.fi = fields_get(c, SIM_F_src0) == CODE_DPP8_FI;
        return true;
    }
    out->dpp.ctrl = w >> 8 & 0x1ff;
    out->dpp.fi = w >> 18 & 1;
    out->dpp.bound_ctrl = w >> 19 & 1;
    out->dpp.bank_mask = w >> 24 & 15;
    out->dpp.row_mask = w >> 28;
    if (vop3 || !is_float(c->op))
        return true;
    if ((o = operand_of(c, SIM_F_src0))) {
        o->neg = w >> 20 & 1;
        o->abs = w >> 21 & 1;
    }
    if ((o = operand_of(c, SIM_F_vsrc1))) {
        o->neg = w >> 22 & 1;
        o->abs = w >> 23 & 1;
    }
    return true;
}

/* Which extra dword the source code of src0 asks for, and whether the row takes it. */
bool sim_lanes_form(struct sim_fields *c)
{
    unsigned code, form;

    switch (c->format) {
    case SIM_FMT_VOP1: case SIM_FMT_VOP2: case SIM_FMT_VOPC:
    case SIM_FMT_VOP3: case SIM_FMT_VOP3SD: case SIM_FMT_VOP3P:
        break;
    default:
        return true;
    }
    if (!c->op->nslots)
        return true;
    code = fields_get(c, SIM_F_src0);
    switch (code) {
    case CODE_SDWA:
        form = SIM_ROW_SDWA;
        c->out->lanes = SIM_LANES_SDWA;
        break;
    case CODE_DPP:
        form = SIM_ROW_DPP | SIM_ROW_NEWBCAST;
        c->out->lanes = SIM_LANES_DPP16;
        break;
    case CODE_DPP8: case CODE_DPP8_FI:
        if (!(c->f->flags & SIM_SCALAR_NULL))
            return true;
        form = SIM_ROW_DPP8;
        c->out->lanes = SIM_LANES_DPP8;
        break;
    default:
        return true;
    }
    return c->op->lanes & form;
}

bool sim_lanes_apply(struct sim_fields *c, uint32_t word)
{
    switch (c->out->lanes) {
    case SIM_LANES_SDWA:
        return sdwa(c, word);
    case SIM_LANES_DPP16: case SIM_LANES_DPP8:
        return dpp(c, word);
    default:
        return true;
    }
}
