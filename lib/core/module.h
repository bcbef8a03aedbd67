/* SPDX-License-Identifier: MIT */
/*
 * Devices and the kernels loaded on them. Handles of one device share it: a kernel file is read and
 * loaded once a device, at the first call that needs it, and unloaded with the last handle.
 */
#ifndef FLY_CORE_MODULE_H
#define FLY_CORE_MODULE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include "core/op.h"
#include "core/tune.h"
#include "runtime/runtime.h"

struct fly_loaded; /* a loaded kernel file */

struct fly_device {
    struct fly_device *next;
    struct fly_runtime *rt;
    int ordinal;
    unsigned handles;
    struct fly_device_info info;
    struct fly_target target;
    char *kernel_path;      /* folders of kernel files, separated by colons */
    struct fly_tune tuning; /* installed and the user's own */
    pthread_mutex_t lock;   /* for loading */
    struct fly_loaded *loaded;
    _Atomic(void *) *functions[FLY_OP_COUNT]; /* by index in the op's registry; null: not loaded */
};

/* The shared device `ordinal` of rt, opened at first use. The device must be current for the thread
 * or be enterable. On failure *d is null and `message` says why. */
flyStatus_t fly_device_open(struct fly_runtime *rt, int ordinal, struct fly_device **d,
                            char *message, size_t bytes);

/* Gives a handle's share back; the last one unloads everything. 0 or the runtime's first error. */
int fly_device_close(struct fly_device *d);

static inline void *fly_kernel_loaded(struct fly_device *d, const struct fly_op *op,
                                      const struct fly_kernel *k)
{
    return atomic_load_explicit(&d->functions[op->id][k - op->kernels], memory_order_acquire);
}

/* Loads k, if no handle has yet. The device must be entered. `stream` is looked at for a capture,
 * during which loading may be illegal (NOT_READY). */
flyStatus_t fly_kernel_load(struct fly_device *d, const struct fly_op *op,
                            const struct fly_kernel *k, void *stream, void **function,
                            char *message, size_t bytes);

/* Where kernel files are looked for when FLY_KERNEL_PATH is unset, to free: "libfly" beside the
 * library (or program) that holds this code, then the folder of the installation. */
char *fly_kernel_folder(void);

/* Path of the file that holds k, in the first folder of `path` that has it, or in the first folder
 * when none has. False when it does not fit. */
bool fly_kernel_file(const char *path, const char *group, const char *stem, const char *suffix,
                     char *file, size_t bytes);

#endif
