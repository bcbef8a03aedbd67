#!/bin/sh
# SPDX-License-Identifier: MIT
# clang-offload-bundler must list what the fat binaries hold, and take those of the norms of one type, a group's
# largest, apart into the code objects that went in.
#
#     bundler.sh KERNELS-GEN-BUILD-FOLDER
set -u
build=$1
bundler=
for c in clang-offload-bundler-22 clang-offload-bundler-23 clang-offload-bundler; do
    if command -v "$c" >/dev/null 2>&1; then bundler=$c; break; fi
done
[ -n "$bundler" ] || { echo "no clang-offload-bundler"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

files=0
for file in "$build"/out/gfx*/*.hipfb; do
    [ -e "$file" ] || { echo "no fat binaries were built"; exit 77; }
    module=$(basename "$file" .hipfb)
    "$bundler" --list --type=o --input="$file" >"$work/list" || exit 1
    grep -q '^host-x86_64-unknown-linux-gnu-$' "$work/list" || { echo "$file: no host entry"; exit 1; }
    grep -q '^hipv4-' "$work/list" || { echo "$file: no code object"; exit 1; }
    case $module in norm_f32 | norm_f16 | norm_bf16) ;; *) continue ;; esac
    for id in $(grep '^hipv4-' "$work/list"); do
        arch=${id#hipv4-amdgcn-amd-amdhsa--}
        "$bundler" --unbundle --type=o --input="$file" --targets="$id" --output="$work/object" || exit 1
        cmp "$work/object" "$build/${module}_$arch.co" || exit 1
        files=$((files + 1))
    done
done
echo "$files code objects"
