/* SPDX-License-Identifier: MIT */
/* Offload bundles, plain and compressed, and every code object found in one. */
#include "core/fatbin.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct fly_fatbin f;
    char message[600];
    if (fly_fatbin_open(data, bytes, &f, message, sizeof message) != FLY_STATUS_SUCCESS)
        return 0;
    fly_fatbin_find(&f, "gfx942");
    fly_fatbin_find(&f, "gfx12-generic");
    for (unsigned i = 0; i < f.nentries; i++)
        fly_code_object_check(f.entry[i].data, f.entry[i].bytes, "fly_registry_0", message, sizeof message);
    fly_fatbin_close(&f);
    return 0;
}
