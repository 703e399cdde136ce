// SPDX-License-Identifier: MIT
#pragma once

#include "arrays.hpp"
#include "between_threads.hpp"
#include "buffers.hpp"
#include "cases.hpp"
#include "document.hpp"
#include "footprint.hpp"
#include "live_bytes.hpp"
#include "number_map.hpp"
#include "phases.hpp"
#include "replaced.hpp"
#include "thread_churn.hpp"
#include "workloads/pool/objects.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

// The programs of the suite `aged`, written once for every door to memory. A door has no state of
// its own: any two of one type lead to the same memory.
//
//     struct door {
//         static constexpr bool on_malloc;      // its allocations are the heap's
//         static constexpr bool for_one_thread; // at a time
//         static constexpr bool drops_frees;    // and frees all in end_of_round
//         void *allocate(std::size_t size);
//         void free(void *, std::size_t size);
//         void *resize(void *, std::size_t old_size, std::size_t size);
//         void end_of_round(); // no object lives any more
//     };
//
// A program is made with its usual size. round(i) does its round number i, and objects(i) says how
// many objects that allocates. What it needs beside them is made before the first round.
namespace toft::lab {

// Five seconds in which the program does little, but doesn't stand still: ten times a second it
// answers a small request, with 200 objects of 16 to 527 bytes. Whatever a malloc keeps for a
// thread holds these, so that nothing reminds it of the rest.
template <class Door>
void do_little_for_a_while() {
    constexpr std::uint32_t requests = 50;
    struct {
        void *memory;
        std::size_t size;
    } objects[200];
    Door door;
    std::uint32_t made = 0;
    for (std::uint32_t i = 0; i != requests; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        for (auto &object : objects) {
            object.size = 16 + (made++ * 2654435761U >> 16) % 512;
            object.memory = door.allocate(object.size);
            stamp(object.memory, i);
        }
        for (auto &object : objects) door.free(object.memory, object.size);
        door.end_of_round();
    }
}

template <class Door, class Program>
void time_aged(session &run, std::uint64_t usual) {
    const bool on_threads = find_aged_case(run.case_name()).threads > 1;
    Program program(share_of(usual, run.size()));
    footprint memory;
    std::uint64_t allocations = 0;
    for (unsigned round = 1; round <= aged_rounds; ++round) {
        const std::uint64_t objects = program.objects(round);
        const auto work = [&] {
            program.round(round, memory);
            Door().end_of_round();
        };
        if (on_threads)
            run.timed_on_threads(phase_of_round(round), lab_round(round), one_round(objects), work);
        else
            run.timed(phase_of_round(round), lab_round(round), one_round(objects), work);
        run.check(program.agrees(), phase_of_round(round) + " read other values than it wrote");
        allocations += objects;
    }
    if (Door::on_malloc) run.expect_heap_allocations(allocations);
    memory.report_peak(run);
    memory.report_now(run, resident_freed);
    if (!is_idle(run.case_name()) || run.counted()) return;
    do_little_for_a_while<Door>();
    memory.report_now(run, resident_later);
}

// The sizes are those of 100 percent.
template <class Door>
void age_behind(session &run) {
    const aged_program program = find_aged_case(run.case_name()).program;
    if (program == aged_program::tree) return time_aged<Door, document<Door>>(run, 240'000);
    if (program == aged_program::map) return time_aged<Door, number_map<Door>>(run, 200'000);
    if constexpr (!Door::drops_frees) {
        if (program == aged_program::survivors)
            return time_aged<Door, document<Door, 30>>(run, 240'000);
        if (program == aged_program::random_frees)
            return time_aged<Door, replaced<Door>>(run, 400'000);
        if (program == aged_program::phase_change)
            return time_aged<Door, phases<Door, small_sizes>>(run, 32 * 1024);
        if (program == aged_program::kinds)
            return time_aged<Door, phases<Door, sizes_of_all_kinds>>(run, 64 * 1024);
        if (program == aged_program::buffers)
            return time_aged<Door, buffers<Door, 4, 5 * 1024, 24 * 1024>>(run, 60);
        if (program == aged_program::blocks)
            return time_aged<Door, buffers<Door, 300, 32, 1024>>(run, 3000);
        if (program == aged_program::arrays) return time_aged<Door, arrays<Door>>(run, 300);
    }
    if constexpr (!Door::for_one_thread) {
        if (program == aged_program::thread_churn)
            return time_aged<Door, thread_churn<Door>>(run, 40'000);
        if (program == aged_program::bleeding)
            return time_aged<Door, between_threads<Door, 1, false>>(run, 80);
        if (program == aged_program::asymmetric)
            return time_aged<Door, between_threads<Door, 3, true>>(run, 80);
    }
    throw std::logic_error("the case isn't for this subject");
}

template <class Door>
void age(session &run) {
    if (run.counted())
        age_behind<counting_door<Door>>(run);
    else
        age_behind<Door>(run);
}

} // namespace toft::lab
