/* SPDX-License-Identifier: MIT */
/* Turns what a launch executed into counts. */
#include <stdlib.h>

#include "launch.h"
#include "model.h"

const char *flysimClassName(int cls)
{
    static const char *const names[FLYSIM_CLASSES] = {"valu", "salu", "smem", "vmem_load", "vmem_store",
                                                      "lds", "matrix", "branch", "wait", "other"};
    return cls >= 0 && cls < FLYSIM_CLASSES ? names[cls] : "?";
}

const char *flysimUnitName(int unit)
{
    static const char *const names[FLYSIM_UNITS] = {"HBM", "L2", "L1", "LDS", "matrix", "VALU", "issue"};
    return unit >= 0 && unit < FLYSIM_UNITS ? names[unit] : "?";
}

int sim_occupancy(const struct sim_function *f, u32 block, u32 lds)
{
    const struct sim_target *t = f->module->target;
    const struct sim_family *m = t->family;
    const int wave = f->program->wave;
    int granule = m->granule, pool = m->pool, vgprs = f->k->vgprs ? f->k->vgprs : 1;
    if (wave == 64 && m->wave == 32) {
        granule /= 2;
        pool /= 2;
    }
    int alloc = (vgprs + granule - 1) / granule * granule;
    int waves = pool / alloc;
    if (waves > m->waves)
        waves = m->waves;
    int wg = (int)((block + (u32)wave - 1) / (u32)wave);
    if (wg < 1)
        wg = 1;
    int fit = waves * t->simds / wg; /* workgroups a CU */
    if (lds && fit > t->lds_cu / (int)lds)
        fit = t->lds_cu / (int)lds;
    if (fit < 1)
        fit = 1;
    int per = (fit * wg + t->simds - 1) / t->simds;
    return per < waves ? per : waves < 1 ? 1 : waves;
}

/* A sample's counts become those of the launch. Lines that workgroups share are not known to it. */
static void extrapolate(const struct sim_launch *l, struct flysim_counts *c)
{
    const double more = (double)l->total / (double)l->runs;
    u64 *const scaled[] = {&c->read_bytes, &c->write_bytes, &c->param_bytes, &c->first_read_bytes, &c->first_write_bytes, &c->first_param_bytes,
                           &c->lds_bytes, &c->lds_cycles, &c->lds_conflict_cycles, &c->lds_conflict_cycles_linear,
                           &c->matrix_cycles, &c->valu_cycles};
    for (unsigned i = 0; i < sizeof scaled / sizeof *scaled; i++)
        *scaled[i] = (u64)((double)*scaled[i] * more + 0.5);
    for (int i = 0; i < FLYSIM_CLASSES; i++)
        c->instructions[i] = (u64)((double)c->instructions[i] * more + 0.5);
    if (l->read_bytes)
        c->first_read_bytes = l->read_bytes;
}

void sim_count_launch(struct sim_launch *l)
{
    const struct sim_program *p = l->fn->program;
    struct flysim_counts *c = &l->counts;
    i64 runs = 0;

    c->size = sizeof *c;
    c->launches = 1;
    c->workgroups = l->total;
    u32 items = l->block[0] * l->block[1] * l->block[2];
    c->waves = l->total * ((items + (u32)p->wave - 1) / (u32)p->wave);
    for (size_t i = 0; l->diff && i < p->count; i++) {
        const struct insn *in = &p->insn[i];
        runs += l->diff[i];
        if (!runs)
            continue;
        c->instructions[in->cls] += (u64)runs;
        sim_model_insn(l->target, p->wave, in, (u64)runs, c);
    }
    free(l->diff);
    l->diff = NULL;
    c->read_bytes = l->tally.read_bytes;
    c->write_bytes = l->tally.write_bytes;
    c->param_bytes = l->tally.param_bytes;
    c->first_read_bytes = l->tally.first_read;
    c->first_write_bytes = l->tally.first_write;
    c->first_param_bytes = l->tally.first_param;
    c->lds_bytes = l->tally.lds_bytes;
    c->lds_cycles = l->tally.lds_cycles;
    c->lds_conflict_cycles = l->tally.lds_conflict;
    c->lds_conflict_cycles_linear = l->tally.lds_conflict_naive;
    c->simulated_workgroups = l->runs;
    if (l->runs < l->total)
        extrapolate(l, c);
    c->vgprs = (u64)l->fn->vgprs;
    /* As the metadata has it: the descriptor's count is rounded up, behind the VGPRs. */
    c->agprs = l->fn->k->vgpr_count ? l->fn->k->agpr_count : (u64)l->fn->agprs;
    c->sgprs = l->fn->k->sgpr_count;
    c->lds_alloc = l->lds;
    c->spills = l->fn->k->scratch;
    c->occupancy = (u64)sim_occupancy(l->fn, items, l->lds);
    sim_model_time(l->target, l, c);
}
