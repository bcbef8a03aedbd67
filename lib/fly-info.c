/* SPDX-License-Identifier: MIT */
/* fly-info: what this libfly has, and what it finds on this machine. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fly/version.h>

#include "core/arch.h"
#include "core/dtype.h"
#include "core/env.h"
#include "core/fatbin.h"
#include "core/module.h"
#include "core/op.h"
#include "core/tune.h"
#include "ops/rowwise.h"
#include "runtime/runtime.h"

static const char usage[] =
    "fly-info                            devices, operations and kernel files\n"
    "fly-info ops                        operations with the fields of their problems\n"
    "fly-info variants [OP] [ARCH]       kernel variants\n"
    "fly-info --json                     everything, for programs\n"
    "fly-info extract MODULE ARCH FILE   write one code object (for sm80 and sm90a: KERNEL, its "
    "PTX)\n";

static const char *kernel_path(void)
{
    static char *folder;
    const char *path = fly_env(FLY_ENV_KERNEL_PATH);
    if (path)
        return path;
    if (!folder)
        folder = fly_kernel_folder();
    return folder ? folder : "";
}

/* What k demands of a problem; "" when nothing. */
static void limits_of(const struct fly_op *op, const struct fly_kernel *k, char text[128])
{
    *text = '\0';
    if (op->limits)
        op->limits(k, text, 128);
}

/* ---- JSON ---- */

static void json_text(const char *s)
{
    putchar('"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ')
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void json_member(const char *name, const char *value)
{
    printf("\"%s\": ", name);
    json_text(value);
}

static void json_types(const uint8_t types[3])
{
    printf("\"types\": [\"%s\", ", fly_dtype_token(types[0]));
    if (types[1])
        printf("\"%s\", ", fly_dtype_token(types[1]));
    printf("\"%s\"]", fly_dtype_token(types[2]));
}

static void json_tile(const struct fly_op *op, const struct fly_kernel *k)
{
    if (op->tile == FLY_TILE_ROWWISE) {
        const struct fly_rowwise_tile *t = &k->rowwise;
        printf("\"tile\": {\"rows\": %u, \"threads\": %u, \"vectors\": %u, \"vec\": %u, "
               "\"passes\": %u, "
               "\"flags\": %u}, \"max_cols\": %" PRId64,
               t->rows, t->threads, t->vectors, t->vec, t->passes, t->flags,
               fly_rowwise_max_cols(k));
    } else {
        const struct fly_gemm_tile *t = &k->gemm;
        printf("\"tile\": {\"m\": %u, \"n\": %u, \"k\": %u, \"waves_m\": %u, \"waves_n\": %u, "
               "\"depth\": %u, "
               "\"split_k\": %u, \"mfma\": %u, \"slices\": %u}",
               t->m, t->n, t->k, t->waves_m, t->waves_n, t->depth, t->split_k, t->mfma, t->slices);
    }
}

static void json_op(const struct fly_op *op)
{
    printf("    {");
    json_member("name", op->name);
    printf(", ");
    json_member("function", op->function);
    printf(",\n     \"registry\": {");
    for (unsigned a = 1; a < FLY_ARCH_COUNT; a++)
        printf("%s\"%s\": \"%016" PRIx64 "\"", a > 1 ? ", " : "", fly_arch_row(a)->name,
               fly_registry_fingerprint(op, fly_arch_row(a)));
    printf("},\n     \"fields\": [");
    for (uint32_t i = 0; i < op->nfields; i++) {
        const struct fly_field *f = &op->fields[i];
        printf("%s{\"name\": \"%s\", \"required\": %s, ", i ? ", " : "", f->name,
               f->flags & FLY_FIELD_REQUIRED ? "true" : "false");
        json_member("doc", f->doc ? f->doc : "");
        printf("}");
    }
    printf("],\n     \"types\": [");
    for (uint32_t i = 0; op->types[i][0]; i++) {
        printf("%s{", i ? ", " : "");
        json_types(op->types[i]);
        printf("}");
    }
    printf("],\n     \"kernargs\": [");
    for (uint32_t i = 0; i < op->nkernargs; i++) {
        const struct fly_kernarg *a = &op->kernargs[i];
        printf("%s{\"name\": \"%s\", \"offset\": %u, \"size\": %u, \"kind\": \"%s\"}",
               i ? ", " : "", a->name, a->offset, a->size, a->kind);
    }
    printf("],\n     \"modules\": [");
    for (uint32_t i = 0; i < op->nmodules; i++)
        printf("%s{\"name\": \"%s\", \"fingerprint\": \"%s\"}", i ? ", " : "", op->modules[i].name,
               op->modules[i].fingerprint);
    printf("],\n     \"variants\": [");
    for (uint32_t i = 0; i < op->nkernels; i++) {
        const struct fly_kernel *k = &op->kernels[i];
        char limits[128];
        limits_of(op, k, limits);
        printf("%s\n      {\"name\": \"%s\", \"arch\": \"%s\", ", i ? "," : "", k->name,
               fly_arch_row(k->arch)->name);
        json_types(k->types);
        printf(", \"module\": \"%s\", \"block\": [%u, 1, 1], \"lds\": %u, \"kernarg_bytes\": %u, ",
               op->modules[k->module].name, k->block, k->lds, k->kernarg_bytes);
        json_member("constraints", limits);
        printf(", ");
        json_tile(op, k);
        printf("}");
    }
    printf("\n     ]}");
}

static void json_archs(void)
{
    static const char *const fp8[] = {"none", "fnuz", "ocp"};
    for (unsigned i = 1; i < FLY_ARCH_COUNT; i++) {
        const struct fly_arch *a = fly_arch_row(i);
        printf("%s\n    {\"name\": \"%s\", \"group\": \"%s\", \"family\": \"%s\", \"wave\": %u, "
               "\"lds\": %u, "
               "\"fp8\": \"%s\"}",
               i > 1 ? "," : "", a->name, a->group, a->family_name, a->wave, a->lds, fp8[a->fp8]);
    }
}

/* Calls show for every device of the runtime; returns how many there are. */
static int each_device(struct fly_runtime *rt, void (*show)(int, const struct fly_device_info *))
{
    int count = 0;
    if (!rt || rt->device_count(rt, &count))
        return 0;
    for (int i = 0; i < count; i++) {
        struct fly_device_info info;
        if (!rt->device_info(rt, i, &info))
            show(i, &info);
    }
    return count;
}

static void json_device(int i, const struct fly_device_info *info)
{
    const struct fly_arch *a = fly_arch_find(info->arch);
    printf("%s\n    {\"device\": %d, ", i ? "," : "", i);
    json_member("name", info->name);
    printf(", ");
    json_member("reported", info->arch);
    printf(", \"arch\": ");
    if (a)
        json_text(a->name);
    else
        printf("null");
    printf(", \"cus\": %u, \"lds\": %u, \"memory\": %" PRIu64 "}", info->cus, info->lds_bytes,
           info->memory_bytes);
}

static int show_json(void)
{
    struct fly_runtime *rt;
    char why[1024] = "";
    flyStatus_t status = fly_runtime_find(fly_env(FLY_ENV_RUNTIME), &rt, why, sizeof why);
    printf("{\n  \"version\": \"%d.%d.%d\",\n  ", FLY_VERSION_MAJOR, FLY_VERSION_MINOR,
           FLY_VERSION_PATCH);
    json_member("kernel_path", kernel_path());
    printf(",\n  \"runtime\": ");
    if (status == FLY_STATUS_SUCCESS) {
        printf("{");
        json_member("name", rt->name);
        printf(", ");
        json_member("path", rt->path);
        printf("}");
    } else {
        printf("null,\n  ");
        json_member("runtime_error", why);
    }
    printf(",\n  \"devices\": [");
    each_device(rt, json_device);
    printf("],\n  \"archs\": [");
    json_archs();
    printf("],\n  \"ops\": [\n");
    for (unsigned i = 0; i < FLY_OP_COUNT; i++) {
        json_op(fly_op_table[i]);
        printf("%s\n", i + 1 < FLY_OP_COUNT ? "," : "");
    }
    printf("  ]\n}\n");
    return EXIT_SUCCESS;
}

/* ---- text ---- */

static void show_device(int i, const struct fly_device_info *info)
{
    const struct fly_arch *a = fly_arch_find(info->arch);
    printf("  %d  %-24s %s, %u CUs, kernels of %s\n", i, info->name, info->arch, info->cus,
           a ? a->name : "no arch libfly knows");
}

static void show_files(void)
{
    printf("\nkernel files in %s\n", kernel_path());
    for (unsigned i = 1; i < FLY_ARCH_COUNT; i++) {
        const struct fly_arch *a = fly_arch_row(i);
        unsigned present = 0, total = 0;
        for (unsigned o = 0; o < FLY_OP_COUNT; o++) {
            const struct fly_op *op = fly_op_table[o];
            for (uint32_t m = 0; m < op->nmodules; m++) {
                char file[1024];
                bool ptx = !strcmp(a->group, "nvptx");
                for (uint32_t j = 0; j < op->nkernels; j++) {
                    const struct fly_kernel *k = &op->kernels[j];
                    if (k->arch != a->id || k->module != m)
                        continue;
                    total++;
                    present += fly_kernel_file(kernel_path(), a->group,
                                               ptx ? k->name : op->modules[m].name,
                                               ptx ? "ptx" : "hipfb", file, sizeof file) &&
                               access(file, R_OK) == 0;
                }
            }
        }
        if (total)
            printf("  %-14s %4u variants, files for %u\n", a->name, total, present);
    }
}

static int show_summary(void)
{
    struct fly_runtime *rt;
    char why[1024];
    printf("libfly %d.%d.%d\n\n", FLY_VERSION_MAJOR, FLY_VERSION_MINOR, FLY_VERSION_PATCH);
    if (fly_runtime_find(fly_env(FLY_ENV_RUNTIME), &rt, why, sizeof why) != FLY_STATUS_SUCCESS)
        printf("%s\n", why);
    else
        printf("runtime %s (%s)\n", rt->name, rt->path);
    each_device(rt, show_device);
    printf("\noperations\n");
    for (unsigned i = 0; i < FLY_OP_COUNT; i++) {
        const struct fly_op *op = fly_op_table[i];
        printf("  %-14s %s, %u variants, %s:TYPES:", op->name, op->function, op->nkernels,
               op->name);
        for (uint32_t j = 0; j < op->nfields; j++)
            printf("%s%s=", j ? "," : "", op->fields[j].name);
        printf("\n");
    }
    show_files();
    return EXIT_SUCCESS;
}

/* A field's default, as the grammar writes it. */
static void print_default(const struct fly_op *op, const struct fly_field *f)
{
    if (f->flags & FLY_FIELD_REQUIRED)
        printf("required");
    else if (f->same_as >= 0)
        printf("as %s", op->fields[f->same_as].name);
    else if (f->kind == FLY_FIELD_FLOAT)
        printf("%g", (double)fly_field_to_float(f->fallback));
    else if (f->kind == FLY_FIELD_WORD)
        printf("%s", f->words[f->fallback]);
    else
        printf("%" PRId64, f->fallback);
}

static int show_ops(void)
{
    for (unsigned i = 0; i < FLY_OP_COUNT; i++) {
        const struct fly_op *op = fly_op_table[i];
        printf("%s%s (%s)\n  types  ", i ? "\n" : "", op->name, op->function);
        for (uint32_t j = 0; op->types[j][0]; j++) {
            const uint8_t *t = op->types[j];
            bool weight = t[1] && t[1] != t[0];
            printf(" %s", fly_dtype_token(t[0]));
            if (weight)
                printf(",%s", fly_dtype_token(t[1]));
            if (weight || t[2] != t[0])
                printf(",%s", fly_dtype_token(t[2]));
        }
        printf("\n");
        for (uint32_t j = 0; j < op->nfields; j++) {
            const struct fly_field *f = &op->fields[j];
            printf("  %-10s %s (", f->name, f->doc ? f->doc : "");
            print_default(op, f);
            printf(")\n");
        }
    }
    return EXIT_SUCCESS;
}

static int show_variants(const char *op_name, const char *arch)
{
    for (unsigned i = 0; i < FLY_OP_COUNT; i++) {
        const struct fly_op *op = fly_op_table[i];
        if (op_name && strcmp(op_name, op->name))
            continue;
        for (uint32_t j = 0; j < op->nkernels; j++) {
            const struct fly_kernel *k = &op->kernels[j];
            char limits[128];
            if (arch && strcmp(arch, fly_arch_row(k->arch)->name))
                continue;
            limits_of(op, k, limits);
            printf("%-56s block %4u  lds %6u  %s\n", k->name, k->block, k->lds, limits);
        }
    }
    return EXIT_SUCCESS;
}

/* ---- extract ---- */

static int write_file(const char *path, const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    bool ok = f && fwrite(data, 1, bytes, f) == bytes;
    if (f && fclose(f))
        ok = false;
    if (!ok)
        fprintf(stderr, "fly-info: %s: %s\n", path, strerror(errno));
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int extract(const char *module, const char *arch_name, const char *out)
{
    const struct fly_arch *arch = fly_arch_find(arch_name);
    if (!arch) {
        fprintf(stderr, "fly-info: %s: no arch of libfly\n", arch_name);
        return EXIT_FAILURE;
    }
    bool ptx = !strcmp(arch->group, "nvptx");
    char file[1024], why[512];
    size_t bytes;
    const void *data = NULL;
    if (fly_kernel_file(kernel_path(), arch->group, module, ptx ? "ptx" : "hipfb", file,
                        sizeof file))
        data = fly_file_map(file, &bytes);
    if (!data) {
        fprintf(stderr, "fly-info: %s: %s\n", file, fly_file_error(errno));
        return EXIT_FAILURE;
    }
    int rc = EXIT_FAILURE;
    struct fly_fatbin f;
    if (ptx) {
        rc = write_file(out, data, bytes);
    } else if (fly_fatbin_open(data, bytes, &f, why, sizeof why) != FLY_STATUS_SUCCESS) {
        fprintf(stderr, "fly-info: %s: %s\n", file, why);
    } else {
        const struct fly_fatbin_entry *e = fly_fatbin_find(&f, arch->name);
        if (e &&
            fly_code_object_check(e->data, e->bytes, NULL, why, sizeof why) != FLY_STATUS_SUCCESS)
            fprintf(stderr, "fly-info: %s: %s: %s\n", file, arch->name, why);
        else if (e)
            rc = write_file(out, e->data, e->bytes);
        else
            fprintf(stderr, "fly-info: %s: no entry for %s\n", file, arch->name);
        fly_fatbin_close(&f);
    }
    fly_file_unmap(data, bytes);
    return rc;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return show_summary();
    if (argc == 2 && !strcmp(argv[1], "--json"))
        return show_json();
    if (argc == 2 && !strcmp(argv[1], "ops"))
        return show_ops();
    if (argc >= 2 && argc <= 4 && !strcmp(argv[1], "variants")) {
        const char *op = argc > 2 ? argv[2] : NULL, *arch = argc > 3 ? argv[3] : NULL;
        if (op && !fly_op_find(op)) {
            fprintf(stderr, "fly-info: %s: no such operation\n", op);
            return EXIT_FAILURE;
        }
        return show_variants(op, arch);
    }
    if (argc == 5 && !strcmp(argv[1], "extract"))
        return extract(argv[2], argv[3], argv[4]);
    bool help = argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"));
    fputs(usage, help ? stdout : stderr);
    return help ? EXIT_SUCCESS : EXIT_FAILURE;
}
