#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the build into an empty folder, compiles the first example against it with what
# pkg-config says, and runs it: kernels and simulator must be found next to the library, with no variable set.
# usage: test_install.sh BUILD SOURCE
set -eu
build=$1 source=$2
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

DESTDIR=$stage meson install -C "$build" --no-rebuild --quiet
pc=$(find "$stage" -name libfly.pc)
[ -n "$pc" ] || { echo "no libfly.pc was installed"; exit 1; }
PKG_CONFIG_SYSROOT_DIR=$stage
PKG_CONFIG_LIBDIR=$(dirname "$pc")
export PKG_CONFIG_SYSROOT_DIR PKG_CONFIG_LIBDIR
libdir=$stage$(PKG_CONFIG_SYSROOT_DIR='' pkg-config --variable=libdir libfly)

cc -std=c99 -Wall -Werror -O1 $(pkg-config --cflags libfly) \
    "$source/examples/01_layernorm.c" "$source/examples/gpu.c" -o "$stage/first" \
    $(pkg-config --libs libfly) -lm -ldl

unset FLY_KERNEL_PATH FLY_RUNTIME FLYSIM_DEVICES
LD_LIBRARY_PATH=$libdir "$stage/first" | tee "$stage/out"
grep -q PASS "$stage/out"
! grep -q FAIL "$stage/out"
