// SPDX-License-Identifier: MIT
#include "resident_history.hpp"

#include <algorithm>

namespace toft::lab {

void resident_history::add(std::uint64_t at_ns, std::uint64_t bytes) {
    if (!samples_.empty() && at_ns < next_ns_) {
        if (bytes > samples_.back().bytes) samples_.back() = {at_ns, bytes};
        return;
    }
    if (samples_.size() == most_samples) halve();
    samples_.push_back({at_ns, bytes});
    next_ns_ = at_ns + step_ns_;
}

void resident_history::halve() {
    for (std::size_t i = 0; i != most_samples / 2; ++i) {
        const resident_sample &first = samples_[2 * i], &second = samples_[2 * i + 1];
        samples_[i] = first.bytes >= second.bytes ? first : second;
    }
    samples_.resize(most_samples / 2);
    step_ns_ = (samples_.back().at_ns - samples_.front().at_ns) / samples_.size();
}

} // namespace toft::lab
