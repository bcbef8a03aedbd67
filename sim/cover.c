/* SPDX-License-Identifier: MIT */
/* Which mnemonics can be executed: those with a body, and the forms of matrix instructions. */
#include "cover.h"

#include <string.h>

#include "decode/decode.h"
#include "handlers.h"
#include "matrix.h"

static enum sim_matrix_isa matrix_isa(const struct sim_family *f)
{
    switch (f->isa) {
    case SIM_ISA_GFX11: return SIM_MX_GFX11;
    case SIM_ISA_GFX12: return SIM_MX_GFX12;
    case SIM_ISA_GFX1250: return SIM_MX_GFX1250;
    default:
        return f->flags & SIM_FP8_FNUZ ? SIM_MX_GFX942
               : f->flags & SIM_FP8_OCP ? SIM_MX_GFX950
                                        : SIM_MX_GFX90A;
    }
}

bool sim_op_implemented(const struct sim_family *f, unsigned op)
{
    const char *name = sim_op_name(op);
    return sim_body_find(sim_level(), f->wave, name) != NULL ||
           sim_matrix_find(name, matrix_isa(f)) != NULL;
}
