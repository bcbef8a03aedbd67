/* SPDX-License-Identifier: MIT */
/*
 * A GPU runtime as a table of functions. hip.c fills one for libamdhip64 and for the simulator,
 * cuda.c one for libcuda, null.c one that does nothing (dispatch benchmark, unit tests). Nothing
 * above lib/runtime knows which one it talks to. The library itself allocates nothing on a device:
 * memory, events and graphs are here for fly-bench, fly-tune and the tests.
 */
#ifndef FLY_RUNTIME_RUNTIME_H
#define FLY_RUNTIME_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fly/types.h>

/* What fly_runtime.module_load takes. */
enum fly_image {
    FLY_IMAGE_CODE_OBJECT, /* one ELF a module, out of <group>/<module>.hipfb */
    FLY_IMAGE_PTX,         /* one PTX text or cubin a kernel: nvptx/<kernel>.{cubin,ptx} */
    FLY_IMAGE_NONE         /* nothing: module_load is called with a null image */
};

struct fly_device_info {
    char name[128];        /* marketing name */
    char arch[64];         /* "gfx942:sramecc+:xnack-", "sm_90" */
    uint32_t cus;          /* compute units, multiprocessors */
    uint32_t lds_bytes;    /* LDS a workgroup may have */
    uint32_t clock_khz;    /* 0: unknown */
    uint32_t reserved;
    uint64_t memory_bytes; /* 0: unknown */
};

/* Every function returns 0 or the runtime's own error code; text() and status() explain a code.
 * Except for the device functions, load() and text(), all want the device entered. Streams, events,
 * modules and functions are the runtime's own handles as void *; a null stream is the default
 * stream. */
struct fly_runtime {
    const char *name;      /* "hip", "sim", "cuda", "null" */
    char path[256];        /* the library it came from */
    enum fly_image image;
    bool loads_in_capture; /* module_load and module_function are legal during a stream capture */
    void *api;             /* the implementation's own state */
    void *library;         /* of dlopen, or null */
    struct fly_runtime *next;

    /* Devices. enter makes `device` current for this thread and keeps what was in *saved; leave
     * undoes it. */
    int (*device_count)(struct fly_runtime *rt, int *count);
    int (*device_current)(struct fly_runtime *rt, int *device);
    int (*device_info)(struct fly_runtime *rt, int device, struct fly_device_info *info);
    int (*device_enter)(struct fly_runtime *rt, int device, intptr_t *saved);
    int (*device_leave)(struct fly_runtime *rt, int device, intptr_t saved);
    int (*device_sync)(struct fly_runtime *rt);
    /* The library holds nothing on the device any more; a later enter may take it up again. */
    int (*device_release)(struct fly_runtime *rt, int device);

    /* Kernels. log receives the loader's own text on failure (a JIT's), "" when it has none. */
    int (*module_load)(struct fly_runtime *rt, const void *image, size_t bytes, void **module,
                       char *log, size_t log_bytes);
    int (*module_unload)(struct fly_runtime *rt, void *module);
    int (*module_function)(struct fly_runtime *rt, void *module, const char *name, void **function);
    int (*function_registers)(struct fly_runtime *rt, void *function, uint32_t *registers);
    /* Clusters of so many workgroups that the device runs at a time; null: the runtime knows none. */
    int (*function_clusters)(struct fly_runtime *rt, void *function, uint32_t block, uint32_t cluster,
                             uint32_t *clusters);
    /* cluster: so many neighbouring workgroups run at the same time; 0: as it comes. overlap: the kernel may start
     * while the one before it ends. A runtime without these ignores them. */
    int (*launch)(struct fly_runtime *rt, void *function, const uint32_t grid[3],
                  const uint32_t block[3], uint32_t lds_bytes, void *stream, void *kernargs,
                  size_t kernarg_bytes, uint32_t cluster, bool overlap);

    /* Memory. Copies and fills are synchronous. */
    int (*memory_alloc)(struct fly_runtime *rt, size_t bytes, void **ptr);
    int (*memory_free)(struct fly_runtime *rt, void *ptr);
    int (*memory_to_device)(struct fly_runtime *rt, void *dst, const void *src, size_t bytes);
    int (*memory_to_host)(struct fly_runtime *rt, void *dst, const void *src, size_t bytes);
    int (*memory_copy)(struct fly_runtime *rt, void *dst, const void *src, size_t bytes);
    int (*memory_fill)(struct fly_runtime *rt, void *dst, uint8_t value, size_t bytes);

    /* Streams and events. */
    int (*stream_create)(struct fly_runtime *rt, void **stream);
    int (*stream_destroy)(struct fly_runtime *rt, void *stream);
    int (*stream_sync)(struct fly_runtime *rt, void *stream);
    int (*stream_capturing)(struct fly_runtime *rt, void *stream, bool *capturing);
    int (*event_create)(struct fly_runtime *rt, void **event);
    int (*event_destroy)(struct fly_runtime *rt, void *event);
    int (*event_record)(struct fly_runtime *rt, void *event, void *stream);
    int (*event_sync)(struct fly_runtime *rt, void *event);
    int (*event_elapsed)(struct fly_runtime *rt, void *start, void *stop, float *milliseconds);

    /* Graphs: capture in thread-local mode; end makes it ready to launch. */
    int (*capture_begin)(struct fly_runtime *rt, void *stream);
    int (*capture_end)(struct fly_runtime *rt, void *stream, void **graph);
    int (*graph_launch)(struct fly_runtime *rt, void *graph, void *stream);
    int (*graph_destroy)(struct fly_runtime *rt, void *graph);

    const char *(*text)(struct fly_runtime *rt, int code);   /* the runtime's sentence, static */
    flyStatus_t (*status)(struct fly_runtime *rt, int code); /* RUNTIME_ERROR or a closer one */
    void *(*symbol)(struct fly_runtime *rt, const char *name); /* dlsym in its library, or null */
};

/* Finds a runtime: `wanted` is FLY_RUNTIME's value or null (the order of flyCreate). The result
 * lives as long as the process; the same library is opened once. On failure returns NO_RUNTIME, *rt
 * is null and `message` says what was looked for. Any thread. */
flyStatus_t fly_runtime_find(const char *wanted, struct fly_runtime **rt, char *message,
                             size_t bytes);

/* A runtime whose launch does nothing and whose device is `arch` ("gfx942") with `cus` compute
 * units; memory is host memory. One table for the whole process, set by the last call. */
struct fly_runtime *fly_runtime_null(const char *arch, uint32_t cus);

/* The pieces fly_runtime_find is made of. Each opens one library (`path` as dlopen takes it); null
 * and a sentence in `message` when that fails. */
struct fly_runtime *fly_hip_open(const char *name, const char *path, void *library, char *message,
                                 size_t bytes);
struct fly_runtime *fly_cuda_open(const char *path, void *library, char *message, size_t bytes);

#endif
