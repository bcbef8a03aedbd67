#!/bin/sh
# SPDX-License-Identifier: MIT
# A line that FLY_LOG=bench prints, pasted into a shell, runs the same problem again.
# usage: test_replay.sh FLY_BENCH PROGRAM
set -eu
bench=$1 program=$2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
FLY_LOG=bench FLY_LOG_FILE=$log "$program" >/dev/null
grep '^fly-bench ' "$log"
line=$(grep -m1 '^fly-bench ' "$log")
eval "set -- $line"
shift
"$bench" --on sim:gfx942 --json "$@" | grep "\"problem\":\"$1\".*\"outcome\":\"PASS\""
