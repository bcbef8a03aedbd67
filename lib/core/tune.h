/* SPDX-License-Identifier: MIT */
/*
 * Tuning: which kernel was measured (on the simulator: modelled) to be the fastest for a problem. Rows come from the installed
 * table, compiled in from tuning/<arch>/<op>.csv, and from the user's own winners, one small file a
 * key below $XDG_CACHE_HOME/fly. The file format is in docs/tuning.md.
 */
#ifndef FLY_CORE_TUNE_H
#define FLY_CORE_TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/op.h"

struct fly_choice;

enum { FLY_TUNE_SIZES = 6, FLY_TUNE_MAX_ROWS = 1 << 16, FLY_TUNE_MAX_FILE = 1 << 22 };

/* One winner. The key is arch, types, CU count and the problem's TUNE and CHOICE fields;
 * other fields do not count. */
struct fly_tune_row {
    struct fly_problem problem;
    uint32_t cus;
    uint32_t kernel;             /* index in the op's registry */
    uint16_t arch;               /* enum fly_arch_id of the device */
    bool modelled;               /* ranked by the simulator's model, not by time */
    uint16_t lg[FLY_TUNE_SIZES]; /* 256 * log2 of the TUNE fields, in field order */
};

/* Rows in key order, no key twice. */
struct fly_tune_table {
    const struct fly_tune_row *row;
    uint32_t nrows;
};

struct fly_tune {
    struct fly_tune_table user;
    struct fly_tune_table installed;
    struct fly_tune_row *owned; /* the user's rows, or null */
};

/* The compiled table. */
extern const struct fly_tune_row fly_tune_installed_rows[];
extern const uint32_t fly_tune_installed_count;

/* Tables for a device: FLY_TUNING's file or folder in place of all others ("0": no tables), or the
 * installed table and the user's winners. What is missing or refused leaves its table empty, with a
 * log line. modelled: the device is the simulator, which sees modelled winners only; a GPU sees measured ones only. */
void fly_tune_open(struct fly_tune *t, const struct fly_target *target, bool modelled);
void fly_tune_close(struct fly_tune *t);

/* The user's exact winner, the installed exact one, or the nearest of both that fits. */
bool fly_tune_lookup(const struct fly_tune *t, const struct fly_op *op, const struct fly_problem *p,
                     const struct fly_target *target, struct fly_choice *c);

/* Hash over the names of the kernels an arch can run for an op, and their modules' fingerprints. */
uint64_t fly_registry_fingerprint(const struct fly_op *op, const struct fly_arch *arch);

/* Fills in lg. */
void fly_tune_finish(struct fly_tune_row *r);

/* Order by key. */
int fly_tune_compare(const struct fly_tune_row *a, const struct fly_tune_row *b);

/*
 * Reads a tuning file. Appends to *rows (realloc'd) and *nrows. With `fingerprint`, the file must
 * carry the registry's. Refuses the whole file, with a sentence that names the line: a malformed
 * line, an unknown kernel or problem, a kernel that does not fit or is for another arch,
 * duplicates, unsorted lines.
 */
flyStatus_t fly_tune_read(const char *text, size_t bytes, bool fingerprint,
                          struct fly_tune_row **rows, uint32_t *nrows, char *message, size_t n);

/* A file of one winner, as fly_tune_read takes it; returns as snprintf does. second may be null. */
int fly_tune_print(const struct fly_tune_row *r, double us, const struct fly_kernel *second,
                   double us2, char *text, size_t bytes);

/* Stores a winner for this user: written to a temporary file, then renamed. False with errno set
 * when it cannot be (a read-only or missing home is no error to the caller's work). */
bool fly_tune_store(const struct fly_tune_row *r, double us, const struct fly_kernel *second,
                    double us2);

#endif
