/* SPDX-License-Identifier: MIT */
/* MessagePack heads, by the format table of the MessagePack specification. */
#include "msgpack.h"

static bool take(struct sim_msgpack *m, unsigned n, uint64_t *v)
{
    if ((size_t)(m->end - m->p) < n)
        return false;
    *v = 0;
    for (unsigned i = 0; i < n; i++)
        *v = *v << 8 | *m->p++;
    return true;
}

static bool bytes(struct sim_msgpack *m, enum sim_msgpack_type type, uint64_t n,
                  struct sim_msgpack_item *out)
{
    out->type = type;
    out->n = n;
    out->s = (const char *)m->p;
    if ((uint64_t)(m->end - m->p) < n)
        return false;
    m->p += n;
    return true;
}

/* Members of a container take a byte each at least: more than the rest of the input is damage. */
static bool container(struct sim_msgpack *m, enum sim_msgpack_type type, uint64_t n,
                      struct sim_msgpack_item *out)
{
    out->type = type;
    out->n = n;
    return n <= (uint64_t)(m->end - m->p);
}

static bool integer(struct sim_msgpack *m, unsigned size, bool is_signed,
                    struct sim_msgpack_item *out)
{
    if (!take(m, size, &out->u))
        return false;
    out->type = SIM_MP_UINT;
    if (is_signed && out->u >> (8 * size - 1)) {
        out->type = SIM_MP_INT;
        if (size < 8)
            out->u |= ~UINT64_C(0) << 8 * size;
    }
    return true;
}

bool sim_msgpack_next(struct sim_msgpack *m, struct sim_msgpack_item *out)
{
    uint64_t t, n;

    *out = (struct sim_msgpack_item){.type = SIM_MP_NIL};
    if (!take(m, 1, &t))
        return false;
    if (t < 0x80) {
        out->type = SIM_MP_UINT;
        out->u = t;
        return true;
    }
    if (t < 0x90)
        return container(m, SIM_MP_MAP, t & 15, out);
    if (t < 0xa0)
        return container(m, SIM_MP_ARRAY, t & 15, out);
    if (t < 0xc0)
        return bytes(m, SIM_MP_STR, t & 31, out);
    if (t >= 0xe0) {
        out->type = SIM_MP_INT;
        out->u = t | ~UINT64_C(0xff);
        return true;
    }
    switch (t) {
    case 0xc0:
        return true;
    case 0xc2: case 0xc3:
        out->type = SIM_MP_BOOL;
        out->u = t & 1;
        return true;
    case 0xc4: case 0xc5: case 0xc6:
        return take(m, 1u << (t - 0xc4), &n) && bytes(m, SIM_MP_BIN, n, out);
    case 0xc7: case 0xc8: case 0xc9:
        return take(m, 1u << (t - 0xc7), &n) && bytes(m, SIM_MP_EXT, n + 1, out);
    case 0xca: case 0xcb:
        out->type = SIM_MP_FLOAT;
        return take(m, t == 0xca ? 4 : 8, &out->u);
    case 0xcc: case 0xcd: case 0xce: case 0xcf:
        return integer(m, 1u << (t - 0xcc), false, out);
    case 0xd0: case 0xd1: case 0xd2: case 0xd3:
        return integer(m, 1u << (t - 0xd0), true, out);
    case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8:
        return bytes(m, SIM_MP_EXT, (1u << (t - 0xd4)) + 1, out);
    case 0xd9: case 0xda: case 0xdb:
        return take(m, 1u << (t - 0xd9), &n) && bytes(m, SIM_MP_STR, n, out);
    case 0xdc: case 0xdd:
        return take(m, t == 0xdc ? 2 : 4, &n) && container(m, SIM_MP_ARRAY, n, out);
    case 0xde: case 0xdf:
        return take(m, t == 0xde ? 2 : 4, &n) && container(m, SIM_MP_MAP, n, out);
    default:
        return false;
    }
}

bool sim_msgpack_peek(const struct sim_msgpack *m, struct sim_msgpack_item *out)
{
    struct sim_msgpack copy = *m;

    return sim_msgpack_next(&copy, out);
}

bool sim_msgpack_skip(struct sim_msgpack *m)
{
    /* items still to read; nesting needs no stack, since each one read takes a byte at least */
    uint64_t left = 1;

    while (left) {
        struct sim_msgpack_item v;

        if (!sim_msgpack_next(m, &v))
            return false;
        left--;
        if (v.type == SIM_MP_ARRAY)
            left += v.n;
        else if (v.type == SIM_MP_MAP)
            left += 2 * v.n;
    }
    return true;
}
