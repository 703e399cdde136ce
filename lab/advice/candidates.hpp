// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "places.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

// Everything that could be advised, with its figures; no choice among them yet.
namespace toft::lab {

// What is known of the program.
struct findings {
    const stack_tree &tree;
    const lifetimes &all;
    const std::vector<found_region> &regions;
    interval processor_ns; // that the program takes
    bool is_cut = false;   // a recording has no end: what lived then may die, or not
    // Sites whose objects the C library resizes, as getline() does: they must be malloc's.
    const std::set<std::uint32_t> &of_library;
};

std::vector<advice> candidates_of(const findings &, places &);

// The figures of a site, or of a line, to those of others.
template <class Figures>
void add(made_objects &to, const Figures &more) {
    to.smallest = to.objects == 0 ? more.smallest : std::min(to.smallest, more.smallest);
    to.largest = std::max(to.largest, more.largest);
    to.objects += more.objects;
    to.bytes += more.bytes;
    to.zeroed += more.zeroed;
    to.alignment = std::max(to.alignment, more.alignment);
}

// Whether its objects go all at once, so that nothing frees them any more.
inline bool goes_at_once(const advice &a) {
    return a.what == remedy::arena || a.what == remedy::inline_buffer;
}

// The region's peak may come at another time than the program's; then nothing is saved, or lost.
interval peak_percent_of(std::uint64_t arena_peak_bytes, std::uint64_t malloc_peak_bytes,
                         const findings &);

// Takes lines in the order in which they will be told. Objects that one of them says what to do
// with, or to leave, aren't told again to be left. What others of a line's sites make stays in it.
void leave_once(std::vector<advice> &, const findings &, places &);

// Those of a site's objects that outlive the region in its call at this depth, or a life of it.
escaping_count outliving(const advice &, std::uint32_t site, const site_lifetimes &,
                         std::uint32_t depth);

// Objects below the advice's function that outlive it: fills its escapes. Those of advice to leave
// objects are among these; others live longer for reasons of their own.
void add_escapes(advice &, const findings &, places &);
// A line of the text that frees objects, and how many of each site.
struct freeing_line {
    source_place place;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> objects_of;
};
std::vector<freeing_line> freeing_lines(const findings &, places &);
// Those that free what is to go at once.
void add_frees(advice &, const std::vector<freeing_line> &);
// What makes objects in lines and on ways that read alike, as instances of a template do, is told
// as one line. Nothing asks for the instances after this.
void merge_alike_makers(advice &);
// Leaves the lines that make the most objects, and counts the others.
void shorten_makers(advice &);
// The most first, with one that is told of the most bytes.
void put_makers_in_order(std::vector<made_objects> &);

} // namespace toft::lab
