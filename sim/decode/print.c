/* SPDX-License-Identifier: MIT */
/*
 * The text of an instruction as llvm-objdump 22 writes it. One function an operand kind or modifier
 * group; each format is a list of them in the order of its assembly syntax.
 */
#include "decode/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text {
    char *buf;
    size_t size, len;
    const struct sim_table *t;
    const struct sim_family *f;
    const struct sim_insn *i;
    const struct sim_opcode *op;
    unsigned msb;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list ap;
    size_t left = t->len < t->size ? t->size - t->len : 0;

    va_start(ap, format);
    t->len += vsnprintf(left ? t->buf + t->len : NULL, left, format, ap);
    va_end(ap);
}

static bool accepts(const struct text *t, unsigned modifier)
{
    return t->op->accepts >> modifier & 1;
}

static uint32_t get(const struct text *t, unsigned field)
{
    return sim_get(t->t, t->op->format, field, t->i->words);
}

static bool is(const struct text *t, unsigned token)
{
    return t->op->token == token;
}

/* ---- operands ---- */

/* "s5", "s[4:7]" */
static void range(struct text *t, const char *file, unsigned reg, unsigned words)
{
    if (words <= 1)
        put(t, "%s%u", file, reg);
    else
        put(t, "%s[%u:%u]", file, reg, reg + words - 1);
}

/* One half or both of a register pair that has names: vcc, vcc_lo, vcc_hi. */
static void pair(struct text *t, const char *name, const struct sim_operand *o)
{
    put(t, "%s%s", name, o->words == 2 ? "" : o->reg ? "_hi" : "_lo");
}

static void vgpr(struct text *t, const struct sim_operand *o)
{
    unsigned high = t->msb >> o->slot * 2 & 3;

    range(t, "v", o->reg, o->words);
    if (o->true16)
        put(t, o->half ? ".h" : ".l");
    if (high) {
        put(t, " /*");
        range(t, "v", o->reg + high * 256, o->words);
        put(t, "*/");
    }
}

static const char *inline_float(unsigned code, unsigned type)
{
    static const char *const names[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};

    if (code < 248)
        return names[code - 240];
    return type == SIM_T_F64 || type == SIM_T_I64          ? "0.15915494309189532"
           : type == SIM_T_F16 || type == SIM_T_V2F16      ? "0.15915494"
                                                           : "0.15915494";
}

static bool f16_inline(unsigned v)
{
    switch (v) {
    case 0x3800: case 0xb800: case 0x3c00: case 0xbc00: case 0x4000: case 0xc000: case 0x4400:
    case 0xc400: case 0x3118:
        return true;
    default:
        return (int16_t)v >= -16 && (int16_t)v <= 64;
    }
}

/* Would an assembler encode this literal as an inline constant? Then text says lit(...). */
static bool could_be_inline(const struct text *t, const struct sim_operand *o)
{
    int64_t n;
    unsigned bits = o->type == SIM_T_F16 || o->type == SIM_T_BF16 || o->type == SIM_T_I16   ? 16
                    : o->type == SIM_T_F64 || o->type == SIM_T_I64 || o->type == SIM_T_V2F32 ? 64
                                                                                             : 32;
    if (is(t, SIM_OP_v_pk_fmac_f16) && t->f->isa != SIM_ISA_GFX9) { /* its constants fill both halves */
        return o->value >> 16 == (o->value & 0xffff) && f16_inline(o->value & 0xffff);
    }
    n = bits == 64 ? (int64_t)(o->type == SIM_T_I64 && o->reg == 255 ? (uint32_t)o->value : o->value) : bits == 16 ? (int16_t)o->value : (int32_t)o->value;
    if (n >= -16 && n <= 64)
        return true;
    switch (o->type) {
    case SIM_T_F64: case SIM_T_I64:
        switch (o->value) {
        case 0x3fe0000000000000: case 0xbfe0000000000000: case 0x3ff0000000000000:
        case 0xbff0000000000000: case 0x4000000000000000: case 0xc000000000000000:
        case 0x4010000000000000: case 0xc010000000000000: case 0x3fc45f306dc9c882:
            return true;
        }
        return false;
    case SIM_T_F16: case SIM_T_V2F16:
        switch (o->value) {
        case 0x3800: case 0xb800: case 0x3c00: case 0xbc00: case 0x4000: case 0xc000: case 0x4400:
        case 0xc400: case 0x3118:
            return true;
        }
        return false;
    case SIM_T_BF16: case SIM_T_V2BF16:
        switch (o->value) {
        case 0x3f00: case 0xbf00: case 0x3f80: case 0xbf80: case 0x4000: case 0xc000: case 0x4080:
        case 0xc080: case 0x3e22:
            return true;
        }
        return false;
    case SIM_T_I16:
        return false;
    default:
        switch ((uint32_t)o->value) {
        case 0x3f000000: case 0xbf000000: case 0x3f800000: case 0xbf800000: case 0x40000000:
        case 0xc0000000: case 0x40800000: case 0xc0800000: case 0x3e22f983:
            return true;
        }
        return false;
    }
}

/* The shortest spelling of a 32-bit number that has an inline form. */
static void inline_text(struct text *t, uint32_t v)
{
    static const struct { uint32_t bits; const char *name; } floats[] = {
        {0x3f000000, "0.5"}, {0xbf000000, "-0.5"}, {0x3f800000, "1.0"}, {0xbf800000, "-1.0"},
        {0x40000000, "2.0"}, {0xc0000000, "-2.0"}, {0x40800000, "4.0"}, {0xc0800000, "-4.0"},
        {0x3e22f983, "0.15915494"}};

    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        if (floats[k].bits == v) {
            put(t, "%s", floats[k].name);
            return;
        }
    put(t, "%d", (int32_t)v);
}

/* The same of a 64-bit number. */
static void inline64_text(struct text *t, uint64_t v)
{
    static const struct { uint64_t bits; const char *name; } floats[] = {
        {0x3fe0000000000000, "0.5"}, {0xbfe0000000000000, "-0.5"}, {0x3ff0000000000000, "1.0"},
        {0xbff0000000000000, "-1.0"}, {0x4000000000000000, "2.0"}, {0xc000000000000000, "-2.0"},
        {0x4010000000000000, "4.0"}, {0xc010000000000000, "-4.0"},
        {0x3fc45f306dc9c882, "0.15915494309189532"}};

    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        if (floats[k].bits == v) {
            put(t, "%s", floats[k].name);
            return;
        }
    put(t, "%d", (int32_t)v);
}

/* 64-bit literals: the four bytes of a short one, which f64 takes as its high half, or all eight. An
 * assembler given the plain number must come back to the same form, hence lit64(...). */
static void literal64(struct text *t, const struct sim_operand *o)
{
    bool f64 = o->type == SIM_T_F64, whole = o->reg == 254, k = o->field == SIM_F_K;
    uint64_t v = o->value;

    if (!whole && !f64)
        put(t, could_be_inline(t, o) ? "lit(0x%x)" : "0x%x", (uint32_t)v);
    else if (whole && v <= UINT32_MAX)
        put(t, "lit64(0x%" PRIx64 ")", v);
    else if (!k && could_be_inline(t, o))
        inline64_text(t, v);
    else
        put(t, "0x%" PRIx64, f64 && !(uint32_t)v ? v >> 32 : v);
}

static void literal(struct text *t, const struct sim_operand *o)
{
    uint32_t raw = t->i->words[t->i->size / 4 - 1];

    if (o->type == SIM_T_F64 || o->type == SIM_T_I64)
        literal64(t, o);
    else if (o->field == SIM_F_K && o->type == SIM_T_I32 && could_be_inline(t, o))
        inline_text(t, o->value);
    else if (o->field == SIM_F_K)
        put(t, "0x%x", raw);
    else if (o->type == SIM_T_F16 || o->type == SIM_T_BF16 || o->type == SIM_T_I16)
        /* the number, or all of the dword where that would be inline */
        put(t, could_be_inline(t, o) ? "lit(0x%x)" : "0x%x",
            could_be_inline(t, o) ? raw : (unsigned)o->value);
    else
        put(t, could_be_inline(t, o) ? "lit(0x%" PRIx64 ")" : "0x%" PRIx64, o->value);
}

static void operand(struct text *t, const struct sim_operand *o)
{
    static const char *const apertures[] = {"src_shared_base", "src_shared_limit", "src_private_base",
                                            "src_private_limit"};

    switch (o->file) {
    case SIM_FILE_NONE:
        put(t, "off");
        break;
    case SIM_FILE_V:
        vgpr(t, o);
        break;
    case SIM_FILE_A:
        range(t, "a", o->reg, o->words);
        break;
    case SIM_FILE_S:
        range(t, "s", o->reg, o->words);
        break;
    case SIM_FILE_TTMP:
        range(t, "ttmp", o->reg, o->words);
        break;
    case SIM_FILE_VCC:
        pair(t, "vcc", o);
        break;
    case SIM_FILE_EXEC:
        pair(t, "exec", o);
        break;
    case SIM_FILE_FLAT_SCRATCH:
        pair(t, "flat_scratch", o);
        break;
    case SIM_FILE_XNACK_MASK:
        pair(t, "xnack_mask", o);
        break;
    case SIM_FILE_FLAT_SCRATCH_BASE:
        put(t, "src_flat_scratch_base_%s", o->reg ? "hi" : "lo");
        break;
    case SIM_FILE_M0:
        put(t, "m0");
        break;
    case SIM_FILE_NULL:
        put(t, "null");
        break;
    case SIM_FILE_SCC:
        put(t, "src_scc");
        break;
    case SIM_FILE_VCCZ:
        put(t, "src_vccz");
        break;
    case SIM_FILE_EXECZ:
        put(t, "src_execz");
        break;
    case SIM_FILE_POPS:
        put(t, "src_pops_exiting_wave_id");
        break;
    case SIM_FILE_LDS_DIRECT:
        put(t, "src_lds_direct");
        break;
    case SIM_FILE_APERTURE:
        put(t, "%s", apertures[o->reg & 3]);
        break;
    case SIM_FILE_INLINE:
        if (o->reg >= 240 && o->type == SIM_T_I16)
            put(t, "0x%x", (unsigned)o->value);
        else if (o->reg >= 240)
            put(t, "%s", inline_float(o->reg, o->type));
        else
            put(t, "%d", o->reg <= 192 ? o->reg - 128 : 192 - o->reg);
        break;
    case SIM_FILE_LITERAL:
        literal(t, o);
        break;
    default:
        put(t, "%" PRIu64, o->value);
        break;
    }
}

/* A source with its sign modifiers: -v1, |v1|, -|v1|, neg(1.0), sext(v1). */
static void source(struct text *t, const struct sim_operand *o)
{
    bool constant = o->file == SIM_FILE_INLINE || o->file == SIM_FILE_LITERAL;
    bool neg_call = o->neg && !o->abs && constant;

    if (o->sext)
        put(t, "sext(");
    if (neg_call)
        put(t, "neg(");
    else if (o->neg)
        put(t, "-");
    if (o->abs)
        put(t, "|");
    operand(t, o);
    if (o->abs)
        put(t, "|");
    if (neg_call)
        put(t, ")");
    if (o->sext)
        put(t, ")");
}

/* ---- plain numbers ---- */

static void hwreg(struct text *t, unsigned v)
{
    static const struct { const char *name; uint8_t id, first, last; } names[] = {
        /* first and last: targets 0 gfx90a, 1 gfx942 and gfx950, 2 gfx11, 3 gfx12, 4 gfx1250 */
        {"MODE", 1, 0, 2}, {"WAVE_MODE", 1, 3, 4}, {"STATUS", 2, 0, 2}, {"WAVE_STATUS", 2, 3, 4},
        {"TRAPSTS", 3, 0, 2}, {"HW_ID", 4, 0, 1}, {"WAVE_STATE_PRIV", 4, 3, 4},
        {"GPR_ALLOC", 5, 0, 2}, {"WAVE_GPR_ALLOC", 5, 3, 4}, {"LDS_ALLOC", 6, 0, 2},
        {"WAVE_LDS_ALLOC", 6, 3, 4}, {"IB_STS", 7, 0, 4}, {"PERF_SNAPSHOT_DATA", 10, 3, 4},
        {"PERF_SNAPSHOT_PC_LO", 11, 3, 4}, {"PERF_SNAPSHOT_PC_HI", 12, 3, 4},
        {"SH_MEM_BASES", 15, 0, 2}, {"PERF_SNAPSHOT_DATA1", 15, 3, 4}, {"TBA_LO", 16, 0, 1},
        {"PERF_SNAPSHOT_DATA2", 16, 3, 4}, {"TBA_HI", 17, 0, 1}, {"WAVE_EXCP_FLAG_PRIV", 17, 3, 4},
        {"TMA_LO", 18, 0, 1}, {"PERF_SNAPSHOT_PC_LO", 18, 2, 2}, {"WAVE_EXCP_FLAG_USER", 18, 3, 4},
        {"TMA_HI", 19, 0, 1}, {"PERF_SNAPSHOT_PC_HI", 19, 2, 2}, {"WAVE_TRAP_CTRL", 19, 3, 4},
        {"XCC_ID", 20, 1, 1}, {"FLAT_SCR_LO", 20, 2, 2}, {"WAVE_SCRATCH_BASE_LO", 20, 3, 4},
        {"SQ_PERF_SNAPSHOT_DATA", 21, 1, 1}, {"FLAT_SCR_HI", 21, 2, 2},
        {"WAVE_SCRATCH_BASE_HI", 21, 3, 4}, {"SQ_PERF_SNAPSHOT_DATA1", 22, 1, 1},
        {"SQ_PERF_SNAPSHOT_PC_LO", 23, 1, 1}, {"HW_ID1", 23, 2, 2}, {"WAVE_HW_ID1", 23, 3, 4},
        {"SQ_PERF_SNAPSHOT_PC_HI", 24, 1, 1}, {"HW_ID2", 24, 2, 2}, {"WAVE_HW_ID2", 24, 3, 4},
        {"WAVE_SCHED_MODE", 26, 3, 4}, {"PERF_SNAPSHOT_DATA", 27, 2, 2}, {"IB_STS2", 28, 4, 4},
        {"SHADER_CYCLES", 29, 2, 2}, {"SHADER_CYCLES_LO", 29, 3, 4}, {"SHADER_CYCLES_HI", 30, 3, 4},
        {"WAVE_DVGPR_ALLOC_LO", 31, 3, 4}, {"WAVE_DVGPR_ALLOC_HI", 32, 3, 4},
        {"XNACK_STATE_PRIV", 33, 4, 4}, {"XNACK_MASK", 34, 4, 4},
    };
    unsigned id = v & 63, offset = v >> 6 & 31, size = (v >> 11) + 1;
    unsigned at = t->f->isa + (t->f->isa != SIM_ISA_GFX9 || t->f->flags & SIM_TEXT_SC);
    const char *name = NULL;

    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (names[k].id == id && at >= names[k].first && at <= names[k].last)
            name = names[k].name;
    if (name)
        put(t, "hwreg(HW_REG_%s", name);
    else
        put(t, "hwreg(%u", id);
    if (offset || size != 32)
        put(t, ", %u, %u", offset, size);
    put(t, ")");
}

/* s_waitcnt: counters at their maximum are left out, unless all are; LLVM, "Wait state counters". */
static void waitcnt(struct text *t, unsigned v)
{
    bool gfx9 = t->f->isa == SIM_ISA_GFX9;
    unsigned vm = gfx9 ? (v & 15) | (v >> 14 & 3) << 4 : v >> 10 & 63;
    unsigned exp = gfx9 ? v >> 4 & 7 : v & 7;
    unsigned lgkm = gfx9 ? v >> 8 & 15 : v >> 4 & 63;
    unsigned lgkm_max = gfx9 ? 15 : 63;
    bool all = vm == 63 && exp == 7 && lgkm == lgkm_max;
    const char *sep = " ";

    if (vm != 63 || all) {
        put(t, "%svmcnt(%u)", sep, vm);
    }
    if (exp != 7 || all)
        put(t, "%sexpcnt(%u)", sep, exp);
    if (lgkm != lgkm_max || all)
        put(t, "%slgkmcnt(%u)", sep, lgkm);
}

static void delay_alu(struct text *t, unsigned v)
{
    static const char *const ids[] = {
        "", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4", "TRANS32_DEP_1", "TRANS32_DEP_2",
        "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1", "SALU_CYCLE_2", "SALU_CYCLE_3"};
    static const char *const skips[] = {"", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
    unsigned id0 = v & 15, skip = v >> 4 & 7, id1 = v >> 7 & 15;
    const char *sep = " ";

    if (id0) {
        put(t, " instid0(%s)", id0 < 12 ? ids[id0] : "/* invalid instid value */");
        sep = " | ";
    }
    if (skip) {
        put(t, "%sinstskip(%s)", sep, skip < 6 ? skips[skip] : "/* invalid instskip value */");
        sep = " | ";
    }
    if (id1)
        put(t, "%sinstid1(%s)", sep, id1 < 12 ? ids[id1] : "/* invalid instid value */");
    if (!id0 && !skip && !id1)
        put(t, " 0");
}

/* s_waitcnt_depctr and s_wait_alu: named fields when the rest of the bits is as an assembler sets it;
 * fields at their default are left out unless all are. */
static void depctr(struct text *t, unsigned v)
{
    static const struct { const char *name; uint8_t lo, bits, value; } fields[] = {
        {"hold_cnt", 7, 1, 1}, {"sa_sdst", 0, 1, 1}, {"va_vdst", 12, 4, 15}, {"va_sdst", 9, 3, 7},
        {"va_ssrc", 8, 1, 1}, {"va_vcc", 1, 1, 1}, {"vm_vsrc", 2, 3, 7}};
    unsigned used = 0;
    bool defaults = true;

    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        unsigned m = (1u << fields[k].bits) - 1;

        used |= m << fields[k].lo;
        defaults &= (v >> fields[k].lo & m) == fields[k].value;
    }
    if (v & ~used & 0xffff) {
        put(t, " 0x%x", v);
        return;
    }
    for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
        unsigned x = v >> fields[k].lo & ((1u << fields[k].bits) - 1);

        if (x != fields[k].value || defaults)
            put(t, " depctr_%s(%u)", fields[k].name, x);
    }
}

static void sendmsg(struct text *t, unsigned v)
{
    static const struct { const char *name; uint8_t id; bool gfx9, gfx11, gfx12, gfx1250; } names[] = {
        {"MSG_INTERRUPT", 1, true, true, true, true},
        {"MSG_HS_TESSFACTOR", 2, false, true, true, true},
        {"MSG_DEALLOC_VGPRS", 3, false, true, true, true},
        {"MSG_SAVEWAVE", 4, true, false, false, false},
        {"MSG_STALL_WAVE_GEN", 5, true, true, false, false},
        {"MSG_HALT_WAVES", 6, true, true, false, false},
        {"MSG_ORDERED_PS_DONE", 7, true, false, false, false},
        {"MSG_EARLY_PRIM_DEALLOC", 8, true, false, false, false},
        {"MSG_GS_ALLOC_REQ", 9, true, true, true, true},
        {"MSG_GET_DOORBELL", 10, true, false, false, false},
        {"MSG_SAVEWAVE_HAS_TDM", 10, false, false, false, true},
        {"MSG_RTN_GET_DOORBELL", 128, false, true, true, true},
        {"MSG_RTN_GET_DDID", 129, false, true, true, true},
        {"MSG_RTN_GET_TMA", 130, false, true, true, true},
        {"MSG_RTN_GET_REALTIME", 131, false, true, true, true},
        {"MSG_RTN_SAVE_WAVE", 132, false, true, true, true},
        {"MSG_RTN_GET_TBA", 133, false, true, true, true},
        {"MSG_RTN_GET_TBA_TO_PC", 134, false, true, true, true},
        {"MSG_RTN_GET_SE_AID_ID", 135, false, false, true, true},
        {"MSG_RTN_GET_CLUSTER_BARRIER_STATE", 136, false, false, false, true},
    };
    static const char *const gs[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
    bool gfx9 = t->f->isa == SIM_ISA_GFX9;
    unsigned id = gfx9 ? v & 15 : v & 255, op = gfx9 ? v >> 4 & 7 : 0, stream = gfx9 ? v >> 8 & 3 : 0;

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        bool has = t->f->isa == SIM_ISA_GFX9    ? names[k].gfx9
                   : t->f->isa == SIM_ISA_GFX11 ? names[k].gfx11
                   : t->f->isa == SIM_ISA_GFX12 ? names[k].gfx12
                                                : names[k].gfx1250;

        if (has && names[k].id == id && !op && !stream) {
            put(t, "sendmsg(%s)", names[k].name);
            return;
        }
    }
    if (gfx9 ? v & ~0x37fu : v & ~0xffu) {
        put(t, "%u", v);
        return;
    }
    if (gfx9 && (id == 2 || id == 3) && op <= 3 && (op || (id == 3 && !stream))) {
        put(t, "sendmsg(MSG_GS%s, %s", id == 3 ? "_DONE" : "", gs[op]);
        if (op)
            put(t, ", %u", stream);
        put(t, ")");
        return;
    }
    put(t, "sendmsg(%u, %u, %u)", id, op, stream);
}

static void gpr_idx(struct text *t, unsigned v)
{
    static const char *const names[] = {"SRC0", "SRC1", "SRC2", "DST"};
    const char *sep = "";

    if (v & ~15u) {
        put(t, "0x%x", v);
        return;
    }
    put(t, "gpr_idx(");
    for (int k = 0; k < 4; k++)
        if (v >> k & 1) {
            put(t, "%s%s", sep, names[k]);
            sep = ",";
        }
    put(t, ")");
}

/* The 16-bit number of SOPP and SOPK. Sets *sep when it writes its own leading space. */
static void simm16(struct text *t, unsigned v)
{
    switch (t->op->token) {
    case SIM_OP_s_getreg_b32: case SIM_OP_s_setreg_b32: case SIM_OP_s_setreg_imm32_b32:
        hwreg(t, v);
        return;
    case SIM_OP_s_sendmsg: case SIM_OP_s_sendmsghalt:
        sendmsg(t, v);
        return;
    case SIM_OP_s_set_gpr_idx_mode:
        gpr_idx(t, v);
        return;
    case SIM_OP_s_set_inst_prefetch_distance: case SIM_OP_s_clause: case SIM_OP_s_wait_event:
    case SIM_OP_s_round_mode: case SIM_OP_s_ttracedata_imm:
        put(t, "0x%x", v);
        return;
    default:
        break;
    }
    if (t->op->cls == SIM_BRANCH || is(t, SIM_OP_s_endpgm))
        put(t, "%u", v);
    else if (t->op->format == SIM_FMT_SOPK || t->op->cls == SIM_WAIT || v > 64)
        put(t, "0x%x", v);
    else
        put(t, "%u", v);
}

/* ---- modifiers ---- */

static unsigned sources(const struct text *t)
{
    unsigned n = 0;

    for (unsigned k = 0; k < t->i->noperands; k++)
        switch (t->i->o[k].field) {
        case SIM_F_src0: case SIM_F_src1: case SIM_F_src2:
            n++;
        }
    return n;
}

/* " op_sel:[0,1,1]" of the bits, unless all have the default value. */
static void bit_list(struct text *t, const char *name, unsigned bits, unsigned n, unsigned normal)
{
    if (bits == normal)
        return;
    put(t, " %s:[", name);
    for (unsigned k = 0; k < n; k++)
        put(t, "%s%u", k ? "," : "", bits >> k & 1);
    put(t, "]");
}

static void clamp_omod(struct text *t)
{
    static const char *const omods[] = {"", " mul:2", " mul:4", " div:2"};

    if (t->i->clamp)
        put(t, " clamp");
    put(t, "%s", omods[t->i->omod & 3]);
}

/* Conversions that pick one byte of an 8-bit float register; gfx12 names it byte_sel. */
static bool is_byte_sel(const struct text *t)
{
    const char *name = sim_op_name(t->op->token);

    return strncmp(name, "v_cvt_sr_fp8", 12) == 0 || strncmp(name, "v_cvt_sr_bf8", 12) == 0 ||
           strcmp(name, "v_cvt_f32_fp8") == 0 || strcmp(name, "v_cvt_f32_bf8") == 0 ||
           strcmp(name, "v_cvt_f16_fp8") == 0 || strcmp(name, "v_cvt_f16_bf8") == 0;
}

/* byte_sel, and op_sel of the bits that do not pick the byte. */
static void byte_sel(struct text *t)
{
    unsigned sel = t->i->opsel, byte, n = sources(t);

    if (accepts(t, SIM_F_opsel2)) { /* of the destination: bits 2 and 3 */
        byte = sel >> 2;
        sel &= (1u << n) - 1;
    } else { /* of the source: bits 1 and 0; the destination may have a half */
        byte = (sel & 1) << 1 | (sel >> 1 & 1);
        sel = accepts(t, SIM_F_opsel3) ? (sel >> 3 & 1) << n : 0;
    }
    bit_list(t, "op_sel", sel, n + 1, 0);
    if (byte)
        put(t, " byte_sel:%u", byte);
}

/* op_sel of a VOP3 word: sources, then the destination where it has a bit. */
static void vop3_opsel(struct text *t)
{
    /* the tied accumulator of v_fmac_f16 counts as a source; v_permlane16 has bits for two of three */
    unsigned n = accepts(t, SIM_F_opsel2) || is(t, SIM_OP_v_fmac_f16)              ? 3
                 : is(t, SIM_OP_v_permlane16_b32) || is(t, SIM_OP_v_permlanex16_b32) ? 2
                                                                                     : sources(t);
    unsigned bits = t->i->opsel & ((1u << n) - 1);

    if (is(t, SIM_OP_v_permlane16_swap_b32) || is(t, SIM_OP_v_permlane32_swap_b32)) {
        put(t, "%s%s", bits & 2 ? " bound_ctrl:1" : "", bits & 1 ? " fi:1" : "");
        return;
    }
    if (!(t->op->accepts >> SIM_F_opsel0 & 15))
        return;
    if (strncmp(sim_op_name(t->op->token), "v_cvt_scale_pk", 14) == 0) {
        if (t->i->opsel)
            put(t, " scale_sel:%u", t->i->opsel);
        return;
    }
    if (t->f->isa >= SIM_ISA_GFX12 && is_byte_sel(t)) {
        byte_sel(t);
        return;
    }
    if (is(t, SIM_OP_v_cndmask_b16)) /* its halves are in the names of the registers alone */
        return;
    if (accepts(t, SIM_F_opsel3) ||
        (t->op->slot[0].kinds & SIM_K_M && t->i->lanes == SIM_LANES_PLAIN)) {
        bits |= (t->i->opsel >> 3 & 1) << n;
        n++;
    }
    bit_list(t, "op_sel", bits, n, 0);
}

static void packed(struct text *t)
{
    unsigned n = sources(t), all = (1u << n) - 1, hi = 0, neg = 0, neg_hi = 0;
    bool mix = sim_is_mix(t->op);

    if (strncmp(sim_op_name(t->op->token), "v_wmma_ld_scale", 15) == 0)
        return;
    if (t->op->cls == SIM_MATRIX && t->f->isa >= SIM_ISA_GFX12) {
        if (t->i->index_key)
            put(t, " index_key:%u", t->i->index_key);
        if (t->i->matrix_reuse & 1)
            put(t, " matrix_a_reuse");
        if (t->i->matrix_reuse & 2)
            put(t, " matrix_b_reuse");
        all = 0;
    }
    for (unsigned k = 0; k < n; k++) {
        hi |= get(t, SIM_F_opsel_hi0 + k) << k;
        neg |= get(t, SIM_F_neg0 + k) << k;
        neg_hi |= get(t, SIM_F_neg_hi0 + k) << k;
    }
    if (strncmp(sim_op_name(t->op->token), "v_dot2_", 7) == 0 || t->op->accepts >> SIM_F_opsel0 & 7)
        bit_list(t, "op_sel", t->i->opsel & all, n, 0);
    if (strncmp(sim_op_name(t->op->token), "v_dot2_", 7) == 0 || t->op->accepts >> SIM_F_opsel_hi0 & 7)
        bit_list(t, "op_sel_hi", hi & all, n, mix ? 0 : all);
    if (!mix && t->op->accepts >> SIM_F_neg0 & 7)
        bit_list(t, "neg_lo", neg, n, 0);
    if (!mix && t->op->accepts >> SIM_F_neg_hi0 & 7)
        bit_list(t, "neg_hi", neg_hi, n, 0);
    if (t->i->clamp)
        put(t, " clamp");
}

static void dpp(struct text *t)
{
    unsigned c = t->i->dpp.ctrl;

    if (t->i->lanes == SIM_LANES_DPP8) {
        put(t, " dpp8:[");
        for (int k = 0; k < 8; k++)
            put(t, "%s%u", k ? "," : "", t->i->dpp.dpp8 >> 3 * k & 7);
        put(t, "]");
        if (t->i->dpp.fi)
            put(t, " fi:1");
        return;
    }
    if (t->i->lanes != SIM_LANES_DPP16)
        return;
    if (c < 0x100)
        put(t, " quad_perm:[%u,%u,%u,%u]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
    else if (c > 0x100 && c < 0x110)
        put(t, " row_shl:%u", c & 15);
    else if (c > 0x110 && c < 0x120)
        put(t, " row_shr:%u", c & 15);
    else if (c > 0x120 && c < 0x130)
        put(t, " row_ror:%u", c & 15);
    else if (c == 0x130 || c == 0x134 || c == 0x138 || c == 0x13c)
        put(t, " wave_%s:1", c == 0x130 ? "shl" : c == 0x134 ? "rol" : c == 0x138 ? "shr" : "ror");
    else if (c == 0x140)
        put(t, " row_mirror");
    else if (c == 0x141)
        put(t, " row_half_mirror");
    else if (c == 0x142 || c == 0x143)
        put(t, " row_bcast:%u", c == 0x142 ? 15 : 31);
    else if (c >= 0x150 && c < 0x160)
        put(t, " row_%s:%u", t->f->isa == SIM_ISA_GFX9 ? "newbcast" : "share", c & 15);
    else if (c >= 0x160 && c < 0x170)
        put(t, " row_xmask:%u", c & 15);
    else
        put(t, " /* Invalid dpp_ctrl value */");
    put(t, " row_mask:0x%x bank_mask:0x%x", t->i->dpp.row_mask, t->i->dpp.bank_mask);
    if (t->i->dpp.bound_ctrl)
        put(t, " bound_ctrl:1");
    if (t->i->dpp.fi && t->f->isa != SIM_ISA_GFX9)
        put(t, " fi:1");
}

static void sdwa(struct text *t)
{
    static const char *const sel[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1",
                                      "DWORD", "7"};
    static const char *const unused[] = {"PAD", "SEXT", "PRESERVE", "PAD"};
    bool two = false;

    for (unsigned k = 0; k < t->i->noperands; k++)
        two |= t->i->o[k].field == SIM_F_vsrc1;
    if (t->op->format != SIM_FMT_VOPC)
        put(t, " dst_sel:%s dst_unused:UNUSED_%s", sel[t->i->sdwa.dst_sel],
            unused[t->i->sdwa.dst_unused]);
    put(t, " src0_sel:%s", sel[t->i->sdwa.src0_sel]);
    if (two)
        put(t, " src1_sel:%s", sel[t->i->sdwa.src1_sel]);
}

/* Cache bits of the families before gfx12. */
static void cache_bits(struct text *t)
{
    bool sc = t->f->flags & SIM_TEXT_SC;

    if (t->i->glc)
        put(t, sc ? " sc0" : " glc");
    if (t->i->slc && accepts(t, SIM_F_offset))
        put(t, sc ? " nt" : " slc");
    if (t->i->dlc)
        put(t, " dlc");
    if (t->i->scc)
        put(t, sc ? " sc1" : " scc");
}

/* Temporal hint and scope of gfx12; RDNA4 ISA, "Memory scopes and temporal hints". */
static void th_scope(struct text *t)
{
    static const char *const loads[] = {"RT", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT"};
    static const char *const stores[] = {"RT", "NT", "HT", "WB", "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
    static const char *const atomics[] = {"0x0", "RETURN", "NT", "NT_RETURN", "0x4", "0x5", "0x6",
                                          "0x7"};
    static const char *const scopes[] = {"", " scope:SCOPE_SE", " scope:SCOPE_DEV", " scope:SCOPE_SYS"};
    unsigned th = t->i->th;
    bool system = t->i->scope == 3, store = t->op->cls == SIM_STORE;

    if (th && t->op->cls == SIM_ATOMIC && th & 4 && t->i->scope >= 2)
        put(t, " th:TH_ATOMIC_CASCADE_%s", th & 2 ? "NT" : "RT");
    else if (th && t->op->cls == SIM_ATOMIC)
        put(t, " th:TH_ATOMIC_%s", atomics[th]);
    else if (th == 3 && system)
        put(t, " th:TH_%s_BYPASS", store ? "STORE" : "LOAD");
    else if (th == 7 && !store)
        put(t, " th:0x7");
    else if (th)
        put(t, " th:TH_%s_%s", store ? "STORE" : "LOAD", (store ? stores : loads)[th]);
    put(t, "%s%s", scopes[t->i->scope], t->i->nv ? " nv" : "");
}

static void offset(struct text *t)
{
    if (accepts(t, SIM_F_offset) && t->i->offset)
        put(t, " offset:%d", t->i->offset);
}

static void swizzle(struct text *t, unsigned v)
{
    if (!v)
        return;
    put(t, " offset:");
    if (v >= 0xe000) {
        put(t, "swizzle(FFT,%u)", v & 31);
    } else if (v >= 0xc000) {
        put(t, "swizzle(ROTATE,%u,%u)", v >> 10 & 1, v >> 5 & 31);
    } else if (v & 0x8000) {
        if ((v & 0xff00) == 0x8000)
            put(t, "swizzle(QUAD_PERM,%u,%u,%u,%u)", v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3);
        else
            put(t, "%u", v);
    } else {
        unsigned and = v & 31, or = v >> 5 & 31, xor = v >> 10 & 31;

        if (xor == 0x10 && and == 0x1f && !or) {
            put(t, "swizzle(SWAP,16)");
        } else if (and == 31 && !or && xor && !(xor & (xor - 1))) {
            put(t, "swizzle(SWAP,%u)", xor);
        } else if (and == 31 && !or && xor && !((xor + 1) & xor)) {
            put(t, "swizzle(REVERSE,%u)", xor + 1);
        } else {
            unsigned group = 32 - and, size = group;

            if (group > 1 && !(group & (group - 1)) && !xor && or < group) {
                put(t, "swizzle(BROADCAST,%u,%u)", size, or);
                return;
            }
            put(t, "swizzle(BITMASK_PERM,\"");
            for (int b = 4; b >= 0; b--) {
                unsigned p0 = (((0u & and) | or) ^ xor) >> b & 1;
                unsigned p1 = (((~0u & and) | or) ^ xor) >> b & 1;

                put(t, "%c", p0 == p1 ? (p0 ? '1' : '0') : p0 ? 'i' : 'p');
            }
            put(t, "\")");
        }
    }
}

/* ---- formats ---- */

/* Operands with their signs, from first to last, separated by commas. */
static void operands(struct text *t, unsigned first, unsigned last, const char *sep)
{
    for (unsigned k = first; k < last; k++) {
        const struct sim_operand *o = &t->i->o[k];

        put(t, "%s", sep);
        if (o->file == SIM_FILE_IMM)
            simm16(t, o->value);
        else if (t->op->format >= SIM_FMT_VOP3P && t->op->format <= SIM_FMT_VOP3PX16 &&
                 !sim_is_mix(t->op))
            operand(t, o); /* signs are lists behind the operands */
        else
            source(t, o);
        sep = ", ";
    }
}

static void version(struct text *t, unsigned v)
{
    static const struct { const char *name; uint16_t bit; } flags[] = {
        {"W64", 0x2000}, {"W32", 0x4000}, {"MDP", 0x8000}};
    unsigned n = 0, code = v & 0xff;

    if (v & 0x1f00) {
        put(t, " 0x%x", v);
        return;
    }
    for (int k = 0; k < 3; k++)
        n += (v & flags[k].bit) != 0;
    put(t, " %.*s", n ? (int)n - 1 : 0, "((");
    if (code == 0 || code == 4 || code == 6 || code == 9)
        put(t, "UC_VERSION_GFX%s", code == 0 ? "7" : code == 4 ? "10" : code == 6 ? "11" : "12");
    else
        put(t, "%u", code);
    for (int k = 0; k < 3; k++)
        if (v & flags[k].bit)
            put(t, "|UC_VERSION_%s_BIT%s", flags[k].name, --n ? ")" : "");
}

static void scalar(struct text *t)
{
    unsigned v = t->i->noperands ? t->i->o[t->i->noperands - 1].value : 0;

    switch (t->op->token) {
    case SIM_OP_s_waitcnt:
        waitcnt(t, v);
        return;
    case SIM_OP_s_delay_alu:
        delay_alu(t, v);
        return;
    case SIM_OP_s_waitcnt_depctr: case SIM_OP_s_wait_alu:
        depctr(t, v);
        return;
    case SIM_OP_s_version:
        version(t, v);
        return;
    case SIM_OP_s_endpgm:
        if (!v)
            return;
        break;
    case SIM_OP_s_set_gpr_idx_on:
        operands(t, 0, 1, " ");
        put(t, ", ");
        gpr_idx(t, t->i->words[0] >> 8 & 0xff);
        return;
    case SIM_OP_s_sendmsg_rtn_b32: case SIM_OP_s_sendmsg_rtn_b64:
        operands(t, 0, 1, " ");
        put(t, ", ");
        sendmsg(t, t->i->words[0] & 0xff);
        return;
    case SIM_OP_s_subvector_loop_begin: case SIM_OP_s_subvector_loop_end:
        operands(t, 0, 1, " ");
        put(t, ", %u", v);
        return;
    case SIM_OP_s_setreg_b32:
        put(t, " ");
        simm16(t, v);
        put(t, ", ");
        source(t, &t->i->o[0]);
        return;
    }
    operands(t, 0, t->i->noperands, " ");
}

static void signed_hex(struct text *t, int32_t v)
{
    put(t, v < 0 ? "-0x%x" : "0x%x", v < 0 ? -(uint32_t)v : (uint32_t)v);
}

static void smem(struct text *t)
{
    const struct sim_insn *i = t->i;
    const struct sim_operand *so = NULL;
    unsigned n = i->noperands;

    if (!n)
        return;
    if (i->o[n - 1].field == SIM_F_soffset) {
        so = &i->o[n - 1];
        n--;
    }
    if (so && strstr(sim_op_name(t->op->token), "prefetch")) {
        operands(t, 0, n, " ");
        put(t, n ? ", " : " ");
        signed_hex(t, i->offset);
        put(t, ", ");
        if (so->file == SIM_FILE_NONE)
            put(t, "null");
        else
            operand(t, so);
        put(t, ", %u", get(t, SIM_F_sdata) & 31);
        return;
    }
    if (strncmp(sim_op_name(t->op->token), "s_atc_probe", 11) == 0)
        put(t, get(t, SIM_F_sdata) > 64 ? " 0x%x," : " %u,", get(t, SIM_F_sdata));
    operands(t, 0, n, " ");
    if (so && accepts(t, SIM_F_offset)) {
        bool imm = t->f->isa != SIM_ISA_GFX9 || get(t, SIM_F_imm);

        put(t, ", ");
        if (t->f->isa == SIM_ISA_GFX11 && so->file == SIM_FILE_NONE && !i->offset) {
            put(t, "null"); /* LLVM sees the form with a register */
        } else if (so->file != SIM_FILE_NONE) {
            operand(t, so);
            if (imm && (i->offset || t->f->isa != SIM_ISA_GFX11)) {
                put(t, " offset:");
                signed_hex(t, i->offset);
            }
        } else {
            signed_hex(t, i->offset);
        }
    }
    if (t->f->isa >= SIM_ISA_GFX12 && so && i->scale_offset)
        put(t, " scale_offset");
    if (t->f->isa >= SIM_ISA_GFX12)
        th_scope(t);
    else if (so && i->o[0].field == SIM_F_sdata)
        put(t, "%s%s", i->glc ? " glc" : "", i->dlc ? " dlc" : "");
}

/* The truth table of v_bitop3 and v_bitop2. */
static void bitop(struct text *t)
{
    if (t->i->bitop)
        put(t, t->i->bitop > 10 ? " bitop3:0x%x" : " bitop3:%u", t->i->bitop);
}

static void vector(struct text *t)
{
    const struct sim_insn *i = t->i;

    operands(t, 0, i->noperands, " ");
    switch (t->op->format) {
    case SIM_FMT_VOP3: case SIM_FMT_VOP3SD:
        if (is(t, SIM_OP_v_bitop3_b32) || is(t, SIM_OP_v_bitop3_b16))
            bitop(t);
        vop3_opsel(t);
        clamp_omod(t);
        break;
    case SIM_FMT_VOP3P:
        packed(t);
        break;
    default:
        clamp_omod(t);
        break;
    }
    if (i->lanes == SIM_LANES_SDWA)
        sdwa(t);
    else
        dpp(t);
}

static void mfma(struct text *t)
{
    const struct sim_insn *i = t->i;

    operands(t, 0, i->noperands, " ");
    if (t->op->format == SIM_FMT_VOP3PX) {
        bit_list(t, "op_sel", (i->matrix_a_scale & 1) | (i->matrix_b_scale & 1) << 1, 3, 0);
        bit_list(t, "op_sel_hi", (i->matrix_a_scale >> 1) | (i->matrix_b_scale >> 1) << 1, 3, 7);
    }
    if (i->cbsz)
        put(t, " cbsz:%u", i->cbsz);
    if (i->abid && !accepts(t, SIM_F_f8f6f4))
        put(t, " abid:%u", i->abid);
    if (i->blgp) {
        bool f64 = strncmp(sim_op_name(t->op->token), "v_mfma_f64", 10) == 0;

        if (f64 && t->f->flags & SIM_BLGP_NEG)
            bit_list(t, "neg", i->blgp, 3, 0);
        else
            put(t, " blgp:%u", i->blgp);
    }
}

static void scaled_wmma(struct text *t)
{
    static const char *const fmts[] = {"FP8", "BF8", "FP6", "BF6", "FP4"};
    static const char *const scales[] = {"E8", "E5M3", "E4M3"};
    const struct sim_insn *i = t->i;

    operands(t, 0, i->noperands, " ");
    if (accepts(t, SIM_F_f8f6f4)) {
        if (i->matrix_a_fmt && i->matrix_a_fmt < 5)
            put(t, " matrix_a_fmt:MATRIX_FMT_%s", fmts[i->matrix_a_fmt]);
        if (i->matrix_b_fmt && i->matrix_b_fmt < 5)
            put(t, " matrix_b_fmt:MATRIX_FMT_%s", fmts[i->matrix_b_fmt]);
    }
    if (accepts(t, SIM_F_scale)) {
        if (i->matrix_a_scale)
            put(t, " matrix_a_scale:MATRIX_SCALE_ROW1");
        if (i->matrix_b_scale)
            put(t, " matrix_b_scale:MATRIX_SCALE_ROW1");
        if (i->matrix_a_scale_fmt && i->matrix_a_scale_fmt < 3)
            put(t, " matrix_a_scale_fmt:MATRIX_SCALE_FMT_%s", scales[i->matrix_a_scale_fmt]);
        if (i->matrix_b_scale_fmt && i->matrix_b_scale_fmt < 3)
            put(t, " matrix_b_scale_fmt:MATRIX_SCALE_FMT_%s", scales[i->matrix_b_scale_fmt]);
    }
    if (i->matrix_reuse & 1)
        put(t, " matrix_a_reuse");
    if (i->matrix_reuse & 2)
        put(t, " matrix_b_reuse");
    bit_list(t, "neg_lo", get(t, SIM_F_neg2) << 2, 3, 0);
    bit_list(t, "neg_hi", get(t, SIM_F_neg_hi2) << 2, 3, 0);
}

static void dual(struct text *t)
{
    const struct sim_insn *i = t->i;
    unsigned x = i->noperands - i->y_operands;
    char name[64];
    unsigned last = x;

    while (last && i->o[last - 1].field == SIM_F_vcc)
        last--;
    operands(t, 0, last, " ");
    sim_opcode_text(i->op_y, name, sizeof name);
    put(t, " :: %s", name);
    t->op = i->op_y;
    last = i->noperands;
    while (last > x && i->o[last - 1].field == SIM_F_vcc)
        last--;
    operands(t, x, last, " ");
    if (is(t, SIM_OP_v_bitop2_b32))
        bitop(t);
}

static void ds(struct text *t)
{
    operands(t, 0, t->i->noperands, " ");
    if (is(t, SIM_OP_ds_swizzle_b32)) {
        swizzle(t, t->i->offset);
    } else if (accepts(t, SIM_F_offset2)) {
        if (t->i->offset)
            put(t, " offset0:%u", t->i->offset);
        if (t->i->offset1)
            put(t, " offset1:%u", t->i->offset1);
    } else {
        offset(t);
    }
    if (t->i->gds && (t->f->isa != SIM_ISA_GFX9 ||
                      strncmp(sim_op_name(t->op->token), "ds_gws", 6) == 0))
        put(t, " gds");
}

static void flat(struct text *t)
{
    const struct sim_insn *i = t->i;
    unsigned n = i->noperands;

    /* FLAT without a scalar address has no `off` */
    if (n && t->op->format == SIM_FMT_FLAT && i->o[n - 1].field == SIM_F_saddr &&
        i->o[n - 1].file == SIM_FILE_NONE)
        n--;
    operands(t, 0, n, " ");
    if (is(t, SIM_OP_tensor_save))
        put(t, " null");
    offset(t);
    if (i->scale_offset)
        put(t, " scale_offset");
    if (t->f->isa >= SIM_ISA_GFX12)
        th_scope(t);
    else
        cache_bits(t);
    if (i->lds)
        put(t, " lds");
}

/* Typed buffer format, left out when it is the assembler's default; gfx9 has two fields, later targets
 * one number that counts through the list below. RDNA3 ISA, "Buffer image format". */
static void typed_format(struct text *t)
{
    static const char *const data[] = {
        "INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10", "10_10_10_2", "2_10_10_10",
        "8_8_8_8", "32_32", "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
    static const char *const numbers[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT",
                                          "RESERVED_6", "FLOAT"};
    enum { U = 1, S = 2, US = 4, SS = 8, UI = 16, SI = 32, F = 128, NORM = U | S | US | SS | UI | SI };
    static const struct { uint8_t data, numbers; } unified[] = {
        {1, NORM}, {2, NORM | F}, {3, NORM}, {4, UI | SI | F}, {5, NORM | F}, {6, F}, {7, F},
        {8, U | S | UI | SI}, {9, NORM}, {10, NORM}, {11, UI | SI | F}, {12, NORM | F},
        {13, UI | SI | F}, {14, UI | SI | F}};
    unsigned dfmt = t->i->dfmt, nfmt = t->i->nfmt, at = 1;

    if (t->f->isa == SIM_ISA_GFX9) {
        if (dfmt == 1 && !nfmt)
            return;
        put(t, " format:[");
        if (dfmt != 1)
            put(t, "BUF_DATA_FORMAT_%s%s", data[dfmt & 15], nfmt ? "," : "");
        if (nfmt)
            put(t, "BUF_NUM_FORMAT_%s", numbers[nfmt & 7]);
        put(t, "]");
        return;
    }
    if (dfmt == 1)
        return;
    if (dfmt == 0) {
        put(t, " format:[BUF_FMT_INVALID]");
        return;
    }
    for (size_t k = 0; k < sizeof unified / sizeof *unified; k++)
        for (unsigned n = 0; n < 8; n++)
            if (unified[k].numbers >> n & 1 && at++ == dfmt) {
                put(t, " format:[BUF_FMT_%s_%s]", data[unified[k].data], numbers[n]);
                return;
            }
    put(t, " format:%u", dfmt);
}

static void buffer(struct text *t)
{
    const struct sim_insn *i = t->i;

    operands(t, 0, i->noperands, " ");
    if (sim_op_name(t->op->token)[0] == 't')
        typed_format(t);
    if (i->idxen)
        put(t, " idxen");
    if (i->offen)
        put(t, " offen");
    offset(t);
    if (t->f->isa >= SIM_ISA_GFX12)
        th_scope(t);
    else
        cache_bits(t);
    if (i->tfe)
        put(t, " tfe");
    if (i->lds || is(t, SIM_OP_buffer_store_lds_dword))
        put(t, " lds");
}

static void mnemonic(struct text *t)
{
    char name[64];
    const struct sim_opcode *o = t->op;

    if (t->i->lanes == SIM_LANES_PLAIN) {
        sim_opcode_text(o, name, sizeof name);
        put(t, "%s", name);
        return;
    }
    put(t, "%s%s%s", sim_op_name(o->token), o->form == SIM_FORM_e64 || o->format == SIM_FMT_VOP3 ||
        o->format == SIM_FMT_VOP3SD || o->format == SIM_FMT_VOP3P ? "_e64" : "",
        t->i->lanes == SIM_LANES_SDWA                                                ? "_sdwa"
        : t->f->isa != SIM_ISA_GFX9 && o->format == SIM_FMT_VOPC /* as LLVM has it */ ? ""
                                                                                         : "_dpp");
}

int sim_print(const struct sim_family *f, const struct sim_insn *i, unsigned msb, char *buf, size_t n)
{
    struct text t = {.buf = buf, .size = n, .t = sim_table_get(f->isa), .f = f, .i = i, .op = i->op,
                     .msb = f->flags & SIM_HAS_VGPR_MSB ? msb : 0};

    if (n)
        *buf = 0;
    if (!i->op) {
        put(&t, ".long 0x%08x", i->words[0]);
        return t.len;
    }
    mnemonic(&t);
    switch (i->format) {
    case SIM_FMT_SOP1: case SIM_FMT_SOP2: case SIM_FMT_SOPC: case SIM_FMT_SOPK: case SIM_FMT_SOPP:
        scalar(&t);
        break;
    case SIM_FMT_SMEM:
        smem(&t);
        break;
    case SIM_FMT_VOP1: case SIM_FMT_VOP2: case SIM_FMT_VOPC: case SIM_FMT_VOP3: case SIM_FMT_VOP3SD:
        vector(&t);
        break;
    case SIM_FMT_VOP3P:
        if (f->isa == SIM_ISA_GFX1250 && i->op->cls == SIM_MATRIX && accepts(&t, SIM_F_f8f6f4))
            scaled_wmma(&t);
        else
            vector(&t);
        break;
    case SIM_FMT_MAI:
        mfma(&t);
        break;
    case SIM_FMT_VOP3PX: case SIM_FMT_VOP3PX16:
        f->isa == SIM_ISA_GFX9 ? mfma(&t) : scaled_wmma(&t);
        break;
    case SIM_FMT_VOPDX: case SIM_FMT_VOPD3X:
        dual(&t);
        break;
    case SIM_FMT_DS:
        ds(&t);
        break;
    case SIM_FMT_FLAT: case SIM_FMT_SCRATCH: case SIM_FMT_GLOBAL:
        flat(&t);
        break;
    case SIM_FMT_MUBUF: case SIM_FMT_MTBUF: case SIM_FMT_VBUFFER:
        buffer(&t);
        break;
    case SIM_FMT_TENSOR:
        operands(&t, 0, i->noperands == 4 && i->o[2].file == SIM_FILE_NULL &&
                 i->o[3].file == SIM_FILE_NULL ? 2 : i->noperands, " ");
        th_scope(&t);
        break;
    }
    return t.len;
}
