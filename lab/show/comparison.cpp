// SPDX-License-Identifier: MIT
#include "comparison.hpp"

#include "differences.hpp"
#include "result/statistics.hpp"
#include "result/verdict.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

using nlohmann::json;

namespace toft::lab {
namespace {

constexpr const char *cpu_clock = "cpu_ns";
constexpr const char *wall_clock = "wall_ns";
constexpr std::size_t least_samples = 3;
constexpr std::size_t enough_samples = 5;
constexpr double least_ns = 200e3;         // below, an interrupt more or less is a change
constexpr std::size_t rows_that_share = 5; // fewer say nothing of what they have in common
constexpr double least_margin = .05;
constexpr double margin_alone = .25; // where nothing shared could be taken off
constexpr double least_weight = .1;  // of its rounds' whole, for a phase to be compared

std::string title_of(const json &row) {
    const std::string subject = row.at("subject");
    if (!row.at("by_allocator").get<bool>()) return subject;
    return fmt::format("{} ({})", subject, row.at("allocator").get<std::string>());
}

// Rows by suite, size, case and title: what is the same experiment in both files.
using row_key = std::tuple<std::string, std::uint64_t, std::string, std::string>;
std::map<row_key, const json *> rows_of(const json &result) {
    std::map<row_key, const json *> rows;
    for (const json &suite : result.at("suites"))
        for (const json &row : suite.at("rows"))
            rows[{suite.at("name"), suite.at("size"), row.at("case"), title_of(row)}] = &row;
    return rows;
}

const json *find_figure(const json &row, const json &like) {
    for (const json &f : row.at("figures"))
        if (f.at("phase") == like.at("phase") && f.at("rounds") == like.at("rounds")) return &f;
    return nullptr;
}

double whole_of(const json &row, const json &rounds, const char *clock) {
    for (const json &f : row.at("figures"))
        if (f.at("rounds") == rounds && f.at("whole").get<bool>())
            return f.at(clock).at("median").get<double>();
    return 0;
}

std::string why_unsure(const json &row, const json &time) {
    const std::string verdict = row.at("verdict");
    if (verdict == "elided" || verdict == "failed") return verdict;
    if (time.at("values").size() < least_samples)
        return fmt::format("fewer than {} processes", least_samples);
    if (time.at("median") < least_ns) return "too short";
    return {};
}

bool is_noisy(const json &time) { return time.at("spread") > noisy_spread; }

// Nothing when the figure is too small a part of its row to say anything.
void add_figure(comparison &to, const row_key &key, const json &old_row, const json &new_row,
                const json &old_figure, const json &new_figure, const char *clock) {
    const json &was = old_figure.at(clock);
    const json &is = new_figure.at(clock);
    const double old_median = was.at("median"), new_median = is.at("median");
    const json &rounds = new_figure.at("rounds");
    if (old_median < least_weight * whole_of(old_row, rounds, clock) &&
        new_median < least_weight * whole_of(new_row, rounds, clock))
        return;
    const double operations = std::max(1., new_figure.at("operations").get<double>());
    compared_figure f{std::get<0>(key),
                      std::get<2>(key),
                      std::get<3>(key),
                      new_figure.at("phase"),
                      rounds,
                      clock,
                      old_median / operations,
                      new_median / operations,
                      1,
                      {},
                      change::none,
                      {}};
    f.why = why_unsure(old_row, was);
    if (f.why.empty()) f.why = why_unsure(new_row, is);
    f.noisy = is_noisy(was) || is_noisy(is);
    f.processes = std::min(was.at("values").size(), is.at("values").size());
    if (f.why.empty()) {
        f.ratio = new_median / old_median;
        f.between = ratio_interval(is.at("values").get<std::vector<double>>(),
                                   was.at("values").get<std::vector<double>>());
    } else {
        f.called = change::unsure;
    }
    to.figures.push_back(std::move(f));
}

void add_row(comparison &to, const row_key &key, const json &old_row, const json &new_row) {
    for (const json &f : new_row.at("figures")) {
        const json *before = find_figure(old_row, f);
        if (!before || before->at("operations") != f.at("operations")) continue;
        for (const char *clock : {cpu_clock, wall_clock})
            add_figure(to, key, old_row, new_row, *before, f, clock);
    }
}

std::string case_key(const compared_figure &f) {
    return fmt::format("{}/{}/{}/{}/{}", f.suite, f.case_name, f.phase, f.rounds, f.clock);
}

void take_off_what_is_shared(comparison &of) {
    std::map<std::string, std::vector<compared_figure *>> groups;
    for (compared_figure &f : of.figures)
        if (f.called != change::unsure) groups[case_key(f)].push_back(&f);
    for (auto &[key, figures] : groups) {
        std::vector<double> ratios;
        for (const compared_figure *f : figures)
            if (!f->noisy) ratios.push_back(f->ratio);
        if (ratios.size() < rows_that_share) continue;
        const double shared = quantile(ratios, .5);
        const compared_figure &any = *figures.front();
        of.cases.push_back(
            {any.suite, any.case_name, any.phase, any.rounds, any.clock, ratios.size(), shared});
        for (compared_figure *f : figures) {
            f->ratio /= shared;
            f->between.low /= shared;
            f->between.high /= shared;
        }
    }
}

// How far ratios lie from 1 that nobody has changed: from four fifths of them, so that those which
// did change hardly count. Three times the distance that a fifth exceeds is, for a bell curve, four
// standard deviations; ratios of measurements have heavier tails, and with them the margin grows.
double margin_of(const comparison &c, const std::string &clock) {
    constexpr double share = .8, times = 3;
    std::vector<double> distances;
    for (const compared_figure &f : c.figures)
        if (f.called != change::unsure && !f.noisy && f.clock == clock)
            distances.push_back(std::abs(std::log(f.ratio)));
    if (distances.size() < rows_that_share) return margin_alone;
    return std::max(least_margin, std::exp(times * quantile(distances, share)) - 1);
}

bool has_shared(const comparison &c, const compared_figure &f) {
    return std::any_of(c.cases.begin(), c.cases.end(), [&](const compared_case &s) {
        return s.suite == f.suite && s.case_name == f.case_name && s.phase == f.phase &&
               s.rounds == f.rounds && s.clock == f.clock;
    });
}

// A change is one whose whole interval lies beyond the margin; a noisy figure that shows none may
// hide one. With three processes a side, chance alone sets the sides apart one time in ten; with
// five, less than one in a hundred. So the margin is taken twice where there are fewer.
void call(comparison &c) {
    c.cpu_margin = margin_of(c, cpu_clock);
    c.wall_margin = margin_of(c, wall_clock);
    for (compared_figure &f : c.figures) {
        if (f.called == change::unsure) continue;
        double margin = f.clock == cpu_clock ? c.cpu_margin : c.wall_margin;
        if (!has_shared(c, f)) margin = std::max(margin, margin_alone);
        if (f.processes < enough_samples) margin = (1 + margin) * (1 + margin) - 1;
        if (f.between.low > 1 + margin) f.called = change::slower;
        if (f.between.high < 1 / (1 + margin)) f.called = change::faster;
        if (!f.noisy || f.called != change::none) continue;
        f.called = change::unsure;
        f.why = "noisy";
    }
}

void note_unmatched(comparison &c, const std::map<row_key, const json *> &rows,
                    const std::map<row_key, const json *> &others, const char *which) {
    for (const auto &[key, row] : rows)
        if (!others.contains(key))
            c.unmatched.push_back(fmt::format("{} {}, {}, of size {}: only in the {} file",
                                              std::get<0>(key), std::get<2>(key), std::get<3>(key),
                                              std::get<1>(key), which));
}

} // namespace

std::string to_string(change c) {
    switch (c) {
    case change::none:
        return "none";
    case change::faster:
        return "faster";
    case change::slower:
        return "slower";
    case change::unsure:
        return "unsure";
    }
    return "unknown";
}

double comparison::worst() const {
    double worst = 1;
    for (const compared_figure &f : figures)
        if (f.called == change::slower) worst = std::max(worst, f.ratio);
    return worst;
}

comparison compare(const json &old_result, const json &new_result) {
    comparison c;
    c.differences = differences_of(old_result, new_result);
    const auto old_rows = rows_of(old_result);
    const auto new_rows = rows_of(new_result);
    for (const auto &[key, row] : new_rows)
        if (const auto before = old_rows.find(key); before != old_rows.end())
            add_row(c, key, *before->second, *row);
    note_unmatched(c, old_rows, new_rows, "old");
    note_unmatched(c, new_rows, old_rows, "new");
    take_off_what_is_shared(c);
    call(c);
    return c;
}

json to_json(const comparison &c) {
    json j = {{"cpu_margin", c.cpu_margin},   {"wall_margin", c.wall_margin},
              {"differences", c.differences}, {"unmatched", c.unmatched},
              {"cases", json::array()},       {"figures", json::array()}};
    for (const compared_case &s : c.cases)
        j["cases"].push_back({{"suite", s.suite},
                              {"case", s.case_name},
                              {"phase", s.phase},
                              {"rounds", s.rounds},
                              {"clock", s.clock},
                              {"rows", s.rows},
                              {"ratio", s.ratio}});
    for (const compared_figure &f : c.figures)
        j["figures"].push_back({{"suite", f.suite},
                                {"case", f.case_name},
                                {"row", f.row},
                                {"phase", f.phase},
                                {"rounds", f.rounds},
                                {"clock", f.clock},
                                {"old_ns", f.old_ns},
                                {"new_ns", f.new_ns},
                                {"ratio", f.ratio},
                                {"low", f.between.low},
                                {"high", f.between.high},
                                {"change", to_string(f.called)},
                                {"why", f.why}});
    return j;
}

} // namespace toft::lab
