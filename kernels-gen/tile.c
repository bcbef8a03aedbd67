/* SPDX-License-Identifier: MIT */
/*
 * The main loop of GEMM tiles; see tile.h. The order of its instructions is decided here and pinned with
 * scheduling barriers; the compiler allocates registers and counts waits. In a tile of G groups:
 *
 *   group g   read the fragment of A for group g + ahead, and an even share of what else there is to ask for
 *             between the products
 *   barrier   before group G - ahead: by then every fragment of this tile has been read, and the next tile
 *             lies in LDS, so the first fragments of the next tile are read under the last products
 *   A         through registers: written to LDS in the groups before the barrier, refilled behind it with
 *             the tile after the next. Directly: copies come first in the tile, ahead of all loads of B, so
 *             that the barrier waits for the copies alone (loads return in order)
 *   B         pair: the next tile's into the other set, spread over the first three quarters. In place: a
 *             step's registers are reloaded behind its last product
 *
 * The first tile in time is the one that may reach beyond k: its chunks beyond k are asked for FAR away
 * and read as zeros in A and in B, so that nothing of a neighbouring row gets in.
 */
#include "tile.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    t->threads = 64 * k->waves_m * k->waves_n;
    t->mi = k->m / k->waves_m / 16;
    t->ni = k->n / k->waves_n / 16;
    t->steps = k->k_bytes / step;
    t->groups = t->steps * t->mi;
    t->pair = k->depth == 2;
    t->dma = (s->arch->caps & FLY_CAP_LDS_DMA16) != 0;
    t->buffer = k->m * k->k_bytes;
    t->passes = t->buffer / (16 * t->threads);
    t->pass_rows = 16 * t->threads / k->k_bytes;
    t->columns = k->k_bytes / 64;
    t->mask = lesser(k->k_bytes / 16, banks / 4) - 1;
    t->shift = 4 * banks > k->k_bytes ? log2_of(4 * banks / k->k_bytes) : 0;
    if (t->passes == 0 || t->passes * 16 * t->threads != t->buffer)
        return "the A tile is no whole number of 16-byte chunks a work-item";
    if (!t->dma && t->passes > 1 && t->pass_rows % ((t->mask + 1) << t->shift))
        return "the rows of a pass are no multiple of the swizzle's period, which the write base relies on";
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
    return 4 * t->mi * t->ni + b + t->ring * 4 * t->mma->chunks + staging + t->ni + t->passes + t->columns + 2;
}

/* ---- names ---- */

struct name {
    char text[24];
};

/* Fragment of A in slot `slot` of the ring: a2, or a2_0 and a2_1 where it has two chunks. */
static struct name frag_a(const struct kg_tile *t, unsigned slot, unsigned chunk)
{
    struct name n;
    if (t->mma->chunks == 1)
        snprintf(n.text, sizeof n.text, "a%u", slot);
    else
        snprintf(n.text, sizeof n.text, "a%u_%u", slot, chunk);
    return n;
}

/* Fragment of B for step and sub-block column: b0_3 in place, even0_3 and odd0_3 for the tiles of a pair. */
static struct name frag_b(const struct kg_tile *t, unsigned set, unsigned step, unsigned n, unsigned chunk)
{
    struct name f;
    const char *stem = !t->pair ? "b" : set ? "odd" : "even";
    int at = snprintf(f.text, sizeof f.text, "%s%u_%u", stem, step, n);
    if (t->mma->chunks > 1)
        snprintf(f.text + at, sizeof f.text - (size_t)at, "_%u", chunk);
    return f;
}

/* " + 1024", or nothing for 0. */
static struct name plus(unsigned bytes)
{
    struct name n = {""};
    if (bytes)
        snprintf(n.text, sizeof n.text, " + %u", bytes);
    return n;
}

/* ---- the order of a tile ---- */

enum { MAX_EVENTS = 192, EVENT_TEXT = 112 };

/* One load, LDS read or write, and when it is asked for: between the products of a group, or behind them. */
struct event {
    unsigned group;
    bool behind;
    char text[EVENT_TEXT];
};

struct order {
    unsigned count;
    struct event event[MAX_EVENTS];
};

static void ask(struct order *o, unsigned group, bool behind, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static void ask(struct order *o, unsigned group, bool behind, const char *fmt, ...)
{
    if (o->count == MAX_EVENTS)
        return;
    struct event *e = &o->event[o->count++];
    va_list args;
    e->group = group;
    e->behind = behind;
    va_start(args, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, args);
    va_end(args);
}

/* The fragment of group `g` of the tile in LDS buffer `buffer`, into the ring at `slot`. */
static void ask_fragment(struct order *o, const struct kg_tile *t, unsigned when, unsigned slot, unsigned g,
                         unsigned buffer)
{
    unsigned step = g / t->mi, row = g % t->mi * 16;
    for (unsigned c = 0; c < t->mma->chunks; c++)
        ask(o, when, false, "%s = read_chunk(read%u%s);", frag_a(t, slot, c).text, step * t->mma->chunks + c,
            plus(buffer * t->buffer + row * t->s->gemm.k_bytes).text);
}

static void ask_b(struct order *o, const struct kg_tile *t, unsigned when, bool behind, unsigned set, unsigned i,
                  const char *rsrc)
{
    unsigned chunks = t->mma->chunks, step = i / (t->ni * chunks), n = i / chunks % t->ni, c = i % chunks;
    ask(o, when, behind, "%s = load_chunk(%s, from_b%u%s, kb);", frag_b(t, set, step, n, c).text, rsrc, n,
        plus((step * chunks + c) * 1024).text);
}

/* Products `from` to `to` of group g. */
static void products(struct kg *g, const struct kg_tile *t, unsigned group, unsigned set, unsigned slot,
                     unsigned from, unsigned to)
{
    unsigned step = group / t->mi, m = group % t->mi;
    for (unsigned i = from; i < to; i++) {
        unsigned part = i / t->ni, n = i % t->ni;
        const char *word = kg_mma_word(t->mma, part, t->s->gemm.tied);
        if (t->mma->chunks == 2)
            kg_line(g, "%s(c%u_%u, %s, %s, %s, %s);", word, m, n, frag_b(t, set, step, n, 0).text,
                    frag_b(t, set, step, n, 1).text, frag_a(t, slot, 0).text, frag_a(t, slot, 1).text);
        else
            kg_line(g, "%s(c%u_%u, %s, %s);", word, m, n, frag_b(t, set, step, n, 0).text,
                    frag_a(t, slot, 0).text);
    }
}

/* What follows a tile. */
enum more { LAST, ONE_MORE, MANY_MORE };

/* When each thing is asked for in tile `place` of the loop body. */
static void plan(struct order *o, const struct kg_tile *t, unsigned place, enum more more)
{
    unsigned G = t->groups, barrier = G - t->ahead, base = place * G, chunks = t->mma->chunks;
    unsigned here = t->pair ? place : 0, there = t->pair ? place ^ 1 : 0, loads = t->steps * t->ni * chunks;
    o->count = 0;
    if (more && t->dma)
        for (unsigned i = 0; i < t->passes; i++)
            ask(o, lesser(t->pair ? i : i * t->mi / t->passes, barrier - 1), false, "copy_chunk(%s, copy%s, from_a%u, ka);",
                more == ONE_MORE ? "ra_last" : "ra", plus(there * t->buffer + i * t->threads * 16).text, i);
    for (unsigned i = 0; i < G; i++) {
        unsigned next = i + t->ahead, slot = (base + next) % t->ring;
        if (next < G)
            ask_fragment(o, t, i, slot, next, here);
        else if (more)
            ask_fragment(o, t, i, slot, next - G, there);
    }
    if (more && !t->dma)
        for (unsigned i = 0; i < t->passes; i++) {
            unsigned back = t->passes - i;
            ask(o, barrier > back ? barrier - back : 0, false, "write_chunk(write%s, stage%u);",
                plus(there * t->buffer + i * t->pass_rows * t->s->gemm.k_bytes).text, i);
        }
    if (more == MANY_MORE && !t->dma)
        for (unsigned i = 0; i < t->passes; i++)
            ask(o, barrier + i * t->ahead / t->passes, false, "stage%u = load_chunk(%s, from_a%u, ka);", i,
                place == 1 ? "ra_next" : "ra", i);
    if (more && t->pair) {
        unsigned first = t->dma ? lesser(t->passes, barrier - 1) : 0, span = greater(G * 3 / 4, first + 1) - first;
        for (unsigned i = 0; i < loads; i++)
            ask_b(o, t, lesser(first + i * span / loads, G - 1), false, there, i, more == ONE_MORE ? "rb_last" : "rb");
    } else if (more) {
        for (unsigned i = 0; i < loads; i++) {
            unsigned step = i / (t->ni * chunks), last = (step + 1) * t->mi - 1, room = t->mi;
            if (t->steps == 2 && last < barrier)
                room = lesser(room, barrier - last);
            ask_b(o, t, lesser(last + i % (t->ni * chunks) * room / (t->ni * chunks), G - 1), true, 0, i, "rb");
        }
    }
}

/* Group `g` with what is asked for between its products and behind them. */
static void group(struct kg *g, const struct kg_tile *t, const struct order *o, unsigned at, unsigned set, unsigned slot)
{
    unsigned all = t->ni * t->mma->parts, between = 0, done = 0;
    for (unsigned i = 0; i < o->count; i++)
        between += o->event[i].group == at && !o->event[i].behind;
    unsigned share = between ? greater(all / between, 1) : all;
    for (unsigned i = 0; i < o->count; i++) {
        if (o->event[i].group != at || o->event[i].behind)
            continue;
        kg_line(g, "%s", o->event[i].text);
        kg_line(g, "pin();");
        unsigned upto = --between ? lesser(done + share, all) : all;
        if (upto > done) {
            products(g, t, at, set, slot, done, upto);
            kg_line(g, "pin();");
        }
        done = upto;
    }
    if (done < all) {
        products(g, t, at, set, slot, done, all);
        kg_line(g, "pin();");
    }
    bool any = false;
    for (unsigned i = 0; i < o->count; i++)
        if (o->event[i].group == at && o->event[i].behind) {
            kg_line(g, "%s", o->event[i].text);
            any = true;
        }
    if (any)
        kg_line(g, "pin();");
}

/* The tile of the loop form `one` changes LDS buffers by moving its pointers. */
static void swap_buffers(struct kg *g, const struct kg_tile *t)
{
    kg_line(g, "swap = -swap;");
    for (unsigned i = 0; i < t->columns; i++)
        kg_line(g, "read%u += swap;", i);
    kg_line(g, t->dma ? "copy -= swap;" : "write -= swap;");
}

static void tile(struct kg *g, const struct kg_tile *t, unsigned place, enum more more)
{
    static struct order o;
    unsigned G = t->groups, kb = t->s->gemm.k_bytes;
    plan(&o, t, place, more);
    if (o.count == MAX_EVENTS)
        kg_fail(g, "more than %d events in a tile", MAX_EVENTS);
    for (unsigned i = 0; i < G; i++) {
        if (i == G - t->ahead && more) {
            kg_line(g, "barrier();");
            if (!t->pair)
                swap_buffers(g, t);
            else if (more == MANY_MORE && !t->dma && place == 1)
                kg_line(g, "const rsrc ra_next = descriptor(pa, odd && left == 4 ? 0 : a_bytes);");
            kg_line(g, "pin();");
        }
        group(g, t, &o, i, t->pair ? place : 0, (place * G + i) % t->ring);
    }
    if (more && t->dma)
        kg_line(g, "ka += %u;", kb);
    else if (more == MANY_MORE)
        kg_line(g, "ka = lesser(ka + %u, ka_last);", kb);
    if (more)
        kg_line(g, "kb += %u;", kb * 16);
}

/* ---- declarations and the first tile ---- */

static void offsets(struct kg *g, const struct kg_tile *t)
{
    unsigned kb = t->s->gemm.k_bytes, chunks = kb / 16;
    kg_note(g, "A in LDS: two buffers of %u rows by %u bytes. Chunk c of row r lies at place c ^ (r >> %u & %u), so that "
               "rows spread over the banks.", t->s->gemm.m, kb, t->shift, t->mask);
    kg_line(g, "static __shared__ __attribute__((aligned(1024))) char a_tiles[%u];", 2 * t->buffer);
    g->lds += 2 * t->buffer;
    kg_line(g, "const lds_ptr lds = (lds_ptr)a_tiles;");
    kg_line(g, "const unsigned a_row = tid / %u, a_chunk = tid %% %u;", chunks, chunks);
    if (t->dma) {
        for (unsigned i = 0; i < t->passes; i++) {
            kg_line(g, "const unsigned a_at%u = (a_chunk ^ ((a_row + %u) >> %u & %u)) * 16;", i, i * t->pass_rows,
                    t->shift, t->mask);
            kg_line(g, "const unsigned from_a%u = (a_row + %u) * (unsigned)lda + a_at%u;", i, i * t->pass_rows, i);
        }
        kg_line(g, "unsigned copy = (unsigned)(unsigned long)lds + wave * 1024;");
    } else {
        for (unsigned i = 0; i < t->passes; i++)
            kg_line(g, "const unsigned from_a%u = (a_row + %u) * (unsigned)lda + a_chunk * 16;", i, i * t->pass_rows);
        kg_line(g, "lds_ptr write = lds + a_row * %u + (a_chunk ^ (a_row >> %u & %u)) * 16;", kb, t->shift, t->mask);
    }
    for (unsigned i = 0; i < t->columns; i++)
        kg_line(g, "lds_ptr read%u = lds + (wave_m * %u + row16) * %u + ((quad + %u) ^ (row16 >> %u & %u)) * 16;", i,
                t->mi * 16, kb, i * 4, t->shift, t->mask);
    for (unsigned n = 0; n < t->ni; n++)
        kg_line(g, "unsigned from_b%u = (wave_n * %u + %u) * (ldb * 16) + lane * 16;", n, t->ni, n);
    kg_blank(g);
}

/* "TYPE name0, name1, ...;" in lines that fit. */
static void declare(struct kg *g, const char *type, const char *fmt, unsigned first, unsigned count, const char *value)
{
    struct kg_buf line = {0};
    for (unsigned i = 0; i < count; i++) {
        kg_buf_printf(&line, i ? ", " : "");
        kg_buf_printf(&line, fmt, first, i);
        kg_buf_printf(&line, "%s", value);
    }
    kg_line(g, "%s %s;", type, line.text);
    kg_buf_free(&line);
}

static void registers(struct kg *g, const struct kg_tile *t)
{
    const char *acc = t->mma->integer ? "i32x4" : "f32x4";
    kg_note(g, "c: %u x %u sub-blocks of 16x16, 4 columns of a row a lane. a: fragments of A, read %u ahead. b: a tile of B%s.",
            t->mi, t->ni, t->ahead, t->pair ? ", twice" : "");
    for (unsigned m = 0; m < t->mi; m++)
        declare(g, acc, "c%u_%u", m, t->ni, t->mma->integer ? " = zeros_i32x4()" : " = zeros_f32x4()");
    for (unsigned i = 0; i < t->ring; i++)
        for (unsigned c = 0; c < t->mma->chunks; c++)
            kg_line(g, "i32x4 %s;", frag_a(t, i, c).text);
    for (unsigned set = 0; set < t->s->gemm.depth; set++)
        for (unsigned k = 0; k < t->steps; k++)
            for (unsigned n = 0; n < t->ni; n++)
                for (unsigned c = 0; c < t->mma->chunks; c++)
                    kg_line(g, "i32x4 %s;", frag_b(t, set, k, n, c).text);
    if (!t->dma)
        for (unsigned i = 0; i < t->passes; i++)
            kg_line(g, "i32x4 stage%u;", i);
    kg_blank(g);
}

static void load_stage(struct kg *g, const struct kg_tile *t)
{
    for (unsigned i = 0; i < t->passes; i++)
        kg_line(g, "stage%u = load_chunk(%s, from_a%u, ka);", i, t->pair ? "ra_second" : "ra", i);
}

void kg_tile_begin(struct kg *g, const struct kg_tile *t)
{
    unsigned kb = t->s->gemm.k_bytes, chunks = t->mma->chunks;
    g->stage = "tile begin";
    kg_line(g, "unsigned ka = t0 * %u;", kb);
    kg_line(g, "unsigned kb = ka * 16;");
    if (t->pair) {
        kg_note(g, "Tiles are done in pairs: an odd number gets one more, of zeros, read through descriptors of no bytes.");
        kg_line(g, "const unsigned odd = left & 1;");
        kg_line(g, "const rsrc rb_last = descriptor(pb, odd ? 0 : b_bytes);");
        if (t->dma)
            kg_line(g, "const rsrc ra_last = descriptor(pa, odd ? 0 : a_bytes);");
    }
    if (!t->dma)
        kg_line(g, "const unsigned ka_last = left > 1 ? (t0 + left - 2) * %u : 0;", kb);
    kg_blank(g);
    offsets(g, t);
    registers(g, t);

    kg_note(g, "The first tile, zeros beyond k.");
    for (unsigned i = 0; i < t->passes; i++) {
        if (t->dma)
            kg_line(g, "copy_chunk(ra, copy%s, a_at%u < valid ? from_a%u : FAR, k0);", plus(i * t->threads * 16).text, i, i);
        else
            kg_line(g, "const i32x4 first%u = load_chunk(ra, a_chunk * 16 < valid ? from_a%u : FAR, k0);", i, i);
    }
    if (!t->dma) {
        kg_line(g, "ka = lesser(ka, ka_last);");
        if (t->pair)
            kg_line(g, "const rsrc ra_second = descriptor(pa, left == 1 ? 0 : a_bytes);");
        if (t->a_first)
            load_stage(g, t);
    }
    kg_line(g, "pin();");
    for (unsigned i = 0; i < t->columns; i++)
        kg_line(g, "const unsigned hole%u = %u < valid ? 0 : FAR;", i, i * 64);
    for (unsigned k = 0; k < t->steps; k++)
        for (unsigned n = 0; n < t->ni; n++)
            for (unsigned c = 0; c < chunks; c++)
                kg_line(g, "%s = load_chunk(rb, from_b%u%s + hole%u, k0 * 16);", frag_b(t, 0, k, n, c).text, n,
                        plus((k * chunks + c) * 1024).text, k * chunks + c);
    kg_line(g, "pin();");
    if (!t->dma) {
        for (unsigned i = 0; i < t->passes; i++)
            kg_line(g, "write_chunk(write%s, first%u);", plus(i * t->pass_rows * kb).text, i);
        if (!t->a_first)
            load_stage(g, t);
        kg_line(g, "ka = lesser(ka + %u, ka_last);", kb);
    }
    if (!t->pair) {
        kg_line(g, t->dma ? "copy += %u;" : "write += %u;", t->buffer);
        kg_line(g, "int swap = -%d;", (int)t->buffer);
    } else {
        kg_line(g, "left += odd;");
    }
    kg_line(g, "barrier();");
    static struct order o;
    o.count = 0;
    for (unsigned i = 0; i < t->ahead; i++)
        ask_fragment(&o, t, 0, i, i, 0);
    for (unsigned i = 0; i < o.count; i++)
        kg_line(g, "%s", o.event[i].text);
    kg_line(g, "pin();");
    kg_blank(g);
}

void kg_tile_loop(struct kg *g, const struct kg_tile *t)
{
    unsigned depth = t->s->gemm.depth;
    g->stage = "tile loop";
    kg_line(g, "#pragma clang loop unroll(disable)");
    kg_open(g, "while (left > %u)", depth);
    for (unsigned n = 0; n < t->ni; n++)
        kg_line(g, "renew(from_b%u);", n);
    for (unsigned place = 0; place < depth; place++)
        tile(g, t, place, MANY_MORE);
    kg_line(g, "left -= %u;", depth);
    kg_close(g);
    kg_blank(g);
    if (t->pair) {
        kg_note(g, "The last two tiles.");
        tile(g, t, 0, ONE_MORE);
    } else {
        kg_note(g, "The last tile.");
    }
    tile(g, t, depth - 1, LAST);
    if (t->s->gemm.tied)
        kg_line(g, "settle();");
    kg_blank(g);
}
