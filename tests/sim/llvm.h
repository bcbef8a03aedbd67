/* SPDX-License-Identifier: MIT */
/* LLVM's assembler and disassembler as a second witness. */
#ifndef SIM_TEST_LLVM_H
#define SIM_TEST_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One instruction as LLVM sees it. */
struct llvm_line {
    uint8_t bytes[24];
    unsigned size;     /* 0: refused */
    char text[512];
};

/* Are llvm-mc and llvm-objdump of LLVM 22 or newer here? */
bool llvm_found(void);

/* Its name there, e.g. "llvm-mc-22", or null. */
const char *llvm_tool(const char *name);

/* Assembles texts[i] for the target, each on its own: sets bytes and size. False if the tool
 * fails. */
bool llvm_assemble(const char *target, unsigned wave, char *const *texts, size_t n,
                   struct llvm_line *out);

/* Disassembles lines[i].bytes, each in 32 bytes of its own: sets text and, from the instruction
 * seen, size (0 when undecodable). */
bool llvm_disassemble(const char *target, unsigned wave, struct llvm_line *lines, size_t n);

#endif
