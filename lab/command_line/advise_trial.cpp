// SPDX-License-Identifier: MIT
#include "advise_trial.hpp"

#include "result/row.hpp"
#include "run/interrupt.hpp"
#include "run/terminal.hpp"
#include "run/trial.hpp"
#include "run/trial_ratios.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <utility>

namespace toft::lab {
namespace {

constexpr unsigned least_rounds = 5;

double peak_bytes_of(const row &r) { return median_of(r, &measurement::peak_bytes); }

malloc_gain gain_of(const suite_result &s, const row &r, const allocator &a) {
    const interval cpu = ratio_to_first(s, r, clock_kind::cpu, trial_confidence).between;
    const double peak_percent = 100 - 100 * peak_bytes_of(r) / peak_bytes_of(s.rows.front());
    return {r.allocator,
            {100 - 100 * cpu.high, 100 - 100 * cpu.low},
            {peak_percent, peak_percent},
            a.setting,
            true};
}

bool was_measured(const row &r) { return r.problem.empty() && r.samples.size() >= least_rounds; }

suite_result tried(const malloc_trial &t, bool side_by_side) {
    trial_settings chosen;
    chosen.of = t.program;
    chosen.allocators = t.allocators;
    chosen.precision = .01;
    chosen.max_seconds = t.seconds;
    chosen.least_rounds = least_rounds;
    chosen.side_by_side = side_by_side;
    bench_result result = plan(chosen);
    progress shown(can_redraw(stderr) ? stderr : nullptr);
    carry_out(result, chosen, shown);
    return std::move(result.suites.front());
}

bool has_failed(const suite_result &s) {
    return std::ranges::any_of(s.rows, [](const row &r) { return !r.problem.empty(); });
}

} // namespace

double least_seconds_of(const malloc_trial &t, double run_seconds) {
    return run_seconds * static_cast<double>(2 * (t.allocators.size() - 1) * least_rounds);
}

void try_mallocs(advice_report &report, const malloc_trial &t) {
    suite_result suite = tried(t, report.threads == 1);
    // Two of it at once may be in each other's way, for the sake of a file or a lock.
    if (has_failed(suite) && report.threads == 1 && !interrupted()) suite = tried(t, false);
    for (const row &r : suite.rows)
        if (!r.problem.empty())
            report.remarks.push_back(
                fmt::format("Under {} the program {}.", r.allocator, r.problem));
    if (was_measured(suite.rows.front()))
        for (std::size_t i = 1; i != suite.rows.size(); ++i)
            if (was_measured(suite.rows[i]))
                report.mallocs.push_back(gain_of(suite, suite.rows[i], t.allocators[i]));
    stop_if_interrupted();
}

} // namespace toft::lab
