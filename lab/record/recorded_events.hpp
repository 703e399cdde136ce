// SPDX-License-Identifier: MIT
#pragma once

#include "recorded_file.hpp"
#include "recording.hpp"

#include <algorithm>
#include <array>
#include <memory>

// The events of a file: each thread's blocks, and all of them in one order.
namespace toft::lab {

// Where a block of events lies.
struct event_block {
    std::uint64_t offset = 0; // of its payload
    std::uint32_t payload_bytes = 0;
    std::uint32_t count = 0;
    std::uint64_t first_ticks = 0;
};

// From the events' clock to nanoseconds since the recording began.
struct recorded_clock {
    std::uint64_t start_ticks = 0;
    double nanoseconds_per_tick = 1;

    std::uint64_t nanoseconds(std::uint64_t ticks) const {
        if (ticks < start_ticks) return 0;
        constexpr double most = 1e18; // thirty years; what is more comes of a damaged clock
        return static_cast<std::uint64_t>(
            std::min(static_cast<double>(ticks - start_ticks) * nanoseconds_per_tick, most));
    }
};

// All that is needed to go through the events.
struct event_index {
    std::unique_ptr<recorded_file> file;
    recorded_clock clock;
    std::vector<std::vector<event_block>> blocks; // of each thread
    std::vector<std::uint32_t> stacks;            // from the file's number to the recording's
    bool has_resizes = false;
};

// In the order of time. Memory is one block for each thread that is alive at the same time.
void for_each_event(const event_index &, const std::function<void(std::span<const heap_event>)> &);

} // namespace toft::lab
