// SPDX-License-Identifier: MIT
#pragma once

#include "advice/advice.hpp"
#include "advice/stack_tree.hpp"
#include "record/recording.hpp"
#include "shared_plan.hpp"

#include <cstdint>
#include <string>
#include <vector>

// Runs a program with the objects of a piece of advice in regions that become unreadable at their
// ends.
namespace toft::lab {

struct called_from { // a frame of a stack
    recorded_module module;
    std::uint64_t address = 0; // to which the call returns, in the module's file
};

struct known_stack {
    std::vector<called_from> frames; // innermost first
    bool is_cut = false;             // there are more
};

enum class late_use { read, write, free, resize, system_call };

struct use_after_end {
    late_use how = late_use::read;
    std::string system_call;
    std::uint64_t process = 0;
    std::uint64_t object_bytes = 0;
    std::uint64_t offset = 0;      // of the used byte in it
    bool was_freed = false;        // before the region ended
    bool end_seen_late = false;    // `ended` is where it was seen
    known_stack made, ended, used; // `ended` has no frames when its thread ended
};

struct verified_run {
    int wait_status = 0;                                // as waitpid gives it
    std::uint64_t processes = 0;                        // that came to the region's function
    std::uint64_t placed = 0;                           // objects
    std::uint64_t not_placed = 0;                       // for want of room
    std::uint64_t begun = 0, ended = 0, ended_late = 0; // regions
    std::uint64_t lives = 0; // of the regions: an arena could be reset before each but the first
    std::uint64_t ended_readable = 0; // of these: the system didn't make them unreadable
    std::uint64_t other_exits = 0;    // of the region's function, that can't be watched
    std::uint64_t sites = 0, sites_seen = 0;
    bool inlined = false;                // copies of the region's function are in others
    std::vector<use_after_end> findings; // one for each process that had one, four at most
};

// Whether the calls of an inlined function were seen one by one, as in the recording: those that
// follow each other without a call of the heap from outside of them look like one.
bool told_calls_apart(const verified_run &, const advice &);

// Whether a use after a region's end could have been seen at all.
bool saw_enough(const verified_run &, const advice &);

// What the file says after the program, which may have written anything there by mistake: nothing
// outside of it is read.
verified_run what_came_of(shared_plan &);

// Why this advice can't be verified; empty: it can.
std::string obstacle_to_verify(const advice &);

// The tree is the one in which the advice's sites are, and its code is that of the same symbols.
// Throws std::invalid_argument when the program can't be preloaded into or is another build than
// the recorded one, with what to do, and std::system_error when nothing can be started.
verified_run verify_program(const advice &, const stack_tree &, const code_source &code,
                            const std::vector<std::string> &words);

} // namespace toft::lab
