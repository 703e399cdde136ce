#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/test and what gets Go's parts, with commands that only pretend:  go.sh PROJECT_FOLDER
set -euo pipefail
project=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/with a blank" "$work/bin" "$work/project/go"
cp -r "$project/scripts" "$work/project"
cp -r "$project/go/peers" "$project/go/programs" "$work/project/go"
rm -rf "$work/project/go/peers/hyperpb"
cd "$work/project"
export DONE=$work/done

fake() {
    printf '#!/bin/bash\n%s\n' "$2" >"$1"
    chmod +x "$1"
}
fail() {
    printf 'go.sh: %s\n' "$@" >&2
    exit 1
}
says() { grep -qF -- "$1" "$work/said" || fail "it doesn't say \"$1\", but" "$(<"$work/said")"; }

# A Go in a path with a blank, without a network.
fake "$work/with a blank/go" '
[[ $1 == env ]] && echo go1.99.0 && exit
printf "{\n\t\"Path\": \"a/module\",\n\t\"Error\": \"no network is here\"\n}\n"
exit 1'
PATH="$work/with a blank:$PATH"
[[ $(scripts/setup-go --look) == "$work/with a blank/go" ]] || fail "setup-go doesn't find a path with a blank"
if scripts/setup-go-peers >"$work/said" 2>&1; then fail "setup-go-peers succeeds without a network"; fi
says "can't be downloaded"
if go/programs/patch --fetch >"$work/said" 2>&1; then fail "patch succeeds without a network"; fi
says "patch: golang.org/x/net can't be downloaded: no network is here"

# Which checks are run.
for name in scripts/build scripts/test-go "$work/bin/valgrind" "$work/bin/ctest"; do
    fake "$name" 'echo "${0##*/} $*" >>"$DONE"'
done
PATH=$work/bin:$PATH
check_runs() { grep -q "^$1 " "$DONE" || fail "$2 without $1"; }
check_lacks() { if grep -q "^$1 " "$DONE"; then fail "$2 with $1"; fi; }
run() {
    rm -f "$DONE"
    scripts/test "$@" >"$work/said" 2>&1 || fail "scripts/test $* fails" "$(<"$work/said")"
}
unset TOFT_TEST_LONG
run
check_runs test-go "all tests are run"
run tsan
check_runs ctest "tsan is run"
check_lacks test-go "tsan is run"
run --long tsan
check_lacks test-go "tsan is run for long"
check_lacks valgrind "tsan is run for long"
run --long release
check_runs valgrind "release is run for long"
