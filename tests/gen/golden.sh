#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares emitted kernels with the ones kept in golden/, so that a change of the generator shows in reviews.
#
#     golden.sh FLYGEN [--update]
set -u
flygen=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/golden" || exit 1
work=$(mktemp) || exit 1
trap 'rm -f "$work"' EXIT
status=0
for file in *.hip; do
    name=${file%.hip}
    # The fingerprint changes with any row of the module.
    if ! "$flygen" emit "$name" | sed 's/fly_registry_[0-9a-f]*/fly_registry_FINGERPRINT/' >"$work"; then
        status=1
    elif [ "${2-}" = --update ]; then
        cp "$work" "$file"
    elif ! diff -u "$file" "$work"; then
        echo "$name differs; if that is meant: tests/gen/golden.sh FLYGEN --update" >&2
        status=1
    fi
done
exit $status
