/* SPDX-License-Identifier: MIT */
/* The simulator's reader of code objects, and the instructions of what it accepts. */
#include "fuzz.h"

#include "codeobj.h"
#include "decode/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char err[200], text[512];
    struct sim_codeobj *o = sim_codeobj_open(data, bytes, err, sizeof err);

    if (!o)
        return 0;
    for (unsigned k = 0; k < o->nkernels; k++) {
        const struct sim_kernel *kernel = &o->kernels[k];
        uint64_t n = kernel->code_end - kernel->entry, at = 0;
        const uint8_t *code = sim_codeobj_bytes(o, kernel->entry, n);
        struct sim_insn i;

        for (n = n < 256 ? n : 256; code && at < n; at += i.size) {
            sim_decode_wave(o->family, kernel->wave, code + at, n - at, kernel->entry + at, &i);
            sim_print(o->family, &i, 0, text, sizeof text);
        }
        sim_codeobj_kernel(o, kernel->name);
    }
    sim_codeobj_close(o);
    return 0;
}
