/* SPDX-License-Identifier: MIT */
/*
 * Recognises the format of a machine word, finds its row and lets fields.c take it apart. Nothing here
 * depends on what an instruction means; any byte string is fine.
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
    if (!out->op)
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
