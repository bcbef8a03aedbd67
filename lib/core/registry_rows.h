/* SPDX-License-Identifier: MIT */
/*
 * Turns one op's generated registry into tables. The includer defines
 *     FLY_REGISTRY   the file, "layernorm.inc"
 *     FLY_THIS_OP    the op's id
 * and gets the static arrays kernels, modules and kernargs, and struct kernargs_layout, the kernel
 * arguments as a C struct with the names of the registry.
 */
#include "core/arch.h"
#include "core/op.h"
#include "core/registry.h"

#include "core/registry_kernargs.h"

static const struct fly_kernarg kernargs[] = {
#define FLY_KERNARG(op, name, offset, size, kind) {#name, offset, size, #kind},
#include FLY_REGISTRY
};

enum {
#define FLY_MODULE(module, fingerprint) MODULE_##module,
#include FLY_REGISTRY
    MODULE_COUNT
};

static const struct fly_module modules[] = {
#define FLY_MODULE(module, fingerprint) [MODULE_##module] = {#module, fingerprint},
#include FLY_REGISTRY
};

static const struct fly_kernel kernels[] = {
#define FLY_KERNEL(name_, arch_, in_, weight_, out_, module_, block_, lds_, kernarg_bytes_, ...)   \
    {.name = #name_,                                                                               \
     .op = FLY_THIS_OP,                                                                            \
     .arch = FLY_ARCH_##arch_,                                                                     \
     .types = {FLY_DTYPE_##in_, FLY_DTYPE_##weight_, FLY_DTYPE_##out_},                            \
     .module = MODULE_##module_,                                                                   \
     .block = block_,                                                                              \
     .lds = lds_,                                                                                  \
     .kernarg_bytes = kernarg_bytes_,                                                              \
     __VA_ARGS__},
#include FLY_REGISTRY
};
