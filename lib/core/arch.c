/* SPDX-License-Identifier: MIT */
/* The arch table and its look-up by device name. */
#include "core/arch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The table names groups and families by token; folders are named in lower case. */
#define GROUP_GFX9 "gfx9"
#define GROUP_GFX11 "gfx11"
#define GROUP_GFX12 "gfx12"
#define GROUP_NVPTX "nvptx"

static const struct fly_arch rows[FLY_ARCH_COUNT] = {
#define FLY_ARCH(id_, name_, group_, family_, wave_, lds_, banks_, fp8_, generic_, cov_, caps_)    \
    [FLY_ARCH_##id_] = {.name = name_,                                                             \
                        .group = GROUP_##group_,                                                   \
                        .family_name = #family_,                                                   \
                        .family = FLY_FAMILY_##family_,                                            \
                        .id = FLY_ARCH_##id_,                                                      \
                        .generic = FLY_ARCH_##generic_,                                            \
                        .wave = wave_,                                                             \
                        .banks = banks_,                                                           \
                        .fp8 = FLY_FP8_##fp8_,                                                     \
                        .cov = cov_,                                                               \
                        .lds = lds_,                                                               \
                        .caps = caps_},
#include "arch.inc"
#undef FLY_ARCH
};

static const struct {
    const char *device;
    uint8_t id;
} aliases[] = {
#define FLY_ARCH(id, name, group, family, wave, lds, banks, fp8, generic, cov, caps)
#define FLY_ARCH_ALIAS(device, id) {device, FLY_ARCH_##id},
#include "arch.inc"
#undef FLY_ARCH
};

/* PTX for sm_80 runs on every later device; sm_90a's only where an alias says so. */
enum { PTX_BASE_CAPABILITY = 80 };

const struct fly_arch *fly_arch_row(unsigned id)
{
    return id > FLY_ARCH_NONE && id < FLY_ARCH_COUNT ? &rows[id] : NULL;
}

const struct fly_arch *fly_arch_find(const char *device)
{
    size_t n = strcspn(device, ":");
    for (unsigned i = 1; i < FLY_ARCH_COUNT; i++)
        if (strlen(rows[i].name) == n && !memcmp(rows[i].name, device, n))
            return &rows[i];
    for (unsigned i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strlen(aliases[i].device) == n && !memcmp(aliases[i].device, device, n))
            return &rows[aliases[i].id];
    if (!strncmp(device, "sm_", 3) && isdigit((unsigned char)device[3]) &&
        strtol(device + 3, NULL, 10) >= PTX_BASE_CAPABILITY)
        return &rows[FLY_ARCH_SM80];
    return NULL;
}
