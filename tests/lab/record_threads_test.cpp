// SPDX-License-Identifier: MIT
// `toft record` of programs with threads: whose each call is, and in which order.
#include "recorded_run.hpp"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <map>
#include <set>

using namespace toft::lab;

namespace {

bool are_in_order(const read_back &r) {
    return std::is_sorted(r.events.begin(), r.events.end(),
                          [](const auto &a, const auto &b) { return a.time_ns < b.time_ns; });
}

} // namespace

TEST_CASE("toft record: what destructors of a thread's keys free is freed by that thread") {
    const recorded made = record("destructors");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    const std::vector<heap_event> own = of_size(r, 4100);
    REQUIRE(own.size() == 3);
    for (const heap_event &made_there : own) {
        CHECK(made_there.thread == own.front().thread);
        CHECK(std::any_of(r.events.begin(), r.events.end(), [&](const heap_event &e) {
            return e.call == heap_call::free && e.address == made_there.address &&
                   e.time_ns >= made_there.time_ns && e.thread == own.front().thread;
        }));
    }
}

TEST_CASE(
    "toft record: every thread's calls, in the order of time, and no two objects in one place") {
    const recorded made = record("threads 20");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    for (std::uint64_t i = 0; i < 20; ++i) {
        const std::vector<heap_event> of_thread = of_size(r, 4000 + i);
        REQUIRE(of_thread.size() == 20'000);
        for (const heap_event &e : of_thread) REQUIRE(e.thread == of_thread.front().thread);
        CHECK(r.what.threads[of_thread.front().thread].name == "record_target");
    }
    std::set<std::uint64_t> live;
    bool apart = true;
    for (const heap_event &e : r.events) {
        if (e.call != heap_call::allocate)
            live.erase(e.call == heap_call::free ? e.address : e.old_address);
        if (e.call != heap_call::free) apart = live.insert(e.address).second && apart;
    }
    CHECK(are_in_order(r));
    CHECK(apart);
}

TEST_CASE("toft record: what an object leaves when it moves may be another thread's at once") {
    setenv("GLIBC_TUNABLES", "glibc.malloc.arena_max=1", 1);
    const recorded made = record("moves 4");
    unsetenv("GLIBC_TUNABLES");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    std::map<std::uint64_t, std::uint32_t> owners;
    std::uint64_t moved = 0, foreign = 0;
    for (const heap_event &e : r.events) {
        if (e.call == heap_call::free) {
            owners.erase(e.address);
            continue;
        }
        if (e.call == heap_call::resize && e.bytes == 4000) {
            ++moved;
            foreign += owners[e.old_address] != e.thread;
            owners.erase(e.old_address);
        }
        owners[e.address] = e.thread;
    }
    CHECK(are_in_order(r));
    CHECK(moved == 4 * 30'000);
    CHECK(foreign == 0);
}
