/* SPDX-License-Identifier: MIT */
/* Finding a runtime: what the user names, a HIP the process already has, HIP, CUDA. */
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const hip_names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                        NULL};
static const char *const loaded_hip_names[] = {"libamdhip64.so.7", "libamdhip64.so.6",
                                               "libamdhip64.so.5", "libamdhip64.so", NULL};
static const char *const cuda_names[] = {"libcuda.so.1", NULL};
static const char *const sim_names[] = {"libflysim.so.0", "libflysim.so", NULL};

/*
 * The same list for packaging tools: a note that names the libraries opened with dlopen (UAPI
 * group, ELF dlopen metadata).
 */
#define DLOPEN_NOTE                                                                                \
    "[{\"feature\":\"hip\",\"description\":\"AMD GPUs through HIP\",\"priority\":\"recommended\"," \
    "\"soname\":[\"libamdhip64.so.7\",\"libamdhip64.so.6\",\"libamdhip64.so.5\"]},"                \
    "{\"feature\":\"cuda\",\"description\":\"NVIDIA GPUs through the CUDA driver\","               \
    "\"priority\":\"suggested\",\"soname\":[\"libcuda.so.1\"]},"                                   \
    "{\"feature\":\"sim\",\"description\":\"AMD GPUs in software\",\"priority\":\"suggested\","    \
    "\"soname\":[\"libflysim.so.0\"]}]"

enum { DLOPEN_NOTE_TYPE = 0x407c0c0a };

static const struct {
    uint32_t owner_bytes, bytes, type;
    char owner[4];
    char text[sizeof DLOPEN_NOTE];
} dlopen_note __attribute__((used, section(".note.dlopen"), aligned(4))) = {
    4, sizeof DLOPEN_NOTE, DLOPEN_NOTE_TYPE, "FDO", DLOPEN_NOTE};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fly_runtime *runtimes; /* opened so far */

/* A sentence that grows. */
struct note {
    char *text;
    size_t bytes, length;
};

static void __attribute__((format(printf, 2, 3))) add(struct note *n, const char *format, ...)
{
    if (n->length >= n->bytes)
        return;
    va_list args;
    va_start(args, format);
    int m = vsnprintf(n->text + n->length, n->bytes - n->length, format, args);
    va_end(args);
    if (m > 0)
        n->length += (size_t)m;
}

/* The runtime in an opened library; gives `library` up when that one is known already or is none.
 */
static struct fly_runtime *adopt(void *library, const char *path, struct note *note)
{
    char why[256] = "";
    for (struct fly_runtime *rt = runtimes; rt; rt = rt->next)
        if (rt->library == library) {
            dlclose(library);
            return rt;
        }
    struct fly_runtime *rt = NULL;
    if (dlsym(library, "hipModuleLaunchKernel"))
        rt = fly_hip_open(dlsym(library, "flysimGetCounts") ? "sim" : "hip", path, library, why,
                          sizeof why);
    else if (dlsym(library, "cuLaunchKernel"))
        rt = fly_cuda_open(path, library, why, sizeof why);
    else
        snprintf(why, sizeof why, "neither HIP nor CUDA");
    if (!rt) {
        add(note, "%s%s: %s", note->length ? "; " : "", path, why);
        dlclose(library);
        return NULL;
    }
    rt->library = library;
    rt->next = runtimes;
    runtimes = rt;
    return rt;
}

static struct fly_runtime *open_path(const char *path, int flags, struct note *note)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
    if (library)
        return adopt(library, path, note);
    const char *error = dlerror();
    if (flags & RTLD_NOLOAD)
        return NULL;
    if (error && strstr(error, "cannot open shared object file: No such file"))
        add(note, "%s%s not found", note->length ? ", " : "", path);
    else
        add(note, "%s%s", note->length ? "; " : "", error ? error : path);
    return NULL;
}

static bool has_device(struct fly_runtime *rt, struct note *note)
{
    int count = 0;
    int error = rt->device_count(rt, &count);
    if (error)
        add(note, "%s%s: %s", note->length ? "; " : "", rt->path, rt->text(rt, error));
    else if (count <= 0)
        add(note, "%s%s: no device", note->length ? "; " : "", rt->path);
    return !error && count > 0;
}

/* First of `names` that opens; *found keeps one without a device, in case no other has one. */
static struct fly_runtime *open_first(const char *const *names, int flags,
                                      struct fly_runtime **found, struct note *note)
{
    for (; *names; names++) {
        struct fly_runtime *rt = open_path(*names, flags, note);
        if (rt && (!found || has_device(rt, note)))
            return rt;
        if (rt && !*found)
            *found = rt;
    }
    return NULL;
}

/* The simulator lies next to libfly, or where the loader looks. */
static struct fly_runtime *open_sim(struct note *note)
{
    Dl_info info;
    char path[1024];
    const char *slash = dladdr((void *)(uintptr_t)&fly_runtime_find, &info) && info.dli_fname
                            ? strrchr(info.dli_fname, '/') : NULL;
    for (int i = 0; slash && sim_names[i]; i++) {
        int n = snprintf(path, sizeof path, "%.*s/%s", (int)(slash - info.dli_fname),
                         info.dli_fname, sim_names[i]);
        struct fly_runtime *rt = n > 0 && (size_t)n < sizeof path ? open_path(path, 0, note) : NULL;
        if (rt)
            return rt;
    }
    return open_first(sim_names, 0, NULL, note);
}

static flyStatus_t find(const char *wanted, struct fly_runtime **rt, struct note *note)
{
    if (wanted && strchr(wanted, '/')) {
        *rt = open_path(wanted, 0, note);
    } else if (wanted && !strcmp(wanted, "sim")) {
        *rt = open_sim(note);
    } else if (wanted && !strcmp(wanted, "hip")) {
        *rt = open_first(loaded_hip_names, RTLD_NOLOAD, NULL, note);
        if (!*rt)
            *rt = open_first(hip_names, 0, NULL, note);
    } else if (wanted && !strcmp(wanted, "cuda")) {
        *rt = open_first(cuda_names, 0, NULL, note);
    } else if (wanted) {
        add(note, "want hip, cuda, sim or the path of a runtime library");
    } else {
        struct fly_runtime *found = NULL;
        *rt = open_first(loaded_hip_names, RTLD_NOLOAD, &found, note);
        if (!*rt)
            *rt = open_first(hip_names, 0, &found, note);
        if (!*rt)
            *rt = open_first(cuda_names, 0, &found, note);
        if (!*rt && found)
            return FLY_STATUS_NO_DEVICE;
    }
    return *rt ? FLY_STATUS_SUCCESS : FLY_STATUS_NO_RUNTIME;
}

flyStatus_t fly_runtime_find(const char *wanted, struct fly_runtime **rt, char *message,
                             size_t bytes)
{
    char looked[700] = "";
    struct note note = {looked, sizeof looked, 0};
    *rt = NULL;
    pthread_mutex_lock(&lock);
    flyStatus_t status = find(wanted, rt, &note);
    pthread_mutex_unlock(&lock);
    if (status == FLY_STATUS_SUCCESS)
        return status;
    if (wanted)
        snprintf(message, bytes, "FLY_RUNTIME = %s: %s", wanted, looked);
    else if (status == FLY_STATUS_NO_DEVICE)
        snprintf(message, bytes, "no GPU: %s. FLY_RUNTIME=sim runs on the simulator", looked);
    else
        snprintf(message, bytes,
                 "no GPU runtime: %s. Install AMD's HIP runtime (libamdhip64) or NVIDIA's driver "
                 "(libcuda.so.1), "
                 "or set FLY_RUNTIME=sim for the simulator",
                 looked);
    return status;
}
