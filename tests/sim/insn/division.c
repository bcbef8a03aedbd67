/* SPDX-License-Identifier: MIT */
/*
 * The division instructions as they are used: LLVM's sequences for correctly rounded f32 and f64
 * division (AMDGPULegalizerInfo, lowering of FDIV with denormals), compared with the exact quotient
 * rounded once, for specials, denormals and the extremes that need scaling. The ISA guides' text of
 * V_DIV_SCALE and V_DIV_FMAS is wrong in places (a factor of 2^32, a denominator scaled up beyond
 * the range); what makes every quotient right is taken as the truth. Besides it, the cases of
 * V_DIV_SCALE that are beyond doubt.
 */
#include "item.h"
#include "valu.h"

#include <stdio.h>
#include <string.h>

static const char f32_sequence[] = "v_div_scale_f32 v20, %s, v4, v4, v2\n"
                                   "v_div_scale_f32 v21, %s, v2, v4, v2\n"
                                   "v_rcp_f32 v22, v20\n"
                                   "v_fma_f32 v23, -v20, v22, 1.0\n"
                                   "v_fma_f32 v22, v23, v22, v22\n"
                                   "v_mul_f32 v23, v21, v22\n"
                                   "v_fma_f32 v24, -v20, v23, v21\n"
                                   "v_fma_f32 v23, v24, v22, v23\n"
                                   "v_fma_f32 v20, -v20, v23, v21\n"
                                   "v_div_fmas_f32 v20, v20, v22, v23\n"
                                   "v_div_fixup_f32 v10, v20, v4, v2";

static const char f64_sequence[] = "v_div_scale_f64 v[20:21], %s, v[4:5], v[4:5], v[2:3]\n"
                                   "v_rcp_f64 v[22:23], v[20:21]\n"
                                   "v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0\n"
                                   "v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]\n"
                                   "v_fma_f64 v[24:25], -v[20:21], v[22:23], 1.0\n"
                                   "v_fma_f64 v[22:23], v[22:23], v[24:25], v[22:23]\n"
                                   "v_div_scale_f64 v[26:27], %s, v[2:3], v[4:5], v[2:3]\n"
                                   "v_mul_f64 v[24:25], v[26:27], v[22:23]\n"
                                   "v_fma_f64 v[20:21], -v[20:21], v[24:25], v[26:27]\n"
                                   "v_div_fmas_f64 v[20:21], v[20:21], v[22:23], v[24:25]\n"
                                   "v_div_fixup_f64 v[10:11], v[20:21], v[4:5], v[2:3]";

static int exponent(struct ref_format f, uint64_t b)
{
    return (int)(b >> f.man_bits & ((1u << f.exp_bits) - 1));
}

/* What V_DIV_SCALE gives for (numerator, denominator) when nothing about it is in doubt: 0 no
 * scaling, 1 only the denominator is scaled, by 2^64 (2^128), VCC = 1. -1: left to the sequence. */
static int plain_case(struct ref_format f, uint64_t num, uint64_t den)
{
    bool wide = f.man_bits == 52;
    struct ref_num n = ref_unpack(f, num), d = ref_unpack(f, den);
    if (n.cls != REF_FINITE || d.cls != REF_FINITE || !n.man || !d.man || ref_is_denormal(f, num) ||
        ref_is_denormal(f, den))
        return -1;
    int en = exponent(f, num), ed = exponent(f, den), top = (1 << f.exp_bits) - 1,
        limit = wide ? 768 : 96;
    if (en - ed > limit && ed < top - (wide ? 200 : 70))
        return 1;
    if (en <= (wide ? 60 : 30) || ed > top - 6 || en - ed >= limit - 1 || en - ed < -(f.bias - 6))
        return -1;
    return 0;
}

static uint64_t read(const struct wave_state *w, int r, int i, bool wide)
{
    return w->v[r][i] | (wide ? (uint64_t)w->v[r + 1][i] << 32 : 0);
}

static void run_one(enum target t, const struct batch *b, int snippet, const int scale[2],
                    bool wide)
{
    static struct wave_state w, s;
    struct ref_format f = wide ? REF_F64 : REF_F32;
    const char *name = wide ? "v_div_scale_f64" : "v_div_scale_f32";
    enum vtype type = wide ? V_F64 : V_F32;
    unsigned n = 0;

    special(type, 0, &n);
    rand_seed(name);
    for (int run = 0; run < 120; run++) {
        wave_randomise(&w, t);
        for (int i = 0; i < 64; i++) {
            unsigned k = (unsigned)(run * 64 + i);
            uint64_t x = draw(type), y = draw(type);
            if (k < n * n) {
                x = special(type, k % n, &n);
                y = special(type, k / n, &n);
            } else if (run & 1) { /* any bits: huge and tiny quotients */
                x = wide ? rand64() : (uint32_t)rand64();
                y = wide ? rand64() : (uint32_t)rand64();
            }
            for (int j = 0; j <= wide; j++) {
                w.v[2 + j][i] = (uint32_t)(x >> 32 * j);
                w.v[4 + j][i] = (uint32_t)(y >> 32 * j);
            }
        }
        struct wave_state in = w;
        if (!run_snippet(b, snippet, &w, NULL)) {
            fail(t, name, "%s", run_error());
            return;
        }
        for (int i = 0; i < target_lanes(t); i++) {
            uint64_t x = read(&in, 2, i, wide), y = read(&in, 4, i, wide),
                     got = read(&w, 10, i, wide);
            uint64_t want =
                ref_pack(f, ref_div(ref_unpack(f, x), ref_unpack(f, y)), REF_RNE, false);
            bool nan = ref_unpack(f, want).cls == REF_NAN;
            if (nan ? ref_unpack(f, got).cls != REF_NAN : got != want) {
                fail(t, name, "%0*llx / %0*llx by LLVM's sequence: got %0*llx, want %0*llx",
                     wide ? 16 : 8, (unsigned long long)x, wide ? 16 : 8, (unsigned long long)y,
                     wide ? 16 : 8, (unsigned long long)got, wide ? 16 : 8,
                     (unsigned long long)want);
                return;
            }
        }
        for (int k = 0; k < 2; k++) { /* k = 0: S0 is the denominator, 1: the numerator */
            s = in;
            if (!run_snippet(b, scale[k], &s, NULL)) {
                fail(t, name, "%s", run_error());
                return;
            }
            uint64_t mask = s.s[40] | (target_lanes(t) == 64 ? (uint64_t)s.s[41] << 32 : 0);
            for (int i = 0; i < target_lanes(t); i++) {
                uint64_t x = read(&in, 2, i, wide), y = read(&in, 4, i, wide),
                         got = read(&s, 10, i, wide);
                int kind = plain_case(f, x, y);
                uint64_t from = k ? x : y;
                uint64_t want =
                    kind == 1 && k == 0 ? from + ((uint64_t)(wide ? 128 : 64) << f.man_bits) : from;
                if (kind >= 0 && (got != want || (int)(mask >> i & 1) != kind)) {
                    fail(t, name, "%s of %llx / %llx: got %llx vcc %d, want %llx vcc %d",
                         k ? "numerator" : "denominator", (unsigned long long)x,
                         (unsigned long long)y, (unsigned long long)got, (int)(mask >> i & 1),
                         (unsigned long long)want, kind);
                    return;
                }
            }
        }
    }
}

void run_division(enum target t);
void run_division(enum target t)
{
    struct batch b;
    int s32[2], s64[2];
    bool wide = target_lanes(t) == 64;
    const char *sd = wide ? "s[40:41]" : "s40", *vcc = wide ? "vcc" : "vcc_lo";

    batch_begin(&b, t);
    int d32 = batch_add(&b, f32_sequence, sd, vcc), d64 = batch_add(&b, f64_sequence, sd, vcc);
    s32[0] = batch_add(&b, "v_div_scale_f32 v10, %s, v4, v4, v2", sd);
    s32[1] = batch_add(&b, "v_div_scale_f32 v10, %s, v2, v4, v2", sd);
    s64[0] = batch_add(&b, "v_div_scale_f64 v[10:11], %s, v[4:5], v[4:5], v[2:3]", sd);
    s64[1] = batch_add(&b, "v_div_scale_f64 v[10:11], %s, v[2:3], v[4:5], v[2:3]", sd);
    covered_add(t, "v_div_scale_f32");
    covered_add(t, "v_div_scale_f64");
    if (!batch_assemble(&b)) {
        fail(t, "(assembler)", "the division sequence is refused");
    } else {
        run_one(t, &b, d32, s32, false);
        run_one(t, &b, d64, s64, true);
    }
    batch_end(&b);
}
