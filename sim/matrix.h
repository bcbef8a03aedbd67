/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions: MFMA, SMFMAC (CDNA) and WMMA, SWMMAC (RDNA, gfx1250). One row of
 * insn/mfma.inc or insn/wmma.inc describes one form; sim_matrix_run executes it on register rows.
 * Every form is the product D = A * B + C of one or more blocks; a row says where the elements lie
 * (the layout) and what they are (the types). EXEC plays no part: matrix instructions ignore it
 * (CDNA3 ISA 7.1, RDNA3 ISA 7.9 asks for all ones).
 */
#ifndef SIM_MATRIX_H
#define SIM_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instruction sets that differ in matrix instructions. */
enum sim_matrix_isa {
    SIM_MX_GFX90A, SIM_MX_GFX942, SIM_MX_GFX950, SIM_MX_GFX11, SIM_MX_GFX12, SIM_MX_GFX1250,
    SIM_MX_COUNT
};

enum sim_matrix_type {
    SIM_MT_F64, SIM_MT_F32, SIM_MT_XF32, SIM_MT_F16, SIM_MT_BF16,
    SIM_MT_FP8, SIM_MT_BF8, /* E4M3, E5M2: FNUZ on gfx942, OCP elsewhere */
    SIM_MT_FP6, SIM_MT_BF6, SIM_MT_FP4, /* E2M3, E3M2, E2M1 */
    SIM_MT_F8F6F4,  /* one of the last five, by a format field of the instruction */
    SIM_MT_I32, SIM_MT_I8,
    SIM_MT_IU8, SIM_MT_IU4 /* signed where the operand's neg bit is set */
};

/* How a form adds up its products; set once, before anything runs (FLYSIM_MFMA). */
enum sim_mfma_mode {
    SIM_MFMA_FMA,    /* c = fma(a, b, c) for k rising, denormals kept */
    SIM_MFMA_EXACT,  /* the exact sum of all products and C, rounded once to nearest even */
    SIM_MFMA_DEVICE  /* gfx90a, gfx942: the published model of the device; elsewhere as FMA */
};
extern enum sim_mfma_mode sim_mfma_mode;

/* A form on one instruction set. */
struct sim_matrix_form {
    const char *token;        /* mnemonic, without a size suffix: v_mfma_f32_16x16x16_f16 */
    uint8_t isa;              /* enum sim_matrix_isa */
    uint8_t m, n, blocks;     /* shape of one block */
    uint16_t k;               /* depth; of the sparse forms: that of B */
    uint8_t a, b, c, d;       /* enum sim_matrix_type */
    bool sparse;              /* A holds 2 of 4 elements, an index operand says which; D is C */
    uint8_t a_regs, b_regs;   /* at wave 64 (MAI) or 32 (WMMA); F8F6F4: the most */
    uint8_t c_regs, d_regs;
    uint16_t cycles;          /* matrix-unit cycles of one wave; F8F6F4: of its fp8 combinations */
};

/* Operands of one execution. A register row is `wave` words, one a lane; the registers of an
 * operand are consecutive rows. d may overlap c in any way, and be a or b (or overlap them wholly). */
struct sim_matrix_args {
    const uint32_t *a, *b;
    const uint32_t *c;         /* null: every element is c_const */
    uint32_t *d;
    uint64_t c_const;          /* bits in C's type; a 16-bit C has the element in both halves */
    const uint32_t *index;     /* sparse forms: rows of src2 */
    const uint32_t *a_scale, *b_scale; /* rows of scales (one row; two for scale16); null: 1.0 */
    uint8_t wave;              /* 64 or 32 */
    uint8_t cbsz, abid, blgp;  /* MAI fields; of F8F6F4 cbsz and blgp are the formats of A and B */
    uint8_t neg_lo, neg_hi;    /* VOP3P bits: 1 src0, 2 src1, 4 src2 */
    uint8_t opsel;             /* VOP3P op_sel bits: 1 src0, 2 src1, 4 src2 */
    bool clamp;
    uint8_t a_fmt, b_fmt;      /* gfx1250 matrix_a_fmt, matrix_b_fmt */
    uint8_t a_scale_sel, b_scale_sel; /* gfx950: byte of the lane's scale; gfx1250: row */
    uint8_t a_scale_fmt, b_scale_fmt; /* gfx1250: 0 E8M0, 1 E5M3, 2 E4M3 */
    bool scale16;              /* gfx1250: a scale per 16 elements, two rows */
};

extern const struct sim_matrix_form sim_matrix_forms[];
extern const size_t sim_matrix_form_count;

/* The form of a mnemonic on an instruction set, or null. A v_mfma_scale_* or v_wmma_scale[16]_*
 * name is found as its unscaled form. */
const struct sim_matrix_form *sim_matrix_find(const char *token, enum sim_matrix_isa isa);

/* Registers of A (operand 0) or B (operand 1) for a format field of an F8F6F4 form; of other forms
 * the row's own number. 0 for a format that does not exist. */
unsigned sim_matrix_regs(const struct sim_matrix_form *f, unsigned operand, unsigned fmt);

/* Matrix-unit cycles, for the formats in use. */
unsigned sim_matrix_cycles(const struct sim_matrix_form *f, unsigned a_fmt, unsigned b_fmt);

/* gfx11 reads A and B from both halves (or all quarters) of a wave, and the program has to put the
 * same there (RDNA3 ISA 7.9). Whether it did; true on other instruction sets. */
bool sim_matrix_repeated(const struct sim_matrix_form *f, const struct sim_matrix_args *x);

typedef void sim_matrix_fn(const struct sim_matrix_form *f, const struct sim_matrix_args *x);

/* The executor compiled for x86-64-v2, v3 or v4 (level 2, 3, 4); results are bit-identical. The
 * caller picks a level the CPU has. Arguments are trusted: decode has checked formats and register
 * ranges. */
sim_matrix_fn *sim_matrix_level(int level);

#endif
