/* SPDX-License-Identifier: MIT */
/* The arch table of lib/arch.inc as data, and how a device's name finds its row. */
#ifndef FLY_CORE_ARCH_H
#define FLY_CORE_ARCH_H

#include "core/cap.h"

#include <stdint.h>

enum fly_arch_id {
    FLY_ARCH_NONE,
#define FLY_ARCH(id, name, group, family, wave, lds, banks, fp8, generic, cov, caps) FLY_ARCH_##id,
#include "arch.inc"
#undef FLY_ARCH
    FLY_ARCH_COUNT
};

enum fly_family {
    FLY_FAMILY_CDNA2,
    FLY_FAMILY_CDNA3,
    FLY_FAMILY_CDNA4,
    FLY_FAMILY_RDNA3,
    FLY_FAMILY_RDNA4,
    FLY_FAMILY_CDNA5,
    FLY_FAMILY_PTX
};

enum fly_arch_fp8 { FLY_FP8_NONE, FLY_FP8_FNUZ, FLY_FP8_OCP };

struct fly_arch {
    const char *name;
    const char *group;
    const char *family_name;
    uint8_t id;      /* enum fly_arch_id */
    uint8_t family;  /* enum fly_family */
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
