/* SPDX-License-Identifier: MIT */
/*
 * Expands every body into handlers, for one lane count (SIM_W) and one CPU level (SIM_TABLE, which
 * names the table). Built vectorized, with -ffp-contract=off, without trapping math and errno.
 */
#include "macros.h"

#include "../clocks.h"
#include "../cluster.h"
#include "../format.h"
#include "../hazard.h"
#include "../matrix.h"

/* The matrix executor of the same CPU level. */
#define SIM_MATRIX_RUN CAT(sim_matrix_run_v, SIM_LEVEL)
extern sim_matrix_fn SIM_MATRIX_RUN;

#include "salu.inc"
#include "branch.inc"
#include "valu_f32.inc"
#include "valu_f64.inc"
#include "valu_f16.inc"
#include "valu_int.inc"
#include "valu_cmp.inc"
#include "valu_cvt.inc"
#include "valu_mini.inc"
#include "salu_float.inc"
#include "trans.inc"
#include "bf16.inc"
#include "dot.inc"
#include "lanes.inc"
#include "smem.inc"
#include "vmem.inc"
#include "buffer.inc"
#include "ds.inc"
#include "atomic.inc"
#include "matrix.inc"
#include "index.inc"
#include "gfx11.inc"
#include "gfx1250.inc"

static void run_plain(struct sim_wave *w)
{
    const struct insn *in = resume(w);
    while (in)
        in = in->fn(w, in);
}

static void run_checked(struct sim_wave *w)
{
    const struct insn *in = resume(w);
    while (in) {
        if (unlikely(!before(w, in)))
            return;
        in = in->fn(w, in);
    }
}

static void run_traced(struct sim_wave *w)
{
    const struct insn *in = resume(w);
    while (in) {
        const struct insn *at = in;
        if (w->check && !before(w, in))
            return;
        in = in->fn(w, in);
        w->hook(w, at);
    }
}

extern const struct sim_level_ops CAT(sim_ops_, SIM_TABLE);
const struct sim_level_ops CAT(sim_ops_, SIM_TABLE) = {run_plain, run_checked, run_traced};
