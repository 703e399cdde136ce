// SPDX-License-Identifier: MIT
// The comparison over results made by hand, of rows whose noise and whose changes are known.
#include "result/verdict.hpp"
#include "rows.hpp"
#include "show/comparison.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <random>

using namespace toft::lab;

namespace {

// What a run gives: so many rows in each of two cases, whose times scatter by 2 %, in a mood of the
// machine that all rows of a case share.
struct made_run {
    unsigned seed = 1;
    unsigned processes = 5;
    unsigned rows = 8;
    double mood = 1;
    double slowed = 1; // the row 3 of the case "two"
};

bench_result result_of(const made_run &run) {
    std::mt19937 random(run.seed);
    std::normal_distribution<double> noise(1, .02);
    suite_result s;
    s.name = "made";
    s.cases = {{"one", "one"}, {"two", "two"}};
    s.size = 100;
    for (const char *case_name : {"one", "two"})
        for (unsigned i = 0; i != run.rows; ++i) {
            const bool is_slowed = i == 3 && std::string(case_name) == "two";
            std::vector<std::uint64_t> ns;
            for (unsigned p = 0; p != run.processes; ++p)
                ns.push_back(static_cast<std::uint64_t>(1e6 * (i + 1) * run.mood * noise(random) *
                                                        (is_slowed ? run.slowed : 1)));
            row r = row_of(ns);
            r.case_name = case_name;
            r.subject = "row " + std::to_string(i);
            judge(r);
            s.rows.push_back(std::move(r));
        }
    bench_result result;
    result.suites.push_back(std::move(s));
    return result;
}

std::vector<std::string> called(const comparison &c, change which) {
    std::vector<std::string> rows;
    for (const compared_figure &f : c.figures)
        if (f.called == which && f.clock == clock_kind::cpu)
            rows.push_back(f.case_name + ", " + f.row);
    return rows;
}

} // namespace

TEST_CASE("of two runs of the same, nothing is called, whatever the seed") {
    for (unsigned seed = 1; seed != 41; ++seed) {
        CAPTURE(seed);
        const comparison c = compare(result_of({.seed = seed}), result_of({.seed = seed + 1000}));
        CHECK(c.figures.size() == 32); // of two clocks
        CHECK(called(c, change::slower).empty());
        CHECK(called(c, change::faster).empty());
        CHECK(c.worst() == 1);
    }
}

TEST_CASE("three processes a row, the least there may be, raise no false alarm either") {
    for (unsigned seed = 1; seed != 41; ++seed) {
        const comparison c = compare(result_of({.seed = seed, .processes = 3}),
                                     result_of({.seed = seed + 1000, .processes = 3}));
        CHECK(called(c, change::slower).empty());
        CHECK(called(c, change::faster).empty());
    }
}

TEST_CASE("a row that became slower is called, and no other") {
    for (unsigned seed = 1; seed != 41; ++seed) {
        const comparison c =
            compare(result_of({.seed = seed}), result_of({.seed = seed + 1000, .slowed = 1.3}));
        CHECK(called(c, change::slower) == std::vector<std::string>{"two, row 3"});
        CHECK(c.worst() == doctest::Approx(1.3).epsilon(.05));
        for (const compared_figure &f : c.figures)
            if (f.called == change::slower) {
                CHECK(f.between.low > 1);
                CHECK(f.between.low <= f.ratio);
                CHECK(f.between.high >= f.ratio);
            }
    }
}

TEST_CASE("one that became faster is called faster") {
    const comparison c = compare(result_of({}), result_of({.seed = 2, .slowed = .7}));
    CHECK(called(c, change::faster) == std::vector<std::string>{"two, row 3"});
    CHECK(c.worst() == 1);
}

TEST_CASE("a mood of the machine is taken off the rows, and told when it is a strong one") {
    const comparison mild = compare(result_of({}), result_of({.seed = 2, .mood = 1.15}));
    CHECK(called(mild, change::slower).empty());
    CHECK(mild.cases.front().ratio == doctest::Approx(1.15).epsilon(.02));
    CHECK(mild.worst() == 1);
    const comparison strong =
        compare(result_of({}), result_of({.seed = 2, .mood = 2, .slowed = 1.5}));
    CHECK(called(strong, change::slower) == std::vector<std::string>{"two, row 3"});
    CHECK(strong.cases.front().ratio == doctest::Approx(2).epsilon(.02));
    CHECK(strong.worst() == doctest::Approx(1.5).epsilon(.05));
}

TEST_CASE("too few rows say nothing of the machine: the margin is wider, a large change is seen") {
    const comparison none = compare(result_of({.rows = 4}), result_of({.rows = 4, .mood = 1.1}));
    CHECK(none.cases.empty());
    CHECK(called(none, change::slower).empty());
    const comparison one = compare(result_of({.rows = 4}), result_of({.rows = 4, .slowed = 1.5}));
    CHECK(called(one, change::slower) == std::vector<std::string>{"two, row 3"});
}

TEST_CASE("noisy, elided and too short rows are not compared, and say so") {
    bench_result was = result_of({}), is = result_of({.processes = 2});
    comparison c = compare(was, is);
    CHECK(called(c, change::unsure).size() == 16);
    CHECK(c.figures.front().why == "fewer than 3 processes");
    is = result_of({});
    is.suites[0].rows[0].figures[0].cpu_ns.spread = .4;
    is.suites[0].rows[1].judged = verdict::elided;
    c = compare(was, is);
    CHECK(called(c, change::unsure) == std::vector<std::string>{"one, row 0", "one, row 1"});
}

TEST_CASE("a change that is larger than a row's noise is seen through it") {
    bench_result was = result_of({}), is = result_of({.seed = 2, .slowed = 4});
    for (figure &f : is.suites[0].rows[11].figures) f.cpu_ns.spread = .4;
    CHECK(called(compare(was, is), change::slower) == std::vector<std::string>{"two, row 3"});
}

TEST_CASE("a row in one file only, or of another size, is told and not compared") {
    bench_result was = result_of({}), is = result_of({.rows = 9});
    CHECK(compare(was, is).unmatched.size() == 2);
    is.suites[0].size = 200;
    CHECK(compare(was, is).figures.empty());
}

TEST_CASE("what differs in machine, build and settings is told") {
    const bench_result was = result_of({});
    bench_result is = was;
    CHECK(compare(was, is).differences.empty());
    is.machine.cpu = "another";
    is.machine.huge_pages = "never";
    is.build.compiler = "clang 19";
    is.full = true;
    CHECK(compare(was, is).differences.size() == 4);
    bench_result faster = was, slower = was;
    faster.machine.frequency_mhz = 3000;
    slower.machine.frequency_mhz = 2400;
    CHECK(compare(faster, slower).differences.size() == 1);
    slower.machine.frequency_mhz = 2990;
    CHECK(compare(faster, slower).differences.empty());
}
