/* SPDX-License-Identifier: MIT */
/* Lines, blocks and comments of emitted kernels; see text.h. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100, INDENT = 4 };

void kg_buf_add(struct kg_buf *b, const char *text, size_t size)
{
    if (b->room < b->size + size + 1) {
        b->room = 2 * (b->size + size) + 256;
        b->text = realloc(b->text, b->room);
        if (!b->text) {
            fputs("flygen: out of memory\n", stderr);
            exit(1);
        }
    }
    memcpy(b->text + b->size, text, size);
    b->size += size;
    b->text[b->size] = 0;
}

static void add_v(struct kg_buf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *line = malloc((size_t)n + 1);
    if (!line) {
        fputs("flygen: out of memory\n", stderr);
        exit(1);
    }
    vsnprintf(line, (size_t)n + 1, fmt, ap);
    kg_buf_add(b, line, (size_t)n);
    free(line);
}

void kg_buf_printf(struct kg_buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_v(b, fmt, ap);
    va_end(ap);
}

void kg_buf_free(struct kg_buf *b)
{
    free(b->text);
    *b = (struct kg_buf){0};
}

static bool batched(const struct kg *g)
{
    return g->batch < g->copies;
}

void kg_expand(const struct kg *g, struct kg_buf *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '$' && c[1] && g->let[(unsigned char)c[1] & 127]) {
            const char *value = g->let[(unsigned char)*++c & 127];
            kg_buf_add(out, value, strlen(value));
        } else if (*c == '@' && c[1] == '@') {
            c++;
            if (g->copies > 1)
                kg_buf_printf(out, "[%d]", g->copies);
        } else if (*c == '@') {
            if (g->copies > 1)
                kg_buf_printf(out, "[%s]", !batched(g) ? "j" : g->batch > 1 ? "b + j" : "b");
        } else if (*c == '`' && c[1] == '`') {
            c++;
            if (g->batch > 1)
                kg_buf_printf(out, "[%d]", g->batch);
        } else if (*c == '`') {
            if (g->batch > 1)
                kg_buf_add(out, "[j]", 3);
        } else {
            kg_buf_add(out, c, 1);
        }
    }
}

static void line_v(struct kg *g, const char *tail, const char *fmt, va_list ap)
{
    if (g->error[0])
        return;
    struct kg_buf raw = {0};
    add_v(&raw, fmt, ap);
    if (raw.size && raw.text[0] != '#')
        kg_buf_printf(&g->out, "%*s", g->indent * INDENT, "");
    kg_expand(g, &g->out, raw.text ? raw.text : "");
    kg_buf_printf(&g->out, "%s\n", tail);
    kg_buf_free(&raw);
}

void kg_line(struct kg *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    line_v(g, "", fmt, ap);
    va_end(ap);
}

void kg_open(struct kg *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    line_v(g, " {", fmt, ap);
    va_end(ap);
    g->indent++;
}

void kg_close(struct kg *g)
{
    g->indent--;
    kg_line(g, "}");
}

void kg_else(struct kg *g)
{
    g->indent--;
    kg_line(g, "} else {");
    g->indent++;
}

void kg_each(struct kg *g)
{
    if (g->batch > 1) {
        kg_line(g, "#pragma unroll");
        kg_open(g, "for (int j = 0; j < %d; j++)", g->batch);
    }
}

void kg_each_scope(struct kg *g)
{
    kg_each(g);
    if (g->batch == 1) {
        kg_line(g, "{");
        g->indent++;
    }
}

void kg_each_scope_end(struct kg *g)
{
    kg_close(g);
}

void kg_each_end(struct kg *g)
{
    if (g->batch > 1)
        kg_close(g);
}

void kg_batches(struct kg *g, int most)
{
    if (g->copies <= most)
        return;
    if (g->copies % most)
        kg_fail(g, "%d vectors are no whole batches of %d", g->copies, most);
    g->batch = most;
    kg_line(g, "#pragma unroll");
    kg_open(g, "for (int b = 0; b < %d; b += %d)", g->copies, most);
}

void kg_batches_end(struct kg *g)
{
    if (!batched(g))
        return;
    g->batch = g->copies;
    kg_close(g);
}

void kg_note(struct kg *g, const char *fmt, ...)
{
    if (g->error[0])
        return;
    struct kg_buf all = {0};
    va_list ap;
    va_start(ap, fmt);
    add_v(&all, fmt, ap);
    va_end(ap);

    const int room = COLUMNS - 3 - g->indent * INDENT - 3;
    const char *rest = all.text;
    const char *head = "/* ";
    while (*rest) {
        int n = (int)strlen(rest);
        if (n > room) {
            for (n = room; n > 1 && rest[n] != ' '; n--)
                ;
        }
        kg_buf_printf(&g->out, "%*s%s%.*s", g->indent * INDENT, "", head, n, rest);
        rest += n;
        while (*rest == ' ')
            rest++;
        kg_buf_printf(&g->out, "%s\n", *rest ? "" : " */");
        head = " * ";
    }
    kg_buf_free(&all);
}

void kg_blank(struct kg *g)
{
    if (!g->error[0])
        kg_buf_add(&g->out, "\n", 1);
}

void kg_fail(struct kg *g, const char *fmt, ...)
{
    if (g->error[0])
        return;
    int n = snprintf(g->error, sizeof g->error, "%s: ", g->stage ? g->stage : "kernel");
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(g->error + n, sizeof g->error - (size_t)n, fmt, ap);
    va_end(ap);
}
