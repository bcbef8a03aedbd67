/* SPDX-License-Identifier: MIT */
/* The problem grammar: text and problems turn into each other, and wrong text is refused with a
 * reason. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

static void same_after_a_round(const struct fly_problem *p)
{
    char text[FLY_MAX_PROBLEM_TEXT], again[FLY_MAX_PROBLEM_TEXT], why[256] = "";
    int n = fly_problem_print(p, text, sizeof text);
    cr_assert(n > 0 && n < (int)sizeof text);
    struct fly_problem q;
    memset(&q, 0xff, sizeof q);
    cr_assert_eq(fly_problem_parse(text, &q, why, sizeof why), FLY_STATUS_SUCCESS, "%s: %s", text,
                 why);
    cr_assert_eq(fly_problem_compare(p, &q), 0, "%s", text);
    fly_problem_print(&q, again, sizeof again);
    cr_assert_str_eq(text, again);
}

Test(grammar, every_op_and_type_comes_back)
{
    for (unsigned i = 0; i < FLY_OP_COUNT; i++) {
        const struct fly_op *op = fly_op_table[i];
        for (unsigned t = 0; op->types[t][0] != FLY_DTYPE_NONE; t++) {
            struct fly_problem p;
            fly_problem_init(op, op->types[t], &p);
            for (uint32_t f = 0; f < op->nfields; f++)
                if (op->fields[f].flags & FLY_FIELD_REQUIRED)
                    p.v[f] = op->fields[f].min > 64 ? op->fields[f].min : 64;
            for (uint32_t f = 0; f < op->nfields; f++)
                if (op->fields[f].same_as >= 0)
                    p.v[f] = p.v[op->fields[f].same_as];
            if (!op->check(&p))
                same_after_a_round(&p);
        }
    }
}

Test(grammar, defaults_are_left_out)
{
    struct fly_problem p =
        unit_problem("layernorm:bf16:rows=4096,cols=8192,ldx=8192,eps=1e-05,gamma=1");
    char text[FLY_MAX_PROBLEM_TEXT];
    fly_problem_print(&p, text, sizeof text);
    cr_assert_str_eq(text, "layernorm:bf16:rows=4096,cols=8192");
}

Test(grammar, a_default_follows_the_field_it_names)
{
    struct fly_problem p = unit_problem("layernorm:f32:rows=2,cols=7");
    int ldx = fly_field_index(fly_op_find("layernorm"), "ldx");
    cr_assert_eq(p.v[ldx], 7);
}

Test(grammar, any_float_comes_back)
{
    struct fly_problem p = unit_problem("layernorm:f16:rows=2,cols=7");
    int eps = fly_field_index(fly_op_find("layernorm"), "eps");
    uint32_t bits = 1;
    for (int i = 0; i < 2000; i++) {
        p.v[eps] = bits;
        same_after_a_round(&p);
        bits = (bits * 1664525u + 1013904223u) & 0x7f7fffffu;
    }
}

Test(grammar, printing_into_little_room_is_safe)
{
    struct fly_problem p = unit_problem("layernorm:f16:rows=2,cols=7,ldx=9,ldy=11,eps=0.25");
    char text[FLY_MAX_PROBLEM_TEXT], small[FLY_MAX_PROBLEM_TEXT];
    int n = fly_problem_print(&p, text, sizeof text);
    for (int room = 0; room <= n + 1; room++) {
        memset(small, 'x', sizeof small);
        cr_assert_eq(fly_problem_print(&p, small, (size_t)room), n);
        cr_assert_eq(small[room], 'x');
        if (room)
            cr_assert_eq(strncmp(small, text, (size_t)room - 1), 0);
    }
}

Test(grammar, wrong_text_is_refused_with_a_reason)
{
    static const char *const wrong[] = {
        "",
        ":",
        "layernorm",
        "layernorm:",
        "nosuchop:bf16:rows=1,cols=1",
        "layernorm:bf17:rows=1,cols=1",
        "layernorm:bf16",
        "layernorm:bf16:rows=1",
        "layernorm:bf16:cols=1",
        "layernorm:bf16:rows=1,cols=1,",
        "layernorm:bf16:rows=1,,cols=1",
        "layernorm:bf16:rows=1,cols=1,rows=2",
        "layernorm:bf16:rows=1,cols=1,foo=1",
        "layernorm:bf16:rows=x,cols=1",
        "layernorm:bf16:rows=1,cols=",
        "layernorm:bf16:rows=-1,cols=1",
        "layernorm:bf16:rows=1,cols=0",
        "layernorm:bf16:rows=1,cols=1,ldx=0",
        "layernorm:bf16:rows=1,cols=4,ldy=3",
        "layernorm:bf16:rows=1,cols=1,eps=nan",
        "layernorm:bf16:rows=1,cols=1,eps=-1",
        "layernorm:bf16:rows=1,cols=1,eps=inf",
        "layernorm:bf16:rows=1,cols=1,gamma=2",
        "layernorm:i4:rows=1,cols=1",
        "layernorm:bf16,bf16,bf16,bf16:rows=1,cols=1",
        "layernorm:bf16:rows=99999999999999999999,cols=1",
        "layernorm:bf16:rows= 1,cols=1",
        "layernorm:bf16:rows=9223372036854775807,cols=9223372036854775807",
        "layernorm:bf16:rows",
        "softmax:bf16:rows=1,cols=2147418113",
        "quant:bf16,i8:rows=1,cols=99999999999999",
        "softmax:bf16:rows=4,cols=4,scale=0",
        "softmax:bf16:rows=4,cols=4,causal_rows=2",
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct fly_problem p;
        char why[256] = "";
        cr_assert_eq(fly_problem_parse(wrong[i], &p, why, sizeof why), FLY_STATUS_INVALID_VALUE,
                     "'%s'", wrong[i]);
        cr_assert(strlen(why) > 10, "'%s': '%s'", wrong[i], why);
    }
}
