/* SPDX-License-Identifier: MIT */
/* How undefined bytes go through instructions that compute: see flow.c. */
#ifndef SIM_FLOW_H
#define SIM_FLOW_H

#include "state.h"

/* Undefined lanes of the result, by word and byte; of words from 2 on as of `rest`. */
struct sim_undefined { u64 w[2][4], rest; };

/* What instruction in would write, given what is undefined in its sources now. */
void sim_flow(struct sim_wave *w, const struct insn *in, struct sim_undefined *out);

/* Undefined lanes of word j of source k (o[1 + k]), bytes ORed. DPP is applied. */
u64 sim_flow_source(struct sim_wave *w, const struct insn *in, int k, unsigned j, unsigned bytes);

/* The same for ds_permute, ds_bpermute and ds_swizzle: undefined lanes of the result by byte. */
void sim_flow_exchange(struct sim_wave *w, const struct insn *in, u64 out[4]);

/* Chosen at decode: op is the token's meaning (enum sim_op). */
void sim_flow_lower(struct insn *in, unsigned op, const u8 *source_types, bool packed);

#endif
