/* SPDX-License-Identifier: MIT */
/*
 * Weights in the order the matrix units read them. FLY_LAYOUT_B16, used on gfx90a, gfx942
 * and gfx950, cuts a matrix B[n, k], seen as rows of kb bytes, into blocks of 16 rows by 64 bytes
 * and those into 16-byte chunks:
 *
 *     byte (row, at) lies at
 *         ((row/16 * (kb/64) + at/64) * 4 + at%64/16) * 256 + row%16 * 16 + at%16
 *
 * with n padded to a multiple of 16 and kb to a multiple of 64 by zeros. Where no padding is needed
 * these are the bytes that FlyDSL and AITER use.
 */
#ifndef FLY_PRESHUFFLE_H
#define FLY_PRESHUFFLE_H

#include <fly/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a weight matrix B[n, k] lies in memory. Values are never renumbered. */
typedef enum flyLayout_t {
    FLY_LAYOUT_ROW = 0,       /* [n, k], k contiguous */
    FLY_LAYOUT_B16 = 1,       /* the order above */
    FLY_LAYOUT_RDNA4_FP8 = 2, /* 16x16 blocks in halves of 8 k; taken by no kernel */
    FLY_LAYOUT_COLUMN = 3     /* [k, n], n contiguous */
} flyLayout_t;

typedef struct flyPreshuffleBArgs_t {
    size_t size;     /* sizeof(flyPreshuffleBArgs_t), set by FLY_ARGS_INIT */
    int64_t n;       /* rows of B (columns of the product), >= 1 */
    int64_t k;       /* >= 1, a multiple of 16 bytes of dtype */
    const void *src; /* in layout `from`, aligned to its element; fastest aligned to 16 bytes */
    void *dst;       /* flyPreshuffleBSize bytes, aligned to 16; overlaps nothing */
    int64_t ld; /* elements between rows of src (of n elements for FLY_LAYOUT_COLUMN); 0: dense */
    int64_t batch;      /* matrices; 0: 1 */
    int64_t stride_src; /* elements between matrices of src; 0: dense */
    int64_t stride_dst; /* elements between matrices of dst, a multiple of 16 bytes; 0: dense */
    uint32_t dtype;     /* flyDtype_t: any of 8 or 16 bits */
    uint32_t from;      /* flyLayout_t: ROW or COLUMN */
    uint32_t to;        /* flyLayout_t: B16 */
    uint32_t reserved;  /* 0 */
} flyPreshuffleBArgs_t;

/* Bytes that dst takes, all batches; of the shape, strides, dtype and `to` alone. INVALID_VALUE as
 * below. */
FLY_API flyStatus_t flyPreshuffleBSize(flyHandle_t handle, const flyPreshuffleBArgs_t *args,
                                       uint64_t *bytes);

/* Shuffles on the device, on the handle's stream; src and dst are device pointers. INVALID_VALUE: a
 * null or misaligned pointer, a bad shape, stride or enum. NOT_SUPPORTED: a dtype or layout that
 * the arch does not use. */
FLY_API flyStatus_t flyPreshuffleB(flyHandle_t handle, const flyPreshuffleBArgs_t *args);

/* Validates, selects and loads, without launching; fills *plan. */
FLY_API flyStatus_t flyPreshuffleBPlan(flyHandle_t handle, const flyPreshuffleBArgs_t *args,
                                       flyPlan_t *plan);

/* The same on the CPU, for tools that write weight files: src and dst are host pointers, no GPU is
 * needed. arch: whose layout, "gfx942". NOT_SUPPORTED: no arch of that name, or not its layout. The
 * sentence is flyErrorMessage(NULL). */
FLY_API flyStatus_t flyPreshuffleBHost(const char *arch, const flyPreshuffleBArgs_t *args);

#ifdef __cplusplus
}
#endif
#endif
