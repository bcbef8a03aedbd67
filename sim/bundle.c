/* SPDX-License-Identifier: MIT */
/* Offload bundles and compressed bundles; see bundle.h. Lengths are checked against the file
 * first. */
#include "bundle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

static const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
enum { BUNDLE_MAGIC = 24, MAX_IMAGES = 1024 };
/* A bundle of every kernel of a group has a few MiB; this bounds what a forged header can ask
 * for. */
static const uint64_t max_unpacked = UINT64_C(1) << 30;

static uint64_t le(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;

    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

static bool fail(char *err, size_t n, const char *text)
{
    snprintf(err, n, "%s", text);
    return false;
}

/* "hipv4-amdgcn-amd-amdhsa--gfx942:xnack-" -> "gfx942:xnack-"; host entries give "". */
static void target_of(const char *id, char *target, size_t n)
{
    const char *t = strstr(id, "amdgcn-amd-amdhsa-");

    *target = 0;
    if (!t)
        return;
    t += strlen("amdgcn-amd-amdhsa-");
    while (*t == '-')
        t++;
    snprintf(target, n, "%s", t);
}

static bool read_entries(const uint8_t *d, size_t size, struct sim_bundle *out, char *err, size_t n)
{
    uint64_t count, at = BUNDLE_MAGIC + 8;

    if (size < at)
        return fail(err, n, "offload bundle: shorter than its header");
    count = le(d + BUNDLE_MAGIC, 8);
    if (count > MAX_IMAGES)
        return fail(err, n, "offload bundle: too many entries");
    out->images = calloc(count ? count : 1, sizeof *out->images);
    if (!out->images)
        return fail(err, n, "out of memory");
    for (uint64_t i = 0; i < count; i++) {
        struct sim_image *m = &out->images[out->nimages];
        uint64_t offset, length, id;

        if (size - at < 24)
            return fail(err, n, "offload bundle: entry table cut off");
        offset = le(d + at, 8);
        length = le(d + at + 8, 8);
        id = le(d + at + 16, 8);
        at += 24;
        if (id > size - at || id >= sizeof m->id)
            return fail(err, n, "offload bundle: entry name out of range");
        if (offset > size || length > size - offset)
            return fail(err, n, "offload bundle: entry lies outside the file");
        memcpy(m->id, d + at, id);
        m->id[id] = 0;
        at += id;
        target_of(m->id, m->target, sizeof m->target);
        m->data = d + offset;
        m->size = length;
        if (m->target[0] && length)
            out->nimages++;
    }
    return true;
}

static bool unpack(const uint8_t *d, size_t size, struct sim_bundle *out, size_t *unpacked,
                   char *err, size_t n)
{
    unsigned version, method, head;
    uint64_t total, full;
    size_t got;

    if (size < 8)
        return fail(err, n, "compressed bundle: shorter than its header");
    version = le(d + 4, 2);
    method = le(d + 6, 2);
    head = version == 1 ? 20 : version == 2 ? 24 : 32;
    if (version < 1 || version > 3)
        return fail(err, n, "compressed bundle: unknown version");
    if (size < head)
        return fail(err, n, "compressed bundle: shorter than its header");
    total = version == 1 ? size : version == 2 ? le(d + 8, 4) : le(d + 8, 8);
    full = version == 1 ? le(d + 8, 4) : version == 2 ? le(d + 12, 4) : le(d + 16, 8);
    if (method != 1)
        return fail(err, n, "compressed bundle: only zstd is supported");
    if (total < head || total > size)
        return fail(err, n, "compressed bundle: size field does not fit the file");
    if (full > max_unpacked || full < BUNDLE_MAGIC)
        return fail(err, n, "compressed bundle: unpacked size out of range");
    out->owned = malloc(full);
    if (!out->owned)
        return fail(err, n, "out of memory");
    got = ZSTD_decompress(out->owned, full, d + head, total - head);
    if (ZSTD_isError(got) || got != full)
        return fail(err, n, "compressed bundle: data is damaged");
    *unpacked = full;
    return true;
}

static bool is_elf(const uint8_t *d, size_t size)
{
    return size >= 64 && memcmp(d, "\177ELF", 4) == 0;
}

bool sim_bundle_open(const void *data, size_t size, struct sim_bundle *out, char *err,
                     size_t err_size)
{
    const uint8_t *d = data;

    memset(out, 0, sizeof *out);
    if (is_elf(d, size)) {
        const struct sim_family *f = sim_family_by_mach(d[48]);

        out->images = calloc(1, sizeof *out->images);
        if (!out->images)
            return fail(err, err_size, "out of memory");
        out->nimages = 1;
        out->images->data = d;
        out->images->size = size;
        snprintf(out->images->target, sizeof out->images->target, "%s", f ? f->name : "");
        return true;
    }
    if (size >= 4 && memcmp(d, "CCOB", 4) == 0) {
        if (!unpack(d, size, out, &size, err, err_size)) {
            sim_bundle_close(out);
            return false;
        }
        d = out->owned;
    }
    if (size < BUNDLE_MAGIC || memcmp(d, bundle_magic, BUNDLE_MAGIC) != 0) {
        sim_bundle_close(out);
        return fail(err, err_size, "neither a code object nor an offload bundle");
    }
    if (!read_entries(d, size, out, err, err_size)) {
        sim_bundle_close(out);
        return false;
    }
    return true;
}

void sim_bundle_close(struct sim_bundle *b)
{
    free(b->images);
    free(b->owned);
    memset(b, 0, sizeof *b);
}

const struct sim_image *sim_bundle_pick(const struct sim_bundle *b, const struct sim_family *f)
{
    const struct sim_image *generic = NULL;

    for (unsigned i = 0; i < b->nimages; i++) {
        const struct sim_family *m = sim_family_by_name(b->images[i].target);

        if (m == f)
            return &b->images[i];
        if (m && m->flags & SIM_GENERIC && m->isa == f->isa)
            generic = &b->images[i];
    }
    return generic;
}

size_t sim_image_size(const void *data)
{
    const uint8_t *d = data;
    size_t end = 0;

    if (memcmp(d, "\177ELF", 4) == 0) {
        uint64_t shoff = le(d + 40, 8), phoff = le(d + 32, 8);
        unsigned shnum = le(d + 60, 2), shsize = le(d + 58, 2);
        unsigned phnum = le(d + 56, 2), phsize = le(d + 54, 2);

        end = shoff + (uint64_t)shnum * shsize;
        for (unsigned i = 0; i < phnum; i++) {
            const uint8_t *p = d + phoff + (uint64_t)i * phsize;
            uint64_t e = le(p + 8, 8) + le(p + 32, 8);

            end = e > end ? e : end;
        }
        return end < 64 ? 64 : end;
    }
    if (memcmp(d, "CCOB", 4) == 0) {
        unsigned version = le(d + 4, 2);

        return version == 2 ? le(d + 8, 4) : version == 3 ? le(d + 8, 8) : 0;
    }
    if (memcmp(d, bundle_magic, BUNDLE_MAGIC) == 0) {
        uint64_t count = le(d + BUNDLE_MAGIC, 8), at = BUNDLE_MAGIC + 8;

        for (uint64_t i = 0; i < count && i < MAX_IMAGES; i++) {
            uint64_t e = le(d + at, 8) + le(d + at + 8, 8), id = le(d + at + 16, 8);

            at += 24 + id;
            end = e > end ? e : end;
        }
        return at > end ? at : end;
    }
    return 0;
}
