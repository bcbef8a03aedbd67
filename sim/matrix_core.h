/* SPDX-License-Identifier: MIT */
/*
 * The cores of matrix_run.c: summation rules over one block, whose A and B are rows of k in f32 and
 * whose C and D are register rows (or a plain matrix). Included there only, once a level of x86-64.
 *
 * Fixed order where no device model is known: products in rising k, each added to the f32
 * accumulator with one rounding (fma), C first, denormals kept. NaN results are 0x7fc00000.
 *
 * Device models (FLYSIM_MFMA=device): Xie et al., "MMA-Sim", arXiv 2511.10909, for CDNA2 and CDNA3.
 */
#ifndef SIM_MATRIX_CORE_H
#define SIM_MATRIX_CORE_H

#include "float.h"
#include "matrix.h"

#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>
#endif

enum { MAXK = 128, MAXS = 32 };

/* One block, ready for a core: a[k][m] and b[k][n] with row lengths m and n; C and D rows by
 * offset. */
struct block {
    int m, n, k;
    const float *a, *b;
    const float *c;
    float *d;
    const uint16_t *coff, *doff; /* in words, per row m */
    bool odd;      /* leave the result rounded to odd, for a second rounding to 16 bits */
    /* Sparse A: for each m and pair element j the k it stands for. */
    const uint8_t *kidx; /* [k / 2][m], or null */
};

SIM_INLINE float nan_fixed(float x)
{
    return sim_f32_is_nan(sim_f32_bits(x)) ? sim_f32(0x7fc00000) : x;
}
/* 2^e for -1022 <= e <= 1023. */
SIM_INLINE double pow2(int e) { return sim_f64((uint64_t)(1023 + e) << 52); }

/* ---- chain of fma ---- */

#if defined(__AVX2__) && defined(__FMA__)
SIM_INLINE __m256 nan_fixed8(__m256 x)
{
    return _mm256_blendv_ps(x, _mm256_set1_ps(sim_f32(0x7fc00000)),
                            _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}
/* Four rows of 16 columns. */
SIM_INLINE void fma_tile(const struct block *p, int m, int n)
{
    __m256 acc[4][2];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            acc[i][j] = _mm256_loadu_ps(p->c + p->coff[m + i] + n + 8 * j);
    const float *a = p->a + m, *b = p->b + n;
    for (int k = 0; k < p->k; k++, a += p->m, b += p->n) {
        __m256 b0 = _mm256_loadu_ps(b), b1 = _mm256_loadu_ps(b + 8);
        for (int i = 0; i < 4; i++) {
            __m256 q = _mm256_broadcast_ss(a + i);
            acc[i][0] = _mm256_fmadd_ps(q, b0, acc[i][0]);
            acc[i][1] = _mm256_fmadd_ps(q, b1, acc[i][1]);
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            _mm256_storeu_ps(p->d + p->doff[m + i] + n + 8 * j, nan_fixed8(acc[i][j]));
}
#else
SIM_INLINE void fma_tile(const struct block *p, int m, int n)
{
    for (int i = m; i < m + 4; i++) {
        float acc[16];
        memcpy(acc, p->c + p->coff[i] + n, sizeof acc);
        for (int k = 0; k < p->k; k++)
            for (int j = 0; j < 16; j++)
                acc[j] = fmaf(p->a[k * p->m + i], p->b[k * p->n + n + j], acc[j]);
        for (int j = 0; j < 16; j++)
            p->d[p->doff[i] + n + j] = nan_fixed(acc[j]);
    }
}
#endif

static void core_fma(const struct block *p)
{
    if (p->n == 4) {
        float acc[4][4];
        for (int m = 0; m < 4; m++)
            for (int n = 0; n < 4; n++)
                acc[m][n] = p->c[p->coff[m] + n];
        for (int k = 0; k < p->k; k++)
            for (int m = 0; m < 4; m++)
                for (int n = 0; n < 4; n++)
                    acc[m][n] = fmaf(p->a[4 * k + m], p->b[4 * k + n], acc[m][n]);
        for (int m = 0; m < 4; m++)
            for (int n = 0; n < 4; n++)
                p->d[p->doff[m] + n] = nan_fixed(acc[m][n]);
        return;
    }
    for (int m = 0; m < p->m; m += 4)
        for (int n = 0; n < p->n; n += 16)
            fma_tile(p, m, n);
}

/* ---- exact sum ---- */

/* Exact sum of n doubles, rounded to odd at 53 bits, so that one more rounding to a short format is
 * the only one; IEEE rules for infinities and NaN. x is overwritten. */
static double sum_odd(double *x, int n)
{
    double plain = 0;
    int parts = 0;
    for (int i = 0; i < n; i++)
        plain += x[i];
    if (!(fabs(plain) <= 0x1.fffffffffffffp1023))
        return plain;
    /* Shewchuk's grow-expansion: x[0..parts) ends as an expansion without overlap. */
    for (int i = 0; i < n; i++) {
        double v = x[i];
        int kept = 0;
        for (int j = 0; j < parts; j++) {
            double y = x[j], s = v + y, t = s - v, err = (v - (s - t)) + (y - t);
            if (err != 0)
                x[kept++] = err;
            v = s;
        }
        x[kept] = v;
        parts = kept + 1;
    }
    double hi = x[parts - 1], lo = 0;
    for (int j = parts - 2; j >= 0; j--) {
        double s = hi + x[j];
        lo = x[j] - (s - hi);
        hi = s;
        if (lo != 0)
            break;
    }
    if (lo == 0)
        return hi;
    uint64_t bits = sim_f64_bits(hi);
    if ((lo < 0) != (hi < 0))
        bits--;
    return sim_f64(bits | 1);
}

SIM_INLINE float round_out(const struct block *p, double x)
{
    return p->odd ? sim_f32(sim_f32_odd_from_f64(sim_f64_bits(x))) : (float)x;
}

static void core_exact(const struct block *p)
{
    enum { W = 4 };
    for (int m = 0; m < p->m; m++)
        for (int n0 = 0; n0 < p->n; n0 += W) {
            double s[W], bad[W];
            for (int n = 0; n < W; n++) {
                s[n] = p->c[p->coff[m] + n0 + n];
                bad[n] = 0;
            }
            for (int k = 0; k < p->k; k++) {
                double a = p->a[k * p->m + m];
                for (int n = 0; n < W; n++) {
                    double x = a * p->b[k * p->n + n0 + n], t = s[n] + x, r = t - s[n];
                    bad[n] += fabs((s[n] - (t - r)) + (x - r));
                    s[n] = t;
                }
            }
            for (int n = 0; n < W; n++) {
                if (bad[n] != 0) {
                    double x[MAXK + 1];
                    for (int k = 0; k < p->k; k++)
                        x[k] = (double)p->a[k * p->m + m] * p->b[k * p->n + n0 + n];
                    x[p->k] = p->c[p->coff[m] + n0 + n];
                    s[n] = sum_odd(x, p->k + 1);
                }
                p->d[p->doff[m] + n0 + n] = nan_fixed(round_out(p, s[n]));
            }
        }
}

/* ---- CDNA2: 16-bit forms ---- */

SIM_INLINE float flush_sign(float x) { return sim_f32(sim_f32_flush(sim_f32_bits(x))); }
SIM_INLINE float flush_zero(float x) { return sim_f32_bits(x) & 0x7f800000 ? x : 0; }

/* Inputs below `least` (subnormal in their format) and subnormal C count as +0; products and every
 * sum are rounded to f32 and subnormals flushed keeping the sign; `step` products are added
 * pairwise, then their sum to C. */
static void core_cdna2(const struct block *p, float least, int step)
{
    enum { W = 4 };
    float fa[MAXK * MAXS], fb[MAXK * MAXS];
    for (int i = 0; i < p->k * p->m; i++)
        fa[i] = fabsf(p->a[i]) < least ? 0 : p->a[i];
    for (int i = 0; i < p->k * p->n; i++)
        fb[i] = fabsf(p->b[i]) < least ? 0 : p->b[i];
    for (int m = 0; m < p->m; m++)
        for (int n0 = 0; n0 < p->n; n0 += W) {
            float c[W];
            for (int n = 0; n < W; n++)
                c[n] = flush_zero(p->c[p->coff[m] + n0 + n]);
            for (int k = 0; k < p->k; k += step) {
                float s[2][W];
                for (int h = 0; h < step / 2; h++) {
                    const float *b = fb + (k + 2 * h) * p->n + n0;
                    float a0 = fa[(k + 2 * h) * p->m + m], a1 = fa[(k + 2 * h + 1) * p->m + m];
                    for (int n = 0; n < W; n++)
                        s[h][n] = flush_sign(flush_sign(a0 * b[n]) + flush_sign(a1 * b[p->n + n]));
                }
                for (int n = 0; n < W; n++) {
                    float t = step == 4 ? flush_sign(s[0][n] + s[1][n]) : s[0][n];
                    c[n] = flush_sign(c[n] + t);
                }
            }
            for (int n = 0; n < W; n++)
                p->d[p->doff[m] + n0 + n] = nan_fixed(c[n]);
        }
}

/* ---- CDNA3: 16-bit, xf32 and 8-bit forms ---- */

enum { F = 24, F2 = 31, NO_EXP = -1000 }; /* fraction bits kept; exponent of a zero */

/* x as significand (1 <= |s| < 2, less if subnormal in its format) and exponent. */
SIM_INLINE void split_float(float x, int least, float *s, int16_t *e)
{
    int exp = (int)(sim_f32_bits(x) >> 23 & 0xff) - 127;
    exp = exp < least ? least : exp;
    *s = (float)((double)x * pow2(-exp));
    *e = (int16_t)(x == 0 ? NO_EXP : exp);
}

/* The last addition: the products' sum `dot` (in 2^(edot-F)) and c aligned to the larger exponent,
 * both rounded down, added, normalised and cut to F2 fraction bits rounding down, then rounded to
 * nearest even. `drop`: a c more than F + 1 places below counts as 0 instead of -2^-F or 0. */
SIM_INLINE float add_c(double dot, int edot, float c, bool drop)
{
    int ec = (int)(sim_f32_bits(c) >> 23 & 0xff) - 127;
    ec = ec < -126 ? -126 : ec;
    int e = edot > ec ? edot : ec, low = edot - e < -900 ? -900 : edot - e;
    double sum = floor(dot * pow2(low + F2 + 1 - F));
    double cc = floor((double)c * pow2(F - e));
    cc = drop && ec < e - F - 1 ? 0 : cc;
    sum += cc * pow2(F2 + 1 - F);
    int top = (int)(sim_f64_bits(sum) >> 52 & 0x7ff) - 1023 + e - (F2 + 1);
    top = top < -126 ? -126 : top;
    int unit = top - F2 - (e - (F2 + 1));
    return (float)(floor(sum * pow2(-unit)) * pow2(unit) * pow2(e - (F2 + 1)));
}

/* The same rule for one element, where an operand is not finite or a product may overflow. */
static float cdna3_special(const struct block *p, int k, int step, int m, int n, float c)
{
    double sum = c;
    for (int i = k; i < k + step; i++) {
        double x = (double)p->a[i * p->m + m] * p->b[i * p->n + n];
        sum += fabs(x) >= 0x1p128 ? x * (double)INFINITY : 0 * x;
    }
    return (float)sum;
}

/* Eight columns (or as many as a narrow block has, repeated), `step` products from k on. */
SIM_INLINE void cdna3_sum(int step, int first, int stride, const float *sa, const int16_t *ea,
                          int lda, const float *sb, const int16_t *eb, int ldb, int32_t *dot,
                          int32_t *top) {
    int32_t t[8], d[8] = {0};
    for (int n = 0; n < 8; n++)
        t[n] = 2 * NO_EXP;
#pragma GCC unroll 8
    for (int k = first; k < step; k += stride)
        for (int n = 0; n < 8; n++) {
            int32_t e = ea[k * lda] + eb[k * ldb + n];
            t[n] = e > t[n] ? e : t[n];
        }
#pragma GCC unroll 8
    for (int k = first; k < step; k += stride) {
        float s = sa[k * lda];
        int32_t ek = ea[k * lda] + F;
        for (int n = 0; n < 8; n++) {
            int32_t e = ek + eb[k * ldb + n] - t[n];
            e = e < -126 ? -126 : e;
            d[n] += (int32_t)(s * sb[k * ldb + n] * sim_f32((uint32_t)(127 + e) << 23));
        }
    }
    memcpy(dot, d, sizeof d);
    memcpy(top, t, sizeof t);
}

SIM_INLINE void cdna3_rows(const struct block *p, int step, bool split, const float *sa,
                           const int16_t *ea, const float *sb, const int16_t *eb, bool wild)
{
    int w = p->n < 8 ? p->n : 8, ldb = p->n < 8 ? 8 : p->n;
    for (int m = 0; m < p->m; m++)
        for (int n0 = 0; n0 < p->n; n0 += w) {
            float c[8] = {0}, r[8];
            memcpy(c, p->c + p->coff[m] + n0, (size_t)w * sizeof *c);
            for (int k0 = 0; k0 < p->k; k0 += step) {
                const float *ak = sa + k0 * p->m + m, *bk = sb + k0 * ldb + n0;
                const int16_t *eak = ea + k0 * p->m + m, *ebk = eb + k0 * ldb + n0;
                int32_t dot[2][8], top[2][8], bad = wild;
                cdna3_sum(step, 0, split ? 2 : 1, ak, eak, p->m, bk, ebk, ldb, dot[0], top[0]);
                if (split)
                    cdna3_sum(step, 1, 2, ak, eak, p->m, bk, ebk, ldb, dot[1], top[1]);
                for (int n = 0; n < 8; n++) {
                    double x = dot[0][n];
                    int e = top[0][n];
                    if (split) {
                        e = top[1][n] > e ? top[1][n] : e;
                        int d0 = top[0][n] - e, d1 = top[1][n] - e;
                        x = floor(x * pow2(d0 < -900 ? -900 : d0))
                          + floor(dot[1][n] * pow2(d1 < -900 ? -900 : d1));
                    }
                    r[n] = add_c(x, e, c[n], split);
                    bad |= (e >= 126) | ((sim_f32_bits(c[n]) & 0x7f800000) == 0x7f800000);
                }
                for (int n = 0; bad && n < w; n++) {
                    float x = cdna3_special(p, k0, step, m, n0 + n, c[n]);
                    r[n] = x - x == 0 ? r[n] : x;
                }
                memcpy(c, r, sizeof c);
            }
            for (int n = 0; n < w; n++)
                p->d[p->doff[m] + n0 + n] = nan_fixed(c[n]);
        }
}

static void core_cdna3(const struct block *p, int least_a, int least_b, int step, bool split)
{
    float sa[MAXK * MAXS], sb[MAXK * MAXS];
    int16_t ea[MAXK * MAXS], eb[MAXK * MAXS];
    uint32_t wild = 0;
    for (int i = 0; i < p->k * p->m; i++) {
        split_float(p->a[i], least_a, &sa[i], &ea[i]);
        wild |= ((sim_f32_bits(p->a[i]) & 0x7f800000) == 0x7f800000);
    }
    if (p->n < 8) { /* columns repeated up to 8 */
        for (int i = 0; i < p->k * 8; i++)
            split_float(p->b[i / 8 * p->n + i % p->n], least_b, &sb[i], &eb[i]);
        for (int i = 0; i < p->k * p->n; i++)
            wild |= ((sim_f32_bits(p->b[i]) & 0x7f800000) == 0x7f800000);
    } else {
        for (int i = 0; i < p->k * p->n; i++) {
            split_float(p->b[i], least_b, &sb[i], &eb[i]);
            wild |= ((sim_f32_bits(p->b[i]) & 0x7f800000) == 0x7f800000);
        }
    }
    if (split)
        cdna3_rows(p, 16, true, sa, ea, sb, eb, wild);
    else if (step == 8)
        cdna3_rows(p, 8, false, sa, ea, sb, eb, wild);
    else
        cdna3_rows(p, 4, false, sa, ea, sb, eb, wild);
}

/* ---- sparse A ---- */

/* The chain over the elements that A holds; what B has elsewhere does not matter. */
static void core_sparse(const struct block *p)
{
    for (int m = 0; m < p->m; m++)
        for (int n0 = 0; n0 < p->n; n0 += 16) {
            float acc[16];
            double x[MAXK + 1];
            memcpy(acc, p->c + p->coff[m] + n0, sizeof acc);
            if (sim_mfma_mode == SIM_MFMA_EXACT) {
                for (int n = 0; n < 16; n++) {
                    for (int j = 0; j < p->k / 2; j++)
                        x[j] = (double)p->a[j * p->m + m] *
                               p->b[p->kidx[j * p->m + m] * p->n + n0 + n];
                    x[p->k / 2] = acc[n];
                    acc[n] = round_out(p, sum_odd(x, p->k / 2 + 1));
                }
            } else {
                for (int j = 0; j < p->k / 2; j++) {
                    const float *b = p->b + p->kidx[j * p->m + m] * p->n + n0;
                    float a = p->a[j * p->m + m];
                    for (int n = 0; n < 16; n++)
                        acc[n] = fmaf(a, b[n], acc[n]);
                }
            }
            for (int n = 0; n < 16; n++)
                p->d[p->doff[m] + n0 + n] = nan_fixed(acc[n]);
        }
}

/* ---- scales beyond f32 ---- */

struct scales {
    float a[MAXS][8], b[MAXS][8];  /* [row or column][block of `per` k] */
    int per;
    bool wide; /* a scale so large or small that scaled elements may leave f32 */
};

/* Slow: each product scaled in double, which holds it exactly. */
static void core_wide(const struct block *p, const struct scales *s)
{
    double x[MAXK + 1];
    for (int m = 0; m < p->m; m++)
        for (int n = 0; n < p->n; n++) {
            double acc = p->c[p->coff[m] + n];
            for (int k = 0; k < p->k; k++) {
                x[k] = (double)p->a[k * p->m + m] * p->b[k * p->n + n] * s->a[m][k / s->per]
                     * s->b[n][k / s->per];
                if (sim_mfma_mode != SIM_MFMA_EXACT) {
                    double two[2] = {acc, x[k]};
                    acc = (float)sum_odd(two, 2);
                }
            }
            if (sim_mfma_mode == SIM_MFMA_EXACT) {
                x[p->k] = acc;
                acc = round_out(p, sum_odd(x, p->k + 1));
            }
            p->d[p->doff[m] + n] = nan_fixed((float)acc);
        }
}

#endif
