#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What libtoft-malloc says of misuse, where a setting asks for it.  misused.sh LIBRARY PROGRAM
set -euo pipefail
library=$1
program=$2
ulimit -c 0
failed=0
try_with() { # setting misuse pattern: one line with the process's number and these words, then an abort
    local said status=0
    said=$(env "TOFT_MALLOC_$1" "LD_PRELOAD=$library" "$program" "$2" 2>&1) || status=$?
    [[ $status == 134 && $said =~ ^toft-malloc\[[0-9]+\]:\ $3$ ]] && return
    echo "with $1, of $2 it says '$said', and ends with $status" >&2
    failed=1
}
try() { # misuse pattern
    try_with FOREIGN=abort "$@"
    try_with CHECK=1 "$@"
}
address='0x[0-9a-f]+'
nothing_there='freed before, or never allocated by malloc'
try static "free\($address\): $nothing_there"
try static-realloc "realloc\($address\): $nothing_there"
try static-usable "malloc_usable_size\($address\): $nothing_there"
try large-twice "free\($address\): $nothing_there"
try inside-large "free\($address\): $nothing_there; it lies 16 bytes behind the beginning of an object of 200000 bytes"
try inside-huge "realloc\($address\): $nothing_there; it lies 1234567 bytes behind the beginning of an object of 3145728 bytes"
inside='freed, but no object begins there; it lies'
try_with CHECK=1 inside-small "$address: pool 'malloc': $inside 16 bytes behind the beginning of a slot of 48 bytes"
try_with CHECK=1 inside-small-odd "$address: pool 'malloc': $inside 1 byte behind the beginning of a slot of 48 bytes"
for misuse in small-twice small-twice-realloc aligned-twice many-twice thread-twice; do
    try_with CHECK=1 "$misuse" "$address: pool 'malloc': freed twice"
done

# Without a setting, another allocator's object is left alone.
for misuse in static static-realloc static-usable large-twice inside-large inside-huge; do
    said=$(LD_PRELOAD=$library "$program" "$misuse" 2>&1) && [[ $said == end ]] && continue
    echo "of $misuse it says '$said' without a setting" >&2
    failed=1
done
exit $failed
