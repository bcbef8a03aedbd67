/* SPDX-License-Identifier: MIT */
/*
 * The code objects of the build against the registry: every kernel is there, with the registry's
 * workgroup size, LDS and argument bytes and the arch's wave size, uses no scratch memory and
 * spills nothing; each code object carries its module's fingerprint and has the arch's version.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "bundle.h"
#include "codeobj.h"
#include "core/arch.h"
#include "core/op.h"

enum { ABI_V5 = 3, ABI_V6 = 4 };

static void *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    void *data = malloc(*size);
    cr_assert(data && fread(data, 1, *size, f) == *size, "cannot read %s", path);
    fclose(f);
    return data;
}

static unsigned check_object(const struct fly_op *op, unsigned module, const struct fly_arch *arch,
                             const struct sim_codeobj *o)
{
    char symbol[64];
    unsigned kernels = 0;
    const struct fly_module *m = &op->modules[module];
    snprintf(symbol, sizeof symbol, "fly_registry_%s", m->fingerprint);
    cr_expect_not_null(sim_codeobj_symbol(o, symbol), "%s for %s has no %s", m->name, arch->name,
                       symbol);
    cr_expect_eq(o->abi, arch->cov == 6 ? ABI_V6 : ABI_V5, "%s for %s", m->name, arch->name);
    for (unsigned i = 0; i < op->nkernels; i++) {
        const struct fly_kernel *k = &op->kernels[i];
        if (k->module != module || k->arch != arch->id)
            continue;
        const struct sim_kernel *s = sim_codeobj_kernel(o, k->name);
        kernels++;
        cr_assert_not_null(s, "%s is missing", k->name);
        cr_expect_eq(s->scratch, 0, "%s: %u bytes of scratch a lane", k->name, s->scratch);
        cr_expect_eq(s->vgpr_spills + s->sgpr_spills, 0, "%s: %u VGPRs and %u SGPRs spilled",
                     k->name, s->vgpr_spills, s->sgpr_spills);
        cr_expect_eq(s->lds, k->lds, "%s: LDS %u, registry %u", k->name, s->lds, k->lds);
        cr_expect_eq(s->kernarg, k->kernarg_bytes, "%s: arguments %u, registry %u", k->name,
                     s->kernarg, k->kernarg_bytes);
        cr_expect_eq(s->max_workgroup, k->block, "%s: workgroup %u, registry %u", k->name,
                     s->max_workgroup, k->block);
        cr_expect_eq(s->wave, arch->wave, "%s", k->name);
    }
    return kernels;
}

static void check_module(const struct fly_op *op, unsigned module, const char *group)
{
    char path[512], err[256];
    size_t size;
    struct sim_bundle bundle;
    snprintf(path, sizeof path, "%s/%s/%s.hipfb", getenv("FLY_KERNEL_PATH"), group,
             op->modules[module].name);
    void *data = read_file(path, &size);
    if (!data)
        return;
    cr_assert(sim_bundle_open(data, size, &bundle, err, sizeof err), "%s: %s", path, err);
    for (unsigned i = 0; i < bundle.nimages; i++) {
        const struct sim_image *image = &bundle.images[i];
        if (!image->target[0])
            continue;
        const struct fly_arch *arch = fly_arch_find(image->target);
        cr_assert_not_null(arch, "%s: %s is no arch", path, image->target);
        struct sim_codeobj *o = sim_codeobj_open(image->data, image->size, err, sizeof err);
        cr_assert_not_null(o, "%s: %s: %s", path, image->target, err);
        cr_expect_gt(check_object(op, module, arch, o), 0, "%s: nothing for %s", path, arch->name);
        sim_codeobj_close(o);
    }
    sim_bundle_close(&bundle);
    free(data);
}

Test(objects, agree_with_the_registry_and_spill_nothing)
{
    static const char *const groups[] = {"gfx9", "gfx11", "gfx12"};
    for (unsigned o = 0; o < FLY_OP_COUNT; o++)
        for (unsigned m = 0; m < fly_op_table[o]->nmodules; m++)
            for (unsigned g = 0; g < sizeof groups / sizeof *groups; g++)
                check_module(fly_op_table[o], m, groups[g]);
}

/* One file a kernel, which carries the fingerprint too. */
Test(objects, every_ptx_kernel_has_its_file)
{
    char path[512], symbol[64], entry[128];
    for (unsigned o = 0; o < FLY_OP_COUNT; o++) {
        const struct fly_op *op = fly_op_table[o];
        for (unsigned i = 0; i < op->nkernels; i++) {
            const struct fly_kernel *k = &op->kernels[i];
            size_t size;
            if (strcmp(fly_arch_row(k->arch)->group, "nvptx"))
                continue;
            snprintf(path, sizeof path, "%s/nvptx", getenv("FLY_KERNEL_PATH"));
            FILE *folder = fopen(path, "r");
            if (!folder)
                cr_skip("no PTX was built");
            fclose(folder);
            snprintf(path, sizeof path, "%s/nvptx/%s.ptx", getenv("FLY_KERNEL_PATH"), k->name);
            char *text = read_file(path, &size);
            cr_assert_not_null(text, "no %s", path);
            text[size - 1] = 0;
            snprintf(symbol, sizeof symbol, "fly_registry_%s", op->modules[k->module].fingerprint);
            snprintf(entry, sizeof entry, ".visible .entry %s(", k->name);
            cr_expect_not_null(strstr(text, symbol), "%s: no %s", path, symbol);
            cr_expect_not_null(strstr(text, entry), "%s: no entry", path);
            free(text);
        }
    }
}
