/* SPDX-License-Identifier: MIT */
/* State of registers in the strict mode: see check.h. */
#include "check.h"

#include <string.h>

#include "decode/decode.h"
#include "mem.h"
#include "trap.h"

static u64 *word(u64 *set, u64 *ext, unsigned row)
{
    return row < SIM_ROW_ACC ? &set[row / 64] : &ext[(row - SIM_ROW_ACC) / 64];
}

static const char *row_name(const struct sim_wave *w, unsigned row, char *buf)
{
    bool acc = row >= SIM_ROW_ACC && sim_has(w->prog->target, SIM_HAS_AGPR);
    unsigned n = acc ? row - SIM_ROW_ACC : row, k = 0;
    buf[k++] = acc ? 'a' : 'v';
    if (n >= 1000) buf[k++] = (char)('0' + n / 1000);
    if (n >= 100) buf[k++] = (char)('0' + n / 100 % 10);
    if (n >= 10) buf[k++] = (char)('0' + n / 10 % 10);
    buf[k++] = (char)('0' + n % 10);
    buf[k] = 0;
    return buf;
}

static const char *scalar_name(unsigned reg, char *buf)
{
    if (reg == SIM_S_VCC || reg == SIM_S_VCC + 1)
        return reg == SIM_S_VCC ? "vcc_lo" : "vcc_hi";
    if (reg == SIM_S_M0)
        return "m0";
    unsigned k = 0;
    buf[k++] = 's';
    if (reg >= 100) buf[k++] = (char)('0' + reg / 100);
    if (reg >= 10) buf[k++] = (char)('0' + reg / 10 % 10);
    buf[k++] = (char)('0' + reg % 10);
    buf[k] = 0;
    return buf;
}

void sim_check_start(struct sim_wave *w, int rows)
{
    memset(w->bad, 0xff, sizeof w->bad);
    memset(w->bad_ext, 0xff, sizeof w->bad_ext);
    memset(w->pend, 0, sizeof w->pend);
    memset(w->pend_ext, 0, sizeof w->pend_ext);
    w->bad[SIM_SET_SCC] = 1;
    w->bad[SIM_SET_WORDS - 1] = 0;
    memset(w->vinit, 0, (size_t)rows * sizeof *w->vinit);
    memset(w->origin, 0, (size_t)rows * sizeof *w->origin);
    memset(w->npend, 0, (size_t)rows);
    memset(w->spend, 0, sizeof w->spend);
    memset(w->sorigin, 0, sizeof w->sorigin);
    for (int c = 0; c < SIM_CNT_COUNT; c++)
        w->queue[c].head = w->queue[c].len = 0;
}

void sim_check_define_row(struct sim_wave *w, unsigned row, u64 lanes)
{
    w->vinit[row] |= lanes;
    if (w->vinit[row] == w->full && !w->npend[row])
        *word(w->bad, w->bad_ext, row) &= ~(1ull << (row & 63));
}

void sim_check_define_s(struct sim_wave *w, unsigned reg, unsigned n)
{
    for (unsigned r = reg; r < reg + n; r++) {
        w->bad[SIM_SET_S + r / 64] &= ~(1ull << (r & 63));
        w->sorigin[r] = 0;
    }
}

void sim_spoison(struct sim_wave *w, const struct insn *in, unsigned reg)
{
    w->bad[SIM_SET_S + reg / 64] |= 1ull << (reg & 63);
    w->sorigin[reg] = (u32)(in - w->prog->insn) + 1;
}

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

static bool report_wait(struct sim_wave *w, const struct insn *in, const char *name, const struct insn *load,
                        bool use)
{
    char text[160] = "a load";
    if (load)
        sim_print(w->prog->target->family, load->src, 0, text, sizeof text);
    sim_trap(w, in, -1, SIM_TRAP_WAIT, 0, "%s is %s before %s (at 0x%llx) has been waited for", name,
             use ? "read" : "overwritten", text, load ? (unsigned long long)load->src->pc : 0ull);
    return false;
}

static bool report_uninit(struct sim_wave *w, const struct insn *in, const char *name, int lane, u32 origin)
{
    char text[160];
    if (!origin) {
        sim_trap(w, in, lane, SIM_TRAP_UNINIT, 0, "%s is read but was never written", name);
        return false;
    }
    const struct insn *load = &w->prog->insn[origin - 1];
    sim_print(w->prog->target->family, load->src, 0, text, sizeof text);
    sim_trap(w, in, lane, SIM_TRAP_UNINIT, 0, "%s holds bytes nobody wrote, loaded by %s (at 0x%llx)", name, text,
             (unsigned long long)load->src->pc);
    return false;
}

/* Lanes of a row that were never written, for an instruction that only moves data or whose halves do not
 * mix: they stay so in what it writes, by destination word. */
struct moved { u64 poison[2]; u32 origin; };

static bool use_row(struct sim_wave *w, const struct insn *in, unsigned row, struct moved *mv)
{
    char name[8];
    if (w->npend[row])
        return report_wait(w, in, row_name(w, row, name), pending_load(w, row, false), true);
    u64 lanes = (in->flags & SIM_IN_EXEC_FREE ? 0 : w->exec) & ~w->vinit[row];
    if (!lanes)
        return true;
    if (in->use_kind != SIM_USE_STRICT) {
        /* Which words of the result this register goes into: of a 64-bit move its own, of packed 32-bit
         * arithmetic those whose op_sel names it, else all. */
        unsigned words = 3;
        if (in->o[0].words == 2 && in->use_kind == SIM_USE_PACKED) {
            words = 0;
            const bool move = in->src->op->op == SIM_OP_v_pk_mov_b32;
            for (int k = 1; k <= 3; k++)
                for (unsigned hi = 0; hi < 2; hi++)
                    if (move) {
                        if (k == (int)hi + 1 && in->o[k].reg + (in->o[k].opsel & 1u) == row)
                            words |= 1u << hi;
                    } else if (in->o[k].kind == SIM_KIND_ROW && in->o[k].reg + (in->o[k].opsel >> hi & 1u) == row)
                        words |= 1u << hi;
        } else if (in->o[0].words == 2) {
            words = row - in->o[1].reg == 0 ? 1 : 2;
        }
        for (unsigned hi = 0; hi < 2; hi++)
            if (words >> hi & 1)
                mv->poison[hi] |= lanes;
        mv->origin = w->origin[row];
        return true;
    }
    return report_uninit(w, in, row_name(w, row, name), __builtin_ctzll(lanes), w->origin[row]);
}

/* Counters whose loads arrive in the order of issue: a later one may overwrite an earlier one's register. */
static bool same_queue(const struct sim_wave *w, const struct insn *in, unsigned row)
{
    const struct insn *load = pending_load(w, row, false);
    return load && in->cnt == load->cnt && !in->cnt2 && !load->cnt2;
}

static bool def_row(struct sim_wave *w, const struct insn *in, unsigned row, const struct moved *mv)
{
    char name[8];
    if (w->npend[row] && !same_queue(w, in, row))
        return report_wait(w, in, row_name(w, row, name), pending_load(w, row, false), false);
    u64 lanes = in->flags & SIM_IN_EXEC_FREE ? w->full : w->exec;
    if (in->dst & SIM_DST_DPP)
        lanes = w->exec; /* lanes DPP leaves out keep what they have: usually written before */
    w->vinit[row] |= lanes;
    const u64 poison = mv->poison[row - in->o[0].reg == 1];
    if (poison) {
        w->vinit[row] &= ~poison;
        w->origin[row] = mv->origin;
    }
    if (w->vinit[row] == w->full && !w->npend[row])
        *word(w->bad, w->bad_ext, row) &= ~(1ull << (row & 63));
    return true;
}

static bool each(struct sim_wave *w, const struct insn *in, const u64 *set, const u64 *bad, int words, unsigned base,
                 bool def, struct moved *mv)
{
    for (int k = 0; k < words; k++)
        for (u64 m = set[k] & bad[k]; m; m &= m - 1) {
            unsigned row = base + 64u * (unsigned)k + (unsigned)__builtin_ctzll(m);
            if (!(def ? def_row(w, in, row, mv) : use_row(w, in, row, mv)))
                return false;
        }
    return true;
}

bool sim_check_regs(struct sim_wave *w, const struct insn *in)
{
    char name[8];
    struct moved mv = {{0, 0}, 0};
    const struct sim_ext *ext = in->flags & SIM_IN_EXT ? &w->prog->ext[in - w->prog->insn] : NULL;

    for (int k = 0; k < 2; k++)
        for (u64 m = in->use[SIM_SET_S + k] & w->bad[SIM_SET_S + k]; m; m &= m - 1) {
            unsigned r = 64u * (unsigned)k + (unsigned)__builtin_ctzll(m);
            if (w->spend[r])
                return report_wait(w, in, scalar_name(r, name), pending_load(w, r, true), true);
            /* A copy of a pair of which one half is not used is common in compiled code. */
            if (in->use_kind == SIM_USE_STRICT && !(in->cls == SIM_CLS_SALU && in->src->op->op == SIM_OP_s_mov_b64))
                return report_uninit(w, in, scalar_name(r, name), -1, w->sorigin[r]);
        }
    if (in->use[SIM_SET_SCC] & w->bad[SIM_SET_SCC]) {
        sim_trap(w, in, -1, SIM_TRAP_UNINIT, 0, "scc is read but was never written");
        return false;
    }
    if (!each(w, in, in->use, w->bad, 4, 0, false, &mv))
        return false;
    if (ext && !each(w, in, ext->use, w->bad_ext, SIM_SET_EXT, SIM_ROW_ACC, false, &mv))
        return false;
    if (mv.poison[0] | mv.poison[1]) {
        /* Make the destination bad, so that it is looked at below. */
        for (unsigned j = 0; j < in->o[0].words && in->o[0].kind == SIM_KIND_ROW; j++)
            *word(w->bad, w->bad_ext, in->o[0].reg + j) |= 1ull << ((in->o[0].reg + j) & 63);
    }
    for (int k = 0; k < 2; k++)
        for (u64 m = in->def[SIM_SET_S + k] & w->bad[SIM_SET_S + k]; m; m &= m - 1) {
            unsigned r = 64u * (unsigned)k + (unsigned)__builtin_ctzll(m);
            if (w->spend[r])
                return report_wait(w, in, scalar_name(r, name), pending_load(w, r, true), false);
            w->bad[SIM_SET_S + k] &= ~(m & -m);
            w->sorigin[r] = 0;
        }
    w->bad[SIM_SET_SCC] &= ~(in->def[SIM_SET_SCC] & 1);
    if (!each(w, in, in->def, w->bad, 4, 0, true, &mv))
        return false;
    return !ext || each(w, in, ext->def, w->bad_ext, SIM_SET_EXT, SIM_ROW_ACC, true, &mv);
}

/* ---- outstanding operations ---- */

static void arrive(struct sim_wave *w, const struct sim_pending *p)
{
    for (unsigned r = p->row; r < (unsigned)p->row + p->words; r++) {
        if (p->scalar) {
            if (w->spend[r] && --w->spend[r] == 0) {
                w->pend[SIM_SET_S + r / 64] &= ~(1ull << (r & 63));
                if (!w->sorigin[r])
                    w->bad[SIM_SET_S + r / 64] &= ~(1ull << (r & 63));
            }
        } else if (w->npend[r] && --w->npend[r] == 0) {
            *word(w->pend, w->pend_ext, r) &= ~(1ull << (r & 63));
            if (w->vinit[r] == w->full)
                *word(w->bad, w->bad_ext, r) &= ~(1ull << (r & 63));
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
                              .kind = in->src->format == SIM_FMT_SMEM ? 1 : in->cnt2 ? 2 : 0};
    if (in->o[0].kind == SIM_KIND_ROW) {
        p->row = in->o[0].reg;
        p->words = in->width;
        for (unsigned r = p->row; r < (unsigned)p->row + p->words; r++) {
            w->npend[r]++;
            *word(w->pend, w->pend_ext, r) |= 1ull << (r & 63);
            *word(w->bad, w->bad_ext, r) |= 1ull << (r & 63);
        }
    } else if (in->o[0].kind == SIM_KIND_S) {
        p->scalar = 1;
        p->row = in->o[0].reg;
        p->words = in->width;
        for (unsigned r = p->row; r < (unsigned)p->row + p->words; r++) {
            w->spend[r]++;
            w->sorigin[r] = 0;
            w->pend[SIM_SET_S + r / 64] |= 1ull << (r & 63);
            w->bad[SIM_SET_S + r / 64] |= 1ull << (r & 63);
        }
    }
}

void sim_issue(struct sim_wave *w, const struct insn *in)
{
    const struct sim_target *t = w->prog->target;
    unsigned c = in->cnt - 1u;
    if (in->cls == SIM_CLS_LDS || in->cls == SIM_CLS_VMEM_STORE)
        w->worked = true;
    push(w, in, c, (unsigned)(c == SIM_CNT_LGKM || c == SIM_CNT_KM ? t->lgkm_max : t->vmcnt_max));
    if (in->cnt2)
        push(w, in, in->cnt2 - 1u, (unsigned)t->lgkm_max);
}

/* n operations at most are outstanding after it. Vector operations of one counter end in order, scalar
 * loads and FLAT in any order: with k of those in flight, only what must have ended for any order of
 * theirs has. */
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
}

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
    const u64 back = exec & ~w->barrier_exec;
    w->barrier_exec = ~0ull;
    if (!(back & w->start_exec))
        return;
    sim_trap(w, w->barrier_insn, __builtin_ctzll(back & w->start_exec), SIM_TRAP_BARRIER, 0,
             "s_barrier was executed with EXEC 0x%llx; lanes 0x%llx skipped it and came back after it",
             (unsigned long long)(w->exec & w->full & ~back), (unsigned long long)back);
    w->budget = 0;
}

bool sim_hazard(struct sim_wave *w, const struct insn *in)
{
    (void)w;
    (void)in;
    return true;
}
