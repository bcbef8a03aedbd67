/* SPDX-License-Identifier: MIT */
/*
 * The simulated devices: one row of target.inc a product, on top of the instruction set facts of
 * family.inc. Limits of the scheduler and the rates the bound model uses.
 */
#ifndef SIM_TARGET_H
#define SIM_TARGET_H

#include "family.h"

/* Wait counters. On gfx9 VM counts loads and stores, LGKM the LDS and scalar memory; gfx11 has VS for
 * stores beside them; gfx12 splits LGKM into DS and KM. */
enum sim_counter {
    SIM_CNT_VM, SIM_CNT_LGKM, SIM_CNT_EXP, SIM_CNT_VS, SIM_CNT_DS, SIM_CNT_KM, SIM_CNT_ASYNC,
    SIM_CNT_TENSOR, SIM_CNT_X, SIM_CNT_COUNT
};

struct sim_target {
    const char *name;       /* a row of family.inc */
    const char *product;    /* what hipGetDeviceProperties calls it */
    int major, minor, stepping;
    int simds;              /* of a CU, or of a WGP where workgroups run on one */
    int lds_cu;             /* LDS bytes of that CU or WGP */
    int vmcnt_max, lgkm_max;
    int f64;                /* cycles of an f64 vector instruction for one of f32 */
    int cus;                /* CUs, or WGPs where workgroups run on one (what hipGetDeviceProperties counts) */
    double ghz;             /* peak engine clock */
    double mem_gbps;        /* peak memory bandwidth, 1e9 bytes a second */
    double l2_gbps;         /* peak L2 bandwidth */
    double mem_gib;
    int l2_kib;             /* that hipGetDeviceProperties tells */
    int cache_mib;          /* last cache before memory: Infinity Cache, else L2 */
    const struct sim_family *family; /* filled in by sim_target_find */
};

/* The device of a name; a target id with features (gfx942:sramecc+:xnack-) finds its processor. Null
 * when unknown. */
const struct sim_target *sim_target_find(const char *name);

/* All rows; *n is their number. */
const struct sim_target *sim_target_rows(size_t *n);

static inline bool sim_has(const struct sim_target *t, uint32_t flag) { return t->family->flags & flag; }

#endif
