#!/bin/sh
# SPDX-License-Identifier: MIT
# Compiles the kernels of NVIDIA's targets to PTX, one file a kernel, since the driver compiles a file
# when it is first used; and to a cubin beside it when there is a ptxas.
#
#     ptx.sh FLYGEN FOLDER PTXAS "ARCH=FLAGS ..." COMPILER FLAGS...
#
# PTXAS may be empty. ARCH is a name of lib/arch.inc, its FLAGS have commas between them. A small kernel takes the
# compiler less time than starting it does, so its first stage, which the driver names, takes many files at once.
set -eu
flygen=$1 folder=$2 ptxas=$3 archs=$4
shift 4

work=$folder.work
rm -rf "$folder" "$work"
mkdir -p "$folder" "$work"
trap 'rm -rf "$work"' EXIT
jobs=$(getconf _NPROCESSORS_ONLN)

for arch in $archs; do
    name=${arch%%=*} own=$(printf %s "${arch#*=}" | tr , ' ')
    "$flygen" emit-all "$work" "$name"
    "$flygen" list "$name" >"$work/list"
    # The first stage's command without its input, output and their names.
    "$@" $own '-###' -o "$work/x.ptx" "$work/$(head -n 1 "$work/list").hip" 2>&1 |
        sed -n -e '/^ *"[^"]*" "-cc1" /!d' -e 's/ "-main-file-name" "[^"]*"//' -e 's/ "-cuid=[^"]*"//' \
            -e 's/ "-o" "[^"]*" "-x" "cuda" "[^"]*"$/ -x cuda/p' >"$work/stage"
    if [ "$(grep -c . "$work/stage")" = 1 ]; then
        sed "s|.*|$work/&.hip|" "$work/list" |
            xargs -P "$jobs" -n 24 sh -euc "exec $(cat "$work/stage")"' "$@"' sh
        while read -r kernel; do mv "$work/$kernel.s" "$folder/$kernel.ptx"; done <"$work/list"
    else
        xargs -P "$jobs" -I{} "$@" $own -o "$folder/{}.ptx" "$work/{}.hip" <"$work/list"
    fi
    [ -z "$ptxas" ] ||
        xargs -P "$jobs" -I{} "$ptxas" "-arch=sm_${name#sm}" -o "$folder/{}.cubin" "$folder/{}.ptx" <"$work/list"
done
touch "$folder"
