/* SPDX-License-Identifier: MIT */
/* Hazards of gfx9 that software must avoid with wait states. */
#ifndef SIM_HAZARD_H
#define SIM_HAZARD_H

#include "state.h"

/* What an instruction may run into, and what it may cause (struct insn, hz). */
enum {
    SIM_HZ_VECTOR = 1,    /* reads or writes vector registers */
    SIM_HZ_NEAR = 2,      /* DPP, lane reads, MFMA: sees the results of vector instructions late */
    SIM_HZ_WRITES_S = 4,  /* writes a scalar that others see late */
    SIM_HZ_VALU = 8, SIM_HZ_MFMA = 16,
    SIM_HZ_OTHER = 32,    /* neither of them, but it can cause a hazard */
    SIM_HZ_READS_S = 64   /* looks at scalars or EXEC: near_s is the longest wait it may need for one */
};

/* Its kind, so that the check need not look at names (struct insn, kind). */
enum {
    SIM_HK_TRANS = 1, SIM_HK_DOT = 2, SIM_HK_SWAP = 4, SIM_HK_M0 = 8, SIM_HK_STORE = 16, SIM_HK_SETREG = 32,
    SIM_HK_EXEC = 64, SIM_HK_SELECT = 128, SIM_HK_MEMORY = 256, SIM_HK_PART = 512, SIM_HK_FMA64 = 1024,
    SIM_HK_DPP = 2048, SIM_HK_DIV_FMAS = 4096, SIM_HK_FIRST_LANE = 8192, SIM_HK_GETREG = 16384
};

/* Notes the instruction; false after a report. */
bool sim_hazard_check(struct sim_wave *w, const struct insn *in);
/* Notes one whose vector results others see late: `reach` is the longest wait they may need. */
void sim_hazard_note(struct sim_wave *w, const struct insn *in, u32 now);

static inline bool sim_hazard_meets(const struct sim_wave *w, const struct insn *in)
{
    return ((in->rows[0] & (w->hot[0][0] | w->hot[1][0])) | (in->rows[1] & (w->hot[0][1] | w->hot[1][1])) |
            (in->rows[2] & (w->hot[0][2] | w->hot[1][2])) | (in->rows[3] & (w->hot[0][3] | w->hot[1][3]))) != 0;
}

/* The same, for the loop: most instructions are near nothing. */
static inline bool sim_hazard(struct sim_wave *w, const struct insn *in)
{
    const unsigned hz = in->hz;
    const u32 now = w->states;
    w->states = now + in->states;
    if (!hz)
        return true;
    if (__builtin_expect(now - w->last_s - 1 < in->near_s || (hz & SIM_HZ_NEAR && now - w->last_v < 3) ||
                         ((i32)(w->until - now) > 0 && hz & SIM_HZ_VECTOR && sim_hazard_meets(w, in)), 0) &&
        !sim_hazard_check(w, in))
        return false;
    if (hz & (SIM_HZ_VALU | SIM_HZ_MFMA | SIM_HZ_OTHER)) {
        w->recent[w->nrecent++ % SIM_RECENT] = (struct sim_recent){in, now};
        if (hz & SIM_HZ_VALU) w->last_v = now;
        if (hz & SIM_HZ_WRITES_S) w->last_s = now;
        if (__builtin_expect(in->reach, 0)) sim_hazard_note(w, in, now);
    }
    return true;
}

/* Room for an instruction with relative register numbers, that lasts as long as hazards look back; and its
 * rows, once it has its numbers. */
struct insn *sim_hazard_copy(struct sim_wave *w);
void sim_hazard_rows(struct insn *in);

/* At decode. */
void sim_hazard_lower(struct insn *in, const struct sim_target *t);

#endif
