/* SPDX-License-Identifier: MIT */
/* What the command lines of fly-bench and fly-tune share; see command.h. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime.h"

const char *command_name = "fly";

void command_die(const char *what, const char *value)
{
    fprintf(stderr, "%s: %s%s%s\n", command_name, what, value ? " " : "", value ? value : "");
    exit(2);
}

const char *command_target(const char *on)
{
    char message[600];
    struct fly_runtime *rt;
    if (!on && !getenv("FLY_RUNTIME")) {
        int devices = 0;
        if (fly_runtime_find(NULL, &rt, message, sizeof message) == FLY_STATUS_SUCCESS &&
            rt->device_count(rt, &devices) == 0 && devices > 0)
            on = rt->name;
        else
            on = "sim:gfx950";
    } else if (!on) {
        on = getenv("FLY_RUNTIME");
    }
    if (strncmp(on, "sim:", 4) == 0) {
        const char *now = getenv("FLY_RUNTIME");
        setenv("FLYSIM_DEVICES", on + 4, 1);
        if (!now || !strstr(now, "flysim")) /* a path to the simulator stays */
            setenv("FLY_RUNTIME", "sim", 1);
    } else {
        setenv("FLY_RUNTIME", on, 1);
    }
    return on;
}

void command_add(struct command_list *l, const char *text)
{
    l->v = realloc(l->v, sizeof *l->v * (size_t)(l->n + 1));
    if (!l->v || !(l->v[l->n] = strdup(text)))
        command_die("out of memory", NULL);
    l->n++;
}

void command_free(struct command_list *l)
{
    for (int i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
}

void command_read_suite(struct command_list *l, const char *path)
{
    char line[1024];
    FILE *f = fopen(path, "r");
    if (!f)
        command_die("cannot open suite", path);
    while (fgets(line, sizeof line, f)) {
        char *at = line + strspn(line, " \t");
        at[strcspn(at, "#\r\n")] = '\0';
        for (char *end = at + strlen(at); end > at && (end[-1] == ' ' || end[-1] == '\t');)
            *--end = '\0';
        if (*at)
            command_add(l, at);
    }
    fclose(f);
}
