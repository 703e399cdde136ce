// SPDX-License-Identifier: MIT
#include "session.hpp"

#include "heap_figures.hpp"
#include "resident_memory.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/resource.h>

namespace toft::lab {
namespace {

std::string heap_figure(const char *what, const std::string &phase, unsigned round) {
    return fmt::format("{}{} in {}, round {}", heap_figure_prefix, what, phase, round);
}

// The heap counter's function of that name; null where it isn't loaded.
template <class Function>
Function *find_counter(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

} // namespace

session::session(std::string case_name, std::uint64_t size, run_mode mode)
    : case_name_(std::move(case_name)),
      size_(size),
      mode_(mode),
      read_counts_(find_counter<toft_heap_counts_read_fn>(TOFT_HEAP_COUNTS_READ)),
      read_stores_(find_counter<toft_heap_stores_read_fn>(TOFT_HEAP_STORES_READ)),
      watch_stores_(find_counter<toft_heap_stores_watch_fn>(TOFT_HEAP_STORES_WATCH)) {
    if (counted() && !read_counts_) throw std::runtime_error("the heap counter isn't loaded");
}

toft_heap_counts session::read_heap() const {
    toft_heap_counts counts{};
    if (read_counts_) read_counts_(&counts);
    return counts;
}

void session::watch_stores(bool on) const {
    if (watch_stores_) watch_stores_(on ? 1 : 0);
}

void session::tell_stores() {
    if (!read_stores_) return;
    toft_heap_stores stores{};
    read_stores_(&stores);
    result_.figures[stored_objects_figure] = static_cast<double>(stores.objects);
    result_.figures[stored_bytes_figure] = static_cast<double>(stores.bytes);
}

void session::record(std::string phase, unsigned round, amount n, const cost &spent,
                     const toft_heap_counts &before) {
    watch_stores(false);
    const toft_heap_counts after = read_heap();
    result_.heap.allocations += after.allocations - before.allocations;
    result_.heap.deallocations += after.deallocations - before.deallocations;
    result_.heap.bytes += after.bytes - before.bytes;
    if (read_counts_) {
        // Kept for each phase, so that a run that isn't told of it can be held to the counted one.
        result_.figures[heap_figure("allocations", phase, round)] +=
            static_cast<double>(after.allocations - before.allocations);
        result_.figures[heap_figure("bytes", phase, round)] +=
            static_cast<double>(after.bytes - before.bytes);
    }
    result_.phases.push_back({std::move(phase), round, n.operations, n.allocations, spent});
}

void session::check(bool holds, const std::string &what) {
    if (!holds && result_.failure.empty()) result_.failure = what;
}

void session::adopt(std::string phase, amount n, const self_report &report) {
    result_.phases.push_back({std::move(phase), 1, n.operations, n.allocations, report.spent});
    result_.peak_bytes = report.peak_bytes;
    result_.figures = report.figures;
    if (counted()) result_.heap = report.heap;
}

measurement session::finish() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    tell_stores();
    check(!result_.phases.empty(), "has timed nothing: call session::timed()");
    result_.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
    result_.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
    if (result_.peak_bytes == 0) result_.peak_bytes = highest_resident_bytes();
    return std::move(result_);
}

} // namespace toft::lab
