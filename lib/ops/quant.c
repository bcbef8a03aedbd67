/* SPDX-License-Identifier: MIT */
/* flyQuantPerToken: validation, the problem it makes, and its launch. fly/quant.h is its contract. */
#include <string.h>

#include <fly/quant.h>

#include "core/args.h"
#include "core/dtype.h"
#include "core/launch.h"
#include "ops/rowwise.h"
#include "ops/rowwise_args.h"

#define FLY_REGISTRY "quant.inc"
#define FLY_THIS_OP FLY_OP_quant
#include "core/registry_rows.h"

static const char function_name[] = "flyQuantPerToken";

/* ---- the problem ---- */

enum { F_ROWS, F_COLS, F_LDX, F_LDY, NFIELDS };

static const struct fly_field fields[NFIELDS] = {
    [F_ROWS] = {"rows", FLY_ROWWISE_FIELD_ROWS},
    [F_COLS] = {"cols", FLY_ROWWISE_FIELD_COLS},
    [F_LDX] = {"ldx", FLY_ROWWISE_FIELD_LD("x")},
    [F_LDY] = {"ldy", FLY_ROWWISE_FIELD_LD("y")},
};

static const uint8_t types[][3] = {
    {FLY_DTYPE_F32, FLY_DTYPE_NONE, FLY_DTYPE_I8},       {FLY_DTYPE_F16, FLY_DTYPE_NONE, FLY_DTYPE_I8},
    {FLY_DTYPE_BF16, FLY_DTYPE_NONE, FLY_DTYPE_I8},      {FLY_DTYPE_F32, FLY_DTYPE_NONE, FLY_DTYPE_E4M3},
    {FLY_DTYPE_F16, FLY_DTYPE_NONE, FLY_DTYPE_E4M3},     {FLY_DTYPE_BF16, FLY_DTYPE_NONE, FLY_DTYPE_E4M3},
    {FLY_DTYPE_F32, FLY_DTYPE_NONE, FLY_DTYPE_E4M3FNUZ}, {FLY_DTYPE_F16, FLY_DTYPE_NONE, FLY_DTYPE_E4M3FNUZ},
    {FLY_DTYPE_BF16, FLY_DTYPE_NONE, FLY_DTYPE_E4M3FNUZ},
    {FLY_DTYPE_NONE},
};

static const char *check(const struct fly_problem *p)
{
    const int64_t *v = p->v;
    if (v[F_LDX] < v[F_COLS] || v[F_LDY] < v[F_COLS])
        return "a leading dimension must be at least cols";
    if (!fly_rowwise_addressable(v[F_ROWS], v[F_LDX] > v[F_LDY] ? v[F_LDX] : v[F_LDY], v[F_COLS], 4))
        return "rows * ld must stay below 2^63 bytes";
    return NULL;
}

/* ---- operands ---- */

enum { O_X, O_Y, O_YSCALE, NOPERANDS };

static uint32_t operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS])
{
    const int64_t *v = p->v;
    int64_t rows = v[F_ROWS], cols = v[F_COLS];
    const struct fly_operand list[NOPERANDS] = {
        [O_X] = {"x", FLY_IN, p->types[0], false, true, 2, {rows, cols}, {v[F_LDX], 1}},
        [O_Y] = {"y", FLY_OUT, p->types[2], false, true, 2, {rows, cols}, {v[F_LDY], 1}},
        [O_YSCALE] = {"yscale", FLY_OUT, FLY_DTYPE_F32, false, true, 1, {rows}, {1}},
    };
    memcpy(out, list, sizeof list);
    return NOPERANDS;
}

static void ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params)
{
    uint64_t cols = (uint64_t)p->v[F_COLS];
    *data = (uint64_t)p->v[F_ROWS] * (fly_dtype_bytes(p->types[0], cols) + fly_dtype_bytes(p->types[2], cols) + sizeof(float));
    *params = 0;
}

/* ---- the call ---- */

static flyStatus_t validate(flyHandle_t h, const char *function, const void *args, void *copy, struct fly_problem *p)
{
    flyQuantPerTokenArgs_t *a = copy;
    flyStatus_t status = fly_args_copy(h, function, args, a, sizeof *a, sizeof *a);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_rowwise_float_type(h, function, "dtype", a->dtype);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (a->ydtype == FLY_DTYPE_NONE || a->ydtype >= FLY_DTYPE_COUNT)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: ydtype = %u: is no flyDtype_t", function, a->ydtype);
    if (!fly_is_quantised(a->ydtype))
        return fly_fail(h, FLY_STATUS_NOT_SUPPORTED, "%s: ydtype = %s: must be i8, e4m3 or e4m3z", function,
                        fly_dtype_token(a->ydtype));
    uint8_t in = (uint8_t)a->dtype, out = (uint8_t)a->ydtype;
    const struct fly_rowwise_tensor tensors[] = {
        {"x", a->x, &a->ldx, "ldx", in, FLY_REQUIRED, NULL},
        {"y", a->y, &a->ldy, "ldy", out, FLY_REQUIRED | FLY_WRITTEN, NULL},
        {"yscale", a->yscale, NULL, NULL, FLY_DTYPE_F32, FLY_REQUIRED, NULL},
    };
    status = fly_rowwise_validate(h, function, a->rows, a->cols, tensors, sizeof tensors / sizeof *tensors);
    if (status != FLY_STATUS_SUCCESS)
        return status;

    *p = (struct fly_problem){.op = FLY_OP_quant, .types = {in, FLY_DTYPE_NONE, out}, .nfields = NFIELDS};
    p->v[F_ROWS] = a->rows;
    p->v[F_COLS] = a->cols;
    p->v[F_LDX] = a->ldx;
    p->v[F_LDY] = a->ldy;
    return FLY_STATUS_SUCCESS;
}

static int launch(const struct fly_call *c, const void *args)
{
    const flyQuantPerTokenArgs_t *a = args;
    const struct fly_kernel *k = c->entry->kernel;
    unsigned in = fly_dtype_bits(a->dtype) / 8, out = fly_dtype_bits(a->ydtype) / 8;
    int64_t most = c->entry->launches == 1 ? a->rows : fly_rowwise_rows_per_launch(k);
    for (int64_t row = 0; row < a->rows; row += most) {
        int64_t rows = a->rows - row < most ? a->rows - row : most;
        struct kernargs_layout ka = {
            .x = fly_at(a->x, row * a->ldx, in),
            .y = fly_at(a->y, row * a->ldy, out),
            .yscale = fly_at(a->yscale, row, 4),
            .ldx = a->ldx,
            .ldy = a->ldy,
            .rows = (int32_t)rows,
            .cols = (int32_t)a->cols,
        };
        ka.aligned = fly_rowwise_aligned(ka.x | fly_rowwise_place(ka.y, in, out), a->cols | (rows > 1 ? a->ldx | a->ldy : 0), in);
        int error = fly_launch(c, fly_rowwise_workgroups(k, rows, c->entry->clusters), &ka);
        if (error)
            return error;
    }
    return 0;
}

flyStatus_t flyQuantPerToken(flyHandle_t h, const flyQuantPerTokenArgs_t *args)
{
    flyQuantPerTokenArgs_t a;
    return fly_rowwise_call(h, &fly_op_quant, validate, launch, args, &a, sizeof a);
}

flyStatus_t flyQuantPerTokenPlan(flyHandle_t h, const flyQuantPerTokenArgs_t *args, flyPlan_t *plan)
{
    flyQuantPerTokenArgs_t a;
    return fly_rowwise_plan(h, &fly_op_quant, "flyQuantPerTokenPlan", validate, args, &a, plan);
}

/* ---- for bench and tests ---- */

static flyQuantPerTokenArgs_t args_of(const struct fly_problem *p, void *const ptr[])
{
    return (flyQuantPerTokenArgs_t){.size = sizeof(flyQuantPerTokenArgs_t), .rows = p->v[F_ROWS],
                                    .cols = p->v[F_COLS], .x = ptr[O_X], .y = ptr[O_Y], .yscale = ptr[O_YSCALE],
                                    .ldx = p->v[F_LDX], .ldy = p->v[F_LDY], .dtype = p->types[0],
                                    .ydtype = p->types[2]};
}

static flyStatus_t run(flyHandle_t h, const struct fly_problem *p, void *const ptr[], void *ws, uint64_t ws_bytes)
{
    (void)ws, (void)ws_bytes;
    flyQuantPerTokenArgs_t a = args_of(p, ptr);
    return flyQuantPerToken(h, &a);
}

static flyStatus_t plan(flyHandle_t h, const struct fly_problem *p, void *const ptr[], flyPlan_t *out)
{
    flyQuantPerTokenArgs_t a = args_of(p, ptr);
    return flyQuantPerTokenPlan(h, &a, out);
}

const struct fly_op fly_op_quant = {
    .name = "quant",
    .function = function_name,
    .fields = fields,
    .nfields = NFIELDS,
    .id = FLY_OP_quant,
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
