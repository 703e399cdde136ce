// SPDX-License-Identifier: MIT
#pragma once

#include "lifetimes.hpp"
#include "regions.hpp"
#include "result/compared.hpp"
#include "stack_tree.hpp"
#include "symbols.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// What a programmer could change, best first.
namespace toft::lab {

// As many lines that make objects as a person reads. JSON and the page have more of them.
inline constexpr std::size_t told_lines = 5;

enum class remedy { leave, arena, reap, pool, inline_buffer, reserve };

// Objects that one line of the program makes.
struct made_objects {
    source_place by;               // the innermost function that isn't a malloc's wrapper
    std::uint32_t node = 0;        // of the tree, where that is
    std::vector<source_place> way; // from there to the heap, innermost first; empty: directly
    std::uint64_t objects = 0, bytes = 0, smallest = 0, largest = 0;
    std::uint64_t zeroed = 0;    // of the objects: calloc made them
    std::uint32_t alignment = 0; // the largest that was asked for; 0: that of malloc
};

// Objects that are made below the advised function and outlive it: they must stay where they are.
struct escaping_objects {
    made_objects made;
    std::uint64_t escaping = 0;
    source_place freed_by;  // most of those that escape; no function: they aren't freed
    bool at_least = false;  // calls that look like one may hide more of them
    bool same_line = false; // it makes advised objects too, on another way
};

// What a replay of the recording says, or a rehearsal in the program, with the change made: percent
// of CPU time that are gained. The last two are there where a strategy allows them.
struct replayed_change {
    interval frees_kept{0, 0};             // each free still visits its object, by no call
    std::optional<interval> frees_hooked;  // objects come and go by calls of a library's hook
    std::optional<interval> frees_dropped; // the teardown is dropped
    // What the replay can't tell from nothing, and what such objects can gain at most: percent too.
    double noise_percent = 0, most_percent = 100;
    bool in_program = false; // these objects were in an arena in runs of the program
};

// What was left out of an arena because it comes and goes one by one, so that the arena would keep
// its dead: with it in the arena too, the program may be faster still, for more memory.
struct left_out_objects {
    unsigned number = 0; // of the advice that is about them; 0: none is
    std::uint64_t objects = 0;
    interval peak_percent{0, 0};             // of the program's peak memory, that is saved then
    std::optional<replayed_change> replayed; // of the program's time, that is gained then
    bool worth_its_memory = false; // it gains more than the arena without them, or a malloc
    std::vector<std::uint32_t> sites;
};

// What linking another malloc gains, and nothing else changed.
struct malloc_gain {
    std::string name;
    interval cpu_percent{0, 0};  // that is gained; below 0: lost
    interval peak_percent{0, 0}; // of the peak memory that is saved; below 0: lost
    std::string setting = {};    // "VAR=VALUE" that takes the place of linking; empty: none
    bool measured = false;       // by runs of the program; else it is predicted by replays
    double most_percent = 100;   // of a predicted one: what the heap work takes of the program
};

struct advice {
    unsigned number = 0; // names it; the same in each run, whatever replays find
    remedy what = remedy::leave;
    std::string why;
    source_place scope; // the function in which all of them die; none: the program's end
    source_place end;   // the line of it in which most of them do
    std::uint64_t objects = 0, bytes = 0, smallest = 0, largest = 0;
    std::uint64_t zeroed = 0;    // of the objects: calloc made them
    std::uint32_t alignment = 0; // the largest that was asked for; 0: that of malloc
    std::uint64_t lives = 0, most_in_a_life = 0, most_bytes_in_a_life = 0;
    // That the scope had and were seen: fewer than the lives, and there is a loop. Of the program's
    // whole life there are as many as threads that made such objects, in all recordings.
    std::uint64_t calls = 0;
    bool by_thread = false; // several threads have it for their whole life, each its own
    std::uint64_t never_freed = 0;
    std::uint64_t growths = 0;     // resizes, and vectors that grew
    std::uint64_t resizes = 0;     // realloc's, and its like
    bool grows_until_exit = false; // made all the time, and hardly one freed: a leak?
    interval cpu_percent{0, 0};    // that is gained, whether the frees stay or go
    interval peak_percent{0, 0};   // of the program's peak memory that is saved; below 0: lost
    bool cpp = false;              // a region that C++ code makes, whose teardown runs destructors
    bool in_library = false; // most objects are made by a shared library, maybe through its hook
    // The few wrappers of malloc through which many lines make the objects, how many of these come
    // on another way, and the other objects that come through the wrappers, or from that library,
    // while the region lives.
    std::vector<source_place> wrappers;
    std::uint64_t beside_hook = 0;
    std::uint64_t others_by_hook = 0, other_bytes_by_hook = 0;
    std::uint64_t others_outliving = 0;     // of those, the region's call: of a library's only
    std::uint64_t others_of_lines = 0;      // without a hook: what the same lines make there too
    std::vector<std::uint32_t> other_sites; // of the hook's others, or of the lines'
    std::optional<interval> peak_percent_with_others; // as peak_percent; none: there are no others
    double others_percent = 0;               // that they save of the peak besides, by the model
    std::optional<replayed_change> replayed; // of the first few lines, where there was time
    // Why the program wasn't run with these objects in an arena, as the end of a sentence; empty:
    // it was, or this isn't the first arena, or there was no program.
    std::string not_in_program;
    std::optional<left_out_objects> left_out; // of an arena, where its memory has a bound
    std::uint64_t region_peak_bytes = 0, malloc_peak_bytes = 0;
    std::uint64_t most_at_once = 0; // objects that lives of a region have made while they went on
    // The most first, a hundred at most; the line that makes the most bytes is among those told.
    std::vector<made_objects> made;
    std::uint64_t more_makers = 0; // lines that make some, besides
    // Where they go into an arena or a buffer: the lines that free the most, three at most, and how
    // many others there are. What one stack made and one call saw die counts for one line, which
    // freed the most of it.
    std::vector<source_place> freed_by;
    std::uint64_t more_freeing = 0;
    bool frees_others = false;  // some of these lines free other objects too, here or elsewhere
    std::uint64_t escaping = 0; // objects
    // More than these: calls of the function may look like one, in which an object that one of them
    // leaves to the next seems to die.
    bool may_escape_unseen = false;
    std::vector<escaping_objects> escapes; // the most first, a hundred at most
    std::uint64_t more_escapes = 0;        // lines that make others of them, besides
    std::string sketch;
    std::vector<std::uint32_t> sites; // nodes of the tree, for those who replay or check it
    // Objects of other sites that one life of the region leaves to the next, by site.
    std::map<std::uint32_t, escaping_count> left_over;
    std::uint32_t function = 0; // the region's, likewise
    unsigned reason_rank = 1;   // of the reasons to leave the same objects, the least is told
};

// Whether the objects can be placed all at once by what calls malloc for them.
inline bool has_hook(const advice &a) {
    return a.what == remedy::arena && (a.in_library || !a.wrappers.empty());
}

// Each object of malloc has this, asked for or not.
inline constexpr std::uint32_t malloc_alignment = 16;

// What the objects of one life need at most, with room before each for its alignment.
inline std::uint64_t room_for_a_life(const advice &a) {
    return a.most_bytes_in_a_life +
           (a.alignment > malloc_alignment ? a.most_in_a_life * a.alignment : 0);
}

struct advice_report {
    std::string program;
    std::uint64_t recordings = 0, events = 0, objects = 0, threads = 0, peak_live_bytes = 0;
    interval processor_seconds{0, 0}; // that all its recorded runs took together
    double region_percent = 0;        // of all objects, that arenas of some objects could take
    bool leave_it = false;            // there are objects, and no change gains more than noise
    bool sampled = false;             // objects and peak_live_bytes are estimates
    std::vector<std::string> remarks; // such as: a recording's end is missing
    std::vector<std::string> notes;   // of what was done, which casts no doubt on the advice
    std::vector<advice> lines;        // the best first, ten at most
    std::vector<malloc_gain> mallocs; // the best first; filled in after advise()
    bool malloc_first = false;        // the best gains for sure, and by its middle the most
    bool malloc_beyond_all = false;   // and at its least, more than any line at its best
    std::string replay_left_out;      // why there are none; empty: there are
    // By recording: the tree's nodes of its stacks, and what it took.
    std::vector<std::vector<std::uint32_t>> nodes;
    std::vector<interval> seconds_of_recordings;
    std::vector<std::uint64_t> events_of_recordings;
};

// The advice that is printed with this number. Null: there is none.
const advice *advice_of_number(const advice_report &, unsigned number);

// `processor_seconds`: what the runs took together, where it is known better than from recordings.
// Throws `interruption` when the lab is asked to stop.
advice_report advise(const std::vector<recording> &, const program_symbols &,
                     std::optional<double> processor_seconds = std::nullopt);

} // namespace toft::lab
