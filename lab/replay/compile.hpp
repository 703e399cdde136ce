// SPDX-License-Identifier: MIT
#pragma once

#include "arena_lives.hpp"
#include "placement.hpp"
#include "program_file.hpp"
#include "record/recording.hpp"

#include <cstdint>
#include <map>

// From a recording to the program that is replayed.
namespace toft::lab {

struct compiled_counts {
    std::uint64_t allocations = 0;
    std::uint64_t allocated_bytes = 0; // that these asked for
    std::uint64_t resizes = 0;
    std::uint64_t frees = 0;
    std::uint64_t unknown_frees = 0; // of objects whose allocation isn't in the recording: left out
    std::uint64_t unknown_resizes = 0; // of such objects: replayed as allocations
    std::uint64_t lost_frees = 0;      // found out when another object had the address
    std::uint64_t leftovers = 0;       // objects that lived to the end
    std::uint64_t waits = 0;           // of one thread for another
    std::uint64_t peak_live_bytes = 0; // that were asked for
    std::uint64_t placed = 0;          // objects of chosen sites
    std::uint64_t moved_out = 0;       // of these, resized by a thread that isn't their arena's
    std::uint64_t arena_resets = 0;
    std::map<std::uint32_t, std::uint64_t> immortals = {}; // in arenas, to the end; by their stacks
    arena_keepers keepers = {};
    std::uint32_t threads = 0;
};

// Throws std::runtime_error for a recording that is damaged, or that doesn't have every call.
compiled_counts compile(const recording &, const placement &, program_writer &);

} // namespace toft::lab
