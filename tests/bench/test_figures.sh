#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds fly-bench's counts to the project's figures: no spills, no LDS conflicts, bytes moved
# against the ideal, errors within the bound. Each line of a suite is `problem limit [limit]`, limit being that of (read + written) / ideal,
# the second one that of targets with waves of 32.
# usage: test_figures.sh FLY_BENCH SUITE ARCH...
set -eu
bench=$1 suite=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
sed 's/#.*//; /^ *$/d' "$suite" >"$dir/lines"
cut -d' ' -f1 "$dir/lines" >"$dir/problems"
for arch in "$@"; do
    if ! "$bench" --on "sim:$arch" --json --suite "$dir/problems" >"$dir/out"; then
        cat "$dir/out"
        exit 1
    fi
    paste -d' ' "$dir/lines" "$dir/out" | awk '
        function number(key) {
            if (!match($0, "\"" key "\":[0-9.e+-]+"))
                return "?"
            return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
        }
        {
            limit = arch ~ /^gfx1/ && $3 ~ /^[0-9.]+$/ ? $3 : $2
            ratio = number("bytes_ratio"); error = number("max_error"); spills = number("spills")
            conflicts = number("lds_conflict_cycles")
            bad = ratio == "?" || ratio > limit || error == "?" || error > 1 || spills != 0
            bad = bad || conflicts != 0
            printf "%-4s %s %s: bytes %.4f (limit %s), error %.3f of the bound, ",
                bad ? "FAIL" : "ok", arch, $1, ratio, limit, error
            printf "%s spills, %s LDS conflict cycles\n", spills, conflicts
            failed += bad
        }
        END { exit failed > 0 || NR == 0 }' arch="$arch"
done
