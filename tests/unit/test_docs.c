/* SPDX-License-Identifier: MIT */
/*
 * What the pages of docs/ say in tables and problems is what the library has: the fields of every operation
 * (problems.md), how long a row is read once (rowwise.md), and that problems can be pasted.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arch.h"
#include "core/dtype.h"
#include "ops/rowwise.h"
#include "unit.h"

/* A file below the source root, terminated; to be freed. */
static char *page(const char *name)
{
    char path[1024];
    cr_assert(getenv("FLY_SOURCE"), "FLY_SOURCE is not set");
    snprintf(path, sizeof path, "%s/%s", getenv("FLY_SOURCE"), name);
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s cannot be read", path);
    char *text = calloc(1, 1 << 20);
    cr_assert(fread(text, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return text;
}

/* ---- problems.md ------------------------------------------------------------------------------------ */

struct section {
    char text[8192];
    size_t n;
};

#define PUT(s, ...) ((s)->n += (size_t)snprintf((s)->text + (s)->n, sizeof(s)->text - (s)->n, __VA_ARGS__))

static void put_types(struct section *s, const struct fly_op *op)
{
    PUT(s, "Types:");
    for (int i = 0; op->types[i][0] != FLY_DTYPE_NONE; i++) {
        const uint8_t *t = op->types[i];
        const bool weight = t[1] != FLY_DTYPE_NONE && t[1] != t[0];
        PUT(s, "%s `%s", i ? "," : "", fly_dtype_token(t[0]));
        if (weight)
            PUT(s, ",%s", fly_dtype_token(t[1]));
        if (weight || t[2] != t[0])
            PUT(s, ",%s", fly_dtype_token(t[2]));
        PUT(s, "`");
    }
    PUT(s, ".\n\n");
}

static void put_field(struct section *s, const struct fly_op *op, const struct fly_field *f)
{
    PUT(s, "| %s | ", f->name);
    if (f->flags & FLY_FIELD_REQUIRED)
        PUT(s, "required");
    else if (f->same_as >= 0)
        PUT(s, "%s", op->fields[f->same_as].name);
    else if (f->kind == FLY_FIELD_FLOAT)
        PUT(s, "%g", (double)fly_field_to_float(f->fallback));
    else if (f->kind == FLY_FIELD_WORD)
        PUT(s, "%s", f->words[f->fallback]);
    else
        PUT(s, "%lld", (long long)f->fallback);
    PUT(s, " | %s", f->doc);
    for (int i = 0; f->kind == FLY_FIELD_WORD && f->words[i]; i++)
        PUT(s, "%s `%s`", i ? "," : ":", f->words[i]);
    PUT(s, " |\n");
}

Test(docs, problems_have_every_field)
{
    char *text = page("docs/problems.md");
    for (int i = 0; i < FLY_OP_COUNT; i++) {
        const struct fly_op *op = fly_op_table[i];
        struct section s = {.n = 0};
        PUT(&s, "## %s\n\n", op->name);
        put_types(&s, op);
        PUT(&s, "| field | default | meaning |\n|---|---|---|\n");
        for (uint32_t f = 0; f < op->nfields; f++)
            put_field(&s, op, &op->fields[f]);
        cr_assert_lt(s.n, sizeof s.text);
        if (!strstr(text, s.text)) {
            cr_expect_fail("docs/problems.md lacks this section of %s", op->name);
            fprintf(stderr, "\n%s", s.text);
        }
    }
    free(text);
}

/* ---- problems anywhere ------------------------------------------------------------------------------ */

/* Whether the n characters at s are meant as a problem. */
static bool is_problem(const char *s, size_t n)
{
    size_t name = strcspn(s, ":");
    if (name >= n || memchr(s, '\n', n) || memchr(s, '%', n) || memchr(s, '[', n) || memchr(s, ' ', n))
        return false;
    for (int i = 0; i < FLY_OP_COUNT; i++)
        if (strlen(fly_op_table[i]->name) == name && !memcmp(s, fly_op_table[i]->name, name))
            return memchr(s, '=', n) && s[n - 1] != '.';
    return false;
}

static int parse_all(const char *name)
{
    char *text = page(name), one[FLY_MAX_PROBLEM_TEXT], why[400];
    int n = 0;
    for (char *s = text; (s = strchr(s, '`')); s++) {
        const size_t length = strcspn(s + 1, "`\n");
        struct fly_problem p;
        if (is_problem(s + 1, length)) {
            snprintf(one, sizeof one, "%.*s", (int)length, s + 1);
            cr_expect_eq(fly_problem_parse(one, &p, why, sizeof why), FLY_STATUS_SUCCESS, "%s: %s: %s", name, one, why);
            n++;
        }
        if (s[1 + length] == '`')
            s += 1 + length;
    }
    free(text);
    return n;
}

Test(docs, problems_can_be_pasted)
{
    char name[300];
    int n = parse_all("README.md");
    snprintf(name, sizeof name, "%s/docs", getenv("FLY_SOURCE"));
    DIR *folder = opendir(name);
    cr_assert(folder);
    for (struct dirent *e; (e = readdir(folder));)
        if (strlen(e->d_name) > 3 && !strcmp(e->d_name + strlen(e->d_name) - 3, ".md")) {
            snprintf(name, sizeof name, "docs/%s", e->d_name);
            n += parse_all(name);
        }
    closedir(folder);
    cr_expect_geq(n, 20);
}

/* ---- rowwise.md: columns of a row that is read once -------------------------------------------------- */

/* Most columns of the kernels of op's types on arch that keep a row in registers; 0: the build has none. */
static int64_t resident(const struct fly_op *op, const uint8_t types[3], const char *arch)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < op->nkernels; i++) {
        const struct fly_kernel *k = &op->kernels[i];
        if (!strcmp(fly_arch_row(k->arch)->name, arch) && !memcmp(k->types, types, 3) && k->rowwise.passes == 1 &&
            !(k->rowwise.flags & FLY_ROWWISE_SUM) && fly_rowwise_max_cols(k) > most)
            most = fly_rowwise_max_cols(k);
    }
    return most;
}

/* The cells of a table row, trimmed, in place. */
static int cells(char *line, char *cell[], int most)
{
    int n = 0;
    for (char *s = strtok(line, "|"); s && n < most; s = strtok(NULL, "|")) {
        s += strspn(s, " ");
        for (char *end = s + strlen(s); end > s && end[-1] == ' ';)
            *--end = '\0';
        cell[n++] = s;
    }
    return n;
}

Test(docs, rows_are_read_once_as_long_as_registers_hold_them)
{
    static const char head[] = "| problems | ";
    char *text = page("docs/rowwise.md"), *at = strstr(text, head), *column[8], *cell[8];
    int checked = 0, rows = 0;
    cr_assert(at, "docs/rowwise.md has no table that starts with '%s'", head);
    char *next = strchr(at, '\n');
    *next++ = '\0';
    const int n = cells(at, column, 8);
    for (at = strchr(next, '\n') + 1; *at == '|'; at = next, rows++) {
        next = strchr(at, '\n');
        *next++ = '\0';
        cr_assert_eq(cells(at, cell, 8), n);
        for (char *problem = strtok(cell[0], " `"); problem; problem = strtok(NULL, " `")) {
            char whole[200], why[300];
            struct fly_problem p;
            snprintf(whole, sizeof whole, "%s:rows=1,cols=1%s", problem, strstr(problem, ",i8") && *problem != 'q' ? ",quant=dynamic" : "");
            cr_assert_eq(fly_problem_parse(whole, &p, why, sizeof why), FLY_STATUS_SUCCESS, "%s: %s", whole, why);
            for (int c = 1; c < n; c++) {
                char archs[200], *rest;
                snprintf(archs, sizeof archs, "%s", column[c]);
                for (char *arch = strtok_r(archs, ", ", &rest); arch; arch = strtok_r(NULL, ", ", &rest)) {
                    const int64_t most = resident(fly_op_table[p.op], p.types, arch);
                    cr_expect(fly_arch_find(arch), "%s is no arch", arch);
                    cr_expect(!most || most == atoll(cell[c]), "%s on %s: %s columns, and the registry has %lld", problem,
                              arch, cell[c], (long long)most);
                    checked += most > 0;
                }
            }
        }
    }
    cr_expect_geq(rows, 10);
    cr_expect_gt(checked, 0);
    free(text);
}
