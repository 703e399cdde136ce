// SPDX-License-Identifier: MIT
#include "row.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace toft::lab {
namespace {

const phase_sample *find_sample(const measurement &m, const std::string &phase, unsigned round) {
    const auto found = std::find_if(m.phases.begin(), m.phases.end(), [&](const phase_sample &s) {
        return s.phase == phase && s.round == round;
    });
    return found == m.phases.end() ? nullptr : &*found;
}

// Nothing when the round lacks one of the phases.
std::optional<double> round_ns(const measurement &m, const selection &of, unsigned round,
                               clock_kind clock) {
    double sum = 0;
    for (const std::string &phase : of.phases) {
        const phase_sample *s = find_sample(m, phase, round);
        if (!s) return std::nullopt;
        sum += static_cast<double>(clock == clock_kind::cpu ? s->spent.cpu_ns : s->spent.wall_ns);
    }
    return sum;
}

std::optional<double> process_ns(const measurement &m, const selection &of, clock_kind clock) {
    std::vector<double> rounds;
    for (unsigned round = of.first_round; round <= of.last_round; ++round) {
        const std::optional<double> ns = round_ns(m, of, round, clock);
        if (!ns) return std::nullopt;
        rounds.push_back(*ns);
    }
    return summarise(rounds).median;
}

} // namespace

std::string row::title() const {
    return by_allocator ? fmt::format("{} ({})", subject, allocator) : subject;
}

bool ran_side_by_side(const row &r) {
    return std::any_of(r.samples.begin(), r.samples.end(), [](const measurement &m) {
        const auto shared = m.figures.find(side_by_side_figure);
        return shared != m.figures.end() && shared->second > 1;
    });
}

std::vector<double> nanoseconds_of_processes(const row &r, const selection &of, clock_kind clock) {
    std::vector<double> values;
    for (const measurement &m : r.samples)
        if (const auto ns = process_ns(m, of, clock)) values.push_back(*ns);
    return values;
}

std::vector<double> nanoseconds_per_operation(const row &r, const selection &of, clock_kind clock) {
    std::vector<double> values;
    for (const measurement &m : r.samples) {
        const auto ns = process_ns(m, of, clock);
        if (!ns) continue;
        const phase_sample *first = find_sample(m, of.phases.front(), of.first_round);
        if (first->operations != 0) values.push_back(*ns / static_cast<double>(first->operations));
    }
    return values;
}

double median_of(const row &r, std::uint64_t measurement::*field) {
    std::vector<double> values;
    for (const measurement &m : r.samples) values.push_back(static_cast<double>(m.*field));
    return summarise(values).median;
}

std::optional<double> median_of(const row &r, const std::string &figure) {
    std::vector<double> values;
    for (const measurement &m : r.samples) {
        const auto found = m.figures.find(figure);
        if (found == m.figures.end()) return std::nullopt;
        values.push_back(found->second);
    }
    if (values.empty()) return std::nullopt;
    return summarise(values).median;
}

} // namespace toft::lab
