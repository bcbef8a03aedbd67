/* SPDX-License-Identifier: MIT */
/*
 * Wait states that gfx90a, gfx942 and gfx950 need between instructions because the hardware does not
 * hold the second one: CDNA2 and CDNA3 ISA 4.5 "Manually inserted wait states"; the same numbers in
 * LLVM's hazard recogniser, which also has gfx950's. An instruction between counts one, s_nop n counts
 * n + 1.
 */
#include "hazard.h"

#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "matrix.h"
#include "trap.h"

static bool on(const struct sim_wave *w, const char *name)
{
    const char *t = w->prog->target->name;
    return t[3] == name[3] && t[4] == name[4] && t[5] == name[5];
}

enum { M0_BIT = SIM_S_M0 - 64 };

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

/* Whether the lane number of v_readlane or v_writelane is a scalar register that p writes. */
static bool selects_lane_by(const struct insn *in, const struct insn *p)
{
    const struct operand *o = &in->o[2];
    return in->kind & SIM_HK_SELECT && o->kind == SIM_KIND_S &&
           p->def[SIM_SET_S + o->reg / 64] >> (o->reg & 63) & 1;
}

static bool of_doubles(const struct insn *in)
{
    return in->hz & SIM_HZ_MFMA && ((const struct sim_matrix_form *)in->aux)->a == SIM_MT_F64;
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
    if (dgemm && in->kind & SIM_HK_FMA64) {
        *what = "v_fma_f64 after an MFMA of doubles";
        floor = 2;
    }
    int need = gfx90a ? (passes == 2 ? 5 : passes == 8 ? 11 : 19) : passes + (xdl ? 3 + late : 2);
    if (reads_row(in, d, met)) {
        *what = "a read of an MFMA result";
        if (dgemm)
            need = in->kind & SIM_HK_MEMORY ? (f->m == 4 ? 9 : 18) : f->m == 4 ? 6 : 11;
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

/* States a vector instruction p needs before in. doubles: an MFMA of doubles ran since. */
static int after_valu(const struct sim_wave *w, const struct insn *p, const struct insn *in, unsigned met, bool doubles,
                      const char **what)
{
    const bool gfx940 = !on(w, "gfx90a"), valu = in->hz & SIM_HZ_VALU;
    const unsigned kind = in->kind, from = p->kind;
    const bool same = in->src->op->op == p->src->op->op;
    int need = 0;
#define NEED(n, text) do { if ((n) > need) { need = n; *what = text; } } while (0)
    if (shares_scalar(p, in)) {
        if (kind & SIM_HK_MEMORY) NEED(5, "a memory instruction that reads a scalar register a vector instruction wrote");
        if (selects_lane_by(in, p)) NEED(4, "a lane number in a scalar register a vector instruction wrote");
        if (kind & SIM_HK_DIV_FMAS) NEED(4, "v_div_fmas after a write to VCC");
        if (valu && gfx940) NEED(2, "a vector instruction that reads a scalar register another one wrote");
    }
    if (from & SIM_HK_EXEC) {
        if (kind & SIM_HK_DPP) NEED(5, "DPP after a vector write to EXEC");
        if (in->hz & SIM_HZ_MFMA) NEED(4, "an MFMA after a vector write to EXEC");
        if (kind & SIM_HK_SWAP) NEED(4, "a lane swap after a vector write to EXEC");
        if (gfx940 && kind & (SIM_HK_SELECT | SIM_HK_FIRST_LANE)) NEED(4, "a lane read after a vector write to EXEC");
    }
    if (p->o[0].kind == SIM_KIND_ROW && reads_row(in, &p->o[0], met)) {
        if (kind & SIM_HK_DPP && overlap(&in->o[1], &p->o[0])) NEED(2, "DPP of a register a vector instruction wrote");
        if (in->hz & SIM_HZ_MFMA) NEED(2, "an MFMA that reads a register a vector instruction wrote");
        if (gfx940 && (kind & SIM_HK_FIRST_LANE || in->src->op->op == SIM_OP_v_readlane_b32))
            NEED(1, "a lane read of a register a vector instruction wrote");
        if (!gfx940 && doubles && kind & SIM_HK_MEMORY)
            NEED(2, "a memory instruction that reads, behind an MFMA of doubles, a register a vector instruction wrote");
        if (from & SIM_HK_DOT && !same) NEED(3, "a read of a dot product");
        if (from & SIM_HK_DOT && same && (overlap(&in->o[1], &p->o[0]) || overlap(&in->o[2], &p->o[0])))
            NEED(3, "a dot product of a dot product");
        if (gfx940 && valu && from & SIM_HK_TRANS && !(kind & SIM_HK_TRANS)) NEED(1, "a read of a transcendental result");
        if (gfx940 && valu && from & SIM_HK_PART) NEED(1, "a read of a register written in part");
    }
    if (kind & SIM_HK_SWAP && (overlap(&in->o[0], &p->o[0]) || overlap(&in->o[1], &p->o[0])))
        NEED(2, "a lane swap of a register a vector instruction wrote");
    if (from & SIM_HK_DOT && !same && !(met & 1) && overlap(&in->o[0], &p->o[0]))
        NEED(3, "a write over a dot product");
#undef NEED
    return need;
}

/* States a store or a scalar instruction p needs before in. */
static int after_other(const struct sim_wave *w, const struct insn *p, const struct insn *in, const char **what)
{
    if (p->kind & SIM_HK_STORE) {
        *what = "a write over the data of a store of more than 64 bits";
        return in->hz & (SIM_HZ_VALU | SIM_HZ_MFMA) && overlap(&in->o[0], &p->o[3]) ? on(w, "gfx90a") ? 1 : 2 : 0;
    }
    if (p->kind & SIM_HK_SETREG) {
        *what = "access to a hardware register that was set";
        return in->kind & (SIM_HK_SETREG | SIM_HK_GETREG) && !((in->imm ^ p->imm) & 63) ? 2 : 0;
    }
    *what = "an instruction that takes M0 implicitly";
    return in->kind & SIM_HK_M0 ? 1 : 0;
}

/* Rows as bits: the accumulation registers lie on top of the others, so a bit may stand for two. */
static void add_rows(u64 set[4], const struct operand *o)
{
    if (o->kind != SIM_KIND_ROW)
        return;
    for (unsigned r = o->reg; r < (unsigned)o->reg + o->words; r++) {
        const unsigned bit = (r ^ (r >= SIM_ROW_ACC ? 128 : 0)) & 255;
        set[bit / 64] |= 1ull << (bit & 63);
    }
}

/* Whether vector instruction or MFMA p has nothing that in could see late. */
static bool apart(const struct insn *p, const struct insn *in)
{
    return p->hz & (SIM_HZ_VALU | SIM_HZ_MFMA) && !(p->kind & SIM_HK_EXEC) && !shares_scalar(p, in) &&
           !((p->rows[0] & in->rows[0]) | (p->rows[1] & in->rows[1]) | (p->rows[2] & in->rows[2]) | (p->rows[3] & in->rows[3]));
}

bool sim_hazard_check(struct sim_wave *w, const struct insn *in)
{
    const u32 now = w->states - in->states;
    const u32 n = w->nrecent < SIM_RECENT ? w->nrecent : SIM_RECENT;
    /* What is not about late vector results is soon over. */
    const int far = (i32)(w->until - now) > 0 ? 20 : 5;
    unsigned met = 0;
    bool doubles = false;
    for (u32 k = 1; k <= n; k++) {
        const struct sim_recent *r = &w->recent[(w->nrecent - k) % SIM_RECENT];
        const int have = (int)(now - r->at) - 1;
        const char *what = "";
        if (have > far)
            break;
        if (apart(r->in, in)) {
            doubles |= of_doubles(r->in);
            continue;
        }
        const int need = have >= (r->in->reach > 5 ? r->in->reach : 5) ? 0
                         : r->in->hz & SIM_HZ_MFMA  ? after_mfma(w, r->in, in, met, &what)
                         : r->in->hz & SIM_HZ_OTHER ? after_other(w, r->in, in, &what)
                                                    : after_valu(w, r->in, in, met, doubles, &what);
        if (have < need)
            return report(w, in, r->in, have, need, what);
        doubles |= of_doubles(r->in);
        for (int o = 0; o <= 4; o++)
            met |= (unsigned)overlap(&in->o[o], &r->in->o[0]) << o;
    }
    return true;
}

void sim_hazard_note(struct sim_wave *w, const struct insn *in, u32 now)
{
    if (now - w->hot_from > 24) {
        memcpy(w->hot[0], w->hot[1], sizeof w->hot[0]);
        if (now - w->hot_from > 48)
            memset(w->hot[0], 0, sizeof w->hot[0]);
        memset(w->hot[1], 0, sizeof w->hot[1]);
        w->hot_from = now;
    }
    /* What a store or an MFMA still reads, others must not write. */
    if (in->kind & SIM_HK_STORE || in->hz & SIM_HZ_MFMA)
        add_rows(w->hot[1], &in->o[3]);
    if (!(in->kind & SIM_HK_STORE))
        add_rows(w->hot[1], &in->o[0]);
    /* On gfx90a a memory instruction behind it sees the vector instruction before it late (after_valu). */
    const struct sim_recent *before = &w->recent[(w->nrecent - 2) % SIM_RECENT];
    if (of_doubles(in) && w->nrecent > 1 && now - before->at < 2)
        add_rows(w->hot[1], &before->in->o[0]);
    const u32 until = now + in->reach + 1;
    if ((i32)(until - w->until) > 0)
        w->until = until;
}

struct insn *sim_hazard_copy(struct sim_wave *w)
{
    if (!w->indexed && !(w->indexed = aligned_alloc(64, SIM_INDEXED * sizeof *w->indexed)))
        abort();
    return &w->indexed[w->nindexed++ % SIM_INDEXED];
}

void sim_hazard_rows(struct insn *in)
{
    if (in->kind & SIM_HK_FMA64) {
        memset(in->rows, 0xff, sizeof in->rows); /* meets any MFMA of doubles */
        return;
    }
    memset(in->rows, 0, sizeof in->rows);
    for (int k = 0; k <= 4; k++)
        add_rows(in->rows, &in->o[k]);
}

/* ---- at decode ---- */

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

/* Stores of more than 64 bits read their data late. With an SGPR offset a buffer store does not. */
static bool wide_store(const struct insn *in)
{
    const unsigned f = in->src->format;
    const bool buffer = f == SIM_FMT_MUBUF || f == SIM_FMT_MTBUF;
    return in->cls == SIM_CLS_VMEM_STORE && in->o[3].kind == SIM_KIND_ROW && in->o[3].words > 2 &&
           !(buffer && in->o[4].kind == SIM_KIND_S);
}

static unsigned kind_of(const struct insn *in)
{
    const struct sim_insn *s = in->src;
    const bool valu = in->cls == SIM_CLS_VALU;
    unsigned k = 0;
    if (in->cnt && s->format != SIM_FMT_SMEM)
        k |= SIM_HK_MEMORY;
    if (wide_store(in))
        k |= SIM_HK_STORE;
    if (valu && transcendental(s))
        k |= SIM_HK_TRANS;
    if (valu && named(s, "v_dot"))
        k |= SIM_HK_DOT;
    if (valu && in->dst & (SIM_DST_SDWA | SIM_DST_HI))
        k |= SIM_HK_PART;
    if (valu && in->dst & SIM_DST_DPP)
        k |= SIM_HK_DPP;
    if (valu && s->op->writes & SIM_STATE_EXEC)
        k |= SIM_HK_EXEC;
    switch (s->op->op) {
    case SIM_OP_v_permlane16_swap_b32: case SIM_OP_v_permlane32_swap_b32: return k | SIM_HK_SWAP;
    case SIM_OP_v_readlane_b32: case SIM_OP_v_writelane_b32: return k | SIM_HK_SELECT;
    case SIM_OP_v_readfirstlane_b32: return k | SIM_HK_FIRST_LANE;
    case SIM_OP_v_div_fmas_f32: case SIM_OP_v_div_fmas_f64: return k | SIM_HK_DIV_FMAS;
    case SIM_OP_v_fma_f64: case SIM_OP_v_fmac_f64: return k | SIM_HK_FMA64;
    case SIM_OP_s_setreg_b32: case SIM_OP_s_setreg_imm32_b32: return k | SIM_HK_SETREG;
    case SIM_OP_s_getreg_b32: return k | SIM_HK_GETREG;
    case SIM_OP_ds_append: case SIM_OP_ds_consume: return k;
    default: break;
    }
    /* Takes M0 without naming it, too early for the hardware to notice. */
    if ((s->op->reads & SIM_STATE_M0 || in->flags & SIM_IN_LDS_DMA) && !named(s, "s_set_gpr_idx"))
        k |= SIM_HK_M0;
    return k;
}

/* The longest wait anything may need after it for its vector registers. */
static unsigned reach_of(const struct insn *in, bool gfx90a, bool gfx950)
{
    if (in->cls == SIM_CLS_MATRIX) {
        const struct sim_matrix_form *f = in->aux;
        if (f->a == SIM_MT_F64)
            return 18;
        return gfx90a ? (in->width == 2 ? 5 : in->width == 8 ? 11 : 19) : in->width + 3u + gfx950;
    }
    if (in->kind & SIM_HK_STORE)
        return gfx90a ? 1 : 2;
    return in->kind & SIM_HK_DOT ? 3 : in->kind & (SIM_HK_TRANS | SIM_HK_PART) && !gfx90a ? 1 : 0;
}

void sim_hazard_lower(struct insn *in, const struct sim_target *t)
{
    const struct sim_insn *s = in->src;
    in->states = 1;
    if (!s->op || t->family->isa != SIM_ISA_GFX9)
        return;
    if (s->op->op == SIM_OP_s_nop) {
        in->states = (u8)((in->imm & 15) + 1);
        return;
    }
    const bool gfx90a = !strcmp(t->name, "gfx90a"), gfx950 = !strcmp(t->name, "gfx950");
    const bool mfma = in->cls == SIM_CLS_MATRIX, valu = in->cls == SIM_CLS_VALU;
    const unsigned kind = kind_of(in);
    in->kind = (u16)kind;
    in->reach = (u8)reach_of(in, gfx90a, gfx950);
    if (kind & SIM_HK_M0) {
        in->use[SIM_SET_S + 1] |= 1ull << M0_BIT;
        in->near_s = 1;
    }
    if (in->cls == SIM_CLS_SALU && in->def[SIM_SET_S + 1] >> M0_BIT & 1)
        in->hz |= SIM_HZ_OTHER | SIM_HZ_WRITES_S;
    if (kind & SIM_HK_SETREG)
        in->hz |= SIM_HZ_OTHER | SIM_HZ_WRITES_S;
    if (kind & (SIM_HK_SETREG | SIM_HK_GETREG))
        in->near_s = 2;
    if (kind & SIM_HK_STORE)
        in->hz |= SIM_HZ_OTHER;
    const bool scalars = in->use[SIM_SET_S] | in->use[SIM_SET_S + 1];
    if (kind & SIM_HK_MEMORY && scalars)
        in->near_s = 5;
    if (valu && scalars)
        in->near_s = gfx90a ? 0 : 2;
    if (mfma || kind & (SIM_HK_SELECT | SIM_HK_FIRST_LANE | SIM_HK_SWAP | SIM_HK_DIV_FMAS))
        in->near_s = 4;
    if (kind & SIM_HK_DPP)
        in->near_s = 5;
    if (in->near_s)
        in->hz |= SIM_HZ_READS_S;
    if (!valu && !mfma && !(kind & SIM_HK_MEMORY))
        return;
    sim_hazard_rows(in);
    if (in->rows[0] | in->rows[1] | in->rows[2] | in->rows[3])
        in->hz |= SIM_HZ_VECTOR;
    if (mfma || kind & (SIM_HK_DPP | SIM_HK_FIRST_LANE | SIM_HK_SWAP) || s->op->op == SIM_OP_v_readlane_b32)
        in->hz |= SIM_HZ_NEAR;
    if (mfma)
        in->hz |= SIM_HZ_MFMA;
    if (valu)
        in->hz |= SIM_HZ_VALU;
    if (valu && (in->def[SIM_SET_S] | in->def[SIM_SET_S + 1] || kind & SIM_HK_EXEC))
        in->hz |= SIM_HZ_WRITES_S;
}
