/* SPDX-License-Identifier: MIT */
/* Tuning files and tables: what is found, and what is refused. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/fatbin.h"
#include "core/tune.h"
#include "unit.h"

static const struct fly_op *layernorm(void)
{
    return fly_op_find("layernorm");
}

static struct fly_target target(void)
{
    return (struct fly_target){fly_arch_find("gfx942"), 304};
}

/* Kernel `i` of bf16 on gfx942, counted from the most general. */
static const struct fly_kernel *kernel(uint32_t i)
{
    static const uint8_t types[3] = {FLY_DTYPE_BF16, FLY_DTYPE_BF16, FLY_DTYPE_BF16};
    uint32_t n;
    const struct fly_kernel *k = fly_registry_rows(layernorm(), target().arch->id, types, &n);
    cr_assert_gt(n, i);
    return &k[n - 1 - i];
}

static char text[16384];

/* A file of the rows given as (rows, cols, kernel) triples. */
static void file(unsigned n, const int64_t shape[][2])
{
    int m = snprintf(text, sizeof text, "# libfly tuning arch=gfx942 registry=%016" PRIx64 "\n"
                                        "problem,cus,kernel,us,second,us2\n",
                     fly_registry_fingerprint(layernorm(), target().arch));
    for (unsigned i = 0; i < n; i++)
        m += snprintf(text + m, sizeof text - (size_t)m,
                      "\"layernorm:bf16:rows=%" PRId64 ",cols=%" PRId64 "\",304,%s,12.5,,\n",
                      shape[i][0], shape[i][1], kernel(0)->name);
}

static flyStatus_t read_text(struct fly_tune *t, char why[256])
{
    uint32_t n = 0;
    memset(t, 0, sizeof *t);
    *why = '\0';
    flyStatus_t s = fly_tune_read(text, strlen(text), true, &t->owned, &n, why, 256);
    t->user = (struct fly_tune_table){t->owned, n};
    return s;
}

static bool look(const struct fly_tune *t, const char *problem, struct fly_choice *c)
{
    struct fly_problem p = unit_problem(problem);
    struct fly_target d = target();
    return fly_tune_lookup(t, layernorm(), &p, &d, c);
}

Test(tune, finds_exact_and_nearest_and_nothing_far)
{
    static const int64_t shape[][2] = {{256, 4096}, {256, 8192}, {4096, 512}, {4096, 8192}};
    struct fly_tune t;
    struct fly_choice c;
    char why[256];
    file(4, shape);
    cr_assert_eq(read_text(&t, why), FLY_STATUS_SUCCESS, "%s", why);
    cr_assert_eq(t.user.nrows, 4);
    cr_assert(look(&t, "layernorm:bf16:rows=4096,cols=8192", &c));
    cr_assert_eq(c.reason, FLY_REASON_TUNED);
    cr_assert_eq(c.kernel, kernel(0));
    cr_assert(look(&t, "layernorm:bf16:rows=4096,cols=8192,eps=0.5,ldx=9000", &c),
              "eps and ldx are no part of the key");
    cr_assert_eq(c.reason, FLY_REASON_TUNED);
    cr_assert(look(&t, "layernorm:bf16:rows=5000,cols=8000", &c));
    cr_assert_eq(c.reason, FLY_REASON_NEAREST);
    cr_assert_not(look(&t, "layernorm:bf16:rows=1000000,cols=8000", &c));
    cr_assert_not(look(&t, "layernorm:f16:rows=4096,cols=8192", &c));
    fly_tune_close(&t);
}

Test(tune, selection_takes_the_table_before_the_heuristic)
{
    static const int64_t shape[][2] = {{4096, 8192}};
    struct fly_tune t;
    struct fly_choice c;
    char why[512];
    file(1, shape);
    cr_assert_eq(read_text(&t, why), FLY_STATUS_SUCCESS, "%s", why);
    struct fly_problem p = unit_problem("layernorm:bf16:rows=4096,cols=8192");
    struct fly_target d = target();
    cr_assert_eq(fly_select_kernel(layernorm(), &p, &d, &t, "", &c, why, sizeof why),
                 FLY_STATUS_SUCCESS);
    cr_assert_eq(c.reason, FLY_REASON_TUNED);
    cr_assert_eq(fly_select_kernel(layernorm(), &p, &d, &t, kernel(0)->name, &c, why, sizeof why),
                 FLY_STATUS_SUCCESS);
    cr_assert_eq(c.reason, FLY_REASON_FORCED);
    fly_tune_close(&t);
}

Test(tune, another_cu_count_is_only_near)
{
    static const int64_t shape[][2] = {{4096, 8192}};
    struct fly_tune t;
    struct fly_choice c;
    char why[256];
    file(1, shape);
    cr_assert_eq(read_text(&t, why), FLY_STATUS_SUCCESS, "%s", why);
    struct fly_problem p = unit_problem("layernorm:bf16:rows=4096,cols=8192");
    struct fly_target d = {target().arch, 228};
    cr_assert(fly_tune_lookup(&t, layernorm(), &p, &d, &c));
    cr_assert_eq(c.reason, FLY_REASON_NEAREST);
    d.cus = 32;
    cr_assert_not(fly_tune_lookup(&t, layernorm(), &p, &d, &c));
    fly_tune_close(&t);
}

static void refused(const char *because)
{
    struct fly_tune t;
    char why[256];
    cr_assert_neq(read_text(&t, why), FLY_STATUS_SUCCESS, "accepted:\n%s", text);
    cr_assert(strstr(why, because), "want '%s' in: %s", because, why);
    cr_assert_eq(t.user.nrows, 0);
    fly_tune_close(&t);
}

/* Replaces `from` by `to` in the text. */
static void edit(const char *from, const char *to)
{
    static char copy[sizeof text];
    char *at = strstr(text, from);
    cr_assert_not_null(at, "no '%s'", from);
    snprintf(copy, sizeof copy, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    strcpy(text, copy);
}

Test(tune, wrong_files_are_refused_as_a_whole)
{
    static const int64_t right[][2] = {{256, 4096}, {4096, 8192}},
                         twice[][2] = {{256, 4096}, {256, 4096}},
                         unsorted[][2] = {{4096, 8192}, {256, 4096}};
#define WRONG(from, to, because)                                                                   \
    do {                                                                                           \
        file(2, right);                                                                            \
        edit(from, to);                                                                            \
        refused(because);                                                                          \
    } while (0)
    file(2, twice);
    refused("line 4: is a duplicate");
    file(2, unsorted);
    refused("line 4: is not in order");
    WRONG("# libfly tuning ", "# tuning ", "line 1");
    WRONG("arch=gfx942 ", "", "arch= is missing");
    WRONG("arch=gfx942", "arch=gfx900", "unknown");
    WRONG("arch=gfx942", "arch=gfx950", "gfx950");
    WRONG("registry=", "registry=1", "another registry");
    WRONG("registry=", "registri=", "unknown");
    WRONG("us2\n", "us3\n", "line 2");
    WRONG("rows=256", "rows=-1", "out of range");
    WRONG("layernorm:bf16:rows=256", "rmsnrm:bf16:rows=256", "no such operation");
    WRONG("bf16:rows=256", "f16:rows=256", "other types");
    WRONG(kernel(0)->name, "nosuchkernel", "nosuchkernel");
    WRONG(",304,", ",0,", "cus");
    WRONG(",304,", ",-304,", "cus");
    WRONG(",12.5,", ",,", "us");
    WRONG(",12.5,", ",fast,", "us");
    static const char *const no_times[] = {",nan,", ",-12.5,", ",inf,", ",0,", ",1e400,", ", 12.5,", ",12.5us,"};
    for (size_t i = 0; i < sizeof no_times / sizeof *no_times; i++)
        WRONG(",12.5,", no_times[i], "is no time");
    for (size_t i = 0; i < sizeof no_times / sizeof *no_times; i++) {
        char second[256];
        snprintf(second, sizeof second, ",12.5,%s,%.*s\n", kernel(0)->name, (int)strlen(no_times[i]) - 2, no_times[i] + 1);
        WRONG(",12.5,,\n", second, "us2");
    }
    WRONG(",12.5,,", ",12.5,nosuchkernel,1", "nosuchkernel");
    WRONG(",12.5,,", ",12.5,", "line 3");
    WRONG(",12.5,,", ",12.5,,,", "line 3");
    WRONG("\"layernorm", "layernorm", "line 3");
    WRONG("\",304", ",304", "line 3");
}

Test(tune, a_kernel_that_does_not_fit_is_refused)
{
    static const int64_t shape[][2] = {{4, 1 << 24}};
    const struct fly_kernel *resident = NULL;
    for (uint32_t i = 0; !resident; i++)
        if (kernel(i)->rowwise.passes == 1)
            resident = kernel(i);
    file(1, shape);
    edit(kernel(0)->name, resident->name);
    refused("does not fit");
}

/* What a mask hides is not computed with: a masked problem's winner says nothing about the plain one. */
Test(tune, masks_and_sums_over_rows_are_part_of_the_key)
{
    static const char *const keys[][2] = {
        {"softmax:bf16:rows=64,cols=512,causal=1,causal_rows=32", "softmax:bf16:rows=64,cols=512"},
        {"softmax:bf16:rows=64,cols=512,lengths=1", "softmax:bf16:rows=64,cols=512"},
        {"rmsnormbwd:bf16:rows=64,cols=512,dgamma=0", "rmsnormbwd:bf16:rows=64,cols=512"},
        {"layernormbwd:bf16:rows=64,cols=512,atomic=1", "layernormbwd:bf16:rows=64,cols=512"}};
    const struct fly_target d = target();
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        struct fly_problem p = unit_problem(keys[i][0]), plain = unit_problem(keys[i][1]);
        const struct fly_op *op = fly_op_table[p.op];
        uint32_t n;
        const struct fly_kernel *k = fly_registry_rows(op, d.arch->id, p.types, &n);
        struct fly_tune_row r = {.problem = p, .cus = d.cus, .kernel = (uint32_t)(k + n - 1 - op->kernels),
                                 .arch = (uint16_t)d.arch->id};
        struct fly_tune t = {.user = {&r, 1}};
        struct fly_choice c;
        fly_tune_finish(&r);
        cr_expect(fly_tune_lookup(&t, op, &p, &d, &c) && c.reason == FLY_REASON_TUNED, "%s", keys[i][0]);
        cr_expect_not(fly_tune_lookup(&t, op, &plain, &d, &c), "%s takes the winner of %s", keys[i][1], keys[i][0]);
    }
}

Test(tune, any_truncation_is_safe)
{
    static const int64_t shape[][2] = {{256, 4096}, {4096, 8192}};
    file(2, shape);
    size_t whole = strlen(text);
    for (size_t n = 0; n < whole; n++) {
        struct fly_tune_row *rows = NULL;
        uint32_t count = 0;
        char why[256], *copy = malloc(n ? n : 1);
        memcpy(copy, text, n);
        fly_tune_read(copy, n, true, &rows, &count, why, sizeof why);
        cr_assert_leq(count, 2);
        free(copy);
        free(rows);
    }
}

/* The winners' life: stored by one process, found by the next handle, refused after the registry
 * changed. */
Test(tune, winners_are_stored_and_found)
{
    char home[] = "/tmp/fly-test-XXXXXX", command[64];
    cr_assert_not_null(mkdtemp(home));
    setenv("XDG_CACHE_HOME", home, 1);
    unsetenv("FLY_TUNING");
    struct fly_tune_row r = {.problem = unit_problem("layernorm:bf16:rows=77,cols=333"),
                             .cus = 304,
                             .kernel = (uint32_t)(kernel(0) - layernorm()->kernels),
                             .arch = target().arch->id};
    cr_assert(fly_tune_store(&r, 10, NULL, 0));
    cr_assert(fly_tune_store(&r, 9, kernel(0), 10), "a winner cannot be replaced");
    flyHandle_t h = unit_handle("gfx942");
    flyLayerNormArgs_t a = unit_layernorm();
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    a.rows = 77;
    a.cols = 333;
    cr_assert_eq(flyLayerNormPlan(h, &a, &plan), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    cr_assert_eq(plan.reason, FLY_REASON_TUNED);
    cr_assert_str_eq(plan.kernel, kernel(0)->name);
    flyDestroy(h);
    setenv("FLY_TUNING", "0", 1);
    h = unit_handle("gfx942");
    cr_assert_eq(flyLayerNormPlan(h, &a, &plan), FLY_STATUS_SUCCESS);
    cr_assert_eq(plan.reason, FLY_REASON_HEURISTIC);
    flyDestroy(h);
    snprintf(command, sizeof command, "rm -rf %s", home);
    cr_assert_eq(system(command), 0);
}

/* A FIFO in the folder does not stop the process that reads it. */
Test(tune, what_is_no_regular_file_is_passed_over)
{
    char home[] = "/tmp/fly-test-XXXXXX", name[128], command[96];
    size_t bytes;
    struct fly_tune t;
    struct fly_choice c;
    const struct fly_target d = target();
    struct fly_tune_row r = {.problem = unit_problem("layernorm:bf16:rows=77,cols=333"), .cus = 304,
                             .kernel = (uint32_t)(kernel(0) - layernorm()->kernels), .arch = (uint16_t)d.arch->id};
    cr_assert_not_null(mkdtemp(home));
    setenv("XDG_CACHE_HOME", home, 1);
    unsetenv("FLY_TUNING");
    cr_assert(fly_tune_store(&r, 10, NULL, 0));
    alarm(10);
    snprintf(name, sizeof name, "%s/fly/gfx942-304/empty.csv", home);
    fclose(fopen(name, "w"));
    cr_expect_null(fly_file_map(name, &bytes));
    cr_expect_str_eq(fly_file_error(errno), "empty file");
    snprintf(name, sizeof name, "%s/fly/gfx942-304/folder.csv", home);
    cr_assert_eq(mkdir(name, 0777), 0);
    cr_expect_null(fly_file_map(name, &bytes));
    cr_expect_str_eq(fly_file_error(errno), "not a regular file");
    snprintf(name, sizeof name, "%s/fly/gfx942-304/fifo.csv", home);
    cr_assert_eq(mkfifo(name, 0666), 0);
    cr_expect_null(fly_file_map(name, &bytes));
    cr_expect_str_eq(fly_file_error(errno), "not a regular file");
    cr_expect_null(fly_file_map("/nonexistent", &bytes));
    cr_expect_str_eq(fly_file_error(errno), strerror(ENOENT));
    fly_tune_open(&t, &d, false);
    cr_expect(look(&t, "layernorm:bf16:rows=77,cols=333", &c));
    fly_tune_close(&t);
    snprintf(command, sizeof command, "rm -rf %s", home);
    cr_assert_eq(system(command), 0);
}

/* A GPU does not take what the simulator's model preferred; the two are kept apart. */
Test(tune, modelled_winners_are_for_the_simulator)
{
    char home[] = "/tmp/fly-test-XXXXXX", command[96];
    cr_assert_not_null(mkdtemp(home));
    setenv("XDG_CACHE_HOME", home, 1);
    unsetenv("FLY_TUNING");
    const struct fly_target t = target();
    struct fly_tune on_gpu, on_simulator;
    struct fly_choice c;
    struct fly_tune_row r = {.problem = unit_problem("layernorm:bf16:rows=77,cols=333"),
                             .cus = 304,
                             .kernel = (uint32_t)(kernel(0) - layernorm()->kernels),
                             .arch = target().arch->id};
    r.modelled = true;
    cr_assert(fly_tune_store(&r, 10, NULL, 0));
    fly_tune_open(&on_gpu, &t, false);
    fly_tune_open(&on_simulator, &t, true);
    cr_expect_not(look(&on_gpu, "layernorm:bf16:rows=77,cols=333", &c));
    cr_expect(look(&on_simulator, "layernorm:bf16:rows=77,cols=333", &c));
    fly_tune_close(&on_gpu);
    fly_tune_close(&on_simulator);

    /* Named by hand, or copied to where the other looks, the file itself says what it is. */
    snprintf(command, sizeof command, "mv %s/fly/gfx942-304-modelled %s/fly/gfx942-304", home, home);
    cr_assert_eq(system(command), 0);
    fly_tune_open(&on_gpu, &t, false);
    cr_expect_not(look(&on_gpu, "layernorm:bf16:rows=77,cols=333", &c));
    fly_tune_close(&on_gpu);
    r.modelled = false;
    cr_assert(fly_tune_store(&r, 10, NULL, 0));
    fly_tune_open(&on_gpu, &t, false);
    fly_tune_open(&on_simulator, &t, true);
    cr_expect(look(&on_gpu, "layernorm:bf16:rows=77,cols=333", &c));
    cr_expect_not(look(&on_simulator, "layernorm:bf16:rows=77,cols=333", &c));
    fly_tune_close(&on_gpu);
    fly_tune_close(&on_simulator);
    snprintf(command, sizeof command, "rm -rf %s", home);
    cr_assert_eq(system(command), 0);
}

Test(tune, a_missing_or_read_only_home_is_fine)
{
    struct fly_tune_row r = {.problem = unit_problem("layernorm:bf16:rows=77,cols=333"),
                             .cus = 304,
                             .kernel = (uint32_t)(kernel(0) - layernorm()->kernels),
                             .arch = target().arch->id};
    setenv("XDG_CACHE_HOME", "/proc/nosuchfolder", 1);
    cr_assert_not(fly_tune_store(&r, 10, NULL, 0));
    flyHandle_t h = unit_handle("gfx942");
    flyDestroy(h);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    cr_assert_not(fly_tune_store(&r, 10, NULL, 0));
    h = unit_handle("gfx942");
    flyDestroy(h);
}
