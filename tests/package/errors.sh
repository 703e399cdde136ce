#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What compilers say of programs that can't be right:  errors.sh SOURCE_DIR
set -euo pipefail
source_directory=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Each names its library's messages: GCC with libstdc++, and the newest clang with libc++.
compilers=()
for compiler in g++ "clang++-19 -stdlib=libc++"; do
    # shellcheck disable=SC2086
    if echo '#include <concepts>' | $compiler -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
        compilers+=("$compiler")
        [[ -n ${TOFT_TEST_LONG:-} ]] || break # one is enough for a short run
    fi
done
[[ ${#compilers[@]} != 0 ]] || { echo "neither g++ nor clang++-19 is here"; exit 77; }

# The headers are parsed once for all statements: both compilers take FILE.gch where FILE is to be included.
precompile() { # compiler
    # shellcheck disable=SC2086
    $1 -std=c++20 -I"$source_directory/include" -x c++-header "$source_directory/include/toft/toft.hpp" \
        -o "$work/${1%% *}.hpp.gch"
}
compile() { # compiler, statements
    local code="struct base { int a; }; struct derived : base { int b; };
        void use(toft::arena &arena, toft::reap &reap, toft::pool &pool, toft::string &text) {
            (void)arena, (void)reap, (void)pool, (void)text;
            $2
        }"
    # shellcheck disable=SC2086
    LC_ALL=C $1 -std=c++20 -fsyntax-only -include "$work/${1%% *}.hpp" -x c++ - <<<"$code" >"$work/log" 2>&1
}
fail() {
    cat "$work/log" >&2
    echo "$*" >&2
    exit 1
}
for compiler in "${compilers[@]}"; do precompile "$compiler"; done
all_right=
expect() { # a phrase, a statement that is wrong, and one that is right instead
    local compiler
    for compiler in "${compilers[@]}"; do
        ! compile "$compiler" "$2" || fail "$compiler takes: $2"
        grep -qF "$1" "$work/log" || fail "$compiler doesn't say '$1' of: $2"
    done
    all_right+="{ $3 }"$'\n'
}

pass='toft: pass the arena: v(arena), string(..., arena); in a library: pool_allocator'
expect "$pass" 'auto part = text.substr(1, 2);' 'toft::string part(text, 1, 2, arena);'
expect "$pass" 'toft::vector<int> numbers;' 'toft::vector<int> numbers(arena);'
expect "$pass" 'toft::string name("a");' 'toft::string name("a", arena);'
expect "$pass" 'toft::map<toft::string, int> m(arena); m["b"];' \
    'toft::map<toft::string, int> m(arena); m.try_emplace(toft::string("b", arena));'
expect "$pass" 'toft::unordered_map<toft::string, int> m(arena); m["b"];' \
    'toft::unordered_map<toft::string, int> m(arena); m[toft::string("b", arena)];'
# As a library has it, for what it hands out where there is nothing.
expect "$pass" 'static const std::vector<int, toft::allocator<int>> none;' \
    'static const std::vector<int, toft::pool_allocator<int>> none;
     static const std::vector<int, toft::current_allocator<int>> none_current;'
other='toft: name its strategy: toft::vector<T, toft::reap>'
expect "$other" 'toft::vector<int> v(reap);' 'toft::vector<int, toft::reap> v(reap);'
expect "$other" 'toft::map<int, int> m(pool);' 'toft::map<int, int, toft::pool> m(pool);'
expect "$other" 'toft::list<int, toft::reap> l(arena);' 'toft::list<int> l(arena);'
array="an arena's make_span<T>(n), or make_unique<T[]>(n)"
expect "$array" '(void)arena.make<int[4]>();' '(void)arena.make_span<int>(4);'
expect "$array" '(void)arena.make_span<int[4]>(3);' '(void)arena.make_span<int>(12);'
expect "$array" '(void)pool.make<int[4]>();' '(void)pool.make_unique<int[]>(4);'
expect "$array" '(void)reap.make<int[4]>();' '(void)toft::make_unique<int[], toft::reap>(reap, 4);'
expect "$array" '(void)toft::make_unique<int[4]>(arena);' '(void)toft::make_unique<int[]>(arena, 4);'
expect 'toft: use toft::make_unique<T, toft::reap>(reap, ...)' '(void)reap.make<std::string>("x");' \
    '(void)toft::make_unique<std::string, toft::reap>(reap, "x");'
expect 'toft: it frees as many bytes as a T has' \
    'toft::deleter<base> d(toft::make_unique<derived>(arena).get_deleter());' \
    'std::shared_ptr<base> p(toft::make_unique<derived>(arena));'
struct_both='struct a : toft::pooled<a> {}; struct b : toft::pooled<b> {}; struct both : a, b'
expect 'toft: two pooled bases: using one::operator new' "$struct_both {}; (void)new both;" \
    "$struct_both { using a::operator new, a::operator delete; }; delete new both;"
expect 'toft: in your own memory: ::new (memory) T' \
    'struct a : toft::pooled<a> {}; (void)new (static_cast<void *>(&text)) a;' \
    'struct a : toft::pooled<a> {}; (void)::new (static_cast<void *>(&text)) a;'
for compiler in "${compilers[@]}"; do
    compile "$compiler" "$all_right" || fail "$compiler refuses what is right"
done
printf 'tried with %s\n' "${compilers[@]}"
