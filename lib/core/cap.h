/* SPDX-License-Identifier: MIT */
/* What instruction sets may have: the caps column of lib/arch.inc, for the library and the generator. */
#ifndef FLY_CORE_CAP_H
#define FLY_CORE_CAP_H

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

#endif
