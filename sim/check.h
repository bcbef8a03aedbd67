/* SPDX-License-Identifier: MIT */
/* State of registers: written, pending, waited for. Called from the checked interpreter loop. */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "state.h"

/* Called when an instruction touches a register that is pending or not fully written. Reports and
 * returns false, or notes what the instruction defines. */
bool sim_check_regs(struct sim_wave *w, const struct insn *in);

/* A buffer store or atomic to memory: its data must be defined in these lanes. False after a report. */
bool sim_check_stored(struct sim_wave *w, const struct insn *in, u64 lanes);
/* The same for bytes (bits 0..3) of one word of the data. */
bool sim_check_stored_word(struct sim_wave *w, const struct insn *in, unsigned word, unsigned bytes, u64 lanes);

/* Puts a memory instruction into the queues of its counters. */
void sim_issue(struct sim_wave *w, const struct insn *in);

/* s_waitcnt and its kin: in->aux is a u8[SIM_CNT_COUNT], 255 for "do not wait". */
void sim_wait(struct sim_wave *w, const struct insn *in);

/* At s_barrier: notes EXEC. sim_exec_grew reports when lanes that were off then are on again. */
void sim_barrier_check(struct sim_wave *w, const struct insn *in);
void sim_exec_grew(struct sim_wave *w, u64 exec);

/* At the start of a wave: nothing written, nothing pending. */
void sim_check_start(struct sim_wave *w, int rows);
void sim_check_define_row(struct sim_wave *w, unsigned row, u64 lanes);
void sim_check_define_s(struct sim_wave *w, unsigned reg, unsigned n);

#endif
