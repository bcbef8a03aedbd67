/* SPDX-License-Identifier: MIT */
/* The books of the fake HIP runtime, which the test finds by dlsym. */
#ifndef TESTS_UNIT_FAKE_HIP_H
#define TESTS_UNIT_FAKE_HIP_H

#include <stdbool.h>
#include <stddef.h>

extern struct fake_hip {
    int modules, launches;
    int launch_device;
    bool capturing; /* some stream of the process is */
    unsigned grid[3], block[3];
    size_t kernarg_bytes;
    unsigned char kernargs[512];
    char function[128];
} fake_hip;

#endif
