/* SPDX-License-Identifier: MIT */
/*
 * Runs a few instructions on given register contents: for tests of what instructions mean. The code is
 * machine code (llvm-mc --filetype=obj, the .text section); an s_endpgm is appended. One wave, one
 * workgroup, no kernel descriptor.
 *
 *     struct sim_snippet s;
 *     sim_snippet_init(&s, "gfx942", 64);
 *     s.v[1 * 64 + lane] = ...;                    // v1
 *     if (!sim_snippet_run(&s, code, bytes)) puts(s.fault.text);
 *     ... s.v[0 * 64 + lane] ...
 *     sim_snippet_free(&s);
 *
 * Device memory for it comes from sim_snippet_alloc, whose pointers are the device's addresses too.
 */
#ifndef SIM_TESTING_H
#define SIM_TESTING_H

#include "launch.h"

enum { SIM_SNIPPET_LDS = 65536 };

struct sim_snippet {
    const struct sim_target *target;
    int wave;            /* 64 or 32 */
    int level;           /* SIM_LEVEL_V2, V3, V4: which handlers; 0: the best for this CPU */
    bool check;          /* strict mode; every register counts as written */
    u32 *v;              /* v[register * wave + lane], 512 registers: v0 on, then a0 (or v256) on at 256 */
    u32 s[SIM_SGPRS];    /* s0 on; vcc, m0, exec at SIM_S_VCC, SIM_S_M0, SIM_S_EXEC */
    u64 exec;            /* in and out; s[] has a copy after the run */
    u32 scc;
    u32 mode;            /* MODE; sim_snippet_init sets what compilers set: all denormals, IEEE on gfx9, gfx11 */
    u8 *lds;             /* SIM_SNIPPET_LDS bytes */
    u32 scratch_bytes;   /* private memory a lane, at most 4096 */
    struct sim_fault fault;
    u64 executed;        /* instructions */
};

/* False for a target that does not exist or has no waves of that size. */
bool sim_snippet_init(struct sim_snippet *s, const char *target, int wave);
/* False after a fault. May be called again: registers keep what the last run left. */
bool sim_snippet_run(struct sim_snippet *s, const void *code, size_t bytes);
void sim_snippet_free(struct sim_snippet *s);

/* n bytes of device memory, filled with zeros that count as written. */
void *sim_snippet_alloc(size_t n);
void sim_snippet_release(void *p);

#endif
