/* SPDX-License-Identifier: MIT */
/*
 * The readers of bundles and code objects, on the kernel files of the build and on damaged copies of
 * them. (What a fuzzer might bring is in tests/fuzz.)
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bundle.h"
#include "codeobj.h"
#include "decode/decode.h"

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data;

    if (!f)
        cr_skip_test("this build has no kernels for gfx9");
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    data = malloc(*size);
    cr_assert_eq(fread(data, 1, *size, f), *size);
    fclose(f);
    return data;
}

static uint8_t *gfx9_kernels(size_t *size)
{
    return read_file(KERNELS "/gfx9/norm_f32.hipfb", size);
}

static void check_kernel(const struct sim_codeobj *o, const struct sim_kernel *k)
{
    struct sim_insn i;
    uint32_t end = 0;

    cr_expect(k->has_metadata, "%s has no metadata", k->name);
    cr_expect_eq(k->wave, o->family->wave, "%s: wave%u", k->name, k->wave);
    cr_expect_eq(k->entry % 256, 0, "%s: entry at %#llx", k->name, (unsigned long long)k->entry);
    cr_expect_geq(k->vgprs, k->vgpr_count, "%s: %u VGPRs allocated, %u used", k->name, k->vgprs,
                  k->vgpr_count);
    cr_expect_geq(k->max_workgroup, 1);
    cr_expect_gt(k->nargs, 0);
    for (unsigned a = 0; a < k->nargs; a++) {
        const struct sim_arg *arg = &k->args[a];

        cr_expect_neq(arg->kind, SIM_ARG_OTHER, "%s: argument %u is a %s", k->name, a,
                      arg->value_kind);
        cr_expect_geq(arg->offset, end, "%s: argument %u overlaps the one before", k->name, a);
        end = arg->offset + arg->size;
    }
    cr_expect_leq(end, k->kernarg, "%s: arguments end at %u of %u", k->name, end, k->kernarg);
    for (uint64_t at = k->entry; at < k->code_end; at += i.size) {
        const uint8_t *code = sim_codeobj_bytes(o, at, k->code_end - at);

        cr_assert_not_null(code);
        cr_assert(sim_decode_wave(o->family, k->wave, code, k->code_end - at, at, &i),
                  "%s: %#llx is not decoded", k->name, (unsigned long long)at);
    }
    cr_expect_eq(sim_codeobj_kernel(o, k->name), k);
}

Test(object, a_bundle_lists_its_targets_and_kernels)
{
    static const char *const targets[] = {"gfx90a", "gfx942", "gfx950"};
    size_t size;
    uint8_t *data = gfx9_kernels(&size);
    struct sim_bundle b;
    char err[200];

    cr_assert(sim_bundle_open(data, size, &b, err, sizeof err), "%s", err);
    cr_expect_eq(sim_image_size(data), size);
    for (size_t t = 0; t < 3; t++) {
        const struct sim_family *f = sim_family_by_name(targets[t]);
        const struct sim_image *m = sim_bundle_pick(&b, f);
        struct sim_codeobj *o;

        if (!m) /* a build of some targets only */
            continue;
        cr_expect_str_eq(m->target, targets[t]);
        cr_expect_eq(sim_image_size(m->data), m->size);
        o = sim_codeobj_open(m->data, m->size, err, sizeof err);
        cr_assert_not_null(o, "%s: %s", targets[t], err);
        cr_expect_eq(o->family, f);
        cr_expect_gt(o->nkernels, 0);
        for (unsigned k = 0; k < o->nkernels; k++)
            check_kernel(o, &o->kernels[k]);
        sim_codeobj_close(o);
    }
    cr_expect_null(sim_bundle_pick(&b, sim_family_by_name("gfx1100")));
    sim_bundle_close(&b);
    free(data);
}

Test(object, a_generic_image_serves_its_family)
{
    struct sim_image images[2] = {{.target = "gfx11-generic"}, {.target = "gfx1100"}};
    struct sim_bundle b = {.images = images, .nimages = 2};

    cr_expect_eq(sim_bundle_pick(&b, sim_family_by_name("gfx1100")), &images[1]);
    cr_expect_eq(sim_bundle_pick(&b, sim_family_by_name("gfx1151")), &images[0]);
    cr_expect_null(sim_bundle_pick(&b, sim_family_by_name("gfx1200")));
    cr_expect_null(sim_bundle_pick(&b, sim_family_by_name("gfx942")));
}

Test(object, damage_is_a_sentence)
{
    size_t size;
    uint8_t *data = gfx9_kernels(&size), *copy = malloc(size);
    struct sim_bundle b;
    char err[200];

    for (size_t n = 0; n < 64; n++) {
        *err = 0;
        cr_expect_not(sim_bundle_open(data, n, &b, err, sizeof err), "%zu bytes were enough", n);
        cr_expect_neq(*err, 0);
    }
    memcpy(copy, data, size);
    for (size_t at = 40; at < size; at += size / 50) { /* the compressed stream */
        copy[at] ^= 0x5a;
        if (sim_bundle_open(copy, size, &b, err, sizeof err)) {
            for (unsigned k = 0; k < b.nimages; k++)
                sim_codeobj_close(sim_codeobj_open(b.images[k].data, b.images[k].size, err,
                                                   sizeof err));
            sim_bundle_close(&b);
        }
        copy[at] = data[at];
    }
    memset(copy + 16, 0xff, 8); /* an unpacked size no file has */
    cr_expect_not(sim_bundle_open(copy, size, &b, err, sizeof err));
    cr_expect_not_null(strstr(err, "unpacked size"), "%s", err);
    free(copy);
    free(data);
}

Test(object, foreign_files_are_named)
{
    static const struct { uint8_t at, value; const char *says; } damage[] = {
        {0, 0, "not an ELF file"},        {4, 1, "64-bit"},
        {18, 62, "not an AMD GPU"},       {7, 0, "not an HSA"},
        {48, 0x2c, "does not know"},      {40, 0xff, "section table"},
        {32, 0xff, "program headers"},
    };
    size_t size;
    uint8_t *data = gfx9_kernels(&size);
    struct sim_bundle b;
    char err[200];
    uint8_t *copy;

    cr_assert(sim_bundle_open(data, size, &b, err, sizeof err), "%s", err);
    copy = malloc(b.images[0].size);
    for (size_t k = 0; k < sizeof damage / sizeof *damage; k++) {
        memcpy(copy, b.images[0].data, b.images[0].size);
        copy[damage[k].at] = damage[k].value;
        if (damage[k].at == 40 || damage[k].at == 32)
            memset(copy + damage[k].at, 0xff, 8);
        cr_expect_null(sim_codeobj_open(copy, b.images[0].size, err, sizeof err));
        cr_expect_not_null(strstr(err, damage[k].says), "%s", err);
    }
    free(copy);
    sim_bundle_close(&b);
    free(data);
}
