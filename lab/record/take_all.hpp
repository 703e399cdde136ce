// SPDX-License-Identifier: MIT
#pragma once

#include "recording.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

// A pass over events that keeps the living objects in an address_map.
namespace toft::lab {

inline std::uint64_t looked_up_by(const heap_event &e) {
    return e.call == heap_call::resize ? e.old_address : e.address;
}

// Gives all events to a pass, each of which is told of a few events ahead.
template <class Pass>
void take_all(Pass &pass, std::span<const heap_event> events) {
    constexpr std::size_t ahead = 8;
    for (std::size_t i = 0; i != events.size(); ++i) {
        if (i + ahead < events.size()) pass.expect(events[i + ahead]);
        pass.take(events[i]);
    }
}

} // namespace toft::lab
