/* SPDX-License-Identifier: MIT */
/* Threads that take ranges from one atomic counter; started and joined by each call. */
#include "par.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

struct job {
    int64_t n, grain;
    void (*fn)(void *, int64_t, int64_t, int);
    void *ctx;
    atomic_llong next;
};

struct worker {
    struct job *job;
    int index;
};

int par_threads(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (int)n;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct job *j = w->job;
    for (;;) {
        int64_t from = atomic_fetch_add(&j->next, j->grain);
        if (from >= j->n)
            return NULL;
        j->fn(j->ctx, from, from + j->grain < j->n ? from + j->grain : j->n, w->index);
    }
}

void par_for(int64_t n, int64_t grain, void (*fn)(void *, int64_t, int64_t, int), void *ctx)
{
    struct job job = {.n = n, .grain = grain > 0 ? grain : 1, .fn = fn, .ctx = ctx, .next = 0};
    pthread_t thread[MAX_THREADS];
    struct worker worker[MAX_THREADS];
    int threads = n > job.grain ? par_threads() : 1, started = 0;
    for (int i = 1; i < threads; i++) {
        worker[started] = (struct worker){&job, i};
        if (pthread_create(&thread[started], NULL, work, &worker[started]) != 0)
            break;
        started++;
    }
    work(&(struct worker){&job, 0});
    for (int i = 0; i < started; i++)
        pthread_join(thread[i], NULL);
}
