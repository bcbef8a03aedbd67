/* SPDX-License-Identifier: MIT */
/*
 * Instructions that move data between lanes, files or registers: readlane, writelane, swaps, AGPR
 * moves, and the whole of DPP: every control with every row and bank mask and bound_ctrl, under
 * EXEC masks with holes. References: CDNA3/CDNA4 ISA guides, chapters on DPP and the instruction
 * pages.
 */
#include "item.h"
#include "valu.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void wave_ref(enum target t, struct wave_state *w);

#define REF(name) static void name(enum target t, struct wave_state *w)
#define FOR_ACTIVE(i) for (int i = 0; i < target_lanes(t); i++) if (w->exec >> i & 1)

static int first_lane(const struct wave_state *w) { return w->exec ? __builtin_ctzll(w->exec) : 0; }

REF(readfirst) { (void)t; w->s[20] = w->v[2][first_lane(w)]; }
REF(readlane_s) { w->s[20] = w->v[2][w->s[21] & (uint32_t)(target_lanes(t) - 1)]; }
REF(readlane_5) { (void)t; w->s[20] = w->v[2][5]; }
REF(readlane_vcc) { (void)t; w->vcc = (w->vcc & ~0xffffffffull) | w->v[2][31]; }
REF(writelane_s) { w->v[10][w->s[21] & (uint32_t)(target_lanes(t) - 1)] = w->s[22]; }
REF(writelane_k) { (void)t; w->v[10][7] = (uint32_t)-3; }
REF(writelane_m0) { w->v[10][w->m0 & (uint32_t)(target_lanes(t) - 1)] = w->s[22]; }
REF(swap)
{
    FOR_ACTIVE(i)
    {
        uint32_t x = w->v[10][i];
        w->v[10][i] = w->v[2][i];
        w->v[2][i] = x;
    }
}
REF(swap16)
{
    for (int i = 0; i < target_lanes(t); i++)
        if (!(i & 16)) { /* odd rows of the destination with even rows of the source */
            uint32_t x = w->v[2][i];
            w->v[2][i] = w->v[10][i + 16];
            w->v[10][i + 16] = x;
        }
}
REF(swap32)
{
    (void)t;
    for (int i = 0; i < 32; i++) {
        uint32_t x = w->v[2][i];
        w->v[2][i] = w->v[10][i + 32];
        w->v[10][i + 32] = x;
    }
}
/* Within a row (cross: the other row of the pair) by the nibbles of s[20:21], or by a VGPR. An
 * inactive source lane: read with `fi`, else zero with `zero`, else the destination stays. */
static void permlane(enum target t, struct wave_state *w, bool cross, bool by_v, bool fi, bool zero)
{
    uint64_t sel = w->s[20] | (uint64_t)w->s[21] << 32;
    uint32_t old[64];
    memcpy(old, w->v[2], sizeof old);
    FOR_ACTIVE(i)
    {
        int k = by_v ? (int)(w->v[4][i] & 15) : (int)(sel >> 4 * (i & 15) & 15);
        int src = ((i & ~15) ^ (cross ? 16 : 0)) | k;
        bool live = fi || w->exec >> src & 1;
        if (live || zero)
            w->v[10][i] = live ? old[src] : 0;
    }
}
REF(perm) { permlane(t, w, false, false, false, false); }
REF(perm_k) { w->s[20] = 0x76543210; w->s[21] = 7; permlane(t, w, false, false, false, false); w->s[20] = w->s[21] = 0; }
REF(perm_fi) { permlane(t, w, false, false, true, false); }
REF(perm_zero) { permlane(t, w, false, false, false, true); }
REF(permx) { permlane(t, w, true, false, false, false); }
REF(permx_fi) { permlane(t, w, true, false, true, false); }
REF(permx_zero) { permlane(t, w, true, false, false, true); }
REF(perm_v_fi) { permlane(t, w, false, true, true, false); }
REF(permx_v_fi) { permlane(t, w, true, true, true, false); }
/* DPP8 within groups of 8; an inactive source lane is 0 or, with fi, read. */
static void dpp8(enum target t, struct wave_state *w, const uint8_t *sel, bool fi)
{
    uint32_t old[64];
    memcpy(old, w->v[2], sizeof old);
    FOR_ACTIVE(i)
    {
        int src = (i & ~7) | sel[i & 7];
        w->v[10][i] = fi || w->exec >> src & 1 ? old[src] : 0;
    }
}
static const uint8_t reversed8[] = { 7, 6, 5, 4, 3, 2, 1, 0 },
    mixed8[] = { 0, 5, 5, 2, 7, 0, 3, 1 };
REF(dpp8_reversed) { dpp8(t, w, reversed8, false); }
REF(dpp8_mixed) { dpp8(t, w, mixed8, false); }
REF(dpp8_mixed_fi) { dpp8(t, w, mixed8, true); }
/* gfx1250 (CDNA5 ISA guide, V_PERMLANE_BCAST_B32 on): groups of `width` lanes; lanes off are read. */
static void group(enum target t, struct wave_state *w, char how, unsigned by, unsigned width)
{
    uint32_t old[64];
    memcpy(old, w->v[2], sizeof old);
    FOR_ACTIVE(i)
    {
        unsigned base = (unsigned)i / width * width, j = (unsigned)i - base, src = (unsigned)i;
        if (how == 'b')
            src = base + by % width;
        else if (how == 'u' && j >= by)
            src = (unsigned)i - by;
        else if (how == 'd' && j + by < width)
            src = (unsigned)i + by;
        else if (how == 'x' && by < 32 && ((unsigned)i ^ by) < base + width)
            src = (unsigned)i ^ by;
        w->v[10][i] = old[src];
    }
}
REF(bcast) { group(t, w, 'b', 13, 8); }
REF(up) { group(t, w, 'u', 3, 16); }
REF(up_far) { w->s[20] = 0; group(t, w, 'u', 40, 16); }
REF(down) { group(t, w, 'd', 5, 8); }
REF(xor_) { group(t, w, 'x', 6, 8); }
REF(xor_out) { group(t, w, 'x', 9, 8); }
REF(idx_gen) { FOR_ACTIVE(i) w->v[10][i] = ((w->v[2][i] & 7) + ((unsigned)i & ~7u)) * 4; }
static uint32_t nibbles(uint32_t x, bool sign)
{
    uint32_t r = 0;
    for (int k = 0; k < 4; k++) {
        int b = sign ? (int8_t)(x >> 8 * k) : (uint8_t)(x >> 8 * k);
        int lo = sign ? -8 : 0, hi = sign ? 7 : 15;
        r |= (uint32_t)((b < lo ? lo : b > hi ? hi : b) & 15) << 4 * k;
    }
    return r;
}
REF(sat4_i) { FOR_ACTIVE(i) w->v[10][i] = (w->v[10][i] & 0xffff0000) | nibbles(w->v[2][i], true); }
REF(sat4_u) { FOR_ACTIVE(i) w->v[10][i] = (w->v[10][i] & 0xffff0000) | nibbles(w->v[2][i], false); }
/* Table: v[4:5] below v[2:3]; indices: v[6:7]. */
static void table(enum target t, struct wave_state *w, int bits, int low, int high)
{
    FOR_ACTIVE(i)
    {
        uint32_t x[4] = { 0 }, r[4] = { 0 };
        for (int k = 0; k < low; k++)
            x[k] = w->v[4 + k][i];
        for (int k = 0; k < high; k++)
            x[low + k] = w->v[2 + k][i];
        for (int e = 0; e < 16; e++) {
            int at = (int)(w->v[6 + e / 8][i] >> 4 * (e % 8) & 15) * bits;
            for (int b = 0; b < bits; b++)
                r[(e * bits + b) / 32] |= (x[(at + b) / 32] >> (at + b) % 32 & 1) << (e * bits + b) % 32;
        }
        for (int k = 0; k < bits / 2; k++)
            w->v[10 + k][i] = r[k];
    }
}
REF(table4) { table(t, w, 4, 1, 1); }
REF(table6) { table(t, w, 6, 2, 1); }
REF(table8) { table(t, w, 8, 2, 2); }
REF(nothing) { (void)t, (void)w; }
REF(acc_read) { FOR_ACTIVE(i) w->v[10][i] = w->a[2][i]; }
REF(acc_write) { FOR_ACTIVE(i) w->a[10][i] = w->v[2][i]; }
REF(acc_write_k) { FOR_ACTIVE(i) w->a[10][i] = 0x3f800000; }
REF(acc_write_s) { FOR_ACTIVE(i) w->a[10][i] = w->s[20]; }
REF(acc_mov) { FOR_ACTIVE(i) w->a[10][i] = w->a[2][i]; }

/* Registers by number plus M0. */
REF(movrels) { w->m0 = 3; FOR_ACTIVE(i) w->v[10][i] = w->v[5][i]; }
REF(movreld) { w->m0 = 3; FOR_ACTIVE(i) w->v[13][i] = w->v[2][i]; }
REF(movrelsd) { w->m0 = 3; FOR_ACTIVE(i) w->v[13][i] = w->v[5][i]; }
REF(movrelsd_2) { w->m0 = 0x50003; FOR_ACTIVE(i) w->v[15][i] = w->v[5][i]; }
REF(swaprel)
{
    w->m0 = 0x50003;
    FOR_ACTIVE(i)
    {
        uint32_t x = w->v[15][i];
        w->v[15][i] = w->v[5][i];
        w->v[5][i] = x;
    }
}
REF(swap16_lh)
{
    FOR_ACTIVE(i)
    {
        uint32_t x = w->v[10][i], y = w->v[2][i];
        w->v[10][i] = (x & 0xffff0000) | y >> 16;
        w->v[2][i] = (y & 0xffff) | x << 16;
    }
}
REF(swap16_same) { FOR_ACTIVE(i) w->v[10][i] = w->v[10][i] << 16 | w->v[10][i] >> 16; }
REF(scalar_movrelsd_2) { (void)t; w->m0 = 0x40003; w->s[24] = w->s[33]; }
/* Messages that answer: nothing to say; the clock minus itself. */
REF(answer) { (void)t; w->s[20] = 0; }
REF(answer64) { (void)t; w->s[20] = w->s[21] = 0; }

/* gfx12's transcendentals of a scalar; f32 denormals are flushed, f16's stay. */
static void scalar_trans(struct wave_state *w, struct ref_format f, long double (*fn)(long double))
{
    bool wide = f.man_bits == 23;
    uint64_t s = w->s[22] & (wide ? 0xffffffff : 0xffff);
    if (wide && ref_is_denormal(f, s))
        s &= 0x80000000;
    struct ref_num x = ref_unpack(f, s);
    w->s[20] = (uint32_t)ref_pack(f, x.cls == REF_NAN ? x : ref_from_ld(fn(ref_to_ld(x))), REF_RNE, wide);
}
static long double f_rcp(long double x) { return 1 / x; }
static long double f_rsq(long double x) { return 1 / sqrtl(x); }
REF(s_exp32) { (void)t; scalar_trans(w, REF_F32, exp2l); }
REF(s_log32) { (void)t; scalar_trans(w, REF_F32, log2l); }
REF(s_rcp32) { (void)t; scalar_trans(w, REF_F32, f_rcp); }
REF(s_rsq32) { (void)t; scalar_trans(w, REF_F32, f_rsq); }
REF(s_sqrt32) { (void)t; scalar_trans(w, REF_F32, sqrtl); }
REF(s_exp16) { (void)t; scalar_trans(w, REF_F16, exp2l); }
REF(s_log16) { (void)t; scalar_trans(w, REF_F16, log2l); }
REF(s_rcp16) { (void)t; scalar_trans(w, REF_F16, f_rcp); }
REF(s_rsq16) { (void)t; scalar_trans(w, REF_F16, f_rsq); }
REF(s_sqrt16) { (void)t; scalar_trans(w, REF_F16, sqrtl); }

static const struct {
    const char *name, *text;
    wave_ref *ref;
    bool full; /* only with all lanes on: the text does not mention EXEC */
    unsigned targets;
} moves[] = {
    { "v_readfirstlane_b32", "v_readfirstlane_b32 s20, v2", readfirst, false, ON_ALL },
    { "v_readlane_b32", "v_readlane_b32 s20, v2, s21", readlane_s, false, ON_ALL },
    { "v_readlane_b32", "v_readlane_b32 s20, v2, 5", readlane_5, false, ON_ALL },
    { "v_readlane_b32", "v_readlane_b32 vcc_lo, v2, 31", readlane_vcc, false, ON_ALL },
    { "v_writelane_b32", "v_writelane_b32 v10, s22, m0", writelane_m0, false, ON_ALL },
    { "v_writelane_b32", "v_writelane_b32 v10, -3, 7", writelane_k, false, ON_ALL },
    { "v_writelane_b32", "s_mov_b32 m0, s21\nv_writelane_b32 v10, s22, m0\ns_mov_b32 m0, 0",
      writelane_s, false, ON_ALL },
    { "v_swap_b32", "v_swap_b32 v10, v2", swap, false, ON_ALL },
    { "v_permlane16_swap_b32", "v_permlane16_swap_b32 v10, v2", swap16, true, ON_950 | ON_1250 },
    { "v_permlane32_swap_b32", "v_permlane32_swap_b32 v10, v2", swap32, true, ON_950 },
    { "v_permlane16_b32", "v_permlane16_b32 v10, v2, s20, s21", perm, false, ON_GFX11UP },
    { "v_permlane16_b32",
      "s_mov_b32 s20, 0x76543210\nv_permlane16_b32 v10, v2, s20, 7\ns_mov_b32 s20, 0\ns_mov_b32 s21, 0", perm_k, false, ON_GFX11UP },
    { "v_permlane16_b32", "v_permlane16_b32 v10, v2, s20, s21 op_sel:[1,0]", perm_fi, false,
      ON_GFX11UP },
    { "v_permlane16_b32", "v_permlane16_b32 v10, v2, s20, s21 op_sel:[0,1]", perm_zero, false,
      ON_GFX11UP },
    { "v_permlanex16_b32", "v_permlanex16_b32 v10, v2, s20, s21", permx, false, ON_GFX11UP },
    { "v_permlanex16_b32", "v_permlanex16_b32 v10, v2, s20, s21 op_sel:[1,0]", permx_fi, false,
      ON_GFX11UP },
    { "v_permlanex16_b32", "v_permlanex16_b32 v10, v2, s20, s21 op_sel:[0,1]", permx_zero, false,
      ON_GFX11UP },
    { "v_permlane16_var_b32", "v_permlane16_var_b32 v10, v2, v4 op_sel:[1,0]", perm_v_fi, false,
      ON_GFX12 },
    { "v_permlanex16_var_b32", "v_permlanex16_var_b32 v10, v2, v4 op_sel:[1,0]", permx_v_fi, false,
      ON_GFX12 },
    { "v_permlane64_b32", "v_permlane64_b32 v10, v2", nothing, false, ON_GFX11UP },
    { "v_mov_b32", "v_mov_b32_dpp v10, v2 dpp8:[7,6,5,4,3,2,1,0]", dpp8_reversed, false,
      ON_GFX11UP },
    { "v_mov_b32", "v_mov_b32_dpp v10, v2 dpp8:[0,5,5,2,7,0,3,1]", dpp8_mixed, false, ON_GFX11UP },
    { "v_mov_b32", "v_mov_b32_dpp v10, v2 dpp8:[0,5,5,2,7,0,3,1] fi:1", dpp8_mixed_fi, false,
      ON_GFX11UP },
    { "v_movrels_b32", "s_mov_b32 m0, 3\nv_movrels_b32 v10, v2", movrels, false, ON_GFX11UP },
    { "v_movreld_b32", "s_mov_b32 m0, 3\nv_movreld_b32 v10, v2", movreld, false, ON_GFX11UP },
    { "v_movrelsd_b32", "s_mov_b32 m0, 3\nv_movrelsd_b32 v10, v2", movrelsd, false, ON_GFX11UP },
    { "v_movrelsd_2_b32", "s_mov_b32 m0, 0x50003\nv_movrelsd_2_b32 v10, v2", movrelsd_2, false, ON_GFX11UP },
    { "v_swaprel_b32", "s_mov_b32 m0, 0x50003\nv_swaprel_b32 v10, v2", swaprel, false, ON_GFX11UP },
    { "v_swap_b16", "v_swap_b16 v10.l, v2.h", swap16_lh, false, ON_1100 },
    { "v_swap_b16", "v_swap_b16 v10.h, v10.l", swap16_same, false, ON_1100 },
    { "s_movrelsd_2_b32", "s_mov_b32 m0, 0x40003\ns_movrelsd_2_b32 s20, s30", scalar_movrelsd_2, false, ON_GFX11UP },
    { "s_sendmsg_rtn_b32", "s_sendmsg_rtn_b32 s20, sendmsg(MSG_RTN_GET_DOORBELL)", answer, false, ON_GFX11UP },
    { "s_sendmsg_rtn_b64", "s_sendmsg_rtn_b64 s[20:21], sendmsg(MSG_RTN_GET_TMA)", answer64, false, ON_GFX11UP },
    { "s_get_shader_cycles_u64", "s_get_shader_cycles_u64 s[20:21]\ns_sub_nc_u64 s[20:21], s[20:21], s[20:21]",
      answer64, false, ON_1250 },
    { "v_s_exp_f32", "v_s_exp_f32 s20, s22", s_exp32, false, ON_GFX12 },
    { "v_s_log_f32", "v_s_log_f32 s20, s22", s_log32, false, ON_GFX12 },
    { "v_s_rcp_f32", "v_s_rcp_f32 s20, s22", s_rcp32, false, ON_GFX12 },
    { "v_s_rsq_f32", "v_s_rsq_f32 s20, s22", s_rsq32, false, ON_GFX12 },
    { "v_s_sqrt_f32", "v_s_sqrt_f32 s20, s22", s_sqrt32, false, ON_GFX12 },
    { "v_s_exp_f16", "v_s_exp_f16 s20, s22", s_exp16, false, ON_GFX12 },
    { "v_s_log_f16", "v_s_log_f16 s20, s22", s_log16, false, ON_GFX12 },
    { "v_s_rcp_f16", "v_s_rcp_f16 s20, s22", s_rcp16, false, ON_GFX12 },
    { "v_s_rsq_f16", "v_s_rsq_f16 s20, s22", s_rsq16, false, ON_GFX12 },
    { "v_s_sqrt_f16", "v_s_sqrt_f16 s20, s22", s_sqrt16, false, ON_GFX12 },
    { "v_permlane_bcast_b32", "v_permlane_bcast_b32 v10, v2, 13, 8", bcast, false, ON_1250 },
    { "v_permlane_up_b32", "v_permlane_up_b32 v10, v2, 3, 16", up, false, ON_1250 },
    { "v_permlane_up_b32", "s_movk_i32 s20, 40\nv_permlane_up_b32 v10, v2, s20, 16\ns_mov_b32 s20, 0", up_far, false, ON_1250 },
    { "v_permlane_down_b32", "v_permlane_down_b32 v10, v2, 5, 8", down, false, ON_1250 },
    { "v_permlane_xor_b32", "v_permlane_xor_b32 v10, v2, 6, 8", xor_, false, ON_1250 },
    { "v_permlane_xor_b32", "v_permlane_xor_b32 v10, v2, 9, 8", xor_out, false, ON_1250 },
    { "v_permlane_idx_gen_b32", "v_permlane_idx_gen_b32 v10, v2, 8", idx_gen, false, ON_1250 },
    { "v_sat_pk4_i4_i8", "v_sat_pk4_i4_i8 v10, v2", sat4_i, false, ON_1250 },
    { "v_sat_pk4_u4_u8", "v_sat_pk4_u4_u8 v10, v2", sat4_u, false, ON_1250 },
    { "v_perm_pk16_b4_u4", "v_perm_pk16_b4_u4 v[10:11], v2, v4, v[6:7]", table4, false, ON_1250 },
    { "v_perm_pk16_b6_u4", "v_perm_pk16_b6_u4 v[10:12], v2, v[4:5], v[6:7]", table6, false, ON_1250 },
    { "v_perm_pk16_b8_u4", "v_perm_pk16_b8_u4 v[10:13], v[2:3], v[4:5], v[6:7]", table8, false, ON_1250 },
    { "v_accvgpr_read_b32", "v_accvgpr_read_b32 v10, a2", acc_read, false, ON_GFX9 },
    { "v_accvgpr_write_b32", "v_accvgpr_write_b32 a10, v2", acc_write, false, ON_GFX9 },
    { "v_accvgpr_write_b32", "v_accvgpr_write_b32 a10, 1.0", acc_write_k, false, ON_GFX9 },
    { "v_accvgpr_write_b32", "v_accvgpr_write_b32 a10, s20", acc_write_s, false, ON_90A },
    { "v_accvgpr_mov_b32", "v_accvgpr_mov_b32 a10, a2", acc_mov, false, ON_GFX9 },
};

static void run_moves(enum target t)
{
    static struct wave_state w, want;
    enum { N = sizeof moves / sizeof *moves };
    int snippet[N];
    struct batch b;

    batch_begin(&b, t);
    for (int i = 0; i < N; i++) {
        snippet[i] = -1;
        if (moves[i].targets >> t & 1) {
            covered_add(t, moves[i].name);
            snippet[i] = batch_add(&b, "%s", moves[i].text);
        }
    }
    if (!batch_assemble(&b))
        fail(t, "(assembler)", "a lane move is refused");
    else
        for (int i = 0; i < N; i++)
            for (int run = 0; run < 12 && snippet[i] >= 0; run++) {
                rand_seed(moves[i].text);
                for (int k = 0; k < run; k++)
                    rand64();
                wave_randomise(&w, t);
                w.exec = moves[i].full ? w.exec : run == 11 ? 0 : lane_mask_draw(t, run);
                if (strstr(moves[i].text, "v10, s22, m0") && moves[i].ref == writelane_m0)
                    w.m0 = (uint32_t)rand64();
                want = w;
                moves[i].ref(t, &want);
                if (want.s[20] != w.s[20] && strstr(moves[i].name, "v_s_")) {
                    struct ref_format f = strstr(moves[i].name, "f32") ? REF_F32 : REF_F16;
                    if (ref_unpack(f, want.s[20]).cls == REF_NAN && ref_unpack(f, w.s[22]).cls != REF_NAN)
                        want.s[20] = f.man_bits == 23 ? 0x7fc00000 : 0x7e00; /* made by the operation */
                }
                if (!run_snippet(&b, snippet[i], &w, NULL)) {
                    fail(t, moves[i].name, "%s: %s", moves[i].text, run_error());
                    break;
                }
                const char *d = wave_diff(&w, &want, NULL, NULL);
                if (d) {
                    fail(t, moves[i].name, "%s (exec %llx): %s", moves[i].text,
                         (unsigned long long)w.exec, d);
                    break;
                }
            }
    batch_end(&b);
}

/* gfx1250's conversions of scaled small floats with every scale_sel: which lane's register and which byte of it. */
static void run_scales(enum target t)
{
    static const struct { const char *name; const struct ref_format *from; int bits, n; } kinds[] = {
        { "fp8", &REF_E4M3, 8, 8 }, { "bf8", &REF_E5M2, 8, 8 }, { "fp4", &REF_E2M1, 4, 8 },
        { "fp6", &REF_E2M3, 6, 16 }, { "bf6", &REF_E3M2, 6, 16 } };
    static const struct { const char *name; const struct ref_format *to; int bits; } results[] = {
        { "f32", &REF_F32, 32 }, { "f16", &REF_F16, 16 }, { "bf16", &REF_BF16, 16 } };
    /* By scale_sel: half of the wave, bytes of its halves; -1 reserved. */
    static const int wide[16][3] = { { 0, 0, 0 }, { -1 }, { 0, 2, 2 }, { 1, 2, 2 }, { 0, 1, 1 }, { 1, 1, 1 }, { 0, 3, 3 }, { 1, 3, 3 },
                                     { 0, 0, 1 }, { -1 }, { -1 }, { 1, 2, 3 }, { -1 }, { -1 }, { -1 }, { -1 } },
                     small[16][3] = { { 0, 0, 1 }, { 1, 0, 1 }, { 0, 2, 3 }, { 1, 2, 3 }, { 0, 0, 2 }, { 1, 0, 2 }, { 0, 1, 3 },
                                      { 1, 1, 3 }, { -1 }, { -1 }, { -1 }, { -1 }, { -1 }, { -1 }, { -1 }, { -1 } };
    static struct wave_state w, want;
    struct batch b;

    for (int k = 0; k < 5; k++)
        for (int r = 0; r < 3; r++) {
            char name[48], tail[24];
            const int words = kinds[k].bits * kinds[k].n / 32, out = results[r].bits * kinds[k].n / 32;
            int snippet[16];
            sprintf(name, "v_cvt_scale_pk%d_%s_%s", kinds[k].n, results[r].name, kinds[k].name);
            batch_begin(&b, t);
            for (int sel = 0; sel < 16; sel++) {
                sprintf(tail, words > 1 ? "v[2:%d]" : "v2", 1 + words);
                snippet[sel] = batch_add(&b, "%s v[16:%d], %s, v8 scale_sel:%d", name, 15 + out, tail, sel);
            }
            if (!batch_assemble(&b)) {
                fail(t, name, "(assembler)");
                batch_end(&b);
                continue;
            }
            for (int sel = 0; sel < 16; sel++) {
                const int *pick = kinds[k].bits == 8 ? wide[sel] : small[sel];
                rand_seed(name);
                wave_randomise(&w, t);
                w.exec = lane_mask_draw(t, sel);
                for (int i = 0; i < 32; i++) { /* scales around 1; no NaN and no infinity */
                    w.v[8][i] = 0x7c7c7c7c + ((uint32_t)rand64() & 0x07070707);
                    for (int j = 2; j < 4 && kinds[k].bits == 8; j++)
                        w.v[j][i] &= 0xbfbfbfbf;
                }
                want = w;
                for (int i = 0; i < 32; i++) {
                    const uint32_t e = pick[0] < 0 ? 127 : w.v[8][i % 16 + 16 * pick[0]] >> 8 * pick[1 + i / 16] & 255;
                    for (int j = 0; j < kinds[k].n && w.exec >> i & 1; j++) {
                        const int from = j * kinds[k].bits, to = j * results[r].bits;
                        const uint64_t two = w.v[2 + from / 32][i] | (uint64_t)w.v[3 + from / 32][i] << 32;
                        struct ref_num x = ref_unpack(*kinds[k].from, two >> from % 32 & ((1u << kinds[k].bits) - 1));
                        const uint64_t y = ref_pack(*results[r].to, ref_scale(x, (int)e - 127), REF_RNE, false);
                        uint32_t *d = &want.v[16 + to / 32][i];
                        *d = results[r].bits == 32 ? (uint32_t)y : (*d & ~(0xffffu << to % 32)) | (uint32_t)y << to % 32;
                    }
                }
                const bool ran = run_snippet(&b, snippet[sel], &w, NULL);
                if (pick[0] < 0) {
                    if (ran || !strstr(run_error(), "is reserved"))
                        fail(t, name, "scale_sel:%d is not reported as reserved", sel);
                    continue;
                }
                const char *d = ran ? wave_diff(&w, &want, NULL, NULL) : run_error();
                if (d)
                    fail(t, name, "scale_sel:%d: %s", sel, d);
            }
            batch_end(&b);
        }
}

/* Every DPP control with a sample of masks; v_mov_b32 and a sum with two sources. */
static void run_dpp_gfx9(enum target t)
{
    static struct wave_state w, want;
    struct dpp {
        int snippet;
        unsigned ctrl, rows, banks;
        bool bound, sum;
    } *list = malloc(sizeof *list * 4096);
    int n = 0;
    struct batch b;

    batch_begin(&b, t);
    rand_seed("dpp");
    for (unsigned ctrl = 0; ctrl <= 0x15f; ctrl++) {
        char text[64];
        unsigned k = ctrl & 15;
        if (ctrl <= 0xff)
            sprintf(text, "quad_perm:[%u,%u,%u,%u]", ctrl & 3, ctrl >> 2 & 3, ctrl >> 4 & 3,
                    ctrl >> 6 & 3);
        else if (ctrl > 0x100 && ctrl < 0x130 && k)
            sprintf(text, "%s:%u",
                    ctrl < 0x110   ? "row_shl"
                    : ctrl < 0x120 ? "row_shr"
                                   : "row_ror",
                    k);
        else if (ctrl >= 0x150)
            sprintf(text, "row_newbcast:%u", k);
        else if (ctrl == 0x130 || ctrl == 0x134 || ctrl == 0x138 || ctrl == 0x13c)
            sprintf(text, "wave_%s:1",
                    ctrl == 0x130   ? "shl"
                    : ctrl == 0x134 ? "rol"
                    : ctrl == 0x138 ? "shr"
                                    : "ror");
        else if (ctrl >= 0x140 && ctrl <= 0x143)
            strcpy(text, ctrl == 0x140   ? "row_mirror"
                         : ctrl == 0x141 ? "row_half_mirror"
                         : ctrl == 0x142 ? "row_bcast:15"
                                         : "row_bcast:31");
        else
            continue;
        for (int v = 0; v < 4; v++) {
            struct dpp d = { .ctrl = ctrl,
                             .rows = v == 0 ? 15 : rand_below(16),
                             .banks = v < 2 ? 15 : rand_below(16),
                             .bound = v & 1,
                             .sum = v == 3 };
            d.snippet = batch_add(&b, "%s %s row_mask:0x%x bank_mask:0x%x%s",
                                  d.sum ? "v_add_u32_dpp v10, v2, v4" : "v_mov_b32_dpp v10, v2",
                                  text, d.rows, d.banks, d.bound ? " bound_ctrl:0" : "");
            list[n++] = d;
        }
    }
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "a DPP form is refused");
        n = 0;
    }
    for (int j = 0; j < n; j++) {
        struct dpp *d = &list[j];
        rand_seed(batch_text(&b, d->snippet));
        for (int run = 0; run < 3; run++) {
            wave_randomise(&w, t);
            w.exec = lane_mask_draw(t, run);
            want = w;
            for (int i = 0; i < 64; i++) {
                int src = dpp_source(t, d->ctrl, i);
                bool valid = src >= 0 && w.exec >> src & 1;
                if (!(w.exec >> i & 1) || !(d->rows >> (i >> 4) & 1) ||
                    !(d->banks >> (i >> 2 & 3) & 1) || (!valid && !d->bound))
                    continue;
                uint32_t x = valid ? w.v[2][src] : 0;
                want.v[10][i] = d->sum ? x + w.v[4][i] : x;
            }
            if (!run_snippet(&b, d->snippet, &w, NULL)) {
                fail(t, "dpp", "%s: %s", batch_text(&b, d->snippet), run_error());
                break;
            }
            const char *diff = wave_diff(&w, &want, NULL, NULL);
            if (diff) {
                fail(t, "dpp", "%s (exec %llx): %s", batch_text(&b, d->snippet),
                     (unsigned long long)w.exec, diff);
                break;
            }
        }
    }
    free(list);
    batch_end(&b);
}

void run_lanes(enum target t);
void run_lanes(enum target t)
{
    run_moves(t);
    if (t == T_1250)
        run_scales(t);
    if (t <= T_950)
        run_dpp_gfx9(t);
}
