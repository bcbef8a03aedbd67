/* SPDX-License-Identifier: MIT */
/*
 * Gradient of LayerNorm. Per row, h = (x - mean) rstd and g = dy gamma:
 *
 *   read x, dy and dresidual into registers (one 16-byte vector an access)
 *   c1, c2  means of g and of g h
 *   write   dx = rstd (g - c1 - h c2) + dresidual
 *
 * and over the rows of a program dgamma += dy h, dbeta += dy in f32 registers, written to `partial` at its end.
 * Longer rows are read twice and add to `partial` in memory. A variant of its own adds the programs up.
 *
 * Registers: 12 dwords a vector, gamma, 2 sums an element. LDS: 16 bytes a wave where a row has several; where
 * rows share a workgroup, 4 bytes an element that it holds.
 */
#include "../normbwd.h"

static const struct kg_arg args[] = {
    KG_NORMBWD_ARGS,
    {"mean", KG_ARG_IN, KG_OF_F32, true},
    {"dbeta", KG_ARG_OUT, KG_OF_WEIGHT, false, NULL},
};

static void variants(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    kg_normbwd_variants(op, arch, false, visit, with);
}

static const char *legal(const struct kg_spec *s)
{
    return kg_normbwd_legal(s, true);
}

static unsigned registers(const struct kg_spec *s)
{
    return kg_normbwd_registers(s, true);
}

static void emit(struct kg *g, const struct kg_spec *s)
{
    kg_normbwd_emit(g, s, true);
}

const struct kg_op kg_op_layernormbwd = {
    .name = "layernormbwd",
    .family = "normbwd",
    .adds_rows = true,
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .variants = variants,
    .legal = legal,
    .registers = registers,
    .emit = emit,
    .tile = kg_normbwd_tile,
    .row = kg_normbwd_row,
    .explain = kg_normbwd_explain,
};
