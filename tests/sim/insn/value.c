/* SPDX-License-Identifier: MIT */
/*
 * Operand values: for each type a list of the ones that matter (zeros, denormals, ties of the
 * formats it is converted to, saturation limits, infinities, quiet and signalling NaN, shift
 * counts at and beyond the width), and draws that mix them with patterns and uniform bits.
 */
#include "valu.h"

static const uint64_t s_f32[] = {
    0, 0x80000000, 1, 0x80000001, 0x7fffff, 0x807fffff, 0x800000, 0x80800000, 0x3f800000,
    0xbf800000, 0x3f000000, 0xbf000000, 0x3effffff, 0x3fc00000, 0x40200000, 0xc0200000, 0x40600000,
    0x4b000000, 0x4b7fffff, 0x4b000001, 0xcb000001, 0xcf000000, 0xcf000001, 0x4f000000, 0x4effffff,
    0x4f7fffff, 0x4f800000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
    0x7f800001, 0xffbfffff, 0x3f7fffff, 0x3f800001, 0x3e22f983, 0x477fe000, 0x477fefff, 0x477ff000,
    0x38800000, 0x387fe000, 0x33800000, 0x33000000, 0x33000001, 0x437f0000, 0x43800000, 0x43e00000,
    0x43e80000, 0x43700000, 0x43780000, 0x47600000, 0x47700000, 0x47800000, 0x3f808000, 0x3f818000,
    0x3f808001, 0x7f7f8000, 0x437e8000, 0xbe800000, 0x3e800000, 0x41200000, 0xc2fe0000,
    0xc3150000 };
static const uint64_t s_f16[] = {
    0, 0x8000, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x3c00, 0xbc00, 0x3800, 0xb800, 0x37ff,
    0x3e00, 0x4100, 0xc100, 0x4300, 0x6400, 0x67ff, 0x6401, 0xf801, 0x7800, 0x77ff, 0xf800, 0x7bff,
    0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe12, 0x7c01, 0xfdff, 0x3bff, 0x3c01, 0x3118, 0x5bf8,
    0x5c00 };
static const uint64_t s_f64[] = {
    0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
    0x8010000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x3fe0000000000000,
    0x3fdfffffffffffff, 0x3ff8000000000000, 0x4004000000000000, 0xc004000000000000,
    0x4330000000000000, 0x4340000000000000, 0x4330000000000001, 0x41dfffffffc00000,
    0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000,
    0x41f0000000000000, 0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0xfff8000012345678, 0x7ff0000000000001,
    0xfff7ffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000001, 0x3fc45f306dc9c882,
    0x47efffffe0000000, 0x47effffff0000000, 0x3810000000000000, 0x380fffffffffffff,
    0x36a0000000000000, 0x3690000000000000 };
static const uint64_t s_i32[] = {
    0, 1, 0xffffffff, 2, 0xfffffffe, 3, 7, 15, 16, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x100,
    0x7fff, 0x8000, 0xffff, 0x10000, 0xffff8000, 0xffff7fff, 0x7fffff, 0x800000, 0xffffff,
    0x1000000, 0xff800000, 0x7fffffff, 0x80000000, 0x80000001, 0x55555555, 0xaaaaaaaa, 0x01234567,
    0x0c0d0b08, 0x00ff00ff };
static const uint64_t s_i16[] = { 0, 1, 0xffff, 2, 0xfffe, 7, 8, 15, 16, 17, 31, 0x7f, 0x80, 0xff,
                                  0x100, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0x5555, 0xaaaa };
static const uint64_t s_i64[] = {
    0, 1, 0xffffffffffffffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0xffffffff80000000,
    0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0x5555555555555555,
    0x0123456789abcdef, 63, 64, 0x00000001ffffffff, 0xfffffffffffffffe };
static const uint64_t s_shift[] = { 0, 1, 2, 4, 7, 8, 15, 16, 17, 24, 30, 31, 32, 33, 40, 48, 62,
                                    63, 64, 65, 127, 128, 255, 0xffffffff, 0xffffffe0, 0x80000000,
                                    0x001f0003, 0x00200000, 0x00070010, 0x00400001, 0x007f0005 };

#define LIST(a) a, sizeof a / sizeof *a

static const struct {
    const uint64_t *list;
    unsigned count;
    int words;
    const struct ref_format *format;
} types[V_TYPES] = {
    [V_B16] = { LIST(s_i16), 1, NULL }, [V_I16] = { LIST(s_i16), 1, NULL },
    [V_U16] = { LIST(s_i16), 1, NULL }, [V_F16] = { LIST(s_f16), 1, &REF_F16 },
    [V_BF16] = { NULL, 0, 1, &REF_BF16 }, [V_B32] = { LIST(s_i32), 1, NULL },
    [V_I32] = { LIST(s_i32), 1, NULL }, [V_U32] = { LIST(s_i32), 1, NULL },
    [V_F32] = { LIST(s_f32), 1, &REF_F32 }, [V_FP8] = { NULL, 0, 1, NULL },
    [V_P16] = { NULL, 0, 1, NULL }, [V_PF16] = { NULL, 0, 1, &REF_F16 },
    [V_PBF16] = { NULL, 0, 1, &REF_BF16 }, [V_MIX] = { NULL, 0, 1, NULL },
    [V_MIXB] = { NULL, 0, 1, NULL },
    [V_B64] = { LIST(s_i64), 2, NULL }, [V_I64] = { LIST(s_i64), 2, NULL },
    [V_U64] = { LIST(s_i64), 2, NULL }, [V_F64] = { LIST(s_f64), 2, &REF_F64 },
    [V_PF32] = { NULL, 0, 2, &REF_F32 }, [V_P32] = { NULL, 0, 2, NULL },
    [V_SHIFT] = { LIST(s_shift), 1, NULL }, [V_W3] = { NULL, 0, 3, NULL },
        [V_W4] = { NULL, 0, 4, NULL },
    [V_W6] = { NULL, 0, 6, NULL }, [V_W8] = { NULL, 0, 8, NULL }, [V_W16] = { NULL, 0, 16, NULL },
    [V_W32] = { NULL, 0, 32, NULL },
};

int type_words(enum vtype t)
{
    return types[t].words;
}

const struct ref_format *type_format(enum vtype t)
{
    return types[t].format;
}

uint64_t special(enum vtype t, unsigned i, unsigned *count)
{
    *count = types[t].count;
    return types[t].count ? types[t].list[i % types[t].count] : 0;
}

/* Uniform bits, or a number of moderate size, so that sums and products stay in range. */
static uint64_t draw_float(struct ref_format f)
{
    uint64_t bits = rand64();
    int spread = 1 << (f.exp_bits - 3 > 0 ? f.exp_bits - 3 : 0);
    uint64_t exp = (uint64_t)(f.bias - spread / 2 + (int)rand_below((uint32_t)spread + 1));
    uint64_t man = rand64() & ((1ull << f.man_bits) - 1);
    if (rand_below(4) == 0)
        man &= ~0ull << rand_below((uint32_t)f.man_bits + 1); /* few bits: exact results and ties */
    if (rand_below(3))
        bits = (bits & 1) << (f.exp_bits + f.man_bits) | exp << f.man_bits | man;
    else
        bits &= (1ull << f.exp_bits << f.man_bits << 1) - 1;
    return f.exp_bits + f.man_bits == 63 && !bits ? rand64() : bits;
}

uint64_t draw(enum vtype t)
{
    unsigned n = types[t].count;
    switch (t) {
    case V_F64:
        if (rand_below(4) == 0)
            return types[t].list[rand_below(n)];
        if (rand_below(3) == 0)
            return rand64();
        return (rand64() & 0x800fffffffffffff) | (uint64_t)(1023 - 40 + rand_below(80)) << 52;
    case V_F32: case V_F16:
        return rand_below(4) == 0 ? types[t].list[rand_below(n)] : draw_float(*types[t].format);
    case V_BF16:
        return draw(V_F32) >> 16;
    case V_PF16:
        return draw(V_F16) | draw(V_F16) << 16;
    case V_PBF16:
        return draw(V_F32) >> 16 | (draw(V_F32) & 0xffff0000);
    case V_MIX:
        return rand_below(2) ? draw(V_F32) : draw(V_PF16);
    case V_MIXB:
        return rand_below(2) ? draw(V_F32) : draw(V_PBF16);
    case V_PF32:
        return draw(V_F32) | draw(V_F32) << 32;
    case V_P16:
        return draw(V_I16) | draw(V_I16) << 16;
    case V_P32:
        return draw(V_I32) | draw(V_I32) << 32;
    case V_FP8:
        return (uint32_t)rand64();
    case V_SHIFT:
        return rand_below(3) ? types[t].list[rand_below(n)] : (uint32_t)rand64();
    case V_B64: case V_I64: case V_U64:
        return rand_below(3) == 0 ? types[t].list[rand_below(n)] : rand64() >> rand_below(64);
    case V_B16: case V_I16: case V_U16:
        return rand_below(3) == 0 ? types[t].list[rand_below(n)] : rand64() & 0xffff;
    case V_B32: case V_I32: case V_U32:
        if (rand_below(3) == 0)
            return types[t].list[rand_below(n)];
        return rand_below(2) ? (uint32_t)rand64() : (uint32_t)rand64() >> rand_below(32);
    default:
        return rand64();
    }
}
