/* SPDX-License-Identifier: MIT */
#include "model.h"

enum { L1_BYTES = 64 }; /* a clock and CU: an assumption for all targets (docs/simulator.md) */

/* Cycles one SIMD is busy with a vector instruction of a wave. CDNA: 16 lanes a cycle, so 4 for a wave64,
 * four times that for transcendentals, twice for f64 without full rate. RDNA: 32 lanes a cycle. */
void sim_model_insn(const struct sim_target *t, int wave, const struct insn *in, u64 runs, struct flysim_counts *c)
{
    const unsigned base = t->family->wave == 64 ? (unsigned)wave / 16 : (unsigned)wave / 32;
    if (in->cls == SIM_CLS_VALU)
        c->valu_cycles += runs * base * (in->flags & SIM_IN_TRANS ? 4 : 1);
    else if (in->cls == SIM_CLS_MATRIX)
        c->matrix_cycles += runs * 4u * in->width;
}

void sim_model_time(const struct sim_target *t, const struct sim_launch *l, struct flysim_counts *c)
{
    const double hz = t->ghz; /* cycles a nanosecond */
    /* Whole workgroups run on one CU, whole waves on one SIMD: few of them leave units idle, and so does
     * a last round that is not full. */
    const double wgs = (double)l->total, rounds = (double)((l->total + (u64)t->cus - 1) / (u64)t->cus);
    const double cus = rounds > 0 ? wgs / rounds : 1, waves = cus > 0 ? rounds * (double)c->waves / wgs : 1;
    const double simds = cus * (waves < t->simds ? waves : t->simds);
    u64 issued = 0;
    for (int i = 0; i < FLYSIM_CLASSES; i++)
        issued += c->instructions[i];
    const double bytes = (double)(c->read_bytes + c->write_bytes + c->param_bytes);
    const struct { const char *name; double ns; } bound[] = {
        {"HBM", (double)(c->first_read_bytes + c->first_write_bytes) / t->mem_gbps},
        {"L2", bytes / t->l2_gbps},
        {"L1", bytes / (cus > 0 ? cus : 1) / L1_BYTES / hz},
        {"LDS", (double)c->lds_cycles / (cus > 0 ? cus : 1) / hz},
        {"matrix", (double)c->matrix_cycles / (simds > 0 ? simds : 1) / hz},
        {"VALU", (double)c->valu_cycles / (simds > 0 ? simds : 1) / hz},
        {"issue", (double)issued / (simds > 0 ? simds : 1) / hz},
    };
    double most = 0, sum = 0;
    c->bound = "issue";
    for (unsigned i = 0; i < sizeof bound / sizeof *bound; i++) {
        sum += bound[i].ns;
        if (bound[i].ns > most) {
            most = bound[i].ns;
            c->bound = bound[i].name;
        }
    }
    c->modelled_ns = most;
    c->bound_share = sum > 0 ? most / sum : 0;
}
