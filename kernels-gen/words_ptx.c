/* SPDX-License-Identifier: MIT */
/*
 * The words of NVIDIA's PTX, in clang's builtins. 16-byte accesses must be aligned, so a vector at another
 * address is moved by elements.
 */
#include "words.h"

#define OTHER(n, mask)                                                                             \
    {"other" #n, KG_ANY, 0, 0,                                                                     \
     "static __device__ float other" #n "(float v)\n"                                              \
     "{\n"                                                                                         \
     "    return __nvvm_shfl_sync_bfly_f32(~0u, v, " #mask ", 31);\n"                              \
     "}"}

static const struct kg_word words[] = {
    {"workgroup_id", KG_ANY, 0, 0,
     "static __device__ unsigned workgroup_id()\n"
     "{\n"
     "    return __nvvm_read_ptx_sreg_ctaid_x();\n"
     "}"},
    {"work_item_id", KG_ANY, 0, 0,
     "static __device__ unsigned work_item_id()\n"
     "{\n"
     "    return __nvvm_read_ptx_sreg_tid_x();\n"
     "}"},
    {"of_wave", KG_ANY, 0, 0,
     "static __device__ unsigned of_wave(unsigned v)\n"
     "{\n"
     "    return v;\n"
     "}"},
    {"load_far_$x", KG_MANY, 0, 0,
     "/* Elements at .. of p: one access where it is aligned, else by elements. */\n"
     "static __device__ $x load_far_$x(const $t *p, long at)\n"
     "{\n"
     "    $x v;\n"
     "    if ((unsigned long)(p + at) % sizeof v == 0)\n"
     "        return *(const $x *)(p + at);\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        v[e] = p[at + e];\n"
     "    return v;\n"
     "}"},
    {"store_far_$x", KG_MANY, 0, 0,
     "static __device__ void store_far_$x($t *p, long at, $x v)\n"
     "{\n"
     "    if ((unsigned long)(p + at) % sizeof v == 0) {\n"
     "        *($x *)(p + at) = v;\n"
     "        return;\n"
     "    }\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        p[at + e] = v[e];\n"
     "}"},
    {"load_far_$x", KG_ONE, 0, 0,
     "static __device__ $x load_far_$x(const $t *p, long at)\n"
     "{\n"
     "    return p[at];\n"
     "}"},
    {"store_far_$x", KG_ONE, 0, 0,
     "static __device__ void store_far_$x($t *p, long at, $x v)\n"
     "{\n"
     "    p[at] = v;\n"
     "}"},
    {"load_$x", KG_ANY, 0, 0,
     "static __device__ $x load_$x(const $t *p, int at)\n"
     "{\n"
     "    return load_far_$x(p, at);\n"
     "}"},
    {"store_$x", KG_ANY, 0, 0,
     "static __device__ void store_$x($t *p, int at, $x v)\n"
     "{\n"
     "    store_far_$x(p, at, v);\n"
     "}"},
    {"local", KG_ANY, 0, 0,
     "static __device__ int local(int v)\n"
     "{\n"
     "    return v;\n"
     "}"},
    {"packed_$x", KG_MANY, 0, 0,
     "/* v, opaque to the compiler, so that it is kept as it is and not in a widened form too. */\n"
     "static __device__ $x packed_$x($x v)\n"
     "{\n"
     "    typedef int words __attribute__((ext_vector_type(sizeof($x) / 4)));\n"
     "    words bits = __builtin_bit_cast(words, v);\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < sizeof($x) / 4; i++)\n"
     "        __asm__(\"\" : \"+r\"(bits[i]));\n"
     "    return __builtin_bit_cast($x, bits);\n"
     "}"},
    {"barrier", KG_ANY, 0, 0,
     "/* What work-items wrote to shared memory before, all of the workgroup read after. */\n"
     "static __device__ void barrier()\n"
     "{\n"
     "    __syncthreads();\n"
     "}"},
    {"reciprocal", KG_ANY, 0, 0,
     "static __device__ float reciprocal(float v)\n"
     "{\n"
     "    return 1 / v;\n"
     "}"},
    {"reciprocal_root_near", KG_ANY, 0, 0,
     "static __device__ float reciprocal_root_near(float v)\n"
     "{\n"
     "    return __nvvm_rsqrt_approx_f(v);\n"
     "}"},
    {"zero_in_wave", KG_ANY, 0, 0,
     "/* Whether v is zero in all lanes. */\n"
     "static __device__ bool zero_in_wave(int v)\n"
     "{\n"
     "    return !__nvvm_vote_any_sync(~0u, v != 0);\n"
     "}"},
    OTHER(2, 1),
    OTHER(4, 2),
    OTHER(8, 4),
    OTHER(16, 8),
    OTHER(32, 16),
};

const struct kg_isa kg_isa_ptx = {
    .words = words,
    .count = sizeof words / sizeof *words,
    .line = 32,
    .any_alignment = false,
    .bounds = "launch_bounds(%u)",
};
