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
// There is one session in each process, for the one subject that the process runs.
namespace toft::lab {

enum class run_mode {
    timed,   // heap calls aren't counted
    counted, // under the heap counter: its times mean nothing, and one round is enough. It may do
             // checks that would disturb the caches of a timed run
};

// How much a phase does. A phase that allocates is held to a lowest plausible time for each
// allocation: below it, the optimiser has removed the work (see verdict.hpp).
struct amount {
    std::uint64_t operations;
    std::uint64_t allocations;
};
constexpr amount allocations(std::uint64_t n) { return {n, n}; }
constexpr amount operations(std::uint64_t n) { return {n, 0}; }

// What another program reports about its work.
struct self_report {
    cost spent;
    std::uint64_t peak_bytes = 0;
    toft_heap_counts heap{};               // as it counted them; used in a counted run only
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

    // Records work that other threads do. When it returns, these threads must have ended or wait.
    void timed_on_threads(std::string phase, unsigned round, amount n, std::invocable auto &&work) {
        time_until(&stopwatch::stop_after_threads, std::move(phase), round, n, work);
    }

    // How many heap allocations the program text asks for in the timed phases of a counted run.
    // Fewer counted means that the optimiser removed some.
    void expect_heap_allocations(std::uint64_t n) { result_.expected_heap_allocations = n; }

    // Names the version of the allocator that is measured, where that isn't the process's malloc.
    void set_version(std::string version) { result_.version = std::move(version); }

    // For a subject that is another program and has measured itself (see run/program.hpp): its
    // report takes the place of what this process would measure.
    void adopt(std::string phase, amount n, const self_report &);

    void set_chunks(std::uint64_t chunks) { result_.chunks = chunks; }

    // A figure that only some subjects have; the suite's tables show it by this name.
    void set_figure(const std::string &name, double value) { result_.figures[name] = value; }

    // When a check fails, the lab reports the first one that did instead of figures.
    void check(bool holds, const std::string &what);

    // Adds what the whole process used: peak memory and faults. It is a failure to have timed
    // nothing.
    measurement finish();

  private:
    void time_until(cost (stopwatch::*stop)() const, std::string phase, unsigned round, amount n,
                    std::invocable auto &work) {
        const toft_heap_counts before = read_heap();
        watch_stores(true);
        const stopwatch watch;
        work();
        record(std::move(phase), round, n, (watch.*stop)(), before);
    }

    toft_heap_counts read_heap() const;
    // Under the heap counter: what is stored in the objects of timed phases is looked at.
    void watch_stores(bool on) const;
    void tell_stores();
    void record(std::string phase, unsigned round, amount n, const cost &spent,
                const toft_heap_counts &before);

    std::string case_name_;
    std::uint64_t size_;
    run_mode mode_;
    toft_heap_counts_read_fn *read_counts_ = nullptr;
    toft_heap_stores_read_fn *read_stores_ = nullptr;
    toft_heap_stores_watch_fn *watch_stores_ = nullptr;
    measurement result_;
};

} // namespace toft::lab
