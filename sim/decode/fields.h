/* SPDX-License-Identifier: MIT */
/*
 * The inside of taking an encoding apart: fields.c goes through a row's operands and modifiers,
 * operand.c knows registers and constants, lanes.c the DPP and SDWA dwords.
 */
#ifndef SIM_FIELDS_H
#define SIM_FIELDS_H

#include "decode/table.h"

/* Source codes that are no register or inline constant. */
enum {
    CODE_NULL = 124, CODE_M0 = 125, CODE_DPP8 = 233, CODE_DPP8_FI = 234, CODE_SDWA = 249,
    CODE_DPP = 250, CODE_LDS_DIRECT = 254, CODE_LIT64 = 254, CODE_LITERAL = 255
};

/* What the functions of these files share while one instruction is taken apart. */
struct sim_fields {
    const struct sim_table *t;
    const struct sim_family *f;
    struct sim_insn *out;
    unsigned wave;
    unsigned format;
    const struct sim_opcode *op;
    unsigned literal;      /* index of the literal in words, 0 while none is needed */
    unsigned next;         /* dwords used so far */
    unsigned literal_size; /* dwords of the literal */
};

static inline uint32_t fields_get(const struct sim_fields *c, unsigned field)
{
    return sim_get(c->t, c->format, field, c->out->words);
}

static inline bool fields_has(const struct sim_fields *c, unsigned field)
{
    return c->t->place[c->format][field].bits != 0;
}

static inline bool fields_accepts(const struct sim_fields *c, unsigned modifier)
{
    return c->op->accepts >> modifier & 1;
}

/* operand.c: false where the operand cannot be so */
bool sim_operand_vgpr(const struct sim_fields *c, struct sim_operand *o, const struct sim_slot *s,
                      unsigned reg);
bool sim_operand_scalar(const struct sim_fields *c, struct sim_operand *o, unsigned code);
bool sim_operand_source(struct sim_fields *c, struct sim_operand *o, const struct sim_slot *s,
                        unsigned code);
/* A source of v_fma_mix whose op_sel_hi bit is clear is an f32, constants included. */
void sim_operand_as_f32(const struct sim_fields *c, struct sim_operand *o);
bool sim_operand_tuple_ok(const struct sim_fields *c, const struct sim_operand *o);

/* lanes.c */
/* Which extra dword the source code of src0 asks for; false if the row does not take it. */
bool sim_lanes_form(struct sim_fields *c);
/* Applies that dword to the operands read so far. */
bool sim_lanes_apply(struct sim_fields *c, uint32_t word);

#endif
