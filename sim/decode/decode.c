/* SPDX-License-Identifier: MIT */
/*
 * Recognises the format of a machine word, finds its row and lets fields.c take it apart. Nothing
 * here depends on what an instruction means; any byte string is fine.
 */
#include "decode/table.h"

#include <string.h>

enum { GFX9 = 1 << SIM_ISA_GFX9, GFX11 = 1 << SIM_ISA_GFX11, GFX12 = 1 << SIM_ISA_GFX12,
       GFX1250 = 1 << SIM_ISA_GFX1250, ALL = GFX9 | GFX11 | GFX12 | GFX1250 };

const struct sim_format_row sim_formats[] = {
#define FORMAT(sets_, name, dwords_, mask0_, match0_, mask2_, match2_, lo, bits)                   \
    {.sets = sets_, .format = SIM_FMT_##name, .dwords = dwords_, .mask0 = mask0_,                  \
     .match0 = match0_, .mask2 = mask2_, .match2 = match2_, .op_lo = lo, .op_bits = bits},
#define FIELD(sets, format, name, lo, bits)
#include "decode/formats.inc"
};
const size_t sim_format_count = sizeof sim_formats / sizeof *sim_formats;

static void mark(uint32_t *used, unsigned lo, unsigned bits)
{
    for (unsigned b = lo; b < lo + bits; b++)
        used[b / 32] |= 1u << b % 32;
}

/* Bits of fields that must be zero when a row has no use for them. Most formats have none: hardware
 * does not look at them, and neither does LLVM's disassembler. */
void sim_row_used(const struct sim_table *t, struct sim_opcode *o)
{
    static const struct { uint8_t format, field; } fixed[] = {
        {SIM_FMT_DS, SIM_F_addr}, {SIM_FMT_DS, SIM_F_data0}, {SIM_FMT_DS, SIM_F_data1},
        {SIM_FMT_DS, SIM_F_vdst}, {SIM_FMT_DS, SIM_F_offset0}, {SIM_FMT_DS, SIM_F_offset1},
        {SIM_FMT_SOPP, SIM_F_simm16}, {SIM_FMT_VOP1, SIM_F_vdst}, {SIM_FMT_VOPDX, SIM_F_vsrcx1},
        {SIM_FMT_VOPDY, SIM_F_vsrcy1},
    };
    const struct sim_place *place = t->place[o->format];
    uint32_t unused[4] = {0};

    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        if (fixed[k].format == o->format)
            mark(unused, place[fixed[k].field].lo, place[fixed[k].field].bits);
    if (o->format == SIM_FMT_FLAT && t->isa == SIM_ISA_GFX9)
        mark(unused, place[SIM_F_saddr].lo, place[SIM_F_saddr].bits);
    if (o->token == SIM_OP_v_illegal)
        unused[0] = ~0u;
    if (o->format == SIM_FMT_SMEM && !o->nslots) {
        unused[0] = 0x1fff; /* base and data */
        unused[1] = ~0u;
    }
    for (unsigned k = 0; k < o->nslots; k++) {
        uint32_t used[4] = {0};

        mark(used, place[o->slot[k].field].lo, place[o->slot[k].field].bits);
        for (int w = 0; w < 4; w++)
            unused[w] &= ~used[w];
    }
    if (o->format == SIM_FMT_DS && o->accepts >> SIM_F_offset & 3)
        unused[0] &= ~0xffffu;
    for (int w = 0; w < 4; w++)
        o->used[w] = ~unused[w];
}

static bool unused_bits_clear(const struct sim_opcode *o, const uint32_t *words, unsigned dwords)
{
    uint32_t stray = 0;

    for (unsigned k = 0; k < dwords && k < 4; k++)
        stray |= words[k] & ~o->used[k];
    return !stray;
}

static const struct sim_opcode *row_of(const struct sim_table *t, const struct sim_family *f,
                                       unsigned format, unsigned code)
{
    for (unsigned r = t->first[format][code]; r; r = t->rows[r - 1].next)
        if (t->rows[r - 1].targets & f->target)
            return &t->rows[r - 1];
    return NULL;
}

/* The Y half of a dual instruction: the format after the X half's in formats.inc. */
static const struct sim_opcode *row_y(const struct sim_table *t, const struct sim_family *f,
                                      const struct sim_format_row *x, const uint32_t *words)
{
    const struct sim_format_row *y = x + 1;

    return row_of(t, f, y->format, sim_bits(words, y->op_lo, y->op_bits));
}

static bool decode_as(const struct sim_table *t, const struct sim_family *f, unsigned wave,
                      const struct sim_format_row *m, struct sim_insn *out)
{
    out->op = row_of(t, f, m->format, sim_bits(out->words, m->op_lo, m->op_bits));
    if (!out->op || !unused_bits_clear(out->op, out->words, m->dwords))
        return false;
    if (m->format == SIM_FMT_VOPDX || m->format == SIM_FMT_VOPD3X) {
        out->op_y = row_y(t, f, m, out->words);
        if (!out->op_y)
            return false;
    }
    out->format = m->format;
    out->size = m->dwords * 4;
    return sim_fields(t, f, wave, out);
}

bool sim_decode_wave(const struct sim_family *f, unsigned wave, const uint8_t *code, size_t n,
                     uint64_t pc, struct sim_insn *out)
{
    const struct sim_table *t = sim_table_get(f->isa);
    uint32_t words[5] = {0};
    size_t have = n < sizeof words ? n / 4 * 4 : sizeof words;

    for (size_t b = 0; b < have; b++)
        words[b / 4] |= (uint32_t)code[b] << b % 4 * 8;
    for (size_t k = 0; have && k < sim_format_count; k++) {
        const struct sim_format_row *m = &sim_formats[k];

        if (!(m->sets & 1 << t->isa) || (words[0] & m->mask0) != m->match0 ||
            (words[2] & m->mask2) != m->match2 || m->format == SIM_FMT_VOPDY ||
            m->format == SIM_FMT_VOPD3Y)
            continue;
        memset(out, 0, sizeof *out);
        memcpy(out->words, words, sizeof words);
        out->pc = pc;
        if (decode_as(t, f, wave, m, out) && out->size <= have) {
            memset(out->words + out->size / 4, 0, sizeof words - out->size);
            return true;
        }
    }
    memset(out, 0, sizeof *out);
    memcpy(out->words, words, sizeof words);
    memset(out->words + 1, 0, sizeof words - 4);
    out->pc = pc;
    out->size = n < 4 ? n : 4;
    return false;
}

bool sim_decode(const struct sim_family *f, const uint8_t *code, size_t n, uint64_t pc,
                struct sim_insn *out)
{
    return sim_decode_wave(f, f->wave, code, n, pc, out);
}
