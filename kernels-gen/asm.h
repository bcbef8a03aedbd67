/* SPDX-License-Identifier: MIT */
/*
 * Writing whole kernels in assembly: instructions with comments, registers by number, and exact
 * waits. The writer says which registers a load or an LDS read fills; asking for a register waits
 * for no more than it takes. Loads return in order, and so do LDS reads.
 */
#ifndef KG_ASM_H
#define KG_ASM_H

#include "spec.h"

enum { KG_ASM_PENDING = 64 };

/* What has been asked for and not been waited for, oldest first. */
struct kg_asm_queue {
    unsigned count;
    struct {
        unsigned first, count; /* VGPRs it fills; none for a copy to LDS */
        bool copy;
    } op[KG_ASM_PENDING];
};

struct kg_asm {
    struct kg *g;
    struct kg_asm_queue loads, reads;
};

/* One instruction; the comment may be empty. */
void kg_asm(struct kg_asm *a, const char *comment, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void kg_asm_label(struct kg_asm *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Notes that the instruction before fills registers. */
void kg_asm_loads(struct kg_asm *a, unsigned first, unsigned count);
void kg_asm_reads(struct kg_asm *a, unsigned first, unsigned count);
void kg_asm_copies(struct kg_asm *a);

/* Waits until these registers are there, until all copies are in LDS and all reads done, or for
 * everything. */
void kg_asm_need(struct kg_asm *a, unsigned first, unsigned count);
void kg_asm_need_copies(struct kg_asm *a);
void kg_asm_need_all(struct kg_asm *a);

/* Register ranges as operands: v[8:11], s[4:5], v7. */
struct kg_reg {
    char text[16];
};
struct kg_reg kg_v(unsigned first, unsigned count);
struct kg_reg kg_s(unsigned first, unsigned count);

/* The directives around the one kernel of a file. */
void kg_asm_begin(struct kg *g, const char *name);
void kg_asm_end(struct kg *g, const struct kg_spec *s, const char *name, unsigned lds,
                unsigned sgprs);

#endif
