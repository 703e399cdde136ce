// SPDX-License-Identifier: MIT
// Physical memory follows what arenas hold: huge pages are spent only where they are filled.
#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include <toft/reap.h>

#include "support/build.hpp"
#include "support/child.hpp"
#include "support/resident.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

// In a child, where nothing is recycled: so many arenas, each filled with objects of a size.
void check_footprint(std::size_t arenas, std::size_t bytes_each, std::size_t object_bytes) {
    toft_trim();
    std::vector<toft_arena> many(arenas, toft_arena{});
    std::size_t before = resident_bytes();
    for (toft_arena &arena : many)
        for (std::size_t had = 0; had < bytes_each; had += object_bytes) {
            void *object = toft_arena_alloc(&arena, object_bytes, 8);
            CHILD_REQUIRE(object != nullptr);
            std::memset(object, 'x', object_bytes);
        }
    std::size_t held = arenas * ((bytes_each + object_bytes - 1) / object_bytes) * object_bytes;
    std::size_t resident = resident_bytes() - before;
    // What few arenas that begin may have in huge pages, and the program's own.
    std::size_t slack = 9 * mebibyte;
    if (resident > held + held / 4 + slack)
        std::fprintf(stderr, "%zu arenas of %zu bytes, objects of %zu: %zu resident\n", arenas,
                     bytes_each, object_bytes, resident);
    CHILD_REQUIRE(resident <= held + held / 4 + slack);
    for (toft_arena &arena : many) toft_arena_release(&arena);
}

} // namespace

TEST_CASE("many arenas are resident with at most 1.25 times what they hold") {
    if (!fast_build || resident_bytes() == 0) return;
    for (std::size_t bytes_each :
         {100000u, 200000u, 400000u, 600000u, 1000000u, 2000000u, 3000000u, 5000000u, 8000000u,
          9000000u, 10000000u, 20000000u, 50000000u, 100000000u}) {
        std::size_t arenas = 150000000 / bytes_each < 200 ? 150000000 / bytes_each : 200;
        for (std::size_t object_bytes : {100u, 40000u})
            CHECK(runs_in_child([&] { check_footprint(arenas, bytes_each, object_bytes); }));
    }
}

TEST_CASE("large objects of arenas too") {
    if (!fast_build || resident_bytes() == 0) return;
    for (std::size_t object_bytes : {300000u, 600000u, 1000000u, 1100000u, 1500000u, 1900000u,
                                     2100000u, 3000000u, 4100000u, 6000000u, 17000000u})
        for (std::size_t objects : {1u, 10u})
            CHECK(runs_in_child(
                [&] { check_footprint(20 / objects, objects * object_bytes, object_bytes); }));
}

TEST_CASE("large objects of a reap too") {
    if (!fast_build || resident_bytes() == 0) return;
    for (std::size_t object_bytes : {40000u, 600000u, 1500000u, 2100000u, 3000000u, 6000000u})
        CHECK(runs_in_child([&] {
            toft_trim();
            toft_reap reap = TOFT_REAP_INIT;
            std::size_t before = resident_bytes();
            for (int i = 0; i < 60; i++) {
                void *object = toft_reap_alloc(&reap, object_bytes, 8);
                CHILD_REQUIRE(object != nullptr);
                std::memset(object, 'x', object_bytes);
            }
            std::size_t held = 60 * object_bytes;
            CHILD_REQUIRE(resident_bytes() <= before + held + held / 4 + mebibyte);
            toft_reap_release(&reap);
        }));
}
