/* SPDX-License-Identifier: MIT */
/*
 * Reading kernel files: clang offload bundles (`__CLANG_OFFLOAD_BUNDLE__`), plain or compressed
 * (`CCOB` versions 2 and 3, zstd), and the checks a code object must pass before a runtime sees it.
 * Everything here takes untrusted bytes: any input ends in a status and a sentence. Formats:
 * clang's ClangOffloadBundler documentation, LLVM's AMDGPU usage guide (code object), System V gABI
 * (ELF).
 */
#ifndef FLY_CORE_FATBIN_H
#define FLY_CORE_FATBIN_H

#include <stddef.h>
#include <stdint.h>

#include <fly/types.h>

enum { FLY_FATBIN_MAX_ENTRIES = 64, FLY_FATBIN_MAX_BYTES = 1 << 30 };

struct fly_fatbin_entry {
    const char *id; /* not terminated: "hipv4-amdgcn-amd-amdhsa--gfx942" */
    size_t id_bytes;
    const char *target; /* the part of id after the triple: "gfx942"; not terminated */
    size_t target_bytes;
    const uint8_t *data;
    size_t bytes;
};

struct fly_fatbin {
    const uint8_t *data; /* the bundle, uncompressed */
    size_t bytes;
    void *owned;         /* memory to free, or null */
    unsigned nentries;   /* device entries; the host's is left out */
    struct fly_fatbin_entry entry[FLY_FATBIN_MAX_ENTRIES];
};

/* Opens the bundle at `data`, which must outlive *f. On failure *f holds nothing and `message` says
 * what is wrong (BAD_KERNEL_FILE, OUT_OF_MEMORY). */
flyStatus_t fly_fatbin_open(const void *data, size_t bytes, struct fly_fatbin *f, char *message,
                            size_t n);

/* Null for an arch the bundle has not. */
const struct fly_fatbin_entry *fly_fatbin_find(const struct fly_fatbin *f, const char *arch);

void fly_fatbin_close(struct fly_fatbin *f);

/* Checks that `data` is an AMDGPU code object whose segments and tables lie inside it and that has
 * the global symbol `symbol` (null: any). BAD_KERNEL_FILE with a sentence if not. */
flyStatus_t fly_code_object_check(const void *data, size_t bytes, const char *symbol, char *message,
                                  size_t n);

/* The same for what the CUDA driver takes: PTX text or a cubin. */
flyStatus_t fly_ptx_check(const void *data, size_t bytes, const char *symbol, char *message,
                          size_t n);

/* A file's bytes, read only. Null with errno set, for fly_file_error, when it cannot be mapped; an empty file and
 * what is not a regular file are errors. Never waits. */
const void *fly_file_map(const char *path, size_t *bytes);
const char *fly_file_error(int error);
void fly_file_unmap(const void *data, size_t bytes);

#endif
