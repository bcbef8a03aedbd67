/* SPDX-License-Identifier: MIT */
/*
 * The wiring of the matrix instructions: operand files (VGPR, AGPR, inline constant as C), cbsz,
 * abid and blgp, scales and their byte selects, D in place of C. Layout and arithmetic are proved
 * elsewhere (test_matrix_*), so the expectation here is the bare executor on rows this file picks
 * by itself.
 */
#include "item.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "matrix.h"

enum {
    A_REG = 16,
    B_REG = 24,
    C_REG = 32,
    D_REG = 64,
    SCALE_A = 100,
    SCALE_B = 101,
    INDEX = 12,
    AGPR_A = 48,
    AGPR_B = 56,
    AGPR_C = 0
};

struct xcase {
    const struct sim_matrix_form *f;
    char name[64];
    int snippet, a_regs, b_regs;
    bool a_acc, b_acc, cd_acc, in_place, scaled;
    int cbsz, abid, blgp, sel_a, sel_b;
    int constant; /* 0 none, 1 "0", 2 "1.0", 3 "-4" */
};

static const enum sim_matrix_isa isa_of[TARGETS] = { SIM_MX_GFX90A, SIM_MX_GFX942, SIM_MX_GFX950,
                                                     SIM_MX_GFX11,  SIM_MX_GFX12,  SIM_MX_GFX1250 };

static const char *span(char *out, char file, int first, int n)
{
    sprintf(out, n == 1 ? "%c%d" : "%c[%d:%d]", file, first, first + n - 1);
    return out;
}

static void add(struct batch *b, struct xcase *list, int *n, struct xcase c)
{
    const struct sim_matrix_form *f = c.f;
    char d[16], x[16], y[16], z[24], tail[160] = "";

    c.a_regs = f->a_regs;
    c.b_regs = f->b_regs;
    if (f->a == SIM_MT_F8F6F4) {
        c.a_regs = (int)sim_matrix_regs(f, 0, (unsigned)c.cbsz);
        c.b_regs = (int)sim_matrix_regs(f, 1, (unsigned)c.blgp);
    }
    span(x, c.a_acc ? 'a' : 'v', c.a_acc ? AGPR_A : A_REG, c.a_regs);
    span(y, c.b_acc ? 'a' : 'v', c.b_acc ? AGPR_B : B_REG, c.b_regs);
    int cr = c.cd_acc ? AGPR_C : C_REG, dr = c.in_place ? cr : c.cd_acc ? AGPR_C : D_REG;
    span(d, c.cd_acc ? 'a' : 'v', dr, f->d_regs);
    if (f->sparse)
        sprintf(z, "v%d", INDEX);
    else if (c.constant)
        strcpy(z, c.constant == 1 ? "0" : c.constant == 2 ? "1.0" : "-4");
    else
        span(z, c.cd_acc ? 'a' : 'v', cr, f->c_regs);
    if (c.scaled)
        sprintf(tail, ", v%d, v%d op_sel:[%d,%d,0] op_sel_hi:[%d,%d,0]", SCALE_A, SCALE_B,
                c.sel_a & 1, c.sel_b & 1, c.sel_a >> 1, c.sel_b >> 1);
    if (c.cbsz)
        sprintf(tail + strlen(tail), " cbsz:%d", c.cbsz);
    if (c.abid)
        sprintf(tail + strlen(tail), " abid:%d", c.abid);
    if (c.blgp && f->a == SIM_MT_F64 && b->target != T_90A)
        sprintf(tail + strlen(tail), " neg:[%d,%d,%d]", c.blgp & 1, c.blgp >> 1 & 1, c.blgp >> 2);
    else if (c.blgp)
        sprintf(tail + strlen(tail), " blgp:%d", c.blgp);
    c.snippet = batch_add(b, "%s %s, %s, %s, %s%s\ns_nop 15\ns_nop 15", c.name, d, x, y, z, tail);
    list[(*n)++] = c;
}

static int make_cases(struct batch *b, const struct sim_matrix_form *f, const char *name,
                      struct xcase *list)
{
    int n = 0;
    struct xcase c = { .f = f };
    bool f8 = f->a == SIM_MT_F8F6F4;

    snprintf(c.name, sizeof c.name, "%s", name);
    rand_seed(name);
    c.in_place = f->sparse;
    add(b, list, &n, c);
    for (int k = 0; k < 6; k++) {
        c.a_acc = rand_below(2);
        c.b_acc = rand_below(2);
        c.cd_acc = rand_below(2);
        c.in_place = f->sparse || c.cd_acc || rand_below(2);
        c.constant = !f->sparse && k % 3 == 0 ? 1 + (int)rand_below(3) : 0;
        if (f->d == SIM_MT_I32 && c.constant == 2)
            c.constant = 3;
        c.cbsz = c.abid = c.blgp = 0;
        if (f8) {
            c.cbsz = (int)rand_below(5);
            c.blgp = (int)rand_below(5);
        } else if (f->blocks > 1 && f->a != SIM_MT_F64 && !f->sparse) {
            int most = f->blocks == 16 ? 4 : f->blocks == 4 ? 2 : 1;
            c.cbsz = (int)rand_below((uint32_t)most + 1);
            c.abid = (int)rand_below(1u << c.cbsz);
        }
        if (f->sparse)
            c.cbsz = 0;
        if (b->target == T_90A && !f8 && f->a != SIM_MT_F64 && !f->sparse)
            c.blgp = (int)rand_below(8);
        if (f->a == SIM_MT_F64 && b->target != T_90A)
            c.blgp = (int)rand_below(8);
        add(b, list, &n, c);
    }
    if (f8 && b->target == T_950)
        for (int k = 0; k < 8; k++) {
            c.scaled = true;
            c.abid = 0;
            c.cbsz = k < 5 ? k : (int)rand_below(5);
            c.blgp = k < 5 ? 4 - k : (int)rand_below(5);
            c.sel_a = (int)rand_below(4);
            c.sel_b = (int)rand_below(4);
            c.constant = k == 3;
            snprintf(c.name, sizeof c.name, "v_mfma_scale_%s", name + strlen("v_mfma_"));
            add(b, list, &n, c);
        }
    return n;
}

static void run_case(const struct batch *b, const struct xcase *c)
{
    static struct wave_state w, want;
    const struct sim_matrix_form *f = c->f;
    enum target t = b->target;

    rand_seed(batch_text(b, c->snippet));
    for (int run = 0; run < 2; run++) {
        wave_randomise(&w, t);
        w.exec = run ? rand64() : ~0ull; /* matrix instructions ignore EXEC */
        if (f->a == SIM_MT_F64 || f->a == SIM_MT_F32 || f->a == SIM_MT_XF32 || f->a == SIM_MT_F16 ||
            f->a == SIM_MT_BF16)
            for (int r = 0; r < 32; r++) /* moderate numbers: every form then has finite results */
                for (int i = 0; i < 64; i++) {
                    uint32_t *p[2] = { &w.v[A_REG + r % 16][i], &w.a[AGPR_A + r % 16][i] };
                    for (int k = 0; k < 2; k++)
                        *p[k] = (*p[k] & 0x8fff8fff) | 0x30003000;
                }
        for (int i = 0; i < 64; i++) {
            w.v[SCALE_A][i] = 0x7e7f8081 ^ ((uint32_t)rand64() & 0x03030303);
            w.v[SCALE_B][i] = 0x7e7f8081 ^ ((uint32_t)rand64() & 0x03030303);
        }
        want = w;
        struct sim_matrix_args x = { .wave = (uint8_t)target_lanes(t),
                                     .cbsz = (uint8_t)c->cbsz,
                                     .abid = (uint8_t)c->abid,
                                     .blgp = (uint8_t)c->blgp };
        uint32_t(*cd)[64] = c->cd_acc ? want.a : want.v;
        int cr = c->cd_acc ? AGPR_C : C_REG, dr = c->in_place ? cr : c->cd_acc ? AGPR_C : D_REG;
        x.a = (c->a_acc ? w.a[AGPR_A] : w.v[A_REG]);
        x.b = (c->b_acc ? w.a[AGPR_B] : w.v[B_REG]);
        x.c = c->constant ? NULL : cd[cr];
        x.d = cd[dr];
        if (c->constant) {
            bool wide = f->c == SIM_MT_F64, integer = f->c == SIM_MT_I32;
            x.c_const = c->constant == 1   ? 0
                        : c->constant == 2 ? (wide ? 0x3ff0000000000000 : 0x3f800000)
                                           : (wide || !integer ? ~3ull : (uint32_t)-4);
            if (!wide)
                x.c_const &= 0xffffffff;
        }
        x.index = w.v[INDEX];
        if (c->scaled) {
            x.a_scale = w.v[SCALE_A];
            x.b_scale = w.v[SCALE_B];
            x.a_scale_sel = (uint8_t)c->sel_a;
            x.b_scale_sel = (uint8_t)c->sel_b;
        }
        sim_matrix_level(2)(f, &x);
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

void run_matrix(enum target t);
void run_matrix(enum target t)
{
    struct batch b;
    const struct sim_family *family = sim_family_by_name(target_name[t]);
    size_t rows;
    const struct sim_opcode *row = sim_isa_rows(family->isa, &rows);
    struct xcase *list = calloc(sim_matrix_form_count * 20, sizeof *list);
    int n = 0;

    batch_begin(&b, t);
    for (size_t i = 0; i < rows && t <= T_950; i++) {
        const struct sim_matrix_form *f;
        if (!(row[i].targets & family->target) || row[i].format != SIM_FMT_MAI ||
            row[i].cls != SIM_MATRIX)
            continue;
        f = sim_matrix_find(sim_op_name(row[i].token), isa_of[t]);
        if (!f)
            f = sim_matrix_find(sim_op_name(row[i].op), isa_of[t]);
        if (!f) {
            fail(t, sim_op_name(row[i].token), "no matrix form");
            continue;
        }
        int more = make_cases(&b, f, sim_op_name(row[i].token), list + n);
        for (int k = 0; k < more; k++)
            covered_add(t, list[n + k].name);
        n += more;
    }
    if (!batch_assemble(&b))
        fail(t, "(assembler)", "a matrix form is refused");
    else
        for (int i = 0; i < n; i++)
            run_case(&b, &list[i]);
    free(list);
    batch_end(&b);
}
