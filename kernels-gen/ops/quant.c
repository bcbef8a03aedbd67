/* SPDX-License-Identifier: MIT */
/*
 * Quantisation of rows: yscale = largest magnitude / largest code, y = x / yscale.
 *
 *   read the row into registers (one 16-byte vector an access)
 *   top    its largest magnitude
 *   write  codes
 *
 * Longer rows are read twice. Registers: 4 dwords a vector, or a dword an element where rows are kept as f32. LDS: 4 bytes a wave
 * where a row has several.
 */
#include "../norm.h"

static const struct kg_arg args[] = {
    {"x", KG_ARG_IN, KG_OF_IN, false, "ldx"},      {"y", KG_ARG_OUT, KG_OF_OUT, false, "ldy"},
    {"yscale", KG_ARG_OUT, KG_OF_F32, true}, {"ldx", KG_ARG_I64, KG_OF_F32, false},
    {"ldy", KG_ARG_I64, KG_OF_F32, false},  {"rows", KG_ARG_I32, KG_OF_F32, false},
    {"cols", KG_ARG_I32, KG_OF_F32, false}, {"aligned", KG_ARG_I32, KG_OF_F32, .two_ways = true},
};

static void each_quantised(const struct kg_spec *s, void *with)
{
    struct visitor {
        void (*visit)(const struct kg_spec *s, void *with);
        void *with;
    } *v = with;
    if (kg_is_quantised(s))
        v->visit(s, v->with);
}

/* A vector, its place and what becomes of it; the rest is the arithmetic of a vector. */
static const char *legal(const struct kg_spec *s)
{
    return kg_row_legal(s, 6 * s->tile.vectors + 40);
}

static void variants(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    struct {
        void (*visit)(const struct kg_spec *s, void *with);
        void *with;
    } v = {visit, with};
    kg_norm_variants(op, arch, false, each_quantised, &v);
}

static void sweep(struct kg *g, const struct kg_spec *s)
{
    if (kg_quant_keeps(g, s)) {
        kg_peak_begin(g);
        kg_line(g, "$f wide@@;");
        kg_each(g);
        kg_line(g, "wide@ = widen_$x(values@);");
        kg_quant_peak(g, s);
        kg_each_end(g);
        kg_peak_end(g);
        return;
    }
    kg_each_scope(g);
    kg_line(g, "$f v = widen_$x(values@);");
    kg_row_own_part(g, s, "v");
    kg_line(g, "top = larger_bits(top, magnitude_$f(v));");
    kg_each_scope_end(g);
}

static void write_row(struct kg *g, const struct kg_spec *s)
{
    kg_each_scope(g);
    kg_line(g, "$f v = widen_$x(values@);");
    kg_quant_lift(g, "v");
    kg_quant_codes(g, s, "const $o out =", "v");
    kg_row_store(g, s, "out");
    kg_each_scope_end(g);
}

static void emit_resident(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    kg_row_anchor(g, s);
    kg_row_places(g, s);
    kg_note(g, "The only read of the row.");
    kg_row_load(g, s, "values", false);
    if (!kg_quant_keeps(g, s))
        kg_line(g, "int top = 0;");
    sweep(g, s);
    if (!kg_quant_keeps(g, s))
        kg_row_keep_packed(g, s, "values");
    kg_row_reduce(g, s, "top", &kg_largest);
    kg_quant_scale(g, s);
    if (kg_quant_keeps(g, s))
        kg_quant_write(g, s, "wide@");
    else
        write_row(g, s);
}

static void emit_loop(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    kg_row_anchor(g, s);
    kg_note(g, "First read.");
    kg_line(g, "int top = 0;");
    kg_row_loop(g, s);
    kg_row_load(g, s, "values", false);
    sweep(g, s);
    kg_close(g);
    kg_row_reduce(g, s, "top", &kg_largest);
    kg_quant_scale(g, s);
    kg_note(g, "Second read.");
    kg_row_loop(g, s);
    kg_row_load(g, s, "values", false);
    write_row(g, s);
    kg_close(g);
}

static void emit(struct kg *g, const struct kg_spec *s)
{
    kg_row_emit(g, s, s->tile.loop ? emit_loop : emit_resident);
}

const struct kg_op kg_op_quant = {
    .name = "quant",
    .family = "quant",
    .weightless = true,
    .light = true,
    .divides = true,
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .variants = variants,
    .legal = legal,
    .emit = emit,
    .explain = kg_row_explain,
};
