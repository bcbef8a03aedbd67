/* SPDX-License-Identifier: MIT */
/* Register numbers and source codes as operands; see fields.h. */
#include "decode/fields.h"

#include <string.h>

/* Bits of the inline constant `code` for an operand of that type; AMD CDNA3 ISA, "Inline
 * constants". */
static uint64_t inline_value(unsigned code, unsigned type)
{
    static const struct {
        uint16_t f16, bf16;
        uint32_t f32;
        uint64_t f64;
    } k[] = {
        {0x3800, 0x3f00, 0x3f000000, 0x3fe0000000000000},
        {0xb800, 0xbf00, 0xbf000000, 0xbfe0000000000000},
        {0x3c00, 0x3f80, 0x3f800000, 0x3ff0000000000000},
        {0xbc00, 0xbf80, 0xbf800000, 0xbff0000000000000},
        {0x4000, 0x4000, 0x40000000, 0x4000000000000000},
        {0xc000, 0xc000, 0xc0000000, 0xc000000000000000},
        {0x4400, 0x4080, 0x40800000, 0x4010000000000000},
        {0xc400, 0xc080, 0xc0800000, 0xc010000000000000},
        {0x3118, 0x3e22, 0x3e22f983, 0x3fc45f306dc9c882},
    };
    int64_t n;

    if (code >= 240) {
        switch (type) {
        case SIM_T_F16: case SIM_T_V2F16: case SIM_T_I16:
            return k[code - 240].f16;
        case SIM_T_BF16: case SIM_T_V2BF16:
            return k[code - 240].bf16;
        case SIM_T_F64: case SIM_T_I64:
            return k[code - 240].f64;
        default:
            return k[code - 240].f32;
        }
    }
    n = code <= 192 ? (int)code - 128 : 192 - (int)code;
    switch (type) {
    case SIM_T_F16: case SIM_T_BF16: case SIM_T_I16:
        return (uint16_t)n;
    case SIM_T_F64: case SIM_T_I64:
        return (uint64_t)n;
    default:
        return (uint32_t)n;
    }
}

/* A 32-bit literal as the operand sees it: f64 takes it as its high half, signed 64-bit integers
 * are sign-extended, the rest zero-extended or cut to 16 bits. */
static uint64_t literal_value(const struct sim_fields *c, uint32_t lit, unsigned type)
{
    switch (type) {
    case SIM_T_F64:
        return (uint64_t)lit << 32;
    case SIM_T_I64:
        return strstr(sim_op_name(c->op->token), "_i64") ? (uint64_t)(int64_t)(int32_t)lit : lit;
    case SIM_T_F16: case SIM_T_BF16: case SIM_T_I16:
        return lit & 0xffff;
    default:
        return lit;
    }
}

static unsigned slot_of(const struct sim_opcode *op, unsigned field)
{
    bool fmamk = op->op == SIM_OP_v_fmamk_f32 || op->op == SIM_OP_v_fmamk_f16 ||
                 op->op == SIM_OP_v_fmamk_f64;

    switch (field) {
    case SIM_F_vdst: case SIM_F_vdata: case SIM_F_vdstx: case SIM_F_vdsty:
        return 3;
    case SIM_F_vsrc1: case SIM_F_vsrcx1: case SIM_F_vsrcy1:
        return fmamk ? 2 : 1; /* the literal is fmamk's second source */
    case SIM_F_src1: case SIM_F_data: case SIM_F_data0:
        return 1;
    case SIM_F_src2: case SIM_F_vsrcx2: case SIM_F_vsrcy2: case SIM_F_data1:
        return 2;
    default:
        return 0;
    }
}

bool sim_operand_vgpr(const struct sim_fields *c, struct sim_operand *o, const struct sim_slot *s,
                      unsigned reg)
{
    o->file = s->kinds == SIM_K_A ? SIM_FILE_A : SIM_FILE_V;
    o->reg = reg;
    o->slot = slot_of(c->op, s->field);
    o->true16 = s->bits == 16 && c->f->flags & SIM_HAS_TRUE16;
    if (o->true16 && c->format != SIM_FMT_VOP3 && c->format != SIM_FMT_VOP3P) {
        o->half = reg >> 7;
        o->reg = reg & 0x7f;
    }
    return !(s->kinds & SIM_K_H) || reg < 128;
}

/* A scalar register or special source of code 0..127 or 230..239, 251..254; false if there is
 * none. */
bool sim_operand_scalar(const struct sim_fields *c, struct sim_operand *o, unsigned code)
{
    bool gfx9 = !(c->f->flags & SIM_SCALAR_NULL);

    if (code < (gfx9 ? 102 : 106)) {
        o->file = SIM_FILE_S;
        o->reg = code;
    } else if (code < 104) {
        o->file = SIM_FILE_FLAT_SCRATCH;
        o->reg = code - 102;
    } else if (code < 106) {
        o->file = SIM_FILE_XNACK_MASK;
        o->reg = code - 104;
    } else if (code < 108) {
        o->file = SIM_FILE_VCC;
        o->reg = code - 106;
    } else if (code < 124) {
        o->file = SIM_FILE_TTMP;
        o->reg = code - 108;
    } else if (code < 126) {
        o->file = (code == CODE_M0) != gfx9 ? SIM_FILE_M0 : SIM_FILE_NULL;
    } else if (code < 128) {
        o->file = SIM_FILE_EXEC;
        o->reg = code - 126;
    } else if (code == 230 || code == 231) {
        o->file = SIM_FILE_FLAT_SCRATCH_BASE;
        o->reg = code - 230;
    } else if (code >= 235 && code <= 238) {
        o->file = SIM_FILE_APERTURE;
        o->reg = code - 235;
    } else if (code == 239) {
        o->file = SIM_FILE_POPS;
    } else if (code == 251) {
        o->file = SIM_FILE_VCCZ;
    } else if (code == 252) {
        o->file = SIM_FILE_EXECZ;
    } else if (code == 253) {
        o->file = SIM_FILE_SCC;
    } else if (code == 254) {
        o->file = SIM_FILE_LDS_DIRECT;
    } else {
        return false;
    }
    return true;
}

/* The source of code 0..511: register, constant or literal, as the slot allows. */
bool sim_operand_source(struct sim_fields *c, struct sim_operand *o, const struct sim_slot *s,
                        unsigned code)
{
    if (code >= 256) {
        if (!(s->kinds & (SIM_K_V | SIM_K_A | SIM_K_R)))
            return false;
        return sim_operand_vgpr(c, o, s, code - 256);
    }
    if ((code >= 128 && code <= 208) || (code >= 240 && code <= 248)) {
        if (!(s->kinds & SIM_K_I))
            return false;
        o->file = SIM_FILE_INLINE;
        o->reg = code;
        o->value = inline_value(code, s->type);
        if (c->op->token == SIM_OP_v_pk_fmac_f16 && c->t->isa != SIM_ISA_GFX9)
            o->value = (o->value & 0xffff) * 0x10001; /* both halves there */
        return true;
    }
    if (code == CODE_LITERAL || (code == CODE_LIT64 && c->t->isa == SIM_ISA_GFX1250)) {
        unsigned size = code == CODE_LITERAL ? 1 : 2;
        const uint32_t *w = c->out->words;

        if (!(s->kinds & (size == 1 ? SIM_K_L : SIM_K_W)))
            return false;
        if (!c->literal) {
            c->literal = c->next;
            c->literal_size = size;
            c->next += size;
        }
        if (size != c->literal_size || c->next > 5)
            return false;
        o->file = SIM_FILE_LITERAL;
        o->reg = code;
        o->value = size == 1 ? literal_value(c, w[c->literal], s->type)
                             : w[c->literal] | (uint64_t)w[c->literal + 1] << 32;
        return true;
    }
    if (s->kinds == SIM_K_I + SIM_K_X)
        return code == CODE_M0 && sim_operand_scalar(c, o, code);
    return s->kinds & (SIM_K_S | SIM_K_M) && (code != CODE_LDS_DIRECT || s->kinds & SIM_K_V) &&
           sim_operand_scalar(c, o, code);
}

void sim_operand_as_f32(const struct sim_fields *c, struct sim_operand *o)
{
    o->type = SIM_T_F32;
    if (o->file == SIM_FILE_INLINE)
        o->value = inline_value(o->reg, SIM_T_F32);
    else if (o->file == SIM_FILE_LITERAL)
        o->value = c->out->words[c->literal];
}

/* Register tuples: scalar ones start at a multiple of two or four, vector ones at an even register
 * where the target asks for it, and none runs past the end of its file. */
bool sim_operand_tuple_ok(const struct sim_fields *c, const struct sim_operand *o)
{
    unsigned n = o->words, step = n >= 3 ? 4 : n;

    switch (o->file) {
    case SIM_FILE_V: case SIM_FILE_A:
        return o->reg + n <= 256 && !(n > 1 && o->reg & 1 && c->f->flags & SIM_EVEN_TUPLES &&
                                      !fields_accepts(c, SIM_F_odd));
    case SIM_FILE_S:
        return n <= 1 || (o->reg % step == 0 && o->reg + n <= 108);
    case SIM_FILE_TTMP:
        return n <= 1 || (o->reg % step == 0 && o->reg + n <= 16);
    case SIM_FILE_VCC: case SIM_FILE_EXEC: case SIM_FILE_FLAT_SCRATCH: case SIM_FILE_XNACK_MASK:
        return n <= 1 || (n == 2 && o->reg == 0);
    case SIM_FILE_M0:
        return n <= 1;
    default:
        return true;
    }
}
