/* SPDX-License-Identifier: MIT */
/*
 * The GEMM tile: what the stages of ops/gemm.c share. A workgroup of wm x wn waves computes an m x
 * n block of C; a wave a block of mi x ni sub-blocks of 16x16. A passes through LDS, in two buffers
 * of m rows by kb bytes; B comes from its shuffled layout straight to registers. A k tile is
 * `steps` steps of one fragment each; a group is the work on one fragment of A: ni sub-blocks of
 * one step and one row of sub-blocks.
 */
#ifndef KG_TILE_H
#define KG_TILE_H

#include "matrix.h"
#include "spec.h"

struct kg_tile {
    const struct kg_spec *s;
    const struct kg_mma *mma;
    unsigned slices;      /* groups of waves that share the block, each with its k tiles and LDS */
    unsigned threads;     /* of a slice */
    unsigned mi, ni;      /* sub-blocks of a wave */
    unsigned steps;       /* fragments along k in a tile */
    unsigned groups;      /* steps * mi */
    unsigned ahead;       /* fragments of A read ahead of their use */
    unsigned ring;        /* registers for them: ahead + 1 */
    unsigned passes;      /* 16-byte chunks of A a work-item brings to LDS for a tile */
    unsigned pass_rows;   /* rows of A one pass of the workgroup covers */
    unsigned buffer;      /* bytes of one LDS buffer */
    unsigned lds;         /* bytes of all buffers, and of the sums that slices exchange */
    unsigned exchanges;   /* turns it takes them to pass */
    unsigned columns;     /* 64-byte columns of a k tile: each has its own LDS read base */
    unsigned shift, mask; /* chunk ^= (row >> shift) & mask spreads rows over the LDS banks */
    bool pair;    /* loop over two tiles with B double buffered; else one tile, B in place */
    bool dma;     /* A goes from memory to LDS directly; else through registers */
    bool a_first; /* the prologue asks for A of the second tile before B of the first */
};

/* One thing the loop does. Members not named at a kind are 0. */
enum kg_step_kind {
    KG_READ_A,  /* slot, chunk, step, m, buffer: a chunk of a fragment from LDS */
    KG_LOAD_B,  /* set, step, n, chunk; last: of the tile that may be all zeros */
    KG_COPY_A,  /* pass, buffer; last, likewise: memory to LDS */
    KG_WRITE_A, /* pass, buffer: staged registers to LDS */
    KG_STAGE_A, /* pass; last, likewise: memory to registers */
    KG_PRODUCT, /* part, m, n, step, set, slot */
    KG_BARRIER, /* last: KG_STAGE_A with last follows */
    KG_PIN      /* the order of what is before and behind is fixed */
};

struct kg_step {
    enum kg_step_kind kind;
    unsigned slot, chunk, set, step, m, n, part, pass, buffer;
    bool last;
};

enum { KG_MAX_STEPS = 2048 };

struct kg_order {
    unsigned count;
    bool full; /* there were more */
    struct kg_step step[KG_MAX_STEPS];
};

/* What follows a tile. */
enum kg_more { KG_LAST, KG_ONE_MORE, KG_MANY_MORE };

/* The steps of the tile at `place` of the loop body. */
void kg_tile_order(struct kg_order *o, const struct kg_tile *t, unsigned place, enum kg_more more);

/* Derives the tile of a record. Null, or why there is no such kernel. */
const char *kg_tile_derive(struct kg_tile *t, const struct kg_spec *s);

/* VGPRs the main loop needs, by addition: accumulators, B, ring, staging, addresses. */
unsigned kg_tile_registers(const struct kg_tile *t);

/* Declares accumulators, fragments, offsets and LDS pointers; brings in the first tile. In scope
 * are ra, rb (descriptors of A and B), pa, pb (their addresses), a_bytes, b_bytes, slice, tid (in
 * the slice, as all that follow), lane, wave, wave_m, wave_n, row16, quad, lda, ldb, t0 (first
 * tile), left (tiles), k0 (first byte of the first tile), valid (bytes it has). */
void kg_tile_begin(struct kg *g, const struct kg_tile *t);

/* The whole kernel in assembly. Null, or why it cannot be; then its text, between kg_asm_begin and
 * kg_asm_end, and the SGPRs it takes. */
const char *kg_tile_asm_legal(const struct kg_tile *t);
unsigned kg_tile_asm(struct kg *g, const struct kg_tile *t);

/* The loop over k and the tiles behind it. Straight line from the loop to the last product. Then
 * the second slice hands its sums to the first, and ends. */
void kg_tile_loop(struct kg *g, const struct kg_tile *t);

#endif
