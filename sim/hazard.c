/* SPDX-License-Identifier: MIT */
/*
 * Wait states that gfx90a, gfx942 and gfx950 need between instructions because the hardware does not
 * hold the second one: CDNA2 and CDNA3 ISA 4.5 "Manually inserted wait states"; the same numbers in
 * LLVM's hazard recogniser, which also has gfx950's. An instruction between counts one, s_nop n counts
 * n + 1.
 */
#include "hazard.h"

#include <string.h>

#include "decode/decode.h"
#include "matrix.h"
#include "trap.h"

static bool on(const struct sim_wave *w, const char *name)
{
    const char *t = w->prog->target->name;
    return t[3] == name[3] && t[4] == name[4] && t[5] == name[5];
}

static bool overlap(const struct operand *a, const struct operand *b)
{
    return a->kind == SIM_KIND_ROW && b->kind == SIM_KIND_ROW && a->reg < b->reg + b->words && b->reg < a->reg + a->words;
}

static bool reads_row(const struct insn *in, const struct operand *o, unsigned met)
{
    for (int k = 1; k <= 4; k++)
        if (!(met >> k & 1) && overlap(&in->o[k], o))
            return true;
    return false;
}

static bool shares_scalar(const struct insn *writer, const struct insn *reader)
{
    return (writer->def[SIM_SET_S] & reader->use[SIM_SET_S]) | (writer->def[SIM_SET_S + 1] & reader->use[SIM_SET_S + 1]);
}

static bool report(struct sim_wave *w, const struct insn *in, const struct insn *p, int have, int need, const char *what)
{
    char text[160] = "";
    sim_print(w->prog->target->family, p->src, 0, text, sizeof text);
    sim_trap(w, in, -1, SIM_TRAP_HAZARD, 0, "%s needs %d wait states after %s (at 0x%llx), there are %d", what, need, text,
             (unsigned long long)p->src->pc, have);
    return false;
}

static bool memory(const struct insn *in) { return in->cnt && in->src->format != SIM_FMT_SMEM; }

static bool lane_select(const struct insn *in)
{
    const unsigned op = in->src->op->op;
    return op == SIM_OP_v_readlane_b32 || op == SIM_OP_v_writelane_b32;
}

static bool writes_exec(const struct insn *in) { return in->src->op->writes & SIM_STATE_EXEC; }

static bool named(const struct sim_insn *s, const char *start)
{
    return !strncmp(sim_op_name(s->op->op), start, strlen(start));
}

/* What LLVM calls TRANS. Other instructions of quarter rate are none. */
static bool transcendental(const struct sim_insn *s)
{
    static const char *const names[] = {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (named(s, names[i]))
            return true;
    return false;
}

static bool dot(const struct sim_insn *s) { return named(s, "v_dot"); }

static bool lane_swap(const struct insn *in)
{
    const unsigned op = in->src->op->op;
    return op == SIM_OP_v_permlane16_swap_b32 || op == SIM_OP_v_permlane32_swap_b32;
}

static bool sets_register(const struct insn *in)
{
    const unsigned op = in->src->op->op;
    return op == SIM_OP_s_setreg_b32 || op == SIM_OP_s_setreg_imm32_b32;
}

/* Stores of more than 64 bits read their data late. With an SGPR offset a buffer store does not. */
static bool wide_store(const struct insn *in)
{
    const unsigned f = in->src->format;
    const bool buffer = f == SIM_FMT_MUBUF || f == SIM_FMT_MTBUF;
    return in->cls == SIM_CLS_VMEM_STORE && in->o[3].kind == SIM_KIND_ROW && in->o[3].words > 2 &&
           !(buffer && in->o[4].kind == SIM_KIND_S);
}

enum { M0_BIT = SIM_S_M0 - 64 };

/* Takes M0 without naming it, too early for the hardware to notice. */
static bool takes_m0(const struct insn *in)
{
    const unsigned op = in->src->op->op;
    return (in->src->op->reads & SIM_STATE_M0 || in->flags & SIM_IN_LDS_DMA) && op != SIM_OP_ds_append &&
           op != SIM_OP_ds_consume && !named(in->src, "s_set_gpr_idx");
}

/* States MFMA p needs before instruction in, 0 if they do not meet. met: operands (bits) that a later
 * instruction than p wrote, which no longer meet p. */
static int after_mfma(const struct sim_wave *w, const struct insn *p, const struct insn *in, unsigned met, const char **what)
{
    const struct sim_matrix_form *f = p->aux;
    const bool dgemm = f->a == SIM_MT_F64, gfx90a = on(w, "gfx90a"), xdl = !dgemm && f->a != SIM_MT_F32;
    const int passes = p->width, late = on(w, "gfx950") && passes != 2;
    const struct operand *d = &p->o[0];
    int floor = 0;
    if (in->hz & SIM_HZ_MFMA) {
        const struct sim_matrix_form *g = in->aux;
        const bool to_dgemm = g->a == SIM_MT_F64;
        *what = "an MFMA that reads its result";
        if ((!(met & 2) && overlap(&in->o[1], d)) || (!(met & 4) && overlap(&in->o[2], d))) {
            if (dgemm)
                return f->m == 4 ? 6 : 11;
            return gfx90a ? (passes == 2 ? 5 : passes == 8 ? 11 : 19) : passes + (xdl ? 3 + late : 2);
        }
        if (met & 8 || !overlap(&in->o[3], d))
            return 0;
        *what = "an MFMA that accumulates onto part of its result";
        if (in->o[3].reg == d->reg && in->o[3].words == d->words) {
            *what = "an MFMA that accumulates onto its result";
            if (dgemm && to_dgemm && f->m == 4 && g->m == 4)
                return 4;
            return !gfx90a && passes == 2 ? 2 : 0;
        }
        if (dgemm)
            return to_dgemm ? (f->m == 4 ? 4 : 9) : 0;
        if (gfx90a)
            return (passes == 2 ? 2 : passes == 8 ? 8 : 16) + to_dgemm;
        if (g->a != SIM_MT_F32 && !to_dgemm && !xdl)
            return 0;
        return passes + (xdl ? 1 + late : 0);
    }
    const unsigned op = in->src->op->op;
    if (dgemm && (op == SIM_OP_v_fma_f64 || op == SIM_OP_v_fmac_f64)) {
        *what = "v_fma_f64 after an MFMA of doubles";
        floor = 2;
    }
    int need = gfx90a ? (passes == 2 ? 5 : passes == 8 ? 11 : 19) : passes + (xdl ? 3 + late : 2);
    if (reads_row(in, d, met)) {
        *what = "a read of an MFMA result";
        if (dgemm)
            need = memory(in) ? (f->m == 4 ? 9 : 18) : f->m == 4 ? 6 : 11;
        return need;
    }
    if (!(met & 1) && overlap(&in->o[0], d)) {
        *what = "a write over an MFMA result";
        return dgemm ? (f->m == 4 ? 6 : 11) : need;
    }
    if (overlap(&in->o[0], &p->o[3]) && !dgemm && (gfx90a || xdl)) {
        *what = "a write to the accumulator an MFMA reads";
        return passes == 2 ? 1 : passes == 4 ? 3 : passes == 8 ? 7 : 15;
    }
    return floor;
}

/* States a vector instruction p needs before in. */
static int after_valu(const struct sim_wave *w, const struct insn *p, const struct insn *in, unsigned met,
                      const char **what)
{
    const bool gfx940 = !on(w, "gfx90a");
    const unsigned op = in->src->op->op;
    const bool valu = in->hz & SIM_HZ_VALU;
    int need = 0;
#define NEED(n, text) do { if ((n) > need) { need = n; *what = text; } } while (0)
    if (shares_scalar(p, in)) {
        if (memory(in)) NEED(5, "a memory instruction that reads a scalar register a vector instruction wrote");
        if (lane_select(in)) NEED(4, "a lane number in a scalar register a vector instruction wrote");
        if (op == SIM_OP_v_div_fmas_f32 || op == SIM_OP_v_div_fmas_f64) NEED(4, "v_div_fmas after a write to VCC");
        if (valu && gfx940) NEED(2, "a vector instruction that reads a scalar register another one wrote");
    }
    if (writes_exec(p)) {
        if (in->dst & SIM_DST_DPP) NEED(5, "DPP after a vector write to EXEC");
        if (in->hz & SIM_HZ_MFMA) NEED(4, "an MFMA after a vector write to EXEC");
        if (lane_swap(in)) NEED(4, "a lane swap after a vector write to EXEC");
        if (gfx940 && (lane_select(in) || op == SIM_OP_v_readfirstlane_b32)) NEED(4, "a lane read after a vector write to EXEC");
    }
    if (p->o[0].kind == SIM_KIND_ROW && reads_row(in, &p->o[0], met)) {
        if (in->dst & SIM_DST_DPP && overlap(&in->o[1], &p->o[0])) NEED(2, "DPP of a register a vector instruction wrote");
        if (in->hz & SIM_HZ_MFMA) NEED(2, "an MFMA that reads a register a vector instruction wrote");
        if (gfx940 && (op == SIM_OP_v_readlane_b32 || op == SIM_OP_v_readfirstlane_b32))
            NEED(1, "a lane read of a register a vector instruction wrote");
        if (dot(p->src) && op != p->src->op->op) NEED(3, "a read of a dot product");
        if (dot(p->src) && op == p->src->op->op && (overlap(&in->o[1], &p->o[0]) || overlap(&in->o[2], &p->o[0])))
            NEED(3, "a dot product of a dot product");
        if (gfx940 && valu && transcendental(p->src) && !transcendental(in->src))
            NEED(1, "a read of a transcendental result");
        if (gfx940 && valu && p->dst & (SIM_DST_SDWA | SIM_DST_HI)) NEED(1, "a read of a register written in part");
    }
    if (lane_swap(in) && (overlap(&in->o[0], &p->o[0]) || overlap(&in->o[1], &p->o[0])))
        NEED(2, "a lane swap of a register a vector instruction wrote");
    if (dot(p->src) && op != p->src->op->op && !(met & 1) && overlap(&in->o[0], &p->o[0]))
        NEED(3, "a write over a dot product");
#undef NEED
    return need;
}

/* States a store or a scalar instruction p needs before in. */
static int after_other(const struct sim_wave *w, const struct insn *p, const struct insn *in, const char **what)
{
    if (wide_store(p)) {
        *what = "a write over the data of a store of more than 64 bits";
        return in->hz & (SIM_HZ_VALU | SIM_HZ_MFMA) && overlap(&in->o[0], &p->o[3]) ? on(w, "gfx90a") ? 1 : 2 : 0;
    }
    if (sets_register(p)) {
        *what = "access to a hardware register that was set";
        return (sets_register(in) || in->src->op->op == SIM_OP_s_getreg_b32) && !((in->imm ^ p->imm) & 63) ? 2 : 0;
    }
    *what = "an instruction that takes M0 implicitly";
    return takes_m0(in) ? 1 : 0;
}

bool sim_hazard_check(struct sim_wave *w, const struct insn *in)
{
    const u32 now = w->states - in->states;
    const u32 n = w->nrecent < SIM_RECENT ? w->nrecent : SIM_RECENT;
    unsigned met = 0;
    for (u32 k = 1; k <= n; k++) {
        const struct sim_recent *r = &w->recent[(w->nrecent - k) % SIM_RECENT];
        const int have = (int)(now - r->at) - 1;
        const char *what = "";
        if (have > 20)
            break;
        const int need = r->in->hz & SIM_HZ_MFMA    ? after_mfma(w, r->in, in, met, &what)
                         : r->in->hz & SIM_HZ_OTHER ? after_other(w, r->in, in, &what)
                                                    : after_valu(w, r->in, in, met, &what);
        if (have < need)
            return report(w, in, r->in, have, need, what);
        for (int o = 0; o <= 4; o++)
            met |= (unsigned)overlap(&in->o[o], &r->in->o[0]) << o;
    }
    return true;
}

void sim_hazard_lower(struct insn *in, const struct sim_target *t)
{
    const struct sim_insn *s = in->src;
    in->states = 1;
    if (!s->op || t->family->isa != SIM_ISA_GFX9)
        return;
    const unsigned op = s->op->op;
    if (op == SIM_OP_s_nop) {
        in->states = (u8)((in->imm & 15) + 1);
        return;
    }
    if (takes_m0(in)) {
        in->use[SIM_SET_S + 1] |= 1ull << M0_BIT;
        in->hz |= SIM_HZ_READS_S;
    }
    if (in->cls == SIM_CLS_SALU && in->def[SIM_SET_S + 1] >> M0_BIT & 1)
        in->hz |= SIM_HZ_OTHER | SIM_HZ_WRITES_S;
    if (sets_register(in))
        in->hz |= SIM_HZ_OTHER | SIM_HZ_WRITES_S | SIM_HZ_READS_S;
    if (op == SIM_OP_s_getreg_b32)
        in->hz |= SIM_HZ_READS_S;
    if (wide_store(in))
        in->hz |= SIM_HZ_OTHER | SIM_HZ_SLOW;
    const bool mfma = in->cls == SIM_CLS_MATRIX, valu = in->cls == SIM_CLS_VALU;
    if (mfma) {
        in->hz = SIM_HZ_MFMA | SIM_HZ_NEAR | SIM_HZ_READS_V;
        return;
    }
    if (!valu && !memory(in))
        return;
    for (int k = 1; k <= 4; k++)
        if (in->o[k].kind == SIM_KIND_ROW)
            in->hz |= SIM_HZ_READS_V;
    if (in->use[SIM_SET_S] | in->use[SIM_SET_S + 1])
        in->hz |= SIM_HZ_READS_S;
    if (!valu)
        return;
    in->hz |= SIM_HZ_VALU;
    if (in->dst & SIM_DST_DPP || op == SIM_OP_v_readlane_b32 || op == SIM_OP_v_readfirstlane_b32 || lane_swap(in))
        in->hz |= SIM_HZ_NEAR;
    if (in->dst & SIM_DST_DPP || lane_select(in) || lane_swap(in) || op == SIM_OP_v_readfirstlane_b32)
        in->hz |= SIM_HZ_READS_S; /* EXEC */
    if (in->def[SIM_SET_S] | in->def[SIM_SET_S + 1] || writes_exec(in))
        in->hz |= SIM_HZ_WRITES_S;
    if (transcendental(s) || dot(s) || in->dst & (SIM_DST_SDWA | SIM_DST_HI))
        in->hz |= SIM_HZ_SLOW;
}
