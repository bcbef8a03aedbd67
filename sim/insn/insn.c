/* SPDX-License-Identifier: MIT */
/*
 * Expands every body into handlers, for one lane count (SIM_W) and one CPU level (SIM_TABLE, which
 * names the table). Built with -O3 -ffp-contract=off, without trapping math and errno.
 */
#include "macros.h"

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
#include "trans.inc"
#include "dot.inc"
#include "lanes.inc"
#include "smem.inc"
#include "vmem.inc"
#include "buffer.inc"
#include "ds.inc"
#include "atomic.inc"
#include "matrix.inc"

static void run_plain(struct sim_wave *w)
{
    const struct insn *in = w->pc;
    do
        in = in->fn(w, in);
    while (in);
}

AI bool touched(const u64 *a, const u64 *b, const u64 *c)
{
    typedef u64 set __attribute__((vector_size(64)));
    const set x = (*(const set *)a | *(const set *)b) & *(const set *)c;
#if defined(__AVX512F__)
    return _mm512_test_epi64_mask((__m512i)x, (__m512i)x);
#elif defined(__AVX2__)
    __m256i h[2];
    memcpy(h, &x, sizeof h);
    const __m256i o = _mm256_or_si256(h[0], h[1]);
    return !_mm256_testz_si256(o, o);
#else
    return (x[0] | x[1] | x[2] | x[3] | x[4] | x[5] | x[6] | x[7]) != 0;
#endif
}

static void run_checked(struct sim_wave *w)
{
    const struct insn *in = w->pc;
    do {
        if (unlikely(touched(in->use, in->def, w->bad) || (in->flags & SIM_IN_EXT)) &&
            unlikely(!sim_check_regs(w, in)))
            return;
        if (in->cnt)
            sim_issue(w, in);
        in = in->fn(w, in);
    } while (in);
}

static void run_traced(struct sim_wave *w)
{
    const struct insn *in = w->pc;
    do {
        const struct insn *at = in;
        if (w->check && (touched(in->use, in->def, w->bad) || (in->flags & SIM_IN_EXT)) &&
            !sim_check_regs(w, in))
            return;
        if (w->check && in->cnt)
            sim_issue(w, in);
        in = in->fn(w, in);
        sim_trace_hook(w, at);
    } while (in);
}

extern const struct sim_level_ops CAT(sim_ops_, SIM_TABLE);
const struct sim_level_ops CAT(sim_ops_, SIM_TABLE) = {run_plain, run_checked, run_traced};
