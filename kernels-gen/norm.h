/* SPDX-License-Identifier: MIT */
/*
 * What the norms share: their types and tiles, the fused add, and writing the row, as it is or quantised.
 * Kernels that use this have the arguments residual, residual_out, yscale, xscale, ldr and ldro.
 */
#ifndef KG_NORM_H
#define KG_NORM_H

#include "rowwise.h"

/* The end of a norm's argument list, from residual on. */
#define KG_NORM_ARGS                                                                               \
    {"residual", KG_ARG_IN, KG_OF_IN, false, "ldr"}, {"residual_out", KG_ARG_OUT, KG_OF_IN, false, "ldro"},       \
        {"yscale", KG_ARG_OUT, KG_OF_F32, true}, {"xscale", KG_ARG_IN, KG_OF_WEIGHT, true},            \
        {"ldx", KG_ARG_I64, KG_OF_F32, false}, {"ldy", KG_ARG_I64, KG_OF_F32, false},              \
        {"ldr", KG_ARG_I64, KG_OF_F32, false}, {"ldro", KG_ARG_I64, KG_OF_F32, false},             \
        {"rows", KG_ARG_I32, KG_OF_F32, false}, {"cols", KG_ARG_I32, KG_OF_F32, false},            \
        {"eps", KG_ARG_F32, KG_OF_F32, false}, {"aligned", KG_ARG_I32, KG_OF_F32, .two_ways = true}

/* Vectors whose parameters a work-item holds at a time. */
unsigned kg_norm_batch(const struct kg_spec *s);

/* Calls visit for each record of a norm on this arch. mixed: also f32 weights with 16-bit input. */
void kg_norm_variants(const struct kg_op *op, const struct kg_arch *arch, bool mixed,
                      void (*visit)(const struct kg_spec *s, void *with), void *with);
bool kg_is_quantised(const struct kg_spec *s);

/* After kg_row_begin: `kept_row`, where a second read finds the row, and the rows of the fused add. */
void kg_norm_rows(struct kg *g, const struct kg_spec *s);

/* Where the vectors of a row stay in registers as f32, as wide@: a sweep has no need to widen them again. The results of
 * a quantised row lie there too until its scale is known. */
bool kg_norm_keeps_wide(const struct kg *g, const struct kg_spec *s);
void kg_norm_wide(struct kg *g, const struct kg_spec *s);

/* A lane's sum of squares of a row that is resident: `squares`, in a sweep the squares of `of` added, and at last
 * `square`. */
void kg_norm_squares(struct kg *g);
void kg_norm_add_squares(struct kg *g, const char *of);
void kg_norm_square(struct kg *g);

/* With a residual: `values@` += it, rounded; stored to residual_out. */
void kg_norm_add(struct kg *g, const struct kg_spec *s);

/* What an op brings for the output of a row: its parameters for the vectors at hand, and the line that
 * declares `$f t`, the result of vector j before rounding, from values@. */
struct kg_norm_result {
    void (*params)(struct kg *g, const struct kg_spec *s);
    void (*result)(struct kg *g, const struct kg_spec *s);
    bool loaded;    /* the parameters have been read with the row */
    unsigned batch; /* vectors for which parameters are held at a time */
};

/* Writes the row that lies in values@. */
void kg_norm_write(struct kg *g, const struct kg_spec *s, const struct kg_norm_result *r);

/* Reads the row again and writes it. */
void kg_norm_write_loop(struct kg *g, const struct kg_spec *s, const struct kg_norm_result *r);

/* The stages a quantised output adds: from `top`, the row's largest magnitude as bits, yscale is written, and come
 * `inverse`, its reciprocal over `lift`, and with kg_quant_divides `missing`, what that is short of the exact one. Where
 * lift is not 1, values times lift are to be kept `within` limit. */
void kg_quant_scale(struct kg *g, const struct kg_spec *s);

/* Around the word peak_, where vectors are guarded: what it works on, and `top` from that. */
void kg_peak_begin(struct kg *g);
/* In kg_each: wide@ in the two. */
void kg_quant_peak(struct kg *g, const struct kg_spec *s);
void kg_peak_end(struct kg *g);

/* Whether codes are those of the quotient rounded to f32, not of a product with the rounded reciprocal. */
bool kg_quant_divides(const struct kg_spec *s);

/* After kg_quant_scale: `value`, f32 vectors, lifted. */
void kg_quant_lift(struct kg *g, const char *value);

/* After that: `to` the codes of `value`. */
void kg_quant_codes(struct kg *g, const struct kg_spec *s, const char *to, const char *value);

/* Whether f32 vectors stay in wide@ from the search for the largest magnitude on: kg_quant_scale lifts them. */
bool kg_quant_keeps(const struct kg *g, const struct kg_spec *s);
/* After kg_quant_scale, where vectors are kept: writes the codes of the f32 vectors `value`. */
void kg_quant_write(struct kg *g, const struct kg_spec *s, const char *value);

#endif
