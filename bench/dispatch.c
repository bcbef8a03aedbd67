/* SPDX-License-Identifier: MIT */
/*
 * Host cost of a call: flyLayerNorm against the null runtime, 64 shapes in rotation (each a hit in the
 * handle's cache) and shapes never seen before (each a miss, with the kernels already loaded).
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <fly/layernorm.h>

#include "bench.h"
#include "core/handle.h"

enum {
    SHAPES = 64,
    CALLS = 200000,
    MISSES = 50000,
    REPEATS = 7
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static flyLayerNormArgs_t shape(int64_t rows, int64_t cols)
{
    static _Alignas(256) char memory[256]; /* never dereferenced */
    flyLayerNormArgs_t a = FLY_ARGS_INIT(a);
    a.rows = rows;
    a.cols = cols;
    a.dtype = FLY_DTYPE_BF16;
    a.eps = 1e-5f;
    a.x = memory;
    a.y = memory;
    a.gamma = memory;
    a.beta = memory;
    return a;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *v, int n)
{
    qsort(v, (size_t)n, sizeof *v, ascending);
    return v[n / 2];
}

int bench_dispatch(bool json)
{
    flyHandle_t h;
    flyLayerNormArgs_t hit[SHAPES];
    double per_call[REPEATS], per_miss[REPEATS];
    int64_t fresh = 1;
    if (fly_create_on(fly_runtime_null("gfx942", 304), 0, &h) != FLY_STATUS_SUCCESS) {
        fprintf(stderr, "fly-bench: %s\n", flyErrorMessage(NULL));
        return 1;
    }
    for (int i = 0; i < SHAPES; i++) {
        hit[i] = shape(1 + 64 * (i % 8), 512 << (i / 8 % 6));
        hit[i].rows += i / 48; /* all 64 differ */
    }
    /* Loads every variant the misses will pick. */
    for (int64_t cols = 1; cols <= 1 << 17; cols += 1 + cols / 16) {
        flyLayerNormArgs_t a = shape(3, cols);
        if (flyLayerNorm(h, &a) != FLY_STATUS_SUCCESS) {
            fprintf(stderr, "fly-bench: %s\n", flyErrorMessage(h));
            flyDestroy(h);
            return 1;
        }
    }
    for (int r = 0; r < REPEATS; r++) {
        int bad = 0;
        for (int i = 0; i < SHAPES; i++)
            bad |= (int)flyLayerNorm(h, &hit[i]);
        double t = now_ns();
        for (int i = 0; i < CALLS; i++)
            bad |= (int)flyLayerNorm(h, &hit[i % SHAPES]);
        per_call[r] = (now_ns() - t) / CALLS;
        t = now_ns();
        for (int i = 0; i < MISSES; i++) {
            flyLayerNormArgs_t a = shape(1000 + fresh++, 1 + i * 7919 % 65536);
            bad |= (int)flyLayerNorm(h, &a);
        }
        per_miss[r] = (now_ns() - t) / MISSES;
        if (bad) {
            fprintf(stderr, "fly-bench: %s\n", flyErrorMessage(h));
            flyDestroy(h);
            return 1;
        }
    }
    double call = median(per_call, REPEATS), miss = median(per_miss, REPEATS);
    if (json)
        printf("{\"ns_per_call\":%.1f,\"ns_per_miss\":%.1f,\"shapes\":%d,\"on\":\"null:gfx942\"}\n", call, miss, SHAPES);
    else
        printf("%.1f ns a call (%d shapes in rotation), %.1f ns a miss\n", call, SHAPES, miss);
    flyDestroy(h);
    return 0;
}
