/* SPDX-License-Identifier: MIT */
/*
 * fly-tune: searches a problem's candidates for the fastest. Each one's results are compared with the reference
 * first; then they are ranked by time on a GPU, or by the simulator's bound model, which is said. Winners are
 * stored for this user (docs/tuning.md).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/support/fill.h"
#include "bench.h"
#include "command.h"
#include "core/arch.h"
#include "core/handle.h"
#include "core/select.h"
#include "core/tune.h"

static const char usage[] =
    "usage: fly-tune [OPTIONS] PROBLEM...\n"
    "\n"
    "  PROBLEM             as fly-bench takes it: layernorm:bf16:rows=4096,cols=8192\n"
    "  --on TARGET         sim:ARCH, hip or cuda; default: the GPU found, else sim:gfx950\n"
    "  --suite FILE        problems from a file, one a line; # starts a comment\n"
    "  --check-rows N      compare about N rows of each result, spread evenly; 0: all (default: 256)\n"
    "  --dry-run           store nothing\n"
    "  --csv               print the winners as a tuning file, the search to stderr; one operation\n"
    "  --quiet             winners only\n"
    "\n"
    "Winners go to $XDG_CACHE_HOME/fly, or ~/.cache/fly, where libfly finds them. Times within 2 % of the fastest\n"
    "count as equal: of those the heuristic's own choice wins, else more rows a workgroup.\n";

enum { MAX_CANDIDATES = 256 };
#define TIE 1.02

struct candidate {
    const struct fly_kernel *kernel;
    double us;
};

struct options {
    struct bench_options bench;
    bool store, csv, quiet;
    FILE *out;
};

/* The rows of --csv. */
struct winners {
    struct fly_tune_row *row;
    double (*us)[2];
    const struct fly_kernel **second;
    int n;
};

static unsigned rows_of(const struct fly_op *op, const struct fly_kernel *k)
{
    return op->tile == FLY_TILE_ROWWISE ? k->rowwise.rows : 0;
}

/* The one to take: of those within a tie of the fastest what the heuristic takes, else most rows a workgroup, else the
 * fastest. Without `but`. Null: none. */
static const struct candidate *pick(const struct fly_op *op, const struct candidate *list, int n,
                                    const struct candidate *but, const struct fly_kernel *standard)
{
    const struct candidate *best = NULL;
    double fastest = INFINITY;
    for (int i = 0; i < n; i++)
        if (&list[i] != but && list[i].us < fastest)
            fastest = list[i].us;
    for (int i = 0; i < n; i++) {
        const struct candidate *c = &list[i];
        if (c == but || c->us > fastest * TIE)
            continue;
        if (c->kernel == standard)
            return c;
        if (!best || rows_of(op, c->kernel) > rows_of(op, best->kernel) ||
            (rows_of(op, c->kernel) == rows_of(op, best->kernel) && c->us < best->us))
            best = c;
    }
    return best;
}

/* The problem as a tuning key: what does not count at its default, where the op allows that. */
static struct fly_problem key_of(const struct fly_problem *p)
{
    const struct fly_op *op = fly_op_table[p->op];
    struct fly_problem key = *p;
    for (uint32_t i = 0; i < op->nfields; i++) {
        const struct fly_field *f = &op->fields[i];
        if (!(f->flags & (FLY_FIELD_TUNE | FLY_FIELD_CHOICE | FLY_FIELD_REQUIRED)))
            key.v[i] = f->same_as >= 0 ? key.v[f->same_as] : f->fallback;
    }
    return op->check(&key) ? *p : key;
}

/* Checks and measures every kernel that fits p. Returns how many have a time; *wrong counts those whose results
 * are not right, which is a bug of libfly and said so. */
static int measure(const struct check_device *d, const struct options *opt, const char *text,
                   const struct fly_problem *p, struct candidate *list, int *wrong)
{
    const struct fly_op *op = fly_op_table[p->op];
    const struct fly_target *t = &d->handle->device->target;
    uint32_t count;
    const struct fly_kernel *k = fly_registry_rows(op, t->arch->id, p->types, &count);
    int n = 0;
    if (!count)
        k = fly_registry_rows(op, t->arch->generic, p->types, &count);
    for (uint32_t i = 0; i < count && n < MAX_CANDIDATES; i++) {
        struct bench_result r;
        if (op->fits(&k[i], p))
            continue;
        fly_force(d->handle, k[i].name);
        bool ok = bench_problem(d, &opt->bench, text, &r);
        bool right = ok && r.checked && r.check.outcome != CHECK_FAIL;
        double us = r.timed ? r.median_us : r.counted ? r.modelled_us : 0;
        if (!right) {
            fprintf(stderr, "fly-tune: %s is left out: %s\n", k[i].name, r.check.message);
            *wrong += ok;
        } else if (us > 0) {
            list[n++] = (struct candidate){&k[i], us};
            if (!opt->quiet)
                fprintf(opt->out, "  %-56s %10.3f us%s\n", k[i].name, us, r.timed ? "" : " modelled");
        }
    }
    fly_force(d->handle, NULL);
    return n;
}

/* False when the problem has no winner or it could not be stored. */
static bool tune(const struct check_device *d, const struct options *opt, const char *text, struct winners *w,
                 int *wrong)
{
    struct fly_problem p;
    struct candidate list[MAX_CANDIDATES];
    struct fly_choice standard = {0};
    char message[600], name[FLY_MAX_PROBLEM_TEXT];
    const bool modelled = d->rt->symbol(d->rt, "flysimGetCounts") != NULL;
    if (fly_problem_parse(text, &p, message, sizeof message) != FLY_STATUS_SUCCESS) {
        fprintf(stderr, "fly-tune: %s\n", message);
        return false;
    }
    const struct fly_op *op = fly_op_table[p.op];
    const struct fly_target *t = &d->handle->device->target;
    if (fly_select_kernel(op, &p, t, NULL, "", &standard, message, sizeof message) != FLY_STATUS_SUCCESS) {
        fprintf(stderr, "fly-tune: %s: %s\n", text, message);
        return false;
    }
    fly_problem_print(&p, name, sizeof name);
    fprintf(opt->out, "%s on %s, %u compute units, %s\n", name, t->arch->name, t->cus,
            modelled ? "modelled on the simulator" : "measured");
    int n = measure(d, opt, name, &p, list, wrong);
    const struct candidate *best = pick(op, list, n, NULL, standard.kernel);
    const struct candidate *second = pick(op, list, n, best, standard.kernel);
    if (!best) {
        fprintf(stderr, "fly-tune: %s: no kernel gave right results\n", name);
        return false;
    }
    struct fly_tune_row row = {.problem = key_of(&p), .cus = t->cus, .kernel = (uint32_t)(best->kernel - op->kernels),
                               .arch = (uint16_t)t->arch->id, .modelled = modelled};
    fly_tune_finish(&row);
    bool stored = opt->store && fly_tune_store(&row, best->us, second ? second->kernel : NULL, second ? second->us : 0);
    fprintf(opt->out, "  winner: %s, %.3f us%s%s%s\n", best->kernel->name, best->us, modelled ? " modelled" : "",
            best->kernel == standard.kernel ? ", the heuristic's choice" : "", stored ? "; stored" : "");
    if (opt->store && !stored)
        fprintf(stderr, "fly-tune: the winner is not stored: %s\n", strerror(errno));
    if (opt->csv) {
        w->row[w->n] = row;
        w->us[w->n][0] = best->us;
        w->us[w->n][1] = second ? second->us : 0;
        w->second[w->n++] = second ? second->kernel : NULL;
    }
    return stored || !opt->store;
}

/* The winners in the order of their keys, as a tuning file; of equal keys the last. */
static void print_csv(struct winners *w)
{
    bool *done = calloc((size_t)w->n + 1, sizeof *done);
    for (int printed = 0; done && printed >= 0;) {
        int next = -1;
        for (int i = 0; i < w->n; i++) {
            int c = next < 0 ? -1 : fly_tune_compare(&w->row[i], &w->row[next]);
            if (!done[i] && c <= 0)
                next = i;
        }
        if (next < 0)
            break;
        char text[2048];
        fly_tune_print(&w->row[next], w->us[next][0], w->second[next], w->us[next][1], text, sizeof text);
        /* Title and header once. */
        char *line = strchr(text, '\n') + 1;
        fputs(printed++ ? strchr(line, '\n') + 1 : text, stdout);
        for (int i = 0; i < w->n; i++)
            done[i] |= fly_tune_compare(&w->row[i], &w->row[next]) == 0;
    }
    free(done);
}

int main(int argc, char **argv)
{
    struct options opt = {.bench = {.check = true, .time = true, .pattern = FILL_NORMAL, .seed = 1, .max_rows = 256},
                          .store = true, .out = stdout};
    struct command_list problems = {0};
    command_name = "fly-tune";
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) {
            fputs(usage, stdout);
            return 0;
        } else if (strcmp(a, "--dry-run") == 0) {
            opt.store = false;
        } else if (strcmp(a, "--csv") == 0) {
            opt.csv = true;
            opt.out = stderr;
        } else if (strcmp(a, "--quiet") == 0) {
            opt.quiet = true;
        } else if (strncmp(a, "--", 2) == 0) {
            if (!value)
                command_die("no value after", a);
            i++;
            if (strcmp(a, "--on") == 0)
                opt.bench.on = value;
            else if (strcmp(a, "--suite") == 0)
                command_read_suite(&problems, value);
            else if (strcmp(a, "--check-rows") == 0)
                opt.bench.max_rows = strtoll(value, NULL, 0);
            else
                command_die("unknown option", a);
        } else {
            command_add(&problems, a);
        }
    }
    if (problems.n == 0) {
        fputs(usage, stderr);
        return 2;
    }
    size_t n = (size_t)problems.n;
    struct winners w = {calloc(n, sizeof *w.row), calloc(n, sizeof *w.us), calloc(n, sizeof *w.second), 0};
    char message[600];
    struct check_device d;
    if (!w.row || !w.us || !w.second)
        command_die("out of memory", NULL);
    opt.bench.on = command_target(opt.bench.on);
    if (!check_open(&d, 0, message, sizeof message))
        command_die(message, NULL);
    bool ok = true;
    int wrong = 0;
    for (int i = 0; i < problems.n; i++) {
        ok &= tune(&d, &opt, problems.v[i], &w, &wrong);
        fflush(stdout);
        if (opt.csv && w.n && w.row[w.n - 1].problem.op != w.row[0].problem.op)
            command_die("--csv: a tuning file is of one operation; not", problems.v[i]);
    }
    print_csv(&w);
    free(w.row), free(w.us), free(w.second);
    command_free(&problems);
    check_close(&d);
    return !ok || wrong;
}
