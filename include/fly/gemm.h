/* SPDX-License-Identifier: MIT */
/*
 * Matrix product with weights shuffled ahead of time:
 *
 *     C[m, n] = epilogue(sum over k of A[m, k] B[n, k] * scale_a * scale_b)
 *
 * A and C are row-major; B was put in order by flyPreshuffleB or by another tool that writes the
 * same layout (FLY_LAYOUT_B16, see preshuffle.h). Products of floats accumulate in f32, of int8
 * exactly in int32; scales, bias and activation are f32; the result rounds once, to nearest even:
 *
 *     |c - exact| <= 1/2 ulp(c) + 8 u (sqrt(k) sum|a b| |scale_a scale_b| + |bias|)
 *
 * with u = 2^-24, for k <= 8192; the activation's slope scales the second term. gfx90a's matrix
 * unit takes subnormal f16 and bf16 for zero: there sum|a b| |scale_a scale_b| over the products
 * with such a factor comes on top (f16: factors below 2^-14). A NaN or infinity in a row of A
 * changes that row of C and no other. Deterministic, split-k included: the same call gives the same
 * bits.
 */
#ifndef FLY_GEMM_H
#define FLY_GEMM_H

#include <fly/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What happens to the scaled sum. Values are never renumbered. */
typedef enum flyEpilogue_t {
    FLY_EPILOGUE_NONE = 0,
    FLY_EPILOGUE_BIAS = 1,      /* + bias[n] */
    FLY_EPILOGUE_BIAS_RELU = 2, /* then max(x, 0), NaN stays NaN */
    FLY_EPILOGUE_BIAS_SILU = 3, /* then x / (1 + exp(-x)) */
    FLY_EPILOGUE_BIAS_GELU = 4  /* then x/2 (1 + tanh(0.7978845608 (x + 0.044715 x^3))) */
} flyEpilogue_t;

/* How an operand is scaled. Values are never renumbered. */
typedef enum flyScale_t {
    FLY_SCALE_NONE = 0,   /* by 1 */
    FLY_SCALE_TENSOR = 1, /* by one value */
    FLY_SCALE_VECTOR = 2  /* by a value a row of A, a column of C for B */
} flyScale_t;

typedef struct flyGemmPreshuffleArgs_t {
    size_t size;   /* sizeof(flyGemmPreshuffleArgs_t), set by FLY_ARGS_INIT */
    int64_t m;     /* rows of A and C, >= 0; 0 does nothing and succeeds, whatever a and c are */
    int64_t n;     /* columns of C, >= 1, any */
    int64_t k;     /* >= 1, a multiple of 16 bytes of in_dtype */
    const void *a; /* [m, k] of in_dtype, rows lda apart, aligned to 16 bytes */
    const void *b; /* weights in `layout`, aligned to 16 bytes */
    void *c;       /* [m, n] of out_dtype, rows ldc apart, aligned to its element; fastest when
                      4 elements divide n, ldc and the address; overlaps nothing */
    const float *scale_a; /* f32[1] or f32[m] as scale_mode_a says; null with FLY_SCALE_NONE */
    const float *scale_b; /* f32[1] or f32[n] as scale_mode_b says; null with FLY_SCALE_NONE */
    const void *bias;     /* [n] of out_dtype; null with FLY_EPILOGUE_NONE */
    void *workspace; /* device memory, aligned to 16 bytes, flyGemmPreshufflePlan says how much; may
                        hold anything. null: k is split inside workgroups at most, slower when m
                        is small */
    uint64_t workspace_bytes;
    int64_t lda;            /* elements between rows of A, >= k, a multiple of 16 bytes; 0: k */
    int64_t ldc;            /* elements between rows of C, >= n; 0: n */
    int64_t batch;          /* products of the same shape; 0: 1 */
    int64_t stride_a;       /* elements between A matrices; 0: m lda */
    int64_t stride_b;       /* elements between B matrices, a multiple of 16 bytes; 0: dense */
    int64_t stride_c;       /* elements between C matrices; 0: m ldc */
    int64_t stride_scale_a; /* elements between scales of A; 0: all batches share them */
    int64_t stride_scale_b; /* elements between scales of B; 0: shared */
    int64_t stride_bias;    /* elements between biases; 0: shared */
    uint32_t in_dtype;      /* flyDtype_t of A and B: the arch's E4M3 encoding, I8, F16 or BF16 */
    uint32_t out_dtype;     /* flyDtype_t of C and bias: BF16, F16 or F32 */
    uint32_t scale_mode_a;  /* flyScale_t */
    uint32_t scale_mode_b;  /* flyScale_t */
    uint32_t epilogue;      /* flyEpilogue_t */
    uint32_t layout;        /* flyLayout_t of B: FLY_LAYOUT_B16 */
} flyGemmPreshuffleArgs_t;

/* Launches on the handle's stream. INVALID_VALUE: a null or misaligned pointer, a bad shape, stride
 * or enum, k no multiple of 16 bytes. NOT_SUPPORTED: types or layout this arch has no kernel for,
 * or rows too far apart (128 MiB). WORKSPACE_TOO_SMALL: workspace given, but below what the plan
 * says. Others as in types.h. On error nothing is launched or written. */
FLY_API flyStatus_t flyGemmPreshuffle(flyHandle_t handle, const flyGemmPreshuffleArgs_t *args);

/* Validates, selects and loads, without launching; fills *plan. The answer assumes that the
 * workspace it asks for will be there; pointers are only checked for alignment. k is split where the
 * grid has fewer than two workgroups a CU: plan->grid[1] is the parts that a second launch adds up,
 * "_s2" in the kernel's name says that waves of a workgroup do half of it each. It stays whole when
 * it is a single k tile (the third number in the name), when the sums of parts would take more
 * than 64 MiB, and where the bound model says that splitting costs more than 4 %; plan->note and
 * the log (FLY_LOG=select) say which. */
FLY_API flyStatus_t flyGemmPreshufflePlan(flyHandle_t handle, const flyGemmPreshuffleArgs_t *args,
                                          flyPlan_t *plan);

#ifdef __cplusplus
}
#endif
#endif
