/* SPDX-License-Identifier: MIT */
/*
 * Machine code to struct sim_insn to text. The opcode tables (gfx9.inc, gfx11.inc, gfx12.inc,
 * gfx1250.inc) and formats.inc hold every fact about encodings; the code holds none.
 *
 * A row is OP(format, opcode, token, form, class, targets, lanes, operands, modifiers, implicit):
 *   token      mnemonic without suffix; the text is the token and, by form, _e32, _e64 or v_dual_
 *   class      enum sim_class
 *   targets    targets of the table that have it
 *   lanes      source forms it takes beside the plain one: DPP, DPP8, SDWA, NEWBCAST (DPP of
 *              64-bit operations, which has only row_newbcast)
 *   operands   in the order of the text, `field access kinds bits .type`:
 *              access = written, + read and written, : read;
 *              kinds V VGPR, A AGPR, R VGPR or AGPR by an acc bit, H (with V)
 *              only v0-v127, S scalar register, I inline constant,
 *              X M0, L 32-bit literal, W 64-bit literal, M lane mask in scalar registers (bits left
 *              out: the wave's size), N plain number;
 *              type says how a constant is expanded
 *   modifiers  one-bit fields it accepts: `abs01 clamp` is abs0, abs1, clamp; the rest must be zero
 *   implicit   state read and, after `>`, written beside operands and EXEC
 */
#ifndef SIM_DECODE_H
#define SIM_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "family.h"
#include "isa.h"

/* Targets within one table. */
enum {
    SIM_TARGET_GFX90A = 1, SIM_TARGET_GFX942 = 2, SIM_TARGET_GFX950 = 4,
    SIM_TARGET_GFX1100 = 1, SIM_TARGET_GFX1151 = 2,
    SIM_TARGET_GFX1200 = 1, SIM_TARGET_GFX1201 = 2,
    SIM_TARGET_GFX1250 = 1,
    SIM_TARGET_ALL = 7
};

enum sim_class {
    SIM_VALU, SIM_SALU, SIM_SMEM, SIM_LOAD, SIM_STORE, SIM_ATOMIC, SIM_LDS, SIM_MATRIX, SIM_BRANCH,
    SIM_WAIT, SIM_OTHER
};

enum sim_form { SIM_FORM__, SIM_FORM_e32, SIM_FORM_e64, SIM_FORM_dual };

/* Tokens: one for each mnemonic of any table, whatever its encoding. A meaning is bound to a
 * token. */
enum sim_op {
    SIM_OP_NONE,
#define SIM_TOKEN(name) SIM_OP_##name,
#include "optokens.inc"
    SIM_OP_COUNT
};

enum {
    SIM_K_V = 1, SIM_K_A = 2, SIM_K_S = 4, SIM_K_I = 8, SIM_K_X = 16, SIM_K_L = 32, SIM_K_W = 64,
    SIM_K_M = 128, SIM_K_N = 256, SIM_K_R = 512, SIM_K_H = 1024
};

/* State an instruction touches beside its operands. */
enum {
    SIM_STATE_SCC = 1, SIM_STATE_VCC = 2, SIM_STATE_EXEC = 4, SIM_STATE_M0 = 8, SIM_STATE_MODE = 16,
    SIM_STATE_FLAT_SCR = 32
};

enum { SIM_ROW_DPP = 1, SIM_ROW_DPP8 = 2, SIM_ROW_SDWA = 4, SIM_ROW_NEWBCAST = 8 };

struct sim_slot {
    uint8_t field;   /* enum sim_field */
    uint8_t type;    /* enum sim_type */
    uint8_t access;  /* SIM_READ | SIM_WRITE */
    uint16_t kinds;  /* SIM_K_* */
    uint16_t bits;   /* register width; 0: by wave size (M) or plain (N) */
};

enum { SIM_MAX_SLOTS = 8 };

struct sim_opcode {
    uint8_t format;        /* enum sim_format */
    uint8_t form;          /* enum sim_form */
    uint8_t cls;           /* enum sim_class */
    uint8_t targets;
    uint8_t lanes;         /* SIM_ROW_* */
    uint16_t code;         /* value of the format's opcode field */
    uint16_t token;        /* enum sim_op, as spelled */
    const char *operands, *modifiers, *implicit;
    /* made from the strings above by sim_isa_rows */
    uint16_t op;           /* enum sim_op the meaning is bound to: alias.inc applied to token */
    uint16_t next;         /* next row with the same format and code, 1-based; 0 none */
    uint8_t reads, writes; /* SIM_STATE_* */
    uint8_t nslots;
    struct sim_slot slot[SIM_MAX_SLOTS];
    uint64_t accepts;      /* 1 << field for each modifier accepted */
    uint32_t used[4];      /* the other bits of these dwords must be zero */
};

/* Decodes the instruction at code, of which n bytes may be read, for text and branch targets at
 * address pc. False when no row fits or the bytes end first: out then holds pc, the words, op null,
 * and in size the 4 bytes (or fewer) to step over. Never reads past n. Safe from any thread. */
bool sim_decode(const struct sim_family *f, const uint8_t *code, size_t n, uint64_t pc,
                struct sim_insn *out);

/* The same for a wave size other than the family's own: 64 on GFX11 and GFX12. */
bool sim_decode_wave(const struct sim_family *f, unsigned wave, const uint8_t *code, size_t n,
                     uint64_t pc, struct sim_insn *out);

/* The text llvm-objdump prints for it, without address and bytes. msb is the operand of the last
 * s_set_vgpr_msb, 0 if none. Returns the length, as snprintf does. */
int sim_print(const struct sim_family *f, const struct sim_insn *i, unsigned msb, char *buf,
              size_t n);

/* All rows of an instruction set's table. *n is their number. */
const struct sim_opcode *sim_isa_rows(enum sim_isa isa, size_t *n);

/* Spelling of a token: "v_add_f32". */
const char *sim_op_name(unsigned token);
/* The token a meaning is bound to: sim_op_base(SIM_OP_global_load_b32) is
 * SIM_OP_global_load_dword. */
unsigned sim_op_base(unsigned token);
/* Mnemonic of a row as printed without DPP or SDWA: "v_add_f32_e32". */
int sim_opcode_text(const struct sim_opcode *o, char *buf, size_t n);

/* For the tests: why a row's strings are not well formed, or null. */
const char *sim_row_error(const struct sim_opcode *o);

#endif
