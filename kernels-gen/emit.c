/* SPDX-License-Identifier: MIT */
/* Translation units and registry files; see emit.h. */
#include "emit.h"
#include "rowwise.h"

#include <stdio.h>
#include <string.h>

/* The kernel alone, without words; its LDS bytes to *lds. */
static bool body(struct kg_buf *out, const struct kg_spec *s, unsigned *lds)
{
    char name[KG_NAME_MAX + 1];
    kg_spec_name(s, name);
    const char *why = s->op->legal(s);
    if (why) {
        fprintf(stderr, "flygen: %s cannot exist: %s\n", name, why);
        return false;
    }
    struct kg g = {.copies = 1, .batch = 1};
    s->op->emit(&g, s);
    if (g.error[0])
        fprintf(stderr, "flygen: %s: %s\n", name, g.error);
    else if (g.lds > s->arch->lds)
        fprintf(stderr, "flygen: %s: %u bytes of LDS, %s has %u\n", name, g.lds, s->arch->name,
                s->arch->lds);
    else {
        struct kg_buf told = {0};
        s->op->explain(&told, s);
        kg_buf_printf(out, "/* %s */\n", told.text);
        kg_buf_add(out, g.out.text, g.out.size);
        kg_buf_free(&told);
    }
    bool done = !g.error[0] && g.lds <= s->arch->lds;
    if (lds)
        *lds = g.lds;
    kg_buf_free(&g.out);
    return done;
}

/* A file of one kernel in assembly. */
static void assembly_unit(struct kg_buf *out, const char *what, const struct kg_arch *a, const char *module,
                          const char *kernel)
{
    char hex[17];
    kg_module_fingerprint(module, hex);
    kg_buf_printf(out, "/* %s for %s, written by flygen. */\n\n", what, a->name);
    kg_buf_printf(out, ".amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n.amdhsa_code_object_version %u\n\n", a->name, a->cov);
    kg_buf_printf(out, "/* The module's fingerprint, compared with the registry when it is loaded. */\n");
    kg_buf_printf(out, ".section .rodata\n.globl fly_registry_%s\n.type fly_registry_%s, STT_OBJECT\n", hex, hex);
    kg_buf_printf(out, "fly_registry_%s: .byte 1\n.size fly_registry_%s, 1\n\n%s", hex, hex, kernel);
}

static void unit(struct kg_buf *out, const char *what, const struct kg_arch *a, const char *module,
                 const char *kernels)
{
    char hex[17];
    struct kg_buf all = {0};
    kg_module_fingerprint(module, hex);
    kg_buf_printf(&all,
                  "/* The module's fingerprint, compared with the registry when it is loaded. */\n"
                  "extern \"C\" __device__ __attribute__((used, visibility(\"default\")))\n"
                  "const unsigned char fly_registry_%s = 1;\n\n",
                  hex);
    kg_buf_printf(&all, "%s", kernels);
    kg_buf_printf(out, "/* %s for %s, written by flygen. */\n\n", what, a->name);
    kg_words_write(out, a, all.text);
    kg_buf_printf(out, "%s", all.text);
    kg_buf_free(&all);
}

bool kg_emit_kernel(struct kg_buf *out, const struct kg_spec *s)
{
    char name[KG_NAME_MAX + 1], module[KG_NAME_MAX + 1];
    struct kg_buf kernel = {0};
    kg_spec_name(s, name);
    kg_spec_module(s, module);
    bool done = body(&kernel, s, NULL);
    if (done && kg_spec_assembly(s))
        assembly_unit(out, name, s->arch, module, kernel.text);
    else if (done)
        unit(out, name, s->arch, module, kernel.text);
    kg_buf_free(&kernel);
    return done;
}

struct gather {
    struct kg_buf kernels;
    const char *module;
    const struct kg_arch *arch;
    bool failed, assembly;
};

static void gather_kernel(const struct kg_spec *s, void *with)
{
    struct gather *m = with;
    char module[KG_NAME_MAX + 1];
    kg_spec_module(s, module);
    if (s->arch != m->arch || strcmp(module, m->module))
        return;
    if (m->kernels.size)
        kg_buf_add(&m->kernels, "\n", 1);
    m->failed |= !body(&m->kernels, s, NULL);
    m->assembly = kg_spec_assembly(s);
}

bool kg_emit_module(struct kg_buf *out, const char *module, const struct kg_arch *a)
{
    struct gather m = {.module = module, .arch = a};
    kg_spec_all(gather_kernel, &m);
    if (!m.kernels.size && !m.failed) {
        fprintf(stderr, "flygen: there is no module %s\n", module);
        m.failed = true;
    }
    if (!m.failed && m.assembly)
        assembly_unit(out, module, a, module, m.kernels.text);
    else if (!m.failed)
        unit(out, module, a, module, m.kernels.text);
    kg_buf_free(&m.kernels);
    return !m.failed;
}

struct registry {
    struct kg_buf *out;
    struct kg_buf modules; /* names already listed, a space after each */
    bool failed;
};

static void registry_module(const struct kg_spec *s, void *with)
{
    struct registry *r = with;
    char module[KG_NAME_MAX + 2], hex[17];
    kg_spec_module(s, module);
    kg_module_fingerprint(module, hex);
    strcat(module, " ");
    if (r->modules.size && strstr(r->modules.text, module))
        return;
    kg_buf_printf(&r->modules, "%s", module);
    kg_buf_printf(r->out, "FLY_MODULE(%.*s, \"%s\")\n", (int)strlen(module) - 1, module, hex);
}

static void registry_kernel(const struct kg_spec *s, void *with)
{
    struct registry *r = with;
    const struct kg_rowwise *t = &s->tile;
    char name[KG_NAME_MAX + 1], module[KG_NAME_MAX + 1];
    struct kg_buf kernel = {0};
    unsigned lds = 0;
    r->failed |= !body(&kernel, s, &lds);
    kg_buf_free(&kernel);
    kg_spec_name(s, name);
    kg_spec_module(s, module);
    kg_buf_printf(r->out, "FLY_KERNEL(%s, %s, %s, %s, %s, %s, %u, %u, %u, ", name, s->arch->id,
                  kg_dtypes[s->in].id, s->op->weightless ? "NONE" : kg_dtypes[s->weight].id, kg_dtypes[s->out].id, module,
                  kg_spec_block(s), lds, kg_args_size(s));
    if (s->op->row)
        s->op->row(r->out, s);
    else
        kg_buf_printf(r->out,
                      ".cluster = %u, .resident = %u, .rowwise = {.rows = %u, .threads = %u, .vectors = %u, .vec = %u, .passes = "
                      "%u, .flags = %s%s, .max_cols = %u}",
                      t->cluster, t->cluster ? kg_row_resident(s) : 0, t->rows, t->threads, t->vectors, t->vec, t->loop ? 2 : 1,
                      t->waves || t->packed ? "FLY_ROWWISE_CANDIDATE" : kg_row_again(s) ? "FLY_ROWWISE_AGAIN" : "0",
                      kg_row_codes(s) ? " | FLY_ROWWISE_CODES" : "",
                      kg_spec_max_cols(s));
    kg_buf_printf(r->out, ")\n");
}

bool kg_emit_registry(struct kg_buf *out, const struct kg_op *op)
{
    static const char *const kinds[] = {[KG_ARG_IN] = "IN",
                                        [KG_ARG_OUT] = "OUT",
                                        [KG_ARG_I64] = "I64",
                                        [KG_ARG_I32] = "I32",
                                        [KG_ARG_F32] = "F32"};
    struct registry r = {.out = out};
    kg_buf_printf(
        out,
        "/*\n"
        " * The registry of %s, written by flygen. Define any of these before including it:\n"
        " *   FLY_KERNARG(op, name, offset, size, kind)  an argument of its kernels; kind IN, OUT "
        "(device\n"
        " *                                              pointers), I64, I32, F32\n"
        " *   FLY_MODULE(module, fingerprint)            a fat binary it is in\n"
        " *   FLY_KERNEL(name, arch, in, weight, out, module, block, lds, kernarg_bytes, "
        "fields...)\n"
        " * Within (arch, types) the last kernel takes any problem. A kernel takes rows of at "
        "least vec and,\n"
        " * unless it is 0, at most max_cols columns.\n"
        " */\n"
        "#ifndef FLY_KERNARG\n#define FLY_KERNARG(op, name, offset, size, kind)\n#endif\n"
        "#ifndef FLY_MODULE\n#define FLY_MODULE(module, fingerprint)\n#endif\n"
        "#ifndef FLY_KERNEL\n#define FLY_KERNEL(name, ...)\n#endif\n\n",
        op->name);
    for (unsigned i = 0; i < op->arg_count; i++)
        kg_buf_printf(out, "FLY_KERNARG(%s, %s, %u, %u, %s)\n", op->name, op->args[i].name,
                      kg_arg_offset(op, i), kg_arg_size(&op->args[i]), kinds[op->args[i].kind]);
    kg_buf_add(out, "\n", 1);
    for (unsigned a = 0; a < kg_arch_count; a++)
        op->variants(op, &kg_archs[a], registry_module, &r);
    kg_buf_add(out, "\n", 1);
    for (unsigned a = 0; a < kg_arch_count; a++)
        op->variants(op, &kg_archs[a], registry_kernel, &r);
    kg_buf_printf(out, "\n#undef FLY_KERNARG\n#undef FLY_MODULE\n#undef FLY_KERNEL\n");
    kg_buf_free(&r.modules);
    return !r.failed;
}
