/* SPDX-License-Identifier: MIT */
/*
 * The inside of the disassembly text: print.c writes formats, with operands (print_operand.c),
 * plain numbers that have names (print_number.c) and modifiers (print_modifier.c). Functions append
 * to the text.
 */
#ifndef SIM_TEXT_H
#define SIM_TEXT_H

#include "decode/table.h"

struct sim_text {
    char *buf;
    size_t size, len;
    const struct sim_table *t;
    const struct sim_family *f;
    const struct sim_insn *i;
    const struct sim_opcode
        *op; /* the row being written: of a dual instruction one half after the other */
    unsigned msb;
};

__attribute__((format(printf, 2, 3))) void sim_put(struct sim_text *t, const char *format, ...);

static inline bool text_accepts(const struct sim_text *t, unsigned modifier)
{
    return t->op->accepts >> modifier & 1;
}

static inline uint32_t text_field(const struct sim_text *t, unsigned field)
{
    return sim_get(t->t, t->op->format, field, t->i->words);
}

static inline bool text_is(const struct sim_text *t, unsigned token)
{
    return t->op->token == token;
}

/* print_operand.c */
void sim_text_operand(struct sim_text *t, const struct sim_operand *o);
/* with its signs: -v1, |v1|, -|v1|, neg(1.0), sext(v1) */
void sim_text_source(struct sim_text *t, const struct sim_operand *o);

/* print_number.c */
void sim_text_simm16(struct sim_text *t, unsigned v);
void sim_text_waitcnt(struct sim_text *t, unsigned v);
void sim_text_delay_alu(struct sim_text *t, unsigned v);
void sim_text_depctr(struct sim_text *t, unsigned v);
void sim_text_sendmsg(struct sim_text *t, unsigned v);
void sim_text_gpr_idx(struct sim_text *t, unsigned v);
void sim_text_version(struct sim_text *t, unsigned v);
void sim_text_swizzle(struct sim_text *t, unsigned v);
void sim_text_typed_format(struct sim_text *t);

/* print_modifier.c */
/* " name:[0,1,1]" of the bits, unless all have the normal value */
void sim_text_bits(struct sim_text *t, const char *name, unsigned bits, unsigned n,
                   unsigned normal);
void sim_text_clamp_omod(struct sim_text *t);
void sim_text_opsel(struct sim_text *t);
void sim_text_packed(struct sim_text *t);
void sim_text_bitop(struct sim_text *t);
void sim_text_dpp(struct sim_text *t);
void sim_text_sdwa(struct sim_text *t);
void sim_text_cache_bits(struct sim_text *t);
void sim_text_th_scope(struct sim_text *t);
void sim_text_offset(struct sim_text *t);

#endif
