#!/bin/sh
# SPDX-License-Identifier: MIT
# fly-info works without a GPU, its JSON is whole, and what it extracts is a code object.
# usage: fly_info.sh FLY_INFO (FLY_KERNEL_PATH set)
set -eu
info=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$info" | grep -q '^libfly [0-9]'
"$info" ops | grep -q '^layernorm (flyLayerNorm)'
"$info" variants layernorm gfx942 | grep -q '^layernorm_bf16_gfx942_' || echo "no gfx942 variants in this build"
"$info" --json >"$work/json"
if command -v python3 >/dev/null; then
    python3 - "$work/json" <<'END'
import json, sys
info = json.load(open(sys.argv[1]))
for op in info["ops"]:
    assert op["kernargs"] and op["fields"] and op["modules"], op["name"]
    for v in op["variants"]:
        assert v["block"][0] > 0 and v["kernarg_bytes"] > 0 and "lds" in v and "constraints" in v, v
END
fi
if "$info" extract nosuchmodule gfx942 "$work/x" 2>"$work/err"; then exit 1; fi
grep -q nosuchmodule "$work/err"
if "$info" extract norm_bf16 gfx000 "$work/x" 2>"$work/err"; then exit 1; fi
if [ -r "$FLY_KERNEL_PATH/gfx9/norm_bf16.hipfb" ]; then
    "$info" extract norm_bf16 gfx950 "$work/x"
    [ "$(head -c 4 "$work/x" | tail -c 3)" = ELF ]
fi
if "$info" nonsense 2>/dev/null; then exit 1; fi
