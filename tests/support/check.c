/* SPDX-License-Identifier: MIT */
/* Buffers, poison, launch and comparison of one problem; see check.h. */
#include "check.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/handle.h"
#include "fill.h"
#include "num.h"
#include "par.h"

enum {
    ALIGN = 256,     /* element 0 of an unshifted operand */
    GUARD = 4096,    /* bytes before and after an operand */
    NAN_POISON = 0xff /* every float type reads this as NaN */
};

const char *check_outcome_name(enum check_outcome o)
{
    static const char *const name[] = {"PASS", "MARGINAL", "FAIL"};
    return name[o];
}

static void fail(struct check_result *r, const struct check_case *c, const char *what)
{
    char text[FLY_MAX_PROBLEM_TEXT] = "";
    r->outcome = CHECK_FAIL;
    if (c)
        fly_problem_print(&c->p, text, sizeof text);
    snprintf(r->message, sizeof r->message, "FAIL %s %s seed=%" PRIu64 " on %s: %.400s", text,
             c ? fill_name(c->opt.pattern) : "", c ? c->opt.seed : 0, c && c->d ? c->d->arch : "?", what);
}

static bool runtime_failed(struct check_result *r, const struct check_case *c, const char *what, int code)
{
    char line[400];
    if (code == 0)
        return false;
    snprintf(line, sizeof line, "%s: %s (%d)", what, c->d->rt->text(c->d->rt, code), code);
    fail(r, c, line);
    return true;
}

bool check_open(struct check_device *d, int device, char *message, size_t bytes)
{
    struct fly_runtime *rt;
    memset(d, 0, sizeof *d);
    return fly_runtime_find(getenv("FLY_RUNTIME"), &rt, message, bytes) == FLY_STATUS_SUCCESS &&
           check_open_on(d, rt, device, message, bytes);
}

bool check_open_on(struct check_device *d, struct fly_runtime *rt, int device, char *message, size_t bytes)
{
    intptr_t saved; /* stays entered: allocations and copies of this thread go to this device */
    *d = (struct check_device){.rt = rt, .device = device};
    if (fly_create_on(rt, device, &d->handle) != FLY_STATUS_SUCCESS) {
        snprintf(message, bytes, "%s", flyErrorMessage(NULL));
        return false;
    }
    d->arch = flyArchName(d->handle);
    if (rt->device_enter(rt, device, &saved) != 0) {
        snprintf(message, bytes, "device %d cannot be made current", device);
        check_close(d);
        return false;
    }
    return true;
}

void check_close(struct check_device *d)
{
    if (d->handle)
        flyDestroy(d->handle);
    memset(d, 0, sizeof *d);
}

static bool is_output(const struct fly_operand *o)
{
    return o->role == FLY_OUT || o->role == FLY_INOUT;
}

/* An operand of rank 1 is one row; higher ranks are rows of their last dimension. */
static void shape_of(const struct fly_operand *o, int64_t *rows, int64_t *cols, int64_t *ld)
{
    *cols = o->rank > 0 ? o->shape[o->rank - 1] : 1;
    *rows = 1;
    for (int i = 0; i + 1 < o->rank; i++)
        *rows *= o->shape[i];
    *ld = o->rank > 1 ? o->stride[o->rank - 2] : *cols;
}

/* Matrices of an operand that lie apart by more than their rows; 1 where all rows are equally far apart. */
static int64_t matrices(const struct fly_operand *o)
{
    return o->rank == 3 && o->stride[0] != o->shape[1] * o->stride[1] ? o->shape[0] : 1;
}

static bool non_finite(int pattern)
{
    return pattern == FILL_SPECIAL || (pattern >= FILL_FINITE && pattern < FILL_PATTERNS);
}

/* Lengths of rows: from none of the columns to all of them, and a little beyond both. */
static void fill_lengths(const struct check_case *c, struct check_buffer *b, int64_t n)
{
    int64_t cols = c->p.v[fly_field_index(c->op, "cols")];
    for (int64_t i = 0; i < n; i++) {
        int32_t length = (int32_t)(fill_bits(c->opt.seed ^ 5, (uint64_t)i) % (uint64_t)(cols + 5)) - 2;
        memcpy(b->before + b->head + 4 * i, &length, 4);
    }
}

/* What flyPreshuffleB leaves zero: the 16-byte chunks beyond k in the last 64 bytes of each row of B. A KiB of
 * FLY_LAYOUT_B16 holds those of 16 rows, chunk after chunk. */
static void zero_padding_of_k(const struct check_case *c, struct check_buffer *b)
{
    const int64_t n = c->p.v[fly_field_index(c->op, "n")], batch = c->p.v[fly_field_index(c->op, "batch")];
    const int64_t bytes = (int64_t)num_bytes(b->o.dtype, c->p.v[fly_field_index(c->op, "k")]);
    const int64_t units = (bytes + 63) / 64, used = bytes % 64 * 16;
    for (int64_t j = 0; used && j < batch; j++)
        for (int64_t rows = 0; rows < (n + 15) / 16; rows++)
            memset(b->before + b->head + num_bytes(b->o.dtype, j * b->o.stride[0]) +
                       ((rows + 1) * units - 1) * 1024 + used, 0, (size_t)(1024 - used));
}

static bool prepare_buffer(struct check_case *c, uint32_t i, struct check_result *r)
{
    struct check_buffer *b = &c->b[i];
    struct fly_runtime *rt = c->d->rt;
    int64_t rows, cols, ld;
    bool output = is_output(&b->o);
    shape_of(&b->o, &rows, &cols, &ld);
    b->body = fly_operand_bytes(&b->o);
    b->head = (c->opt.exact && !output ? 0 : GUARD) + num_bytes(b->o.dtype, c->opt.shift[i]);
    b->bytes = b->head + b->body + (c->opt.exact && !output ? 0 : GUARD);
    if (b->bytes == 0) /* an empty operand still has an address */
        b->bytes = ALIGN;
    b->before = malloc(b->bytes);
    b->after = malloc(b->bytes);
    if (!b->before || !b->after) {
        fail(r, c, "out of host memory");
        return false;
    }
    /* NaN shows what was read or not written by mistake; where NaN is a right result it would hide it. */
    memset(b->before, non_finite(c->opt.pattern) && output ? 0x5a : NAN_POISON, b->bytes);
    if (b->o.role == FLY_PARAM && b->o.dtype == FLY_DTYPE_I32)
        fill_lengths(c, b, cols);
    else if (b->o.role == FLY_PARAM)
        fill_matrix(b->o.dtype, b->before + b->head, rows, cols, ld, FILL_NORMAL, c->opt.seed + 17 * (i + 1));
    else if (b->o.role != FLY_OUT)
        for (int64_t j = 0, all = matrices(&b->o); j < all; j++)
            fill_matrix(b->o.dtype, b->before + b->head + num_bytes(b->o.dtype, j * b->o.stride[0]), rows / all, cols,
                        ld, c->opt.pattern, c->opt.seed + (uint64_t)j);
    if (c->p.op == FLY_OP_gemm && !strcmp(b->o.name, "b"))
        zero_padding_of_k(c, b);
    if (runtime_failed(r, c, "allocating", rt->memory_alloc(rt, b->bytes, &b->device)) ||
        runtime_failed(r, c, "uploading", rt->memory_to_device(rt, b->device, b->before, b->bytes)))
        return false;
    c->ptr[i] = (char *)b->device + b->head;
    return true;
}

/* Index of the operand `name`, which the op must have. */
static int named(const struct check_case *c, const char *name)
{
    uint32_t i = 0;
    while (i < c->n && strcmp(c->b[i].o.name, name))
        i++;
    if (i == c->n)
        fprintf(stderr, "%s has no operand %s\n", c->op->name, name), abort();
    return (int)i;
}

bool check_prepare(struct check_case *c, const struct check_device *d, const struct fly_problem *p,
                   const struct check_options *opt, struct check_result *r)
{
    struct fly_operand o[FLY_MAX_OPERANDS];
    memset(c, 0, sizeof *c);
    memset(r, 0, sizeof *r);
    r->worst.operand = -1;
    c->d = d;
    c->p = *p;
    c->opt = *opt;
    c->op = fly_op_table[p->op];
    c->ref = ref_find(c->op->name);
    c->n = c->op->operands(p, o);
    int first_in = -1, first_out = -1, inputs = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        c->b[i].o = o[i];
        c->b[i].alias = -1;
        if (o[i].role == FLY_IN && o[i].present && inputs++ == opt->in_place_of)
            first_in = (int)i;
        if (o[i].role == FLY_OUT && first_out < 0)
            first_out = (int)i;
    }
    if (opt->in_place && first_in >= 0 && first_out >= 0)
        c->b[first_out].alias = first_in;
    if (opt->also.out)
        c->b[named(c, opt->also.out)].alias = named(c, opt->also.in);
    for (uint32_t i = 0; i < c->n; i++)
        if (o[i].present && c->b[i].alias < 0 && !prepare_buffer(c, i, r))
            return false;
    for (uint32_t i = 0; i < c->n; i++)
        if (o[i].present && c->b[i].alias >= 0)
            c->ptr[i] = c->ptr[c->b[i].alias];
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    if (c->op->plan(d->handle, p, c->ptr, &plan) == FLY_STATUS_SUCCESS && plan.workspace_bytes > 0) {
        c->workspace_bytes = plan.workspace_bytes;
        if (runtime_failed(r, c, "allocating workspace",
                           d->rt->memory_alloc(d->rt, c->workspace_bytes, &c->workspace)))
            return false;
    }
    return true;
}

void check_launch(struct check_case *c, struct check_result *r)
{
    r->status = c->op->run(c->d->handle, &c->p, c->ptr, c->workspace, c->workspace_bytes);
    if (r->status != FLY_STATUS_SUCCESS) {
        fail(r, c, flyErrorMessage(c->d->handle));
        return;
    }
    if (runtime_failed(r, c, "running", c->d->rt->device_sync(c->d->rt)))
        r->status = FLY_STATUS_RUNTIME_ERROR;
}

/* Bytes of `b` outside its elements that changed: offset from element 0, or INT64_MIN for none. */
static int64_t changed_outside(const struct check_buffer *b)
{
    int64_t rows, cols, ld;
    shape_of(&b->o, &rows, &cols, &ld);
    size_t es = num_bytes(b->o.dtype, 1), row = (size_t)cols * es, at = 0;
    int64_t each = rows / matrices(&b->o);
    for (int64_t r = 0; r <= rows; r++) {
        int64_t from = each < rows ? r / each * b->o.stride[0] + r % each * ld : r * ld;
        size_t end = r < rows ? b->head + (size_t)from * es : b->bytes;
        if (end > at && memcmp(b->before + at, b->after + at, end - at) != 0) {
            while (b->before[at] == b->after[at])
                at++;
            return (int64_t)at - (int64_t)b->head;
        }
        at = end + row;
    }
    return INT64_MIN;
}

static int64_t changed(const struct check_buffer *b)
{
    size_t at = 0;
    if (memcmp(b->before, b->after, b->bytes) == 0)
        return INT64_MIN;
    while (b->before[at] == b->after[at])
        at++;
    return (int64_t)at - (int64_t)b->head;
}

/* The rows a thread compares and what it found. */
struct comparison {
    struct check_case *c;
    struct ref_tensor t[FLY_MAX_OPERANDS];
    struct ref_worst worst[64];
    double *scratch[64];
    int64_t rows, step;
};

/* f32 sums of such a row overflow, so that its own results say nothing; these operations have no such sum. */
static bool overflows(const struct check_case *c, int64_t row)
{
    if (c->p.op == FLY_OP_quant || c->p.op == FLY_OP_softmax || c->p.op == FLY_OP_vecadd)
        return false;
    return fill_row_pattern(c->opt.pattern, c->opt.seed, row) == FILL_HUGE && c->p.types[0] != FLY_DTYPE_F16;
}

static void compare_rows(void *ctx, int64_t from, int64_t to, int thread)
{
    struct comparison *m = ctx;
    if (!m->scratch[thread]) {
        m->scratch[thread] = malloc(sizeof(double) * (size_t)(m->c->ref->scratch_doubles(&m->c->p) + 1));
        m->scratch[thread][0] = 0; /* what a reference keeps there for its next row is not there yet */
    }
    for (int64_t r = from; r < to; r++)
        if ((r % m->step == 0 || r == m->rows - 1) && !overflows(m->c, r)) /* the last may be sums over all */
            m->c->ref->compare(&m->c->p, m->t, r, r + 1, m->scratch[thread], &m->worst[thread]);
}

static void merge(struct ref_worst *into, const struct ref_worst *w)
{
    int64_t compared = into->compared + w->compared;
    double fraction = fmax(into->fraction, w->fraction);
    if (w->operand >= 0 && (into->operand < 0 || w->c > into->c || (w->c == into->c && w->fraction > into->fraction)))
        *into = *w;
    into->compared = compared;
    into->fraction = fraction;
}

static uint64_t hash_bytes(uint64_t h, const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) /* FNV-1a */
        h = (h ^ (unsigned char)p[i]) * 0x100000001b3u;
    return h;
}

/* Downloads everything, checks what must not have changed, and fills in the tensors of the reference. */
static bool collect(struct check_case *c, struct ref_tensor *t, struct check_result *r)
{
    struct fly_runtime *rt = c->d->rt;
    char line[300];
    r->hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < c->n; i++) {
        struct check_buffer *b = &c->b[i];
        t[i].o = b->o;
        if (!b->o.present)
            continue;
        bool overwritten = false; /* an input in whose place an output lies */
        for (uint32_t k = 0; k < c->n; k++)
            overwritten |= c->b[k].o.present && c->b[k].alias == (int)i;
        if (b->alias >= 0) {
            struct check_buffer *x = &c->b[b->alias];
            t[i].after = x->after + x->head;
            r->hash = hash_bytes(r->hash, x->after + x->head, x->body);
            continue;
        }
        if (runtime_failed(r, c, "downloading", rt->memory_to_host(rt, b->after, b->device, b->bytes)))
            return false;
        bool output = is_output(&b->o) || overwritten;
        int64_t at = output ? changed_outside(b) : changed(b);
        if (at != INT64_MIN) {
            snprintf(line, sizeof line, "%s %s changed at byte %" PRId64 " from its start, of %zu",
                     output ? "memory around output" : "input", b->o.name, at, b->body);
            fail(r, c, line);
            return false;
        }
        t[i].before = b->before + b->head;
        t[i].after = b->after + b->head;
        if (output)
            r->hash = hash_bytes(r->hash, b->after + b->head, b->body);
    }
    return true;
}

/* Factors below this may count as zero in the device's matrix products: the matrix unit of CDNA2 takes
 * subnormal 16-bit floats for zero (docs/arithmetic.md). */
static double flushed(const char *arch, unsigned dtype)
{
    const bool flushes = fly_arch_find(arch)->family == FLY_FAMILY_CDNA2;
    return flushes && (dtype == FLY_DTYPE_F16 || dtype == FLY_DTYPE_BF16) ? num_min_normal(dtype) : 0;
}

void check_compare(struct check_case *c, struct check_result *r)
{
    struct comparison m = {.c = c};
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    char text[FLY_MAX_PROBLEM_TEXT];
    if (!collect(c, m.t, r))
        return;
    if (!c->ref) {
        fail(r, c, "the op has no reference");
        return;
    }
    int64_t rows = c->ref->rows(&c->p);
    m.rows = rows;
    m.step = c->opt.max_rows > 0 && rows > c->opt.max_rows ? (rows + c->opt.max_rows - 1) / c->opt.max_rows : 1;
    for (int i = 0; i < 64; i++)
        m.worst[i].operand = -1;
    for (uint32_t i = 0; i < c->n; i++)
        m.t[i].flushed = flushed(c->d->arch, m.t[i].o.dtype);
    par_for(rows, 1 + 32768 / (1 + c->ref->scratch_doubles(&c->p)), compare_rows, &m);
    for (int i = 0; i < 64; i++) {
        merge(&r->worst, &m.worst[i]);
        free(m.scratch[i]);
    }
    const struct ref_worst *w = &r->worst;
    r->outcome = w->c > NUM_C ? CHECK_FAIL : w->c > NUM_C / 2 ? CHECK_MARGINAL : CHECK_PASS;
    fly_problem_print(&c->p, text, sizeof text);
    int n = snprintf(r->message, sizeof r->message,
                     "%s %s %s seed=%" PRIu64 " on %s%s%s: c=%.3g of %g, %.3g of the bound",
                     check_outcome_name(r->outcome), text, fill_name(c->opt.pattern), c->opt.seed, c->d->arch,
                     c->op->plan(c->d->handle, &c->p, c->ptr, &plan) == FLY_STATUS_SUCCESS ? " " : "",
                     plan.kernel ? plan.kernel : "", w->c, NUM_C, w->fraction);
    if (w->operand >= 0 && n > 0 && (size_t)n < sizeof r->message)
        snprintf(r->message + n, sizeof r->message - (size_t)n, "; %s[%" PRId64 ",%" PRId64 "] = %.9g, exact %.9g",
                 c->b[w->operand].o.name, w->i, w->j, w->got, w->exact);
}

void check_release(struct check_case *c)
{
    for (uint32_t i = 0; i < c->n; i++) {
        free(c->b[i].before);
        free(c->b[i].after);
        if (c->b[i].device)
            c->d->rt->memory_free(c->d->rt, c->b[i].device);
    }
    if (c->workspace)
        c->d->rt->memory_free(c->d->rt, c->workspace);
    memset(c, 0, sizeof *c);
}

void check_problem(const struct check_device *d, const struct fly_problem *p, const struct check_options *opt,
                   struct check_result *r)
{
    struct check_case c;
    if (check_prepare(&c, d, p, opt, r)) {
        check_launch(&c, r);
        if (r->status == FLY_STATUS_SUCCESS)
            check_compare(&c, r);
    }
    check_release(&c);
}
