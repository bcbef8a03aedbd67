/* SPDX-License-Identifier: MIT */
/*
 * The CUDA table against a fake libcuda: devices, primary contexts, PTX files loaded one a kernel
 * at first use, and what a refusal of the driver's compiler looks like.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fake_cuda.h"
#include "unit.h"

static char folder[64];

static struct fake_cuda *fake(void)
{
    struct fake_cuda *s =
        dlsym(dlopen(getenv("FLY_FAKE_CUDA"), RTLD_NOW | RTLD_NOLOAD), "fake_cuda");
    cr_assert_not_null(s);
    return s;
}

/* A folder with PTX for kernel k, whose body is `body`. */
static void write_ptx(const struct fly_kernel *k, const char *fingerprint, const char *suffix,
                      const char *body)
{
    char path[256];
    if (!*folder) {
        strcpy(folder, "/tmp/fly-test-XXXXXX");
        cr_assert_not_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/nvptx", folder);
        cr_assert_eq(mkdir(path, 0755), 0);
        setenv("FLY_KERNEL_PATH", folder, 1);
    }
    snprintf(path, sizeof path, "%s/nvptx/%s.%s", folder, k->name, suffix);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fprintf(f, ".version 7.8\n.target sm_80\n.visible .global .u32 fly_registry_%s;\n%s\n",
            fingerprint, body);
    fclose(f);
}

static void remove_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

/* The kernel that unit_layernorm() gets on an arch. */
static const struct fly_kernel *picked_for(const char *op, const char *problem, const char *arch, uint32_t cus,
                                           const char **fingerprint)
{
    struct fly_problem p = unit_problem(problem);
    struct fly_target t = {fly_arch_find(arch), cus};
    struct fly_choice c;
    char why[256];
    cr_assert_eq(fly_select_kernel(fly_op_find(op), &p, &t, NULL, "", &c, why, sizeof why),
                 FLY_STATUS_SUCCESS, "%s", why);
    *fingerprint = fly_op_find(op)->modules[c.kernel->module].fingerprint;
    return c.kernel;
}

static const struct fly_kernel *picked(const char *arch, uint32_t cus, const char **fingerprint)
{
    return picked_for("layernorm", "layernorm:bf16:rows=4,cols=1000", arch, cus, fingerprint);
}

static flyHandle_t open_fake(int device)
{
    flyHandle_t h = NULL;
    setenv("FLY_RUNTIME", getenv("FLY_FAKE_CUDA"), 1);
    flyStatus_t s = flyCreateOnDevice(&h, device);
    cr_assert_eq(s, FLY_STATUS_SUCCESS, "%s", flyErrorMessage(NULL));
    return h;
}

Test(cuda, compute_capability_finds_the_arch)
{
    flyHandle_t h = open_fake(0);
    cr_assert_str_eq(flyArchName(h), "sm90a");
    cr_assert_str_eq(h->device->info.arch, "sm_90");
    cr_assert_eq(h->device->info.cus, 132);
    flyDestroy(h);
    h = open_fake(1);
    cr_assert_str_eq(flyArchName(h), "sm80");
    flyDestroy(h);
}

Test(cuda, kernels_that_wait_for_the_one_before_overlap_on_request)
{
    const char *fingerprint;
    const struct fly_kernel *k = picked("sm90a", 132, &fingerprint);
    write_ptx(k, fingerprint, "ptx", "fine");
    flyHandle_t h = open_fake(0);
    flyLayerNormArgs_t a = unit_layernorm();
    for (int on = 0; on < 2; on++) {
        cr_assert_eq(flySetOverlap(h, on), FLY_STATUS_SUCCESS);
        cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
        cr_expect_eq(fake()->overlapped, on);
    }
    cr_expect_eq(fake()->launches, 2);
    cr_expect_eq(flySetOverlap(NULL, 1), FLY_STATUS_INVALID_HANDLE);
    flyDestroy(h);
    remove_folder();
}

Test(cuda, workgroups_that_share_a_row_are_launched_as_a_cluster)
{
    static const struct {
        const char *problem;
        int64_t cols;
        unsigned cluster;
    } rows[] = {{"rmsnormbwd:bf16:rows=600,cols=8192", 8192, 0},   {"rmsnormbwd:bf16:rows=600,cols=8200", 8200, 2},
                {"rmsnormbwd:bf16:rows=600,cols=32768", 32768, 4}, {"rmsnormbwd:bf16:rows=600,cols=65536", 65536, 8}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *fingerprint;
        const struct fly_kernel *k = picked_for("rmsnormbwd", rows[i].problem, "sm90a", 132, &fingerprint);
        cr_expect_eq(k->cluster, rows[i].cluster);
        write_ptx(k, fingerprint, "ptx", "fine");
        flyHandle_t h = open_fake(0);
        void *at = (void *)4096;
        flyRmsNormBackwardArgs_t a = FLY_ARGS_INIT(a);
        a.rows = 600, a.cols = rows[i].cols, a.dtype = FLY_DTYPE_BF16;
        a.x = a.dy = a.gamma = a.rstd = a.dx = at;
        cr_assert_eq(flyRmsNormBackward(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
        cr_expect_eq(fake()->cluster, rows[i].cluster);
        cr_expect_eq(fake()->grid % (rows[i].cluster ? rows[i].cluster : 1), 0);
        flyDestroy(h);
    }
    remove_folder();
}

Test(cuda, as_many_clusters_as_run_at_a_time_go_on_from_row_to_row)
{
    static const struct {
        int64_t rows;
        unsigned grid;
    } cases[] = {{1000, 240}, {30, 240}, {7, 56}};
    const char *fingerprint;
    const struct fly_kernel *k = picked_for("rmsnorm", "rmsnorm:bf16:rows=1000,cols=65536", "sm90a", 132, &fingerprint);
    cr_assert_eq(k->cluster, 8);
    write_ptx(k, fingerprint, "ptx", "fine");
    flyHandle_t h = open_fake(0);
    fly_force(h, k->name);
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        flyRmsNormArgs_t a = FLY_ARGS_INIT(a);
        flyPlan_t plan = FLY_ARGS_INIT(plan);
        a.rows = cases[i].rows, a.cols = 65536, a.dtype = FLY_DTYPE_BF16;
        a.x = a.gamma = a.y = (void *)4096;
        cr_assert_eq(flyRmsNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
        cr_expect_eq(fake()->cluster, 8);
        cr_expect_eq(fake()->grid, cases[i].grid, "%u", fake()->grid);
        cr_assert_eq(flyRmsNormPlan(h, &a, &plan), FLY_STATUS_SUCCESS);
        cr_expect_eq(plan.grid[0], cases[i].grid, "%u", plan.grid[0]);
    }
    flyDestroy(h);
    remove_folder();
}

Test(cuda, what_adds_programs_up_overlaps_with_them)
{
    const char *fingerprint;
    const struct fly_kernel *k = picked_for("rmsnormbwd", "rmsnormbwd:bf16:rows=600,cols=769", "sm90a", 132, &fingerprint);
    struct fly_problem p = unit_problem("rmsnormbwd:bf16:rows=600,cols=769");
    struct fly_target t = {fly_arch_find("sm90a"), 132};
    write_ptx(k, fingerprint, "ptx", "fine");
    write_ptx(fly_op_find("rmsnormbwd")->second(k, &p, &t), fingerprint, "ptx", "fine");
    flyHandle_t h = open_fake(0);
    void *at = (void *)4096;
    flyRmsNormBackwardArgs_t a = FLY_ARGS_INIT(a);
    a.rows = 600, a.cols = 769, a.dtype = FLY_DTYPE_BF16;
    a.x = a.dy = a.gamma = a.rstd = a.dx = a.dgamma = a.workspace = at;
    a.workspace_bytes = 1 << 30;
    cr_assert_eq(flyRmsNormBackward(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    cr_expect_eq(fake()->launches, 2);
    cr_expect_eq(fake()->overlapped, 1);
    cr_expect_eq(fake()->grid, 13, "%u", fake()->grid); /* 64 of 832 places a workgroup */
    flyDestroy(h);
    remove_folder();
}

Test(cuda, a_kernel_is_loaded_at_first_use_and_contexts_are_put_back)
{
    const char *fingerprint;
    const struct fly_kernel *k = picked("sm80", 108, &fingerprint);
    write_ptx(k, fingerprint, "ptx", "fine");
    flyHandle_t h = open_fake(1);
    struct fake_cuda *s = fake();
    void *context = (void *)1;
    int (*current)(void **) = NULL;
    *(void **)&current = h->rt->symbol(h->rt, "cuCtxGetCurrent");
    flyLayerNormArgs_t a = unit_layernorm();
    cr_assert_eq(s->loads, 0);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    cr_assert_eq(s->loads, 1);
    cr_assert_eq(s->launches, 3);
    cr_assert_eq(s->overlapped, 0);
    flySetOverlap(h, 1);
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    cr_assert_eq(s->overlapped, 0, "a kernel of sm80 does not wait for the one before it");
    flySetOverlap(h, 0);
    cr_assert_eq(s->launch_device, 1);
    cr_assert_str_eq(s->function, k->name);
    cr_assert_eq(s->kernarg_bytes, k->kernarg_bytes);
    cr_assert_eq(s->mode_at_load, 2, "the thread's capture mode must be relaxed while loading");
    current(&context);
    cr_assert_null(context, "a context stayed current");
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    cr_assert_eq(flyLayerNormPlan(h, &a, &plan), FLY_STATUS_SUCCESS);
    cr_assert_eq(plan.registers, 32);
    cr_assert_eq(s->retained[1], 1);
    cr_assert_eq(flyDestroy(h), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(NULL));
    cr_assert_eq(s->modules, 0);
    cr_assert_eq(s->retained[0] + s->retained[1], 0, "a primary context is still held");
    remove_folder();
}

Test(cuda, the_compilers_words_are_in_the_sentence)
{
    const char *fingerprint;
    const struct fly_kernel *k = picked("sm80", 108, &fingerprint);
    write_ptx(k, fingerprint, "ptx", "nonsense");
    flyHandle_t h = open_fake(1);
    flyLayerNormArgs_t a = unit_layernorm();
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_BAD_KERNEL_FILE);
    cr_assert(strstr(flyErrorMessage(h), "a PTX JIT compilation failed: line 3: nonsense;and more"),
              "%s", flyErrorMessage(h));
    cr_assert_null(strchr(flyErrorMessage(h), '\n'));

    write_ptx(k, "0123", "ptx", "fine");
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_BAD_KERNEL_FILE);
    cr_assert(strstr(flyErrorMessage(h), "another build"), "%s", flyErrorMessage(h));
    cr_assert_eq(fake()->launches, 0);
    flyDestroy(h);
    remove_folder();
}

Test(cuda, a_bad_cubin_falls_back_to_ptx)
{
    const char *fingerprint;
    const struct fly_kernel *k = picked("sm80", 108, &fingerprint);
    write_ptx(k, fingerprint, "ptx", "fine");
    write_ptx(k, fingerprint, "cubin", "nonsense");
    flyHandle_t h = open_fake(1);
    flyLayerNormArgs_t a = unit_layernorm();
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    flyDestroy(h);
    remove_folder();
}
