/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of matrix instructions where no device model is known: random operands, specials among
 * them, against a plain chain of fmaf in rising k (FLYSIM_MFMA=fma) and against the exact sum in a
 * wide integer, rounded once (exact). Scales of the f8f6f4 forms, sign and magnitude modifiers of
 * WMMA, integer wrap and clamp, constants as C.
 */
#include "matrix.h"

#include "layout.h"

#include <math.h>

static uint32_t state = 7;
static uint32_t rnd(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

static float f32_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

struct format { int exp, man, bias; bool inf, fnuz, nan; };

static struct format format_of(int type, int isa)
{
    bool z = isa == SIM_MX_GFX942;
    switch (type) {
    case SIM_MT_F16: return (struct format){5, 10, 15, true, false, true};
    case SIM_MT_BF16: return (struct format){8, 7, 127, true, false, true};
    case SIM_MT_FP8: return (struct format){4, 3, z ? 8 : 7, false, z, true};
    case SIM_MT_BF8: return (struct format){5, 2, z ? 16 : 15, !z, z, true};
    case SIM_MT_FP6: return (struct format){2, 3, 1, false, false, false};
    case SIM_MT_BF6: return (struct format){3, 2, 3, false, false, false};
    case SIM_MT_FP4: return (struct format){2, 1, 1, false, false, false};
    default: return (struct format){8, 23, 127, true, false, true};
    }
}

static int bits_of_type(int type)
{
    if (type == SIM_MT_F32 || type == SIM_MT_XF32 || type == SIM_MT_I32)
        return 32;
    if (type == SIM_MT_I8 || type == SIM_MT_IU8)
        return 8;
    if (type == SIM_MT_IU4)
        return 4;
    struct format f = format_of(type, 0);
    return 1 + f.exp + f.man;
}

static double value_of(int type, int isa, uint32_t code)
{
    if (type == SIM_MT_XF32)
        return (double)f32_of(code & 0xffffe000);
    struct format f = format_of(type, isa);
    uint32_t all = (1u << (f.exp + f.man)) - 1, mag = code & all;
    int exp = (int)(mag >> f.man), man = (int)(mag & ((1u << f.man) - 1));
    bool neg = code >> (f.exp + f.man) & 1;
    if (f.fnuz && neg && !mag)
        return (double)NAN;
    if (f.inf && exp == (1 << f.exp) - 1)
        return man ? (double)NAN : neg ? -(double)INFINITY : (double)INFINITY;
    if (f.nan && !f.inf && !f.fnuz && mag == all)
        return (double)NAN;
    double v = exp ? ldexp(1 + ldexp(man, -f.man), exp - f.bias) : ldexp(man, 1 - f.bias - f.man);
    return neg ? -v : v;
}

static uint32_t encode16(int type, float x)
{
    uint32_t best = 0;
    double err = INFINITY;
    for (uint32_t c = 0; c < 0x8000; c++) {
        double v = value_of(type, 0, c), e = fabs(v - fabs((double)x));
        if (v < INFINITY && (e < err || (e == err && !(c & 1)))) {
            err = e;
            best = c;
        }
    }
    return best | (signbit(x) ? 0x8000 : 0);
}

enum { MODERATE, WIDE, ANY };

/* A code of a type; MODERATE keeps exponents close, ANY has specials. */
static uint32_t code_of(int type, int isa, int how)
{
    int bits = bits_of_type(type);
    uint32_t c = rnd() & (bits == 32 ? ~0u : (1u << bits) - 1);
    if (bits <= 8)
        return how != ANY && isnan(value_of(type, isa, c))   ? 1
               : how != ANY && isinf(value_of(type, isa, c)) ? 2
                                                             : c;
    struct format f = format_of(type, isa);
    uint32_t e = (uint32_t)f.bias - 3 + rnd() % 6, range = type == SIM_MT_F16 ? 25 : 60;
    if (how == WIDE || (how == ANY && rnd() % 40))
        e = (uint32_t)f.bias - range / 2 + rnd() % range;
    else if (how == ANY)
        e = rnd() & 1 ? (1u << f.exp) - 1 : 0;
    return (c & ~(((1u << f.exp) - 1) << f.man)) | e << f.man;
}

static const struct map *map_for(const struct sim_matrix_form *f, const char *matrix, int type)
{
    int wave = f->isa <= SIM_MX_GFX950 ? 64 : 32;
    char name[8];
    snprintf(name, sizeof name, "%s%.0d", matrix, type < 0 ? 0 : bits_of_type(type));
    const struct map *m = find(isa_name[f->isa], f->token, wave, type < 0 ? matrix : name);
    return m || f->isa != SIM_MX_GFX950 ? m : find("gfx942", f->token, wave, matrix);
}

static uint32_t ra[WORDS], rb[WORDS], rc[WORDS], rd[WORDS], ri[WORDS];
static double A[32][128], B[128][32];
static uint32_t C[32][32];

/* Fills the operands of a single-block form; kmap[m][j] tells the k of sparse element j. */
static void fill(const struct sim_matrix_form *f, int ta, int tb, int how)
{
    int wave = f->isa <= SIM_MX_GFX950 ? 64 : 32, lane, elem;
    bool f8 = f->a == SIM_MT_F8F6F4, dup = f->isa == SIM_MX_GFX11;
    const struct map *ma = map_for(f, "A", f8 ? ta : -1), *mb = map_for(f, "B", f8 ? tb : -1),
                     *md = map_for(f, "D", -1);
    memset(ri, 0, sizeof ri);
    for (int m = 0; m < f->m; m++)
        for (int k = 0; k < f->k; k++) {
            uint32_t c = code_of(ta, f->isa, how);
            if (!f->sparse) {
                locate(ma, 0, m, k, &lane, &elem);
                for (int l = lane; l < (dup ? wave : lane + 1); l += 16)
                    put(ra, wave, bits_of_type(ta), l, elem, c);
            }
            A[m][k] = f->sparse ? 0 : value_of(ta, f->isa, c);
        }
    for (int k = 0; k < f->k; k++)
        for (int n = 0; n < f->n; n++) {
            uint32_t c = code_of(tb, f->isa, how);
            locate(mb, 0, k, n, &lane, &elem);
            for (int l = lane; l < (dup ? wave : lane + 1); l += 16)
                put(rb, wave, bits_of_type(tb), l, elem, c);
            B[k][n] = value_of(tb, f->isa, c);
        }
    for (int m = 0; m < f->m; m++)
        for (int n = 0; n < f->n; n++) {
            C[m][n] = code_of(f->c, f->isa, how);
            locate(md, 0, m, n, &lane, &elem);
            put(rc, wave, bits_of_type(f->c), lane, elem, C[m][n]);
        }
}

static void run(const struct sim_matrix_form *f, struct sim_matrix_args *x, int level)
{
    x->a = ra;
    x->b = rb;
    x->d = rd;
    x->index = ri;
    x->wave = f->isa <= SIM_MX_GFX950 ? 64 : 32;
    memset(rd, 0xa5, sizeof rd);
    sim_matrix_level(level)(f, x);
}

static uint32_t result(const struct sim_matrix_form *f, int m, int n)
{
    int lane, elem;
    locate(map_for(f, "D", -1), 0, m, n, &lane, &elem);
    return (uint32_t)get(rd, f->isa <= SIM_MX_GFX950 ? 64 : 32, bits_of_type(f->d), lane, elem);
}

static bool plain_form(const struct sim_matrix_form *f)
{
    return f->cycles && f->blocks == 1 && !f->sparse && f->a != SIM_MT_F64 && f->d != SIM_MT_I32
        && map_for(f, "D", -1);
}

static void same(const struct sim_matrix_form *f, uint32_t got, float want, const char *what, int m,
                 int n)
{
    uint32_t w = bits_of(want), nan = 0x7fc00000;
    if (f->d != SIM_MT_F32) {
        w = isnan(want) ? nan : encode16(f->d, want);
        /* beyond the largest number */
        double top = f->d == SIM_MT_F16 ? 65520 : 0x1.ffp127;
        if (fabs((double)want) >= top)
            w = (f->d == SIM_MT_F16 ? 0x7c00 : 0x7f80) | (signbit(want) ? 0x8000 : 0);
        nan = f->d == SIM_MT_F16 ? 0x7e00 : 0x7fc0;
    }
    cr_assert_eq(got, isnan(want) ? nan : w, "%s %s %s D[%d][%d]: %08x, want %08x",
                 isa_name[f->isa], f->token, what, m, n, got, isnan(want) ? nan : w);
}

static void check_chain(const struct sim_matrix_form *f, int ta, int tb, int level)
{
    for (int how = MODERATE; how <= ANY; how++) {
        fill(f, ta, tb, how);
        struct sim_matrix_args x = {.c = rc};
        if (f->a == SIM_MT_F8F6F4) {
            x.cbsz = x.a_fmt = (uint8_t)(ta - SIM_MT_FP8);
            x.blgp = x.b_fmt = (uint8_t)(tb - SIM_MT_FP8);
        }
        sim_mfma_mode = SIM_MFMA_FMA;
        run(f, &x, level);
        int step = f->d == SIM_MT_F32 ? 1 : 5; /* the search for 16-bit codes is slow */
        for (int m = 0; m < f->m; m += step)
            for (int n = 0; n < f->n; n += step) {
                float s = (float)value_of(f->c, f->isa, C[m][n]);
                for (int k = 0; k < f->k; k++)
                    s = fmaf((float)A[m][k], (float)B[k][n], s);
                same(f, result(f, m, n), s, "fma", m, n);
            }
    }
}

Test(matrix_math, fma_chain_in_rising_k)
{
    load();
    int level[3], count = levels(level), forms = 0;
    for (size_t i = 0; i < sim_matrix_form_count; i++) {
        const struct sim_matrix_form *f = &sim_matrix_forms[i];
        if (!plain_form(f))
            continue;
        forms++;
        if (f->a != SIM_MT_F8F6F4) {
            for (int v = 0; v < count; v++)
                check_chain(f, f->a, f->b, level[v]);
            continue;
        }
        for (int p = 0; p < 25; p++)
            check_chain(f, SIM_MT_FP8 + p / 5, SIM_MT_FP8 + p % 5, level[p % count]);
    }
    cr_expect(forms > 70, "%d", forms);
}

/* ---- exact ---- */

typedef __int128 i128;

/* sum * 2^-48 as the nearest f32, ties to even. */
static float nearest(i128 sum)
{
    bool neg = sum < 0;
    unsigned __int128 a = neg ? -(unsigned __int128)sum : (unsigned __int128)sum, keep = a;
    int cut = 0;
    while (keep >> 24) {
        keep >>= 1;
        cut++;
    }
    unsigned __int128 rest = a - (keep << cut), half = cut ? (unsigned __int128)1 << (cut - 1) : 1;
    if (cut && (rest > half || (rest == half && (keep & 1))))
        keep++;
    float r = ldexpf((float)(uint32_t)keep, cut - 48);
    return neg ? -r : r;
}

static i128 fixed(double x) /* x * 2^48; |x| < 2^70 and a multiple of 2^-48 */
{
    int e;
    double m = frexp(x, &e);
    i128 v = (i128)(int64_t)ldexp(m, 53);
    int shift = e - 53 + 48;
    return shift >= 0 ? v * ((i128)1 << shift) : v / ((i128)1 << -shift);
}

Test(matrix_math, exact_sum_rounds_once)
{
    static const struct { const char *token; int isa;
    } forms[] = {
        {"v_mfma_f32_16x16x16_f16", SIM_MX_GFX942},
        {"v_mfma_f32_32x32x8_f16", SIM_MX_GFX942},
        {"v_mfma_f32_16x16x32_f16", SIM_MX_GFX950},
        {"v_mfma_f32_16x16x32_fp8_bf8", SIM_MX_GFX942},
        {"v_mfma_f32_16x16x32_bf8_bf8", SIM_MX_GFX950},
        {"v_mfma_f32_32x32x16_fp8_fp8", SIM_MX_GFX950},
        {"v_wmma_f32_16x16x16_f16", SIM_MX_GFX11},
        {"v_wmma_f32_16x16x16_f16", SIM_MX_GFX12},
    };
    load();
    int level[3], count = levels(level);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int round = 0; round < 6; round++) {
            const struct sim_matrix_form *f = sim_matrix_find(forms[i].token, forms[i].isa);
            fill(f, f->a, f->b, round % 2 ? WIDE : MODERATE);
            for (int m = 0; m < f->m; m++) /* C a multiple of 2^-48 */
                for (int n = 0; n < f->n; n++) {
                    int lane, elem;
                    C[m][n] = (C[m][n] & 0x807fffff) |
                              (127 + (round % 2 ? rnd() % 50 - 25 : rnd() % 8 - 4)) << 23;
                    if (round == 5 && m) /* cancels a product sum but for its low bits */
                        C[m][n] = bits_of(-(float)(A[m][0] * B[0][n] + A[m][1] * B[1][n]));
                    locate(map_for(f, "D", -1), 0, m, n, &lane, &elem);
                    put(rc, f->isa <= SIM_MX_GFX950 ? 64 : 32, 32, lane, elem, C[m][n]);
                }
            sim_mfma_mode = SIM_MFMA_EXACT;
            for (int v = 0; v < count; v++) {
                struct sim_matrix_args x = {.c = rc};
                run(f, &x, level[v]);
                for (int m = 0; m < f->m; m++)
                    for (int n = 0; n < f->n; n++) {
                        i128 sum = fixed((double)f32_of(C[m][n]));
                        for (int k = 0; k < f->k; k++)
                            sum += fixed(A[m][k] * B[k][n]);
                        float want = nearest(sum);
                        uint32_t got = result(f, m, n);
                        cr_assert(got == bits_of(want) || (sum == 0 && !(got & 0x7fffffff)),
                                  "%s round %d D[%d][%d]: %08x, want %08x", f->token, round, m, n,
                                  got, bits_of(want));
                    }
            }
        }
    sim_mfma_mode = SIM_MFMA_FMA;
}

Test(matrix_math, exact_follows_ieee_on_specials)
{
    load();
    const struct sim_matrix_form *f = sim_matrix_find("v_mfma_f32_16x16x16_bf16", SIM_MX_GFX942);
    for (int round = 0; round < 20; round++) {
        fill(f, f->a, f->b, ANY);
        sim_mfma_mode = SIM_MFMA_EXACT;
        struct sim_matrix_args x = {.c = rc};
        run(f, &x, 2);
        for (int m = 0; m < 16; m++)
            for (int n = 0; n < 16; n++) {
                double sum = (double)f32_of(C[m][n]);
                for (int k = 0; k < 16; k++)
                    sum += A[m][k] * B[k][n];
                uint32_t got = result(f, m, n);
                if (isnan(sum))
                    cr_assert_eq(got, 0x7fc00000);
                else if (isinf(sum))
                    cr_assert_eq(got, sum > 0 ? 0x7f800000 : 0xff800000);
            }
    }
    sim_mfma_mode = SIM_MFMA_FMA;
}

/* ---- f64 ---- */

Test(matrix_math, f64_is_a_chain_of_fma)
{
    static const struct { const char *token; int isa; } forms[] = {
        {"v_mfma_f64_16x16x4f64", SIM_MX_GFX90A}, {"v_mfma_f64_4x4x4f64", SIM_MX_GFX90A},
        {"v_mfma_f64_16x16x4_f64", SIM_MX_GFX942}, {"v_mfma_f64_4x4x4_4b_f64", SIM_MX_GFX942},
    };
    static double a[4][16][4], b[4][4][16], c[4][16][16];
    load();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int round = 0; round < 20; round++) {
            const struct sim_matrix_form *f = sim_matrix_find(forms[i].token, forms[i].isa);
            const struct map *map[3] = {map_for(f, "A", -1), map_for(f, "B", -1),
                                        map_for(f, "D", -1)};
            for (int bk = 0; bk < f->blocks; bk++)
                for (int o = 0; o < 3; o++)
                    for (int e = 0; e < map[o]->rows * map[o]->cols; e++) {
                        int row = e / map[o]->cols, col = e % map[o]->cols, lane, elem;
                        double v = ldexp((double)(int32_t)rnd() + (double)rnd() / 4294967296.0,
                                         (int)(rnd() % 60) - 60);
                        uint64_t u;
                        if (round == 7 && rnd() % 20 == 0)
                            v = rnd() & 1 ? INFINITY : NAN;
                        memcpy(&u, &v, 8);
                        *(o == 0   ? &a[bk][row][col]
                          : o == 1 ? &b[bk][row][col]
                                   : &c[bk][row][col]) = v;
                        locate(map[o], bk, row, col, &lane, &elem);
                        put(o == 0 ? ra : o == 1 ? rb : rc, 64, 64, lane, elem, u);
                    }
            struct sim_matrix_args x = {.c = rc};
            run(f, &x, 2);
            for (int bk = 0; bk < f->blocks; bk++)
                for (int m = 0; m < f->m; m++)
                    for (int n = 0; n < f->n; n++) {
                        double s = c[bk][m][n];
                        for (int k = 0; k < 4; k++)
                            s = fma(a[bk][m][k], b[bk][k][n], s);
                        uint64_t u;
                        memcpy(&u, &s, 8);
                        int lane, elem;
                        locate(map[2], bk, m, n, &lane, &elem);
                        cr_assert_eq(get(rd, 64, 64, lane, elem), isnan(s) ? 0x7ff8000000000000 : u,
                                     "%s D[%d][%d]", f->token, m, n);
                    }
        }
}

/* ---- scales ---- */

/* Every pair of formats, a scale per row (column) and 32 k, from the byte that the selector names.
 */
Test(matrix_math, scales_of_f8f6f4)
{
    static const struct { const char *token; int isa;
    } forms[] = {
        {"v_mfma_scale_f32_16x16x128_f8f6f4", SIM_MX_GFX950},
        {"v_mfma_scale_f32_32x32x64_f8f6f4", SIM_MX_GFX950},
        {"v_wmma_scale_f32_16x16x128_f8f6f4", SIM_MX_GFX1250},
        {"v_wmma_scale16_f32_16x16x128_f8f6f4", SIM_MX_GFX1250},
    };
    static uint32_t sa[128], sb[128];
    load();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int p = 0; p < 25 * 3; p++) {
            const struct sim_matrix_form *f = sim_matrix_find(forms[i].token, forms[i].isa);
            bool cdna = f->isa == SIM_MX_GFX950, s16 = i == 3;
            int ta = SIM_MT_FP8 + p % 25 / 5, tb = SIM_MT_FP8 + p % 5, per = s16 ? 16 : 32,
                spread = p < 25   ? 8
                         : p < 50 ? 40
                                  : 250;
            fill(f, ta, tb, MODERATE);
            for (int l = 0; l < 128; l++) {
                sa[l] = sb[l] = 0;
                for (int b = 0; b < 4; b++) {
                    sa[l] |= (127u - (uint32_t)spread / 2 + rnd() % (uint32_t)spread) << 8 * b;
                    sb[l] |= (127u - (uint32_t)spread / 2 + rnd() % (uint32_t)spread) << 8 * b;
                }
            }
            if (p == 7)
                sa[5] = 0xffffffff; /* NaN */
            struct sim_matrix_args x = {.c = rc, .a_scale = sa, .b_scale = sb, .scale16 = s16};
            x.a_scale_sel = (uint8_t)(rnd() % (cdna ? 4 : 2));
            x.b_scale_sel = (uint8_t)(rnd() % (cdna ? 4 : 2));
            x.cbsz = x.a_fmt = (uint8_t)(ta - SIM_MT_FP8);
            x.blgp = x.b_fmt = (uint8_t)(tb - SIM_MT_FP8);
            run(f, &x, 2 + p % 2 * 0);
            for (int m = 0; m < f->m; m++)
                for (int n = 0; n < f->n; n++) {
                    double s = (double)f32_of(C[m][n]);
                    for (int k = 0; k < f->k; k++) {
                        int blk = k / per;
                        uint32_t ea, eb;
                        if (cdna) {
                            ea = sa[blk * f->m + m] >> 8 * x.a_scale_sel & 255;
                            eb = sb[blk * f->n + n] >> 8 * x.b_scale_sel & 255;
                        } else {
                            ea = sa[blk / 4 * 32 + m + 16 * x.a_scale_sel] >> blk % 4 * 8 & 255;
                            eb = sb[blk / 4 * 32 + n + 16 * x.b_scale_sel] >> blk % 4 * 8 & 255;
                        }
                        double v = ldexp(A[m][k] * B[k][n], (int)ea + (int)eb - 254);
                        if (ea == 255 || eb == 255)
                            v = (double)NAN;
                        /* One rounding: the sum of an f32 and v is exact in 113 bits of __float128.
                         */
                        s = (double)(float)((__float128)s + (__float128)v);
                    }
                    same(f, result(f, m, n), (float)s, "scaled", m, n);
                }
        }
}

/* gfx1250: scales may be E5M3 or E4M3; the 32x16 form has a scale lane for each of its 32 rows of
 * A. */
Test(matrix_math, scale_formats_of_gfx1250)
{
    static uint32_t sa[64], sb[64];
    load();
    for (int round = 0; round < 12; round++) {
        bool f4 = round & 1;
        const struct sim_matrix_form *f = sim_matrix_find(f4 ? "v_wmma_scale_f32_32x16x128_f4"
                                                             : "v_wmma_scale_f32_16x16x128_f8f6f4",
                                                          SIM_MX_GFX1250);
        fill(f, SIM_MT_FP4, SIM_MT_FP4, MODERATE);
        struct sim_matrix_args x = {.c = rc, .a_scale = sa, .b_scale = sb, .a_fmt = 4, .b_fmt = 4};
        x.a_scale_fmt = (uint8_t)(round / 2 % 3);
        x.b_scale_fmt = (uint8_t)(round / 4 % 3);
        x.a_scale_sel = f4 ? 0 : 1;
        x.b_scale_sel = 1;
        for (int i = 0; i < 64; i++) {
            sa[i] = (rnd() & 0x07070707) + (x.a_scale_fmt ? 0x38383838 : 0x7c7c7c7c);
            sb[i] = (rnd() & 0x07070707) + (x.b_scale_fmt ? 0x38383838 : 0x7c7c7c7c);
        }
        run(f, &x, 2);
        for (int m = 0; m < f->m; m++)
            for (int n = 0; n < f->n; n++) {
                float s = f32_of(C[m][n]);
                for (int k = 0; k < f->k; k++) {
                    double v[2];
                    for (int o = 0; o < 2; o++) {
                        uint32_t w = o ? sb[n + 16] : sa[f4 ? m : m + 16],
                                 c = w >> k / 32 * 8 & 255;
                        int fmt = o ? x.b_scale_fmt : x.a_scale_fmt;
                        v[o] = fmt == 0   ? ldexp(1, (int)c - 127)
                               : fmt == 1 ? ldexp(8 + (c & 7), (int)(c >> 3) - 15 - 3)
                                          : ldexp(8 + (c & 7), (int)(c >> 3 & 15) - 7 - 3);
                    }
                    s = fmaf((float)(A[m][k] * v[0]), (float)(B[k][n] * v[1]), s);
                }
                same(f, result(f, m, n), s, "scaled", m, n);
            }
    }
}

/* ---- modifiers ---- */

Test(matrix_math, wmma_sign_and_magnitude)
{
    static const struct { const char *token; int isa; } forms[] = {
        {"v_wmma_f32_16x16x16_f16", SIM_MX_GFX11}, {"v_wmma_f32_16x16x16_bf16", SIM_MX_GFX12},
        {"v_wmma_f32_16x16x16_fp8_bf8", SIM_MX_GFX12}, {"v_wmma_f32_16x16x4_f32", SIM_MX_GFX1250},
        {"v_wmma_f32_16x16x32_f16", SIM_MX_GFX1250},
    };
    load();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int mods = 0; mods < 64; mods++) {
            const struct sim_matrix_form *f = sim_matrix_find(forms[i].token, forms[i].isa);
            fill(f, f->a, f->b, MODERATE);
            bool pairs = bits_of_type(f->a) == 16, any = pairs || f->a == SIM_MT_F32;
            struct sim_matrix_args x = {
                .c = rc, .neg_lo = (uint8_t)(mods & 7), .neg_hi = (uint8_t)(mods >> 3)};
            if (!any && (mods & 033)) /* the 8-bit forms have no neg of A and B */
                continue;
            if (!pairs && (x.neg_hi & 3))
                continue;
            run(f, &x, 2);
            for (int m = 0; m < 16; m++)
                for (int n = 0; n < 16; n++) {
                    float s = f32_of(C[m][n]);
                    s = x.neg_hi & 4 ? fabsf(s) : s;
                    s = x.neg_lo & 4 ? -s : s;
                    for (int k = 0; k < f->k; k++) {
                        /* 16 bits: neg_lo for even k (low halves), neg_hi for odd k */
                        uint8_t neg = pairs && (k & 1) ? x.neg_hi : x.neg_lo;
                        float a = (float)(neg & 1 ? -A[m][k] : A[m][k]),
                              b = (float)(neg & 2 ? -B[k][n] : B[k][n]);
                        s = fmaf(a, b, s);
                    }
                    same(f, result(f, m, n), s, "modified", m, n);
                }
        }
}

Test(matrix_math, constants_as_c)
{
    load();
    for (size_t i = 0; i < sim_matrix_form_count; i++) {
        const struct sim_matrix_form *f = &sim_matrix_forms[i];
        if (!plain_form(f) || f->a == SIM_MT_F8F6F4)
            continue;
        fill(f, f->a, f->b, MODERATE);
        struct sim_matrix_args x = {.c_const = f->c == SIM_MT_F32   ? 0x40800000
                                               : f->c == SIM_MT_F16 ? 0x44004400
                                                                    : 0x40804080};
        run(f, &x, 2);
        float s = 4;
        for (int k = 0; k < f->k; k++)
            s = fmaf((float)A[3][k], (float)B[k][5], s);
        same(f, result(f, 3, 5), s, "constant", 3, 5);
    }
}

Test(matrix_math, integers_wrap_or_clamp)
{
    static const struct { const char *token; int isa; } forms[] = {
        {"v_mfma_i32_16x16x32_i8", SIM_MX_GFX942}, {"v_wmma_i32_16x16x16_iu8", SIM_MX_GFX11},
        {"v_wmma_i32_16x16x16_iu4", SIM_MX_GFX12}, {"v_wmma_i32_16x16x64_iu8", SIM_MX_GFX1250},
    };
    load();
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        for (int mods = 0; mods < 8; mods++) {
            const struct sim_matrix_form *f = sim_matrix_find(forms[i].token, forms[i].isa);
            bool mai = f->isa <= SIM_MX_GFX950;
            if (mai && mods & 3)
                continue;
            int wave = mai ? 64 : 32, bits = bits_of_type(f->a), lane, elem;
            bool dup = f->isa == SIM_MX_GFX11, sa = mai || (mods & 1), sb = mai || (mods & 2);
            static int a[16][64], b[64][16];
            for (int e = 0; e < 2 * 16 * f->k; e++) {
                int m = e / 2 / f->k, k = e / 2 % f->k;
                uint32_t code = rnd() & ((1u << bits) - 1);
                if (rnd() % 4 == 0)
                    code = rnd() & 1 ? (1u << bits) - 1 : 1u << (bits - 1);
                bool sgn = e & 1 ? sb : sa;
                int v = sgn && code >> (bits - 1) ? (int)code - (1 << bits) : (int)code;
                if (e & 1)
                    b[k][m] = v;
                else
                    a[m][k] = v;
                const struct map *map = map_for(f, e & 1 ? "B" : "A", -1);
                locate(map, 0, e & 1 ? k : m, e & 1 ? m : k, &lane, &elem);
                for (int l = lane; l < (dup ? wave : lane + 1); l += 16)
                    put(e & 1 ? rb : ra, wave, bits, l, elem, code);
            }
            for (int m = 0; m < 16; m++)
                for (int n = 0; n < 16; n++) {
                    C[m][n] = rnd() % 3 == 0 ? 0x7fffffff - rnd() % 1000
                              : rnd() & 1    ? 0x80000000 + rnd() % 1000
                                             : rnd();
                    locate(map_for(f, "D", -1), 0, m, n, &lane, &elem);
                    put(rc, wave, 32, lane, elem, C[m][n]);
                }
            struct sim_matrix_args x = {.c = rc, .neg_lo = (uint8_t)(mods & 3), .clamp = mods & 4};
            run(f, &x, 2);
            for (int m = 0; m < 16; m++)
                for (int n = 0; n < 16; n++) {
                    int64_t s = (int32_t)C[m][n];
                    for (int k = 0; k < f->k; k++)
                        s += a[m][k] * b[k][n];
                    if (x.clamp)
                        s = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s;
                    cr_assert_eq(result(f, m, n), (uint32_t)s, "%s mods %d D[%d][%d]", f->token,
                                 mods, m, n);
                }
        }
}

/* gfx1250's sparse form that takes C in f32 and gives bf16: the f32 form's sums rounded, two rows of D a register, in
 * the lower half of C's registers; the upper half stays. */
Test(matrix_math, swmmac_bf16f32_rounds_the_f32_sums)
{
    const struct sim_matrix_form *narrow = sim_matrix_find("v_swmmac_bf16f32_16x16x64_bf16", SIM_MX_GFX1250),
                                 *wide = sim_matrix_find("v_swmmac_f32_16x16x64_bf16", SIM_MX_GFX1250);
    static uint32_t a[8 * 32], b[16 * 32], c[8 * 32], d[2][8 * 32], index[32];

    cr_assert(narrow && wide && narrow->c_regs == 8 && narrow->d_regs == 4);
    for (int t = 0; t < 40; t++) {
        for (int i = 0; i < 16 * 32; i++) {
            b[i] = (rnd() & 0x83ff83ff) | 0x3c003c00;
            if (i < 8 * 32) {
                a[i] = (rnd() & 0x83ff83ff) | 0x3c003c00;
                c[i] = (rnd() & 0x83ffffff) | 0x3c000000;
            }
        }
        for (int i = 0; i < 32; i++) { /* pairs of different positions among four, rising */
            static const uint32_t pair[6] = {4, 8, 12, 9, 13, 14};
            index[i] = 0;
            for (int k = 0; k < 8; k++)
                index[i] |= pair[rnd() % 6] << 4 * k;
        }
        memcpy(d[0], c, sizeof c);
        memcpy(d[1], c, sizeof c);
        for (int k = 0; k < 2; k++) {
            struct sim_matrix_args x = {a, b, d[k], d[k], .index = index, .wave = 32, .opsel = (uint8_t)(t & 1)};
            sim_matrix_level(2)(k ? narrow : wide, &x);
        }
        for (int r = 0; r < 8; r++)
            for (int l = 0; l < 32; l++) {
                const uint32_t got = r < 4 ? d[1][r * 32 + l] : 0,
                               want = encode16(SIM_MT_BF16, f32_of(d[0][2 * (r & 3) * 32 + l])) |
                                      encode16(SIM_MT_BF16, f32_of(d[0][(2 * (r & 3) + 1) * 32 + l])) << 16;
                if (r < 4)
                    cr_assert_eq(got, want, "register %d, lane %d: %08x, not %08x", r, l, got, want);
                else
                    cr_assert_eq(d[1][r * 32 + l], c[r * 32 + l], "register %d, lane %d", r, l);
            }
    }
}
