#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/build, with a cmake that only pretends:  build.sh PROJECT_FOLDER
set -euo pipefail
project=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/scripts"
cp "$project/scripts/build" "$work/scripts"
printf '#!/bin/bash\necho "-- a part is left out"\necho "cmake $*"\n[[ $* != *fails* ]]\n' >"$work/bin/cmake"
chmod +x "$work/bin/cmake"
PATH=$work/bin:$PATH

fail() {
    printf 'build.sh: %s\n' "$@" >&2
    exit 1
}
expect() { # status, a phrase, arguments...
    local status=0
    "$work/scripts/build" "${@:3}" >"$work/said" 2>&1 || status=$?
    [[ $status == "$1" ]] || fail "scripts/build ${*:3} ends with $status"
    grep -qF -- "$2" "$work/said" || fail "it doesn't say \"$2\", but" "$(<"$work/said")"
}

expect 2 "usage: scripts/build PRESET"
expect 2 "usage: scripts/build PRESET" -DTOFT_LAB=ON
expect 0 "build: a part is left out" release -DTOFT_LAB=ON
grep -qx "cmake --preset release -DTOFT_LAB=ON" "$work/build/release.log" || fail "options don't reach cmake"
expect 1 "build: fails failed" fails
