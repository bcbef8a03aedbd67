/* SPDX-License-Identifier: MIT */
/*
 * Weights into FLY_LAYOUT_B16 (fly/preshuffle.h): blocks of 16 rows by 64 bytes, in 16-byte chunks.
 *
 *   a workgroup writes 4 blocks beside each other, 4 KiB, a chunk a work-item, lane after lane
 *   a chunk is 16 bytes of a row of B: one load where rows are aligned, elements one by one where
 * not, and elements from as many rows of a [k, n] source beyond n and k: zeros, from loads beyond
 * the descriptor
 *
 * Bits are moved, never values: one kernel for 8-bit types, one for 16-bit types.
 */
#include "../matrix.h"

#include <stdio.h>

static const struct kg_arg args[] = {
    {"dst", KG_ARG_OUT, KG_OF_OUT, false},        {"src", KG_ARG_IN, KG_OF_IN, false},
    {"ld", KG_ARG_I64, KG_OF_F32, false}, /* bytes, as all strides here */
    {"stride_src", KG_ARG_I64, KG_OF_F32, false}, {"stride_dst", KG_ARG_I64, KG_OF_F32, false},
    {"n", KG_ARG_I32, KG_OF_F32, false},          {"k_bytes", KG_ARG_I32, KG_OF_F32, false},
    {"groups", KG_ARG_I32, KG_OF_F32, false}, /* workgroups that cover a row of blocks */
    {"from", KG_ARG_I32, KG_OF_F32, false}, /* 0: [n, k] in chunks, 1: [n, k] in elements, 2: [k, n]
                                             */
};

enum { THREADS = 256, BLOCKS = 4 }; /* blocks of 1 KiB a workgroup writes */

static void variants(const struct kg_op *op, const struct kg_arch *arch,
                     void (*visit)(const struct kg_spec *s, void *with), void *with)
{
    static const enum kg_type types[] = {KG_I8, KG_BF16};
    if (!(arch->caps & FLY_CAP_MFMA))
        return;
    for (unsigned i = 0; i < 2; i++) {
        struct kg_spec s = {
            .op = op, .arch = arch, .in = types[i], .weight = types[i], .out = types[i]};
        visit(&s, with);
    }
}

static const char *legal(const struct kg_spec *s)
{
    (void)s;
    return NULL;
}

static unsigned block(const struct kg_spec *s)
{
    (void)s;
    return THREADS;
}

static void tile_name(const struct kg_spec *s, char *out, size_t room)
{
    (void)s;
    snprintf(out, room, "b16");
}

static void row(struct kg_buf *out, const struct kg_spec *s)
{
    kg_buf_printf(out, ".gemm = {.m = 0, .n = 16, .k = %u}",
                  BLOCKS * 64 * 8 / kg_dtypes[s->in].bits);
}

static void explain(struct kg_buf *out, const struct kg_spec *s)
{
    kg_buf_printf(out, "16 rows by %u elements of %u bits a workgroup",
                  BLOCKS * 64 * 8 / kg_dtypes[s->in].bits, kg_dtypes[s->in].bits);
}

/* 16 bytes, element by element: `at` is an offset in terms of i. */
static void elements(struct kg *g, const struct kg_spec *s, const char *at)
{
    unsigned bits = kg_dtypes[s->in].bits;
    kg_line(g, "#pragma unroll");
    kg_line(g, "for (unsigned i = 0; i < %u; i++)", 128 / bits);
    kg_line(
        g, "    part[i] = __builtin_amdgcn_raw_buffer_load_b%u(from_src, inside ? %s : FAR, 0, 0);",
        bits, at);
    kg_line(g, "chunk = __builtin_bit_cast(i32x4, part);");
}

static void emit(struct kg *g, const struct kg_spec *s)
{
    char name[KG_NAME_MAX + 1];
    unsigned bytes = kg_dtypes[s->in].bits / 8, each = 16 / bytes;
    const char *type = bytes == 1 ? "char" : "short";
    kg_spec_name(s, name);
    kg_line(g, "extern \"C\" __global__ __attribute__((amdgpu_flat_work_group_size(%u, %u)))",
            THREADS, THREADS);
    kg_line(g,
            "void %s(char *dst, const char *src, long ld, long stride_src, long stride_dst, "
            "unsigned n,",
            name);
    kg_line(g, "    unsigned k_bytes, unsigned groups, unsigned from)");
    kg_line(g, "{");
    g->indent++;
    kg_line(g, "typedef unsigned %s part_t __attribute__((ext_vector_type(%u)));", type, each);
    kg_line(g, "const unsigned tid = __builtin_amdgcn_workitem_id_x(), id = "
               "__builtin_amdgcn_workgroup_id_x();");
    kg_line(g, "const unsigned batch = __builtin_amdgcn_workgroup_id_z();");
    kg_line(g, "const unsigned strip = id / groups, first = (id - strip * groups) * %u;",
            BLOCKS * 64);
    kg_note(g, "A chunk: row `row` of the strip of 16, bytes `at` to at + 15 of it.");
    kg_line(g, "const unsigned row = tid & 15, place = (tid >> 6) * 64 + (tid >> 4 & 3) * 16, at = "
               "first + place;");
    kg_line(
        g,
        "const unsigned rows = lesser(n - strip * 16, 16), row_bytes = (k_bytes + 63) / 64 * 64;");
    kg_line(g, "const bool inside = row < rows && at < k_bytes;");
    kg_line(g, "const char *base = src + batch * stride_src;");
    kg_line(g, "i32x4 chunk;");
    kg_line(g, "part_t part;");
    kg_open(g, "if (from < 2)");
    kg_line(g, "const rsrc from_src = descriptor(base + strip * 16 * ld, (rows - 1) * (unsigned)ld "
               "+ k_bytes);");
    kg_line(g, "const unsigned offset = times(row, ld) + at;");
    kg_open(g, "if (from == 0)");
    kg_line(g, "chunk = load_chunk(from_src, inside ? offset : FAR, 0);");
    kg_else(g);
    {
        char at[64];
        snprintf(at, sizeof at, "offset + i * %u", bytes);
        elements(g, s, at);
    }
    kg_close(g);
    kg_else(g);
    kg_note(g, "Rows of the source are k: this workgroup's %u.", BLOCKS * 64 / bytes);
    kg_line(g, "const unsigned k_rows = lesser(k_bytes - first, %u) / %u;", BLOCKS * 64, bytes);
    kg_line(g,
            "const rsrc from_src = descriptor(base + (long)(first / %u) * ld, (k_rows - 1) * "
            "(unsigned)ld + n * %u);",
            bytes, bytes);
    kg_line(g, "const unsigned offset = times(place / %u, ld) + (strip * 16 + row) * %u;",
            bytes, bytes);
    elements(g, s, "offset + i * (unsigned)ld");
    kg_close(g);
    kg_open(g, "if (at < row_bytes)");
    kg_line(g, "char *to = dst + batch * stride_dst + ((long)strip * row_bytes + first) * 16;");
    kg_line(g, "*(i32x4 *)(to + tid * 16) = chunk;");
    kg_close(g);
    kg_close(g);
}

const struct kg_op kg_op_preshuffle = {
    .name = "preshuffle",
    .family = "preshuffle",
    .args = args,
    .arg_count = sizeof args / sizeof *args,
    .variants = variants,
    .legal = legal,
    .emit = emit,
    .explain = explain,
    .block = block,
    .tile = tile_name,
    .row = row,
};
