/* SPDX-License-Identifier: MIT */
/* A runtime that fails on demand, and counts what it gave out. */
#ifndef TESTS_UNIT_FAULT_H
#define TESTS_UNIT_FAULT_H

#include "runtime/runtime.h"

/* Functions that can be told to fail. */
enum fault_point {
    FAULT_NONE,
    FAULT_DEVICE_COUNT,
    FAULT_DEVICE_CURRENT,
    FAULT_DEVICE_INFO,
    FAULT_DEVICE_ENTER,
    FAULT_DEVICE_LEAVE,
    FAULT_DEVICE_RELEASE,
    FAULT_STREAM_CAPTURING,
    FAULT_MODULE_LOAD,
    FAULT_MODULE_UNLOAD,
    FAULT_MODULE_FUNCTION,
    FAULT_FUNCTION_REGISTERS,
    FAULT_LAUNCH,
    FAULT_COUNT
};

enum { FAULT_LAUNCHES = 64 };

struct fault_launch {
    uint32_t grid[3];
    unsigned char kernargs[256];
};

extern struct fault_state {
    enum fault_point point; /* which function fails */
    int after;              /* after that many good calls */
    int code;               /* with this code */
    bool capturing;         /* what stream_capturing answers */
    int devices;            /* what device_count answers */
    int current;            /* this thread's device, as the fake runtime sees it */
    int modules;            /* loaded and not unloaded */
    int entered;            /* entered and not left */
    int launches;
    int loads;
    struct fault_launch launch[FAULT_LAUNCHES]; /* the first ones */
} fault;

/* The null runtime as device "gfx942" with faults; fault is reset. */
struct fly_runtime *fault_runtime(void);
struct fly_runtime *fault_runtime_of(const char *arch);

#endif
