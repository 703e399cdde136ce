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
    head -n 2 "$file" | grep -qE 'SPDX-License-Identifier: MIT( \*/| -->)?$' ||
        complain "$file: no SPDX line of its own at its top"
done

LC_ALL=C.UTF-8 grep -nE '^.{101,}' "${code[@]}" && complain "lines have 100 columns at most"
grep -nE '[[:blank:]]$' "${code[@]}" && complain "lines don't end in blanks"
# Said so that this line isn't one.
words='TO''DO|FIX''ME'
grep -nE "$words" "${code[@]}" && complain "what is to be done belongs into an issue"

# A comment is a sentence that says what it is about. (In Go, it may be about a function called Of.)
grep -nE '(/\*|//|^ \*|^#) Of [a-z]' $(printf '%s\n' "${code[@]}") && complain "a comment begins with a bare Of"

# Includes go downward only, in the order of the numbered list in a folder's README.md:
#     check_rooms FOLDER
# An include without a folder stays in its room.
check_rooms() {
    local root=$1 rooms file line include from to from_level to_level
    mapfile -t rooms < <(sed -nE 's/^[0-9]+\. `([a-z_]+)\/`.*/\1/p' "$root/README.md")
    [[ ${#rooms[@]} -ge 4 ]] || complain "$root/README.md has no list of rooms"
    while IFS=: read -r file line include; do
        from=${file#"$root"/} from=${from%%/*}
        to=${include#*\"} to=${to%\"*}
        if [[ $to == */* ]]; then to=${to%%/*}; else to=$from; fi
        from_level=$(level_of "$from" "${rooms[@]}") to_level=$(level_of "$to" "${rooms[@]}")
        if [[ $from_level == none || $to_level == none ]]; then
            complain "$file:$line: a room that $root/README.md doesn't list"
        elif ((to_level > from_level)); then
            complain "$file:$line: $from/ includes upward, from $to/"
        fi
    done < <(grep -nE '^ *#include "' $(git ls-files "$root/*.c" "$root/*.h" "$root/*.cpp" "$root/*.hpp"))
}
level_of() {
    local name=$1 level=0 room
    shift
    for room in "$@"; do
        [[ $room == "$name" ]] && echo "$level" && return
        level=$((level + 1))
    done
    echo none
}
check_rooms src
check_rooms lab
grep -nE '^ *# *include "' $(git ls-files 'include/*') && complain "a public header includes a private one"

# A public header begins with its purpose, and what a user calls follows soon: a function, a macro in
# lower case, or a public member. What is inlined lies in include/toft/detail/.
first_call_max=60
for header in $(git ls-files 'include/toft/*' | grep -v /detail/); do
    first_call=$(awk '/^(TOFT_(API|NODISCARD|ALWAYS_INLINE|ALIGNED_BY)|  public:| *#define toft_)/ {
        print FNR; exit }' "$header")
    ((${first_call:-0} <= first_call_max)) ||
        complain "$header:$first_call: the first call comes after line $first_call_max"
done
git ls-files 'include/toft/*.h' | grep -v /detail/ | xargs grep -nE '^TOFT_ALWAYS_INLINE .*\{$' &&
    complain "an inlined body lies in include/toft/detail/"

# TESTING.md has a row for each folder of tests, and no other; labels are folders.
diff <(sed -nE 's/^\| `([a-z]+)\/` \|.*/\1/p' TESTING.md | LC_ALL=C sort) \
    <(git ls-files tests | sed -nE 's/^tests\/([a-z]+)\/.*/\1/p' | LC_ALL=C sort -u) ||
    complain "TESTING.md doesn't list exactly the folders of tests/"
while read -r label; do
    [[ -d tests/$label || $label == '${label}' ]] || complain "a test's label is its folder: $label"
done < <(sed -nE 's/.*LABELS ([^ )]+).*/\1/p; s/.*toft_script\("[^"]*" ([a-z]+).*/\1/p' \
    $(git ls-files 'tests/*CMakeLists.txt'))

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
