/* SPDX-License-Identifier: MIT */
/* Reader of the metadata note, for codeobj.c. */
#ifndef SIM_METADATA_H
#define SIM_METADATA_H

#include "codeobj.h"

/* Fills in the kernels of o, which are known by name, from the note's n bytes. Null, or what is
 * wrong. */
const char *sim_metadata_read(struct sim_codeobj *o, const uint8_t *p, size_t n);

#endif
