// SPDX-License-Identifier: MIT
#pragma once

#include "percent.hpp"
#include "regions.hpp"

#include <cstdint>

// What a change would gain, as a range, from a few constants. They are nanoseconds of CPU time on
// the kind of machine that the README's tables come from: `toft bench arena pool containers --full`
// gives them anew. Their ends are what the tables' rows lie between. They are no promise for
// another machine: only a measurement of the changed program is one.
namespace toft::lab {

namespace cost {
// A malloc and a free by glibc: of few live objects, which its thread cache holds, and of many.
constexpr interval warm_pair{5, 14};
constexpr interval cold_pair{20, 48};
constexpr std::uint64_t few_objects = 100;
// How much more a pair takes there for an object of more alignment than malloc's own.
constexpr interval aligned_pair_more{12, 60};
// The same by the best of the other mallocs: what just linking it would leave.
constexpr interval best_pair{4, 9};
constexpr interval arena_object{0.8, 5}; // the tables' "reused" to "fresh", 8 to 32 bytes
constexpr interval arena_life{3, 13};    // a reset; an arena made and released
constexpr interval reap_pair{3, 8};
// By another thread than made it: glibc, the best malloc, the pool.
constexpr interval glibc_handed_on{80, 210};
constexpr interval best_handed_on{36, 54};
constexpr interval pool_handed_on{14, 26};
// What no replay shows, for each object. A cheaper pair of calls: between them the program's other
// work fills the caches and the branch predictors, which a replay has for itself. Of an arena also:
// its objects lie side by side when the program uses them; and a teardown that frees object by
// object, which can go when its frees go. Destructors do more than a loop that calls free. These
// are of the programs in docs/advice-followed.md that were changed; the calls, on two processors.
constexpr interval calls_among_others{1, 4};
constexpr interval side_by_side{0, 6};
constexpr interval teardown_in_c{1, 7};
constexpr interval teardown_in_cpp{7, 20};
constexpr double copied_byte = 0.06;
} // namespace cost

// Nanoseconds that are saved.
interval arena_gain(const found_region &, std::uint64_t freed, bool cpp);
interval reap_gain(std::uint64_t objects, std::uint64_t peak_live);
// What of these come by an aligned allocation gain so much more by either.
interval aligned_gain(std::uint64_t objects);
interval pool_gain(std::uint64_t objects);
// Beyond what a replay shows: by cheaper calls; and by an arena besides, with its objects' frees
// and without.
interval calls_beyond_replay(std::uint64_t objects);
interval arena_beyond_replay(std::uint64_t objects, std::uint64_t frees_dropped, bool cpp);
// By growths that a reserve would spare: those that moved what grew, and others.
interval reserve_gain(std::uint64_t moves, std::uint64_t in_place, std::uint64_t copied_bytes);

// What is left of a gain when the best malloc is linked anyway.
double reap_beyond_best_malloc(std::uint64_t objects);
double pool_beyond_best_malloc(std::uint64_t objects);

// A faster malloc gains nearly as much as a reap or a pool. What they gain beyond it, in percent of
// CPU time, must be worth a change of the program.
constexpr double least_beyond_best_malloc = 3;

} // namespace toft::lab
