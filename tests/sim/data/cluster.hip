/* SPDX-License-Identifier: MIT */
/*
 * A HIP program for gfx1250 with clusters of workgroups: one kernel that was compiled for them, one that is launched
 * so. A tile of memory goes to the LDS of all workgroups of a cluster, and they pass sums round.
 */
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __device__ __attribute__((device))
#define GLOBAL(p) ((__attribute__((address_space(1))) int4 *)(p))
#define LOCAL(p) ((__attribute__((address_space(3))) int4 *)(p))

typedef decltype(sizeof 0) size_t;
typedef int int4 __attribute__((ext_vector_type(4)));
struct dim3 {
    unsigned x, y, z;
    constexpr __attribute__((host, device)) dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct attribute { int id; char pad[4]; union { char bytes[64]; unsigned cluster[3]; }; };
struct config { dim3 grid, block; size_t shared; void *stream; attribute *attrs; unsigned n; };
extern "C" {
int printf(const char *, ...);
int hipMalloc(void **, size_t);
int hipMemcpy(void *, const void *, size_t, int);
int hipDeviceSynchronize(void);
int hipLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
int hipLaunchKernelExC(const config *, const void *, void **);
unsigned __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared = 0, void *stream = 0);
}

/* A cluster reads 256 numbers; workgroup r multiplies them by r + 1 and hands the result to the next one. */
static __device__ void pass_round(const int *x, int *pass, int *y)
{
    __shared__ int tile[256];
    const unsigned t = __builtin_amdgcn_workitem_id_x(), r = __builtin_amdgcn_cluster_workgroup_id_x(),
                   n = __builtin_amdgcn_cluster_workgroup_max_id_x() + 1, c = __builtin_amdgcn_cluster_id_x();
    pass += 256 * n * c;
    __builtin_amdgcn_cluster_load_async_to_lds_b128(GLOBAL(x + 256 * c + 4 * t), LOCAL(tile + 4 * t), 0, 0, (1 << n) - 1);
    __builtin_amdgcn_s_wait_asynccnt(0);
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    for (unsigned k = 0; k < 4; k++)
        pass[256 * r + 64 * k + t] = (int)(r + 1) * tile[255 - 64 * k - t];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "cluster");
    __builtin_amdgcn_s_cluster_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "cluster");
    for (unsigned k = 0; k < 4; k++)
        y[256 * __builtin_amdgcn_workgroup_id_x() + 64 * k + t] = pass[256 * ((r + 1) % n) + 64 * k + t];
}
__global__ __attribute__((amdgpu_flat_work_group_size(64, 64), cluster_dims(4, 1, 1))) void compiled(const int *x, int *pass, int *y)
{
    pass_round(x, pass, y);
}
__global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void launched(const int *x, int *pass, int *y)
{
    pass_round(x, pass, y);
}

int main()
{
    enum { GROUPS = 24 };
    static int x[256 * GROUPS], y[256 * GROUPS];
    int *dx, *dp, *dy;
    for (int i = 0; i < 256 * GROUPS; i++)
        x[i] = i * 7919;
    if (hipMalloc((void **)&dx, sizeof x) || hipMalloc((void **)&dp, sizeof x) || hipMalloc((void **)&dy, sizeof y))
        return 1;
    hipMemcpy(dx, x, sizeof x, 1);
    for (unsigned n = 2; n <= 12; n += n == 4 ? 8 : 2) {
        void *args[] = {&dx, &dp, &dy};
        attribute a = {4, {0}, {{0}}};
        a.cluster[0] = n;
        a.cluster[1] = a.cluster[2] = 1;
        config c = {dim3(GROUPS), dim3(64), 0, 0, &a, 1};
        if (n == 4)
            compiled<<<dim3(GROUPS), dim3(64)>>>(dx, dp, dy);
        else if (hipLaunchKernelExC(&c, (const void *)launched, args))
            return 2;
        if (hipDeviceSynchronize())
            return 3;
        hipMemcpy(y, dy, sizeof y, 2);
        for (unsigned g = 0; g < GROUPS; g++)
            for (unsigned i = 0; i < 256; i++)
                if (y[256 * g + i] != (int)((g % n + 1) % n + 1) * x[256 * (g / n) + 255 - i])
                    return 4;
    }
    printf("clusters agree\n");
    return 0;
}
