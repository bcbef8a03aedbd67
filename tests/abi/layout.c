/* SPDX-License-Identifier: MIT */
/*
 * The layout of the public structs and the values of the public constants, on a 64-bit machine. A
 * line here may be added; none may change. Compiled as C and as C++; running it does nothing.
 */
#include <stddef.h>

#include <fly/fly.h>

/* Works in C99 and C++98: an array of negative size when the condition fails. */
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
#define SAME(a, b) typedef char JOIN(line_, __LINE__)[(a) == (b) ? 1 : -1] __attribute__((unused))
#define MEMBER(type, member, offset, bytes)                                                        \
    typedef char JOIN(line_, __LINE__)[offsetof(type, member) == (offset) &&                       \
                                               sizeof(((type *)0)->member) == (bytes)              \
                                           ? 1                                                     \
                                           : -1] __attribute__((unused))

SAME(sizeof(flyStatus_t), 4);
SAME(sizeof(flyDtype_t), 4);
SAME(sizeof(flyReason_t), 4);
SAME(sizeof(flyHandle_t), 8);

SAME(FLY_STATUS_SUCCESS, 0);
SAME(FLY_STATUS_INVALID_VALUE, 1);
SAME(FLY_STATUS_INVALID_HANDLE, 2);
SAME(FLY_STATUS_NOT_SUPPORTED, 3);
SAME(FLY_STATUS_NO_RUNTIME, 4);
SAME(FLY_STATUS_NO_DEVICE, 5);
SAME(FLY_STATUS_NO_KERNELS, 6);
SAME(FLY_STATUS_BAD_KERNEL_FILE, 7);
SAME(FLY_STATUS_WORKSPACE_TOO_SMALL, 8);
SAME(FLY_STATUS_OUT_OF_MEMORY, 9);
SAME(FLY_STATUS_RUNTIME_ERROR, 10);
SAME(FLY_STATUS_NOT_READY, 11);
SAME(FLY_STATUS_INTERNAL, 12);

SAME(FLY_DTYPE_NONE, 0);
SAME(FLY_DTYPE_F32, 1);
SAME(FLY_DTYPE_F16, 2);
SAME(FLY_DTYPE_BF16, 3);
SAME(FLY_DTYPE_E4M3, 4);
SAME(FLY_DTYPE_E4M3FNUZ, 5);
SAME(FLY_DTYPE_E5M2, 6);
SAME(FLY_DTYPE_E5M2FNUZ, 7);
SAME(FLY_DTYPE_I8, 8);
SAME(FLY_DTYPE_I32, 9);
SAME(FLY_DTYPE_E2M1, 10);
SAME(FLY_DTYPE_E2M3, 11);
SAME(FLY_DTYPE_E3M2, 12);
SAME(FLY_DTYPE_E8M0, 13);
SAME(FLY_DTYPE_I4, 14);

SAME(FLY_REASON_NONE, 0);
SAME(FLY_REASON_FORCED, 1);
SAME(FLY_REASON_TUNED, 2);
SAME(FLY_REASON_NEAREST, 3);
SAME(FLY_REASON_HEURISTIC, 4);
SAME(FLY_REASON_FALLBACK, 5);

MEMBER(flyPlan_t, size, 0, 8);
MEMBER(flyPlan_t, kernel, 8, 8);
MEMBER(flyPlan_t, workspace_bytes, 16, 8);
MEMBER(flyPlan_t, grid, 24, 12);
MEMBER(flyPlan_t, block, 36, 12);
MEMBER(flyPlan_t, lds_bytes, 48, 4);
MEMBER(flyPlan_t, registers, 52, 4);
MEMBER(flyPlan_t, reason, 56, 4);
MEMBER(flyPlan_t, launches, 60, 4);
MEMBER(flyPlan_t, modelled_us, 64, 8);
MEMBER(flyPlan_t, bound, 72, 8);
MEMBER(flyPlan_t, second, 80, 8);
MEMBER(flyPlan_t, second_us, 88, 8);
MEMBER(flyPlan_t, note, 96, 8);
SAME(sizeof(flyPlan_t), 104);

MEMBER(flyLayerNormArgs_t, size, 0, 8);
MEMBER(flyLayerNormArgs_t, rows, 8, 8);
MEMBER(flyLayerNormArgs_t, cols, 16, 8);
MEMBER(flyLayerNormArgs_t, x, 24, 8);
MEMBER(flyLayerNormArgs_t, gamma, 32, 8);
MEMBER(flyLayerNormArgs_t, beta, 40, 8);
MEMBER(flyLayerNormArgs_t, y, 48, 8);
MEMBER(flyLayerNormArgs_t, mean, 56, 8);
MEMBER(flyLayerNormArgs_t, rstd, 64, 8);
MEMBER(flyLayerNormArgs_t, ldx, 72, 8);
MEMBER(flyLayerNormArgs_t, ldy, 80, 8);
MEMBER(flyLayerNormArgs_t, eps, 88, 4);
MEMBER(flyLayerNormArgs_t, dtype, 92, 4);
MEMBER(flyLayerNormArgs_t, residual, 96, 8);
MEMBER(flyLayerNormArgs_t, residual_out, 104, 8);
MEMBER(flyLayerNormArgs_t, yscale, 112, 8);
MEMBER(flyLayerNormArgs_t, xscale, 120, 8);
MEMBER(flyLayerNormArgs_t, ldr, 128, 8);
MEMBER(flyLayerNormArgs_t, ldro, 136, 8);
MEMBER(flyLayerNormArgs_t, ydtype, 144, 4);
MEMBER(flyLayerNormArgs_t, reserved, 148, 4);
SAME(sizeof(flyLayerNormArgs_t), 152);

MEMBER(flyRmsNormArgs_t, size, 0, 8);
MEMBER(flyRmsNormArgs_t, rows, 8, 8);
MEMBER(flyRmsNormArgs_t, cols, 16, 8);
MEMBER(flyRmsNormArgs_t, x, 24, 8);
MEMBER(flyRmsNormArgs_t, gamma, 32, 8);
MEMBER(flyRmsNormArgs_t, y, 40, 8);
MEMBER(flyRmsNormArgs_t, rstd, 48, 8);
MEMBER(flyRmsNormArgs_t, residual, 56, 8);
MEMBER(flyRmsNormArgs_t, residual_out, 64, 8);
MEMBER(flyRmsNormArgs_t, yscale, 72, 8);
MEMBER(flyRmsNormArgs_t, xscale, 80, 8);
MEMBER(flyRmsNormArgs_t, ldx, 88, 8);
MEMBER(flyRmsNormArgs_t, ldy, 96, 8);
MEMBER(flyRmsNormArgs_t, ldr, 104, 8);
MEMBER(flyRmsNormArgs_t, ldro, 112, 8);
MEMBER(flyRmsNormArgs_t, eps, 120, 4);
MEMBER(flyRmsNormArgs_t, dtype, 124, 4);
MEMBER(flyRmsNormArgs_t, wdtype, 128, 4);
MEMBER(flyRmsNormArgs_t, ydtype, 132, 4);
SAME(sizeof(flyRmsNormArgs_t), 136);

MEMBER(flyLayerNormBackwardArgs_t, size, 0, 8);
MEMBER(flyLayerNormBackwardArgs_t, rows, 8, 8);
MEMBER(flyLayerNormBackwardArgs_t, cols, 16, 8);
MEMBER(flyLayerNormBackwardArgs_t, x, 24, 8);
MEMBER(flyLayerNormBackwardArgs_t, gamma, 32, 8);
MEMBER(flyLayerNormBackwardArgs_t, dy, 40, 8);
MEMBER(flyLayerNormBackwardArgs_t, mean, 48, 8);
MEMBER(flyLayerNormBackwardArgs_t, rstd, 56, 8);
MEMBER(flyLayerNormBackwardArgs_t, dresidual, 64, 8);
MEMBER(flyLayerNormBackwardArgs_t, dx, 72, 8);
MEMBER(flyLayerNormBackwardArgs_t, dgamma, 80, 8);
MEMBER(flyLayerNormBackwardArgs_t, dbeta, 88, 8);
MEMBER(flyLayerNormBackwardArgs_t, workspace, 96, 8);
MEMBER(flyLayerNormBackwardArgs_t, workspace_bytes, 104, 8);
MEMBER(flyLayerNormBackwardArgs_t, ldx, 112, 8);
MEMBER(flyLayerNormBackwardArgs_t, lddy, 120, 8);
MEMBER(flyLayerNormBackwardArgs_t, lddx, 128, 8);
MEMBER(flyLayerNormBackwardArgs_t, lddr, 136, 8);
MEMBER(flyLayerNormBackwardArgs_t, dtype, 144, 4);
MEMBER(flyLayerNormBackwardArgs_t, atomic, 148, 4);
SAME(sizeof(flyLayerNormBackwardArgs_t), 152);

MEMBER(flyRmsNormBackwardArgs_t, size, 0, 8);
MEMBER(flyRmsNormBackwardArgs_t, rows, 8, 8);
MEMBER(flyRmsNormBackwardArgs_t, cols, 16, 8);
MEMBER(flyRmsNormBackwardArgs_t, x, 24, 8);
MEMBER(flyRmsNormBackwardArgs_t, gamma, 32, 8);
MEMBER(flyRmsNormBackwardArgs_t, dy, 40, 8);
MEMBER(flyRmsNormBackwardArgs_t, rstd, 48, 8);
MEMBER(flyRmsNormBackwardArgs_t, dresidual, 56, 8);
MEMBER(flyRmsNormBackwardArgs_t, dx, 64, 8);
MEMBER(flyRmsNormBackwardArgs_t, dgamma, 72, 8);
MEMBER(flyRmsNormBackwardArgs_t, workspace, 80, 8);
MEMBER(flyRmsNormBackwardArgs_t, workspace_bytes, 88, 8);
MEMBER(flyRmsNormBackwardArgs_t, ldx, 96, 8);
MEMBER(flyRmsNormBackwardArgs_t, lddy, 104, 8);
MEMBER(flyRmsNormBackwardArgs_t, lddx, 112, 8);
MEMBER(flyRmsNormBackwardArgs_t, lddr, 120, 8);
MEMBER(flyRmsNormBackwardArgs_t, dtype, 128, 4);
MEMBER(flyRmsNormBackwardArgs_t, wdtype, 132, 4);
MEMBER(flyRmsNormBackwardArgs_t, atomic, 136, 4);
MEMBER(flyRmsNormBackwardArgs_t, reserved, 140, 4);
SAME(sizeof(flyRmsNormBackwardArgs_t), 144);

MEMBER(flySoftmaxArgs_t, size, 0, 8);
MEMBER(flySoftmaxArgs_t, rows, 8, 8);
MEMBER(flySoftmaxArgs_t, cols, 16, 8);
MEMBER(flySoftmaxArgs_t, x, 24, 8);
MEMBER(flySoftmaxArgs_t, y, 32, 8);
MEMBER(flySoftmaxArgs_t, lengths, 40, 8);
MEMBER(flySoftmaxArgs_t, ldx, 48, 8);
MEMBER(flySoftmaxArgs_t, ldy, 56, 8);
MEMBER(flySoftmaxArgs_t, causal_rows, 64, 8);
MEMBER(flySoftmaxArgs_t, scale, 72, 4);
MEMBER(flySoftmaxArgs_t, causal, 76, 4);
MEMBER(flySoftmaxArgs_t, dtype, 80, 4);
MEMBER(flySoftmaxArgs_t, reserved, 84, 4);
SAME(sizeof(flySoftmaxArgs_t), 88);

MEMBER(flySoftmaxBackwardArgs_t, size, 0, 8);
MEMBER(flySoftmaxBackwardArgs_t, rows, 8, 8);
MEMBER(flySoftmaxBackwardArgs_t, cols, 16, 8);
MEMBER(flySoftmaxBackwardArgs_t, dy, 24, 8);
MEMBER(flySoftmaxBackwardArgs_t, y, 32, 8);
MEMBER(flySoftmaxBackwardArgs_t, dx, 40, 8);
MEMBER(flySoftmaxBackwardArgs_t, lddy, 48, 8);
MEMBER(flySoftmaxBackwardArgs_t, ldy, 56, 8);
MEMBER(flySoftmaxBackwardArgs_t, lddx, 64, 8);
MEMBER(flySoftmaxBackwardArgs_t, scale, 72, 4);
MEMBER(flySoftmaxBackwardArgs_t, dtype, 76, 4);
SAME(sizeof(flySoftmaxBackwardArgs_t), 80);

MEMBER(flyQuantPerTokenArgs_t, size, 0, 8);
MEMBER(flyQuantPerTokenArgs_t, rows, 8, 8);
MEMBER(flyQuantPerTokenArgs_t, cols, 16, 8);
MEMBER(flyQuantPerTokenArgs_t, x, 24, 8);
MEMBER(flyQuantPerTokenArgs_t, y, 32, 8);
MEMBER(flyQuantPerTokenArgs_t, yscale, 40, 8);
MEMBER(flyQuantPerTokenArgs_t, ldx, 48, 8);
MEMBER(flyQuantPerTokenArgs_t, ldy, 56, 8);
MEMBER(flyQuantPerTokenArgs_t, dtype, 64, 4);
MEMBER(flyQuantPerTokenArgs_t, ydtype, 68, 4);
SAME(sizeof(flyQuantPerTokenArgs_t), 72);

MEMBER(flyVecAddArgs_t, size, 0, 8);
MEMBER(flyVecAddArgs_t, n, 8, 8);
MEMBER(flyVecAddArgs_t, a, 16, 8);
MEMBER(flyVecAddArgs_t, b, 24, 8);
MEMBER(flyVecAddArgs_t, y, 32, 8);
MEMBER(flyVecAddArgs_t, dtype, 40, 4);
MEMBER(flyVecAddArgs_t, reserved, 44, 4);
SAME(sizeof(flyVecAddArgs_t), 48);

SAME(FLY_EPILOGUE_NONE, 0);
SAME(FLY_EPILOGUE_BIAS, 1);
SAME(FLY_EPILOGUE_BIAS_RELU, 2);
SAME(FLY_EPILOGUE_BIAS_SILU, 3);
SAME(FLY_EPILOGUE_BIAS_GELU, 4);
SAME(FLY_SCALE_NONE, 0);
SAME(FLY_SCALE_TENSOR, 1);
SAME(FLY_SCALE_VECTOR, 2);
SAME(FLY_LAYOUT_ROW, 0);
SAME(FLY_LAYOUT_B16, 1);
SAME(FLY_LAYOUT_RDNA4_FP8, 2);
SAME(FLY_LAYOUT_COLUMN, 3);

MEMBER(flyGemmPreshuffleArgs_t, size, 0, 8);
MEMBER(flyGemmPreshuffleArgs_t, m, 8, 8);
MEMBER(flyGemmPreshuffleArgs_t, n, 16, 8);
MEMBER(flyGemmPreshuffleArgs_t, k, 24, 8);
MEMBER(flyGemmPreshuffleArgs_t, a, 32, 8);
MEMBER(flyGemmPreshuffleArgs_t, b, 40, 8);
MEMBER(flyGemmPreshuffleArgs_t, c, 48, 8);
MEMBER(flyGemmPreshuffleArgs_t, scale_a, 56, 8);
MEMBER(flyGemmPreshuffleArgs_t, scale_b, 64, 8);
MEMBER(flyGemmPreshuffleArgs_t, bias, 72, 8);
MEMBER(flyGemmPreshuffleArgs_t, workspace, 80, 8);
MEMBER(flyGemmPreshuffleArgs_t, workspace_bytes, 88, 8);
MEMBER(flyGemmPreshuffleArgs_t, lda, 96, 8);
MEMBER(flyGemmPreshuffleArgs_t, ldc, 104, 8);
MEMBER(flyGemmPreshuffleArgs_t, batch, 112, 8);
MEMBER(flyGemmPreshuffleArgs_t, stride_a, 120, 8);
MEMBER(flyGemmPreshuffleArgs_t, stride_b, 128, 8);
MEMBER(flyGemmPreshuffleArgs_t, stride_c, 136, 8);
MEMBER(flyGemmPreshuffleArgs_t, stride_scale_a, 144, 8);
MEMBER(flyGemmPreshuffleArgs_t, stride_scale_b, 152, 8);
MEMBER(flyGemmPreshuffleArgs_t, stride_bias, 160, 8);
MEMBER(flyGemmPreshuffleArgs_t, in_dtype, 168, 4);
MEMBER(flyGemmPreshuffleArgs_t, out_dtype, 172, 4);
MEMBER(flyGemmPreshuffleArgs_t, scale_mode_a, 176, 4);
MEMBER(flyGemmPreshuffleArgs_t, scale_mode_b, 180, 4);
MEMBER(flyGemmPreshuffleArgs_t, epilogue, 184, 4);
MEMBER(flyGemmPreshuffleArgs_t, layout, 188, 4);
SAME(sizeof(flyGemmPreshuffleArgs_t), 192);

MEMBER(flyPreshuffleBArgs_t, size, 0, 8);
MEMBER(flyPreshuffleBArgs_t, n, 8, 8);
MEMBER(flyPreshuffleBArgs_t, k, 16, 8);
MEMBER(flyPreshuffleBArgs_t, src, 24, 8);
MEMBER(flyPreshuffleBArgs_t, dst, 32, 8);
MEMBER(flyPreshuffleBArgs_t, ld, 40, 8);
MEMBER(flyPreshuffleBArgs_t, batch, 48, 8);
MEMBER(flyPreshuffleBArgs_t, stride_src, 56, 8);
MEMBER(flyPreshuffleBArgs_t, stride_dst, 64, 8);
MEMBER(flyPreshuffleBArgs_t, dtype, 72, 4);
MEMBER(flyPreshuffleBArgs_t, from, 76, 4);
MEMBER(flyPreshuffleBArgs_t, to, 80, 4);
MEMBER(flyPreshuffleBArgs_t, reserved, 84, 4);
SAME(sizeof(flyPreshuffleBArgs_t), 88);

int main(void)
{
    flyLayerNormArgs_t a = FLY_ARGS_INIT(a);
    flyPlan_t p = FLY_ARGS_INIT(p);
    return a.size == sizeof a && p.size == sizeof p && a.x == 0 && p.kernel == 0 ? 0 : 1;
}
