// SPDX-License-Identifier: MIT
// The comparison over results made by hand, of rows whose noise and whose changes are known.
#include "made_runs.hpp"
#include "show/comparison.hpp"
#include "show/page_data.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <initializer_list>
#include <nlohmann/json.hpp>

using namespace toft::lab;

namespace {

std::vector<std::string> called(const comparison &c, change which) {
    std::vector<std::string> rows;
    for (const compared_figure &f : c.figures)
        if (f.called == which && f.clock == clock_kind::cpu)
            rows.push_back(f.case_name + ", " + f.row);
    return rows;
}

// The run with this seed, against one of another seed that is otherwise the base.
comparison compare_with(made_run base, made_run changed, unsigned seed) {
    base.seed = seed;
    changed.seed = seed + 100'000;
    return compare(result_of(base), result_of(changed));
}

const std::vector<std::string> slowed_row = {"two, row 3"};

} // namespace

TEST_CASE("a row that became slower is called, and no other") {
    for (unsigned seed = 1; seed != 41; ++seed) {
        const comparison c = compare_with({}, {.slowed = 1.3}, seed);
        CHECK(called(c, change::slower) == slowed_row);
        CHECK(called(c, change::faster).empty());
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
    const comparison c = compare_with({}, {.slowed = .7}, 1);
    CHECK(called(c, change::faster) == slowed_row);
    CHECK(c.worst() == 1);
}

TEST_CASE("what all of Toft's rows share counts against the bound, whatever their number") {
    for (const unsigned ours : {1U, 2U, 4U, 20U}) {
        CAPTURE(ours);
        const comparison c = compare_with({.ours = ours}, {.ours = ours, .all_of_ours = 5}, 1);
        CHECK(called(c, change::slower).size() == 2 * ours);
        CHECK(c.worst() == doctest::Approx(5).epsilon(.1));
        CHECK(judge_bound(c, 10) == bound_verdict::exceeded);
        CHECK(c.suites.front().judged == doctest::Approx(5).epsilon(.05));
        CHECK(c.suites.front().shared == doctest::Approx(1).epsilon(.05));
    }
}

TEST_CASE("a mood of the machine, which the controls share, is taken off and told") {
    const comparison c = compare_with({}, {.mood = 1.2, .slowed = 1.3}, 1);
    CHECK(called(c, change::slower) == slowed_row);
    CHECK(c.worst() == doctest::Approx(1.3).epsilon(.05));
    CHECK(c.suites.front().shared == doctest::Approx(1.2).epsilon(.03));
    CHECK(c.cases.front().controls == 4);
}

TEST_CASE("no machine is in a mood to take twice as long: such rows are called") {
    const comparison c = compare_with({}, {.mood = 2}, 1);
    CHECK(called(c, change::slower).size() == 8);
    CHECK(judge_bound(c, 10) == bound_verdict::exceeded);
    CHECK(c.suites.front().shared == doctest::Approx(1.5));
}

TEST_CASE("without controls a common change can't be told from the machine's mood") {
    const made_run none{.controls = 0};
    const comparison mild = compare_with(none, {.controls = 0, .mood = 1.15}, 1);
    CHECK(called(mild, change::slower).empty());
    CHECK(mild.suites.front().visible >= 1.25);
    CHECK(judge_bound(mild, 20) == bound_verdict::cannot_tell);
    CHECK(judge_bound(mild, 40) == bound_verdict::kept);
    const comparison strong = compare_with(none, {.controls = 0, .mood = 2}, 1);
    CHECK(judge_bound(strong, 40) == bound_verdict::exceeded);
}

TEST_CASE("of one or two rows nobody knows what they share: only a large change is called") {
    const made_run two{.ours = 2, .controls = 0};
    CHECK(called(compare_with(two, {.ours = 2, .controls = 0, .mood = 1.2}, 1), change::slower)
              .empty());
    CHECK(called(compare_with(two, {.ours = 2, .controls = 0, .mood = 1.6}, 1), change::slower)
              .size() == 4);
}

TEST_CASE("a bound that is smaller than what could have been seen is never kept") {
    const made_run loud{.scatter = .1};
    const comparison c = compare_with(loud, loud, 1);
    const double visible = c.suites.front().visible_in_all;
    CHECK(visible > 1.1);
    CHECK(judge_bound(c, (visible - 1) * 100 - .1) == bound_verdict::cannot_tell);
    CHECK(judge_bound(c, (visible - 1) * 100 + .1) == bound_verdict::kept);
}

TEST_CASE("nothing in common, a row without figures: no bound is kept") {
    const bench_result was = result_of({});
    bench_result is = result_of({.seed = 2});
    is.suites[0].rows[0].figures.clear();
    is.suites[0].rows[0].judged = verdict::failed;
    const comparison c = compare(was, is);
    CHECK(c.not_judged.size() == 1);
    CHECK(judge_bound(c, 50) == bound_verdict::cannot_tell);
    is = result_of({.seed = 2});
    is.suites[0].rows[0].judged = verdict::elided;
    CHECK(judge_bound(compare(was, is), 50) == bound_verdict::cannot_tell);
    is.suites[0].size = 200;
    CHECK(judge_bound(compare(was, is), 50) == bound_verdict::cannot_tell);
    CHECK(judge_bound(compare(was, was), 50) == bound_verdict::kept);
}

TEST_CASE("a judged row that the new run has lost: no bound is kept, unless it wasn't asked for") {
    const bench_result was = result_of({});
    bench_result is = result_of({.seed = 2});
    std::vector<row> &rows = is.suites[0].rows;
    const auto loses = [&](const std::string &title) {
        std::erase_if(rows, [&](const row &r) { return r.title() == title; });
        return compare(was, is);
    };
    REQUIRE(loses("none of these").not_judged.empty());
    CHECK(judge_bound(loses("control 4 (glibc)"), 50) == bound_verdict::kept); // isn't judged
    const comparison c = loses("row 0");
    CHECK(judge_bound(c, 50) == bound_verdict::cannot_tell);
    REQUIRE(c.not_judged.size() == 2); // in two cases
    CHECK(c.not_judged.front() == "made one, row 0 is only in the old file");
    const auto asked_for = [&](std::vector<std::string> words) {
        is.command_line = std::move(words);
        return !compare(was, is).not_judged.empty();
    };
    CHECK(asked_for({"toft", "bench", "--filter", "ONE/row"}));
    CHECK(asked_for({"toft", "bench", "made", "--filter=/row 0/"}));
    CHECK_FALSE(asked_for({"toft", "bench", "--filter", "row 1"}));
    CHECK_FALSE(asked_for({"toft", "bench", "--filter=two/row 1"}));
    CHECK_FALSE(asked_for({"toft", "bench", "made", "--threads", "2,4"}));
    CHECK(asked_for({"toft", "bench", "--threads", "2", "--threads=1"}));
    CHECK(asked_for({"toft", "try", "--", "grep", "--filter", "row 1"})); // the program's own
}

TEST_CASE("a suite or a malloc that the new run was asked for is missed, and no other") {
    bench_result was = result_of({});
    was.suites.push_back(was.suites[0]);
    was.suites[1].name = "tree";
    bench_result is = result_of({.seed = 2});
    const auto cannot_tell = [&] {
        return judge_bound(compare(was, is), 50) == bound_verdict::cannot_tell;
    };
    is.command_line = {"toft", "bench"};
    CHECK(cannot_tell());
    is.command_line = {"toft", "bench", "made"};
    CHECK_FALSE(cannot_tell());
    is.command_line = {"toft", "bench", "tree"};
    CHECK(cannot_tell());
    was.suites.pop_back();
    row mine = was.suites[0].rows[0];
    mine.by_allocator = true;
    mine.allocator = "mine";
    was.suites[0].rows.push_back(mine);
    CHECK_FALSE(cannot_tell());
    is.left_out = {{"mine", "not found"}};
    CHECK(cannot_tell());
}

TEST_CASE("a change of a control, or of another version of a malloc, is no loss of ours") {
    bench_result was = result_of({}), is = result_of({.seed = 2});
    for (bench_result *result : {&was, &is})
        for (row &r : result->suites[0].rows) r.by_allocator = !r.is_toft;
    for (figure &f : is.suites[0].rows[4].figures)
        for (double &t : f.cpu_ns.values) t *= 3;
    CHECK(compare(was, is).worst() == 1);
    is.allocators[0].version = "2.37";
    const comparison c = compare(was, is);
    CHECK(called(c, change::slower) == std::vector<std::string>{"one, control 4 (glibc)"});
    CHECK(c.worst() == 1);
    CHECK(c.suites.front().controls == 0);
}

TEST_CASE("a malloc that the user brought is what the comparison is about") {
    bench_result was = result_of({}), is = result_of({.seed = 2});
    for (bench_result *result : {&was, &is}) {
        result->allocators.push_back({"mine", "/lib/mine.so", "version unknown", ""});
        row &mine = result->suites[0].rows[4];
        mine.by_allocator = true;
        mine.allocator = "mine";
    }
    for (figure &f : is.suites[0].rows[4].figures)
        for (double &t : f.cpu_ns.values) t *= 3;
    const comparison c = compare(was, is);
    CHECK(called(c, change::slower) == std::vector<std::string>{"one, control 4 (mine)"});
    CHECK(c.worst() == doctest::Approx(3).epsilon(.1));
}

TEST_CASE("noisy, elided and too short rows are not called, and say so") {
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
    CHECK(called(compare(was, is), change::slower) == slowed_row);
}

TEST_CASE("a row in one file only, or of another size, is told and not compared") {
    bench_result was = result_of({}), is = result_of({.controls = 5});
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

TEST_CASE("wall times of processes that shared a processor aren't compared, nor on the page") {
    const auto of_wall = [](const comparison &c) {
        return std::count_if(c.figures.begin(), c.figures.end(),
                             [](const compared_figure &f) { return f.clock == clock_kind::wall; });
    };
    const bench_result before = result_of({.seed = 1});
    bench_result after = result_of({.seed = 2});
    CHECK(of_wall(compare(before, after)) > 0);
    for (suite_result &s : after.suites)
        for (row &r : s.rows) r.samples.front().figures[side_by_side_figure] = 2;
    const comparison c = compare(before, after);
    CHECK(of_wall(c) == 0);
    CHECK(of_wall(compare(after, before)) == 0);
    CHECK(c.figures.size() > 0);
    const auto wall_on_page = [](const bench_result &r) {
        return page_data(r, page_samples::left_out)["suites"][0]["rows"][0]["figures"][0][5];
    };
    CHECK(wall_on_page(before).is_number());
    CHECK(wall_on_page(after).is_null());
}
