/* SPDX-License-Identifier: MIT */
/*
 * The registry: one record a kernel variant, written by the generator (build/gen/<op>.inc), read by
 * selection, the loader, fly-info, fly-bench, fly-tune and the tests.
 */
#ifndef FLY_CORE_REGISTRY_H
#define FLY_CORE_REGISTRY_H

#include <stdint.h>

/* How a row-wise kernel covers rows. A workgroup has rows * threads work-items; each holds
 * `vectors` vectors of `vec` elements of its row in registers, so it can keep threads * vectors *
 * vec columns. */
struct fly_rowwise_tile {
    uint16_t rows;     /* rows a workgroup works on at a time */
    uint16_t threads;  /* work-items a row */
    uint8_t vectors;   /* vectors a work-item */
    uint8_t vec;       /* elements a vector: 16 bytes of the input type */
    uint8_t passes;    /* reads of the row: 1 register resident (cols <= threads*vectors*vec), 2 any
                          cols */
    uint8_t flags;     /* FLY_ROWWISE_* */
    uint32_t max_cols; /* largest cols it may run; 0: no limit */
};

enum {
    FLY_ROWWISE_SUM = 1,       /* the kernel runs after another one and adds up what that one's workgroups left */
    FLY_ROWWISE_CANDIDATE = 2, /* only tuning and FLY_KERNEL pick it */
    FLY_ROWWISE_AGAIN = 4,     /* a row that is read in one round is in L1 when it is read again */
    FLY_ROWWISE_CODES = 8,     /* rows lie on the grid of those whose output is 8 bits, and so have the same statistics */
};

struct fly_gemm_tile {
    uint16_t m, n, k;         /* tile, elements */
    uint8_t waves_m, waves_n; /* wave grid */
    uint8_t depth;            /* pipeline depth */
    uint8_t split_k;          /* 1: whole k, else largest split the kernel takes */
    uint8_t mfma;             /* rows of the matrix instruction */
    uint8_t slices;           /* groups of waves that share k between them */
};

struct fly_kernel {
    const char *name;       /* symbol in the code object, tuning key */
    uint8_t op;             /* enum fly_op_id */
    uint8_t arch;           /* enum fly_arch_id */
    uint8_t types[3];       /* flyDtype_t: input, weight, output */
    uint8_t module;         /* index into the module table */
    uint8_t cluster;        /* neighbouring workgroups that must run at the same time; 0: none */
    uint8_t resident;       /* workgroups on a compute unit at a time, of kernels that go on from row to row; 0: others */
    uint16_t block;         /* work-items a workgroup */
    uint32_t lds;           /* static LDS bytes */
    uint32_t kernarg_bytes; /* size of the explicit kernel arguments */
    union {
        struct fly_rowwise_tile rowwise;
        struct fly_gemm_tile gemm;
    };
};

#endif
