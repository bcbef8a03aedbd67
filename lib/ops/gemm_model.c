/* SPDX-License-Identifier: MIT */
/*
 * The bound model of GEMM kernels; see gemm_model.h. A compute unit works through its workgroups;
 * each k tile costs what its busiest unit needs; memory moves at least A, B and C once and no
 * faster than the bytes that are under way allow. It knows no L2 hit rates, clock or power limits.
 */
#include "ops/gemm_model.h"

#include <math.h>

#include "core/arch.h"

/* Per family. Matrix rates: published peaks by clock and CU (CDNA2, CDNA3 and CDNA4 white papers).
 * L1: 64 bytes a clock and CU, assumed for all three. L2: 128 bytes a clock and channel, of the
 * whole device (32 channels a CDNA2 die, 16 an XCD). LDS: 32 or 64 banks of 4 bytes. HBM: published
 * bandwidth over the shader clock, of the whole device (MI250X die, MI300X, MI355X). */
static const struct rates {
    enum fly_family family;
    double ops16, ops8; /* operations a clock and CU */
    double l1, lds;     /* bytes a clock and CU */
    double l2, hbm;     /* bytes a clock */
    double ghz;
    double lds_bytes; /* of a CU */
    double cache;     /* bytes of the last cache before memory */
    bool eight;       /* lanes trade to store 8 elements of 16 bits */
} table[] = {
    {FLY_FAMILY_CDNA2, 1024, 1024, 64, 128, 4096, 1638 / 1.7, 1.7, 65536, 8 << 20, false},
    {FLY_FAMILY_CDNA3, 2048, 4096, 64, 128, 16384, 5300 / 2.1, 2.1, 65536, 256 << 20, false},
    {FLY_FAMILY_CDNA4, 4096, 8192, 64, 256, 16384, 8000 / 2.4, 2.4, 163840, 256 << 20, true},
};

/* Devices that are whole, by CUs (AMD, "GPU hardware specifications"), and their share of the L2
 * and HBM of the table: MI250X's dies and MI210, MI300X, MI300A, MI308X, MI350. Other numbers of CUs
 * are partitions, as MI300X's of 38, or parts of the first: they have a share of both. */
static const struct {
    enum fly_family family;
    uint32_t cus;
    double l2, hbm;
} wholes[] = {
    {FLY_FAMILY_CDNA2, 104, 1, 1}, {FLY_FAMILY_CDNA2, 110, 1, 1}, {FLY_FAMILY_CDNA3, 304, 1, 1},
    {FLY_FAMILY_CDNA3, 228, 0.75, 1}, {FLY_FAMILY_CDNA3, 80, 1, 1}, {FLY_FAMILY_CDNA4, 256, 1, 1},
};

enum {
    LATENCY = 2000, /* cycles from a load's request to its data, under load */
    START = 2500,   /* a workgroup before its first and after its last tile */
    SYNC = 32,      /* a k tile: the barrier, waves of unequal pace */
    SECOND = 4000,  /* one more kernel on the stream: it starts when the first has ended */
    SIMDS = 4,
    ADDED = 1024 /* columns a workgroup of the second kernel adds up */
};

const uint8_t fly_gemm_splits[FLY_GEMM_SPLITS] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32};

static struct rates rates_of(const struct fly_target *t)
{
    struct rates r = table[0];
    double l2 = 0, hbm = 0;
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].family == t->arch->family)
            r = table[i];
    for (unsigned i = 0; i < sizeof wholes / sizeof *wholes; i++)
        if (wholes[i].family == r.family && (l2 == 0 || wholes[i].cus == t->cus)) {
            double share = t->cus < wholes[i].cus ? (double)t->cus / wholes[i].cus : 1;
            l2 = wholes[i].l2 * share;
            hbm = wholes[i].hbm * share;
        }
    r.l2 *= l2;
    r.hbm *= hbm;
    return r;
}

/* A kernel on a problem, as far as it does not depend on the splits. */
struct work {
    struct rates r;
    double blocks; /* of C, all batches */
    double tiles_k;
    double step;        /* tiles done at a time: one a slice; two where the loop does pairs */
    double slices;
    double tile;        /* cycles of a tile a slice: their busiest unit's, and the barrier */
    double matrix, lds; /* cycles of a k tile of every block on one CU */
    double exchange;    /* cycles of LDS that slices of one block take to add up */
    double asked;       /* bytes that all workgroups ask of L1 and L2 */
    double bytes;       /* A and B once, or B once for each row of blocks at decode */
    double c, sums;     /* bytes of C, of one set of partial sums */
    double stored;      /* bytes of the lines that stores of C touch, one by one */
    double resident;    /* workgroups a CU holds */
    double in_flight;   /* bytes of loads a workgroup has under way */
    double cus;
    double adders; /* workgroups of the kernel that adds up sums */
    bool decode;
};

static double more(double a, double b)
{
    return a > b ? a : b;
}

static double less(double a, double b)
{
    return a < b ? a : b;
}

static double ceil_div(double a, double b)
{
    return (double)(int64_t)((a + b - 1) / b);
}

static struct work work_of(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                           const struct fly_target *t)
{
    const struct fly_gemm_tile *g = &k->gemm;
    const struct rates rates = rates_of(t), *r = &rates;
    double in = s->in_bits / 8.0, m = (double)s->m, n = (double)s->n, kk = (double)s->k,
           batch = (double)s->batch;
    double kb = g->k * in, waves = k->block / 64.0;
    double blocks_m = ceil_div(m, g->m), blocks_n = ceil_div(n, g->n);
    struct work w = {.r = rates, .cus = t->cus ? t->cus : 1};
    w.blocks = blocks_m * blocks_n * batch;
    w.tiles_k = ceil_div(kk, g->k);
    double matrix = 2.0 * g->m * g->n * g->k / (s->in_bits == 8 ? r->ops8 : r->ops16);
    double l1 = (g->m + (double)g->n * g->waves_m) * kb / r->l1;
    double lds = g->m * kb * g->waves_n / r->lds + g->m * kb / 128;
    w.slices = g->slices;
    w.step = w.slices * g->depth;
    w.tile = w.slices * (more(matrix, more(l1, lds)) + SYNC);
    w.matrix = w.blocks * matrix;
    w.lds = w.blocks * lds;
    w.exchange = (w.slices - 1) * g->m * g->n * 4 * (1.0 / 128 + 1 / r->lds);
    /* Rows and columns beyond C are asked for by nobody. */
    w.asked = batch * kk * in * (blocks_n * m + blocks_m * n * g->waves_m);
    /* Registers: accumulators, and as much again for small waves, half as much for large ones. */
    double acc = (double)g->m * g->n / k->block;
    double waves_simd = acc > 64 ? 2 : acc > 32 ? 3 : acc > 16 ? 5 : g->depth > 1 ? 4 : 6;
    double by_registers = waves_simd * SIMDS / waves,
           by_lds = (double)(int)(r->lds_bytes / (k->lds ? k->lds : 1));
    w.resident = more(1, less(by_registers, by_lds));
    /* Of B half a tile and a little on average, or a whole one where the next is in other
     * registers. */
    w.in_flight = ((g->depth == 1 ? 0.55 : 1.0) * less(n, g->n) + less(m, g->m)) * kb * w.slices;
    /* At decode a second row of blocks is taken to bring B once more: it is all there is to bring,
     * and nothing keeps the two rows in step. */
    w.decode = m <= FLY_GEMM_DECODE;
    w.bytes = batch * (m + (w.decode ? blocks_m : 1) * n) * kk * in;
    w.c = batch * m * n * s->out_bits / 8.0;
    w.sums = batch * m * n * 4;
    /* A wave stores 16 rows of 16 columns: of narrow elements too, 16 lines of 64 bytes. Those of
     * CDNA4 store 32 columns of 16 bits at once. */
    bool eight = r->eight && s->out_bits == 16 && g->n / g->waves_n % 32 == 0 && s->n % 8 == 0;
    w.stored = eight ? w.c : w.sums;
    w.adders = batch * m * ceil_div(n, ADDED);
    return w;
}

/* Bytes a clock that the loads under way can bring: all of a wave of workgroups, over the latency.
 */
static double reach(const struct work *w, double groups)
{
    double each = ceil_div(groups, w->cus);
    return less(groups, w->cus) * less(each, w->resident) * w->in_flight / LATENCY;
}

/* Splits have whole tiles, and none is empty. */
static double parts(const struct work *w, double splits)
{
    return ceil_div(w->tiles_k, ceil_div(w->tiles_k, splits));
}

/* Tiles that a workgroup executes: slices do as many each, pairs of tiles are whole. */
static double executed(const struct work *w, double tiles)
{
    return ceil_div(tiles, w->step) * w->step;
}

/* The same of all the workgroups of a block. */
static double executed_of_all(const struct work *w, double splits)
{
    double each = ceil_div(w->tiles_k, splits), rest = w->tiles_k - (splits - 1) * each;
    return (splits - 1) * executed(w, each) + executed(w, rest);
}

/* Whether so many parts leave k whole in grids of fewer than two workgroups a CU: waves of one
 * workgroup may split it as well. */
static bool is_thin(const struct work *w, double splits)
{
    return w->blocks < 2 * w->cus && splits * less(w->slices, w->tiles_k) == 1;
}

/* CUs that a launch of so many workgroups keeps busy on average. */
static double busy_cus(const struct work *w, double groups)
{
    return groups / ceil_div(groups, w->cus);
}

/* Cycles of each unit if it alone were all there is: of the first launch, and of the one that adds
 * up. The sums are read as soon as they are written: the last cache before memory serves them while
 * they fit, and what L1 and L2 take to pass them is charged. */
static double first_launch(const struct work *w, double splits, double busy[FLY_GEMM_BOUNDS])
{
    double on = busy_cus(w, w->blocks * splits), most = 0;
    double out = splits > 1 ? splits * w->sums : w->c;
    double passed = w->asked + (splits > 1 ? splits * w->sums : w->stored);
    double spilled = splits > 1 && out <= w->r.cache ? 0 : out;
    double tiles = executed_of_all(w, splits);
    busy[FLY_GEMM_MATRIX] = w->matrix * tiles / on;
    busy[FLY_GEMM_L1] = passed / (on * w->r.l1);
    busy[FLY_GEMM_LDS] = (w->lds * tiles + w->blocks * splits * w->exchange) / on;
    busy[FLY_GEMM_L2] = passed / w->r.l2;
    busy[FLY_GEMM_HBM] = (w->bytes + spilled) / w->r.hbm;
    for (int i = 0; i < FLY_GEMM_BOUNDS; i++)
        most = more(most, busy[i]);
    return most;
}

static double second_launch(const struct work *w, double splits, double busy[FLY_GEMM_BOUNDS])
{
    if (splits == 1)
        return 0;
    double in = splits * w->sums, spilled = in <= w->r.cache ? 0 : in;
    double l1 = (in + w->c) / (busy_cus(w, w->adders) * w->r.l1), l2 = (in + w->c) / w->r.l2,
           hbm = (w->c + spilled) / w->r.hbm;
    if (busy) {
        busy[FLY_GEMM_L1] += l1;
        busy[FLY_GEMM_L2] += l2;
        busy[FLY_GEMM_HBM] += hbm;
    }
    return more(l1, more(l2, hbm));
}

static double bound_of(const struct work *w, double splits)
{
    double busy[FLY_GEMM_BOUNDS];
    splits = parts(w, splits);
    return first_launch(w, splits, busy) + second_launch(w, splits, NULL);
}

/* The bound and what comes on top of it: latency that is not covered, barriers, starts, a second
 * launch. */
static double cycles_of(const struct work *w, double splits)
{
    double busy[FLY_GEMM_BOUNDS], tiles = executed(w, ceil_div(w->tiles_k, splits)) / w->slices;
    splits = parts(w, splits);
    double groups = w->blocks * splits, each = ceil_div(groups, w->cus);
    double bound = first_launch(w, splits, busy);
    double compute =
        each * (tiles * w->tile + w->exchange) + START * (ceil_div(each, w->resident) - 1);
    double memory = busy[FLY_GEMM_HBM] * w->r.hbm / less(w->r.hbm, reach(w, groups));
    return more(bound, more(compute, memory)) + START +
           (splits > 1 ? SECOND + second_launch(w, splits, NULL) : 0);
}

double fly_gemm_bound_cycles(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                             const struct fly_target *t, uint32_t splits)
{
    struct work w = work_of(k, s, t);
    return bound_of(&w, splits);
}

double fly_gemm_cycles(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                       const struct fly_target *t, uint32_t splits)
{
    struct work w = work_of(k, s, t);
    return cycles_of(&w, splits);
}

static bool feasible(const struct work *w, double splits, double most)
{
    return splits <= most && splits <= w->tiles_k &&
           (splits == 1 || splits * w->sums <= FLY_GEMM_MAX_SUMS);
}

/* The fewest parts to look at, as an index: at decode, a grid of fewer than two workgroups a CU is
 * split until every CU has work and its loads cover the latency, or as far as can be. */
static unsigned fewest(const struct work *w, double most)
{
    unsigned last = 0, i = is_thin(w, 1);
    if (!w->decode || w->blocks >= 2 * w->cus)
        return 0;
    for (; i < FLY_GEMM_SPLITS && feasible(w, fly_gemm_splits[i], most); i++) {
        last = i;
        double groups = w->blocks * parts(w, fly_gemm_splits[i]);
        if (groups >= w->cus && reach(w, groups) >= w->r.hbm)
            break;
    }
    return last;
}

bool fly_gemm_thin(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                   const struct fly_target *t, uint32_t splits)
{
    struct work w = work_of(k, s, t);
    return is_thin(&w, splits);
}

bool fly_gemm_may_split(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                        const struct fly_target *t, uint32_t splits)
{
    struct work w = work_of(k, s, t);
    return feasible(&w, splits, INFINITY) && splits >= fly_gemm_splits[fewest(&w, INFINITY)];
}

struct fly_gemm_parts fly_gemm_best_splits(const struct fly_kernel *k,
                                           const struct fly_gemm_shape *s,
                                           const struct fly_target *t, uint32_t most)
{
    struct work w = work_of(k, s, t);
    double cycles[FLY_GEMM_SPLITS], bound[FLY_GEMM_SPLITS], passed = w.asked + w.stored;
    /* What a grid takes that keeps every unit as busy as it can be. */
    double ideal =
        more(more(w.matrix, w.lds) * w.tiles_k / w.cus,
             more(more(passed / (w.cus * w.r.l1), passed / w.r.l2), (w.bytes + w.c) / w.r.hbm));
    unsigned first = fewest(&w, most), n = 0, from = 0;
    struct fly_gemm_parts best = {.cycles = INFINITY, .least = INFINITY};
    bool thin = is_thin(&w, 1), gains = true; /* whether more parts may gain */
    do {
        bound[n] = bound_of(&w, fly_gemm_splits[first + n]);
        cycles[n] = cycles_of(&w, fly_gemm_splits[first + n]);
        best.least = less(best.least, bound[n]);
        gains = bound[n] > 1.01 * ideal || cycles[n] > 1.02 * (ideal + START + SECOND) ||
                (thin && first + n == 0);
        n++;
    } while (gains && first + n < FLY_GEMM_SPLITS &&
             feasible(&w, fly_gemm_splits[first + n], most));
    double near = more(FLY_GEMM_NEAR * best.least, FLY_GEMM_ALIKE);
    double all = INFINITY, those = INFINITY;
    for (unsigned i = 1; i < n && thin && first == 0; i++)
        if (bound[i] <= near)
            from = 1;
    for (unsigned i = from; i < n; i++) {
        all = less(all, cycles[i]);
        if (bound[i] <= near)
            those = less(those, cycles[i]);
    }
    if (those > FLY_GEMM_WORTH * all)
        near = INFINITY;
    for (unsigned i = from; i < n; i++) {
        /* Parts that cost next to nothing are taken while loads that take half as long again as the
         * model has it are not covered. */
        double groups = best.splits * w.blocks;
        bool few = best.splits > 1 && groups < 2 * w.cus && reach(&w, groups) < 1.5 * w.r.hbm;
        if (bound[i] <= near && cycles[i] < (few ? 1.01 : 1) * best.cycles) {
            best.splits = fly_gemm_splits[first + i];
            best.bound = bound[i];
            best.cycles = less(best.cycles, cycles[i]);
        }
    }
    best.thin = thin && best.splits == 1;
    return best;
}

struct fly_gemm_estimate fly_gemm_estimate(const struct fly_kernel *k,
                                           const struct fly_gemm_shape *s,
                                           const struct fly_target *t, uint32_t splits)
{
    struct work w = work_of(k, s, t);
    struct fly_gemm_estimate e = {.cycles = cycles_of(&w, splits)};
    double busy[FLY_GEMM_BOUNDS];
    first_launch(&w, parts(&w, splits), busy);
    second_launch(&w, parts(&w, splits), busy);
    for (int i = 1; i < FLY_GEMM_BOUNDS; i++)
        if (busy[i] > busy[e.bound])
            e.bound = (enum fly_gemm_bound)i;
    for (int i = 0; i < FLY_GEMM_BOUNDS; i++)
        e.share[i] = busy[i] / busy[e.bound];
    e.coverage = reach(&w, w.blocks * parts(&w, splits)) / w.r.hbm;
    e.microseconds = e.cycles / (w.r.ghz * 1e3);
    return e;
}

const char *fly_gemm_bound_name(enum fly_gemm_bound b)
{
    static const char *const names[] = {"matrix", "L1", "LDS", "L2", "HBM"};
    return (unsigned)b < FLY_GEMM_BOUNDS ? names[b] : "none";
}
