/* SPDX-License-Identifier: MIT */
/*
 * The words of matrix kernels. Sources: CDNA2, CDNA3 and CDNA4 instruction set documents, "matrix
 * arithmetic instructions" and "buffer memory instructions"; LLVM's IntrinsicsAMDGPU.td for the
 * builtins; cycles from the passes of LLVM's scheduling models, which agree with the published peak
 * rates.
 */
#include "matrix.h"

#include <stdio.h>
#include <string.h>

/* clang-format off */
#define NO_TAIL "0, 0, 0"
#define NO_SCALES "0, 0, 0, 0, 0, 0" /* selects the unscaled instruction, without scale operands */
static const struct kg_mma table[] = {
    /* family, type, builtin, mnemonic, operand, tail,        chunks, parts, cycles, integer */
    {KG_CDNA2, KG_F16, "f32_16x16x16f16", "f32_16x16x16f16", "f16x4", NO_TAIL,  1, 2, 32, false},
    {KG_CDNA2, KG_BF16, "f32_16x16x16bf16_1k", "f32_16x16x16bf16_1k", "i16x4", NO_TAIL,1, 2, 32, false},
    {KG_CDNA2, KG_I8, "i32_16x16x16i8", "i32_16x16x16i8", "int", NO_TAIL,       1, 4, 32, true},
    {KG_CDNA3, KG_F16, "f32_16x16x16f16", "f32_16x16x16_f16", "f16x4", NO_TAIL, 1, 2, 16, false},
    {KG_CDNA3, KG_BF16, "f32_16x16x16bf16_1k", "f32_16x16x16_bf16", "i16x4", NO_TAIL,1, 2, 16, false},
    {KG_CDNA3, KG_E4M3FNUZ, "f32_16x16x32_fp8_fp8", "f32_16x16x32_fp8_fp8", "long", NO_TAIL,
                                                                                1, 2, 16, false},
    {KG_CDNA3, KG_I8, "i32_16x16x32_i8", "i32_16x16x32_i8", "long", NO_TAIL,    1, 2, 16, true},
    {KG_CDNA4, KG_F16, "f32_16x16x32_f16", "f32_16x16x32_f16", "f16x8", NO_TAIL,1, 1, 16, false},
    {KG_CDNA4, KG_BF16, "f32_16x16x32_bf16", "f32_16x16x32_bf16", "bf16x8", NO_TAIL,1, 1, 16, false},
    {KG_CDNA4, KG_I8, "i32_16x16x64_i8", "i32_16x16x64_i8", "i32x4", NO_TAIL,   1, 1, 16, true},
    {KG_CDNA4, KG_E4M3, "scale_f32_16x16x128_f8f6f4", "f32_16x16x128_f8f6f4", "i32x8", NO_SCALES,
                                                                                2, 1, 32, false},
};
/* clang-format on */

enum { ROWS = sizeof table / sizeof *table, MAX_PARTS = 4 };

const struct kg_mma *kg_mma_find(const struct kg_arch *a, enum kg_type type)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (table[i].family == a->family && table[i].type == type)
            return &table[i];
    return NULL;
}

const char *kg_mma_word(const struct kg_mma *m, unsigned part, bool tied)
{
    static char names[ROWS][MAX_PARTS][2][32];
    char *name = names[m - table][part][tied];
    char number[8] = "";
    if (m->parts > 1)
        snprintf(number, sizeof number, "%u", part);
    snprintf(name, sizeof names[0][0][0], "mma%s%s_%s", tied ? "_tied" : "", number,
             kg_dtypes[m->type].token);
    return name;
}

/* The expression for part `part` of fragment `name` as an instruction takes it. */
static void operand(char *out, size_t room, const struct kg_mma *m, const char *name, unsigned part)
{
    static const char element[] = "xyzw";
    if (m->chunks == 2)
        snprintf(out, room, "join(%s0, %s1)", name, name);
    else if (m->parts == 4)
        snprintf(out, room, "%s.%c", name, element[part]);
    else if (m->parts == 2)
        snprintf(out, room, "__builtin_bit_cast(%s, %s_half(%s))", m->operand,
                 part ? "high" : "low", name);
    else if (!strcmp(m->operand, "i32x4"))
        snprintf(out, room, "%s", name);
    else
        snprintf(out, room, "__builtin_bit_cast(%s, %s)", m->operand, name);
}

static void define_mma(char *out, size_t room, const struct kg_mma *m, unsigned part, bool tied)
{
    char a[80], b[80];
    const char *acc = m->integer ? "i32x4" : "f32x4";
    operand(a, sizeof a, m, "a", part);
    operand(b, sizeof b, m, "b", part);
    int n =
        snprintf(out, room, "static __device__ inline void %s(%s &c, %s)\n{\n    ",
                 kg_mma_word(m, part, tied), acc,
                 m->chunks == 2 ? "i32x4 b0, i32x4 b1, i32x4 a0, i32x4 a1" : "i32x4 b, i32x4 a");
    if (tied)
        snprintf(out + n, room - (size_t)n,
                 "asm(\"v_mfma_%s %%0, %%1, %%2, %%0\"\n        : \"+v\"(c)\n        : \"v\"(%s), "
                 "\"v\"(%s));\n}",
                 m->mnemonic, b, a);
    else
        snprintf(out + n, room - (size_t)n, "c = __builtin_amdgcn_mfma_%s(%s, %s, c, %s);\n}",
                 m->builtin, b, a, m->tail);
}

#define WORD(name, text)                                                                           \
    {                                                                                              \
        name, KG_ANY, 0, 0, text                                                                   \
    }

/* An offset of FAR lies beyond any descriptor: loads give 0, stores vanish (CDNA3 ISA, 9.1.5.1,
 * range checking). */
static const struct kg_word common[] = {
    WORD("FAR", "enum : unsigned { FAR = 0x80000000 };"),
    WORD("i16x4", "typedef short i16x4 __attribute__((ext_vector_type(4)));"),
    WORD("i32x2", "typedef int i32x2 __attribute__((ext_vector_type(2)));"),
    WORD("i32x4", "typedef int i32x4 __attribute__((ext_vector_type(4)));"),
    WORD("i32x8", "typedef int i32x8 __attribute__((ext_vector_type(8)));"),
    WORD("LDS", "#define LDS __attribute__((address_space(3)))"),
    WORD("lds_ptr", "typedef LDS char *lds_ptr;"),
    WORD("rsrc", "typedef __amdgpu_buffer_rsrc_t rsrc;"),
    WORD("lesser", "static __device__ unsigned lesser(unsigned a, unsigned b)\n"
                   "{\n"
                   "    return a < b ? a : b;\n"
                   "}"),
    WORD("zeros_f32x4", "/* Zeros in registers of their own: known zeros would be made anew on "
                        "each way into the loop. */\n"
                        "static __device__ f32x4 zeros_f32x4()\n"
                        "{\n"
                        "    f32x4 v = {0, 0, 0, 0};\n"
                        "    asm volatile(\"\" : \"+v\"(v));\n"
                        "    return v;\n"
                        "}"),
    WORD("zeros_i32x4", "/* Zeros in registers of their own: known zeros would be made anew on "
                        "each way into the loop. */\n"
                        "static __device__ i32x4 zeros_i32x4()\n"
                        "{\n"
                        "    i32x4 v = {0, 0, 0, 0};\n"
                        "    asm volatile(\"\" : \"+v\"(v));\n"
                        "    return v;\n"
                        "}"),
    WORD("times", "/* A product by itself: with a sum behind it, it would become one of 64 bits. */\n"
                  "static __device__ unsigned times(unsigned a, unsigned b)\n"
                  "{\n"
                  "    unsigned v = a * b;\n"
                  "    asm volatile(\"\" : \"+v\"(v));\n"
                  "    return v;\n"
                  "}"),
    WORD("renew", "/* v as it is, but unknown: sums with constants are then made where they are "
                  "used, in the instruction,\n"
                  "   and not once in registers of their own. */\n"
                  "static __device__ void renew(unsigned &v)\n"
                  "{\n"
                  "    asm volatile(\"\" : \"+v\"(v));\n"
                  "}"),
    WORD("pin", "/* Nothing moves across: the order of the loop is the order written. */\n"
                "static __device__ void pin()\n"
                "{\n"
                "    __builtin_amdgcn_sched_barrier(0);\n"
                "}"),
    WORD("settle",
         "/* Waits for results still in the matrix unit, of which the compiler does not know. */\n"
         "static __device__ void settle()\n"
         "{\n"
         "    asm volatile(\"s_nop 15\\n\\ts_nop 15\");\n"
         "    __builtin_amdgcn_sched_barrier(0);\n"
         "}"),
    WORD("descriptor",
         "/* Memory of `bytes` bytes from p: loads beyond give 0, stores beyond vanish. */\n"
         "static __device__ rsrc descriptor(const void *p, unsigned bytes)\n"
         "{\n"
         "    return __builtin_amdgcn_make_buffer_rsrc((void *)p, 0, bytes, 0x27000);\n"
         "}"),
    WORD("load_chunk", "/* 16 bytes at a lane's offset plus a scalar one. */\n"
                       "static __device__ i32x4 load_chunk(rsrc r, unsigned at, unsigned scalar)\n"
                       "{\n"
                       "    return __builtin_bit_cast(i32x4, "
                       "__builtin_amdgcn_raw_buffer_load_b128(r, at, scalar, 0));\n"
                       "}"),
    WORD("read_chunk", "static __device__ i32x4 read_chunk(lds_ptr p)\n"
                       "{\n"
                       "    return *(LDS i32x4 *)p;\n"
                       "}"),
    WORD("write_chunk", "static __device__ void write_chunk(lds_ptr p, i32x4 v)\n"
                        "{\n"
                        "    *(LDS i32x4 *)p = v;\n"
                        "}"),
    WORD("copy_chunk",
         "/* 16 bytes a lane from memory to LDS at `to`, lane after lane. */\n"
         "static __device__ void copy_chunk(rsrc r, unsigned to, unsigned at, unsigned scalar)\n"
         "{\n"
         "    __builtin_amdgcn_raw_ptr_buffer_load_lds(r, (LDS void *)to, 16, at, scalar, 0, 0);\n"
         "}"),
    /* A swizzle such as v.zw inside __builtin_bit_cast would read the low half (clang 22). */
    WORD("low_half", "static __device__ i32x2 low_half(i32x4 v)\n"
                     "{\n"
                     "    return __builtin_shufflevector(v, v, 0, 1);\n"
                     "}"),
    WORD("high_half", "static __device__ i32x2 high_half(i32x4 v)\n"
                      "{\n"
                      "    return __builtin_shufflevector(v, v, 2, 3);\n"
                      "}"),
    WORD("join", "static __device__ i32x8 join(i32x4 a, i32x4 b)\n"
                 "{\n"
                 "    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);\n"
                 "}"),
};

/* What happens to a block of C on its way out. Flags as lib/ops/gemm.c sets them. */
static const struct kg_word epilogue[] = {
    WORD("GEMM_SCALE_A",
         "/* flags: which scales there are, whether they are one or many, how C is stored, what C "
         "is */\n"
         "enum : unsigned {\n"
         "    GEMM_SCALE_A = 1,   /* scale_a is there */\n"
         "    GEMM_SCALE_ROWS = 2, /* one a row */\n"
         "    GEMM_SCALE_B = 4,   /* scale_b is there */\n"
         "    GEMM_SCALE_COLS = 8, /* one a column */\n"
         "    GEMM_WIDE = 16,     /* 4 elements of a row of C may be stored at once */\n"
         "    GEMM_PARTIAL = 32,  /* c gets sums as they are, 4 bytes each */\n"
         "    GEMM_WIDER = 64,    /* 8 elements likewise */\n"
         "    GEMM_ACT = 8        /* shift of the activation: 0 none, 1 max(x, 0), 2 x / (1 + "
         "exp2(x (p + q x x))) */\n"
         "};"),
    WORD("load_scale", "static __device__ float load_scale(rsrc r, unsigned at, unsigned has)\n"
                       "{\n"
                       "    const float v = __builtin_bit_cast(float, "
                       "__builtin_amdgcn_raw_buffer_load_b32(r, at, 0, 0));\n"
                       "    return has ? v : 1.0f;\n"
                       "}"),
    WORD("load_scales",
         "/* Scales of 4 columns. */\n"
         "static __device__ f32x4 load_scales(rsrc r, unsigned at, unsigned step, unsigned has)\n"
         "{\n"
         "    const float s0 = load_scale(r, at, has), s1 = load_scale(r, at + step, has);\n"
         "    const float s2 = load_scale(r, at + 2 * step, has), s3 = load_scale(r, at + 3 * "
         "step, has);\n"
         "    return f32x4{s0, s1, s2, s3};\n"
         "}"),
    WORD("load_row_scales",
         "/* Scales of 4 columns, at once where there are whole vectors of them. */\n"
         "static __device__ f32x4 load_row_scales(rsrc r, unsigned at, unsigned step, unsigned has, "
         "unsigned flags)\n"
         "{\n"
         "    const unsigned all = GEMM_WIDE | GEMM_SCALE_COLS;\n"
         "    if ((flags & all) == all)\n"
         "        return __builtin_bit_cast(f32x4, __builtin_amdgcn_raw_buffer_load_b128(r, at, 0, "
         "0));\n"
         "    return load_scales(r, at, step, has);\n"
         "}"),
#define BIAS(type, bits)                                                                           \
    WORD("load_bias_" type, "/* 4 elements as f32; 0 beyond the end. */\n"                         \
                            "static __device__ f32x4 load_bias_" type "(rsrc r, unsigned at)\n"    \
                            "{\n"                                                                  \
                            "    f32x4 v;\n"                                                       \
                            "#pragma unroll\n"                                                     \
                            "    for (int i = 0; i < 4; i++)\n"                                    \
                            "        v[i] = (float)__builtin_bit_cast(" type                       \
                            ", __builtin_amdgcn_raw_buffer_load_b" bits                            \
                            "(r, at + i * (unsigned)sizeof(" type "), 0, 0));\n"                   \
                            "    return v;\n"                                                      \
                            "}")
    BIAS("f32", "32"),
    BIAS("f16", "16"),
    BIAS("bf16", "16"),
#undef BIAS
    WORD("activate", "/* act 1: max(x, 0). act 2: x / (1 + exp2(x (p + q x x))), which is silu for "
                     "q = 0 and gelu by tanh for its\n"
                     "   own p and q. NaN stays NaN; of an infinite x with q = 0 none is made. */\n"
                     "static __device__ float activate(float x, unsigned act, float p, float q)\n"
                     "{\n"
                     "    const float t = __builtin_amdgcn_fmed3f(x, -65536.0f, 65536.0f);\n"
                     "    const float e = __builtin_amdgcn_exp2f(t * (p + q * t * t));\n"
                     "    const float smooth = x * __builtin_amdgcn_rcpf(1.0f + e);\n"
                     "    const float ramp = x < 0.0f ? 0.0f : x;\n"
                     "    return act == 1 ? ramp : smooth;\n"
                     "}"),
    WORD("finish", "/* Scales, bias and activation of 4 columns of a row. */\n"
                   "static __device__ f32x4 finish(f32x4 x, float scale_a, f32x4 scale_b, f32x4 "
                   "bias, unsigned flags, float p,\n"
                   "                               float q)\n"
                   "{\n"
                   "    x = x * scale_a * scale_b + bias;\n"
                   "    const unsigned act = flags >> GEMM_ACT;\n"
                   "    if (act) {\n"
                   "#pragma unroll\n"
                   "        for (int i = 0; i < 4; i++)\n"
                   "            x[i] = activate(x[i], act, p, q);\n"
                   "    }\n"
                   "    return x;\n"
                   "}"),
    WORD("store_partial", "static __device__ void store_partial(rsrc r, unsigned at, i32x4 v)\n"
                          "{\n"
                          "    __builtin_amdgcn_raw_buffer_store_b128(v, r, at, 0, 0);\n"
                          "}"),
#define STORE(type, bits, all, word, wide)                                                         \
    WORD("store_one_" type,                                                                        \
         "static __device__ void store_one_" type "(rsrc r, unsigned at, " type " v)\n"            \
         "{\n"                                                                                     \
         "    __builtin_amdgcn_raw_buffer_store_b" bits "(__builtin_bit_cast(" word                \
         ", v), r, at, 0, 0);\n"                                                                   \
         "}"),                                                                                     \
        WORD("store_four_" type,                                                                   \
             "/* 4 columns from `col` of a row, those below `cols`. at: of the row; to: of the "   \
             "column, or FAR. */\n"                                                                \
             "static __device__ void store_four_" type                                             \
             "(rsrc r, unsigned at, unsigned to, unsigned col, unsigned cols,\n"                   \
             "    unsigned flags, f32x4 x)\n"                                                      \
             "{\n"                                                                                 \
             "    const " type "x4 y = __builtin_convertvector(x, " type "x4);\n"                  \
             "    if (flags & GEMM_WIDE) {\n"                                                      \
             "        __builtin_amdgcn_raw_buffer_store_b" all "(__builtin_bit_cast(" wide         \
             ", y), r, at + to, 0, 0);\n"                                                          \
             "    } else {\n"                                                                      \
             "#pragma unroll\n"                                                                    \
             "        for (unsigned i = 0; i < 4; i++)\n"                                          \
             "            store_one_" type                                                         \
             "(r, col + i < cols ? at + to + i * (unsigned)sizeof(" type ") : FAR, y[i]);\n"       \
             "    }\n"                                                                             \
             "}")
    STORE("f32", "32", "128", "int", "i32x4"),
    STORE("f16", "16", "64", "short", "i32x2"),
    STORE("bf16", "16", "64", "short", "i32x2"),
#undef STORE
};

/* CDNA4: a lane's 4 columns of two sub-blocks side by side become 8 columns of one of them, so that
 * a wave stores whole lines of 64 bytes (CDNA4 ISA, V_PERMLANE16_SWAP_B32: odd rows of 16 lanes of
 * the first register trade places with even rows of the second). */
#define STORE_EIGHT(type)                                                                          \
    WORD("store_eight_" type,                                                                      \
         "/* Two sub-blocks of 16 columns, x and y, of a row: lanes trade, so that each stores 8 " \
         "columns of one of them. */\n"                                                            \
         "static __device__ void store_eight_" type "(rsrc r, unsigned at, f32x4 x, f32x4 y)\n"    \
         "{\n"                                                                                     \
         "    const i32x2 a = __builtin_bit_cast(i32x2, __builtin_convertvector(x, " type          \
         "x4));\n"                                                                                 \
         "    const i32x2 b = __builtin_bit_cast(i32x2, __builtin_convertvector(y, " type          \
         "x4));\n"                                                                                 \
         "    const auto p = __builtin_amdgcn_permlane16_swap(a.x, b.x, false, false);\n"          \
         "    const auto q = __builtin_amdgcn_permlane16_swap(a.y, b.y, false, false);\n"          \
         "    const i32x4 v = {(int)p[0], (int)q[0], (int)p[1], (int)q[1]};\n"                     \
         "    __builtin_amdgcn_raw_buffer_store_b128(v, r, at, 0, 0);\n"                           \
         "}")
static const struct kg_word cdna4[] = {
    STORE_EIGHT("f16"),
    STORE_EIGHT("bf16"),
};
#undef STORE_EIGHT

enum { MAX_WORDS = 256 };

const struct kg_word *kg_matrix_words(const struct kg_arch *a, unsigned *count)
{
    static struct kg_word words[MAX_WORDS];
    static char texts[ROWS][MAX_PARTS][2][640];
    unsigned n = 0;
    if (a->caps & FLY_CAP_MFMA) {
        memcpy(words, common, sizeof common);
        n = sizeof common / sizeof *common;
        for (unsigned i = 0; i < ROWS; i++)
            for (unsigned part = 0; table[i].family == a->family && part < table[i].parts; part++)
                for (int tied = 0; tied < 2; tied++) {
                    char *text = texts[i][part][tied];
                    define_mma(text, sizeof texts[0][0][0], &table[i], part, tied);
                    words[n++] = (struct kg_word)WORD(kg_mma_word(&table[i], part, tied), text);
                }
        memcpy(words + n, epilogue, sizeof epilogue);
        n += sizeof epilogue / sizeof *epilogue;
        if (a->family == KG_CDNA4) {
            memcpy(words + n, cdna4, sizeof cdna4);
            n += sizeof cdna4 / sizeof *cdna4;
        }
    }
    *count = n;
    return words;
}
