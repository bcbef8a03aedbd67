/* SPDX-License-Identifier: MIT */
/* fly-bench: what its files share. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#include "../tests/support/check.h"

enum { BENCH_MAX_CLASSES = 16 };

struct bench_options {
    const char *on;      /* as given or found: "sim:gfx950", "hip", "cuda" */
    bool json;
    bool check;          /* compare with the reference before anything is measured */
    bool time;           /* on a GPU */
    const char *kernel;  /* forced variant, or null */
    int pattern;
    uint64_t seed;
    int64_t max_rows;    /* rows to compare; 0: all */
    uint64_t waves;      /* simulate about this many waves of a launch and extrapolate; 0: all */
};

/* What one problem gave. Fields that do not apply are 0 (counts on a GPU, times on the simulator). */
struct bench_result {
    char problem[FLY_MAX_PROBLEM_TEXT];
    const char *variant, *reason;
    uint32_t grid[3];             /* workgroups of the first launch */
    double plan_us;               /* by the op's own bound model, and what limits it; 0 without one */
    const char *plan_bound;
    bool checked;
    struct check_result check;
    uint64_t ideal_bytes, ideal_param_bytes;

    bool counted; /* the simulator's counts of one launch */
    uint64_t bytes_read, bytes_written, param_bytes, lds_bytes_moved, lds_conflict_cycles;
    uint64_t unique_bytes;          /* lines read and lines written, each once a launch */
    uint64_t memory_bytes;          /* and of parameters and workspace where they exceed the caches */
    uint64_t workgroups, simulated; /* fewer simulated: the counts are extrapolated */
    struct {
        const char *name;
        uint64_t count;
    } instructions[BENCH_MAX_CLASSES];
    int classes;
    uint32_t vgprs, agprs, sgprs, lds_bytes, spills, occupancy;
    double modelled_us;
    struct {
        const char *name;
        double us;
    } units[BENCH_MAX_CLASSES]; /* modelled busy time of each */
    int nunits;
    const char *bound;  /* what the modelled time is limited by, and its share */
    double bound_share;
    uint64_t l1_bytes_clk; /* assumed by the model */

    bool timed; /* a GPU's clock */
    double median_us, best_us, gbps;
    int launches;
};

/* Measures `text`; false when it could not run, with the sentence in r->check.message. */
bool bench_problem(const struct check_device *d, const struct bench_options *opt, const char *text,
                   struct bench_result *r);

/* Makes the simulator behind `c` run opt->waves waves of a launch. */
bool bench_sample(const struct check_case *c, const struct bench_options *opt, struct bench_result *r);

/* Counts of the simulator behind `c` over one launch; times on anything else. */
bool bench_count(struct check_case *c, struct bench_result *r);
bool bench_time(struct check_case *c, struct bench_result *r);

/* Host cost of a call, against a runtime that does nothing. Returns the exit status. */
int bench_dispatch(bool json);

void bench_print_json(const struct bench_options *opt, const struct bench_result *r, bool ok);
void bench_print_text(const struct bench_options *opt, const struct bench_result *r, bool ok, bool first);

#endif
