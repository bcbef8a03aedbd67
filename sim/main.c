/* SPDX-License-Identifier: MIT */
/* fly-sim: the simulator from the command line. Each command is a file cmd_<name>.c. */
#include "cmd.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"run", cmd_run,
     "run [options] FILE KERNEL ARG...   a kernel, its outputs and counts (run alone for the options)\n"
     "    run --list FILE              kernels and their arguments"},
    {"trace", cmd_run,
     "trace [options] FILE KERNEL ARG... the same, showing every instruction of one wave"},
    {"dis", cmd_dis,
     "dis [--target NAME] FILE     instructions of a code object or bundle\n"
     "    dis --check DIR              decode everything below DIR and compare with llvm-objdump"},
    {"cover", cmd_cover,
     "cover                        mnemonics of every target, and how many are implemented\n"
     "    cover TARGET [FILE|DIR]      the mnemonics of one target, and the kernels' use of them\n"
     "    cover FILE|DIR               the mnemonics that code objects use"},
};

static int usage(FILE *to)
{
    fputs("usage: fly-sim COMMAND\n", to);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(to, "    %s\n", commands[i].help);
    return to == stdout ? 0 : 2;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return usage(stderr);
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0)
        return usage(stdout);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    fprintf(stderr, "fly-sim: no command %s\n", argv[1]);
    return usage(stderr);
}
