/* SPDX-License-Identifier: MIT */
/*
 * From decoded instructions to what runs: handlers bound, constants made into rows, branch targets into
 * pointers, registers into sets. Everything that is the same at each execution is done here.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "dpp.h"
#include "float.h"
#include "flow.h"
#include "handlers.h"
#include "hazard.h"
#include "launch.h"
#include "matrix.h"
#include "mem.h"

/* ---- constant rows: one block a value, shared ---- */

struct pool {
    struct row { u64 val; u32 *rows; u8 words; } *row; /* a hash table of cap places, n taken */
    size_t n, cap;
    struct block { struct block *next; u32 data[]; } *blocks;
};

/* Memory that lives as long as the program. */
static void *keep(struct pool *p, size_t n)
{
    size_t bytes = (sizeof(struct block) + 64 + n + 63) & ~(size_t)63;
    struct block *b = aligned_alloc(64, bytes);
    if (!b)
        abort();
    b->next = p->blocks;
    p->blocks = b;
    return (void *)(((uintptr_t)b->data + 63) & ~(uintptr_t)63);
}

static struct row *place(struct row *row, size_t cap, u64 val, unsigned words)
{
    size_t h = (size_t)((val + words) * 0x9e3779b97f4a7c15ull >> 20) & (cap - 1);
    while (row[h].rows && (row[h].val != val || row[h].words != words))
        h = (h + 1) & (cap - 1);
    return &row[h];
}

/* `words` rows of a constant; the same ones for the same constant. */
static const u32 *constant(struct pool *p, u64 val, unsigned words)
{
    if (2 * p->n >= p->cap) {
        const size_t cap = p->cap ? 2 * p->cap : 256;
        struct row *row = calloc(cap, sizeof *row);
        if (!row)
            abort();
        for (size_t i = 0; i < p->cap; i++)
            if (p->row[i].rows)
                *place(row, cap, p->row[i].val, p->row[i].words) = p->row[i];
        free(p->row);
        p->row = row;
        p->cap = cap;
    }
    struct row *r = place(p->row, p->cap, val, words);
    if (!r->rows) {
        u32 *rows = keep(p, words * 64 * 4);
        for (unsigned j = 0; j < words; j++)
            for (unsigned i = 0; i < 64; i++)
                rows[64 * j + i] = j < 2 ? (u32)(val >> (32 * j)) : 0;
        *r = (struct row){val, rows, (u8)words};
        p->n++;
    }
    return r->rows;
}

/* ---- sets ---- */

struct build {
    struct sim_program *prog;
    struct pool *pool;
    const struct sim_body *body;
    const struct sim_insn *s;
    struct insn *in;
    struct sim_ext *ext;
};

static void set_row(struct build *b, unsigned row, bool def, bool use)
{
    if (row >= SIM_ROWS)
        return;
    if ((int)row > b->prog->max_row)
        b->prog->max_row = (int)row;
    u64 bit = 1ull << (row & 63);
    if (row < SIM_ROW_ACC) {
        if (def) b->in->def[row / 64] |= bit;
        if (use) b->in->use[row / 64] |= bit;
    } else {
        unsigned k = (row - SIM_ROW_ACC) / 64;
        b->in->flags |= SIM_IN_EXT;
        if (def) b->ext->def[k] |= bit;
        if (use) b->ext->use[k] |= bit;
    }
}

/* Writes a part of its destination and leaves the rest as it is, without looking at it. */
static bool keeps_old(const struct sim_insn *s)
{
    const char *name = sim_op_name(s->op->op);
    return (sim_keeps_half(s->op->op) && !strstr(name, "mac")) || strstr(name, "mixlo") || strstr(name, "mixhi") ||
           (s->lanes == SIM_LANES_SDWA && s->sdwa.dst_unused == 2) || strstr(name, "_d16");
}

static void set_scalar(struct build *b, unsigned reg, unsigned words, bool def, bool use)
{
    for (unsigned r = reg; r < reg + words && r < SIM_SGPRS; r++) {
        if (r >= SIM_S_EXEC || (r >= SIM_S_TTMP && r < SIM_S_M0))
            continue; /* always defined */
        u64 bit = 1ull << (r & 63);
        if (def) b->in->def[SIM_SET_S + r / 64] |= bit;
        if (use) b->in->use[SIM_SET_S + r / 64] |= bit;
    }
}

/* ---- operands ---- */

static int scalar_number(const struct sim_operand *o)
{
    switch (o->file) {
    case SIM_FILE_S: return o->reg;
    case SIM_FILE_TTMP: return SIM_S_TTMP + o->reg;
    case SIM_FILE_VCC: return SIM_S_VCC + o->reg;
    case SIM_FILE_EXEC: return SIM_S_EXEC + o->reg;
    case SIM_FILE_FLAT_SCRATCH: return SIM_S_FLAT + o->reg;
    case SIM_FILE_XNACK_MASK: return SIM_S_XNACK + o->reg;
    case SIM_FILE_M0: return SIM_S_M0;
    case SIM_FILE_NULL: return SIM_S_NULL;
    default: return -1;
    }
}

/* Aperture registers: the high halves name the aperture of FLAT addresses, limits are their last byte. */
static u64 aperture(const struct sim_operand *o)
{
    u64 base = (u64)(o->reg < 2 ? SIM_APERTURE_LDS : SIM_APERTURE_PRIVATE) << 48;
    u64 v = o->reg & 1 ? base | 0xffffffff : base;
    return v;
}

static void lower_operand(struct build *b, struct operand *d, const struct sim_operand *o, bool scalar_insn)
{
    int r = scalar_number(o);
    d->sel = SIM_SEL_DWORD;
    d->words = o->words ? o->words : 1;
    if (o->file == SIM_FILE_V || o->file == SIM_FILE_A) {
        d->kind = SIM_KIND_ROW;
        d->reg = (u16)(o->file == SIM_FILE_A ? SIM_ROW_ACC + o->reg : o->reg);
        const bool masked = d->words == 32 && (b->s->op->cls == SIM_LOAD || b->s->op->cls == SIM_STORE); /* by M0 */
        if (masked && d->reg + 31 > b->prog->max_row)
            b->prog->max_row = d->reg + 31;
        for (unsigned k = 0; k < d->words && !masked && !(b->body && b->body->flags & SIM_BODY_RELATIVE); k++)
            set_row(b, d->reg + k, o->access & SIM_WRITE, o->access & SIM_READ && !(o->access & SIM_WRITE && keeps_old(b->s)));
    } else if (r >= 0 && (r != SIM_S_NULL || o->access & SIM_WRITE)) {
        d->kind = SIM_KIND_S;
        d->reg = (u16)r;
        set_scalar(b, (unsigned)r, d->words, o->access & SIM_WRITE, o->access & SIM_READ);
    } else if (o->file == SIM_FILE_SCC || o->file == SIM_FILE_VCCZ || o->file == SIM_FILE_EXECZ) {
        d->kind = SIM_KIND_SPECIAL;
        d->reg = o->file;
        d->slow = 1;
        if (o->file == SIM_FILE_VCCZ)
            set_scalar(b, SIM_S_VCC, b->prog->wave == 64 ? 2 : 1, false, true);
    } else if (o->file == SIM_FILE_NONE) {
        d->kind = SIM_KIND_NONE;
    } else {
        u64 v = o->file == SIM_FILE_APERTURE ? aperture(o) : o->value;
        if (o->file == SIM_FILE_FLAT_SCRATCH_BASE)
            v = (1ull << SIM_SCRATCH_SHIFT) >> 32 * (o->reg & 1);
        d->kind = SIM_KIND_CONST;
        if (scalar_insn)
            d->val = v;
        else
            d->rows = constant(b->pool, v, d->words < 2 ? 2 : d->words);
    }
}

static void modifiers(struct build *b, struct operand *d, const struct sim_operand *o, unsigned source)
{
    const struct sim_insn *s = b->s;
    if ((s->lanes == SIM_LANES_DPP16 || s->lanes == SIM_LANES_DPP8) && source == 0) {
        d->mods |= SIM_MOD_DPP;
        d->slow = 1;
    }
    if (b->body->flags & SIM_BODY_PACKED) {
        d->opsel = (u8)((o->opsel ? 1 : 0) | (o->opsel_hi ? 2 : 0) | (o->neg ? 4 : 0) | (o->neg_hi || o->abs ? 8 : 0));
        /* Packed without op_sel bits of its own (32-bit encodings): both halves as they lie. */
        if (s->format != SIM_FMT_VOP3P)
            d->opsel = (u8)((d->opsel & ~3) | 2);
        return;
    }
    if (o->neg) d->mods |= SIM_MOD_NEG;
    if (o->abs) d->mods |= SIM_MOD_ABS;
    if (o->sext) d->mods |= SIM_MOD_SEXT;
    if (o->half || (o->opsel && s->format != SIM_FMT_VOP3P))
        d->sel = SIM_SEL_WORD1;
    if (b->body->flags & SIM_BODY_BYTE && s->format == SIM_FMT_VOP3)
        d->sel = (u8)(s->opsel & 3); /* enum sim_sel: bytes first */
    if (s->lanes == SIM_LANES_SDWA && source < 2)
        d->sel = source ? s->sdwa.src1_sel : s->sdwa.src0_sel;
    if (d->mods || d->sel != SIM_SEL_DWORD)
        d->slow = 1;
}

static bool is_field(const struct sim_operand *o, unsigned f) { return o->field == f; }

/* Bytes a memory instruction moves for a lane (or, scalar, in all). */
static unsigned access_bytes(const struct sim_insn *s)
{
    static const struct { const char *part; unsigned bytes; } parts[] = {
        {"dwordx16", 64}, {"dwordx8", 32}, {"dwordx4", 16}, {"b128", 16}, {"dwordx3", 12}, {"b96", 12},
        {"dwordx2", 8}, {"_x2", 8}, {"64", 8}, {"byte", 1}, {"_b8", 1}, {"_u8", 1}, {"_i8", 1},
        {"short", 2}, {"_b16", 2}, {"_u16", 2}, {"_i16", 2}};
    const char *name = sim_op_name(s->op->op);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i].part) && !strstr(name, "atomic_pk"))
            return parts[i].bytes;
    return 4;
}

/* Memory formats: operands by the field they come from. */
static void lower_memory(struct build *b)
{
    const struct sim_insn *s = b->s;
    struct insn *in = b->in;
    const bool scalar = s->format == SIM_FMT_SMEM, returns = scalar ? s->glc : s->returns;
    const bool atomic = s->op->cls == SIM_ATOMIC || (scalar && b->body->flags & SIM_BODY_ATOMIC);
    for (unsigned i = 0; i < s->noperands; i++) {
        struct sim_operand copy = s->o[i], *o = &copy;
        struct operand *d = NULL;
        if (atomic && !returns)
            copy.access = SIM_READ;
        switch (o->field) {
        case SIM_F_vdst: d = o->access & SIM_WRITE || atomic ? &in->o[0] : &in->o[3]; break;
        case SIM_F_group0: d = &in->o[1]; break;
        case SIM_F_group1: d = &in->o[2]; break;
        case SIM_F_group2: d = &in->o[3]; break;
        case SIM_F_group3: d = &in->o[4]; break;
        case SIM_F_sdata: d = o->access & SIM_WRITE && !(b->body->flags & SIM_BODY_STORE) ? &in->o[0] : &in->o[3]; break;
        case SIM_F_vdata: d = o->access & SIM_WRITE && !(atomic && !returns) ? &in->o[0] : &in->o[3]; break;
        case SIM_F_addr: case SIM_F_vaddr: case SIM_F_sbase: d = &in->o[1]; break;
        case SIM_F_saddr: case SIM_F_srsrc: d = &in->o[2]; break;
        case SIM_F_data: d = &in->o[3]; break;
        case SIM_F_data0: d = &in->o[2]; break;
        case SIM_F_data1: d = &in->o[3]; break;
        case SIM_F_soffset: d = s->format == SIM_FMT_SMEM ? &in->o[2] : &in->o[4]; break;
        default: break;
        }
        if (!d)
            continue;
        lower_operand(b, d, o, true);
        if ((is_field(o, SIM_F_vdata) || is_field(o, SIM_F_sdata)) && d == &in->o[0] && o->access & SIM_READ)
            in->o[3] = *d;
    }
    in->imm = s->offset;
    in->imm2 = s->offset1;
    if (s->format == SIM_FMT_SMEM || ((s->format == SIM_FMT_GLOBAL || s->format == SIM_FMT_FLAT || s->format == SIM_FMT_SCRATCH) &&
                                      sim_has(b->prog->target, SIM_SIGNED_OFFSET)))
        in->imm2 = (u16)(s->scale_offset ? access_bytes(s) : 1);
    if (s->lds)
        in->flags |= SIM_IN_LDS_DMA;
    const char *name = sim_op_name(s->op->op);
    if (strstr(name, "_d16") && !strstr(name, "_d16_xy")) /* two a register */
        in->half = strstr(name, "_d16_hi") ? 2 : 1;
}

/* An inline float, which gfx11's rows call an f64, in the type of C. */
static u64 constant_of(unsigned type, u64 value)
{
    double x;
    memcpy(&x, &value, 8);
    const u32 f = sim_f32_bits((float)x), h = type == SIM_MT_BF16 ? sim_bf16_from_f32(f) : sim_f16_from_f32(f);
    return type == SIM_MT_F16 || type == SIM_MT_BF16 ? h | h << 16 : f;
}

/* A form of sim/matrix.c, if the instruction is one. Words of A and B follow the formats of f8f6f4. */
static bool lower_matrix(struct build *b)
{
    const struct sim_insn *s = b->s;
    struct insn *in = b->in;
    const struct sim_family *f = b->prog->target->family;
    static const struct { const char *name; enum sim_matrix_isa isa; } isas[] = {
        {"gfx90a", SIM_MX_GFX90A}, {"gfx942", SIM_MX_GFX942}, {"gfx950", SIM_MX_GFX950}};
    enum sim_matrix_isa isa = f->isa == SIM_ISA_GFX11 ? SIM_MX_GFX11 : f->isa == SIM_ISA_GFX12 ? SIM_MX_GFX12 : SIM_MX_GFX1250;
    if (s->op->cls != SIM_MATRIX)
        return false;
    for (unsigned i = 0; i < 3; i++)
        if (!strcmp(f->name, isas[i].name))
            isa = isas[i].isa;
    const struct sim_matrix_form *form = sim_matrix_find(sim_op_name(s->op->op), isa);
    if (!form)
        return false;
    b->body = sim_body_find(sim_level(), b->prog->wave, "matrix");
    if (!b->body)
        return false;
    in->fn = b->body->fn;
    in->aux = form;
    in->cls = SIM_CLS_MATRIX;
    in->flags |= SIM_IN_EXEC_FREE;
    in->flow = SIM_FLOW_MATRIX;
    memset(in->reads, 15, sizeof in->reads);
    in->width = (u8)(sim_matrix_cycles(form, b->prog->gfx9 ? s->cbsz : s->matrix_a_fmt, b->prog->gfx9 ? s->blgp : s->matrix_b_fmt) / 4);
    for (unsigned i = 0; i < s->noperands; i++) {
        const struct sim_operand *o = &s->o[i];
        struct operand *d = NULL, *scale = NULL;
        switch (o->field) {
        case SIM_F_vdst: d = &in->o[0]; break;
        case SIM_F_src0: d = &in->o[1]; break;
        case SIM_F_src1: d = &in->o[2]; break;
        case SIM_F_src2: d = &in->o[3]; break;
        case SIM_F_scale_src0: d = scale = &in->o[4]; break;
        case SIM_F_scale_src1:
            d = scale = keep(b->pool, sizeof *d);
            memset(d, 0, sizeof *d);
            in->more = d;
            break;
        default: break;
        }
        if (!d)
            continue;
        struct sim_operand c = *o;
        if (d == &in->o[3] && o->type == SIM_T_F64 && form->c != SIM_MT_F64 && o->reg >= 240)
            c.value = constant_of(form->c, o->value);
        lower_operand(b, d, &c, false);
        if (d != scale && d != &in->o[0])
            modifiers(b, d, o, i);
    }
    return true;
}

/* simm16 says which bits of which hardware register, and is no source. */
static bool names_register(unsigned op)
{
    return op == SIM_OP_s_getreg_b32 || op == SIM_OP_s_setreg_b32 || op == SIM_OP_s_setreg_imm32_b32;
}

static void lower_alu(struct build *b)
{
    const struct sim_insn *s = b->s;
    struct insn *in = b->in;
    const bool scalar = b->body->flags & SIM_BODY_SCALAR && s->format <= SIM_FMT_SMEM;
    unsigned nsrc = 0;
    bool have_dst = false, have_second = false, tied = false;
    for (unsigned i = 0; i < s->noperands; i++) {
        const struct sim_operand *o = &s->o[i];
        if (is_field(o, SIM_F_simm16))
            in->imm = (i32)o->value;
        if (o->file == SIM_FILE_IMM && (s->format != SIM_FMT_SOPK || names_register(s->op->op)))
            continue;
        const bool relative = b->body->flags & SIM_BODY_RELATIVE && is_field(o, SIM_F_vdst);
        if ((o->access & SIM_WRITE || relative) && !(nsrc && s->format != SIM_FMT_VOP1)) {
            if (!have_dst) {
                lower_operand(b, &in->o[0], o, scalar);
                have_dst = true;
                tied = o->access & SIM_READ;
                if (o->half || s->opsel & 8)
                    in->dst |= SIM_DST_HI;
                continue;
            }
            if (!have_second && s->format != SIM_FMT_VOP1) {
                lower_operand(b, &in->o[4], o, scalar);
                have_second = true;
                continue;
            }
        }
        if (nsrc < 3) {
            lower_operand(b, &in->o[1 + nsrc], o, scalar);
            if (!scalar)
                modifiers(b, &in->o[1 + nsrc], o, nsrc);
            nsrc++;
        } else {
            lower_operand(b, &in->o[4], o, scalar);
        }
    }
    if (tied && nsrc < b->body->nsrc && nsrc < 3) {
        in->o[1 + nsrc] = in->o[0];
        in->o[1 + nsrc].sel = SIM_SEL_DWORD;
        in->o[1 + nsrc].opsel = 2;
        if (in->dst & SIM_DST_HI) {
            in->o[1 + nsrc].sel = SIM_SEL_WORD1;
            in->o[1 + nsrc].slow = 1;
        }
        nsrc++;
    }
    in->nsrc = (u8)nsrc;
    in->clamp = s->clamp;
    in->omod = s->omod;
    if (s->op->op == SIM_OP_v_bitop3_b32 || s->op->op == SIM_OP_v_bitop3_b16 || s->op->op == SIM_OP_v_bitop2_b32)
        in->imm = s->bitop, in->omod = 0;
    for (unsigned k = nsrc; k < 3; k++)
        if (in->o[1 + k].kind == 0 && !in->o[1 + k].words)
            in->o[1 + k].kind = SIM_KIND_NONE;
    if (in->clamp) in->dst |= SIM_DST_CLAMP;
    if (in->omod) in->dst |= SIM_DST_OMOD;
    if (s->lanes == SIM_LANES_SDWA && in->o[0].kind == SIM_KIND_ROW &&
        (s->sdwa.dst_sel != SIM_SEL_DWORD))
        in->dst |= SIM_DST_SDWA;
    if (s->lanes == SIM_LANES_DPP16 || s->lanes == SIM_LANES_DPP8)
        in->dst |= SIM_DST_DPP;
    unsigned dt = b->body->dt;
    bool half = dt == SIM_DT_U16 || dt == SIM_DT_I16 || dt == SIM_DT_F16 || dt == SIM_DT_F16N ||
                dt == SIM_DT_F16S || dt == SIM_DT_BF16 || dt == SIM_DT_BF16N;
    if (half && !(b->body->flags & SIM_BODY_PACKED)) {
        /* On gfx9 a 16-bit result clears the other half, but for the instructions that came with
         * op_sel and the multiply-adds with a literal (LLVM, GCNSubtarget::zeroesHigh16BitsOfDest). */
        bool keep = !b->prog->gfx9 || in->dst & SIM_DST_HI || sim_keeps_half(s->op->op);
        if (keep && !(in->dst & SIM_DST_SDWA))
            in->dst |= SIM_DST_KEEP;
        if (in->dst & (SIM_DST_KEEP | SIM_DST_SDWA) && in->o[0].kind == SIM_KIND_ROW)
            in->flags |= SIM_IN_PARTIAL;
    }
    if (dt == SIM_DT_F32N || dt == SIM_DT_F64N) {
        for (unsigned k = 1; k <= nsrc; k++)
            if (in->o[k].kind == SIM_KIND_ROW && in->o[k].reg < in->o[0].reg + in->o[0].words &&
                in->o[0].reg < in->o[k].reg + in->o[k].words)
                in->dst |= SIM_DST_ALIAS;
    }
}

/* Instructions whose 16-bit result leaves the other half alone on gfx9 too. */
bool sim_keeps_half(unsigned op)
{
    switch (op) {
    case SIM_OP_v_mac_f16: case SIM_OP_v_madmk_f16: case SIM_OP_v_madak_f16:
    case SIM_OP_v_fma_f16: case SIM_OP_v_mad_f16: case SIM_OP_v_div_fixup_f16:
    case SIM_OP_v_mad_u16: case SIM_OP_v_mad_i16:
    case SIM_OP_v_ashr_pk_i8_i32: case SIM_OP_v_ashr_pk_u8_i32:
    case SIM_OP_v_cvt_pk_fp8_f32: case SIM_OP_v_cvt_pk_bf8_f32:
    case SIM_OP_v_min3_f16: case SIM_OP_v_max3_f16: case SIM_OP_v_med3_f16:
    case SIM_OP_v_min3_i16: case SIM_OP_v_max3_i16: case SIM_OP_v_med3_i16:
    case SIM_OP_v_min3_u16: case SIM_OP_v_max3_u16: case SIM_OP_v_med3_u16:
    case SIM_OP_v_add_i16: case SIM_OP_v_sub_i16: case SIM_OP_v_bitop3_b16:
        return true;
    default:
        return false;
    }
}

/* ---- classes, counters ---- */

static void classify(struct build *b)
{
    static const u8 cls[] = {
        [SIM_VALU] = SIM_CLS_VALU, [SIM_SALU] = SIM_CLS_SALU, [SIM_SMEM] = SIM_CLS_SMEM,
        [SIM_LOAD] = SIM_CLS_VMEM_LOAD, [SIM_STORE] = SIM_CLS_VMEM_STORE, [SIM_ATOMIC] = SIM_CLS_VMEM_STORE,
        [SIM_LDS] = SIM_CLS_LDS, [SIM_MATRIX] = SIM_CLS_MATRIX, [SIM_BRANCH] = SIM_CLS_BRANCH,
        [SIM_WAIT] = SIM_CLS_WAIT, [SIM_OTHER] = SIM_CLS_OTHER};
    struct insn *in = b->in;
    const struct sim_insn *s = b->s;
    const struct sim_target *t = b->prog->target;
    const bool split = sim_has(t, SIM_SPLIT_WAITS), vs = !b->prog->gfx9;
    in->cls = s->op->cls <= SIM_OTHER ? cls[s->op->cls] : SIM_CLS_OTHER;
    switch (s->format) {
    case SIM_FMT_SMEM:
        if (s->noperands)
            in->cnt = 1 + (split ? SIM_CNT_KM : SIM_CNT_LGKM);
        break;
    case SIM_FMT_DS:
        if (s->op->op != SIM_OP_ds_nop)
            in->cnt = 1 + (split ? SIM_CNT_DS : SIM_CNT_LGKM);
        break;
    case SIM_FMT_FLAT:
        in->cnt2 = 1 + (split ? SIM_CNT_DS : SIM_CNT_LGKM);
        /* fall through */
    case SIM_FMT_GLOBAL: case SIM_FMT_SCRATCH: case SIM_FMT_MUBUF: case SIM_FMT_MTBUF: case SIM_FMT_VBUFFER:
        if (!s->noperands)
            break; /* cache control */
        in->cnt = 1 + SIM_CNT_VM;
        if (vs && in->o[0].kind != SIM_KIND_ROW)
            in->cnt = 1 + SIM_CNT_VS;
        if (strstr(sim_op_name(s->op->op), "_async_"))
            in->cnt = 1 + SIM_CNT_ASYNC;
        break;
    case SIM_FMT_TENSOR:
        in->cnt = 1 + SIM_CNT_TENSOR;
        break;
    default:
        if (s->op->op == SIM_OP_s_get_barrier_state)
            in->cnt = 1 + SIM_CNT_KM;
        break;
    }
    if (in->cnt) {
        in->flags |= SIM_IN_MEM;
        if (b->body && b->body->flags & SIM_BODY_ATOMIC)
            in->flags |= SIM_IN_ATOMIC;
        const bool device = t->family->isa >= SIM_ISA_GFX12 ? s->scope >= 2 : sim_has(t, SIM_TEXT_SC) ? s->scc : s->glc;
        if (device && s->format != SIM_FMT_DS)
            in->flags |= SIM_IN_COHERENT;
        in->width = in->o[0].kind == SIM_KIND_ROW || in->o[0].kind == SIM_KIND_S ? in->o[0].words : 0;
    }
}

/* Wait counts of a wait instruction, 255 for a counter it does not name. */
static const u8 *waits(struct build *b)
{
    u8 *w = keep(b->pool, SIM_CNT_COUNT);
    memset(w, 255, SIM_CNT_COUNT);
    unsigned x = (unsigned)b->in->imm & 0xffff;
    switch (b->s->op->op) {
    case SIM_OP_s_waitcnt:
        if (b->prog->gfx9) {
            w[SIM_CNT_VM] = (x & 15) | (x >> 14 & 3) << 4;
            w[SIM_CNT_EXP] = x >> 4 & 7;
            w[SIM_CNT_LGKM] = x >> 8 & 15;
            if (w[SIM_CNT_VM] == 63) w[SIM_CNT_VM] = 255;
            if (w[SIM_CNT_LGKM] == 15) w[SIM_CNT_LGKM] = 255;
        } else {
            w[SIM_CNT_EXP] = x & 7;
            w[SIM_CNT_LGKM] = x >> 4 & 63;
            w[SIM_CNT_VM] = x >> 10 & 63;
            if (w[SIM_CNT_VM] == 63) w[SIM_CNT_VM] = 255;
            if (w[SIM_CNT_LGKM] == 63) w[SIM_CNT_LGKM] = 255;
        }
        break;
    case SIM_OP_s_waitcnt_vscnt: w[SIM_CNT_VS] = (u8)(x & 63); break;
    case SIM_OP_s_waitcnt_vmcnt: w[SIM_CNT_VM] = (u8)(x & 63); break;
    case SIM_OP_s_wait_loadcnt: w[SIM_CNT_VM] = (u8)(x & 63); break;
    case SIM_OP_s_wait_storecnt: w[SIM_CNT_VS] = (u8)(x & 63); break;
    case SIM_OP_s_wait_dscnt: w[SIM_CNT_DS] = (u8)(x & 63); break;
    case SIM_OP_s_wait_kmcnt: w[SIM_CNT_KM] = (u8)(x & 31); break;
    case SIM_OP_s_wait_asynccnt: w[SIM_CNT_ASYNC] = (u8)(x & 63); break;
    case SIM_OP_s_wait_tensorcnt: w[SIM_CNT_TENSOR] = (u8)(x & 63); break;
    case SIM_OP_s_wait_loadcnt_dscnt: w[SIM_CNT_VM] = x >> 8 & 63; w[SIM_CNT_DS] = x & 63; break;
    case SIM_OP_s_wait_storecnt_dscnt: w[SIM_CNT_VS] = x >> 8 & 63; w[SIM_CNT_DS] = x & 63; break;
    case SIM_OP_s_wait_idle: memset(w, 0, SIM_CNT_COUNT); break;
    default: break;
    }
    return w;
}

/* ---- instructions without a meaning ---- */

static const struct insn *illegal(struct sim_wave *w, const struct insn *in)
{
    if (in == w->prog->insn + w->prog->count)
        sim_trap(w, in, -1, SIM_TRAP_ILLEGAL, 0, "ran past the end of the code");
    else
        sim_trap(w, in, -1, SIM_TRAP_ILLEGAL, 0, "no instruction of %s: dword 0x%08x", w->prog->target->name,
                 in->src->words[0]);
    return NULL;
}

static const struct insn *unimplemented(struct sim_wave *w, const struct insn *in)
{
    sim_trap(w, in, -1, SIM_TRAP_UNIMPLEMENTED, 0, "%s is not implemented", sim_op_name(in->src->op->token));
    return NULL;
}

/* Small stores look at a part of their register. */
static void stored_bytes(struct insn *in)
{
    const char *name = sim_op_name(in->src->op->op);
    unsigned n = strstr(name, "_byte") || strstr(name, "_b8") ? 1 : strstr(name, "_short") || strstr(name, "_b16") ? 3 : 15;
    if (strstr(name, "_hi"))
        n <<= 2;
    in->reads[in->src->format == SIM_FMT_DS ? 1 : 2] = (u8)(n & 15);
}

static bool is_wait(const struct sim_opcode *op)
{
    return op->cls == SIM_WAIT && strstr(sim_op_name(op->op), "wait");
}

static void lower_one(struct build *b);

static bool meets(const struct operand *a, const struct operand *b)
{
    return a->kind == SIM_KIND_ROW && b->kind == SIM_KIND_ROW && a->reg < b->reg + b->words && b->reg < a->reg + a->words;
}

static bool reads(const struct insn *in, const struct operand *o)
{
    return meets(&in->o[1], o) || meets(&in->o[2], o) || meets(&in->o[3], o);
}

/* A dual instruction: each half is lowered as one of its own. */
static bool lower_dual(struct build *b)
{
    const struct sim_insn *s = b->s;
    struct insn *in = b->in;
    if (!s->op_y)
        return false;
    struct sim_dual *p = keep(b->pool, sizeof *p);
    struct sim_insn *half = keep(b->pool, 2 * sizeof *half);
    memset(p, 0, sizeof *p);
    half[0] = half[1] = *s;
    half[0].noperands = (uint8_t)(s->noperands - s->y_operands);
    half[1].noperands = s->y_operands;
    half[1].op = s->op_y;
    memmove(half[1].o, s->o + half[0].noperands, s->y_operands * sizeof *s->o);
    for (int k = 0; k < 2; k++) {
        half[k].op_y = NULL;
        half[k].format = SIM_FMT_VOP2;
        struct build h = {b->prog, b->pool, NULL, &half[k], &p->half[k], b->ext};
        lower_one(&h);
        for (int j = 0; j < SIM_SET_WORDS; j++) {
            in->use[j] |= p->half[k].use[j];
            in->def[j] |= p->half[k].def[j];
        }
        in->flags |= p->half[k].flags & SIM_IN_EXT;
    }
    const bool forth = reads(&p->half[1], &p->half[0].o[0]), back = reads(&p->half[0], &p->half[1].o[0]);
    p->first = forth && !back;
    p->crossed = forth && back;
    b->body = sim_body_find(sim_level(), b->prog->wave, "v_dual");
    in->fn = b->body ? b->body->fn : unimplemented;
    in->cls = SIM_CLS_VALU;
    in->flags |= SIM_IN_DUAL;
    in->aux = p;
    return true;
}

static void lower_one(struct build *b)
{
    struct insn *in = b->in;
    const struct sim_insn *s = b->s;
    in->src = s;
    for (int k = 0; k < 5; k++)
        in->o[k].kind = SIM_KIND_NONE;
    if (!s->op) {
        in->fn = illegal;
        return;
    }
    if (lower_dual(b) || lower_matrix(b))
        return;
    b->body = sim_body_find(sim_level(), b->prog->wave, sim_op_name(s->op->op));
    if (!b->body) {
        in->fn = unimplemented;
        in->cls = SIM_CLS_OTHER;
        return;
    }
    in->fn = b->body->fn;
    if (b->body->flags & SIM_BODY_TRANS) in->flags |= SIM_IN_TRANS;
    if (b->body->flags & SIM_BODY_NO_EXEC) in->flags |= SIM_IN_EXEC_FREE;
    switch (s->format) {
    case SIM_FMT_SMEM: case SIM_FMT_DS: case SIM_FMT_FLAT: case SIM_FMT_GLOBAL: case SIM_FMT_SCRATCH:
    case SIM_FMT_MUBUF: case SIM_FMT_MTBUF: case SIM_FMT_VBUFFER: case SIM_FMT_TENSOR:
        lower_memory(b);
        break;
    default:
        lower_alu(b);
    }
    sim_flow_lower(in, s->op->op, b->body->st, b->body->flags & SIM_BODY_PACKED);
    if (b->body->flags & SIM_BODY_STORE)
        stored_bytes(in);
    /* What the row reads and writes beside its operands. */
    const unsigned vcc_words = b->prog->wave == 64 ? 2 : 1;
    if (s->op->reads & SIM_STATE_VCC) set_scalar(b, SIM_S_VCC, vcc_words, false, true);
    if (s->op->writes & SIM_STATE_VCC) set_scalar(b, SIM_S_VCC, vcc_words, true, false);
    if (s->op->reads & SIM_STATE_M0 && s->format != SIM_FMT_SOPP) set_scalar(b, SIM_S_M0, 1, false, true);
    if (s->op->reads & SIM_STATE_SCC) in->use[SIM_SET_SCC] |= 1;
    if (s->op->writes & SIM_STATE_SCC) in->def[SIM_SET_SCC] |= 1;
    classify(b);
    if (s->lanes == SIM_LANES_DPP16 || s->lanes == SIM_LANES_DPP8) {
        struct sim_dpp_lanes *dpp = keep(b->pool, sizeof *dpp);
        signed char *map = dpp->from;
        in->aux = dpp;
        if (s->lanes == SIM_LANES_DPP8)
            for (int i = 0; i < 64; i++)
                map[i] = (signed char)((i & ~7) | (int)(s->dpp.dpp8 >> (3 * (i & 7)) & 7));
        else if (!sim_dpp_map(s->dpp.ctrl, b->prog->wave, !b->prog->gfx9, map))
            in->fn = illegal;
        dpp->have = dpp->open = 0;
        for (int i = 0; i < b->prog->wave; i++) {
            dpp->have |= (u64)(map[i] >= 0) << i;
            if (s->lanes == SIM_LANES_DPP8 || (s->dpp.row_mask >> (i / 16) & 1 && s->dpp.bank_mask >> (i / 4 % 4) & 1))
                dpp->open |= 1ull << i;
        }
    }
    if (is_wait(s->op))
        in->aux = waits(b);
}

const struct insn *sim_insn_at(const struct sim_program *p, u64 pc)
{
    u64 o = pc - p->base;
    if (o & 3 || o / 4 >= p->dwords || p->at[o / 4] == ~0u)
        return NULL;
    return &p->insn[p->at[o / 4]];
}

/* s_set_vgpr_msb holds for the instructions behind it; compilers set it back to 0 at the end of a block
 * (LLVM, AMDGPULowerVGPREncoding), so its value at an instruction is known here. */
static void high_registers(struct sim_insn *s, unsigned *msb)
{
    switch (s->op->op) {
    case SIM_OP_s_set_vgpr_msb:
        *msb = (unsigned)s->o[0].value & 255;
        return;
    case SIM_OP_s_endpgm: case SIM_OP_s_branch: case SIM_OP_s_setpc_b64:
        *msb = 0;
        return;
    default:
        for (unsigned i = 0; i < s->noperands; i++)
            if (s->o[i].file == SIM_FILE_V)
                s->o[i].reg = (uint16_t)(s->o[i].reg | (*msb >> (2 * s->o[i].slot) & 3) << 8);
    }
}

/* Whether it goes on at an address that is known only when it runs. */
static bool leaves(unsigned op)
{
    return op == SIM_OP_s_setpc_b64 || op == SIM_OP_s_swappc_b64 || op == SIM_OP_s_call_b64;
}

struct sim_program *sim_lower(const struct sim_target *t, int wave, const u8 *text, size_t n, u64 base, u64 vaddr)
{
    struct sim_program *p = calloc(1, sizeof *p);
    struct pool *pool = calloc(1, sizeof *pool);
    size_t cap = n / 4 + 1;
    if (!p || !pool)
        goto fail;
    p->target = t;
    p->gfx9 = t->family->isa == SIM_ISA_GFX9;
    p->wave = wave;
    p->base = base;
    p->vaddr = vaddr;
    p->dwords = n / 4;
    p->pool = pool;
    p->max_row = 0;
    p->at = malloc((p->dwords + 1) * sizeof *p->at);
    p->decoded = calloc(cap, sizeof *p->decoded);
    if (!p->at || !p->decoded)
        goto fail;
    memset(p->at, 0xff, (p->dwords + 1) * sizeof *p->at);
    unsigned msb = 0;
    for (size_t o = 0; o + 4 <= n;) {
        struct sim_insn *s = &p->decoded[p->count];
        sim_decode_wave(t->family, (unsigned)wave, text + o, n - o, vaddr + o, s);
        if (sim_has(t, SIM_HAS_VGPR_MSB) && s->op)
            high_registers(s, &msb);
        p->at[o / 4] = (u32)p->count++;
        o += s->size < 4 ? 4 : s->size;
    }
    p->ext = calloc(p->count + 1, sizeof *p->ext);
    p->insn = aligned_alloc(64, (p->count + 1) * sizeof *p->insn);
    if (!p->ext || !p->insn)
        goto fail;
    memset(p->insn, 0, (p->count + 1) * sizeof *p->insn);
    bool wide = false;
    for (size_t i = 0; i < p->count; i++) {
        struct build b = {p, pool, NULL, &p->decoded[i], &p->insn[i], &p->ext[i]};
        lower_one(&b);
        sim_hazard_lower(b.in, t);
        b.in->groups = sim_groups(b.in->use) | sim_groups(b.in->def) | (b.in->flags & SIM_IN_EXT ? SIM_GROUP_EXT : 0);
        wide |= b.in->flags & SIM_IN_EXT;
    }
    p->decoded[p->count].pc = vaddr + n;
    p->insn[p->count].fn = illegal;
    p->insn[p->count].src = &p->decoded[p->count];
    for (size_t i = 0; i < p->count; i++) {
        struct insn *in = &p->insn[i];
        const struct sim_insn *s = in->src;
        p->leaves |= s->op && leaves(s->op->op);
        if (!s->op || (s->op->cls != SIM_BRANCH && s->op->op != SIM_OP_s_call_b64))
            continue;
        u64 to = s->pc + 4 + (u64)((i64)(i16)in->imm * 4) - vaddr;
        in->target = &p->insn[p->count];
        if (!(to & 3) && to / 4 < p->dwords && p->at[to / 4] != ~0u)
            in->target = &p->insn[p->at[to / 4]];
        else
            p->leaves = true;
    }
    if (!wide) {
        free(p->ext);
        p->ext = NULL;
    }
    return p;
fail:
    if (p) {
        p->pool = pool;
        sim_program_free(p);
    }
    return NULL;
}

void sim_program_free(struct sim_program *p)
{
    if (!p)
        return;
    struct pool *pool = p->pool;
    if (pool) {
        for (struct block *b = pool->blocks, *next; b; b = next) {
            next = b->next;
            free(b);
        }
        free(pool->row);
        free(pool);
    }
    free(p->at);
    free(p->decoded);
    free(p->ext);
    free(p->insn);
    free(p);
}
