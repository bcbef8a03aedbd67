/* SPDX-License-Identifier: MIT */
/* flyRmsNorm against its reference. */
#include "rowwise.h"

ROWWISE_TESTS(rmsnorm)
