// SPDX-License-Identifier: MIT
#include "escapes_by_definition.hpp"

#include <algorithm>
#include <optional>

using namespace toft::lab;

namespace {

struct call_of {
    std::uint32_t parent;
    std::uint64_t function;
};

// The innermost call of the function on this stack.
std::optional<call_of> innermost(const planted_program &p, std::uint32_t stack,
                                 std::uint64_t function) {
    for (; stack != 0; stack = p.stacks()[stack].parent)
        if (p.stacks()[stack].function == function)
            return call_of{p.stacks()[stack].parent, function};
    return std::nullopt;
}

bool stands_within(const planted_program &p, std::uint32_t stack, const call_of &call) {
    for (; stack != 0; stack = p.stacks()[stack].parent)
        if (p.stacks()[stack].parent == call.parent && p.stacks()[stack].function == call.function)
            return true;
    return false;
}

bool outlives(const planted_program &p, std::size_t made, std::uint32_t function) {
    const std::vector<heap_event> &events = p.events();
    std::optional<call_of> call;
    if (function != 0) {
        call = innermost(p, events[made].stack, p.stacks()[function].function);
        if (!call) return true;
    }
    std::uint64_t address = events[made].address;
    for (std::size_t i = made + 1; i != events.size(); ++i) {
        const heap_event &e = events[i];
        const bool own_thread = e.thread == events[made].thread;
        if (own_thread && call && !stands_within(p, e.stack, *call)) return true;
        if (e.call == heap_call::resize && e.old_address == address) {
            if (!own_thread) return true;
            address = e.address;
        }
        if (e.call == heap_call::free && e.address == address) return !own_thread;
    }
    return call.has_value(); // it is never freed
}

} // namespace

std::size_t escapes_by_definition(const planted_program &p, std::uint32_t function,
                                  const std::vector<std::uint32_t> &sites) {
    std::size_t found = 0;
    for (std::size_t i = 0; i != p.events().size(); ++i) {
        const heap_event &e = p.events()[i];
        if (e.call != heap_call::allocate ||
            std::find(sites.begin(), sites.end(), e.stack) == sites.end())
            continue;
        if (outlives(p, i, function)) ++found;
    }
    return found;
}
