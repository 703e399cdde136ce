// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "footprint.hpp"
#include "random.hpp"
#include "stamped.hpp"

#include <array>
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
            stamped grown = grow(doublings_of(i));
            std::swap(grown, arrays_[random_() % arrays_.size()]);
            free(grown);
        }
        memory.note_peak();
        if (round == aged_rounds)
            for (stamped &each : arrays_) free(std::exchange(each, {}));
    }

    bool agrees() const { return agrees_; }

  private:
    static constexpr std::size_t first_bytes = 1024;

    std::uint64_t count(unsigned round) const {
        return share_of(usual_, round_percents[round - 1]);
    }
    // 5 to 12, in turns.
    static std::uint64_t doublings_of(std::uint64_t i) { return 5 + i * 3 % 8; }

    stamped grow(std::uint64_t doublings) {
        stamped grown = {static_cast<char *>(door_.allocate(first_bytes)), first_bytes,
                         static_cast<char>(random_())};
        grown.write(0);
        for (; doublings != 0; --doublings) {
            const std::size_t before = grown.bytes;
            grown.bytes *= 2;
            grown.memory = static_cast<char *>(door_.resize(grown.memory, before, grown.bytes));
            grown.write(before);
        }
        return grown;
    }

    void free(const stamped &old) {
        if (old.memory == nullptr) return;
        agrees_ &= old.holds();
        door_.free(old.memory, old.bytes);
    }

    Door door_;
    std::uint64_t usual_;
    xorshift random_{11};
    std::array<stamped, 3> arrays_;
    bool agrees_ = true;
};

} // namespace toft::lab
