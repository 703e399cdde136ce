// SPDX-License-Identifier: MIT
#include "clock.hpp"

#include "instructions.hpp"

#include <chrono>
#include <ctime>
#include <sys/resource.h>
#include <thread>

namespace toft::lab {
namespace {

std::uint64_t now_ns(clockid_t clock) {
    timespec t{};
    clock_gettime(clock, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U +
           static_cast<std::uint64_t>(t.tv_nsec);
}

void read_times(cost &c) {
    c.wall_ns = now_ns(CLOCK_MONOTONIC);
    c.cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void read_faults(cost &c) {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    c.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
    c.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
}

} // namespace

// The times are read last at the start and first at the end: reading the others isn't timed.
stopwatch::stopwatch() {
    read_faults(start_);
    start_.instructions = read_instructions();
    read_times(start_);
}

cost stopwatch::stop() const {
    cost end;
    read_times(end);
    end.instructions = read_instructions();
    read_faults(end);
    std::optional<std::uint64_t> instructions;
    if (start_.instructions && end.instructions)
        instructions = *end.instructions - *start_.instructions;
    return {end.wall_ns - start_.wall_ns, end.cpu_ns - start_.cpu_ns,
            end.minor_faults - start_.minor_faults, end.major_faults - start_.major_faults,
            instructions};
}

cost stopwatch::stop_after_threads() const {
    const std::uint64_t end_wall_ns = now_ns(CLOCK_MONOTONIC);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    cost spent = stop();
    spent.wall_ns = end_wall_ns - start_.wall_ns;
    return spent;
}

} // namespace toft::lab
