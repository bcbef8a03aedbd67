/* SPDX-License-Identifier: MIT */
/* LDS in the strict mode: who wrote and read which dword since the last barrier, bytes nobody wrote,
 * bank conflicts; and loads that go straight to LDS. */
#include <string.h>

#include "clocks.h"
#include "decode/decode.h"
#include "launch.h"
#include "mem.h"
#include "trap.h"

void sim_lds_fault(struct sim_wave *w, const struct insn *in, const u32 *v, u32 off, unsigned n,
                   unsigned align, bool store)
{
    const char *what = store ? "store" : "load";
    for (u64 k = w->exec; k; k &= k - 1) {
        int i = __builtin_ctzll(k);
        u32 a = v[i] + off;
        if ((u64)a + n > w->wg->lds_bytes) {
            sim_trap(w, in, i, SIM_TRAP_BOUNDS, a, "LDS %s of %u bytes at 0x%x: the workgroup has %u bytes of LDS",
                     what, n, a, w->wg->lds_bytes);
            return;
        }
        if (a & (align - 1)) {
            sim_trap(w, in, i, SIM_TRAP_ALIGN, a, "LDS %s of %u bytes at 0x%x: the address is not a multiple of %u",
                     what, n, a, align);
            return;
        }
    }
    sim_trap(w, in, -1, SIM_TRAP_BOUNDS, off, "LDS %s: the address overflows", what);
}

/* ---- bank conflicts ---- */

/* Lanes that are served together, as the order in which groups of `size` take them. Published for
 * ds_read_b128: AMD's notes on LDS bank conflicts (CDNA3), measurements by the HipKittens authors
 * (CDNA4); other accesses take consecutive lanes. */
static const u8 b128_32[64] = {0,  1,  2,  3,  20, 21, 22, 23, 4,  5,  6,  7,  16, 17, 18, 19, 8,  9,  10, 11, 28, 29,
                               30, 31, 12, 13, 14, 15, 24, 25, 26, 27, 32, 33, 34, 35, 52, 53, 54, 55, 36, 37, 38, 39,
                               48, 49, 50, 51, 40, 41, 42, 43, 60, 61, 62, 63, 44, 45, 46, 47, 56, 57, 58, 59};
static const u8 b128_64[64] = {0,  1,  2,  3,  12, 13, 14, 15, 20, 21, 22, 23, 24, 25, 26, 27, 4,  5,  6,  7,  8,  9,
                               10, 11, 16, 17, 18, 19, 28, 29, 30, 31, 32, 33, 34, 35, 44, 45, 46, 47, 52, 53, 54, 55,
                               56, 57, 58, 59, 36, 37, 38, 39, 40, 41, 42, 43, 48, 49, 50, 51, 60, 61, 62, 63};

/* Cycles beyond one a group: the most distinct dwords that fall into one bank. */
static unsigned conflicts(const u32 *a, u64 m, unsigned words, const u8 *order, unsigned size, unsigned lanes,
                          unsigned banks)
{
    const unsigned shift = words == 1 ? 2 : words == 2 ? 3 : 4, slots = banks / words;
    unsigned extra = 0;
    for (unsigned g = 0; g < lanes; g += size) {
        /* The usual case: aligned items, no two in the same banks. */
        u64 used = 0;
        u32 odd = 0;
        for (unsigned k = g; k < g + size; k++) {
            const u32 at = a[order ? order[k] : k];
            used |= 1ull << (at >> shift & (slots - 1));
            odd |= at;
        }
        if (words != 3 && !(odd & (4 * words - 1)) && (unsigned)__builtin_popcountll(used) == size)
            continue;
        u32 seen[64][8];
        u8 count[64];
        unsigned most = 1;
        memset(count, 0, banks);
        for (unsigned k = g; k < g + size; k++) {
            const unsigned lane = order ? order[k] : k;
            if (!(m >> lane & 1))
                continue;
            for (unsigned j = 0; j < words; j++) {
                const u32 dword = a[lane] / 4 + j, b = dword % banks;
                unsigned c = 0;
                while (c < count[b] && c < 8 && seen[b][c] != dword)
                    c++;
                if (c < count[b] && c < 8)
                    continue;
                if (count[b] < 8)
                    seen[b][count[b]] = dword;
                if (++count[b] > most)
                    most = count[b];
            }
        }
        extra += most - 1;
    }
    return extra;
}

/* The lowest and highest address of the active lanes, and all their bits; given up (wide) when they lie
 * farther apart than the banks are wide. */
struct span { u32 lo, hi, bits; bool wide; };

enum { SPAN = 256 };

static struct span span_of(const struct sim_wave *w, const u32 *v, u32 off)
{
    struct span s = {~0u, 0, 0, !w->exec};
    for (u64 k = w->exec; k && !s.wide; k &= k - 1) {
        const u32 a = v[__builtin_ctzll(k)] + off;
        s.lo = a < s.lo ? a : s.lo;
        s.hi = a > s.hi ? a : s.hi;
        s.bits |= a;
        s.wide = s.hi - s.lo >= SPAN;
    }
    return s;
}

/* s is null where nothing else is known of the addresses. */
static void tally(struct sim_wave *w, const u32 *v, u32 off, unsigned n, bool load, bool linear, const struct span *s)
{
    const struct sim_family *f = w->prog->target->family;
    const unsigned lanes = (unsigned)w->prog->wave, banks = f->banks;
    const unsigned words = n < 4 ? 1 : n / 4;
    struct sim_tally *t = w->tally;
    /* Lanes a cycle: what fills the banks once. */
    unsigned size = banks / words;
    size = size > lanes ? lanes : size < 1 ? 1 : size;
    if (words == 4 && !load)
        size = 8;
    if (words == 3)
        size = banks == 64 ? 16 : 8;
    t->lds_bytes += (u64)n * (u64)__builtin_popcountll(w->exec);
    t->lds_cycles += lanes / size;
    /* Dwords that fill the banks once at most are in banks of their own. */
    if (linear || (s && !s->wide && s->hi / 4 - s->lo / 4 + words <= banks))
        return;
    u32 a[64];
    for (unsigned i = 0; i < lanes; i++)
        a[i] = v[i] + off;
    const u8 *order = words == 4 && load && lanes == 64 ? banks == 32 ? b128_32 : b128_64 : NULL;
    unsigned naive = conflicts(a, w->exec, words, NULL, size, lanes, banks);
    unsigned real = order ? conflicts(a, w->exec, words, order, size, lanes, banks) : naive;
    t->lds_conflict += real;
    t->lds_conflict_naive += naive;
    t->lds_cycles += real;
}

/* ---- races ---- */

static void text_of(const struct sim_wave *w, u32 insn, char *buf, size_t n)
{
    if (insn < w->prog->count && w->prog->decoded[insn].op)
        sim_print(w->prog->target->family, &w->prog->decoded[insn], 0, buf, n);
    else if (n)
        buf[0] = 0;
}

/* The direct-to-LDS load of this wave that is still under way to LDS address a. */
static const struct sim_pending *dma_pending(const struct sim_wave *w, u32 a)
{
    for (int c = 0; c < SIM_CNT_COUNT; c++)
        for (u32 i = 0; i < w->queue[c].len; i++) {
            const struct sim_pending *p = &w->queue[c].q[(w->queue[c].head + i) % SIM_QUEUE];
            if (a >= p->lds_lo && a < p->lds_hi)
                return p;
        }
    return NULL;
}

bool sim_lds_race(struct sim_wave *w, const struct insn *in, int lane, u32 a, bool store, int reader)
{
    const struct sim_lds_shadow *h = &w->wg->shadow;
    const u32 d = a / 4, tag = h->write[d];
    char text[160];
    if (!store && (tag & 31) == w->id) {
        /* Its own direct-to-LDS load: a fault only while it has not been waited for. */
        const struct sim_pending *p = dma_pending(w, a);
        if (!p)
            return true;
        text_of(w, p->insn, text, sizeof text);
        sim_trap(w, in, lane, SIM_TRAP_WAIT, a, "LDS 0x%x is read before %s (at 0x%llx) has been waited for", a, text,
                 (unsigned long long)w->prog->decoded[p->insn].pc);
        return false;
    }
    if (reader >= 0) {
        sim_trap(w, in, lane, SIM_TRAP_LDS_RACE, a,
                 "LDS 0x%x is written while wave %d may still read it: no barrier since its read", a,
                 reader);
        return false;
    }
    const u32 writer = h->insn[d] & ~SIM_LDS_LATE;
    text_of(w, writer, text, sizeof text);
    sim_trap(w, in, lane, SIM_TRAP_LDS_RACE, a, "LDS 0x%x was written by wave %u (%s at 0x%llx) %s", a, tag & 31, text,
             (unsigned long long)w->prog->decoded[writer].pc,
             h->insn[d] & SIM_LDS_LATE ? "and not waited for before the barrier" : "with no barrier since");
    return false;
}

static bool all_init(const struct sim_lds_shadow *h, u32 a, unsigned n)
{
    if (!((a | n) & 7)) {
        for (unsigned i = 0; i < n / 8; i++)
            if (h->init[a / 8 + i] != 0xff)
                return false;
        return true;
    }
    if (!((a | n) & 3))
        for (unsigned i = 0; i < n; i += 4) {
            if ((h->init[(a + i) / 8] >> ((a + i) & 4) & 15) != 15)
                return false;
        }
    else
        for (unsigned i = 0; i < n; i++)
            if (!(h->init[(a + i) / 8] >> ((a + i) & 7) & 1))
                return false;
    return true;
}

static void set_init(const struct sim_lds_shadow *h, u32 a, unsigned n)
{
    if (!((a | n) & 7)) {
        memset(h->init + a / 8, 0xff, n / 8);
        return;
    }
    if (!((a | n) & 3)) {
        for (unsigned i = 0; i < n; i += 4)
            h->init[(a + i) / 8] |= (u8)(15u << ((a + i) & 4));
        return;
    }
    for (unsigned i = 0; i < n; i++)
        h->init[(a + i) / 8] |= (u8)(1u << ((a + i) & 7));
}

/* Dwords [d, e) are read by wave `me` in this epoch: false if one was written in it by somebody else. */
static inline bool read_dwords(const struct sim_lds_shadow *h, u32 d, u32 e, u32 cur, u32 me, u64 epoch_bits, u64 mine)
{
    typedef u32 four __attribute__((vector_size(16), aligned(4), may_alias));
    const u32 low = (u32)mine, high = (u32)(epoch_bits >> 32);
    const four now = {low, high, low, high};
    four others = {0};
    u32 bad = 0;
    /* Four at once where there are as many. */
    for (; d + 4 <= e; d += 4) {
        const four t = *(const four *)&h->write[d];
        others |= (four)(((t - cur) & ~63u) == 0) & (four)((t & 63) != me);
        for (u32 k = d; k < d + 4; k += 2) {
            const four r = *(const four *)(const void *)&h->read[k], same = (four)(r == high);
            const four keep = __builtin_shufflevector(same, same, 1, 1, 3, 3);
            *(four *)(void *)&h->read[k] = (r & keep) | now;
        }
    }
    for (; d < e; d++) {
        const u32 t = h->write[d];
        const u64 r = h->read[d];
        bad |= (u32)(t - cur < 64u) & (u32)((t & 63) != me);
        h->read[d] = (r >> 32 == epoch_bits >> 32 ? r : epoch_bits) | mine;
    }
    return !(bad | others[0] | others[1] | others[2] | others[3]);
}

static bool consecutive(const u32 *v, unsigned n, unsigned lanes)
{
    u32 diff = (v[1] - v[0]) ^ n;
    for (unsigned i = 0; i < lanes && !diff; i++)
        diff |= v[i] ^ (v[0] + i * n);
    return diff == 0;
}

bool sim_lds_load_check(struct sim_wave *w, const struct insn *in, const u32 *v, u32 off, unsigned n, unsigned row)
{
    const struct sim_wg *g = w->wg;
    const struct sim_lds_shadow *h = &g->shadow;
    const unsigned lanes = (unsigned)w->prog->wave;
    const u32 cur = g->epoch << SIM_LDS_EPOCH, me = w->id;
    const u64 epoch_bits = (u64)g->epoch << 32, mine = 1ull << w->id;
    const bool run = w->exec == w->full && !g->clocked && consecutive(v, n, lanes);

    if (run) {
        const u32 a = v[0] + off, e = a + n * lanes;
        tally(w, v, off, n, true, !(off & 3), NULL);
        if (read_dwords(h, a / 4, (e + 3) / 4, cur, me, epoch_bits, mine) && all_init(h, a, n * lanes))
            return true;
    } else {
        const struct span s = span_of(w, v, off);
        tally(w, v, off, n, true, s.lo == s.hi, &s);
        if (s.lo == s.hi && !g->clocked) {
            if (read_dwords(h, s.lo / 4, (s.lo + n + 3) / 4, cur, me, epoch_bits, mine) && all_init(h, s.lo, n))
                return true;
        } else if (!s.wide && !g->clocked && !((s.bits | n) & 3) && s.hi - s.lo + n <= SPAN) {
            u64 left = 0; /* dwords from s.lo on that some lane reads */
            for (u64 k = w->exec; k; k &= k - 1)
                left |= ((1ull << n / 4) - 1) << (v[__builtin_ctzll(k)] + off - s.lo) / 4;
            bool fine = true;
            for (u32 d = s.lo / 4; left && fine;) {
                const unsigned skip = (unsigned)__builtin_ctzll(left);
                const unsigned count = left >> skip == ~0ull ? 64 : (unsigned)__builtin_ctzll(~(left >> skip));
                d += skip;
                fine = read_dwords(h, d, d + count, cur, me, epoch_bits, mine) && all_init(h, 4 * d, 4 * count);
                d += count;
                left = skip + count < 64 ? left >> (skip + count) : 0;
            }
            if (fine)
                return true;
        }
    }
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        const u32 a = v[i] + off;
        if (g->clocked) {
            if (!sim_clocks_read(w, in, i, a, n))
                return false;
        } else if (!read_dwords(h, a / 4, (a + n + 3) / 4, cur, me, epoch_bits, mine))
            for (u32 d = a / 4; d < (a + n + 3) / 4; d++) {
                const u32 t = h->write[d];
                if (t - cur < 64u && (t & 63) != me && !sim_lds_race(w, in, i, d * 4 < a ? a : d * 4, false, -1))
                    return false;
            }
        for (unsigned j = 0; j < n && !all_init(h, a, n); j++)
            if (!all_init(h, a + j, 1)) {
                if (row == ~0u)
                    for (unsigned q = 0; q < in->o[0].words; q++)
                        sim_poison(w, in, in->o[0].reg + q, w->exec, 15);
                else
                    sim_poison_loaded(w, in, row, 1ull << i, j, n);
            }
    }
    return true;
}

bool sim_lds_written(struct sim_wave *w, const struct insn *in, int lane, u32 a, unsigned n, bool dma)
{
    const struct sim_wg *g = w->wg;
    const struct sim_lds_shadow *h = &g->shadow;
    const u32 cur = g->epoch << SIM_LDS_EPOCH, at = (u32)(in - w->prog->insn);
    const u32 tag = cur | (dma ? SIM_LDS_DMA : 0) | w->id;
    const bool clocked = g->clocked;
    if (clocked && !sim_clocks_write(w, in, lane, a, n))
        return false;
    for (u32 d = a / 4; d < (a + n + 3) / 4; d++) {
        const u32 t = h->write[d], readers = h->read[d] >> 32 == g->epoch ? (u32)h->read[d] & ~(1u << w->id) : 0;
        if (!clocked && t - cur < 64u && (t & 31) != w->id && !sim_lds_race(w, in, lane, d * 4 < a ? a : d * 4, true, -1))
            return false;
        if (!clocked && readers && !sim_lds_race(w, in, lane, d * 4 < a ? a : d * 4, true, __builtin_ctz(readers)))
            return false;
        h->write[d] = tag;
        h->insn[d] = at;
    }
    set_init(h, a, n);
    return true;
}

bool sim_lds_taken(struct sim_wave *w, const struct insn *in, int lane, u32 a, unsigned n)
{
    const struct sim_wg *g = w->wg;
    const struct sim_lds_shadow *h = &g->shadow;
    const u32 cur = g->epoch << SIM_LDS_EPOCH, me = w->id;
    if (g->clocked) {
        if (!sim_clocks_read(w, in, lane, a, n))
            return false;
    } else if (!read_dwords(h, a / 4, (a + n + 3) / 4, cur, me, (u64)g->epoch << 32, 1ull << me))
        for (u32 d = a / 4; d < (a + n + 3) / 4; d++) {
            const u32 t = h->write[d];
            if (t - cur < 64u && (t & 63) != me && !sim_lds_race(w, in, lane, d * 4 < a ? a : d * 4, false, -1))
                return false;
        }
    if (all_init(h, a, n))
        return true;
    sim_trap(w, in, lane, SIM_TRAP_UNINIT, a, "stored data (LDS 0x%x) is undefined: nobody wrote it", a);
    return false;
}

void sim_lds_lost(struct sim_wave *w, u32 a)
{
    w->wg->shadow.init[a / 8] &= (u8)~(1u << (a & 7));
}

/* Undefined bytes of stored registers are undefined in the LDS too. */
static void lds_undefined(struct sim_wave *w, const struct insn *in, const u32 *v, u32 off, unsigned n)
{
    const struct sim_lds_shadow *h = &w->wg->shadow;
    /* The second half of a two-address store comes from o[3]. */
    const bool second = off != (u32)in->imm && in->o[3].kind == SIM_KIND_ROW;
    const struct operand *o = in->src->format == SIM_FMT_FLAT ? &in->o[3] : second ? &in->o[3] : &in->o[2];
    if (o->kind != SIM_KIND_ROW)
        return;
    for (unsigned j = 0; j < n; j++) {
        const u64 lost = w->und[o->reg + j / 4][j % 4] & w->exec;
        for (u64 k = lost; k; k &= k - 1) {
            const u32 a = v[__builtin_ctzll(k)] + off + j;
            h->init[a / 8] &= (u8)~(1u << (a & 7));
        }
    }
}

bool sim_lds_store_check(struct sim_wave *w, const struct insn *in, const u32 *v, u32 off, unsigned n)
{
    const unsigned lanes = (unsigned)w->prog->wave;
    const bool run = w->exec == w->full && consecutive(v, n, lanes);
    u32 lo = ~0u, hi = 0;

    if (run && !(off & 3)) {
        tally(w, v, off, n, false, true, NULL);
    } else {
        const struct span s = span_of(w, v, off);
        tally(w, v, off, n, false, false, &s);
    }
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        const u32 a = v[i] + off;
        lo = a < lo ? a : lo;
        hi = a + n > hi ? a + n : hi;
        if (!sim_lds_written(w, in, i, a, n, false))
            return false;
    }
    lds_undefined(w, in, v, off, n);
    /* Where an unwaited write went, for the barrier. What FLAT writes to LDS only the counter of LDS waits for. */
    struct sim_queue *q = &w->queue[(in->cnt2 ? in->cnt2 : in->cnt) - 1];
    if (q->len && hi) {
        struct sim_pending *p = &q->q[(q->head + q->len - 1) % SIM_QUEUE];
        if (!p->store_hi || p->store_lo > lo) p->store_lo = lo;
        if (p->store_hi < hi) p->store_hi = hi;
    }
    return true;
}

/* Atomics of several waves on one dword are no race among themselves; with plain accesses they are. */
bool sim_lds_atomic_check(struct sim_wave *w, const struct insn *in, const u32 *v, u32 off, unsigned n)
{
    const struct sim_lds_shadow *h = &w->wg->shadow;
    const struct span s = span_of(w, v, off);
    tally(w, v, off, n, true, false, &s);
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        const u32 a = v[i] + off;
        const u32 t = h->write[a / 4], cur = w->wg->epoch << SIM_LDS_EPOCH;
        if (w->wg->clocked) {
            if (!sim_clocks_atomic(w, in, i, a))
                return false;
        } else if (t - cur < 64u && (t & 31) != w->id && !sim_lds_race(w, in, i, a, true, -1))
            return false;
        if (!all_init(h, a, n)) {
            sim_trap(w, in, i, SIM_TRAP_UNINIT, a, "LDS 0x%x is changed by an atomic but was never written", a);
            return false;
        }
    }
    return true;
}

/* The wave's LDS writes that it has not waited for: stores too, or copies past the registers only. */
static void late(struct sim_wave *w, bool stores)
{
    const struct sim_wg *g = w->wg;
    const u32 now = g->epoch << SIM_LDS_EPOCH, me = w->id;
    for (int c = 0; c < SIM_CNT_COUNT; c++)
        for (u32 i = 0; i < w->queue[c].len; i++) {
            const struct sim_pending *p = &w->queue[c].q[(w->queue[c].head + i) % SIM_QUEUE];
            const u32 lo = p->lds_hi ? p->lds_lo : stores ? p->store_lo : 0, hi = p->lds_hi ? p->lds_hi : stores ? p->store_hi : 0;
            for (u32 d = lo / 4; d < (hi + 3) / 4; d++) {
                const u32 t = g->shadow.write[d] & ~(u32)SIM_LDS_DMA;
                if ((g->clocked ? (t & 31) != me : t != (now | me)) || (g->shadow.insn[d] & ~SIM_LDS_LATE) != p->insn)
                    continue;
                if (g->clocked)
                    sim_clocks_late(w, d);
                else
                    g->shadow.write[d] += 1u << SIM_LDS_EPOCH;
                g->shadow.insn[d] |= SIM_LDS_LATE;
            }
        }
}

void sim_lds_barrier(struct sim_wave *w) { late(w, true); }
void sim_lds_copies_late(struct sim_wave *w) { late(w, false); }

bool sim_lds_touched(const struct sim_wave *w)
{
    const struct sim_wg *g = w->wg;
    const u32 cur = g->epoch << SIM_LDS_EPOCH;
    u32 found = 0;
    for (u32 d = 0; d < g->lds_bytes / 4; d++)
        found |= (u32)(g->shadow.write[d] - cur < 64u) & (u32)((g->shadow.write[d] & 31) == w->id);
    for (u32 d = 0; d < g->lds_bytes / 4 && !found; d++)
        found = g->shadow.read[d] >> 32 == g->epoch && g->shadow.read[d] >> w->id & 1;
    return found;
}

/* Where lanes put what they load: a dword apart, wide ones 16 bytes, three dwords padded with a zero (MLIR,
 * AMDGPU dialect, gather_to_lds). */
struct dma { unsigned n, step; u32 base, lo, hi; };

static struct dma dma_of(const struct sim_wave *w, const struct insn *in, int nd, int ext)
{
    return (struct dma){.n = nd ? 4u * (unsigned)nd : ext < EXT_U16 ? 1 : 2, .step = nd > 1 ? 16 : 4,
                        .base = (w->s[SIM_S_M0] & 0x3ffff) + (u32)in->imm, .lo = ~0u};
}

static bool dma_place(struct sim_wave *w, const struct insn *in, const struct dma *d, int i, u32 *a)
{
    *a = d->base + (u32)i * d->step;
    if ((u64)*a + d->step > w->wg->lds_bytes) {
        sim_trap(w, in, i, SIM_TRAP_BOUNDS, *a, "LDS store of %u bytes at 0x%x: the workgroup has %u bytes of LDS", d->step,
                 *a, w->wg->lds_bytes);
        return false;
    }
    if (*a & 3) {
        sim_trap(w, in, i, SIM_TRAP_ALIGN, *a, "LDS store of %u bytes at 0x%x: the address is not a multiple of 4", d->step,
                 *a);
        return false;
    }
    return true;
}

/* Lane i's bytes t go to a; bits of dirty: nobody wrote that byte. */
static bool dma_put(struct sim_wave *w, const struct insn *in, struct dma *d, int i, u32 a, u8 *t, bool small, int ext,
                    u32 dirty)
{
    if (small) {
        u32 x = sim_extend(t, ext);
        memcpy(t, &x, 4);
    }
    if (w->check) {
        if (!sim_lds_written(w, in, i, a, d->step, true))
            return false;
        for (unsigned b = 0; b < d->n; b++)
            if (dirty >> b & 1)
                w->wg->shadow.init[(a + b) / 8] &= (u8)~(1u << ((a + b) & 7));
        d->lo = a < d->lo ? a : d->lo;
        d->hi = a + d->step > d->hi ? a + d->step : d->hi;
    }
    memcpy(w->wg->lds + a, t, d->step);
    return true;
}

/* The bytes are under way until the load has been waited for. */
static void dma_issued(struct sim_wave *w, const struct dma *d)
{
    struct sim_queue *q = &w->queue[SIM_CNT_VM];
    if (!w->check || !d->hi || !q->len)
        return;
    struct sim_pending *p = &q->q[(q->head + q->len - 1) % SIM_QUEUE];
    p->lds_lo = d->lo;
    p->lds_hi = d->hi;
}

bool sim_lds_dma(struct sim_wave *w, const struct insn *in, const u64 *ad, u64 lanes, int nd, int ext, int width)
{
    struct dma d = dma_of(w, in, nd, ext);
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        u32 a, dirty = 0;
        u8 t[16] = {0};
        const bool in_range = lanes >> i & 1;
        if (!dma_place(w, in, &d, i, &a))
            return false;
        if (in_range) {
            if (!sim_mem_ok(w, ad[i], d.n)) {
                sim_mem_fault(w, in, i, ad[i], d.n, "load");
                return false;
            }
            if (w->check && !sim_race_read(w, in, i, ad[i], d.n))
                return false;
            memcpy(t, (const void *)(uintptr_t)ad[i], d.n);
            if (w->check && !sim_init_all(ad[i], d.n))
                for (unsigned b = 0; b < d.n; b++)
                    dirty |= sim_init_all(ad[i] + b, 1) ? 0 : 1u << b;
        }
        if (!dma_put(w, in, &d, i, a, t, !nd && in_range, ext, dirty))
            return false;
    }
    if (w->check && d.hi)
        sim_tally_global(w, ad, w->exec & lanes, d.n, false, width);
    dma_issued(w, &d);
    return true;
}

bool sim_lds_dma_private(struct sim_wave *w, const struct insn *in, const u32 *off, int nd, int ext, int width)
{
    struct dma d = dma_of(w, in, nd, ext);
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        u32 a, dirty = 0;
        u8 t[16] = {0};
        if (!dma_place(w, in, &d, i, &a) || !sim_private_read(w, in, i, off[i], d.n, t, &dirty, width) ||
            !dma_put(w, in, &d, i, a, t, !nd, ext, dirty))
            return false;
    }
    w->tally->scratch_bytes += (u64)d.n * (u64)__builtin_popcountll(w->exec);
    dma_issued(w, &d);
    return true;
}
