/* SPDX-License-Identifier: MIT */
/*
 * Kernels for tests of the simulator from lines of assembly: assembled by llvm-mc, linked by ld.lld and
 * loaded through the HIP ABI. A kernel gets four 8-byte arguments, which its first lines put into s[8:15];
 * s2 is moved to s16: the workgroup's number. v1 is 4 times the work-item's number in v0.
 */
#ifndef SIM_TEST_KERNEL_H
#define SIM_TEST_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "hip/api.h"

struct kernel {
    const char *target;      /* null: gfx942 */
    const char *body;
    unsigned lds, scratch;   /* bytes: a workgroup, a work-item */
    bool dynamic_stack;
    bool wave64;             /* gfx11, gfx12: waves of 64 lanes */
    unsigned cluster;        /* gfx1250: so many workgroups run together, 0 each alone; */
    bool compiled;           /* the code object says so, not the launch */
};

/* Are the tools here? */
bool kernel_tools(void);

/* The code object, malloc'd; null after printing the assembler's complaint. */
void *kernel_object(const struct kernel *k, size_t *bytes);

/* Runs it over `groups` workgroups of `block` work-items and waits for the end. Tests for which it cannot
 * be built fail. */
hipError_t kernel_run(const struct kernel *k, unsigned groups, unsigned block, const uint64_t args[4]);

/* Device memory: bytes that are written (with zeros) or not. */
uint64_t kernel_zeros(size_t bytes);
uint64_t kernel_fresh(size_t bytes);

/* Whether the whole of text is the pattern, in which * is any run of characters and # a run of digits and
 * letters. */
bool kernel_match(const char *pattern, const char *text);

#endif
