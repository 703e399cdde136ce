// SPDX-License-Identifier: MIT
// A class's own new and delete over what is current.
#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>

#include <toft/arena.hpp>
#include <toft/current.hpp>
#include <toft/current_new.hpp>
#include <toft/reap.hpp>

namespace {

struct token : toft::current_new<token> {
    explicit token(int number) : value(number) {
        if (number < 0) throw std::invalid_argument("negative");
    }
    virtual ~token() = default;
    int value;
};

struct large_token : token {
    using token::token;
    char text[300] = {};
};

struct alignas(128) wide : toft::current_new<wide> {
    char bytes[200];
};

struct plain : toft::current_new<plain> {
    void *member;
};
static_assert(sizeof(plain) == sizeof(void *) && std::is_empty_v<toft::current_new<plain>>);

} // namespace

TEST_CASE("current_new: one delete for what was made in a use and outside of all") {
    toft::arena arena;
    token *outside = new token(1);
    const std::size_t before = arena.stats().used_bytes;
    CHECK(before == 0);
    {
        toft::use here(arena);
        token *inside = new large_token(2);
        CHECK(arena.stats().used_bytes >= sizeof(large_token));
        delete inside;
        delete outside;
        const auto owned = std::make_unique<token>(3);
        CHECK(owned->value == 3);
    }
    token *made;
    {
        toft::use here(arena);
        made = new token(4);
    }
    CHECK(made->value == 4);
    arena.reset(); // without delete
}

TEST_CASE("current_new: a reap uses again what is deleted, also where a constructor throws") {
    toft::reap reap;
    toft::use here(reap);
    delete new token(0);
    const std::size_t reserved = reap.stats().reserved_bytes;
    for (int i = 0; i < 100'000; i++) delete new token(i);
    for (int i = 0; i < 10'000; i++) CHECK_THROWS_AS(new token(-1), std::invalid_argument);
    CHECK(reap.stats().reserved_bytes == reserved);
}

TEST_CASE("current_new: aligned, nothrow and placed objects, and a limit") {
    toft::arena arena({.limit_bytes = 1 << 16});
    toft::use here(arena);
    wide *a = new wide;
    wide *b = new (std::nothrow) wide;
    CHECK(reinterpret_cast<std::uintptr_t>(a) % 128 == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(b) % 128 == 0);
    delete b;
    delete a;
    alignas(token) unsigned char memory[sizeof(token)];
    token *placed = new (memory) token(5);
    CHECK(static_cast<void *>(placed) == memory);
    std::destroy_at(placed);
    bool is_full = false;
    for (int i = 0; i < 1000 && !is_full; i++)
        is_full = new (std::nothrow) large_token(i) == nullptr;
    CHECK(is_full);
    CHECK_THROWS_AS(new large_token(1), std::bad_alloc);
}
