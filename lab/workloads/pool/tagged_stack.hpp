// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

// The free list of seed 4, a global stack by compare-and-swap, made safe.
//
//     head: | tag | index |  ->  link[index]  ->  link[...]  ->  0
//
// Without the tag it has the ABA fault: a popper reads the top's link, sleeps while others pop the
// top and its successor and push the top again, and then installs a successor that is in use. The
// tag counts pops, so that its compare-and-swap fails then. Links are atomic, since a popper may
// read that of a slot that another has popped meanwhile; what it read is then thrown away.
//
// The atomics are a policy, so that tests/model can run it under a model checker: Atomics::cell<T>
// with load, store, compare_exchange; Orders, whose weaker versions the model must catch.
namespace toft::lab {

struct tagged_stack_orders {
    // Publishes the link, and what the slot's last owner wrote in it, to whom pops it: the partner
    // of the two below.
    static constexpr std::memory_order push = std::memory_order_release;
    // What a popper learns of the head, it must know the link of.
    static constexpr std::memory_order pop_load = std::memory_order_acquire;
    // The same when the exchange fails and tells the head anew. (When it succeeds, the head was
    // known already; one order serves both.)
    static constexpr std::memory_order pop_exchange = std::memory_order_acquire;
    static constexpr std::uint64_t tag_step = std::uint64_t{1} << 32;
};

// Links is a callable: links(index) is the cell in which the slot of that index keeps its link.
// Indices start at 1.
template <class Atomics, class Orders = tagged_stack_orders>
class tagged_stack {
  public:
    template <class Links>
    void push(std::uint32_t index, Links &&links) {
        std::uint64_t head = head_.load(std::memory_order_relaxed);
        do {
            links(index).store(index_of(head), std::memory_order_relaxed);
        } while (!head_.compare_exchange(head, (head & ~index_mask) | index, Orders::push,
                                         std::memory_order_relaxed));
    }

    // 0 when there is none.
    template <class Links>
    std::uint32_t pop(Links &&links) {
        std::uint64_t head = head_.load(Orders::pop_load);
        for (;;) {
            std::uint32_t index = index_of(head);
            if (index == 0) return 0;
            std::uint32_t next = links(index).load(std::memory_order_relaxed);
            std::uint64_t popped = ((head & ~index_mask) + Orders::tag_step) | next;
            if (head_.compare_exchange(head, popped, Orders::pop_exchange, Orders::pop_exchange))
                return index;
        }
    }

  private:
    static constexpr std::uint64_t index_mask = 0xffffffff;
    static std::uint32_t index_of(std::uint64_t head) {
        return static_cast<std::uint32_t>(head & index_mask);
    }

    typename Atomics::template cell<std::uint64_t> head_{0};
};

} // namespace toft::lab
