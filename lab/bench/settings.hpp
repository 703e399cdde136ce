// SPDX-License-Identifier: MIT
#pragma once

#include "allocators.hpp"
#include "suite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the user asked `toft bench` to do.
namespace toft::lab {

struct settings {
    std::vector<const suite *> suites;
    std::vector<allocator> allocators; // chosen, those that this machine lacks included
    bool quick = false;
    std::optional<unsigned> repetitions;
    std::optional<std::uint64_t> size;
    std::string filter; // part of "suite/case/subject/allocator"; empty: everything
    double limit_seconds = 300;

    std::uint64_t size_of(const suite &s) const {
        return size.value_or(quick ? s.size.quick : s.size.full);
    }
    unsigned repetition_count() const { return repetitions.value_or(quick ? 3 : 5); }
};

} // namespace toft::lab
