/* SPDX-License-Identifier: MIT */
/* The vocabulary in a hash table, and the greedy match of wordpiece.h. */
#include "wordpiece.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"

enum { MAX_ID = 1 << 20, MAX_WORD = 100 };

static uint32_t hash(const char *s)
{
    uint32_t h = 2166136261u;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 16777619u;
    return h;
}

static int find(const struct wordpiece *w, const char *token)
{
    for (uint32_t i = hash(token);; i++) {
        int id = w->slot[i & (uint32_t)(w->slots - 1)];
        if (id < 0 || strcmp(w->token[id], token) == 0)
            return id;
    }
}

static int add(struct wordpiece *w, const char *token, int64_t id)
{
    if (id < 0 || id >= MAX_ID || w->token[id] || !(w->token[id] = strdup(token)))
        return -1;
    uint32_t i = hash(token);
    while (w->slot[i & (uint32_t)(w->slots - 1)] >= 0)
        i++;
    w->slot[i & (uint32_t)(w->slots - 1)] = (int)id;
    w->tokens++;
    return 0;
}

static char *read_file(const char *path, size_t *bytes)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long n;
    if (!f)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0 && (n = ftell(f)) > 0 && fseek(f, 0, SEEK_SET) == 0 && (text = malloc((size_t)n)) &&
        fread(text, 1, (size_t)n, f) != (size_t)n) {
        free(text);
        text = NULL;
    }
    if (text)
        *bytes = (size_t)n;
    fclose(f);
    return text;
}

/* {..., "model": {..., "vocab": {"token": id, ...}}} */
static int read_vocabulary(struct wordpiece *w, struct json *j)
{
    char key[512];
    int64_t id;
    json_enter(j, '{');
    while (json_key(j, key, sizeof key)) {
        if (strcmp(key, "model") == 0) {
            json_enter(j, '{');
        } else if (strcmp(key, "vocab") == 0) {
            json_enter(j, '{');
            while (json_key(j, key, sizeof key))
                if (!json_integer(j, &id) || add(w, key, id) != 0)
                    return -1;
            return j->bad ? -1 : 0;
        } else {
            json_skip(j);
        }
    }
    return -1;
}

int wordpiece_open(struct wordpiece *w, const char *path, char *error, size_t error_bytes)
{
    size_t bytes = 0;
    struct json j;
    char *text = read_file(path, &bytes);
    memset(w, 0, sizeof *w);
    if (!text) {
        snprintf(error, error_bytes, "%s cannot be read", path);
        return -1;
    }
    w->slots = 2 * MAX_ID;
    w->token = calloc(MAX_ID, sizeof *w->token);
    w->slot = malloc((size_t)w->slots * sizeof *w->slot);
    if (w->token && w->slot) {
        memset(w->slot, 0xff, (size_t)w->slots * sizeof *w->slot);
        json_open(&j, text, bytes);
        if (read_vocabulary(w, &j) == 0 && find(w, "[UNK]") >= 0 && find(w, "[CLS]") >= 0 && find(w, "[SEP]") >= 0) {
            free(text);
            return 0;
        }
    }
    free(text);
    wordpiece_close(w);
    snprintf(error, error_bytes, "%s holds no WordPiece vocabulary", path);
    return -1;
}

void wordpiece_close(struct wordpiece *w)
{
    for (int i = 0; w->token && i < MAX_ID; i++)
        free(w->token[i]);
    free(w->token);
    free(w->slot);
    memset(w, 0, sizeof *w);
}

/* Pieces of one word; [UNK] for the whole word when some part of it has none. */
static int encode_word(const struct wordpiece *w, const char *word, int *id, int max)
{
    size_t length = strlen(word), from = 0;
    int n = 0;
    while (from < length) {
        char piece[MAX_WORD + 3];
        int found = -1;
        size_t to = length;
        for (; to > from && found < 0; to--) {
            snprintf(piece, sizeof piece, "%s%.*s", from ? "##" : "", (int)(to - from), word + from);
            found = find(w, piece);
        }
        if (found < 0 || n == max) {
            if (max > 0)
                id[0] = find(w, "[UNK]");
            return max > 0;
        }
        id[n++] = found;
        from = to + 1;
    }
    return n;
}

int wordpiece_encode(const struct wordpiece *w, const char *text, int *id, int max)
{
    int n = 0;
    if (max < 2)
        return 0;
    id[n++] = find(w, "[CLS]");
    while (*text && n < max - 1) {
        char word[MAX_WORD + 1];
        size_t k = 0;
        unsigned char c = (unsigned char)*text;
        if (isspace(c)) {
            text++;
            continue;
        }
        if (ispunct(c)) {
            word[k++] = *text++;
        } else {
            while (*text && !isspace((unsigned char)*text) && !ispunct((unsigned char)*text) && k < MAX_WORD)
                word[k++] = (char)tolower((unsigned char)*text++);
        }
        word[k] = '\0';
        n += encode_word(w, word, id + n, max - 1 - n);
    }
    id[n++] = find(w, "[SEP]");
    return n;
}
