/* SPDX-License-Identifier: MIT */
/* Rows that several workgroups share; see shared.h. */
#include "shared.h"

#include <stdio.h>

/* A vector of two rows, its place, parameters; the rest is the arithmetic of a vector. */
unsigned kg_shared_registers(const struct kg_spec *s, unsigned held)
{
    return (9 + 4 * held) * s->tile.vectors + 32;
}

void kg_shared_reduce(struct kg *g, const struct kg_spec *s, const char *name, const struct kg_reduction *r)
{
    struct kg_spec wave = *s;
    wave.tile.cluster = 0;
    wave.tile.threads = s->arch->wave;
    kg_row_reduce(g, &wave, name, r);
}

/* Row `row`'s vectors into `name`@, its first element into `first`. */
static void ask(struct kg *g, const struct kg_spec *s, const char *row, const char *name, const char *first)
{
    kg_line(g, "const %s *x_row = x + times(%s, ldx);", kg_dtypes[s->in].token, row);
    kg_row_load_into(g, s, "x", name, false);
    kg_line(g, "%s = x_row[0];", first);
}

/* What the wave found becomes the row's. */
static void share(struct kg *g, const struct kg_spec *s, const struct kg_shared *op)
{
    const unsigned wave = s->arch->wave, waves = s->tile.threads / wave;
    const struct kg_reduction *stat = op->stat;
    g->stage = "share";
    kg_line(g, "if (work_item_id() == 0)");
    kg_line(g, "    expect_bytes(&gates[turn & 1], %u);", waves * stat->bytes);
    kg_line(g, "if (lane %% %u < %u)", wave, s->tile.cluster);
    kg_line(g, "    give_through(&gates[turn & 1], &of_wave[turn & 1][lane / %u], lane %% %u, &%s, %u);", wave, wave, op->name,
            stat->bytes / 4);
    kg_line(g, "wait_gate(&gates[turn & 1], turn >> 1 & 1);");
    kg_line(g, "%s = of_wave[turn & 1][lane %% %u];", op->name, waves < wave ? waves : wave);
    for (unsigned i = wave; i < waves; i += wave) {
        char joined[128], other[64];
        snprintf(other, sizeof other, "of_wave[turn & 1][%u + lane %% %u]", i, wave);
        snprintf(joined, sizeof joined, stat->join, op->name, other);
        kg_line(g, "%s = %s;", op->name, joined);
    }
    kg_shared_reduce(g, s, op->name, stat);
    kg_blank(g);
}

void kg_shared_emit(struct kg *g, const struct kg_spec *s, const struct kg_shared *op)
{
    const unsigned cluster = s->tile.cluster, waves = s->tile.threads / s->arch->wave;
    const char *type = kg_dtypes[s->in].token;
    const bool ahead = g->aligned; /* single elements leave no registers for a second row */
    char place[64];
    g->stage = "program";
    kg_note(g, "%u workgroups a row. They go on from row to row.", cluster);
    kg_row_lane(s, place, sizeof place);
    kg_line(g, "const int lane = %s;", place);
    kg_line(g, "const int program = %s, programs = workgroups() / %u;", kg_row_group(s, place, sizeof place), cluster);
    kg_note(g, "What the row's waves found, and the gates it comes through; used in turn, for a wave may be a row ahead.");
    kg_line(g, "__shared__ __attribute__((aligned(16))) %s of_wave[2][%u];", op->stat->type, waves);
    kg_line(g, "__shared__ unsigned long gates[2];");
    g->lds += 2 * op->stat->bytes * waves + 16;
    kg_line(g, "if (work_item_id() == 0)");
    kg_line(g, "    open_gates(gates, 2);");
    kg_row_meet(g, s);
    kg_row_anchor(g, s);
    kg_row_places(g, s);
    if (op->once)
        op->once(g, s);
    if (ahead) {
        kg_note(g, "The next row is asked for before the work on the one that is here.");
        kg_line(g, "$x next_values@@;");
        kg_line(g, "%s next_first;", type);
        kg_open(g, "if (program < rows)");
        ask(g, s, "program", "next_values", "next_first");
        kg_close(g);
    }
    kg_line(g, "int turn = 0;");
    kg_open(g, "for (long row = program; row < rows; row += programs, turn++)");
    kg_line(g, "%s *y_row = y + times(row, ldy);", kg_dtypes[s->out].token);
    kg_line(g, "$x values@@;");
    kg_line(g, "%s first;", type);
    if (ahead) {
        kg_each(g);
        kg_line(g, "values@ = next_values@;");
        kg_each_end(g);
        kg_line(g, "first = next_first;");
        kg_open(g, "if (row + programs < rows)");
        ask(g, s, "row + programs", "next_values", "next_first");
        kg_close(g);
    } else {
        ask(g, s, "row", "values", "first");
    }
    op->arrived(g, s);
    kg_row_keep_packed(g, s, "values");
    kg_blank(g);

    kg_note(g, "The wave's part, then the row's.");
    op->measure(g, s);
    kg_row_keep_packed(g, s, "values");
    share(g, s, op);
    op->write(g, s);
    kg_close(g);
}
