/* SPDX-License-Identifier: MIT */
/*
 * LayerNorm: y = (x - mean) rstd gamma + beta, mean and rstd of each row.
 *
 *   read the row into registers (one 16-byte vector an access)
 *   mean   the sum in two floats, hi + lo, about 48 bits: exact or nearly so; the mean too is two
 * floats rstd   from the squares of the deviations (x - m) - m_low, the first difference exact near
 * the mean write  the deviations times rstd gamma, plus beta
 *
 * Longer rows are read twice. The first read keeps, for what a lane has seen, the sum in two
 * floats, and sum and squares of the deviations from a value near the lane's mean, which moves
 * along.
 *
 * Registers: the row as it is in memory, vectors * 4 dwords, and gamma and beta while they fit.
 * LDS: 12 bytes a wave where a row has several.
 */
#include "../norm.h"

static const struct kg_arg args[] = {
    {"x", KG_ARG_IN, KG_OF_IN, false, "ldx"}, {"gamma", KG_ARG_IN, KG_OF_WEIGHT, true},
    {"beta", KG_ARG_IN, KG_OF_WEIGHT, true},  {"y", KG_ARG_OUT, KG_OF_OUT, false, "ldy"},
    {"mean", KG_ARG_OUT, KG_OF_F32, true},    {"rstd", KG_ARG_OUT, KG_OF_F32, true},
    KG_NORM_ARGS,
};

/* Parameters are asked for as early as registers allow: with the row, before the last reduction, or
 * in batches where a lane has many vectors. */
static bool params_with_row(const struct kg_spec *s)
{
    return s->tile.vectors <= 2;
}

static bool params_in_batches(const struct kg_spec *s)
{
    return s->tile.vectors > 4;
}

/* Vectors for which parameters are held at a time. */
static unsigned params_batch(const struct kg_spec *s)
{
    return params_in_batches(s) ? 2 : s->tile.vectors;
}

/* A vector and its place are 6 registers, two parameters 8; the rest is the arithmetic of a vector.
 */
static unsigned registers(const struct kg_spec *s)
{
    return 6 * s->tile.vectors + (kg_is_quantised(s) ? 12 : 8) * params_batch(s) + 
           (kg_dtypes[s->in].bits == 32 ? 24 : 48) + (kg_is_quantised(s) ? 28 : 0);
}

static const char *legal(const struct kg_spec *s)
{
    return kg_row_legal(s, registers(s));
}

static void variants(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    kg_norm_variants(op, arch, false, visit, with);
}

/* m + m_low = sum / cols. */
static void mean(struct kg *g)
{
    kg_blank(g);
    kg_note(g, "The mean: m is it rounded, m_low what is missing.");
    kg_line(g, "const float count = cols;");
    kg_line(g, "const pair center = quotient(sum, count);");
    kg_line(g, "const float m = center.hi, m_low = center.lo;");
    kg_line(g, "const float less_m = negative(m), less_low = negative(m_low);");
    kg_blank(g);
}

static void scale_and_statistics(struct kg *g)
{
    kg_line(g, "const float scale = reciprocal_root(square * reciprocal(count) + eps);");
    kg_blank(g);
    kg_open(g, "if (lane == 0)");
    kg_line(g, "if (mean)");
    kg_line(g, "    mean[row] = m;");
    kg_line(g, "if (rstd)");
    kg_line(g, "    rstd[row] = scale;");
    kg_close(g);
    kg_blank(g);
}

static void params(struct kg *g, const struct kg_spec *s)
{
    kg_row_param(g, s, "gamma", "scales", "1");
    kg_row_param(g, s, "beta", "offsets", "0");
}

/* hi + lo += v; the first vector is taken as it is. */
static void add_exactly(struct kg *g, const char *hi, const char *lo, bool own)
{
    if (g->copies == 1) {
        kg_line(g, "%s = v;", hi);
        return;
    }
    kg_line(g, "if (j == 0)");
    kg_line(g, "    %s = v;", hi);
    kg_line(g, "else");
    kg_line(g, "    add_%sto_$f(%s, %s, v);", own ? "slowly_" : "", hi, lo);
}

static void sum_exactly(struct kg *g, const struct kg_spec *s, bool own)
{
    kg_row_widened(g, s, "v", "values@", own);
    kg_row_own(g, "v", own);
    add_exactly(g, "hi", "lo", own);
}

static void sum_squares(struct kg *g, const struct kg_spec *s, bool own)
{
    kg_row_widened(g, s, "v", "values@", own);
    kg_line(g, own ? "$f d = (v + negative(m)) + negative(m_low);" : "$f d = (v + less_m) + less_low;");
    kg_row_own(g, "d", own);
    kg_line(g, "squares += d * d;");
}

static void result(struct kg *g, const struct kg_spec *s)
{
    (void)s;
    kg_line(g, "const $f d = (widen_$x(values@) + less_m) + less_low;");
    kg_line(g, "$f t = d * scale * widen_$w(scales`) + widen_$w(offsets`);");
}

static void emit_resident(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    kg_row_anchor(g, s);
    kg_row_places(g, s);

    kg_note(g, "The only read of the row.");
    kg_row_load(g, s, "values", !params_in_batches(s));
    if (params_with_row(s))
        params(g, s);
    kg_norm_add(g, s);
    kg_blank(g);

    kg_note(g, "Sum of the row.");
    kg_line(g, "$f hi = 0, lo = 0;");
    kg_row_sweep(g, s, "hi = lo = 0;", sum_exactly);
    kg_line(g, "pair sum = fold_$f(hi, lo);");
    kg_row_keep_packed(g, s, "values");
    kg_row_reduce(g, s, "sum", &kg_pair_sum);
    mean(g);

    kg_note(g, "Squares of the deviations.");
    kg_line(g, "$f squares = 0;");
    kg_row_sweep(g, s, "squares = 0;", sum_squares);
    kg_line(g, "float square = sum_$f(squares);");
    kg_row_keep_packed(g, s, "values");
    if (!params_with_row(s) && !params_in_batches(s))
        params(g, s);
    kg_row_reduce(g, s, "square", &kg_sum);
    scale_and_statistics(g);

    const struct kg_norm_result r = {params, result, !params_in_batches(s), params_batch(s)};
    kg_norm_write(g, s, &r);
    kg_row_end(g, s);
}

static void sum_chunk(struct kg *g, const struct kg_spec *s, bool own)
{
    kg_row_widened(g, s, "v", "values@", own);
    kg_row_own(g, "v", own);
    add_exactly(g, "part", "part_low", own);
    if (own)
        kg_line(g, "fresh -= least(moved@ < 0 ? -moved@ : moved@, $n);");
}

static void sum_deviations(struct kg *g, const struct kg_spec *s, bool own)
{
    kg_row_widened(g, s, "v", "values@", own);
    kg_line(g, "$f d = v - about;");
    kg_row_own(g, "d", own);
    kg_line(g, "offs += d;");
    kg_line(g, "squares += d * d;");
}

static void emit_loop(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    kg_norm_rows(g, s);
    kg_row_anchor(g, s);

    kg_note(
        g,
        "First read. Of what this lane has seen: how many, their sum, and sum and squares of their "
        "deviations from `about`, which is kept near their mean.");
    kg_line(g, "pair sum = {0, 0};");
    kg_line(g, "float seen = 0, about = 0, off = 0, square = 0;");
    kg_row_loop(g, s);
    kg_row_load(g, s, "values", false);
    kg_norm_add(g, s);
    kg_line(g, "int fresh = %u;", s->tile.vectors * s->tile.vec);
    kg_line(g, "$f part = 0, part_low = 0;");
    kg_row_sweep(g, s, "part = part_low = 0;", sum_chunk);
    kg_line(g, "const pair chunk = fold_$f(part, part_low);");
    kg_line(g, "sum = add_pair(sum, chunk);");
    kg_row_keep_packed(g, s, "values");
    kg_line(g, "if (first == -before)");
    kg_line(g, "    about = chunk.hi / (fresh ? fresh : 1);");
    kg_blank(g);
    kg_line(g, "$f offs = 0, squares = 0;");
    kg_row_sweep(g, s, "offs = squares = 0;", sum_deviations);
    kg_line(g, "seen += fresh;");
    kg_line(g, "off += sum_$f(offs);");
    kg_line(g, "square += sum_$f(squares);");
    kg_blank(g);
    kg_line(g, "const float next = about + off * reciprocal(seen > 0 ? seen : 1);");
    kg_line(g, "const float step = next - about;");
    kg_line(g, "square += step * (seen * step - 2 * off);");
    kg_line(g, "off -= seen * step;");
    kg_line(g, "about = next;");
    kg_close(g);
    kg_blank(g);
    kg_row_reduce(g, s, "sum", &kg_pair_sum);
    mean(g);

    kg_note(g, "Squares of the deviations, from `about` of each lane to the mean.");
    kg_line(g, "const float shift = (m - about) + m_low;");
    kg_line(g, "square += shift * (seen * shift - 2 * off);");
    kg_row_reduce(g, s, "square", &kg_sum);
    scale_and_statistics(g);

    const struct kg_norm_result r = {params, result, false, params_batch(s)};
    kg_norm_write_loop(g, s, &r);
    kg_row_end(g, s);
}

static void emit(struct kg *g, const struct kg_spec *s)
{
    if (s->tile.loop)
        emit_loop(g, s);
    else
        emit_resident(g, s);
}

const struct kg_op kg_op_layernorm = {
    .name = "layernorm",
    .family = "norm",
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .variants = variants,
    .legal = legal,
    .emit = emit,
    .explain = kg_row_explain,
};
