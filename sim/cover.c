/* SPDX-License-Identifier: MIT */
#include "cover.h"

#include "decode/decode.h"
#include "handlers.h"

bool sim_op_implemented(const struct sim_family *f, unsigned op)
{
    return sim_body_find(sim_level(), f->wave, sim_op_name(op)) != NULL;
}
