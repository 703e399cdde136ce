// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

// A Treiber stack (R. K. Treiber, "Systems programming: coping with parallelism", 1986) with tagged
// pointers: a free list that all threads change by compare-and-swap.
//
//     head: | tag | index |  ->  link[index]  ->  link[...]  ->  0
//
// Without the tag it would have the ABA fault: one thread reads the top's link and sleeps; others
// pop the top and its successor, and push the top again; the first thread wakes and makes the
// successor, which is in use, the new top. The tag counts pops, so the compare-and-swap of that
// thread fails. Links are atomic, because a thread may read the link of a slot that another thread
// has just popped; it then throws away what it read.
//
// The atomics are a policy, so that tests/model can run it under a model checker: Atomics::cell<T>
// with load, store, compare_exchange; Orders, whose weaker versions the model must catch.
namespace toft::lab {

struct tagged_stack_orders {
    // Publishes the link, and what the slot's last owner wrote into it, to the thread that pops it.
    // Its partners are the two orders below.
    static constexpr std::memory_order push = std::memory_order_release;
    // A thread that reads the head must then be able to read the link of that slot.
    static constexpr std::memory_order pop_load = std::memory_order_acquire;
    // When the exchange fails, it reads the head again, with the same need as above. When it
    // succeeds, the head was known already; the same order is used for both.
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
