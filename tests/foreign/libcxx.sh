#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libc++'s tests of containers and strings that name an allocator, with ours in its place:
#   libcxx.sh TOFT_DIRECTORY LLVM_DIRECTORY RESULTS_DIRECTORY
# Needs the clang and libc++ of the same version as the tests. Their parts for constant expressions are
# left out, as if compiled as C++17: memory of a strategy isn't to be had there.
set -euo pipefail
toft=$1 tests=$2/libcxx/test results=$3
. "$toft/tests/foreign/judge.sh"
mkdir -p "$results"
compiler=clang++-19
if ! command -v "$compiler" >/dev/null || ! echo '#include <vector>' |
    "$compiler" -stdlib=libc++ -x c++ -fsyntax-only - 2>/dev/null; then
    echo "libcxx: left out, it needs clang++-19 and libc++-19-dev" >&2
    exit 0
fi
export compiler toft tests results
export flags="-std=c++20 -stdlib=libc++ -w -pthread -DTEST_STD_VER=17 -I$toft/include -I$tests/support"

one() { # allocator, test
    local allocator=$1 test=$2 program options
    program=$(mktemp "$results/program.XXXXXX")
    options="$flags -DTOFT_FOREIGN_STRATEGY=toft::$allocator -include-pch $results/$allocator.pch"
    local name=${test#"$tests"/} verdict=pass
    if [[ $test == *.compile.pass.cpp ]]; then
        # shellcheck disable=SC2086
        "$compiler" $options -fsyntax-only "$test" 2>"$program.log" || verdict="doesn't compile"
    # shellcheck disable=SC2086
    elif ! "$compiler" $options "$test" "$toft/build/release/src/libtoft.a" -o "$program" 2>"$program.log"; then
        verdict="doesn't compile"
    elif ! timeout 60 "$program" >"$program.log" 2>&1; then
        verdict="fails"
    fi
    [[ $verdict == pass ]] || { echo "== $allocator $name: $verdict"; head -n 20 "$program.log"; } >>"$results/log"
    printf '%s\t%s\t%s\n' "$verdict" "$allocator" "$name"
    rm -f "$program" "$program.log"
}
export -f one

: >"$results/log"
list() {
    grep -rlE '\b(min_allocator|safe_allocator)\b' "$tests"/std/{containers,strings} --include='*.pass.cpp' |
        LC_ALL=C sort | awk -v every="${TOFT_FOREIGN_EVERY:-1}" 'NR % every == 0'
}
allocators=(arena reap pool shared_pool)
for allocator in "${allocators[@]}"; do
    # shellcheck disable=SC2086
    "$compiler" $flags "-DTOFT_FOREIGN_STRATEGY=toft::$allocator" -x c++-header \
        "$toft/tests/foreign/libcxx_allocators.hpp" -o "$results/$allocator.pch"
done
list | while read -r test; do
    for allocator in "${allocators[@]}"; do printf '%s\0%s\0' "$allocator" "$test"; done
done | xargs -0 -n 2 -P "$(nproc)" bash -c 'one "$@"' one >"$results/results"
judge "$toft/tests/foreign/libcxx-exceptions.txt" "$results/results"
