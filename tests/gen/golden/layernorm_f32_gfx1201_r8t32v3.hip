/* layernorm_f32_gfx1201_r8t32v3 for gfx1201, written by flygen. */

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
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

/* v, which is the same in all lanes of the wavefront, as a scalar. */
static __device__ unsigned of_wave(unsigned v)
{
    return __builtin_amdgcn_readfirstlane(v);
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
static __device__ f32x4 load_f32x4(const f32 *p, int at)
{
    typedef f32x4 anywhere __attribute__((aligned(sizeof(f32))));
    const unsigned byte = (unsigned)at * (unsigned)sizeof(f32);
    return *(const anywhere *)((const char *)p + byte);
}

static __device__ void store_f32x4(f32 *p, int at, f32x4 v)
{
    typedef f32x4 anywhere __attribute__((aligned(sizeof(f32))));
    const unsigned byte = (unsigned)at * (unsigned)sizeof(f32);
    *(anywhere *)((char *)p + byte) = v;
}

static __device__ f32x4 load_param_f32x4(const f32 *p, int at)
{
    return load_f32x4(p, at);
}

/* Adds the squares of v's elements to `sum`: more sums would only cost moves where lanes part and meet. */
static __device__ void add_squares_f32x4(f32x2 &sum, f32x4 v)
{
#pragma unroll
    for (int e = 0; e < 4; e += 2) {
        const f32x2 two = {v[e], v[e + 1]};
        sum += two * two;
    }
}

/* A value that is not used. */
static __device__ f32x4 any_f32x4()
{
    typedef int words __attribute__((ext_vector_type(sizeof(f32x4) / 4)));
    words bits;
    __asm__ volatile("" : "=v"(bits));
    return __builtin_bit_cast(f32x4, bits);
}

/* v without the elements that a vector moved by `moved` columns, fewer than 4, shares with its neighbour. */
static __device__ f32x4 mine_f32x4(f32x4 v, int moved)
{
    typedef int words __attribute__((ext_vector_type(4)));
    const int mine = ((1 << 4) - 1) << 4 >> (4 + moved); /* a bit an element */
    words bits = __builtin_bit_cast(words, v);
#pragma unroll
    for (int e = 0; e < 4; e++)
        bits[e] &= mine << (31 - e) >> 31;
    return __builtin_bit_cast(f32x4, bits);
}

/* v, opaque to the compiler, so that it is kept as it is and not in a widened form too. */
static __device__ f32x4 packed_f32x4(f32x4 v)
{
    typedef int words __attribute__((ext_vector_type(sizeof(f32x4) / 4)));
    words bits = __builtin_bit_cast(words, v);
    __asm__("" : "+v"(bits));
    return __builtin_bit_cast(f32x4, bits);
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

/* a + b, rounded once. */
static __device__ f32x4 added_f32x4(f32x4 a, f32x4 b)
{
    return narrow_f32x4(widen_f32x4(a) + widen_f32x4(b));
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

static __device__ pair other2_pair(pair v)
{
    return {other2(v.hi), other2(v.lo)};
}

static __device__ pair other4_pair(pair v)
{
    return {other4(v.hi), other4(v.lo)};
}

static __device__ pair other8_pair(pair v)
{
    return {other8(v.hi), other8(v.lo)};
}

static __device__ pair other16_pair(pair v)
{
    return {other16(v.hi), other16(v.lo)};
}

static __device__ pair other32_pair(pair v)
{
    return {other32(v.hi), other32(v.lo)};
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

/* The same in floats, of v whose parts may overlap, by a whole number of at most 15 bits: what hi * by leaves of sum
 * then is a float. */
static __device__ pair quotient_of_pair(pair v, float by)
{
    const float sum = v.hi + v.lo, added = sum - v.hi;
    const float missing = (v.hi - (sum - added)) + (v.lo - added);
    const float part = reciprocal(by);
    const float near = sum * part;
    const float hi = __builtin_fmaf(__builtin_fmaf(-near, by, sum) + missing, part, near);
    const float rest = __builtin_fmaf(-hi, by, sum) + missing;
    const float low = rest * part;
    return {hi, __builtin_fmaf(__builtin_fmaf(-low, by, rest), part, low)};
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

/* 8 rows a workgroup, 32 lanes a row, 4 to 384 columns, read once */
extern "C" __global__ void __attribute__((amdgpu_flat_work_group_size(256, 256)))
layernorm_f32_gfx1201_r8t32v3(
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
    /* 8 rows a workgroup, 32 lanes a row. */
    const int lane = work_item_id() % 32;
    const int slot = of_wave(work_item_id() / 32);
    const int row = workgroup_id() * 8 + slot;
    if (row >= rows)
        return;
    const f32 *x_row = x + times(row, ldx);
    f32 *y_row = y + times(row, ldy);

    /* The grid of vectors starts at the row's first cache line, `before` columns ahead of it, or
     * nearer where the vectors would not reach the row's end. */
    /* Its codes have lines of as many columns as 4 of its own. */
    int before = (unsigned long)x_row % 256 / 4;
    if (before > 384 - cols)
        before %= 16;
    before = least(before, 384 - cols);
    /* A last vector that is not whole shares columns with the one before it: not across waves. */
    if ((unsigned)(cols + before - 1) % 128 < 3)
        before += 16;
    int at[3], moved[3], begins[3];
#pragma unroll
    for (int j = 0; j < 3; j++) {
        const int place = 4 * (j * 32 + lane) - before;
        at[j] = within(place, cols - 4);
        moved[j] = at[j] - place;
        begins[j] = place;
    }
    /* The row's first and last vector, if they are not whole; counted from the wave's first one. */
    const int ahead = 0;
    const int head = before % 4 ? before / 4 - ahead : -1;
    const int tail = (cols + before) % 4 ? (cols + before) / 4 - ahead : -1;
    bool inside[3], edged[3];
#pragma unroll
    for (int j = 0; j < 3; j++) {
        const int begin = at[j] - moved[j];
        inside[j] = j == 0 ? (unsigned)(begin + 4 - 1) < (unsigned)(cols + 4 - 1) : begin < cols;
        edged[j] = (unsigned)(head - 32 * j) < 32 || (unsigned)(tail - 32 * j) < 32;
    }

    /* The only read of the row. */
    f32x4 values[3];
#pragma unroll
    for (int j = 0; j < 3; j++) {
        f32x4 loaded = any_f32x4();
        if (inside[j])
            loaded = load_f32x4(x_row, at[j]);
        values[j] = loaded;
    }
    /* The row is x + residual where there is one. */
    if (residual) {
        f32 *residual_row = (f32 *)residual + times(row, ldr);
        f32 *residual_out_row = (f32 *)residual_out + times(row, ldro);
        f32x4 more[3];
#pragma unroll
        for (int j = 0; j < 3; j++) {
            f32x4 loaded = any_f32x4();
            if (inside[j])
                loaded = load_f32x4(residual_row, at[j]);
            more[j] = loaded;
        }
#pragma unroll
        for (int j = 0; j < 3; j++) {
            f32x4 sum = values[j];
            if (inside[j]) {
                sum = added_f32x4(sum, more[j]);
                if (inside[j]) {
                    store_f32x4(residual_out_row, at[j], sum);
                }
            }
            values[j] = sum;
        }
    }

    /* Sum of the row. */
    f32x4 wide[3];
#pragma unroll
    for (int j = 0; j < 3; j++) {
        wide[j] = widen_f32x4(values[j]);
    }
    f32x4 hi = 0, lo = 0;
#pragma unroll
    for (int j = 0; j < 3; j++) {
        if (inside[j] && !edged[j]) {
            f32x4 v = wide[j];
            if (j == 0)
                hi = v;
            else
                add_to_f32x4(hi, lo, v);
        }
        if (inside[j] && edged[j]) {
            f32x4 v = wide[j];
            v = mine_f32x4(v, local(at[j]) - begins[j]);
            if (j == 0)
                hi = v;
            else
                add_slowly_to_f32x4(hi, lo, v);
        }
    }
    const pair own_sum = fold_f32x4(hi - 0, lo);
    pair near_sum = own_sum;
    near_sum = add_pair(near_sum, other2_pair(near_sum));
    near_sum = add_pair(near_sum, other4_pair(near_sum));
    near_sum = add_pair(near_sum, other8_pair(near_sum));
    near_sum = add_pair(near_sum, other16_pair(near_sum));
    near_sum = add_pair(near_sum, other32_pair(near_sum));
    pair center = quotient_of_pair(near_sum, cols);
    /* Doubles hold what floats do not. */
    if (!(__builtin_fabsf(near_sum.hi) <= 0x1.fffffep127f)) {
        double sum = (double)own_sum.hi + own_sum.lo;
        sum = sum + other2_wide(sum);
        sum = sum + other4_wide(sum);
        sum = sum + other8_wide(sum);
        sum = sum + other16_wide(sum);
        sum = sum + other32_wide(sum);
        center = quotient(sum, cols);
    }

    /* The mean: m is it rounded, m_low what is missing. */
    const float m = center.hi, m_low = center.lo;
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
            f32x4 d = wide[j];
            add_squares_f32x4(squares, d);
        }
        if (inside[j] && edged[j]) {
            f32x4 d = wide[j];
            d = mine_f32x4(d, local(at[j]) - begins[j]);
            add_squares_f32x4(squares, d);
        }
    }
    float square = squares.x + squares.y;
    f32x4 scales[3];
    if (gamma) {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            scales[j] = load_param_f32x4(gamma, at[j]);
        }
    } else {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            scales[j] = packed_f32x4((f32x4)1);
        }
    }
    f32x4 offsets[3];
    if (beta) {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            offsets[j] = load_param_f32x4(beta, at[j]);
        }
    } else {
#pragma unroll
        for (int j = 0; j < 3; j++) {
            offsets[j] = packed_f32x4((f32x4)0);
        }
    }
    square = square + other2(square);
    square = square + other4(square);
    square = square + other8(square);
    square = square + other16(square);
    square = square + other32(square);
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
            const f32x4 d = wide[j];
            f32x4 t = affine_f32x4(d * scale + shift, scales[j], offsets[j]);
            const f32x4 out = narrow_f32x4(t);
            if (inside[j]) {
                store_f32x4(y_row, at[j], out);
            }
        }
    }
}
