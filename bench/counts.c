/* SPDX-License-Identifier: MIT */
/* Counts of one launch, from the simulator that libfly has open. */
#include <stdio.h>

#include "bench.h"
#include "flysim.h"

bool bench_count(struct check_case *c, struct bench_result *r)
{
    int (*mark)(const void *, size_t), (*reset)(void), (*get)(struct flysim_counts *);
    const char *(*class_name)(int);
    struct fly_runtime *rt = c->d->rt;
    struct flysim_counts n = {.size = sizeof n};
    *(void **)&mark = rt->symbol(rt, "flysimMarkParam");
    *(void **)&reset = rt->symbol(rt, "flysimResetCounts");
    *(void **)&get = rt->symbol(rt, "flysimGetCounts");
    *(void **)&class_name = rt->symbol(rt, "flysimClassName");
    if (!mark || !reset || !get || !class_name) {
        snprintf(r->check.message, sizeof r->check.message, "%s has no counters", rt->path);
        return false;
    }
    for (uint32_t i = 0; i < c->n; i++)
        if (c->b[i].o.present && c->b[i].o.role == FLY_PARAM)
            mark(c->b[i].device, c->b[i].bytes);
    reset();
    check_launch(c, &r->check);
    if (r->check.status != FLY_STATUS_SUCCESS)
        return false;
    if (get(&n) != 0) {
        snprintf(r->check.message, sizeof r->check.message, "flysimGetCounts failed");
        return false;
    }
    r->counted = true;
    r->bytes_read = n.read_bytes;
    r->bytes_written = n.write_bytes;
    r->param_bytes = n.param_bytes;
    r->lds_bytes_moved = n.lds_bytes;
    r->lds_conflict_cycles = n.lds_conflict_cycles;
    for (r->classes = 0; r->classes < FLYSIM_CLASSES && r->classes < BENCH_MAX_CLASSES; r->classes++) {
        r->instructions[r->classes].name = class_name(r->classes);
        r->instructions[r->classes].count = n.instructions[r->classes];
    }
    r->vgprs = (uint32_t)n.vgprs;
    r->agprs = (uint32_t)n.agprs;
    r->sgprs = (uint32_t)n.sgprs;
    r->lds_bytes = (uint32_t)n.lds_alloc;
    r->spills = (uint32_t)n.spills;
    r->occupancy = (uint32_t)n.occupancy;
    r->modelled_us = n.modelled_ns / 1e3;
    r->bound = n.bound;
    r->bound_share = n.bound_share;
    return true;
}
