/* SPDX-License-Identifier: MIT */
/* flyRmsNormBackward, by what both gradients share. fly/rmsnormbwd.h is its contract. */
#include <inttypes.h>

#include <fly/rmsnormbwd.h>

#include "core/args.h"
#include "ops/normbwd.h"

#define FLY_REGISTRY "rmsnormbwd.inc"
#define FLY_THIS_OP FLY_OP_rmsnormbwd
#include "core/registry_rows.h"

static const uint8_t types[][3] = {
    {FLY_DTYPE_F32, FLY_DTYPE_F32, FLY_DTYPE_F32},
    {FLY_DTYPE_F16, FLY_DTYPE_F16, FLY_DTYPE_F16},
    {FLY_DTYPE_BF16, FLY_DTYPE_BF16, FLY_DTYPE_BF16},
    {FLY_DTYPE_F16, FLY_DTYPE_F32, FLY_DTYPE_F16},
    {FLY_DTYPE_BF16, FLY_DTYPE_F32, FLY_DTYPE_BF16},
    {FLY_DTYPE_NONE},
};

static flyStatus_t read(flyHandle_t h, const char *function, const void *args, struct fly_normbwd_args *out)
{
    flyRmsNormBackwardArgs_t a;
    flyStatus_t status = fly_args_copy(h, function, args, &a, sizeof a, sizeof a);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (a.reserved)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: reserved = %" PRIu32 ": must be 0", function, a.reserved);
    *out = (struct fly_normbwd_args){
        .rows = a.rows, .cols = a.cols, .ldx = a.ldx, .lddy = a.lddy, .lddx = a.lddx, .lddr = a.lddr, .x = a.x,
        .gamma = a.gamma, .dy = a.dy, .rstd = a.rstd, .dresidual = a.dresidual, .dx = a.dx, .dgamma = a.dgamma,
        .workspace = a.workspace, .workspace_bytes = a.workspace_bytes, .dtype = a.dtype, .wdtype = a.wdtype,
        .atomic = a.atomic};
    return FLY_STATUS_SUCCESS;
}

flyStatus_t flyRmsNormBackward(flyHandle_t h, const flyRmsNormBackwardArgs_t *args)
{
    return fly_normbwd_call(h, &fly_op_rmsnormbwd, read, args);
}

flyStatus_t flyRmsNormBackwardPlan(flyHandle_t h, const flyRmsNormBackwardArgs_t *args, flyPlan_t *plan)
{
    return fly_normbwd_plan(h, &fly_op_rmsnormbwd, "flyRmsNormBackwardPlan", read, args, plan);
}

/* ---- for bench and tests ---- */

static flyRmsNormBackwardArgs_t args_of(const struct fly_problem *p, void *const ptr[])
{
    const struct fly_normbwd_args a = fly_normbwd_args_of(p, ptr);
    return (flyRmsNormBackwardArgs_t){
        .size = sizeof(flyRmsNormBackwardArgs_t), .rows = a.rows, .cols = a.cols, .x = a.x, .gamma = a.gamma, .dy = a.dy,
        .rstd = a.rstd, .dresidual = a.dresidual, .dx = a.dx, .dgamma = a.dgamma, .ldx = a.ldx,
        .lddy = a.lddy, .lddx = a.lddx, .lddr = a.lddr, .dtype = a.dtype, .wdtype = a.wdtype, .atomic = a.atomic};
}

static flyStatus_t run(flyHandle_t h, const struct fly_problem *p, void *const ptr[], void *ws, uint64_t ws_bytes)
{
    flyRmsNormBackwardArgs_t a = args_of(p, ptr);
    a.workspace = ws;
    a.workspace_bytes = ws_bytes;
    return flyRmsNormBackward(h, &a);
}

static flyStatus_t plan(flyHandle_t h, const struct fly_problem *p, void *const ptr[], flyPlan_t *out)
{
    flyRmsNormBackwardArgs_t a = args_of(p, ptr);
    return flyRmsNormBackwardPlan(h, &a, out);
}

const struct fly_op fly_op_rmsnormbwd = {
    .name = "rmsnormbwd",
    .function = "flyRmsNormBackward",
    .fields = fly_normbwd_fields,
    .nfields = FLY_NORMBWD_DBETA,
    .id = FLY_OP_rmsnormbwd,
    .ntypes = 3,
    .tile = FLY_TILE_ROWWISE,
    .kernels = kernels,
    .nkernels = sizeof kernels / sizeof *kernels,
    .modules = modules,
    .nmodules = MODULE_COUNT,
    .kernargs = kernargs,
    .nkernargs = sizeof kernargs / sizeof *kernargs,
    .types = types,
    .check = fly_normbwd_check,
    .operands = fly_normbwd_operands,
    .fits = fly_normbwd_fits,
    .heuristic = fly_normbwd_heuristic,
    .limits = fly_normbwd_limits,
    .grid = fly_normbwd_grid,
    .second = fly_normbwd_second,
    .workspace = fly_normbwd_workspace,
    .ideal_bytes = fly_normbwd_ideal_bytes,
    .run = run,
    .plan = plan,
};
