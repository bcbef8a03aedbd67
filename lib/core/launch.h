/* SPDX-License-Identifier: MIT */
/* From a validated problem to a launch: what every operation does after it has checked its
 * arguments. */
#ifndef FLY_CORE_LAUNCH_H
#define FLY_CORE_LAUNCH_H

#include "core/arch.h"
#include "core/handle.h"
#include "core/op.h"

/* One call on its way: made by fly_dispatch, handed to the op's launch function. */
struct fly_call {
    flyHandle_t h;
    const struct fly_op *op;
    const struct fly_entry *entry;
};

/* Launches the op's kernels with fly_launch, in order; stops at the first that fails. args is the
 * op's own validated argument struct. */
typedef int fly_launch_fn(const struct fly_call *c, const void *args);

/* Selects, loads if need be, and launches p. workspace_bytes: what the caller brought; when that is
 * less than the problem takes, WORKSPACE_TOO_SMALL. */
flyStatus_t fly_dispatch(flyHandle_t h, const struct fly_op *op, const struct fly_problem *p,
                         fly_launch_fn *launch, const void *args, uint64_t workspace_bytes);

/* Queues k, whose function is loaded: 0 or the runtime's error. Only kernels that wait for the one before them
 * may overlap with it. */
static inline int fly_launch_kernel(const struct fly_call *c, const struct fly_kernel *k, void *function,
                                    const uint32_t grid[3], void *kernargs, bool overlap)
{
    const uint32_t block[3] = {k->block, 1, 1};
    struct fly_runtime *rt = c->h->rt;
    overlap = overlap && (fly_arch_row(k->arch)->caps & FLY_CAP_OVERLAP);
    return rt->launch(rt, function, grid, block, 0, c->h->stream, kernargs, k->kernarg_bytes,
                      k->cluster, overlap);
}

/* Queues the entry's kernel: 0 or the runtime's error. kernargs holds the kernel's explicit arguments. */
static inline int fly_launch_grid(const struct fly_call *c, const uint32_t grid[3], void *kernargs)
{
    return fly_launch_kernel(c, c->entry->kernel, c->entry->function, grid, kernargs, c->h->overlap);
}

/* The same with workgroups in one dimension. */
static inline int fly_launch(const struct fly_call *c, uint32_t workgroups, void *kernargs)
{
    return fly_launch_grid(c, (const uint32_t[3]){workgroups, 1, 1}, kernargs);
}

/* Queues the entry's second kernel, which may always overlap: it is short, and hides its start behind the first. */
static inline int fly_launch_second(const struct fly_call *c, const uint32_t grid[3],
                                    void *kernargs)
{
    return fly_launch_kernel(c, c->entry->second, c->entry->second_function, grid, kernargs, true);
}

/* Its two halves: p's entry in the handle's cache, its kernels perhaps not loaded; and the rest. */
flyStatus_t fly_entry_of(flyHandle_t h, const struct fly_op *op, const struct fly_problem *p, struct fly_entry **out);
flyStatus_t fly_dispatch_entry(flyHandle_t h, const struct fly_op *op, struct fly_entry *e, fly_launch_fn *launch, const void *args,
                               uint64_t workspace_bytes);

/* The second half of a Plan function: selects, loads and describes. p null: an empty problem. */
flyStatus_t fly_plan(flyHandle_t h, const struct fly_op *op, const struct fly_problem *p,
                     flyPlan_t *plan);

#endif
