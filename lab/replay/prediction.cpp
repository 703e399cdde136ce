// SPDX-License-Identifier: MIT
#include "prediction.hpp"

#include "replay_child.hpp"
#include "run/target.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <span>

namespace toft::lab {
namespace {

constexpr const char *middle_model = "whole";

const row *find_row(const suite_result &s, const std::string &model, const std::string &subject,
                    const std::string &allocator) {
    for (const row &r : s.rows)
        if (r.case_name == model && r.subject == subject && r.allocator == allocator) return &r;
    return nullptr;
}

std::vector<double> fresh_cpu_ns(const row &r) {
    return nanoseconds_of_processes(r, {{replay_phase}, 1, 1}, clock_kind::cpu);
}

std::vector<double> peaks(const row &r) {
    std::vector<double> bytes;
    for (const measurement &m : r.samples) bytes.push_back(static_cast<double>(m.peak_bytes));
    return bytes;
}

using values_of_row = std::vector<double> (*)(const row &);
using combination = std::function<double(double own, double first)>;

// The value of a row and that of the first row in the same round, put together, for each round.
std::vector<double> combined(const std::vector<double> &own, const std::vector<double> &others,
                             const combination &put_together) {
    std::vector<double> together;
    for (std::size_t i = 0; i != std::min(own.size(), others.size()); ++i)
        together.push_back(put_together(own[i], others[i]));
    return together;
}

// What the row takes more than the first. A machine that is slow for some seconds slows both: so
// the part that a round says is taken of what the first one takes in the median.
std::vector<double> change_ns(const row &r, const row &first) {
    const double mostly = summarise(fresh_cpu_ns(first)).median;
    return combined(fresh_cpu_ns(r), fresh_cpu_ns(first), [&](double own, double other) {
        return other > 0 ? (own / other - 1) * mostly : own;
    });
}

class predictor {
  public:
    using values_of_pair = std::function<std::vector<double>(const row &, const row &first)>;

    predictor(const suite_result &s, const predicted_row &of) : suite_(s), of_(of) {}

    range over_models(values_of_row values, const combination &put_together) const {
        return over(touching_names, values, put_together);
    }

    range over(std::span<const char *const> models, values_of_row values,
               const combination &put_together) const {
        return over(models, [&](const row &r, const row &first) {
            return combined(values(r), values(first), put_together);
        });
    }

    range over(std::span<const char *const> models, const values_of_pair &values) const {
        range out;
        bool any = false;
        const row &first = suite_.rows.front();
        for (const char *model : models) {
            const row *r = find_row(suite_, model, of_.subject, of_.allocator);
            const row *base = find_row(suite_, model, first.subject, first.allocator);
            if (!r || !base) continue;
            const std::vector<double> all = values(*r, *base);
            if (all.empty()) continue;
            const double low = quantile(all, .25), high = quantile(all, .75);
            out.low = any ? std::min(out.low, low) : low;
            out.high = any ? std::max(out.high, high) : high;
            if (!any || std::strcmp(model, middle_model) == 0) out.middle = quantile(all, .5);
            any = true;
        }
        return out;
    }

  private:
    const suite_result &suite_;
    const predicted_row &of_;
};

std::vector<double> run_cpu_ns(const row &r) {
    return nanoseconds_of_processes(r, {{run_phase}, 1, 1}, clock_kind::cpu);
}

// What a process that does nothing takes more under that malloc than under the first.
double more_to_start(const suite_result &s, const std::string &allocator, values_of_row values) {
    const row *own = nullptr, *first = nullptr;
    for (const row &r : s.rows) {
        if (r.case_name != start_case || r.samples.empty()) continue;
        if (r.allocator == s.rows.front().allocator) first = &r;
        if (r.allocator == allocator) own = &r;
    }
    if (!own || !first) return 0;
    return summarise(values(*own)).median - summarise(values(*first)).median;
}

constexpr auto alone = [](double value, double) { return value; };

// Another malloc can save all of the heap work and no more; a round that was slow under the first
// malloc seems to say otherwise.
range no_less_than(double least, range r) {
    return {std::max(r.low, least), std::max(r.middle, least), std::max(r.high, least)};
}

double middle_of_first(const suite_result &s, values_of_row values) {
    const row &first = s.rows.front();
    const predicted_row as_it_is{.subject = first.subject, .allocator = first.allocator};
    return predictor(s, as_it_is).over_models(values, alone).middle;
}

// What the program has in memory besides its heap. Without it, the few pages that a malloc has for
// itself would count as a multiple of a tiny heap.
double besides_heap_bytes(const suite_result &s, const program_cost &program) {
    constexpr double of_small_program = 2 << 20;
    return program.peak_bytes ? std::max(*program.peak_bytes - middle_of_first(s, peaks), 0.0)
                              : of_small_program;
}

void fill_in(predicted_row &r, const suite_result &s, const program_cost &program) {
    const predictor all(s, r);
    r.heap_cpu_ns = all.over_models(fresh_cpu_ns, alone);
    r.heap_peak_bytes = all.over_models(peaks, alone);
    r.heap_ratio = all.over_models(
        fresh_cpu_ns, [](double value, double first) { return first > 0 ? value / first : 1; });
    const double besides_bytes = besides_heap_bytes(s, program);
    const double start_bytes = more_to_start(s, r.allocator, peaks);
    r.peak_ratio = all.over(std::span(&middle_model, 1), peaks, [&](double value, double first) {
        return (value + start_bytes + besides_bytes) / (first + besides_bytes);
    });
    const double start_ns = more_to_start(s, r.allocator, run_cpu_ns);
    if (program.cpu_ns && *program.cpu_ns > 0) {
        const range ns =
            no_less_than(-middle_of_first(s, fresh_cpu_ns), all.over(touching_names, change_ns));
        const double all_ns = *program.cpu_ns;
        r.program_change = {(ns.low + start_ns) / all_ns, (ns.middle + start_ns) / all_ns,
                            (ns.high + start_ns) / all_ns};
    }
    if (program.peak_bytes)
        r.program_peak_bytes = all.over_models(peaks, [&](double value, double first) {
            return *program.peak_bytes + value - first + start_bytes;
        });
}

// Those that can be put together in every model; the row that is known by its subject and malloc.
std::size_t common_rounds(const suite_result &s, const predicted_row &of) {
    const row &first = s.rows.front();
    std::size_t least = first.samples.size();
    for (const char *model : touching_names) {
        const row *r = find_row(s, model, of.subject, of.allocator);
        const row *base = find_row(s, model, first.subject, first.allocator);
        if (!r || !base) continue;
        least = std::min({least, r->samples.size(), base->samples.size()});
    }
    return least;
}

program_cost measured_program(const suite_result &s) {
    for (const row &r : s.rows) {
        if (r.case_name != program_case) continue;
        if (!r.problem.empty()) return {.problem = fmt::format("{} {}", r.subject, r.problem)};
        if (const std::vector<double> cpu_ns = run_cpu_ns(r); !cpu_ns.empty())
            return {.cpu_ns = summarise(cpu_ns).median,
                    .peak_bytes = median_of(r, &measurement::peak_bytes)};
    }
    return {};
}

} // namespace

program_cost cost_of_program(const suite_result &s, std::optional<double> told_cpu_ns) {
    program_cost cost = measured_program(s);
    if (told_cpu_ns) cost = {.cpu_ns = told_cpu_ns, .peak_bytes = cost.peak_bytes};
    const predicted_row first = predict(s, {}).front();
    const double heap_ns = first.heap_cpu_ns.middle;
    if (!cost.cpu_ns || first.rounds == 0 || heap_ns <= *cost.cpu_ns) return cost;
    return {.problem = fmt::format(
                "the heap work alone takes {:.2f} times the program's CPU time of {:.2f} ms, so "
                "they don't fit: other arguments, another build, or a time that isn't in "
                "milliseconds",
                heap_ns / *cost.cpu_ns, *cost.cpu_ns / 1e6)};
}

void drop_unfinished_models(suite_result &s) {
    std::set<std::string> unfinished;
    for (const row &r : s.rows)
        if (r.samples.empty() && r.problem.empty()) unfinished.insert(r.case_name);
    const std::string first = s.rows.empty() ? std::string() : s.rows.front().case_name;
    std::erase_if(s.rows, [&](const row &r) {
        return r.case_name != first && unfinished.contains(r.case_name);
    });
}

void drop_impossible_models(suite_result &s, double program_ns) {
    if (s.rows.empty()) return;
    constexpr double slower = 1.25; // than in the program, at most
    const row first = s.rows.front();
    std::set<std::string> possible, impossible;
    for (const char *model : touching_names) {
        const row *base = find_row(s, model, first.subject, first.allocator);
        if (!base || base->samples.empty()) continue;
        const bool fits = summarise(fresh_cpu_ns(*base)).median <= slower * program_ns;
        (fits ? possible : impossible).insert(model);
    }
    if (possible.empty()) return;
    std::erase_if(s.rows, [&](const row &r) { return impossible.contains(r.case_name); });
}

predicted_rows predict(const suite_result &s, const program_cost &program) {
    predicted_rows rows;
    for (const row &r : s.rows) {
        if (r.case_name != s.rows.front().case_name) continue; // the first model's
        predicted_row p{.subject = r.subject, .allocator = r.allocator};
        for (const char *model : touching_names)
            if (const row *other = find_row(s, model, r.subject, r.allocator))
                if (p.problem.empty()) p.problem = other->problem;
        p.rounds = common_rounds(s, p);
        p.side_by_side = ran_side_by_side(r);
        if (p.problem.empty() && p.rounds != 0) fill_in(p, s, program);
        rows.push_back(std::move(p));
    }
    return rows;
}

void bring_to_one_pace(std::vector<predicted_rows> &replays) {
    double ns = 0, rounds = 0;
    for (const predicted_rows &rows : replays) {
        if (rows.empty()) continue;
        const auto many = static_cast<double>(rows.front().rounds);
        ns += rows.front().heap_cpu_ns.middle * many;
        rounds += many;
    }
    for (predicted_rows &rows : replays) {
        if (rows.empty() || rows.front().heap_cpu_ns.middle <= 0) continue;
        const double pace = ns / rounds / rows.front().heap_cpu_ns.middle;
        for (predicted_row &row : rows) {
            row.heap_cpu_ns = row.heap_cpu_ns * pace;
            if (row.program_change) row.program_change = *row.program_change * pace;
        }
    }
}

double heap_ns_of_first(const std::vector<predicted_rows> &replays) {
    for (const predicted_rows &rows : replays)
        if (!rows.empty() && rows.front().heap_cpu_ns.middle > 0)
            return rows.front().heap_cpu_ns.middle;
    return 0;
}

std::vector<double> program_ratios(const suite_result &s) {
    const auto program = std::ranges::find(s.rows, program_case, &row::case_name);
    if (program == s.rows.end()) return {};
    std::vector<double> ratios = combined(run_cpu_ns(*program), fresh_cpu_ns(s.rows.front()),
                                          [](double all, double heap) { return all / heap; });
    std::erase_if(ratios, [](double ratio) { return !std::isfinite(ratio); });
    return ratios;
}

double noise_ns(const predicted_row &r, const predicted_row &first) {
    // As a part of its heap work: replays of 0.1 to 1 s, on the virtual machines that this was
    // written on.
    constexpr double by_itself = .15, beside_others = .05;
    if (r.rounds == 0) return 0;
    return (r.side_by_side ? beside_others : by_itself) *
           std::hypot(r.heap_cpu_ns.middle, first.heap_cpu_ns.middle) /
           std::sqrt(static_cast<double>(r.rounds));
}

range change_with_noise(const predicted_row &r, const predicted_row &first, double program_ns) {
    constexpr std::size_t enough_rounds = 3;
    range change = r.program_change.value_or(range{});
    if (r.rounds >= enough_rounds) return change;
    const double noise = noise_ns(r, first) / program_ns;
    change.low = std::min(change.low, change.middle - noise);
    change.high = std::max(change.high, change.middle + noise);
    return change;
}

void note_predictions(suite_result &s, const program_cost &program) {
    if (!program.cpu_ns) return;
    for (row &r : s.rows) {
        const row &first = s.rows.front();
        const row *base = find_row(s, r.case_name, first.subject, first.allocator);
        if (!base) continue; // no replay
        const double start_ns = more_to_start(s, r.allocator, run_cpu_ns);
        const std::vector<double> more_ns = change_ns(r, *base);
        for (std::size_t i = 0; i != more_ns.size(); ++i)
            r.samples[i].figures[predicted_ns_figure] = *program.cpu_ns + more_ns[i] + start_ns;
    }
}

// The first row's prediction is what the program takes as it is.
program_cost noted_cost(const suite_result &s) {
    const row &first = s.rows.front();
    if (first.samples.empty()) return {};
    const auto &figures = first.samples.front().figures;
    const auto cpu = figures.find(predicted_ns_figure);
    if (cpu == figures.end()) return {};
    return {.cpu_ns = cpu->second, .peak_bytes = measured_program(s).peak_bytes};
}

} // namespace toft::lab
