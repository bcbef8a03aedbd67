/* SPDX-License-Identifier: MIT */
/* flyGemmPreshuffle: validation, the problem it makes, selection and launch. fly/gemm.h is its
 * contract. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <fly/gemm.h>
#include <fly/preshuffle.h>

#include "core/args.h"
#include "core/dtype.h"
#include "core/launch.h"
#include "ops/gemm_model.h"

#define FLY_REGISTRY "gemm.inc"
#define FLY_THIS_OP  FLY_OP_gemm
#include "core/registry_rows.h"

static const char function_name[] = "flyGemmPreshuffle";

/* ---- the problem ---- */

enum {
    F_M,
    F_N,
    F_K,
    F_BATCH,
    F_LDA,
    F_LDC,
    F_STRIDE_A,
    F_STRIDE_B,
    F_STRIDE_C,
    F_STRIDE_SCALE_A,
    F_STRIDE_SCALE_B,
    F_STRIDE_BIAS,
    F_EPI,
    F_SCALE,
    F_SPLIT,
    NFIELDS
};

static const char *const epilogues[] = {"none",      "bias",      "bias_relu",
                                        "bias_silu", "bias_gelu", NULL};
enum { EPILOGUES = 5 };

/* First letter: A by nothing, a tensor's value, or a value a row; second: B, a value a column. */
static const char *const scales[] = {"none", "nt", "nc", "tn", "tt", "tc", "rn", "rt", "rc", NULL};
enum { SCALE_MODES = 3 };

#define SIZE(name, flags, same, low, doc)                                                          \
    {                                                                                              \
        name, FLY_FIELD_INT, flags, same, low, low, INT64_MAX, NULL, doc                           \
    }
#define STRIDE(name, doc)                                                                          \
    {                                                                                              \
        name, FLY_FIELD_INT, 0, -1, 0, 0, INT64_MAX, NULL, doc                                     \
    }

static const struct fly_field fields[NFIELDS] = {
    [F_M] =
        SIZE("m", FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 0, "rows of A and C; 0 does nothing"),
    [F_N] = SIZE("n", FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 1, "columns of C"),
    [F_K] = SIZE("k", FLY_FIELD_REQUIRED | FLY_FIELD_TUNE, -1, 1,
                 "columns of A, a multiple of 16 bytes"),
    [F_BATCH] = SIZE("batch", FLY_FIELD_TUNE, -1, 1, "products"),
    [F_LDA] = SIZE("lda", 0, F_K, 1, "elements between rows of A"),
    [F_LDC] = SIZE("ldc", 0, F_N, 1, "elements between rows of C"),
    [F_STRIDE_A] = STRIDE("stride_a", "elements between A matrices; 0: m * lda"),
    [F_STRIDE_B] = STRIDE("stride_b", "elements between B matrices; 0: dense"),
    [F_STRIDE_C] = STRIDE("stride_c", "elements between C matrices; 0: m * ldc"),
    [F_STRIDE_SCALE_A] = STRIDE("stride_sa", "elements between scales of A; 0: shared"),
    [F_STRIDE_SCALE_B] = STRIDE("stride_sb", "elements between scales of B; 0: shared"),
    [F_STRIDE_BIAS] = STRIDE("stride_bias", "elements between biases; 0: shared"),
    [F_EPI] = {"epi", FLY_FIELD_WORD, 0, -1, 0, 0, 0, epilogues, "what happens to the scaled sum"},
    [F_SCALE] = {"scale", FLY_FIELD_WORD, 0, -1, 0, 0, 0, scales,
                 "scales of A and B: n none, t one value, r a value a row, c a value a column"},
    [F_SPLIT] = STRIDE("split", "parts of k; 0: as many as pay, 1: runs without workspace"),
};

#define TYPES(in)                                                                                  \
    {in, in, FLY_DTYPE_BF16}, {in, in, FLY_DTYPE_F16},                                             \
    {                                                                                              \
        in, in, FLY_DTYPE_F32                                                                      \
    }
static const uint8_t types[][3] = {
    TYPES(FLY_DTYPE_BF16), TYPES(FLY_DTYPE_F16),      TYPES(FLY_DTYPE_I8),
    TYPES(FLY_DTYPE_E4M3), TYPES(FLY_DTYPE_E4M3FNUZ), {FLY_DTYPE_NONE},
};

static int64_t round_up(int64_t x, int64_t to)
{
    return (x + to - 1) / to * to;
}

static int64_t in_bytes(const struct fly_problem *p)
{
    return fly_dtype_bits(p->types[0]) / 8;
}

static int64_t out_bytes(const struct fly_problem *p)
{
    return fly_dtype_bits(p->types[2]) / 8;
}

/* Bytes of a row of shuffled B, and elements of one matrix. */
static int64_t row_b(const struct fly_problem *p)
{
    return round_up(p->v[F_K] * in_bytes(p), 64);
}

static int64_t dense_b(const struct fly_problem *p)
{
    return round_up(p->v[F_N], 16) * row_b(p) / in_bytes(p);
}

static int64_t stride_or(int64_t stride, int64_t dense)
{
    return stride ? stride : dense;
}

enum { MAX_SPLITS = 255, MAX_BATCH = 65535, MAX_ROW = 1 << 27, MAX_SIZE = 1 << 30 };

/* Which of A, B and C passes 2^63 bytes: its matrices `stride` apart, rows `ld` apart. Null: none.
 */
static const char *too_large(const struct fly_problem *p)
{
    static const char *const names[] = {"a", "b", "c"};
    const int64_t *v = p->v, last = v[F_M] ? v[F_M] - 1 : 0;
    const struct {
        int64_t stride, matrix, bytes;
    } list[] = {
        {stride_or(v[F_STRIDE_A], v[F_M] * v[F_LDA]), last * v[F_LDA] + v[F_K], in_bytes(p)},
        {stride_or(v[F_STRIDE_B], dense_b(p)), dense_b(p), in_bytes(p)},
        {stride_or(v[F_STRIDE_C], v[F_M] * v[F_LDC]), last * v[F_LDC] + v[F_N], out_bytes(p)},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        int64_t n;
        if (__builtin_mul_overflow(v[F_BATCH] - 1, list[i].stride, &n) ||
            __builtin_add_overflow(n, list[i].matrix, &n) ||
            __builtin_mul_overflow(n, list[i].bytes, &n))
            return names[i];
    }
    return NULL;
}

/* Sizes such that everything counted in bytes fits int64_t and everything inside a block 32 bits.
 */
static const char *check(const struct fly_problem *p)
{
    const int64_t *v = p->v;
    if (v[F_M] > MAX_SIZE || v[F_N] > MAX_SIZE)
        return "m and n must be at most 2^30";
    if (v[F_K] > MAX_ROW / in_bytes(p))
        return "a row of A must be at most 2^27 bytes";
    if (v[F_K] * in_bytes(p) % 16)
        return "k must be a multiple of 16 bytes";
    if (v[F_LDA] < v[F_K] || v[F_LDA] > INT32_MAX)
        return "lda must be at least k, and below 2^31";
    if (v[F_LDA] * in_bytes(p) % 16)
        return "lda must be a multiple of 16 bytes";
    if (v[F_LDC] < v[F_N] || v[F_LDC] > INT32_MAX)
        return "ldc must be at least n, and below 2^31";
    if (v[F_BATCH] > MAX_BATCH)
        return "batch must be at most 65535";
    for (int i = F_STRIDE_A; i <= F_STRIDE_BIAS; i++)
        if (v[i] > INT64_MAX / 4 / MAX_BATCH)
            return "a stride is too large";
    if (v[F_STRIDE_A] * in_bytes(p) % 16 || v[F_STRIDE_B] * in_bytes(p) % 16)
        return "stride_a and stride_b must be multiples of 16 bytes";
    if (too_large(p))
        return "the matrices of a batch must not pass 2^63 bytes";
    return NULL;
}

/* ---- operands ---- */

enum { O_A, O_B, O_C, O_SCALE_A, O_SCALE_B, O_BIAS, NOPERANDS };

static uint32_t operands(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS])
{
    const int64_t *v = p->v;
    int64_t m = v[F_M], n = v[F_N], k = v[F_K], batch = v[F_BATCH];
    int64_t mode_a = v[F_SCALE] / SCALE_MODES, mode_b = v[F_SCALE] % SCALE_MODES;
    int64_t stride_a = stride_or(v[F_STRIDE_A], m * v[F_LDA]),
            stride_c = stride_or(v[F_STRIDE_C], m * v[F_LDC]);
    int64_t stride_b = stride_or(v[F_STRIDE_B], dense_b(p));
    int64_t rows_a = mode_a == FLY_SCALE_VECTOR ? m : 1,
            cols_b = mode_b == FLY_SCALE_VECTOR ? n : 1;
    int64_t batch_a = v[F_STRIDE_SCALE_A] ? batch : 1, batch_b = v[F_STRIDE_SCALE_B] ? batch : 1;
    int64_t batch_bias = v[F_STRIDE_BIAS] ? batch : 1;
    uint8_t in = p->types[0], result = p->types[2];
    const struct fly_operand list[NOPERANDS] = {
        [O_A] = {"a", FLY_IN, in, false, true, 3, {batch, m, k}, {stride_a, v[F_LDA], 1}},
        [O_B] = {"b", FLY_IN, in, false, true, 2, {batch, dense_b(p)}, {stride_b, 1}},
        [O_C] = {"c", FLY_OUT, result, false, true, 3, {batch, m, n}, {stride_c, v[F_LDC], 1}},
        [O_SCALE_A] = {"scale_a",
                       FLY_PARAM,
                       FLY_DTYPE_F32,
                       true,
                       mode_a != FLY_SCALE_NONE,
                       2,
                       {batch_a, rows_a},
                       {stride_or(v[F_STRIDE_SCALE_A], rows_a), 1}},
        [O_SCALE_B] = {"scale_b",
                       FLY_PARAM,
                       FLY_DTYPE_F32,
                       true,
                       mode_b != FLY_SCALE_NONE,
                       2,
                       {batch_b, cols_b},
                       {stride_or(v[F_STRIDE_SCALE_B], cols_b), 1}},
        [O_BIAS] = {"bias",
                    FLY_PARAM,
                    result,
                    true,
                    v[F_EPI] != FLY_EPILOGUE_NONE,
                    2,
                    {batch_bias, n},
                    {stride_or(v[F_STRIDE_BIAS], n), 1}},
    };
    memcpy(out, list, sizeof list);
    return NOPERANDS;
}

static void ideal_bytes(const struct fly_problem *p, uint64_t *data, uint64_t *params)
{
    struct fly_operand o[FLY_MAX_OPERANDS];
    const int64_t *v = p->v;
    operands(p, o);
    *data = (uint64_t)(v[F_BATCH] *
                       ((v[F_M] + v[F_N]) * v[F_K] * in_bytes(p) + v[F_M] * v[F_N] * out_bytes(p)));
    *params = fly_operand_bytes(&o[O_SCALE_A]) + fly_operand_bytes(&o[O_SCALE_B]) +
              fly_operand_bytes(&o[O_BIAS]);
}

/* ---- kernels ---- */

static struct fly_gemm_shape shape_of(const struct fly_problem *p)
{
    return (struct fly_gemm_shape){p->v[F_M],
                                   p->v[F_N],
                                   p->v[F_K],
                                   p->v[F_BATCH],
                                   fly_dtype_bits(p->types[0]),
                                   fly_dtype_bits(p->types[2])};
}

static int64_t blocks(int64_t size, int64_t tile)
{
    return (size + tile - 1) / tile;
}

static const char *fits(const struct fly_kernel *k, const struct fly_problem *p)
{
    const struct fly_gemm_tile *g = &k->gemm;
    const int64_t *v = p->v;
    if (g->m == 0)
        return "it adds up the sums of other kernels";
    /* All rows of the block, those beyond C too: their offsets must lie beyond it. */
    if (g->m * v[F_LDA] * in_bytes(p) > INT32_MAX)
        return "the rows of a block of A reach over 2 GiB";
    if (g->m * v[F_LDC] * 4 > INT32_MAX)
        return "the rows of a block of C reach over 2 GiB";
    if (g->n * row_b(p) > INT32_MAX)
        return "the columns of a block of B reach over 2 GiB";
    if (blocks(v[F_M], g->m) * blocks(v[F_N], g->n) > (int64_t)(UINT32_MAX / k->block))
        return "there are more blocks than a grid can have";
    return NULL;
}

static int limits(const struct fly_kernel *k, char *text, size_t bytes)
{
    const struct fly_gemm_tile *g = &k->gemm;
    if (g->m == 0)
        return snprintf(text, bytes, "runs after a split-k kernel");
    return snprintf(text, bytes, "%u * lda and %u * ldc * 4 and %u * k below 2^31 bytes", g->m,
                    g->m, g->n);
}

/* Share of a kernel's blocks that lies inside C. */
static double used(const struct fly_kernel *k, const struct fly_gemm_shape *s)
{
    double blocks_m = (double)blocks(s->m, k->gemm.m), blocks_n = (double)blocks(s->n, k->gemm.n);
    return (double)s->m * (double)s->n / (blocks_m * blocks_n * k->gemm.m * k->gemm.n);
}

/* Decode asks for B once: one row of blocks. Then among kernels as among numbers of parts
 * (fly_gemm_best_splits): those near the least bound count, of them those that leave no grid of
 * fewer than two workgroups a CU in one part, and of these the fewest cycles win; where the model
 * sees little difference, the kernel that wastes less. */
#define NEAR 1.04
#define TIE  0.01

static uint32_t heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                          const struct fly_target *t)
{
    enum { ROWS = 64 };
    struct fly_gemm_shape s = shape_of(p);
    struct fly_gemm_parts parts[ROWS];
    uint32_t most = p->v[F_SPLIT] ? (uint32_t)p->v[F_SPLIT] : MAX_SPLITS;
    double bound = INFINITY, least[2] = {INFINITY, INFINITY};
    uint32_t pick[2] = {n, n}; /* of all, of those near the least bound */
    bool fit[ROWS], thick = false, once = false;
    if (n > ROWS)
        n = ROWS;
    for (uint32_t i = 0; i < n; i++) {
        fit[i] = !fits(&k[i], p);
        once |= fit[i] && k[i].gemm.m >= s.m && s.m <= FLY_GEMM_DECODE;
    }
    for (uint32_t i = 0; i < n; i++) {
        fit[i] &= !once || k[i].gemm.m >= s.m;
        if (fit[i])
            parts[i] = fly_gemm_best_splits(&k[i], &s, t, most);
        if (fit[i] && parts[i].least < bound)
            bound = parts[i].least;
    }
    double near_bound = NEAR * bound > FLY_GEMM_ALIKE ? NEAR * bound : FLY_GEMM_ALIKE;
    for (uint32_t i = 0; i < n; i++)
        thick |= fit[i] && !parts[i].thin && parts[i].bound <= near_bound;
    for (uint32_t i = 0; i < n; i++) {
        if (!fit[i] || (thick && parts[i].thin))
            continue;
        double cycles = parts[i].cycles * (1 + TIE * (1 - used(&k[i], &s)));
        for (int near = 0; near < 2; near++)
            if (cycles <= least[near] && (!near || parts[i].bound <= near_bound)) {
                least[near] = cycles; /* of equals the smaller block */
                pick[near] = i;
            }
    }
    return pick[least[1] <= FLY_GEMM_WORTH * least[0]];
}

/* k tiles of a split, and the number of splits that leaves. */
static uint32_t split_of(const struct fly_kernel *k, const struct fly_problem *p,
                         const struct fly_target *t, uint32_t *split_tiles)
{
    /* The last answer, for it is asked for several times in a row. */
    static _Thread_local struct {
        const struct fly_kernel *k;
        const struct fly_arch *arch;
        struct fly_gemm_shape s;
        uint32_t cus, splits;
    } last;
    struct fly_gemm_shape s = shape_of(p);
    int64_t tiles = blocks(s.k, k->gemm.k), splits = p->v[F_SPLIT];
    if (!splits) {
        if (last.k != k || last.arch != t->arch || last.cus != t->cus ||
            memcmp(&last.s, &s, sizeof s)) {
            last.splits = fly_gemm_best_splits(k, &s, t, MAX_SPLITS).splits;
            last.k = k;
            last.arch = t->arch;
            last.cus = t->cus;
            last.s = s;
        }
        splits = last.splits;
    }
    if (splits > tiles)
        splits = tiles;
    if (splits > MAX_SPLITS)
        splits = MAX_SPLITS;
    *split_tiles = (uint32_t)blocks(tiles, splits);
    return (uint32_t)blocks(tiles, *split_tiles);
}

static void grid(const struct fly_kernel *k, const struct fly_problem *p,
                 const struct fly_target *t, uint32_t g[3], uint32_t *launches)
{
    uint32_t split_tiles;
    g[0] = (uint32_t)(blocks(p->v[F_M], k->gemm.m) * blocks(p->v[F_N], k->gemm.n));
    g[1] = split_of(k, p, t, &split_tiles);
    g[2] = (uint32_t)p->v[F_BATCH];
    *launches = g[1] > 1 ? 2 : 1;
}

static const struct fly_kernel *second(const struct fly_kernel *k, const struct fly_problem *p,
                                       const struct fly_target *t)
{
    uint32_t split_tiles;
    uint8_t sums = k->types[0] == FLY_DTYPE_I8 ? FLY_DTYPE_I32 : FLY_DTYPE_F32;
    if (split_of(k, p, t, &split_tiles) == 1)
        return NULL;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (kernels[i].arch == k->arch && kernels[i].types[0] == sums &&
            kernels[i].types[2] == k->types[2])
            return &kernels[i];
    return NULL;
}

/* A row of partial sums: n rounded up to whole vectors. */
static int64_t sums_row(const struct fly_problem *p)
{
    return round_up(p->v[F_N], 4) * 4;
}

static uint64_t workspace(const struct fly_kernel *k, const struct fly_problem *p,
                          const struct fly_target *t)
{
    uint32_t split_tiles, splits = split_of(k, p, t, &split_tiles);
    return splits == 1 ? 0 : (uint64_t)splits * (uint64_t)(p->v[F_BATCH] * p->v[F_M] * sums_row(p));
}

static double model(const struct fly_kernel *k, const struct fly_problem *p,
                    const struct fly_target *t, const char **bound)
{
    struct fly_gemm_shape s = shape_of(p);
    uint32_t split_tiles, splits = split_of(k, p, t, &split_tiles);
    struct fly_gemm_estimate e = fly_gemm_estimate(k, &s, t, splits);
    *bound = fly_gemm_bound_name(e.bound);
    return e.microseconds;
}

static const char *note(const struct fly_kernel *k, const struct fly_problem *p,
                        const struct fly_target *t)
{
    struct fly_gemm_shape s = shape_of(p);
    uint32_t split_tiles, splits = split_of(k, p, t, &split_tiles);
    bool sliced = k->gemm.slices > 1 && split_tiles > 1;
    if (splits > 1)
        return sliced ? "k in parts, which a second launch adds up, and in two slices a workgroup"
                      : "k in parts, which a second launch adds up";
    if (sliced)
        return "k in two slices a workgroup, added up in LDS";
    if (!fly_gemm_thin(k, &s, t, 1))
        return "k whole: there are two workgroups a CU or more";
    if (s.k <= k->gemm.k)
        return "k whole: it is a single tile";
    if (p->v[F_SPLIT] == 1)
        return "k whole: without workspace there are no parts";
    if (!fly_gemm_may_split(k, &s, t, 2))
        return "k whole: the sums of two parts would take more than 64 MiB";
    return "k whole: split it would be slower by the bound model";
}

/* ---- the call ---- */

#define REFUSE(status, ...) return fly_fail(h, status, "%s: " __VA_ARGS__)
#define INVALID             FLY_STATUS_INVALID_VALUE

static bool misaligned(const void *p, unsigned bytes)
{
    return ((uintptr_t)p & (bytes - 1)) != 0;
}

static bool input_type(uint32_t d)
{
    return d == FLY_DTYPE_BF16 || d == FLY_DTYPE_F16 || d == FLY_DTYPE_I8 || d == FLY_DTYPE_E4M3 ||
           d == FLY_DTYPE_E4M3FNUZ;
}

static flyStatus_t validate_types(flyHandle_t h, const char *function,
                                  const flyGemmPreshuffleArgs_t *a)
{
    if (a->in_dtype == FLY_DTYPE_NONE || a->in_dtype >= FLY_DTYPE_COUNT)
        REFUSE(INVALID, "in_dtype = %" PRIu32 ": is no flyDtype_t", function, a->in_dtype);
    if (a->out_dtype == FLY_DTYPE_NONE || a->out_dtype >= FLY_DTYPE_COUNT)
        REFUSE(INVALID, "out_dtype = %" PRIu32 ": is no flyDtype_t", function, a->out_dtype);
    if (!input_type(a->in_dtype))
        REFUSE(FLY_STATUS_NOT_SUPPORTED, "in_dtype = %s: must be bf16, f16, i8, e4m3 or e4m3z",
               function, fly_dtype_token(a->in_dtype));
    if (a->out_dtype > FLY_DTYPE_BF16)
        REFUSE(FLY_STATUS_NOT_SUPPORTED, "out_dtype = %s: must be bf16, f16 or f32", function,
               fly_dtype_token(a->out_dtype));
    if (a->epilogue >= EPILOGUES)
        REFUSE(INVALID, "epilogue = %" PRIu32 ": is no flyEpilogue_t", function, a->epilogue);
    if (a->scale_mode_a >= SCALE_MODES)
        REFUSE(INVALID, "scale_mode_a = %" PRIu32 ": is no flyScale_t", function, a->scale_mode_a);
    if (a->scale_mode_b >= SCALE_MODES)
        REFUSE(INVALID, "scale_mode_b = %" PRIu32 ": is no flyScale_t", function, a->scale_mode_b);
    if (a->layout > FLY_LAYOUT_COLUMN)
        REFUSE(INVALID, "layout = %" PRIu32 ": is no flyLayout_t", function, a->layout);
    if (a->layout != FLY_LAYOUT_B16)
        REFUSE(FLY_STATUS_NOT_SUPPORTED,
               "layout = %" PRIu32 ": must be FLY_LAYOUT_B16; flyPreshuffleB makes it", function,
               a->layout);
    return FLY_STATUS_SUCCESS;
}

/* pointers: whether to ask that they are there; a plan only looks at their alignment. */
static flyStatus_t validate_pointers(flyHandle_t h, const char *function,
                                     const flyGemmPreshuffleArgs_t *a, bool pointers)
{
    unsigned out = fly_dtype_bits(a->out_dtype) / 8;
    const struct {
        const char *name;
        const void *p;
        unsigned bytes;
        bool wanted;
    } list[] = {
        {"a", a->a, 16, a->m > 0},
        {"b", a->b, 16, true},
        {"c", a->c, out, a->m > 0},
        {"scale_a", a->scale_a, 4, a->scale_mode_a != FLY_SCALE_NONE && a->m > 0},
        {"scale_b", a->scale_b, 4, a->scale_mode_b != FLY_SCALE_NONE},
        {"bias", a->bias, out, a->epilogue != FLY_EPILOGUE_NONE},
        {"workspace", a->workspace, 16, false},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (pointers && list[i].wanted && !list[i].p)
            REFUSE(INVALID, "%s = NULL: must point to device memory", function, list[i].name);
        if (misaligned(list[i].p, list[i].bytes))
            REFUSE(INVALID, "%s = %p: must be aligned to %u bytes", function, list[i].name,
                   list[i].p, list[i].bytes);
    }
    return FLY_STATUS_SUCCESS;
}

/* Checks args, copies them with defaults filled in, and makes the problem. */
static flyStatus_t validate(flyHandle_t h, const char *function,
                            const flyGemmPreshuffleArgs_t *args, bool pointers,
                            flyGemmPreshuffleArgs_t *a, struct fly_problem *p)
{
    flyStatus_t status = fly_args_copy(h, function, args, a, sizeof *a, sizeof *a);
    if (status == FLY_STATUS_SUCCESS)
        status = validate_types(h, function, a);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (a->m < 0 || a->m > MAX_SIZE)
        REFUSE(INVALID, "m = %" PRId64 ": must be 0 to 2^30", function, a->m);
    if (a->n < 1 || a->n > MAX_SIZE)
        REFUSE(INVALID, "n = %" PRId64 ": must be 1 to 2^30", function, a->n);
    int64_t bytes = fly_dtype_bits(a->in_dtype) / 8, chunk = 16 / bytes;
    if (a->k < 1 || a->k > MAX_ROW / bytes)
        REFUSE(INVALID, "k = %" PRId64 ": must be 1 to %" PRId64 " (2^27 bytes)", function, a->k,
               MAX_ROW / bytes);
    if (a->k % chunk)
        REFUSE(INVALID, "k = %" PRId64 ": %s needs a multiple of %" PRId64, function, a->k,
               fly_dtype_token(a->in_dtype), chunk);
    status = validate_pointers(h, function, a, pointers);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (a->lda == 0)
        a->lda = a->k;
    if (a->ldc == 0)
        a->ldc = a->n;
    if (a->batch == 0)
        a->batch = 1;
    if (a->lda < a->k || a->lda > INT32_MAX)
        REFUSE(INVALID, "lda = %" PRId64 ": must be at least k = %" PRId64 ", and below 2^31",
               function, a->lda, a->k);
    if (a->lda % chunk)
        REFUSE(INVALID, "lda = %" PRId64 ": %s needs a multiple of %" PRId64, function, a->lda,
               fly_dtype_token(a->in_dtype), chunk);
    if (a->ldc < a->n || a->ldc > INT32_MAX)
        REFUSE(INVALID, "ldc = %" PRId64 ": must be at least n = %" PRId64 ", and below 2^31",
               function, a->ldc, a->n);
    if (a->batch < 1 || a->batch > MAX_BATCH)
        REFUSE(INVALID, "batch = %" PRId64 ": must be 0 (for 1) to %d", function, a->batch,
               MAX_BATCH);
    const struct {
        const char *name;
        int64_t stride, multiple;
    } strides[] = {
        {"stride_a", a->stride_a, chunk},
        {"stride_b", a->stride_b, chunk},
        {"stride_c", a->stride_c, 1},
        {"stride_scale_a", a->stride_scale_a, 1},
        {"stride_scale_b", a->stride_scale_b, 1},
        {"stride_bias", a->stride_bias, 1},
    };
    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++)
        if (strides[i].stride < 0 || strides[i].stride > INT64_MAX / 4 / MAX_BATCH ||
            strides[i].stride % strides[i].multiple)
            REFUSE(INVALID,
                   "%s = %" PRId64 ": must be a multiple of %" PRId64 ", not negative, below 2^45",
                   function, strides[i].name, strides[i].stride, strides[i].multiple);
    if (a->m == 1) { /* how far off a second row would be is nothing to the kernels */
        a->stride_a = stride_or(a->stride_a, a->lda);
        a->stride_c = stride_or(a->stride_c, a->ldc);
        a->lda = a->k;
        a->ldc = a->n;
    }

    p->op = FLY_OP_gemm;
    p->types[0] = p->types[1] = (uint8_t)a->in_dtype;
    p->types[2] = (uint8_t)a->out_dtype;
    p->nfields = NFIELDS;
    p->v[F_M] = a->m;
    p->v[F_N] = a->n;
    p->v[F_K] = a->k;
    p->v[F_BATCH] = a->batch;
    p->v[F_LDA] = a->lda;
    p->v[F_LDC] = a->ldc;
    p->v[F_STRIDE_A] = a->stride_a;
    p->v[F_STRIDE_B] = a->stride_b;
    p->v[F_STRIDE_C] = a->stride_c;
    p->v[F_STRIDE_SCALE_A] = a->stride_scale_a;
    p->v[F_STRIDE_SCALE_B] = a->stride_scale_b;
    p->v[F_STRIDE_BIAS] = a->stride_bias;
    p->v[F_EPI] = a->epilogue;
    p->v[F_SCALE] = a->scale_mode_a * SCALE_MODES + a->scale_mode_b;
    p->v[F_SPLIT] = pointers && !a->workspace;
    const char *large = too_large(p);
    if (large)
        REFUSE(INVALID,
               "batch = %" PRId64 ": with rows and matrices this far apart, %s passes 2^63 bytes",
               function, a->batch, large);
    return FLY_STATUS_SUCCESS;
}

/* As kernels-gen/matrix.c has them. */
enum {
    GEMM_SCALE_A = 1,
    GEMM_SCALE_ROWS = 2,
    GEMM_SCALE_B = 4,
    GEMM_SCALE_COLS = 8,
    GEMM_WIDE = 16,
    GEMM_PARTIAL = 32,
    GEMM_WIDER = 64,
    GEMM_ACT = 8
};

enum { ACT_RELU = 1, ACT_SMOOTH = 2 };

/* x / (1 + exp2(x (p + q x x))): exp(-x) for silu; for gelu 1/2 (1 + tanh(u)) = 1 / (1 + exp(-2
 * u)). */
#define LOG2_E 1.4426950408889634
static const struct {
    uint32_t act;
    float p, q;
} activations[EPILOGUES] = {
    [FLY_EPILOGUE_BIAS_RELU] = {ACT_RELU, 0, 0},
    [FLY_EPILOGUE_BIAS_SILU] = {ACT_SMOOTH, (float)-LOG2_E, 0},
    [FLY_EPILOGUE_BIAS_GELU] = {ACT_SMOOTH, (float)(-2 * LOG2_E * 0.7978845608028654),
                                (float)(-2 * LOG2_E * 0.7978845608028654 * 0.044715)},
};

static uint32_t flags_of(const flyGemmPreshuffleArgs_t *a)
{
    unsigned four = 4 * fly_dtype_bits(a->out_dtype) / 8;
    uint32_t flags = activations[a->epilogue].act << GEMM_ACT;
    if (a->scale_mode_a != FLY_SCALE_NONE)
        flags |= GEMM_SCALE_A | (a->scale_mode_a == FLY_SCALE_VECTOR ? GEMM_SCALE_ROWS : 0);
    if (a->scale_mode_b != FLY_SCALE_NONE)
        flags |= GEMM_SCALE_B | (a->scale_mode_b == FLY_SCALE_VECTOR ? GEMM_SCALE_COLS : 0);
    if (a->n % 4 == 0 && a->ldc % 4 == 0 && a->stride_c % 4 == 0 && !misaligned(a->c, four))
        flags |= GEMM_WIDE | (a->n % 8 ? 0 : GEMM_WIDER);
    return flags;
}

/* Dies of the device that the hardware deals workgroups out to in turn: MI300 has 38 CUs a die,
 * MI350 32 (AMD, "GPU hardware specifications"). 1 where that is not so: then order does not
 * matter. */
static uint32_t xcds_of(const struct fly_target *t)
{
    uint32_t each = t->arch->family == FLY_FAMILY_CDNA3   ? 38
                    : t->arch->family == FLY_FAMILY_CDNA4 ? 32
                                                          : t->cus;
    return each && t->cus % each == 0 ? t->cus / each : 1;
}

/* Rows of blocks done together, such that the blocks a die has at a time ask for the fewest rows of
 * A and columns of B: a square of elements. */
static uint32_t band_of(const struct fly_kernel *k, const struct fly_target *t, uint32_t tiles_m)
{
    uint32_t at_once = 2 * t->cus / xcds_of(t), band = 1;
    while (band < tiles_m && (band + 1) * (band + 1) * k->gemm.m <= at_once * k->gemm.n)
        band++;
    return band;
}

static int launch(const struct fly_call *c, const void *args)
{
    const flyGemmPreshuffleArgs_t *a = args;
    const struct fly_kernel *k = c->entry->kernel;
    const struct fly_problem *p = &c->entry->problem;
    const struct fly_target *t = &c->h->device->target;
    const uint32_t *g = c->entry->grid, splits = g[1];
    int64_t in = in_bytes(p), out = out_bytes(p), sums = sums_row(p);
    uint32_t tiles_m = (uint32_t)blocks(a->m, k->gemm.m),
             tiles_k = (uint32_t)blocks(a->k, k->gemm.k);
    uint32_t flags = flags_of(a);
    struct kernargs_layout ka = {
        .c = (uint64_t)(uintptr_t)a->c,
        .a = (uint64_t)(uintptr_t)a->a,
        .b = (uint64_t)(uintptr_t)a->b,
        .scale_a = (uint64_t)(uintptr_t)a->scale_a,
        .scale_b = (uint64_t)(uintptr_t)a->scale_b,
        .bias = a->epilogue ? (uint64_t)(uintptr_t)a->bias : 0,
        .lda = a->lda * in,
        .ldc = a->ldc * out,
        .stride_a = stride_or(a->stride_a, a->m * a->lda) * in,
        .stride_b = stride_or(a->stride_b, dense_b(p)) * in,
        .stride_c = stride_or(a->stride_c, a->m * a->ldc) * out,
        .stride_scale_a = a->stride_scale_a * 4,
        .stride_scale_b = a->stride_scale_b * 4,
        .stride_bias = a->stride_bias * out,
        .m = (int32_t)a->m,
        .n = (int32_t)a->n,
        .k_bytes = (int32_t)(a->k * in),
        .tiles_m = (int32_t)tiles_m,
        .tiles_n = (int32_t)blocks(a->n, k->gemm.n),
        .band = (int32_t)band_of(k, t, tiles_m),
        .xcds = (int32_t)xcds_of(t),
        .tiles_k = (int32_t)tiles_k,
        .split_tiles = (int32_t)blocks(tiles_k, splits),
        .splits = (int32_t)splits,
        .flags = (int32_t)flags,
        .p = activations[a->epilogue].p,
        .q = activations[a->epilogue].q,
    };
    if (splits == 1)
        return fly_launch_grid(c, g, &ka);

    struct kernargs_layout part = ka;
    part.c = (uint64_t)(uintptr_t)a->workspace;
    part.ldc = sums;
    part.stride_c = a->m * sums;
    part.stride_split = a->batch * a->m * sums;
    part.flags = GEMM_PARTIAL;
    int error = fly_launch_grid(c, g, &part);
    if (error)
        return error;
    ka.a = part.c;
    ka.lda = part.ldc;
    ka.stride_a = part.stride_c;
    ka.stride_split = part.stride_split;
    ka.tiles_n = (int32_t)blocks(a->n, 4 * (int64_t)c->entry->second->block);
    const uint32_t adds[3] = {(uint32_t)(a->m * ka.tiles_n), 1, g[2]};
    return fly_launch_second(c, adds, &ka);
}

flyStatus_t flyGemmPreshuffle(flyHandle_t h, const flyGemmPreshuffleArgs_t *args)
{
    flyGemmPreshuffleArgs_t a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, function_name);
    flyStatus_t status = validate(h, function_name, args, true, &a, &p);
    if (status != FLY_STATUS_SUCCESS || a.m == 0)
        return status;
    return fly_dispatch(h, &fly_op_gemm, &p, launch, &a, a.workspace ? a.workspace_bytes : 0);
}

flyStatus_t flyGemmPreshufflePlan(flyHandle_t h, const flyGemmPreshuffleArgs_t *args,
                                  flyPlan_t *plan)
{
    static const char name[] = "flyGemmPreshufflePlan";
    flyGemmPreshuffleArgs_t a;
    struct fly_problem p;
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, name);
    flyStatus_t status = validate(h, name, args, false, &a, &p);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    return fly_plan(h, &fly_op_gemm, a.m ? &p : NULL, plan);
}

/* ---- for bench and tests ---- */

static flyGemmPreshuffleArgs_t args_of(const struct fly_problem *p, void *const ptr[])
{
    const int64_t *v = p->v;
    flyGemmPreshuffleArgs_t a = FLY_ARGS_INIT(a);
    a.in_dtype = p->types[0];
    a.out_dtype = p->types[2];
    a.m = v[F_M];
    a.n = v[F_N];
    a.k = v[F_K];
    a.batch = v[F_BATCH];
    a.lda = v[F_LDA];
    a.ldc = v[F_LDC];
    a.stride_a = v[F_STRIDE_A];
    a.stride_b = v[F_STRIDE_B];
    a.stride_c = v[F_STRIDE_C];
    a.stride_scale_a = v[F_STRIDE_SCALE_A];
    a.stride_scale_b = v[F_STRIDE_SCALE_B];
    a.stride_bias = v[F_STRIDE_BIAS];
    a.epilogue = (uint32_t)v[F_EPI];
    a.scale_mode_a = (uint32_t)(v[F_SCALE] / SCALE_MODES);
    a.scale_mode_b = (uint32_t)(v[F_SCALE] % SCALE_MODES);
    a.layout = FLY_LAYOUT_B16;
    a.a = ptr[O_A];
    a.b = ptr[O_B];
    a.c = ptr[O_C];
    a.scale_a = ptr[O_SCALE_A];
    a.scale_b = ptr[O_SCALE_B];
    a.bias = ptr[O_BIAS];
    return a;
}

/* The public call, but with the problem's own number of splits, which the arguments cannot say. */
static flyStatus_t run(flyHandle_t h, const struct fly_problem *p, void *const ptr[], void *ws,
                       uint64_t ws_bytes)
{
    flyGemmPreshuffleArgs_t args = args_of(p, ptr), a;
    struct fly_problem q;
    args.workspace = ws;
    args.workspace_bytes = ws_bytes;
    if (!p->v[F_SPLIT])
        return flyGemmPreshuffle(h, &args);
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, function_name);
    flyStatus_t status = validate(h, function_name, &args, true, &a, &q);
    if (status != FLY_STATUS_SUCCESS || a.m == 0)
        return status;
    q.v[F_SPLIT] = ws ? p->v[F_SPLIT] : 1;
    return fly_dispatch(h, &fly_op_gemm, &q, launch, &a, ws_bytes);
}

static flyStatus_t plan(flyHandle_t h, const struct fly_problem *p, void *const ptr[],
                        flyPlan_t *out)
{
    flyGemmPreshuffleArgs_t args = args_of(p, ptr), a;
    struct fly_problem q;
    if (!p->v[F_SPLIT])
        return flyGemmPreshufflePlan(h, &args, out);
    if (!fly_handle_begin(h))
        return fly_bad_handle(h, function_name);
    flyStatus_t status = validate(h, function_name, &args, false, &a, &q);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    q.v[F_SPLIT] = p->v[F_SPLIT];
    return fly_plan(h, &fly_op_gemm, a.m ? &q : NULL, out);
}

const struct fly_op fly_op_gemm = {
    .name = "gemm",
    .function = function_name,
    .fields = fields,
    .nfields = NFIELDS,
    .id = FLY_OP_gemm,
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
    .second = second,
    .workspace = workspace,
    .model = model,
    .note = note,
    .ideal_bytes = ideal_bytes,
    .run = run,
    .plan = plan,
};
