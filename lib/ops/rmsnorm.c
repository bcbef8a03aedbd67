/* SPDX-License-Identifier: MIT */
/* flyRmsNorm: validation, the problem it makes, and its launch. fly/rmsnorm.h is its contract. */
#include <string.h>

#include <fly/rmsnorm.h>

#include "core/args.h"
#include "core/dtype.h"
#include "core/launch.h"
#include "ops/rowwise.h"
#include "ops/rowwise_args.h"

#define FLY_REGISTRY "rmsnorm.inc"
#define FLY_THIS_OP FLY_OP_rmsnorm
#include "core/registry_rows.h"

static const char function_name[] = "flyRmsNorm";

/* ---- the problem ---- */

enum { F_ROWS, F_COLS, F_LDX, F_LDY, F_LDR, F_LDRO, F_EPS, F_GAMMA, F_RSTD, F_ADD, F_QUANT, NFIELDS };

#define EPS_DEFAULT 0x3727c5ac /* 1e-5f */

enum { QUANT_NONE, QUANT_DYNAMIC, QUANT_SMOOTH };
static const char *const quant_words[] = {"none", "dynamic", "smooth", NULL};

static const struct fly_field fields[NFIELDS] = {
    [F_ROWS] = {"rows", FLY_ROWWISE_FIELD_ROWS},
    [F_COLS] = {"cols", FLY_ROWWISE_FIELD_COLS},
    [F_LDX] = {"ldx", FLY_ROWWISE_FIELD_LD("x")},
    [F_LDY] = {"ldy", FLY_ROWWISE_FIELD_LD("y")},
    [F_LDR] = {"ldr", FLY_ROWWISE_FIELD_LD("residual")},
    [F_LDRO] = {"ldro", FLY_ROWWISE_FIELD_LD("residual_out")},
    [F_EPS] = {"eps", FLY_FIELD_FLOAT, 0, -1, EPS_DEFAULT, 0, 0, NULL, "added to the mean square"},
    [F_GAMMA] = {"gamma", FLY_FIELD_INT, 0, -1, 1, 0, 1, NULL, "1: scale by gamma"},
    [F_RSTD] = {"rstd", FLY_FIELD_INT, 0, -1, 0, 0, 1, NULL, "1: write 1 / root mean square of each row"},
    [F_ADD] = {"add", FLY_FIELD_INT, FLY_FIELD_CHOICE, -1, 0, 0, 1, NULL, "1: normalise x + residual"},
    [F_QUANT] = {"quant", FLY_FIELD_WORD, 0, -1, QUANT_NONE, 0, 0, quant_words,
                 "how an 8-bit output is scaled: dynamic, or smooth with xscale"},
};

static const uint8_t types[][3] = {
    {FLY_DTYPE_F32, FLY_DTYPE_F32, FLY_DTYPE_F32},         {FLY_DTYPE_F16, FLY_DTYPE_F16, FLY_DTYPE_F16},
    {FLY_DTYPE_BF16, FLY_DTYPE_BF16, FLY_DTYPE_BF16},      {FLY_DTYPE_F16, FLY_DTYPE_F32, FLY_DTYPE_F16},
    {FLY_DTYPE_BF16, FLY_DTYPE_F32, FLY_DTYPE_BF16},       {FLY_DTYPE_F32, FLY_DTYPE_F32, FLY_DTYPE_I8},
    {FLY_DTYPE_F16, FLY_DTYPE_F16, FLY_DTYPE_I8},          {FLY_DTYPE_BF16, FLY_DTYPE_BF16, FLY_DTYPE_I8},
    {FLY_DTYPE_F32, FLY_DTYPE_F32, FLY_DTYPE_E4M3},        {FLY_DTYPE_F16, FLY_DTYPE_F16, FLY_DTYPE_E4M3},
    {FLY_DTYPE_BF16, FLY_DTYPE_BF16, FLY_DTYPE_E4M3},      {FLY_DTYPE_F32, FLY_DTYPE_F32, FLY_DTYPE_E4M3FNUZ},
    {FLY_DTYPE_F16, FLY_DTYPE_F16, FLY_DTYPE_E4M3FNUZ},    {FLY_DTYPE_BF16, FLY_DTYPE_BF16, FLY_DTYPE_E4M3FNUZ},
    {FLY_DTYPE_NONE},
};

static const char *check(const struct fly_problem *p)
{
    const int64_t *v = p->v;
    float eps = fly_field_to_float(v[F_EPS]);
    int64_t ld = 0;
    for (int f = F_LDX; f <= F_LDRO; f++) {
        if (v[f] < v[F_COLS])
            return "a leading dimension must be at least cols";
        ld = v[f] > ld ? v[f] : ld;
    }
    if (!(eps >= 0 && eps < __builtin_inff()))
        return "eps must not be negative, and finite";
    if (!fly_rowwise_addressable(v[F_ROWS], ld, v[F_COLS], 4))
        return "rows * ld must stay below 2^63 bytes";
    if (fly_is_quantised(p->types[2]) != (v[F_QUANT] != QUANT_NONE))
        return "an 8-bit output needs quant=dynamic or quant=smooth, another output none";
    return NULL;
}

/* ---- operands ---- */

enum { O_X, O_GAMMA, O_Y, O_RSTD, O_RESIDUAL, O_RESIDUAL_OUT, O_YSCALE, O_XSCALE, NOPERANDS };

static uint32_t operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS])
{
    const int64_t *v = p->v;
    int64_t rows = v[F_ROWS], cols = v[F_COLS];
    uint8_t in = p->types[0], weight = p->types[1], result = p->types[2];
    const struct fly_operand list[NOPERANDS] = {
        [O_X] = {"x", FLY_IN, in, false, true, 2, {rows, cols}, {v[F_LDX], 1}},
        [O_GAMMA] = {"gamma", FLY_PARAM, weight, true, v[F_GAMMA], 1, {cols}, {1}},
        [O_Y] = {"y", FLY_OUT, result, false, true, 2, {rows, cols}, {v[F_LDY], 1}},
        [O_RSTD] = {"rstd", FLY_OUT, FLY_DTYPE_F32, true, v[F_RSTD], 1, {rows}, {1}},
        [O_RESIDUAL] = {"residual", FLY_IN, in, true, v[F_ADD], 2, {rows, cols}, {v[F_LDR], 1}},
        [O_RESIDUAL_OUT] = {"residual_out", FLY_OUT, in, true, v[F_ADD], 2, {rows, cols}, {v[F_LDRO], 1}},
        [O_YSCALE] = {"yscale", FLY_OUT, FLY_DTYPE_F32, true, v[F_QUANT] != QUANT_NONE, 1, {rows}, {1}},
        [O_XSCALE] = {"xscale", FLY_PARAM, in, true, v[F_QUANT] == QUANT_SMOOTH, 1, {cols}, {1}},
    };
    memcpy(out, list, sizeof list);
    return NOPERANDS;
}

static void ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params)
{
    const int64_t *v = p->v;
    uint64_t cols = (uint64_t)v[F_COLS], in = fly_dtype_bytes(p->types[0], cols);
    *data = (uint64_t)v[F_ROWS] * (in * (v[F_ADD] ? 3 : 1) + fly_dtype_bytes(p->types[2], cols) +
                                   (fly_is_quantised(p->types[2]) ? sizeof(float) : 0));
    *params = (v[F_GAMMA] ? fly_dtype_bytes(p->types[1], cols) : 0) + (v[F_QUANT] == QUANT_SMOOTH ? in : 0);
}

/* ---- the call ---- */

/* Checks args, copies them with defaults filled in, and makes the problem. */
static uint32_t heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p, const struct fly_target *t)
{
    return fly_rowwise_heuristic(k, n, p, fly_is_quantised(p->types[2]) ? FLY_ROWWISE_BUSY : FLY_ROWWISE_LIGHT, !p->v[F_ADD], t);
}

static flyStatus_t validate(flyHandle_t h, const char *function, const void *args, void *copy, struct fly_problem *p)
{
    flyRmsNormArgs_t *a = copy;
    flyStatus_t status = fly_args_copy(h, function, args, a, sizeof *a, sizeof *a);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_rowwise_float_type(h, function, "dtype", a->dtype);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_rowwise_output_type(h, function, a->dtype, &a->ydtype);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    bool quantised = fly_is_quantised(a->ydtype), add = a->residual != NULL;
    if (a->wdtype == FLY_DTYPE_NONE)
        a->wdtype = a->dtype;
    if (a->wdtype >= FLY_DTYPE_COUNT)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: wdtype = %u: is no flyDtype_t", function, a->wdtype);
    if (a->wdtype != a->dtype && (a->wdtype != FLY_DTYPE_F32 || quantised))
        return fly_fail(h, FLY_STATUS_NOT_SUPPORTED, "%s: wdtype = %s: must be dtype = %s%s", function,
                        fly_dtype_token(a->wdtype), fly_dtype_token(a->dtype),
                        quantised                     ? " with an 8-bit ydtype"
                        : a->dtype == FLY_DTYPE_F32 ? ""
                                                      : " or f32");
    uint8_t in = (uint8_t)a->dtype;
    const struct fly_rowwise_tensor tensors[] = {
        {"x", a->x, &a->ldx, "ldx", in, FLY_REQUIRED, NULL},
        {"y", a->y, &a->ldy, "ldy", (uint8_t)a->ydtype, FLY_REQUIRED | FLY_WRITTEN, NULL},
        {"gamma", a->gamma, NULL, NULL, (uint8_t)a->wdtype, FLY_OPTIONAL, NULL},
        {"rstd", a->rstd, NULL, NULL, FLY_DTYPE_F32, FLY_OPTIONAL, NULL},
        {"residual", a->residual, &a->ldr, "ldr", in, FLY_OPTIONAL, NULL},
        {"residual_out", a->residual_out, &a->ldro, "ldro", in, (add ? FLY_REQUIRED : FLY_FORBIDDEN) | FLY_WRITTEN,
         add ? "is where x + residual goes" : "there is no residual to add"},
        {"yscale", a->yscale, NULL, NULL, FLY_DTYPE_F32, quantised ? FLY_REQUIRED : FLY_FORBIDDEN,
         quantised ? "an 8-bit ydtype needs it" : "ydtype is not an 8-bit type"},
        {"xscale", a->xscale, NULL, NULL, in, quantised ? FLY_OPTIONAL : FLY_FORBIDDEN, "ydtype is not an 8-bit type"},
    };
    status = fly_rowwise_validate(h, function, a->rows, a->cols, tensors, sizeof tensors / sizeof *tensors);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_rowwise_finite(h, function, "eps", a->eps, false);
    if (status != FLY_STATUS_SUCCESS)
        return status;

    *p = (struct fly_problem){.op = FLY_OP_rmsnorm, .types = {in, (uint8_t)a->wdtype, (uint8_t)a->ydtype}, .nfields = NFIELDS};
    p->v[F_ROWS] = a->rows;
    p->v[F_COLS] = a->cols;
    p->v[F_LDX] = a->ldx;
    p->v[F_LDY] = a->ldy;
    p->v[F_LDR] = a->ldr;
    p->v[F_LDRO] = a->ldro;
    p->v[F_EPS] = fly_field_from_float(a->eps);
    p->v[F_GAMMA] = a->gamma != NULL;
    p->v[F_RSTD] = a->rstd != NULL;
    p->v[F_ADD] = add;
    p->v[F_QUANT] = !quantised ? QUANT_NONE : a->xscale ? QUANT_SMOOTH : QUANT_DYNAMIC;
    return FLY_STATUS_SUCCESS;
}

static int launch(const struct fly_call *c, const void *args)
{
    const flyRmsNormArgs_t *a = args;
    const struct fly_kernel *k = c->entry->kernel;
    unsigned in = fly_dtype_bits(a->dtype) / 8, out = fly_dtype_bits(a->ydtype) / 8;
    int64_t most = c->entry->launches == 1 ? a->rows : fly_rowwise_rows_per_launch(k);
    for (int64_t row = 0; row < a->rows; row += most) {
        int64_t rows = a->rows - row < most ? a->rows - row : most;
        struct kernargs_layout ka = {
            .x = fly_at(a->x, row * a->ldx, in),
            .gamma = fly_at(a->gamma, 0, in),
            .y = fly_at(a->y, row * a->ldy, out),
            .rstd = fly_at(a->rstd, row, 4),
            .residual = fly_at(a->residual, row * a->ldr, in),
            .residual_out = fly_at(a->residual_out, row * a->ldro, in),
            .yscale = fly_at(a->yscale, row, 4),
            .xscale = fly_at(a->xscale, 0, in),
            .ldx = a->ldx,
            .ldy = a->ldy,
            .ldr = a->ldr,
            .ldro = a->ldro,
            .rows = (int32_t)rows,
            .cols = (int32_t)a->cols,
            .eps = a->eps,
        };
        ka.aligned = fly_rowwise_aligned(ka.x | ka.gamma | ka.residual | ka.residual_out | ka.xscale | fly_rowwise_place(ka.y, in, out),
                                         a->cols | (rows > 1 ? a->ldx | a->ldy | a->ldr | a->ldro : 0), in);
        int error = fly_launch(c, fly_rowwise_workgroups(k, rows, c->entry->clusters), &ka);
        if (error)
            return error;
    }
    return 0;
}

flyStatus_t flyRmsNorm(flyHandle_t h, const flyRmsNormArgs_t *args)
{
    flyRmsNormArgs_t a;
    return fly_rowwise_call(h, &fly_op_rmsnorm, validate, launch, args, &a, sizeof a);
}

flyStatus_t flyRmsNormPlan(flyHandle_t h, const flyRmsNormArgs_t *args, flyPlan_t *plan)
{
    flyRmsNormArgs_t a;
    return fly_rowwise_plan(h, &fly_op_rmsnorm, "flyRmsNormPlan", validate, args, &a, plan);
}

/* ---- for bench and tests ---- */

static flyRmsNormArgs_t args_of(const struct fly_problem *p, void *const ptr[])
{
    return (flyRmsNormArgs_t){.size = sizeof(flyRmsNormArgs_t), .rows = p->v[F_ROWS], .cols = p->v[F_COLS],
                              .x = ptr[O_X], .gamma = ptr[O_GAMMA], .y = ptr[O_Y], .rstd = ptr[O_RSTD],
                              .residual = ptr[O_RESIDUAL], .residual_out = ptr[O_RESIDUAL_OUT],
                              .yscale = ptr[O_YSCALE], .xscale = ptr[O_XSCALE], .ldx = p->v[F_LDX],
                              .ldy = p->v[F_LDY], .ldr = p->v[F_LDR], .ldro = p->v[F_LDRO],
                              .eps = fly_field_to_float(p->v[F_EPS]), .dtype = p->types[0], .wdtype = p->types[1],
                              .ydtype = p->types[2]};
}

static flyStatus_t run(flyHandle_t h, const struct fly_problem *p, void *const ptr[], void *ws, uint64_t ws_bytes)
{
    (void)ws, (void)ws_bytes;
    flyRmsNormArgs_t a = args_of(p, ptr);
    return flyRmsNorm(h, &a);
}

static flyStatus_t plan(flyHandle_t h, const struct fly_problem *p, void *const ptr[], flyPlan_t *out)
{
    flyRmsNormArgs_t a = args_of(p, ptr);
    return flyRmsNormPlan(h, &a, out);
}

const struct fly_op fly_op_rmsnorm = {
    .name = "rmsnorm",
    .function = function_name,
    .fields = fields,
    .nfields = NFIELDS,
    .id = FLY_OP_rmsnorm,
    .ntypes = 3,
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
