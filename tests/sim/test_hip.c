/* SPDX-License-Identifier: MIT */
/* The HIP ABI: memory, streams, events, graphs, devices, launches and their errors. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "flysim.h"
#include "kernel.h"

/* out[i] = in[i] * 2 + argument 2, for every work-item of the grid. */
static const struct kernel twice = {
    .body = "s_lshl_b32 s20, s16, 8\nv_add_u32_e32 v1, s20, v1\n"
            "global_load_dword v2, v1, s[10:11]\ns_waitcnt vmcnt(0)\n"
            "v_lshlrev_b32_e32 v2, 1, v2\nv_add_u32_e32 v2, s12, v2\n"
            "global_store_dword v1, v2, s[8:9]"};

enum { N = 1024, BYTES = 4 * N };

static hipFunction_t load(const struct kernel *k, hipModule_t *m)
{
    size_t n;
    void *object = kernel_object(k, &n);
    hipFunction_t f;

    cr_assert_not_null(object);
    cr_assert_eq(hipModuleLoadData(m, object), 0);
    free(object);
    cr_assert_eq(hipModuleGetFunction(&f, *m, "k"), 0);
    return f;
}

struct args { void *out, *in; uint64_t add, unused; };

static hipError_t launch(hipFunction_t f, hipStream_t s, void *out, void *in, uint64_t add)
{
    struct args a = {out, in, add, 0};
    void *p[] = {&a.out, &a.in, &a.add, &a.unused};

    return hipModuleLaunchKernel(f, N / 64, 1, 1, 64, 1, 1, 0, s, p, NULL);
}

static void *numbers(void)
{
    static uint32_t x[N];
    void *p;

    for (uint32_t i = 0; i < N; i++)
        x[i] = i;
    cr_assert_eq(hipMalloc(&p, BYTES), 0);
    cr_assert_eq(hipMemcpy(p, x, BYTES, hipMemcpyHostToDevice), 0);
    return p;
}

static void expect(void *p, uint32_t factor, uint32_t add)
{
    static uint32_t x[N];

    cr_assert_eq(hipMemcpy(x, p, BYTES, hipMemcpyDeviceToHost), 0);
    for (uint32_t i = 0; i < N; i++)
        cr_assert_eq(x[i], factor * i + add, "element %u is %u", i, x[i]);
}

#define NEEDS_TOOLS                                                                                \
    if (!kernel_tools())                                                                           \
        cr_skip_test("llvm-mc and ld.lld of LLVM 22 are not installed")

Test(hip, arguments_packed_or_by_pointer)
{
    hipModule_t m;
    hipFunction_t f;
    void *a, *b;
    struct args args;
    size_t size = sizeof args;

    NEEDS_TOOLS;
    f = load(&twice, &m);
    a = numbers();
    cr_assert_eq(hipMalloc(&b, BYTES), 0);
    cr_assert_eq(launch(f, NULL, b, a, 5), 0);
    expect(b, 2, 5);
    args = (struct args){b, a, 7, 0};
    void *extra[] = {(void *)1, &args, (void *)2, &size, (void *)3};
    cr_assert_eq(hipModuleLaunchKernel(f, N / 64, 1, 1, 64, 1, 1, 0, NULL, NULL, extra), 0);
    expect(b, 2, 7);
    cr_assert_eq(hipExtModuleLaunchKernel(f, N, 1, 1, 64, 1, 1, 0, NULL, NULL, extra, NULL, NULL, 0), 0);
    expect(b, 2, 7);
    cr_expect_eq(hipModuleUnload(m), 0);
    cr_expect_eq(hipFree(a), 0);
    cr_expect_eq(hipFree(b), 0);
}

Test(hip, launches_that_cannot_be)
{
    hipModule_t m;
    hipFunction_t f, g;
    void *a;
    struct args args = {0};
    void *p[] = {&args.out, &args.in, &args.add, &args.unused};

    NEEDS_TOOLS;
    f = load(&twice, &m);
    a = numbers();
    (void)a;
    cr_expect_neq(hipModuleLaunchKernel(f, 1, 1, 1, 2048, 1, 1, 0, NULL, p, NULL), 0, "block too large");
    cr_expect_neq(hipModuleLaunchKernel(f, 0, 1, 1, 64, 1, 1, 0, NULL, p, NULL), 0, "empty grid");
    cr_expect_neq(hipModuleLaunchKernel(f, 1, 1, 1, 64, 1, 1, 1 << 20, NULL, p, NULL), 0, "too much LDS");
    cr_expect_neq(hipModuleLaunchKernel(NULL, 1, 1, 1, 64, 1, 1, 0, NULL, p, NULL), 0, "no function");
    cr_expect_eq(hipModuleGetFunction(&g, m, "other"), hipErrorNotFound);
    cr_expect_eq(hipGetLastError(), hipErrorNotFound);
    cr_expect_eq(hipGetLastError(), 0);
}

Test(hip, stream_order_and_events)
{
    hipModule_t m;
    hipFunction_t f;
    hipStream_t s, t;
    hipEvent_t start, middle, stop;
    void *a, *b, *c;
    float ms = -1, again = -1;

    NEEDS_TOOLS;
    f = load(&twice, &m);
    a = numbers();
    cr_assert_eq(hipMalloc(&b, BYTES), 0);
    cr_assert_eq(hipMalloc(&c, BYTES), 0);
    cr_assert_eq(hipStreamCreateWithFlags(&s, hipStreamNonBlocking), 0);
    cr_assert_eq(hipStreamCreateWithFlags(&t, hipStreamNonBlocking), 0);
    cr_assert_eq(hipEventCreate(&start), 0);
    cr_assert_eq(hipEventCreate(&middle), 0);
    cr_assert_eq(hipEventCreate(&stop), 0);
    cr_expect_neq(hipEventElapsedTime(&ms, start, stop), 0, "not recorded");
    for (int k = 0; k < 2; k++) {
        cr_assert_eq(hipEventRecord(start, s), 0);
        cr_assert_eq(launch(f, s, b, a, 1), 0);      /* 2 i + 1 */
        cr_assert_eq(hipEventRecord(middle, s), 0);
        cr_assert_eq(hipStreamWaitEvent(t, middle, 0), 0);
        cr_assert_eq(launch(f, t, c, b, 2), 0);      /* 4 i + 4 */
        cr_assert_eq(launch(f, t, b, c, 0), 0);      /* 8 i + 8 */
        cr_assert_eq(hipEventRecord(stop, t), 0);
        cr_assert_eq(hipEventSynchronize(stop), 0);
        cr_expect_eq(hipEventQuery(stop), 0);
        cr_assert_eq(hipEventElapsedTime(k ? &again : &ms, start, stop), 0);
        expect(c, 4, 4);
        expect(b, 8, 8);
    }
    cr_expect_gt(ms, 0);
    cr_expect_eq(ms, again, "modelled time is the same every time");
    cr_expect_eq(hipStreamQuery(t), 0);
    cr_expect_eq(hipStreamDestroy(s), 0);
    cr_expect_eq(hipStreamDestroy(t), 0);
}

Test(hip, null_stream_waits_for_blocking_streams)
{
    hipModule_t m;
    hipFunction_t f;
    hipStream_t s;
    void *a, *b, *c;

    NEEDS_TOOLS;
    f = load(&twice, &m);
    a = numbers();
    cr_assert_eq(hipMalloc(&b, BYTES), 0);
    cr_assert_eq(hipMalloc(&c, BYTES), 0);
    cr_assert_eq(hipStreamCreate(&s), 0);
    for (int k = 0; k < 20; k++) {
        cr_assert_eq(launch(f, s, b, a, 1), 0);
        cr_assert_eq(launch(f, NULL, c, b, 0), 0);
        cr_assert_eq(launch(f, s, b, c, 0), 0);
    }
    cr_assert_eq(hipStreamSynchronize(s), 0);
    expect(c, 4, 2);
    expect(b, 8, 4);
}

Test(hip, capture_makes_a_graph)
{
    hipModule_t m;
    hipFunction_t f;
    hipStream_t s, t;
    hipEvent_t fork, join;
    hipGraph_t g;
    hipGraphExec_t x;
    void *a, *b, *c;
    size_t nodes = 0;
    int status = -1;

    NEEDS_TOOLS;
    f = load(&twice, &m);
    a = numbers();
    cr_assert_eq(hipMalloc(&b, BYTES), 0);
    cr_assert_eq(hipMalloc(&c, BYTES), 0);
    cr_assert_eq(hipMemset(b, 0, BYTES), 0);
    cr_assert_eq(hipStreamCreateWithFlags(&s, hipStreamNonBlocking), 0);
    cr_assert_eq(hipStreamCreateWithFlags(&t, hipStreamNonBlocking), 0);
    cr_assert_eq(hipEventCreateWithFlags(&fork, hipEventDisableTiming), 0);
    cr_assert_eq(hipEventCreateWithFlags(&join, hipEventDisableTiming), 0);

    cr_assert_eq(hipStreamBeginCapture(s, 0), 0);
    cr_assert_eq(hipStreamIsCapturing(s, &status), 0);
    cr_expect_eq(status, hipStreamCaptureStatusActive);
    cr_assert_eq(launch(f, s, b, a, 3), 0);
    cr_assert_eq(hipEventRecord(fork, s), 0);
    cr_assert_eq(hipStreamWaitEvent(t, fork, 0), 0);
    cr_assert_eq(launch(f, t, c, b, 0), 0);
    cr_assert_eq(hipEventRecord(join, t), 0);
    cr_assert_eq(hipStreamWaitEvent(s, join, 0), 0);
    cr_assert_eq(hipMemcpyAsync(a, c, BYTES, hipMemcpyDeviceToDevice, s), 0);
    cr_assert_eq(hipStreamEndCapture(s, &g), 0);
    cr_assert_eq(hipStreamIsCapturing(s, &status), 0);
    cr_expect_eq(status, hipStreamCaptureStatusNone);
    cr_assert_eq(hipDeviceSynchronize(), 0);
    expect(b, 0, 0);
    expect(a, 1, 0);
    cr_assert_eq(hipGraphGetNodes(g, NULL, &nodes), 0);
    cr_expect_eq(nodes, 3);

    cr_assert_eq(hipGraphInstantiate(&x, g, NULL, NULL, 0), 0);
    cr_assert_eq(hipGraphDestroy(g), 0);
    cr_assert_eq(hipGraphLaunch(x, s), 0);
    cr_assert_eq(hipStreamSynchronize(s), 0);
    expect(b, 2, 3);
    expect(a, 4, 6);
    cr_assert_eq(hipGraphLaunch(x, s), 0);
    cr_assert_eq(hipGraphLaunch(x, s), 0);
    cr_assert_eq(hipStreamSynchronize(s), 0);
    expect(a, 64, 126);
    cr_expect_eq(hipGraphExecDestroy(x), 0);
}

Test(hip, what_capture_refuses)
{
    hipModule_t m;
    hipFunction_t f;
    hipStream_t s, t;
    hipEvent_t e;
    hipGraph_t g = NULL;
    void *a;

    NEEDS_TOOLS;
    f = load(&twice, &m);
    a = numbers();
    cr_assert_eq(hipStreamCreateWithFlags(&s, hipStreamNonBlocking), 0);
    cr_assert_eq(hipStreamCreateWithFlags(&t, hipStreamNonBlocking), 0);
    cr_assert_eq(hipEventCreate(&e), 0);
    cr_assert_eq(hipStreamBeginCapture(s, 0), 0);
    cr_expect_neq(hipStreamSynchronize(s), 0);
    cr_expect_neq(hipStreamEndCapture(s, &g), 0, "capture was broken");
    cr_assert_eq(hipStreamBeginCapture(s, 0), 0);
    cr_assert_eq(hipEventRecord(e, s), 0);
    cr_assert_eq(hipStreamWaitEvent(t, e, 0), 0);
    cr_assert_eq(launch(f, t, a, a, 0), 0);
    cr_expect_neq(hipStreamEndCapture(s, &g), 0, "a stream was not joined");
}

Test(hip, limits_are_kept)
{
    size_t v = 0;

    setenv("FLYSIM_DEVICES", "gfx942", 1);
    cr_assert_eq(hipInit(0), 0);
    for (int limit = 0; limit < 3; limit++) { /* hipLimitStackSize, PrintfFifoSize, MallocHeapSize */
        cr_expect_eq(hipDeviceSetLimit(limit, 4096 + (size_t)limit), 0);
        cr_expect_eq(hipDeviceGetLimit(&v, limit), 0);
        cr_expect_eq(v, 4096 + (size_t)limit);
    }
    cr_expect_eq(hipDeviceSetLimit(3, 1), 215, "hipErrorUnsupportedLimit");
    cr_expect_eq(hipDeviceGetLimit(&v, -1), 215, "hipErrorUnsupportedLimit");
    cr_expect_eq(hipDeviceGetLimit(NULL, 0), 1, "hipErrorInvalidValue");
}

Test(hip, several_devices)
{
    hipModule_t m;
    hipFunction_t f;
    hipDevice_t d;
    struct prop_r0600 p;
    void *a, *b, *c;
    char name[64];
    size_t free0, free1, total;
    int n = 0, v = 0;

    setenv("FLYSIM_DEVICES", "gfx942,gfx90a,gfx942", 1);
    NEEDS_TOOLS;
    cr_assert_eq(hipInit(0), 0);
    cr_assert_eq(hipGetDeviceCount(&n), 0);
    cr_assert_eq(n, 3);
    cr_assert_eq(hipGetDevicePropertiesR0600(&p, 1), 0);
    cr_expect_eq(strncmp(p.gcnArchName, "gfx90a", 6), 0, "%s", p.gcnArchName);
    cr_expect_eq(p.warpSize, 64);
    cr_expect_eq(p.sharedMemPerBlock, 65536);
    cr_expect_eq(p.maxThreadsPerBlock, 1024);
    cr_assert_eq(hipDeviceGet(&d, 0), 0);
    cr_assert_eq(hipDeviceGetName(name, sizeof name, d), 0);
    cr_expect_gt(strlen(name), 0);
    cr_assert_eq(hipDeviceGetAttribute(&v, 10, 0), 0);
    f = load(&twice, &m);
    a = numbers();
    cr_assert_eq(hipMalloc(&b, BYTES), 0);
    cr_assert_eq(hipSetDevice(2), 0);
    cr_assert_eq(hipMemGetInfo(&free0, &total), 0);
    cr_assert_eq(hipMalloc(&c, 1 << 20), 0);
    cr_assert_eq(hipMemGetInfo(&free1, &total), 0);
    cr_expect_geq(free0 - free1, 1 << 20);
    hipModule_t m2;
    hipFunction_t f2 = load(&twice, &m2);
    cr_assert_eq(launch(f2, NULL, c, a, 1), 0);
    cr_assert_eq(hipDeviceSynchronize(), 0);
    expect(c, 2, 1);
    cr_assert_eq(hipMemcpyPeer(b, 0, c, 2, BYTES), 0);
    expect(b, 2, 1);
    cr_assert_eq(hipSetDevice(1), 0);
    size_t bytes;
    void *object = kernel_object(&twice, &bytes);
    cr_expect_neq(hipModuleLoadData(&m2, object), 0, "code for another processor");
    free(object);
    cr_expect_neq(hipSetDevice(3), 0);
    (void)f;
}

Test(hip, a_failed_launch_is_reported_once)
{
    const struct kernel bad = {.body = "global_load_dword v2, v1, s[8:9]"};
    hipModule_t m, k;
    hipFunction_t f, g;
    hipStream_t s;
    void *a, *b;

    NEEDS_TOOLS;
    f = load(&bad, &m);
    g = load(&twice, &k);
    a = numbers();
    cr_assert_eq(hipMalloc(&b, BYTES), 0);
    cr_assert_eq(hipStreamCreate(&s), 0);
    cr_assert_eq(hipFree(a), 0);
    cr_expect_eq(launch(f, s, a, NULL, 0), 0);
    cr_expect_eq(hipStreamSynchronize(s), hipErrorLaunchFailure);
    cr_expect_neq(strstr(flysimLastError(), "use after free"), NULL);
    cr_expect_eq(hipStreamSynchronize(s), 0);
    a = numbers();
    cr_expect_eq(launch(g, s, b, a, 0), 0);
    cr_expect_eq(hipStreamSynchronize(s), 0);
    expect(b, 2, 0);
}

Test(hip, host_memory_on_the_device)
{
    static uint32_t mine[N] __attribute__((aligned(4096)));
    hipModule_t m;
    hipFunction_t f;
    void *h, *d, *b;

    NEEDS_TOOLS;
    f = load(&twice, &m);
    cr_assert_eq(hipHostMalloc(&h, BYTES, 0), 0);
    for (uint32_t i = 0; i < N; i++)
        ((uint32_t *)h)[i] = mine[i] = i;
    cr_assert_eq(hipHostGetDevicePointer(&d, h, 0), 0);
    cr_assert_eq(hipMalloc(&b, BYTES), 0);
    cr_assert_eq(launch(f, NULL, b, d, 1), 0);
    expect(b, 2, 1);
    cr_assert_eq(hipHostRegister(mine, BYTES, 0), 0);
    cr_assert_eq(hipHostGetDevicePointer(&d, mine, 0), 0);
    cr_assert_eq(launch(f, NULL, d, b, 0), 0);
    cr_assert_eq(hipDeviceSynchronize(), 0);
    cr_expect_eq(mine[10], 42);
    cr_assert_eq(hipHostUnregister(mine), 0);
    cr_assert_eq(hipHostFree(h), 0);
}

Test(hip, counters)
{
    hipModule_t m;
    hipFunction_t f;
    struct flysim_counts c = {.size = sizeof c};
    void *a, *b;

    NEEDS_TOOLS;
    f = load(&twice, &m);
    a = numbers();
    cr_assert_eq(hipMalloc(&b, BYTES), 0);
    cr_assert_eq(flysimResetCounts(), 0);
    cr_assert_eq(launch(f, NULL, b, a, 5), 0);
    cr_assert_eq(hipDeviceSynchronize(), 0);
    cr_assert_eq(flysimGetCounts(&c), 0);
    cr_expect_eq(c.launches, 1);
    cr_expect_eq(c.workgroups, N / 64);
    cr_expect_eq(c.waves, N / 64);
    cr_expect_eq(c.read_bytes, BYTES);
    cr_expect_eq(c.write_bytes, BYTES);
    cr_expect_eq(c.instructions[FLYSIM_VMEM_LOAD], N / 64);
    cr_expect_eq(c.instructions[FLYSIM_VMEM_STORE], N / 64);
    cr_expect_eq(c.instructions[FLYSIM_VALU], 5 * N / 64);
    cr_expect_eq(c.instructions[FLYSIM_SMEM], N / 64);
    cr_expect_gt(c.modelled_ns, 0);
    cr_expect_not_null(c.bound);
    cr_assert_eq(flysimMarkParam(a, BYTES), 0);
    cr_assert_eq(flysimResetCounts(), 0);
    cr_assert_eq(launch(f, NULL, b, a, 5), 0);
    cr_assert_eq(hipDeviceSynchronize(), 0);
    cr_assert_eq(flysimGetCounts(&c), 0);
    cr_expect_eq(c.read_bytes, 0);
    cr_expect_eq(c.param_bytes, BYTES);
}
