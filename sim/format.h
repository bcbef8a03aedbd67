/* SPDX-License-Identifier: MIT */
/*
 * Data formats of buffers: how format.c converts between memory and registers for the buffer and
 * typed-buffer accesses with "format" in their names.
 */
#ifndef SIM_FORMAT_H
#define SIM_FORMAT_H

#include "state.h"

struct sim_data_format {
    u8 bits[4];   /* of each component, the lowest first; 0 from the first that is not there on */
    u8 bytes;     /* of an element */
    u8 number;    /* enum sim_number */
    u8 select[4]; /* of results x to w: 0, 1 or 4 + component */
};

enum sim_number {
    SIM_UNORM, SIM_SNORM, SIM_USCALED, SIM_SSCALED, SIM_UINT, SIM_SINT, SIM_OTHER_NUMBER, SIM_FLOAT
};

/* The format of a buffer access: its own (typed), or that of the last word of the resource. False after a
 * report: there is no such format. */
bool sim_format_of(struct sim_wave *w, const struct insn *in, bool typed, u32 resource, struct sim_data_format *f);

/* Elements at ad[] to or from n components a lane. half: 1, in 16 bits, two a register; 2, one in the high half.
 * Lanes outside ok are beyond the buffer: they read 0 and are not written. False after a report. */
bool sim_format_load(struct sim_wave *w, const struct insn *in, const struct sim_data_format *f, const u64 *ad, u64 ok,
                     unsigned n, int half, int width);
bool sim_format_store(struct sim_wave *w, const struct insn *in, const struct sim_data_format *f, const u64 *ad, u64 ok,
                      unsigned n, int half, int width);

#endif
