/* SPDX-License-Identifier: MIT */
/* The handle: a device, a stream, the kernels loaded for it and the last error. */
#ifndef FLY_HANDLE_H
#define FLY_HANDLE_H

#include <fly/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread at a time may use a handle; different handles run in parallel. A call may come from
 * any thread, and every call leaves the thread's current device as it was. */
typedef struct flyHandle *flyHandle_t;

/* Finds a runtime and binds to its current device. Looks for, in this order: what FLY_RUNTIME names
 * (hip, cuda, sim, or a path), a HIP already loaded in the process, libamdhip64.so.{7,6,5},
 * libcuda.so.1. NO_RUNTIME, NO_DEVICE, OUT_OF_MEMORY or INVALID_VALUE (handle is null); the
 * sentence is flyErrorMessage(NULL). On failure *handle is null. */
FLY_API flyStatus_t flyCreate(flyHandle_t *handle);

/* As flyCreate, bound to device number `device` of the runtime (0 <= device < count). */
FLY_API flyStatus_t flyCreateOnDevice(flyHandle_t *handle, int device);

/* Unloads the handle's kernels. Launched work must have finished. Null is INVALID_HANDLE. */
FLY_API flyStatus_t flyDestroy(flyHandle_t handle);

/* Later calls launch on `stream`: a hipStream_t or CUstream of the handle's device; null is the
 * default stream. */
FLY_API flyStatus_t flySetStream(flyHandle_t handle, void *stream);
FLY_API flyStatus_t flyGetStream(flyHandle_t handle, void **stream);

/* Whether later calls may start while the kernel before them on the stream is still ending (on:
 * not 0). They touch memory only after it has finished, so results do not change; what is saved
 * is a part of the start of each kernel, which shows in kernels of two or three microseconds;
 * some larger ones become slower. Behind kernels of more than 512 workgroups, but for the
 * gradients of norms and long rows that share several, nothing starts early. Off at first, but
 * for the second kernel of a call, which always does. CUDA devices of compute capability 9.0 do
 * this (programmatic dependent launch); on others it changes nothing. INVALID_HANDLE is the only
 * failure. */
FLY_API flyStatus_t flySetOverlap(flyHandle_t handle, int on);

/* Name of the handle's target as in docs ("gfx942", "sm90a"); lives as long as the library.
 * Null handle: NULL. */
FLY_API const char *flyArchName(flyHandle_t handle);

/* The sentence for the handle's last failure: operation, field, value and rule. Empty when the last
 * call succeeded. With null: this thread's last failure that had no handle to keep it (flyCreate,
 * flyDestroy, a call whose handle was null). Valid until the next call on the handle, or of the
 * thread. */
FLY_API const char *flyErrorMessage(flyHandle_t handle);

/* "FLY_STATUS_NOT_SUPPORTED" and the like; "unknown status" for a value that is none. */
FLY_API const char *flyStatusName(flyStatus_t status);

/* Version of the library: major * 10000 + minor * 100 + patch. */
FLY_API int flyVersion(void);

#ifdef __cplusplus
}
#endif
#endif
