// SPDX-License-Identifier: MIT
// Advice beside what another malloc gains, and with what replays say of it.
#include "advice/cost_model.hpp"
#include "advice/percent.hpp"
#include "advice/weighing.hpp"

#include <cmath>
#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

advice line_of(remedy what, interval cpu_percent) {
    advice a;
    a.what = what;
    a.objects = 1000;
    a.cpu_percent = cpu_percent;
    return a;
}

advice_report report_of(std::vector<advice> lines, std::vector<malloc_gain> mallocs) {
    advice_report report;
    report.processor_seconds = {1, 1};
    report.lines = std::move(lines);
    report.mallocs = std::move(mallocs);
    return report;
}

} // namespace

TEST_CASE("weighing: the best malloc comes first where it gains more than every change") {
    advice_report report = report_of({line_of(remedy::arena, {4, 8})},
                                     {{"slow", {-9, -7}, {}}, {"fast", {9, 11}, {}}});
    weigh(report);
    CHECK(report.malloc_first);
    CHECK(report.mallocs.front().name == "fast");
    report = report_of({line_of(remedy::arena, {10, 20})}, {{"fast", {9, 11}, {}}});
    weigh(report);
    CHECK(!report.malloc_first);
    report = report_of({line_of(remedy::leave, {10, 20})}, {{"fast", {9, 11}, {}}});
    weigh(report);
    CHECK(report.malloc_first); // "leave them" is no change
    CHECK(report.leave_it);
    report = report_of({}, {{"equal", {-1, 1}, {}}});
    weigh(report);
    CHECK(!report.malloc_first);
    CHECK(report.leave_it);
}

TEST_CASE("weighing: a malloc is beyond all changes where its range lies above theirs") {
    const auto is_beyond = [](interval change, interval fast) {
        advice_report report = report_of({line_of(remedy::arena, change)}, {{"fast", fast, {}}});
        weigh(report);
        CHECK(report.malloc_first);
        return report.malloc_beyond_all;
    };
    CHECK_FALSE(is_beyond({15, 23}, {17, 35}));
    CHECK(is_beyond({8, 16}, {17, 35}));
    advice_report report = report_of({line_of(remedy::arena, {8, 40})}, {{"fast", {17, 35}, {}}});
    weigh(report);
    CHECK_FALSE(report.malloc_beyond_all);
}

TEST_CASE(
    "weighing: a malloc that may lose isn't the first thing to do, nor hides one that gains") {
    const malloc_gain wide{"wide", {-12, 49}, {}}, sure{"sure", {9, 11}, {}};
    advice_report report = report_of({line_of(remedy::arena, {4, 8})}, {wide});
    weigh(report);
    CHECK(!report.malloc_first);
    report = report_of({line_of(remedy::arena, {4, 8})}, {wide, sure});
    weigh(report);
    CHECK(report.malloc_first);
    CHECK(report.mallocs.front().name == "sure");
}

TEST_CASE("weighing: a pool or a reap must gain three percent beyond the best malloc") {
    for (const remedy what : {remedy::pool, remedy::reap}) {
        advice near = line_of(what, {20, 30});
        near.objects = 0; // nothing is added for any
        advice far = near;
        near.sketch = far.sketch = "toft_reap reap = TOFT_REAP_INIT;";
        near.replayed = {{11, 13}, {}, {}};
        far.replayed = {{13, 14}, {}, {}};
        advice_report report = report_of({near, far}, {{"fast", {9, 11}, {}}});
        weigh(report);
        REQUIRE(report.lines.size() == 2);
        CHECK(report.lines[0].what == what);
        CHECK(middle(report.lines[0].cpu_percent) == 13.5);
        CHECK(!report.lines[0].sketch.empty());
        CHECK(report.lines[1].what == remedy::leave);
        CHECK(report.lines[1].sketch.empty());
        CHECK(report.lines[1].why.find("beyond what fast alone gains") != std::string::npos);
    }
}

TEST_CASE("weighing: what was replayed takes the model's place, and changes the order") {
    advice dull = line_of(remedy::arena, {30, 40});
    dull.replayed = {{0, 1}, {}, interval{1, 2}};
    advice_report report = report_of({dull, line_of(remedy::arena, {5, 7})}, {});
    weigh(report);
    CHECK(report.lines[0].cpu_percent.low == 5);
    // Seven points around the way with each free, and around the one without.
    CHECK(report.lines[1].cpu_percent.low == doctest::Approx(-3).epsilon(.01));
    CHECK(report.lines[1].cpu_percent.high == doctest::Approx(5).epsilon(.01));
    CHECK(!report.leave_it);
    report = report_of({dull}, {});
    weigh(report);
    CHECK(report.leave_it);
}

TEST_CASE("weighing: a change gains more than its replay shows, by its objects") {
    advice many = line_of(remedy::arena, {10, 20});
    many.objects = 2'000'000;
    many.replayed = {{12, 20}, interval{8, 16}, interval{13, 21}};
    advice_report report = report_of({many}, {});
    // A nanosecond each is two milliseconds of a second.
    const auto of_each = [](const interval &ns) { return interval{.2 * ns.low, .2 * ns.high}; };
    const auto is_sum = [](const interval &sum, double at, const interval &gain,
                           const interval &calls, const interval &beside,
                           const interval &teardown = {}) {
        const auto width = [](const interval &of) { return of.high - of.low; };
        const double to_end =
            std::hypot(std::hypot(width(gain), width(calls)), width(beside), width(teardown)) / 2;
        CHECK(sum.low == doctest::Approx(at - to_end));
        CHECK(sum.high == doctest::Approx(at + to_end));
    };
    const interval calls = of_each(cost::calls_among_others);
    const interval beside = of_each(cost::side_by_side), c = of_each(cost::teardown_in_c);
    weigh(report);
    const replayed_change found = *report.lines[0].replayed;
    const double more = middle(calls) + middle(beside);
    is_sum(found.frees_kept, 16 + more, {12, 20}, calls, beside);
    is_sum(*found.frees_hooked, 12 + more, {8, 16}, calls, beside);
    is_sum(*found.frees_dropped, 17 + more + middle(c), {13, 21}, calls, beside, c);
    CHECK(report.lines[0].cpu_percent.low == found.frees_kept.low); // the hook's way is told apart
    CHECK(report.lines[0].cpu_percent.high == found.frees_dropped->high);
    report = report_of({many}, {});
    report.processor_seconds.high = 2; // then both ends go by the same unknown time
    weigh(report);
    CHECK(report.lines[0].replayed->frees_kept.low == doctest::Approx(12 + calls.low / 2));
    CHECK(report.lines[0].replayed->frees_kept.high ==
          doctest::Approx(20 + calls.high + beside.high));
    many.cpp = true;
    report = report_of({many}, {});
    weigh(report);
    const interval cpp = of_each(cost::teardown_in_cpp);
    is_sum(*report.lines[0].replayed->frees_dropped, 17 + more + middle(cpp), {13, 21}, calls,
           beside, cpp);
    many.cpp = false;
    many.never_freed = many.objects / 2; // which have no frees to drop
    report = report_of({many}, {});
    weigh(report);
    const interval half = {c.low / 2, c.high / 2};
    is_sum(*report.lines[0].replayed->frees_dropped, 17 + more + middle(half), {13, 21}, calls,
           beside, half);
    many.never_freed = 0;
    advice pooled = line_of(remedy::pool, {10, 20}); // its frees are replayed
    pooled.objects = 2'000'000;
    pooled.replayed = {{12, 15}, {}, {}};
    report = report_of({pooled}, {});
    weigh(report);
    CHECK(report.lines[0].cpu_percent.low == doctest::Approx(10 + middle(calls)));
}

TEST_CASE("weighing: a malloc gains more than its replay shows, half of that at most") {
    const interval gain{12, 16};
    malloc_gain set{"glibc huge pages", gain, {}, "GLIBC_TUNABLES=glibc.malloc.hugetlb=1"};
    advice_report report =
        report_of({}, {{"best", gain, {}}, set, {"equal", {-1, 3}, {}}, {"slow", {-9, -5}, {}}});
    report.objects = 10'000'000; // a nanosecond each is a percent
    weigh(report);
    const auto middle_of = [&](const std::string &name) {
        for (const malloc_gain &m : report.mallocs)
            if (m.name == name) return middle(m.cpu_percent);
        return 0.;
    };
    CHECK(middle_of("best") == doctest::Approx(14 + middle(cost::calls_among_others)));
    CHECK(middle_of("glibc huge pages") == 14); // it is the same malloc
    CHECK(middle_of("equal") == doctest::Approx(1.5));
    CHECK(middle_of("slow") == -7);
}

TEST_CASE("weighing: nothing is predicted closer than within three and a half points") {
    advice sharp = line_of(remedy::arena, {5, 6});
    sharp.replayed = {{10, 11}, {}, {}};
    const malloc_gain fast{"fast", {7, 7.5}, {}}, wide{"wide", {-3, 6}, {}};
    advice_report report = report_of({sharp}, {fast, wide});
    weigh(report);
    for (const interval &gain : {report.lines[0].cpu_percent, report.mallocs[0].cpu_percent})
        CHECK(gain.high - gain.low == doctest::Approx(7).epsilon(.01));
    CHECK(middle(report.mallocs[0].cpu_percent) == 7.25);
    CHECK(report.mallocs[1].cpu_percent.low == -3);
    CHECK(report.mallocs[1].cpu_percent.high == 6);
    // But not wider than all that the heap work takes.
    sharp.replayed->most_percent = 2;
    malloc_gain small = fast;
    small.most_percent = 3;
    report = report_of({sharp}, {small});
    weigh(report);
    CHECK(report.lines[0].cpu_percent.high - report.lines[0].cpu_percent.low ==
          doctest::Approx(2).epsilon(.01));
    CHECK(report.mallocs[0].cpu_percent.high - report.mallocs[0].cpu_percent.low ==
          doctest::Approx(3).epsilon(.01));
}

TEST_CASE("weighing: the program's own runs say what an arena gains, however many objects it has") {
    advice line = line_of(remedy::arena, {5, 40});
    line.objects = 2'000'000;
    line.replayed = {{10, 12}, interval{8, 18}, interval{20, 21}};
    line.replayed->in_program = true;
    advice_report report = report_of({line}, {});
    weigh(report);
    const replayed_change &found = *report.lines[0].replayed;
    CHECK(found.frees_kept.low == doctest::Approx(7.5));
    CHECK(found.frees_kept.high == doctest::Approx(15.5));
    CHECK(found.frees_hooked->low == 8);
    CHECK(found.frees_hooked->high == doctest::Approx(19));
    CHECK(found.frees_dropped->low == doctest::Approx(17));
    CHECK(report.lines[0].cpu_percent.high == doctest::Approx(25));
}

TEST_CASE("weighing: what was measured of a malloc stays, within a point") {
    malloc_gain sharp{"sharp", {12, 12.5}, {}, {}, true}, wide{"wide", {4, 9}, {}, {}, true};
    advice_report report = report_of({}, {sharp, wide});
    report.objects = 10'000'000;
    weigh(report);
    CHECK(report.mallocs[0].cpu_percent.low == doctest::Approx(11.25));
    CHECK(report.mallocs[0].cpu_percent.high == doctest::Approx(13.25));
    CHECK(report.mallocs[1].cpu_percent.low == 4);
    CHECK(report.mallocs[1].cpu_percent.high == 9);
}

TEST_CASE("weighing: a change counts by the best way to make it, whatever a hook would cost") {
    advice parsed = line_of(remedy::arena, {5, 40});
    parsed.replayed = {{12, 14}, interval{-24, -3}, interval{26, 29}};
    const malloc_gain fast{"fast", {8.2, 17}, {}};
    advice_report report = report_of({line_of(remedy::arena, {8, 9}), parsed}, {fast});
    weigh(report);
    CHECK(!report.malloc_first);
    CHECK(!report.leave_it);
    CHECK(report.lines[0].cpu_percent.low == doctest::Approx(9.5).epsilon(.01));
    CHECK(is_worth_it(report.lines[0]));
    CHECK(report.lines[1].cpu_percent.low == 8);
}

TEST_CASE("weighing: a wider range doesn't put a change before a malloc that gains for sure") {
    const auto comes_first = [](interval change, interval fast) {
        advice_report report = report_of({line_of(remedy::arena, change)}, {{"fast", fast, {}}});
        report.mallocs[0].measured = true;
        weigh(report);
        CHECK_FALSE(report.malloc_beyond_all);
        return report.malloc_first;
    };
    CHECK(comes_first({.9, 7.9}, {4.5, 6.5}));
    CHECK(comes_first({1, 18}, {9, 17}));
    CHECK_FALSE(comes_first({4, 8}, {4.5, 6.5}));
    CHECK_FALSE(comes_first({-6, 9}, {-.5, 6.5})); // it may lose
    CHECK_FALSE(comes_first({-6, 7}, {.5, 2.5}));  // it is too little
}

TEST_CASE("weighing: what has gained nothing in its replay is left, unless it saves memory") {
    advice worse = line_of(remedy::arena, {5, 20}), smaller = worse;
    worse.sketch = "toft_arena arena = TOFT_ARENA_INIT;";
    worse.wrappers = {{"xmalloc", "memory.c", 0}};
    worse.replayed = smaller.replayed = {{-4, -1}, {}, interval{-.7, .3}};
    smaller.peak_percent = {0, 30};
    advice_report report = report_of({worse, smaller}, {});
    weigh(report);
    CHECK(report.lines[0].what == remedy::arena);
    CHECK(report.lines[0].peak_percent.high == 30);
    CHECK(report.lines[1].what == remedy::leave);
    CHECK(report.lines[1].sketch.empty());
    CHECK(report.lines[1].why.find("gains next to nothing") != std::string::npos);
    CHECK(!has_hook(report.lines[1]));
}

TEST_CASE("weighing: what a replay leaves is dropped where another line is about its objects") {
    advice reserve = line_of(remedy::reserve, {3, 5}), reap = line_of(remedy::reap, {5, 20});
    reserve.sites = {1, 2, 3};
    reap.replayed = {{-4, -1}, {}, interval{-.7, .3}};
    reap.escaping = 7;
    advice other = reap;
    reap.sites = {1, 3};
    other.sites = {3, 4};
    advice_report report = report_of({reap, other, reserve}, {});
    weigh(report);
    REQUIRE(report.lines.size() == 2);
    CHECK(report.lines[0].what == remedy::reserve);
    CHECK(report.lines[1].sites == other.sites);
    CHECK(report.lines[1].what == remedy::leave);
    CHECK(report.lines[1].escaping == 0); // those were other objects
}

TEST_CASE("weighing: what an arena would keep the dead of must be worth its memory") {
    advice part = line_of(remedy::arena, {10, 20});
    part.replayed = {{8, 14}, {}, interval{10, 20}}; // 15 % in the middle
    left_out_objects more;
    more.objects = 500;
    const auto weighed = [&](interval with_them, interval fast) {
        more.replayed = {{with_them.low, with_them.low + 4}, {}, with_them};
        part.left_out = more;
        advice_report report = report_of({part}, {{"fast", fast, {}}});
        weigh(report);
        CHECK(best_gain(report.lines[0]).low == doctest::Approx(10).epsilon(.01));
        CHECK(report.malloc_first ==
              (fast.low > 20 && !report.lines[0].left_out->worth_its_memory));
        return report.lines[0].left_out->worth_its_memory;
    };
    CHECK(weighed({30, 40}, {0, 4}));
    CHECK_FALSE(weighed({12, 22}, {0, 4})); // little beyond the arena
    CHECK_FALSE(weighed({30, 40}, {33, 37}));
    CHECK(weighed({50, 60}, {33, 37}));
    part.left_out = left_out_objects{}; // which no replay has tried
    advice_report report = report_of({part}, {});
    weigh(report);
    CHECK_FALSE(report.lines[0].left_out->worth_its_memory);
}

TEST_CASE(
    "weighing: an arena with what was left out gains the same, though the other replay is lost") {
    advice part = line_of(remedy::arena, {.5, 2});
    part.left_out.emplace().objects = 2'000'000;
    part.left_out->replayed = {{30, 31}, {}, interval{30, 31}};
    const auto gain_with = [&](double noise_of_part) {
        part.replayed = {{1, 2}, {}, interval{1, 2}, noise_of_part};
        advice_report report = report_of({part}, {});
        weigh(report);
        CHECK(report.lines[0].replayed.has_value() == (noise_of_part == 0));
        return gain_of_whole(*report.lines[0].left_out);
    };
    const interval known = gain_with(0), lost = gain_with(20);
    CHECK(lost.low == known.low);
    CHECK(lost.high == known.high);
    CHECK(known.high > 31);
}

TEST_CASE(
    "weighing: what is lost in a replay's noise, or more than such objects can gain, isn't told") {
    advice small = line_of(remedy::arena, {.5, 2});
    const auto gain_of = [&](interval found, double noise, double most = 100) {
        small.replayed = {found, {}, found, noise, most};
        advice_report report = report_of({small}, {});
        weigh(report);
        CHECK(report.lines[0].replayed.has_value() == (report.lines[0].cpu_percent.high != 2));
        return report.lines[0].cpu_percent;
    };
    CHECK(gain_of({10, 20}, 8).low == .5); // the model's
    CHECK(gain_of({-20, -10}, 8).low == .5);
    CHECK(gain_of({10, 20}, 7).low == doctest::Approx(10).epsilon(.01));
    CHECK(gain_of({1, 9}, 1.5).low == doctest::Approx(1).epsilon(.01)); // it promised as much
    CHECK(gain_of({30, 40}, 8, 10).high == 2);
    CHECK(gain_of({30, 40}, 4, 10).high == doctest::Approx(13.5).epsilon(.01)); // 7 points wide
}

TEST_CASE("weighing: what was replayed of a change is weighed, though no malloc's replay ended") {
    advice line = line_of(remedy::arena, {5, 40});
    advice_report report = report_of({line}, {});
    report.replay_left_out = "no malloc's replay ended within 8 s";
    CHECK_FALSE(was_replayed(report));
    report.lines[0].left_out = left_out_objects{};
    CHECK_FALSE(was_replayed(report));
    report.lines[0].left_out->replayed.emplace();
    CHECK(was_replayed(report));
    line.replayed.emplace();
    CHECK(was_replayed(report_of({line}, {})));
    CHECK(was_replayed(report_of({}, {{"fast", {1, 2}, {}}})));
}

TEST_CASE("weighing: no change gains more than all of the program's time") {
    advice line = line_of(remedy::arena, {5, 40});
    line.objects = 50'000'000; // by a nanosecond each, five percent
    line.replayed = {{90, 94}, {}, interval{110, 120}};
    for (const bool in_program : {false, true}) {
        line.replayed->in_program = in_program;
        malloc_gain fast{"fast", {93, 95}, {}, {}, in_program};
        advice_report report = report_of({line}, {fast});
        report.objects = line.objects;
        weigh(report);
        const replayed_change &found = *report.lines[0].replayed;
        for (const interval &gain :
             {found.frees_kept, *found.frees_dropped, report.mallocs[0].cpu_percent}) {
            CHECK(gain.low <= most_percent);
            CHECK(gain.high == most_percent);
        }
    }
}
