/* SPDX-License-Identifier: MIT */
/*
 * Float arithmetic for the references of the instruction tests: exact on integers, rounded once,
 * for any format up to f64. Written from IEEE 754 and the OCP and FNUZ format definitions; it uses
 * neither the host's float unit nor anything of the simulator.
 */
#ifndef REF_FLOAT_H
#define REF_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 u128;

enum ref_round { REF_RNE, REF_UP, REF_DOWN, REF_ZERO }; /* numbers as in MODE.round */

/* What a format does beyond its widths. */
enum { REF_NO_INF = 1, /* the top exponent holds numbers; all ones (or see FNUZ) is NaN */
       REF_FNUZ = 2,   /* NaN is 0x80 alone, no -0 */
       REF_NO_NAN = 4  /* every code is a number (fp6, fp4) */ };

struct ref_format {
    int exp_bits, man_bits, bias;
    unsigned flags;
};

extern const struct ref_format REF_F64, REF_F32, REF_F16, REF_BF16, REF_E4M3, REF_E5M2, REF_E4M3Z,
    REF_E5M2Z, REF_E2M3, REF_E3M2, REF_E2M1;

enum ref_class { REF_FINITE, REF_INF, REF_NAN };

/* (-1)^neg * man * 2^exp; man == 0 is a zero. A NaN keeps its mantissa field, left-aligned to 52
 * bits, in man (bit 51 = quiet). `sticky`: nonzero bits below were dropped. */
struct ref_num {
    enum ref_class cls;
    bool neg, sticky;
    int exp;
    u128 man;
};

struct ref_num ref_unpack(struct ref_format f, uint64_t bits);
bool ref_is_denormal(struct ref_format f, uint64_t bits);

/* Rounds once. Overflow gives infinity (or the largest number where the mode says so, or where the
 * format has none). NaN is quieted. `flush` turns a denormal result into a zero of its sign. */
uint64_t ref_pack(struct ref_format f, struct ref_num x, enum ref_round mode, bool flush);

/* mode: sign of x-x */
struct ref_num ref_add(struct ref_num a, struct ref_num b, enum ref_round mode);
struct ref_num ref_mul(struct ref_num a, struct ref_num b);
struct ref_num ref_div(struct ref_num a, struct ref_num b);
struct ref_num ref_sqrt(struct ref_num a);
struct ref_num ref_neg(struct ref_num a);
struct ref_num ref_scale(struct ref_num a, int by); /* a * 2^by */
struct ref_num ref_from_ld(long double x);          /* exact; 64-bit mantissa */
long double ref_to_ld(struct ref_num a);            /* exact for up to 64 bits of mantissa */
struct ref_num ref_from_int(__int128 x);

int ref_cmp(struct ref_num a, struct ref_num b); /* -1 0 1, 2 = unordered; -0 == +0 */

/* Rounds to an integral value by mode; exact integers stay. */
struct ref_num ref_integral(struct ref_num a, enum ref_round mode);
/* Truncates to an integer saturated to [lo, hi]; NaN gives 0. */
int64_t ref_to_int(struct ref_num a, __int128 lo, __int128 hi);

/* Distance in units of the last place of two values of a format (0 if equal or both NaN; +0 and -0
 * are equal); a huge number if one is NaN or the signs differ beyond zero. */
uint64_t ref_ulps(struct ref_format f, uint64_t a, uint64_t b);

#endif
