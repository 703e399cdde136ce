// SPDX-License-Identifier: MIT
#pragma once

#include "subject/allocator.hpp"
#include "subject/suite.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the user asked `toft bench` to do.
namespace toft::lab {

struct settings {
    std::vector<const suite *> suites;
    std::vector<allocator> allocators; // chosen, those that this machine lacks included
    std::vector<unsigned> threads;     // only cases with these; empty: all
    bool full = false;                 // full sizes, every case, more repetitions
    std::optional<unsigned> repetitions;
    std::optional<std::uint64_t> size;
    std::string filter;                // part of "suite/case/subject/allocator"; empty: everything
    double limit_seconds = 300;        // for one process
    std::optional<double> max_seconds; // for all of them; nothing: however long it takes

    std::uint64_t size_of(const suite &s) const {
        return size.value_or(full ? s.size.full : s.size.quick);
    }
    bool takes(const bench_case &c) const {
        const bool threads_fit = threads.empty() || std::find(threads.begin(), threads.end(),
                                                              c.threads) != threads.end();
        const bool asked_for = full || !threads.empty() || !filter.empty();
        return threads_fit && (asked_for || !c.only_full);
    }
    unsigned repetition_count() const { return repetitions.value_or(full ? 5 : 3); }
};

} // namespace toft::lab
