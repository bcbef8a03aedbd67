/* SPDX-License-Identifier: MIT */
/* Assembly kernels; see asm.h. Directives: LLVM, "User Guide for AMDGPU Backend", code object
 * version 5. */
#include "asm.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void kg_asm(struct kg_asm *a, const char *comment, const char *fmt, ...)
{
    char text[200];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (*comment)
        kg_line(a->g, "%-60s // %s", text, comment);
    else
        kg_line(a->g, "%s", text);
}

void kg_asm_label(struct kg_asm *a, const char *fmt, ...)
{
    char text[100];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    a->g->indent--;
    kg_line(a->g, "%s:", text);
    a->g->indent++;
}

static void push(struct kg_asm *a, struct kg_asm_queue *q, unsigned first, unsigned count,
                 bool copy)
{
    if (q->count == KG_ASM_PENDING) {
        kg_fail(a->g, "more than %d loads under way", KG_ASM_PENDING);
        return;
    }
    q->op[q->count].first = first;
    q->op[q->count].count = count;
    q->op[q->count++].copy = copy;
}

void kg_asm_loads(struct kg_asm *a, unsigned first, unsigned count)
{
    push(a, &a->loads, first, count, false);
}

void kg_asm_reads(struct kg_asm *a, unsigned first, unsigned count)
{
    push(a, &a->reads, first, count, false);
}

void kg_asm_copies(struct kg_asm *a)
{
    push(a, &a->loads, 0, 0, true);
}

/* Operations of q up to the last that fills one of the registers. */
static unsigned upto(const struct kg_asm_queue *q, unsigned first, unsigned count)
{
    unsigned n = 0;
    for (unsigned i = 0; i < q->count; i++)
        if (q->op[i].first < first + count && first < q->op[i].first + q->op[i].count)
            n = i + 1;
    return n;
}

static void drop(struct kg_asm_queue *q, unsigned n)
{
    memmove(q->op, q->op + n, sizeof q->op[0] * (q->count - n));
    q->count -= n;
}

static void wait(struct kg_asm *a, unsigned loads, unsigned reads)
{
    char text[48] = "";
    if (loads)
        snprintf(text, sizeof text, " vmcnt(%u)", a->loads.count - loads);
    if (reads) {
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, " lgkmcnt(%u)", a->reads.count - reads);
    }
    if (*text)
        kg_asm(a, "", "s_waitcnt%s", text);
    drop(&a->loads, loads);
    drop(&a->reads, reads);
}

void kg_asm_need(struct kg_asm *a, unsigned first, unsigned count)
{
    wait(a, upto(&a->loads, first, count), upto(&a->reads, first, count));
}

void kg_asm_need_copies(struct kg_asm *a)
{
    unsigned n = 0;
    for (unsigned i = 0; i < a->loads.count; i++)
        if (a->loads.op[i].copy)
            n = i + 1;
    wait(a, n, a->reads.count);
}

void kg_asm_need_all(struct kg_asm *a)
{
    wait(a, a->loads.count, a->reads.count);
}

static struct kg_reg range(char file, unsigned first, unsigned count)
{
    struct kg_reg r;
    if (count == 1)
        snprintf(r.text, sizeof r.text, "%c%u", file, first);
    else
        snprintf(r.text, sizeof r.text, "%c[%u:%u]", file, first, first + count - 1);
    return r;
}

struct kg_reg kg_v(unsigned first, unsigned count)
{
    return range('v', first, count);
}

struct kg_reg kg_s(unsigned first, unsigned count)
{
    return range('s', first, count);
}

void kg_asm_begin(struct kg *g, const char *name)
{
    kg_line(g, ".text");
    kg_line(g, ".protected %s", name);
    kg_line(g, ".globl %s", name);
    kg_line(g, ".p2align 8");
    kg_line(g, ".type %s, STT_FUNC", name);
    kg_line(g, "%s:", name);
    g->indent++;
}

/* What a runtime reads of the kernel. */
static void metadata(struct kg_buf *out, const struct kg_spec *s, const char *name, unsigned lds,
                     unsigned sgprs)
{
    kg_buf_printf(
        out,
        ".amdgpu_metadata\n---\namdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--%s\n",
        s->arch->name);
    kg_buf_printf(out, "amdhsa.kernels:\n");
    kg_buf_printf(out, "  - .name: %s\n    .symbol: %s.kd\n", name, name);
    kg_buf_printf(out, "    .kernarg_segment_size: %u\n    .kernarg_segment_align: 8\n",
                  kg_args_size(s));
    kg_buf_printf(out, "    .group_segment_fixed_size: %u\n    .private_segment_fixed_size: 0\n",
                  lds);
    kg_buf_printf(
        out,
        "    .wavefront_size: %u\n    .sgpr_count: %u\n    .vgpr_count: 256\n    .agpr_count: 0\n",
        s->arch->wave, sgprs);
    kg_buf_printf(
        out,
        "    .sgpr_spill_count: 0\n    .vgpr_spill_count: 0\n    .max_flat_workgroup_size: %u\n",
        kg_spec_block(s));
    kg_buf_printf(out, "    .uniform_work_group_size: 1\n    .args:\n");
    for (unsigned i = 0; i < kg_spec_args(s); i++) {
        const struct kg_arg *a = &s->op->args[i];
        bool pointer = a->kind == KG_ARG_IN || a->kind == KG_ARG_OUT;
        kg_buf_printf(out, "      - {.name: %s, .offset: %u, .size: %u, .value_kind: %s%s}\n",
                      a->name, kg_arg_offset(s->op, i), kg_arg_size(a),
                      pointer ? "global_buffer" : "by_value",
                      pointer ? ", .address_space: global" : "");
    }
    kg_buf_printf(out, "...\n.end_amdgpu_metadata\n");
}

void kg_asm_end(struct kg *g, const struct kg_spec *s, const char *name, unsigned lds,
                unsigned sgprs)
{
    g->indent--;
    kg_line(g, ".size %s, .-%s", name, name);
    kg_blank(g);
    kg_line(g, ".section .rodata");
    kg_line(g, ".p2align 6");
    kg_line(g, ".amdhsa_kernel %s", name);
    g->indent++;
    kg_line(g, ".amdhsa_group_segment_fixed_size %u", lds);
    kg_line(g, ".amdhsa_kernarg_size %u", kg_args_size(s));
    kg_line(g, ".amdhsa_user_sgpr_kernarg_segment_ptr 1");
    kg_line(g, ".amdhsa_system_sgpr_workgroup_id_y 1");
    kg_line(g, ".amdhsa_system_sgpr_workgroup_id_z 1");
    kg_line(g, ".amdhsa_float_denorm_mode_32 3");
    kg_line(g, ".amdhsa_next_free_vgpr 256");
    kg_line(g, ".amdhsa_accum_offset 256");
    kg_line(g, ".amdhsa_next_free_sgpr %u", sgprs);
    g->indent--;
    kg_line(g, ".end_amdhsa_kernel");
    kg_blank(g);
    metadata(&g->out, s, name, lds, sgprs);
}
