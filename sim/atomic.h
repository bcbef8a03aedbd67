/* SPDX-License-Identifier: MIT */
/* Read-modify-write operations of memory: what the new value is, given the old one. */
#ifndef SIM_ATOMIC_H
#define SIM_ATOMIC_H

#include "float.h"
#include "state.h"

enum sim_rmw {
    SIM_RMW_SWAP, SIM_RMW_CMPSWAP, SIM_RMW_ADD, SIM_RMW_SUB, SIM_RMW_RSUB, SIM_RMW_SMIN, SIM_RMW_UMIN,
    SIM_RMW_SMAX, SIM_RMW_UMAX, SIM_RMW_AND, SIM_RMW_OR, SIM_RMW_XOR, SIM_RMW_INC, SIM_RMW_DEC,
    SIM_RMW_MSKOR, SIM_RMW_WRAP, SIM_RMW_FADD, SIM_RMW_FMIN, SIM_RMW_FMAX, SIM_RMW_FCMPSWAP,
    SIM_RMW_PK_ADD_F16, SIM_RMW_PK_ADD_BF16, SIM_RMW_SUB_CLAMP, SIM_RMW_COND_SUB
};

/* Whether it takes a comparand. */
#define SIM_RMW_COMPARES(op) ((op) == SIM_RMW_CMPSWAP || (op) == SIM_RMW_FCMPSWAP)

/* data: the operand; other: the comparand of CMPSWAP, the second operand of MSKOR and WRAP. */
static inline u32 sim_rmw32(enum sim_rmw op, u32 old, u32 data, u32 other)
{
    float a = sim_f32(old), b = sim_f32(data);
    u32 r[2];
    switch (op) {
    case SIM_RMW_SWAP: return data;
    case SIM_RMW_CMPSWAP: return old == other ? data : old;
    case SIM_RMW_ADD: return old + data;
    case SIM_RMW_SUB: return old - data;
    case SIM_RMW_RSUB: return data - old;
    case SIM_RMW_SMIN: return (i32)data < (i32)old ? data : old;
    case SIM_RMW_UMIN: return data < old ? data : old;
    case SIM_RMW_SMAX: return (i32)data > (i32)old ? data : old;
    case SIM_RMW_UMAX: return data > old ? data : old;
    case SIM_RMW_AND: return old & data;
    case SIM_RMW_OR: return old | data;
    case SIM_RMW_XOR: return old ^ data;
    case SIM_RMW_INC: return old >= data ? 0 : old + 1;
    case SIM_RMW_DEC: return old == 0 || old > data ? data : old - 1;
    case SIM_RMW_MSKOR: return (old & ~data) | other;
    case SIM_RMW_WRAP: return old >= data ? old - data : old + other;
    case SIM_RMW_FADD: return sim_f32_nan(sim_f32_bits(a + b), old, data, data);
    case SIM_RMW_FMIN: return b < a || a != a ? data : old;
    case SIM_RMW_FMAX: return b > a || a != a ? data : old;
    case SIM_RMW_FCMPSWAP: return a == sim_f32(other) ? data : old;
    case SIM_RMW_PK_ADD_F16:
        for (int k = 0; k < 2; k++) {
            u32 x = old >> (16 * k) & 0xffff, y = data >> (16 * k) & 0xffff;
            float s = sim_f32(sim_f32_from_f16(x)) + sim_f32(sim_f32_from_f16(y));
            r[k] = sim_f16_nan(sim_f16_from_f32(sim_f32_bits(s)), x, y, y);
        }
        return r[0] | r[1] << 16;
    case SIM_RMW_PK_ADD_BF16:
        for (int k = 0; k < 2; k++) {
            u32 x = old >> (16 * k) & 0xffff, y = data >> (16 * k) & 0xffff;
            float s = sim_f32(x << 16) + sim_f32(y << 16);
            r[k] = sim_bf16_nan(sim_bf16_from_f32(sim_f32_bits(s)), x, y, y);
        }
        return r[0] | r[1] << 16;
    case SIM_RMW_SUB_CLAMP: return data > old ? 0 : old - data;
    case SIM_RMW_COND_SUB: return data > old ? old : old - data;
    }
    return old;
}

static inline u64 sim_rmw64(enum sim_rmw op, u64 old, u64 data, u64 other)
{
    double a = sim_f64(old), b = sim_f64(data);
    switch (op) {
    case SIM_RMW_SWAP: return data;
    case SIM_RMW_CMPSWAP: return old == other ? data : old;
    case SIM_RMW_ADD: return old + data;
    case SIM_RMW_SUB: return old - data;
    case SIM_RMW_RSUB: return data - old;
    case SIM_RMW_SMIN: return (i64)data < (i64)old ? data : old;
    case SIM_RMW_UMIN: return data < old ? data : old;
    case SIM_RMW_SMAX: return (i64)data > (i64)old ? data : old;
    case SIM_RMW_UMAX: return data > old ? data : old;
    case SIM_RMW_AND: return old & data;
    case SIM_RMW_OR: return old | data;
    case SIM_RMW_XOR: return old ^ data;
    case SIM_RMW_INC: return old >= data ? 0 : old + 1;
    case SIM_RMW_DEC: return old == 0 || old > data ? data : old - 1;
    case SIM_RMW_MSKOR: return (old & ~data) | other;
    case SIM_RMW_FADD: return sim_f64_nan(sim_f64_bits(a + b), old, data, data);
    case SIM_RMW_FMIN: return b < a || a != a ? data : old;
    case SIM_RMW_FMAX: return b > a || a != a ? data : old;
    case SIM_RMW_FCMPSWAP: return a == sim_f64(other) ? data : old;
    default: return old;
    }
}

/* On memory several threads share. p is naturally aligned. */
static inline u32 sim_atomic32(enum sim_rmw op, u32 *p, u32 data, u32 other)
{
    u32 old = __atomic_load_n(p, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(p, &old, sim_rmw32(op, old, data, other), true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        ;
    return old;
}
static inline u64 sim_atomic64(enum sim_rmw op, u64 *p, u64 data, u64 other)
{
    u64 old = __atomic_load_n(p, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(p, &old, sim_rmw64(op, old, data, other), true, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
        ;
    return old;
}

#endif
