/* SPDX-License-Identifier: MIT */
/*
 * fly-sim run, trace and cover from the command line, on a HIP file that clang compiles as it would for
 * anybody; and that file's own main, linked as a HIP program is, on the simulator's libamdhip64.
 */
#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel.h"

static char dir[200];

/* A command's exit status; its output into out. */
static int run(char *out, size_t n, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int run(char *out, size_t n, const char *format, ...)
{
    char command[1200];
    va_list ap;
    size_t got;
    FILE *p;
    int status;

    va_start(ap, format);
    vsnprintf(command, sizeof command, format, ap);
    va_end(ap);
    p = popen(command, "r");
    cr_assert_not_null(p);
    got = fread(out, 1, n - 1, p);
    out[got] = 0;
    while (fgetc(p) != EOF)
        ;
    status = pclose(p);
    return status < 0 ? -1 : status >> 8;
}

static const char *compiler(void)
{
    static char found[32];
    char out[8];

    for (int v = 22; !*found && v < 30; v++)
        if (run(out, sizeof out, "command -v clang-%d >/dev/null 2>&1", v) == 0)
            snprintf(found, sizeof found, "clang-%d", v);
    return *found ? found : NULL;
}

/* Compiles a source with these options into dir/name; skips the test without a compiler. */
static void compile_file(const char *source, const char *options, const char *name)
{
    char out[2000];
    const char *tmp = getenv("TMPDIR");

    if (!compiler() || !kernel_tools())
        cr_skip_test("clang and ld.lld of LLVM 22 are not installed");
    if (!*dir) {
        snprintf(dir, sizeof dir, "%s/sim-run-XXXXXX", tmp && *tmp ? tmp : "/tmp");
        cr_assert_not_null(mkdtemp(dir));
    }
    cr_assert_eq(run(out, sizeof out, "%s -x hip -nogpuinc -nogpulib -O2 %s -o '%s/%s' '%s/%s' 2>&1", compiler(), options,
                     dir, name, SIM_TEST_DATA, source),
                 0, "%s", out);
}
static void compile(const char *options, const char *name) { compile_file("saxpy.hip", options, name); }

static void remove_files(void)
{
    char out[8];

    if (*dir)
        run(out, sizeof out, "rm -r '%s'", dir);
}

TestSuite(run, .fini = remove_files);

#define OBJECT "--cuda-device-only --no-gpu-bundle-output --offload-arch=gfx942"
#define BUNDLE "--cuda-device-only --offload-compress --offload-arch=gfx90a --offload-arch=gfx942 --offload-arch=gfx950"

Test(run, arguments_by_type_and_buffers_to_files)
{
    char out[4000], path[300];
    float y[1000];
    FILE *f;

    compile(OBJECT, "k.co");
    cr_assert_eq(run(out, sizeof out, "cd '%s' && %s run --grid 4 --block 256 k.co saxpy i32:1000 f32:2 iota:f32:1000 'iota:f32:1000>y' 2>&1",
                     dir, FLY_SIM),
                 0, "%s", out);
    cr_expect_not_null(strstr(out, "launches 1, workgroups 4, waves 16\n"), "%s", out);
    cr_expect_not_null(strstr(out, "(modelled, not measured)"), "%s", out);
    snprintf(path, sizeof path, "%s/y", dir);
    f = fopen(path, "rb");
    cr_assert_not_null(f);
    cr_assert_eq(fread(y, 4, 1000, f), 1000);
    fclose(f);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(y[i], 3.0f * (float)i, "element %d is %g", i, (double)y[i]);
    /* What one run wrote is read by the next. */
    cr_assert_eq(run(out, sizeof out, "cd '%s' && %s run --json --grid 4 --block 256 k.co saxpy i32:1000 f32:-3 iota:f32:1000 'in:y>y' 2>&1",
                     dir, FLY_SIM),
                 0, "%s", out);
    cr_expect(kernel_match("{\"launches\":1,\"workgroups\":4,\"waves\":16,\"instructions\":{\"valu\":#,*},\"read_bytes\":8064,"
                           "\"write_bytes\":4032,*\"modelled_us\":*,\"modelled_bound\":\"*\"}\n", out), "%s", out);
    f = fopen(path, "rb");
    cr_assert_eq(fread(y, 4, 1000, f), 1000);
    fclose(f);
    for (int i = 0; i < 1000; i++)
        cr_assert_eq(y[i], 0.0f, "element %d is %g", i, (double)y[i]);
}

Test(run, any_image_of_a_bundle)
{
    static const char *const targets[] = {"gfx90a", "gfx942", "gfx950"};
    char out[20000];

    compile(BUNDLE, "k.hipfb");
    for (int i = 0; i < 3; i++) {
        cr_assert_eq(run(out, sizeof out, "%s run --on %s --grid 3 --block 256 '%s/k.hipfb' total u32:1000 iota:i32:1000 'zero:4>-' 2>&1 | od -An -td4 -N4",
                         FLY_SIM, targets[i], dir), 0);
        cr_expect_eq(atoi(out), 999 * 1000 / 2, "%s: %s", targets[i], out);
    }
    cr_assert_eq(run(out, sizeof out, "%s run --list '%s/k.hipfb' 2>&1", FLY_SIM, dir), 0);
    cr_expect(kernel_match("gfx90a saxpy: workgroup <= 1024, LDS 0, kernarg #\n    +0      4 bytes *gfx942 saxpy: *gfx950 total: "
                           "workgroup <= 1024, LDS 1024, *", out), "%s", out);
    cr_expect_eq(run(out, sizeof out, "%s run --on gfx1100 '%s/k.hipfb' total u32:1 zero:4 zero:4 2>&1", FLY_SIM, dir), 1);
    cr_expect_not_null(strstr(out, "k.hipfb"), "%s", out);
}

Test(run, a_fault_is_reported_unless_checks_are_off)
{
    char out[4000];

    compile(OBJECT, "k.co");
    cr_expect_eq(run(out, sizeof out, "%s run --grid 4 --block 256 '%s/k.co' saxpy i32:1000 f32:2 buf:4000 zero:4000 2>&1", FLY_SIM, dir), 1);
    cr_expect(kernel_match("flysim: uninitialised: stored data (v#) is undefined: it comes from bytes nobody wrote, loaded by "
                           "global_load_dword *\n  kernel saxpy on gfx942\n*fly-sim: saxpy: *\n", out), "%s", out);
    cr_expect_eq(run(out, sizeof out, "%s run --no-check --grid 4 --block 256 '%s/k.co' saxpy i32:1000 f32:2 buf:4000 zero:4000 2>&1", FLY_SIM,
                     dir), 0, "%s", out);
    cr_expect_eq(run(out, sizeof out, "%s run --check --grid 4 --block 256 '%s/k.co' saxpy i32:1001 f32:2 zero:4000 zero:4004 2>&1", FLY_SIM,
                     dir), 1);
    cr_expect_not_null(strstr(out, "out of bounds: load of 4 bytes"), "%s", out);
}

Test(run, what_cannot_be_run_is_said)
{
    static const struct { const char *args, *says; int status; } cases[] = {
        {"k.co saxpy i32:1000 f32:2 zero:4000", "saxpy takes 4 arguments, 3 are given", 1},
        {"k.co saxpy i64:1000 f32:2 zero:4000 zero:4000", "argument 1 () has 4 bytes, not 8", 1},
        {"k.co saxpy i32:1000 f32:2 zero:4000 floats", "cannot read the argument 'floats'", 2},
        {"k.co saxpy i32:10z f32:2 zero:4000 zero:4000", "cannot read the argument 'i32:10z'", 2},
        {"k.co nothing", "k.co has no kernel nothing for gfx942", 1},
        {"--block 2048 k.co saxpy i32:1 f32:2 zero:4 zero:4", "invalid configuration", 1},
        {"--on gfx1 k.co saxpy", "no device 'gfx1'", 1},
        {"saxpy.hip saxpy", "saxpy.hip", 1},
        {"--wrong k.co", "usage: fly-sim run", 2},
    };
    char out[4000];

    compile(OBJECT, "k.co");
    run(out, sizeof out, "cp '%s/saxpy.hip' '%s'", SIM_TEST_DATA, dir);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(run(out, sizeof out, "cd '%s' && %s run %s 2>&1", dir, FLY_SIM, cases[i].args), cases[i].status, "%s: %s", cases[i].args, out);
        cr_expect_not_null(strstr(out, cases[i].says), "%s: %s", cases[i].args, out);
    }
}

Test(run, a_trace_shows_what_each_instruction_wrote)
{
    char out[20000];
    const char *p;

    compile(OBJECT, "k.co");
    cr_assert_eq(run(out, sizeof out, "%s trace --wg 1 --lanes 2 --grid 2 --block 64 '%s/k.co' saxpy i32:100 f32:2 iota:f32:100 zero:400 2>&1",
                     FLY_SIM, dir), 0, "%s", out);
    /* x[64], x[65]; then 2 x + 0; lanes from 100 on are off. */
    p = strstr(out, "global_load_dword v");
    cr_assert_not_null(p, "%s", out);
    cr_expect(kernel_match("global_load_dword v#, v[*], off * v#=42800000,42820000..\n*v_fmac_f32_e32 v#, s#, v# * v#=43000000,43020000..\n*", p), "%s", p);
    cr_expect_not_null(strstr(out, " exec=0000000fffffffff"), "%s", out);
    cr_expect(kernel_match("1.0 00# *", out), "%s", out);
    cr_expect_null(strstr(out, "\n0.0"), "workgroup 0 was not asked for");
    cr_assert_eq(run(out, sizeof out, "%s trace --wg all --limit 3 --grid 2 --block 64 '%s/k.co' saxpy i32:100 f32:2 iota:f32:100 zero:400 2>&1 | wc -l",
                     FLY_SIM, dir), 0);
    cr_expect_eq(atoi(out), 3, "%s", out);
}

Test(run, cover_says_what_exists_what_runs_and_what_is_used)
{
    char out[400000];

    compile(OBJECT, "k.co");
    cr_assert_eq(run(out, sizeof out, "%s cover gfx942 '%s/k.co' 2>&1", FLY_SIM, dir), 0, "%s", out);
    cr_expect(kernel_match("*v_fmac_f32*", out), "%s", out);
}

Test(run, a_hip_program_finds_the_simulator_as_its_runtime)
{
    char out[4000];

    compile("--offload-arch=gfx942 --offload-arch=gfx950 -c", "p.o");
    cr_assert_eq(run(out, sizeof out, "cc -o '%s/p' '%s/p.o' -L'%s' -lamdhip64 2>&1", dir, dir, HIP_DIR), 0, "%s", out);
    cr_expect_eq(run(out, sizeof out, "LD_LIBRARY_PATH='%s' FLYSIM_DEVICES=gfx942 '%s/p' 2>&1", HIP_DIR, dir), 0, "%s", out);
    cr_expect_str_eq(out, "sum 499500\n");
    cr_expect_eq(run(out, sizeof out, "LD_LIBRARY_PATH='%s' FLYSIM_DEVICES=gfx950 '%s/p' 2>&1", HIP_DIR, dir), 0, "%s", out);
    cr_expect_str_eq(out, "sum 499500\n");
}

Test(run, a_hip_program_launches_clusters_of_workgroups)
{
    char out[4000];

    compile_file("cluster.hip", "--offload-arch=gfx1250 -c", "p.o");
    cr_assert_eq(run(out, sizeof out, "cc -o '%s/p' '%s/p.o' -L'%s' -lamdhip64 2>&1", dir, dir, HIP_DIR), 0, "%s", out);
    cr_expect_eq(run(out, sizeof out, "LD_LIBRARY_PATH='%s' FLYSIM_DEVICES=gfx1250 '%s/p' 2>&1", HIP_DIR, dir), 0, "%s", out);
    cr_expect_str_eq(out, "clusters agree\n");
}

Test(run, cluster_dimensions_from_the_command_line_and_the_code_object)
{
    char out[4000];

    compile_file("cluster.hip", "--offload-arch=gfx1250 --offload-device-only", "c.co");
    cr_assert_eq(run(out, sizeof out, "%s run --list '%s/c.co' 2>&1", FLY_SIM, dir), 0, "%s", out);
    cr_expect_not_null(strstr(out, ", cluster 4 x 1 x 1\n"), "%s", out);
    cr_expect_eq(run(out, sizeof out, "%s run --grid 6 --block 64 --cluster 3 '%s/c.co' _Z8launchedPKiPiS1_ zero:2048 zero:6144 zero:6144 2>&1",
                     FLY_SIM, dir), 0, "%s", out);
    cr_expect_eq(run(out, sizeof out, "%s run --grid 6 --block 64 '%s/c.co' _Z8compiledPKiPiS1_ zero:2048 zero:6144 zero:6144 2>&1",
                     FLY_SIM, dir), 1);
    cr_expect_not_null(strstr(out, "the grid is not made of whole ones"), "%s", out);
    cr_expect_eq(run(out, sizeof out, "%s run --grid 8 --block 64 --cluster 2 '%s/c.co' _Z8compiledPKiPiS1_ zero:2048 zero:8192 zero:8192 2>&1",
                     FLY_SIM, dir), 1);
    cr_expect_not_null(strstr(out, "was compiled for clusters of 4 x 1 x 1 workgroups"), "%s", out);
}
