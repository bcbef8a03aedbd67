/* SPDX-License-Identifier: MIT */
/*
 * fly-sim dis --check: what it says about assembled objects, and that it sees a difference when
 * there is one. (That the build's own kernels have none is a test of its own, in meson.build.)
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "llvm.h"

/* Runs a command of fly-sim; its last line of output into last, its exit status returned. */
static int run(const char *args, char *last, size_t n)
{
    char command[600], line[600];
    FILE *p;
    int status;

    snprintf(command, sizeof command, "'%s' %s 2>&1", FLY_SIM, args);
    p = popen(command, "r");
    cr_assert_not_null(p);
    *last = 0;
    while (fgets(line, sizeof line, p)) {
        line[strcspn(line, "\n")] = 0;
        snprintf(last, n, "%s", line);
    }
    status = pclose(p);
    return status < 0 ? -1 : status >> 8;
}

static void assemble(const char *source, const char *target, const char *object)
{
    char command[800];

    snprintf(command, sizeof command,
             "%s -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=obj -o %s %s", llvm_tool("llvm-mc"),
             target, object, source);
    cr_assert_eq(system(command), 0, "%s", command);
}

static void folder(char *path, size_t n)
{
    const char *tmp = getenv("TMPDIR");

    snprintf(path, n, "%s/sim-dis-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    cr_assert_not_null(mkdtemp(path));
}

Test(dis, registers_above_255_are_shown_as_llvm_shows_them)
{
    char dir[200], object[300], args[400], last[600];

    if (!llvm_found())
        cr_skip_test("llvm-mc and llvm-objdump of LLVM 22 are not installed");
    folder(dir, sizeof dir);
    snprintf(object, sizeof object, "%s/a.o", dir);
    assemble(SIM_TEST_DATA "/vgpr_msb.s", "gfx1250", object);
    snprintf(args, sizeof args, "dis --check %s", dir);
    cr_expect_eq(run(args, last, sizeof last), 0);
    cr_expect_str_eq(last, "83 instructions, 0 differences");
    unlink(object);
    rmdir(dir);
}

Test(dis, a_difference_is_seen)
{
    /* an image instruction: LLVM knows it, the simulator leaves images out */
    char dir[200], object[300], source[300], args[400], last[600];
    FILE *f;

    if (!llvm_found())
        cr_skip_test("llvm-mc and llvm-objdump of LLVM 22 are not installed");
    folder(dir, sizeof dir);
    snprintf(object, sizeof object, "%s/a.o", dir);
    snprintf(source, sizeof source, "%s/a.s", dir);
    f = fopen(source, "w");
    cr_assert_not_null(f);
    fputs("s_nop 0\nimage_load v0, v[0:1], s[0:7] dmask:0x1 unorm\ns_endpgm\n", f);
    fclose(f);
    assemble(source, "gfx90a", object);
    snprintf(args, sizeof args, "dis --check %s", dir);
    cr_expect_eq(run(args, last, sizeof last), 1);
    cr_expect_str_eq(last, "4 instructions, 2 differences");
    unlink(object);
    unlink(source);
    rmdir(dir);
}

Test(dis, files_that_are_no_code_are_errors)
{
    char last[600];

    cr_expect_eq(run("dis " SIM_TEST_DATA "/encodings.txt", last, sizeof last), 1);
    cr_expect_not_null(strstr(last, "neither a code object nor an offload bundle"), "%s", last);
    cr_expect_eq(run("dis /nonexistent", last, sizeof last), 1);
    cr_expect_eq(run("dis", last, sizeof last), 2);
}

Test(cover, lists_targets_and_mnemonics)
{
    char last[600];

    cr_expect_eq(run("cover gfx942", last, sizeof last), 0);
    cr_expect(strstr(last, "mnemonics") || strstr(last, "code objects"), "%s", last);
    cr_expect_eq(run("cover gfx942 " SIM_TEST_DATA "/encodings.txt", last, sizeof last), 1);
    cr_expect_eq(run("cover", last, sizeof last), 0);
    cr_expect_eq(strncmp(last, "gfx1250", 7), 0, "%s", last);
}
