/* SPDX-License-Identifier: MIT */
/* Text of registers, constants and literals; see text.h. */
#include "decode/text.h"

#include <inttypes.h>

/* "s5", "s[4:7]" */
static void range(struct sim_text *t, const char *file, unsigned reg, unsigned words)
{
    if (words <= 1)
        sim_put(t, "%s%u", file, reg);
    else
        sim_put(t, "%s[%u:%u]", file, reg, reg + words - 1);
}

/* One half or both of a register pair that has names: vcc, vcc_lo, vcc_hi. */
static void pair(struct sim_text *t, const char *name, const struct sim_operand *o)
{
    sim_put(t, "%s%s", name, o->words == 2 ? "" : o->reg ? "_hi" : "_lo");
}

static void vgpr(struct sim_text *t, const struct sim_operand *o)
{
    unsigned high = t->msb >> o->slot * 2 & 3;

    range(t, "v", o->reg, o->words);
    if (o->true16)
        sim_put(t, o->half ? ".h" : ".l");
    if (high) {
        sim_put(t, " /*");
        range(t, "v", o->reg + high * 256, o->words);
        sim_put(t, "*/");
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
static bool could_be_inline(const struct sim_text *t, const struct sim_operand *o)
{
    int64_t n;

    switch (o->type) {
    case SIM_T_F16: case SIM_T_BF16: case SIM_T_I16:
        n = (int16_t)o->value;
        break;
    case SIM_T_I64:
        n = o->reg == 255 ? (int64_t)(uint32_t)o->value : (int64_t)o->value;
        break;
    case SIM_T_F64:
        n = (int64_t)o->value;
        break;
    default:
        n = (int32_t)o->value;
        break;
    }
    if (n >= -16 && n <= 64)
        return true;
    if (text_is(t, SIM_OP_v_pk_fmac_f16) && t->f->isa != SIM_ISA_GFX9) /* both halves there */
        return o->value >> 16 == (o->value & 0xffff) && f16_inline(o->value & 0xffff);
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
static void inline_text(struct sim_text *t, uint32_t v)
{
    static const struct { uint32_t bits; const char *name; } floats[] = {
        {0x3f000000, "0.5"}, {0xbf000000, "-0.5"}, {0x3f800000, "1.0"}, {0xbf800000, "-1.0"},
        {0x40000000, "2.0"}, {0xc0000000, "-2.0"}, {0x40800000, "4.0"}, {0xc0800000, "-4.0"},
        {0x3e22f983, "0.15915494"}};

    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        if (floats[k].bits == v) {
            sim_put(t, "%s", floats[k].name);
            return;
        }
    sim_put(t, "%d", (int32_t)v);
}

/* The same of a 64-bit number. */
static void inline64_text(struct sim_text *t, uint64_t v)
{
    static const struct { uint64_t bits; const char *name; } floats[] = {
        {0x3fe0000000000000, "0.5"}, {0xbfe0000000000000, "-0.5"}, {0x3ff0000000000000, "1.0"},
        {0xbff0000000000000, "-1.0"}, {0x4000000000000000, "2.0"}, {0xc000000000000000, "-2.0"},
        {0x4010000000000000, "4.0"}, {0xc010000000000000, "-4.0"},
        {0x3fc45f306dc9c882, "0.15915494309189532"}};

    for (size_t k = 0; k < sizeof floats / sizeof *floats; k++)
        if (floats[k].bits == v) {
            sim_put(t, "%s", floats[k].name);
            return;
        }
    sim_put(t, "%d", (int32_t)v);
}

/* 64-bit literals: the four bytes of a short one, which f64 takes as its high half, or all eight.
 * An assembler given the plain number must come back to the same form, hence lit64(...). */
static void literal64(struct sim_text *t, const struct sim_operand *o)
{
    bool f64 = o->type == SIM_T_F64, whole = o->reg == 254, k = o->field == SIM_F_K;
    uint64_t v = o->value;

    if (!whole && !f64)
        sim_put(t, could_be_inline(t, o) ? "lit(0x%x)" : "0x%x", (uint32_t)v);
    else if (whole && v <= UINT32_MAX)
        sim_put(t, "lit64(0x%" PRIx64 ")", v);
    else if (!k && could_be_inline(t, o))
        inline64_text(t, v);
    else
        sim_put(t, "0x%" PRIx64, f64 && !(uint32_t)v ? v >> 32 : v);
}

static void literal(struct sim_text *t, const struct sim_operand *o)
{
    uint32_t raw = t->i->words[t->i->size / 4 - 1];

    if (o->type == SIM_T_F64 || o->type == SIM_T_I64)
        literal64(t, o);
    else if (o->field == SIM_F_K && o->type == SIM_T_I32 && could_be_inline(t, o))
        inline_text(t, o->value);
    else if (o->field == SIM_F_K)
        sim_put(t, "0x%x", raw);
    else if (o->type == SIM_T_F16 || o->type == SIM_T_BF16 || o->type == SIM_T_I16)
        /* the number, or all of the dword where that would be inline */
        sim_put(t, could_be_inline(t, o) ? "lit(0x%x)" : "0x%x",
            could_be_inline(t, o) ? raw : (unsigned)o->value);
    else
        sim_put(t, could_be_inline(t, o) ? "lit(0x%" PRIx64 ")" : "0x%" PRIx64, o->value);
}

void sim_text_operand(struct sim_text *t, const struct sim_operand *o)
{
    static const char *const apertures[] = {"src_shared_base", "src_shared_limit",
                                            "src_private_base", "src_private_limit"};

    switch (o->file) {
    case SIM_FILE_NONE:
        sim_put(t, "off");
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
        sim_put(t, "src_flat_scratch_base_%s", o->reg ? "hi" : "lo");
        break;
    case SIM_FILE_M0:
        sim_put(t, "m0");
        break;
    case SIM_FILE_NULL:
        sim_put(t, "null");
        break;
    case SIM_FILE_SCC:
        sim_put(t, "src_scc");
        break;
    case SIM_FILE_VCCZ:
        sim_put(t, "src_vccz");
        break;
    case SIM_FILE_EXECZ:
        sim_put(t, "src_execz");
        break;
    case SIM_FILE_POPS:
        sim_put(t, "src_pops_exiting_wave_id");
        break;
    case SIM_FILE_LDS_DIRECT:
        sim_put(t, "src_lds_direct");
        break;
    case SIM_FILE_APERTURE:
        sim_put(t, "%s", apertures[o->reg & 3]);
        break;
    case SIM_FILE_INLINE:
        if (o->reg >= 240 && o->type == SIM_T_I16)
            sim_put(t, "0x%x", (unsigned)o->value);
        else if (o->reg >= 240)
            sim_put(t, "%s", inline_float(o->reg, o->type));
        else
            sim_put(t, "%d", o->reg <= 192 ? o->reg - 128 : 192 - o->reg);
        break;
    case SIM_FILE_LITERAL:
        literal(t, o);
        break;
    default:
        sim_put(t, "%" PRIu64, o->value);
        break;
    }
}

/* A source with its sign modifiers: -v1, |v1|, -|v1|, neg(1.0), sext(v1). */
void sim_text_source(struct sim_text *t, const struct sim_operand *o)
{
    bool constant = o->file == SIM_FILE_INLINE || o->file == SIM_FILE_LITERAL;
    bool neg_call = o->neg && !o->abs && constant;

    if (o->sext)
        sim_put(t, "sext(");
    if (neg_call)
        sim_put(t, "neg(");
    else if (o->neg)
        sim_put(t, "-");
    if (o->abs)
        sim_put(t, "|");
    sim_text_operand(t, o);
    if (o->abs)
        sim_put(t, "|");
    if (neg_call)
        sim_put(t, ")");
    if (o->sext)
        sim_put(t, ")");
}
