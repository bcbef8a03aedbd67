/* SPDX-License-Identifier: MIT */
/*
 * Integer and bit operations of 32 and 64 bits, 24-bit multiplies, carries, sums of absolute
 * differences, permutes. References: CDNA3/CDNA4 ISA guides, instruction chapters.
 */
#include "valu.h"

#define REF(name) static void name(struct lane *l)
#define A ((uint32_t)l->s[0])
#define B ((uint32_t)l->s[1])
#define C ((uint32_t)l->s[2])

static int64_t clamp_to(int64_t x, int64_t lo, int64_t hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

static void out_u32(struct lane *l, __int128 x)
{
    if (l->clamp)
        x = x < 0 ? 0 : x > UINT32_MAX ? UINT32_MAX : x;
    l->d = (uint32_t)x;
}

static void out_i32(struct lane *l, __int128 x)
{
    if (l->clamp)
        x = x < INT32_MIN ? INT32_MIN : x > INT32_MAX ? INT32_MAX : x;
    l->d = (uint32_t)x;
}

static int64_t i24(uint32_t x) { return (int32_t)(x << 8) >> 8; }
static uint64_t u24(uint32_t x) { return x & 0xffffff; }

REF(mov) { l->d = l->s[0]; }
REF(not_) { l->d = ~A; }
REF(and_) { l->d = A & B; }
REF(or_) { l->d = A | B; }
REF(xor_) { l->d = A ^ B; }
REF(xnor) { l->d = ~(A ^ B); }
REF(add) { out_u32(l, (__int128)A + B); }
REF(sub) { out_u32(l, (__int128)A - B); }
REF(subrev) { out_u32(l, (__int128)B - A); }
REF(add_i) { out_i32(l, (__int128)(int32_t)A + (int32_t)B); }
REF(sub_i) { out_i32(l, (__int128)(int32_t)A - (int32_t)B); }
REF(lshl) { l->d = B << (A & 31); }
REF(lshr) { l->d = B >> (A & 31); }
REF(ashr) { l->d = (uint32_t)((int32_t)B >> (A & 31)); }
REF(lshl64) { l->d = l->s[1] << (A & 63); }
REF(lshr64) { l->d = l->s[1] >> (A & 63); }
REF(ashr64) { l->d = (uint64_t)((int64_t)l->s[1] >> (A & 63)); }
REF(min_i) { l->d = (int32_t)A < (int32_t)B ? A : B; }
REF(max_i) { l->d = (int32_t)A > (int32_t)B ? A : B; }
REF(min_u) { l->d = A < B ? A : B; }
REF(max_u) { l->d = A > B ? A : B; }
REF(mul_i24) { l->d = (uint32_t)(i24(A) * i24(B)); }
REF(mul_hi_i24) { l->d = (uint32_t)((i24(A) * i24(B)) >> 32); }
REF(mul_u24) { l->d = (uint32_t)(u24(A) * u24(B)); }
REF(mul_hi_u24) { l->d = (uint32_t)((u24(A) * u24(B)) >> 32); }
REF(mad_i24) { out_i32(l, (__int128)i24(A) * i24(B) + (int32_t)C); }
REF(mad_u24) { out_u32(l, (__int128)(u24(A) * u24(B)) + C); }
REF(mul_lo) { l->d = A * B; }
REF(mul_hi_u) { l->d = (uint64_t)A * B >> 32; }
REF(mul_hi_i) { l->d = (uint32_t)((int64_t)(int32_t)A * (int32_t)B >> 32); }

REF(add_co)
{
    uint64_t r = (uint64_t)A + B;
    l->mask_out = r >> 32;
    out_u32(l, (__int128)r);
}
REF(sub_co)
{
    l->mask_out = A < B;
    out_u32(l, (__int128)A - B);
}
REF(subrev_co)
{
    l->mask_out = B < A;
    out_u32(l, (__int128)B - A);
}
REF(addc)
{
    uint64_t r = (uint64_t)A + B + l->mask_in;
    l->mask_out = r >> 32;
    out_u32(l, (__int128)r);
}
REF(subb)
{
    l->mask_out = (uint64_t)B + l->mask_in > A;
    out_u32(l, (__int128)A - B - l->mask_in);
}
REF(subbrev)
{
    l->mask_out = (uint64_t)A + l->mask_in > B;
    out_u32(l, (__int128)B - A - l->mask_in);
}
REF(cndmask) { l->d = l->mask_in ? B : A; }

REF(bfe_u)
{
    unsigned at = B & 31, n = C & 31;
    l->d = A >> at & ((1u << n) - 1);
}
REF(bfe_i)
{
    unsigned at = B & 31, n = C & 31;
    uint32_t v = A >> at & ((1u << n) - 1);
    if (n && at + n > 32) { /* the field ends above bit 31: filled with the sign */
        l->d = (uint32_t)((int32_t)A >> at);
        return;
    }
    l->d = n && v >> (n - 1) ? v | ~0u << n : v;
}
REF(bfi) { l->d = (A & B) | (~A & C); }
REF(bfm) { l->d = ((1u << (A & 31)) - 1) << (B & 31); }
REF(bfrev)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++)
        r |= (A >> i & 1) << (31 - i);
    l->d = r;
}
REF(ffbh_u) { l->d = A ? (uint32_t)__builtin_clz(A) : ~0u; }
REF(ffbl) { l->d = A ? (uint32_t)__builtin_ctz(A) : ~0u; }
REF(ffbh_i)
{
    l->d = ~0u;
    for (int i = 1; i < 32; i++)
        if ((A >> (31 - i) & 1) != A >> 31) {
            l->d = (uint32_t)i;
            return;
        }
}
REF(bcnt) { l->d = (uint32_t)__builtin_popcount(A) + B; }
REF(mbcnt_lo)
{
    uint32_t below = l->lane >= 32 ? ~0u : (1u << l->lane) - 1;
    l->d = (uint32_t)__builtin_popcount(A & below) + B;
}
REF(mbcnt_hi)
{
    uint32_t below = l->lane < 32 ? 0 : (1u << (l->lane - 32)) - 1;
    l->d = (uint32_t)__builtin_popcount(A & below) + B;
}

REF(alignbit) { l->d = (uint32_t)(((uint64_t)A << 32 | B) >> (C & 31)); }
REF(alignbyte) { l->d = (uint32_t)(((uint64_t)A << 32 | B) >> (C & 3) * 8); }
REF(lshl_add) { l->d = (A << (B & 31)) + C; }
REF(add_lshl) { l->d = (A + B) << (C & 31); }
REF(add3) { l->d = A + B + C; }
REF(lshl_or) { l->d = A << (B & 31) | C; }
REF(and_or) { l->d = (A & B) | C; }
REF(or3) { l->d = A | B | C; }
REF(xad) { l->d = (A ^ B) + C; }
REF(lshl_add64) { l->d = (l->s[0] << (B & 7)) + l->s[2]; }
REF(min3_i)
{
    l->d = (uint32_t)clamp_to((int32_t)A < (int32_t)B ? (int32_t)A : (int32_t)B, INT32_MIN,
        (int32_t)C);
}
REF(max3_i)
{
    l->d = (uint32_t)clamp_to((int32_t)A > (int32_t)B ? (int32_t)A : (int32_t)B, (int32_t)C,
        INT32_MAX);
}
REF(min3_u) { l->d = A < B ? (A < C ? A : C) : B < C ? B : C; }
REF(max3_u) { l->d = A > B ? (A > C ? A : C) : B > C ? B : C; }
REF(med3_i)
{
    int32_t a = (int32_t)A, b = (int32_t)B, c = (int32_t)C, lo = a < b ? a : b, hi = a < b ? b : a;
    l->d = (uint32_t)(c < lo ? lo : c > hi ? hi : c);
}
REF(med3_u)
{
    uint32_t lo = A < B ? A : B, hi = A < B ? B : A;
    l->d = C < lo ? lo : C > hi ? hi : C;
}

static uint32_t diff(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }

static uint64_t sad8(uint32_t a, uint32_t b, bool masked)
{
    uint64_t sum = 0;
    for (int i = 0; i < 32; i += 8)
        if (!masked || (b >> i & 0xff))
            sum += diff(a >> i & 0xff, b >> i & 0xff);
    return sum;
}

REF(sad_u8) { out_u32(l, (__int128)sad8(A, B, false) + C); }
REF(msad_u8) { out_u32(l, (__int128)sad8(A, B, true) + C); }
REF(sad_hi_u8) { out_u32(l, (__int128)(sad8(A, B, false) << 16) + C); }
REF(sad_u16) { out_u32(l, (__int128)diff(A & 0xffff, B & 0xffff) + diff(A >> 16, B >> 16) + C); }
REF(sad_u32) { out_u32(l, (__int128)diff(A, B) + C); }

static void qsad(struct lane *l, bool masked)
{
    uint64_t r = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t sum = sad8((uint32_t)(l->s[0] >> 8 * i), B, masked) + (l->s[2] >> 16 * i & 0xffff);
        if (l->clamp && sum > 0xffff)
            sum = 0xffff;
        r |= (sum & 0xffff) << 16 * i;
    }
    l->d = r;
}
REF(qsad_pk) { qsad(l, false); }
REF(mqsad_pk) { qsad(l, true); }
REF(mqsad_u32)
{
    for (int i = 0; i < 4; i++) {
        uint64_t sum = sad8((uint32_t)(l->s[0] >> 8 * i), B, true) + l->w[2][i];
        l->dw[i] = l->clamp && sum >> 32 ? ~0u : (uint32_t)sum;
    }
}

REF(lerp)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i += 8)
        r |= (((A >> i & 0xff) + (B >> i & 0xff) + (C >> i & 1)) >> 1 & 0xff) << i;
    l->d = r;
}

/* Selectors 0-7 take a byte of {S0, S1}, 8-11 a sign, 12 zero, above 0xff. */
REF(perm)
{
    uint64_t in = (uint64_t)A << 32 | B;
    uint32_t r = 0;
    for (int i = 0; i < 32; i += 8) {
        unsigned s = C >> i & 0xff;
        uint32_t v = s < 8 ? in >> 8 * s & 0xff : s < 12 ? (in >> ((s - 8) * 16 + 15) & 1) * 0xff
            : s == 12 ? 0 : 0xff;
        r |= v << i;
    }
    l->d = r;
}

REF(mad_u64_u32)
{
    unsigned __int128 r = (unsigned __int128)((uint64_t)A * B) + l->s[2];
    l->mask_out = r >> 64 & 1;
    l->d = l->clamp && r >> 64 ? ~0ull : (uint64_t)r;
}
REF(mad_i64_i32)
{
    __int128 r = (__int128)((int64_t)(int32_t)A * (int32_t)B) + (int64_t)l->s[2];
    l->mask_out = (unsigned __int128)r >> 64 & 1; /* bit 64 of the 65-bit sum */
    if (l->clamp)
        r = r < INT64_MIN ? INT64_MIN : r > INT64_MAX ? INT64_MAX : r;
    l->d = (uint64_t)r;
}

REF(mad_u32_u16) { out_u32(l, (__int128)((A & 0xffff) * (uint64_t)(B & 0xffff)) + C); }
REF(mad_i32_i16) { out_i32(l, (__int128)((int16_t)A * (int16_t)B) + (int32_t)C); }
REF(prng) { l->d = (A << 1) ^ (A >> 31 ? 197 : 0); }

static uint32_t bitop(const struct lane *l)
{
    uint32_t r = 0;
    for (int i = 0; i < 32; i++) {
        unsigned index = (A >> i & 1) << 2 | (B >> i & 1) << 1 | (C >> i & 1);
        r |= (l->imm >> index & 1) << i;
    }
    return r;
}
REF(bitop32) { l->d = bitop(l); }
REF(bitop16) { l->d = bitop(l) & 0xffff; }

static uint64_t sat_shift(struct lane *l, int lo, int hi)
{
    int64_t a = (int32_t)A >> (C & 31), b = (int32_t)B >> (C & 31);
    return (uint64_t)(clamp_to(a, lo, hi) & 0xff) | (uint64_t)(clamp_to(b, lo, hi) & 0xff) << 8;
}
REF(ashr_pk_i8) { l->d = sat_shift(l, -128, 127); }
REF(ashr_pk_u8) { l->d = sat_shift(l, 0, 255); }

REF(sat_pk_u8)
{
    l->d = (uint64_t)clamp_to((int16_t)A, 0, 255) | (uint64_t)clamp_to((int16_t)(A >> 16), 0,
        255) << 8;
}

REF(sext16) { l->d = (uint32_t)(int16_t)A; }
REF(not16) { l->d = ~A & 0xffff; }
REF(add64) { l->d = l->s[0] + l->s[1]; }
REF(sub64) { l->d = l->s[0] - l->s[1]; }
REF(mul64) { l->d = l->s[0] * l->s[1]; }
REF(xor3) { l->d = A ^ B ^ C; }
REF(maxmin_u) { uint32_t m = A > B ? A : B; l->d = m < C ? m : C; }
REF(minmax_u) { uint32_t m = A < B ? A : B; l->d = m > C ? m : C; }
REF(maxmin_i)
{
    int32_t m = (int32_t)A > (int32_t)B ? (int32_t)A : (int32_t)B;
    l->d = (uint32_t)(m < (int32_t)C ? m : (int32_t)C);
}
REF(minmax_i)
{
    int32_t m = (int32_t)A < (int32_t)B ? (int32_t)A : (int32_t)B;
    l->d = (uint32_t)(m > (int32_t)C ? m : (int32_t)C);
}
REF(min_u64) { l->d = l->s[0] < l->s[1] ? l->s[0] : l->s[1]; }
REF(max_u64) { l->d = l->s[0] > l->s[1] ? l->s[0] : l->s[1]; }
REF(min_i64) { l->d = (int64_t)l->s[0] < (int64_t)l->s[1] ? l->s[0] : l->s[1]; }
REF(max_i64) { l->d = (int64_t)l->s[0] > (int64_t)l->s[1] ? l->s[0] : l->s[1]; }
REF(mad_u32) { l->d = A * B + C; }

#define SD (VF_SDWA | VF_DPP)

static const struct valu_row rows[] = {
    /* name, form, destination, sources, reference, flags, targets */
    { "v_mov_b32", VOP1, V_B32, { V_B32 }, mov, SD, ON_ALL },
    { "v_mov_b64", VOP1, V_B64, { V_B64 }, mov, VF_DPP, ON_940 | ON_1250 },
    { "v_not_b32", VOP1, V_B32, { V_B32 }, not_, SD, ON_ALL },
    { "v_bfrev_b32", VOP1, V_B32, { V_B32 }, bfrev, SD, ON_ALL },
    { "v_ffbh_u32", VOP1, V_U32, { V_U32 }, ffbh_u, SD, ON_GFX9 },
    { "v_ffbl_b32", VOP1, V_U32, { V_B32 }, ffbl, SD, ON_GFX9 },
    { "v_ffbh_i32", VOP1, V_U32, { V_I32 }, ffbh_i, SD, ON_GFX9 },
    { "v_prng_b32", VOP1, V_U32, { V_U32 }, prng, SD, ON_950 },
    { "v_sat_pk_u8_i16", VOP1, V_B16, { V_P16 }, sat_pk_u8, SD | VF_HI_ANY | VF_NO_INLINE,
      ON_GFX9 },
    { "v_and_b32", VOP2, V_B32, { V_B32, V_B32 }, and_, SD, ON_ALL },
    { "v_or_b32", VOP2, V_B32, { V_B32, V_B32 }, or_, SD, ON_ALL },
    { "v_xor_b32", VOP2, V_B32, { V_B32, V_B32 }, xor_, SD, ON_ALL },
    { "v_xnor_b32", VOP2, V_B32, { V_B32, V_B32 }, xnor, SD, ON_ALL },
    { "v_add_u32", VOP2, V_U32, { V_U32, V_U32 }, add, SD | VF_CLAMP, ON_GFX9 },
    { "v_sub_u32", VOP2, V_U32, { V_U32, V_U32 }, sub, SD | VF_CLAMP, ON_GFX9 },
    { "v_subrev_u32", VOP2, V_U32, { V_U32, V_U32 }, subrev, SD | VF_CLAMP, ON_GFX9 },
    { "v_add_co_u32", VOP2C, V_U32, { V_U32, V_U32 }, add_co, SD | VF_CLAMP | VF_CARRY_OUT,
      ON_GFX9 },
    { "v_sub_co_u32", VOP2C, V_U32, { V_U32, V_U32 }, sub_co, SD | VF_CLAMP | VF_CARRY_OUT,
      ON_GFX9 },
    { "v_subrev_co_u32", VOP2C, V_U32, { V_U32, V_U32 }, subrev_co, SD | VF_CLAMP | VF_CARRY_OUT,
      ON_GFX9 },
    { "v_addc_co_u32", VOP2C, V_U32, { V_U32, V_U32 }, addc, SD | VF_CLAMP | VF_CARRY_OUT |
      VF_CARRY_IN, ON_GFX9 },
    { "v_subb_co_u32", VOP2C, V_U32, { V_U32, V_U32 }, subb, SD | VF_CLAMP | VF_CARRY_OUT |
      VF_CARRY_IN, ON_GFX9 },
    { "v_subbrev_co_u32", VOP2C, V_U32, { V_U32, V_U32 }, subbrev, SD | VF_CLAMP | VF_CARRY_OUT |
      VF_CARRY_IN, ON_GFX9 },
    { "v_cndmask_b32", VOP2, V_B32, { V_F32, V_F32 }, cndmask, SD | VF_VCC, ON_GFX9 },
    { "v_lshlrev_b32", VOP2, V_B32, { V_SHIFT, V_B32 }, lshl, SD, ON_ALL },
    { "v_lshrrev_b32", VOP2, V_B32, { V_SHIFT, V_B32 }, lshr, SD, ON_ALL },
    { "v_ashrrev_i32", VOP2, V_B32, { V_SHIFT, V_I32 }, ashr, SD, ON_ALL },
    { "v_min_i32", VOP2, V_I32, { V_I32, V_I32 }, min_i, SD, ON_ALL },
    { "v_max_i32", VOP2, V_I32, { V_I32, V_I32 }, max_i, SD, ON_ALL },
    { "v_min_u32", VOP2, V_U32, { V_U32, V_U32 }, min_u, SD, ON_ALL },
    { "v_max_u32", VOP2, V_U32, { V_U32, V_U32 }, max_u, SD, ON_ALL },
    { "v_mul_i32_i24", VOP2, V_I32, { V_I32, V_I32 }, mul_i24, SD, ON_ALL },
    { "v_mul_hi_i32_i24", VOP2, V_I32, { V_I32, V_I32 }, mul_hi_i24, SD, ON_ALL },
    { "v_mul_u32_u24", VOP2, V_U32, { V_U32, V_U32 }, mul_u24, SD, ON_ALL },
    { "v_mul_hi_u32_u24", VOP2, V_U32, { V_U32, V_U32 }, mul_hi_u24, SD, ON_ALL },
    { "v_mad_i32_i24", VOP3, V_I32, { V_I32, V_I32, V_I32 }, mad_i24, VF_CLAMP, ON_ALL },
    { "v_mad_u32_u24", VOP3, V_U32, { V_U32, V_U32, V_U32 }, mad_u24, VF_CLAMP, ON_ALL },
    { "v_mul_lo_u32", VOP3, V_U32, { V_U32, V_U32 }, mul_lo, 0, ON_ALL },
    { "v_mul_hi_u32", VOP3, V_U32, { V_U32, V_U32 }, mul_hi_u, 0, ON_ALL },
    { "v_mul_hi_i32", VOP3, V_I32, { V_I32, V_I32 }, mul_hi_i, 0, ON_ALL },
    { "v_add_i32", VOP3, V_I32, { V_I32, V_I32 }, add_i, VF_CLAMP, ON_GFX9 },
    { "v_sub_i32", VOP3, V_I32, { V_I32, V_I32 }, sub_i, VF_CLAMP, ON_GFX9 },
    { "v_lshlrev_b64", VOP3, V_B64, { V_SHIFT, V_B64 }, lshl64, 0, ON_GFX9 },
    { "v_lshrrev_b64", VOP3, V_B64, { V_SHIFT, V_B64 }, lshr64, 0, ON_GFX9 },
    { "v_ashrrev_i64", VOP3, V_B64, { V_SHIFT, V_I64 }, ashr64, 0, ON_GFX9 },
    { "v_bfe_u32", VOP3, V_U32, { V_B32, V_SHIFT, V_SHIFT }, bfe_u, 0, ON_ALL },
    { "v_bfe_i32", VOP3, V_I32, { V_B32, V_SHIFT, V_SHIFT }, bfe_i, 0, ON_ALL },
    { "v_bfi_b32", VOP3, V_B32, { V_B32, V_B32, V_B32 }, bfi, 0, ON_ALL },
    { "v_bfm_b32", VOP3, V_B32, { V_SHIFT, V_SHIFT }, bfm, 0, ON_ALL },
    { "v_bcnt_u32_b32", VOP3, V_U32, { V_B32, V_U32 }, bcnt, 0, ON_ALL },
    { "v_mbcnt_lo_u32_b32", VOP3, V_U32, { V_B32, V_U32 }, mbcnt_lo, 0, ON_ALL },
    { "v_mbcnt_hi_u32_b32", VOP3, V_U32, { V_B32, V_U32 }, mbcnt_hi, 0, ON_ALL },
    { "v_alignbit_b32", VOP3, V_B32, { V_B32, V_B32, V_SHIFT }, alignbit, 0, ON_ALL },
    { "v_alignbyte_b32", VOP3, V_B32, { V_B32, V_B32, V_SHIFT }, alignbyte, 0, ON_ALL },
    { "v_lshl_add_u32", VOP3, V_U32, { V_U32, V_SHIFT, V_U32 }, lshl_add, 0, ON_ALL },
    { "v_add_lshl_u32", VOP3, V_U32, { V_U32, V_U32, V_SHIFT }, add_lshl, 0, ON_ALL },
    { "v_add3_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, add3, 0, ON_ALL },
    { "v_lshl_or_b32", VOP3, V_B32, { V_B32, V_SHIFT, V_B32 }, lshl_or, 0, ON_ALL },
    { "v_and_or_b32", VOP3, V_B32, { V_B32, V_B32, V_B32 }, and_or, 0, ON_ALL },
    { "v_or3_b32", VOP3, V_B32, { V_B32, V_B32, V_B32 }, or3, 0, ON_ALL },
    { "v_xad_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, xad, 0, ON_ALL },
    { "v_lshl_add_u64", VOP3, V_U64, { V_U64, V_SHIFT, V_U64 }, lshl_add64, 0, ON_940 | ON_1250 },
    { "v_min3_i32", VOP3, V_I32, { V_I32, V_I32, V_I32 }, min3_i, 0, ON_ALL },
    { "v_max3_i32", VOP3, V_I32, { V_I32, V_I32, V_I32 }, max3_i, 0, ON_ALL },
    { "v_min3_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, min3_u, 0, ON_ALL },
    { "v_max3_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, max3_u, 0, ON_ALL },
    { "v_med3_i32", VOP3, V_I32, { V_I32, V_I32, V_I32 }, med3_i, 0, ON_ALL },
    { "v_med3_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, med3_u, 0, ON_ALL },
    { "v_sad_u8", VOP3, V_U32, { V_B32, V_B32, V_U32 }, sad_u8, VF_CLAMP, ON_ALL },
    { "v_sad_hi_u8", VOP3, V_U32, { V_B32, V_B32, V_U32 }, sad_hi_u8, VF_CLAMP, ON_ALL },
    { "v_sad_u16", VOP3, V_U32, { V_B32, V_B32, V_U32 }, sad_u16, VF_CLAMP, ON_ALL },
    { "v_sad_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, sad_u32, VF_CLAMP, ON_ALL },
    { "v_msad_u8", VOP3, V_U32, { V_B32, V_B32, V_U32 }, msad_u8, VF_CLAMP, ON_ALL },
    { "v_qsad_pk_u16_u8", VOP3, V_B64, { V_B64, V_B32, V_B64 }, qsad_pk, VF_CLAMP, ON_GFX9 },
    { "v_mqsad_pk_u16_u8", VOP3, V_B64, { V_B64, V_B32, V_B64 }, mqsad_pk, VF_CLAMP, ON_GFX9 },
    { "v_mqsad_u32_u8", VOP3, V_W4, { V_B64, V_B32, V_W4 }, mqsad_u32, VF_CLAMP, ON_GFX9 },
    { "v_lerp_u8", VOP3, V_B32, { V_B32, V_B32, V_B32 }, lerp, 0, ON_ALL },
    { "v_perm_b32", VOP3, V_B32, { V_B32, V_B32, V_B32 }, perm, 0, ON_ALL },
    { "v_mad_u64_u32", VOP3SD, V_U64, { V_U32, V_U32, V_U64 }, mad_u64_u32, VF_CLAMP | VF_CARRY_OUT,
      ON_GFX9 },
    { "v_mad_i64_i32", VOP3SD, V_I64, { V_I32, V_I32, V_I64 }, mad_i64_i32, VF_CLAMP | VF_CARRY_OUT,
      ON_GFX9 },
    { "v_mad_u32_u16", VOP3, V_U32, { V_U16, V_U16, V_U32 }, mad_u32_u16, VF_CLAMP | VF_OPSEL,
      ON_ALL },
    { "v_mad_i32_i16", VOP3, V_I32, { V_I16, V_I16, V_I32 }, mad_i32_i16, VF_CLAMP | VF_OPSEL,
      ON_ALL },
    { "v_bitop3_b32", VOP3, V_B32, { V_B32, V_B32, V_B32 }, bitop32, VF_BITOP, ON_950 | ON_1250 },
    { "v_bitop3_b16", VOP3, V_B16, { V_B16, V_B16, V_B16 }, bitop16, VF_BITOP | VF_OPSEL |
      VF_HI_ANY, ON_950 },
    { "v_bitop3_b16", VOP3, V_B16, { V_B16, V_B16, V_B16 }, bitop16, VF_BITOP, ON_1250 },
    { "v_ashr_pk_i8_i32", VOP3, V_B16, { V_I32, V_I32, V_SHIFT }, ashr_pk_i8, VF_OPSEL | VF_KEEP_HI,
      ON_950 },
    { "v_ashr_pk_u8_i32", VOP3, V_B16, { V_I32, V_I32, V_SHIFT }, ashr_pk_u8, VF_OPSEL | VF_KEEP_HI,
      ON_950 },
    /* gfx10 and later names, encodings and newcomers */
    { "v_clz_i32_u32", VOP1, V_U32, { V_U32 }, ffbh_u, VF_DPP, ON_GFX11UP },
    { "v_ctz_i32_b32", VOP1, V_U32, { V_B32 }, ffbl, VF_DPP, ON_GFX11UP },
    { "v_cls_i32", VOP1, V_U32, { V_I32 }, ffbh_i, VF_DPP, ON_GFX11UP },
    { "v_prng_b32", VOP1, V_U32, { V_U32 }, prng, VF_DPP, ON_1250 },
    { "v_sat_pk_u8_i16", VOP1, V_B16, { V_P16 }, sat_pk_u8, VF_NO_INLINE, ON_GFX11UP },
    { "v_cvt_i32_i16", VOP1, V_I32, { V_I16 }, sext16, VF_DPP, ON_GFX11UP },
    { "v_cvt_u32_u16", VOP1, V_U32, { V_U16 }, mov, VF_DPP, ON_GFX11UP },
    { "v_not_b16", VOP1, V_B16, { V_B16 }, not16, VF_DPP, ON_GFX11UP },
    { "v_mov_b16", VOP1, V_B16, { V_B16 }, mov, VF_DPP, ON_1100 },
    { "v_add_nc_u32", VOP2, V_U32, { V_U32, V_U32 }, add, VF_DPP | VF_CLAMP, ON_GFX11UP },
    { "v_sub_nc_u32", VOP2, V_U32, { V_U32, V_U32 }, sub, VF_DPP | VF_CLAMP, ON_GFX11UP },
    { "v_subrev_nc_u32", VOP2, V_U32, { V_U32, V_U32 }, subrev, VF_DPP | VF_CLAMP, ON_GFX11UP },
    { "v_add_nc_u64", VOP2, V_U64, { V_U64, V_U64 }, add64, 0, ON_1250 },
    { "v_sub_nc_u64", VOP2, V_U64, { V_U64, V_U64 }, sub64, 0, ON_1250 },
    { "v_mul_u64", VOP2, V_U64, { V_U64, V_U64 }, mul64, 0, ON_1250 },
    { "v_add_co_u32", VOP3SD, V_U32, { V_U32, V_U32 }, add_co, VF_CLAMP | VF_CARRY_OUT,
      ON_GFX11UP },
    { "v_sub_co_u32", VOP3SD, V_U32, { V_U32, V_U32 }, sub_co, VF_CLAMP | VF_CARRY_OUT,
      ON_GFX11UP },
    { "v_subrev_co_u32", VOP3SD, V_U32, { V_U32, V_U32 }, subrev_co, VF_CLAMP | VF_CARRY_OUT,
      ON_GFX11UP },
    { "v_add_co_ci_u32", VOP2C, V_U32, { V_U32, V_U32 }, addc, VF_DPP | VF_CLAMP | VF_CARRY_OUT |
      VF_CARRY_IN, ON_GFX11UP },
    { "v_sub_co_ci_u32", VOP2C, V_U32, { V_U32, V_U32 }, subb, VF_DPP | VF_CLAMP | VF_CARRY_OUT |
      VF_CARRY_IN, ON_GFX11UP },
    { "v_subrev_co_ci_u32", VOP2C, V_U32, { V_U32, V_U32 }, subbrev, VF_DPP | VF_CLAMP |
      VF_CARRY_OUT | VF_CARRY_IN, ON_GFX11UP },
    { "v_cndmask_b32", VOP2, V_B32, { V_F32, V_F32 }, cndmask, VF_DPP | VF_VCC, ON_GFX11UP },
    { "v_cndmask_b16", VOP3, V_B16, { V_F16, V_F16 }, cndmask, VF_MASK | VF_NO_INLINE, ON_GFX11UP },
    { "v_add_nc_i32", VOP3, V_I32, { V_I32, V_I32 }, add_i, VF_CLAMP, ON_GFX11UP },
    { "v_sub_nc_i32", VOP3, V_I32, { V_I32, V_I32 }, sub_i, VF_CLAMP, ON_GFX11UP },
    { "v_lshlrev_b64", VOP3, V_B64, { V_SHIFT, V_B64 }, lshl64, 0, ON_1100 },
    { "v_lshlrev_b64", VOP2, V_B64, { V_SHIFT, V_B64 }, lshl64, 0, ON_GFX12 },
    { "v_lshrrev_b64", VOP3, V_B64, { V_SHIFT, V_B64 }, lshr64, 0, ON_GFX11UP },
    { "v_ashrrev_i64", VOP3, V_B64, { V_SHIFT, V_I64 }, ashr64, 0, ON_GFX11UP },
    { "v_xor3_b32", VOP3, V_B32, { V_B32, V_B32, V_B32 }, xor3, 0, ON_GFX11UP },
    { "v_maxmin_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, maxmin_u, 0, ON_GFX11UP },
    { "v_minmax_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, minmax_u, 0, ON_GFX11UP },
    { "v_maxmin_i32", VOP3, V_I32, { V_I32, V_I32, V_I32 }, maxmin_i, 0, ON_GFX11UP },
    { "v_minmax_i32", VOP3, V_I32, { V_I32, V_I32, V_I32 }, minmax_i, 0, ON_GFX11UP },
    { "v_min_u64", VOP3, V_U64, { V_U64, V_U64 }, min_u64, 0, ON_1250 },
    { "v_max_u64", VOP3, V_U64, { V_U64, V_U64 }, max_u64, 0, ON_1250 },
    { "v_min_i64", VOP3, V_I64, { V_I64, V_I64 }, min_i64, 0, ON_1250 },
    { "v_max_i64", VOP3, V_I64, { V_I64, V_I64 }, max_i64, 0, ON_1250 },
    { "v_mad_u32", VOP3, V_U32, { V_U32, V_U32, V_U32 }, mad_u32, 0, ON_1250 },
    { "v_qsad_pk_u16_u8", VOP3, V_B64, { V_B64, V_B32, V_B64 }, qsad_pk, VF_CLAMP, ON_GFX11UP },
    { "v_mqsad_pk_u16_u8", VOP3, V_B64, { V_B64, V_B32, V_B64 }, mqsad_pk, VF_CLAMP, ON_GFX11UP },
    { "v_mqsad_u32_u8", VOP3, V_W4, { V_B64, V_B32, V_W4 }, mqsad_u32, VF_CLAMP, ON_GFX11UP },
    { "v_mad_u64_u32", VOP3SD, V_U64, { V_U32, V_U32, V_U64 }, mad_u64_u32, VF_CLAMP | VF_CARRY_OUT,
      ON_1100 },
    { "v_mad_i64_i32", VOP3SD, V_I64, { V_I32, V_I32, V_I64 }, mad_i64_i32, VF_CLAMP | VF_CARRY_OUT,
      ON_1100 },
    { "v_mad_co_u64_u32", VOP3SD, V_U64, { V_U32, V_U32, V_U64 }, mad_u64_u32, VF_CLAMP |
      VF_CARRY_OUT, ON_GFX12 },
    { "v_mad_co_i64_i32", VOP3SD, V_I64, { V_I32, V_I32, V_I64 }, mad_i64_i32, VF_CLAMP |
      VF_CARRY_OUT, ON_GFX12 },
    { "v_mad_nc_u64_u32", VOP3, V_U64, { V_U32, V_U32, V_U64 }, mad_u64_u32, VF_CLAMP, ON_1250 },
    { "v_mad_nc_i64_i32", VOP3, V_I64, { V_I32, V_I32, V_I64 }, mad_i64_i32, VF_CLAMP, ON_1250 },
    { "v_ashr_pk_i8_i32", VOP3, V_B16, { V_I32, V_I32, V_SHIFT }, ashr_pk_i8, VF_OPSEL, ON_1250 },
    { "v_ashr_pk_u8_i32", VOP3, V_B16, { V_I32, V_I32, V_SHIFT }, ashr_pk_u8, VF_OPSEL, ON_1250 },
};

void run_valu_int(enum target t);
void run_valu_int(enum target t)
{
    valu_run(t, rows, sizeof rows / sizeof *rows);
}
