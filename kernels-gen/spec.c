/* SPDX-License-Identifier: MIT */
/* Records, their names, and the arch and dtype tables; see spec.h. */
#include "spec.h"

#include <stdio.h>
#include <string.h>

#include "words.h"

static const char *const folders[] = {
    [KG_GFX9] = "gfx9", [KG_GFX11] = "gfx11", [KG_GFX12] = "gfx12", [KG_NVPTX] = "nvptx"};

const struct kg_arch kg_archs[] = {
#define FLY_ARCH(id_, name_, group_, family_, wave_, lds_, banks_, fp8_, generic_, cov_, caps_)    \
    {.id = #id_,                                                                                   \
     .name = name_,                                                                                \
     .group = KG_##group_,                                                                         \
     .family = KG_##family_,                                                                       \
     .wave = wave_,                                                                                \
     .lds = lds_,                                                                                  \
     .banks = banks_,                                                                              \
     .fp8 = KG_FP8_##fp8_,                                                                         \
     .generic = #generic_,                                                                         \
     .cov = cov_,                                                                                  \
     .caps = caps_},
#include "arch.inc"
#undef FLY_ARCH
};
const unsigned kg_arch_count = sizeof kg_archs / sizeof *kg_archs;

const struct kg_dtype kg_dtypes[KG_TYPES] = {
#define FLY_DTYPE(id_, value_, token_, bits_, kind_)                                               \
    [KG_##id_] = {.id = #id_, .token = token_, .bits = bits_},
#include "dtype.inc"
#undef FLY_DTYPE
};

#define KG_OP(name) extern const struct kg_op kg_op_##name;
KG_OPS
#undef KG_OP

const struct kg_op *const kg_ops[] = {
#define KG_OP(name) &kg_op_##name,
    KG_OPS
#undef KG_OP
};
const unsigned kg_op_count = sizeof kg_ops / sizeof *kg_ops;

const char *kg_arch_folder(const struct kg_arch *a)
{
    return folders[a->group];
}

const struct kg_arch *kg_arch_find(const char *name)
{
    for (unsigned i = 0; i < kg_arch_count; i++)
        if (!strcmp(kg_archs[i].name, name))
            return &kg_archs[i];
    return NULL;
}

void kg_spec_all(void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    for (unsigned o = 0; o < kg_op_count; o++)
        for (unsigned a = 0; a < kg_arch_count; a++)
            kg_ops[o]->variants(kg_ops[o], &kg_archs[a], visit, with);
}

/* bf16, or bf16_f32_bf16 when they differ: one token if all are equal, two for input and output,
 * three for activation, weight and output. */
static int types(const struct kg_spec *s, char *out, size_t room)
{
    const char *in = kg_dtypes[s->in].token;
    const char *weight = kg_dtypes[s->weight].token;
    const char *to = kg_dtypes[s->out].token;
    if (s->weight != s->in)
        return snprintf(out, room, "%s_%s_%s", in, weight, to);
    if (s->out != s->in)
        return snprintf(out, room, "%s_%s", in, to);
    return snprintf(out, room, "%s", in);
}

/* Vectors of 16 bytes of the input type go unsaid; other widths are a tag. */
void kg_spec_tile(const struct kg_spec *s, char out[KG_NAME_MAX + 1])
{
    const struct kg_rowwise *t = &s->tile;
    char tag[16] = "", waves[16] = "";
    if (s->op->tile) {
        s->op->tile(s, out, KG_NAME_MAX + 1);
        return;
    }
    if (t->cluster)
        snprintf(tag, sizeof tag, "_c%u", t->cluster);
    else if (t->vec * kg_dtypes[s->in].bits != 128)
        snprintf(tag, sizeof tag, "_e%u", t->vec);
    if (t->waves)
        snprintf(waves, sizeof waves, "_w%u", t->waves);
    snprintf(out, KG_NAME_MAX + 1, "r%ut%uv%u%s%s%s", t->rows, t->threads, t->vectors, tag,
             t->loop ? "_loop" : "", waves);
}

void kg_spec_name(const struct kg_spec *s, char out[KG_NAME_MAX + 1])
{
    char tile[KG_NAME_MAX + 1], operands[48];
    kg_spec_tile(s, tile);
    types(s, operands, sizeof operands);
    int n = snprintf(out, KG_NAME_MAX + 1, "%s_%s_", s->op->name, operands);
    for (const char *c = s->arch->name; *c && n < KG_NAME_MAX; c++)
        if (*c != '-')
            out[n++] = *c;
    snprintf(out + n, (size_t)(KG_NAME_MAX + 1 - n), "_%s", tile);
}

void kg_spec_module(const struct kg_spec *s, char out[KG_NAME_MAX + 1])
{
    char operands[48];
    types(s, operands, sizeof operands);
    snprintf(out, KG_NAME_MAX + 1, "%s_%s%s", s->op->family, operands, kg_spec_assembly(s) ? "_asm" : "");
}

unsigned kg_spec_max_cols(const struct kg_spec *s)
{
    return s->tile.loop ? 0 : s->tile.threads * s->tile.vectors * s->tile.vec;
}

bool kg_spec_two_ways(const struct kg_spec *s)
{
    return !kg_isa_of(s->arch)->any_alignment && s->tile.vec > 1 && !s->tile.sum;
}

bool kg_spec_assembly(const struct kg_spec *s)
{
    return s->op->assembly && s->op->assembly(s);
}

unsigned kg_spec_block(const struct kg_spec *s)
{
    return s->op->block ? s->op->block(s) : s->tile.rows * s->tile.threads / (s->tile.cluster ? s->tile.cluster : 1);
}

unsigned kg_arg_size(const struct kg_arg *a)
{
    return a->kind == KG_ARG_I32 || a->kind == KG_ARG_F32 ? 4 : 8;
}

unsigned kg_arg_offset(const struct kg_op *op, unsigned i)
{
    unsigned at = 0;
    for (unsigned k = 0;; k++) {
        unsigned size = kg_arg_size(&op->args[k]);
        at = (at + size - 1) / size * size;
        if (k == i)
            return at;
        at += size;
    }
}

unsigned kg_spec_args(const struct kg_spec *s)
{
    const unsigned all = s->op->arg_count;
    return s->op->args[all - 1].two_ways && !kg_spec_two_ways(s) ? all - 1 : all;
}

unsigned kg_args_size(const struct kg_spec *s)
{
    const unsigned last = kg_spec_args(s) - 1;
    return kg_arg_offset(s->op, last) + kg_arg_size(&s->op->args[last]);
}

struct digest {
    const char *module;
    uint64_t hash;
};

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static void digest_add(struct digest *d, const char *text)
{
    for (const char *c = text;; c++) {
        d->hash = (d->hash ^ (unsigned char)*c) * 0x100000001b3u;
        if (!*c)
            return;
    }
}

static void digest_record(const struct kg_spec *s, void *with)
{
    struct digest *d = with;
    char text[KG_NAME_MAX + 1];
    kg_spec_module(s, text);
    if (strcmp(text, d->module))
        return;
    kg_spec_name(s, text);
    digest_add(d, text);
    snprintf(text, sizeof text, "%u %u", kg_spec_block(s), kg_spec_max_cols(s));
    digest_add(d, text);
    for (unsigned i = 0; i < kg_spec_args(s); i++) {
        const struct kg_arg *a = &s->op->args[i];
        snprintf(text, sizeof text, "%s %d %u", a->name, a->kind, kg_arg_offset(s->op, i));
        digest_add(d, text);
    }
}

/* Records are constant, so each module's fingerprint is computed once. */
void kg_module_fingerprint(const char *module, char out[17])
{
    enum { MAX_MODULES = 128 };
    static struct {
        char module[KG_NAME_MAX + 1], hex[17];
    } known[MAX_MODULES];
    static unsigned count;
    for (unsigned i = 0; i < count; i++) {
        if (!strcmp(known[i].module, module)) {
            memcpy(out, known[i].hex, 17);
            return;
        }
    }
    struct digest d = {module, 0xcbf29ce484222325u};
    kg_spec_all(digest_record, &d);
    snprintf(out, 17, "%016llx", (unsigned long long)d.hash);
    if (count < MAX_MODULES) {
        snprintf(known[count].module, sizeof known[count].module, "%s", module);
        memcpy(known[count++].hex, out, 17);
    }
}
