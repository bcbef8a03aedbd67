/* SPDX-License-Identifier: MIT */
#include "trap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "launch.h"

static const char *const names[] = {
    [SIM_TRAP_NONE] = "none", [SIM_TRAP_ILLEGAL] = "illegal instruction",
    [SIM_TRAP_UNIMPLEMENTED] = "not implemented", [SIM_TRAP_BOUNDS] = "out of bounds",
    [SIM_TRAP_FREED] = "use after free", [SIM_TRAP_ALIGN] = "misaligned",
    [SIM_TRAP_UNINIT] = "uninitialised", [SIM_TRAP_WAIT] = "missing wait",
    [SIM_TRAP_LDS_RACE] = "LDS race", [SIM_TRAP_GLOBAL_RACE] = "global race",
    [SIM_TRAP_BARRIER] = "divergent barrier", [SIM_TRAP_DEADLOCK] = "deadlock",
    [SIM_TRAP_BUDGET] = "endless loop", [SIM_TRAP_HAZARD] = "hazard", [SIM_TRAP_JUMP] = "bad jump",
    [SIM_TRAP_TRAP] = "trap", [SIM_TRAP_LAUNCH] = "launch", [SIM_TRAP_REGISTER] = "register out of range"};

const char *sim_trap_name(enum sim_trap_kind kind) { return names[kind]; }

void sim_trap(struct sim_wave *w, const struct insn *in, int lane, enum sim_trap_kind kind, u64 addr,
              const char *format, ...)
{
    struct sim_launch *l = w->wg->launch;
    const struct sim_kernel *k = l->fn->k;
    char text[200] = "?";
    va_list ap;

    w->state = SIM_FAULT;
    w->pc = in;
    if (atomic_flag_test_and_set(&l->fault_lock))
        return;
    struct sim_fault *f = &l->fault;
    int n = snprintf(f->line, sizeof f->line, "%s: ", names[kind]);
    va_start(ap, format);
    vsnprintf(f->line + n, sizeof f->line - (size_t)n, format, ap);
    va_end(ap);
    /* Halves of dual instructions and renumbered copies are shown as what they come from. */
    const struct sim_program *p = w->prog;
    const u64 at = (in->src->pc - p->vaddr) / 4;
    const struct sim_insn *src = at < p->dwords && p->at[at] != ~0u ? &p->decoded[p->at[at]] : in->src;
    if (src->op)
        sim_print(l->target->family, src, 0, text, sizeof text);
    n = snprintf(f->text, sizeof f->text,
                 "flysim: %s\n  kernel %s on %s\n  instruction at 0x%llx (%s+0x%llx): %s\n"
                 "  workgroup (%u, %u, %u), wave %u",
                 f->line, k->name, l->target->name, (unsigned long long)in->src->pc, k->name,
                 (unsigned long long)(in->src->pc - k->entry), text, w->wg->id[0], w->wg->id[1], w->wg->id[2],
                 w->id);
    if (n > 0 && (size_t)n < sizeof f->text)
        n += lane >= 0 ? snprintf(f->text + n, sizeof f->text - (size_t)n, ", lane %d\n", lane)
                       : snprintf(f->text + n, sizeof f->text - (size_t)n, "\n");
    if (n > 0 && (size_t)n < sizeof f->text)
        snprintf(f->text + n, sizeof f->text - (size_t)n, "  exec 0x%016llx, vcc 0x%016llx, scc %u\n",
                 (unsigned long long)w->exec, (unsigned long long)w->vcc, w->scc);
    f->addr = addr;
    f->kind = kind;
    atomic_store(&l->stop, 1);
}

void sim_trap_more(struct sim_wave *w, const char *format, ...)
{
    struct sim_fault *f = &w->wg->launch->fault;
    const size_t n = strlen(f->text);
    va_list ap;
    va_start(ap, format);
    vsnprintf(f->text + n, sizeof f->text - n, format, ap);
    va_end(ap);
}
