/* SPDX-License-Identifier: MIT */
/* The dtype table of lib/dtype.inc as data. */
#ifndef FLY_CORE_DTYPE_H
#define FLY_CORE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FLY_DTYPE_COUNT = 1
#define FLY_DTYPE(id, value, token, bits, kind) +1
#include "dtype.inc"
#undef FLY_DTYPE
};

/* Token of kernel names and problem strings ("bf16"), or null for a value that is no dtype. */
const char *fly_dtype_token(unsigned dtype);

extern const uint8_t fly_dtype_bit_counts[FLY_DTYPE_COUNT];

/* Bits of an element, 0 for a value that is no dtype. */
static inline unsigned fly_dtype_bits(unsigned dtype)
{
    return dtype < FLY_DTYPE_COUNT ? fly_dtype_bit_counts[dtype] : 0;
}

/* Bytes of `n` elements. */
static inline uint64_t fly_dtype_bytes(unsigned dtype, uint64_t n)
{
    return (n * fly_dtype_bits(dtype) + 7) / 8;
}

/* dtype of the `n` characters of a token, or FLY_DTYPE_NONE. */
unsigned fly_dtype_find(const char *token, size_t n);

#endif
