/* SPDX-License-Identifier: MIT */
/* What the gradients of the norms share; see normbwd.h. */
#include "ops/normbwd.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/arch.h"
#include "core/dtype.h"
#include "ops/rowwise.h"
#include "ops/rowwise_args.h"

/* LayerNorm's kernel arguments start with RMSNorm's. */
#define FLY_REGISTRY "layernormbwd.inc"
#include "core/registry_kernargs.h"
#define FLY_KERNARG(op, name, offset, size, kind)                                                  \
    _Static_assert(offsetof(struct kernargs_layout, name) == (offset), "kernel argument " #name " lies elsewhere");
#include "rmsnormbwd.inc"

enum { LINE = 64 }; /* bytes of a cache line */

/* ---- the problem ---- */

#define FLAG(fallback, doc) FLY_FIELD_INT, 0, -1, fallback, 0, 1, NULL, doc
#define CHOICE(fallback, doc) FLY_FIELD_INT, FLY_FIELD_CHOICE, -1, fallback, 0, 1, NULL, doc

const struct fly_field fly_normbwd_fields[FLY_NORMBWD_FIELDS] = {
    [FLY_NORMBWD_ROWS] = {"rows", FLY_FIELD_INT, FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, 0, INT64_MAX, NULL,
                          "rows; 0 only zeroes the sums over rows"},
    [FLY_NORMBWD_COLS] = {"cols", FLY_ROWWISE_FIELD_COLS},
    [FLY_NORMBWD_LDX] = {"ldx", FLY_ROWWISE_FIELD_LD("x")},
    [FLY_NORMBWD_LDDY] = {"lddy", FLY_ROWWISE_FIELD_LD("dy")},
    [FLY_NORMBWD_LDDX] = {"lddx", FLY_ROWWISE_FIELD_LD("dx")},
    [FLY_NORMBWD_LDDR] = {"lddr", FLY_ROWWISE_FIELD_LD("dresidual")},
    [FLY_NORMBWD_GAMMA] = {"gamma", FLAG(1, "0: all ones")},
    [FLY_NORMBWD_DGAMMA] = {"dgamma", CHOICE(1, "0: not wanted")},
    [FLY_NORMBWD_ADD] = {"add", CHOICE(0, "1: add dresidual to dx")},
    [FLY_NORMBWD_ATOMIC] = {"atomic", CHOICE(0, "1: sums over rows by atomics, in no fixed order")},
    [FLY_NORMBWD_DBETA] = {"dbeta", CHOICE(1, "0: not wanted")},
};

/* LayerNorm has a mean, and two sums over rows where RMSNorm has one. */
static bool centred(const struct fly_problem *p)
{
    return fly_op_table[p->op]->nfields > FLY_NORMBWD_DBETA;
}

static unsigned halves(const struct fly_problem *p)
{
    return centred(p) ? 2 : 1;
}

static bool wants_sums(const struct fly_problem *p)
{
    return p->v[FLY_NORMBWD_DGAMMA] || (centred(p) && p->v[FLY_NORMBWD_DBETA]);
}

const char *fly_normbwd_check(const struct fly_problem *p)
{
    const int64_t *v = p->v;
    int64_t ld = 0;
    for (int f = FLY_NORMBWD_LDX; f <= FLY_NORMBWD_LDDR; f++) {
        if (v[f] < v[FLY_NORMBWD_COLS])
            return "a leading dimension must be at least cols";
        ld = v[f] > ld ? v[f] : ld;
    }
    if (!fly_rowwise_addressable(v[FLY_NORMBWD_ROWS], ld, v[FLY_NORMBWD_COLS], 4))
        return "rows * ld must stay below 2^63 bytes";
    return NULL;
}

/* ---- operands ---- */

uint32_t fly_normbwd_operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS])
{
    const int64_t *v = p->v;
    int64_t rows = v[FLY_NORMBWD_ROWS], cols = v[FLY_NORMBWD_COLS];
    uint8_t in = p->types[0], weight = p->types[1];
    const bool mean = centred(p);
    uint32_t n = 0;
    out[n++] = (struct fly_operand){"x", FLY_IN, in, false, true, 2, {rows, cols}, {v[FLY_NORMBWD_LDX], 1}};
    out[n++] = (struct fly_operand){"gamma", FLY_PARAM, weight, true, v[FLY_NORMBWD_GAMMA], 1, {cols}, {1}};
    out[n++] = (struct fly_operand){"dy", FLY_IN, in, false, true, 2, {rows, cols}, {v[FLY_NORMBWD_LDDY], 1}};
    if (mean)
        out[n++] = (struct fly_operand){"mean", FLY_PARAM, FLY_DTYPE_F32, false, true, 1, {rows}, {1}};
    out[n++] = (struct fly_operand){"rstd", FLY_PARAM, FLY_DTYPE_F32, false, true, 1, {rows}, {1}};
    out[n++] = (struct fly_operand){"dresidual", FLY_IN, in, true, v[FLY_NORMBWD_ADD], 2, {rows, cols},
                                    {v[FLY_NORMBWD_LDDR], 1}};
    out[n++] = (struct fly_operand){"dx", FLY_OUT, in, false, true, 2, {rows, cols}, {v[FLY_NORMBWD_LDDX], 1}};
    out[n++] = (struct fly_operand){"dgamma", FLY_OUT, weight, true, v[FLY_NORMBWD_DGAMMA], 1, {cols}, {1}, true};
    if (mean)
        out[n++] = (struct fly_operand){"dbeta", FLY_OUT, weight, true, v[FLY_NORMBWD_DBETA], 1, {cols}, {1}, true};
    return n;
}

void fly_normbwd_ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params)
{
    const int64_t *v = p->v;
    uint64_t cols = (uint64_t)v[FLY_NORMBWD_COLS];
    *data = (uint64_t)v[FLY_NORMBWD_ROWS] * fly_dtype_bytes(p->types[0], cols) * (v[FLY_NORMBWD_ADD] ? 4 : 3);
    *params = fly_dtype_bytes(p->types[1], cols) *
              (uint64_t)(v[FLY_NORMBWD_GAMMA] + v[FLY_NORMBWD_DGAMMA] + (centred(p) ? v[FLY_NORMBWD_DBETA] : 0));
}

/* ---- kernels ---- */

const char *fly_normbwd_fits(const struct fly_kernel *k, const struct fly_problem *p)
{
    if (k->rowwise.flags & FLY_ROWWISE_SUM)
        return "it only adds up what the other kernels of its op leave";
    return fly_rowwise_fits(k, p->v[FLY_NORMBWD_COLS]);
}

int fly_normbwd_limits(const struct fly_kernel *k, char *text, size_t bytes)
{
    if (k->rowwise.flags & FLY_ROWWISE_SUM)
        return snprintf(text, bytes, "runs after another kernel");
    return fly_rowwise_limits(k, text, bytes);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Kernels there have vectors at multiples of their size only, and ask for the next row before they work on the one
 * they have. */
static bool on_nvidia(const struct fly_arch *arch)
{
    return strcmp(arch->group, "nvptx") == 0;
}

/* Whether rows do not all lie at multiples of a vector. */
static bool odd(const struct fly_problem *p)
{
    int64_t any = p->v[FLY_NORMBWD_COLS];
    for (int f = FLY_NORMBWD_LDX; f <= (p->v[FLY_NORMBWD_ADD] ? FLY_NORMBWD_LDDR : FLY_NORMBWD_LDDX); f++)
        any |= p->v[f];
    return any * fly_dtype_bits(p->types[0]) % 128 != 0;
}

/* The narrowest tile that holds the row; a program goes on from row to row, so there is no wait to hide by more
 * vectors. Then those that take any row, vectors first. On NVIDIA vectors that are not aligned are taken element by
 * element; tiles of single elements, which ask for the next row, are two to three times as fast, but not in short
 * rows. */
uint32_t fly_normbwd_heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                               const struct fly_target *t)
{
    enum { SHORT = 128 }; /* columns */
    const bool elements = on_nvidia(t->arch) && odd(p) && p->v[FLY_NORMBWD_COLS] > SHORT;
    uint32_t best = n;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const struct fly_rowwise_tile *tile = &k[i].rowwise;
        if (fly_normbwd_fits(&k[i], p))
            continue;
        int64_t room = fly_rowwise_max_cols(&k[i]);
        int64_t cost = (room ? room : INT64_MAX / 4) + tile->vectors;
        if (elements && room)
            cost += tile->vec == 1 ? 0 : INT64_MAX / 8;
        else if (tile->vec == 1)
            cost += INT64_MAX / 4;
        /* Rows of a wave of 64 each take more instructions then than a row of four waves whose lanes lack columns. */
        if (t->arch->wave == 64 && tile->threads == 64 && tile->vectors > 2 && tile->vec == 8 && !odd(p))
            cost += room / 2;
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

/* Columns from where the grid starts to the rows: to the cache line x lies in, or less where the tile has no
 * room, and a line more where a last vector that is not whole would share columns with one of another wave. */
static int64_t before_of(const struct fly_kernel *k, int64_t cols, const void *x, const struct fly_arch *arch)
{
    const unsigned wave = arch->wave;
    const struct fly_rowwise_tile *tile = &k->rowwise;
    int64_t bytes = fly_dtype_bits(k->types[0]) / 8, line = LINE / bytes;
    int64_t step = smaller(tile->threads, wave) * tile->vec;
    if (tile->vec == 1 || on_nvidia(arch))
        return 0;
    int64_t before = (int64_t)((uintptr_t)x % LINE) / bytes;
    if (tile->passes == 1)
        before = smaller(before, fly_rowwise_max_cols(k) - cols);
    if (tile->threads >= wave && (cols + before - 1) % step < tile->vec - 1)
        before += line;
    return before;
}

/* Workgroups of a program. */
static uint32_t cluster_of(const struct fly_kernel *k)
{
    return k->cluster ? k->cluster : 1;
}

/* Programs that run at once where kernels ask ahead: their registers, mostly sums over rows and two rows' elements,
 * allow no more work-items on a compute unit. A large cluster does not get the last units: they are in groups of
 * uneven sizes, and a cluster lies in one; a few programs more than fit would take as long as twice as many. */
static int64_t resident_programs(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t)
{
    const uint32_t elements = k->rowwise.vectors * k->rowwise.vec;
    /* Where rows share a workgroup, four vectors' places and LayerNorm's second sum take registers of 128 lanes each. */
    const bool shared = k->rowwise.rows > 1 && k->rowwise.vec > 1;
    const uint32_t of_16 = 512 - 128 * (shared && centred(p)) - 128 * (shared && k->rowwise.vectors > 2);
    const uint32_t lanes = elements <= 8 ? 768 : elements <= 16 ? of_16 : 256;
    int64_t groups = (int64_t)t->cus * (lanes > k->block ? lanes / k->block : 1) / cluster_of(k);
    if (cluster_of(k) > 2)
        groups = groups * 7 / 8;
    return groups ? groups : 1;
}

/*
 * Workgroups of the first kernel. Each costs a row of f32 a sum in the workspace, written and read, and a start, in which
 * it finds its columns and gamma. So there are enough that each compute unit has eight waves of 64, more where rows
 * would keep many more busy; but no more than leave the workspace's traffic below SHARE percent of the bytes that must
 * move, as long as each compute unit has one. On NVIDIA as many as are resident, of which beyond one a compute unit each
 * has two rows.
 */
enum { SHARE = 12 };

static int64_t programs_of(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t)
{
    int64_t rows = p->v[FLY_NORMBWD_ROWS], groups = rows / k->rowwise.rows + (rows % k->rowwise.rows != 0);
    if (on_nvidia(t->arch)) {
        int64_t two = groups / 2 + groups % 2, most = smaller(groups, resident_programs(k, p, t));
        return smaller(most, two > t->cus ? two : t->cus);
    }
    int64_t busy = (int64_t)t->cus * (k->block >= 512 ? 1 : 512 / k->block);
    int64_t programs = smaller(groups, groups >= 32 * busy ? 2 * busy : busy);
    int64_t element = fly_dtype_bits(k->types[0]) / 8 * (p->v[FLY_NORMBWD_ADD] ? 4 : 3); /* bytes moved for one of x */
    int64_t most = wants_sums(p) && rows < INT64_MAX / 4096 ? rows * element * SHARE / (100 * 8 * (int64_t)halves(p)) : programs;
    programs = smaller(programs, most);
    return programs > t->cus ? programs / t->cus * t->cus : smaller(groups, t->cus); /* as many on each compute unit */
}

/* Rows of the workspace that programs share where they add atomically, a power of two. */
enum { SHARED_ROWS = 64 };

/* Rows of a program from where on its sums are in two parts where they lie in memory: equal terms lose a third of an ulp
 * each. */
enum { LONG_SUM = 16 };

static bool by_atomics(const struct fly_kernel *k, const struct fly_problem *p)
{
    return p->v[FLY_NORMBWD_ATOMIC] && k->rowwise.passes == 1;
}

/* Rows of the workspace. */
static int64_t partial_rows(const struct fly_kernel *k, const struct fly_problem *p, int64_t programs)
{
    if (by_atomics(k, p))
        return smaller(programs, SHARED_ROWS);
    return k->rowwise.passes == 2 && p->v[FLY_NORMBWD_ROWS] / LONG_SUM > programs ? 2 * programs : programs;
}

struct fly_normbwd_work fly_normbwd_work(const struct fly_kernel *k, const struct fly_problem *p,
                                         const struct fly_target *t, const void *x)
{
    int64_t cols = p->v[FLY_NORMBWD_COLS], vec = k->rowwise.vec, before = before_of(k, cols, x, t->arch);
    /* The workspace is planned for any x. */
    int64_t room = x ? cols + before : cols + (vec > 1 ? 2 * LINE * 8 / fly_dtype_bits(k->types[0]) : 0);
    /* No workgroup that adds up has places of both sums. */
    int64_t step = on_nvidia(t->arch) && vec == 1 ? 64 : 16;
    int64_t lanes = ((room + vec - 1) / vec + step - 1) / step * step;
    return (struct fly_normbwd_work){(int32_t)programs_of(k, p, t), (int32_t)before, (int32_t)lanes, lanes * vec};
}

uint64_t fly_normbwd_workspace(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t)
{
    if (!wants_sums(p))
        return 0;
    const struct fly_normbwd_work w = fly_normbwd_work(k, p, t, NULL);
    return 4 * (uint64_t)partial_rows(k, p, w.programs) * halves(p) * (uint64_t)w.half;
}

void fly_normbwd_grid(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t,
                      uint32_t grid[3], uint32_t *launches)
{
    const bool sums = wants_sums(p);
    grid[0] = (uint32_t)programs_of(k, p, t) * cluster_of(k);
    grid[1] = grid[2] = 1;
    *launches = (grid[0] > 0) + sums + (sums && grid[0] && by_atomics(k, p));
}

const struct fly_kernel *fly_normbwd_second(const struct fly_kernel *k, const struct fly_problem *p,
                                            const struct fly_target *t)
{
    (void)t;
    const struct fly_op *op = fly_op_table[p->op];
    for (uint32_t i = 0; wants_sums(p) && i < op->nkernels; i++) {
        const struct fly_kernel *s = &op->kernels[i];
        if (s->arch == k->arch && !memcmp(s->types, k->types, sizeof s->types) && s->rowwise.flags & FLY_ROWWISE_SUM)
            return s;
    }
    return NULL;
}

/* ---- the call ---- */

static flyStatus_t validate(flyHandle_t h, const struct fly_op *op, const char *function, struct fly_normbwd_args *a,
                            struct fly_problem *p)
{
    flyStatus_t status = fly_rowwise_float_type(h, function, "dtype", a->dtype);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (a->wdtype == FLY_DTYPE_NONE)
        a->wdtype = a->dtype;
    if (a->wdtype >= FLY_DTYPE_COUNT)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: wdtype = %" PRIu32 ": is no flyDtype_t", function, a->wdtype);
    if (a->wdtype != a->dtype && a->wdtype != FLY_DTYPE_F32)
        return fly_fail(h, FLY_STATUS_NOT_SUPPORTED, "%s: wdtype = %s: must be dtype = %s%s", function,
                        fly_dtype_token(a->wdtype), fly_dtype_token(a->dtype), a->dtype == FLY_DTYPE_F32 ? "" : " or f32");
    if (a->atomic > 1)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: atomic = %" PRIu32 ": must be 0 or 1", function, a->atomic);
    *p = (struct fly_problem){.op = op->id, .types = {(uint8_t)a->dtype, (uint8_t)a->wdtype, (uint8_t)a->dtype},
                              .nfields = op->nfields};
    const uint8_t in = p->types[0], weight = p->types[1];
    const struct fly_rowwise_tensor tensors[] = {
        {"x", a->x, &a->ldx, "ldx", in, FLY_REQUIRED, NULL},
        {"gamma", a->gamma, NULL, NULL, weight, FLY_OPTIONAL, NULL},
        {"dy", a->dy, &a->lddy, "lddy", in, FLY_REQUIRED, NULL},
        {"mean", a->mean, NULL, NULL, FLY_DTYPE_F32, centred(p) ? FLY_REQUIRED : FLY_OPTIONAL, NULL},
        {"rstd", a->rstd, NULL, NULL, FLY_DTYPE_F32, FLY_REQUIRED, NULL},
        {"dresidual", a->dresidual, &a->lddr, "lddr", in, FLY_OPTIONAL, NULL},
        {"dx", a->dx, &a->lddx, "lddx", in, FLY_REQUIRED | FLY_WRITTEN, NULL},
        {"dgamma", a->dgamma, NULL, NULL, weight, FLY_OPTIONAL, NULL},
        {"dbeta", a->dbeta, NULL, NULL, weight, FLY_OPTIONAL, NULL},
    };
    status = fly_rowwise_validate(h, function, a->rows, a->cols, tensors, sizeof tensors / sizeof *tensors);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if ((uintptr_t)a->workspace % 16)
        return fly_fail(h, FLY_STATUS_INVALID_VALUE, "%s: workspace = %p: must be aligned to 16 bytes", function, a->workspace);
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
    if (centred(p))
        p->v[FLY_NORMBWD_DBETA] = a->dbeta != NULL;
    return FLY_STATUS_SUCCESS;
}

static uint64_t address(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* Places of the workspace that a workgroup of the kernel that adds up takes. */
static uint32_t places_of(const struct fly_kernel *sum)
{
    return sum->rowwise.threads * sum->rowwise.vec;
}

/* Zeroes the workspace with the kernel that adds up: nothing added up is zero in every type. */
static int clear(const struct fly_call *c, uint64_t at, uint64_t bytes)
{
    const uint64_t element = fly_dtype_bits(c->entry->kernel->types[1]) / 8, most = UINT64_C(1) << 30;
    for (uint64_t n = bytes / element, some; n; n -= some, at += some * element) {
        some = n < most ? n : most;
        const uint64_t places = places_of(c->entry->second);
        struct kernargs_layout ka = {.dgamma = at, .partial = at, .cols = (int32_t)some,
                                     .lanes = (int32_t)((some + places - 1) / places * places), .vec = 1};
        const uint32_t g[3] = {(uint32_t)(ka.lanes / places), 1, 1};
        int error = fly_launch_second(c, g, &ka);
        if (error)
            return error;
    }
    return 0;
}

static int launch(const struct fly_call *c, const void *args)
{
    const struct fly_normbwd_args *a = args;
    const struct fly_kernel *k = c->entry->kernel, *sum = c->entry->second;
    const struct fly_problem *p = &c->entry->problem;
    const struct fly_normbwd_work w = fly_normbwd_work(k, p, &c->h->device->target, a->x);
    const int64_t rows = partial_rows(k, p, w.programs), row = halves(p) * w.half;
    struct kernargs_layout ka = {
        .x = address(a->x),
        .dy = address(a->dy),
        .dresidual = address(a->dresidual),
        .gamma = address(a->gamma),
        .rstd = address(a->rstd),
        .y = address(a->dx),
        .dgamma = address(a->dgamma),
        .partial = sum ? address(a->workspace) : 0,
        .ldx = a->ldx,
        .lddy = a->lddy,
        .lddr = a->lddr,
        .ldy = a->lddx,
        .rows = a->rows,
        .stride = by_atomics(k, p) || rows == w.programs ? row : 2 * row,
        .cols = (int32_t)a->cols,
        .before = w.before,
        .lanes = w.lanes,
        .programs = w.programs,
        .vec = k->rowwise.vec,
        .atomic = by_atomics(k, p) ? SHARED_ROWS : rows > w.programs,
        .mean = address(a->mean),
        .dbeta = address(a->dbeta),
    };
    int error = 0;
    if (w.programs && sum && by_atomics(k, p))
        error = clear(c, ka.partial, c->entry->workspace);
    if (w.programs && !error)
        error = fly_launch(c, (uint32_t)w.programs * cluster_of(c->entry->kernel), &ka);
    if (error || !sum)
        return error;
    ka.programs = (int32_t)rows;
    ka.stride = row;
    return fly_launch_second(c, (const uint32_t[3]){(uint32_t)(halves(p) * (w.half / places_of(sum))), 1, 1}, &ka);
}

flyStatus_t fly_normbwd_call(flyHandle_t h, const struct fly_op *op, fly_normbwd_read_fn *read, const void *args)
{
    struct fly_normbwd_args a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, op->function);
    flyStatus_t status = read(h, op->function, args, &a);
    if (status == FLY_STATUS_SUCCESS)
        status = validate(h, op, op->function, &a, &p);
    if (status != FLY_STATUS_SUCCESS || (a.rows == 0 && !wants_sums(&p)))
        return status;
    return fly_dispatch(h, op, &p, launch, &a, a.workspace ? a.workspace_bytes : 0);
}

flyStatus_t fly_normbwd_plan(flyHandle_t h, const struct fly_op *op, const char *function, fly_normbwd_read_fn *read,
                             const void *args, flyPlan_t *plan)
{
    struct fly_normbwd_args a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, function);
    flyStatus_t status = read(h, function, args, &a);
    if (status == FLY_STATUS_SUCCESS)
        status = validate(h, op, function, &a, &p);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    return fly_plan(h, op, a.rows || wants_sums(&p) ? &p : NULL, plan);
}

/* ---- for bench and tests ---- */

struct fly_normbwd_args fly_normbwd_args_of(const struct fly_problem *p, void *const ptr[])
{
    const int64_t *v = p->v;
    struct fly_normbwd_args a = {
        .rows = v[FLY_NORMBWD_ROWS], .cols = v[FLY_NORMBWD_COLS], .ldx = v[FLY_NORMBWD_LDX], .lddy = v[FLY_NORMBWD_LDDY],
        .lddx = v[FLY_NORMBWD_LDDX], .lddr = v[FLY_NORMBWD_LDDR], .dtype = p->types[0], .wdtype = p->types[1],
        .atomic = (uint32_t)v[FLY_NORMBWD_ATOMIC]};
    const bool mean = centred(p);
    uint32_t n = 0;
    a.x = ptr[n++];
    a.gamma = ptr[n++];
    a.dy = ptr[n++];
    a.mean = mean ? ptr[n++] : NULL;
    a.rstd = ptr[n++];
    a.dresidual = ptr[n++];
    a.dx = ptr[n++];
    a.dgamma = ptr[n++];
    a.dbeta = mean ? ptr[n++] : NULL;
    return a;
}
