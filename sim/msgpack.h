/* SPDX-License-Identifier: MIT */
/* A pull reader for MessagePack, the encoding of code object metadata. Bounds are its only job. */
#ifndef SIM_MSGPACK_H
#define SIM_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_msgpack { const uint8_t *p, *end; };

enum sim_msgpack_type {
    SIM_MP_NIL,
    SIM_MP_BOOL,
    SIM_MP_UINT,
    SIM_MP_INT,
    SIM_MP_FLOAT,
    SIM_MP_STR,
    SIM_MP_BIN,
    SIM_MP_EXT,
    SIM_MP_ARRAY,
    SIM_MP_MAP
};

struct sim_msgpack_item {
    enum sim_msgpack_type type;
    uint64_t u;    /* BOOL, UINT; INT: two's complement; FLOAT: bits */
    uint64_t n;    /* bytes of STR, BIN, EXT; items of ARRAY, pairs of MAP */
    const char *s; /* STR, BIN, EXT; not terminated */
};

/* Reads one item's head (of an array or map, not its members). False at the end or on damage. */
bool sim_msgpack_next(struct sim_msgpack *m, struct sim_msgpack_item *out);
/* The same without moving on. */
bool sim_msgpack_peek(const struct sim_msgpack *m, struct sim_msgpack_item *out);
/* Steps over one whole item. */
bool sim_msgpack_skip(struct sim_msgpack *m);

#endif
