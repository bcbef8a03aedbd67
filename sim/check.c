/* SPDX-License-Identifier: MIT */
/*
 * State of registers in the strict mode. A register is "bad" while a load to it is under way or some
 * byte of some lane is undefined; instructions that touch no bad register cost one test. See flow.c for
 * how undefined bytes move.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "dpp.h"
#include "flow.h"
#include "mem.h"
#include "trap.h"

static u64 *word(u64 *set, u64 *ext, unsigned row)
{
    return row < SIM_ROW_ACC ? &set[row / 64] : &ext[(row - SIM_ROW_ACC) / 64];
}

/* Bit of set word k: bad, or not any more. */
static void set_bad(struct sim_wave *w, unsigned k, unsigned bit)
{
    w->bad[k] |= 1ull << bit;
    w->bad_groups |= 1ull << (8 * k + bit / 8);
}

static void clear_bad(struct sim_wave *w, unsigned k, unsigned bit)
{
    w->bad[k] &= ~(1ull << bit);
    if (!(w->bad[k] >> (bit & ~7u) & 255))
        w->bad_groups &= ~(1ull << (8 * k + bit / 8));
}

static void mark(struct sim_wave *w, unsigned row)
{
    if (row < SIM_ROW_ACC)
        set_bad(w, row / 64, row & 63);
    else
        *word(w->bad, w->bad_ext, row) |= 1ull << (row & 63);
}

/* Clears the bad bit of a row when nothing is wrong with it any more. */
static void settle(struct sim_wave *w, unsigned row)
{
    const u64 *u = w->und[row];
    if (w->npend[row] || u[0] | u[1] | u[2] | u[3])
        return;
    if (row < SIM_ROW_ACC)
        clear_bad(w, row / 64, row & 63);
    else
        *word(w->bad, w->bad_ext, row) &= ~(1ull << (row & 63));
}

static void smark(struct sim_wave *w, unsigned r, u64 origin)
{
    w->sorigin[r] = origin;
    set_bad(w, SIM_SET_S + r / 64, r & 63);
}

static void sclear(struct sim_wave *w, unsigned r)
{
    w->sorigin[r] = w->smask[r] = 0;
    if (!w->spend[r])
        clear_bad(w, SIM_SET_S + r / 64, r & 63);
}

/* ---- names and origins ---- */

static const char *row_name(const struct sim_wave *w, unsigned row, char *buf, size_t n)
{
    bool acc = row >= SIM_ROW_ACC && sim_has(w->prog->target, SIM_HAS_AGPR);
    snprintf(buf, n, "%c%u", acc ? 'a' : 'v', acc ? row - SIM_ROW_ACC : row);
    return buf;
}

static const char *scalar_name(unsigned r, char *buf, size_t n)
{
    if (r == SIM_S_VCC || r == SIM_S_VCC + 1)
        return r == SIM_S_VCC ? "vcc_lo" : "vcc_hi";
    if (r == SIM_S_M0)
        return "m0";
    snprintf(buf, n, "s%u", r);
    return buf;
}

/* Origin of undefined bytes: instruction + 1, and, when it is a register nobody wrote, that register. */
enum { ORIGIN_LOAD = 0, ORIGIN_ROW = 1, ORIGIN_SCALAR = 2, ORIGIN_SCC = 3 };
static u64 origin_of(const struct sim_wave *w, const struct insn *in, unsigned kind, unsigned reg)
{
    return (u64)(w->prog->at[(in->src->pc - w->prog->vaddr) / 4] + 1) | (u64)reg << 32 | (u64)kind << 56;
}

static void origin_text(const struct sim_wave *w, u64 origin, char *buf, size_t n)
{
    char text[160] = "?", name[16];
    const unsigned kind = (unsigned)(origin >> 56), reg = (unsigned)(origin >> 32) & 0xffff;
    const u32 at = (u32)origin;
    if (!at) {
        snprintf(buf, n, "nobody wrote it");
        return;
    }
    const struct insn *in = &w->prog->insn[at - 1];
    sim_print(w->prog->target->family, in->src, 0, text, sizeof text);
    if (kind == ORIGIN_LOAD)
        snprintf(buf, n, "it comes from bytes nobody wrote, loaded by %s (at 0x%llx)", text, (unsigned long long)in->src->pc);
    else
        snprintf(buf, n, "it comes from %s, which nobody wrote, read by %s (at 0x%llx)",
                 kind == ORIGIN_ROW ? row_name(w, reg, name, sizeof name)
                 : kind == ORIGIN_SCC ? "scc" : scalar_name(reg, name, sizeof name),
                 text, (unsigned long long)in->src->pc);
}

static bool report_undefined(struct sim_wave *w, const struct insn *in, const char *what, const char *name, int lane,
                             u64 origin)
{
    char text[320];
    origin_text(w, origin, text, sizeof text);
    sim_trap(w, in, lane, SIM_TRAP_UNINIT, 0, "%s (%s) is undefined: %s", what, name, text);
    return false;
}

/* ---- at the start ---- */

void sim_check_start(struct sim_wave *w, int rows)
{
    memset(w->bad, 0xff, sizeof w->bad);
    memset(w->bad_ext, 0xff, sizeof w->bad_ext);
    memset(w->pend, 0, sizeof w->pend);
    memset(w->pend_ext, 0, sizeof w->pend_ext);
    w->bad[SIM_SET_SCC] = 1;
    w->bad[SIM_SET_WORDS - 1] = 0;
    w->bad_groups = sim_groups(w->bad) | SIM_GROUP_EXT;
    for (int r = 0; r < rows; r++)
        w->und[r][0] = w->und[r][1] = w->und[r][2] = w->und[r][3] = w->full;
    memset(w->origin, 0, (size_t)rows * sizeof *w->origin);
    memset(w->npend, 0, (size_t)rows);
    memset(w->spend, 0, sizeof w->spend);
    memset(w->smask, 0, sizeof w->smask);
    for (int r = 0; r < SIM_SGPRS; r++)
        w->sorigin[r] = (u64)ORIGIN_SCALAR << 56 | (u64)r << 32;
    w->scc_origin = 0;
    w->states = 100;
    w->last_s = w->last_v = w->until = w->hot_from = w->nrecent = 0;
    for (int c = 0; c < SIM_CNT_COUNT; c++)
        w->queue[c].head = w->queue[c].len = 0;
}

void sim_check_define_row(struct sim_wave *w, unsigned row, u64 lanes)
{
    for (int b = 0; b < 4; b++)
        w->und[row][b] &= ~lanes;
    settle(w, row);
}

void sim_check_define_s(struct sim_wave *w, unsigned reg, unsigned n)
{
    for (unsigned r = reg; r < reg + n; r++)
        sclear(w, r);
}

void sim_poison(struct sim_wave *w, const struct insn *in, unsigned row, u64 lanes, unsigned bytes)
{
    for (int b = 0; b < 4; b++)
        if (bytes >> b & 1)
            w->und[row][b] |= lanes;
    w->origin[row] = origin_of(w, in, ORIGIN_LOAD, 0);
    mark(w, row);
}

void sim_spoison(struct sim_wave *w, const struct insn *in, unsigned reg)
{
    smark(w, reg, origin_of(w, in, ORIGIN_LOAD, 0));
}

/* ---- missing waits ---- */

/* The load that is still under way to that register. */
static const struct insn *pending_load(const struct sim_wave *w, unsigned reg, bool scalar)
{
    for (int c = 0; c < SIM_CNT_COUNT; c++)
        for (u32 i = 0; i < w->queue[c].len; i++) {
            const struct sim_pending *p = &w->queue[c].q[(w->queue[c].head + i) % SIM_QUEUE];
            if (p->scalar == scalar && reg >= p->row && reg < (unsigned)p->row + p->words)
                return &w->prog->insn[p->insn];
        }
    return NULL;
}

static bool report_wait(struct sim_wave *w, const struct insn *in, const char *name, const struct insn *load, bool use)
{
    char text[160] = "a load";
    if (load)
        sim_print(w->prog->target->family, load->src, 0, text, sizeof text);
    sim_trap(w, in, -1, SIM_TRAP_WAIT, 0, "%s is %s before %s (at 0x%llx) has been waited for", name,
             use ? "read" : "overwritten", text, load ? (unsigned long long)load->src->pc : 0ull);
    return false;
}

/* Counters whose loads arrive in the order of issue: a later one may overwrite an earlier one's register. */
static bool same_queue(const struct sim_wave *w, const struct insn *in, unsigned row)
{
    const struct insn *load = pending_load(w, row, false);
    return load && in->cnt == load->cnt && !in->cnt2 && !load->cnt2;
}

/* ---- an instruction that touches a bad register ---- */

struct touch {
    bool undefined;   /* it reads undefined bytes in active lanes */
    u64 origin;       /* of the first of them */
    unsigned row;     /* that register; scalar: SIM_ROWS + number, SCC: SIM_ROWS + SIM_SGPRS */
    int lane;
};

/* The result of a read of lanes: which count depends on what the instruction does with them. */
static u64 read_lanes(const struct sim_wave *w, const struct insn *in)
{
    if (in->flow == SIM_FLOW_READLANE || in->flow == SIM_FLOW_MATRIX || in->flags & SIM_IN_EXEC_FREE ||
        in->dst & SIM_DST_DPP)
        return w->full;
    return w->exec;
}

static bool use_rows(struct sim_wave *w, const struct insn *in, const u64 *set, const u64 *bad, int words, unsigned base,
                     struct touch *t)
{
    char name[16];
    const u64 lanes = read_lanes(w, in);
    for (int k = 0; k < words; k++)
        for (u64 m = set[k] & bad[k]; m; m &= m - 1) {
            const unsigned row = base + 64u * (unsigned)k + (unsigned)__builtin_ctzll(m);
            if (w->npend[row] && !(in->cnt && same_queue(w, in, row) && in->o[0].kind == SIM_KIND_ROW &&
                                   row - in->o[0].reg < in->o[0].words))
                return report_wait(w, in, row_name(w, row, name, sizeof name), pending_load(w, row, false), true);
            const u64 *u = w->und[row];
            const u64 hit = (u[0] | u[1] | u[2] | u[3]) & lanes;
            if (!hit)
                continue;
            if (!w->origin[row])
                w->origin[row] = origin_of(w, in, ORIGIN_ROW, row);
            if (!t->undefined) {
                t->undefined = true;
                t->origin = w->origin[row];
                t->row = row;
                t->lane = __builtin_ctzll(hit);
            }
        }
    return true;
}

static bool def_rows(struct sim_wave *w, const struct insn *in, const u64 *set, const u64 *pend, int words, unsigned base)
{
    char name[16];
    for (int k = 0; k < words; k++)
        for (u64 m = set[k] & pend[k]; m; m &= m - 1) {
            const unsigned row = base + 64u * (unsigned)k + (unsigned)__builtin_ctzll(m);
            if (w->npend[row] && !same_queue(w, in, row))
                return report_wait(w, in, row_name(w, row, name, sizeof name), pending_load(w, row, false), false);
        }
    return true;
}

static u64 written_lanes(const struct sim_wave *w, const struct insn *in)
{
    if (in->flags & SIM_IN_EXEC_FREE)
        return w->full;
    if (in->dst & SIM_DST_DPP && in->src->lanes == SIM_LANES_DPP16) {
        /* Lanes whose row or bank is masked keep what they have. */
        const struct sim_dpp_lanes *dpp = in->aux;
        u64 have = in->src->dpp.bound_ctrl ? ~0ull : dpp->have;
        /* So do lanes that would read one that is off. */
        if (w->exec != w->full && !in->src->dpp.bound_ctrl && !in->src->dpp.fi)
            for (u64 m = have; m; m &= m - 1)
                if (!(w->exec >> dpp->from[__builtin_ctzll(m)] & 1))
                    have &= ~(m & -m);
        return w->exec & dpp->open & have;
    }
    return w->exec;
}

/* Bytes of the first result word an instruction leaves alone. */
static unsigned kept_bytes(const struct insn *in)
{
    if (in->dst & SIM_DST_SDWA) {
        const struct sim_insn *s = in->src;
        if (s->sdwa.dst_unused != 2)
            return 0;
        return s->sdwa.dst_sel >= SIM_SEL_WORD0 ? (s->sdwa.dst_sel == SIM_SEL_WORD0 ? 12u : 3u)
                                                : 15u & ~(1u << s->sdwa.dst_sel);
    }
    if (in->half || in->dst & SIM_DST_HI)
        return in->half == 1 ? 12 : 3;
    return in->dst & SIM_DST_KEEP ? 12 : 0;
}

static void write_row(struct sim_wave *w, unsigned row, const u64 und[4], u64 lanes, unsigned keep, u64 origin)
{
    u64 any = 0;
    for (int b = 0; b < 4; b++) {
        if (!(keep >> b & 1))
            w->und[row][b] = (w->und[row][b] & ~lanes) | (und[b] & lanes);
        any |= w->und[row][b];
    }
    if (any & lanes)
        w->origin[row] = origin;
    if (any)
        mark(w, row);
    else
        settle(w, row);
}

/* Everything it writes is defined. */
static void define(struct sim_wave *w, const struct insn *in, const struct sim_ext *ext)
{
    static const u64 none[4];
    const u64 lanes = written_lanes(w, in);
    const unsigned keep = kept_bytes(in);
    for (int k = 0; k < 4; k++)
        for (u64 m = in->def[k] & w->bad[k]; m; m &= m - 1) {
            const unsigned row = 64u * (unsigned)k + (unsigned)__builtin_ctzll(m);
            if (in->flow == SIM_FLOW_WRITELANE)
                continue;
            write_row(w, row, none, lanes, row == in->o[0].reg ? keep : 0, 0);
        }
    for (int k = 0; ext && k < SIM_SET_EXT; k++)
        for (u64 m = ext->def[k] & w->bad_ext[k]; m; m &= m - 1)
            write_row(w, SIM_ROW_ACC + 64u * (unsigned)k + (unsigned)__builtin_ctzll(m), none, lanes, 0, 0);
    for (int k = 0; k < 2; k++)
        for (u64 m = in->def[SIM_SET_S + k] & w->bad[SIM_SET_S + k]; m; m &= m - 1)
            sclear(w, 64u * (unsigned)k + (unsigned)__builtin_ctzll(m));
    if (in->def[SIM_SET_SCC] & 1)
        clear_bad(w, SIM_SET_SCC, 0);
    if (in->flow == SIM_FLOW_WRITELANE) {
        const struct operand *b = &in->o[2];
        const unsigned lane = (b->kind == SIM_KIND_S ? w->s[b->reg] : b->rows[0]) % (unsigned)w->prog->wave;
        write_row(w, in->o[0].reg, none, 1ull << lane, 0, 0);
    }
}

/* A scalar result: a lane mask keeps its undefined lanes apart, so that selections by it stay precise. */
static void define_scalars(struct sim_wave *w, const struct insn *in, u64 lanes, u64 origin)
{
    for (int k = 0; k < 2; k++)
        for (u64 m = in->def[SIM_SET_S + k]; m; m &= m - 1) {
            const unsigned r = 64u * (unsigned)k + (unsigned)__builtin_ctzll(m);
            sclear(w, r);
            if (!lanes)
                continue;
            smark(w, r, origin);
            w->smask[r] = lanes;
        }
    if (in->def[SIM_SET_SCC] & 1) {
        clear_bad(w, SIM_SET_SCC, 0);
        if (lanes) {
            set_bad(w, SIM_SET_SCC, 0);
            w->scc_origin = origin;
        }
    }
}

/* Instructions that only move lane masks about: the undefined lanes are those of their sources. */
static u64 scalar_lanes(const struct sim_wave *w, const struct insn *in)
{
    u64 m = 0;
    for (int k = 1; k <= 3; k++)
        if (in->o[k].kind == SIM_KIND_S && w->sorigin[in->o[k].reg])
            m |= w->smask[in->o[k].reg] ? w->smask[in->o[k].reg] : ~0ull;
    for (int k = 1; k <= 3; k++)
        if (in->o[k].kind == SIM_KIND_S && in->o[k].words == 2 && w->sorigin[in->o[k].reg + 1])
            m |= w->smask[in->o[k].reg + 1] ? w->smask[in->o[k].reg + 1] : ~0ull;
    if (in->use[SIM_SET_SCC] & w->bad[SIM_SET_SCC])
        m = ~0ull;
    return m;
}

static bool writes_exec(const struct insn *in)
{
    if (in->o[0].kind == SIM_KIND_S && in->o[0].reg - (unsigned)SIM_S_EXEC < 2)
        return true;
    return in->src->op->writes & SIM_STATE_EXEC;
}

static const char *touch_name(const struct sim_wave *w, const struct touch *t, char *buf, size_t n)
{
    if (t->row < SIM_ROWS)
        return row_name(w, t->row, buf, n);
    return t->row == SIM_ROWS + SIM_SGPRS ? "scc" : scalar_name(t->row - SIM_ROWS, buf, n);
}

/* Bytes of an operand of a memory instruction that must be defined in these lanes. */
static bool need_in(struct sim_wave *w, const struct insn *in, const struct operand *o, const char *what, unsigned bytes,
                    u64 lanes)
{
    char name[16];
    for (unsigned j = 0; j < o->words; j++) {
        const unsigned r = o->reg + j;
        if (o->kind == SIM_KIND_ROW) {
            u64 hit = 0;
            for (int b = 0; b < 4; b++)
                hit |= bytes >> b & 1 ? w->und[r][b] & lanes : 0;
            if (hit)
                return report_undefined(w, in, what, row_name(w, r, name, sizeof name), __builtin_ctzll(hit), w->origin[r]);
        } else if (o->kind == SIM_KIND_S && w->sorigin[r] && w->bad[SIM_SET_S + r / 64] >> (r & 63) & 1) {
            return report_undefined(w, in, what, scalar_name(r, name, sizeof name), -1, w->sorigin[r]);
        }
    }
    return true;
}

static bool need(struct sim_wave *w, const struct insn *in, const struct operand *o, const char *what)
{
    return need_in(w, in, o, what, 15, w->exec);
}

bool sim_check_stored(struct sim_wave *w, const struct insn *in, u64 lanes)
{
    return need_in(w, in, &in->o[3], "stored data", in->reads[2], lanes);
}

bool sim_check_stored_word(struct sim_wave *w, const struct insn *in, unsigned word, unsigned bytes, u64 lanes)
{
    struct operand o = in->o[3];
    o.reg = (u16)(o.reg + word);
    o.words = 1;
    return need_in(w, in, &o, "stored data", bytes, lanes);
}

static bool exchange(const struct insn *in)
{
    switch (in->src->op->op) {
    case SIM_OP_ds_bpermute_b32: case SIM_OP_ds_permute_b32: case SIM_OP_ds_swizzle_b32:
        return true;
    default:
        return false;
    }
}

/* Reads undefined bytes and is no arithmetic. */
static bool memory(struct sim_wave *w, const struct insn *in, const struct touch *t, const struct sim_ext *ext)
{
    char name[16];
    if (exchange(in)) {
        u64 lost[4];
        if (in->src->op->op != SIM_OP_ds_swizzle_b32 && !need(w, in, &in->o[1], "a lane number"))
            return false;
        sim_flow_exchange(w, in, lost);
        define(w, in, ext);
        write_row(w, in->o[0].reg, lost, w->exec, 0, t->origin);
        return true;
    }
    const bool store = in->cls == SIM_CLS_VMEM_STORE || (in->cls == SIM_CLS_LDS && in->o[2].kind == SIM_KIND_ROW);
    if (in->src->format == SIM_FMT_DS) {
        if (!need(w, in, &in->o[1], "the address"))
            return false;
        if (in->flags & SIM_IN_ATOMIC) {
            if (store && (!need(w, in, &in->o[2], "the operand of an atomic") || !need(w, in, &in->o[3], "the operand of an atomic")))
                return false;
        }
        /* Stored data carries its undefined bytes into the LDS. */
        define(w, in, ext);
        return true;
    }
    if (!need(w, in, &in->o[1], "the address") || !need(w, in, &in->o[2], "the address") || !need(w, in, &in->o[4], "the address"))
        return false;
    /* Private memory keeps undefined bytes; buffer stores know later which lanes are in range. */
    const unsigned format = in->src->format;
    const bool later = format == SIM_FMT_SCRATCH || format == SIM_FMT_MUBUF || format == SIM_FMT_MTBUF || format == SIM_FMT_VBUFFER;
    if (!later && !need_in(w, in, &in->o[3], "stored data", in->reads[2], w->exec))
        return false;
    if (in->cls == SIM_CLS_BRANCH || in->cls == SIM_CLS_WAIT || in->cls == SIM_CLS_OTHER)
        return report_undefined(w, in, in->cls == SIM_CLS_BRANCH ? "what the branch depends on" : "an operand",
                                touch_name(w, t, name, sizeof name), t->row < SIM_ROWS ? t->lane : -1, t->origin);
    define(w, in, ext);
    return true;
}

static void lane_moves(struct sim_wave *w, const struct insn *in, u64 origin)
{
    const unsigned a = in->o[0].reg, b = in->o[1].reg;
    const bool half = in->src->op->op == SIM_OP_v_swap_b16;
    const int ka = in->dst & SIM_DST_HI ? 2 : 0, kb = half && in->o[1].sel == SIM_SEL_WORD1 ? 2 : 0;
    for (int k = 0; k < (half ? 2 : 4); k++) {
        u64 x = w->und[a][k + ka], y = w->und[b][k + kb], nx, ny;
        const u64 e = w->exec;
        if (in->flow == SIM_FLOW_SWAP) {
            nx = (x & ~e) | (y & e);
            ny = (y & ~e) | (x & e);
        } else if (in->flow == SIM_FLOW_SWAP16) {
            const u64 even = 0x0000ffff0000ffffull;
            nx = (x & even) | (y & even) << 16;
            ny = (y & ~even) | (x & ~even) >> 16;
        } else {
            nx = (x & 0xffffffff) | y << 32;
            ny = (y & ~0xffffffffull) | x >> 32;
        }
        w->und[a][k + ka] = nx;
        w->und[b][k + kb] = ny;
    }
    w->origin[a] = w->origin[b] = origin;
    mark(w, a);
    mark(w, b);
    settle(w, a);
    settle(w, b);
}

/* The common case, without loops over what is not there: it reads nothing bad, and all it does is to give whole
 * registers values that are not under way. False: look closer. */
static bool only_defines(struct sim_wave *w, const struct insn *in)
{
    u64 closer = (w->exec != w->full && !(in->flags & SIM_IN_EXEC_FREE)) | in->half | (in->flow == SIM_FLOW_WRITELANE) |
                 (in->dst & (SIM_DST_SDWA | SIM_DST_HI | SIM_DST_KEEP | SIM_DST_DPP)) | (in->flags & (SIM_IN_EXT | SIM_IN_DUAL));
    for (int k = 0; k < SIM_SET_WORDS; k++)
        closer |= (in->use[k] & w->bad[k]) | (in->def[k] & w->pend[k]);
    if (closer)
        return false;
    for (unsigned k = 0; k < 4; k++)
        for (u64 m = in->def[k] & w->bad[k]; m; m &= m - 1) {
            const unsigned bit = (unsigned)__builtin_ctzll(m);
            memset(w->und[64 * k + bit], 0, sizeof *w->und);
            clear_bad(w, k, bit);
        }
    for (unsigned k = 0; k < 2; k++)
        for (u64 m = in->def[SIM_SET_S + k] & w->bad[SIM_SET_S + k]; m; m &= m - 1)
            sclear(w, 64 * k + (unsigned)__builtin_ctzll(m));
    if (in->def[SIM_SET_SCC] & 1)
        clear_bad(w, SIM_SET_SCC, 0);
    return true;
}

bool sim_check_regs(struct sim_wave *w, const struct insn *in)
{
    if (only_defines(w, in))
        return true;
    if (in->flags & SIM_IN_DUAL) {
        const struct sim_dual *p = in->aux;
        return sim_check_regs(w, &p->half[p->first]) && sim_check_regs(w, &p->half[!p->first]);
    }
    char name[16];
    struct touch t = {0};
    const struct sim_ext *ext = in->flags & SIM_IN_EXT ? &w->prog->ext[w->prog->at[(in->src->pc - w->prog->vaddr) / 4]] : NULL;

    for (int k = 0; k < 2; k++)
        for (u64 m = in->use[SIM_SET_S + k] & w->bad[SIM_SET_S + k]; m; m &= m - 1) {
            const unsigned r = 64u * (unsigned)k + (unsigned)__builtin_ctzll(m);
            if (w->spend[r])
                return report_wait(w, in, scalar_name(r, name, sizeof name), pending_load(w, r, true), true);
            if (!w->sorigin[r])
                continue;
            if (!(u32)w->sorigin[r])
                w->sorigin[r] = origin_of(w, in, ORIGIN_SCALAR, r);
            if (!t.undefined)
                t = (struct touch){true, w->sorigin[r], SIM_ROWS + r, -1};
        }
    if (in->use[SIM_SET_SCC] & w->bad[SIM_SET_SCC]) {
        if (!w->scc_origin)
            w->scc_origin = origin_of(w, in, ORIGIN_SCC, 0);
        if (!t.undefined)
            t = (struct touch){true, w->scc_origin, SIM_ROWS + SIM_SGPRS, -1};
    }
    if (!use_rows(w, in, in->use, w->bad, 4, 0, &t) ||
        (ext && !use_rows(w, in, ext->use, w->bad_ext, SIM_SET_EXT, SIM_ROW_ACC, &t)))
        return false;
    for (int k = 0; k < 2; k++)
        for (u64 m = in->def[SIM_SET_S + k] & w->pend[SIM_SET_S + k]; m; m &= m - 1) {
            const unsigned r = 64u * (unsigned)k + (unsigned)__builtin_ctzll(m);
            return report_wait(w, in, scalar_name(r, name, sizeof name), pending_load(w, r, true), false);
        }
    if (!def_rows(w, in, in->def, w->pend, 4, 0) ||
        (ext && !def_rows(w, in, ext->def, w->pend_ext, SIM_SET_EXT, SIM_ROW_ACC)))
        return false;

    if (!t.undefined) {
        define(w, in, ext);
        return true;
    }
    switch (in->cls) {
    case SIM_CLS_SALU:
        if (writes_exec(in)) {
            const u64 lanes = scalar_lanes(w, in) & w->start_exec;
            if (lanes & w->exec)
                return report_undefined(w, in, "what EXEC becomes", touch_name(w, &t, name, sizeof name), -1, t.origin);
        }
        define_scalars(w, in, scalar_lanes(w, in), t.origin);
        return true;
    case SIM_CLS_VALU:
    case SIM_CLS_MATRIX:
        break;
    default:
        return memory(w, in, &t, ext);
    }
    /* Vector arithmetic. */
    if (in->flow == SIM_FLOW_READLANE) {
        const struct operand *b = &in->o[2];
        unsigned lane = w->exec ? (unsigned)__builtin_ctzll(w->exec) : 0;
        if (in->src->op->op == SIM_OP_v_readlane_b32)
            lane = (b->kind == SIM_KIND_S ? w->s[b->reg] : b->rows[0]) % (unsigned)w->prog->wave;
        const bool lost = sim_flow_source(w, in, 0, 0, 15) >> lane & 1;
        define_scalars(w, in, lost ? ~0ull : 0, t.origin);
        return true;
    }
    if (in->flow == SIM_FLOW_SWAP || in->flow == SIM_FLOW_SWAP16 || in->flow == SIM_FLOW_SWAP32) {
        lane_moves(w, in, t.origin);
        return true;
    }
    struct sim_undefined u;
    sim_flow(w, in, &u);
    const u64 lanes = written_lanes(w, in);
    if (in->o[0].kind == SIM_KIND_S || writes_exec(in)) { /* a compare; v_cmpx may have EXEC alone as its result */
        const u64 lost = (u.w[0][0] | u.w[0][1] | u.w[0][2] | u.w[0][3] | u.w[1][0]) & w->exec;
        if (lost && writes_exec(in))
            return report_undefined(w, in, "what EXEC becomes", touch_name(w, &t, name, sizeof name), t.lane, t.origin);
        define_scalars(w, in, lost, t.origin);
        return true;
    }
    if (in->flow == SIM_FLOW_MATRIX) {
        for (unsigned j = 0; j < in->o[0].words; j++) {
            w->origin[in->o[0].reg + j] = t.origin;
            mark(w, in->o[0].reg + j);
            settle(w, in->o[0].reg + j);
        }
        return true;
    }
    if (in->flow == SIM_FLOW_WRITELANE) {
        define(w, in, ext);
        return true;
    }
    u64 all = 0;
    for (unsigned j = 0; j < in->o[0].words && in->o[0].kind == SIM_KIND_ROW; j++) {
        const u64 rest[4] = {u.rest, u.rest, u.rest, u.rest};
        const u64 *und = j < 2 ? u.w[j] : rest;
        all |= und[0] | und[1] | und[2] | und[3];
        write_row(w, in->o[0].reg + j, und, lanes, j ? 0 : kept_bytes(in), t.origin);
    }
    /* A carry or scale flag beside it. */
    if (in->def[SIM_SET_S] | in->def[SIM_SET_S + 1])
        define_scalars(w, in, all & w->exec, t.origin);
    return true;
}

/* ---- outstanding operations ---- */

static void arrive(struct sim_wave *w, const struct sim_pending *p)
{
    for (unsigned r = p->row; r < (unsigned)p->row + p->words; r++) {
        if (p->scalar) {
            if (w->spend[r] && --w->spend[r] == 0) {
                w->pend[SIM_SET_S + r / 64] &= ~(1ull << (r & 63));
                if (!w->sorigin[r])
                    clear_bad(w, SIM_SET_S + r / 64, r & 63);
            }
        } else if (w->npend[r] && --w->npend[r] == 0) {
            *word(w->pend, w->pend_ext, r) &= ~(1ull << (r & 63));
            settle(w, r);
        }
    }
}

static void push(struct sim_wave *w, const struct insn *in, unsigned counter, unsigned limit)
{
    struct sim_queue *q = &w->queue[counter];
    if (q->len == limit) {
        /* The hardware holds the wave until the oldest operation is done. */
        arrive(w, &q->q[q->head]);
        q->head = (q->head + 1) % SIM_QUEUE;
        q->len--;
    }
    struct sim_pending *p = &q->q[(q->head + q->len++) % SIM_QUEUE];
    *p = (struct sim_pending){.insn = (u32)(in - w->prog->insn),
                              .kind = in->src->format == SIM_FMT_SMEM ? 1 : in->cnt2 && w->prog->gfx9 ? 2 : 0};
    if (in->o[0].kind == SIM_KIND_ROW) {
        p->row = in->o[0].reg;
        p->words = in->width;
        for (unsigned r = p->row; r < (unsigned)p->row + p->words; r++) {
            w->npend[r]++;
            *word(w->pend, w->pend_ext, r) |= 1ull << (r & 63);
            mark(w, r);
        }
    } else if (in->o[0].kind == SIM_KIND_S) {
        p->scalar = 1;
        p->row = in->o[0].reg;
        p->words = in->width;
        for (unsigned r = p->row; r < (unsigned)p->row + p->words; r++) {
            w->spend[r]++;
            w->sorigin[r] = w->smask[r] = 0;
            w->pend[SIM_SET_S + r / 64] |= 1ull << (r & 63);
            set_bad(w, SIM_SET_S + r / 64, r & 63);
        }
    }
}

void sim_issue(struct sim_wave *w, const struct insn *in)
{
    const struct sim_target *t = w->prog->target;
    unsigned c = in->cnt - 1u;
    if (in->cls == SIM_CLS_LDS || in->cls == SIM_CLS_VMEM_STORE) {
        w->worked = true;
        /* Atomics say themselves whether they changed something. */
        w->changed |= in->o[0].kind != SIM_KIND_ROW && !(in->flags & SIM_IN_ATOMIC);
    }
    push(w, in, c, (unsigned)(c == SIM_CNT_LGKM || c == SIM_CNT_KM ? t->lgkm_max : t->vmcnt_max));
    if (in->cnt2)
        push(w, in, in->cnt2 - 1u, (unsigned)t->lgkm_max);
}

/* n operations at most are outstanding after it. Vector operations of one counter end in order, scalar
 * loads and, on gfx9, FLAT in any order (LLVM: hasFlatLgkmVMemCountInOrder): with k of those in flight,
 * only what must have ended for any order of theirs has. */
static void wait_counter(struct sim_wave *w, unsigned counter, unsigned n)
{
    struct sim_queue *q = &w->queue[counter];
    if (q->len <= n)
        return;
    if (n == 0) {
        for (u32 i = 0; i < q->len; i++)
            arrive(w, &q->q[(q->head + i) % SIM_QUEUE]);
        q->len = 0;
        return;
    }
    unsigned loose = 0;
    for (u32 i = 0; i < q->len; i++)
        loose += q->q[(q->head + i) % SIM_QUEUE].kind != 0;
    unsigned sure = q->len - n > loose ? q->len - n - loose : 0;
    if (!loose) {
        for (; sure; sure--, q->len--) {
            arrive(w, &q->q[q->head]);
            q->head = (q->head + 1) % SIM_QUEUE;
        }
        return;
    }
    struct sim_queue left = {.head = 0, .len = 0};
    for (u32 i = 0; i < q->len; i++) {
        const struct sim_pending *p = &q->q[(q->head + i) % SIM_QUEUE];
        if (!p->kind && sure) {
            arrive(w, p);
            sure--;
        } else {
            left.q[left.len++] = *p;
        }
    }
    *q = left;
}

void sim_wait(struct sim_wave *w, const struct insn *in)
{
    const u8 *counts = in->aux;
    for (unsigned c = 0; c < SIM_CNT_COUNT; c++)
        if (counts[c] != 255)
            wait_counter(w, c, counts[c]);
    /* Where stores go to a cache all workgroups share, having waited for them is a release. */
    if (!sim_has(w->prog->target, SIM_TEXT_SC) && counts[w->prog->gfx9 ? SIM_CNT_VM : SIM_CNT_VS] == 0)
        sim_release(w);
}

/* ---- barriers ---- */

/* Lanes that are off at a barrier may have ended for good; if they come back, the barrier was in
 * divergent control flow. */
void sim_barrier_check(struct sim_wave *w, const struct insn *in)
{
    w->barriers++;
    w->barrier_exec = w->exec | ~w->full;
    w->barrier_insn = in;
}

void sim_exec_grew(struct sim_wave *w, u64 exec)
{
    const u64 back = exec & ~w->barrier_exec, at = w->barrier_exec;
    w->barrier_exec = ~0ull;
    if (!(back & w->start_exec))
        return;
    sim_trap(w, w->barrier_insn, __builtin_ctzll(back & w->start_exec), SIM_TRAP_BARRIER, 0,
             "s_barrier was executed with EXEC 0x%llx; lanes 0x%llx skipped it and came back after it",
             (unsigned long long)(at & w->full), (unsigned long long)back);
    w->budget = 0;
}
