/* SPDX-License-Identifier: MIT */
/* flyQuantPerToken against its reference. */
#include "rowwise.h"

ROWWISE_TESTS(quant)
