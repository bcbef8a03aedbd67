/* SPDX-License-Identifier: MIT */
/*
 * The GEMM tile: what the stages of ops/gemm.c share. A workgroup of wm x wn waves computes an m x n block
 * of C; a wave a block of mi x ni sub-blocks of 16x16. A passes through LDS, in two buffers of m rows by
 * kb bytes; B comes from its shuffled layout straight to registers. A k tile is `steps` steps of one
 * fragment each; a group is the work on one fragment of A: ni sub-blocks of one step and one row of
 * sub-blocks.
 */
#ifndef KG_TILE_H
#define KG_TILE_H

#include "matrix.h"
#include "spec.h"

struct kg_tile {
    const struct kg_spec *s;
    const struct kg_mma *mma;
    unsigned threads;
    unsigned mi, ni;     /* sub-blocks of a wave */
    unsigned steps;      /* fragments along k in a tile */
    unsigned groups;     /* steps * mi */
    unsigned ahead;      /* fragments of A read ahead of their use */
    unsigned ring;       /* registers for them: ahead + 1 */
    unsigned passes;     /* 16-byte chunks of A a work-item brings to LDS for a tile */
    unsigned pass_rows;  /* rows of A one pass of the workgroup covers */
    unsigned buffer;     /* bytes of one LDS buffer */
    unsigned columns;    /* 64-byte columns of a k tile: each has its own LDS read base */
    unsigned shift, mask; /* chunk ^= (row >> shift) & mask spreads rows over the LDS banks */
    bool pair;           /* loop over two tiles with B double buffered; else one tile, B in place */
    bool dma;            /* A goes from memory to LDS directly; else through registers */
    bool a_first;        /* the prologue asks for A of the second tile before B of the first */
};

/* Derives the tile of a record. Null, or why there is no such kernel. */
const char *kg_tile_derive(struct kg_tile *t, const struct kg_spec *s);

/* VGPRs the main loop needs, by addition: accumulators, B, ring, staging, addresses. */
unsigned kg_tile_registers(const struct kg_tile *t);

/* Declares accumulators, fragments, offsets and LDS pointers; brings in the first tile. In scope are ra, rb
 * (descriptors of A and B), pa, pb (their addresses), a_bytes, b_bytes, tid, lane, wave, wave_m, wave_n,
 * row16, quad, lda, ldb, t0 (first tile), left (tiles), k0 (first byte of the first tile), valid (bytes it
 * has). */
void kg_tile_begin(struct kg *g, const struct kg_tile *t);

/* The loop over k and the tiles behind it. Straight line from the loop to the last product. */
void kg_tile_loop(struct kg *g, const struct kg_tile *t);

#endif
