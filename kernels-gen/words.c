/* SPDX-License-Identifier: MIT */
/* The portable words, and the choice of the words a translation unit uses; see words.h. */
#include "matrix.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What everything else is built on. */
static const struct kg_word basics[] = {
    {"__global__", KG_ANY, 0, 0, "#define __global__ __attribute__((global))"},
    {"__device__", KG_ANY, 0, 0, "#define __device__ __attribute__((device))"},
    {"__shared__", KG_ANY, 0, 0, "#define __shared__ __attribute__((shared))"},
    {"f32", KG_ANY, 0, 0, "typedef float f32;"},
    {"f16", KG_ANY, 0, 0, "typedef _Float16 f16;"},
    {"bf16", KG_ANY, 0, 0, "typedef __bf16 bf16;"},
    {"i32", KG_ANY, 0, 0, "typedef int i32;"},
    {"i8", KG_ANY, 0, 0, "typedef signed char i8;"},
    {"e4m3", KG_ANY, 0, 0, "typedef unsigned char e4m3;"},
    {"e4m3z", KG_ANY, 0, 0, "typedef unsigned char e4m3z;"},
    {"$x", KG_MANY, 0, 0, "typedef $t $x __attribute__((ext_vector_type($n)));"},
    {"$x", KG_ONE, 0, 0, "typedef $t $x;"},
    {"least", KG_ANY, 0, 0,
     "static __device__ int least(int a, int b)\n"
     "{\n"
     "    return a < b ? a : b;\n"
     "}"},
    {"times", KG_ANY, 0, 0,
     "/* row * ld. In two parts, or the compiler adds the upper one up in 64 bits. */\n"
     "static __device__ unsigned long times(unsigned row, long ld)\n"
     "{\n"
     "    return (unsigned long)row * (unsigned)ld + ((unsigned long)(row * (unsigned)(ld >> 32)) << 32);\n"
     "}"},
    {"clamp", KG_ANY, 0, 0,
     "static __device__ int clamp(int v, int low, int high)\n"
     "{\n"
     "    return __builtin_elementwise_max(__builtin_elementwise_min(v, high), low);\n"
     "}"},
};

#define FLOATS (1u << KG_F32 | 1u << KG_F16 | 1u << KG_BF16)

/* Arithmetic on vectors and on sums. */
static const struct kg_word maths[] = {
    {"widen_$x", KG_MANY, 0, FLOATS,
     "static __device__ $f widen_$x($x v)\n"
     "{\n"
     "    return __builtin_convertvector(v, $f);\n"
     "}"},
    {"widen_$x", KG_ONE, 0, FLOATS,
     "static __device__ $f widen_$x($x v)\n"
     "{\n"
     "    return (float)v;\n"
     "}"},
    {"narrow_$x", KG_MANY, 0, FLOATS & ~(1u << KG_BF16),
     "/* Rounds to nearest even; NaN stays NaN. */\n"
     "static __device__ $x narrow_$x($f v)\n"
     "{\n"
     "    return __builtin_convertvector(v, $x);\n"
     "}"},
    {"narrow_$x", KG_MANY, 0, 1u << KG_BF16, .has = FLY_CAP_CVT_BF16,
     .text = "/* Rounds to nearest even; NaN stays NaN. */\n"
             "static __device__ $x narrow_$x($f v)\n"
             "{\n"
             "    return __builtin_convertvector(v, $x);\n"
             "}"},
    {"narrow_$x", KG_MANY, 0, 1u << KG_BF16, .lacks = FLY_CAP_CVT_BF16,
     .text = "/* Rounds to nearest even by an addition to the bits. NaN, which that could turn into a\n"
             " * number, is made quiet first, in the rare vector that has any. */\n"
             "static __device__ $x narrow_$x($f v)\n"
             "{\n"
             "    typedef unsigned words __attribute__((ext_vector_type($n)));\n"
             "    typedef unsigned short halves __attribute__((ext_vector_type($n)));\n"
             "    bool nan = false;\n"
             "#pragma unroll\n"
             "    for (int e = 0; e < $n; e += 2)\n"
             "        nan |= __builtin_isunordered(v[e], v[e + 1]);\n"
             "    if (nan) {\n"
             "#pragma unroll\n"
             "        for (int e = 0; e < $n; e++)\n"
             "            v[e] = v[e] != v[e] ? __builtin_nanf(\"\") : v[e];\n"
             "    }\n"
             "    words bits = __builtin_bit_cast(words, v);\n"
             "    bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;\n"
             "    return __builtin_bit_cast($x, __builtin_convertvector(bits, halves));\n"
             "}"},
    {"narrow_$x", KG_ONE, 0, FLOATS,
     "/* Rounds to nearest even; NaN stays NaN. */\n"
     "static __device__ $x narrow_$x($f v)\n"
     "{\n"
     "    return ($t)v;\n"
     "}"},
    {"affine_$x", KG_ANY, 0, 1u << KG_F32,
     "static __device__ $f affine_$x($f v, $x scale, $x offset)\n"
     "{\n"
     "    return v * scale + offset;\n"
     "}"},
    {"affine_$x", KG_ANY, 0, 1u << KG_BF16, .lacks = FLY_CAP_MIX_BF16,
     .text = "static __device__ $f affine_$x($f v, $x scale, $x offset)\n"
             "{\n"
             "    return v * widen_$x(scale) + widen_$x(offset);\n"
             "}"},
    {"own_$x", KG_MANY, 32, 1u << KG_F32,
     "/* v without the elements that a vector moved by `moved` columns shares with its neighbour. "
     "*/\n"
     "static __device__ $x own_$x($x v, int moved)\n"
     "{\n"
     "    const int first = local(moved);\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        v[e] = (unsigned)(first + e) < $n ? v[e] : 0;\n"
     "    return v;\n"
     "}"},
    {"own_$x", KG_ONE, 32, 1u << KG_F32,
     "/* v, or zero where the row has no such column. */\n"
     "static __device__ $x own_$x($x v, int moved)\n"
     "{\n"
     "    return moved ? 0 : v;\n"
     "}"},
    {"added_$x", KG_ANY, 0, FLOATS,
     "/* a + b, rounded once. */\n"
     "static __device__ $x added_$x($x a, $x b)\n"
     "{\n"
     "    return narrow_$x(widen_$x(a) + widen_$x(b));\n"
     "}"},
    {"sum_f32x8", KG_ANY, 0, 0,
     "static __device__ float sum_f32x8(f32x8 v)\n"
     "{\n"
     "    return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));\n"
     "}"},
    {"sum_f32x4", KG_ANY, 0, 0,
     "static __device__ float sum_f32x4(f32x4 v)\n"
     "{\n"
     "    return (v[0] + v[2]) + (v[1] + v[3]);\n"
     "}"},
    {"sum_f32x1", KG_ANY, 0, 0,
     "static __device__ float sum_f32x1(f32x1 v)\n"
     "{\n"
     "    return v;\n"
     "}"},
    {"sum_wide_$x", KG_MANY, 32, 1u << KG_F32,
     "/* The sum of the elements, in double. */\n"
     "static __device__ double sum_wide_$x($x v)\n"
     "{\n"
     "    double sum[$n];\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        sum[e] = v[e];\n"
     "#pragma unroll\n"
     "    for (int half = $n / 2; half > 0; half /= 2)\n"
     "#pragma unroll\n"
     "        for (int e = 0; e < half; e++)\n"
     "            sum[e] += sum[e + half];\n"
     "    return sum[0];\n"
     "}"},
    {"add_to_$x", KG_ANY, 32, 1u << KG_F32,
     "/* hi + lo becomes hi + lo + v; the rounding error of hi + v goes to lo (Knuth's two-sum). "
     "*/\n"
     "static __device__ void add_to_$x($x &hi, $x &lo, $x v)\n"
     "{\n"
     "    const $x sum = hi + v;\n"
     "    const $x part = minus_$x(sum, hi);\n"
     "    lo += minus_$x(hi, minus_$x(sum, part)) + minus_$x(v, part);\n"
     "    hi = sum;\n"
     "}"},
    {"add_slowly_to_$x", KG_ANY, 32, 1u << KG_F32,
     "/* The same for code that seldom runs, with fewer registers. */\n"
     "static __device__ void add_slowly_to_$x($x &hi, $x &lo, $x v)\n"
     "{\n"
     "    const $x sum = hi + v;\n"
     "    const $x part = sum - hi;\n"
     "    lo += (hi - (sum - part)) + (v - part);\n"
     "    hi = sum;\n"
     "}"},
    {"add_near_to_$x", KG_ANY, 32, 1u << KG_F32,
     "/* The same, where hi is at least as large as v in magnitude (Dekker's two-sum). */\n"
     "static __device__ void add_near_to_$x($x &hi, $x &lo, $x v)\n"
     "{\n"
     "    const $x sum = hi + v;\n"
     "    lo += minus_$x(v, minus_$x(sum, hi));\n"
     "    hi = sum;\n"
     "}"},
    {"pair", KG_ANY, 0, 0,
     "/* A sum to about 48 bits: hi + lo. */\n"
     "struct pair {\n"
     "    float hi, lo;\n"
     "};"},
    {"add_pair", KG_ANY, 0, 0,
     "/* The sum of two sums, with the rounding error of hi kept (Knuth's two-sum). */\n"
     "static __device__ pair add_pair(pair a, pair b)\n"
     "{\n"
     "    const float sum = a.hi + b.hi;\n"
     "    const float part = sum - a.hi;\n"
     "    return {sum, ((a.hi - (sum - part)) + (b.hi - part)) + (a.lo + b.lo)};\n"
     "}"},
    {"fold_f32x1", KG_ANY, 0, 0,
     "static __device__ pair fold_f32x1(f32x1 hi, f32x1 lo)\n"
     "{\n"
     "    return {hi, lo};\n"
     "}"},
    {"fold_f32x2", KG_ANY, 0, 0,
     "static __device__ pair fold_f32x2(f32x2 hi, f32x2 lo)\n"
     "{\n"
     "    return add_pair({hi[0], lo[0]}, {hi[1], lo[1]});\n"
     "}"},
    {"fold_f32x4", KG_ANY, 0, 0,
     "/* The sum of a vector's elements. */\n"
     "static __device__ pair fold_f32x4(f32x4 hi, f32x4 lo)\n"
     "{\n"
     "    f32x2 high = hi.lo, low = lo.lo + lo.hi;\n"
     "    add_to_f32x2(high, low, hi.hi);\n"
     "    return fold_f32x2(high, low);\n"
     "}"},
    {"fold_f32x8", KG_ANY, 0, 0,
     "static __device__ pair fold_f32x8(f32x8 hi, f32x8 lo)\n"
     "{\n"
     "    f32x4 high = hi.lo, low = lo.lo + lo.hi;\n"
     "    add_to_f32x4(high, low, hi.hi);\n"
     "    return fold_f32x4(high, low);\n"
     "}"},
#define MOVED_PAIR(how)                                                                            \
    {                                                                                              \
        how "_pair", KG_ANY, 0, 0,                                                                 \
            "static __device__ pair " how "_pair(pair v)\n"                                        \
            "{\n"                                                                                  \
            "    return {" how "(v.hi), " how "(v.lo)};\n"                                         \
            "}"                                                                                    \
    }
    MOVED_PAIR("other2"),
    MOVED_PAIR("other4"),
    MOVED_PAIR("other8"),
    MOVED_PAIR("other16"),
    MOVED_PAIR("other32"),
#undef MOVED_PAIR
#define EXCHANGED(word)                                                                            \
    {                                                                                              \
        word "_wide", KG_ANY, 0, 0,                                                                \
            "static __device__ double " word "_wide(double v)\n"                                   \
            "{\n"                                                                                  \
            "    const f32x2 half = __builtin_bit_cast(f32x2, v);\n"                               \
            "    const f32x2 other = {" word "(half.x), " word "(half.y)};\n"                      \
            "    return __builtin_bit_cast(double, other);\n"                                      \
            "}"                                                                                    \
    }
    EXCHANGED("other2"),
    EXCHANGED("other4"),
    EXCHANGED("other8"),
    EXCHANGED("other16"),
    EXCHANGED("other32"),
    EXCHANGED("other64"),
    EXCHANGED("below32"),
    EXCHANGED("below64"),
    EXCHANGED("of_last"),
#undef EXCHANGED
    {"sums", KG_ANY, 0, 0,
     "/* Two sums made at once. */\n"
     "struct sums {\n"
     "    float first, second;\n"
     "};"},
    {"add_sums", KG_ANY, 0, 0,
     "static __device__ sums add_sums(sums a, sums b)\n"
     "{\n"
     "    return {a.first + b.first, a.second + b.second};\n"
     "}"},
#define MOVED_SUMS(how)                                                                            \
    {                                                                                              \
        how "_sums", KG_ANY, 0, 0,                                                                 \
            "static __device__ sums " how "_sums(sums v)\n"                                        \
            "{\n"                                                                                  \
            "    return {" how "(v.first), " how "(v.second)};\n"                                  \
            "}"                                                                                    \
    }
    MOVED_SUMS("other2"),
    MOVED_SUMS("other4"),
    MOVED_SUMS("other8"),
    MOVED_SUMS("other16"),
    MOVED_SUMS("other32"),
    MOVED_SUMS("below32"),
    MOVED_SUMS("below64"),
    MOVED_SUMS("of_last"),
#undef MOVED_SUMS
    {"lost_of", KG_ANY, 0, 0,
     "/* What the rounded sum of two lost (Knuth's two-sum); 0 where the sum is infinite or NaN. */\n"
     "static __device__ float lost_of(float a, float b, float sum)\n"
     "{\n"
     "    const float part = sum - a, lost = (a - (sum - part)) + (b - part);\n"
     "    return lost == lost ? lost : 0;\n"
     "}"},
    {"keep", KG_ANY, 0, 0,
     "/* Stores v at `byte` from p, or adds it to what is there unless v is the first value. What the sum lost. */\n"
     "static __device__ float keep(float *p, unsigned byte, float v, int atomic, bool fresh)\n"
     "{\n"
     "    float *at = (float *)((char *)p + byte);\n"
     "    if (atomic) {\n"
     "        const float there = add_at(at, v);\n"
     "        return lost_of(there, v, there + v);\n"
     "    }\n"
     "    if (fresh) {\n"
     "        *at = v;\n"
     "        return 0;\n"
     "    }\n"
     "    const float there = *at, sum = there + v;\n"
     "    *at = sum;\n"
     "    return lost_of(there, v, sum);\n"
     "}"},
    {"keep_far", KG_ANY, 0, 0,
     "/* Adds v to the sum at `byte` from p. In phase 0 the sum starts with it, in phase 1 so does a second one with 0,\n"
     " * `to_total` bytes on, and in phase 3 the sum is added to that and starts with what this loses. */\n"
     "static __device__ void keep_far(float *p, long byte, long to_total, float v, int phase)\n"
     "{\n"
     "    float *at = (float *)((char *)p + byte), *total = (float *)((char *)at + to_total);\n"
     "    const int now = local(phase); /* masks kept for all elements would be too many */\n"
     "    float there = 0;\n"
     "    if (now > 1)\n"
     "        there = *at;\n"
     "    if (now & 1) {\n"
     "        const float before = now > 1 ? *total : 0, sum = before + there;\n"
     "        *total = sum;\n"
     "        there = lost_of(before, there, sum);\n"
     "    }\n"
     "    *at = there + v;\n"
     "}"},
    {"narrow_$x", KG_MANY, 8, 1u << KG_E4M3 | 1u << KG_E4M3FNUZ,
     "/* Rounds to nearest even. */\n"
     "static __device__ $x narrow_$x($f v)\n"
     "{\n"
     "    typedef int words __attribute__((ext_vector_type($n / 4)));\n"
     "    words codes;\n"
     "#pragma unroll\n"
     "    for (int w = 0; w < $n / 4; w++)\n"
     "        codes[w] = four_$t(v[4 * w], v[4 * w + 1], v[4 * w + 2], v[4 * w + 3]);\n"
     "    return __builtin_bit_cast($x, codes);\n"
     "}"},
    {"narrow_$x", KG_ONE, 8, 1u << KG_E4M3 | 1u << KG_E4M3FNUZ,
     "/* Rounds to nearest even. */\n"
     "static __device__ $x narrow_$x($f v)\n"
     "{\n"
     "    return four_$t(v, v, v, v);\n"
     "}"},
    {"only_$x", KG_MANY, 0, FLOATS,
     "/* v, with `other` in place of its elements from `count` on. */\n"
     "static __device__ $x only_$x($x v, int count, $t other)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        v[e] = e < count ? v[e] : other;\n"
     "    return v;\n"
     "}"},
    {"only_$x", KG_ONE, 0, FLOATS,
     "static __device__ $x only_$x($x v, int count, $t other)\n"
     "{\n"
     "    return count > 0 ? v : other;\n"
     "}"},
    {"most_$x", KG_MANY, 32, 1u << KG_F32,
     "/* The largest element. */\n"
     "static __device__ float most_$x($x v)\n"
     "{\n"
     "    float top = v[0];\n"
     "#pragma unroll\n"
     "    for (int e = 1; e < $n; e++)\n"
     "        top = larger(top, v[e]);\n"
     "    return top;\n"
     "}"},
    {"most_$x", KG_ONE, 32, 1u << KG_F32,
     "static __device__ float most_$x($x v)\n"
     "{\n"
     "    return v;\n"
     "}"},
    {"power_$x", KG_MANY, 32, 1u << KG_F32,
     "/* 2 to the power of each element. */\n"
     "static __device__ $x power_$x($x v)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        v[e] = power_of_2(v[e]);\n"
     "    return v;\n"
     "}"},
    {"power_$x", KG_ONE, 32, 1u << KG_F32,
     "static __device__ $x power_$x($x v)\n"
     "{\n"
     "    return power_of_2(v);\n"
     "}"},
    {"larger_bits", KG_ANY, 0, 0,
     "/* The larger of two magnitudes, each the bits of a float without its sign, which order as integers do; a\n"
     " * NaN is larger than all. */\n"
     "static __device__ int larger_bits(int a, int b)\n"
     "{\n"
     "    return a > b ? a : b;\n"
     "}"},
    {"magnitude_$x", KG_MANY, 32, 1u << KG_F32,
     "/* The largest magnitude of the elements. */\n"
     "static __device__ int magnitude_$x($x v)\n"
     "{\n"
     "    int top = 0;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++) {\n"
     "        const float each = v[e]; /* clang 22 takes the bits of v[e] itself from v[0] */\n"
     "        top = larger_bits(top, __builtin_bit_cast(int, each) & 0x7fffffff);\n"
     "    }\n"
     "    return top;\n"
     "}"},
    {"magnitude_$x", KG_ONE, 32, 1u << KG_F32,
     "static __device__ int magnitude_$x($x v)\n"
     "{\n"
     "    return __builtin_bit_cast(int, v) & 0x7fffffff;\n"
     "}"},
    {"moments", KG_ANY, 0, 0,
     "/* Sum and sum of squares of some values. */\n"
     "struct __attribute__((aligned(16))) moments {\n"
     "    double sum, squares;\n"
     "};"},
    {"add_moments_$x", KG_ANY, 32, 1u << KG_F32,
     "/* v - from, exactly: elements in turn to even and to odd, which may be the same. */\n"
     "static __device__ void add_moments_$x(moments &even, moments &odd, $x v, float from)\n"
     "{\n"
     "    f32 each[$n];\n"
     "    __builtin_memcpy(each, &v, sizeof each);\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++) {\n"
     "        const double d = (double)each[e] - from;\n"
     "        moments &to = e % 2 ? odd : even;\n"
     "        to.sum += d;\n"
     "        to.squares = __builtin_fma(d, d, to.squares);\n"
     "    }\n"
     "}"},
    {"half_of", KG_ANY, 0, 0,
     "static __device__ double half_of(moments v, bool second)\n"
     "{\n"
     "    return second ? v.squares : v.sum;\n"
     "}"},
    {"from_halves", KG_ANY, 0, 0,
     "static __device__ moments from_halves(double half, bool second)\n"
     "{\n"
     "    const double other = other2_wide(half);\n"
     "    return {second ? other : half, second ? half : other};\n"
     "}"},
    {"join_moments", KG_ANY, 0, 0,
     "static __device__ moments join_moments(moments a, moments b)\n"
     "{\n"
     "    return {a.sum + b.sum, a.squares + b.squares};\n"
     "}"},
    {"peak", KG_ANY, 0, 0,
     "/* Of some elements, the largest, and the sum of 2^(factor (element - largest)). */\n"
     "struct peak {\n"
     "    float top, sum;\n"
     "};"},
    {"away", KG_ANY, 0, 0,
     "/* 2^(factor (v - top)), v at most top; 0 where both are minus infinity. */\n"
     "static __device__ float away(float v, float top, float factor)\n"
     "{\n"
     "    return v == top ? 1 : power_of_2((v - top) * factor);\n"
     "}"},
    {"join_peak", KG_ANY, 0, 0,
     "static __device__ peak join_peak(peak a, peak b, float factor)\n"
     "{\n"
     "    const float top = larger(a.top, b.top);\n"
     "    return {top, a.sum * away(a.top, top, factor) + b.sum * away(b.top, top, factor)};\n"
     "}"},
    {"join_exponents", KG_ANY, 0, 0,
     "/* The same of exponents, factor times the elements. */\n"
     "static __device__ peak join_exponents(peak a, peak b)\n"
     "{\n"
     "    const float top = larger(a.top, b.top);\n"
     "    return {top, a.sum * power_of_2(a.top - top) + b.sum * power_of_2(b.top - top)};\n"
     "}"},
    {"exponents_$x", KG_MANY, 32, 1u << KG_F32,
     "/* factor v - top, rounded once. */\n"
     "static __device__ $x exponents_$x($x v, float factor, float top)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        v[e] = __builtin_fmaf(v[e], factor, -top);\n"
     "    return v;\n"
     "}"},
#define OTHER_KINDS(n)                                                                             \
    {"other" #n "_bits", KG_ANY, 0, 0,                                                             \
     "static __device__ int other" #n "_bits(int v)\n"                                                   \
     "{\n"                                                                                         \
     "    return __builtin_bit_cast(int, other" #n "(__builtin_bit_cast(float, v)));\n"           \
     "}"},                                                                                         \
    {"other" #n "_peak", KG_ANY, 0, 0,                                                             \
     "static __device__ peak other" #n "_peak(peak v)\n"                                                 \
     "{\n"                                                                                         \
     "    return {other" #n "(v.top), other" #n "(v.sum)};\n"                                     \
     "}"},                                                                                         \
    {"other" #n "_moments", KG_ANY, 0, 0,                                                          \
     "static __device__ moments other" #n "_moments(moments v)\n"                                  \
     "{\n"                                                                                         \
     "    return {other" #n "_wide(v.sum), other" #n "_wide(v.squares)};\n"                        \
     "}"}
    OTHER_KINDS(2),
    OTHER_KINDS(4),
    OTHER_KINDS(8),
    OTHER_KINDS(16),
    OTHER_KINDS(32),
    OTHER_KINDS(64),
#undef OTHER_KINDS
#define MOVED_BITS(how)                                                                            \
    {how "_bits", KG_ANY, 0, 0,                                                                    \
     "static __device__ int " how "_bits(int v)\n"                                                 \
     "{\n"                                                                                         \
     "    return __builtin_bit_cast(int, " how "(__builtin_bit_cast(float, v)));\n"               \
     "}"}
    MOVED_BITS("below32"),
    MOVED_BITS("below64"),
    MOVED_BITS("of_last"),
#undef MOVED_BITS
    {"finite_or_0", KG_ANY, 0, 0,
     "static __device__ float finite_or_0(float v)\n"
     "{\n"
     "    return __builtin_fabsf(v) <= 0x1.fffffep127f ? v : 0;\n"
     "}"},
    {"reciprocal_near", KG_ANY, 0, 0,
     "/* The float nearest to 1 / v, from one that may be its neighbour; either of two next to it where v's fraction is all\n"
     " * ones. */\n"
     "static __device__ float reciprocal_near(float v)\n"
     "{\n"
     "    const float about = reciprocal(v);\n"
     "    return __builtin_fmaf(__builtin_fmaf(-v, about, 1), about, about);\n"
     "}"},
    {"fraction", KG_ANY, 0, 0,
     "/* The bits of v after its leading one. */\n"
     "static __device__ int fraction(float v)\n"
     "{\n"
     "    return __builtin_bit_cast(int, v) & 0x7fffff;\n"
     "}"},
    {"quotients_$x", KG_ANY, 32, 1u << KG_F32,
     "/* The elements over a divisor, rounded: `inverse` and `missing` add up to its reciprocal (docs/quantisation.md). */\n"
     "static __device__ $x quotients_$x($x v, float inverse, float missing)\n"
     "{\n"
     "    const $x factor = inverse, part = v * missing;\n"
     "    return __builtin_elementwise_fma(v, factor, part);\n"
     "}"},
    {"within_$x", KG_ANY, 32, 1u << KG_F32,
     "/* v, or what of -limit and limit is nearer. */\n"
     "static __device__ $x within_$x($x v, float limit)\n"
     "{\n"
     "    const $x most = limit, least_of_all = -limit;\n"
     "    return __builtin_elementwise_max(__builtin_elementwise_min(v, most), least_of_all);\n"
     "}"},
    {"quotient", KG_ANY, 0, 0,
     "/* v / by: hi the quotient rounded, lo what is missing, from an exact rest. */\n"
     "static __device__ pair quotient(double v, double by)\n"
     "{\n"
     "    const double part = reciprocal((float)by);\n"
     "    const double near = v * part;\n"
     "    const float hi = __builtin_fma(__builtin_fma(-near, by, v), part, near);\n"
     "    const double rest = __builtin_fma(-(double)hi, by, v);\n"
     "    const double low = rest * part;\n"
     "    return {hi, (float)__builtin_fma(__builtin_fma(-low, by, rest), part, low)};\n"
     "}"},
    {"quotient_of_pair", KG_ANY, 0, 0,
     "/* The same in floats, of v whose parts may overlap, by a whole number of at most 15 bits: what hi * by leaves of sum\n"
     " * then is a float. */\n"
     "static __device__ pair quotient_of_pair(pair v, float by)\n"
     "{\n"
     "    const float sum = v.hi + v.lo, added = sum - v.hi;\n"
     "    const float missing = (v.hi - (sum - added)) + (v.lo - added);\n"
     "    const float part = reciprocal(by);\n"
     "    const float near = sum * part;\n"
     "    const float hi = __builtin_fmaf(__builtin_fmaf(-near, by, sum) + missing, part, near);\n"
     "    const float rest = __builtin_fmaf(-hi, by, sum) + missing;\n"
     "    const float low = rest * part;\n"
     "    return {hi, __builtin_fmaf(__builtin_fmaf(-low, by, rest), part, low)};\n"
     "}"},
    {"variance_of", KG_ANY, 0, 0,
     "/* n sum of squares - sum^2, in which all that cancels is exact, over n^2. */\n"
     "static __device__ float variance_of(moments m, int n)\n"
     "{\n"
     "    const double high = m.sum * m.sum, low = __builtin_fma(m.sum, m.sum, -high);\n"
     "    const double share = share_of(n);\n"
     "    const float v = (__builtin_fma((double)n, m.squares, -high) - low) * (share * share);\n"
     "    return v < 0 ? 0 : v;\n"
     "}"},
    {"reciprocal_root", KG_ANY, 0, 0,
     "/* 1 / sqrt(v), the hardware's value improved by one step of Newton's method with an exact "
     "residual. */\n"
     "static __device__ float reciprocal_root(float v)\n"
     "{\n"
     "    const float near = reciprocal_root_near(v);\n"
     "    const float square = v * near;\n"
     "    const float low = __builtin_fmaf(v, near, -square);\n"
     "    const float excess = __builtin_fmaf(square, near, -1) + low * near;\n"
     "    return near - finite_or_0(0.5f * near * excess);\n"
     "}"},
};

enum { WIDTHS = 4 };
static const unsigned widths[WIDTHS] = {1, 2, 4, 8};

/* One row of a table with its names filled in. */
struct filled {
    char name[48];
    const struct kg_word *word;
    struct kg_buf text;
    bool wanted;
};

static bool has_parameter(const char *text)
{
    return strchr(text, '$') != NULL;
}

/* Fills in the $ of text for element type t and n elements. */
static void fill(struct kg_buf *out, const char *text, enum kg_type t, unsigned n)
{
    const char *type = kg_dtypes[t].token;
    for (const char *c = text; *c; c++) {
        if (*c != '$')
            kg_buf_add(out, c, 1);
        else if (*++c == 't')
            kg_buf_printf(out, "%s", type);
        else if (*c == 'n')
            kg_buf_printf(out, "%u", n);
        else if (*c == 'x')
            kg_buf_printf(out, "%sx%u", type, n);
        else if (*c == 'f')
            kg_buf_printf(out, "f32x%u", n);
    }
}

/* The identifiers of a text: a hash table, open addressing, which points into the texts added. */
enum { SLOTS = 1 << 14 };
struct names {
    struct {
        const char *text;
        size_t size;
    } slot[SLOTS];
    unsigned count;
};

/* Where name is, or would be. FNV-1a. */
static unsigned name_slot(const struct names *n, const char *name, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    unsigned at = hash % SLOTS;
    while (n->slot[at].text && (n->slot[at].size != size || memcmp(n->slot[at].text, name, size)))
        at = (at + 1) % SLOTS;
    return at;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void add_names(struct names *n, const char *text)
{
    while (*text) {
        const char *start = text;
        while (in_name(*text))
            text++;
        if (text > start && n->count < SLOTS / 2) {
            unsigned at = name_slot(n, start, (size_t)(text - start));
            n->count += !n->slot[at].text;
            n->slot[at].text = start;
            n->slot[at].size = (size_t)(text - start);
        }
        text += *text != 0 && !in_name(*text);
    }
}

/* The types kernels have operands of. */
static const enum kg_type elements[] = {KG_F32, KG_F16, KG_BF16, KG_I8, KG_E4M3, KG_E4M3FNUZ};
enum { ELEMENTS = sizeof elements / sizeof *elements, MAX_FILLED = 2048 };

static bool sized(const struct kg_word *w, unsigned bytes)
{
    return w->bytes == 0 || (w->bytes == KG_NOT_16 ? bytes != 16 : bytes == w->bytes);
}

static bool is_filled(const struct filled *words, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (!strcmp(words[i].name, name))
            return true;
    return false;
}

/* A name that a table before has is left out: a family's own word stands for the one all share. */
static unsigned fill_table(struct filled *to, unsigned used, const struct kg_arch *a,
                           const struct kg_word *rows, unsigned count)
{
    const unsigned before = used;
    for (unsigned i = 0; i < count; i++) {
        const struct kg_word *w = &rows[i];
        if ((a->caps & w->has) != w->has || (a->caps & w->lacks))
            continue;
        bool once = !has_parameter(w->name);
        for (unsigned k = 0; k < (once ? 1 : ELEMENTS * WIDTHS); k++) {
            enum kg_type t = elements[k / WIDTHS];
            unsigned n = widths[k % WIDTHS];
            if (!once &&
                (!(w->width & (n == 1 ? KG_ONE : KG_MANY)) ||
                 (w->bits && w->bits != kg_dtypes[t].bits) ||
                 !sized(w, n * kg_dtypes[t].bits / 8) || (w->types && !(w->types >> t & 1))))
                continue;
            if (used == MAX_FILLED) {
                fputs("flygen: too many words\n", stderr);
                return used;
            }
            struct kg_buf name = {0};
            struct filled *f = &to[used];
            *f = (struct filled){.word = w};
            fill(&name, w->name, t, n);
            snprintf(f->name, sizeof f->name, "%s", name.text);
            kg_buf_free(&name);
            if (is_filled(to, before, f->name))
                continue;
            used++;
            fill(&f->text, w->text, t, n);
        }
    }
    return used;
}

void kg_words_write(struct kg_buf *out, const struct kg_arch *a, const char *body)
{
    /* All words of the arch, kept until another one is asked for. */
    static struct filled all[MAX_FILLED];
    static unsigned count;
    static const struct kg_arch *filled_for;
    if (filled_for != a) {
        while (count > 0)
            kg_buf_free(&all[--count].text);
        const struct kg_isa *isa = kg_isa_of(a);
        unsigned more;
        const struct kg_word *matrix = kg_matrix_words(a, &more);
        count = fill_table(all, 0, a, basics, sizeof basics / sizeof *basics);
        for (unsigned i = 0; i < 2; i++)
            count = fill_table(all, count, a, isa->words[i].rows, isa->words[i].count);
        count = fill_table(all, count, a, matrix, more);
        count = fill_table(all, count, a, maths, sizeof maths / sizeof *maths);
        filled_for = a;
    }

    /* A word only uses words before it: one sweep from the end finds all that are needed. */
    static struct names used;
    memset(&used, 0, sizeof used);
    add_names(&used, body);
    for (unsigned i = count; i-- > 0;) {
        all[i].wanted = used.slot[name_slot(&used, all[i].name, strlen(all[i].name))].text != NULL;
        if (all[i].wanted)
            add_names(&used, all[i].text.text);
    }
    bool spaced = true;
    for (unsigned i = 0; i < count; i++) {
        if (all[i].wanted) {
            bool lines = strchr(all[i].text.text, '\n') != NULL;
            kg_buf_printf(out, "%s%s\n%s", lines && !spaced ? "\n" : "", all[i].text.text,
                          lines ? "\n" : "");
            spaced = lines;
        }
    }
    if (!spaced)
        kg_buf_add(out, "\n", 1);
}

const struct kg_isa *kg_isa_of(const struct kg_arch *a)
{
    if (a->family == KG_PTX)
        return &kg_isa_ptx;
    return a->wave == 64 ? &kg_isa_wave64 : a->family == KG_CDNA5 ? &kg_isa_cdna5 : &kg_isa_wave32;
}
