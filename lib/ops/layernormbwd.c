/* SPDX-License-Identifier: MIT */
/* flyLayerNormBackward: validation, the problem it makes, and its launches. fly/layernormbwd.h is its contract. */
#include <inttypes.h>
#include <string.h>

#include <fly/layernormbwd.h>

#include "core/args.h"
#include "core/dtype.h"
#include "core/launch.h"
#include "ops/normbwd.h"
#include "ops/rowwise.h"
#include "ops/rowwise_args.h"

#define FLY_REGISTRY "layernormbwd.inc"
#define FLY_THIS_OP FLY_OP_layernormbwd
#include "core/registry_rows.h"

static const char function_name[] = "flyLayerNormBackward";

/* ---- the problem ---- */

enum { F_DBETA = FLY_NORMBWD_FIELDS, NFIELDS };

static const struct fly_field fields[NFIELDS] = {
    FLY_NORMBWD_FIELD_TABLE,
    [F_DBETA] = {"dbeta", FLY_NORMBWD_INT(0, -1, 1, 0, 1, "0: not wanted")},
};

static const uint8_t types[][3] = {
    {FLY_DTYPE_F32, FLY_DTYPE_F32, FLY_DTYPE_F32},
    {FLY_DTYPE_F16, FLY_DTYPE_F16, FLY_DTYPE_F16},
    {FLY_DTYPE_BF16, FLY_DTYPE_BF16, FLY_DTYPE_BF16},
    {FLY_DTYPE_NONE},
};

/* ---- operands ---- */

enum { O_X, O_GAMMA, O_DY, O_MEAN, O_RSTD, O_DRESIDUAL, O_DX, O_DGAMMA, O_DBETA, NOPERANDS };

static uint32_t operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS])
{
    const int64_t *v = p->v;
    int64_t rows = v[FLY_NORMBWD_ROWS], cols = v[FLY_NORMBWD_COLS];
    uint8_t in = p->types[0], weight = p->types[1];
    const struct fly_operand list[NOPERANDS] = {
        [O_X] = {"x", FLY_IN, in, false, true, 2, {rows, cols}, {v[FLY_NORMBWD_LDX], 1}},
        [O_GAMMA] = {"gamma", FLY_PARAM, weight, true, v[FLY_NORMBWD_GAMMA], 1, {cols}, {1}},
        [O_DY] = {"dy", FLY_IN, in, false, true, 2, {rows, cols}, {v[FLY_NORMBWD_LDDY], 1}},
        [O_MEAN] = {"mean", FLY_PARAM, FLY_DTYPE_F32, false, true, 1, {rows}, {1}},
        [O_RSTD] = {"rstd", FLY_PARAM, FLY_DTYPE_F32, false, true, 1, {rows}, {1}},
        [O_DRESIDUAL] = {"dresidual", FLY_IN, in, true, v[FLY_NORMBWD_ADD], 2, {rows, cols}, {v[FLY_NORMBWD_LDDR], 1}},
        [O_DX] = {"dx", FLY_OUT, in, false, true, 2, {rows, cols}, {v[FLY_NORMBWD_LDDX], 1}},
        [O_DGAMMA] = {"dgamma", FLY_OUT, weight, true, v[FLY_NORMBWD_DGAMMA], 1, {cols}, {1}},
        [O_DBETA] = {"dbeta", FLY_OUT, weight, true, v[F_DBETA], 1, {cols}, {1}},
    };
    memcpy(out, list, sizeof list);
    return NOPERANDS;
}

static void ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params)
{
    const int64_t *v = p->v;
    uint64_t cols = (uint64_t)v[FLY_NORMBWD_COLS];
    *data = (uint64_t)v[FLY_NORMBWD_ROWS] * fly_dtype_bytes(p->types[0], cols) * (v[FLY_NORMBWD_ADD] ? 4 : 3);
    *params = fly_dtype_bytes(p->types[1], cols) * (uint64_t)(v[FLY_NORMBWD_GAMMA] + v[FLY_NORMBWD_DGAMMA] + v[F_DBETA]);
}

/* ---- kernels ---- */

enum { HALVES = 2 }; /* sums over rows that a program leaves */

static bool wants_sums(const struct fly_problem *p)
{
    return p->v[FLY_NORMBWD_DGAMMA] || p->v[F_DBETA];
}

static const struct fly_kernel *second(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t)
{
    (void)t;
    return wants_sums(p) ? fly_normbwd_second(&fly_op_layernormbwd, k) : NULL;
}

static void grid(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t,
                 uint32_t out[3], uint32_t *launches)
{
    fly_normbwd_grid(k, p, t, wants_sums(p), out, launches);
}

static uint64_t workspace(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t)
{
    return wants_sums(p) ? fly_normbwd_workspace(k, p, t, HALVES) : 0;
}

/* ---- the call ---- */

static flyStatus_t validate(flyHandle_t h, const char *function, const flyLayerNormBackwardArgs_t *args,
                            flyLayerNormBackwardArgs_t *a, struct fly_problem *p)
{
    flyStatus_t status = fly_args_copy(h, function, args, a, sizeof *a, sizeof *a);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_rowwise_float_type(h, function, "dtype", a->dtype);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    uint8_t in = (uint8_t)a->dtype, weight = in;
    if (a->atomic > 1)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: atomic = %" PRIu32 ": must be 0 or 1", function, a->atomic);
    const struct fly_rowwise_tensor tensors[] = {
        {"x", a->x, &a->ldx, "ldx", in, FLY_REQUIRED, NULL},
        {"gamma", a->gamma, NULL, NULL, weight, FLY_OPTIONAL, NULL},
        {"dy", a->dy, &a->lddy, "lddy", in, FLY_REQUIRED, NULL},
        {"mean", a->mean, NULL, NULL, FLY_DTYPE_F32, FLY_REQUIRED, NULL},
        {"rstd", a->rstd, NULL, NULL, FLY_DTYPE_F32, FLY_REQUIRED, NULL},
        {"dresidual", a->dresidual, &a->lddr, "lddr", in, FLY_OPTIONAL, NULL},
        {"dx", a->dx, &a->lddx, "lddx", in, FLY_REQUIRED, NULL},
        {"dgamma", a->dgamma, NULL, NULL, weight, FLY_OPTIONAL, NULL},
        {"dbeta", a->dbeta, NULL, NULL, weight, FLY_OPTIONAL, NULL},
    };
    status = fly_rowwise_validate(h, function, a->rows, a->cols, tensors, sizeof tensors / sizeof *tensors);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if ((uintptr_t)a->workspace % 16)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: workspace = %p: must be aligned to 16 bytes", function, a->workspace);

    *p = (struct fly_problem){.op = FLY_OP_layernormbwd, .types = {in, weight, in}, .nfields = NFIELDS};
    p->v[FLY_NORMBWD_ROWS] = a->rows;
    p->v[FLY_NORMBWD_COLS] = a->cols;
    p->v[FLY_NORMBWD_LDX] = a->ldx;
    p->v[FLY_NORMBWD_LDDY] = a->lddy;
    p->v[FLY_NORMBWD_LDDX] = a->lddx;
    p->v[FLY_NORMBWD_LDDR] = a->dresidual ? a->lddr : a->cols;
    p->v[FLY_NORMBWD_GAMMA] = a->gamma != NULL;
    p->v[FLY_NORMBWD_DGAMMA] = a->dgamma != NULL;
    p->v[FLY_NORMBWD_ADD] = a->dresidual != NULL;
    p->v[FLY_NORMBWD_ATOMIC] = a->atomic;
    p->v[F_DBETA] = a->dbeta != NULL;
    return FLY_STATUS_SUCCESS;
}

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* Zeroes the workspace with the kernel that adds up: nothing added up is zero in every type. */
static int clear(const struct fly_call *c, uint64_t at, uint64_t bytes)
{
    const uint64_t element = fly_dtype_bits(c->entry->kernel->types[1]) / 8, most = UINT64_C(1) << 30;
    for (uint64_t n = bytes / element, some; n; n -= some, at += some * element) {
        some = n < most ? n : most;
        struct kernargs_layout ka = {.dgamma = at, .partial = at, .cols = (int32_t)some, .lanes = (int32_t)((some + 15) / 16 * 16), .vec = 1};
        const uint32_t g[3] = {(uint32_t)ka.lanes / c->entry->second->rowwise.threads, 1, 1};
        int error = fly_launch_second(c, g, &ka);
        if (error)
            return error;
    }
    return 0;
}

static int launch(const struct fly_call *c, const void *args)
{
    const flyLayerNormBackwardArgs_t *a = args;
    const struct fly_kernel *k = c->entry->kernel;
    const struct fly_normbwd_work w = fly_normbwd_work(k, &c->entry->problem, &c->h->device->target, a->x);
    struct kernargs_layout ka = {
        .x = address(a->x),
        .dy = address(a->dy),
        .dresidual = address(a->dresidual),
        .gamma = address(a->gamma),
        .rstd = address(a->rstd),
        .y = address(a->dx),
        .dgamma = address(a->dgamma),
        .partial = c->entry->second ? address(a->workspace) : 0,
        .ldx = a->ldx,
        .lddy = a->lddy,
        .lddr = a->lddr,
        .ldy = a->lddx,
        .rows = a->rows,
        .stride = HALVES * w.half,
        .cols = (int32_t)a->cols,
        .before = w.before,
        .lanes = w.lanes,
        .programs = w.programs,
        .vec = k->rowwise.vec,
        .atomic = (int32_t)a->atomic,
        .mean = address(a->mean),
        .dbeta = address(a->dbeta),
    };
    int error = 0;
    if (w.programs && c->entry->second && a->atomic)
        error = clear(c, ka.partial, c->entry->workspace);
    if (w.programs && !error)
        error = fly_launch(c, (uint32_t)w.programs, &ka);
    if (error || !c->entry->second)
        return error;
    if (w.programs && a->atomic)
        ka.programs = 1;
    const uint32_t adders[3] = {fly_normbwd_adders(c->entry->second, &w, HALVES), 1, 1};
    return fly_launch_second(c, adders, &ka);
}

flyStatus_t flyLayerNormBackward(flyHandle_t h, const flyLayerNormBackwardArgs_t *args)
{
    flyLayerNormBackwardArgs_t a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, function_name);
    flyStatus_t status = validate(h, function_name, args, &a, &p);
    if (status != FLY_STATUS_SUCCESS || (a.rows == 0 && !wants_sums(&p)))
        return status;
    return fly_dispatch(h, &fly_op_layernormbwd, &p, launch, &a, a.workspace ? a.workspace_bytes : 0);
}

flyStatus_t flyLayerNormBackwardPlan(flyHandle_t h, const flyLayerNormBackwardArgs_t *args, flyPlan_t *plan)
{
    static const char name[] = "flyLayerNormBackwardPlan";
    flyLayerNormBackwardArgs_t a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, name);
    flyStatus_t status = validate(h, name, args, &a, &p);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    return fly_plan(h, &fly_op_layernormbwd, a.rows || wants_sums(&p) ? &p : NULL, plan);
}

/* ---- for bench and tests ---- */

static flyLayerNormBackwardArgs_t args_of(const struct fly_problem *p, void *const ptr[])
{
    return (flyLayerNormBackwardArgs_t){
        .size = sizeof(flyLayerNormBackwardArgs_t), .rows = p->v[FLY_NORMBWD_ROWS], .cols = p->v[FLY_NORMBWD_COLS],
        .x = ptr[O_X], .gamma = ptr[O_GAMMA], .dy = ptr[O_DY], .mean = ptr[O_MEAN], .rstd = ptr[O_RSTD],
        .dresidual = ptr[O_DRESIDUAL], .dx = ptr[O_DX], .dgamma = ptr[O_DGAMMA], .dbeta = ptr[O_DBETA],
        .ldx = p->v[FLY_NORMBWD_LDX], .lddy = p->v[FLY_NORMBWD_LDDY], .lddx = p->v[FLY_NORMBWD_LDDX],
        .lddr = p->v[FLY_NORMBWD_LDDR], .dtype = p->types[0], .atomic = (uint32_t)p->v[FLY_NORMBWD_ATOMIC]};
}

static flyStatus_t run(flyHandle_t h, const struct fly_problem *p, void *const ptr[], void *ws, uint64_t ws_bytes)
{
    flyLayerNormBackwardArgs_t a = args_of(p, ptr);
    a.workspace = ws;
    a.workspace_bytes = ws_bytes;
    return flyLayerNormBackward(h, &a);
}

static flyStatus_t plan(flyHandle_t h, const struct fly_problem *p, void *const ptr[], flyPlan_t *out)
{
    flyLayerNormBackwardArgs_t a = args_of(p, ptr);
    return flyLayerNormBackwardPlan(h, &a, out);
}

const struct fly_op fly_op_layernormbwd = {
    .name = "layernormbwd",
    .function = function_name,
    .fields = fields,
    .nfields = NFIELDS,
    .id = FLY_OP_layernormbwd,
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
    .operands = operands,
    .fits = fly_normbwd_fits,
    .heuristic = fly_normbwd_heuristic,
    .limits = fly_normbwd_limits,
    .grid = grid,
    .second = second,
    .workspace = workspace,
    .ideal_bytes = ideal_bytes,
    .run = run,
    .plan = plan,
};
