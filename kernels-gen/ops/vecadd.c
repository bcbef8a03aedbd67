/* SPDX-License-Identifier: MIT */
/*
 * Sum of two vectors: y = a + b, rounded once.
 *
 * A workgroup has a piece of all three, which starts at a cache line of a. Within it each access takes 16
 * bytes; the vectors that the ends of y cut through are added one element at a time, so that an element
 * belongs to one work-item whatever lies where, and y may be a or b.
 *
 * Registers: 8 dwords a vector. LDS: none.
 */
#include "../rowwise.h"

#include <stdio.h>

static const struct kg_arg args[] = {
    {"a", KG_ARG_IN, KG_OF_IN, false, NULL},
    {"b", KG_ARG_IN, KG_OF_IN, false, NULL},
    {"y", KG_ARG_OUT, KG_OF_OUT, false, NULL},
    {"n", KG_ARG_I64, KG_OF_F32, false, NULL},
};

static const enum kg_type types[] = {KG_F32, KG_F16, KG_BF16};

/* The last one is for whatever fills the machine. */
static const struct kg_rowwise tiles[] = {
    /* rows threads vectors */
    {1, 256, 1},
    {1, 256, 4},
};

/* Where memory takes vectors only at multiples of their size. */
static const struct kg_rowwise elements[] = {
    {1, 256, 2, .vec = 1},
    {1, 256, 8, .vec = 1},
};

static const char *legal(const struct kg_spec *s)
{
    return kg_row_legal(s, 12 * s->tile.vectors + 20);
}

static void variants(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        const struct kg_spec s = {.op = op, .arch = arch, .in = types[t], .weight = types[t], .out = types[t]};
        if (kg_isa_of(arch)->any_alignment)
            kg_row_offer(s, tiles, sizeof tiles / sizeof *tiles, visit, with);
        else
            kg_row_offer(s, elements, sizeof elements / sizeof *elements, visit, with);
    }
}

static void place(struct kg *g, const struct kg_spec *s)
{
    const char *type = kg_dtypes[s->in].token;
    const unsigned piece = kg_spec_max_cols(s), line = kg_isa_of(s->arch)->line;
    g->stage = "place";
    kg_note(g, "Pieces of %u elements, the first from the cache line in which a starts.", piece);
    kg_line(g, "const int lane = work_item_id();");
    kg_line(g, "const int before = (unsigned long)a %% %u / %u;", line, kg_dtypes[s->in].bits / 8);
    kg_line(g, "const long first = workgroup_id() * %uL - before;", piece);
    kg_line(g, "const int start = first < 0 ? before : 0;");
    kg_line(g, "const int end = n - first < %u ? (int)(n - first) : %u;", piece, piece);
    kg_line(g, "const %s *a_row = a + first;", type);
    kg_line(g, "const %s *b_row = b + first;", type);
    kg_line(g, "%s *y_row = y + first;", type);
    kg_line(g, "int at@@, moved@@;");
    kg_each(g);
    kg_line(g, s->tile.vectors == 1 ? "at@ = $n * lane;" : "at@ = $n * (j * %u + lane);", s->tile.threads);
    kg_line(g, "moved@ = at@ >= start && at@ + $n <= end ? 0 : -$n;");
    kg_each_end(g);
    kg_line(g, "const bool whole = start == 0 && end == %u;", piece);
    kg_blank(g);
}

static void body(struct kg *g, const struct kg_spec *s)
{
    place(g, s);
    kg_row_load_from(g, s, "a", "left", true);
    kg_row_load_from(g, s, "b", "right", true);
    kg_each(g);
    kg_line(g, "left@ = added_$x(left@, right@);");
    kg_each_end(g);
    kg_row_store_all(g, s, "left@");

    if (s->tile.vec == 1)
        return;
    kg_blank(g);
    kg_note(g, "What no whole vector covers.");
    kg_open(g, "if (!whole)");
    kg_each(g);
    kg_line(g, "const int last = moved@ ? least(at@ + $n, end) : 0;");
    kg_line(g, "for (int i = at@ < start ? start : at@; i < last; i++)");
    kg_line(g, "    y_row[i] = (%s)((float)a_row[i] + (float)b_row[i]);", kg_dtypes[s->in].token);
    kg_each_end(g);
    kg_close(g);
}

static void emit(struct kg *g, const struct kg_spec *s)
{
    kg_row_emit(g, s, body);
}

static void explain(struct kg_buf *out, const struct kg_spec *s)
{
    kg_buf_printf(out, "%u elements a workgroup of %u work-items", kg_spec_max_cols(s), s->tile.threads);
}

static void tile(const struct kg_spec *s, char *out, size_t room)
{
    snprintf(out, room, s->tile.vec == 1 ? "t%uv%u_e1" : "t%uv%u", s->tile.threads, s->tile.vectors);
}

/* Any number of elements. */
static void row(struct kg_buf *out, const struct kg_spec *s)
{
    kg_buf_printf(out, ".rowwise = {.rows = 1, .threads = %u, .vectors = %u, .vec = %u, .passes = 1}", s->tile.threads,
                  s->tile.vectors, s->tile.vec);
}

const struct kg_op kg_op_vecadd = {
    .name = "vecadd",
    .family = "vecadd",
    .weightless = true,
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .variants = variants,
    .legal = legal,
    .emit = emit,
    .tile = tile,
    .row = row,
    .explain = explain,
};
