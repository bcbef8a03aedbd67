/* SPDX-License-Identifier: MIT */
/*
 * Workgroups on threads. A pool of threads takes workgroups of the launches in progress; the waves of a
 * workgroup run in turn on one thread, so LDS and barriers need no locks. A wave that uses up its slice
 * without ending or reaching a barrier is put aside with its workgroup and another workgroup gets the
 * thread, so kernels that wait for each other make progress.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sched.h>
#endif

#include "check.h"
#include "clocks.h"
#include "cluster.h"
#include "deadlock.h"
#include "decode/decode.h"
#include "launch.h"
#include "mem.h"

enum {
    SLICE = 20000,     /* instructions a wave may run before another gets its turn */
    SLICE_SPIN = 2000, /* the same once the workgroup has been put aside */
    LONG = 1000000,    /* after so many it is put aside in any case */
    SLICE_WATCH = 20000, /* while a loop is watched: the longest that is seen to be endless */
    QUIET = 64,        /* turns without any progress before a workgroup is watched */
    PATIENCE_NS = 1000000000 /* how long nothing must have happened before it is a deadlock */
};

/* A workgroup in progress and the memory of its waves; used again for the next workgroup. That of a cluster's
 * first workgroup stands for all of them, the others are its peers. */
struct sim_context {
    struct sim_context *next, *peer;
    struct sim_cluster *cluster;
    struct sim_launch *launch;
    struct sim_wg wg;
    u8 *block;
    size_t bytes;
    i64 *diff;
    u32 *diff32;
    size_t insns;
    struct sim_tally tally;
    bool spun;
    /* deadlock: progress when it last ran, turns since that changed, whether its waves were seen to wait
     * in vain, and over what */
    u64 seen;
    unsigned quiet, patience;
    bool watched, stuck, counted;
    const struct insn **loads;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static struct sim_launch *active;           /* launches with workgroups to start */
static struct sim_context *aside, **aside_tail = &aside; /* workgroups put aside */
static int pool_threads, waiting;
static _Atomic u64 launches;
static u32 next_tag = 1;
static struct sim_launch *running;          /* launches that have not ended */
static int hosts;                           /* host threads that wait for launches */
/* Counts what may let a waiting workgroup go on; when it last grew; workgroups stuck since then and all
 * in progress. */
static u64 progress;
static i64 progress_ns;
static int stuck, in_progress;

u64 sim_launches(void) { return launches; }

int sim_threads(void)
{
    static int n;
    if (!n) {
        const char *e = getenv("FLYSIM_THREADS");
        int k = e ? atoi(e) : 0;
#ifdef __linux__
        cpu_set_t set;
        if (k <= 0 && sched_getaffinity(0, sizeof set, &set) == 0)
            k = CPU_COUNT(&set);
#endif
        if (k <= 0)
            k = (int)sysconf(_SC_NPROCESSORS_ONLN);
        n = k < 1 ? 1 : k > 256 ? 256 : k;
    }
    return n;
}

static u64 wave_budget(void)
{
    static u64 n;
    if (!n) {
        const char *e = getenv("FLYSIM_BUDGET");
        double millions = e ? atof(e) : 0;
        n = millions > 0 ? (u64)(millions * 1e6) : 4000000000ull;
    }
    return n;
}

/* ---- contexts ---- */

static size_t align64(size_t n) { return (n + 63) & ~(size_t)63; }

static int rows_of(const struct sim_function *f)
{
    int rows = f->agprs ? SIM_ROW_ACC + f->agprs : f->vgprs;
    int used = f->program->max_row + 1;
    return used > rows ? used : rows;
}

static void context_free(struct sim_context *c)
{
    if (c->peer)
        context_free(c->peer);
    if (c->cluster)
        sim_cluster_free(c->cluster);
    free(c->cluster);
    for (unsigned i = 0; c->wg.w && i < c->wg.waves; i++)
        if (c->wg.w[i])
            free(c->wg.w[i]->indexed);
    sim_clocks_free(&c->wg);
    munmap(c->block, c->bytes);
    free(c->wg.w);
    free(c->loads);
    free(c->diff);
    free(c);
}

static struct sim_context *context_alone(struct sim_launch *l)
{
    const struct sim_function *f = l->fn;
    const unsigned lanes = (unsigned)f->program->wave;
    const unsigned items = l->block[0] * l->block[1] * l->block[2];
    const unsigned waves = (items + lanes - 1) / lanes;
    const size_t rows = (size_t)rows_of(f), scratch = f->k->private_bytes;
    const size_t vbytes = align64(rows * lanes * 4), rbytes = align64(rows * 32) + align64(rows * 8) + align64(rows);
    const size_t sbytes = scratch ? align64(((scratch + 3) & ~3ull) * lanes) + align64((scratch + 7) / 8 * lanes) : 0;
    const size_t per = align64(sizeof(struct sim_wave)) + vbytes + rbytes + sbytes;
    const size_t lds = align64(l->lds + 16), dwords = l->lds / 4 + 4;
    const size_t shadow = l->check ? align64(l->lds / 8 + 64) + align64(dwords * 4) * 2 + align64(dwords * 8) : 0;
    const size_t insns = f->program->count + 2;
    struct sim_context *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->bytes = 64 + lds + shadow + waves * per + insns * sizeof(u32);
    c->block = mmap(NULL, c->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    c->diff = calloc(insns, sizeof *c->diff);
    if (c->block == MAP_FAILED || !c->diff) {
        if (c->block != MAP_FAILED)
            munmap(c->block, c->bytes);
        free(c->diff);
        free(c);
        return NULL;
    }
    u8 *p = c->block;
    c->launch = l;
    c->insns = insns;
    c->wg.launch = l;
    c->wg.lds = p; p += lds;
    c->wg.lds_bytes = l->lds;
    if (l->check) {
        struct sim_lds_shadow *h = &c->wg.shadow;
        h->init = p; p += align64(l->lds / 8 + 64);
        h->write = (u32 *)p; p += align64(dwords * 4);
        h->insn = (u32 *)p; p += align64(dwords * 4);
        h->read = (u64 *)p; p += align64(dwords * 8);
    }
    c->wg.waves = waves;
    c->wg.w = calloc(waves, sizeof *c->wg.w);
    c->loads = calloc(waves, sizeof *c->loads);
    c->diff32 = (u32 *)p; p += insns * sizeof(u32);
    p = (u8 *)(((uintptr_t)p + 63) & ~(uintptr_t)63);
    if (!c->wg.w || !c->loads) {
        context_free(c);
        return NULL;
    }
    for (unsigned i = 0; i < waves; i++) {
        struct sim_wave *w = (struct sim_wave *)p; p += align64(sizeof *w);
        c->wg.w[i] = w;
        w->v = (u32 *)p; p += vbytes;
        w->rows = (int)rows;
        w->und = (u64 (*)[4])p; p += align64(rows * 32);
        w->origin = (u64 *)p; p += align64(rows * 8);
        w->npend = p; p += align64(rows);
        if (scratch) {
            w->scratch = p; p += align64(((scratch + 3) & ~3ull) * lanes);
            w->scratch_init = p; p += align64((scratch + 7) / 8 * lanes);
            w->scratch_bytes = (u32)scratch;
        }
        w->wg = &c->wg;
        w->prog = f->program;
        w->id = i;
        w->tally = &c->tally;
        w->diff = c->diff32;
    }
    return c;
}

static struct sim_context *context_new(struct sim_launch *l)
{
    struct sim_context *first = NULL, **end = &first;
    struct sim_cluster *t = l->together > 1 ? calloc(1, sizeof *t) : NULL;
    for (u32 i = 0; i < l->together; i++) {
        struct sim_context *c = l->together == 1 || t ? context_alone(l) : NULL;
        if (!c) {
            if (first)
                context_free(first);
            free(t);
            return NULL;
        }
        if (t) {
            c->wg.cluster = t;
            c->wg.rank = i;
            t->wg[i] = &c->wg;
        }
        *end = c;
        end = &c->peer;
    }
    if (t) {
        t->n = l->together;
        memcpy(t->dims, l->cluster, sizeof t->dims);
        first->cluster = t;
    }
    return first;
}

/* ---- the start of a wave ---- */

static void put_s(struct sim_wave *w, unsigned *r, u32 x)
{
    if (*r < 106) {
        w->s[*r] = x;
        if (w->check)
            sim_check_define_s(w, *r, 1);
    }
    ++*r;
}

/* Scalar registers as the hardware sets them up (AMDGPU usage guide, "Initial Kernel Execution State"). */
static void start_scalars(struct sim_wave *w, const struct sim_launch *l, const struct sim_wg *g)
{
    const struct sim_kernel *k = l->fn->k;
    const struct sim_target *t = l->target;
    const u64 karg = (u64)(uintptr_t)l->kernarg;
    unsigned r = 0;
    if (k->properties & 1) {
        /* Private segment buffer: base, stride 0 with swizzle by lane, no limit; see mubuf bodies. */
        put_s(w, &r, 0);
        put_s(w, &r, SIM_SCRATCH_HI | 0x80000000u);
        put_s(w, &r, ~0u);
        put_s(w, &r, 0x00e00000);
    }
    if (k->properties & 2) { put_s(w, &r, (u32)l->dispatch); put_s(w, &r, (u32)(l->dispatch >> 32)); }
    if (k->properties & 4) { put_s(w, &r, 0); put_s(w, &r, 0); }
    if (k->properties & 8) { put_s(w, &r, (u32)karg); put_s(w, &r, (u32)(karg >> 32)); }
    if (k->properties & 16) { put_s(w, &r, 0); put_s(w, &r, 0); }
    if (k->properties & 32) { put_s(w, &r, 0); put_s(w, &r, 0); }
    if (k->properties & 64) put_s(w, &r, k->private_bytes);
    for (unsigned i = 0; i < (k->preload & 127u) && r < k->user_sgprs; i++) {
        u32 x;
        memcpy(&x, l->kernarg + 4 * (i + (k->preload >> 7)), 4);
        put_s(w, &r, x);
    }
    if (r < k->user_sgprs)
        r = k->user_sgprs;
    if (sim_has(t, SIM_WORKGROUP_IN_TTMP)) {
        /* In a cluster: the cluster's number, and in ttmp6 the workgroup's there and the largest ones. */
        u32 at[3] = {g->id[0], g->id[1], g->id[2]}, six = 0;
        if (g->cluster) {
            const u32 *n = g->cluster->dims;
            for (int d = 0; d < 3; d++) {
                six |= at[d] % n[d] << 4 * d | (n[d] - 1) << (12 + 4 * d);
                at[d] /= n[d];
            }
            six |= (g->cluster->n - 1) << 24;
        }
        w->s[SIM_S_TTMP + 9] = at[0];
        w->s[SIM_S_TTMP + 7] = at[1] | at[2] << 16;
        w->s[SIM_S_TTMP + 6] = six;
    } else {
        if (k->wg_id_x) put_s(w, &r, g->id[0]);
        if (k->wg_id_y) put_s(w, &r, g->id[1]);
        if (k->wg_id_z) put_s(w, &r, g->id[2]);
        if (k->wg_info) put_s(w, &r, 0);
        if (!sim_has(t, SIM_FLAT_SCRATCH_INIT) && k->rsrc2 & 1) put_s(w, &r, 0); /* wave's scratch offset */
    }
    if (w->check) {
        /* M0 is what LDS instructions of older targets need set; kernels may rely on any value. */
        sim_check_define_s(w, SIM_S_M0, 1);
        sim_check_define_s(w, SIM_S_FLAT, 4);
    }
}

static void start_wave(struct sim_wave *w, struct sim_launch *l, struct sim_wg *g, int rows)
{
    const struct sim_kernel *k = l->fn->k;
    const unsigned lanes = (unsigned)l->fn->program->wave;
    u32 dims[3];
    for (int d = 0; d < 3; d++) {
        u32 left = l->items[d] - g->id[d] * l->block[d];
        dims[d] = left < l->block[d] ? left : l->block[d];
    }
    const u32 items = dims[0] * dims[1] * dims[2], first = w->id * lanes;
    w->full = lanes == 64 ? ~0ull : 0xffffffffull;
    w->check = l->check;
    memset(w->s, 0, sizeof w->s);
    w->scc = 0;
    w->mode = (k->rsrc1 >> 12 & 0xff) | (k->rsrc1 >> 21 & 1) << 8 | (k->rsrc1 >> 23 & 1) << 9 |
              (k->rsrc1 >> 26 & 1) << 23;
    w->ieee = w->prog->target->family->isa < SIM_ISA_GFX12 && w->mode >> 9 & 1;
    const u32 active = items > first ? items - first < lanes ? items - first : lanes : 0;
    w->exec = active == 64 ? ~0ull : (1ull << active) - 1;
    w->start_exec = w->exec;
    w->barrier_exec = ~0ull;
    w->barriers = 0;
    w->named = 0;
    w->named_done = false;
    w->at_cluster = w->cluster_done = false;
    w->host = false; /* changed stays until look_for_deadlock has seen it */
    w->hook = l->trace ? sim_trace_hook : NULL;
    w->worked = false;
    sim_unpack_mask(w->erow, w->exec);
    w->pc = w->run = l->fn->entry;
    w->state = active ? SIM_RUN : SIM_DONE;
    w->hit_lo = w->hit_hi = 0;
    w->insns = 0;
    if (w->check)
        sim_check_start(w, rows);
    start_scalars(w, l, g);
    u32 *v0 = w->v;
    for (u32 i = 0; i < lanes; i++) {
        u32 n = first + i;
        u32 x = n % dims[0], y = n / dims[0] % dims[1], z = n / dims[0] / dims[1];
        v0[i] = k->workitem_dims == 0 ? x : k->workitem_dims == 1 ? x | y << 10 : x | y << 10 | z << 20;
    }
    if (w->check) {
        sim_check_define_row(w, 0, w->full);
        /* Lanes beyond the workgroup never run. */
        if (w->scratch)
            memset(w->scratch_init, 0, (size_t)(w->scratch_bytes + 7) / 8 * lanes);
    }
}

static void start_one(struct sim_context *c, u64 index)
{
    struct sim_launch *l = c->launch;
    struct sim_wg *g = &c->wg;
    const int rows = rows_of(l->fn);
    c->spun = c->watched = c->stuck = c->counted = false;
    c->quiet = c->patience = 0;
    g->id[0] = (u32)(index % l->grid[0]);
    g->id[1] = (u32)(index / l->grid[0] % l->grid[1]);
    g->id[2] = (u32)(index / l->grid[0] / l->grid[1]);
    g->tag = l->tag + (u32)index;
    g->epoch += 2;
    if (g->epoch >> 25 && l->check) {
        /* Tags have no room for more epochs. */
        memset(g->shadow.write, 0, (g->lds_bytes / 4 + 1) * sizeof *g->shadow.write);
        memset(g->shadow.read, 0, (g->lds_bytes / 4 + 1) * sizeof *g->shadow.read);
        g->epoch = 2;
    }
    g->epoch0 = g->epoch;
    g->at_barrier = 0;
    g->live = 0;
    g->signals = 0;
    memset(g->named, 0, sizeof g->named);
    g->released = g->acquired = g->acquired_near = 0;
    g->clocked = false;
    if (l->check)
        memset(g->shadow.init, 0, g->lds_bytes / 8 + 1);
    for (unsigned i = 0; i < g->waves; i++) {
        start_wave(g->w[i], l, g, rows);
        g->live += g->w[i]->state == SIM_RUN;
    }
}

/* Starts cluster `unit` of the grid: a workgroup, or several. */
static void start_unit(struct sim_context *c, u64 unit)
{
    const struct sim_launch *l = c->launch;
    const u32 *n = l->cluster, across = c->peer ? l->grid[0] / n[0] : 0, down = c->peer ? l->grid[1] / n[1] : 0;
    if (!c->peer) {
        start_one(c, unit);
        return;
    }
    sim_cluster_start(c->cluster);
    for (u32 i = 0; c; c = c->peer, i++) {
        const u64 x = unit % across * n[0] + i % n[0], y = unit / across % down * n[1] + i / n[0] % n[1],
                  z = unit / across / down * n[2] + i / n[0] / n[1];
        start_one(c, x + l->grid[0] * (y + l->grid[1] * z));
    }
}

/* ---- running ---- */

static void report_budget(struct sim_wave *w)
{
    sim_trap(w, w->pc, -1, SIM_TRAP_BUDGET, 0,
             "the wave has executed %llu instructions (FLYSIM_BUDGET, in millions, sets the limit)",
             (unsigned long long)w->insns);
}

static void run_wave(struct sim_wave *w, const struct sim_level_ops *ops, i64 slice, bool traced)
{
    w->budget = slice;
    sim_host_mode(w);
    if (traced)
        ops->run_traced(w);
    else if (w->check)
        ops->run_checked(w);
    else
        ops->run_plain(w);
    w->insns += (u64)(slice - w->budget);
}

/* Runs each wave once. True when the workgroup has ended (or a fault stops the launch). */
static bool step_one(struct sim_context *c, const struct sim_level_ops *ops, bool *moved)
{
    struct sim_wg *g = &c->wg;
    struct sim_launch *l = c->launch;
    c->stuck = c->watched;
    for (unsigned i = 0; i < g->waves; i++) {
        struct sim_wave *w = g->w[i];
        if (atomic_load_explicit(&l->stop, memory_order_relaxed))
            return true;
        if (w->state != SIM_RUN)
            continue;
        const bool watch = c->watched && sim_watch_begin(w, rows_of(l->fn));
        const u64 began = w->insns;
        run_wave(w, ops, watch ? SLICE_WATCH : c->spun ? SLICE_SPIN : SLICE, watch || l->trace);
        if (!watch || !sim_watch_end(w, &c->loads[i]))
            c->stuck = false;
        /* A wave that is busy goes on; one that waits in a loop lets others have the thread. */
        while (w->state == SIM_RUN && !c->spun && !l->trace && w->insns - began < LONG &&
               sim_watch_begin(w, rows_of(l->fn))) {
            run_wave(w, ops, SLICE_SPIN, true);
            if (sim_watch_end(w, &c->loads[i]) || w->state != SIM_RUN || atomic_load(&l->stop))
                break;
            run_wave(w, ops, SLICE, false);
        }
        switch (w->state) {
        case SIM_DONE: g->live--; *moved = true; break;
        case SIM_BARRIER: g->at_barrier++; *moved = true; break;
        case SIM_NAMED: *moved = true; break;
        case SIM_FAULT: sim_host_mode(NULL); return true;
        default:
            if (w->insns > wave_budget()) {
                report_budget(w);
                sim_host_mode(NULL);
                return true;
            }
        }
    }
    sim_host_mode(NULL);
    if (!g->live)
        return true;
    if (g->at_barrier == g->live) {
        if (l->check && g->live < g->waves) {
            /* A wave may leave at once, having nothing to do; one that took part must not miss a
             * barrier the others wait at. */
            struct sim_wave *w = NULL, *gone = NULL;
            for (unsigned i = 0; i < g->waves; i++)
                if (g->w[i]->state == SIM_BARRIER) {
                    if (!w) w = g->w[i];
                } else if (!gone && (g->w[i]->barriers || g->w[i]->worked)) {
                    gone = g->w[i];
                }
            if (gone) {
                sim_trap(w, w->pc - 1, -1, SIM_TRAP_BARRIER, 0,
                         "the wave waits at s_barrier, but wave %u has ended after %u barriers without reaching it",
                         gone->id, gone->barriers);
                return true;
            }
        }
        for (unsigned i = 0; i < g->waves; i++)
            if (g->w[i]->state == SIM_BARRIER)
                g->w[i]->state = SIM_RUN;
        g->at_barrier = 0;
        g->epoch++;
        if (g->clocked)
            sim_clocks_all(g);
        *moved = true;
    }
    return false;
}

/* The same of a cluster's workgroups in turn. */
static bool step(struct sim_context *c, const struct sim_level_ops *ops, bool *moved)
{
    if (!c->peer)
        return step_one(c, ops, moved);
    bool live = false, stuck = c->watched;
    for (struct sim_context *p = c; p; p = p->peer) {
        if (!p->wg.live)
            continue;
        p->spun = c->spun;
        p->watched = c->watched;
        if (step_one(p, ops, moved)) {
            if (atomic_load(&c->launch->stop))
                return true;
            sim_cluster_left(&p->wg);
            *moved = true;
        } else {
            live = true;
        }
        stuck &= p->stuck || !p->wg.live;
    }
    c->stuck = stuck;
    if (!live && c->launch->check)
        sim_cluster_end(c->cluster);
    return !live;
}

static void add_tally(struct sim_tally *a, const struct sim_tally *b)
{
    u64 *x = (u64 *)a;
    const u64 *y = (const u64 *)b;
    for (size_t i = 0; i < sizeof *a / sizeof *x; i++)
        x[i] += y[i];
}

/* With the lock held. */
static void detach(struct sim_launch *l)
{
    if (--l->attached || l->link != l)
        return;
    /* No thread has it and no workgroup is left: it has ended. */
    struct sim_context *c = l->idle;
    l->idle = NULL;
    for (struct sim_launch **p = &running; *p; p = &(*p)->running)
        if (*p == l) {
            *p = l->running;
            break;
        }
    pthread_mutex_unlock(&lock);
    while (c) {
        struct sim_context *next = c->next;
        for (const struct sim_context *p = c; p; p = p->peer) {
            for (size_t i = 0; i < p->insns; i++)
                l->diff[i] += (i32)p->diff32[i];
            add_tally(&l->tally, &p->tally);
        }
        context_free(c);
        c = next;
    }
    free(l->released);
    l->released = NULL;
    sim_count_launch(l);
    l->done(l);
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&work);
}

static void unlink_active(struct sim_launch *l)
{
    for (struct sim_launch **p = &active; *p; p = &(*p)->link)
        if (*p == l) {
            *p = l->link;
            l->link = NULL;
            return;
        }
}

/* The next cluster (a workgroup, or several), or the next of a sample: one of each of as many runs of neighbours, at places inside
 * them that follow the golden ratio, so that a grid whose rows are as long as the runs is not met at one
 * column only. */
static u64 take(struct sim_launch *l)
{
    if (atomic_load(&l->stop))
        return ~0ull;
    const u64 i = atomic_fetch_add(&l->next, 1), total = l->total / l->together;
    if (i >= l->units || l->units == total)
        return i < l->units ? i : ~0ull;
    const u64 from = (u64)((unsigned __int128)i * total / l->units),
              to = (u64)((unsigned __int128)(i + 1) * total / l->units);
    return from + (u64)((unsigned __int128)(to - from) * (uint32_t)(i * 2654435769u) >> 32);
}

/* ---- deadlock ---- */

static i64 now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* With the lock held: something happened that may let a waiting workgroup go on. */
static void note_progress(void)
{
    progress++;
    progress_ns = now_ns();
    stuck = 0;
}

static bool describe_wait(struct sim_wave *to, const struct sim_context *c, unsigned i)
{
    const struct sim_wave *w = c->wg.w[i];
    const struct sim_family *f = w->prog->target->family;
    const bool barrier = w->state == SIM_BARRIER || w->state == SIM_NAMED;
    const struct insn *in = barrier ? w->pc - 1 : c->loads[i] ? c->loads[i] : w->pc;
    char text[160] = "?";
    if (w->state != SIM_RUN && !barrier)
        return false;
    if (in->src->op)
        sim_print(f, in->src, 0, text, sizeof text);
    sim_trap_more(to, "  workgroup (%u, %u, %u), wave %u: %s %s at 0x%llx\n", c->wg.id[0], c->wg.id[1], c->wg.id[2], i,
                  barrier ? "waits at" : "loops over", text, (unsigned long long)in->src->pc);
    return true;
}

/* With the lock held, after a turn of c in which no wave ended or passed a barrier. */
static void look_for_deadlock(struct sim_context *c)
{
    struct sim_launch *l = c->launch;
    bool changed = false;
    for (struct sim_context *p = c; p; p = p->peer)
        for (unsigned i = 0; i < p->wg.waves; i++) {
            changed |= p->wg.w[i]->changed || p->wg.w[i]->host;
            p->wg.w[i]->changed = false;
        }
    if (changed)
        note_progress();
    if (changed || c->seen != progress) {
        c->seen = progress;
        c->quiet = 0;
        c->watched = c->stuck = c->counted = false;
        return;
    }
    if (!c->watched) {
        c->watched = ++c->quiet >= (unsigned)QUIET << c->patience;
        return;
    }
    if (!c->stuck) {
        /* It may only be busy for long: look again later. */
        c->watched = false;
        c->quiet = 0;
        c->patience += c->patience < 10;
        return;
    }
    if (!c->counted) {
        c->counted = true;
        stuck++;
    }
    if (stuck < in_progress || !hosts)
        return;
    /* A host thread that is not waiting may be about to help. */
    if (now_ns() - progress_ns < PATIENCE_NS) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += PATIENCE_NS / 50;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&work, &lock, &t);
        return;
    }
    const u64 left = l->units > atomic_load(&l->next) ? l->units - atomic_load(&l->next) : 0;
    struct sim_wave *w = NULL;
    const struct insn *at = NULL;
    for (const struct sim_context *p = c; p && !w; p = p->peer)
        for (unsigned i = 0; i < p->wg.waves && !w; i++)
            if (p->wg.w[i]->state == SIM_RUN || p->wg.w[i]->state == SIM_NAMED) {
                w = p->wg.w[i];
                at = w->state == SIM_NAMED ? w->pc - 1 : p->loads[i] ? p->loads[i] : w->pc;
            }
    if (!w)
        return;
    sim_trap(w, at, -1, SIM_TRAP_DEADLOCK, 0,
             "%d %s wait for what none of them will do, %llu have not started (%d fit at a time)", in_progress,
             c->peer ? "clusters of workgroups" : "workgroups", (unsigned long long)left, l->max_resident);
    unsigned shown = 0;
    for (const struct sim_context *p = c; p && shown < 6; p = p->peer)
        for (unsigned i = 0; i < p->wg.waves && shown < (p->peer ? 3 : c->peer ? 6 : 4); i++)
            shown += describe_wait(w, p, i);
    for (const struct sim_context *x = aside; x && shown < 8; x = x->next)
        for (unsigned i = 0; i < x->wg.waves && shown < 8 && x != c; i++, shown++)
            describe_wait(w, x, i);
}

/* One piece of work, if there is any; called and returns with the lock held. */
static bool work_once(void)
{
    struct sim_launch *l = active;
    struct sim_context *c = NULL;
    u64 index = ~0ull;

    while (l && (index = l->resident < l->max_resident ? take(l) : ~0ull) == ~0ull) {
        struct sim_launch *next = l->link;
        if (atomic_load(&l->stop) || atomic_load(&l->next) >= l->units) {
            unlink_active(l);
            l->link = NULL;
            if (!l->resident) {
                l->link = l; /* mark: nothing left */
                l->attached++;
                detach(l);
                return true;
            }
        }
        l = next;
    }
    if (l) {
        /* Rotate, so that launches share the threads. */
        if (active == l && l->link) {
            unlink_active(l);
            struct sim_launch **p = &active;
            while (*p)
                p = &(*p)->link;
            *p = l;
        }
        l->attached++;
        l->resident++;
        in_progress++;
        note_progress();
        c = l->idle;
        if (c)
            l->idle = c->next;
    } else if (aside) {
        c = aside;
        aside = c->next;
        if (!aside)
            aside_tail = &aside;
        l = c->launch;
        l->attached++;
    } else {
        return false;
    }
    pthread_mutex_unlock(&lock);

    const struct sim_level_ops *ops = sim_level_ops(sim_level(), l->fn->program->wave);
    bool put_aside = false;
    if (!c && !(c = context_new(l))) {
        atomic_store(&l->stop, 1);
        if (!atomic_flag_test_and_set(&l->fault_lock)) {
            l->fault.kind = SIM_TRAP_LAUNCH;
            snprintf(l->fault.line, sizeof l->fault.line, "launch: out of host memory");
            snprintf(l->fault.text, sizeof l->fault.text, "flysim: launch: out of host memory\n");
        }
    }
    if (c && index != ~0ull)
        start_unit(c, index);
    while (c) {
        bool moved = false;
        while (!step(c, ops, &moved)) {
            if (!moved) {
                put_aside = true;
                break;
            }
            moved = false;
            if (c->spun) {
                pthread_mutex_lock(&lock);
                note_progress();
                pthread_mutex_unlock(&lock);
                c->quiet = 0;
                c->watched = false;
            }
        }
        if (put_aside)
            break;
        atomic_fetch_add(&l->finished, 1);
        index = take(l);
        if (index == ~0ull)
            break;
        start_unit(c, index);
    }

    pthread_mutex_lock(&lock);
    if (put_aside) {
        c->spun = true;
        c->next = NULL;
        *aside_tail = c;
        aside_tail = &c->next;
        if (waiting)
            pthread_cond_signal(&work);
        l->attached--;
        if (l->check && !l->trace)
            look_for_deadlock(c);
        return true;
    }
    l->resident--;
    in_progress--;
    note_progress();
    if (c) {
        c->next = l->idle;
        l->idle = c;
    }
    if (atomic_load(&l->stop) || atomic_load(&l->next) >= l->units) {
        unlink_active(l);
        if (!l->resident && l->link != l)
            l->link = l;
    }
    detach(l);
    return true;
}

static void *pool_thread(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&lock);
    for (;;)
        if (!work_once()) {
            waiting++;
            pthread_cond_wait(&work, &lock);
            waiting--;
        }
    return NULL;
}

void sim_work_until(const atomic_int *flag)
{
    pthread_mutex_lock(&lock);
    hosts++;
    while (!atomic_load(flag))
        if (!work_once() && !atomic_load(flag)) {
            waiting++;
            pthread_cond_wait(&work, &lock);
            waiting--;
        }
    hosts--;
    pthread_mutex_unlock(&lock);
}

/* Called with a lock of the race check held: the list changes rarely, a stale answer only keeps an entry. */
bool sim_launch_active(u32 tag)
{
    bool found = false;
    pthread_mutex_lock(&lock);
    for (struct sim_launch *l = running; l && !found; l = l->running)
        found = l->tag == tag;
    pthread_mutex_unlock(&lock);
    return found;
}

void sim_work_wake(void)
{
    pthread_mutex_lock(&lock);
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
}

/* What flysimSample asked for. */
static _Atomic u64 sample_waves, sample_bytes;

void sim_sample(u64 waves, u64 read_bytes)
{
    atomic_store(&sample_waves, waves);
    atomic_store(&sample_bytes, read_bytes);
}

void sim_launch_begin(struct sim_launch *l)
{
    atomic_fetch_add(&launches, 1);
    l->total = (u64)l->grid[0] * l->grid[1] * l->grid[2];
    l->released = l->check && l->total < 1u << 26 ? calloc(l->total, sizeof *l->released) : NULL;
    l->diff = calloc(l->fn->program->count + 2, sizeof *l->diff);
    atomic_flag_clear(&l->fault_lock);
    u32 items = l->block[0] * l->block[1] * l->block[2];
    int wg_waves = (int)((items + (u32)l->fn->program->wave - 1) / (u32)l->fn->program->wave);
    const u64 most = atomic_load(&sample_waves) / (u64)(wg_waves ? wg_waves : 1);
    l->together = l->cluster[0] ? l->cluster[0] * l->cluster[1] * l->cluster[2] : 1;
    l->units = l->total / l->together;
    l->read_bytes = 0;
    if (atomic_load(&sample_waves) && most / l->together < l->units) {
        l->units = most / l->together ? most / l->together : 1;
        l->read_bytes = atomic_exchange(&sample_bytes, 0);
    }
    l->runs = l->units * l->together;
    int occ = sim_occupancy(l->fn, items, l->lds);
    int fit = l->target->cus * l->target->simds * occ / (wg_waves ? wg_waves : 1) / (int)l->together;
    l->max_resident = fit < 1 ? 1 : fit;
    pthread_mutex_lock(&lock);
    /* A number for each workgroup and one for "many". */
    const u64 tags = l->total + 2 > 0x7fffffff ? 0x7fffffff : l->total + 2;
    if (next_tag + tags > 0xfffffff0u) {
        next_tag = 1;
        sim_race_reset();
        sim_traffic_reset();
    }
    l->tag = next_tag;
    next_tag += (u32)tags;
    l->running = running;
    running = l;
    while (pool_threads < sim_threads() - 1) {
        pthread_t t;
        pthread_attr_t a;
        pthread_attr_init(&a);
        pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
        int e = pthread_create(&t, &a, pool_thread, NULL);
        pthread_attr_destroy(&a);
        if (e)
            break;
        pool_threads++;
    }
    struct sim_launch **p = &active;
    while (*p)
        p = &(*p)->link;
    l->link = NULL;
    *p = l;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
}
