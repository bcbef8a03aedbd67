/* SPDX-License-Identifier: MIT */
/* The commands of fly-sim and what they share. argv[0] is the command's name; the result is the
 * exit status. */
#ifndef SIM_CMD_H
#define SIM_CMD_H

#include "bundle.h"
#include "codeobj.h"
#include "decode/decode.h"

int cmd_dis(int argc, char **argv);
int cmd_cover(int argc, char **argv);
/* Also trace, by argv[0]. */
int cmd_run(int argc, char **argv);

/* Calls fn for every code object in the file at path or in the files below it; files that are
 * neither code objects nor bundles are passed over below a folder, and an error otherwise. False
 * after an error, which has been printed. */
bool cmd_each_image(const char *path,
                    void (*fn)(const char *path, const struct sim_image *m, void *arg), void *arg);

/* A walk over an object's .text as a disassembler does it: one instruction or, where none decodes,
 * four bytes at a time, with the state that changes how text shows registers. */
struct cmd_walk {
    const struct sim_codeobj *o;
    uint64_t at;   /* vaddr of the next instruction */
    unsigned msb;  /* operand of the last s_set_vgpr_msb */
    unsigned wave;
};
void cmd_walk_start(struct cmd_walk *w, const struct sim_codeobj *o);
/* The next instruction into out (op null if undecodable), its text into text; false at the end. */
bool cmd_walk_next(struct cmd_walk *w, struct sim_insn *out, char *text, size_t n);

#endif
