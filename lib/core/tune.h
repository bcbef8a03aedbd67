/* SPDX-License-Identifier: MIT */
/*
 * Tuning: which kernel was measured to be the fastest for a problem. Rows come from the installed table
 * (compiled in from tuning/<arch>/<op>.csv) and from the user's own winners.
 */
#ifndef FLY_CORE_TUNE_H
#define FLY_CORE_TUNE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/op.h"

struct fly_choice;

/* One measured winner. Only fields with FLY_FIELD_TUNE or FLY_FIELD_CHOICE count; the others are at their
 * defaults. */
struct fly_tune_row {
    struct fly_problem problem;
    uint32_t cus;
    const struct fly_kernel *kernel;
};

/* Rows sorted by (arch of the device, cus, problem). */
struct fly_tune_table {
    struct fly_tune_row *row;
    uint32_t nrows;
};

struct fly_tune {
    struct fly_tune_table user;
    struct fly_tune_table installed;
};

/* Reads the tables for a device. What is missing or refused leaves its table empty, with a log line. */
void fly_tune_open(struct fly_tune *t, const struct fly_target *target);
void fly_tune_close(struct fly_tune *t);

/* The user's exact winner, the installed exact one, or the nearest installed one that fits. */
bool fly_tune_lookup(const struct fly_tune *t, const struct fly_op *op, const struct fly_problem *p,
                     const struct fly_target *target, struct fly_choice *c);

#endif
