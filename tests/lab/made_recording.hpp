// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"

#include <memory>
#include <span>
#include <vector>

// Recordings of known calls, for tests. Objects are named by their addresses.
class made_recording {
  public:
    using event = toft::lab::heap_event;
    using heap_call = toft::lab::heap_call;

    made_recording &allocate(std::uint32_t thread, std::uint64_t address, std::uint64_t bytes,
                             std::uint32_t stack = 0) {
        return add({.address = address, .bytes = bytes, .thread = thread, .stack = stack});
    }
    made_recording &resize(std::uint32_t thread, std::uint64_t from, std::uint64_t to,
                           std::uint64_t bytes) {
        return add({.address = to,
                    .old_address = from,
                    .bytes = bytes,
                    .thread = thread,
                    .call = heap_call::resize});
    }
    made_recording &free(std::uint32_t thread, std::uint64_t address) {
        return add({.address = address, .thread = thread, .call = heap_call::free});
    }
    made_recording &add(event e) {
        e.time_ns = events_->size();
        events_->push_back(e);
        return *this;
    }

    // The recording keeps its events.
    toft::lab::recording made() const {
        toft::lab::recording r;
        for (const event &e : *events_) {
            if (e.thread >= r.threads.size()) r.threads.resize(e.thread + 1U);
            if (e.stack >= r.stacks.size()) r.stacks.resize(e.stack + 1U);
        }
        r.for_each = [events = events_](const auto &take) {
            constexpr std::size_t at_a_time = 1000;
            for (std::size_t i = 0; i < events->size(); i += at_a_time)
                take(std::span<const event>(*events).subspan(
                    i, std::min(at_a_time, events->size() - i)));
        };
        return r;
    }

  private:
    std::shared_ptr<std::vector<event>> events_ = std::make_shared<std::vector<event>>();
};
