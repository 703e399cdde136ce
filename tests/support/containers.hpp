// SPDX-License-Identifier: MIT
// What the tests of containers share: elements that throw, containers filled with numbers, and two
// places of a kind whose allocators differ.
#ifndef TOFT_TESTS_SUPPORT_CONTAINERS_HPP
#define TOFT_TESTS_SUPPORT_CONTAINERS_HPP

#include <compare>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "support/counting_upstream.hpp"

namespace toft_test {

// Counts its objects; one construction of many throws, if so set.
struct fragile {
    static inline int alive = 0;
    static inline int until_throw = 0;
    int value;

    fragile(int given) : value(given) { begin(); }
    fragile(const fragile &other) : value(other.value) { begin(); }
    fragile(fragile &&other) : value(std::exchange(other.value, -1)) { begin(); } // may throw
    fragile &operator=(const fragile &) = default;
    fragile &operator=(fragile &&) = default;
    ~fragile() { alive--; }
    auto operator<=>(const fragile &other) const { return value <=> other.value; }
    bool operator==(const fragile &other) const { return value == other.value; }

  private:
    static void begin() {
        if (until_throw != 0 && --until_throw == 0) throw std::runtime_error("as asked");
        alive++;
    }
};
struct hash_fragile {
    std::size_t operator()(const fragile &f) const { return static_cast<std::size_t>(f.value); }
};

// How a container's elements are made from a number, and put in.
template <class C>
concept keyed = requires { typename C::key_type; };
template <class C>
concept mapped = requires { typename C::mapped_type; };
template <class C>
concept front_only = !keyed<C> && !requires(C &c) { c.push_back(*c.begin()); };

template <class C>
void put(C &c, int n) {
    if constexpr (mapped<C>)
        c.emplace(n, n);
    else if constexpr (keyed<C>)
        c.emplace(n);
    else if constexpr (front_only<C>)
        c.emplace_front(n);
    else
        c.push_back(static_cast<typename C::value_type>(n));
}

template <class C>
C filled(const typename C::allocator_type &in, int from, int to) {
    C c(in);
    for (int n = from; n != to; n++) put(c, n);
    return c;
}

// Two owners of one strategy, and an allocator for T on either.
template <class Strategy>
struct two {
    counting_upstream upstream;
    Strategy one{{.upstream = upstream.c()}}, other{{.upstream = upstream.c()}};
    template <class C>
    typename C::allocator_type on_one() {
        return one;
    }
    template <class C>
    typename C::allocator_type on_other() {
        return other;
    }
};
template <class Resource, class Strategy>
struct two_resources {
    counting_upstream upstream;
    Strategy one{{.upstream = upstream.c()}}, other{{.upstream = upstream.c()}};
    Resource first{one}, second{other};
    template <class C>
    typename C::allocator_type on_one() {
        return &first;
    }
    template <class C>
    typename C::allocator_type on_other() {
        return &second;
    }
};

} // namespace toft_test

#endif
