#!/bin/sh
# SPDX-License-Identifier: MIT
# What the library exports is the agreed list, with its version; it needs no GPU runtime; nothing runs
# when it is loaded. usage: symbols.sh LIBRARY ABI.TXT
set -eu
lib=$1 agreed=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

readelf -W --dyn-syms "$lib" | awk '$7 != "UND" && $7 != "ABS" && $4 != "SECTION" && NR > 3 && $8 != "" {
    split($8, name, "@"); version = name[length(name)]; print version, name[1] }' | sort >"$work/found"
sort "$agreed" >"$work/agreed"
diff -u "$work/agreed" "$work/found" || { echo "the exported symbols differ from $agreed"; exit 1; }

readelf -d "$lib" | grep -q 'SONAME.*\[libfly\.so\.0\]' || { echo "the soname is not libfly.so.0"; exit 1; }
if readelf -d "$lib" | grep NEEDED | grep -Ei 'hip|hsa|cuda|stdc'; then
    echo "it links a GPU runtime or C++"
    exit 1
fi
readelf -n "$lib" | grep -q 'FDO' || { echo "it has no .note.dlopen"; exit 1; }
# One entry is the C compiler's own start-up code (frame_dummy).
bytes=$(readelf -SW "$lib" | awk '{ for (i = 1; i < NF; i++) if ($i == ".init_array") print $(i + 4) }')
[ $((0x${bytes:-0})) -le 8 ] || { echo "it has static initialisers"; exit 1; }
