#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Style that a machine can see, over every file that git knows:  tidy.sh SOURCE_DIR
set -euo pipefail
cd "$1"
if ! git rev-parse --git-dir >/dev/null 2>&1; then
    echo "left out: this is not a git checkout"
    exit 77
fi
mapfile -t files < <(git ls-files | while read -r file; do [[ -f $file ]] && echo "$file"; done)
mapfile -t code < <(printf '%s\n' "${files[@]}" | grep -E '\.(c|h|cpp|hpp)$')
bad=0
complain() {
    echo "$*"
    bad=1
}

# A licence in the first line, or the second where the first says what runs the file. Files that
# have no comments, or another's format, are exempt.
for file in "${files[@]}"; do
    case $file in
    LICENSE | *.json | *.lock | *.txt | *.sum | *.mod | .editorconfig | tests/fuzz/corpus/*) continue ;;
    esac
    [[ -s $file ]] || continue
    head -n 2 "$file" | grep -q 'SPDX-License-Identifier: MIT' ||
        complain "$file: no SPDX line at its top"
done

LC_ALL=C.UTF-8 grep -nE '^.{101,}' "${code[@]}" && complain "lines have 100 columns at most"
grep -nE '[[:blank:]]$' "${code[@]}" && complain "lines don't end in blanks"
# Said so that this line isn't one.
words='TO''DO|FIX''ME'
grep -nE "$words" "${code[@]}" && complain "what is to be done belongs into an issue"

# Includes of src/ go downward only, in the order of the list in src/README.md.
mapfile -t layers < <(sed -nE 's/^[0-9]+\. `([a-z]+)\/`.*/\1/p' src/README.md)
[[ ${#layers[@]} -ge 4 ]] || complain "src/README.md has no list of layers"
level_of() {
    local i
    for i in "${!layers[@]}"; do
        [[ ${layers[i]} == "$1" ]] && echo "$i" && return
    done
    echo none
}
while IFS=: read -r file line include; do
    from=${file#src/} from=${from%%/*}
    to=${include#*\"} to=${to%%/*}
    from_level=$(level_of "$from") to_level=$(level_of "$to")
    if [[ $from_level == none || $to_level == none ]]; then
        complain "$file:$line: a layer that src/README.md doesn't list"
    elif ((to_level > from_level)); then
        complain "$file:$line: $from/ includes upward, from $to/"
    fi
done < <(grep -nE '^#include "' $(git ls-files 'src/*.c' 'src/*.h'))
grep -nE '#include "' $(git ls-files 'include/*') && complain "a public header includes a private one"

formatter=
for candidate in clang-format-19 clang-format; do
    if command -v "$candidate" >/dev/null &&
        (($("$candidate" --version | sed -E 's/.*version ([0-9]+).*/\1/') >= 19)); then
        formatter=$candidate
        break
    fi
done
if [[ -n $formatter ]]; then
    "$formatter" --dry-run -Werror "${code[@]}" || bad=1
else
    echo "formatting is left out: there is no clang-format of version 19 here"
fi
exit $bad
