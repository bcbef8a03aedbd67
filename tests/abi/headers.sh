#!/bin/sh
# SPDX-License-Identifier: MIT
# Each public header compiles alone, as C99 and as C++, with every warning. usage: headers.sh INCLUDE
set -eu
include=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
warn='-Wall -Wextra -pedantic-errors -Wpadded -Werror -I'"$include"
for header in "$include"/fly/*.h; do
    name=fly/${header##*/}
    printf '#include <%s>\n#include <%s>\nint main(void) { flyPlan_t p = FLY_ARGS_INIT(p); return p.size == 0; }\n' \
        "$name" "$name" >"$work/one.c"
    [ "$name" != fly/version.h ] || printf '#include <%s>\nint main(void) { return 0; }\n' "$name" >"$work/one.c"
    cp "$work/one.c" "$work/one.cc"
    cc -std=c99 $warn -Wstrict-prototypes -fsyntax-only "$work/one.c" || { echo "$name as C99"; exit 1; }
    cc -std=c11 $warn -fsyntax-only "$work/one.c" || { echo "$name as C11"; exit 1; }
    if command -v c++ >/dev/null; then
        c++ -std=c++98 -Wno-long-long $warn -fsyntax-only "$work/one.cc" || { echo "$name as C++98"; exit 1; }
        c++ -std=c++17 $warn -fsyntax-only "$work/one.cc" || { echo "$name as C++17"; exit 1; }
    fi
done
