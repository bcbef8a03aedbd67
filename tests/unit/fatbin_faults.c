/* SPDX-License-Identifier: MIT */
/*
 * Built with AddressSanitizer: kernel files truncated at every length (sampled when large), with
 * bits flipped, and foreign ones, through the reader and the check of code objects. Each input lies
 * in memory of exactly its size, and each that is refused must say why. usage: fatbin_faults
 * FILE...
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/fatbin.h"

enum { CUTS = 300, FLIPS = 400 };

static unsigned long inputs, opened;

static uint32_t next(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

static void one(const uint8_t *data, size_t bytes, const char *what, size_t at)
{
    uint8_t *exact = malloc(bytes ? bytes : 1);
    char why[512] = "";
    struct fly_fatbin f;
    memcpy(exact, data, bytes);
    inputs++;
    flyStatus_t s = fly_fatbin_open(exact, bytes, &f, why, sizeof why);
    if (s == FLY_STATUS_SUCCESS) {
        opened++;
        for (unsigned i = 0; i < f.nentries; i++)
            fly_code_object_check(f.entry[i].data, f.entry[i].bytes, "fly_registry_0", why,
                                  sizeof why);
        fly_fatbin_close(&f);
    } else if (!*why || (s != FLY_STATUS_BAD_KERNEL_FILE && s != FLY_STATUS_OUT_OF_MEMORY)) {
        fprintf(stderr, "%s %zu: status %d, '%s'\n", what, at, (int)s, why);
        exit(EXIT_FAILURE);
    }
    free(exact);
}

static void code_object(const uint8_t *data, size_t bytes)
{
    uint8_t *exact = malloc(bytes ? bytes : 1);
    char why[512] = "";
    memcpy(exact, data, bytes);
    inputs++;
    if (fly_code_object_check(exact, bytes, "fly_registry_0", why, sizeof why) !=
            FLY_STATUS_SUCCESS &&
        !*why)
        exit(EXIT_FAILURE);
    fly_code_object_check(exact, bytes, NULL, why, sizeof why);
    fly_ptx_check(exact, bytes, "fly_registry_0", why, sizeof why);
    free(exact);
}

/* Headers hold what readers trust, so half of the flips hit the first and last kilobyte. */
static size_t place(uint32_t *state, size_t bytes)
{
    size_t near = bytes < 1024 ? bytes : 1024;
    switch (next(state) >> 30) {
    case 0: return next(state) % near;
    case 1: return bytes - 1 - next(state) % near;
    default: return next(state) % bytes;
    }
}

static void all_faults(uint8_t *data, size_t bytes, void (*run)(const uint8_t *, size_t))
{
    uint32_t state = 12345;
    for (size_t i = 0; i < CUTS; i++) {
        size_t cut = i < CUTS / 2 ? i : bytes * (i - CUTS / 2) / (CUTS / 2);
        if (cut < bytes)
            run(data, cut);
    }
    for (int i = 0; i < FLIPS; i++) {
        size_t at = place(&state, bytes);
        uint8_t was = data[at];
        data[at] =
            i % 2 ? (uint8_t)(was ^ 1u << (next(&state) >> 29)) : (uint8_t)(next(&state) >> 24);
        run(data, bytes);
        data[at] = was;
    }
}

static void as_bundle(const uint8_t *data, size_t bytes)
{
    one(data, bytes, "bundle of", bytes);
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        size_t bytes;
        char why[512];
        const void *map = fly_file_map(argv[i], &bytes);
        if (!map && errno == ENOENT)
            continue; /* a build without these archs */
        if (!map) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        uint8_t *data = malloc(bytes);
        memcpy(data, map, bytes);
        fly_file_unmap(map, bytes);
        all_faults(data, bytes, as_bundle);

        struct fly_fatbin f;
        if (fly_fatbin_open(data, bytes, &f, why, sizeof why) == FLY_STATUS_SUCCESS) {
            /* The same without compression, where faults reach every check. */
            uint8_t *plain = malloc(f.bytes);
            memcpy(plain, f.data, f.bytes);
            all_faults(plain, f.bytes < 65536 ? f.bytes : 65536, as_bundle);
            free(plain);
            for (unsigned e = 0; e < f.nentries; e++) {
                uint8_t *object = malloc(f.entry[e].bytes);
                memcpy(object, f.entry[e].data, f.entry[e].bytes);
                all_faults(object, f.entry[e].bytes, code_object);
                free(object);
            }
            fly_fatbin_close(&f);
        }
        free(data);
    }
    printf("%lu inputs, %lu opened\n", inputs, opened);
    return EXIT_SUCCESS;
}
