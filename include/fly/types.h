/* SPDX-License-Identifier: MIT */
/*
 * Types every operation shares: statuses, element types, the plan, and the rules for argument
 * structs.
 *
 * Rules that hold for every argument struct of libfly:
 *   - its first member is `size_t size`, set by FLY_ARGS_INIT; fields are only ever added at the
 *     end, and zero in a field means what the library did before that field existed;
 *   - a size below the struct's first version or above 4096 is FLY_STATUS_INVALID_VALUE; one beyond what this
 *     library knows is accepted when the unknown tail is all zero, else FLY_STATUS_NOT_SUPPORTED;
 *   - no struct has implicit padding; shapes and strides are int64_t, strides count elements;
 *   - pointers are device pointers unless the comment says otherwise.
 */
#ifndef FLY_TYPES_H
#define FLY_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* Initialises an argument struct: `flyLayerNormArgs_t a = FLY_ARGS_INIT(a);` sets its size, the
 * rest is zero. */
#ifdef __cplusplus
struct flyArgsInit {
    size_t size;
    template <typename T> operator T() const
    {
        T args = T();
        args.size = size;
        return args;
    }
    static flyArgsInit of(size_t bytes)
    {
        flyArgsInit init = {bytes};
        return init;
    }
};
#define FLY_ARGS_INIT(var) flyArgsInit::of(sizeof(var))
#else
#define FLY_ARGS_INIT(var) {.size = sizeof(var)}
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(FLY_BUILDING_LIBRARY) && (defined(__GNUC__) || defined(__clang__))
#define FLY_API __attribute__((visibility("default")))
#else
#define FLY_API
#endif

/* What a call returns. Values are never renumbered. */
typedef enum flyStatus_t {
    FLY_STATUS_SUCCESS = 0,
    FLY_STATUS_INVALID_VALUE = 1,       /* null pointer, bad shape, dtype, stride or alignment */
    FLY_STATUS_INVALID_HANDLE = 2,      /* the handle is null or was destroyed */
    FLY_STATUS_NOT_SUPPORTED = 3,       /* this arch or combination has no kernel */
    FLY_STATUS_NO_RUNTIME = 4,          /* no GPU runtime library was found */
    FLY_STATUS_NO_DEVICE = 5,           /* the runtime has no device, or not one libfly knows */
    FLY_STATUS_NO_KERNELS = 6,          /* no kernel file for this arch is installed */
    FLY_STATUS_BAD_KERNEL_FILE = 7,     /* a kernel file is cut, corrupt or of another build */
    FLY_STATUS_WORKSPACE_TOO_SMALL = 8, /* the caller's workspace is smaller than the plan says */
    FLY_STATUS_OUT_OF_MEMORY = 9,
    FLY_STATUS_RUNTIME_ERROR = 10,      /* the runtime refused; its own text is in the message */
    FLY_STATUS_NOT_READY = 11,          /* a kernel would have to be loaded during a capture */
    FLY_STATUS_INTERNAL = 12            /* a mistake in libfly; please report the message */
} flyStatus_t;

/* Element types. Values are never renumbered; 0 is no type. */
typedef enum flyDtype_t {
    FLY_DTYPE_NONE = 0,
    FLY_DTYPE_F32 = 1,
    FLY_DTYPE_F16 = 2,
    FLY_DTYPE_BF16 = 3,
    FLY_DTYPE_E4M3 = 4,      /* OCP E4M3FN: bias 7, largest 448, no infinity */
    FLY_DTYPE_E4M3FNUZ = 5,  /* bias 8, largest 240, 0x80 is NaN */
    FLY_DTYPE_E5M2 = 6,      /* OCP E5M2: bias 15, infinities and NaN as IEEE */
    FLY_DTYPE_E5M2FNUZ = 7,  /* bias 16, 0x80 is NaN */
    FLY_DTYPE_I8 = 8,
    FLY_DTYPE_I32 = 9,
    FLY_DTYPE_E2M1 = 10,     /* OCP MX FP4, two codes a byte, low nibble first */
    FLY_DTYPE_E2M3 = 11,     /* OCP MX FP6 */
    FLY_DTYPE_E3M2 = 12,     /* OCP MX FP6 */
    FLY_DTYPE_E8M0 = 13,     /* OCP MX scale: 2^(code - 127), 255 is NaN */
    FLY_DTYPE_I4 = 14
} flyDtype_t;

/* How a kernel was chosen. */
typedef enum flyReason_t {
    FLY_REASON_NONE = 0,      /* nothing to launch: the problem is empty */
    FLY_REASON_FORCED = 1,    /* FLY_KERNEL names it */
    FLY_REASON_TUNED = 2,     /* a tuning table has this very problem */
    FLY_REASON_NEAREST = 3,   /* a tuning table has a problem close by */
    FLY_REASON_HEURISTIC = 4, /* computed from shape and arch */
    FLY_REASON_FALLBACK = 5   /* the last row, which always fits */
} flyReason_t;

/* What a flyXxxPlan call would launch. Set size before the call (FLY_ARGS_INIT); the rest is
 * written. */
typedef struct flyPlan_t {
    size_t size;
    const char *kernel;       /* variant name, lives as long as the library; "" when nothing runs */
    uint64_t workspace_bytes; /* device memory the operation wants as workspace */
    uint32_t grid[3];         /* workgroups */
    uint32_t block[3];        /* work-items a workgroup */
    uint32_t lds_bytes;       /* LDS (shared memory) a workgroup, static and dynamic */
    uint32_t registers;       /* VGPRs (registers) a work-item; 0 if the runtime does not say */
    uint32_t reason;          /* flyReason_t */
    uint32_t launches;        /* kernels the call launches */
    double modelled_us;       /* time by the op's own model (GEMM: docs/gemm.md, cycles); 0: it has none, or nothing runs */
    const char *bound;        /* what limits it: "HBM", "L2", "L1", "LDS", "matrix"; "" without a model */
    const char *second;       /* the variant modelled next to it; "" when there is no other */
    double second_us;         /* and its time */
    const char *note;         /* of GEMM, how k is split, or why it is whole; "" elsewhere */
} flyPlan_t;

#ifdef __cplusplus
}
#endif
#endif
