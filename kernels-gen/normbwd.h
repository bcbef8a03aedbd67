/* SPDX-License-Identifier: MIT */
/*
 * Gradients of the norms. In the kernels y is dx. With h = (x - mean) rstd and g = dy gamma:
 *
 *     dx = rstd (g - c1 - h c2) + dresidual, c1 = mean of g (LayerNorm only), c2 = mean of g h
 *     dgamma = sum over rows of dy h, dbeta = sum over rows of dy
 *
 * A workgroup is a program: it takes the rows `programs` * rows apart, keeps the sums over them in registers
 * and writes them to `partial` when it is done; a kernel of its own adds the programs up. Columns therefore
 * stay with a lane for all rows: the grid of vectors starts `before` columns ahead of them all.
 *
 * partial[program][dgamma, dbeta][element of a vector][vector of the row], f32: `lanes` vectors, a multiple of
 * 16 (of 64 where the kernel that adds up takes places in fours and vectors are single elements), `stride` elements a
 * program, so that waves write and read whole lines whatever the vectors are. With `atomic`, a power of two, so many
 * programs have a row of partial each and others add to these, atomically. A kernel that reads rows twice, which adds to
 * partial at every row, has no atomics: there `atomic` = 1 says that a program has two rows of partial, `stride` for both, and
 * adds the first to the second now and then, as long sums of f32 would lose too much.
 */
#ifndef KG_NORMBWD_H
#define KG_NORMBWD_H

#include "rowwise.h"

/* The arguments both have. The kernel that adds up takes `vec` elements a vector. */
#define KG_NORMBWD_ARGS                                                                            \
    {"x", KG_ARG_IN, KG_OF_IN, false, "ldx"}, {"dy", KG_ARG_IN, KG_OF_IN, false, "lddy"},          \
        {"dresidual", KG_ARG_IN, KG_OF_IN, false, "lddr"}, {"gamma", KG_ARG_IN, KG_OF_WEIGHT, true}, \
        {"rstd", KG_ARG_IN, KG_OF_F32, true}, {"y", KG_ARG_OUT, KG_OF_IN, false, "ldy"},           \
        {"dgamma", KG_ARG_OUT, KG_OF_WEIGHT, false, NULL},                                         \
        {"partial", KG_ARG_OUT, KG_OF_F32, false, NULL}, {"ldx", KG_ARG_I64, KG_OF_F32, false},    \
        {"lddy", KG_ARG_I64, KG_OF_F32, false}, {"lddr", KG_ARG_I64, KG_OF_F32, false},            \
        {"ldy", KG_ARG_I64, KG_OF_F32, false}, {"rows", KG_ARG_I64, KG_OF_F32, false},             \
        {"stride", KG_ARG_I64, KG_OF_F32, false}, {"cols", KG_ARG_I32, KG_OF_F32, false},          \
        {"before", KG_ARG_I32, KG_OF_F32, false}, {"lanes", KG_ARG_I32, KG_OF_F32, false},         \
        {"programs", KG_ARG_I32, KG_OF_F32, false}, {"vec", KG_ARG_I32, KG_OF_F32, false},         \
        {"atomic", KG_ARG_I32, KG_OF_F32, false}

/* The members of struct kg_op. centred: LayerNorm, with the arguments mean and dbeta too. mixed: also f32
 * weights with 16-bit input. */
void kg_normbwd_variants(const struct kg_op *op, const struct kg_arch *arch, bool mixed,
                         void (*visit)(const struct kg_spec *s, void *with), void *with);
const char *kg_normbwd_legal(const struct kg_spec *s, bool centred);
unsigned kg_normbwd_registers(const struct kg_spec *s, bool centred);
void kg_normbwd_emit(struct kg *g, const struct kg_spec *s, bool centred);
void kg_normbwd_tile(const struct kg_spec *s, char *out, size_t room);
void kg_normbwd_row(struct kg_buf *out, const struct kg_spec *s);
void kg_normbwd_explain(struct kg_buf *out, const struct kg_spec *s);

#endif
