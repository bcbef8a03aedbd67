/* SPDX-License-Identifier: MIT */
/* flyVecAdd: validation, the problem it makes, and its launch. fly/vecadd.h is its contract. */
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include <fly/vecadd.h>

#include "core/args.h"
#include "core/dtype.h"
#include "core/launch.h"
#include "ops/rowwise.h"
#include "ops/rowwise_args.h"

#define FLY_REGISTRY "vecadd.inc"
#define FLY_THIS_OP FLY_OP_vecadd
#include "core/registry_rows.h"

static const char function_name[] = "flyVecAdd";

/* ---- the problem ---- */

enum { F_N, NFIELDS };

static const struct fly_field fields[NFIELDS] = {
    [F_N] = {"n", FLY_FIELD_INT, FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, 0, INT64_MAX / 4, NULL,
             "elements; 0 does nothing"},
};

static const uint8_t types[][3] = {
    {FLY_DTYPE_F32, FLY_DTYPE_NONE, FLY_DTYPE_F32},
    {FLY_DTYPE_F16, FLY_DTYPE_NONE, FLY_DTYPE_F16},
    {FLY_DTYPE_BF16, FLY_DTYPE_NONE, FLY_DTYPE_BF16},
    {FLY_DTYPE_NONE},
};

static const char *check(const struct fly_problem *p)
{
    (void)p;
    return NULL;
}

/* ---- operands ---- */

enum { O_A, O_B, O_Y, NOPERANDS };

static uint32_t operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS])
{
    const struct fly_operand list[NOPERANDS] = {
        [O_A] = {"a", FLY_IN, p->types[0], false, true, 1, {p->v[F_N]}, {1}},
        [O_B] = {"b", FLY_IN, p->types[0], false, true, 1, {p->v[F_N]}, {1}},
        [O_Y] = {"y", FLY_OUT, p->types[2], false, true, 1, {p->v[F_N]}, {1}},
    };
    memcpy(out, list, sizeof list);
    return NOPERANDS;
}

static void ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params)
{
    *data = 3 * fly_dtype_bytes(p->types[0], (uint64_t)p->v[F_N]);
    *params = 0;
}

/* ---- kernels ---- */

static int64_t piece(const struct fly_kernel *k)
{
    return (int64_t)k->rowwise.threads * k->rowwise.vectors * k->rowwise.vec;
}

static const char *fits(const struct fly_kernel *k, const struct fly_problem *p)
{
    (void)k, (void)p;
    return NULL;
}

/* The largest piece that still gives every compute unit four workgroups; else the smallest. */
static uint32_t heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p, const struct fly_target *t)
{
    for (uint32_t i = n; i-- > 1;)
        if (p->v[F_N] / piece(&k[i]) >= 4 * (int64_t)t->cus)
            return i;
    return 0;
}

/* Elements of one launch: whole pieces, so that every launch finds its vectors aligned as the first does. */
static int64_t elements_per_launch(const struct fly_kernel *k)
{
    return (int64_t)(FLY_MAX_WORKITEMS / k->block - 1) * piece(k);
}

/* The first piece may start up to a cache line before the vector. */
static uint32_t workgroups(const struct fly_kernel *k, int64_t n, int64_t before)
{
    return (uint32_t)((n + before + piece(k) - 1) / piece(k));
}

static void grid(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t,
                 uint32_t out[3], uint32_t *launches)
{
    (void)t;
    int64_t n = p->v[F_N], most = elements_per_launch(k), count = (n + most - 1) / most;
    out[0] = workgroups(k, n < most ? n : most, 0);
    out[1] = out[2] = 1;
    *launches = count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/* ---- the call ---- */

static flyStatus_t validate(flyHandle_t h, const char *function, const void *args, void *copy, struct fly_problem *p)
{
    flyVecAddArgs_t *a = copy;
    flyStatus_t status = fly_args_copy(h, function, args, a, sizeof *a, sizeof *a);
    if (status == FLY_STATUS_SUCCESS)
        status = fly_rowwise_float_type(h, function, "dtype", a->dtype);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (a->n < 0 || a->n > fields[F_N].max)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: n = %" PRId64 ": must be 0 to 2^61 - 1", function, a->n);
    if (a->reserved)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: reserved = %" PRIu32 ": must be 0", function, a->reserved);
    uint8_t type = (uint8_t)a->dtype;
    const struct fly_rowwise_tensor tensors[] = {
        {"a", a->a, NULL, NULL, type, FLY_REQUIRED, NULL},
        {"b", a->b, NULL, NULL, type, FLY_REQUIRED, NULL},
        {"y", a->y, NULL, NULL, type, FLY_REQUIRED, NULL},
    };
    status = fly_rowwise_validate(h, function, 1, 1, tensors, sizeof tensors / sizeof *tensors);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    *p = (struct fly_problem){.op = FLY_OP_vecadd, .types = {type, FLY_DTYPE_NONE, type}, .nfields = NFIELDS};
    p->v[F_N] = a->n;
    return FLY_STATUS_SUCCESS;
}

static int launch(const struct fly_call *c, const void *args)
{
    const flyVecAddArgs_t *a = args;
    const struct fly_kernel *k = c->entry->kernel;
    unsigned bytes = fly_dtype_bits(a->dtype) / 8;
    int64_t most = elements_per_launch(k), before = (int64_t)((uintptr_t)a->a % 64) / bytes;
    for (int64_t at = 0; at < a->n; at += most) {
        int64_t n = a->n - at < most ? a->n - at : most;
        struct kernargs_layout ka = {
            .a = fly_at(a->a, at, bytes),
            .b = fly_at(a->b, at, bytes),
            .y = fly_at(a->y, at, bytes),
            .n = n,
        };
        int error = fly_launch(c, workgroups(k, n, before), &ka);
        if (error)
            return error;
    }
    return 0;
}

flyStatus_t flyVecAdd(flyHandle_t h, const flyVecAddArgs_t *args)
{
    flyVecAddArgs_t a;
    return fly_rowwise_call(h, &fly_op_vecadd, validate, launch, args, &a, sizeof a);
}

flyStatus_t flyVecAddPlan(flyHandle_t h, const flyVecAddArgs_t *args, flyPlan_t *plan)
{
    flyVecAddArgs_t a;
    return fly_rowwise_plan(h, &fly_op_vecadd, "flyVecAddPlan", validate, args, &a, plan);
}

/* ---- for bench and tests ---- */

static flyVecAddArgs_t args_of(const struct fly_problem *p, void *const ptr[])
{
    return (flyVecAddArgs_t){.size = sizeof(flyVecAddArgs_t), .n = p->v[F_N], .a = ptr[O_A], .b = ptr[O_B],
                             .y = ptr[O_Y], .dtype = p->types[0]};
}

static flyStatus_t run(flyHandle_t h, const struct fly_problem *p, void *const ptr[], void *ws, uint64_t ws_bytes)
{
    (void)ws, (void)ws_bytes;
    flyVecAddArgs_t a = args_of(p, ptr);
    return flyVecAdd(h, &a);
}

static flyStatus_t plan(flyHandle_t h, const struct fly_problem *p, void *const ptr[], flyPlan_t *out)
{
    flyVecAddArgs_t a = args_of(p, ptr);
    return flyVecAddPlan(h, &a, out);
}

const struct fly_op fly_op_vecadd = {
    .name = "vecadd",
    .function = function_name,
    .fields = fields,
    .nfields = NFIELDS,
    .id = FLY_OP_vecadd,
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
    .fits = fits,
    .heuristic = heuristic,
    .grid = grid,
    .workspace = fly_no_workspace,
    .ideal_bytes = ideal_bytes,
    .run = run,
    .plan = plan,
};
