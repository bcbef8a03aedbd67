/* SPDX-License-Identifier: MIT */
/*
 * The library against a real runtime (FLY_RUNTIME: a GPU's or the simulator's): loading at first
 * use and inside a capture, graphs, streams, threads, the thread's current device, and what the
 * loader says about a bad file. A plain program, so that it runs where the test framework is not
 * installed. Exit status 77: no such runtime here.
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fly/fly.h>

#include "core/arch.h"
#include "core/env.h"
#include "core/handle.h"
#include "core/select.h"

enum { SKIPPED = 77, THREADS = 16 };

static int failures;

#define CHECK(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                 \
            printf(__VA_ARGS__);                                                                   \
            printf("\n");                                                                          \
        }                                                                                          \
    } while (0)

static struct fly_runtime *rt;

/* ---- one LayerNorm in f32, with its data ---- */

struct job {
    int64_t rows, cols;
    float *x, *gamma, *beta; /* on the host */
    void *dx, *dgamma, *dbeta, *dy;
};

static float noise(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 24) * 4 - 2;
}

static void job_open(struct job *j, int64_t rows, int64_t cols)
{
    uint32_t state = 7;
    size_t n = (size_t)(rows * cols);
    *j = (struct job){.rows = rows, .cols = cols};
    j->x = malloc(n * sizeof(float));
    j->gamma = malloc((size_t)cols * sizeof(float));
    j->beta = malloc((size_t)cols * sizeof(float));
    for (size_t i = 0; i < n; i++)
        j->x[i] = noise(&state);
    for (int64_t i = 0; i < cols; i++) {
        j->gamma[i] = noise(&state);
        j->beta[i] = noise(&state);
    }
    int error = rt->memory_alloc(rt, n * sizeof(float), &j->dx);
    error |= rt->memory_alloc(rt, n * sizeof(float), &j->dy);
    error |= rt->memory_alloc(rt, (size_t)cols * sizeof(float), &j->dgamma);
    error |= rt->memory_alloc(rt, (size_t)cols * sizeof(float), &j->dbeta);
    error |= rt->memory_to_device(rt, j->dx, j->x, n * sizeof(float));
    error |= rt->memory_to_device(rt, j->dgamma, j->gamma, (size_t)cols * sizeof(float));
    error |= rt->memory_to_device(rt, j->dbeta, j->beta, (size_t)cols * sizeof(float));
    error |= rt->memory_fill(rt, j->dy, 0xff, n * sizeof(float));
    CHECK(!error, "setting up %lld x %lld: %s", (long long)rows, (long long)cols,
          rt->text(rt, error));
}

static void job_close(struct job *j)
{
    rt->memory_free(rt, j->dx);
    rt->memory_free(rt, j->dy);
    rt->memory_free(rt, j->dgamma);
    rt->memory_free(rt, j->dbeta);
    free(j->x);
    free(j->gamma);
    free(j->beta);
}

static flyLayerNormArgs_t job_args(const struct job *j)
{
    flyLayerNormArgs_t a = FLY_ARGS_INIT(a);
    a.rows = j->rows;
    a.cols = j->cols;
    a.x = j->dx;
    a.gamma = j->dgamma;
    a.beta = j->dbeta;
    a.y = j->dy;
    a.eps = 1e-5f;
    a.dtype = FLY_DTYPE_F32;
    return a;
}

/* Largest error of what lies in y, which is cleared for the next run. */
static double job_error(struct job *j)
{
    size_t n = (size_t)(j->rows * j->cols);
    float *y = malloc(n * sizeof(float));
    double worst = 0;
    int error = rt->memory_to_host(rt, y, j->dy, n * sizeof(float));
    if (error)
        printf("reading y: %s\n", rt->text(rt, error));
    for (int64_t r = 0; r < j->rows; r++) {
        const float *x = j->x + r * j->cols;
        double mean = 0, var = 0;
        for (int64_t c = 0; c < j->cols; c++)
            mean += x[c];
        mean /= (double)j->cols;
        for (int64_t c = 0; c < j->cols; c++)
            var += (x[c] - mean) * (x[c] - mean);
        double rstd = 1 / sqrt(var / (double)j->cols + (double)1e-5f);
        for (int64_t c = 0; c < j->cols; c++) {
            double e = fabs(y[r * j->cols + c] - ((x[c] - mean) * rstd * j->gamma[c] + j->beta[c]));
            worst = e > worst ? e : e == e ? worst : INFINITY;
        }
    }
    free(y);
    error = rt->memory_fill(rt, j->dy, 0xff, n * sizeof(float));
    return error ? INFINITY : worst;
}

/* ---- cases ---- */

/* The process's very first kernel load happens, or is refused, inside a capture. */
static void capture(flyHandle_t h)
{
    struct job j;
    void *stream = NULL, *graph = NULL;
    job_open(&j, 33, 1000);
    flyLayerNormArgs_t a = job_args(&j);
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    int error = rt->stream_create(rt, &stream);
    CHECK(!error, "%s", rt->text(rt, error));
    flySetStream(h, stream);
    error = rt->capture_begin(rt, stream);
    if (error) {
        printf("no stream capture here: %s\n", rt->text(rt, error));
        flySetStream(h, NULL);
        job_close(&j);
        return;
    }
    flyStatus_t s = flyLayerNorm(h, &a);
    error = rt->capture_end(rt, stream, &graph);
    if (rt->loads_in_capture) {
        CHECK(s == FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
        CHECK(!error, "%s", rt->text(rt, error));
    } else {
        CHECK(s == FLY_STATUS_NOT_READY, "%s: %s", flyStatusName(s), flyErrorMessage(h));
        if (graph)
            rt->graph_destroy(rt, graph);
        graph = NULL;
        s = flyLayerNormPlan(h, &a, &plan);
        CHECK(s == FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
        error = rt->capture_begin(rt, stream);
        CHECK(!error, "%s", rt->text(rt, error));
        s = flyLayerNorm(h, &a);
        CHECK(s == FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
        error = rt->capture_end(rt, stream, &graph);
        CHECK(!error, "%s", rt->text(rt, error));
    }
    for (int i = 0; i < 2 && graph; i++) {
        error = rt->graph_launch(rt, graph, stream);
        CHECK(!error, "%s", rt->text(rt, error));
        error = rt->stream_sync(rt, stream);
        CHECK(!error, "%s", rt->text(rt, error));
        double e = job_error(&j);
        CHECK(e < 1e-5, "replay %d: error %g", i, e);
    }
    if (graph)
        rt->graph_destroy(rt, graph);
    flySetStream(h, NULL);
    rt->stream_destroy(rt, stream);
    job_close(&j);
}

static void shapes(flyHandle_t h)
{
    static const int64_t shape[][2] = {{1, 1},    {3, 5},     {1000, 64}, {17, 257},
                                       {5, 4096}, {4, 16384}, {2, 100003}};
    for (unsigned i = 0; i < sizeof shape / sizeof *shape; i++) {
        struct job j;
        job_open(&j, shape[i][0], shape[i][1]);
        flyLayerNormArgs_t a = job_args(&j);
        flyPlan_t plan = FLY_ARGS_INIT(plan);
        flyStatus_t s = flyLayerNormPlan(h, &a, &plan);
        CHECK(s == FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
        s = flyLayerNorm(h, &a);
        CHECK(s == FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
        int error = rt->device_sync(rt);
        CHECK(!error, "%s", rt->text(rt, error));
        double e = job_error(&j);
        printf("%7lld x %6lld  %-40s %3u registers, error %.1e\n", (long long)j.rows,
               (long long)j.cols, plan.kernel, plan.registers, e);
        CHECK(e < 1e-5, "error %g", e);
        job_close(&j);
    }
}

/* A handle on each device, used in turn from a thread whose current device is another one. */
static void devices(void)
{
    enum { MOST = 8 };
    flyHandle_t h[MOST];
    struct job j[MOST];
    int count = 0, before = 0, after = 0;
    rt->device_count(rt, &count);
    count = count > MOST ? MOST : count;
    for (int i = 0; i < count; i++) {
        intptr_t saved;
        flyStatus_t s = flyCreateOnDevice(&h[i], i);
        CHECK(s == FLY_STATUS_SUCCESS, "%s", flyErrorMessage(NULL));
        if (s != FLY_STATUS_SUCCESS)
            return;
        rt->device_enter(rt, i, &saved);
        job_open(&j[i], 40 + i, 600);
        rt->device_leave(rt, i, saved);
    }
    rt->device_current(rt, &before);
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < count; i++) {
            flyLayerNormArgs_t a = job_args(&j[i]);
            CHECK(flyLayerNorm(h[i], &a) == FLY_STATUS_SUCCESS, "device %d: %s", i,
                  flyErrorMessage(h[i]));
            rt->device_current(rt, &after);
            CHECK(after == before, "device %d: the current device went from %d to %d", i, before,
                  after);
        }
    for (int i = 0; i < count; i++) {
        intptr_t saved;
        rt->device_enter(rt, i, &saved);
        int error = rt->device_sync(rt);
        CHECK(!error, "%s", rt->text(rt, error));
        double e = job_error(&j[i]);
        CHECK(e < 1e-5, "device %d (%s): error %g", i, flyArchName(h[i]), e);
        job_close(&j[i]);
        rt->device_leave(rt, i, saved);
        CHECK(flyDestroy(h[i]) == FLY_STATUS_SUCCESS, "%s", flyErrorMessage(NULL));
    }
    flyHandle_t none;
    CHECK(flyCreateOnDevice(&none, 1000) == FLY_STATUS_INVALID_VALUE, "device 1000 exists");
}

/* A thread that never touched the runtime, with its own handle and stream. */
static void *thread_work(void *arg)
{
    flyHandle_t h;
    struct job j;
    intptr_t saved;
    int before = -1, after = -1;
    void *stream, *context = NULL, *context_after = NULL;
    int (*current)(void **) = NULL;
    *(void **)&current = rt->symbol(rt, "cuCtxGetCurrent");
    (void)arg;
    if (current)
        current(&context);
    else
        rt->device_current(rt, &before);
    flyStatus_t s = flyCreate(&h);
    if (s != FLY_STATUS_SUCCESS)
        return "flyCreate failed";
    if (rt->device_enter(rt, h->device->ordinal, &saved) || rt->stream_create(rt, &stream))
        return "no stream";
    job_open(&j, 65, 2000);
    rt->device_leave(rt, h->device->ordinal, saved);
    flySetStream(h, stream);
    flyLayerNormArgs_t a = job_args(&j);
    for (int i = 0; i < 50; i++)
        if (flyLayerNorm(h, &a) != FLY_STATUS_SUCCESS)
            return "a call failed";
    if (current)
        current(&context_after);
    else
        rt->device_current(rt, &after);
    if (context != context_after || before != after)
        return "the thread's current device changed";
    rt->device_enter(rt, h->device->ordinal, &saved);
    bool good = !rt->stream_sync(rt, stream) && job_error(&j) < 1e-5;
    job_close(&j);
    rt->stream_destroy(rt, stream);
    rt->device_leave(rt, h->device->ordinal, saved);
    return flyDestroy(h) != FLY_STATUS_SUCCESS ? "flyDestroy failed"
           : good                              ? NULL
                                               : "wrong numbers";
}

static void threads(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, thread_work, NULL);
    for (int i = 0; i < THREADS; i++) {
        void *what;
        pthread_join(thread[i], &what);
        CHECK(!what, "thread %d: %s", i, (const char *)what);
    }
}

/* PTX whose body the driver's compiler refuses: a status, and the compiler's own words. */
static void bad_ptx(void)
{
    char folder[] = "/tmp/fly-test-XXXXXX", file[512], command[600];
    const char *before = getenv("FLY_KERNEL_PATH");
    char *kept = before ? strdup(before) : NULL;
    struct job j;
    flyHandle_t h;
    intptr_t saved;
    if (!mkdtemp(folder) || setenv("FLY_KERNEL_PATH", folder, 1) ||
        flyCreate(&h) != FLY_STATUS_SUCCESS) {
        CHECK(false, "no handle");
        return;
    }
    rt->device_enter(rt, h->device->ordinal, &saved);
    job_open(&j, 3, 77);
    flyLayerNormArgs_t a = job_args(&j);
    flyStatus_t s = flyLayerNorm(h, &a);
    CHECK(s == FLY_STATUS_NO_KERNELS, "%s: %s", flyStatusName(s), flyErrorMessage(h));
    printf("%s\n", flyErrorMessage(h));

    struct fly_problem p;
    struct fly_choice c;
    char why[256];
    fly_problem_parse("layernorm:f32:rows=3,cols=77", &p, why, sizeof why);
    fly_select_kernel(fly_op_find("layernorm"), &p, &h->device->target, NULL, "", &c, why,
                      sizeof why);
    const struct fly_arch *arch = fly_arch_row(c.kernel->arch);
    snprintf(file, sizeof file, "%s/%s", folder, arch->group);
    snprintf(command, sizeof command, "mkdir -p %s", file);
    CHECK(system(command) == 0, "mkdir");
    snprintf(file, sizeof file, "%s/%s/%s.ptx", folder, arch->group, c.kernel->name);
    FILE *f = fopen(file, "w");
    fprintf(f,
            ".version 7.8\n.target sm_80\n.address_size 64\n.visible .global .align 4 .u32 "
            "fly_registry_%s;\n"
            ".visible .entry %s() { nonsense; }\n",
            fly_op_find("layernorm")->modules[c.kernel->module].fingerprint, c.kernel->name);
    fclose(f);
    s = flyLayerNorm(h, &a);
    CHECK(s == FLY_STATUS_BAD_KERNEL_FILE, "%s: %s", flyStatusName(s), flyErrorMessage(h));
    printf("%s\n", flyErrorMessage(h));
    job_close(&j);
    rt->device_leave(rt, h->device->ordinal, saved);
    flyDestroy(h);
    if (kept)
        setenv("FLY_KERNEL_PATH", kept, 1);
    free(kept);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    CHECK(system(command) == 0, "rm");
}

int main(void)
{
    char why[1024];
    flyHandle_t h;
    intptr_t saved;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (fly_runtime_find(fly_env(FLY_ENV_RUNTIME), &rt, why, sizeof why) != FLY_STATUS_SUCCESS) {
        printf("skipped: %s\n", why);
        return SKIPPED;
    }
    flyStatus_t s = flyCreate(&h);
    if (s == FLY_STATUS_NO_DEVICE) {
        printf("skipped: %s\n", flyErrorMessage(NULL));
        return SKIPPED;
    }
    CHECK(s == FLY_STATUS_SUCCESS, "%s", flyErrorMessage(NULL));
    if (s != FLY_STATUS_SUCCESS)
        return EXIT_FAILURE;
    printf("%s: %s, %s, %u CUs\n", rt->name, h->device->info.name, flyArchName(h),
           h->device->info.cus);
    rt->device_enter(rt, h->device->ordinal, &saved);
    capture(h);
    shapes(h);
    rt->device_leave(rt, h->device->ordinal, saved);
    threads();
    devices();
    s = flyDestroy(h);
    CHECK(s == FLY_STATUS_SUCCESS, "%s", flyErrorMessage(NULL));
    if (rt->image == FLY_IMAGE_PTX)
        bad_ptx();
    printf("%d failures\n", failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
