/* SPDX-License-Identifier: MIT */
/* The handle's cache of selected problems. */
#include "core/cache.h"

#include <stddef.h>
#include <string.h>

/* A sum of products with odd constants, one a field, none of which waits for another; then high bits come down and up. */
uint64_t fly_problem_hash(const struct fly_problem *p)
{
    uint32_t head;
    memcpy(&head, p, sizeof head);
    uint64_t h = head * UINT64_C(0x9e3779b97f4a7c15), factor = UINT64_C(0xd6e8feb86659fd93);
    for (uint32_t i = 0; i < p->nfields; i++, factor += UINT64_C(0xa0761d6478bd642e))
        h += (uint64_t)p->v[i] * factor;
    h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return h | 1;
}

static unsigned set_of(uint64_t hash)
{
    return (unsigned)(hash >> 57) % FLY_CACHE_SETS;
}

static bool same(const struct fly_problem *a, const struct fly_problem *b)
{
    return a->nfields == b->nfields &&
           !memcmp(a, b, offsetof(struct fly_problem, v) + a->nfields * sizeof a->v[0]);
}

struct fly_entry *fly_cache_find(struct fly_cache *c, const struct fly_problem *p, uint64_t hash)
{
    unsigned set = set_of(hash);
    for (unsigned way = 0; way < FLY_CACHE_WAYS; way++)
        if (c->hash[set][way] == hash && same(&c->entry[set][way].problem, p))
            return &c->entry[set][way];
    return NULL;
}

struct fly_entry *fly_cache_add(struct fly_cache *c, const struct fly_problem *p, uint64_t hash)
{
    unsigned set = set_of(hash);
    unsigned way = c->next[set];
    c->next[set] = (uint8_t)((way + 1) % FLY_CACHE_WAYS);
    c->hash[set][way] = hash;
    struct fly_entry *e = &c->entry[set][way];
    memcpy(&e->problem, p, offsetof(struct fly_problem, v) + p->nfields * sizeof p->v[0]);
    e->kernel = NULL;
    e->function = NULL;
    e->second = NULL;
    e->second_function = NULL;
    e->clusters = 0;
    e->launches = 0;
    e->reason = 0;
    e->filled++;
    return e;
}

void fly_cache_clear(struct fly_cache *c)
{
    memset(c->hash, 0, sizeof c->hash);
    memset(c->next, 0, sizeof c->next);
}
