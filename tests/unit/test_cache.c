/* SPDX-License-Identifier: MIT */
/* The handle's cache: it finds what it holds, never what it does not, and keeps a working set
 * of 64. */
#include <stdlib.h>

#include "core/cache.h"
#include "unit.h"

Test(cache, finds_what_was_added)
{
    struct fly_cache *c = calloc(1, sizeof *c);
    struct fly_problem p = unit_problem("layernorm:bf16:rows=1,cols=64"), q = p;
    cr_assert_null(fly_cache_find(c, &p, fly_problem_hash(&p)));
    struct fly_entry *e = fly_cache_add(c, &p, fly_problem_hash(&p));
    cr_assert_eq(fly_cache_find(c, &p, fly_problem_hash(&p)), e);
    for (uint32_t i = 0; i < p.nfields; i++) {
        q = p;
        q.v[i]++;
        cr_assert_null(fly_cache_find(c, &q, fly_problem_hash(&p)),
                       "field %u is no part of the key", i);
        cr_assert_neq(fly_problem_hash(&q), fly_problem_hash(&p));
    }
    q = p;
    q.types[0] = FLY_DTYPE_F16;
    cr_assert_null(fly_cache_find(c, &q, fly_problem_hash(&p)));
    fly_cache_clear(c);
    cr_assert_null(fly_cache_find(c, &p, fly_problem_hash(&p)));
    free(c);
}

Test(cache, keeps_64_shapes_in_rotation)
{
    struct fly_cache *c = calloc(1, sizeof *c);
    struct fly_problem p = unit_problem("layernorm:bf16:rows=1,cols=64");
    unsigned worst = 0;
    for (int trial = 0; trial < 200; trial++) {
        fly_cache_clear(c);
        unsigned misses = 0;
        for (int round = 0; round < 3; round++)
            for (int i = 0; i < 64; i++) {
                p.v[0] = 1 + i * (trial % 7 + 1) * 16;
                p.v[1] = p.v[2] = p.v[3] = 64 * (trial + 1) + (i % 8) * 128;
                uint64_t h = fly_problem_hash(&p);
                if (!fly_cache_find(c, &p, h)) {
                    fly_cache_add(c, &p, h);
                    misses += round > 0;
                }
            }
        worst = misses > worst ? misses : worst;
    }
    cr_assert_eq(worst, 0);
    free(c);
}

Test(cache, is_bounded)
{
    struct fly_cache *c = calloc(1, sizeof *c);
    struct fly_problem p = unit_problem("layernorm:bf16:rows=1,cols=64");
    for (int i = 0; i < 100000; i++) {
        p.v[0] = i;
        uint64_t h = fly_problem_hash(&p);
        struct fly_entry *e = fly_cache_add(c, &p, h);
        cr_assert_eq(fly_cache_find(c, &p, h), e);
        cr_assert(e >= &c->entry[0][0] && e < &c->entry[0][0] + FLY_CACHE_SETS * FLY_CACHE_WAYS);
    }
    free(c);
}

/* What was learnt of the kernel that an entry had before. */
Test(cache, forgets_what_it_replaces)
{
    struct fly_cache *c = calloc(1, sizeof *c);
    struct fly_problem p = unit_problem("layernorm:bf16:rows=1,cols=64");
    const uint64_t h = fly_problem_hash(&p);
    for (int i = 0; i <= FLY_CACHE_WAYS; i++) { /* one set: the last takes the place of the first */
        struct fly_entry *e = fly_cache_add(c, &p, h);
        cr_assert_eq(e->clusters, 0);
        cr_assert_null(e->function);
        cr_assert_null(e->second);
        e->clusters = 30;
        e->function = e;
        e->second = (const struct fly_kernel *)e;
    }
    free(c);
}
