/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary kernels are written in: small device functions such as load_bf16x8, other16,
 * barrier. Kernel bodies only use them by name; each instruction set family has its own definitions
 * (words_amdgcn.c, words_ptx.c), the portable ones are in words.c. A translation unit gets the
 * words it uses and no more.
 */
#ifndef KG_WORDS_H
#define KG_WORDS_H

#include "spec.h"

/* For which vector widths a word with a type in its name is defined. */
enum kg_width { KG_ONE = 1, KG_MANY = 2, KG_ANY = 3 };

/* One definition. In name and text, $t is an element type (f32, bf16), $n the elements of a vector,
 * $x the vector type (bf16x8), $f the vector of as many f32. A word without $ in its name is
 * defined once. */
struct kg_word {
    const char *name;
    enum kg_width width;
    unsigned bits;  /* only for element types of this many bits; 0: all */
    unsigned types; /* only for these, a mask of 1 << enum kg_type; 0: all */
    const char *text;
    unsigned bytes; /* only for vectors of this many bytes, or KG_NOT_16; 0: all */
    unsigned has;   /* only on archs with these FLY_CAP_* */
    unsigned lacks; /* only on archs without this one */
};
enum { KG_NOT_16 = ~0u };

/* What a family brings: its words, and the facts stages lay out memory with. */
struct kg_isa {
    struct {
        const struct kg_word *rows;
        unsigned count;
    } words[2];         /* what the family shares, then its own */
    unsigned line;      /* bytes of a cache line that a wave's accesses should start at */
    bool any_alignment; /* 16-byte accesses work at every element's address; else words load_strided_,
                           store_strided_ */
    bool far;           /* offsets beyond 32 bits are words of their own, load_far_, store_far_ */
    unsigned
        registers; /* vector registers of a compute unit, shared by the work-items of a workgroup */
    unsigned param_vectors; /* of a row of parameters, held by a work-item of a row-wise kernel; 4 or fewer */
    bool double_sums; /* arithmetic of double keeps up with memory */
    bool slow_doubles; /* so much slower than arithmetic of floats that two of these do for one double */
    bool double_moments; /* the same for sums of squares, which save a sweep and an exchange */
    bool asks; /* words ask_param_, asked: copies to shared memory that a work-item does not wait for */
    bool wave_groups; /* workgroups of one wave start as fast and fill a compute unit as well as larger ones */
    bool last_lane; /* sums of a wave may end in its last lane: words below32, below64, of_last */
    unsigned resident_lanes; /* a compute unit's most, of which `bounds` asks for a part; 0: `bounds` does not ask */
    bool exchanges_wait; /* an exchange between lanes waits for all lanes of the wave that have not ended */
    bool clusters;      /* words give, cluster_barrier, on archs with FLY_CAP_CLUSTER */
    const char *bounds; /* attribute of a kernel: the work-items of a workgroup, and the same again or the
                           resident workgroups */
};

const struct kg_isa *kg_isa_of(const struct kg_arch *a);

/* Writes the head of a translation unit for `body`: the types and words it uses, in order. */
void kg_words_write(struct kg_buf *out, const struct kg_arch *a, const char *body);

extern const struct kg_isa kg_isa_wave64, kg_isa_wave32, kg_isa_cdna5, kg_isa_ptx;

#endif
