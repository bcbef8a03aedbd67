/* SPDX-License-Identifier: MIT */
/*
 * A kernel launch: what to run, on which device, with which arguments; and its result. machine.c cuts it
 * into workgroups and runs them on a pool of threads.
 */
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include <stdatomic.h>

#include "codeobj.h"
#include "flysim.h"
#include "state.h"
#include "handlers.h"
#include "trap.h"

/* A code object on a device: its bytes in device memory, its kernels lowered as they are asked for. */
struct sim_module {
    struct sim_codeobj *object;
    void *file;                  /* the bytes object points into */
    const struct sim_target *target;
    int device;
    u8 *image;                   /* device memory; vaddr v is at image + v */
    struct sim_program *program[2]; /* the whole text, when a kernel needs it, in wave 64 and 32 */
    unsigned nfunctions;
    struct sim_function *functions;
};

struct sim_function {
    struct sim_module *module;
    const struct sim_kernel *k;
    const struct sim_program *program;
    struct sim_program *own;     /* the program when it is this kernel's alone */
    const struct insn *entry;    /* null until it is lowered */
    int vgprs, agprs;            /* allocated */
};

struct sim_fault {
    enum sim_trap_kind kind;
    u64 addr;
    char text[1536];             /* the whole report */
    char line[512];              /* its first line */
};

struct sim_launch {
    /* what to run */
    const struct sim_function *fn;
    const struct sim_target *target;
    int device;
    u32 grid[3];                 /* workgroups */
    u32 block[3];
    u32 items[3];                /* work-items of the grid; the last workgroup may be partial */
    u32 cluster[3];              /* workgroups that run together, along each side; 0: each alone */
    u32 lds;                     /* with the dynamic part */
    u8 *kernarg;                 /* in device memory */
    u64 dispatch;                /* dispatch packet, in device memory, or 0 */
    bool check, trace;
    void (*done)(struct sim_launch *l); /* called once, from any thread, after the end */
    void *arg;
    /* while it runs: machine.c */
    u32 tag;                     /* number of workgroup 0 in the race tags */
    u64 total;                   /* workgroups */
    u32 together;                /* of a cluster; 1: each alone */
    u64 units;                   /* clusters to execute */
    u64 runs;                    /* of them are executed: all, or a sample spread over the grid */
    u64 read_bytes;              /* a sample: bytes the launch reads once, as the caller says; or 0 */
    _Atomic u64 next, finished;
    _Atomic int stop;            /* a fault: no more workgroups are started */
    atomic_flag fault_lock;
    int attached;                /* threads that hold a context of it */
    struct sim_context *idle;    /* contexts to use again */
    struct sim_launch *link;
    struct sim_launch *running;  /* list of launches that have not ended */
    int resident, max_resident;
    /* the result */
    struct sim_fault fault;
    u64 *released;               /* by workgroup: clock of its last release; null unchecked */
    i64 *diff;                   /* executions of each instruction, as differences */
    struct sim_tally tally;
    struct flysim_counts counts;
};

/* Begins: threads of the pool start on its workgroups. Returns at once. */
void sim_launch_begin(struct sim_launch *l);
/* Returns when *flag is set, working on launches meanwhile. */
void sim_work_until(const atomic_int *flag);
/* Wakes threads that are in sim_work_until after a flag was set. */
void sim_work_wake(void);

/* Loads a code object for a device; null with a sentence in err. Keeps a copy of the bytes. */
struct sim_module *sim_module_load(const void *data, size_t n, const struct sim_target *t, int device,
                                   char *err, size_t err_size);
void sim_module_unload(struct sim_module *m);
struct sim_function *sim_module_function(struct sim_module *m, const char *name);

/* Lowers the code at text (device address base, code object address vaddr) for a target. Never fails on
 * bad code: what does not decode or has no body traps when it is executed. Null when out of memory. */
struct sim_program *sim_lower(const struct sim_target *t, int wave, const u8 *text, size_t n, u64 base,
                              u64 vaddr);
void sim_program_free(struct sim_program *p);

/* Whether the launch whose first tag this is has not ended. */
bool sim_launch_active(u32 tag);

/* Later launches of more waves execute about `waves` of them; see flysimSample. 0: all. */
void sim_sample(u64 waves, u64 read_bytes);

/* Launches begun since the start of the process. */
u64 sim_launches(void);

/* Threads in use: FLYSIM_THREADS or the cores available. */
int sim_threads(void);

/* Waves a SIMD holds with that kernel, limited by registers, LDS and workgroup size. */
int sim_occupancy(const struct sim_function *f, u32 block, u32 lds);

/* Fills l->counts from what was executed. */
void sim_count_launch(struct sim_launch *l);

#endif
