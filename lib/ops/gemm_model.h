/* SPDX-License-Identifier: MIT */
/*
 * The bound model of GEMM kernels: how long a kernel would take if the scarcest resource ran at its
 * peak rate. Selection takes the cheapest candidate; fly-bench prints the same numbers, as
 * modelled.
 */
#ifndef FLY_OPS_GEMM_MODEL_H
#define FLY_OPS_GEMM_MODEL_H

#include "core/op.h"

/* What a GEMM problem is to the model. */
struct fly_gemm_shape {
    int64_t m, n, k, batch;
    uint32_t in_bits, out_bits;
};

enum fly_gemm_bound {
    FLY_GEMM_MATRIX,
    FLY_GEMM_L1,
    FLY_GEMM_LDS,
    FLY_GEMM_L2,
    FLY_GEMM_HBM,
    FLY_GEMM_BOUNDS
};

struct fly_gemm_estimate {
    double cycles; /* all of it, at the shader clock */
    double microseconds;
    double share[FLY_GEMM_BOUNDS]; /* busy time of each resource over that of the busiest */
    enum fly_gemm_bound bound;     /* the busiest */
    double coverage; /* bytes under way over those that hide the latency at full HBM rate */
};

/* Splits of k worth a look, in rising order; the first is 1. Partial sums take no more workspace
 * than FLY_GEMM_MAX_SUMS bytes. */
enum { FLY_GEMM_SPLITS = 14, FLY_GEMM_MAX_SUMS = 64 << 20 };
extern const uint8_t fly_gemm_splits[FLY_GEMM_SPLITS];

/* Cycles of kernel k with `splits` parts of k on the device. */
double fly_gemm_cycles(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                       const struct fly_target *t, uint32_t splits);

/* The number of parts that is modelled fastest, and its cycles. `most`: none larger. limit: it need
 * not look further when none is faster than that. */
uint32_t fly_gemm_best_splits(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                              const struct fly_target *t, uint32_t most, double limit,
                              double *cycles);

/* Whether that many parts are among those looked at: there is work and workspace for them, and at
 * decode they are enough to cover the latency, where any number is. */
bool fly_gemm_may_split(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                        const struct fly_target *t, uint32_t splits);

/* The same in full, for reports. */
struct fly_gemm_estimate fly_gemm_estimate(const struct fly_kernel *k,
                                           const struct fly_gemm_shape *s,
                                           const struct fly_target *t, uint32_t splits);

/* "matrix", "L1", "LDS", "L2", "HBM". */
const char *fly_gemm_bound_name(enum fly_gemm_bound b);

#endif
