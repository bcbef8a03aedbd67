/* SPDX-License-Identifier: MIT */
/* Runs a function over 0..n-1 on all cores: references and input generation for large problems. */
#ifndef TESTS_PAR_H
#define TESTS_PAR_H

#include <stdint.h>

/* Calls fn(ctx, from, to, thread) for disjoint ranges that cover [0, n), each at most `grain` long;
 * thread < par_threads(). Returns when all are done. */
void par_for(int64_t n, int64_t grain, void (*fn)(void *ctx, int64_t from, int64_t to, int thread), void *ctx);

int par_threads(void);

#endif
