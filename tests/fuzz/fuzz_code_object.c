/* SPDX-License-Identifier: MIT */
/* Code objects, and PTX and cubins, as the loader checks them. */
#include "core/fatbin.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char message[600];
    fly_code_object_check(data, bytes, NULL, message, sizeof message);
    fly_code_object_check(data, bytes, "fly_registry_0", message, sizeof message);
    fly_ptx_check(data, bytes, "fly_registry_0", message, sizeof message);
    return 0;
}
