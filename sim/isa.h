/* SPDX-License-Identifier: MIT */
/*
 * A decoded instruction: what decode/ makes from machine code, print.c turns into text and the
 * execution side lowers once into its fast form. Family-independent: everything a format encodes
 * ends up in a named field, everything a mnemonic implies is in its opcode row.
 */
#ifndef SIM_ISA_H
#define SIM_ISA_H

#include <stdbool.h>
#include <stdint.h>

enum sim_format {
    SIM_FMT_NONE,
    SIM_FMT_SOP1, SIM_FMT_SOP2, SIM_FMT_SOPC, SIM_FMT_SOPK, SIM_FMT_SOPP, SIM_FMT_SMEM,
    SIM_FMT_VOP1, SIM_FMT_VOP2, SIM_FMT_VOPC, SIM_FMT_VOP3, SIM_FMT_VOP3SD, SIM_FMT_VOP3P,
    SIM_FMT_MAI, SIM_FMT_VOP3PX, SIM_FMT_VOP3PX16, /* with a prefix of scales (16: 64-bit scales) */
    /* halves of dual instructions; insn.format is the X one */
    SIM_FMT_VOPDX, SIM_FMT_VOPDY, SIM_FMT_VOPD3X, SIM_FMT_VOPD3Y,
    SIM_FMT_DS, SIM_FMT_FLAT, SIM_FMT_SCRATCH, SIM_FMT_GLOBAL, SIM_FMT_MUBUF, SIM_FMT_MTBUF,
    SIM_FMT_VBUFFER, SIM_FMT_TENSOR,
    SIM_FMT_COUNT
};

/* Where an operand lives. */
enum sim_file {
    SIM_FILE_NONE,  /* absent: `off`, or an operand this form of the instruction lacks */
    SIM_FILE_V,     /* VGPR, reg 0..1023 */
    SIM_FILE_A,     /* AGPR, reg 0..255 */
    SIM_FILE_S,     /* SGPR, reg 0..105 */
    SIM_FILE_TTMP,  /* trap temporaries, reg 0..15 */
    SIM_FILE_VCC,   /* reg 0 = vcc_lo (or vcc), 1 = vcc_hi */
    SIM_FILE_EXEC,  /* likewise */
    SIM_FILE_FLAT_SCRATCH,
    SIM_FILE_XNACK_MASK,
    SIM_FILE_M0,
    SIM_FILE_NULL,  /* reads 0, writes nothing */
    SIM_FILE_SCC, SIM_FILE_VCCZ, SIM_FILE_EXECZ,
    SIM_FILE_APERTURE, /* reg 0..3: src_shared_base, shared_limit, private_base, private_limit */
    SIM_FILE_POPS,
    SIM_FILE_FLAT_SCRATCH_BASE, /* reg 0, 1: low and high half of the scratch base */
    SIM_FILE_LDS_DIRECT,
    SIM_FILE_INLINE,  /* inline constant: value holds the bits, expanded for the operand's type */
    SIM_FILE_LITERAL, /* literal: value holds the bits, expanded for the operand's type */
    SIM_FILE_IMM      /* plain number in value: simm16, branch distance, hwreg, wait counts ... */
};

/* How the instruction looks at the operand (from its opcode row): decides how a constant is
 * expanded and how text shows it. */
enum sim_type {
    SIM_T_NONE, SIM_T_B8, SIM_T_B16, SIM_T_B32, SIM_T_B64, SIM_T_B128,
    SIM_T_I16, SIM_T_I32, SIM_T_I64, SIM_T_U16, SIM_T_U32, SIM_T_U64,
    SIM_T_F16, SIM_T_BF16, SIM_T_F32, SIM_T_F64, SIM_T_V2F16, SIM_T_V2BF16, SIM_T_V2I16,
    SIM_T_V2F32, SIM_T_V2I32, SIM_T_MASK /* a lane mask: 64 or 32 bits by wave size */
};

enum { SIM_READ = 1, SIM_WRITE = 2 };

struct sim_operand {
    uint8_t file;    /* enum sim_file */
    uint8_t type;    /* enum sim_type */
    uint8_t access;  /* SIM_READ | SIM_WRITE */
    uint8_t words;   /* 32-bit registers it spans; 1 for a 16-bit operand, 0 for IMM */
    bool true16;     /* half a register: the low one, or by `half` the high one */
    uint8_t half;
    bool neg, abs, sext, neg_hi;
    uint8_t opsel, opsel_hi; /* VOP3 op_sel / VOP3P op_sel and op_sel_hi bit of this operand */
    uint8_t field;   /* enum sim_field: which encoded field it came from */
    uint16_t reg;    /* number within its file; INLINE, LITERAL: the source code (128 .. 255) */
    uint8_t slot;    /* VGPR: which two bits of s_set_vgpr_msb extend it (0 src0 .. 3 vdst) */
    uint64_t value;  /* INLINE, LITERAL, IMM */
};

/* Names of encoded fields, SIM_F_vdst ...: what an operand came from. */
enum sim_field {
    SIM_F_NONE,
#define SIM_FIELD(name) SIM_F_##name,
#include "decode/field.inc"
    SIM_F_COUNT
};

enum sim_lanes { SIM_LANES_PLAIN, SIM_LANES_DPP16, SIM_LANES_DPP8, SIM_LANES_SDWA };

enum { SIM_MAX_OPERANDS = 10 };

struct sim_opcode; /* a row of an opcode table: decode/decode.h */

struct sim_insn {
    const struct sim_opcode *op;   /* row; for VOPD the X half */
    const struct sim_opcode *op_y; /* VOPD: the Y half, else null */
    uint64_t pc;                   /* address in the code object */
    uint8_t size;                  /* bytes */
    uint8_t format;                /* enum sim_format */
    uint8_t lanes;                 /* enum sim_lanes */
    uint8_t noperands;             /* in the order text shows them: destinations first. VCC is an
                                      operand where text names it (v_cmp_*_e32, v_cndmask_e32) */
    uint8_t y_operands;            /* VOPD: how many of them, at the end, are the Y half's */
    struct sim_operand o[SIM_MAX_OPERANDS];
    int32_t offset;                /* memory: byte offset, signed as the format says; DS: offset0 */
    uint8_t offset1;               /* DS two-address forms */
    bool clamp;
    uint8_t omod;                  /* 0 none, 1 *2, 2 *4, 3 /2 */
    uint8_t cbsz, abid, blgp;      /* MAI; f8f6f4 formats */
    uint8_t matrix_a_fmt, matrix_b_fmt, matrix_a_scale, matrix_b_scale; /* gfx1250 */
    uint8_t matrix_a_scale_fmt, matrix_b_scale_fmt, matrix_reuse;
    uint8_t index_key;             /* which part of the index register a sparse WMMA uses */
    uint8_t bitop;                 /* v_bitop3, v_bitop2 truth table */
    uint8_t opsel;                 /* VOP3(P) op_sel bits as encoded: 0-2 sources, 3 destination */
    struct { uint16_t ctrl; uint8_t row_mask, bank_mask; bool bound_ctrl, fi; uint32_t dpp8; } dpp;
    struct { uint8_t dst_sel, dst_unused, src0_sel, src1_sel; } sdwa;
    bool glc, slc, dlc, scc;       /* cache bits: sc0 nt - sc1 on gfx940+; th/scope on gfx12 */
    uint8_t th, scope;
    bool returns;                  /* atomics: the old value is returned */
    bool offen, idxen, lds, gds, tfe, nv, sve, scale_offset;
    uint8_t dfmt, nfmt;            /* MTBUF; format in dfmt on gfx11+ */
    uint32_t words[5];             /* the encoding, zero-padded */
};

#endif
