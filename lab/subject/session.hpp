// SPDX-License-Identifier: MIT
#pragma once

#include "clock.hpp"
#include "measurement.hpp"

#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

// What a workload sees of the lab while it runs: its size, a clock, and a place for its results.
// One session is one subject in one process.
namespace toft::lab {

enum class run_mode {
    timed,   // heap calls aren't counted
    counted, // under the heap counter; times mean nothing, one round is enough, and what would
             // disturb the caches of a timed run may be checked
};

// How much a phase does. A phase that allocates is held to a lowest plausible time for each
// allocation: below it, the optimiser has removed the work (see verdict.hpp).
struct amount {
    std::uint64_t operations;
    std::uint64_t allocations;
};
constexpr amount allocations(std::uint64_t n) { return {n, n}; }
constexpr amount operations(std::uint64_t n) { return {n, 0}; }

// What another program says of its work.
struct self_report {
    cost spent;
    std::uint64_t peak_bytes = 0;
    toft_heap_counts heap{};               // counted by itself; used of a counted run
    std::map<std::string, double> figures; // as in a measurement
};

class session {
  public:
    session(std::string case_name, std::uint64_t size, run_mode mode);

    const std::string &case_name() const { return case_name_; }
    std::uint64_t size() const { return size_; }
    bool counted() const { return mode_ == run_mode::counted; }

    // Does the work and records what it cost as this phase of this round. Rounds count from 1; the
    // first is cold.
    void timed(std::string phase, unsigned round, amount n, std::invocable auto &&work) {
        time_until(&stopwatch::stop, std::move(phase), round, n, work);
    }

    // The same for work that other threads do: they have ended, or wait, when it returns.
    void timed_on_threads(std::string phase, unsigned round, amount n, std::invocable auto &&work) {
        time_until(&stopwatch::stop_after_threads, std::move(phase), round, n, work);
    }

    // How many heap allocations the program text asks for in the timed phases of a counted run.
    // Fewer counted means that the optimiser removed some.
    void expect_heap_allocations(std::uint64_t n) { result_.expected_heap_allocations = n; }

    // Of the allocator measured, where that isn't the process's malloc.
    void set_version(std::string version) { result_.version = std::move(version); }

    // For a subject that is another program and measured itself (see program.hpp): what it says
    // takes the place of what this process would say of itself.
    void adopt(std::string phase, amount n, const self_report &);

    void set_chunks(std::uint64_t chunks) { result_.chunks = chunks; }

    // The first check that fails is what the lab reports of this subject, in place of figures.
    void check(bool holds, const std::string &what);

    // Adds what the whole process used: peak memory and faults.
    measurement finish();

  private:
    void time_until(cost (stopwatch::*stop)() const, std::string phase, unsigned round, amount n,
                    std::invocable auto &work) {
        const toft_heap_counts before = read_heap();
        const stopwatch watch;
        work();
        record(std::move(phase), round, n, (watch.*stop)(), before);
    }

    toft_heap_counts read_heap() const;
    void record(std::string phase, unsigned round, amount n, const cost &spent,
                const toft_heap_counts &before);

    std::string case_name_;
    std::uint64_t size_;
    run_mode mode_;
    toft_heap_counts_read_fn *read_counts_ = nullptr;
    measurement result_;
};

} // namespace toft::lab
