/* SPDX-License-Identifier: MIT */
/* Hazards of gfx9 that software must avoid with wait states. */
#ifndef SIM_HAZARD_H
#define SIM_HAZARD_H

#include "state.h"

/* What an instruction may run into, and what it may cause (struct insn, hz). */
enum {
    SIM_HZ_READS_S = 1,   /* wait states matter for scalar registers it reads */
    SIM_HZ_READS_V = 2,   /* reads vector registers */
    SIM_HZ_NEAR = 4,      /* DPP, lane reads, MFMA: sees VALU results late */
    SIM_HZ_WRITES_S = 8,  /* vector instruction that writes scalar registers or EXEC */
    SIM_HZ_SLOW = 16,     /* transcendental, dot product, part of a register, a wide store's data */
    SIM_HZ_VALU = 32, SIM_HZ_MFMA = 64,
    SIM_HZ_OTHER = 128    /* neither of them, but it can cause a hazard */
};

/* Notes the instruction; false after a report. */
bool sim_hazard_check(struct sim_wave *w, const struct insn *in);

/* The same, for the loop: most instructions are near nothing. */
static inline bool sim_hazard(struct sim_wave *w, const struct insn *in)
{
    const unsigned hz = in->hz;
    const u32 now = w->states;
    w->states = now + in->states;
    if (!hz)
        return true;
    if (__builtin_expect((hz & SIM_HZ_READS_S && now - w->last_s < 7) || (hz & (SIM_HZ_READS_V | SIM_HZ_VALU) && now - w->last_slow < 4) ||
                         (hz & SIM_HZ_NEAR && now - w->last_v < 4) || (i32)(w->mfma_until - now) > 0, 0) &&
        !sim_hazard_check(w, in))
        return false;
    if (hz & (SIM_HZ_VALU | SIM_HZ_MFMA | SIM_HZ_OTHER)) {
        w->recent[w->nrecent++ % SIM_RECENT] = (struct sim_recent){in, now};
        if (!(hz & SIM_HZ_OTHER)) w->last_v = now;
        if (hz & SIM_HZ_WRITES_S) w->last_s = now;
        if (hz & SIM_HZ_SLOW) w->last_slow = now;
        if (hz & SIM_HZ_MFMA) w->mfma_until = now + 22;
    }
    return true;
}

/* At decode. */
void sim_hazard_lower(struct insn *in, const struct sim_target *t);

#endif
