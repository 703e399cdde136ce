// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstdint>

// How long each single call takes: a clock that costs little, and a count of every time it showed.
namespace toft::lab {

// Ticks of the processor's own counter where there is one that a program may read, else
// nanoseconds. The fences keep the call between the two readings.
[[gnu::always_inline]] inline std::uint64_t read_ticks() {
#if defined __x86_64__
    __builtin_ia32_lfence();
    const std::uint64_t ticks = __builtin_ia32_rdtsc();
    __builtin_ia32_lfence();
    return ticks;
#else
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
#endif
}

// Counts times in steps of a 64th of their size, and keeps the longest as it is.
class time_histogram {
  public:
    void add(std::uint64_t ticks) {
        ++counts_[index_of(ticks)];
        ++all_;
        if (ticks > longest_) longest_ = ticks;
    }
    void add(const time_histogram &other) {
        for (std::size_t i = 0; i != counts_.size(); ++i) counts_[i] += other.counts_[i];
        all_ += other.all_;
        if (other.longest_ > longest_) longest_ = other.longest_;
    }

    std::uint64_t count() const { return all_; }
    std::uint64_t longest() const { return longest_; }

    // The time that this share of all isn't longer than, rounded down to its step.
    std::uint64_t quantile(double share) const {
        const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(all_));
        std::uint64_t seen = 0;
        for (std::size_t i = 0; i != counts_.size(); ++i)
            if ((seen += counts_[i]) > wanted) return value_of(i);
        return longest_;
    }

  private:
    static constexpr unsigned step_bits = 6;
    static constexpr std::size_t steps = std::size_t{1} << step_bits;

    // Below 64 each time has its own place; above, 64 places for each power of two.
    static std::size_t index_of(std::uint64_t ticks) {
        if (ticks < steps) return ticks;
        const auto shift = static_cast<unsigned>(std::bit_width(ticks)) - 1 - step_bits;
        return (shift + 1) * steps + ((ticks >> shift) & (steps - 1));
    }
    static std::uint64_t value_of(std::size_t index) {
        if (index < steps) return index;
        const std::size_t shift = index / steps - 1;
        return (steps + index % steps) << shift;
    }

    std::array<std::uint64_t, steps * (64 - step_bits + 1)> counts_{};
    std::uint64_t all_ = 0;
    std::uint64_t longest_ = 0;
};

// What the clock itself costs: the median of readings with nothing between them. It is taken off
// every quantile. To be asked in a thread that has just begun its measurement.
inline std::uint64_t ticks_of_the_clock() {
    constexpr int readings = 20'000;
    time_histogram empty;
    for (int i = 0; i != readings; ++i) {
        const std::uint64_t begin = read_ticks();
        empty.add(read_ticks() - begin);
    }
    return empty.quantile(.5);
}

} // namespace toft::lab
