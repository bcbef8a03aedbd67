/* SPDX-License-Identifier: MIT */
/* MD5 (RFC 1321): the check sum of compressed offload bundles. Not for anything that needs a
 * secret. */
#ifndef FLY_CORE_MD5_H
#define FLY_CORE_MD5_H

#include <stddef.h>
#include <stdint.h>

void fly_md5(const void *data, size_t bytes, uint8_t digest[16]);

#endif
