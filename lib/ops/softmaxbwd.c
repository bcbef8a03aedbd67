/* SPDX-License-Identifier: MIT */
/* flySoftmaxBackward: validation, the problem it makes, and its launch. fly/softmaxbwd.h is its contract. */
#include <string.h>

#include <fly/softmaxbwd.h>

#include "core/args.h"
#include "core/dtype.h"
#include "core/launch.h"
#include "ops/rowwise.h"
#include "ops/rowwise_args.h"

#define FLY_REGISTRY "softmaxbwd.inc"
#define FLY_THIS_OP FLY_OP_softmaxbwd
#include "core/registry_rows.h"

static const char function_name[] = "flySoftmaxBackward";

/* ---- the problem ---- */

enum { F_ROWS, F_COLS, F_LDDY, F_LDY, F_LDDX, F_SCALE, NFIELDS };

#define ONE 0x3f800000 /* 1.0f */

static const struct fly_field fields[NFIELDS] = {
    [F_ROWS] = {"rows", FLY_ROWWISE_FIELD_ROWS},
    [F_COLS] = {"cols", FLY_ROWWISE_FIELD_COLS},
    [F_LDDY] = {"lddy", FLY_ROWWISE_FIELD_LD("dy")},
    [F_LDY] = {"ldy", FLY_ROWWISE_FIELD_LD("y")},
    [F_LDDX] = {"lddx", FLY_ROWWISE_FIELD_LD("dx")},
    [F_SCALE] = {"scale", FLY_FIELD_FLOAT, 0, -1, ONE, 0, 0, NULL, "the forward's scale"},
};

static const uint8_t types[][3] = {
    {FLY_DTYPE_F32, FLY_DTYPE_NONE, FLY_DTYPE_F32},
    {FLY_DTYPE_F16, FLY_DTYPE_NONE, FLY_DTYPE_F16},
    {FLY_DTYPE_BF16, FLY_DTYPE_NONE, FLY_DTYPE_BF16},
    {FLY_DTYPE_NONE},
};

static const char *check(const struct fly_problem *p)
{
    const int64_t *v = p->v;
    float scale = fly_field_to_float(v[F_SCALE]);
    int64_t ld = 0;
    for (int f = F_LDDY; f <= F_LDDX; f++) {
        if (v[f] < v[F_COLS])
            return "a leading dimension must be at least cols";
        ld = v[f] > ld ? v[f] : ld;
    }
    if (!fly_rowwise_addressable(v[F_ROWS], ld, v[F_COLS], 4))
        return "rows * ld must stay below 2^63 bytes";
    if (!(scale > -__builtin_inff() && scale < __builtin_inff()) || scale == 0)
        return "scale must be finite and not 0";
    return NULL;
}

/* ---- operands ---- */

enum { O_DY, O_Y, O_DX, NOPERANDS };

static uint32_t operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS])
{
    const int64_t *v = p->v;
    int64_t rows = v[F_ROWS], cols = v[F_COLS];
    const struct fly_operand list[NOPERANDS] = {
        [O_DY] = {"dy", FLY_IN, p->types[0], false, true, 2, {rows, cols}, {v[F_LDDY], 1}},
        [O_Y] = {"y", FLY_IN, p->types[0], false, true, 2, {rows, cols}, {v[F_LDY], 1}},
        [O_DX] = {"dx", FLY_OUT, p->types[2], false, true, 2, {rows, cols}, {v[F_LDDX], 1}},
    };
    memcpy(out, list, sizeof list);
    return NOPERANDS;
}

static void ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params)
{
    *data = 3 * (uint64_t)p->v[F_ROWS] * fly_dtype_bytes(p->types[0], (uint64_t)p->v[F_COLS]);
    *params = 0;
}

/* ---- the call ---- */

static flyStatus_t validate(flyHandle_t h, const char *function, const void *args, void *copy, struct fly_problem *p)
{
    flySoftmaxBackwardArgs_t *a = copy;
    flyStatus_t status = fly_args_copy(h, function, args, a, sizeof *a, sizeof *a);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_rowwise_float_type(h, function, "dtype", a->dtype);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    uint8_t in = (uint8_t)a->dtype;
    const struct fly_rowwise_tensor tensors[] = {
        {"dy", a->dy, &a->lddy, "lddy", in, FLY_REQUIRED, NULL},
        {"y", a->y, &a->ldy, "ldy", in, FLY_REQUIRED, NULL},
        {"dx", a->dx, &a->lddx, "lddx", in, FLY_REQUIRED | FLY_WRITTEN, NULL},
    };
    status = fly_rowwise_validate(h, function, a->rows, a->cols, tensors, sizeof tensors / sizeof *tensors);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_rowwise_finite(h, function, "scale", a->scale, true);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (a->scale == 0)
        a->scale = 1;

    *p = (struct fly_problem){.op = FLY_OP_softmaxbwd, .types = {in, FLY_DTYPE_NONE, in}, .nfields = NFIELDS};
    p->v[F_ROWS] = a->rows;
    p->v[F_COLS] = a->cols;
    p->v[F_LDDY] = a->lddy;
    p->v[F_LDY] = a->ldy;
    p->v[F_LDDX] = a->lddx;
    p->v[F_SCALE] = fly_field_from_float(a->scale);
    return FLY_STATUS_SUCCESS;
}

static int launch(const struct fly_call *c, const void *args)
{
    const flySoftmaxBackwardArgs_t *a = args;
    const struct fly_kernel *k = c->entry->kernel;
    unsigned bytes = fly_dtype_bits(a->dtype) / 8;
    int64_t most = c->entry->launches == 1 ? a->rows : fly_rowwise_rows_per_launch(k);
    for (int64_t row = 0; row < a->rows; row += most) {
        int64_t rows = a->rows - row < most ? a->rows - row : most;
        struct kernargs_layout ka = {
            .x = fly_at(a->dy, row * a->lddy, bytes),
            .probabilities = fly_at(a->y, row * a->ldy, bytes),
            .y = fly_at(a->dx, row * a->lddx, bytes),
            .ldx = a->lddy,
            .ldp = a->ldy,
            .ldy = a->lddx,
            .rows = (int32_t)rows,
            .cols = (int32_t)a->cols,
            .scale = a->scale,
        };
        ka.aligned = fly_rowwise_aligned(ka.x | ka.probabilities | ka.y, a->cols | (rows > 1 ? ka.ldx | ka.ldp | ka.ldy : 0), bytes);
        int error = fly_launch(c, fly_rowwise_workgroups(k, rows, c->entry->clusters), &ka);
        if (error)
            return error;
    }
    return 0;
}

flyStatus_t flySoftmaxBackward(flyHandle_t h, const flySoftmaxBackwardArgs_t *args)
{
    flySoftmaxBackwardArgs_t a;
    return fly_rowwise_call(h, &fly_op_softmaxbwd, validate, launch, args, &a, sizeof a);
}

flyStatus_t flySoftmaxBackwardPlan(flyHandle_t h, const flySoftmaxBackwardArgs_t *args, flyPlan_t *plan)
{
    flySoftmaxBackwardArgs_t a;
    return fly_rowwise_plan(h, &fly_op_softmaxbwd, "flySoftmaxBackwardPlan", validate, args, &a, plan);
}

/* ---- for bench and tests ---- */

static flySoftmaxBackwardArgs_t args_of(const struct fly_problem *p, void *const ptr[])
{
    return (flySoftmaxBackwardArgs_t){.size = sizeof(flySoftmaxBackwardArgs_t), .rows = p->v[F_ROWS],
                                      .cols = p->v[F_COLS], .dy = ptr[O_DY], .y = ptr[O_Y], .dx = ptr[O_DX],
                                      .lddy = p->v[F_LDDY], .ldy = p->v[F_LDY], .lddx = p->v[F_LDDX],
                                      .scale = fly_field_to_float(p->v[F_SCALE]), .dtype = p->types[0]};
}

static flyStatus_t run(flyHandle_t h, const struct fly_problem *p, void *const ptr[], void *ws, uint64_t ws_bytes)
{
    (void)ws, (void)ws_bytes;
    flySoftmaxBackwardArgs_t a = args_of(p, ptr);
    return flySoftmaxBackward(h, &a);
}

static flyStatus_t plan(flyHandle_t h, const struct fly_problem *p, void *const ptr[], flyPlan_t *out)
{
    flySoftmaxBackwardArgs_t a = args_of(p, ptr);
    return flySoftmaxBackwardPlan(h, &a, out);
}

const struct fly_op fly_op_softmaxbwd = {
    .name = "softmaxbwd",
    .function = function_name,
    .fields = fields,
    .nfields = NFIELDS,
    .id = FLY_OP_softmaxbwd,
    .ntypes = 2,
    .tile = FLY_TILE_ROWWISE,
    .kernels = kernels,
    .nkernels = sizeof kernels / sizeof *kernels,
    .modules = modules,
    .nmodules = MODULE_COUNT,
    .kernargs = kernargs,
    .nkernargs = sizeof kernargs / sizeof *kernargs,
    .types = types,
    .check = check,
    .operands = operands,
    .fits = fly_rowwise_op_fits,
    .heuristic = fly_rowwise_op_heuristic,
    .limits = fly_rowwise_limits,
    .grid = fly_rowwise_op_grid,
    .workspace = fly_no_workspace,
    .ideal_bytes = ideal_bytes,
    .run = run,
    .plan = plan,
};
