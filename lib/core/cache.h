/* SPDX-License-Identifier: MIT */
/*
 * The handle's cache of selected problems: a fixed-size set-associative table, so that a miss
 * allocates nothing. A set's entries are replaced in turn.
 */
#ifndef FLY_CORE_CACHE_H
#define FLY_CORE_CACHE_H

#include <stdint.h>

#include "core/op.h"

enum { FLY_CACHE_SETS = 64, FLY_CACHE_WAYS = 8 };

/* A problem with everything a launch needs that does not depend on pointers. */
struct fly_entry {
    struct fly_problem problem;
    const struct fly_kernel *kernel;
    void *function;    /* loaded, or null */
    const struct fly_kernel *second; /* runs after kernel, or null */
    void *second_function;
    uint32_t clusters; /* of a kernel whose clusters go on from row to row, that run at a time; 0: not asked yet */
    uint64_t workspace; /* bytes the problem takes */
    uint32_t grid[3];  /* workgroups of the problem, as the op's grid() says */
    uint32_t launches; /* kernels the problem takes */
    uint8_t reason;    /* flyReason_t */
    uint32_t filled;   /* how often another problem has come here */
};

struct fly_cache {
    uint64_t hash[FLY_CACHE_SETS][FLY_CACHE_WAYS]; /* 0: free */
    uint8_t next[FLY_CACHE_SETS];                  /* way that is replaced next */
    struct fly_entry entry[FLY_CACHE_SETS][FLY_CACHE_WAYS];
};

/* Never 0. */
uint64_t fly_problem_hash(const struct fly_problem *p);

/* The entry of p, or null. */
struct fly_entry *fly_cache_find(struct fly_cache *c, const struct fly_problem *p, uint64_t hash);

/* Makes room for p: an entry with the problem filled in and the rest zero, but for `filled`. */
struct fly_entry *fly_cache_add(struct fly_cache *c, const struct fly_problem *p, uint64_t hash);

void fly_cache_clear(struct fly_cache *c);

#endif
