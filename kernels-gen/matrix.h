/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions of GFX9 as GEMM loops use them: D += B A^T on 16x16 blocks. An operand is
 * whole 16-byte chunks a lane: lane l holds row l % 16 and chunk l / 16 of every 64 bytes of k. A
 * and B follow the same rule, so which k an instruction pairs with which is free. The weights are
 * the first operand: lane l then owns columns 4 (l / 16) .. + 3 of row l % 16 of C.
 */
#ifndef KG_MATRIX_H
#define KG_MATRIX_H

#include "words.h"

struct kg_mma {
    enum kg_family family;
    enum kg_type type;
    const char *builtin;  /* after __builtin_amdgcn_mfma_ */
    const char *mnemonic; /* after v_mfma_ */
    const char *operand;  /* C type of one instruction's operand */
    const char *tail;     /* constant arguments behind the accumulator */
    unsigned chunks;      /* 16-byte chunks of a fragment */
    unsigned parts;       /* instructions a fragment takes */
    unsigned cycles;      /* of the matrix unit, an instruction */
    bool integer;         /* accumulates in int32 */
};

/* The row for an arch's family and an element type; null: it has no such instruction. */
const struct kg_mma *kg_mma_find(const struct kg_arch *a, enum kg_type type);

/* Name of the word that multiplies part `part` of two fragments into an accumulator: mma0_bf16(c,
 * b, a). tied: as inline assembly that keeps the accumulator in its register; the caller sees to
 * four instructions between two on one accumulator and calls settle() before reading one. */
const char *kg_mma_word(const struct kg_mma *m, unsigned part, bool tied);

/* Words of matrix kernels: chunk loads, LDS, copies, products, epilogue. */
const struct kg_word *kg_matrix_words(const struct kg_arch *a, unsigned *count);

#endif
