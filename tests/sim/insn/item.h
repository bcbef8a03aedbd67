/* SPDX-License-Identifier: MIT */
/*
 * What the memory tables share: conversions of a loaded or stored item, atomic operations on raw
 * bits. Integers after the ISA guides' memory chapters; float atomics round to nearest and the
 * documents leave their denormals and NaN open, so values are drawn without them.
 */
#ifndef TEST_ITEM_H
#define TEST_ITEM_H

#include "insn.h"

/* How an item lies in the data registers. */
enum mconv { M_PLAIN, M_U8, M_I8, M_U16, M_I16, M_U8_D16, M_I8_D16, M_B16_D16, M_U8_HI, M_I8_HI,
    M_B16_HI };

int mconv_bytes(enum mconv c, int words);
/* Memory to registers (reg holds the old value) and back. */
void mem_to_regs(enum mconv c, int words, const uint8_t *mem, uint32_t *reg);
void regs_to_mem(enum mconv c, int words, const uint32_t *reg, uint8_t *mem);

/* Gives memory's new value. */
typedef uint64_t atomic_fn(enum target t, uint64_t mem, uint64_t data, uint64_t data2);

atomic_fn at_swap, at_cmpswap, at_add32, at_sub32, at_rsub32, at_smin32, at_umin32, at_smax32,
    at_umax32, at_and, at_or,
    at_xor, at_inc32, at_dec32, at_add64, at_sub64, at_rsub64, at_smin64, at_umin64, at_smax64,
        at_umax64, at_inc64,
    at_dec64, at_add_f32, at_add_f64, at_min_f32, at_max_f32, at_min_f64, at_max_f64, at_pk_f16,
        at_pk_bf16, at_mskor,
    at_wrap, at_sub_clamp, at_cond_sub, at_cmpswap_f32, at_cmpst_f32, at_cmpst_f64,
    at_condxchg;

enum mdraw { D_BITS, D_SMALL, D_F32, D_F64, D_PKF16, D_PKBF16 };
uint64_t mem_draw(enum mdraw d, int bytes);

uint64_t lane_mask_draw(enum target t, int wave);
/* First difference of two waves or memories, as text; null if there is none. */
const char *wave_diff(const struct wave_state *got, const struct wave_state *want,
    const uint8_t *mem_got,
                      const uint8_t *mem_want);
void wave_randomise(struct wave_state *w, enum target t);

#endif
