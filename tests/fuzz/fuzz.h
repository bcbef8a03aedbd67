/* SPDX-License-Identifier: MIT */
/* A fuzz target: libFuzzer calls it with made-up inputs (./dev fuzz), replay.c with those of the corpus. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#endif
