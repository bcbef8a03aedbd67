/* SPDX-License-Identifier: MIT */
/* The arch and dtype tables: what a device's name finds. */
#include <string.h>

#include "core/dtype.h"
#include "unit.h"

Test(arch, device_names_find_their_row)
{
    static const char *const pairs[][2] = {
        {"gfx90a:sramecc+:xnack-", "gfx90a"},
        {"gfx942:sramecc+:xnack-", "gfx942"},
        {"gfx942", "gfx942"},
        {"gfx950:sramecc+:xnack-", "gfx950"},
        {"gfx1100", "gfx1100"},
        {"gfx1101", "gfx11-generic"},
        {"gfx1103", "gfx11-generic"},
        {"gfx1150", "gfx11-generic"},
        {"gfx1151", "gfx1151"},
        {"gfx1201", "gfx1201"},
        {"gfx1250", "gfx1250"},
        {"gfx11-generic", "gfx11-generic"},
        {"sm_80", "sm80"},
        {"sm_86", "sm80"},
        {"sm_89", "sm80"},
        {"sm_90", "sm90a"},
        {"sm_100", "sm80"},
        {"sm_120", "sm80"},
        {"sm90a", "sm90a"},
    };
    for (unsigned i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct fly_arch *a = fly_arch_find(pairs[i][0]);
        cr_assert_not_null(a, "%s", pairs[i][0]);
        cr_assert_str_eq(a->name, pairs[i][1]);
    }
}

Test(arch, unknown_devices_find_nothing)
{
    static const char *const names[] = {"",       ":",     "gfx",     "gfx9",    "gfx900",
                                        "gfx906", "gfx94", "gfx9420", "gfx1030", "sm_75",
                                        "sm_",    "sm_x",  "GFX942"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        cr_assert_null(fly_arch_find(names[i]), "%s", names[i]);
}

Test(arch, rows_are_whole)
{
    for (unsigned i = 1; i < FLY_ARCH_COUNT; i++) {
        const struct fly_arch *a = fly_arch_row(i);
        cr_assert_eq(a->id, i);
        cr_assert(a->wave == 32 || a->wave == 64);
        cr_assert_geq(a->lds, 49152);
        cr_assert_eq((a->fp8 != FLY_FP8_NONE), (a->caps & FLY_CAP_FP8) != 0, "%s", a->name);
        if (a->generic)
            cr_assert_str_eq(fly_arch_row(a->generic)->group, a->group);
    }
    cr_assert_null(fly_arch_row(FLY_ARCH_NONE));
    cr_assert_null(fly_arch_row(FLY_ARCH_COUNT));
}

Test(dtype, tokens_come_back)
{
    for (unsigned d = 1; d < FLY_DTYPE_COUNT; d++) {
        const char *token = fly_dtype_token(d);
        cr_assert_not_null(token);
        cr_assert_eq(fly_dtype_find(token, strlen(token)), d);
    }
    cr_assert_eq(fly_dtype_find("bf1", 3), FLY_DTYPE_NONE);
    cr_assert_eq(fly_dtype_bits(FLY_DTYPE_COUNT), 0);
    cr_assert_eq(fly_dtype_bytes(FLY_DTYPE_E2M1, 3), 2);
    cr_assert_eq(fly_dtype_bytes(FLY_DTYPE_BF16, 3), 6);
}
