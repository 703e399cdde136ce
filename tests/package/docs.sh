#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles and runs the C++ programs that stand in the docs, those with a main, and tries the lines by which the
# examples are compiled:  docs.sh SOURCE_DIR [LIBRARY]
# LIBRARY is a static libtoft.a that is built already. Without it the sources are compiled.
set -euo pipefail
source_directory=$1
library=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compilers=()
for compiler in g++ clang++ "clang++-19 -stdlib=libc++"; do
    # shellcheck disable=SC2086
    if echo '#include <concepts>' | $compiler -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
        compilers+=("$compiler")
    fi
done
[[ ${#compilers[@]} != 0 ]] || { echo "left out: there is no compiler of C++20 here"; exit 77; }
if [[ -z $library ]]; then
    library=$work/toft.o
    cc -r -nostdlib -O1 "$source_directory"/src/*/*.c -I"$source_directory/include" -I"$source_directory/src" \
        -o "$library"
fi

awk -v work="$work" '
    /^```cpp$/ { code = ""; inside = 1; next }
    /^```$/ && inside { if (code ~ /\nint main\(/) printf "%s", code >(work "/" ++n ".cpp"); inside = 0; next }
    inside { code = code $0 "\n" }' "$source_directory"/docs/*.md
[[ -e $work/1.cpp ]] || { echo "docs: no program was found" >&2; exit 1; }
for program in "$work"/*.cpp; do
    for compiler in "${compilers[@]}"; do
        # shellcheck disable=SC2086
        $compiler -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I"$source_directory/include" \
            "$program" "$library" -pthread -o "$work/program"
        "$work/program"
    done
done

mkdir "$work/toft"
cp -r "$source_directory"/{CMakeLists.txt,cmake,include,src,examples} "$work/toft"
cd "$work/toft"
grep '^c[+c]' examples/README.md >lines
bash -e lines
[[ $(./expression '2 * (3 + 4)') == '(* 2 (+ 3 4)) = 14' ]]
[[ $(./requests 2>log <<<'GET /greet') == '200 hello you' ]]
$(grep '^cmake -B' examples/README.md) -DCMAKE_DISABLE_FIND_PACKAGE_doctest=ON >log 2>&1 # which the tests alone need
cmake --build build/examples --target help | grep -w example_cache >log
printf 'tried with %s\n' "${compilers[@]}"
