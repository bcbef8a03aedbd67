#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the kernels of NVIDIA's targets to PTX, one file a kernel, since the driver compiles a file
# when it is first used; and to a cubin beside it when there is a ptxas.
#
#     ptx.sh FLYGEN FOLDER PTXAS "ARCH=FLAGS ..." COMPILER FLAGS...
#
# PTXAS may be empty. ARCH is a name of lib/arch.inc, its FLAGS have commas between them.
set -eu
flygen=$1 folder=$2 ptxas=$3 archs=$4
shift 4

work=$folder.work
rm -rf "$folder" "$work"
mkdir -p "$folder" "$work"
trap 'rm -rf "$work"' EXIT

for arch in $archs; do
    name=${arch%%=*}
    "$flygen" emit-all "$work" "$name"
    for kernel in $("$flygen" list "$name"); do
        printf '%s %s %s\n' "$kernel" "sm_${name#sm}" "${arch#*=}"
    done
done >"$work/list"

# Each line: a kernel, its arch as ptxas spells it, and the flags of the arch.
export folder work ptxas
xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 sh -euc '
    compiler=$1; shift
    while [ "$1" != -- ]; do set -- "$@" "$1"; shift; done
    shift
    kernel=$1 arch=$2 own=$3; shift 3
    "$compiler" "$@" $(printf %s "$own" | tr , " ") -o "$folder/$kernel.ptx" "$work/$kernel.hip"
    [ -z "$ptxas" ] || "$ptxas" -arch="$arch" -o "$folder/$kernel.cubin" "$folder/$kernel.ptx"
' sh "$@" -- <"$work/list"
touch "$folder"
