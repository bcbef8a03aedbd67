/* SPDX-License-Identifier: MIT */
/*
 * The decoder: its tables are well formed and do not overlap, recorded encodings have their text,
 * and encodings drawn from every row agree with LLVM's assembler and disassembler.
 */
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode_gen.h"
#include "llvm.h"

Test(decode, rows_are_well_formed)
{
    for (int isa = 0; isa < SIM_ISA_COUNT; isa++) {
        size_t n;
        const struct sim_opcode *rows = sim_isa_rows(isa, &n);

        for (size_t i = 0; i < n; i++)
            cr_expect_null(sim_row_error(&rows[i]), "%s (row %zu of table %d): %s",
                           sim_op_name(rows[i].token), i, isa, sim_row_error(&rows[i]));
    }
}

Test(decode, rows_do_not_overlap)
{
    for (int isa = 0; isa < SIM_ISA_COUNT; isa++) {
        size_t n;
        const struct sim_opcode *rows = sim_isa_rows(isa, &n), *with, *bad;

        bad = sim_table_overlap(rows, n, &with);
        cr_expect_null(bad, "table %d: %s and %s share an encoding", isa,
                       bad ? sim_op_name(bad->token) : "", bad ? sim_op_name(with->token) : "");
    }
}

Test(decode, overlapping_rows_are_found)
{
    struct sim_opcode rows[3] = {
        {.format = SIM_FMT_VOP2, .code = 1, .targets = 1, .token = SIM_OP_v_add_f32},
        {.format = SIM_FMT_VOP2, .code = 1, .targets = 2, .token = SIM_OP_v_sub_f32},
        {.format = SIM_FMT_VOP1, .code = 1, .targets = 3, .token = SIM_OP_v_mov_b32},
    };
    const struct sim_opcode *with;

    cr_expect_null(sim_table_overlap(rows, 3, &with), "rows of different targets do not overlap");
    rows[1].targets = 3;
    cr_expect_eq(sim_table_overlap(rows, 3, &with), &rows[1]);
    cr_expect_eq(with, &rows[0]);
}

Test(decode, bad_rows_are_rejected)
{
    static const struct { const char *operands, *modifiers, *implicit; } bad[] = {
        {"vdst", "", ""},                  /* no access */
        {"dst=V32", "", ""},               /* no such field */
        {"clamp=V32", "", ""},             /* a modifier is not an operand */
        {"vdst=32", "", ""},               /* no kind */
        {"vdst=VV32", "", ""},             /* a kind twice */
        {"vdst=V", "", ""},                /* no width */
        {"vdst=V33", "", ""},              /* no such width */
        {"vdst=V2048", "", ""},
        {"sdst=M64", "", ""},              /* a mask has the wave's width */
        {"src0:V32.f33", "", ""},          /* no such type */
        {"src0:V32x", "", ""},             /* trailing text */
        {"vdst=V32 src0:V32 src1:V32 src2:V32 vcc:M vsrc1:V32 addr:V32 data:V32 saddr:S64", "", ""},
        {"vdst=V32", "abs3", ""},
        {"vdst=V32", "vdst", ""},
        {"vdst=V32", "clmap", ""},
        {"vdst=V32", "", "SSC"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sim_opcode o = {.format = SIM_FMT_VOP2, .targets = 1, .token = SIM_OP_v_add_f32,
                               .operands = bad[i].operands, .modifiers = bad[i].modifiers,
                               .implicit = bad[i].implicit};

        cr_expect_not_null(sim_row_error(&o), "accepted: '%s' '%s' '%s'", bad[i].operands,
                           bad[i].modifiers, bad[i].implicit);
    }
    struct sim_opcode none = {.format = SIM_FMT_VOP2, .token = SIM_OP_v_add_f32, .operands = "",
                              .modifiers = "", .implicit = ""};
    cr_expect_not_null(sim_row_error(&none), "a row for no target was accepted");
}

Test(decode, formats_do_not_hide_each_other)
{
    /* Every row's encoding comes back as that row, whatever format is tried first. */
    for (size_t f = 0; f < sim_family_count; f++) {
        struct gen g = {.f = &sim_families[f], .t = sim_table_get(sim_families[f].isa), .seed = 7};

        for (size_t k = 0; k < g.t->nrows; k++) {
            const struct sim_opcode *row = &g.t->rows[k];
            bool y = row->format == SIM_FMT_VOPDY || row->format == SIM_FMT_VOPD3Y;
            uint32_t words[5];
            struct sim_insn i;
            unsigned size;
            bool ok;

            if (!(row->targets & g.f->target))
                continue;
            size = gen_encoding(&g, row, words);
            ok = sim_decode(g.f, (const uint8_t *)words, size, 0, &i);
            cr_expect(ok && i.size == size && (y ? i.op_y : i.op) == row,
                      "%s: %s (%08x %08x %08x %08x): %s", g.f->name, sim_op_name(row->token),
                      words[0], words[1], words[2], words[3],
                      !ok              ? "not decoded"
                      : i.size != size ? "wrong size"
                                       : sim_op_name(i.op->token));
        }
    }
}

static unsigned unhex(const char *s, uint8_t *bytes, unsigned max)
{
    unsigned n = 0, v;

    while (n < max && sscanf(s + 2 * n, "%2x", &v) == 1 && s[2 * n] != ' ')
        bytes[n++] = v;
    return n;
}

Test(decode, recorded_encodings_have_their_text)
{
    FILE *f = fopen(SIM_TEST_DATA "/encodings.txt", "r");
    const struct sim_family *family = NULL;
    char line[512];
    unsigned n = 0;

    cr_assert_not_null(f, "no recorded encodings");
    while (fgets(line, sizeof line, f)) {
        uint8_t bytes[24];
        unsigned size;
        struct sim_insn i;
        char text[512], *want;

        line[strcspn(line, "\n")] = 0;
        if (*line == '#' || !*line)
            continue;
        if (*line == '[') {
            line[strcspn(line, "]")] = 0;
            family = sim_family_by_name(line + 1);
            cr_assert_not_null(family, "%s", line);
            continue;
        }
        want = strchr(line, ' ');
        *want++ = 0;
        size = unhex(line, bytes, sizeof bytes);
        n++;
        if (!sim_decode(family, bytes, size, 0, &i) || i.size != size) {
            cr_expect(false, "%s: %s (%s) is not decoded", family->name, line, want);
            continue;
        }
        sim_print(family, &i, 0, text, sizeof text);
        cr_expect_str_eq(text, want, "%s: %s: '%s', not '%s'", family->name, line, text, want);
    }
    fclose(f);
    cr_expect_gt(n, 6000);
}

Test(decode, any_bytes_are_fine)
{
    uint64_t seed = 1;

    for (size_t f = 0; f < sim_family_count; f++)
        for (int k = 0; k < 200000; k++) {
            uint8_t bytes[20];
            struct sim_insn i;
            char text[512];
            size_t n;

            for (size_t b = 0; b < sizeof bytes; b++) {
                seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
                bytes[b] = seed >> 56;
            }
            n = k % 21;
            if (sim_decode(&sim_families[f], bytes, n, 0, &i))
                cr_assert(i.size >= 4 && i.size <= n);
            else
                cr_assert(!i.op && i.size == (n < 4 ? n : 4));
            cr_assert_lt(sim_print(&sim_families[f], &i, 0xe4, text, sizeof text), 512);
        }
}

/* ---- against LLVM ---- */

enum { VARIANTS = 10 };

/* Rows whose every text the assembler refuses, and why. */
static bool unwritable(const struct sim_opcode *o)
{
    switch (o->token) {
    case SIM_OP_v_illegal:         /* a name for undefined words, not an instruction */
    case SIM_OP_v_wmma_ld_scale_paired_b32: /* the prefix alone */
    case SIM_OP_v_wmma_ld_scale16_paired_b64:
        return true;
    default:
        return false;
    }
}

/* llvm-objdump 22 loses bit 7 of some 8-bit numbers (the DPP control of v_fma_mixlo_f16, small
 * literals of v_fmamk_f16). Of two readings of one encoding the one that assembles back to it is
 * right. */
static bool misread_by_llvm(const struct sim_family *f, unsigned wave,
                            const struct llvm_line *bytes, char *ours, char *theirs)
{
    char *texts[2] = {ours, theirs};
    struct llvm_line back[2];

    if (!llvm_assemble(f->name, wave, texts, 2, back))
        return false;
    return back[0].size == bytes->size && memcmp(back[0].bytes, bytes->bytes, bytes->size) == 0 &&
           (back[1].size != bytes->size || memcmp(back[1].bytes, bytes->bytes, bytes->size) != 0);
}

static void against_llvm(const struct sim_family *f, unsigned wave)
{
    struct gen g = {.f = f, .t = sim_table_get(f->isa), .seed = 11};
    size_t max = g.t->nrows * VARIANTS, n = 0, refused = 0, misread = 0;
    struct llvm_line *lines = calloc(max, sizeof *lines);
    char **texts = calloc(max, sizeof *texts);
    size_t *row_of = calloc(max, sizeof *row_of);
    unsigned *accepted = calloc(g.t->nrows, sizeof *accepted);
    uint32_t words[5];
    struct sim_insn i;
    char text[512];

    for (size_t k = 0; k < g.t->nrows; k++)
        for (int v = 0; v < VARIANTS && g.t->rows[k].targets & f->target; v++) {
            unsigned size;

            if (wave != f->wave && g.t->rows[k].form == SIM_FORM_dual)
                continue; /* wave32 only */
            size = gen_encoding(&g, &g.t->rows[k], words);

            if (!sim_decode_wave(f, wave, (const uint8_t *)words, size, 0, &i))
                continue;
            sim_print(f, &i, 0, text, sizeof text);
            texts[n] = strdup(text);
            row_of[n++] = k;
        }
    cr_assert(llvm_assemble(f->name, wave == f->wave ? 0 : wave, texts, n, lines));
    for (size_t k = 0; k < n; k++) {
        accepted[row_of[k]] += lines[k].size != 0;
        refused += lines[k].size == 0;
        if (getenv("SIM_TEST_VERBOSE") && !lines[k].size)
            fprintf(stderr, "%s refused: %s\n", f->name, texts[k]);
    }
    struct llvm_line *seen = calloc(n, sizeof *seen);
    memcpy(seen, lines, n * sizeof *seen);
    cr_assert(llvm_disassemble(f->name, wave == f->wave ? 0 : wave, seen, n));
    for (size_t k = 0; k < n; k++) {
        if (!lines[k].size)
            continue;
        if (!sim_decode_wave(f, wave, lines[k].bytes, lines[k].size, 0, &i)) {
            cr_expect(false, "%s: not decoded: %s", f->name, seen[k].text);
            continue;
        }
        sim_print(f, &i, 0, text, sizeof text);
        if (strcmp(text, seen[k].text) != 0 && misread < 40 &&
            misread_by_llvm(f, wave == f->wave ? 0 : wave, &lines[k], text, seen[k].text)) {
            misread++;
            continue;
        }
        cr_expect(i.size == lines[k].size && strcmp(text, seen[k].text) == 0,
                  "%s: '%s' (%u bytes), LLVM '%s' (%u bytes)", f->name, text, i.size, seen[k].text,
                  seen[k].size);
    }
    for (size_t k = 0; k < g.t->nrows; k++)
        if (g.t->rows[k].targets & f->target &&
            (wave == f->wave || g.t->rows[k].form != SIM_FORM_dual))
            cr_expect(accepted[k] || unwritable(&g.t->rows[k]), "%s: no text of %s was assembled",
                      f->name, sim_op_name(g.t->rows[k].token));
    cr_expect_lt(refused * 100, n * 10, "%s: %zu of %zu texts refused", f->name, refused, n);
    for (size_t k = 0; k < n; k++)
        free(texts[k]);
    free(texts);
    free(lines);
    free(seen);
    free(row_of);
    free(accepted);
}

ParameterizedTestParameters(decode, drawn_encodings_agree_with_llvm)
{
    static unsigned params[32];
    size_t n = 0;

    for (size_t f = 0; f < sim_family_count; f++)
        params[n++] = f;
    return cr_make_param_array(unsigned, params, n);
}

ParameterizedTest(unsigned *p, decode, drawn_encodings_agree_with_llvm, .timeout = 120)
{
    const struct sim_family *f = &sim_families[*p];

    if (!llvm_found())
        cr_skip_test("llvm-mc and llvm-objdump of LLVM 22 are not installed");
    against_llvm(f, f->wave);
    if (f->flags & SIM_HAS_WAVE64)
        against_llvm(f, 64);
}
