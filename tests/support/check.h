/* SPDX-License-Identifier: MIT */
/*
 * Runs one problem through the public API on a device and compares it with its reference: operands in
 * guarded, poisoned buffers; afterwards inputs, guards and the gaps between rows must be untouched and
 * every output element within its bound. Knows ops only through struct fly_op and struct ref_op.
 */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "../ref/ref.h"
#include "core/op.h"
#include "runtime/runtime.h"

struct check_device {
    struct fly_runtime *rt;
    flyHandle_t handle;
    int device;
    const char *arch; /* libfly's name of it */
};

/* Opens device number `device` of the runtime FLY_RUNTIME names. False and a sentence when that fails. */
bool check_open(struct check_device *d, int device, char *message, size_t bytes);
bool check_open_on(struct check_device *d, struct fly_runtime *rt, int device, char *message, size_t bytes);
void check_close(struct check_device *d);

struct check_options {
    int pattern;       /* enum fill_pattern of the input; parameters are always finite */
    uint64_t seed;
    bool in_place;     /* the first output lies where an input does; same type and strides */
    uint8_t in_place_of; /* which input that is: 0 the first that the problem has */
    struct {
        const char *out, *in;
    } also;              /* an output, by name, that lies where an input does; same type and strides */
    bool exact;        /* inputs end where their allocation ends, so that the simulator sees any read beyond */
    uint8_t shift[FLY_MAX_OPERANDS]; /* elements from a 256-byte boundary to element 0 */
    int64_t max_rows;  /* compare about this many rows, spread evenly, and sums over all; 0: all */
};

enum check_outcome {
    CHECK_PASS,
    CHECK_MARGINAL, /* within the bound, beyond half of its c */
    CHECK_FAIL
};

struct check_result {
    enum check_outcome outcome;
    struct ref_worst worst;
    flyStatus_t status;
    uint64_t hash;     /* of all outputs: equal hashes, equal bits */
    char message[768]; /* one line: outcome, problem, variant, residual, limit, seed, and what is wrong */
};

/* Device and host images of a problem's operands. */
struct check_case {
    const struct check_device *d;
    const struct fly_op *op;
    const struct ref_op *ref;
    struct fly_problem p;
    struct check_options opt;
    uint32_t n;
    struct check_buffer {
        struct fly_operand o;
        size_t bytes, head, body; /* whole allocation; before element 0; operand */
        char *before, *after;     /* host images of the allocation */
        void *device;
        int alias;                /* index of the operand it shares memory with, or -1 */
    } b[FLY_MAX_OPERANDS];
    void *ptr[FLY_MAX_OPERANDS];  /* device addresses of element 0, as fly_op.run takes them */
    void *workspace;
    uint64_t workspace_bytes;
};

/* In steps, for callers that launch by themselves: allocate, fill and upload; then compare. Functions
 * that return false leave a sentence in r->message. */
bool check_prepare(struct check_case *c, const struct check_device *d, const struct fly_problem *p,
                   const struct check_options *opt, struct check_result *r);
void check_launch(struct check_case *c, struct check_result *r); /* run and wait; sets r->status */
void check_compare(struct check_case *c, struct check_result *r);
void check_release(struct check_case *c);

/* All steps. */
void check_problem(const struct check_device *d, const struct fly_problem *p, const struct check_options *opt,
                   struct check_result *r);

const char *check_outcome_name(enum check_outcome o);

#endif
