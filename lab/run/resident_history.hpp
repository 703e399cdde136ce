// SPDX-License-Identifier: MIT
#pragma once

#include "subject/measurement.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace toft::lab {

// Resident memory over time, in a bounded number of samples. When they become too many, of each two
// neighbours the higher one stays, and from then on as much time lies between two of them again. So
// a program of any length has a curve, and the curve keeps its peaks.
class resident_history {
  public:
    static constexpr std::size_t most_samples = 128;

    // Times grow from one call to the next.
    void add(std::uint64_t at_ns, std::uint64_t bytes);

    const std::vector<resident_sample> &samples() const { return samples_; }

  private:
    void halve();

    std::vector<resident_sample> samples_;
    std::uint64_t next_ns_ = 0; // a sample that comes earlier is joined with the last one
    std::uint64_t step_ns_ = 0;
};

} // namespace toft::lab
