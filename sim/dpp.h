/* SPDX-License-Identifier: MIT */
/* DPP as worked out at decode: struct insn's aux of such an instruction. */
#ifndef SIM_DPP_H
#define SIM_DPP_H

#include "state.h"

struct sim_dpp_lanes {
    signed char from[64]; /* the lane each reads, -1 for none */
    u64 have;             /* lanes that read one */
    u64 open;             /* lanes that row_mask and bank_mask let through */
};

#endif
