/* SPDX-License-Identifier: MIT */
/*
 * flypack: packs the code objects of a module, one an arch, into a fat binary: a clang offload
 * bundle (LLVM, "Clang Offload Bundler"), compressed with zstd. clang-offload-bundler reads it and
 * hipModuleLoad takes it.
 *
 *     flypack FOLDER MODULE ARCH=FILE [ARCH=FILE]... [MODULE ARCH=FILE...]...
 *
 * Writes FOLDER/MODULE.hipfb for each module named.
 */
#include "core/md5.h"
#include "text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <utime.h>
#include <zstd.h>

enum { MAX_ENTRIES = 16, PAGE = 4096, LEVEL = 19 };

#define BUNDLE_MAGIC "__CLANG_OFFLOAD_BUNDLE__"
#define HOST_ID      "host-x86_64-unknown-linux-gnu-"
#define DEVICE_ID    "hipv4-amdgcn-amd-amdhsa--"

/* The header of a compressed bundle, version 3; the frame follows. */
enum { CCOB_VERSION = 3, CCOB_ZSTD = 1, CCOB_HEADER = 32, CCOB_HASH = 8 };

struct entry {
    char id[96];
    struct kg_buf data;
};

static int fail(const char *what, const char *name)
{
    fprintf(stderr, "flypack: %s %s%s%s\n", what, name, errno ? ": " : "",
            errno ? strerror(errno) : "");
    return 1;
}

static bool read_file(struct kg_buf *to, const char *path)
{
    char part[1 << 16];
    size_t n;
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    while ((n = fread(part, 1, sizeof part, f)) > 0)
        kg_buf_add(to, part, n);
    bool good = !ferror(f) && to->size;
    fclose(f);
    return good;
}

/* A number, low byte first. */
static void add_number(struct kg_buf *b, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        char c = (char)(v >> 8 * i);
        kg_buf_add(b, &c, 1);
    }
}

static void pad(struct kg_buf *b, size_t to)
{
    while (b->size < to)
        kg_buf_add(b, "", 1);
}

static size_t page_up(size_t n)
{
    return (n + PAGE - 1) / PAGE * PAGE;
}

/* The bundle: a table of offsets, then every entry on its own pages. The first, empty, is the
 * host's. */
static void bundle(struct kg_buf *b, const struct entry *e, unsigned count)
{
    size_t head = strlen(BUNDLE_MAGIC) + 8;
    for (unsigned i = 0; i < count; i++)
        head += 24 + strlen(e[i].id);
    kg_buf_add(b, BUNDLE_MAGIC, strlen(BUNDLE_MAGIC));
    add_number(b, count, 8);
    size_t at = page_up(head);
    for (unsigned i = 0; i < count; i++) {
        add_number(b, at, 8);
        add_number(b, e[i].data.size, 8);
        add_number(b, strlen(e[i].id), 8);
        kg_buf_add(b, e[i].id, strlen(e[i].id));
        at = page_up(at + e[i].data.size);
    }
    for (unsigned i = 0; i < count; i++) {
        pad(b, page_up(b->size));
        if (e[i].data.size)
            kg_buf_add(b, e[i].data.text, e[i].data.size);
    }
}

static bool compress(struct kg_buf *to, const struct kg_buf *from)
{
    uint8_t digest[16];
    size_t room = ZSTD_compressBound(from->size);
    char *frame = malloc(room);
    size_t size = frame ? ZSTD_compress(frame, room, from->text, from->size, LEVEL) : 0;
    bool good = frame && !ZSTD_isError(size);
    if (good) {
        fly_md5(from->text, from->size, digest);
        kg_buf_add(to, "CCOB", 4);
        add_number(to, CCOB_VERSION, 2);
        add_number(to, CCOB_ZSTD, 2);
        add_number(to, CCOB_HEADER + size, 8);
        add_number(to, from->size, 8);
        kg_buf_add(to, (const char *)digest, CCOB_HASH);
        kg_buf_add(to, frame, size);
    }
    free(frame);
    return good;
}

static int by_id(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->id, ((const struct entry *)b)->id);
}

static int pack(const char *folder, const char *module, char **files, int count)
{
    struct entry e[MAX_ENTRIES] = {{.id = HOST_ID}};
    struct kg_buf plain = {0}, packed = {0}, path = {0};
    int status = 1;
    FILE *f = NULL;
    if (count == 0 || count >= MAX_ENTRIES)
        return fail("wrong number of code objects for", module);
    for (int i = 0; i < count; i++) {
        const char *eq = strchr(files[i], '=');
        snprintf(e[i + 1].id, sizeof e[i + 1].id, DEVICE_ID "%.*s", (int)(eq - files[i]), files[i]);
        if (!read_file(&e[i + 1].data, eq + 1)) {
            status = fail("cannot read", eq + 1);
            goto out;
        }
    }
    qsort(e + 1, (size_t)count, sizeof *e, by_id);
    bundle(&plain, e, (unsigned)count + 1);
    errno = 0;
    if (!compress(&packed, &plain)) {
        status = fail("cannot compress", module);
        goto out;
    }
    kg_buf_printf(&path, "%s/%s.hipfb", folder, module);
    f = fopen(path.text, "wb");
    if (!f || fwrite(packed.text, 1, packed.size, f) != packed.size) {
        status = fail("cannot write", path.text);
        goto out;
    }
    status = 0;
out:
    if (f && fclose(f))
        status = fail("cannot write", path.text);
    for (int i = 0; i <= count; i++)
        kg_buf_free(&e[i].data);
    kg_buf_free(&plain);
    kg_buf_free(&packed);
    kg_buf_free(&path);
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 4 || strchr(argv[2], '=')) {
        fputs("usage: flypack FOLDER MODULE ARCH=FILE [ARCH=FILE]... [MODULE ARCH=FILE...]...\n",
              stderr);
        return 2;
    }
    const char *folder = argv[1];
    if (mkdir(folder, 0777) && errno != EEXIST)
        return fail("cannot make", folder);
    errno = 0;
    for (int i = 2; i < argc;) {
        const char *module = argv[i++];
        int first = i;
        while (i < argc && strchr(argv[i], '='))
            i++;
        if (pack(folder, module, argv + first, i - first))
            return 1;
    }
    /* The folder is a build target: its time says when it was made. */
    utime(folder, NULL);
    return 0;
}
