#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The README's one line, `cc app.c toft/src/*/*.c ...`, by the compilers and for the systems that are here, and by
# gcc and clang its two lines for C++; and a plug-in that is built so, for a program that has a Toft of its own and
# shows its symbols:
#   one_line.sh SOURCE_DIR gcc|clang|gcc-c11|clang-c11|musl|aarch64|i686|plug-in-gcc|plug-in-clang|plug-in-musl
set -euo pipefail
source_directory=$1
how=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/.*define TOFT_VERSION "\(.*\)"/\1/p' "$source_directory/include/toft/config.h")

leave_out() {
    echo "left out: $*"
    exit 77
}
# Prints the first of the commands that is here.
first_of() { command -v "$@" | head -n 1; }

emulator=()
case $how in
gcc | clang) compiler=("$how") ;;
gcc-c11 | clang-c11) compiler=("${how%-c11}" -std=c11) ;;
musl) compiler=(musl-gcc -static) ;;
plug-in-gcc | plug-in-clang) compiler=("${how#plug-in-}") ;;
plug-in-musl) compiler=(musl-gcc) ;;
aarch64 | i686)
    compiler=("$how-linux-gnu-gcc" -static)
    cpu=${how/i686/i386}
    emulator=("$(first_of "qemu-$cpu" "qemu-$cpu-static" || true)")
    [[ -n ${emulator[0]} ]] || leave_out "there is no qemu-$cpu here"
    ;;
*)
    echo "one line: $how is unknown" >&2
    exit 2
    ;;
esac
command -v "${compiler[0]}" >/dev/null || leave_out "there is no ${compiler[0]} here"

# As a user has it: their program, and a folder toft beside it.
cd "$work"
ln -s "$source_directory" toft
build() { # options and files of the user...
    "${compiler[@]}" "$@" toft/src/*/*.c -Itoft/include -Itoft/src -pthread 2>>log || {
        cat log
        echo "one line: ${compiler[*]} $* failed" >&2
        exit 1
    }
}
app=(./app)
if [[ $how == plug-in-* ]]; then
    cp toft/tests/package/plug_in/*.c .
    build -O2 -fvisibility=hidden -shared -fPIC plug_in.c -o plug_in.so
    build -rdynamic host.c -ldl -o app
    app+=(./plug_in.so)
else
    cp toft/tests/package/one_line/app.c .
    build -fvisibility=hidden app.c -o app
fi
said=$("${emulator[@]}" "${app[@]}") || {
    echo "one line, $how: the program failed" >&2
    exit 1
}
[[ $said == "toft $version" ]] || {
    echo "one line, $how: the program said '$said'" >&2
    exit 1
}
# Users see the warnings of our sources too.
[[ ! -s log ]] || {
    cat log
    echo "one line: ${compiler[*]} warned" >&2
    exit 1
}
if [[ $how == gcc || $how == clang ]]; then
    cat >app.cpp <<'APP'
#include <toft/toft.hpp>
int main() {
    toft::list<int, toft::shared_pool> list(3);
    return list.size() == 3 ? 0 : 1;
}
APP
    "$how" -r -O2 -DNDEBUG -fvisibility=hidden toft/src/*/*.c -Itoft/include -Itoft/src -o toft.o
    "${how/gcc/g}++" -std=c++20 -O2 app.cpp toft.o -Itoft/include -pthread -o app_cpp
    ./app_cpp
fi
# What the README has for clang's sanitizers.
if [[ $how == clang ]]; then
    mkdir objects
    for f in toft/src/*/*.c; do
        clang -fsanitize=address -O1 -c "$f" -Itoft/include -Itoft/src -o "objects/$(echo "$f" | tr / -).o"
    done
    ld -r objects/*.o -o toft.o
    clang++ -fsanitize=address -std=c++20 app.cpp toft.o -Itoft/include -pthread -o app_cpp
    ./app_cpp
fi
echo "compiled by ${compiler[*]}${emulator[0]:+, run under ${emulator[0]}}"
