#!/bin/sh
# SPDX-License-Identifier: MIT
# The archs that get their kernels from another one's assembly: flygen must write the same text for both but for
# names, and compiling that for the arch itself must give the instructions and descriptors that were assembled.
#
#     twins.sh FLYGEN KERNELS-GEN-BUILD-FOLDER "TO=FROM ..." "MODULE ..." "FLAGS OF ROWS OF F32" COMPILER FLAGS...
set -eu
flygen=$1 build=$2 twins=$3 modules=$4 of_f32=$5
shift 5
objcopy=
for c in llvm-objcopy-22 llvm-objcopy-23 llvm-objcopy-24 llvm-objcopy; do
    if command -v "$c" >/dev/null 2>&1; then objcopy=$c; break; fi
done
[ -n "$objcopy" ] || { echo "no llvm-objcopy"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compiled=0
for pair in $twins; do
    to=${pair%=*} from=${pair#*=}
    word=$(printf %s "$to" | tr -d -)
    for module in $modules; do
        object=$build/${module}_$to.co
        [ -e "$object" ] || continue
        # One with a source of its own is compiled from that.
        [ "$to" = "$from" ] || [ ! -e "$build/${module}_$to.hip" ] || continue
        "$flygen" emit-module "$module" "$to" >"$work/to.hip"
        "$flygen" emit-module "$module" "$from" |
            sed -e "s/_${from}_/_${word}_/g" -e "1s/$from/$to/" | cmp - "$work/to.hip"
        # Compiling takes longest; one module of each kind of arithmetic shows it.
        case $module in vecadd_f16 | quant_bf16_i8 | quant_f32_e4m3 | softmax_f32) ;; *) continue ;; esac
        case $module in *_f32*) own=$of_f32 ;; *) own= ;; esac
        "$@" $own "--offload-arch=$to" -o "$work/own.co" "$work/to.hip"
        for section in .text .rodata .note; do
            "$objcopy" --dump-section "$section=$work/a" "$object" "$work/copy"
            "$objcopy" --dump-section "$section=$work/b" "$work/own.co" "$work/copy"
            cmp "$work/a" "$work/b"
        done
        compiled=$((compiled + 1))
    done
done
echo "$compiled modules are the same when compiled"
[ "$compiled" -gt 0 ] || exit 77
