/* SPDX-License-Identifier: MIT */
/*
 * The wiring of WMMA and SWMMAC: registers of every operand, inline constants as C, signs and magnitudes,
 * halves, formats, index sets, scales from registers, scalars and constants. Layout and arithmetic are
 * proved elsewhere (test_matrix_*), so the expectation is the bare executor on rows this file picks.
 */
#include "item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "matrix.h"

enum { LANES = 32, A_REG = 16, B_REG = 32, C_REG = 48, D_REG = 64, INDEX = 12, SCALE_A = 100, SCALE_B = 104 };

struct wcase {
    const struct sim_matrix_form *f;
    const char *name;
    int snippet, a_fmt, b_fmt, neg_lo, neg_hi, opsel, key;
    int sel_a, sel_b, sfmt_a, sfmt_b;
    bool clamp, in_place, scaled, scale16;
    int constant;     /* 0 none, 1 "0", 2 "1.0" (floats) or "-4" */
    int scales;       /* 0 registers, 1 a scalar for A, 2 a constant for B */
};

static const enum sim_matrix_isa isa_of[TARGETS] = { [T_1100] = SIM_MX_GFX11, [T_1201] = SIM_MX_GFX12,
                                                     [T_1250] = SIM_MX_GFX1250 };

static bool accepts(const struct sim_opcode *o, unsigned field) { return o->accepts >> field & 1; }

static void span(char *out, char file, int first, int n)
{
    sprintf(out, n == 1 ? "%c%d" : "%c[%d:%d]", file, first, first + n - 1);
}

static void three(char *to, const char *name, int bits)
{
    if (bits)
        sprintf(to + strlen(to), " %s:[%d,%d,%d]", name, bits & 1, bits >> 1 & 1, bits >> 2 & 1);
}

static void add(struct batch *b, struct wcase *list, int *n, struct wcase c)
{
    static const char *const fmt[] = { "FP8", "BF8", "FP6", "BF6", "FP4" }, *const sfmt[] = { "E8", "E5M3", "E4M3" };
    const struct sim_matrix_form *f = c.f;
    char d[24], x[24], y[24], z[24], scales[48] = "", tail[240] = "";
    int ar = f->a == SIM_MT_F8F6F4 ? (int)sim_matrix_regs(f, 0, (unsigned)c.a_fmt) : f->a_regs;
    int br = f->a == SIM_MT_F8F6F4 ? (int)sim_matrix_regs(f, 1, (unsigned)c.b_fmt) : f->b_regs;

    span(x, 'v', A_REG, ar);
    span(y, 'v', B_REG, br);
    span(d, 'v', c.in_place ? C_REG : D_REG, f->sparse ? f->c_regs : f->d_regs); /* D is C, and may fill a part of it */
    if (f->sparse)
        span(z, 'v', INDEX, 1 + (strstr(c.name, "16x16x128") != NULL));
    else if (c.constant)
        strcpy(z, c.constant == 1 ? "0" : f->c == SIM_MT_I32 ? "-4" : "1.0");
    else
        span(z, 'v', C_REG, f->c_regs);
    if (c.scaled) {
        char sa[16], sb[16];
        span(sa, c.scales == 1 ? 's' : 'v', c.scales == 1 ? 20 : SCALE_A, 1 + c.scale16);
        if (c.scales == 2)
            strcpy(sb, "1");
        else
            span(sb, 'v', SCALE_B, 1 + c.scale16);
        sprintf(scales, ", %s, %s", sa, sb);
    }
    if (c.a_fmt)
        sprintf(tail + strlen(tail), " matrix_a_fmt:MATRIX_FMT_%s", fmt[c.a_fmt]);
    if (c.b_fmt)
        sprintf(tail + strlen(tail), " matrix_b_fmt:MATRIX_FMT_%s", fmt[c.b_fmt]);
    if (c.sel_a)
        strcat(tail, " matrix_a_scale:MATRIX_SCALE_ROW1");
    if (c.sel_b)
        strcat(tail, " matrix_b_scale:MATRIX_SCALE_ROW1");
    if (c.sfmt_a)
        sprintf(tail + strlen(tail), " matrix_a_scale_fmt:MATRIX_SCALE_FMT_%s", sfmt[c.sfmt_a]);
    if (c.sfmt_b)
        sprintf(tail + strlen(tail), " matrix_b_scale_fmt:MATRIX_SCALE_FMT_%s", sfmt[c.sfmt_b]);
    if (c.key)
        sprintf(tail + strlen(tail), " index_key:%d", c.key);
    three(tail, "op_sel", c.opsel);
    three(tail, "neg_lo", c.neg_lo);
    three(tail, "neg_hi", c.neg_hi);
    if (c.clamp)
        strcat(tail, " clamp");
    c.snippet = batch_add(b, "%s %s, %s, %s, %s%s%s", c.name, d, x, y, z, scales, tail);
    list[(*n)++] = c;
}

static int bits_of(const struct sim_opcode *o, unsigned field0)
{
    int m = 0;
    for (unsigned k = 0; k < 3; k++)
        m |= accepts(o, field0 + k) << k;
    return m ? (int)(rand64() & (unsigned)m) : 0;
}

static int make_cases(struct batch *b, const struct sim_opcode *o, const struct sim_matrix_form *f, struct wcase *list)
{
    int n = 0;
    struct wcase c = { .f = f, .name = sim_op_name(o->token), .in_place = f->sparse };
    const bool f8 = f->a == SIM_MT_F8F6F4, fmts = f8 && accepts(o, SIM_F_f8f6f4);

    c.scaled = o->format != SIM_FMT_VOP3P;
    c.scale16 = o->format == SIM_FMT_VOP3PX16;
    rand_seed(c.name);
    add(b, list, &n, c);
    for (int k = 0; k < 6; k++) {
        c.in_place = f->sparse || (k & 1 && f->c_regs == f->d_regs);
        c.constant = !f->sparse && k % 3 == 2 ? 1 + (k == 5) : 0;
        c.neg_lo = bits_of(o, SIM_F_neg0);
        c.neg_hi = bits_of(o, SIM_F_neg_hi0);
        c.clamp = accepts(o, SIM_F_clamp) && k & 1;
        /* gfx11 writes one half of each register, op_sel of src2 says which; later it is a hint. */
        c.opsel = b->target == T_1100 && accepts(o, SIM_F_opsel2) ? (k & 1) << 2 : 0;
        c.key = f->sparse && accepts(o, SIM_F_opsel0) ? (int)rand_below(accepts(o, SIM_F_opsel1) ? 4 : 2) : 0;
        if (fmts) {
            c.a_fmt = (int)rand_below(5);
            c.b_fmt = (int)rand_below(5);
        }
        if (c.scaled) {
            c.sel_a = (int)rand_below(2);
            c.sel_b = (int)rand_below(2);
            /* E5M3 and E4M3 scales are for fp4 */
            bool small = !fmts || (c.a_fmt == 4 && c.b_fmt == 4);
            c.sfmt_a = small ? (int)rand_below(3) : 0;
            c.sfmt_b = small ? c.sfmt_a : 0;
            c.scales = k % 3;
        }
        add(b, list, &n, c);
    }
    return n;
}

/* Registers of the state as consecutive rows of 32 lanes. */
static void rows(uint32_t *to, uint32_t (*v)[64], int n, bool back)
{
    for (int r = 0; r < n; r++)
        memcpy(back ? v[r] : to + r * LANES, back ? to + r * LANES : v[r], LANES * 4);
}

static void run_case(const struct batch *b, const struct wcase *c)
{
    static struct wave_state w, want;
    static uint32_t ra[16 * LANES], rb[16 * LANES], rc[16 * LANES], ri[2 * LANES], sa[2 * LANES], sb[2 * LANES];
    const struct sim_matrix_form *f = c->f;
    enum target t = b->target;

    rand_seed(batch_text(b, c->snippet));
    for (int run = 0; run < 2; run++) {
        wave_randomise(&w, t);
        w.exec = 0xffffffff;
        for (int r = 0; r < 16; r++) /* moderate numbers: most forms then have finite results */
            for (int i = 0; i < LANES && run; i++) {
                w.v[A_REG + r][i] = (w.v[A_REG + r][i] & 0x8fff8fff) | 0x30003000;
                w.v[B_REG + r][i] = (w.v[B_REG + r][i] & 0x8fff8fff) | 0x30003000;
            }
        if (t == T_1100) /* both halves of the wave hold A and B */
            for (int r = 0; r < 16; r++)
                for (int i = 0; i < 16; i++) {
                    w.v[A_REG + r][i + 16] = w.v[A_REG + r][i];
                    w.v[B_REG + r][i + 16] = w.v[B_REG + r][i];
                }
        for (int k = 0; k < 2; k++) {
            for (int i = 0; i < LANES; i++) {
                w.v[SCALE_A + k][i] = 0x7e7f8081 ^ ((uint32_t)rand64() & 0x03030303);
                w.v[SCALE_B + k][i] = 0x7e7f8081 ^ ((uint32_t)rand64() & 0x03030303);
            }
            w.s[20 + k] = 0x7f7e8180 ^ ((uint32_t)rand64() & 0x03030303);
        }
        want = w;
        rows(ra, &w.v[A_REG], 16, false);
        rows(rb, &w.v[B_REG], 16, false);
        rows(rc, &w.v[C_REG], 16, false);
        rows(ri, &w.v[INDEX], 2, false);
        for (int k = 0; k < 2; k++)
            for (int i = 0; i < LANES; i++) {
                sa[k * LANES + i] = c->scales == 1 ? w.s[20 + k] : w.v[SCALE_A + k][i];
                sb[k * LANES + i] = c->scales == 2 ? (k ? 0 : 1) : w.v[SCALE_B + k][i];
            }
        static uint32_t rd[16 * LANES];
        int dr = c->in_place ? C_REG : D_REG;
        rows(rd, &w.v[dr], 16, false);
        struct sim_matrix_args x = { .a = ra, .b = rb, .c = c->constant ? NULL : rc, .d = rd, .index = ri, .wave = LANES };
        x.neg_lo = (uint8_t)c->neg_lo;
        x.neg_hi = (uint8_t)c->neg_hi;
        x.opsel = (uint8_t)(c->opsel | c->key);
        x.clamp = c->clamp;
        x.a_fmt = (uint8_t)c->a_fmt;
        x.b_fmt = (uint8_t)c->b_fmt;
        if (f->sparse)
            x.c = rd;
        if (c->constant == 2) {
            static const uint32_t one[] = { [SIM_MT_F32] = 0x3f800000, [SIM_MT_F16] = 0x3c003c00,
                                            [SIM_MT_BF16] = 0x3f803f80, [SIM_MT_I32] = (uint32_t)-4 };
            x.c_const = one[f->c];
        }
        if (c->scaled) {
            x.a_scale = sa;
            x.b_scale = sb;
            x.scale16 = c->scale16;
            x.a_scale_sel = (uint8_t)c->sel_a;
            x.b_scale_sel = (uint8_t)c->sel_b;
            x.a_scale_fmt = (uint8_t)c->sfmt_a;
            x.b_scale_fmt = (uint8_t)c->sfmt_b;
        }
        sim_matrix_level(2)(f, &x);
        rows(rd, &want.v[dr], f->d_regs, true);
        if (!run_snippet(b, c->snippet, &w, NULL)) {
            fail(t, c->name, "%s: %s", batch_text(b, c->snippet), run_error());
            return;
        }
        const char *d = wave_diff(&w, &want, NULL, NULL);
        if (d) {
            fail(t, c->name, "%s: %s", batch_text(b, c->snippet), d);
            return;
        }
    }
}

void run_wmma(enum target t);
void run_wmma(enum target t)
{
    struct batch b;
    const struct sim_family *family = sim_family_by_name(target_name[t]);
    size_t count;
    const struct sim_opcode *row = sim_isa_rows(family->isa, &count);
    struct wcase *list = calloc(count * 8, sizeof *list);
    int n = 0;

    batch_begin(&b, t);
    for (size_t i = 0; i < count && t >= T_1100; i++) {
        if (!(row[i].targets & family->target) || row[i].cls != SIM_MATRIX)
            continue;
        const struct sim_matrix_form *f = sim_matrix_find(sim_op_name(row[i].token), isa_of[t]);
        if (!f)
            continue; /* fly-sim cover lists it */
        covered_add(t, sim_op_name(row[i].token));
        n += make_cases(&b, &row[i], f, list + n);
    }
    if (!batch_assemble(&b))
        fail(t, "(assembler)", "a matrix form is refused");
    else
        for (int i = 0; i < n; i++)
            run_case(&b, &list[i]);
    free(list);
    batch_end(&b);
}
