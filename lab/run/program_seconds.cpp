// SPDX-License-Identifier: MIT
#include "program_seconds.hpp"

#include "recognise.hpp"
#include "result/statistics.hpp"
#include "touch.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t most_runs = 5, least_runs = 3;
constexpr std::chrono::seconds long_time{30}; // after which the least are enough

} // namespace

std::optional<program_seconds> seconds_of_program(const target &of) {
    const recognised_program program = recognise_program(of.words.front());
    if (!program.trouble.empty()) throw std::invalid_argument(program.trouble);
    std::vector<double> cpu_ns, wall_ns;
    std::uint64_t peak_bytes = 0;
    const clock::time_point begin = clock::now();
    while (cpu_ns.size() < least_runs ||
           (cpu_ns.size() < most_runs && clock::now() - begin < long_time)) {
        touch_memory_for(peak_bytes);
        const target_run run = run_target(of, {});
        if (run.interrupted) return std::nullopt;
        if (!run.measured.failure.empty())
            throw std::invalid_argument(
                fmt::format("{} {}. {}", of.words.front(), run.measured.failure, how_to_succeed));
        peak_bytes = std::max(peak_bytes, run.measured.peak_bytes);
        const cost spent = cost_of_run(run.measured);
        cpu_ns.push_back(static_cast<double>(spent.cpu_ns));
        wall_ns.push_back(static_cast<double>(spent.wall_ns));
    }
    return program_seconds{std::stod(fmt::format("{:.3g}", summarise(cpu_ns).median / 1e9)),
                           summarise(wall_ns).median / 1e9};
}

} // namespace toft::lab
