/* SPDX-License-Identifier: MIT */
/*
 * The forms of a vector ALU row: sources from VGPRs, SGPRs, inline constants and literals,
 * modifiers, op_sel, DPP, SDWA, other modes, and their assembler text. One scalar operand an
 * instruction, literals in 32-bit encodings only (gfx9). Inline constants of 16-bit and packed
 * operands: LLVM, comment on getInlineEncodingV216.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "valu_case.h"

static const int src_reg[3] = { 2, 4, 6 }, src_wide[3] = { 16, 48, 80 };
static struct vcases *out; /* of the call in progress */
static enum target on;

static bool rdna(void)
{
    return on >= T_1100;
}

static const struct { const char *text; uint32_t f32; uint64_t f64; uint16_t f16;
    } inline_float[] = {
    { "0.5", 0x3f000000, 0x3fe0000000000000, 0x3800 },   { "-0.5", 0xbf000000, 0xbfe0000000000000,
      0xb800 },
    { "1.0", 0x3f800000, 0x3ff0000000000000, 0x3c00 },   { "-1.0", 0xbf800000, 0xbff0000000000000,
      0xbc00 },
    { "2.0", 0x40000000, 0x4000000000000000, 0x4000 },   { "-2.0", 0xc0000000, 0xc000000000000000,
      0xc000 },
    { "4.0", 0x40800000, 0x4010000000000000, 0x4400 },   { "-4.0", 0xc0800000, 0xc010000000000000,
      0xc400 },
    { "0.15915494", 0x3e22f983, 0x3fc45f306dc9c882, 0x3118 } };

static void set_inline(struct operand *o, enum vtype t)
{
    o->kind = OP_INLINE;
    bool floats = is_float(t) || t == V_PF16 || is_mix(t);
    if (floats && rand_below(3)) {
        int i = (int)rand_below(9);
        if (t == V_F64 && i == 8)
            snprintf(o->text, sizeof o->text, "0.15915494309189532");
        else
            snprintf(o->text, sizeof o->text, "%s", inline_float[i].text);
        o->value = t == V_F64                 ? inline_float[i].f64
                   : t == V_F32 || is_mix(t) ? inline_float[i].f32
                   : t == V_BF16              ? inline_float[i].f32 >> 16
                                              : inline_float[i].f16;
        if (is_mix(t)) { /* the assembler takes it as f16 only when the operand is a half */
            snprintf(o->text, sizeof o->text, "1.0");
            o->value = 0x3f800000;
        }
    } else {
        int n = (int)rand_below(81) - 16;
        snprintf(o->text, sizeof o->text, "%d", n);
        o->value = (uint64_t)(int64_t)n;
        if (type_words(t) == 1)
            o->value &= 0xffffffff;
    }
}

static void set_literal(struct operand *o, enum vtype t)
{
    uint64_t v;
    o->kind = OP_LITERAL;
    if (t == V_F64) {
        v = (draw(V_F64) >> 32 & 0xfffff000) | 0x123;
        snprintf(o->text, sizeof o->text, "0x%08x", (uint32_t)v);
        o->value = v << 32;
        return;
    }
    v = is_half(t) ? (draw(t) & 0xff0f) | 0x50 : (draw(t) & 0xffff0fff) | 0x5000;
    if (is_half(t))
        v |= 0x1000; /* never an inline constant */
    snprintf(o->text, sizeof o->text, "0x%x", (uint32_t)v);
    o->value = v;
}

static void set_vgpr(struct operand *o, int reg, enum vtype t)
{
    int n = type_words(t);
    o->kind = OP_V;
    o->reg = reg;
    if (n == 1)
        snprintf(o->text, sizeof o->text, "v%d", reg);
    else
        snprintf(o->text, sizeof o->text, "v[%d:%d]", reg, reg + n - 1);
}

static void set_sgpr(struct operand *o, enum vtype t)
{
    int n = type_words(t);
    o->kind = OP_S;
    o->reg = S_SGPR;
    if (n == 1)
        snprintf(o->text, sizeof o->text, "s%d", o->reg);
    else
        snprintf(o->text, sizeof o->text, "s[%d:%d]", o->reg, o->reg + n - 1);
    if (on == T_1250 && t == V_PF32) /* both halves read the low SGPR */
        o->opsel = o->opsel_hi = false;
}

/* gfx12 has neither an IEEE nor a DX10_CLAMP bit. */
static uint32_t kernel_mode(void)
{
    return on >= T_1201 ? MODE_DENORM : MODE_KERNEL;
}

static struct vcase plain(const struct valu_row *r)
{
    struct vcase c = { .row = r, .mode = kernel_mode(), .waves = 3, .row_mask = 15, .bank_mask = 15,
                       .rdna = rdna() };
    for (; c.nsrc < 3 && r->s[c.nsrc]; c.nsrc++) {
        enum vtype t = r->s[c.nsrc];
        set_vgpr(&c.s[c.nsrc], type_words(t) > 2 ? src_wide[c.nsrc] : src_reg[c.nsrc], t);
        c.s[c.nsrc].opsel_hi = is_packed(t);
        c.s[c.nsrc].sel = 6;
    }
    if (r->form == VOP2K) /* the literal: the middle one of v_...mk, the last of v_...ak */
        set_literal(&c.s[strstr(r->name, "mk_") ? 1 : 2], r->s[0]);
    c.dreg = type_words(r->d) > 2 ? D_WIDE : D_REG;
    c.dst_sel = 6;
    c.e64 = r->form == VOP3 || r->form == VOP3P || r->form == VOP3SD || (r->flags & VF_NO_E32);
    return c;
}

static bool has_opsel(const struct valu_row *r)
{
    bool half = is_half(r->d);
    for (int i = 0; i < 3; i++)
        half |= is_half(r->s[i]);
    return r->flags & (VF_OPSEL | VF_PK_CVT | VF_BYTE_DST | VF_SRC_BYTE) ||
           (on == T_1100 && half && r->form != VOP3P);
}

static bool wide_row(const struct valu_row *r)
{
    return type_words(r->d) > 1 || type_words(r->s[0]) > 1 || type_words(r->s[1]) > 1;
}

static const char *const sel_name[] = { "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                        "WORD_0", "WORD_1", "DWORD" };

static void print_dpp(char *out, size_t room, const struct vcase *c, enum target t)
{
    char ctrl[40];
    unsigned n = c->ctrl & 15;
    if (c->ctrl <= 0xff)
        snprintf(ctrl, sizeof ctrl, "quad_perm:[%u,%u,%u,%u]", c->ctrl & 3, c->ctrl >> 2 & 3,
                 c->ctrl >> 4 & 3, c->ctrl >> 6 & 3);
    else
        switch (c->ctrl >> 4) {
        case 0x10: snprintf(ctrl, sizeof ctrl, "row_shl:%u", n); break;
        case 0x11: snprintf(ctrl, sizeof ctrl, "row_shr:%u", n); break;
        case 0x12: snprintf(ctrl, sizeof ctrl, "row_ror:%u", n); break;
        case 0x15:
            snprintf(ctrl, sizeof ctrl, "%s:%u", t <= T_950 ? "row_newbcast" : "row_share", n);
            break;
        case 0x16: snprintf(ctrl, sizeof ctrl, "row_xmask:%u", n); break;
        default:
            snprintf(ctrl, sizeof ctrl, "%s",
                     c->ctrl == 0x130   ? "wave_shl:1"
                     : c->ctrl == 0x134 ? "wave_rol:1"
                     : c->ctrl == 0x138 ? "wave_shr:1"
                     : c->ctrl == 0x13c ? "wave_ror:1"
                     : c->ctrl == 0x140 ? "row_mirror"
                     : c->ctrl == 0x141 ? "row_half_mirror"
                     : c->ctrl == 0x142 ? "row_bcast:15"
                                        : "row_bcast:31");
        }
    snprintf(out, room, " %s row_mask:0x%x bank_mask:0x%x%s", ctrl, c->row_mask, c->bank_mask,
             c->bound_ctrl ? (rdna() ? " bound_ctrl:1" : " bound_ctrl:0") : "");
    if (c->fi)
        snprintf(out + strlen(out), room - strlen(out), " fi:1");
}

/* gfx11 names the halves of registers, except that of v_ashr_pk_*. LLVM has gfx12 use low
 * halves. */
static bool names_halves(const struct valu_row *r)
{
    return on == T_1100 && !(r->flags & VF_OPSEL && is_half(r->d) && !is_half(r->s[0]));
}

static const char *half_suffix(const struct valu_row *r, enum vtype t, bool high)
{
    return !names_halves(r) || !is_half(t) ? "" : high ? ".h" : ".l";
}

/* The instruction's text. */
static void print_case(char *out, size_t room, const struct vcase *c, enum target t)
{
    const struct valu_row *r = c->row;
    bool both = (r->form == VOP1 || r->form == VOP2 || r->form == VOPC || r->form == VOP2C) &&
                !(r->flags & VF_NO_SUFFIX);
    char d[40] = "", ops[160] = "", tail[160] = "";
    size_t n = 0;
    bool p = r->form == VOP3P;

    bool wave64 = target_lanes(t) == 64;
    char sd[16], carry[16];
    const char *vcc = wave64 ? "vcc" : "vcc_lo";
    snprintf(sd, sizeof sd, wave64 ? "s[%d:%d]" : "s%d", SD_REG, SD_REG + 1);
    snprintf(carry, sizeof carry, wave64 ? "s[%d:%d]" : "s%d", CARRY_REG, CARRY_REG + 1);

    if (r->form == VOPC) {
        bool to_s = c->e64 || (c->lanes == LANES_SDWA && !c->vcc_dst);
        if (wave64 || !(r->flags & VF_CMPX)) /* gfx10+ cmpx names no destination */
            snprintf(d, sizeof d, "%s", to_s ? sd : vcc);
    } else {
        int w = type_words(r->d);
        if (w == 1)
            snprintf(d, sizeof d, "v%d%s", c->dreg, half_suffix(r, r->d, c->opsel_d));
        else
            snprintf(d, sizeof d, "v[%d:%d]", c->dreg, c->dreg + w - 1);
        if (r->flags & VF_CARRY_OUT)
            snprintf(d + strlen(d), sizeof d - strlen(d), ", %s", c->e64 ? sd : vcc);
    }
    for (int i = 0; i < c->nsrc; i++) {
        const struct operand *o = &c->s[i];
        const char *sep = i ? ", " : "";
        bool mix = is_mix(r->s[i]), neg = o->neg && (!p || mix),
             abs = mix ? o->neg_hi : o->abs && !p;
        if (o->sext)
            n += (size_t)snprintf(ops + n, sizeof ops - n, "%ssext(%s)", sep, o->text);
        else
            n += (size_t)snprintf(ops + n, sizeof ops - n, "%s%s%s%s%s%s", sep, neg ? "-" : "",
                                  abs ? "|" : "", o->text,
                                  o->kind == OP_V ? half_suffix(r, r->s[i], o->opsel) : "",
                                  abs ? "|" : "");
    }
    if (r->flags & (VF_CARRY_IN | VF_MASK) || (r->flags & VF_VCC && r->form != VOP3)) {
        snprintf(ops + n, sizeof ops - n, ", %s", c->e64 ? carry : vcc);
    }
    n = 0;
    if (p && !(r->flags & VF_NO_OPSEL)) {
        bool lo = false, hi = false;
        for (int i = 0; i < c->nsrc; i++)
            lo |= c->s[i].opsel, hi |= c->s[i].opsel_hi != is_packed(r->s[i]);
        static const char *const name[] = { "op_sel", "op_sel_hi" };
        for (int k = 0; k < 2; k++)
            if (k ? hi : lo) {
                n += (size_t)snprintf(tail + n, sizeof tail - n, " %s:[", name[k]);
                for (int i = 0; i < c->nsrc; i++)
                    n += (size_t)snprintf(tail + n, sizeof tail - n, "%s%d", i ? "," : "",
                                          k ? c->s[i].opsel_hi : c->s[i].opsel);
                n += (size_t)snprintf(tail + n, sizeof tail - n, "]");
            }
    }
    if (p && !is_mix(r->s[0])) {
        bool lo = false, hi = false;
        for (int i = 0; i < c->nsrc; i++)
            lo |= c->s[i].neg, hi |= c->s[i].neg_hi;
        for (int k = 0; k < 2; k++)
            if (k ? hi : lo) {
                n += (size_t)snprintf(tail + n, sizeof tail - n, k ? " neg_hi:[" : " neg_lo:[");
                for (int i = 0; i < c->nsrc; i++)
                    n += (size_t)snprintf(tail + n, sizeof tail - n, "%s%d", i ? "," : "",
                                          k ? c->s[i].neg_hi : c->s[i].neg);
                n += (size_t)snprintf(tail + n, sizeof tail - n, "]");
            }
    }
    if (r->flags & VF_BITOP)
        n += (size_t)snprintf(tail + n, sizeof tail - n, " bitop3:0x%x", c->imm);
    if (c->e64 && !p && !names_halves(r) && has_opsel(r)) {
        bool any = c->opsel_d;
        for (int i = 0; i < 3; i++)
            any |= c->s[i].opsel;
        if (any) {
            int slots = c->nsrc + 1;
            if (r->flags & VF_BYTE_DST || (r->flags & VF_SRC_BYTE && slots < 3))
                slots = r->flags & VF_BYTE_DST ? 4 : 3;
            n += (size_t)snprintf(tail + n, sizeof tail - n, " op_sel:[");
            for (int i = 0; i < slots; i++)
                n += (size_t)snprintf(tail + n, sizeof tail - n, "%s%d", i ? "," : "",
                                      i == slots - 1 ? c->opsel_d : c->s[i].opsel);
            n += (size_t)snprintf(tail + n, sizeof tail - n, "]");
        }
    }
    if (c->clamp)
        n += (size_t)snprintf(tail + n, sizeof tail - n, " clamp");
    if (c->omod)
        n += (size_t)snprintf(tail + n, sizeof tail - n, "%s",
                              c->omod == 1   ? " mul:2"
                              : c->omod == 2 ? " mul:4"
                                             : " div:2");
    if (c->lanes == LANES_SDWA) {
        if (r->form != VOPC && !(r->flags & VF_SRC_SEL))
            n += (size_t)snprintf(tail + n, sizeof tail - n, " dst_sel:%s dst_unused:%s",
                                  sel_name[c->dst_sel],
                                  c->dst_unused == 0   ? "UNUSED_PAD"
                                  : c->dst_unused == 1 ? "UNUSED_SEXT"
                                                       : "UNUSED_PRESERVE");
        for (int i = 0; i < c->nsrc; i++)
            n += (size_t)snprintf(tail + n, sizeof tail - n, " src%d_sel:%s", i,
                                  sel_name[c->s[i].sel]);
    }
    if (c->lanes == LANES_DPP)
        print_dpp(tail + n, sizeof tail - n, c, t);
    const char *suffix = c->lanes == LANES_SDWA  ? "_sdwa"
                         : c->lanes == LANES_DPP ? (both && !c->e64 ? "_dpp" : "_e64_dpp")
                         : both                  ? c->e64 ? "_e64" : "_e32"
                                                 : "";
    snprintf(out, room, "%s%s %s%s%s%s", r->name, suffix, d, *d ? ", " : "", ops, tail);
}

static void add_case(struct batch *b, struct vcase c)
{
    char text[512];
    print_case(text, sizeof text, &c, b->target);
    if (!(out->count & (out->count - 1)))
        out->list =
            realloc(out->list, sizeof *out->list * (size_t)(out->count ? out->count * 2 : 1));
    c.snippet = batch_add(b, "%s", text);
    out->list[out->count++] = c;
}

static bool has_e32(const struct valu_row *r)
{
    return r->form != VOP3 && r->form != VOP3P && r->form != VOP3SD && !(r->flags & VF_NO_E32);
}

static const unsigned dpp_gfx9[] = { 0x1b,  0xb1,  0x4e,  0x93,  0x00,  0x101, 0x108, 0x10f,
                                     0x111, 0x118, 0x11f, 0x121, 0x12f, 0x130, 0x134, 0x138,
                                     0x13c, 0x140, 0x141, 0x142, 0x143, 0x150, 0x15f };
static const unsigned dpp_rdna[] = { 0x1b,  0xb1,  0x4e,  0x93,  0x00,  0x101, 0x108, 0x10f,
                                     0x111, 0x118, 0x11f, 0x121, 0x12f, 0x140, 0x141, 0x150,
                                     0x157, 0x15f, 0x160, 0x161, 0x165, 0x16f };

static struct vcase form_of(const struct valu_row *r, bool e64)
{
    struct vcase c = plain(r);
    c.e64 = e64;
    return c;
}

static void random_neg_abs(struct vcase *c, bool with_abs)
{
    for (int i = 0; i < c->nsrc; i++)
        if (is_float(c->row->s[i])) {
            c->s[i].neg = rand_below(2);
            c->s[i].abs = with_abs && rand_below(2);
        }
}

/* Sources from scalar registers, inline constants and literals. gfx9 takes one scalar operand an
 * instruction (an implicit mask counts) and literals in 32-bit encodings only. */
static void scalar_forms(struct batch *b, const struct valu_row *r)
{
    bool gfx9 = b->target <= T_950, mask = r->flags & (VF_VCC | VF_CARRY_IN);
    struct vcase c = plain(r);
    int nsrc = c.nsrc;

    for (int e64 = !has_e32(r); e64 <= !(r->flags & VF_NO_E64); e64++)
        for (int i = 0; i < nsrc; i++) {
            bool wide_int = r->s[i] == V_B64 || r->s[i] == V_I64 || r->s[i] == V_U64;
            if ((i && (!e64 || r->form == VOP2K)) || r->flags & VF_NO_S || type_words(r->s[i]) > 2)
                continue;
            if (r->form != VOP2K && (!mask || !gfx9)) {
                c = form_of(r, e64);
                set_sgpr(&c.s[i], r->s[i]);
                add_case(b, c);
            }
            for (int k = 0; k < 3 && !(r->flags & VF_NO_INLINE) && r->s[i] != V_FP8; k++) {
                c = form_of(r, e64);
                set_inline(&c.s[i], r->s[i]);
                if (r->s[i] == V_PF32 || r->s[i] == V_P32)
                    c.s[i].opsel_hi = false;
                add_case(b, c);
            }
            if (r->form != VOP2K && !wide_int && (gfx9 ? !e64 && !mask : r->s[i] != V_F64) &&
                !is_packed(r->s[i]) && !is_mix(r->s[i]) && r->s[i] != V_FP8) {
                c = form_of(r, e64);
                set_literal(&c.s[i], r->s[i]);
                add_case(b, c);
            }
        }
}

/* neg, abs, clamp, output modifier and op_sel of the 64-bit encodings. */
static void modifier_forms(struct batch *b, const struct valu_row *r, bool fsrc)
{
    struct vcase c = form_of(r, true);

    add_case(b, c);
    for (int k = 0; k < 8 && fsrc && r->form != VOP3P; k++) {
        c = form_of(r, true);
        random_neg_abs(&c, !(r->flags & VF_NO_ABS));
        if (k == 6 && !(r->flags & (VF_NO_S | VF_VCC)) && type_words(r->s[0]) <= 2)
            set_sgpr(&c.s[0], r->s[0]);
        add_case(b, c);
    }
    for (int k = 0; k < 2 && r->flags & VF_CLAMP; k++) {
        c = form_of(r, true);
        c.clamp = true;
        c.waves = 8;
        c.cross = k == 0 && c.nsrc < 3;
        if (k && r->flags & VF_OMOD)
            c.mode = 0; /* neither IEEE nor DX10_CLAMP */
        add_case(b, c);
    }
    for (int k = 0; k < 6 && r->flags & VF_OMOD; k++) {
        c = form_of(r, true);
        c.omod = 1 + k % 3;
        c.clamp = k == 1 && r->flags & VF_CLAMP;
        c.mode = k < 3 ? kernel_mode() & MODE_DX10 : kernel_mode();
        add_case(b, c);
    }
    for (int k = 0; k < 8 && has_opsel(r); k++) {
        c = form_of(r, true);
        for (int i = 0; i < c.nsrc && (r->flags & VF_OPSEL || on == T_1100); i++)
            c.s[i].opsel = is_half(r->s[i]) && rand_below(2);
        if (r->flags & VF_SRC_BYTE)
            c.s[0].opsel = k & 1, c.s[1].opsel = k >> 1 & 1;
        c.opsel_d = (is_half(r->d) || r->flags & VF_PK_CVT) && rand_below(2);
        if (r->flags & VF_BYTE_DST)
            c.s[2].opsel = k & 1, c.opsel_d = k >> 1 & 1;
        add_case(b, c);
    }
}

static void packed_forms(struct batch *b, const struct valu_row *r)
{
    for (int k = 0; k < 10; k++) {
        struct vcase c = plain(r);
        for (int i = 0; i < c.nsrc; i++) {
            if (!(r->flags & VF_NO_OPSEL)) {
                c.s[i].opsel = rand_below(2);
                c.s[i].opsel_hi = rand_below(2);
            }
            if (r->flags & VF_NEG_LO_HI) {
                c.s[i].neg = rand_below(2);
                c.s[i].neg_hi = rand_below(2);
            }
            if (r->flags & VF_NEG_BITS && i < 2) {
                c.s[i].neg = rand_below(2);
                c.imm |= (unsigned)c.s[i].neg << i;
            }
        }
        c.clamp = r->flags & VF_CLAMP && k & 1;
        add_case(b, c);
    }
}

/* The other rounding modes, and denormals flushed on input, on output and on both. */
static void mode_forms(struct batch *b, const struct valu_row *r)
{
    for (uint32_t k = 0; k < 6; k++) {
        struct vcase c = plain(r);
        c.waves = 10;
        c.cross = c.nsrc == 1;
        c.mode = k < 3 ? MODE_DENORM | MODE_DX10 | (k + 1) * 5
                       : (uint32_t)(MODE_DX10 | MODE_IEEE) | (k - 3) * 0x50;
        if (on >= T_1201)
            c.mode &= ~(uint32_t)(MODE_DX10 | MODE_IEEE);
        add_case(b, c);
    }
    if ((is_half(r->d) || r->d == V_PF16) && !r->tol) {
        struct vcase c = plain(r);
        c.waves = 10;
        c.mode = kernel_mode() | MODE_FP16_OVFL;
        add_case(b, c);
    }
}

static void dpp_forms(struct batch *b, const struct valu_row *r, bool fsrc)
{
    bool wide = wide_row(r);
    for (int k = 0; k < 8; k++) {
        struct vcase c = plain(r);
        c.lanes = LANES_DPP;
        if (rdna())
            c.ctrl = dpp_rdna[rand_below(sizeof dpp_rdna / sizeof *dpp_rdna)];
        else
            c.ctrl = wide ? 0x150 + rand_below(16)
                          : dpp_gfx9[rand_below(sizeof dpp_gfx9 / sizeof *dpp_gfx9)];
        c.fi = rdna() && rand_below(2);
        c.row_mask = k & 1 ? 15 : rand_below(16);
        c.bank_mask = k & 2 ? 15 : rand_below(16);
        c.bound_ctrl = rand_below(2);
        if (fsrc)
            random_neg_abs(&c, true);
        add_case(b, c);
    }
}

static bool takes_sext(enum vtype t)
{
    return t == V_I16 || t == V_U16 || t == V_B16 || t == V_I32 || t == V_U32 || t == V_B32 ||
           t == V_SHIFT;
}

static void sdwa_forms(struct batch *b, const struct valu_row *r, bool fsrc)
{
    bool wide = type_words(r->d) > 1;
    for (int k = 0; k < 10; k++) {
        struct vcase c = plain(r);
        int scalar = k - 8;
        c.lanes = LANES_SDWA;
        c.vcc_dst = rand_below(2);
        if (r->form != VOPC && !wide && !(r->flags & VF_SRC_SEL))
            c.dst_sel = (int)rand_below(7);
        c.dst_unused = wide ? 0 : (int)rand_below(3);
        if (fsrc)
            random_neg_abs(&c, true);
        for (int i = 0; i < c.nsrc; i++) {
            c.s[i].sel = !(r->flags & VF_SRC_SEL) ? (int)rand_below(7)
                         : wide                   ? 4 + (int)rand_below(2)
                                                  : (int)rand_below(4);
            c.s[i].sext = takes_sext(r->s[i]) && c.s[i].sel < 6 && rand_below(2);
        }
        if (scalar >= 0 && !(r->flags & (VF_VCC | VF_CARRY_IN))) {
            if (scalar >= c.nsrc)
                scalar = 0;
            set_sgpr(&c.s[scalar], r->s[scalar]);
        }
        add_case(b, c);
    }
}

void valu_forms(struct batch *b, const struct valu_row *r, struct vcases *to)
{
    struct vcase c;
    bool fsrc = false;

    out = to;
    on = b->target;
    c = plain(r);
    for (int i = 0; i < c.nsrc; i++)
        fsrc |= is_float(r->s[i]) && !(r->flags & VF_NO_MODS);
    c.cross = true;
    c.waves = c.nsrc == 1 ? 12 : 40;
    add_case(b, c);
    for (int i = 0; i < c.nsrc && type_words(r->d) <= 2 && r->form != VOPC; i++) {
        struct vcase same = plain(r); /* the destination is a source */
        same.dreg = same.s[i].reg;
        if (type_words(r->s[i]) <= 2 && same.s[i].kind == OP_V)
            add_case(b, same);
    }
    scalar_forms(b, r);
    if (!(r->flags & VF_NO_E64) && r->form != VOP2K)
        modifier_forms(b, r, fsrc);
    if (r->form == VOP3P)
        packed_forms(b, r);
    for (int k = 0; k < 20 && r->flags & VF_BITOP; k++) {
        c = plain(r);
        c.imm = k < 8 ? 1u << k : rand_below(256);
        add_case(b, c);
    }
    if (r->flags & VF_MODES)
        mode_forms(b, r);
    if (r->flags & VF_DPP && (!rdna() || !wide_row(r)))
        dpp_forms(b, r, fsrc);
    if (r->flags & VF_SDWA && !rdna())
        sdwa_forms(b, r, fsrc);
}
