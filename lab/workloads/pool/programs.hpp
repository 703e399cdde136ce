// SPDX-License-Identifier: MIT
#pragma once

#include "handed_on.hpp"
#include "larson.hpp"
#include "objects.hpp"
#include "subject/session.hpp"
#include "team.hpp"

#include <functional>
#include <list>
#include <map>
#include <stdexcept>

// The programs of the suite `pool`, written once for every door to an allocator. A door is one
// thread's way to memory:
//
//     struct door {
//         static constexpr bool on_malloc;
//         void *allocate(std::size_t size);    // always inlined, so that a size which the
//         void free(void *, std::size_t size); // compiler knows stays known
//         template <class T> auto allocator(); // for standard containers, where it has one
//     };
namespace toft::lab {

template <class Door, std::size_t size>
[[gnu::noinline]] void allocate_and_free(Door &door, std::size_t times) {
    for (std::size_t i = 0; i != times; ++i) {
        void *object = door.allocate(size);
        stamp(object, static_cast<std::uint32_t>(i));
        door.free(object, size);
    }
}

// One object lives at a time: 10,000 of one size after another, then as many of the next size.
template <class Door, std::size_t... sizes>
struct one_live_worker {
    static constexpr std::size_t in_turn = 10'000;
    Door door;
    std::uint64_t turns;
    void operator()() {
        for (std::uint64_t turn = 0; turn != turns; ++turn)
            (allocate_and_free<Door, sizes>(door, in_turn), ...);
    }
};

// 10,000 objects are allocated, and then freed in the plan's order. They have the size that is
// given, or the plan's sizes where that is 0.
template <class Door, std::size_t size>
struct live_worker {
    Door door;
    freeing_plan planned;
    std::uint64_t turns;
    std::vector<void *> objects = std::vector<void *>(live_objects);
    [[gnu::noinline]] void operator()() {
        const auto size_of = [this](std::size_t i) { return size != 0 ? size : planned.sizes[i]; };
        for (std::uint64_t turn = 0; turn != turns; ++turn) {
            for (std::size_t i = 0; i != live_objects; ++i) {
                objects[i] = door.allocate(size_of(i));
                stamp(objects[i], static_cast<std::uint32_t>(i));
            }
            for (const std::uint32_t i : planned.order) door.free(objects[i], size_of(i));
        }
    }
};

template <class Door>
concept door_to_containers = requires(Door &door) { door.template allocator<int>(); };

template <door_to_containers Door>
struct list_worker {
    Door door;
    std::uint64_t turns;
    void operator()() {
        using allocator = decltype(door.template allocator<std::uint64_t>());
        for (std::uint64_t turn = 0; turn != turns; ++turn) {
            std::list<std::uint64_t, allocator> numbers(door.template allocator<std::uint64_t>());
            for (std::uint64_t i = 0; i != live_objects; ++i) numbers.push_back(i);
            const std::uint64_t sum = std::accumulate(numbers.begin(), numbers.end(), turn);
            asm volatile("" : : "r"(sum));
        }
    }
};

template <door_to_containers Door>
struct map_worker {
    Door door;
    std::uint64_t turns;
    std::minstd_rand random{1};
    void operator()() {
        using entry = std::pair<const std::uint32_t, std::uint64_t>;
        using allocator = decltype(door.template allocator<entry>());
        for (std::uint64_t turn = 0; turn != turns; ++turn) {
            std::map<std::uint32_t, std::uint64_t, std::less<>, allocator> numbers(
                door.template allocator<entry>());
            for (std::uint64_t i = 0; i != live_objects; ++i)
                numbers.emplace(static_cast<std::uint32_t>(random()), i);
            for (std::uint64_t i = 0; i != live_objects / 2; ++i) numbers.erase(numbers.begin());
        }
    }
};

// Runs Worker{Door, plan_of(thread)..., turns} in as many threads as the case has. A turn is so
// many pairs. The case's pairs are divided among the threads, and each thread has at least one
// turn.
template <class Worker, class Door, class... Plan>
void time_workers(session &run, std::uint64_t pairs_in_turn, const Plan &...plan_of) {
    const pool_case &c = find_pool_case(run.case_name());
    const std::uint64_t turns =
        std::max<std::uint64_t>(1, run.size() * c.factor / (pairs_in_turn * c.threads));
    const std::uint64_t pairs = turns * pairs_in_turn * c.threads;
    if (Door::on_malloc) run.expect_heap_allocations(pairs);
    time_rounds(run, c.threads, pairs, [&]([[maybe_unused]] unsigned thread) {
        return Worker{Door(), plan_of(thread)..., turns};
    });
}

template <class Door>
void measure_pool(session &run) {
    constexpr std::uint64_t in_turn = one_live_worker<Door>::in_turn;
    const auto in_order = [](unsigned thread) { return freeing_plan(thread, false); };
    const auto shuffled = [](unsigned thread) { return freeing_plan(thread, true); };
    switch (find_pool_case(run.case_name()).program) {
    case pool_program::one_live:
        return time_workers<one_live_worker<Door, 64>, Door>(run, in_turn);
    case pool_program::one_live_small:
        return time_workers<one_live_worker<Door, 4, 20, 40, 80>, Door>(run, 4 * in_turn);
    case pool_program::one_live_large:
        return time_workers<one_live_worker<Door, 1024>, Door>(run, in_turn);
    case pool_program::in_order:
        return time_workers<live_worker<Door, 64>, Door>(run, live_objects, in_order);
    case pool_program::in_order_mixed:
        return time_workers<live_worker<Door, 0>, Door>(run, live_objects, in_order);
    case pool_program::in_order_large:
        return time_workers<live_worker<Door, 1024>, Door>(run, live_objects, in_order);
    case pool_program::random_order:
        return time_workers<live_worker<Door, 64>, Door>(run, live_objects, shuffled);
    case pool_program::random_mixed:
        return time_workers<live_worker<Door, 0>, Door>(run, live_objects, shuffled);
    case pool_program::producer_consumer:
        return time_handing_on<Door>(run);
    case pool_program::larson:
        return time_larson<Door, small_lot>(run);
    case pool_program::larson_buffers:
        return time_larson<Door, buffer_lot>(run);
    case pool_program::list:
        if constexpr (door_to_containers<Door>)
            return time_workers<list_worker<Door>, Door>(run, live_objects);
        break;
    case pool_program::map:
        if constexpr (door_to_containers<Door>)
            return time_workers<map_worker<Door>, Door>(run, live_objects);
        break;
    }
    throw std::logic_error("the case isn't for this subject");
}

} // namespace toft::lab
