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
#include "handlers.h"

#define CLASSES(X)                                                                                 \
    X(salu) X(control) X(valu_f32) X(valu_f16) X(valu_f64) X(valu_int) X(valu_cmp)                 \
    X(valu_cvt) X(valu_pk) X(valu_scale) X(lanes) X(division) X(matrix) X(lds) X(vmem)             \
    X(scratch) X(smem) X(valu_1250) X(copy) X(wmma) X(format)

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

/* Masks of 64 bits mean nothing to waves of 32 lanes. */
static bool left_out(enum target t, const char *name)
{
    return target_lanes(t) == 32 && (strstr(name, "saveexec_b64") || strstr(name, "wrexec_b64"));
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

/* Builds of the handlers for x86-64-v2, v3 and v4 leave the same bits in every register. */
static bool level_runs(int level, int lanes)
{
    if (!sim_level_ops(level, lanes))
        return false;
#ifdef __x86_64__
    return level == 2 || (level == 3 && __builtin_cpu_supports("x86-64-v3")) || (level == 4 && __builtin_cpu_supports("x86-64-v4"));
#else
    return level == 2;
#endif
}

static void check_levels(enum target t)
{
    static const struct { const char *name; void (*run)(enum target); } classes[] = {
#define CLASS(name) {#name, run_##name},
        CLASSES(CLASS)
    };
    int levels[3], n = 0;

    if (!llvm_tool("llvm-mc"))
        cr_skip_test("no llvm-mc");
    for (int level = 2; level <= 4; level++)
        if (level_runs(level, target_lanes(t)))
            levels[n++] = level;
    run_digest();
    if (n < 2)
        cr_skip_test("this build and machine have one build of the handlers only");
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
        uint64_t first = 0;
        for (int k = 0; k < n; k++) {
            sim_set_level(levels[k]);
            classes[c].run(t);
            const uint64_t d = run_digest();
            if (!k)
                first = d;
            cr_expect_eq(d, first, "%s of %s: v%d and v%d differ", classes[c].name, target_name[t], levels[0], levels[k]);
        }
    }
}

Test(levels, gfx90a) { check_levels(T_90A); }
Test(levels, gfx950) { check_levels(T_950); }
