/* SPDX-License-Identifier: MIT */
/*
 * LayerNorm of a matrix of bf16 numbers, on every device there is: the whole of the API a first program
 * needs. Prints shape, variant, distance from a double-precision reference, bytes moved, and PASS.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fly/fly.h>

#include "gpu.h"

enum { ROWS = 256, COLS = 4096 };
static const float EPS = 1e-5f;

static float from_bf16(uint16_t h)
{
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static uint16_t to_bf16(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16); /* nearest even; no NaN here */
}

/* Fills with numbers in [low, low + 2). */
static void fill(uint16_t *v, size_t n, float low)
{
    static uint32_t state = 1;
    for (size_t i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        v[i] = to_bf16(low + (float)(state >> 8) * 0x1p-23f);
    }
}

/* Largest error of y as a fraction of what is allowed: half a unit in the last place of bf16 for the
 * rounding of the result, and 8 f32 roundings of the terms. */
static double worst_error(const uint16_t *x, const uint16_t *gamma, const uint16_t *beta, const uint16_t *y)
{
    double worst = 0;
    for (int r = 0; r < ROWS; r++, x += COLS, y += COLS) {
        double mean = 0, square = 0;
        for (int c = 0; c < COLS; c++)
            mean += from_bf16(x[c]);
        mean /= COLS;
        for (int c = 0; c < COLS; c++)
            square += (from_bf16(x[c]) - mean) * (from_bf16(x[c]) - mean);
        double rstd = 1 / sqrt(square / COLS + EPS);
        for (int c = 0; c < COLS; c++) {
            double scaled = (from_bf16(x[c]) - mean) * rstd * from_bf16(gamma[c]), shift = from_bf16(beta[c]);
            double exact = scaled + shift, ulp = exact == 0 ? 0 : ldexp(1, ilogb(exact) - 7);
            double allowed = 0.5 * ulp + 8 * 0x1p-24 * (fabs(scaled) + fabs(shift));
            double error = fabs(from_bf16(y[c]) - exact) / allowed;
            if (!(error <= worst))
                worst = error;
        }
    }
    return worst;
}

/* One device: allocate, upload, normalise, download, compare. Returns 0 when all is right. */
static int run(int device, const uint16_t *x, const uint16_t *gamma, const uint16_t *beta, uint16_t *y)
{
    const size_t matrix = sizeof(uint16_t) * ROWS * COLS, vector = sizeof(uint16_t) * COLS;
    flyHandle_t h;
    gpu_set_device(device);
    if (flyCreate(&h) != FLY_STATUS_SUCCESS) {
        fprintf(stderr, "%s\n", flyErrorMessage(NULL));
        return 1;
    }
    void *dx = gpu_alloc(matrix), *dy = gpu_alloc(matrix), *dgamma = gpu_alloc(vector), *dbeta = gpu_alloc(vector);
    gpu_upload(dx, x, matrix);
    gpu_upload(dgamma, gamma, vector);
    gpu_upload(dbeta, beta, vector);
    gpu_mark_param(dgamma, vector);
    gpu_mark_param(dbeta, vector);

    flyLayerNormArgs_t args = FLY_ARGS_INIT(args);
    args.dtype = FLY_DTYPE_BF16;
    args.rows = ROWS;
    args.cols = COLS;
    args.eps = EPS;
    args.x = dx;
    args.gamma = dgamma;
    args.beta = dbeta;
    args.y = dy;

    flyPlan_t plan = FLY_ARGS_INIT(plan); /* optional: which variant it will be */
    flyStatus_t s = flyLayerNormPlan(h, &args, &plan);
    gpu_reset_bytes();
    if (s == FLY_STATUS_SUCCESS)
        s = flyLayerNorm(h, &args);
    if (s != FLY_STATUS_SUCCESS) {
        fprintf(stderr, "%s\n", flyErrorMessage(h));
        return 1;
    }
    gpu_download(y, dy, matrix);

    double error = worst_error(x, gamma, beta, y);
    unsigned long long bytes = gpu_bytes();
    printf("%s: layernorm %d x %d bf16 with %s\n", flyArchName(h), ROWS, COLS, plan.kernel);
    printf("  largest error %.3f of the bound\n", error);
    if (bytes)
        printf("  bytes moved %llu, ideal %zu (%.3f)\n", bytes, 2 * matrix, (double)bytes / (2.0 * (double)matrix));
    printf("  %s\n", error <= 1 ? "PASS" : "FAIL");

    gpu_free(dx);
    gpu_free(dy);
    gpu_free(dgamma);
    gpu_free(dbeta);
    flyDestroy(h);
    return !(error <= 1);
}

int main(void)
{
    static uint16_t x[ROWS * COLS], y[ROWS * COLS], gamma[COLS], beta[COLS];
    int devices = gpu_open("gfx942,gfx950"), failed = 0;
    if (devices == 0) {
        fprintf(stderr, "no GPU, and the simulator (libflysim.so) was not found\n");
        return 1;
    }
    fill(x, ROWS * COLS, -1);
    fill(gamma, COLS, 0);
    fill(beta, COLS, -1);
    printf("running on %s\n", gpu_name());
    for (int d = 0; d < devices; d++) {
        memset(y, 0xff, sizeof y);
        failed |= run(d, x, gamma, beta, y);
    }
    return failed;
}
