/* SPDX-License-Identifier: MIT */
/* Device memory and its shadow; the memory checks of the strict mode. */
#include "mem.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "launch.h"
#include "trap.h"

enum { PAGE = 4096, CHUNK = 64 };

u8 *sim_arena;
u64 sim_arena_bytes;
u8 *sim_init_bits;
bool sim_any_param;

static u64 top;            /* bytes of the arena handed out */
static u32 *pages;         /* page -> index in allocs + 1 */
static struct sim_alloc *allocs;
static size_t nallocs;
static size_t used[64];    /* by device */
static u8 *param_bits;     /* bit a 64-byte chunk; made when first needed */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

enum { MAX_ALLOCS = 1 << 24 };

/* The launches that last read and last wrote each 64-byte line of the arena, by their tags. */
static u32 *toucher[2];

static void *reserve(size_t n)
{
    void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static bool setup(void)
{
    static const int shifts[] = {40, 38, 36, 34};
    for (size_t i = 0; i < sizeof shifts / sizeof *shifts && !sim_arena; i++) {
        u64 n = 1ull << shifts[i];
        u8 *arena = reserve(n), *bits = reserve(n / 8);
        u32 *pg = reserve(n / PAGE * sizeof *pg);
        if (arena && bits && pg) {
            sim_arena = arena;
            sim_arena_bytes = n;
            sim_init_bits = bits;
            pages = pg;
            madvise(bits, n / 8, MADV_DONTDUMP);
            break;
        }
        if (arena) munmap(arena, n);
        if (bits) munmap(bits, n / 8);
        if (pg) munmap(pg, n / PAGE * sizeof *pg);
    }
    allocs = reserve(MAX_ALLOCS * sizeof *allocs);
    for (int i = 0; i < 2 && sim_arena; i++)
        toucher[i] = reserve(sim_arena_bytes / 64 * sizeof *toucher[i]);
    top = PAGE;
    return sim_arena && allocs && toucher[0] && toucher[1] && sim_race_setup();
}

bool sim_mem_setup(void)
{
    pthread_mutex_lock(&lock);
    bool ok = sim_arena || setup();
    pthread_mutex_unlock(&lock);
    return ok;
}

void *sim_mem_alloc(size_t bytes, int device, unsigned flags)
{
    void *p = NULL;
    if (bytes > sim_arena_bytes)
        return NULL;
    pthread_mutex_lock(&lock);
    u64 n = (bytes + PAGE) & ~(u64)(PAGE - 1);
    if (bytes % PAGE == 0)
        n = bytes + PAGE; /* the gap is a page at least */
    else
        n += PAGE;
    if (nallocs < MAX_ALLOCS && n <= sim_arena_bytes - top) {
        struct sim_alloc *a = &allocs[nallocs++];
        p = sim_arena + top;
        *a = (struct sim_alloc){(u64)(uintptr_t)p, (u64)(uintptr_t)p + bytes, device, flags, 0};
        for (u64 o = top / PAGE; o < (top + n) / PAGE; o++)
            pages[o] = (u32)nallocs;
        top += n;
        if (device >= 0 && device < 64)
            used[device] += bytes;
    }
    pthread_mutex_unlock(&lock);
    return p;
}

void sim_mem_drop(void *table, u64 lo, u64 hi, u64 entry, u64 span)
{
    const u64 base = (u64)(uintptr_t)sim_arena;
    const u64 from = ((lo - base + span - 1) / span * entry + PAGE - 1) & ~(u64)(PAGE - 1);
    const u64 to = (hi - base) / span * entry & ~(u64)(PAGE - 1);
    if (to > from)
        madvise((u8 *)table + from, to - from, MADV_DONTNEED);
}

/* Gives back what the checks know of freed memory, whose addresses are not used again; with that of freed neighbours,
 * with which it shares pages. i: the allocation's number. */
static void forget(u32 i)
{
    u64 lo = allocs[i].lo, hi = allocs[i].hi;
    if (i > 0 && allocs[i - 1].flags & SIM_MEM_FREED)
        lo = allocs[i - 1].lo;
    if (i + 1 < nallocs && allocs[i + 1].flags & SIM_MEM_FREED)
        hi = allocs[i + 1].hi;
    sim_mem_drop(sim_init_bits, lo, hi, 1, 8);
    for (int k = 0; k < 2; k++)
        sim_mem_drop(toucher[k], lo, hi, sizeof *toucher[k], 64);
    sim_race_forget(lo, hi);
}

bool sim_mem_free(void *p)
{
    bool ok = false;
    pthread_mutex_lock(&lock);
    u64 a = (u64)(uintptr_t)p, base = (u64)(uintptr_t)sim_arena;
    if (a >= base && a < base + top) {
        u32 i = pages[(a - base) / PAGE];
        if (i && allocs[i - 1].lo == a && !(allocs[i - 1].flags & SIM_MEM_FREED)) {
            struct sim_alloc *x = &allocs[i - 1];
            x->flags |= SIM_MEM_FREED;
            x->launches = sim_launches();
            u64 n = (x->hi - x->lo) & ~(u64)(PAGE - 1);
            if (n)
                madvise(p, n, MADV_DONTNEED);
            forget(i - 1);
            if (x->device >= 0 && x->device < 64)
                used[x->device] -= x->hi - x->lo;
            ok = true;
        }
    }
    pthread_mutex_unlock(&lock);
    return ok;
}

/* Host memory that was registered: few and rare, so a list. */
enum { MAX_REGISTERED = 256 };
static struct sim_alloc registered[MAX_REGISTERED];
static _Atomic int nregistered;

bool sim_mem_register(void *p, size_t n)
{
    bool ok = false;
    pthread_mutex_lock(&lock);
    int free_slot = nregistered;
    for (int i = 0; i < nregistered; i++)
        if (registered[i].lo == registered[i].hi)
            free_slot = i;
    if (free_slot < MAX_REGISTERED) {
        u64 a = (u64)(uintptr_t)p;
        registered[free_slot] = (struct sim_alloc){a, a + n, -1, SIM_MEM_HOST, 0};
        if (free_slot == nregistered)
            nregistered++;
        ok = true;
    }
    pthread_mutex_unlock(&lock);
    return ok;
}

bool sim_mem_unregister(void *p)
{
    bool ok = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < nregistered; i++)
        if (registered[i].lo == (u64)(uintptr_t)p && registered[i].lo != registered[i].hi) {
            registered[i].hi = registered[i].lo;
            ok = true;
        }
    pthread_mutex_unlock(&lock);
    return ok;
}

bool sim_mem_foreign(u64 addr)
{
    return addr - (u64)(uintptr_t)sim_arena >= sim_arena_bytes;
}

const struct sim_alloc *sim_mem_find(u64 addr)
{
    u64 base = (u64)(uintptr_t)sim_arena;
    if (addr < base || addr >= base + top) {
        for (int i = 0; i < nregistered; i++)
            if (addr >= registered[i].lo && addr < registered[i].hi)
                return &registered[i];
        return NULL;
    }
    u32 i = pages[(addr - base) / PAGE];
    return i ? &allocs[i - 1] : NULL;
}

size_t sim_mem_used(int device) { return device >= 0 && device < 64 ? used[device] : 0; }

bool sim_mem_lookup(struct sim_wave *w, u64 a, u64 n)
{
    const struct sim_alloc *x = sim_mem_find(a);
    if (!x || x->flags & SIM_MEM_FREED || a < x->lo || a + n > x->hi || a + n < a)
        return false;
    w->hit_lo = x->lo;
    w->hit_hi = x->hi;
    w->host |= x->flags & SIM_MEM_HOST;
    return true;
}

void sim_mem_fault(struct sim_wave *w, const struct insn *in, int lane, u64 a, unsigned n, const char *what)
{
    const struct sim_alloc *x = sim_mem_find(a);
    if (!x)
        sim_trap(w, in, lane, SIM_TRAP_BOUNDS, a, "%s of %u bytes at 0x%llx: no allocation there", what, n,
                 (unsigned long long)a);
    else if (x->flags & SIM_MEM_FREED)
        sim_trap(w, in, lane, SIM_TRAP_FREED, a,
                 "%s of %u bytes at 0x%llx: %llu bytes into an allocation of %llu bytes that was freed", what, n,
                 (unsigned long long)a, (unsigned long long)(a - x->lo), (unsigned long long)(x->hi - x->lo));
    else if (a >= x->hi)
        sim_trap(w, in, lane, SIM_TRAP_BOUNDS, a,
                 "%s of %u bytes at 0x%llx: %llu bytes past the end of an allocation of %llu bytes", what, n,
                 (unsigned long long)a, (unsigned long long)(a - x->hi), (unsigned long long)(x->hi - x->lo));
    else
        sim_trap(w, in, lane, SIM_TRAP_BOUNDS, a,
                 "%s of %u bytes at 0x%llx: ends %llu bytes past the end of an allocation of %llu bytes", what, n,
                 (unsigned long long)a, (unsigned long long)(a + n - x->hi), (unsigned long long)(x->hi - x->lo));
}

/* ---- written bytes ---- */

bool sim_init_all(u64 a, u64 n)
{
    u64 o = a - (u64)(uintptr_t)sim_arena;
    if (o >= sim_arena_bytes)
        return true;
    if (!((o | n) & 63)) {
        const u64 *p = (const u64 *)(sim_init_bits + o / 8);
        u64 x = ~0ull;
        for (u64 i = 0; i < n / 64; i++)
            x &= p[i];
        return x == ~0ull;
    }
    if (!((o | n) & 7)) {
        const u8 *p = sim_init_bits + o / 8;
        for (u64 i = 0; i < n / 8; i++)
            if (p[i] != 0xff)
                return false;
        return true;
    }
    for (u64 i = 0; i < n; i++)
        if (!(sim_init_bits[(o + i) / 8] >> ((o + i) & 7) & 1))
            return false;
    return true;
}

void sim_init_set(u64 a, u64 n)
{
    u64 o = a - (u64)(uintptr_t)sim_arena;
    if (o >= sim_arena_bytes)
        return;
    if (!((o | n) & 7)) {
        memset(sim_init_bits + o / 8, 0xff, n / 8);
        return;
    }
    /* Neighbouring bits may belong to another workgroup. */
    for (u64 i = o; i < o + n;) {
        unsigned first = i & 7, last = o + n - (i - first) >= 8 ? 8 : (unsigned)(o + n - (i - first));
        u8 bits = (u8)((0xffu << first) & (0xffu >> (8 - last)));
        u8 *p = &sim_init_bits[i / 8];
        if (bits == 0xff)
            *p = 0xff;
        else if ((*p & bits) != bits)
            __atomic_fetch_or(p, bits, __ATOMIC_RELAXED);
        i += last - first;
    }
}

void sim_mem_mark(u64 addr, size_t n, bool written)
{
    u64 base = (u64)(uintptr_t)sim_arena;
    if (!n || addr < base || addr + n > base + sim_arena_bytes)
        return;
    if (written) {
        u64 a = addr, end = addr + n, a8 = (a + 7) & ~7ull, e8 = end & ~7ull;
        if (a8 < e8) {
            sim_init_set(a, a8 - a);
            sim_init_set(a8, e8 - a8);
            sim_init_set(e8, end - e8);
        } else {
            sim_init_set(a, n);
        }
        return;
    }
    for (u64 o = addr - base; o < addr - base + n; o++)
        __atomic_fetch_and(&sim_init_bits[o / 8], (u8)~(1u << (o & 7)), __ATOMIC_RELAXED);
}

void sim_mem_copied(u64 to, u64 from, size_t n)
{
    enum { STEP = 64 };
    if (sim_init_all(from, n)) {
        sim_mem_mark(to, n, true);
        return;
    }
    for (size_t at = 0; at < n;) {
        const size_t k = n - at < STEP ? n - at : STEP;
        if (sim_init_all(from + at, k)) {
            sim_mem_mark(to + at, k, true);
        } else {
            for (size_t i = at; i < at + k; i++)
                sim_mem_mark(to + i, 1, sim_init_all(from + i, 1));
        }
        at += k;
    }
}

void sim_mem_param(u64 addr, size_t n)
{
    u64 base = (u64)(uintptr_t)sim_arena;
    if (!n || addr < base || addr + n > base + sim_arena_bytes)
        return;
    pthread_mutex_lock(&lock);
    if (!param_bits)
        param_bits = reserve(sim_arena_bytes / CHUNK / 8);
    if (param_bits) {
        for (u64 c = (addr - base) / CHUNK; c <= (addr - base + n - 1) / CHUNK; c++)
            param_bits[c / 8] |= (u8)(1u << (c & 7));
        sim_any_param = true;
    }
    pthread_mutex_unlock(&lock);
}

bool sim_mem_is_param(u64 addr)
{
    u64 c = (addr - (u64)(uintptr_t)sim_arena) / CHUNK;
    return sim_any_param && c < sim_arena_bytes / CHUNK && param_bits[c / 8] >> (c & 7) & 1;
}

void sim_poison_lanes(struct sim_wave *w, const struct insn *in, unsigned row, const u64 *ad, u64 m, unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        u64 lanes = 0;
        for (u64 q = m; q; q &= q - 1) {
            int i = __builtin_ctzll(q);
            if (!sim_init_all(ad[i] + k, 1))
                lanes |= 1ull << i;
        }
        if (lanes)
            sim_poison_loaded(w, in, row, lanes, k, n);
    }
}

/* Byte k of an n-byte load: where it lands. Small loads extend into the whole register, or one half. */
void sim_poison_loaded(struct sim_wave *w, const struct insn *in, unsigned row, u64 lanes, unsigned k, unsigned n)
{
    unsigned bytes = 1u << (k & 3);
    if (n < 4)
        bytes = in->half == 2 ? 12 : in->half == 1 ? 3 : k + 1 < n ? bytes : 15u & ~(bytes - 1);
    sim_poison(w, in, row + k / 4, lanes, bytes);
}

/* The lanes from i on, active and next to each other in memory: how many. */
static unsigned run_of(const u64 *ad, u64 m, unsigned i, unsigned n)
{
    unsigned j = i + 1;
    while (j < 64 && m >> j & 1 && ad[j] == ad[j - 1] + n)
        j++;
    return j - i;
}

bool sim_check_load(struct sim_wave *w, const struct insn *in, unsigned row, const u64 *ad, u64 m, unsigned n)
{
    bool dirty = false;
    for (u64 k = m; k;) {
        const unsigned i = (unsigned)__builtin_ctzll(k), lanes = run_of(ad, m, i, n);
        if (!sim_race_lanes(w, in, (int)i, ad[i], (u64)lanes * n, n, false))
            return false;
        dirty |= !sim_init_all(ad[i], (u64)lanes * n);
        k = i + lanes < 64 ? k >> (i + lanes) << (i + lanes) : 0;
    }
    if (dirty)
        sim_poison_lanes(w, in, row, ad, m, n);
    return true;
}

bool sim_check_store(struct sim_wave *w, const struct insn *in, const u64 *ad, u64 m, unsigned n)
{
    for (u64 k = m; k;) {
        const unsigned i = (unsigned)__builtin_ctzll(k), lanes = run_of(ad, m, i, n);
        if (!sim_race_lanes(w, in, (int)i, ad[i], (u64)lanes * n, n, true))
            return false;
        sim_init_set(ad[i], (u64)lanes * n);
        k = i + lanes < 64 ? k >> (i + lanes) << (i + lanes) : 0;
    }
    return true;
}

bool sim_smem_read(struct sim_wave *w, const struct insn *in, u64 a, unsigned n)
{
    /* A scalar register is undefined as a whole: when any byte that was read into it is. */
    for (unsigned k = 0; k < n; k += 4)
        if (!sim_init_all(a + k, n - k < 4 ? n - k : 4))
            sim_spoison(w, in, in->o[0].reg + k / 4);
    return sim_race_read(w, in, -1, a, n);
}

bool sim_atomic_check(struct sim_wave *w, const struct insn *in, const u64 *ad, unsigned n)
{
    sim_acquire(w);
    sim_release(w);
    sim_tally_global(w, ad, w->exec, n, true, w->prog->wave);
    for (u64 k = w->exec; k; k &= k - 1) {
        int i = __builtin_ctzll(k);
        if (sim_mem_ok(w, ad[i], n) && !sim_init_all(ad[i], n)) {
            sim_trap(w, in, i, SIM_TRAP_UNINIT, ad[i], "atomic of %u bytes at 0x%llx: nobody wrote there before", n,
                     (unsigned long long)ad[i]);
            return false;
        }
    }
    return true;
}

/* ---- traffic ---- */

void sim_traffic_reset(void)
{
    for (int i = 0; i < 2; i++)
        if (toucher[i])
            madvise(toucher[i], sim_arena_bytes / 64 * sizeof *toucher[i], MADV_DONTNEED);
}

/* Bytes of the lines that no wave of the launch has read, or written, before. */
static u64 first_touch(const struct sim_launch *l, u64 line, unsigned lines, bool write)
{
    const u64 at = (line - (u64)(uintptr_t)sim_arena) / 64;
    u32 *tag = toucher[write];
    const u64 both = (u64)l->tag << 32 | l->tag;
    u64 bytes = 0;
    for (u64 i = at; i < at + lines && i < sim_arena_bytes / 64; i++) {
        /* Two at once where nobody was at either, or somebody at both. */
        if (!(i & 1) && i + 1 < at + lines) {
            u64 *pair = (u64 *)(void *)&tag[i], old = __atomic_load_n(pair, __ATOMIC_RELAXED);
            if (old == both ||
                ((u32)old != l->tag && (u32)(old >> 32) != l->tag &&
                 __atomic_compare_exchange_n(pair, &old, both, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))) {
                bytes += old == both ? 0 : 128;
                i++;
                continue;
            }
        }
        if (__atomic_load_n(&tag[i], __ATOMIC_RELAXED) != l->tag &&
            __atomic_exchange_n(&tag[i], l->tag, __ATOMIC_RELAXED) != l->tag)
            bytes += 64;
    }
    return bytes;
}

static void add_lines(struct sim_wave *w, u64 line, unsigned lines, bool write)
{
    struct sim_tally *t = w->tally;
    u64 bytes = 64ull * lines;
    if (sim_any_param && sim_mem_is_param(line)) {
        t->param_bytes += bytes;
        t->first_param += first_touch(w->wg->launch, line, lines, write);
    } else if (write) {
        t->write_bytes += bytes;
        t->first_write += first_touch(w->wg->launch, line, lines, true);
    } else {
        t->read_bytes += bytes;
        t->first_read += first_touch(w->wg->launch, line, lines, false);
    }
}

void sim_tally_global_run(struct sim_wave *w, u64 a, u64 n, bool write)
{
    u64 first = a & ~63ull, last = (a + n - 1) & ~63ull;
    add_lines(w, first, (unsigned)((last - first) / 64 + 1), write);
}

void sim_tally_global(struct sim_wave *w, const u64 *ad, u64 m, unsigned n, bool write, int lanes)
{
    /* Distinct lines: a small open hash; addresses usually repeat the line before. */
    u64 seen[256];
    u64 prev = ~0ull;
    unsigned count = 0;
    u8 slot[512];
    (void)lanes;
    memset(slot, 0, sizeof slot);
    for (u64 k = m; k; k &= k - 1) {
        int i = __builtin_ctzll(k);
        for (u64 l = ad[i] & ~63ull; l <= ((ad[i] + n - 1) & ~63ull); l += 64) {
            if (l == prev)
                continue;
            prev = l;
            unsigned h = (unsigned)(l / 64 * 0x9e3779b97f4a7c15ull >> 55);
            while (slot[h] && seen[slot[h] - 1] != l)
                h = (h + 1) & 511;
            if (!slot[h] && count < 255) {
                seen[count++] = l;
                slot[h] = (u8)count;
                add_lines(w, l, 1, write);
            }
        }
    }
}
