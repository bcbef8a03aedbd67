/* SPDX-License-Identifier: MIT */
/* What the dispatch tests share: handles on the null runtime, problems from text. */
#ifndef TESTS_UNIT_UNIT_H
#define TESTS_UNIT_UNIT_H

#include <criterion/criterion.h>

#include <fly/fly.h>

#include "core/arch.h"
#include "core/handle.h"
#include "core/op.h"
#include "core/select.h"

/* A handle on the null runtime as device `arch`. */
static inline flyHandle_t unit_handle(const char *arch)
{
    flyHandle_t h = NULL;
    flyStatus_t s = fly_create_on(fly_runtime_null(arch, 304), -1, &h);
    cr_assert_eq(s, FLY_STATUS_SUCCESS, "%s", flyErrorMessage(NULL));
    return h;
}

static inline struct fly_problem unit_problem(const char *text)
{
    struct fly_problem p;
    char why[256];
    cr_assert_eq(fly_problem_parse(text, &p, why, sizeof why), FLY_STATUS_SUCCESS, "%s: %s", text,
                 why);
    return p;
}

/* LayerNorm arguments that are right, on memory that nothing touches. */
static inline flyLayerNormArgs_t unit_layernorm(void)
{
    static _Alignas(64) char memory[128];
    flyLayerNormArgs_t a = FLY_ARGS_INIT(a);
    a.rows = 4;
    a.cols = 1000;
    a.x = a.gamma = a.beta = memory;
    a.y = memory + 64;
    a.dtype = FLY_DTYPE_BF16;
    a.eps = 1e-5f;
    return a;
}

#endif
