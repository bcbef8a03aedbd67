/* SPDX-License-Identifier: MIT */
/*
 * Copies between memory and LDS that pass no register, and transposing loads, of gfx12 and gfx1250.
 * References: for the tensor data mover the descriptor of LLVM's make_dma_descriptor lowering; for
 * ds_load_tr the lane maps that public programs use and report; the global forms are assumed to
 * move lanes alike.
 */
#include "item.h"

#include <stdio.h>
#include <string.h>

enum { BASE = 8, MIDDLE = WAVE_MEM / 2 };

static void fill(struct wave_state *w, uint8_t *mem)
{
    for (int i = 0; i < WAVE_MEM; i += 8) {
        uint64_t v = rand64();
        memcpy(mem + i, &v, 8);
    }
    for (int i = 0; i < WAVE_LDS; i += 8) {
        uint64_t v = rand64();
        memcpy(w->lds + i, &v, 8);
    }
}

static void address(struct wave_state *w, int reg, uint64_t a)
{
    w->s[reg] = (uint32_t)a;
    w->s[reg + 1] = (uint32_t)(a >> 32);
}

static bool settle(enum target t, const struct batch *b, int snippet, const char *name, struct wave_state *w,
                   struct wave_state *want, uint8_t *mem, uint8_t *want_mem)
{
    if (!run_snippet(b, snippet, w, mem)) {
        fail(t, name, "%s: %s", batch_text(b, snippet), run_error());
        return false;
    }
    const char *d = wave_diff(w, want, mem, want_mem);
    if (d)
        fail(t, name, "%s (exec %llx): %s", batch_text(b, snippet), (unsigned long long)w->exec, d);
    return !d;
}

/* ---- asynchronous copies, cluster loads ---- */

static const struct { const char *name; int bytes; char kind; /* l(oad), s(tore), r(egister) */ } copies[] = {
    { "global_load_async_to_lds_b8", 1, 'l' },     { "global_load_async_to_lds_b32", 4, 'l' },
    { "global_load_async_to_lds_b64", 8, 'l' },    { "global_load_async_to_lds_b128", 16, 'l' },
    { "cluster_load_async_to_lds_b8", 1, 'l' },    { "cluster_load_async_to_lds_b32", 4, 'l' },
    { "cluster_load_async_to_lds_b64", 8, 'l' },   { "cluster_load_async_to_lds_b128", 16, 'l' },
    { "global_store_async_from_lds_b8", 1, 's' },  { "global_store_async_from_lds_b32", 4, 's' },
    { "global_store_async_from_lds_b64", 8, 's' }, { "global_store_async_from_lds_b128", 16, 's' },
    { "cluster_load_b32", 4, 'r' },                { "cluster_load_b64", 8, 'r' },
    { "cluster_load_b128", 16, 'r' },              { "global_load_monitor_b32", 4, 'r' },
    { "global_load_monitor_b64", 8, 'r' },         { "global_load_monitor_b128", 16, 'r' },
    { "flat_load_monitor_b32", 4, 'r' },           { "flat_load_monitor_b64", 8, 'r' },
    { "flat_load_monitor_b128", 16, 'r' },
};

static void run_copies(enum target t)
{
    enum { N = sizeof copies / sizeof *copies, FORMS = 3 };
    static struct wave_state w, want;
    static uint8_t mem[WAVE_MEM], want_mem[WAVE_MEM];
    static const int offset[FORMS] = { 0, 64, 0 };
    int snippet[N][FORMS];
    struct batch b;

    batch_begin(&b, t);
    for (int i = 0; i < N; i++) {
        covered_add(t, copies[i].name);
        for (int f = 0; f < FORMS; f++) { /* address in VGPRs; scalar base and offset; scaled */
            char regs[48], tail[40] = "";
            const char *addr = f ? "v2" : "v[2:3]", *saddr = f ? "s[8:9]" : "off";
            int words = copies[i].bytes / 4;
            if (copies[i].name[0] == 'f' && !f)
                saddr = NULL;
            if (offset[f])
                sprintf(tail, " offset:%d", offset[f]);
            if (f == 2)
                strcat(tail, " scale_offset");
            if (copies[i].kind == 'l')
                sprintf(regs, "v4, %s, %s", addr, saddr);
            else if (copies[i].kind == 's')
                sprintf(regs, "%s, v4, %s", addr, saddr);
            else if (words == 1)
                sprintf(regs, "v20, %s%s%s", addr, saddr ? ", " : "", saddr ? saddr : "");
            else
                sprintf(regs, "v[20:%d], %s%s%s", 19 + words, addr, saddr ? ", " : "", saddr ? saddr : "");
            snippet[i][f] = batch_add(&b, "%s %s%s\ns_wait_asynccnt 0\ns_wait_loadcnt 0", copies[i].name, regs, tail);
        }
    }
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "a copy is refused");
        batch_end(&b);
        return;
    }
    for (int i = 0; i < N; i++)
        for (int f = 0; f < FORMS; f++)
            for (int run = 0; run < 4; run++) {
                int n = copies[i].bytes, step = n < 4 ? 4 : n;
                rand_seed(copies[i].name);
                for (int k = 0; k < f * 4 + run; k++)
                    rand64();
                wave_randomise(&w, t);
                fill(&w, mem);
                w.exec = lane_mask_draw(t, run);
                w.m0 = 0;
                uint64_t base = run_address(t) + MIDDLE;
                address(&w, BASE, base);
                memcpy(want_mem, mem, sizeof mem);
                int where[32], at[32];
                for (int l = 0; l < 32; l++) {
                    int slot = (l * 7 + 3) % 32; /* lanes in another order */
                    at[l] = ((l * 5 + 1) % 32) * step + offset[f] + 32;
                    w.v[4][l] = (uint32_t)(at[l] - offset[f]);
                    where[l] = MIDDLE + (f == 2 ? (slot - 16) * n : slot * step + offset[f]);
                    uint64_t a = base + (uint64_t)(slot * step);
                    w.v[2][l] = f == 2 ? (uint32_t)(slot - 16) : f ? (uint32_t)(slot * step) : (uint32_t)a;
                    if (!f)
                        w.v[3][l] = (uint32_t)(a >> 32);
                }
                want = w;
                for (int l = 0; l < 32; l++) {
                    if (!(w.exec >> l & 1))
                        continue;
                    if (copies[i].kind == 'l')
                        memcpy(want.lds + at[l], mem + where[l], (size_t)n);
                    else if (copies[i].kind == 's')
                        memcpy(want_mem + where[l], w.lds + at[l], (size_t)n);
                    else
                        for (int k = 0; k < n / 4; k++)
                            memcpy(&want.v[20 + k][l], mem + where[l] + 4 * k, 4);
                }
                if (!settle(t, &b, snippet[i][f], copies[i].name, &w, &want, mem, want_mem))
                    return;
            }
    batch_end(&b);
}

/* ---- transposing loads ---- */

static const struct { const char *name; int bits, words; bool lds; unsigned targets; } turns[] = {
    { "ds_load_tr16_b128", 16, 4, true, ON_1250 },      { "ds_load_tr8_b64", 8, 2, true, ON_1250 },
    { "global_load_tr16_b128", 16, 4, false, ON_1250 }, { "global_load_tr8_b64", 8, 2, false, ON_1250 },
    { "ds_load_tr4_b64", 4, 2, true, ON_1250 },         { "ds_load_tr6_b96", 6, 3, true, ON_1250 },
    { "global_load_tr4_b64", 4, 2, false, ON_1250 },    { "global_load_tr6_b96", 6, 3, false, ON_1250 },
    { "global_load_tr_b128", 16, 4, false, ON_1201 },   { "global_load_tr_b64", 8, 2, false, ON_1201 },
};

/* The lane whose element l % n becomes element e of lane l; n elements a lane. */
static int from_lane(int bits, int l, int e)
{
    if (bits < 8) /* 16 x 16 tiles */
        return l / 16 * 16 + e;
    if (bits == 16)
        return l / 8 * 8 + e;
    return l / 16 * 16 + (l % 16 < 8 ? 0 : 4) + (e < 4 ? e : 8 + e - 4);
}

static void run_turns(enum target t)
{
    enum { N = sizeof turns / sizeof *turns };
    static struct wave_state w, want;
    static uint8_t mem[WAVE_MEM], want_mem[WAVE_MEM];
    int snippet[N];
    struct batch b;

    batch_begin(&b, t);
    for (int i = 0; i < N; i++) {
        snippet[i] = -1;
        if (!(turns[i].targets >> t & 1))
            continue;
        covered_add(t, turns[i].name);
        snippet[i] = batch_add(&b, "%s v[20:%d], %s offset:32\ns_wait_dscnt 0\ns_wait_loadcnt 0", turns[i].name,
                               19 + turns[i].words, turns[i].lds ? "v2" : "v[2:3], off");
    }
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "a transposing load is refused");
        batch_end(&b);
        return;
    }
    for (int i = 0; i < N; i++)
        for (int run = 0; run < 4 && snippet[i] >= 0; run++) {
            int n = 4 * turns[i].words, bits = turns[i].bits, elements = 8 * n / bits;
            rand_seed(turns[i].name);
            for (int k = 0; k < run; k++)
                rand64();
            wave_randomise(&w, t);
            fill(&w, mem);
            w.exec = 0xffffffff;
            uint64_t base = run_address(t) + MIDDLE;
            int at[32];
            for (int l = 0; l < 32; l++) {
                at[l] = (l * 11 + 5) % 32 * n;
                uint64_t a = turns[i].lds ? (uint64_t)at[l] : base + (uint64_t)at[l];
                w.v[2][l] = (uint32_t)a;
                w.v[3][l] = (uint32_t)(a >> 32);
            }
            want = w;
            memcpy(want_mem, mem, sizeof mem);
            const uint8_t *from = turns[i].lds ? w.lds + 32 : mem + MIDDLE + 32;
            for (int l = 0; l < 32; l++) {
                uint8_t out[16] = { 0 };
                for (int k = 0; k < 8 * n; k++) {
                    const uint8_t *row = from + at[from_lane(bits, l, k / bits)];
                    int bit = l % elements * bits + k % bits;
                    out[k / 8] |= (uint8_t)((row[bit / 8] >> bit % 8 & 1) << k % 8);
                }
                for (int k = 0; k < turns[i].words; k++)
                    memcpy(&want.v[20 + k][l], out + 4 * k, 4);
            }
            if (!settle(t, &b, snippet[i], turns[i].name, &w, &want, mem, want_mem))
                break;
        }
    batch_end(&b);
}

/* ---- the tensor data mover ---- */

struct tile {
    int size;               /* log2 of the element's bytes */
    int dim[3], tile[3];    /* innermost first; dim: of the tensor from the tile's corner on */
    int stride[3];          /* of dimension 1, 2 in elements */
    int every, pad;         /* dwords of LDS between and of paddings; 0 none */
    int count, step, lds_step; /* repetitions; elements between them */
    bool idle;
    int rows;               /* bits of a row's number when it gathers, 0 not; those beyond dim[1] lie outside */
    uint32_t row[16];
};

static const struct tile tiles[] = {
    { 0, { 64, 8, 0 }, { 64, 8, 0 }, { 0, 100, 0 }, .count = 1 },
    { 1, { 40, 5, 0 }, { 64, 8, 0 }, { 0, 80, 0 }, .count = 1 },           /* beyond the tensor: zeros */
    { 2, { 16, 4, 0 }, { 16, 4, 0 }, { 0, 24, 0 }, 16, 4, .count = 1 },    /* padded rows */
    { 0, { 64, 6, 0 }, { 64, 6, 0 }, { 0, 64, 0 }, 8, 1, .count = 1 },     /* padded within rows */
    { 3, { 5, 3, 2 }, { 8, 4, 2 }, { 0, 10, 64 }, .count = 1 },            /* three dimensions */
    { 1, { 48, 0, 0 }, { 64, 0, 0 }, { 0, 0, 0 }, .count = 1 },            /* one */
    { 2, { 8, 64, 0 }, { 8, 2, 0 }, { 0, 8, 0 }, .count = 3, .step = 32, .lds_step = 20 },
    { 0, { 64, 8, 0 }, { 64, 8, 0 }, { 0, 100, 0 }, .count = 1, .idle = true },
    { 0, { 0, 8, 0 }, { 64, 8, 0 }, { 0, 100, 0 }, .count = 1 },           /* nothing of it is there */
    { 1, { 24, 12, 0 }, { 16, 8, 0 }, { 0, 24, 0 }, .count = 1, .rows = 32, .row = { 3, 0, 11, 12, 7, 7, 70000, 1 } },
    { 2, { 6, 20, 0 }, { 8, 5, 0 }, { 0, 10, 0 }, 8, 2, .count = 1, .rows = 32, .row = { 19, 4, 20, 0, 2 } },
    { 0, { 40, 16, 0 }, { 32, 16, 0 }, { 0, 48, 0 }, .count = 1, .rows = 16,
      .row = { 15, 1, 2, 65535, 4, 5, 6, 8, 7, 9, 10, 16, 12, 13, 14, 0 } },
    { 0, { 40, 16, 0 }, { 32, 11, 0 }, { 0, 48, 0 }, 8, 1, .count = 1, .rows = 16, .row = { 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 15 } },
};

static void put_bits(uint32_t *words, int at, int n, uint64_t x)
{
    for (int i = 0; i < n; i++, at++)
        words[at / 32] = (words[at / 32] & ~(1u << at % 32)) | (uint32_t)(x >> i & 1) << at % 32;
}

/* Group 3 follows group 2. */
static void descriptor(const struct tile *d, uint64_t base, uint32_t lds, uint32_t *g0, uint32_t *g1, uint32_t *g2)
{
    memset(g0, 0, 16);
    memset(g1, 0, 32);
    memset(g2, 0, 16);
    put_bits(g0, 0, 2, !d->idle);
    put_bits(g0, 32, 32, lds);
    put_bits(g0, 64, 57, base);
    put_bits(g0, 126, 2, 2);
    put_bits(g1, 16, 2, (uint64_t)d->size);
    if (d->pad) {
        put_bits(g1, 20, 1, 1);
        put_bits(g1, 22, 3, (uint64_t)__builtin_ctz((unsigned)d->every) - 1);
        put_bits(g1, 25, 7, (uint64_t)d->pad - 1);
    }
    put_bits(g1, 48, 32, (uint64_t)d->dim[0]);
    put_bits(g1, 80, 32, (uint64_t)d->dim[1]);
    put_bits(g1, 112, 16, (uint64_t)d->tile[0]);
    put_bits(g1, 128, 16, (uint64_t)d->tile[1]);
    put_bits(g1, 144, 16, (uint64_t)d->tile[2]);
    put_bits(g1, 160, 48, (uint64_t)d->stride[1]);
    put_bits(g1, 208, 48, (uint64_t)d->stride[2]);
    put_bits(g2, 0, 32, (uint64_t)d->dim[2]);
    put_bits(g0, 30, 1, d->rows == 32);
    put_bits(g0, 31, 1, d->rows != 0);
    for (int i = 0; i < 16 && d->rows && i < 256 / d->rows; i++)
        put_bits(g2, i * d->rows, d->rows, d->row[i]);
    if (d->count > 1) {
        put_bits(g1, 19, 1, 1);
        put_bits(g2, 32, 32, (uint64_t)d->lds_step);
        put_bits(g2, 64, 48, (uint64_t)d->step);
        put_bits(g2, 112, 16, (uint64_t)d->count - 1);
    }
}

static void expect(const struct tile *d, bool store, uint32_t lds, uint8_t *ldsbytes, uint8_t *mem)
{
    int size = 1 << d->size, n1 = d->tile[1] ? d->tile[1] : 1, n2 = d->tile[2] ? d->tile[2] : 1;
    for (int k = 0; k < d->count && !d->idle; k++)
        for (int z = 0; z < n2; z++)
            for (int y = 0; y < n1; y++)
                for (int x = 0; x < d->tile[0]; x++) {
                    /* Where a repetition starts in the tensor: the one with repetitions has whole rows. */
                    int row = d->count > 1 ? k * d->step / d->stride[1] : 0;
                    bool in = x < d->dim[0] && (!d->tile[1] || row + y < d->dim[1]) && (!d->tile[2] || z < d->dim[2]);
                    int from = (k * d->step + x + y * d->stride[1] + z * d->stride[2]) * size;
                    if (d->rows) {
                        in = x < d->dim[0] && d->row[y] < (uint32_t)d->dim[1];
                        from = in ? (x + (int)d->row[y] * d->stride[1]) * size : 0;
                    }
                    int to = (k * d->lds_step + x + d->tile[0] * (y + n1 * z)) * size;
                    if (d->pad && !store)
                        to += to / (4 * d->every) * 4 * d->pad;
                    if (store && in)
                        memcpy(mem + from, ldsbytes + lds + to, (size_t)size);
                    else if (!store && in)
                        memcpy(ldsbytes + lds + to, mem + from, (size_t)size);
                    else if (!store)
                        memset(ldsbytes + lds + to, 0, (size_t)size);
                }
}

static void run_tensor(enum target t)
{
    enum { N = sizeof tiles / sizeof *tiles };
    static struct wave_state w, want;
    static uint8_t mem[WAVE_MEM], want_mem[WAVE_MEM];
    int snippet[2][2];
    struct batch b;

    batch_begin(&b, t);
    for (int s = 0; s < 2; s++)
        for (int wide = 0; wide < 2; wide++) {
            const char *name = s ? "tensor_store_from_lds" : "tensor_load_to_lds";
            covered_add(t, name);
            snippet[s][wide] = batch_add(&b, "%s s[20:23], s[24:31]%s\ns_wait_tensorcnt 0", name,
                                         wide ? ", s[32:35], s[36:39]" : "");
        }
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "the tensor data mover is refused");
        batch_end(&b);
        return;
    }
    for (int i = 0; i < N; i++)
        for (int s = 0; s < 2; s++) {
            const char *name = s ? "tensor_store_from_lds" : "tensor_load_to_lds";
            bool wide = tiles[i].tile[2] || tiles[i].count > 1 || tiles[i].rows;
            rand_seed(name);
            wave_randomise(&w, t);
            fill(&w, mem);
            memset(&w.s[36], 0, 16);
            descriptor(&tiles[i], run_address(t) + MIDDLE, 256, &w.s[20], &w.s[24], &w.s[32]);
            /* Each second one arrives at the barrier cell at LDS 8, which waits for 3 and then for 5. */
            uint64_t cell = 2 | (uint64_t)4 << 32;
            memcpy(w.lds + 8, &cell, 8);
            put_bits(&w.s[24], 18, 1, i & 1);
            put_bits(&w.s[24], 32, 16, 1);
            want = w;
            memcpy(want_mem, mem, sizeof mem);
            expect(&tiles[i], s, 256, want.lds, want_mem + MIDDLE);
            want.lds[8] = (i & 1) && !tiles[i].idle ? 1 : 2;
            settle(t, &b, snippet[s][wide], name, &w, &want, mem, want_mem);
        }
    batch_end(&b);
}

/* A lane's dword beside its neighbours'. */
static void run_addtid(enum target t)
{
    static struct wave_state w, want;
    static uint8_t mem[WAVE_MEM], want_mem[WAVE_MEM];
    static const char *const name[] = { "global_load_addtid_b32", "global_store_addtid_b32" };
    const char *wait = t >= T_1201 ? "s_wait_loadcnt 0" : "s_waitcnt vmcnt(0)";
    int snippet[2];
    struct batch b;

    batch_begin(&b, t);
    for (int s = 0; s < 2; s++) {
        covered_add(t, name[s]);
        snippet[s] = batch_add(&b, "%s v%d, s[8:9] offset:16\n%s", name[s], s ? 4 : 20, wait);
    }
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "an access by lane number is refused");
        batch_end(&b);
        return;
    }
    for (int s = 0; s < 2; s++)
        for (int run = 0; run < 4; run++) {
            rand_seed(name[s]);
            wave_randomise(&w, t);
            fill(&w, mem);
            w.exec = lane_mask_draw(t, run);
            address(&w, BASE, run_address(t) + MIDDLE);
            want = w;
            memcpy(want_mem, mem, sizeof mem);
            for (int l = 0; l < 32; l++)
                if (w.exec >> l & 1) {
                    if (s)
                        memcpy(want_mem + MIDDLE + 16 + 4 * l, &w.v[4][l], 4);
                    else
                        memcpy(&want.v[20][l], mem + MIDDLE + 16 + 4 * l, 4);
                }
            settle(t, &b, snippet[s], name[s], &w, &want, mem, want_mem);
        }
    batch_end(&b);
}

/* ---- blocks of registers: those with a bit in M0, their places in memory as if all were there ---- */

static void run_blocks(enum target t)
{
    static struct wave_state w, want;
    static uint8_t mem[WAVE_MEM], want_mem[WAVE_MEM];
    static const char *const name[] = { "global_load_block", "global_store_block", "scratch_load_block", "scratch_store_block" };
    static const char *const text[] = {
        "s_mov_b32 m0, s20\nglobal_load_block v[40:71], v2, s[8:9] offset:64\ns_wait_loadcnt 0",
        "s_mov_b32 m0, s20\nglobal_store_block v2, v[40:71], s[8:9] offset:64",
        "s_mov_b32 m0, -1\nscratch_store_block off, v[4:35], off offset:16\ns_mov_b32 m0, s20\n"
        "scratch_load_block v[40:71], off, off offset:16\ns_wait_loadcnt 0",
        "s_mov_b32 m0, -1\nscratch_store_block off, v[4:35], off offset:16\ns_mov_b32 m0, s20\n"
        "scratch_store_block off, v[72:103], off offset:16\ns_mov_b32 m0, -1\n"
        "scratch_load_block v[40:71], off, off offset:16\ns_wait_loadcnt 0" };
    int snippet[4];
    struct batch b;

    batch_begin(&b, t);
    for (int i = 0; i < 4; i++) {
        covered_add(t, name[i]);
        snippet[i] = batch_add(&b, "%s", text[i]);
    }
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "a block is refused");
        batch_end(&b);
        return;
    }
    for (int i = 0; i < 4; i++)
        for (int run = 0; run < 4; run++) {
            rand_seed(name[i]);
            for (int k = 0; k < run; k++)
                rand64();
            wave_randomise(&w, t);
            fill(&w, mem);
            w.exec = lane_mask_draw(t, run);
            address(&w, BASE, run_address(t) + MIDDLE);
            for (int l = 0; l < 32; l++)
                w.v[2][l] = (uint32_t)((l * 7 + 3) % 32 * 128);
            want = w;
            memcpy(want_mem, mem, sizeof mem);
            want.m0 = i == 3 ? ~0u : w.s[20];
            for (int l = 0; l < 32; l++)
                for (int k = 0; k < 32 && w.exec >> l & 1; k++) {
                    uint8_t *at = want_mem + MIDDLE + 64 + w.v[2][l] + 4 * k;
                    bool on = w.s[20] >> k & 1;
                    if (i == 0 && on)
                        memcpy(&want.v[40 + k][l], at, 4);
                    else if (i == 1 && on)
                        memcpy(at, &w.v[40 + k][l], 4);
                    else if (i == 2 && on)
                        want.v[40 + k][l] = w.v[4 + k][l];
                    else if (i == 3)
                        want.v[40 + k][l] = w.v[on ? 72 + k : 4 + k][l];
                }
            if (!settle(t, &b, snippet[i], name[i], &w, &want, mem, want_mem))
                break;
        }
    batch_end(&b);
}

/* ---- barrier cells: 29 bits of missing arrivals less one, 3 of phase, 16 of the next phase's ---- */

static void run_cells(enum target t)
{
    static struct wave_state w, want;
    static uint8_t mem[WAVE_MEM];
    int snippet[2];
    struct batch b;

    batch_begin(&b, t);
    covered_add(t, "ds_atomic_barrier_arrive_rtn_b64");
    covered_add(t, "ds_atomic_async_barrier_arrive_b64");
    snippet[0] = batch_add(&b, "ds_atomic_barrier_arrive_rtn_b64 v[20:21], v2, v[4:5] offset:16\ns_wait_dscnt 0");
    snippet[1] = batch_add(&b, "ds_atomic_async_barrier_arrive_b64 v2 offset:16\ns_wait_asynccnt 0");
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "a barrier cell is refused");
        batch_end(&b);
        return;
    }
    for (int s = 0; s < 2; s++)
        for (int run = 0; run < 8; run++) {
            uint32_t pending = 0, phase = 0, next = 0;
            rand_seed(run & 1 ? "cells" : "more cells");
            for (int k = 0; k < run; k++)
                rand64();
            wave_randomise(&w, t);
            fill(&w, mem);
            w.exec = lane_mask_draw(t, run);
            pending = rand_below(40);
            phase = rand_below(8);
            next = rand_below(9);
            uint64_t cell = pending | (uint64_t)phase << 29 | (uint64_t)next << 32;
            memcpy(w.lds + 80, &cell, 8);
            for (int l = 0; l < 32; l++) {
                w.v[2][l] = 64;
                w.v[4][l] = 1 + rand_below(2);
                w.v[5][l] = 0;
            }
            want = w;
            for (int l = 0; l < 32; l++)
                if (w.exec >> l & 1) {
                    uint32_t n = s ? 1 : w.v[4][l];
                    if (!s) {
                        want.v[20][l] = pending | phase << 29;
                        want.v[21][l] = next;
                    }
                    if (n > pending) {
                        pending = next;
                        phase = (phase - 1) & 7;
                    } else {
                        pending -= n;
                    }
                }
            cell = pending | (uint64_t)phase << 29 | (uint64_t)next << 32;
            memcpy(want.lds + 80, &cell, 8);
            if (!settle(t, &b, snippet[s], s ? "ds_atomic_async_barrier_arrive_b64" : "ds_atomic_barrier_arrive_rtn_b64", &w, &want, mem, mem))
                break;
        }
    batch_end(&b);
}

void run_copy(enum target t);
void run_copy(enum target t)
{
    if (t >= T_1100)
        run_addtid(t);
    if (t >= T_1201) {
        run_turns(t);
        run_blocks(t);
    }
    if (t == T_1250) {
        run_cells(t);
        run_copies(t);
        run_tensor(t);
    }
}
