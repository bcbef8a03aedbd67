/* SPDX-License-Identifier: MIT */
/* The choice of a kernel. */
#include "core/select.h"

#include <stdio.h>
#include <string.h>

#include "core/arch.h"
#include "core/dtype.h"

/* Rows are in the order of archs; within one, rows of the same types lie together. */
const struct fly_kernel *fly_registry_rows(const struct fly_op *op, unsigned arch,
                                           const uint8_t types[3], uint32_t *count)
{
    const struct fly_kernel *k = op->kernels, *end = k + op->nkernels;
    for (uint32_t n = op->nkernels; n;) {
        uint32_t half = n / 2;
        bool before = k[half].arch < arch;
        k += before ? half + 1 : 0;
        n = before ? n - half - 1 : half;
    }
    while (k < end && k->arch == arch && memcmp(k->types, types, sizeof k->types))
        k++;
    const struct fly_kernel *first = k;
    while (k < end && k->arch == arch && !memcmp(k->types, types, sizeof k->types))
        k++;
    *count = (uint32_t)(k - first);
    return first;
}

const struct fly_kernel *fly_registry_find(const char *name, const struct fly_op **op)
{
    for (unsigned i = 0; i < FLY_OP_COUNT; i++)
        for (uint32_t j = 0; j < fly_op_table[i]->nkernels; j++)
            if (!strcmp(fly_op_table[i]->kernels[j].name, name)) {
                if (op)
                    *op = fly_op_table[i];
                return &fly_op_table[i]->kernels[j];
            }
    return NULL;
}

const char *fly_reason_name(unsigned reason)
{
    static const char *const names[] = {
        [FLY_REASON_NONE] = "none",           [FLY_REASON_FORCED] = "forced",
        [FLY_REASON_TUNED] = "tuned",         [FLY_REASON_NEAREST] = "nearest",
        [FLY_REASON_HEURISTIC] = "heuristic", [FLY_REASON_FALLBACK] = "fallback",
    };
    return reason < sizeof names / sizeof *names ? names[reason] : "unknown";
}

/* FLY_KERNEL names a kernel: does it run this problem? One of another operation says nothing about
 * it. */
static flyStatus_t force(const struct fly_op *op, const struct fly_problem *p,
                         const struct fly_target *t, const char *name, struct fly_choice *c,
                         char *message, size_t bytes)
{
    const struct fly_op *owner = NULL;
    const struct fly_kernel *k = fly_registry_find(name, &owner);
    const char *why = NULL;
    c->kernel = NULL;
    if (k && owner != op)
        return FLY_STATUS_SUCCESS;
    if (!k)
        why = "no such kernel";
    else if (k->arch != t->arch->id && k->arch != t->arch->generic)
        why = "it is for another arch";
    else if (memcmp(k->types, p->types, 3))
        why = "it is for other types";
    else
        why = op->fits(k, p);
    if (why) {
        snprintf(message, bytes, "FLY_KERNEL = %s cannot run on %s: %s", name, t->arch->name, why);
        return FLY_STATUS_NOT_SUPPORTED;
    }
    c->kernel = k;
    c->reason = FLY_REASON_FORCED;
    return FLY_STATUS_SUCCESS;
}

flyStatus_t fly_select_kernel(const struct fly_op *op, const struct fly_problem *p,
                              const struct fly_target *t, const struct fly_tune *tuning,
                              const char *forced, struct fly_choice *c, char *message, size_t bytes)
{
    if (*forced) {
        flyStatus_t status = force(op, p, t, forced, c, message, bytes);
        if (status != FLY_STATUS_SUCCESS || c->kernel)
            return status;
    }
    if (tuning && fly_tune_lookup(tuning, op, p, t, c))
        return FLY_STATUS_SUCCESS;

    uint32_t n;
    const struct fly_kernel *k = fly_registry_rows(op, t->arch->id, p->types, &n);
    if (!n)
        k = fly_registry_rows(op, t->arch->generic, p->types, &n);
    if (!n) {
        snprintf(message, bytes, "types = %s, %s, %s: %s has no such kernel for %s",
                 fly_dtype_token(p->types[0]), p->types[1] ? fly_dtype_token(p->types[1]) : "none",
                 fly_dtype_token(p->types[2]), op->name, t->arch->name);
        return FLY_STATUS_NOT_SUPPORTED;
    }
    uint32_t i = op->heuristic(k, n, p, t);
    c->reason = FLY_REASON_HEURISTIC;
    if (i >= n) {
        i = n - 1;
        c->reason = FLY_REASON_FALLBACK;
        const char *why = op->fits(&k[i], p);
        if (why) {
            snprintf(message, bytes, "no kernel of %s for %s fits; %s, the most general: %s",
                     op->name, t->arch->name, k[i].name, why);
            return FLY_STATUS_NOT_SUPPORTED;
        }
    }
    c->kernel = &k[i];
    return FLY_STATUS_SUCCESS;
}
