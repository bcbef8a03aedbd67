/* SPDX-License-Identifier: MIT */
/* The table of operations and the problem grammar, both read from the ops' field tables. */
#include "core/op.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/dtype.h"

const struct fly_op *const fly_op_table[FLY_OP_COUNT] = {
#define FLY_OP(name) [FLY_OP_##name] = &fly_op_##name,
#include "ops.inc"
};

const struct fly_op *fly_op_find(const char *name)
{
    for (unsigned i = 0; i < FLY_OP_COUNT; i++)
        if (!strcmp(fly_op_table[i]->name, name))
            return fly_op_table[i];
    return NULL;
}

int fly_field_index(const struct fly_op *op, const char *name)
{
    for (uint32_t i = 0; i < op->nfields; i++)
        if (!strcmp(op->fields[i].name, name))
            return (int)i;
    return -1;
}

int64_t fly_field_from_float(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

float fly_field_to_float(int64_t v)
{
    uint32_t bits = (uint32_t)v;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static int64_t default_of(const struct fly_op *op, uint32_t i, const struct fly_problem *p)
{
    const struct fly_field *f = &op->fields[i];
    return f->same_as >= 0 ? p->v[f->same_as] : f->fallback;
}

void fly_problem_init(const struct fly_op *op, const uint8_t types[3], struct fly_problem *p)
{
    memset(p, 0, sizeof *p);
    p->op = op->id;
    memcpy(p->types, types, sizeof p->types);
    p->nfields = op->nfields;
    for (uint32_t i = 0; i < op->nfields; i++)
        p->v[i] = default_of(op, i, p);
}

int fly_problem_compare(const struct fly_problem *a, const struct fly_problem *b)
{
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    for (int i = 0; i < 3; i++)
        if (a->types[i] != b->types[i])
            return a->types[i] < b->types[i] ? -1 : 1;
    for (uint32_t i = 0; i < a->nfields; i++)
        if (a->v[i] != b->v[i])
            return a->v[i] < b->v[i] ? -1 : 1;
    return 0;
}

uint64_t fly_operand_bytes(const struct fly_operand *o)
{
    if (!o->present)
        return 0;
    uint64_t last = 0;
    for (int i = 0; i < o->rank; i++) {
        if (o->shape[i] <= 0)
            return 0;
        last += (uint64_t)(o->shape[i] - 1) * (uint64_t)o->stride[i];
    }
    return fly_dtype_bytes(o->dtype, last + 1);
}

/* ---- printing ---- */

struct out {
    char *text;
    size_t bytes, length;
};

static void __attribute__((format(printf, 2, 3))) put(struct out *o, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    size_t at = o->length < o->bytes ? o->length : o->bytes;
    int n = vsnprintf(o->bytes ? o->text + at : NULL, o->bytes - at, format, args);
    va_end(args);
    if (n > 0)
        o->length += (size_t)n;
}

/* The shortest decimal that reads back as the same f32. */
static void put_float(struct out *o, float f)
{
    char text[40];
    for (int digits = 1; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)f);
        if (strtof(text, NULL) == f || f != f)
            break;
    }
    put(o, "%s", text);
}

int fly_problem_print(const struct fly_problem *p, char *text, size_t bytes)
{
    struct out o = {text, bytes, 0};
    if (bytes)
        *text = '\0';
    const struct fly_op *op = fly_op_table[p->op];
    const uint8_t *t = p->types;
    bool weight = t[1] != FLY_DTYPE_NONE && t[1] != t[0];
    put(&o, "%s:%s", op->name, fly_dtype_token(t[0]));
    if (weight)
        put(&o, ",%s", fly_dtype_token(t[1]));
    if (weight || t[2] != t[0])
        put(&o, ",%s", fly_dtype_token(t[2]));
    char separator = ':';
    for (uint32_t i = 0; i < op->nfields; i++) {
        const struct fly_field *f = &op->fields[i];
        if (!(f->flags & FLY_FIELD_REQUIRED) && p->v[i] == default_of(op, i, p))
            continue;
        put(&o, "%c%s=", separator, f->name);
        separator = ',';
        if (f->kind == FLY_FIELD_INT)
            put(&o, "%" PRId64, p->v[i]);
        else if (f->kind == FLY_FIELD_FLOAT)
            put_float(&o, fly_field_to_float(p->v[i]));
        else
            put(&o, "%s", f->words[p->v[i]]);
    }
    return (int)o.length;
}

/* ---- parsing ---- */

static flyStatus_t __attribute__((format(printf, 3, 4))) refuse(char *message, size_t bytes,
                                                                const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(message, bytes, format, args);
    va_end(args);
    return FLY_STATUS_INVALID_VALUE;
}

/* Reads the value of field f from the n characters at s. Returns null, or what is wrong. */
static const char *read_value(const struct fly_field *f, const char *s, size_t n, int64_t *v)
{
    char text[64];
    if (n == 0 || n >= sizeof text)
        return "is empty or too long";
    memcpy(text, s, n);
    text[n] = '\0';
    char *end;
    if (f->kind == FLY_FIELD_WORD) {
        for (int i = 0; f->words[i]; i++)
            if (!strcmp(f->words[i], text)) {
                *v = i;
                return NULL;
            }
        return "is not one of its words";
    }
    if (strchr(" \t\n\v\f\r", text[0]))
        return "starts with a space";
    if (f->kind == FLY_FIELD_FLOAT) {
        float value = strtof(text, &end);
        if (*end || !isfinite(value))
            return "is no finite number";
        *v = fly_field_from_float(value == 0 ? 0.0f : value);
        return NULL;
    }
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (*end || errno)
        return "is no 64-bit integer";
    if (value < f->min || value > f->max)
        return "is out of range";
    *v = value;
    return NULL;
}

static bool has_types(const struct fly_op *op, const uint8_t types[3])
{
    for (const uint8_t(*t)[3] = op->types; (*t)[0] != FLY_DTYPE_NONE; t++)
        if (!memcmp(*t, types, 3))
            return true;
    return false;
}

flyStatus_t fly_problem_parse(const char *text, struct fly_problem *p, char *message, size_t bytes)
{
    char name[32];
    size_t n = strcspn(text, ":");
    if (n == 0 || n >= sizeof name || text[n] != ':')
        return refuse(message, bytes, "'%.60s': want op:types:field=value,...", text);
    memcpy(name, text, n);
    name[n] = '\0';
    const struct fly_op *op = fly_op_find(name);
    if (!op)
        return refuse(message, bytes, "'%s': no such operation", name);

    const char *s = text + n + 1;
    uint8_t token[3] = {0};
    int ntokens = 0;
    for (;;) {
        n = strcspn(s, ",:");
        unsigned dtype = fly_dtype_find(s, n);
        if (dtype == FLY_DTYPE_NONE || ntokens == 3)
            return refuse(message, bytes, "%s: '%.*s': want types in[,weight],out", name,
                          (int)(n < 40 ? n : 40), s);
        token[ntokens++] = (uint8_t)dtype;
        s += n;
        if (*s != ',')
            break;
        s++;
    }
    uint8_t types[3] = {token[0], op->ntypes == 3 ? token[ntokens == 3 ? 1 : 0] : FLY_DTYPE_NONE,
                        token[ntokens - 1]};
    if (ntokens == 3 && op->ntypes < 3)
        return refuse(message, bytes, "%s: three types given, it has no weight", name);
    if (!has_types(op, types))
        return refuse(message, bytes, "%s: this combination of types does not exist", name);

    fly_problem_init(op, types, p);
    uint32_t given = 0;
    if (*s == ':')
        s++;
    while (*s) {
        n = strcspn(s, "=,");
        uint32_t i = 0;
        while (i < op->nfields &&
               (strlen(op->fields[i].name) != n || memcmp(op->fields[i].name, s, n)))
            i++;
        if (s[n] != '=' || i == op->nfields)
            return refuse(message, bytes, "%s: '%.*s': no such field", name, (int)(n < 40 ? n : 40),
                          s);
        if (given >> i & 1)
            return refuse(message, bytes, "%s: %s is given twice", name, op->fields[i].name);
        s += n + 1;
        n = strcspn(s, ",");
        const char *wrong = read_value(&op->fields[i], s, n, &p->v[i]);
        if (wrong)
            return refuse(message, bytes, "%s: %s = '%.*s' %s", name, op->fields[i].name,
                          (int)(n < 40 ? n : 40), s, wrong);
        given |= 1u << i;
        s += n;
        if (*s == ',' && !*++s)
            return refuse(message, bytes, "%s: a field must follow the last comma", name);
    }
    for (uint32_t i = 0; i < op->nfields; i++) {
        if (given >> i & 1)
            continue;
        if (op->fields[i].flags & FLY_FIELD_REQUIRED)
            return refuse(message, bytes, "%s: %s is missing", name, op->fields[i].name);
        p->v[i] = default_of(op, i, p);
    }
    const char *wrong = op->check(p);
    if (wrong)
        return refuse(message, bytes, "%s: %s", name, wrong);
    return FLY_STATUS_SUCCESS;
}
