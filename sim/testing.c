/* SPDX-License-Identifier: MIT */
#include "testing.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "clocks.h"
#include "mem.h"

enum { ROWS = 512, SCRATCH = 4096, SLICE = 1 << 20, ENDPGM = 0xbf810000, ENDPGM_GFX11 = 0xbfb00000 };

bool sim_snippet_init(struct sim_snippet *s, const char *target, int wave)
{
    memset(s, 0, sizeof *s);
    s->target = sim_target_find(target);
    if (!s->target || !sim_mem_setup())
        return false;
    if (wave != s->target->family->wave && !(wave == 64 && sim_has(s->target, SIM_HAS_WAVE64)))
        return false;
    s->wave = wave;
    s->v = aligned_alloc(64, ROWS * 64 * sizeof *s->v);
    s->lds = aligned_alloc(64, SIM_SNIPPET_LDS);
    if (!s->v || !s->lds) {
        sim_snippet_free(s);
        return false;
    }
    memset(s->v, 0, ROWS * 64 * sizeof *s->v);
    memset(s->lds, 0, SIM_SNIPPET_LDS);
    s->exec = wave == 64 ? ~0ull : 0xffffffffull;
    s->mode = 0xf0 | 1 << 8;
    if (s->target->family->isa == SIM_ISA_GFX9 || s->target->family->isa == SIM_ISA_GFX11)
        s->mode |= 1 << 9;
    return true;
}

void sim_snippet_free(struct sim_snippet *s)
{
    free(s->v);
    free(s->lds);
    memset(s, 0, sizeof *s);
}

static void defined(struct sim_wave *w, u32 lds_bytes)
{
    sim_check_start(w, ROWS);
    for (unsigned r = 0; r < ROWS; r++)
        sim_check_define_row(w, r, w->full);
    sim_check_define_s(w, 0, SIM_S_EXEC);
    w->bad[SIM_SET_SCC] = 0;
    memset(w->wg->shadow.init, 0xff, lds_bytes / 8);
    if (w->scratch)
        memset(w->scratch_init, 0xff, SCRATCH / 8 * 64);
}

bool sim_snippet_run(struct sim_snippet *s, const void *code, size_t bytes)
{
    const u32 end = s->target->family->isa == SIM_ISA_GFX9 ? ENDPGM : ENDPGM_GFX11;
    u8 *text = malloc(bytes + 4);
    struct sim_kernel k = {.name = "snippet", .wave = (uint8_t)s->wave};
    struct sim_module m = {.target = s->target};
    struct sim_function f = {.module = &m, .k = &k};
    struct sim_launch l = {.fn = &f, .target = s->target, .grid = {1, 1, 1}, .block = {(u32)s->wave, 1, 1},
                           .items = {(u32)s->wave, 1, 1}, .lds = SIM_SNIPPET_LDS, .check = s->check, .total = 1};
    struct sim_wave *w = aligned_alloc(64, (sizeof *w + 63) & ~(size_t)63), *list[1] = {w};
    struct sim_tally tally = {0};
    struct sim_wg g = {.lds = s->lds, .lds_bytes = SIM_SNIPPET_LDS, .waves = 1, .live = 1, .w = list, .launch = &l,
                       .epoch = 2};
    struct sim_program *p = NULL;
    bool ok = false;

    if (!text || !w)
        goto out;
    memcpy(text, code, bytes);
    memcpy(text + bytes, &end, 4);
    const int was = sim_level();
    if (s->level)
        sim_set_level(s->level);
    const int level = sim_level();
    p = sim_lower(s->target, s->wave, text, bytes + 4, 0x1000, 0x1000);
    sim_set_level(was);
    if (!p)
        goto out;
    f.program = p;
    f.entry = p->insn;
    k.entry = 0x1000;
    atomic_flag_clear(&l.fault_lock);
    memset(w, 0, sizeof *w);
    w->v = s->v;
    w->rows = ROWS;
    w->prog = p;
    w->wg = &g;
    w->tally = &tally;
    w->check = s->check;
    w->full = s->wave == 64 ? ~0ull : 0xffffffffull;
    w->und = calloc(ROWS, sizeof *w->und);
    w->origin = calloc(ROWS, sizeof *w->origin);
    w->npend = calloc(ROWS, 1);
    w->diff = calloc(p->count + 2, sizeof *w->diff);
    g.shadow.init = calloc(1, SIM_SNIPPET_LDS / 8 + 64);
    g.shadow.write = calloc(SIM_SNIPPET_LDS / 4 + 4, 4);
    g.shadow.insn = calloc(SIM_SNIPPET_LDS / 4 + 4, 4);
    g.shadow.read = calloc(SIM_SNIPPET_LDS / 4 + 4, 8);
    w->scratch_bytes = s->scratch_bytes > SCRATCH ? SCRATCH : s->scratch_bytes;
    w->scratch = calloc(SCRATCH, 64);
    w->scratch_init = calloc(SCRATCH / 8, 64);
    memcpy(w->s, s->s, sizeof s->s);
    w->exec = w->start_exec = s->exec & w->full;
    w->barrier_exec = ~0ull;
    sim_unpack_mask(w->erow, w->exec);
    w->scc = s->scc;
    w->mode = s->mode;
    w->ieee = w->mode >> 9 & 1;
    if (s->check)
        defined(w, SIM_SNIPPET_LDS);
    w->pc = w->run = p->insn;
    w->state = SIM_RUN;
    const struct sim_level_ops *ops = sim_level_ops(level, s->wave);
    while (ops && (w->state == SIM_RUN || w->state == SIM_BARRIER) && w->insns < 1u << 28) {
        w->state = SIM_RUN;
        w->budget = SLICE;
        sim_host_mode(w);
        if (s->check)
            ops->run_checked(w);
        else
            ops->run_plain(w);
        sim_host_mode(NULL);
        w->insns += (u64)(SLICE - w->budget);
        if (w->state == SIM_BARRIER)
            g.epoch++;
    }
    memcpy(s->s, w->s, sizeof s->s);
    s->exec = w->exec;
    s->scc = w->scc;
    s->mode = w->mode;
    s->fault = l.fault;
    s->executed = w->insns;
    ok = w->state == SIM_DONE && !l.fault.kind;
    sim_clocks_free(&g);
    free(w->und);
    free(w->origin);
    free(w->npend);
    free(w->diff);
    free(w->scratch);
    free(w->scratch_init);
    free(g.shadow.init);
    free(g.shadow.write);
    free(g.shadow.insn);
    free(g.shadow.read);
out:
    sim_program_free(p);
    free(text);
    free(w);
    return ok;
}

void *sim_snippet_alloc(size_t n)
{
    void *p = sim_mem_setup() ? sim_mem_alloc(n, 0, 0) : NULL;
    if (p)
        sim_mem_mark((u64)(uintptr_t)p, n, true);
    return p;
}

void sim_snippet_release(void *p) { sim_mem_free(p); }
