/* layernorm_f16_gfx950_r4t16v3 for gfx950, written by flygen. */

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
typedef float f32;
typedef _Float16 f16;
typedef f32 f32x2 __attribute__((ext_vector_type(2)));
typedef f32 f32x8 __attribute__((ext_vector_type(8)));
typedef f16 f16x8 __attribute__((ext_vector_type(8)));

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
    return __builtin_amdgcn_workgroup_id_x();
}

static __device__ unsigned work_item_id()
{
    return __builtin_amdgcn_workitem_id_x();
}

/* v, opaque to the compiler, so that what is made of it is made where it is used. */
static __device__ int local(int v)
{
    __asm__("" : "+v"(v));
    return v;
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
static __device__ f16x8 load_f16x8(const f16 *p, int at)
{
    typedef f16x8 anywhere __attribute__((aligned(sizeof(f16))));
    const unsigned byte = (unsigned)at * (unsigned)sizeof(f16);
    return *(const anywhere *)((const char *)p + byte);
}

static __device__ void store_f16x8(f16 *p, int at, f16x8 v)
{
    typedef f16x8 anywhere __attribute__((aligned(sizeof(f16))));
    const unsigned byte = (unsigned)at * (unsigned)sizeof(f16);
    *(anywhere *)((char *)p + byte) = v;
}

static __device__ f16x8 load_param_f16x8(const f16 *p, int at)
{
    return load_f16x8(p, at);
}

/* Element by element: the instruction takes what is narrower as it is, but no two. */
static __device__ f32x8 affine_f16x8(f32x8 v, f16x8 scale, f16x8 offset)
{
#pragma unroll
    for (int e = 0; e < 8; e++)
        v[e] = __builtin_fmaf(v[e], (float)scale[e], (float)offset[e]);
    return v;
}

/* The same, two elements an instruction, in place: the compiler would copy the sum where lanes part. */
static __device__ void add_squares_f32x8(f32x2 &sum, f32x8 v)
{
#pragma unroll
    for (int e = 0; e < 8; e += 2) {
        const f32x2 two = {v[e], v[e + 1]};
        __asm__("v_pk_fma_f32 %0, %1, %1, %0" : "+v"(sum) : "v"(two));
    }
}

/* A value that is not used. */
static __device__ f16x8 any_f16x8()
{
    typedef int words __attribute__((ext_vector_type(sizeof(f16x8) / 4)));
    words bits;
    __asm__ volatile("" : "=v"(bits));
    return __builtin_bit_cast(f16x8, bits);
}

/* v without the elements that a vector moved by `moved` columns, fewer than 8, shares with its neighbour. */
static __device__ f32x8 mine_f32x8(f32x8 v, int moved)
{
    typedef int words __attribute__((ext_vector_type(8)));
    const int mine = ((1 << 8) - 1) << 8 >> (8 + moved); /* a bit an element */
    words bits = __builtin_bit_cast(words, v);
#pragma unroll
    for (int e = 0; e < 8; e++)
        bits[e] &= mine << (31 - e) >> 31;
    return __builtin_bit_cast(f32x8, bits);
}

/* v, opaque to the compiler, so that it is kept as it is and not in a widened form too. */
static __device__ f16x8 packed_f16x8(f16x8 v)
{
    typedef int words __attribute__((ext_vector_type(sizeof(f16x8) / 4)));
    words bits = __builtin_bit_cast(words, v);
    __asm__("" : "+v"(bits));
    return __builtin_bit_cast(f16x8, bits);
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

/* The value of the other half of sixteen lanes, where halves agree. */
static __device__ float other16(float v)
{
    const int bits = __builtin_bit_cast(int, v);
    return __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(bits, 0x140, 0xf, 0xf, true));
}

/* sum += v, in place: the compiler would copy the sum where lanes part. */
static __device__ void add_wide(double &sum, double v)
{
    __asm__("v_add_f64 %0, %0, %1" : "+v"(sum) : "v"(v));
}

/* v / by: hi the quotient rounded, lo what is missing, from an exact rest. The reciprocal is good for both after one
 * step. */
static __device__ void divide(double v, double by, float &hi, float &lo)
{
    double part = reciprocal((float)by);
    part = __builtin_fma(__builtin_fma(-part, by, 1), part, part);
    hi = v * part;
    lo = __builtin_fma(-(double)hi, by, v) * part;
}

/* Whether a and b hold in any lane of the wave; each is a comparison, which gives the lanes it holds in. */
static __device__ bool any_with_both(bool a, bool b)
{
    return (__builtin_amdgcn_ballot_w64(a) & __builtin_amdgcn_ballot_w64(b)) != 0;
}

/* mine_ by products with 1 or 0, where a row with infinity becomes NaN anyhow. */
static __device__ f32x8 mine_or_nan_f32x8(f32x8 v, int moved)
{
    f32x2 first, step;
    first.x = (moved < 0 ? 1.f : 8.f) - __builtin_fabsf((float)moved);
    step.x = moved < 0 ? 1.f : -1.f;
#pragma unroll
    for (int e = 0; e < 8; e += 2) {
        const f32x2 places = {(float)e, (float)(e + 1)};
        f32x2 two = {v[e], v[e + 1]}, share;
        __asm__("v_pk_fma_f32 %0, %1, %2, %3 op_sel_hi:[1,0,0] clamp" : "=v"(share) : "s"(places), "v"(step), "v"(first));
        two *= share;
        v[e] = two.x;
        v[e + 1] = two.y;
    }
    return v;
}

static __device__ f32x8 widen_f16x8(f16x8 v)
{
    return __builtin_convertvector(v, f32x8);
}

/* Rounds to nearest even; NaN stays NaN. */
static __device__ f16x8 narrow_f16x8(f32x8 v)
{
    return __builtin_convertvector(v, f16x8);
}

/* a + b, rounded once. */
static __device__ f16x8 added_f16x8(f16x8 a, f16x8 b)
{
    return narrow_f16x8(widen_f16x8(a) + widen_f16x8(b));
}

/* The sum of the elements, in double. */
static __device__ double sum_wide_f32x8(f32x8 v)
{
    double sum[8];
#pragma unroll
    for (int e = 0; e < 8; e++)
        sum[e] = v[e];
#pragma unroll
    for (int half = 8 / 2; half > 0; half /= 2)
#pragma unroll
        for (int e = 0; e < half; e++)
            sum[e] += sum[e + half];
    return sum[0];
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

static __device__ float finite_or_0(float v)
{
    return __builtin_fabsf(v) <= 0x1.fffffep127f ? v : 0;
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

/* 4 rows a workgroup, 16 lanes a row, 8 to 384 columns, read once */
extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(64, 64)))
layernorm_f16_gfx950_r4t16v3(
    const f16 *x,
    const f16 *__restrict__ gamma,
    const f16 *__restrict__ beta,
    f16 *y,
    f32 *__restrict__ mean,
    f32 *__restrict__ rstd,
    const f16 *residual,
    f16 *residual_out,
    f32 *__restrict__ yscale,
    const f16 *__restrict__ xscale,
    long ldx,
    long ldy,
    long ldr,
    long ldro,
    int rows,
    int cols,
    float eps)
{
    /* 4 rows a workgroup, 16 lanes a row. */
    const int lane = work_item_id() % 16;
    const int slot = work_item_id() / 16;
    const int row = workgroup_id() * 4 + slot;
    if (row >= rows)
        return;
    /* The wave's first row, and from there on in 32 bits. */
    const int wave_row = workgroup_id() * 4;
    const unsigned behind = row - wave_row;
    const f16 *x_row = x + times(wave_row, ldx);
    const unsigned x_step = behind * (unsigned)ldx;
    f16 *y_row = y + times(wave_row, ldy);
    const unsigned y_step = behind * (unsigned)ldy;

    /* The grid of vectors starts at the row's first cache line, `before` columns ahead of it, or
     * nearer where the vectors would not reach the row's end. */
    int before = ((unsigned)(unsigned long)x_row + x_step * 2) % 64 / 2;
    before = least(before, 384 - cols);
    /* Even rows end with the last vectors, odd ones run backward, so that the line two rows
     * share is touched by both at once. */
    const int end = (unsigned)(cols + before + 127) / 128 * 128;
    const int start = row & 1 ? 256 : end - 384;
    const int step = row & 1 ? -128 : 128;
    int at[3], moved[3], begins[3];
#pragma unroll
    for (int j = 0; j < 3; j++) {
        const int place = start + j * step + 8 * lane - before;
        at[j] = within(place, cols - 8);
        moved[j] = at[j] - place;
        begins[j] = place;
    }
    bool inside[3], edged[3];
#pragma unroll
    for (int j = 0; j < 3; j++) {
        const int begin = at[j] - moved[j];
        inside[j] = (unsigned)(begin + 8 - 1) < (unsigned)(cols + 8 - 1);
        edged[j] = false;
    }
    const bool odd = any_with_both((before | cols) % 8 != 0, true);
    if (odd) {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            edged[j] = any_with_both(inside[j], moved[j] != 0);
        }
    }

    /* The only read of the row. */
    f16x8 values[3];
#pragma unroll
    for (int j = 0; j < 3; j++) {
        f16x8 loaded = any_f16x8();
        if (inside[j])
            loaded = load_f16x8(x_row, at[j] + x_step);
        values[j] = loaded;
    }
    /* The row is x + residual where there is one. */
    if (residual) {
        f16 *residual_row = (f16 *)residual + times(wave_row, ldr);
        const unsigned residual_step = behind * (unsigned)ldr;
        f16 *residual_out_row = (f16 *)residual_out + times(wave_row, ldro);
        const unsigned residual_out_step = behind * (unsigned)ldro;
        f16x8 more[3];
#pragma unroll
        for (int j = 0; j < 3; j++) {
            f16x8 loaded = any_f16x8();
            if (inside[j])
                loaded = load_f16x8(residual_row, at[j] + residual_step);
            more[j] = loaded;
        }
#pragma unroll
        for (int j = 0; j < 3; j++) {
            f16x8 sum = values[j];
            if (inside[j]) {
                sum = added_f16x8(sum, more[j]);
                if (inside[j]) {
                    store_f16x8(residual_out_row, at[j] + residual_out_step, sum);
                }
            }
            values[j] = sum;
        }
    }

    /* Sum of the row. */
    f32x8 wide[3];
#pragma unroll
    for (int j = 0; j < 3; j++) {
        wide[j] = widen_f16x8(values[j]);
    }
    double sum = 0;
#pragma unroll
    for (int j = 0; j < 3; j++) {
        if (inside[j] && !edged[j]) {
            f32x8 v = wide[j];
            add_wide(sum, sum_wide_f32x8(v));
        }
        if (inside[j] && edged[j]) {
            f32x8 v = wide[j];
            v = mine_or_nan_f32x8(v, local(at[j]) - begins[j]);
            add_wide(sum, sum_wide_f32x8(v));
        }
    }
    sum = sum + other2_wide(sum);
    sum = sum + other4_wide(sum);
    sum = sum + other8_wide(sum);
    sum = sum + other16_wide(sum);

    /* The mean: m is it rounded, m_low what is missing. */
    float m, m_low;
    divide(sum, cols, m, m_low);
    const float less_m = negative(m);

    /* Squares of the deviations. */
#pragma unroll
    for (int j = 0; j < 3; j++) {
        wide[j] += less_m;
    }
    f32x2 squares = 0;
#pragma unroll
    for (int j = 0; j < 3; j++) {
        if (inside[j] && !edged[j]) {
            f32x8 d = wide[j];
            add_squares_f32x8(squares, d);
        }
        if (inside[j] && edged[j]) {
            f32x8 d = wide[j];
            d = mine_f32x8(d, local(at[j]) - begins[j]);
            add_squares_f32x8(squares, d);
        }
    }
    float square = squares.x + squares.y;
    f16x8 scales[3];
    if (gamma) {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            scales[j] = load_param_f16x8(gamma, at[j]);
        }
    } else {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            scales[j] = packed_f16x8((f16x8)1);
        }
    }
#pragma unroll
    for (int j = 0; j < 3; j++) {
        scales[j] = packed_f16x8(scales[j]);
    }
    f16x8 offsets[3];
    if (beta) {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            offsets[j] = load_param_f16x8(beta, at[j]);
        }
    } else {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            offsets[j] = packed_f16x8((f16x8)0);
        }
    }
#pragma unroll
    for (int j = 0; j < 3; j++) {
        offsets[j] = packed_f16x8(offsets[j]);
    }
    square = square + other2(square);
    square = square + other4(square);
    square = square + other8(square);
    square = square + other16(square);
    const float variance = square * reciprocal((float)cols) - m_low * m_low;
    const float scale = reciprocal_root(variance + eps);
    const float shift = negative(m_low * scale);

    if (lane == 0) {
        if (mean)
            mean[row] = m;
        if (rstd)
            rstd[row] = scale;
    }

#pragma unroll
    for (int j = 0; j < 3; j++) {
        if (inside[j]) {
            const f32x8 d = wide[j];
            f32x8 t = affine_f16x8(d * scale + shift, scales[j], offsets[j]);
            const f16x8 out = narrow_f16x8(t);
            if (inside[j]) {
                store_f16x8(y_row, at[j] + y_step, out);
            }
        }
    }
}
