// SPDX-License-Identifier: MIT
// The lab's tagged stack under a model checker: three threads pop, own and push slots, in random
// schedules, with every value that the memory orders allow each load to return.
#include <atomic>
#include <cstdint>
#include <sstream>

#include "lab/workloads/pool/tagged_stack.hpp"

// The checker makes macros of the standard's names for the orders, and of much else.
constexpr std::memory_order relaxed = std::memory_order_relaxed;
constexpr std::memory_order acquire = std::memory_order_acquire;

#include "model/main.hpp"

namespace {

rl::memory_order order_of(std::memory_order order) {
    return order == relaxed ? rl::mo_relaxed : order == acquire ? rl::mo_acquire : rl::mo_release;
}

struct model_atomics {
    template <class T>
    struct cell {
        rl::atomic<T> value;
        cell(T initial = 0) : value(initial) {}
        T load(std::memory_order order) const { return value.load(order_of(order), $); }
        void store(T stored, std::memory_order order) { value.store(stored, order_of(order), $); }
        bool compare_exchange(T &expected, T desired, std::memory_order success,
                              std::memory_order failure) {
            return value.compare_exchange_strong(expected, desired, order_of(success), $,
                                                 order_of(failure), $);
        }
    };
};

using right = toft::lab::tagged_stack_orders;
struct aba : right {
    static constexpr std::uint64_t tag_step = 0;
};
struct weak_push : right {
    static constexpr std::memory_order push = relaxed;
};
struct weak_pop_load : right {
    static constexpr std::memory_order pop_load = relaxed;
};
struct weak_pop_exchange : right {
    static constexpr std::memory_order pop_exchange = relaxed;
};

// A slot's contents are plain memory: two owners, or an owner who doesn't see what the last one
// wrote, are a race, which the checker finds by itself.
template <class Orders>
struct three_threads : rl::test_suite<three_threads<Orders>, 3> {
    static constexpr std::uint32_t slots = 3;
    toft::lab::tagged_stack<model_atomics, Orders> stack;
    model_atomics::cell<std::uint32_t> links[slots + 1];
    rl::var<int> contents[slots + 1];

    auto link() {
        return [this](std::uint32_t index) -> auto & { return links[index]; };
    }

    void before() {
        for (std::uint32_t i = 1; i <= slots; i++) {
            contents[i]($) = 0;
            stack.push(i, link());
        }
    }
    void own(std::uint32_t index) {
        if (index != 0) contents[index]($) = static_cast<int>(contents[index]($)) + 1;
    }
    void give(std::uint32_t index) {
        if (index != 0) stack.push(index, link());
    }
    void thread(unsigned) {
        std::uint32_t first = stack.pop(link());
        own(first);
        std::uint32_t second = stack.pop(link());
        own(second);
        give(first);
        std::uint32_t third = stack.pop(link());
        own(third);
        give(third);
        give(second);
    }
    // All slots are there, once.
    void after() {
        std::uint32_t seen = 0;
        for (std::uint32_t i = 0; i < slots; i++) {
            std::uint32_t index = stack.pop(link());
            RL_ASSERT(index != 0 && (seen >> index & 1) == 0);
            seen |= 1u << index;
        }
        RL_ASSERT(stack.pop(link()) == 0);
    }
};

constexpr toft_test::way ways[] = {
    {"right", toft_test::passes<three_threads<right>>},
    {"aba", toft_test::passes<three_threads<aba>>},
    {"push", toft_test::passes<three_threads<weak_push>>},
    {"pop_load", toft_test::passes<three_threads<weak_pop_load>>},
    {"pop_exchange", toft_test::passes<three_threads<weak_pop_exchange>>},
};

} // namespace

int main(int argc, char **argv) { return toft_test::run_way(argc, argv, ways); }
