/* SPDX-License-Identifier: MIT */
/*
 * The bound model of GEMM kernels: how long a kernel would take if the scarcest resource ran at its
 * peak rate, and a fuller one that tells apart what the bound does not. Plans and fly-bench print
 * the fuller one's time, as modelled.
 */
#ifndef FLY_OPS_GEMM_MODEL_H
#define FLY_OPS_GEMM_MODEL_H

#include "core/op.h"

/* What a GEMM problem is to the model. */
struct fly_gemm_shape {
    int64_t m, n, k, batch;
    uint32_t in_bits, out_bits;
};

/* Rows up to which a problem is one of bringing B. */
enum { FLY_GEMM_DECODE = 32 };

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

/* Cycles of kernel k with `splits` parts of k on the device: by the bound model, which is the
 * simulator's, and with what comes on top of a bound: latency that loads under way do not cover,
 * barriers, starts, a second launch. */
double fly_gemm_bound_cycles(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                             const struct fly_target *t, uint32_t splits);
double fly_gemm_cycles(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                       const struct fly_target *t, uint32_t splits);

/* The number of parts that kernel k runs with, none larger than `most`. Those count whose bound is
 * within FLY_GEMM_NEAR of the least, or below FLY_GEMM_ALIKE cycles; where a grid has fewer than two
 * workgroups a CU, those of them that split k, by parts or by slices, if there is one. Of these the
 * fewest cycles win. But where the cycles are more than FLY_GEMM_WORTH of what others take, those do:
 * on problems of a microsecond or two a bound says little. */
#define FLY_GEMM_NEAR  1.025
#define FLY_GEMM_WORTH 1.65
#define FLY_GEMM_ALIKE 800
struct fly_gemm_parts {
    uint32_t splits;
    bool thin;            /* k is whole, and fewer than two workgroups a CU */
    double cycles, bound; /* with them */
    double least;         /* bound of any number of parts */
};
struct fly_gemm_parts fly_gemm_best_splits(const struct fly_kernel *k,
                                           const struct fly_gemm_shape *s,
                                           const struct fly_target *t, uint32_t most);

/* Whether k is neither in parts nor in slices though the grid has fewer than two workgroups a CU. A
 * kernel of several slices splits k between the waves of a workgroup, where there are that many tiles
 * of it. */
bool fly_gemm_thin(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                   const struct fly_target *t, uint32_t splits);

/* Whether that many parts are among those looked at: there is work and workspace for them, and at
 * decode they are enough to give every CU work and cover the latency, where any number is. */
bool fly_gemm_may_split(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                        const struct fly_target *t, uint32_t splits);

/* The same in full, for reports. */
struct fly_gemm_estimate fly_gemm_estimate(const struct fly_kernel *k,
                                           const struct fly_gemm_shape *s,
                                           const struct fly_target *t, uint32_t splits);

/* "matrix", "L1", "LDS", "L2", "HBM". */
const char *fly_gemm_bound_name(enum fly_gemm_bound b);

#endif
