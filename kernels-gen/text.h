/* SPDX-License-Identifier: MIT */
/*
 * Writing kernel text: lines with indentation, blocks, comments, and short names for the types of
 * the kernel at hand. Errors stick: the first one is kept and everything after it is ignored, so
 * stages return nothing and the caller looks once, at the end.
 */
#ifndef KG_TEXT_H
#define KG_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A growing string; zero it before use, kg_buf_free after. */
struct kg_buf {
    char *text;
    size_t size, room;
};

void kg_buf_add(struct kg_buf *b, const char *text, size_t size);
void kg_buf_printf(struct kg_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void kg_buf_free(struct kg_buf *b);

/* The kernel being written. */
struct kg {
    struct kg_buf out;
    int indent;
    const char *let[128]; /* what $a ... $z stand for in kg_line */
    int copies;   /* elements of a register array: @ is the one at hand, @@ the count; empty at 1 */
    int batch;    /* the same of an array that lives for one batch of copies: ` and `` */
    unsigned lds; /* bytes of LDS declared so far */
    bool param_end; /* row-wise, single elements: param_end is known (kg_row_param_end) */
    bool aligned; /* row-wise: every vector lies at a multiple of its size, in the row or outside */
    bool last_read; /* row-wise: what is loaded is not needed again */
    bool guarded; /* row-wise: what belongs to a vector is done where inside@ says that it has columns */
    const char *stage; /* for error messages */
    char error[256];   /* first error, empty while there is none */
};

/* One line of the kernel. $c is replaced by let['c']; @, @@, ` and `` as in struct kg. Indented by
 * block depth, except preprocessor lines. */
void kg_line(struct kg *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* A line that opens a block, and the end of the block. */
void kg_open(struct kg *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void kg_close(struct kg *g);

/* The line that both ends a block and opens the next: "} else {". */
void kg_else(struct kg *g);

/* A loop over the copies, unrolled by the compiler; at one copy the lines stand alone. */
void kg_each(struct kg *g);
void kg_each_end(struct kg *g);

/* The same for lines that declare something: a block of their own even at one copy. */
void kg_each_scope(struct kg *g);
void kg_each_scope_end(struct kg *g);

/* A loop over batches of at most `most` copies; kg_each inside goes over the batch at hand. */
void kg_batches(struct kg *g, int most);
void kg_batches_end(struct kg *g);

/* A comment, broken into lines of 100 columns. */
void kg_note(struct kg *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void kg_blank(struct kg *g);

void kg_fail(struct kg *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* `fmt` with $c and @ replaced, into out. */
void kg_expand(const struct kg *g, struct kg_buf *out, const char *text);

#endif
