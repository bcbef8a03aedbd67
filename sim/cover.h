/* SPDX-License-Identifier: MIT */
/* What `fly-sim cover` asks the execution side. */
#ifndef SIM_COVER_H
#define SIM_COVER_H

#include <stdbool.h>

#include "family.h"

/* Is there a body for this token (sim_op_base has been applied) on that target? Defined by the
 * execution side; weak, so that the decoder and its tools link without it. */
bool sim_op_implemented(const struct sim_family *f, unsigned op) __attribute__((weak));

#endif
