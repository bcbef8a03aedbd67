/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target without libFuzzer, over files: each as it is, cut at many lengths, and with bytes
 * flipped, always the same. Inputs end where their memory ends. Prints how many it ran.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

enum { CUTS = 500, FLIPS = 2000 };

static unsigned long inputs;

static void run(const uint8_t *data, size_t bytes)
{
    uint8_t *exact = malloc(bytes ? bytes : 1);
    if (!exact)
        abort();
    memcpy(exact, data, bytes);
    LLVMFuzzerTestOneInput(exact, bytes);
    free(exact);
    inputs++;
}

static uint32_t next(uint32_t *state)
{
    return *state = *state * 1664525u + 1013904223u;
}

int main(int argc, char **argv)
{
    run((const uint8_t *)"", 0);
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        uint32_t state = 1;
        long n;
        if (!f || fseek(f, 0, SEEK_END) != 0 || (n = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) != 0) {
            perror(argv[i]);
            return 1;
        }
        size_t bytes = (size_t)n;
        uint8_t *data = malloc(bytes + 1);
        if (!data || fread(data, 1, bytes, f) != bytes) {
            fprintf(stderr, "%s cannot be read\n", argv[i]);
            return 1;
        }
        fclose(f);
        run(data, bytes);
        for (size_t k = 0; k < CUTS && k < bytes; k++) /* every length of the head, then spread */
            run(data, k < CUTS / 2 ? k : bytes * (k - CUTS / 2) / (CUTS / 2));
        for (int k = 0; k < FLIPS && bytes > 0; k++) {
            size_t room = k % 2 && bytes > 512 ? 512 : bytes; /* half of them in the head */
            size_t at = next(&state) % room;
            uint8_t was = data[at];
            data[at] = (uint8_t)(next(&state) >> 24);
            run(data, bytes);
            data[at] = was;
        }
        free(data);
    }
    printf("%lu inputs\n", inputs);
    return 0;
}
