/* SPDX-License-Identifier: MIT */
/*
 * The choice of a kernel: forced, the user's own winners, the installed tuning table, its nearest
 * entry, the op's heuristic, the last row. A pure function of problem, device row and tables.
 */
#ifndef FLY_CORE_SELECT_H
#define FLY_CORE_SELECT_H

#include "core/op.h"
#include "core/tune.h"

struct fly_choice {
    const struct fly_kernel *kernel;
    uint8_t reason; /* flyReason_t */
};

/* Rows of `op` for one arch and types: the first, and how many. */
const struct fly_kernel *fly_registry_rows(const struct fly_op *op, unsigned arch,
                                           const uint8_t types[3], uint32_t *count);

/* Any row of the registry by name, or null; *op is its operation. */
const struct fly_kernel *fly_registry_find(const char *name, const struct fly_op **op);

/* `forced` is FLY_KERNEL's value or "". NOT_SUPPORTED with a sentence when the device has no kernel
 * for the types, or the forced one cannot run. tuning may be null. */
flyStatus_t fly_select_kernel(const struct fly_op *op, const struct fly_problem *p,
                              const struct fly_target *t, const struct fly_tune *tuning,
                              const char *forced, struct fly_choice *c, char *message,
                              size_t bytes);

/* "forced", "tuned", ... */
const char *fly_reason_name(unsigned reason);

#endif
