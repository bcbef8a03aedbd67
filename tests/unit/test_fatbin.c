/* SPDX-License-Identifier: MIT */
/* Kernel files: what a good one holds, and what each kind of bad one is called, up to the public
 * call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "core/fatbin.h"
#include "core/md5.h"
#include "fault.h"
#include "unit.h"

/* ---- bundles made by hand ---- */

static uint8_t bundle[1 << 16];
static size_t bundle_bytes;

static void put(uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        bundle[bundle_bytes++] = (uint8_t)(v >> 8 * i);
}

static void put_text(const char *s)
{
    memcpy(bundle + bundle_bytes, s, strlen(s));
    bundle_bytes += strlen(s);
}

/* A plain bundle with the host's entry and two devices', 16 bytes each. */
static void make_plain(void)
{
    static const char *const ids[] = {"host-x86_64-unknown-linux-gnu-",
                                      "hipv4-amdgcn-amd-amdhsa--gfx942",
                                      "hipv4-amdgcn-amd-amdhsa--gfx11-generic"};
    memset(bundle, 0, sizeof bundle);
    bundle_bytes = 0;
    put_text("__CLANG_OFFLOAD_BUNDLE__");
    put(3, 8);
    for (unsigned i = 0; i < 3; i++) {
        put(4096 * (i ? i : 1), 8);
        put(i ? 16 : 0, 8);
        put(strlen(ids[i]), 8);
        put_text(ids[i]);
    }
    memset(bundle + 4096, 'a', 16);
    memset(bundle + 8192, 'b', 16);
    bundle_bytes = 8192 + 16;
}

/* The same compressed, with a header of version 2 or 3. */
static uint8_t *make_packed(unsigned version, size_t *bytes)
{
    make_plain();
    size_t most = ZSTD_compressBound(bundle_bytes), head = version == 2 ? 24 : 32;
    uint8_t *out = malloc(head + most), digest[16], *plain = malloc(bundle_bytes);
    size_t n = bundle_bytes, packed = ZSTD_compress(out + head, most, bundle, bundle_bytes, 3);
    fly_md5(bundle, bundle_bytes, digest);
    memcpy(plain, bundle, n);
    bundle_bytes = 0;
    put_text("CCOB");
    put(version, 2);
    put(1, 2);
    put(head + packed, version == 2 ? 4 : 8);
    put(n, version == 2 ? 4 : 8);
    memcpy(bundle + bundle_bytes, digest, 8);
    memcpy(out, bundle, head);
    free(plain);
    *bytes = head + packed;
    return out;
}

static flyStatus_t open_bytes(const void *data, size_t bytes, char why[512])
{
    struct fly_fatbin f;
    flyStatus_t s = fly_fatbin_open(data, bytes, &f, why, 512);
    if (s == FLY_STATUS_SUCCESS)
        fly_fatbin_close(&f);
    return s;
}

Test(fatbin, md5_is_rfc_1321)
{
    static const struct {
        const char *text, *digest;
    } vectors[] = {
        {"", "d41d8cd98f00b204e9800998ecf8427e"},
        {"abc", "900150983cd24fb0d6963f7d28e17f72"},
        {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
        {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
         "d174ab98d277d9f5a5611c2c9f419d9f"},
        {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
         "57edf4a22be3c955ac49da2e2107b67a"},
    };
    for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint8_t digest[16];
        char text[33];
        fly_md5(vectors[i].text, strlen(vectors[i].text), digest);
        for (int j = 0; j < 16; j++)
            snprintf(text + 2 * j, 3, "%02x", digest[j]);
        cr_assert_str_eq(text, vectors[i].digest);
    }
}

Test(fatbin, plain_and_compressed_bundles_open)
{
    for (unsigned version = 0; version <= 3; version++) {
        size_t n = 0;
        uint8_t *packed = NULL;
        if (version == 1)
            continue;
        if (version)
            packed = make_packed(version, &n);
        else
            make_plain();
        struct fly_fatbin f;
        char why[512] = "";
        cr_assert_eq(fly_fatbin_open(packed ? packed : bundle, packed ? n : bundle_bytes, &f, why,
                                     sizeof why),
                     FLY_STATUS_SUCCESS, "%s", why);
        cr_assert_eq(f.nentries, 2, "the host's entry must not count");
        cr_assert_null(fly_fatbin_find(&f, "gfx950"));
        cr_assert_null(fly_fatbin_find(&f, "gfx94"));
        const struct fly_fatbin_entry *e = fly_fatbin_find(&f, "gfx942");
        cr_assert_not_null(e);
        cr_assert_eq(e->bytes, 16);
        cr_assert_eq(e->data[0], 'a');
        e = fly_fatbin_find(&f, "gfx11-generic");
        cr_assert_not_null(e);
        cr_assert_eq(e->data[15], 'b');
        fly_fatbin_close(&f);
        free(packed);
    }
}

static void refused(const void *data, size_t bytes, const char *because)
{
    char why[512] = "";
    cr_assert_eq(open_bytes(data, bytes, why), FLY_STATUS_BAD_KERNEL_FILE, "want '%s'", because);
    cr_assert(strstr(why, because), "want '%s' in: %s", because, why);
}

static void poke(size_t at, uint64_t v, unsigned bytes)
{
    make_plain();
    size_t whole = bundle_bytes;
    bundle_bytes = at;
    put(v, bytes);
    bundle_bytes = whole;
}

Test(fatbin, bad_plain_bundles_are_named)
{
    make_plain();
    refused(bundle, 0, "truncated");
    refused(bundle, 31, "truncated");
    refused(bundle, 40, "truncated");
    refused(bundle, 8192 + 15, "beyond the end");
    poke(0, 'x', 1);
    refused(bundle, bundle_bytes, "magic");
    poke(24, UINT64_MAX, 8);
    refused(bundle, bundle_bytes, "entries");
    poke(24, 64, 8);
    refused(bundle, bundle_bytes, "does not fit");
    poke(48, UINT64_MAX, 8);
    refused(bundle, bundle_bytes, "id of");
    size_t second = 32 + 24 + strlen("host-x86_64-unknown-linux-gnu-");
    poke(second, UINT64_MAX - 8, 8);
    refused(bundle, bundle_bytes, "beyond the end");
    poke(second + 8, UINT64_MAX, 8);
    refused(bundle, bundle_bytes, "beyond the end");
}

Test(fatbin, bad_compressed_bundles_are_named)
{
    for (unsigned version = 2; version <= 3; version++) {
        size_t n;
        uint8_t *good = make_packed(version, &n), *p = malloc(n);
#define BROKEN(at, value, because)                                                                 \
    do {                                                                                           \
        memcpy(p, good, n);                                                                        \
        p[at] = (uint8_t)(value);                                                                  \
        refused(p, n, because);                                                                    \
    } while (0)
        BROKEN(4, 9, "version 9");
        BROKEN(4, 1, "version 1");
        BROKEN(6, 0, "zlib");
        BROKEN(6, 7, "method 7");
        BROKEN(8, good[8] + 1, "the header says");
        BROKEN(version == 2 ? 12 : 16, good[version == 2 ? 12 : 16] + 1, "zstd frame");
        BROKEN(version == 2 ? 16 : 24, good[version == 2 ? 16 : 24] ^ 1, "check sum");
        for (size_t cut = 4; cut < n; cut++)
            refused(good, cut, "");
        free(good);
        free(p);
    }
}

/* ---- the files of the build ---- */

static const char *kernels(void)
{
    const char *path = getenv("FLY_KERNEL_PATH");
    if (!path || !*path)
        cr_skip("FLY_KERNEL_PATH names no kernels");
    return path;
}

static uint8_t *read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    cr_assert_not_null(f, "%s", path);
    fseek(f, 0, SEEK_END);
    *bytes = (size_t)ftell(f);
    rewind(f);
    uint8_t *data = malloc(*bytes);
    cr_assert_eq(fread(data, 1, *bytes, f), *bytes);
    fclose(f);
    return data;
}

static void write_file(const char *path, const void *data, size_t bytes)
{
    FILE *f = fopen(path, "wb");
    cr_assert_not_null(f, "%s", path);
    cr_assert_eq(fwrite(data, 1, bytes, f), bytes);
    fclose(f);
}

Test(fatbin, every_module_of_the_build_has_its_archs)
{
    const char *path = kernels();
    for (unsigned o = 0; o < FLY_OP_COUNT; o++) {
        const struct fly_op *op = fly_op_table[o];
        for (uint32_t i = 0; i < op->nkernels; i++) {
            const struct fly_kernel *k = &op->kernels[i];
            const struct fly_arch *a = fly_arch_row(k->arch);
            const struct fly_module *m = &op->modules[k->module];
            if (!strcmp(a->group, "nvptx") ||
                (i && k[-1].arch == k->arch && k[-1].module == k->module))
                continue;
            char file[1024], why[512] = "", symbol[128];
            snprintf(file, sizeof file, "%s/%s/%s.hipfb", path, a->group, m->name);
            size_t n;
            if (access(file, R_OK))
                continue; /* a build for other archs */
            uint8_t *data = read_file(file, &n);
            struct fly_fatbin f;
            cr_assert_eq(fly_fatbin_open(data, n, &f, why, sizeof why), FLY_STATUS_SUCCESS,
                         "%s: %s", file, why);
            const struct fly_fatbin_entry *e = fly_fatbin_find(&f, a->name);
            if (e) {
                snprintf(symbol, sizeof symbol, "fly_registry_%s", m->fingerprint);
                cr_assert_eq(fly_code_object_check(e->data, e->bytes, symbol, why, sizeof why),
                             FLY_STATUS_SUCCESS, "%s: %s: %s", file, a->name, why);
                cr_assert_eq(fly_code_object_check(e->data, e->bytes, k->name, why, sizeof why),
                             FLY_STATUS_SUCCESS, "%s: %s: %s", file, a->name, why);
                cr_assert_eq(
                    fly_code_object_check(e->data, e->bytes, "fly_registry_0", why, sizeof why),
                    FLY_STATUS_BAD_KERNEL_FILE);
            }
            fly_fatbin_close(&f);
            free(data);
        }
    }
}

/* A folder of our own with one kernel file, and what flyLayerNorm says about it. */
static char folder[64], file[128];

static void open_folder(void)
{
    strcpy(folder, "/tmp/fly-test-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/gfx9", folder);
    cr_assert_eq(mkdir(file, 0755), 0);
    snprintf(file, sizeof file, "%s/gfx9/norm_bf16.hipfb", folder);
    setenv("FLY_KERNEL_PATH", folder, 1);
}

static void close_folder(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    cr_assert_eq(system(command), 0);
}

static flyStatus_t call(const char *arch, char why[FLY_MAX_MESSAGE])
{
    struct fly_runtime *rt = fault_runtime();
    fly_runtime_null(arch, 304);
    rt->image = FLY_IMAGE_CODE_OBJECT;
    flyHandle_t h;
    flyLayerNormArgs_t a = unit_layernorm();
    cr_assert_eq(fly_create_on(rt, -1, &h), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(NULL));
    flyStatus_t s = flyLayerNorm(h, &a);
    strcpy(why, flyErrorMessage(h));
    cr_assert_eq(fault.launches, s == FLY_STATUS_SUCCESS);
    flyDestroy(h);
    cr_assert_eq(fault.modules, 0);
    return s;
}

Test(fatbin, the_call_names_file_and_fault)
{
    char source[1024], why[FLY_MAX_MESSAGE];
    snprintf(source, sizeof source, "%s/gfx9/norm_bf16.hipfb", kernels());
    if (access(source, R_OK))
        cr_skip("this build has no gfx9 kernels");
    size_t n;
    uint8_t *good = read_file(source, &n);

    open_folder();
    cr_assert_eq(call("gfx942", why), FLY_STATUS_NO_KERNELS);
    cr_assert(strstr(why, file) && strstr(why, "No such file") && strstr(why, "gfx9"), "%s", why);
    cr_assert_eq(call("gfx1100", why), FLY_STATUS_NO_KERNELS);
    cr_assert(strstr(why, "gfx11") && strstr(why, "gfx9"), "%s", why);

    write_file(file, good, n);
    cr_assert_eq(call("gfx942:sramecc+:xnack-", why), FLY_STATUS_SUCCESS, "%s", why);

    write_file(file, good, 0);
    cr_assert_neq(call("gfx942", why), FLY_STATUS_SUCCESS);
    write_file(file, good, n / 2);
    cr_assert_eq(call("gfx942", why), FLY_STATUS_BAD_KERNEL_FILE);
    cr_assert(strstr(why, file), "%s", why);
    good[n / 2] ^= 0x10;
    write_file(file, good, n);
    cr_assert_eq(call("gfx942", why), FLY_STATUS_BAD_KERNEL_FILE, "%s", why);
    good[n / 2] ^= 0x10;
    write_file(file, "#!/bin/sh\necho not a kernel file, but long enough for a header\n", 62);
    cr_assert_eq(call("gfx942", why), FLY_STATUS_BAD_KERNEL_FILE);
    cr_assert(strstr(why, "magic"), "%s", why);

    /* Another module's file: whole, for this arch, but of another registry. */
    snprintf(source, sizeof source, "%s/gfx9/norm_f32.hipfb", getenv("FLY_KERNEL_PATH_OF_BUILD"));
    if (!access(source, R_OK)) {
        size_t m;
        uint8_t *other = read_file(source, &m);
        write_file(file, other, m);
        cr_assert_eq(call("gfx942", why), FLY_STATUS_BAD_KERNEL_FILE);
        cr_assert(strstr(why, "another build"), "%s", why);
        free(other);
    }

    /* A file for other archs lists them. */
    make_plain();
    write_file(file, bundle, bundle_bytes);
    cr_assert_eq(call("gfx950", why), FLY_STATUS_NO_KERNELS);
    cr_assert(strstr(why, "gfx942") && strstr(why, "gfx11-generic"), "%s", why);
    cr_assert_eq(call("gfx942", why), FLY_STATUS_BAD_KERNEL_FILE);
    cr_assert(strstr(why, "code object"), "%s", why);
    close_folder();
    free(good);
}

Test(fatbin, the_first_folder_of_the_path_that_has_the_file_is_taken)
{
    char path[1200], found[1024];
    open_folder();
    write_file(file, "x", 1);
    snprintf(path, sizeof path, "/nosuchfolder::%s", folder);
    cr_assert(fly_kernel_file(path, "gfx9", "norm_bf16", "hipfb", found, sizeof found));
    cr_assert_str_eq(found, file);
    cr_assert(fly_kernel_file(path, "gfx9", "norm_f16", "hipfb", found, sizeof found));
    cr_assert_str_eq(found, "/nosuchfolder/gfx9/norm_f16.hipfb");
    cr_assert_not(fly_kernel_file("", "gfx9", "norm_f16", "hipfb", found, sizeof found));
    close_folder();
}

Test(fatbin, ptx_is_checked)
{
    static const char good[] =
        "//\n.version 7.8\n.target sm_80\n.visible .global .b8 fly_registry_12;\n";
    char why[512];
    cr_assert_eq(fly_ptx_check(good, sizeof good - 1, "fly_registry_12", why, sizeof why),
                 FLY_STATUS_SUCCESS);
    cr_assert_eq(fly_ptx_check(good, sizeof good - 1, "fly_registry_13", why, sizeof why),
                 FLY_STATUS_BAD_KERNEL_FILE);
    cr_assert_eq(fly_ptx_check(good, sizeof good, "fly_registry_12", why, sizeof why),
                 FLY_STATUS_BAD_KERNEL_FILE);
    cr_assert_eq(fly_ptx_check(good, 8, "fly_registry_12", why, sizeof why),
                 FLY_STATUS_BAD_KERNEL_FILE);
    cr_assert_eq(fly_ptx_check("", 0, NULL, why, sizeof why), FLY_STATUS_BAD_KERNEL_FILE);
}
