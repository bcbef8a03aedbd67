/* SPDX-License-Identifier: MIT */
/*
 * fly-sim dis: instructions of code objects as text, and the check of that text against
 * llvm-objdump, which decodes the same bytes by tables of its own.
 */
#include "cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Code that was compared, and a hash of its text by our decoder. */
struct compared {
    struct compared *next;
    unsigned isa, wave;
    uint64_t vaddr, size, hash;
    unsigned long instructions;
    uint8_t code[];
};

struct dis {
    const char *target;  /* only this one, or null */
    const char *objdump; /* for the check */
    struct compared *compared;
    unsigned long instructions, differences, objects;
    bool failed;
};

static void print_line(const struct sim_insn *i, const char *text)
{
    printf("\t%-58s // %012" PRIX64 ":", text, i->pc);
    for (unsigned k = 0; k < (i->size + 3u) / 4; k++)
        printf(" %08" PRIX32, i->words[k]);
    putchar('\n');
}

static struct sim_codeobj *open_image(const char *path, const struct sim_image *m, struct dis *d)
{
    char err[200];
    struct sim_codeobj *o = sim_codeobj_open(m->data, m->size, err, sizeof err);

    if (!o) {
        fprintf(stderr, "fly-sim: %s (%s): %s\n", path, m->target, err);
        d->failed = true;
    }
    return o;
}

static void disassemble(const char *path, const struct sim_image *m, void *arg)
{
    struct dis *d = arg;
    struct sim_codeobj *o;
    struct cmd_walk w;
    struct sim_insn i;
    char text[512];

    if (d->target && strcmp(m->target, d->target) != 0)
        return;
    o = open_image(path, m, d);
    if (!o)
        return;
    d->objects++;
    printf("%s: %s\n", path, o->family->name);
    cmd_walk_start(&w, o);
    for (;;) {
        for (unsigned s = 0; s < o->nsymbols; s++)
            if (o->symbols[s].defined && o->symbols[s].type == 2 && o->symbols[s].value == w.at)
                printf("\n%016" PRIx64 " <%s>:\n", w.at, o->symbols[s].name);
        if (!cmd_walk_next(&w, &i, text, sizeof text))
            break;
        print_line(&i, text);
        if (!i.op)
            fprintf(stderr,
                    "fly-sim: %s: 0x%" PRIx64 ": no instruction is encoded as %08" PRIx32 "\n",
                    path, i.pc, i.words[0]);
    }
    sim_codeobj_close(o);
}

/* ---- check ---- */

/* Does this program print an LLVM version of 22 or more? */
static bool objdump_ok(const char *program)
{
    char command[300], line[300];
    FILE *p;
    int version = 0;

    snprintf(command, sizeof command, "'%s' --version 2>/dev/null", program);
    p = popen(command, "r");
    if (!p)
        return false;
    while (fgets(line, sizeof line, p)) {
        char *v = strstr(line, "LLVM version ");

        if (v)
            version = atoi(v + 13);
    }
    pclose(p);
    return version >= 22;
}

static const char *find_objdump(void)
{
    static char name[256];
    static const char *const names[] = {"llvm-objdump", "/opt/rocm/llvm/bin/llvm-objdump"};
    const char *env = getenv("LLVM_OBJDUMP");

    if (env && *env)
        return env;
    for (int v = 22; v < 30; v++) {
        snprintf(name, sizeof name, "llvm-objdump-%d", v);
        if (objdump_ok(name))
            return name;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (objdump_ok(names[i]))
            return names[i];
    return NULL;
}

/* A line of llvm-objdump, "\ttext  // ADDRESS: WORDS", cut into text and address. */
static bool parse_line(char *line, char **text, uint64_t *at)
{
    char *comment = NULL, *end;

    if (*line != '\t')
        return false;
    /* the last one: text of its own may hold such a mark */
    for (char *c = strstr(line, "// "); c; c = strstr(c + 1, "// "))
        comment = c;
    if (!comment)
        return false;
    *at = strtoull(comment + 3, &end, 16);
    if (end == comment + 3 || *end != ':')
        return false;
    while (comment > line + 1 && comment[-1] == ' ')
        comment--;
    *comment = 0;
    *text = line + 1;
    return true;
}

static FILE *run_objdump(const struct dis *d, const struct sim_image *m, unsigned wave, char *file,
                         size_t n)
{
    const char *tmp = getenv("TMPDIR");
    char command[700];
    int fd;
    bool ok;

    snprintf(file, n, "%s/fly-sim-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    fd = mkstemp(file);
    if (fd < 0)
        return NULL;
    ok = write(fd, m->data, m->size) == (ssize_t)m->size;
    close(fd);
    snprintf(command, sizeof command, "'%s' -d -z %s '%s'", d->objdump,
             wave == 64 ? "--mattr=+wavefrontsize64" : "", file);
    return ok ? popen(command, "r") : NULL;
}

static void difference(struct dis *d, const char *path, const struct sim_image *m, uint64_t at,
                       const char *theirs, const char *ours)
{
    if (d->differences++ < 50)
        printf("%s (%s): 0x%" PRIx64 "\n    llvm-objdump: %s\n    fly-sim:      %s\n", path,
               m->target, at, theirs, ours);
}

enum { TEXT_BYTES = 512 };
static const uint64_t hash_start = 0xcbf29ce484222325u;

/* The next instruction; its address and text go into *hash (FNV-1a). */
static bool next_hashed(struct cmd_walk *w, struct sim_insn *i, char text[TEXT_BYTES], uint64_t *hash)
{
    uint64_t h = *hash;

    if (!cmd_walk_next(w, i, text, TEXT_BYTES))
        return false;
    for (int b = 0; b < 64; b += 8)
        h = (h ^ (i->pc >> b & 0xff)) * 0x100000001b3u;
    for (const char *c = text; *c; c++)
        h = (h ^ (unsigned char)*c) * 0x100000001b3u;
    *hash = h;
    return true;
}

static uint64_t hash_text(const struct sim_codeobj *o)
{
    struct cmd_walk w;
    struct sim_insn i;
    char text[TEXT_BYTES];
    uint64_t h = hash_start;

    cmd_walk_start(&w, o);
    while (next_hashed(&w, &i, text, &h))
        continue;
    return h;
}

/* The same bytes of another target of this instruction set, if they were compared and our decoder prints the
 * same for both: targets that differ in name have the same code objects otherwise. */
static const struct compared *find_compared(const struct dis *d, const struct sim_codeobj *o, unsigned wave)
{
    for (const struct compared *c = d->compared; c; c = c->next)
        if (c->isa == o->family->isa && c->wave == wave && c->vaddr == o->text_vaddr && c->size == o->text_size &&
            memcmp(c->code, o->text, c->size) == 0)
            return c->hash == hash_text(o) ? c : NULL;
    return NULL;
}

static void remember(struct dis *d, const struct sim_codeobj *o, unsigned wave, uint64_t hash, unsigned long instructions)
{
    struct compared *c = malloc(sizeof *c + o->text_size);

    if (!c)
        return;
    *c = (struct compared){d->compared, o->family->isa, wave, o->text_vaddr, o->text_size, hash, instructions};
    memcpy(c->code, o->text, c->size);
    d->compared = c;
}

static void forget(struct dis *d)
{
    while (d->compared) {
        struct compared *next = d->compared->next;

        free(d->compared);
        d->compared = next;
    }
}

/* Compares with what llvm-objdump prints. */
static void compare(const char *path, const struct sim_image *m, const struct sim_codeobj *o, struct dis *d)
{
    const unsigned long before = d->instructions, wrong = d->differences;
    struct cmd_walk w;
    struct sim_insn i = {0};
    char ours[TEXT_BYTES], line[4096], file[300], *theirs;
    uint64_t at, hash = hash_start;
    bool more;
    FILE *p;

    cmd_walk_start(&w, o);
    const unsigned wave = w.wave;
    p = run_objdump(d, m, o->family->wave == 32 ? wave : 0, file, sizeof file);
    if (!p) {
        fprintf(stderr, "fly-sim: cannot run %s\n", d->objdump);
        d->failed = true;
        return;
    }
    more = next_hashed(&w, &i, ours, &hash);
    while (fgets(line, sizeof line, p)) {
        if (!parse_line(line, &theirs, &at) || at < o->text_vaddr ||
            at >= o->text_vaddr + o->text_size)
            continue;
        d->instructions++;
        while (more && i.pc < at) {
            difference(d, path, m, i.pc, "(nothing)", ours);
            more = next_hashed(&w, &i, ours, &hash);
        }
        if (!more || i.pc != at) {
            difference(d, path, m, at, theirs, "(nothing)");
            continue;
        }
        if (strcmp(theirs, ours) != 0)
            difference(d, path, m, at, theirs, ours);
        more = next_hashed(&w, &i, ours, &hash);
    }
    while (more) {
        difference(d, path, m, i.pc, "(nothing)", ours);
        more = next_hashed(&w, &i, ours, &hash);
    }
    if (pclose(p) != 0) {
        fprintf(stderr, "fly-sim: %s failed on %s (%s)\n", d->objdump, path, m->target);
        d->failed = true;
    } else if (d->differences == wrong) {
        remember(d, o, wave, hash, d->instructions - before);
    }
    unlink(file);
}

static void check(const char *path, const struct sim_image *m, void *arg)
{
    struct dis *d = arg;
    struct sim_codeobj *o = open_image(path, m, d);
    const struct compared *same;
    struct cmd_walk w;

    if (!o)
        return;
    d->objects++;
    cmd_walk_start(&w, o);
    same = find_compared(d, o, w.wave);
    if (same)
        d->instructions += same->instructions;
    else
        compare(path, m, o, d);
    sim_codeobj_close(o);
}

static int run_check(const char *path)
{
    struct dis d = {.objdump = find_objdump()};

    if (!d.objdump) {
        fputs(
            "fly-sim: dis --check needs llvm-objdump of LLVM 22 or newer (LLVM_OBJDUMP names it)\n",
            stderr);
        return 77; /* the tests take it for skipped */
    }
    d.failed |= !cmd_each_image(path, check, &d);
    forget(&d);
    if (d.objects == 0) {
        fprintf(stderr, "fly-sim: no code object in %s\n", path);
        d.failed = true;
    }
    printf("%lu instructions, %lu differences\n", d.instructions, d.differences);
    return d.failed || d.differences ? 1 : 0;
}

int cmd_dis(int argc, char **argv)
{
    struct dis d = {0};
    const char *path = NULL;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--check") == 0 && i + 1 < argc)
            return run_check(argv[i + 1]);
        if (strcmp(argv[i], "--target") == 0 && i + 1 < argc)
            d.target = argv[++i];
        else if (argv[i][0] != '-' && !path)
            path = argv[i];
        else
            path = NULL, i = argc;
    }
    if (!path) {
        fputs("usage: fly-sim dis [--target NAME] FILE | dis --check DIR\n", stderr);
        return 2;
    }
    d.failed |= !cmd_each_image(path, disassemble, &d);
    if (!d.failed && d.objects == 0) {
        fprintf(stderr, "fly-sim: no code object in %s\n", path);
        d.failed = true;
    }
    return d.failed;
}
