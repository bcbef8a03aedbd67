/* SPDX-License-Identifier: MIT */
/*
 * What libflysim.so exports beside the HIP C ABI: counters and fault reports. Everything named modelled
 * comes from the bound model of docs/simulator.md and is not a measurement.
 *
 * Environment: FLYSIM_DEVICES=gfx942,gfx950 (one device each), FLYSIM_CHECK=0|1, FLYSIM_THREADS=n,
 * FLYSIM_ISA=v2|v3|v4, FLYSIM_MFMA=exact|fma|device, FLYSIM_ULP=+1|-1, FLYSIM_BUDGET=n (millions of
 * instructions a wave may execute).
 */
#ifndef FLYSIM_H
#define FLYSIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

enum {
    FLYSIM_VALU, FLYSIM_SALU, FLYSIM_SMEM, FLYSIM_VMEM_LOAD, FLYSIM_VMEM_STORE, FLYSIM_LDS, FLYSIM_MATRIX,
    FLYSIM_BRANCH, FLYSIM_WAIT, FLYSIM_OTHER, FLYSIM_CLASSES
};

/* Units of the bound model. */
enum {
    FLYSIM_HBM, FLYSIM_L2, FLYSIM_L1, FLYSIM_LDS_UNIT, FLYSIM_MATRIX_UNIT, FLYSIM_VALU_UNIT, FLYSIM_ISSUE, FLYSIM_UNITS
};

/* L1 is taken at so many bytes a clock and CU, or WGP of two CUs where waves have 32 lanes: an assumption. */
enum { FLYSIM_L1_BYTES = 64, FLYSIM_L1_BYTES_WAVE32 = 128 };

/* Sums over the launches of the current device since flysimResetCounts, except where "largest" is said.
 * Set size before the call; members beyond it are not written. */
struct flysim_counts {
    uint64_t size;
    uint64_t launches, workgroups, waves;
    uint64_t instructions[FLYSIM_CLASSES]; /* wave instructions, by class */
    uint64_t read_bytes, write_bytes;      /* 64-byte lines touched, a wave instruction at a time */
    uint64_t param_bytes;                  /* likewise, in buffers marked by flysimMarkParam */
    uint64_t lds_bytes;
    uint64_t lds_conflict_cycles;          /* beyond the least possible, by the published lane groups */
    uint64_t lds_conflict_cycles_linear;   /* likewise, if groups were consecutive lanes */
    uint64_t matrix_cycles, valu_cycles;   /* of one SIMD */
    uint64_t vgprs, agprs, sgprs;          /* a lane, a lane, a wave: largest */
    uint64_t lds_alloc;                    /* bytes a workgroup: largest */
    uint64_t spills;                       /* private memory bytes a lane: largest */
    uint64_t occupancy;                    /* waves a SIMD: of the last launch */
    double modelled_ns;
    const char *bound;                     /* what limits the longest launch: "HBM", "L2", "LDS" ... */
    double bound_share;                    /* the limit's part of the modelled time of that launch */
    uint64_t lds_cycles;                   /* of the LDS of one CU */
    uint64_t first_read_bytes;             /* 64-byte lines read, each once a launch: what caches cannot save; */
    uint64_t first_write_bytes;            /* likewise written; neither counts buffers marked as parameters */
    uint64_t simulated_workgroups;         /* fewer than workgroups where flysimSample asked for a sample */
    double unit_ns[FLYSIM_UNITS];          /* modelled time each unit is busy */
    uint64_t first_param_bytes;            /* lines of parameters read and lines written, each once a launch */
    uint64_t memory_bytes;                 /* what the model has memory move: first_read_bytes, first_write_bytes, and
                                              first_param_bytes of launches whose parameters exceed the last cache */
    uint64_t l1_bytes_clk;                 /* what L1 is taken at on this device */
};

/* Name of a class of instructions: "valu"; of a unit: "HBM". */
const char *flysimClassName(int cls);
const char *flysimUnitName(int unit);

/* 0 on success, a hipError_t otherwise. */
int flysimMarkParam(const void *ptr, size_t bytes);
int flysimResetCounts(void);
int flysimGetCounts(struct flysim_counts *out);

/* Launches of more than `waves` waves execute about as many, workgroups spread evenly over the grid, and
 * their counts are extrapolated; what they would have stored elsewhere is missing. read_bytes: what the
 * next such launch reads once, which a sample cannot tell; 0 extrapolates that too. waves 0: no samples. */
int flysimSample(uint64_t waves, uint64_t read_bytes);

/* The report of the last fault of this process, "" without one. */
const char *flysimLastError(void);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif

#endif
