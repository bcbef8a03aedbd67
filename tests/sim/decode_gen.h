/* SPDX-License-Identifier: MIT */
/* Encodings made from the opcode tables: operands and modifiers drawn within what a row allows. */
#ifndef SIM_TEST_DECODE_GEN_H
#define SIM_TEST_DECODE_GEN_H

#include "decode/table.h"

struct gen {
    const struct sim_family *f;
    const struct sim_table *t;
    uint64_t seed;
};

/* One encoding of the row, legal as far as formats tell (alignment, one scalar operand, no literal
 * beside DPP). Returns its size in bytes, 0 when the row has no encoding of its own (a Y half pairs
 * with a row drawn here). */
unsigned gen_encoding(struct gen *g, const struct sim_opcode *row, uint32_t words[5]);

#endif
