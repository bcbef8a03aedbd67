/* SPDX-License-Identifier: MIT */
/* The table of targets: family.inc as an array, and its look-ups. */
#include "family.h"

#include <string.h>

#include "decode/decode.h"

#define SIM_CDNA (SIM_HAS_AGPR | SIM_PK_F32 | SIM_EVEN_TUPLES)
#define SIM_RDNA3 (SIM_HAS_WAVE64 | SIM_HAS_TRUE16 | SIM_SCALAR_NULL | SIM_FLAT_SCRATCH_INIT)
#define SIM_RDNA4                                                                                  \
    (SIM_HAS_WAVE64 | SIM_SCALAR_NULL | SIM_FLAT_SCRATCH_INIT | SIM_WORKGROUP_IN_TTMP |            \
     SIM_SPLIT_WAITS | SIM_FP8_OCP)
#define SIM_CDNA5                                                                                  \
    (SIM_SCALAR_NULL | SIM_FLAT_SCRATCH_INIT | SIM_WORKGROUP_IN_TTMP | SIM_SPLIT_WAITS |           \
     SIM_FP8_OCP | SIM_HAS_VGPR_MSB | SIM_PK_F32 | SIM_EVEN_TUPLES | SIM_SIGNED_OFFSET |           \
     SIM_WIDE_BUFFER)

const struct sim_family sim_families[] = {
#define SIM_FAMILY(name, isa, target, mach, wave, vgprs, granule, pool, waves, banks, lds, flags)  \
    {name, SIM_ISA_##isa, SIM_TARGET_##target, mach, wave, vgprs, granule, pool, waves, banks,     \
     lds,  flags},
#include "family.inc"
};
const size_t sim_family_count = sizeof sim_families / sizeof *sim_families;

const struct sim_family *sim_family_by_name(const char *name)
{
    size_t n = strcspn(name, ":");

    for (size_t i = 0; i < sim_family_count; i++)
        if (strlen(sim_families[i].name) == n && memcmp(sim_families[i].name, name, n) == 0)
            return &sim_families[i];
    return NULL;
}

const struct sim_family *sim_family_by_mach(uint32_t mach)
{
    for (size_t i = 0; i < sim_family_count; i++)
        if (sim_families[i].mach == mach)
            return &sim_families[i];
    return NULL;
}
