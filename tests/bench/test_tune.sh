#!/bin/sh
# SPDX-License-Identifier: MIT
# fly-tune checks and ranks the candidates of a problem, says that the simulator's times are modelled, and stores a
# winner that libfly then takes; what it prints with --csv is a tuning file.
# usage: test_tune.sh FLY_TUNE FLY_BENCH
set -eu
tune=$1 bench=$2 problem=layernorm:bf16:rows=64,cols=1000
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export XDG_CACHE_HOME="$dir/cache"
say() { echo "$*"; }
fail() { echo "FAIL: $*"; cat "$dir/out"; exit 1; }
takes() { "$bench" --on sim:gfx942 --json "$1" >"$dir/bench"; grep -q "\"variant\":\"$2\",\"reason\":\"$3\"" "$dir/bench"; }

"$tune" --on sim:gfx942 --dry-run "$problem" >"$dir/out" || fail "a dry run"
[ ! -e "$XDG_CACHE_HOME" ] || fail "a dry run stored something"
grep -q 'modelled on the simulator' "$dir/out" || fail "it does not say that times are modelled"
[ "$(grep -c 'us modelled$' "$dir/out")" -ge 5 ] || fail "too few candidates"
say "ok: a dry run ranks candidates and stores nothing"

# Other strides and eps than the key has: neither counts.
"$tune" --on sim:gfx942 "$problem,ldx=1008,eps=0.01" >"$dir/out" || fail "storing"
file=$(find "$XDG_CACHE_HOME/fly" -name '*.csv')
grep -q "^\"$problem\"," "$file" || fail "$file holds another key"
winner=$(sed -n 's/^  winner: \([^,]*\),.*/\1/p' "$dir/out")
takes "$problem,ldy=2000" "$winner" tuned || fail "the stored winner is not taken: $(cat "$dir/bench")"
takes layernorm:bf16:rows=80,cols=1000 "$winner" nearest || fail "not taken nearby: $(cat "$dir/bench")"
say "ok: the winner is stored and taken"

"$tune" --on sim:gfx942 --dry-run --quiet --csv layernorm:f32:rows=9,cols=300 "$problem" layernorm:f32:rows=3,cols=300 \
    >"$dir/table.csv" 2>"$dir/out" || fail "--csv"
[ "$(grep -c '^"layernorm' "$dir/table.csv")" = 3 ] || fail "--csv printed $(cat "$dir/table.csv")"
export FLY_TUNING="$dir/table.csv"
takes layernorm:f32:rows=3,cols=300 '[a-z0-9_]*' tuned || fail "the table is not taken: $(cat "$dir/bench")"
say "ok: --csv prints a tuning file"

if "$tune" --on sim:gfx942 --dry-run layernorm:bf16:rows=4 >"$dir/out" 2>&1; then
    fail "a bad problem passes"
fi
say "ok: a bad problem is an error"
