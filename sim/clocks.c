/* SPDX-License-Identifier: MIT */
/* Clocks of waves for the race check of LDS (vector clocks: a wave's accesses carry its time, which a signal ends). */
#include "clocks.h"

#include <stdlib.h>
#include <string.h>

#include "mem.h"

enum { WAVES = 32 };

/* A barrier cell: what the arrivals of this phase and of all that are complete have seen. */
struct cell {
    struct cell *next;
    u32 at, joined[WAVES], done[WAVES];
};

struct sim_clocks {
    u32 base;                   /* times below are of workgroups before this one */
    u32 now[WAVES], seen[WAVES][WAVES]; /* seen[w][v]: w comes after what v did until then */
    u32 own[WAVES];             /* when the wave signalled the workgroup's own barrier; 0: it has not */
    u32 joined[SIM_CLOCKS_BARRIERS][WAVES];
    u32 later[WAVES][WAVES];    /* of complete barriers the wave has not come to yet */
    struct cell *cells;
    u32 *write, *read;          /* by dword; by dword and wave */
    u32 dwords;
};

static void join(u32 *to, const u32 *from, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = to[i] > from[i] ? to[i] : from[i];
}

static void drop_cells(struct sim_clocks *c)
{
    while (c->cells) {
        struct cell *x = c->cells;
        c->cells = x->next;
        free(x);
    }
}

void sim_clocks_free(struct sim_wg *g)
{
    if (!g->clocks)
        return;
    drop_cells(g->clocks);
    free(g->clocks->write);
    free(g->clocks->read);
    free(g->clocks);
    g->clocks = NULL;
    g->clocked = false;
}

void sim_clocks_start(struct sim_wg *g)
{
    const struct sim_lds_shadow *h = &g->shadow;
    const unsigned waves = g->waves;
    const u32 cur = g->epoch << SIM_LDS_EPOCH;
    struct sim_clocks *c = g->clocks;
    if (g->clocked)
        return;
    if (!c) {
        c = g->clocks = calloc(1, sizeof *c);
        if (!c)
            return;
        c->dwords = g->lds_bytes / 4 + 4;
        c->write = calloc(c->dwords, sizeof *c->write);
        c->read = calloc((size_t)c->dwords * waves, sizeof *c->read);
        if (!c->write || !c->read) {
            sim_clocks_free(g);
            return;
        }
    }
    u32 most = c->base;
    for (unsigned i = 0; i < waves; i++)
        most = c->now[i] > most ? c->now[i] : most;
    c->base = most + 2;
    drop_cells(c);
    memset(c->joined, 0, sizeof c->joined);
    memset(c->later, 0, sizeof c->later);
    memset(c->own, 0, sizeof c->own);
    memset(c->seen, 0, sizeof c->seen);
    for (unsigned i = 0; i < waves; i++)
        c->now[i] = c->base + 1;
    /* What is not ordered yet: of this epoch, and writes that were late at the last barrier. */
    for (u32 d = 0; d < c->dwords; d++) {
        const u32 t = h->write[d] - cur;
        if (t < 128)
            c->write[d] = t < 64 ? c->base : c->base + 1;
        for (u32 m = h->read[d] >> 32 == g->epoch ? (u32)h->read[d] : 0; m; m &= m - 1)
            c->read[(size_t)d * waves + (unsigned)__builtin_ctz(m)] = c->base;
    }
    g->clocked = true;
}

/* ---- barriers ---- */

/* Ends the wave's time; what it has seen until then. */
static void release(struct sim_wave *w, u32 *into)
{
    struct sim_clocks *c = w->wg->clocks;
    join(into, c->seen[w->id], w->wg->waves);
    if (into[w->id] < c->now[w->id])
        into[w->id] = c->now[w->id];
    c->now[w->id]++;
}

void sim_clocks_signal(struct sim_wave *w, unsigned barrier) { release(w, w->wg->clocks->joined[barrier]); }

void sim_clocks_complete(struct sim_wg *g, unsigned barrier, unsigned k, bool waits)
{
    struct sim_clocks *c = g->clocks;
    join(waits ? c->seen[k] : c->later[k], c->joined[barrier], g->waves);
}

void sim_clocks_ended(struct sim_wg *g, unsigned barrier)
{
    memset(g->clocks->joined[barrier], 0, sizeof g->clocks->joined[barrier]);
}

void sim_clocks_pass(struct sim_wave *w)
{
    struct sim_clocks *c = w->wg->clocks;
    join(c->seen[w->id], c->later[w->id], w->wg->waves);
    memset(c->later[w->id], 0, sizeof c->later[w->id]);
}

void sim_clocks_signal_all(struct sim_wave *w)
{
    struct sim_clocks *c = w->wg->clocks;
    c->own[w->id] = c->now[w->id]++;
}

void sim_clocks_all(struct sim_wg *g)
{
    struct sim_clocks *c = g->clocks;
    u32 to[WAVES] = {0};
    for (unsigned i = 0; i < g->waves; i++) {
        join(to, c->seen[i], g->waves);
        if (to[i] < (c->own[i] ? c->own[i] : c->now[i]))
            to[i] = c->own[i] ? c->own[i] : c->now[i];
    }
    for (unsigned i = 0; i < g->waves; i++) {
        join(c->seen[i], to, g->waves);
        if (!c->own[i])
            c->now[i]++;
        c->own[i] = 0;
    }
}

void sim_clocks_cell(struct sim_wave *w, u32 a, bool covers, bool phase)
{
    struct sim_clocks *c = w->wg->clocks;
    struct cell *x = c->cells;
    while (x && x->at != a)
        x = x->next;
    if (!x) {
        x = calloc(1, sizeof *x);
        if (!x)
            return;
        x->at = a;
        x->next = c->cells;
        c->cells = x;
    }
    if (!covers)
        sim_lds_copies_late(w);
    release(w, x->joined);
    if (phase) {
        join(x->done, x->joined, w->wg->waves);
        memset(x->joined, 0, sizeof x->joined);
    }
}

/* ---- accesses ---- */

void sim_clocks_late(struct sim_wave *w, u32 dword)
{
    w->wg->clocks->write[dword] = w->wg->clocks->now[w->id] + 1;
}

/* Whether who wrote dword d did so before what w does now. */
static bool after_write(struct sim_wave *w, const struct insn *in, int lane, u32 a, u32 d, bool store)
{
    const struct sim_clocks *c = w->wg->clocks;
    const u32 tag = w->wg->shadow.write[d], by = tag & 31;
    if (c->write[d] < c->base)
        return true;
    /* One's own: a copy past the registers may be under way. */
    if (by == w->id ? store || !(tag & SIM_LDS_DMA) : c->write[d] <= c->seen[w->id][by])
        return true;
    return sim_lds_race(w, in, lane, a, store, -1);
}

bool sim_clocks_read(struct sim_wave *w, const struct insn *in, int lane, u32 a, unsigned n)
{
    struct sim_clocks *c = w->wg->clocks;
    for (const struct cell *x = c->cells; x; x = x->next)
        if (a < x->at + 8 && a + n > x->at)
            join(c->seen[w->id], x->done, w->wg->waves);
    for (u32 d = a / 4; d < (a + n + 3) / 4; d++) {
        if (!after_write(w, in, lane, d * 4 < a ? a : d * 4, d, false))
            return false;
        c->read[(size_t)d * w->wg->waves + w->id] = c->now[w->id];
    }
    return true;
}

bool sim_clocks_write(struct sim_wave *w, const struct insn *in, int lane, u32 a, unsigned n)
{
    struct sim_clocks *c = w->wg->clocks;
    const unsigned waves = w->wg->waves;
    for (u32 d = a / 4; d < (a + n + 3) / 4; d++) {
        const u32 *read = &c->read[(size_t)d * waves], at = d * 4 < a ? a : d * 4;
        if (!after_write(w, in, lane, at, d, true))
            return false;
        for (unsigned k = 0; k < waves; k++)
            if (read[k] >= c->base && k != w->id && read[k] > c->seen[w->id][k])
                return sim_lds_race(w, in, lane, at, true, (int)k);
        c->write[d] = c->now[w->id];
    }
    return true;
}

bool sim_clocks_atomic(struct sim_wave *w, const struct insn *in, int lane, u32 a)
{
    return after_write(w, in, lane, a, a / 4, true);
}
