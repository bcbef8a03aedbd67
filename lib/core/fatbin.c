/* SPDX-License-Identifier: MIT */
/* Clang offload bundles, plain and compressed. */
#include "core/fatbin.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "core/md5.h"

static const char plain_magic[] =
    "__CLANG_OFFLOAD_BUNDLE__"; /* 24 bytes, no terminator in the file */
enum {
    PLAIN_MAGIC_BYTES = 24,
    PLAIN_HEADER_BYTES = 32, /* magic, u64 count */
    PLAIN_ENTRY_BYTES = 24,  /* u64 offset, size, id length; then the id */
    MAX_ID_BYTES = 256,
    ALIGNMENT = 4096 /* of code objects within a bundle, kept in memory */
};

static const char packed_magic[] = "CCOB";
enum { PACKED_ZLIB = 0, PACKED_ZSTD = 1, HASH_BYTES = 8 };

/* Where each version of the compressed header keeps its fields. Version 2 has 32-bit sizes. */
static const struct packed_layout {
    unsigned size_bytes;   /* width of both sizes */
    unsigned file_bytes;   /* offset of the file's size */
    unsigned bundle_bytes; /* offset of the uncompressed size */
    unsigned hash;         /* offset of the first 8 bytes of the bundle's MD5 */
    unsigned payload;
} packed[] = {
    [2] = {4, 8, 12, 16, 24},
    [3] = {8, 8, 16, 24, 32},
};

static uint64_t le(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << 8 * i;
    return v;
}

#define BAD(...) (snprintf(message, n, __VA_ARGS__), FLY_STATUS_BAD_KERNEL_FILE)

static flyStatus_t unpack(const uint8_t *data, size_t bytes, struct fly_fatbin *f, char *message,
                          size_t n)
{
    if (bytes < 8)
        return BAD("truncated: %zu bytes end inside the compressed header", bytes);
    unsigned version = (unsigned)le(data + 4, 2), method = (unsigned)le(data + 6, 2);
    if (version >= sizeof packed / sizeof *packed || !packed[version].payload)
        return BAD("compressed bundle of version %u; 2 and 3 are known", version);
    const struct packed_layout *l = &packed[version];
    if (bytes < l->payload)
        return BAD("truncated: %zu bytes end inside the compressed header", bytes);
    if (method != PACKED_ZSTD)
        return BAD(method == PACKED_ZLIB ? "compressed with zlib (method %u); only zstd is read"
                                         : "compression method %u is unknown",
                   method);
    uint64_t file = le(data + l->file_bytes, l->size_bytes);
    uint64_t size = le(data + l->bundle_bytes, l->size_bytes);
    if (file != bytes)
        return BAD("the header says %" PRIu64 " bytes, the file has %zu", file, bytes);
    if (size < PLAIN_HEADER_BYTES || size > FLY_FATBIN_MAX_BYTES)
        return BAD("uncompressed size %" PRIu64 " is not credible", size);
    if (ZSTD_getFrameContentSize(data + l->payload, bytes - l->payload) != size)
        return BAD("the zstd frame does not hold the %" PRIu64 " bytes of the header", size);
    void *buffer;
    if (posix_memalign(&buffer, ALIGNMENT, size)) {
        snprintf(message, n, "no memory for %" PRIu64 " bytes", size);
        return FLY_STATUS_OUT_OF_MEMORY;
    }
    size_t got = ZSTD_decompress(buffer, size, data + l->payload, bytes - l->payload);
    uint8_t digest[16];
    flyStatus_t status = FLY_STATUS_SUCCESS;
    if (ZSTD_isError(got) || got != size)
        status =
            BAD("zstd: %s", ZSTD_isError(got) ? ZSTD_getErrorName(got) : "the frame ends early");
    else if (fly_md5(buffer, size, digest), memcmp(digest, data + l->hash, HASH_BYTES))
        status = BAD("the check sum does not match: the file is corrupt");
    if (status != FLY_STATUS_SUCCESS) {
        free(buffer);
        return status;
    }
    f->data = buffer;
    f->bytes = size;
    f->owned = buffer;
    return status;
}

/* The target in an id "kind-triple--target": what follows the environment component of the triple
 * (arch-vendor-os-environment, the environment empty for amdgcn), or nothing for a foreign form. */
static void find_target(struct fly_fatbin_entry *e)
{
    const char *s = e->id, *end = e->id + e->id_bytes;
    for (int dashes = 0; s < end && dashes < 5; s++)
        dashes += *s == '-';
    e->target = s;
    e->target_bytes = (size_t)(end - s);
}

static flyStatus_t read_entries(struct fly_fatbin *f, char *message, size_t n)
{
    const uint8_t *data = f->data;
    size_t bytes = f->bytes;
    if (bytes < PLAIN_HEADER_BYTES)
        return BAD("truncated: %zu bytes end inside the bundle header", bytes);
    if (memcmp(data, plain_magic, PLAIN_MAGIC_BYTES))
        return BAD("no offload bundle: wrong magic");
    uint64_t count = le(data + PLAIN_MAGIC_BYTES, 8);
    if (count > FLY_FATBIN_MAX_ENTRIES)
        return BAD("%" PRIu64 " entries; at most %d are read", count, FLY_FATBIN_MAX_ENTRIES);
    size_t at = PLAIN_HEADER_BYTES;
    for (uint64_t i = 0; i < count; i++) {
        if (bytes - at < PLAIN_ENTRY_BYTES)
            return BAD("truncated: entry %" PRIu64 " starts beyond the end", i);
        uint64_t offset = le(data + at, 8), size = le(data + at + 8, 8),
                 length = le(data + at + 16, 8);
        at += PLAIN_ENTRY_BYTES;
        if (length == 0 || length > MAX_ID_BYTES || length > bytes - at)
            return BAD("entry %" PRIu64 ": an id of %" PRIu64 " bytes does not fit", i, length);
        struct fly_fatbin_entry e = {.id = (const char *)data + at, .id_bytes = length};
        at += length;
        if (offset > bytes || size > bytes - offset)
            return BAD("entry %.*s: bytes %" PRIu64 " + %" PRIu64 " lie beyond the end (%zu)",
                       (int)e.id_bytes, e.id, offset, size, bytes);
        e.data = data + offset;
        e.bytes = size;
        if (e.id_bytes >= 5 && !memcmp(e.id, "host-", 5))
            continue;
        find_target(&e);
        f->entry[f->nentries++] = e;
    }
    return FLY_STATUS_SUCCESS;
}

flyStatus_t fly_fatbin_open(const void *data, size_t bytes, struct fly_fatbin *f, char *message,
                            size_t n)
{
    flyStatus_t status = FLY_STATUS_SUCCESS;
    f->data = data;
    f->bytes = bytes;
    f->owned = NULL;
    f->nentries = 0;
    if (bytes >= 4 && !memcmp(data, packed_magic, 4))
        status = unpack(data, bytes, f, message, n);
    if (status == FLY_STATUS_SUCCESS)
        status = read_entries(f, message, n);
    if (status != FLY_STATUS_SUCCESS)
        fly_fatbin_close(f);
    return status;
}

const struct fly_fatbin_entry *fly_fatbin_find(const struct fly_fatbin *f, const char *arch)
{
    for (unsigned i = 0; i < f->nentries; i++)
        if (f->entry[i].target_bytes == strlen(arch) &&
            !memcmp(f->entry[i].target, arch, f->entry[i].target_bytes))
            return &f->entry[i];
    return NULL;
}

void fly_fatbin_close(struct fly_fatbin *f)
{
    free(f->owned);
    f->owned = NULL;
    f->data = NULL;
    f->bytes = 0;
    f->nentries = 0;
}

enum { EMPTY_FILE = ENODATA, NO_FILE = ENOTBLK }; /* errno of no system call here */

const char *fly_file_error(int error)
{
    return error == EMPTY_FILE ? "empty file" : error == NO_FILE ? "not a regular file" : strerror(error);
}

const void *fly_file_map(const char *path, size_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* does not wait for a FIFO's writer */
    if (fd < 0)
        return NULL;
    struct stat st;
    void *data = MAP_FAILED;
    if (fstat(fd, &st) == 0) {
        errno = !S_ISREG(st.st_mode) ? NO_FILE : st.st_size == 0 ? EMPTY_FILE : 0;
        if (!errno)
            data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    int error = errno;
    close(fd);
    errno = error;
    if (data == MAP_FAILED)
        return NULL;
    *bytes = (size_t)st.st_size;
    return data;
}

void fly_file_unmap(const void *data, size_t bytes)
{
    munmap((void *)data, bytes);
}
