/* SPDX-License-Identifier: MIT */
/*
 * What the library, fly-bench, fly-tune and the tests know about an operation: one struct fly_op
 * each, in a table made from the build's list of ops. A problem is the operation, its types and the
 * values of its fields; it is what selection sees, the key of caches and tuning tables, and what
 * the problem grammar prints:
 *
 *     op:types:field=value,...      layernorm:bf16:rows=4096,cols=8192,rstd=1
 *
 * types is in[,weight],out, one word if all are equal; fields come in the op's order and are left
 * out at their default.
 */
#ifndef FLY_CORE_OP_H
#define FLY_CORE_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fly/handle.h>
#include <fly/types.h>

#include "core/registry.h"

enum {
    FLY_MAX_FIELDS = 20,
    FLY_MAX_OPERANDS = 16,
    FLY_MAX_RANK = 4,
    FLY_MAX_KERNARG_BYTES = 256,
    FLY_MAX_PROBLEM_TEXT = 512
};

enum fly_field_kind {
    FLY_FIELD_INT,
    FLY_FIELD_FLOAT, /* an f32, kept as its bits */
    FLY_FIELD_WORD   /* one of `words`, kept as its index */
};

enum {
    FLY_FIELD_REQUIRED = 1, /* has no default */
    FLY_FIELD_TUNE = 2,     /* a size: part of a tuning key, nearness is measured in it */
    FLY_FIELD_CHOICE = 4    /* part of a tuning key, must be equal */
};

struct fly_field {
    const char *name;
    uint8_t kind;             /* enum fly_field_kind */
    uint8_t flags;            /* FLY_FIELD_* */
    int8_t same_as;           /* default: the value of this earlier field; -1: fallback */
    int64_t fallback;         /* default: value, f32 bits or index of the word */
    int64_t min, max;         /* of an INT */
    const char *const *words; /* of a WORD: null-terminated */
    const char *doc;          /* what it means, for docs and fly-info */
};

struct fly_problem {
    uint8_t op;       /* enum fly_op_id */
    uint8_t types[3]; /* flyDtype_t: input, weight, output; weight NONE where the op has none */
    uint32_t nfields;
    int64_t v[FLY_MAX_FIELDS]; /* in the order of the op's field table, defaults filled in */
};

enum fly_role {
    FLY_IN,
    FLY_PARAM, /* read by many rows: gamma, beta, scales */
    FLY_OUT,
    FLY_INOUT
};

/* One tensor of a problem. Strides are in elements; element (i, j) lies at i * stride[0] + j *
 * stride[1]. */
struct fly_operand {
    const char *name; /* as in the argument struct */
    uint8_t role;     /* enum fly_role */
    uint8_t dtype;    /* flyDtype_t */
    bool optional;    /* the op works without it */
    bool present;     /* this problem has it */
    uint8_t rank;
    int64_t shape[FLY_MAX_RANK];
    int64_t stride[FLY_MAX_RANK];
    bool of_params; /* a gradient of parameters: bytes that move are counted with theirs */
};

/* The device as selection sees it. */
struct fly_target {
    const struct fly_arch *arch;
    uint32_t cus;
};

struct fly_kernarg {
    const char *name;
    uint32_t offset;
    uint32_t size;
    const char *kind; /* IN OUT I64 I32 F32 */
};

struct fly_module {
    const char *name;        /* file stem */
    const char *fingerprint; /* each code object carries the symbol fly_registry_<fingerprint> */
};

enum fly_tile { FLY_TILE_ROWWISE, FLY_TILE_GEMM };

struct fly_op {
    const char *name;     /* "layernorm" */
    const char *function; /* "flyLayerNorm", for messages */
    const struct fly_field *fields;
    uint32_t nfields;
    uint8_t id; /* enum fly_op_id */
    uint8_t ntypes; /* 2: input and output; 3: a weight between them */
    uint8_t tile;   /* enum fly_tile: the member of struct fly_kernel's union */

    /* Rows of the registry in the order of archs, grouped by types; the last of a group always
     * fits. */
    const struct fly_kernel *kernels;
    uint32_t nkernels;
    const struct fly_module *modules;
    uint32_t nmodules;
    const struct fly_kernarg *kernargs;
    uint32_t nkernargs;

    /* Type combinations the op has, ended by one whose input is NONE. What the arch lacks is
     * refused by the registry having no row. */
    const uint8_t (*types)[3];

    /* Null when the fields are right together, else the rule that is broken. */
    const char *(*check)(const struct fly_problem *p);

    /* Fills out[0..n-1], the op's operands in its order, absent ones included; returns n. */
    uint32_t (*operands)(const struct fly_problem *p, struct fly_operand out[FLY_MAX_OPERANDS]);

    /* Null when k may run p, else the reason why not. k has p's types. */
    const char *(*fits)(const struct fly_kernel *k, const struct fly_problem *p);

    /* Best of k[0..n-1], which have p's types and arch: index, or n for none. Pure. */
    uint32_t (*heuristic)(const struct fly_kernel *k, uint32_t n, const struct fly_problem *p,
                          const struct fly_target *t);

    /* What k demands of a problem, in words: "8 <= cols <= 8192"; "" when nothing. Returns as
     * snprintf does. May be null: no demands. */
    int (*limits)(const struct fly_kernel *k, char *text, size_t bytes);

    /* Workgroups of the first launch, and how many launches the problem takes. */
    void (*grid)(const struct fly_kernel *k, const struct fly_problem *p,
                 const struct fly_target *t, uint32_t grid[3], uint32_t *launches);

    /* The kernel that runs after k for this problem, or null (as the member may be): one that adds
     * up partial sums, say. It has the op's kernel arguments. */
    const struct fly_kernel *(*second)(const struct fly_kernel *k, const struct fly_problem *p,
                                       const struct fly_target *t);

    uint64_t (*workspace)(const struct fly_kernel *k, const struct fly_problem *p,
                          const struct fly_target *t);

    /* Microseconds that k takes by the op's bound model, and the resource that limits it. Null: the
     * op has no model. */
    double (*model)(const struct fly_kernel *k, const struct fly_problem *p,
                    const struct fly_target *t, const char **bound);

    /* What else a plan says of k for p, in words. May be null: nothing. */
    const char *(*note)(const struct fly_kernel *k, const struct fly_problem *p,
                        const struct fly_target *t);

    /* Bytes the problem must move at least: reads and writes of the large tensors, parameters
     * apart. */
    void (*ideal_bytes)(const struct fly_problem *p, uint64_t *data, uint64_t *params);

    /* The public call and its plan, made from a problem and device pointers in operand order (null
     * where absent). workspace may be null when the op has none. */
    flyStatus_t (*run)(flyHandle_t h, const struct fly_problem *p,
                       void *const ptr[FLY_MAX_OPERANDS], void *workspace,
                       uint64_t workspace_bytes);
    flyStatus_t (*plan)(flyHandle_t h, const struct fly_problem *p,
                        void *const ptr[FLY_MAX_OPERANDS], flyPlan_t *plan);
};

/* Ids and the table: the order of fly_ops in meson.build. */
enum fly_op_id {
#define FLY_OP(name) FLY_OP_##name,
#include "ops.inc"
    FLY_OP_COUNT
};
extern const struct fly_op *const fly_op_table[FLY_OP_COUNT];
#define FLY_OP(name) extern const struct fly_op fly_op_##name;
#include "ops.inc"

const struct fly_op *fly_op_find(const char *name); /* null: no such op */

/* The op's index of a field by name, or -1. */
int fly_field_index(const struct fly_op *op, const char *name);

/* Every field at its default (REQUIRED ones 0), types as given. */
void fly_problem_init(const struct fly_op *op, const uint8_t types[3], struct fly_problem *p);

/* Reads `text`; fields may come in any order. On failure returns INVALID_VALUE and a sentence in
 * `message`. */
flyStatus_t fly_problem_parse(const char *text, struct fly_problem *p, char *message, size_t bytes);

/* Prints the canonical text; returns its length, as snprintf does. */
int fly_problem_print(const struct fly_problem *p, char *text, size_t bytes);

/* Total order and equality over op, types and fields. */
int fly_problem_compare(const struct fly_problem *a, const struct fly_problem *b);

/* From the first to past the last byte an operand covers, 0 when it is empty or absent. */
uint64_t fly_operand_bytes(const struct fly_operand *o);

/* f32 <-> the value of a FLOAT field. */
int64_t fly_field_from_float(float f);
float fly_field_to_float(int64_t v);

#endif
