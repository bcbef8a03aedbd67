/* SPDX-License-Identifier: MIT */
/*
 * fly-sim dis: instructions of code objects as text, and the check of that text against
 * llvm-objdump, which decodes the same bytes by tables of its own: each distinct instruction of a
 * target once, since it takes four times as long as the rest.
 */
#include "cmd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An instruction to compare: its bytes, our text for them, and where it was met first. */
struct instruction {
    struct instruction *next; /* of the same hash */
    const char *path;
    uint64_t pc;
    unsigned size;
    uint32_t words[5];
    char text[];
};

enum { BUCKETS = 1 << 15, TEXT_BYTES = 512 };

/* What one run of llvm-objdump is asked about: the distinct instructions of all code objects of a target. What bytes mean
 * depends on the target alone, not on where they stand, but for s_set_vgpr_msb. */
struct sample {
    struct sample *next;
    char target[96];
    unsigned isa, wave; /* wave: 0 where the family has one only */
    const struct sim_image *image; /* the one object it is of, as it stands */
    uint8_t elf[64];    /* header of one of the objects */
    struct instruction **list, *buckets[BUCKETS];
    size_t count, room;
};

/* The path of an object, which its instructions name. */
struct path {
    struct path *next;
    char name[];
};

struct dis {
    const char *target;  /* only this one, or null */
    const char *objdump; /* for the check */
    struct sample *samples;
    struct path *paths;
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

static void put(uint8_t *at, uint64_t v, unsigned bytes)
{
    for (unsigned b = 0; b < bytes; b++)
        at[b] = v >> 8 * b & 0xff;
}

/* An object of the sample's target whose .text is its instructions, one after the other from address 0. */
static bool write_object(const struct sample *s, int fd)
{
    static const char names[] = "\0.text\0.shstrtab";
    enum { HEADER = 64, SECTION = 64, TEXT = HEADER + 3 * SECTION };
    uint8_t head[TEXT] = {0}, *text = head + HEADER + SECTION, *strings = text + SECTION;
    uint64_t bytes = 0;
    FILE *f = fdopen(fd, "wb");

    if (!f)
        return false;
    for (size_t i = 0; i < s->count; i++)
        bytes += s->list[i]->size;
    memcpy(head, s->elf, HEADER);
    put(head + 16, 1, 2);  /* e_type: relocatable */
    put(head + 24, 0, 8);  /* e_entry */
    put(head + 32, 0, 8);  /* e_phoff */
    put(head + 40, HEADER, 8);
    put(head + 54, 0, 2);  /* e_phentsize */
    put(head + 56, 0, 2);  /* e_phnum */
    put(head + 58, SECTION, 2);
    put(head + 60, 3, 2);
    put(head + 62, 2, 2);  /* e_shstrndx */
    put(text, 1, 4);
    put(text + 4, 1, 4);   /* PROGBITS */
    put(text + 8, 6, 8);   /* ALLOC, EXECINSTR */
    put(text + 24, TEXT, 8);
    put(text + 32, bytes, 8);
    put(text + 48, 4, 8);
    put(strings, 7, 4);
    put(strings + 4, 3, 4); /* STRTAB */
    put(strings + 24, TEXT + bytes, 8);
    put(strings + 32, sizeof names, 8);
    put(strings + 48, 1, 8);
    fwrite(head, sizeof head, 1, f);
    for (size_t i = 0; i < s->count; i++)
        fwrite(s->list[i]->words, s->list[i]->size, 1, f);
    fwrite(names, sizeof names, 1, f);
    const bool failed = ferror(f);
    return !fclose(f) && !failed;
}

static FILE *run_objdump(const struct dis *d, const struct sample *s, char *file, size_t n)
{
    const char *tmp = getenv("TMPDIR");
    char command[700];
    int fd;

    snprintf(file, n, "%s/fly-sim-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    fd = mkstemp(file);
    if (fd < 0)
        return NULL;
    if (s->image) {
        const bool written = write(fd, s->image->data, s->image->size) == (ssize_t)s->image->size;

        close(fd);
        if (!written)
            return NULL;
    } else if (!write_object(s, fd)) {
        return NULL;
    }
    snprintf(command, sizeof command, "'%s' -d -z %s '%s'", d->objdump,
             s->wave == 64 ? "--mattr=+wavefrontsize64" : "", file);
    return popen(command, "r");
}

static void difference(struct dis *d, const struct sample *s, const struct instruction *i, const char *theirs)
{
    if (d->differences++ < 50)
        printf("%s (%s): 0x%" PRIx64 "\n    llvm-objdump: %s\n    fly-sim:      %s\n", i ? i->path : "?", s->target,
               i ? i->pc : 0, theirs ? theirs : "(nothing)", i ? i->text : "(nothing)");
}

/* Compares with what llvm-objdump prints. */
static void compare(struct dis *d, const struct sample *s)
{
    char line[4096], file[300], *theirs;
    const uint64_t begin = s->image && s->count ? s->list[0]->pc : 0;
    uint64_t at, ours = begin, end = begin;
    size_t i = 0;
    FILE *p = run_objdump(d, s, file, sizeof file);

    if (!p) {
        fprintf(stderr, "fly-sim: cannot run %s\n", d->objdump);
        d->failed = true;
        return;
    }
    for (size_t k = 0; k < s->count; k++)
        end += s->list[k]->size;
    while (fgets(line, sizeof line, p)) {
        if (!parse_line(line, &theirs, &at) || at < begin || at >= end)
            continue;
        for (; i < s->count && ours < at; ours += s->list[i++]->size)
            difference(d, s, s->list[i], NULL);
        if (i == s->count || ours != at) {
            difference(d, s, NULL, theirs);
            continue;
        }
        if (strcmp(theirs, s->list[i]->text) != 0)
            difference(d, s, s->list[i], theirs);
        ours += s->list[i++]->size;
    }
    for (; i < s->count; i++)
        difference(d, s, s->list[i], NULL);
    if (pclose(p) != 0) {
        fprintf(stderr, "fly-sim: %s failed on instructions of %s\n", d->objdump, s->target);
        d->failed = true;
    }
    unlink(file);
}

static struct sample *new_sample(struct dis *d, const struct sim_image *m, const struct sim_codeobj *o, unsigned wave)
{
    struct sample *s = calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->next = d->samples;
    s->isa = o->family->isa;
    s->wave = o->family->wave == 32 ? wave : 0;
    snprintf(s->target, sizeof s->target, "%s", m->target);
    memcpy(s->elf, m->data, sizeof s->elf);
    d->samples = s;
    return s;
}

/* Instructions whose registers an s_set_vgpr_msb before them decides say something where they stand only: an object that
 * has any is compared as it stands. */
static bool depends_on_place(const struct sim_codeobj *o)
{
    struct cmd_walk w;
    struct sim_insn i;
    char text[TEXT_BYTES];

    if (!(o->family->flags & SIM_HAS_VGPR_MSB))
        return false;
    cmd_walk_start(&w, o);
    while (cmd_walk_next(&w, &i, text, sizeof text))
        if (w.msb)
            return true;
    return false;
}

static bool add(struct sample *s, const struct sim_insn *i, const char *text, const char *path, bool distinct)
{
    const size_t length = strlen(text) + 1;
    uint32_t hash = 0x811c9dc5u; /* FNV-1a, a word at a time */
    struct instruction *n;

    for (unsigned k = 0; k < sizeof i->words / sizeof *i->words; k++)
        hash = (hash ^ i->words[k]) * 0x01000193u, hash ^= hash >> 15;
    hash = (hash ^ i->size) % BUCKETS;
    for (n = s->buckets[hash]; distinct && n; n = n->next)
        if (n->size == i->size && !memcmp(n->words, i->words, sizeof n->words) && !strcmp(n->text, text))
            return true;
    if (s->count == s->room) {
        const size_t room = s->room ? 2 * s->room : 1024;
        void *list = realloc(s->list, room * sizeof *s->list);

        if (!list)
            return false;
        s->list = list;
        s->room = room;
    }
    n = malloc(sizeof *n + length);
    if (!n)
        return false;
    *n = (struct instruction){.next = s->buckets[hash], .path = path, .pc = i->pc, .size = i->size};
    memcpy(n->words, i->words, sizeof n->words);
    memcpy(n->text, text, length);
    s->buckets[hash] = n;
    s->list[s->count++] = n;
    return true;
}

static const char *keep_path(struct dis *d, const char *name)
{
    struct path *p = malloc(sizeof *p + strlen(name) + 1);

    if (!p)
        return name;
    p->next = d->paths;
    strcpy(p->name, name);
    d->paths = p;
    return p->name;
}

/* Takes an object's instructions into the sample of its target. */
static void collect(const char *path, const struct sim_image *m, void *arg)
{
    struct dis *d = arg;
    struct sim_codeobj *o = open_image(path, m, d);
    struct sample *s;
    struct cmd_walk w;
    struct sim_insn i;
    char text[TEXT_BYTES];

    if (!o)
        return;
    d->objects++;
    path = keep_path(d, path);
    cmd_walk_start(&w, o);
    const bool whole = depends_on_place(o);
    for (s = whole ? NULL : d->samples; s; s = s->next)
        if (!s->image && s->isa == o->family->isa && s->wave == (o->family->wave == 32 ? w.wave : 0) &&
            !strcmp(s->target, m->target))
            break;
    if (!s && (s = new_sample(d, m, o, w.wave)))
        s->image = whole ? m : NULL;
    while (s && cmd_walk_next(&w, &i, text, sizeof text)) {
        d->instructions++;
        if (!add(s, &i, text, path, !whole))
            s = NULL;
    }
    if (s && whole) {
        compare(d, s);
    } else if (!s) {
        fprintf(stderr, "fly-sim: %s: out of memory\n", path);
        d->failed = true;
    }
    sim_codeobj_close(o);
}

static void forget(struct dis *d)
{
    for (struct sample *s; (s = d->samples);) {
        d->samples = s->next;
        for (size_t i = 0; i < s->count; i++)
            free(s->list[i]);
        free(s->list);
        free(s);
    }
    for (struct path *p; (p = d->paths);) {
        d->paths = p->next;
        free(p);
    }
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
    d.failed |= !cmd_each_image(path, collect, &d);
    for (const struct sample *s = d.samples; s; s = s->next)
        if (!s->image)
            compare(&d, s);
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
