/* SPDX-License-Identifier: MIT */
/* Element-wise sum: y[i] = a[i] + b[i], rounded once to nearest even. */
#ifndef FLY_VECADD_H
#define FLY_VECADD_H

#include <fly/handle.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flyVecAddArgs_t {
    size_t size;       /* sizeof(flyVecAddArgs_t), set by FLY_ARGS_INIT */
    int64_t n;         /* >= 0; 0 does nothing and succeeds, with arguments checked */
    const void *a;     /* [n] of dtype, aligned to its element */
    const void *b;     /* [n] of dtype */
    void *y;           /* [n] of dtype; may be a or b, any other overlap is undefined */
    uint32_t dtype;    /* flyDtype_t of all three: F32, F16 or BF16 */
    uint32_t reserved; /* 0 */
} flyVecAddArgs_t;

/* INVALID_VALUE: a, b or y null, n < 0, a misaligned pointer, an unknown dtype. NOT_SUPPORTED: another dtype. */
FLY_API flyStatus_t flyVecAdd(flyHandle_t handle, const flyVecAddArgs_t *args);
FLY_API flyStatus_t flyVecAddPlan(flyHandle_t handle, const flyVecAddArgs_t *args, flyPlan_t *plan);

#ifdef __cplusplus
}
#endif
#endif
