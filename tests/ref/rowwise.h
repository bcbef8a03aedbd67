/* SPDX-License-Identifier: MIT */
/* What the references of row-wise operations share: fields and operands by name, rows as doubles. */
#ifndef TESTS_REF_ROWWISE_H
#define TESTS_REF_ROWWISE_H

#include "ref.h"

/* u REF_TINY = 2^-149, the smallest denormal of f32: what a bound sum takes for underflow. */
#define REF_TINY 0x1p-125

/* Value of a field of the problem, 0 when the op has no such field. */
int64_t ref_field(const struct fly_problem *p, const char *name);

/* Whether a variance with eps, or a mean square, is not 0 but below the normal numbers of f32, for which the norms' headers
 * promise nothing: the row's results are not compared. */
bool ref_too_small(double variance);

/* Operand by name, or null when the problem has none. */
const struct ref_tensor *ref_operand(const struct ref_tensor *t, const char *name);

/* Row r of an input as doubles; `none` everywhere when t is null. */
void ref_row(const struct ref_tensor *t, int64_t r, int64_t cols, double none, double *out);

/* Notes cols elements of row r of output o (none when null): exact, S of the bound. */
void ref_note_row(struct ref_worst *w, const struct ref_tensor *t, const struct ref_tensor *o, int64_t r,
                  int64_t cols, const double *exact, const double *s);

/* Notes one element of a vector output [n] of per-row values (none when null). */
void ref_note_one(struct ref_worst *w, const struct ref_tensor *t, const struct ref_tensor *o, int64_t i,
                  double exact, double s);

/*
 * The output of a row whose values before rounding are v with bound sums s. Stored in y's type as it is, or
 * quantised when y is an 8-bit type: times xscale, yscale = max|v| / largest code or 1 when that is 0, v / yscale.
 * The bound sum of a code is s / yscale plus two roundings of the code. v and s are overwritten.
 */
void ref_note_output(struct ref_worst *w, const struct ref_tensor *t, int64_t r, int64_t cols, double *v, double *s);

/* x + residual rounded to x's type where the problem adds, else x; notes residual_out. */
void ref_added_row(struct ref_worst *w, const struct ref_tensor *t, int64_t r, int64_t cols, double *x);

int64_t ref_rowwise_rows(const struct fly_problem *p);

#endif
