/* SPDX-License-Identifier: MIT */
/*
 * Workgroups that run together (gfx1250): their barrier (-3), and loads that several of them make as one. All
 * waves of a cluster run in turn on one thread, so nothing here needs a lock.
 */
#ifndef SIM_CLUSTER_H
#define SIM_CLUSTER_H

#include "state.h"

enum { SIM_CLUSTER_MAX = 16, SIM_CLUSTER_EARLY = 1 << 16 /* in M0: do not wait for the others */ };

struct sim_asked;

struct sim_cluster {
    u32 n, dims[3];           /* workgroups, and how many along each side */
    struct sim_wg *wg[SIM_CLUSTER_MAX]; /* by number: x counts first */
    u32 signalled, ended;     /* bits: workgroups at the barrier in this phase; those that are over */
    u32 took_part;            /* bits: workgroups that have signalled at all */
    u32 deserted;             /* of those, which ended before the last phase was complete */
    struct sim_asked *asked[256], *spare; /* loads that not all of those named have made */
};

void sim_cluster_start(struct sim_cluster *c);
void sim_cluster_free(struct sim_cluster *c);

/* A wave signals for its workgroup; false after a report. */
bool sim_cluster_signal(struct sim_wave *w, const struct insn *in, bool *first);
/* *on: whether the wave goes on; otherwise its state is to become SIM_NAMED. False after a report. */
bool sim_cluster_wait(struct sim_wave *w, const struct insn *in, bool *on);
/* State of the barrier: bit 0 valid, [10:4] workgroups, [22:16] those that have signalled. */
u32 sim_cluster_state(const struct sim_wg *g);
/* The workgroup has ended: the barrier no longer waits for it. */
void sim_cluster_left(struct sim_wg *g);

/* Whether a load with these workgroups [15:0] and SIM_CLUSTER_EARLY may be made; false after a report. */
bool sim_cluster_named(struct sim_wave *w, const struct insn *in, u32 mask);
/* The load reads n bytes at a: one of each workgroup named is to do so. Checked runs only. */
void sim_cluster_ask(struct sim_wave *w, const struct insn *in, u32 mask, u64 a, u64 n);
/* At the end: reports a load that a workgroup named has not made. */
void sim_cluster_end(struct sim_cluster *c);

#endif
