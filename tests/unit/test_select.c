/* SPDX-License-Identifier: MIT */
/* Selection is a pure function: what it picks for the whole support matrix, on any machine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"
#include "ops/rowwise.h"
#include "unit.h"

static const struct fly_op *layernorm(void)
{
    return fly_op_find("layernorm");
}

static struct fly_problem rowwise(unsigned dtype, int64_t rows, int64_t cols)
{
    char text[128];
    snprintf(text, sizeof text, "layernorm:%s:rows=%lld,cols=%lld", fly_dtype_token(dtype),
             (long long)rows, (long long)cols);
    return unit_problem(text);
}

static struct fly_choice select_or_fail(const struct fly_problem *p, unsigned arch, uint32_t cus)
{
    struct fly_target t = {fly_arch_row(arch), cus};
    struct fly_choice c = {0};
    char why[512] = "", text[FLY_MAX_PROBLEM_TEXT];
    flyStatus_t s = fly_select_kernel(fly_op_table[p->op], p, &t, NULL, "", &c, why, sizeof why);
    fly_problem_print(p, text, sizeof text);
    cr_assert_eq(s, FLY_STATUS_SUCCESS, "%s on %s: %s", text, t.arch->name, why);
    cr_assert_not_null(c.kernel);
    cr_assert_null(fly_op_table[p->op]->fits(c.kernel, p), "%s on %s: %s does not fit", text,
                   t.arch->name, c.kernel->name);
    cr_assert(c.kernel->arch == arch || c.kernel->arch == t.arch->generic);
    return c;
}

/* Archs the registry has kernels for, itself or through the generic target. */
static bool served(const struct fly_op *op, unsigned arch)
{
    for (uint32_t i = 0; i < op->nkernels; i++)
        if (op->kernels[i].arch == arch || op->kernels[i].arch == fly_arch_row(arch)->generic)
            return true;
    return false;
}

static const int64_t some_rows[] = {1, 2, 7, 64, 1000, 4096, 65536, 1 << 24, INT64_C(1) << 40};
static const int64_t some_cols[] = {1,     2,     3,     8,     63,     64,      65,
                                    127,   512,   768,   769,   1000,   1024,    2000,
                                    4096,  4097,  5000,  8191,  8192,   8193,    12288,
                                    16384, 16385, 32768, 65536, 100003, 1 << 20, (1 << 24) + 1};
#define COUNT(a) (sizeof(a) / sizeof *(a))

Test(select, the_whole_support_matrix_selects_something)
{
    static const uint32_t cus[] = {1, 20, 40, 104, 256, 304};
    const struct fly_op *op = layernorm();
    unsigned archs = 0;
    for (unsigned arch = 1; arch < FLY_ARCH_COUNT; arch++) {
        if (!served(op, arch))
            continue;
        archs++;
        for (unsigned t = 0; op->types[t][0]; t++)
            for (unsigned r = 0; r < COUNT(some_rows); r++)
                for (unsigned c = 0; c < COUNT(some_cols); c++)
                    for (unsigned u = 0; u < COUNT(cus); u++) {
                        if (some_rows[r] > INT64_MAX / 8 / some_cols[c])
                            continue;
                        struct fly_problem p = rowwise(op->types[t][0], some_rows[r], some_cols[c]);
                        struct fly_choice choice = select_or_fail(&p, arch, cus[u]);
                        cr_assert_eq(choice.reason, FLY_REASON_HEURISTIC);
                    }
    }
    cr_assert_gt(archs, 0);
}

Test(select, the_last_row_of_a_group_fits_any_problem)
{
    for (unsigned o = 0; o < FLY_OP_COUNT; o++) {
        const struct fly_op *op = fly_op_table[o];
        for (uint32_t i = 0; i < op->nkernels; i++) {
            const struct fly_kernel *k = &op->kernels[i];
            bool last =
                i + 1 == op->nkernels || k[1].arch != k->arch || memcmp(k[1].types, k->types, 3);
            if (last && op == layernorm()) {
                struct fly_problem p = rowwise(k->types[0], 3, FLY_ROWWISE_MAX_COLS);
                cr_assert_null(op->fits(k, &p), "%s", k->name);
                p = rowwise(k->types[0], 3, 1);
                cr_assert_null(op->fits(k, &p), "%s", k->name);
            }
        }
    }
}

Test(select, rows_are_in_order_of_arch_and_grouped_by_types)
{
    for (unsigned o = 0; o < FLY_OP_COUNT; o++) {
        const struct fly_op *op = fly_op_table[o];
        for (uint32_t i = 0; i < op->nkernels; i++) {
            uint32_t n;
            const struct fly_kernel *k = &op->kernels[i];
            const struct fly_kernel *first = fly_registry_rows(op, k->arch, k->types, &n);
            cr_assert(k >= first && k < first + n, "%s lies apart from its group", k->name);
            cr_assert(!i || k[-1].arch <= k->arch, "%s: archs are not in order", k->name);
        }
    }
}

Test(select, names_are_unique_and_short)
{
    for (unsigned o = 0; o < FLY_OP_COUNT; o++) {
        const struct fly_op *op = fly_op_table[o], *owner;
        for (uint32_t i = 0; i < op->nkernels; i++) {
            const struct fly_kernel *k = &op->kernels[i];
            cr_assert_eq(fly_registry_find(k->name, &owner), k, "%s exists twice", k->name);
            cr_assert_eq(owner, op);
            cr_assert_lt(strlen(k->name), 97, "%s", k->name);
            cr_assert_lt(k->module, op->nmodules);
            cr_assert_gt(k->block, 0);
            cr_assert_leq(k->kernarg_bytes, FLY_MAX_KERNARG_BYTES);
            cr_assert_leq(k->lds, fly_arch_row(k->arch)->lds);
        }
    }
}

/* Columns the lanes of a workgroup hold over columns of the row, for rows that fit registers. On NVIDIA 768 columns are faster
 * in two vectors a lane of two waves than in three of one, by measure. */
Test(select, short_rows_keep_nine_lanes_in_ten_busy)
{
    static const int64_t cols[] = {64, 512, 768, 1024};
    static const char *const ops[] = {"layernorm",    "rmsnorm",    "softmax", "softmaxbwd",
                                      "layernormbwd", "rmsnormbwd", "quant"};
    for (unsigned o = 0; o < COUNT(ops); o++) {
        const struct fly_op *op = fly_op_find(ops[o]);
        for (unsigned arch = 1; arch < FLY_ARCH_COUNT; arch++)
            for (unsigned t = 0; op->types[t][0]; t++)
                for (unsigned c = 0; c < COUNT(cols); c++) {
                    const double least = fly_arch_row(arch)->family != FLY_FAMILY_PTX ? 0.9 : 0.75;
                    struct fly_problem p;
                    uint32_t n;
                    fly_problem_init(op, op->types[t], &p);
                    p.v[FLY_ROWWISE_ROWS] = 1 << 16;
                    for (uint32_t f = FLY_ROWWISE_COLS; f < op->nfields; f++)
                        if (f == FLY_ROWWISE_COLS || !strncmp(op->fields[f].name, "ld", 2))
                            p.v[f] = cols[c];
                    fly_registry_rows(op, arch, p.types, &n);
                    if (!n)
                        continue;
                    struct fly_choice choice = select_or_fail(&p, arch, 304);
                    const struct fly_rowwise_tile *tile = &choice.kernel->rowwise;
                    int64_t held = (int64_t)tile->threads * tile->vectors * tile->vec;
                    cr_expect_geq((double)cols[c] / (double)held, least, "%s for %lld columns",
                                  choice.kernel->name, (long long)cols[c]);
                }
    }
}

/* Sums over rows cost little beside the rows, or there is one workgroup a compute unit; none is idle. */
Test(select, gradients_keep_their_workspace_small)
{
    static const int64_t shapes[][2] = {{1024, 4096}, {4096, 512}, {8192, 768}, {65536, 128}, {100, 8192}, {16384, 4096}};
    static const char *const ops[] = {"layernormbwd", "rmsnormbwd"}, *const archs[] = {"gfx90a", "gfx942", "gfx950", "gfx1201"};
    for (unsigned o = 0; o < COUNT(ops); o++)
        for (unsigned a = 0; a < COUNT(archs); a++)
            for (unsigned s = 0; s < COUNT(shapes); s++) {
                const struct fly_op *op = fly_op_find(ops[o]);
                const struct fly_target t = {fly_arch_find(archs[a]), 256};
                struct fly_problem p;
                uint32_t n, grid[3], launches;
                uint64_t data, params;
                fly_problem_init(op, op->types[2], &p);
                p.v[FLY_ROWWISE_ROWS] = shapes[s][0];
                for (uint32_t f = FLY_ROWWISE_COLS; f < op->nfields; f++)
                    if (f == FLY_ROWWISE_COLS || !strncmp(op->fields[f].name, "ld", 2))
                        p.v[f] = shapes[s][1];
                fly_registry_rows(op, t.arch->id, p.types, &n);
                if (!n)
                    continue;
                const struct fly_kernel *k = select_or_fail(&p, t.arch->id, t.cus).kernel;
                op->grid(k, &p, &t, grid, &launches);
                op->ideal_bytes(&p, &data, &params);
                int64_t groups = (shapes[s][0] + k->rowwise.rows - 1) / k->rowwise.rows;
                cr_expect_geq(grid[0], groups < t.cus ? groups : t.cus);
                cr_expect(grid[0] <= t.cus || 2 * op->workspace(k, &p, &t) <= data / 8, "%s %lld x %lld on %s: %u programs",
                          ops[o], (long long)shapes[s][0], (long long)shapes[s][1], archs[a], grid[0]);
            }
}

/* Tiles that measured fastest on an H200 (docs/performance.md), where another was picked before or a near cost could. */
Test(select, rows_on_nvidia_take_the_tiles_that_measured_fastest)
{
    static const char *const fastest[][2] = {
        {"layernorm:bf16:rows=43690,cols=768", "r2t32v3"},
        {"layernorm:bf16:rows=37450,cols=896", "r1t32v4"},
        {"layernorm:bf16:rows=29128,cols=1152", "r2t64v3"},
        {"layernorm:bf16:rows=21846,cols=1536", "r1t64v3"},
        {"layernorm:bf16:rows=7282,cols=4608", "r1t192v3"},
        {"layernorm:bf16:rows=6554,cols=5120", "r1t256v3"},
        {"layernorm:bf16:rows=4682,cols=7168", "r1t224v4"},
        {"rmsnorm:bf16:rows=43690,cols=768", "r2t64v2"},
        {"rmsnorm:bf16:rows=87381,cols=384", "r2t32v2"},
        {"rmsnorm:bf16:rows=29128,cols=1152", "r1t96v2"},
        {"rmsnorm:bf16:rows=26214,cols=1280", "r1t96v2"},
        {"rmsnorm:bf16:rows=16384,cols=4096", "r1t128v4_loop"},
        {"rmsnorm:bf16:rows=8192,cols=8192", "r1t256v4_loop"},
        {"rmsnorm:bf16:rows=4096,cols=8192", "r1t512v2"},
        {"layernorm:bf16:rows=8192,cols=8192", "r1t256v4_loop"},
        {"layernorm:bf16:rows=4096,cols=8192", "r1t512v2"},
        {"rmsnorm:bf16:rows=6554,cols=5120", "r1t320v2"},
        {"rmsnorm:bf16:rows=4370,cols=7680", "r1t512v2"},
        {"rmsnorm:f32:rows=3276,cols=5120", "r1t640v2"},
        {"softmax:bf16:rows=29128,cols=1152", "r2t32v5"},
        {"softmax:bf16:rows=14564,cols=2304", "r1t96v3"},
        {"softmax:bf16:rows=6242,cols=5376", "r1t256v4_loop"},
        {"rmsnorm:bf16,bf16,i8:rows=16384,cols=4096,quant=dynamic", "r1t128v4"},
        {"layernorm:bf16,bf16,i8:rows=32768,cols=1024,quant=dynamic", "r1t32v4"},
        {"rmsnorm:bf16,bf16,e4m3:rows=4096,cols=769,quant=dynamic", "r1t64v13_e1"},
        {"layernorm:bf16,bf16,i8:rows=65536,cols=129,quant=dynamic", "r4t32v9_e1"},
        {"softmax:bf16:rows=8192,cols=513", "r2t32v17_e1"},
        {"layernorm:bf16:rows=4096,cols=3001", "r1t192v16_e1"},
        {"softmax:f32:rows=512,cols=32768", "r1t1024v4_loop"},
        {"rmsnorm:bf16:rows=65536,cols=128,add=1", "r8t16v1"},
        {"layernorm:bf16:rows=65536,cols=512,add=1", "r2t64v1"},
        {"rmsnorm:bf16:rows=32768,cols=1024,add=1", "r1t128v1"},
        {"layernorm:bf16:rows=16384,cols=4096,add=1", "r1t512v1"},
    };
    const struct fly_arch *arch = fly_arch_find("sm90a");
    for (unsigned i = 0; i < COUNT(fastest); i++) {
        struct fly_problem p;
        char error[256];
        uint32_t n;
        cr_assert(!fly_problem_parse(fastest[i][0], &p, error, sizeof error), "%s", error);
        fly_registry_rows(fly_op_table[p.op], arch->id, p.types, &n);
        cr_assert_gt(n, 0, "no kernels for %s", fastest[i][0]);
        const char *name = select_or_fail(&p, arch->id, 132).kernel->name;
        cr_expect_str_eq(strstr(name, "sm90a_") + strlen("sm90a_"), fastest[i][1], "%s has %s", fastest[i][0], name);
    }
}

/* Few rows have one tile with and without an addition, and so the same bits. */
Test(select, few_rows_keep_their_tile_when_added_to)
{
    static const char *const ops[] = {"layernorm", "rmsnorm"};
    static const int rows[] = {1, 16, 132, 527}, cols[] = {64, 769, 1000, 1024, 4096, 8192};
    for (unsigned i = 0; i < COUNT(ops) * COUNT(rows) * COUNT(cols); i++) {
        const char *name[2];
        for (int add = 0; add < 2; add++) {
            struct fly_problem p;
            char text[128], error[256];
            uint32_t n;
            snprintf(text, sizeof text, "%s:bf16:rows=%d,cols=%d,add=%d", ops[i % COUNT(ops)], rows[i / COUNT(ops) % COUNT(rows)],
                     cols[i / COUNT(ops) / COUNT(rows)], add);
            cr_assert(!fly_problem_parse(text, &p, error, sizeof error), "%s", error);
            fly_registry_rows(fly_op_table[p.op], fly_arch_find("sm90a")->id, p.types, &n);
            cr_assert_gt(n, 0, "no kernels for %s", text);
            name[add] = select_or_fail(&p, fly_arch_find("sm90a")->id, 132).kernel->name;
        }
        cr_expect_str_eq(name[0], name[1]);
    }
}

/* Where vectors must be aligned, gradients of rows that have them nowhere are taken by tiles of single elements. */
Test(select, gradients_of_odd_rows_take_single_elements_on_nvidia)
{
    static const struct {
        int64_t cols, ld;
        bool elements;
    } rows[] = {{769, 769, true},   {3001, 3001, true}, {768, 769, true},   {8191, 8191, true}, {129, 129, true},
                {768, 768, false},  {768, 776, false},  {5000, 5000, false}, {100, 100, false}, {5, 5, false}};
    static const char *const ops[] = {"layernormbwd", "rmsnormbwd"};
    for (unsigned o = 0; o < COUNT(ops); o++)
        for (unsigned r = 0; r < COUNT(rows); r++) {
            struct fly_problem p;
            const struct fly_op *op = fly_op_find(ops[o]);
            const struct fly_arch *arch = fly_arch_find("sm90a");
            uint32_t n;
            fly_problem_init(op, op->types[2], &p);
            p.v[FLY_ROWWISE_ROWS] = 4096;
            for (uint32_t f = FLY_ROWWISE_COLS; f < op->nfields; f++)
                if (!strncmp(op->fields[f].name, "ld", 2))
                    p.v[f] = rows[r].ld;
            p.v[FLY_ROWWISE_COLS] = rows[r].cols;
            fly_registry_rows(op, arch->id, p.types, &n);
            if (!n)
                continue;
            const struct fly_kernel *k = select_or_fail(&p, arch->id, 132).kernel;
            cr_expect_eq(k->rowwise.vec == 1 && k->rowwise.vectors > 1, rows[r].elements, "%s for %lld columns, %lld apart",
                         k->name, (long long)rows[r].cols, (long long)rows[r].ld);
            cr_expect_eq(k->rowwise.passes, 1);
        }
}

/* Or again from L1, where the kernel is made for it. */
Test(select, a_row_that_fits_registers_is_read_once)
{
    static const int64_t cols[] = {64, 1000, 4096, 5000, 8192, 12288, 16384};
    const struct fly_op *op = layernorm();
    for (unsigned arch = 1; arch < FLY_ARCH_COUNT; arch++)
        for (unsigned c = 0; served(op, arch) && c < COUNT(cols); c++) {
            struct fly_problem p = rowwise(FLY_DTYPE_BF16, 4096, cols[c]);
            uint32_t n;
            const struct fly_kernel *k = fly_registry_rows(op, arch, p.types, &n);
            bool possible = false;
            for (uint32_t i = 0; i < n; i++)
                possible |= k[i].rowwise.passes == 1 && !op->fits(&k[i], &p);
            const struct fly_rowwise_tile *t = &select_or_fail(&p, arch, 304).kernel->rowwise;
            const bool again = t->flags & FLY_ROWWISE_AGAIN && cols[c] <= (int64_t)t->threads * t->vectors * t->vec;
            if (possible)
                cr_assert(t->passes == 1 || again, "%lld columns", (long long)cols[c]);
        }
}

Test(select, a_generic_target_serves_its_family)
{
    static const char *const pairs[][2] = {{"gfx1100", "gfx11-generic"},
                                           {"gfx1201", "gfx12-generic"}};
    for (unsigned i = 0; i < COUNT(pairs); i++) {
        const struct fly_arch *a = fly_arch_find(pairs[i][0]);
        cr_assert_eq(a->generic, fly_arch_find(pairs[i][1])->id);
    }
}

/* For each op, arch and types with kernels: a problem of every required size at 64, or 4096, gets
 * one. */
Test(select, each_op_selects_for_all_it_has)
{
    static const int64_t sizes[] = {64, 4096};
    for (unsigned o = 0; o < FLY_OP_COUNT; o++) {
        const struct fly_op *op = fly_op_table[o];
        for (uint32_t i = 0; i < op->nkernels; i++) {
            const struct fly_kernel *k = &op->kernels[i];
            if (i && k[-1].arch == k->arch && !memcmp(k[-1].types, k->types, 3))
                continue;
            bool offered = false;
            for (unsigned t = 0; op->types[t][0]; t++)
                offered |= !memcmp(op->types[t], k->types, 3);
            for (unsigned z = 0; offered && z < COUNT(sizes); z++) {
                struct fly_problem p;
                fly_problem_init(op, k->types, &p);
                for (uint32_t f = 0; f < op->nfields; f++) {
                    if (op->fields[f].flags & FLY_FIELD_REQUIRED)
                        p.v[f] = sizes[z];
                    else if (op->fields[f].same_as >= 0)
                        p.v[f] = p.v[op->fields[f].same_as];
                }
                if (!op->check(&p))
                    select_or_fail(&p, k->arch, 304);
            }
        }
    }
}

Test(select, a_type_without_kernels_is_not_supported)
{
    struct fly_problem p = rowwise(FLY_DTYPE_BF16, 4, 64);
    p.types[0] = p.types[1] = p.types[2] = FLY_DTYPE_I4;
    struct fly_target t = {fly_arch_find("gfx942"), 304};
    struct fly_choice c;
    char why[512] = "";
    cr_assert_eq(fly_select_kernel(layernorm(), &p, &t, NULL, "", &c, why, sizeof why),
                 FLY_STATUS_NOT_SUPPORTED);
    cr_assert(strstr(why, "i4") && strstr(why, "gfx942"), "%s", why);
}

/* A registry of one kernel that the heuristic refuses: the last row must still be tried. */
static uint32_t no_idea(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                        const struct fly_target *t)
{
    (void)k, (void)p, (void)t;
    return n;
}

Test(select, falls_back_to_the_last_row)
{
    struct fly_op op = *layernorm();
    op.heuristic = no_idea;
    struct fly_problem p = rowwise(FLY_DTYPE_BF16, 4, 64);
    struct fly_target t = {fly_arch_find("gfx942"), 304};
    struct fly_choice c;
    char why[512] = "";
    cr_assert_eq(fly_select_kernel(&op, &p, &t, NULL, "", &c, why, sizeof why), FLY_STATUS_SUCCESS,
                 "%s", why);
    cr_assert_eq(c.reason, FLY_REASON_FALLBACK);
    uint32_t n;
    const struct fly_kernel *k = fly_registry_rows(&op, t.arch->id, p.types, &n);
    cr_assert_eq(c.kernel, &k[n - 1]);
}

Test(select, a_forced_kernel_runs_or_says_why_not)
{
    const struct fly_op *op = layernorm();
    struct fly_target t = {fly_arch_find("gfx942"), 304};
    struct fly_problem p = rowwise(FLY_DTYPE_BF16, 4, 64);
    struct fly_choice c;
    char why[512];
    uint32_t n;
    const struct fly_kernel *k = fly_registry_rows(op, t.arch->id, p.types, &n);
    for (uint32_t i = 0; i < n; i++) {
        flyStatus_t s = fly_select_kernel(op, &p, &t, NULL, k[i].name, &c, why, sizeof why);
        if (op->fits(&k[i], &p)) {
            cr_assert_eq(s, FLY_STATUS_NOT_SUPPORTED);
            continue;
        }
        cr_assert_eq(s, FLY_STATUS_SUCCESS, "%s", why);
        cr_assert_eq(c.kernel, &k[i]);
        cr_assert_eq(c.reason, FLY_REASON_FORCED);
    }
    cr_assert_eq(fly_select_kernel(op, &p, &t, NULL, "nosuchkernel", &c, why, sizeof why),
                 FLY_STATUS_NOT_SUPPORTED);
    cr_assert(strstr(why, "no such kernel"), "%s", why);
    p = rowwise(FLY_DTYPE_F32, 4, 64);
    cr_assert_eq(fly_select_kernel(op, &p, &t, NULL, k->name, &c, why, sizeof why),
                 FLY_STATUS_NOT_SUPPORTED);
    cr_assert(strstr(why, "other types"), "%s", why);
    t.arch = fly_arch_find("gfx950");
    p = rowwise(FLY_DTYPE_BF16, 4, 64);
    cr_assert_eq(fly_select_kernel(op, &p, &t, NULL, k->name, &c, why, sizeof why),
                 FLY_STATUS_NOT_SUPPORTED);
    cr_assert(strstr(why, "another arch"), "%s", why);
}

Test(select, launches_stay_within_32_bits_of_work_items)
{
    const struct fly_op *op = layernorm();
    for (uint32_t i = 0; i < op->nkernels; i++) {
        const struct fly_kernel *k = &op->kernels[i];
        struct fly_target t = {fly_arch_row(k->arch), 304};
        for (unsigned r = 0; r < COUNT(some_rows); r++) {
            struct fly_problem p = rowwise(k->types[0], some_rows[r], 1);
            uint32_t grid[3], launches;
            op->grid(k, &p, &t, grid, &launches);
            cr_assert_leq((uint64_t)grid[0] * k->block, UINT64_C(0xffffffff), "%s", k->name);
            cr_assert_leq(grid[0], 0x7fffffffu);
            if (k->resident) { /* goes on from row to row */
                cr_assert_eq(grid[0] % k->cluster, 0);
                continue;
            }
            cr_assert_geq((double)launches * (double)grid[0] * k->rowwise.rows,
                          (double)some_rows[r]);
            if (launches == 1)
                cr_assert_lt(((int64_t)grid[0] - 1) * k->rowwise.rows, some_rows[r]);
        }
    }
}

/* Lanes that have columns of a row, of those that a tile's loads keep going, in thousandths. */
static int64_t busy_lanes(const struct fly_kernel *k, int64_t cols)
{
    const int64_t step = (int64_t)k->rowwise.threads * k->rowwise.vec, loads = (cols + step - 1) / step;
    return 1000 * cols / (loads * step);
}

/* Rows of 768 columns got tiles whose loads cover 1024 where there were few of them. */
Test(select, short_rows_do_so_however_few_they_are)
{
    static const int64_t widths[] = {64, 512, 768, 1024};
    static const uint32_t cus[] = {1, 16, 32, 48, 64, 96, 104, 256, 304};
    for (unsigned o = 0; o < FLY_OP_COUNT; o++) {
        const struct fly_op *op = fly_op_table[o];
        for (uint32_t first = 0, n; op->tile == FLY_TILE_ROWWISE && op->ntypes > 1 && first < op->nkernels; first += n) {
            const struct fly_kernel *k = &op->kernels[first];
            for (n = 1; first + n < op->nkernels && k[n].arch == k->arch && !memcmp(k[n].types, k->types, sizeof k->types); n++)
                ;
            if (fly_arch_row(k->arch)->family == FLY_FAMILY_PTX || fly_field_index(op, "cols") != FLY_ROWWISE_COLS)
                continue;
            for (size_t w = 0; w < COUNT(widths); w++)
                for (size_t u = 0; u < COUNT(cus); u++)
                    for (int64_t rows = 1; rows < 100000; rows += 1 + rows / 24) {
                        struct fly_problem p;
                        const struct fly_target t = {fly_arch_row(k->arch), cus[u]};
                        fly_problem_init(op, k->types, &p);
                        p.v[FLY_ROWWISE_ROWS] = rows;
                        p.v[FLY_ROWWISE_COLS] = p.v[FLY_ROWWISE_LD] = widths[w];
                        const struct fly_kernel *best = &k[op->heuristic(k, n, &p, &t)];
                        cr_expect_geq(busy_lanes(best, widths[w]), 900, "%s for %lld rows of %lld columns on %u CUs", best->name,
                                      (long long)rows, (long long)widths[w], cus[u]);
                    }
        }
    }
}

/* LayerNorm's codes of rows that share a wave and begin anywhere have tiles of five, seven and nine vectors, just wider than
 * these widths and a line of codes; rows of whole vectors, short ones, those that a wave of its own holds and few ones do not. */
Test(select, codes_of_odd_rows_take_an_odd_number_of_vectors)
{
    static const struct {
        int64_t rows, cols, ld;
        unsigned threads, vectors; /* 0: one of the others */
    } cases[] = {{65281, 257, 257, 8, 5},     {43578, 385, 385, 8, 7},     {32705, 513, 513, 8, 9},
                 {21817, 769, 769, 16, 7},    {16369, 1025, 1025, 16, 9},  {10916, 1537, 1537, 32, 7},
                 {8189, 2049, 2049, 32, 9},   {32768, 512, 512, 0, 0},     {16778, 1000, 1000, 0, 0},
                 {16384, 1024, 1024, 0, 0},   {32705, 513, 520, 0, 0},     {86929, 193, 193, 0, 0},
                 {10930, 1535, 1535, 0, 0},   {8197, 2047, 2047, 0, 0},    {700, 769, 769, 0, 0}};
    static const char *const archs[] = {"gfx90a", "gfx942", "gfx950"};
    for (unsigned a = 0; a < COUNT(archs); a++)
        for (unsigned i = 0; i < COUNT(cases); i++) {
            const struct fly_arch *arch = fly_arch_find(archs[a]);
            struct fly_problem p = rowwise(FLY_DTYPE_BF16, cases[i].rows, cases[i].cols);
            p.types[2] = FLY_DTYPE_I8;
            p.v[FLY_ROWWISE_LD] = cases[i].ld;
            if (!served(layernorm(), arch->id))
                continue;
            const struct fly_kernel *k = select_or_fail(&p, arch->id, 256).kernel;
            const bool least = k->rowwise.threads == 8 ? k->rowwise.vectors > 4 : k->rowwise.vectors > 6;
            if (cases[i].threads)
                cr_expect(k->rowwise.threads == cases[i].threads && k->rowwise.vectors == cases[i].vectors, "%s for %lld columns",
                          k->name, (long long)cases[i].cols);
            else
                cr_expect(k->rowwise.threads > 32 || k->rowwise.vectors % 2 == 0 || !least, "%s for %lld columns", k->name,
                          (long long)cases[i].cols);
        }
}
