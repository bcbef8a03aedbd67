/* SPDX-License-Identifier: MIT */
/* flySoftmax against its reference. */
#include "rowwise.h"

ROWWISE_TESTS(softmax)
