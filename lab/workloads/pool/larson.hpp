// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "objects.hpp"
#include "subject/session.hpp"

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

// A server's churn, after Larson and Krishnan, "Memory allocation for long-running server
// applications" (ISMM 1998): a thread replaces random objects of its lot for a while, hands the lot
// to a new thread, and exits.
namespace toft::lab {

// How many objects are in a lot, and how large they are.
struct small_lot {
    static constexpr std::size_t slots = 5000, least = 8, most = 512;
};
struct buffer_lot {
    static constexpr std::size_t slots = 20, least = 32 << 10, most = 256 << 10;
};

template <class Objects>
struct lot {
    struct slot {
        void *object = nullptr;
        std::uint32_t size = 0;
    };
    std::vector<slot> objects = std::vector<slot>(Objects::slots);
    std::minstd_rand random;

    slot &any() { return objects[random() % Objects::slots]; }
    std::uint32_t any_size() {
        constexpr std::size_t sizes = Objects::most - Objects::least + 1;
        return static_cast<std::uint32_t>(Objects::least + random() % sizes);
    }
};

template <class Door, class Objects>
[[gnu::noinline]] void churn(lot<Objects> &mine, std::uint64_t times) {
    Door door;
    for (std::uint64_t i = 0; i != times; ++i) {
        typename lot<Objects>::slot &replaced = mine.any();
        if (replaced.object != nullptr) door.free(replaced.object, replaced.size);
        replaced.size = mine.any_size();
        replaced.object = door.allocate(replaced.size);
        stamp_pages(replaced.object, replaced.size);
    }
}

template <class Door, class Objects>
void empty(lot<Objects> &mine) {
    Door door;
    for (auto &s : mine.objects)
        if (s.object != nullptr) door.free(s.object, s.size);
}

template <class Door, class Objects>
void time_larson(session &run) {
    constexpr unsigned generations = 8; // of threads, in a round
    const pool_case &c = find_pool_case(run.case_name());
    const std::uint64_t times =
        std::max<std::uint64_t>(1, run.size() * c.factor / (c.threads * generations));
    const std::uint64_t pairs = times * c.threads * generations;
    if (Door::on_malloc) run.expect_heap_allocations(pairs);

    std::vector<lot<Objects>> lots(c.threads);
    for (unsigned i = 0; i != c.threads; ++i) lots[i].random.seed(i + 1);
    const unsigned last_round = run.counted() ? 1 : last_pool_round;
    for (unsigned round = 1; round <= last_round; ++round)
        run.timed_on_threads("pairs", round, allocations(pairs), [&] {
            for (unsigned generation = 0; generation != generations; ++generation) {
                std::vector<std::jthread> threads;
                for (lot<Objects> &l : lots)
                    threads.emplace_back([&l, times] { churn<Door>(l, times); });
            }
        });
    for (lot<Objects> &l : lots) empty<Door>(l);
}

} // namespace toft::lab
