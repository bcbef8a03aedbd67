/* SPDX-License-Identifier: MIT */
/* The instruction decoder and its text: the first byte picks the target, the rest is machine
 * code. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    const struct sim_family *f;
    struct sim_insn i;
    char text[512];

    if (bytes == 0)
        return 0;
    f = &sim_families[data[0] % sim_family_count];
    for (size_t at = 1; at < bytes; at += i.size) {
        unsigned wave = f->flags & SIM_HAS_WAVE64 && data[0] & 0x80 ? 64 : f->wave;
        bool ok = sim_decode_wave(f, wave, data + at, bytes - at, at, &i);

        if (ok != (i.op != NULL) || i.size == 0 || i.size > bytes - at)
            abort();
        for (unsigned k = 0; k < i.noperands; k++)
            if ((i.o[k].file == SIM_FILE_V || i.o[k].file == SIM_FILE_A) &&
                i.o[k].reg + i.o[k].words > 256)
                abort();
        if (sim_print(f, &i, 0xe4, text, sizeof text) >= (int)sizeof text)
            abort();
    }
    return 0;
}
