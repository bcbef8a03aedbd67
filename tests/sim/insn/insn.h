/* SPDX-License-Identifier: MIT */
/*
 * Proof of meaning for the simulator: instructions are assembled with llvm-mc, run on a wave in a
 * known state, and the whole state afterwards is compared with a reference written from AMD's ISA
 * documents. This header: targets, the wave's state as the tests see it, a batch of snippets, and
 * reporting.
 */
#ifndef TEST_INSN_H
#define TEST_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum target { T_90A, T_942, T_950, T_1100, T_1201, T_1250, TARGETS };
enum {
    ON_90A = 1 << T_90A, ON_942 = 1 << T_942, ON_950 = 1 << T_950, ON_1100 = 1 << T_1100,
    ON_1201 = 1 << T_1201, ON_1250 = 1 << T_1250,
    ON_GFX9 = ON_90A | ON_942 | ON_950, ON_940 = ON_942 | ON_950,
    ON_RDNA = ON_1100 | ON_1201, ON_GFX12 = ON_1201 | ON_1250, ON_GFX11UP = ON_RDNA | ON_1250,
    ON_ALL = ON_GFX9 | ON_GFX11UP
};
extern const char *const target_name[TARGETS];
int target_lanes(enum target t); /* 64 on gfx9, 32 after it */

/* MODE: round f32 [1:0], f64/f16 [3:2], denormals f32 [5:4], f64/f16 [7:6], DX10_CLAMP 8, IEEE 9,
 * FP16_OVFL 23. */
enum { MODE_DENORM = 0xf0, MODE_DX10 = 0x100, MODE_IEEE = 0x200, MODE_FP16_OVFL = 1 << 23,
       MODE_KERNEL = MODE_DENORM | MODE_DX10 | MODE_IEEE };

enum { WAVE_V = 128, WAVE_A = 64, WAVE_S = 64, WAVE_LDS = 4096, WAVE_MEM = 65536 };

/* What the tests set and compare. Global memory is one allocation of WAVE_MEM bytes at `mem_at`. */
struct wave_state {
    uint32_t v[WAVE_V][64], a[WAVE_A][64], s[WAVE_S];
    uint64_t exec, vcc;
    uint32_t scc, m0, mode;
    uint8_t lds[WAVE_LDS];
};

/* Snippets are collected as text, assembled by one run of llvm-mc, and run one by one. */
struct batch {
    enum target target;
    char *text;
    size_t used, room;
    int count;
    int *first_line; /* of each snippet, to explain an assembler error */
    size_t *text_at; /* of each snippet, in text */
    int lines;
    uint8_t *code; /* snippet i at i * SNIPPET_BYTES */
    unsigned serial; /* another one for each code */
};
enum { SNIPPET_BYTES = 256 };

void batch_begin(struct batch *b, enum target t);
/* Adds a snippet (lines separated by \n) and gives its number; s_endpgm is appended. */
int batch_add(struct batch *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* False after printing llvm-mc's complaints. */
bool batch_assemble(struct batch *b);
/* The snippet's text, one static buffer. */
const char *batch_text(const struct batch *b, int snippet);
void batch_end(struct batch *b);

/* Runs a snippet on `w`, in place. `mem` (WAVE_MEM bytes, may be null) is the global allocation's
 * content before and after; its device address was put where the test wants it by run_address().
 * False: the simulator refused or faulted; the text is in run_error(). */
bool run_snippet(const struct batch *b, int snippet, struct wave_state *w, uint8_t *mem);
uint64_t run_address(enum target t);
const char *run_error(void);
/* Of all states that run_snippet gave back since the last call, bit by bit; the first call begins. */
uint64_t run_digest(void);
/* Whether the last snippet stopped at an instruction that the simulator has no body for: such
 * tests are left out, not failed (fly-sim cover lists what is missing). */
bool run_unimplemented(void);

/* Random numbers: the same sequence for the same seed on every machine. */
void rand_seed(const char *text);
uint64_t rand64(void);
uint32_t rand_below(uint32_t n);

/* Counts a failure and prints the first few of each mnemonic. True if it was printed. */
bool fail(enum target t, const char *mnemonic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fail_count(void);

/* Every table says which mnemonics it has; the closing test asks. While `listing` is set, tables
 * only do that: batches do not assemble, nothing runs and nothing fails. */
void covered_add(enum target t, const char *mnemonic);
extern bool listing;

#endif
