/* SPDX-License-Identifier: MIT */
/*
 * Clusters of workgroups. The barrier: one wave of each workgroup signals, any may wait; workgroups that end are
 * not waited for (LLVM, AMDGPU usage guide, barriers; LLVM's s_cluster_barrier). Loads that name workgroups in M0
 * or a tensor descriptor: each of those makes the same load with the same mask and gets the data itself, the
 * hardware reads it once (AMD Composable Kernel, test/ck_tile/multicast_load; Triton's lowering). So the data is
 * that of a plain load, and what is checked is that all those named do make it.
 */
#include "cluster.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clocks.h"
#include "handlers.h"
#include "launch.h"
#include "mem.h"
#include "trap.h"

/* Bytes that are read at once: assumed; workgroups that can share a load, which with more of them named is a plain
 * one (Triton, pull request 11078). */
enum { LINE = 128, SHARE = 5 };

/* Lines asked for, by each of the workgroups of the mask: who is ahead of the others. */
struct sim_asked {
    struct sim_asked *next;
    u64 line;
    u32 mask;
    const struct insn *in; /* of the first that is ahead */
    struct sim_wave *w;
    u32 count[SIM_CLUSTER_MAX];
};

void sim_cluster_start(struct sim_cluster *c)
{
    c->signalled = c->ended = c->took_part = c->deserted = 0;
    for (unsigned i = 0; i < sizeof c->asked / sizeof *c->asked; i++)
        while (c->asked[i]) {
            struct sim_asked *a = c->asked[i];
            c->asked[i] = a->next;
            a->next = c->spare;
            c->spare = a;
        }
}

void sim_cluster_free(struct sim_cluster *c)
{
    sim_cluster_start(c);
    while (c->spare) {
        struct sim_asked *a = c->spare;
        c->spare = a->next;
        free(a);
    }
}

/* Workgroup `gone` worked with the others and ended without coming to the barrier the wave waits at. */
static void deserted(struct sim_wave *w, const struct insn *in, unsigned gone)
{
    const struct sim_wg *g = w->wg->cluster->wg[gone];
    sim_trap(w, in, -1, SIM_TRAP_BARRIER, 0,
             "the wave waits at the barrier of its cluster, but workgroup (%u, %u, %u) has ended without coming to it",
             g->id[0], g->id[1], g->id[2]);
}

static u32 all(const struct sim_cluster *c) { return (1u << c->n) - 1; }

static void complete(struct sim_cluster *c)
{
    const u32 missing = all(c) & ~c->signalled;
    if (!c->signalled || missing & ~c->ended)
        return;
    c->deserted = missing & c->took_part;
    for (unsigned i = 0; i < c->n; i++) {
        struct sim_wg *g = c->wg[i];
        for (unsigned k = 0; k < g->waves; k++) {
            struct sim_wave *w = g->w[k];
            const bool waits = w->state == SIM_NAMED && w->at_cluster;
            if (waits && c->deserted && w->check) {
                deserted(w, w->pc - 1, (unsigned)__builtin_ctz(c->deserted));
                return;
            }
            if (g->clocked)
                sim_clocks_complete(g, SIM_CLOCKS_CLUSTER, k, waits);
            if (waits)
                w->state = SIM_RUN;
            w->cluster_done = !waits;
            w->at_cluster = false;
        }
        if (g->clocked)
            sim_clocks_ended(g, SIM_CLOCKS_CLUSTER);
    }
    c->signalled = 0;
}

bool sim_cluster_signal(struct sim_wave *w, const struct insn *in, bool *first)
{
    struct sim_cluster *c = w->wg->cluster;
    const u32 me = 1u << w->wg->rank;
    if (c->signalled & me) {
        sim_trap(w, in, -1, SIM_TRAP_BARRIER, 0,
                 "the workgroup signals the barrier of its cluster twice in a phase: one wave signals for all");
        return false;
    }
    if (w->check) {
        /* It orders the signalling wave and those that wait; usually a barrier of the workgroup has done so. */
        if (!w->wg->clocked && sim_lds_touched(w))
            sim_clocks_start(w->wg);
        if (w->wg->clocked) {
            sim_lds_barrier(w);
            sim_clocks_signal(w, SIM_CLOCKS_CLUSTER);
        }
    }
    *first = !c->signalled;
    c->signalled |= me;
    c->took_part |= me;
    w->changed = true;
    complete(c);
    return true;
}

bool sim_cluster_wait(struct sim_wave *w, const struct insn *in, bool *on)
{
    const struct sim_cluster *c = w->wg->cluster;
    *on = w->cluster_done;
    w->at_cluster = !*on;
    w->cluster_done = false;
    if (*on && w->wg->clocked)
        sim_clocks_pass(w);
    if (*on && w->check && c->deserted) {
        deserted(w, in, (unsigned)__builtin_ctz(c->deserted));
        return false;
    }
    return true;
}

u32 sim_cluster_state(const struct sim_wg *g)
{
    const struct sim_cluster *c = g->cluster;
    if (!c)
        return 0;
    return 1 | (u32)__builtin_popcount(all(c) & ~c->ended) << 4 | (u32)__builtin_popcount(c->signalled) << 16;
}

void sim_cluster_left(struct sim_wg *g)
{
    g->cluster->ended |= 1u << g->rank;
    complete(g->cluster);
}

/* ---- loads of several workgroups ---- */

bool sim_cluster_named(struct sim_wave *w, const struct insn *in, u32 mask)
{
    const struct sim_cluster *c = w->wg->cluster;
    const u32 named = mask & 0xffff, there = c ? all(c) : 1, me = c ? 1u << w->wg->rank : 1;
    if (!named)
        return true;
    if (named & ~there)
        sim_trap(w, in, -1, SIM_TRAP_ILLEGAL, 0, "the mask 0x%x names workgroup %d of a cluster of %u", named,
                 31 - __builtin_clz(named), c ? c->n : 1);
    else if (!(named & me))
        sim_trap(w, in, -1, SIM_TRAP_ILLEGAL, 0,
                 "the mask 0x%x leaves out workgroup %u of the cluster, which makes the load: what it gets is not published",
                 named, w->wg->rank);
    else
        return true;
    return false;
}

static void ask_line(struct sim_wave *w, const struct insn *in, u32 mask, u64 line)
{
    struct sim_cluster *c = w->wg->cluster;
    struct sim_asked **p = &c->asked[(line ^ line >> 8 ^ mask) & 255], *a;
    while ((a = *p) && (a->line != line || a->mask != mask))
        p = &a->next;
    if (!a) {
        a = c->spare;
        if (a)
            c->spare = a->next;
        else if (!(a = malloc(sizeof *a)))
            return;
        *a = (struct sim_asked){.line = line, .mask = mask, .in = in, .w = w};
        a->next = *p;
        *p = a;
    }
    a->count[w->wg->rank]++;
    u32 least = ~0u, most = 0;
    for (u32 m = mask; m; m &= m - 1) {
        const u32 k = a->count[__builtin_ctz(m)];
        least = k < least ? k : least;
        most = k > most ? k : most;
    }
    if (least == most) {
        *p = a->next;
        a->next = c->spare;
        c->spare = a;
    }
}

void sim_cluster_ask(struct sim_wave *w, const struct insn *in, u32 mask, u64 a, u64 n)
{
    const u32 named = mask & 0xffff;
    if (mask & SIM_CLUSTER_EARLY || !(named & (named - 1)) || __builtin_popcount(named) > SHARE || !n)
        return;
    for (u64 line = a / LINE; line <= (a + n - 1) / LINE; line++)
        ask_line(w, in, named, line);
}

void sim_cluster_end(struct sim_cluster *c)
{
    for (unsigned i = 0; i < sizeof c->asked / sizeof *c->asked; i++)
        for (struct sim_asked *a = c->asked[i]; a; a = a->next) {
            u32 most = 0, missing = 0;
            for (u32 m = a->mask; m; m &= m - 1) {
                const u32 k = a->count[__builtin_ctz(m)];
                most = k > most ? k : most;
            }
            for (u32 m = a->mask; m; m &= m - 1)
                if (a->count[__builtin_ctz(m)] < most)
                    missing |= m & -m;
            const struct sim_wg *g = c->wg[__builtin_ctz(missing)];
            sim_trap(a->w, a->in, -1, SIM_TRAP_DEADLOCK, a->line * LINE,
                     "the load with mask 0x%x of the %d bytes at 0x%llx waits for workgroup (%u, %u, %u), which did not make it",
                     a->mask, LINE, (unsigned long long)(a->line * LINE), g->id[0], g->id[1], g->id[2]);
            return;
        }
}
