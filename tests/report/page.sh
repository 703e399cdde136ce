#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Measures, lets the command write its report, and looks at it in a browser:
#   page.sh TOFT NODE SOURCE_DIR
set -euo pipefail
toft=$1
node=$2
report=$3/lab/report
here=$3/tests/report

chromium=$(command -v chromium || command -v google-chrome || true)
if [[ -z $chromium || ! -d $report/node_modules/playwright-core ]]; then
    echo "left out: there is no chromium here, or the report's packages aren't installed"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work

look() {
    "$node" "$here/page.mjs" "$work/$1.html" "$work/$1.json" "$chromium" \
        "$report/node_modules/playwright-core"
}

# What goes right, compared with itself slowed; then what goes wrong.
steady=(bench planted --filter steady --json)
"$toft" "${steady[@]}" "$work/old.json" >/dev/null 2>&1
TOFT_PLANTED_MS=120 "$toft" "${steady[@]}" "$work/compared.json" --compare "$work/old.json" \
    --html "$work/compared.html" >/dev/null 2>&1
look compared
"$toft" bench planted --filter planted/planted/ --json "$work/failing.json" --html "$work/failing.html" \
    >/dev/null 2>&1 && exit 1 # its subjects fail
look failing
"$toft" bench tree --size 8 --json "$work/tree.json" >/dev/null 2>&1
"$toft" report "$work/tree.json" "$work/tree.html"
look tree
