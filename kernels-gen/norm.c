/* SPDX-License-Identifier: MIT */
/* What the norms share; see norm.h. */
#include "norm.h"

#include <stdio.h>

/* Vectors of 16 bytes. Short rows share a workgroup of 256; several vectors a lane keep the exchanges
 * between lanes few. */
static const struct kg_rowwise tiles[] = {
    /* rows threads vectors */
    {32, 8, 1}, {32, 8, 2},
    {16, 16, 1}, {16, 16, 2}, {16, 16, 3}, {16, 16, 4},
    {8, 32, 1}, {8, 32, 2}, {8, 32, 3}, {8, 32, 4},
    {4, 64, 2}, {4, 64, 3}, {4, 64, 4},
    {2, 128, 3}, {2, 128, 4},
    {1, 256, 1}, {1, 256, 2}, {1, 256, 3}, {1, 256, 4},
    {1, 512, 2}, {1, 512, 3}, {1, 512, 4}, {1, 512, 8},
    {1, 1024, 1}, {1, 1024, 2}, {1, 1024, 4}, {1, 1024, 8},
    {1, 512, 4, .loop = true},
};

/* The types that are combined with others have fewer: from 512 columns of 16 bits to 16384, two thirds of the lanes
 * are busy. */
static const struct kg_rowwise few_tiles[] = {
    {32, 8, 1}, {16, 16, 1}, {8, 32, 1}, {8, 32, 2}, {8, 32, 3}, {8, 32, 4}, {4, 64, 3}, {1, 256, 1},
    {2, 128, 3}, {2, 128, 4}, {1, 256, 2}, {1, 256, 3}, {1, 256, 4}, {1, 512, 3}, {1, 512, 4}, {1, 512, 8},
    {1, 512, 4, .loop = true},
};

/* The same of AMD's targets with waves of 32, with f32, and all types of those that stand for several GPUs. Rows share a wave, and
 * so the lines at their ends and that of their scales, where these would be more than a tenth of a row. */
static const struct kg_rowwise few_tiles_of_32[] = {
    {32, 8, 1}, {16, 16, 1}, {16, 16, 2}, {16, 16, 4}, {16, 16, 5}, {8, 32, 3}, {8, 32, 4}, {8, 32, 6}, {8, 32, 8}, {1, 256, 1},
    {2, 128, 3}, {2, 128, 4}, {1, 256, 2}, {1, 256, 3}, {1, 256, 4}, {1, 512, 3}, {1, 512, 4}, {1, 512, 8},
    {1, 1024, 8},
    {1, 512, 4, .loop = true},
};

/* The same where a wave is a workgroup: a lane has at least two vectors where rows allow, for half of its work is
 * exchanging with others. The widest tiles are for few rows. */
static const struct kg_rowwise tiles_of_64[] = {
    {16, 4, 1}, {16, 4, 2}, {8, 8, 2}, {8, 8, 3}, {8, 8, 4}, {4, 16, 3}, {4, 16, 4}, {2, 32, 3}, {2, 32, 4},
    {1, 64, 3}, {1, 64, 4}, {1, 128, 3}, {1, 128, 4},
    {1, 256, 1}, {1, 256, 2}, {1, 256, 3}, {1, 256, 4}, {1, 256, 8}, {1, 512, 2}, {1, 512, 3}, {1, 512, 4}, {1, 512, 8},
    {1, 1024, 1}, {1, 1024, 2}, {1, 1024, 4}, {1, 1024, 8},
    {1, 512, 4, .loop = true},
};
static const struct kg_rowwise few_tiles_of_64[] = {
    {16, 4, 2}, {8, 8, 2}, {8, 8, 4}, {8, 8, 6}, {4, 16, 4}, {4, 16, 6}, {2, 32, 3}, {2, 32, 4}, {1, 64, 3}, {1, 64, 4},
    {1, 64, 6}, {1, 64, 8}, {1, 128, 3}, {1, 128, 4}, {1, 128, 6}, {1, 128, 8},
    {1, 256, 3}, {1, 256, 4}, {1, 256, 8}, {1, 512, 4}, {1, 512, 8}, {1, 1024, 8},
    {1, 512, 4, .loop = true},
};
/* More of CDNA's, where instructions come close to memory's time, and lanes without columns have as many as others. */
static const struct kg_rowwise more_tiles_of_64[] = {
    {16, 4, 3}, {16, 4, 4}, {16, 4, 5}, {8, 8, 5}, {4, 16, 5}, {2, 32, 5},
};
/* Of those with codes, and of f32, which has theirs. */
static const struct kg_rowwise code_tiles_of_64[] = {
    {4, 16, 3}, {4, 16, 5}, {2, 32, 5}, {1, 64, 5}, {1, 128, 5},
};
/* LayerNorm's of 16 bits, which take more instructions than any other: as many lanes as possible have columns, and as few as
 * possible exchange. There is room for a line of codes ahead of 257, 385, 513, 769, 1025, 1537 and 2049 columns. */
static const struct kg_rowwise busy_tiles_of_64[] = {
    {8, 8, 5}, {8, 8, 7}, {8, 8, 9}, {4, 16, 7}, {4, 16, 9}, {2, 32, 7}, {2, 32, 9},
};
/* Of 16 bits: a vector of f32 has few codes, and four of them would be stored as a quarter of a line. */
static const struct kg_rowwise four_lanes[] = {{16, 4, 4}, {16, 4, 1}};

/* NVIDIA's. Workgroups of 64 to 128 start and end on their own and still have 4 KiB to load, which is what a start
 * costs. Rows longer than the registers of a workgroup are shared: parameters that are read for each row would cost as
 * much as the row. */
static const struct kg_rowwise ptx_tiles[] = {
    {16, 8, 1}, {16, 8, 2}, {8, 16, 1}, {8, 16, 2}, {4, 16, 4},
    {4, 32, 1}, {2, 32, 2}, {2, 32, 3}, {1, 32, 4}, {2, 64, 1}, {2, 64, 2},
    {1, 64, 3}, {1, 64, 4}, {1, 128, 1}, {1, 128, 2}, {1, 128, 3}, {1, 128, 4},
    {1, 256, 1}, {1, 256, 2}, {1, 256, 3}, {1, 256, 4}, {1, 512, 1}, {1, 512, 2}, {1, 512, 3}, {1, 512, 4}, {1, 512, 8},
    {1, 1024, 1}, {1, 1024, 2}, {1, 1024, 4}, {1, 1024, 8},
    {1, 2048, 4, .cluster = 8}, {1, 4096, 4, .cluster = 8},
    {1, 512, 4, .loop = true},
};
/* Of widths between powers of two, measured: of ops that ask for parameters and of others, which are fastest with two
 * vectors a lane. Five vectors and parameters in registers would leave room for too few lanes of the former. */
static const struct kg_rowwise ptx_asking_tiles[] = {{8, 16, 3}, {2, 64, 3}, {1, 192, 3}, {1, 224, 4}, {1, 320, 3}};
static const struct kg_rowwise ptx_light_tiles[] = {
    {1, 96, 2}, {1, 160, 2}, {1, 192, 2}, {1, 320, 2}, {1, 384, 2}, {1, 640, 2}, {1, 128, 5},
};
/* Of 8-bit outputs, whose rows are kept as f32: four vectors a lane, in as few lanes as that takes. */
static const struct kg_rowwise ptx_code_tiles[] = {
    {16, 8, 1}, {16, 8, 2}, {8, 16, 2}, {2, 32, 2}, {2, 32, 3}, {1, 32, 4}, {1, 64, 3}, {1, 64, 4}, {1, 128, 3}, {1, 128, 4},
    {1, 160, 4}, {1, 256, 1}, {1, 256, 2}, {1, 256, 3}, {1, 256, 4}, {1, 512, 2}, {1, 512, 3}, {1, 512, 4}, {1, 512, 8},
    {1, 512, 4, .loop = true},
};
/* These pay where the row is read again from L1; the second of ops that need few registers beside the row. */
static const struct kg_rowwise ptx_again_tiles[] = {{1, 256, 4, .loop = true}, {1, 128, 4, .loop = true}};

/* One element at a time: rows too narrow for a vector, and whatever nothing else takes. */
static const struct kg_rowwise narrow[] = {
    {32, 8, 1, .vec = 1},
    {1, 256, 4, .vec = 1, .loop = true},
};

static const struct {
    enum kg_type in, weight, out;
} types[] = {
    /* input weight output */
    {KG_F32, KG_F32, KG_F32},   {KG_F16, KG_F16, KG_F16},       {KG_BF16, KG_BF16, KG_BF16},
    {KG_F16, KG_F32, KG_F16},   {KG_BF16, KG_F32, KG_BF16},
    {KG_F32, KG_F32, KG_I8},    {KG_F16, KG_F16, KG_I8},        {KG_BF16, KG_BF16, KG_I8},
    {KG_F32, KG_F32, KG_E4M3},  {KG_F16, KG_F16, KG_E4M3},      {KG_BF16, KG_BF16, KG_E4M3},
    {KG_F32, KG_F32, KG_E4M3FNUZ}, {KG_F16, KG_F16, KG_E4M3FNUZ}, {KG_BF16, KG_BF16, KG_E4M3FNUZ},
};

static bool has_type(const struct kg_arch *arch, enum kg_type t)
{
    return t == KG_E4M3       ? arch->fp8 == KG_FP8_OCP
           : t == KG_E4M3FNUZ ? arch->fp8 == KG_FP8_FNUZ
                              : true;
}

bool kg_is_quantised(const struct kg_spec *s)
{
    return kg_dtypes[s->out].bits == 8;
}

unsigned kg_norm_batch(const struct kg_spec *s)
{
    const unsigned held = kg_isa_of(s->arch)->param_vectors, all = s->tile.vectors;
    if (all <= held && !(kg_is_quantised(s) && held < 4))
        return all;
    return (kg_is_quantised(s) && held < 4) || all % 2 ? 1 : 2;
}

bool kg_norm_keeps_wide(const struct kg *g, const struct kg_spec *s)
{
    const unsigned most = s->arch->wave == 64 ? 40 : 32;
    return g->guarded && (kg_is_quantised(s) || s->tile.vectors * s->tile.vec <= most);
}

void kg_norm_wide(struct kg *g, const struct kg_spec *s)
{
    if (!kg_norm_keeps_wide(g, s))
        return;
    kg_line(g, "$f wide@@;");
    kg_each(g);
    kg_line(g, "wide@ = widen_$x(values@);");
    kg_each_end(g);
}

void kg_norm_squares(struct kg *g)
{
    kg_line(g, g->guarded ? "f32x2 squares = 0;" : "$f squares = 0;");
}

void kg_norm_add_squares(struct kg *g, const char *of)
{
    if (g->guarded)
        kg_line(g, "add_squares_$f(squares, %s);", of);
    else
        kg_line(g, "squares += %s * %s;", of, of);
}

void kg_norm_square(struct kg *g)
{
    kg_line(g, g->guarded ? "float square = squares.x + squares.y;" : "float square = sum_$f(squares);");
}

void kg_norm_variants(const struct kg_op *op, const struct kg_arch *arch, bool mixed,
                      void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    for (unsigned t = 0; t < sizeof types / sizeof *types; t++) {
        const struct kg_spec s = {.op = op, .arch = arch, .in = types[t].in, .weight = types[t].weight, .out = types[t].out};
        if (!has_type(arch, s.out) || (s.weight != s.in && !mixed))
            continue;
        /* Of f32 on AMD targets those that its codes have, with which its statistics are theirs. */
        const bool plain = s.weight == s.in && s.out == s.in && (s.in != KG_F32 || !kg_isa_of(arch)->any_alignment);
        const bool all = plain && !kg_arch_generic(arch);
        if (kg_isa_of(arch)->resident_lanes && all) {
            kg_row_offer(s, ptx_tiles, sizeof ptx_tiles / sizeof *ptx_tiles, visit, with);
            if (op->asks)
                kg_row_offer(s, ptx_asking_tiles, sizeof ptx_asking_tiles / sizeof *ptx_asking_tiles, visit, with);
            else
                kg_row_offer(s, ptx_light_tiles, sizeof ptx_light_tiles / sizeof *ptx_light_tiles, visit, with);
            for (unsigned i = 0; i < sizeof ptx_again_tiles / sizeof *ptx_again_tiles; i++) {
                struct kg_spec loop = s;
                loop.tile = ptx_again_tiles[i];
                loop.tile.vec = 128 / kg_dtypes[s.in].bits;
                if (kg_row_again(&loop) && (op->light || (i == 0 && s.in != KG_F32)))
                    kg_row_offer(s, &ptx_again_tiles[i], 1, visit, with);
            }
        } else if (kg_isa_of(arch)->resident_lanes && kg_is_quantised(&s))
            kg_row_offer(s, ptx_code_tiles, sizeof ptx_code_tiles / sizeof *ptx_code_tiles, visit, with);
        else if (kg_isa_of(arch)->wave_groups && all)
            kg_row_offer(s, tiles_of_64, sizeof tiles_of_64 / sizeof *tiles_of_64, visit, with);
        else if (kg_isa_of(arch)->wave_groups)
            kg_row_offer(s, few_tiles_of_64, sizeof few_tiles_of_64 / sizeof *few_tiles_of_64, visit, with);
        else if (all)
            kg_row_offer(s, tiles, sizeof tiles / sizeof *tiles, visit, with);
        else if (kg_isa_of(arch)->any_alignment)
            kg_row_offer(s, few_tiles_of_32, sizeof few_tiles_of_32 / sizeof *few_tiles_of_32, visit, with);
        else
            kg_row_offer(s, few_tiles, sizeof few_tiles / sizeof *few_tiles, visit, with);
        const bool codes = kg_is_quantised(&s) || s.in == KG_F32;
        if (arch->wave == 64 && all)
            kg_row_offer(s, more_tiles_of_64, sizeof more_tiles_of_64 / sizeof *more_tiles_of_64, visit, with);
        if (arch->wave == 64 && codes)
            kg_row_offer(s, code_tiles_of_64, sizeof code_tiles_of_64 / sizeof *code_tiles_of_64, visit, with);
        if (arch->wave == 64 && kg_is_quantised(&s) && s.in != KG_F32 && op->asks)
            kg_row_offer(s, busy_tiles_of_64, sizeof busy_tiles_of_64 / sizeof *busy_tiles_of_64, visit, with);
        if (kg_isa_of(arch)->wave_groups && !all && s.in != KG_F32)
            kg_row_offer(s, four_lanes, arch->wave == 64 && codes ? sizeof four_lanes / sizeof *four_lanes : 1, visit, with);
        if (plain)
            kg_row_offer_few(&s, visit, with);
        if (all)
            kg_row_offer_hinted(&s, visit, with);
        kg_row_offer_odd(&s, visit, with);
        kg_row_offer(s, narrow, sizeof narrow / sizeof *narrow, visit, with);
    }
}

void kg_norm_rows(struct kg *g, const struct kg_spec *s)
{
    if (!s->tile.loop)
        return;
    g->stage = "rows";
    kg_row_matrix(g, s, KG_OF_IN, "residual_out", "ldro");
    kg_line(g, "const %s *kept_row = residual ? residual_out_row : x_row;", kg_dtypes[s->in].token);
    kg_blank(g);
}

void kg_norm_add(struct kg *g, const struct kg_spec *s)
{
    g->stage = "add";
    kg_note(g, "The row is x + residual where there is one.");
    kg_open(g, "if (residual)");
    kg_row_matrix(g, s, KG_OF_IN, "residual", "ldr");
    if (!s->tile.loop)
        kg_row_matrix(g, s, KG_OF_IN, "residual_out", "ldro");
    kg_row_load_from(g, s, "residual", "more", false);
    if (g->guarded) {
        kg_each_scope(g);
        kg_line(g, "$x sum = values@;");
        kg_open(g, "if (inside@)");
        kg_line(g, "sum = added_$x(sum, more@);");
        kg_row_store_to(g, s, "residual_out", "$x", "sum");
        kg_close(g);
        kg_line(g, "values@ = sum;");
        kg_each_scope_end(g);
        kg_close(g);
        return;
    }
    kg_each(g);
    kg_line(g, "values@ = added_$x(values@, more@);");
    kg_row_store_to(g, s, "residual_out", "$x", "values@");
    kg_each_end(g);
    kg_close(g);
}

/* `$f t` with the smoothing factor. */
static void quantised_result(struct kg *g, const struct kg_spec *s, const struct kg_norm_result *r)
{
    r->result(g, s);
    kg_line(g, "t *= widen_$x(smooth`);");
}

static void read_params(struct kg *g, const struct kg_spec *s, const struct kg_norm_result *r)
{
    if (!r->loaded)
        r->params(g, s);
    if (kg_is_quantised(s))
        kg_row_param(g, s, "xscale", "smooth", "1");
}

/* `top` of the vectors in values@. */
static void magnitude(struct kg *g, const struct kg_spec *s, const struct kg_norm_result *r)
{
    kg_line(g, "{"); /* the names of its parameters are free again after it */
    g->indent++;
    kg_batches(g, (int)r->batch);
    read_params(g, s, r);
    kg_each_scope(g);
    quantised_result(g, s, r);
    kg_row_own_part(g, s, "t");
    kg_line(g, "top = larger_bits(top, magnitude_$f(t));");
    kg_each_scope_end(g);
    kg_batches_end(g);
    kg_close(g);
}

/* wide@ *= the smoothing factor, where there is one. */
static void smooth_kept(struct kg *g, const struct kg_spec *s)
{
    kg_open(g, "if (xscale)");
    kg_row_param(g, s, "xscale", "smooth", "1");
    kg_each(g);
    kg_line(g, "wide@ *= widen_$w(smooth`);");
    kg_each_end(g);
    kg_close(g);
}

/* The same where the result stays in wide@: smoothing is skipped where there is none, of single elements for all of a row
 * at once. */
static void kept_magnitude(struct kg *g, const struct kg_spec *s, const struct kg_norm_result *r)
{
    const bool at_once = kg_row_by_elements(s);
    if (!g->guarded)
        kg_line(g, "$f wide@@;");
    kg_line(g, "{");
    g->indent++;
    kg_batches(g, (int)r->batch);
    if (!r->loaded)
        r->params(g, s);
    kg_each_scope(g);
    r->result(g, s);
    kg_line(g, "wide@ = t;");
    kg_each_scope_end(g);
    if (at_once) {
        kg_batches_end(g);
        kg_batches(g, g->copies);
    }
    smooth_kept(g, s);
    kg_each(g);
    kg_quant_peak(g, s);
    kg_each_end(g);
    kg_batches_end(g);
    kg_close(g);
    kg_peak_end(g);
}

bool kg_quant_keeps(const struct kg *g, const struct kg_spec *s)
{
    return g->guarded || ((g->aligned || s->tile.vec == 1) && kg_row_keeps_codes(s));
}

void kg_peak_begin(struct kg *g)
{
    kg_line(g, "float most_seen = 0;");
    kg_line(g, "bool nan_seen = false;");
}

void kg_quant_peak(struct kg *g, const struct kg_spec *s)
{
    if (kg_row_by_elements(s)) {
        kg_line(g, "wide@ = moved@ == 0 ? wide@ : 0;");
        kg_line(g, "peak_$f(most_seen, nan_seen, wide@);");
        return;
    }
    kg_line(g, g->guarded ? "if (inside@)" : "if (moved@ == 0)");
    kg_line(g, "    peak_$f(most_seen, nan_seen, wide@);");
}

void kg_peak_end(struct kg *g)
{
    kg_line(g, "int top = nan_seen ? 0x7fc00000 : __builtin_bit_cast(int, most_seen);");
}

bool kg_quant_divides(const struct kg_spec *s)
{
    return s->op->divides && (s->op->weightless || s->in == KG_F32);
}

/* Whether rounding to integers is the addition of 0x1.8p+23, and codes the low bytes of what that gives. */
static bool adds_for_codes(const struct kg *g, const struct kg_spec *s)
{
    return s->out == KG_I8 && (kg_isa_of(s->arch)->any_alignment || kg_quant_keeps(g, s));
}

void kg_quant_codes(struct kg *g, const struct kg_spec *s, const char *to, const char *value)
{
    char line[96];
    const bool by_addition = adds_for_codes(g, s);
    if (kg_quant_divides(s))
        snprintf(line, sizeof line, by_addition ? "%s codes_$o(quotients_$f(%s, inverse, missing) + 0x1.8p+23f, picks);"
                                                : "%s narrow_$o(quotients_$f(%s, inverse, missing));", to, value);
    else
        snprintf(line, sizeof line, by_addition ? "%s codes_$o(scaled_$f(%s, inverse, 0x1.8p+23f), picks);"
                                                : "%s narrow_$o(%s * inverse);", to, value);
    kg_line(g, "%s", line);
}

void kg_quant_lift(struct kg *g, const char *value)
{
    kg_open(g, "if (lift != 1)");
    kg_line(g, "%s = within_$f(%s * lift, limit);", value, value);
    kg_close(g);
}

/* Rows whose accesses are half a line of codes each: where the tile is full, neighbours swap codes, so that each stores
 * what two have of a vector. */
static bool stores_pairs(const struct kg_spec *s)
{
    return s->tile.threads * s->tile.vec == 32 && s->tile.vectors % 2 == 0;
}

void kg_quant_write(struct kg *g, const struct kg_spec *s, const char *value)
{
    if (g->guarded && stores_pairs(s)) {
        kg_note(g, "A row as long as the tile: of each two vectors an even lane stores the first, its neighbour's too, an odd "
                   "lane the second.");
        kg_open(g, "if (cols == %u)", kg_spec_max_cols(s));
        kg_line(g, "#pragma unroll");
        kg_open(g, "for (int j = 0; j < %u; j += 2)", s->tile.vectors);
        kg_quant_codes(g, s, "const $o first =", "wide[j]");
        kg_quant_codes(g, s, "const $o second =", "wide[j + 1]");
        kg_line(g, "store_pair_$o(y_row, at[j] + y_step, at[j + 1] + y_step, first, second);");
        kg_close(g);
        kg_line(g, "return;");
        kg_close(g);
    }
    kg_each(g);
    if (kg_row_by_elements(s)) {
        kg_quant_codes(g, s, "const $o out =", value);
        kg_row_store(g, s, "out");
        kg_each_end(g);
        return;
    }
    kg_open(g, g->guarded ? "if (inside@)" : "if (moved@ == 0)");
    kg_quant_codes(g, s, "const $o out =", value);
    if (g->guarded)
        kg_row_store_to(g, s, "y", "$o", "out");
    else
        kg_line(g, "store_$o(y_row, at@, out);");
    kg_close(g);
    kg_each_end(g);
}

static void write_values(struct kg *g, const struct kg_spec *s, const struct kg_norm_result *r)
{
    kg_batches(g, (int)r->batch);
    read_params(g, s, r);
    if (g->guarded) {
        kg_each(g);
        kg_open(g, "if (inside@)");
        r->result(g, s);
        kg_line(g, "const $o out = narrow_$o(t);");
        kg_row_store_to(g, s, "y", "$o", "out");
        kg_close(g);
        kg_each_end(g);
        kg_batches_end(g);
        return;
    }
    kg_line(g, "$o out``;");
    kg_each_scope(g);
    if (kg_is_quantised(s)) {
        quantised_result(g, s, r);
        kg_quant_lift(g, "t");
        kg_quant_codes(g, s, "out` =", "t");
    } else {
        r->result(g, s);
        kg_line(g, "out` = narrow_$o(t);");
    }
    kg_each_scope_end(g);
    kg_row_store_all(g, s, "out`");
    kg_batches_end(g);
}

/* `level`'s reciprocal: inverse, and with kg_quant_divides, missing. */
static void reciprocals(struct kg *g, const char *level, bool divides)
{
    if (!divides) {
        kg_line(g, "inverse = reciprocal(%s);", level);
        return;
    }
    kg_line(g, "inverse = reciprocal_near(%s);", level);
    kg_line(g, "missing = __builtin_fmaf(-%s, inverse, 1) * inverse;", level);
}

/* Whether a workgroup has rows in several waves. */
static bool shares_scales(const struct kg_spec *s)
{
    return kg_isa_of(s->arch)->any_alignment && s->tile.rows > 1 && s->tile.rows * s->tile.threads > s->arch->wave;
}

void kg_quant_scale(struct kg *g, const struct kg_spec *s)
{
    const char *largest = s->out == KG_I8 ? "127" : s->out == KG_E4M3 ? "448" : "240";
    const bool divides = kg_quant_divides(s), keeps = kg_quant_keeps(g, s);
    g->stage = "scale";
    kg_note(g, "The scale takes the largest magnitude to the largest code: the quotient, corrected by its rest to the float "
               "nearest to it.");
    kg_line(g, "const float most = __builtin_bit_cast(float, top);");
    kg_line(g, "const float rough = most * (1 / %s.0f);", largest);
    kg_line(g, "float unit = __builtin_fmaf(__builtin_fmaf(-%s.0f, rough, most), 1 / %s.0f, rough);", largest, largest);
    if (divides)
        kg_line(g, "unit = top == 0 ? 1 : unit;");
    if (keeps)
        kg_line(g, divides ? "float inverse, missing;" : "float inverse;");
    else
        kg_line(g, divides ? "float lift = 1, limit = 0, inverse, missing;" : "float lift = 1, limit = 0, inverse;");
    reciprocals(g, "unit", divides);
    if (adds_for_codes(g, s))
        kg_line(g, "int picks = 0x05040100;");
    kg_note(g, "Rows far from 1 are lifted, so that nothing leaves the range of normal numbers. Their scale may, and be so "
               "coarse that quotients pass the largest code, or 0, which then is 1.%s",
            divides ? " And one fraction needs a reciprocal of its own." : "");
    kg_open(g, divides ? "if (top != 0 && ((unsigned)(top - 0x1f800000) > 0x40000000 || fraction(unit) == 0x7fffff))"
                       : "if ((unsigned)(top - 0x1f800000) > 0x40000000)");
    kg_line(g, keeps ? "const float lift = top == 0 ? 1 : most < 0x1p-64f ? 0x1p+60f : most > 0x1p+64f ? 0x1p-60f : 1;"
                          : "lift = top == 0 ? 1 : most < 0x1p-64f ? 0x1p+60f : most > 0x1p+64f ? 0x1p-60f : 1;");
    kg_line(g, "unit = (float)((double)most * (1 / %s.0));", largest);
    kg_line(g, "unit = unit == 0 ? 1 : unit;");
    kg_line(g, "const float level = unit * lift;");
    kg_line(g, keeps ? "const float limit = level * %s.0f;" : "limit = level * %s.0f;", largest);
    reciprocals(g, "level", divides);
    if (divides) {
        kg_open(g, "if (fraction(level) == 0x7fffff)");
        kg_line(g, "inverse = __builtin_bit_cast(float, 0x7f000000 - __builtin_bit_cast(int, level));");
        kg_line(g, "const float rest = __builtin_fmaf(-level, inverse, 1);");
        kg_line(g, "missing = __builtin_fmaf(rest * inverse, rest, rest * inverse);");
        kg_close(g);
        kg_line(g, "if (top == 0x7f800000)");
        kg_line(g, "    inverse = missing = 0;");
    }
    if (adds_for_codes(g, s)) {
        kg_line(g, "if (top >= 0x7f800000)");
        kg_line(g, "    picks = 0x0c0c0c0c;");
    }
    if (keeps) {
        kg_open(g, "if (lift != 1)");
        kg_each(g);
        kg_line(g, g->guarded ? "wide@ = within_$f(wide@ * rare(lift), limit);" : "wide@ = within_$f(wide@ * lift, limit);");
        kg_each_end(g);
        kg_close(g);
    }
    kg_close(g);
    if (!shares_scales(s)) {
        kg_line(g, "if (lane == 0)");
        kg_line(g, "    yscale[row] = unit;");
        kg_blank(g);
        return;
    }
    kg_note(g, "One access for the scales of the workgroup's rows: they share a line or two.");
    kg_line(g, "__shared__ float scale_of_row[%u];", s->tile.rows);
    g->lds += 4 * s->tile.rows;
    kg_line(g, "if (lane == 0)");
    kg_line(g, "    scale_of_row[slot] = unit;");
    kg_line(g, "barrier();");
    kg_line(g, "const unsigned which = work_item_id(), other_row = workgroup_id() * %u + which;", s->tile.rows);
    kg_line(g, "if (which < %u && other_row < (unsigned)rows)", s->tile.rows);
    kg_line(g, "    yscale[other_row] = scale_of_row[which];");
    kg_blank(g);
}

void kg_norm_write(struct kg *g, const struct kg_spec *s, const struct kg_norm_result *r)
{
    if (kg_is_quantised(s)) {
        kg_note(g, "The largest magnitude of the result.");
        if (kg_quant_keeps(g, s)) {
            kg_peak_begin(g);
            kept_magnitude(g, s, r);
            kg_row_reduce(g, s, "top", &kg_largest);
            kg_quant_scale(g, s);
            kg_quant_write(g, s, "wide@");
            return;
        }
        kg_line(g, "int top = 0;");
        magnitude(g, s, r);
        kg_row_reduce(g, s, "top", &kg_largest);
        kg_quant_scale(g, s);
        kg_row_keep_packed(g, s, "values");
    }
    write_values(g, s, r);
}

void kg_norm_write_loop(struct kg *g, const struct kg_spec *s, const struct kg_norm_result *r)
{
    if (kg_is_quantised(s)) {
        kg_note(g, "A read for the largest magnitude of the result.");
        kg_line(g, "int top = 0;");
        kg_row_loop(g, s);
        kg_row_load_from(g, s, "kept", "values", false);
        magnitude(g, s, r);
        kg_close(g);
        kg_row_reduce(g, s, "top", &kg_largest);
        kg_quant_scale(g, s);
    }
    kg_note(g, "The last read.");
    kg_row_loop(g, s);
    kg_row_load_from(g, s, "kept", "values", true);
    write_values(g, s, r);
    kg_close(g);
}
