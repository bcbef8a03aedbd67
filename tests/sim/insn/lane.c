/* SPDX-License-Identifier: MIT */
/*
 * What references use of a lane: floats by the wave's MODE, and the lane a DPP control reads (CDNA3
 * ISA guide, DPP chapter: rows of 16 lanes; an invalid source is -1).
 */
#include "valu.h"

enum ref_round round32(const struct lane *l) { return (enum ref_round)(l->mode & 3); }

enum ref_round round16(const struct lane *l) { return (enum ref_round)(l->mode >> 2 & 3); }

static struct ref_num fetch_num(struct ref_format f, uint64_t bits, bool keep_denormals)
{
    if (!keep_denormals && ref_is_denormal(f, bits))
        bits = bits >> (f.exp_bits + f.man_bits) << (f.exp_bits + f.man_bits);
    return ref_unpack(f, bits);
}

/* MODE.denorm: bit 0 = inputs kept (as 1 or 3), bit 1 = outputs kept (2 or 3). */
struct ref_num lane_f32(const struct lane *l, uint64_t bits)
{
    return fetch_num(REF_F32, (uint32_t)bits, l->mode & 0x10);
}

struct ref_num lane_f16(const struct lane *l, uint64_t bits)
{
    return fetch_num(REF_F16, (uint16_t)bits, l->mode & 0x40);
}

/* bf16 follows MODE's fields of f16 (assumed). */
struct ref_num lane_bf16(const struct lane *l, uint64_t bits)
{
    return fetch_num(REF_BF16, (uint16_t)bits, l->mode & 0x40);
}

struct ref_num lane_f64(const struct lane *l, uint64_t bits)
{
    return fetch_num(REF_F64, bits, l->mode & 0x40);
}

uint32_t pack_f32(const struct lane *l, struct ref_num x)
{
    return (uint32_t)ref_pack(REF_F32, x, round32(l), !(l->mode & 0x20));
}

uint32_t pack_bf16(const struct lane *l, struct ref_num x)
{
    return (uint32_t)ref_pack(REF_BF16, x, round16(l), !(l->mode & 0x80));
}

uint32_t pack_f16(const struct lane *l, struct ref_num x)
{
    uint32_t r = (uint32_t)ref_pack(REF_F16, x, round16(l), !(l->mode & 0x80));
    if (l->mode & MODE_FP16_OVFL && x.cls == REF_FINITE && (r & 0x7fff) == 0x7c00)
        r--; /* the largest number */
    return r;
}

uint64_t pack_f64(const struct lane *l, struct ref_num x)
{
    return ref_pack(REF_F64, x, round16(l), !(l->mode & 0x80));
}

void lane_alt(struct lane *l, uint64_t value)
{
    if (l->nalt < (int)(sizeof l->alt / sizeof *l->alt))
        l->alt[l->nalt++] = value;
}

int dpp_source(enum target t, unsigned ctrl, int i)
{
    int row = i & ~15, in = i & 15, n = ctrl & 15, s;
    if (ctrl <= 0xff)
        return (i & ~3) | (ctrl >> (i & 3) * 2 & 3);
    switch (ctrl >> 4) {
    case 0x10: return in + n < 16 ? i + n : -1;
    case 0x11: return in - n >= 0 ? i - n : -1;
    case 0x12: return row | ((in - n) & 15);
    case 0x15: return row | n; /* row_newbcast; row_share on gfx10+ */
    case 0x16: return row | (in ^ n);
    }
    switch (ctrl) {
    case 0x130: return i + 1 < 64 ? i + 1 : -1;
    case 0x134: return (i + 1) & 63;
    case 0x138: return i - 1;
    case 0x13c: return (i - 1) & 63;
    case 0x140: return row | (15 - in);
    case 0x141: return (i & ~7) | (7 - (i & 7));
    case 0x142: s = row - 1; return s; /* lane 15 of the row before */
    case 0x143: return i >= 32 ? 31 : -1;
    }
    (void)t;
    return -1;
}
