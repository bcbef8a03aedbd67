/* SPDX-License-Identifier: MIT */
/*
 * A HIP program as anybody writes it, but for the headers: kernels with built-in indices, shared memory
 * and atomics, and a main that launches them. Compiled whole, and for the device alone.
 */
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))

typedef decltype(sizeof 0) size_t;
struct dim3 {
    unsigned x, y, z;
    constexpr __attribute__((host, device)) dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
extern "C" {
int printf(const char *, ...);
int hipMalloc(void **, size_t);
int hipMemcpy(void *, const void *, size_t, int);
int hipMemset(void *, int, size_t);
int hipDeviceSynchronize(void);
int hipFree(void *);
int hipLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
unsigned __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
}

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    const int i = (int)(__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() +
                        __builtin_amdgcn_workitem_id_x());
    if (i < n)
        y[i] = a * x[i] + y[i];
}

/* Adds n integers to *sum. */
extern "C" __global__ void total(unsigned n, const int *x, int *sum)
{
    __shared__ int part[256];
    const unsigned t = __builtin_amdgcn_workitem_id_x(), block = __builtin_amdgcn_workgroup_size_x();
    int s = 0;
    for (unsigned i = __builtin_amdgcn_workgroup_id_x() * block + t; i < n; i += block * (__builtin_amdgcn_grid_size_x() / block))
        s += x[i];
    part[t] = s;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (t == 0) {
        for (unsigned k = 1; k < block; k++)
            s += part[k];
        __hip_atomic_fetch_add(sum, s, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
}

int main()
{
    enum { N = 1000 };
    static float x[N], y[N];
    static int k[N];
    float *dx, *dy;
    int *dk, *ds, s = 0;
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
        k[i] = i;
    }
    if (hipMalloc((void **)&dx, sizeof x) || hipMalloc((void **)&dy, sizeof y) || hipMalloc((void **)&dk, sizeof k) ||
        hipMalloc((void **)&ds, sizeof s))
        return 1;
    hipMemcpy(dx, x, sizeof x, 1);
    hipMemcpy(dy, y, sizeof y, 1);
    hipMemcpy(dk, k, sizeof k, 1);
    hipMemset(ds, 0, sizeof s);
    saxpy<<<dim3((N + 255) / 256), dim3(256)>>>(N, 2.0f, dx, dy);
    total<<<dim3(3), dim3(256)>>>(N, dk, ds);
    if (hipDeviceSynchronize())
        return 2;
    hipMemcpy(y, dy, sizeof y, 2);
    hipMemcpy(&s, ds, sizeof s, 2);
    for (int i = 0; i < N; i++)
        if (y[i] != 2.0f * (float)i + 1)
            return 3;
    printf("sum %d\n", s);
    return s == N * (N - 1) / 2 ? 0 : 4;
}
