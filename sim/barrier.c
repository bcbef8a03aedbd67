/* SPDX-License-Identifier: MIT */
/*
 * Barriers of gfx12 and gfx1250 beside the workgroup's own: named ones (1..16: LLVM's barrier intrinsics, RDNA4
 * ISA 16.3 S_BARRIER_SIGNAL), and cells in
 * LDS (CDNA5 ISA guide 11.2.2). In checked runs the first use of either starts clocks.h.
 */
#include <string.h>

#include "check.h"
#include "clocks.h"
#include "cluster.h"
#include "handlers.h"
#include "mem.h"
#include "trap.h"

enum { NAMED = 16, PENDING_BITS = 29 };

/* A new phase: waves at the barrier go on, the others pass when they come. */
static void complete(struct sim_wg *g, unsigned id)
{
    g->named[id].signals = 0;
    for (unsigned i = 0; i < g->waves; i++) {
        struct sim_wave *w = g->w[i];
        const bool waits = w->state == SIM_NAMED && !w->at_cluster;
        if (w->named != id)
            continue;
        if (g->clocked)
            sim_clocks_complete(g, id, i, waits);
        if (waits)
            w->state = SIM_RUN;
        else
            w->named_done = true;
    }
    if (g->clocked)
        sim_clocks_ended(g, id);
}

static bool exists(struct sim_wave *w, const struct insn *in, i32 id)
{
    if (id <= NAMED)
        return true;
    sim_trap(w, in, -1, SIM_TRAP_ILLEGAL, 0, "there is no barrier %d: named ones are 1 to %d", id, NAMED);
    return false;
}

bool sim_barrier_signal(struct sim_wave *w, const struct insn *in, i32 id, u32 set, bool *first)
{
    struct sim_wg *g = w->wg;
    *first = false;
    if (!exists(w, in, id))
        return false;
    if (id == -1) {
        if (g->signals >= g->live)
            g->signals = 0; /* waves have ended since */
        *first = !g->signals++;
        if (w->check) {
            sim_barrier_check(w, in);
            sim_lds_barrier(w);
            if (g->clocked)
                sim_clocks_signal_all(w);
        }
        g->signals %= g->live;
        return true;
    }
    if (id == -3 && g->cluster)
        return sim_cluster_signal(w, in, first);
    if (id <= 0) { /* no effect, or a workgroup alone */
        *first = id == -3;
        return true;
    }
    if (set)
        g->named[id].members = (u8)set;
    if (!g->named[id].members) {
        sim_trap(w, in, -1, SIM_TRAP_ILLEGAL, 0, "named barrier %d has no members: it was not initialised", id);
        return false;
    }
    if (w->check) {
        sim_clocks_start(g);
        sim_lds_barrier(w);
        if (g->clocked)
            sim_clocks_signal(w, (unsigned)id);
    }
    w->changed = true;
    *first = !g->named[id].signals;
    if (++g->named[id].signals >= g->named[id].members)
        complete(g, (unsigned)id);
    return true;
}

bool sim_barrier_init(struct sim_wave *w, const struct insn *in, i32 id, u32 members)
{
    if (!exists(w, in, id))
        return false;
    if (id > 0) {
        if (members)
            w->wg->named[id].members = (u8)members;
        w->wg->named[id].signals = 0;
    }
    return true;
}

bool sim_barrier_join(struct sim_wave *w, const struct insn *in, i32 id)
{
    if (!exists(w, in, id))
        return false;
    w->named = id > 0 ? (u8)id : 0;
    w->named_done = false;
    if (w->check && id > 0)
        sim_clocks_start(w->wg);
    return true;
}

bool sim_barrier_leave(struct sim_wave *w)
{
    struct sim_wg *g = w->wg;
    const unsigned id = w->named;
    if (!id)
        return false;
    w->named = 0;
    w->changed = true;
    if (g->named[id].members && --g->named[id].members && g->named[id].signals >= g->named[id].members)
        complete(g, id);
    return true;
}

u32 sim_barrier_state(const struct sim_wave *w, i32 id)
{
    const struct sim_wg *g = w->wg;
    if (id == -3)
        return sim_cluster_state(g);
    if (id == -1)
        return 1 | g->live << 4 | g->signals << 16;
    if (id <= 0 || id > NAMED)
        return 0;
    return 1 | (u32)g->named[id].members << 4 | (u32)g->named[id].signals << 16;
}

/* Low to high: 29 bits of arrivals that are missing but one, 3 bits of phase, 16 bits to start the next phase
 * with. One arrival too many borrows from the phase. */
u64 sim_cell_arrive(struct sim_wave *w, u32 address, u32 n, bool covers)
{
    u64 old;
    bool phase = false;
    u8 *p = w->wg->lds + address;
    memcpy(&old, p, 8);
    u32 state = (u32)old - n;
    if (state >> (PENDING_BITS - 1) & 1) {
        state = (state >> PENDING_BITS << PENDING_BITS) | (u32)(old >> 32 & 0xffff);
        phase = true;
    }
    memcpy(p, &state, 4);
    if (w->check) {
        sim_clocks_start(w->wg);
        if (w->wg->clocked)
            sim_clocks_cell(w, address, covers, phase);
    }
    w->changed = true;
    return old;
}
