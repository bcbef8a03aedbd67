/* SPDX-License-Identifier: MIT */
/*
 * Matrix instructions against a triple loop, with operands placed by the published lane and
 * register tables (data/matrix_layouts.csv). Small integers, so that every summation order gives
 * the same bits: a difference is a misplaced or mistyped element. Run in every arithmetic mode and
 * at every level of x86-64 that the machine has. The encoders here are searches over plainly
 * decoded codes.
 */
#include "matrix.h"

#include "layout.h"

#include <math.h>

static int type_bits(int t)
{
    switch (t) {
    case SIM_MT_F64: return 64;
    case SIM_MT_F32: case SIM_MT_XF32: case SIM_MT_I32: return 32;
    case SIM_MT_F16: case SIM_MT_BF16: return 16;
    case SIM_MT_FP6: case SIM_MT_BF6: return 6;
    case SIM_MT_FP4: case SIM_MT_IU4: return 4;
    default: return 8;
    }
}

/* Value of a code with e exponent and m mantissa bits; no specials. */
static double plain(unsigned code, int e, int m, int bias)
{
    int exp = (int)(code >> m) & ((1 << e) - 1), man = (int)code & ((1 << m) - 1);
    double v = exp ? ldexp(1 + man / (double)(1 << m), exp - bias)
                   : ldexp(man / (double)(1 << m), 1 - bias);
    return code >> (e + m) & 1 ? -v : v;
}

static uint64_t encode(int type, int isa, double v)
{
    float f = (float)v;
    uint32_t u;
    uint64_t d;
    memcpy(&u, &f, 4);
    memcpy(&d, &v, 8);
    int e, m, bias;
    bool z = isa == SIM_MX_GFX942;
    switch (type) {
    case SIM_MT_F64: return d;
    case SIM_MT_F32: case SIM_MT_XF32: return u;
    case SIM_MT_BF16: return u >> 16;
    case SIM_MT_F16: e = 5; m = 10; bias = 15; break;
    case SIM_MT_FP8: e = 4; m = 3; bias = z ? 8 : 7; break;
    case SIM_MT_BF8: e = 5; m = 2; bias = z ? 16 : 15; break;
    case SIM_MT_FP6: e = 2; m = 3; bias = 1; break;
    case SIM_MT_BF6: e = 3; m = 2; bias = 3; break;
    case SIM_MT_FP4: e = 2; m = 1; bias = 1; break;
    default:
        return (uint64_t)(int64_t)v & (type_bits(type) == 32  ? 0xffffffff
                                       : type_bits(type) == 8 ? 0xff
                                                              : 15);
    }
    static uint32_t known[16][2][2048]; /* code + 1 by type, flavour and integer */
    uint32_t *slot = &known[type][z][(int)v + 1024];
    for (unsigned c = 0; !*slot && c < 1u << (e + m + 1); c++)
        if (plain(c, e, m, bias) == v)
            *slot = c + 1;
    if (*slot)
        return *slot - 1;
    cr_assert_fail("no code for %g in type %d", v, type);
    return 0;
}

static uint32_t seed = 1;
static int below(int n)
{
    seed = seed * 1664525 + 1013904223;
    return (int)((seed >> 8) % (unsigned)n);
}

static double A[16][32][128], B[16][128][32], C[16][32][32];

/* One form with operand types ta, tb (F8F6F4 resolved) and the maps to place them by. */
static void check(const struct sim_matrix_form *f, const struct map *ma, const struct map *mb,
                  const struct map *md, const struct map *mi, int ta, int tb)
{
    int wave = ma->wave, isa = f->isa, abits = type_bits(ta), bbits = type_bits(tb);
    int cbits = type_bits(f->c), dbits = type_bits(f->d);
    bool dup = isa == SIM_MX_GFX11, sgn_a = below(2), sgn_b = below(2), ints = f->d == SIM_MT_I32;
    static uint32_t ra[WORDS], rb[WORDS], rc[WORDS], rd[WORDS], ri[WORDS], first[WORDS];
    memset(ra, 0x5a, sizeof ra);
    memset(rb, 0x5a, sizeof rb);
    memset(rc, 0x5a, sizeof rc);
    memset(ri, 0, sizeof ri);
    int lane, elem;
    bool u_a = (ta == SIM_MT_IU8 || ta == SIM_MT_IU4) && !sgn_a;
    bool u_b = (tb == SIM_MT_IU8 || tb == SIM_MT_IU4) && !sgn_b;
    for (int bk = 0; bk < f->blocks; bk++) {
        for (int k = 0; k < f->k; k++) {
            for (int n = 0; n < f->n; n++) {
                B[bk][k][n] = u_b ? below(8) : below(5) - 2;
                locate(mb, bk, k, n, &lane, &elem);
                for (int l = lane; l < (dup ? wave : lane + 1); l += 16)
                    put(rb, wave, bbits, l, elem, encode(tb, isa, B[bk][k][n]));
            }
        }
        for (int m = 0; m < f->m; m++) {
            for (int k = 0; k < f->k; k++)
                A[bk][m][k] = f->sparse ? 0 : u_a ? below(8) : below(5) - 2;
            for (int k = 0; k < f->k; k++) {
                if (f->sparse)
                    break;
                locate(ma, bk, m, k, &lane, &elem);
                for (int l = lane; l < (dup ? wave : lane + 1); l += 16)
                    put(ra, wave, abits, l, elem, encode(ta, isa, A[bk][m][k]));
            }
            for (int k = 0; f->sparse && k < f->k; k += 4) {
                int i0 = below(3), i1 = i0 + 1 + below(3 - i0);
                for (int j = 0; j < 2; j++) {
                    double v = u_a ? below(8) : below(5) - 2;
                    A[bk][m][k + (j ? i1 : i0)] = v;
                    locate(ma, bk, m, k, &lane, &elem);
                    put(ra, wave, abits, lane, elem + j, encode(ta, isa, v));
                }
                locate(mi, bk, m, k, &lane, &elem);
                uint32_t *w = &ri[elem / 32 * wave + lane];
                *w |= (uint32_t)(i0 | i1 << 2) << elem % 32;
            }
            for (int n = 0; n < f->n; n++) {
                C[bk][m][n] = below(17) - 8;
                locate(md, bk, m, n, &lane, &elem);
                put(rc, wave, cbits, lane, elem, encode(f->c, isa, C[bk][m][n]));
            }
        }
    }

    int level[3], count = levels(level);
    for (int mode = SIM_MFMA_FMA; mode <= SIM_MFMA_DEVICE; mode++)
        for (int v = 0; v < count; v++) {
            memset(rd, 0xa5, sizeof rd);
            if (f->sparse)
                memcpy(rd, rc, sizeof rd);
            struct sim_matrix_args x = {ra, rb, rc, rd, .index = ri, .wave = (uint8_t)wave};
            if (ints)
                x.neg_lo = (uint8_t)(sgn_a | sgn_b << 1);
            if (f->a == SIM_MT_F8F6F4) {
                x.cbsz = x.a_fmt = (uint8_t)(ta - SIM_MT_FP8);
                x.blgp = x.b_fmt = (uint8_t)(tb - SIM_MT_FP8);
            }
            sim_mfma_mode = mode;
            sim_matrix_level(level[v])(f, &x);
            for (int bk = 0; bk < f->blocks; bk++)
                for (int m = 0; m < f->m; m++)
                    for (int n = 0; n < f->n; n++) {
                        double want = C[bk][m][n];
                        for (int k = 0; k < f->k; k++)
                            want += A[bk][m][k] * B[bk][k][n];
                        locate(md, bk, m, n, &lane, &elem);
                        uint64_t got = get(rd, wave, dbits, lane, elem),
                                 code = encode(f->d, isa, want);
                        cr_assert_eq(got, code,
                                     "%s %s wave%d mode %d level %d block %d D[%d][%d]: %llx, want "
                                     "%g = %llx",
                                     isa_name[isa], f->token, wave, mode, level[v], bk, m, n,
                                     (unsigned long long)got, want, (unsigned long long)code);
                        if (dup && dbits == 16)
                            cr_assert_eq(get(rd, wave, 16, lane, elem + 1), 0xa5a5,
                                         "other half kept");
                    }
            if (mode == 0 && v == 0)
                memcpy(first, rd, sizeof first);
            cr_assert_arr_eq(first, rd, sizeof first);
        }
    sim_mfma_mode = SIM_MFMA_FMA;
}

static int tested;

static void check_all(const struct sim_matrix_form *f, const char *isa, int wave)
{
    const struct map *md = find(isa, f->token, wave, "D");
    if (!md)
        return;
    if (f->a != SIM_MT_F8F6F4) {
        const struct map *ma = find(isa, f->token, wave, "A"), *mb = find(isa, f->token, wave, "B");
        const struct map *mi = find(isa, f->token, wave, "I");
        cr_assert(ma && mb && (mi || !f->sparse), "%s %s", isa, f->token);
        check(f, ma, mb, md, mi, f->a, f->b);
        tested++;
        return;
    }
    static const char *const by_fmt[2][5] = {{"A8", "A8", "A6", "A6", "A4"},
                                             {"B8", "B8", "B6", "B6", "B4"}};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            const struct map *ma = find(isa, f->token, wave, by_fmt[0][i]);
            const struct map *mb = find(isa, f->token, wave, by_fmt[1][j]);
            cr_assert(ma && mb, "%s", f->token);
            check(f, ma, mb, md, NULL, SIM_MT_FP8 + i, SIM_MT_FP8 + j);
        }
    tested++;
}

/* Every form and wave size that the table has, and every form of the instruction sets it covers. */
Test(matrix_layout, every_form_is_the_product_of_its_matrices)
{
    load();
    for (size_t i = 0; i < sim_matrix_form_count; i++) {
        const struct sim_matrix_form *f = &sim_matrix_forms[i];
        if (!f->cycles)
            continue;
        int before = tested;
        /* gfx950 keeps the layouts of the forms it shares with gfx942. */
        check_all(f, isa_name[f->isa], f->isa <= SIM_MX_GFX950 ? 64 : 32);
        if (f->isa == SIM_MX_GFX11 || f->isa == SIM_MX_GFX12)
            check_all(f, isa_name[f->isa], 64);
        if (f->isa == SIM_MX_GFX950 && tested == before)
            check_all(f, "gfx942", 64);
        bool known = f->isa != SIM_MX_GFX1250 || f->sparse
                  || find("gfx12", f->token, 32, "D"); /* gfx12 forms on gfx1250: no source */
        cr_expect(tested > before || (f->isa == SIM_MX_GFX1250 && known), "%s %s has no layout",
                  isa_name[f->isa], f->token);
    }
    for (int i = 0; i < map_count; i++) {
        int isa = 0;
        while (strcmp(isa_name[isa], maps[i].isa))
            isa++;
        cr_expect(sim_matrix_find(maps[i].token, isa), "%s lacks %s", maps[i].isa, maps[i].token);
    }
    cr_expect(tested > 180, "%d forms", tested);
}

/* blgp permutes B's lanes; cbsz and abid broadcast a block of A. CDNA ISA documents, "MFMA
 * modifiers". */
Test(matrix_layout, broadcasts_and_lane_permutes)
{
    const struct sim_matrix_form *f = sim_matrix_find("v_mfma_f32_4x4x1f32", SIM_MX_GFX90A);
    static float a[64], b[64], d[4][64];
    for (int l = 0; l < 64; l++) {
        a[l] = (float)(below(100) - 50);
        b[l] = (float)(below(100) - 50);
    }
    for (int cbsz = 0; cbsz <= 4; cbsz++)
        for (int abid = 0; abid < 1 << cbsz; abid++)
            for (int blgp = 0; blgp < 8; blgp++) {
                struct sim_matrix_args x = {
                    (uint32_t *)a,         (uint32_t *)b,         .d = (uint32_t *)d,   .wave = 64,
                    .cbsz = (uint8_t)cbsz, .abid = (uint8_t)abid, .blgp = (uint8_t)blgp};
                sim_matrix_level(2)(f, &x);
                for (int l = 0; l < 64; l++)
                    for (int m = 0; m < 4; m++) {
                        int from = l / 4 / (1 << cbsz) * (1 << cbsz) + abid, bl = l;
                        if (blgp == 1)
                            bl = l % 32;
                        else if (blgp == 2)
                            bl = 32 + l % 32;
                        else if (blgp == 3)
                            bl = (l + 16) % 64;
                        else if (blgp >= 4)
                            bl = 16 * (blgp - 4) + l % 16;
                        cr_assert_eq(d[m][l], a[4 * from + m] * b[bl], "cbsz %d abid %d blgp %d",
                                     cbsz, abid, blgp);
                    }
            }
}

Test(matrix_layout, f64_negates_by_blgp_on_gfx942)
{
    const struct sim_matrix_form *f = sim_matrix_find("v_mfma_f64_16x16x4_f64", SIM_MX_GFX942);
    static uint32_t a[2][64], b[2][64], c[8][64], d[8][64];
    for (int l = 0; l < 64; l++) {
        double one[3] = {3, 5, 7};
        for (int i = 0; i < 3; i++) {
            uint64_t u;
            memcpy(&u, &one[i], 8);
            uint32_t(*r)[64] = i == 0 ? a : i == 1 ? b : c;
            for (int e = 0; e < (i == 2 ? 4 : 1); e++) {
                r[2 * e][l] = (uint32_t)u;
                r[2 * e + 1][l] = (uint32_t)(u >> 32);
            }
        }
    }
    for (int blgp = 0; blgp < 8; blgp++) {
        struct sim_matrix_args x = {*a, *b, *c, *d, .wave = 64, .blgp = (uint8_t)blgp};
        sim_matrix_level(2)(f, &x);
        double want = 60 * (blgp & 1 ? -1 : 1) * (blgp & 2 ? -1 : 1) + (blgp & 4 ? -7 : 7), got;
        uint64_t u = d[2][9] | (uint64_t)d[3][9] << 32;
        memcpy(&got, &u, 8);
        cr_assert_eq(got, want, "blgp %d: %g", blgp, got);
    }
}

Test(matrix_layout, gfx11_operands_have_to_be_repeated)
{
    const struct sim_matrix_form *f = sim_matrix_find("v_wmma_f32_16x16x16_f16", SIM_MX_GFX11);
    static uint32_t a[8][32], b[8][32], d[8][32];
    for (int i = 0; i < 8 * 32; i++)
        a[i / 32][i % 32] = b[i / 32][i % 32] = (uint32_t)(i / 32 * 100 + i % 16);
    struct sim_matrix_args x = {*a, *b, .d = *d, .wave = 32};
    cr_expect(sim_matrix_repeated(f, &x));
    b[7][31] ^= 1;
    cr_expect(!sim_matrix_repeated(f, &x));
    cr_expect(sim_matrix_repeated(sim_matrix_find("v_wmma_f32_16x16x16_f16", SIM_MX_GFX12), &x));
}
