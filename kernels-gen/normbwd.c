/* SPDX-License-Identifier: MIT */
/* Gradients of the norms; see normbwd.h. */
#include "normbwd.h"

#include <stdio.h>

/* Rows that share a workgroup have at most a wave each: a wave may have a row more than the next. */
static const struct kg_rowwise of_64[] = {
    /* rows threads vectors */
    {64, 4, 1}, {32, 8, 1}, {16, 16, 1}, {8, 32, 1}, {8, 32, 2}, {8, 32, 3}, {4, 64, 2}, {4, 64, 3},
    {1, 256, 1}, {1, 256, 2}, {1, 256, 3}, {1, 512, 2}, {1, 512, 3}, {1, 512, 4},
};
static const struct kg_rowwise of_32[] = {
    {32, 8, 1}, {16, 16, 1}, {8, 32, 1}, {8, 32, 2}, {8, 32, 3}, {4, 32, 4}, {4, 32, 6},
    {1, 256, 1}, {1, 256, 2}, {1, 512, 2}, {1, 512, 4},
};
/* NVIDIA's. */
static const struct kg_rowwise of_ptx[] = {
    {32, 8, 1}, {16, 16, 1}, {8, 32, 1}, {4, 32, 2}, {8, 32, 3}, {4, 32, 4}, {4, 32, 6},
    {1, 256, 1}, {1, 256, 2}, {1, 512, 2}, {1, 512, 4},
};
static const struct kg_rowwise tiles[] = {
    {1, 1024, 2, .cluster = 2}, {1, 2048, 2, .cluster = 4}, {1, 4096, 2, .cluster = 8},
    {1, 512, 1, .loop = true},
    {32, 8, 1, .vec = 1},
};
/* Of f32 on CDNA. */
static const struct kg_rowwise of_64_wide = {1, 1024, 3};
/* Lanes, each with `vec` places of partial, and programs at a time. */
static const struct kg_rowwise sum_tile = {64, 4, 1, .vec = 4, .sum = true};
static const struct kg_rowwise wide_sum_tile = {32, 16, 1, .vec = 4, .sum = true};
static const struct kg_rowwise any_row = {1, 256, 4, .vec = 1, .loop = true};

/* Of single elements, all of a lane's in registers, for rows of 16-bit types whose width is no multiple of a vector
 * where memory takes vectors at multiples of their size only. */
static const struct kg_rowwise odd_tiles[] = {
    {8, 32, 16, .vec = 1}, {8, 32, 26, .vec = 1}, {8, 32, 32, .vec = 1}, {1, 256, 8, .vec = 1},
    {1, 256, 12, .vec = 1}, {1, 256, 16, .vec = 1}, {1, 512, 16, .vec = 1},
};

static const struct {
    enum kg_type in, weight;
} types[] = {
    {KG_F32, KG_F32}, {KG_F16, KG_F16}, {KG_BF16, KG_BF16}, {KG_F16, KG_F32}, {KG_BF16, KG_F32},
};

void kg_normbwd_variants(const struct kg_op *op, const struct kg_arch *arch, bool mixed,
                         void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        const struct kg_spec s = {.op = op, .arch = arch, .in = types[t].in, .weight = types[t].weight, .out = types[t].in};
        if (!mixed && s.weight != s.in)
            continue;
        if (arch->wave == 64) {
            kg_row_offer(s, of_64, sizeof of_64 / sizeof *of_64, visit, with);
            kg_row_offer(s, &of_64_wide, s.in == KG_F32, visit, with);
        } else if (kg_isa_of(arch)->resident_lanes) {
            kg_row_offer(s, of_ptx, sizeof of_ptx / sizeof *of_ptx, visit, with);
        } else {
            kg_row_offer(s, of_32, sizeof of_32 / sizeof *of_32, visit, with);
        }
        kg_row_offer(s, tiles, sizeof tiles / sizeof *tiles, visit, with);
        kg_row_offer(s, kg_isa_of(arch)->resident_lanes ? &wide_sum_tile : &sum_tile, 1, visit, with);
        kg_row_offer(s, &any_row, 1, visit, with);
        if (!kg_isa_of(arch)->any_alignment && kg_dtypes[s.in].bits == 16 && s.weight == s.in)
            kg_row_offer(s, odd_tiles, sizeof odd_tiles / sizeof *odd_tiles, visit, with);
    }
}

static bool by_elements(const struct kg_spec *s)
{
    return s->tile.vec == 1 && s->tile.vectors > 1 && !s->tile.loop;
}

/* Where registers would be short, a lane keeps x and dy of a column in one until it stores, and not h and g, and gamma
 * of two columns in one. */
static bool keeps_pairs(const struct kg_spec *s, bool centred)
{
    return s->tile.vectors == 16 || s->tile.vectors > 26 || (centred && s->tile.vectors > 16);
}

/* Where registers are shared out among workgroups few of these kernels are resident, and memory's latency must be
 * covered by what each asks for: the next row before the work on the one that is here. */
static bool room_ahead(const struct kg_spec *s)
{
    return kg_isa_of(s->arch)->resident_lanes && !s->tile.loop;
}

static bool asks_ahead(const struct kg *g, const struct kg_spec *s)
{
    return room_ahead(s) && g->aligned;
}

/* A vector of x, dy and dresidual, or two, gamma, its sums and place; the rest is the arithmetic of a vector. Of a
 * single element x and dy twice, dresidual and gamma, in registers of their own. */
unsigned kg_normbwd_registers(const struct kg_spec *s, bool centred)
{
    if (s->tile.sum)
        return 40;
    if (by_elements(s))
        return ((keeps_pairs(s, centred) ? 9 : 12) + (centred ? 4 : 2)) * s->tile.vectors / 2 + 16;
    const unsigned vec = s->tile.vec, packed = vec * kg_dtypes[s->in].bits / 32;
    const unsigned param = vec * kg_dtypes[s->weight].bits / 32;
    const unsigned sums = s->tile.loop ? 0 : centred ? 2 * vec : vec;
    /* Where rows share a workgroup, two sums of 16 elements leave no registers for what adds rows up. */
    const bool both = room_ahead(s) && centred && s->tile.rows > 1 && vec * s->tile.vectors == 16;
    const unsigned rows = room_ahead(s) ? 6 : 3, rest = both ? 76 : room_ahead(s) ? 28 : 50;
    return (rows * packed + param + sums + 2) * s->tile.vectors + rest;
}

const char *kg_normbwd_legal(const struct kg_spec *s, bool centred)
{
    if (s->tile.vec * s->tile.vectors > 32 && !s->tile.loop)
        return "the sums over rows of more than 32 elements leave too few registers";
    return kg_row_legal(s, kg_normbwd_registers(s, centred));
}

/* Rows that a sum in registers, or of the first row of partial where rows are long, has before it is added to one of sums:
 * equal terms, whose errors all point one way, lose up to a third of an ulp each. Where registers are shared out among
 * workgroups, adding to partial as often takes a sixth of the bandwidth; shared memory, where a lane has its sums by itself,
 * takes SUMS_KEPT of them before partial does. */
enum { SUMMED_ROWS = 16, SUMS_KEPT = 16 };

static bool many_waves(const struct kg_spec *s)
{
    return s->tile.threads > s->arch->wave;
}

/* Whether several rows share a wave where exchanges wait for all its lanes: none may leave before the others. */
static bool exchanges_with_all(const struct kg_spec *s)
{
    return s->tile.threads < s->arch->wave && kg_isa_of(s->arch)->exchanges_wait && !s->tile.sum;
}

/* Vectors are guarded where masks for each, and what is kept between sweeps, leave registers enough. */
static bool guards(const struct kg_spec *s)
{
    const unsigned vectors = s->tile.vectors;
    if (vectors == 4 && s->arch->wave == 32) /* masks of a lane in 32 take half the scalar registers */
        return kg_isa_of(s->arch)->any_alignment && s->tile.vec == 8 && s->tile.threads <= s->arch->wave;
    return kg_isa_of(s->arch)->any_alignment && s->tile.vec > 1 && vectors * s->tile.vec <= 24 &&
           !(s->tile.rows > 1 && vectors > 2 && s->tile.threads >= s->arch->wave);
}

/* Where the matrices that are read have row `row`. */
static void inputs(struct kg *g, const struct kg_spec *s, const char *row)
{
    const char *type = kg_dtypes[s->in].token;
    kg_line(g, "const %s *x_row = x + (%s) * ldx;", type, row);
    kg_line(g, "const %s *dy_row = dy + (%s) * lddy;", type, row);
    kg_line(g, "const %s *dresidual_row = dresidual + (%s) * lddr;", type, row);
}

/* Asks for a work-item's part of row `row`, if there is one: next_values, next_dys, next_more and the rest. */
static void ask(struct kg *g, const struct kg_spec *s, bool centred, const char *row)
{
    kg_open(g, "if (%s < rows)", row);
    inputs(g, s, row);
    kg_row_load_into(g, s, "x", "next_values", false);
    kg_row_load_into(g, s, "dy", "next_dys", false);
    kg_open(g, "if (dresidual)");
    kg_row_load_into(g, s, "dresidual", "next_more", false);
    kg_close(g);
    kg_line(g, "next_scale = rstd[%s + apart];", row);
    if (centred)
        kg_line(g, "next_middle = mean[%s + apart];", row);
    kg_close(g);
}

/* Lane and program of a work-item. */
static void begin_program(struct kg *g, const struct kg_spec *s)
{
    const struct kg_rowwise *t = &s->tile;
    g->stage = "program";
    kg_note(g, "A program has every `programs`-th %s.", t->rows == 1 ? "row" : "group of rows");
    char place[64];
    if (t->rows == 1) {
        kg_row_lane(s, place, sizeof place);
        kg_line(g, "const int lane = %s;", place);
        kg_row_meet(g, s);
    } else {
        kg_line(g, "const int lane = work_item_id() %% %u;", t->threads);
        kg_line(g, t->threads >= s->arch->wave ? "const int slot = of_wave(work_item_id() / %u);"
                                               : "const int slot = work_item_id() / %u;", t->threads);
    }
    kg_line(g, "const int program = %s;", kg_row_group(s, place, sizeof place));
    if (asks_ahead(g, s) || by_elements(s)) {
        kg_note(g, "0, but not known to be: ptxas would move what a wave loads from one place to uniform registers, and wait for it "
                   "before the work on the row that is here.");
        kg_line(g, "const int apart = lane * before;");
    }
    kg_line(g, "const float share = reciprocal((float)cols);");
    kg_blank(g);
}

/* Floats of a plane of LDS in which the rows of a workgroup are added up: so many that lanes of a wave which read
 * neighbouring planes meet no bank twice. */
static unsigned plane_of(const struct kg_spec *s)
{
    return kg_spec_block(s) + (s->tile.threads < s->arch->wave ? s->tile.threads : 0);
}

/* Bytes of LDS for the sums over rows of each lane. */
static unsigned long_sum_bytes(const struct kg_spec *s, bool centred)
{
    return (centred ? 8 : 4) * s->tile.vectors * s->tile.vec * kg_spec_block(s);
}

/* The same for adding up the rows of a workgroup. */
static unsigned added_bytes(const struct kg_spec *s)
{
    return s->tile.rows > 1 ? 4 * s->tile.vectors * s->tile.vec * plane_of(s) : 0;
}

/* Whether LDS takes up sums before partial does. */
static bool keeps_long_sums(const struct kg_spec *s, bool centred)
{
    enum { OF_ROWS = 2048 }; /* bytes for what waves exchange */
    const unsigned bodies = kg_spec_two_ways(s) ? 2 : 1;
    return room_ahead(s) && long_sum_bytes(s, centred) + bodies * (added_bytes(s) + OF_ROWS) <= s->arch->lds;
}

/* LDS for the sums over a row, and for those over rows. */
static void share_memory(struct kg *g, const struct kg_spec *s, bool centred)
{
    const struct kg_rowwise *t = &s->tile;
    if (t->rows > 1) {
        kg_line(g, "__shared__ float added[%u][%u];", t->vectors * t->vec, plane_of(s));
        g->lds += added_bytes(s);
    }
    if (keeps_long_sums(s, centred)) {
        kg_line(g, "$f *own_sums = long_sums + work_item_id();");
        kg_line(g, "int sums_kept = 0;");
    }
    if (many_waves(s)) {
        kg_line(g, "__shared__ %s total_of_wave[2][%u];", centred ? "sums" : "float", t->threads / s->arch->wave);
        g->lds += (centred ? 16 : 8) * t->threads / s->arch->wave;
        kg_line(g, "int turn = 0;");
    }
}

/* Sums over rows that start anew. */
static void start_sums(struct kg *g, bool centred, bool declare)
{
    if (declare)
        kg_line(g, "$f dgammas@@%s;", centred ? ", dbetas@@" : "");
    kg_each(g);
    kg_line(g, g->guarded ? "dgammas@ = zero_$f();" : "dgammas@ = 0;");
    if (centred)
        kg_line(g, g->guarded ? "dbetas@ = zero_$f();" : "dbetas@ = 0;");
    kg_each_end(g);
}

/* Elements of a lane's share of the sums of a workgroup whose rows are added up. */
static unsigned steps_of(const struct kg_spec *s)
{
    return (s->tile.vectors * s->tile.vec + s->tile.rows - 1) / s->tile.rows;
}

/* What is lost there is kept where registers for it do not cost residents. */
static bool keeps_rest(const struct kg_spec *s)
{
    return !room_ahead(s);
}

/* The loops over a program's rows, with sums over them that start in each turn of the outer one from what the last one
 * lost; `row`. */
static void open_rows(struct kg *g, const struct kg_spec *s, bool centred)
{
    if (s->tile.rows > 1) {
        if (keeps_rest(s))
            kg_line(g, "float dgamma_rest[%u] = {};", steps_of(s));
        if (keeps_rest(s) && centred)
            kg_line(g, "float dbeta_rest[%u] = {};", steps_of(s));
        kg_open(g, "while (first < rows)");
        start_sums(g, centred, true);
    } else {
        start_sums(g, centred, true);
        kg_open(g, "while (first < rows)");
    }
    kg_open(g, "for (int i = 0; i < %u && first < rows; i++, first += programs * %uL)", SUMMED_ROWS, s->tile.rows);
    kg_line(g, s->tile.rows > 1 ? "const long row = first + slot;" : g->guarded ? "const long row = anew(first);" : "const long row = first;");
    if (exchanges_with_all(s)) {
        kg_note(g, "Beyond the last row a lane has nothing, but goes on: its wave's exchanges take all lanes.");
        kg_line(g, "const bool there = row < rows;");
        kg_each(g);
        kg_line(g, "moved@ = there ? moved@ : $n;");
        kg_each_end(g);
    } else if (s->tile.rows > 1) {
        kg_line(g, "if (row >= rows)");
        kg_line(g, "    continue;");
    }
}

/* Row, lane and columns of a work-item: all but the row stay the same for all rows of the program. */
static void begin(struct kg *g, const struct kg_spec *s, bool centred)
{
    const struct kg_rowwise *t = &s->tile;
    const char *type = kg_dtypes[s->in].token;
    begin_program(g, s);
    if (!t->loop) {
        kg_line(g, "int at@@, moved@@;");
        kg_each(g);
        if (kg_row_strided(g, s)) {
            kg_line(g, t->vectors == 1 ? "at@ = lane;" : "at@ = $n * %u * j + lane;", t->threads);
            kg_line(g, "moved@ = $n - clamp((cols - at@ + %u) / %u, 0, $n);", t->threads - 1, t->threads);
        } else {
            kg_line(g, t->vectors == 1 ? "const int place = $n * lane - before;"
                                       : "const int place = $n * (j * %u + lane) - before;", t->threads);
            kg_line(g, "at@ = within(place, cols - $n);");
            kg_line(g, "moved@ = at@ - place;");
        }
        kg_each_end(g);
        kg_line(g, "int any = 0;");
        kg_each(g);
        kg_line(g, "any |= moved@;");
        kg_each_end(g);
        kg_line(g, "const bool whole = zero_in_wave(any);");
        if (guards(s)) {
            kg_row_insides(g, s);
            kg_line(g, "bool edges = false;");
            kg_each(g);
            kg_line(g, "edges |= edged@;");
            kg_each_end(g);
        }
        kg_row_param(g, s, "gamma", "scales", "1");
    }
    share_memory(g, s, centred);
    if (t->loop) {
        kg_line(g, "float *kept = partial + program * stride;");
        kg_line(g, "int begun = 0;");
    }
    kg_blank(g);

    if (!t->loop) {
        kg_note(g, "Sums of %u rows at a time go to partial, which gives back what it loses: longer ones would add up more rounding.", SUMMED_ROWS);
        kg_line(g, "bool fresh = true;");
        kg_line(g, t->rows == 1 ? "long first = program;" : "long first = program * %uL;", t->rows);
        if (exchanges_with_all(s)) {
            kg_line(g, "int placed@@;");
            kg_each(g);
            kg_line(g, "placed@ = moved@;");
            kg_each_end(g);
        }
        if (asks_ahead(g, s)) {
            kg_note(g, "The next row is asked for before the work on the one that is here.");
            kg_line(g, "$x next_values@@, next_dys@@, next_more@@;");
            kg_line(g, centred ? "float next_scale = 0, next_middle = 0;" : "float next_scale = 0;");
            ask(g, s, centred, t->rows == 1 ? "first" : "first + slot");
        }
        open_rows(g, s, centred);
    } else {
        kg_open(g, "for (long row = program; row < rows; row += programs)");
    }
    kg_line(g, "%s *y_row = y + row * ldy;", type);
    if (asks_ahead(g, s)) {
        kg_line(g, centred ? "const float scale = next_scale, middle = next_middle;" : "const float scale = next_scale;");
        return;
    }
    const char *from = exchanges_with_all(s) ? "there ? row : rows - 1" : "row";
    inputs(g, s, from);
    kg_line(g, "const float scale = rstd[%s];", from);
    if (centred)
        kg_line(g, g->guarded ? "const float less_middle = -mean[%s];" : "const float middle = mean[%s];", from);
}

/* The widest tile has no registers for dresidual beside the sums: it loads a vector when it stores one. Where a
 * row has whole waves, vectors that share columns lie in one wave's access, so none is loaded after it was
 * overwritten, and dresidual may be dx. */
static bool loads_late(const struct kg *g, const struct kg_spec *s)
{
    return !s->tile.loop && s->tile.vectors == 4 && !asks_ahead(g, s);
}

static void load_residual(struct kg *g, const struct kg_spec *s, bool guarded)
{
    kg_line(g, "$x more@@;");
    kg_open(g, "if (dresidual)");
    kg_row_load_into(g, s, "dresidual", "more", guarded);
    kg_close(g);
}

/* `$f d` and `$f h` of the vectors x and dy. */
static void normalise(struct kg *g, bool centred, const char *x, const char *dy)
{
    kg_line(g, "$f d = widen_$x(%s);", dy);
    if (g->guarded)
        kg_line(g, centred ? "$f h = times_all_$f(plus_all_$f(widen_$x(%s), less_middle), scale);"
                           : "$f h = times_all_$f(widen_$x(%s), scale);", x);
    else
        kg_line(g, centred ? "$f h = (widen_$x(%s) - middle) * scale;" : "$f h = widen_$x(%s) * scale;", x);
}

static void normalised(struct kg *g, bool centred)
{
    normalise(g, centred, "values@", "dys@");
}

/* Where vectors are guarded and a lane has few, it keeps what it made of them until it stores: hs@ and gs@. */
static bool holds(const struct kg *g, const struct kg_spec *s)
{
    return g->guarded && s->tile.vectors * s->tile.vec <= 24;
}

/* The same as sweep, where vectors are guarded. */
static void guarded_sweep(struct kg *g, const struct kg_spec *s, bool centred)
{
    const bool held = holds(g, s);
    if (held)
        kg_line(g, "$f hs@@, gs@@;");
    kg_each_scope(g);
    kg_note(g, "Through variables: the compiler takes an array with parts that may not be written as one value.");
    kg_line(g, "$f dgamma_sum = dgammas@;");
    if (centred)
        kg_line(g, "$f dbeta_sum = dbetas@;");
    if (!held)
        kg_open(g, "if (inside@)");
    normalised(g, centred);
    kg_line(g, "$f g = d * widen_$w(scales`);");
    kg_open(g, "if (edged@)");
    kg_line(g, "const int moved_now = local(moved@);");
    kg_line(g, "d = mine_$f(d, moved_now), h = mine_$f(h, moved_now), g = mine_$f(g, moved_now);");
    kg_close(g);
    if (held) {
        kg_line(g, "hs@ = h;");
        kg_line(g, "gs@ = g;");
        kg_open(g, "if (inside@)");
    }
    kg_line(g, "dgamma_sum += d * h;");
    if (centred) {
        kg_line(g, "dbeta_sum += d;");
        kg_line(g, "first_sum += halves_$f(g);");
    }
    kg_line(g, "add_products_$f(second_sum, g, h);");
    kg_close(g);
    kg_line(g, held ? "dgammas@ = packed_$f(dgamma_sum);" : "dgammas@ = dgamma_sum;");
    if (centred)
        kg_line(g, held ? "dbetas@ = packed_$f(dbeta_sum);" : "dbetas@ = dbeta_sum;");
    kg_each_scope_end(g);
    if (!held)
        return;
    kg_note(g, "What was left out is stored all the same. Made again, before anything is stored: kept, it would take copies.");
    kg_each_scope(g);
    kg_line(g, "$f h_here = hs@, g_here = gs@;");
    kg_open(g, "if (edged@ && moved@ != 0)");
    kg_line(g, "$x again, dy_again;");
    kg_row_load_one(g, s, "x", "again");
    kg_row_load_one(g, s, "dy", "dy_again");
    normalise(g, centred, "again", "dy_again");
    kg_line(g, "h_here = h;");
    kg_line(g, "g_here = d * widen_$w(scales`);");
    kg_close(g);
    kg_line(g, "hs@ = h_here;");
    kg_line(g, "gs@ = g_here;");
    kg_each_scope_end(g);
}

/* What a vector adds to the sums over its row, and over the rows where registers hold those. */
static void sweep(struct kg *g, const struct kg_spec *s, bool centred)
{
    const bool apart = kg_row_apart(g, s);
    if (g->guarded) {
        guarded_sweep(g, s, centred);
        return;
    }
    kg_each_scope(g);
    if (apart)
        kg_open(g, "if (moved@ == 0)");
    normalised(g, centred);
    if (!apart) {
        kg_row_own_part(g, s, "d");
        kg_row_own_part(g, s, "h");
    }
    if (!s->tile.loop) {
        kg_line(g, "dgammas@ += d * h;");
        if (centred)
            kg_line(g, "dbetas@ += d;");
    }
    kg_line(g, "d *= widen_$w(scales`);");
    if (centred)
        kg_line(g, "first_sum += d;");
    kg_line(g, "second_sum += d * h;");
    if (apart)
        kg_close(g);
    kg_each_scope_end(g);
    if (!room_ahead(s))
        return;
    kg_note(g, "Done here: later, d and h of all vectors would have to be kept.");
    kg_each(g);
    kg_line(g, "dgammas@ = settled_$f(dgammas@);");
    if (centred)
        kg_line(g, "dbetas@ = settled_$f(dbetas@);");
    if (kg_dtypes[s->weight].bits < 32 && s->tile.vec > 1)
        kg_line(g, "scales` = packed_$w(scales`);");
    kg_each_end(g);
}

/* `total`, a lane's sums, becomes the row's means c1 and c2. The LDS has two places, used in turn: a wave that is
 * a row ahead cannot overwrite what another has not read. */
static void reduce(struct kg *g, const struct kg_spec *s, bool centred)
{
    static const struct kg_reduction both = {"sums", "add_sums(%s, %s)", "_sums", 8, true};
    const unsigned wave = s->arch->wave, waves = s->tile.threads / wave;
    struct kg_reduction how = centred ? both : kg_sum;
    struct kg_spec part = *s;
    part.tile.cluster = 0;
    if (many_waves(s))
        part.tile.threads = wave;
    kg_row_reduce(g, &part, "total", &how);
    if (many_waves(s)) {
        char place[64];
        snprintf(place, sizeof place, "total_of_wave[turn][lane / %u]", wave);
        if (s->tile.cluster) {
            kg_row_share(g, s, place, "total", centred ? 8 : 4);
        } else {
            kg_line(g, "if (lane %% %u == 0)", wave);
            kg_line(g, "    %s = total;", place);
            kg_line(g, "barrier();");
        }
        kg_line(g, "total = total_of_wave[turn][lane %% %u];", waves > wave ? wave : waves);
        for (unsigned more = wave; more < waves; more += wave) {
            char other[64], joined[96];
            snprintf(other, sizeof other, "total_of_wave[turn][lane %% %u + %u]", wave, more);
            snprintf(joined, sizeof joined, how.join, "total", other);
            kg_line(g, "total = %s;", joined);
        }
        part.tile.threads = waves > wave ? wave : waves;
        how.sum = false; /* what a wave holds now is no sum of its lanes */
        kg_row_reduce(g, &part, "total", &how);
        kg_line(g, "turn ^= 1;");
    }
    if (g->guarded)
        kg_line(g, centred ? "const float less_c1 = -(total.first * share), less_c2 = -(total.second * share);"
                           : "const float less_c2 = -(total * share);");
    else
        kg_line(g, centred ? "const float c1 = total.first * share, c2 = total.second * share;" : "const float c2 = total * share;");
}

/* Stores, or adds, element e of a vector's two terms where it lies in partial, `byte` behind what `to` is for the
 * first element. */
static void keep_terms(struct kg *g, const struct kg_spec *s, bool centred, const char *gamma_term,
                       const char *beta_term)
{
    const char *element = s->tile.vec == 1 ? "" : "[e]";
    kg_line(g, "#pragma unroll");
    kg_open(g, kg_row_strided(g, s) ? "for (int e = 0; e < $n; e++)" : "for (int e = 0; e < $n; e++, byte += 4 * plane)");
    kg_line(g, "if ((unsigned)(to + e) >= $n)");
    kg_line(g, "    continue;");
    if (kg_row_strided(g, s)) {
        kg_line(g, "const int column = at@ + e * %u;", s->tile.threads);
        kg_line(g, "const long byte = 4 * (column %% $n * (long)plane + column / $n);");
    }
    if (s->tile.loop) {
        kg_line(g, "if (wants & 1)");
        kg_line(g, "    keep_far(kept, byte, to_total, %s%s, phase);", gamma_term, element);
        if (centred) {
            kg_line(g, "if (wants & 2)");
            kg_line(g, "    keep_far(kept + $nL * lanes, byte, to_total, %s%s, phase);", beta_term, element);
        }
    } else {
        kg_line(g, "if (dgamma)");
        kg_line(g, "    %s%s = keep(kept, byte, %s%s, atomic, fresh);", gamma_term, element, gamma_term, element);
        if (centred) {
            kg_line(g, "if (dbeta)");
            kg_line(g, "    %s%s = keep(kept + $nL * lanes, byte, %s%s, atomic, fresh);", beta_term, element, beta_term, element);
        }
    }
    kg_close(g);
}

static void write_row(struct kg *g, const struct kg_spec *s, bool centred)
{
    kg_each_scope(g);
    if (g->guarded)
        kg_open(g, "if (inside@)");
    if (holds(g, s))
        kg_line(g, "const $f h = hs@;");
    else
        normalised(g, centred);
    if (s->tile.loop) {
        kg_note(g, "The sums over rows lie in memory, each element with the lane that adds to it.");
        kg_open(g, "if (partial)");
        kg_note(g, "In vector registers: with masks for each, scalar ones would not do.");
        kg_line(g, "const int phase = local((begun ? 2 : 0) | (atomic && begun %% %u == 0 ? 1 : 0));", SUMMED_ROWS);
        kg_line(g, centred ? "const int wants = local((dgamma ? 1 : 0) | (dbeta ? 2 : 0));"
                           : "const int wants = local(dgamma ? 1 : 0);");
        kg_line(g, "const long plane = local(lanes);");
        kg_line(g, "const long to_total = %u * $n * plane * local(atomic);", centred ? 8 : 4);
        kg_line(g, "const int to = local(moved@);");
        if (!kg_row_strided(g, s))
            kg_line(g, "long byte = 4 * (plane * to + (at@ - to + before) / $n);");
        kg_line(g, "const $f product = d * h;");
        keep_terms(g, s, centred, "product", "d");
        kg_close(g);
    }
    kg_line(g, holds(g, s) ? "const $f d = gs@;" : "d *= widen_$w(scales`);");
    if (g->guarded)
        kg_line(g, centred ? "$f t = times_all_$f(plus_times_all_$f(plus_all_$f(d, less_c1), h, less_c2), scale);"
                           : "$f t = times_all_$f(plus_times_all_$f(d, h, less_c2), scale);");
    else
        kg_line(g, centred ? "$f t = (d - c1 - h * c2) * scale;" : "$f t = (d - h * c2) * scale;");
    if (loads_late(g, s)) {
        kg_open(g, "if (dresidual)");
        kg_line(g, "$x more;");
        kg_row_load_one(g, s, "dresidual", "more");
        kg_line(g, "t += widen_$x(more);");
        kg_close(g);
    } else {
        kg_line(g, "if (dresidual)");
        kg_line(g, "    t += widen_$x(more@);");
    }
    kg_line(g, "const $x out = narrow_$x(t);");
    kg_row_store_to(g, s, "y", "$x", "out");
    if (g->guarded)
        kg_close(g);
    kg_each_scope_end(g);
}

/* Rows of one workgroup are added up in LDS, which others may still read from: element e of vector j of a work-item lies
 * at [j * $n + e][work-item]. */
static void keep_added(struct kg *g, const struct kg_spec *s, const char *name, unsigned which)
{
    const struct kg_rowwise *t = &s->tile;
    const unsigned planes = t->vectors * t->vec;
    const char *element = t->vec == 1 ? "" : "[e]", *first = t->vectors == 1 ? "" : "j * $n + ";
    kg_open(g, "if (%s)", which ? "dbeta" : "dgamma");
    kg_line(g, "barrier();");
    kg_each_scope(g);
    kg_open(g, g->guarded ? "if (!edged@)" : "if (whole)"); /* sums outside the row are zero */
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (int e = 0; e < $n; e++)");
    kg_line(g, "    added[%se][work_item_id()] = %ss@%s;", first, name, element);
    kg_else(g);
    kg_line(g, "const int to = local(moved@);");
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (int e = 0; e < $n; e++)");
    kg_line(g, "    added[%se][work_item_id()] = 0;", first);
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (int e = 0; e < $n; e++)");
    kg_line(g, "    if ((unsigned)(to + e) < $n)");
    kg_line(g, kg_row_strided(g, s) ? "        added[%se][work_item_id()] = %ss@%s;"
                                    : "        added[%sto + e][work_item_id()] = %ss@%s;", first, name, element);
    kg_close(g);
    kg_each_scope_end(g);
    kg_line(g, "barrier();");
    const unsigned vec = t->vec;
    kg_line(g, "#pragma unroll");
    kg_open(g, "for (int k = 0; k < %u; k++)", steps_of(s));
    kg_line(g, "const unsigned plane = k * %u + slot;", t->rows);
    if (planes % t->rows) {
        kg_line(g, "if (plane >= %u)", planes);
        kg_line(g, "    continue;");
    }
    kg_line(g, "float sums_of[%u];", t->rows);
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (int i = 0; i < %u; i++)", t->rows);
    kg_line(g, "    sums_of[i] = added[plane][i * %u + lane];", t->threads);
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (int half = %u; half > 0; half /= 2)", t->rows / 2);
    kg_line(g, "#pragma unroll");
    kg_line(g, "    for (int i = 0; i < half; i++)");
    kg_line(g, "        sums_of[i] += sums_of[i + half];");
    if (kg_row_strided(g, s))
        kg_line(g, "const unsigned vector = (plane * %u + lane) / $n, e = (plane * %u + lane) %% $n;", t->threads, t->threads);
    else if (t->rows % vec == 0)
        kg_line(g, "const unsigned vector = (slot / $nu + k * %u) * %u + lane, e = slot %% $nu;", t->rows / vec, t->threads);
    else
        kg_line(g, "const unsigned vector = plane / $n * %u + lane, e = plane %% $n;", t->threads);
    kg_line(g, "if (vector < (unsigned)lanes)");
    if (keeps_rest(s))
        kg_line(g, "    %s_rest[k] = keep(kept%s, 4u * (e * lanes + vector), sums_of[0] + %s_rest[k], atomic, fresh);", name,
                which ? " + $nL * lanes" : "", name);
    else
        kg_line(g, "    keep(kept%s, 4u * (e * lanes + vector), sums_of[0], atomic, fresh);", which ? " + $nL * lanes" : "");
    kg_close(g);
    kg_close(g);
}

/* Stores a lane's part of one sum at its place in kept, where vectors are their own or outside. */
static void store_sums(struct kg *g, const struct kg_spec *s, const char *name, const char *offset)
{
    const char *element = s->tile.vec == 1 ? "" : "[e]";
    kg_open(g, "if (%s)", name);
    kg_line(g, "float *own = kept + lane%s;", offset);
    kg_line(g, "#pragma unroll");
    kg_open(g, "for (int e = 0; e < $n; e++, own += plane)");
    kg_each(g);
    kg_line(g, "if (moved@ == 0)");
    if (s->tile.vectors == 1)
        kg_line(g, "    *own = %ss@%s;", name, element);
    else
        kg_line(g, "    own[%u * j] = %ss@%s;", s->tile.threads, name, element);
    kg_each_end(g);
    kg_close(g);
    kg_close(g);
}

/* Adds sums of SUMMED_ROWS up in LDS, and goes on with the next rows until there are SUMS_KEPT. */
static void keep_long_sums(struct kg *g, const struct kg_spec *s, bool centred)
{
    const unsigned block = kg_spec_block(s), half = s->tile.vectors * block;
    char place[2][64];
    for (unsigned i = 0; i < 2; i++)
        snprintf(place[i], sizeof place[i], s->tile.vectors == 1 ? "own_sums[%u]" : "own_sums[%u + j * %u]", i * half, block);
    kg_note(g, "Sums of %u rows are added up in shared memory, each lane's by itself, %u of them before partial has them.", SUMMED_ROWS, SUMS_KEPT);
    kg_open(g, "if (sums_kept > 0)");
    kg_each(g);
    kg_line(g, "dgammas@ += %s;", place[0]);
    if (centred)
        kg_line(g, "dbetas@ += %s;", place[1]);
    kg_each_end(g);
    kg_close(g);
    kg_open(g, "if (first < rows && sums_kept < %u)", SUMS_KEPT - 1);
    kg_each(g);
    kg_line(g, "%s = dgammas@;", place[0]);
    if (centred)
        kg_line(g, "%s = dbetas@;", place[1]);
    kg_each_end(g);
    if (s->tile.rows == 1)
        start_sums(g, centred, false);
    kg_line(g, "sums_kept++;");
    kg_line(g, "continue;");
    kg_close(g);
    kg_line(g, "sums_kept = 0;");
}

static void write_sums(struct kg *g, const struct kg_spec *s, bool centred)
{
    const struct kg_rowwise *t = &s->tile;
    g->stage = "sums";
    kg_blank(g);
    kg_line(g, "if (!partial)");
    kg_line(g, "    continue;");
    if (keeps_long_sums(s, centred))
        keep_long_sums(g, s, centred);
    kg_line(g, "float *kept = partial + (program & (atomic - 1)) * stride;");
    if (exchanges_with_all(s)) {
        kg_each(g);
        kg_line(g, "moved@ = placed@;");
        kg_each_end(g);
    }
    if (t->rows == 1) {
        if (g->guarded) {
            kg_note(g, "Vectors at their places, stored for the first time: the same offset from scalar addresses.");
            kg_open(g, "if (fresh && !atomic && !edges)");
            kg_each_scope(g);
            kg_line(g, t->vectors == 1 ? "const unsigned byte = here(4 * lane);"
                                       : "const unsigned byte = here(4 * (lane + j * %u));", t->threads);
            kg_open(g, "if (inside@)");
            kg_line(g, "if (dgamma)");
            kg_line(g, "    store_planes_$f(kept, byte, lanes, dgammas@);");
            if (centred) {
                kg_line(g, "if (dbeta)");
                kg_line(g, "    store_planes_$f(kept + $nL * lanes, byte, lanes, dbetas@);");
            }
            kg_close(g);
            kg_each_scope_end(g);
            kg_open(g, "if (first < rows)");
            start_sums(g, centred, false);
            kg_close(g);
            kg_line(g, "fresh = false;");
            kg_line(g, "continue;");
            kg_close(g);
        }
        kg_line(g, "const unsigned plane = local(lanes);");
        if (kg_row_apart(g, s) && !kg_isa_of(s->arch)->any_alignment) {
            kg_note(g, "Stored for the first time, which is all where a program has few rows.");
            kg_open(g, "if (fresh && !atomic)");
            store_sums(g, s, "dgamma", "");
            if (centred)
                store_sums(g, s, "dbeta", " + $nL * plane");
            start_sums(g, centred, false);
            kg_line(g, "fresh = false;");
            kg_line(g, "continue;");
            kg_close(g);
        }
        kg_each_scope(g);
        kg_line(g, "const int to = local(moved@);");
        if (!kg_row_strided(g, s))
            kg_line(g, t->vectors == 1 ? "unsigned byte = 4 * (plane * to + lane);"
                                       : "unsigned byte = 4 * (plane * to + j * %u + lane);", t->threads);
        keep_terms(g, s, centred, "dgammas@", "dbetas@");
        kg_each_scope_end(g);
        return;
    }
    keep_added(g, s, "dgamma", 0);
    if (centred)
        keep_added(g, s, "dbeta", 1);
}

static void emit_resident(struct kg *g, const struct kg_spec *s, bool centred)
{
    begin(g, s, centred);
    if (asks_ahead(g, s)) {
        char next[40];
        snprintf(next, sizeof next, s->tile.rows == 1 ? "row + programs" : "row + programs * %uL", s->tile.rows);
        kg_line(g, "$x values@@, dys@@, more@@;");
        kg_each(g);
        kg_line(g, "values@ = next_values@;");
        kg_line(g, "dys@ = next_dys@;");
        kg_line(g, "more@ = next_more@;");
        kg_each_end(g);
        ask(g, s, centred, next);
    } else {
        kg_row_load_from(g, s, "x", "values", false);
        kg_row_load_from(g, s, "dy", "dys", false);
        if (!loads_late(g, s))
            load_residual(g, s, false);
    }
    if (s->tile.vectors > 1 && !g->guarded) {
        kg_note(g, "What moved decides is found anew for each row: masks kept for all would be too many.");
        kg_each(g);
        kg_line(g, "moved@ = local(moved@);");
        kg_each_end(g);
    }
    if (kg_dtypes[s->weight].bits < 32 && s->tile.vec > 1) {
        kg_each(g);
        kg_line(g, "scales` = packed_$w(scales`);");
        kg_each_end(g);
    }
    const char *sums = g->guarded ? "f32x2" : "$f";
    kg_line(g, centred ? "%s first_sum = 0, second_sum = 0;" : "%s second_sum = 0;", sums);
    sweep(g, s, centred);
    if (g->guarded)
        kg_line(g, centred ? "sums total = {first_sum.x + first_sum.y, second_sum.x + second_sum.y};"
                           : "float total = second_sum.x + second_sum.y;");
    else
        kg_line(g, centred ? "sums total = {sum_$f(first_sum), sum_$f(second_sum)};" : "float total = sum_$f(second_sum);");
    if (!holds(g, s)) {
        kg_row_keep_packed(g, s, "values");
        kg_row_keep_packed(g, s, "dys");
    }
    reduce(g, s, centred);
    write_row(g, s, centred);
    kg_close(g);
    write_sums(g, s, centred);
    kg_line(g, "fresh = false;");
    kg_close(g);
}

/* at@ and moved@ of a lane's elements, for write_sums. */
static void element_places(struct kg *g, const struct kg_spec *s)
{
    kg_line(g, "int at@@, moved@@;");
    kg_each(g);
    kg_line(g, "at@ = %u * j + lane;", s->tile.threads);
    kg_line(g, "moved@ = left > %u * j ? 0 : 1;", s->tile.threads);
    kg_each_end(g);
}

/* Loads a lane's elements of `matrix`_row into `name`. */
static void load_elements(struct kg *g, const struct kg_spec *s, const char *matrix, const char *name)
{
    const unsigned threads = s->tile.threads;
    kg_each(g);
    kg_line(g, "%s@ = load_before_$x(%s_row, %u * j + lane, %u * j, left);", name, matrix, threads, threads);
    kg_each_end(g);
}

/* Asks for a lane's part of row `row`, if there is one. */
static void ask_elements(struct kg *g, const struct kg_spec *s, bool centred, const char *row)
{
    const char *type = kg_dtypes[s->in].token;
    kg_open(g, "if (%s < rows)", row);
    kg_line(g, "const %s *x_row = x + (%s) * ldx;", type, row);
    kg_line(g, "const %s *dy_row = dy + (%s) * lddy;", type, row);
    load_elements(g, s, "x", "next_values");
    load_elements(g, s, "dy", "next_dys");
    kg_line(g, "next_scale = rstd[%s + apart];", row);
    if (centred)
        kg_line(g, "next_middle = mean[%s + apart];", row);
    kg_close(g);
}

/* d, h and g of an element, from the bits of x and dy. */
static void of_element(struct kg *g, bool centred, bool pairs, const char *x, const char *dy)
{
    kg_line(g, "const $f d = widen_$x(of_bits_$x(%s));", dy);
    kg_line(g, centred ? "$f h = (widen_$x(of_bits_$x(%s)) - middle) * scale;"
                       : "$f h = widen_$x(of_bits_$x(%s)) * scale;", x);
    kg_line(g, pairs ? "$f g = d * widen_$w(of_bits_$w(gammas[j / 2] >> j %% 2 * 16));" : "$f g = d * gammas@;");
}

/* A row of single elements, `threads` columns apart so that each access of a wave is to consecutive ones, all of
 * them in flight at once. What a lane has is found where it is needed, from `left`, the columns from its first one
 * on: kept, it would take as many registers. */
static void emit_elements(struct kg *g, const struct kg_spec *s, bool centred)
{
    const unsigned rows = s->tile.rows, threads = s->tile.threads;
    const char *type = kg_dtypes[s->in].token;
    const bool pairs = keeps_pairs(s, centred);
    begin_program(g, s);
    kg_line(g, "int left = cols - lane;");
    if (pairs)
        kg_line(g, "int gammas[%u];", (s->tile.vectors + 1) / 2);
    else
        kg_line(g, "$f gammas@@;");
    kg_line(g, "const int left_of_gamma = gamma ? left : 0;");
    kg_each(g);
    kg_line(g, "const int bits = load_before_$w(gamma, %u * j + lane, %u * j, left_of_gamma);", threads, threads);
    kg_line(g, pairs ? "gammas[j / 2] = j %% 2 ? pair_of(gammas[j / 2], bits) : bits;"
                     : "gammas@ = widen_$w(of_bits_$w(bits));");
    kg_each_end(g);
    kg_open(g, "if (!gamma)");
    kg_each(g);
    kg_line(g, pairs ? "gammas[j / 2] = pair_of(bits_of_$w(1), bits_of_$w(1));" : "gammas@ = 1;");
    kg_each_end(g);
    kg_close(g);
    share_memory(g, s, centred);
    kg_blank(g);

    kg_note(g, "The next row is asked for before the work on the one that is here.");
    kg_line(g, "long first = program * %uL;", rows);
    kg_line(g, "int next_values@@, next_dys@@;");
    kg_line(g, centred ? "float next_scale = 0, next_middle = 0;" : "float next_scale = 0;");
    ask_elements(g, s, centred, rows == 1 ? "first" : "first + slot");
    kg_note(g, "Sums of %u rows at a time go to partial, which gives back what it loses: longer ones would add up more rounding.", SUMMED_ROWS);
    kg_line(g, "bool fresh = true;");
    open_rows(g, s, centred);
    kg_line(g, "%s *y_row = y + row * ldy;", type);
    kg_line(g, "const %s *dresidual_row = dresidual + row * lddr;", type);
    kg_line(g, centred ? "const float scale = next_scale, middle = next_middle;" : "const float scale = next_scale;");
    kg_line(g, pairs ? "int pairs@@;" : "int values@@, dys@@;");
    kg_each(g);
    if (pairs) {
        kg_line(g, "pairs@ = pair_of(next_values@, next_dys@);");
    } else {
        kg_line(g, "values@ = next_values@;");
        kg_line(g, "dys@ = next_dys@;");
    }
    kg_each_end(g);
    char next[40];
    snprintf(next, sizeof next, "row + programs * %uL", rows);
    ask_elements(g, s, centred, next);
    kg_line(g, "int more@@;");
    kg_each(g);
    kg_line(g, "more@ = 0x8000;"); /* -0, which changes nothing */
    kg_each_end(g);
    kg_open(g, "if (dresidual)");
    load_elements(g, s, "dresidual", "more");
    kg_close(g);

    kg_line(g, centred ? "float first_sum = 0, second_sum = 0;" : "float second_sum = 0;");
    if (!pairs)
        kg_line(g, "$f hs@@, gs@@;");
    kg_each_scope(g);
    of_element(g, centred, pairs, pairs ? "pairs@" : "values@", pairs ? "pairs@ >> 16" : "dys@");
    kg_line(g, "dgammas@ += d * h;");
    if (centred) {
        kg_line(g, "dbetas@ += d;");
        kg_line(g, "first_sum += g;");
    }
    kg_line(g, "second_sum += g * h;");
    if (!pairs) {
        kg_line(g, "hs@ = h;");
        kg_line(g, "gs@ = g;");
    }
    kg_each_scope_end(g);
    kg_note(g, "Done here: later, what is added would have to be kept.");
    kg_each(g);
    kg_line(g, "dgammas@ = settled_$f(dgammas@);");
    if (centred)
        kg_line(g, "dbetas@ = settled_$f(dbetas@);");
    kg_each_end(g);
    kg_line(g, centred ? "sums total = {first_sum, second_sum};" : "float total = second_sum;");
    reduce(g, s, centred);

    kg_line(g, "left = local(left);");
    kg_each_scope(g);
    if (pairs) {
        kg_note(g, "before is 0, but not known to be: else what was made of pairs above would be kept in their place.");
        kg_line(g, "const int pair = pairs@ ^ before;");
        of_element(g, centred, pairs, "pair", "pair >> 16");
    } else {
        kg_line(g, "const $f h = hs@, g = gs@;");
    }
    kg_line(g, centred ? "$f t = (g - c1 - h * c2) * scale;" : "$f t = (g - h * c2) * scale;");
    kg_line(g, "t += widen_$x(of_bits_$x(more@));");
    kg_line(g, "store_before_$x(y_row, %u * j + lane, narrow_$x(t), %u * j, left);", threads, threads);
    kg_each_scope_end(g);
    kg_close(g);
    element_places(g, s);
    if (rows > 1)
        kg_line(g, "const bool whole = false;");
    write_sums(g, s, centred);
    kg_line(g, "fresh = false;");
    kg_close(g);
}

static void emit_loop(struct kg *g, const struct kg_spec *s, bool centred)
{
    begin(g, s, centred);
    kg_note(g, "First read.");
    kg_line(g, centred ? "sums total = {0, 0};" : "float total = 0;");
    kg_row_loop(g, s);
    kg_row_load_from(g, s, "x", "values", false);
    kg_row_load_from(g, s, "dy", "dys", false);
    kg_row_param(g, s, "gamma", "scales", "1");
    kg_line(g, centred ? "$f first_sum = 0, second_sum = 0;" : "$f second_sum = 0;");
    sweep(g, s, centred);
    if (centred)
        kg_line(g, "total.first += sum_$f(first_sum);");
    kg_line(g, centred ? "total.second += sum_$f(second_sum);" : "total += sum_$f(second_sum);");
    kg_close(g);
    reduce(g, s, centred);
    kg_blank(g);
    kg_note(g, "Second read.");
    kg_row_loop(g, s);
    kg_row_load_from(g, s, "x", "values", true);
    kg_row_load_from(g, s, "dy", "dys", true);
    load_residual(g, s, true);
    kg_row_param(g, s, "gamma", "scales", "1");
    write_row(g, s, centred);
    kg_close(g);
    kg_line(g, "begun = begun == %u ? 1 : begun + 1;", SUMMED_ROWS);
    kg_close(g);
}

/* What a workgroup adds up: places `start` .. of partial, of dgamma or dbeta. */
static void begin_sum(struct kg *g, const struct kg_spec *s, bool centred)
{
    const unsigned lanes = s->tile.threads, places = lanes * s->tile.vec;
    const char *type = kg_dtypes[s->weight].token;
    g->stage = "sum";
    kg_note(g, "%u places of partial a workgroup, %u programs at a time.", places, s->tile.rows);
    kg_line(g, "const unsigned half = (unsigned)vec * lanes;");
    kg_line(g, "const unsigned start = %u * workgroup_id();", places);
    if (centred) {
        kg_line(g, "const bool second = start >= half;");
        kg_line(g, "%s *out = second ? dbeta : dgamma;", type);
    } else {
        kg_line(g, "%s *out = dgamma;", type);
    }
}

/* Adds the programs up: a vector of places a lane, the programs of a wave in neighbouring lanes, then the waves. */
static void emit_sum(struct kg *g, const struct kg_spec *s, bool centred)
{
    const unsigned lanes = s->tile.threads, vec = s->tile.vec, places = lanes * vec, slices = s->tile.rows;
    const unsigned wave = s->arch->wave, of_wave = wave / lanes, waves = kg_spec_block(s) / wave;
    char joined[64];
    begin_sum(g, s, centred);
    kg_line(g, "const int lane = work_item_id() / %u %% %u;", of_wave, lanes);
    kg_line(g, "const int slice = work_item_id() %% %u + work_item_id() / %u * %u;", of_wave, wave, of_wave);
    kg_note(g, "The places of a workgroup are of one element of neighbouring vectors.");
    kg_line(g, centred ? "const unsigned base = second ? start - half : start;" : "const unsigned base = start;");
    kg_line(g, "const int e = base / lanes;");
    kg_line(g, "const int column = vec * (base - e * lanes) + e - before;");
    kg_line(g, "$f sum = 0;");
    kg_open(g, "if (out && column + vec * (int)($n * lane + $n - 1) >= 0 && column + vec * (int)($n * lane) < cols)");
    kg_note(g, "As many for all, which one counter is enough for, and one more for some.");
    kg_line(g, "const float *from = partial + start + $n * lane + slice * stride;");
    kg_line(g, "#pragma unroll 4");
    kg_line(g, "for (int i = %u; i <= programs; i += %u, from += %u * stride)", slices, slices, slices);
    kg_line(g, "    sum += *(const $f *)from;");
    kg_line(g, "if (slice < programs %% %u)", slices);
    kg_line(g, "    sum += *(const $f *)from;");
    kg_close(g);
    for (unsigned group = 2; group <= of_wave; group *= 2) {
        kg_line(g, "#pragma unroll");
        kg_line(g, "for (int k = 0; k < $n; k++)");
        snprintf(joined, sizeof joined, "    sum[k] += other%u(sum[k]);", group);
        kg_line(g, "%s", joined);
    }
    kg_line(g, "__shared__ float sums_of[%u][%u];", waves, places);
    g->lds += 4 * waves * places;
    kg_line(g, "if (work_item_id() %% %u == 0)", of_wave);
    kg_line(g, "    *($f *)&sums_of[work_item_id() / %u][$n * lane] = sum;", wave);
    kg_line(g, "barrier();");
    kg_line(g, "const int place = work_item_id(), own = column + vec * place;");
    kg_open(g, "if (place < %u && out && (unsigned)own < (unsigned)cols)", places);
    kg_line(g, "float total = sums_of[0][place];");
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (int i = 1; i < %u; i++)", waves);
    kg_line(g, "    total += sums_of[i][place];");
    kg_line(g, "out[own] = (%s)total;", kg_dtypes[s->weight].token);
    kg_close(g);
}

/* The same with a vector of places a lane, so that there are few workgroups to start and all of a lane's loads are in
 * flight at once: this kernel is all start and latency. */
static void emit_wide_sum(struct kg *g, const struct kg_spec *s, bool centred)
{
    const unsigned slices = s->tile.rows, lanes = s->tile.threads;
    const unsigned flight = 5; /* for the programs of one a compute unit of 132 to 160 */
    begin_sum(g, s, centred);
    kg_line(g, "const int lane = work_item_id() %% %u, slice = work_item_id() / %u;", lanes, lanes);
    kg_note(g, "The places of a lane are of one element of neighbouring vectors.");
    kg_line(g, centred ? "const unsigned place = (second ? start - half : start) + $n * lane;"
                       : "const unsigned place = start + $n * lane;");
    kg_line(g, "const int column = vec * (place %% lanes) + place / lanes;");
    kg_line(g, "int there = 0;");
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (int k = 0; k < $n; k++)");
    kg_line(g, "    there += out && column + k * vec < cols;");
    kg_line(g, "$f sum = 0;");
    kg_line(g, "const float *from = partial + start + $n * lane + slice * stride;");
    kg_row_after_earlier(g, s);
    kg_open(g, "if (there == $n)");
    kg_open(g, "for (int i = slice; i < programs; i += %u, from += %u * stride)", flight * slices, flight * slices);
    kg_line(g, "$f some[%u];", flight);
    kg_line(g, "#pragma unroll");
    kg_open(g, "for (int k = 0; k < %u; k++)", flight);
    kg_line(g, "some[k] = 0;");
    kg_line(g, "if (i + %u * k < programs)", slices);
    kg_line(g, "    some[k] = *(const $f *)(from + %u * k * stride);", slices);
    kg_close(g);
    kg_line(g, "sum += ((some[0] + some[1]) + (some[2] + some[3])) + some[4];");
    kg_close(g);
    kg_else(g);
    kg_open(g, "for (int i = slice; i < programs; i += %u, from += %u * stride)", slices, slices);
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (int k = 0; k < $n; k++)");
    kg_line(g, "    if (k < there)");
    kg_line(g, "        sum[k] += from[k];");
    kg_close(g);
    kg_close(g);
    kg_line(g, "__shared__ $f sums_of[%u][%u];", slices, lanes);
    g->lds += 4 * s->tile.vec * slices * lanes;
    kg_line(g, "sums_of[slice][lane] = sum;");
    kg_line(g, "barrier();");
    kg_open(g, "if (slice == 0)");
    kg_line(g, "$f total[4];");
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (int i = 0; i < %u; i++)", slices);
    kg_line(g, "    total[i %% 4] = i < 4 ? sums_of[i][lane] : total[i %% 4] + sums_of[i][lane];");
    kg_line(g, "const $f all = settled_$f((total[0] + total[1]) + (total[2] + total[3]));");
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (int k = 0; k < $n; k++)");
    kg_line(g, "    if (k < there)");
    kg_line(g, "        out[column + k * vec] = (%s)all[k];", kg_dtypes[s->weight].token);
    kg_close(g);
}

static void body(struct kg *g, const struct kg_spec *s, bool centred)
{
    if (s->tile.sum && room_ahead(s))
        emit_wide_sum(g, s, centred);
    else if (s->tile.sum)
        emit_sum(g, s, centred);
    else if (s->tile.loop)
        emit_loop(g, s, centred);
    else if (by_elements(s))
        emit_elements(g, s, centred);
    else
        emit_resident(g, s, centred);
}

static void centred_body(struct kg *g, const struct kg_spec *s)
{
    body(g, s, true);
}

static void plain_body(struct kg *g, const struct kg_spec *s)
{
    body(g, s, false);
}

void kg_normbwd_emit(struct kg *g, const struct kg_spec *s, bool centred)
{
    if (!s->tile.sum && keeps_long_sums(s, centred)) { /* one array for both bodies */
        kg_row_names(g, s);
        kg_note(g, "Sums of rows, each lane's by itself.");
        kg_line(g, "static __shared__ $f long_sums[%u];", (centred ? 2 : 1) * s->tile.vectors * kg_spec_block(s));
        kg_blank(g);
        g->lds += long_sum_bytes(s, centred);
    }
    kg_row_emit(g, s, centred ? centred_body : plain_body);
}

void kg_normbwd_tile(const struct kg_spec *s, char *out, size_t room)
{
    const struct kg_rowwise *t = &s->tile;
    char tag[16] = "";
    if (t->cluster)
        snprintf(tag, sizeof tag, "_c%u", t->cluster);
    else if (t->vec * kg_dtypes[s->in].bits != 128)
        snprintf(tag, sizeof tag, "_e%u", t->vec);
    if (t->sum)
        snprintf(out, room, "r%ut%u_sum", t->rows, t->threads);
    else
        snprintf(out, room, "r%ut%uv%u%s%s", t->rows, t->threads, t->vectors, tag, t->loop ? "_loop" : "");
}

void kg_normbwd_row(struct kg_buf *out, const struct kg_spec *s)
{
    const struct kg_rowwise *t = &s->tile;
    kg_buf_printf(out, ".cluster = %u, .rowwise = {.rows = %u, .threads = %u, .vectors = %u, .vec = %u, .passes = %u, "
                       ".flags = %s, .max_cols = %u}",
                  t->cluster, t->rows, t->threads, t->vectors, t->vec, t->loop ? 2 : 1, t->sum ? "FLY_ROWWISE_SUM" : "0",
                  t->sum ? 0 : kg_spec_max_cols(s));
}

void kg_normbwd_explain(struct kg_buf *out, const struct kg_spec *s)
{
    if (s->tile.sum)
        kg_buf_printf(out, "adds the programs' sums up: %u columns a workgroup, %u programs at a time",
                      s->tile.threads * s->tile.vec, s->tile.rows);
    else
        kg_row_explain(out, s);
}
