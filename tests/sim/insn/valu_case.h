/* SPDX-License-Identifier: MIT */
/* One form of a row (operand kinds, modifiers, mode): what valu_form.c makes and valu_run.c
 * runs. */
#ifndef TEST_VALU_CASE_H
#define TEST_VALU_CASE_H

#include "valu.h"

enum { OP_V, OP_S, OP_INLINE, OP_LITERAL };
enum { LANES_PLAIN, LANES_DPP, LANES_SDWA };

/* Registers: sources and destination of up to two words low down, wide ones above. */
enum { D_REG = 10, D_WIDE = 96, S_SGPR = 20, SD_REG = 30, CARRY_REG = 34 };

struct operand {
    int kind, reg;
    bool neg, abs, sext, opsel, opsel_hi, neg_hi;
    int sel; /* SDWA select */
    uint64_t value;
    char text[24];
};

struct vcase {
    const struct valu_row *row;
    struct operand s[3];
    int nsrc, dreg, snippet, waves;
    bool e64, clamp, cross, opsel_d, vcc_dst;
    int omod, lanes;
    unsigned imm;
    unsigned ctrl, row_mask, bank_mask;
    bool bound_ctrl, fi, rdna;
    int dst_sel, dst_unused;
    uint32_t mode;
};

struct vcases {
    struct vcase *list;
    int count;
};

/* Adds the forms that a row allows on the batch's target to the list and their text to the
 * batch. */
void valu_forms(struct batch *b, const struct valu_row *r, struct vcases *to);

static inline bool is_float(enum vtype t)
{
    return t == V_F16 || t == V_F32 || t == V_F64 || t == V_BF16;
}

static inline bool is_mix(enum vtype t)
{
    return t == V_MIX || t == V_MIXB;
}

static inline bool is_packed(enum vtype t)
{
    return t == V_P16 || t == V_PF16 || t == V_PBF16 || t == V_PF32 || t == V_P32;
}

static inline bool is_half(enum vtype t)
{
    return t == V_B16 || t == V_I16 || t == V_U16 || t == V_F16 || t == V_BF16;
}

#endif
