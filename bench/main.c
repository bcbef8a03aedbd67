/* SPDX-License-Identifier: MIT */
/*
 * fly-bench: checks problems against their reference, then counts them on the simulator or times them on
 * a GPU. Problems are given in the problem grammar, which FLY_LOG=bench prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/support/fill.h"
#include "bench.h"
#include "command.h"
#include "core/handle.h"

static const char usage[] =
    "usage: fly-bench [OPTIONS] PROBLEM...\n"
    "       fly-bench dispatch [--json]\n"
    "\n"
    "  PROBLEM             op:types:field=value,...   layernorm:bf16:rows=4096,cols=8192\n"
    "  --on TARGET         sim:ARCH, hip or cuda; default: the GPU found, else sim:gfx950\n"
    "  --suite FILE        problems from a file, one a line; # starts a comment\n"
    "  --json              one JSON object a problem\n"
    "  --kernel NAME       force a variant\n"
    "  --no-check          do not compare with the reference\n"
    "  --no-time           on a GPU: check only\n"
    "  --check-rows N      compare about N rows, spread evenly (default: all)\n"
    "  --waves N           simulator: run about N waves of a launch, spread over its grid, and extrapolate\n"
    "                      the counts; nothing is compared\n"
    "  --pattern NAME      input data: normal, uniform, offset1, wide, mixed, ... (default: normal)\n"
    "  --seed N            of the input data (default: 1)\n"
    "\n"
    "dispatch: nanoseconds of host time a call takes in libfly, with a runtime whose launch does nothing.\n";

static int pattern_named(const char *name)
{
    for (int i = 0; i < FILL_PATTERNS; i++)
        if (strcmp(fill_name(i), name) == 0)
            return i;
    if (strcmp(name, "mixed") == 0)
        return FILL_MIXED;
    if (strcmp(name, "special") == 0)
        return FILL_SPECIAL;
    command_die("no such pattern:", name);
}

int main(int argc, char **argv)
{
    struct bench_options opt = {.check = true, .time = true, .pattern = FILL_NORMAL, .seed = 1};
    struct command_list problems = {0};
    bool dispatch = false;
    command_name = "fly-bench";
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(a, "--json") == 0) {
            opt.json = true;
        } else if (strcmp(a, "--no-check") == 0) {
            opt.check = false;
        } else if (strcmp(a, "--no-time") == 0) {
            opt.time = false;
        } else if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) {
            fputs(usage, stdout);
            return 0;
        } else if (strncmp(a, "--", 2) == 0) {
            if (!value)
                command_die("no value after", a);
            i++;
            if (strcmp(a, "--on") == 0)
                opt.on = value;
            else if (strcmp(a, "--suite") == 0)
                command_read_suite(&problems, value);
            else if (strcmp(a, "--kernel") == 0)
                opt.kernel = value;
            else if (strcmp(a, "--check-rows") == 0)
                opt.max_rows = strtoll(value, NULL, 0);
            else if (strcmp(a, "--waves") == 0)
                opt.waves = strtoull(value, NULL, 0);
            else if (strcmp(a, "--pattern") == 0)
                opt.pattern = pattern_named(value);
            else if (strcmp(a, "--seed") == 0)
                opt.seed = strtoull(value, NULL, 0);
            else
                command_die("unknown option", a);
        } else if (strcmp(a, "dispatch") == 0) {
            dispatch = true;
        } else if (strcmp(a, "fly-bench") != 0) { /* a line of FLY_LOG=bench may be pasted whole */
            command_add(&problems, a);
        }
    }
    opt.check &= opt.waves == 0;
    if (dispatch)
        return bench_dispatch(opt.json);
    if (problems.n == 0) {
        fputs(usage, stderr);
        return 2;
    }

    char message[600];
    struct check_device d;
    opt.on = command_target(opt.on);
    if (!check_open(&d, 0, message, sizeof message))
        command_die(message, NULL);
    if (opt.kernel)
        fly_force(d.handle, opt.kernel);
    int failed = 0;
    for (int i = 0; i < problems.n; i++) {
        struct bench_result r;
        bool ok = bench_problem(&d, &opt, problems.v[i], &r);
        if (opt.json)
            bench_print_json(&opt, &r, ok);
        else
            bench_print_text(&opt, &r, ok, i == 0);
        fflush(stdout);
        failed |= !ok || (r.checked && r.check.outcome == CHECK_FAIL);
    }
    command_free(&problems);
    check_close(&d);
    return failed;
}
