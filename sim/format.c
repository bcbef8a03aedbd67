/* SPDX-License-Identifier: MIT */
/*
 * Buffer accesses with format conversion. Formats: CDNA3 ISA, "Buffer resource" (data and number
 * format); RDNA3 and RDNA4 ISA, "Buffer image data formats" (one number for both). Conversions are made
 * in double and rounded once, to nearest even, whatever MODE says; docs/simulator.md says what of them is
 * assumed.
 */
#include "format.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "decode/decode.h"
#include "float.h"
#include "handlers.h"
#include "mem.h"
#include "trap.h"

enum {
    INTS = 1 << SIM_UINT | 1 << SIM_SINT,
    NORMS = 1 << SIM_UNORM | 1 << SIM_SNORM,
    PLAIN = INTS | NORMS | 1 << SIM_USCALED | 1 << SIM_SSCALED,
    FLOATS = 1 << SIM_FLOAT
};

/* By gfx9's data format. Names count from the highest bits: x of 2_10_10_10 is the lowest ten. */
static const struct { u8 bits[4], gfx9, unified; /* number formats, by bits */ } layouts[16] = {
    [1] = {{8}, PLAIN, PLAIN},
    [2] = {{16}, PLAIN | FLOATS, PLAIN | FLOATS},
    [3] = {{8, 8}, PLAIN, PLAIN},
    [4] = {{32}, INTS | FLOATS, INTS | FLOATS},
    [5] = {{16, 16}, PLAIN | FLOATS, PLAIN | FLOATS},
    [6] = {{11, 11, 10}, PLAIN | FLOATS, FLOATS},
    [7] = {{10, 11, 11}, PLAIN | FLOATS, FLOATS},
    [8] = {{2, 10, 10, 10}, PLAIN, NORMS | INTS},
    [9] = {{10, 10, 10, 2}, PLAIN, PLAIN},
    [10] = {{8, 8, 8, 8}, PLAIN, PLAIN},
    [11] = {{32, 32}, INTS | FLOATS, INTS | FLOATS},
    [12] = {{16, 16, 16, 16}, PLAIN | FLOATS, PLAIN | FLOATS},
    [13] = {{32, 32, 32}, INTS | FLOATS, INTS | FLOATS},
    [14] = {{32, 32, 32, 32}, INTS | FLOATS, INTS | FLOATS},
};

/* gfx11 and later number the pairs that exist, from 1 on. */
static void split(unsigned unified, unsigned *data, unsigned *number)
{
    for (unsigned d = 0; d < 16; d++)
        for (unsigned n = 0; n < 8; n++)
            if (layouts[d].unified >> n & 1 && --unified == 0) {
                *data = d;
                *number = n;
                return;
            }
    *data = *number = 0;
}

bool sim_format_of(struct sim_wave *w, const struct insn *in, bool typed, u32 resource, struct sim_data_format *f)
{
    const bool gfx9 = w->prog->gfx9;
    unsigned code, data = 0, number = 0, total = 0;
    if (gfx9) {
        data = typed ? in->src->dfmt : resource >> 15 & 15;
        number = typed ? in->src->nfmt : resource >> 12 & 7;
        code = number << 4 | data;
    } else {
        code = typed ? in->src->dfmt : resource >> 12 & 63;
        if (code)
            split(code, &data, &number);
    }
    if (!((gfx9 ? layouts[data].gfx9 : layouts[data].unified) >> number & 1)) {
        sim_trap(w, in, -1, SIM_TRAP_UNIMPLEMENTED, 0, "%s has data format %u, number format %u (0x%x), which do not go together",
                 typed ? "the instruction" : "the resource", data, number, code);
        return false;
    }
    for (int c = 0; c < 4; c++) {
        f->bits[c] = layouts[data].bits[c];
        total += f->bits[c];
        /* Typed accesses take components as they come, 0 where there is none. */
        f->select[c] = (u8)(typed ? (f->bits[c] ? 4u + (u32)c : 0u) : resource >> 3 * c & 7);
    }
    f->bytes = (u8)(total / 8);
    f->number = (u8)number;
    return true;
}

static bool whole(const struct sim_data_format *f) { return f->number == SIM_UINT || f->number == SIM_SINT; }

static bool is_signed(const struct sim_data_format *f)
{
    return f->number == SIM_SNORM || f->number == SIM_SSCALED || f->number == SIM_SINT;
}

static double largest(const struct sim_data_format *f, unsigned bits)
{
    return (double)((1ull << (bits - is_signed(f))) - 1);
}

/* ---- from memory ---- */

/* A component as 32 bits: an f32, or an integer. */
static u32 convert(const struct sim_data_format *f, u32 x, unsigned bits)
{
    const double v = is_signed(f) ? (double)((i32)(x << (32 - bits)) >> (32 - bits)) : (double)x;
    switch (f->number) {
    case SIM_UINT: return x;
    case SIM_SINT: return (u32)((i32)(x << (32 - bits)) >> (32 - bits));
    case SIM_FLOAT: /* 11 and 10 bits: an f16 without sign, cut */
        return bits == 32 ? x : sim_f32_from_f16(bits == 16 ? x : x << (15 - bits));
    case SIM_UNORM: case SIM_SNORM: return sim_f32_bits((float)fmax(v / largest(f, bits), -1));
    default: return sim_f32_bits((float)v);
    }
}

static void unpack(const struct sim_data_format *f, const u8 *p, u32 *c)
{
    unsigned at = 0;
    for (int k = 0; k < 4 && f->bits[k]; at += f->bits[k++]) {
        u64 x = 0;
        memcpy(&x, p + at / 32 * 4, f->bytes - at / 32 * 4 < 4 ? f->bytes - at / 32 * 4u : 4);
        c[k] = convert(f, (u32)(x >> at % 32) & (f->bits[k] == 32 ? ~0u : (1u << f->bits[k]) - 1), f->bits[k]);
    }
}

static u32 selected(const struct sim_data_format *f, unsigned k, const u32 *c)
{
    const unsigned s = f->select[k];
    return s >= 4 ? c[s - 4] : s != 1 ? 0 : whole(f) ? 1 : 0x3f800000;
}

/* Conversions do not follow MODE: the host's own modes hold while they run. */
#define AS_HOST(w, expr)                                                                           \
    ({                                                                                             \
        sim_host_mode(NULL);                                                                        \
        const bool ok_ = (expr);                                                                   \
        sim_host_mode(w);                                                                          \
        ok_;                                                                                       \
    })

static bool load(struct sim_wave *w, const struct insn *in, const struct sim_data_format *f, const u64 *ad, u64 ok,
                 unsigned n, int half, int width)
{
    const unsigned row = in->o[0].reg;
    u64 lost = 0;
    for (u64 m = w->exec; m; m &= m - 1) {
        const int i = __builtin_ctzll(m);
        u32 c[4] = {0};
        if (ok >> i & 1) {
            if (!sim_mem_ok(w, ad[i], f->bytes)) {
                sim_mem_fault(w, in, i, ad[i], f->bytes, "load");
                return false;
            }
            if (w->check && !sim_race_read(w, in, i, ad[i], f->bytes))
                return false;
            lost |= w->check && !sim_init_all(ad[i], f->bytes) ? 1ull << i : 0;
            unpack(f, (const u8 *)(uintptr_t)ad[i], c);
        }
        for (unsigned k = 0; k < n; k++) {
            u32 x = selected(f, k, c), *d = sim_row(w, (unsigned)width, row + (half ? k / 2 : k)) + i;
            if (half && !whole(f))
                x = sim_f16_from_f32(x);
            *d = !half ? x : half == 2 || k & 1 ? (*d & 0xffff) | x << 16 : (*d & 0xffff0000) | (x & 0xffff);
        }
    }
    if (w->check)
        sim_tally_global(w, ad, w->exec & ok, f->bytes, false, width);
    for (unsigned k = 0; k < n && lost; k++)
        sim_poison(w, in, row + (half ? k / 2 : k), lost, !half ? 15 : half == 2 || k & 1 ? 12 : 3);
    return true;
}

bool sim_format_load(struct sim_wave *w, const struct insn *in, const struct sim_data_format *f, const u64 *ad, u64 ok,
                     unsigned n, int half, int width)
{
    return AS_HOST(w, load(w, in, f, ad, ok, n, half, width));
}

/* ---- to memory ---- */

/* A float without sign: 5 bits of exponent, the rest of mantissa. Negative numbers become 0. */
static u32 small_float(double v, unsigned bits)
{
    const int mantissa = (int)bits - 5;
    if (v != v)
        return (1u << bits) - 1;
    if (v <= 0)
        return 0;
    if (v >= 0x1p16)
        return 31u << mantissa;
    const int e = v < 0x1p-14 ? -14 : ilogb(v);
    return ((u32)(e + 14) << mantissa) + (u32)nearbyint(ldexp(v, mantissa - e));
}

static double clamp(double v, double low, double high)
{
    return v != v ? 0 : v < low ? low : v > high ? high : v;
}

static u32 pack_one(const struct sim_data_format *f, u32 x, unsigned bits)
{
    const double most = f->number == SIM_FLOAT ? 0 : largest(f, bits), v = (double)sim_f32(x);
    switch (f->number) {
    case SIM_UINT: return (u32)clamp((double)x, 0, most);
    case SIM_SINT: return (u32)(i64)clamp((double)(i32)x, -most - 1, most);
    case SIM_FLOAT: return bits == 32 ? x : bits == 16 ? sim_f16_from_f32(x) : small_float(v, bits);
    case SIM_UNORM: return (u32)nearbyint(clamp(v, 0, 1) * most);
    case SIM_SNORM: return (u32)(i32)nearbyint(clamp(v, -1, 1) * most);
    case SIM_USCALED: return (u32)clamp(v, 0, most);
    default: return (u32)(i32)clamp(v, -most - 1, most);
    }
}

static void pack(const struct sim_data_format *f, const u32 *c, u8 *p)
{
    unsigned at = 0;
    u32 words[4] = {0};
    for (int k = 0; k < 4 && f->bits[k]; at += f->bits[k++])
        words[at / 32] |= (pack_one(f, c[k], f->bits[k]) & (f->bits[k] == 32 ? ~0u : (1u << f->bits[k]) - 1)) << at % 32;
    memcpy(p, words, f->bytes);
}

static bool store(struct sim_wave *w, const struct insn *in, const struct sim_data_format *f, const u64 *ad, u64 ok,
                  unsigned n, int half, int width)
{
    ok &= w->exec;
    for (unsigned k = 0; k < n && w->check; k++)
        if (!sim_check_stored_word(w, in, half ? k / 2 : k, !half ? 15 : half == 2 || k & 1 ? 12 : 3, ok))
            return false;
    for (u64 m = ok; m; m &= m - 1) {
        const int i = __builtin_ctzll(m);
        u32 c[4] = {0};
        for (unsigned k = 0; k < n; k++) {
            u32 x = sim_row(w, (unsigned)width, in->o[3].reg + (half ? k / 2 : k))[i];
            if (half)
                x = half == 2 || k & 1 ? x >> 16 : x & 0xffff;
            if (half)
                x = f->number == SIM_SINT ? (u32)(i32)(i16)x : f->number == SIM_UINT ? x : sim_f32_from_f16(x);
            if (f->select[k] >= 4)
                c[f->select[k] - 4] = x;
        }
        if (!sim_mem_ok(w, ad[i], f->bytes)) {
            sim_mem_fault(w, in, i, ad[i], f->bytes, "store");
            return false;
        }
        pack(f, c, (u8 *)(uintptr_t)ad[i]);
    }
    if (!w->check)
        return true;
    sim_tally_global(w, ad, ok, f->bytes, true, width);
    return sim_check_store(w, in, ad, ok, f->bytes);
}

bool sim_format_store(struct sim_wave *w, const struct insn *in, const struct sim_data_format *f, const u64 *ad, u64 ok,
                      unsigned n, int half, int width)
{
    return AS_HOST(w, store(w, in, f, ad, ok, n, half, width));
}
