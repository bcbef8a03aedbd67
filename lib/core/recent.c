/* SPDX-License-Identifier: MIT */
/* Calls that a handle has seen before. */
#include "core/recent.h"

#include <string.h>

enum { MOST_BYTES = FLY_RECENT_WORDS * 8 };

static unsigned set_of(uint64_t tag)
{
    return (unsigned)(tag >> 59) % FLY_RECENT_SETS;
}

/* As fly_problem_hash: a sum of products, none of which waits for another. */
uint64_t fly_recent_tag(const struct fly_op *op, const void *args)
{
    size_t size;
    if (!args)
        return 0;
    memcpy(&size, args, sizeof size);
    if (size > MOST_BYTES || size % 8)
        return 0;
    const unsigned char *at = args;
    uint64_t h = op->id, factor = UINT64_C(0xd6e8feb86659fd93);
    for (size_t i = 0; i < size; i += 8, factor += UINT64_C(0xa0761d6478bd642e)) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        h += word * factor;
    }
    h = (h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return h | 1;
}

struct fly_recent_call *fly_recent_find(struct fly_recent *r, const struct fly_op *op, const void *args, uint64_t tag)
{
    const unsigned set = set_of(tag);
    for (unsigned way = 0; way < FLY_RECENT_WAYS; way++) {
        struct fly_recent_call *c = &r->call[set][way];
        if (r->tag[set][way] != tag || c->op != op || c->filled != c->entry->filled)
            continue;
        size_t size; /* as great as the one kept, or the structs differ in their first member */
        memcpy(&size, args, sizeof size);
        if (c->given[0] == size && !memcmp(c->given, args, size))
            return c;
    }
    return NULL;
}

void fly_recent_add(struct fly_recent *r, const struct fly_op *op, const void *args, uint64_t tag, const void *checked, size_t bytes,
                    struct fly_entry *entry)
{
    const unsigned set = set_of(tag);
    bool again = false;
    for (unsigned way = 0; way < FLY_RECENT_WAYS; way++)
        again |= r->seen[set][way] == tag;
    if (!again || bytes > MOST_BYTES) {
        r->seen[set][r->next_seen[set]++ % FLY_RECENT_WAYS] = tag;
        return;
    }
    unsigned way = 0;
    while (way < FLY_RECENT_WAYS && r->tag[set][way] != tag)
        way++;
    if (way == FLY_RECENT_WAYS)
        way = r->next[set]++ % FLY_RECENT_WAYS;
    struct fly_recent_call *c = &r->call[set][way];
    size_t size;
    memcpy(&size, args, sizeof size);
    r->tag[set][way] = tag;
    c->op = op;
    c->entry = entry;
    c->filled = entry->filled;
    memcpy(c->given, args, size);
    memcpy(c->checked, checked, bytes);
}

void fly_recent_clear(struct fly_recent *r)
{
    memset(r->tag, 0, sizeof r->tag);
    memset(r->seen, 0, sizeof r->seen);
}
