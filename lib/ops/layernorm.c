/* SPDX-License-Identifier: MIT */
/* flyLayerNorm: validation, the problem it makes, and its launch. fly/layernorm.h is its contract. */
#include <float.h>
#include <inttypes.h>
#include <string.h>

#include <fly/layernorm.h>

#include "core/args.h"
#include "core/dtype.h"
#include "core/launch.h"
#include "ops/rowwise.h"

#define FLY_REGISTRY "layernorm.inc"
#define FLY_THIS_OP FLY_OP_layernorm
#include "core/registry_rows.h"

static const char function_name[] = "flyLayerNorm";

/* ---- the problem ---- */

enum { F_ROWS, F_COLS, F_LDX, F_LDY, F_EPS, F_GAMMA, F_BETA, F_MEAN, F_RSTD, NFIELDS };

#define EPS_DEFAULT 0x3727c5ac /* 1e-5f */

static const struct fly_field fields[NFIELDS] = {
    [F_ROWS] = {"rows", FLY_FIELD_INT, FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, 0, INT64_MAX, NULL,
                "rows; 0 does nothing"},
    [F_COLS] = {"cols", FLY_FIELD_INT, FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, 1, INT64_MAX, NULL,
                "columns"},
    [F_LDX] = {"ldx", FLY_FIELD_INT, 0, F_COLS, 0, 1, INT64_MAX, NULL, "elements between rows of x"},
    [F_LDY] = {"ldy", FLY_FIELD_INT, 0, F_COLS, 0, 1, INT64_MAX, NULL, "elements between rows of y"},
    [F_EPS] = {"eps", FLY_FIELD_FLOAT, 0, -1, EPS_DEFAULT, 0, 0, NULL, "added to the variance"},
    [F_GAMMA] = {"gamma", FLY_FIELD_INT, 0, -1, 1, 0, 1, NULL, "1: scale by gamma"},
    [F_BETA] = {"beta", FLY_FIELD_INT, 0, -1, 1, 0, 1, NULL, "1: add beta"},
    [F_MEAN] = {"mean", FLY_FIELD_INT, 0, -1, 0, 0, 1, NULL, "1: write the mean of each row"},
    [F_RSTD] = {"rstd", FLY_FIELD_INT, 0, -1, 0, 0, 1, NULL, "1: write 1 / standard deviation of each row"},
};

static const uint8_t types[][3] = {
    {FLY_DTYPE_F32, FLY_DTYPE_F32, FLY_DTYPE_F32},
    {FLY_DTYPE_F16, FLY_DTYPE_F16, FLY_DTYPE_F16},
    {FLY_DTYPE_BF16, FLY_DTYPE_BF16, FLY_DTYPE_BF16},
    {FLY_DTYPE_NONE},
};

/* Whether [rows, cols] with rows `ld` apart can be addressed: its bytes fit int64_t. */
static bool addressable(int64_t rows, int64_t ld, int64_t cols, int64_t bytes)
{
    int64_t n;
    return rows == 0 || (!__builtin_mul_overflow(rows - 1, ld, &n) && !__builtin_add_overflow(n, cols, &n) &&
                         !__builtin_mul_overflow(n, bytes, &n));
}

static const char *check(const struct fly_problem *p)
{
    const int64_t *v = p->v;
    int64_t bytes = (int64_t)fly_dtype_bits(p->types[0]) / 8;
    float eps = fly_field_to_float(v[F_EPS]);
    if (v[F_LDX] < v[F_COLS])
        return "ldx must be at least cols";
    if (v[F_LDY] < v[F_COLS])
        return "ldy must be at least cols";
    if (!(eps >= 0 && eps <= FLT_MAX))
        return "eps must not be negative, and finite";
    if (!addressable(v[F_ROWS], v[F_LDX], v[F_COLS], bytes) || !addressable(v[F_ROWS], v[F_LDY], v[F_COLS], bytes))
        return "rows * ld must stay below 2^63 bytes";
    return NULL;
}

/* ---- operands ---- */

enum { O_X, O_GAMMA, O_BETA, O_Y, O_MEAN, O_RSTD, NOPERANDS };

static uint32_t operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS])
{
    const int64_t *v = p->v;
    int64_t rows = v[F_ROWS], cols = v[F_COLS];
    uint8_t in = p->types[0], weight = p->types[1], result = p->types[2];
    const struct fly_operand list[NOPERANDS] = {
        [O_X] = {"x", FLY_IN, in, false, true, 2, {rows, cols}, {v[F_LDX], 1}},
        [O_GAMMA] = {"gamma", FLY_PARAM, weight, true, v[F_GAMMA], 1, {cols}, {1}},
        [O_BETA] = {"beta", FLY_PARAM, weight, true, v[F_BETA], 1, {cols}, {1}},
        [O_Y] = {"y", FLY_OUT, result, false, true, 2, {rows, cols}, {v[F_LDY], 1}},
        [O_MEAN] = {"mean", FLY_OUT, FLY_DTYPE_F32, true, v[F_MEAN], 1, {rows}, {1}},
        [O_RSTD] = {"rstd", FLY_OUT, FLY_DTYPE_F32, true, v[F_RSTD], 1, {rows}, {1}},
    };
    memcpy(out, list, sizeof list);
    return NOPERANDS;
}

static void ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params)
{
    const int64_t *v = p->v;
    uint64_t row = fly_dtype_bytes(p->types[0], (uint64_t)v[F_COLS]) + fly_dtype_bytes(p->types[2], (uint64_t)v[F_COLS]);
    *data = (uint64_t)v[F_ROWS] * row;
    *params = (uint64_t)(v[F_GAMMA] + v[F_BETA]) * fly_dtype_bytes(p->types[1], (uint64_t)v[F_COLS]);
}

/* ---- kernels ---- */

static const char *fits(const struct fly_kernel *k, const struct fly_problem *p)
{
    return fly_rowwise_fits(k, p->v[F_COLS]);
}

static uint32_t heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                          const struct fly_target *t)
{
    return fly_rowwise_heuristic(k, n, p->v[F_ROWS], p->v[F_COLS], t);
}

static int limits(const struct fly_kernel *k, char *text, size_t bytes)
{
    return fly_rowwise_limits(k, text, bytes);
}

static void grid(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t,
                 uint32_t g[3], uint32_t *launches)
{
    (void)t;
    fly_rowwise_grid(k, p->v[F_ROWS], g, launches);
}

static uint64_t workspace(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t)
{
    (void)k, (void)p, (void)t;
    return 0;
}

/* ---- the call ---- */

#define REFUSE(status, ...) return fly_fail(h, status, "%s: " __VA_ARGS__)

static bool misaligned(const void *p, unsigned bytes)
{
    return ((uintptr_t)p & (bytes - 1)) != 0;
}

/* Checks args, copies them with defaults filled in, and makes the problem. */
static flyStatus_t validate(flyHandle_t h, const char *function, const flyLayerNormArgs_t *args,
                            flyLayerNormArgs_t *a, struct fly_problem *p)
{
    flyStatus_t status = fly_args_copy(h, function, args, a, sizeof *a, sizeof *a);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (a->dtype == FLY_DTYPE_NONE || a->dtype >= FLY_DTYPE_COUNT)
        REFUSE(FLY_STATUS_INVALID_VALUE, "dtype = %" PRIu32 ": is no flyDtype_t", function, a->dtype);
    if (a->dtype > FLY_DTYPE_BF16)
        REFUSE(FLY_STATUS_NOT_SUPPORTED, "dtype = %s: must be f32, f16 or bf16", function, fly_dtype_token(a->dtype));
    if (a->rows < 0)
        REFUSE(FLY_STATUS_INVALID_VALUE, "rows = %" PRId64 ": must not be negative", function, a->rows);
    if (a->cols < 1)
        REFUSE(FLY_STATUS_INVALID_VALUE, "cols = %" PRId64 ": must be at least 1", function, a->cols);
    if (!a->x)
        REFUSE(FLY_STATUS_INVALID_VALUE, "x = NULL: must point to device memory", function);
    if (!a->y)
        REFUSE(FLY_STATUS_INVALID_VALUE, "y = NULL: must point to device memory", function);
    unsigned bytes = fly_dtype_bits(a->dtype) / 8;
    const struct {
        const char *name;
        const void *p;
        unsigned bytes;
    } pointers[NOPERANDS] = {{"x", a->x, bytes}, {"gamma", a->gamma, bytes}, {"beta", a->beta, bytes},
                             {"y", a->y, bytes}, {"mean", a->mean, 4},       {"rstd", a->rstd, 4}};
    for (int i = 0; i < NOPERANDS; i++)
        if (misaligned(pointers[i].p, pointers[i].bytes))
            REFUSE(FLY_STATUS_INVALID_VALUE, "%s = %p: must be aligned to %u bytes", function, pointers[i].name,
                   pointers[i].p, pointers[i].bytes);
    if (a->ldx == 0)
        a->ldx = a->cols;
    if (a->ldy == 0)
        a->ldy = a->cols;
    if (a->ldx < a->cols)
        REFUSE(FLY_STATUS_INVALID_VALUE, "ldx = %" PRId64 ": must be at least cols = %" PRId64, function, a->ldx, a->cols);
    if (a->ldy < a->cols)
        REFUSE(FLY_STATUS_INVALID_VALUE, "ldy = %" PRId64 ": must be at least cols = %" PRId64, function, a->ldy, a->cols);
    if (!(a->eps >= 0 && a->eps <= FLT_MAX))
        REFUSE(FLY_STATUS_INVALID_VALUE, "eps = %g: must be finite and not negative", function, (double)a->eps);
    int64_t ld = a->ldx > a->ldy ? a->ldx : a->ldy;
    if (!addressable(a->rows, ld, a->cols, bytes))
        REFUSE(FLY_STATUS_INVALID_VALUE, "rows = %" PRId64 ": with rows %" PRId64 " elements apart the matrix passes 2^63 bytes",
               function, a->rows, ld);

    p->op = FLY_OP_layernorm;
    p->types[0] = p->types[1] = p->types[2] = (uint8_t)a->dtype;
    p->nfields = NFIELDS;
    p->v[F_ROWS] = a->rows;
    p->v[F_COLS] = a->cols;
    p->v[F_LDX] = a->ldx;
    p->v[F_LDY] = a->ldy;
    p->v[F_EPS] = fly_field_from_float(a->eps);
    p->v[F_GAMMA] = a->gamma != NULL;
    p->v[F_BETA] = a->beta != NULL;
    p->v[F_MEAN] = a->mean != NULL;
    p->v[F_RSTD] = a->rstd != NULL;
    return FLY_STATUS_SUCCESS;
}

/* Address of element `i` of an operand that may be absent. */
static uint64_t at(const void *p, int64_t i, unsigned bytes)
{
    return p ? (uint64_t)(uintptr_t)p + (uint64_t)i * bytes : 0;
}

static int launch(const struct fly_call *c, const void *args)
{
    const flyLayerNormArgs_t *a = args;
    const struct fly_kernel *k = c->entry->kernel;
    unsigned bytes = fly_dtype_bits(a->dtype) / 8;
    int64_t most = c->entry->launches == 1 ? a->rows : fly_rowwise_rows_per_launch(k);
    for (int64_t row = 0; row < a->rows; row += most) {
        int64_t rows = a->rows - row < most ? a->rows - row : most;
        struct kernargs_layout ka = {
            .x = at(a->x, row * a->ldx, bytes),
            .gamma = at(a->gamma, 0, bytes),
            .beta = at(a->beta, 0, bytes),
            .y = at(a->y, row * a->ldy, bytes),
            .mean = at(a->mean, row, 4),
            .rstd = at(a->rstd, row, 4),
            .rows = (int32_t)rows,
            .cols = (int32_t)a->cols,
            .ldx = a->ldx,
            .ldy = a->ldy,
            .eps = a->eps,
        };
        int error = fly_launch(c, fly_rowwise_workgroups(k, rows), &ka);
        if (error)
            return error;
    }
    return 0;
}

flyStatus_t flyLayerNorm(flyHandle_t h, const flyLayerNormArgs_t *args)
{
    flyLayerNormArgs_t a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, function_name);
    flyStatus_t status = validate(h, function_name, args, &a, &p);
    if (status != FLY_STATUS_SUCCESS || a.rows == 0)
        return status;
    return fly_dispatch(h, &fly_op_layernorm, &p, launch, &a, 0);
}

flyStatus_t flyLayerNormPlan(flyHandle_t h, const flyLayerNormArgs_t *args, flyPlan_t *plan)
{
    static const char name[] = "flyLayerNormPlan";
    flyLayerNormArgs_t a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, name);
    flyStatus_t status = validate(h, name, args, &a, &p);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    return fly_plan(h, &fly_op_layernorm, a.rows ? &p : NULL, plan);
}

/* ---- for bench and tests ---- */

static flyLayerNormArgs_t args_of(const struct fly_problem *p, void *const ptr[])
{
    flyLayerNormArgs_t a = FLY_ARGS_INIT(a);
    a.dtype = p->types[0];
    a.rows = p->v[F_ROWS];
    a.cols = p->v[F_COLS];
    a.ldx = p->v[F_LDX];
    a.ldy = p->v[F_LDY];
    a.eps = fly_field_to_float(p->v[F_EPS]);
    a.x = ptr[O_X];
    a.gamma = ptr[O_GAMMA];
    a.beta = ptr[O_BETA];
    a.y = ptr[O_Y];
    a.mean = ptr[O_MEAN];
    a.rstd = ptr[O_RSTD];
    return a;
}

static flyStatus_t run(flyHandle_t h, const struct fly_problem *p, void *const ptr[], void *ws, uint64_t ws_bytes)
{
    (void)ws, (void)ws_bytes;
    flyLayerNormArgs_t a = args_of(p, ptr);
    return flyLayerNorm(h, &a);
}

static flyStatus_t plan(flyHandle_t h, const struct fly_problem *p, void *const ptr[], flyPlan_t *out)
{
    flyLayerNormArgs_t a = args_of(p, ptr);
    return flyLayerNormPlan(h, &a, out);
}

const struct fly_op fly_op_layernorm = {
    .name = "layernorm",
    .function = function_name,
    .fields = fields,
    .nfields = NFIELDS,
    .id = FLY_OP_layernorm,
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
    .fits = fits,
    .heuristic = heuristic,
    .limits = limits,
    .grid = grid,
    .workspace = workspace,
    .ideal_bytes = ideal_bytes,
    .run = run,
    .plan = plan,
};
