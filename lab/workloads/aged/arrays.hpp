// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "footprint.hpp"
#include "random.hpp"

#include <array>
#include <cstring>
#include <utility>

// `arrays`: each begins with 1 KiB, and doubles, as it is filled, to between 32 KiB and 4 MiB, as a
// parser's stack or a reader's buffer does. Three live at once: each new one is grown, and then
// takes the place of one of these, whichever. The last round frees all. A doubling counts as an
// allocation.
namespace toft::lab {

template <class Door>
class arrays {
  public:
    explicit arrays(std::uint64_t usual) : usual_(usual) {}

    std::uint64_t objects(unsigned round) const {
        std::uint64_t allocations = 0;
        for (std::uint64_t i = count(round); i != 0; --i) allocations += 1 + doublings_of(i);
        return allocations;
    }

    void round(unsigned round, footprint &memory) {
        for (std::uint64_t i = count(round); i != 0; --i) {
            array grown = grow(doublings_of(i));
            std::swap(grown, arrays_[random_() % arrays_.size()]);
            free(grown);
        }
        memory.note_peak();
        if (round == aged_rounds)
            for (array &each : arrays_) free(std::exchange(each, {}));
    }

    bool agrees() const { return agrees_; }

  private:
    struct array {
        char *memory = nullptr;
        std::size_t bytes = 0;
        char stamp = 0;
    };
    static constexpr std::size_t first_bytes = 1024;

    std::uint64_t count(unsigned round) const {
        return share_of(usual_, round_percents[round - 1]);
    }
    // 5 to 12, in turns.
    static std::uint64_t doublings_of(std::uint64_t i) { return 5 + i * 3 % 8; }

    array grow(std::uint64_t doublings) {
        array grown = {static_cast<char *>(door_.allocate(first_bytes)), first_bytes,
                       static_cast<char>(random_())};
        std::memset(grown.memory, grown.stamp, first_bytes);
        for (; doublings != 0; --doublings) {
            const std::size_t bytes = grown.bytes * 2;
            grown.memory = static_cast<char *>(door_.resize(grown.memory, grown.bytes, bytes));
            std::memset(grown.memory + grown.bytes, grown.stamp, bytes - grown.bytes);
            grown.bytes = bytes;
        }
        return grown;
    }

    void free(const array &old) {
        if (old.memory == nullptr) return;
        for (std::size_t at = 0; at < old.bytes; at += 64) agrees_ &= old.memory[at] == old.stamp;
        door_.free(old.memory, old.bytes);
    }

    Door door_;
    std::uint64_t usual_;
    xorshift random_{11};
    std::array<array, 3> arrays_;
    bool agrees_ = true;
};

} // namespace toft::lab
