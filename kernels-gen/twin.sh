#!/bin/sh
# SPDX-License-Identifier: MIT
# Assembles what was compiled for FROM as code of its twin TO: the same instructions under other names.
# tests/gen/twins.sh holds that compiling for TO gives the same.
#
#     twin.sh FROM TO ASSEMBLY OBJECT COMPILER FLAGS...
set -eu
from=$1 to=$2 assembly=$3 object=$4
shift 4
trap 'rm -f "$object.s"' EXIT
# The target's id has the name as it is, kernels have it without its dash.
sed -e "s/amdgcn-amd-amdhsa--$from/amdgcn-amd-amdhsa--$to/" -e "s/_${from}_/_$(printf %s "$to" | tr -d -)_/g" \
    -e '/\.amdhsa_code_object_version/d' "$assembly" >"$object.s"
"$@" -o "$object" "$object.s"
