/* SPDX-License-Identifier: MIT */
/*
 * Comparisons: all conditions of all types, with and without the write of EXEC, and the class
 * tests. References: CDNA3/CDNA4 ISA guides, VOPC chapter. Float conditions differ in what they
 * say of NaN.
 */
#include "valu.h"

#define REF(name) static void name(struct lane *l)

static int cmp_f16(const struct lane *l)
{
    return ref_cmp(lane_f16(l, l->s[0]), lane_f16(l, l->s[1]));
}
static int cmp_f32(const struct lane *l)
{
    return ref_cmp(lane_f32(l, l->s[0]), lane_f32(l, l->s[1]));
}
static int cmp_f64(const struct lane *l)
{
    return ref_cmp(lane_f64(l, l->s[0]), lane_f64(l, l->s[1]));
}

#define INT_CMP(name, type)                                     \
    static int cmp_##name(const struct lane *l)                 \
    {                                                           \
        type a = (type)l->s[0], b = (type)l->s[1];              \
        return a < b ? -1 : a > b;                              \
    }
INT_CMP(i16, int16_t)
INT_CMP(u16, uint16_t)
INT_CMP(i32, int32_t)
INT_CMP(u32, uint32_t)
INT_CMP(i64, int64_t)
INT_CMP(u64, uint64_t)

#define COND(cond, type, expr)                                                                     \
    REF(cond##_##type)                                                                             \
    {                                                                                              \
        int c = cmp_##type(l);                                                                     \
        (void)c;                                                                                   \
        l->mask_out = expr;                                                                        \
    }
#define FLOAT_CONDS(t)                                                                             \
    COND(f, t, false) COND(lt, t, c == -1) COND(eq, t, c == 0) COND(le, t, c == -1 || c == 0)      \
    COND(gt, t, c == 1) COND(lg, t, c == -1 || c == 1) COND(ge, t, c == 0 || c == 1)               \
    COND(o, t, c != 2) COND(u, t, c == 2) COND(nge, t, c == 2 || c == -1)                          \
    COND(nlg, t, c == 2 || c == 0) COND(ngt, t, c != 1) COND(nle, t, c == 2 || c == 1)             \
    COND(neq, t, c != 0) COND(nlt, t, c != -1) COND(tru, t, true)
#define INT_CONDS(type)                                                                            \
    COND(f, type, false) COND(lt, type, c < 0) COND(eq, type, c == 0) COND(le, type, c <= 0)       \
    COND(gt, type, c > 0) COND(ne, type, c != 0) COND(ge, type, c >= 0) COND(t, type, true)

FLOAT_CONDS(f16)
FLOAT_CONDS(f32)
FLOAT_CONDS(f64)
INT_CONDS(i16)
INT_CONDS(u16)
INT_CONDS(i32)
INT_CONDS(u32)
INT_CONDS(i64)
INT_CONDS(u64)

/* Bits: 0 signalling NaN, 1 quiet NaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8
 * +normal, 9 +inf. */
static void class_of(struct lane *l, struct ref_format f)
{
    struct ref_num x = ref_unpack(f, l->s[0]);
    int bit;
    if (x.cls == REF_NAN)
        bit = l->s[0] >> (f.man_bits - 1) & 1;
    else if (x.cls == REF_INF)
        bit = x.neg ? 2 : 9;
    else if (!x.man)
        bit = x.neg ? 5 : 6;
    else if (ref_is_denormal(f, l->s[0]))
        bit = x.neg ? 4 : 7;
    else
        bit = x.neg ? 3 : 8;
    l->mask_out = l->s[1] >> bit & 1;
}
REF(class_f16) { class_of(l, REF_F16); }
REF(class_f32) { class_of(l, REF_F32); }
REF(class_f64) { class_of(l, REF_F64); }

#define ROW(cond, type, T, flags, on)                                                  \
    { "v_cmp_" #cond "_" #type, VOPC, V_NONE, { T, T }, cond##_##type, flags, on, 0 }, \
    { "v_cmpx_" #cond "_" #type, VOPC, V_NONE, { T, T }, cond##_##type, (flags) | VF_CMPX, on, 0 },
#define FLOAT_ROWS(t, T, fl)                                                                       \
    ROW(f, t, T, fl, ON_GFX9 | ON_1100) ROW(lt, t, T, fl, ON_ALL) ROW(eq, t, T, fl, ON_ALL)        \
    ROW(le, t, T, fl, ON_ALL) ROW(gt, t, T, fl, ON_ALL) ROW(lg, t, T, fl, ON_ALL)                  \
    ROW(ge, t, T, fl, ON_ALL) ROW(o, t, T, fl, ON_ALL) ROW(u, t, T, fl, ON_ALL)                    \
    ROW(nge, t, T, fl, ON_ALL) ROW(nlg, t, T, fl, ON_ALL) ROW(ngt, t, T, fl, ON_ALL)               \
    ROW(nle, t, T, fl, ON_ALL) ROW(neq, t, T, fl, ON_ALL) ROW(nlt, t, T, fl, ON_ALL)               \
    ROW(tru, t, T, fl, ON_GFX9)
#define INT_ROWS(ty, T, fl, ft)                                                                    \
    ROW(f, ty, T, fl, ft) ROW(lt, ty, T, fl, ON_ALL) ROW(eq, ty, T, fl, ON_ALL)                    \
    ROW(le, ty, T, fl, ON_ALL) ROW(gt, ty, T, fl, ON_ALL) ROW(ne, ty, T, fl, ON_ALL)               \
    ROW(ge, ty, T, fl, ON_ALL) ROW(t, ty, T, fl, ft)

static const struct valu_row rows[] = {
    FLOAT_ROWS(f16, V_F16, VF_SDWA | VF_MODES)
    FLOAT_ROWS(f32, V_F32, VF_SDWA | VF_MODES)
    FLOAT_ROWS(f64, V_F64, VF_MODES)
    /* gfx11's name of tru */
    { "v_cmp_t_f16", VOPC, V_NONE, { V_F16, V_F16 }, tru_f16, 0, ON_1100, 0 },
    { "v_cmpx_t_f16", VOPC, V_NONE, { V_F16, V_F16 }, tru_f16, VF_CMPX, ON_1100, 0 },
    { "v_cmp_t_f32", VOPC, V_NONE, { V_F32, V_F32 }, tru_f32, 0, ON_1100, 0 },
    { "v_cmpx_t_f32", VOPC, V_NONE, { V_F32, V_F32 }, tru_f32, VF_CMPX, ON_1100, 0 },
    { "v_cmp_t_f64", VOPC, V_NONE, { V_F64, V_F64 }, tru_f64, 0, ON_1100, 0 },
    { "v_cmpx_t_f64", VOPC, V_NONE, { V_F64, V_F64 }, tru_f64, VF_CMPX, ON_1100, 0 },
    INT_ROWS(i16, V_I16, VF_SDWA, ON_GFX9)
    INT_ROWS(u16, V_U16, VF_SDWA, ON_GFX9)
    INT_ROWS(i32, V_I32, VF_SDWA, ON_GFX9 | ON_1100)
    INT_ROWS(u32, V_U32, VF_SDWA, ON_GFX9 | ON_1100)
    INT_ROWS(i64, V_I64, 0, ON_GFX9 | ON_1100)
    INT_ROWS(u64, V_U64, 0, ON_GFX9 | ON_1100)
    { "v_cmp_class_f16", VOPC, V_NONE, { V_F16, V_B16 }, class_f16, VF_SDWA, ON_ALL, 0 },
    { "v_cmpx_class_f16", VOPC, V_NONE, { V_F16, V_B16 }, class_f16, VF_SDWA | VF_CMPX, ON_ALL, 0 },
    { "v_cmp_class_f32", VOPC, V_NONE, { V_F32, V_B32 }, class_f32, VF_SDWA, ON_ALL, 0 },
    { "v_cmpx_class_f32", VOPC, V_NONE, { V_F32, V_B32 }, class_f32, VF_SDWA | VF_CMPX, ON_ALL, 0 },
    { "v_cmp_class_f64", VOPC, V_NONE, { V_F64, V_B32 }, class_f64, 0, ON_ALL, 0 },
    { "v_cmpx_class_f64", VOPC, V_NONE, { V_F64, V_B32 }, class_f64, VF_CMPX, ON_ALL, 0 },
};

void run_valu_cmp(enum target t);
void run_valu_cmp(enum target t)
{
    valu_run(t, rows, sizeof rows / sizeof *rows);
}
