#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: unimplemented.sh FLY-SIM DOCUMENT TARGET...
# Every mnemonic that does not run on a target is named in the document, in backquotes; `name_*` stands for
# all that begin so.
set -eu
sim=$1 doc=$2
shift 2
for target; do
    "$sim" cover "$target" | awk '$2 == "-" { print $1 }'
done | sort -u | awk -v doc="$doc" '
    BEGIN {
        while ((getline line < doc) > 0)
            while (match(line, /`[^`]*`/)) {
                name = substr(line, RSTART + 1, RLENGTH - 2)
                if (name ~ /^[a-z0-9_]+[*]$/)
                    prefix[substr(name, 1, length(name) - 1)]
                else
                    named[name]
                line = substr(line, RSTART + RLENGTH)
            }
    }
    {
        known = $1 in named
        for (p in prefix)
            known = known || index($1, p) == 1
        if (!known) {
            print $1 " does not run and " doc " does not say so"
            bad = 1
        }
    }
    END { exit bad }'
