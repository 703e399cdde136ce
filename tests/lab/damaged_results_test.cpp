// SPDX-License-Identifier: MIT
// Whatever a result file says, what reads it says where it is broken, or shows something of it.
#include "command.hpp"
#include "made_runs.hpp"
#include "printed.hpp"
#include "replay/prediction.hpp"
#include "replay/replays.hpp"
#include "result/result_file.hpp"
#include "result/result_json.hpp"
#include "rows.hpp"
#include "run/target.hpp"
#include "run/trial.hpp"
#include "show/comparison.hpp"
#include "show/comparison_text.hpp"
#include "show/page_data.hpp"

#include <doctest/doctest.h>

#include "../property/choices.hpp"
#include "../property/seeds.hpp"

using namespace toft::lab;
using nlohmann::json;
using toft_test::choices;

namespace {

json small_result(const std::string &suite_name) {
    bench_result result = result_of({.processes = 4, .cases = 1, .ours = 2, .controls = 3});
    result.started = "2026-01-01T00:00:00Z";
    result.machine.hypervisor = "none";
    suite_result &s = result.suites.front();
    s.name = suite_name;
    for (row &r : s.rows)
        for (measurement &m : r.samples) m.resident = {{1, 2}, {3, 4}};
    return to_document(result);
}

void show(const std::string &path, const bench_result &other) {
    try {
        const bench_result result = read_result(path);
        for (const comparison &c : {compare(result, other), compare(other, result)})
            CHECK_FALSE(printed_by([&](printer &out) { print_comparison(c, true, out); }).empty());
        for (const page_samples samples : {page_samples::taken_along, page_samples::left_out})
            CHECK_FALSE(page_data(result, samples).empty());
    } catch (const std::runtime_error &) {}
}

json odd_value(choices &choose) {
    constexpr double odd[] = {0, 1, -1, .5, 1e-310, 1e18, 1e19, 1e308};
    switch (choose.below(6)) {
    case 0:
        return nullptr;
    case 1:
        return std::uint64_t{1} << choose.below(64);
    case 2:
        return UINT64_MAX >> 32 * choose.below(2);
    case 3:
        return choose.below(5);
    case 4:
        return "";
    default:
        return odd[choose.below(std::size(odd))];
    }
}

// Goes down to a random value and changes it.
void alter(json &at, choices &choose) {
    if (!at.is_structured() || at.empty()) {
        at = odd_value(choose);
        return;
    }
    auto member = at.begin();
    std::advance(member, static_cast<std::ptrdiff_t>(choose.below(at.size())));
    if (at.is_array() && choose.one_in(8))
        at.clear();
    else if (at.is_array() && choose.one_in(8))
        at.push_back(json(*member));
    else
        alter(*member, choose);
}

} // namespace

TEST_CASE("a result file of nothing but brackets is refused, and takes no stack") {
    const std::string path = scratch("brackets.json");
    const std::string brackets(1'000'000, '[');
    write_to(path, R"({"schema": "toft-bench", "schema_version": )" + brackets);
    CHECK_THROWS_AS(read_result(path), std::runtime_error);
    std::string closed = brackets + std::string(brackets.size(), ']');
    write_to(path, R"({"schema": "toft-bench", "schema_version": )" + closed + "}");
    CHECK_THROWS_AS(read_result(path), std::runtime_error);
}

TEST_CASE("a figure of rounds that weren't measured is told, and not looked for") {
    const std::string path = scratch("rounds.json");
    json document = small_result("made");
    json &figure = document["suites"][0]["rows"][0]["figures"][0];
    const auto is_refused = [&](const char *key, const json &value) {
        const json former = figure[key];
        figure[key] = value;
        write_to(path, document.dump());
        figure[key] = former;
        CHECK_THROWS_WITH_AS(read_result(path), doctest::Contains("weren't measured"),
                             std::runtime_error);
    };
    is_refused("last_round", UINT32_MAX);
    is_refused("first_round", 2);
    is_refused("phases", json::array());
    figure["first_round"] = UINT32_MAX - 1;
    is_refused("last_round", UINT32_MAX);
}

TEST_CASE("a number below zero is told, also where it may be missing") {
    const std::string path = scratch("below-zero.json");
    json document = small_result("made");
    document["suites"][0]["rows"][0]["samples"][0]["instructions"] = -1;
    write_to(path, document.dump());
    CHECK_THROWS_WITH_AS(read_result(path), doctest::Contains("instructions"), std::runtime_error);
}

TEST_CASE("figures of a case whose first round isn't measured are read") {
    const std::string path = scratch("warmed.json");
    json document = small_result("made");
    json &row = document["suites"][0]["rows"][0];
    for (json &sample : row["samples"]) {
        const json phase = sample["phases"][0];
        sample["phases"] = json::array();
        for (const unsigned round : {2, 3}) {
            sample["phases"].push_back(phase);
            sample["phases"].back()["round"] = round;
        }
    }
    row["figures"][0]["first_round"] = 2;
    row["figures"][0]["last_round"] = 3;
    write_to(path, document.dump());
    CHECK(read_result(path).suites.front().rows.front().figures.front().of.last_round == 3);
}

TEST_CASE("a time of zero has no logarithm: what can't be told isn't sorted with the rest") {
    const std::string path = scratch("zero.json");
    bench_result made = result_of({.processes = 4, .cases = 1, .ours = 20, .controls = 20});
    for (row &r : made.suites.front().rows) r.figures.front().cpu_ns.values.front() = 0;
    const comparison c = compare(made, made);
    REQUIRE(c.figures.size() >= 40);
    for (const compared_figure &f : c.figures)
        CHECK(f.why == (f.clock == clock_kind::cpu ? "too short" : ""));
}

TEST_CASE("a page is made of a result that lacks rows, phases, or numbers that can be") {
    bench_result trial, replay;
    trial.suites.resize(1);
    replay.suites.resize(1);
    trial.suites.front().name = trial_suite;
    replay.suites.front().name = replay_suite;
    CHECK_FALSE(page_data(trial, page_samples::left_out).empty());
    CHECK_FALSE(page_data(replay, page_samples::left_out).empty());

    row r = row_of({100, 200, 300});
    r.case_name = program_case;
    for (measurement &m : r.samples) m.phases.clear(), m.figures[predicted_ns_figure] = 1;
    replay.suites.front().rows = {r};
    CHECK_FALSE(page_data(replay, page_samples::left_out).empty());

    r = row_of({100, 200, 300});
    for (measurement &m : r.samples) m.minor_faults = m.major_faults = UINT64_MAX;
    trial.seconds = 1e-310; // which std::stod() refuses
    trial.suites.front().rows = {r};
    const json page = page_data(trial, page_samples::left_out);
    CHECK(contains(page.dump(), "18,446,744,073,709,551,615"));
}

TEST_CASE("whatever a result file says, it is shown or refused in words") {
    const std::string path = scratch("said.json");
    const json documents[] = {small_result("made"), small_result(trial_suite),
                              small_result(replay_suite)};
    write_to(path, documents[0].dump());
    const bench_result whole = read_result(path);
    CHECK(to_document(whole) == documents[0]);
    toft_test::run_seeds(200, 10, [&](std::uint64_t seed) {
        choices choose(seed);
        json changed = documents[choose.below(3)];
        // Most values by far are in the rows.
        for (std::size_t left = 1 + choose.below(4); left != 0; --left)
            alter(choose.one_in(5) ? changed : changed["suites"], choose);
        write_to(path, changed.dump());
        CAPTURE(seed);
        CHECK_NOTHROW(show(path, whole));
    });
}
