/* SPDX-License-Identifier: MIT */
/*
 * The HIP table against a fake libamdhip64: how a runtime is found, what is read from device
 * properties, the packed arguments of a launch, and the current device.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake_hip.h"
#include "unit.h"

static struct fake_hip *fake(void)
{
    void *library = dlopen(getenv("FLY_FAKE_HIP"), RTLD_NOW | RTLD_NOLOAD);
    struct fake_hip *s = dlsym(library, "fake_hip");
    cr_assert_not_null(s);
    return s;
}

static flyHandle_t open_fake(int device)
{
    flyHandle_t h = NULL;
    setenv("FLY_RUNTIME", getenv("FLY_FAKE_HIP"), 1);
    flyStatus_t s = device < 0 ? flyCreate(&h) : flyCreateOnDevice(&h, device);
    cr_assert_eq(s, FLY_STATUS_SUCCESS, "%s", flyErrorMessage(NULL));
    return h;
}

static void need_kernels(void)
{
    char file[1024];
    snprintf(file, sizeof file, "%s/gfx9/norm_bf16.hipfb",
             getenv("FLY_KERNEL_PATH") ? getenv("FLY_KERNEL_PATH") : "");
    if (access(file, R_OK))
        cr_skip("this build has no gfx9 kernels");
}

Test(hip, device_properties_are_read)
{
    flyHandle_t h = open_fake(-1);
    cr_assert_str_eq(flyArchName(h), "gfx942");
    cr_assert_str_eq(h->device->info.name, "fake");
    cr_assert_eq(h->device->info.cus, 304);
    cr_assert_eq(h->device->info.memory_bytes, (uint64_t)64 << 30);
    cr_assert_eq(h->device->info.clock_khz, 2100000);
    flyDestroy(h);
    h = open_fake(1);
    cr_assert_str_eq(flyArchName(h), "gfx950");
    flyDestroy(h);
    cr_assert_eq(flyCreateOnDevice(&h, 2), FLY_STATUS_INVALID_VALUE);
}

/* Value of a kernel argument by its registry name. */
static uint64_t argument(const struct fake_hip *s, const char *name)
{
    const struct fly_op *op = fly_op_find("layernorm");
    for (uint32_t i = 0; i < op->nkernargs; i++)
        if (!strcmp(op->kernargs[i].name, name)) {
            uint64_t v = 0;
            cr_assert_leq(op->kernargs[i].offset + op->kernargs[i].size, s->kernarg_bytes);
            memcpy(&v, s->kernargs + op->kernargs[i].offset, op->kernargs[i].size);
            return v;
        }
    cr_assert_fail("no argument %s", name);
    return 0;
}

Test(hip, a_launch_passes_the_packed_arguments)
{
    need_kernels();
    flyHandle_t h = open_fake(1);
    struct fake_hip *s = fake();
    flyLayerNormArgs_t a = unit_layernorm();
    a.rows = 100;
    a.ldx = 1008;
    a.beta = NULL;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    const struct fly_kernel *k = fly_registry_find(s->function, NULL);
    cr_assert_not_null(k, "'%s' is no kernel", s->function);
    cr_assert_str_eq(fly_arch_row(k->arch)->name, "gfx950");
    cr_assert_eq(s->kernarg_bytes, k->kernarg_bytes);
    cr_assert_eq(s->block[0], k->block);
    cr_assert_eq(s->grid[0], (100u + k->rowwise.rows - 1) / k->rowwise.rows);
    cr_assert_eq(s->grid[1] * s->grid[2] * s->block[1] * s->block[2], 1);
    cr_assert_eq(argument(s, "x"), (uint64_t)(uintptr_t)a.x);
    cr_assert_eq(argument(s, "y"), (uint64_t)(uintptr_t)a.y);
    cr_assert_eq(argument(s, "gamma"), (uint64_t)(uintptr_t)a.gamma);
    cr_assert_eq(argument(s, "beta"), 0);
    cr_assert_eq(argument(s, "mean"), 0);
    cr_assert_eq(argument(s, "rows"), 100);
    cr_assert_eq(argument(s, "cols"), 1000);
    cr_assert_eq(argument(s, "ldx"), 1008);
    cr_assert_eq(argument(s, "ldy"), 1000);
    cr_assert_eq(argument(s, "eps"), 0x3727c5ac);
    cr_assert_eq(s->launch_device, 1, "launched on another device");
    int current = -1;
    h->rt->device_current(h->rt, &current);
    cr_assert_eq(current, 0, "the thread's device changed");
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    cr_assert_eq(flyLayerNormPlan(h, &a, &plan), FLY_STATUS_SUCCESS);
    cr_assert_eq(plan.registers, 40);
    cr_assert_eq(s->modules, 1);
    cr_assert_eq(flyDestroy(h), FLY_STATUS_SUCCESS);
    cr_assert_eq(s->modules, 0);
}

Test(hip, a_capture_elsewhere_is_not_ready)
{
    need_kernels();
    flyHandle_t h = open_fake(0);
    struct fake_hip *s = fake();
    flyLayerNormArgs_t a = unit_layernorm();
    s->capturing = true;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_NOT_READY, "%s", flyErrorMessage(h));
    s->capturing = false;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    s->capturing = true;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    flyDestroy(h);
}

static void refused(const char *runtime, const char *because)
{
    flyHandle_t h = (flyHandle_t)(void *)&h;
    setenv("FLY_RUNTIME", runtime, 1);
    cr_assert_eq(flyCreate(&h), FLY_STATUS_NO_RUNTIME, "%s", runtime);
    cr_assert_null(h);
    cr_assert(strstr(flyErrorMessage(NULL), because), "want '%s' in: %s", because,
              flyErrorMessage(NULL));
}

Test(hip, a_missing_runtime_is_explained)
{
    refused("nonsense", "want hip, cuda, sim or the path");
    refused("/nosuchfolder/libamdhip64.so", "/nosuchfolder/libamdhip64.so");
    refused("/proc/self/exe", "/proc/self/exe");
}

Test(hip, one_library_is_one_runtime)
{
    flyHandle_t a = open_fake(0), b = open_fake(0), c = open_fake(1);
    cr_assert_eq(a->rt, b->rt);
    cr_assert_eq(a->device, b->device);
    cr_assert_neq(a->device, c->device);
    flyDestroy(a);
    flyDestroy(b);
    flyDestroy(c);
}
