// SPDX-License-Identifier: MIT
// From replays to what the whole program would gain.
#include "replay/prediction.hpp"
#include "replay/replay_child.hpp"
#include "show/replay_text.hpp"

#include <cmath>
#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

measurement process(const char *phase, double cpu_ms, double peak_mib) {
    measurement m;
    m.phases = {{phase, 1, 1, 0, {.cpu_ns = static_cast<std::uint64_t>(cpu_ms * 1e6)}}};
    m.peak_bytes = static_cast<std::uint64_t>(peak_mib * (1 << 20));
    return m;
}

row row_of(const char *model, const char *allocator, std::vector<double> cpu_ms, double mib) {
    row r;
    r.case_name = model;
    r.subject = as_recorded;
    r.allocator = allocator;
    for (const double ms : cpu_ms) r.samples.push_back(process(replay_phase, ms, mib));
    return r;
}

suite_result made_suite() {
    suite_result s;
    for (const char *model : touching_names) s.rows.push_back(row_of(model, "glibc", {20, 30}, 10));
    s.rows.push_back(row_of("none", "mine", {12, 18}, 8));
    s.rows.push_back(row_of("headers", "mine", {15, 22.5}, 12));
    s.rows.push_back(row_of("whole", "mine", {17, 25.5}, 16));
    return s;
}

suite_result three_rounds() {
    suite_result s = made_suite();
    for (row &r : s.rows) r.samples.push_back(r.samples.back());
    return s;
}

} // namespace

TEST_CASE("prediction: models whose round didn't end are left out, and the others still say much") {
    suite_result s = made_suite();
    s.rows[3].samples.clear(); // "mine", not touched
    drop_unfinished_models(s);
    CHECK(s.rows.size() == 6); // the first model's rows name the others, so it stays
    s = made_suite();
    s.rows[4].samples.clear();
    s.rows[2].samples.clear();
    CHECK_FALSE(predict(s, {100e6, {}}).back().program_change);
    drop_unfinished_models(s);
    CHECK(s.rows.size() == 2);
    const predicted_rows rows = predict(s, {100e6, {}});
    REQUIRE(rows.back().program_change);
    CHECK(rows.back().program_change->middle == doctest::Approx(-.10));
    s.rows.clear();
    drop_unfinished_models(s);
}

TEST_CASE("prediction: a use of objects that takes more than the whole program isn't its own") {
    suite_result s = made_suite();
    for (row &r : s.rows)
        if (r.case_name == "whole") r.samples = row_of("whole", "", {300, 330}, 10).samples;
    drop_impossible_models(s, 100e6);
    CHECK(s.rows.size() == 4);
    const predicted_rows rows = predict(s, {100e6, {}});
    REQUIRE(rows.back().program_change);
    CHECK(rows.back().program_change->low >= -.2);
    drop_impossible_models(s, 1e6);
    CHECK(s.rows.size() == 4); // they are all that is known
    s.rows.clear();
    drop_impossible_models(s, 1e6);
}

TEST_CASE("prediction: the heap work in the program is exchanged, in the range of the models") {
    suite_result s = made_suite();
    const predicted_rows rows = predict(s, {100e6, 50.0 * (1 << 20)});
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].program_change->middle == 0);
    const predicted_row &mine = rows[1];
    REQUIRE(mine.program_change);
    CHECK(mine.program_change->low == doctest::Approx(-.10));
    CHECK(mine.program_change->high == doctest::Approx(-.0375));
    CHECK(mine.program_change->low <= mine.program_change->middle);
    CHECK(mine.program_change->middle <= mine.program_change->high);
    CHECK(mine.program_peak_bytes->low == 48.0 * (1 << 20));
    CHECK(mine.program_peak_bytes->high == 56.0 * (1 << 20));
    note_predictions(s, {100e6, {}});
    CHECK(s.rows.back().samples[0].figures.at(predicted_ns_figure) == doctest::Approx(96.25e6));
    CHECK(s.rows.back().samples[1].figures.at(predicted_ns_figure) == doctest::Approx(96.25e6));
}

TEST_CASE("prediction: one round, or two, are taken to be as noisy as processes are") {
    const auto change_of = [](const suite_result &s) {
        const predicted_rows rows = predict(s, {100e6, {}});
        return change_with_noise(rows[1], rows[0], 100e6);
    };
    suite_result one = made_suite();
    for (row &r : one.rows) r.samples.resize(1); // 20 ms and 17 ms, of 100 ms
    const range alone = change_of(one);
    CHECK(alone.middle == doctest::Approx(-.03));
    CHECK(alone.high == doctest::Approx(-.03 + .15 * std::hypot(.20, .17)));
    CHECK(alone.low == doctest::Approx(-.08)); // where the models lie further apart, they say it
    for (row &r : one.rows)
        for (measurement &m : r.samples) m.figures[side_by_side_figure] = 7;
    CHECK(change_of(one).high == doctest::Approx(-.03 + .05 * std::hypot(.20, .17)));
    const range three = change_of(three_rounds());
    CHECK(three.high == doctest::Approx(-.045));
    CHECK(three.low == doctest::Approx(-.12));
}

TEST_CASE("prediction: a round in which the machine was slow says what the others say") {
    suite_result s;
    s.rows.push_back(row_of("whole", "glibc", {20, 40, 20, 20, 44}, 10));
    s.rows.push_back(row_of("whole", "mine", {15, 30, 15, 15, 33}, 10));
    const predicted_row mine = predict(s, {100e6, {}}).back();
    REQUIRE(mine.program_change);
    CHECK(mine.program_change->low == doctest::Approx(-.05));
    CHECK(mine.program_change->high == doctest::Approx(-.05));
    s.rows.front().samples[0] = process(replay_phase, 0, 10); // what is no part of it is all of it
    CHECK(predict(s, {100e6, {}}).back().program_change->middle == doctest::Approx(-.05));
}

TEST_CASE("prediction: replays of which one met a slow machine are brought to one pace") {
    const auto replay_of = [](std::vector<double> glibc_ms, std::vector<double> mine_ms) {
        suite_result s;
        s.rows.push_back(row_of("whole", "glibc", std::move(glibc_ms), 10));
        s.rows.push_back(row_of("whole", "mine", std::move(mine_ms), 10));
        return predict(s, {100e6, {}});
    };
    std::vector<predicted_rows> replays = {replay_of({20, 20, 20}, {10, 10, 10}), predicted_rows(),
                                           replay_of({40}, {20})};
    bring_to_one_pace(replays); // 25 ms in four rounds
    for (const std::size_t i : {0U, 2U}) {
        CHECK(replays[i].front().heap_cpu_ns.middle == doctest::Approx(25e6));
        CHECK(replays[i].front().program_change->middle == 0);
        CHECK(replays[i].back().heap_cpu_ns.high == doctest::Approx(12.5e6));
        CHECK(replays[i].back().program_change->low == doctest::Approx(-.125));
    }
    std::vector<predicted_rows> nothing = {replay_of({0, 0}, {1, 1}), replay_of({}, {})};
    bring_to_one_pace(nothing);
    CHECK(nothing[0].back().heap_cpu_ns.middle == 1e6);
}

TEST_CASE("prediction: what the program took is told in the heap work of the same round") {
    suite_result s = made_suite();
    CHECK(program_ratios(s).empty());
    row program = row_of(program_case, "glibc", {}, 10);
    for (const double ms : {100., 90., 80.}) program.samples.push_back(process(run_phase, ms, 10));
    s.rows.push_back(program);
    CHECK(program_ratios(s) == std::vector<double>{5, 3}); // of two rounds
}

TEST_CASE("prediction: no malloc saves more than the heap work, whatever a round says") {
    suite_result s = made_suite();
    for (row &r : s.rows) // the heap work is 25 ms in the middle
        if (r.case_name == "headers" && r.allocator == "glibc")
            r.samples = row_of("headers", "glibc", {120, 130}, 10).samples;
    const predicted_rows rows = predict(s, {100e6, {}});
    REQUIRE(rows[1].program_change);
    CHECK(rows[1].program_change->low == doctest::Approx(-.25));
    CHECK(rows[1].program_change->middle == doctest::Approx(-.0375));
    CHECK(rows[1].program_change->high == doctest::Approx(-.0375));
}

TEST_CASE("prediction: without the program's own cost nothing is said of it") {
    const predicted_rows rows = predict(made_suite(), {});
    REQUIRE(rows.size() == 2);
    CHECK(!rows[1].program_change);
    CHECK(!rows[1].program_peak_bytes);
    CHECK(rows[1].heap_ratio.low < 1);
    CHECK(!cost_of_program(made_suite()).cpu_ns);
}

TEST_CASE("prediction: the program's own rows are its cost") {
    suite_result s = made_suite();
    row program = row_of(program_case, "glibc", {}, 0);
    program.samples = {process(run_phase, 70, 3), process(run_phase, 90, 5)};
    s.rows.push_back(program);
    CHECK(*cost_of_program(s).cpu_ns == 80e6);
    CHECK(*cost_of_program(s).peak_bytes == 4.0 * (1 << 20));
    CHECK(*cost_of_program(s, 50e6).cpu_ns == 50e6);
    note_predictions(s, cost_of_program(s, 50e6));
    CHECK(*noted_cost(s).cpu_ns == 50e6);
    CHECK(*noted_cost(s).peak_bytes == 4.0 * (1 << 20));
    CHECK(!noted_cost(made_suite()).cpu_ns);
}

TEST_CASE("prediction: a program that takes less than its heap work isn't the recorded one") {
    const program_cost cost = cost_of_program(made_suite(), 10e6);
    CHECK(!cost.cpu_ns);
    CHECK(cost.problem.starts_with("the heap work alone takes 2.50 times the program's CPU time"));
    const std::string said = replay_in_short(predict(three_rounds(), cost), cost);
    CHECK(said.starts_with("mine does this heap work in "));
    CHECK(said.find("isn't known: the heap work alone takes") != std::string::npos);
    CHECK(said.find("% of the program") == std::string::npos);
}

TEST_CASE("prediction: of a program that failed, that is said, and not to name it again") {
    suite_result s = three_rounds();
    row program = row_of(program_case, "glibc", {}, 0);
    program.subject = "prog";
    program.problem = "exited with status 3";
    s.rows.push_back(program);
    const program_cost cost = cost_of_program(s);
    CHECK(replay_in_short(predict(s, cost), cost)
              .ends_with("of the whole program isn't known: prog exited with status 3."));
}

TEST_CASE("prediction: from rounds that didn't end nothing is concluded") {
    const program_cost known = {100e6, {}};
    const std::string too_few = "Nothing can be said after fewer than 3 rounds.";
    suite_result s = three_rounds();
    CHECK(replay_in_short(predict(s, known), known) != too_few);
    s.rows.back().samples.pop_back();
    CHECK(predict(s, known)[1].rounds == 2);
    CHECK(replay_in_short(predict(s, known), known) == too_few);
    s.rows.back().samples.clear(); // an interrupt in the first round
    const predicted_row mine = predict(s, known)[1];
    CHECK(mine.rounds == 0);
    CHECK(!mine.program_change);
    const shown_table shown = replay_table_of(s, known);
    const auto &cells = shown.lines.lines();
    REQUIRE(cells.size() == 2);
    for (std::size_t i = 1; i != cells[1].size(); ++i) CHECK(cells[1][i].text == "-");
    CHECK(replay_in_short(predict(s, known), known) == too_few);
}

TEST_CASE("prediction: what the other malloc takes to start is added") {
    suite_result s = made_suite();
    for (const char *allocator : {"glibc", "mine"}) {
        row start = row_of(start_case, allocator, {}, 0);
        const double more = allocator == std::string("mine") ? 3 : 1;
        start.samples = {process(run_phase, more, more), process(run_phase, more, more)};
        s.rows.push_back(start);
    }
    const predicted_rows rows = predict(s, {100e6, 50.0 * (1 << 20)});
    CHECK(rows[0].program_change->middle == 0);
    CHECK(rows[1].program_change->low == doctest::Approx(-.08));
    CHECK(rows[1].program_change->high == doctest::Approx(-.0175));
    CHECK(rows[1].program_peak_bytes->high == 58.0 * (1 << 20));
    CHECK(rows[1].peak_ratio.middle == doctest::Approx(58. / 50));
    const predicted_row of_small_program = predict(s, {100e6, {}})[1];
    CHECK(of_small_program.peak_ratio.middle == doctest::Approx((16. + 2 + 2) / (10 + 2)));
}

TEST_CASE("prediction: a row that failed in one model has no figures") {
    suite_result s = made_suite();
    s.rows.back().problem = "crashed";
    CHECK(predict(s, {})[1].problem == "crashed");
}

TEST_CASE("prediction: only what gains in every model is said to gain") {
    const program_cost known = {100e6, {}}, unknown = {};
    predicted_row glibc{.subject = as_recorded, .allocator = "glibc", .rounds = 3};
    glibc.heap_cpu_ns.middle = 20e6;
    predicted_row unsure{.subject = as_recorded, .allocator = "unsure", .rounds = 3};
    unsure.heap_cpu_ns.middle = 10e6;
    unsure.heap_ratio = {.4, .5, 1.1};
    unsure.program_change = {-.12, -.1, .02};
    predicted_row sure{.subject = as_recorded, .allocator = "sure", .rounds = 3};
    sure.heap_cpu_ns.middle = 15e6;
    sure.heap_ratio = {.7, .75, .8};
    sure.program_change = {-.06, -.05, -.04};
    CHECK(
        replay_in_short({glibc, unsure}, known) ==
        "Heap work is about 20.0 % of the program's CPU time. Stay with glibc: no other gains more "
        "than 0.5 % for sure.");
    CHECK(replay_in_short({glibc, unsure, sure}, known)
              .ends_with("sure would take 5.0 % less CPU time (4.0 to 6.0 %). unsure may take "
                         "still less, but not for sure."));
    CHECK(replay_in_short({glibc, unsure}, unknown)
              .starts_with("No other does this heap work in less CPU time than glibc for sure."));
    CHECK(
        replay_in_short({glibc, unsure, sure}, unknown)
            .starts_with("sure does this heap work in 0.75 times the CPU time of glibc. unsure may "
                         "take still less, but not for sure."));
    CHECK(replay_in_short({glibc}, unknown) ==
          "Nothing to compare with: glibc is the only malloc here.");
    CHECK(replay_in_short({glibc}, known) ==
          "Heap work is about 20.0 % of the program's CPU time. Nothing to compare with: glibc is "
          "the only malloc here.");
    sure.problem = "crashed";
    CHECK(replay_in_short({glibc, sure}, known).ends_with("than 0.5 % for sure."));
    glibc.problem = "crashed";
    CHECK(replay_in_short({glibc, unsure}, known) ==
          "Nothing to compare with: the first malloc failed.");
}

TEST_CASE("prediction: the best is who is printed with the least, and a tie is told") {
    const program_cost known = {100e6, {}}, unknown = {};
    const auto made = [](const char *allocator, double heap_ms, double ratio, double change) {
        predicted_row r{.subject = as_recorded, .allocator = allocator, .rounds = 3};
        r.heap_cpu_ns.middle = heap_ms * 1e6;
        r.heap_ratio = {ratio, ratio, ratio};
        r.program_change = {change, change, change};
        return r;
    };
    const predicted_row glibc = made("glibc", 20, 1, 0);
    const predicted_row quick = made("quick", 14, .76, -.048); // by the median of its heap work
    const predicted_row best = made("best", 15, .75, -.050);
    const predicted_row same = made("same", 16, .7501, -.0501);
    CHECK(replay_in_short({glibc, quick, best}, known)
              .ends_with("best would take 5.0 % less CPU time (5.0 to 5.0 %)."));
    CHECK(replay_in_short({glibc, quick, best}, unknown)
              .starts_with("best does this heap work in 0.75 times the CPU time of glibc. What"));
    CHECK(replay_in_short({glibc, quick, best, same}, known)
              .ends_with("best would take 5.0 % less CPU time (5.0 to 5.0 %), and so would same."));
    CHECK(replay_in_short({glibc, same, quick, best}, unknown)
              .starts_with("same does this heap work in 0.75 times the CPU time of glibc, and so "
                           "does best. What"));
}

TEST_CASE("prediction: the asterisks of a replay's table are at the figures that decide") {
    suite_result s = three_rounds();
    for (const char *model : touching_names) s.rows.push_back(row_of(model, "slow", {}, 30));
    for (row &r : s.rows)
        if (r.allocator == "slow") r.samples = row_of("", "slow", {26, 36, 36}, 30).samples;
    for (const program_cost &cost : {program_cost{}, program_cost{100e6, {}}}) {
        const shown_table shown = replay_table_of(s, cost);
        const std::size_t columns = shown.lines.columns().size();
        const std::vector<bool> best = shown.lines.find_best();
        CHECK_FALSE(best[columns + 1]); // CPU ms, of which the sentence says nothing
        CHECK(best[columns + 2]);       // "mine" against the first
        CHECK(best[columns + 4] == cost.cpu_ns.has_value());
        CHECK(replay_in_short(predict(s, cost), cost).find("mine") != std::string::npos);
    }
}

TEST_CASE("prediction: a page draws a bar of each ratio, the first row's 1 as well") {
    const shown_table shown = replay_table_of(three_rounds(), {});
    for (const std::vector<cell> &line : shown.lines.lines()) CHECK(line[2].exact);
    // The bars of the whole program are of a ratio, while the cells say a change.
    CHECK(shown.lines.columns()[4].exact_unit == "times the first row");
}

TEST_CASE("prediction: of several replays, one that ended before its first round says no time") {
    predicted_row none, some;
    none.subject = some.subject = as_recorded;
    some.heap_cpu_ns = {9e6, 1e7, 2e7};
    some.rounds = 3;
    CHECK(heap_ns_of_first({}) == 0);
    CHECK(heap_ns_of_first({{}, {none}}) == 0);
    CHECK(heap_ns_of_first({{}, {none}, {some}}) == 1e7);
}
