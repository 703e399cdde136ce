// SPDX-License-Identifier: MIT
// The lab's programs under Google Benchmark, to see them measured by another hand:
//
//     toft_google_benchmark --benchmark_filter=containers/list/ --benchmark_repetitions=9
//
// An iteration is a whole program: all its phases and rounds. Its time, and the column of each
// phase, is the CPU time of all threads divided by the operations of all. The threads are the
// lab's: Google Benchmark before 1.9 divides the time of its own by their number.
// All subjects share this process and its malloc, so one can leave a fragmented heap to the next.
// For figures to publish use `toft bench`, which gives each subject a process.
#include "subject/registry.hpp"

#include <benchmark/benchmark.h>
#include <map>

namespace {

using namespace toft::lab;

void run(benchmark::State &state, const suite &of, const subject &measured,
         const std::string &case_name) {
    std::map<std::string, double> per_operation; // of each phase, in seconds
    for ([[maybe_unused]] auto _ : state) {
        session one(case_name, of.size.quick, run_mode::timed);
        measured.run(one);
        const measurement result = one.finish();
        if (!result.failure.empty()) {
            state.SkipWithError(result.failure.c_str());
            return;
        }
        std::map<std::string, double> rounds;
        for (const phase_sample &p : result.phases) ++rounds[p.phase];
        double seconds = 0;
        for (const phase_sample &p : result.phases) {
            const double each = static_cast<double>(p.spent.cpu_ns) * 1e-9 /
                                static_cast<double>(p.operations) / rounds[p.phase];
            per_operation[p.phase] += each;
            seconds += each;
        }
        state.SetIterationTime(seconds);
    }
    for (const auto &[phase, seconds] : per_operation)
        state.counters[phase] = benchmark::Counter(seconds, benchmark::Counter::kAvgIterations);
}

} // namespace

int main(int argc, char **argv) {
    for (const suite &s : all_suites()) {
        if (s.hidden || s.only_by_name) continue; // those need a process for each row
        for (const bench_case &c : s.cases) {
            if (c.once) continue; // for its memory, which isn't shown here
            for (const subject &measured : s.subjects) {
                if (!measured.missing.empty() || !measured.takes_part_in(c.name)) continue;
                if (!measured.setting.empty()) continue; // it needs a process of its own
                const std::string name = s.name + '/' + c.name + '/' + measured.name;
                benchmark::RegisterBenchmark(
                    name.c_str(), [&](benchmark::State &state) { run(state, s, measured, c.name); })
                    ->UseManualTime()
                    ->Iterations(3);
            }
        }
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
}
