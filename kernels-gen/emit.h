/* SPDX-License-Identifier: MIT */
/* Whole translation units and the registry, written from records. */
#ifndef KG_EMIT_H
#define KG_EMIT_H

#include "spec.h"

/* The kernel of one record, with the words it uses; false and a message to stderr if it is not
 * legal. */
bool kg_emit_kernel(struct kg_buf *out, const struct kg_spec *s);

/* All kernels of a module for one arch, and the symbol with the module's fingerprint. */
bool kg_emit_module(struct kg_buf *out, const char *module, const struct kg_arch *a);

/* The registry file of an op; its form is told at its head. */
bool kg_emit_registry(struct kg_buf *out, const struct kg_op *op);

#endif
