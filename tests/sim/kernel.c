/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include <criterion/criterion.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "llvm.h"

static const char head[] =
    ".amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n"
    ".text\n.globl k\n.p2align 8\n.type k,@function\n"
    "k:\n"
    "%s"
    "v_and_b32_e32 v0, 0x3ff, v0\n"
    "v_lshlrev_b32_e32 v1, 2, v0\n"
    "%s\n"
    "s_endpgm\n"
    ".Lend:\n.size k, .Lend-k\n"
    ".rodata\n.p2align 6\n"
    ".amdhsa_kernel k\n"
    ".amdhsa_next_free_vgpr 128\n.amdhsa_next_free_sgpr 64\n"
    ".amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_system_sgpr_workgroup_id_x 1\n"
    ".amdhsa_group_segment_fixed_size %u\n.amdhsa_private_segment_fixed_size %u\n"
    "%s%s"
    ".end_amdhsa_kernel\n"
    ".amdgpu_metadata\n"
    "---\n"
    "amdhsa.version: [1, 2]\n"
    "amdhsa.kernels:\n"
    "  - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 32\n    .kernarg_segment_align: 8\n"
    "    .group_segment_fixed_size: %u\n    .private_segment_fixed_size: %u\n    .wavefront_size: %d\n"
    "    .sgpr_count: 64\n    .vgpr_count: 128\n    .agpr_count: %d\n    .max_flat_workgroup_size: 1024\n"
    "    .cluster_dims: [%u, 1, 1]\n"
    "    .args:\n"
    "      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
    "      - { .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }\n"
    "      - { .offset: 16, .size: 8, .value_kind: by_value }\n"
    "      - { .offset: 24, .size: 8, .value_kind: by_value }\n"
    "...\n"
    ".end_amdgpu_metadata\n";

/* How a kernel begins, by the first letters of the target: arguments, workgroup, the wait for them. */
static const struct { const char *target, *begin, *directives; int wave; } families[] = {
    {"gfx90a", "s_load_dwordx8 s[8:15], s[0:1], 0x0\ns_mov_b32 s16, s2\ns_waitcnt lgkmcnt(0)\n",
     ".amdhsa_accum_offset 64\n.amdhsa_user_sgpr_flat_scratch_init 0\n", 64},
    {"gfx9", "s_load_dwordx8 s[8:15], s[0:1], 0x0\ns_mov_b32 s16, s2\ns_waitcnt lgkmcnt(0)\n",
     ".amdhsa_accum_offset 64\n", 64},
    {"gfx11", "s_load_b256 s[8:15], s[0:1], 0x0\ns_mov_b32 s16, s2\ns_waitcnt lgkmcnt(0)\n", "", 32},
    {"gfx12", "s_load_b256 s[8:15], s[0:1], 0x0\ns_mov_b32 s16, ttmp9\ns_wait_kmcnt 0\n", "", 32}};

static const char *linker(void)
{
    static char found[32];

    for (int v = 22; !*found && v < 30; v++) {
        char command[96];

        snprintf(command, sizeof command, "command -v ld.lld-%d >/dev/null 2>&1", v);
        if (system(command) == 0)
            snprintf(found, sizeof found, "ld.lld-%d", v);
    }
    return *found ? found : NULL;
}

bool kernel_tools(void) { return llvm_tool("llvm-mc") && linker(); }

void *kernel_object(const struct kernel *k, size_t *bytes)
{
    const char *tmp = getenv("TMPDIR"), *target = k->target ? k->target : "gfx942";
    char dir[200], path[3][260], command[1000];
    void *data = NULL;
    FILE *f;

    snprintf(dir, sizeof dir, "%s/sim-kernel-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(dir))
        return NULL;
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof path[i], "%s/k.%s", dir, i == 0 ? "s" : i == 1 ? "o" : "co");
    f = fopen(path[0], "w");
    if (!f)
        return NULL;
    int n = 0;
    while (strncmp(target, families[n].target, strlen(families[n].target)))
        n++;
    fprintf(f, head, target, families[n].begin, k->body, k->lds, k->scratch,
            k->wave64 ? ".amdhsa_wavefront_size32 0\n" : families[n].directives,
            k->dynamic_stack ? ".amdhsa_uses_dynamic_stack 1\n" : "", k->lds, k->scratch,
            k->wave64 ? 64 : families[n].wave, families[n].wave == 64 ? 64 : 0, k->compiled ? k->cluster : 0);
    fclose(f);
    snprintf(command, sizeof command, "%s -triple=amdgcn-amd-amdhsa -mcpu=%s %s -filetype=obj -o %s %s && %s -shared -o %s %s",
             llvm_tool("llvm-mc"), target, k->wave64 ? "-mattr=+wavefrontsize64" : "", path[1], path[0], linker(), path[2], path[1]);
    if (system(command) == 0 && (f = fopen(path[2], "rb"))) {
        fseek(f, 0, SEEK_END);
        *bytes = (size_t)ftell(f);
        rewind(f);
        data = malloc(*bytes);
        if (data && fread(data, 1, *bytes, f) != *bytes) {
            free(data);
            data = NULL;
        }
        fclose(f);
    }
    for (int i = 0; i < 3; i++)
        unlink(path[i]);
    rmdir(dir);
    return data;
}

hipError_t kernel_run(const struct kernel *k, unsigned groups, unsigned block, const uint64_t args[4])
{
    size_t n;
    void *object = kernel_object(k, &n), *pointers[4];
    hipModule_t m;
    hipFunction_t f;
    hipError_t e;

    cr_assert_not_null(object, "the kernel does not assemble");
    for (int i = 0; i < 4; i++)
        pointers[i] = (void *)&args[i];
    cr_assert_eq(hipModuleLoadData(&m, object), 0);
    free(object);
    cr_assert_eq(hipModuleGetFunction(&f, m, "k"), 0);
    if (k->cluster && !k->compiled) {
        struct launch_attribute a = {.id = hipLaunchAttributeClusterDimension, .val.clusterDim = {k->cluster, 1, 1}};
        const struct drv_launch_config c = {.grid = {groups, 1, 1}, .block = {block, 1, 1}, .attrs = &a, .nattrs = 1};
        e = hipDrvLaunchKernelEx(&c, f, pointers, NULL);
    } else {
        e = hipModuleLaunchKernel(f, groups, 1, 1, block, 1, 1, 0, NULL, pointers, NULL);
    }
    if (!e)
        e = hipDeviceSynchronize();
    hipModuleUnload(m);
    return e;
}

uint64_t kernel_fresh(size_t bytes)
{
    void *p = NULL;

    cr_assert_eq(hipMalloc(&p, bytes), 0);
    return (uint64_t)(uintptr_t)p;
}

uint64_t kernel_zeros(size_t bytes)
{
    const uint64_t p = kernel_fresh(bytes);

    cr_assert_eq(hipMemset((void *)(uintptr_t)p, 0, bytes), 0);
    return p;
}

bool kernel_match(const char *p, const char *s)
{
    for (; *p; p++, s++) {
        if (*p == '*') {
            for (;; s++) {
                if (kernel_match(p + 1, s))
                    return true;
                if (!*s)
                    return false;
            }
        }
        if (*p == '#') {
            if (!isalnum((unsigned char)*s))
                return false;
            while (isalnum((unsigned char)s[1]))
                s++;
        } else if (*p != *s) {
            return false;
        }
    }
    return !*s;
}
