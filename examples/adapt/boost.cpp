// SPDX-License-Identifier: MIT
// Containers of Boost's in an arena, in a reap, or on the shared pool, which they take as a
// boost::container::pmr::memory_resource.
#include <cstdio>
#include <functional>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/container/map.hpp>
#include <boost/container/pmr/string.hpp>
#include <boost/container/pmr/vector.hpp>

#include <toft/adapt/boost.hpp>
#include <toft/toft.hpp>

#include "run.h"

// Debian 12's Boost has no JSON. Where it is there, it must know the header's specialisation.
#if __has_include(<boost/json/storage_ptr.hpp>)
    #include <boost/json/storage_ptr.hpp>
static_assert(boost::json::is_deallocate_trivial<toft::boost_arena_resource>::value);
static_assert(!boost::json::is_deallocate_trivial<toft::boost_reap_resource>::value);
static_assert(!boost::json::is_deallocate_trivial<toft::boost_pool_resource>::value);
#endif

// A pool that is gone at the end of the line isn't taken, nor is none.
static_assert(!std::is_constructible_v<toft::boost_pool_resource, toft::pool>);
static_assert(!std::is_constructible_v<toft::boost_arena_resource, toft::arena>);
static_assert(!std::is_constructible_v<toft::boost_arena_resource, std::nullptr_t>);

namespace {

namespace pmr = boost::container::pmr;
constexpr std::size_t count = 2000;

// Words of 5 to 44 bytes: some lie in the string itself, and some in its memory.
template <class Words>
bool fill(Words &words) {
    for (std::size_t i = 0; i < count; i++) {
        words.emplace_back("word ");
        words.back().append(i % 40, 'x');
    }
    return words.size() == count && words[39].size() == 44;
}

// The vector hands its memory on to its strings.
bool fill_in(pmr::memory_resource &memory) {
    pmr::vector<pmr::string> words(&memory);
    const bool filled = fill(words);
    return filled && words[39].get_allocator().resource() == &memory;
}

bool throws_bad_alloc(pmr::memory_resource &memory) {
    try {
        fill_in(memory);
    } catch (const std::bad_alloc &) {
        return true;
    }
    return false;
}

bool limits_hold() {
    toft::arena arena({.limit_bytes = 20000});
    toft::reap reap({.limit_bytes = 20000});
    toft::pool pool({.limit_bytes = 20000});
    toft::boost_arena_resource in_arena(arena);
    toft::boost_reap_resource in_reap(reap);
    toft::boost_pool_resource on_pool(pool);
    return throws_bad_alloc(in_arena) && throws_bad_alloc(in_reap) && throws_bad_alloc(on_pool);
}

bool equal_by_strategy() {
    toft::arena arena, another;
    toft::reap reap;
    const toft::boost_arena_resource one(arena), same(arena.c_arena()), other(another);
    const toft::boost_reap_resource of_reap(reap), same_reap(reap.c_reap());
    const toft::boost_pool_resource shared(toft::pool::shared()), same_pool(toft_pool_shared());
    // Another type at the same address.
    const toft::boost_arena_resource inside(&reap.c_reap()->arena);
    return one == same && one != other && of_reap == same_reap && shared == same_pool &&
           one != shared && of_reap != inside && inside != of_reap;
}

// Boost's maps have pairs of their own, in which toft::allocator reaches keys and values.
bool pairs_hand_on() {
    toft::arena here, elsewhere;
    const toft::string text("longer than what a string has room for", elsewhere);
    using pair = std::pair<const toft::string, toft::string>;
    boost::container::map<toft::string, toft::string, std::less<>, toft::allocator<pair>> map(here);
    map.emplace(text, text);
    map.insert(pair(text + "1", text));
    map[text + "2"] = text;
    map.try_emplace(text + "3");
    map.try_emplace(text + "4", text);
    const toft::allocator<char> wanted(here);
    for (const auto &[key, value] : map)
        if (key.get_allocator() != wanted || value.get_allocator() != wanted) return false;
    return map.size() == 5;
}

bool run(choice way, toft::arena &arena, toft::reap &reap) {
    toft::boost_arena_resource in_arena(arena);
    toft::boost_reap_resource in_reap(reap);
    toft::boost_pool_resource on_pool(toft::pool::shared());
    if (way_is(way, "arena")) {
        const bool filled = fill_in(in_arena);
        arena.reset();
        return filled;
    }
    if (way_is(way, "reap")) return fill_in(in_reap);
    if (way_is(way, "pool")) return fill_in(on_pool);
    std::vector<std::string> words;
    return fill(words);
}

} // namespace

int main(int argc, char **argv) {
    static const char *const ways[] = {"arena", "reap", "pool", "malloc", nullptr};
    const choice chosen = choose(argc, argv, ways);
    toft::arena arena;
    toft::reap reap;
    bool filled = true;
    for (int i = chosen.rounds; i > 0; i--) filled = filled && run(chosen, arena, reap);
    std::puts(filled ? "filled" : "different");
    print_whether("on the pool", toft_pool_get_stats(toft_pool_shared()).high_water_bytes > 0);
    print_whether("in an arena", arena.stats().high_water_bytes > 0);
    print_whether("in a reap", reap.stats().high_water_bytes > 0);
    std::puts(limits_hold() ? "a limit is std::bad_alloc" : "a limit is passed");
    std::puts(equal_by_strategy() ? "equal by strategy" : "equality is wrong");
    std::puts(pairs_hand_on() ? "pairs hand memory on" : "pairs forget memory");
    print_live(toft_pool_shared());
}
