/* SPDX-License-Identifier: MIT */
/*
 * Build tool: turns tuning/<arch>/<op>.csv into the table that is compiled into libfly, with the
 * library's own reader, so that a file the library would refuse does not build.
 *
 *     tunec FILE.csv... > tune_table.c
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/fatbin.h"
#include "core/tune.h"

const struct fly_tune_row fly_tune_installed_rows[1];
const uint32_t fly_tune_installed_count = 0;

static int compare(const void *a, const void *b)
{
    return fly_tune_compare(a, b);
}

static void print_row(const struct fly_tune_row *r)
{
    const struct fly_problem *p = &r->problem;
    printf("    {.problem = {%u, {%u, %u, %u}, %u, {", p->op, p->types[0], p->types[1], p->types[2],
           p->nfields);
    for (uint32_t i = 0; i < p->nfields; i++)
        printf("%s%" PRId64, i ? ", " : "", p->v[i]);
    printf("}}, .cus = %u, .kernel = %u, .arch = %u, .lg = {", r->cus, r->kernel, r->arch);
    for (unsigned i = 0; i < FLY_TUNE_SIZES; i++)
        printf("%s%u", i ? ", " : "", r->lg[i]);
    printf("}},\n");
}

int main(int argc, char **argv)
{
    struct fly_tune_row *rows = NULL;
    uint32_t n = 0;
    for (int i = 1; i < argc; i++) {
        char why[512];
        size_t bytes;
        const char *text = fly_file_map(argv[i], &bytes);
        if (!text) {
            fprintf(stderr, "%s: %s\n", argv[i], fly_file_error(errno));
            return EXIT_FAILURE;
        }
        if (fly_tune_read(text, bytes, false, &rows, &n, why, sizeof why) != FLY_STATUS_SUCCESS) {
            fprintf(stderr, "%s: %s\n", argv[i], why);
            return EXIT_FAILURE;
        }
        fly_file_unmap(text, bytes);
        if (n && rows[n - 1].modelled) {
            fprintf(stderr, "%s: ranked=modelled: the library's own table holds measured winners\n", argv[i]);
            return EXIT_FAILURE;
        }
    }
    if (n)
        qsort(rows, n, sizeof *rows, compare);
    for (uint32_t i = 1; i < n; i++)
        if (!fly_tune_compare(&rows[i - 1], &rows[i])) {
            fprintf(stderr, "tunec: two files have a row for the same key\n");
            return EXIT_FAILURE;
        }
    printf("/* Made by tunec from tuning/. */\n#include \"core/tune.h\"\n\n"
           "const uint32_t fly_tune_installed_count = %u;\n"
           "const struct fly_tune_row fly_tune_installed_rows[] = {\n", n);
    for (uint32_t i = 0; i < n; i++)
        print_row(&rows[i]);
    if (!n)
        printf("    {.cus = 0},\n");
    printf("};\n");
    free(rows);
    return EXIT_SUCCESS;
}
