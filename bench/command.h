/* SPDX-License-Identifier: MIT */
/* What the command lines of fly-bench and fly-tune share. */
#ifndef BENCH_COMMAND_H
#define BENCH_COMMAND_H

/* Problems given on the command line and in files. */
struct command_list {
    char **v;
    int n;
};

/* Prints "PROGRAM: what value" and ends the process with status 2. */
_Noreturn void command_die(const char *what, const char *value);

void command_add(struct command_list *l, const char *text);
void command_read_suite(struct command_list *l, const char *path); /* one a line; # starts a comment */
void command_free(struct command_list *l);

/* Chooses runtime and device through the environment, which is how libfly is told: "sim:ARCH", "hip", "cuda";
 * null: the GPU found, else sim:gfx950. Returns what it chose. */
const char *command_target(const char *on);

/* The name messages start with: set once by main. */
extern const char *command_name;

#endif
