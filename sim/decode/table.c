/* SPDX-License-Identifier: MIT */
/*
 * The opcode tables as arrays: rows from the .inc files, their strings parsed once a table, and the
 * index from (format, code) to rows that decode.c walks.
 */
#include "decode/table.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ALL SIM_TARGET_ALL
#define GFX90A SIM_TARGET_GFX90A
#define GFX942 SIM_TARGET_GFX942
#define GFX950 SIM_TARGET_GFX950
#define GFX1100 SIM_TARGET_GFX1100
#define GFX1151 SIM_TARGET_GFX1151
#define GFX1200 SIM_TARGET_GFX1200
#define GFX1201 SIM_TARGET_GFX1201
#define GFX1250 SIM_TARGET_GFX1250
#define DPP SIM_ROW_DPP
#define DPP8 SIM_ROW_DPP8
#define SDWA SIM_ROW_SDWA
#define NEWBCAST SIM_ROW_NEWBCAST
#define OP(format_, code_, token_, form_, class_, targets_, lanes_, operands_, modifiers_,         \
           implicit_)                                                                              \
    {.format = SIM_FMT_##format_,                                                                  \
     .form = SIM_FORM_##form_,                                                                     \
     .cls = SIM_##class_,                                                                          \
     .targets = targets_,                                                                          \
     .lanes = lanes_,                                                                              \
     .code = code_,                                                                                \
     .token = SIM_OP_##token_,                                                                     \
     .operands = operands_,                                                                        \
     .modifiers = modifiers_,                                                                      \
     .implicit = implicit_},

static struct sim_opcode gfx9_rows[] = {
#include "decode/gfx9.inc"
};
static struct sim_opcode gfx11_rows[] = {
#include "decode/gfx11.inc"
};
static struct sim_opcode gfx12_rows[] = {
#include "decode/gfx12.inc"
};
static struct sim_opcode gfx1250_rows[] = {
#include "decode/gfx1250.inc"
};
#undef OP
#undef ALL
#undef GFX90A
#undef GFX942
#undef GFX950
#undef GFX1100
#undef GFX1151
#undef GFX1200
#undef GFX1201
#undef GFX1250
#undef DPP
#undef DPP8
#undef SDWA
#undef NEWBCAST

#define COUNT(a) (sizeof(a) / sizeof *(a))

static struct sim_table tables[SIM_ISA_COUNT] = {
    [SIM_ISA_GFX9] = {.rows = gfx9_rows, .nrows = COUNT(gfx9_rows)},
    [SIM_ISA_GFX11] = {.rows = gfx11_rows, .nrows = COUNT(gfx11_rows)},
    [SIM_ISA_GFX12] = {.rows = gfx12_rows, .nrows = COUNT(gfx12_rows)},
    [SIM_ISA_GFX1250] = {.rows = gfx1250_rows, .nrows = COUNT(gfx1250_rows)},
};

static const char *const op_names[] = {
    "",
#define SIM_TOKEN(name) #name,
#include "optokens.inc"
};

static const char *const field_names[] = {
    "",
#define SIM_FIELD(name) #name,
#include "decode/field.inc"
};

static const struct { const char *name; uint8_t type;
} type_names[] = {
    {"i16", SIM_T_I16},     {"i32", SIM_T_I32},     {"i64", SIM_T_I64},
    {"f16", SIM_T_F16},     {"bf16", SIM_T_BF16},   {"f32", SIM_T_F32},
    {"f64", SIM_T_F64},     {"v2f16", SIM_T_V2F16}, {"v2bf16", SIM_T_V2BF16},
    {"v2i16", SIM_T_V2I16}, {"v2f32", SIM_T_V2F32}, {"v2i32", SIM_T_V2I32},
};

static const struct { const char *name; uint8_t bit; } state_names[] = {
    {"SCC", SIM_STATE_SCC}, {"VCC", SIM_STATE_VCC}, {"EXEC", SIM_STATE_EXEC}, {"M0", SIM_STATE_M0},
    {"MODE", SIM_STATE_MODE}, {"FLAT_SCR", SIM_STATE_FLAT_SCR},
};

/* Widths a register operand may have. */
static bool width_ok(unsigned bits)
{
    return bits == 16 || (bits % 32 == 0 && bits > 0 && bits <= 1024);
}

static unsigned field_by_name(const char *s, size_t n)
{
    for (unsigned i = 1; i < COUNT(field_names); i++)
        if (strlen(field_names[i]) == n && memcmp(field_names[i], s, n) == 0)
            return i;
    return SIM_F_NONE;
}

/* `field access kinds bits .type`, as decode.h describes it; the message, or null. */
static const char *parse_operand(const char *s, size_t n, struct sim_slot *o)
{
    static const struct { char c; uint16_t kind;
    } kinds[] = {
        {'V', SIM_K_V}, {'A', SIM_K_A}, {'R', SIM_K_R}, {'S', SIM_K_S},
        {'I', SIM_K_I}, {'X', SIM_K_X}, {'L', SIM_K_L}, {'W', SIM_K_W},
        {'M', SIM_K_M}, {'N', SIM_K_N}, {'H', SIM_K_H},
    };
    size_t p = 0;

    while (p < n && !strchr("=+:", s[p]))
        p++;
    o->field = field_by_name(s, p);
    if (o->field < SIM_F_vdst || o->field > SIM_F_vcc)
        return "unknown operand field";
    if (p == n)
        return "operand without access";
    o->access = s[p] == '=' ? SIM_WRITE : s[p] == '+' ? SIM_READ | SIM_WRITE : SIM_READ;
    p++;
    for (bool hit = true; p < n && hit;) {
        hit = false;
        for (size_t k = 0; k < COUNT(kinds); k++)
            if (s[p] == kinds[k].c) {
                if (o->kinds & kinds[k].kind)
                    return "operand kind given twice";
                o->kinds |= kinds[k].kind;
                p++;
                hit = true;
                break;
            }
    }
    if (!o->kinds)
        return "operand without kind";
    while (p < n && s[p] >= '0' && s[p] <= '9')
        o->bits = o->bits * 10 + (s[p++] - '0');
    if (o->kinds & (SIM_K_M | SIM_K_N) ? o->bits != 0 : !width_ok(o->bits))
        return "bad operand width";
    if (p < n && s[p] == '.') {
        p++;
        for (size_t k = 0; k < COUNT(type_names); k++)
            if (strlen(type_names[k].name) == n - p && !memcmp(type_names[k].name, s + p, n - p))
                o->type = type_names[k].type;
        if (!o->type)
            return "unknown operand type";
        p = n;
    }
    if (o->kinds & SIM_K_M)
        o->type = SIM_T_MASK;
    return p == n ? NULL : "trailing characters in an operand";
}

/* `abs01 clamp`: a field name, or the stem of one and a digit for each. */
static const char *parse_modifier(const char *s, size_t n, uint64_t *accepts)
{
    unsigned f = field_by_name(s, n);
    size_t stem = n;

    if (f) {
        if (f >= SIM_F_vdst)
            return "not a modifier";
        *accepts |= UINT64_C(1) << f;
        return NULL;
    }
    while (stem > 0 && s[stem - 1] >= '0' && s[stem - 1] <= '9')
        stem--;
    if (stem == n || stem > 20)
        return "unknown modifier";
    for (size_t d = stem; d < n; d++) {
        char name[24];

        memcpy(name, s, stem);
        name[stem] = s[d];
        f = field_by_name(name, stem + 1);
        if (!f || f >= SIM_F_vdst)
            return "unknown modifier";
        *accepts |= UINT64_C(1) << f;
    }
    return NULL;
}

static const char *parse_state(const char *s, size_t n, bool *written, struct sim_opcode *o)
{
    if (n == 1 && *s == '>') {
        *written = true;
        return NULL;
    }
    for (size_t k = 0; k < COUNT(state_names); k++)
        if (strlen(state_names[k].name) == n && memcmp(state_names[k].name, s, n) == 0) {
            *(*written ? &o->writes : &o->reads) |= state_names[k].bit;
            return NULL;
        }
    return "unknown state";
}

const char *sim_row_parse(struct sim_opcode *o)
{
    const char *e = NULL;
    bool written = false;

    o->op = sim_op_base(o->token);
    o->nslots = o->reads = o->writes = 0;
    o->accepts = 0;
    memset(o->slot, 0, sizeof o->slot);
    for (const char *s = o->operands; !e && *s;) {
        size_t n = strcspn(s, " ");

        if (o->nslots == SIM_MAX_SLOTS)
            return "too many operands";
        e = parse_operand(s, n, &o->slot[o->nslots++]);
        s += n + (s[n] == ' ');
    }
    for (const char *s = o->modifiers; !e && *s;) {
        size_t n = strcspn(s, " ");

        e = parse_modifier(s, n, &o->accepts);
        s += n + (s[n] == ' ');
    }
    for (const char *s = o->implicit; !e && *s;) {
        size_t n = strcspn(s, " ");

        e = parse_state(s, n, &written, o);
        s += n + (s[n] == ' ');
    }
    if (!e && !o->targets)
        e = "row for no target";
    if (!e && o->code >= SIM_MAX_CODES)
        e = "opcode too large";
    return e;
}

const char *sim_row_error(const struct sim_opcode *o)
{
    struct sim_opcode copy = *o;

    return sim_row_parse(&copy);
}

const struct sim_opcode *sim_table_overlap(const struct sim_opcode *rows, size_t n,
                                           const struct sim_opcode **with)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (rows[i].format == rows[k].format && rows[i].code == rows[k].code &&
                rows[i].targets & rows[k].targets) {
                *with = &rows[k];
                return &rows[i];
            }
    return NULL;
}

static void build(struct sim_table *t)
{
    sim_fields_build(t);
    for (size_t i = t->nrows; i-- > 0;) {
        struct sim_opcode *o = &t->rows[i];

        if (sim_row_parse(o)) /* a test names the row; it never decodes */
            continue;
        o->next = t->first[o->format][o->code];
        t->first[o->format][o->code] = i + 1;
        sim_row_used(t, o);
    }
}

static void build_all(void)
{
    for (int i = 0; i < SIM_ISA_COUNT; i++) {
        tables[i].isa = i;
        build(&tables[i]);
    }
}

const struct sim_table *sim_table_get(enum sim_isa isa)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, build_all);
    return &tables[isa];
}

const struct sim_opcode *sim_isa_rows(enum sim_isa isa, size_t *n)
{
    const struct sim_table *t = sim_table_get(isa);

    *n = t->nrows;
    return t->rows;
}

const char *sim_op_name(unsigned token)
{
    return token < COUNT(op_names) ? op_names[token] : "";
}

unsigned sim_op_base(unsigned token)
{
    switch (token) {
#define SAME(alias, name)                                                                          \
    case SIM_OP_##alias:                                                                           \
        return SIM_OP_##name;
#include "decode/alias.inc"
    default:
        return token;
    }
}

int sim_opcode_text(const struct sim_opcode *o, char *buf, size_t n)
{
    const char *name = sim_op_name(o->token);

    if (o->form == SIM_FORM_dual)
        return snprintf(buf, n, "v_dual_%s", name + 2);
    return snprintf(buf, n, "%s%s", name,
                    o->form == SIM_FORM_e32 ? "_e32" : o->form == SIM_FORM_e64 ? "_e64" : "");
}
