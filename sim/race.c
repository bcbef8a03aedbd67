/* SPDX-License-Identifier: MIT */
/*
 * Races between workgroups of a launch. A 64-byte chunk of memory has two tags: the workgroup that last
 * wrote it and the one that read it, each with the dwords concerned. Only where workgroups share a chunk
 * it is split into a tag a byte. Tags of older launches mean nothing, so nothing is ever cleared.
 *
 * Loads and stores that bypass the caches which workgroups do not share synchronise and are not looked at.
 * Two accesses are ordered when the first workgroup released after its access (an atomic, a cache
 * write-back) and the second acquired after that release and before its access; anything a workgroup
 * did before a release counts as done by then.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "cluster.h"
#include "launch.h"
#include "mem.h"
#include "trap.h"

enum { CHUNK = 64, SPLIT = 1, SPLITS = 1 << 16, LOCKS = 64 };

/* tag << 32 | dwords of that workgroup << 16 | low half: SPLIT (write), dwords several workgroups read
 * (read). */
struct chunk { u64 write, read; };
static struct chunk *chunks;

/* A shared chunk: tags by byte. */
struct split { u64 chunk; u32 launch; u32 write[CHUNK], read[CHUNK]; };
static struct split *splits;
static pthread_mutex_t locks[LOCKS];
static _Atomic u64 clock_now = 1;

static void *reserve(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

bool sim_race_setup(void)
{
    if (!chunks) {
        for (int i = 0; i < LOCKS; i++)
            pthread_mutex_init(&locks[i], NULL);
        splits = reserve(SPLITS * sizeof *splits);
        chunks = splits ? reserve(sim_arena_bytes / CHUNK * sizeof *chunks) : NULL;
    }
    return chunks;
}

void sim_race_reset(void)
{
    if (chunks)
        madvise(chunks, sim_arena_bytes / CHUNK * sizeof *chunks, MADV_DONTNEED);
    if (splits)
        madvise(splits, SPLITS * sizeof *splits, MADV_DONTNEED);
}

void sim_race_forget(u64 lo, u64 hi) { sim_mem_drop(chunks, lo, hi, sizeof *chunks, CHUNK); }

void sim_release(struct sim_wave *w)
{
    struct sim_launch *l = w->wg->launch;
    if (w->check && l->released)
        l->released[w->wg->tag - l->tag] = atomic_fetch_add(&clock_now, 1);
}

void sim_acquire(struct sim_wave *w)
{
    if (w->check)
        w->wg->acquired = w->wg->acquired_near = atomic_fetch_add(&clock_now, 1);
}

void sim_acquire_near(struct sim_wave *w)
{
    if (w->check)
        w->wg->acquired_near = atomic_fetch_add(&clock_now, 1);
}

/* Whether workgroup `tag` of the launch is in w's cluster. */
static bool near(const struct sim_wave *w, u32 tag)
{
    const struct sim_cluster *c = w->wg->cluster;
    for (u32 i = 0; c && i < c->n; i++)
        if (c->wg[i]->tag == tag)
            return true;
    return false;
}

/* Whether workgroup `tag` of the launch did what it did before now, for w. */
static bool ordered(const struct sim_wave *w, u32 tag)
{
    const struct sim_launch *l = w->wg->launch;
    const u32 i = tag - l->tag;
    if (i >= l->total || !l->released || !l->released[i])
        return false;
    return w->wg->acquired > l->released[i] || (w->wg->acquired_near > l->released[i] && near(w, tag));
}

static bool conflict(struct sim_wave *w, const struct insn *in, int lane, u64 a, u32 tag, bool store, bool with_read)
{
    const struct sim_launch *l = w->wg->launch;
    const u64 i = tag - l->tag;
    if (ordered(w, tag))
        return true;
    if (i >= l->total)
        sim_trap(w, in, lane, SIM_TRAP_GLOBAL_RACE, a, "%s at 0x%llx: other workgroups read it and nothing orders them",
                 store ? "store" : "load", (unsigned long long)a);
    else
        sim_trap(w, in, lane, SIM_TRAP_GLOBAL_RACE, a,
                 "%s at 0x%llx: workgroup (%llu, %llu, %llu) %s it and nothing orders the two", store ? "store" : "load",
                 (unsigned long long)a, (unsigned long long)(i % l->grid[0]),
                 (unsigned long long)(i / l->grid[0] % l->grid[1]), (unsigned long long)(i / l->grid[0] / l->grid[1]),
                 with_read ? "reads" : "writes");
    return false;
}

/* The entry of a chunk in the launch, made from the chunk's tags when it is new. The lock is held. */
static struct split *split_of(struct sim_launch *l, u64 c)
{
    u64 h = c * 0x9e3779b97f4a7c15ull >> 48;
    for (unsigned n = 0; n < 64; n++, h++) {
        struct split *s = &splits[h % SPLITS];
        if (s->launch == l->tag && s->chunk == c)
            return s;
        /* Entries of launches that have ended may be taken. */
        if (s->launch == 0 || !sim_launch_active(s->launch)) {
            const u64 wr = chunks[c].write, rd = chunks[c].read;
            const u32 wt = (u32)(wr >> 32), rt = (u32)(rd >> 32);
            s->chunk = c;
            s->launch = l->tag;
            for (int b = 0; b < CHUNK; b++) {
                s->write[b] = wt - l->tag <= l->total && wr >> (16 + b / 4) & 1 ? wt : 0;
                s->read[b] = rt - l->tag > l->total       ? 0
                           : rd >> (b / 4) & 1          ? l->tag + (u32)l->total
                           : rd >> (16 + b / 4) & 1     ? rt
                                                        : 0;
            }
            chunks[c].write = (u64)l->tag << 32 | SPLIT;
            return s;
        }
    }
    return NULL;
}

static bool by_byte(struct sim_wave *w, const struct insn *in, int lane, u64 c, u64 a, unsigned n, bool store)
{
    struct sim_launch *l = w->wg->launch;
    const u32 me = w->wg->tag, many = l->tag + (u32)l->total;
    const unsigned first = (unsigned)(a & (CHUNK - 1));
    pthread_mutex_t *m = &locks[(c ^ c >> 6) % LOCKS];
    u32 other = 0;
    bool with_read = false;
    u64 at = a;
    pthread_mutex_lock(m);
    struct split *s = split_of(l, c);
    for (unsigned b = first; s && b < first + n; b++) {
        if (s->write[b] && s->write[b] != me && !other) {
            other = s->write[b];
            at = a + b - first;
        }
        if (store) {
            if (s->read[b] && s->read[b] != me && !other) {
                other = s->read[b];
                with_read = true;
                at = a + b - first;
            }
            if (!other || ordered(w, other))
                s->write[b] = me;
        } else {
            s->read[b] = s->read[b] == 0 || s->read[b] == me ? me : many;
        }
    }
    pthread_mutex_unlock(m);
    return !other || conflict(w, in, lane, at, other, store, with_read);
}

static inline bool current(u32 tag, const struct sim_launch *l) { return tag - l->tag <= l->total; }

static bool one(struct sim_wave *w, const struct insn *in, int lane, u64 c, u64 a, unsigned n, bool store)
{
    struct sim_launch *l = w->wg->launch;
    struct chunk *ch = &chunks[c];
    const u64 wr = __atomic_load_n(&ch->write, __ATOMIC_RELAXED), rd = __atomic_load_n(&ch->read, __ATOMIC_RELAXED);
    const u32 me = w->wg->tag, wt = (u32)(wr >> 32), rt = (u32)(rd >> 32);
    const unsigned first = (unsigned)(a & (CHUNK - 1));
    const bool w_now = current(wt, l), r_now = current(rt, l);
    if ((w_now && wr & SPLIT) || ((a | n) & 3))
        return by_byte(w, in, lane, c, a, n, store);
    const u64 mask = ((1ull << (n / 4)) - 1) << (first / 4) << 16;
    if (w_now && wt != me) {
        /* Another workgroup wrote here. */
        if (wr & mask)
            return by_byte(w, in, lane, c, a, n, store);
        if (store)
            return by_byte(w, in, lane, c, a, n, store);
    }
    if (store) {
        if (r_now && ((rt != me && rd & mask) || rd & mask >> 16))
            return by_byte(w, in, lane, c, a, n, store);
        __atomic_store_n(&ch->write, (u64)me << 32 | (w_now ? wr & 0xffff0000 : 0) | mask, __ATOMIC_RELAXED);
        return true;
    }
    u64 r = rd;
    if (!r_now) {
        r = (u64)me << 32 | mask;
    } else if (rt == me) {
        r |= mask;
    } else {
        /* Dwords of the other's become shared; what nobody read yet is mine if nothing stays the other's. */
        const u64 shared = (rd & 0xffff) | ((mask & rd) >> 16), fresh = mask & ~rd & ~(rd << 16);
        r = (rd & ~0xffffull) | shared;
        if (fresh && rd & 0xffff0000 & ~(shared << 16))
            return by_byte(w, in, lane, c, a, n, store);
        if (fresh)
            r = (u64)me << 32 | fresh | shared;
    }
    if (r != rd)
        __atomic_store_n(&ch->read, r, __ATOMIC_RELAXED);
    return true;
}

/* per: bytes of a lane; those of the following lanes come after it. */
static bool access(struct sim_wave *w, const struct insn *in, int lane, u64 a, u64 n, unsigned per, bool store)
{
    struct sim_launch *l = w->wg->launch;
    const u64 o = a - (u64)(uintptr_t)sim_arena, full = 0xffff0000ull;
    const u32 me = w->wg->tag;
    if (o >= sim_arena_bytes || l->total < 2 || in->flags & SIM_IN_COHERENT)
        return true;
    for (u64 at = 0; at < n;) {
        const u64 c = (o + at) / CHUNK, in_chunk = CHUNK - ((o + at) & (CHUNK - 1));
        const u64 k = n - at < in_chunk ? n - at : in_chunk;
        if (k == CHUNK) {
            /* The common case: a whole chunk nobody else touches. */
            struct chunk *ch = &chunks[c];
            const u64 wr = __atomic_load_n(&ch->write, __ATOMIC_RELAXED), rd = __atomic_load_n(&ch->read, __ATOMIC_RELAXED);
            const u64 mine = (u64)me << 32 | full;
            const bool w_old = !current((u32)(wr >> 32), l), r_old = !current((u32)(rd >> 32), l);
            if (store && (w_old || wr == mine) && (r_old || rd == mine)) {
                __atomic_store_n(&ch->write, mine, __ATOMIC_RELAXED);
                at += k;
                continue;
            }
            if (!store && (w_old || wr == mine) && (r_old || ((rd | rd << 16) & full) == full)) {
                const u64 r = r_old ? mine : (u32)(rd >> 32) == me ? rd : rd | 0xffff;
                if (r != rd)
                    __atomic_store_n(&ch->read, r, __ATOMIC_RELAXED);
                at += k;
                continue;
            }
        }
        if (!one(w, in, lane < 0 ? lane : lane + (int)(at / per), c, a + at, (unsigned)k, store))
            return false;
        at += k;
    }
    return true;
}

bool sim_race_read(struct sim_wave *w, const struct insn *in, int lane, u64 a, u64 n)
{
    return access(w, in, lane, a, n, lane < 0 ? 64 : n > 16 ? (unsigned)(n / (u64)w->prog->wave) : 16, false);
}

bool sim_race_write(struct sim_wave *w, const struct insn *in, int lane, u64 a, u64 n)
{
    return access(w, in, lane, a, n, n > 16 ? (unsigned)(n / (u64)w->prog->wave) : 16, true);
}

bool sim_race_lanes(struct sim_wave *w, const struct insn *in, int lane, u64 a, u64 n, unsigned per, bool store)
{
    return access(w, in, lane, a, n, per, store);
}
