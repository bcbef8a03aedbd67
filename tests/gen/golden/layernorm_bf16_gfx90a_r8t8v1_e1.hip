/* layernorm_bf16_gfx90a_r8t8v1_e1 for gfx90a, written by flygen. */

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
typedef float f32;
typedef __bf16 bf16;
typedef f32 f32x2 __attribute__((ext_vector_type(2)));
typedef f32 f32x1;
typedef bf16 bf16x1;

/* row * ld. In two parts, or the compiler adds the upper one up in 64 bits. */
static __device__ unsigned long times(unsigned row, long ld)
{
    return (unsigned long)row * (unsigned)ld + ((unsigned long)(row * (unsigned)(ld >> 32)) << 32);
}

static __device__ unsigned workgroup_id()
{
    return __builtin_amdgcn_workgroup_id_x();
}

static __device__ unsigned work_item_id()
{
    return __builtin_amdgcn_workitem_id_x();
}

/* v, or the nearest of 0 to high, which is the same in all lanes: the median of the three. */
static __device__ int within(int v, int high)
{
    int nearest;
    __asm__("v_med3_i32 %0, %1, 0, %2" : "=v"(nearest) : "v"(v), "s"(high));
    return nearest;
}

/* -v, opaque to the compiler: it packs additions of this in pairs, not subtractions of v. */
static __device__ float negative(float v)
{
    v = -v;
    __asm__("" : "+v"(v));
    return v;
}

/* Elements at .. of p, which need no alignment beyond their own. */
static __device__ bf16x1 load_bf16x1(const bf16 *p, int at)
{
    typedef bf16x1 anywhere __attribute__((aligned(sizeof(bf16))));
    const unsigned byte = (unsigned)at * (unsigned)sizeof(bf16);
    return *(const anywhere *)((const char *)p + byte);
}

static __device__ void store_bf16x1(bf16 *p, int at, bf16x1 v)
{
    typedef bf16x1 anywhere __attribute__((aligned(sizeof(bf16))));
    const unsigned byte = (unsigned)at * (unsigned)sizeof(bf16);
    *(anywhere *)((char *)p + byte) = v;
}

static __device__ bf16x1 load_param_bf16x1(const bf16 *p, int at)
{
    return load_bf16x1(p, at);
}

static __device__ float reciprocal(float v)
{
    return __builtin_amdgcn_rcpf(v);
}

static __device__ float reciprocal_root_near(float v)
{
    return __builtin_amdgcn_rsqf(v);
}

/* The value of the lane beside this one. */
static __device__ float other2(float v)
{
    const int bits = __builtin_bit_cast(int, v);
    return __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(bits, 0xb1, 0xf, 0xf, true));
}

/* The value of the other two of four lanes, where pairs agree. */
static __device__ float other4(float v)
{
    const int bits = __builtin_bit_cast(int, v);
    return __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(bits, 0x4e, 0xf, 0xf, true));
}

/* The value of the other half of eight lanes, where halves agree. */
static __device__ float other8(float v)
{
    const int bits = __builtin_bit_cast(int, v);
    return __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(bits, 0x141, 0xf, 0xf, true));
}

static __device__ f32x1 widen_bf16x1(bf16x1 v)
{
    return (float)v;
}

/* Rounds to nearest even; NaN stays NaN. */
static __device__ bf16x1 narrow_bf16x1(f32x1 v)
{
    return (bf16)v;
}

static __device__ f32x1 affine_bf16x1(f32x1 v, bf16x1 scale, bf16x1 offset)
{
    return v * widen_bf16x1(scale) + widen_bf16x1(offset);
}

/* a + b, rounded once. */
static __device__ bf16x1 added_bf16x1(bf16x1 a, bf16x1 b)
{
    return narrow_bf16x1(widen_bf16x1(a) + widen_bf16x1(b));
}

static __device__ float sum_f32x1(f32x1 v)
{
    return v;
}

/* A sum to about 48 bits: hi + lo. */
struct pair {
    float hi, lo;
};

static __device__ pair fold_f32x1(f32x1 hi, f32x1 lo)
{
    return {hi, lo};
}

static __device__ double other2_wide(double v)
{
    const f32x2 half = __builtin_bit_cast(f32x2, v);
    const f32x2 other = {other2(half.x), other2(half.y)};
    return __builtin_bit_cast(double, other);
}

static __device__ double other4_wide(double v)
{
    const f32x2 half = __builtin_bit_cast(f32x2, v);
    const f32x2 other = {other4(half.x), other4(half.y)};
    return __builtin_bit_cast(double, other);
}

static __device__ double other8_wide(double v)
{
    const f32x2 half = __builtin_bit_cast(f32x2, v);
    const f32x2 other = {other8(half.x), other8(half.y)};
    return __builtin_bit_cast(double, other);
}

static __device__ float finite_or_0(float v)
{
    return __builtin_fabsf(v) <= 0x1.fffffep127f ? v : 0;
}

/* v / by: hi the quotient rounded, lo what is missing, from an exact rest. */
static __device__ pair quotient(double v, double by)
{
    const double part = reciprocal((float)by);
    const double near = v * part;
    const float hi = __builtin_fma(__builtin_fma(-near, by, v), part, near);
    const double rest = __builtin_fma(-(double)hi, by, v);
    const double low = rest * part;
    return {hi, (float)__builtin_fma(__builtin_fma(-low, by, rest), part, low)};
}

/* 1 / sqrt(v), the hardware's value improved by one step of Newton's method with an exact residual. */
static __device__ float reciprocal_root(float v)
{
    const float near = reciprocal_root_near(v);
    const float square = v * near;
    const float low = __builtin_fmaf(v, near, -square);
    const float excess = __builtin_fmaf(square, near, -1) + low * near;
    return near - finite_or_0(0.5f * near * excess);
}

/* The module's fingerprint, compared with the registry when it is loaded. */
extern "C" __device__ __attribute__((used, visibility("default")))
const unsigned char fly_registry_FINGERPRINT = 1;

/* 8 rows a workgroup, 8 lanes a row, 1 to 8 columns, read once */
extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(64, 64)))
layernorm_bf16_gfx90a_r8t8v1_e1(
    const bf16 *x,
    const bf16 *__restrict__ gamma,
    const bf16 *__restrict__ beta,
    bf16 *y,
    f32 *__restrict__ mean,
    f32 *__restrict__ rstd,
    const bf16 *residual,
    bf16 *residual_out,
    f32 *__restrict__ yscale,
    const bf16 *__restrict__ xscale,
    long ldx,
    long ldy,
    long ldr,
    long ldro,
    int rows,
    int cols,
    float eps)
{
    /* 8 rows a workgroup, 8 lanes a row. */
    const int lane = work_item_id() % 8;
    const int slot = work_item_id() / 8;
    const int row = workgroup_id() * 8 + slot;
    if (row >= rows)
        return;
    const bf16 *x_row = x + times(row, ldx);
    bf16 *y_row = y + times(row, ldy);

    const int before = 0;
    int at, moved;
    const int place = 1 * lane - before;
    at = within(place, cols - 1);
    moved = at - place;
    /* The only read of the row. */
    bf16x1 values;
    values = 0;
    if (moved == 0)
        values = load_bf16x1(x_row, at);
    bf16x1 scales;
    if (gamma) {
        scales = load_param_bf16x1(gamma, at);
    } else {
        scales = (bf16x1)1;
    }
    bf16x1 offsets;
    if (beta) {
        offsets = load_param_bf16x1(beta, at);
    } else {
        offsets = (bf16x1)0;
    }
    /* The row is x + residual where there is one. */
    if (residual) {
        bf16 *residual_row = (bf16 *)residual + times(row, ldr);
        bf16 *residual_out_row = (bf16 *)residual_out + times(row, ldro);
        bf16x1 more;
        more = load_bf16x1(residual_row, at);
        values = added_bf16x1(values, more);
        if (moved == 0) {
            store_bf16x1(residual_out_row, at, values);
        }
    }

    /* Sum of the row. */
    f32x1 hi = 0, lo = 0;
    {
        if (moved == 0) {
            f32x1 v = widen_bf16x1(values);
            hi = v;
        }
    }
    const pair own_sum = fold_f32x1(hi - 0, lo);
    double sum = (double)own_sum.hi + own_sum.lo;
    sum = sum + other2_wide(sum);
    sum = sum + other4_wide(sum);
    sum = sum + other8_wide(sum);

    /* The mean: m is it rounded, m_low what is missing. */
    const pair center = quotient(sum, cols);
    const float m = center.hi, m_low = center.lo;
    const float less_m = negative(m);

    /* Squares of the deviations. */
    f32x1 squares = 0;
    {
        if (moved == 0) {
            f32x1 v = widen_bf16x1(values);
            f32x1 d = v + less_m;
            squares += d * d;
        }
    }
    float square = sum_f32x1(squares);
    square = square + other2(square);
    square = square + other4(square);
    square = square + other8(square);
    const float variance = square * reciprocal((float)cols) - m_low * m_low;
    const float scale = reciprocal_root(variance + eps);
    const float shift = negative(m_low * scale);

    if (lane == 0) {
        if (mean)
            mean[row] = m;
        if (rstd)
            rstd[row] = scale;
    }

    bf16x1 out;
    {
        const f32x1 d = widen_bf16x1(values) + less_m;
        f32x1 t = affine_bf16x1(d * scale + shift, scales, offsets);
        out = narrow_bf16x1(t);
    }
    if (moved == 0) {
        store_bf16x1(y_row, at, out);
    }
}
