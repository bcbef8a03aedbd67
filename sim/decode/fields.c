/* SPDX-License-Identifier: MIT */
/*
 * From encoded fields to operands and modifiers. Everything that is true of a format, and not of one
 * opcode, is here, once: source codes, constants, literals, SDWA and DPP dwords, accumulation
 * registers, addresses whose width depends on other fields.
 */
#include "decode/table.h"

#include <string.h>

enum { CODE_SDWA = 249, CODE_DPP = 250, CODE_DPP8 = 233, CODE_DPP8_FI = 234, CODE_LIT64 = 254,
       CODE_LDS_DIRECT = 254,
       CODE_LITERAL = 255, CODE_NULL = 124, CODE_M0 = 125 };

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

/* What the functions below share while one instruction is taken apart. */
struct fields {
    const struct sim_table *t;
    const struct sim_family *f;
    struct sim_insn *out;
    unsigned wave;
    unsigned format;
    const struct sim_opcode *op;
    unsigned literal;      /* index of the literal in words, 0 while none is needed */
    unsigned next;         /* dwords used so far */
    unsigned literal_size; /* dwords of the literal */
};

static uint32_t get(const struct fields *c, unsigned field)
{
    return sim_get(c->t, c->format, field, c->out->words);
}

static bool has(const struct fields *c, unsigned field)
{
    return c->t->place[c->format][field].bits != 0;
}

static bool accepts(const struct fields *c, unsigned modifier)
{
    return c->op->accepts >> modifier & 1;
}

/* Bits of the inline constant `code` for an operand of that type; AMD CDNA3 ISA, "Inline constants". */
static uint64_t inline_value(unsigned code, unsigned type)
{
    static const struct { uint16_t f16, bf16; uint32_t f32; uint64_t f64; } k[] = {
        {0x3800, 0x3f00, 0x3f000000, 0x3fe0000000000000}, {0xb800, 0xbf00, 0xbf000000, 0xbfe0000000000000},
        {0x3c00, 0x3f80, 0x3f800000, 0x3ff0000000000000}, {0xbc00, 0xbf80, 0xbf800000, 0xbff0000000000000},
        {0x4000, 0x4000, 0x40000000, 0x4000000000000000}, {0xc000, 0xc000, 0xc0000000, 0xc000000000000000},
        {0x4400, 0x4080, 0x40800000, 0x4010000000000000}, {0xc400, 0xc080, 0xc0800000, 0xc010000000000000},
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

/* A 32-bit literal as the operand sees it: f64 takes it as its high half, signed 64-bit integers are
 * sign-extended, the rest zero-extended or cut to 16 bits. */
static uint64_t literal_value(const struct fields *c, uint32_t lit, unsigned type)
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

static bool vgpr(const struct fields *c, struct sim_operand *o, const struct sim_slot *s, unsigned reg)
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

/* A scalar register or special source of code 0..127 or 230..239, 251..254; false if there is none. */
static bool scalar(const struct fields *c, struct sim_operand *o, unsigned code)
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
static bool source(struct fields *c, struct sim_operand *o, const struct sim_slot *s, unsigned code)
{
    if (code >= 256) {
        if (!(s->kinds & (SIM_K_V | SIM_K_A | SIM_K_R)))
            return false;
        return vgpr(c, o, s, code - 256);
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
        return code == CODE_M0 && scalar(c, o, code);
    return s->kinds & (SIM_K_S | SIM_K_M) && (code != CODE_LDS_DIRECT || s->kinds & SIM_K_V) &&
           scalar(c, o, code);
}

/* Registers of A or B of an f8f6f4 matrix instruction: fp8 bf8 fp6 bf6 fp4. */
static unsigned f8f6f4_bits(const struct fields *c, const struct sim_slot *s)
{
    unsigned fmt = s->field == SIM_F_src0
                       ? (c->t->isa == SIM_ISA_GFX9 ? c->out->cbsz : c->out->matrix_a_fmt)
                       : (c->t->isa == SIM_ISA_GFX9 ? c->out->blgp : c->out->matrix_b_fmt);

    return fmt < 2 ? s->bits : fmt < 4 ? s->bits / 4 * 3 : fmt == 4 ? s->bits / 2 : 0;
}

static unsigned width(const struct fields *c, const struct sim_slot *s)
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
static bool saddr_off(const struct fields *c)
{
    return get(c, SIM_F_saddr) == (c->f->flags & SIM_SCALAR_NULL ? CODE_NULL : 0x7f);
}

/* Whether this form of the encoding has the operand; *bits is its width. Absent operands that text shows
 * as `off` stay, with file NONE. */
static bool memory_operand(const struct fields *c, const struct sim_slot *s, struct sim_operand *o,
                           unsigned *bits)
{
    const struct sim_insn *i = c->out;
    bool absent = false;

    switch (s->field) {
    case SIM_F_vdst:
        if (accepts(c, SIM_F_rtn) && !i->returns)
            return false;
        return !i->lds;
    case SIM_F_vdata:
        return !i->lds;
    case SIM_F_addr:
        if (c->format == SIM_FMT_SCRATCH)
            absent = has(c, SIM_F_sve) && c->f->flags & (SIM_TEXT_SC | SIM_SCALAR_NULL) ? !i->sve
                                                                                       : !saddr_off(c);
        else if (c->format != SIM_FMT_DS && has(c, SIM_F_saddr))
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
            absent = c->t->isa == SIM_ISA_GFX9 ? !get(c, SIM_F_soffset_en) && get(c, SIM_F_imm)
                                               : get(c, SIM_F_soffset) == CODE_NULL;
        break;
    default:
        break;
    }
    if (absent)
        *bits = 0;
    (void)o;
    return true;
}

/* Register tuples: scalar ones start at a multiple of two or four, vector ones at an even register where
 * the target asks for it, and none runs past the end of its file. */
static bool tuple_ok(const struct fields *c, const struct sim_operand *o)
{
    unsigned n = o->words, step = n >= 3 ? 4 : n;

    switch (o->file) {
    case SIM_FILE_V: case SIM_FILE_A:
        return o->reg + n <= 256 && 
               !(n > 1 && o->reg & 1 && c->f->flags & SIM_EVEN_TUPLES && !accepts(c, SIM_F_odd));
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
static void source_modifiers(const struct fields *c, struct sim_operand *o)
{
    int k = source_index(o->field);

    if (k < 0 || is_bitop3(c->op))
        return;
    if (accepts(c, SIM_F_abs0 + k))
        o->abs = get(c, SIM_F_abs0 + k);
    if (accepts(c, SIM_F_neg0 + k))
        o->neg = get(c, SIM_F_neg0 + k);
    if (sim_is_mix(c->op))
        o->abs = get(c, SIM_F_neg_hi0 + k);
    else
        o->neg_hi = get(c, SIM_F_neg_hi0 + k);
    o->opsel = get(c, SIM_F_opsel0 + k);
    o->opsel_hi = get(c, SIM_F_opsel_hi0 + k);
}

/* Is this register operand an accumulation register? R slots follow an acc bit of the format. */
static bool acc(const struct fields *c, const struct sim_slot *s)
{
    if (!(s->kinds & SIM_K_R))
        return false;
    switch (c->format) {
    case SIM_FMT_MAI: case SIM_FMT_VOP3PX:
        return get(c, s->field == SIM_F_src0   ? SIM_F_acc0
                      : s->field == SIM_F_src1 ? SIM_F_acc1
                                               : SIM_F_acc_cd);
    default:
        return get(c, SIM_F_acc);
    }
}

static bool fill(struct fields *c, const struct sim_slot *s, struct sim_operand *o)
{
    unsigned v = get(c, s->field);
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
        return source(c, o, &(struct sim_slot){.kinds = s->bits == 64 ? SIM_K_W : SIM_K_L,
                                               .type = s->type, .field = s->field},
                      s->bits == 64 ? CODE_LIT64 : CODE_LITERAL);
    case SIM_F_sbase:
        return scalar(c, o, v * 2);
    case SIM_F_srsrc:
        return scalar(c, o, has(c, SIM_F_th) ? v : v * 4);
    case SIM_F_soffset:
        if (c->format == SIM_FMT_SMEM && c->t->isa == SIM_ISA_GFX9 && !get(c, SIM_F_soffset_en))
            v = get(c, SIM_F_offset) & 0x7f;
        return source(c, o, s, v);
    case SIM_F_vdsty:
        if (c->format == SIM_FMT_VOPDY)
            v = v * 2 + !(get(c, SIM_F_vdstx) & 1);
        return vgpr(c, o, s, v);
    case SIM_F_vdst: case SIM_F_vsrc1: case SIM_F_addr: case SIM_F_data: case SIM_F_data0:
    case SIM_F_data1: case SIM_F_vaddr: case SIM_F_vdata: case SIM_F_vdstx: case SIM_F_vsrcx1:
    case SIM_F_vsrcx2: case SIM_F_vsrcy1: case SIM_F_vsrcy2:
        if (scalar_code)
            return v < 128 && scalar(c, o, v);
        return vgpr(c, o, s, v);
    default:
        return source(c, o, s, v);
    }
}

/* Operands of one row, appended to out. */
static bool operands(struct fields *c)
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
            if (!tuple_ok(c, o))
                return false;
        } else if (accepts(c, SIM_F_f8f6f4)) {
            return false;
        }
        source_modifiers(c, o);
        if (o->true16 && !o->half) {
            int src = source_index(s->field);
            int bit = s->field == SIM_F_vdst ? SIM_F_opsel3 : src >= 0 ? SIM_F_opsel0 + src : 0;

            if (bit)
                o->half = get(c, bit);
        }
        if (o->field == SIM_F_vdata && accepts(c, SIM_F_rtn) && !out->returns)
            o->access = SIM_READ;
        if (o->field == SIM_F_sdata && accepts(c, SIM_F_rtn) && !out->returns)
            o->access = SIM_READ;
    }
    return true;
}

static int32_t sign_extend(uint32_t v, unsigned bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

/* Fields that belong to the instruction and not to an operand. */
static bool whole(struct fields *c)
{
    struct sim_insn *o = c->out;
    bool gfx12 = c->t->isa >= SIM_ISA_GFX12;

    o->clamp = accepts(c, SIM_F_clamp) && get(c, SIM_F_clamp);
    o->omod = accepts(c, SIM_F_omod) ? get(c, SIM_F_omod) : 0;
    if (c->op->cls == SIM_MATRIX) {
        o->cbsz = get(c, SIM_F_cbsz);
        o->abid = get(c, SIM_F_abid);
        o->blgp = get(c, SIM_F_blgp);
    }
    o->opsel = get(c, SIM_F_opsel0) | get(c, SIM_F_opsel1) << 1 | get(c, SIM_F_opsel2) << 2 |
               get(c, SIM_F_opsel3) << 3;
    o->glc = get(c, SIM_F_glc);
    o->slc = get(c, SIM_F_slc);
    o->dlc = get(c, SIM_F_dlc);
    o->scc = get(c, SIM_F_scc);
    o->th = get(c, SIM_F_th);
    o->scope = get(c, SIM_F_scope);
    o->offen = get(c, SIM_F_offen);
    o->idxen = get(c, SIM_F_idxen);
    o->lds = accepts(c, SIM_F_lds) && get(c, SIM_F_lds);
    o->tfe = accepts(c, SIM_F_tfe) && get(c, SIM_F_tfe);
    o->gds = get(c, SIM_F_gds);
    o->nv = get(c, SIM_F_nv);
    o->sve = get(c, SIM_F_sve);
    if (c->format == SIM_FMT_SCRATCH && c->t->isa == SIM_ISA_GFX9 && !(c->f->flags & SIM_TEXT_SC)) {
        o->lds = accepts(c, SIM_F_lds) && o->sve; /* gfx90a: the bit is the lds bit */
        o->sve = false;
    }
    o->scale_offset = get(c, SIM_F_scale_offset);
    o->dfmt = has(c, SIM_F_format) ? get(c, SIM_F_format) : get(c, SIM_F_dfmt);
    o->nfmt = get(c, SIM_F_nfmt);
    o->returns = accepts(c, SIM_F_rtn) && (gfx12 ? o->th & 1 : o->glc);
    if (c->format == SIM_FMT_VOP3PX && c->t->isa == SIM_ISA_GFX9) {
        o->matrix_a_scale = get(c, SIM_F_scale_opsel0) | get(c, SIM_F_scale_opsel_hi0) << 1;
        o->matrix_b_scale = get(c, SIM_F_scale_opsel1) | get(c, SIM_F_scale_opsel_hi1) << 1;
    } else if (c->format == SIM_FMT_VOP3PX || c->format == SIM_FMT_VOP3PX16) {
        o->matrix_a_fmt = get(c, SIM_F_matrix_a_fmt);
        o->matrix_b_fmt = get(c, SIM_F_matrix_b_fmt_lo) | get(c, SIM_F_matrix_b_fmt_hi) << 2;
        o->matrix_a_scale = get(c, SIM_F_matrix_a_scale_row);
        o->matrix_b_scale = get(c, SIM_F_matrix_b_scale_row);
        o->matrix_a_scale_fmt = get(c, SIM_F_matrix_a_scale_fmt);
        o->matrix_b_scale_fmt = get(c, SIM_F_matrix_b_scale_fmt);
        o->matrix_reuse = get(c, SIM_F_matrix_a_reuse) | get(c, SIM_F_matrix_b_reuse) << 1;
    } else if (c->format == SIM_FMT_VOP3P && c->t->isa == SIM_ISA_GFX1250 &&
               c->op->cls == SIM_MATRIX) {
        unsigned b = get(c, SIM_F_opsel_hi0) | get(c, SIM_F_opsel_hi1) << 1 |
                     get(c, SIM_F_opsel_hi2) << 2;

        if (accepts(c, SIM_F_f8f6f4)) {
            o->matrix_a_fmt = o->opsel & 7;
            o->matrix_b_fmt = b;
        } else if (accepts(c, SIM_F_opsel2)) {
            o->matrix_reuse = (o->opsel >> 2 & 1) | (b >> 2 & 1) << 1;
        }
    }
    if (c->format == SIM_FMT_VOP3P && c->op->cls == SIM_MATRIX && gfx12 && !accepts(c, SIM_F_f8f6f4))
        o->index_key = (accepts(c, SIM_F_opsel0) ? get(c, SIM_F_opsel0) : 0) |
                       (accepts(c, SIM_F_opsel1) ? get(c, SIM_F_opsel1) << 1 : 0);
    if (is_bitop3(c->op)) {
        o->omod = 0;
        o->bitop = get(c, SIM_F_omod) << 6 | get(c, SIM_F_abs2) << 5 | get(c, SIM_F_abs1) << 4 |
                   get(c, SIM_F_abs0) << 3 | get(c, SIM_F_neg2) << 2 | get(c, SIM_F_neg1) << 1 |
                   get(c, SIM_F_neg0);
    }
    if (accepts(c, SIM_F_offset) || accepts(c, SIM_F_offset2)) {
        uint32_t v = get(c, SIM_F_offset);
        unsigned bits = c->t->place[c->format][SIM_F_offset].bits;

        if (c->format == SIM_FMT_DS) {
            o->offset = get(c, SIM_F_offset0);
            o->offset1 = get(c, SIM_F_offset1);
            if (accepts(c, SIM_F_offset)) {
                o->offset |= o->offset1 << 8;
                o->offset1 = 0;
            }
        } else if (c->format == SIM_FMT_MUBUF || c->format == SIM_FMT_MTBUF ||
                   (c->format == SIM_FMT_FLAT && !gfx12)) {
            o->offset = v;
        } else if (c->format == SIM_FMT_SMEM && c->t->isa == SIM_ISA_GFX9 && !get(c, SIM_F_imm)) {
            o->offset = 0;
        } else {
            o->offset = sign_extend(v, bits);
        }
    }
    return true;
}

/* Modifier bits that the row does not accept must be zero; op_sel_hi is set by assemblers everywhere. */
static bool unknown_modifier(const struct fields *c)
{
    unsigned last = c->format == SIM_FMT_VOP3P || c->format == SIM_FMT_VOP3PX ||
                            c->format == SIM_FMT_VOP3PX16
                        ? SIM_F_NONE
                        : SIM_F_opsel3;

    for (unsigned m = SIM_F_abs0; m <= last; m++)
        if (!accepts(c, m) && get(c, m))
            return true;
    if (c->format == SIM_FMT_VOP3 || c->format == SIM_FMT_VOP3SD)
        return (!accepts(c, SIM_F_clamp) && get(c, SIM_F_clamp)) ||
               (!accepts(c, SIM_F_omod) && get(c, SIM_F_omod));
    return false;
}

/* A source from a DPP or SDWA dword replaces the one the word names. */
static bool replace_source(struct fields *c, unsigned field, unsigned code)
{
    for (unsigned k = 0; k < c->op->nslots; k++) {
        const struct sim_slot *s = &c->op->slot[k];
        struct sim_operand *o = &c->out->o[k];

        if (s->field != field)
            continue;
        o->file = SIM_FILE_NONE;
        o->half = 0;
        if (code < 256)
            return scalar(c, o, code);
        if (!vgpr(c, o, s, code - 256))
            return false;
        if (o->true16 && c->format == SIM_FMT_VOP3)
            o->half = get(c, SIM_F_opsel0);
        return true;
    }
    return true;
}

static struct sim_operand *operand_of(struct fields *c, unsigned field)
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

static bool sdwa(struct fields *c, uint32_t w)
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
            if (!scalar(c, o, w >> 8 & 0x7f))
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
    if (!replace_source(c, SIM_F_vsrc1, get(c, SIM_F_vsrc1) + (w >> 31 & 1 ? 0 : 256)))
        return false;
    o = operand_of(c, SIM_F_vsrc1);
    o->sext = w >> 27 & 1;
    o->neg = w >> 28 & 1;
    o->abs = w >> 29 & 1;
    return true;
}

static bool dpp(struct fields *c, uint32_t w)
{
    struct sim_insn *out = c->out;
    bool vop3 = c->format == SIM_FMT_VOP3 || c->format == SIM_FMT_VOP3SD || c->format == SIM_FMT_VOP3P;
    struct sim_operand *o;

    if (!replace_source(c, SIM_F_src0, (w & 0xff) + 256))
        return false;
    if (out->lanes == SIM_LANES_DPP8) {
        out->dpp.dpp8 = w >> 8;
        out->dpp.fi = get(c, SIM_F_src0) == CODE_DPP8_FI;
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
static bool lanes(struct fields *c)
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
    code = get(c, SIM_F_src0);
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

/* Operands of a row whose src0 comes from the extra dword: the field is given a harmless register
 * while the rest is read. */
static bool operands_with(struct fields *c)
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

static bool half(struct fields *c, const struct sim_opcode *op, unsigned format)
{
    c->op = op;
    c->format = format;
    return whole(c) && !unknown_modifier(c) && lanes(c);
}

bool sim_fields(const struct sim_table *t, const struct sim_family *f, unsigned wave,
                struct sim_insn *out)
{
    struct fields c = {.t = t, .f = f, .out = out, .wave = wave, .next = out->size / 4};
    uint32_t extra = 0;

    if (!half(&c, out->op, out->op->format))
        return false;
    if (out->lanes != SIM_LANES_PLAIN)
        extra = out->words[c.next++];
    if (!operands_with(&c))
        return false;
    if (out->lanes == SIM_LANES_SDWA ? !sdwa(&c, extra)
        : out->lanes != SIM_LANES_PLAIN ? !dpp(&c, extra) : false)
        return false;
    if (out->op_y) {
        unsigned n = out->noperands;

        if (!half(&c, out->op_y, out->op_y->format) || !operands(&c))
            return false;
        out->y_operands = out->noperands - n;
        if (out->op_y->format == SIM_FMT_VOPD3Y)
            out->bitop = get(&c, SIM_F_vsrcy2);
    }
    out->size = c.next * 4;
    return true;
}
