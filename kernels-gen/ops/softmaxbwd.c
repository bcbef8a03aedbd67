/* SPDX-License-Identifier: MIT */
/*
 * Gradient of softmax: dx = scale p (dy - sum(dy p)), p what the forward wrote. In the kernel x is dy and y
 * is dx.
 *
 *   read both rows into registers (one 16-byte vector an access)
 *   dot    sum of dy p
 *   write  scale p (dy - dot)
 *
 * Rows that no tile keeps are read twice.
 *
 * Registers: 8 dwords a vector. LDS: 4 bytes a wave where a row has several.
 */
#include "../rowwise.h"

static const struct kg_arg args[] = {
    {"x", KG_ARG_IN, KG_OF_IN, false, "ldx"},           {"probabilities", KG_ARG_IN, KG_OF_IN, false, "ldp"},
    {"y", KG_ARG_OUT, KG_OF_OUT, false, "ldy"},         {"ldx", KG_ARG_I64, KG_OF_F32, false},
    {"ldp", KG_ARG_I64, KG_OF_F32, false},       {"ldy", KG_ARG_I64, KG_OF_F32, false},
    {"rows", KG_ARG_I32, KG_OF_F32, false},      {"cols", KG_ARG_I32, KG_OF_F32, false},
    {"scale", KG_ARG_F32, KG_OF_F32, false},     {"aligned", KG_ARG_I32, KG_OF_F32, .two_ways = true},
};

static const enum kg_type types[] = {KG_F32, KG_F16, KG_BF16};

static const struct kg_rowwise tiles[] = {
    /* rows threads vectors */
    {32, 8, 1}, {16, 16, 1}, {16, 16, 2}, {8, 32, 1}, {8, 32, 2}, {8, 32, 3}, {4, 64, 2}, {4, 64, 3}, {2, 128, 3},
    {1, 256, 1}, {1, 256, 2}, {1, 256, 3}, {1, 256, 4}, {1, 512, 3}, {1, 512, 4}, {1, 512, 8}, {1, 1024, 4},
    {1, 512, 2, .loop = true},
    {32, 8, 1, .vec = 1},
    {1, 256, 4, .vec = 1, .loop = true},
};

/* So that rows just above 256 columns of 16 bits share a wave, and it the lines at their ends. */
static const struct kg_rowwise shared_wave = {16, 16, 3};

/* Of f32 on waves of 32, with room before a row of almost 16384 columns for vectors to start at its first line. */
static const struct kg_rowwise roomy = {1, 1024, 5};

/* A vector, its place and what becomes of it; the rest is the arithmetic of a vector. */
static const char *legal(const struct kg_spec *s)
{
    return kg_row_legal(s, 10 * s->tile.vectors + 42);
}

static void variants(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        const struct kg_spec s = {.op = op, .arch = arch, .in = types[t], .weight = types[t], .out = types[t]};
        kg_row_offer_few(&s, visit, with);
        kg_row_offer_odd(&s, visit, with);
        if (kg_isa_of(arch)->any_alignment)
            kg_row_offer(s, &shared_wave, 1, visit, with);
        kg_row_offer(s, tiles, sizeof tiles / sizeof *tiles, visit, with);
        if (kg_isa_of(arch)->any_alignment && arch->wave == 32 && s.in == KG_F32)
            kg_row_offer(s, &roomy, 1, visit, with);
    }
}

static void sum_products(struct kg *g, const struct kg_spec *s, bool own)
{
    kg_row_widened(g, s, "v", "values@", own);
    kg_row_own(g, s, "v", own);
    kg_line(g, "$f p = widen_$x(given@);");
    kg_row_own(g, s, "p", own);
    kg_line(g, g->guarded ? "part += halves_$f(v * p);" : "part += v * p;");
}

static void write_row(struct kg *g, const struct kg_spec *s)
{
    kg_each_scope(g);
    if (g->guarded)
        kg_open(g, "if (inside@)");
    kg_line(g, "const $o out = narrow_$o(widen_$x(given@) * (widen_$x(values@) - dot) * scale);");
    kg_row_store(g, s, "out");
    if (g->guarded)
        kg_close(g);
    kg_each_scope_end(g);
}

static void emit_resident(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    kg_row_matrix(g, s, KG_OF_IN, "probabilities", "ldp");
    kg_row_anchor(g, s);
    kg_row_places(g, s);

    kg_note(g, "The only read of the rows.");
    kg_row_load(g, s, "values", false);
    kg_row_load_from(g, s, "probabilities", "given", false);
    kg_line(g, g->guarded ? "f32x2 part = 0;" : "$f part = 0;");
    kg_row_sweep(g, s, "part = 0;", sum_products);
    kg_line(g, g->guarded ? "float dot = part.x + part.y;" : "float dot = sum_$f(part);");
    kg_row_keep_packed(g, s, "values");
    kg_row_keep_packed(g, s, "given");
    kg_row_reduce(g, s, "dot", &kg_sum);
    kg_blank(g);
    write_row(g, s);
}

static void emit_loop(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    kg_row_matrix(g, s, KG_OF_IN, "probabilities", "ldp");
    kg_row_anchor(g, s);

    kg_note(g, "First read.");
    kg_line(g, "float dot = 0;");
    kg_row_loop(g, s);
    kg_row_load(g, s, "values", false);
    kg_row_load_from(g, s, "probabilities", "given", false);
    kg_line(g, "$f part = 0;");
    kg_row_sweep(g, s, "part = 0;", sum_products);
    kg_line(g, "dot += sum_$f(part);");
    kg_close(g);
    kg_row_reduce(g, s, "dot", &kg_sum);
    kg_blank(g);

    kg_note(g, "Second read.");
    kg_row_loop(g, s);
    kg_row_load(g, s, "values", true);
    kg_row_load_from(g, s, "probabilities", "given", true);
    write_row(g, s);
    kg_close(g);
}

static void emit(struct kg *g, const struct kg_spec *s)
{
    kg_row_emit(g, s, s->tile.loop ? emit_loop : emit_resident);
}

const struct kg_op kg_op_softmaxbwd = {
    .name = "softmaxbwd",
    .family = "softmax",
    .weightless = true,
    .rows_held = 2,
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .variants = variants,
    .legal = legal,
    .emit = emit,
    .explain = kg_row_explain,
};
