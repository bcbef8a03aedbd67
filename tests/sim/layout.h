/* SPDX-License-Identifier: MIT */
/*
 * For tests of matrix instructions: the published layout table (data/matrix_layouts.csv), bit
 * fields of register rows, and the levels of x86-64 this machine has.
 */
#ifndef SIM_TEST_LAYOUT_H
#define SIM_TEST_LAYOUT_H

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_BITS = 8, MAX_ROWS = 700, WORDS = 64 * 64 }; /* WORDS: room for any operand */

struct axis { int n, lane[MAX_BITS], elem[MAX_BITS]; };
struct map { char isa[8], token[48], matrix[4]; int wave, blocks, rows, cols; struct axis bit[3]; };
static struct map maps[MAX_ROWS];
static int map_count;

static const char *const isa_name[] = {"gfx90a", "gfx942", "gfx950", "gfx11", "gfx12", "gfx1250"};

static inline void load(void)
{
    FILE *f = fopen(SIM_TEST_DATA "/matrix_layouts.csv", "r");
    cr_assert(f, "cannot open the layout table");
    char line[256];
    while (fgets(line, sizeof line, f)) {
        if (line[0] == '#')
            continue;
        struct map *m = &maps[map_count++];
        char *field[10], *at = line;
        for (int i = 0; i < 10; i++) {
            field[i] = at;
            at = strpbrk(at, ",\n");
            cr_assert(at);
            *at++ = 0;
        }
        snprintf(m->isa, sizeof m->isa, "%s", field[0]);
        snprintf(m->token, sizeof m->token, "%s", field[1]);
        snprintf(m->matrix, sizeof m->matrix, "%s", field[3]);
        m->wave = atoi(field[2]);
        m->blocks = atoi(field[4]);
        m->rows = atoi(field[5]);
        m->cols = atoi(field[6]);
        for (int a = 0; a < 3; a++)
            for (char *p = field[7 + a]; *p && *p != '-'; p += *p == ' ') {
                struct axis *b = &m->bit[a];
                b->lane[b->n] = (int)strtol(p, &p, 10);
                b->elem[b->n++] = (int)strtol(p + 1, &p, 10);
            }
    }
    fclose(f);
}

static inline void locate(const struct map *m, int block, int row, int col, int *lane, int *elem)
{
    int c[3] = {block, row, col};
    *lane = *elem = 0;
    for (int a = 0; a < 3; a++)
        for (int i = 0; i < m->bit[a].n; i++)
            if (c[a] >> i & 1) {
                *lane ^= m->bit[a].lane[i];
                *elem ^= m->bit[a].elem[i];
            }
}

static inline void put(uint32_t *rows, int wave, int bits, int lane, int elem, uint64_t code)
{
    for (int b = 0; b < bits; b++) {
        int at = elem * bits + b;
        uint32_t *w = &rows[at / 32 * wave + lane];
        *w = (*w & ~(1u << at % 32)) | (uint32_t)(code >> b & 1) << at % 32;
    }
}
static inline uint64_t get(const uint32_t *rows, int wave, int bits, int lane, int elem)
{
    uint64_t code = 0;
    for (int b = 0; b < bits; b++) {
        int at = elem * bits + b;
        code |= (uint64_t)(rows[at / 32 * wave + lane] >> at % 32 & 1) << b;
    }
    return code;
}

static inline const struct map *find(const char *isa, const char *token, int wave,
                                     const char *matrix)
{
    for (int i = 0; i < map_count; i++)
        if (!strcmp(maps[i].isa, isa) && !strcmp(maps[i].token, token) && maps[i].wave == wave
            && !strcmp(maps[i].matrix, matrix))
            return &maps[i];
    return NULL;
}

static inline int levels(int *out)
{
    int n = 0;
    out[n++] = 2;
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        out[n++] = 3;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
        && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        out[n++] = 4;
#endif
    return n;
}

#endif
