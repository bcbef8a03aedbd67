/* SPDX-License-Identifier: MIT */
/*
 * What the simulator knows of a GPU target beyond its opcodes: one row of family.inc. Decoder and
 * execution ask a row for a fact; nothing compares target names.
 */
#ifndef SIM_FAMILY_H
#define SIM_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Instruction sets with an opcode table of their own; as bits in formats.inc. */
enum sim_isa { SIM_ISA_GFX9, SIM_ISA_GFX11, SIM_ISA_GFX12, SIM_ISA_GFX1250, SIM_ISA_COUNT };

/* Flags of a row. */
enum {
    SIM_HAS_AGPR = 1 << 0,       /* accumulation registers and MFMA */
    SIM_HAS_WAVE64 = 1 << 1,     /* can run 64-lane waves beside 32-lane ones */
    SIM_HAS_TRUE16 = 1 << 2,     /* 16-bit operands are halves of registers */
    SIM_HAS_VGPR_MSB = 1 << 3,   /* s_set_vgpr_msb */
    SIM_SCALAR_NULL = 1 << 4,    /* code 124 is null and 125 m0; else 124 is m0 */
    SIM_TEXT_SC = 1 << 5,        /* cache bits are called sc0, nt and sc1 */
    SIM_BLGP_NEG = 1 << 6,       /* blgp of f64 MFMA is three negate bits */
    SIM_PK_F32 = 1 << 7,         /* packed f32 */
    SIM_WORKGROUP_IN_TTMP = 1 << 8, /* workgroup ids arrive in ttmp9 and ttmp7 */
    SIM_FLAT_SCRATCH_INIT = 1 << 9, /* scratch base is set up by the hardware */
    SIM_FP8_FNUZ = 1 << 10,
    SIM_FP8_OCP = 1 << 11,
    SIM_SPLIT_WAITS = 1 << 12,   /* s_wait_loadcnt ... in place of s_waitcnt */
    SIM_EVEN_TUPLES = 1 << 14,   /* tuples of VGPRs start at an even one */
    SIM_SIGNED_OFFSET = 1 << 15, /* a VGPR added to a scalar address is signed */
    SIM_WIDE_BUFFER = 1 << 16,   /* buffer resources: 57 bits of base, 45 of num_records */
    SIM_GENERIC = 1 << 13        /* a generic target: code for every member of its family */
};

struct sim_family {
    const char *name;
    uint8_t isa;        /* enum sim_isa */
    uint8_t target;     /* its bit among the targets of that opcode table */
    uint8_t mach;       /* EF_AMDGPU_MACH of the ELF header */
    uint8_t wave;       /* lanes of a wavefront */
    uint16_t vgprs;     /* most VGPRs (with AGPRs) a wave may have */
    uint16_t granule;   /* VGPRs are allocated in steps of this */
    uint16_t pool;      /* VGPRs a lane of a SIMD has for all its waves */
    uint8_t waves;      /* most waves a SIMD holds */
    uint8_t banks;      /* LDS banks of 4 bytes */
    uint32_t lds;       /* bytes of LDS a workgroup may have */
    uint32_t flags;
};

extern const struct sim_family sim_families[];
extern const size_t sim_family_count;

/* The row of that name or EF_AMDGPU_MACH value, or null. A name may carry features
 * (gfx942:xnack-). */
const struct sim_family *sim_family_by_name(const char *name);
const struct sim_family *sim_family_by_mach(uint32_t mach);

#endif
