/* SPDX-License-Identifier: MIT */
/*
 * The words of AMD's instruction sets, in clang's builtins. Memory takes 16-byte accesses at any
 * byte address (unaligned access mode, on in every kernel of the amdhsa ABI). Lanes exchange by DPP
 * within 16 lanes; across 16, the wavefront sizes differ.
 */
#include "words.h"

/* DPP controls (ISA documents, "Data Parallel Primitives"): quad_perm [1,0,3,2] and [2,3,0,1], and
 * the mirrors of 8 and of 16 lanes. Mirrors serve as exchanges because by then all lanes of each
 * half agree. */
#define DPP(n, control, what)                                                                      \
    {                                                                                              \
        "other" #n, KG_ANY, 0, 0,                                                                  \
            "/* " what " */\n"                                                                     \
            "static __device__ float other" #n "(float v)\n"                                       \
            "{\n"                                                                                  \
            "    const int bits = __builtin_bit_cast(int, v);\n"                                   \
            "    return __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(bits, " control         \
            ", 0xf, 0xf, true));\n"                                                                \
            "}"                                                                                    \
    }

/* affine_ of types that the instruction takes as they are. */
#define AFFINE_OF(type, cap)                                                                       \
    {"affine_$x", KG_MANY, 0, type, .has = cap,                                                    \
     .text = "/* Element by element: the instruction takes what is narrower as it is, but no two. */\n" \
             "static __device__ $f affine_$x($f v, $x scale, $x offset)\n"                         \
             "{\n"                                                                                 \
             "#pragma unroll\n"                                                                    \
             "    for (int e = 0; e < $n; e++)\n"                                                  \
             "        v[e] = __builtin_fmaf(v[e], (float)scale[e], (float)offset[e]);\n"           \
             "    return v;\n"                                                                     \
             "}"},                                                                                 \
    {"affine_$x", KG_ONE, 0, type, .has = cap,                                                     \
     .text = "static __device__ $f affine_$x($f v, $x scale, $x offset)\n"                         \
             "{\n"                                                                                 \
             "    return __builtin_fmaf(v, (float)scale, (float)offset);\n"                       \
             "}"}

static const struct kg_word common[] = {
    {"workgroup_id", KG_ANY, 0, 0,
     "static __device__ unsigned workgroup_id()\n"
     "{\n"
     "    return __builtin_amdgcn_workgroup_id_x();\n"
     "}"},
    {"work_item_id", KG_ANY, 0, 0,
     "static __device__ unsigned work_item_id()\n"
     "{\n"
     "    return __builtin_amdgcn_workitem_id_x();\n"
     "}"},
    {"of_wave", KG_ANY, 0, 0,
     "/* v, which is the same in all lanes of the wavefront, as a scalar. */\n"
     "static __device__ unsigned of_wave(unsigned v)\n"
     "{\n"
     "    return __builtin_amdgcn_readfirstlane(v);\n"
     "}"},
    {"scalar", KG_ANY, 0, 0,
     "/* v, which is the same in all lanes of the wavefront, as a scalar. */\n"
     "static __device__ float scalar(float v)\n"
     "{\n"
     "    const int bits = __builtin_bit_cast(int, v);\n"
     "    return __builtin_bit_cast(float, __builtin_amdgcn_readfirstlane(bits));\n"
     "}"},
    {"local", KG_ANY, 0, 0,
     "/* v, opaque to the compiler, so that what is made of it is made where it is used. */\n"
     "static __device__ int local(int v)\n"
     "{\n"
     "    __asm__(\"\" : \"+v\"(v));\n"
     "    return v;\n"
     "}"},
    {"codes_$x", KG_ONE, 8, 1u << KG_I8,
     "/* The integer that v is above 0x1.8p+23; 0 where `picks` takes no bytes. */\n"
     "static __device__ $x codes_$x(float v, int picks)\n"
     "{\n"
     "    return picks == 0x0c0c0c0c ? 0 : __builtin_bit_cast(int, v);\n"
     "}"},
    {"scaled_$x", KG_ONE, 32, 1u << KG_F32,
     "static __device__ $x scaled_$x($x v, float factor, float term)\n"
     "{\n"
     "    return __builtin_fmaf(v, factor, term);\n"
     "}"},
    {"within", KG_ANY, 0, 0,
     "/* v, or the nearest of 0 to high, which is the same in all lanes: the median of the three. */\n"
     "static __device__ int within(int v, int high)\n"
     "{\n"
     "    int nearest;\n"
     "    __asm__(\"v_med3_i32 %0, %1, 0, %2\" : \"=v\"(nearest) : \"v\"(v), \"s\"(high));\n"
     "    return nearest;\n"
     "}"},
    {"rare", KG_ANY, 0, 0,
     "/* v, opaque to the compiler, in a branch that is seldom taken and must not be done for all. */\n"
     "static __device__ float rare(float v)\n"
     "{\n"
     "    __asm__ volatile(\"\" : \"+v\"(v));\n"
     "    return v;\n"
     "}"},
    {"negative", KG_ANY, 0, 0,
     "/* -v, opaque to the compiler: it packs additions of this in pairs, not subtractions of v. */\n"
     "static __device__ float negative(float v)\n"
     "{\n"
     "    v = -v;\n"
     "    __asm__(\"\" : \"+v\"(v));\n"
     "    return v;\n"
     "}"},
    {"load_$x", KG_ANY, 0, 0,
     "/* Elements at .. of p, which need no alignment beyond their own. */\n"
     "static __device__ $x load_$x(const $t *p, int at)\n"
     "{\n"
     "    typedef $x anywhere __attribute__((aligned(sizeof($t))));\n"
     "    const unsigned byte = (unsigned)at * (unsigned)sizeof($t);\n"
     "    return *(const anywhere *)((const char *)p + byte);\n"
     "}"},
    {"store_$x", KG_ANY, 0, 0,
     "static __device__ void store_$x($t *p, int at, $x v)\n"
     "{\n"
     "    typedef $x anywhere __attribute__((aligned(sizeof($t))));\n"
     "    const unsigned byte = (unsigned)at * (unsigned)sizeof($t);\n"
     "    *(anywhere *)((char *)p + byte) = v;\n"
     "}"},
    {"load_param_$x", KG_ANY, 0, 0,
     "static __device__ $x load_param_$x(const $t *p, int at)\n"
     "{\n"
     "    return load_$x(p, at);\n"
     "}"},
    {"load_far_$x", KG_ANY, 0, 0,
     "/* The same for rows of any length. */\n"
     "static __device__ $x load_far_$x(const $t *p, long at)\n"
     "{\n"
     "    typedef $x anywhere __attribute__((aligned(sizeof($t))));\n"
     "    return *(const anywhere *)(p + at);\n"
     "}"},
    {"store_far_$x", KG_ANY, 0, 0,
     "static __device__ void store_far_$x($t *p, long at, $x v)\n"
     "{\n"
     "    typedef $x anywhere __attribute__((aligned(sizeof($t))));\n"
     "    *(anywhere *)(p + at) = v;\n"
     "}"},
    {"load_far_param_$x", KG_ANY, 0, 0,
     "static __device__ $x load_far_param_$x(const $t *p, long at)\n"
     "{\n"
     "    return load_far_$x(p, at);\n"
     "}"},
    {"peak_$x", KG_MANY, 32, 1u << KG_F32, .has = FLY_CAP_MAXIMUM3,
     .text =
     "/* `most` becomes the largest of itself and the elements' magnitudes, or NaN where one is. */\n"
     "static __device__ void peak_$x(float &most, bool &, $x v)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2)\n"
     "        __asm__(\"v_maximum3_f32 %0, %0, |%1|, |%2|\" : \"+v\"(most) : \"v\"(v[e]), \"v\"(v[e + 1]));\n"
     "}"},
    AFFINE_OF(1u << KG_F16, 0),
    AFFINE_OF(1u << KG_BF16, FLY_CAP_MIX_BF16),
    {"add_squares_$x", KG_MANY, 32, 1u << KG_F32, .lacks = FLY_CAP_PK_F32,
     .text =
     "/* Adds the squares of v's elements to `sum`: more sums would only cost moves where lanes part and meet. */\n"
     "static __device__ void add_squares_$x(f32x2 &sum, $x v)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        const f32x2 two = {v[e], v[e + 1]};\n"
     "        sum += two * two;\n"
     "    }\n"
     "}"},
    {"add_squares_$x", KG_MANY, 32, 1u << KG_F32, .has = FLY_CAP_PK_F32,
     .text =
     "/* The same, two elements an instruction, in place: the compiler would copy the sum where lanes part. */\n"
     "static __device__ void add_squares_$x(f32x2 &sum, $x v)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        const f32x2 two = {v[e], v[e + 1]};\n"
     "        __asm__(\"v_pk_fma_f32 %0, %1, %1, %0\" : \"+v\"(sum) : \"v\"(two));\n"
     "    }\n"
     "}"},
    {"here", KG_ANY, 0, 0,
     "/* v, opaque to the compiler each time it comes by: an offset that it cannot widen ahead goes to memory beside a scalar\n"
     " * address. */\n"
     "static __device__ unsigned here(unsigned v)\n"
     "{\n"
     "    __asm__ volatile(\"\" : \"+v\"(v));\n"
     "    return v;\n"
     "}"},
    {"anew", KG_ANY, 0, 0,
     "/* v, which is the same in all lanes, opaque: the compiler would keep what grows with it in scalar registers, of which\n"
     " * masks leave few. */\n"
     "static __device__ long anew(long v)\n"
     "{\n"
     "    __asm__ volatile(\"\" : \"+s\"(v));\n"
     "    return v;\n"
     "}"},
    {"store_planes_$x", KG_MANY, 32, 1u << KG_F32,
     "/* Stores v's elements, each `plane` elements behind the one before, `byte` from p, which is the same in all lanes. p is\n"
     " * opaque all along: addresses made ahead would be kept in registers for the whole kernel. */\n"
     "static __device__ void store_planes_$x(float *p, unsigned byte, long plane, $x v)\n"
     "{\n"
     "    typedef __attribute__((address_space(1))) char in_memory;\n"
     "    in_memory *at = (in_memory *)p;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++, at += 4 * plane) {\n"
     "        __asm__ volatile(\"\" : \"+s\"(at));\n"
     "        *(__attribute__((address_space(1))) float *)(at + byte) = v[e];\n"
     "    }\n"
     "}"},
    {"plus_all_$x", KG_MANY, 32, 1u << KG_F32, .has = FLY_CAP_PK_F32,
     .text =
     "/* v + term, two elements an instruction, which takes one term for both. */\n"
     "static __device__ $x plus_all_$x($x v, float term)\n"
     "{\n"
     "    f32x2 terms;\n"
     "    terms.x = term;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        f32x2 two = {v[e], v[e + 1]};\n"
     "        __asm__(\"v_pk_add_f32 %0, %1, %2 op_sel_hi:[1,0]\" : \"=v\"(two) : \"v\"(two), \"v\"(terms));\n"
     "        v[e] = two.x;\n"
     "        v[e + 1] = two.y;\n"
     "    }\n"
     "    return v;\n"
     "}"},
    {"times_all_$x", KG_MANY, 32, 1u << KG_F32, .has = FLY_CAP_PK_F32,
     .text =
     "/* v factor, likewise. */\n"
     "static __device__ $x times_all_$x($x v, float factor)\n"
     "{\n"
     "    f32x2 factors;\n"
     "    factors.x = factor;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        f32x2 two = {v[e], v[e + 1]};\n"
     "        __asm__(\"v_pk_mul_f32 %0, %1, %2 op_sel_hi:[1,0]\" : \"=v\"(two) : \"v\"(two), \"v\"(factors));\n"
     "        v[e] = two.x;\n"
     "        v[e + 1] = two.y;\n"
     "    }\n"
     "    return v;\n"
     "}"},
    {"plus_times_all_$x", KG_MANY, 32, 1u << KG_F32, .has = FLY_CAP_PK_F32,
     .text =
     "/* v + w factor, likewise. */\n"
     "static __device__ $x plus_times_all_$x($x v, $x w, float factor)\n"
     "{\n"
     "    f32x2 factors;\n"
     "    factors.x = factor;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        f32x2 two = {v[e], v[e + 1]};\n"
     "        const f32x2 other = {w[e], w[e + 1]};\n"
     "        __asm__(\"v_pk_fma_f32 %0, %1, %2, %0 op_sel_hi:[1,0,1]\" : \"+v\"(two) : \"v\"(other), \"v\"(factors));\n"
     "        v[e] = two.x;\n"
     "        v[e + 1] = two.y;\n"
     "    }\n"
     "    return v;\n"
     "}"},
    {"zero_$x", KG_MANY, 32, 1u << KG_F32, .has = FLY_CAP_PK_F32,
     .text =
     "/* Zeros, two elements an instruction. */\n"
     "static __device__ $x zero_$x()\n"
     "{\n"
     "    $x v;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        f32x2 two;\n"
     "        __asm__ volatile(\"v_pk_mul_f32 %0, 0, 0 op_sel_hi:[0,0]\" : \"=v\"(two));\n"
     "        v[e] = two.x;\n"
     "        v[e + 1] = two.y;\n"
     "    }\n"
     "    return v;\n"
     "}"},
    {"plus_all_$x", KG_MANY, 32, 1u << KG_F32, .lacks = FLY_CAP_PK_F32,
     .text =
     "static __device__ $x plus_all_$x($x v, float term)\n"
     "{\n"
     "    return v + term;\n"
     "}"},
    {"times_all_$x", KG_MANY, 32, 1u << KG_F32, .lacks = FLY_CAP_PK_F32,
     .text =
     "static __device__ $x times_all_$x($x v, float factor)\n"
     "{\n"
     "    return v * factor;\n"
     "}"},
    {"plus_times_all_$x", KG_MANY, 32, 1u << KG_F32, .lacks = FLY_CAP_PK_F32,
     .text =
     "static __device__ $x plus_times_all_$x($x v, $x w, float factor)\n"
     "{\n"
     "    return v + w * factor;\n"
     "}"},
    {"zero_$x", KG_MANY, 32, 1u << KG_F32, .lacks = FLY_CAP_PK_F32,
     .text =
     "static __device__ $x zero_$x()\n"
     "{\n"
     "    return 0;\n"
     "}"},
    {"add_products_$x", KG_MANY, 32, 1u << KG_F32,
     "/* Adds the products of a's and b's elements to `sum`. */\n"
     "static __device__ void add_products_$x(f32x2 &sum, $x a, $x b)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        const f32x2 some = {a[e], a[e + 1]}, others = {b[e], b[e + 1]};\n"
     "        sum += some * others;\n"
     "    }\n"
     "}"},
    {"halves_$x", KG_MANY, 32, 1u << KG_F32,
     "/* The sums of the elements at even and at odd places. */\n"
     "static __device__ f32x2 halves_$x($x v)\n"
     "{\n"
     "    f32x2 sum[$n / 2];\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n / 2; e++)\n"
     "        sum[e] = (f32x2){v[2 * e], v[2 * e + 1]};\n"
     "#pragma unroll\n"
     "    for (int half = $n / 4; half > 0; half /= 2)\n"
     "#pragma unroll\n"
     "        for (int e = 0; e < half; e++)\n"
     "            sum[e] += sum[e + half];\n"
     "    return sum[0];\n"
     "}"},
    {"any_$x", KG_MANY, 0, 0,
     "/* A value that is not used. */\n"
     "static __device__ $x any_$x()\n"
     "{\n"
     "    typedef int words __attribute__((ext_vector_type(sizeof($x) / 4)));\n"
     "    words bits;\n"
     "    __asm__ volatile(\"\" : \"=v\"(bits));\n"
     "    return __builtin_bit_cast($x, bits);\n"
     "}"},
    {"store_pair_$x", KG_MANY, 8, 0,
     "/* Stores a of an even lane and its neighbour at `at` of the even one, b of both at `then` of the even one: $n bytes\n"
     " * twice an access, which an even lane has for a, an odd one for b. */\n"
     "static __device__ void store_pair_$x($t *p, int at, int then, $x a, $x b)\n"
     "{\n"
     "    typedef int words __attribute__((ext_vector_type($n / 4)));\n"
     "    typedef int both __attribute__((ext_vector_type($n / 2)));\n"
     "    typedef both anywhere __attribute__((aligned(1)));\n"
     "    const bool odd = work_item_id() & 1;\n"
     "    const words first = __builtin_bit_cast(words, a), second = __builtin_bit_cast(words, b);\n"
     "    both out;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n / 4; e++) {\n"
     "        const int given = odd ? first[e] : second[e];\n"
     "        const int got = __builtin_amdgcn_mov_dpp(given, 0xb1, 0xf, 0xf, true); /* quad_perm [1,0,3,2] */\n"
     "        out[e] = odd ? got : first[e];\n"
     "        out[e + $n / 4] = odd ? second[e] : got;\n"
     "    }\n"
     "    const unsigned byte = odd ? then - $n : at;\n"
     "    *(anywhere *)(p + byte) = out;\n"
     "}"},
    {"mine_$x", KG_MANY, 32, 1u << KG_F32,
     "/* v without the elements that a vector moved by `moved` columns, fewer than $n, shares with its neighbour. */\n"
     "static __device__ $x mine_$x($x v, int moved)\n"
     "{\n"
     "    typedef int words __attribute__((ext_vector_type($n)));\n"
     "    const int mine = ((1 << $n) - 1) << $n >> ($n + moved); /* a bit an element */\n"
     "    words bits = __builtin_bit_cast(words, v);\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        bits[e] &= mine << (31 - e) >> 31;\n"
     "    return __builtin_bit_cast($x, bits);\n"
     "}"},
    {"packed_$x", KG_MANY, 0, 0,
     "/* v, opaque to the compiler, so that it is kept as it is and not in a widened form "
     "too. */\n"
     "static __device__ $x packed_$x($x v)\n"
     "{\n"
     "    typedef int words __attribute__((ext_vector_type(sizeof($x) / 4)));\n"
     "    words bits = __builtin_bit_cast(words, v);\n"
     "    __asm__(\"\" : \"+v\"(bits));\n"
     "    return __builtin_bit_cast($x, bits);\n"
     "}"},
    {"barrier", KG_ANY, 0, 0,
     "/* What work-items wrote to LDS before, all of the workgroup read after. */\n"
     "static __device__ void barrier()\n"
     "{\n"
     "    __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\", \"local\");\n"
     "    __builtin_amdgcn_s_barrier();\n"
     "    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\", \"local\");\n"
     "}"},
    {"add_at", KG_ANY, 0, 0,
     "/* Adds v to what p points to, atomically. What was there. */\n"
     "static __device__ float add_at(float *p, float v)\n"
     "{\n"
     "    typedef __attribute__((address_space(1))) float in_memory;\n"
     "    return __builtin_amdgcn_global_atomic_fadd_f32((in_memory *)p, v);\n"
     "}"},
    {"reciprocal", KG_ANY, 0, 0,
     "static __device__ float reciprocal(float v)\n"
     "{\n"
     "    return __builtin_amdgcn_rcpf(v);\n"
     "}"},
    {"reciprocal_root_near", KG_ANY, 0, 0,
     "static __device__ float reciprocal_root_near(float v)\n"
     "{\n"
     "    return __builtin_amdgcn_rsqf(v);\n"
     "}"},
    {"larger", KG_ANY, 0, 0,
     "/* The larger of two; the other one when one is NaN. The median with infinity is one instruction. */\n"
     "static __device__ float larger(float a, float b)\n"
     "{\n"
     "    return __builtin_amdgcn_fmed3f(a, b, __builtin_inff());\n"
     "}"},
    {"power_of_2", KG_ANY, 0, 0,
     "static __device__ float power_of_2(float v)\n"
     "{\n"
     "    return __builtin_amdgcn_exp2f(v);\n"
     "}"},
    {"four_e4m3", KG_ANY, 0, 0,
     "/* Four codes, the first in the low byte. */\n"
     "static __device__ int four_e4m3(float a, float b, float c, float d)\n"
     "{\n"
     "    const int low = __builtin_amdgcn_cvt_pk_fp8_f32(a, b, 0, false);\n"
     "    return __builtin_amdgcn_cvt_pk_fp8_f32(c, d, low, true);\n"
     "}"},
    {"no_negative_zero", KG_ANY, 0, 0,
     "/* v, or 0 where it rounds to 0: FNUZ has no negative zero, its code means NaN. */\n"
     "static __device__ float no_negative_zero(float v)\n"
     "{\n"
     "    return __builtin_fabsf(v) <= 0x1p-11f ? 0 : v;\n"
     "}"},
    {"four_e4m3z", KG_ANY, 0, 0,
     "/* Four codes, the first in the low byte. */\n"
     "static __device__ int four_e4m3z(float a, float b, float c, float d)\n"
     "{\n"
     "    a = no_negative_zero(a), b = no_negative_zero(b);\n"
     "    c = no_negative_zero(c), d = no_negative_zero(d);\n"
     "    const int low = __builtin_amdgcn_cvt_pk_fp8_f32(a, b, 0, false);\n"
     "    return __builtin_amdgcn_cvt_pk_fp8_f32(c, d, low, true);\n"
     "}"},
    DPP(2, "0xb1", "The value of the lane beside this one."),
    DPP(4, "0x4e", "The value of the other two of four lanes, where pairs agree."),
    DPP(8, "0x141", "The value of the other half of eight lanes, where halves agree."),
    DPP(16, "0x140", "The value of the other half of sixteen lanes, where halves agree."),
};

/* A word of both wave sizes that uses one of theirs. */
#define CODES_OF_I8 \
    {"codes_$x", KG_MANY, 8, 1u << KG_I8, \
     "/* The integers that v is above 0x1.8p+23: the low bytes, or as `picks` says for v_perm_b32 0 for all of the row. */\n" \
     "static __device__ $x codes_$x($f v, int picks)\n" \
     "{\n" \
     "    typedef int words __attribute__((ext_vector_type($n)));\n" \
     "    typedef int packed __attribute__((ext_vector_type($n / 4)));\n" \
     "    const words bits = __builtin_bit_cast(words, v);\n" \
     "    packed out;\n" \
     "#pragma unroll\n" \
     "    for (int e = 0; e < $n; e += 4) {\n" \
     "        const int low = __builtin_amdgcn_perm(bits[e + 1], bits[e], 0x0c0c0400);\n" \
     "        const int high = __builtin_amdgcn_perm(bits[e + 3], bits[e + 2], 0x0c0c0400);\n" \
     "        out[e / 4] = __builtin_amdgcn_perm(high, low, picks);\n" \
     "    }\n" \
     "    return __builtin_bit_cast($x, out);\n" \
     "}"}

/* ds_swizzle in bit mask mode with xor 16; readlane gives scalars, so the halves of 64 need no LDS.
 */
static const struct kg_word wave64[] = {
    {"share_$x", KG_MANY, 32, 1u << KG_F32,
     "/* Keeps v in LDS: its halves half of `elements` apart, so that lanes beside each other reach all banks. */\n"
     "static __device__ void share_$x(float *p, int at, int elements, $x v)\n"
     "{\n"
     "    typedef float half __attribute__((ext_vector_type($n / 2)));\n"
     "    *(half *)(p + at / 2) = v.lo;\n"
     "    *(half *)(p + elements / 2 + at / 2) = v.hi;\n"
     "}"},
    {"shared_$x", KG_MANY, 32, 1u << KG_F32,
     "static __device__ $x shared_$x(const float *p, unsigned byte, int elements)\n"
     "{\n"
     "    typedef float half __attribute__((ext_vector_type($n / 2)));\n"
     "    $x v;\n"
     "    v.lo = *(const half *)((const char *)p + byte);\n"
     "    v.hi = *(const half *)((const char *)(p + elements / 2) + byte);\n"
     "    return v;\n"
     "}"},
    {"add_wide", KG_ANY, 0, 0,
     "/* sum += v, in place: the compiler would copy the sum where lanes part. */\n"
     "static __device__ void add_wide(double &sum, double v)\n"
     "{\n"
     "    __asm__(\"v_add_f64 %0, %0, %1\" : \"+v\"(sum) : \"v\"(v));\n"
     "}"},
    {"one_of_lanes", KG_ANY, 0, 0,
     "/* 1, in registers: opaque to the compiler, which would make it anew for each branch. */\n"
     "static __device__ double one_of_lanes()\n"
     "{\n"
     "    double one = 1;\n"
     "    __asm__(\"\" : \"+v\"(one));\n"
     "    return one;\n"
     "}"},
    {"add_by_matrix_$x", KG_MANY, 32, 1u << KG_F32,
     "/* Adds v's elements to even and odd: each lane's, of the lanes 16 apart, on the matrix units. All lanes of the wave take\n"
     " * part, whatever the branch. With its waits, which the compiler may miscount where branches meet. */\n"
     "static __device__ void add_by_matrix_$x(double &even, double &odd, double one, $x v)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        const double first = v[e], second = v[e + 1];\n"
     "        __asm__(\"s_nop 1\\n\"\n"
     "                \"v_mfma_f64_4x4x4f64 %0, %2, %4, %0\\n\"\n"
     "                \"v_mfma_f64_4x4x4f64 %1, %3, %4, %1\\n\"\n"
     "                \"s_nop 5\"\n"
     "                : \"+v\"(even), \"+v\"(odd)\n"
     "                : \"v\"(first), \"v\"(second), \"v\"(one));\n"
     "    }\n"
     "}"},
    {"sum_by_matrix", KG_ANY, 0, 0,
     "/* The sum of both over the 16 lanes that have a matrix, which are every fourth four. */\n"
     "static __device__ double sum_by_matrix(double even, double odd, double one)\n"
     "{\n"
     "    double sum;\n"
     "    __asm__(\"s_nop 1\\n\"\n"
     "            \"v_mfma_f64_4x4x4f64 %0, %3, %1, 0\\n\"\n"
     "            \"s_nop 3\\n\"\n"
     "            \"v_mfma_f64_4x4x4f64 %0, %3, %2, %0\\n\"\n"
     "            \"s_nop 5\"\n"
     "            : \"=&v\"(sum)\n"
     "            : \"v\"(even), \"v\"(odd), \"v\"(one));\n"
     "    return sum;\n"
     "}"},
    {"divide", KG_ANY, 0, 0,
     "/* v / by: hi the quotient rounded, lo what is missing, from an exact rest. The reciprocal is good for both after one\n"
     " * step. */\n"
     "static __device__ void divide(double v, double by, float &hi, float &lo)\n"
     "{\n"
     "    double part = reciprocal((float)by);\n"
     "    part = __builtin_fma(__builtin_fma(-part, by, 1), part, part);\n"
     "    hi = v * part;\n"
     "    lo = __builtin_fma(-(double)hi, by, v) * part;\n"
     "}"},
    {"below32", KG_ANY, 0, 0,
     "/* For lanes 16 .. 31 and 48 .. 63: the value of the last lane of the 16 before them; 0 for the first 16. */\n"
     "static __device__ float below32(float v)\n"
     "{\n"
     "    const int bits = __builtin_bit_cast(int, v);\n"
     "    return __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(bits, 0x142, 0xf, 0xf, true));\n"
     "}"},
    {"below64", KG_ANY, 0, 0,
     "/* For lanes 32 .. 63: the value of lane 31; 0 for the others. */\n"
     "static __device__ float below64(float v)\n"
     "{\n"
     "    const int bits = __builtin_bit_cast(int, v);\n"
     "    return __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(bits, 0x143, 0xf, 0xf, true));\n"
     "}"},
    {"of_last", KG_ANY, 0, 0,
     "/* The value of lane 63, as a scalar. */\n"
     "static __device__ float of_last(float v)\n"
     "{\n"
     "    const int bits = __builtin_bit_cast(int, v);\n"
     "    return __builtin_bit_cast(float, __builtin_amdgcn_readlane(bits, 63));\n"
     "}"},
    {"minus_$x", KG_ONE, 32, 1u << KG_F32,
     "static __device__ $x minus_$x($x a, $x b)\n"
     "{\n"
     "    return a - b;\n"
     "}"},
    {"minus_$x", KG_MANY, 32, 1u << KG_F32,
     "/* a - b, two elements an instruction: a packed addition can negate, and the compiler has no\n"
     " * packed subtraction. */\n"
     "static __device__ $x minus_$x($x a, $x b)\n"
     "{\n"
     "    typedef float two __attribute__((ext_vector_type(2)));\n"
     "    $x out;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        const two left = {a[e], a[e + 1]}, right = {b[e], b[e + 1]};\n"
     "        two d;\n"
     "        __asm__(\"v_pk_add_f32 %0, %1, %2 neg_lo:[0,1] neg_hi:[0,1]\"\n"
     "                : \"=v\"(d)\n"
     "                : \"v\"(left), \"v\"(right));\n"
     "        out[e] = d.x;\n"
     "        out[e + 1] = d.y;\n"
     "    }\n"
     "    return out;\n"
     "}"},
    {"zero_in_wave", KG_ANY, 0, 0,
     "/* Whether v is zero in all lanes. */\n"
     "static __device__ bool zero_in_wave(int v)\n"
     "{\n"
     "    return __builtin_amdgcn_ballot_w64(v != 0) == 0;\n"
     "}"},
    {"any_with_both", KG_ANY, 0, 0,
     "/* Whether a and b hold in any lane of the wave; each is a comparison, which gives the lanes it holds in. */\n"
     "static __device__ bool any_with_both(bool a, bool b)\n"
     "{\n"
     "    return (__builtin_amdgcn_ballot_w64(a) & __builtin_amdgcn_ballot_w64(b)) != 0;\n"
     "}"},
    {"lanes_with", KG_ANY, 0, 0,
     "/* The lanes a comparison holds in: what it gives anyway, if this is asked for beside it. */\n"
     "static __device__ unsigned long lanes_with(bool a)\n"
     "{\n"
     "    return __builtin_amdgcn_ballot_w64(a);\n"
     "}"},
    {"scaled_$x", KG_MANY, 32, 1u << KG_F32,
     "/* v factor + term, two elements an instruction, which takes one factor for both. */\n"
     "static __device__ $x scaled_$x($x v, float factor, float term)\n"
     "{\n"
     "    const f32x2 terms = {term, term};\n"
     "    f32x2 factors;\n"
     "    factors.x = factor;\n"
     "    $x out;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        const f32x2 two = {v[e], v[e + 1]};\n"
     "        f32x2 r;\n"
     "        __asm__(\"v_pk_fma_f32 %0, %1, %2, %3 op_sel_hi:[1,0,0]\"\n"
     "                : \"=v\"(r)\n"
     "                : \"v\"(two), \"v\"(factors), \"s\"(terms));\n"
     "        out[e] = r.x;\n"
     "        out[e + 1] = r.y;\n"
     "    }\n"
     "    return out;\n"
     "}"},
    {"mine_or_nan_$x", KG_MANY, 32, 1u << KG_F32,
     "/* mine_ by products with 1 or 0, where a row with infinity becomes NaN anyhow. */\n"
     "static __device__ $x mine_or_nan_$x($x v, int moved)\n"
     "{\n"
     "    f32x2 first, step;\n"
     "    first.x = (moved < 0 ? 1.f : $n.f) - __builtin_fabsf((float)moved);\n"
     "    step.x = moved < 0 ? 1.f : -1.f;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        const f32x2 places = {(float)e, (float)(e + 1)};\n"
     "        f32x2 two = {v[e], v[e + 1]}, share;\n"
     "        __asm__(\"v_pk_fma_f32 %0, %1, %2, %3 op_sel_hi:[1,0,0] clamp\" : \"=v\"(share) : \"s\"(places), \"v\"(step), \"v\"(first));\n"
     "        two *= share;\n"
     "        v[e] = two.x;\n"
     "        v[e + 1] = two.y;\n"
     "    }\n"
     "    return v;\n"
     "}"},
    {"line_$x", KG_MANY, 32, 1u << KG_F32,
     "/* The same with a term of each lane. */\n"
     "static __device__ $x line_$x($x v, float factor, float term)\n"
     "{\n"
     "    f32x2 factors, terms;\n"
     "    factors.x = factor;\n"
     "    terms.x = term;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        f32x2 two = {v[e], v[e + 1]};\n"
     "        __asm__(\"v_pk_fma_f32 %0, %0, %1, %2 op_sel_hi:[1,0,0]\" : \"+v\"(two) : \"v\"(factors), \"v\"(terms));\n"
     "        v[e] = two.x;\n"
     "        v[e + 1] = two.y;\n"
     "    }\n"
     "    return v;\n"
     "}"},
    {"quotients_$x", KG_MANY, 32, 1u << KG_F32,
     "/* The elements over a divisor, rounded: `inverse` and `missing` add up to its reciprocal (docs/quantisation.md). */\n"
     "static __device__ $x quotients_$x($x v, float inverse, float missing)\n"
     "{\n"
     "    const f32x2 factors = {inverse, missing};\n"
     "    $x out;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        const f32x2 two = {v[e], v[e + 1]};\n"
     "        f32x2 part, r;\n"
     "        __asm__(\"v_pk_mul_f32 %0, %1, %2 op_sel:[0,1] op_sel_hi:[1,1]\" : \"=v\"(part) : \"v\"(two), \"v\"(factors));\n"
     "        __asm__(\"v_pk_fma_f32 %0, %1, %2, %3 op_sel_hi:[1,0,1]\"\n"
     "                : \"=v\"(r)\n"
     "                : \"v\"(two), \"v\"(factors), \"v\"(part));\n"
     "        out[e] = r.x;\n"
     "        out[e + 1] = r.y;\n"
     "    }\n"
     "    return out;\n"
     "}"},
    CODES_OF_I8,
    {"highest_$x", KG_MANY, 32, 1u << KG_F32,
     "/* The largest of `top` and the elements that are no NaN. */\n"
     "static __device__ float highest_$x(float top, $x v)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2)\n"
     "        __asm__(\"v_max3_f32 %0, %0, %1, %2\" : \"+v\"(top) : \"v\"(v[e]), \"v\"(v[e + 1]));\n"
     "    return top;\n"
     "}"},
    {"peak_$x", KG_MANY, 32, 1u << KG_F32, .lacks = FLY_CAP_MAXIMUM3,
     .text =
     "/* `most` becomes the largest of itself and the elements' magnitudes; `nan`, whether there was a NaN, which the\n"
     " * maximum passes over. */\n"
     "static __device__ void peak_$x(float &most, bool &nan, $x v)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        __asm__(\"v_max3_f32 %0, %0, |%1|, |%2|\" : \"+v\"(most) : \"v\"(v[e]), \"v\"(v[e + 1]));\n"
     "        nan |= __builtin_isunordered(v[e], v[e + 1]);\n"
     "    }\n"
     "}"},
    {"other32", KG_ANY, 0, 0,
     "/* The value of the other half of 32 lanes. */\n"
     "static __device__ float other32(float v)\n"
     "{\n"
     "    const int bits = __builtin_bit_cast(int, v);\n"
     "    return __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(bits, 0x401f));\n"
     "}"},
    {"other64", KG_ANY, 0, 0,
     "/* The value of the other half of the wavefront, where halves agree. */\n"
     "static __device__ float other64(float v)\n"
     "{\n"
     "    const int bits = __builtin_bit_cast(int, v);\n"
     "    const int low = __builtin_amdgcn_readlane(bits, 0);\n"
     "    const int high = __builtin_amdgcn_readlane(bits, 32);\n"
     "    return __builtin_bit_cast(float, bits == low ? high : low);\n"
     "}"},
};

static const struct kg_word wave32[] = {
    {"minus_$x", KG_ANY, 32, 1u << KG_F32,
     "static __device__ $x minus_$x($x a, $x b)\n"
     "{\n"
     "    return a - b;\n"
     "}"},
    {"zero_in_wave", KG_ANY, 0, 0,
     "/* Whether v is zero in all lanes. */\n"
     "static __device__ bool zero_in_wave(int v)\n"
     "{\n"
     "    return __builtin_amdgcn_ballot_w32(v != 0) == 0;\n"
     "}"},
    {"scaled_$x", KG_MANY, 32, 1u << KG_F32,
     "static __device__ $x scaled_$x($x v, float factor, float term)\n"
     "{\n"
     "    return v * factor + term;\n"
     "}"},
    CODES_OF_I8,
    {"highest_$x", KG_MANY, 32, 1u << KG_F32,
     "/* The largest of `top` and the elements that are no NaN. */\n"
     "static __device__ float highest_$x(float top, $x v)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        top = larger(top, v[e]);\n"
     "    return top;\n"
     "}"},
    {"peak_$x", KG_MANY, 32, 1u << KG_F32, .lacks = FLY_CAP_MAXIMUM3,
     .text =
     "/* `most` becomes the largest of itself and the elements' magnitudes, by their bits, as which a NaN is larger than all. */\n"
     "static __device__ void peak_$x(float &most, bool &nan, $x v)\n"
     "{\n"
     "    typedef int words __attribute__((ext_vector_type($n)));\n"
     "    const words bits = __builtin_bit_cast(words, v) & 0x7fffffff;\n"
     "    int top = __builtin_bit_cast(int, most);\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        top = top > bits[e] ? top : bits[e];\n"
     "    most = __builtin_bit_cast(float, top);\n"
     "}"},
    {"any_with_both", KG_ANY, 0, 0,
     "/* Whether a and b hold in any lane of the wave; each is a comparison, which gives the lanes it holds in. */\n"
     "static __device__ bool any_with_both(bool a, bool b)\n"
     "{\n"
     "    return (__builtin_amdgcn_ballot_w32(a) & __builtin_amdgcn_ballot_w32(b)) != 0;\n"
     "}"},
    {"other32", KG_ANY, 0, 0,
     "/* The value of the other half of the wavefront. */\n"
     "static __device__ float other32(float v)\n"
     "{\n"
     "    const int bits = __builtin_bit_cast(int, v);\n"
     "    const int other = __builtin_amdgcn_permlanex16(bits, bits, 0x76543210, 0xfedcba98, "
     "false, false);\n"
     "    return __builtin_bit_cast(float, other);\n"
     "}"},
};

const struct kg_isa kg_isa_wave64 = {
    .words = {{common, sizeof common / sizeof *common}, {wave64, sizeof wave64 / sizeof *wave64}},
    .last_lane = true,
    .double_sums = true,
    .wave_groups = true,
    .line = 64,
    .any_alignment = true,
    .far = true,
    .param_vectors = 4,
    .registers = 131072,
    .bounds = "amdgpu_flat_work_group_size(%u, %u)",
};

const struct kg_isa kg_isa_cdna5 = {
    .words = {{common, sizeof common / sizeof *common}, {wave32, sizeof wave32 / sizeof *wave32}},
    .wave_groups = true,
    .line = 64,
    .any_alignment = true,
    .far = true,
    .param_vectors = 4,
    .registers = 131072,
    .bounds = "amdgpu_flat_work_group_size(%u, %u)",
};

const struct kg_isa kg_isa_wave32 = {
    .words = {{common, sizeof common / sizeof *common}, {wave32, sizeof wave32 / sizeof *wave32}},
    .slow_doubles = true,
    .line = 64,
    .any_alignment = true,
    .far = true,
    .param_vectors = 4,
    .registers = 131072,
    .bounds = "amdgpu_flat_work_group_size(%u, %u)",
};
