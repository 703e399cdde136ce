// SPDX-License-Identifier: MIT
#include "stream_order.hpp"

#include "command.hpp"

namespace toft::lab {

stream_order::thread_state &stream_order::state_of(std::uint32_t thread) {
    if (thread >= threads_.size()) threads_.resize(std::size_t{thread} + 1);
    return threads_[thread];
}

void stream_order::begin_call(std::uint32_t thread) {
    thread_state &state = state_of(thread);
    if (!state.started) {
        state.started = true;
        if (last_) {
            const std::uint64_t start = pack(opcode::start, thread, 0);
            to_.add(last_->thread, {&start, 1});
        } else {
            first_ = thread;
        }
    }
    const std::uint64_t stretch = calls_ / stretch_calls;
    if (stretch == state.stretch) return;
    state.stretch = stretch;
    wait(thread, end_of_stretch_before_);
}

moment stream_order::end_call(std::uint32_t thread) {
    last_ = moment{thread, ++state_of(thread).position};
    if (++calls_ % stretch_calls == 0) {
        end_of_stretch_before_ = end_of_last_stretch_;
        end_of_last_stretch_ = *last_;
    }
    return *last_;
}

void stream_order::wait(std::uint32_t thread, moment until) {
    if (thread == until.thread || until.position == 0) return;
    std::uint64_t &known = known_[static_cast<std::uint64_t>(thread) << 32 | until.thread];
    if (known >= until.position) return;
    known = until.position;
    const std::uint64_t words[] = {pack(opcode::wait, until.thread, 0), until.position};
    to_.add(thread, words);
    ++waits_;
}

} // namespace toft::lab
