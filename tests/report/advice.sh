#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Records a program, lets the command write its page of advice, and looks at it in a browser, also with what few
# programs' advice has:
#   advice.sh TOFT NODE SOURCE_DIR PROGRAM [SCREENSHOTS]
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

"$toft" record -o "$work/run.toft" -- "$4" 2>/dev/null
"$toft" advise --cpu 0.1 --replay-time 20 --json "$work/advice.json" --html "$work/advice.html" "$work/run.toft" \
    >"$work/advice.txt"
"$node" "$here/advice.mjs" "$work/advice.html" "$work/advice.json" "$work/advice.txt" "$chromium" \
    "$report/node_modules/playwright-core" "${5:-}"
"$node" "$here/advice_corners.mjs" "$work/advice.html" "$chromium" "$report/node_modules/playwright-core"
