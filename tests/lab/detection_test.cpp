// SPDX-License-Identifier: MIT
// How often a comparison finds a change that is there, and one that isn't: seeded simulations. The
// goals: at 7 repetitions, one row of four that became slower by 10 % is found in 90 of 100
// comparisons and by 30 % in 99; all rows at twice the time always; and of 100 comparisons of the
// same build, at most one calls anything.
#include "made_runs.hpp"
#include "show/comparison.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <initializer_list>

using namespace toft::lab;

namespace {

constexpr unsigned trials = 500;

// A machine as a virtual one is: each process scatters by 2 %, one in a hundred is held up, each
// run is in a mood of its own, and so are its cases and its rows.
made_run usual(unsigned controls) {
    return {.controls = controls, .interrupts = .01, .mood_of_cases = .03, .mood_of_rows = .004};
}

comparison compare_runs(made_run before, made_run after, unsigned seed) {
    before.seed = seed;
    after.seed = seed + 1'000'000;
    before.mood = 1 + .01 * (seed % 10);
    return compare(result_of(before), result_of(after));
}

bool is_called(const comparison &c, const std::string &row_name) {
    return std::any_of(c.figures.begin(), c.figures.end(), [&](const compared_figure &f) {
        return f.called == change::slower && f.row == row_name;
    });
}

bool calls_nothing(const comparison &c) {
    return std::all_of(c.figures.begin(), c.figures.end(), [](const compared_figure &f) {
        return f.called != change::slower && f.called != change::faster;
    });
}

template <class Holds>
double share_of_trials(const made_run &before, const made_run &after, Holds holds) {
    unsigned count = 0;
    for (unsigned seed = 1; seed <= trials; ++seed)
        count += holds(compare_runs(before, after, seed)) ? 1 : 0;
    return static_cast<double>(count) / trials;
}

} // namespace

TEST_CASE("one row of four that became slower is found, with controls and without") {
    for (const unsigned controls : {0U, 4U, 8U}) {
        CAPTURE(controls);
        made_run after = usual(controls);
        const auto found = [](const comparison &c) { return is_called(c, "row 3"); };
        after.slowed = 1.1;
        CHECK(share_of_trials(usual(controls), after, found) >= .9);
        after.slowed = 1.3;
        CHECK(share_of_trials(usual(controls), after, found) >= .99);
    }
}

TEST_CASE("all rows at twice the time: always found, and beyond a bound") {
    for (const unsigned controls : {0U, 4U}) {
        made_run ours = usual(controls), all = usual(controls);
        ours.all_of_ours = 2;
        all.mood = 2;
        const auto exceeded = [](const comparison &c) {
            return judge_bound(c, 10) == bound_verdict::exceeded;
        };
        CHECK(share_of_trials(usual(controls), ours, exceeded) == 1);
        CHECK(share_of_trials(usual(controls), all, exceeded) == 1);
    }
}

TEST_CASE("of the same build, at most one comparison of a hundred calls anything") {
    for (const unsigned processes : {3U, 5U, 7U})
        for (const unsigned controls : {0U, 3U, 8U}) {
            CAPTURE(processes);
            CAPTURE(controls);
            made_run run = usual(controls);
            run.processes = processes;
            run.cases = 6;
            CHECK(share_of_trials(run, run, calls_nothing) >= .99);
            run.unlike = .7; // the scatters of most rows lie between 0.5 and 8 %
            CHECK(share_of_trials(run, run, calls_nothing) >= .99);
        }
}

TEST_CASE("a change of the size that is said to be visible is found in nine of ten trials") {
    const comparison c = compare_runs(usual(4), usual(4), 1);
    made_run after = usual(4);
    after.slowed = c.suites.front().visible_in_all;
    CHECK(share_of_trials(usual(4), after,
                          [](const comparison &found) { return is_called(found, "row 3"); }) >= .9);
}
