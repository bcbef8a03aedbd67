/* SPDX-License-Identifier: MIT */
/* The gradient both norms share; RMSNorm's is LayerNorm's with mean 0 and without the c1 term. */
#ifndef TESTS_REF_NORMBWD_H
#define TESTS_REF_NORMBWD_H

#include <stdbool.h>

#include "rowwise.h"

/* Units of comparison: the rows, then one for the sums over rows (dgamma, dbeta). */
int64_t ref_normbwd_units(const struct fly_problem *p);
int64_t ref_normbwd_scratch(const struct fly_problem *p);
void ref_normbwd_compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                         double *scratch, struct ref_worst *w, bool centred);

#endif
