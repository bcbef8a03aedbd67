/* SPDX-License-Identifier: MIT */
/*
 * The batch of snippets: text in, llvm-mc once, machine code out. Every snippet starts at a
 * multiple of SNIPPET_BYTES in .text, so no symbols are needed to find it.
 */
#define _GNU_SOURCE
#include "insn.h"
#include "../llvm.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>


const char *const target_name[TARGETS] = { "gfx90a",  "gfx942",  "gfx950",
                                           "gfx1100", "gfx1201", "gfx1250" };

bool listing;

int target_lanes(enum target t) { return t <= T_950 ? 64 : 32; }

static void append(struct batch *b, const char *s, size_t n)
{
    if (b->used + n + 1 > b->room) {
        b->room = (b->room + n) * 2 + 4096;
        b->text = realloc(b->text, b->room);
    }
    memcpy(b->text + b->used, s, n);
    b->used += n;
    b->text[b->used] = 0;
    for (size_t i = 0; i < n; i++)
        b->lines += s[i] == '\n';
}

void batch_begin(struct batch *b, enum target t)
{
    *b = (struct batch){ .target = t };
    append(b, ".text\n", 6);
}

int batch_add(struct batch *b, const char *format, ...)
{
    char line[2048];
    va_list ap;
    va_start(ap, format);
    int n = vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    if (n >= (int)sizeof line)
        abort();
    if (!(b->count & (b->count - 1))) {
        size_t room = b->count ? (size_t)b->count * 2 : 1;
        b->first_line = realloc(b->first_line, sizeof(int) * room);
        b->text_at = realloc(b->text_at, sizeof(size_t) * room);
    }
    append(b, ".p2align 8\n", 11);
    b->first_line[b->count] = b->lines;
    b->text_at[b->count] = b->used;
    append(b, line, (size_t)n);
    append(b, "\ns_endpgm\n", 10);
    return b->count++;
}

const char *batch_text(const struct batch *b, int snippet)
{
    static char out[256];
    const char *p = b->text + b->text_at[snippet];
    const char *end = strstr(p, "\ns_endpgm");
    snprintf(out, sizeof out, "%.*s", (int)(end - p), p);
    for (char *c = out; *c; c++)
        if (*c == '\n')
            *c = ';';
    return out;
}

static int snippet_of_line(const struct batch *b, int line)
{
    int s = 0;
    while (s + 1 < b->count && b->first_line[s + 1] < line)
        s++;
    return s;
}

static void explain(const struct batch *b, FILE *err)
{
    char line[1024];
    int shown = 0, all = 0;
    rewind(err);
    while (fgets(line, sizeof line, err)) {
        int at;
        char *e = strstr(line, ": error:");
        if (!e)
            continue;
        all++;
        char *colon = strchr(line, ':');
        if (shown++ < 12 && colon && sscanf(colon + 1, "%d", &at) == 1)
            fprintf(stderr, "%s: %s%s\n", target_name[b->target],
                    batch_text(b, snippet_of_line(b, at)), e);
    }
    fprintf(stderr, "%s: %d assembler errors\n", target_name[b->target], all);
}

/* Copies the section .text of a relocatable file. */
static bool take_text(struct batch *b, const char *path)
{
    FILE *f = fopen(path, "rb");
    bool ok = false;
    Elf64_Ehdr eh;
    if (!f)
        return false;
    if (fread(&eh, sizeof eh, 1, f) == 1 && eh.e_shnum < 64) {
        Elf64_Shdr sh[64];
        fseek(f, (long)eh.e_shoff, SEEK_SET);
        if (fread(sh, sizeof *sh, eh.e_shnum, f) == eh.e_shnum)
            for (int i = 0; i < eh.e_shnum && !ok; i++)
                if (sh[i].sh_type == SHT_PROGBITS && (sh[i].sh_flags & SHF_EXECINSTR) &&
                    sh[i].sh_size) {
                    size_t want = (size_t)b->count * SNIPPET_BYTES;
                    b->code = calloc(1, want > sh[i].sh_size ? want : sh[i].sh_size);
                    fseek(f, (long)sh[i].sh_offset, SEEK_SET);
                    ok = fread(b->code, 1, sh[i].sh_size, f) == sh[i].sh_size &&
                         sh[i].sh_size <= want;
                    if (!ok)
                        fprintf(stderr, "a snippet is longer than %d bytes\n", SNIPPET_BYTES);
                }
    }
    fclose(f);
    return ok;
}

bool batch_assemble(struct batch *b)
{
    static unsigned serial;
    b->serial = ++serial;
    char dir[] = "/tmp/insn-XXXXXX", src[64], obj[64], log[64], cmd[512];
    if (!b->count || listing)
        return !listing;
    if (!mkdtemp(dir))
        return false;
    snprintf(src, sizeof src, "%s/s.s", dir);
    snprintf(obj, sizeof obj, "%s/s.o", dir);
    snprintf(log, sizeof log, "%s/log", dir);
    FILE *f = fopen(src, "wb");
    bool ok = f && fwrite(b->text, 1, b->used, f) == b->used;
    if (f)
        ok = !fclose(f) && ok;
    snprintf(cmd, sizeof cmd,
             "%s -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=obj -o %s %s 2>%s",
             llvm_tool("llvm-mc"), target_name[b->target], obj, src, log);
    ok = ok && system(cmd) == 0 && take_text(b, obj);
    if (!ok) {
        FILE *err = fopen(log, "rb");
        if (err) {
            explain(b, err);
            fclose(err);
        }
    }
    unlink(src);
    unlink(obj);
    unlink(log);
    rmdir(dir);
    return ok;
}

void batch_end(struct batch *b)
{
    free(b->text);
    free(b->first_line);
    free(b->text_at);
    free(b->code);
}

static uint64_t rand_state = 1;

void rand_seed(const char *text)
{
    rand_state = 0x9e3779b97f4a7c15ull;
    for (; *text; text++)
        rand_state = (rand_state ^ (uint8_t)*text) * 0x100000001b3ull;
}

/* splitmix64 */
uint64_t rand64(void)
{
    uint64_t z = rand_state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

uint32_t rand_below(uint32_t n) { return (uint32_t)((rand64() >> 32) * n >> 32); }

static int failures;

bool fail(enum target t, const char *mnemonic, const char *format, ...)
{
    static char last[64];
    static int in_row;
    if (listing || run_unimplemented())
        return false;
    failures++;
    if (strcmp(last, mnemonic)) {
        snprintf(last, sizeof last, "%s", mnemonic);
        in_row = 0;
    }
    if (in_row++ >= 3)
        return false;
    fprintf(stderr, "%s %s: ", target_name[t], mnemonic);
    va_list ap;
    va_start(ap, format);
    vfprintf(stderr, format, ap);
    va_end(ap);
    fputc('\n', stderr);
    return true;
}

int fail_count(void) { return failures; }
