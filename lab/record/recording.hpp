// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

// What `toft record` knows of one process: every call of the heap, in the order of time, with the
// stack that made it.
namespace toft::lab {

enum class heap_call : std::uint8_t { allocate, resize, free };

// The calls of all threads come in the order of their times. A free is stamped before the memory
// goes back and an allocation after it came, so two objects at one address never overlap. No call
// that failed is here, nor one that frees a null pointer: realloc(NULL, n) is an allocation, and
// what is resized to nothing is freed where the heap does so. So no address is null.
struct heap_event {
    std::uint64_t time_ns = 0;     // since the recording began
    std::uint64_t address = 0;     // of the object; after a resize its new one
    std::uint64_t old_address = 0; // of a resize: where the object was
    std::uint64_t bytes = 0;       // that were asked for; of a free: 0
    std::uint32_t alignment = 0;   // that was asked for, as the heap rounds it; 0: that of malloc
    std::uint32_t thread = 0;      // index in recording::threads
    std::uint32_t stack = 0;       // index in recording::stacks: the innermost frame
    heap_call call = heap_call::allocate;
    bool zeroed = false; // calloc
};

// A frame and the frames that called it. Two activations of a function by the same line of the same
// caller are one node. Node 0 is the root: below every thread's first frame.
struct stack_node {
    std::uint32_t parent = 0;
    std::uint32_t module = 0;   // index in recording::modules
    std::uint64_t address = 0;  // where the call returns to, as an address in the module's file
    std::uint64_t function = 0; // where the function begins, likewise; `address` when not known
};

// An executable or a library, as it was mapped.
struct recorded_module {
    std::string path;
    std::string build_id; // in hexadecimal digits; empty: it has none
    // Where the same build lay in other recordings; a single recording knows of none.
    std::vector<std::string> other_paths{};
};

struct recorded_thread {
    std::uint64_t system_id = 0;
    std::string name;
};

// What a process took of the CPU while it was recorded, without what the recorder took.
struct program_time {
    std::uint64_t least_ns = 0;
    std::uint64_t most_ns = 0;
    // Recording took nearly all of the time, so that the rest is known badly: it is no more than
    // the most, and the least is what the calls of the heap take by themselves.
    bool only_at_most = false;
};

struct recording {
    std::vector<std::string> command_line;
    std::uint64_t process_id = 0;
    std::uint64_t start_ns = 0;      // by the machine's CLOCK_MONOTONIC
    std::uint64_t duration_ns = 0;   // from then on until the process's end, as far as it is there
    std::uint64_t sampled_bytes = 0; // one object in so many bytes was followed; 0: all of them
    std::string
        incomplete; // why the end is missing, in words ("the process was killed"); empty: it isn't
    // What the recorder says of itself at the end; where that is missing, nobody knows.
    std::uint64_t events = 0;          // that were recorded
    std::uint64_t missed_events = 0;   // that weren't, mostly in signal handlers
    std::uint64_t cut_stacks = 0;      // that weren't followed to their outermost frame
    std::uint64_t switched_events = 0; // on stacks that the program turned to, as fibers do
    // Until the end, or until a moment before the process was killed; nothing where that was early.
    std::optional<program_time> time;
    std::vector<recorded_module> modules;
    std::vector<stack_node> stacks;
    std::vector<recorded_thread> threads;
    // Calls back with all events in the order of time, some thousand at a time. May be called
    // again. Throws std::runtime_error when the file is damaged before its last block, and
    // `interruption` when the lab is asked to stop meanwhile.
    std::function<void(const std::function<void(std::span<const heap_event>)> &)> for_each;

    // So many objects of the program does a recorded one stand for that has had so many bytes at
    // the most: see Sampling in docs/recording-format.md. A larger object has less weight.
    double weight_of(std::uint64_t bytes) const;
};

// The last block of a file may be missing, since the program may have died; then `incomplete` says
// so. Throws std::system_error when the file can't be read, std::runtime_error when it is none of
// ours, with words for the user.
recording read_recording(const std::string &path);

} // namespace toft::lab
