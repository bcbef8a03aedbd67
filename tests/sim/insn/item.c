/* SPDX-License-Identifier: MIT */
/* Items, atomics and comparison for the memory tables; see item.h. */
#include "item.h"

#include <stdio.h>
#include <string.h>

#include "ref_float.h"

int mconv_bytes(enum mconv c, int words)
{
    switch (c) {
    case M_PLAIN: return words * 4;
    case M_U8: case M_I8: case M_U8_D16: case M_I8_D16: case M_U8_HI: case M_I8_HI: return 1;
    default: return 2;
    }
}

void mem_to_regs(enum mconv c, int words, const uint8_t *mem, uint32_t *reg)
{
    uint16_t half = 0;
    if (c == M_PLAIN) {
        memcpy(reg, mem, (size_t)words * 4);
        return;
    }
    memcpy(&half, mem, (size_t)mconv_bytes(c, words));
    uint32_t i8 = (uint32_t)(int8_t)half, i16 = (uint32_t)(int16_t)half;
    switch (c) {
    case M_U8: case M_U16: *reg = half; break;
    case M_I8: *reg = i8; break;
    case M_I16: *reg = i16; break;
    case M_U8_D16: case M_B16_D16: *reg = (*reg & 0xffff0000) | half; break;
    case M_I8_D16: *reg = (*reg & 0xffff0000) | (i8 & 0xffff); break;
    case M_U8_HI: case M_B16_HI: *reg = (*reg & 0xffff) | (uint32_t)half << 16; break;
    case M_I8_HI: *reg = (*reg & 0xffff) | i8 << 16; break;
    default: break;
    }
}

void regs_to_mem(enum mconv c, int words, const uint32_t *reg, uint8_t *mem)
{
    uint32_t v = c == M_U8_HI || c == M_B16_HI ? *reg >> 16 : *reg;
    memcpy(mem, c == M_PLAIN ? reg : &v, (size_t)mconv_bytes(c, words));
}

#define AT(name, expr)                                                                   \
    uint64_t at_##name(enum target t, uint64_t mem, uint64_t data, uint64_t data2)       \
    {                                                                                    \
        uint32_t m = (uint32_t)mem, d = (uint32_t)data;                                  \
        (void)m, (void)d, (void)data2, (void)t;                                          \
        return (expr);                                                                   \
    }
AT(swap, data)
AT(cmpswap, mem == data2 ? data : mem)
AT(add32, m + d) AT(sub32, m - d) AT(rsub32, d - m)
AT(smin32, (int32_t)d < (int32_t)m ? d : m) AT(smax32, (int32_t)d > (int32_t)m ? d : m)
AT(umin32, d < m ? d : m) AT(umax32, d > m ? d : m)
AT(and, mem & data) AT(or, mem | data) AT(xor, mem ^ data)
AT(inc32, m >= d ? 0 : m + 1) AT(dec32, m == 0 || m > d ? d : m - 1)
AT(add64, mem + data) AT(sub64, mem - data) AT(rsub64, data - mem)
AT(smin64, (int64_t)data < (int64_t)mem ? data : mem)
AT(smax64, (int64_t)data > (int64_t)mem ? data : mem)
AT(umin64, data < mem ? data : mem) AT(umax64, data > mem ? data : mem)
AT(inc64, mem >= data ? 0 : mem + 1) AT(dec64, mem == 0 || mem > data ? data : mem - 1)
AT(sub_clamp, m < d ? 0 : m - d)
AT(cond_sub, m >= d ? m - d : m)
AT(mskor, (mem & ~data) | data2)
/* Each dword is replaced when the sign of its data is set, by the rest of that data. */
AT(condxchg, (data >> 31 & 1 ? d & 0x7fffffff : m) | (data >> 63 ? data >> 32 & 0x7fffffff : mem >> 32) << 32)
AT(wrap, m >= d ? m - d : m + (uint32_t)data2)

static uint64_t fadd(struct ref_format f, uint64_t a, uint64_t b)
{
    return ref_pack(f, ref_add(ref_unpack(f, a), ref_unpack(f, b), REF_RNE), REF_RNE, false);
}
static int fcmp(struct ref_format f, uint64_t a, uint64_t b)
{
    return ref_cmp(ref_unpack(f, a), ref_unpack(f, b));
}
AT(add_f32, fadd(REF_F32, m, d)) AT(add_f64, fadd(REF_F64, mem, data))
AT(min_f32, fcmp(REF_F32, d, m) == -1 ? d : m) AT(max_f32, fcmp(REF_F32, d, m) == 1 ? d : m)
AT(min_f64, fcmp(REF_F64, data, mem) == -1 ? data : mem)
AT(max_f64, fcmp(REF_F64, data, mem) == 1 ? data : mem)
AT(pk_f16, fadd(REF_F16, m & 0xffff, d & 0xffff) | fadd(REF_F16, m >> 16, d >> 16) << 16)
AT(pk_bf16, fadd(REF_BF16, m & 0xffff, d & 0xffff) | fadd(REF_BF16, m >> 16, d >> 16) << 16)
AT(cmpswap_f32, fcmp(REF_F32, m, data2) == 0 ? d : m)
/* ds_cmpst: data is compared, data2 stored. */
AT(cmpst_f32, fcmp(REF_F32, m, d) == 0 ? (uint32_t)data2 : m)
AT(cmpst_f64, fcmp(REF_F64, mem, data) == 0 ? data2 : mem)

uint64_t mem_draw(enum mdraw d, int bytes)
{
    uint64_t s = rand64() & 1, m = rand64() >> 12;
    switch (d) {
    case D_F32: return (uint32_t)(s << 31 | (120 + rand64() % 14) << 23 | (m & 0x7fffff));
    case D_F64: return s << 63 | (1016 + rand64() % 14) << 52 | m;
    case D_PKF16: return (s << 15 | (10 + rand64() % 10) << 10 | (m & 0x3ff)) |
                         (s << 15 | (10 + rand64() % 10) << 10 | (m >> 10 & 0x3ff)) << 16;
    case D_PKBF16: return (s << 15 | (120 + rand64() % 10) << 7 | (m & 0x7f)) |
                          (s << 15 | (120 + rand64() % 10) << 7 | (m >> 10 & 0x7f)) << 16;
    case D_SMALL: s = rand_below(4); return s ? s : bytes == 8 ? rand64() : (uint32_t)rand64();
    default: return bytes == 8 ? rand64() : (uint32_t)rand64();
    }
}

uint64_t lane_mask_draw(enum target t, int wave)
{
    uint64_t full = target_lanes(t) == 64 ? ~0ull : 0xffffffff;
    return wave % 3 == 0 ? full : wave % 3 == 1 ? rand64() & full : rand64() & rand64() & full;
}

void wave_randomise(struct wave_state *w, enum target t)
{
    uint32_t *p = (uint32_t *)w->v;
    for (size_t i = 0; i < sizeof w->v / 4; i++)
        p[i] = (uint32_t)rand64();
    p = (uint32_t *)w->a;
    for (size_t i = 0; i < sizeof w->a / 4; i++)
        p[i] = (uint32_t)rand64();
    for (int i = 0; i < WAVE_S; i++)
        w->s[i] = (uint32_t)rand64();
    for (int i = 0; i < WAVE_LDS; i += 8) {
        uint64_t v = rand64();
        memcpy(w->lds + i, &v, 8);
    }
    w->vcc = target_lanes(t) == 64 ? rand64() : (uint32_t)rand64();
    w->exec = target_lanes(t) == 64 ? ~0ull : 0xffffffff;
    w->scc = rand_below(2);
    w->m0 = 0;
    w->mode = MODE_KERNEL;
}

const char *wave_diff(const struct wave_state *got, const struct wave_state *want,
    const uint8_t *mem_got,
                      const uint8_t *mem_want)
{
    static char out[160];
    const bool same_rows = !memcmp(got->v, want->v, sizeof got->v) && !memcmp(got->a, want->a, sizeof got->a);
    for (int r = 0; r < WAVE_V && !same_rows; r++)
        for (int i = 0; i < 64; i++)
            if (got->v[r][i] != want->v[r][i]) {
                snprintf(out, sizeof out, "v%d lane %d: got %08x, want %08x", r, i, got->v[r][i],
                    want->v[r][i]);
                return out;
            }
    for (int r = 0; r < WAVE_A && !same_rows; r++)
        for (int i = 0; i < 64; i++)
            if (got->a[r][i] != want->a[r][i]) {
                snprintf(out, sizeof out, "a%d lane %d: got %08x, want %08x", r, i, got->a[r][i],
                    want->a[r][i]);
                return out;
            }
    for (int i = 0; i < WAVE_S; i++)
        if (got->s[i] != want->s[i]) {
            snprintf(out, sizeof out, "s%d: got %08x, want %08x", i, got->s[i], want->s[i]);
            return out;
        }
    for (int i = 0; i < WAVE_LDS && (i || memcmp(got->lds, want->lds, WAVE_LDS)); i++)
        if (got->lds[i] != want->lds[i]) {
            snprintf(out, sizeof out, "LDS byte %d: got %02x, want %02x", i, got->lds[i],
                want->lds[i]);
            return out;
        }
    for (int i = 0; mem_got && i < WAVE_MEM && (i || memcmp(mem_got, mem_want, WAVE_MEM)); i++)
        if (mem_got[i] != mem_want[i]) {
            snprintf(out, sizeof out, "memory byte %d: got %02x, want %02x", i, mem_got[i],
                mem_want[i]);
            return out;
        }
    if (got->exec != want->exec || got->vcc != want->vcc || got->scc != want->scc ||
        got->m0 != want->m0 ||
        got->mode != want->mode) {
        snprintf(out, sizeof out,
            "exec %llx vcc %llx scc %u m0 %x mode %x, want %llx %llx %u %x %x",
                 (unsigned long long)got->exec, (unsigned long long)got->vcc, got->scc, got->m0,
                     got->mode,
                 (unsigned long long)want->exec, (unsigned long long)want->vcc, want->scc, want->m0,
                     want->mode);
        return out;
    }
    return NULL;
}
