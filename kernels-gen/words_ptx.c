/* SPDX-License-Identifier: MIT */
/*
 * The words of NVIDIA's PTX, in clang's builtins and inline assembly for cache hints, which the
 * builtins drop. 16-byte accesses must be aligned; rows that are not are taken by elements.
 */
#include "words.h"

#define OTHER(n, mask)                                                                             \
    {                                                                                              \
        "other" #n, KG_ANY, 0, 0,                                                                  \
            "static __device__ float other" #n "(float v)\n"                                       \
            "{\n"                                                                                  \
            "    return __nvvm_shfl_sync_bfly_f32(~0u, v, " #mask ", 31);\n"                       \
            "}"                                                                                    \
    }

/* The words load_<kept>$x and load_<kept>where_$x: with hints, by a policy of L2 that is operand %5 of the one, %7 of the other. */
#define LOADS(kept, use, use_where, hints, hint, hint_where, policy)                               \
    {"load_" kept "$x", KG_MANY, 0, 0,                                                             \
     "/* Elements at .. of p, 16 bytes aligned" use " */\n"                                        \
     "static __device__ $x load_" kept "$x(const $t *p, long at)\n"                                \
     "{\n"                                                                                         \
     "    typedef unsigned words __attribute__((ext_vector_type(4)));\n"                           \
     "    words v;\n"                                                                              \
     "    __asm__ volatile(\"ld.global" hints ".v4.b32 {%0, %1, %2, %3}, [%4]" hint ";\"\n"        \
     "                     : \"=r\"(v.x), \"=r\"(v.y), \"=r\"(v.z), \"=r\"(v.w) : \"l\"(p + at)" policy ");\n" \
     "    return __builtin_bit_cast($x, v);\n"                                                     \
     "}",                                                                                          \
     .bytes = 16},                                                                                 \
    {"load_" kept "where_$x", KG_MANY, 0, 0,                                                       \
     "/* Elements at .. of p, 16 bytes aligned, where at < end" use_where " */\n"                  \
     "static __device__ $x load_" kept "where_$x(const $t *p, int at, int end)\n"                  \
     "{\n"                                                                                         \
     "    typedef unsigned words __attribute__((ext_vector_type(4)));\n"                           \
     "    words v;\n"                                                                              \
     "    __asm__ volatile(\"{\\n\\t.reg .pred there;\\n\\tsetp.lt.s32 there, %5, %6;\\n\\t\"\n" \
     "                     \"@there ld.global" hints ".v4.b32 {%0, %1, %2, %3}, [%4]" hint_where ";\\n\\t}\"\n" \
     "                     : \"=r\"(v.x), \"=r\"(v.y), \"=r\"(v.z), \"=r\"(v.w)\n"                 \
     "                     : \"l\"(p + at), \"r\"(at), \"r\"(end)" policy ");\n"                  \
     "    return __builtin_bit_cast($x, v);\n"                                                     \
     "}",                                                                                          \
     .bytes = 16}

static const struct kg_word words[] = {
    {"affine_$x", KG_MANY, 0, 1u << KG_F16,
     "static __device__ $f affine_$x($f v, $x scale, $x offset)\n"
     "{\n"
     "    return v * __builtin_convertvector(scale, $f) + __builtin_convertvector(offset, $f);\n"
     "}"},
    {"affine_$x", KG_ONE, 0, 1u << KG_F16,
     "static __device__ $f affine_$x($f v, $x scale, $x offset)\n"
     "{\n"
     "    return v * (float)scale + (float)offset;\n"
     "}"},
    {"within", KG_ANY, 0, 0,
     "/* v, or the nearest of 0 to high. */\n"
     "static __device__ int within(int v, int high)\n"
     "{\n"
     "    return clamp(v, 0, high);\n"
     "}"},
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
    {"workgroup_id_anew", KG_ANY, 0, 0,
     "/* Read again, so that no register holds it until then. */\n"
     "static __device__ unsigned workgroup_id_anew()\n"
     "{\n"
     "    unsigned id;\n"
     "    __asm__ volatile(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(id));\n"
     "    return id;\n"
     "}"},
    {"work_item_id_anew", KG_ANY, 0, 0,
     "static __device__ unsigned work_item_id_anew()\n"
     "{\n"
     "    unsigned id;\n"
     "    __asm__ volatile(\"mov.u32 %0, %%tid.x;\" : \"=r\"(id));\n"
     "    return id;\n"
     "}"},
    {"of_wave", KG_ANY, 0, 0,
     "static __device__ unsigned of_wave(unsigned v)\n"
     "{\n"
     "    return v;\n"
     "}"},
    /* No hints where rows pass once: of a full L2, lines hinted as the first to go replace only each other. */
    LOADS("", ".", "; else undefined.", "", "", "", ""),
    {"keep_policy", KG_ANY, 0, 0,
     "/* Of L2: lines to stay as long as any. */\n"
     "static __device__ unsigned long keep_policy()\n"
     "{\n"
     "    unsigned long policy;\n"
     "    __asm__(\"createpolicy.fractional.L2::evict_last.b64 %0, 1.0;\" : \"=l\"(policy));\n"
     "    return policy;\n"
     "}"},
    {"last_policy", KG_ANY, 0, 0,
     "/* Of L2: lines to go before any other. */\n"
     "static __device__ unsigned long last_policy()\n"
     "{\n"
     "    unsigned long policy;\n"
     "    __asm__(\"createpolicy.fractional.L2::evict_first.b64 %0, 1.0;\" : \"=l\"(policy));\n"
     "    return policy;\n"
     "}"},
    LOADS("keep_", "; to be read again.", ", else undefined; to be read again.", ".L1::evict_last.L2::cache_hint", ", %5", ", %7",
          ", \"l\"(keep_policy())"),
    {"load_keep_$x", KG_MANY, 0, 0,
     "static __device__ $x load_keep_$x(const $t *p, long at)\n"
     "{\n"
     "    return *(const $x *)(p + at);\n"
     "}",
     .bytes = KG_NOT_16},
    LOADS("last_", "; not to be read again.", ", else undefined; not to be read again.", ".L1::no_allocate.L2::cache_hint", ", %5",
          ", %7", ", \"l\"(last_policy())"),
    {"load_last_$x", KG_MANY, 0, 0,
     "static __device__ $x load_last_$x(const $t *p, long at)\n"
     "{\n"
     "    return *(const $x *)(p + at);\n"
     "}",
     .bytes = KG_NOT_16},
    {"store_$x", KG_MANY, 0, 0,
     "/* 16 bytes aligned. */\n"
     "static __device__ void store_$x($t *p, long at, $x v)\n"
     "{\n"
     "    typedef unsigned words __attribute__((ext_vector_type(4)));\n"
     "    const words b = __builtin_bit_cast(words, v);\n"
     "    __asm__ volatile(\"st.global.v4.b32 [%0], {%1, %2, %3, %4};\"\n"
     "                     :: \"l\"(p + at), \"r\"(b.x), \"r\"(b.y), \"r\"(b.z), \"r\"(b.w) : "
     "\"memory\");\n"
     "}",
     .bytes = 16},
    {"store_last_$x", KG_MANY, 0, 0,
     "/* 16 bytes aligned; the first lines to leave L2, so that what is to be read again stays. */\n"
     "static __device__ void store_last_$x($t *p, long at, $x v)\n"
     "{\n"
     "    typedef unsigned words __attribute__((ext_vector_type(4)));\n"
     "    const words b = __builtin_bit_cast(words, v);\n"
     "    __asm__ volatile(\"st.global.cs.v4.b32 [%0], {%1, %2, %3, %4};\"\n"
     "                     :: \"l\"(p + at), \"r\"(b.x), \"r\"(b.y), \"r\"(b.z), \"r\"(b.w) : "
     "\"memory\");\n"
     "}",
     .bytes = 16},
    {"store_last_$x", KG_MANY, 0, 0,
     "static __device__ void store_last_$x($t *p, long at, $x v)\n"
     "{\n"
     "    *($x *)(p + at) = v;\n"
     "}",
     .bytes = KG_NOT_16},
    {"load_param_$x", KG_MANY, 0, 0,
     "/* Elements at .. of p, 16 bytes aligned; many rows read them. */\n"
     "static __device__ $x load_param_$x(const $t *p, long at)\n"
     "{\n"
     "    return *(const $x *)(p + at);\n"
     "}"},
    {"load_$x", KG_MANY, 0, 0,
     "static __device__ $x load_$x(const $t *p, long at)\n"
     "{\n"
     "    return *(const $x *)(p + at);\n"
     "}",
     .bytes = KG_NOT_16},
    {"store_$x", KG_MANY, 0, 0,
     "static __device__ void store_$x($t *p, long at, $x v)\n"
     "{\n"
     "    *($x *)(p + at) = v;\n"
     "}",
     .bytes = KG_NOT_16},
    {"load_strided_$x", KG_MANY, 0, 0,
     "/* Every step-th element from `at` on; beyond `last`, that one. */\n"
     "static __device__ $x load_strided_$x(const $t *p, int at, int step, int last)\n"
     "{\n"
     "    $x v;\n"
     "    if (at + ($n - 1) * step <= last) {\n"
     "#pragma unroll\n"
     "        for (int e = 0; e < $n; e++)\n"
     "            v[e] = p[at + e * step];\n"
     "    } else {\n"
     "#pragma unroll\n"
     "        for (int e = 0; e < $n; e++)\n"
     "            v[e] = p[least(at + e * step, last)];\n"
     "    }\n"
     "    return v;\n"
     "}"},
    {"store_strided_$x", KG_MANY, 0, 0,
     "/* The first `count` elements of v, step elements apart from `at` on. */\n"
     "static __device__ void store_strided_$x($t *p, int at, int step, int count, $x v)\n"
     "{\n"
     "    if (count == $n) {\n"
     "#pragma unroll\n"
     "        for (int e = 0; e < $n; e++)\n"
     "            p[at + e * step] = v[e];\n"
     "    } else {\n"
     "#pragma unroll\n"
     "        for (int e = 0; e < $n; e++)\n"
     "            if (e < count)\n"
     "                p[at + e * step] = v[e];\n"
     "    }\n"
     "}"},
    {"load_$x", KG_ONE, 0, 0,
     "static __device__ $x load_$x(const $t *p, long at)\n"
     "{\n"
     "    return p[at];\n"
     "}"},
    {"store_$x", KG_ONE, 0, 0,
     "static __device__ void store_$x($t *p, long at, $x v)\n"
     "{\n"
     "    p[at] = v;\n"
     "}"},
    {"load_param_$x", KG_ONE, 0, 0,
     "static __device__ $x load_param_$x(const $t *p, long at)\n"
     "{\n"
     "    return p[at];\n"
     "}"},
    {"sum_below", KG_ANY, 0, 0,
     "/* a + b, rounded to below and to above: the same where it is exact. */\n"
     "static __device__ float sum_below(float a, float b)\n"
     "{\n"
     "    return __nvvm_add_rm_f(a, b);\n"
     "}"},
    {"sum_above", KG_ANY, 0, 0,
     "static __device__ float sum_above(float a, float b)\n"
     "{\n"
     "    return __nvvm_add_rp_f(a, b);\n"
     "}"},
    {"load_element_$x", KG_ONE, 16, 0,
     "/* Element `at` of p where that is below end, else `outside`; by a predicate, and at a constant offset. */\n"
     "static __device__ $x load_element_$x(const $t *p, int at, int end, $x outside)\n"
     "{\n"
     "    int bits;\n"
     "    __asm__ volatile(\"{\\n\\t.reg .pred there;\\n\\tsetp.lt.s32 there, %2, %3;\\n\\tmov.b32 %0, %4;\\n\\t\"\n"
     "                     \"@there ld.global.u16 %0, [%1];\\n\\t}\"\n"
     "                     : \"=&r\"(bits) : \"l\"(p + at), \"r\"(at), \"r\"(end), \"r\"((int)__builtin_bit_cast(unsigned short, outside)));\n"
     "    return __builtin_bit_cast($x, (short)bits);\n"
     "}"},
    {"end_with", KG_ANY, 0, 0,
     "/* end, which ptxas cannot know before v: no operation gives a NaN of these bits. */\n"
     "static __device__ int end_with(int end, float v)\n"
     "{\n"
     "    return __builtin_bit_cast(unsigned, v) == 0xffa5a5a5 ? 0 : end;\n"
     "}"},
    {"load_param_element_$x", KG_ONE, 16, 0,
     "/* The same of what many rows read and none writes, for an end of end_with. */\n"
     "static __device__ $x load_param_element_$x(const $t *p, int at, int end, $x outside)\n"
     "{\n"
     "    int bits;\n"
     "    __asm__(\"{\\n\\t.reg .pred there;\\n\\tsetp.lt.s32 there, %2, %3;\\n\\tmov.b32 %0, %4;\\n\\t\"\n"
     "            \"@there ld.global.nc.u16 %0, [%1];\\n\\t}\"\n"
     "            : \"=&r\"(bits) : \"l\"(p + at), \"r\"(at), \"r\"(end), \"r\"((int)__builtin_bit_cast(unsigned short, outside)));\n"
     "    return __builtin_bit_cast($x, (short)bits);\n"
     "}"},
    {"store_element_$x", KG_ONE, 16, 0,
     "/* Element `at` of p = v where that is below end; by a predicate, and at a constant offset. */\n"
     "static __device__ void store_element_$x($t *p, int at, int end, $x v)\n"
     "{\n"
     "    __asm__ volatile(\"{\\n\\t.reg .pred there;\\n\\tsetp.lt.s32 there, %2, %3;\\n\\t\"\n"
     "                     \"@there st.global.b16 [%0], %1;\\n\\t}\"\n"
     "                     :: \"l\"(p + at), \"h\"(__builtin_bit_cast(short, v)), \"r\"(at), \"r\"(end) : \"memory\");\n"
     "}"},
    {"store_element_$x", KG_ONE, 8, 0,
     "/* Element `at` of p = v where that is below end; by a predicate, and at a constant offset. */\n"
     "static __device__ void store_element_$x($t *p, int at, int end, $x v)\n"
     "{\n"
     "    __asm__ volatile(\"{\\n\\t.reg .pred there;\\n\\tsetp.lt.s32 there, %2, %3;\\n\\t\"\n"
     "                     \"@there st.global.b8 [%0], %1;\\n\\t}\"\n"
     "                     :: \"l\"(p + at), \"r\"((int)__builtin_bit_cast(unsigned char, v)), \"r\"(at), \"r\"(end) : \"memory\");\n"
     "}"},
    {"load_before_$x", KG_ONE, 16, 0,
     "/* The bits of element `at` of p where place < end, else 0; in a register of their own, so that nothing waits\n"
     " * for them before they are used. */\n"
     "static __device__ int load_before_$x(const $t *p, int at, int place, int end)\n"
     "{\n"
     "    int bits;\n"
     "    __asm__ volatile(\"{\\n\\t.reg .pred there;\\n\\tsetp.lt.s32 there, %2, %3;\\n\\tmov.b32 %0, 0;\\n\\t\"\n"
     "                     \"@there ld.global.u16 %0, [%1];\\n\\t}\"\n"
     "                     : \"=&r\"(bits) : \"l\"(p + at), \"r\"(place), \"r\"(end));\n"
     "    return bits;\n"
     "}"},
    {"store_before_$x", KG_ONE, 16, 0,
     "/* Element `at` of p = v where place < end. */\n"
     "static __device__ void store_before_$x($t *p, int at, $x v, int place, int end)\n"
     "{\n"
     "    __asm__ volatile(\"{\\n\\t.reg .pred there;\\n\\tsetp.lt.s32 there, %2, %3;\\n\\t\"\n"
     "                     \"@there st.global.b16 [%0], %1;\\n\\t}\"\n"
     "                     :: \"l\"(p + at), \"h\"(__builtin_bit_cast(short, v)), \"r\"(place), \"r\"(end) : \"memory\");\n"
     "}"},
    {"of_bits_$x", KG_ONE, 16, 0,
     "static __device__ $x of_bits_$x(int bits)\n"
     "{\n"
     "    return __builtin_bit_cast($x, (short)bits);\n"
     "}"},
    {"bits_of_$x", KG_ONE, 16, 0,
     "static __device__ int bits_of_$x($x v)\n"
     "{\n"
     "    return __builtin_bit_cast(unsigned short, v);\n"
     "}"},
    {"pair_of", KG_ANY, 0, 0,
     "/* The low 16 bits of both. */\n"
     "static __device__ int pair_of(int low, int high)\n"
     "{\n"
     "    int pair;\n"
     "    __asm__(\"prmt.b32 %0, %1, %2, 0x5410;\" : \"=r\"(pair) : \"r\"(low), \"r\"(high));\n"
     "    return pair;\n"
     "}"},
    {"after_earlier", KG_ANY, 0, 0, .has = FLY_CAP_OVERLAP,
     .text = "/* Lets the next kernel of the stream get ready, of few workgroups, and waits for the one before to have finished. */\n"
             "static __device__ void after_earlier(bool few)\n"
             "{\n"
             "    if (few)\n"
             "        __asm__ volatile(\"griddepcontrol.launch_dependents;\" ::: \"memory\");\n"
             "    __asm__ volatile(\"griddepcontrol.wait;\" ::: \"memory\");\n"
             "}"},
    {"cluster_barrier", KG_ANY, 0, 0, .has = FLY_CAP_CLUSTER,
     .text = "/* What workgroups of the cluster gave one another before, all of them read after. */\n"
             "static __device__ void cluster_barrier()\n"
             "{\n"
             "    __asm__ volatile(\"barrier.cluster.arrive.aligned;\\n\\tbarrier.cluster.wait.aligned;\" ::: \"memory\");\n"
             "}"},
    {"shared_at", KG_ANY, 0, 0, .has = FLY_CAP_CLUSTER,
     .text = "/* Where p, which points to shared memory, lies there. */\n"
             "static __device__ unsigned shared_at(const void *p)\n"
             "{\n"
             "    return (unsigned)(unsigned long)(__attribute__((address_space(3))) const char *)p;\n"
             "}"},
    {"give", KG_ANY, 0, 0, .has = FLY_CAP_CLUSTER,
     .text = "/* Writes the dwords at v to where the cluster's workgroup `to` has slot. */\n"
             "static __device__ void give(void *slot, int to, const void *v, int dwords)\n"
             "{\n"
             "    unsigned there;\n"
             "    __asm__ volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there)\n"
             "                     : \"r\"(shared_at(slot)), \"r\"(to));\n"
             "    for (int i = 0; i < dwords; i++)\n"
             "        __asm__ volatile(\"st.shared::cluster.b32 [%0], %1;\" :\n"
             "                         : \"r\"(there + 4 * i), \"r\"(((const int *)v)[i]) : \"memory\");\n"
             "}"},
    {"workgroups", KG_ANY, 0, 0,
     "/* Of the launch. */\n"
     "static __device__ unsigned workgroups()\n"
     "{\n"
     "    return __nvvm_read_ptx_sreg_nctaid_x();\n"
     "}"},
    {"open_gates", KG_ANY, 0, 0, .has = FLY_CAP_CLUSTER,
     .text = "/* Makes `count` gates, each of which opens for a phase when the bytes expected for it have come. By one\n"
             " * work-item, before a cluster_barrier. */\n"
             "static __device__ void open_gates(unsigned long *gates, int count)\n"
             "{\n"
             "    for (int i = 0; i < count; i++)\n"
             "        __asm__ volatile(\"mbarrier.init.shared::cta.b64 [%0], 1;\" ::\n"
             "                         \"r\"(shared_at(gates + i)) : \"memory\");\n"
             "    __asm__ volatile(\"fence.mbarrier_init.release.cluster;\" ::: \"memory\");\n"
             "}"},
    {"expect_bytes", KG_ANY, 0, 0, .has = FLY_CAP_CLUSTER,
     .text = "/* The gate's present phase is to open after so many bytes. By one work-item. */\n"
             "static __device__ void expect_bytes(unsigned long *gate, int bytes)\n"
             "{\n"
             "    __asm__ volatile(\"mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\" ::\n"
             "                     \"r\"(shared_at(gate)), \"r\"(bytes) : \"memory\");\n"
             "}"},
    {"wait_gate", KG_ANY, 0, 0, .has = FLY_CAP_CLUSTER,
     .text = "/* Waits until the gate has opened for its phase, 0 or 1 in turn: what was given through it may be read. */\n"
             "static __device__ void wait_gate(unsigned long *gate, int phase)\n"
             "{\n"
             "    __asm__ volatile(\"{\\n\\t.reg .pred open;\\n\"\n"
             "                     \"again: mbarrier.try_wait.parity.shared::cta.b64 open, [%0], %1;\\n\\t\"\n"
             "                     \"@!open bra again;\\n\\t}\" ::\n"
             "                     \"r\"(shared_at(gate)), \"r\"(phase) : \"memory\");\n"
             "}"},
    {"give_through", KG_ANY, 0, 0, .has = FLY_CAP_CLUSTER,
     .text = "/* Writes the dwords at v, one, two or fours of them, to where the cluster's workgroup `to` has slot, and counts them at its gate.\n"
             " * Waits for nothing, where a barrier would wait for all stores before it. */\n"
             "static __device__ void give_through(unsigned long *gate, void *slot, int to, const void *v, int dwords)\n"
             "{\n"
             "    unsigned there, counter;\n"
             "    const int *part = (const int *)v;\n"
             "    __asm__ volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(there)\n"
             "                     : \"r\"(shared_at(slot)), \"r\"(to));\n"
             "    __asm__ volatile(\"mapa.shared::cluster.u32 %0, %1, %2;\" : \"=r\"(counter)\n"
             "                     : \"r\"(shared_at(gate)), \"r\"(to));\n"
             "    if (dwords == 1)\n"
             "        __asm__ volatile(\"st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];\" ::\n"
             "                         \"r\"(there), \"r\"(part[0]), \"r\"(counter) : \"memory\");\n"
             "    if (dwords == 2)\n"
             "        __asm__ volatile(\"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%0], {%1, %2}, [%3];\" ::\n"
             "                         \"r\"(there), \"r\"(part[0]), \"r\"(part[1]), \"r\"(counter) : \"memory\");\n"
             "    for (int i = 0; i + 4 <= dwords; i += 4)\n"
             "        __asm__ volatile(\"st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];\" ::\n"
             "                         \"r\"(there + 4 * i), \"r\"(part[i]), \"r\"(part[i + 1]), \"r\"(part[i + 2]),\n"
             "                         \"r\"(part[i + 3]), \"r\"(counter) : \"memory\");\n"
             "}"},
    {"negative", KG_ANY, 0, 0,
     "static __device__ float negative(float v)\n"
     "{\n"
     "    return -v;\n"
     "}"},
    {"minus_$x", KG_ANY, 32, 1u << KG_F32,
     "static __device__ $x minus_$x($x a, $x b)\n"
     "{\n"
     "    return a - b;\n"
     "}"},
    {"local", KG_ANY, 0, 0,
     "/* v, opaque to the compiler, so that what is made of it is made where it is used. */\n"
     "static __device__ int local(int v)\n"
     "{\n"
     "    __asm__ volatile(\"\" : \"+r\"(v));\n"
     "    return v;\n"
     "}"},
    {"here_$x", KG_MANY, 0, 0,
     "/* v: what is made of it is made here, not ahead of a loop. */\n"
     "static __device__ $x here_$x($x v)\n"
     "{\n"
     "    typedef int words __attribute__((ext_vector_type(sizeof($x) / 4)));\n"
     "    words bits = __builtin_bit_cast(words, v);\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < sizeof($x) / 4; i++)\n"
     "        __asm__ volatile(\"\" : \"+r\"(bits[i]));\n"
     "    return __builtin_bit_cast($x, bits);\n"
     "}"},
    {"settled_$f", KG_ANY, 0, 1u << KG_F32,
     "/* v, which is worked out here and not where it is next used. */\n"
     "static __device__ $f settled_$f($f v)\n"
     "{\n"
     "    typedef float elements __attribute__((ext_vector_type(sizeof($f) / 4)));\n"
     "    elements e = __builtin_bit_cast(elements, v);\n"
     "#pragma unroll\n"
     "    for (int i = 0; i < sizeof($f) / 4; i++)\n"
     "        __asm__ volatile(\"\" : \"+f\"(e[i]));\n"
     "    return __builtin_bit_cast($f, e);\n"
     "}"},
    {"widen_$x", KG_MANY, 0, 1u << KG_BF16,
     "/* By words: an element of its own costs two instructions where it is the high half. */\n"
     "static __device__ $f widen_$x($x v)\n"
     "{\n"
     "    typedef unsigned words __attribute__((ext_vector_type($n / 2)));\n"
     "    const words bits = __builtin_bit_cast(words, v);\n"
     "    $f wide;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e += 2) {\n"
     "        wide[e] = __builtin_bit_cast(float, bits[e / 2] << 16);\n"
     "        wide[e + 1] = __builtin_bit_cast(float, bits[e / 2] & 0xffff0000);\n"
     "    }\n"
     "    return wide;\n"
     "}"},
    {"added_$x", KG_MANY, 0, 1u << KG_BF16,
     "/* a + b, rounded once: written so that it becomes one addition of 16-bit pairs. */\n"
     "static __device__ $x added_$x($x a, $x b)\n"
     "{\n"
     "    return __builtin_convertvector(__builtin_convertvector(a, $f) + __builtin_convertvector(b, $f), $x);\n"
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
    {"ask_param_$x", KG_MANY, 0, 0,
     "/* The vector at .. of p, 16 bytes aligned, on its way to shared memory if it begins before `end`. */\n"
     "static __device__ void ask_param_$x($x *to, const $t *p, long at, int end)\n"
     "{\n"
     "    const unsigned place = (unsigned)(unsigned long)(__attribute__((address_space(3))) $x *)to;\n"
     "    __asm__ volatile(\"{\\n\\t.reg .pred there;\\n\\tsetp.lt.s32 there, %2, %3;\\n\\t\"\n"
     "                     \"@there cp.async.ca.shared.global [%0], [%1], 16;\\n\\t}\"\n"
     "                     :: \"r\"(place), \"l\"(p + at), \"r\"((int)at), \"r\"(end) : \"memory\");\n"
     "}"},
    {"asked", KG_ANY, 0, 0,
     "/* Waits for what this work-item asked for. */\n"
     "static __device__ void asked()\n"
     "{\n"
     "    __asm__ volatile(\"cp.async.wait_all;\" ::: \"memory\");\n"
     "}"},
    {"add_at", KG_ANY, 0, 0,
     "/* Adds v to what p points to, atomically. What was there. */\n"
     "static __device__ float add_at(float *p, float v)\n"
     "{\n"
     "    float there;\n"
     "    __asm__ volatile(\"atom.global.add.f32 %0, [%1], %2;\" : \"=f\"(there) : \"l\"(p), \"f\"(v) : \"memory\");\n"
     "    return there;\n"
     "}"},
    {"reciprocal", KG_ANY, 0, 0,
     "static __device__ float reciprocal(float v)\n"
     "{\n"
     "    return 1 / v;\n"
     "}"},
    {"share_of", KG_ANY, 0, 0,
     "/* 1 / n to 46 bits, n a whole number. */\n"
     "static __device__ double share_of(double n)\n"
     "{\n"
     "    const double near = __nvvm_rcp_approx_ftz_f((float)n);\n"
     "    return __builtin_fma(__builtin_fma(-near, n, 1), near, near);\n"
     "}"},
    {"divide", KG_ANY, 0, 0,
     "/* v / by, a whole number: hi the quotient rounded, lo what is missing, from an exact rest. */\n"
     "static __device__ void divide(double v, double by, float &hi, float &lo)\n"
     "{\n"
     "    const double share = share_of(by);\n"
     "    hi = v * share;\n"
     "    lo = __builtin_fma(-(double)hi, by, v) * share;\n"
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
    {"larger", KG_ANY, 0, 0,
     "/* The larger of two; the other one when one is NaN. */\n"
     "static __device__ float larger(float a, float b)\n"
     "{\n"
     "    return __nvvm_fmax_f(a, b);\n"
     "}"},
    {"most_$x", KG_MANY, 16, 1u << KG_F16 | 1u << KG_BF16,
     "/* The largest element; NaN only where all are. */\n"
     "static __device__ float most_$x($x v)\n"
     "{\n"
     "    typedef $t two __attribute__((ext_vector_type(2)));\n"
     "    two pairs[$n / 2];\n"
     "    __builtin_memcpy(pairs, &v, sizeof pairs);\n"
     "    two top = pairs[0];\n"
     "#pragma unroll\n"
     "    for (int i = 1; i < $n / 2; i++)\n"
     "        top = __nvvm_fmax_$tx2(top, pairs[i]);\n"
     "    return larger(top[0], top[1]);\n"
     "}"},
    {"power_of_2", KG_ANY, 0, 0,
     "static __device__ float power_of_2(float v)\n"
     "{\n"
     "    return __nvvm_ex2_approx_ftz_f(v);\n"
     "}"},
    {"narrow_$x", KG_MANY, 8, 1u << KG_I8,
     "/* Rounds to nearest even by an addition that leaves the integer in the low bits, to -127 .. 127; NaN\n"
     " * becomes 0. Conversions would take a slow pipe. */\n"
     "static __device__ $x narrow_$x($f v)\n"
     "{\n"
     "    $x codes;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++) {\n"
     "        const float in = __nvvm_fmax_f(__nvvm_fmin_f(v[e], 127), -127);\n"
     "        const int bits = __builtin_bit_cast(int, in + 0x1.8p+23f);\n"
     "        codes[e] = v[e] == v[e] ? bits : 0;\n"
     "    }\n"
     "    return codes;\n"
     "}"},
    {"narrow_$x", KG_ONE, 8, 1u << KG_I8,
     "/* Rounds to nearest even, to -127 .. 127; NaN becomes 0. */\n"
     "static __device__ $x narrow_$x($f v)\n"
     "{\n"
     "    const float in = __nvvm_fmax_f(__nvvm_fmin_f(v, 127), -127);\n"
     "    return v == v ? (int)__builtin_rintf(in) : 0;\n"
     "}"},
    {"byte_of_each", KG_ANY, 0, 0,
     "/* The low bytes of two floats, as the low bytes. */\n"
     "static __device__ int byte_of_each(float a, float b)\n"
     "{\n"
     "    return __nvvm_prmt(__builtin_bit_cast(int, a), __builtin_bit_cast(int, b), 0x0040);\n"
     "}"},
    {"codes_$x", KG_MANY, 8, 1u << KG_I8,
     "/* The integers that v is above 0x1.8p+23; zeros where `picks` takes no bytes. */\n"
     "static __device__ $x codes_$x($f v, int picks)\n"
     "{\n"
     "    typedef int words __attribute__((ext_vector_type($n / 4)));\n"
     "    const int seen = picks == 0x0c0c0c0c ? 0 : -1;\n"
     "    words codes;\n"
     "#pragma unroll\n"
     "    for (int w = 0; w < $n / 4; w++) {\n"
     "        const int low = byte_of_each(v[4 * w], v[4 * w + 1]), high = byte_of_each(v[4 * w + 2], v[4 * w + 3]);\n"
     "        codes[w] = (int)__nvvm_prmt(low, high, 0x5410) & seen;\n"
     "    }\n"
     "    return __builtin_bit_cast($x, codes);\n"
     "}"},
    {"codes_$x", KG_ONE, 8, 1u << KG_I8,
     "static __device__ $x codes_$x(float v, int picks)\n"
     "{\n"
     "    return picks == 0x0c0c0c0c ? 0 : __builtin_bit_cast(int, v);\n"
     "}"},
    {"scaled_$x", KG_ONE, 32, 1u << KG_F32,
     "static __device__ $x scaled_$x($x v, float factor, float term)\n"
     "{\n"
     "    return __builtin_fmaf(v, factor, term);\n"
     "}"},
    {"peak_$x", KG_ONE, 32, 1u << KG_F32,
     "static __device__ void peak_$x(float &most, bool &, $x v)\n"
     "{\n"
     "    most = __nvvm_fmax_nan_f(most, __builtin_fabsf(v));\n"
     "}"},
    {"scaled_$x", KG_MANY, 32, 1u << KG_F32,
     "/* v factor + term, rounded once. */\n"
     "static __device__ $x scaled_$x($x v, float factor, float term)\n"
     "{\n"
     "    $x out;\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        out[e] = __builtin_fmaf(v[e], factor, term);\n"
     "    return out;\n"
     "}"},
    {"peak_$x", KG_MANY, 32, 1u << KG_F32,
     "/* `most` becomes the largest of itself and the elements' magnitudes, or NaN where one is: then it says so itself. */\n"
     "static __device__ void peak_$x(float &most, bool &, $x v)\n"
     "{\n"
     "#pragma unroll\n"
     "    for (int e = 0; e < $n; e++)\n"
     "        most = __nvvm_fmax_nan_f(most, __builtin_fabsf(v[e]));\n"
     "}"},
    {"four_e4m3", KG_ANY, 0, 0,
     "/* Four codes, the first in the low byte. */\n"
     "static __device__ int four_e4m3(float a, float b, float c, float d)\n"
     "{\n"
     "    const unsigned low = (unsigned short)__nvvm_ff_to_e4m3x2_rn(b, a);\n"
     "    const unsigned high = (unsigned short)__nvvm_ff_to_e4m3x2_rn(d, c);\n"
     "    return high << 16 | low;\n"
     "}"},
    {"of_first", KG_ANY, 0, 0,
     "/* v of the first of so many lanes. */\n"
     "static __device__ float of_first(float v, int lanes)\n"
     "{\n"
     "    return __nvvm_shfl_sync_idx_f32(~0u, v, 0, (32 - lanes) << 8 | 31);\n"
     "}"},
    OTHER(2, 1),
    OTHER(4, 2),
    OTHER(8, 4),
    OTHER(16, 8),
    OTHER(32, 16),
};

const struct kg_isa kg_isa_ptx = {
    .words = {{words, sizeof words / sizeof *words}},
    .line = 32,
    .any_alignment = false,
    .registers = 65536,
    .param_vectors = 2,
    .double_moments = true,
    .asks = true,
    .resident_lanes = 2048,
    .exchanges_wait = true,
    .clusters = true,
    .bounds = "launch_bounds(%u, %u)",
};
