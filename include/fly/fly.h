/* SPDX-License-Identifier: MIT */
/* libfly: prebuilt GPU kernels behind a C ABI. This header includes the rest. */
#ifndef FLY_FLY_H
#define FLY_FLY_H

#include <fly/version.h>
#include <fly/types.h>
#include <fly/handle.h>
#include <fly/layernorm.h>
#include <fly/rmsnorm.h>
#include <fly/layernormbwd.h>
#include <fly/rmsnormbwd.h>
#include <fly/softmax.h>
#include <fly/softmaxbwd.h>
#include <fly/quant.h>
#include <fly/vecadd.h>
#include <fly/gemm.h>
#include <fly/preshuffle.h>

#endif
