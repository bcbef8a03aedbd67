/* SPDX-License-Identifier: MIT */
/*
 * gfx1250's copies between memory and LDS that pass no register: asynchronous ones, a lane at a time, and
 * the tensor data mover, which copies a tile of up to five dimensions that scalar registers describe. The
 * data moves at once; that it may be touched only after s_wait_asynccnt or s_wait_tensorcnt is checked.
 */
#include <string.h>

#include "cluster.h"
#include "handlers.h"
#include "mem.h"
#include "trap.h"

/* LDS bytes a copy under way writes: see race() in lds.c. */
static void note_range(struct sim_wave *w, const struct insn *in, u32 lo, u32 hi)
{
    struct sim_queue *q = &w->queue[in->cnt - 1];
    if (!q->len || lo >= hi)
        return;
    struct sim_pending *p = &q->q[(q->head + q->len - 1) % SIM_QUEUE];
    p->lds_lo = lo;
    p->lds_hi = hi;
}

/* n bytes from memory at `from` (0: zeros) to LDS byte a. */
static bool to_lds(struct sim_wave *w, const struct insn *in, int lane, u64 from, u64 a, unsigned n)
{
    if (a + n > w->wg->lds_bytes) {
        sim_trap(w, in, lane, SIM_TRAP_BOUNDS, a, "LDS store of %u bytes at 0x%llx: the workgroup has %u bytes of LDS", n,
                 (unsigned long long)a, w->wg->lds_bytes);
        return false;
    }
    if (from && !sim_mem_ok(w, from, n)) {
        sim_mem_fault(w, in, lane, from, n, "load");
        return false;
    }
    if (w->check) {
        if (from && !sim_race_read(w, in, lane, from, n))
            return false;
        if (!sim_lds_written(w, in, lane, (u32)a, n, true))
            return false;
        if (from && !sim_init_all(from, n))
            for (unsigned b = 0; b < n; b++)
                if (!sim_init_all(from + b, 1))
                    sim_lds_lost(w, (u32)a + b);
    }
    if (from)
        memcpy(w->wg->lds + a, (const void *)(uintptr_t)from, n);
    else
        memset(w->wg->lds + a, 0, n);
    return true;
}

static bool from_lds(struct sim_wave *w, const struct insn *in, int lane, u64 to, u64 a, unsigned n)
{
    if (a + n > w->wg->lds_bytes) {
        sim_trap(w, in, lane, SIM_TRAP_BOUNDS, a, "LDS load of %u bytes at 0x%llx: the workgroup has %u bytes of LDS", n,
                 (unsigned long long)a, w->wg->lds_bytes);
        return false;
    }
    if (!sim_mem_ok(w, to, n)) {
        sim_mem_fault(w, in, lane, to, n, "store");
        return false;
    }
    if (w->check) {
        if (!sim_lds_taken(w, in, lane, (u32)a, n) || !sim_race_write(w, in, lane, to, n))
            return false;
        sim_init_set(to, n);
    }
    memcpy((void *)(uintptr_t)to, w->wg->lds + a, n);
    return true;
}

static void tally_lds(struct sim_wave *w, u64 bytes)
{
    w->tally->lds_bytes += bytes;
    w->tally->lds_cycles += (bytes + 4u * w->prog->target->family->banks - 1) / (4u * w->prog->target->family->banks);
}

bool sim_async_copy(struct sim_wave *w, const struct insn *in, const u64 *ad, const u32 *lds, unsigned n, bool store,
                    int width)
{
    u32 lo = ~0u, hi = 0;
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        const u32 a = lds[i] + (u32)in->imm; /* the offset counts on both sides */
        if (store ? !from_lds(w, in, i, ad[i], a, n) : !to_lds(w, in, i, ad[i], a, n))
            return false;
        lo = a < lo ? a : lo;
        hi = a + n > hi ? a + n : hi;
    }
    if (w->check) {
        sim_tally_global(w, ad, w->exec, n, store, width);
        tally_lds(w, (u64)n * (u64)__builtin_popcountll(w->exec));
        if (!store)
            note_range(w, in, lo, hi);
    }
    return true;
}

/* ---- the tensor data mover ---- */

/*
 * The descriptor, four groups of registers (LLVM, mlir/lib/Conversion/AMDGPUToROCDL, make_dma_descriptor;
 * named there after AMD's CDNA5 ISA 10.11). Dimension 0 is the innermost, of stride 1.
 */
struct tensor {
    u64 base, stride[5];    /* in elements; stride of dimension d */
    u32 dim[5], tile[5];    /* extents of the tensor, from the tile's corner on, and of the tile */
    u32 lds;
    unsigned bytes, rank;   /* of an element */
    unsigned pad_every, pad; /* bytes of LDS left out after so many; loads only */
    unsigned count;         /* repetitions (iterate) */
    u64 step;               /* in memory, and in LDS, between them: elements */
    u32 lds_step, cell;     /* cell: the barrier cell that the copy arrives at */
    bool arrive;
    bool gather;            /* rows by number: dimension 1's coordinates are those of `row` */
    u32 row[16];
    u32 mask;               /* workgroups that make the load, and SIM_CLUSTER_EARLY */
};

static u64 bits(const u32 *words, unsigned at, unsigned n)
{
    u64 x = 0;
    for (unsigned i = 0; i < n; i++)
        x |= (u64)(words[(at + i) / 32] >> ((at + i) % 32) & 1) << i;
    return x;
}

static void group(const struct sim_wave *w, const struct operand *o, u32 *to, unsigned n)
{
    if (o->kind == SIM_KIND_S && o->reg != SIM_S_NULL)
        memcpy(to, &w->s[o->reg], 4 * n);
    else
        memset(to, 0, 4 * n);
}

/* Gathering: groups 2 and 3 hold numbers of rows, 16 of 16 bits or 8 of 32; the tile's second extent says how
 * many of them count (LLVM, make_gather_dma_descriptor; AMD's FlyDSL, tdm_ops: rows beyond the tensor are outside
 * of it, further dimensions and the repetition ignored). */
static bool gathered(struct sim_wave *w, const struct insn *in, struct tensor *t, unsigned size, const u32 *g1, const u32 *g2,
                     const u32 *g3)
{
    const unsigned group = 128 / size;
    t->gather = true;
    t->tile[0] = g1[3] >> 16;
    t->tile[1] = g1[4] & 0xffff;
    t->stride[0] = 1;
    t->stride[1] = bits(g1, 160, 48);
    t->rank = t->tile[0] && t->tile[1] ? 2 : 0;
    if (t->tile[1] > 2 * group) {
        sim_trap(w, in, -1, SIM_TRAP_ILLEGAL, 0, "the descriptor gathers %u rows, %u numbers of %u bits fit into it",
                 t->tile[1], 2 * group, size);
        return false;
    }
    for (unsigned i = 0; i < t->tile[1]; i++)
        t->row[i] = (u32)bits(i < group ? g2 : g3, i % group * size, size);
    return true;
}

/* False after a report, or with *on clear when there is nothing to do. */
static bool describe(struct sim_wave *w, const struct insn *in, struct tensor *t, bool *on)
{
    u32 g0[4], g1[8], g2[4], g3[4];
    group(w, &in->o[1], g0, 4);
    group(w, &in->o[2], g1, 8);
    group(w, &in->o[3], g2, 4);
    group(w, &in->o[4], g3, 4);
    *on = g0[0] & 3;
    if (!*on)
        return true;
    const bool gather = g0[0] >> 31, iterate = !gather && g1[0] >> 19 & 1;
    *t = (struct tensor){.base = g0[2] | (u64)(g0[3] & 0x1ffffff) << 32, .lds = g0[1],
                         .bytes = 1u << (g1[0] >> 16 & 3), .count = 1};
    t->mask = (g1[0] & 0xffff) | (g1[0] >> 21 & 1 ? SIM_CLUSTER_EARLY : 0);
    t->arrive = g1[0] >> 18 & 1;
    t->cell = 8 * (g1[1] & 0xffff);
    if (g1[0] >> 20 & 1) {
        t->pad_every = 8u << (g1[0] >> 22 & 7);
        t->pad = 4 * ((g1[0] >> 25 & 127) + 1);
    }
    t->dim[0] = (u32)bits(g1, 48, 32);
    t->dim[1] = (u32)bits(g1, 80, 32);
    if (gather)
        return gathered(w, in, t, g0[0] >> 30 & 1 ? 32 : 16, g1, g2, g3);
    t->dim[2] = g2[0];
    t->dim[4] = (u32)bits(g3, 48, 32);
    t->tile[0] = g1[3] >> 16;
    t->tile[1] = g1[4] & 0xffff;
    t->tile[2] = g1[4] >> 16;
    t->tile[4] = g3[2] >> 16;
    t->stride[0] = 1;
    t->stride[1] = bits(g1, 160, 48);
    t->stride[2] = bits(g1, 208, 48);
    t->stride[4] = bits(g3, 0, 48);
    if (iterate) {
        t->lds_step = g2[1];
        t->step = bits(g2, 64, 48);
        t->count = (g2[3] >> 16) + 1;
    } else {
        t->dim[3] = g2[1];
        t->stride[3] = bits(g2, 64, 48);
        t->tile[3] = g2[3] >> 16;
    }
    for (unsigned d = 0; d < 5; d++)
        if (t->tile[d])
            t->rank = d + 1;
    for (unsigned d = 0; d < t->rank; d++)
        if (!t->tile[d]) {
            sim_trap(w, in, -1, SIM_TRAP_ILLEGAL, 0, "the descriptor's tile has no extent in dimension %u", d);
            return false;
        }
    return true;
}

/* LDS address of the tile's byte n. */
static u64 padded(const struct tensor *t, bool store, u64 n)
{
    return t->lds + n + (t->pad && !store ? n / t->pad_every * t->pad : 0);
}

/* One row of the tile: `in_row` elements at `from`, the rest zeros (loads) or left out (stores). */
static bool row(struct sim_wave *w, const struct insn *in, const struct tensor *t, bool store, u64 from, u64 lds_byte,
                u32 in_row)
{
    const u64 all = (u64)t->tile[0] * t->bytes, there = (u64)in_row * t->bytes;
    for (u64 k = 0, n; k < all; k += n) {
        /* As far as the next padding, the end of the data, and 4096 bytes. */
        n = all - k > 4096 ? 4096 : all - k;
        if (t->pad && !store && n > t->pad_every - (lds_byte + k) % t->pad_every)
            n = t->pad_every - (lds_byte + k) % t->pad_every;
        if (k < there && n > there - k)
            n = there - k;
        const u64 a = padded(t, store, lds_byte + k);
        if (store ? k < there && !from_lds(w, in, -1, from + k, a, (unsigned)n)
                  : !to_lds(w, in, -1, k < there ? from + k : 0, a, (unsigned)n))
            return false;
    }
    if (w->check && there) {
        sim_tally_global_run(w, from, there, store);
        if (!store && w->wg->cluster)
            sim_cluster_ask(w, in, t->mask, from, there);
    }
    return true;
}

bool sim_tensor_copy(struct sim_wave *w, const struct insn *in, bool store)
{
    struct tensor t;
    bool on;
    if (!describe(w, in, &t, &on))
        return false;
    if (!on || !t.rank)
        return true;
    if (!store && !sim_cluster_named(w, in, t.mask)) /* stores ignore it (CDNA5 ISA guide, 10.11.3) */
        return false;
    u64 rows = 1;
    for (unsigned d = 1; d < t.rank; d++)
        rows *= t.tile[d];
    const u64 tile = rows * t.tile[0] * t.bytes;
    u64 lo = ~0ull, hi = 0;
    for (unsigned k = 0; k < t.count; k++) {
        u64 at = 0; /* position of the repetition's corner, taken apart by the strides */
        u64 corner[5] = {0}, left = k * t.step;
        for (unsigned d = t.rank; d-- > 0 && left;)
            if (t.stride[d] && (t.dim[d] > 1 || d == 0)) {
                corner[d] = left / t.stride[d];
                left %= t.stride[d];
            }
        at = k * t.step;
        for (u64 r = 0; r < rows; r++) {
            u64 rest = r, from = at;
            bool inside = t.dim[0] > corner[0];
            for (unsigned d = 1; d < t.rank; d++) {
                const u64 c = t.gather ? t.row[rest] : rest % t.tile[d];
                rest /= t.tile[d];
                from += c * t.stride[d];
                inside &= corner[d] + c < t.dim[d];
            }
            u64 have = inside ? t.dim[0] - corner[0] : 0;
            if (have > t.tile[0])
                have = t.tile[0];
            const u64 byte = ((u64)k * t.lds_step + r * t.tile[0]) * t.bytes;
            if (!row(w, in, &t, store, t.base + from * t.bytes, byte, (u32)have))
                return false;
            const u64 a = padded(&t, store, byte), e = padded(&t, store, byte + (u64)t.tile[0] * t.bytes - 1) + 1;
            lo = a < lo ? a : lo;
            hi = e > hi ? e : hi;
        }
    }
    if (w->check) {
        tally_lds(w, tile * t.count);
        if (!store)
            note_range(w, in, (u32)lo, (u32)hi);
    }
    if (t.arrive && t.cell + 8 > w->wg->lds_bytes) {
        sim_trap(w, in, -1, SIM_TRAP_BOUNDS, t.cell, "the barrier cell lies at LDS 0x%x: the workgroup has %u bytes", t.cell,
                 w->wg->lds_bytes);
        return false;
    }
    if (t.arrive)
        sim_cell_arrive(w, t.cell, 1, true);
    return true;
}
