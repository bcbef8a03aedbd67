/* SPDX-License-Identifier: MIT */
/*
 * A pull parser for the JSON of model files: walk objects and arrays in order, read what is known, skip
 * the rest. Any malformed input sets `bad`, after which every call fails; nothing reads past the end.
 */
#ifndef EXAMPLES_JSON_H
#define EXAMPLES_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    const char *at, *end;
    bool bad;
    bool first; /* no comma is due before the next member */
};

void json_open(struct json *j, const char *text, size_t bytes);

/* Enters '{' or '['. */
bool json_enter(struct json *j, char bracket);

/* Next member of the object entered: its key, cut to `bytes`. False at '}', which is consumed. */
bool json_key(struct json *j, char *key, size_t bytes);

/* Stands before the next element of the array entered. False at ']', which is consumed. */
bool json_item(struct json *j);

/* Values. A string is unescaped to UTF-8 and cut to `bytes` - 1. */
bool json_string(struct json *j, char *text, size_t bytes);
bool json_integer(struct json *j, int64_t *v);
bool json_skip(struct json *j);

#endif
