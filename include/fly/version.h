/* SPDX-License-Identifier: MIT */
/* Version of the headers. meson.build reads these lines; flyVersion() gives the library's. */
#ifndef FLY_VERSION_H
#define FLY_VERSION_H

#define FLY_VERSION_MAJOR 0
#define FLY_VERSION_MINOR 1
#define FLY_VERSION_PATCH 0

#endif
