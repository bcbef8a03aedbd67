/* SPDX-License-Identifier: MIT */
#include "model.h"

#include <string.h>

#include "decode/decode.h"

static bool of_doubles(const struct insn *in)
{
    return in->src && in->src->op && strstr(sim_op_name(in->src->op->op), "f64");
}

/* Cycles one SIMD is busy with a vector instruction of a wave. CDNA: 16 lanes a cycle, so 4 for a wave64,
 * four times that for transcendentals. RDNA: 32 lanes a cycle. Doubles take t->f64 times that. */
void sim_model_insn(const struct sim_target *t, int wave, const struct insn *in, u64 runs, struct flysim_counts *c)
{
    const unsigned base = t->family->wave == 64 ? (unsigned)wave / 16 : (unsigned)wave / 32;
    if (in->cls == SIM_CLS_VALU)
        c->valu_cycles += runs * base * (in->flags & SIM_IN_TRANS ? 4 : 1) * (of_doubles(in) ? (unsigned)t->f64 : 1);
    else if (in->cls == SIM_CLS_MATRIX)
        c->matrix_cycles += runs * 4u * in->width;
}

/* Cycles of a SIMD to issue what its waves execute. RDNA: four instructions a cycle, of different
 * kinds (assumed). CDNA: one a cycle, where vector instructions take four. */
static double issue_cycles(const struct sim_target *t, const struct flysim_counts *c)
{
    u64 all = 0, most = 0;
    for (int i = 0; i < FLYSIM_CLASSES; i++) {
        all += c->instructions[i];
        if (c->instructions[i] > most)
            most = c->instructions[i];
    }
    if (t->family->wave == 64)
        return (double)all;
    return most > all / 4 ? (double)most : (double)all / 4;
}

void sim_model_time(const struct sim_target *t, const struct sim_launch *l, struct flysim_counts *c)
{
    const double hz = t->ghz; /* cycles a nanosecond */
    /* Whole workgroups run on one CU, whole waves on one SIMD: few of them leave units idle, and so does
     * a last round that is not full. */
    const double wgs = (double)l->total, rounds = (double)((l->total + (u64)t->cus - 1) / (u64)t->cus);
    const double cus = rounds > 0 ? wgs / rounds : 1, waves = cus > 0 ? rounds * (double)c->waves / wgs : 1;
    const double simds = cus * (waves < t->simds ? waves : t->simds);
    const double bytes = (double)(c->read_bytes + c->write_bytes + c->param_bytes);
    const double on = cus > 0 ? cus : 1, pipes = simds > 0 ? simds : 1;
    /* Parameters, and workspace marked as such, stay in the last cache while they fit. */
    c->memory_bytes = c->first_read_bytes + c->first_write_bytes;
    if (c->first_param_bytes > (u64)t->cache_mib << 20)
        c->memory_bytes += c->first_param_bytes;
    c->unit_ns[FLYSIM_HBM] = (double)c->memory_bytes / t->mem_gbps;
    c->l1_bytes_clk = t->family->wave == 64 ? FLYSIM_L1_BYTES : FLYSIM_L1_BYTES_WAVE32;
    c->unit_ns[FLYSIM_L2] = bytes / t->l2_gbps;
    c->unit_ns[FLYSIM_L1] = bytes / on / (double)c->l1_bytes_clk / hz;
    c->unit_ns[FLYSIM_LDS_UNIT] = (double)c->lds_cycles / on / hz;
    c->unit_ns[FLYSIM_MATRIX_UNIT] = (double)c->matrix_cycles / pipes / hz;
    c->unit_ns[FLYSIM_VALU_UNIT] = (double)c->valu_cycles / pipes / hz;
    c->unit_ns[FLYSIM_ISSUE] = issue_cycles(t, c) / pipes / hz;
    double most = 0, sum = 0;
    c->bound = flysimUnitName(FLYSIM_ISSUE);
    for (int i = 0; i < FLYSIM_UNITS; i++) {
        sum += c->unit_ns[i];
        if (c->unit_ns[i] > most) {
            most = c->unit_ns[i];
            c->bound = flysimUnitName(i);
        }
    }
    c->modelled_ns = most;
    c->bound_share = sum > 0 ? most / sum : 0;
}
