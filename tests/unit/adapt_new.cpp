// SPDX-License-Identifier: MIT
// operator new and delete of this whole program, its test framework included, over what is current.
#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include <toft/adapt/new.hpp>
#include <toft/arena.hpp>
#include <toft/reap.hpp>

#include "support/build.hpp"

using namespace toft_test;

namespace {

using words = std::map<std::string, std::vector<std::size_t>>;

std::unique_ptr<words> count(std::size_t n) {
    auto counted = std::make_unique<words>();
    for (std::size_t i = 0; i < n; i++)
        (*counted)["a word that is too long for its string " + std::to_string(i % 50)].push_back(i);
    return counted;
}

struct alignas(128) wide {
    char bytes[200];
};

int handler_calls = 0;

} // namespace

TEST_CASE("new: what a use makes lies in its arena, and goes with it") {
    toft::arena arena;
    for (int round = 0; round < 3; round++) {
        const words *made;
        {
            toft::use here(arena);
            made = count(5000).release();
        }
        CHECK(made->size() == 50);
        CHECK(made->begin()->second.size() == 100);
        CHECK(arena.stats().used_bytes >= 5000 * sizeof(std::size_t));
        arena.reset(); // without delete
    }
}

TEST_CASE("new: what is freed in the use of a reap is used again") {
    toft::reap reap;
    toft::use here(reap);
    count(5000);
    const std::size_t reserved = reap.stats().reserved_bytes;
    for (int round = 0; round < 20; round++) count(5000);
    CHECK(reap.stats().reserved_bytes <= reserved * 2);
}

TEST_CASE("new: outside of all uses objects are the shared pool's, on every thread") {
    const std::size_t before = toft::pool::shared().stats().live_bytes;
    auto counted = count(1000);
    CHECK(toft::pool::shared().stats().live_bytes > before);
    std::thread([counted = std::move(counted)]() mutable { counted.reset(); }).join();
    for (int i = 0; i < 100; i++) std::thread([] { count(100); }).join();
}

TEST_CASE("new: alignments, arrays, and a request that can't be met") {
    toft::arena arena;
    for (bool in_arena : {false, true}) {
        toft_current_use use =
            toft_current_push(in_arena ? toft_strategy_of_arena(arena.c_arena()) : toft_strategy{});
        std::unique_ptr<wide> one(new wide);
        std::unique_ptr<wide[]> many(new wide[10]);
        CHECK(reinterpret_cast<std::uintptr_t>(one.get()) % 128 == 0);
        CHECK(reinterpret_cast<std::uintptr_t>(many.get()) % 128 == 0);
        one.reset();
        many.reset();
        volatile std::size_t much = PTRDIFF_MAX;
        CHECK(operator new(much, std::nothrow) == nullptr);
        CHECK_THROWS_AS((void)operator new(much), std::bad_alloc);
        std::set_new_handler([] {
            if (++handler_calls == 3) std::set_new_handler(nullptr);
        });
        handler_calls = 0;
        CHECK_THROWS_AS((void)operator new(much), std::bad_alloc);
        CHECK(handler_calls == 3);
        toft_current_pop(use);
    }
}
