#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# glibc's own tests of malloc, as far as they stand outside its tree, with libtoft-malloc preloaded:
#   glibc.sh TOFT_DIRECTORY GLIBC_DIRECTORY RESULTS_DIRECTORY
# Each is also run without it: a test that fails then too says nothing of Toft, and is listed as well.
set -euo pipefail
toft=$1 glibc=$2 results=$3
. "$toft/tests/foreign/judge.sh"
rm -rf "$results"
mkdir -p "$results/include/malloc" "$results/support"
# Those of glibc's own headers that the tests need and that wrap none of the system's.
cp "$glibc"/include/{array_length,libc-diag,intprops,verify,libc-pointer-arith}.h \
    "$glibc"/sysdeps/generic/malloc-{size,alignment}.h "$results/include"
export results glibc library=$toft/build/release/lib/libtoft-malloc.so
export flags="-std=gnu11 -D_GNU_SOURCE -include limits.h -O1 -fno-builtin -w -pthread
    -DTIMEOUTFACTOR=10 -I$glibc -I$glibc/support -I$results/include"
# Where glibc was built and installed: no test of malloc looks there.
flags+=$(printf ' -D%s_PATH="."' {SRC,OBJ,INST,LIB,BIN,SBIN,ROOTSBIN,SLIB,COMPLOCALE}DIR OBJDIR_ELF_LDSO)

# What the tests share. Some of it needs more of glibc, and no test of malloc needs that.
support() { # source
    # shellcheck disable=SC2086
    cc $flags -c "$1" -o "$results/support/$(basename "$1" .c).o" 2>/dev/null || true
}

one() { # test
    local name program verdict=pass status
    name=$(basename "$1" .c)
    program=$results/$name
    # shellcheck disable=SC2086
    if ! cc $flags "$1" -o "$program" "$results/support.a" 2>"$program.log"; then
        verdict="doesn't compile"
    else
        status=0
        (cd "$results" && LD_PRELOAD=$library timeout 600 "$program") >"$program.log" 2>&1 || status=$?
        if [[ $status != 0 ]]; then
            verdict=fails
            (cd "$results" && timeout 600 "$program") >"$program.plain" 2>&1 || verdict="fails without it too"
        fi
    fi
    printf '%s\tpreloaded\t%s\n' "$verdict" "$name"
    rm -f "$program"
}
export -f one support

printf '%s\n' "$glibc"/support/{support_,x,check,temp_file,blob,timespec,next_to_fault,ignore_stderr,write_message,delayed_exit,oom_error}*.c |
    grep -v -- '_quote_blob_main\|-time64' | xargs -n 1 -P "$(nproc)" bash -c 'support "$@"' support
ar -crs "$results/support.a" "$results"/support/*.o
printf '%s\n' "$glibc"/malloc/{tst-*,mallocbug}.c | awk -v every="${TOFT_FOREIGN_EVERY:-1}" 'NR % every == 0' |
    xargs -n 1 -P "$(nproc)" bash -c 'one "$@"' one >"$results/results"
judge "$toft/tests/foreign/glibc-exceptions.txt" "$results/results"
