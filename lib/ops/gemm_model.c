/* SPDX-License-Identifier: MIT */
/*
 * The bound model of GEMM kernels; see gemm_model.h. A compute unit works through its workgroups;
 * each k tile costs what its busiest unit needs; memory moves at least A, B and C once and no
 * faster than the bytes that are under way allow. It knows no L2 hit rates, clock or power limits.
 */
#include "ops/gemm_model.h"

#include <math.h>
#include <string.h>

#include "core/arch.h"

/* Per family. Matrix rates: published peaks by clock and CU (CDNA2, CDNA3 and CDNA4 white papers).
 * L1: 64 bytes a clock and CU, assumed for all three. L2: 128 bytes a clock and channel, of the
 * whole device (32 channels a CDNA2 die, 16 an XCD). LDS: 32 or 64 banks of 4 bytes. HBM: published
 * bandwidth over the shader clock, of the whole device (MI250X die, MI300X, MI355X). */
static const struct rates {
    const char *family;
    double ops16, ops8; /* operations a clock and CU */
    double l1, lds;     /* bytes a clock and CU */
    double l2, hbm;     /* bytes a clock */
    double ghz;
    double lds_bytes; /* of a CU */
} table[] = {
    {"CDNA2", 1024, 1024, 64, 128, 4096, 1640 / 1.7, 1.7, 65536},
    {"CDNA3", 2048, 4096, 64, 128, 16384, 5300 / 2.1, 2.1, 65536},
    {"CDNA4", 4096, 8192, 64, 256, 16384, 8000 / 2.4, 2.4, 163840},
};

enum {
    LATENCY = 2000, /* cycles from a load's request to its data, under load */
    START = 2500,   /* a workgroup before its first and after its last tile */
    SYNC = 32,      /* a k tile: the barrier, waves of unequal pace */
    SECOND = 4000,  /* one more kernel on the stream: it starts when the first has ended */
    DECODE = 32,    /* rows up to which a problem is one of bringing B */
    SIMDS = 4
};

const uint8_t fly_gemm_splits[FLY_GEMM_SPLITS] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32};

static const struct rates *rates_of(const struct fly_target *t)
{
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(table[i].family, t->arch->family))
            return &table[i];
    return &table[0];
}

/* A kernel on a problem, as far as it does not depend on the splits. */
struct work {
    const struct rates *r;
    double blocks; /* of C, all batches */
    double tiles_k;
    double matrix, l1, lds; /* cycles of a k tile */
    double tile;            /* the largest of them */
    double resident;        /* workgroups a CU holds */
    double in_flight;       /* bytes of loads a workgroup has under way */
    double bytes;           /* A, B and C once */
    double asked;           /* bytes that all workgroups ask of L2 */
    double sums;            /* bytes of one set of partial sums */
    double cus;
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
    const struct rates *r = rates_of(t);
    double in = s->in_bits / 8.0, m = (double)s->m, n = (double)s->n, kk = (double)s->k,
           batch = (double)s->batch;
    double kb = g->k * in, waves = k->block / 64.0;
    struct work w = {.r = r, .cus = t->cus ? t->cus : 1};
    w.blocks = ceil_div(m, g->m) * ceil_div(n, g->n) * batch;
    w.tiles_k = ceil_div(kk, g->k);
    w.matrix = 2.0 * g->m * g->n * g->k / (s->in_bits == 8 ? r->ops8 : r->ops16);
    w.l1 = (g->m + (double)g->n * g->waves_m) * kb / r->l1;
    w.lds = g->m * kb * g->waves_n / r->lds + g->m * kb / 128;
    w.tile = more(w.matrix, more(w.l1, w.lds)) + SYNC;
    /* Registers: accumulators, and as much again for small waves, half as much for large ones. */
    double acc = (double)g->m * g->n / k->block;
    double waves_simd = acc > 64 ? 2 : acc > 32 ? 3 : acc > 16 ? 5 : g->depth > 1 ? 4 : 6;
    double by_registers = waves_simd * SIMDS / waves,
           by_lds = (double)(int)(r->lds_bytes / (k->lds ? k->lds : 1));
    w.resident = more(1, less(by_registers, by_lds));
    /* Of B half a tile and a little on average, or a whole one where the next is in other
     * registers. */
    w.in_flight = ((g->depth == 1 ? 0.55 : 1.0) * less(n, g->n) + less(m, g->m)) * kb;
    /* At decode a second row of blocks is taken to bring B once more: it is all there is to bring,
     * and nothing keeps the two rows in step. */
    double times_b = m <= DECODE ? ceil_div(m, g->m) : 1;
    w.bytes = batch * ((m + times_b * n) * kk * in + m * n * s->out_bits / 8.0);
    w.decode = m <= DECODE;
    w.asked = w.blocks * w.tiles_k * w.l1 * r->l1;
    w.sums = batch * m * n * 4;
    return w;
}

/* Bytes a clock that the loads under way can bring: all of a wave of workgroups, over the latency.
 */
static double reach(const struct work *w, double groups)
{
    double each = ceil_div(groups, w->cus);
    return less(groups, w->cus) * less(each, w->resident) * w->in_flight / LATENCY;
}

static double cycles_of(const struct work *w, double splits)
{
    double tiles = ceil_div(w->tiles_k, splits);
    splits = ceil_div(w->tiles_k, tiles); /* splits have whole tiles, and none is empty */
    double groups = w->blocks * splits, each = ceil_div(groups, w->cus);
    double compute = each * tiles * w->tile + START * ceil_div(each, w->resident);
    double rate = less(w->r->hbm, reach(w, groups));
    double bytes = w->bytes + (splits > 1 ? splits * w->sums : 0);
    double memory = bytes / rate + START;
    double second = splits > 1 ? SECOND + splits * w->sums / w->r->hbm : 0;
    return more(more(compute, memory), w->asked / w->r->l2 + START) + second;
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
 * split until its loads cover the latency, or as far as can be. */
static unsigned fewest(const struct work *w, double most)
{
    unsigned last = 0;
    if (!w->decode || w->blocks >= 2 * w->cus)
        return 0;
    for (unsigned i = 1; i < FLY_GEMM_SPLITS && feasible(w, fly_gemm_splits[i], most); i++) {
        last = i;
        if (reach(w, w->blocks * fly_gemm_splits[i]) >= w->r->hbm)
            break;
    }
    return last;
}

bool fly_gemm_may_split(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                        const struct fly_target *t, uint32_t splits)
{
    struct work w = work_of(k, s, t);
    return feasible(&w, splits, INFINITY) && splits >= fly_gemm_splits[fewest(&w, INFINITY)];
}

uint32_t fly_gemm_best_splits(const struct fly_kernel *k, const struct fly_gemm_shape *s,
                              const struct fly_target *t, uint32_t most, double limit,
                              double *cycles)
{
    struct work w = work_of(k, s, t);
    unsigned first = fewest(&w, most);
    uint32_t best = fly_gemm_splits[first];
    double least = cycles_of(&w, best);
    /* A grid that keeps every unit as busy as it can be gains nothing. */
    double ideal = START + more(w.blocks * w.tiles_k * w.tile / w.cus,
                                more(w.bytes / w.r->hbm, w.asked / w.r->l2));
    if (least > 1.02 * (ideal + SECOND) && ideal + SECOND < limit)
        for (unsigned i = first + 1; i < FLY_GEMM_SPLITS; i++) {
            double splits = fly_gemm_splits[i],
                   next = i + 1 < FLY_GEMM_SPLITS ? fly_gemm_splits[i + 1] : INFINITY;
            if (!feasible(&w, splits, most))
                break;
            if (next * w.blocks <= w.cus && next <= most && next <= w.tiles_k &&
                next * w.sums <= w.bytes / 64)
                continue; /* the next leaves no CU with more to do, fewer without, and costs next to
                             nothing */
            double c = cycles_of(&w, splits);
            /* Parts that cost next to nothing are taken while loads that take half as long again as
             * the model has it are not covered. */
            if (c < least || (best > 1 && reach(&w, best * w.blocks) < 1.5 * w.r->hbm &&
                              best * w.blocks < 2 * w.cus && c < 1.01 * least)) {
                least = less(c, least);
                best = fly_gemm_splits[i];
            }
        }
    *cycles = least;
    return best;
}

struct fly_gemm_estimate fly_gemm_estimate(const struct fly_kernel *k,
                                           const struct fly_gemm_shape *s,
                                           const struct fly_target *t, uint32_t splits)
{
    struct work w = work_of(k, s, t);
    struct fly_gemm_estimate e = {.cycles = cycles_of(&w, splits)};
    double groups = w.blocks * splits, each = ceil_div(groups, w.cus),
           tiles = ceil_div(w.tiles_k, splits);
    double busy[FLY_GEMM_BOUNDS] = {
        [FLY_GEMM_MATRIX] = each * tiles * w.matrix,
        [FLY_GEMM_L1] = each * tiles * w.l1,
        [FLY_GEMM_LDS] = each * tiles * w.lds,
        [FLY_GEMM_L2] = w.asked / w.r->l2,
        [FLY_GEMM_HBM] = (w.bytes + (splits > 1 ? 2 * splits * w.sums : 0)) / w.r->hbm,
    };
    for (int i = 1; i < FLY_GEMM_BOUNDS; i++)
        if (busy[i] > busy[e.bound])
            e.bound = (enum fly_gemm_bound)i;
    for (int i = 0; i < FLY_GEMM_BOUNDS; i++)
        e.share[i] = busy[i] / busy[e.bound];
    e.coverage = reach(&w, groups) / w.r->hbm;
    e.microseconds = e.cycles / (w.r->ghz * 1e3);
    return e;
}

const char *fly_gemm_bound_name(enum fly_gemm_bound b)
{
    static const char *const names[] = {"matrix", "L1", "LDS", "L2", "HBM"};
    return (unsigned)b < FLY_GEMM_BOUNDS ? names[b] : "none";
}
