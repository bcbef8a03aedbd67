/* SPDX-License-Identifier: MIT */
/*
 * Streams, events, graphs. Work is a graph of operations: each waits for those before it in its stream,
 * for events, and by the rules of the legacy null stream; when the last of them ends it starts. Copies
 * and fills run at once on the thread that finds them ready, launches go to machine.c. Each operation
 * carries the modelled time at which it ends, so events measure modelled time.
 */
#include <pthread.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../mem.h"
#include "api.h"

enum kind { OP_NOTHING, OP_KERNEL, OP_COPY, OP_FILL, OP_CALL };

/* What an operation does; shared by a graph and its launches. */
struct work {
    enum kind kind;
    int device;
    struct sim_function *fn;
    uint32_t items[3], block[3], cluster[3], lds;
    void *args;
    size_t arg_bytes;
    void *dst;
    const void *src;
    size_t bytes;
    uint32_t value;
    unsigned unit;
    void (*call)(void *);
    void *user;
};

struct op {
    struct work w;
    int refs;
    int before;               /* operations it still waits for */
    struct op **after;        /* operations that wait for it */
    int nafter, cap;
    atomic_int done;
    double start_ns, end_ns;  /* modelled */
    hipError_t error;
    struct sim_launch launch;
    bool own_args;
};

struct graph_node {
    struct work w;
    struct graph_node **deps;
    int ndeps;
    bool joined;
};

struct graph {
    struct graph_node **nodes;
    int n, cap;
};

struct graph_exec { struct graph g; };

struct capture {
    struct graph *graph;
    struct stream *origin;
    bool bad;
};

struct stream {
    int device;
    bool blocking;            /* takes part in the order of the null stream */
    bool null;
    struct op *last;
    struct capture *capture;
    struct graph_node **tail; /* nodes the next captured operation comes after */
    int ntail;
    struct stream *next;
};

struct event {
    struct op *op;            /* the operation it waits for; null before the first record */
    bool recorded, timed;
    struct capture *capture;
    struct graph_node **tail;
    int ntail;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct stream *streams;
static double host_ns; /* modelled time up to which the host has waited: later work starts later */
static hipError_t pending[MAX_DEVICES]; /* a launch failed and no call has said so yet */

static u8 *kernarg_get(const struct work *w, u64 *dispatch);
static void kernarg_put(void *p, u64 dispatch);

/* FLYSIM_CHECK=0 turns the strict mode off. */
static bool checks_on(void)
{
    const char *e = getenv("FLYSIM_CHECK");
    return !e || strcmp(e, "0");
}

/* ---- operations ---- */

static void op_unref(struct op *o)
{
    if (o && --o->refs == 0) {
        if (o->own_args)
            free(o->w.args);
        free(o->after);
        free(o);
    }
}

/* o waits for p. */
static void op_after(struct op *o, struct op *p)
{
    if (!p || atomic_load(&p->done)) {
        if (p && p->end_ns > o->start_ns)
            o->start_ns = p->end_ns;
        return;
    }
    if (p->nafter == p->cap) {
        p->cap = p->cap ? 2 * p->cap : 4;
        p->after = realloc(p->after, (size_t)p->cap * sizeof *p->after);
    }
    p->after[p->nafter++] = o;
    o->before++;
    o->refs++;
}

static void op_start(struct op *o);

static void op_finish(struct op *first, double ns, hipError_t error)
{
    struct op *o = first;
    struct op *ready[64];
    pthread_mutex_lock(&lock);
    o->end_ns = o->start_ns + floor(ns * 1024) / 1024; /* sums are exact, so durations repeat */
    o->error = error;
    if (error && o->w.device >= 0)
        pending[o->w.device] = error;
    int n = 0;
    struct op **more = NULL;
    if (o->nafter > 64)
        more = malloc((size_t)o->nafter * sizeof *more);
    struct op **list = more ? more : ready;
    for (int i = 0; i < o->nafter; i++) {
        struct op *a = o->after[i];
        if (o->end_ns > a->start_ns)
            a->start_ns = o->end_ns;
        if (--a->before == 0)
            list[n++] = a;
        else
            op_unref(a);
    }
    o->nafter = 0;
    atomic_store(&o->done, 1);
    pthread_mutex_unlock(&lock);
    sim_work_wake();
    for (int i = 0; i < n; i++)
        op_start(list[i]); /* keeps the reference */
    free(more);
    pthread_mutex_lock(&lock);
    op_unref(o);
    pthread_mutex_unlock(&lock);
}

static void launched(struct sim_launch *l)
{
    struct op *o = l->arg;
    hipError_t e = 0;
    if (l->fault.kind) {
        hip_report(l->fault.text);
        e = hipErrorLaunchFailure;
    }
    kernarg_put(l->kernarg, l->dispatch);
    hip_add_counts(hip_device(o->w.device), &l->counts);
    op_finish(o, l->counts.modelled_ns, e);
}

static void op_start(struct op *o)
{
    struct work *w = &o->w;
    switch (w->kind) {
    case OP_KERNEL: {
        struct sim_launch *l = &o->launch;
        memset(l, 0, sizeof *l);
        l->fn = w->fn;
        l->target = w->fn->module->target;
        l->device = w->device;
        for (int d = 0; d < 3; d++) {
            l->items[d] = w->items[d];
            l->block[d] = w->block[d];
            l->cluster[d] = w->cluster[d];
            l->grid[d] = (w->items[d] + w->block[d] - 1) / w->block[d];
        }
        l->lds = w->lds;
        l->check = checks_on();
        l->trace = sim_trace_hook != NULL;
        l->kernarg = kernarg_get(w, &l->dispatch);
        l->done = launched;
        l->arg = o;
        sim_launch_begin(l);
        return;
    }
    case OP_COPY:
        memmove(w->dst, w->src, w->bytes);
        sim_mem_copied((u64)(uintptr_t)w->dst, (u64)(uintptr_t)w->src, w->bytes);
        break;
    case OP_FILL: {
        u8 *p = w->dst;
        if (w->unit == 1)
            memset(p, (int)w->value, w->bytes);
        else
            for (size_t i = 0; i < w->bytes; i += w->unit)
                memcpy(p + i, &w->value, w->unit);
        sim_mem_mark((u64)(uintptr_t)p, w->bytes, true);
        break;
    }
    case OP_CALL:
        w->call(w->user);
        break;
    default:
        break;
    }
    op_finish(o, 0, 0);
}

/* Puts an operation behind the stream's last one. The lock is held. Returns it when it may start now. */
static void order(struct op *o, struct stream *s)
{
    op_after(o, s->last);
    if (s->null) {
        for (struct stream *t = streams; t; t = t->next)
            if (t != s && t->blocking && t->device == s->device)
                op_after(o, t->last);
    } else if (s->blocking) {
        op_after(o, hip_device(s->device)->null_stream->last);
    }
}

static void set_last(struct stream *s, struct op *o)
{
    op_unref(s->last);
    s->last = o;
    if (o)
        o->refs++;
}

static struct op *op_new(const struct work *w)
{
    struct op *o = calloc(1, sizeof *o);
    if (!o)
        return NULL;
    o->w = *w;
    o->start_ns = host_ns;
    o->refs = 1;  /* the one op_finish drops */
    o->before = 1; /* held until everything it waits for is known */
    return o;
}

/* Lets an operation start when nothing is before it any more. The lock is held and let go. */
static void release(struct op *o)
{
    bool go = --o->before == 0;
    pthread_mutex_unlock(&lock);
    if (go)
        op_start(o);
}

static hipError_t capture_add(struct stream *s, const struct work *w);

static hipError_t enqueue(const struct work *w, struct stream *s, bool own_args)
{
    pthread_mutex_lock(&lock);
    if (s->capture) {
        hipError_t e = capture_add(s, w);
        pthread_mutex_unlock(&lock);
        return e;
    }
    struct op *o = op_new(w);
    if (!o) {
        pthread_mutex_unlock(&lock);
        return hipErrorOutOfMemory;
    }
    o->own_args = own_args;
    order(o, s);
    set_last(s, o);
    release(o);
    return 0;
}

/* ---- streams ---- */

struct stream *hip_stream_new(int device, unsigned flags)
{
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->device = device;
    s->blocking = !(flags & hipStreamNonBlocking);
    pthread_mutex_lock(&lock);
    if (!hip_device(device)->null_stream)
        s->null = true;
    s->next = streams;
    streams = s;
    pthread_mutex_unlock(&lock);
    return s;
}

/* The handle of a call: null, 1 (legacy) and 2 (per thread) are the null stream. */
static struct stream *resolve(struct stream *s)
{
    return (uintptr_t)s <= 2 ? hip_device(hip_current())->null_stream : s;
}

static hipError_t take_pending(int device)
{
    hipError_t e = pending[device];
    pending[device] = 0;
    return e;
}

static hipError_t wait_op(struct op *o)
{
    sim_work_until(&o->done);
    pthread_mutex_lock(&lock);
    if (host_ns < o->end_ns)
        host_ns = o->end_ns;
    pthread_mutex_unlock(&lock);
    return o->error;
}

hipError_t hip_stream_sync(struct stream *s)
{
    s = resolve(s);
    pthread_mutex_lock(&lock);
    struct op *o = s->last;
    if (o)
        o->refs++;
    struct op *others[256];
    int n = 0;
    if (s->null)
        for (struct stream *t = streams; t && n < 256; t = t->next)
            if (t != s && t->blocking && t->device == s->device && t->last) {
                t->last->refs++;
                others[n++] = t->last;
            }
    pthread_mutex_unlock(&lock);
    if (o)
        wait_op(o);
    for (int i = 0; i < n; i++)
        wait_op(others[i]);
    pthread_mutex_lock(&lock);
    op_unref(o);
    for (int i = 0; i < n; i++)
        op_unref(others[i]);
    hipError_t e = take_pending(s->device);
    pthread_mutex_unlock(&lock);
    return e;
}

hipError_t hip_device_sync(int device)
{
    hipError_t e = 0;
    for (;;) {
        struct op *o = NULL;
        pthread_mutex_lock(&lock);
        for (struct stream *s = streams; s && !o; s = s->next)
            if ((device < 0 || s->device == device) && s->last && !atomic_load(&s->last->done)) {
                o = s->last;
                o->refs++;
            }
        if (!o && device >= 0)
            e = take_pending(device);
        pthread_mutex_unlock(&lock);
        if (!o)
            return e;
        wait_op(o);
        pthread_mutex_lock(&lock);
        op_unref(o);
        pthread_mutex_unlock(&lock);
    }
}

hipError_t hipStreamCreateWithFlags(hipStream_t *s, unsigned flags)
{
    hipError_t e = hip_setup();
    if (!e && !s)
        e = hipErrorInvalidValue;
    if (!e)
        e = (*s = hip_stream_new(hip_current(), flags)) ? 0 : hipErrorOutOfMemory;
    return hip_return(e);
}
hipError_t hipStreamCreate(hipStream_t *s) { return hipStreamCreateWithFlags(s, 0); }
hipError_t hipStreamCreateWithPriority(hipStream_t *s, unsigned flags, int priority)
{
    (void)priority;
    return hipStreamCreateWithFlags(s, flags);
}

hipError_t hipStreamDestroy(hipStream_t s)
{
    if ((uintptr_t)s <= 2)
        return hip_return(hipErrorInvalidHandle);
    pthread_mutex_lock(&lock);
    for (struct stream **p = &streams; *p; p = &(*p)->next)
        if (*p == s) {
            *p = s->next;
            set_last(s, NULL);
            free(s->tail);
            free(s);
            break;
        }
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipStreamSynchronize(hipStream_t s)
{
    hipError_t e = hip_setup();
    struct capture *c = e ? NULL : resolve(s)->capture;
    if (c) {
        c->bad = true;
        e = hipErrorStreamCaptureUnsupported;
    }
    return hip_return(e ? e : hip_stream_sync(s));
}

hipError_t hipStreamQuery(hipStream_t s)
{
    hipError_t e = hip_setup();
    if (e)
        return hip_return(e);
    s = resolve(s);
    pthread_mutex_lock(&lock);
    bool busy = s->last && !atomic_load(&s->last->done);
    e = busy ? 0 : take_pending(s->device);
    pthread_mutex_unlock(&lock);
    if (busy && sim_threads() == 1)
        return hip_stream_sync(s); /* no other thread would ever finish it */
    return busy ? hipErrorNotReady : hip_return(e);
}

hipError_t hipStreamGetFlags(hipStream_t s, unsigned *f)
{
    if (!f)
        return hip_return(hipErrorInvalidValue);
    *f = resolve(s)->blocking ? 0 : hipStreamNonBlocking;
    return 0;
}
hipError_t hipStreamGetPriority(hipStream_t s, int *p) { (void)s; if (p) *p = 0; return 0; }
hipError_t hipStreamGetDevice(hipStream_t s, hipDevice_t *d) { if (d) *d = resolve(s)->device; return 0; }

/* ---- kernel arguments ---- */

static struct slot { struct slot *next; void *p; } *slots;
enum { SLOT = 4096 };

/* Device memory of SLOT bytes for arguments; larger blocks are not kept. */
static void *slot_get(void)
{
    pthread_mutex_lock(&lock);
    struct slot *s = slots;
    if (s)
        slots = s->next;
    pthread_mutex_unlock(&lock);
    if (!s)
        return sim_mem_alloc(SLOT, -1, SIM_MEM_CODE);
    void *p = s->p;
    free(s);
    return p;
}

static void kernarg_put(void *p, u64 dispatch)
{
    (void)dispatch;
    const struct sim_alloc *a = p ? sim_mem_find((u64)(uintptr_t)p) : NULL;
    struct slot *s = a && a->hi - a->lo == SLOT ? malloc(sizeof *s) : NULL;
    if (!s) {
        sim_mem_free(p);
        return;
    }
    s->p = p;
    pthread_mutex_lock(&lock);
    s->next = slots;
    slots = s;
    pthread_mutex_unlock(&lock);
}

/* AQL dispatch packet, as far as kernels look at it (HSA runtime specification 2.9.6). */
enum { PACKET = 64, PACKET_AT = SLOT - 256 };

static void put(u8 *base, size_t n, uint32_t offset, uint32_t size, u64 v)
{
    if (offset <= n && size <= n - offset && size <= 8)
        memcpy(base + offset, &v, size);
}

static u8 *kernarg_get(const struct work *w, u64 *dispatch)
{
    const struct sim_kernel *k = w->fn->k;
    size_t n = (k->kernarg > w->arg_bytes ? k->kernarg : w->arg_bytes) + 64;
    u8 *p = n <= PACKET_AT ? slot_get() : sim_mem_alloc(n + 256 + 64, -1, SIM_MEM_CODE);
    if (!p)
        return NULL;
    u8 *packet = n <= PACKET_AT ? p + PACKET_AT : p + ((n + 63) & ~(size_t)63);
    memset(p, 0, n);
    memcpy(p, w->args, w->arg_bytes);
    uint32_t grid[3], rem[3];
    for (int d = 0; d < 3; d++) {
        grid[d] = w->items[d] / w->block[d];
        rem[d] = w->items[d] % w->block[d];
    }
    for (unsigned i = 0; i < k->nargs; i++) {
        const struct sim_arg *a = &k->args[i];
        switch (a->kind) {
        case SIM_ARG_HIDDEN_BLOCK_COUNT_X: put(p, n, a->offset, a->size, grid[0]); break;
        case SIM_ARG_HIDDEN_BLOCK_COUNT_Y: put(p, n, a->offset, a->size, grid[1]); break;
        case SIM_ARG_HIDDEN_BLOCK_COUNT_Z: put(p, n, a->offset, a->size, grid[2]); break;
        case SIM_ARG_HIDDEN_GROUP_SIZE_X: put(p, n, a->offset, a->size, w->block[0]); break;
        case SIM_ARG_HIDDEN_GROUP_SIZE_Y: put(p, n, a->offset, a->size, w->block[1]); break;
        case SIM_ARG_HIDDEN_GROUP_SIZE_Z: put(p, n, a->offset, a->size, w->block[2]); break;
        case SIM_ARG_HIDDEN_REMAINDER_X: put(p, n, a->offset, a->size, rem[0]); break;
        case SIM_ARG_HIDDEN_REMAINDER_Y: put(p, n, a->offset, a->size, rem[1]); break;
        case SIM_ARG_HIDDEN_REMAINDER_Z: put(p, n, a->offset, a->size, rem[2]); break;
        case SIM_ARG_HIDDEN_GRID_DIMS:
            put(p, n, a->offset, a->size, w->items[2] > 1 ? 3 : w->items[1] > 1 ? 2 : 1);
            break;
        case SIM_ARG_HIDDEN_DYNAMIC_LDS_SIZE: put(p, n, a->offset, a->size, w->lds - k->lds); break;
        case SIM_ARG_HIDDEN_OTHER:
            if (!strcmp(a->value_kind, "hidden_private_base"))
                put(p, n, a->offset, a->size, SIM_APERTURE_PRIVATE << 16);
            else if (!strcmp(a->value_kind, "hidden_shared_base"))
                put(p, n, a->offset, a->size, SIM_APERTURE_LDS << 16);
            break;
        default: break;
        }
    }
    memset(packet, 0, PACKET);
    uint16_t header[6] = {0x1502, w->items[2] > 1 ? 3 : w->items[1] > 1 ? 2 : 1, (uint16_t)w->block[0],
                          (uint16_t)w->block[1], (uint16_t)w->block[2], 0};
    memcpy(packet, header, sizeof header);
    memcpy(packet + 12, w->items, 12);
    memcpy(packet + 24, &k->private_bytes, 4);
    memcpy(packet + 28, &w->lds, 4);
    u64 karg = (u64)(uintptr_t)p;
    memcpy(packet + 40, &karg, 8);
    *dispatch = (u64)(uintptr_t)packet;
    sim_mem_mark(karg, n, true);
    sim_mem_mark(*dispatch, PACKET, true);
    return p;
}

#define BUFFER_POINTER ((void *)1)
#define BUFFER_SIZE ((void *)2)
#define PARAM_END ((void *)3)

/* Copies the arguments of a call into one block. */
static hipError_t gather(struct work *w, void **params, void **extra)
{
    const struct sim_kernel *k = w->fn->k;
    size_t n = k->kernarg;
    if (extra) {
        const void *buffer = NULL;
        size_t size = 0;
        for (void **x = extra; *x != PARAM_END; x += 2)
            if (*x == BUFFER_POINTER) buffer = x[1];
            else if (*x == BUFFER_SIZE) size = *(const size_t *)x[1];
            else return hipErrorInvalidValue;
        if (size && !buffer)
            return hipErrorInvalidValue;
        /* Only the explicit part: what lies behind is filled in from the launch. */
        w->args = calloc(1, n > size ? n : size ? size : 1);
        if (!w->args)
            return hipErrorOutOfMemory;
        if (size)
            memcpy(w->args, buffer, size);
        w->arg_bytes = size;
        return 0;
    }
    w->args = calloc(1, n ? n : 1);
    if (!w->args)
        return hipErrorOutOfMemory;
    w->arg_bytes = n;
    unsigned p = 0;
    for (unsigned i = 0; i < k->nargs; i++) {
        const struct sim_arg *a = &k->args[i];
        if (a->kind >= SIM_ARG_HIDDEN_BLOCK_COUNT_X)
            continue;
        if (!params || !params[p]) {
            free(w->args);
            w->args = NULL;
            return hipErrorInvalidValue;
        }
        if ((size_t)a->offset + a->size <= n)
            memcpy((u8 *)w->args + a->offset, params[p], a->size);
        p++;
    }
    return 0;
}

/* The cluster of a launch, all 0 when each workgroup is alone. At most 16 workgroups of a grid of whole clusters
 * (HIP: hipLaunchAttributeClusterDimension). */
static hipError_t cluster_of(const struct sim_function *f, const uint32_t items[3], const uint32_t block[3],
                             const uint32_t asked[3], uint32_t cluster[3])
{
    const uint32_t *compiled = f->k->cluster;
    const bool fixed = compiled[0] && compiled[0] < 1024, given = asked && (asked[0] | asked[1] | asked[2]);
    uint64_t n = 1;
    bool whole = true;
    if (fixed && given && memcmp(compiled, asked, sizeof f->k->cluster)) {
        fprintf(stderr, "flysim: %s was compiled for clusters of %u x %u x %u workgroups\n", f->k->name, compiled[0],
                compiled[1], compiled[2]);
        return hipErrorInvalidClusterSize;
    }
    if (!fixed && !given)
        return 0;
    for (int d = 0; d < 3; d++) {
        cluster[d] = given ? asked[d] : compiled[d];
        n = cluster[d] && cluster[d] <= 16 ? n * cluster[d] : 99;
        whole &= cluster[d] && items[d] % block[d] == 0 && items[d] / block[d] % cluster[d] == 0;
    }
    if (n > 16 || !whole) {
        fprintf(stderr, "flysim: %s cannot be launched in clusters of %u x %u x %u workgroups: %s\n", f->k->name,
                cluster[0], cluster[1], cluster[2], n > 16 ? "at most 16 run together" : "the grid is not made of whole ones");
        return hipErrorInvalidClusterSize;
    }
    if (n > 1 && f->module->target->family->isa != SIM_ISA_GFX1250)
        return hipErrorNotSupported;
    if (n == 1)
        memset(cluster, 0, 3 * sizeof *cluster);
    return 0;
}

hipError_t hip_enqueue_kernel(struct sim_function *f, const uint32_t items[3], const uint32_t block[3],
                              const uint32_t cluster[3], uint32_t shared, struct stream *s, void **params, void **extra)
{
    struct work w = {.kind = OP_KERNEL, .fn = f};
    const struct sim_target *t = f->module->target;
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    s = resolve(s);
    if (!threads || block[0] > 1024 || block[1] > 1024 || block[2] > 1024 || threads > 1024)
        return hipErrorInvalidConfiguration;
    if (f->k->max_workgroup && threads > f->k->max_workgroup) {
        fprintf(stderr, "flysim: %s was compiled for at most %u work-items a workgroup, launched with %u\n", f->k->name,
                f->k->max_workgroup, (unsigned)threads);
        return hipErrorLaunchFailure;
    }
    if ((uint64_t)f->k->lds + shared > t->family->lds) {
        fprintf(stderr, "flysim: %s wants %llu bytes of LDS, a workgroup of %s has %u\n", f->k->name,
                (unsigned long long)f->k->lds + shared, t->name, t->family->lds);
        return hipErrorInvalidValue;
    }
    if (f->module->device != s->device)
        return hipErrorInvalidHandle;
    w.device = s->device;
    memcpy(w.items, items, sizeof w.items);
    memcpy(w.block, block, sizeof w.block);
    w.lds = f->k->lds + shared;
    hipError_t e = cluster_of(f, items, block, cluster, w.cluster);
    if (!e)
        e = gather(&w, params, extra);
    if (e)
        return e;
    e = enqueue(&w, s, true);
    return e;
}

hipError_t hip_enqueue_copy(void *dst, const void *src, size_t n, struct stream *s)
{
    struct stream *r = resolve(s);
    struct work w = {.kind = OP_COPY, .device = r->device, .dst = dst, .src = src, .bytes = n};
    return enqueue(&w, r, false);
}

hipError_t hip_enqueue_fill(void *dst, uint32_t value, unsigned unit, size_t count, struct stream *s)
{
    struct stream *r = resolve(s);
    struct work w = {.kind = OP_FILL, .device = r->device, .dst = dst, .value = value, .unit = unit, .bytes = count * unit};
    return enqueue(&w, r, false);
}

hipError_t hipLaunchHostFunc(hipStream_t s, void (*f)(void *), void *user)
{
    hipError_t e = hip_setup();
    if (!e && !f)
        e = hipErrorInvalidValue;
    if (e)
        return hip_return(e);
    struct work w = {.kind = OP_CALL, .device = resolve(s)->device, .call = f, .user = user};
    return hip_return(enqueue(&w, resolve(s), false));
}

struct callback { void (*f)(hipStream_t, hipError_t, void *); hipStream_t s; void *user; };
static void run_callback(void *p)
{
    struct callback c = *(struct callback *)p;
    free(p);
    c.f(c.s, 0, c.user);
}
hipError_t hipStreamAddCallback(hipStream_t s, void (*f)(hipStream_t, hipError_t, void *), void *user, unsigned flags)
{
    struct callback *c = f && !flags ? malloc(sizeof *c) : NULL;
    if (!c)
        return hip_return(hipErrorInvalidValue);
    *c = (struct callback){f, s, user};
    return hipLaunchHostFunc(s, run_callback, c);
}

/* ---- events ---- */

hipError_t hipEventCreateWithFlags(hipEvent_t *e, unsigned flags)
{
    hipError_t r = hip_setup();
    if (!r && !e)
        r = hipErrorInvalidValue;
    if (r)
        return hip_return(r);
    *e = calloc(1, sizeof **e);
    if (!*e)
        return hip_return(hipErrorOutOfMemory);
    (*e)->timed = !(flags & hipEventDisableTiming);
    return 0;
}
hipError_t hipEventCreate(hipEvent_t *e) { return hipEventCreateWithFlags(e, 0); }

hipError_t hipEventDestroy(hipEvent_t e)
{
    if (!e)
        return hip_return(hipErrorInvalidHandle);
    pthread_mutex_lock(&lock);
    op_unref(e->op);
    pthread_mutex_unlock(&lock);
    free(e->tail);
    free(e);
    return 0;
}

hipError_t hipEventRecord(hipEvent_t e, hipStream_t s)
{
    hipError_t r = hip_setup();
    if (!r && !e)
        r = hipErrorInvalidHandle;
    if (r)
        return hip_return(r);
    s = resolve(s);
    pthread_mutex_lock(&lock);
    if (s->capture) {
        free(e->tail);
        e->tail = malloc((size_t)(s->ntail ? s->ntail : 1) * sizeof *e->tail);
        if (e->tail && s->ntail)
            memcpy(e->tail, s->tail, (size_t)s->ntail * sizeof *e->tail);
        e->ntail = e->tail ? s->ntail : 0;
        e->capture = s->capture;
        pthread_mutex_unlock(&lock);
        return 0;
    }
    struct work w = {.kind = OP_NOTHING, .device = s->device};
    struct op *o = op_new(&w);
    if (!o) {
        pthread_mutex_unlock(&lock);
        return hip_return(hipErrorOutOfMemory);
    }
    order(o, s);
    set_last(s, o);
    op_unref(e->op);
    e->op = o;
    o->refs++;
    e->recorded = true;
    e->capture = NULL;
    release(o);
    return 0;
}
hipError_t hipEventRecordWithFlags(hipEvent_t e, hipStream_t s, unsigned flags) { (void)flags; return hipEventRecord(e, s); }

hipError_t hipEventSynchronize(hipEvent_t e)
{
    if (!e)
        return hip_return(hipErrorInvalidHandle);
    pthread_mutex_lock(&lock);
    if (e->capture) {
        pthread_mutex_unlock(&lock);
        return hip_return(hipErrorCapturedEvent);
    }
    struct op *o = e->op;
    if (o)
        o->refs++;
    pthread_mutex_unlock(&lock);
    if (!o)
        return 0;
    wait_op(o);
    pthread_mutex_lock(&lock);
    hipError_t r = take_pending(o->w.device);
    op_unref(o);
    pthread_mutex_unlock(&lock);
    return hip_return(r);
}

hipError_t hipEventQuery(hipEvent_t e)
{
    if (!e)
        return hip_return(hipErrorInvalidHandle);
    pthread_mutex_lock(&lock);
    bool busy = e->op && !atomic_load(&e->op->done);
    pthread_mutex_unlock(&lock);
    if (busy && sim_threads() == 1)
        return hipEventSynchronize(e);
    return busy ? hipErrorNotReady : 0;
}

hipError_t hipEventElapsedTime(float *ms, hipEvent_t a, hipEvent_t b)
{
    hipError_t r = 0;
    if (!ms)
        return hip_return(hipErrorInvalidValue);
    if (!a || !b || !a->timed || !b->timed)
        return hip_return(hipErrorInvalidHandle);
    pthread_mutex_lock(&lock);
    if (!a->recorded || !b->recorded)
        r = hipErrorInvalidHandle;
    else if (!atomic_load(&a->op->done) || !atomic_load(&b->op->done))
        r = hipErrorNotReady;
    else
        *ms = (float)((b->op->end_ns - a->op->end_ns) * 1e-6);
    pthread_mutex_unlock(&lock);
    return hip_return(r);
}

hipError_t hipStreamWaitEvent(hipStream_t s, hipEvent_t e, unsigned flags)
{
    (void)flags;
    hipError_t r = hip_setup();
    if (!r && !e)
        r = hipErrorInvalidHandle;
    if (r)
        return hip_return(r);
    s = resolve(s);
    pthread_mutex_lock(&lock);
    if (e->capture) {
        /* Joins the capture the event was recorded in. */
        if (s->capture && s->capture != e->capture) {
            pthread_mutex_unlock(&lock);
            return hip_return(hipErrorStreamCaptureMerge);
        }
        s->capture = e->capture;
        s->tail = realloc(s->tail, (size_t)(s->ntail + e->ntail + 1) * sizeof *s->tail);
        if (e->ntail)
            memcpy(s->tail + s->ntail, e->tail, (size_t)e->ntail * sizeof *s->tail);
        s->ntail += e->ntail;
        pthread_mutex_unlock(&lock);
        return 0;
    }
    if (!e->op || s->capture) {
        pthread_mutex_unlock(&lock);
        return 0;
    }
    struct work w = {.kind = OP_NOTHING, .device = s->device};
    struct op *o = op_new(&w);
    if (!o) {
        pthread_mutex_unlock(&lock);
        return hip_return(hipErrorOutOfMemory);
    }
    order(o, s);
    op_after(o, e->op);
    set_last(s, o);
    release(o);
    return 0;
}

/* ---- capture and graphs ---- */

static struct graph_node *graph_add(struct graph *g, const struct work *w, struct graph_node *const *deps, int n)
{
    struct graph_node *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->w = *w;
    x->deps = malloc((size_t)(n ? n : 1) * sizeof *x->deps);
    if (n)
        memcpy(x->deps, deps, (size_t)n * sizeof *x->deps);
    x->ndeps = n;
    if (g->n == g->cap) {
        g->cap = g->cap ? 2 * g->cap : 16;
        g->nodes = realloc(g->nodes, (size_t)g->cap * sizeof *g->nodes);
    }
    g->nodes[g->n++] = x;
    return x;
}

static hipError_t capture_add(struct stream *s, const struct work *w)
{
    struct graph_node *x = graph_add(s->capture->graph, w, s->tail, s->ntail);
    if (!x)
        return hipErrorOutOfMemory;
    if (w->kind == OP_KERNEL) {
        size_t n = w->arg_bytes ? w->arg_bytes : 1;
        x->w.args = w->args; /* the graph owns the copy gather() made */
        (void)n;
    }
    s->tail = realloc(s->tail, sizeof *s->tail);
    s->tail[0] = x;
    s->ntail = 1;
    return 0;
}

hipError_t hipStreamBeginCapture(hipStream_t s, int mode)
{
    (void)mode;
    hipError_t e = hip_setup();
    if (e)
        return hip_return(e);
    if ((uintptr_t)s <= 2)
        return hip_return(hipErrorStreamCaptureUnsupported);
    pthread_mutex_lock(&lock);
    if (s->capture) {
        pthread_mutex_unlock(&lock);
        return hip_return(hipErrorIllegalState);
    }
    s->capture = calloc(1, sizeof *s->capture);
    s->capture->graph = calloc(1, sizeof *s->capture->graph);
    s->capture->origin = s;
    s->ntail = 0;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void graph_clear(struct graph *g);

/* Whether the work of all streams of a capture comes before where its first one stands. Nodes come
 * after the ones they depend on in the graph's list. */
static bool joined(const struct capture *c)
{
    const struct graph *g = c->graph;
    bool ok = true;
    for (int i = 0; i < g->n; i++)
        g->nodes[i]->joined = false;
    for (int i = 0; i < c->origin->ntail; i++)
        c->origin->tail[i]->joined = true;
    for (int i = g->n - 1; i >= 0; i--)
        for (int d = 0; g->nodes[i]->joined && d < g->nodes[i]->ndeps; d++)
            g->nodes[i]->deps[d]->joined = true;
    for (const struct stream *t = streams; t; t = t->next)
        for (int i = 0; t->capture == c && i < t->ntail; i++)
            ok &= t->tail[i]->joined;
    return ok;
}

hipError_t hipStreamEndCapture(hipStream_t s, hipGraph_t *g)
{
    if (!g || (uintptr_t)s <= 2)
        return hip_return(hipErrorInvalidValue);
    pthread_mutex_lock(&lock);
    struct capture *c = s->capture;
    hipError_t e = !c ? hipErrorIllegalState : c->origin != s ? hipErrorStreamCaptureUnmatched : 0;
    if (!e) {
        e = c->bad ? hipErrorStreamCaptureInvalidated : joined(c) ? 0 : hipErrorStreamCaptureUnjoined;
        *g = NULL;
        if (e) {
            graph_clear(c->graph);
            free(c->graph);
        } else {
            *g = c->graph;
        }
        for (struct stream *t = streams; t; t = t->next)
            if (t->capture == c) {
                t->capture = NULL;
                t->ntail = 0;
            }
        free(c);
    }
    pthread_mutex_unlock(&lock);
    return hip_return(e);
}

hipError_t hipStreamIsCapturing(hipStream_t s, int *status)
{
    hipError_t e = hip_setup();
    if (!e && !status)
        e = hipErrorInvalidValue;
    if (!e)
        *status = resolve(s)->capture ? hipStreamCaptureStatusActive : hipStreamCaptureStatusNone;
    return hip_return(e);
}
hipError_t hipStreamGetCaptureInfo(hipStream_t s, int *status, unsigned long long *id)
{
    hipError_t e = hipStreamIsCapturing(s, status);
    if (!e && id)
        *id = (unsigned long long)(uintptr_t)resolve(s)->capture;
    return e;
}
hipError_t hipThreadExchangeStreamCaptureMode(int *mode) { (void)mode; return 0; }

hipError_t hipGraphCreate(hipGraph_t *g, unsigned flags)
{
    (void)flags;
    hipError_t e = hip_setup();
    if (!e)
        e = !g ? hipErrorInvalidValue : (*g = calloc(1, sizeof **g)) ? 0 : hipErrorOutOfMemory;
    return hip_return(e);
}

static void graph_clear(struct graph *g)
{
    for (int i = 0; i < g->n; i++) {
        if (g->nodes[i]->w.kind == OP_KERNEL)
            free(g->nodes[i]->w.args);
        free(g->nodes[i]->deps);
        free(g->nodes[i]);
    }
    free(g->nodes);
}

hipError_t hipGraphDestroy(hipGraph_t g)
{
    if (!g)
        return hip_return(hipErrorInvalidValue);
    graph_clear(g);
    free(g);
    return 0;
}

static int node_index(const struct graph *g, const struct graph_node *x)
{
    for (int i = 0; i < g->n; i++)
        if (g->nodes[i] == x)
            return i;
    return -1;
}

hipError_t hipGraphInstantiate(hipGraphExec_t *x, hipGraph_t g, hipGraphNode_t *bad, char *log, size_t n)
{
    (void)bad; (void)log; (void)n;
    if (!x || !g)
        return hip_return(hipErrorInvalidValue);
    struct graph_exec *e = calloc(1, sizeof *e);
    if (!e)
        return hip_return(hipErrorOutOfMemory);
    for (int i = 0; i < g->n; i++) {
        struct work w = g->nodes[i]->w;
        if (w.kind == OP_KERNEL) {
            void *args = malloc(w.arg_bytes ? w.arg_bytes : 1);
            memcpy(args, w.args, w.arg_bytes);
            w.args = args;
        }
        struct graph_node *y = graph_add(&e->g, &w, NULL, 0);
        y->ndeps = g->nodes[i]->ndeps;
        y->deps = realloc(y->deps, (size_t)(y->ndeps ? y->ndeps : 1) * sizeof *y->deps);
        for (int k = 0; k < y->ndeps; k++) {
            int j = node_index(g, g->nodes[i]->deps[k]);
            y->deps[k] = j >= 0 && j < i ? e->g.nodes[j] : NULL;
        }
    }
    *x = e;
    return 0;
}
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *x, hipGraph_t g, unsigned long long flags)
{
    (void)flags;
    return hipGraphInstantiate(x, g, NULL, NULL, 0);
}

hipError_t hipGraphExecDestroy(hipGraphExec_t x)
{
    if (!x)
        return hip_return(hipErrorInvalidValue);
    hip_device_sync(-1);
    graph_clear(&x->g);
    free(x);
    return 0;
}

hipError_t hipGraphGetNodes(hipGraph_t g, hipGraphNode_t *nodes, size_t *n)
{
    if (!g || !n)
        return hip_return(hipErrorInvalidValue);
    for (size_t i = 0; nodes && i < *n && i < (size_t)g->n; i++)
        nodes[i] = g->nodes[i];
    *n = (size_t)g->n;
    return 0;
}

hipError_t hipGraphLaunch(hipGraphExec_t x, hipStream_t s)
{
    hipError_t e = hip_setup();
    if (!e && !x)
        e = hipErrorInvalidValue;
    if (e)
        return hip_return(e);
    s = resolve(s);
    struct op **ops = calloc((size_t)x->g.n + 1, sizeof *ops);
    if (!ops)
        return hip_return(hipErrorOutOfMemory);
    pthread_mutex_lock(&lock);
    struct work nothing = {.kind = OP_NOTHING, .device = s->device};
    struct op *first = op_new(&nothing), *last = op_new(&nothing);
    order(first, s);
    for (int i = 0; i < x->g.n; i++) {
        struct graph_node *y = x->g.nodes[i];
        struct op *o = ops[i] = op_new(&y->w);
        if (y->w.kind == OP_KERNEL) {
            o->w.args = malloc(y->w.arg_bytes ? y->w.arg_bytes : 1);
            memcpy(o->w.args, y->w.args, y->w.arg_bytes);
            o->own_args = true;
        }
        bool root = true;
        for (int k = 0; k < y->ndeps; k++) {
            int j = y->deps[k] ? node_index(&x->g, y->deps[k]) : -1;
            if (j >= 0 && j < i) {
                op_after(o, ops[j]);
                root = false;
            }
        }
        if (root)
            op_after(o, first);
        op_after(last, o);
    }
    op_after(last, first);
    set_last(s, last);
    /* Nothing can have started: every operation is still held. */
    struct op **go = calloc((size_t)x->g.n + 2, sizeof *go);
    int n = 0;
    for (int i = 0; i < x->g.n; i++)
        if (--ops[i]->before == 0)
            go[n++] = ops[i];
    if (--first->before == 0)
        go[n++] = first;
    if (--last->before == 0)
        go[n++] = last;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < n; i++)
        op_start(go[i]);
    free(go);
    free(ops);
    return 0;
}
hipError_t hipGraphUpload(hipGraphExec_t x, hipStream_t s) { (void)x; (void)s; return 0; }
