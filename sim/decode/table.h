/* SPDX-License-Identifier: MIT */
/* The decoder's inside: an opcode table with its index, and where each format's fields lie. */
#ifndef SIM_TABLE_H
#define SIM_TABLE_H

#include "decode/decode.h"

enum { SIM_MAX_CODES = 1024 };

struct sim_place { uint8_t lo, bits; }; /* bits 0: the format has no such field */

struct sim_table {
    enum sim_isa isa;
    struct sim_opcode *rows;
    size_t nrows;
    uint16_t first[SIM_FMT_COUNT][SIM_MAX_CODES]; /* 1-based index of a row, 0 none */
    struct sim_place place[SIM_FMT_COUNT][SIM_F_COUNT];
};

/* A row of formats.inc. */
struct sim_format_row {
    uint8_t sets, format, dwords, op_lo, op_bits;
    uint32_t mask0, match0, mask2, match2;
};

extern const struct sim_format_row sim_formats[];
extern const size_t sim_format_count;

const struct sim_table *sim_table_get(enum sim_isa isa);
const char *sim_row_parse(struct sim_opcode *o);
/* A row that shares format, code and a target with an earlier one (*with), or null. */
const struct sim_opcode *sim_table_overlap(const struct sim_opcode *rows, size_t n,
                                           const struct sim_opcode **with);

/* v_fma_mix and its kin: the neg_hi bits are absolute values and op_sel_hi is 0 by default. */
bool sim_is_mix(const struct sim_opcode *o);

/* fields.c */
void sim_fields_build(struct sim_table *t);
/* decode.c: fills o->used. */
void sim_row_used(const struct sim_table *t, struct sim_opcode *o);
uint32_t sim_bits(const uint32_t *words, unsigned lo, unsigned bits);
static inline uint32_t sim_get(const struct sim_table *t, unsigned format, unsigned field,
                               const uint32_t *words)
{
    struct sim_place p = t->place[format][field];

    return p.bits ? sim_bits(words, p.lo, p.bits) : 0;
}
/* Operands and modifiers of out->op (and op_y) from out->words; false when a field holds what the
 * row does not accept. literal: the dwords after the instruction, if the encoding has any. */
bool sim_fields(const struct sim_table *t, const struct sim_family *f, unsigned wave,
                struct sim_insn *out);

#endif
