/* SPDX-License-Identifier: MIT */
/*
 * Code objects: the ELF file of one GPU target with its kernels, their descriptors and the metadata
 * of their arguments (LLVM AMDGPU usage guide, "Code Object"). Every offset and size of the file is
 * checked before use; a damaged file gives a sentence, never a crash.
 */
#ifndef SIM_CODEOBJ_H
#define SIM_CODEOBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "family.h"

/* A loadable segment: filesz bytes at data, then zeros up to memsz, at vaddr. */
struct sim_segment {
    uint64_t vaddr, memsz, filesz;
    const uint8_t *data;
    bool exec, write;
};

struct sim_symbol {
    const char *name;
    uint64_t value, size;
    uint8_t type;      /* STT_*: 1 object, 2 function */
    bool global;
    bool defined;
};

/* A dynamic relocation at vaddr `offset`; R_AMDGPU_RELATIVE64 (13) adds the load base to addend. */
struct sim_reloc {
    uint64_t offset;
    int64_t addend;
    uint32_t type;
    uint32_t symbol;   /* index into symbols, or UINT32_MAX */
};

enum sim_arg_kind {
    SIM_ARG_OTHER, SIM_ARG_BY_VALUE, SIM_ARG_GLOBAL_BUFFER, SIM_ARG_DYNAMIC_SHARED_POINTER,
    SIM_ARG_HIDDEN_BLOCK_COUNT_X, SIM_ARG_HIDDEN_BLOCK_COUNT_Y, SIM_ARG_HIDDEN_BLOCK_COUNT_Z,
    SIM_ARG_HIDDEN_GROUP_SIZE_X, SIM_ARG_HIDDEN_GROUP_SIZE_Y, SIM_ARG_HIDDEN_GROUP_SIZE_Z,
    SIM_ARG_HIDDEN_REMAINDER_X, SIM_ARG_HIDDEN_REMAINDER_Y, SIM_ARG_HIDDEN_REMAINDER_Z,
    SIM_ARG_HIDDEN_GLOBAL_OFFSET_X, SIM_ARG_HIDDEN_GLOBAL_OFFSET_Y, SIM_ARG_HIDDEN_GLOBAL_OFFSET_Z,
    SIM_ARG_HIDDEN_GRID_DIMS, SIM_ARG_HIDDEN_DYNAMIC_LDS_SIZE, SIM_ARG_HIDDEN_OTHER
};

struct sim_arg {
    const char *name;      /* "" if the metadata has none */
    const char *type_name; /* likewise */
    const char *value_kind; /* as spelled: "global_buffer", "hidden_block_count_x" */
    uint32_t offset, size;
    uint8_t kind;          /* enum sim_arg_kind */
    bool is_const;
};

/* Private memory of a work-item whose kernel does not say how much it needs: recursion, calls by pointer, alloca. */
enum { SIM_STACK = 16384 };

/* One kernel: its descriptor (64 bytes at `<name>.kd`) taken apart, and its metadata. */
struct sim_kernel {
    const char *name;
    uint64_t descriptor;   /* vaddr of the descriptor */
    uint64_t entry;        /* vaddr of the first instruction */
    uint64_t code_end;     /* vaddr after the function, from its symbol or its segment */
    uint32_t lds, scratch, kernarg; /* fixed group, private and kernarg segment bytes */
    uint32_t rsrc1, rsrc2, rsrc3;
    uint16_t properties;   /* kernel code properties, +56 */
    uint16_t preload;      /* kernarg preload: [6:0] dwords, [15:7] offset in dwords */
    uint8_t wave;          /* 32 or 64 */
    uint8_t user_sgprs;
    bool wg_id_x, wg_id_y, wg_id_z, wg_info;
    uint8_t workitem_dims; /* 0 x, 1 x and y, 2 x, y and z */
    uint16_t vgprs;        /* allocated by the descriptor, AGPRs included */
    uint16_t accum_offset; /* where AGPRs start, in registers; 0 without */
    bool dynamic_stack;
    uint32_t private_bytes; /* of a work-item: `scratch`, and SIM_STACK at least where the stack is dynamic */
    /* metadata (zero without a note) */
    uint32_t kernarg_align;
    uint16_t sgpr_count, vgpr_count, agpr_count, sgpr_spills, vgpr_spills;
    uint16_t max_workgroup;
    uint32_t reqd_workgroup[3], cluster[3];
    bool has_metadata, wgp_mode;
    struct sim_arg *args;
    unsigned nargs;
};

struct sim_codeobj {
    const struct sim_family *family;
    uint32_t flags;        /* e_flags */
    uint8_t abi;           /* EI_ABIVERSION: 2 v4, 3 v5, 4 v6 */
    struct sim_segment *segments;
    unsigned nsegments;
    struct sim_symbol *symbols;
    unsigned nsymbols;
    struct sim_reloc *relocs;
    unsigned nrelocs;
    struct sim_kernel *kernels;
    unsigned nkernels;
    uint64_t extent;       /* vaddr after the last segment */
    /* the .text section, for disassembly; size 0 if there is none */
    uint64_t text_vaddr, text_size;
    const uint8_t *text;
    char *strings;         /* what kernel names point into */
    char *metadata;        /* and strings of the metadata: a list of blocks */
};

/* Reads the file; data must outlive the result. Null on error, with a sentence in err. */
struct sim_codeobj *sim_codeobj_open(const void *data, size_t size, char *err, size_t err_size);
void sim_codeobj_close(struct sim_codeobj *o);

const struct sim_kernel *sim_codeobj_kernel(const struct sim_codeobj *o, const char *name);
const struct sim_symbol *sim_codeobj_symbol(const struct sim_codeobj *o, const char *name);
/* The file's bytes at vaddr, or null if [vaddr, vaddr + n) is not within one segment's file
 * data. */
const uint8_t *sim_codeobj_bytes(const struct sim_codeobj *o, uint64_t vaddr, uint64_t n);

#endif
