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

# look NAME [TERMINAL.txt]
look() {
    "$node" "$here/page.mjs" "$work/$1.html" "$work/$1.json" "$chromium" \
        "$report/node_modules/playwright-core" "${2:-}"
}

# edit FILE.json SCRIPT: the script changes `result`.
edit() {
    "$node" -e '
        const { readFileSync, writeFileSync } = require("node:fs");
        const [path, script] = process.argv.slice(1);
        const result = JSON.parse(readFileSync(path, "utf8"));
        new Function("result", script)(result);
        writeFileSync(path, JSON.stringify(result));' "$1" "$2"
}

# What goes right, compared with itself slowed, and with a row that is gone; then what goes wrong.
steady=(bench planted --filter steady --json)
"$toft" "${steady[@]}" "$work/old.json" >/dev/null 2>&1
edit "$work/old.json" 'const { rows } = result.suites[0]; rows.push({ ...rows[0], subject: "gone" });'
TOFT_PLANTED_MS=120 "$toft" "${steady[@]}" "$work/compared.json" --compare "$work/old.json" \
    --html "$work/compared.html" >"$work/compared.txt" 2>/dev/null
look compared "$work/compared.txt"
"$toft" bench planted --filter planted/planted/ --json "$work/failing.json" --html "$work/failing.html" \
    >/dev/null 2>&1 && exit 1 # its subjects fail
look failing

# A suite with tables of its own, and a program: the page has the terminal's words.
"$toft" bench tree --size 8 --json "$work/tree.json" >"$work/tree.txt" 2>/dev/null
"$toft" report "$work/tree.json" "$work/tree.html"
look tree "$work/tree.txt"
cp "$work/tree.html" "$work/other.html"
"$node" "$here/page_corners.mjs" "$work/other.html" "$chromium" "$report/node_modules/playwright-core"
edit "$work/tree.json" 'result.interrupted = true;
    const { rows } = result.suites[0];
    rows[0].subject = "a_name_without_blanks".repeat(3);
    Object.assign(rows[1], { samples: [], figures: [], verdict: "failed" });'
"$toft" report "$work/tree.json" "$work/tree.html"
look tree
"$toft" try --max-time 1 --json "$work/try.json" --html "$work/try.html" -- sleep .05 \
    >"$work/try.txt" 2>/dev/null
look try "$work/try.txt"

# A name that is longer than a phone is wide, with letters that an address writes otherwise.
long=$work/100%$(printf 'long%.0s' {1..36})
cp "$(type -P true)" "$long"
"$toft" try --max-time 1 --json "$work/long.json" --html "$work/long.html" -- "$long" >/dev/null 2>&1
look long

# Memory over time, and every sample when it is asked for.
"$toft" bench aged --filter aged/aged-tree/ --repetitions 1 --size 20 --json "$work/aged.json" \
    --html "$work/aged.html" >"$work/aged.txt" 2>/dev/null
look aged "$work/aged.txt"
"$toft" report --samples "$work/aged.json" "$work/samples.html"
grep -q '"process_cpu_ns"' "$work/samples.html"

# The whole bench, each suite at its smallest: the page stays small, and so does the paper.
"$toft" bench --list | awk '/^[a-z][a-z-]*: / { sub(":", "", $1); suite = $1 }
    /^--size/ && match($0, /[0-9]+ to/) { print suite, substr($0, RSTART, RLENGTH - 3) }' |
    while read -r suite size; do
        status=0
        "$toft" bench "$suite" --repetitions 1 --size "$size" --json "$work/part-$suite.json" \
            >/dev/null 2>&1 </dev/null || status=$?
        # 1: the smallest size may be too small for a figure. 2: nothing of the suite is here.
        if [[ $status -gt 2 || ($status != 2 && ! -s $work/part-$suite.json) ]]; then
            echo "page.sh: the suite $suite ends with status $status, or writes no result" >&2
            exit 1
        fi
    done
"$node" -e '
    const { readFileSync, writeFileSync } = require("node:fs");
    const [out, ...parts] = process.argv.slice(1).map((path, i) =>
        i === 0 ? path : JSON.parse(readFileSync(path, "utf8")));
    const whole = { ...parts[0], suites: parts.flatMap((part) => part.suites) };
    writeFileSync(out, JSON.stringify(whole));' "$work/whole.json" "$work"/part-*.json
"$toft" report "$work/whole.json" "$work/whole.html"
TOFT_PAGE_IS_WHOLE_BENCH=1 look whole
