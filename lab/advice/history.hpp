// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "symbols.hpp"

#include <cstdint>
#include <string>
#include <vector>

// What the page draws of one recording: who allocates and how long it lives, the memory that lives
// over time, and when each advised region is there.
namespace toft::lab {

// What was allocated below a call; its callers are the nodes above it.
struct flame_node {
    std::string name;
    std::uint64_t objects = 0, bytes = 0; // below it too
    double byte_seconds = 0;              // each object's bytes times its life
    std::vector<flame_node> children = {};
};

// What a function makes by itself, wherever it is called, and with what it calls.
struct maker_total {
    std::string name;
    std::uint64_t objects = 0, bytes = 0;
    double byte_seconds = 0;
    std::uint64_t bytes_with_calls = 0;
};

struct live_curve {
    std::string name; // the function that makes them
    std::uint64_t peak_bytes = 0;
    // By part of the time, which are alike: those of the moment when all curves had the most.
    std::vector<std::uint64_t> bytes;
};

// While objects of a region live, on any thread. What lies so close together that a drawing can't
// tell it apart is one band.
struct region_band {
    double begin = 0, end = 0; // seconds
};

struct region_bands {
    std::size_t line = 0; // of the report's
    std::vector<region_band> bands;
};

struct memory_history {
    double seconds = 0;
    flame_node calls;
    // Those that make the most bytes by themselves, the first one most; then of the others, those
    // that make the most with what they call.
    std::vector<maker_total> makers;
    std::size_t all_makers = 0;     // so many functions make objects, by themselves or so
    std::vector<live_curve> curves; // of the functions that hold most; the last: all others
    std::vector<region_bands> regions;
};

// Reads the recording three times; `index` says which of the report's it is.
memory_history history_of(const advice_report &, const recording &, std::size_t index,
                          const symbol_source &);

} // namespace toft::lab
