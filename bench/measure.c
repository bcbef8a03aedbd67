/* SPDX-License-Identifier: MIT */
/*
 * One problem: checked, then counted by the simulator or timed on a GPU. Times are medians of event
 * windows; the operands rotate over more memory than any cache holds, so that nothing is timed from it.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum {
    WARM_UPS = 10,
    WINDOWS = 5,
    LAUNCHES = 20,  /* a window */
    MAX_SETS = 256
};

#define ROTATE_BYTES ((uint64_t)1 << 30) /* well above the caches of the GPUs of today */

static const char *reason_name(uint32_t reason)
{
    static const char *const name[] = {"none", "forced", "tuned", "nearest", "heuristic", "fallback"};
    return reason < sizeof name / sizeof *name ? name[reason] : "?";
}

/* Copies of the problem's operands that launches take in turn. */
struct rotation {
    int sets;
    void *ptr[MAX_SETS][FLY_MAX_OPERANDS];
    void *base[MAX_SETS][FLY_MAX_OPERANDS];
};

static void release(struct check_case *c, struct rotation *rot)
{
    for (int s = 0; s < rot->sets; s++)
        for (uint32_t i = 0; i < c->n; i++)
            if (rot->base[s][i])
                c->d->rt->memory_free(c->d->rt, rot->base[s][i]);
}

/* Set 0 is the checked case's own; the rest are copies of it. Parameters are shared by all. */
static void rotate(struct check_case *c, struct rotation *rot)
{
    struct fly_runtime *rt = c->d->rt;
    uint64_t set = 0;
    memset(rot, 0, sizeof *rot);
    for (uint32_t i = 0; i < c->n; i++)
        if (c->b[i].o.present && c->b[i].o.role != FLY_PARAM)
            set += c->b[i].bytes;
    int64_t want = set ? (int64_t)(ROTATE_BYTES / set) + 1 : 1;
    memcpy(rot->ptr[0], c->ptr, sizeof c->ptr);
    rot->sets = 1;
    while (rot->sets < want && rot->sets < MAX_SETS) {
        int s = rot->sets++;
        memcpy(rot->ptr[s], c->ptr, sizeof c->ptr);
        for (uint32_t i = 0; i < c->n; i++) {
            struct check_buffer *b = &c->b[i];
            if (!b->device || b->o.role == FLY_PARAM)
                continue;
            if (rt->memory_alloc(rt, b->bytes, &rot->base[s][i]) != 0 ||
                rt->memory_copy(rt, rot->base[s][i], b->device, b->bytes) != 0)
                return; /* fewer sets: the last one shares what it could not get */
            rot->ptr[s][i] = (char *)rot->base[s][i] + b->head;
        }
        for (uint32_t i = 0; i < c->n; i++)
            if (c->b[i].o.present && c->b[i].alias >= 0)
                rot->ptr[s][i] = rot->ptr[s][c->b[i].alias];
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool launches(struct check_case *c, struct rotation *rot, int *next, int n, struct check_result *r)
{
    for (int i = 0; i < n; i++, (*next)++) {
        flyStatus_t s = c->op->run(c->d->handle, &c->p, rot->ptr[*next % rot->sets], c->workspace, c->workspace_bytes);
        if (s != FLY_STATUS_SUCCESS) {
            snprintf(r->message, sizeof r->message, "%s", flyErrorMessage(c->d->handle));
            return false;
        }
    }
    return true;
}

bool bench_time(struct check_case *c, struct bench_result *r)
{
    struct fly_runtime *rt = c->d->rt;
    struct rotation rot;
    void *stream = NULL, *start = NULL, *stop = NULL, *graph[WINDOWS] = {0};
    double us[WINDOWS];
    int next = 0, windows = 0;
    bool ok = false;
    rotate(c, &rot);
    if (rt->stream_create(rt, &stream) != 0 || rt->event_create(rt, &start) != 0 || rt->event_create(rt, &stop) != 0)
        goto out;
    flySetStream(c->d->handle, stream);
    if (!launches(c, &rot, &next, WARM_UPS, &r->check) || rt->stream_sync(rt, stream) != 0)
        goto out;
    /* A window is a graph of launches, so that the host's launch cost does not show between kernels. */
    for (int w = 0; w < WINDOWS; w++) {
        if (rt->capture_begin(rt, stream) != 0)
            goto out;
        bool captured = launches(c, &rot, &next, LAUNCHES, &r->check);
        if (rt->capture_end(rt, stream, &graph[w]) != 0 || !captured)
            goto out;
    }
    if (rt->graph_launch(rt, graph[0], stream) != 0 || rt->stream_sync(rt, stream) != 0)
        goto out;
    for (int w = 0; w < WINDOWS; w++) {
        float ms;
        if (rt->event_record(rt, start, stream) != 0 || rt->graph_launch(rt, graph[w], stream) != 0 ||
            rt->event_record(rt, stop, stream) != 0 || rt->event_sync(rt, stop) != 0 ||
            rt->event_elapsed(rt, start, stop, &ms) != 0)
            goto out;
        us[windows++] = 1e3 * (double)ms / LAUNCHES;
    }
    qsort(us, (size_t)windows, sizeof *us, ascending);
    r->timed = ok = true;
    r->median_us = us[windows / 2];
    r->best_us = us[0];
    r->gbps = (double)r->ideal_bytes / (r->median_us * 1e3);
    r->launches = WINDOWS * LAUNCHES;
out:
    if (!ok && !r->check.message[0])
        snprintf(r->check.message, sizeof r->check.message, "timing failed in the runtime");
    flySetStream(c->d->handle, NULL);
    for (int w = 0; w < WINDOWS; w++)
        if (graph[w])
            rt->graph_destroy(rt, graph[w]);
    if (start)
        rt->event_destroy(rt, start);
    if (stop)
        rt->event_destroy(rt, stop);
    if (stream)
        rt->stream_destroy(rt, stream);
    release(c, &rot);
    return ok;
}

/* Small floats everywhere, for rows of zeros take branches of their own: a sample computes nothing that could be
 * compared. */
enum { SMALL = 0x3c }; /* in all bytes */

static bool prepare_sample(struct check_case *c, const struct check_device *d, const struct fly_problem *p,
                           const struct bench_options *opt, struct bench_result *r)
{
    struct fly_operand o[FLY_MAX_OPERANDS];
    struct fly_runtime *rt = d->rt;
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    memset(c, 0, sizeof *c);
    c->d = d;
    c->p = *p;
    c->op = fly_op_table[p->op];
    c->n = c->op->operands(p, o);
    r->check.worst.operand = -1;
    snprintf(r->check.message, sizeof r->check.message, "memory cannot be allocated");
    for (uint32_t i = 0; i < c->n; i++) {
        c->b[i].o = o[i];
        c->b[i].alias = -1;
        c->b[i].bytes = o[i].present ? fly_operand_bytes(&o[i]) : 0;
        if (c->b[i].bytes == 0)
            continue;
        if (rt->memory_alloc(rt, c->b[i].bytes, &c->b[i].device) != 0 ||
            rt->memory_fill(rt, c->b[i].device, SMALL, c->b[i].bytes) != 0)
            return false;
        c->ptr[i] = c->b[i].device;
    }
    if (c->op->plan(d->handle, p, c->ptr, &plan) == FLY_STATUS_SUCCESS && plan.workspace_bytes > 0) {
        c->workspace_bytes = plan.workspace_bytes;
        if (rt->memory_alloc(rt, c->workspace_bytes, &c->workspace) != 0 ||
            rt->memory_fill(rt, c->workspace, 0, c->workspace_bytes) != 0)
            return false;
    }
    r->check.message[0] = '\0';
    return bench_sample(c, opt, r);
}

bool bench_problem(const struct check_device *d, const struct bench_options *opt, const char *text,
                   struct bench_result *r)
{
    struct fly_problem p;
    struct check_case c;
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    struct check_options co = {.pattern = opt->pattern, .seed = opt->seed, .max_rows = opt->max_rows};
    bool ok = false;
    memset(r, 0, sizeof *r);
    snprintf(r->problem, sizeof r->problem, "%s", text);
    if (fly_problem_parse(text, &p, r->check.message, sizeof r->check.message) != FLY_STATUS_SUCCESS)
        return false;
    fly_problem_print(&p, r->problem, sizeof r->problem);
    if (opt->waves ? !prepare_sample(&c, d, &p, opt, r) : !check_prepare(&c, d, &p, &co, &r->check))
        goto out;
    if (c.op->plan(d->handle, &p, c.ptr, &plan) != FLY_STATUS_SUCCESS) {
        snprintf(r->check.message, sizeof r->check.message, "%s", flyErrorMessage(d->handle));
        goto out;
    }
    r->variant = plan.kernel;
    r->reason = reason_name(plan.reason);
    memcpy(r->grid, plan.grid, sizeof r->grid);
    r->plan_us = plan.modelled_us;
    r->plan_bound = plan.bound;
    c.op->ideal_bytes(&p, &r->ideal_bytes, &r->ideal_param_bytes);
    r->vgprs = plan.registers;
    r->lds_bytes = plan.lds_bytes;
    if (d->rt->symbol(d->rt, "flysimGetCounts")) {
        ok = bench_count(&c, r); /* the counted launch is the checked one */
        if (ok && opt->check)
            check_compare(&c, &r->check);
    } else {
        check_launch(&c, &r->check);
        ok = r->check.status == FLY_STATUS_SUCCESS;
        if (ok && opt->check)
            check_compare(&c, &r->check);
        if (ok && opt->time && !(opt->check && r->check.outcome == CHECK_FAIL))
            ok = bench_time(&c, r);
    }
    r->checked = ok && opt->check;
out:
    check_release(&c);
    return ok;
}
