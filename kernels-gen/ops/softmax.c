/* SPDX-License-Identifier: MIT */
/*
 * Softmax: y = 2^(factor (v - top)) / their sum over the visible columns of a row, v = x times the sign of
 * scale, factor = |scale| log2 e.
 *
 *   read the row into registers (one 16-byte vector an access), hide columns
 *   top    the largest v
 *   powers one exponential an element, kept as f32; their sum
 *   write  powers / sum
 *
 * Longer rows are read twice: the first read keeps top and sum of what a lane has seen, rescaling the sum
 * when top grows. So are shorter rows that fill the machine where L1 holds them: few registers then leave room for
 * more rows, whose reading hides the work of others (kg_row_again). Rows that L2 cannot hold between the two reads
 * have clusters where workgroups can exchange values.
 *
 * Loops over aligned rows on NVIDIA take powers of exponents: 2^(factor v - exponent), where exponent is factor top,
 * rounded. What rounding leaves is the same factor in all powers of a row, and their sum takes it away again. Beyond
 * 2^24 it would leave float's range: such rows are left to the body for other rows.
 *
 * Registers: 4 dwords a vector for the row, then 8 for its powers. LDS: 8 bytes a wave where a row has several.
 */
#include "../shared.h"

static const struct kg_arg args[] = {
    {"x", KG_ARG_IN, KG_OF_IN, false, "ldx"},        {"y", KG_ARG_OUT, KG_OF_OUT, false, "ldy"},
    {"lengths", KG_ARG_IN, KG_OF_I32, true},  {"ldx", KG_ARG_I64, KG_OF_F32, false},
    {"ldy", KG_ARG_I64, KG_OF_F32, false},    {"first_row", KG_ARG_I64, KG_OF_F32, false},
    {"causal_rows", KG_ARG_I64, KG_OF_F32, false}, {"rows", KG_ARG_I32, KG_OF_F32, false},
    {"cols", KG_ARG_I32, KG_OF_F32, false},   {"scale", KG_ARG_F32, KG_OF_F32, false},
    {"aligned", KG_ARG_I32, KG_OF_F32, .two_ways = true},
};

static const enum kg_type types[] = {KG_F32, KG_F16, KG_BF16};

static const struct kg_rowwise tiles[] = {
    /* rows threads vectors */
    {32, 8, 1}, {32, 8, 2},
    {16, 16, 1}, {16, 16, 2}, {16, 16, 3},
    {8, 32, 1}, {8, 32, 2}, {8, 32, 3}, {8, 32, 4},
    {4, 64, 2}, {4, 64, 3}, {4, 64, 4},
    {2, 128, 3}, {2, 128, 4},
    {1, 256, 1}, {1, 256, 2}, {1, 256, 3}, {1, 256, 4},
    {1, 512, 2}, {1, 512, 3}, {1, 512, 4}, {1, 512, 8},
    {1, 1024, 2}, {1, 1024, 4}, {1, 1024, 8},
    {1, 512, 4, .loop = true},
    {32, 8, 1, .vec = 1},
    {1, 256, 4, .vec = 1, .loop = true},
};

/* CDNA's: few lanes a row have few exchanges. */
static const struct kg_rowwise of_64[] = {
    {16, 4, 1}, {16, 4, 2}, {16, 4, 3}, {16, 4, 4}, {16, 4, 5}, {8, 8, 5}, {4, 16, 5},
};
/* Of f32 on waves of 32, with room before a row of almost 16384 columns for vectors to start at its first line. */
static const struct kg_rowwise roomy = {1, 1024, 5};

/* What kg_row_offer makes of short rows where single waves are workgroups, in larger ones. */
static const struct kg_rowwise packed[] = {{16, 16, 2, .packed = true}, {4, 32, 3, .packed = true}};

/* NVIDIA's; see norm.c. */
static const struct kg_rowwise ptx_tiles[] = {
    {16, 8, 1}, {16, 8, 2}, {8, 16, 2}, {8, 16, 3},
    {4, 32, 1}, {2, 32, 2}, {2, 32, 3}, {2, 32, 5}, {2, 64, 2},
    {1, 64, 3}, {1, 64, 4}, {1, 96, 3}, {1, 128, 2}, {1, 128, 3}, {1, 128, 4}, {1, 128, 5},
    {1, 256, 1}, {1, 256, 2}, {1, 256, 4}, {1, 512, 2}, {1, 512, 4},
    {1, 1024, 2}, {1, 1024, 4}, {1, 1024, 8},
    {1, 2048, 4, .cluster = 8}, {1, 4096, 4, .cluster = 8},
    {1, 128, 4, .loop = true}, {1, 256, 4, .loop = true}, {1, 512, 4, .loop = true}, {1, 1024, 4, .loop = true},
    {32, 8, 1, .vec = 1},
    {1, 256, 4, .vec = 1, .loop = true},
};

/* A vector, its place and what becomes of it; the rest is the arithmetic of a vector. */
static const char *legal(const struct kg_spec *s)
{
    if (s->tile.cluster)
        return kg_row_legal(s, kg_shared_registers(s, 0));
    if (kg_row_again(s))
        return kg_row_legal(s, 4 * s->tile.vectors + 16);
    return kg_row_legal(s, 12 * s->tile.vectors + 34);
}

static void variants(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        const struct kg_spec s = {.op = op, .arch = arch, .in = types[t], .weight = types[t], .out = types[t]};
        kg_row_offer_few(&s, visit, with);
        kg_row_offer_hinted(&s, visit, with);
        if (kg_isa_of(arch)->wave_groups)
            kg_row_offer(s, packed, sizeof packed / sizeof *packed, visit, with);
        if (arch->wave == 64)
            kg_row_offer(s, of_64, sizeof of_64 / sizeof *of_64, visit, with);
        kg_row_offer_odd(&s, visit, with);
        if (kg_isa_of(arch)->resident_lanes)
            kg_row_offer(s, ptx_tiles, sizeof ptx_tiles / sizeof *ptx_tiles, visit, with);
        else
            kg_row_offer(s, tiles, sizeof tiles / sizeof *tiles, visit, with);
        if (kg_isa_of(arch)->any_alignment && arch->wave == 32 && s.in == KG_F32)
            kg_row_offer(s, &roomy, 1, visit, with);
    }
}

/* `seen`, the visible columns of the row, and `factor`. */
static void mask(struct kg *g, const struct kg_spec *s)
{
    g->stage = "mask";
    kg_note(g, "Columns from `seen` on are hidden.");
    kg_line(g, "int seen = cols;");
    kg_line(g, "if (lengths)");
    kg_line(g, "    seen = clamp(lengths[row], 0, cols);");
    kg_open(g, "if (causal_rows)");
    kg_line(g, "const long last = (first_row + row) %% causal_rows + cols - causal_rows;");
    kg_line(g, "seen = last + 1 < seen ? (last < -1 ? 0 : (int)last + 1) : seen;");
    kg_close(g);
    kg_line(g, "const float factor = (scale < 0 ? -scale : scale) * 0x1.715476p+0f;");
    kg_line(g, "const %s hidden = -__builtin_inff();", kg_dtypes[s->in].token);
    kg_blank(g);
}

/* values@ become v, with hidden columns minus infinity. */
static void hide(struct kg *g, const struct kg_spec *s)
{
    kg_note(g, "A negative scale turns the order around.");
    kg_open(g, "if (scale < 0)");
    kg_each(g);
    kg_line(g, g->guarded ? "values@ = packed_$x(-values@);" : "values@ = -values@;"); /* a branch stays one */
    if (g->aligned) {
        kg_line(g, "if (moved@ != 0)");
        kg_line(g, "    values@ = hidden;");
    }
    kg_each_end(g);
    kg_close(g);
    if (g->aligned && s->tile.loop)
        kg_open(g, "if (seen < cols && seen < first + %u)", s->tile.threads * s->tile.vectors * s->tile.vec);
    else
        kg_open(g, "if (seen < cols)");
    kg_each(g);
    kg_row_until(g, s, "values@ = only_$x(values@, %s, hidden);", "seen");
    kg_each_end(g);
    kg_close(g);
}

/* A row that is minus infinity everywhere takes its distances from 0, and its sum is 0. */
static void about(struct kg *g)
{
    kg_line(g, "const float about = top == -__builtin_inff() ? 0 : top;");
}

static void inverse(struct kg *g)
{
    kg_line(g, "const float inverse = sum == 0 ? 0 : reciprocal(sum);");
    kg_blank(g);
}

static void sum_powers(struct kg *g, const struct kg_spec *s, bool own)
{
    (void)s;
    kg_line(g, "$f v = powers@;");
    kg_row_own(g, s, "v", own);
    kg_line(g, g->guarded ? "part += halves_$f(v);" : "part += v;");
}

/* Largest element, powers and their sum, where vectors are guarded: from the first on a lane holds f32. */
static void powers_guarded(struct kg *g, const struct kg_spec *s)
{
    kg_note(g, "The largest element.");
    kg_line(g, "$f powers@@;");
    kg_each(g);
    kg_line(g, "powers@ = widen_$x(values@);");
    kg_each_end(g);
    kg_line(g, "float top = -__builtin_inff();");
    kg_each(g);
    kg_line(g, "if (inside@)");
    kg_line(g, "    top = highest_$f(top, powers@);");
    kg_each_end(g);
    kg_row_reduce(g, s, "top", &kg_most);
    about(g);
    kg_blank(g);

    kg_note(g, "Powers, and their sum.");
    kg_each(g);
    kg_line(g, "powers@ = power_$f((powers@ - about) * factor);");
    kg_each_end(g);
    kg_line(g, "f32x2 part = 0;");
    kg_row_sweep(g, s, NULL, sum_powers);
    kg_line(g, "float sum = part.x + part.y;");
}

static void emit_resident(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    mask(g, s);
    kg_row_anchor(g, s);
    kg_row_places(g, s);

    kg_note(g, "The only read of the row.");
    kg_row_load(g, s, "values", false);
    hide(g, s);
    kg_row_keep_packed(g, s, "values");
    kg_blank(g);

    if (g->guarded) {
        powers_guarded(g, s);
    } else {
        kg_note(g, "The largest element.");
        kg_line(g, "float top = -__builtin_inff();");
        kg_each(g);
        kg_line(g, "top = larger(top, most_$f(widen_$x(values@)));");
        kg_each_end(g);
        kg_row_keep_packed(g, s, "values");
        kg_row_reduce(g, s, "top", &kg_most);
        about(g);
        kg_blank(g);

        kg_note(g, "Powers, and their sum.");
        kg_line(g, "$f powers@@;");
        kg_each(g);
        kg_line(g, "powers@ = power_$f((widen_$x(values@) - about) * factor);");
        kg_each_end(g);
        kg_line(g, "$f part = 0;");
        kg_row_sweep(g, s, "part = 0;", sum_powers);
        kg_line(g, "float sum = sum_$f(part);");
    }
    kg_row_reduce(g, s, "sum", &kg_sum);
    inverse(g);

    if (g->guarded) {
        kg_each(g);
        kg_open(g, "if (inside@)");
        kg_line(g, "const $o out = narrow_$o(powers@ * inverse);");
        kg_row_store(g, s, "out");
        kg_close(g);
        kg_each_end(g);
        return;
    }
    kg_each_scope(g);
    kg_line(g, "const $o out = narrow_$o(powers@ * inverse);");
    kg_row_store(g, s, "out");
    kg_each_scope_end(g);
}

/* Whether powers are taken of exponents; see above. */
static bool by_exponents(const struct kg *g, const struct kg_spec *s)
{
    return g->aligned && s->op->leaves_rows;
}

static void sum_powers_of_exponents(struct kg *g)
{
    kg_each_scope(g);
    kg_open(g, "if (moved@ == 0)");
    kg_line(g, "const float high = larger(all.top, most_$x(values@) * factor);");
    kg_line(g, "const $f v = power_$f(exponents_$f(widen_$x(values@), factor, high));");
    kg_line(g, "all = {high, all.sum * power_of_2(all.top - high) + sum_$f(v)};");
    kg_close(g);
    kg_each_scope_end(g);
}

static void sum_chunk(struct kg *g, const struct kg_spec *s, bool own)
{
    kg_row_widened(g, s, "v", "values@", own);
    kg_line(g, "v = power_$f((v - near) * factor);");
    kg_row_own(g, s, "v", own);
    kg_line(g, "part += v;");
}

static void emit_loop(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    mask(g, s);
    kg_row_anchor(g, s);

    kg_note(g, "First read: top and sum of what this lane has seen.");
    const bool exponents = by_exponents(g, s);
    kg_line(g, exponents ? "peak all = {-0x1p24f, 0};" : "peak all = {-__builtin_inff(), 0};");
    kg_row_loop(g, s);
    kg_row_load(g, s, "values", false);
    hide(g, s);
    kg_row_keep_packed(g, s, "values");
    if (exponents) {
        sum_powers_of_exponents(g);
    } else if (kg_row_apart(g, s) || kg_row_strided(g, s)) {
        kg_note(g, "A vector at a time: more would have to be kept.");
        kg_each_scope(g);
        kg_line(g, "const float high = larger(all.top, most_$f(widen_$x(values@)));");
        kg_line(g, "const float near = high == -__builtin_inff() ? 0 : high;");
        kg_line(g, "$f v = power_$f((widen_$x(values@) - near) * factor);");
        kg_row_own(g, s, "v", true);
        kg_line(g, "all = {high, all.sum * away(all.top, high, factor) + sum_$f(v)};");
        kg_each_scope_end(g);
    } else {
        kg_line(g, "float high = all.top;");
        kg_each(g);
        kg_line(g, "high = larger(high, most_$f(widen_$x(values@)));");
        kg_each_end(g);
        kg_row_keep_packed(g, s, "values");
        kg_line(g, "const float near = high == -__builtin_inff() ? 0 : high;");
        kg_line(g, "$f part = 0;");
        kg_row_sweep(g, s, "part = 0;", sum_chunk);
        kg_line(g, "all = {high, all.sum * away(all.top, high, factor) + sum_$f(part)};");
    }
    kg_close(g);
    kg_row_reduce(g, s, "all", exponents ? &kg_exponents : &kg_peak);
    if (exponents) {
        kg_line(g, "if (!(all.top > -0x1p24f && all.top < 0x1p24f))");
        kg_line(g, "    return false;");
        kg_line(g, "const float inverse = reciprocal(all.sum);");
        kg_blank(g);
    } else {
        kg_line(g, "const float top = all.top, sum = all.sum;");
        about(g);
        inverse(g);
    }

    kg_note(g, "Second read.");
    kg_row_loop(g, s);
    kg_row_load(g, s, "values", true);
    hide(g, s);
    kg_each_scope(g);
    kg_line(g, exponents ? "const $o out = narrow_$o(power_$f(exponents_$f(widen_$x(values@), factor, all.top)) * inverse);"
                         : "const $o out = narrow_$o(power_$f((widen_$x(values@) - about) * factor) * inverse);");
    kg_row_store(g, s, "out");
    kg_each_scope_end(g);
    kg_close(g);
}

static void arrived(struct kg *g, const struct kg_spec *s)
{
    mask(g, s);
    hide(g, s);
}

static void measure(struct kg *g, const struct kg_spec *s)
{
    kg_line(g, "float high = -__builtin_inff();");
    kg_each(g);
    kg_line(g, "high = larger(high, most_$x(values@));");
    kg_each_end(g);
    kg_line(g, "const float near = high == -__builtin_inff() ? 0 : high;");
    kg_line(g, "$f part = 0;");
    kg_row_sweep(g, s, NULL, sum_chunk);
    kg_line(g, "peak all = {high, sum_$f(part)};");
    kg_shared_reduce(g, s, "all", &kg_peak);
}

static void write_shared(struct kg *g, const struct kg_spec *s)
{
    kg_line(g, "const float top = all.top, sum = all.sum;");
    about(g);
    inverse(g);
    kg_each_scope(g);
    kg_line(g, "const $o out = narrow_$o(power_$f((widen_$x(values@) - about) * factor) * inverse);");
    kg_row_store(g, s, "out");
    kg_each_scope_end(g);
}

static void emit_shared(struct kg *g, const struct kg_spec *s)
{
    static const struct kg_shared op = {&kg_peak, "all", NULL, arrived, measure, write_shared};
    kg_shared_emit(g, s, &op);
}

static void emit(struct kg *g, const struct kg_spec *s)
{
    kg_row_emit(g, s, s->tile.cluster ? emit_shared : s->tile.loop ? emit_loop : emit_resident);
}

const struct kg_op kg_op_softmax = {
    .name = "softmax",
    .family = "softmax",
    .weightless = true,
    .light = true,
    .again_lanes = 1024,
    .leaves_rows = true,
    .outside = "-__builtin_inff()",
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .variants = variants,
    .legal = legal,
    .emit = emit,
    .explain = kg_row_explain,
};
