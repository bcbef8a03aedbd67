/* SPDX-License-Identifier: MIT */
/* Wrong arguments: the status of the contract and a sentence that names operation, field, value and
 * rule. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* A later version of the struct: ours and a field it does not know. */
struct later {
    flyLayerNormArgs_t a;
    uint64_t more;
};

static void expect(flyHandle_t h, const flyLayerNormArgs_t *a, flyStatus_t status,
                   const char *field)
{
    flyStatus_t s = flyLayerNorm(h, a);
    const char *text = flyErrorMessage(h);
    cr_assert_eq(s, status, "%s: got %s: %s", field, flyStatusName(s), text);
    cr_assert(strstr(text, "flyLayerNorm: "), "%s", text);
    cr_assert(strstr(text, field), "want '%s' in: %s", field, text);
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    cr_assert_eq(flyLayerNormPlan(h, a, &plan), status);
    cr_assert(strstr(flyErrorMessage(h), "flyLayerNormPlan: "), "%s", flyErrorMessage(h));
}

#define WRONG(member, value, status, word)                                                         \
    do {                                                                                           \
        flyLayerNormArgs_t a = unit_layernorm();                                                   \
        a.member = (value);                                                                        \
        expect(h, &a, FLY_STATUS_##status, word);                                                  \
    } while (0)

Test(args, right_ones_succeed_and_leave_no_message)
{
    flyHandle_t h = unit_handle("gfx942");
    flyLayerNormArgs_t a = unit_layernorm();
    a.cols = 0;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_INVALID_VALUE);
    a.cols = 64;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    cr_assert_str_empty(flyErrorMessage(h));
    a.rows = 0;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS);
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    cr_assert_eq(flyLayerNormPlan(h, &a, &plan), FLY_STATUS_SUCCESS);
    cr_assert_str_eq(plan.kernel, "");
    cr_assert_eq(plan.reason, FLY_REASON_NONE);
    flyDestroy(h);
}

Test(args, wrong_ones_are_named)
{
    flyHandle_t h = unit_handle("gfx942");
    expect(h, NULL, FLY_STATUS_INVALID_VALUE, "args = NULL");
    WRONG(rows, -1, INVALID_VALUE, "rows = -1");
    WRONG(rows, INT64_MIN, INVALID_VALUE, "rows = -9223372036854775808");
    WRONG(cols, 0, INVALID_VALUE, "cols = 0");
    WRONG(cols, -5, INVALID_VALUE, "cols = -5");
    WRONG(x, NULL, INVALID_VALUE, "x = NULL");
    WRONG(y, NULL, INVALID_VALUE, "y = NULL");
    WRONG(x, (char *)a.x + 1, INVALID_VALUE, "aligned to 2 bytes");
    WRONG(y, (char *)a.y + 1, INVALID_VALUE, "aligned to 2 bytes");
    WRONG(gamma, (char *)a.x + 1, INVALID_VALUE, "gamma = 0x");
    WRONG(beta, (char *)a.x + 3, INVALID_VALUE, "beta = 0x");
    WRONG(mean, (float *)(void *)((char *)a.y + 2), INVALID_VALUE, "mean = 0x");
    WRONG(rstd, (float *)(void *)((char *)a.y + 1), INVALID_VALUE, "aligned to 4 bytes");
    WRONG(ldx, 999, INVALID_VALUE, "ldx = 999");
    WRONG(ldy, -1, INVALID_VALUE, "ldy = -1");
    WRONG(eps, -1e-9f, INVALID_VALUE, "eps = -1e-09");
    WRONG(eps, NAN, INVALID_VALUE, "eps = ");
    WRONG(eps, INFINITY, INVALID_VALUE, "eps = inf");
    WRONG(dtype, 0, INVALID_VALUE, "dtype = 0");
    WRONG(dtype, 15, INVALID_VALUE, "dtype = 15");
    WRONG(dtype, UINT32_MAX, INVALID_VALUE, "dtype = 4294967295");
    WRONG(dtype, FLY_DTYPE_E4M3, NOT_SUPPORTED, "dtype = e4m3");
    WRONG(ldx, INT64_MAX / 2, INVALID_VALUE, "rows = 4");
    WRONG(rows, INT64_MAX, INVALID_VALUE, "rows = 9223372036854775807");
    flyDestroy(h);
}

Test(args, f32_wants_four_byte_alignment)
{
    flyHandle_t h = unit_handle("gfx942");
    flyLayerNormArgs_t a = unit_layernorm();
    a.dtype = FLY_DTYPE_F32;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS);
    a.x = (char *)a.x + 2;
    expect(h, &a, FLY_STATUS_INVALID_VALUE, "x = 0x");
    flyDestroy(h);
}

Test(args, a_null_handle_is_invalid_everywhere)
{
    flyLayerNormArgs_t a = unit_layernorm();
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    void *stream;
    cr_assert_eq(flyLayerNorm(NULL, &a), FLY_STATUS_INVALID_HANDLE);
    cr_assert(strstr(flyErrorMessage(NULL), "flyLayerNorm: handle = NULL"), "%s",
              flyErrorMessage(NULL));
    cr_assert_eq(flyLayerNormPlan(NULL, &a, &plan), FLY_STATUS_INVALID_HANDLE);
    cr_assert_eq(flySetStream(NULL, NULL), FLY_STATUS_INVALID_HANDLE);
    cr_assert_eq(flyGetStream(NULL, &stream), FLY_STATUS_INVALID_HANDLE);
    cr_assert_eq(flyDestroy(NULL), FLY_STATUS_INVALID_HANDLE);
    cr_assert_null(flyArchName(NULL));
    uint64_t not_a_handle[64] = {0};
    cr_assert_eq(flyLayerNorm((flyHandle_t)(void *)not_a_handle, &a), FLY_STATUS_INVALID_HANDLE);
    cr_assert_eq(flyCreate(NULL), FLY_STATUS_INVALID_VALUE);
    cr_assert(strstr(flyErrorMessage(NULL), "flyCreate: handle = NULL"), "%s",
              flyErrorMessage(NULL));
    flyHandle_t h = (flyHandle_t)(void *)not_a_handle;
    cr_assert_eq(flyCreateOnDevice(&h, -1), FLY_STATUS_INVALID_VALUE);
    cr_assert_null(h);
}

Test(args, the_size_rules_hold)
{
    flyHandle_t h = unit_handle("gfx942");
    struct later l = {.a = unit_layernorm()};
    static const size_t small[] = {0, 1, sizeof(size_t),
                                   offsetof(flyLayerNormArgs_t, residual) - 1};
    for (unsigned i = 0; i < sizeof small / sizeof *small; i++) {
        l.a.size = small[i];
        expect(h, &l.a, FLY_STATUS_INVALID_VALUE, "size = ");
    }
    l.a.size = sizeof l;
    cr_assert_eq(flyLayerNorm(h, &l.a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    for (unsigned byte = 0; byte < sizeof l.more; byte++) {
        l.more = UINT64_C(1) << 8 * byte;
        expect(h, &l.a, FLY_STATUS_NOT_SUPPORTED, "size = ");
    }
    flyDestroy(h);
}

/* The first byte beyond `size` must not be looked at: it may not be mapped. */
Test(args, only_size_bytes_are_read)
{
    flyHandle_t h = unit_handle("gfx942");
    flyLayerNormArgs_t *a = malloc(sizeof *a);
    *a = unit_layernorm();
    cr_assert_eq(flyLayerNorm(h, a), FLY_STATUS_SUCCESS);
    free(a);
    flyDestroy(h);
}

Test(args, the_plan_obeys_the_size_rules_too)
{
    flyHandle_t h = unit_handle("gfx942");
    flyLayerNormArgs_t a = unit_layernorm();
    struct {
        flyPlan_t plan;
        uint64_t more;
    } p;
    memset(&p, 0xee, sizeof p);
    p.plan.size = offsetof(flyPlan_t, note) - 1;
    cr_assert_eq(flyLayerNormPlan(h, &a, &p.plan), FLY_STATUS_INVALID_VALUE);
    cr_assert(strstr(flyErrorMessage(h), "plan: size"), "%s", flyErrorMessage(h));
    cr_assert_eq(p.plan.launches, 0xeeeeeeee, "a refused plan was written");
    cr_assert_eq(flyLayerNormPlan(h, &a, NULL), FLY_STATUS_INVALID_VALUE);
    const char *const kept = p.plan.note;
    p.plan.size = offsetof(flyPlan_t, note); /* the first version */
    cr_assert_eq(flyLayerNormPlan(h, &a, &p.plan), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    cr_assert_eq(p.plan.launches, 1);
    cr_assert_eq(p.plan.note, kept, "written beyond its size");
    p.plan.size = sizeof p.plan;
    cr_assert_eq(flyLayerNormPlan(h, &a, &p.plan), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    cr_assert_eq(p.more, UINT64_C(0xeeeeeeeeeeeeeeee));
    cr_assert_eq(p.plan.reason, FLY_REASON_HEURISTIC);
    cr_assert_not_null(fly_registry_find(p.plan.kernel, NULL));
    cr_assert_eq(p.plan.launches, 1);
    cr_assert_geq(p.plan.grid[0], 1);
    flyDestroy(h);
}

Test(args, statuses_have_names)
{
    for (int s = 0; s <= FLY_STATUS_INTERNAL; s++)
        cr_assert_eq(strncmp(flyStatusName((flyStatus_t)s), "FLY_STATUS_", 11), 0);
    cr_assert_str_eq(flyStatusName((flyStatus_t)99), "unknown status");
    cr_assert_str_eq(flyStatusName((flyStatus_t)-1), "unknown status");
}

Test(args, the_version_is_the_headers)
{
    cr_assert_eq(flyVersion(),
                 FLY_VERSION_MAJOR * 10000 + FLY_VERSION_MINOR * 100 + FLY_VERSION_PATCH);
}
