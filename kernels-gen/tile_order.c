/* SPDX-License-Identifier: MIT */
/*
 * The order of the main loop of GEMM tiles; see tile.h. Whoever writes the loop, as HIP or as
 * assembly, keeps to it. In a tile of G groups:
 *
 *   group g   read the fragment of A for group g + ahead, and an even share of what else there is
 * to ask for between the products barrier   before group G - ahead: by then every fragment of this
 * tile has been read, and the next tile lies in LDS, so the first fragments of the next tile are
 * read under the last products A         through registers: written to LDS in the groups before the
 * barrier, refilled behind it with the tile after the next. Directly: copies come first in the
 * tile, ahead of all loads of B, so that the barrier waits for the copies alone (loads return in
 * order) B         pair: the next tile's into the other set, spread over the first three quarters.
 * In place: a step's registers are reloaded behind its last product
 *
 * The first tile in time is the one that may reach beyond k: its chunks beyond k are asked for FAR
 * away and read as zeros in A and in B, so that nothing of a neighbouring row gets in.
 */
#include "tile.h"

static unsigned lesser(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned greater(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned log2_of(unsigned x)
{
    unsigned n = 0;
    while (x >>= 1)
        n++;
    return n;
}

const char *kg_tile_derive(struct kg_tile *t, const struct kg_spec *s)
{
    const struct kg_gemm *k = &s->gemm;
    *t = (struct kg_tile){.s = s, .mma = kg_mma_find(s->arch, s->in)};
    if (!t->mma)
        return "the arch has no matrix instruction for the input type";
    unsigned step = 64 * t->mma->chunks, banks = s->arch->banks;
    if (k->m % (16 * k->waves_m) || k->n % (16 * k->waves_n))
        return "a wave's share of the block is no whole number of 16x16 sub-blocks";
    if (k->k_bytes % step)
        return "the k tile is no whole number of fragments";
    t->slices = k->slices ? k->slices : 1;
    t->threads = 64 * k->waves_m * k->waves_n;
    t->mi = k->m / k->waves_m / 16;
    t->ni = k->n / k->waves_n / 16;
    t->steps = k->k_bytes / step;
    t->groups = t->steps * t->mi;
    t->pair = k->depth == 2;
    t->dma = (s->arch->caps & FLY_CAP_LDS_DMA16) != 0;
    t->buffer = k->m * k->k_bytes;
    t->lds = t->slices * 2 * t->buffer;
    if (t->slices > 1) {
        unsigned sums = k->m * k->n * 4, most = s->arch->lds;
        t->exchanges = (sums + most - 1) / most;
        t->lds = greater(t->lds, sums / t->exchanges);
        if (t->slices != 2 || t->lds > most || t->mi % t->exchanges)
            return "two slices of k need LDS for their buffers, and for sums a row of sub-blocks";
    }
    t->passes = t->buffer / (16 * t->threads);
    t->pass_rows = 16 * t->threads / k->k_bytes;
    t->columns = k->k_bytes / 64;
    t->mask = lesser(k->k_bytes / 16, banks / 4) - 1;
    t->shift = 4 * banks > k->k_bytes ? log2_of(4 * banks / k->k_bytes) : 0;
    if (t->passes == 0 || t->passes * 16 * t->threads != t->buffer)
        return "the A tile is no whole number of 16-byte chunks a work-item";
    if (!t->dma && t->passes > 1 && t->pass_rows % ((t->mask + 1) << t->shift))
        return "the rows of a pass are no multiple of the swizzle's period, which the write base "
               "relies on";
    /* A barrier too early in the tile leaves no loads of B in flight over it. */
    unsigned most = t->pair ? t->groups / 2 : t->groups - t->mi;
    t->ahead = lesser(k->ahead, most > 2 ? most - 1 : 1);
    while (t->ahead && k->depth * t->groups % (t->ahead + 1))
        t->ahead--;
    if (!t->ahead)
        return "a tile of one group cannot read ahead";
    t->ring = t->ahead + 1;
    /* With many steps, waiting for A of the next tile must not mean waiting for B of this one. */
    t->a_first = !t->pair && !t->dma && t->steps >= 4;
    return NULL;
}

unsigned kg_tile_registers(const struct kg_tile *t)
{
    unsigned b = t->ni * t->columns * 4 * (t->pair ? 2 : 1);
    unsigned staging = t->dma ? 0 : t->passes * 4;
    return 4 * t->mi * t->ni + b + t->ring * 4 * t->mma->chunks + staging + t->ni + t->passes +
           t->columns + 2;
}

/* A step and when it is asked for: between the products of a group, or behind them. */
struct request {
    unsigned group;
    bool behind;
    struct kg_step step;
};

enum { MAX_REQUESTS = 192 };

struct requests {
    unsigned count;
    struct request r[MAX_REQUESTS];
};

static void ask(struct requests *q, unsigned group, bool behind, struct kg_step step)
{
    if (q->count < MAX_REQUESTS)
        q->r[q->count++] = (struct request){group, behind, step};
}

/* The fragment of group `g` of the tile in LDS buffer `buffer`, into the ring at `slot`. */
static void ask_fragment(struct requests *q, const struct kg_tile *t, unsigned when, unsigned slot,
                         unsigned g, unsigned buffer)
{
    for (unsigned c = 0; c < t->mma->chunks; c++)
        ask(q, when, false,
            (struct kg_step){.kind = KG_READ_A,
                             .slot = slot,
                             .chunk = c,
                             .step = g / t->mi,
                             .m = g % t->mi,
                             .buffer = buffer});
}

/* Load i of the tile's loads of B. */
static struct kg_step load_b(const struct kg_tile *t, unsigned i, unsigned set, bool last)
{
    unsigned chunks = t->mma->chunks;
    return (struct kg_step){.kind = KG_LOAD_B,
                            .set = set,
                            .step = i / (t->ni * chunks),
                            .n = i / chunks % t->ni,
                            .chunk = i % chunks,
                            .last = last};
}

static void ask_all(struct requests *q, const struct kg_tile *t, unsigned place, enum kg_more more)
{
    unsigned G = t->groups, barrier = G - t->ahead, base = place * G;
    unsigned here = t->pair ? place : 0, there = t->pair ? place ^ 1 : 0;
    unsigned in_step = t->ni * t->mma->chunks, loads = t->steps * in_step;
    q->count = 0;
    if (more && t->dma)
        for (unsigned i = 0; i < t->passes; i++)
            ask(q, lesser(t->pair ? i : i * t->mi / t->passes, barrier - 1), false,
                (struct kg_step){
                    .kind = KG_COPY_A, .pass = i, .buffer = there, .last = more == KG_ONE_MORE});
    for (unsigned i = 0; i < G; i++) {
        unsigned next = i + t->ahead, slot = (base + next) % t->ring;
        if (next < G)
            ask_fragment(q, t, i, slot, next, here);
        else if (more)
            ask_fragment(q, t, i, slot, next - G, there);
    }
    if (more && !t->dma)
        for (unsigned i = 0; i < t->passes; i++) {
            unsigned back = t->passes - i;
            ask(q, barrier > back ? barrier - back : 0, false,
                (struct kg_step){.kind = KG_WRITE_A, .pass = i, .buffer = there});
        }
    if (more == KG_MANY_MORE && !t->dma)
        for (unsigned i = 0; i < t->passes; i++)
            ask(q, barrier + i * t->ahead / t->passes, false,
                (struct kg_step){.kind = KG_STAGE_A, .pass = i, .last = place == 1});
    if (more && t->pair) {
        unsigned first = t->dma ? lesser(t->passes, barrier - 1) : 0,
                 span = greater(G * 3 / 4, first + 1) - first;
        for (unsigned i = 0; i < loads; i++)
            ask(q, lesser(first + i * span / loads, G - 1), false,
                load_b(t, i, there, more == KG_ONE_MORE));
    } else if (more) {
        for (unsigned i = 0; i < loads; i++) {
            unsigned last = (i / in_step + 1) * t->mi - 1, room = t->mi;
            if (t->steps == 2 && last < barrier)
                room = lesser(room, barrier - last);
            ask(q, lesser(last + i % in_step * room / in_step, G - 1), true,
                load_b(t, i, 0, false));
        }
    }
}

static void add(struct kg_order *o, struct kg_step step)
{
    o->full |= o->count == KG_MAX_STEPS;
    if (!o->full)
        o->step[o->count++] = step;
}

static void pin(struct kg_order *o)
{
    add(o, (struct kg_step){.kind = KG_PIN});
}

/* Products `from` to `to` of a group: part by part, so that one accumulator is not needed twice in
 * a row. */
static void products(struct kg_order *o, const struct kg_tile *t, unsigned group, unsigned place,
                     unsigned from, unsigned to)
{
    unsigned slot = (place * t->groups + group) % t->ring;
    if (from == to)
        return;
    for (unsigned i = from; i < to; i++)
        add(o, (struct kg_step){.kind = KG_PRODUCT,
                                .part = i / t->ni,
                                .n = i % t->ni,
                                .m = group % t->mi,
                                .step = group / t->mi,
                                .set = t->pair ? place : 0,
                                .slot = slot});
    pin(o);
}

/* A group with what is asked for between its products and behind them. */
static void add_group(struct kg_order *o, const struct kg_tile *t, const struct requests *q,
                      unsigned group, unsigned place)
{
    unsigned all = t->ni * t->mma->parts, between = 0, done = 0;
    bool behind = false;
    for (unsigned i = 0; i < q->count; i++)
        between += q->r[i].group == group && !q->r[i].behind;
    unsigned share = between ? greater(all / between, 1) : all;
    for (unsigned i = 0; i < q->count; i++) {
        if (q->r[i].group != group || q->r[i].behind)
            continue;
        add(o, q->r[i].step);
        pin(o);
        unsigned upto = --between ? lesser(done + share, all) : all;
        products(o, t, group, place, done, upto);
        done = upto;
    }
    products(o, t, group, place, done, all);
    for (unsigned i = 0; i < q->count; i++)
        if (q->r[i].group == group && q->r[i].behind) {
            add(o, q->r[i].step);
            behind = true;
        }
    if (behind)
        pin(o);
}

void kg_tile_order(struct kg_order *o, const struct kg_tile *t, unsigned place, enum kg_more more)
{
    static struct requests q;
    o->count = 0;
    ask_all(&q, t, place, more);
    o->full = q.count == MAX_REQUESTS;
    for (unsigned i = 0; i < t->groups; i++) {
        if (i == t->groups - t->ahead && more) {
            add(o, (struct kg_step){.kind = KG_BARRIER,
                                    .last = more == KG_MANY_MORE && !t->dma && place == 1});
            pin(o);
        }
        add_group(o, t, &q, i, place);
    }
}
