/* SPDX-License-Identifier: MIT */
/* The dtype table. */
#include "core/dtype.h"

#include <string.h>

#include <fly/types.h>

static const char *const tokens[FLY_DTYPE_COUNT] = {
#define FLY_DTYPE(id, value, token, bits, kind) [FLY_DTYPE_##id] = token,
#include "dtype.inc"
#undef FLY_DTYPE
};

const uint8_t fly_dtype_bit_counts[FLY_DTYPE_COUNT] = {
#define FLY_DTYPE(id, value, token, bits, kind) [FLY_DTYPE_##id] = bits,
#include "dtype.inc"
#undef FLY_DTYPE
};

#define FLY_DTYPE(id, value, token, bits, kind)                                                    \
    _Static_assert(FLY_DTYPE_##id == (value), "dtype.inc and fly/types.h disagree on " token);
#include "dtype.inc"
#undef FLY_DTYPE

const char *fly_dtype_token(unsigned dtype)
{
    return dtype < FLY_DTYPE_COUNT ? tokens[dtype] : NULL;
}

unsigned fly_dtype_find(const char *token, size_t n)
{
    for (unsigned i = 1; i < FLY_DTYPE_COUNT; i++)
        if (strlen(tokens[i]) == n && !memcmp(tokens[i], token, n))
            return i;
    return FLY_DTYPE_NONE;
}
