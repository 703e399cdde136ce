#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A library in C++ that takes the address of an inlined function shows nothing of it: with another library's function
# in its place, it would use that one's Toft beside its own.
#   function_pointers.sh SOURCE_DIR
set -euo pipefail
source_directory=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >library.cpp <<'END'
#include <toft/toft.h>

void *(*volatile of_arena)(toft_arena *, size_t, size_t) = &toft_arena_alloc;
void *(*volatile of_reap)(toft_reap *, size_t, size_t) = &toft_reap_alloc;
void *(*volatile of_pool)(toft_pool *, size_t) = &toft_pool_alloc;
END
tried=0
for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    tried=$((tried + 1))
    "$compiler" -std=c++20 -O2 -fPIC -shared "-I$source_directory/include" library.cpp -o library.so
    if nm -D --defined-only library.so | grep toft_; then
        echo "$compiler: these functions of Toft are shown by the library" >&2
        exit 1
    fi
done
[[ $tried != 0 ]] || {
    echo "left out: there is neither g++ nor clang++ here"
    exit 77
}
