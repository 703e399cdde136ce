// SPDX-License-Identifier: MIT
// An advised arena in the program itself: which objects come into it, and what its runs say.
#include "command.hpp"

#include "rehearse/rehearsal.hpp"
#include "run/paths.hpp"
#include "run/preloaded_program.hpp"
#include "show/cells.hpp"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace toft::lab;

constexpr std::uint64_t requests = 1000, objects_of_request = 100;

std::vector<std::string> target_words(const std::string &way, std::uint64_t count = requests) {
    return {TOFT_REHEARSE_TARGET, way, std::to_string(count)};
}

std::string quoted(const std::vector<std::string> &words) {
    std::string all;
    for (const std::string &word : words) all += "'" + word + "' ";
    return all;
}

// The advice for one of the target's ways, and what a rehearsal of it needs.
struct advised {
    explicit advised(const std::string &way)
        : recordings{recorded(way)},
          symbols(read_symbols()),
          report(advise(recordings, symbols, .1)),
          tree(symbols, recordings) {
        tree.merge(recordings.front());
        const auto arena = std::ranges::find(report.lines, remedy::arena, &advice::what);
        REQUIRE(arena != report.lines.end());
        line = &*arena;
        REQUIRE(contains(line->scope.function, "serve"));
        REQUIRE(why_not_rehearsed(report, *line) == "");
    }

    static recording recorded(const std::string &way) {
        const std::string path = scratch("rehearse-" + way);
        REQUIRE(run_toft("record -o '" + path + "' -- " + quoted(target_words(way))).status == 0);
        return read_recording(path);
    }

    region_plan plan() const { return plan_of(*line, tree, symbols.code); }

    std::vector<recording> recordings;
    program_symbols symbols;
    advice_report report;
    stack_tree tree;
    const advice *line = nullptr; // the first arena
};

// One run; what was counted is in the plan. Its standard error goes to a file, where one is named.
void run_with(shared_plan &plan, const std::vector<std::string> &words,
              const std::string &errors = "") {
    const preloaded_end end = run_preloaded(words, helper_path("rehearsal.so"), [&] {
        setenv(TOFT_VERIFY_FILE, plan.path().c_str(), 1);
        if (!errors.empty() && !std::freopen(errors.c_str(), "w", stderr)) std::abort();
    });
    CHECK(end.wait_status == 0);
}

// That places, unless it is told otherwise.
shared_plan &prepared(shared_plan &plan) {
    plan->rehearsed.way = toft_rehearse_placing;
    plan->rehearsed.most_bytes = 1 << 30;
    plan->rehearsed.frees_a_reading = 4;
    plan->rehearsed.with_sizes = 1;
    return plan;
}

// And freed, in as many lives as there were requests.
void check_each_was_placed(shared_plan &plan, const advised &of) {
    CHECK(plan->placed == of.line->objects);
    CHECK(plan->rehearsed.frees == plan->placed);
    CHECK(plan->lives == requests);
    CHECK(plan->not_placed == 0);
}

} // namespace

TEST_CASE("rehearsal: each advised object is placed, however it is made, and each life is seen") {
    const advised of("all");
    shared_plan plan(of.plan());
    run_with(prepared(plan), target_words("all"));
    check_each_was_placed(plan, of);
    CHECK(plan->placed >= requests * objects_of_request / 2);
    CHECK(plan->rehearsed.others == 0);
}

TEST_CASE("rehearsal: objects come and go by the calls that a library's hook has, too") {
    const advised of("hooked");
    shared_plan plan(of.plan());
    prepared(plan)->rehearsed.by_current = 1;
    run_with(plan, target_words("hooked"));
    check_each_was_placed(plan, of);
}

TEST_CASE("rehearsal: objects have no size in front where nobody asks for it") {
    const advised of("hooked");
    shared_plan plan(of.plan());
    prepared(plan)->rehearsed.with_sizes = 0;
    run_with(plan, target_words("hooked"));
    check_each_was_placed(plan, of);
    CHECK(plan->rehearsed.sizes_asked == 0);
}

TEST_CASE("rehearsal: where it only looks, nothing is placed") {
    const advised of("all");
    shared_plan plan(of.plan());
    prepared(plan)->rehearsed.way = toft_rehearse_looking;
    run_with(plan, target_words("all"));
    CHECK(plan->placed == 0);
    CHECK(plan->lives == 0);
}

TEST_CASE("rehearsal: an arena that is full leaves the heap to the program") {
    const advised of("all");
    shared_plan plan(of.plan());
    prepared(plan)->rehearsed.most_bytes = 8 << 10;
    run_with(plan, target_words("all"));
    CHECK(plan->not_placed != 0);
    CHECK(plan->placed != 0);
}

TEST_CASE("rehearsal: stacks that differ far out only are told apart, after some calls") {
    const advised of("alike");
    shared_plan plan(of.plan());
    run_with(prepared(plan), target_words("alike", 100 * requests));
    const double placed = static_cast<double>(plan->placed);
    CHECK(placed == doctest::Approx(100 * requests * objects_of_request).epsilon(.01));
    CHECK(plan->lives > 90 * requests);
}

TEST_CASE("rehearsal: what a hook would place too comes into the arena while that holds any") {
    const advised of("keeps");
    shared_plan plan(of.plan());
    run_with(prepared(plan), target_words("keeps"));
    CHECK(plan->placed == requests * objects_of_request);
    CHECK(plan->rehearsed.others == 0);
    CHECK(plan->lives == requests);
    plan->placed = plan->lives = 0;
    plan->rehearsed.hook = toft_hook_module;
    plan->rehearsed.hook_module = plan->region_module; // the program's own
    run_with(plan, target_words("keeps"));
    CHECK(plan->placed == requests * objects_of_request);
    CHECK(plan->rehearsed.others == 2 * requests);
    CHECK(plan->lives < requests / 10); // since they live longer
}

TEST_CASE("rehearsal: a teardown is timed, and a pause in it isn't") {
    const advised of("slow");
    shared_plan plan(of.plan());
    const std::string errors = scratch("rehearse-teardown");
    run_with(prepared(plan), target_words("slow"), errors);
    double seconds = 0, one = 0;
    std::istringstream lines(contents_of(errors));
    for (std::string word; lines >> word >> one;) seconds += one;
    CAPTURE(seconds);
    CHECK(plan->rehearsed.teardown_ns > .5e9 * seconds);
    CHECK(plan->rehearsed.teardown_ns < 1.5e9 * seconds);
    const double frees = static_cast<double>(plan->rehearsed.teardown_frees);
    CHECK(frees == doctest::Approx(requests * objects_of_request).epsilon(.25));
    CHECK(plan->rehearsed.clock_ns > 0);
    for (const double ns : {plan->rehearsed.reading_ns, plan->rehearsed.free_ns}) {
        CHECK(ns > 0);
        CHECK(ns < 10'000);
    }

    const advised pausing("pause");
    shared_plan with_pauses(pausing.plan());
    run_with(prepared(with_pauses), target_words("pause"));
    CHECK(with_pauses->placed == requests * objects_of_request);
    // Each pause takes longer than that, and half of the frees come before it.
    CHECK(with_pauses->rehearsed.teardown_ns < .001e9 * requests);
    CHECK(static_cast<double>(with_pauses->rehearsed.teardown_frees) ==
          doctest::Approx(requests * objects_of_request / 2).epsilon(.25));
}

TEST_CASE("rehearsal: rounds tell what is gained, in each way") {
    const advised of("all");
    rehearsal all(*of.line, of.tree, of.symbols.code, {.words = target_words("all")});
    CHECK(all.runs_of_round() == 4);
    for (int i = 0; i != 3; ++i) {
        CHECK(!all.gain());
        REQUIRE(all.run() == "");
    }
    const std::optional<rehearsed_gain> gain = all.gain();
    REQUIRE(gain);
    REQUIRE(gain->frees_dropped);
    CHECK(!gain->frees_hooked);
    CHECK(gain->frees_kept.low <= gain->frees_kept.high);
    CHECK(gain->frees_dropped->high > gain->frees_kept.low);
    CHECK(gain->frees_dropped->high < 100);
}

TEST_CASE("rehearsal: a program that does less than was recorded, or fails, tells nothing") {
    const advised of("all");
    rehearsal less(*of.line, of.tree, of.symbols.code,
                   {.words = target_words("all", requests / 2)});
    CHECK(less.run() == fmt::format("{} of the objects were made, and {} when it was recorded",
                                    with_commas(of.line->objects / 2),
                                    with_commas(of.line->objects)));
    advice of_more = *of.line;
    of_more.lives *= 2;
    rehearsal emptied_less(of_more, of.tree, of.symbols.code, {.words = target_words("all")});
    CHECK(emptied_less.run() ==
          fmt::format("the arena was empty {} times in a run, and {} times in the recording",
                      with_commas(requests), with_commas(2 * requests)));
    rehearsal fails(*of.line, of.tree, of.symbols.code, {.words = {TOFT_REHEARSE_TARGET}});
    CHECK(fails.run() == "one failed, or was stopped");
}

TEST_CASE("rehearsal: what can't be measured in the program is told with its reason") {
    advised of("all");
    of.report.threads = 2;
    CHECK(why_not_rehearsed(of.report, *of.line) == "the program has several threads");
    advice reap = *of.line;
    reap.what = remedy::reap;
    of.report.threads = 1;
    CHECK(why_not_rehearsed(of.report, reap) ==
          "only an arena within a function is measured there");
}

// A busy machine may know no gain well enough, and tries again for longer.
TEST_CASE("toft advise runs the program with the first arena's objects in one") {
    constexpr int tries_most = 5;
    const std::string words = quoted(target_words("all", 2 * requests));
    const std::string path = scratch("rehearse-advised"), json = scratch("rehearse-advised-json");
    REQUIRE(run_toft("record -o '" + path + "' -- " + words).status == 0);
    bool is_told = false;
    int seconds = 6;
    for (int tries = 0; tries != tries_most && !is_told; ++tries, seconds *= 2) {
        const run_result said = run_toft("advise --replay-time " + std::to_string(seconds) +
                                         " --json '" + json + "' '" + path + "' -- " + words);
        CAPTURE(said.err);
        REQUIRE(said.status == 0);
        is_told =
            contains(unwrapped(said.out), "The program was run with these objects in an arena.");
        CHECK(contains(contents_of(json), "\"in_program\": true") == is_told);
    }
    CHECK(is_told);
    const std::string longer =
        quoted(target_words("all", 10 * requests)); // nine rounds take seconds
    const run_result hasty = run_toft("advise --replay-time 1 '" + path + "' -- " + longer);
    CHECK(contains(unwrapped(hasty.out),
                   "It couldn't be measured in the program itself: the runs would take"));
    CHECK(contains(unwrapped(hasty.out),
                   ": give more by --replay-time, or record it with a smaller input."));
}
