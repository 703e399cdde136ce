// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"

#include <cstdint>
#include <vector>

// What sampled recordings say of the whole program: each object that was chosen stands for as many
// as weren't (docs/recording-format.md).
namespace toft::lab {

struct estimate {
    std::uint64_t objects = 0;         // of all recordings, to two digits
    std::uint64_t peak_live_bytes = 0; // of the one with the highest peak, likewise
};

// In recordings that aren't sampled, each object stands for itself.
estimate estimate_of(const std::vector<recording> &);

} // namespace toft::lab
