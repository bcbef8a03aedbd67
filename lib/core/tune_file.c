/* SPDX-License-Identifier: MIT */
/*
 * Tuning files. A first line "# libfly tuning arch=<arch> registry=<hex> ranked=<how>", a header line, and one
 * line a winner: "problem",cus,kernel,us,second,us2. Files are read as untrusted input and refused
 * as a whole.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/arch.h"
#include "core/env.h"
#include "core/fatbin.h"
#include "core/log.h"
#include "core/select.h"
#include "core/tune.h"

static const char title[] = "# libfly tuning ";
static const char header[] = "problem,cus,kernel,us,second,us2";

enum { MAX_LINE = 1024, MAX_PATH = 1024, NCOLUMNS = 6 };
enum { C_PROBLEM, C_CUS, C_KERNEL, C_US, C_SECOND, C_US2 };

/* A file being read. */
struct reader {
    const char *at, *end;
    unsigned line;
    const struct fly_arch *arch;
    uint64_t registry;
    bool has_registry, modelled;
    char *message;
    size_t n;
};

#define BAD(r, ...) (snprintf((r)->message, (r)->n, __VA_ARGS__), FLY_STATUS_INVALID_VALUE)

/* The next line without its end, terminated, in `line`. 1: a line, 0: the end, -1: too long or
 * binary. */
static int next_line(struct reader *r, char line[MAX_LINE])
{
    if (r->at == r->end)
        return 0;
    size_t left = (size_t)(r->end - r->at);
    const char *newline = memchr(r->at, '\n', left);
    size_t n = newline ? (size_t)(newline - r->at) : left;
    r->line++;
    if (n >= MAX_LINE || memchr(r->at, '\0', n))
        return -1;
    memcpy(line, r->at, n);
    if (n && line[n - 1] == '\r')
        n--;
    line[n] = '\0';
    r->at = newline ? newline + 1 : r->end;
    return 1;
}

static flyStatus_t read_title(struct reader *r, char *line)
{
    if (strncmp(line, title, sizeof title - 1))
        return BAD(r, "line 1: must start with '%s'", title);
    char *save = NULL;
    for (char *word = strtok_r(line + sizeof title - 1, " ", &save); word;
         word = strtok_r(NULL, " ", &save)) {
        if (!strncmp(word, "arch=", 5)) {
            r->arch = fly_arch_find(word + 5);
            if (!r->arch || strcmp(r->arch->name, word + 5))
                return BAD(r, "line 1: arch '%.40s' is unknown", word + 5);
        } else if (!strncmp(word, "registry=", 9)) {
            char *stop;
            r->registry = strtoull(word + 9, &stop, 16);
            r->has_registry = *stop == '\0';
        } else if (!strcmp(word, "ranked=measured") || !strcmp(word, "ranked=modelled")) {
            r->modelled = word[8] == 'o';
        } else {
            return BAD(r, "line 1: '%.40s' is unknown", word);
        }
    }
    return r->arch ? FLY_STATUS_SUCCESS : BAD(r, "line 1: arch= is missing");
}

/* Splits a line at its commas; the first column is in quotes, since problems have commas. */
static bool split(char *line, char *column[NCOLUMNS])
{
    if (*line != '"')
        return false;
    column[0] = line + 1;
    char *s = strchr(line + 1, '"');
    if (!s || s[1] != ',')
        return false;
    *s = '\0';
    s += 2;
    for (int i = 1; i < NCOLUMNS; i++) {
        column[i] = s;
        s = strchr(s, ',');
        if (!s != (i == NCOLUMNS - 1))
            return false;
        if (s)
            *s++ = '\0';
    }
    return true;
}

static bool is_time(const char *s)
{
    char *stop;
    double us = strtod(s, &stop);
    return *s >= '0' && *s <= '9' && *stop == '\0' && us > 0 && us < 1e12;
}

static flyStatus_t read_row(struct reader *r, char *line, struct fly_tune_row *row)
{
    char *column[NCOLUMNS], why[256], *stop;
    if (!split(line, column))
        return BAD(r, "line %u: want \"problem\",cus,kernel,us,second,us2", r->line);
    memset(row, 0, sizeof *row);
    if (fly_problem_parse(column[C_PROBLEM], &row->problem, why, sizeof why) != FLY_STATUS_SUCCESS)
        return BAD(r, "line %u: %s", r->line, why);
    const struct fly_op *op = fly_op_table[row->problem.op], *owner = NULL;
    unsigned long cus = strtoul(column[C_CUS], &stop, 10);
    if (column[C_CUS][0] < '0' || column[C_CUS][0] > '9' || *stop || cus == 0 || cus > UINT16_MAX)
        return BAD(r, "line %u: cus = '%.20s' is no number of compute units", r->line,
                   column[C_CUS]);
    const struct fly_kernel *k = fly_registry_find(column[C_KERNEL], &owner);
    if (!k || owner != op)
        return BAD(r, "line %u: %s has no kernel '%.80s'", r->line, op->name, column[C_KERNEL]);
    if (k->arch != r->arch->id && k->arch != r->arch->generic)
        return BAD(r, "line %u: kernel %s does not run on %s", r->line, k->name, r->arch->name);
    if (memcmp(k->types, row->problem.types, sizeof k->types))
        return BAD(r, "line %u: kernel %s is for other types", r->line, k->name);
    const char *unfit = op->fits(k, &row->problem);
    if (unfit)
        return BAD(r, "line %u: kernel %s does not fit: %s", r->line, k->name, unfit);
    if (!is_time(column[C_US]))
        return BAD(r, "line %u: us = '%.20s' is no time", r->line, column[C_US]);
    if (*column[C_SECOND] ? !is_time(column[C_US2]) : *column[C_US2] != '\0')
        return BAD(r, "line %u: us2 = '%.20s' is no time", r->line, column[C_US2]);
    if (*column[C_SECOND] && (!fly_registry_find(column[C_SECOND], &owner) || owner != op))
        return BAD(r, "line %u: %s has no kernel '%.80s'", r->line, op->name, column[C_SECOND]);
    if (r->has_registry && fly_registry_fingerprint(op, r->arch) != r->registry)
        return BAD(r, "made for another registry (%016" PRIx64 ", this one is %016" PRIx64 ")",
                   r->registry, fly_registry_fingerprint(op, r->arch));
    row->cus = (uint32_t)cus;
    row->arch = r->arch->id;
    row->modelled = r->modelled;
    row->kernel = (uint32_t)(k - op->kernels);
    fly_tune_finish(row);
    return FLY_STATUS_SUCCESS;
}

flyStatus_t fly_tune_read(const char *text, size_t bytes, bool fingerprint,
                          struct fly_tune_row **rows, uint32_t *nrows, char *message, size_t n)
{
    struct reader r = {.at = text, .end = text + bytes, .message = message, .n = n};
    char line[MAX_LINE];
    uint32_t first = *nrows, count = first;
    if (next_line(&r, line) != 1)
        return BAD(&r, "line 1: is missing");
    flyStatus_t status = read_title(&r, line);
    if (status != FLY_STATUS_SUCCESS)
        return status;
    if (fingerprint && !r.has_registry)
        return BAD(&r, "line 1: registry= is missing");
    if (next_line(&r, line) != 1 || strcmp(line, header))
        return BAD(&r, "line 2: must be '%s'", header);
    int more;
    while ((more = next_line(&r, line)) == 1) {
        struct fly_tune_row row;
        status = read_row(&r, line, &row);
        if (status != FLY_STATUS_SUCCESS)
            return status;
        int c = count > first ? fly_tune_compare(&(*rows)[count - 1], &row) : -1;
        if (c >= 0)
            return BAD(&r, c ? "line %u: is not in order" : "line %u: is a duplicate", r.line);
        if (count == FLY_TUNE_MAX_ROWS)
            return BAD(&r, "line %u: more than %d rows", r.line, FLY_TUNE_MAX_ROWS);
        /* Capacities are powers of two, so that rows need not be told beside the array. */
        if ((count & (count - 1)) == 0) {
            struct fly_tune_row *grown =
                realloc(*rows, (count ? 2 * (size_t)count : 1) * sizeof row);
            if (!grown) {
                snprintf(message, n, "line %u: no memory", r.line);
                return FLY_STATUS_OUT_OF_MEMORY;
            }
            *rows = grown;
        }
        (*rows)[count++] = row;
    }
    if (more < 0)
        return BAD(&r, "line %u: is too long or binary", r.line);
    *nrows = count;
    return FLY_STATUS_SUCCESS;
}

/* ---- files and folders ---- */

/* Appends the rows of a file that were ranked as the device ranks. */
static void read_file(const char *path, bool modelled, struct fly_tune_row **rows, uint32_t *nrows)
{
    char why[512];
    size_t bytes;
    const char *text = fly_file_map(path, &bytes);
    if (!text) {
        fly_log(FLY_LOG_TUNE, "tuning: %s: %s", path, fly_file_error(errno));
        return;
    }
    uint32_t before = *nrows;
    if (bytes > FLY_TUNE_MAX_FILE)
        fly_log(FLY_LOG_TUNE, "tuning: %s: refused: larger than %d bytes", path, FLY_TUNE_MAX_FILE);
    else if (fly_tune_read(text, bytes, true, rows, nrows, why, sizeof why) != FLY_STATUS_SUCCESS)
        fly_log(FLY_LOG_TUNE, "tuning: %s: refused: %s", path, why);
    else if (*nrows > before && (*rows)[before].modelled != modelled)
        *nrows = before, fly_log(FLY_LOG_TUNE, "tuning: %s: ignored: its rows were %s, and this device is %s", path,
                                 modelled ? "measured" : "modelled", modelled ? "the simulator" : "a GPU");
    else
        fly_log(FLY_LOG_TUNE, "tuning: %s: %u rows", path, *nrows - before);
    fly_file_unmap(text, bytes);
}

static void read_folder(const char *path, bool modelled, struct fly_tune_row **rows, uint32_t *nrows)
{
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (struct dirent *e; (e = readdir(folder));) {
        size_t n = strlen(e->d_name);
        char file[MAX_PATH];
        if (n < 5 || strcmp(e->d_name + n - 4, ".csv"))
            continue;
        if (snprintf(file, sizeof file, "%s/%s", path, e->d_name) < (int)sizeof file)
            read_file(file, modelled, rows, nrows);
    }
    closedir(folder);
}

static int compare_rows(const void *a, const void *b)
{
    return fly_tune_compare(a, b);
}

/* Folder of a device's winners: "<cache>/fly/<arch>-<cus>", of the simulator's "-modelled" behind it. False when there
 * is no home. */
static bool user_folder(unsigned arch, uint32_t cus, bool modelled, char path[MAX_PATH])
{
    const char *cache = fly_env(FLY_ENV_CACHE_HOME), *home = fly_env(FLY_ENV_HOME);
    if (!cache && !home)
        return false;
    return snprintf(path, MAX_PATH, "%s%s/fly/%s-%u%s", cache ? cache : home, cache ? "" : "/.cache",
                    fly_arch_row(arch)->name, cus, modelled ? "-modelled" : "") < MAX_PATH;
}

void fly_tune_open(struct fly_tune *t, const struct fly_target *target, bool modelled)
{
    memset(t, 0, sizeof *t);
    const char *named = fly_env(FLY_ENV_TUNING);
    char path[MAX_PATH];
    struct stat st;
    uint32_t n = 0;
    if (named && !strcmp(named, "0"))
        return;
    if (named && stat(named, &st) == 0 && S_ISDIR(st.st_mode)) {
        read_folder(named, modelled, &t->owned, &n);
    } else if (named) {
        read_file(named, modelled, &t->owned, &n);
    } else {
        if (!modelled) /* tunec takes measured rows only */
            t->installed = (struct fly_tune_table){fly_tune_installed_rows, fly_tune_installed_count};
        if (user_folder(target->arch->id, target->cus, modelled, path))
            read_folder(path, modelled, &t->owned, &n);
    }
    if (n) {
        qsort(t->owned, n, sizeof *t->owned, compare_rows);
        /* Of equal keys from several files the first stays. */
        uint32_t kept = 1;
        for (uint32_t i = 1; i < n; i++)
            if (fly_tune_compare(&t->owned[kept - 1], &t->owned[i]))
                t->owned[kept++] = t->owned[i];
        t->user = (struct fly_tune_table){t->owned, kept};
    }
}

void fly_tune_close(struct fly_tune *t)
{
    free(t->owned);
    memset(t, 0, sizeof *t);
}

int fly_tune_print(const struct fly_tune_row *r, double us, const struct fly_kernel *second,
                   double us2, char *text, size_t bytes)
{
    const struct fly_op *op = fly_op_table[r->problem.op];
    const struct fly_arch *arch = fly_arch_row(r->arch);
    char problem[FLY_MAX_PROBLEM_TEXT], last[160] = ",";
    fly_problem_print(&r->problem, problem, sizeof problem);
    if (second)
        snprintf(last, sizeof last, "%s,%.3f", second->name, us2);
    return snprintf(text, bytes, "%sarch=%s registry=%016" PRIx64 " ranked=%s\n%s\n\"%s\",%u,%s,%.3f,%s\n",
                    title, arch->name, fly_registry_fingerprint(op, arch), r->modelled ? "modelled" : "measured",
                    header, problem, r->cus,
                    op->kernels[r->kernel].name, us, last);
}

/* Makes the folders of `path` after its first `from` characters. */
static bool make_folders(char *path, size_t from)
{
    for (char *s = path + from;; s++) {
        s += strcspn(s, "/");
        char c = *s;
        *s = '\0';
        bool ok = *path == '\0' || mkdir(path, 0777) == 0 || errno == EEXIST;
        *s = c;
        if (!ok || !c)
            return ok;
    }
}

bool fly_tune_store(const struct fly_tune_row *r, double us, const struct fly_kernel *second,
                    double us2)
{
    char folder[MAX_PATH], file[MAX_PATH], temporary[MAX_PATH], text[2 * MAX_LINE],
        problem[FLY_MAX_PROBLEM_TEXT];
    if (!user_folder(r->arch, r->cus, r->modelled, folder) || !make_folders(folder, 1)) {
        errno = errno ? errno : ENOENT;
        return false;
    }
    /* The problem is the key; its text makes the file's name, with ':' kept out for foreign file
     * systems. */
    fly_problem_print(&r->problem, problem, sizeof problem);
    for (char *s = problem; *s; s++)
        if (*s == ':')
            *s = '_';
    int n = fly_tune_print(r, us, second, us2, text, sizeof text);
    if (snprintf(file, sizeof file, "%s/%s.csv", folder, problem) >= (int)sizeof file ||
        snprintf(temporary, sizeof temporary, "%s/.tmp-XXXXXX", folder) >= (int)sizeof temporary ||
        n < 0 || n >= (int)sizeof text) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = mkstemp(temporary);
    if (fd < 0)
        return false;
    bool ok = write(fd, text, (size_t)n) == n && fchmod(fd, 0644) == 0;
    ok = close(fd) == 0 && ok;
    ok = ok && rename(temporary, file) == 0;
    if (!ok) {
        int error = errno;
        unlink(temporary);
        errno = error;
    }
    return ok;
}
