#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Uses Toft as its users do.
#   consume.sh SOURCE_DIR static|shared|link_time|only_c|sanitized|add_subdirectory|headers|headers_plain|
#     headers_before_cpp20|musl|presets|port
#   consume.sh SOURCE_DIR fortified|plain_cpp|macros [LIBRARY]
# LIBRARY is a static libtoft.a that is built already. Without it these compile the sources themselves.
set -euo pipefail
source_directory=$1
how=$2
built_library=${3:-}
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

# Sets compilers to those that are here, and cpp_compilers, among them the clang that has a libc++ with std::pmr.
# This takes 3 seconds: a test that uses none of them doesn't call it.
find_compilers() {
    local compiler
    compilers=()
    for compiler in gcc clang clang-19; do
        if command -v "$compiler" >/dev/null; then compilers+=("$compiler"); fi
    done
    cpp_compilers=()
    for compiler in g++ clang++ clang++-19 "clang++-19 -stdlib=libc++"; do
        # shellcheck disable=SC2086
        if echo '#include <memory_resource>' | $compiler -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
            cpp_compilers+=("$compiler")
        fi
    done
    [[ ${#compilers[@]} != 0 && ${#cpp_compilers[@]} != 0 ]] || fail "there is neither gcc nor clang here"
    # A short run tries what is about the language, not about the library, with GCC and the newest clang; and each
    # header by itself as C with the same, as C++ with the latter alone, whose library brings the fewest headers along.
    language_compilers=("${cpp_compilers[0]}")
    [[ ${#cpp_compilers[@]} == 1 ]] || language_compilers+=("${cpp_compilers[-1]}")
    header_compilers=("${cpp_compilers[-1]}")
    c_header_compilers=("${compilers[0]}")
    [[ ${#compilers[@]} == 1 ]] || c_header_compilers+=("${compilers[-1]}")
    c_standards=(c11)
    cpp_standards=(c++11)
    left_out=none
    if ! echo '#include <boost/container/pmr/memory_resource.hpp>' |
        ${cpp_compilers[0]} -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
        left_out=toft/adapt/boost.hpp
        echo "$left_out is left out: there is no Boost here"
    fi
    [[ -n ${TOFT_TEST_LONG:-} ]] || return 0
    language_compilers=("${cpp_compilers[@]}")
    header_compilers=("${cpp_compilers[@]}")
    c_header_compilers=("${compilers[@]}")
    c_standards+=(c17)
    cpp_standards+=(c++14 c++17)
}
our_headers() { printf '%s\n' "$@" | grep -vx "$left_out"; } # those of the folder include that can be had
needs_cpp20() { [[ $1 == *.hpp && ! $1 =~ ^toft/(adapt/boost|detail/(c_calls|virtual_table))\.hpp$ ]]; }
# Where a check isn't about speed, nor about the drop-in, a short run builds no drop-in and optimises little.
quick=(-DTOFT_MALLOC=OFF -DCMAKE_C_FLAGS_RELEASE="-O1 -DNDEBUG")
[[ -z ${TOFT_TEST_LONG:-} ]] || quick=()

install_toft() { # cmake options...
    rm -rf "$work/prefix"
    quietly cmake -S "$source_directory" -B "$work/build" -DCMAKE_BUILD_TYPE=Release \
        -DTOFT_TESTS=OFF -DTOFT_LAB=OFF "$@"
    quietly cmake --build "$work/build"
    quietly cmake --install "$work/build" --prefix "$work/prefix"
    library_directory=$(dirname "$(find "$work/prefix" -name pkgconfig)")
}
expect_flags() { # folder of toft.pc, flags of pkg-config...
    command -v pkg-config >/dev/null || return 0
    local flag said
    said=$(PKG_CONFIG_PATH=$1 pkg-config --cflags --libs toft)
    for flag in "${@:2}"; do [[ " $said " == *" $flag "* ]] || fail "pkg-config says $said without $flag"; done
}
consume_installed() { # programs that must have been built...
    local program
    quietly cmake -S "$here/find_package" -B "$work/consumer" -DCMAKE_PREFIX_PATH="$work/prefix"
    quietly cmake --build "$work/consumer"
    for program in "$@"; do expect_output "$work/consumer/$program"; done
    command -v pkg-config >/dev/null || { echo "pkg-config is left out: it isn't here"; return; }
    export PKG_CONFIG_PATH=$library_directory/pkgconfig
    # By cc alone: there is no C++ run-time to be had.
    # shellcheck disable=SC2046
    quietly cc "$here/pkg_config/app.c" -o "$work/app" $(pkg-config --cflags --libs toft) \
        -Wl,-rpath,"$library_directory"
    expect_output "$work/app"
    [[ $(pkg-config --modversion toft) == "$version" ]] || fail "pkg-config has another version"
}

expect_component() { # name, whether the installation has it
    local found=yes
    cmake -S "$here/find_package" -B "$work/components" -DCMAKE_PREFIX_PATH="$work/prefix" -Dcomponents="$1" \
        >"$work/log" 2>&1 || found=no
    [[ $found == "$2" ]] || fail "find_package finds the component $1: $found"
    [[ $found == yes ]] || tr -s " \n" " " <"$work/log" | grep "lacks $1" >/dev/null || fail "it doesn't say that $1 is missing"
}

flags=(-Wall -Wextra -Wconversion -Wpedantic -Werror -fsyntax-only -I"$source_directory/include")
cpp_flags=(-Wold-style-cast -Wzero-as-null-pointer-constant)
compile_cpp() { # compiler, code, options...
    local compiler=$1 code=$2
    shift 2
    [[ $compiler != clang* ]] || set -- "$@" -Wmissing-prototypes # which GCC has for C alone
    # shellcheck disable=SC2086
    quietly $compiler "$@" "${flags[@]}" "${cpp_flags[@]}" -x c++ - <<<"$code"
}
try_headers() { # in every language it is for
    local compiler standard
    # Programs include these only through others, which are tried.
    [[ $1 != toft/detail/*.hpp || -n ${TOFT_TEST_LONG:-} ]] || return 0
    for compiler in "${header_compilers[@]}"; do compile_cpp "$compiler" "$2" -std=c++20; done
    needs_cpp20 "$1" && return
    for compiler in "${c_header_compilers[@]}"; do
        [[ $1 == *.h ]] || break
        for standard in "${c_standards[@]}"; do
            quietly "$compiler" -std=$standard "${flags[@]}" -Wdeclaration-after-statement -x c - <<<"$2"
        done
        quietly "$compiler" -std=c99 "${flags[@]}" -x c - <<<"$2"
    done
    for compiler in "${header_compilers[@]}"; do
        for standard in "${cpp_standards[@]}"; do
            compile_cpp "$compiler" "$2" -std=$standard
        done
    done
}
# A short run tries each header with empty files in place of C++'s own headers, which take nearly all of the time:
# what Toft defines for C++20 uses them, and so can't be compiled without them.
before_cpp20=()
empty_cpp_headers() {
    [[ -z ${TOFT_TEST_LONG:-} ]] || return 0
    local name
    while read -r name; do
        mkdir -p "$(dirname "$work/empty/$name")"
        : >"$work/empty/$name"
    done < <(grep -rhoE '^ *# *include <[^>]+>' "$source_directory/include" | sed 's/.*<\(.*\)>/\1/' |
        grep -vE '^toft/|\.h$')
    before_cpp20=(-nostdinc++ -isystem "$work/empty")
}
try_headers_before_cpp20() { # C++ headers say one thing, and that clearly
    needs_cpp20 "$1" || return 0
    local compiler
    for compiler in "${header_compilers[@]}"; do
        # Clang warns of a choice of C++'s own headers where it is to take none.
        [[ ${#before_cpp20[@]} == 0 ]] || compiler=${compiler% -stdlib=*}
        # shellcheck disable=SC2086
        if $compiler -std=c++17 "${before_cpp20[@]}" "${flags[@]}" -x c++ - <<<"$2" >"$work/log" 2>&1; then
            fail "$compiler takes $1 as C++17"
        fi
        [[ $(grep -c 'error:' "$work/log") == 1 ]] && grep -q 'error:.*need C++20' "$work/log" && continue
        cat "$work/log" >&2
        fail "$compiler says more of $1 than that it needs C++20"
    done
}
find_library() { # sets toft_library: the one that is built already, or all objects of the sources as one
    toft_library=$built_library
    [[ -z $toft_library ]] || return 0
    toft_library=$work/toft.o
    quietly cc -r -O1 "$source_directory"/src/*/*.c -I"$source_directory/include" -I"$source_directory/src" \
        -o "$toft_library"
}

case $how in
fortified | plain_cpp | headers | headers_plain | headers_before_cpp20 | macros) find_compilers ;;
esac
case $how in
static)
    install_toft
    consume_installed c_app cpp_app malloc_app
    expect_component malloc yes
    expect_component arena no
    needed=$(nm -u "$library_directory/libtoft.a" | grep -E ' (_Z|__cxa|__gxx)' |
        grep -vw __cxa_atexit || true) # which is the C library's
    [[ -z $needed ]] || fail "the library needs a C++ run-time: $needed"
    foreign=$(nm -g --defined-only "$library_directory/libtoft.a" |
        awk 'NF == 3 && $3 !~ /^toft_/ { print $3 }')
    [[ -z $foreign ]] || fail "these names are not Toft's: $foreign"
    # Who has no current strategy pays nothing for it: two thread-local variables of 8 bytes are all.
    thread_local=$(readelf -lW "$work/consumer/c_app" | awk '$1 == "TLS" { print $6 }')
    ((thread_local <= 16)) || fail "a program has $thread_local thread-local bytes"
    ! nm "$library_directory/libtoft.a" | grep ' U toft_check_failed' ||
        fail "a release has checks of invariants"
    # Libraries that have a Toft in them don't meddle with each other. The same build is installed once more,
    # with its headers elsewhere.
    install_toft -DCMAKE_INSTALL_INCLUDEDIR="$work/headers"
    [[ ! -e $work/prefix/include/toft ]] || fail "the headers aren't where CMAKE_INSTALL_INCLUDEDIR says"
    expect_flags "$library_directory/pkgconfig" -I"$work/headers"
    quietly cmake -S "$here/two_copies" -B "$work/copies" -DCMAKE_PREFIX_PATH="$work/prefix"
    quietly cmake --build "$work/copies"
    expect_output timeout 60 "$work/copies/app" "$work/copies/liblate.so"
    quietly cmake -S "$source_directory" -B "$work/build" -DCMAKE_INSTALL_PREFIX=/one \
        -DCMAKE_INSTALL_INCLUDEDIR=include -DCMAKE_INSTALL_LIBDIR=/other/lib
    expect_flags "$work/build" -I/one/include -L/other/lib
    ;;
shared)
    install_toft -DBUILD_SHARED_LIBS=ON "${quick[@]}"
    programs=(c_app cpp_app)
    [[ ${#quick[@]} != 0 ]] || programs+=(malloc_app)
    consume_installed "${programs[@]}"
    [[ ${#quick[@]} == 0 ]] || expect_component malloc no
    nm -D --defined-only "$library_directory/libtoft.so" | awk '{ print $3 }' | LC_ALL=C sort \
        >"$work/exports"
    diff "$here/exports.txt" "$work/exports" || fail "the exported names are not those of exports.txt"
    if readelf -d "$library_directory/libtoft.so" | grep NEEDED | grep 'stdc++\|libc++' >/dev/null; then
        fail "the library needs a C++ run-time"
    fi
    ;;
link_time) # optimised when it is linked, as many distributions build all that they have
    install_toft -DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON
    consume_installed c_app cpp_app malloc_app
    dropin=$library_directory/libtoft-malloc.so
    for name in malloc free calloc realloc memalign valloc pvalloc; do
        nm -D --defined-only "$dropin" | grep -w "__libc_$name" >/dev/null ||
            fail "__libc_$name isn't the drop-in's"
    done
    if readelf -d "$dropin" | grep NEEDED | grep 'stdc++\|libc++' >/dev/null; then
        fail "the drop-in needs a C++ run-time"
    fi
    ;;
only_c)
    CXX=/nonexistent quietly cmake -S "$here/only_c" -B "$work/consumer" -DTOFT_SOURCE="$source_directory"
    grep "libtoft-malloc is left out: it needs a C++ compiler" "$work/log" >/dev/null ||
        fail "CMake doesn't say that the drop-in is left out"
    quietly cmake --build "$work/consumer"
    expect_output "$work/consumer/c_app"
    quietly cmake -S "$here/only_c" -B "$work/other" -DTOFT_SOURCE="$source_directory" -DTOFT_MALLOC=OFF
    ;;
sanitized) # clang leaves the sanitizer's run-time to the program
    if ! echo 'int main(void) { return 0; }' | clang -fsanitize=address -x c - -o "$work/app"; then
        echo "left out: there is no clang here with a run-time of AddressSanitizer"
        exit
    fi
    CC=clang CXX=clang++ quietly cmake -S "$source_directory" -B "$work/build" -DTOFT_TESTS=OFF \
        -DTOFT_LAB=OFF -DCMAKE_C_FLAGS=-fsanitize=address -DCMAKE_CXX_FLAGS=-fsanitize=address
    # What the sanitizer's run-time is missing from is a link, and an archive isn't linked.
    targets=(--target toft_malloc)
    [[ -z ${TOFT_TEST_LONG:-} ]] || targets=()
    quietly cmake --build "$work/build" "${targets[@]}"
    ;;
add_subdirectory)
    quietly cmake -S "$here/add_subdirectory" -B "$work/consumer" -DTOFT_SOURCE="$source_directory"
    quietly cmake --build "$work/consumer"
    expect_output "$work/consumer/c_app"
    expect_output "$work/consumer/cpp_app"
    for language in C CXX; do
        quietly cmake -S "$here/one_language" -B "$work/$language" -DTOFT_SOURCE="$source_directory" \
            -DTOFT_LANGUAGE=$language
    done
    quietly cmake --build "$work/C" --target app
    expect_output "$work/C/app"
    ;;
fortified) # the compiler's checks of sizes agree with what the headers promise
    cd "$source_directory"
    find_library
    for compiler in "${compilers[@]}"; do
        for level in 2 3; do
            quietly "$compiler" -O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$level -Wall -Wextra -Werror \
                "$here/fortified/app.c" "$toft_library" -Iinclude -pthread -o "$work/app"
            expect_output "$work/app"
        done
    done
    echo "tried with ${compilers[*]}"
    ;;
plain_cpp) # no exceptions, and RTTI in all, none or some of a program's files, in either order
    cd "$source_directory"
    find_library
    options=(-std=c++20 -fno-exceptions -Wall -Wextra -Werror -Iinclude)
    for compiler in "${language_compilers[@]}"; do
        for rtti in rtti no-rtti; do
            for each in app other; do
                # shellcheck disable=SC2086
                quietly $compiler "${options[@]}" -f$rtti -c "$here/plain_cpp/$each.cpp" \
                    -o "$work/$each.$rtti"
            done
        done
        for objects in {app.rtti,app.no-rtti}\ {other.rtti,other.no-rtti} \
            {other.rtti,other.no-rtti}\ {app.rtti,app.no-rtti}; do
            # shellcheck disable=SC2086
            (cd "$work" && quietly $compiler $objects "$toft_library" -pthread -o program)
            expect_output "$work/program"
        done
        # A file without exceptions among others leaves them theirs, wherever it is linked.
        # shellcheck disable=SC2086
        quietly $compiler "${options[@]}" -c "$here/plain_cpp/quiet.cpp" -o "$work/quiet"
        # shellcheck disable=SC2086
        quietly $compiler "${options[@]}" -fexceptions -c "$here/plain_cpp/catches.cpp" -o "$work/catches"
        for objects in "quiet catches" "catches quiet"; do
            # shellcheck disable=SC2086
            (cd "$work" && quietly $compiler $objects "$toft_library" -pthread -o program)
            expect_output "$work/program"
        done
    done
    printf 'tried with %s\n' "${language_compilers[@]}"
    ;;
headers | headers_before_cpp20) # each by itself, twice over
    cd "$source_directory/include"
    if [[ $how == headers_before_cpp20 ]]; then
        # First all together, with C++'s own headers.
        try_headers_before_cpp20 all.hpp "$(printf '#include <%s>\n' $(our_headers toft/*.hpp toft/*/*.hpp))"
        empty_cpp_headers
    fi
    for name in $(our_headers toft/*.h* toft/*/*.h*); do
        code="#include <$name>"$'\n'"#include <$name>"$'\nextern int not_empty;'
        "try_$how" "$name" "$code"
    done
    printf 'tried with %s\n' "${header_compilers[@]}"
    ;;
headers_plain) # together, without what some programs do without; options in a list, as in C; objects by type in C99
    cd "$source_directory/include"
    options_in_a_list=$(printf '%s\n' '#include <toft/arena.h>' '#include <toft/pool.h>' \
        'toft_upstream upstream = {nullptr, nullptr, nullptr};' \
        'toft_arena_options of_arena = {&upstream, nullptr, 0, 0, 0, 0};' \
        'toft_pool_options of_pool = {&upstream, 0, 0, "list"};')
    by_type=$(printf '%s\n' '#include <toft/arena.h>' 'struct node { int n; };' \
        'extern struct node *make(toft_arena *arena);' \
        'struct node *make(toft_arena *arena) { return toft_new(arena, struct node); }')
    code=$(printf '#include <%s>\n' $(our_headers toft/*.h* toft/*/*.h*))
    for compiler in "${language_compilers[@]}"; do
        compile_cpp "$compiler" "$code" -std=c++20 -fno-rtti -fno-exceptions -fno-char8_t
        compile_cpp "$compiler" "$options_in_a_list" -std=c++11
    done
    for compiler in "${c_header_compilers[@]}"; do
        quietly "$compiler" -std=c99 "${flags[@]}" -x c - <<<"$by_type"
    done
    printf 'tried with %s\n' "${language_compilers[@]}"
    ;;
musl) # whose programs can't load late what has its thread-local variables in the room of a program's own
    if ! command -v musl-gcc >/dev/null; then
        echo "left out: there is no musl-gcc here"
        exit 77
    fi
    CC=musl-gcc install_toft "${quick[@]}" -DTOFT_MALLOC=OFF
    options=(-I"$work/prefix/include" "$library_directory/libtoft.a" -pthread)
    quietly musl-gcc -shared -fPIC "$here/plug_in/plug_in.c" "${options[@]}" -o "$work/plug_in.so"
    quietly musl-gcc -rdynamic "$here/plug_in/host.c" "${options[@]}" -o "$work/app"
    expect_output "$work/app" "$work/plug_in.so"
    ;;
macros) # of other libraries, and warnings that few programs ask for
    cd "$source_directory"
    { # The standard headers, then the macros.
        grep -rhoE '^ *# *include <[a-z_]+(\.h)?>' include "$here/macros/app.cpp" | sort -u
        echo "#include \"$here/macros/macros.h\""
    } >"$work/before.h"
    (cd include && printf '#include <%s>\n' toft/*.h toft/*/*.h) |
        cat <(grep '\.h[">]' "$work/before.h") - >"$work/all.c"
    (cd include && printf '#include <%s>\n' toft/*.h* toft/*/*.h*) |
        grep -vE 'nlohmann|boost' | # which have others' headers
        cat "$work/before.h" - "$here/macros/app.cpp" >"$work/all.cpp"
    for compiler in "${compilers[@]}"; do
        quietly "$compiler" -std=c11 -Wall -Wextra -Werror -Iinclude -fsyntax-only "$work/all.c"
    done
    find_library
    for compiler in "${language_compilers[@]}"; do
        more=(-Wall -Wextra -Werror)
        [[ $compiler != g++* ]] || more+=(-Wuseless-cast -Weffc++)
        # shellcheck disable=SC2086
        quietly $compiler -std=c++20 "${more[@]}" -Iinclude "$work/all.cpp" "$toft_library" -pthread -o "$work/app"
        expect_output "$work/app"
    done
    printf 'tried with %s\n' "${language_compilers[@]}"
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
port) # a system that Toft doesn't know takes one file; without it, all says so
    mkdir "$work/toft"
    cp -r "$source_directory"/{CMakeLists.txt,cmake,include,src,lab} "$work/toft"
    cd "$work/toft"
    configure=(cmake -S . -B build -DCMAKE_SYSTEM_NAME=Newland -DTOFT_LAB=ON -DTOFT_TESTS=OFF -DTOFT_WERROR=ON)
    ! "${configure[@]}" >"$work/log" 2>&1 || fail "a system without its file is configured"
    tr -s ' \n' ' ' <"$work/log" | grep "write src/os/newland.c, as docs/porting.md says" >/dev/null ||
        fail "CMake doesn't say what is missing"
    elsewhere=(cc -std=c11 -U__linux__ -pedantic-errors -Iinclude -Isrc -c src/os/unknown.c -o "$work/object")
    ! "${elsewhere[@]}" >"$work/log" 2>&1 || fail "a system without its file is compiled"
    grep 'error:.*docs/porting.md' "$work/log" >/dev/null || fail "the compiler doesn't say what is missing"
    [[ $(grep -c 'error:' "$work/log") == 1 ]] || fail "the compiler says more than what is missing"
    quietly "${elsewhere[@]}" -DTOFT_PORT
    for file in src/os/*.c; do # each is empty elsewhere; its own names are then defined nowhere
        [[ $file != */unknown.c ]] || continue
        quietly cc -std=c11 -U__linux__ -pedantic-errors -Iinclude -Isrc -c "$file" -o "$work/object"
        ! nm "$work/object" | grep 'T toft_os_' || fail "$file isn't guarded by its system"
    done
    sed 's/defined(__linux__)/1/' src/os/linux.c >src/os/newland.c
    rm -rf build src/os/linux.c
    "${configure[@]}" >"$work/log" 2>&1 || fail "a port isn't configured: $(cat "$work/log")"
    tr -s ' \n' ' ' <"$work/log" | grep "The command toft is left out" >/dev/null ||
        fail "CMake doesn't say that the lab is left out"
    quietly cmake --build build
    nm build/src/libtoft.a 2>/dev/null | grep 'T toft_os_map' >/dev/null || fail "the port isn't part of the library"
    sed -i 's/define TOFT_VERSION "[^"]*"/define TOFT_VERSION "7.8.9"/' include/toft/config.h
    quietly cmake --build build
    grep '^Version: 7.8.9$' build/toft.pc >/dev/null || fail "a build goes on with the version from before"
    ;;
*) fail "unknown" ;;
esac
