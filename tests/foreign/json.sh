#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# nlohmann-json's unit tests, with toft::pool_allocator as the default of basic_json's AllocatorType:
#   json.sh TOFT_DIRECTORY JSON_DIRECTORY RESULTS_DIRECTORY
# It makes its allocators by their default constructor, so that only an empty one can serve.
set -euo pipefail
toft=$1 json=$2 results=$3
. "$toft/tests/foreign/judge.sh"
mkdir -p "$results"
rm -rf "$results/include"
cp -r "$json/include" "$results/include"
sed -i -e '1i #include <toft/pool.hpp>' -e 's/AllocatorType = std::allocator,/AllocatorType = toft::pool_allocator,/' \
    "$results/include/nlohmann/json_fwd.hpp"
grep -q 'toft::pool_allocator,' "$results/include/nlohmann/json_fwd.hpp" || {
    echo "json: basic_json's default isn't where it was" >&2
    exit 1
}
# The test data are another package of theirs: what reads them is listed.
echo '#define TEST_DATA_DIRECTORY "no test data"' >"$results/include/test_data.hpp"
export toft json results
export flags="-std=c++20 -O0 -w -pthread -DJSON_TEST_KEEP_MACROS -I$toft/include -I$results/include
    -I$json/tests/thirdparty/doctest -I$json/tests/thirdparty/fifo_map -I$json/tests/src -I$json/tests"

one() { # test
    local name program verdict=pass
    name=$(basename "$1")
    program=$results/${name%.cpp}
    # shellcheck disable=SC2086
    if ! c++ $flags "$1" "$results/main.o" "$toft/build/release/src/libtoft.a" -o "$program" 2>"$program.log"; then
        verdict="doesn't compile"
    elif ! (cd "$json/tests" && timeout 600 "$program" --no-path-filenames=1) >"$program.log" 2>&1; then
        verdict="fails"
    fi
    printf '%s\tshared_pool\t%s\n' "$verdict" "$name"
    rm -f "$program"
}
export -f one

# shellcheck disable=SC2086
c++ $flags -c "$json/tests/src/unit.cpp" -o "$results/main.o"
printf '%s\n' "$json"/tests/src/unit-*.cpp |
    awk -v every="${TOFT_FOREIGN_EVERY:-1}" 'NR % every == 0' |
    xargs -n 1 -P "$(nproc)" bash -c 'one "$@"' one >"$results/results"
judge "$toft/tests/foreign/json-exceptions.txt" "$results/results"
