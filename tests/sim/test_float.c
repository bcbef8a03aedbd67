/* SPDX-License-Identifier: MIT */
/*
 * Number formats and transcendental functions of the simulator: every code of every small format
 * and rounding at and around every tie against tables made with ml_dtypes; the wider formats, the
 * other roundings and the functions against plain references in double and long double.
 */
#include "float.h"
#include "trans.h"

#include "layout.h"

static const char *const name[] = {
#define SIM_MINI(id, man, bias, max, inf, nan, unsig) #id,
#include "float.inc"
};

static uint32_t state = 1;
static uint32_t rnd(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* A run-time format: a switch makes it the constant that the inline functions are made for. */
static uint32_t decode(int id, uint32_t code)
{
    switch (id) {
#define SIM_MINI(id, man, bias, max, inf, nan, unsig)                                              \
    case SIM_##id:                                                                                 \
        return sim_f32_from_mini(SIM_##id, code);
#include "float.inc"
    default: return 0;
    }
}
static uint32_t narrow(int id, uint32_t x, int scale, enum sim_round round, uint32_t seed, bool sat)
{
    switch (id) {
#define SIM_MINI(id, man, bias, max, inf, nan, unsig) \
    case SIM_##id: return sim_mini_from_f32(SIM_##id, x, scale, round, seed, sat);
#include "float.inc"
    default: return 0;
    }
}

Test(float, every_code_and_tie_as_ml_dtypes)
{
    FILE *f = fopen(SIM_TEST_DATA "/mini_floats.txt", "r");
    cr_assert(f);
    char line[512], id_name[8];
    int id = -1, codes = 0, pairs = 0;
    uint32_t next = 0;
    bool table = false;
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, "D %7s", id_name) == 1 || sscanf(line, "E %7s", id_name) == 1) {
            table = line[0] == 'D';
            next = 0;
            for (id = 0; id < SIM_MINI_COUNT && strcmp(name[id], id_name);)
                id++;
            continue;
        }
        if (line[0] == '#')
            continue;
        unsigned x, c;
        int used;
        for (char *p = line; table && sscanf(p, "%x%n", &x, &used) == 1;
             p += used, next++, codes++) {
            uint32_t got = id < SIM_MINI_COUNT ? decode(id, next)
                           : next == 255       ? 0x7fc00000
                                               : sim_f32_bits(ldexpf(1, sim_scale_of_e8m0(next)));
            if (sim_f32_is_nan(got))
                got = 0x7fc00000;
            cr_expect_eq(got, x, "%s %02x: %08x, want %08x", id_name, next, got, x);
        }
        for (char *p = line; !table && sscanf(p, "%x %x%n", &x, &c, &used) == 2;
             p += used, pairs++) {
            uint32_t got = narrow(id, x, 0, SIM_RNE, 0, false);
            bool both_nan = sim_f32_is_nan(decode(id, got)) && sim_f32_is_nan(decode(id, c));
            cr_expect(got == c || both_nan, "%08x to %s: %02x, want %02x", x, id_name, got, c);
        }
    }
    fclose(f);
    cr_expect(codes == 4 * 256 + 2 * 64 + 16 + 256 && pairs > 5000, "%d codes, %d pairs", codes,
              pairs);
}

Test(float, saturation_and_specials_of_small_formats)
{
    struct { int id; uint32_t inf, sat, nan; } t[] = {
        {SIM_E4M3, 0x7f, 0x7e, 0x7f},  {SIM_E4M3Z, 0x80, 0x7f, 0x80}, {SIM_E5M2, 0x7c, 0x7b, 0x7f},
        {SIM_E5M2Z, 0x80, 0x7f, 0x80}, {SIM_E2M3, 0x1f, 0x1f, 0x1f},  {SIM_E3M2, 0x1f, 0x1f, 0x1f},
        {SIM_E2M1, 0x07, 0x07, 0x07},
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        cr_expect_eq(narrow(t[i].id, 0x7f800000, 0, SIM_RNE, 0, false), t[i].inf, "%s inf",
                     name[t[i].id]);
        cr_expect_eq(narrow(t[i].id, 0x7f800000, 0, SIM_RNE, 0, true), t[i].sat,
                     "%s inf, saturating", name[t[i].id]);
        cr_expect_eq(narrow(t[i].id, 0x7f000000, 0, SIM_RNE, 0, true), t[i].sat,
                     "%s big, saturating", name[t[i].id]);
        cr_expect_eq(narrow(t[i].id, 0x7fc00000, 0, SIM_RNE, 0, true), t[i].nan, "%s NaN",
                     name[t[i].id]);
        bool fnuz = t[i].nan == 0x80;
        uint32_t bits = t[i].id >= SIM_E2M1 ? 4 : t[i].id >= SIM_E2M3 ? 6 : 8;
        cr_expect_eq(narrow(t[i].id, 0x80000000, 0, SIM_RNE, 0, false), fnuz ? 0 : 1u << (bits - 1),
                     "%s -0", name[t[i].id]);
        cr_expect_eq(narrow(t[i].id, 0x80000001, 0, SIM_RNE, 0, false), fnuz ? 0 : 1u << (bits - 1),
                     "%s tiny", name[t[i].id]);
    }
}

/* Scaled conversion: the nearest code to x / 2^scale by trying all, ties to the even code. */
Test(float, scaled_conversion_rounds_once)
{
    for (int id = 0; id <= SIM_E2M1; id++)
        for (int i = 0; i < 4000; i++) {
            int scale = (int)(rnd() % 255) - 127;
            /* around the format's range after scaling, f32 denormals among them */
            int e = 127 + scale + (int)(rnd() % 24) - 12;
            e = e < 0 ? 0 : e > 254 ? 254 : e;
            uint32_t x = rnd() & 0x807fffff;
            x = i % 4 ? x | (uint32_t)e << 23 : (x & 0x80700000) | (uint32_t)e << 23;
            double want = ldexp((double)sim_f32(x), -scale), best = INFINITY, top = 0;
            uint32_t code = 0, top_code = 0;
            for (uint32_t c = 0; c < 256; c++) {
                double v = (double)sim_f32(decode(id, c));
                if (!(fabs(v) < INFINITY) || signbit(v) != signbit(want) ||
                    (c & ~(id >= SIM_E2M1   ? 15u
                           : id >= SIM_E2M3 ? 63u
                                            : 255u)))
                    continue;
                if (fabs(v) > top) {
                    top = fabs(v);
                    top_code = c;
                }
                double d = fabs(v - want);
                if (d < best || (d == best && !(c & 1))) {
                    best = d;
                    code = c;
                }
            }
            if (fabs(want) > top)
                code = top_code;
            if (fabs(want) != 0 && code == 0 && signbit(want) && sim_mini_format[id].nan == 0x80)
                code = 0;
            uint32_t got = narrow(id, x, scale, SIM_RNE, 0, true);
            if ((id == SIM_E4M3Z || id == SIM_E5M2Z) && decode(id, got) == 0)
                code = 0; /* no negative zero */
            cr_assert_eq(got, code, "%08x * 2^%d to %s: %02x, want %02x (%g)", x, -scale, name[id],
                         got, code, want);
        }
}

Test(float, the_scale_255_is_nan)
{
    cr_expect_eq(sim_scale_of_e8m0(255), 128);
    cr_expect_eq(sim_scale_of_f32(0x7f800000), 128);
    cr_expect_eq(narrow(SIM_E4M3, 0x3f800000, 128, SIM_RNE, 0, true), 0x7f);
    cr_expect_eq(narrow(SIM_E5M2, 0xbf800000, 128, SIM_RNE, 0, false), 0xff);
    cr_expect_eq(sim_f32_from_mini_scaled(SIM_E2M1, 0, 128), 0x7fc00000);
}

Test(float, scaled_widening)
{
    for (int id = 0; id <= SIM_E2M1; id++)
        for (int i = 0; i < 2000; i++) {
            uint32_t c = rnd() & (id >= SIM_E2M1 ? 15 : id >= SIM_E2M3 ? 63 : 255);
            int scale = (int)(rnd() % 255) - 127;
            uint32_t got = 0;
            switch (id) {
#define SIM_MINI(id, man, bias, max, inf, nan, unsig) \
            case SIM_##id: got = sim_f32_from_mini_scaled(SIM_##id, c, scale); break;
#include "float.inc"
            }
            float want = (float)ldexp((double)sim_f32(decode(id, c)), scale);
            cr_assert(got == sim_f32_bits(want) || (sim_f32_is_nan(got) && isnan(want)),
                      "%s %02x scale %d", name[id], c, scale);
        }
}

/* The result is one of the two neighbours, the upper one for exactly the share of seeds that the
 * distance asks for. */
Test(float, stochastic_rounding_is_unbiased)
{
    for (int id = 0; id <= SIM_E2M1; id++)
        for (int i = 0; i < 300; i++) {
            double lo_v = 0, hi_v = 0;
            uint32_t x = (rnd() & 0x7fffff) | (uint32_t)(124 + rnd() % 5) << 23;
            uint32_t lo = narrow(id, x, 0, SIM_RTZ, 0, true), hi = lo + 1;
            lo_v = (double)sim_f32(decode(id, lo));
            hi_v = (double)sim_f32(decode(id, hi));
            if (lo >= sim_mini_format[id].max)
                continue;
            double share = ((double)sim_f32(x) - lo_v) / (hi_v - lo_v);
            int ups = 0, n = 4096;
            for (int s = 0; s < n; s++) {
                uint32_t r = narrow(id, x, 0, SIM_RSR, (uint32_t)s << 20, true);
                cr_assert(r == lo || r == hi);
                ups += r == hi;
            }
            cr_assert(fabs(ups / (double)n - share) <= 2.0 / n, "%s %08x: %g, want %g", name[id], x,
                      ups / (double)n, share);
        }
    cr_expect_eq(sim_bf16_from_f32_sr(0x3f800000, 0xffffffff), 0x3f80, "an exact value stays");
    cr_expect_eq(sim_bf16_from_f32_sr(0x3f800001, 0xffff0000), 0x3f81);
    cr_expect_eq(sim_bf16_from_f32_sr(0x3f80ffff, 0x0000ffff), 0x3f80);
    cr_expect_eq(sim_f16_from_f32_sr(0x3f800000, 0xffffffff), 0x3c00);
    cr_expect_eq(sim_f16_from_f32_sr(0x3f801fff, 0x00080000), 0x3c01);
}

static double half(uint32_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    double v = e ? ldexp(1 + m / 1024.0, e - 15) : ldexp(m, -24);
    return h & 0x8000 ? -v : v;
}

Test(float, f16_every_code_tie_and_direction)
{
    for (uint32_t h = 0; h < 0x10000; h++) {
        uint32_t wide = sim_f32_from_f16(h);
        if ((h & 0x7c00) == 0x7c00) {
            uint32_t want =
                (h & 0x8000) << 16 | 0x7f800000 | (h & 0x3ff) << 13 | (h & 0x3ff ? 0x400000 : 0);
            cr_assert_eq(wide, want, "%04x", h);
            cr_assert_eq(sim_f16_from_f32(wide), h | (h & 0x3ff ? 0x200 : 0), "%04x back", h);
            continue;
        }
        cr_assert_eq(wide, sim_f32_bits((float)half(h)), "%04x", h);
        if (h >= 0x7bff)
            continue;
        cr_assert_eq(sim_f16_from_f32(wide), h);
        /* h and its upper neighbour: the tie and its own neighbours */
        float lo = (float)half(h), hi = (float)half(h + 1),
              mid = (float)((half(h) + half(h + 1)) / 2);
        uint32_t m = sim_f32_bits(mid), even = h & 1 ? h + 1 : h;
        cr_assert_eq(sim_f16_from_f32(m), even, "tie above %04x", h);
        cr_assert_eq(sim_f16_from_f32(m - 1), h);
        cr_assert_eq(sim_f16_from_f32(m + 1), h + 1);
        cr_assert_eq(sim_f16_from_f32_rtz(m + 1), h);
        cr_assert_eq(sim_f16_from_f32_rtz(sim_f32_bits(hi) - 1), h);
        cr_assert_eq(sim_f16_from_f32_mode(sim_f32_bits(lo) + 1, SIM_RUP, 0, false), h + 1);
        cr_assert_eq(sim_f16_from_f32_mode(sim_f32_bits(hi) - 1, SIM_RDOWN, 0, false), h);
        cr_assert_eq(
            sim_f16_from_f32_mode((sim_f32_bits(hi) - 1) | 0x80000000, SIM_RDOWN, 0, false),
            (h + 1) | 0x8000);
        double d = (half(h) + half(h + 1)) / 2, tiny = ldexp(d, -45);
        cr_assert_eq(sim_f16_from_f64(sim_f64_bits(d)), even);
        cr_assert_eq(sim_f16_from_f64(sim_f64_bits(d + tiny)), h + 1,
                     "just above the tie above %04x", h);
        cr_assert_eq(sim_f16_from_f64(sim_f64_bits(d - tiny)), h);
    }
    uint32_t tie = sim_f32_bits(65520);
    cr_expect_eq(sim_f16_from_f32(tie), 0x7c00);
    cr_expect_eq(sim_f16_from_f32(tie - 1), 0x7bff);
    cr_expect_eq(sim_f16_from_f32(tie | 0x80000000), 0xfc00);
    cr_expect_eq(sim_f16_from_f32_rtz(0x7f7fffff), 0x7bff);
    cr_expect_eq(sim_f16_from_f32_mode(0x7f7fffff, SIM_RNE, 0, true), 0x7bff, "fp16_ovfl");
    cr_expect_eq(sim_f16_from_f32_mode(0x7f800000, SIM_RNE, 0, true), 0x7c00,
                 "fp16_ovfl keeps infinity");
    cr_expect_eq(sim_f16_from_f32(1), 0);
    cr_expect_eq(sim_f16_from_f32(0x80000001), 0x8000);
    cr_expect_eq(sim_f16_from_f64(sim_f64_bits(1e300)), 0x7c00);
    cr_expect_eq(sim_f16_from_f64(sim_f64_bits(-1e-300)), 0x8000);
}

Test(float, bf16_ties_nan_and_denormals)
{
    for (uint32_t b = 0; b < 0x7f7f; b += 3) {
        uint32_t tie = b << 16 | 0x8000, even = b & 1 ? b + 1 : b;
        cr_assert_eq(sim_f32_from_bf16(b), b << 16);
        cr_assert_eq(sim_bf16_from_f32(tie), even);
        cr_assert_eq(sim_bf16_from_f32(tie - 1), b);
        cr_assert_eq(sim_bf16_from_f32(tie + 1), b + 1);
        cr_assert_eq(sim_bf16_from_f32((tie + 1) | 0x80000000), (b + 1) | 0x8000);
    }
    cr_expect_eq(sim_bf16_from_f32(0x7f7fffff), 0x7f80);
    cr_expect_eq(sim_bf16_from_f32(0x7f800001), 0x7fc0, "a NaN of low bits stays one");
    cr_expect_eq(sim_bf16_from_f32(0xffa00000), 0xffe0);
    cr_expect_eq(sim_f32_from_bf16(0x7f81), 0x7fc10000u, "quieted");
}

Test(float, nan_rule)
{
    uint32_t s = 0x7f800123, q = 0xffc00456, none = 0x3f800000;
    cr_expect_eq(sim_f32_nan(0xffc00000, none, none, none), 0x7fc00000);
    cr_expect_eq(sim_f32_nan(0x7fc00000, none, s, q), 0x7fc00123);
    cr_expect_eq(sim_f32_nan(0x7fc00000, q, s, none), q);
    cr_expect_eq(sim_f32_nan(none, s, s, s), none, "no NaN, no rule");
    cr_expect_eq(sim_f16_nan(0xfe00, 0x3c00, 0x7c01, 0), 0x7e01);
    cr_expect_eq(sim_f16_nan(0xfe00, 0, 0, 0), 0x7e00);
    cr_expect_eq(sim_bf16_nan(0xffc0, 0x7f81, 0, 0), 0x7fc1);
    cr_expect_eq(sim_f64_nan(0xfff8000000000000, 1, 2, 0x7ff0000000000001), 0x7ff8000000000001);
}

/* ---- transcendentals ---- */

static long double ref(int fn, long double x)
{
    long double turn = 2 * 3.14159265358979323846264338327950288L, r = x - rintl(x);
    switch (fn) {
    case 0: return exp2l(x);
    case 1: return log2l(x);
    case 2: return 1 / x;
    case 3: return 1 / sqrtl(x);
    case 4: return sqrtl(x);
    case 5: return r * 2 == rintl(r * 2) ? 0 : sinl(turn * r);
    case 6: return r * 4 == rintl(r * 4) && r * 2 != rintl(r * 2) ? 0 : cosl(turn * r);
    default: return tanhl(x);
    }
}
static uint32_t fn_f32(int fn, uint32_t x, int ulp)
{
    switch (fn) {
    case 0: return sim_exp_f32(x, ulp);
    case 1: return sim_log_f32(x, ulp);
    case 2: return sim_rcp_f32(x, ulp);
    case 3: return sim_rsq_f32(x, ulp);
    case 4: return sim_sqrt_f32(x, ulp);
    case 5: return sim_sin_f32(x, ulp);
    case 6: return sim_cos_f32(x, ulp);
    default: return sim_tanh_f32(x, ulp);
    }
}
static uint32_t fn_16(int fn, uint32_t h, bool bf)
{
    switch (fn) {
    case 0: return bf ? sim_exp_bf16(h, 0) : sim_exp_f16(h, 0);
    case 1: return bf ? sim_log_bf16(h, 0) : sim_log_f16(h, 0);
    case 2: return bf ? sim_rcp_bf16(h, 0) : sim_rcp_f16(h, 0);
    case 3: return bf ? sim_rsq_bf16(h, 0) : sim_rsq_f16(h, 0);
    case 4: return bf ? sim_sqrt_bf16(h, 0) : sim_sqrt_f16(h, 0);
    case 5: return bf ? sim_sin_bf16(h, 0) : sim_sin_f16(h, 0);
    case 6: return bf ? sim_cos_bf16(h, 0) : sim_cos_f16(h, 0);
    default: return bf ? sim_tanh_bf16(h, 0) : sim_tanh_f16(h, 0);
    }
}

Test(trans, f32_is_correctly_rounded)
{
    static const char *const fn_name[] = {"exp", "log", "rcp", "rsq", "sqrt", "sin", "cos", "tanh"};
    for (int fn = 0; fn < 8; fn++)
        for (int i = 0; i < 300000; i++) {
            uint32_t x = rnd();
            if (i & 1) /* where exp and tanh are interesting */
                x = (x & 0x807fffff) | (uint32_t)(107 + rnd() % 28) << 23;
            if (i & 2)
                x &= 0xffff0000;
            if ((x & 0x7f800000) == 0x7f800000 || !(x & 0x7f800000))
                continue;
            float want = (float)ref(fn, sim_f32(x));
            uint32_t got = fn_f32(fn, x, 0), w = sim_f32_bits(want);
            if (fn < 5)
                w = sim_f32_flush(w);
            if (want == 0)
                cr_assert_eq(got & 0x7fffffff, 0, "%s(%08x) = %08x", fn_name[fn], x, got);
            else
                cr_assert(got == w || (isnan(want) && got == 0x7fc00000),
                          "%s(%08x) = %08x, want %08x", fn_name[fn], x, got, w);
        }
}

Test(trans, f16_every_code)
{
    for (int fn = 0; fn < 8; fn++)
        for (uint32_t h = 0; h < 0x10000; h++) {
            if ((h & 0x7c00) == 0x7c00)
                continue;
            long double r = ref(fn, half(h));
            uint32_t got = fn_16(fn, h, false);
            if (isnan(r)) {
                cr_assert_eq(got, 0x7e00, "%d(%04x)", fn, h);
                continue;
            }
            /* one of the two nearest, and the nearer */
            long double v = half(got & 0x7fff) * (got & 0x8000 ? -1 : 1), err = fabsl(v - r);
            if (fabsl(r) >= 65520) {
                cr_assert_eq(got & 0x7fff, 0x7c00, "%d(%04x)", fn, h);
                continue;
            }
            long double up = fabsl(half((got & 0x7fff) + 1) - half(got & 0x7fff)) / 2;
            cr_assert(err <= up, "%d(%04x) = %04x, want %Lg", fn, h, got, r);
        }
}

Test(trans, bf16_within_half_a_place)
{
    for (int fn = 0; fn < 8; fn++)
        for (uint32_t h = 0; h < 0x10000; h += 7) {
            if ((h & 0x7f80) == 0x7f80)
                continue;
            long double r = ref(fn, sim_f32(h << 16));
            uint32_t got = fn_16(fn, h, true);
            if (isnan(r) || fabsl(r) >= 0x1p128L || (got & 0x7f80) == 0x7f80) {
                cr_assert((got & 0x7f80) == 0x7f80, "%d(%04x) = %04x", fn, h, got);
                continue;
            }
            long double v = sim_f32(got << 16), next = sim_f32((got + 1) << 16);
            cr_assert(fabsl(v - r) <= fabsl(next - v) / 2 * 1.0000001L, "%d(%04x) = %04x, want %Lg",
                      fn, h, got, r);
        }
}

Test(trans, specials)
{
    const uint32_t inf = 0x7f800000, ninf = 0xff800000, nan = 0x7fc00000, one = 0x3f800000,
                   m0 = 0x80000000;
    cr_expect_eq(sim_exp_f32(0, 0), one);
    cr_expect_eq(sim_exp_f32(inf, 0), inf);
    cr_expect_eq(sim_exp_f32(ninf, 0), 0);
    cr_expect_eq(sim_exp_f32(sim_f32_bits(-126), 0), 0x00800000);
    cr_expect_eq(sim_exp_f32(sim_f32_bits(-126.5f), 0), 0, "a denormal result is flushed");
    cr_expect_eq(sim_exp_f32(sim_f32_bits(128), 0), inf);
    cr_expect_eq(sim_exp_f32(0x7f800001, 0), 0x7fc00001, "quieted");
    cr_expect_eq(sim_log_f32(0, 0), ninf);
    cr_expect_eq(sim_log_f32(m0, 0), ninf);
    cr_expect_eq(sim_log_f32(1, 0), ninf, "a denormal counts as zero");
    cr_expect_eq(sim_log_f32(0xbf800000, 0), nan);
    cr_expect_eq(sim_log_f32(inf, 0), inf);
    cr_expect_eq(sim_log_f32(ninf, 0), nan);
    cr_expect_eq(sim_log_f32(one, 0), 0);
    cr_expect_eq(sim_rcp_f32(m0, 0), ninf);
    cr_expect_eq(sim_rcp_f32(ninf, 0), m0);
    cr_expect_eq(sim_rcp_f32(0x00000001, 0), inf);
    cr_expect_eq(sim_rcp_f32(0x7f000000, 0), 0, "a denormal result is flushed");
    cr_expect_eq(sim_rsq_f32(0, 0), inf);
    cr_expect_eq(sim_rsq_f32(m0, 0), ninf);
    cr_expect_eq(sim_rsq_f32(0xbf800000, 0), nan);
    cr_expect_eq(sim_rsq_f32(inf, 0), 0);
    cr_expect_eq(sim_sqrt_f32(m0, 0), m0);
    cr_expect_eq(sim_sqrt_f32(0xbf800000, 0), nan);
    cr_expect_eq(sim_sqrt_f32(inf, 0), inf);
    cr_expect_eq(sim_sin_f32(inf, 0), nan);
    cr_expect_eq(sim_cos_f32(ninf, 0), nan);
    cr_expect_eq(sim_cos_f32(0, 0), one);
    cr_expect_eq(sim_sin_f32(sim_f32_bits(0.25f), 0), one);
    cr_expect_eq(sim_sin_f32(sim_f32_bits(1000.75f), 0), 0xbf800000);
    cr_expect_eq(sim_tanh_f32(inf, 0), one);
    cr_expect_eq(sim_tanh_f32(ninf, 0), 0xbf800000);
    cr_expect_eq(sim_tanh_f32(m0, 0), m0);
    cr_expect_eq(sim_rcp_f16(0x0001, 0), 0x7c00);
    cr_expect_eq(sim_rcp_f16(0x0200, 0), 0x7800, "f16 denormals are kept");
    cr_expect_eq(sim_sqrt_f16(0xbc00, 0), 0x7e00);
}

Test(trans, ulp_mode_moves_results_by_one)
{
    cr_expect_eq(sim_exp_f32(sim_f32_bits(0.5f), 1), sim_exp_f32(sim_f32_bits(0.5f), 0) + 1);
    cr_expect_eq(sim_rcp_f32(sim_f32_bits(-3), -1), sim_rcp_f32(sim_f32_bits(-3), 0) - 1);
    cr_expect_eq(sim_rcp_f32(0, 1), 0x7f800000);
    cr_expect_eq(sim_log_f32(0x3f800000, 1), 0);
    cr_expect_eq(sim_exp_f32(sim_f32_bits(-126), -1), 0x00800000, "not into the denormals");
    cr_expect_eq(sim_sqrt_f16(0x4000, 1), sim_sqrt_f16(0x4000, 0) + 1);
}

/* ---- levels ---- */

int float_rows_v2(int fn, const uint32_t *a, const uint32_t *b, uint32_t *d);
int float_rows_v3(int fn, const uint32_t *a, const uint32_t *b, uint32_t *d);
int float_rows_v4(int fn, const uint32_t *a, const uint32_t *b, uint32_t *d);

Test(levels, give_the_same_bits)
{
    int level[3], count = levels(level);
    static uint32_t a[64], b[64], want[64], got[64];
    for (int round = 0; round < 3000; round++) {
        for (int i = 0; i < 64; i++) {
            a[i] = rnd();
            b[i] = rnd();
            if (round & 1)
                a[i] = (a[i] & 0x807fffff) | (uint32_t)(100 + rnd() % 50) << 23;
            if (rnd() % 50 == 0)
                a[i] = (a[i] & 0x80000000) | (rnd() & 1 ? 0x7f800000 | rnd() % 3 : rnd() % 3);
        }
        int fn = round % 75;
        if (!float_rows_v2(fn, a, b, want))
            continue;
#ifdef __x86_64__
        for (int v = 1; v < count; v++) {
            (level[v] == 4 ? float_rows_v4 : float_rows_v3)(fn, a, b, got);
            for (int i = 0; i < 64; i++)
                cr_assert_eq(got[i], want[i], "function %d level %d (%08x, %08x): %08x, %08x", fn,
                             level[v], a[i], b[i], got[i], want[i]);
        }
#endif
    }
}
