/* SPDX-License-Identifier: MIT */
/*
 * The functions of float.h and trans.h in lane loops, as instruction handlers use them; compiled
 * once a level of x86-64 for test_float.c, which compares the levels bit by bit.
 */
#include "float.h"
#include "trans.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define ROWS CAT(float_rows_v, SIM_LEVEL)

int ROWS(int fn, const uint32_t *a, const uint32_t *b, uint32_t *d);

/* Function `fn` on 64 lanes; 0 past the last. */
int ROWS(int fn, const uint32_t *a, const uint32_t *b, uint32_t *d)
{
    int n = 0;
#define ROW(expr) \
    if (fn == n++) { \
        for (int i = 0; i < 64; i++) \
            d[i] = expr; \
        return 1; \
    }
#define TRANS(name) \
    ROW(sim_##name##_f32(a[i], 0)) ROW(sim_##name##_f16(a[i], 0)) ROW(sim_##name##_bf16(a[i], 0)) \
    ROW(sim_##name##_f32(a[i], 1))
    TRANS(exp) TRANS(log) TRANS(rcp) TRANS(rsq) TRANS(sqrt) TRANS(sin) TRANS(cos) TRANS(tanh)
#define SIM_MINI(id, man, bias, max, inf, nan, unsig) \
    ROW(sim_f32_from_mini(SIM_##id, a[i])) \
    ROW(sim_mini_from_f32(SIM_##id, a[i], 0, SIM_RNE, 0, false)) \
    ROW(sim_mini_from_f32(SIM_##id, a[i], (int)(b[i] & 31) - 16, SIM_RSR, b[i], true)) \
    ROW(sim_f32_from_mini_scaled(SIM_##id, a[i], (int)(b[i] & 255) - 127))
#include "float.inc"
    ROW(sim_f32_from_f16(a[i]))
    ROW(sim_f16_from_f32(a[i]))
    ROW(sim_f16_from_f32_rtz(a[i]))
    ROW(sim_f16_from_f32_sr(a[i], b[i]))
    ROW(sim_f16_from_f32_mode(a[i], SIM_RUP, 0, true))
    ROW(sim_f16_from_f64((uint64_t)a[i] << 32 | b[i]))
    ROW(sim_bf16_from_f32(a[i]))
    ROW(sim_bf16_from_f32_sr(a[i], b[i]))
    ROW(sim_bf16_from_f64((uint64_t)a[i] << 32 | b[i]))
    return 0;
}
