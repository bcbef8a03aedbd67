/* SPDX-License-Identifier: MIT */
/*
 * The rows of the vector ALU tables and what a reference sees of one lane. Operand fetch,
 * modifiers, lane movement, clamp, output modifier and the partial writes are done once by valu.c,
 * after the ISA documents; a reference gets sources with all that applied and gives the bare
 * result.
 */
#ifndef TEST_VALU_H
#define TEST_VALU_H

#include "insn.h"
#include "ref_float.h"

enum vtype {
    V_NONE, V_B16, V_I16, V_U16, V_F16, V_BF16,
    V_B32, V_I32, V_U32, V_F32, V_FP8,        /* FP8: four packed bytes */
    V_P16, V_PF16, V_PBF16, V_MIX, V_MIXB,    /* two halves; MIX: f32 or either half as f16 (B: bf16) */
    V_B64, V_I64, V_U64, V_F64, V_PF32, V_P32,
    /* 32 bits, drawn around shift counts and small numbers */
    V_SHIFT,
    V_W3, V_W4, V_W6, V_W8, V_W16, V_W32,     /* wider: 3 ... 32 words */
    V_TYPES
};

enum vform { VOP1, VOP2, VOPC, VOP3, VOP3P, VOP2C /* carry in VCC */, VOP3SD,
    VOP2K /* literal K */ };

enum {
    /* clamp allowed: float to [0,1], integer saturates (reference sees l->clamp) */
    VF_CLAMP = 1,
    VF_OMOD = 2,
    VF_OPSEL = 4,      /* VOP3 op_sel of every operand and the destination */
    VF_SDWA = 8,
    VF_DPP = 16,
    VF_ACC = 32,       /* the destination is also a source: l->d */
    VF_HI_ANY = 64,    /* the document leaves the high half of a 16-bit result open */
    VF_KEEP_HI = 128,  /* a 16-bit result leaves the high half alone */
    /* reads a mask: VCC in e32; a mask operand in e64 (cndmask), VCC (div_fmas) */
    VF_VCC = 256,
    VF_CARRY_OUT = 512,
    VF_CARRY_IN = 1024,
    VF_CMPX = 2048,    /* also (gfx9) or only (gfx10+) writes EXEC */
    VF_NO_ABS = 4096,  /* VOP3 without abs bits (integers have none anyway) */
    VF_NO_E32 = 8192,
    VF_NO_E64 = 1 << 14,
    VF_NO_S = 1 << 15,   /* sources must be VGPRs */
    VF_MODES = 1 << 16,  /* depends on rounding and denormal modes: run under others too */
    VF_NEG_BITS = 1 << 17, /* neg_lo of A and B are signedness: in l->imm */
    VF_NO_SUFFIX = 1 << 18, /* the mnemonic has no _e32 */
    VF_PK_CVT = 1 << 19,   /* op_sel[3] picks the half of the destination that is written */
    VF_BYTE_DST = 1 << 20, /* op_sel[3:2] picks the byte that is written */
    VF_SRC_BYTE = 1 << 21, /* op_sel[1:0] picks the byte (or op_sel[0] the word) of src0 */
    VF_NEG_LO_HI = 1 << 22,/* VOP3P: neg_lo and neg_hi mean something */
    VF_NO_OPSEL = 1 << 23, /* VOP3P without op_sel */
    VF_BITOP = 1 << 24,
    VF_NO_INLINE = 1 << 25,
    VF_NAN_ANY = 1 << 26,  /* the document does not say which NaN */
    VF_NO_MODS = 1 << 27,  /* float sources without neg and abs */
    VF_SRC_SEL = 1 << 28,  /* SDWA chooses a byte or word of src0 and nothing else */
    VF_MASK = 1 << 30,     /* a VOP3 whose last operand is a mask */
    VF_SELF = 1 << 29      /* the reference judges l->got itself and sets l->ok */
};

struct valu_row;

struct lane {
    const struct valu_row *row;
    enum target target;
    uint32_t mode;
    int lane;
    uint64_t s[3];
    uint32_t w[3][32];  /* the same, all words */
    uint64_t d, old;    /* old destination in, result out; old stays */
    uint32_t dw[32];    /* results wider than 64 bits (old destination in) */
    bool mask_in, mask_out; /* carry or condition of this lane; for VOPC the result */
    bool clamp;
    unsigned opsel;     /* op_sel as written, bit i = operand i, bit 3 = destination */
    unsigned imm;       /* bitop3 table */
    uint64_t alt[36];   /* other results that the documents allow */
    int nalt;
    const uint32_t *got; /* VF_SELF: the destination afterwards; d and dw hold it before */
    bool ok;
    bool skip;          /* no document defines this case */
};

typedef void valu_ref(struct lane *l);

struct valu_row {
    const char *name;
    enum vform form;
    enum vtype d, s[3];
    valu_ref *ref;
    unsigned flags;
    unsigned targets;
    unsigned tol;       /* ulps of the destination's format */
    const void *aux;    /* the reference's own */
};

/* Runs every row of the table that the target has. */
void valu_run(enum target t, const struct valu_row *rows, size_t count);

/* Float access with the wave's denormal mode; results rounded by its rounding mode. */
struct ref_num lane_f16(const struct lane *l, uint64_t bits);
struct ref_num lane_bf16(const struct lane *l, uint64_t bits);
struct ref_num lane_f32(const struct lane *l, uint64_t bits);
struct ref_num lane_f64(const struct lane *l, uint64_t bits);
uint32_t pack_f16(const struct lane *l, struct ref_num x);
uint32_t pack_bf16(const struct lane *l, struct ref_num x);
uint32_t pack_f32(const struct lane *l, struct ref_num x);
uint64_t pack_f64(const struct lane *l, struct ref_num x);
enum ref_round round32(const struct lane *l);
enum ref_round round16(const struct lane *l); /* f16 and f64 share their bits of MODE */
void lane_alt(struct lane *l, uint64_t value);

/* A value of a type: specials, patterns and uniform bits mixed. */
uint64_t draw(enum vtype t);
uint64_t special(enum vtype t, unsigned i, unsigned *count);
int type_words(enum vtype t);
const struct ref_format *type_format(enum vtype t);

/* Source lane of a DPP control on gfx9, or -1; row of 16. */
int dpp_source(enum target t, unsigned ctrl, int lane);

#endif
