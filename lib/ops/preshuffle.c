/* SPDX-License-Identifier: MIT */
/* flyPreshuffleB: weights into the order matrix units read them, on the device and on the host.
 * fly/preshuffle.h is its contract. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <fly/preshuffle.h>

#include "core/args.h"
#include "core/dtype.h"
#include "core/launch.h"

#define FLY_REGISTRY "preshuffle.inc"
#define FLY_THIS_OP  FLY_OP_preshuffle
#include "core/registry_rows.h"

static const char function_name[] = "flyPreshuffleB";

/* ---- the problem: types say the width, since bits are moved and not values ---- */

enum { F_N, F_K, F_LD, F_BATCH, F_STRIDE_SRC, F_STRIDE_DST, F_FROM, NFIELDS };

static const char *const layouts[] = {"row", "column", NULL};
enum { FROM_ROW, FROM_COLUMN };

static const struct fly_field fields[NFIELDS] = {
    [F_N] = {"n", FLY_FIELD_INT, FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, 1, INT64_MAX, NULL,
             "rows of B"},
    [F_K] = {"k", FLY_FIELD_INT, FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, 1, INT64_MAX, NULL,
             "columns of B"},
    [F_LD] = {"ld", FLY_FIELD_INT, 0, -1, 0, 0, INT64_MAX, NULL,
              "elements between rows of the source; 0: dense"},
    [F_BATCH] = {"batch", FLY_FIELD_INT, FLY_FIELD_TUNE, -1, 1, 1, INT64_MAX, NULL, "matrices"},
    [F_STRIDE_SRC] = {"stride_src", FLY_FIELD_INT, 0, -1, 0, 0, INT64_MAX, NULL,
                      "between sources; 0: dense"},
    [F_STRIDE_DST] = {"stride_dst", FLY_FIELD_INT, 0, -1, 0, 0, INT64_MAX, NULL,
                      "between results; 0: dense"},
    [F_FROM] = {"from", FLY_FIELD_WORD, FLY_FIELD_CHOICE, -1, FROM_ROW, 0, 0, layouts,
                "how the source lies"},
};

static const uint8_t types[][3] = {
    {FLY_DTYPE_I8, FLY_DTYPE_I8, FLY_DTYPE_I8},
    {FLY_DTYPE_BF16, FLY_DTYPE_BF16, FLY_DTYPE_BF16},
    {FLY_DTYPE_NONE},
};

enum { MAX_BATCH = 65535, MAX_ROW = 1 << 27, MAX_N = 1 << 30 };

/* A matrix and how it is moved, all of it in bytes. Both the device and the host go by it. */
struct move {
    int64_t n, k_bytes, bytes; /* rows, bytes of a row of B, of an element */
    int64_t ld, stride_src, row_dst, stride_dst;
    int64_t batch;
    bool column;
};

static int64_t round_up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

static struct move move_of(int64_t bytes, const int64_t v[NFIELDS])
{
    struct move m = {.n = v[F_N], .k_bytes = v[F_K] * bytes, .bytes = bytes, .batch = v[F_BATCH]};
    m.column = v[F_FROM] == FROM_COLUMN;
    m.ld = (v[F_LD] ? v[F_LD] : m.column ? v[F_N] : v[F_K]) * bytes;
    m.stride_src = v[F_STRIDE_SRC] ? v[F_STRIDE_SRC] * bytes : m.ld * (m.column ? v[F_K] : v[F_N]);
    m.row_dst = round_up(m.k_bytes, 64);
    m.stride_dst = v[F_STRIDE_DST] ? v[F_STRIDE_DST] * bytes : round_up(m.n, 16) * m.row_dst;
    return m;
}

static struct move move_of_problem(const struct fly_problem *p)
{
    return move_of(fly_dtype_bits(p->types[0]) / 8, p->v);
}

/* Whether the matrices of all batches reach beyond 2^63 bytes, of the source or of the result. */
static bool too_large(const struct move *m, bool result)
{
    int64_t n, rows = m->column ? m->k_bytes / m->bytes : m->n;
    int64_t stride = result ? m->stride_dst : m->stride_src;
    int64_t matrix = result ? round_up(m->n, 16) * m->row_dst : rows * m->ld;
    return __builtin_mul_overflow(m->batch - 1, stride, &n) ||
           __builtin_add_overflow(n, matrix, &n);
}

static const char *check(const struct fly_problem *p)
{
    const int64_t *v = p->v;
    int64_t bytes = fly_dtype_bits(p->types[0]) / 8;
    if (v[F_N] > MAX_N || v[F_K] > MAX_ROW / bytes)
        return "n must be at most 2^30 and a row at most 2^27 bytes";
    if (v[F_K] * bytes % 16)
        return "k must be a multiple of 16 bytes";
    if (v[F_LD] && v[F_LD] < (v[F_FROM] == FROM_COLUMN ? v[F_N] : v[F_K]))
        return "ld must be at least the length of a row of the source";
    if (v[F_LD] > INT32_MAX || v[F_BATCH] > MAX_BATCH)
        return "ld must be below 2^31 and batch at most 65535";
    if (v[F_STRIDE_SRC] > INT64_MAX / 4 / MAX_BATCH || v[F_STRIDE_DST] > INT64_MAX / 4 / MAX_BATCH)
        return "a stride is too large";
    if (v[F_STRIDE_DST] * bytes % 16)
        return "stride_dst must be a multiple of 16 bytes";
    struct move m = move_of_problem(p);
    if (too_large(&m, false) || too_large(&m, true))
        return "the matrices of a batch must not pass 2^63 bytes";
    return NULL;
}

enum { O_SRC, O_DST, NOPERANDS };

static uint32_t operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS])
{
    struct move m = move_of_problem(p);
    int64_t rows = m.column ? p->v[F_K] : m.n, cols = m.column ? m.n : p->v[F_K], bytes = m.bytes;
    const struct fly_operand list[NOPERANDS] = {
        [O_SRC] = {"src",
                   FLY_IN,
                   p->types[0],
                   false,
                   true,
                   3,
                   {m.batch, rows, cols},
                   {m.stride_src / bytes, m.ld / bytes, 1}},
        [O_DST] = {"dst",
                   FLY_OUT,
                   p->types[2],
                   false,
                   true,
                   2,
                   {m.batch, round_up(m.n, 16) * m.row_dst / bytes},
                   {m.stride_dst / bytes, 1}},
    };
    memcpy(out, list, sizeof list);
    return NOPERANDS;
}

static void ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params)
{
    struct move m = move_of_problem(p);
    *data = (uint64_t)(m.batch * (m.n * m.k_bytes + round_up(m.n, 16) * m.row_dst));
    *params = 0;
}

/* ---- kernels ---- */

/* Workgroups along a strip of 16 rows. */
static int64_t groups_of(const struct fly_kernel *k, const struct move *m)
{
    int64_t each = k->gemm.k * m->bytes;
    return (m->row_dst + each - 1) / each;
}

static const char *fits(const struct fly_kernel *k, const struct fly_problem *p)
{
    struct move m = move_of_problem(p);
    int64_t rows = m.column ? k->gemm.k : k->gemm.n;
    if (m.ld > INT32_MAX / rows)
        return "the rows a workgroup reads reach over 2 GiB";
    if (groups_of(k, &m) * (round_up(m.n, 16) / 16) > (int64_t)(UINT32_MAX / k->block))
        return "the matrix takes more workgroups than a grid can have";
    return NULL;
}

static int limits(const struct fly_kernel *k, char *text, size_t bytes)
{
    return snprintf(text, bytes, "16 rows, or %u of a [k, n] source, below 2^31 bytes", k->gemm.k);
}

static uint32_t heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                          const struct fly_target *t)
{
    (void)t;
    for (uint32_t i = 0; i < n; i++)
        if (!fits(&k[i], p))
            return i;
    return n;
}

static void grid(const struct fly_kernel *k, const struct fly_problem *p,
                 const struct fly_target *t, uint32_t g[3], uint32_t *launches)
{
    struct move m = move_of_problem(p);
    (void)t;
    g[0] = (uint32_t)(groups_of(k, &m) * (round_up(m.n, 16) / 16));
    g[1] = 1;
    g[2] = (uint32_t)m.batch;
    *launches = 1;
}

static uint64_t workspace(const struct fly_kernel *k, const struct fly_problem *p,
                          const struct fly_target *t)
{
    (void)k, (void)p, (void)t;
    return 0;
}

/* ---- the call ---- */

#define REFUSE(status, ...) return fly_fail(h, status, "%s: " __VA_ARGS__)
#define INVALID             FLY_STATUS_INVALID_VALUE

static bool misaligned(const void *p, unsigned bytes)
{
    return ((uintptr_t)p & (bytes - 1)) != 0;
}

/* Shape, types and layouts. h may be null: then the sentence is the thread's. */
static flyStatus_t validate(flyHandle_t h, const char *function, const flyPreshuffleBArgs_t *args,
                            const struct fly_arch *arch, bool pointers, flyPreshuffleBArgs_t *a,
                            struct fly_problem *p)
{
    flyStatus_t status = fly_args_copy(h, function, args, a, sizeof *a, sizeof *a);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (a->dtype == FLY_DTYPE_NONE || a->dtype >= FLY_DTYPE_COUNT)
        REFUSE(INVALID, "dtype = %" PRIu32 ": is no flyDtype_t", function, a->dtype);
    unsigned bits = fly_dtype_bits(a->dtype);
    if (bits != 8 && bits != 16)
        REFUSE(FLY_STATUS_NOT_SUPPORTED, "dtype = %s: must have 8 or 16 bits", function,
               fly_dtype_token(a->dtype));
    if (a->from != FLY_LAYOUT_ROW && a->from != FLY_LAYOUT_COLUMN)
        REFUSE(INVALID, "from = %" PRIu32 ": must be FLY_LAYOUT_ROW or FLY_LAYOUT_COLUMN", function,
               a->from);
    if (a->to > FLY_LAYOUT_COLUMN)
        REFUSE(INVALID, "to = %" PRIu32 ": is no flyLayout_t", function, a->to);
    if (a->to != FLY_LAYOUT_B16 || !(arch->caps & FLY_CAP_MFMA))
        REFUSE(FLY_STATUS_NOT_SUPPORTED, "to = %" PRIu32 ": %s", function, a->to,
               arch->caps & FLY_CAP_MFMA ? "must be FLY_LAYOUT_B16"
                                         : "the arch has no kernels for shuffled weights");
    if (a->reserved)
        REFUSE(INVALID, "reserved = %" PRIu32 ": must be 0", function, a->reserved);
    int64_t bytes = bits / 8, chunk = 16 / bytes;
    if (a->n < 1 || a->n > MAX_N)
        REFUSE(INVALID, "n = %" PRId64 ": must be 1 to 2^30", function, a->n);
    if (a->k < 1 || a->k > MAX_ROW / bytes)
        REFUSE(INVALID, "k = %" PRId64 ": must be 1 to %" PRId64 " (2^27 bytes)", function, a->k,
               MAX_ROW / bytes);
    if (a->k % chunk)
        REFUSE(INVALID, "k = %" PRId64 ": %s needs a multiple of %" PRId64, function, a->k,
               fly_dtype_token(a->dtype), chunk);
    int64_t length = a->from == FLY_LAYOUT_COLUMN ? a->n : a->k;
    if (a->ld && (a->ld < length || a->ld > INT32_MAX))
        REFUSE(INVALID, "ld = %" PRId64 ": must be 0 or at least %" PRId64 ", and below 2^31",
               function, a->ld, length);
    if (a->batch < 0 || a->batch > MAX_BATCH)
        REFUSE(INVALID, "batch = %" PRId64 ": must be 0 (for 1) to %d", function, a->batch,
               MAX_BATCH);
    if (a->stride_src < 0 || a->stride_src > INT64_MAX / 4 / MAX_BATCH)
        REFUSE(INVALID, "stride_src = %" PRId64 ": must be 0 to 2^45", function, a->stride_src);
    if (a->stride_dst < 0 || a->stride_dst > INT64_MAX / 4 / MAX_BATCH || a->stride_dst % chunk)
        REFUSE(INVALID,
               "stride_dst = %" PRId64 ": must be a multiple of %" PRId64
               ", not negative, below 2^45",
               function, a->stride_dst, chunk);
    if (pointers && !a->src)
        REFUSE(INVALID, "src = NULL: must point to the weights", function);
    if (pointers && !a->dst)
        REFUSE(INVALID, "dst = NULL: must point to memory for the shuffled weights", function);
    if (misaligned(a->src, (unsigned)bytes))
        REFUSE(INVALID, "src = %p: must be aligned to %" PRId64 " bytes", function, a->src, bytes);
    if (misaligned(a->dst, 16))
        REFUSE(INVALID, "dst = %p: must be aligned to 16 bytes", function, a->dst);

    p->op = FLY_OP_preshuffle;
    p->types[0] = p->types[1] = p->types[2] = bits == 8 ? FLY_DTYPE_I8 : FLY_DTYPE_BF16;
    p->nfields = NFIELDS;
    p->v[F_N] = a->n;
    p->v[F_K] = a->k;
    p->v[F_LD] = a->ld == length ? 0 : a->ld;
    p->v[F_BATCH] = a->batch ? a->batch : 1;
    p->v[F_STRIDE_SRC] = a->stride_src;
    p->v[F_STRIDE_DST] = a->stride_dst;
    p->v[F_FROM] = a->from == FLY_LAYOUT_COLUMN ? FROM_COLUMN : FROM_ROW;
    struct move m = move_of_problem(p);
    for (int result = 0; result < 2; result++)
        if (too_large(&m, result))
            REFUSE(INVALID, "batch = %" PRId64 ": the matrices of %s pass 2^63 bytes", function,
                   a->batch, result ? "dst" : "src");
    return FLY_STATUS_SUCCESS;
}

/* How the kernel reads the source. */
enum { READ_CHUNKS, READ_ELEMENTS, READ_COLUMNS };

static int launch(const struct fly_call *c, const void *args)
{
    const flyPreshuffleBArgs_t *a = args;
    struct move m = move_of_problem(&c->entry->problem);
    bool aligned = !misaligned(a->src, 16) && m.ld % 16 == 0 && m.stride_src % 16 == 0;
    struct kernargs_layout ka = {
        .dst = (uint64_t)(uintptr_t)a->dst,
        .src = (uint64_t)(uintptr_t)a->src,
        .ld = m.ld,
        .stride_src = m.stride_src,
        .stride_dst = m.stride_dst,
        .n = (int32_t)m.n,
        .k_bytes = (int32_t)m.k_bytes,
        .groups = (int32_t)groups_of(c->entry->kernel, &m),
        .from = m.column  ? READ_COLUMNS
                : aligned ? READ_CHUNKS
                          : READ_ELEMENTS,
    };
    return fly_launch_grid(c, c->entry->grid, &ka);
}

flyStatus_t flyPreshuffleB(flyHandle_t h, const flyPreshuffleBArgs_t *args)
{
    flyPreshuffleBArgs_t a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, function_name);
    flyStatus_t status = validate(h, function_name, args, h->device->target.arch, true, &a, &p);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    return fly_dispatch(h, &fly_op_preshuffle, &p, launch, &a, 0);
}

flyStatus_t flyPreshuffleBPlan(flyHandle_t h, const flyPreshuffleBArgs_t *args, flyPlan_t *plan)
{
    static const char name[] = "flyPreshuffleBPlan";
    flyPreshuffleBArgs_t a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, name);
    flyStatus_t status = validate(h, name, args, h->device->target.arch, false, &a, &p);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    return fly_plan(h, &fly_op_preshuffle, &p, plan);
}

flyStatus_t flyPreshuffleBSize(flyHandle_t h, const flyPreshuffleBArgs_t *args, uint64_t *bytes)
{
    static const char name[] = "flyPreshuffleBSize";
    flyPreshuffleBArgs_t a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, name);
    if (!bytes)
        return fly_fail(h, INVALID, "%s: bytes = NULL: must point to a uint64_t", name);
    flyStatus_t status = validate(h, name, args, h->device->target.arch, false, &a, &p);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    struct move m = move_of_problem(&p);
    *bytes = (uint64_t)((m.batch - 1) * m.stride_dst + round_up(m.n, 16) * m.row_dst);
    return FLY_STATUS_SUCCESS;
}

/* ---- on the host ---- */

static void shuffle(const struct move *m, const char *src, char *dst)
{
    memset(dst, 0, (size_t)(round_up(m->n, 16) * m->row_dst));
    for (int64_t row = 0; row < m->n; row++)
        for (int64_t at = 0; at < m->k_bytes; at += 16) {
            char *to = dst + (row / 16 * (m->row_dst / 64) + at / 64) * 1024 + at % 64 / 16 * 256 +
                       row % 16 * 16;
            if (!m->column)
                memcpy(to, src + row * m->ld + at, 16);
            else
                for (int64_t i = 0; i < 16; i += m->bytes)
                    memcpy(to + i, src + (at + i) / m->bytes * m->ld + row * m->bytes,
                           (size_t)m->bytes);
        }
}

flyStatus_t flyPreshuffleBHost(const char *arch, const flyPreshuffleBArgs_t *args)
{
    static const char name[] = "flyPreshuffleBHost";
    flyPreshuffleBArgs_t a;
    struct fly_problem p;
    fly_thread_message_clear();
    if (!arch)
        return fly_fail(NULL, INVALID, "%s: arch = NULL: must name a target", name);
    const struct fly_arch *row = fly_arch_find(arch);
    if (!row)
        return fly_fail(NULL, FLY_STATUS_NOT_SUPPORTED,
                        "%s: arch = %s: libfly has no kernels for it", name, arch);
    flyStatus_t status = validate(NULL, name, args, row, true, &a, &p);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    struct move m = move_of_problem(&p);
    for (int64_t i = 0; i < m.batch; i++)
        shuffle(&m, (const char *)a.src + i * m.stride_src, (char *)a.dst + i * m.stride_dst);
    return FLY_STATUS_SUCCESS;
}

/* ---- for bench and tests ---- */

static flyPreshuffleBArgs_t args_of(const struct fly_problem *p, void *const ptr[])
{
    flyPreshuffleBArgs_t a = FLY_ARGS_INIT(a);
    a.n = p->v[F_N];
    a.k = p->v[F_K];
    a.ld = p->v[F_LD];
    a.batch = p->v[F_BATCH];
    a.stride_src = p->v[F_STRIDE_SRC];
    a.stride_dst = p->v[F_STRIDE_DST];
    a.dtype = p->types[0];
    a.from = p->v[F_FROM] == FROM_COLUMN ? FLY_LAYOUT_COLUMN : FLY_LAYOUT_ROW;
    a.to = FLY_LAYOUT_B16;
    a.src = ptr[O_SRC];
    a.dst = ptr[O_DST];
    return a;
}

static flyStatus_t run(flyHandle_t h, const struct fly_problem *p, void *const ptr[], void *ws,
                       uint64_t ws_bytes)
{
    (void)ws, (void)ws_bytes;
    flyPreshuffleBArgs_t a = args_of(p, ptr);
    return flyPreshuffleB(h, &a);
}

static flyStatus_t plan(flyHandle_t h, const struct fly_problem *p, void *const ptr[],
                        flyPlan_t *out)
{
    flyPreshuffleBArgs_t a = args_of(p, ptr);
    return flyPreshuffleBPlan(h, &a, out);
}

const struct fly_op fly_op_preshuffle = {
    .name = "preshuffle",
    .function = function_name,
    .fields = fields,
    .nfields = NFIELDS,
    .id = FLY_OP_preshuffle,
    .ntypes = 3,
    .tile = FLY_TILE_GEMM,
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
