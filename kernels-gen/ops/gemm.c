/* SPDX-License-Identifier: MIT */
/*
 * GEMM with shuffled weights on MFMA targets: C = epilogue(A B^T), see fly/gemm.h for the contract
 * and lib/ops/gemm.c for the host side.
 *
 *   which block of C: workgroups of one XCD get neighbouring blocks, so that its L2 serves A and B
 *   which part of k: split-k workgroups take a share of the k tiles and write sums to the workspace
 *   descriptors of A and B at the block, no longer than the matrix: rows beyond m read as zeros
 *   the loop (tile.c)
 *   scales, bias and activation by flags, 4 columns a lane; columns beyond n and rows beyond m are
 * not stored
 *
 * reduce kernels add up the sums of split-k, in order, and finish as the loop kernels do.
 *
 * Two slices: twice the waves, the second half of which does the second half of the k tiles and leaves
 * its sums to the first in LDS.
 *
 * LDS: two A tiles a slice, m rows by k_bytes each. Registers: kg_tile_registers, at most 256.
 */
#include "../asm.h"
#include "../tile.h"

#include <stdio.h>
#include <string.h>

/* In reduce kernels a is the workspace: lda and stride_a apart, split after split stride_split. */
static const struct kg_arg args[] = {
    {"c", KG_ARG_OUT, KG_OF_OUT, false},
    {"a", KG_ARG_IN, KG_OF_IN, false},
    {"b", KG_ARG_IN, KG_OF_IN, false},
    {"scale_a", KG_ARG_IN, KG_OF_F32, false},
    {"scale_b", KG_ARG_IN, KG_OF_F32, false},
    {"bias", KG_ARG_IN, KG_OF_OUT, false},
    {"lda", KG_ARG_I64, KG_OF_F32, false}, /* bytes, as all strides here */
    {"ldc", KG_ARG_I64, KG_OF_F32, false},
    {"stride_a", KG_ARG_I64, KG_OF_F32, false}, /* between batches */
    {"stride_b", KG_ARG_I64, KG_OF_F32, false},
    {"stride_c", KG_ARG_I64, KG_OF_F32, false},
    {"stride_scale_a", KG_ARG_I64, KG_OF_F32, false},
    {"stride_scale_b", KG_ARG_I64, KG_OF_F32, false},
    {"stride_bias", KG_ARG_I64, KG_OF_F32, false},
    {"stride_split", KG_ARG_I64, KG_OF_F32, false}, /* between the sums of two splits */
    {"m", KG_ARG_I32, KG_OF_F32, false},
    {"n", KG_ARG_I32, KG_OF_F32, false},
    {"k_bytes", KG_ARG_I32, KG_OF_F32, false},
    {"tiles_m", KG_ARG_I32, KG_OF_F32, false}, /* blocks of C */
    {"tiles_n", KG_ARG_I32, KG_OF_F32, false},
    {"band", KG_ARG_I32, KG_OF_F32, false},    /* rows of blocks that are done together */
    {"xcds", KG_ARG_I32, KG_OF_F32, false},    /* dies that workgroups are dealt out to in turn */
    {"tiles_k", KG_ARG_I32, KG_OF_F32, false}, /* k tiles, the last one perhaps shorter */
    {"split_tiles", KG_ARG_I32, KG_OF_F32, false}, /* k tiles of a split */
    {"splits", KG_ARG_I32, KG_OF_F32, false},
    {"flags", KG_ARG_I32, KG_OF_F32, false}, /* GEMM_* of matrix.c */
    {"p", KG_ARG_F32, KG_OF_F32, false},     /* of the activation */
    {"q", KG_ARG_F32, KG_OF_F32, false},
};

/* Which loop a row is for: CDNA2 and CDNA3 stage A in registers, CDNA4 copies it; its fp8
 * instruction takes twice the k of the others. */
enum { STAGED = 1, COPIED = 2, COPIED_F8 = 4, ANY = STAGED | COPIED | COPIED_F8 };

/* Last row: the one that wastes least on small problems takes any. Tied where the compiler would
 * use more registers for copies of accumulators than there are. */
/* clang-format off */
static const struct {
    unsigned loops;
    struct kg_gemm tile;
} tiles[] = {
    /* loops                   m    n  k_bytes waves depth ahead tied */
    {STAGED | COPIED,    {256, 256, 128, 2, 4, 2, 3, true}},
    {COPIED_F8,          {256, 256, 128, 2, 4, 2, 1, .assembly = true}},
    {COPIED_F8,          {256, 256, 128, 2, 4, 2, 1, true}},
    {STAGED,             {128, 256, 128, 1, 4, 1, 3, false}},
    {COPIED,             {128, 256, 128, 1, 4, 2, 3, false}},
    {COPIED,             {128, 256, 128, 1, 4, 2, 3, true, .slices = 2}},
    {COPIED_F8,          {128, 256, 256, 1, 4, 1, 1, false}},
    {COPIED_F8,          {128, 256, 256, 1, 4, 1, 1, true, .slices = 2}},
    {STAGED,             {128, 128, 128, 1, 4, 1, 3, true, .slices = 2}},
    {STAGED,             {128, 128, 128, 1, 4, 1, 3, false}},
    {COPIED | COPIED_F8, {128, 128, 128, 1, 4, 2, 3, true, .slices = 2}},
    {COPIED | COPIED_F8, {128, 128, 128, 1, 4, 2, 3, false}},
    {STAGED,             { 64, 256, 128, 1, 4, 1, 3, false}},
    {COPIED | COPIED_F8, { 64, 256, 128, 1, 4, 2, 3, false}},
    {STAGED,             { 64, 128, 128, 1, 4, 1, 3, true, .slices = 2}},
    {STAGED,             { 64, 128, 128, 1, 4, 1, 3, false}},
    {COPIED | COPIED_F8, { 64, 128, 128, 1, 4, 2, 3, true, .slices = 2}},
    {COPIED | COPIED_F8, { 64, 128, 128, 1, 4, 2, 3, false}},
    {ANY,                { 32, 128, 256, 1, 4, 1, 3, false}},
    {ANY,                { 32,  64, 512, 1, 4, 1, 3, true, .slices = 2}},
    {ANY,                { 32,  64, 512, 1, 4, 1, 3, false}},
    {ANY,                { 16, 128, 256, 1, 4, 1, 3, false}},
    {ANY,                { 16,  64, 512, 1, 4, 1, 3, true, .slices = 2}},
    {ANY,                { 16,  64, 512, 1, 4, 1, 3, false}},
};
/* clang-format on */

static const enum kg_type ins[] = {KG_BF16, KG_F16, KG_I8, KG_E4M3, KG_E4M3FNUZ};
static const enum kg_type outs[] = {KG_BF16, KG_F16, KG_F32};

enum {
    INS = sizeof ins / sizeof *ins,
    OUTS = sizeof outs / sizeof *outs,
    TILES = sizeof tiles / sizeof *tiles
};

static unsigned loop_of(const struct kg_arch *a, const struct kg_mma *m)
{
    if (!(a->caps & FLY_CAP_LDS_DMA16))
        return STAGED;
    return m->chunks == 2 ? COPIED_F8 : COPIED;
}

/* Slices of large blocks fill CUs that would have one workgroup: CDNA2 has few, and parts do. */
static bool unneeded(const struct kg_arch *a, const struct kg_gemm *t)
{
    return a->family == KG_CDNA2 && t->slices > 1 && t->m > 32;
}

static void variants(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    if (!(arch->caps & FLY_CAP_MFMA))
        return;
    struct kg_spec s = {.op = op, .arch = arch};
    for (unsigned i = 0; i < INS; i++) {
        const struct kg_mma *m = kg_mma_find(arch, ins[i]);
        for (unsigned o = 0; m && o < OUTS; o++) {
            s.in = s.weight = ins[i];
            s.out = outs[o];
            for (unsigned t = 0; t < TILES; t++)
                if (tiles[t].loops & loop_of(arch, m) && !unneeded(arch, &tiles[t].tile) &&
                    !(tiles[t].tile.assembly && s.out != KG_BF16)) {
                    s.gemm = tiles[t].tile;
                    visit(&s, with);
                }
        }
    }
    for (unsigned o = 0; o < 2 * OUTS; o++) {
        s.in = s.weight = o < OUTS ? KG_F32 : KG_I32;
        s.out = outs[o % OUTS];
        s.gemm = (struct kg_gemm){.reduce = true};
        visit(&s, with);
    }
}

enum { MAX_REGISTERS = 256, MAX_UNTIED = 238, REDUCE_THREADS = 256 };

static const char *legal(const struct kg_spec *s)
{
    struct kg_tile t;
    if (s->gemm.reduce)
        return NULL;
    const char *why = kg_tile_derive(&t, s);
    if (why)
        return why;
    if (s->gemm.assembly)
        return kg_tile_asm_legal(&t);
    if (4 * t.mi * t.ni > 128)
        return "a wave with more than 128 accumulators needs registers of both files";
    if (kg_tile_registers(&t) > (s->gemm.tied ? MAX_REGISTERS : MAX_UNTIED))
        return "the loop needs more registers than there are";
    return NULL;
}

static bool assembly(const struct kg_spec *s)
{
    return s->gemm.assembly;
}

static unsigned slices(const struct kg_gemm *t)
{
    return t->slices ? t->slices : 1;
}

static unsigned block(const struct kg_spec *s)
{
    const struct kg_gemm *t = &s->gemm;
    return t->reduce ? REDUCE_THREADS : 64 * t->waves_m * t->waves_n * slices(t);
}

/* 128x256x64_w2x4_d2_s2_pre: block and k tile in elements, waves, tiles of B in registers, slices.
 */
static void tile_name(const struct kg_spec *s, char *out, size_t room)
{
    const struct kg_gemm *t = &s->gemm;
    char waves[16] = "", depth[16] = "", sliced[16] = "";
    if (t->reduce) {
        snprintf(out, room, "reduce");
        return;
    }
    if (t->waves_m != 1 || t->waves_n != 4)
        snprintf(waves, sizeof waves, "_w%ux%u", t->waves_m, t->waves_n);
    if (t->depth != 1)
        snprintf(depth, sizeof depth, "_d%u", t->depth);
    if (slices(t) != 1)
        snprintf(sliced, sizeof sliced, "_s%u", slices(t));
    snprintf(out, room, "%ux%ux%u%s%s%s_pre%s", t->m, t->n,
             t->k_bytes * 8 / kg_dtypes[s->in].bits, waves, depth, sliced,
             t->assembly ? "_asm" : "");
}

static void row(struct kg_buf *out, const struct kg_spec *s)
{
    const struct kg_gemm *t = &s->gemm;
    kg_buf_printf(out,
                  ".gemm = {.m = %u, .n = %u, .k = %u, .waves_m = %u, .waves_n = %u, .depth = %u, "
                  ".split_k = %u, "
                  ".mfma = %u, .slices = %u}",
                  t->m, t->n, t->k_bytes * 8 / kg_dtypes[s->in].bits, t->waves_m, t->waves_n,
                  t->depth, t->reduce ? 1 : 255, t->reduce ? 0 : 16, t->reduce ? 0 : slices(t));
}

static void explain(struct kg_buf *out, const struct kg_spec *s)
{
    const struct kg_gemm *t = &s->gemm;
    if (t->reduce)
        kg_buf_printf(out, "adds up the sums of split-k and finishes them, 4 columns a work-item");
    else
        kg_buf_printf(out,
                      "%u x %u of C a workgroup of %u x %u waves%s, %u bytes of k a tile, B %s",
                      t->m, t->n, t->waves_m, t->waves_n,
                      slices(t) > 1 ? ", twice: each half of k" : "", t->k_bytes,
                      t->depth == 1 ? "in place" : "a tile ahead");
}

/* ---- the kernel ---- */

static const char *c_type(const struct kg_spec *s, enum kg_of of)
{
    if (of == KG_OF_F32)
        return "float";
    enum kg_type t = of == KG_OF_OUT ? s->out : s->in;
    return t == KG_F32 ? "float" : t == KG_F16 || t == KG_BF16 ? kg_dtypes[t].token : "char";
}

static void signature(struct kg *g, const struct kg_spec *s)
{
    char name[KG_NAME_MAX + 1];
    kg_spec_name(s, name);
    kg_line(g, "extern \"C\" __global__ __attribute__((amdgpu_flat_work_group_size(%u, %u)))",
            block(s), block(s));
    kg_line(g, "void %s(", name);
    g->indent++;
    for (unsigned i = 0; i < sizeof args / sizeof *args; i++) {
        const struct kg_arg *a = &args[i];
        const char *end = i + 1 < sizeof args / sizeof *args ? "," : ")";
        if (a->kind == KG_ARG_IN || a->kind == KG_ARG_OUT)
            kg_line(g, "%s%s *%s%s", a->kind == KG_ARG_IN ? "const " : "", c_type(s, a->of),
                    a->name, end);
        else
            kg_line(g, "%s %s%s",
                    a->kind == KG_ARG_I64   ? "long"
                    : a->kind == KG_ARG_I32 ? "unsigned"
                                            : "float",
                    a->name, end);
    }
    g->indent--;
    kg_line(g, "{");
    g->indent++;
}

/* Which block of C and which tiles of k are this workgroup's. */
static void whose(struct kg *g, const struct kg_spec *s)
{
    const struct kg_gemm *t = &s->gemm;
    g->stage = "whose";
    const unsigned threads = 64 * t->waves_m * t->waves_n;
    if (slices(t) > 1) {
        kg_line(g, "const unsigned item = __builtin_amdgcn_workitem_id_x(), tid = item %% %u;",
                threads);
        kg_line(g, "const unsigned slice = __builtin_amdgcn_readfirstlane(item / %u);", threads);
    } else {
        kg_line(g, "const unsigned tid = __builtin_amdgcn_workitem_id_x();");
    }
    kg_line(g, "const unsigned lane = tid & 63, wave = __builtin_amdgcn_readfirstlane(tid >> 6);");
    kg_line(g, "const unsigned row16 = lane & 15, quad = lane >> 4;");
    if (t->waves_m > 1)
        kg_line(g, "const unsigned wave_m = wave %% %u, wave_n = wave / %u;", t->waves_m,
                t->waves_m);
    else
        kg_line(g, "const unsigned wave_m = 0, wave_n = wave;");
    kg_blank(g);
    kg_note(g, "Workgroups are dealt out to the dies in turn: each die gets a run of blocks, which "
               "go down bands of "
               "`band` rows of blocks.");
    kg_line(g, "const unsigned id = __builtin_amdgcn_workgroup_id_x();");
    kg_line(g, "const unsigned split = __builtin_amdgcn_workgroup_id_y(), batch = "
               "__builtin_amdgcn_workgroup_id_z();");
    kg_line(g, "unsigned tile_m = 0, tile_n = id;");
    kg_open(g, "if (tiles_m > 1)");
    kg_line(
        g,
        "const unsigned each = tiles_m * tiles_n / xcds, over = tiles_m * tiles_n - each * xcds;");
    kg_line(g, "const unsigned turn = id / xcds, xcd = id - turn * xcds;");
    kg_line(g, "const unsigned place = xcd * each + lesser(xcd, over) + turn;");
    kg_line(g, "const unsigned before = place / (band * tiles_n), inside = place - before * (band "
               "* tiles_n);");
    kg_line(g, "const unsigned high = lesser(tiles_m - before * band, band);");
    kg_line(g, "tile_n = inside / high;");
    kg_line(g, "tile_m = before * band + (inside - tile_n * high);");
    kg_close(g);
    kg_line(g, "const unsigned m0 = tile_m * %u, n0 = tile_n * %u;", t->m, t->n);
    kg_line(g, "const unsigned rows = lesser(m - m0, %u), cols = lesser(n - n0, %u);", t->m, t->n);
    kg_blank(g);
    kg_note(g, "The last tile of k, which may be short, comes first; the others follow in order.");
    if (slices(t) > 1) {
        kg_note(g,
                "Slices do as many tiles: of an odd number, the second begins with one of zeros.");
        kg_line(g, "const unsigned tiles = lesser(tiles_k - split * split_tiles, split_tiles);");
        kg_line(g, "unsigned left = (tiles + 1) / 2;");
        kg_line(g, "const unsigned none = slice & tiles;");
        kg_line(g, "const unsigned t0 = split * split_tiles + slice * left - none;");
    } else {
        kg_line(g, "const unsigned t0 = split * split_tiles;");
        kg_line(g, "unsigned left = lesser(tiles_k - t0, split_tiles);");
    }
    kg_line(g, "const unsigned k0 = (t0 ? t0 - 1 : tiles_k - 1) * %u;", t->k_bytes);
    kg_line(g, "const unsigned valid = %sk_bytes - k0;", slices(t) > 1 ? "none ? 0 : " : "");
    kg_blank(g);
    kg_line(g, "const unsigned ldb = (k_bytes + 63) / 64 * 64;");
    kg_line(g, "const char *pa = (const char *)a + batch * stride_a + (long)m0 * lda;");
    kg_line(g, "const char *pb = (const char *)b + batch * stride_b + (long)n0 * ldb;");
    kg_line(g, "const unsigned a_bytes = (rows - 1) * (unsigned)lda + k_bytes;");
    kg_line(g, "const unsigned b_bytes = (cols + 15) / 16 * 16 * ldb;");
    kg_line(g, "const rsrc ra = descriptor(pa, a_bytes);");
    kg_line(g, "const rsrc rb = descriptor(pb, b_bytes);");
}

/* Descriptors of scales and bias, for blocks that start at row m0 and column n0. */
static void parameters(struct kg *g, const struct kg_spec *s)
{
    unsigned bytes = kg_dtypes[s->out].bits / 8;
    kg_line(g, "const unsigned has_a = flags & GEMM_SCALE_A, has_b = flags & GEMM_SCALE_B;");
    kg_line(g, "const unsigned step_a = flags & GEMM_SCALE_ROWS ? 4 : 0, step_b = flags & "
               "GEMM_SCALE_COLS ? 4 : 0;");
    kg_line(g, "const rsrc scales_a = descriptor((const char *)scale_a + batch * stride_scale_a + "
               "(long)m0 * step_a,");
    kg_line(g, "                                 has_a ? (rows - 1) * step_a + 4 : 0);");
    kg_line(g, "const rsrc scales_b = descriptor((const char *)scale_b + batch * stride_scale_b + "
               "(long)n0 * step_b,");
    kg_line(g, "                                 has_b ? (cols - 1) * step_b + 4 : 0);");
    kg_line(g,
            "const rsrc biases = descriptor((const char *)bias + batch * stride_bias + (long)n0 * "
            "%u, bias ? cols * %u : 0);",
            bytes, bytes);
}

/* Sub-blocks n and n + 1 of row m of them. */
static void store_two(struct kg *g, const struct kg_tile *t, unsigned m, unsigned n)
{
    const char *out = kg_dtypes[t->s->out].token;
    kg_open(g, "if (flags & GEMM_PARTIAL)");
    for (unsigned i = n; i < n + 2; i++)
        kg_line(g, "store_partial(rc, at + to%u, __builtin_bit_cast(i32x4, c%u_%u));", i, m, i);
    kg_else(g);
    for (unsigned i = n; i < n + 2; i++)
        kg_line(g, "const f32x4 x%u = finish(%sc%u_%u%s, scale, scale%u, bias%u, flags, p, q);", i,
                t->mma->integer ? "__builtin_convertvector(" : "", m, i,
                t->mma->integer ? ", f32x4)" : "", i, i);
    kg_open(g, "if (flags & GEMM_WIDER)");
    kg_line(g, "store_eight_%s(rc, at + to_wider%u, x%u, x%u);", out, n, n, n + 1);
    kg_else(g);
    for (unsigned i = n; i < n + 2; i++)
        kg_line(g, "store_four_%s(rc, at, to%u, col%u, cols, flags, x%u);", out, i, i, i);
    kg_close(g);
    kg_close(g);
}

static void store(struct kg *g, const struct kg_tile *t)
{
    const struct kg_spec *s = t->s;
    const char *out = kg_dtypes[s->out].token;
    bool eight = s->arch->family == KG_CDNA4 && kg_dtypes[s->out].bits == 16 && t->ni % 2 == 0;
    g->stage = "store";
    kg_note(g, "C: rows and columns beyond the matrix lie FAR away or beyond the descriptor.");
    kg_line(g, "const unsigned c_size = flags & GEMM_PARTIAL ? 4 : %u;",
            kg_dtypes[s->out].bits / 8);
    kg_line(g, "const unsigned c_cols = flags & GEMM_PARTIAL ? (cols + 3) / 4 * 4 : cols;");
    kg_line(g, "const char *pc = (const char *)c + batch * stride_c + split * stride_split + "
               "(long)m0 * ldc + (long)n0 * c_size;");
    kg_line(g, "const rsrc rc = descriptor(pc, (rows - 1) * (unsigned)ldc + c_cols * c_size);");
    kg_line(g, "const unsigned row = wave_m * %u + row16, col = wave_n * %u + quad * 4;",
            t->mi * 16, t->ni * 16);
    parameters(g, s);
    for (unsigned n = 0; n < t->ni; n++) {
        kg_line(g, "const unsigned col%u = col + %u, to%u = col%u < cols ? col%u * c_size : FAR;",
                n, n * 16, n, n, n);
        kg_line(g, "const f32x4 scale%u = load_scales(scales_b, times(col%u, step_b), step_b, has_b);", n,
                n);
        kg_line(g, "const f32x4 bias%u = load_bias_%s(biases, col%u * %u);", n, out, n,
                kg_dtypes[s->out].bits / 8);
    }
    for (unsigned n = 0; eight && n < t->ni; n += 2) {
        kg_line(g,
                "const unsigned wider%u = wave_n * %u + (%u + (quad & 1)) * 16 + (quad >> 1) * 8;",
                n, t->ni * 16, n);
        kg_line(g, "const unsigned to_wider%u = wider%u < cols ? wider%u * 2 : FAR;", n, n, n);
    }
    for (unsigned m = 0; m < t->mi; m++) {
        kg_line(g, "{");
        g->indent++;
        kg_line(g, "const unsigned at = times(row + %u, ldc);", m * 16);
        kg_line(g, "const float scale = load_scale(scales_a, times(row + %u, step_a), has_a);", m * 16);
        for (unsigned n = 0; n < t->ni; n += eight ? 2 : 1) {
            if (eight) {
                store_two(g, t, m, n);
                continue;
            }
            kg_line(g, "if (flags & GEMM_PARTIAL)");
            kg_line(g, "    store_partial(rc, at + to%u, __builtin_bit_cast(i32x4, c%u_%u));", n, m,
                    n);
            kg_line(g, "else");
            kg_line(g, "    store_four_%s(rc, at, to%u, col%u, cols, flags,", out, n, n);
            kg_line(g, "        finish(%sc%u_%u%s, scale, scale%u, bias%u, flags, p, q));",
                    t->mma->integer ? "__builtin_convertvector(" : "", m, n,
                    t->mma->integer ? ", f32x4)" : "", n, n);
        }
        kg_close(g);
    }
}

static void emit_reduce(struct kg *g, const struct kg_spec *s)
{
    bool integer = s->in == KG_I32;
    const char *vec = integer ? "i32x4" : "f32x4", *out = kg_dtypes[s->out].token;
    unsigned bytes = kg_dtypes[s->out].bits / 8;
    signature(g, s);
    kg_note(g, "tiles_n workgroups a row, each 4 columns a work-item.");
    kg_line(g, "const unsigned id = __builtin_amdgcn_workgroup_id_x(), batch = "
               "__builtin_amdgcn_workgroup_id_z();");
    kg_line(g, "const unsigned m0 = id / tiles_n, n0 = (id - m0 * tiles_n) * %u;",
            4 * REDUCE_THREADS);
    kg_line(g, "const unsigned rows = 1, cols = lesser(n - n0, %u);", 4 * REDUCE_THREADS);
    kg_line(g, "const unsigned col = __builtin_amdgcn_workitem_id_x() * 4;");
    kg_line(g, "if (col >= cols)");
    kg_line(g, "    return;");
    kg_blank(g);
    kg_line(
        g,
        "const char *from = (const char *)a + batch * stride_a + m0 * lda + ((long)n0 + col) * 4;");
    kg_line(g, "%s sum = {0, 0, 0, 0};", vec);
    kg_line(g, "#pragma clang loop unroll_count(4)");
    kg_open(g, "for (unsigned i = 0; i < splits; i++)");
    kg_line(g, "sum += *(const %s *)(from + i * stride_split);", vec);
    kg_close(g);
    kg_blank(g);
    parameters(g, s);
    kg_line(g, "const float scale = load_scale(scales_a, 0, has_a);");
    kg_line(g, "const f32x4 scale0 = load_row_scales(scales_b, times(col, step_b), step_b, has_b, "
               "flags);");
    kg_line(g, "const f32x4 bias0 = load_bias_%s(biases, col * %u);", out, bytes);
    kg_line(g, "const char *pc = (const char *)c + batch * stride_c + m0 * ldc + (long)n0 * %u;",
            bytes);
    kg_line(g, "const rsrc rc = descriptor(pc, cols * %u);", bytes);
    kg_line(g,
            "store_four_%s(rc, 0, col * %u, col, cols, flags, finish(%ssum%s, scale, scale0, "
            "bias0, flags, p, q));",
            out, bytes, integer ? "__builtin_convertvector(" : "", integer ? ", f32x4)" : "");
    kg_close(g);
}

static void emit(struct kg *g, const struct kg_spec *s)
{
    struct kg_tile t;
    if (s->gemm.reduce) {
        emit_reduce(g, s);
        return;
    }
    kg_tile_derive(&t, s);
    if (s->gemm.assembly) {
        char name[KG_NAME_MAX + 1];
        kg_spec_name(s, name);
        kg_asm_begin(g, name);
        unsigned sgprs = kg_tile_asm(g, &t);
        kg_asm_end(g, s, name, g->lds, sgprs);
        return;
    }
    signature(g, s);
    whose(g, s);
    kg_tile_begin(g, &t);
    kg_tile_loop(g, &t);
    store(g, &t);
    kg_close(g);
}

const struct kg_op kg_op_gemm = {
    .name = "gemm",
    .family = "gemm",
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .variants = variants,
    .legal = legal,
    .emit = emit,
    .explain = explain,
    .block = block,
    .tile = tile_name,
    .row = row,
    .assembly = assembly,
};
