// SPDX-License-Identifier: MIT
#include "advise_trial.hpp"

#include "result/statistics.hpp"
#include "run/interrupt.hpp"
#include "run/terminal.hpp"
#include "run/trial.hpp"
#include "run/trial_ratios.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <utility>

namespace toft::lab {
namespace {

constexpr unsigned least_rounds = 3;
constexpr double confidence = .8; // of each malloc's range

double peak_bytes_of(const row &r) {
    std::vector<double> bytes;
    for (const measurement &m : r.samples) bytes.push_back(static_cast<double>(m.peak_bytes));
    return summarise(bytes).median;
}

malloc_gain gain_of(const suite_result &s, const row &r, const allocator &a) {
    const interval cpu = ratio_to_first(s, r, clock_kind::cpu, confidence).between;
    const double peak_percent = 100 - 100 * peak_bytes_of(r) / peak_bytes_of(s.rows.front());
    return {r.allocator,
            {100 - 100 * cpu.high, 100 - 100 * cpu.low},
            {peak_percent, peak_percent},
            a.setting,
            true};
}

} // namespace

void try_mallocs(advice_report &report, const malloc_trial &t) {
    trial_settings chosen;
    chosen.of.words = t.program;
    chosen.allocators = t.allocators;
    chosen.precision = .01;
    chosen.max_seconds = t.seconds;
    chosen.least_rounds = least_rounds;
    chosen.side_by_side = report.threads == 1;
    bench_result result = plan(chosen);
    progress shown(can_redraw(stderr) ? stderr : nullptr);
    carry_out(result, chosen, shown);
    stop_if_interrupted();
    const suite_result &suite = result.suites.front();
    for (std::size_t i = 0; i != suite.rows.size(); ++i) {
        const row &r = suite.rows[i];
        if (!r.problem.empty())
            report.remarks.push_back(
                fmt::format("Under {} the program {}.", r.allocator, r.problem));
        else if (i != 0 && r.samples.size() >= least_rounds)
            report.mallocs.push_back(gain_of(suite, r, t.allocators[i]));
    }
}

} // namespace toft::lab
