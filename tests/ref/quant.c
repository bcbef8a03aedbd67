/* SPDX-License-Identifier: MIT */
/* Per-row quantisation: scale and codes have one right value each, by the divisions of f32 that fly/quant.h names. */
#include <math.h>

#include "../support/num.h"
#include "rowwise.h"

static int64_t scratch_doubles(const struct fly_problem *p)
{
    return ref_field(p, "cols");
}

static void compare(const struct fly_problem *p, const struct ref_tensor *t, int64_t from, int64_t to,
                    double *scratch, struct ref_worst *w)
{
    const struct ref_tensor *y = ref_operand(t, "y"), *yscale = ref_operand(t, "yscale");
    const int64_t cols = ref_field(p, "cols");
    const float largest = (float)num_max(y->o.dtype);
    for (int64_t r = from; r < to; r++) {
        float most = 0;
        ref_row(ref_operand(t, "x"), r, cols, 0, scratch);
        for (int64_t c = 0; c < cols && !isnan(most); c++)
            if (isnan(scratch[c]) || fabs(scratch[c]) > most)
                most = (float)fabs(scratch[c]);
        const float quotient = most / largest, scale = quotient == 0 ? 1 : quotient;
        ref_note_equal(w, (int)(yscale - t), r, 0, scale, num_get(FLY_DTYPE_F32, yscale->after, r));
        for (int64_t c = 0; c < cols; c++) {
            const float v = (float)scratch[c] / scale;
            unsigned char code;
            num_put(y->o.dtype, &code, 0, isnan(v) ? v : fmaxf(-largest, fminf(v, largest)));
            ref_note_equal(w, (int)(y - t), r, c, num_get(y->o.dtype, &code, 0),
                           num_get(y->o.dtype, y->after, r * y->o.stride[0] + c));
        }
    }
}

const struct ref_op ref_quant = {"quant", ref_rowwise_rows, compare, scratch_doubles};
