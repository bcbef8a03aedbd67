/* SPDX-License-Identifier: MIT */
/* Tuning tables: their order, and looking up a problem. tune_file.c reads and writes them. */
#include "core/tune.h"

#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/select.h"

/* Farthest a problem may lie from a row and still use its kernel: the sum of |log2| of the ratios
 * of sizes and CU counts, in 1/256. */
enum { NEAREST_LIMIT = 256 };

/* 256 * log2(v), the fraction linear in the mantissa (at most 22 off, the same for equal values).
 */
static uint16_t log2_256(uint64_t v)
{
    if (v == 0)
        return 0;
    unsigned top = 63 - (unsigned)__builtin_clzll(v);
    uint64_t mantissa = top >= 8 ? v >> (top - 8) : v << (8 - top);
    return (uint16_t)(top * 256 + (mantissa & 255));
}

static unsigned sizes_of(const struct fly_op *op, const struct fly_problem *p,
                         uint16_t lg[FLY_TUNE_SIZES])
{
    unsigned n = 0;
    for (uint32_t i = 0; i < op->nfields && n < FLY_TUNE_SIZES; i++)
        if (op->fields[i].flags & FLY_FIELD_TUNE)
            lg[n++] = log2_256((uint64_t)p->v[i]);
    return n;
}

void fly_tune_finish(struct fly_tune_row *r)
{
    memset(r->lg, 0, sizeof r->lg);
    sizes_of(fly_op_table[r->problem.op], &r->problem, r->lg);
}

static int order(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* Order of the groups within which nearness is looked for. */
static int compare_group(const struct fly_tune_row *r, unsigned arch, const struct fly_problem *p)
{
    int c = order(r->arch, arch);
    c = c ? c : order(r->problem.op, p->op);
    return c ? c : memcmp(r->problem.types, p->types, sizeof p->types);
}

static int compare_key(const struct fly_tune_row *r, unsigned arch, uint32_t cus,
                       const struct fly_problem *p)
{
    const struct fly_field *f = fly_op_table[p->op]->fields;
    int c = compare_group(r, arch, p);
    c = c ? c : order(r->cus, cus);
    for (uint32_t i = 0; !c && i < p->nfields; i++)
        if (f[i].flags & (FLY_FIELD_TUNE | FLY_FIELD_CHOICE))
            c = order(r->problem.v[i], p->v[i]);
    return c;
}

int fly_tune_compare(const struct fly_tune_row *a, const struct fly_tune_row *b)
{
    return compare_key(a, b->arch, b->cus, &b->problem);
}

static bool fits(const struct fly_tune_row *r, const struct fly_op *op, const struct fly_problem *p)
{
    return !op->fits(&op->kernels[r->kernel], p);
}

static const struct fly_tune_row *find_exact(const struct fly_tune_table *t,
                                             const struct fly_op *op, const struct fly_problem *p,
                                             const struct fly_target *target)
{
    uint32_t low = 0, high = t->nrows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int c = compare_key(&t->row[middle], target->arch->id, target->cus, p);
        if (c == 0)
            return fits(&t->row[middle], op, p) ? &t->row[middle] : NULL;
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool same_choices(const struct fly_op *op, const struct fly_problem *a,
                         const struct fly_problem *b)
{
    for (uint32_t i = 0; i < op->nfields; i++)
        if (op->fields[i].flags & FLY_FIELD_CHOICE && a->v[i] != b->v[i])
            return false;
    return true;
}

/* Improves *best, at distance *least. */
static void find_nearest(const struct fly_tune_table *t, const struct fly_op *op,
                         const struct fly_problem *p, const struct fly_target *target,
                         const struct fly_tune_row **best, int *least)
{
    uint16_t lg[FLY_TUNE_SIZES];
    unsigned n = sizes_of(op, p, lg);
    int cus = log2_256(target->cus);
    uint32_t low = 0, high = t->nrows;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_group(&t->row[middle], target->arch->id, p) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (uint32_t i = low; i < t->nrows && compare_group(&t->row[i], target->arch->id, p) == 0;
         i++) {
        const struct fly_tune_row *r = &t->row[i];
        int distance = abs(log2_256(r->cus) - cus);
        for (unsigned j = 0; j < n; j++)
            distance += abs(r->lg[j] - lg[j]);
        if (distance < *least && same_choices(op, &r->problem, p) && fits(r, op, p)) {
            *least = distance;
            *best = r;
        }
    }
}

bool fly_tune_lookup(const struct fly_tune *t, const struct fly_op *op, const struct fly_problem *p,
                     const struct fly_target *target, struct fly_choice *c)
{
    const struct fly_tune_row *r = find_exact(&t->user, op, p, target);
    if (!r)
        r = find_exact(&t->installed, op, p, target);
    c->reason = FLY_REASON_TUNED;
    if (!r) {
        int least = NEAREST_LIMIT + 1;
        find_nearest(&t->user, op, p, target, &r, &least);
        find_nearest(&t->installed, op, p, target, &r, &least);
        c->reason = FLY_REASON_NEAREST;
    }
    if (r)
        c->kernel = &op->kernels[r->kernel];
    return r != NULL;
}

/* FNV-1a, 64 bits. */
static uint64_t hash_text(uint64_t h, const char *s)
{
    do
        h = (h ^ (unsigned char)*s) * UINT64_C(0x100000001b3);
    while (*s++);
    return h;
}

uint64_t fly_registry_fingerprint(const struct fly_op *op, const struct fly_arch *arch)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < op->nkernels; i++) {
        const struct fly_kernel *k = &op->kernels[i];
        if (k->arch != arch->id && k->arch != arch->generic)
            continue;
        h = hash_text(h, k->name);
        h = hash_text(h, op->modules[k->module].fingerprint);
    }
    return h;
}
