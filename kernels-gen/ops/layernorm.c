/* SPDX-License-Identifier: MIT */
/*
 * LayerNorm: y = (x - mean) rstd gamma + beta, mean and rstd of each row.
 *
 *   read   the row into registers, one 16-byte vector an access
 *   mean   the sum, exact or nearly so: in double, or where that is slow in two floats in a lane, and
 *          across the lanes of a wave where it is very slow and the row has one; m is the mean rounded to
 *          float, m_low what is missing
 *   rstd   from the squares of x - m: var = sum((x - m)^2) / cols - m_low^2, which loses at most a bit,
 *          as m is the float nearest to the mean
 *   write  (x - m) rstd - m_low rstd, times gamma, plus beta
 *
 * Where double keeps up, the mean and the variance come from one sweep instead: sum and sum of squares in double, of f32
 * taken from the row's first element.
 *
 * Longer rows are read twice. The first read keeps, for what a lane has seen, that sum, and sum and squares
 * of the deviations from a value near the lane's mean, which moves along.
 *
 * Registers: the row as it is in memory, vectors * 4 dwords, a dword an element where codes are kept as f32, and gamma and
 * beta while they fit; on NVIDIA these lie in shared memory from the start, 32 bytes a vector (kg_row_asks).
 * LDS: 12 to 16 bytes a wave where a row has several; 8 bytes a column where rows share gamma and beta.
 */
#include "../norm.h"
#include "../shared.h"

#include <stdio.h>

static const struct kg_arg args[] = {
    {"x", KG_ARG_IN, KG_OF_IN, false, "ldx"}, {"gamma", KG_ARG_IN, KG_OF_WEIGHT, true},
    {"beta", KG_ARG_IN, KG_OF_WEIGHT, true},  {"y", KG_ARG_OUT, KG_OF_OUT, false, "ldy"},
    {"mean", KG_ARG_OUT, KG_OF_F32, true},    {"rstd", KG_ARG_OUT, KG_OF_F32, true},
    KG_NORM_ARGS,
};

/* Whether the body at hand asks for parameters. */
static bool asks(const struct kg *g, const struct kg_spec *s)
{
    return g->aligned && kg_row_asks(s);
}

/* Parameters are asked for as early as registers allow: with the row, before the last reduction, or
 * in batches where a lane has many vectors. */
static bool params_with_row(const struct kg *g, const struct kg_spec *s)
{
    if (asks(g, s))
        return false;
    return s->tile.vectors <= 2 && s->tile.vectors <= kg_norm_batch(s);
}

static bool params_in_batches(const struct kg *g, const struct kg_spec *s)
{
    return asks(g, s) || s->tile.vectors > kg_norm_batch(s);
}

/* A vector and its place are 6 registers, two parameters 8; the rest is the arithmetic of a vector.
 */
static unsigned registers(const struct kg_spec *s)
{
    return 6 * s->tile.vectors + (kg_is_quantised(s) ? 12 : 8) * kg_norm_batch(s) +
           (kg_dtypes[s->in].bits == 32 ? 24 : 48) + (kg_is_quantised(s) ? 28 : 0);
}

static const char *legal(const struct kg_spec *s)
{
    return kg_row_legal(s, s->tile.cluster ? kg_shared_registers(s, 2) : registers(s));
}

static void variants(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    kg_norm_variants(op, arch, false, visit, with);
}

/* Whether sums are in double from the start. */
static bool in_double(const struct kg_spec *s)
{
    return kg_isa_of(s->arch)->double_sums && s->tile.vec > 1;
}

/* Whether they come with sums of squares. */
static bool by_moments(const struct kg_spec *s)
{
    return kg_isa_of(s->arch)->double_moments && s->tile.vec > 1;
}

/* Whether a wave adds up its lanes' sums in two floats. */
static bool across_in_pairs(const struct kg_spec *s)
{
    return kg_isa_of(s->arch)->slow_doubles && s->tile.threads <= s->arch->wave && !s->tile.loop;
}

/* The row's sum from each lane's own_sum, and m + m_low = sum / cols. */
static void mean_of_own_sums(struct kg *g, const struct kg_spec *s)
{
    const bool pairs = across_in_pairs(s);
    if (pairs) {
        kg_line(g, "pair near_sum = own_sum;");
        kg_row_reduce(g, s, "near_sum", &kg_pair_sum);
        kg_line(g, "pair center = quotient_of_pair(near_sum, cols);");
        kg_note(g, "Doubles hold what floats do not.");
        kg_open(g, "if (!(__builtin_fabsf(near_sum.hi) <= 0x1.fffffep127f))");
    }
    kg_line(g, "double sum = (double)own_sum.hi + own_sum.lo;");
    kg_row_reduce(g, s, "sum", &kg_wide_sum);
    if (pairs) {
        kg_line(g, "center = quotient(sum, cols);");
        kg_close(g);
    }
}

/* m + m_low = sum / cols. */
static void mean(struct kg *g, const struct kg_spec *s)
{
    kg_blank(g);
    kg_note(g, "The mean: m is it rounded, m_low what is missing.");
    if (in_double(s) || by_moments(s)) {
        kg_line(g, "float m, m_low;");
        kg_line(g, "divide(sum, cols, m, m_low);");
    } else {
        if (!across_in_pairs(s))
            kg_line(g, "const pair center = quotient(sum, cols);");
        kg_line(g, "const float m = center.hi, m_low = center.lo;");
    }
    kg_line(g, "const float less_m = negative(m);");
    kg_blank(g);
}

/* From `variance`. Codes of 16 bits leave no trace of rstd's last bit: their scale has it too. */
static void scale_and_statistics(struct kg *g, const struct kg_spec *s)
{
    const bool near = kg_is_quantised(s) && s->in != KG_F32 && kg_isa_of(s->arch)->any_alignment;
    kg_line(g, near ? "const float scale = reciprocal_root_near(variance + eps);"
                    : "const float scale = reciprocal_root(variance + eps);");
    kg_line(g, "const float shift = negative(m_low * scale);");
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
    if (asks(g, s)) {
        kg_line(g, "$w scales``, offsets``;");
        kg_each(g);
        kg_line(g, "scales` = asked_gamma@[work_item_id()];");
        kg_line(g, "offsets` = asked_beta@[work_item_id()];");
        kg_each_end(g);
        return;
    }
    kg_row_param(g, s, "gamma", "scales", "1");
    kg_row_param(g, s, "beta", "offsets", "0");
}

/*
 * How a lane sums its values into hi + lo, each element of a vector for itself or parts of a vector onto
 * each other.
 *   f32, bf16  Knuth's two-sum. Sums of a few bfloat16 values without it are exact in most rows, not in
 *         those whose magnitudes span more than 2^13.
 *   f16   up to 4 vectors: Dekker's two-sum onto a constant. hi stays above every value for up to 8
 *         additions, lo collects multiples of 2^-24 up to 1/2: all of it is exact. More vectors would take
 *         more registers than 1024 work-items have.
 */
static bool onto_constant(const struct kg_spec *s)
{
    return s->in == KG_F16 && s->tile.vec > 1 && s->tile.vectors <= 4;
}

static const char *start_of_sum(const struct kg_spec *s)
{
    return onto_constant(s) ? "0x1.8p+19f" : "0";
}

/* Elements of hi and lo. */
static unsigned chains(const struct kg_spec *s)
{
    if (onto_constant(s))
        return s->tile.vectors > 2 ? 4 : 2;
    return s->tile.vec;
}

static void declare_sums(struct kg *g, const struct kg_spec *s, const char *hi, const char *lo)
{
    kg_line(g, "f32x%u %s = %s, %s = 0;", chains(s), hi, start_of_sum(s), lo);
}

static void add_exactly(struct kg *g, const struct kg_spec *s, const char *hi, const char *lo, bool own)
{
    static const char *const parts[][4] = {
        {"v.lo.lo", "v.lo.hi", "v.hi.lo", "v.hi.hi"}, {"v.lo", "v.hi"}};
    const unsigned width = chains(s);
    if (onto_constant(s)) {
        const unsigned row = width == 2 ? 0 : 1;
        for (unsigned i = 0; i < 8 / width; i++)
            kg_line(g, "add_near_to_f32x%u(%s, %s, %s);", width, hi, lo, parts[row][i]);
        return;
    }
    if (g->copies == 1) {
        kg_line(g, "%s = v;", hi);
        return;
    }
    /* The first vector is taken as it is. */
    kg_line(g, "if (j == 0)");
    kg_line(g, "    %s = v;", hi);
    kg_line(g, "else");
    kg_line(g, "    add_%sto_$f(%s, %s, v);", own ? "slowly_" : "", hi, lo);
}

/* The pair hi + lo of the lane. */
static void fold(struct kg *g, const struct kg_spec *s, const char *name, const char *hi, const char *lo)
{
    kg_line(g, "const pair %s = fold_f32x%u(%s - %s, %s);", name, chains(s), hi, start_of_sum(s), lo);
}

/*
 * What is taken from values before they are squared: of f32 the row's first element, for 16 bits nothing. Then what
 * squares lose in double is less than f32 shows, however small the deviations are beside the mean. Of a sum the first
 * element comes from lane 0: in memory its terms may have been overwritten.
 */
static void pivot(struct kg *g, const struct kg_spec *s)
{
    const bool one_wave = s->tile.threads <= s->arch->wave;
    const char *slot = s->tile.rows > 1 ? "slot" : "0", *first = s->tile.vectors > 1 ? "values[0][0]" : "values[0]";
    if (s->in != KG_F32)
        return;
    kg_line(g, "float pivot;");
    kg_open(g, "if (residual)");
    if (one_wave) {
        kg_line(g, "pivot = of_first(%s, %u);", first, s->tile.threads);
    } else {
        kg_line(g, "__shared__ float first_of[%u];", s->tile.rows);
        g->lds += 4 * s->tile.rows;
        kg_line(g, "if (lane == 0)");
        kg_line(g, "    first_of[%s] = %s;", slot, first);
        kg_line(g, "barrier();");
        kg_line(g, "pivot = first_of[%s];", slot);
    }
    kg_else(g);
    kg_line(g, "pivot = x_row[0];");
    kg_close(g);
}

/* Whether a lane adds up in one chain, where registers are few and other lanes have work meanwhile. */
static bool one_chain(const struct kg_spec *s)
{
    return kg_row_asks(s) || kg_row_again(s);
}

static void add_moments(struct kg *g, const struct kg_spec *s, bool own)
{
    const char *from = s->in == KG_F32 ? "pivot" : "0";
    kg_row_widened(g, s, "v", "values@", false);
    if (own)
        kg_line(g, "v = only_$f(v, $n - moved@, %s);", from);
    if (g->aligned && s->in == KG_F32 && !kg_row_passes_over(g, s))
        from = "moved@ == 0 ? pivot : 0";
    kg_line(g, one_chain(s) ? "add_moments_$f(all, all, v, %s);" : "add_moments_$f(even, odd, v, %s);", from);
}

static void declare_moments(struct kg *g, const struct kg_spec *s)
{
    kg_line(g, one_chain(s) ? "moments all = {0, 0};" : "moments even = {0, 0}, odd = {0, 0};");
}

static void join_moments(struct kg *g, const struct kg_spec *s)
{
    if (!one_chain(s))
        kg_line(g, "moments all = join_moments(even, odd);");
}

/* `all`, the moments of a lane's vectors. */
static void sum_moments(struct kg *g, const struct kg_spec *s)
{
    declare_moments(g, s);
    kg_row_sweep_zeros(g, s, NULL, add_moments);
    join_moments(g, s);
    kg_row_keep_packed(g, s, "values");
}

static void moments_statistics(struct kg *g, const struct kg_spec *s)
{
    kg_line(g, s->in == KG_F32 ? "const double sum = all.sum + (double)cols * pivot;" : "const double sum = all.sum;");
    mean(g, s);
    kg_line(g, "const float variance = variance_of(all, cols);");
    scale_and_statistics(g, s);
}

/* `$f v`, the vector at hand. */
static void widened(struct kg *g, const struct kg_spec *s, bool own)
{
    if (kg_norm_keeps_wide(g, s))
        kg_line(g, "$f v = wide@;");
    else
        kg_row_widened(g, s, "v", "values@", own);
}

static void sum_exactly(struct kg *g, const struct kg_spec *s, bool own)
{
    widened(g, s, own);
    kg_row_own_or_nan(g, s, "v", own);
    if (in_double(s))
        kg_line(g, g->guarded ? "add_wide(sum, sum_wide_$f(v));" : "sum += sum_wide_$f(v);");
    else
        add_exactly(g, s, "hi", "lo", own);
}

/*
 * Whether the matrix units add up, which leaves a lane one instruction an element instead of two and few to exchange:
 * where all lanes of a wave have one row, and the vector units are what rows wait for. f32 has the statistics of its codes.
 */
static bool sums_by_matrix(const struct kg *g, const struct kg_spec *s)
{
    return g->guarded && in_double(s) && s->tile.threads >= s->arch->wave && (kg_is_quantised(s) || s->in == KG_F32);
}

/* `sum`, of the wave. Lanes outside the row have zeros. */
static void sum_by_matrix(struct kg *g, const struct kg_spec *s)
{
    kg_line(g, "const double one = one_of_lanes();");
    kg_line(g, "double even = 0, odd = 0;");
    kg_each_scope(g);
    kg_line(g, "const int from = $n * (ahead + j * %u);", s->tile.threads);
    kg_line(g, "const bool all = from >= before && from + $n * %u <= cols + before;", s->arch->wave);
    kg_line(g, "if (all)");
    kg_line(g, "    add_by_matrix_$f(even, odd, one, wide@);");
    kg_open(g, "if (!all && from < cols + before)");
    kg_line(g, "$f v = mine_or_nan_$f(wide@, local(at@) - begins@);");
    kg_line(g, "v = inside@ ? v : 0;");
    kg_line(g, "add_by_matrix_$f(even, odd, one, v);");
    kg_close(g);
    kg_each_scope_end(g);
    kg_line(g, "double sum = sum_by_matrix(even, odd, one);");
    kg_line(g, "sum += other8_wide(sum);");
    kg_line(g, "sum += other16_wide(sum);");
}

static void sum_squares(struct kg *g, const struct kg_spec *s, bool own)
{
    if (kg_norm_keeps_wide(g, s)) {
        kg_line(g, "$f d = wide@;");
        kg_row_own(g, s, "d", own);
        kg_norm_add_squares(g, "d");
        return;
    }
    kg_row_widened(g, s, "v", "values@", own);
    kg_line(g, own ? "$f d = v + negative(m);" : "$f d = v + less_m;");
    kg_row_own(g, s, "d", own);
    kg_norm_add_squares(g, "d");
}

static void result(struct kg *g, const struct kg_spec *s)
{
    /* The words of result_shared: one factor for both elements of a packed instruction. */
    if (s->arch->wave == 64 && kg_norm_keeps_wide(g, s) && kg_is_quantised(s) && s->weight == KG_BF16 && s->tile.vec > 1) {
        kg_line(g, "$f t = affine_$f(line_$f(wide@, scale, shift), widen_$w(scales`), widen_$w(offsets`));");
        return;
    }
    kg_line(g, kg_norm_keeps_wide(g, s) ? "const $f d = wide@;" : "const $f d = widen_$x(values@) + less_m;");
    kg_line(g, "$f t = affine_$w(d * scale + shift, scales`, offsets`);");
}

/* Tiles for rows that begin anywhere (busy_tiles_of_64), which are not shared: their LDS would only keep other waves out. Where
 * whole rows of few lanes run forward and backward over an odd number of sweeps, what two of them read at once is in the same banks. */
static bool odd_sweeps(const struct kg_spec *s)
{
    return s->tile.vectors % 2 && s->tile.vectors > (s->tile.threads < 16 ? 4 : 6);
}

/*
 * Whether the rows of a wave share gamma and beta as f32, in LDS: where bfloat16 takes two instructions an element, and
 * these are what a quantised row lacks. For workgroups of whole rows whose vectors lie at multiples of their length. A lane
 * that has one vector would widen as much for the others as it saves.
 */
static bool shares_params(const struct kg_spec *s)
{
    return kg_is_quantised(s) && s->weight == KG_BF16 && s->tile.vec > 1 && !s->tile.loop && in_double(s) &&
           s->tile.threads < s->arch->wave && kg_spec_block(s) == s->arch->wave && s->tile.vectors > 1 &&
           !(s->arch->caps & FLY_CAP_MIX_BF16) && !odd_sweeps(s);
}

/*
 * Whether vectors of several rows fall into one access to all banks of LDS: 32 or 64 of 4 bytes, to which a row of 16 lanes
 * brings 256 bytes of a half. Then even rows, which run forward, and odd ones, which run backward, must read at an odd
 * number of sweeps of a row from each other. Where the row has an even number of them, they do. Where it has one less, the
 * middle one is kept twice, for even rows and for odd ones, and what follows lies a sweep farther on: a lane's vector j then
 * is at sweep 0, 0, 1, 3 in even rows of 4 and at 3, 3, 2, 0 in odd ones. Vector 0 is outside these rows.
 * Rows of fewer sweeps have smaller tiles and are not shared here.
 */
static bool meets_rows(const struct kg_spec *s)
{
    return s->tile.threads < 16 && s->tile.vectors > 2 && s->tile.vectors % 2 == 0;
}

static void share(struct kg *g, const struct kg_spec *s)
{
    const unsigned most = kg_spec_max_cols(s), sweep = s->arch->wave * s->tile.vec, row = s->tile.threads * s->tile.vec;
    const bool twice = meets_rows(s);
    char wide[64] = "";
    if (twice)
        snprintf(wide, sizeof wide, " && cols > %u", most - 2 * row);
    static const char *const names[][2] = {{"gamma", "wide_gamma"}, {"beta", "wide_beta"}};
    kg_note(g, "Gamma and beta as f32 for all rows of the wave.");
    kg_line(g, "__shared__ __attribute__((aligned(16))) float wide_gamma[%u], wide_beta[%u];", most, most);
    g->lds += 8 * most;
    /* Of rows this short several are read at once, which is without conflicts where all begin at lines. */
    kg_line(g, "const bool shared = gamma && beta && %s && workgroup_id() * %u + %u <= rows%s;",
            s->tile.threads < 32 ? "!odd && !any_with_both(before != 0, true)" : "!odd", s->tile.rows, s->tile.rows, wide);
    if (twice) {
        kg_note(g, "Where a row leaves its last %u columns free, the middle ones are kept twice, once for odd rows.", row);
        kg_line(g, "const int twice = cols <= %u ? %u : 0;", most - row, row);
        kg_line(g, "const int backward = row & 1 ? twice : 0, forward = twice - backward;");
        kg_line(g, "int kept@@;");
        kg_each(g);
        kg_line(g, "kept@ = begins@ + (j == 0 || j > %u ? forward : backward);", s->tile.vectors / 2);
        kg_each_end(g);
    }
    kg_open(g, "if (shared)");
    kg_line(g, "#pragma unroll");
    kg_open(g, "for (int first = 0; first < %u; first += %u)", most, sweep);
    kg_line(g, "const int place = first + $n * work_item_id();");
    if (most % sweep)
        kg_open(g, "if (place < %u)", most);
    if (twice)
        kg_line(g, "const int column = place + place / %u * (twice ? -%u : 0);", most / 2, row);
    for (int i = 0; i < 2; i++)
        kg_line(g, "const $w some%d = load_param_$w(%s, within(%s, cols - $n));", i, names[i][0], twice ? "column" : "place");
    for (int i = 0; i < 2; i++)
        kg_line(g, "share_$f(%s, place, %u, widen_$w(some%d));", names[i][1], most, i);
    if (most % sweep)
        kg_close(g);
    kg_close(g);
    kg_line(g, "barrier();");
    kg_close(g);
    kg_blank(g);
}

static void params_shared(struct kg *g, const struct kg_spec *s)
{
    const unsigned most = kg_spec_max_cols(s);
    /* Lanes outside the row read on, as those inside do: at the row's end they would share banks. */
    char byte[64];
    if (meets_rows(s))
        snprintf(byte, sizeof byte, "(unsigned)kept@ * 2");
    else
        snprintf(byte, sizeof byte, most & (most - 1) ? "(unsigned)(begins@ < 0 ? begins@ + %u : begins@) * 2"
                                                      : "(unsigned)begins@ %% %u * 2", most);
    kg_line(g, "$f scales``, offsets``;");
    kg_open(g, "if (shared)");
    kg_each(g);
    kg_line(g, "scales` = shared_$f(wide_gamma, %s, %u);", byte, most);
    kg_line(g, "offsets` = shared_$f(wide_beta, %s, %u);", byte, most);
    kg_each_end(g);
    kg_else(g);
    kg_row_param(g, s, "gamma", "some", "1");
    kg_row_param(g, s, "beta", "others", "0");
    kg_each(g);
    kg_line(g, "scales` = widen_$w(some`);");
    kg_line(g, "offsets` = widen_$w(others`);");
    kg_each_end(g);
    kg_close(g);
}

static void result_shared(struct kg *g, const struct kg_spec *s)
{
    (void)s;
    kg_line(g, "$f t = affine_$f(line_$f(wide@, scale, shift), scales`, offsets`);");
}

static void emit_resident(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    kg_row_anchor(g, s);
    kg_row_places(g, s);

    kg_note(g, "The only read of the row.");
    kg_row_load(g, s, "values", !params_in_batches(g, s));
    if (asks(g, s)) {
        kg_note(g, "Parameters go to shared memory meanwhile; a lane finds there what it asked for.");
        kg_row_ask(g, s, "gamma", "1");
        kg_row_ask(g, s, "beta", "0");
    }
    if (params_with_row(g, s) && !shares_params(s))
        params(g, s);
    kg_norm_add(g, s);
    kg_blank(g);

    const bool shared = shares_params(s);
    struct kg_norm_result r = {params, result, !params_in_batches(g, s), asks(g, s) ? 1 : kg_norm_batch(s)};
    if (shared) {
        r = (struct kg_norm_result){params_shared, result_shared, false, kg_norm_batch(s)};
        share(g, s);
    }
    if (by_moments(s)) {
        kg_note(g, "Sum and squares of the row.");
        pivot(g, s);
        sum_moments(g, s);
        if (!params_with_row(g, s) && !params_in_batches(g, s))
            params(g, s);
        kg_row_reduce(g, s, "all", &kg_moments);
        moments_statistics(g, s);
        if (asks(g, s))
            kg_line(g, "asked();");
        kg_norm_write(g, s, &r);
        return;
    }

    kg_note(g, "Sum of the row.");
    kg_norm_wide(g, s);
    if (sums_by_matrix(g, s)) {
        sum_by_matrix(g, s);
    } else if (in_double(s)) {
        kg_line(g, "double sum = 0;");
        kg_row_sweep(g, s, NULL, sum_exactly);
    } else {
        char reset[64];
        declare_sums(g, s, "hi", "lo");
        snprintf(reset, sizeof reset, "hi = %s, lo = 0;", start_of_sum(s));
        if (kg_row_by_elements(s)) {
            kg_note(g, "A lane's few elements of 16 bits have exact sums in most rows.");
            kg_line(g, "$f above = 0;");
            kg_each(g);
            kg_line(g, "hi = sum_below(hi, widen_$x(values@));");
            kg_line(g, "above = sum_above(above, widen_$x(values@));");
            kg_each_end(g);
            kg_open(g, "if (hi != above)");
            kg_line(g, "%s", reset);
        }
        kg_row_sweep_zeros(g, s, reset, sum_exactly);
        if (kg_row_by_elements(s))
            kg_close(g);
        fold(g, s, "own_sum", "hi", "lo");
    }
    if (!kg_norm_keeps_wide(g, s))
        kg_row_keep_packed(g, s, "values");
    if (sums_by_matrix(g, s))
        kg_row_reduce_waves(g, s, "sum", &kg_wide_sum);
    else if (in_double(s))
        kg_row_reduce(g, s, "sum", &kg_wide_sum);
    else
        mean_of_own_sums(g, s);
    mean(g, s);

    kg_note(g, "Squares of the deviations.");
    if (kg_norm_keeps_wide(g, s)) {
        kg_each(g);
        kg_line(g, "wide@ += less_m;");
        kg_each_end(g);
    }
    kg_norm_squares(g);
    kg_row_sweep(g, s, "squares = 0;", sum_squares);
    kg_norm_square(g);
    if (!kg_norm_keeps_wide(g, s))
        kg_row_keep_packed(g, s, "values");
    if (!params_with_row(g, s) && !params_in_batches(g, s) && !shared)
        params(g, s);
    kg_row_reduce(g, s, "square", &kg_sum);
    kg_line(g, "const float variance = square * reciprocal((float)cols) - m_low * m_low;");
    scale_and_statistics(g, s);
    kg_row_param_end(g, s, "scale");
    kg_norm_write(g, s, &r);
}

static void sum_chunk(struct kg *g, const struct kg_spec *s, bool own)
{
    kg_row_widened(g, s, "v", "values@", own);
    kg_row_own(g, s, "v", own);
    if (in_double(s))
        kg_line(g, "chunk += sum_wide_$f(v);");
    else
        add_exactly(g, s, "part", "part_low", own);
    if (own)
        kg_line(g, "fresh -= least(moved@ < 0 ? -moved@ : moved@, $n);");
    else if (kg_row_apart(g, s))
        kg_line(g, "fresh += $n;");
}

static void sum_deviations(struct kg *g, const struct kg_spec *s, bool own)
{
    kg_row_widened(g, s, "v", "values@", own);
    kg_line(g, "$f d = v - about;");
    kg_row_own(g, s, "d", own);
    kg_line(g, "offs += d;");
    kg_line(g, "squares += d * d;");
}

static void emit_loop(struct kg *g, const struct kg_spec *s)
{
    kg_row_begin(g, s);
    kg_norm_rows(g, s);
    kg_row_anchor(g, s);
    const struct kg_norm_result r = {params, result, false, kg_row_again(s) ? 1 : kg_norm_batch(s)};
    if (by_moments(s)) {
        kg_note(g, "First read: sum and squares.");
        if (s->in == KG_F32) {
            kg_line(g, "float pivot = x_row[0];");
            kg_open(g, "if (residual)");
            kg_line(g, "pivot += residual[times(row, ldr)];");
            kg_note(g, "Before either may be overwritten.");
            kg_line(g, "barrier();");
            kg_close(g);
        }
        declare_moments(g, s);
        kg_row_loop(g, s);
        kg_row_load(g, s, "values", false);
        kg_norm_add(g, s);
        kg_row_sweep_zeros(g, s, NULL, add_moments);
        kg_close(g);
        join_moments(g, s);
        kg_row_reduce(g, s, "all", &kg_moments);
        moments_statistics(g, s);
        kg_norm_write_loop(g, s, &r);
        return;
    }

    kg_note(
        g,
        "First read. Of what this lane has seen: how many, their sum, and sum and squares of their "
        "deviations from `about`, which is kept near their mean.");
    kg_line(g, in_double(s) ? "double sum = 0;" : "pair seen_sum = {0, 0};");
    kg_line(g, "float seen = 0, about = 0, off = 0, square = 0;");
    kg_row_loop(g, s);
    kg_row_load(g, s, "values", false);
    kg_norm_add(g, s);
    kg_line(g, "int fresh = %u;", kg_row_apart(g, s) ? 0 : s->tile.vectors * s->tile.vec);
    if (in_double(s)) {
        kg_line(g, "double chunk = 0;");
        kg_row_sweep(g, s, "chunk = 0;", sum_chunk);
        kg_line(g, "sum += chunk;");
    } else {
        char reset[64];
        declare_sums(g, s, "part", "part_low");
        snprintf(reset, sizeof reset, "part = %s, part_low = 0;", start_of_sum(s));
        kg_row_sweep(g, s, reset, sum_chunk);
        fold(g, s, "chunk", "part", "part_low");
        kg_line(g, "seen_sum = add_pair(seen_sum, chunk);");
    }
    kg_row_keep_packed(g, s, "values");
    kg_line(g, "if (first == -before)");
    kg_line(g, "    about = %s / (fresh ? fresh : 1);", in_double(s) ? "(float)chunk" : "chunk.hi");
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
    if (!in_double(s))
        kg_line(g, "double sum = (double)seen_sum.hi + seen_sum.lo;");
    kg_row_reduce(g, s, "sum", &kg_wide_sum);
    mean(g, s);

    kg_note(g, "Squares of the deviations, from `about` of each lane to the mean.");
    kg_line(g, "const float to_mean = (m - about) + m_low;");
    kg_line(g, "square += to_mean * (seen * to_mean - 2 * off);");
    kg_row_reduce(g, s, "square", &kg_sum);
    kg_line(g, "const float variance = square * reciprocal((float)cols);");
    scale_and_statistics(g, s);
    kg_norm_write_loop(g, s, &r);
}

/* Parameters are widened for each row: as f32, ahead of all rows, they would take more registers than there are. */
static void result_here(struct kg *g, const struct kg_spec *s)
{
    (void)s;
    kg_line(g, "const $f d = widen_$x(values@) + less_m;");
    kg_line(g, "$f t = affine_$w(d * scale + shift, here_$w(scales@), here_$w(offsets@));");
}

/* The pivot has come with the row; the workgroup that may overwrite it waits for what is found here. Of sums the library
 * gives these kernels none in f32. */
static void measure(struct kg *g, const struct kg_spec *s)
{
    if (s->in == KG_F32)
        kg_line(g, "const float pivot = first;");
    sum_moments(g, s);
    kg_shared_reduce(g, s, "all", &kg_moments);
}

static void write_shared(struct kg *g, const struct kg_spec *s)
{
    const struct kg_norm_result r = {params, result_here, true, s->tile.vectors};
    moments_statistics(g, s);
    kg_norm_write(g, s, &r);
}

static void emit_shared(struct kg *g, const struct kg_spec *s)
{
    static const struct kg_shared op = {&kg_moments, "all", params, kg_norm_add, measure, write_shared};
    kg_shared_emit(g, s, &op);
}

static void emit(struct kg *g, const struct kg_spec *s)
{
    kg_row_emit(g, s, s->tile.cluster ? emit_shared : s->tile.loop ? emit_loop : emit_resident);
}

const struct kg_op kg_op_layernorm = {
    .name = "layernorm",
    .family = "norm",
    .asks = true,
    .again_lanes = 256,
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .variants = variants,
    .legal = legal,
    .emit = emit,
    .explain = kg_row_explain,
};
