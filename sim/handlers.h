/* SPDX-License-Identifier: MIT */
/*
 * Instruction handlers as the rest of the simulator sees them: tables by lane count and CPU level, bound
 * to opcode rows by token. Also the helpers bodies share that are not worth a copy a level.
 */
#ifndef SIM_HANDLERS_H
#define SIM_HANDLERS_H

#include "state.h"

enum sim_dt {
    SIM_DT_NONE, SIM_DT_U32, SIM_DT_I32, SIM_DT_F32, SIM_DT_F32N, SIM_DT_U64, SIM_DT_I64, SIM_DT_F64,
    SIM_DT_F64N, SIM_DT_U16, SIM_DT_I16, SIM_DT_F16, SIM_DT_F16N, SIM_DT_F16S, SIM_DT_BF16, SIM_DT_BF16N,
    SIM_DT_MASK, SIM_DT_S32, SIM_DT_S64, SIM_DT_ALIAS
};

enum {
    SIM_BODY_CMPX = 1,
    SIM_BODY_PACKED = 2,     /* op_sel and op_sel_hi pick halves */
    SIM_BODY_SCALAR = 4,
    SIM_BODY_NO_EXEC = 32,   /* ignores EXEC */
    SIM_BODY_LOAD = 64,      /* memory read with a destination */
    SIM_BODY_STORE = 128,
    SIM_BODY_ATOMIC = 256,
    SIM_BODY_TRANS = 512,    /* quarter rate */
    SIM_BODY_DOUBLE = 1024,  /* rate of 64-bit operations */
    SIM_BODY_CROSS = 2048,   /* reads lanes other than its own */
    SIM_BODY_KEEP = 4096,    /* 16-bit result that leaves the other half alone on every target */
    SIM_BODY_BYTE = 8192,    /* op_sel[1:0] picks the byte of source 0 */
    SIM_BODY_RELATIVE = 16384 /* which registers it touches is known when it runs */
};

struct sim_body {
    const char *token;
    sim_handler *fn;
    u8 dt;    /* enum sim_dt */
    u8 nsrc;
    u16 flags;
    u8 st[3]; /* types of the sources, SIM_DT_NONE where the body fetches them itself */
};

enum { SIM_LEVEL_V2 = 2, SIM_LEVEL_V3 = 3, SIM_LEVEL_V4 = 4 };

/* The handler of a token, or null. level: SIM_LEVEL_*; wave: 32 or 64. */
const struct sim_body *sim_body_find(int level, int wave, const char *token);

/* All bodies of a table, for coverage lists: pointers, *n of them. */
const struct sim_body *const *sim_bodies(int level, int wave, size_t *n);

/* The highest level this CPU runs, or what FLYSIM_ISA=v2|v3|v4 asks for. */
int sim_level(void);
/* For tests: what sim_level returns from now on; 0 asks the environment and the CPU again. */
void sim_set_level(int level);

/* Runs a wave until it stops; the checked form looks at register state before every instruction, the
 * traced form shows it after. */
struct sim_level_ops {
    void (*run_plain)(struct sim_wave *w);
    void (*run_checked)(struct sim_wave *w);
    void (*run_traced)(struct sim_wave *w);
};
const struct sim_level_ops *sim_level_ops(int level, int wave);

/* FLYSIM_ULP: units in the last place by which transcendental results are moved. */
extern int sim_ulp;

/* Called after each instruction of a traced wave. */
extern void (*sim_trace_hook)(struct sim_wave *w, const struct insn *in);

/* Makes the instruction that a vector instruction means while registers are relative to M0; false if it
 * means itself. copy->fn is null after a fault: a register that does not exist. */
bool sim_gpr_index(struct sim_wave *w, const struct insn *in, struct insn *copy);

/* A copy with `from` and `to` added to the numbers of source 0 and of the destination; false after a fault. */
bool sim_relative(struct sim_wave *w, const struct insn *in, u32 from, u32 to, struct insn *copy);

/* scc, vccz, execz as a source (reg: enum sim_file value). */
u32 sim_special(const struct sim_wave *w, unsigned file);
void sim_unpack_mask(u32 *d, u64 m);

/* For each lane the lane a DPP control reads, or -1; returns false for a control that does not exist. */
bool sim_dpp_map(unsigned ctrl, int lanes, bool rdna, signed char *map);

/* The instruction at a device address, or null. */
const struct insn *sim_insn_at(const struct sim_program *p, u64 pc);

/* Instructions this wave has executed: its clock. */
u64 sim_clock(struct sim_wave *w, const struct insn *in);

/* Whether a 16-bit result of this operation (enum sim_op) leaves the other half alone even on gfx9. */
bool sim_keeps_half(unsigned op);

/* ds_swizzle_b32: the lane that `lane` reads, by the instruction's offset. */
unsigned sim_swizzle_lane(u32 offset, unsigned lane);

/* Named barriers and the workgroup's own (-1), see barrier.c. `set` are the members a signal declares, 0 for
 * those there are; *first becomes whether it is the phase's first. False after a report. */
bool sim_barrier_signal(struct sim_wave *w, const struct insn *in, i32 id, u32 set, bool *first);
bool sim_barrier_init(struct sim_wave *w, const struct insn *in, i32 id, u32 members);
bool sim_barrier_join(struct sim_wave *w, const struct insn *in, i32 id);
/* Whether the wave was a member of a named barrier; it is none any more. */
bool sim_barrier_leave(struct sim_wave *w);
u32 sim_barrier_state(const struct sim_wave *w, i32 id);
/* An arrival at a barrier cell in LDS by n, behind copies under way (covers) or not; gives the cell as it was. */
u64 sim_cell_arrive(struct sim_wave *w, u32 address, u32 n, bool covers);

u32 sim_getreg(struct sim_wave *w, unsigned id);
void sim_setreg(struct sim_wave *w, unsigned simm16, u32 value);

/* Sets the host's rounding and denormal behaviour from MODE; back to the default with null. */
void sim_host_mode(const struct sim_wave *w);

/* The same from MODE's f64 fields, for one f64 instruction. */
void sim_host_mode64(const struct sim_wave *w);

#endif
