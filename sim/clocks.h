/* SPDX-License-Identifier: MIT */
/*
 * Races in LDS between waves that named barriers, barrier cells or a cluster's barrier order in part only. Where
 * nothing but barriers of the whole workgroup is used, one count of barriers (epoch) tells what is ordered, see lds.c;
 * from a workgroup's first use of another kind on, each wave has a clock and knows how far it has seen those of
 * the others, and each dword of LDS keeps when who wrote and read it.
 */
#ifndef SIM_CLOCKS_H
#define SIM_CLOCKS_H

#include "state.h"

/* What a wave signals at: named barriers by number, 0 is the cluster's. */
enum { SIM_CLOCKS_CLUSTER = 0, SIM_CLOCKS_BARRIERS = 17 };

/* From now on; what was accessed since the last barrier counts. Nothing when they run already. */
void sim_clocks_start(struct sim_wg *g);
void sim_clocks_free(struct sim_wg *g);

/* The wave signals: what it did is behind it for who passes the barrier; not LDS writes it has not waited for. */
void sim_clocks_signal(struct sim_wave *w, unsigned barrier);
/* The barrier is complete, wave k is a member: it goes on now, or remembers it until it comes to wait. */
void sim_clocks_complete(struct sim_wg *g, unsigned barrier, unsigned k, bool waits);
void sim_clocks_ended(struct sim_wg *g, unsigned barrier); /* after all members */
/* The wave comes to wait at a barrier that is complete. */
void sim_clocks_pass(struct sim_wave *w);
/* The workgroup's own barrier: a wave signals; all have come. */
void sim_clocks_signal_all(struct sim_wave *w);
void sim_clocks_all(struct sim_wg *g);
/* Arrival at the barrier cell at LDS byte a, behind asynchronous copies under way (covers) or not; phase: it completes one.
 * Who reads the cell afterwards has passed. */
void sim_clocks_cell(struct sim_wave *w, u32 a, bool covers, bool phase);

/* Accesses to LDS bytes [a, a + n); false after a report. */
bool sim_clocks_read(struct sim_wave *w, const struct insn *in, int lane, u32 a, unsigned n);
bool sim_clocks_write(struct sim_wave *w, const struct insn *in, int lane, u32 a, unsigned n);
bool sim_clocks_atomic(struct sim_wave *w, const struct insn *in, int lane, u32 a);
/* The dword of an LDS write that is not waited for: it counts as done after the wave's next signal. */
void sim_clocks_late(struct sim_wave *w, u32 dword);

#endif
