#!/bin/sh
# SPDX-License-Identifier: MIT
# Holds the modelled times of GEMM to the project's figures, from a slice of the grid where the
# matrix units are the bound and from all of it where memory is. Lines of the suite are
# `problem bound limit`; see gemm.txt.
# usage: test_waves.sh FLY_BENCH SUITE ARCH...
set -eu
bench=$1 suite=$2
shift 2
failed=0
for arch in "$@"; do
    case $arch in gfx942) fp8=e4m3z ;; *) fp8=e4m3 ;; esac
    while read -r problem bound limit; do
        case $problem in '#'* | '') continue ;; esac
        problem=$(printf '%s' "$problem" | sed "s/:fp8/:$fp8/")
        case $bound in matrix) waves=32 ;; *) waves=1000000 ;; esac
        "$bench" --on "sim:$arch" --json --waves "$waves" "$problem" | awk '
            function from(text, key) {
                if (!match(text, "\"" key "\":[0-9.e+-]+"))
                    return "?"
                return substr(text, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
            }
            function number(key) { return from($0, key) }
            {
                bad = number("spills") != 0 || number("lds_conflict_cycles") != 0
                bad = bad || index($0, "\"modelled_bound\":\"" bound "\"") == 0
                if (bound == "matrix") {
                    n = split("HBM L2 L1 LDS VALU issue", unit, " ")
                    units = substr($0, index($0, "\"modelled_units_us\""))
                    for (i = 1; i <= n; i++)
                        if (from(units, unit[i]) > most)
                            most = from(units, unit[i])
                    share = most / from(units, "matrix")
                    bad = bad || number("simulated_workgroups") >= number("workgroups")
                } else {
                    share = number("unique_bytes") / number("ideal_bytes")
                    bad = bad || number("simulated_workgroups") != number("workgroups")
                }
                bad = bad || share > limit
                printf "%-4s %s: modelled %.1f us, bound %s, %.3f (limit %s)\n",
                    bad ? "FAIL" : "ok", problem, number("modelled_us"), bound, share, limit
                if (bad)
                    print
                exit bad
            }
            END { if (NR == 0) exit 1 }' bound="$bound" limit="$limit" problem="$arch $problem" ||
            failed=1
    done <"$suite"
done
exit $failed
