/* SPDX-License-Identifier: MIT */
/*
 * Calls that a handle has seen before, whole: arguments that are byte for byte those of a call that was found right need
 * not be looked at again, and their problem is known. A call is kept when it comes for the second time, so that
 * programs whose pointers never come back pay for a tag only.
 */
#ifndef FLY_CORE_RECENT_H
#define FLY_CORE_RECENT_H

#include <stddef.h>
#include <stdint.h>

#include "core/cache.h"

enum { FLY_RECENT_SETS = 32, FLY_RECENT_WAYS = 4, FLY_RECENT_WORDS = 24 /* of 8 bytes, of an argument struct */ };

struct fly_recent_call {
    const struct fly_op *op;
    struct fly_entry *entry;
    uint32_t filled; /* the entry's, when this was kept */
    uint64_t given[FLY_RECENT_WORDS];   /* the caller's struct */
    uint64_t checked[FLY_RECENT_WORDS]; /* the same with defaults filled in */
};

struct fly_recent {
    uint64_t tag[FLY_RECENT_SETS][FLY_RECENT_WAYS];  /* 0: free */
    uint64_t seen[FLY_RECENT_SETS][FLY_RECENT_WAYS]; /* tags of calls that came once */
    uint8_t next[FLY_RECENT_SETS], next_seen[FLY_RECENT_SETS];
    struct fly_recent_call call[FLY_RECENT_SETS][FLY_RECENT_WAYS];
};

/* Of an argument struct, whose first member is its size: never 0; 0 where it is null or larger than what is kept. */
uint64_t fly_recent_tag(const struct fly_op *op, const void *args);

/* The call with these arguments, or null. Its entry is that of its problem still. */
struct fly_recent_call *fly_recent_find(struct fly_recent *r, const struct fly_op *op, const void *args, uint64_t tag);

/* A call that ended well: `checked`, of `bytes`, is what was made of args. */
void fly_recent_add(struct fly_recent *r, const struct fly_op *op, const void *args, uint64_t tag, const void *checked, size_t bytes,
                    struct fly_entry *entry);

void fly_recent_clear(struct fly_recent *r);

#endif
