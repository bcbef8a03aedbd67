/* SPDX-License-Identifier: MIT */
/* Maps the file; a tensor is a pointer into the mapping, checked against its bounds. */
#include "safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "json.h"

int safetensors_open(struct safetensors *s, const char *path, char *error, size_t error_bytes)
{
    struct stat st;
    memset(s, 0, sizeof *s);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        snprintf(error, error_bytes, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    void *map = st.st_size >= 8 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (map == MAP_FAILED) {
        snprintf(error, error_bytes, "%s: too short for a safetensors file, or it cannot be mapped", path);
        return -1;
    }
    s->file = map;
    s->bytes = (size_t)st.st_size;
    uint64_t n = 0;
    for (int i = 7; i >= 0; i--)
        n = n << 8 | s->file[i];
    if (n > s->bytes - 8) {
        snprintf(error, error_bytes, "%s: its header is longer than the file", path);
        safetensors_close(s);
        return -1;
    }
    s->header = (const char *)s->file + 8;
    s->header_bytes = (size_t)n;
    return 0;
}

void safetensors_close(struct safetensors *s)
{
    if (s->file)
        munmap((void *)(uintptr_t)s->file, s->bytes);
    memset(s, 0, sizeof *s);
}

static size_t element_bytes(const char *dtype)
{
    static const struct {
        const char *name;
        size_t bytes;
    } known[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8}, {"I32", 4},
                 {"I16", 2}, {"I8", 1},  {"U8", 1},  {"BOOL", 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, dtype) == 0)
            return known[i].bytes;
    return 0;
}

/* One entry: {"dtype":"F32","shape":[30522,384],"data_offsets":[from,to]}. */
static int read_entry(const struct safetensors *s, struct json *j, struct tensor *t)
{
    char key[32];
    int64_t offset[2] = {-1, -1};
    memset(t, 0, sizeof *t);
    json_enter(j, '{');
    while (json_key(j, key, sizeof key)) {
        if (strcmp(key, "dtype") == 0) {
            json_string(j, t->dtype, sizeof t->dtype);
        } else if (strcmp(key, "shape") == 0) {
            json_enter(j, '[');
            while (json_item(j))
                if (t->rank == 8 || !json_integer(j, &t->shape[t->rank++]))
                    return -1;
        } else if (strcmp(key, "data_offsets") == 0) {
            int n = 0;
            json_enter(j, '[');
            while (json_item(j))
                if (n == 2 || !json_integer(j, &offset[n++]))
                    return -1;
        } else {
            json_skip(j);
        }
    }
    size_t data = 8 + s->header_bytes, room = s->bytes - data, want = element_bytes(t->dtype);
    if (j->bad || offset[0] < 0 || offset[1] < offset[0] || (uint64_t)offset[1] > room || want == 0)
        return -1;
    for (int i = 0; i < t->rank; i++)
        if (t->shape[i] < 0 || __builtin_mul_overflow(want, (size_t)t->shape[i], &want))
            return -1;
    t->data = s->file + data + offset[0];
    t->bytes = (size_t)(offset[1] - offset[0]);
    return want == t->bytes ? 0 : -1;
}

int safetensors_find(const struct safetensors *s, const char *name, struct tensor *t)
{
    struct json j;
    char key[256];
    json_open(&j, s->header, s->header_bytes);
    json_enter(&j, '{');
    while (json_key(&j, key, sizeof key)) {
        if (strcmp(key, name) == 0)
            return read_entry(s, &j, t);
        json_skip(&j);
    }
    return -1;
}
