/* SPDX-License-Identifier: MIT */
/* Calls a handle has seen before: what they skip changes nothing that is launched, and nothing else passes for one. */
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "unit.h"

enum { FULL = 2 * FLY_CACHE_SETS * FLY_CACHE_WAYS };

static int64_t pointer(const struct fault_launch *l, const char *name)
{
    const struct fly_op *op = fly_op_find("layernorm");
    int64_t v;
    int i = 0;
    while (strcmp(op->kernargs[i].name, name))
        i++;
    memcpy(&v, l->kernargs + op->kernargs[i].offset, sizeof v);
    return v;
}

/* Calls `times` times: every launch is the same. */
static void call(flyHandle_t h, const flyLayerNormArgs_t *a, int times)
{
    for (int i = 0; i < times; i++) {
        fault.launches = 0;
        cr_assert_eq(flyLayerNorm(h, a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
        cr_assert_eq(fault.launches, 1);
        cr_assert_eq(pointer(&fault.launch[0], "x"), (int64_t)(uintptr_t)a->x);
        cr_assert_eq(pointer(&fault.launch[0], "y"), (int64_t)(uintptr_t)a->y);
        cr_assert_eq(pointer(&fault.launch[0], "ldx"), a->ldx ? a->ldx : a->cols);
    }
}

static bool known(flyHandle_t h, const flyLayerNormArgs_t *a)
{
    const struct fly_op *op = fly_op_find("layernorm");
    const uint64_t tag = fly_recent_tag(op, a);
    return tag && fly_recent_find(&h->recent, op, a, tag);
}

static flyHandle_t handle(void)
{
    flyHandle_t h;
    cr_assert_eq(fly_create_on(fault_runtime(), -1, &h), FLY_STATUS_SUCCESS);
    return h;
}

Test(recent, a_call_is_kept_when_it_comes_again)
{
    flyHandle_t h = handle();
    flyLayerNormArgs_t a = unit_layernorm();
    call(h, &a, 1);
    cr_assert_not(known(h, &a));
    call(h, &a, 1);
    cr_assert(known(h, &a));
    call(h, &a, 5);
    /* Any other byte is another call. */
    for (size_t i = sizeof a.size; i < sizeof a; i++) {
        flyLayerNormArgs_t b = a;
        ((unsigned char *)&b)[i] ^= 1;
        cr_assert_not(known(h, &b), "byte %zu", i);
    }
    flyDestroy(h);
}

Test(recent, what_is_wrong_is_refused_after_what_is_right)
{
    flyHandle_t h = handle();
    flyLayerNormArgs_t a = unit_layernorm(), b;
    call(h, &a, 3);
    b = a, b.dtype = 77;
    cr_expect_eq(flyLayerNorm(h, &b), FLY_STATUS_INVALID_VALUE);
    b = a, b.size = sizeof b - 1;
    cr_expect_neq(flyLayerNorm(h, &b), FLY_STATUS_INVALID_HANDLE);
    b = a, b.x = NULL;
    for (int i = 0; i < 4; i++)
        cr_expect_eq(flyLayerNorm(h, &b), FLY_STATUS_INVALID_VALUE);
    cr_expect_eq(flyLayerNorm(h, NULL), FLY_STATUS_INVALID_VALUE);
    call(h, &a, 3);
    flyDestroy(h);
}

/* The same members in another op's struct are no call of this one. */
Test(recent, ops_are_apart)
{
    flyLayerNormArgs_t a = unit_layernorm();
    flyHandle_t h = handle();
    call(h, &a, 3);
    const struct fly_op *other = fly_op_find("rmsnorm");
    cr_expect_null(fly_recent_find(&h->recent, other, &a, fly_recent_tag(fly_op_find("layernorm"), &a)));
    cr_expect_neq(fly_recent_tag(other, &a), fly_recent_tag(fly_op_find("layernorm"), &a));
    flyDestroy(h);
}

/* An entry of the cache that another problem has taken is not used. */
Test(recent, entries_that_were_replaced_are_found_anew)
{
    flyHandle_t h = handle();
    flyLayerNormArgs_t a = unit_layernorm();
    call(h, &a, 3);
    cr_assert(known(h, &a));
    for (int i = 0; i < FULL; i++) {
        flyLayerNormArgs_t b = a;
        b.rows = 100 + i;
        b.ldx = b.ldy = 0;
        call(h, &b, 1);
    }
    cr_assert_not(known(h, &a));
    call(h, &a, 4);
    cr_assert(known(h, &a));
    flyDestroy(h);
}

Test(recent, a_forced_kernel_is_taken_at_once)
{
    flyHandle_t h = handle();
    flyLayerNormArgs_t a = unit_layernorm();
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    call(h, &a, 3);
    fly_force(h, "layernorm_bf16_gfx942_r1t256v4");
    cr_assert_not(known(h, &a));
    cr_assert_eq(flyLayerNormPlan(h, &a, &plan), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    call(h, &a, 3);
    cr_assert_eq(fault.launch[0].grid[0], plan.grid[0]);
    flyDestroy(h);
}

/* More calls than are kept, in turn: each is launched with its own arguments. */
Test(recent, many_calls_in_turn)
{
    static _Alignas(64) char memory[1 << 14];
    flyHandle_t h = handle();
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < 500; i++) {
            flyLayerNormArgs_t a = unit_layernorm();
            a.x = memory + 16 * (i % 400);
            a.y = memory + 16 * (i * 7 % 400);
            a.rows = 1 + i % 50;
            a.ldx = a.ldy = a.cols + i / 2 % 3;
            if (a.x == a.y)
                continue;
            call(h, &a, 1);
        }
    flyDestroy(h);
}
