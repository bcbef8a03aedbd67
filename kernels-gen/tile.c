/* SPDX-License-Identifier: MIT */
/* GEMM tiles as HIP text; see tile.h. What runs when is in tile_order.c. */
#include "tile.h"

#include <stdio.h>
#include <string.h>

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

/* Fragment of B for step and sub-block column: b0_3 in place, even0_3 and odd0_3 for the tiles of a
 * pair. */
static struct name frag_b(const struct kg_tile *t, unsigned set, unsigned step, unsigned n,
                          unsigned chunk)
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

/* ---- a tile, step by step ---- */

static void read_a(struct kg *g, const struct kg_tile *t, const struct kg_step *x)
{
    kg_line(g, "%s = read_chunk(read%u%s);", frag_a(t, x->slot, x->chunk).text,
            x->step * t->mma->chunks + x->chunk,
            plus(x->buffer * t->buffer + x->m * 16 * t->s->gemm.k_bytes).text);
}

static void product(struct kg *g, const struct kg_tile *t, const struct kg_step *x)
{
    const char *word = kg_mma_word(t->mma, x->part, t->s->gemm.tied);
    if (t->mma->chunks == 2)
        kg_line(g, "%s(c%u_%u, %s, %s, %s, %s);", word, x->m, x->n,
                frag_b(t, x->set, x->step, x->n, 0).text, frag_b(t, x->set, x->step, x->n, 1).text,
                frag_a(t, x->slot, 0).text, frag_a(t, x->slot, 1).text);
    else
        kg_line(g, "%s(c%u_%u, %s, %s);", word, x->m, x->n,
                frag_b(t, x->set, x->step, x->n, 0).text, frag_a(t, x->slot, 0).text);
}

/* The loop form with B in place changes LDS buffers by moving its pointers. */
static void swap_buffers(struct kg *g, const struct kg_tile *t)
{
    kg_line(g, "swap = -swap;");
    for (unsigned i = 0; i < t->columns; i++)
        kg_line(g, "read%u += swap;", i);
    kg_line(g, t->dma ? "copy -= swap;" : "write -= swap;");
}

static void step(struct kg *g, const struct kg_tile *t, const struct kg_step *x)
{
    switch (x->kind) {
    case KG_READ_A:
        read_a(g, t, x);
        break;
    case KG_LOAD_B:
        kg_line(g, "%s = load_chunk(%s, from_b%u%s, kb);",
                frag_b(t, x->set, x->step, x->n, x->chunk).text, x->last ? "rb_last" : "rb", x->n,
                plus((x->step * t->mma->chunks + x->chunk) * 1024).text);
        break;
    case KG_COPY_A:
        kg_line(g, "copy_chunk(%s, copy%s, from_a%u, ka);", x->last ? "ra_last" : "ra",
                plus(x->buffer * t->buffer + x->pass * t->threads * 16).text, x->pass);
        break;
    case KG_WRITE_A:
        kg_line(g, "write_chunk(write%s, stage%u);",
                plus(x->buffer * t->buffer + x->pass * t->pass_rows * t->s->gemm.k_bytes).text,
                x->pass);
        break;
    case KG_STAGE_A:
        kg_line(g, "stage%u = load_chunk(%s, from_a%u, ka);", x->pass, x->last ? "ra_next" : "ra",
                x->pass);
        break;
    case KG_PRODUCT:
        product(g, t, x);
        break;
    case KG_BARRIER:
        kg_line(g, "barrier();");
        if (!t->pair)
            swap_buffers(g, t);
        else if (x->last)
            kg_line(g, "const rsrc ra_next = descriptor(pa, odd && left == 4 ? 0 : a_bytes);");
        break;
    case KG_PIN:
        kg_line(g, "pin();");
        break;
    }
}

static void tile(struct kg *g, const struct kg_tile *t, unsigned place, enum kg_more more)
{
    static struct kg_order o;
    unsigned kb = t->s->gemm.k_bytes;
    kg_tile_order(&o, t, place, more);
    if (o.full)
        kg_fail(g, "more than %d steps in a tile", KG_MAX_STEPS);
    for (unsigned i = 0; i < o.count; i++)
        step(g, t, &o.step[i]);
    if (more && t->dma)
        kg_line(g, "ka += %u;", kb);
    else if (more == KG_MANY_MORE)
        kg_line(g, "ka = lesser(ka + %u, ka_last);", kb);
    if (more)
        kg_line(g, "kb += %u;", kb * 16);
}

/* ---- declarations and the first tile ---- */

static void offsets(struct kg *g, const struct kg_tile *t)
{
    unsigned kb = t->s->gemm.k_bytes, chunks = kb / 16;
    kg_note(g,
            "A in LDS: two buffers of %u rows by %u bytes%s. Chunk c of row r lies at place c ^ (r "
            ">> %u & %u), so that "
            "rows spread over the banks.",
            t->s->gemm.m, kb, t->slices > 1 ? " a slice" : "", t->shift, t->mask);
    kg_line(g, "static __shared__ __attribute__((aligned(1024))) char a_tiles[%u];", t->lds);
    g->lds += t->lds;
    if (t->slices > 1)
        kg_line(g, "const lds_ptr lds = (lds_ptr)a_tiles + slice * %u;", 2 * t->buffer);
    else
        kg_line(g, "const lds_ptr lds = (lds_ptr)a_tiles;");
    kg_line(g, "const unsigned a_row = tid / %u, a_chunk = tid %% %u;", chunks, chunks);
    if (t->dma) {
        for (unsigned i = 0; i < t->passes; i++) {
            kg_line(g, "const unsigned a_at%u = (a_chunk ^ ((a_row + %u) >> %u & %u)) * 16;", i,
                    i * t->pass_rows, t->shift, t->mask);
            kg_line(g, "const unsigned from_a%u = times(a_row + %u, lda) + a_at%u;", i,
                    i * t->pass_rows, i);
        }
        kg_line(g, "unsigned copy = (unsigned)(unsigned long)lds + wave * 1024;");
    } else {
        for (unsigned i = 0; i < t->passes; i++)
            kg_line(g, "const unsigned from_a%u = times(a_row + %u, lda) + a_chunk * 16;", i,
                    i * t->pass_rows);
        kg_line(g, "lds_ptr write = lds + a_row * %u + (a_chunk ^ (a_row >> %u & %u)) * 16;", kb,
                t->shift, t->mask);
    }
    for (unsigned i = 0; i < t->columns; i++)
        kg_line(g,
                "lds_ptr read%u = lds + (wave_m * %u + row16) * %u + ((quad + %u) ^ (row16 >> %u & "
                "%u)) * 16;",
                i, t->mi * 16, kb, i * 4, t->shift, t->mask);
    for (unsigned n = 0; n < t->ni; n++)
        kg_line(g, "unsigned from_b%u = (wave_n * %u + %u) * (ldb * 16) + lane * 16;", n, t->ni, n);
    kg_blank(g);
}

/* "TYPE name0, name1, ...;" in lines that fit. */
static void declare(struct kg *g, const char *type, const char *fmt, unsigned first, unsigned count,
                    const char *value)
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
    kg_note(g,
            "c: %u x %u sub-blocks of 16x16, 4 columns of a row a lane. a: fragments of A, read %u "
            "ahead. b: a tile of B%s.",
            t->mi, t->ni, t->ahead, t->pair ? ", twice" : "");
    for (unsigned m = 0; m < t->mi; m++)
        declare(g, acc, "c%u_%u", m, t->ni,
                t->mma->integer ? " = zeros_i32x4()" : " = zeros_f32x4()");
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
        kg_note(g, "Tiles are done in pairs: an odd number gets one more, of zeros, read through "
                   "descriptors of no bytes.");
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
            kg_line(g, "copy_chunk(ra, copy%s, a_at%u < valid ? from_a%u : FAR, k0);",
                    plus(i * t->threads * 16).text, i, i);
        else
            kg_line(
                g,
                "const i32x4 first%u = load_chunk(ra, a_chunk * 16 < valid ? from_a%u : FAR, k0);",
                i, i);
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
                kg_line(g, "%s = load_chunk(rb, from_b%u%s + hole%u, k0 * 16);",
                        frag_b(t, 0, k, n, c).text, n, plus((k * chunks + c) * 1024).text,
                        k * chunks + c);
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
    for (unsigned i = 0; i < t->ahead; i++)
        for (unsigned c = 0; c < chunks; c++) {
            const struct kg_step x = {
                .kind = KG_READ_A, .slot = i, .chunk = c, .step = i / t->mi, .m = i % t->mi};
            read_a(g, t, &x);
        }
    kg_line(g, "pin();");
    kg_blank(g);
}

/* The second slice's accumulators into LDS, from there into the first one's. What LDS does not hold
 * at once goes in turns. */
static void add_slices(struct kg *g, const struct kg_tile *t)
{
    unsigned each = t->mi / t->exchanges;
    const char *acc = t->mma->integer ? "i32x4" : "f32x4";
    g->stage = "add slices";
    kg_note(g, "The first slice adds the second one's sums to its own.");
    kg_line(g, "const lds_ptr sums = (lds_ptr)a_tiles + wave * %u + lane * 16;",
            each * t->ni * 1024);
    for (unsigned turn = 0; turn < t->exchanges; turn++) {
        kg_line(g, "barrier();");
        kg_open(g, "if (slice)");
        for (unsigned i = 0; i < each * t->ni; i++)
            kg_line(g, "write_chunk(sums%s, __builtin_bit_cast(i32x4, c%u_%u));",
                    plus(i * 1024).text, turn * each + i / t->ni, i % t->ni);
        kg_close(g);
        kg_line(g, "barrier();");
        if (turn + 1 == t->exchanges)
            {
            kg_line(g, "if (slice)");
            kg_line(g, "    return;");
        }
        else
            kg_open(g, "if (!slice)");
        for (unsigned i = 0; i < each * t->ni; i++) {
            kg_line(g, "c%u_%u += __builtin_bit_cast(%s, read_chunk(sums%s));",
                    turn * each + i / t->ni, i % t->ni, acc, plus(i * 1024).text);
            if (i % 8 == 7)
                kg_line(g, "pin();");
        }
        if (turn + 1 < t->exchanges)
            kg_close(g);
    }
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
        tile(g, t, place, KG_MANY_MORE);
    kg_line(g, "left -= %u;", depth);
    kg_close(g);
    kg_blank(g);
    if (t->pair) {
        kg_note(g, "The last two tiles.");
        tile(g, t, 0, KG_ONE_MORE);
    } else {
        kg_note(g, "The last tile.");
    }
    tile(g, t, depth - 1, KG_LAST);
    if (t->s->gemm.tied)
        kg_line(g, "settle();");
    kg_blank(g);
    if (t->slices > 1)
        add_slices(g, t);
}
