/* SPDX-License-Identifier: MIT */
/* Devices, and kernel files read, checked and loaded once a device. */
#include "core/module.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/arch.h"
#include "core/env.h"
#include "core/fatbin.h"
#include "core/log.h"

enum { MAX_PATH = 1024, MAX_SYMBOL = 96, MAX_LOG = 512 };

struct fly_loaded {
    struct fly_loaded *next;
    const char *name; /* of the module, or of the kernel where a file holds one kernel */
    const char *arch;
    void *module;
};

static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fly_device *devices;

/* ---- devices ---- */

static void device_free(struct fly_device *d)
{
    for (unsigned i = 0; i < FLY_OP_COUNT; i++)
        free(d->functions[i]);
    free(d->kernel_path);
    fly_tune_close(&d->tuning);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

static flyStatus_t device_new(struct fly_runtime *rt, int ordinal, struct fly_device **out,
                              char *message, size_t bytes)
{
    struct fly_device *d = calloc(1, sizeof *d);
    if (!d)
        goto memory;
    pthread_mutex_init(&d->lock, NULL);
    d->rt = rt;
    d->ordinal = ordinal;
    int error = rt->device_info(rt, ordinal, &d->info);
    if (error) {
        snprintf(message, bytes, "device %d: the %s runtime says: %s", ordinal, rt->name,
                 rt->text(rt, error));
        device_free(d);
        return rt->status(rt, error);
    }
    d->target.arch = fly_arch_find(d->info.arch);
    d->target.cus = d->info.cus;
    if (!d->target.arch) {
        snprintf(message, bytes, "device %d is a %s (%s), for which libfly has no kernels", ordinal,
                 d->info.arch, d->info.name);
        device_free(d);
        return FLY_STATUS_NO_DEVICE;
    }
    for (unsigned i = 0; i < FLY_OP_COUNT; i++) {
        d->functions[i] = calloc(fly_op_table[i]->nkernels + 1, sizeof *d->functions[i]);
        if (!d->functions[i])
            goto memory;
    }
    const char *path = fly_env(FLY_ENV_KERNEL_PATH);
    d->kernel_path = path ? strdup(path) : fly_kernel_folder();
    if (!d->kernel_path)
        goto memory;
    fly_tune_open(&d->tuning, &d->target, rt->symbol && rt->symbol(rt, "flysimGetCounts"));
    fly_log(FLY_LOG_LOAD, "device %d of %s (%s): %s, %s, %u CUs; kernels in %s", ordinal, rt->name,
            rt->path, d->info.name, d->info.arch, d->info.cus, d->kernel_path);
    *out = d;
    return FLY_STATUS_SUCCESS;
memory:
    if (d)
        device_free(d);
    snprintf(message, bytes, "no memory for the device's tables");
    return FLY_STATUS_OUT_OF_MEMORY;
}

flyStatus_t fly_device_open(struct fly_runtime *rt, int ordinal, struct fly_device **out,
                            char *message, size_t bytes)
{
    flyStatus_t status = FLY_STATUS_SUCCESS;
    *out = NULL;
    pthread_mutex_lock(&devices_lock);
    struct fly_device *d = devices;
    while (d && (d->rt != rt || d->ordinal != ordinal))
        d = d->next;
    if (!d) {
        status = device_new(rt, ordinal, &d, message, bytes);
        if (status == FLY_STATUS_SUCCESS) {
            d->next = devices;
            devices = d;
        }
    }
    if (status == FLY_STATUS_SUCCESS) {
        d->handles++;
        *out = d;
    }
    pthread_mutex_unlock(&devices_lock);
    return status;
}

int fly_device_close(struct fly_device *d)
{
    pthread_mutex_lock(&devices_lock);
    if (--d->handles) {
        pthread_mutex_unlock(&devices_lock);
        return 0;
    }
    struct fly_device **at = &devices;
    while (*at != d)
        at = &(*at)->next;
    *at = d->next;
    struct fly_runtime *rt = d->rt;
    intptr_t saved;
    int first = rt->device_enter(rt, d->ordinal, &saved);
    bool entered = !first;
    /* Unloading is tried even so: what is current may do. */
    while (d->loaded) {
        struct fly_loaded *l = d->loaded;
        int error = rt->module_unload(rt, l->module);
        first = first ? first : error;
        d->loaded = l->next;
        free(l);
    }
    if (entered) {
        int error = rt->device_leave(rt, d->ordinal, saved);
        first = first ? first : error;
    }
    int error = rt->device_release(rt, d->ordinal);
    pthread_mutex_unlock(&devices_lock);
    device_free(d);
    return first ? first : error;
}

/* ---- files ---- */

char *fly_kernel_folder(void)
{
    Dl_info info;
    const char *file = dladdr((void *)(uintptr_t)&fly_kernel_folder, &info) && info.dli_fname
                           ? info.dli_fname
                           : "";
    const char *slash = strrchr(file, '/');
    char *folder;
    int n = slash ? asprintf(&folder, "%.*s/libfly:%s", (int)(slash - file), file, FLY_KERNEL_DIR)
                  : asprintf(&folder, "%s", FLY_KERNEL_DIR);
    return n < 0 ? NULL : folder;
}

bool fly_kernel_file(const char *path, const char *group, const char *stem, const char *suffix,
                     char *file, size_t bytes)
{
    bool first = true;
    char trial[MAX_PATH];
    for (const char *s = path;; s++) {
        size_t n = strcspn(s, ":");
        int m = snprintf(trial, sizeof trial, "%.*s/%s/%s.%s", (int)n, s, group, stem, suffix);
        bool fits = n && m > 0 && (size_t)m < sizeof trial && (size_t)m < bytes;
        bool exists = fits && access(trial, R_OK) == 0;
        if (fits && (first || exists)) {
            memcpy(file, trial, (size_t)m + 1);
            first = false;
        }
        if (exists)
            return true;
        s += n;
        if (!*s)
            return !first;
    }
}

/* Names of the groups of `path` that have files, for a message: "gfx9, gfx11" or "none". */
static void installed_groups(const char *path, char *text, size_t bytes)
{
    size_t n = 0;
    text[0] = '\0';
    for (unsigned i = 1; i < FLY_ARCH_COUNT; i++) {
        const char *group = fly_arch_row(i)->group;
        bool seen = false;
        for (unsigned j = 1; j < i; j++)
            seen |= !strcmp(fly_arch_row(j)->group, group);
        char folder[MAX_PATH];
        for (const char *s = path; !seen; s++) {
            size_t m = strcspn(s, ":");
            snprintf(folder, sizeof folder, "%.*s/%s", (int)m, s, group);
            if (m && access(folder, R_OK) == 0 && n < bytes) {
                n += (size_t)snprintf(text + n, bytes - n, "%s%s", n ? ", " : "", group);
                seen = true;
            }
            s += m;
            if (!*s)
                break;
        }
    }
    if (!n)
        snprintf(text, bytes, "none");
}

static flyStatus_t no_file(const struct fly_device *d, const char *arch, const char *file,
                           int error, char *message, size_t bytes)
{
    char groups[128];
    installed_groups(d->kernel_path, groups, sizeof groups);
    snprintf(message, bytes, "no kernels for %s: %s: %s; kernel groups in %s: %s", arch, file,
             fly_file_error(error), d->kernel_path, groups);
    return FLY_STATUS_NO_KERNELS;
}

static flyStatus_t load_failed(struct fly_device *d, const char *file, int error, const char *log,
                               char *message, size_t bytes)
{
    snprintf(message, bytes, "%s: the %s runtime refused it: %s%s%s", file, d->rt->name,
             d->rt->text(d->rt, error), *log ? ": " : "", log);
    return d->rt->status(d->rt, error);
}

/* Reads the code object of (module, arch), checks and loads it. */
static flyStatus_t load_code_object(struct fly_device *d, const struct fly_arch *arch,
                                    const struct fly_module *m, void **module, char *message,
                                    size_t bytes)
{
    char file[MAX_PATH], symbol[MAX_SYMBOL], why[MAX_LOG] = "";
    size_t size;
    if (!fly_kernel_file(d->kernel_path, arch->group, m->name, "hipfb", file, sizeof file))
        return no_file(d, arch->name, m->name, ENAMETOOLONG, message, bytes);
    const void *data = fly_file_map(file, &size);
    if (!data)
        return no_file(d, arch->name, file, errno, message, bytes);
    struct fly_fatbin f;
    flyStatus_t status = fly_fatbin_open(data, size, &f, why, sizeof why);
    if (status != FLY_STATUS_SUCCESS) {
        snprintf(message, bytes, "%s: %s", file, why);
        goto unmap;
    }
    const struct fly_fatbin_entry *e = fly_fatbin_find(&f, arch->name);
    if (!e) {
        int n = snprintf(message, bytes, "no kernels for %s in %s; it has", arch->name, file);
        for (unsigned i = 0; i < f.nentries && n > 0 && (size_t)n < bytes; i++)
            n += snprintf(message + n, bytes - (size_t)n, " %.*s", (int)f.entry[i].target_bytes,
                          f.entry[i].target);
        status = FLY_STATUS_NO_KERNELS;
        goto close;
    }
    snprintf(symbol, sizeof symbol, "fly_registry_%s", m->fingerprint);
    status = fly_code_object_check(e->data, e->bytes, symbol, why, sizeof why);
    if (status != FLY_STATUS_SUCCESS) {
        snprintf(message, bytes, "%s: %s: %s", file, arch->name, why);
        goto close;
    }
    int error = d->rt->module_load(d->rt, e->data, e->bytes, module, why, sizeof why);
    if (error)
        status = load_failed(d, file, error, why, message, bytes);
    else
        fly_log(FLY_LOG_LOAD, "loaded %s of %s (%zu bytes)", arch->name, file, e->bytes);
close:
    fly_fatbin_close(&f);
unmap:
    fly_file_unmap(data, size);
    return status;
}

/* Tries one file of kernel k. */
static flyStatus_t load_ptx_file(struct fly_device *d, const char *file, const char *symbol,
                                 void **module, char *message, size_t bytes)
{
    char why[MAX_LOG] = "";
    size_t size;
    const void *data = fly_file_map(file, &size);
    if (!data) {
        snprintf(message, bytes, "%s: %s", file, strerror(errno));
        return FLY_STATUS_NO_KERNELS;
    }
    flyStatus_t status = fly_ptx_check(data, size, symbol, why, sizeof why);
    char *text = status == FLY_STATUS_SUCCESS ? malloc(size + 1) : NULL;
    if (status != FLY_STATUS_SUCCESS)
        snprintf(message, bytes, "%s: %s", file, why);
    else if (!text) {
        snprintf(message, bytes, "%s: no memory for %zu bytes", file, size);
        status = FLY_STATUS_OUT_OF_MEMORY;
    } else {
        /* The driver takes PTX as a terminated string. */
        memcpy(text, data, size);
        text[size] = '\0';
        int error = d->rt->module_load(d->rt, text, size + 1, module, why, sizeof why);
        if (error)
            status = load_failed(d, file, error, why, message, bytes);
        else
            fly_log(FLY_LOG_LOAD, "loaded %s (%zu bytes)", file, size);
    }
    free(text);
    fly_file_unmap(data, size);
    return status;
}

/* A cubin made for this very device first, then the PTX, which the driver compiles. */
static flyStatus_t load_ptx(struct fly_device *d, const struct fly_arch *arch,
                            const struct fly_kernel *k, const struct fly_module *m, void **module,
                            char *message, size_t bytes)
{
    char file[MAX_PATH], symbol[MAX_SYMBOL];
    snprintf(symbol, sizeof symbol, "fly_registry_%s", m->fingerprint);
    if (fly_kernel_file(d->kernel_path, arch->group, k->name, "cubin", file, sizeof file) &&
        access(file, R_OK) == 0 &&
        load_ptx_file(d, file, symbol, module, message, bytes) == FLY_STATUS_SUCCESS)
        return FLY_STATUS_SUCCESS;
    if (!fly_kernel_file(d->kernel_path, arch->group, k->name, "ptx", file, sizeof file))
        return no_file(d, arch->name, k->name, ENAMETOOLONG, message, bytes);
    if (access(file, R_OK))
        return no_file(d, arch->name, file, errno, message, bytes);
    return load_ptx_file(d, file, symbol, module, message, bytes);
}

flyStatus_t fly_kernel_load(struct fly_device *d, const struct fly_op *op,
                            const struct fly_kernel *k, void *stream, void **function,
                            char *message, size_t bytes)
{
    struct fly_runtime *rt = d->rt;
    const struct fly_arch *arch = fly_arch_row(k->arch);
    const struct fly_module *m = &op->modules[k->module];
    const char *name = rt->image == FLY_IMAGE_CODE_OBJECT ? m->name : k->name;
    flyStatus_t status = FLY_STATUS_SUCCESS;

    pthread_mutex_lock(&d->lock);
    *function = fly_kernel_loaded(d, op, k);
    if (*function)
        goto unlock;
    if (!rt->loads_in_capture) {
        bool capturing = false;
        int error = rt->stream_capturing(rt, stream, &capturing);
        if (error || capturing) {
            snprintf(message, bytes,
                     "%s is not loaded, and during a stream capture the %s runtime does not load "
                     "kernels; "
                     "call the Plan function before the capture",
                     k->name, rt->name);
            status = FLY_STATUS_NOT_READY;
            if (error) {
                snprintf(message, bytes,
                         "the %s runtime cannot tell whether the stream is capturing: %s", rt->name,
                         rt->text(rt, error));
                status = rt->status(rt, error);
            }
            goto unlock;
        }
    }
    struct fly_loaded *l = d->loaded;
    while (l && (strcmp(l->name, name) || l->arch != arch->name))
        l = l->next;
    if (!l) {
        void *module = NULL;
        l = malloc(sizeof *l);
        if (!l) {
            snprintf(message, bytes, "no memory for a module record");
            status = FLY_STATUS_OUT_OF_MEMORY;
            goto unlock;
        }
        char why[MAX_LOG] = "";
        if (rt->image == FLY_IMAGE_CODE_OBJECT) {
            status = load_code_object(d, arch, m, &module, message, bytes);
        } else if (rt->image == FLY_IMAGE_PTX) {
            status = load_ptx(d, arch, k, m, &module, message, bytes);
        } else {
            int error = rt->module_load(rt, NULL, 0, &module, why, sizeof why);
            if (error)
                status = load_failed(d, name, error, why, message, bytes);
        }
        if (status != FLY_STATUS_SUCCESS) {
            free(l);
            goto unlock;
        }
        *l = (struct fly_loaded){d->loaded, name, arch->name, module};
        d->loaded = l;
    }
    int error = rt->module_function(rt, l->module, k->name, function);
    if (error) {
        snprintf(message, bytes, "%s: the %s runtime does not find it in its module: %s", k->name,
                 rt->name, rt->text(rt, error));
        status = rt->status(rt, error);
        *function = NULL;
        goto unlock;
    }
    atomic_store_explicit(&d->functions[op->id][k - op->kernels], *function, memory_order_release);
unlock:
    pthread_mutex_unlock(&d->lock);
    return status;
}
