/* SPDX-License-Identifier: MIT */
/* flygen: writes libfly's GPU kernels and the registry of what there is. */
#include "emit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] = "usage: flygen COMMAND\n"
                            "  list [ARCH]            names of all kernels (of one arch)\n"
                            "  emit NAME              source of one kernel\n"
                            "  emit-module MODULE ARCH  source of a module's kernels for one arch\n"
                            "  emit-all DIR [ARCH]    source of every kernel (of one arch), DIR/NAME.hip each\n"
                            "  registry OP            the registry file of an op\n"
                            "  explain NAME           what a kernel is and takes\n";

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "flygen: %s %s\n", what, name);
    return 1;
}

/* Prints and frees b. */
static int print(struct kg_buf *b, bool good)
{
    if (good && b->size)
        good = fwrite(b->text, 1, b->size, stdout) == b->size && !fflush(stdout);
    kg_buf_free(b);
    return good ? 0 : 1;
}

static void list_one(const struct kg_spec *s, void *with)
{
    char name[KG_NAME_MAX + 1];
    if (with && s->arch != with)
        return;
    kg_spec_name(s, name);
    puts(name);
}

struct search {
    const char *name;
    struct kg_spec found;
    bool any;
};

static void match(const struct kg_spec *s, void *with)
{
    struct search *q = with;
    char name[KG_NAME_MAX + 1];
    kg_spec_name(s, name);
    if (!strcmp(name, q->name)) {
        q->found = *s;
        q->any = true;
    }
}

static int emit_one(const char *name)
{
    struct search q = {.name = name};
    struct kg_buf out = {0};
    kg_spec_all(match, &q);
    if (!q.any)
        return fail("there is no kernel", name);
    bool good = kg_emit_kernel(&out, &q.found);
    return print(&out, good);
}

static int emit_module(const char *module, const char *arch)
{
    struct kg_buf out = {0};
    const struct kg_arch *a = kg_arch_find(arch);
    if (!a)
        return fail("there is no arch", arch);
    bool good = kg_emit_module(&out, module, a);
    return print(&out, good);
}

struct folder {
    const char *path;
    const struct kg_arch *arch; /* only this one's, or null */
    bool failed;
};

static void emit_file(const struct kg_spec *s, void *with)
{
    struct folder *f = with;
    struct kg_buf out = {0}, path = {0};
    char name[KG_NAME_MAX + 1];
    if (f->arch && s->arch != f->arch)
        return;
    kg_spec_name(s, name);
    kg_buf_printf(&path, "%s/%s.hip", f->path, name);
    bool good = kg_emit_kernel(&out, s);
    FILE *file = good ? fopen(path.text, "w") : NULL;
    if (file) {
        good = fwrite(out.text, 1, out.size, file) == out.size;
        good = !fclose(file) && good;
    }
    if (!file || !good) {
        fail("cannot write", path.text);
        f->failed = true;
    }
    kg_buf_free(&out);
    kg_buf_free(&path);
}

static int registry(const char *op)
{
    struct kg_buf out = {0};
    for (unsigned i = 0; i < kg_op_count; i++) {
        if (!strcmp(kg_ops[i]->name, op)) {
            bool good = kg_emit_registry(&out, kg_ops[i]);
            return print(&out, good);
        }
    }
    return fail("there is no op", op);
}

static int explain(const char *name)
{
    struct search q = {.name = name};
    kg_spec_all(match, &q);
    if (!q.any)
        return fail("there is no kernel", name);
    const struct kg_spec *s = &q.found;
    char text[KG_NAME_MAX + 1];
    struct kg_buf told = {0};
    const char *why = s->op->legal(s);
    s->op->explain(&told, s);
    printf("%s\n", name);
    printf("  op        %s\n", s->op->name);
    printf("  types     in %s, weight %s, out %s\n", kg_dtypes[s->in].token,
           kg_dtypes[s->weight].token, kg_dtypes[s->out].token);
    printf("  arch      %s (%s, wave %u)\n", s->arch->name, kg_arch_folder(s->arch), s->arch->wave);
    kg_spec_module(s, text);
    printf("  module    %s\n", text);
    kg_spec_tile(s, text);
    printf("  tile      %s: %s\n", text, told.text);
    printf("  block     %u\n", kg_spec_block(s));
    printf("  arguments %u bytes\n", kg_args_size(s));
    for (unsigned i = 0; i < kg_spec_args(s); i++)
        printf("    %3u  %s\n", kg_arg_offset(s->op, i), s->op->args[i].name);
    printf("  legal     %s\n", why ? why : "yes");
    kg_buf_free(&told);
    return why ? 1 : 0;
}

int main(int argc, char **argv)
{
    const char *command = argc > 1 ? argv[1] : "";
    if (!strcmp(command, "list") && argc <= 3) {
        const struct kg_arch *a = argc == 3 ? kg_arch_find(argv[2]) : NULL;
        if (argc == 3 && !a)
            return fail("there is no arch", argv[2]);
        kg_spec_all(list_one, (void *)a);
        return 0;
    }
    if (!strcmp(command, "emit") && argc == 3)
        return emit_one(argv[2]);
    if (!strcmp(command, "emit-module") && argc == 4)
        return emit_module(argv[2], argv[3]);
    if (!strcmp(command, "emit-all") && (argc == 3 || argc == 4)) {
        struct folder f = {argv[2], argc == 4 ? kg_arch_find(argv[3]) : NULL, false};
        if (argc == 4 && !f.arch)
            return fail("there is no arch", argv[3]);
        kg_spec_all(emit_file, &f);
        return f.failed;
    }
    if (!strcmp(command, "registry") && argc == 3)
        return registry(argv[2]);
    if (!strcmp(command, "explain") && argc == 3)
        return explain(argv[2]);
    fputs(usage, stderr);
    return 2;
}
