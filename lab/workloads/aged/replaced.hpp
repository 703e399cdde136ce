// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "footprint.hpp"
#include "random.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

// `random-frees`: many objects of 16 to 128 bytes. A round frees up to 45 % of them, whichever they
// are, makes as many others, and reads those twice. The first round fills, and the last one frees
// all.
namespace toft::lab {

template <class Door>
class replaced {
  public:
    explicit replaced(std::uint64_t usual_objects) : most_(usual_objects) {
        objects_.reserve(most_);
    }

    std::uint64_t objects(unsigned round) const {
        return (round == 1 ? most_ : 0) + replaced_in(round);
    }

    void round(unsigned round, footprint &memory) {
        while (objects_.size() != most_) make();
        memory.note_peak();
        for (std::uint64_t i = replaced_in(round); i != 0; --i) {
            std::swap(objects_[random_() % objects_.size()], objects_.back());
            free_last();
        }
        const std::size_t stayed = objects_.size();
        while (objects_.size() != most_) make();
        for (unsigned i = 0; i != 2; ++i)
            for (std::size_t at = stayed; at != most_; ++at) agrees_ &= is_whole(objects_[at]);
        if (round == aged_rounds)
            while (!objects_.empty()) free_last();
    }

    bool agrees() const { return agrees_; }

  private:
    struct object {
        char *memory;
        std::uint32_t bytes;
        char stamp;
    };

    std::uint64_t replaced_in(unsigned round) const {
        return share_of(most_, round_percents[round - 1] * 45 / 100);
    }

    void make() {
        const std::uint32_t drawn = random_(), bytes = 16 + drawn % 113;
        const object made = {static_cast<char *>(door_.allocate(bytes)), bytes,
                             static_cast<char>(drawn >> 24)};
        std::memset(made.memory, made.stamp, bytes);
        objects_.push_back(made);
    }

    static bool is_whole(const object &o) {
        return o.memory[0] == o.stamp && o.memory[o.bytes - 1] == o.stamp;
    }

    void free_last() {
        const object last = objects_.back();
        objects_.pop_back();
        agrees_ &= is_whole(last);
        door_.free(last.memory, last.bytes);
    }

    Door door_;
    std::uint64_t most_;
    xorshift random_{3};
    std::vector<object> objects_;
    bool agrees_ = true;
};

} // namespace toft::lab
