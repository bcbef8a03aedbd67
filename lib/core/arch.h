/* SPDX-License-Identifier: MIT */
/* The arch table of lib/arch.inc as data, and how a device's name finds its row. */
#ifndef FLY_CORE_ARCH_H
#define FLY_CORE_ARCH_H

#include <stdint.h>

enum fly_arch_id {
    FLY_ARCH_NONE,
#define FLY_ARCH(id, name, group, family, wave, lds, banks, fp8, generic, cov, caps) FLY_ARCH_##id,
#include "arch.inc"
#undef FLY_ARCH
    FLY_ARCH_COUNT
};

enum fly_arch_fp8 { FLY_FP8_NONE, FLY_FP8_FNUZ, FLY_FP8_OCP };

enum fly_arch_cap {
    FLY_CAP_MFMA = 1 << 0,      /* matrix instructions of CDNA */
    FLY_CAP_WMMA = 1 << 1,      /* matrix instructions of RDNA and CDNA5 */
    FLY_CAP_PK_F32 = 1 << 2,    /* packed f32 arithmetic */
    FLY_CAP_FP8 = 1 << 3,       /* fp8 conversions, in the encoding of the fp8 column */
    FLY_CAP_CVT_BF16 = 1 << 4,  /* f32 to bf16 in one instruction */
    FLY_CAP_LDS_DMA16 = 1 << 5, /* 16-byte global to LDS loads */
    FLY_CAP_MX = 1 << 6,        /* block-scaled matrix instructions */
    FLY_CAP_TDM = 1 << 7,       /* tensor data mover */
    FLY_CAP_CLUSTER = 1 << 8,   /* workgroup clusters with shared LDS */
    FLY_CAP_OVERLAP = 1 << 9,   /* kernels wait for the one before them themselves, as all of this arch's do */
    FLY_CAP_MAXIMUM3 = 1 << 10, /* the maximum of three floats, NaN if any is */
    FLY_CAP_MIX_BF16 = 1 << 11  /* f32 fma that takes bf16 operands as they are */
};

struct fly_arch {
    const char *name;
    const char *group;
    const char *family;
    uint8_t id;      /* enum fly_arch_id */
    uint8_t generic; /* row whose kernels it can run too, or FLY_ARCH_NONE */
    uint8_t wave;
    uint8_t banks;
    uint8_t fp8;     /* enum fly_arch_fp8 */
    uint8_t cov;
    uint32_t lds;
    uint32_t caps;   /* FLY_CAP_* */
};

/* Row of an id; FLY_ARCH_NONE and beyond: null. */
const struct fly_arch *fly_arch_row(unsigned id);

/* Row for what a runtime calls its device: "gfx942:sramecc+:xnack-", "gfx1101", "sm_90", or a row's
 * own name. Null when libfly has no kernels that run there. */
const struct fly_arch *fly_arch_find(const char *device);

#endif
