/* layernorm_f32_gfx11generic_r1t512v4_loop for gfx11-generic, written by flygen. */

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
typedef float f32;
typedef f32 f32x2 __attribute__((ext_vector_type(2)));
typedef f32 f32x4 __attribute__((ext_vector_type(4)));

static __device__ int least(int a, int b)
{
    return a < b ? a : b;
}

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

/* The same for rows of any length. */
static __device__ f32x4 load_far_f32x4(const f32 *p, long at)
{
    typedef f32x4 anywhere __attribute__((aligned(sizeof(f32))));
    return *(const anywhere *)(p + at);
}

static __device__ void store_far_f32x4(f32 *p, long at, f32x4 v)
{
    typedef f32x4 anywhere __attribute__((aligned(sizeof(f32))));
    *(anywhere *)(p + at) = v;
}

static __device__ f32x4 load_far_param_f32x4(const f32 *p, long at)
{
    return load_far_f32x4(p, at);
}

/* v, opaque to the compiler, so that it is kept as it is and not in a widened form too. */
static __device__ f32x4 packed_f32x4(f32x4 v)
{
    typedef int words __attribute__((ext_vector_type(sizeof(f32x4) / 4)));
    words bits = __builtin_bit_cast(words, v);
    __asm__("" : "+v"(bits));
    return __builtin_bit_cast(f32x4, bits);
}

/* What work-items wrote to LDS before, all of the workgroup read after. */
static __device__ void barrier()
{
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
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

static __device__ f32x2 minus_f32x2(f32x2 a, f32x2 b)
{
    return a - b;
}

static __device__ f32x4 minus_f32x4(f32x4 a, f32x4 b)
{
    return a - b;
}

/* The value of the other half of the wavefront. */
static __device__ float other32(float v)
{
    const int bits = __builtin_bit_cast(int, v);
    const int other = __builtin_amdgcn_permlanex16(bits, bits, 0x76543210, 0xfedcba98, false, false);
    return __builtin_bit_cast(float, other);
}

static __device__ f32x4 widen_f32x4(f32x4 v)
{
    return __builtin_convertvector(v, f32x4);
}

/* Rounds to nearest even; NaN stays NaN. */
static __device__ f32x4 narrow_f32x4(f32x4 v)
{
    return __builtin_convertvector(v, f32x4);
}

static __device__ f32x4 affine_f32x4(f32x4 v, f32x4 scale, f32x4 offset)
{
    return v * scale + offset;
}

/* v without the elements that a vector moved by `moved` columns shares with its neighbour. */
static __device__ f32x4 own_f32x4(f32x4 v, int moved)
{
    const int first = local(moved);
#pragma unroll
    for (int e = 0; e < 4; e++)
        v[e] = (unsigned)(first + e) < 4 ? v[e] : 0;
    return v;
}

/* a + b, rounded once. */
static __device__ f32x4 added_f32x4(f32x4 a, f32x4 b)
{
    return narrow_f32x4(widen_f32x4(a) + widen_f32x4(b));
}

static __device__ float sum_f32x4(f32x4 v)
{
    return (v[0] + v[2]) + (v[1] + v[3]);
}

/* hi + lo becomes hi + lo + v; the rounding error of hi + v goes to lo (Knuth's two-sum). */
static __device__ void add_to_f32x2(f32x2 &hi, f32x2 &lo, f32x2 v)
{
    const f32x2 sum = hi + v;
    const f32x2 part = minus_f32x2(sum, hi);
    lo += minus_f32x2(hi, minus_f32x2(sum, part)) + minus_f32x2(v, part);
    hi = sum;
}

/* hi + lo becomes hi + lo + v; the rounding error of hi + v goes to lo (Knuth's two-sum). */
static __device__ void add_to_f32x4(f32x4 &hi, f32x4 &lo, f32x4 v)
{
    const f32x4 sum = hi + v;
    const f32x4 part = minus_f32x4(sum, hi);
    lo += minus_f32x4(hi, minus_f32x4(sum, part)) + minus_f32x4(v, part);
    hi = sum;
}

/* The same for code that seldom runs, with fewer registers. */
static __device__ void add_slowly_to_f32x4(f32x4 &hi, f32x4 &lo, f32x4 v)
{
    const f32x4 sum = hi + v;
    const f32x4 part = sum - hi;
    lo += (hi - (sum - part)) + (v - part);
    hi = sum;
}

/* A sum to about 48 bits: hi + lo. */
struct pair {
    float hi, lo;
};

/* The sum of two sums, with the rounding error of hi kept (Knuth's two-sum). */
static __device__ pair add_pair(pair a, pair b)
{
    const float sum = a.hi + b.hi;
    const float part = sum - a.hi;
    return {sum, ((a.hi - (sum - part)) + (b.hi - part)) + (a.lo + b.lo)};
}

static __device__ pair fold_f32x2(f32x2 hi, f32x2 lo)
{
    return add_pair({hi[0], lo[0]}, {hi[1], lo[1]});
}

/* The sum of a vector's elements. */
static __device__ pair fold_f32x4(f32x4 hi, f32x4 lo)
{
    f32x2 high = hi.lo, low = lo.lo + lo.hi;
    add_to_f32x2(high, low, hi.hi);
    return fold_f32x2(high, low);
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

/* 1 row a workgroup, 512 lanes a row, any number of columns, read again for the output */
extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(512, 512)))
layernorm_f32_gfx11generic_r1t512v4_loop(
    const f32 *x,
    const f32 *__restrict__ gamma,
    const f32 *__restrict__ beta,
    f32 *y,
    f32 *__restrict__ mean,
    f32 *__restrict__ rstd,
    const f32 *residual,
    f32 *residual_out,
    f32 *__restrict__ yscale,
    const f32 *__restrict__ xscale,
    long ldx,
    long ldy,
    long ldr,
    long ldro,
    int rows,
    int cols,
    float eps)
{
    /* One row a workgroup. */
    const int lane = work_item_id();
    const int row = workgroup_id();
    const f32 *x_row = x + times(row, ldx);
    f32 *y_row = y + times(row, ldy);

    f32 *residual_out_row = (f32 *)residual_out + times(row, ldro);
    const f32 *kept_row = residual ? residual_out_row : x_row;

    /* The grid of vectors starts at the row's first cache line, `before` columns ahead of it. */
    /* Its codes have lines of as many columns as 4 of its own. */
    int before = (unsigned long)x_row % 256 / 4;
    /* A last vector that is not whole shares columns with the one before it: not across waves. */
    if ((unsigned)(cols + before - 1) % 128 < 3)
        before += 16;
    /* First read. Of what this lane has seen: how many, their sum, and sum and squares of their
     * deviations from `about`, which is kept near their mean. */
    pair seen_sum = {0, 0};
    float seen = 0, about = 0, off = 0, square = 0;
    for (int first = -before; first < cols; first += 8192) {
        int at[4], moved[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int place = first + 4 * (j * 512 + lane);
            at[j] = within(place, cols - 4);
            moved[j] = at[j] - place;
        }
        const bool whole = first >= 0 && first <= cols - 8192;
        f32x4 values[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            values[j] = load_far_f32x4(x_row, at[j]);
        }
        /* The row is x + residual where there is one. */
        if (residual) {
            f32 *residual_row = (f32 *)residual + times(row, ldr);
            f32x4 more[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                more[j] = load_far_f32x4(residual_row, at[j]);
            }
#pragma unroll
            for (int j = 0; j < 4; j++) {
                values[j] = added_f32x4(values[j], more[j]);
                if (moved[j] > -4 && moved[j] < 4) {
                    store_far_f32x4(residual_out_row, at[j], values[j]);
                }
            }
        }
        int fresh = 16;
        f32x4 part = 0, part_low = 0;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            f32x4 v = widen_f32x4(values[j]);
            if (j == 0)
                part = v;
            else
                add_to_f32x4(part, part_low, v);
        }
        if (!whole) {
            part = 0, part_low = 0;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                f32x4 v = widen_f32x4(packed_f32x4(values[j]));
                v = own_f32x4(v, moved[j]);
                if (j == 0)
                    part = v;
                else
                    add_slowly_to_f32x4(part, part_low, v);
                fresh -= least(moved[j] < 0 ? -moved[j] : moved[j], 4);
            }
        }
        const pair chunk = fold_f32x4(part - 0, part_low);
        seen_sum = add_pair(seen_sum, chunk);
        if (first == -before)
            about = chunk.hi / (fresh ? fresh : 1);

        f32x4 offs = 0, squares = 0;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            f32x4 v = widen_f32x4(values[j]);
            f32x4 d = v - about;
            offs += d;
            squares += d * d;
        }
        if (!whole) {
            offs = squares = 0;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                f32x4 v = widen_f32x4(packed_f32x4(values[j]));
                f32x4 d = v - about;
                d = own_f32x4(d, moved[j]);
                offs += d;
                squares += d * d;
            }
        }
        seen += fresh;
        off += sum_f32x4(offs);
        square += sum_f32x4(squares);

        const float next = about + off * reciprocal(seen > 0 ? seen : 1);
        const float step = next - about;
        square += step * (seen * step - 2 * off);
        off -= seen * step;
        about = next;
    }

    double sum = (double)seen_sum.hi + seen_sum.lo;
    sum = sum + other2_wide(sum);
    sum = sum + other4_wide(sum);
    sum = sum + other8_wide(sum);
    sum = sum + other16_wide(sum);
    sum = sum + other32_wide(sum);
    __shared__ double sum_of_wave[16];
    if (lane % 32 == 0)
        sum_of_wave[lane / 32] = sum;
    barrier();
    sum = sum_of_wave[lane % 16];
    sum = sum + other2_wide(sum);
    sum = sum + other4_wide(sum);
    sum = sum + other8_wide(sum);
    sum = sum + other16_wide(sum);

    /* The mean: m is it rounded, m_low what is missing. */
    const pair center = quotient(sum, cols);
    const float m = center.hi, m_low = center.lo;
    const float less_m = negative(m);

    /* Squares of the deviations, from `about` of each lane to the mean. */
    const float to_mean = (m - about) + m_low;
    square += to_mean * (seen * to_mean - 2 * off);
    square = square + other2(square);
    square = square + other4(square);
    square = square + other8(square);
    square = square + other16(square);
    square = square + other32(square);
    __shared__ float square_of_wave[16];
    if (lane % 32 == 0)
        square_of_wave[lane / 32] = square;
    barrier();
    square = square_of_wave[lane % 16];
    square = square + other2(square);
    square = square + other4(square);
    square = square + other8(square);
    square = square + other16(square);
    const float variance = square * reciprocal((float)cols);
    const float scale = reciprocal_root(variance + eps);
    const float shift = negative(m_low * scale);

    if (lane == 0) {
        if (mean)
            mean[row] = m;
        if (rstd)
            rstd[row] = scale;
    }

    /* The last read. */
    for (int first = -before; first < cols; first += 8192) {
        int at[4], moved[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int place = first + 4 * (j * 512 + lane);
            at[j] = within(place, cols - 4);
            moved[j] = at[j] - place;
        }
        const bool whole = first >= 0 && first <= cols - 8192;
        f32x4 values[4];
        if (whole) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                values[j] = load_far_f32x4(kept_row, at[j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                values[j] = 0;
                if (moved[j] > -4)
                    values[j] = load_far_f32x4(kept_row, at[j]);
            }
        }
        f32x4 scales[4];
        if (gamma) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                scales[j] = load_far_param_f32x4(gamma, at[j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                scales[j] = packed_f32x4((f32x4)1);
            }
        }
        f32x4 offsets[4];
        if (beta) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                offsets[j] = load_far_param_f32x4(beta, at[j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                offsets[j] = packed_f32x4((f32x4)0);
            }
        }
        f32x4 out[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const f32x4 d = widen_f32x4(values[j]) + less_m;
            f32x4 t = affine_f32x4(d * scale + shift, scales[j], offsets[j]);
            out[j] = narrow_f32x4(t);
        }
        if (whole) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                store_far_f32x4(y_row, at[j], out[j]);
            }
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (moved[j] > -4 && moved[j] < 4) {
                    store_far_f32x4(y_row, at[j], out[j]);
                }
            }
        }
    }
}
