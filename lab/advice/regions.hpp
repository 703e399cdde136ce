// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"
#include "scopes.hpp"
#include "stack_tree.hpp"

#include <cstdint>
#include <functional>
#include <vector>

// Which sites an arena could take, and what memory it would need. A region lives between two
// moments at which none of its objects does, within a call of its scope. An arena in its place
// keeps the memory of the dead until the region's end. So the sites that bloat it most are dropped
// until its peak is within a quarter of what its objects need. Where a program makes the first
// objects of a new life before it frees the last of the old one, there is no such moment: then the
// sites whose few objects are all that is left at times are dropped instead, if that keeps more.
namespace toft::lab {

struct found_region {
    std::uint32_t function = 0; // one of its frames, as in scope_group
    std::vector<owned_site> sites;
    std::vector<owned_site> bloating; // that were dropped; they have the same scope
    std::uint64_t objects = 0;
    std::uint64_t lives = 0;             // how many times it began
    std::uint64_t most_objects = 0;      // in one life
    std::uint64_t most_bytes = 0;        // likewise, as they were asked for
    std::uint64_t most_at_once = 0;      // objects of all lives that went on
    std::uint64_t lives_at_once = 0;     // at most
    std::uint64_t threads = 0;           // whose whole life is its scope, in all recordings
    std::uint64_t arena_peak_bytes = 0;  // when nothing is reused before the region's end
    std::uint64_t needed_peak_bytes = 0; // of the objects that live, rounded up to 8
    std::uint64_t malloc_peak_bytes = 0; // the same, with what glibc's malloc adds
    // With those that were dropped too.
    std::uint64_t whole_lives = 0, whole_arena_peak_bytes = 0, whole_malloc_peak_bytes = 0;
    std::uint64_t whole_most_threads = 0; // as `threads`, but in one recording
};

// Calls back with each recording of the program, and its nodes in the tree.
using each_recording = std::function<void(
    const std::function<void(const recording &, const std::vector<std::uint32_t> &nodes)> &)>;

// Reads the recordings several times, six at most.
std::vector<found_region> find_regions(const std::vector<scope_group> &, const lifetimes &,
                                       const stack_tree &, const each_recording &);

// The figures of regions that have all of these sites, whatever bloats them; several may have the
// same sites. Reads the recordings once.
std::vector<found_region> regions_of(const std::vector<scope_group> &, const stack_tree &,
                                     const each_recording &);

// What of a region's memory may be there beyond its peak need: a quarter, and an inline arena's
// first buffer for each life.
constexpr std::uint64_t allowed_peak_bytes(std::uint64_t needed, std::uint64_t lives_at_once) {
    return needed + needed / 4 + lives_at_once * 4096;
}

} // namespace toft::lab
