/* layernorm_bf16_sm80_r1t512v4 for sm80, written by flygen. */

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
typedef float f32;
typedef __bf16 bf16;
typedef f32 f32x2 __attribute__((ext_vector_type(2)));
typedef f32 f32x8 __attribute__((ext_vector_type(8)));
typedef bf16 bf16x8 __attribute__((ext_vector_type(8)));

static __device__ int least(int a, int b)
{
    return a < b ? a : b;
}

/* row * ld. In two parts, or the compiler adds the upper one up in 64 bits. */
static __device__ unsigned long times(unsigned row, long ld)
{
    return (unsigned long)row * (unsigned)ld + ((unsigned long)(row * (unsigned)(ld >> 32)) << 32);
}

static __device__ int clamp(int v, int low, int high)
{
    return __builtin_elementwise_max(__builtin_elementwise_min(v, high), low);
}

static __device__ unsigned workgroup_id()
{
    return __nvvm_read_ptx_sreg_ctaid_x();
}

static __device__ unsigned work_item_id()
{
    return __nvvm_read_ptx_sreg_tid_x();
}

/* Elements at .. of p, 16 bytes aligned. */
static __device__ bf16x8 load_bf16x8(const bf16 *p, long at)
{
    typedef unsigned words __attribute__((ext_vector_type(4)));
    words v;
    __asm__ volatile("ld.global.v4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p + at));
    return __builtin_bit_cast(bf16x8, v);
}

/* Elements at .. of p, 16 bytes aligned, where at < end; else undefined. */
static __device__ bf16x8 load_where_bf16x8(const bf16 *p, int at, int end)
{
    typedef unsigned words __attribute__((ext_vector_type(4)));
    words v;
    __asm__ volatile("{\n\t.reg .pred there;\n\tsetp.lt.s32 there, %5, %6;\n\t"
                     "@there ld.global.v4.b32 {%0, %1, %2, %3}, [%4];\n\t}"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p + at), "r"(at), "r"(end));
    return __builtin_bit_cast(bf16x8, v);
}

/* 16 bytes aligned. */
static __device__ void store_bf16x8(bf16 *p, long at, bf16x8 v)
{
    typedef unsigned words __attribute__((ext_vector_type(4)));
    const words b = __builtin_bit_cast(words, v);
    __asm__ volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};"
                     :: "l"(p + at), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w) : "memory");
}

/* Elements at .. of p, 16 bytes aligned; many rows read them. */
static __device__ bf16x8 load_param_bf16x8(const bf16 *p, long at)
{
    return *(const bf16x8 *)(p + at);
}

/* Every step-th element from `at` on; beyond `last`, that one. */
static __device__ bf16x8 load_strided_bf16x8(const bf16 *p, int at, int step, int last)
{
    bf16x8 v;
    if (at + (8 - 1) * step <= last) {
#pragma unroll
        for (int e = 0; e < 8; e++)
            v[e] = p[at + e * step];
    } else {
#pragma unroll
        for (int e = 0; e < 8; e++)
            v[e] = p[least(at + e * step, last)];
    }
    return v;
}

/* The first `count` elements of v, step elements apart from `at` on. */
static __device__ void store_strided_bf16x8(bf16 *p, int at, int step, int count, bf16x8 v)
{
    if (count == 8) {
#pragma unroll
        for (int e = 0; e < 8; e++)
            p[at + e * step] = v[e];
    } else {
#pragma unroll
        for (int e = 0; e < 8; e++)
            if (e < count)
                p[at + e * step] = v[e];
    }
}

static __device__ float negative(float v)
{
    return -v;
}

/* By words: an element of its own costs two instructions where it is the high half. */
static __device__ f32x8 widen_bf16x8(bf16x8 v)
{
    typedef unsigned words __attribute__((ext_vector_type(8 / 2)));
    const words bits = __builtin_bit_cast(words, v);
    f32x8 wide;
#pragma unroll
    for (int e = 0; e < 8; e += 2) {
        wide[e] = __builtin_bit_cast(float, bits[e / 2] << 16);
        wide[e + 1] = __builtin_bit_cast(float, bits[e / 2] & 0xffff0000);
    }
    return wide;
}

/* a + b, rounded once: written so that it becomes one addition of 16-bit pairs. */
static __device__ bf16x8 added_bf16x8(bf16x8 a, bf16x8 b)
{
    return __builtin_convertvector(__builtin_convertvector(a, f32x8) + __builtin_convertvector(b, f32x8), bf16x8);
}

/* v, opaque to the compiler, so that it is kept as it is and not in a widened form too. */
static __device__ bf16x8 packed_bf16x8(bf16x8 v)
{
    typedef int words __attribute__((ext_vector_type(sizeof(bf16x8) / 4)));
    words bits = __builtin_bit_cast(words, v);
#pragma unroll
    for (int i = 0; i < sizeof(bf16x8) / 4; i++)
        __asm__("" : "+r"(bits[i]));
    return __builtin_bit_cast(bf16x8, bits);
}

/* What work-items wrote to shared memory before, all of the workgroup read after. */
static __device__ void barrier()
{
    __syncthreads();
}

/* 1 / n to 46 bits, n a whole number. */
static __device__ double share_of(double n)
{
    const double near = __nvvm_rcp_approx_ftz_f((float)n);
    return __builtin_fma(__builtin_fma(-near, n, 1), near, near);
}

/* v / by, a whole number: hi the quotient rounded, lo what is missing, from an exact rest. */
static __device__ void divide(double v, double by, float &hi, float &lo)
{
    const double share = share_of(by);
    hi = v * share;
    lo = __builtin_fma(-(double)hi, by, v) * share;
}

static __device__ float reciprocal_root_near(float v)
{
    return __nvvm_rsqrt_approx_f(v);
}

static __device__ float other2(float v)
{
    return __nvvm_shfl_sync_bfly_f32(~0u, v, 1, 31);
}

static __device__ float other4(float v)
{
    return __nvvm_shfl_sync_bfly_f32(~0u, v, 2, 31);
}

static __device__ float other8(float v)
{
    return __nvvm_shfl_sync_bfly_f32(~0u, v, 4, 31);
}

static __device__ float other16(float v)
{
    return __nvvm_shfl_sync_bfly_f32(~0u, v, 8, 31);
}

static __device__ float other32(float v)
{
    return __nvvm_shfl_sync_bfly_f32(~0u, v, 16, 31);
}

/* Rounds to nearest even; NaN stays NaN. */
static __device__ bf16x8 narrow_bf16x8(f32x8 v)
{
    return __builtin_convertvector(v, bf16x8);
}

static __device__ f32x8 affine_bf16x8(f32x8 v, bf16x8 scale, bf16x8 offset)
{
    return v * widen_bf16x8(scale) + widen_bf16x8(offset);
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

static __device__ double other16_wide(double v)
{
    const f32x2 half = __builtin_bit_cast(f32x2, v);
    const f32x2 other = {other16(half.x), other16(half.y)};
    return __builtin_bit_cast(double, other);
}

static __device__ double other32_wide(double v)
{
    const f32x2 half = __builtin_bit_cast(f32x2, v);
    const f32x2 other = {other32(half.x), other32(half.y)};
    return __builtin_bit_cast(double, other);
}

/* v, with `other` in place of its elements from `count` on. */
static __device__ f32x8 only_f32x8(f32x8 v, int count, f32 other)
{
#pragma unroll
    for (int e = 0; e < 8; e++)
        v[e] = e < count ? v[e] : other;
    return v;
}

/* Sum and sum of squares of some values. */
struct __attribute__((aligned(16))) moments {
    double sum, squares;
};

/* v - from, exactly: elements in turn to even and to odd, which may be the same. */
static __device__ void add_moments_f32x8(moments &even, moments &odd, f32x8 v, float from)
{
    f32 each[8];
    __builtin_memcpy(each, &v, sizeof each);
#pragma unroll
    for (int e = 0; e < 8; e++) {
        const double d = (double)each[e] - from;
        moments &to = e % 2 ? odd : even;
        to.sum += d;
        to.squares = __builtin_fma(d, d, to.squares);
    }
}

static __device__ double half_of(moments v, bool second)
{
    return second ? v.squares : v.sum;
}

static __device__ moments from_halves(double half, bool second)
{
    const double other = other2_wide(half);
    return {second ? other : half, second ? half : other};
}

static __device__ moments join_moments(moments a, moments b)
{
    return {a.sum + b.sum, a.squares + b.squares};
}

static __device__ float finite_or_0(float v)
{
    return __builtin_fabsf(v) <= 0x1.fffffep127f ? v : 0;
}

/* n sum of squares - sum^2, in which all that cancels is exact, over n^2. */
static __device__ float variance_of(moments m, int n)
{
    const double high = m.sum * m.sum, low = __builtin_fma(m.sum, m.sum, -high);
    const double share = share_of(n);
    const float v = (__builtin_fma((double)n, m.squares, -high) - low) * (share * share);
    return v < 0 ? 0 : v;
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

/* 1 row a workgroup, 512 lanes a row, 8 to 16384 columns, read once */
static __device__ __attribute__((always_inline)) void
row_of_elements(
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
    float eps,
    int aligned)
{
    /* One row a workgroup. */
    const int lane = work_item_id();
    const int row = workgroup_id();
    const bf16 *x_row = x + times(row, ldx);
    bf16 *y_row = y + times(row, ldy);

    const int before = 0;
    int at[4], moved[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int place = j * 4096 + lane;
        at[j] = place;
        moved[j] = 8 - clamp((cols - place + 511) / 512, 0, 8);
    }
    /* The only read of the row. */
    bf16x8 values[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        values[j] = load_strided_bf16x8(x_row, at[j], 512, cols - 1);
    }
    /* The row is x + residual where there is one. */
    if (residual) {
        bf16 *residual_row = (bf16 *)residual + times(row, ldr);
        bf16 *residual_out_row = (bf16 *)residual_out + times(row, ldro);
        bf16x8 more[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            more[j] = load_strided_bf16x8(residual_row, at[j], 512, cols - 1);
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            values[j] = added_bf16x8(values[j], more[j]);
            if (moved[j] < 8) {
                store_strided_bf16x8(residual_out_row, at[j], 512, 8 - moved[j], values[j]);
            }
        }
    }

    /* Sum and squares of the row. */
    moments even = {0, 0}, odd = {0, 0};
#pragma unroll
    for (int j = 0; j < 4; j++) {
        if (moved[j] == 0) {
            f32x8 v = widen_bf16x8(values[j]);
            add_moments_f32x8(even, odd, v, 0);
        } else {
            f32x8 v = widen_bf16x8(values[j]);
            v = only_f32x8(v, 8 - moved[j], 0);
            add_moments_f32x8(even, odd, v, 0);
        }
    }
    moments all = join_moments(even, odd);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        values[j] = packed_bf16x8(values[j]);
    }
    {
        const bool second = lane % 2;
        double half = half_of(all, second) + other2_wide(half_of(all, !second));
        half += other4_wide(half);
        half += other8_wide(half);
        half += other16_wide(half);
        half += other32_wide(half);
        __shared__ double all_of_wave[32];
        if (lane % 32 < 2)
            all_of_wave[lane / 32 * 2 + lane % 2] = half;
        barrier();
        half = all_of_wave[lane % 32];
        half += other4_wide(half);
        half += other8_wide(half);
        half += other16_wide(half);
        half += other32_wide(half);
        all = from_halves(half, second);
    }
    const double sum = all.sum;

    /* The mean: m is it rounded, m_low what is missing. */
    float m, m_low;
    divide(sum, cols, m, m_low);
    const float less_m = negative(m);

    const float variance = variance_of(all, cols);
    const float scale = reciprocal_root(variance + eps);
    const float shift = negative(m_low * scale);

    if (lane == 0) {
        if (mean)
            mean[row] = m;
        if (rstd)
            rstd[row] = scale;
    }

#pragma unroll
    for (int b = 0; b < 4; b += 2) {
        bf16x8 scales[2];
        if (gamma) {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                scales[j] = load_strided_bf16x8(gamma, at[b + j], 512, cols - 1);
            }
        } else {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                scales[j] = packed_bf16x8((bf16x8)1);
            }
        }
#pragma unroll
        for (int j = 0; j < 2; j++) {
            scales[j] = packed_bf16x8(scales[j]);
        }
        bf16x8 offsets[2];
        if (beta) {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                offsets[j] = load_strided_bf16x8(beta, at[b + j], 512, cols - 1);
            }
        } else {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                offsets[j] = packed_bf16x8((bf16x8)0);
            }
        }
#pragma unroll
        for (int j = 0; j < 2; j++) {
            offsets[j] = packed_bf16x8(offsets[j]);
        }
        bf16x8 out[2];
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const f32x8 d = widen_bf16x8(values[b + j]) + less_m;
            f32x8 t = affine_bf16x8(d * scale + shift, scales[j], offsets[j]);
            out[j] = narrow_bf16x8(t);
        }
#pragma unroll
        for (int j = 0; j < 2; j++) {
            if (moved[b + j] < 8) {
                store_strided_bf16x8(y_row, at[b + j], 512, 8 - moved[b + j], out[j]);
            }
        }
    }
}

static __device__ __attribute__((always_inline)) void
row_of_vectors(
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
    float eps,
    int aligned)
{
    /* One row a workgroup. */
    const int lane = work_item_id();
    const int row = workgroup_id();
    const bf16 *x_row = x + times(row, ldx);
    bf16 *y_row = y + times(row, ldy);

    const int before = 0;
    int at[4], moved[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        const int place = 8 * (j * 512 + lane) - before;
        at[j] = place;
        moved[j] = place < cols ? 0 : 8;
    }
    /* The only read of the row. */
    bf16x8 values[4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
        values[j] = load_where_bf16x8(x_row, at[j], cols);
    }
    /* The row is x + residual where there is one. */
    if (residual) {
        bf16 *residual_row = (bf16 *)residual + times(row, ldr);
        bf16 *residual_out_row = (bf16 *)residual_out + times(row, ldro);
        bf16x8 more[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            more[j] = 0;
            if (moved[j] == 0)
                more[j] = load_bf16x8(residual_row, at[j]);
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            values[j] = added_bf16x8(values[j], more[j]);
            if (moved[j] == 0) {
                store_bf16x8(residual_out_row, at[j], values[j]);
            }
        }
    }

    /* Sum and squares of the row. */
    moments even = {0, 0}, odd = {0, 0};
#pragma unroll
    for (int j = 0; j < 4; j++) {
        if (moved[j] == 0) {
            f32x8 v = widen_bf16x8(values[j]);
            add_moments_f32x8(even, odd, v, 0);
        }
    }
    moments all = join_moments(even, odd);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        values[j] = packed_bf16x8(values[j]);
    }
    {
        const bool second = lane % 2;
        double half = half_of(all, second) + other2_wide(half_of(all, !second));
        half += other4_wide(half);
        half += other8_wide(half);
        half += other16_wide(half);
        half += other32_wide(half);
        __shared__ double all_of_wave[32];
        if (lane % 32 < 2)
            all_of_wave[lane / 32 * 2 + lane % 2] = half;
        barrier();
        half = all_of_wave[lane % 32];
        half += other4_wide(half);
        half += other8_wide(half);
        half += other16_wide(half);
        half += other32_wide(half);
        all = from_halves(half, second);
    }
    const double sum = all.sum;

    /* The mean: m is it rounded, m_low what is missing. */
    float m, m_low;
    divide(sum, cols, m, m_low);
    const float less_m = negative(m);

    const float variance = variance_of(all, cols);
    const float scale = reciprocal_root(variance + eps);
    const float shift = negative(m_low * scale);

    if (lane == 0) {
        if (mean)
            mean[row] = m;
        if (rstd)
            rstd[row] = scale;
    }

#pragma unroll
    for (int b = 0; b < 4; b += 2) {
        bf16x8 scales[2];
        if (gamma) {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                scales[j] = 0;
                if (moved[b + j] == 0)
                    scales[j] = load_param_bf16x8(gamma, at[b + j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                scales[j] = packed_bf16x8((bf16x8)1);
            }
        }
#pragma unroll
        for (int j = 0; j < 2; j++) {
            scales[j] = packed_bf16x8(scales[j]);
        }
        bf16x8 offsets[2];
        if (beta) {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                offsets[j] = 0;
                if (moved[b + j] == 0)
                    offsets[j] = load_param_bf16x8(beta, at[b + j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < 2; j++) {
                offsets[j] = packed_bf16x8((bf16x8)0);
            }
        }
#pragma unroll
        for (int j = 0; j < 2; j++) {
            offsets[j] = packed_bf16x8(offsets[j]);
        }
        bf16x8 out[2];
#pragma unroll
        for (int j = 0; j < 2; j++) {
            const f32x8 d = widen_bf16x8(values[b + j]) + less_m;
            f32x8 t = affine_bf16x8(d * scale + shift, scales[j], offsets[j]);
            out[j] = narrow_bf16x8(t);
        }
#pragma unroll
        for (int j = 0; j < 2; j++) {
            if (moved[b + j] == 0) {
                store_bf16x8(y_row, at[b + j], out[j]);
            }
        }
    }
}

extern "C" __global__ void __attribute__((launch_bounds(512, 3)))
layernorm_bf16_sm80_r1t512v4(
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
    float eps,
    int aligned)
{
    /* The library has looked where vectors lie. */
    if (aligned)
        row_of_vectors(
            x,
            gamma,
            beta,
            y,
            mean,
            rstd,
            residual,
            residual_out,
            yscale,
            xscale,
            ldx,
            ldy,
            ldr,
            ldro,
            rows,
            cols,
            eps,
            aligned);
    else
        row_of_elements(
            x,
            gamma,
            beta,
            y,
            mean,
            rstd,
            residual,
            residual_out,
            yscale,
            xscale,
            ldx,
            ldy,
            ldr,
            ldro,
            rows,
            cols,
            eps,
            aligned);
}
