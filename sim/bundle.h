/* SPDX-License-Identifier: MIT */
/*
 * What a module file may be: an ELF code object, a clang offload bundle of several, or a compressed
 * bundle (CCOB, zstd). Clang offload bundler documentation, "Bundled binary file layout" and
 * "Compressed and decompressed bundles".
 */
#ifndef SIM_BUNDLE_H
#define SIM_BUNDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "family.h"

struct sim_image {
    char target[96];     /* "gfx942", "gfx942:xnack-"; "" for host entries */
    char id[160];        /* as in the file: hipv4-amdgcn-amd-amdhsa--gfx942 */
    const uint8_t *data;
    size_t size;
};

struct sim_bundle {
    struct sim_image *images;
    unsigned nimages;
    uint8_t *owned;      /* the decompressed bundle, if the file was compressed */
};

/* Lists the code objects of a file of any of the three kinds; data must outlive the bundle. An
 * ELF file is a bundle of one image whose target is read from its header. False with a sentence
 * in err. */
bool sim_bundle_open(const void *data, size_t size, struct sim_bundle *out, char *err,
                     size_t err_size);
void sim_bundle_close(struct sim_bundle *b);

/* The image for that target: its own, else its generic one; null if neither is there. */
const struct sim_image *sim_bundle_pick(const struct sim_bundle *b, const struct sim_family *f);

/* Bytes an image in memory has, for hipModuleLoadData, which is given no size; 0 if it is none.
 * Reads only headers; the caller vouches for the memory. */
size_t sim_image_size(const void *data);

#endif
