/* SPDX-License-Identifier: MIT */
/*
 * What the simulator counts, worked out by hand for kernels of a few instructions: lines of memory, LDS
 * bytes and bank conflicts under both models, cycles of the vector and matrix units, the bound.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdlib.h>
#include <string.h>

#include "flysim.h"
#include "kernel.h"

struct count_case {
    const char *name;
    struct kernel kernel;
    uint64_t read, written, lds, conflicts, linear, valu, matrix;
};

/* s[12:13]: 4096 bytes; v0: work-item; v1: 4 v0. The kernel's own start has two vector instructions. */
static const struct count_case cases[] = {
    /* name, kernel, bytes read, written, of LDS, conflict cycles, with consecutive lanes, VALU, matrix cycles */
    {"nothing", {.body = "s_nop 0"}, 0, 0, 0, 0, 0, 8, 0},
    {"consecutive dwords", {.body = "global_load_dword v2, v1, s[12:13]"}, 256, 0, 0, 0, 0, 8, 0},
    {"consecutive dwords across lines", {.body = "global_load_dword v2, v1, s[12:13] offset:4"}, 320, 0, 0, 0, 0, 8, 0},
    {"one dword for all", {.body = "v_mov_b32_e32 v2, 0\nglobal_load_dword v2, v2, s[12:13]"}, 64, 0, 0, 0, 0, 12, 0},
    {"a line a lane", {.body = "v_lshlrev_b32_e32 v2, 6, v0\nglobal_load_dword v2, v2, s[12:13]"}, 4096, 0, 0, 0, 0, 12, 0},
    {"lanes that are off", {.body = "s_mov_b64 exec, 3\nv_lshlrev_b32_e32 v2, 6, v0\nglobal_load_dword v2, v2, s[12:13]"}, 128, 0, 0, 0, 0, 12, 0},
    {"16 bytes a lane", {.body = "v_lshlrev_b32_e32 v2, 4, v0\nv_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\nv_mov_b32_e32 v6, 0\nv_mov_b32_e32 v7, 0\n"
                                 "global_store_dwordx4 v2, v[4:7], s[12:13]"}, 0, 1024, 0, 0, 0, 28, 0},
    {"transcendentals take four times as long", {.body = "v_mov_b32_e32 v2, 1.0\nv_rcp_f32_e32 v2, v2"}, 0, 0, 0, 0, 0, 28, 0},
    {"16x16x16 f16: 4 passes", {.body = "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\ns_nop 1\nv_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[4:5], 0"},
     0, 0, 0, 0, 0, 16, 16},
    {"32x32x8 f16: 8 passes on gfx942", {.body = "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\ns_nop 1\nv_mfma_f32_32x32x8_f16 v[16:31], v[4:5], v[4:5], 0"},
     0, 0, 0, 0, 0, 16, 32},
    {"32x32x8 f16: 16 passes on gfx90a", {.target = "gfx90a", .body = "v_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\ns_nop 1\n"
                                          "v_mfma_f32_32x32x8f16 v[16:31], v[4:5], v[4:5], 0"}, 0, 0, 0, 0, 0, 16, 64},

    /* 32 banks: 32 lanes a cycle, 8 for 16 bytes */
    {"a bank a lane", {.body = "ds_read_b32 v2, v1", .lds = 8192}, 0, 0, 256, 0, 0, 8, 0},
    {"every second bank", {.body = "v_lshlrev_b32_e32 v2, 3, v0\nds_read_b32 v2, v2", .lds = 8192}, 0, 0, 256, 2, 2, 12, 0},
    {"every fourth bank", {.body = "v_lshlrev_b32_e32 v2, 4, v0\nds_read_b32 v2, v2", .lds = 8192}, 0, 0, 256, 6, 6, 12, 0},
    {"one bank", {.body = "v_lshlrev_b32_e32 v2, 7, v0\nds_read_b32 v2, v2", .lds = 8192}, 0, 0, 256, 62, 62, 12, 0},
    {"one dword", {.body = "v_mov_b32_e32 v2, 0\nds_read_b32 v2, v2", .lds = 8192}, 0, 0, 256, 0, 0, 12, 0},
    {"16 bytes in a row", {.body = "v_lshlrev_b32_e32 v2, 4, v0\nds_read_b128 v[4:7], v2", .lds = 8192}, 0, 0, 1024, 0, 0, 12, 0},
    {"16 bytes of every 32", {.body = "v_lshlrev_b32_e32 v2, 5, v0\nds_read_b128 v[4:7], v2", .lds = 8192}, 0, 0, 1024, 8, 8, 12, 0},
    /* Columns of a tile with rows of 64 bytes: lanes 0..3 and 20..23 are served together, not 0..7. */
    {"columns of a tile", {.body = "v_and_b32_e32 v2, 15, v0\nv_lshlrev_b32_e32 v2, 6, v2\nv_lshrrev_b32_e32 v3, 4, v0\nv_lshl_add_u32 v2, v3, 4, v2\n"
                                   "ds_read_b128 v[4:7], v2", .lds = 8192}, 0, 0, 1024, 8, 24, 24, 0},
    /* 64 banks: all lanes in one cycle, 16 for 16 bytes */
    {"every second bank of 64", {.target = "gfx950", .body = "v_lshlrev_b32_e32 v2, 3, v0\nds_read_b32 v2, v2", .lds = 8192}, 0, 0, 256, 1, 1, 12, 0},
    {"one bank of 64", {.target = "gfx950", .body = "v_lshlrev_b32_e32 v2, 8, v0\nds_read_b32 v2, v2", .lds = 16384}, 0, 0, 256, 63, 63, 12, 0},
};

ParameterizedTestParameters(counts, by_hand)
{
    static size_t number[sizeof cases / sizeof *cases];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        number[i] = i;
    return cr_make_param_array(size_t, number, sizeof cases / sizeof *cases);
}

#define EXPECT(what, want) cr_expect_eq(what, want, "%s: " #what " is %llu, not %llu", c->name, (unsigned long long)(what), (unsigned long long)(want))

ParameterizedTest(size_t *number, counts, by_hand)
{
    const struct count_case *c = &cases[*number];
    struct flysim_counts n = {.size = sizeof n};
    uint64_t args[4];

    if (!kernel_tools())
        cr_skip_test("llvm-mc and ld.lld of LLVM 22 are not installed");
    setenv("FLYSIM_DEVICES", c->kernel.target ? c->kernel.target : "gfx942", 1);
    args[0] = args[1] = args[3] = kernel_zeros(256);
    args[2] = kernel_zeros(8192);
    flysimResetCounts();
    cr_assert_eq(kernel_run(&c->kernel, 1, 64, args), 0, "%s: %s", c->name, flysimLastError());
    cr_assert_eq(flysimGetCounts(&n), 0);
    EXPECT(n.read_bytes, c->read);
    EXPECT(n.write_bytes, c->written);
    EXPECT(n.lds_bytes, c->lds);
    EXPECT(n.lds_conflict_cycles, c->conflicts);
    EXPECT(n.lds_conflict_cycles_linear, c->linear);
    EXPECT(n.valu_cycles, c->valu);
    EXPECT(n.matrix_cycles, c->matrix);
    EXPECT(n.waves, 1);
    cr_expect_gt(n.modelled_ns, 0);
    cr_expect_not_null(n.bound);
}

/* The largest of the units' times is the bound and the modelled time. */
Test(counts, the_bound_is_the_slowest_unit)
{
    static const struct { struct kernel kernel; const char *bound; } work[] = {
        {{.body = "s_movk_i32 s20, 0x400\nv_mov_b32_e32 v4, 0\nv_mov_b32_e32 v5, 0\ns_nop 0\n.Lx:\ns_sub_u32 s20, s20, 1\n"
                  "v_mfma_f32_32x32x8_f16 v[16:31], v[4:5], v[4:5], 0\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 .Lx"}, "matrix"},
        {{.body = "s_movk_i32 s20, 0x400\nv_mov_b32_e32 v4, 0\n.Lx:\ns_sub_u32 s20, s20, 1\nv_add_u32_e32 v4, v4, v0\n"
                  "v_add_u32_e32 v4, v4, v0\nv_add_u32_e32 v4, v4, v0\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 .Lx"}, "VALU"},
        {{.body = "s_movk_i32 s20, 0x400\nv_lshlrev_b32_e32 v4, 7, v0\n.Lx:\ns_sub_u32 s20, s20, 1\nds_read_b32 v2, v4\ns_waitcnt lgkmcnt(0)\n"
                  "s_cmp_lg_u32 s20, 0\ns_cbranch_scc1 .Lx", .lds = 8192}, "LDS"},
    };
    uint64_t args[4];

    if (!kernel_tools())
        cr_skip_test("llvm-mc and ld.lld of LLVM 22 are not installed");
    args[0] = args[1] = args[2] = args[3] = kernel_zeros(256);
    for (size_t i = 0; i < sizeof work / sizeof *work; i++) {
        struct flysim_counts n = {.size = sizeof n};
        flysimResetCounts();
        cr_assert_eq(kernel_run(&work[i].kernel, 1, 64, args), 0, "%s", flysimLastError());
        cr_assert_eq(flysimGetCounts(&n), 0);
        cr_expect_str_eq(n.bound, work[i].bound, "%s, not %s", n.bound, work[i].bound);
    }
}
