#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A part of Python's own test suite, with libtoft-malloc preloaded:
#   python.sh TOFT_DIRECTORY PYTHON_DIRECTORY RESULTS_DIRECTORY
# Python's own allocator of small objects is switched off, so that each object is one of malloc's. A test
# that fails is run without the library as well: one that fails then too says nothing of Toft.
set -euo pipefail
toft=$1 results=$3
. "$toft/tests/foreign/judge.sh"
rm -rf "$results"
mkdir -p "$results"
export results library=$toft/build/release/lib/libtoft-malloc.so PYTHONMALLOC=malloc
export python=$2/usr/bin/python3.11

one() { # test
    local verdict=pass run=("$python" -m test --timeout 1200 "$1")
    mkdir -p "$results/$1"
    cd "$results/$1"
    if ! LD_PRELOAD=$library timeout 1500 "${run[@]}" >"$results/$1.log" 2>&1 </dev/null; then
        verdict=fails
        timeout 1500 "${run[@]}" >"$results/$1.plain" 2>&1 </dev/null || verdict="fails without it too"
    fi
    printf '%s\tpreloaded\t%s\n' "$verdict" "$1"
}
export -f one

printf 'test_%s\n' array bigmem buffer bytes bz2 concurrent_futures ctypes decimal deque descr \
    dict exceptions fork1 functools gc generators hashlib io itertools json list long lzma marshal memoryview mmap \
    multiprocessing_fork ordered_dict pickle pyexpat queue re set struct subprocess thread threading \
    threading_local threadsignals unicode weakref xml_etree_c zlib |
    awk -v every="${TOFT_FOREIGN_EVERY:-1}" 'NR % every == 0' |
    xargs -n 1 -P "$(nproc)" bash -c 'one "$@"' one >"$results/results"
judge "$toft/tests/foreign/python-exceptions.txt" "$results/results"
