/* SPDX-License-Identifier: MIT */
/*
 * The strict checks: kernels with one fault planted each, and the report that must come; and the same
 * kernels put right, which must pass.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flysim.h"
#include "kernel.h"

/* Arguments of every case: 0 (s[8:9]) is 256 written bytes, 1 (s[10:11]) 256 bytes nobody wrote, 2
 * (s[12:13]) 4096 written bytes, 3 (s[14:15]) memory that was freed. */
struct fault_case {
    const char *name;
    struct kernel kernel;
    unsigned groups, block;
    const char *first;       /* the report's first line; null: no fault */
    const char *place;       /* the faulting instruction as the report shows it */
};

#define STORE "global_store_dword v1, v2, s[8:9]"

/* A tile of one row of that many bytes from argument 0 to LDS 0. */
#define TENSOR(bytes) TENSOR_HEAD(bytes) "tensor_load_to_lds s[20:23], s[24:31]"
#define TENSOR_HEAD(bytes)                                                                         \
    "s_mov_b32 s20, 1\ns_mov_b32 s21, 0\ns_mov_b32 s22, s8\ns_or_b32 s23, s9, 0x80000000\n"        \
    "s_mov_b32 s24, 0\ns_lshl_b32 s25, " bytes ", 16\ns_mov_b32 s26, 0x10000\n"                     \
    "s_lshl_b32 s27, " bytes ", 16\ns_mov_b32 s28, 1\ns_mov_b32 s29, 0\ns_mov_b32 s30, 0\n"         \
    "s_mov_b32 s31, 0\n"

/* s[20:23]: 64 records of 4 bytes at a base, with the last word of a resource. */
#define BUFFER(base, high, word)                                                                   \
    "s_mov_b32 s20, " base "\ns_or_b32 s21, " high ", 0x40000\ns_movk_i32 s22, 0x40\ns_mov_b32 s23, " word "\n"

/* Two loads of consecutive dwords. */
#define FLAT_TWO(size)                                                                             \
    "v_mov_b32_e32 v4, s8\nv_mov_b32_e32 v5, s9\nflat_load_" size " v2, v[4:5]\nflat_load_" size " v3, v[4:5] offset:4\n"

/* Two waves write LDS by FLAT; v2: the neighbour's. */
#define FLAT_LDS(store)                                                                            \
    "v_xor_b32_e32 v2, 0x100, v1\ns_mov_b64 s[20:21], src_shared_base\nv_mov_b32_e32 v4, v1\nv_mov_b32_e32 v5, s21\n" \
    "flat_" store " v[4:5], v0\n"

#define DOUBLES                                                                                    \
    "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0\ns_nop 4\n"

/* Two waves write LDS and signal a named barrier of so many members. */
#define NAMED(members)                                                                             \
    "v_xor_b32_e32 v2, 0x80, v1\ns_mov_b32 m0, 0x" #members "0001\ns_barrier_init m0\n"            \
    "s_barrier_signal -1\ns_barrier_wait 0xffff\ns_barrier_join m0\nds_store_b32 v1, v0\n"         \
    "s_wait_dscnt 0x0\ns_barrier_signal 1\n"

/* Three waves; named barrier 1 is for two of them. s20: the wave's number; v2: the neighbour's LDS, v5: the first one's. */
#define MEMBERS                                                                                    \
    "v_xor_b32_e32 v2, 0x80, v1\nv_and_b32_e32 v5, 0x7f, v1\nv_readfirstlane_b32 s20, v0\ns_lshr_b32 s20, s20, 5\n" \
    "s_mov_b32 m0, 0x20001\ns_barrier_init m0\ns_barrier_signal -1\ns_barrier_wait 0xffff\n"
/* A member writes and passes the barrier. */
#define MEMBER                                                                                     \
    "s_barrier_join m0\nds_store_b32 v1, v0\ns_wait_dscnt 0x0\ns_barrier_signal 1\ns_barrier_wait 1\n"
/* Wave 0 writes what wave 1 reads behind named barrier 1, five times; `empty`: what tells it that LDS may be written anew. */
#define RING(empty)                                                                                \
    "v_and_b32_e32 v5, 0x7f, v1\nv_readfirstlane_b32 s20, v0\ns_mov_b32 m0, 0x20002\ns_barrier_init m0\n" \
    "s_mov_b32 m0, 0x20001\ns_barrier_init m0\ns_barrier_signal -1\ns_barrier_wait 0xffff\ns_mov_b32 s30, 5\n" \
    ".Lr:\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc0 .Lone\nds_store_b32 v5, v0\ns_wait_dscnt 0x0\n.Lone:\n" \
    "s_mov_b32 m0, 1\ns_barrier_join m0\ns_barrier_signal 1\ns_barrier_wait 1\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 .Ltwo\n" \
    "ds_load_b32 v3, v5\ns_wait_dscnt 0x0\n.Ltwo:\ns_mov_b32 m0, 2\n" empty                      \
    "s_sub_co_u32 s30, s30, 1\ns_cmp_lg_u32 s30, 0\ns_cbranch_scc1 .Lr"

/* Wave 0 makes a barrier cell at LDS 0x100 for one arrival and waits there for wave 1, which writes LDS. */
#define CELL                                                                                       \
    "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 0x100\nv_mov_b32_e32 v8, 1\n"     \
    "v_mov_b32_e32 v9, 0\nv_xor_b32_e32 v2, 0x80, v1\nv_readfirstlane_b32 s20, v0\n"               \
    "s_mov_b32 s21, exec_lo\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 .La\ns_mov_b32 exec_lo, 1\n"      \
    "ds_store_b64 v6, v[4:5]\ns_wait_dscnt 0x0\ns_mov_b32 exec_lo, s21\n.La:\n"                    \
    "s_barrier_signal -1\ns_barrier_wait 0xffff\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 .Lb\n"       \
    "ds_store_b32 v1, v0\n"
#define CELL_WAIT                                                                                  \
    ".Lb:\nds_load_b64 v[10:11], v6\ns_wait_dscnt 0x0\nv_readfirstlane_b32 s22, v10\n"             \
    "s_bitcmp1_b32 s22, 29\ns_cbranch_scc0 .Lb\nds_load_b32 v3, v2\ns_wait_dscnt 0x0"

/* The cluster's barrier as LLVM writes it; of a wave, and of several, whose first signals for all. */
#define CLUSTER_BARRIER "s_barrier_signal -3\ns_barrier_wait 0xfffd\n"
#define CLUSTER_BARRIERS                                                                           \
    "s_cmp_eq_u32 0, 0\ns_barrier_signal_isfirst -1\ns_barrier_wait 0xffff\ns_cbranch_scc0 .Lc\ns_barrier_signal -3\n.Lc:\n" \
    "s_barrier_wait 0xfffd\n"
/* v2: this workgroup's number in the cluster, s20; v3, 4 times the work-item's number in the next one. */
#define RANK                                                                                       \
    "s_getreg_b32 s20, hwreg(HW_REG_IB_STS2, 21, 4)\ns_xor_b32 s21, s20, 1\ns_lshl_b32 s21, s21, 7\n" \
    "v_add_nc_u32_e32 v3, s21, v1\ns_lshl_b32 s21, s20, 7\nv_add_nc_u32_e32 v2, s21, v1\n"
/* A cluster's workgroup stores 128 bytes and has done so. */
#define STORED RANK "global_store_b32 v2, v1, s[8:9]\ns_wait_storecnt 0x0\n"

static const struct fault_case cases[] = {
    /* memory */
    {"load past the end", {.body = "global_load_dword v2, v1, s[8:9] offset:4\ns_waitcnt vmcnt(0)"}, 1, 64,
     "out of bounds: load of 4 bytes at 0x#: 0 bytes past the end of an allocation of 256 bytes",
     "global_load_dword v2, v1, s[8:9] offset:4"},
    {"load across the end", {.body = "v_mov_b32_e32 v4, 0xfe\nglobal_load_dword v2, v4, s[8:9]"}, 1, 64,
     "out of bounds: load of 4 bytes at 0x#: ends 2 bytes past the end of an allocation of 256 bytes", NULL},
    {"store before the start", {.body = "v_mov_b32_e32 v2, 0\nglobal_store_dword v1, v2, s[8:9] offset:-4"}, 1, 64,
     "out of bounds: store of 4 bytes at 0x#: *", NULL},
    {"store to nothing", {.body = "v_mov_b32_e32 v2, 0\ns_mov_b64 s[20:21], 0\nglobal_store_dword v1, v2, s[20:21]"}, 1, 64,
     "out of bounds: store of 4 bytes at 0x0: no allocation there", NULL},
    {"lanes that are off do not count", {.body = "s_mov_b64 exec, 1\nglobal_load_dword v2, v1, s[8:9] offset:252"}, 1, 64,
     NULL, NULL},
    {"scalar load past the end", {.body = "s_load_dwordx2 s[20:21], s[8:9], 0xfc"}, 1, 64,
     "out of bounds: scalar load of 8 bytes at 0x#: ends 4 bytes past the end of an allocation of 256 bytes", NULL},
    {"use after free", {.body = "global_load_dword v2, v1, s[14:15]"}, 1, 64,
     "use after free: load of 4 bytes at 0x#: 0 bytes into an allocation of 256 bytes that was freed", NULL},
    {"misaligned atomic", {.body = "v_mov_b32_e32 v2, 1\nv_mov_b32_e32 v3, 2\nglobal_atomic_add v3, v2, s[8:9]"}, 1, 64,
     "misaligned: atomic of 4 bytes at 0x#: the address is not a multiple of 4", NULL},
    {"LDS past the end", {.body = "ds_write_b32 v1, v0 offset:4", .lds = 256}, 1, 64,
     "out of bounds: LDS store of 4 bytes at 0x100: the workgroup has 256 bytes of LDS", NULL},
    {"misaligned LDS", {.body = "v_lshlrev_b32_e32 v2, 4, v0\nds_read_b128 v[4:7], v2 offset:4", .lds = 2048}, 1, 64,
     "misaligned: LDS load of 16 bytes at 0x4: the address is not a multiple of 16", NULL},
    {"private memory past the end", {.body = "scratch_store_dword off, v0, off offset:16\n", .scratch = 16}, 1, 64,
     "out of bounds: private store of 4 bytes at 0x10: a work-item has 16 bytes", NULL},
    {"private memory past what the kernel names, its stack being dynamic",
     {.body = "s_movk_i32 s20, 0x3ffc\nscratch_store_dword off, v0, s20\nscratch_load_dword v2, off, s20\ns_waitcnt vmcnt(0)\n" STORE,
      .scratch = 16, .dynamic_stack = true}, 1, 64, NULL, NULL},
    {"private memory past a dynamic stack", {.body = "s_movk_i32 s20, 0x4000\nscratch_store_dword off, v0, s20\n", .dynamic_stack = true}, 1, 64,
     "out of bounds: private store of 4 bytes at 0x4000: a work-item has 16384 bytes", "scratch_store_dword off, v0, s20"},
    {"private memory past a larger stack", {.target = "gfx1100", .body = "s_movk_i32 s20, 0x5000\nscratch_store_b32 off, v0, s20\n",
                                            .scratch = 0x5000, .dynamic_stack = true}, 1, 32,
     "out of bounds: private store of 4 bytes at 0x5000: a work-item has 20480 bytes", "scratch_store_b32 off, v0, s20"},
    {"a dynamic stack nobody wrote", {.body = "scratch_load_dword v2, off, off offset:64\ns_waitcnt vmcnt(0)\n" STORE, .scratch = 16,
                                      .dynamic_stack = true}, 1, 64,
     "uninitialised: stored data (v2) is undefined: it comes from bytes nobody wrote, loaded by scratch_load_dword *", STORE},

    /* undefined values */
    {"store of a register nobody wrote", {.body = "global_store_dword v1, v5, s[8:9]"}, 1, 64,
     "uninitialised: stored data (v5) is undefined: it comes from v5, which nobody wrote, read by "
     "global_store_dword v1, v5, s[8:9] (at 0x#)", NULL},
    {"address nobody wrote", {.body = "global_load_dword v2, v5, s[8:9]"}, 1, 64,
     "uninitialised: the address (v5) is undefined: it comes from v5, which nobody wrote, *", NULL},
    {"sum with a register nobody wrote", {.body = "v_add_f32_e32 v2, v5, v1\n" STORE}, 1, 64,
     "uninitialised: stored data (v2) is undefined: it comes from v5, which nobody wrote, read by "
     "v_add_f32_e32 v2, v5, v1 (at 0x#)", STORE},
    {"junk that is masked away", {.body = "v_and_b32_e32 v2, 0, v5\nv_cndmask_b32_e64 v2, v0, v2, exec\nv_mov_b32_e32 v2, v0\n" STORE},
     1, 64, NULL, NULL},
    {"undefined half is not stored", {.body = "v_mov_b32_sdwa v2, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\n"
                                              "global_store_short v1, v2, s[8:9]"}, 1, 64, NULL, NULL},
    {"undefined half is stored", {.body = "v_mov_b32_sdwa v2, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\n"
                                          STORE}, 1, 64, "uninitialised: stored data (v2) is undefined: *", STORE},
    {"lanes nobody wrote", {.body = "s_mov_b64 s[20:21], exec\ns_mov_b64 exec, 0xff\nv_mov_b32_e32 v2, 0\n"
                                    "s_mov_b64 exec, s[20:21]\n" STORE}, 1, 64,
     "uninitialised: stored data (v2) is undefined: *", STORE},
    {"branch on a scalar nobody wrote", {.body = "s_cmp_eq_u32 s40, 0\ns_cbranch_scc1 .Lx\ns_nop 0\n.Lx:"}, 1, 64,
     "uninitialised: what the branch depends on (scc) is undefined: it comes from s40, which nobody wrote, read by "
     "s_cmp_eq_u32 s40, 0 (at 0x#)", NULL},
    {"branch on a compare of junk", {.body = "v_cmp_gt_u32_e32 vcc, 3, v5\ns_cbranch_vccnz .Lx\ns_nop 0\n.Lx:"}, 1, 64,
     "uninitialised: what the branch depends on (vcc*) is undefined: it comes from v5, *", NULL},
    {"EXEC from junk", {.body = "v_cmp_gt_u32_e32 vcc, 3, v5\ns_and_saveexec_b64 s[20:21], vcc\ns_mov_b64 exec, s[20:21]"}, 1, 64,
     "uninitialised: what EXEC becomes (*) is undefined: it comes from v5, *", NULL},
    {"EXEC from a compare of junk", {.body = "v_cmpx_gt_u32_e32 vcc, 3, v5"}, 1, 64,
     "uninitialised: what EXEC becomes (v5) is undefined: it comes from v5, *", "v_cmpx_gt_u32_e32 vcc, 3, v5"},
    {"EXEC from a compare of junk on gfx11", {.target = "gfx1100", .body = "v_cmpx_gt_u32_e32 3, v5"}, 1, 32,
     "uninitialised: what EXEC becomes (v5) is undefined: it comes from v5, *", "v_cmpx_gt_u32_e32 3, v5"},
    {"EXEC from a compare of junk on gfx12", {.target = "gfx1201", .body = "v_cmpx_gt_u32_e64 v5, s8"}, 1, 32,
     "uninitialised: what EXEC becomes (v5) is undefined: it comes from v5, *", "v_cmpx_gt_u32_e64 v5, s8"},
    {"EXEC from a compare of memory nobody wrote", {.target = "gfx1250", .body = "global_load_b32 v2, v1, s[10:11]\ns_wait_loadcnt 0x0\n"
                                                    "v_cmpx_lt_i32_e32 3, v2"}, 1, 32,
     "uninitialised: what EXEC becomes (v2) is undefined: it comes from bytes nobody wrote, *", "v_cmpx_lt_i32_e32 3, v2"},
    {"EXEC from a compare of what is written", {.target = "gfx1250", .body = "global_load_b32 v2, v1, s[8:9]\ns_wait_loadcnt 0x0\n"
                                                "v_cmpx_lt_i32_e32 3, v2"}, 1, 32, NULL, NULL},
    {"EXEC from a compare where lanes with junk are off", {.target = "gfx1100", .body = "s_mov_b32 exec_lo, 0xff\nv_mov_b32_e32 v5, v0\n"
                                                           "v_cmpx_gt_u32_e32 3, v5"}, 1, 32, NULL, NULL},
    {"memory nobody wrote", {.body = "global_load_dword v2, v1, s[10:11]\ns_waitcnt vmcnt(0)\n" STORE}, 1, 64,
     "uninitialised: stored data (v2) is undefined: it comes from bytes nobody wrote, loaded by "
     "global_load_dword v2, v1, s[10:11] (at 0x#)", STORE},
    {"memory nobody wrote is not used", {.body = "global_load_dword v2, v1, s[10:11]\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v2, 0\n" STORE},
     1, 64, NULL, NULL},
    {"memory written in part", {.body = "v_mov_b32_e32 v3, 0\ns_mov_b64 exec, 0xffff\nglobal_store_dword v1, v3, s[10:11]\n"
                                        "s_mov_b64 exec, -1\nglobal_load_dword v2, v1, s[10:11]\ns_waitcnt vmcnt(0)\n"
                                        "s_mov_b64 exec, 0xffff\n" STORE "\ns_mov_b64 exec, -1\n" STORE " offset:0"}, 1, 64,
     "uninitialised: stored data (v2) is undefined: *", STORE},
    {"LDS nobody wrote", {.body = "ds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\n" STORE, .lds = 256}, 1, 64,
     "uninitialised: stored data (v2) is undefined: it comes from bytes nobody wrote, loaded by ds_read_b32 v2, v1 (at 0x#)", STORE},
    {"private memory nobody wrote", {.body = "scratch_load_dword v2, off, off\ns_waitcnt vmcnt(0)\n" STORE, .scratch = 16}, 1, 64,
     "uninitialised: stored data (v2) is undefined: it comes from bytes nobody wrote, loaded by scratch_load_dword v2, off, off (at 0x#)",
     STORE},
    {"atomic on memory nobody wrote", {.body = "global_atomic_add v1, v0, s[10:11]"}, 1, 64,
     "uninitialised: atomic of 4 bytes at 0x#: nobody wrote there before", NULL},
    {"format store of a register nobody wrote", {.body = BUFFER("s8", "s9", "0x2ffac") "v_mov_b32_e32 v4, 0\n"
                                                         "buffer_store_format_xy v[4:5], v0, s[20:23], 0 idxen"}, 1, 64,
     "uninitialised: stored data (v5) is undefined: it comes from v5, which nobody wrote, *",
     "buffer_store_format_xy v[4:5], v0, s[20:23], 0 idxen"},
    {"undefined half behind three halves", {.body = BUFFER("s8", "s9", "0x67fac") "v_mov_b32_e32 v4, 0\ns_mov_b64 exec, 0xff\n"
                                                    "v_mov_b32_sdwa v5, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\n"
                                                    "buffer_store_format_d16_xyz v[4:5], v0, s[20:23], 0 idxen"}, 1, 64, NULL, NULL},
    {"undefined half is stored by format", {.body = BUFFER("s8", "s9", "0x67fac") "v_mov_b32_e32 v4, 0\ns_mov_b64 exec, 0xff\n"
                                                    "v_mov_b32_sdwa v5, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0\n"
                                                    "buffer_store_format_d16_xyzw v[4:5], v0, s[20:23], 0 idxen"}, 1, 64,
     "uninitialised: stored data (v5) is undefined: *", NULL},
    {"format load of memory nobody wrote", {.body = BUFFER("s10", "s11", "0x2ffac") "buffer_load_format_x v2, v0, s[20:23], 0 idxen\n"
                                                    "s_waitcnt vmcnt(0)\n" STORE}, 1, 64,
     "uninitialised: stored data (v2) is undefined: it comes from bytes nobody wrote, loaded by buffer_load_format_x *", STORE},
    {"no such format", {.body = BUFFER("s8", "s9", "0xfac") "buffer_load_format_x v2, v0, s[20:23], 0 idxen"}, 1, 64,
     "*the resource has data format 0, number format 0 (0x0), which do not go together", NULL},
    {"scalar store of a register nobody wrote", {.body = "s_store_dword s40, s[8:9], 0x0"}, 1, 64,
     "uninitialised: stored data (s40) is undefined: *", "s_store_dword s40, s[8:9], 0x0"},
    {"scalar atomic on memory nobody wrote", {.body = "s_mov_b32 s20, 1\ns_atomic_add s20, s[10:11], 0x0"}, 1, 64,
     "uninitialised: atomic of 4 bytes at 0x#: nobody wrote there before", NULL},
    {"scalar atomic not waited for", {.body = "s_mov_b32 s20, 1\ns_atomic_add s20, s[8:9], 0x0 glc\ns_add_u32 s20, s20, 1"}, 1, 64,
     "missing wait: s20 is read before s_atomic_add s20, s[8:9], 0x0 glc (at 0x#) has been waited for", NULL},
    {"scalar stores of two workgroups", {.body = "s_store_dword s16, s[8:9], 0x0"}, 2, 64,
     "global race: store at 0x#: workgroup (*", "s_store_dword s16, s[8:9], 0x0"},

    /* waits */
    {"load not waited for", {.body = "global_load_dword v2, v1, s[8:9]\nv_add_u32_e32 v2, v2, v0\n"}, 1, 64,
     "missing wait: v2 is read before global_load_dword v2, v1, s[8:9] (at 0x#) has been waited for",
     "v_add_u32_e32 v2, v2, v0"},
    {"load overwritten", {.body = "global_load_dword v2, v1, s[8:9]\nv_mov_b32_e32 v2, 0\n"}, 1, 64,
     "missing wait: v2 is overwritten before global_load_dword v2, v1, s[8:9] (at 0x#) has been waited for", NULL},
    {"scalar load not waited for", {.body = "s_load_dword s20, s[8:9], 0x0\ns_add_u32 s20, s20, 1\n"}, 1, 64,
     "missing wait: s20 is read before s_load_dword s20, s[8:9], 0x0 (at 0x#) has been waited for", NULL},
    {"LDS load not waited for", {.body = "ds_write_b32 v1, v0\nds_read_b32 v2, v1\n" STORE, .lds = 256}, 1, 64,
     "missing wait: v2 is read before ds_read_b32 v2, v1 (at 0x#) has been waited for", STORE},
    {"loads arrive in order", {.body = "global_load_dword v2, v1, s[8:9]\nglobal_load_dword v3, v1, s[8:9]\ns_waitcnt vmcnt(1)\n"
                                       "v_add_u32_e32 v4, v2, v0"}, 1, 64, NULL, NULL},
    {"the second has not arrived", {.body = "global_load_dword v2, v1, s[8:9]\nglobal_load_dword v3, v1, s[8:9]\ns_waitcnt vmcnt(1)\n"
                                            "v_add_u32_e32 v4, v3, v0"}, 1, 64,
     "missing wait: v3 is read before global_load_dword v3, v1, s[8:9] (at 0x#) has been waited for", NULL},
    {"scalar loads arrive in any order", {.body = "s_load_dword s20, s[8:9], 0x0\ns_load_dword s21, s[8:9], 0x4\ns_waitcnt lgkmcnt(1)\n"
                                                  "s_mov_b32 s22, s20"}, 1, 64,
     "missing wait: s20 is read before s_load_dword s20, s[8:9], 0x0 (at 0x#) has been waited for", NULL},
    {"FLAT loads arrive in any order", {.body = FLAT_TWO("dword") "s_waitcnt vmcnt(1) lgkmcnt(1)\nv_add_u32_e32 v6, v2, v0"}, 1, 64,
     "missing wait: v2 is read before flat_load_dword v2, v[4:5] (at 0x#) has been waited for", "v_add_u32_e32 v6, v2, v0"},
    {"FLAT loads arrive in order on gfx11", {.target = "gfx1100", .body = FLAT_TWO("b32") "s_waitcnt vmcnt(1) lgkmcnt(1)\n"
                                             "v_add_nc_u32_e32 v6, v2, v0"}, 1, 32, NULL, NULL},
    {"the second FLAT load has not arrived", {.target = "gfx1100", .body = FLAT_TWO("b32") "s_waitcnt vmcnt(1) lgkmcnt(1)\n"
                                              "v_add_nc_u32_e32 v6, v3, v0"}, 1, 32,
     "missing wait: v3 is read before flat_load_b32 v3, v[4:5] offset:4 (at 0x#) has been waited for", "v_add_nc_u32_e32 v6, v3, v0"},
    {"FLAT counts on both", {.target = "gfx1201", .body = FLAT_TWO("b32") "s_wait_loadcnt 0x1\ns_wait_dscnt 0x2\n"
                             "v_add_nc_u32_e32 v6, v2, v0"}, 1, 32,
     "missing wait: v2 is read before flat_load_b32 v2, v[4:5] (at 0x#) has been waited for", "v_add_nc_u32_e32 v6, v2, v0"},
    {"LDS counts on lgkmcnt", {.body = "ds_write_b32 v1, v0\nds_read_b32 v2, v1\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v3, v2", .lds = 256}, 1, 64,
     "missing wait: v2 is read before ds_read_b32 v2, v1 (at 0x#) has been waited for", NULL},

    /* LDS shared by waves */
    {"LDS read without a barrier", {.body = "v_xor_b32_e32 v2, 0x100, v1\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nds_read_b32 v3, v2", .lds = 512},
     1, 128, "LDS race: LDS 0x100 is written while wave 0 may still read it: no barrier since its read", "ds_write_b32 v1, v0"},
    {"LDS read behind a barrier", {.body = "v_xor_b32_e32 v2, 0x100, v1\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v3, v2",
                                   .lds = 512}, 1, 128, NULL, NULL},
    {"LDS write not waited for before the barrier", {.body = "v_xor_b32_e32 v2, 0x100, v1\nds_write_b32 v1, v0\ns_barrier\nds_read_b32 v3, v2",
                                                     .lds = 512}, 1, 128,
     "LDS race: LDS 0x* was written by wave # (ds_write_b32 v1, v0 at 0x#) and not waited for before the barrier", NULL},
    {"FLAT store to LDS waited for by its counter", {.body = FLAT_LDS("store_dword") "s_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v3, v2",
                                                     .lds = 512}, 1, 128, NULL, NULL},
    {"FLAT store to LDS waited for by the other counter", {.body = FLAT_LDS("store_dword") "s_waitcnt vmcnt(0)\ns_barrier\nds_read_b32 v3, v2",
                                                           .lds = 512}, 1, 128,
     "LDS race: LDS 0x* was written by wave # (flat_store_dword v[4:5], v0 at 0x#) and not waited for before the barrier", "ds_read_b32 v3, v2"},
    {"FLAT store to LDS waited for by its counter on gfx12", {.target = "gfx1201", .body = FLAT_LDS("store_b32") "s_wait_dscnt 0x0\n"
                                                              "s_barrier_signal -1\ns_barrier_wait 0xffff\nds_load_b32 v3, v2", .lds = 512},
     1, 128, NULL, NULL},
    {"FLAT store to LDS waited for by the other counter on gfx12", {.target = "gfx1201", .body = FLAT_LDS("store_b32") "s_wait_storecnt 0x0\n"
                                                                    "s_barrier_signal -1\ns_barrier_wait 0xffff\nds_load_b32 v3, v2", .lds = 512},
     1, 128, "LDS race: LDS 0x* was written by wave # (flat_store_b32 v[4:5], v0 at 0x#) and not waited for before the barrier", "ds_load_b32 v3, v2"},
    {"first dword of a FLAT store to LDS not waited for", {.body = FLAT_LDS("store_dword") "s_barrier\nv_mov_b32_e32 v2, 0\nds_read_b32 v3, v2",
                                                           .lds = 512}, 1, 128,
     "LDS race: LDS 0x0 was written by wave 0 (flat_store_dword v[4:5], v0 at 0x#) and not waited for before the barrier", "ds_read_b32 v3, v2"},
    {"LDS overwritten while it is read", {.body = "v_xor_b32_e32 v2, 0x100, v1\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
                                                  "ds_read_b32 v3, v1\ns_waitcnt lgkmcnt(0)\nds_write_b32 v2, v0", .lds = 512}, 1, 128,
     "LDS race: LDS 0x* was written by wave 0 (ds_write_b32 v2, v0 at 0x#) with no barrier since", "ds_read_b32 v3, v1"},
    {"two waves write the same LDS", {.body = "v_and_b32_e32 v2, 63, v0\nv_lshlrev_b32_e32 v2, 2, v2\nds_write_b32 v2, v0", .lds = 512}, 1, 128,
     "LDS race: LDS 0x* was written by wave 0 (ds_write_b32 v2, v0 at 0x#) with no barrier since", NULL},
    {"LDS atomics of several waves", {.body = "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 1\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier\n"
                                              "ds_add_u32 v2, v3", .lds = 512}, 1, 128, NULL, NULL},

    /* memory shared by workgroups */
    {"two workgroups write the same", {.body = "v_mov_b32_e32 v2, s16\n" STORE}, 2, 64,
     "global race: store at 0x#: workgroup (0, 0, 0) writes it and nothing orders the two", STORE},
    {"one workgroup reads what another writes", {.body = "s_cmp_eq_u32 s16, 0\ns_cbranch_scc0 .Lread\nv_mov_b32_e32 v2, 0\n" STORE "\ns_endpgm\n"
                                                         ".Lread:\nglobal_load_dword v2, v1, s[8:9]"}, 2, 64,
     "global race: load at 0x#: workgroup (0, 0, 0) writes it and nothing orders the two", NULL},
    {"one workgroup writes what another reads", {.body = "s_cmp_eq_u32 s16, 1\ns_cbranch_scc0 .Lread\nv_mov_b32_e32 v2, 0\n" STORE "\ns_endpgm\n"
                                                         ".Lread:\nglobal_load_dword v2, v1, s[8:9]"}, 2, 64,
     "global race: store at 0x#: workgroup (0, 0, 0) reads it and nothing orders the two", NULL},
    {"bytes of one line", {.body = "s_lshl_b32 s20, s16, 1\nv_mov_b32_e32 v2, 0\nv_lshl_add_u32 v3, v0, 2, s20\nglobal_store_short v3, v2, s[8:9]"}, 2, 64,
     NULL, NULL},
    {"atomics of several workgroups", {.body = "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 1\nglobal_atomic_add v2, v3, s[8:9]"}, 8, 64, NULL, NULL},
    {"release and acquire order", {.body = "v_mov_b32_e32 v3, 0\nv_mov_b32_e32 v4, 1\ns_cmp_eq_u32 s16, 0\ns_cbranch_scc0 .Lread\n"
                                           "v_mov_b32_e32 v2, 7\n" STORE " offset:128\n"
                                           "buffer_wbl2 sc1\ns_waitcnt vmcnt(0)\nglobal_store_dword v3, v4, s[12:13] sc1\ns_endpgm\n"
                                           ".Lread:\nglobal_load_dword v5, v3, s[12:13] sc1\ns_waitcnt vmcnt(0)\nbuffer_inv sc1\n"
                                           "v_cmp_eq_u32_e32 vcc, 0, v5\ns_cbranch_vccnz .Lread\nglobal_load_dword v2, v1, s[8:9] offset:128"}, 2, 32,
     NULL, NULL},

    /* barriers, waiting, endless loops */
    {"barrier in divergent code", {.body = "v_cmp_gt_u32_e32 vcc, 32, v0\ns_and_saveexec_b64 s[20:21], vcc\ns_barrier\ns_mov_b64 exec, s[20:21]\n"
                                           "v_mov_b32_e32 v2, 0"}, 1, 64,
     "divergent barrier: s_barrier was executed with EXEC 0xffffffff; lanes 0xffffffff00000000 skipped it and came back after it", "s_barrier"},
    {"a wave that ends early", {.body = "v_readfirstlane_b32 s20, v0\ns_cmp_eq_u32 s20, 64\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\n"
                                        "s_cbranch_scc1 .Lend2\ns_barrier\n.Lend2:", .lds = 1024}, 1, 128,
     "divergent barrier: the wave waits at s_barrier, but wave 1 has ended after 0 barriers without reaching it", "s_barrier"},
    {"waves with nothing to do leave", {.body = "v_readfirstlane_b32 s20, v0\ns_cmp_eq_u32 s20, 64\ns_cbranch_scc1 .Lend2\ns_barrier\n.Lend2:"}, 1, 128,
     NULL, NULL},
    {"endless loop", {.body = ".Lx:\ns_add_u32 s20, s16, 1\nglobal_store_dword v1, v0, s[8:9]\ns_branch .Lx"}, 1, 64,
     "endless loop: the wave has executed # instructions (FLYSIM_BUDGET, in millions, sets the limit)", NULL},
    {"waiting for a store nobody makes", {.body = "v_mov_b32_e32 v3, 0\n.Lx:\nglobal_load_dword v2, v3, s[8:9] sc1\ns_waitcnt vmcnt(0)\n"
                                                  "v_readfirstlane_b32 s20, v2\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc1 .Lx"}, 3, 64,
     "deadlock: 3 workgroups wait for what none of them will do, 0 have not started (# fit at a time)",
     "global_load_dword v2, v3, s[8:9] sc1"},

    /* the rest */
    {"no instruction", {.body = ".long 0xd3ff0000\n.long 0"}, 1, 64, "illegal instruction: no instruction of gfx942: dword 0xd3ff0000", NULL},
    {"jump into nowhere", {.body = "s_mov_b64 s[20:21], 64\ns_setpc_b64 s[20:21]"}, 1, 64,
     "bad jump: jump to 0x40, which is no instruction of this code object", NULL},
    {"s_trap", {.body = "s_trap 2"}, 1, 64, "trap: s_trap 2: the kernel asked to be stopped (abort, assert or __builtin_trap)", NULL},
    {"MFMA result read too early", {.body = "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v8, 0\nv_mov_b32_e32 v9, 0\n"
                                            "v_mov_b32_e32 v10, 0\nv_mov_b32_e32 v11, 0\ns_nop 4\n"
                                            "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], v[8:11]\nv_add_f32_e32 v2, v8, v8"}, 1, 64,
     "hazard: a read of an MFMA result needs 7 wait states after v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], v[8:11] (at 0x#), there are 0",
     "v_add_f32_e32 v2, v8, v8"},
    {"MFMA result read in time", {.body = "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v8, 0\nv_mov_b32_e32 v9, 0\n"
                                          "v_mov_b32_e32 v10, 0\nv_mov_b32_e32 v11, 0\ns_nop 4\n"
                                          "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], v[8:11]\ns_nop 6\nv_add_f32_e32 v2, v8, v8"}, 1, 64,
     NULL, NULL},
    {"DPP too early", {.body = "v_mov_b32_e32 v2, v0\nv_mov_b32_dpp v3, v2 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0"}, 1, 64,
     "hazard: DPP of a register a vector instruction wrote needs 2 wait states after v_mov_b32_e32 v2, v0 (at 0x#), there are 0", NULL},
    {"lane number too early", {.body = "v_readfirstlane_b32 s20, v0\nv_readlane_b32 s21, v1, s20"}, 1, 64,
     "hazard: a lane number in a scalar register a vector instruction wrote needs 4 wait states after "
     "v_readfirstlane_b32 s20, v0 (at 0x#), there are 0", NULL},
    {"scalar written to a lane two states later", {.body = "v_readfirstlane_b32 s20, v0\ns_nop 1\nv_writelane_b32 v1, s20, 3"}, 1, 64, NULL, NULL},
    {"scalar of a vector instruction as an address too early", {.body = "s_mov_b32 s21, s9\nv_mov_b32_e32 v3, 0\nv_mov_b32_e32 v4, s8\n"
                                                                    "s_nop 0\nv_readfirstlane_b32 s20, v4\nglobal_load_dword v2, v3, s[20:21]"},
     1, 64, "hazard: a memory instruction that reads a scalar register a vector instruction wrote needs 5 wait states after "
            "v_readfirstlane_b32 s20, v4 (at 0x#), there are 0", NULL},
    {"transcendental result too early", {.body = "v_mov_b32_e32 v2, 1.0\nv_rcp_f32_e32 v2, v2\nv_add_f32_e32 v3, v2, v2"}, 1, 64,
     "hazard: a read of a transcendental result needs 1 wait states after v_rcp_f32_e32 v2, v2 (at 0x#), there are 0", NULL},
    {"transcendental result on gfx90a", {.target = "gfx90a", .body = "v_mov_b32_e32 v2, 1.0\nv_rcp_f32_e32 v2, v2\nv_add_f32_e32 v3, v2, v2"},
     1, 64, NULL, NULL},
    {"VCC as a mask too early", {.body = "v_cmp_gt_u32_e32 vcc, 3, v0\nv_cndmask_b32_e32 v2, v0, v1, vcc"}, 1, 64,
     "hazard: a vector instruction that reads a scalar register another one wrote needs 2 wait states after "
     "v_cmp_gt_u32_e32 vcc, 3, v0 (at 0x#), there are 0", NULL},
    {"v_div_fmas too early", {.body = "v_cmp_gt_u32_e32 vcc, 3, v0\ns_nop 2\nv_div_fmas_f32 v2, v0, v1, v1"}, 1, 64,
     "hazard: v_div_fmas after a write to VCC needs 4 wait states after v_cmp_gt_u32_e32 vcc, 3, v0 (at 0x#), there are 3", NULL},
    {"DPP after v_cmpx", {.body = "v_cmpx_gt_u32_e32 vcc, 3, v0\ns_nop 3\nv_mov_b32_dpp v3, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:0"},
     1, 64, "hazard: DPP after a vector write to EXEC needs 5 wait states after v_cmpx_gt_u32_e32 vcc, 3, v0 (at 0x#), there are 4", NULL},
    {"half of a register too early", {.body = "v_mov_b32_e32 v2, 0\nv_mov_b32_sdwa v2, v0 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE "
                                              "src0_sel:WORD_0\nv_add_u32_e32 v3, v2, v2"}, 1, 64,
     "hazard: a read of a register written in part needs 1 wait states after v_mov_b32_sdwa *, there are 0", NULL},
    {"MFMA of a register just written", {.body = "v_mov_b32_e32 v5, 0\nv_mov_b32_e32 v4, 0\n"
                                                 "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], 0"}, 1, 64,
     "hazard: an MFMA that reads a register a vector instruction wrote needs 2 wait states after v_mov_b32_e32 v4, 0 (at 0x#), there are 0",
     NULL},
    {"MFMA onto its own result", {.body = "v_mov_b32_e32 v5, 0\nv_mov_b32_e32 v4, 0\ns_nop 1\n"
                                          "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], 0\n"
                                          "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], v[8:11]"}, 1, 64, NULL, NULL},
    {"MFMA result as a factor", {.body = "v_mov_b32_e32 v5, 0\nv_mov_b32_e32 v4, 0\ns_nop 1\n"
                                         "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], 0\ns_nop 5\n"
                                         "v_mfma_f32_16x16x16_f16 v[12:15], v[8:9], v[4:5], 0"}, 1, 64,
     "hazard: an MFMA that reads its result needs 7 wait states after v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], 0 (at 0x#), there are 6",
     NULL},
    {"MFMA result on gfx950", {.target = "gfx950", .body = "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0\n"
                                                           "s_nop 1\nv_mfma_f32_16x16x32_f16 v[8:11], v[4:7], v[4:7], 0\ns_nop 6\n"
                                                           "v_add_f32_e32 v2, v8, v8"}, 1, 64,
     "hazard: a read of an MFMA result needs 8 wait states after v_mfma_f32_16x16x32_f16 v[8:11], v[4:7], v[4:7], 0 (at 0x#), there are 7", NULL},
    {"store behind an MFMA of doubles", {.target = "gfx90a", .body = DOUBLES "v_mov_b32_e32 v2, 0\n"
                                         "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], v[6:7]\n" STORE}, 1, 64,
     "hazard: a memory instruction that reads, behind an MFMA of doubles, a register a vector instruction wrote needs 2 wait "
     "states after v_mov_b32_e32 v2, 0 (at 0x#), there are 1", STORE},
    {"store well behind an MFMA of doubles", {.target = "gfx90a", .body = DOUBLES "v_mov_b32_e32 v2, 0\n"
                                              "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], v[6:7]\ns_nop 0\n" STORE}, 1, 64, NULL, NULL},
    {"store behind an MFMA of doubles on gfx942", {.body = DOUBLES "v_mov_b32_e32 v2, 0\n"
                                                   "v_mfma_f64_4x4x4_4b_f64 v[8:9], v[4:5], v[4:5], v[6:7]\n" STORE}, 1, 64, NULL, NULL},
    {"MFMA of a register written by its index", {.target = "gfx90a", .body = DOUBLES "s_mov_b32 s20, 3\ns_set_gpr_idx_on s20, gpr_idx(DST)\n"
                                                 "v_mov_b32_e32 v1, 0\ns_set_gpr_idx_off\nv_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], v[6:7]"},
     1, 64, "hazard: an MFMA that reads a register a vector instruction wrote needs 2 wait states after v_mov_b32_e32 v1, 0 (at 0x#), "
     "there are 1", NULL},
    {"MFMA result read by its index", {.target = "gfx90a", .body = DOUBLES "s_mov_b32 s20, 3\n"
                                       "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], v[6:7]\ns_set_gpr_idx_on s20, gpr_idx(SRC0)\n"
                                       "v_mov_b32_e32 v2, v5\ns_set_gpr_idx_off"}, 1, 64,
     "hazard: a read of an MFMA result needs 6 wait states after v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], v[6:7] (at 0x#), there are 1",
     "v_mov_b32_e32 v2, v5"},
    {"MFMA result that an index leads past", {.target = "gfx90a", .body = DOUBLES "s_mov_b32 s20, 3\n"
                                              "v_mfma_f64_4x4x4f64 v[8:9], v[4:5], v[4:5], v[6:7]\ns_set_gpr_idx_on s20, gpr_idx(SRC0)\n"
                                              "v_mov_b32_e32 v2, v1\ns_set_gpr_idx_off"}, 1, 64, NULL, NULL},
    {"MFMA result in an AGPR stored too early", {.target = "gfx90a", .body = "v_mov_b32_e32 v5, 0\nv_mov_b32_e32 v4, 0\ns_nop 1\n"
                                                 "v_mfma_f32_16x16x16f16 a[0:3], v[4:5], v[4:5], 0\nglobal_store_dword v1, a0, s[8:9]"}, 1, 64,
     "hazard: a read of an MFMA result needs 11 wait states after v_mfma_f32_16x16x16f16 a[0:3], v[4:5], v[4:5], 0 (at 0x#), there are 0", NULL},
    {"dot product read too early", {.body = "v_mov_b32_e32 v2, 0\nv_dot2_f32_f16 v3, v2, v2, v2\ns_nop 1\nv_add_f32_e32 v4, v3, v3"}, 1, 64,
     "hazard: a read of a dot product needs 3 wait states after v_dot2_f32_f16 v3, v2, v2, v2 (at 0x#), there are 2", NULL},
    {"data of a wide store overwritten", {.body = "v_mov_b32_e32 v2, 0\nv_mov_b32_e32 v3, 0\nv_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\n"
                                                  "v_lshlrev_b32_e32 v6, 4, v0\nglobal_store_dwordx4 v6, v[2:5], s[12:13]\ns_nop 0\nv_mov_b32_e32 v5, 1"}, 1, 64,
     "hazard: a write over the data of a store of more than 64 bits needs 2 wait states after "
     "global_store_dwordx4 v6, v[2:5], s[12:13] (at 0x#), there are 1", NULL},
    {"M0 of a load to LDS too late", {.body = "s_mov_b32 m0, 0\nglobal_load_lds_dword v1, s[8:9]", .lds = 256}, 1, 64,
     "hazard: an instruction that takes M0 implicitly needs 1 wait states after s_mov_b32 m0, 0 (at 0x#), there are 0", NULL},
    {"M0 of a load to LDS", {.body = "s_mov_b32 m0, 0\ns_nop 0\nglobal_load_lds_dword v1, s[8:9]", .lds = 256}, 1, 64, NULL, NULL},
    {"hardware register read too early", {.body = "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0\ns_nop 0\ns_getreg_b32 s20, hwreg(HW_REG_MODE)"},
     1, 64, "hazard: access to a hardware register that was set needs 2 wait states after s_setreg_imm32_b32 *, there are 1", NULL},
    {"lane swap too early", {.target = "gfx950", .body = "v_mov_b32_e32 v2, v0\ns_nop 0\nv_permlane32_swap_b32_e32 v2, v1"}, 1, 64,
     "hazard: a lane swap of a register a vector instruction wrote needs 2 wait states after v_mov_b32_e32 v2, v0 (at 0x#), there are 1", NULL},

    /* more ways to the same faults */
    {"buffer store behind the buffer is dropped", {.body = "v_mov_b32_e32 v2, 0\ns_mov_b32 s10, 0x80\ns_mov_b32 s11, 0x27000\n"
                                                           "buffer_store_dword v2, v1, s[8:11], 0 offen"}, 1, 64, NULL, NULL},
    {"a buffer larger than its memory", {.body = "v_mov_b32_e32 v2, 0\ns_movk_i32 s10, 0x200\ns_mov_b32 s11, 0x27000\n"
                                                 "buffer_store_dword v2, v1, s[8:11], 0 offen offset:16"}, 1, 64,
     "out of bounds: *store of 4 bytes at 0x#: 0 bytes past the end of an allocation of 256 bytes", NULL},
    {"load to LDS past its end", {.body = "s_mov_b32 m0, 4\ns_nop 0\nglobal_load_lds_dword v1, s[8:9]", .lds = 256}, 1, 64,
     "out of bounds: LDS store of 4 bytes at 0x100: the workgroup has 256 bytes of LDS", NULL},
    {"load to LDS not waited for", {.body = "s_mov_b32 m0, 0\ns_nop 0\nglobal_load_lds_dword v1, s[8:9]\nds_read_b32 v2, v1", .lds = 256}, 1, 64,
     "missing wait: LDS 0x0 is read before global_load_lds_dword v1, s[8:9] (at 0x#) has been waited for", NULL},
    {"load to LDS waited for", {.body = "s_mov_b32 m0, 0\ns_nop 0\nglobal_load_lds_dword v1, s[8:9]\ns_waitcnt vmcnt(0)\nds_read_b32 v2, v1",
                                .lds = 256}, 1, 64, NULL, NULL},
    {"accumulation register not waited for", {.body = "global_load_dword a3, v1, s[8:9]\nv_accvgpr_read_b32 v2, a3"}, 1, 64,
     "missing wait: a3 is read before global_load_dword a3, v1, s[8:9] (at 0x#) has been waited for", NULL},
    {"accumulation register nobody wrote", {.body = "v_accvgpr_read_b32 v2, a3\n" STORE}, 1, 64,
     "uninitialised: stored data (v2) is undefined: it comes from a3, which nobody wrote, read by v_accvgpr_read_b32 v2, a3 (at 0x#)", STORE},
    {"MFMA of junk", {.body = "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], 0\ns_nop 7\nglobal_store_dword v1, v8, s[8:9]"}, 1, 64,
     "uninitialised: stored data (v8) is undefined: it comes from v4, which nobody wrote, read by v_mfma_f32_16x16x16_f16 *", NULL},
    {"the rows of a product that junk does not reach", {.body = "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0\n"
                                                    "v_and_b32_e32 v12, 15, v0\nv_cmp_ne_u32_e32 vcc, 3, v12\ns_and_saveexec_b64 s[20:21], vcc\n"
                                                    "v_mov_b32_e32 v14, 0\nv_mov_b32_e32 v15, 0\ns_mov_b64 exec, s[20:21]\ns_nop 4\n"
                                                    "v_mfma_f32_16x16x16_f16 v[8:11], v[14:15], v[4:5], 0\ns_nop 7\ns_nop 2\n"
                                                    "global_store_dword v1, v8, s[8:9]"}, 1, 64, NULL, NULL},
    {"the row of the product that junk reaches", {.body = "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0\n"
                                                    "v_and_b32_e32 v12, 15, v0\nv_cmp_ne_u32_e32 vcc, 3, v12\ns_and_saveexec_b64 s[20:21], vcc\n"
                                                    "v_mov_b32_e32 v14, 0\nv_mov_b32_e32 v15, 0\ns_mov_b64 exec, s[20:21]\ns_nop 4\n"
                                                    "v_mfma_f32_16x16x16_f16 v[8:11], v[14:15], v[4:5], 0\ns_nop 7\ns_nop 2\n"
                                                    "global_store_dword v1, v11, s[8:9]"}, 1, 64,
     "uninitialised: stored data (v11) is undefined: it comes from v14, which nobody wrote, read by v_mfma_f32_16x16x16_f16 *", NULL},
    {"DPP of junk", {.body = "v_mov_b32_e32 v2, 0\nv_mov_b32_dpp v2, v5 row_ror:1 row_mask:0xf bank_mask:0xf\n" STORE}, 1, 64,
     "uninitialised: stored data (v2) is undefined: it comes from v5, which nobody wrote, read by v_mov_b32_dpp v2, v5 row_ror:1 *", STORE},
    {"DPP reads no lane that is off", {.body = "v_mov_b32_e32 v2, 0\ns_mov_b64 exec, 0xffff\nv_mov_b32_e32 v5, 0\ns_nop 4\n"
                                               "v_mov_b32_dpp v2, v5 wave_ror:1 row_mask:0xf bank_mask:0xf\n" STORE}, 1, 64, NULL, NULL},
    {"carry of junk", {.body = "v_add_co_u32_e32 v2, vcc, v5, v0\ns_nop 1\nv_addc_co_u32_e64 v2, s[20:21], v0, v0, vcc\n" STORE}, 1, 64,
     "uninitialised: stored data (v2) is undefined: *", STORE},
    {"scalar memory nobody wrote", {.body = "s_load_dword s20, s[10:11], 0x0\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v2, s20\n" STORE}, 1, 64,
     "uninitialised: stored data (v2) is undefined: it comes from bytes nobody wrote, loaded by s_load_dword s20, s[10:11], 0x0 (at 0x#)", STORE},
    {"junk through the LDS", {.body = "ds_write_b32 v1, v5\ns_waitcnt lgkmcnt(0)\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)\n" STORE, .lds = 256},
     1, 64, "uninitialised: stored data (v2) is undefined: *", STORE},
    {"waves that wait for each other at a barrier", {.body = "v_readfirstlane_b32 s20, v0\nv_mov_b32_e32 v3, 0\ns_cmp_eq_u32 s20, 64\ns_cbranch_scc1 .Lwait\n"
                                                     "s_barrier\ns_endpgm\n.Lwait:\nglobal_load_dword v2, v3, s[8:9] sc1\ns_waitcnt vmcnt(0)\n"
                                                     "v_readfirstlane_b32 s21, v2\ns_cmp_eq_u32 s21, 0\ns_cbranch_scc1 .Lwait"}, 1, 128,
     "deadlock: 1 workgroups wait for what none of them will do, 0 have not started (# fit at a time)", NULL},
    /* gfx11: waves of 32, vscnt beside vmcnt, dual instructions */
    {"load not waited for on gfx11", {.target = "gfx1100", .body = "global_load_b32 v2, v1, s[8:9]\nv_add_nc_u32_e32 v2, v2, v0"}, 1, 64,
     "missing wait: v2 is read before global_load_b32 v2, v1, s[8:9] (at 0x#) has been waited for", "v_add_nc_u32_e32 v2, v2, v0"},
    {"stores are not waited for by vmcnt", {.target = "gfx1100", .body = "global_load_b32 v2, v1, s[8:9]\nglobal_store_b32 v1, v0, s[8:9]\n"
                                            "s_waitcnt vmcnt(0)\nv_mov_b32_e32 v3, v2"}, 1, 64, NULL, NULL},
    {"LDS counts on lgkmcnt on gfx11", {.target = "gfx1100", .body = "ds_store_b32 v1, v0\nds_load_b32 v2, v1\ns_waitcnt vmcnt(0)\n"
                                        "v_mov_b32_e32 v3, v2", .lds = 256}, 1, 64,
     "missing wait: v2 is read before ds_load_b32 v2, v1 (at 0x#) has been waited for", NULL},
    {"carries to nowhere keep all 64 lanes on gfx11", {.target = "gfx1100", .wave64 = true,
      .body = "v_sub_nc_u32_e32 v4, 0x100, v1\nv_add_co_u32 v2, vcc, v0, v0\n"
              "v_add_co_ci_u32_e64 v3, null, v0, v0, vcc\nglobal_store_b32 v4, v3, s[8:9]\n"}, 1, 64,
     "out of bounds: store of 4 bytes at 0x#: 0 bytes past the end of an allocation of 256 bytes",
     "global_store_b32 v4, v3, s[8:9]"},
    {"carries to nowhere keep all 64 lanes on gfx12", {.target = "gfx1201", .wave64 = true,
      .body = "v_sub_nc_u32_e32 v4, 0x100, v1\nv_add_co_u32 v2, vcc, v0, v0\n"
              "v_add_co_ci_u32_e64 v3, null, v0, v0, vcc\nglobal_store_b32 v4, v3, s[8:9]\n"}, 1, 64,
     "out of bounds: store of 4 bytes at 0x#: 0 bytes past the end of an allocation of 256 bytes",
     "global_store_b32 v4, v3, s[8:9]"},
    {"halves written by a move and a load are whole", {.target = "gfx1100",
      .body = "v_mov_b16_e32 v16.l, 0\nv_mov_b32_e32 v17, v16\nglobal_load_d16_hi_b16 v17, v1, s[8:9]\n"
              "s_waitcnt vmcnt(0)\nv_add_f32_e32 v2, v17, v17\nglobal_store_b32 v1, v2, s[8:9]\n"}, 1, 64, NULL, NULL},
    {"the half that a move left is missed", {.target = "gfx1100",
      .body = "v_mov_b16_e32 v16.l, 0\nv_mov_b32_e32 v17, v16\nv_add_f32_e32 v2, v17, v17\n"
              "global_store_b32 v1, v2, s[8:9]\n"}, 1, 64,
     "uninitialised: stored data (v2) is undefined: it comes from v16, *", NULL},
    {"half of a dual instruction waits", {.target = "gfx1100", .body = "v_mov_b32_e32 v3, 0\nglobal_load_b32 v2, v1, s[8:9]\n"
                                          "v_dual_mov_b32 v4, v3 :: v_dual_add_f32 v5, v2, v3"}, 1, 64,
     "missing wait: v2 is read before global_load_b32 v2, v1, s[8:9] (at 0x#) has been waited for", NULL},
    {"half of a dual instruction reads junk", {.target = "gfx1100", .body = "v_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v5, v6\n"
                                               "global_store_b32 v1, v5, s[8:9]"}, 1, 64,
     "uninitialised: stored data (v5) is undefined: it comes from v6, which nobody wrote, *", NULL},
    {"both halves read before either writes", {.target = "gfx1100", .body = "v_mov_b32_e32 v3, 0\nv_dual_mov_b32 v4, v0 :: v_dual_mov_b32 v5, v3\n"
                                               "v_dual_mov_b32 v4, v5 :: v_dual_mov_b32 v5, v4\nglobal_store_b32 v1, v5, s[8:9]"}, 1, 64, NULL, NULL},
    {"the half that mixed precision reads", {.target = "gfx1100", .body = "global_load_d16_b16 v2, v1, s[8:9]\ns_waitcnt vmcnt(0)\n"
                                             "v_fma_mix_f32 v3, v2, v2, 0 op_sel_hi:[1,1,0]\nglobal_store_b32 v1, v3, s[8:9]"}, 1, 64, NULL, NULL},
    {"the half that mixed precision must not read", {.target = "gfx1100", .body = "global_load_d16_b16 v2, v1, s[8:9]\ns_waitcnt vmcnt(0)\n"
                                             "v_fma_mix_f32 v3, v2, v2, 0 op_sel:[1,0,0] op_sel_hi:[1,1,0]\nglobal_store_b32 v1, v3, s[8:9]"}, 1, 64,
     "uninitialised: stored data (v3) is undefined: it comes from v2, *", NULL},

    /* gfx12: a counter a kind, split barriers */
    {"LDS counts on dscnt", {.target = "gfx1201", .body = "ds_store_b32 v1, v0\nds_load_b32 v2, v1\ns_wait_loadcnt 0x0\ns_wait_kmcnt 0x0\n"
                             "v_mov_b32_e32 v3, v2", .lds = 256}, 1, 64,
     "missing wait: v2 is read before ds_load_b32 v2, v1 (at 0x#) has been waited for", NULL},
    {"scalar loads count on kmcnt", {.target = "gfx1201", .body = "s_load_b32 s20, s[8:9], 0x0\ns_wait_dscnt 0x0\ns_wait_loadcnt 0x0\ns_add_co_u32 s20, s20, 1"},
     1, 64, "missing wait: s20 is read before s_load_b32 s20, s[8:9], 0x0 (at 0x#) has been waited for", NULL},
    {"loads count on loadcnt", {.target = "gfx1201", .body = "global_load_b32 v2, v1, s[8:9]\ns_wait_storecnt_dscnt 0x0\ns_wait_kmcnt 0x0\nv_mov_b32_e32 v3, v2"},
     1, 64, "missing wait: v2 is read before global_load_b32 v2, v1, s[8:9] (at 0x#) has been waited for", NULL},
    {"two counters in one wait", {.target = "gfx1201", .body = "ds_store_b32 v1, v0\nds_load_b32 v2, v1\nglobal_load_b32 v3, v1, s[8:9]\n"
                                  "s_wait_loadcnt_dscnt 0x0\nv_add_nc_u32_e32 v4, v2, v3", .lds = 256}, 1, 64, NULL, NULL},
    {"LDS read behind a split barrier", {.target = "gfx1201", .body = "v_xor_b32_e32 v2, 0x80, v1\nds_store_b32 v1, v0\ns_wait_dscnt 0x0\n"
                                         "s_barrier_signal -1\ns_barrier_wait 0xffff\nds_load_b32 v3, v2", .lds = 256}, 1, 64, NULL, NULL},
    {"LDS write not waited for before the signal", {.target = "gfx1201", .body = "v_xor_b32_e32 v2, 0x80, v1\nds_store_b32 v1, v0\n"
                                                    "s_barrier_signal -1\ns_barrier_wait 0xffff\nds_load_b32 v3, v2", .lds = 256}, 1, 64,
     "LDS race: LDS 0x* was written by wave # (ds_store_b32 v1, v0 at 0x#) and not waited for before the barrier", NULL},

    /* gfx1250: copies past the registers, high registers */
    {"async copy not waited for", {.target = "gfx1250", .body = "global_load_async_to_lds_b32 v1, v1, s[8:9]\ns_wait_loadcnt 0x0\nds_load_b32 v2, v1", .lds = 256},
     1, 32, "missing wait: LDS 0x0 is read before global_load_async_to_lds_b32 v1, v1, s[8:9] (at 0x#) has been waited for", "ds_load_b32 v2, v1"},
    {"async copy waited for", {.target = "gfx1250", .body = "global_load_async_to_lds_b32 v1, v1, s[8:9]\ns_wait_asynccnt 0x0\nds_load_b32 v2, v1", .lds = 256},
     1, 32, NULL, NULL},
    {"async copy not waited for before the barrier", {.target = "gfx1250", .body = "v_xor_b32_e32 v2, 0x80, v1\n"
                                                      "global_load_async_to_lds_b32 v1, v1, s[8:9]\ns_barrier_signal -1\ns_barrier_wait 0xffff\n"
                                                      "ds_load_b32 v3, v2", .lds = 256}, 1, 64,
     "LDS race: LDS 0x* was written by wave # (global_load_async_to_lds_b32 *) and not waited for before the barrier", NULL},
    {"async copy past the end of the LDS", {.target = "gfx1250", .body = "global_load_async_to_lds_b32 v1, v1, s[8:9]", .lds = 64}, 1, 32,
     "out of bounds: LDS store of 4 bytes at 0x40: the workgroup has 64 bytes of LDS", NULL},
    {"async copy of freed memory", {.target = "gfx1250", .body = "global_load_async_to_lds_b32 v1, v1, s[14:15]", .lds = 256}, 1, 32,
     "use after free: load of 4 bytes at 0x#: 0 bytes into an allocation of 256 bytes that was freed", NULL},
    {"async store of LDS nobody wrote", {.target = "gfx1250", .body = "global_store_async_from_lds_b32 v1, v1, s[8:9]", .lds = 256}, 1, 32,
     "uninitialised: stored data (LDS 0x0) is undefined: nobody wrote it", NULL},
    {"tensor copy not waited for", {.target = "gfx1250", .body = TENSOR("64") "\ns_wait_asynccnt 0x0\nds_load_b32 v2, v1", .lds = 256}, 1, 32,
     "missing wait: LDS 0x0 is read before tensor_load_to_lds s[20:23], s[24:31] (at 0x#) has been waited for", NULL},
    {"tensor copy waited for", {.target = "gfx1250", .body = TENSOR("64") "\ns_wait_tensorcnt 0x0\nv_and_b32_e32 v1, 63, v1\nds_load_b32 v2, v1", .lds = 256},
     1, 32, NULL, NULL},
    {"tensor copy past the end of memory", {.target = "gfx1250", .body = TENSOR("512"), .lds = 1024}, 1, 32,
     "out of bounds: load of 512 bytes at 0x#: ends 256 bytes past the end of an allocation of 256 bytes", NULL},
    /* named barriers, barrier cells */
    {"LDS read behind a named barrier", {.target = "gfx1250", .body = NAMED(2) "s_barrier_wait 1\nds_load_b32 v3, v2\ns_wait_dscnt 0x0",
                                         .lds = 256}, 1, 64, NULL, NULL},
    {"LDS read before a named barrier", {.target = "gfx1250", .body = NAMED(2) "ds_load_b32 v3, v2\ns_wait_dscnt 0x0\ns_barrier_wait 1",
                                         .lds = 256}, 1, 64, "LDS race: LDS 0x* *", NULL},
    {"named barrier that waits for a third wave", {.target = "gfx1250", .body = NAMED(3) "s_barrier_wait 1", .lds = 256}, 1, 64,
     "deadlock: 1 workgroups wait for what none of them will do, *", "s_barrier_wait 1"},
    {"named barrier without members", {.target = "gfx1250", .body = "s_barrier_signal 2"}, 1, 32,
     "*: named barrier 2 has no members: it was not initialised", "s_barrier_signal 2"},
    {"LDS read behind a barrier cell", {.target = "gfx1250", .body = CELL "s_wait_dscnt 0x0\ns_mov_b32 exec_lo, 1\n"
                                        "ds_atomic_barrier_arrive_rtn_b64 v[10:11], v6, v[8:9]\ns_wait_dscnt 0x0\ns_endpgm\n" CELL_WAIT,
                                        .lds = 320}, 1, 64, NULL, NULL},
    {"barrier cell outside the LDS", {.target = "gfx1250", .body = "v_mov_b32_e32 v6, 0x100\nds_atomic_async_barrier_arrive_b64 v6", .lds = 256}, 1, 32,
     "out of bounds: LDS store of 8 bytes at 0x100: the workgroup has 256 bytes of LDS", NULL},
    {"LDS read by a wave that is no member of the named barrier", {.target = "gfx1250", .body = MEMBERS
        "s_cmp_eq_u32 s20, 2\ns_cbranch_scc1 .Lc\n" MEMBER ".Lc:\nds_load_b32 v3, v5\ns_wait_dscnt 0x0", .lds = 512}, 1, 96,
     "LDS race: LDS 0x0 was written by wave 0 (ds_store_b32 v1, v0 at 0x#) with no barrier since", "ds_load_b32 v3, v5"},
    {"LDS written by a wave that is no member of the named barrier", {.target = "gfx1250", .body = MEMBERS
        "s_cmp_eq_u32 s20, 2\ns_cbranch_scc1 .Lc\n" MEMBER "ds_load_b32 v3, v2\ns_wait_dscnt 0x0\ns_endpgm\n.Lc:\nds_store_b32 v5, v0 offset:128", .lds = 512}, 1, 96,
     "LDS race: LDS 0x80 was written by wave 1 (ds_store_b32 v1, v0 at 0x#) with no barrier since", "ds_store_b32 v5, v0 offset:128"},
    {"LDS read by all behind a named barrier and the workgroup's", {.target = "gfx1250", .body = MEMBERS
        "s_cmp_eq_u32 s20, 2\ns_cbranch_scc1 .Lc\n" MEMBER ".Lc:\ns_barrier_signal -1\ns_barrier_wait 0xffff\nds_load_b32 v3, v5\ns_wait_dscnt 0x0",
        .lds = 512}, 1, 96, NULL, NULL},
    {"LDS passed on through two named barriers", {.target = "gfx1250", .body = RING("s_barrier_join m0\ns_barrier_signal 2\ns_barrier_wait 1\n"), .lds = 256}, 1, 64,
     NULL, NULL},
    {"LDS passed on, and written anew while it may be read", {.target = "gfx1250", .body = RING(""), .lds = 256}, 1, 64,
     "LDS race: LDS 0x0 is written while wave 1 may still read it: no barrier since its read", "ds_store_b32 v5, v0"},
    {"LDS store not waited for at a named barrier", {.target = "gfx1250", .body = MEMBERS
        "s_cmp_eq_u32 s20, 2\ns_cbranch_scc1 .Lc\ns_barrier_join m0\nds_store_b32 v1, v0\ns_barrier_signal 1\ns_barrier_wait 1\n"
        "ds_load_b32 v3, v2\ns_wait_dscnt 0x0\n.Lc:\ns_nop 0", .lds = 512}, 1, 96,
     "LDS race: LDS 0x* was written by wave # (ds_store_b32 v1, v0 at 0x#) and not waited for before the barrier", "ds_load_b32 v3, v2"},
    {"LDS written anew behind the arrival at the barrier cell", {.target = "gfx1250", .body = CELL "s_wait_dscnt 0x0\n"
        "s_mov_b32 exec_lo, 1\nds_atomic_barrier_arrive_rtn_b64 v[10:11], v6, v[8:9]\ns_mov_b32 exec_lo, s21\nds_store_b32 v1, v0\ns_endpgm\n" CELL_WAIT, .lds = 320}, 1, 64,
     "LDS race: LDS 0x80 was written by wave 1 (ds_store_b32 v1, v0 at 0x#) with no barrier since", "ds_load_b32 v3, v2"},
    /* clusters of workgroups */
    {"LDS of the wave that signals the cluster's barrier", {.target = "gfx1250", .cluster = 2, .lds = 256, .body =
        "v_readfirstlane_b32 s20, v0\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc0 .Lw\nds_store_b32 v1, v0\ns_wait_dscnt 0x0\n"
        "s_barrier_signal -3\n.Lw:\ns_barrier_wait 0xfffd\nv_and_b32_e32 v2, 0x7f, v1\nds_load_b32 v3, v2\ns_wait_dscnt 0x0"}, 2, 64, NULL, NULL},
    {"LDS of a wave that does not signal the cluster's barrier", {.target = "gfx1250", .cluster = 2, .lds = 256, .body =
        "v_readfirstlane_b32 s20, v0\nds_store_b32 v1, v0\ns_wait_dscnt 0x0\ns_cmp_eq_u32 s20, 0\ns_cbranch_scc0 .Lw\n"
        "s_barrier_signal -3\n.Lw:\ns_barrier_wait 0xfffd\nv_xor_b32_e32 v2, 0x80, v1\nds_load_b32 v3, v2\ns_wait_dscnt 0x0"}, 2, 64,
     "LDS race: LDS 0x80 is written while wave 0 may still read it: no barrier since its read", "ds_store_b32 v1, v0"},
    {"memory of the cluster's other workgroup, behind its barrier", {.target = "gfx1250", .cluster = 2,
        .body = STORED CLUSTER_BARRIER "global_inv scope:SCOPE_SE\ns_wait_loadcnt 0x0\nglobal_load_b32 v4, v3, s[8:9]"}, 2, 32, NULL, NULL},
    {"memory of the cluster's other workgroup, old lines not invalidated", {.target = "gfx1250", .cluster = 2,
        .body = STORED CLUSTER_BARRIER "global_load_b32 v4, v3, s[8:9]"}, 2, 32,
     "global race: load at 0x#: workgroup (#, 0, 0) writes it and nothing orders the two", "global_load_b32 v4, v3, s[8:9]"},
    {"memory of the cluster's other workgroup, stores not waited for", {.target = "gfx1250", .cluster = 2,
        .body = RANK "global_store_b32 v2, v1, s[8:9]\n" CLUSTER_BARRIER "global_inv scope:SCOPE_SE\nglobal_load_b32 v4, v3, s[8:9]"}, 2, 32,
     "global race: load at 0x#: workgroup (#, 0, 0) writes it and nothing orders the two", "global_load_b32 v4, v3, s[8:9]"},
    {"an invalidation for clusters between workgroups of none", {.target = "gfx1250",
        .body = "s_lshl_b32 s21, ttmp9, 7\nv_add_nc_u32_e32 v2, s21, v1\ns_cmp_eq_u32 ttmp9, 0\ns_cbranch_scc0 .L1\n"
                "global_store_b32 v2, v1, s[8:9]\ns_wait_storecnt 0x0\ns_endpgm\n.L1:\ns_sleep 0\nglobal_inv scope:SCOPE_SE\n"
                "global_load_b32 v4, v1, s[8:9]"}, 2, 32,
     "global race: * at 0x#: workgroup (#, 0, 0) * it and nothing orders the two", NULL},
    {"a workgroup that does not come to the cluster's barrier", {.target = "gfx1250", .cluster = 2,
        .body = STORED "s_cmp_eq_u32 s20, 1\ns_cbranch_scc1 .Lx\n" CLUSTER_BARRIER ".Lx:\ns_nop 0"}, 2, 32, NULL, NULL},
    {"a workgroup that comes to the cluster's barrier once only", {.target = "gfx1250", .cluster = 2,
        .body = RANK CLUSTER_BARRIER "s_cmp_eq_u32 s20, 1\ns_cbranch_scc1 .Lx\n" CLUSTER_BARRIER ".Lx:\ns_nop 0"}, 2, 32,
     "divergent barrier: the wave waits at the barrier of its cluster, but workgroup (1, 0, 0) has ended without coming to it",
     "s_barrier_wait 0xfffd"},
    {"a workgroup that waits for ever while others are at the cluster's barrier", {.target = "gfx1250", .cluster = 2,
        .body = RANK "s_cmp_eq_u32 s20, 1\ns_cbranch_scc1 .Lx\n" CLUSTER_BARRIER "s_endpgm\n.Lx:\ns_barrier_wait 0xfffd"}, 2, 32,
     "deadlock: 1 clusters of workgroups wait for what none of them will do, *", "s_barrier_wait 0xfffd"},
    {"the cluster's barrier signalled by each wave", {.target = "gfx1250", .cluster = 2, .body = CLUSTER_BARRIER}, 2, 64,
     "divergent barrier: the workgroup signals the barrier of its cluster twice in a phase: one wave signals for all",
     "s_barrier_signal -3"},
    {"the cluster's barrier signalled by the first wave, many times", {.target = "gfx1250", .cluster = 4,
        .body = "s_mov_b32 s30, 50\n.Ll:\n" CLUSTER_BARRIERS "s_sub_co_u32 s30, s30, 1\ns_cbranch_scc0 .Ll"}, 8, 128, NULL, NULL},
    {"a load for the whole cluster", {.target = "gfx1250", .cluster = 2, .lds = 256,
        .body = "s_mov_b32 m0, 3\ncluster_load_b32 v2, v1, s[8:9]\ncluster_load_async_to_lds_b32 v1, v1, s[8:9] offset:64\n"
                "s_wait_asynccnt 0x0\nds_load_b32 v3, v1 offset:64"}, 4, 32, NULL, NULL},
    {"a load for the whole cluster, a workgroup missing", {.target = "gfx1250", .cluster = 2, .lds = 256,
        .body = RANK "s_mov_b32 m0, 3\ns_cmp_eq_u32 s20, 1\ns_cbranch_scc1 .Lx\n"
                "cluster_load_async_to_lds_b32 v1, v1, s[8:9]\ns_wait_asynccnt 0x0\n.Lx:\ns_nop 0"}, 2, 32,
     "deadlock: the load with mask 0x3 of the 128 bytes at 0x# waits for workgroup (1, 0, 0), which did not make it",
     "cluster_load_async_to_lds_b32 v1, v1, s[8:9]"},
    {"the same without waiting for it", {.target = "gfx1250", .cluster = 2, .lds = 256,
        .body = RANK "s_mov_b32 m0, 0x10003\ns_cmp_eq_u32 s20, 1\ns_cbranch_scc1 .Lx\n"
                "cluster_load_async_to_lds_b32 v1, v1, s[8:9]\ns_wait_asynccnt 0x0\n.Lx:\ns_nop 0"}, 2, 32, NULL, NULL},
    {"the same of more workgroups than can share a load", {.target = "gfx1250", .cluster = 6, .lds = 256,
        .body = RANK "s_mov_b32 m0, 63\ns_cmp_eq_u32 s20, 1\ns_cbranch_scc1 .Lx\n"
                "cluster_load_async_to_lds_b32 v1, v1, s[8:9]\ns_wait_asynccnt 0x0\n.Lx:\ns_nop 0"}, 6, 32, NULL, NULL},
    {"loads of different memory with the cluster's mask", {.target = "gfx1250", .cluster = 2, .lds = 256,
        .body = RANK "s_mov_b32 m0, 3\ncluster_load_b32 v4, v2, s[8:9]\ns_wait_loadcnt 0x0"}, 2, 32,
     "deadlock: the load with mask 0x3 of the 128 bytes at 0x# waits for workgroup (#, 0, 0), which did not make it",
     "cluster_load_b32 v4, v2, s[8:9]"},
    {"a load for workgroups the cluster has not", {.target = "gfx1250", .cluster = 2, .body = "s_mov_b32 m0, 5\ncluster_load_b32 v2, v1, s[8:9]"}, 2, 32,
     "illegal instruction: the mask 0x5 names workgroup 2 of a cluster of 2", "cluster_load_b32 v2, v1, s[8:9]"},
    {"a load for others only", {.target = "gfx1250", .cluster = 2, .body = "s_mov_b32 m0, 2\ncluster_load_b32 v2, v1, s[8:9]"}, 2, 32,
     "illegal instruction: the mask 0x2 leaves out workgroup 0 of the cluster, which makes the load: *", "cluster_load_b32 v2, v1, s[8:9]"},
    {"a load for a cluster outside of one", {.target = "gfx1250", .body = "s_mov_b32 m0, 3\ncluster_load_b32 v2, v1, s[8:9]"}, 1, 32,
     "illegal instruction: the mask 0x3 names workgroup 1 of a cluster of 1", "cluster_load_b32 v2, v1, s[8:9]"},
    {"an async load of a cluster past the end of the LDS", {.target = "gfx1250", .cluster = 2, .lds = 64,
        .body = "s_mov_b32 m0, 3\ncluster_load_async_to_lds_b32 v1, v1, s[8:9]"}, 2, 32,
     "out of bounds: LDS store of 4 bytes at 0x40: the workgroup has 64 bytes of LDS", NULL},
    {"an async load of a cluster not waited for", {.target = "gfx1250", .cluster = 2, .lds = 256,
        .body = "s_mov_b32 m0, 3\ncluster_load_async_to_lds_b32 v1, v1, s[8:9]\n" CLUSTER_BARRIER "ds_load_b32 v2, v1"}, 2, 32,
     "missing wait: LDS 0x0 is read before cluster_load_async_to_lds_b32 v1, v1, s[8:9] (at 0x#) has been waited for", "ds_load_b32 v2, v1"},
    {"a tensor copy for the whole cluster", {.target = "gfx1250", .cluster = 2, .lds = 256,
        .body = TENSOR_HEAD("64") "s_mov_b32 s24, 3\ntensor_load_to_lds s[20:23], s[24:31]\ns_wait_tensorcnt 0x0\nv_and_b32_e32 v1, 60, v1\nds_load_b32 v2, v1"},
     2, 32, NULL, NULL},
    {"a tensor copy for the whole cluster, a workgroup missing", {.target = "gfx1250", .cluster = 2, .lds = 256,
        .body = TENSOR_HEAD("64") "s_mov_b32 s24, 3\ns_getreg_b32 s40, hwreg(HW_REG_IB_STS2, 21, 4)\ns_cmp_eq_u32 s40, 0\n"
                "s_cbranch_scc1 .Lx\ntensor_load_to_lds s[20:23], s[24:31]\ns_wait_tensorcnt 0x0\n.Lx:\ns_nop 0"},
     2, 32, "deadlock: the load with mask 0x3 of the 128 bytes at 0x# waits for workgroup (0, 0, 0), which did not make it",
     "tensor_load_to_lds s[20:23], s[24:31]"},
    {"more rows gathered than there are numbers", {.target = "gfx1250", .lds = 256,
        .body = TENSOR_HEAD("64") "s_bitset1_b32 s20, 31\ns_mov_b32 s28, 17\ns_mov_b64 s[32:33], 0\ns_mov_b64 s[34:35], 0\n"
                "s_mov_b64 s[36:37], 0\ns_mov_b64 s[38:39], 0\ntensor_load_to_lds s[20:23], s[24:31], s[32:35], s[36:39]"}, 1, 32,
     "illegal instruction: the descriptor gathers 17 rows, 16 numbers of 16 bits fit into it", NULL},
    {"high register not waited for", {.target = "gfx1250", .body = "s_set_vgpr_msb 0x40\nglobal_load_b32 v44, v1, s[8:9]\ns_set_vgpr_msb 0x1\n"
                                      "v_mov_b32_e32 v2, v44"}, 1, 32, "missing wait: v300 is read before global_load_b32 *", NULL},
    {"high register nobody wrote", {.target = "gfx1250", .body = "s_set_vgpr_msb 0x3\nv_mov_b32_e32 v2, v5\ns_set_vgpr_msb 0x0\n"
                                    "global_store_b32 v1, v2, s[8:9]"}, 1, 32, "uninitialised: stored data (v2) is undefined: it comes from v773, *", NULL},
};

static const struct fault_case *const end = cases + sizeof cases / sizeof *cases;

static void run(const struct fault_case *c, const char *threads)
{
    uint64_t args[4];
    hipError_t e;

    setenv("FLYSIM_THREADS", threads, 1);
    setenv("FLYSIM_DEVICES", c->kernel.target ? c->kernel.target : "gfx942", 1);
    setenv("FLYSIM_CHECK", "1", 1);
    setenv("FLYSIM_BUDGET", "3", 1);
    args[0] = kernel_zeros(256);
    args[1] = kernel_fresh(256);
    args[2] = kernel_zeros(4096);
    args[3] = kernel_zeros(256);
    hipFree((void *)(uintptr_t)args[3]);
    e = kernel_run(&c->kernel, c->groups, c->block, args);
    if (!c->first) {
        cr_expect_eq(e, 0, "%s: must pass, but\n%s", c->name, flysimLastError());
        return;
    }
    cr_expect_eq(e, hipErrorLaunchFailure, "%s: must fail, %s", c->name, hipGetErrorName(e));
    const char *report = flysimLastError(), *at = strchr(report, '\n');
    char line[600], pattern[600];

    snprintf(line, sizeof line, "%.*s", at ? (int)(at - report) : 0, report);
    snprintf(pattern, sizeof pattern, "flysim: %s", c->first);
    cr_expect(kernel_match(pattern, line), "%s: expected\n%s\nbut got\n%s", c->name, pattern, report);
    if (c->place) {
        snprintf(pattern, sizeof pattern, "*\n  kernel k on *\n  instruction at 0x# (k+0x#): %s\n  workgroup (#, #, #), wave #*", c->place);
        cr_expect(kernel_match(pattern, report), "%s: expected\n%s\nbut got\n%s", c->name, pattern, report);
    }
}

ParameterizedTestParameters(fault, report)
{
    /* Numbers, since pointers of the parent mean nothing to the process of a test. */
    static size_t number[sizeof cases / sizeof *cases];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        number[i] = i;
    return cr_make_param_array(size_t, number, sizeof cases / sizeof *cases);
}

ParameterizedTest(size_t *number, fault, report)
{
    if (!kernel_tools())
        cr_skip_test("llvm-mc and ld.lld of LLVM 22 are not installed");
    run(&cases[*number], "1");
}

static const struct fault_case *find(const char *name)
{
    for (const struct fault_case *c = cases; c < end; c++)
        if (!strcmp(c->name, name))
            return c;
    cr_assert_fail("no case %s", name);
    return NULL;
}

Test(fault, deadlock_says_who_waits_where)
{
    if (!kernel_tools())
        cr_skip_test("llvm-mc and ld.lld of LLVM 22 are not installed");
    run(find("waiting for a store nobody makes"), "4");
    cr_expect(kernel_match("*workgroup (#, 0, 0), wave 0: loops over global_load_dword v2, v3, s[8:9] sc1 at 0x#\n*", flysimLastError()),
              "%s", flysimLastError());
}

Test(fault, nothing_is_reported_when_checks_are_off)
{
    uint64_t args[4] = {0};
    const struct kernel k = {.body = "global_store_dword v1, v5, s[8:9]"};

    if (!kernel_tools())
        cr_skip_test("llvm-mc and ld.lld of LLVM 22 are not installed");
    setenv("FLYSIM_CHECK", "0", 1);
    args[0] = kernel_zeros(256);
    cr_expect_eq(kernel_run(&k, 1, 64, args), 0, "%s", flysimLastError());
}
