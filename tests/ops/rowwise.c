/* SPDX-License-Identifier: MIT */
/* Tests any row-wise op has; see rowwise.h. */
#include "rowwise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/fill.h"
#include "../support/num.h"
#include "core/arch.h"
#include "core/handle.h"

struct check_device rowwise_device;
int rowwise_failures;

static bool full_tier(void)
{
    const char *v = getenv("FLY_TEST_FULL");
    return v && strcmp(v, "0") != 0;
}

void rowwise_open(void)
{
    char message[600];
    if (check_open(&rowwise_device, 0, message, sizeof message))
        return;
    if (getenv("FLY_TEST_ARCH"))
        cr_assert_fail("%s", message);
    cr_skip_test("no runtime with a GPU on this machine");
}

void rowwise_close(void)
{
    check_close(&rowwise_device);
}

void rowwise_set(struct fly_problem *p, const char *field, int64_t v)
{
    int i = fly_field_index(fly_op_table[p->op], field);
    cr_assert_geq(i, 0, "%s has no field %s", fly_op_table[p->op]->name, field);
    p->v[i] = v;
}

static bool is_8bit(unsigned dtype)
{
    return num_bytes(dtype, 1) == 1;
}

/* Fields that follow another one follow it now. */
static void follow(struct fly_problem *p)
{
    const struct fly_op *op = fly_op_table[p->op];
    for (uint32_t f = 0; f < op->nfields; f++)
        if (op->fields[f].same_as >= 0)
            p->v[f] = p->v[op->fields[f].same_as];
}

struct fly_problem rowwise_problem(const struct fly_op *op, const uint8_t types[3], int64_t rows, int64_t cols)
{
    struct fly_problem p;
    fly_problem_init(op, types, &p);
    rowwise_set(&p, "rows", rows);
    rowwise_set(&p, "cols", cols);
    follow(&p);
    if (fly_field_index(op, "quant") >= 0)
        rowwise_set(&p, "quant", is_8bit(types[2]) ? 1 : 0);
    return p;
}

static float pick(uint64_t b, const float *list, unsigned n)
{
    return list[b % n];
}

/* The n-th way to dress a problem: with or without each option, rows and buffers shifted, data of another
 * kind. */
static void dress(unsigned n, struct fly_problem *p, struct check_options *opt)
{
    static const float epses[] = {1e-5f, 1e-2f, 1e-12f}, scales[] = {1.0f, 0.125f, -0.5f, 3.0f};
    const struct fly_op *op = fly_op_table[p->op];
    int64_t cols = p->v[fly_field_index(op, "cols")], rows = p->v[fly_field_index(op, "rows")];
    uint64_t b = fill_bits(77, n);
    memset(opt, 0, sizeof *opt);
    opt->in_place = (b & 3) == 0 && p->types[0] == p->types[2];
    int64_t pad = b >> 2 & 1 ? 0 : b >> 3 & 1 ? 16 : 1 + (int64_t)(b >> 4 & 3);
    for (uint32_t f = 0; f < op->nfields; f++) {
        const struct fly_field *field = &op->fields[f];
        uint64_t own = fill_bits(78, 32u * n + f);
        if (strncmp(field->name, "ld", 2) == 0) /* in place wants them equal */
            p->v[f] = cols + (opt->in_place ? pad : own & 1 ? pad : (int64_t)(own >> 1 & 7));
        else if (strcmp(field->name, "eps") == 0)
            p->v[f] = fly_field_from_float(pick(own, epses, 3));
        else if (strcmp(field->name, "scale") == 0)
            p->v[f] = fly_field_from_float(pick(own, scales, 4));
        else if (strcmp(field->name, "quant") == 0)
            p->v[f] = is_8bit(p->types[2]) ? 1 + (int64_t)(own & 1) : 0;
        else if (strcmp(field->name, "causal_rows") == 0)
            p->v[f] = rows > 2 && (own & 1) ? (rows + 1) / 2 : rows ? rows : 1;
        else if (field->kind == FLY_FIELD_INT && field->max == 1)
            p->v[f] = own & 1;
    }
    opt->exact = b >> 16 & 1;
    opt->pattern = n % 3 ? FILL_MIXED : FILL_NORMAL;
    opt->seed = b >> 32;
    for (int i = 0; i < FLY_MAX_OPERANDS; i++)
        opt->shift[i] = b >> 17 & 1 ? 0 : (uint8_t)(fill_bits(79, n * 16u + (unsigned)i) & 7);
    int causal = fly_field_index(op, "causal");
    if (causal >= 0 && !p->v[causal])
        rowwise_set(p, "causal_rows", rows);
}

uint64_t rowwise_run(const struct fly_problem *p, const struct check_options *opt)
{
    struct check_result r;
    check_problem(&rowwise_device, p, opt, &r);
    if (r.outcome != CHECK_PASS)
        fprintf(stderr, "%s\n", r.message);
    rowwise_failures += r.outcome == CHECK_FAIL;
    return r.hash;
}

/* k: the kernel that is forced, which may refuse what the problem is dressed in; or null. */
static void run_dressed(const struct fly_op *op, const struct fly_kernel *k, const uint8_t types[3], int64_t rows,
                        int64_t cols, unsigned n)
{
    struct check_options opt;
    struct fly_problem p = rowwise_problem(op, types, rows, cols);
    dress(n, &p, &opt);
    if (!k || !op->fits(k, &p))
        rowwise_run(&p, &opt);
}

/* ---- every variant at its tile edges ---------------------------------------------------------------- */

static int add_edges(int64_t *list, int n, int64_t edge)
{
    for (int64_t d = -1; d <= 1; d++)
        if (edge + d >= 1)
            list[n++] = edge + d;
    return n;
}

static bool of_arch(const struct fly_kernel *k, const char *arch)
{
    return strcmp(fly_arch_row(k->arch)->name, arch) == 0;
}

bool rowwise_of_device(const struct fly_kernel *k)
{
    return of_arch(k, rowwise_device.arch);
}

/* Rows that lie at multiples of anything, the last round of a loop not full, with each option by itself. */
static void run_choices(const struct fly_op *op, const uint8_t types[3], int64_t cols)
{
    for (uint32_t f = 0; f < op->nfields; f++) {
        const struct check_options opt = {.pattern = FILL_NORMAL, .seed = f};
        struct fly_problem p = rowwise_problem(op, types, 3, cols);
        if (op->fields[f].kind != FLY_FIELD_INT || op->fields[f].max != 1)
            continue;
        p.v[f] = !p.v[f];
        if (strcmp(op->fields[f].name, "causal") == 0)
            rowwise_set(&p, "causal_rows", 3);
        rowwise_run(&p, &opt);
    }
}

static void run_variant(const struct fly_op *op, const struct fly_kernel *k)
{
    const struct fly_rowwise_tile *t = &k->rowwise;
    int64_t step = (int64_t)t->threads * t->vec, capacity = step * t->vectors;
    int64_t cols[40];
    int ncols = 0;
    unsigned n = 1000u * (unsigned)(k - op->kernels);

    cols[ncols++] = t->vec + 1;
    ncols = add_edges(cols, ncols, capacity);
    cols[ncols++] = capacity - t->vec / 2 - 3;
    if (t->passes > 1)
        cols[ncols++] = 2 * capacity + 5;
    if (full_tier()) {
        cols[ncols++] = 1;
        cols[ncols++] = step / 2 + 3;
        for (int v = 1; v < t->vectors; v++)
            ncols = add_edges(cols, ncols, v * step);
        ncols = add_edges(cols, ncols, t->vec);
    }
    const int64_t rows[] = {1, 2 * t->rows + 1, t->rows, t->rows > 1 ? t->rows - 1 : 2};

    fly_force(rowwise_device.handle, k->name);
    for (int c = 0; c < ncols; c++) {
        struct fly_problem p = rowwise_problem(op, k->types, 1, cols[c] < 1 ? 1 : cols[c]);
        if (cols[c] < 1 || op->fits(k, &p))
            continue;
        for (int i = 0; i < 4; i++)
            if (full_tier() || i == c % 4)
                run_dressed(op, k, k->types, rows[i], cols[c], n++);
    }
    if (t->passes > 1)
        run_choices(op, k->types, capacity + step);
    fly_force(rowwise_device.handle, NULL);
}

size_t rowwise_variants(const struct fly_op *op, int **list)
{
    const char *arch = getenv("FLY_TEST_ARCH");
    size_t n = 0;
    *list = cr_malloc(sizeof **list * (op->nkernels + 1));
    for (uint32_t i = 0, last = 0; arch && i < op->nkernels; i++)
        if (of_arch(&op->kernels[i], arch) && (n == 0 || memcmp(op->kernels[i].types, op->kernels[last].types, 3))) {
            (*list)[n++] = (int)i;
            last = i;
        }
    if (n == 0)
        (*list)[n++] = -1;
    return n;
}

void rowwise_variant(const struct fly_op *op, int row)
{
    const char *arch = getenv("FLY_TEST_ARCH");
    uint32_t ran = 0;
    for (uint32_t i = 0; i < op->nkernels; i++)
        if (of_arch(&op->kernels[i], arch ? arch : rowwise_device.arch) &&
            (row < 0 || memcmp(op->kernels[i].types, op->kernels[row].types, 3) == 0)) {
            run_variant(op, &op->kernels[i]);
            ran++;
        }
    cr_assert_gt(ran, 0, "the registry has no %s for %s", op->name, rowwise_device.arch);
}

/* ---- what selection picks --------------------------------------------------------------------------- */

bool rowwise_has_types(const struct fly_op *op, const uint8_t types[3])
{
    for (uint32_t i = 0; i < op->nkernels; i++)
        if (rowwise_of_device(&op->kernels[i]) && memcmp(op->kernels[i].types, types, 3) == 0)
            return true;
    return false;
}

void rowwise_shapes(const struct fly_op *op)
{
    enum { QUICK, FULL };
    static const struct {
        int tier;
        int64_t rows, cols;
    } shapes[] = {
#define ROWWISE_SHAPE(tier, rows, cols) {tier, rows, cols},
#include "../shapes.inc"
    };
    for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++) {
        unsigned n = 500000 + 1000u * (unsigned)t;
        if (!rowwise_has_types(op, op->types[t]))
            continue;
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            if (shapes[i].tier == QUICK || full_tier())
                run_dressed(op, NULL, op->types[t], shapes[i].rows, shapes[i].cols, n++);
    }
}

enum { BEYOND_REGISTERS = 66000 }; /* columns that no op reads once */

void rowwise_special(const struct fly_op *op)
{
    static const int64_t cols[] = {7, 65, 1000, 8192, BEYOND_REGISTERS};
    for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++)
        for (size_t c = 0; c < sizeof cols / sizeof *cols; c++) {
            struct check_options opt = {.pattern = FILL_SPECIAL, .seed = c};
            const int64_t rows = (cols[c] < BEYOND_REGISTERS ? 2 : 1) * (FILL_PATTERNS - FILL_FINITE);
            struct fly_problem p = rowwise_problem(op, op->types[t], rows, cols[c]);
            if (rowwise_has_types(op, op->types[t]) && (cols[c] < BEYOND_REGISTERS || t < 3))
                rowwise_run(&p, &opt);
        }
}

void rowwise_repeats(const struct fly_op *op)
{
    static const int64_t cols[] = {65, 1000, 8192, 20000};
    for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++)
        for (size_t c = 0; c < sizeof cols / sizeof *cols; c++) {
            struct check_options opt = {.pattern = FILL_NORMAL, .seed = c};
            struct fly_problem p = rowwise_problem(op, op->types[t], 9, cols[c]);
            if (!rowwise_has_types(op, op->types[t]) || (!full_tier() && (c + (size_t)t) % 2))
                continue;
            cr_assert_eq(rowwise_run(&p, &opt), rowwise_run(&p, &opt), "two runs of %s differ", op->name);
        }
}

void rowwise_many_rows(const struct fly_op *op, int64_t rows)
{
    struct fly_target *target = &rowwise_device.handle->device->target;
    const uint32_t cus = target->cus;
    int tested = 0;
    target->cus = 1; /* so that a workgroup has many rows */
    if (!strcmp(target->arch->group, "nvptx"))
        rows *= 4; /* sums there go to the workspace after 256 rows */
    for (uint32_t i = 0, last = 0; i < op->nkernels; i++) {
        const struct fly_kernel *k = &op->kernels[i];
        struct check_options opt = {.pattern = FILL_UNIFORM, .seed = 3, .max_rows = 50};
        struct fly_problem p = rowwise_problem(op, k->types, 1, k->rowwise.vec + 3);
        const uint32_t kind = k->rowwise.passes << 16 | k->rowwise.rows;
        if (!rowwise_of_device(k) || op->fits(k, &p) || kind == last ||
            (k->types[0] != FLY_DTYPE_BF16 && k->types[0] != FLY_DTYPE_F32))
            continue;
        last = kind; /* one tile of each number of rows a workgroup, and one that reads twice */
        if (k->types[0] == FLY_DTYPE_F32)
            opt.pattern = FILL_TWO_VALUES; /* equal terms: rounding errors add up */
        fly_force(rowwise_device.handle, k->name);
        rowwise_set(&p, "rows", 2 * (k->block < 512 ? 512 / k->block : 1) * k->rowwise.rows * rows + 77);
        rowwise_run(&p, &opt);
        rowwise_set(&p, "atomic", 1);
        rowwise_run(&p, &opt);
        tested++;
    }
    target->cus = cus;
    fly_force(rowwise_device.handle, NULL);
    for (int atomic = 0; atomic < 2; atomic++) { /* sums of many workgroups */
        const struct check_options opt = {.pattern = FILL_TWO_VALUES, .seed = 4, .max_rows = 50};
        struct fly_problem p = rowwise_problem(op, (const uint8_t[3]){FLY_DTYPE_F32, FLY_DTYPE_F32, FLY_DTYPE_F32}, 20000, 9);
        rowwise_set(&p, "atomic", atomic);
        rowwise_run(&p, &opt);
    }
    cr_assert_gt(tested, 0);
}

static const int64_t in_place_cols[] = {3, 60, 64, 257, 700, 768, 1001, 2000, 3001, 4097, 5000, 8192, 16381, 20001};
enum { IN_PLACE_COLS = sizeof in_place_cols / sizeof *in_place_cols };

/* The c-th of these problems, with equal strides. */
static struct fly_problem in_place_problem(const struct fly_op *op, const uint8_t types[3], size_t c,
                                           struct check_options *opt)
{
    struct fly_problem p = rowwise_problem(op, types, 5, in_place_cols[c]);
    *opt = (struct check_options){.pattern = FILL_NORMAL, .seed = c};
    for (uint32_t f = 0; f < op->nfields; f++)
        if (strncmp(op->fields[f].name, "ld", 2) == 0)
            p.v[f] = in_place_cols[c] + (int64_t)(c % 3 * 5);
    for (int i = 0; i < FLY_MAX_OPERANDS; i++)
        opt->shift[i] = (uint8_t)(c % 4);
    return p;
}

void rowwise_in_place(const struct fly_op *op, int inputs, const char *with)
{
    for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++)
        for (size_t c = 0; c < IN_PLACE_COLS; c++)
            for (int of = 0; of < inputs; of++) {
                struct check_options opt;
                /* Each width with each matrix, and each matrix with each type. */
                if (!full_tier() && ((int)c + t + of) % inputs != 0)
                    continue;
                struct fly_problem p = in_place_problem(op, op->types[t], c, &opt);
                opt.in_place = true;
                opt.in_place_of = (uint8_t)of;
                if (with)
                    rowwise_set(&p, with, 1);
                rowwise_run(&p, &opt);
            }
}

/* Sums in place of rows that begin anywhere in a line and end just beyond a wave's last lane: no wave may store what
 * another one has still to read. */
static void sums_where_waves_meet(const struct fly_op *op)
{
    static const int64_t cols[] = {706, 835, 837, 1347, 2885};
    for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++)
        for (size_t c = 0; c < sizeof cols / sizeof *cols && rowwise_has_types(op, op->types[t]); c++) {
            struct check_options opt = {.pattern = FILL_NORMAL, .seed = c, .also = {.out = "residual_out", .in = "residual"}};
            struct fly_problem p = rowwise_problem(op, op->types[t], 64, cols[c]);
            if (op->types[t][0] != FLY_DTYPE_F32 && !full_tier())
                continue;
            rowwise_set(&p, "add", 1);
            rowwise_run(&p, &opt);
        }
}

void rowwise_add_in_place(const struct fly_op *op)
{
    sums_where_waves_meet(op);
    enum { SUM_IN_X, SUM_IN_RESIDUAL, BOTH_IN_PLACE, CROSSED, WAYS };
    for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++)
        for (size_t c = 0; c < IN_PLACE_COLS && rowwise_has_types(op, op->types[t]); c++)
            for (int way = 0; way < WAYS; way++) {
                struct check_options opt;
                if (!full_tier() && ((int)c + t + way) % WAYS != 0)
                    continue;
                struct fly_problem p = in_place_problem(op, op->types[t], c, &opt);
                rowwise_set(&p, "add", 1);
                opt.also.out = "residual_out";
                opt.also.in = way == SUM_IN_X || way == CROSSED ? "x" : "residual";
                opt.in_place = way >= BOTH_IN_PLACE && op->types[t][2] == op->types[t][0];
                opt.in_place_of = way == CROSSED;
                rowwise_run(&p, &opt);
            }
}

/* ---- rows beyond 32-bit offsets --------------------------------------------------------------------- */

#define FAR_STRIDE (INT64_C(1) << 32) /* bytes; a matrix adds to it */
enum { FAR_ROWS = 3, FAR_SLOT = 1 << 20, FAR_MORE = 1 << 16 };

/* Copies the rows of a matrix between the buffer of the problem whose rows lie together and `far`, whose rows are
 * `stride` elements apart. */
static void copy_rows(const struct check_buffer *near, char *far, int64_t stride, bool to_far)
{
    struct fly_runtime *rt = rowwise_device.rt;
    for (int64_t r = 0; r < near->o.shape[0]; r++) {
        const size_t bytes = num_bytes(near->o.dtype, near->o.shape[1]);
        char *here = (to_far ? near->before : near->after) + near->head + num_bytes(near->o.dtype, r * near->o.stride[0]);
        char *there = far + num_bytes(near->o.dtype, r * stride);
        cr_assert_eq(to_far ? rt->memory_to_device(rt, there, here, bytes) : rt->memory_to_host(rt, here, there, bytes), 0);
    }
}

static bool same_rows(const struct check_buffer *b, const char *other)
{
    for (int64_t r = 0; r < b->o.shape[0]; r++) {
        const size_t at = b->head + num_bytes(b->o.dtype, r * b->o.stride[0]);
        if (memcmp(b->after + at, other + at, num_bytes(b->o.dtype, b->o.shape[1])))
            return false;
    }
    return true;
}

/* A problem and the same with rows far apart. Rows begin equally far into a cache line in both, `odd` elements further
 * from row to row: where they begin decides the order of sums. */
static void near_and_far(const struct fly_op *op, const uint8_t types[3], int64_t cols, int odd, struct fly_problem *near,
                         struct fly_problem *far)
{
    *near = rowwise_problem(op, types, FAR_ROWS, cols);
    if (fly_field_index(op, "add") >= 0)
        rowwise_set(near, "add", 1);
    *far = *near;
    for (uint32_t f = 0; f < op->nfields; f++)
        if (strncmp(op->fields[f].name, "ld", 2) == 0) {
            const unsigned type = strcmp(op->fields[f].name, "ldy") ? types[0] : types[2];
            near->v[f] = (cols + 63) / 64 * 64 + odd;
            far->v[f] = (FAR_STRIDE + f * FAR_MORE) / (int64_t)num_bytes(type, 1) + odd;
        }
}

/* `space` holds all matrices of the problem whose rows are far apart, a slot from each other. */
static void far_apart(const struct fly_op *op, const char *kernel, char *space, const struct fly_problem *near,
                      const struct fly_problem *far)
{
    struct fly_runtime *rt = rowwise_device.rt;
    struct check_options opt = {.pattern = FILL_NORMAL, .seed = 5};
    struct check_case c;
    struct check_result r;
    struct fly_operand o[FLY_MAX_OPERANDS];
    void *ptr[FLY_MAX_OPERANDS];
    char text[FLY_MAX_PROBLEM_TEXT];
    fly_problem_print(far, text, sizeof text);
    fly_force(rowwise_device.handle, kernel);
    cr_assert(check_prepare(&c, &rowwise_device, near, &opt, &r), "%s", r.message);
    check_launch(&c, &r);
    cr_assert_eq(r.status, FLY_STATUS_SUCCESS, "%s", r.message);
    op->operands(far, o);
    for (uint32_t i = 0; i < c.n; i++) {
        struct check_buffer *b = &c.b[i];
        ptr[i] = c.ptr[i];
        if (!b->o.present)
            continue;
        cr_assert_eq(rt->memory_to_host(rt, b->after, b->device, b->bytes), 0);
        if (b->o.rank != 2)
            continue;
        cr_assert_gt(num_bytes(b->o.dtype, o[i].stride[0]), FAR_STRIDE - 1);
        ptr[i] = space + (int64_t)i * FAR_SLOT;
        copy_rows(b, ptr[i], o[i].stride[0], true);
    }
    cr_assert_eq(op->run(rowwise_device.handle, far, ptr, c.workspace, c.workspace_bytes), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(rowwise_device.handle));
    cr_assert_eq(rt->device_sync(rt), 0, "%s fails", text);
    for (uint32_t i = 0; i < c.n; i++) {
        struct check_buffer *b = &c.b[i];
        if (!b->o.present || b->o.rank != 2 || b->o.role != FLY_OUT)
            continue;
        char *before = malloc(b->bytes);
        memcpy(before, b->after, b->bytes);
        copy_rows(b, ptr[i], o[i].stride[0], false);
        cr_expect(same_rows(b, before), "%s with %s: %s differs from that of rows that lie together", text, kernel, b->o.name);
        free(before);
    }
    check_release(&c);
    fly_force(rowwise_device.handle, NULL);
}

/* The device's last kernel of these types that loops over a row of vectors of `vec` elements, of several if 0. */
static const char *loop_of(const struct fly_op *op, const uint8_t types[3], int vec)
{
    const char *name = NULL;
    for (uint32_t i = 0; i < op->nkernels; i++) {
        const struct fly_kernel *k = &op->kernels[i];
        if (rowwise_of_device(k) && !memcmp(k->types, types, 3) && k->rowwise.passes > 1 &&
            (vec ? k->rowwise.vec == vec : k->rowwise.vec > 1))
            name = k->name;
    }
    cr_assert(name, "%s has no loop for these types", op->name);
    return name;
}

/* What selection picks for p, whose operands lie in `space`. */
static const char *selected_of(const struct fly_op *op, const struct fly_problem *p, char *space)
{
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    struct fly_operand o[FLY_MAX_OPERANDS];
    void *ptr[FLY_MAX_OPERANDS];
    for (uint32_t i = 0, n = op->operands(p, o); i < n; i++)
        ptr[i] = o[i].present ? space + (int64_t)i * FAR_SLOT : NULL;
    cr_assert_eq(op->plan(rowwise_device.handle, p, ptr, &plan), FLY_STATUS_SUCCESS, "%s",
                 flyErrorMessage(rowwise_device.handle));
    return plan.kernel;
}

void rowwise_far_apart(const struct fly_op *op)
{
    static const struct {
        int64_t cols;
        int odd;
        enum { SELECTED, LOOP, LOOP_ELEMENTS } kernel;
    } cases[] = {{1024, 0, SELECTED}, {1001, 3, SELECTED}, {5, 1, SELECTED}, {9001, 1, LOOP}, {3001, 0, LOOP_ELEMENTS}};
    const char *runtime = getenv("FLY_RUNTIME");
    struct fly_runtime *rt = rowwise_device.rt;
    void *space;
    if (!runtime || strncmp(runtime, "sim", 3) != 0)
        cr_skip_test("a GPU would need all of the memory");
    cr_assert_eq(rt->memory_alloc(rt, (size_t)(FAR_STRIDE + FLY_MAX_FIELDS * FAR_MORE) * (FAR_ROWS - 1) +
                                      (FLY_MAX_OPERANDS + 1) * (size_t)FAR_SLOT, &space), 0);
    for (int t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases && rowwise_has_types(op, op->types[t]); i++) {
            struct fly_problem near, far;
            near_and_far(op, op->types[t], cases[i].cols, cases[i].odd, &near, &far);
            const char *kernel = cases[i].kernel ? loop_of(op, op->types[t], cases[i].kernel == LOOP_ELEMENTS)
                                                 : selected_of(op, &far, space);
            far_apart(op, kernel, space, &near, &far);
        }
    rt->memory_free(rt, space);
}
