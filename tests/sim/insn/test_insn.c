/* SPDX-License-Identifier: MIT */
/*
 * Meaning of instructions, a test a class and target. What is refused by the assembler, faults, or
 * gives another state than the reference is printed (three a mnemonic) and counted. The closing
 * test demands that every mnemonic with a body in the simulator has a row in some table.
 */
#include "insn.h"
#include "../llvm.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cover.h"
#include "decode/decode.h"

#define CLASSES(X)                                                                                 \
    X(salu) X(control) X(valu_f32) X(valu_f16) X(valu_f64) X(valu_int) X(valu_cmp)                 \
    X(valu_cvt) X(valu_pk) X(valu_scale) X(lanes) X(division) X(matrix) X(lds) X(vmem)             \
    X(scratch) X(smem) X(valu_1250) X(copy)

#define DECLARE(name) void run_##name(enum target t);
CLASSES(DECLARE)

static bool covered[TARGETS][SIM_OP_COUNT];

void covered_add(enum target t, const char *mnemonic)
{
    for (unsigned op = 1; op < SIM_OP_COUNT; op++)
        if (!strcmp(sim_op_name(op), mnemonic))
            covered[t][op] = true;
}

static void run(void (*f)(enum target), enum target t)
{
    if (!llvm_tool("llvm-mc"))
        cr_skip_test("no llvm-mc");
    f(t);
    cr_assert_eq(fail_count(), 0, "%d failures", fail_count());
}

#define TEST_ON(name, t) Test(gfx##t, name) { run(run_##name, T_##t); }
#define TEST(name)                                                                                 \
    TEST_ON(name, 90A) TEST_ON(name, 942) TEST_ON(name, 950)                                       \
    TEST_ON(name, 1100) TEST_ON(name, 1201) TEST_ON(name, 1250)
CLASSES(TEST)

/* Bodies that have no value to compare: they stop, wait or hint, and other tests look at them. */
static const char *const elsewhere[] = { "s_endpgm", "s_trap", "s_sendmsg", "s_code_end",
                                         "s_endpgm_saved" };

/* Masks of 64 bits mean nothing to waves of 32 lanes; WMMA is tested beside its arithmetic. */
static bool left_out(enum target t, const char *name)
{
    return target_lanes(t) == 32 && (strstr(name, "saveexec_b64") || strstr(name, "wrexec_b64") ||
                                     strstr(name, "wmma") || strstr(name, "swmmac"));
}

static void list_only(enum target t)
{
#define LIST(name) run_##name(t);
    CLASSES(LIST)
}

static void check_cover(enum target t)
{
    const struct sim_family *f = sim_family_by_name(target_name[t]);
    size_t n;
    const struct sim_opcode *rows = sim_isa_rows(f->isa, &n);
    int missing = 0;

    listing = true;
    list_only(t);
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        covered_add(t, elsewhere[i]);
    for (size_t i = 0; i < n; i++) {
        unsigned op = rows[i].token;
        bool dual = rows[i].format == SIM_FMT_VOPDX || rows[i].format == SIM_FMT_VOPDY ||
                    rows[i].format == SIM_FMT_VOPD3X || rows[i].format == SIM_FMT_VOPD3Y;
        if (dual || !(rows[i].targets & f->target) || covered[t][op] ||
            !sim_op_implemented(f, sim_op_base(op)) || left_out(t, sim_op_name(op)))
            continue;
        covered[t][op] = true;
        fprintf(stderr, "%s: %s has a body and no test\n", f->name, sim_op_name(op));
        missing++;
    }
    cr_assert_eq(missing, 0, "%d mnemonics of %s have a body and no test", missing, f->name);
}

Test(coverage, gfx90a) { check_cover(T_90A); }
Test(coverage, gfx942) { check_cover(T_942); }
Test(coverage, gfx950) { check_cover(T_950); }
Test(coverage, gfx1100) { check_cover(T_1100); }
Test(coverage, gfx1201) { check_cover(T_1201); }
Test(coverage, gfx1250) { check_cover(T_1250); }
