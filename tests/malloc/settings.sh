#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# libtoft-malloc's environment variables, and what the library needs and shows.
#   settings.sh LIBRARY PROGRAM_THAT_REPLACES_NEW PROGRAM_OF_SIZED_DELETES THE_SAME_WITH_A_REPLACED_NOTHROW_NEW
set -euo pipefail
library=$1
replaced=$2
sized=$3
sized_replaced=$4
fail() {
    echo "$*" >&2
    exit 1
}

# --- statistics at exit, also of a program that closes its standard error ---
said=$(TOFT_MALLOC_STATISTICS=1 LD_PRELOAD=$library /bin/ls / 2>&1 >/dev/null)
for line in live_bytes cached_bytes idle_bytes reserved_bytes high_water_bytes foreign_frees; do
    grep -qE "^toft-malloc\[[0-9]+\]: $line +[0-9]+$" <<<"$said" || fail "no $line in '$said'"
done
said=$( (ulimit -n 50 && TOFT_MALLOC_STATISTICS=1 LD_PRELOAD=$library /bin/ls /) 2>&1 >/dev/null)
[[ $said == *live_bytes* ]] || fail "no statistics where few files may be open: '$said'"
said=$(LD_PRELOAD=$library /bin/ls / 2>&1 >/dev/null)
[[ -z $said ]] || fail "it says something unasked: $said"
# The number is that of its duplicate of standard error, of which a child must let go: it may be a daemon.
said=$(TOFT_MALLOC_STATISTICS=1 LD_PRELOAD=$library bash -c '[[ -e /proc/$$/fd/1000 ]] && echo kept >&2
    ([[ -e /proc/$BASHPID/fd/1000 ]] && echo kept >&2; true)' 2>&1 1000>&-)
[[ $(grep -c kept <<<"$said") == 1 ]] || fail "a child keeps its parent's standard error, or nobody does: $said"
[[ $(grep -c live_bytes <<<"$said") == 2 ]] || fail "parent and child don't print their statistics: $said"

if command -v perl >/dev/null; then # the program has a copy of its own under that number
    said=$(TOFT_MALLOC_STATISTICS=1 LD_PRELOAD=$library perl -MPOSIX -e '
        POSIX::dup2(2, 1000);
        fork() == 0 ? POSIX::write(1000, "own\n", 4) : wait;' 2>&1)
    [[ $said == *own* ]] || fail "a child loses the program's own copy of standard error: $said"
fi
if command -v perl >/dev/null; then # one that closes all its files, and opens its own under their numbers
    files=$(mktemp -d)
    trap 'rm -rf "$files"' EXIT
    (ulimit -n 500 && TOFT_MALLOC_STATISTICS=1 LD_PRELOAD=$library perl -MPOSIX -e '
        POSIX::close($_) for 0 .. 255;
        POSIX::open("$ARGV[0]/$_", O_CREAT | O_WRONLY) for 0 .. 200;' "$files")
    [[ -f $files/200 ]] || fail "perl opened no files"
    changed=$(find "$files" -type f -size +0)
    [[ -z $changed ]] || fail "statistics are in the program's own file: $changed"
fi

# --- a limit ---
if command -v perl >/dev/null; then
    few='print length("x" x 1_000_000), "\n"'
    LD_PRELOAD=$library TOFT_MALLOC_LIMIT=64M perl -e "$few" >/dev/null || fail "64 MiB don't suffice"
    LD_PRELOAD=$library TOFT_MALLOC_LIMIT=64M perl -e 'my $x = "x" x 100_000_000' 2>/dev/null &&
        fail "the limit isn't kept"
fi

for size in 64MB 64m -1 99999999999G 99999999999999999999999; do
    said=$(LD_PRELOAD=$library TOFT_MALLOC_LIMIT=$size /bin/ls / 2>&1 >/dev/null)
    [[ $said == *"TOFT_MALLOC_LIMIT is ignored"*": $size" ]] || fail "it says '$said' of the limit $size"
done
# The first 512 KiB are taken before the limit is read.
for size in 1 511K; do
    said=$(LD_PRELOAD=$library TOFT_MALLOC_LIMIT=$size /bin/true 2>&1) || fail "a program fails with a limit of $size"
    [[ $said == "toft-malloc: TOFT_MALLOC_LIMIT is taken for 512K, the least that a process has: $size" ]] ||
        fail "it says '$said' of the limit $size"
done
said=$(LD_PRELOAD=$library TOFT_MALLOC_LIMIT=512K /bin/true 2>&1) && [[ -z $said ]] || fail "it says of a limit: $said"
for nothing in '' 0 00 0K; do
    said=$(LD_PRELOAD=$library TOFT_MALLOC_LIMIT=$nothing TOFT_MALLOC_KEEP=$nothing /bin/ls / 2>&1 >/dev/null)
    [[ -z $said ]] || fail "it says of settings that set nothing: $said"
done

# --- names that are none ---
for setting in STATS=1 LIMITS=64M = LIMI=; do
    said=$(env "TOFT_MALLOC_$setting" TOFT_MALLOC_KEEP=1M LD_PRELOAD="$library" /bin/ls / 2>&1 >/dev/null)
    [[ $said == "toft-malloc: a variable is ignored"*"TOFT_MALLOC_STATISTICS, _LIMIT, _KEEP, _FOREIGN, _CHECK, _SIZED and _DEEPBIND: TOFT_MALLOC_$setting" ]] ||
        fail "it says '$said' of TOFT_MALLOC_$setting"
done
said=$(env TOFT_MALLOC=1 MY_TOFT_MALLOC_X=1 LD_PRELOAD="$library" /bin/ls / 2>&1 >/dev/null)
[[ -z $said ]] || fail "it says of other variables: $said"

# --- what is said of a value stays one line, however long that is ---
long=$(printf 'x%.0s' {1..3000})
for setting in LIMIT LIMITS; do
    said=$(env "TOFT_MALLOC_$setting=$long" LD_PRELOAD="$library" /bin/true 2>&1 && echo end)
    [[ $said == "toft-malloc: "*" is ignored"*xxx...$'\n'end ]] || fail "it says '$said' of a long value of TOFT_MALLOC_$setting"
done

# --- switches ---
for setting in FOREIGN=bogus FOREIGN=1 SIZED=no STATISTICS=yes DEEPBIND=2; do
    said=$(env "TOFT_MALLOC_$setting" LD_PRELOAD="$library" /bin/ls / 2>&1 >/dev/null)
    [[ $said == "toft-malloc: TOFT_MALLOC_${setting%=*} is ignored"*": ${setting#*=}" ]] ||
        fail "it says '$said' of $setting"
done
for setting in FOREIGN=abort FOREIGN= CHECK=0 CHECK=1 SIZED=0 SIZED=1 SIZED= STATISTICS=0 DEEPBIND=0 DEEPBIND=1; do
    said=$(env "TOFT_MALLOC_$setting" LD_PRELOAD="$library" /bin/ls / 2>&1 >/dev/null)
    [[ -z $said ]] || fail "it says of $setting: $said"
done

# --- how much stays ---
if command -v perl >/dev/null; then
    cached() { # by a process with these settings, which has freed six megabytes
        env "$@" TOFT_MALLOC_STATISTICS=1 LD_PRELOAD="$library" perl -e 'my $x = "x" x 6_000_000; undef $x' 2>&1 |
            awk '$2 == "cached_bytes" { print $3 }'
    }
    usual=$(cached)
    few=$(cached TOFT_MALLOC_KEEP=2M)
    [[ $usual -gt 6000000 && $few -lt 5000000 ]] || fail "$few bytes stay, and $usual without the setting"
fi

# --- a program that replaces operator new ---
for setting in SIZED=0 SIZED=1 FOREIGN=abort CHECK=1; do
    said=$(env "TOFT_MALLOC_$setting" LD_PRELOAD="$library" "$replaced") ||
        fail "a replaced operator new isn't called by all forms: $said objects are left"
done

# --- when the size that a delete is given is trusted ---
said=$(LD_PRELOAD=$library "$sized")
[[ $said == trusted ]] || fail "sizes aren't trusted: $said"
said=$(TOFT_MALLOC_SIZED=0 LD_PRELOAD=$library "$sized")
[[ $said == "looked up" ]] || fail "TOFT_MALLOC_SIZED=0 has no effect: $said"
said=$(TOFT_MALLOC_SIZED=0 TOFT_MALLOC_STATISTICS=1 LD_PRELOAD=$library "$sized" 2>&1 >/dev/null)
grep -q 'foreign_frees *1$' <<<"$said" || fail "a foreign pointer isn't counted: $said"
said=$(LD_PRELOAD=$library "$sized_replaced")
[[ $said == "looked up" ]] || fail "sizes are trusted though a form of new is replaced"
said=$(TOFT_MALLOC_FOREIGN=abort LD_PRELOAD=$library "$sized" 2>&1) && fail "a foreign pointer is no fault: $said"
[[ $said == *"never allocated by malloc"* ]] || fail "it says of a foreign pointer: $said"

# --- it needs no C++ run-time, and shows malloc's and C++'s names, and four of the system's ---
if command -v readelf >/dev/null; then
    needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v '^lib\(c\|dl\|pthread\)\.so' || true)
    [[ -z $needed ]] || fail "it needs $needed"
    readelf -d "$library" | grep NODELETE >/dev/null || fail "it could be unloaded"
fi
if command -v nm >/dev/null; then
    names=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vE '^(_Zn[wa]|_Zd[la]|__libc_)' | LC_ALL=C sort | tr '\n' ' ')
    expected='__register_atfork aligned_alloc calloc dlopen free free_aligned_sized free_sized mallinfo mallinfo2 malloc malloc_info malloc_stats malloc_trim malloc_usable_size mallopt memalign posix_memalign pthread_create pvalloc realloc reallocarray thrd_create toft_malloc_version valloc '
    [[ $names == "$expected" ]] || fail "it shows '$names'"
fi
