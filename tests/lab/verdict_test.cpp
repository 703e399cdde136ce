// SPDX-License-Identifier: MIT
#include "result/verdict.hpp"
#include "rows.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

static verdict judged(row r) {
    judge(r);
    return r.judged;
}

TEST_CASE("steady figures are sound, unsteady ones noisy") {
    CHECK(judged(row_of({1000, 1010, 1020})) == verdict::sound);
    CHECK(judged(row_of({1000, 1500, 2000})) == verdict::noisy);
}

TEST_CASE("a row with fewer heap allocations than its text asks for is elided") {
    row r = row_of({1000, 1000});
    r.counted.emplace();
    r.counted->expected_heap_allocations = 100;
    r.counted->heap.allocations = 100;
    CHECK(judged(r) == verdict::sound);
    r.counted->heap.allocations = 99;
    CHECK(judged(r) == verdict::elided);
}

TEST_CASE("a row whose timed runs do other work than its counted run has failed") {
    row r = row_of({1000, 1000}, 50);
    r.counted = measured("work", 50, 1000);
    CHECK(judged(r) == verdict::sound);
    r.counted = measured("work", 100, 1000);
    CHECK(judged(r) == verdict::failed);
}

TEST_CASE("a timed run that asks the heap for less is told, but not of what threads need") {
    const auto asks = [](double allocations, double bytes) {
        measurement m = measured("work", 100, 1000);
        m.figures = {{"heap allocations in work, round 1", allocations},
                     {"heap bytes in work, round 1", bytes}};
        return m;
    };
    CHECK_FALSE(describe_other_work(asks(1000, 32000), asks(500, 32000)).empty());
    CHECK_FALSE(describe_other_work(asks(1000, 32000), asks(1000, 16000)).empty());
    CHECK_FALSE(describe_other_work(asks(2, 1 << 20), asks(2, 1 << 10)).empty());
    CHECK(describe_other_work(asks(1000, 32000), asks(999, 31968)).empty());
    CHECK(describe_other_work(asks(9, 189), asks(8, 168)).empty());
}

TEST_CASE("a time that can't be is elided, and malloc's least is higher") {
    CHECK(judged(row_of({4})) == verdict::elided); // .04 ns each
    CHECK(judged(row_of({50})) == verdict::sound); // .5 ns each: a region may
    row on_malloc = row_of({50});
    on_malloc.by_allocator = true;
    CHECK(judged(on_malloc) == verdict::elided);
}

TEST_CASE("phases that allocate nothing may take no time") {
    row r = row_of({1000});
    r.samples[0].phases.push_back({"reset", 1, 100, 0, {}});
    CHECK(judged(r) == verdict::sound);
}

TEST_CASE("a row without samples, or with a problem, has failed") {
    CHECK(judged(row_of({})) == verdict::failed);
    row r = row_of({1000});
    r.problem = "crashed";
    CHECK(judged(r) == verdict::failed);
}
