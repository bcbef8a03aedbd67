/* SPDX-License-Identifier: MIT */
/* The simulator's reader of offload bundles, plain and compressed. */
#include "fuzz.h"

#include "bundle.h"
#include "codeobj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct sim_bundle b;
    char err[200];

    if (!sim_bundle_open(data, bytes, &b, err, sizeof err))
        return 0;
    for (size_t f = 0; f < sim_family_count; f++)
        sim_bundle_pick(&b, &sim_families[f]);
    for (unsigned i = 0; i < b.nimages && i < 8; i++)
        sim_codeobj_close(sim_codeobj_open(b.images[i].data, b.images[i].size, err, sizeof err));
    sim_bundle_close(&b);
    return 0;
}
