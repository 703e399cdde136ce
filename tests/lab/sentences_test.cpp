// SPDX-License-Identifier: MIT
// The sentences around the tables, from results made by hand: each is said where the figures say
// so, and not where they don't. (Who won: conclusion_test.cpp; toft try: trial_verdict_test.cpp;
// drift: drift_test.cpp.)
#include "command.hpp"
#include "made_runs.hpp"
#include "printed.hpp"
#include "replay/replays.hpp"
#include "result/result_json.hpp"
#include "result/verdict.hpp"
#include "rows.hpp"
#include "run/load.hpp"
#include "run/trial.hpp"
#include "show/comparison.hpp"
#include "show/comparison_text.hpp"
#include "show/conclusion.hpp"
#include "show/epilogue.hpp"
#include "show/page_data.hpp"
#include "show/warnings.hpp"

#include <doctest/doctest.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <sstream>

using namespace toft::lab;

namespace {

bench_result quiet_result() {
    bench_result r;
    r.build.optimised = true;
    r.machine.cpus = 4;
    return r;
}

std::string warnings_in(const bench_result &r) {
    std::string all;
    for (const std::string &warning : warnings_of(r)) all += warning + "\n";
    return all;
}

row &add(suite_result &s, const char *case_name, const char *subject,
         std::vector<std::uint64_t> ns) {
    row r = row_of(std::move(ns));
    r.case_name = case_name;
    r.subject = subject;
    r.is_toft = r.subject.starts_with("toft");
    r.repetitions = static_cast<unsigned>(r.samples.size());
    judge(r);
    s.rows.push_back(std::move(r));
    return s.rows.back();
}

suite_result made_suite() {
    suite_result s;
    s.name = "made";
    s.cases = {{"one", "the first"}, {"two", "the second"}};
    return s;
}

std::string epilogue_of(const bench_result &result) {
    return unwrapped(printed_by([&](printer &out) { print_result(result, {}, out); }));
}

std::string said_of(const bench_result &was, const bench_result &is) {
    const comparison c = compare(was, is);
    return unwrapped(printed_by([&](printer &out) { print_comparison(c, false, out); }));
}

} // namespace

TEST_CASE("warnings: of a machine that was quiet and of an optimised build there are none") {
    bench_result r = quiet_result();
    r.load = {.average_at_start = 2, .others_cpus = 1, .stolen_share = .02};
    r.suites = {made_suite()};
    add(r.suites[0], "one", "malloc", {100, 100, 100}).threads = 4;
    CHECK(warnings_in(r).empty());
}

TEST_CASE("warnings: each says what was found") {
    bench_result r = quiet_result();
    r.build.optimised = false;
    CHECK(warnings_in(r) == "Built without optimisation: these figures mean nothing.\n");
    r = quiet_result();
    r.load.average_at_start = 2.1;
    CHECK(warnings_in(r) == "The machine was loaded at the start (2.10).\n");
    r = quiet_result();
    r.load.others_cpus = 1.2;
    CHECK(contains(warnings_in(r), "Other programs kept 1.2 of 4 CPUs busy meanwhile"));
    r.machine.cpus = 1;
    CHECK(contains(warnings_in(r), "Other programs kept 1.2 of 1 CPU busy meanwhile"));
    r = quiet_result();
    r.load.stolen_share = .03;
    CHECK(contains(warnings_in(r), "host took away 3 % of its time"));
    r = quiet_result();
    r.suites = {made_suite()};
    add(r.suites[0], "one", "malloc", {100, 100, 100}).threads = 8;
    CHECK(contains(warnings_in(r), "Cases on 8 threads: this machine has 4 CPUs"));
}

TEST_CASE("comparison: judged rows that the new run has lost are named, but not by the dozen") {
    const bench_result was = result_of({.ours = 9});
    bench_result is = result_of({.ours = 9});
    std::erase_if(is.suites[0].rows, [](const row &r) { return r.is_toft; });
    const std::string said = said_of(was, is);
    CHECK(contains(said, "18 rows are in one of the files only."));
    CHECK(contains(said, "made one, row 0 is only in the old file."));
    CHECK(contains(said, "And 8 more: compare --all names them."));
    const std::string bound =
        printed_by([&](printer &out) { print_bound(compare(was, is), 5, out); });
    CHECK(contains(unwrapped(bound), "can't tell. Nothing is known of 18 judged rows: see above."));
}

TEST_CASE("load: only the CPUs count that the lab may use") {
    // user nice system idle iowait irq softirq steal guest guest_nice
    const std::string stat = "cpu  1111 0 0 0 0 0 0 0 0 0\n"
                             "cpu0 1000 0 10 5000 100 1 1 20 0 0\n"
                             "cpu1 7 0 3 9000 50 0 0 2 0 0\n"
                             "cpu10 100 0 0 900 0 0 0 0 0 0\n"
                             "intr 5 6\n";
    const auto ticks_on = [&](std::initializer_list<unsigned> cpus) {
        cpu_set_t set;
        CPU_ZERO(&set);
        for (const unsigned cpu : cpus) CPU_SET(cpu, &set);
        std::istringstream text(stat);
        return ticks_of(text, set);
    };
    const cpu_ticks one = ticks_on({1});
    CHECK(one.busy == 10);
    CHECK(one.stolen == 2);
    CHECK(one.all == 9062);
    const cpu_ticks all = ticks_on({0, 1, 10});
    CHECK(all.busy == 1012 + 10 + 100);
    CHECK(all.stolen == 22);
    CHECK(ticks_on({2}).all == 0);
}

TEST_CASE("the method names the processes that there were, not those that were planned") {
    bench_result r = quiet_result();
    r.suites = {made_suite()};
    add(r.suites[0], "one", "malloc", {100, 100, 100});
    row &two = add(r.suites[0], "two", "malloc", {100, 100, 100, 100, 100});
    CHECK(contains(method_of(r), "interleaved: 3 (made one), 5 (made two);"));
    two.repetitions = 7; // an interrupt came before the last two
    CHECK(contains(method_of(r), "interleaved: 3 (made one), 5 (made two);"));
    two.problem = "crashed"; // which is told by itself
    CHECK(contains(method_of(r), "Processes for each figure, interleaved: 3;"));
}

TEST_CASE("the method says how far processes lie apart, and what is called noisy") {
    bench_result r = quiet_result();
    r.suites = {made_suite()};
    add(r.suites[0], "one", "steady", {1000, 1000, 1000});
    CHECK(contains(method_of(r), "a ratio of figures above 15 % gets a ~"));
    CHECK(contains(method_of(r), "at most 0.0 %, nine of ten by 0.0 %."));
    add(r.suites[0], "one", "unsteady", {1000, 1500, 2000}).noisy_spread = .25;
    CHECK(contains(method_of(r), "above 15 or 25 % gets a ~"));
    add(r.suites[0], "two", "unsteady", {1000, 1500, 2000});
    CHECK_FALSE(contains(method_of(r), "at most 0.0 %"));
}

TEST_CASE("what is missing, what failed and what was interrupted is told, and nothing else is") {
    bench_result r = quiet_result();
    r.suites = {made_suite()};
    row &kept = add(r.suites[0], "one", "malloc", {100, 100, 100});
    const std::string sound = epilogue_of(r);
    for (const char *words : {"Problems", "Left out", "Interrupted", "Warning", "Drift"})
        CHECK_FALSE(contains(sound, words));
    kept.problem = "crashed";
    kept.repetitions = 5;
    kept.remark = "seems to depend on what ran before";
    r.left_out = {{"jemalloc", "not found"}};
    r.interrupted = true;
    const std::string said = epilogue_of(r);
    CHECK(contains(said, "made one, malloc: crashed; 3 of 5 repetitions kept"));
    CHECK(contains(said, "Left out jemalloc: not found"));
    CHECK(contains(said, "Interrupted: what was measured until then is shown."));
    CHECK(contains(said, "Warning: made one, malloc seems to depend on what ran before."));
    // The page has them too, where paper and a phone show them.
    const nlohmann::json page = page_data(r, page_samples::left_out);
    REQUIRE(page["problems"].size() == 1);
    CHECK(page["problems"][0] == "made one, malloc: crashed; 3 of 5 repetitions kept");
    REQUIRE(page["warnings"].size() == 2);
    CHECK(page["warnings"][0] == "Interrupted: what was measured until then is shown.");
    CHECK(page["warnings"][1] == "made one, malloc seems to depend on what ran before.");
    r.suites[0].name = trial_suite;
    CHECK(page_data(r, page_samples::left_out)["problems"][0] == "Failed: glibc: crashed.");
    r.suites[0].name = replay_suite;
    r.suites[0].rows[0].case_name = program_case;
    CHECK(page_data(r, page_samples::left_out)["problems"].size() != 0);
}

TEST_CASE("a yardstick that an allocator beat isn't called a limit, nor compared") {
    bench_result r = quiet_result();
    r.suites = {made_suite()};
    add(r.suites[0], "one", "toft::arena", {100, 100, 100});
    add(r.suites[0], "one", "raw pointer", {150, 150, 150}).competes = false;
    add(r.suites[0], "one", "malloc", {300, 300, 300});
    r.suites[0].conclusion = conclusion_of(r.suites[0]);
    CHECK(r.suites[0].conclusion == "toft::arena is ahead in 1 of 1 comparisons, 3.0 times as fast "
                                    "as the best of the others.");
    const nlohmann::json page = page_data(r, page_samples::left_out);
    CHECK(page["suites"][0]["rows"][1]["side"] == "yardstick");
    CHECK_FALSE(contains(page.dump(), "limit"));
    CHECK_FALSE(contains(epilogue_of(r), "limit"));
}

TEST_CASE("the page has no page faults of a row that never gave a sample") {
    bench_result r = quiet_result();
    r.suites = {made_suite()};
    add(r.suites[0], "one", "malloc", {100, 100, 100});
    for (measurement &m : r.suites[0].rows[0].samples) m.minor_faults = 1'234'567;
    add(r.suites[0], "one", "broken", {}).problem = "crashed";
    const nlohmann::json page = page_data(r, page_samples::left_out);
    CHECK(page["suites"][0]["rows"][0]["page_faults"] == 1'234'567);
    CHECK(page["suites"][0]["rows"][1]["page_faults"].is_null());
}

TEST_CASE("where nothing differs, comparisons of too few processes are still counted apart") {
    suite_result s = made_suite();
    add(s, "one", "toft::arena", {100, 100, 100});
    add(s, "one", "malloc", {101, 101, 101});
    const std::string nothing =
        "Nothing differs by more than noise, as far as so many processes tell.";
    CHECK(conclusion_of(s) == nothing);
    add(s, "two", "toft::arena", {100});
    add(s, "two", "malloc", {300});
    CHECK(conclusion_of(s) == nothing + " 1 of too few processes.");
}

TEST_CASE("a comparison says what its controls share, and when that can't be told") {
    const bench_result was = result_of({});
    const std::string same = said_of(was, was);
    CHECK(contains(same, "Its 8 controls together take 1.00 times what they took; the other rows, "
                         "after that is taken off, 1.00 times."));
    CHECK_FALSE(contains(same, "No more than that"));
    CHECK_FALSE(contains(same, "in one of the files only"));
    CHECK_FALSE(contains(same, "It has no controls"));
    CHECK(contains(said_of(was, result_of({.mood = 2})), "No more than that is taken off"));
    const made_run none{.controls = 0};
    CHECK(contains(said_of(result_of(none), result_of(none)), "It has no controls"));
    // Two in each case are too few, so that what the judged rows share isn't theirs.
    const made_run few{.controls = 2};
    const std::string judged_alone =
        said_of(result_of(few), result_of({.controls = 2, .all_of_ours = 1.15}));
    CHECK(contains(judged_alone, "It has too few controls in each case, so a common change of up "
                                 "to 25 % can't be told"));
    CHECK_FALSE(contains(judged_alone, "controls together take"));
}

TEST_CASE("a comparison names the cases that have too few controls, and sums up the others") {
    bench_result was = result_of({}), is = result_of({.all_of_ours = 1.15});
    for (bench_result *result : {&was, &is})
        std::erase_if(result->suites[0].rows, [](const row &r) {
            return r.case_name == "two" && !r.is_toft && r.subject != "control 4";
        });
    const std::string said = said_of(was, is);
    CHECK(contains(said, "Its 4 controls together take 1.00 times what they took; the other rows, "
                         "after that is taken off, 1.15 times. Too few controls are in two, so a "
                         "common change of up to 25 %"));
}

TEST_CASE("a comparison counts what it calls, and names what it can't judge") {
    const bench_result was = result_of({});
    const std::string slower = said_of(was, result_of({.seed = 2, .slowed = 2}));
    CHECK(contains(slower, " slower, 0 faster"));
    CHECK_FALSE(contains(slower, " 0 slower"));
    CHECK(
        contains(said_of(was, result_of({.controls = 5})), "2 rows are in one of the files only."));
    bench_result is = result_of({.seed = 2});
    is.suites[0].rows[0].figures.clear();
    is.suites[0].rows[0].judged = verdict::failed;
    CHECK(contains(said_of(was, is), "made one, row 0 has no figures in one of the files."));
}

TEST_CASE("the page tells a comparison in the terminal's words, and no caveat is left out") {
    const bench_result was = result_of({.controls = 2});
    bench_result is = result_of({.seed = 2, .controls = 2, .slowed = 2});
    is.suites[0].rows[0].figures.clear();
    is.suites[0].rows[0].judged = verdict::failed;
    is.compared = compare(was, is);
    const std::string said = said_of(was, is);
    const nlohmann::json page = page_data(is, page_samples::left_out)["comparison"];
    CHECK(page["lines"].size() != 0);
    CHECK(contains(page["suites"][0].get<std::string>(), "a common change of up to 25 %"));
    CHECK(contains(page["not_judged"][0].get<std::string>(), "has no figures in one of the files"));
    for (const char *words : {"note", "sum", "unmatched"})
        CHECK(contains(said, page[words].get<std::string>()));
    for (const char *sentences : {"suites", "not_judged"})
        for (const std::string words : page[sentences]) CHECK(contains(said, words));
    for (const nlohmann::json &line : page["lines"])
        for (const std::string text : line) CHECK(contains(said, text));
}

TEST_CASE("differences between two runs are sentences that name both sides") {
    const bench_result was = result_of({});
    bench_result is = was;
    is.machine.cpu = "another";
    is.environment = {"MALLOC_ARENA_MAX=1"};
    is.allocators[0].version = "2.41";
    is.full = true;
    const std::string said = said_of(was, is);
    CHECK(contains(said, "Warning: the processor differs: none then, another now."));
    CHECK(contains(said, "Warning: glibc differs: 2.36 then, 2.41 now."));
    CHECK(
        contains(said, "the allocators' environment differs: none then, MALLOC_ARENA_MAX=1 now."));
    CHECK(contains(said, "Warning: one of the two runs was --full: sizes differ."));
    CHECK_FALSE(contains(said_of(was, was), "differ"));
}

TEST_CASE("a comparison names each figure by all that tells it from others, in one cell") {
    const comparison c = compare(result_of({}), result_of({.seed = 2, .slowed = 3}));
    const std::string said = printed_by([&](printer &out) { print_comparison(c, false, out); });
    CAPTURE(said);
    std::istringstream lines(said);
    std::string line;
    while (std::getline(lines, line))
        if (line.find("old ns") != line.npos) break;
    CHECK_FALSE(contains(line, "phase"));
    std::size_t told = 0;
    for (const compared_figure &f : c.figures) {
        if (f.called != change::slower) continue;
        ++told;
        CHECK(contains(said, "\nmade two, row 3: " + f.phase + ", " + to_string(f.rounds) +
                                 (f.clock == clock_kind::cpu ? ", CPU " : ", wall ")));
    }
    CHECK(told != 0);
}
