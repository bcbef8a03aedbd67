#!/bin/sh
# SPDX-License-Identifier: MIT
# The mnemonics of opcode tables as SIM_TOKEN rows, each once: optokens.sh TABLE...
sed -n 's/^OP([^,]*,[^,]*, *\([a-z0-9_]*\),.*/SIM_TOKEN(\1)/p' "$@" | LC_ALL=C sort -u
echo '#undef SIM_TOKEN'
