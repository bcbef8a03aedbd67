/* SPDX-License-Identifier: MIT */
/*
 * Whole rows of a wave at once: pairing the words of 64-bit lanes, looking for NaNs, moving lanes and
 * masks. Written out for each CPU level where compilers make slow code of the loop; the loop at the end
 * of each function says what it does.
 */
#ifndef SIM_INSN_ROWS_H
#define SIM_INSN_ROWS_H

/* 64-bit lanes of two rows of words. */
AI void pair_words(u64 *q, const u32 *lo, const u32 *hi)
{
#if defined(__AVX512F__)
    const __m512i first = _mm512_set_epi32(23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    const __m512i second = _mm512_add_epi32(first, _mm512_set1_epi32(8));
    for (int i = 0; i < W; i += 16) {
        const __m512i a = _mm512_loadu_si512(lo + i), b = _mm512_loadu_si512(hi + i);
        _mm512_store_si512(q + i, _mm512_permutex2var_epi32(a, first, b));
        _mm512_store_si512(q + i + 8, _mm512_permutex2var_epi32(a, second, b));
    }
#elif defined(__AVX2__)
    for (int i = 0; i < W; i += 8) {
        const __m256i a = _mm256_loadu_si256((const __m256i *)(lo + i)), b = _mm256_loadu_si256((const __m256i *)(hi + i));
        const __m256i x = _mm256_unpacklo_epi32(a, b), y = _mm256_unpackhi_epi32(a, b);
        _mm256_store_si256((__m256i *)(q + i), _mm256_permute2x128_si256(x, y, 0x20));
        _mm256_store_si256((__m256i *)(q + i + 4), _mm256_permute2x128_si256(x, y, 0x31));
    }
#else
    for (int i = 0; i < W; i++)
        q[i] = (u64)hi[i] << 32 | lo[i];
#endif
}

AI void split_words(u32 *lo, u32 *hi, const u64 *q)
{
#if defined(__AVX512F__)
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi32(even, _mm512_set1_epi32(1));
    for (int i = 0; i < W; i += 16) {
        const __m512i a = _mm512_load_si512(q + i), b = _mm512_load_si512(q + i + 8);
        _mm512_storeu_si512(lo + i, _mm512_permutex2var_epi32(a, even, b));
        _mm512_storeu_si512(hi + i, _mm512_permutex2var_epi32(a, odd, b));
    }
#elif defined(__AVX2__)
    for (int i = 0; i < W; i += 8) {
        const __m256 a = _mm256_load_ps((const float *)(q + i)), b = _mm256_load_ps((const float *)(q + i + 4));
        const __m256 x = _mm256_permute2f128_ps(a, b, 0x20), y = _mm256_permute2f128_ps(a, b, 0x31);
        _mm256_storeu_ps((float *)(lo + i), _mm256_shuffle_ps(x, y, 0x88));
        _mm256_storeu_ps((float *)(hi + i), _mm256_shuffle_ps(x, y, 0xdd));
    }
#else
    for (int i = 0; i < W; i++) {
        lo[i] = (u32)q[i];
        hi[i] = (u32)(q[i] >> 32);
    }
#endif
}

/* Whether a lane is a NaN. */
AI bool any_nan(const u32 *d)
{
    const float *f = (const float *)d;
#if defined(__AVX512F__)
    __mmask16 m = 0;
    for (int i = 0; i < W; i += 32)
        m |= _mm512_cmp_ps_mask(_mm512_loadu_ps(f + i), _mm512_loadu_ps(f + i + 16), _CMP_UNORD_Q);
    return m;
#elif defined(__AVX__)
    __m256 m = _mm256_setzero_ps();
    for (int i = 0; i < W; i += 16)
        m = _mm256_or_ps(m, _mm256_cmp_ps(_mm256_loadu_ps(f + i), _mm256_loadu_ps(f + i + 8), _CMP_UNORD_Q));
    return _mm256_movemask_ps(m);
#else
    u32 m = 0;
    for (int i = 0; i < W; i++)
        m |= f[i] != f[i] ? ~0u : 0;
    return m;
#endif
}

/* Whether a lane of either row is one. */
AI bool any_nan2(const u32 *a, const u32 *b)
{
    const float *f = (const float *)a, *g = (const float *)b;
#if defined(__AVX512F__)
    __mmask16 m = 0;
    for (int i = 0; i < W; i += 16)
        m |= _mm512_cmp_ps_mask(_mm512_loadu_ps(f + i), _mm512_loadu_ps(g + i), _CMP_UNORD_Q);
    return m;
#elif defined(__AVX__)
    __m256 m = _mm256_setzero_ps();
    for (int i = 0; i < W; i += 8)
        m = _mm256_or_ps(m, _mm256_cmp_ps(_mm256_loadu_ps(f + i), _mm256_loadu_ps(g + i), _CMP_UNORD_Q));
    return _mm256_movemask_ps(m);
#else
    u32 m = 0;
    for (int i = 0; i < W; i++)
        m |= f[i] != f[i] || g[i] != g[i] ? ~0u : 0;
    return m;
#endif
}

AI bool any_nan64(const u64 *d)
{
    const double *f = (const double *)d;
#if defined(__AVX512F__)
    __mmask8 m = 0;
    for (int i = 0; i < W; i += 16)
        m |= _mm512_cmp_pd_mask(_mm512_load_pd(f + i), _mm512_load_pd(f + i + 8), _CMP_UNORD_Q);
    return m;
#elif defined(__AVX__)
    __m256d m = _mm256_setzero_pd();
    for (int i = 0; i < W; i += 8)
        m = _mm256_or_pd(m, _mm256_cmp_pd(_mm256_load_pd(f + i), _mm256_load_pd(f + i + 4), _CMP_UNORD_Q));
    return _mm256_movemask_pd(m);
#else
    u64 m = 0;
    for (int i = 0; i < W; i++)
        m |= f[i] != f[i] ? ~0ull : 0;
    return m;
#endif
}

/* A lane mask as 0 or ~0 a lane. */
AI void unpack_mask(u32 *d, u64 m)
{
#if defined(__AVX512F__)
    for (int i = 0; i < W; i += 16)
        _mm512_storeu_si512(d + i, _mm512_maskz_set1_epi32((__mmask16)(m >> i), -1));
#else
    for (int k = 0; k < W / 8; k++) {
        const u32 b = (u32)(m >> (8 * k));
        for (int j = 0; j < 8; j++)
            d[8 * k + j] = b & (1u << j) ? ~0u : 0;
    }
#endif
}

/* The sign bits of a row. */
AI u64 pack_signs(const u32 *s)
{
    u64 m = 0;
#if defined(__AVX__)
    for (int i = 0; i < W; i += 8)
        m |= (u64)(u32)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(s + i))) << i;
#else
    for (int i = 0; i < W; i++)
        m |= (u64)(s[i] >> 31) << i;
#endif
    return m;
}

/* d[lane] = s[from[lane] % W]; the rows may be the same. */
AI void take_lanes(u32 *d, const u32 *s, const signed char *from)
{
#if defined(__AVX512F__)
    __m512i r[W / 16];
    for (int k = 0; k < W / 16; k++)
        r[k] = _mm512_loadu_si512(s + 16 * k);
    for (int i = 0; i < W; i += 16) {
        const __m512i x = _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(from + i)));
        __m512i y = _mm512_permutex2var_epi32(r[0], x, r[1]);
        if (W == 64)
            y = _mm512_mask_mov_epi32(y, _mm512_test_epi32_mask(x, _mm512_set1_epi32(32)),
                                      _mm512_permutex2var_epi32(r[W / 16 - 2], x, r[W / 16 - 1]));
        _mm512_storeu_si512(d + i, y);
    }
#else
    u32 copy[W];
    memcpy(copy, s, sizeof copy);
#if defined(__AVX2__)
    for (int i = 0; i < W; i += 8) {
        const __m256i x = _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(from + i)));
        const __m256i lane = _mm256_and_si256(x, _mm256_set1_epi32(W - 1));
        _mm256_storeu_si256((__m256i *)(d + i), _mm256_i32gather_epi32((const int *)copy, lane, 4));
    }
#else
    for (int i = 0; i < W; i++)
        d[i] = copy[from[i] & (W - 1)];
#endif
#endif
}

#endif
