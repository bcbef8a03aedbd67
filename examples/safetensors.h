/* SPDX-License-Identifier: MIT */
/* Reads the safetensors format: eight bytes of header length, a JSON header, then the tensors. */
#ifndef EXAMPLES_SAFETENSORS_H
#define EXAMPLES_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

struct safetensors {
    const unsigned char *file; /* the whole file, mapped */
    size_t bytes;
    const char *header;
    size_t header_bytes;
};

struct tensor {
    char dtype[8]; /* "F32", "BF16", ... */
    int rank;
    int64_t shape[8];
    const void *data;
    size_t bytes;
};

/* 0, or -1 with a sentence in `error`. */
int safetensors_open(struct safetensors *s, const char *path, char *error, size_t error_bytes);
void safetensors_close(struct safetensors *s);

/* Finds a tensor by name: 0, or -1 when it is not there, lies outside the file or its size does not fit
 * its shape. */
int safetensors_find(const struct safetensors *s, const char *name, struct tensor *t);

#endif
