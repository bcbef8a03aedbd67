/* SPDX-License-Identifier: MIT */
/*
 * Clusters of workgroups on gfx1250: numbers in the hardware state, the cluster's barrier, loads that several
 * workgroups make as one, the launch interface. Faults are in test_fault.c.
 */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flysim.h"
#include "kernel.h"

/* s20: number in the cluster; s22: workgroups of the cluster; s21: number in a grid of one dimension. */
#define NUMBERS                                                                                    \
    "s_getreg_b32 s20, hwreg(HW_REG_IB_STS2, 21, 4)\ns_bfe_u32 s22, ttmp6, 0x40018\ns_add_co_u32 s22, s22, 1\n" \
    "s_mul_i32 s21, ttmp9, s22\ns_add_co_u32 s21, s21, s20\n"
#define BARRIERS(label)                                                                            \
    "s_cmp_eq_u32 0, 0\ns_barrier_signal_isfirst -1\ns_barrier_wait 0xffff\ns_cbranch_scc0 " label "\n" \
    "s_barrier_signal -3\n" label ":\ns_barrier_wait 0xfffd\n"

static hipError_t launch(const struct kernel *k, dim3 grid, dim3 block, dim3 cluster, const uint64_t args[4])
{
    struct launch_attribute a[2] = {{.id = hipLaunchAttributePriority},
                                    {.id = hipLaunchAttributeClusterDimension, .val.clusterDim = cluster}};
    const struct drv_launch_config c = {.grid = grid, .block = block, .attrs = a, .nattrs = 2};
    void *pointers[4];
    hipModule_t m;
    hipFunction_t f;
    size_t n;
    void *object = kernel_object(k, &n);

    cr_assert_not_null(object, "the kernel does not assemble");
    for (int i = 0; i < 4; i++)
        pointers[i] = (void *)(uintptr_t)&args[i];
    cr_assert_eq(hipModuleLoadData(&m, object), 0);
    free(object);
    cr_assert_eq(hipModuleGetFunction(&f, m, "k"), 0);
    hipError_t e = hipDrvLaunchKernelEx(&c, f, pointers, NULL);
    if (!e)
        e = hipDeviceSynchronize();
    hipModuleUnload(m);
    return e;
}

static void begin(const char *device)
{
    setenv("FLYSIM_DEVICES", device, 1);
    setenv("FLYSIM_CHECK", "1", 1);
}

static const uint32_t *words(uint64_t p) { return (const uint32_t *)(uintptr_t)p; }

/* What LLVM's cluster intrinsics read: ttmp9, ttmp7, ttmp6 and IB_STS2. */
Test(cluster, numbers)
{
    static const dim3 grids[] = {{8, 1, 1}, {4, 6, 2}, {6, 4, 4}, {3, 2, 1}, {16, 1, 1}},
                      clusters[] = {{2, 1, 1}, {2, 3, 1}, {2, 2, 4}, {1, 1, 1}, {16, 1, 1}};
    const struct kernel k = {.target = "gfx1250", .body =
        "s_and_b32 s20, ttmp6, 15\ns_bfe_u32 s21, ttmp6, 0x40004\ns_bfe_u32 s22, ttmp6, 0x40008\n"
        "s_bfe_u32 s23, ttmp6, 0x4000c\ns_bfe_u32 s24, ttmp6, 0x40010\ns_bfe_u32 s25, ttmp6, 0x40014\n"
        "s_add_co_u32 s23, s23, 1\ns_add_co_u32 s24, s24, 1\ns_add_co_u32 s25, s25, 1\n"
        "s_and_b32 s26, ttmp7, 0xffff\ns_lshr_b32 s27, ttmp7, 16\n"
        /* the workgroup's coordinates, and where it writes: 32 bytes each */
        "s_mul_i32 s28, ttmp9, s23\ns_add_co_u32 s28, s28, s20\ns_mul_i32 s29, s26, s24\ns_add_co_u32 s29, s29, s21\n"
        "s_mul_i32 s30, s27, s25\ns_add_co_u32 s30, s30, s22\ns_mul_i32 s31, s30, s15\ns_add_co_u32 s31, s31, s29\n"
        "s_mul_i32 s31, s31, s14\ns_add_co_u32 s31, s31, s28\ns_lshl_b32 s31, s31, 5\n"
        "s_getreg_b32 s32, hwreg(HW_REG_IB_STS2, 6, 4)\ns_getreg_b32 s33, hwreg(HW_REG_IB_STS2, 21, 4)\n"
        "v_mov_b32_e32 v2, s31\nv_mov_b32_e32 v4, ttmp9\nv_mov_b32_e32 v5, s26\nv_mov_b32_e32 v6, s27\nv_mov_b32_e32 v7, ttmp6\n"
        "v_mov_b32_e32 v8, s32\nv_mov_b32_e32 v9, s33\nv_mov_b32_e32 v10, 1\nv_mov_b32_e32 v11, 0\ns_mov_b32 exec_lo, 1\n"
        "global_store_b128 v2, v[4:7], s[10:11]\nglobal_store_b128 v2, v[8:11], s[10:11] offset:16"};

    begin("gfx1250");
    for (size_t t = 0; t < sizeof grids / sizeof *grids; t++) {
        const dim3 g = grids[t], c = clusters[t];
        const uint32_t n = c.x * c.y * c.z;
        const uint64_t out = kernel_zeros(32 * g.x * g.y * g.z), args[4] = {0, out, 0, g.x | (uint64_t)g.y << 32};
        cr_assert_eq(launch(&k, g, (dim3){32, 1, 1}, c, args), 0, "%s", flysimLastError());
        const uint32_t *w = words(out);
        for (uint32_t z = 0; z < g.z; z++)
            for (uint32_t y = 0; y < g.y; y++)
                for (uint32_t x = 0; x < g.x; x++, w += 8) {
                    const uint32_t want[8] = {
                        x / c.x, y / c.y, z / c.z,
                        n == 1 ? 0 : x % c.x | y % c.y << 4 | z % c.z << 8 | (c.x - 1) << 12 | (c.y - 1) << 16 | (c.z - 1) << 20 | (n - 1) << 24,
                        n > 1, n == 1 ? 0 : x % c.x + c.x * (y % c.y + c.y * (z % c.z)), 1, 0};
                    for (int i = 0; i < 8; i++)
                        cr_assert_eq(w[i], want[i], "case %zu, workgroup (%u, %u, %u), word %d: %x, not %x", t, x, y, z, i, w[i], want[i]);
                }
    }
}

/* Workgroups pass values round their cluster behind its barrier, again and again, on one thread and on two. */
Test(cluster, barrier)
{
    const struct kernel k = {.target = "gfx1250", .body = NUMBERS
        "s_lshl_b32 s23, s21, 8\nv_add_nc_u32_e32 v2, s23, v1\n"
        "s_add_co_u32 s24, s20, 1\ns_cmp_eq_u32 s24, s22\ns_cselect_b32 s24, 0, s24\ns_sub_co_u32 s24, s24, s20\n"
        "s_add_co_u32 s24, s24, s21\ns_lshl_b32 s24, s24, 8\nv_add_nc_u32_e32 v3, s24, v1\n"
        "v_mov_b32_e32 v5, 0\ns_mov_b32 s30, 0\n"
        ".Lagain:\nv_add_nc_u32_e32 v4, s30, v2\nglobal_store_b32 v2, v4, s[12:13]\ns_wait_storecnt 0x0\n" BARRIERS(".L1")
        "global_inv scope:SCOPE_SE\ns_wait_loadcnt 0x0\nglobal_load_b32 v6, v3, s[12:13]\ns_wait_loadcnt 0x0\nv_add_nc_u32_e32 v5, v6, v5\n"
        BARRIERS(".L2") "global_inv scope:SCOPE_SE\ns_add_co_u32 s30, s30, 1\ns_cmp_lt_u32 s30, s14\ns_cbranch_scc1 .Lagain\n"
        "global_store_b32 v2, v5, s[10:11]"};
    enum { GROUPS = 12, ITEMS = 64, ROUNDS = 20 };

    begin("gfx1250");
    for (uint32_t n = 2; n <= 12; n += n == 2 ? 1 : n == 3 ? 3 : 6) {
        const uint64_t out = kernel_zeros(GROUPS * ITEMS * 4), args[4] = {0, out, kernel_zeros(GROUPS * ITEMS * 4), ROUNDS};
        cr_assert_eq(launch(&k, (dim3){GROUPS, 1, 1}, (dim3){ITEMS, 1, 1}, (dim3){n, 1, 1}, args), 0, "%s", flysimLastError());
        for (uint32_t g = 0; g < GROUPS; g++)
            for (uint32_t i = 0; i < ITEMS; i++) {
                const uint32_t from = g / n * n + (g % n + 1) % n, want = ROUNDS * (from * 256 + 4 * i) + ROUNDS * (ROUNDS - 1) / 2;
                cr_assert_eq(words(out)[g * ITEMS + i], want, "clusters of %u, workgroup %u, item %u", n, g, i);
            }
    }
}

/* State of the barrier: workgroups there are, and that have signalled. The last one is the one that ends early. */
Test(cluster, barrier_state)
{
    const struct kernel k = {.target = "gfx1250", .body = NUMBERS
        "s_sendmsg_rtn_b32 s30, sendmsg(MSG_RTN_GET_CLUSTER_BARRIER_STATE)\ns_wait_kmcnt 0x0\n"
        "s_cmp_eq_u32 s20, 2\ns_cbranch_scc1 .Lleave\ns_barrier_signal -3\ns_barrier_wait 0xfffd\n"
        "s_sendmsg_rtn_b64 s[32:33], sendmsg(MSG_RTN_GET_CLUSTER_BARRIER_STATE)\ns_wait_kmcnt 0x0\n"
        "s_lshl_b32 s21, s21, 3\nv_mov_b32_e32 v2, s21\nv_mov_b32_e32 v4, s30\nv_mov_b32_e32 v5, s32\ns_mov_b32 exec_lo, 1\n"
        "global_store_b64 v2, v[4:5], s[10:11]\n.Lleave:\ns_nop 0"};
    const uint64_t out = (begin("gfx1250"), kernel_zeros(24)), args[4] = {0, out, 0, 0};

    cr_assert_eq(launch(&k, (dim3){3, 1, 1}, (dim3){32, 1, 1}, (dim3){3, 1, 1}, args), 0, "%s", flysimLastError());
    const uint32_t *w = words(out);
    cr_expect_eq(w[0], 1 | 3 << 4, "%x", w[0]);                /* nobody has signalled */
    cr_expect_eq(w[2], 1 | 3 << 4 | 1 << 16, "%x", w[2]);      /* the first has */
    cr_expect_eq(w[1], 1 | 2 << 4, "%x", w[1]);                /* the last has ended */
    cr_expect_eq(w[3], 1 | 1 << 4, "%x", w[3]);                /* and by now the first */
}

/* Loads to registers and to LDS of all of a cluster, and of two halves of it apart, with different masks. */
Test(cluster, loads)
{
    const struct kernel k = {.target = "gfx1250", .lds = 512, .body = NUMBERS
        "s_bitcmp1_b32 s20, 0\ns_cselect_b32 m0, s15, s14\ns_and_b32 s24, s20, 1\ns_mul_i32 s24, s24, s12\n"
        "v_add_nc_u32_e32 v2, s24, v1\nv_lshlrev_b32_e32 v5, 3, v0\nv_add_nc_u32_e32 v6, s24, v5\nv_lshlrev_b32_e32 v10, 4, v0\n"
        "v_add_nc_u32_e32 v11, s24, v10\ncluster_load_b32 v4, v2, s[8:9]\ncluster_load_b64 v[12:13], v6, s[8:9]\n"
        "cluster_load_b128 v[16:19], v11, s[8:9]\ncluster_load_async_to_lds_b64 v5, v6, s[8:9]\ns_wait_asynccnt 0x0\n"
        "ds_load_b64 v[8:9], v5\ns_wait_dscnt 0x0\ns_wait_loadcnt 0x0\n"
        "v_xor_b32_e32 v12, v12, v16\nv_xor_b32_e32 v13, v13, v19\nv_add_nc_u32_e32 v4, v4, v12\nv_add_nc_u32_e32 v9, v9, v13\n"
        "s_mul_i32 s21, s21, 384\nv_add_nc_u32_e32 v1, s21, v1\nv_add_nc_u32_e32 v5, s21, v5\n"
        "global_store_b32 v1, v4, s[10:11]\nglobal_store_b64 v5, v[8:9], s[10:11] offset:128"};
    enum { GROUPS = 8 };
    static uint32_t data[256 + 128];

    begin("gfx1250");
    for (uint32_t i = 0; i < 384; i++)
        data[i] = i * 2654435761u;
    for (int halves = 0; halves < 2; halves++) {
        const uint64_t in = kernel_fresh(sizeof data), out = kernel_zeros(GROUPS * 384);
        const uint64_t args[4] = {in, out, halves ? 512 : 0, halves ? 0x5 | (uint64_t)0xa << 32 : 0xf | (uint64_t)0xf << 32};
        cr_assert_eq(hipMemcpy((void *)(uintptr_t)in, data, sizeof data, 1), 0);
        cr_assert_eq(launch(&k, (dim3){GROUPS, 1, 1}, (dim3){32, 1, 1}, (dim3){4, 1, 1}, args), 0, "%s", flysimLastError());
        for (uint32_t g = 0; g < GROUPS; g++) {
            const uint32_t *got = words(out) + g * 96, *d = data + (halves && g & 1 ? 128 : 0);
            for (uint32_t i = 0; i < 32; i++) {
                cr_assert_eq(got[i], d[i] + (d[2 * i] ^ d[4 * i]), "workgroup %u, item %u", g, i);
                cr_assert_eq(got[32 + 2 * i], d[2 * i]);
                cr_assert_eq(got[33 + 2 * i], d[2 * i + 1] + (d[2 * i + 1] ^ d[4 * i + 3]));
            }
        }
    }
}

static const struct kernel nothing = {.target = "gfx1250", .body = "s_nop 0"};

Test(cluster, launches_refused)
{
    const uint64_t args[4] = {0};

    begin("gfx1250");
    cr_expect_eq(launch(&nothing, (dim3){6, 1, 1}, (dim3){32, 1, 1}, (dim3){4, 1, 1}, args), hipErrorInvalidClusterSize);
    cr_expect_eq(launch(&nothing, (dim3){20, 1, 1}, (dim3){32, 1, 1}, (dim3){20, 1, 1}, args), hipErrorInvalidClusterSize);
    cr_expect_eq(launch(&nothing, (dim3){8, 4, 1}, (dim3){32, 1, 1}, (dim3){8, 4, 1}, args), hipErrorInvalidClusterSize);
    cr_expect_eq(launch(&nothing, (dim3){4, 4, 1}, (dim3){32, 1, 1}, (dim3){2, 0, 1}, args), hipErrorInvalidClusterSize);
    cr_expect_eq(launch(&nothing, (dim3){8, 4, 1}, (dim3){32, 1, 1}, (dim3){8, 2, 1}, args), 0);
    struct kernel k = nothing;
    k.compiled = true;
    k.cluster = 4;
    cr_expect_eq(launch(&k, (dim3){8, 1, 1}, (dim3){32, 1, 1}, (dim3){2, 1, 1}, args), hipErrorInvalidClusterSize);
    cr_expect_eq(launch(&k, (dim3){8, 1, 1}, (dim3){32, 1, 1}, (dim3){4, 1, 1}, args), 0);
    cr_expect_eq(kernel_run(&k, 6, 32, args), hipErrorInvalidClusterSize);
    cr_expect_eq(kernel_run(&k, 8, 32, args), 0);
    cr_expect_eq(hipLaunchKernelExC(NULL, NULL, NULL), hipErrorInvalidConfiguration);
    cr_expect_eq(hipDrvLaunchKernelEx(NULL, NULL, NULL, NULL), hipErrorInvalidValue);
}

Test(cluster, other_targets_have_none)
{
    const uint64_t args[4] = {0};
    struct kernel k = nothing;

    begin("gfx942");
    k.target = "gfx942";
    cr_expect_eq(launch(&k, (dim3){8, 1, 1}, (dim3){64, 1, 1}, (dim3){2, 1, 1}, args), hipErrorNotSupported);
    cr_expect_eq(launch(&k, (dim3){8, 1, 1}, (dim3){64, 1, 1}, (dim3){1, 1, 1}, args), 0);
}
