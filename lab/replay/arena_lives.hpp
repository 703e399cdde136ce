// SPDX-License-Identifier: MIT
#pragma once

#include "stream_order.hpp"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

// The arenas of a compiled program. An arena belongs to one thread, so a group of sites has one for
// each thread that allocates there; and it is reset, by that thread, when none of its objects
// lives.
namespace toft::lab {

// What kept arenas from being reset, again and again, while all others of their objects were dead.
struct arena_keepers {
    std::uint64_t times = 0;
    std::map<std::uint32_t, std::uint64_t> objects = {}; // that the stacks made, in all
};

class arena_lives {
  public:
    arena_lives(program_writer &to, stream_order &order) : to_(to), order_(order) {}

    // The number of the arena in which the thread makes its next object of that group. Objects that
    // other threads were the last to free are reset here, before the new one.
    std::uint32_t allocate(std::uint32_t group, std::uint32_t thread, std::uint32_t stack);
    void free(std::uint32_t arena, std::uint32_t stack, moment freed);
    bool belongs_to(std::uint32_t arena, std::uint32_t thread) const {
        return arenas_[arena].thread == thread;
    }

    std::uint32_t count() const { return static_cast<std::uint32_t>(arenas_.size()); }
    std::uint64_t resets() const { return resets_; }
    arena_keepers most_frequent_keepers() const;

  private:
    struct life {
        std::uint32_t thread = 0;
        std::uint64_t living = 0;
        bool used = false;      // since its last reset
        std::uint64_t made = 0; // since that, or since a few objects were seen to keep it from one
        std::map<std::uint32_t, std::uint64_t> living_of = {}; // by the stacks that made them
        std::unordered_map<std::uint32_t, std::uint64_t> freed_elsewhere = {}; // position by thread
    };
    void reset(std::uint32_t arena);
    void note_keepers(life &);

    program_writer &to_;
    stream_order &order_;
    std::vector<life> arenas_;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers_; // by group and thread
    std::uint64_t resets_ = 0;
    std::map<std::uint32_t, std::uint64_t> objects_of_;              // by stack
    std::map<std::vector<std::uint32_t>, std::uint64_t> times_kept_; // by the stacks of what lived
};

} // namespace toft::lab
