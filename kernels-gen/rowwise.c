/* SPDX-License-Identifier: MIT */
/* Stages of row-wise kernels; see rowwise.h. */
#include "rowwise.h"

#include <stdio.h>
#include <string.h>

const struct kg_reduction kg_sum = {"float", "%s + %s", "", 4, true};
const struct kg_reduction kg_most = {"float", "larger(%s, %s)", "", 4};
const struct kg_reduction kg_largest = {"int", "larger_bits(%s, %s)", "_bits", 4, true};
const struct kg_reduction kg_peak = {"peak", "join_peak(%s, %s, factor)", "_peak", 8};
const struct kg_reduction kg_exponents = {"peak", "join_exponents(%s, %s)", "_peak", 8};
const struct kg_reduction kg_pair_sum = {"pair", "add_pair(%s, %s)", "_pair", 8};
const struct kg_reduction kg_moments = {"moments", "join_moments(%s, %s)", "_moments", 16, .halves = true};
const struct kg_reduction kg_wide_sum = {"double", "%s + %s", "_wide", 8, true};

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* A row belongs to one wave, or to several, which then exchange through LDS. */
static bool many_waves(const struct kg_spec *s)
{
    return s->tile.threads > s->arch->wave;
}

/* All lanes of a wave work on one row. */
static bool uniform_row(const struct kg_spec *s)
{
    return s->tile.threads >= s->arch->wave;
}

bool kg_row_apart(const struct kg *g, const struct kg_spec *s)
{
    return g->aligned || s->tile.vec == 1;
}

/* A vector's elements lie `threads` columns apart, where memory does not take vectors at any address: each
 * access of a wave then is to consecutive elements. */
bool kg_row_strided(const struct kg *g, const struct kg_spec *s)
{
    return kg_spec_two_ways(s) && !g->aligned;
}

bool kg_row_by_elements(const struct kg_spec *s)
{
    return !kg_isa_of(s->arch)->any_alignment && s->tile.vec == 1 && s->tile.vectors > 1 && !s->tile.loop &&
           kg_dtypes[s->in].bits == 16;
}

/* Whether the body for aligned rows may leave one to the other body, and says whether it has not. */
static bool leaves_rows(const struct kg_spec *s)
{
    return s->op->leaves_rows && s->tile.loop && kg_spec_two_ways(s);
}

/* The infix of words that reach beyond 32-bit offsets, for rows of any length. */
static const char *far_word(const struct kg_spec *s)
{
    return s->tile.loop && kg_isa_of(s->arch)->far ? "_far" : "";
}

/* Rows that share a wave of LayerNorm's with 8-bit output, of CDNA: instructions are what these wait for. */
static bool busy(const struct kg_spec *s)
{
    return s->op->asks && kg_dtypes[s->out].bits == 8 && s->arch->wave == 64 && s->tile.threads < s->arch->wave;
}

bool kg_row_keeps_bytes(const struct kg_spec *s)
{
    return kg_isa_of(s->arch)->any_alignment && s->tile.vectors > 4 && s->tile.vec > 1 && !s->tile.loop && !s->op->adds_rows &&
           !busy(s);
}

/* Rows of a wave: <matrix>_row is its first one, the same in all lanes, and <matrix>_step, in 32 bits, how far behind it
 * the lane's row is. The library has such kernels for rows no further apart. */
static bool in_steps(const struct kg_spec *s)
{
    return kg_isa_of(s->arch)->any_alignment && s->tile.threads < s->arch->wave && s->tile.vec > 1 && !s->tile.loop &&
           !s->op->adds_rows;
}

/* The operands of loads and stores of vector j, in the row of `matrix`, or of parameters where that has none, of elements
 * `type`. */
static const char *vector_of(const struct kg_spec *s, enum kg_type type, const char *matrix, bool has_rows, char *out,
                             size_t room)
{
    const unsigned in = kg_dtypes[s->in].bits, bits = kg_dtypes[type].bits;
    const char *row = has_rows ? "_row" : "";
    char scaled[8] = "", step[48] = "";
    if (!kg_row_keeps_bytes(s)) {
        if (has_rows && in_steps(s))
            snprintf(step, sizeof step, " + %s_step", matrix);
        snprintf(out, room, "%s%s, at@%s", matrix, row, step);
        return out;
    }
    if (bits != in)
        snprintf(scaled, sizeof scaled, bits < in ? " / %u" : " * %u", bits < in ? in / bits : bits / in);
    if (has_rows && in_steps(s))
        snprintf(step, sizeof step, " + %s_step * %u", matrix, bits / 8);
    snprintf(out, room, "(%s *)((char *)%s%s + (bytes@%s%s)), 0", kg_dtypes[type].token, matrix, row, scaled, step);
    return out;
}

/* Shared memory of a workgroup for two vectors of parameters a vector of the row. */
static unsigned asked_bytes(const struct kg_spec *s)
{
    return 2 * 16 * s->tile.vectors * kg_spec_block(s);
}

bool kg_row_keeps_codes(const struct kg_spec *s)
{
    enum { MOST_KEPT = 32 };
    return kg_isa_of(s->arch)->resident_lanes && kg_dtypes[s->out].bits == 8 && !s->tile.loop &&
           s->tile.vectors * s->tile.vec <= MOST_KEPT;
}

bool kg_row_asks(const struct kg_spec *s)
{
    enum { MOST_VECTORS = 4 };
    return s->op->asks && kg_isa_of(s->arch)->asks && s->tile.vec > 1 && !s->tile.loop && !s->tile.cluster &&
           s->tile.vectors <= MOST_VECTORS && s->weight == s->in && (s->out == s->in || kg_row_keeps_codes(s)) &&
           asked_bytes(s) < s->arch->lds;
}

void kg_row_ask(struct kg *g, const struct kg_spec *s, const char *from, const char *other)
{
    kg_line(g, "__shared__ $w asked_%s@@[%u];", from, kg_spec_block(s));
    g->lds += asked_bytes(s) / 2;
    kg_open(g, "if (%s)", from);
    kg_each(g);
    kg_line(g, "ask_param_$w(&asked_%s@[work_item_id()], %s, at@, cols);", from, from);
    kg_each_end(g);
    kg_else(g);
    kg_each(g);
    kg_line(g, "asked_%s@[work_item_id()] = ($w)%s;", from, other);
    kg_each_end(g);
    kg_close(g);
}

bool kg_row_passes_over(const struct kg *g, const struct kg_spec *s)
{
    if (!g->aligned || s->tile.cluster || s->op->rows_held > 1 || s->op->adds_rows || kg_row_by_elements(s))
        return false;
    /* Not in loops where 32 registers must hold parameters too. */
    return s->tile.loop ? s->op->weightless || !s->op->light
                        : s->op->asks || (s->op->light && !s->op->weightless && s->tile.vectors > 4);
}

/* `name` = the vector at `at`, loaded by the word load[_far][_param][_where]_, or by the word load_strided_. */
static void load_each(struct kg *g, const struct kg_spec *s, const char *name, const char *what,
                      const char *type, const char *matrix, const char *only)
{
    const bool has_rows = type[1] == 'x';
    if (g->aligned && kg_row_by_elements(s)) {
        kg_each(g);
        kg_line(g, "%s = load%s_element_%s(%s%s, at@, cols, %s);", name, what, type, matrix, has_rows ? "_row" : "",
                has_rows && s->op->outside ? s->op->outside : "0");
        kg_each_end(g);
        return;
    }
    /* Not what is added to a row: loads that are asked for together would all have registers beside the row's. */
    const bool where = kg_row_passes_over(g, s) && !*what && strcmp(matrix, "residual");
    if (g->aligned && !only)
        only = "moved@ == 0";
    if (where)
        only = NULL;
    kg_each(g);
    if (only) {
        if (g->aligned && s->op->outside && !*what)
            kg_line(g, "%s = (%s)%s;", name, kg_dtypes[s->in].token, s->op->outside);
        else
            kg_line(g, "%s = 0;", name);
        kg_line(g, "if (%s)", only);
    }
    const char *indent = only ? "    " : "";
    char place[128];
    if (g->aligned && !*what && s->tile.loop) /* LayerNorm's short rows are faster without a hint in the last read */
        what = !g->last_read ? "_keep" : s->op->light || !kg_row_again(s) ? "_last" : "";
    if (where)
        kg_line(g, "%s = load%s_where_%s(%s_row, at@, cols);", name, what, type, matrix);
    else if (kg_row_strided(g, s))
        kg_line(g, "%s%s = load_strided_%s(%s%s, at@, %u, cols - 1);", indent, name, type, matrix, has_rows ? "_row" : "",
                s->tile.threads);
    else
        kg_line(g, "%s%s = load%s%s_%s(%s);", indent, name, far_word(s), what, type,
                vector_of(s, has_rows ? s->in : s->weight, matrix, has_rows, place, sizeof place));
    kg_each_end(g);
}

bool kg_row_codes(const struct kg_spec *s)
{
    return kg_dtypes[s->out].bits == 8 || (!s->op->weightless && !s->op->adds_rows && s->in == KG_F32);
}

/* Elements of a cache line: of codes, where rows are divided among lanes as for these; where instructions are short, of
 * waves of 64 and not of the shortest rows only. */
static unsigned line_of(const struct kg_spec *s)
{
    const struct kg_rowwise *t = &s->tile;
    const bool room = s->arch->wave == 64 && (t->loop || t->threads * t->vectors * t->vec > 256);
    const bool codes = kg_row_codes(s) && (room || !kg_isa_of(s->arch)->wave_groups);
    return kg_isa_of(s->arch)->line * 8 / (codes ? 8 : kg_dtypes[s->in].bits);
}

unsigned kg_row_registers(const struct kg_spec *s)
{
    return smaller(kg_isa_of(s->arch)->registers / kg_spec_block(s), 256);
}

void kg_row_names(struct kg *g, const struct kg_spec *s)
{
    static const char *const numbers[] = {[1] = "1", [2] = "2", [4] = "4", [8] = "8", [16] = "16"};
    static char names[4][16];
    const enum kg_type types[] = {s->in, s->weight, s->out, KG_F32};
    const char letters[] = {'x', 'w', 'o', 'f'};
    for (int i = 0; i < 4; i++) {
        snprintf(names[i], sizeof names[i], "%sx%u", kg_dtypes[types[i]].token, s->tile.vec);
        g->let[(int)letters[i]] = names[i];
    }
    g->let['n'] = numbers[s->tile.vec];
    g->copies = g->batch = (int)s->tile.vectors;
}

static const char *element_of(const struct kg_spec *s, enum kg_of of)
{
    const enum kg_type type = of == KG_OF_IN       ? s->in
                              : of == KG_OF_WEIGHT ? s->weight
                              : of == KG_OF_OUT    ? s->out
                              : of == KG_OF_I32    ? KG_I32
                                                   : KG_F32;
    return kg_dtypes[type].token;
}

/* The arguments, with or without their types, and `end`. */
static void arguments(struct kg *g, const struct kg_spec *s, bool typed, const char *end)
{
    static const char *const scalar[] = {
        [KG_ARG_I64] = "long", [KG_ARG_I32] = "int", [KG_ARG_F32] = "float"};
    g->indent++;
    const unsigned count = kg_spec_args(s);
    for (unsigned i = 0; i < count; i++) {
        const struct kg_arg *a = &s->op->args[i];
        const char *after = i + 1 < count ? "," : end;
        if (!typed)
            kg_line(g, "%s%s", a->name, after);
        else if (a->kind == KG_ARG_IN || a->kind == KG_ARG_OUT)
            kg_line(g, "%s%s *%s%s%s", a->kind == KG_ARG_IN ? "const " : "", element_of(s, a->of),
                    a->alone ? "__restrict__ " : "", a->name, after);
        else
            kg_line(g, "%s %s%s", scalar[a->kind], a->name, after);
    }
    g->indent--;
}

/* The function that `head` starts, up to its opening brace. */
static void open_function(struct kg *g, const struct kg_spec *s, const char *head, const char *name)
{
    kg_line(g, "%s", head);
    kg_line(g, "%s(", name);
    arguments(g, s, true, ")");
    kg_line(g, "{");
    g->indent++;
}

bool kg_row_again(const struct kg_spec *s)
{
    return s->tile.loop && s->tile.vec > 1 && s->tile.threads <= s->op->again_lanes && s->weight == s->in &&
           s->out == s->in && s->op->rows_held < 2 && kg_isa_of(s->arch)->resident_lanes;
}

unsigned kg_row_resident(const struct kg_spec *s)
{
    const unsigned block = kg_spec_block(s), most = kg_isa_of(s->arch)->resident_lanes;
    if (!most)
        return block;
    /* Lanes cover memory's latency as far as registers for what they hold allow. */
    unsigned lanes = most / 2;
    if (s->tile.cluster && !s->op->registers) /* two rows, and parameters */
        lanes = most / 4;
    else if (kg_row_keeps_codes(s))
        lanes = most * (s->tile.vec > 1 && s->tile.vectors * s->tile.vec <= 16 ? 6 : 4) / 8; /* 40 or 64 registers */
    else if (kg_row_asks(s))
        lanes = most * (s->tile.vectors <= 2 ? 8 : s->tile.vectors == 3 ? 6 : 5) / 8;
    else if (s->op->registers)
        lanes = smaller(most, kg_isa_of(s->arch)->registers / s->op->registers(s));
    else if (s->op->rows_held < 2 && kg_row_again(s) && !s->op->weightless && s->tile.threads > 128)
        lanes = most * 3 / 4; /* parameters too */
    else if (s->op->rows_held < 2 && s->op->light && (kg_row_again(s) || s->tile.vectors <= 2))
        lanes = most;
    else if (s->op->rows_held < 2 &&
             (kg_row_again(s) || s->tile.vectors <= 2 || (s->tile.vectors <= 4 && !s->tile.loop && (s->tile.rows == 1 || !s->op->light))))
        lanes = most * 5 / 8 + block - 1;
    else if (s->tile.vectors > 4 && s->op->rows_held > 1)
        lanes = most / 4;
    enum { MOST_WORKGROUPS = 32 }; /* of an SM */
    return smaller(lanes > block ? lanes / block : 1, MOST_WORKGROUPS);
}

static bool has_arg(const struct kg_op *op, const char *name)
{
    for (unsigned i = 0; i < op->arg_count; i++)
        if (strcmp(op->args[i].name, name) == 0)
            return true;
    return false;
}

/* Workgroups that let the next kernel get ready start at two thirds of the rate, which shows where there are many. How many
 * there are is told from an argument that lies beside those a kernel needs at once. */
void kg_row_after_earlier(struct kg *g, const struct kg_spec *s)
{
    enum { FEW = 512 };
    if (!(s->arch->caps & FLY_CAP_OVERLAP))
        return;
    const bool resident = s->tile.sum || s->tile.cluster || s->op->adds_rows; /* as many as run at once */
    if (resident)
        kg_line(g, "after_earlier(true);");
    else if (has_arg(s->op, "rows"))
        kg_line(g, "after_earlier(rows <= %u);", FEW * s->tile.rows);
    else
        kg_line(g, "after_earlier(n <= %u);", FEW * kg_spec_max_cols(s));
}

/* The kernel itself, up to its first line of work. */
static void open_kernel(struct kg *g, const struct kg_spec *s)
{
    char name[KG_NAME_MAX + 1], bounds[96], head[160];
    kg_spec_name(s, name);
    int n = snprintf(bounds, sizeof bounds, kg_isa_of(s->arch)->bounds, kg_spec_block(s), kg_row_resident(s));
    if (s->tile.waves)
        snprintf(bounds + n, sizeof bounds - (size_t)n, ", amdgpu_waves_per_eu(%u, %u)", s->tile.waves, s->tile.waves);
    snprintf(head, sizeof head, "extern \"C\" __global__ void __attribute__((%s))", bounds);
    open_function(g, s, head, name);
    if (!s->tile.sum)
        kg_row_after_earlier(g, s);
}

/* Adds the address of a vector operand, and the distance of its rows, to `places`, scaled so that multiples
 * of 16 are where its vectors may lie. */
static void place_of(struct kg *g, const struct kg_spec *s, const struct kg_arg *a)
{
    const bool matrix = a->ld != NULL;
    if (!matrix && a->of != KG_OF_WEIGHT)
        return;
    const unsigned element = (a->of == KG_OF_OUT ? kg_dtypes[s->out].bits : kg_dtypes[s->in].bits) / 8;
    const unsigned bytes = s->tile.vec * element;
    char scaled[24] = "";
    if (a->of != KG_OF_WEIGHT && bytes < 16)
        snprintf(scaled, sizeof scaled, " * %u", 16 / bytes);
    kg_line(g, "places |= (unsigned long)%s%s;", a->name, scaled);
    if (matrix)
        kg_line(g, "places |= (unsigned long)(rows > 1 ? %s * %u : 0)%s;", a->ld, element, scaled);
}

void kg_row_emit(struct kg *g, const struct kg_spec *s,
                 void (*body)(struct kg *g, const struct kg_spec *s))
{
    kg_row_names(g, s);
    if (!kg_spec_two_ways(s)) {
        open_kernel(g, s);
        body(g, s);
        kg_close(g);
        return;
    }
    static const char *const parts[] = {"row_of_elements", "row_of_vectors"};
    for (int aligned = 0; aligned < 2; aligned++) {
        g->aligned = aligned;
        const bool leaves = aligned && leaves_rows(s);
        open_function(g, s, leaves ? "static __device__ __attribute__((always_inline)) bool" : "static __device__ __attribute__((always_inline)) void",
                      parts[aligned]);
        body(g, s);
        if (leaves)
            kg_line(g, "return true;");
        kg_close(g);
        kg_blank(g);
    }
    g->stage = "kernel";
    open_kernel(g, s);
    const struct kg_arg *last = &s->op->args[s->op->arg_count - 1];
    char vectors[64];
    if (last->two_ways) {
        kg_note(g, "The library has looked where vectors lie.");
        snprintf(vectors, sizeof vectors, "if (%s)", last->name);
    } else {
        kg_note(g, "Vectors where they lie at multiples of their size in everything.");
        kg_line(g, "unsigned long places = 0;");
        for (unsigned i = 0; i < s->op->arg_count; i++)
            place_of(g, s, &s->op->args[i]);
        snprintf(vectors, sizeof vectors, "if (places %% 16 == 0 && cols %% $n == 0)");
    }
    if (leaves_rows(s))
        kg_line(g, "bool done = false;");
    for (int aligned = 1; aligned >= 0; aligned--) {
        kg_line(g, "%s", aligned ? vectors : leaves_rows(s) ? "if (!done)" : "else");
        g->indent++;
        kg_line(g, "%s%s(", aligned && leaves_rows(s) ? "done = " : "", parts[aligned]);
        arguments(g, s, false, ");");
        g->indent--;
    }
    kg_close(g);
}

void kg_row_lane(const struct kg_spec *s, char *out, size_t room)
{
    if (s->tile.cluster)
        snprintf(out, room, "work_item_id() + workgroup_id() %% %u * %u", s->tile.cluster, kg_spec_block(s));
    else
        snprintf(out, room, "work_item_id()");
}

const char *kg_row_group(const struct kg_spec *s, char *out, size_t room)
{
    if (s->tile.cluster)
        snprintf(out, room, "workgroup_id() / %u", s->tile.cluster);
    else
        snprintf(out, room, "workgroup_id()");
    return out;
}

void kg_row_meet(struct kg *g, const struct kg_spec *s)
{
    if (s->tile.cluster)
        kg_line(g, "cluster_barrier();");
}

/* <name>_row, of the matrix that `whole` points to. */
static void row_of(struct kg *g, const struct kg_spec *s, const char *constant, enum kg_of of, const char *name,
                   const char *whole, const char *ld)
{
    kg_line(g, "%s%s *%s_row = %s + times(%s, %s);", constant, element_of(s, of), name, whole, in_steps(s) ? "wave_row" : "row",
            ld);
    if (in_steps(s))
        kg_line(g, "const unsigned %s_step = behind * (unsigned)%s;", name, ld);
}

void kg_row_begin(struct kg *g, const struct kg_spec *s)
{
    const unsigned rows = s->tile.rows, threads = s->tile.threads;
    g->stage = "row";
    if (rows == 1) {
        /* Else the compiler finds them before it chooses the body, and keeps them in memory. */
        const char *anew = kg_spec_two_ways(s) && s->tile.loop && !g->aligned ? "_anew" : "";
        kg_note(g, "One row a workgroup.");
        kg_line(g, "const int lane = work_item_id%s();", anew);
        kg_line(g, "const int row = workgroup_id%s();", anew);
    } else {
        kg_note(g, "%u rows a workgroup, %u lanes a row.", rows, threads);
        kg_line(g, "const int lane = work_item_id() %% %u;", threads);
        kg_line(g,
                uniform_row(s) ? "const int slot = of_wave(work_item_id() / %u);"
                               : "const int slot = work_item_id() / %u;",
                threads);
        kg_line(g, "const int row = workgroup_id() * %u + slot;", rows);
        kg_line(g, "if (row >= rows)");
        kg_line(g, "    return;");
    }
    if (in_steps(s)) {
        kg_note(g, "The wave's first row, and from there on in 32 bits.");
        kg_line(g, kg_spec_block(s) > s->arch->wave ? "const int wave_row = of_wave(row);"
                                                    : "const int wave_row = workgroup_id() * %u;", rows);
        kg_line(g, "const unsigned behind = row - wave_row;");
    }
    row_of(g, s, "const ", KG_OF_IN, "x", "x", "ldx");
    row_of(g, s, "", KG_OF_OUT, "y", "y", "ldy");
    kg_blank(g);
}

void kg_row_matrix(struct kg *g, const struct kg_spec *s, enum kg_of of, const char *name, const char *ld)
{
    char whole[64];
    snprintf(whole, sizeof whole, "(%s *)%s", element_of(s, of), name);
    row_of(g, s, "", of, name, whole, ld);
}

void kg_row_anchor(struct kg *g, const struct kg_spec *s)
{
    const struct kg_rowwise *t = &s->tile;
    const unsigned bytes = kg_dtypes[s->in].bits / 8, line = line_of(s), line_in = kg_isa_of(s->arch)->line / bytes;
    const unsigned wave_step = smaller(t->threads, s->arch->wave) * t->vec;
    g->stage = "anchor";
    if (kg_row_apart(g, s) || kg_row_strided(g, s)) {
        kg_line(g, "const int before = 0;");
        return;
    }
    const char *nearer = t->loop ? "" : ", or nearer where the vectors would not reach the row's end";
    kg_note(g, "The grid of vectors starts at the row's first cache line, `before` columns ahead of it%s.", nearer);
    if (line > line_in)
        kg_note(g, "Its codes have lines of as many columns as %u of its own.", line / line_in);
    if (in_steps(s))
        kg_line(g, "int before = ((unsigned)(unsigned long)x_row + x_step * %u) %% %u / %u;", bytes, line * bytes, bytes);
    else
        kg_line(g, "int before = (unsigned long)x_row %% %u / %u;", line * bytes, bytes);
    if (!t->loop && line > line_in) {
        kg_line(g, "if (before > %u - cols)", kg_spec_max_cols(s));
        kg_line(g, "    before %%= %u;", line_in);
    }
    if (!t->loop)
        kg_line(g, "before = least(before, %u - cols);", kg_spec_max_cols(s));
    if (uniform_row(s)) {
        /* By a line, unless the first vector, which shares columns with the second, could then be the last of a wave. */
        const unsigned step = 2 * line > wave_step - t->vec ? line_in : line;
        kg_note(g, "A last vector that is not whole shares columns with the one before it: not "
                   "across waves.");
        kg_line(g, "if ((unsigned)(cols + before - 1) %% %u < %u)", wave_step, t->vec - 1);
        kg_line(g, "    before += %u;", step);
    }
}

/* at@ and moved@ from the expression `place` for vector j's place. */
static void places(struct kg *g, const struct kg_spec *s, const char *place)
{
    kg_line(g, s->tile.loop || kg_row_apart(g, s) || kg_row_strided(g, s) ? "int at@@, moved@@;" : "int at@@, moved@@, begins@@;");
    if (kg_row_keeps_bytes(s) && !kg_row_apart(g, s))
        kg_line(g, "unsigned bytes@@;");
    kg_each(g);
    kg_line(g, "const int place = %s;", place);
    if (g->aligned) {
        kg_line(g, "at@ = place;");
        kg_line(g, "moved@ = place < cols ? 0 : $n;");
    } else if (kg_row_strided(g, s)) {
        const unsigned threads = s->tile.threads;
        kg_line(g, "at@ = place;");
        kg_line(g, "moved@ = $n - clamp((cols - place + %u) / %u, 0, $n);", threads - 1, threads);
    } else {
        kg_line(g, "at@ = within(place, cols - $n);");
        kg_line(g, "moved@ = at@ - place;");
        if (!s->tile.loop && !kg_row_apart(g, s))
            kg_line(g, "begins@ = place;");
        if (kg_row_keeps_bytes(s) && !kg_row_apart(g, s))
            kg_line(g, "bytes@ = local(at@ * %u);", kg_dtypes[s->in].bits / 8);
    }
    kg_each_end(g);
}

void kg_row_places(struct kg *g, const struct kg_spec *s)
{
    const struct kg_rowwise *t = &s->tile;
    const unsigned step = t->threads * t->vec;
    char place[96];
    g->stage = "places";
    if (kg_row_by_elements(s)) /* which all are their own or outside */
        g->aligned = true;
    if (kg_row_strided(g, s)) {
        snprintf(place, sizeof place, t->vectors > 1 ? "j * %u + lane" : "lane", step);
    } else if (t->vectors == 1) {
        snprintf(place, sizeof place, "$n * lane - before");
    } else if (uniform_row(s) || kg_row_apart(g, s)) {
        snprintf(place, sizeof place, "$n * (j * %u + lane) - before", t->threads);
    } else {
        kg_note(g, "Even rows end with the last vectors, odd ones run backward, so that the line two rows share is touched by "
                   "both at once.");
        kg_line(g, "const int end = (unsigned)(cols + before + %u) / %u * %u;", step - 1, step, step);
        kg_line(g, "const int start = row & 1 ? %u : end - %u;", (t->vectors - 1) * step, t->vectors * step);
        kg_line(g, "const int step = row & 1 ? -%u : %u;", step, step);
        snprintf(place, sizeof place, "start + j * step + $n * lane - before");
    }
    places(g, s, place);
    if (!kg_row_apart(g, s) && !kg_row_strided(g, s))
        kg_row_insides(g, s);
}

void kg_row_insides(struct kg *g, const struct kg_spec *s)
{
    const unsigned wave = s->arch->wave, threads = s->tile.threads;
    if (uniform_row(s)) {
        kg_note(g, "The row's first and last vector, if they are not whole; counted from the wave's first one.");
        kg_line(g, threads > wave ? "const int ahead = of_wave(lane) / %u * %u;" : "const int ahead = 0;", wave, wave);
        kg_line(g, "const int head = before %% $n ? before / $n - ahead : -1;");
        kg_line(g, "const int tail = (cols + before) %% $n ? (cols + before) / $n - ahead : -1;");
    }
    kg_line(g, "bool inside@@, edged@@;");
    const char *some = "(unsigned)(begin + $n - 1) < (unsigned)(cols + $n - 1)";
    const bool forward = uniform_row(s) || s->op->adds_rows; /* only a first vector can lie before the row */
    kg_each(g);
    kg_line(g, "const int begin = at@ - moved@;");
    if (forward && s->tile.vectors > 1)
        kg_line(g, "inside@ = j == 0 ? %s : begin < cols;", some);
    else
        kg_line(g, "inside@ = %s;", some);
    if (!uniform_row(s))
        kg_line(g, "edged@ = false;");
    else if (s->tile.vectors == 1)
        kg_line(g, "edged@ = (unsigned)head < %u || (unsigned)tail < %u;", wave, wave);
    else
        kg_line(g, "edged@ = (unsigned)(head - %u * j) < %u || (unsigned)(tail - %u * j) < %u;", threads, wave, threads,
                wave);
    kg_each_end(g);
    if (!uniform_row(s)) {
        if (busy(s)) {
            kg_line(g, "unsigned long lanes@@;");
            kg_each(g);
            kg_line(g, "lanes@ = lanes_with(inside@);");
            kg_each_end(g);
        }
        kg_line(g, "const bool odd = any_with_both((before | cols) %% $n != 0, true);");
        kg_open(g, "if (odd)");
        kg_each(g);
        kg_line(g, busy(s) ? "edged@ = (lanes@ & lanes_with(moved@ != 0)) != 0;" : "edged@ = any_with_both(inside@, moved@ != 0);");
        kg_each_end(g);
        kg_close(g);
    }
    kg_blank(g);
    g->guarded = true;
}

void kg_row_loop(struct kg *g, const struct kg_spec *s)
{
    const struct kg_rowwise *t = &s->tile;
    char place[64];
    g->stage = "loop";
    kg_open(g, "for (int first = -before; first < cols; first += %u)",
            t->threads * t->vectors * t->vec);
    if (kg_row_strided(g, s))
        snprintf(place, sizeof place, t->vectors > 1 ? "first + j * %u + lane" : "first + lane",
                 t->threads * t->vec);
    else if (t->vectors == 1)
        snprintf(place, sizeof place, "first + $n * lane");
    else
        snprintf(place, sizeof place, "first + $n * (j * %u + lane)", t->threads);
    places(g, s, place);
    if (kg_row_apart(g, s) || kg_row_strided(g, s))
        return;
    kg_line(g, "const bool whole = first >= 0 && first <= cols - %u;",
            t->threads * t->vectors * t->vec);
}

void kg_row_load(struct kg *g, const struct kg_spec *s, const char *name, bool guarded)
{
    kg_row_load_from(g, s, "x", name, guarded);
}

void kg_row_load_from(struct kg *g, const struct kg_spec *s, const char *matrix, const char *name, bool guarded)
{
    kg_line(g, "$x %s@@;", name);
    kg_row_load_into(g, s, matrix, name, guarded);
}

void kg_row_load_into(struct kg *g, const struct kg_spec *s, const char *matrix, const char *name, bool guarded)
{
    const char *in_row = kg_row_apart(g, s) ? "moved@ == 0" : kg_row_strided(g, s) ? "moved@ < $n" : "moved@ > -$n";
    char vector[32], place[128];
    snprintf(vector, sizeof vector, "%s@", name);
    g->last_read = guarded;
    if (g->guarded) { /* into a variable first: the compiler takes an array with parts that may not be written as one value */
        kg_each_scope(g);
        kg_line(g, "$x loaded = any_$x();");
        kg_line(g, "if (inside@)");
        kg_line(g, "    loaded = load_$x(%s);", vector_of(s, s->in, matrix, true, place, sizeof place));
        kg_line(g, "%s = loaded;", vector);
        kg_each_scope_end(g);
        return;
    }
    if (!guarded) {
        load_each(g, s, vector, "", "$x", matrix, NULL);
        return;
    }
    if (kg_row_apart(g, s) || kg_row_strided(g, s)) {
        load_each(g, s, vector, "", "$x", matrix, in_row);
        return;
    }
    kg_open(g, "if (whole)");
    load_each(g, s, vector, "", "$x", matrix, NULL);
    kg_else(g);
    load_each(g, s, vector, "", "$x", matrix, in_row);
    kg_close(g);
}

void kg_row_load_one(struct kg *g, const struct kg_spec *s, const char *matrix, const char *name)
{
    if (kg_row_strided(g, s))
        kg_line(g, "%s = load_strided_$x(%s_row, at@, %u, cols - 1);", name, matrix, s->tile.threads);
    else
        kg_line(g, "%s = load%s_$x(%s_row, at@);", name, far_word(s), matrix);
}

void kg_row_param_end(struct kg *g, const struct kg_spec *s, const char *known)
{
    if (!kg_row_by_elements(s))
        return;
    kg_note(g, "Where parameters end. Known with the row only, so that none is loaded ahead of what the kernel waits for.");
    kg_line(g, "const int param_end = end_with(cols, %s);", known);
    g->param_end = true;
}

void kg_row_param(struct kg *g, const struct kg_spec *s, const char *from, const char *name,
                  const char *other)
{
    char vector[32];
    snprintf(vector, sizeof vector, "%s`", name);
    kg_line(g, "$w %s``;", name);
    if (g->aligned && kg_row_by_elements(s)) { /* one instruction with and without */
        kg_each(g);
        if (g->param_end)
            kg_line(g, "%s = load_param_element_$w(%s, at@, %s ? param_end : 0, %s);", vector, from, from, other);
        else
            kg_line(g, "%s = load_element_$w(%s, at@, %s ? cols : 0, %s);", vector, from, from, other);
        kg_each_end(g);
        return;
    }
    kg_open(g, "if (%s)", from);
    load_each(g, s, vector, "_param", "$w", from, NULL);
    kg_else(g);
    kg_each(g);
    /* Packed, so that this is not done ahead for the case that hardly occurs. */
    kg_line(g, s->tile.vec > 1 ? "%s` = packed_$w(($w)%s);" : "%s` = ($w)%s;", name, other);
    kg_each_end(g);
    kg_close(g);
    if (kg_dtypes[s->weight].bits < 32 && s->tile.vec > 1) {
        kg_each(g);
        kg_line(g, "%s` = packed_$w(%s`);", name, name);
        kg_each_end(g);
    }
}

void kg_row_sweep(struct kg *g, const struct kg_spec *s, const char *reset,
                  void (*body)(struct kg *g, const struct kg_spec *s, bool own))
{
    if (g->aligned && kg_row_by_elements(s)) { /* without branches */
        kg_each_scope(g);
        body(g, s, true);
        kg_each_scope_end(g);
        return;
    }
    if (kg_row_apart(g, s)) {
        kg_each_scope(g);
        kg_open(g, "if (moved@ == 0)");
        body(g, s, false);
        kg_close(g);
        kg_each_scope_end(g);
        return;
    }
    if (kg_row_strided(g, s)) { /* in every wave there are vectors beyond the row's end */
        kg_each_scope(g);
        kg_open(g, "if (moved@ == 0)");
        body(g, s, false);
        kg_else(g);
        body(g, s, true);
        kg_close(g);
        kg_each_scope_end(g);
        return;
    }
    if (g->guarded) {
        kg_each_scope(g);
        kg_open(g, "if (inside@ && !edged@)");
        body(g, s, false);
        kg_close(g);
        kg_open(g, "if (inside@ && edged@)");
        body(g, s, true);
        kg_close(g);
        kg_each_scope_end(g);
        return;
    }
    for (int own = 0; own < 2; own++) {
        if (own) {
            kg_open(g, "if (!whole)");
            kg_line(g, "%s", reset);
        }
        kg_each_scope(g);
        body(g, s, own);
        kg_each_scope_end(g);
        if (own)
            kg_close(g);
    }
}

void kg_row_sweep_zeros(struct kg *g, const struct kg_spec *s, const char *reset,
                        void (*body)(struct kg *g, const struct kg_spec *s, bool own))
{
    if (!g->aligned || kg_row_passes_over(g, s)) {
        kg_row_sweep(g, s, reset, body);
        return;
    }
    kg_each_scope(g);
    body(g, s, false);
    kg_each_scope_end(g);
}

/* The second time a sweep widens, it must look like another value, or the compiler keeps the first
 * one. */
void kg_row_widened(struct kg *g, const struct kg_spec *s, const char *name, const char *value,
                    bool own)
{
    const bool again = own && s->tile.vec > 1 && !g->guarded;
    kg_line(g, again ? "$f %s = widen_$x(packed_$x(%s));" : "$f %s = widen_$x(%s);", name, value);
}

/* With own: `word` of the vector `name`. */
static void own_by(struct kg *g, const struct kg_spec *s, const char *name, bool own, const char *word)
{
    char at[48] = "local(at@)";
    if (!own)
        return;
    if (kg_row_by_elements(s)) {
        kg_line(g, "%s = moved@ == 0 ? %s : 0;", name, name);
        return;
    }
    if (kg_row_keeps_bytes(s))
        snprintf(at, sizeof at, "(int)(local(bytes@) / %u)", kg_dtypes[s->in].bits / 8);
    if (g->guarded)
        kg_line(g, "%s = %s_$f(%s, %s - begins@);", name, word, name, at);
    else
        kg_line(g, "%s = own_$f(%s, moved@);", name, name);
}

void kg_row_own(struct kg *g, const struct kg_spec *s, const char *name, bool own)
{
    own_by(g, s, name, own, "mine");
}

void kg_row_own_or_nan(struct kg *g, const struct kg_spec *s, const char *name, bool own)
{
    own_by(g, s, name, own, kg_isa_of(s->arch)->double_sums ? "mine_or_nan" : "mine");
}

void kg_row_until(struct kg *g, const struct kg_spec *s, const char *line, const char *column)
{
    char count[64];
    const unsigned threads = s->tile.threads;
    if (kg_row_strided(g, s))
        snprintf(count, sizeof count, "(%s - at@ + %u) / %u", column, threads - 1, threads);
    else
        snprintf(count, sizeof count, "%s - at@", column);
    kg_line(g, line, count);
}

void kg_row_own_part(struct kg *g, const struct kg_spec *s, const char *name)
{
    kg_line(g, kg_row_apart(g, s) || kg_row_strided(g, s) ? "if (moved@ != 0)" : "if (!whole)");
    kg_line(g, kg_row_apart(g, s) ? "    %s = 0;" : "    %s = own_$f(%s, moved@);", name, name);
}

/* The store of vector j, without a look at `moved`. */
static void store_one(struct kg *g, const struct kg_spec *s, const char *matrix, const char *type,
                      const char *value)
{
    char place[128];
    if (kg_row_strided(g, s))
        kg_line(g, "store_strided_%s(%s_row, at@, %u, $n - moved@, %s);", type, matrix, s->tile.threads, value);
    else
        kg_line(g, "store%s%s_%s(%s, %s);", far_word(s), g->aligned && s->tile.loop && g->last_read ? "_last" : "",
                type, vector_of(s, type[1] == 'o' ? s->out : s->in, matrix, true, place, sizeof place), value);
}

void kg_row_store_to(struct kg *g, const struct kg_spec *s, const char *matrix, const char *type,
                     const char *value)
{
    if (g->aligned && kg_row_by_elements(s)) {
        kg_line(g, "store_element_%s(%s_row, at@, cols, %s);", type, matrix, value);
        return;
    }
    kg_open(g, g->guarded ? "if (inside@)"
               : kg_row_apart(g, s) ? "if (moved@ == 0)"
               : kg_row_strided(g, s)    ? "if (moved@ < $n)"
                                  : "if (moved@ > -$n && moved@ < $n)");
    store_one(g, s, matrix, type, value);
    kg_close(g);
}

void kg_row_store_all(struct kg *g, const struct kg_spec *s, const char *value)
{
    if (g->guarded || kg_row_apart(g, s) || kg_row_strided(g, s)) {
        kg_each(g);
        kg_row_store(g, s, value);
        kg_each_end(g);
        return;
    }
    kg_open(g, "if (whole)");
    kg_each(g);
    store_one(g, s, "y", "$o", value);
    kg_each_end(g);
    kg_else(g);
    kg_each(g);
    kg_row_store(g, s, value);
    kg_each_end(g);
    kg_close(g);
}

void kg_row_store(struct kg *g, const struct kg_spec *s, const char *value)
{
    kg_row_store_to(g, s, "y", "$o", value);
}

void kg_row_keep_packed(struct kg *g, const struct kg_spec *s, const char *name)
{
    if (kg_dtypes[s->in].bits == 32 || s->tile.vec == 1)
        return;
    kg_each(g);
    kg_line(g, "%s@ = packed_$x(%s@);", name, name);
    kg_each_end(g);
}

/* Over the waves of a row, from what lane `from` of each has. */
static void join_waves(struct kg *g, const struct kg_spec *s, const char *name, const struct kg_reduction *r, unsigned from)
{
    const struct kg_rowwise *t = &s->tile;
    const unsigned wave = s->arch->wave, waves = t->threads / wave;
    char joined[96], other[32];
    const char *slot = t->rows > 1 ? "[slot]" : "";
    char rows[16] = "";
    if (t->rows > 1)
        snprintf(rows, sizeof rows, "[%u]", t->rows);
    kg_line(g, "__shared__ %s %s_of_wave%s[%u];", r->type, name, rows, waves);
    g->lds += r->bytes * waves * t->rows;
    kg_line(g, "if (lane %% %u == %u)", wave, from);
    kg_line(g, "    %s_of_wave%s[lane / %u] = %s;", name, slot, wave, name);
    kg_line(g, "barrier();");
    if (waves & (waves - 1)) { /* no exchange pairs all of them */
        kg_line(g, "%s = %s_of_wave%s[0];", name, name, slot);
        for (unsigned w = 1; w < waves; w++) {
            snprintf(other, sizeof other, "%s_of_wave%s[%u]", name, slot, w);
            snprintf(joined, sizeof joined, r->join, name, other);
            kg_line(g, "%s = %s;", name, joined);
        }
        return;
    }
    kg_line(g, "%s = %s_of_wave%s[lane %% %u];", name, name, slot, waves);
    for (unsigned group = 2; group <= waves; group *= 2) {
        snprintf(other, sizeof other, "other%u%s(%s)", group, r->suffix, name);
        snprintf(joined, sizeof joined, r->join, name, other);
        kg_line(g, "%s = %s;", name, joined);
    }
}

/* Of two doubles a lane exchanges one for its neighbour's other one: from then on even lanes add up the first ones, odd
 * lanes the second ones. */
static void reduce_halves(struct kg *g, const struct kg_spec *s, const char *name, unsigned lanes)
{
    const unsigned wave = s->arch->wave, rows = s->tile.rows, halves = 2 * s->tile.threads / wave;
    const char *slot = rows > 1 ? "[slot]" : "";
    kg_line(g, "{");
    g->indent++;
    kg_line(g, "const bool second = lane %% 2;");
    kg_line(g, "double half = half_of(%s, second) + other2_wide(half_of(%s, !second));", name, name);
    for (unsigned group = 4; group <= lanes; group *= 2)
        kg_line(g, "half += other%u_wide(half);", group);
    if (many_waves(s)) {
        char of_rows[16] = "";
        if (rows > 1)
            snprintf(of_rows, sizeof of_rows, "[%u]", rows);
        kg_line(g, "__shared__ double %s_of_wave%s[%u];", name, of_rows, halves);
        g->lds += 8 * halves * rows;
        kg_line(g, "if (lane %% %u < 2)", wave);
        kg_line(g, "    %s_of_wave%s[lane / %u * 2 + lane %% 2] = half;", name, slot, wave);
        kg_line(g, "barrier();");
        const unsigned at_once = halves & (halves - 1) ? 2 : smaller(halves, wave);
        kg_line(g, "half = %s_of_wave%s[lane %% %u];", name, slot, at_once);
        for (unsigned first = at_once; first < halves; first += at_once)
            kg_line(g, "half += %s_of_wave%s[lane %% %u + %u];", name, slot, at_once, first);
        for (unsigned group = 4; group <= at_once; group *= 2)
            kg_line(g, "half += other%u_wide(half);", group);
    }
    kg_line(g, "%s = from_halves(half, second);", name);
    kg_close(g);
}

void kg_row_reduce(struct kg *g, const struct kg_spec *s, const char *name,
                   const struct kg_reduction *r)
{
    const struct kg_rowwise *t = &s->tile;
    const unsigned wave = s->arch->wave, lanes = smaller(t->threads, wave);
    const bool to_last = kg_isa_of(s->arch)->last_lane && lanes == wave && r->sum;
    char joined[96], other[32];
    g->stage = "reduce";
    if (r->halves && !s->tile.loop) { /* there it spills */
        reduce_halves(g, s, name, lanes);
        return;
    }
    for (unsigned group = 2; group <= lanes; group *= 2) {
        snprintf(other, sizeof other, "%s%u%s(%s)", to_last && group > 16 ? "below" : "other", group,
                 r->suffix, name);
        snprintf(joined, sizeof joined, r->join, name, other);
        kg_line(g, "%s = %s;", name, joined);
    }
    if (!many_waves(s)) {
        if (to_last)
            kg_line(g, "%s = of_last%s(%s);", name, r->suffix, name);
        return;
    }
    join_waves(g, s, name, r, to_last ? wave - 1 : 0);
}

void kg_row_reduce_waves(struct kg *g, const struct kg_spec *s, const char *name, const struct kg_reduction *r)
{
    g->stage = "reduce";
    if (many_waves(s))
        join_waves(g, s, name, r, 0);
}

void kg_row_share(struct kg *g, const struct kg_spec *s, const char *slot, const char *name, unsigned bytes)
{
    kg_line(g, "if (lane %% %u < %u)", s->arch->wave, s->tile.cluster);
    kg_line(g, "    give(&%s, lane %% %u, &%s, %u);", slot, s->arch->wave, name, bytes / 4);
    kg_line(g, "cluster_barrier();");
}

void kg_row_explain(struct kg_buf *out, const struct kg_spec *s)
{
    const struct kg_rowwise *t = &s->tile;
    if (t->cluster)
        kg_buf_printf(out, "%u workgroups a row, %u lanes a row, ", t->cluster, t->threads);
    else
        kg_buf_printf(out, "%u row%s a workgroup, %u lanes a row, ", t->rows, t->rows > 1 ? "s" : "", t->threads);
    if (t->loop)
        kg_buf_printf(out, "any number of columns, read again for the output");
    else
        kg_buf_printf(out, "%u to %u columns, read once", t->vec, kg_spec_max_cols(s));
    if (t->waves)
        kg_buf_printf(out, ", compiled for %u waves a SIMD", t->waves);
}

const char *kg_row_legal(const struct kg_spec *s, unsigned registers)
{
    if (s->tile.cluster && !(s->arch->caps & FLY_CAP_CLUSTER && kg_isa_of(s->arch)->clusters))
        return "workgroups cannot exchange values";
    if (registers > kg_row_registers(s))
        return "a work-item would need more registers than a workgroup of this size has";
    if (kg_spec_block(s) > 1024)
        return "a workgroup has at most 1024 work-items";
    if (kg_spec_block(s) % s->arch->wave)
        return "a workgroup is whole waves";
    return NULL;
}

void kg_row_offer(struct kg_spec s, const struct kg_rowwise *tiles, unsigned count,
                  void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    for (unsigned i = 0; i < count; i++) {
        s.tile = tiles[i];
        if (!s.tile.vec)
            s.tile.vec = 128 / kg_dtypes[s.in].bits;
        /* Rows enough that their scales are few lines; of the shortest ones instructions matter more. */
        const bool more = kg_row_codes(&s) && s.tile.threads < s.arch->wave && s.tile.vectors > 2 && s.tile.vectors <= 4;
        const unsigned lanes = more ? 64 : s.arch->wave;
        if (s.tile.rows > 1 && !s.tile.packed && s.tile.rows * s.tile.threads > lanes && kg_isa_of(s.arch)->wave_groups && !s.op->adds_rows)
            s.tile.rows = s.tile.threads < lanes ? lanes / s.tile.threads : 1;
        if (!s.op->legal(&s))
            visit(&s, with);
    }
}

void kg_row_offer_few(const struct kg_spec *s, void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    static const struct kg_rowwise of_16_bits[] = {{1, 32, 3}}, of_32_bits[] = {{1, 64, 3}};
    if (!kg_isa_of(s->arch)->any_alignment || kg_isa_of(s->arch)->wave_groups || s->out != s->in)
        return;
    kg_row_offer(*s, kg_dtypes[s->in].bits == 16 ? of_16_bits : of_32_bits, 1, visit, with);
}

void kg_row_offer_hinted(const struct kg_spec *s, void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    static const struct kg_rowwise wave64[] = {{1, 256, 4, .waves = 4}, {1, 512, 8, .waves = 2}};
    static const struct kg_rowwise wave32[] = {{1, 256, 4, .waves = 8}};
    if (!kg_isa_of(s->arch)->any_alignment || s->weight != s->in || s->out != s->in)
        return;
    if (s->arch->wave == 64)
        kg_row_offer(*s, wave64, kg_dtypes[s->in].bits == 16 ? 2 : 1, visit, with);
    else
        kg_row_offer(*s, wave32, 1, visit, with);
}

void kg_row_offer_odd(const struct kg_spec *s, void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    static const struct kg_rowwise tiles[] = {
        {8, 32, 8, .vec = 1}, {8, 32, 12, .vec = 1}, {2, 32, 17, .vec = 1}, {1, 64, 13, .vec = 1}, {1, 64, 16, .vec = 1},
        {1, 128, 13, .vec = 1}, {1, 128, 16, .vec = 1}, {1, 192, 16, .vec = 1}, {1, 256, 16, .vec = 1},
    };
    static const struct kg_rowwise of_codes[] = {
        {4, 32, 9, .vec = 1}, {2, 32, 17, .vec = 1}, {1, 64, 13, .vec = 1}, {1, 64, 16, .vec = 1}, {1, 128, 13, .vec = 1},
        {1, 128, 16, .vec = 1}, {1, 192, 16, .vec = 1}, {1, 256, 16, .vec = 1},
    };
    if (kg_isa_of(s->arch)->any_alignment || kg_dtypes[s->in].bits != 16 || s->weight != s->in)
        return;
    if (s->out == s->in)
        kg_row_offer(*s, tiles, sizeof tiles / sizeof *tiles, visit, with);
    else if (kg_dtypes[s->out].bits == 8)
        kg_row_offer(*s, of_codes, sizeof of_codes / sizeof *of_codes, visit, with);
}
