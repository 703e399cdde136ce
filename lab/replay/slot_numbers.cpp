// SPDX-License-Identifier: MIT
#include "slot_numbers.hpp"

#include "command.hpp"

#include <stdexcept>

namespace toft::lab {

slot_numbers::taken slot_numbers::take(std::uint32_t thread) {
    if (thread < own_.size() && !own_[thread].empty()) {
        const taken last = own_[thread].back();
        own_[thread].pop_back();
        return last;
    }
    if (!common_.empty()) {
        const taken oldest = common_.front();
        common_.pop_front();
        return oldest;
    }
    if (count_ == most_slots)
        throw std::runtime_error("more objects live at once than can be replayed");
    return {.slot = count_++};
}

void slot_numbers::give(std::uint32_t slot, std::uint32_t thread, std::uint64_t position) {
    if (thread >= own_.size()) own_.resize(std::size_t{thread} + 1);
    std::deque<taken> &own = own_[thread];
    own.push_back({slot, true, thread, position});
    if (own.size() <= most_own) return;
    common_.push_back(own.front());
    own.pop_front();
}

} // namespace toft::lab
