#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Counts the instructions of inlined allocations until the pointer is returned: those before the
# first ret, the one path that always leads there; and what the recorder of `toft record --sample`
# adds to a call of the heap that it passes on, until it jumps there.  instructions.sh SOURCE_DIR [--update]
# Compilers named in the golden table must match it; others must keep the budgets.
set -euo pipefail
source_directory=$1
here=$source_directory/tests/golden
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [[ $(uname -m) != x86_64 ]]; then
    echo "left out: the table is of x86-64"
    exit 77
fi

count() { # compiler label source options...; up to the first instruction that is like $until
    "$1" -std="$std" -O2 -fcf-protection=none -I"$source_directory/include" -c "$3" \
        -o "$work/object.o" "${@:4}"
    objdump -d --no-show-raw-insn "$work/object.o" | awk -v label="$2" -v until="$until" '
        /^[0-9a-f]+ <.*>:$/ { name = substr($2, 2, length($2) - 3); n = 0; done = 0; next }
        done || !/^ *[0-9a-f]+:\t/ { next }
        { split($0, field, "\t"); if (field[2] ~ /^(nop|endbr64|data16|cs nopw)/) next }
        field[2] ~ until { printf "%-10s %-24s %d\n", label, name, n; done = 1; next }
        { n++ }'
}

std=c11
tried=0
for compiler in gcc clang clang-19; do
    command -v "$compiler" >/dev/null || continue
    label=$(basename "$compiler" | sed 's/-.*//')-$("$compiler" -dumpversion | sed 's/\..*//')
    grep -qs "^$label " "$work/counted" && continue
    until=^ret
    for source in allocations.c reap.c; do
        count "$compiler" "$label" "$here/$source"
    done >>"$work/counted"
    std=c++20 count "$compiler" "$label" "$here/pooled.cpp" | grep ' pooled_' >>"$work/counted"
    # malloc's names as libtoft-malloc has them.
    if echo '#include <malloc.h>' | "$compiler" -E - | grep -w mallinfo2 >"$work/has_mallinfo2"; then
        count "$compiler" "$label" "$source_directory/src/malloc/dropin/names.c" -fPIC \
            -fno-builtin-malloc -I"$source_directory/src" |
            awk '{ sub(/^__libc_/, "", $2) } # which are the same functions
                $2 == "malloc" || $2 == "free" { printf "%-10s %-24s %d\n", $1, $2, $3; pair += $3 + 1; n++ }
                n == 2 { printf "%-10s %-24s %d\n", $1, "malloc_and_free", pair; exit }' >>"$work/counted"
    fi
    until='^jmpq? +[*]'
    count "$compiler" "$label" "$source_directory/lab/record/preload/heap_names.c" -D_GNU_SOURCE -fPIC \
        -fvisibility=hidden -fno-omit-frame-pointer -fno-builtin-malloc -I"$source_directory/lab" |
        awk '$2 == "malloc" || $2 == "free" { printf "%-10s %-24s %d\n", $1, "passed_on_" $2, $3 }' \
            >>"$work/counted"
    tried=$((tried + 1))
done
if [[ $tried == 0 ]]; then
    echo "left out: there is neither gcc nor clang here"
    exit 77
fi
if [[ ${2:-} == --update ]]; then
    cp "$work/counted" "$here/instructions.txt"
    exit
fi

# Constant size and alignment: at most 7; a pair of a reap's at most 6 + 14 (it counts both, to be as
# new when its last object goes), of the pool's 24, or 18 with a handle. An array has its product checked.
awk '
    BEGIN { passed_on["passed_on_malloc"]; passed_on["passed_on_free"] }
    FNR == NR { golden[$1 " " $2] = $3; known[$1] = 1; next }
    {
        counted[$1 " " $2] = tried[$1] = 1
        budget = $2 == "new_nodes" ? 20 : $2 == "free_last_node" ? 15 : 7
        if ($2 ~ /^reap_alloc/) budget = 6
        if ($2 ~ /^reap_free/) budget = 14
        if ($2 == "reap_of_any_size") budget = 30
        if ($2 ~ /^pool_shared/) budget = 12
        if ($2 ~ /^pooled/) budget = 14 # clang saves a register
        if ($2 ~ /^pool_handle/) budget = 9
        if ($2 == "malloc" || $2 == "free") budget = 20
        if ($2 == "passed_on_malloc") budget = 10
        if ($2 == "passed_on_free") budget = 20
        if ($2 == "malloc_and_free") budget = 34 # with the two that return
        if ($3 > budget) { print $1 ": " $2 " takes " $3 " instructions, more than " budget; bad = 1 }
        if (known[$1] && golden[$1 " " $2] != $3) {
            print $1 ": " $2 " takes " $3 " instructions, not " golden[$1 " " $2]; bad = 1
        }
    }
    END { # without a jump to the heap there is nothing to count
        for (compiler in tried)
            for (name in passed_on)
                if (!counted[compiler " " name]) {
                    print compiler ": " name " does not jump to the heap"; bad = 1
                }
        exit bad
    }' "$here/instructions.txt" "$work/counted"
