/* SPDX-License-Identifier: MIT */
/*
 * Selection of GEMM kernels against the bound model: for the suites there is a pick whose bound no
 * other candidate beats by more than 5 %, whatever its number of parts, on devices of any number of
 * CUs, and k is split, by parts or by slices, where the grid has fewer than two workgroups a CU; by
 * the fuller model few picks are beyond 5 %. For random shapes, most of them so small that what comes
 * on top of a bound is more than the bound, the bound or the fuller model decides.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"
#include "ops/gemm_model.h"
#include "unit.h"

static const struct fly_op *op(void)
{
    return fly_op_find("gemm");
}

static const struct {
    const char *arch;
    uint32_t cus;
} devices[] = {{"gfx90a", 104}, {"gfx90a", 110}, {"gfx90a", 52}, {"gfx942", 304}, {"gfx942", 228},
               {"gfx942", 152}, {"gfx942", 80},  {"gfx942", 76}, {"gfx942", 38},  {"gfx942", 20},
               {"gfx950", 256}, {"gfx950", 128}, {"gfx950", 64}, {"gfx950", 32},  {"gfx950", 1}};
enum { DEVICES = sizeof devices / sizeof *devices };

/* What every kernel that fits takes with every number of parts that the grid could have: the least
 * bound, the fewest cycles, and both again of those that leave no grid of fewer than two workgroups
 * a CU in one part. */
struct least {
    double bound, cycles, bound_split, cycles_split;
};

static double less(double a, double b)
{
    return a < b ? a : b;
}

static struct least least_of_all(const struct fly_problem *p, const struct fly_target *t,
                                 const struct fly_gemm_shape *s)
{
    uint32_t n;
    struct least l = {INFINITY, INFINITY, INFINITY, INFINITY};
    const struct fly_kernel *k = fly_registry_rows(op(), t->arch->id, p->types, &n);
    cr_assert_leq(n, 64, "selection looks at 64 kernels of a type");
    for (uint32_t i = 0; i < n; i++) {
        bool twice = s->m <= FLY_GEMM_DECODE && k[i].gemm.m < s->m; /* asks for B twice */
        for (unsigned j = 0; !twice && !op()->fits(&k[i], p) && j < FLY_GEMM_SPLITS; j++) {
            uint32_t splits = fly_gemm_splits[j];
            if (!fly_gemm_may_split(&k[i], s, t, splits))
                continue;
            double bound = fly_gemm_bound_cycles(&k[i], s, t, splits),
                   cycles = fly_gemm_cycles(&k[i], s, t, splits);
            l.bound = less(l.bound, bound);
            l.cycles = less(l.cycles, cycles);
            if (!fly_gemm_thin(&k[i], s, t, splits)) {
                l.bound_split = less(l.bound_split, bound);
                l.cycles_split = less(l.cycles_split, cycles);
            }
        }
    }
    return l;
}

static int picks, worse, dear, unsplit;

/* strict: the pick's bound is within 5 % of the least, and k is split where that leaves it there;
 * else its cycles may be few instead. */
static void judge(const struct fly_problem *p, const struct fly_target *t, bool strict)
{
    char why[512] = "", text[FLY_MAX_PROBLEM_TEXT];
    struct fly_choice c = {0};
    uint32_t grid[3], launches;
    const struct fly_gemm_shape s = {
        p->v[fly_field_index(op(), "m")], p->v[fly_field_index(op(), "n")],
        p->v[fly_field_index(op(), "k")], p->v[fly_field_index(op(), "batch")],
        fly_dtype_bits(p->types[0]),      fly_dtype_bits(p->types[2])};
    fly_problem_print(p, text, sizeof text);
    cr_assert_eq(fly_select_kernel(op(), p, t, NULL, "", &c, why, sizeof why), FLY_STATUS_SUCCESS,
                 "%s on %s: %s", text, t->arch->name, why);
    cr_assert_null(op()->fits(c.kernel, p));
    cr_expect(s.m > FLY_GEMM_DECODE || c.kernel->gemm.m >= s.m, "%s: %s asks for B twice", text,
              c.kernel->name);
    op()->grid(c.kernel, p, t, grid, &launches);
    struct least l = least_of_all(p, t, &s);
    double bound = fly_gemm_bound_cycles(c.kernel, &s, t, grid[1]),
           cycles = fly_gemm_cycles(c.kernel, &s, t, grid[1]);
    bool one = fly_gemm_thin(c.kernel, &s, t, grid[1]);
    picks++;
    dear += cycles > 1.05 * l.cycles;
    if (bound > 1.05 * l.bound && (strict || bound > FLY_GEMM_ALIKE) &&
        (strict || cycles > 1.05 * FLY_GEMM_WORTH * (one ? l.cycles : l.cycles_split))) {
        fprintf(stderr,
                "%s on %s with %u CUs: %s with %u splits has %.2f of the least bound, %.2f of the "
                "fewest cycles\n",
                text, t->arch->name, t->cus, c.kernel->name, grid[1], bound / l.bound,
                cycles / l.cycles);
        worse++;
    }
    if (strict && one && l.bound_split < 1.04 * l.bound) {
        fprintf(stderr, "%s on %s with %u CUs: %s leaves %u workgroups, k is whole\n", text,
                t->arch->name, t->cus, c.kernel->name, grid[0] * grid[2]);
        unsplit++;
    }
    cr_expect_eq(launches, grid[1] > 1 ? 2 : 1);
    cr_expect_eq(op()->second(c.kernel, p, t) != NULL, grid[1] > 1);
    cr_expect_eq(op()->workspace(c.kernel, p, t) > 0, grid[1] > 1);
}

static bool has_type(const struct fly_target *t, const uint8_t types[3])
{
    uint32_t n;
    fly_registry_rows(op(), t->arch->id, types, &n);
    return n > 0;
}

/* The shape of p in each type that a device has; f16 is as bf16 to the model. */
static void judge_everywhere(const struct fly_problem *p, bool strict)
{
    for (unsigned d = 0; d < DEVICES; d++) {
        struct fly_target t = {fly_arch_find(devices[d].arch), devices[d].cus};
        for (unsigned i = 0; op()->types[i][0]; i++) {
            struct fly_problem q = *p;
            memcpy(q.types, op()->types[i], sizeof q.types);
            bool f16 = q.types[0] == FLY_DTYPE_F16 || q.types[2] == FLY_DTYPE_F16;
            if (!f16 && has_type(&t, q.types) && !op()->check(&q))
                judge(&q, &t, strict);
        }
    }
}

Test(gemm_select, suites_get_the_best_within_five_percent)
{
    static const char *const suites[] = {"gemm",
                                         "gemm-e4m3",
                                         "gemm-e4m3z",
                                         "gemm-llama3-8b",
                                         "gemm-llama3-70b",
                                         "gemm-qwen2.5-7b",
                                         "gemm-deepseek-v3"};
    const char *folder = getenv("FLY_SUITES");
    cr_assert_not_null(folder);
    for (unsigned i = 0; i < sizeof suites / sizeof *suites; i++) {
        char path[1024], line[512];
        int lines = 0;
        snprintf(path, sizeof path, "%s/%s.txt", folder, suites[i]);
        FILE *f = fopen(path, "r");
        cr_assert_not_null(f, "%s", path);
        while (fgets(line, sizeof line, f)) {
            line[strcspn(line, "\n")] = '\0';
            if (line[0] == '#' || !line[0])
                continue;
            struct fly_problem p = unit_problem(line);
            judge_everywhere(&p, true);
            lines++;
        }
        fclose(f);
        cr_assert_gt(lines, 0, "%s is empty", path);
    }
    cr_expect_eq(worse, 0, "%d picks are not within 5 %%", worse);
    cr_expect_eq(unsplit, 0, "%d grids are not split", unsplit);
    cr_expect_lt(dear, picks / 40, "%d of %d picks are not within 5 %% by the fuller model", dear,
                 picks);
}

Test(gemm_select, any_shape_gets_the_best_within_five_percent)
{
    uint64_t x = 88172645463325252u;
    for (int i = 0; i < 2000; i++) {
        char text[160];
        int64_t v[3];
        for (int j = 0; j < 3; j++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            v[j] = 1 + (int64_t)(x >> 20) % (INT64_C(1) << (x % 15)); /* all magnitudes alike */
        }
        snprintf(text, sizeof text, "gemm:bf16:m=%lld,n=%lld,k=%lld", (long long)v[0],
                 (long long)v[1], (long long)v[2] * 16);
        struct fly_problem p = unit_problem(text);
        judge_everywhere(&p, false);
    }
    cr_expect_eq(worse, 0, "%d picks are not within 5 %%", worse);
    cr_expect_eq(unsplit, 0, "%d grids are not split", unsplit);
}

/* Decode grids are too small for the machine unless k is split: enough loads must be under way to
 * hide 2000 cycles of latency at the full rate of HBM. */
Test(gemm_select, decode_covers_the_latency)
{
    static const char *const problems[] = {"gemm:bf16:m=1,n=8192,k=8192",
                                           "gemm:bf16:m=16,n=4096,k=14336",
                                           "gemm:i8,bf16:m=16,n=5120,k=8192,scale=rc",
                                           "gemm:bf16:m=32,n=8192,k=28672",
                                           "gemm:i8,bf16:m=16,n=40960,k=5120",
                                           "gemm:bf16:m=16,n=7168,k=18432",
                                           "gemm:bf16:m=16,n=7168,k=2048",
                                           "gemm:bf16:m=32,n=8192,k=8192",
                                           "gemm:bf16:m=1,n=4096,k=4096",
                                           "gemm:bf16:m=16,n=24576,k=1536"};
    for (unsigned d = 0; d < DEVICES; d++)
        for (unsigned i = 0; i < sizeof problems / sizeof *problems; i++) {
            struct fly_target t = {fly_arch_find(devices[d].arch), devices[d].cus};
            struct fly_problem p = unit_problem(problems[i]);
            const struct fly_gemm_shape s = {p.v[0], p.v[1], p.v[2], 1, fly_dtype_bits(p.types[0]),
                                             16};
            char why[512];
            struct fly_choice c;
            uint32_t grid[3], launches;
            if (t.cus == 80 || t.cus == 1)
                continue; /* all of the memory of a large device; too few tiles */
            cr_assert_eq(fly_select_kernel(op(), &p, &t, NULL, "", &c, why, sizeof why),
                         FLY_STATUS_SUCCESS);
            op()->grid(c.kernel, &p, &t, grid, &launches);
            struct fly_gemm_estimate e = fly_gemm_estimate(c.kernel, &s, &t, grid[1]);
            cr_expect_geq(e.coverage, 0.99, "%s on %s: %s, %u x %u workgroups cover %.2f",
                          problems[i], t.arch->name, c.kernel->name, grid[0], grid[1], e.coverage);
            cr_expect(!fly_gemm_thin(c.kernel, &s, &t, grid[1]), "%s on %s: %u workgroups, k whole",
                      problems[i], t.arch->name, grid[0]);
            cr_expect_geq(grid[0] * grid[1], t.cus, "%s on %s: %u x %u workgroups", problems[i],
                          t.arch->name, grid[0], grid[1]);
            cr_expect(c.kernel->gemm.m <= 32, "%s: %s reads rows that are not there", problems[i],
                      c.kernel->name);
        }
}
