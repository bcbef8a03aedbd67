/* SPDX-License-Identifier: MIT */
/* 64 threads with a handle each: they share the device, and each has its own error. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"

enum { THREADS = 64, CALLS = 400 };

static pthread_barrier_t barrier;

static void *work(void *arg)
{
    int id = (int)(intptr_t)arg;
    pthread_barrier_wait(&barrier);
    for (int round = 0; round < 4; round++) {
        flyHandle_t h = NULL;
        if (fly_create_on(fly_runtime_null("gfx942", 304), -1, &h) != FLY_STATUS_SUCCESS)
            return "a handle was not created";
        flyLayerNormArgs_t a = unit_layernorm();
        for (int i = 0; i < CALLS; i++) {
            a.cols = 1 + (id * 37 + i * 13) % 20000;
            a.dtype = FLY_DTYPE_F32 + (uint32_t)(i % 3);
            if (flyLayerNorm(h, &a) != FLY_STATUS_SUCCESS)
                return "a call failed";
        }
        char want[64];
        a.cols = -id - 1;
        snprintf(want, sizeof want, "cols = %d:", -id - 1);
        if (flyLayerNorm(h, &a) != FLY_STATUS_INVALID_VALUE || !strstr(flyErrorMessage(h), want))
            return "an error got lost";
        if (flyDestroy(h) != FLY_STATUS_SUCCESS)
            return "a handle was not destroyed";
    }
    return NULL;
}

Test(threads, sixty_four_with_a_handle_each)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&thread[i], NULL, work, (void *)(intptr_t)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *what;
        pthread_join(thread[i], &what);
        cr_assert_null(what, "%s", (const char *)what);
    }
}
