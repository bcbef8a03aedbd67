/* SPDX-License-Identifier: MIT */
/*
 * References in double precision, one file an op, written plainly from the formula. A reference computes
 * the expected outputs of some rows of a problem and notes each element's distance from what the kernel
 * wrote. Used by the op tests and by fly-bench.
 */
#ifndef TESTS_REF_H
#define TESTS_REF_H

#include <stdint.h>

#include "core/op.h"

/* One operand on the host: `before` as uploaded, `after` as found when the kernel was done. Both point
 * to element 0; null where the problem has no such operand. */
struct ref_tensor {
    struct fly_operand o;
    const void *before;
    const void *after;
    double flushed; /* magnitudes below it may count as zero in the device's matrix products */
};

/* The element furthest from its bound, and how many were compared. */
struct ref_worst {
    double fraction; /* of the bound with c = 8 */
    double c;        /* the c it would need */
    double exact, got;
    int operand;     /* index; -1: nothing compared */
    int64_t i, j;
    int64_t compared;
};

struct ref_op {
    const char *name;
    /* Independent rows of the problem, the unit `compare` works in. */
    int64_t (*rows)(const struct fly_problem *p);
    /* Compares the outputs of rows [from, to). scratch has scratch_doubles(p) elements;
     * the first is 0 before the first call for a problem. */
    void (*compare)(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                    double *scratch, struct ref_worst *w);
    int64_t (*scratch_doubles)(const struct fly_problem *p);
};

/* Null when there is no reference for the op. */
const struct ref_op *ref_find(const char *op);

/* Notes one element: exact value, S of the bound, value found. */
void ref_note(struct ref_worst *w, const struct ref_tensor *t, int operand, int64_t i, int64_t j, double exact,
              double s, double got);

/* Notes one element that has a single right value; any NaN is another's equal. */
void ref_note_equal(struct ref_worst *w, int operand, int64_t i, int64_t j, double expected, double got);

#endif
