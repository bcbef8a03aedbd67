/* SPDX-License-Identifier: MIT */
/*
 * Runs snippets: a batch's code is lowered once, then a wave of a launch of its own starts at the
 * snippet with the state that the test gives and runs to its end, without the checks.
 */
#include "insn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handlers.h"
#include "launch.h"
#include "mem.h"

enum { ROWS = 512, SCRATCH_BYTES = 1024 };

static struct {
    unsigned serial; /* of the batch whose program this is */
    uint8_t *text;
    struct sim_program *program;
    struct sim_wave *wave, *waves[1];
    struct sim_wg wg;
    struct sim_launch launch;
    struct sim_function function;
    struct sim_kernel kernel;
    struct sim_tally tally;
    uint32_t *diff;
    uint8_t *mem;
    char error[600];
} R;

const char *run_error(void)
{
    return R.error;
}

bool run_unimplemented(void)
{
    return R.launch.fault.kind == SIM_TRAP_UNIMPLEMENTED;
}

static void *zeroed(size_t n)
{
    void *p = aligned_alloc(64, (n + 63) & ~(size_t)63);
    if (!p)
        abort();
    return memset(p, 0, n);
}

uint64_t run_address(enum target t)
{
    (void)t;
    if (!R.mem) {
        sim_mem_setup();
        R.mem = sim_mem_alloc(WAVE_MEM, 0, 0);
        if (!R.mem)
            abort();
    }
    return (uint64_t)(uintptr_t)R.mem;
}

static uint64_t digest;
static bool digesting;

uint64_t run_digest(void)
{
    const uint64_t d = digest;
    digesting = true;
    digest = 0;
    return d;
}

static uint64_t mixed(uint64_t h, uint64_t x)
{
    return ((h << 5 | h >> 59) ^ x) * 0x9e3779b97f4a7c15ull;
}

/* Eight sums side by side: one multiplication waits for the last of its own only. */
static void add_digest(const void *data, size_t bytes)
{
    const uint64_t *p = data;
    const size_t n = bytes / 8;
    uint64_t h[8] = {0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
            h[k] = mixed(h[k], p[i + k]);
    for (; i < n; i++)
        h[0] = mixed(h[0], p[i]);
    for (int k = 0; k < 8; k++)
        digest = mixed(digest, h[k]);
}

static void setup(void)
{
    struct sim_wave *w = R.wave = zeroed(sizeof *w);
    w->v = zeroed((size_t)ROWS * 64 * 4);
    w->rows = ROWS;
    w->und = zeroed(ROWS * sizeof *w->und);
    w->origin = zeroed(ROWS * sizeof *w->origin);
    w->npend = zeroed(ROWS);
    w->scratch = zeroed(64 * SCRATCH_BYTES);
    w->scratch_init = zeroed(64 * SCRATCH_BYTES);
    w->scratch_bytes = SCRATCH_BYTES;
    w->wg = &R.wg;
    w->tally = &R.tally;
    R.wg.lds = zeroed(WAVE_LDS + 64);
    R.wg.lds_bytes = WAVE_LDS;
    R.wg.w = R.waves;
    R.waves[0] = w;
    R.wg.launch = &R.launch;
    R.kernel.name = (char *)"snippet";
    R.function.k = &R.kernel;
    R.launch.fn = &R.function;
}

static bool lower(const struct batch *b, const struct sim_target *t)
{
    size_t n = (size_t)b->count * SNIPPET_BYTES;

    sim_program_free(R.program);
    R.program = NULL;
    if (R.text)
        sim_mem_free(R.text);
    R.text = sim_mem_alloc(n + 4096, 0, SIM_MEM_CODE);
    if (!R.text)
        return false;
    memcpy(R.text, b->code, n);
    R.program = sim_lower(t, target_lanes(b->target), R.text, n, (uint64_t)(uintptr_t)R.text, 0);
    if (!R.program)
        return false;
    free(R.diff);
    R.diff = zeroed((R.program->count + 2) * sizeof *R.diff);
    R.function.program = R.program;
    R.serial = b->serial;
    return true;
}

static void rows(struct sim_wave *w, struct wave_state *st, size_t lanes, bool in)
{
    for (size_t r = 0; r < WAVE_V + WAVE_A; r++) {
        uint32_t *mine = r < WAVE_V ? st->v[r] : st->a[r - WAVE_V];
        uint32_t *row = w->v + (r < WAVE_V ? r : SIM_ROW_ACC + r - WAVE_V) * lanes;
        memcpy(in ? row : mine, in ? mine : row, lanes * 4);
    }
}

bool run_snippet(const struct batch *b, int snippet, struct wave_state *st, uint8_t *mem)
{
    const struct sim_target *t = sim_target_find(target_name[b->target]);
    int lanes = target_lanes(b->target);
    struct sim_wave *w;

    run_address(b->target);
    if (!R.wave)
        setup();
    w = R.wave;
    R.launch.fault.kind = SIM_TRAP_NONE;
    if (R.serial != b->serial && !lower(b, t)) {
        snprintf(R.error, sizeof R.error, "no program");
        return false;
    }
    uint32_t at = R.program->at[(size_t)snippet * SNIPPET_BYTES / 4];
    if (at == ~0u) {
        snprintf(R.error, sizeof R.error, "nothing decodes here");
        return false;
    }
    R.launch.target = t;
    R.launch.stop = 0;
    atomic_flag_clear(&R.launch.fault_lock);
    R.wg.waves = R.wg.live = 1;

    w->full = lanes == 64 ? ~0ull : 0xffffffffull;
    w->prog = R.program;
    w->diff = R.diff;
    w->hit_lo = w->hit_hi = w->insns = 0;
    memset(w->s, 0, sizeof w->s);
    memcpy(w->s, st->s, sizeof st->s);
    rows(w, st, (size_t)lanes, true);
    w->vcc = st->vcc;
    w->exec = st->exec;
    w->start_exec = 0; /* snippets may turn on any lane */
    sim_unpack_mask(w->erow, w->exec);
    w->scc = st->scc;
    w->s[SIM_S_M0] = st->m0;
    w->mode = st->mode;
    w->ieee = b->target < T_1201 && w->mode & MODE_IEEE;
    memcpy(R.wg.lds, st->lds, WAVE_LDS);
    if (mem)
        memcpy(R.mem, mem, WAVE_MEM);

    w->pc = w->run = &R.program->insn[at];
    w->state = SIM_RUN;
    for (int i = 0; i < 10 && (w->state == SIM_RUN || w->state == SIM_BARRIER); i++) {
        w->state = SIM_RUN;
        w->budget = 100000;
        sim_host_mode(w);
        sim_level_ops(sim_level(), lanes)->run_plain(w);
    }
    sim_host_mode(NULL);
    if (w->state != SIM_DONE) {
        snprintf(R.error, sizeof R.error, "%s",
                 w->state == SIM_FAULT ? R.launch.fault.line : "it does not end");
        return false;
    }
    rows(w, st, (size_t)lanes, false);
    memcpy(st->s, w->s, sizeof st->s);
    st->vcc = w->vcc;
    st->exec = w->exec;
    st->scc = w->scc;
    st->m0 = w->s[SIM_S_M0];
    st->mode = w->mode;
    memcpy(st->lds, R.wg.lds, WAVE_LDS);
    if (mem)
        memcpy(mem, R.mem, WAVE_MEM);
    if (digesting)
        add_digest(st, sizeof *st);
    return true;
}
