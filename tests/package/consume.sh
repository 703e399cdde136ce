#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Uses Toft as its users do.
#   consume.sh SOURCE_DIR static|shared|add_subdirectory|headers|presets
set -euo pipefail
source_directory=$1
how=$2
here=$source_directory/tests/package
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n 's/.*define TOFT_VERSION "\(.*\)"/\1/p' "$source_directory/include/toft/config.h")

fail() {
    echo "$how: $*" >&2
    exit 1
}
expect_output() { # command...
    local said
    said=$("$@") || fail "$1 failed"
    [[ $said == "toft $version" ]] || fail "$1 said '$said'"
}
quietly() { "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "$* failed"; } }

install_toft() { # cmake options...
    quietly cmake -S "$source_directory" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
        -DTOFT_TESTS=OFF -DTOFT_LAB=OFF "$@"
    quietly cmake --build "$work/build"
    quietly cmake --install "$work/build" --prefix "$work/prefix"
    library_directory=$(dirname "$(find "$work/prefix" -name pkgconfig)")
}
consume_installed() {
    quietly cmake -S "$here/find_package" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/prefix"
    quietly cmake --build "$work/consumer"
    expect_output "$work/consumer/c_app"
    expect_output "$work/consumer/cpp_app"
    command -v pkg-config >/dev/null || { echo "pkg-config is left out: it isn't here"; return; }
    export PKG_CONFIG_PATH=$library_directory/pkgconfig
    # By cc alone: there is no C++ run-time to be had.
    # shellcheck disable=SC2046
    quietly cc "$here/pkg_config/app.c" -o "$work/app" $(pkg-config --cflags --libs toft) \
        -Wl,-rpath,"$library_directory"
    expect_output "$work/app"
    [[ $(pkg-config --modversion toft) == "$version" ]] || fail "pkg-config has another version"
}

case $how in
static)
    install_toft
    consume_installed
    needed=$(nm -u "$library_directory/libtoft.a" | grep -E ' (_Z|__cxa|__gxx)' || true)
    [[ -z $needed ]] || fail "the library needs a C++ run-time: $needed"
    foreign=$(nm -g --defined-only "$library_directory/libtoft.a" |
        awk 'NF == 3 && $3 !~ /^toft_/ { print $3 }')
    [[ -z $foreign ]] || fail "these names are not Toft's: $foreign"
    ;;
shared)
    install_toft -DBUILD_SHARED_LIBS=ON
    consume_installed
    nm -D --defined-only "$library_directory/libtoft.so" | awk '{ print $3 }' | LC_ALL=C sort \
        >"$work/exports"
    diff "$here/exports.txt" "$work/exports" || fail "the exported names are not those of exports.txt"
    if readelf -d "$library_directory/libtoft.so" | grep NEEDED | grep -q 'stdc++\|libc++'; then
        fail "the library needs a C++ run-time"
    fi
    ;;
add_subdirectory)
    quietly cmake -S "$here/add_subdirectory" -B "$work/consumer" -DTOFT_SOURCE="$source_directory"
    quietly cmake --build "$work/consumer"
    expect_output "$work/consumer/c_app"
    expect_output "$work/consumer/cpp_app"
    ;;
headers) # each compiles by itself, twice over, in every language it is for
    flags=(-Wall -Wextra -Wconversion -Wpedantic -Werror -fsyntax-only
        -I"$source_directory/include")
    tried=()
    for compiler in gcc clang clang-19; do
        command -v "$compiler" >/dev/null || continue
        tried+=("$compiler")
        for header in "$source_directory"/include/toft/*; do
            name=toft/$(basename "$header")
            code="#include <$name>"$'\n'"#include <$name>"$'\nextern int not_empty;'
            if [[ $name == *.h ]]; then
                for standard in c11 c17; do
                    quietly "$compiler" -std=$standard "${flags[@]}" -x c - <<<"$code"
                done
            fi
            quietly "$compiler" -std=c++20 "${flags[@]}" -x c++ - <<<"$code"
        done
    done
    [[ ${#tried[@]} != 0 ]] || fail "there is neither gcc nor clang here"
    echo "tried with ${tried[*]}"
    ;;
presets) # what a user builds has no -Werror, which would break with each new compiler; what we test has
    cd "$source_directory"
    strict=0
    while read -r preset; do
        is_strict=$(cmake -N --preset "$preset" | grep -c 'TOFT_WERROR="ON"' || true)
        [[ $is_strict == $([[ $preset == strict-* ]] && echo 1 || echo 0) ]] ||
            fail "the preset $preset has TOFT_WERROR where it should not, or lacks it"
        strict=$((strict + is_strict))
    done < <(cmake --list-presets=configure | sed -n 's/^ *"\(.*\)".*/\1/p')
    [[ $strict != 0 ]] || fail "there is no strict preset"
    grep -qF '"strict-$preset"' scripts/test || fail "scripts/test doesn't build the strict presets"
    ;;
*) fail "unknown" ;;
esac
