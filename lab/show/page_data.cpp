// SPDX-License-Identifier: MIT
#include "page_data.hpp"

#include "cells.hpp"
#include "comparison_text.hpp"
#include "epilogue.hpp"
#include "figure_tables.hpp"
#include "replay/prediction.hpp"
#include "replay_text.hpp"
#include "result/drift.hpp"
#include "result/result_file.hpp"
#include "result/result_json.hpp"
#include "run/trial.hpp"
#include "subject/registry.hpp"
#include "suite_tables.hpp"
#include "trial_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

using nlohmann::json;

namespace toft::lab {
namespace {

// Six digits are more than any clock is good for, and a third of what a double prints.
json number(double value) {
    if (!std::isfinite(value)) return nullptr;
    const double rounded = std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
    const bool whole = rounded == std::floor(rounded) && std::abs(rounded) < 9e15;
    return whole ? json(static_cast<std::int64_t>(rounded)) : json(rounded);
}

json numbers(const std::vector<double> &values) {
    json all = json::array();
    for (const double v : values) all.push_back(number(v));
    return all;
}

// The kinds of figures that a suite's rows have, each once. A row's figure has its kind's number.
class figure_kinds {
  public:
    std::size_t index_of(const figure &f) {
        const key wanted{f.phase, f.rounds, f.whole, f.operations};
        const auto found = std::find(keys_.begin(), keys_.end(), wanted);
        if (found == keys_.end()) keys_.push_back(wanted);
        return static_cast<std::size_t>(std::find(keys_.begin(), keys_.end(), wanted) -
                                        keys_.begin());
    }
    json list() const {
        json all = json::array();
        for (const auto &[phase, rounds, whole, operations] : keys_)
            all.push_back({{"phase", phase},
                           {"rounds", rounds},
                           {"whole", whole},
                           {"operations", operations}});
        return all;
    }

  private:
    using key = std::tuple<std::string, which_rounds, bool, std::uint64_t>;
    std::vector<key> keys_;
};

json figure_of(const row &r, const figure &f, std::size_t kind, page_samples samples) {
    json all = {kind,
                number(f.cpu_ns.median),
                number(f.cpu_ns.lowest),
                number(f.cpu_ns.highest),
                number(f.cpu_ns.spread),
                ran_side_by_side(r) ? json(nullptr) : number(f.wall_ns.median)};
    if (samples == page_samples::taken_along) all.push_back(numbers(f.cpu_ns.values));
    return all;
}

// The memory over time of one process of the row: the one whose peak is the middle one.
json memory_of(const row &r) {
    std::vector<const measurement *> seen;
    for (const measurement &m : r.samples)
        if (m.resident.size() > 1) seen.push_back(&m);
    json at_ms = json::array(), mebibytes = json::array();
    if (!seen.empty()) {
        const auto middle = seen.begin() + static_cast<std::ptrdiff_t>(seen.size() / 2);
        std::nth_element(seen.begin(), middle, seen.end(),
                         [](const measurement *a, const measurement *b) {
                             return a->peak_bytes < b->peak_bytes;
                         });
        for (const resident_sample &s : (*middle)->resident) {
            at_ms.push_back(number(std::round(static_cast<double>(s.at_ns) * 1e-4) / 100));
            mebibytes.push_back(number(std::round(static_cast<double>(s.bytes) / 10486) / 100));
        }
    }
    return {{"ms", at_ms}, {"mebibytes", mebibytes}};
}

double live_bytes_of(const row &r) {
    if (!r.counted) return 0;
    const auto found = r.counted->figures.find("live_peak");
    return found == r.counted->figures.end() ? 0 : found->second;
}

const char *side_of(const row &r) {
    if (!r.competes) return "yardstick";
    return r.is_toft || r.is_on_toft_malloc() ? "toft" : "other";
}

json row_of(const row &r, figure_kinds &kinds, page_samples samples) {
    json made = {{"case", r.case_name},
                 {"title", r.title()},
                 {"side", side_of(r)},
                 {"verdict", r.judged},
                 {"problem", r.problem},
                 {"remark", r.remark},
                 {"processes", r.samples.size()},
                 {"repetitions", r.repetitions},
                 {"peak_mebibytes", number(median_of(r, &measurement::peak_bytes) / (1 << 20))},
                 {"page_faults", r.samples.empty() ? json(nullptr) : json(page_faults_of(r))},
                 {"figures", json::array()}};
    if (r.counted) made["heap_calls"] = r.counted->heap.allocations;
    if (!has_figures(r)) return made;
    for (const figure &f : r.figures)
        made["figures"].push_back(figure_of(r, f, kinds.index_of(f), samples));
    if (json memory = memory_of(r); !memory["ms"].empty()) {
        made["memory"] = std::move(memory);
        made["live_mebibytes"] = number(live_bytes_of(r) / (1 << 20));
    }
    return made;
}

// A cell without a figure is its text alone; most figures aren't noisy, and don't say so.
json cell_of(const cell &c, bool is_best) {
    if (!c.exact) return c.text;
    json made = {c.text, number(*c.exact), is_best};
    if (c.noisy) made.push_back(true);
    return made;
}

json table_of(const shown_table &t, const suite_result &s) {
    json made = {{"heading", t.heading},
                 {"case", t.case_name},
                 {"note", t.note},
                 {"columns", json::array()},
                 {"lines", json::array()}};
    for (const column &c : t.lines.columns())
        made["columns"].push_back({{"header", c.header},
                                   {"group", c.group},
                                   {"best", c.best != best_is::none},
                                   {"exact_unit", c.exact_unit}});
    const std::vector<bool> best = t.lines.find_best();
    const std::size_t columns = t.lines.columns().size();
    for (std::size_t i = 0; i != t.rows.size(); ++i) {
        json line = {{"rows", json::array()}, {"cells", json::array()}};
        for (const row *r : t.rows[i]) line["rows"].push_back(r - s.rows.data());
        for (std::size_t c = 0; c != columns; ++c)
            line["cells"].push_back(cell_of(t.lines.lines()[i][c], best[i * columns + c]));
        made["lines"].push_back(std::move(line));
    }
    return made;
}

// The suite as this command knows it; null: the result is of a suite that it hasn't.
const suite *known(const std::string &name) {
    for (const suite &s : all_suites())
        if (s.name == name) return &s;
    return nullptr;
}

// What was predicted, and then what was measured in each case.
std::vector<shown_table> replay_tables_of(const suite_result &s) {
    std::vector<shown_table> all = {replay_table_of(s, noted_cost(s))};
    for (shown_table &t : figure_tables_of(s)) all.push_back(std::move(t));
    return all;
}

std::vector<shown_table> tables_for(const suite_result &s) {
    if (s.rows.empty()) return {};
    if (s.name == trial_suite) return {trial_table_of(s)};
    if (s.name == replay_suite) return replay_tables_of(s);
    const suite *of = known(s.name);
    return of ? tables_of(*of, s) : figure_tables_of(s);
}

json suite_of(const suite_result &s, page_samples samples) {
    const suite *of = known(s.name);
    json made = {{"name", s.name},
                 {"summary", s.summary},
                 {"conclusion", s.conclusion},
                 {"size", s.size},
                 {"size_unit", s.size_unit},
                 {"note", of ? of->note : ""},
                 {"drift", describe_drifts(s)},
                 {"cases", json::array()},
                 {"tables", json::array()},
                 {"rows", json::array()}};
    for (const bench_case &c : s.cases)
        if (!s.rows_of(c.name).empty())
            made["cases"].push_back({{"name", c.name},
                                     {"title", c.title},
                                     {"threads", c.threads},
                                     {"family", c.family},
                                     {"object_bytes", c.object_bytes}});
    for (const shown_table &t : tables_for(s))
        if (!t.rows.empty()) made["tables"].push_back(table_of(t, s));
    figure_kinds kinds;
    for (const row &r : s.rows) made["rows"].push_back(row_of(r, kinds, samples));
    made["figures"] = kinds.list();
    return made;
}

json comparison_of(const comparison &c) {
    const comparison_words words = words_of(c, false);
    json headers = json::array(), lines = json::array();
    for (const column &each : words.figures.columns()) headers.push_back(each.header);
    for (const std::vector<cell> &cells : words.figures.lines()) {
        json &line = lines.emplace_back(json::array());
        for (const cell &each : cells) line.push_back(each.text);
    }
    return {{"differences", c.differences},
            {"headers", headers},
            {"lines", lines},
            {"note", words.note},
            {"suites", words.suites},
            {"sum", words.sum},
            {"unmatched", words.unmatched},
            {"unmatched_rows", c.unmatched},
            {"not_judged", words.not_judged}};
}

std::string command_of(const bench_result &result) {
    if (result.suites.size() == 1 && result.suites.front().name == trial_suite) return "toft try";
    if (result.suites.size() == 1 && result.suites.front().name == replay_suite)
        return "toft replay";
    return "toft bench";
}

std::vector<std::string> problems_for(const bench_result &result, const std::string &command) {
    if (command == "toft bench") return problems_of(result);
    const suite_result &s = result.suites.front();
    if (s.rows.empty()) return {};
    return command == "toft try" ? trial_failures(s)
                                 : replay_failures(s, predict(s, noted_cost(s)));
}

// What casts doubt on the figures; a drift stands at its suite.
std::vector<std::string> doubts_of(const bench_result &result) {
    std::vector<std::string> doubts = result.warnings;
    if (result.interrupted) doubts.insert(doubts.begin(), interrupted_words);
    for (std::string &remark : remarks_of(result)) doubts.push_back(std::move(remark));
    return doubts;
}

} // namespace

json page_data(const bench_result &result, page_samples samples) {
    const std::string command = command_of(result);
    const bool is_bench = command == "toft bench";
    json data = {{"schema", "toft-report"},
                 {"title", command},
                 {"started", result.started},
                 {"command_line", result.command_line},
                 {"seconds", number(result.seconds)},
                 {"full", result.full},
                 {"warnings", doubts_of(result)},
                 {"problems", problems_for(result, command)},
                 {"machine", result.machine},
                 {"load", result.load},
                 {"build", result.build},
                 {"allocators", result.allocators},
                 {"environment", result.environment},
                 {"left_out", result.left_out},
                 {"method", is_bench ? method_of(result) : ""},
                 {"suites", json::array()},
                 {"comparison", nullptr}};
    for (const suite_result &s : result.suites) data["suites"].push_back(suite_of(s, samples));
    if (result.compared) data["comparison"] = comparison_of(*result.compared);
    if (samples == page_samples::taken_along) data["result"] = to_document(result);
    return data;
}

} // namespace toft::lab
