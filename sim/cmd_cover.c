/* SPDX-License-Identifier: MIT */
/*
 * fly-sim cover: which mnemonics a target has, which of them have a meaning here, which of them
 * code objects use.
 */
#include "cmd.h"
#include "cover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct uses {
    const struct sim_family *only; /* count code of this target alone, or null */
    unsigned long count[SIM_OP_COUNT];
    bool target[SIM_OP_COUNT][16]; /* by row of family.inc: seen in code of that target */
    unsigned long objects, undecoded;
    bool failed;
};

static bool implemented(const struct sim_family *f, unsigned token)
{
    return sim_op_implemented && sim_op_implemented(f, sim_op_base(token));
}

static void mark_tokens(const struct sim_family *f, bool *has)
{
    size_t n;
    const struct sim_opcode *rows = sim_isa_rows(f->isa, &n);

    for (size_t i = 0; i < n; i++)
        if (rows[i].targets & f->target)
            has[rows[i].token] = true;
}

static void target_line(const struct sim_family *f)
{
    bool has[SIM_OP_COUNT] = {false};
    unsigned n = 0, done = 0;

    mark_tokens(f, has);
    for (unsigned t = 1; t < SIM_OP_COUNT; t++)
        if (has[t]) {
            n++;
            done += implemented(f, t);
        }
    printf("%-14s %4u mnemonics, %4u implemented\n", f->name, n, done);
}

static void count(const char *path, const struct sim_image *m, void *arg)
{
    struct uses *u = arg;
    char err[200], text[512];
    struct sim_codeobj *o = sim_codeobj_open(m->data, m->size, err, sizeof err);
    struct cmd_walk w;
    struct sim_insn i;
    size_t f;

    if (!o) {
        fprintf(stderr, "fly-sim: %s (%s): %s\n", path, m->target, err);
        u->failed = true;
        return;
    }
    if (u->only && u->only != o->family) {
        sim_codeobj_close(o);
        return;
    }
    u->objects++;
    f = o->family - sim_families;
    cmd_walk_start(&w, o);
    while (cmd_walk_next(&w, &i, text, sizeof text)) {
        const struct sim_opcode *rows[2] = {i.op, i.op_y};

        u->undecoded += !i.op;
        for (int k = 0; k < 2; k++)
            if (rows[k]) {
                u->count[rows[k]->token]++;
                u->target[rows[k]->token][f] = true;
            }
    }
    sim_codeobj_close(o);
}

/* check: only what is missing is printed, and fails. */
static int files(const char *path, bool check)
{
    struct uses *u = calloc(1, sizeof *u);
    unsigned n = 0, missing = 0;
    bool failed;

    if (!u)
        return 1;
    u->failed |= !cmd_each_image(path, count, u);
    for (unsigned t = 1; t < SIM_OP_COUNT; t++) {
        bool all = true;

        if (!u->count[t])
            continue;
        for (size_t f = 0; f < sim_family_count; f++)
            if (u->target[t][f])
                all &= implemented(&sim_families[f], t);
        if (!check || !all)
            printf("%-44s %8lu %s\n", sim_op_name(t), u->count[t], all ? "implemented" : "-");
        n++;
        missing += !all;
    }
    printf("%lu code objects, %u mnemonics, %u not implemented", u->objects, n, missing);
    if (u->undecoded)
        printf(", %lu words not decoded", u->undecoded);
    putchar('\n');
    failed = u->failed || u->objects == 0 || (check && (missing || u->undecoded));
    free(u);
    return failed;
}

/* The kernels that belong to this program: FLY_KERNEL_PATH, else the build tree's or the installed
 * ones beside it. Null if there are none. */
static const char *own_kernels(char *buf, size_t n)
{
    static const char *const beside[] = {"/../kernels-gen/out", "/../lib/x86_64-linux-gnu/libfly",
                                         "/../lib/libfly", "/../lib64/libfly"};
    const char *env = getenv("FLY_KERNEL_PATH");
    char exe[400];
    ssize_t len = readlink("/proc/self/exe", exe, sizeof exe - 1);

    if (env && *env)
        return env;
    if (len <= 0)
        return NULL;
    exe[len] = 0;
    *strrchr(exe, '/') = 0;
    for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
        snprintf(buf, n, "%s%s", exe, beside[i]);
        if (access(buf, R_OK) == 0)
            return buf;
    }
    return NULL;
}

/* Mnemonics of one target, whether each has a body, and how often the kernels at path use it. */
static int target_list(const struct sim_family *f, const char *path)
{
    struct uses *u = calloc(1, sizeof *u);
    bool has[SIM_OP_COUNT] = {false};
    unsigned used = 0, missing = 0;
    bool failed;

    if (!u)
        return 1;
    u->only = f;
    if (path)
        u->failed |= !cmd_each_image(path, count, u);
    mark_tokens(f, has);
    for (unsigned t = 1; t < SIM_OP_COUNT; t++) {
        if (!has[t])
            continue;
        printf("%-44s %-12s", sim_op_name(t), implemented(f, t) ? "implemented" : "-");
        printf(u->count[t] ? " %8lu\n" : "\n", u->count[t]);
        used += u->count[t] != 0;
        missing += u->count[t] && !implemented(f, t);
    }
    target_line(f);
    if (path)
        printf("%lu code objects in %s use %u of them, %u not implemented\n", u->objects, path,
               used, missing);
    failed = u->failed;
    free(u);
    return failed;
}

int cmd_cover(int argc, char **argv)
{
    const bool check = argc == 3 && !strcmp(argv[1], "--check");
    const struct sim_family *f = argc > 1 ? sim_family_by_name(argv[1]) : NULL;
    char buf[500];

    if (argc > 3 || (argc == 3 && !f && !check)) {
        fputs("usage: fly-sim cover [TARGET [FILE | DIR] | [--check] FILE | DIR]\n", stderr);
        return 2;
    }
    if (f)
        return target_list(f, argc == 3 ? argv[2] : own_kernels(buf, sizeof buf));
    if (argc > 1)
        return files(argv[argc - 1], check);
    for (size_t i = 0; i < sim_family_count; i++)
        target_line(&sim_families[i]);
    return 0;
}
