/* SPDX-License-Identifier: MIT */
/*
 * What executes: the lowered instruction, the state of a wave and of a workgroup. Registers are kept
 * by row: v[register][lane], so that an instruction is a loop over consecutive lanes. Handlers
 * (sim/insn) see these types only; machine.c schedules, mem.c owns device memory.
 */
#ifndef SIM_STATE_H
#define SIM_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa.h"
#include "target.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

struct sim_wave;
struct sim_wg;
struct insn;

/* Executes one instruction and returns the next, or null when the wave stops (state says why). */
typedef const struct insn *sim_handler(struct sim_wave *w, const struct insn *in);

/* Numbers of the scalar file. Special registers have fixed places whatever code a family gives them. */
enum {
    SIM_S_FLAT = 102, SIM_S_XNACK = 104, SIM_S_VCC = 106, SIM_S_TTMP = 108, SIM_S_M0 = 124,
    SIM_S_EXEC = 126, SIM_SGPRS = 128,
    SIM_S_NULL = 128 /* written and never read: what reads NULL has a constant */
};

/* Vector register rows: 0..255 are v0..v255; 256 on are a0..a255 where there are AGPRs and v256..
 * elsewhere. */
enum { SIM_ROW_ACC = 256, SIM_ROWS = 1024 };

/* Register sets: words 0..3 are rows 0..255, words 4 and 5 the scalar file, word 6 bit 0 SCC; rows from
 * 256 on follow in an extension only kernels that use them have. */
enum { SIM_SET_WORDS = 8, SIM_SET_EXT = 12, SIM_SET_S = 4, SIM_SET_SCC = 6 };

enum sim_kind {
    SIM_KIND_ROW,     /* register rows from reg on */
    SIM_KIND_CONST,   /* constant: rows in `rows`, made at decode */
    SIM_KIND_S,       /* scalar register: broadcast */
    SIM_KIND_SPECIAL, /* scc, vccz, execz: value computed at run time */
    SIM_KIND_NONE
};

enum { SIM_MOD_NEG = 1, SIM_MOD_ABS = 2, SIM_MOD_SEXT = 4, SIM_MOD_DPP = 8 };

/* Which part of a register a source reads. */
enum { SIM_SEL_BYTE0, SIM_SEL_BYTE1, SIM_SEL_BYTE2, SIM_SEL_BYTE3, SIM_SEL_WORD0, SIM_SEL_WORD1, SIM_SEL_DWORD };

struct operand {
    u8 kind;  /* enum sim_kind */
    u8 mods;  /* SIM_MOD_* : not plain when nonzero */
    u8 sel;   /* SIM_SEL_* */
    u8 words;
    u8 slow;  /* nonzero: fetch through the general path (mods, sel or DPP) */
    u8 opsel; /* bit 0: half for the low result, bit 1: half for the high one; bit 2, 3: neg of each */
    u16 reg;
    union {
        u64 val;         /* scalar instructions: the constant */
        const u32 *rows; /* vector instructions: `words` rows of 64 lanes */
    };
};

enum sim_cls {
    SIM_CLS_VALU, SIM_CLS_SALU, SIM_CLS_SMEM, SIM_CLS_VMEM_LOAD, SIM_CLS_VMEM_STORE, SIM_CLS_LDS,
    SIM_CLS_MATRIX, SIM_CLS_BRANCH, SIM_CLS_WAIT, SIM_CLS_OTHER, SIM_CLS_COUNT
};

/* Why a destination cannot be written in place. */
enum {
    SIM_DST_CLAMP = 1, SIM_DST_OMOD = 2, SIM_DST_SDWA = 4, SIM_DST_DPP = 8, SIM_DST_HI = 16,
    SIM_DST_KEEP = 32,  /* a 16-bit result leaves the other half alone */
    SIM_DST_ALIAS = 64  /* the destination is also a source: write through a temporary row */
};

/* How undefined bytes of the sources show in the result: see flow.c. */
enum sim_flow {
    SIM_FLOW_ALL,     /* any of them makes the whole result undefined */
    SIM_FLOW_BITWISE, /* byte by byte */
    SIM_FLOW_AND,     /* likewise, and a zero byte in a scalar or constant operand defines it */
    SIM_FLOW_SELECT,  /* v_cndmask: of the source the mask picks */
    SIM_FLOW_SHL, SIM_FLOW_SHR, /* S1 shifted by S0 */
    SIM_FLOW_SHL_OR,  /* S0 shifted by S1, S2 merged or added */
    SIM_FLOW_PERM,
    SIM_FLOW_LOW,     /* 64-bit integers: the low word comes from low words */
    SIM_FLOW_PK16, SIM_FLOW_PK32, SIM_FLOW_PK_MOV,
    SIM_FLOW_READLANE, SIM_FLOW_WRITELANE, SIM_FLOW_SWAP, SIM_FLOW_SWAP16, SIM_FLOW_SWAP32, SIM_FLOW_MATRIX
};

struct insn {
    sim_handler *fn;
    struct operand o[5]; /* o[0] destination, o[1..3] sources, o[4] second destination or mask */
    i32 imm;             /* offset, simm16, DPP control ... */
    u16 imm2;
    u8 dst;              /* SIM_DST_* */
    u8 omod;
    u8 clamp;
    u8 cls;              /* enum sim_cls */
    u8 nsrc;
    u8 flow;             /* enum sim_flow */
    u8 reads[3];         /* bytes of each 32-bit word of a source it looks at */
    u8 cnt;              /* memory: enum sim_counter it increments, +1; 0 none */
    u8 cnt2;             /* FLAT: the second one, +1 */
    u8 hz;               /* SIM_HZ_*, see hazard.h */
    u8 states;           /* wait states it counts for */
    u8 reach, near_s;    /* see hazard.h */
    u16 kind;            /* SIM_HK_*, see hazard.h */
    u8 half;             /* small loads: 1 into the low half, 2 into the high half */
    u8 width;            /* memory: dwords moved; matrix: passes */
    u16 flags;           /* SIM_IN_* */
    u64 groups;          /* of `use` and `def`: a bit eight registers, and SIM_GROUP_EXT */
    union {
        const struct insn *target;  /* branch target */
        const struct operand *more; /* scaled matrix: the scales of B */
    };
    const struct sim_insn *src; /* as decoded */
    const void *aux;     /* handler's own: matrix form, wait counts ... */
    u64 rows[4];         /* vector rows it touches, see hazard.h */
    u64 use[SIM_SET_WORDS] __attribute__((aligned(64)));
    u64 def[SIM_SET_WORDS];
} __attribute__((aligned(64)));

enum {
    SIM_IN_LDS_DMA = 1,  /* result goes to LDS at M0 */
    SIM_IN_TRANS = 2,    /* quarter-rate VALU */
    SIM_IN_EXEC_FREE = 4,/* does not depend on EXEC (readlane, MFMA) */
    SIM_IN_ATOMIC = 8,
    SIM_IN_PARTIAL = 16, /* writes only some bits of its destination */
    SIM_IN_MEM = 32,
    SIM_IN_STORE = 64,
    SIM_IN_EXT = 128,    /* has a row in the program's extended sets */
    SIM_IN_DUAL = 512,   /* aux is a struct sim_dual */
    SIM_IN_COHERENT = 256 /* a load or store that other workgroups see at once: its own synchronisation */
};

/* In the groups of every wave's bad registers, and of instructions with extended sets: always looked at. */
#define SIM_GROUP_EXT (1ull << 63)

/* The groups of a set: which of its bytes are not zero. */
static inline u64 sim_groups(const u64 *set)
{
    u64 g = 0;
    for (int k = 0; k < SIM_SET_WORDS; k++)
        for (int j = 0; j < 8; j++)
            g |= (u64)((set[k] >> 8 * j & 255) != 0) << (8 * k + j);
    return g;
}

/* The halves of a dual instruction. */
struct sim_dual {
    struct insn half[2];
    u8 first;     /* which is executed first */
    bool crossed; /* each reads what the other writes */
};

struct sim_ext { u64 use[SIM_SET_EXT], def[SIM_SET_EXT]; };

/* A kernel, or all of a code object, lowered for one target and wave size. Read-only while it runs. */
struct sim_program {
    const struct sim_target *target;
    int wave;                 /* lanes: 32 or 64 */
    bool gfx9;
    u64 base;                 /* device address of insn 0's bytes */
    u64 vaddr;                /* its address in the code object */
    size_t count;             /* instructions */
    struct insn *insn;        /* count + 1: the last one traps */
    struct sim_insn *decoded;
    u32 *at;                  /* dword offset in the text -> instruction, ~0 in the middle of one */
    size_t dwords;
    bool leaves;              /* may go on outside of this text: calls, branches beyond its ends */
    struct sim_ext *ext;      /* a row an instruction; null when no row above 255 is used */
    int max_row;              /* highest row any instruction touches */
    void *pool;               /* constant rows */
};

enum sim_state { SIM_RUN, SIM_BARRIER, SIM_NAMED, SIM_DONE, SIM_FAULT }; /* NAMED: waits at a named barrier or the cluster's */

/* High word of the base that marks the private segment buffer of gfx90a; no address of a host. */
enum { SIM_SCRATCH_HI = 0xff00 };

enum { SIM_QUEUE = 64, SIM_RECENT = 16, SIM_INDEXED = 2 * SIM_RECENT };

/* A vector instruction of late, for the hazard check. */
struct sim_recent { const struct insn *in; u32 at; };

/* One outstanding operation of a counter. */
struct sim_pending {
    u16 row;   /* first register */
    u8 words;  /* 0: nothing arrives (a store) */
    u8 scalar; /* registers are SGPRs */
    u8 kind;   /* 0 in-order vector op, 1 scalar memory, 2 FLAT of gfx9 */
    u32 insn;
    u32 lds_lo, lds_hi;     /* LDS bytes written on arrival (direct-to-LDS) */
    u32 store_lo, store_hi; /* LDS bytes an LDS store writes */
};

struct sim_queue {
    struct sim_pending q[SIM_QUEUE];
    u32 head, len;
};

struct sim_wave {
    u32 *v;                  /* rows of `lanes` dwords */
    u64 full;                /* mask of all lanes */
    int rows;                /* of v that exist */
    union {
        u32 s[SIM_SGPRS + 32];
        struct {
            u32 s_low[SIM_S_VCC];
            u64 vcc;
            u32 s_mid[SIM_S_EXEC - SIM_S_VCC - 2];
            u64 exec;
        };
    };
    u32 scc;
    u32 mode;                /* MODE register */
    const struct insn *pc;
    const struct insn *run;  /* start of the straight run in progress: for counts */
    i64 budget;              /* instructions left in this slice */
    u32 *diff;               /* per-instruction execution counts, as differences */
    const struct sim_program *prog;
    struct sim_wg *wg;
    u64 lane_mask;           /* lanes the DPP of this instruction writes */
    u32 state;               /* enum sim_state */
    u32 id;                  /* within the workgroup */
    bool check;
    u32 ieee;                /* 0 or 1; of a word, as loops over lanes read it */
    u32 erow[64] __attribute__((aligned(64))); /* EXEC as 0 or ~0 a lane */
    u32 tmp[12][64] __attribute__((aligned(64)));
    /* checks */
    u64 bad[SIM_SET_WORDS] __attribute__((aligned(64)));  /* pending, or not fully written */
    u64 bad_groups;          /* sim_groups of it and SIM_GROUP_EXT */
    u64 pend[SIM_SET_WORDS];
    u64 bad_ext[SIM_SET_EXT], pend_ext[SIM_SET_EXT];
    u64 (*und)[4];           /* a row: lanes whose byte 0..3 is undefined */
    u64 *origin;             /* a row: where the undefined bytes came from, see check.c */
    u8 *npend;               /* a row: loads outstanding */
    u8 spend[SIM_SGPRS + 32];
    u64 sorigin[SIM_SGPRS + 32]; /* likewise for scalar registers */
    u64 smask[SIM_SGPRS + 32];   /* of a lane mask: the lanes whose bit is undefined */
    u64 scc_origin;
    u64 start_exec;          /* EXEC at the start of the wave */
    struct sim_queue queue[SIM_CNT_COUNT];
    u64 barrier_exec;        /* EXEC at the last barrier; lanes beyond it must not come back */
    const struct insn *barrier_insn;
    u32 barriers;            /* executed */
    u8 named;                /* the named barrier it has joined, 0 none */
    bool named_done;         /* which has completed since it last waited there */
    bool at_cluster, cluster_done; /* likewise of the cluster's barrier: waits there (SIM_NAMED), has completed */
    bool worked;             /* has touched LDS or stored */
    bool changed;            /* memory changed, or a clock was read, in this slice: see deadlock.c */
    bool host;               /* has touched memory the host may write meanwhile */
    /* hazards: wait states so far, when the last vector instruction ran that wrote a scalar and any, until
     * when and on which rows (old and new ones) late results matter */
    u32 states, last_s, last_v, until, hot_from, nrecent;
    u64 hot[2][4];
    struct sim_recent recent[SIM_RECENT];
    struct insn *indexed;    /* copies with relative register numbers, which `recent` may name; SIM_INDEXED of them */
    u32 nindexed;
    /* private memory: scratch[dword][lane], a byte mask of what was written beside it */
    u8 *scratch;
    u8 *scratch_init;        /* bit a byte, by lane */
    u32 scratch_bytes;       /* a lane */
    u64 hit_lo, hit_hi;      /* last allocation touched */
    u64 insns;               /* executed */
    u64 clock;
    struct sim_tally *tally;
    void (*hook)(struct sim_wave *w, const struct insn *in); /* of a traced run: after each instruction */
    struct sim_watch *watch; /* deadlock.c */
};

/* LDS shadow, by dword: who wrote it last and in which barrier epoch (epoch << 6 | direct-to-LDS << 5 |
 * wave), who read it since (epoch << 32 | waves), and the writing instruction, with SIM_LDS_LATE when a
 * barrier came before its wait. Epochs only grow, so nothing is cleared between workgroups. */
struct sim_lds_shadow {
    u32 *write;
    u64 *read;
    u32 *insn;
    u8 *init; /* bit a byte */
};
enum { SIM_LDS_DMA = 32, SIM_LDS_EPOCH = 6 };
#define SIM_LDS_LATE 0x80000000u

/* What memory instructions add up; a copy a thread, summed when a launch ends. */
struct sim_tally {
    u64 read_bytes, write_bytes, param_bytes, lds_bytes, lds_conflict, lds_conflict_naive;
    u64 lds_cycles, scratch_bytes;
    u64 first_read, first_write; /* of lines the launch had not read, written before */
    u64 first_param;             /* likewise, of parameters: both together */
};

struct sim_wg {
    u8 *lds;
    u32 lds_bytes;
    struct sim_lds_shadow shadow;
    u32 epoch, epoch0;       /* barrier count; its value when this workgroup started */
    u32 tag;                 /* of this workgroup in the global race tags */
    u32 id[3];
    u32 waves, live, at_barrier;
    u32 signals;             /* of its barrier, in this phase */
    struct { u8 members, signals; } named[32];
    struct sim_wave **w;
    struct sim_launch *launch;
    u64 released, acquired;  /* clocks of the last release and acquire, for the race check */
    u64 acquired_near;       /* clock of the last acquire from workgroups of its cluster */
    struct sim_clocks *clocks; /* of its waves: clocks.h */
    bool clocked;            /* they run */
    struct sim_cluster *cluster; /* null: it is alone */
    u32 rank;                /* in the cluster */
};

static inline u32 *sim_row(const struct sim_wave *w, unsigned lanes, unsigned row)
{
    return w->v + (size_t)row * lanes;
}

#endif
