/* SPDX-License-Identifier: MIT */
/* The text of an instruction as llvm-objdump 22 writes it. */
#include "decode/table.h"

#include <stdio.h>

int sim_print(const struct sim_family *f, const struct sim_insn *i, unsigned msb, char *buf, size_t n)
{
    (void)f;
    (void)msb;
    if (!i->op)
        return snprintf(buf, n, ".long 0x%08x", i->words[0]);
    return sim_opcode_text(i->op, buf, n);
}
