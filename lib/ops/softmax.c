/* SPDX-License-Identifier: MIT */
/* flySoftmax: validation, the problem it makes, and its launch. fly/softmax.h is its contract. */
#include <string.h>

#include <fly/softmax.h>

#include "core/args.h"
#include "core/dtype.h"
#include "core/launch.h"
#include "ops/rowwise.h"
#include "ops/rowwise_args.h"

#define FLY_REGISTRY "softmax.inc"
#define FLY_THIS_OP FLY_OP_softmax
#include "core/registry_rows.h"

static const char function_name[] = "flySoftmax";

/* ---- the problem ---- */

enum { F_ROWS, F_COLS, F_LDX, F_LDY, F_SCALE, F_LENGTHS, F_CAUSAL, F_CAUSAL_ROWS, NFIELDS };

#define ONE 0x3f800000 /* 1.0f */

static const struct fly_field fields[NFIELDS] = {
    [F_ROWS] = {"rows", FLY_ROWWISE_FIELD_ROWS},
    [F_COLS] = {"cols", FLY_ROWWISE_FIELD_COLS},
    [F_LDX] = {"ldx", FLY_ROWWISE_FIELD_LD("x")},
    [F_LDY] = {"ldy", FLY_ROWWISE_FIELD_LD("y")},
    [F_SCALE] = {"scale", FLY_FIELD_FLOAT, 0, -1, ONE, 0, 0, NULL, "x is multiplied by it"},
    [F_LENGTHS] = {"lengths", FLY_FIELD_INT, FLY_FIELD_CHOICE, -1, 0, 0, 1, NULL, "1: a length for each row"},
    [F_CAUSAL] = {"causal", FLY_FIELD_INT, FLY_FIELD_CHOICE, -1, 0, 0, 1, NULL, "1: row i sees no column beyond its own"},
    [F_CAUSAL_ROWS] = {"causal_rows", FLY_FIELD_INT, 0, F_ROWS, 0, 0, INT64_MAX, NULL,
                       "rows of a causal query block"},
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
    if (v[F_LDX] < v[F_COLS] || v[F_LDY] < v[F_COLS])
        return "a leading dimension must be at least cols";
    if (!fly_rowwise_addressable(v[F_ROWS], v[F_LDX] > v[F_LDY] ? v[F_LDX] : v[F_LDY], v[F_COLS], 4))
        return "rows * ld must stay below 2^63 bytes";
    if (!(scale > -__builtin_inff() && scale < __builtin_inff()) || scale == 0)
        return "scale must be finite and not 0 (a call's 0 is 1, the default here)";
    if (v[F_CAUSAL_ROWS] < 1 && v[F_ROWS] > 0)
        return "causal_rows must be at least 1";
    if (!v[F_CAUSAL] && v[F_CAUSAL_ROWS] != v[F_ROWS])
        return "causal_rows without causal=1 says nothing";
    return NULL;
}

/* ---- operands ---- */

enum { O_X, O_Y, O_LENGTHS, NOPERANDS };

static uint32_t operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS])
{
    const int64_t *v = p->v;
    int64_t rows = v[F_ROWS], cols = v[F_COLS];
    const struct fly_operand list[NOPERANDS] = {
        [O_X] = {"x", FLY_IN, p->types[0], false, true, 2, {rows, cols}, {v[F_LDX], 1}},
        [O_Y] = {"y", FLY_OUT, p->types[2], false, true, 2, {rows, cols}, {v[F_LDY], 1}},
        [O_LENGTHS] = {"lengths", FLY_PARAM, FLY_DTYPE_I32, true, v[F_LENGTHS], 1, {rows}, {1}},
    };
    memcpy(out, list, sizeof list);
    return NOPERANDS;
}

static void ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params)
{
    *data = 2 * (uint64_t)p->v[F_ROWS] * fly_dtype_bytes(p->types[0], (uint64_t)p->v[F_COLS]);
    *params = p->v[F_LENGTHS] ? 4 * (uint64_t)p->v[F_ROWS] : 0;
}

/* ---- the call ---- */

static uint32_t heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p, const struct fly_target *t)
{
    return fly_rowwise_heuristic(k, n, p, FLY_ROWWISE_POWERS, true, t);
}

static flyStatus_t validate(flyHandle_t h, const char *function, const void *args, void *copy, struct fly_problem *p)
{
    flySoftmaxArgs_t *a = copy;
    flyStatus_t status = fly_args_copy(h, function, args, a, sizeof *a, sizeof *a);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_rowwise_float_type(h, function, "dtype", a->dtype);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    uint8_t in = (uint8_t)a->dtype;
    const struct fly_rowwise_tensor tensors[] = {
        {"x", a->x, &a->ldx, "ldx", in, FLY_REQUIRED, NULL},
        {"y", a->y, &a->ldy, "ldy", in, FLY_REQUIRED | FLY_WRITTEN, NULL},
        {"lengths", a->lengths, NULL, NULL, FLY_DTYPE_I32, FLY_OPTIONAL, NULL},
    };
    status = fly_rowwise_validate(h, function, a->rows, a->cols, tensors, sizeof tensors / sizeof *tensors);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_rowwise_finite(h, function, "scale", a->scale, true);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (a->causal > 1)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: causal = %u: must be 0 or 1", function, a->causal);
    if (a->causal_rows < 0 || (a->causal_rows > 0 && !a->causal))
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: causal_rows = %lld: must be %s", function,
                        (long long)a->causal_rows, a->causal ? "at least 0" : "0 without causal");
    if (a->reserved)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: reserved = %u: must be 0", function, a->reserved);
    if (a->causal_rows == 0)
        a->causal_rows = a->rows;
    if (a->scale == 0)
        a->scale = 1;

    *p = (struct fly_problem){.op = FLY_OP_softmax, .types = {in, FLY_DTYPE_NONE, in}, .nfields = NFIELDS};
    p->v[F_ROWS] = a->rows;
    p->v[F_COLS] = a->cols;
    p->v[F_LDX] = a->ldx;
    p->v[F_LDY] = a->ldy;
    p->v[F_SCALE] = fly_field_from_float(a->scale);
    p->v[F_LENGTHS] = a->lengths != NULL;
    p->v[F_CAUSAL] = a->causal;
    p->v[F_CAUSAL_ROWS] = a->causal_rows;
    return FLY_STATUS_SUCCESS;
}

static int launch(const struct fly_call *c, const void *args)
{
    const flySoftmaxArgs_t *a = args;
    const struct fly_kernel *k = c->entry->kernel;
    unsigned bytes = fly_dtype_bits(a->dtype) / 8;
    int64_t most = c->entry->launches == 1 ? a->rows : fly_rowwise_rows_per_launch(k);
    for (int64_t row = 0; row < a->rows; row += most) {
        int64_t rows = a->rows - row < most ? a->rows - row : most;
        /* A kernel sees rows from 0 on: where its first row stands in its query block shifts the diagonal. */
        struct kernargs_layout ka = {
            .x = fly_at(a->x, row * a->ldx, bytes),
            .y = fly_at(a->y, row * a->ldy, bytes),
            .lengths = fly_at(a->lengths, row, 4),
            .ldx = a->ldx,
            .ldy = a->ldy,
            .first_row = row,
            .causal_rows = a->causal ? a->causal_rows : 0,
            .rows = (int32_t)rows,
            .cols = (int32_t)a->cols,
            .scale = a->scale,
        };
        ka.aligned = fly_rowwise_aligned(ka.x | ka.y, a->cols | (rows > 1 ? a->ldx | a->ldy : 0), bytes);
        int error = fly_launch(c, fly_rowwise_workgroups(k, rows, c->entry->clusters), &ka);
        if (error)
            return error;
    }
    return 0;
}

flyStatus_t flySoftmax(flyHandle_t h, const flySoftmaxArgs_t *args)
{
    flySoftmaxArgs_t a;
    return fly_rowwise_call(h, &fly_op_softmax, validate, launch, args, &a, sizeof a);
}

flyStatus_t flySoftmaxPlan(flyHandle_t h, const flySoftmaxArgs_t *args, flyPlan_t *plan)
{
    flySoftmaxArgs_t a;
    return fly_rowwise_plan(h, &fly_op_softmax, "flySoftmaxPlan", validate, args, &a, plan);
}

/* ---- for bench and tests ---- */

static flySoftmaxArgs_t args_of(const struct fly_problem *p, void *const ptr[])
{
    return (flySoftmaxArgs_t){.size = sizeof(flySoftmaxArgs_t), .rows = p->v[F_ROWS], .cols = p->v[F_COLS],
                              .x = ptr[O_X], .y = ptr[O_Y], .lengths = ptr[O_LENGTHS], .ldx = p->v[F_LDX],
                              .ldy = p->v[F_LDY], .causal_rows = p->v[F_CAUSAL] ? p->v[F_CAUSAL_ROWS] : 0,
                              .scale = fly_field_to_float(p->v[F_SCALE]), .causal = (uint32_t)p->v[F_CAUSAL],
                              .dtype = p->types[0]};
}

static flyStatus_t run(flyHandle_t h, const struct fly_problem *p, void *const ptr[], void *ws, uint64_t ws_bytes)
{
    (void)ws, (void)ws_bytes;
    flySoftmaxArgs_t a = args_of(p, ptr);
    return flySoftmax(h, &a);
}

static flyStatus_t plan(flyHandle_t h, const struct fly_problem *p, void *const ptr[], flyPlan_t *out)
{
    flySoftmaxArgs_t a = args_of(p, ptr);
    return flySoftmaxPlan(h, &a, out);
}

const struct fly_op fly_op_softmax = {
    .name = "softmax",
    .function = function_name,
    .fields = fields,
    .nfields = NFIELDS,
    .id = FLY_OP_softmax,
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
    .heuristic = heuristic,
    .limits = fly_rowwise_limits,
    .grid = fly_rowwise_op_grid,
    .workspace = fly_no_workspace,
    .ideal_bytes = ideal_bytes,
    .run = run,
    .plan = plan,
};
