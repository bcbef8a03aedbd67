/* SPDX-License-Identifier: MIT */
/* Gradient of RMSNorm. */
#include "normbwd.h"

static void compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                    double *scratch, struct ref_worst *w)
{
    ref_normbwd_compare(p, t, from, to, scratch, w, false);
}

const struct ref_op ref_rmsnormbwd = {"rmsnormbwd", ref_normbwd_units, compare, ref_normbwd_scratch};
