/* SPDX-License-Identifier: MIT */
/*
 * The record: everything that makes one kernel variant what it is. Names are printed from it,
 * kernels are written from it, and the registry row the library reads is its copy. Arch and dtype
 * rows come from lib/arch.inc and lib/dtype.inc, which the library shares.
 */
#ifndef KG_SPEC_H
#define KG_SPEC_H

#include "core/cap.h"
#include "text.h"

#include <stdint.h>

enum kg_group { KG_GFX9, KG_GFX11, KG_GFX12, KG_NVPTX };
enum kg_family { KG_CDNA2, KG_CDNA3, KG_CDNA4, KG_RDNA3, KG_RDNA4, KG_CDNA5, KG_PTX };
enum kg_fp8 { KG_FP8_NONE, KG_FP8_FNUZ, KG_FP8_OCP };

struct kg_arch {
    const char *id;   /* token of registry rows */
    const char *name; /* what the compiler calls it */
    enum kg_group group;
    enum kg_family family;
    unsigned wave, lds, banks;
    enum kg_fp8 fp8;
    const char *generic; /* id of the generic target, or "NONE" */
    unsigned cov;        /* code object version, 0 for PTX */
    unsigned caps;       /* FLY_CAP_* */
};

/* Whether the target stands for several GPUs: code object version 6 is for these alone. */
static inline bool kg_arch_generic(const struct kg_arch *a)
{
    return a->cov == 6;
}

struct kg_dtype {
    const char *id;    /* token of registry rows */
    const char *token; /* what kernel names call it */
    unsigned bits;
};

extern const struct kg_arch kg_archs[];
extern const unsigned kg_arch_count;
const struct kg_arch *kg_arch_find(const char *name);

/* The folder of its group's fat binaries. */
const char *kg_arch_folder(const struct kg_arch *a);

enum kg_type {
#define FLY_DTYPE(id, value, token, bits, kind) KG_##id,
#include "dtype.inc"
#undef FLY_DTYPE
    KG_TYPES
};
extern const struct kg_dtype kg_dtypes[KG_TYPES];

/* How a row-wise kernel covers rows; struct fly_rowwise_tile of the library. */
struct kg_rowwise {
    unsigned rows;    /* rows a workgroup works on at a time */
    unsigned threads; /* work-items a row */
    unsigned vectors; /* vectors a work-item */
    unsigned vec;     /* elements a vector */
    unsigned cluster; /* workgroups that share a row, neighbours that run at the same time (gradients); 0: a row has one */
    unsigned waves; /* of a SIMD the compiler is asked to count on; 0: it chooses. A candidate of searches only */
    bool packed; /* rows share several waves, though a wave alone would do as well. A candidate of searches only */
    bool loop; /* reads rows of any length twice; else keeps a row of max_cols in registers */
    bool sum;  /* takes no rows: adds up what programs left, `threads` columns of `rows` programs at a time */
};

/* The tile of a GEMM kernel; struct fly_gemm_tile of the library. */
struct kg_gemm {
    unsigned m, n;             /* block of C a workgroup computes */
    unsigned k_bytes;          /* of A and B in a k tile */
    unsigned waves_m, waves_n; /* how the block is divided */
    unsigned depth; /* tiles of B in registers: 1 reloads in place, 2 holds the next beside */
    unsigned ahead; /* fragments of A read ahead, at most */
    bool tied;      /* accumulators stay in their registers by inline assembly */
    bool reduce;    /* no tile: adds up what split-k kernels left */
    unsigned slices; /* of k: 2: groups of waves do half of the tiles each, added up in LDS; 0: 1 */
    bool assembly;  /* written as assembly, not as HIP */
};

struct kg_op;

struct kg_spec {
    const struct kg_op *op;
    const struct kg_arch *arch;
    enum kg_type in, weight, out;
    union {
        struct kg_rowwise tile;
        struct kg_gemm gemm;
    };
};

/* A kernel argument. `of` says which of the record's types a pointer points to. */
enum kg_kind { KG_ARG_IN, KG_ARG_OUT, KG_ARG_I64, KG_ARG_I32, KG_ARG_F32 };
enum kg_of { KG_OF_IN, KG_OF_WEIGHT, KG_OF_OUT, KG_OF_F32, KG_OF_I32 };
struct kg_arg {
    const char *name;
    enum kg_kind kind;
    enum kg_of of;
    bool alone; /* no other argument overlaps what it points to */
    const char *ld; /* a matrix: the argument that is its leading dimension; null for vectors */
    bool two_ways;  /* only of kernels with two bodies, the last one there: whether the library found vectors aligned */
};

/* An op of the generator: its file in ops/ defines one. */
struct kg_op {
    const char *name;
    const char *family; /* modules are family_types */
    bool weightless;    /* has no weight operand; records then repeat the input type */
    bool light;         /* row-wise: needs few registers beside the row, so more work-items can be resident */
    const char *outside; /* row-wise: what vectors outside an aligned row are; null: 0 */
    bool asks;          /* row-wise: parameters of a resident row are asked for with it, where the target can */
    bool adds_rows;     /* row-wise: a workgroup adds its rows up, the better the more it has */
    bool divides;       /* quantised output: codes are those of rounded quotients where f32 comes in, not of products */
    unsigned again_lanes; /* row-wise: most lanes of a row that is read again from L1, see kg_row_again */
    bool leaves_rows;   /* row-wise: the body for aligned rows of its loops may leave one to the other body */
    unsigned rows_held; /* row-wise: input rows a work-item holds; 0 is 1 */
    const struct kg_arg *args;
    unsigned arg_count;
    /* Calls visit for each record of this op on this arch; within (arch, types) the last one fits
     * any problem. */
    void (*variants)(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with);
    /* Null when the kernel can exist, else the reason why not. */
    const char *(*legal)(const struct kg_spec *s);
    /* Row-wise: vector registers a work-item needs. Null: those for the rows it holds and little else. */
    unsigned (*registers)(const struct kg_spec *s);
    /* Writes the kernel. */
    void (*emit)(struct kg *g, const struct kg_spec *s);
    /* Work-items a workgroup, the tile as names spell it, the registry's field. Null: of a row-wise
     * kernel. */
    unsigned (*block)(const struct kg_spec *s);
    void (*tile)(const struct kg_spec *s, char *out, size_t room);
    void (*row)(struct kg_buf *out, const struct kg_spec *s);
    /* Whether the record is written as assembly: then its module is its own. Null: none is. */
    bool (*assembly)(const struct kg_spec *s);
    /* One sentence about the variant, for `flygen explain`. */
    void (*explain)(struct kg_buf *out, const struct kg_spec *s);
};

extern const struct kg_op *const kg_ops[];
extern const unsigned kg_op_count;

/* Calls visit for every record there is: ops in their order, then archs, then types and tiles. */
void kg_spec_all(void (*visit)(const struct kg_spec *s, void *with), void *with);

/* layernorm_bf16_gfx942_r1t256v2: the symbol, file stem and tuning key; dashes of the arch left
 * out. */
enum { KG_NAME_MAX = 96 };
void kg_spec_name(const struct kg_spec *s, char out[KG_NAME_MAX + 1]);

/* norm_bf16: the fat binary a record belongs to. */
void kg_spec_module(const struct kg_spec *s, char out[KG_NAME_MAX + 1]);

/* The tile as names spell it, r1t256v2 with its tags. */
void kg_spec_tile(const struct kg_spec *s, char out[KG_NAME_MAX + 1]);

/* Columns a row may have at most; 0: any number. */
unsigned kg_spec_max_cols(const struct kg_spec *s);
/* Memory takes vectors only at aligned addresses: row-wise kernels have a body for rows that are, and one for others. */
bool kg_spec_two_ways(const struct kg_spec *s);

/* Whether it is written as assembly. */
bool kg_spec_assembly(const struct kg_spec *s);

unsigned kg_spec_block(const struct kg_spec *s);

/* Offset and size of argument i in the kernel argument segment, and the size of all of them. */
unsigned kg_arg_size(const struct kg_arg *a);
unsigned kg_arg_offset(const struct kg_op *op, unsigned i);
unsigned kg_spec_args(const struct kg_spec *s); /* how many of its op's arguments a kernel has */
unsigned kg_args_size(const struct kg_spec *s);

/* The fingerprint of a module: a hash over its records and their argument layout, 16 hex digits.
 * Code objects carry it as the symbol fly_registry_<hex>, so that a file of another build is
 * noticed. */
void kg_module_fingerprint(const char *module, char out[17]);

#endif
