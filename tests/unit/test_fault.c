/* SPDX-License-Identifier: MIT */
/*
 * Failing runtime calls and failing allocations: each gives a status and a sentence, leaves the
 * thread's device as it was, leaks nothing, and the handle works again afterwards.
 */
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "unit.h"

/* ---- allocations: the linker sends the library's calls here (--wrap) ---- */

static int allocations_left = -1; /* -1: no limit */

static bool refuse(void)
{
    return allocations_left >= 0 && allocations_left-- == 0 ? (allocations_left = 0, true) : false;
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
char *__wrap_strdup(const char *s);

void *__wrap_malloc(size_t n)
{
    return refuse() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return refuse() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t n)
{
    return refuse() ? NULL : __real_realloc(p, n);
}

char *__wrap_strdup(const char *s)
{
    return refuse() ? NULL : __real_strdup(s);
}

/* ---- */

static const char *const point_names[FAULT_COUNT] = {
    "none",         "device_count",  "device_current",  "device_info",
    "device_enter", "device_leave",  "device_release",  "stream_capturing",
    "module_load",  "module_unload", "module_function", "function_registers",
    "launch",
};

/* A whole life of a handle: creation, a plan, two calls, destruction. The first failure ends it;
 * the handle is destroyed either way. Returns the first status that was no success. */
static flyStatus_t life(struct fly_runtime *rt, char sentence[FLY_MAX_MESSAGE])
{
    flyHandle_t h = NULL;
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    flyLayerNormArgs_t a = unit_layernorm();
    *sentence = '\0';
    flyStatus_t s = fly_create_on(rt, -1, &h);
    if (s != FLY_STATUS_SUCCESS) {
        cr_assert_null(h);
        strcpy(sentence, flyErrorMessage(NULL));
        return s;
    }
    s = flyLayerNormPlan(h, &a, &plan);
    if (s == FLY_STATUS_SUCCESS)
        s = flyLayerNorm(h, &a);
    a.cols++;
    if (s == FLY_STATUS_SUCCESS)
        s = flyLayerNorm(h, &a);
    if (s != FLY_STATUS_SUCCESS)
        strcpy(sentence, flyErrorMessage(h));
    flyStatus_t destroyed = flyDestroy(h);
    if (s == FLY_STATUS_SUCCESS && destroyed != FLY_STATUS_SUCCESS) {
        strcpy(sentence, flyErrorMessage(NULL));
        s = destroyed;
    }
    return s;
}

Test(fault, each_runtime_call_that_fails_is_told)
{
    static const struct {
        int code;
        flyStatus_t status;
        const char *text;
    } codes[] = {{719, FLY_STATUS_RUNTIME_ERROR, "on fire"},
                 {2, FLY_STATUS_OUT_OF_MEMORY, "out of memory"}};
    for (int point = 1; point < FAULT_COUNT; point++)
        for (unsigned c = 0; c < 2; c++) {
            int failures = 0;
            for (int after = 0; after < 12; after++) {
                struct fly_runtime *rt = fault_runtime();
                fault.point = (enum fault_point)point;
                fault.after = after;
                fault.code = codes[c].code;
                char sentence[FLY_MAX_MESSAGE];
                flyStatus_t s = life(rt, sentence);
                if (s != FLY_STATUS_SUCCESS) {
                    failures++;
                    cr_assert_eq(s, codes[c].status, "%s: %s: %s", point_names[point],
                                 flyStatusName(s), sentence);
                    cr_assert(strstr(sentence, codes[c].text), "%s: %s", point_names[point],
                              sentence);
                    cr_assert(strstr(sentence, "fake"), "%s: %s", point_names[point], sentence);
                    cr_assert_eq(strncmp(sentence, "fly", 3), 0, "%s: %s", point_names[point],
                                 sentence);
                }
                cr_assert_eq(fault.modules, 0, "%s after %d: a module leaks", point_names[point],
                             after);
                cr_assert_eq(fault.entered, 0, "%s after %d: the device stays entered",
                             point_names[point], after);
                cr_assert_eq(fault.current, 2, "%s after %d: the thread's device changed",
                             point_names[point], after);
                fault.point = FAULT_NONE;
                cr_assert_eq(life(rt, sentence), FLY_STATUS_SUCCESS, "%s", sentence);
            }
            cr_assert_gt(failures, 0, "%s never failed", point_names[point]);
        }
}

Test(fault, the_loaders_words_are_in_the_sentence)
{
    struct fly_runtime *rt = fault_runtime();
    char sentence[FLY_MAX_MESSAGE];
    fault.point = FAULT_MODULE_LOAD;
    fault.code = 719;
    life(rt, sentence);
    cr_assert(strstr(sentence, "the loader's own words"), "%s", sentence);
}

Test(fault, nothing_is_launched_when_the_kernel_does_not_load)
{
    struct fly_runtime *rt = fault_runtime();
    flyHandle_t h;
    flyLayerNormArgs_t a = unit_layernorm();
    cr_assert_eq(fly_create_on(rt, -1, &h), FLY_STATUS_SUCCESS);
    fault.point = FAULT_MODULE_FUNCTION;
    fault.code = 719;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_RUNTIME_ERROR);
    cr_assert_eq(fault.launches, 0);
    fault.point = FAULT_NONE;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS);
    cr_assert_eq(fault.launches, 1);
    cr_assert_eq(fault.loads, 1, "the module was loaded twice");
    flyDestroy(h);
}

Test(fault, a_capture_is_not_ready_until_the_kernel_is_loaded)
{
    struct fly_runtime *rt = fault_runtime();
    flyHandle_t h;
    flyLayerNormArgs_t a = unit_layernorm();
    flyPlan_t plan = FLY_ARGS_INIT(plan);
    cr_assert_eq(fly_create_on(rt, -1, &h), FLY_STATUS_SUCCESS);
    fault.capturing = true;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_NOT_READY);
    cr_assert(strstr(flyErrorMessage(h), "Plan"), "%s", flyErrorMessage(h));
    fault.capturing = false;
    cr_assert_eq(flyLayerNormPlan(h, &a, &plan), FLY_STATUS_SUCCESS);
    fault.capturing = true;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    rt->loads_in_capture = true;
    a.dtype = FLY_DTYPE_F16;
    cr_assert_eq(flyLayerNorm(h, &a), FLY_STATUS_SUCCESS, "%s", flyErrorMessage(h));
    flyDestroy(h);
}

Test(fault, no_device_and_foreign_devices_are_told)
{
    struct fly_runtime *rt = fault_runtime();
    flyHandle_t h;
    fault.devices = 0;
    cr_assert_eq(fly_create_on(rt, -1, &h), FLY_STATUS_NO_DEVICE);
    cr_assert_null(h);
    fault.devices = 4;
    cr_assert_eq(fly_create_on(rt, 4, &h), FLY_STATUS_INVALID_VALUE);
    cr_assert(strstr(flyErrorMessage(NULL), "device = 4"), "%s", flyErrorMessage(NULL));
    cr_assert_eq(fly_create_on(fly_runtime_null("gfx906", 60), -1, &h), FLY_STATUS_NO_DEVICE);
    cr_assert(strstr(flyErrorMessage(NULL), "gfx906"), "%s", flyErrorMessage(NULL));
    fly_runtime_null("gfx942", 304);
}

Test(fault, handles_of_a_device_share_its_kernels)
{
    struct fly_runtime *rt = fault_runtime();
    flyHandle_t h[3];
    flyLayerNormArgs_t a = unit_layernorm();
    for (int i = 0; i < 3; i++)
        cr_assert_eq(fly_create_on(rt, 1, &h[i]), FLY_STATUS_SUCCESS);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(flyLayerNorm(h[i], &a), FLY_STATUS_SUCCESS);
    cr_assert_eq(fault.loads, 1);
    flyDestroy(h[0]);
    flyDestroy(h[1]);
    cr_assert_eq(fault.modules, 1);
    flyDestroy(h[2]);
    cr_assert_eq(fault.modules, 0);
}

Test(fault, each_allocation_that_fails_is_told)
{
    struct fly_runtime *rt = fault_runtime();
    char sentence[FLY_MAX_MESSAGE];
    int failures = 0;
    for (int n = 0; n < 64; n++) {
        allocations_left = n;
        flyStatus_t s = life(rt, sentence);
        bool ran_out = allocations_left == 0;
        allocations_left = -1;
        if (s != FLY_STATUS_SUCCESS) {
            failures++;
            cr_assert_eq(s, FLY_STATUS_OUT_OF_MEMORY, "allocation %d: %s: %s", n, flyStatusName(s),
                         sentence);
            cr_assert(strstr(sentence, "no memory"), "allocation %d: %s", n, sentence);
        }
        cr_assert_eq(fault.modules, 0);
        cr_assert_eq(fault.entered, 0);
        if (!ran_out)
            break;
    }
    cr_assert_geq(failures, 3);
    cr_assert_eq(life(rt, sentence), FLY_STATUS_SUCCESS, "%s", sentence);
}
