#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/setup, with commands that only pretend to install:  setup.sh PROJECT_FOLDER
set -euo pipefail
setup=$1/scripts/setup
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
export INSTALLED=$work/installed UPDATE=true CONFLICTING=none USER_ID=0 NO_LISTS=
PATH=$work/bin:$PATH

fake() {
    printf '#!/bin/bash\n%s\n' "$2" >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}
fake id 'echo $USER_ID'
fake sudo 'exit 1' # this user has no rights
fake dpkg-query 'grep -sqx "${@: -1}" "$INSTALLED" && echo installed'
fake apt-cache '[[ -z $NO_LISTS ]]'
fake apt-get '
[[ $1 == update ]] && exec $UPDATE
[[ " $* " == *" $CONFLICTING "* && " $* " == *" --no-remove "* ]] && exit 100
[[ " $* " == *" -s "* ]] || for word; do [[ $word == -* ]] || echo $word; done >>"$INSTALLED"'

fail() {
    printf 'setup.sh: %s\n' "$@" >&2
    exit 1
}
has() { grep -sqx -- "$1" "$INSTALLED" || fail "$1 isn't installed"; }
lacks() { if grep -sqx -- "$1" "$INSTALLED"; then fail "$1 is installed"; fi; }
says() { grep -qF -- "$1" "$work/said" || fail "it doesn't say \"$1\", but" "$(<"$work/said")"; }
run() { "$setup" bench >"$work/said" 2>&1; }

run || fail "it fails as root" "$(<"$work/said")"
has libfmt-dev && has libdw-dev

rm "$INSTALLED"
CONFLICTING=libdw-dev
run || fail "an optional package that conflicts ends it" "$(<"$work/said")"
has libfmt-dev && has libzstd-dev && lacks libdw-dev
says "libdw-dev can't be installed"

rm "$INSTALLED"
CONFLICTING=libfmt-dev
if run; then fail "a required package that conflicts is passed over"; fi
says 'apt-get install --no-remove'

CONFLICTING=none UPDATE=false
without_rights() {
    printf '%s\n' libcli11-dev libfmt-dev nlohmann-json3-dev ninja-build >"$INSTALLED"
    run || fail "missing optional packages end it, $1" "$(<"$work/said")"
    lacks libdw-dev
    rm "$INSTALLED"
    if run; then fail "missing required packages are passed over, $1"; fi
    says 'As root, please run:'
    lacks libfmt-dev
}
without_rights "as root without a network"
NO_LISTS=yes
if run; then fail "missing required packages are passed over without lists of packages"; fi
says 'As root, please run:'
says 'apt-get update && apt-get install --no-remove --no-install-recommends'
says ' ninja-build'
NO_LISTS=
UPDATE=true USER_ID=1000
without_rights "with a sudo that fails"
