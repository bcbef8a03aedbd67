/* SPDX-License-Identifier: MIT */
/*
 * Device memory: one reserved range of the host's address space, so that a device pointer is a host
 * pointer and no address is handed out twice before the range is used up. Beside it a shadow: a bit a
 * byte for "written", tags a 64-byte chunk for the race check. Checks compare addresses with
 * allocations; a gap lies behind each of them.
 */
#ifndef SIM_MEM_H
#define SIM_MEM_H

#include "state.h"

enum { SIM_MEM_HOST = 1, SIM_MEM_CODE = 2, SIM_MEM_PARAM = 4, SIM_MEM_FREED = 8 };

struct sim_alloc {
    u64 lo, hi;
    int device;
    unsigned flags;
    u64 launches; /* when it was freed: number of launches begun by then */
};

/* Reserves the range; false if the host refuses. Safe to call again. */
bool sim_mem_setup(void);

/* Zero bytes give a valid, unique pointer. Null when the device's memory is used up. */
void *sim_mem_alloc(size_t bytes, int device, unsigned flags);
bool sim_mem_free(void *p);
/* Gives back the pages of a table, of `entry` bytes for `span` bytes of the arena, that are about [lo, hi) alone. */
void sim_mem_drop(void *table, u64 lo, u64 hi, u64 entry, u64 span);
/* Makes host memory (hipHostRegister) accessible to devices. */
bool sim_mem_register(void *p, size_t n);
bool sim_mem_unregister(void *p);
/* Whether addr is host memory outside the range. */
bool sim_mem_foreign(u64 addr);
/* Whose range holds addr, live or freed; null if none. */
const struct sim_alloc *sim_mem_find(u64 addr);
size_t sim_mem_used(int device);

/* The host wrote (or let go of) these bytes. */
void sim_mem_mark(u64 addr, size_t n, bool written);
/* The host copied bytes: those nobody wrote stay so. */
void sim_mem_copied(u64 to, u64 from, size_t n);
/* Marks a range as parameters, whose traffic is counted apart. */
void sim_mem_param(u64 addr, size_t n);
bool sim_mem_is_param(u64 addr);

extern u8 *sim_arena;          /* start of the range */
extern u64 sim_arena_bytes;
extern u8 *sim_init_bits;      /* bit a byte of the range */
extern bool sim_any_param;

/* Fills w->hit_* with the allocation around [a, a + n); false if there is none. */
bool sim_mem_lookup(struct sim_wave *w, u64 a, u64 n);

static inline bool sim_mem_ok(struct sim_wave *w, u64 a, u64 n)
{
    return __builtin_expect(a >= w->hit_lo && a + n <= w->hit_hi && n <= a + n, 1) || sim_mem_lookup(w, a, n);
}

/* Reports the access that sim_mem_ok refused. what: "load" or "store". */
void sim_mem_fault(struct sim_wave *w, const struct insn *in, int lane, u64 a, unsigned n, const char *what);

/* Whether every byte of [a, a + n) was written. The range is in the arena. */
bool sim_init_all(u64 a, u64 n);
/* Marks [a, a + n) as written by the device. */
void sim_init_set(u64 a, u64 n);

/* Once, after the arena exists; and when tags have been used up. */
bool sim_race_setup(void);
void sim_race_reset(void);
/* Of memory that was freed. */
void sim_race_forget(u64 lo, u64 hi);

/* Forgets who read what, as tags begin anew. */
void sim_traffic_reset(void);

/* Race check between workgroups; false after a report. A range of n bytes at a. */
bool sim_race_read(struct sim_wave *w, const struct insn *in, int lane, u64 a, u64 n);
bool sim_race_write(struct sim_wave *w, const struct insn *in, int lane, u64 a, u64 n);
/* n bytes of `lane` and the lanes after it, `per` each. */
bool sim_race_lanes(struct sim_wave *w, const struct insn *in, int lane, u64 a, u64 n, unsigned per, bool store);

/* Bytes in the distinct lines of `line` bytes that n-byte accesses of the lanes in m touch. */
u64 sim_lines(const u64 *ad, u64 m, unsigned n, unsigned line, int lanes);

/* Adds the traffic of a vector access to the wave's tally. */
void sim_tally_global(struct sim_wave *w, const u64 *ad, u64 m, unsigned n, bool write, int lanes);
void sim_tally_global_run(struct sim_wave *w, u64 a, u64 n, bool write);

/* After a load of n bytes a lane at ad[] into registers from row on: races, bytes nobody wrote. */
bool sim_check_load(struct sim_wave *w, const struct insn *in, unsigned row, const u64 *ad, u64 m, unsigned n);
bool sim_check_store(struct sim_wave *w, const struct insn *in, const u64 *ad, u64 m, unsigned n);
void sim_poison_lanes(struct sim_wave *w, const struct insn *in, unsigned row, const u64 *ad, u64 m, unsigned n);
void sim_poison_loaded(struct sim_wave *w, const struct insn *in, unsigned row, u64 lanes, unsigned k, unsigned n);
/* Marks bytes (bits 0..3) of lanes of a register as holding what nobody wrote. */
void sim_poison(struct sim_wave *w, const struct insn *in, unsigned row, u64 lanes, unsigned bytes);
/* Marks a scalar register as loaded from bytes nobody wrote. */
void sim_spoison(struct sim_wave *w, const struct insn *in, unsigned reg);
/* A scalar load of n bytes: undefined registers, races. False after a report. */
bool sim_smem_read(struct sim_wave *w, const struct insn *in, u64 a, unsigned n);

/* LDS accesses of n bytes a lane at v[lane] + off: races, bytes nobody wrote (poison row on; ~0u: all of
 * the destination), counts. False after a report. */
bool sim_lds_load_check(struct sim_wave *w, const struct insn *in, const u32 *v, u32 off, unsigned n, unsigned row);
bool sim_lds_store_check(struct sim_wave *w, const struct insn *in, const u32 *v, u32 off, unsigned n);
bool sim_lds_atomic_check(struct sim_wave *w, const struct insn *in, const u32 *v, u32 off, unsigned n);
void sim_lds_fault(struct sim_wave *w, const struct insn *in, const u32 *v, u32 off, unsigned n,
                   unsigned align, bool store);
/* Bytes [a, a + n) are written by (dma: a copy of) this wave, or read by a copy to memory. False after a
 * report. sim_lds_lost: what was written to byte a is undefined. */
bool sim_lds_written(struct sim_wave *w, const struct insn *in, int lane, u32 a, unsigned n, bool dma);
bool sim_lds_taken(struct sim_wave *w, const struct insn *in, int lane, u32 a, unsigned n);
void sim_lds_lost(struct sim_wave *w, u32 a);
/* At a barrier: LDS writes this wave has not waited for count as writes of the next epoch. */
void sim_lds_barrier(struct sim_wave *w);
/* The same of copies past the registers alone. */
void sim_lds_copies_late(struct sim_wave *w);
/* Whether the wave has accessed LDS since the last barrier of the workgroup; not when clocks run. */
bool sim_lds_touched(const struct sim_wave *w);
/* A conflict at LDS byte a with who wrote its dword, or with wave `reader` (-1: none). True if it is none after all: of
 * one's own copy that has been waited for. */
bool sim_lds_race(struct sim_wave *w, const struct insn *in, int lane, u32 a, bool store, int reader);

/* Loads from ad[] straight into LDS at M0; lanes not in `lanes` write 0. nd dwords a lane, or ext. */
bool sim_lds_dma(struct sim_wave *w, const struct insn *in, const u64 *ad, u64 lanes, int nd, int ext, int width);

/* The same from private memory, a dword a lane. */
bool sim_lds_dma_private(struct sim_wave *w, const struct insn *in, const u32 *off, int nd, int ext, int width);

/* async.c: copies between memory and LDS past the registers. Asynchronous ones take n bytes a lane from ad[]
 * to LDS lds[] + the offset, or back; the tensor data mover's are described by scalar registers. */
bool sim_async_copy(struct sim_wave *w, const struct insn *in, const u64 *ad, const u32 *lds, unsigned n, bool store,
                    int width);
bool sim_tensor_copy(struct sim_wave *w, const struct insn *in, bool store);

/* Private memory: off[] is a lane's own offset. nd dwords, or (0) what ext or small say. */
bool sim_private_load(struct sim_wave *w, const struct insn *in, const u32 *off, int nd, int ext, int d16, int width);
bool sim_private_store(struct sim_wave *w, const struct insn *in, const u32 *off, int nd, int small, int hi, int width);
/* n bytes of one lane; bits of *dirty for bytes nobody wrote. */
bool sim_private_read(struct sim_wave *w, const struct insn *in, int lane, u32 off, unsigned n, u8 *to, u32 *dirty, int width);

/* FLAT addresses outside global memory: the apertures of LDS and private memory. */
enum { SIM_APERTURE_LDS = 1, SIM_APERTURE_PRIVATE = 2 }; /* bits 63:48 of an address */
/* gfx1250: bits 63:58 of a FLAT address of private memory, the lane in bits 57:52. */
enum { SIM_SCRATCH_SHIFT = 58, SIM_SCRATCH_LANE = 52, SIM_SCRATCH_OTHER = 3 };
bool sim_flat_special(const struct sim_wave *w, const u64 *ad);
bool sim_flat_load(struct sim_wave *w, const struct insn *in, const u64 *ad, int nd, int ext, int d16, int width);
bool sim_flat_store(struct sim_wave *w, const struct insn *in, const u64 *ad, int nd, int small, int hi, int width);
bool sim_flat_atomic(struct sim_wave *w, const struct insn *in, const u64 *ad, int op, int words, int width);

/* Kinds of small loads, as the bodies name them. */
enum { EXT_U8, EXT_I8, EXT_U16, EXT_I16 };
enum { D16_NO, D16_LO, D16_HI };
static inline u32 sim_extend(const u8 *p, int ext)
{
    u32 h = p[0] | (ext >= EXT_U16 ? (u32)p[1] << 8 : 0);
    return ext == EXT_U8 || ext == EXT_U16 ? h : ext == EXT_I8 ? (u32)(i32)(i8)h : (u32)(i32)(i16)h;
}
static inline u32 sim_d16(u32 old, u32 x, int d16)
{
    return d16 == D16_LO ? (old & 0xffff0000) | (x & 0xffff) : d16 == D16_HI ? (old & 0xffff) | x << 16 : x;
}

/* Before an atomic of n bytes a lane: it orders, and may not race with plain accesses. */
bool sim_atomic_check(struct sim_wave *w, const struct insn *in, const u64 *ad, unsigned n);

/* Ordering events of a workgroup, for the race check. */
void sim_release(struct sim_wave *w);
void sim_acquire(struct sim_wave *w);
/* An acquire from workgroups of the same cluster only. */
void sim_acquire_near(struct sim_wave *w);

#endif
