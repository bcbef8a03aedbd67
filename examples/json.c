/* SPDX-License-Identifier: MIT */
/* The parser of json.h. RFC 8259, without checks of what json_skip passes over. */
#include "json.h"

static bool fail(struct json *j)
{
    j->bad = true;
    j->at = j->end;
    return false;
}

static char peek(struct json *j)
{
    while (j->at < j->end && (*j->at == ' ' || *j->at == '\t' || *j->at == '\n' || *j->at == '\r'))
        j->at++;
    return j->at < j->end ? *j->at : '\0';
}

void json_open(struct json *j, const char *text, size_t bytes)
{
    *j = (struct json){.at = text, .end = text + bytes};
}

bool json_enter(struct json *j, char bracket)
{
    if (j->bad || peek(j) != bracket)
        return fail(j);
    j->at++;
    j->first = true;
    return true;
}

/* Past the comma, if one is due; false at `close` and on error. */
static bool next(struct json *j, char close)
{
    if (j->bad)
        return false;
    char c = peek(j);
    if (c == close) {
        j->at++;
        j->first = false; /* the value just left was a member of what encloses it */
        return false;
    }
    if (!j->first) {
        if (c != ',')
            return fail(j);
        j->at++;
    }
    j->first = false;
    return true;
}

bool json_key(struct json *j, char *key, size_t bytes)
{
    if (!next(j, '}') || !json_string(j, key, bytes))
        return false;
    if (peek(j) != ':')
        return fail(j);
    j->at++;
    return true;
}

bool json_item(struct json *j)
{
    return next(j, ']');
}

static int hex4(struct json *j)
{
    int v = 0;
    if (j->end - j->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char c = *j->at++;
        int d = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
        if (d < 0)
            return -1;
        v = v * 16 + d;
    }
    return v;
}

static size_t utf8(char out[4], unsigned c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)((0xf00 >> n & 0xff) | c);
    return n;
}

bool json_string(struct json *j, char *text, size_t bytes)
{
    static const char escape[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    size_t used = 0;
    if (j->bad || peek(j) != '"')
        return fail(j);
    j->at++;
    for (;;) {
        char unit[4];
        size_t n = 1;
        if (j->at >= j->end)
            return fail(j);
        unit[0] = *j->at++;
        if (unit[0] == '"')
            break;
        if (unit[0] == '\\') {
            if (j->at >= j->end)
                return fail(j);
            char c = *j->at++;
            if (c == 'u') {
                int v = hex4(j);
                if (v < 0)
                    return fail(j);
                if (v >= 0xd800 && v < 0xdc00 && j->end - j->at >= 6 && j->at[0] == '\\' && j->at[1] == 'u') {
                    j->at += 2;
                    int low = hex4(j);
                    if (low < 0xdc00 || low > 0xdfff)
                        return fail(j);
                    v = 0x10000 + ((v - 0xd800) << 10) + (low - 0xdc00);
                }
                n = utf8(unit, (unsigned)v);
            } else {
                size_t k = 0;
                while (escape[k] && escape[k] != c)
                    k++;
                if (!escape[k])
                    return fail(j);
                unit[0] = meaning[k];
            }
        }
        if (used + n < bytes)
            for (size_t i = 0; i < n; i++)
                text[used++] = unit[i];
    }
    if (bytes)
        text[used] = '\0';
    return true;
}

bool json_integer(struct json *j, int64_t *v)
{
    char c = j->bad ? '\0' : peek(j);
    bool negative = c == '-';
    uint64_t n = 0;
    if (negative)
        j->at++;
    if (j->at >= j->end || *j->at < '0' || *j->at > '9')
        return fail(j);
    for (; j->at < j->end && *j->at >= '0' && *j->at <= '9'; j->at++) {
        if (n > (UINT64_MAX >> 1) / 10 - 1)
            return fail(j);
        n = n * 10 + (uint64_t)(*j->at - '0');
    }
    *v = negative ? -(int64_t)n : (int64_t)n;
    return true;
}

bool json_skip(struct json *j)
{
    char ignored[1];
    int depth = 0;
    do {
        char c = j->bad ? '\0' : peek(j);
        if (c == '\0')
            return fail(j);
        if (c == '"') {
            if (!json_string(j, ignored, sizeof ignored))
                return false;
        } else if (c == '{' || c == '[') {
            depth++;
            j->at++;
        } else if (c == '}' || c == ']') {
            depth--;
            j->at++;
        } else if (depth > 0 && (c == ',' || c == ':')) {
            j->at++;
        } else { /* number, true, false, null */
            const char *start = j->at;
            while (j->at < j->end && ((*j->at | 32) >= 'a' ? (*j->at | 32) <= 'z' : *j->at == '-' || *j->at == '+' ||
                                      *j->at == '.' || (*j->at >= '0' && *j->at <= '9')))
                j->at++;
            if (j->at == start)
                return fail(j);
        }
        if (depth < 0)
            return fail(j);
    } while (depth > 0);
    return true;
}
