/* SPDX-License-Identifier: MIT */
/* Private memory (scratch) of a wave, kept by dword and lane; FLAT accesses that go there or to LDS. */
#include <string.h>

#include "atomic.h"
#include "decode/decode.h"
#include "mem.h"
#include "trap.h"

static u8 *byte_at(struct sim_wave *w, u32 off, int lane, int width)
{
    return w->scratch + ((size_t)(off / 4) * (unsigned)width + (unsigned)lane) * 4 + off % 4;
}

static u8 *init_at(struct sim_wave *w, u32 off, int lane)
{
    return w->scratch_init + (size_t)lane * ((w->scratch_bytes + 7) / 8) + off / 8;
}

static bool inside(struct sim_wave *w, const struct insn *in, int lane, u32 off, unsigned n, const char *what)
{
    if ((u64)off + n <= w->scratch_bytes)
        return true;
    sim_trap(w, in, lane, SIM_TRAP_BOUNDS, off, "private %s of %u bytes at 0x%x: a work-item has %u bytes", what, n, off,
             w->scratch_bytes);
    return false;
}

bool sim_private_read(struct sim_wave *w, const struct insn *in, int lane, u32 off, unsigned n, u8 *to, u32 *dirty, int width)
{
    if (!inside(w, in, lane, off, n, "load"))
        return false;
    for (unsigned b = 0; b < n; b++) {
        to[b] = *byte_at(w, off + b, lane, width);
        if (w->check && !(*init_at(w, off + b, lane) >> ((off + b) & 7) & 1))
            *dirty |= 1u << b;
    }
    return true;
}

static bool write(struct sim_wave *w, const struct insn *in, int lane, u32 off, unsigned n, const u8 *from, int width)
{
    if (!inside(w, in, lane, off, n, "store"))
        return false;
    for (unsigned b = 0; b < n; b++) {
        *byte_at(w, off + b, lane, width) = from[b];
        if (w->check)
            *init_at(w, off + b, lane) |= (u8)(1u << ((off + b) & 7));
    }
    return true;
}

static void deliver(struct sim_wave *w, const struct insn *in, int i, const u8 *t, u32 dirty, int nd, int ext, int d16,
                    int width)
{
    u32 *d = sim_row(w, (unsigned)width, in->o[0].reg);
    if (!nd)
        d[i] = sim_d16(d[i], sim_extend(t, ext), d16);
    for (int j = 0; j < nd; j++)
        memcpy(&d[j * width + i], t + 4 * j, 4);
    const unsigned n = nd ? 4u * (unsigned)nd : ext < EXT_U16 ? 1 : 2;
    for (unsigned b = 0; dirty >> b; b++)
        if (dirty >> b & 1)
            sim_poison_loaded(w, in, in->o[0].reg, 1ull << i, b, n);
}

static void collect(struct sim_wave *w, const struct insn *in, int i, u8 *t, int nd, int hi, int width)
{
    const u32 *s = sim_row(w, (unsigned)width, in->o[3].reg);
    u32 x = hi ? s[i] >> 16 : s[i];
    if (!nd)
        memcpy(t, &x, 4);
    for (int j = 0; j < nd; j++)
        memcpy(t + 4 * j, &s[j * width + i], 4);
}

bool sim_private_load(struct sim_wave *w, const struct insn *in, const u32 *off, int nd, int ext, int d16, int width)
{
    const unsigned n = nd ? 4u * (unsigned)nd : ext < EXT_U16 ? 1 : 2;
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        u8 t[16] = {0};
        u32 dirty = 0;
        if (!sim_private_read(w, in, i, off[i], n, t, &dirty, width))
            return false;
        deliver(w, in, i, t, dirty, nd, ext, d16, width);
    }
    w->tally->scratch_bytes += (u64)n * (u64)__builtin_popcountll(w->exec);
    return true;
}

bool sim_private_store(struct sim_wave *w, const struct insn *in, const u32 *off, int nd, int small, int hi, int width)
{
    const unsigned n = nd ? 4u * (unsigned)nd : (unsigned)small;
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        u8 t[16];
        collect(w, in, i, t, nd, hi, width);
        if (!write(w, in, i, off[i], n, t, width))
            return false;
        if (w->check)
            for (unsigned b = 0; b < n; b++)
                if (w->und[in->o[3].reg + b / 4][b % 4] >> i & 1)
                    *init_at(w, off[i] + b, i) &= (u8)~(1u << ((off[i] + b) & 7));
    }
    w->tally->scratch_bytes += (u64)n * (u64)__builtin_popcountll(w->exec);
    return true;
}

/* ---- FLAT ---- */

bool sim_flat_special(const struct sim_wave *w, const u64 *ad)
{
    u64 x = 0;
    for (u64 k = w->exec; k; k &= k - 1)
        x |= ad[__builtin_ctzll(k)];
    return x >> 48;
}

/* Which memory an address names. Private memory of gfx1250 has the lane in its address; only one's own is reached here. */
static unsigned place(struct sim_wave *w, const struct insn *in, int lane, u64 a)
{
    if (a >> SIM_SCRATCH_SHIFT != 1)
        return (unsigned)(a >> 48);
    if ((int)(a >> SIM_SCRATCH_LANE & 63) == lane)
        return SIM_APERTURE_PRIVATE;
    sim_trap(w, in, lane, SIM_TRAP_UNIMPLEMENTED, a, "FLAT access to private memory of lane %u", (unsigned)(a >> SIM_SCRATCH_LANE & 63));
    return SIM_SCRATCH_OTHER;
}

static bool lds_ok(struct sim_wave *w, const struct insn *in, int lane, u32 a, unsigned n, const char *what)
{
    if ((u64)a + n <= w->wg->lds_bytes)
        return true;
    sim_trap(w, in, lane, SIM_TRAP_BOUNDS, a, "LDS %s of %u bytes at 0x%x: the workgroup has %u bytes of LDS", what, n, a,
             w->wg->lds_bytes);
    return false;
}

/* Runs a check or a sum of one lane as if the others were off. */
#define ONE_LANE(i, expr)                                                                          \
    ({                                                                                             \
        const u64 exec_ = w->exec;                                                                 \
        w->exec = 1ull << (i);                                                                     \
        const bool ok_ = (expr);                                                                   \
        w->exec = exec_;                                                                           \
        ok_;                                                                                       \
    })

bool sim_flat_load(struct sim_wave *w, const struct insn *in, const u64 *ad, int nd, int ext, int d16, int width)
{
    const unsigned n = nd ? 4u * (unsigned)nd : ext < EXT_U16 ? 1 : 2;
    u32 low[64];
    for (int i = 0; i < width; i++)
        low[i] = (u32)ad[i];
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        u8 t[16] = {0};
        u32 dirty = 0;
        switch (place(w, in, i, ad[i])) {
        case SIM_APERTURE_LDS:
            if (!lds_ok(w, in, i, low[i], n, "load"))
                return false;
            if (w->check && !ONE_LANE(i, sim_lds_load_check(w, in, low, 0, n, in->o[0].reg)))
                return false;
            memcpy(t, w->wg->lds + low[i], n);
            break;
        case SIM_SCRATCH_OTHER:
            return false;
        case SIM_APERTURE_PRIVATE:
            if (!sim_private_read(w, in, i, low[i], n, t, &dirty, width))
                return false;
            break;
        default:
            if (!sim_mem_ok(w, ad[i], n)) {
                sim_mem_fault(w, in, i, ad[i], n, "load");
                return false;
            }
            if (w->check && !sim_check_load(w, in, in->o[0].reg, ad, 1ull << i, n))
                return false;
            memcpy(t, (const void *)(uintptr_t)ad[i], n);
        }
        deliver(w, in, i, t, dirty, nd, ext, d16, width);
    }
    return true;
}

bool sim_flat_store(struct sim_wave *w, const struct insn *in, const u64 *ad, int nd, int small, int hi, int width)
{
    const unsigned n = nd ? 4u * (unsigned)nd : (unsigned)small;
    u32 low[64];
    for (int i = 0; i < width; i++)
        low[i] = (u32)ad[i];
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        u8 t[16];
        collect(w, in, i, t, nd, hi, width);
        switch (place(w, in, i, ad[i])) {
        case SIM_APERTURE_LDS:
            if (!lds_ok(w, in, i, low[i], n, "store"))
                return false;
            if (w->check && !ONE_LANE(i, sim_lds_store_check(w, in, low, 0, n)))
                return false;
            memcpy(w->wg->lds + low[i], t, n);
            break;
        case SIM_SCRATCH_OTHER:
            return false;
        case SIM_APERTURE_PRIVATE:
            if (!write(w, in, i, low[i], n, t, width))
                return false;
            break;
        default:
            if (!sim_mem_ok(w, ad[i], n)) {
                sim_mem_fault(w, in, i, ad[i], n, "store");
                return false;
            }
            memcpy((void *)(uintptr_t)ad[i], t, n);
            if (w->check && !sim_check_store(w, in, ad, 1ull << i, n))
                return false;
        }
    }
    return true;
}

bool sim_flat_atomic(struct sim_wave *w, const struct insn *in, const u64 *ad, int op, int words, int width)
{
    const unsigned n = 4u * (unsigned)words;
    const u32 *s = sim_row(w, (unsigned)width, in->o[3].reg);
    u32 *d = in->o[0].kind == SIM_KIND_ROW ? sim_row(w, (unsigned)width, in->o[0].reg) : NULL;
    u32 low[64];
    w->changed = true;
    for (int i = 0; i < width; i++)
        low[i] = (u32)ad[i];
    for (u64 k = w->exec; k; k &= k - 1) {
        const int i = __builtin_ctzll(k);
        u64 data = s[i], other = SIM_RMW_COMPARES(op) ? s[words * width + i] : 0, old;
        u8 *p, t[8];
        u32 dirty = 0;
        if (words == 2) {
            data |= (u64)s[width + i] << 32;
            if (SIM_RMW_COMPARES(op))
                other |= (u64)s[3 * width + i] << 32;
        }
        switch (place(w, in, i, ad[i])) {
        case SIM_APERTURE_LDS:
            if (!lds_ok(w, in, i, low[i], n, "atomic"))
                return false;
            if (w->check && !ONE_LANE(i, sim_lds_atomic_check(w, in, low, 0, n)))
                return false;
            p = w->wg->lds + low[i];
            break;
        case SIM_SCRATCH_OTHER:
            return false;
        case SIM_APERTURE_PRIVATE:
            if (!sim_private_read(w, in, i, low[i], n, t, &dirty, width))
                return false;
            p = t;
            break;
        default:
            if (!sim_mem_ok(w, ad[i], n)) {
                sim_mem_fault(w, in, i, ad[i], n, "atomic");
                return false;
            }
            p = (u8 *)(uintptr_t)ad[i];
        }
        if ((ad[i] & (n - 1)) != 0) {
            sim_trap(w, in, i, SIM_TRAP_ALIGN, ad[i], "atomic of %u bytes at 0x%llx: the address is not a multiple of %u", n,
                     (unsigned long long)ad[i], n);
            return false;
        }
        if (words == 1) {
            u32 x[1] __attribute__((aligned(8)));
            if (p == t) {
                memcpy(x, t, 4);
                old = x[0];
                x[0] = sim_rmw32((enum sim_rmw)op, x[0], (u32)data, (u32)other);
                memcpy(t, x, 4);
            } else {
                old = sim_atomic32((enum sim_rmw)op, (u32 *)(void *)p, (u32)data, (u32)other);
            }
        } else if (p == t) {
            memcpy(&old, t, 8);
            u64 r = sim_rmw64((enum sim_rmw)op, old, data, other);
            memcpy(t, &r, 8);
        } else {
            old = sim_atomic64((enum sim_rmw)op, (u64 *)(void *)p, data, other);
        }
        if (p == t && !write(w, in, i, low[i], n, t, width))
            return false;
        if (d) {
            d[i] = (u32)old;
            if (words == 2)
                d[width + i] = (u32)(old >> 32);
        }
    }
    return true;
}
