/* SPDX-License-Identifier: MIT */
/* flySoftmaxBackward against its reference. */
#include "rowwise.h"

ROWWISE_TESTS(softmaxbwd)
