// SPDX-License-Identifier: MIT
#include "comparison.hpp"

#include "chosen_rows.hpp"
#include "differences.hpp"
#include "result/call_changes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace toft::lab {
namespace {

constexpr std::size_t least_samples = 3;
constexpr double least_ns = 20e3;   // below, an interrupt more or less is a change
constexpr double least_weight = .1; // of its rounds' whole, for a phase to be compared

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
    const bool has_none = // which has no logarithm
        std::any_of(times.values.begin(), times.values.end(), [](double ns) { return ns <= 0; });
    if (times.median < least_ns || has_none) return "too short";
    return {};
}

// A figure of a row, in the old file and in the new one.
struct figure_pair {
    const row &old_row, &new_row;
    const figure &old_figure, &new_figure;

    // Neither of processes that wait for each other, nor of too small a part of its row.
    bool says_anything(clock_kind clock) const {
        const which_rounds rounds = new_figure.rounds;
        if (clock == clock_kind::wall && (ran_side_by_side(old_row) || ran_side_by_side(new_row)))
            return false;
        return old_figure.times(clock).median >= least_weight * whole_of(old_row, rounds, clock) ||
               new_figure.times(clock).median >= least_weight * whole_of(new_row, rounds, clock);
    }
};

compared_figure compare_figure(const row_key &key, const figure_pair &pair, clock_kind clock) {
    const process_times &was = pair.old_figure.times(clock);
    const process_times &is = pair.new_figure.times(clock);
    const double operations = std::max(1., static_cast<double>(pair.new_figure.operations));
    compared_figure f;
    f.suite = std::get<0>(key);
    f.case_name = std::get<2>(key);
    f.row = std::get<3>(key);
    f.phase = pair.new_figure.phase;
    f.rounds = pair.new_figure.rounds;
    f.clock = clock;
    f.whole = pair.new_figure.whole;
    f.old_ns = was.median / operations;
    f.new_ns = is.median / operations;
    f.why = why_unsure(pair.old_row, was);
    if (f.why.empty()) f.why = why_unsure(pair.new_row, is);
    f.noisy = was.spread > pair.old_row.noisy_spread || is.spread > pair.new_row.noisy_spread;
    f.processes = std::min(was.values.size(), is.values.size());
    if (f.why.empty())
        f.measured = shift_between(was.values, is.values);
    else
        f.called = change::unsure;
    return f;
}

void add_row(comparison &to, const row_key &key, const row &old_row, const row &new_row,
             row_role role) {
    bool any = false;
    for (const figure &f : new_row.figures) {
        const figure *before = find_figure(old_row, f);
        if (!before || before->operations != f.operations) continue;
        const figure_pair pair{old_row, new_row, *before, f};
        for (const clock_kind clock : {clock_kind::cpu, clock_kind::wall}) {
            if (!pair.says_anything(clock)) continue;
            any = true;
            to.figures.push_back(compare_figure(key, pair, clock));
            to.figures.back().role = role;
        }
    }
    if (any || role != row_role::judged) return;
    const std::string why = old_row.figures.empty() || new_row.figures.empty()
                                ? "has no figures in one of the files"
                                : "does another number of operations, or has other phases";
    to.not_judged.push_back(
        fmt::format("{} {}, {} {}", std::get<0>(key), std::get<2>(key), std::get<3>(key), why));
}

// --- which rows are the question, and which ones only show the machine ---

// The version of the allocator that the row measures: its malloc's, or its own.
std::string version_of(const bench_result &result, const row &r) {
    const std::string own = r.samples.empty() ? std::string() : r.samples.front().version;
    return own.empty() && r.by_allocator ? result.version_of_allocator(r.allocator) : own;
}

// Toft's own rows, and those on a malloc that the user brought, which may be the user's own.
bool is_ours(const row &r) {
    return r.is_toft || (r.by_allocator && !is_foreign_allocator(r.allocator));
}

bool has_ours(const bench_result &result, const std::string &suite_name) {
    const suite_result *s = result.find(suite_name);
    return s && std::any_of(s->rows.begin(), s->rows.end(), is_ours);
}

// In a suite without any row of ours, every row is judged.
row_role role_of(const row &old_row, const row &new_row, const bench_result &old_result,
                 const bench_result &new_result, bool suite_has_ours) {
    if (!suite_has_ours || is_ours(new_row)) return row_role::judged;
    return version_of(old_result, old_row) == version_of(new_result, new_row) ? row_role::control
                                                                              : row_role::bystander;
}

void note_unmatched(comparison &c, const rows_by_key &rows, const rows_by_key &others,
                    const char *which) {
    for (const auto &[key, row] : rows)
        if (!others.contains(key))
            c.unmatched.push_back(fmt::format("{} {}, {}, of size {}: only in the {} file",
                                              std::get<0>(key), std::get<2>(key), std::get<3>(key),
                                              std::get<1>(key), which));
}

// A row that would be judged, if the new run hadn't lost it, may have become slower without end.
void note_lost(comparison &c, const bench_result &old_result, const bench_result &new_result,
               const rows_by_key &new_rows) {
    const chosen_rows chosen(new_result);
    for (const suite_result &s : old_result.suites) {
        const bool some_are_ours = has_ours(old_result, s.name);
        for (const row &r : s.rows) {
            if (new_rows.contains({s.name, s.size, r.case_name, r.title()})) continue;
            if ((some_are_ours && !is_ours(r)) || !chosen.take(s, r)) continue;
            c.not_judged.push_back(
                fmt::format("{} {}, {} is only in the old file", s.name, r.case_name, r.title()));
        }
    }
}

} // namespace

comparison compare(const bench_result &old_result, const bench_result &new_result) {
    comparison c;
    c.differences = differences_of(old_result, new_result);
    const auto old_rows = rows_of(old_result);
    const auto new_rows = rows_of(new_result);
    for (const auto &[key, row] : new_rows) {
        const auto before = old_rows.find(key);
        if (before == old_rows.end()) continue;
        const bool ours = has_ours(new_result, std::get<0>(key));
        add_row(c, key, *before->second, *row,
                role_of(*before->second, *row, old_result, new_result, ours));
    }
    note_unmatched(c, old_rows, new_rows, "old");
    note_unmatched(c, new_rows, old_rows, "new");
    note_lost(c, old_result, new_result, new_rows);
    call_changes(c);
    return c;
}

} // namespace toft::lab
