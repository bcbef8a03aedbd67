/* SPDX-License-Identifier: MIT */
/* From a validated problem to a launch. */
#include "core/launch.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core/arch.h"
#include "core/args.h"
#include "core/log.h"
#include "core/select.h"

enum { MAX_REASON = 800 };

static flyStatus_t runtime_failed(flyHandle_t h, const char *function, const char *what, int error)
{
    struct fly_runtime *rt = h->rt;
    return fly_fail(h, rt->status(rt, error), "%s: %s: the %s runtime says: %s (%d)", function,
                    what, rt->name, rt->text(rt, error), error);
}

/* The pick and the one modelled next to it, where the op has a model. */
static void explain(const struct fly_op *op, const struct fly_kernel *pick,
                    const struct fly_problem *p, const struct fly_target *t, flyPlan_t *out)
{
    uint32_t n;
    const struct fly_kernel *k = fly_registry_rows(op, t->arch->id, p->types, &n);
    out->bound = out->second = "";
    if (op->note)
        out->note = op->note(pick, p, t);
    if (!op->model)
        return;
    out->modelled_us = op->model(pick, p, t, &out->bound);
    for (uint32_t i = 0; i < n; i++) {
        const char *bound;
        if (&k[i] == pick || op->fits(&k[i], p))
            continue;
        double us = op->model(&k[i], p, t, &bound);
        if (!*out->second || us < out->second_us) {
            out->second = k[i].name;
            out->second_us = us;
        }
    }
}

static void __attribute__((cold))
log_choice(const struct fly_op *op, const struct fly_entry *e, const struct fly_target *t)
{
    char text[FLY_MAX_PROBLEM_TEXT], why[256] = "";
    flyPlan_t plan = {0};
    fly_problem_print(&e->problem, text, sizeof text);
    explain(op, e->kernel, &e->problem, t, &plan);
    if (*plan.bound)
        snprintf(why, sizeof why, ", modelled %.1f us by %s; next %s %.1f us", plan.modelled_us,
                 plan.bound, *plan.second ? plan.second : "none", plan.second_us);
    fly_log(FLY_LOG_SELECT, "select: %s -> %s (%s%s%s%s)", text, e->kernel->name,
            fly_reason_name(e->reason), why, plan.note && *plan.note ? "; " : "",
            plan.note ? plan.note : "");
}

static void __attribute__((cold)) log_call(const struct fly_problem *p)
{
    char text[FLY_MAX_PROBLEM_TEXT];
    fly_problem_print(p, text, sizeof text);
    fly_log(FLY_LOG_BENCH, "fly-bench '%s'", text);
}

/* The entry of p, selected but perhaps not loaded. */
static flyStatus_t select_entry(flyHandle_t h, const char *function, const struct fly_op *op,
                                const struct fly_problem *p, struct fly_entry **out)
{
    uint64_t hash = fly_problem_hash(p);
    struct fly_entry *e = fly_cache_find(&h->cache, p, hash);
    if (!e) {
        char why[MAX_REASON];
        struct fly_choice c;
        flyStatus_t status = fly_select_kernel(op, p, &h->device->target, &h->device->tuning,
                                               h->forced, &c, why, sizeof why);
        if (status != FLY_STATUS_SUCCESS)
            return fly_fail(h, status, "%s: %s", function, why);
        e = fly_cache_add(&h->cache, p, hash);
        e->kernel = c.kernel;
        e->reason = c.reason;
        op->grid(c.kernel, p, &h->device->target, e->grid, &e->launches);
        e->workspace = op->workspace(c.kernel, p, &h->device->target);
        e->second = op->second ? op->second(c.kernel, p, &h->device->target) : NULL;
        e->function = fly_kernel_loaded(h->device, op, c.kernel);
        if (e->second)
            e->second_function = fly_kernel_loaded(h->device, op, e->second);
        if (fly_log_on(FLY_LOG_SELECT))
            log_choice(op, e, &h->device->target);
    }
    *out = e;
    return FLY_STATUS_SUCCESS;
}

flyStatus_t fly_entry_of(flyHandle_t h, const struct fly_op *op, const struct fly_problem *p, struct fly_entry **out)
{
    return select_entry(h, op->function, op, p, out);
}

static bool ready(const struct fly_entry *e)
{
    return e->function && (!e->second || e->second_function);
}

/* Asks how many clusters run at a time, of a kernel that goes on from row to row: more would wait for whole ones to end. */
static flyStatus_t __attribute__((noinline, cold))
count_clusters(flyHandle_t h, const char *function, struct fly_entry *e)
{
    const struct fly_kernel *k = e->kernel;
    uint32_t clusters = 0;
    int error = h->rt->function_clusters
                    ? h->rt->function_clusters(h->rt, e->function, k->block, k->cluster, &clusters)
                    : 0;
    if (error)
        return runtime_failed(h, function, "asking for the clusters", error);
    e->clusters = clusters ? clusters : UINT16_MAX;
    if (e->grid[0] > e->clusters * k->cluster)
        e->grid[0] = e->clusters * k->cluster;
    return FLY_STATUS_SUCCESS;
}

static flyStatus_t __attribute__((noinline, cold))
load_entry(flyHandle_t h, const char *function, const struct fly_op *op, struct fly_entry *e)
{
    char why[MAX_REASON];
    flyStatus_t status =
        fly_kernel_load(h->device, op, e->kernel, h->stream, &e->function, why, sizeof why);
    if (status == FLY_STATUS_SUCCESS && e->second)
        status = fly_kernel_load(h->device, op, e->second, h->stream, &e->second_function, why,
                                 sizeof why);
    if (status != FLY_STATUS_SUCCESS) {
        e->function = NULL;
        return fly_fail(h, status, "%s: %s", function, why);
    }
    return FLY_STATUS_SUCCESS;
}

flyStatus_t fly_dispatch_entry(flyHandle_t h, const struct fly_op *op, struct fly_entry *e, fly_launch_fn *launch, const void *args,
                               uint64_t workspace_bytes)
{
    flyStatus_t status = FLY_STATUS_SUCCESS;
    if (workspace_bytes < e->workspace)
        return fly_fail(h, FLY_STATUS_WORKSPACE_TOO_SMALL,
                        "%s: workspace_bytes = %" PRIu64 ": %s takes %" PRIu64
                        " here, as the plan says",
                        op->function, workspace_bytes, e->kernel->name, e->workspace);
    struct fly_runtime *rt = h->rt;
    intptr_t saved;
    int error = rt->device_enter(rt, h->device->ordinal, &saved);
    if (error)
        return runtime_failed(h, op->function, "entering the device", error);
    if (!ready(e))
        status = load_entry(h, op->function, op, e);
    if (e->kernel->resident && !e->clusters && status == FLY_STATUS_SUCCESS)
        status = count_clusters(h, op->function, e);
    if (status == FLY_STATUS_SUCCESS) {
        struct fly_call c = {h, op, e};
        error = launch(&c, args);
        if (error)
            status = runtime_failed(h, op->function, e->kernel->name, error);
    }
    error = rt->device_leave(rt, h->device->ordinal, saved);
    if (error && status == FLY_STATUS_SUCCESS)
        status = runtime_failed(h, op->function, "leaving the device", error);
    if (fly_log_on(FLY_LOG_BENCH))
        log_call(&e->problem);
    return status;
}

flyStatus_t fly_dispatch(flyHandle_t h, const struct fly_op *op, const struct fly_problem *p,
                         fly_launch_fn *launch, const void *args, uint64_t workspace_bytes)
{
    struct fly_entry *e;
    flyStatus_t status = fly_entry_of(h, op, p, &e);
    return status == FLY_STATUS_SUCCESS ? fly_dispatch_entry(h, op, e, launch, args, workspace_bytes) : status;
}

flyStatus_t fly_plan(flyHandle_t h, const struct fly_op *op, const struct fly_problem *p,
                     flyPlan_t *plan)
{
    static const char suffix[] = "Plan";
    char function[64];
    snprintf(function, sizeof function, "%s%s", op->function, suffix);
    char name[sizeof function + 8];
    snprintf(name, sizeof name, "%s: plan", function);
    flyPlan_t out;
    if (!plan)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: plan = NULL: must point to a flyPlan_t",
                        function);
    /* The plan is only written, but its size obeys the same rules. */
    flyStatus_t status =
        fly_args_copy(h, name, plan, &out, offsetof(flyPlan_t, note), sizeof out);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    memset(&out, 0, sizeof out);
    memcpy(&out.size, plan, sizeof out.size);
    out.kernel = out.bound = out.second = out.note = "";
    if (p) {
        struct fly_entry *e;
        status = select_entry(h, function, op, p, &e);
        if (status != FLY_STATUS_SUCCESS)
            return status;
        struct fly_runtime *rt = h->rt;
        intptr_t saved;
        int error = rt->device_enter(rt, h->device->ordinal, &saved);
        if (error)
            return runtime_failed(h, function, "entering the device", error);
        if (!ready(e))
            status = load_entry(h, function, op, e);
        if (e->kernel->resident && !e->clusters && status == FLY_STATUS_SUCCESS)
            status = count_clusters(h, function, e);
        if (status == FLY_STATUS_SUCCESS) {
            error = rt->function_registers(rt, e->function, &out.registers);
            if (error)
                status = runtime_failed(h, function, "asking for the registers", error);
        }
        error = rt->device_leave(rt, h->device->ordinal, saved);
        if (error && status == FLY_STATUS_SUCCESS)
            status = runtime_failed(h, function, "leaving the device", error);
        if (status != FLY_STATUS_SUCCESS)
            return status;
        out.kernel = e->kernel->name;
        out.workspace_bytes = e->workspace;
        memcpy(out.grid, e->grid, sizeof out.grid);
        out.launches = e->launches;
        out.block[0] = e->kernel->block;
        out.block[1] = out.block[2] = 1;
        out.lds_bytes = e->kernel->lds;
        out.reason = e->reason;
        explain(op, e->kernel, p, &h->device->target, &out);
    }
    memcpy(plan, &out, out.size < sizeof out ? out.size : sizeof out);
    return FLY_STATUS_SUCCESS;
}
