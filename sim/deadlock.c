/* SPDX-License-Identifier: MIT */
#include "deadlock.h"

#include <stdlib.h>
#include <string.h>

struct sim_watch {
    const struct insn *at;    /* the state below is that after it; null until one was chosen */
    const struct insn *load;
    bool same, changed; /* changed: before the watch */
    u32 scc, mode;
    i64 left;                 /* of the slice, when it was cut short */
    size_t bytes;             /* of the vector registers */
    u32 s[SIM_SGPRS];
    u8 v[];
};

static void look(struct sim_wave *w, const struct insn *in)
{
    struct sim_watch *x = w->watch;
    if (in->cnt && (in->o[0].kind == SIM_KIND_ROW || in->o[0].kind == SIM_KIND_S))
        x->load = in;
    if (x->same || (x->at && in != x->at))
        return;
    if (!x->at) {
        /* Where a branch goes is not part of the state after it. */
        if (in->cls == SIM_CLS_BRANCH)
            return;
        x->at = in;
        x->scc = w->scc;
        x->mode = w->mode;
        memcpy(x->s, w->s, sizeof x->s);
        memcpy(x->v, w->v, x->bytes);
        return;
    }
    x->same = x->scc == w->scc && x->mode == w->mode && !memcmp(x->s, w->s, sizeof x->s) &&
              !memcmp(x->v, w->v, x->bytes);
    if (x->same) {
        x->left = w->budget;
        w->budget = 0;
    }
}

bool sim_watch_begin(struct sim_wave *w, int rows)
{
    const size_t bytes = (size_t)rows * (size_t)w->prog->wave * 4;
    struct sim_watch *x = malloc(sizeof *x + bytes);
    if (!x)
        return false;
    x->at = x->load = NULL;
    x->same = false;
    x->left = 0;
    x->changed = w->changed;
    x->bytes = bytes;
    w->watch = x;
    w->hook = look;
    w->changed = false;
    return true;
}

bool sim_watch_end(struct sim_wave *w, const struct insn **load)
{
    struct sim_watch *x = w->watch;
    const bool stuck = x->same && !w->changed && !w->host && w->state == SIM_RUN;
    w->changed |= x->changed;
    w->insns -= (u64)x->left;
    *load = x->load;
    w->watch = NULL;
    w->hook = NULL;
    free(x);
    return stuck;
}
