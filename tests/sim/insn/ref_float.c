/* SPDX-License-Identifier: MIT */
/*
 * Exact float arithmetic on 128-bit integers; see ref_float.h. A sum keeps the larger operand at
 * the top of 126 bits and the smaller one shifted with its lost bits in `sticky`: products of f64
 * have 106 bits, so at least 18 guard bits remain and one rounding at the end is exact.
 */
#include "ref_float.h"

#include <math.h>

const struct ref_format REF_F64 = { 11, 52, 1023, 0 }, REF_F32 = { 8, 23, 127, 0 },
                        REF_F16 = { 5, 10, 15, 0 }, REF_BF16 = { 8, 7, 127, 0 },
                        REF_E4M3 = { 4, 3, 7, REF_NO_INF }, REF_E5M2 = { 5, 2, 15, 0 },
                        REF_E4M3Z = { 4, 3, 8, REF_NO_INF | REF_FNUZ },
                        REF_E5M2Z = { 5, 2, 16, REF_NO_INF | REF_FNUZ },
                        REF_E2M3 = { 2, 3, 1, REF_NO_INF | REF_NO_NAN },
                        REF_E3M2 = { 3, 2, 3, REF_NO_INF | REF_NO_NAN },
                        REF_E2M1 = { 2, 1, 1, REF_NO_INF | REF_NO_NAN };

static int top_bit(u128 x)
{
    uint64_t hi = (uint64_t)(x >> 64), lo = (uint64_t)x;
    return hi ? 127 - __builtin_clzll(hi) : lo ? 63 - __builtin_clzll(lo) : -1;
}

struct ref_num ref_unpack(struct ref_format f, uint64_t bits)
{
    uint64_t man = bits & ((1ull << f.man_bits) - 1);
    int exp = (int)(bits >> f.man_bits & ((1u << f.exp_bits) - 1)), top = (1 << f.exp_bits) - 1;
    struct ref_num r = { .neg = bits >> (f.man_bits + f.exp_bits) & 1 };
    uint64_t all = (1ull << (f.man_bits + f.exp_bits)) - 1;
    bool nan = f.flags & REF_FNUZ     ? r.neg && (bits & all) == 0
               : f.flags & REF_NO_NAN ? false
               : f.flags & REF_NO_INF ? (bits & all) == all
                                      : exp == top && man;

    if (nan) {
        r.cls = REF_NAN;
        r.man = f.flags & REF_NO_INF ? (u128)1 << 51 : (u128)man << (52 - f.man_bits);
    } else if (exp == top && !(f.flags & REF_NO_INF)) {
        r.cls = REF_INF;
    } else {
        r.man = exp ? man | 1ull << f.man_bits : man;
        r.exp = (exp ? exp : 1) - f.bias - f.man_bits;
    }
    return r;
}

bool ref_is_denormal(struct ref_format f, uint64_t bits)
{
    return !(bits >> f.man_bits & ((1u << f.exp_bits) - 1)) && (bits & ((1ull << f.man_bits) - 1));
}

/* man * 2^exp rounded to a multiple of 2^to (to > exp only drops bits). */
static u128 round_at(struct ref_num x, int to, enum ref_round mode)
{
    int drop = to - x.exp;
    if (drop <= 0)
        return x.man << -drop;
    u128 keep = drop > 127 ? 0 : x.man >> drop;
    u128 rest = drop > 127 ? x.man : x.man & (((u128)1 << drop) - 1);
    u128 half = drop > 127 ? 0 : (u128)1 << (drop - 1);
    bool any = rest || x.sticky;
    int vs_half = drop > 127 ? -1 : rest > half ? 1 : rest < half ? -1 : x.sticky ? 1 : 0;
    bool up = mode == REF_RNE    ? vs_half > 0 || (vs_half == 0 && (keep & 1))
              : mode == REF_UP   ? any && !x.neg
              : mode == REF_DOWN ? any && x.neg
                                 : false;
    return keep + up;
}

uint64_t ref_pack(struct ref_format f, struct ref_num x, enum ref_round mode, bool flush)
{
    uint64_t sign = (uint64_t)x.neg << (f.man_bits + f.exp_bits);
    int top = (1 << f.exp_bits) - 1;
    uint64_t inf = (uint64_t)top << f.man_bits;
    uint64_t largest = f.flags & REF_FNUZ     ? (1ull << (f.man_bits + f.exp_bits)) - 1
                       : f.flags & REF_NO_NAN ? (1ull << (f.man_bits + f.exp_bits)) - 1
                       : f.flags & REF_NO_INF ? (1ull << (f.man_bits + f.exp_bits)) - 2
                                              : inf - 1;
    uint64_t nan = f.flags & REF_FNUZ ? 1ull << (f.man_bits + f.exp_bits)
                                      : sign | (inf + ((1ull << f.man_bits) - 1));

    if (x.cls == REF_NAN) {
        if (f.flags & REF_NO_INF)
            return nan;
        return sign | inf | 1ull << (f.man_bits - 1) | (uint64_t)(x.man >> (52 - f.man_bits));
    }
    if (x.cls == REF_INF)
        return f.flags & REF_NO_NAN ? sign | largest : f.flags & REF_NO_INF ? nan : sign | inf;
    if (!x.man && !x.sticky)
        return f.flags & REF_FNUZ ? 0 : sign;

    int t = top_bit(x.man), least = 1 - f.bias - f.man_bits; /* exponent of the last denormal bit */
    int to = t < 0 ? least : x.exp + t - f.man_bits;
    if (to < least)
        to = least;
    u128 man = round_at(x, to, mode);
    if (man >> (f.man_bits + 1))
        man >>= 1, to++;
    if (!(man >> f.man_bits)) { /* denormal or zero */
        if (flush)
            man = 0;
        return man || !(f.flags & REF_FNUZ) ? sign | (uint64_t)man : 0;
    }
    int biased = to - least + 1;
    uint64_t mag = ((uint64_t)biased << f.man_bits) | ((uint64_t)man & ((1ull << f.man_bits) - 1));
    if (biased > top || mag > largest) {
        bool away = mode == REF_RNE || (mode == REF_UP && !x.neg) || (mode == REF_DOWN && x.neg);
        mag = f.flags & REF_NO_NAN           ? largest
              : f.flags & REF_NO_INF && away ? nan & ~sign
              : away                         ? inf
                                             : largest;
        if (f.flags & REF_FNUZ && mag != largest)
            return nan;
    }
    return sign | mag;
}

static struct ref_num nan_of(struct ref_num a, struct ref_num b)
{
    struct ref_num r = a.cls == REF_NAN ? a : b;
    r.man |= (u128)1 << 51;
    return r;
}

static const struct ref_num invalid = { REF_NAN, false, false, 0, (u128)1 << 51 };

static struct ref_num normalise(struct ref_num a, int bit)
{
    int shift = bit - top_bit(a.man);
    if (a.man && shift > 0)
        a.man <<= shift, a.exp -= shift;
    return a;
}

struct ref_num ref_add(struct ref_num a, struct ref_num b, enum ref_round mode)
{
    if (a.cls == REF_NAN || b.cls == REF_NAN)
        return nan_of(a, b);
    if (a.cls == REF_INF || b.cls == REF_INF) {
        if (a.cls == b.cls && a.neg != b.neg)
            return invalid;
        return a.cls == REF_INF ? a : b;
    }
    if (!a.man && !b.man) {
        a.neg = a.neg == b.neg ? a.neg : mode == REF_DOWN;
        return a;
    }
    if (!a.man)
        return b;
    if (!b.man)
        return a;
    a = normalise(a, 125);
    b = normalise(b, 125);
    if (a.exp < b.exp || (a.exp == b.exp && a.man < b.man)) {
        struct ref_num t = a;
        a = b;
        b = t;
    }
    int shift = a.exp - b.exp;
    bool lost = b.sticky;
    if (shift > 0) {
        lost |= shift > 127 || (b.man & (((u128)1 << shift) - 1));
        b.man = shift > 127 ? 0 : b.man >> shift;
    }
    if (a.neg == b.neg) {
        a.man += b.man;
    } else {
        a.man -= b.man;
        if (lost) /* a - (b + less than one unit): borrow one, the rest stays positive */
            a.man--;
    }
    a.sticky |= lost;
    if (!a.man && !a.sticky)
        a.neg = mode == REF_DOWN;
    return a;
}

struct ref_num ref_mul(struct ref_num a, struct ref_num b)
{
    if (a.cls == REF_NAN || b.cls == REF_NAN)
        return nan_of(a, b);
    bool neg = a.neg != b.neg;
    if (a.cls == REF_INF || b.cls == REF_INF) {
        bool zero = (a.cls == REF_FINITE && !a.man) || (b.cls == REF_FINITE && !b.man);
        return zero ? invalid : (struct ref_num){ .cls = REF_INF, .neg = neg };
    }
    return (struct ref_num){ REF_FINITE, neg, false, a.exp + b.exp, a.man * b.man };
}

struct ref_num ref_div(struct ref_num a, struct ref_num b)
{
    if (a.cls == REF_NAN || b.cls == REF_NAN)
        return nan_of(a, b);
    bool neg = a.neg != b.neg, bzero = b.cls == REF_FINITE && !b.man;
    if (a.cls == REF_INF)
        return b.cls == REF_INF ? invalid : (struct ref_num){ .cls = REF_INF, .neg = neg };
    if (b.cls == REF_INF)
        return (struct ref_num){ .neg = neg };
    if (bzero)
        return a.man ? (struct ref_num){ .cls = REF_INF, .neg = neg } : invalid;
    a = normalise(a, 126);
    b = normalise(b, 60);
    struct ref_num r = { REF_FINITE, neg, a.man % b.man != 0, a.exp - b.exp, a.man / b.man };
    return r;
}

struct ref_num ref_sqrt(struct ref_num a)
{
    if (a.cls == REF_NAN)
        return nan_of(a, a);
    if (a.cls == REF_FINITE && !a.man)
        return a;
    if (a.neg)
        return invalid;
    if (a.cls == REF_INF)
        return a;
    a = normalise(a, 124);
    if (a.exp & 1)
        a.man <<= 1, a.exp--;
    u128 root = 0;
    for (int bit = 62; bit >= 0; bit--) {
        u128 t = root | (u128)1 << bit;
        if (t * t <= a.man)
            root = t;
    }
    return (struct ref_num){ REF_FINITE, false, root * root != a.man, a.exp / 2, root };
}

struct ref_num ref_neg(struct ref_num a)
{
    a.neg = !a.neg;
    return a;
}

struct ref_num ref_scale(struct ref_num a, int by)
{
    if (a.cls == REF_FINITE)
        a.exp += by;
    return a;
}

struct ref_num ref_from_ld(long double x)
{
    struct ref_num r = { .neg = signbit(x) };
    if (isnan(x)) {
        r.cls = REF_NAN;
        r.man = (u128)1 << 51;
    } else if (isinf(x)) {
        r.cls = REF_INF;
    } else if (x != 0) {
        int e;
        long double m = frexpl(fabsl(x), &e);
        r.man = (uint64_t)ldexpl(m, 64);
        r.exp = e - 64;
    }
    return r;
}

long double ref_to_ld(struct ref_num a)
{
    long double r = a.cls == REF_NAN   ? NAN
                    : a.cls == REF_INF ? INFINITY
                                       : ldexpl((long double)a.man, a.exp);
    return a.neg ? -r : r;
}

struct ref_num ref_from_int(__int128 x)
{
    return (struct ref_num){ REF_FINITE, x < 0, false, 0, x < 0 ? -(u128)x : (u128)x };
}

int ref_cmp(struct ref_num a, struct ref_num b)
{
    if (a.cls == REF_NAN || b.cls == REF_NAN)
        return 2;
    bool az = a.cls == REF_FINITE && !a.man, bz = b.cls == REF_FINITE && !b.man;
    if (az && bz)
        return 0;
    if (az)
        return b.neg ? 1 : -1;
    if (bz || a.neg != b.neg)
        return a.neg ? -1 : 1;
    int s = a.neg ? -1 : 1;
    if (a.cls == REF_INF || b.cls == REF_INF)
        return a.cls == b.cls ? 0 : a.cls == REF_INF ? s : -s;
    a = normalise(a, 126);
    b = normalise(b, 126);
    if (a.exp != b.exp)
        return a.exp > b.exp ? s : -s;
    return a.man == b.man ? 0 : a.man > b.man ? s : -s;
}

struct ref_num ref_integral(struct ref_num a, enum ref_round mode)
{
    if (a.cls != REF_FINITE || a.exp >= 0)
        return a;
    a.man = round_at(a, 0, mode);
    a.exp = 0;
    a.sticky = false;
    return a;
}

int64_t ref_to_int(struct ref_num a, __int128 lo, __int128 hi)
{
    if (a.cls == REF_NAN)
        return 0;
    if (a.cls == REF_INF || (a.man && a.exp + top_bit(a.man) > 100))
        return (int64_t)(a.neg ? lo : hi);
    a = ref_integral(a, REF_ZERO);
    __int128 v = (__int128)(a.exp > 0 ? a.man << a.exp : a.man);
    v = a.neg ? -v : v;
    return (int64_t)(v < lo ? lo : v > hi ? hi : v);
}

uint64_t ref_ulps(struct ref_format f, uint64_t a, uint64_t b)
{
    struct ref_num x = ref_unpack(f, a), y = ref_unpack(f, b);
    uint64_t mag = (1ull << (f.man_bits + f.exp_bits)) - 1;
    if (x.cls == REF_NAN || y.cls == REF_NAN)
        return x.cls == y.cls ? 0 : UINT64_MAX;
    if (!(a & mag) && !(b & mag))
        return 0;
    if (x.neg != y.neg)
        return UINT64_MAX;
    return (a & mag) > (b & mag) ? (a & mag) - (b & mag) : (b & mag) - (a & mag);
}
