/* SPDX-License-Identifier: MIT */
/*
 * RMSNorm: y = x rstd gamma, rstd of each row from the mean of its squares.
 *
 *   read the row into registers (one 16-byte vector an access), add the residual
 *   rstd   from the sum of squares
 *   write  the row times rstd gamma
 *
 * Longer rows are read again for the output, a quantised one twice.
 *
 * Registers: the row as it is in memory, vectors * 4 dwords, a dword an element where codes are kept as f32, and gamma while it fits.
 * LDS: 4 bytes a wave where a row has several, 4 more for a quantised output.
 */
#include "../norm.h"
#include "../shared.h"

static const struct kg_arg args[] = {
    {"x", KG_ARG_IN, KG_OF_IN, false, "ldx"},
    {"gamma", KG_ARG_IN, KG_OF_WEIGHT, true},
    {"y", KG_ARG_OUT, KG_OF_OUT, false, "ldy"},
    {"rstd", KG_ARG_OUT, KG_OF_F32, true},
    KG_NORM_ARGS,
};

static void variants(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    kg_norm_variants(op, arch, true, visit, with);
}

/* Parameters come with the row while registers allow. */
static bool params_early(const struct kg *g, const struct kg_spec *s)
{
    return (kg_quant_keeps(g, s) && !g->guarded) ||
           (s->tile.vectors <= 2 && s->tile.vectors <= kg_norm_batch(s) && s->weight == s->in);
}

/* A vector and its place are 6 registers, a parameter 4 or, f32 with 16-bit input, 8; the rest is the
 * arithmetic of a vector. */
static const char *legal(const struct kg_spec *s)
{
    const unsigned param = s->weight == s->in ? 4 : 8;
    if (s->tile.cluster)
        return kg_row_legal(s, kg_shared_registers(s, 1));
    return kg_row_legal(s, 6 * s->tile.vectors + (param + (kg_is_quantised(s) ? 4 : 0)) * kg_norm_batch(s) + 40);
}

static void params(struct kg *g, const struct kg_spec *s)
{
    kg_row_param(g, s, "gamma", "scales", "1");
}

static void sum_squares(struct kg *g, const struct kg_spec *s, bool own)
{
    if (kg_norm_keeps_wide(g, s))
        kg_line(g, "$f v = wide@;");
    else
        kg_row_widened(g, s, "v", "values@", own);
    kg_row_own(g, s, "v", own);
    kg_norm_add_squares(g, "v");
}

static void result(struct kg *g, const struct kg_spec *s)
{
    kg_line(g, "$f t = %s * scale * widen_$w(scales`);", kg_norm_keeps_wide(g, s) ? "wide@" : "widen_$x(values@)");
}

static void scale_and_statistics(struct kg *g)
{
    kg_line(g, "const float scale = reciprocal_root(square * reciprocal((float)cols) + eps);");
    kg_line(g, "if (rstd && lane == 0)");
    kg_line(g, "    rstd[row] = scale;");
    kg_blank(g);
}

static void emit_resident(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    kg_row_anchor(g, s);
    kg_row_places(g, s);

    kg_note(g, "The only read of the row.");
    kg_row_load(g, s, "values", false);
    if (params_early(g, s))
        params(g, s);
    kg_norm_add(g, s);
    kg_blank(g);

    kg_note(g, "Sum of squares.");
    kg_norm_wide(g, s);
    kg_norm_squares(g);
    kg_row_sweep_zeros(g, s, "squares = 0;", sum_squares);
    kg_norm_square(g);
    if (!kg_norm_keeps_wide(g, s))
        kg_row_keep_packed(g, s, "values");
    kg_row_reduce(g, s, "square", &kg_sum);
    scale_and_statistics(g);

    kg_row_param_end(g, s, "scale");
    const struct kg_norm_result r = {params, result, params_early(g, s), params_early(g, s) ? s->tile.vectors : kg_norm_batch(s)};
    kg_norm_write(g, s, &r);
}

static void emit_loop(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    kg_norm_rows(g, s);
    kg_row_anchor(g, s);

    kg_note(g, "First read: the sum of squares.");
    kg_line(g, "float square = 0;");
    kg_row_loop(g, s);
    kg_row_load(g, s, "values", false);
    kg_norm_add(g, s);
    kg_line(g, "$f squares = 0;");
    kg_row_sweep_zeros(g, s, "squares = 0;", sum_squares);
    kg_line(g, "square += sum_$f(squares);");
    kg_close(g);
    kg_row_reduce(g, s, "square", &kg_sum);
    scale_and_statistics(g);

    const struct kg_norm_result r = {params, result, false, kg_norm_batch(s)};
    kg_norm_write_loop(g, s, &r);
}

static void measure(struct kg *g, const struct kg_spec *s)
{
    kg_norm_squares(g);
    kg_row_sweep_zeros(g, s, NULL, sum_squares);
    kg_norm_square(g);
    kg_shared_reduce(g, s, "square", &kg_sum);
}

static void write_shared(struct kg *g, const struct kg_spec *s)
{
    const struct kg_norm_result r = {params, result, true, s->tile.vectors};
    scale_and_statistics(g);
    kg_norm_write(g, s, &r);
}

static void emit_shared(struct kg *g, const struct kg_spec *s)
{
    static const struct kg_shared op = {&kg_sum, "square", params, kg_norm_add, measure, write_shared};
    kg_shared_emit(g, s, &op);
}

static void emit(struct kg *g, const struct kg_spec *s)
{
    kg_row_emit(g, s, s->tile.cluster ? emit_shared : s->tile.loop ? emit_loop : emit_resident);
}

const struct kg_op kg_op_rmsnorm = {
    .name = "rmsnorm",
    .family = "norm",
    .light = true,
    .again_lanes = 1024,
    .divides = true,
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .variants = variants,
    .legal = legal,
    .emit = emit,
    .explain = kg_row_explain,
};
