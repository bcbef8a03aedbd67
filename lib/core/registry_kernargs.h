/* SPDX-License-Identifier: MIT */
/*
 * The kernel arguments of one op as a C struct, struct kernargs_layout, with the names of the generated registry.
 * The includer defines FLY_REGISTRY, the file.
 */
#include <stddef.h>
#include <stdint.h>

#define KERNARG_IN uint64_t
#define KERNARG_OUT uint64_t
#define KERNARG_I64 int64_t
#define KERNARG_I32 int32_t
#define KERNARG_F32 float

struct kernargs_layout {
#define FLY_KERNARG(op, name, offset, size, kind) KERNARG_##kind name;
#include FLY_REGISTRY
};

#define FLY_KERNARG(op, name, offset, size, kind)                                                  \
    _Static_assert(offsetof(struct kernargs_layout, name) == (offset) && sizeof(KERNARG_##kind) == (size), \
                   "kernel argument " #name " lies elsewhere");
#include FLY_REGISTRY

_Static_assert(sizeof(struct kernargs_layout) <= FLY_MAX_KERNARG_BYTES,
               "raise FLY_MAX_KERNARG_BYTES");

#undef KERNARG_IN
#undef KERNARG_OUT
#undef KERNARG_I64
#undef KERNARG_I32
#undef KERNARG_F32
