/* SPDX-License-Identifier: MIT */
/* Counts of one launch, from the simulator that libfly has open. */
#include <stdio.h>

#include "bench.h"
#include "flysim.h"

bool bench_sample(const struct check_case *c, const struct bench_options *opt, struct bench_result *r)
{
    int (*sample)(uint64_t, uint64_t);
    uint64_t bytes = 0;
    *(void **)&sample = c->d->rt->symbol(c->d->rt, "flysimSample");
    if (!sample) {
        snprintf(r->check.message, sizeof r->check.message, "%s cannot simulate a sample", c->d->rt->path);
        return false;
    }
    for (uint32_t i = 0; i < c->n; i++)
        if (c->b[i].o.present && (c->b[i].o.role == FLY_IN || c->b[i].o.role == FLY_INOUT))
            bytes += c->b[i].bytes;
    sample(opt->waves, bytes);
    return true;
}

bool bench_count(struct check_case *c, struct bench_result *r)
{
    int (*mark)(const void *, size_t), (*reset)(void), (*get)(struct flysim_counts *);
    const char *(*class_name)(int), *(*unit_name)(int);
    struct fly_runtime *rt = c->d->rt;
    struct flysim_counts n = {.size = sizeof n};
    *(void **)&mark = rt->symbol(rt, "flysimMarkParam");
    *(void **)&reset = rt->symbol(rt, "flysimResetCounts");
    *(void **)&get = rt->symbol(rt, "flysimGetCounts");
    *(void **)&class_name = rt->symbol(rt, "flysimClassName");
    *(void **)&unit_name = rt->symbol(rt, "flysimUnitName");
    if (!unit_name || !mark || !reset || !get || !class_name) {
        snprintf(r->check.message, sizeof r->check.message, "%s has no counters", rt->path);
        return false;
    }
    for (uint32_t i = 0; i < c->n; i++)
        if (c->b[i].o.present && (c->b[i].o.role == FLY_PARAM || c->b[i].o.of_params))
            mark(c->b[i].device, c->b[i].bytes);
    if (c->workspace) /* sums that are read again as soon as they are written: caches serve them while they fit */
        mark(c->workspace, c->workspace_bytes);
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
    r->unique_bytes = n.first_read_bytes + n.first_write_bytes;
    r->memory_bytes = n.memory_bytes;
    r->workgroups = n.workgroups;
    r->simulated = n.simulated_workgroups;
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
    for (r->nunits = 0; r->nunits < FLYSIM_UNITS && r->nunits < BENCH_MAX_CLASSES; r->nunits++) {
        r->units[r->nunits].name = unit_name(r->nunits);
        r->units[r->nunits].us = n.unit_ns[r->nunits] / 1e3;
    }
    r->l1_bytes_clk = n.l1_bytes_clk;
    r->bound = n.bound;
    r->bound_share = n.bound_share;
    return true;
}
