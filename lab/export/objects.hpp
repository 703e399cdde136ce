// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"

#include <cstdint>
#include <functional>
#include <vector>

// A recording as a sequence of objects: each is made, perhaps resized, and ends. A resized object
// stays the same object, of the site that made it first, as in advice.
namespace toft::lab {

struct heap_object {
    std::uint64_t bytes = 0; // now
    std::uint64_t first_bytes = 0;
    std::uint64_t made_ns = 0;
    double weight = 1;      // so many objects it stands for, see recording::weight_of
    std::uint32_t site = 0; // node of the stack that made it
    std::uint32_t thread = 0;
    std::uint32_t resizes = 0;
    std::uint32_t alignment = 0; // that was asked for; 0: that of malloc
};

// Where an object ends. Without one, it was alive when the recording ended.
struct object_end {
    std::uint64_t time_ns = 0;
    std::uint32_t stack = 0; // node of the stack that freed it; 0: its end wasn't seen
    std::uint32_t thread = 0;
};

// What is called back, in the order of time; then what is left alive, in no order.
class object_listener {
  public:
    virtual ~object_listener() = default;
    virtual void made(const heap_object &) = 0;
    virtual void resized(const heap_object &, const heap_object &before) = 0;
    virtual void ended(const heap_object &, const object_end &) = 0;
    virtual void left_alive(const heap_object &) = 0;
};

struct recorded_extent {
    std::uint64_t events = 0;
    std::uint64_t duration_ns = 0; // how long the process ran, until its last event at least
};

// Memory goes with the objects that live at the same time. `nodes` is what stack_tree::merge()
// returned. Throws what recording::for_each throws.
recorded_extent for_each_object(const recording &, const std::vector<std::uint32_t> &nodes,
                                const std::vector<object_listener *> &);

} // namespace toft::lab
