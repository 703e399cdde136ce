// SPDX-License-Identifier: MIT
// A user's upstream that fails at each of its calls, once and from then on.
#include <doctest/doctest.h>

#include "fault/workload.hpp"
#include "support/arena_guard.hpp"
#include "support/counting_upstream.hpp"

using namespace toft_test;

TEST_CASE("C: an upstream that fails at any call loses nothing") {
    for (std::size_t chunk_bytes : {256u, 65536u}) {
        for (bool from_then_on : {false, true}) {
            for (std::size_t nth = 1;; nth++) {
                CAPTURE(nth);
                counting_upstream upstream;
                bool reached = false;
                {
                    arena_guard arena({.upstream = upstream.c(), .chunk_bytes = chunk_bytes});
                    upstream.fail_at(nth, from_then_on);
                    CHECK(c_workload(arena));
                    reached = upstream.calls >= nth;
                    upstream.work_again();
                    CHECK(toft_arena_alloc(arena, 1000000, 8) != nullptr);
                }
                CHECK(upstream.live_blocks() == 0);
                CHECK(pending::count == 0);
                if (!reached) break;
            }
        }
    }
}

TEST_CASE("C++: an upstream that fails at any call throws, and loses nothing") {
    for (bool from_then_on : {false, true}) {
        for (std::size_t nth = 1;; nth++) {
            CAPTURE(nth);
            counting_upstream upstream;
            bool reached = false, threw = false;
            {
                toft::arena arena({.upstream = upstream.c(), .chunk_bytes = 512});
                upstream.fail_at(nth, from_then_on);
                threw = cpp_workload(arena);
                reached = upstream.calls >= nth;
                upstream.work_again();
                arena.reset();
                CHECK_FALSE(cpp_workload(arena));
            }
            CHECK(upstream.live_blocks() == 0);
            CHECK((!threw || reached));
            if (!reached) break;
        }
    }
}
