/* SPDX-License-Identifier: MIT */
/* What the commands of fly-sim share: files, folders, walks over instructions. */
#include "cmd.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = NULL;
    size_t cap = 0;

    *size = 0;
    if (!f)
        return NULL;
    for (;;) {
        if (*size == cap) {
            uint8_t *p = realloc(data, cap = cap ? cap * 2 : 1 << 16);

            if (!p)
                break;
            data = p;
        }
        size_t got = fread(data + *size, 1, cap - *size, f);

        if (got == 0)
            break;
        *size += got;
    }
    fclose(f);
    return data;
}

static bool looks_like_module(const uint8_t *d, size_t n)
{
    return n >= 64 && ((memcmp(d, "\177ELF", 4) == 0 && d[18] == 224 && d[19] == 0) ||
                       memcmp(d, "CCOB", 4) == 0 || memcmp(d, "__CLANG_OFFLOAD_BUNDLE__", 24) == 0);
}

static bool file_images(const char *path, bool must,
                        void (*fn)(const char *, const struct sim_image *, void *), void *arg)
{
    size_t size;
    uint8_t *data = read_file(path, &size);
    struct sim_bundle b;
    char err[200];
    bool ok = true;

    if (!data) {
        fprintf(stderr, "fly-sim: %s: %s\n", path, strerror(errno));
        return false;
    }
    if (must || looks_like_module(data, size)) {
        ok = sim_bundle_open(data, size, &b, err, sizeof err);
        if (!ok)
            fprintf(stderr, "fly-sim: %s: %s\n", path, err);
        for (unsigned i = 0; ok && i < b.nimages; i++)
            fn(path, &b.images[i], arg);
        if (ok)
            sim_bundle_close(&b);
    }
    free(data);
    return ok;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Entries in the order of their names, so that output does not depend on the file system. */
static bool folder_images(const char *path,
                          void (*fn)(const char *, const struct sim_image *, void *), void *arg)
{
    DIR *d = opendir(path);
    struct dirent *e;
    char **names = NULL;
    size_t n = 0, cap = 0;
    bool ok = true;

    if (!d) {
        fprintf(stderr, "fly-sim: %s: %s\n", path, strerror(errno));
        return false;
    }
    while ((e = readdir(d))) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (n == cap) {
            char **p = realloc(names, (cap = cap ? cap * 2 : 64) * sizeof *names);

            if (!p)
                break;
            names = p;
        }
        names[n] = malloc(strlen(path) + strlen(e->d_name) + 2);
        if (names[n])
            sprintf(names[n++], "%s/%s", path, e->d_name);
    }
    closedir(d);
    if (n)
        qsort(names, n, sizeof *names, by_name);
    for (size_t i = 0; i < n; i++) {
        struct stat st;

        if (lstat(names[i], &st) == 0 && S_ISDIR(st.st_mode))
            ok &= folder_images(names[i], fn, arg);
        else if (stat(names[i], &st) == 0 && S_ISREG(st.st_mode))
            ok &= file_images(names[i], false, fn, arg);
        free(names[i]);
    }
    free(names);
    return ok;
}

bool cmd_each_image(const char *path, void (*fn)(const char *, const struct sim_image *, void *),
                    void *arg)
{
    struct stat st;

    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return folder_images(path, fn, arg);
    return file_images(path, true, fn, arg);
}

void cmd_walk_start(struct cmd_walk *w, const struct sim_codeobj *o)
{
    *w = (struct cmd_walk){.o = o, .at = o->text_vaddr, .wave = o->family->wave};
    for (unsigned i = 0; i < o->nkernels; i++)
        if (o->kernels[i].wave == 64)
            w->wave = 64;
}

/* Where llvm-objdump forgets s_set_vgpr_msb: jumps and ends, but not calls. */
static bool ends_block(const struct sim_opcode *o)
{
    if (o->op == SIM_OP_s_call_b64 || o->op == SIM_OP_s_swappc_b64)
        return false;
    return o->cls == SIM_BRANCH || o->op == SIM_OP_s_endpgm;
}

bool cmd_walk_next(struct cmd_walk *w, struct sim_insn *out, char *text, size_t n)
{
    const struct sim_codeobj *o = w->o;
    uint64_t left = o->text_vaddr + o->text_size - w->at;

    if (left == 0)
        return false;
    if (o->family->flags & SIM_HAS_VGPR_MSB)
        for (unsigned i = 0; i < o->nsymbols; i++)
            if (o->symbols[i].defined && o->symbols[i].value == w->at)
                w->msb = 0;
    sim_decode_wave(o->family, w->wave, o->text + (w->at - o->text_vaddr), left, w->at, out);
    sim_print(o->family, out, w->msb, text, n);
    if (!out->op || ends_block(out->op))
        w->msb = 0;
    else if (out->op->token == SIM_OP_s_set_vgpr_msb)
        w->msb = out->o[0].value & 0xff;
    w->at += out->size;
    return true;
}
