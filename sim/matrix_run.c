/* SPDX-License-Identifier: MIT */
/*
 * Execution of matrix instructions, compiled once per x86-64 level (SIM_LEVEL 2, 3, 4) with the
 * same results. A form is unpacked into rows of k (all M values of A, all N of B for one k, as
 * f32), then a core of matrix_core.h adds up the products, the C and D rows being register rows as
 * they lie. A 16-bit D is rounded once more at the end. Integer products and sums are exact (f32
 * holds a product sum of 128 terms of 8 bits); the sum with C wraps or saturates (clamp).
 */
#include "matrix.h"

#include "float.h"
#include "matrix_core.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define RUN CAT(sim_matrix_run_v, SIM_LEVEL)

/* ---- unpacking ---- */

/* Element types as they are converted: signedness and the 8-bit flavour resolved. */
enum elem { E_F32, E_XF32, E_F16, E_BF16, E_E4M3, E_E4M3Z, E_E5M2, E_E5M2Z, E_E2M3, E_E3M2, E_E2M1,
            E_I8, E_U8, E_I4, E_U4 };

static enum elem element(unsigned type, unsigned isa, unsigned fmt, bool is_signed)
{
    bool fnuz = isa == SIM_MX_GFX942;
    if (type == SIM_MT_F8F6F4)
        type = SIM_MT_FP8 + fmt;
    switch (type) {
    case SIM_MT_F32: return E_F32;
    case SIM_MT_XF32: return E_XF32;
    case SIM_MT_F16: return E_F16;
    case SIM_MT_BF16: return E_BF16;
    case SIM_MT_FP8: return fnuz ? E_E4M3Z : E_E4M3;
    case SIM_MT_BF8: return fnuz ? E_E5M2Z : E_E5M2;
    case SIM_MT_FP6: return E_E2M3;
    case SIM_MT_BF6: return E_E3M2;
    case SIM_MT_FP4: return E_E2M1;
    case SIM_MT_I8: return E_I8;
    case SIM_MT_IU8: return is_signed ? E_I8 : E_U8;
    default: return is_signed ? E_I4 : E_U4;
    }
}

static unsigned bits_of(enum elem t)
{
    static const uint8_t bits[] = {32, 32, 16, 16, 8, 8, 8, 8, 6, 6, 4, 8, 8, 4, 4};
    return bits[t];
}

/* f32 bits; as integers, since compilers vectorise those better than floats made from bits. */
SIM_INLINE uint32_t convert(enum elem t, uint32_t x)
{
    switch (t) {
    case E_F32: return x;
    case E_XF32: return sim_f32_is_nan(x) ? 0x7fc00000 : x & 0xffffe000;
    case E_F16: return sim_f32_from_f16(x);
    case E_BF16: return x << 16;
    case E_E4M3: return sim_f32_from_mini(SIM_E4M3, x);
    case E_E4M3Z: return sim_f32_from_mini(SIM_E4M3Z, x);
    case E_E5M2: return sim_f32_from_mini(SIM_E5M2, x);
    case E_E5M2Z: return sim_f32_from_mini(SIM_E5M2Z, x);
    case E_E2M3: return sim_f32_from_mini(SIM_E2M3, x);
    case E_E3M2: return sim_f32_from_mini(SIM_E3M2, x);
    case E_E2M1: return sim_f32_from_mini(SIM_E2M1, x);
    case E_I8: return sim_f32_bits((float)(int8_t)x);
    case E_U8: return sim_f32_bits((float)(int32_t)(x & 0xff));
    case E_I4: return sim_f32_bits((float)((int32_t)(x << 28) >> 28));
    default: return sim_f32_bits((float)(int32_t)(x & 15));
    }
}

/* Where the k of an operand lie: `groups` lane groups, the first lane of each in `lane`, of `per`
 * elements each; runs of `run` successive k go round the groups. */
struct kmap { int groups, lane[4], per, run; };

#if defined(__AVX2__) && defined(__F16C__)
/* Sixteen halves, from the low 16 bits of each dword after the shift. */
SIM_INLINE void halves16(float *out, const uint32_t *r, int shift)
{
    __m256i mask = _mm256_set1_epi32(0xffff);
    __m256i lo = _mm256_loadu_si256((const __m256i *)r),
            hi = _mm256_loadu_si256((const __m256i *)(r + 8));
    lo = shift ? _mm256_srli_epi32(lo, 16) : _mm256_and_si256(lo, mask);
    hi = shift ? _mm256_srli_epi32(hi, 16) : _mm256_and_si256(hi, mask);
    __m256i both = _mm256_permute4x64_epi64(_mm256_packus_epi32(lo, hi), 0xd8);
    _mm256_storeu_ps(out, _mm256_cvtph_ps(_mm256_castsi256_si128(both)));
    _mm256_storeu_ps(out + 8, _mm256_cvtph_ps(_mm256_extracti128_si256(both, 1)));
}
#endif

SIM_INLINE void unpack_row(float *out, int s, enum elem t, const uint32_t *r, int shift)
{
#if defined(__AVX2__) && defined(__F16C__)
    if (t == E_F16 && s >= 16) {
        for (int i = 0; i < s; i += 16)
            halves16(out + i, r + i, shift);
        return;
    }
#endif
    uint32_t *to = (uint32_t *)out;
    /* Unrolled, the compiler would not vectorise it. */
#pragma GCC unroll 1
#pragma GCC ivdep
    for (int i = 0; i < s; i++)
        to[i] = convert(t, r[i] >> shift);
}

SIM_INLINE void unpack_typed(float *out, int s, enum elem t, unsigned bits, const uint32_t *src,
                             int wave, const struct kmap *q)
{
    for (int from = 0; from < q->per; from += q->run)
        for (int g = 0; g < q->groups; g++)
            for (int e = from; e < from + q->run; e++, out += s) {
                unsigned bit = (unsigned)e * bits, reg = bit / 32, shift = bit % 32;
                const uint32_t *r = src + q->lane[g] + (int)reg * wave;
                if (bits == 6 && shift > 26) {
                    uint32_t joined[MAXS];
#pragma GCC ivdep
                    for (int i = 0; i < s; i++)
                        joined[i] = r[i] >> shift | r[wave + i] << (32 - shift);
                    unpack_row(out, s, t, joined, 0);
                } else {
                    unpack_row(out, s, t, r, (int)shift);
                }
            }
}

/* out[k][i], i < s; src points at the lane of the first element. */
static void unpack(float *out, int s, enum elem t, const uint32_t *src, int wave,
                   const struct kmap *q)
{
#define CASE(t_) \
    case t_: \
        if (s == 16) \
            unpack_typed(out, 16, t_, bits_of(t_), src, wave, q); \
        else if (s == 32) \
            unpack_typed(out, 32, t_, bits_of(t_), src, wave, q); \
        else \
            unpack_typed(out, 4, t_, bits_of(t_), src, wave, q); \
        break;
    switch (t) {
    CASE(E_F32) CASE(E_XF32) CASE(E_F16) CASE(E_BF16) CASE(E_E4M3) CASE(E_E4M3Z) CASE(E_E5M2)
    CASE(E_E5M2Z) CASE(E_E2M3) CASE(E_E3M2) CASE(E_E2M1) CASE(E_I8) CASE(E_U8) CASE(E_I4) CASE(E_U4)
    }
#undef CASE
}

static void negate(float *x, int s, int k, bool even, bool odd)
{
    for (int i = 0; i < k; i++)
        if (i & 1 ? odd : even)
            for (int j = 0; j < s; j++)
                x[i * s + j] = -x[i * s + j];
}

/* ---- layouts ---- */

SIM_INLINE bool is_mai(const struct sim_matrix_form *f) { return f->isa <= SIM_MX_GFX950; }

/* A (operand 0) or B (1). CDNA ISA documents, "matrix register layouts"; AMD's matrix instruction
 * calculator for CDNA1 to 3, RDNA3, RDNA4. The runs of gfx950's f8f6f4 are those of Triton's AMD linear
 * layouts; no document of AMD's confirms them. gfx1250's f8f6f4 and the order of 16-bit forms agree with
 * AMD's emulator rocJITsu (isa/arch/amdgpu/shared/mma), which cites the CDNA5 ISA 7.12; where the 8-bit
 * dense forms differ from it, only the common order of k does, which no product shows. */
static struct kmap map_of(const struct sim_matrix_form *f, int operand, int wave, unsigned bits)
{
    int s = operand ? f->n : f->m, k = f->k >> (f->sparse && !operand);
    int stride = is_mai(f) ? s * f->blocks : 16, groups = wave / stride;
    bool wmma = !is_mai(f), narrow = bits < 16;
    if (f->isa == SIM_MX_GFX11)
        groups = 1;
    else if (wmma && groups * 32 > k * (int)bits)
        groups = k * (int)bits / 32;
    struct kmap q = {groups, {0, stride, 2 * stride, 3 * stride}, k / groups, k / groups};
    /* gfx12 wave64: the 8- and 4-bit forms go round the halves of the wave first. */
    if (wmma && groups == 4 && narrow) {
        q.lane[1] = 32;
        q.lane[2] = 16;
    }
    int run = q.run;
    if (f->a == SIM_MT_F8F6F4)
        run = bits == 8 || (bits == 6 && f->isa == SIM_MX_GFX950) ? 16 : 32;
    else if (f->isa == SIM_MX_GFX1250 && f->k * (int)bits >= 512)
        run = (bits == 4 ? 32 : 8) << (f->sparse && operand);
    else if (f->isa >= SIM_MX_GFX12 && bits == 16)
        run = 4 << (f->sparse && operand);
    q.run = run < q.per ? run : q.per;
    return q;
}

/* Where row m of C and D begins, in words from the operand's first register: reg(m) and lane(m). */
#define ROWS4(f, m) f(m), f((m) + 1), f((m) + 2), f((m) + 3)
#define ROWS16(f, m) ROWS4(f, m), ROWS4(f, (m) + 4), ROWS4(f, (m) + 8), ROWS4(f, (m) + 12)
#define MAI4(m) 64 * (m)
#define MAI16(m) 64 * ((m) % 4) + 16 * ((m) / 4)
#define MAI32(m) 64 * (4 * ((m) / 8) + (m) % 4) + 32 * ((m) / 4 % 2)
#define GFX11_W32(m) 32 * ((m) / 2) + 16 * ((m) % 2)
#define GFX11_W64(m) 64 * ((m) / 4) + 16 * ((m) % 4)
#define GFX12_W32(m) 32 * ((m) % 8 + 8 * ((m) / 16)) + 16 * ((m) / 8 % 2)
#define GFX12_W64(m) 64 * ((m) % 4) + 32 * ((m) / 4 % 2) + 16 * ((m) / 8)
#define PLAIN4(m) 4 * (m)
#define PLAIN16(m) 16 * (m)
#define PLAIN32(m) 32 * (m)
static const uint16_t mai4[] = {ROWS4(MAI4, 0)}, mai16[] = {ROWS16(MAI16, 0)};
static const uint16_t mai32[] = {ROWS16(MAI32, 0), ROWS16(MAI32, 16)};
static const uint16_t gfx11_w32[] = {ROWS16(GFX11_W32, 0)}, gfx11_w64[] = {ROWS16(GFX11_W64, 0)};
static const uint16_t gfx12_w32[] = {ROWS16(GFX12_W32, 0), ROWS16(GFX12_W32, 16)};
static const uint16_t gfx12_w64[] = {ROWS16(GFX12_W64, 0)};
static const uint16_t plain4[] = {ROWS4(PLAIN4, 0)};
static const uint16_t plain16[] = {ROWS16(PLAIN16, 0), ROWS16(PLAIN16, 16)};
static const uint16_t plain32[] = {ROWS16(PLAIN32, 0), ROWS16(PLAIN32, 16)};

/* `block` words lie between the blocks. */
static const uint16_t *rows_of(const struct sim_matrix_form *f, int wave, int *block)
{
    *block = f->m == 4 ? 4 : f->m * f->n;
    if (is_mai(f))
        return f->m == 4 ? mai4 : f->m == 16 ? mai16 : mai32;
    if (f->isa == SIM_MX_GFX11)
        return wave == 32 ? gfx11_w32 : gfx11_w64;
    return wave == 32 ? gfx12_w32 : gfx12_w64;
}
static const uint16_t *plain_rows(int n) { return n == 4 ? plain4 : n == 16 ? plain16 : plain32; }

/* ---- C and D ---- */

/* The words of a 16-bit row of C or D whose 32-bit twin begins at `off`, and the half of each.
 * gfx11 has one element a register, in the half that op_sel names; the others two. */
static uint32_t half_row(const struct sim_matrix_form *f, const struct sim_matrix_args *x,
                         uint32_t off, int *shift)
{
    uint32_t reg = off / x->wave;
    if (f->isa == SIM_MX_GFX11) {
        *shift = x->opsel & 4 ? 16 : 0;
        return off;
    }
    *shift = 16 * (int)(reg & 1);
    return reg / 2 * x->wave + off % x->wave;
}

/* C as a plain f32 matrix: constants, 16-bit rows, sign and magnitude modifiers. */
static void copy_c(const struct sim_matrix_form *f, const struct sim_matrix_args *x,
                   const uint32_t *rows, const uint16_t *off, bool modify, float *out)
{
    uint32_t keep = modify && x->neg_hi & 4 ? 0x7fffffff : ~0u;
    uint32_t flip = modify && x->neg_lo & 4 ? 0x80000000 : 0;
    bool half = f->c == SIM_MT_F16;
    for (int m = 0; m < f->m; m++) {
        uint32_t raw[MAXS], *to = (uint32_t *)(out + m * f->n);
        if (f->c != SIM_MT_F16 && f->c != SIM_MT_BF16) {
            for (int n = 0; n < f->n; n++)
                raw[n] = rows ? rows[off[m] + n] : (uint32_t)x->c_const;
        } else {
            int shift = 0;
            const uint32_t *r = rows ? rows + half_row(f, x, off[m], &shift) : NULL;
            for (int n = 0; n < f->n; n++)
                raw[n] = (r ? r[n] >> shift : (uint32_t)x->c_const) & 0xffff;
            for (int n = 0; n < f->n; n++)
                raw[n] = half ? sim_f32_from_f16(raw[n]) : sim_f32_from_bf16(raw[n]);
        }
        for (int n = 0; n < f->n; n++)
            to[n] = (raw[n] & keep) ^ flip;
    }
}

static void store_halves(const struct sim_matrix_form *f, const struct sim_matrix_args *x,
                         const uint16_t *off, const float *d)
{
    bool half = f->d == SIM_MT_F16;
    for (int m = 0; m < f->m; m++) {
        int shift;
        uint32_t *to = x->d + half_row(f, x, off[m], &shift), raw[MAXS];
        for (int n = 0; n < f->n; n++) {
            uint32_t v = sim_f32_bits(d[m * f->n + n]);
            raw[n] = half ? sim_f16_from_f32(v) : sim_bf16_from_f32(v);
        }
        for (int n = 0; n < f->n; n++)
            to[n] = (to[n] & ~(0xffffu << shift)) | raw[n] << shift;
    }
}

/* ---- f64 ---- */

/* A chain of fma in rising k in every mode. gfx942 and later: blgp negates A, B, C. */
static void run_f64(const struct sim_matrix_form *f, const struct sim_matrix_args *x)
{
    int w = x->wave, s = f->m, stride = s * f->blocks;
    bool neg = f->isa != SIM_MX_GFX90A;
    double out[4][64];
#define AT(r, i) sim_f64((r)[i] | (uint64_t)(r)[(i) + w] << 32)
    for (int e = 0; e < f->d_regs / 2; e++)
        for (int l = 0; l < 64; l++) {
            int n = l % s, bk = l / s % f->blocks, m = stride == 16 ? 4 * e + l / 16 : e;
            m = f->blocks > 1 ? l / 16 : m;
            double acc = x->c ? AT(x->c + 2 * e * w, l) : sim_f64(x->c_const);
            acc = neg && x->blgp & 4 ? -acc : acc;
            for (int k = 0; k < 4; k++) {
                double av = AT(x->a, stride * k + s * bk + m),
                       bv = AT(x->b, stride * k + s * bk + n);
                av = neg && x->blgp & 1 ? -av : av;
                bv = neg && x->blgp & 2 ? -bv : bv;
                acc = fma(av, bv, acc);
            }
            out[e][l] = acc;
        }
#undef AT
    for (int e = 0; e < f->d_regs / 2; e++)
        for (int l = 0; l < 64; l++) {
            uint64_t r = sim_f64_bits(out[e][l]);
            r = sim_f64_is_nan(r) ? 0x7ff8000000000000 : r;
            x->d[2 * e * w + l] = (uint32_t)r;
            x->d[(2 * e + 1) * w + l] = (uint32_t)(r >> 32);
        }
}

/* ---- operand preparation ---- */

/* B's lanes as blgp permutes them (CDNA ISA documents, "BLGP"). */
static void permute_b(const uint32_t *b, int regs, unsigned blgp, uint32_t *out)
{
    for (int r = 0; r < regs; r++)
        for (int l = 0; l < 64; l++) {
            int from = blgp == 1 ? l % 32 : blgp == 2 ? 32 + l % 32 : blgp == 3 ? (l + 16) % 64
                     : 16 * ((int)blgp - 4) + l % 16;
            out[64 * r + l] = b[64 * r + from];
        }
}

static float scale_value(unsigned fmt, uint32_t byte)
{
    if (fmt == 1)
        return sim_f32(sim_f32_from_mini(SIM_E5M3, byte));
    if (fmt == 2)
        return sim_f32(sim_f32_from_mini(SIM_E4M3, byte));
    return byte == 0xff ? sim_f32(0x7fc00000) : (float)pow2((int)byte - 127);
}

/* The scale of a row and block of k. gfx950: lane (block, row), the byte that op_sel names.
 * gfx1250: byte `block` of the row's lane, in the half of the wave that matrix_*_scale names. */
static float scale_at(const struct sim_matrix_form *f, const struct sim_matrix_args *x, int operand,
                      int row, int block)
{
    const uint32_t *r = operand ? x->b_scale : x->a_scale;
    unsigned sel = operand ? x->b_scale_sel : x->a_scale_sel;
    unsigned fmt = operand ? x->b_scale_fmt : x->a_scale_fmt;
    if (!r)
        return 1;
    if (f->isa == SIM_MX_GFX950) {
        int s = operand ? f->n : f->m;
        return scale_value(0, r[block * s + row] >> 8 * sel & 0xff);
    }
    int lane = row + (operand || f->m == 16 ? 16 * (int)(sel & 1) : 0);
    return scale_value(fmt, r[block / 4 * x->wave + lane] >> 8 * (block % 4) & 0xff);
}

static void fetch_scales(const struct sim_matrix_form *f, const struct sim_matrix_args *x,
                         struct scales *s)
{
    s->per = x->scale16 ? 16 : 32;
    s->wide = false;
    for (int operand = 0; operand < 2; operand++)
        for (int i = 0; i < (operand ? f->n : f->m); i++)
            for (int k = 0; k < f->k / s->per; k++) {
                float v = scale_at(f, x, operand, i, k);
                (operand ? s->b : s->a)[i][k] = v;
                s->wide |= (v != 0 && fabsf(v) < 0x1p-60f) || fabsf(v) > 0x1p60f;
            }
}

/* Index of sparse A, 2 bits an element. MAI: cbsz 0 takes the set that abid names, of 8 bits
 * (16-bit data, half depth) up to 32; SWMMAC: op_sel[1:0] names the set. */
static void fetch_index(const struct sim_matrix_form *f, const struct sim_matrix_args *x,
                        const struct kmap *q, uint8_t *kidx)
{
    int bits = 2 * q->per, sets = bits < 32 ? 32 / bits : 1;
    int set = is_mai(f) ? (x->cbsz ? 0 : x->abid % sets) : (x->opsel & 3) % sets;
    for (int g = 0; g < q->groups; g++)
        for (int e = 0; e < q->per; e++) {
            int j = e / q->run * q->run * q->groups + g * q->run + e % q->run;
            int bit = set * bits + 2 * e;
            for (int m = 0; m < f->m; m++) {
                uint32_t w = x->index[bit / 32 * x->wave + q->lane[g] + m];
                kidx[j * f->m + m] = (uint8_t)(j / 2 * 4 + (int)(w >> bit % 32 & 3));
            }
        }
}

static void add_up(const struct sim_matrix_form *f, struct block *p, const struct scales *s)
{
    enum sim_mfma_mode mode = sim_mfma_mode;
    bool whole = f->d == SIM_MT_I32;
    if (f->sparse) {
        core_sparse(p);
    } else if (s && s->wide) {
        core_wide(p, s);
    } else if (whole || mode == SIM_MFMA_FMA || f->a == SIM_MT_F32) {
        if (mode == SIM_MFMA_EXACT && !whole)
            core_exact(p);
        else
            core_fma(p);
    } else if (mode == SIM_MFMA_EXACT) {
        core_exact(p);
    } else if (f->isa == SIM_MX_GFX90A) {
        int step = f->a == SIM_MT_BF16 && !strstr(f->token, "_1k") ? 2 : 4;
        core_cdna2(p, f->a == SIM_MT_F16 ? 0x1p-14f : 0x1p-126f, step);
    } else if (f->isa == SIM_MX_GFX942) {
        static const int8_t least[] = {[SIM_MT_XF32] = -126,
                                       [SIM_MT_F16] = -14,
                                       [SIM_MT_BF16] = -126,
                                       [SIM_MT_FP8] = -7,
                                       [SIM_MT_BF8] = -15};
        bool split = f->a == SIM_MT_FP8 || f->a == SIM_MT_BF8;
        int step = f->a == SIM_MT_XF32 || f->k == 4 ? 4 : 8;
        core_cdna3(p, least[f->a], least[f->b], step, split);
    } else {
        core_fma(p);
    }
}

enum { MAX_C = 32 * 64 }; /* words of a C: 32 registers of 64 lanes */

static void run(const struct sim_matrix_form *f, const struct sim_matrix_args *x)
{
    float a[MAXK * MAXS], b[MAXK * MAXS], ctmp[MAXS * MAXS], dtmp[MAXS * MAXS];
    uint32_t bperm[8 * 64];
    uint8_t kidx[MAXK / 2 * MAXS];
    bool f16 = f->d == SIM_MT_F16 || f->d == SIM_MT_BF16,
         c16 = f->c == SIM_MT_F16 || f->c == SIM_MT_BF16;
    bool whole = f->d == SIM_MT_I32;
    unsigned a_fmt = f->isa == SIM_MX_GFX950 ? x->cbsz : x->a_fmt;
    unsigned b_fmt = f->isa == SIM_MX_GFX950 ? x->blgp : x->b_fmt;
    const uint32_t *brows = x->b;

    if (f->a == SIM_MT_F64) {
        run_f64(f, x);
        return;
    }
    if (is_mai(f) && x->blgp && f->a != SIM_MT_F8F6F4) {
        permute_b(x->b, f->b_regs, x->blgp, bperm);
        brows = bperm;
    }

    enum elem ta = element(f->a, f->isa, a_fmt, x->neg_lo & 1);
    enum elem tb = element(f->b, f->isa, b_fmt, x->neg_lo & 2);
    struct kmap qa = map_of(f, 0, x->wave, bits_of(ta)), qb = map_of(f, 1, x->wave, bits_of(tb));
    struct scales scales, *s = NULL;
    if (x->a_scale || x->b_scale) {
        s = &scales;
        fetch_scales(f, x, s);
    }
    struct block p = {.m = f->m, .n = f->n, .k = f->k, .a = a, .b = b};
    if (f->sparse) {
        fetch_index(f, x, &qa, kidx);
        p.kidx = kidx;
    }

    int block, group = f->blocks; /* blocks that share one of A */
    while (group > 1 << (f->blocks > 1 ? x->cbsz : 0))
        group /= 2;
    const uint16_t *off = rows_of(f, x->wave, &block);
    for (int bk = 0; bk < f->blocks; bk++) {
        int from = (bk & -group) | (x->abid & (group - 1));
        if (f->m == 32 && !is_mai(f)) { /* two sets of 16 rows, in successive registers */
            float part[MAXK * 16];
            for (int h = 0; h < 2; h++) {
                unpack(part, 16, ta, x->a + h * (f->a_regs / 2) * x->wave, x->wave, &qa);
                for (int k = 0; k < f->k; k++)
                    memcpy(a + 32 * k + 16 * h, part + 16 * k, 16 * sizeof *a);
            }
        } else if (bk % group == 0) {
            unpack(a, f->m, ta, x->a + f->m * from, x->wave, &qa);
        }
        unpack(b, f->n, tb, brows + f->n * bk, x->wave, &qb);
        if (!is_mai(f) && !whole && (x->neg_lo | x->neg_hi) & 3) {
            bool pairs = bits_of(ta) == 16;
            int ka = f->k >> f->sparse;
            negate(a, f->m, ka, x->neg_lo & 1, pairs ? x->neg_hi & 1 : x->neg_lo & 1);
            negate(b, f->n, f->k, x->neg_lo & 2, pairs ? x->neg_hi & 2 : x->neg_lo & 2);
        }
        if (s && !s->wide) {
            for (int k = 0; k < f->k; k++) {
                for (int i = 0; i < f->m; i++)
                    a[k * f->m + i] *= s->a[i][k / s->per];
                for (int i = 0; i < f->n; i++)
                    b[k * f->n + i] *= s->b[i][k / s->per];
            }
        }

        /* Rows as they lie; through a plain copy where they are not f32 or C is modified. */
        const uint32_t *crows = f->sparse ? x->d : x->c;
        bool mod_c = !is_mai(f) && !f->sparse && (x->neg_lo | x->neg_hi) & 4 && !whole;
        bool copied = !crows || c16 || mod_c;
        p.coff = copied || whole ? plain_rows(f->n) : off;
        p.doff = f16 || whole ? plain_rows(f->n) : off;
        p.c = copied || whole ? ctmp : (const float *)crows + bk * block;
        p.d = f16 || whole ? dtmp : (float *)x->d + bk * block;
        p.odd = f16 && sim_mfma_mode == SIM_MFMA_EXACT;
        if (whole)
            memset(ctmp, 0, (size_t)(f->m * f->n) * sizeof *ctmp);
        else if (copied)
            copy_c(f, x, crows ? crows + bk * block : NULL, off, mod_c, ctmp);

        add_up(f, &p, s);

        for (int m = 0; whole && m < f->m; m++) {
            const float *sum = dtmp + m * f->n;
            uint32_t *to = x->d + bk * block + off[m], c[MAXS];
            for (int n = 0; n < f->n; n++)
                c[n] = crows ? crows[bk * block + off[m] + n] : (uint32_t)x->c_const;
            for (int n = 0; n < f->n; n++) {
                uint32_t t = (uint32_t)(int32_t)sum[n], r = c[n] + t;
                bool over = ((c[n] ^ r) & (t ^ r)) >> 31;
                to[n] = x->clamp && over ? 0x7fffffff + (c[n] >> 31) : r;
            }
        }
        if (f16)
            store_halves(f, x, off, dtmp);
    }
}

sim_matrix_fn RUN;

/* A D that lies partly over C would be written while C is still read: then C is read first. LLVM lets a D of
 * four registers do so. */
void RUN(const struct sim_matrix_form *f, const struct sim_matrix_args *x)
{
    size_t words = (size_t)f->c_regs * x->wave;
    if (!x->c || x->c == x->d || x->c + words <= x->d || x->d + (size_t)f->d_regs * x->wave <= x->c ||
        words > MAX_C) {
        run(f, x);
        return;
    }
    uint32_t c[MAX_C];
    struct sim_matrix_args apart = *x;
    memcpy(c, x->c, words * sizeof *c);
    apart.c = c;
    run(f, &apart);
}
