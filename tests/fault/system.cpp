// SPDX-License-Identifier: MIT
// The system fails at each of its calls, once and from then on: pages, thread keys. Each time in a
// fresh process, so that what happens once in a process's life is reached too.
#include <doctest/doctest.h>

#include <thread>

#include "fault/workload.hpp"
#include "os/fake/fake.h"
#include "support/arena_guard.hpp"
#include "support/child.hpp"

using namespace toft_test;

namespace {

// Ends the child with 2 when there is no nth call.
void with_failure_at(std::size_t nth, bool from_then_on) {
    std::size_t last_call = toft_fake_get_counts().calls + nth;
    toft_fake_fail(nth, from_then_on);
    {
        arena_guard arena;
        CHILD_REQUIRE(c_workload(arena));
    }
    toft::arena arena;
    cpp_workload(arena);
    std::thread([] {
        arena_guard other;
        CHILD_REQUIRE(c_workload(other));
    }).join();
    bool reached = toft_fake_get_counts().calls >= last_call;
    toft_fake_work();
    CHILD_REQUIRE(arena.try_allocate(1000000) != nullptr);
    arena.reset();
    CHILD_REQUIRE(!cpp_workload(arena));
    arena.release();
    CHILD_REQUIRE(pending::count == 0);
    toft_trim();
    // The page of the second thread's record stays.
    CHILD_REQUIRE(toft_fake_get_counts().live_mappings <= 1);
    if (!reached) _exit(2);
}

} // namespace

TEST_CASE("a system that fails at any call loses nothing") {
    for (bool from_then_on : {false, true}) {
        int ended = 0;
        for (std::size_t nth = 1; ended == 0; nth++) {
            CAPTURE(nth);
            ended = exit_code_in_child([=] { with_failure_at(nth, from_then_on); });
            CHECK((ended == 0 || (ended == 2 && nth > 2)));
        }
    }
}
