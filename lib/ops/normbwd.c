/* SPDX-License-Identifier: MIT */
/* What the gradients of the norms share; see normbwd.h. */
#include "ops/normbwd.h"

#include <stdio.h>
#include <string.h>

#include "core/arch.h"
#include "core/dtype.h"
#include "ops/rowwise.h"
#include "ops/rowwise_args.h"

enum { LINE = 64 }; /* bytes of a cache line */

const char *fly_normbwd_check(const struct fly_problem *p)
{
    const int64_t *v = p->v;
    int64_t ld = 0;
    for (int f = FLY_NORMBWD_LDX; f <= FLY_NORMBWD_LDDR; f++) {
        if (v[f] < v[FLY_NORMBWD_COLS])
            return "a leading dimension must be at least cols";
        ld = v[f] > ld ? v[f] : ld;
    }
    if (!fly_rowwise_addressable(v[FLY_NORMBWD_ROWS], ld, v[FLY_NORMBWD_COLS], 4))
        return "rows * ld must stay below 2^63 bytes";
    return NULL;
}

const char *fly_normbwd_fits(const struct fly_kernel *k, const struct fly_problem *p)
{
    if (k->rowwise.flags & FLY_ROWWISE_SUM)
        return "it only adds up what the other kernels of its op leave";
    return fly_rowwise_fits(k, p->v[FLY_NORMBWD_COLS]);
}

int fly_normbwd_limits(const struct fly_kernel *k, char *text, size_t bytes)
{
    if (k->rowwise.flags & FLY_ROWWISE_SUM)
        return snprintf(text, bytes, "runs after another kernel");
    return fly_rowwise_limits(k, text, bytes);
}

/* The narrowest tile that holds the row; a program goes on from row to row, so there is no wait to hide by more
 * vectors. Then those that take any row, vectors first. */
uint32_t fly_normbwd_heuristic(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                               const struct fly_target *t)
{
    (void)t;
    uint32_t best = n;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < n; i++) {
        const struct fly_rowwise_tile *tile = &k[i].rowwise;
        if (fly_normbwd_fits(&k[i], p))
            continue;
        int64_t room = fly_rowwise_max_cols(&k[i]);
        int64_t cost = (room ? room : INT64_MAX / 4) + (tile->vec == 1 ? INT64_MAX / 4 : 0) + tile->vectors;
        if (cost < least) {
            least = cost;
            best = i;
        }
    }
    return best;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Columns from where the grid starts to the rows: to the cache line x lies in, or less where the tile has no
 * room, and a line more where a last vector that is not whole would share columns with one of another wave. */
static int64_t before_of(const struct fly_kernel *k, int64_t cols, const void *x, const struct fly_arch *arch)
{
    const unsigned wave = arch->wave;
    const struct fly_rowwise_tile *tile = &k->rowwise;
    int64_t bytes = fly_dtype_bits(k->types[0]) / 8, line = LINE / bytes;
    int64_t step = smaller(tile->threads, wave) * tile->vec;
    if (tile->vec == 1 || strcmp(arch->group, "nvptx") == 0) /* vectors lie at multiples of their size there */
        return 0;
    int64_t before = (int64_t)((uintptr_t)x % LINE) / bytes;
    if (tile->passes == 1)
        before = smaller(before, fly_rowwise_max_cols(k) - cols);
    if (tile->threads >= wave && (cols + before - 1) % step < tile->vec - 1)
        before += line;
    return before;
}

/* Whether kernels ask for the next row before they work on the one they have. */
static bool asks_ahead(const struct fly_target *t)
{
    return strcmp(t->arch->group, "nvptx") == 0;
}

/* Work-items that are resident on a compute unit at once where kernels ask ahead: their registers, mostly sums over
 * rows and two rows' elements, allow no more. */
static int64_t resident(const struct fly_kernel *k)
{
    const uint32_t elements = k->rowwise.vectors * k->rowwise.vec;
    int64_t lanes = elements <= 8 ? 768 : elements <= 16 ? 512 : 256;
    return lanes > k->block ? lanes / k->block : 1;
}

/* Enough workgroups that each compute unit has eight waves of 64, more where rows would keep many more busy: each
 * costs a row of f32 in the workspace, written and read. */
static int64_t programs_of(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t)
{
    int64_t rows = p->v[FLY_NORMBWD_ROWS], groups = rows / k->rowwise.rows + (rows % k->rowwise.rows != 0);
    if (asks_ahead(t))
        return smaller(groups, t->cus * resident(k));
    int64_t busy = (int64_t)t->cus * (k->block >= 512 ? 1 : 512 / k->block);
    return smaller(groups, groups >= 32 * busy ? 2 * busy : busy);
}

struct fly_normbwd_work fly_normbwd_work(const struct fly_kernel *k, const struct fly_problem *p,
                                         const struct fly_target *t, const void *x)
{
    int64_t cols = p->v[FLY_NORMBWD_COLS], vec = k->rowwise.vec;
    int64_t room = cols + (vec > 1 ? 2 * LINE * 8 / fly_dtype_bits(k->types[0]) : 0);
    int64_t lanes = ((room + vec - 1) / vec + 15) / 16 * 16;
    return (struct fly_normbwd_work){(int32_t)programs_of(k, p, t), (int32_t)before_of(k, cols, x, t->arch),
                                     (int32_t)lanes, lanes * vec};
}

uint64_t fly_normbwd_workspace(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t,
                               unsigned halves)
{
    const struct fly_normbwd_work w = fly_normbwd_work(k, p, t, NULL);
    uint64_t programs = p->v[FLY_NORMBWD_ATOMIC] && w.programs ? 1 : (uint64_t)w.programs;
    return 4 * programs * halves * (uint64_t)w.half;
}

void fly_normbwd_grid(const struct fly_kernel *k, const struct fly_problem *p, const struct fly_target *t, bool sums,
                      uint32_t grid[3], uint32_t *launches)
{
    grid[0] = (uint32_t)programs_of(k, p, t);
    grid[1] = grid[2] = 1;
    *launches = (grid[0] > 0) + sums + (sums && grid[0] && p->v[FLY_NORMBWD_ATOMIC]);
}

const struct fly_kernel *fly_normbwd_second(const struct fly_op *op, const struct fly_kernel *k)
{
    for (uint32_t i = 0; i < op->nkernels; i++) {
        const struct fly_kernel *s = &op->kernels[i];
        if (s->arch == k->arch && !memcmp(s->types, k->types, sizeof s->types) && s->rowwise.flags & FLY_ROWWISE_SUM)
            return s;
    }
    return NULL;
}
