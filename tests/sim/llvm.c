/* SPDX-License-Identifier: MIT */
/* Runs llvm-mc and llvm-objdump on temporary files; see llvm.h. */
#include "llvm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *llvm_tool(const char *name)
{
    static char found[2][64];
    char *at = found[strcmp(name, "llvm-mc") == 0];

    for (int v = 22; !*at && v < 30; v++) {
        char command[128];

        snprintf(command, sizeof command, "command -v %s-%d >/dev/null 2>&1", name, v);
        if (system(command) == 0)
            snprintf(at, sizeof found[0], "%s-%d", name, v);
    }
    return *at ? at : NULL;
}

bool llvm_found(void)
{
    return llvm_tool("llvm-mc") && llvm_tool("llvm-objdump");
}

static FILE *temporary(char *path, size_t n)
{
    const char *dir = getenv("TMPDIR");
    int fd;

    snprintf(path, n, "%s/sim-llvm-XXXXXX", dir && *dir ? dir : "/tmp");
    fd = mkstemp(path);
    return fd < 0 ? NULL : fdopen(fd, "w");
}

static const char *attributes(unsigned wave)
{
    return wave == 64 ? "--mattr=+wavefrontsize64" : "";
}

bool llvm_assemble(const char *target, unsigned wave, char *const *texts, size_t n,
                   struct llvm_line *out)
{
    char path[300], command[700], line[1024];
    FILE *f = temporary(path, sizeof path), *p;
    struct llvm_line *at = NULL;

    if (!f)
        return false;
    for (size_t i = 0; i < n; i++) {
        out[i].size = 0;
        fprintf(f, "L%zu:\n%s\n", i, texts[i]);
    }
    fclose(f);
    snprintf(command, sizeof command,
             "%s -triple=amdgcn-amd-amdhsa -mcpu=%s %s -show-encoding %s 2>/dev/null",
             llvm_tool("llvm-mc"), target, wave ? attributes(wave) : "", path);
    p = popen(command, "r");
    while (p && fgets(line, sizeof line, p)) {
        char *e = strstr(line, "encoding: [");

        if (line[0] == 'L' && strchr(line, ':')) {
            size_t i = strtoul(line + 1, NULL, 10);

            at = i < n ? &out[i] : NULL;
        } else if (e && at) {
            for (e += 11; *e && *e != ']' && at->size < sizeof at->bytes;) {
                at->bytes[at->size++] = strtoul(e, &e, 16);
                if (*e == ',')
                    e++;
            }
            at = NULL;
        }
    }
    if (p)
        pclose(p);
    unlink(path);
    return p != NULL;
}

static bool object_of(const char *target, const struct llvm_line *lines, size_t n, char *object)
{
    char path[300], command[900];
    FILE *f = temporary(path, sizeof path), *o = temporary(object, 300);
    bool ok;

    if (!f || !o)
        return false;
    fclose(o);
    for (size_t i = 0; i < n; i++) {
        fputs(".byte ", f);
        for (unsigned b = 0; b < 32; b++)
            fprintf(f, "%s%u", b ? "," : "",
                    b < sizeof lines[i].bytes && b < lines[i].size ? lines[i].bytes[b]
                    : b % 4 == 2                                   ? 0x80
                    : b % 4 == 3                                   ? 0xbf
                                                                   : 0);
        fputc('\n', f);
    }
    fclose(f);
    snprintf(command, sizeof command,
             "%s -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=obj -o %s %s", llvm_tool("llvm-mc"),
             target, object, path);
    ok = system(command) == 0;
    unlink(path);
    return ok;
}

bool llvm_disassemble(const char *target, unsigned wave, struct llvm_line *lines, size_t n)
{
    char object[300], command[700], line[2048];
    FILE *p;
    bool ok;

    if (!object_of(target, lines, n, object))
        return false;
    for (size_t i = 0; i < n; i++) {
        lines[i].size = 0;
        lines[i].text[0] = 0;
    }
    snprintf(command, sizeof command, "%s -d -z %s %s", llvm_tool("llvm-objdump"),
             wave ? attributes(wave) : "", object);
    p = popen(command, "r");
    while (p && fgets(line, sizeof line, p)) {
        char *comment = NULL, *end;
        unsigned long at;
        struct llvm_line *l;

        for (char *c = strstr(line, "// "); c; c = strstr(c + 1, "// "))
            comment = c;
        if (*line != '\t' || !comment)
            continue;
        at = strtoul(comment + 3, &end, 16);
        if (*end != ':' || at % 32 || at / 32 >= n)
            continue;
        l = &lines[at / 32];
        for (end++; *end == ' ' && end[1] != '<'; l->size += 4)
            strtoul(end + 1, &end, 16);
        while (comment > line + 1 && comment[-1] == ' ')
            comment--;
        *comment = 0;
        snprintf(l->text, sizeof l->text, "%.511s", line + 1);
    }
    ok = p && pclose(p) == 0;
    unlink(object);
    return ok;
}
