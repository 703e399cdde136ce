#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A program takes Toft from a C++20 module that hands on what its headers have: what is inlined into templates must be
# found where those are instantiated.
#   module.sh SOURCE_DIR LIBRARY
set -euo pipefail
source_directory=$1
library=$2
compiler=$(command -v clang++-19 clang++-18 clang++-17 clang++-16 | head -n 1 || true)
if [[ -z $compiler ]]; then
    echo "left out: there is no clang++ 16 to 19 here"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >memory.cppm <<'END'
module;
#include <toft/toft.hpp>
export module memory;
export namespace memory {
using toft::allocator;
using toft::arena;
using toft::pool;
using toft::reap;
}
END
cat >app.cpp <<'END'
#include <cstdio>
#include <vector>

import memory;

int main() {
    memory::arena arena;
    std::vector<int, memory::allocator<int>> numbers(arena);
    for (int i = 0; i < 1000; ++i) numbers.push_back(i);
    memory::reap reap;
    int *one = reap.make<int>(1);
    reap.destroy(one);
    int *other = memory::pool::shared().make<int>(2);
    std::printf("%d %d\n", numbers[999], *other);
    memory::pool::shared().destroy(other);
}
END
flags=(-std=c++20 -O1 -pthread -Wall -Wextra "-I$source_directory/include")
"$compiler" "${flags[@]}" memory.cppm --precompile -o memory.pcm
"$compiler" "${flags[@]}" -fmodule-file=memory=memory.pcm app.cpp memory.pcm "$library" -o app
[[ $(./app) == "999 2" ]] || {
    echo "the program that imports the module says: $(./app)" >&2
    exit 1
}
