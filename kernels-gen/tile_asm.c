/* SPDX-License-Identifier: MIT */
/*
 * A GEMM kernel in assembly from its first instruction to its last: tiles in pairs, A copied to
 * LDS, fragments of two chunks (fp8 on CDNA4). It keeps the order of tile_order.c, so that its loop
 * can be compared with the compiler's count by count, and computes what ops/gemm.c writes as HIP.
 *
 * Waits in the loop are those of its steady state; what comes from the first tile has been waited
 * for.
 */
#include "asm.h"
#include "tile.h"

#include <stdio.h>
#include <string.h>

/* VGPRs. Accumulators from 0; behind the loop the fragments' registers hold what the epilogue
 * needs. */
struct vgprs {
    unsigned b, a, from_a, from_b, read, tmp; /* first of each */
    unsigned row16, quad, tid;
};

enum {
    SCALES_B = 0,
    BIASES = 16,
    SCALES_A = 32,
    COLS = 40,
    TO = 44,
    P = 48,
    Q = 49,
    ROW = 50
}; /* from vgprs.b */

/* SGPRs. s[0:1] the kernel arguments, s2, s3, s4 the workgroup; then arguments by name, and these.
 */
enum {
    ID = 2,
    SPLIT = 3,
    BATCH = 4,
    T0 = 5,
    T1,
    T2,
    ARGS = 8,
    RA = 52,
    RB = 56,
    RA_LAST = 60,
    RB_LAST = 64,
    RC = 68,
    DESC_A = 72,
    DESC_B = 76,
    DESC_BIAS = 80,
    WAVE = 84,
    WAVE_M,
    WAVE_N,
    TILE_M,
    TILE_N,
    M0,
    N0,
    ROWS,
    COLS_S,
    LEFT,
    K0,
    VALID,
    LDB,
    KA,
    KB,
    T3,
    T4,
    T5,
    SGPRS
};

struct asm_kernel {
    struct kg_asm a;
    const struct kg_tile *t;
    struct vgprs v;
    char name[KG_NAME_MAX + 1];
    unsigned arg[32], labels;
};

#define S1(n) kg_s(n, 1).text
#define V1(n) kg_v(n, 1).text

/* The SGPR of an argument. */
static unsigned arg(const struct asm_kernel *k, const char *name)
{
    const struct kg_op *op = k->t->s->op;
    for (unsigned i = 0; i < op->arg_count; i++)
        if (!strcmp(op->args[i].name, name))
            return k->arg[i];
    kg_fail(k->a.g, "there is no argument %s", name);
    return 0;
}

static void load_arguments(struct asm_kernel *k)
{
    const struct kg_op *op = k->t->s->op;
    unsigned at = ARGS;
    for (unsigned wide = 2; wide > 0; wide--)
        for (unsigned i = 0; i < op->arg_count; i++) {
            if (kg_arg_size(&op->args[i]) != 4 * wide)
                continue;
            k->arg[i] = at;
            kg_asm(&k->a, op->args[i].name, "s_load_dword%s %s, s[0:1], %u", wide == 2 ? "x2" : "",
                   kg_s(at, wide).text, kg_arg_offset(op, i));
            at += wide;
        }
    if (at > RA)
        kg_fail(k->a.g, "the arguments take more registers than there are for them");
    kg_asm(&k->a, "", "s_waitcnt lgkmcnt(0)");
}

/* q = n / d, r = n % d; q, r, d and n differ, r is not T5. Rounded reciprocal, then at most two
 * corrections. */
static void divide(struct asm_kernel *k, unsigned q, unsigned r, unsigned n, unsigned d)
{
    struct kg_asm *a = &k->a;
    unsigned v = k->v.tmp;
    kg_asm(a, "", "v_cvt_f32_u32_e32 v%u, s%u", v, d);
    kg_asm(a, "", "v_rcp_iflag_f32_e32 v%u, v%u", v, v);
    kg_asm(a, "", "s_nop 0");
    kg_asm(a, "2^32 less a little", "v_mul_f32_e32 v%u, 0x4f7ffffe, v%u", v, v);
    kg_asm(a, "", "v_cvt_u32_f32_e32 v%u, v%u", v, v);
    kg_asm(a, "a lane is read one later", "s_nop 0");
    kg_asm(a, "", "v_readfirstlane_b32 s%u, v%u", q, v);
    kg_asm(a, "", "s_sub_u32 s%u, 0, s%u", r, d);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, s%u", r, r, q);
    kg_asm(a, "", "s_mul_hi_u32 s%u, s%u, s%u", r, q, r);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", q, q, r);
    kg_asm(a, "the quotient, or up to 2 less", "s_mul_hi_u32 s%u, s%u, s%u", q, n, q);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, s%u", r, q, d);
    kg_asm(a, "", "s_sub_u32 s%u, s%u, s%u", r, n, r);
    for (int i = 0; i < 2; i++) {
        kg_asm(a, "", "s_sub_u32 s%u, s%u, s%u", T5, r, d);
        kg_asm(a, "", "s_cmp_ge_u32 s%u, s%u", r, d);
        kg_asm(a, "", "s_cselect_b32 s%u, s%u, s%u", r, T5, r);
        kg_asm(a, "", "s_addc_u32 s%u, s%u, 0", q, q);
    }
}

/* to (64 bits) += n * by (64 bits); with T4, T5 free. */
static void add_product(struct asm_kernel *k, unsigned to, unsigned n, unsigned by,
                        const char *what)
{
    struct kg_asm *a = &k->a;
    kg_asm(a, what, "s_mul_i32 s%u, s%u, s%u", T4, n, by);
    kg_asm(a, "", "s_mul_hi_u32 s%u, s%u, s%u", T5, n, by);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", to, to, T4);
    kg_asm(a, "", "s_addc_u32 s%u, s%u, s%u", to + 1, to + 1, T5);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, s%u", T4, n, by + 1);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", to + 1, to + 1, T4);
}

static void copy_pair(struct asm_kernel *k, unsigned to, unsigned from)
{
    kg_asm(&k->a, "", "s_mov_b64 %s, %s", kg_s(to, 2).text, kg_s(from, 2).text);
}

/* The last words of a descriptor whose address is in its first two. */
static void finish_descriptor(struct asm_kernel *k, unsigned d)
{
    kg_asm(&k->a, "no stride", "s_and_b32 s%u, s%u, 0xffff", d + 1, d + 1);
    kg_asm(&k->a, "", "s_mov_b32 s%u, 0x27000", d + 3);
}

/* s = v with a bit of flags set, else w; what `v` and `w` are is text. */
static void by_flag(struct asm_kernel *k, unsigned s, unsigned bit, const char *v, const char *w)
{
    kg_asm(&k->a, "", "s_bitcmp1_b32 s%u, %u", arg(k, "flags"), bit);
    kg_asm(&k->a, "", "s_cselect_b32 s%u, %s, %s", s, v, w);
}

static void whose(struct asm_kernel *k)
{
    struct kg_asm *a = &k->a;
    const struct kg_gemm *t = &k->t->s->gemm;
    kg_note(a->g, "The block: as in the HIP kernels, each die a run of blocks, down bands of rows "
                  "of blocks.");
    kg_asm(a, "", "s_mov_b32 s%u, 0", TILE_M);
    kg_asm(a, "", "s_mov_b32 s%u, s%u", TILE_N, ID);
    kg_asm(a, "", "s_cmp_lt_u32 s%u, 2", arg(k, "tiles_m"));
    kg_asm(a, "", "s_cbranch_scc1 .L%s_placed", k->name);
    kg_asm(a, "blocks", "s_mul_i32 s%u, s%u, s%u", T0, arg(k, "tiles_m"), arg(k, "tiles_n"));
    divide(k, T1, T2, T0, arg(k, "xcds"));
    divide(k, T3, T4, ID, arg(k, "xcds"));
    kg_asm(a, "place = xcd * each + min(xcd, over) + turn", "s_mul_i32 s%u, s%u, s%u", T1, T1, T4);
    kg_asm(a, "", "s_min_u32 s%u, s%u, s%u", T2, T2, T4);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", T1, T1, T2);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", T0, T1, T3);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, s%u", T3, arg(k, "band"), arg(k, "tiles_n"));
    divide(k, T1, T2, T0, T3);
    kg_asm(a, "first row of the band", "s_mul_i32 s%u, s%u, s%u", TILE_M, T1, arg(k, "band"));
    kg_asm(a, "", "s_sub_u32 s%u, s%u, s%u", T3, arg(k, "tiles_m"), TILE_M);
    kg_asm(a, "rows of it", "s_min_u32 s%u, s%u, s%u", T3, T3, arg(k, "band"));
    divide(k, TILE_N, T1, T2, T3);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", TILE_M, TILE_M, T1);
    kg_asm_label(a, ".L%s_placed", k->name);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, %u", M0, TILE_M, t->m);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, %u", N0, TILE_N, t->n);
    kg_asm(a, "", "s_sub_u32 s%u, s%u, s%u", ROWS, arg(k, "m"), M0);
    kg_asm(a, "", "s_min_u32 s%u, s%u, %u", ROWS, ROWS, t->m);
    kg_asm(a, "", "s_sub_u32 s%u, s%u, s%u", COLS_S, arg(k, "n"), N0);
    kg_asm(a, "", "s_min_u32 s%u, s%u, %u", COLS_S, COLS_S, t->n);
    kg_blank(a->g);

    kg_note(a->g, "The tiles of k: the last, which may be short, first.");
    kg_asm(a, "first tile", "s_mul_i32 s%u, s%u, s%u", T0, SPLIT, arg(k, "split_tiles"));
    kg_asm(a, "", "s_sub_u32 s%u, s%u, s%u", LEFT, arg(k, "tiles_k"), T0);
    kg_asm(a, "tiles", "s_min_u32 s%u, s%u, s%u", LEFT, LEFT, arg(k, "split_tiles"));
    kg_asm(a, "", "s_cmp_eq_u32 s%u, 0", T0);
    kg_asm(a, "", "s_cselect_b32 s%u, s%u, s%u", T1, arg(k, "tiles_k"), T0);
    kg_asm(a, "", "s_sub_u32 s%u, s%u, 1", T1, T1);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, %u", K0, T1, t->k_bytes);
    kg_asm(a, "bytes of it that are", "s_sub_u32 s%u, s%u, s%u", VALID, arg(k, "k_bytes"), K0);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, %u", KA, T0, t->k_bytes);
    kg_asm(a, "", "s_lshl_b32 s%u, s%u, 4", KB, KA);
    kg_asm(a, "row of shuffled B", "s_add_u32 s%u, s%u, 63", LDB, arg(k, "k_bytes"));
    kg_asm(a, "", "s_and_b32 s%u, s%u, 0xffffffc0", LDB, LDB);
    kg_blank(a->g);
}

static void descriptors(struct asm_kernel *k)
{
    struct kg_asm *a = &k->a;
    kg_note(a->g, "A and B at the block; the last tile of an odd number is read through "
                  "descriptors of no bytes.");
    copy_pair(k, RA, arg(k, "a"));
    add_product(k, RA, BATCH, arg(k, "stride_a"), "A of the batch");
    add_product(k, RA, M0, arg(k, "lda"), "at the block's rows");
    kg_asm(a, "bytes", "s_sub_u32 s%u, s%u, 1", T0, ROWS);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, s%u", T0, T0, arg(k, "lda"));
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", RA + 2, T0, arg(k, "k_bytes"));
    finish_descriptor(k, RA);
    copy_pair(k, RB, arg(k, "b"));
    add_product(k, RB, BATCH, arg(k, "stride_b"), "B of the batch");
    kg_asm(a, "at the block's columns", "s_mul_i32 s%u, s%u, s%u", T0, N0, LDB);
    kg_asm(a, "", "s_mul_hi_u32 s%u, s%u, s%u", T1, N0, LDB);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", RB, RB, T0);
    kg_asm(a, "", "s_addc_u32 s%u, s%u, s%u", RB + 1, RB + 1, T1);
    kg_asm(a, "bytes", "s_add_u32 s%u, s%u, 15", T0, COLS_S);
    kg_asm(a, "", "s_and_b32 s%u, s%u, 0xfffffff0", T0, T0);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, s%u", RB + 2, T0, LDB);
    finish_descriptor(k, RB);
    for (unsigned i = 0; i < 4; i += 2) {
        copy_pair(k, RA_LAST + i, RA + i);
        copy_pair(k, RB_LAST + i, RB + i);
    }
    kg_asm(a, "odd", "s_bitcmp1_b32 s%u, 0", LEFT);
    kg_asm(a, "", "s_cselect_b32 s%u, 0, s%u", RA_LAST + 2, RA_LAST + 2);
    kg_asm(a, "", "s_cselect_b32 s%u, 0, s%u", RB_LAST + 2, RB_LAST + 2);
    kg_asm(a, "", "s_and_b32 s%u, s%u, 1", T0, LEFT);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", LEFT, LEFT, T0);
    kg_blank(a->g);
}

/* LDS and memory offsets of the lane. */
static void offsets(struct asm_kernel *k)
{
    struct kg_asm *a = &k->a;
    const struct kg_tile *t = k->t;
    const struct kg_gemm *tile = &t->s->gemm;
    unsigned chunks = tile->k_bytes / 16, v = k->v.tmp;
    kg_note(a->g,
            "Lanes: row16 and quad of a fragment; waves; where A comes from and lies in LDS.");
    kg_asm(a, "tid is v0, an accumulator", "v_mov_b32_e32 v%u, v0", k->v.tid);
    kg_asm(a, "", "v_lshrrev_b32_e32 v%u, 6, v%u", v, k->v.tid);
    kg_asm(a, "", "v_and_b32_e32 v%u, 15, v%u", k->v.row16, k->v.tid);
    kg_asm(a, "", "v_bfe_u32 v%u, v%u, 4, 2", k->v.quad, k->v.tid);
    kg_asm(a, "", "v_readfirstlane_b32 s%u, v%u", WAVE, v);
    kg_asm(a, "", "s_and_b32 s%u, s%u, %u", WAVE_M, WAVE, tile->waves_m - 1);
    kg_asm(a, "", "s_lshr_b32 s%u, s%u, %u", WAVE_N, WAVE, tile->waves_m / 2);
    kg_asm(a, "chunk of a row of A", "v_and_b32_e32 v%u, %u, v%u", v, chunks - 1, k->v.tid);
    kg_asm(a, "row", "v_lshrrev_b32_e32 v%u, %u, v%u", v + 1, chunks == 8 ? 3 : 4, k->v.tid);
    kg_asm(a, "swizzled", "v_bfe_u32 v%u, v%u, %u, %u", v + 2, v + 1, t->shift, 3);
    kg_asm(a, "", "v_xor_b32_e32 v%u, v%u, v%u", v, v, v + 2);
    kg_asm(a, "byte", "v_lshlrev_b32_e32 v%u, 4, v%u", v, v);
    kg_asm(a, "", "v_cmp_gt_u32_e32 vcc, s%u, v%u", VALID, v);
    kg_asm(a, "FAR", "v_bfrev_b32_e32 v%u, 1", v + 3);
    for (unsigned i = 0; i < t->passes; i++) {
        kg_asm(a, "", "v_add_u32_e32 v%u, %u, v%u", v + 4, i * t->pass_rows, v + 1);
        kg_asm(a, "", "v_mul_lo_u32 v%u, v%u, s%u", v + 4, v + 4, arg(k, "lda"));
        kg_asm(a, "", "v_add_u32_e32 v%u, v%u, v%u", k->v.from_a + i, v + 4, v);
        kg_asm(a, "of the first tile", "v_cndmask_b32_e32 v%u, v%u, v%u, vcc", v + 8 + i, v + 3,
               k->v.from_a + i);
    }
    kg_asm(a, "", "v_lshrrev_b32_e32 v%u, %u, v%u", v, t->shift, k->v.row16);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, %u", T0, WAVE_M, t->mi * 16 * tile->k_bytes);
    for (unsigned i = 0; i < t->columns; i++) {
        kg_asm(a, "", "v_add_u32_e32 v%u, %u, v%u", v + 1, 4 * i, k->v.quad);
        kg_asm(a, "", "v_xor_b32_e32 v%u, v%u, v%u", v + 1, v + 1, v);
        kg_asm(a, "", "v_lshlrev_b32_e32 v%u, 4, v%u", v + 1, v + 1);
        kg_asm(a, "", "v_mul_u32_u24_e32 v%u, %u, v%u", v + 2, tile->k_bytes, k->v.row16);
        kg_asm(a, "", "v_add3_u32 v%u, v%u, v%u, s%u", k->v.read + i, v + 1, v + 2, T0);
    }
    kg_asm(a, "", "v_and_b32_e32 v%u, 63, v%u", v, k->v.tid);
    kg_asm(a, "", "v_lshlrev_b32_e32 v%u, 4, v%u", v, v);
    kg_asm(a, "", "s_lshl_b32 s%u, s%u, 4", T0, LDB);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, %u", T1, WAVE_N, t->ni);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, s%u", T1, T1, T0);
    for (unsigned n = 0; n < t->ni; n++) {
        kg_asm(a, "", "v_add_u32_e32 v%u, s%u, v%u", k->v.from_b + n, T1, v);
        kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", T1, T1, T0);
    }
    kg_blank(a->g);
}

static unsigned reg_b(const struct asm_kernel *k, unsigned set, unsigned step, unsigned n,
                      unsigned chunk)
{
    const struct kg_tile *t = k->t;
    return k->v.b + (((set * t->steps + step) * t->ni + n) * t->mma->chunks + chunk) * 4;
}

static unsigned reg_a(const struct asm_kernel *k, unsigned slot, unsigned chunk)
{
    return k->v.a + (slot * k->t->mma->chunks + chunk) * 4;
}

static void copy_a(struct asm_kernel *k, unsigned from, unsigned rsrc, unsigned at,
                   const char *scalar)
{
    struct kg_asm *a = &k->a;
    kg_asm(a, "", "s_add_u32 m0, s%u, %u", WAVE, at);
    kg_asm(a, "m0 is read one later", "s_nop 0");
    kg_asm(a, "", "buffer_load_dwordx4 v%u, %s, %s offen lds", from, kg_s(rsrc, 4).text, scalar);
    kg_asm_copies(a);
}

static void read_a(struct asm_kernel *k, const struct kg_step *x)
{
    const struct kg_tile *t = k->t;
    unsigned at = x->buffer * t->buffer + x->m * 16 * t->s->gemm.k_bytes,
             to = reg_a(k, x->slot, x->chunk);
    kg_asm(&k->a, "", "ds_read_b128 %s, v%u offset:%u", kg_v(to, 4).text,
           k->v.read + x->step * t->mma->chunks + x->chunk, at);
    kg_asm_reads(&k->a, to, 4);
}

static void step(struct asm_kernel *k, const struct kg_step *x)
{
    struct kg_asm *a = &k->a;
    const struct kg_tile *t = k->t;
    unsigned to, from, acc;
    switch (x->kind) {
    case KG_READ_A:
        read_a(k, x);
        break;
    case KG_LOAD_B:
        to = reg_b(k, x->set, x->step, x->n, x->chunk);
        kg_asm(a, "", "buffer_load_dwordx4 %s, v%u, %s, s%u offen offset:%u", kg_v(to, 4).text,
               k->v.from_b + x->n, kg_s(x->last ? RB_LAST : RB, 4).text, KB,
               (x->step * t->mma->chunks + x->chunk) * 1024);
        kg_asm_loads(a, to, 4);
        break;
    case KG_COPY_A:
        copy_a(k, k->v.from_a + x->pass, x->last ? RA_LAST : RA,
               x->buffer * t->buffer + x->pass * t->threads * 16, kg_s(KA, 1).text);
        break;
    case KG_PRODUCT:
        to = reg_b(k, x->set, x->step, x->n, 0);
        from = reg_a(k, x->slot, 0);
        acc = (x->m * t->ni + x->n) * 4;
        kg_asm_need(a, to, 8);
        kg_asm_need(a, from, 8);
        kg_asm(a, "", "v_mfma_%s %s, %s, %s, %s", t->mma->mnemonic, kg_v(acc, 4).text,
               kg_v(to, 8).text, kg_v(from, 8).text, kg_v(acc, 4).text);
        break;
    case KG_BARRIER:
        kg_asm_need_copies(a);
        kg_asm(a, "", "s_barrier");
        break;
    default:
        break; /* what is written stays in order without pins; A is not staged */
    }
}

static void tile(struct asm_kernel *k, unsigned place, enum kg_more more)
{
    static struct kg_order o;
    kg_tile_order(&o, k->t, place, more);
    for (unsigned i = 0; i < o.count; i++)
        step(k, &o.step[i]);
    if (more) {
        kg_asm(&k->a, "", "s_add_u32 s%u, s%u, %u", KA, KA, k->t->s->gemm.k_bytes);
        kg_asm(&k->a, "", "s_add_u32 s%u, s%u, %u", KB, KB, k->t->s->gemm.k_bytes * 16);
    }
}

static void first_tile(struct asm_kernel *k)
{
    struct kg_asm *a = &k->a;
    const struct kg_tile *t = k->t;
    unsigned v = k->v.tmp;
    kg_note(a->g, "The first tile, zeros beyond k.");
    kg_asm(a, "where the wave's copies go", "s_lshl_b32 s%u, s%u, 10", WAVE, WAVE);
    for (unsigned i = 0; i < t->passes; i++)
        copy_a(k, v + 8 + i, RA, i * t->threads * 16, S1(K0));
    kg_asm(a, "", "s_lshl_b32 s%u, s%u, 4", T0, K0);
    kg_asm(a, "FAR", "s_brev_b32 s%u, 1", T2);
    for (unsigned c = 0; c < t->columns; c++) {
        kg_asm(a, "", "s_cmp_gt_u32 s%u, %u", VALID, c * 64);
        kg_asm(a, "", "s_cselect_b32 s%u, 0, s%u", T1, T2);
        for (unsigned n = 0; n < t->ni; n++) {
            unsigned to = reg_b(k, 0, c / t->mma->chunks, n, c % t->mma->chunks);
            kg_asm(a, "", "v_or_b32_e32 v%u, s%u, v%u", v + n, T1, k->v.from_b + n);
            kg_asm(a, "", "buffer_load_dwordx4 %s, v%u, %s, s%u offen offset:%u", kg_v(to, 4).text,
                   v + n, kg_s(RB, 4).text, T0, c * 1024);
            kg_asm_loads(a, to, 4);
        }
    }
    for (unsigned i = 0; i < 4 * t->mi * t->ni; i++)
        kg_asm(a, "", "v_mov_b32_e32 v%u, 0", i);
    kg_asm_need_all(a);
    kg_asm(a, "", "s_barrier");
    for (unsigned i = 0; i < t->ahead; i++)
        for (unsigned c = 0; c < t->mma->chunks; c++) {
            const struct kg_step x = {
                .kind = KG_READ_A, .slot = i, .chunk = c, .step = i / t->mi, .m = i % t->mi};
            read_a(k, &x);
        }
    kg_blank(a->g);
}

static bool same_queue(const struct kg_asm_queue *a, const struct kg_asm_queue *b)
{
    return a->count == b->count && !memcmp(a->op, b->op, sizeof a->op[0] * a->count);
}

static void body(struct asm_kernel *k)
{
    for (unsigned place = 0; place < 2; place++)
        tile(k, place, KG_MANY_MORE);
}

static void loop(struct asm_kernel *k)
{
    struct kg_asm *a = &k->a;
    struct kg trial = *a->g, *real = a->g;
    /* Written once for what is under way at its end, then with that at its start. */
    memset(&trial.out, 0, sizeof trial.out);
    a->g = &trial;
    body(k);
    a->g = real;
    kg_buf_free(&trial.out);
    struct kg_asm_queue loads = a->loads, reads = a->reads;
    kg_asm(a, "", "s_cmp_lt_u32 s%u, 3", LEFT);
    kg_asm(a, "", "s_cbranch_scc1 .L%s_last", k->name);
    kg_asm_label(a, ".L%s_loop", k->name);
    body(k);
    if (!same_queue(&loads, &a->loads) || !same_queue(&reads, &a->reads))
        kg_fail(a->g, "the loop does not come back to what is under way at its start");
    kg_asm(a, "", "s_sub_u32 s%u, s%u, 2", LEFT, LEFT);
    kg_asm(a, "", "s_cmp_gt_u32 s%u, 2", LEFT);
    kg_asm(a, "", "s_cbranch_scc1 .L%s_loop", k->name);
    kg_blank(a->g);
    kg_asm_label(a, ".L%s_last", k->name);
    kg_note(a->g, "The last two tiles.");
    tile(k, 0, KG_ONE_MORE);
    tile(k, 1, KG_LAST);
    kg_asm(a, "results still in the matrix unit", "s_nop 15");
    kg_asm(a, "", "s_nop 15");
    kg_blank(a->g);
}

/* ---- C ---- */

enum { FLAG_SCALE_A, FLAG_ROWS, FLAG_SCALE_B, FLAG_COLS, FLAG_WIDE, FLAG_PARTIAL, FLAG_ACT = 8 };

/* A descriptor of `count` floats or one, or of none. */
static void scale_descriptor(struct asm_kernel *k, unsigned d, const char *pointer,
                             const char *stride, unsigned first, unsigned count, unsigned has,
                             unsigned many)
{
    struct kg_asm *a = &k->a;
    copy_pair(k, d, arg(k, pointer));
    add_product(k, d, BATCH, arg(k, stride), pointer);
    by_flag(k, T0, many, "4", "0");
    kg_asm(a, "", "s_mul_i32 s%u, s%u, s%u", T1, first, T0);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", d, d, T1);
    kg_asm(a, "", "s_addc_u32 s%u, s%u, 0", d + 1, d + 1);
    kg_asm(a, "", "s_sub_u32 s%u, s%u, 1", T1, count);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, s%u", T1, T1, T0);
    kg_asm(a, "", "s_add_u32 s%u, s%u, 4", T1, T1);
    by_flag(k, d + 2, has, S1(T1), "0");
    finish_descriptor(k, d);
}

/* Registers first..first+count-1 become 1 unless the flag is set. */
static void ones_unless(struct asm_kernel *k, unsigned bit, unsigned first, unsigned count)
{
    struct kg_asm *a = &k->a;
    unsigned label = k->labels++;
    kg_asm(a, "", "s_bitcmp1_b32 s%u, %u", arg(k, "flags"), bit);
    kg_asm(a, "", "s_cbranch_scc1 .L%s_%u", k->name, label);
    for (unsigned i = 0; i < count; i++)
        kg_asm(a, "", "v_mov_b32_e32 v%u, 1.0", first + i);
    kg_asm_label(a, ".L%s_%u", k->name, label);
}

static void parameters(struct asm_kernel *k)
{
    struct kg_asm *a = &k->a;
    const struct kg_tile *t = k->t;
    unsigned e = k->v.b, v = k->v.tmp;
    kg_note(
        a->g,
        "Scales and biases: 4 columns a lane and column of sub-blocks, a row a row of sub-blocks.");
    scale_descriptor(k, DESC_A, "scale_a", "stride_scale_a", M0, ROWS, FLAG_SCALE_A, FLAG_ROWS);
    by_flag(k, T2, FLAG_ROWS, "4", "0");
    for (unsigned m = 0; m < t->mi; m++) {
        kg_asm(a, "", "v_add_u32_e32 v%u, %u, v%u", v, m * 16, e + ROW);
        kg_asm(a, "", "v_mul_lo_u32 v%u, v%u, s%u", v + 1 + m, v, T2);
    }
    for (unsigned m = 0; m < t->mi; m++) {
        kg_asm(a, "", "buffer_load_dword v%u, v%u, %s, 0 offen", e + SCALES_A + m, v + 1 + m,
               kg_s(DESC_A, 4).text);
        kg_asm_loads(a, e + SCALES_A + m, 1);
    }
    scale_descriptor(k, DESC_B, "scale_b", "stride_scale_b", N0, COLS_S, FLAG_SCALE_B, FLAG_COLS);
    by_flag(k, T2, FLAG_COLS, "4", "0");
    copy_pair(k, DESC_BIAS, arg(k, "bias"));
    add_product(k, DESC_BIAS, BATCH, arg(k, "stride_bias"), "bias");
    kg_asm(a, "", "s_lshl_b32 s%u, s%u, 1", T0, N0);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", DESC_BIAS, DESC_BIAS, T0);
    kg_asm(a, "", "s_addc_u32 s%u, s%u, 0", DESC_BIAS + 1, DESC_BIAS + 1);
    kg_asm(a, "", "s_lshl_b32 s%u, s%u, 1", T0, COLS_S);
    kg_asm(a, "none", "s_cmp_eq_u64 %s, 0", kg_s(arg(k, "bias"), 2).text);
    kg_asm(a, "", "s_cselect_b32 s%u, 0, s%u", DESC_BIAS + 2, T0);
    finish_descriptor(k, DESC_BIAS);
    for (unsigned n = 0; n < t->ni; n++) {
        kg_asm(a, "", "v_mul_lo_u32 v%u, v%u, s%u", v, e + COLS + n, T2);
        kg_asm(a, "", "v_lshlrev_b32_e32 v%u, 1, v%u", v + 4, e + COLS + n);
        for (unsigned i = 0; i < 4; i++) {
            if (i)
                kg_asm(a, "", "v_add_u32_e32 v%u, s%u, v%u", v + i, T2, v + i - 1);
            kg_asm(a, "", "buffer_load_dword v%u, v%u, %s, 0 offen", e + SCALES_B + n * 4 + i,
                   v + i, kg_s(DESC_B, 4).text);
            kg_asm_loads(a, e + SCALES_B + n * 4 + i, 1);
            kg_asm(a, "", "buffer_load_ushort v%u, v%u, %s, 0 offen offset:%u",
                   e + BIASES + n * 4 + i, v + 4, kg_s(DESC_BIAS, 4).text, i * 2);
            kg_asm_loads(a, e + BIASES + n * 4 + i, 1);
        }
    }
    kg_asm_need_all(a);
    for (unsigned i = 0; i < 4 * t->ni; i++)
        kg_asm(a, "", "v_lshlrev_b32_e32 v%u, 16, v%u", e + BIASES + i, e + BIASES + i);
    ones_unless(k, FLAG_SCALE_A, e + SCALES_A, t->mi);
    ones_unless(k, FLAG_SCALE_B, e + SCALES_B, 4 * t->ni);
    kg_asm(a, "", "v_mov_b32_e32 v%u, s%u", e + P, arg(k, "p"));
    kg_asm(a, "", "v_mov_b32_e32 v%u, s%u", e + Q, arg(k, "q"));
    kg_asm(a, "", "s_lshr_b32 s%u, s%u, %u", T3, arg(k, "flags"), FLAG_ACT);
    kg_blank(a->g);
}

/* A pair of SGPRs for each of 4 comparisons, free behind the loop. Compared first and selected
 * then, the pair is two wait states old when it is read (LLVM, VALUWriteSGPRVALURead). */
static struct kg_reg mask(unsigned i)
{
    return kg_s(RA + 2 * i, 2);
}

/* Activation of the 4 values in acc..acc+3. */
static void activate(struct asm_kernel *k, unsigned acc)
{
    struct kg_asm *a = &k->a;
    unsigned e = k->v.b, v = k->v.tmp, label = k->labels;
    k->labels += 2;
    kg_asm(a, "", "s_cmp_eq_u32 s%u, 0", T3);
    kg_asm(a, "none", "s_cbranch_scc1 .L%s_%u", k->name, label);
    kg_asm(a, "", "s_cmp_eq_u32 s%u, 1", T3);
    kg_asm(a, "", "s_cbranch_scc1 .L%s_%u", k->name, label + 1);
    kg_asm(a, "65536: no product of x below is infinite", "s_mov_b32 s%u, 0x47800000", T0);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, "", "v_med3_f32 v%u, v%u, s%u, -s%u", v + 4 + i, acc + i, T0, T0);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, i ? "" : "x / (1 + exp2(x (p + q x x)))", "v_mul_f32_e32 v%u, v%u, v%u", v + i,
               v + 4 + i, v + 4 + i);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, "", "v_fma_f32 v%u, v%u, v%u, v%u", v + i, v + i, e + Q, e + P);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, "", "v_mul_f32_e32 v%u, v%u, v%u", v + i, v + i, v + 4 + i);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, "", "v_exp_f32_e32 v%u, v%u", v + i, v + i);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, "", "v_add_f32_e32 v%u, 1.0, v%u", v + i, v + i);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, "", "v_rcp_f32_e32 v%u, v%u", v + i, v + i);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, "", "v_mul_f32_e32 v%u, v%u, v%u", acc + i, acc + i, v + i);
    kg_asm(a, "", "s_branch .L%s_%u", k->name, label);
    kg_asm_label(a, ".L%s_%u", k->name, label + 1);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, i ? "" : "max(x, 0), NaN stays", "v_cmp_gt_f32_e64 %s, 0, v%u", mask(i).text,
               acc + i);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, "", "v_cndmask_b32_e64 v%u, v%u, 0, %s", acc + i, acc + i, mask(i).text);
    kg_asm_label(a, ".L%s_%u", k->name, label);
}

/* 4 columns of a row: v+4, v+5 hold them as bf16, v+6 their offset. */
static void store_four(struct asm_kernel *k, unsigned n)
{
    struct kg_asm *a = &k->a;
    unsigned e = k->v.b, v = k->v.tmp, label = k->labels;
    k->labels += 2;
    kg_asm(a, "", "s_bitcmp0_b32 s%u, %u", arg(k, "flags"), FLAG_WIDE);
    kg_asm(a, "", "s_cbranch_scc1 .L%s_%u", k->name, label);
    kg_asm(a, "", "buffer_store_dwordx2 %s, v%u, %s, 0 offen", kg_v(v + 4, 2).text, v + 6,
           kg_s(RC, 4).text);
    kg_asm(a, "", "s_branch .L%s_%u", k->name, label + 1);
    kg_asm_label(a, ".L%s_%u", k->name, label);
    kg_asm(a, "FAR", "v_bfrev_b32_e32 v%u, 1", v + 7);
    for (unsigned i = 0; i < 4; i++) {
        kg_asm(a, "", "v_add_u32_e32 v%u, %u, v%u", v, i, e + COLS + n);
        kg_asm(a, "", "v_cmp_gt_u32_e64 %s, s%u, v%u", mask(i).text, COLS_S, v);
    }
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, "", "v_cndmask_b32_e64 v%u, v%u, v%u, %s", v + i, v + 7, v + 6, mask(i).text);
    for (unsigned i = 0; i < 4; i++)
        kg_asm(a, "", "buffer_store_short%s v%u, v%u, %s, 0 offen offset:%u",
               i & 1 ? "_d16_hi" : "", v + 4 + i / 2, v + i, kg_s(RC, 4).text, i * 2);
    kg_asm_label(a, ".L%s_%u", k->name, label + 1);
}

static void store(struct asm_kernel *k)
{
    struct kg_asm *a = &k->a;
    const struct kg_tile *t = k->t;
    unsigned e = k->v.b, v = k->v.tmp;
    kg_note(a->g, "C: 2 bytes an element, or 4 of a partial sum.");
    by_flag(k, T2, FLAG_PARTIAL, "2", "1");
    copy_pair(k, RC, arg(k, "c"));
    add_product(k, RC, BATCH, arg(k, "stride_c"), "C of the batch");
    add_product(k, RC, SPLIT, arg(k, "stride_split"), "of the split");
    add_product(k, RC, M0, arg(k, "ldc"), "at the block");
    kg_asm(a, "", "s_lshl_b32 s%u, s%u, s%u", T0, N0, T2);
    kg_asm(a, "", "s_add_u32 s%u, s%u, s%u", RC, RC, T0);
    kg_asm(a, "", "s_addc_u32 s%u, s%u, 0", RC + 1, RC + 1);
    kg_asm(a, "partial sums are whole vectors", "s_add_u32 s%u, s%u, 3", T0, COLS_S);
    kg_asm(a, "", "s_and_b32 s%u, s%u, 0xfffffffc", T0, T0);
    by_flag(k, T0, FLAG_PARTIAL, S1(T0), S1(COLS_S));
    kg_asm(a, "", "s_lshl_b32 s%u, s%u, s%u", T0, T0, T2);
    kg_asm(a, "", "s_sub_u32 s%u, s%u, 1", T1, ROWS);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, s%u", T1, T1, arg(k, "ldc"));
    kg_asm(a, "bytes", "s_add_u32 s%u, s%u, s%u", RC + 2, T0, T1);
    finish_descriptor(k, RC);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, %u", T0, WAVE_M, t->mi * 16);
    kg_asm(a, "row in the block", "v_add_u32_e32 v%u, s%u, v%u", e + ROW, T0, k->v.row16);
    kg_asm(a, "", "s_mul_i32 s%u, s%u, %u", T0, WAVE_N, t->ni * 16);
    kg_asm(a, "", "v_lshlrev_b32_e32 v%u, 2, v%u", v, k->v.quad);
    kg_asm(a, "FAR", "v_bfrev_b32_e32 v%u, 1", v + 1);
    for (unsigned n = 0; n < t->ni; n++) {
        kg_asm(a, "column", "v_add_u32_e32 v%u, s%u, v%u", e + COLS + n, T0, v);
        kg_asm(a, "", "v_cmp_gt_u32_e32 vcc, s%u, v%u", COLS_S, e + COLS + n);
        kg_asm(a, "", "v_lshlrev_b32_e32 v%u, s%u, v%u", v + 2, T2, e + COLS + n);
        kg_asm(a, "vcc is read two later", "s_add_u32 s%u, s%u, 16", T0, T0);
        kg_asm(a, "", "v_cndmask_b32_e32 v%u, v%u, v%u, vcc", e + TO + n, v + 1, v + 2);
    }
    kg_asm(a, "", "s_bitcmp1_b32 s%u, %u", arg(k, "flags"), FLAG_PARTIAL);
    kg_asm(a, "", "s_cbranch_scc1 .L%s_partial", k->name);
    kg_blank(a->g);
    parameters(k);
    for (unsigned m = 0; m < t->mi; m++) {
        kg_asm(a, "row", "v_add_u32_e32 v%u, %u, v%u", v + 8, m * 16, e + ROW);
        kg_asm(a, "", "v_mul_lo_u32 v%u, v%u, s%u", v + 8, v + 8, arg(k, "ldc"));
        for (unsigned n = 0; n < t->ni; n++) {
            unsigned acc = (m * t->ni + n) * 4;
            for (unsigned i = 0; i < 4; i++)
                kg_asm(a, "", "v_mul_f32_e32 v%u, v%u, v%u", acc + i, acc + i, e + SCALES_A + m);
            for (unsigned i = 0; i < 4; i++)
                kg_asm(a, "", "v_fma_f32 v%u, v%u, v%u, v%u", acc + i, acc + i,
                       e + SCALES_B + n * 4 + i, e + BIASES + n * 4 + i);
            activate(k, acc);
            kg_asm(a, "", "v_cvt_pk_bf16_f32 v%u, v%u, v%u", v + 4, acc, acc + 1);
            kg_asm(a, "", "v_cvt_pk_bf16_f32 v%u, v%u, v%u", v + 5, acc + 2, acc + 3);
            kg_asm(a, "", "v_add_u32_e32 v%u, v%u, v%u", v + 6, v + 8, e + TO + n);
            store_four(k, n);
        }
    }
    kg_asm(a, "", "s_endpgm");
    kg_blank(a->g);
    kg_asm_label(a, ".L%s_partial", k->name);
    for (unsigned m = 0; m < t->mi; m++) {
        kg_asm(a, "row", "v_add_u32_e32 v%u, %u, v%u", v + 8, m * 16, e + ROW);
        kg_asm(a, "", "v_mul_lo_u32 v%u, v%u, s%u", v + 8, v + 8, arg(k, "ldc"));
        for (unsigned n = 0; n < t->ni; n++) {
            kg_asm(a, "", "v_add_u32_e32 v%u, v%u, v%u", v + n, v + 8, e + TO + n);
            kg_asm(a, "", "buffer_store_dwordx4 %s, v%u, %s, 0 offen",
                   kg_v((m * t->ni + n) * 4, 4).text, v + n, kg_s(RC, 4).text);
        }
    }
    kg_asm(a, "", "s_endpgm");
}

const char *kg_tile_asm_legal(const struct kg_tile *t)
{
    if (!t->pair || !t->dma || t->mma->chunks != 2 || t->mma->integer)
        return "assembly is written for pairs of copied tiles of two-chunk fragments";
    if (t->s->out != KG_BF16 || t->s->gemm.waves_m > 2 || t->s->gemm.k_bytes != 128)
        return "assembly is written for bf16 results, at most two rows of waves and 128 bytes of k";
    return NULL;
}

unsigned kg_tile_asm(struct kg *g, const struct kg_tile *t)
{
    struct asm_kernel k = {.a.g = g, .t = t};
    unsigned fragments = t->ni * t->columns * 4;
    kg_spec_name(t->s, k.name);
    k.v.b = 4 * t->mi * t->ni;
    k.v.a = k.v.b + 2 * fragments;
    k.v.from_a = k.v.a + t->ring * t->mma->chunks * 4;
    k.v.from_b = k.v.from_a + t->passes;
    k.v.read = k.v.from_b + t->ni;
    k.v.row16 = k.v.read + t->columns;
    k.v.quad = k.v.row16 + 1;
    k.v.tid = k.v.quad + 1;
    k.v.tmp = (k.v.tid + 2) & ~1u;
    if (k.v.tmp + 16 > 256 || 2 * fragments <= ROW)
        kg_fail(g, "the tile takes more registers than there are");
    g->lds = 2 * t->buffer;
    kg_note(g, "Registers: accumulators v0, fragments of B v%u, of A v%u, offsets v%u to v%u.",
            k.v.b, k.v.a, k.v.from_a, k.v.tid);
    load_arguments(&k);
    whose(&k);
    descriptors(&k);
    offsets(&k);
    first_tile(&k);
    loop(&k);
    store(&k);
    return SGPRS;
}
