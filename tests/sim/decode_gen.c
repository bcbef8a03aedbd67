/* SPDX-License-Identifier: MIT */
/* See decode_gen.h. A field is drawn by what the row's operand accepts; the rest by format. */
#include "decode_gen.h"

#include <string.h>

static uint32_t draw(struct gen *g, uint32_t n)
{
    g->seed = g->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(g->seed >> 33) % n;
}

static bool chance(struct gen *g, unsigned percent)
{
    return draw(g, 100) < percent;
}

/* State of one encoding. */
struct draft {
    uint32_t *w;
    unsigned format, next;
    const struct sim_opcode *row;
    bool scalar_used;   /* the one SGPR or literal of a vector instruction is taken */
    bool lanes;         /* src0 comes from a DPP or SDWA dword */
    bool literal, wide;
    unsigned dual;      /* VOPD: 1 in the X half, 2 in the Y half */
    uint32_t vgpr0, vgpr1, vgpr2; /* VOPD: registers of the X half */
};

static void put_at(uint32_t *w, unsigned lo, unsigned bits, uint32_t v)
{
    for (unsigned b = 0; b < bits; b++) {
        w[(lo + b) / 32] &= ~(1u << (lo + b) % 32);
        w[(lo + b) / 32] |= (v >> b & 1) << (lo + b) % 32;
    }
}

static void put(struct gen *g, struct draft *d, unsigned field, uint32_t v)
{
    struct sim_place p = g->t->place[d->format][field];

    if (p.bits)
        put_at(d->w, p.lo, p.bits, v);
}

static bool accepts(const struct draft *d, unsigned m)
{
    return d->row->accepts >> m & 1;
}

static unsigned width(struct gen *g, struct draft *d, const struct sim_slot *s)
{
    unsigned bits = s->kinds & SIM_K_M ? g->f->wave : s->bits;

    return bits < 32 ? 1 : bits / 32 + (s->field == SIM_F_vdata && accepts(d, SIM_F_tfe));
}

static uint32_t vgpr(struct gen *g, struct draft *d, const struct sim_slot *s)
{
    unsigned n = width(g, d, s), top = s->kinds & SIM_K_H ? 128 : 256;
    uint32_t reg = draw(g, top - n);

    if (n > 1 || s->field == SIM_F_addr || s->field == SIM_F_vaddr)
        reg &= ~1u;
    if (s->bits == 16 && g->f->flags & SIM_HAS_TRUE16 &&
        (d->format == SIM_FMT_VOP3 || d->format == SIM_FMT_VOP3P))
        reg = draw(g, 256);
    return reg;
}

static uint32_t sgpr(struct gen *g, struct draft *d, const struct sim_slot *s)
{
    unsigned n = width(g, d, s), step = n >= 3 ? 4 : n;
    uint32_t reg = draw(g, (100 - n) / step) * step;

    if (n <= 2 && chance(g, 10))
        return n == 2 || chance(g, 50) ? 106 : 107; /* vcc */
    return reg;
}

static uint32_t constant(struct gen *g, const struct draft *d, const struct sim_slot *s)
{
    if (d->row->cls == SIM_MATRIX && chance(g, 40))
        return 240 + draw(g, 8); /* 1 / (2 pi) of v_wmma_i32 has the digits of f64 in LLVM's text */
    return d->row->cls == SIM_MATRIX || s->type == SIM_T_I16 || chance(g, 60) ? 128 + draw(g, 81)
                                                                              : 240 + draw(g, 9);
}

static bool is_vector(const struct draft *d)
{
    return (d->format >= SIM_FMT_VOP1 && d->format <= SIM_FMT_VOPD3Y);
}

/* A source code for the slot. */
static uint32_t source(struct gen *g, struct draft *d, const struct sim_slot *s)
{
    bool vector = is_vector(d), vgprs = s->kinds & (SIM_K_V | SIM_K_R | SIM_K_A);
    unsigned r = draw(g, 100);

    if (vgprs && (r < 50 || d->lanes || (d->scalar_used && !(s->kinds & SIM_K_I))))
        return 256 + vgpr(g, d, s);
    if (s->kinds & SIM_K_S && r < 75 && !(vector && d->scalar_used)) {
        d->scalar_used = true;
        return sgpr(g, d, s);
    }
    if (s->kinds & SIM_K_L && r < 85 && !d->literal && !(vector && d->scalar_used) && !d->lanes &&
        s->bits <= 64 && d->dual == 0) {
        d->scalar_used = d->literal = true;
        return 255;
    }
    if (s->kinds & SIM_K_W && s->bits == 64 && r < 92 && !d->literal &&
        !(vector && d->scalar_used) && !d->lanes && d->dual == 0) {
        d->scalar_used = d->literal = d->wide = true;
        return 254;
    }
    if (s->kinds & SIM_K_I)
        return s->kinds & SIM_K_X ? 129 + draw(g, 16) : constant(g, d, s);
    if (vgprs)
        return 256 + vgpr(g, d, s);
    return sgpr(g, d, s);
}

/* VOPD: operands of the two halves lie in different banks. */
static uint32_t bank(const struct draft *d, uint32_t *x, uint32_t v)
{
    if (d->dual == 1)
        *x = v;
    else /* two banks away, since either may be the first of a pair */
        v = (v & ~3u) | ((*x + 2) & 3);
    return v;
}

static uint32_t dual_source(struct gen *g, struct draft *d, const struct sim_slot *s)
{
    if (s->kinds & SIM_K_V)
        return 256 + bank(d, &d->vgpr0, vgpr(g, d, s));
    return source(g, d, s);
}

static void operand(struct gen *g, struct draft *d, const struct sim_slot *s)
{
    bool dual = d->dual != 0;

    switch (s->field) {
    case SIM_F_simm16:
        put(g, d, s->field, chance(g, 30) ? draw(g, 4) : draw(g, 0x10000));
        break;
    case SIM_F_vcc:
        d->scalar_used = true;
        break;
    case SIM_F_K:
        d->scalar_used = d->literal = true;
        break;
    case SIM_F_sbase:
        put(g, d, s->field, s->bits == 128 ? draw(g, 24) * 2 : draw(g, 50));
        break;
    case SIM_F_srsrc:
        put(g, d, s->field, draw(g, 25) * (g->t->place[d->format][SIM_F_th].bits ? 4 : 1));
        break;
    case SIM_F_soffset:
    case SIM_F_saddr:
        break; /* by format */
    case SIM_F_vsrcx1: case SIM_F_vsrcy1:
        put(g, d, s->field, bank(d, &d->vgpr1, vgpr(g, d, s)));
        break;
    case SIM_F_srcx0: case SIM_F_srcy0:
        put(g, d, s->field, dual_source(g, d, s));
        break;
    case SIM_F_vsrcx2: case SIM_F_vsrcy2:
        put(g, d, s->field, s->kinds & SIM_K_M ? sgpr(g, d, s)
                                               : bank(d, &d->vgpr2, vgpr(g, d, s)));
        break;
    case SIM_F_sdst:
        if (d->row->cls == SIM_WAIT) { /* s_waitcnt_vscnt: always null */
            put(g, d, s->field, 124);
            break;
        } /* fallthrough */
    case SIM_F_sdata: case SIM_F_group0: case SIM_F_group1: case SIM_F_group2:
    case SIM_F_group3:
        put(g, d, s->field, sgpr(g, d, s) & (dual ? ~1u : ~0u));
        break;
    case SIM_F_src0: case SIM_F_src1: case SIM_F_src2: case SIM_F_ssrc0: case SIM_F_ssrc1:
    case SIM_F_scale_src0: case SIM_F_scale_src1:
        put(g, d, s->field, source(g, d, s));
        break;
    default: /* one VGPR field, or a scalar destination in one */
        if (s->kinds & (SIM_K_S | SIM_K_M))
            put(g, d, s->field, sgpr(g, d, s));
        else
            put(g, d, s->field, vgpr(g, d, s));
        break;
    }
}

static void modifiers(struct gen *g, struct draft *d)
{
    bool packed = d->format == SIM_FMT_VOP3P;

    for (unsigned m = SIM_F_abs0; m <= SIM_F_opsel_hi2; m++) {
        /* the assembler has no signs before literals */
        bool sign = m <= SIM_F_neg2, literal = sign && d->literal &&
                    sim_get(g->t, d->format, SIM_F_src0 + (m - SIM_F_abs0) % 3, d->w) == 255;

        if (accepts(d, m) && !literal)
            put(g, d, m, chance(g, 30));
    }
    for (unsigned k = 0; k < 3 && packed; k++)
        put(g, d, SIM_F_opsel_hi0 + k,
            accepts(d, SIM_F_opsel_hi0 + k) ? chance(g, 60)
            : d->row->cls != SIM_MATRIX     ? 1
                                            : k == 2 || g->t->isa != SIM_ISA_GFX1250);
    if (accepts(d, SIM_F_clamp))
        put(g, d, SIM_F_clamp, chance(g, 25));
    if (accepts(d, SIM_F_omod) && chance(g, 25))
        put(g, d, SIM_F_omod, draw(g, 4));
    if (accepts(d, SIM_F_scale)) {
        put(g, d, SIM_F_scale_opsel0, draw(g, 2));
        put(g, d, SIM_F_scale_opsel1, draw(g, 2));
        put(g, d, SIM_F_scale_opsel_hi0, draw(g, 2));
        put(g, d, SIM_F_scale_opsel_hi1, draw(g, 2));
        put(g, d, SIM_F_matrix_a_scale_row, draw(g, 2));
        put(g, d, SIM_F_matrix_b_scale_row, draw(g, 2));
        put(g, d, SIM_F_matrix_a_reuse, draw(g, 2));
        put(g, d, SIM_F_matrix_b_reuse, draw(g, 2));
        put(g, d, SIM_F_matrix_a_scale_fmt, draw(g, 3));
        put(g, d, SIM_F_matrix_b_scale_fmt, draw(g, 3));
    }
}

static void matrix(struct gen *g, struct draft *d)
{
    unsigned a = draw(g, 5), b = draw(g, 5);

    if (accepts(d, SIM_F_f8f6f4)) {
        put(g, d, SIM_F_cbsz, a);
        put(g, d, SIM_F_blgp, b);
        put(g, d, SIM_F_matrix_a_fmt, a);
        put(g, d, SIM_F_matrix_b_fmt_lo, b & 3);
        put(g, d, SIM_F_matrix_b_fmt_hi, b >> 2);
        if (d->format == SIM_FMT_VOP3P)
            for (unsigned k = 0; k < 3; k++) {
                put(g, d, SIM_F_opsel0 + k, a >> k & 1);
                put(g, d, SIM_F_opsel_hi0 + k, b >> k & 1);
            }
    }
}

static void memory(struct gen *g, struct draft *d)
{
    bool gfx12 = g->t->isa >= SIM_ISA_GFX12, gfx9 = g->t->isa == SIM_ISA_GFX9;
    struct sim_place off = g->t->place[d->format][SIM_F_offset];
    uint32_t null = g->f->flags & SIM_SCALAR_NULL ? 124 : 0x7f;
    bool has_saddr = false, has_soffset = false, has_vaddr = false;

    for (unsigned k = 0; k < d->row->nslots; k++) {
        has_saddr |= d->row->slot[k].field == SIM_F_saddr;
        has_soffset |= d->row->slot[k].field == SIM_F_soffset;
        has_vaddr |= d->row->slot[k].field == SIM_F_vaddr;
    }
    if (accepts(d, SIM_F_offset2) || (d->format == SIM_FMT_DS && accepts(d, SIM_F_offset))) {
        put(g, d, SIM_F_offset0, draw(g, 256));
        put(g, d, SIM_F_offset1, draw(g, 256));
    } else if (accepts(d, SIM_F_offset)) {
        unsigned bits =
            off.bits - (d->format == SIM_FMT_VBUFFER || (d->format == SIM_FMT_FLAT && !gfx12));

        put(g, d, SIM_F_offset, chance(g, 30) ? 0 : draw(g, 1u << bits));
    }
    if (has_saddr)
        put(g, d, SIM_F_saddr, chance(g, 50) ? null : draw(g, 50) * 2);
    else if (d->format != SIM_FMT_DS && gfx12)
        put(g, d, SIM_F_saddr, null);
    if (d->format == SIM_FMT_SCRATCH) {
        bool vaddr = chance(g, 50);

        if (gfx9 && !(g->f->flags & SIM_TEXT_SC)) {
            vaddr = sim_get(g->t, d->format, SIM_F_saddr, d->w) == null;
            put(g, d, SIM_F_sve, accepts(d, SIM_F_lds) && chance(g, 20));
        } else {
            put(g, d, SIM_F_sve, vaddr);
        }
        if (!vaddr)
            put(g, d, SIM_F_addr, 0);
    }
    if (has_soffset && d->format == SIM_FMT_SMEM) {
        bool sgpr_form = chance(g, 50);

        if (gfx9) {
            bool imm = !sgpr_form || chance(g, 50);

            put(g, d, SIM_F_imm, imm);
            put(g, d, SIM_F_soffset_en, sgpr_form && imm);
            if (!imm)
                put(g, d, SIM_F_offset, draw(g, 100));
            put(g, d, SIM_F_soffset, sgpr_form && imm ? draw(g, 100) : 0);
        } else {
            put(g, d, SIM_F_soffset, sgpr_form ? draw(g, 100) : 124);
        }
        if (strstr(sim_op_name(d->row->token), "buffer") && /* unsigned there */
            (!gfx9 || sim_get(g->t, d->format, SIM_F_imm, d->w)))
            put(g, d, SIM_F_offset, draw(g, 1u << (off.bits - 1)));
    } else if (has_soffset) {
        put(g, d, SIM_F_soffset,
            gfx12           ? draw(g, 100)
            : chance(g, 30) ? 128 + draw(g, 64)
                            : draw(g, 100));
    }
    if (has_vaddr) {
        unsigned form = draw(g, 4);

        put(g, d, SIM_F_offen, form & 1);
        put(g, d, SIM_F_idxen, form >> 1);
        if (!form)
            put(g, d, SIM_F_vaddr, 0);
    }
    if (d->format == SIM_FMT_MTBUF || d->row->token == SIM_OP_NONE) {
        put(g, d, SIM_F_dfmt, 2 + draw(g, 13));
        put(g, d, SIM_F_nfmt, draw(g, 8) & ~2u);
        put(g, d, SIM_F_format, 1 + draw(g, 63));
    } else if (d->format == SIM_FMT_VBUFFER) {
        put(g, d, SIM_F_format, sim_op_name(d->row->token)[0] == 't' ? 1 + draw(g, 63) : 1);
    }
    if (accepts(d, SIM_F_lds) && d->format != SIM_FMT_SCRATCH)
        put(g, d, SIM_F_lds, chance(g, 20));
    if (accepts(d, SIM_F_offset) && (d->row->cls == SIM_LOAD || d->row->cls == SIM_STORE ||
                                     d->row->cls == SIM_ATOMIC)) {
        put(g, d, SIM_F_slc, chance(g, 25));
        if (d->row->cls != SIM_ATOMIC || accepts(d, SIM_F_rtn))
            put(g, d, SIM_F_glc, chance(g, 50));
        put(g, d, SIM_F_scope, draw(g, 4));
        if (d->row->cls == SIM_ATOMIC)
            put(g, d, SIM_F_th, chance(g, 50));
        else
            put(g, d, SIM_F_th, draw(g, 3));
    }
    if (d->format == SIM_FMT_TENSOR) {
        put(g, d, SIM_F_scope, draw(g, 4));
        put(g, d, SIM_F_th, draw(g, 3));
    }
}

static uint32_t dpp16(struct gen *g, const struct sim_opcode *row)
{
    static const uint16_t gfx9[] = {0x101, 0x10f, 0x111, 0x118, 0x121, 0x12f, 0x130,
                                    0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
    static const uint16_t gfx11[] = {0x101, 0x10f, 0x111, 0x118, 0x121, 0x12f,
                                     0x140, 0x141, 0x150, 0x15f, 0x160, 0x16a};
    unsigned ctrl;

    if (row->lanes & SIM_ROW_NEWBCAST)
        ctrl = 0x150 + draw(g, 16);
    else if (chance(g, 40))
        ctrl = draw(g, 256);
    else if (g->t->isa == SIM_ISA_GFX9)
        ctrl = gfx9[draw(g, sizeof gfx9 / sizeof *gfx9)];
    else
        ctrl = gfx11[draw(g, sizeof gfx11 / sizeof *gfx11)];
    return ctrl << 8 | draw(g, 2) << 19 | (g->t->isa == SIM_ISA_GFX9 ? 0 : draw(g, 2) << 18) |
           draw(g, 256) << 24;
}

static uint32_t sdwa(struct gen *g, const struct sim_opcode *row)
{
    uint32_t w = draw(g, 7) << 16;
    bool two = false, is_float = false;

    for (unsigned k = 0; k < row->nslots; k++) {
        two |= row->slot[k].field == SIM_F_vsrc1;
        is_float |= row->slot[k].type == SIM_T_F16 || row->slot[k].type == SIM_T_F32;
    }
    if (two)
        w |= draw(g, 7) << 24;
    if (row->format != SIM_FMT_VOPC)
        w |= draw(g, 7) << 8 | draw(g, 3) << 11;
    else if (chance(g, 50))
        w |= 1u << 15 | (draw(g, 50) * 2) << 8;
    if (is_float)
        w |= draw(g, 4) << 20;
    else
        w |= draw(g, 2) << 19;
    return w;
}

/* Puts src0's register into an extra dword when the row has such a form and the dice say so. */
static void lanes(struct gen *g, struct draft *d)
{
    unsigned forms[3], n = 0, form;
    const struct sim_slot *src0 = NULL;
    uint32_t extra, reg;

    for (unsigned k = 0; k < d->row->nslots; k++)
        if (d->row->slot[k].field == SIM_F_src0)
            src0 = &d->row->slot[k];
    if (!src0 || !chance(g, 40))
        return;
    if (d->row->lanes & (SIM_ROW_DPP | SIM_ROW_NEWBCAST))
        forms[n++] = 250;
    if (d->row->lanes & SIM_ROW_DPP8)
        forms[n++] = 233;
    if (d->row->lanes & SIM_ROW_SDWA)
        forms[n++] = 249;
    if (!n)
        return;
    form = forms[draw(g, n)];
    d->lanes = true;
    reg = vgpr(g, d, src0);
    if (form == 250)
        extra = reg | dpp16(g, d->row);
    else if (form == 233)
        extra = reg | draw(g, 1u << 24) << 8;
    else
        extra = reg | sdwa(g, d->row);
    if (form == 233 && chance(g, 30))
        form = 234;
    d->w[d->next++] = extra;
    put(g, d, SIM_F_src0, form);
}

static const struct sim_format_row *format_of(const struct sim_table *t, unsigned format)
{
    for (size_t k = 0; k < sim_format_count; k++)
        if (sim_formats[k].format == format && sim_formats[k].sets & 1 << t->isa)
            return &sim_formats[k];
    return NULL;
}

/* A row of the format, drawn; dual instructions pair any two halves. */
static const struct sim_opcode *any_row(struct gen *g, unsigned format)
{
    const struct sim_opcode *found = NULL;
    unsigned n = 0;

    for (size_t k = 0; k < g->t->nrows; k++)
        if (g->t->rows[k].format == format && g->t->rows[k].targets & g->f->target &&
            draw(g, ++n) == 0)
            found = &g->t->rows[k];
    return found;
}

static void half(struct gen *g, struct draft *d, const struct sim_opcode *row,
                 const struct sim_format_row *m)
{
    d->row = row;
    d->format = row->format;
    put_at(d->w, m->op_lo, m->op_bits, row->code);
    if (is_vector(d) && !d->dual)
        for (unsigned k = 0; k < row->nslots; k++) /* fixed scalar operands count first */
            if (row->slot[k].field == SIM_F_vcc && row->slot[k].access & SIM_READ)
                d->scalar_used = true;
    if (!d->dual)
        lanes(g, d);
    for (unsigned k = 0; k < row->nslots; k++) {
        uint32_t keep = sim_get(g->t, d->format, SIM_F_src0, d->w);

        operand(g, d, &row->slot[k]);
        if (d->lanes && row->slot[k].field == SIM_F_src0)
            put(g, d, SIM_F_src0, keep);
    }
    modifiers(g, d);
}

unsigned gen_encoding(struct gen *g, const struct sim_opcode *row, uint32_t words[5])
{
    struct draft d = {.w = words};
    const struct sim_format_row *m = format_of(g->t, row->format);
    bool y = row->format == SIM_FMT_VOPDY || row->format == SIM_FMT_VOPD3Y;
    bool x = row->format == SIM_FMT_VOPDX || row->format == SIM_FMT_VOPD3X;

    memset(words, 0, 5 * sizeof *words);
    words[0] = m->match0;
    words[2] = m->match2;
    d.next = m->dwords;
    if (x || y) {
        const struct sim_opcode *other = any_row(g, x ? row->format + 1 : row->format - 1);
        const struct sim_format_row *om = format_of(g->t, other->format);

        d.dual = 1;
        half(g, &d, x ? row : other, x ? m : om);
        d.dual = 2;
        half(g, &d, x ? other : row, x ? om : m);
    } else {
        half(g, &d, row, m);
        if (row->cls == SIM_MATRIX)
            matrix(g, &d);
        if (row->format == SIM_FMT_MAI && row->cls == SIM_MATRIX && !accepts(&d, SIM_F_f8f6f4)) {
            put(g, &d, SIM_F_cbsz, draw(g, 4));
            put(g, &d, SIM_F_abid, draw(g, 4));
            if (strncmp(sim_op_name(row->token), "v_smfmac", 8) != 0)
                put(g, &d, SIM_F_blgp, draw(g, 4));
        }
        if (row->format == SIM_FMT_MAI || row->format == SIM_FMT_VOP3PX) {
            put(g, &d, SIM_F_acc_cd, row->cls == SIM_MATRIX ? draw(g, 2) : 0);
            put(g, &d, SIM_F_acc0, row->cls == SIM_MATRIX ? draw(g, 2)
                                                          : row->slot[1].kinds == SIM_K_A);
            put(g, &d, SIM_F_acc1, row->cls == SIM_MATRIX ? draw(g, 2) : 0);
        }
        if (row->format >= SIM_FMT_DS || row->format == SIM_FMT_SMEM) {
            memory(g, &d);
            put(g, &d, SIM_F_gds, strstr(sim_op_name(row->token), "_gws_") ||
                                      strstr(sim_op_name(row->token), "_gs_"));
            put(g, &d, SIM_F_acc, 0);
        }
        if (row->format == SIM_FMT_VOP3PX16 ||
            (row->format == SIM_FMT_VOP3PX && g->t->isa == SIM_ISA_GFX1250))
            words[1] |= 1u << 26;
    }
    if (d.literal) {
        unsigned n = d.wide ? 2 : 1;
        uint32_t mask = ~0u;

        for (unsigned k = 0; k < row->nslots; k++)
            if (row->slot[k].field == SIM_F_K) {
                n = row->slot[k].bits == 64 ? 2 : 1;
                mask = row->slot[k].type == SIM_T_F16 ? 0xffff : ~0u;
            }
        for (unsigned k = 0; k < n; k++)
            words[d.next + k] = (0x12345678u + draw(g, 1u << 20) * 1009) & mask;
        if (d.wide && chance(g, 30)) { /* a value that has a shorter form */
            words[d.next] = (chance(g, 50) ? 0x80000000u : 0) | draw(g, 100);
            words[d.next + 1] = 0;
        }
        d.next += n;
    }
    return d.next * 4;
}
