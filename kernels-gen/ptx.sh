#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the kernels of NVIDIA's targets to PTX, one file a kernel, since the driver compiles a file when
# it is first used.
#
#     ptx.sh FLYGEN FOLDER "ARCH=FLAGS ..." COMPILER FLAGS...
set -eu
flygen=$1 folder=$2 archs=$3
shift 3

work=$folder.work
rm -rf "$folder" "$work"
mkdir -p "$folder" "$work"
trap 'rm -rf "$work"' EXIT

for arch in $archs; do
    name=${arch%%=*}
    for kernel in $("$flygen" list "$name"); do
        printf '%s %s\n' "$kernel" "${arch#*=}"
    done
done >"$work/list"

# Each line: a kernel, then the flags of its arch with commas between them.
export flygen folder work
xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 sh -c '
    compiler=$1; shift
    while [ "$1" != -- ]; do set -- "$@" "$1"; shift; done
    shift
    kernel=$1 own=$2; shift 2
    "$flygen" emit "$kernel" >"$work/$kernel.hip"
    "$compiler" "$@" $(printf %s "$own" | tr , " ") -o "$folder/$kernel.ptx" "$work/$kernel.hip"
' sh "$@" -- <"$work/list"
touch "$folder"
