// SPDX-License-Identifier: MIT
#include "result/figures.hpp"
#include "result/order_effect.hpp"
#include "rows.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

TEST_CASE("a row has its phases and their sum, cold and warm apart") {
    row r;
    measurement m;
    for (unsigned round = 1; round <= 3; ++round) {
        m.phases.push_back({"build", round, 10, 10, {0, 100 * round, 0, 0, 0}});
        m.phases.push_back({"free", round, 10, 0, {0, 10, 0, 0, 0}});
    }
    m.phases.push_back({"end", 3, 10, 0, {0, 1000, 0, 0, 0}});
    r.samples = {m};
    const std::vector<figure> all = figures_of(r);
    REQUIRE(all.size() == 7);
    CHECK(all[0].phase == "build");
    CHECK(all[0].rounds == which_rounds::first);
    CHECK(all[2].phase == all_phases);
    CHECK(all[2].whole);
    CHECK(nanoseconds_of_processes(r, all[2].of, clock_kind::cpu).front() == 110);
    CHECK(all[3].of.first_round == 2);
    CHECK(all[3].of.last_round == 3);
    CHECK(all[5].phase == "end");
    CHECK(all[6].whole); // without the end, which comes once
    CHECK(nanoseconds_of_processes(r, all[6].of, clock_kind::cpu).front() == 260);
    CHECK(main_figure_of(r).of.phases == std::vector<std::string>{"build", "free"});
}

TEST_CASE("a single phase is the whole") {
    const row r = row_of({100});
    REQUIRE(figures_of(r).size() == 1);
    CHECK(figures_of(r).front().whole);
    CHECK(figures_of(row_of({})).empty());
}

static row after_one_another(std::vector<std::uint64_t> after_a,
                             std::vector<std::uint64_t> after_b) {
    const std::string a = "a", b = "b";
    row r = row_of(after_a);
    for (measurement &m : r.samples) m.after = a;
    for (const std::uint64_t ns : after_b) {
        r.samples.push_back(measured("work", 100, ns));
        r.samples.back().after = b;
    }
    return r;
}

TEST_CASE("times that go with what ran before are an order effect, noise is none") {
    CHECK(describe_order_effect(after_one_another({2000, 2100, 2050}, {1000, 1100, 1050})) !=
          std::string());
    CHECK(describe_order_effect(after_one_another({1000, 1100, 2050}, {1000, 1100, 1050})).empty());
    CHECK(describe_order_effect(after_one_another({1100, 1110, 1120}, {1000, 1050, 1010})).empty());
    CHECK(describe_order_effect(after_one_another({2000, 2100, 2050}, {1000, 1100})).empty());
}

TEST_CASE("a row that has timed nothing has no figure, and shows no order effect") {
    row r = row_of({1000});
    r.samples.front().phases.clear();
    r.samples.front().after = "a";
    CHECK(figures_of(r).empty());
    CHECK(describe_order_effect(r).empty());
}
