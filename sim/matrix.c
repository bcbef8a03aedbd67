/* SPDX-License-Identifier: MIT */
/*
 * The table of matrix instruction forms, made from insn/mfma.inc and insn/wmma.inc, and what can be
 * asked of a row. Execution is in matrix_run.c.
 */
#include "matrix.h"

#include <string.h>

enum sim_mfma_mode sim_mfma_mode = SIM_MFMA_FMA;

/* Bits of an element; F8F6F4 as its widest format. */
#define BITS_F64 64
#define BITS_F32 32
#define BITS_XF32 32
#define BITS_F16 16
#define BITS_BF16 16
#define BITS_FP8 8
#define BITS_BF8 8
#define BITS_FP4 4
#define BITS_F8F6F4 8
#define BITS_I32 32
#define BITS_I8 8
#define BITS_IU8 8
#define BITS_IU4 4

/* Registers of `count` elements spread over `lanes` lanes. */
#define REGS(count, type, lanes) \
    ((count) * BITS_##type / 32 < (lanes) ? 1 : (count) * BITS_##type / 32 / (lanes))

#define ROW(tok, isa, m, n, k, nb, a, b, c, d, sp, areg, breg, creg, dreg, cyc) \
    {#tok, isa, m, n, nb, k, SIM_MT_##a, SIM_MT_##b, SIM_MT_##c, SIM_MT_##d, sp, areg, breg, creg, \
     dreg, cyc},
#define MAI(tok, isa, m, n, k, nb, a, b, cd, sp, p) \
    ROW(tok, isa, m, n, k, nb, a, b, cd, cd, sp, REGS(m * k * nb >> sp, a, 64), \
        REGS(n * k * nb, b, 64), REGS(m * n * nb, cd, 64), REGS(m * n * nb, cd, 64), 4 * p)
/* gfx11: A and B lie twice in a wave of 32; a 16-bit C or D fills half of each register. */
#define GFX11(tok, m, n, k, a, b, c, d, cyc)                                                       \
    ROW(tok, SIM_MX_GFX11, m, n, k, 1, a, b, c, d, false, REGS(m *k, a, 16), REGS(n *k, b, 16), 8, \
        8, cyc)
#define GFX12(tok, isa, m, n, k, a, b, c, d, sp, cyc) \
    ROW(tok, isa, m, n, k, 1, a, b, c, d, sp, REGS(m * k >> sp, a, 32), REGS(n * k, b, 32), \
        REGS(m * n, c, 32), REGS(m * n, d, 32), cyc)

const struct sim_matrix_form sim_matrix_forms[] = {
#define SIM_MFMA(tok, m, n, k, nb, a, b, cd, p90a, p942, p950) \
    MAI(tok, SIM_MX_GFX90A, m, n, k, nb, a, b, cd, false, p90a) \
    MAI(tok, SIM_MX_GFX942, m, n, k, nb, a, b, cd, false, p942) \
    MAI(tok, SIM_MX_GFX950, m, n, k, nb, a, b, cd, false, p950)
#define SIM_SMFMAC(tok, m, n, k, nb, a, b, cd, p90a, p942, p950) \
    MAI(tok, SIM_MX_GFX942, m, n, k, nb, a, b, cd, true, p942) \
    MAI(tok, SIM_MX_GFX950, m, n, k, nb, a, b, cd, true, p950)
#include "insn/mfma.inc"
#define SIM_WMMA(tok, m, n, k, a, b, c, d, c11, c12, c1250) \
    GFX11(tok, m, n, k, a, b, c, d, c11) \
    GFX12(tok, SIM_MX_GFX12, m, n, k, a, b, c, d, false, c12) \
    GFX12(tok, SIM_MX_GFX1250, m, n, k, a, b, c, d, false, c1250)
#define SIM_SWMMAC(tok, m, n, k, a, b, c, d, c11, c12, c1250) \
    GFX12(tok, SIM_MX_GFX12, m, n, k, a, b, c, d, true, c12) \
    GFX12(tok, SIM_MX_GFX1250, m, n, k, a, b, c, d, true, c1250)
#include "insn/wmma.inc"
};
const size_t sim_matrix_form_count = sizeof sim_matrix_forms / sizeof *sim_matrix_forms;

/* Rows with no cycles stand for targets that lack the form. */
const struct sim_matrix_form *sim_matrix_find(const char *token, enum sim_matrix_isa isa)
{
    char plain[64];
    const char *scale = strstr(token, "_scale");
    if (scale && strlen(token) < sizeof plain) {
        size_t head = (size_t)(scale - token), skip = scale[6] == '1' ? 8 : 6;
        memcpy(plain, token, head);
        strcpy(plain + head, token + head + skip);
        token = plain;
    }
    for (size_t i = 0; i < sim_matrix_form_count; i++)
        if (sim_matrix_forms[i].isa == isa && sim_matrix_forms[i].cycles
            && !strcmp(sim_matrix_forms[i].token, token))
            return &sim_matrix_forms[i];
    return NULL;
}

unsigned sim_matrix_regs(const struct sim_matrix_form *f, unsigned operand, unsigned fmt)
{
    static const uint8_t eighths[] = {8, 8, 6, 6, 4}; /* fp8 bf8 fp6 bf6 fp4, of 8 bits */
    unsigned most = operand ? f->b_regs : f->a_regs;
    if ((operand ? f->b : f->a) != SIM_MT_F8F6F4)
        return most;
    return fmt < sizeof eighths ? most * eighths[fmt] / 8 : 0;
}

unsigned sim_matrix_cycles(const struct sim_matrix_form *f, unsigned a_fmt, unsigned b_fmt)
{
    bool narrow = f->a == SIM_MT_F8F6F4 && f->isa == SIM_MX_GFX950 && a_fmt >= 2 && b_fmt >= 2;
    return narrow ? f->cycles / 2 : f->cycles;
}

bool sim_matrix_repeated(const struct sim_matrix_form *f, const struct sim_matrix_args *x)
{
    uint32_t diff = 0;
    for (int operand = 0; operand < 2 && f->isa == SIM_MX_GFX11; operand++) {
        const uint32_t *row = operand ? x->b : x->a;
        for (int r = 0; r < (operand ? f->b_regs : f->a_regs); r++, row += x->wave)
            for (int l = 16; l < x->wave; l++)
                diff |= row[l] ^ row[l - 16];
    }
    return !diff;
}

sim_matrix_fn sim_matrix_run_v2, sim_matrix_run_v3, sim_matrix_run_v4;

sim_matrix_fn *sim_matrix_level(int level)
{
#ifdef __x86_64__
    return level >= 4 ? sim_matrix_run_v4 : level == 3 ? sim_matrix_run_v3 : sim_matrix_run_v2;
#else
    (void)level;
    return sim_matrix_run_v2;
#endif
}
