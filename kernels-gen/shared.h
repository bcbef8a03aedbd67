/* SPDX-License-Identifier: MIT */
/*
 * Rows that several workgroups of a cluster share: each has the same columns of every row it works on, so that
 * parameters stay in registers and the next row is asked for before the work on the present one. A wave gives what
 * it found of its columns to all of them, once a row.
 */
#ifndef KG_SHARED_H
#define KG_SHARED_H

#include "rowwise.h"

/* What an op brings. */
struct kg_shared {
    const struct kg_reduction *stat; /* what waves find and how two of it join; 4 bytes, 8 or a multiple of 16 */
    const char *name;                /* the variable it lies in */
    void (*once)(struct kg *g, const struct kg_spec *s);    /* what is the same for all rows; null: nothing */
    void (*arrived)(struct kg *g, const struct kg_spec *s); /* the row has come to values@, its first element to first */
    void (*measure)(struct kg *g, const struct kg_spec *s); /* declares the variable: the wave's part */
    void (*write)(struct kg *g, const struct kg_spec *s);   /* the variable is the row's: the output */
};

/* Vector registers a work-item needs that holds `held` parameter vectors, beside two rows. */
unsigned kg_shared_registers(const struct kg_spec *s, unsigned held);

/* `name` in every lane of a wave becomes the wave's. */
void kg_shared_reduce(struct kg *g, const struct kg_spec *s, const char *name, const struct kg_reduction *r);

/* The kernel's body. */
void kg_shared_emit(struct kg *g, const struct kg_spec *s, const struct kg_shared *op);

#endif
