/* SPDX-License-Identifier: MIT */
/* The bound model: cycles of instructions, and the time a launch would take if one resource were all
 * that limits it. docs/simulator.md says what it leaves out. */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "launch.h"

/* Adds the cycles of `runs` executions of an instruction to c. */
void sim_model_insn(const struct sim_target *t, int wave, const struct insn *in, u64 runs, struct flysim_counts *c);

/* Time and bound of a launch from its counts. */
void sim_model_time(const struct sim_target *t, const struct sim_launch *l, struct flysim_counts *c);

#endif
