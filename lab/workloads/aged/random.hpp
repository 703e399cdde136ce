// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

namespace toft::lab {

// Marsaglia's xorshift: cheap enough to stand between two allocations that are timed.
class xorshift {
  public:
    using result_type = std::uint32_t;
    explicit xorshift(std::uint32_t seed) : state_(0x9E3779B97F4A7C15U * (seed + 1ULL)) {}
    static constexpr result_type min() { return 0; }
    static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }
    result_type operator()() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<result_type>(state_ >> 32);
    }

  private:
    std::uint64_t state_;
};

} // namespace toft::lab
