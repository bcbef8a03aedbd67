/* SPDX-License-Identifier: MIT */
/*
 * Buffer and typed-buffer accesses with format conversion: every data format with every number format
 * it goes with, component selection, 16-bit registers, lanes beyond the buffer. References: CDNA3 ISA
 * guide, buffer resource and its table of instructions (which takes format and selection from where);
 * RDNA3 and RDNA4 ISA guides, buffer image data formats. Not published and assumed: rounding to
 * nearest even, clamping of integers, zeros in components a store does not have, all ones for a NaN
 * of 11 or 10 bits.
 */
#include "item.h"
#include "ref_float.h"

#include <stdio.h>
#include <string.h>

enum number { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, RESERVED, FLOAT, NUMBERS };
static const char *const number_name[NUMBERS] = { "UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "", "FLOAT" };

static const struct layout {
    const char *name;
    int code, first; /* gfx9's data format; gfx11's number of the first pair */
    int bits[4];     /* lowest bits first */
    const char *numbers, *numbers11; /* a digit each of enum number */
} layouts[] = {
    { "8", 1, 1, { 8 }, "012345", "012345" },
    { "16", 2, 7, { 16 }, "0123457", "0123457" },
    { "8_8", 3, 14, { 8, 8 }, "012345", "012345" },
    { "32", 4, 20, { 32 }, "457", "457" },
    { "16_16", 5, 23, { 16, 16 }, "0123457", "0123457" },
    { "10_11_11", 6, 30, { 11, 11, 10 }, "0123457", "7" },
    { "11_11_10", 7, 31, { 10, 11, 11 }, "0123457", "7" },
    { "10_10_10_2", 8, 32, { 2, 10, 10, 10 }, "012345", "0145" },
    { "2_10_10_10", 9, 36, { 10, 10, 10, 2 }, "012345", "012345" },
    { "8_8_8_8", 10, 42, { 8, 8, 8, 8 }, "012345", "012345" },
    { "32_32", 11, 48, { 32, 32 }, "457", "457" },
    { "16_16_16_16", 12, 51, { 16, 16, 16, 16 }, "0123457", "0123457" },
    { "32_32_32", 13, 58, { 32, 32, 32 }, "457", "457" },
    { "32_32_32_32", 14, 61, { 32, 32, 32, 32 }, "457", "457" },
};
enum { LAYOUTS = sizeof layouts / sizeof *layouts };

static const struct { const char *part; int n, half; bool typed; } widths[] = {
    { "x", 1, 0, true },     { "xy", 2, 0, true },     { "xyz", 3, 0, true },     { "xyzw", 4, 0, true },
    { "d16_x", 1, 1, true }, { "d16_xy", 2, 1, true }, { "d16_xyz", 3, 1, true }, { "d16_xyzw", 4, 1, true },
    { "d16_hi_x", 1, 2, false },
};
enum { WIDTHS = sizeof widths / sizeof *widths, BASE = 8, DATA = 20, INDEX = 5, STRIDE = 32, RECORDS = 300, AT = 4,
       MIDDLE = WAVE_MEM / 2 };

/* The target's own spelling. */
static const char *name_of(enum target t, int width, bool typed, bool store)
{
    static char name[48];
    const char *part = widths[width].part, *op = store ? "store" : "load", *buffer = typed ? "tbuffer" : "buffer";
    if (t <= T_950 || part[0] == 'x')
        sprintf(name, "%s_%s_format_%s", buffer, op, part);
    else
        sprintf(name, "%s_%s_%s_format_%s", buffer, op, widths[width].half == 2 ? "d16_hi" : "d16", strrchr(part, '_') + 1);
    return name;
}

/* ---- one component ---- */

static bool is_int(enum number n) { return n == UINT || n == SINT; }
static bool is_signed(enum number n) { return n == SNORM || n == SSCALED || n == SINT; }

static int64_t most(enum number n, int bits) { return (1ll << (bits - is_signed(n))) - 1; }

static uint32_t from_memory(enum number n, int bits, uint32_t x)
{
    int64_t v = x;
    if (is_signed(n) && x >> (bits - 1) & 1)
        v -= 1ll << bits;
    struct ref_num r = ref_from_int(v);
    switch (n) {
    case UINT: case SINT: return (uint32_t)v;
    case FLOAT:
        if (bits == 32)
            return x;
        r = bits == 16 ? ref_unpack(REF_F16, x) : ref_unpack((struct ref_format){ 5, bits - 5, 15, 0 }, x);
        break;
    case UNORM: case SNORM:
        if (v < -most(n, bits))
            r = ref_from_int(-most(n, bits));
        r = ref_div(r, ref_from_int(most(n, bits)));
        break;
    default: break;
    }
    return (uint32_t)ref_pack(REF_F32, r, REF_RNE, false);
}

static uint32_t to_memory(enum number n, int bits, uint32_t x)
{
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    struct ref_num r = ref_unpack(REF_F32, x), one = ref_from_int(1);
    int64_t v, high = most(n, bits), low = is_signed(n) ? -high - 1 : 0;
    switch (n) {
    case UINT: case SINT:
        v = n == SINT ? (int32_t)x : (int64_t)x;
        return (uint32_t)(v < low ? low : v > high ? high : v) & mask;
    case FLOAT:
        if (bits == 32)
            return x;
        if (bits == 16)
            return (uint32_t)ref_pack(REF_F16, r, REF_RNE, false);
        if (r.cls == REF_NAN)
            return mask;
        return r.neg ? 0 : (uint32_t)ref_pack((struct ref_format){ 5, bits - 5, 15, 0 }, r, REF_RNE, false);
    case UNORM: case SNORM:
        if (r.cls == REF_NAN)
            return 0;
        if (r.cls == REF_INF || ref_cmp(r, one) > 0 || ref_cmp(r, ref_neg(one)) < 0)
            r = r.neg ? ref_neg(one) : one;
        if (n == UNORM && r.neg)
            return 0;
        return (uint32_t)ref_to_int(ref_integral(ref_mul(r, ref_from_int(high)), REF_RNE), low, high) & mask;
    default:
        return r.cls == REF_NAN ? 0 : (uint32_t)ref_to_int(r, low, high) & mask;
    }
}

static uint32_t half_of(uint32_t f) { return (uint32_t)ref_pack(REF_F16, ref_unpack(REF_F32, f), REF_RNE, false); }

/* ---- one element ---- */

static int components(const struct layout *l)
{
    int n = 0;
    while (n < 4 && l->bits[n])
        n++;
    return n;
}

static int element_bytes(const struct layout *l) { return (l->bits[0] + l->bits[1] + l->bits[2] + l->bits[3]) / 8; }

static uint32_t get_bits(const uint8_t *p, int at, int n)
{
    uint32_t x = 0;
    for (int i = 0; i < n; i++, at++)
        x |= (uint32_t)(p[at / 8] >> at % 8 & 1) << i;
    return x;
}

static void put_bits(uint8_t *p, int at, int n, uint32_t x)
{
    for (int i = 0; i < n; i++, at++)
        p[at / 8] = (uint8_t)((p[at / 8] & ~(1 << at % 8)) | (x >> i & 1) << at % 8);
}

static uint32_t draw(enum number n, int bits, bool half)
{
    static const uint32_t special[] = { 0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 1, 0x3f800000,
                                        0xbf800000, 0x3f800001, 0x3f7fffff, 0x477fe000, 0x477ff000, 0x38800000,
                                        0x387fffff, 0x33000000, 0x437f0000, 0x4f800000, 0xcf000001, 0x3effffff };
    uint32_t r = (uint32_t)rand64(), x;
    if (is_int(n))
        return r % 4 ? (uint32_t)(rand64() & ((1ull << (bits - 1)) - 1)) : (uint32_t)rand64();
    if (r % 3 == 0)
        x = special[r / 3 % (sizeof special / sizeof *special)];
    else if (r % 3 == 1) /* ties and what lies near */
        x = (uint32_t)ref_pack(REF_F32, ref_div(ref_from_int(2 * (int64_t)(rand64() & 0xffff) + 1 - 0x10000),
                                                ref_from_int(2 * most(n == FLOAT ? UNORM : n, bits < 32 ? bits : 16))), REF_RNE, false);
    else
        x = (uint32_t)(rand64() & 0x807fffff) | (rand_below(40) + 105) << 23;
    return half ? half_of(x) : x;
}

struct access { int snippet, width, layout; enum number number; bool typed, store; };

static void run_access(const struct batch *b, const struct access *c)
{
    static struct wave_state w, want;
    static uint8_t mem[WAVE_MEM], want_mem[WAVE_MEM];
    const enum target t = b->target;
    const struct layout *l = &layouts[c->layout];
    const int lanes = target_lanes(t), n = widths[c->width].n, half = widths[c->width].half;
    char name[48];

    snprintf(name, sizeof name, "%s", name_of(t, c->width, c->typed, c->store));
    rand_seed(name);
    for (int i = 0; i < 16 * c->layout + (int)c->number; i++)
        rand64();
    wave_randomise(&w, t);
    for (int i = MIDDLE; i < MIDDLE + (RECORDS + 1) * STRIDE; i += 8) {
        uint64_t v = rand64();
        memcpy(mem + i, &v, 8);
    }
    for (int run = 0; run < 2; run++) {
        int select[4] = { 4, 5, 6, 7 };
        w.exec = lane_mask_draw(t, run + 1);
        for (int k = 3; k > 0 && run; k--) { /* a permutation; loads also 0 and 1 */
            int j = (int)rand_below((uint32_t)k + 1), x = select[k];
            select[k] = select[j];
            select[j] = x;
        }
        if (run && !c->store)
            select[rand_below(4)] = (int)rand_below(2);
        uint64_t base = run_address(t) + MIDDLE;
        int unified = l->first;
        for (const char *p = l->numbers11; *p && *p - '0' != (int)c->number; p++)
            unified++;
        w.s[BASE] = (uint32_t)base;
        w.s[BASE + 1] = (uint32_t)(base >> 32) | STRIDE << 16;
        w.s[BASE + 2] = RECORDS;
        w.s[BASE + 3] = (uint32_t)(t <= T_950 ? (int)c->number << 12 | l->code << 15 : unified << 12);
        for (int k = 0; k < 4; k++)
            w.s[BASE + 3] |= (uint32_t)select[k] << 3 * k;
        for (int k = 0; k < 4 && c->typed; k++)
            select[k] = k < components(l) ? 4 + k : 0;
        for (int i = 0; i < lanes; i++) {
            w.v[INDEX][i] = run && i % 7 == 3 ? RECORDS + rand_below(1000) : (uint32_t)i * 4 + rand_below(4);
            for (int k = 0; k < n && c->store; k++) {
                uint32_t *d = &w.v[DATA + (half ? k / 2 : k)][i], x = draw(c->number, l->bits[k] ? l->bits[k] : 8, half);
                *d = !half ? x : half == 2 || k & 1 ? (*d & 0xffff) | x << 16 : (*d & 0xffff0000) | (x & 0xffff);
            }
        }
        want = w;
        memcpy(want_mem, mem, sizeof mem);
        for (int i = 0; i < lanes; i++) {
            bool inside = w.v[INDEX][i] < RECORDS;
            uint8_t *p = want_mem + MIDDLE + (inside ? (int)w.v[INDEX][i] * STRIDE + AT : 0);
            uint32_t element[4] = { 0 };
            if (!(w.exec >> i & 1) || (c->store && !inside))
                continue;
            for (int k = 0, at = 0; k < components(l) && !c->store && inside; at += l->bits[k++])
                element[k] = from_memory(c->number, l->bits[k], get_bits(p, at, l->bits[k]));
            for (int k = 0; k < n; k++) {
                uint32_t *d = &want.v[DATA + (half ? k / 2 : k)][i], x;
                if (c->store) {
                    x = !half ? *d : half == 2 || k & 1 ? *d >> 16 : *d & 0xffff;
                    if (half && c->number == SINT)
                        x = (uint32_t)(int16_t)x;
                    else if (half && c->number != UINT)
                        x = (uint32_t)ref_pack(REF_F32, ref_unpack(REF_F16, x), REF_RNE, false);
                    if (select[k] >= 4)
                        element[select[k] - 4] = x;
                    continue;
                }
                x = select[k] >= 4 ? element[select[k] - 4] : !select[k] ? 0 : is_int(c->number) ? 1 : 0x3f800000;
                if (half && !is_int(c->number))
                    x = half_of(x);
                *d = !half ? x : half == 2 || k & 1 ? (*d & 0xffff) | x << 16 : (*d & 0xffff0000) | (x & 0xffff);
            }
            for (int k = 0, at = 0; k < components(l) && c->store; at += l->bits[k++])
                put_bits(p, at, l->bits[k], to_memory(c->number, l->bits[k], element[k]));
        }
        if (!run_snippet(b, c->snippet, &w, mem)) {
            fail(t, name, "%s (%s %s): %s", batch_text(b, c->snippet), l->name, number_name[c->number], run_error());
            return;
        }
        const char *d = wave_diff(&w, &want, mem, want_mem);
        if (d) {
            fail(t, name, "%s (%s %s, %d bytes): %s", batch_text(b, c->snippet), l->name, number_name[c->number],
                 element_bytes(l), d);
            return;
        }
    }
}

void run_format(enum target t);
void run_format(enum target t)
{
    enum { MOST = 2 * LAYOUTS * 7 * (WIDTHS + WIDTHS) };
    static struct access list[MOST];
    const char *wait = t >= T_1201   ? "s_wait_loadcnt 0\ns_wait_storecnt 0"
                       : t == T_1100 ? "s_waitcnt vmcnt(0)\ns_waitcnt_vscnt null, 0" : "s_waitcnt vmcnt(0)";
    int n = 0;
    struct batch b;

    if (t == T_1250) /* has none */
        return;
    batch_begin(&b, t);
    for (int width = 0; width < WIDTHS; width++)
        for (int typed = 0; typed <= widths[width].typed; typed++)
            for (int store = 0; store < 2; store++) {
                const int dwords = widths[width].half ? (widths[width].n + 1) / 2 : widths[width].n;
                const char *name = name_of(t, width, typed, store);
                char text[160], data[24];
                covered_add(t, name);
                sprintf(data, dwords == 1 ? "v%d" : "v[%d:%d]", DATA, DATA + dwords - 1);
                sprintf(text, "%s %s, v%d, s[%d:%d], %s", name, data, INDEX, BASE, BASE + 3, t >= T_1201 ? "null" : "0");
                const int shared = typed ? -1 : batch_add(&b, "%s idxen offset:%d\n%s", text, AT, wait);
                for (int l = 0; l < LAYOUTS; l++)
                    for (const char *p = t <= T_950 ? layouts[l].numbers : layouts[l].numbers11; *p; p++) {
                        struct access c = { shared, width, l, (enum number)(*p - '0'), typed, store };
                        if (typed && width % 4 != 3 && l % 3 != width % 3)
                            continue;
                        if (typed)
                            c.snippet = batch_add(&b, "%s format:[BUF_DATA_FORMAT_%s, BUF_NUM_FORMAT_%s] idxen offset:%d\n%s",
                                                  text, layouts[l].name, number_name[c.number], AT, wait);
                        list[n++] = c;
                    }
            }
    if (!batch_assemble(&b))
        fail(t, "(assembler)", "a format is refused");
    else
        for (int i = 0; i < n; i++)
            run_access(&b, &list[i]);
    batch_end(&b);
}
