#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the library, with warnings as errors, as if none of its optional headers were on this machine:
#   optional_headers.sh SOURCE_DIR COMPILER
#
# An optional header is one that Toft asks for by __has_include. The compiler is given its own include
# folders again, as folders of links in which those headers are missing.
set -euo pipefail
source_directory=$1
compiler=$2
if ! command -v "$compiler" >/dev/null; then
    echo "left out: there is no $compiler here"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "optional headers, $compiler: $*" >&2
    exit 1
}
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$* failed"; } }

mapfile -t optional < <(grep -rhoE '__has_include\(<[^>]+>\)' "$source_directory"/{include,src} |
    sed -E 's/.*<(.*)>.*/\1/' | sort -u)
[[ ${#optional[@]} != 0 ]] || fail "no optional header was found in the sources"

# hide FOLDER HEADER: takes a header out of a folder of links.
hide() {
    local folder=$1 header=$2 inner
    if [[ $header == */* && -L $folder/${header%%/*} ]]; then
        inner=$(readlink "$folder/${header%%/*}")
        rm "$folder/${header%%/*}"
        mkdir "$folder/${header%%/*}"
        ln -s "$inner"/* "$folder/${header%%/*}"
    fi
    rm -f "$folder/$header"
}

# without_optional LANGUAGE: prints the options that replace the include folders of a language.
without_optional() {
    local language=$1 folder header hidden number=0
    echo -nostdinc
    while read -r folder; do
        hidden=$work/$language/$((number += 1))
        mkdir -p "$hidden"
        ln -s "$folder"/* "$hidden" 2>/dev/null || true # an empty folder
        for header in "${optional[@]}"; do hide "$hidden" "$header"; done
        echo "-isystem $hidden"
    done < <("$compiler" -E -v -x "$language" /dev/null 2>&1 |
        sed -n '/^#include <...> search/,/^End of search/s/^ \(.*\)/\1/p')
}
c_flags=$(without_optional c | xargs)
cpp_flags=$(without_optional c++ | xargs)

for header in "${optional[@]}"; do
    probe=$'#if __has_include(<'$header$'>)\n#error it is still seen\n#endif'
    # shellcheck disable=SC2086
    quietly "$compiler" $c_flags -x c -fsyntax-only - <<<"$probe"
    # shellcheck disable=SC2086
    quietly "$compiler" $cpp_flags -x c++ -fsyntax-only - <<<"$probe"
done

# What is unused or unknown without a header is found without optimisation, too: a short run does without.
optimisation=-O0
[[ -z ${TOFT_TEST_LONG:-} ]] || optimisation=-O3
quietly cmake -S "$source_directory" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DTOFT_WERROR=ON \
    -DCMAKE_C_FLAGS_RELEASE="$optimisation -DNDEBUG" \
    -DTOFT_TESTS=OFF -DTOFT_LAB=OFF -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$c_flags"
quietly cmake --build "$work/build"
# shellcheck disable=SC2086
quietly "$compiler" $cpp_flags -std=c++20 -Wall -Wextra -Wconversion -Werror \
    -I"$source_directory/include" -fsyntax-only -x c++ - <<<'#include <toft/toft.hpp>'
echo "built without ${optional[*]}"
