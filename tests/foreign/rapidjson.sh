#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# RapidJSON's unit tests, with its two allocators over an arena and the shared pool:
#   rapidjson.sh TOFT_DIRECTORY RAPIDJSON_DIRECTORY RESULTS_DIRECTORY
set -euo pipefail
toft=$1 rapidjson=$2 results=$3
. "$toft/tests/foreign/judge.sh"
mkdir -p "$results"
if ! echo '#include <gtest/gtest.h>' | c++ -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
    echo "rapidjson: left out, it needs libgtest-dev" >&2
    exit 0
fi
# Theirs go by other names; ours come behind them.
rm -rf "$results/include"
cp -r "$rapidjson/include" "$results/include"
sed -i -E -e 's/\b(CrtAllocator|MemoryPoolAllocator)\b/Their\1/g' \
    -e '$a #include "rapidjson_allocators.hpp"' "$results/include/rapidjson/allocators.h"
export toft rapidjson results
export flags="-std=c++20 -O0 -w -pthread -I$toft/include -I$toft/tests/foreign -I$results/include"

compile() { # test
    local name
    name=$(basename "$1" .cpp)
    # shellcheck disable=SC2086
    c++ $flags -c "$1" -o "$results/$name.o" 2>"$results/$name.log" ||
        printf "doesn't compile\tboth\t%s\n" "$name" >>"$results/results"
}
export -f compile

rm -f "$results"/*.o
: >"$results/results"
printf '%s\n' "$rapidjson"/test/unittest/*.cpp |
    xargs -n 1 -P "$(nproc)" bash -c 'compile "$@"' compile
c++ "$results"/*.o "$toft/build/release/src/libtoft.a" -lgtest -pthread -o "$results/tests"
# Each in a process of its own: some don't come back.
"$results/tests" --gtest_list_tests | awk '/^[^ ]/ { suite = $1 } /^ / { print suite $1 }' |
    while read -r name; do
        verdict=pass
        (cd "$rapidjson" && timeout 120 "$results/tests" --gtest_filter="$name") \
            >"$results/log" 2>&1 </dev/null || verdict=fails
        printf '%s\tboth\t%s\n' "$verdict" "$name"
    done >>"$results/results"
judge "$toft/tests/foreign/rapidjson-exceptions.txt" "$results/results"
