/* SPDX-License-Identifier: MIT */
/*
 * Proof that a wave waits in vain: it comes back to the same instruction with the same registers and has
 * changed no memory meanwhile. As long as nobody else changes memory it will do so for ever.
 */
#ifndef SIM_DEADLOCK_H
#define SIM_DEADLOCK_H

#include "state.h"

/* Before a traced run of the wave, whose registers are `rows` rows. False when out of memory. */
bool sim_watch_begin(struct sim_wave *w, int rows);

/* After it: whether the proof was found. *load is the last instruction of the loop that reads memory, or
 * null. */
bool sim_watch_end(struct sim_wave *w, const struct insn **load);

#endif
