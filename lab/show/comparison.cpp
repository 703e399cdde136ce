// SPDX-License-Identifier: MIT
#include "comparison.hpp"

#include "differences.hpp"
#include "result/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace toft::lab {
namespace {

constexpr std::size_t least_samples = 3;
constexpr std::size_t enough_samples = 5;
constexpr double least_ns = 200e3;         // below, an interrupt more or less is a change
constexpr std::size_t rows_that_share = 5; // fewer say nothing of what they have in common
constexpr double least_margin = .05;
constexpr double margin_alone = .25; // where nothing shared could be taken off
constexpr double least_weight = .1;  // of its rounds' whole, for a phase to be compared

// What names a row in both files: its suite, size, case and title.
using row_key = std::tuple<std::string, std::uint64_t, std::string, std::string>;
using rows_by_key = std::map<row_key, const row *>;

rows_by_key rows_of(const bench_result &result) {
    rows_by_key rows;
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows) rows[{s.name, s.size, r.case_name, r.title()}] = &r;
    return rows;
}

const figure *find_figure(const row &r, const figure &like) {
    for (const figure &f : r.figures)
        if (f.phase == like.phase && f.rounds == like.rounds) return &f;
    return nullptr;
}

double whole_of(const row &r, which_rounds rounds, clock_kind clock) {
    for (const figure &f : r.figures)
        if (f.rounds == rounds && f.whole) return f.times(clock).median;
    return 0;
}

std::string why_unsure(const row &r, const process_times &times) {
    if (r.judged == verdict::elided) return "elided";
    if (r.judged == verdict::failed) return "failed";
    if (times.values.size() < least_samples)
        return fmt::format("fewer than {} processes", least_samples);
    if (times.median < least_ns) return "too short";
    return {};
}

// A figure of a row, in the old file and in the new one.
struct figure_pair {
    const row &old_row, &new_row;
    const figure &old_figure, &new_figure;

    // Whether it is too small a part of its row to say anything.
    bool is_light(clock_kind clock) const {
        const which_rounds rounds = new_figure.rounds;
        return old_figure.times(clock).median < least_weight * whole_of(old_row, rounds, clock) &&
               new_figure.times(clock).median < least_weight * whole_of(new_row, rounds, clock);
    }
};

compared_figure compare_figure(const row_key &key, const figure_pair &pair, clock_kind clock) {
    const process_times &was = pair.old_figure.times(clock);
    const process_times &is = pair.new_figure.times(clock);
    const double operations = std::max(1., static_cast<double>(pair.new_figure.operations));
    compared_figure f{std::get<0>(key),        std::get<2>(key),       std::get<3>(key),
                      pair.new_figure.phase,   pair.new_figure.rounds, clock,
                      was.median / operations, is.median / operations};
    f.why = why_unsure(pair.old_row, was);
    if (f.why.empty()) f.why = why_unsure(pair.new_row, is);
    f.noisy = was.spread > pair.old_row.noisy_spread || is.spread > pair.new_row.noisy_spread;
    f.processes = std::min(was.values.size(), is.values.size());
    if (f.why.empty()) {
        f.ratio = is.median / was.median;
        f.between = ratio_interval(is.values, was.values);
    } else {
        f.called = change::unsure;
    }
    return f;
}

void add_row(comparison &to, const row_key &key, const row &old_row, const row &new_row) {
    for (const figure &f : new_row.figures) {
        const figure *before = find_figure(old_row, f);
        if (!before || before->operations != f.operations) continue;
        const figure_pair pair{old_row, new_row, *before, f};
        for (const clock_kind clock : {clock_kind::cpu, clock_kind::wall})
            if (!pair.is_light(clock)) to.figures.push_back(compare_figure(key, pair, clock));
    }
}

// What the figures of one group have in common.
auto case_key(const compared_figure &f) {
    return std::tuple(f.suite, f.case_name, f.phase, f.rounds, f.clock);
}

void take_off_what_is_shared(comparison &of) {
    std::map<decltype(case_key({})), std::vector<compared_figure *>> groups;
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

// How far a ratio may lie from 1 without any change in the program. It is estimated from the ratios
// themselves: three times the distance from 1 that a fifth of them exceeds. The rows that did
// change are few, so they hardly move that distance. For a bell curve it is four standard
// deviations; measurements have heavier tails, and the margin grows with them.
double margin_of(const comparison &c, clock_kind clock) {
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

// A figure changed when its whole interval lies beyond the margin. A noisy figure that shows no
// change may hide one, so it is unsure. With three processes on each side, chance alone separates
// the two sides one time in ten; with five, less than one time in a hundred. So the margin is
// doubled where there are fewer than five.
void call(comparison &c) {
    c.cpu_margin = margin_of(c, clock_kind::cpu);
    c.wall_margin = margin_of(c, clock_kind::wall);
    for (compared_figure &f : c.figures) {
        if (f.called == change::unsure) continue;
        double margin = f.clock == clock_kind::cpu ? c.cpu_margin : c.wall_margin;
        if (!has_shared(c, f)) margin = std::max(margin, margin_alone);
        if (f.processes < enough_samples) margin = (1 + margin) * (1 + margin) - 1;
        if (f.between.low > 1 + margin) f.called = change::slower;
        if (f.between.high < 1 / (1 + margin)) f.called = change::faster;
        if (!f.noisy || f.called != change::none) continue;
        f.called = change::unsure;
        f.why = "noisy";
    }
}

void note_unmatched(comparison &c, const rows_by_key &rows, const rows_by_key &others,
                    const char *which) {
    for (const auto &[key, row] : rows)
        if (!others.contains(key))
            c.unmatched.push_back(fmt::format("{} {}, {}, of size {}: only in the {} file",
                                              std::get<0>(key), std::get<2>(key), std::get<3>(key),
                                              std::get<1>(key), which));
}

} // namespace

comparison compare(const bench_result &old_result, const bench_result &new_result) {
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

} // namespace toft::lab
