// SPDX-License-Identifier: MIT
#include "trial_ratios.hpp"

#include "target.hpp"

#include <algorithm>

namespace toft::lab {
namespace {

constexpr unsigned first_look = 5;

// A trial looks several times, and stops when the noise happens to look small. With a third of the
// doubt for each look, identical programs are said to differ in no more trials than the whole doubt
// allows; tests/lab/trial_ratios_test.cpp simulates it.
constexpr double share_of_a_look = 1. / 3;

// In units of the first row's, where that ran at the same time.
std::vector<double> times_of(const row &r, clock_kind clock) {
    std::vector<double> times = nanoseconds_of_processes(r, {{run_phase}, 1, 1}, clock);
    for (std::size_t i = 0; i != times.size(); ++i)
        if (const auto first = r.samples[i].figures.find(first_beside_figure);
            first != r.samples[i].figures.end() && clock == clock_kind::cpu)
            times[i] = first->second > 0 ? times[i] / first->second : 0;
    return times;
}

// The doubt is shared by all ratios of a trial.
double confidence_of_each(const suite_result &s) {
    const auto others = static_cast<double>(std::max<std::size_t>(2, s.rows.size()) - 1);
    return 1 - (1 - trial_confidence) * share_of_a_look / others;
}

} // namespace

bool is_time_to_look(unsigned rounds) {
    unsigned look = first_look;
    while (look < rounds) look *= 2;
    return look == rounds;
}

paired_ratio ratio_of_rows(const suite_result &s, const row &upper, const row &lower,
                           clock_kind clock) {
    return ratio_of_pairs(times_of(upper, clock), times_of(lower, clock), confidence_of_each(s));
}

paired_ratio ratio_to_first(const suite_result &s, const row &r, clock_kind clock) {
    return ratio_to_first(s, r, clock, confidence_of_each(s));
}

paired_ratio ratio_to_first(const suite_result &s, const row &r, clock_kind clock,
                            double confidence) {
    return ratio_of_pairs(times_of(r, clock), times_of(s.rows.front(), clock), confidence);
}

bool are_known(const suite_result &s, clock_kind clock, double precision) {
    return std::all_of(s.rows.begin() + 1, s.rows.end(), [&](const row &r) {
        return !r.problem.empty() || ratio_to_first(s, r, clock).precision() <= precision;
    });
}

} // namespace toft::lab
