// SPDX-License-Identifier: MIT
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <toft/toft.hpp>

// Tests of containers and their elements that run on memory of each kind.
namespace toft_test {

inline constexpr const char *long_text = "a text that is too long for the string itself";

// Memory of each kind, and whether its allocator has state.
struct on_arena {
    toft::arena owner;
    toft::allocator<char> allocator = owner;
    static constexpr bool state = true;
};
struct on_reap {
    toft::reap owner;
    toft::allocator<char, toft::reap> allocator = owner;
    static constexpr bool state = true;
};
struct on_pool {
    toft::pool owner;
    toft::allocator<char, toft::pool> allocator = owner;
    static constexpr bool state = true;
};
struct on_shared_pool {
    toft::pool_allocator<char> allocator;
    static constexpr bool state = false;
};

template <class T, class Allocator>
using vector_of =
    std::vector<T, typename std::allocator_traits<Allocator>::template rebind_alloc<T>>;
template <class K, class V, class Allocator>
using map_of = std::map<
    K, V, std::less<>,
    typename std::allocator_traits<Allocator>::template rebind_alloc<std::pair<const K, V>>>;
template <class Allocator>
using string_of = std::basic_string<char, std::char_traits<char>, Allocator>;

} // namespace toft_test

#define TEST_ON_EACH(name)                                                                         \
    TEST_CASE_TEMPLATE(name, Memory, toft_test::on_arena, toft_test::on_reap, toft_test::on_pool,  \
                       toft_test::on_shared_pool)
