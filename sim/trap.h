/* SPDX-License-Identifier: MIT */
/* The one fault report: what a kernel did wrong, where, and in which lane. */
#ifndef SIM_TRAP_H
#define SIM_TRAP_H

#include "state.h"

enum sim_trap_kind {
    SIM_TRAP_NONE, SIM_TRAP_ILLEGAL, SIM_TRAP_UNIMPLEMENTED, SIM_TRAP_BOUNDS, SIM_TRAP_FREED,
    SIM_TRAP_ALIGN, SIM_TRAP_UNINIT, SIM_TRAP_WAIT, SIM_TRAP_LDS_RACE, SIM_TRAP_GLOBAL_RACE,
    SIM_TRAP_BARRIER, SIM_TRAP_DEADLOCK, SIM_TRAP_BUDGET, SIM_TRAP_HAZARD, SIM_TRAP_JUMP, SIM_TRAP_TRAP,
    SIM_TRAP_LAUNCH, SIM_TRAP_REGISTER
};

/* A word for the kind, as reports begin: "out of bounds". */
const char *sim_trap_name(enum sim_trap_kind kind);

/* Stops wave w at instruction in; lane -1 when no single lane is to blame. The first fault of a launch is
 * kept; the launch ends with it. */
__attribute__((format(printf, 6, 7), cold)) void
sim_trap(struct sim_wave *w, const struct insn *in, int lane, enum sim_trap_kind kind, u64 addr,
         const char *format, ...);

/* Adds a line to the report of the fault that this wave's sim_trap just made. */
__attribute__((format(printf, 2, 3), cold)) void sim_trap_more(struct sim_wave *w, const char *format, ...);

#endif
