/* SPDX-License-Identifier: MIT */
/*
 * Control flow, program counter, hardware registers, indexed scalar moves: small programs whose
 * path shows in registers. References: CDNA3/CDNA4 ISA guides, program flow chapter and
 * SOPP/SOP1/SOPK pages.
 */
#include "item.h"
#include "ref_float.h"

#include <stdio.h>
#include <string.h>

/* Branches: s20 stays when the branch is taken, else becomes 1. */
static bool scc0(const struct wave_state *w) { return !w->scc; }
static bool scc1(const struct wave_state *w) { return w->scc; }
static bool vccz(const struct wave_state *w) { return !w->vcc; }
static bool vccnz(const struct wave_state *w) { return w->vcc != 0; }
static bool execz(const struct wave_state *w) { return !w->exec; }
static bool execnz(const struct wave_state *w) { return w->exec != 0; }
static bool always(const struct wave_state *w)
{
    (void)w;
    return true;
}

static bool never(const struct wave_state *w)
{
    (void)w;
    return false;
}

static const struct {
    const char *name;
    bool (*taken)(const struct wave_state *w);
    bool debug; /* not on gfx12 */
} branches[] = { { "s_branch", always },     { "s_cbranch_scc0", scc0 },
    { "s_cbranch_scc1", scc1 },
                 { "s_cbranch_vccz", vccz }, { "s_cbranch_vccnz", vccnz },
                   { "s_cbranch_execz", execz },
                 { "s_cbranch_execnz", execnz },
                 { "s_cbranch_cdbgsys", never, true }, { "s_cbranch_cdbguser", never, true },
                 { "s_cbranch_cdbgsys_or_user", never, true },
                 { "s_cbranch_cdbgsys_and_user", never, true } };

typedef void wave_ref(struct wave_state *w);
#define REF(name) static void name(struct wave_state *w)

/* Programs: text, and what they leave. s[20:21] etc. that hold addresses are checked by
 * differences. */
/* two getpc, four bytes of s_nop between: difference 8 */
REF(p_getpc) { w->s[20] = 8; w->s[21] = 0; }
REF(p_call) { w->s[20] = 5; w->s[24] = 1; }
REF(p_loop) { w->s[20] = 0; w->s[21] = 45; w->scc = 0; }
REF(p_mode) { w->s[20] = w->mode & 0x3ff; w->s[21] = w->mode >> 4 & 15; }
REF(p_setmode) { w->mode = (w->mode & ~0xf0u) | 0x50; w->s[20] = w->mode & 0x3ff; }
REF(p_setreg) { w->mode = (w->mode & ~0xfu) | (w->s[22] & 15); w->s[20] = w->mode & 15; }
/* Scalar fma with a literal, in place of the addend or of a factor. */
static void fma_k(struct wave_state *w, bool literal_factor)
{
    struct ref_num a = ref_unpack(REF_F32, w->s[22]), b = ref_unpack(REF_F32, w->s[23]),
                   k = ref_unpack(REF_F32, 0x40490fdb);
    struct ref_num r = literal_factor ? ref_add(ref_mul(a, k), b, REF_RNE)
                                      : ref_add(ref_mul(a, b), k, REF_RNE);
    w->s[20] = (uint32_t)ref_pack(REF_F32, r, REF_RNE, false);
}
REF(p_fmaak) { fma_k(w, false); }
REF(p_fmamk) { fma_k(w, true); }
REF(p_round) { w->mode = (w->mode & ~15u) | 6; w->s[20] = w->mode & 0x3ff; }
REF(p_denorm) { w->mode = (w->mode & ~0xf0u) | 0x90; w->s[20] = w->mode & 0x3ff; }
/* A barrier of one member completes at once. s20: state; s21: SCC values from bit 0 on. */
REF(p_named) { w->m0 = 0x10003; w->s[20] = 1 | 1 << 4; w->s[21] = 1; w->s[24] = 1; w->scc = 0; }
REF(p_alloc) { (void)w; }
REF(p_skip) { w->s[20] = 0; }
REF(p_null) { w->s[20] = w->s[24] = w->s[25] = 0; }
REF(p_movrels) { w->m0 = 3; w->s[20] = w->s[33]; }
REF(p_movrels64) { w->m0 = 2; w->s[20] = w->s[32]; w->s[21] = w->s[33]; }
REF(p_movreld) { w->m0 = 4; w->s[34] = w->s[22]; }
REF(p_movreld64) { w->m0 = 4; w->s[34] = w->s[22]; w->s[35] = w->s[23]; }

/* Vega ISA 3.7: from _on to _off M0[7:0] is added to the VGPR numbers of the sources and the
 * destination that M0[15:12] names; the rest of M0 stays. */
static void indexed_move(struct wave_state *w, uint32_t index, uint32_t which, int dst, int src)
{
    w->m0 = (w->m0 & 0xffff0f00) | index | which << 12;
    for (int i = 0; i < 64; i++)
        if (w->exec >> i & 1)
            w->v[dst][i] = w->v[src][i];
}
REF(p_index_src) { w->s[20] = 3; indexed_move(w, 3, 1, 40, 53); }
REF(p_index_dst) { w->s[20] = 5; indexed_move(w, 5, 8, 45, 50); }
REF(p_index_idx)
{
    w->s[20] = 3;
    w->s[21] = 7;
    indexed_move(w, 3, 1, 40, 53);
    indexed_move(w, 7, 1, 41, 57);
}
REF(p_index_mode)
{
    w->s[20] = 3;
    indexed_move(w, 3, 9, 43, 53);
    indexed_move(w, 3, 8, 44, 50);
}

static const struct {
    const char *names, *text;
    wave_ref *ref;
    unsigned targets;
} programs[] = {
    { "s_getpc_b64",
      "s_getpc_b64 s[22:23]\ns_nop 0\ns_getpc_b64 s[20:21]\n"
      "s_sub_u32 s20, s20, s22\ns_subb_u32 s21, s21, s23\n"
                     "s_mov_b64 s[22:23], 0\ns_cmp_eq_u32 0, 1",
      p_getpc, ON_ALL },
    { "s_call_b64 s_setpc_b64",
      "s_mov_b32 s24, 0\ns_call_b64 s[22:23], 2\ns_mov_b32 s24, 1\ns_branch 2\n"
                                "s_mov_b32 s20, 5\ns_setpc_b64 s[22:23]\ns_mov_b64 s[22:23], 0",
      p_call, ON_ALL },
    { "s_swappc_b64",
      "s_mov_b32 s24, 0\ns_getpc_b64 s[26:27]\ns_add_u32 s26, s26, 20\ns_addc_u32 s27, s27, 0\n"
                      "s_swappc_b64 s[22:23], s[26:27]\ns_mov_b32 s24, 1\ns_branch 2\n"
                      "s_mov_b32 s20, 5\n"
                      "s_setpc_b64 s[22:23]\ns_mov_b64 s[22:23], 0\n"
                      "s_mov_b64 s[26:27], 0\ns_cmp_eq_u32 0, 1",
      p_call, ON_ALL },
    { "", "s_mov_b32 s20, 10\ns_mov_b32 s21, 0\ns_sub_i32 s20, s20, 1\n"
          "s_add_i32 s21, s21, s20\ns_cmp_lg_u32 s20, 0\n"
          "s_cbranch_scc1 65532",
      p_loop, ON_ALL },
    { "s_getreg_b32", "s_getreg_b32 s20, hwreg(1, 0, 10)\ns_getreg_b32 s21, hwreg(1, 4, 4)", p_mode,
      ON_ALL },
    { "s_setreg_imm32_b32", "s_setreg_imm32_b32 hwreg(1, 4, 4), 5\ns_nop 1\n"
                            "s_getreg_b32 s20, hwreg(1, 0, 10)",
      p_setmode, ON_ALL },
    { "s_setreg_b32", "s_setreg_b32 hwreg(1, 0, 4), s22\ns_nop 1\ns_getreg_b32 s20, hwreg(1, 0, 4)",
      p_setreg, ON_ALL },
    { "s_fmaak_f32", "s_fmaak_f32 s20, s22, s23, 0x40490fdb", p_fmaak, ON_GFX12 },
    { "s_fmamk_f32", "s_fmamk_f32 s20, s22, 0x40490fdb, s23", p_fmamk, ON_GFX12 },
    { "s_round_mode", "s_round_mode 0x6\ns_getreg_b32 s20, hwreg(1, 0, 10)", p_round, ON_GFX11UP },
    { "s_denorm_mode", "s_denorm_mode 0x9\ns_getreg_b32 s20, hwreg(1, 0, 10)", p_denorm,
      ON_GFX11UP },
    { "", "s_mov_b64 null, s[22:23]\ns_mov_b32 s20, null\ns_mov_b64 s[24:25], null", p_null, ON_GFX11UP },
    { "s_add_pc_i64", "s_mov_b32 s20, 0\ns_add_pc_i64 8\ns_mov_b32 s20, 1\ns_mov_b32 s20, 2", p_skip, ON_1250 },
    { "s_barrier_init s_barrier_join s_barrier_signal s_barrier_signal_isfirst s_get_barrier_state s_barrier_leave",
      "s_mov_b32 m0, 0x10003\ns_barrier_init m0\ns_barrier_join m0\ns_barrier_signal 3\ns_barrier_wait 1\n"
      "s_barrier_signal_isfirst 3\ns_cselect_b32 s21, 1, 0\ns_barrier_wait 1\ns_get_barrier_state s20, 3\ns_wait_kmcnt 0\n"
      "s_barrier_leave\ns_cselect_b32 s24, 1, 0\ns_cmp_eq_u32 0, 1", p_named, ON_GFX12 },
    { "s_alloc_vgpr", "s_alloc_vgpr 32", p_alloc, ON_GFX12 },
    { "s_wakeup_barrier", "s_wakeup_barrier 3", p_alloc, ON_1250 },
    { "s_movrels_b32", "s_mov_b32 m0, 3\ns_movrels_b32 s20, s30", p_movrels, ON_ALL },
    { "s_movrels_b64", "s_mov_b32 m0, 2\ns_movrels_b64 s[20:21], s[30:31]", p_movrels64, ON_ALL },
    { "s_movreld_b32", "s_mov_b32 m0, 4\ns_movreld_b32 s30, s22", p_movreld, ON_ALL },
    { "s_movreld_b64", "s_mov_b32 m0, 4\ns_movreld_b64 s[30:31], s[22:23]", p_movreld64, ON_ALL },
    { "s_set_gpr_idx_on s_set_gpr_idx_off",
      "s_mov_b32 s20, 3\ns_set_gpr_idx_on s20, gpr_idx(SRC0)\nv_mov_b32 v40, v50\ns_set_gpr_idx_off", p_index_src,
      ON_GFX9 },
    { "", "s_mov_b32 s20, 5\ns_set_gpr_idx_on s20, gpr_idx(DST)\nv_mov_b32 v40, v50\ns_set_gpr_idx_off", p_index_dst,
      ON_GFX9 },
    { "s_set_gpr_idx_idx",
      "s_mov_b32 s20, 3\ns_mov_b32 s21, 7\ns_set_gpr_idx_on s20, gpr_idx(SRC0)\nv_mov_b32 v40, v50\n"
      "s_set_gpr_idx_idx s21\nv_mov_b32 v41, v50\ns_set_gpr_idx_off", p_index_idx, ON_GFX9 },
    { "s_set_gpr_idx_mode",
      "s_mov_b32 s20, 3\ns_set_gpr_idx_on s20, gpr_idx(SRC0,DST)\nv_mov_b32 v40, v50\n"
      "s_set_gpr_idx_mode gpr_idx(DST)\nv_mov_b32 v41, v50\ns_set_gpr_idx_off", p_index_mode, ON_GFX9 },
};

/* gfx12 and gfx1250 have other names for some of these. */
static const char *rename_for(enum target t, const char *text)
{
    static const struct { const char *from, *to; enum target first; } renamed[] = {
        { "s_add_u32", "s_add_co_u32", T_1201 },     { "s_sub_u32", "s_sub_co_u32", T_1201 },
        { "s_addc_u32", "s_add_co_ci_u32", T_1201 }, { "s_subb_u32", "s_sub_co_ci_u32", T_1201 },
        { "s_add_i32", "s_add_co_i32", T_1201 },     { "s_sub_i32", "s_sub_co_i32", T_1201 },
        { "s_getpc_b64", "s_get_pc_i64", T_1250 },   { "s_setpc_b64", "s_set_pc_i64", T_1250 },
        { "s_swappc_b64", "s_swap_pc_i64", T_1250 }, { "s_call_b64", "s_call_i64", T_1250 },
    };
    static char out[1024];
    size_t n = 0;

    while (*text && n + 32 < sizeof out) {
        size_t k = 0;
        while (k < sizeof renamed / sizeof *renamed &&
               (t < renamed[k].first || strncmp(text, renamed[k].from, strlen(renamed[k].from))))
            k++;
        if (k < sizeof renamed / sizeof *renamed) {
            n += (size_t)sprintf(out + n, "%s", renamed[k].to);
            text += strlen(renamed[k].from);
        } else {
            out[n++] = *text++;
        }
    }
    out[n] = '\0';
    return out;
}

void run_control(enum target t);
void run_control(enum target t)
{
    static struct wave_state w, want;
    enum { NB = sizeof branches / sizeof *branches, NP = sizeof programs / sizeof *programs };
    int sb[NB], sp[NP];
    struct batch b;

    batch_begin(&b, t);
    for (int i = 0; i < NB; i++) {
        sb[i] = -1;
        if (branches[i].debug && t >= T_1201)
            continue;
        covered_add(t, branches[i].name);
        sb[i] = batch_add(&b, "s_nop 0\n%s 1\ns_mov_b32 s20, 1\ns_nop 0", branches[i].name);
    }
    for (int i = 0; i < NP; i++) {
        sp[i] = -1;
        if (!(programs[i].targets >> t & 1))
            continue;
        char name[32];
        const char *p = rename_for(t, programs[i].names);
        for (int n; sscanf(p, "%31s%n", name, &n) == 1; p += n)
            covered_add(t, name);
        sp[i] = batch_add(&b, "%s", rename_for(t, programs[i].text));
    }
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "a program is refused");
        batch_end(&b);
        return;
    }
    for (int i = 0; i < NB; i++)
        for (int run = 0; run < 16 && sb[i] >= 0; run++) {
            rand_seed(branches[i].name);
            for (int k = 0; k < run; k++)
                rand64();
            wave_randomise(&w, t);
            w.scc = run & 1;
            w.exec = run & 2 ? 0 : lane_mask_draw(t, run);
            if (run & 4)
                w.vcc = run & 8 ? 0 : 1ull << rand_below((uint32_t)target_lanes(t));
            want = w;
            if (!branches[i].taken(&w))
                want.s[20] = 1;
            if (!run_snippet(&b, sb[i], &w, NULL)) {
                fail(t, branches[i].name, "%s", run_error());
                break;
            }
            if (wave_diff(&w, &want, NULL, NULL)) {
                fail(t, branches[i].name, "scc %u vcc %llx exec %llx: %s", want.scc,
                     (unsigned long long)want.vcc, (unsigned long long)want.exec,
                     wave_diff(&w, &want, NULL, NULL));
                break;
            }
        }
    for (int i = 0; i < NP; i++) {
        if (sp[i] < 0)
            continue;
        rand_seed(programs[i].text);
        wave_randomise(&w, t);
        want = w;
        if (strstr(programs[i].text, "s_mov_b64 s[22:23], 0"))
            want.s[22] = want.s[23] = 0;
        if (strstr(programs[i].text, "s_mov_b64 s[26:27], 0"))
            want.s[26] = want.s[27] = 0;
        if (strstr(programs[i].text, "s_cmp_eq_u32 0, 1"))
            want.scc = 0;
        programs[i].ref(&want);
        if (!run_snippet(&b, sp[i], &w, NULL))
            fail(t, programs[i].names, "%s: %s", batch_text(&b, sp[i]), run_error());
        else if (wave_diff(&w, &want, NULL, NULL))
            fail(t, programs[i].names, "%s: %s", batch_text(&b, sp[i]),
                 wave_diff(&w, &want, NULL, NULL));
    }
    batch_end(&b);
}
