// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// A recorded program's heap work, compiled for being replayed: each thread has a stream of words.
// The objects have numbers, which are used again after a free, so that the replayer finds an
// object's address in an array.
//
//     bits   63..60   59..32                        31..0
//            opcode   slot, thread, or arena        bytes
//
// Some commands have words behind them:
//
//     allocate_aligned   alignment
//     arena_allocate     placement_word
//     arena_resize       placement_word, bytes before
//     pool_allocate      placement_word
//     pool_resize        bytes before, alignment before
//     pool_free_aligned  alignment
//     wait               position: how many heap calls of that thread must be done
//
// Sizes from 4 GiB on have a word `large` before their command, with their upper half.
namespace toft::lab {

enum class opcode : std::uint8_t {
    allocate,
    allocate_zeroed,
    allocate_aligned,
    resize,
    free,
    arena_allocate,
    arena_resize,
    arena_free,
    arena_reset,
    pool_allocate,
    pool_resize,
    pool_free,
    wait,
    start, // a thread
    large,
    pool_free_aligned, // of an alignment beyond malloc's
};

inline constexpr std::uint32_t most_slots = 1U << 28;
inline constexpr std::uint32_t longest_command_words = 4;

struct command {
    opcode what;
    std::uint32_t slot;
    std::uint32_t bytes;
};

inline std::uint64_t pack(opcode what, std::uint32_t slot, std::uint64_t bytes) {
    return static_cast<std::uint64_t>(what) << 60 | static_cast<std::uint64_t>(slot) << 32 |
           (bytes & 0xffff'ffffU);
}

inline command unpack(std::uint64_t word) {
    return {static_cast<opcode>(word >> 60), static_cast<std::uint32_t>(word >> 32) % most_slots,
            static_cast<std::uint32_t>(word)};
}

// How an object of a chosen site is made. A pool doesn't look at the arena.
struct placement_word {
    std::uint32_t arena = 0;
    bool zeroed = false;
    std::uint32_t alignment = 0; // 0: malloc's

    std::uint64_t packed() const {
        return static_cast<std::uint64_t>(alignment) << 32 |
               static_cast<std::uint64_t>(zeroed) << 31 | arena;
    }
    static placement_word of(std::uint64_t word) {
        return {static_cast<std::uint32_t>(word & 0x7fff'ffffU), (word >> 31 & 1) != 0,
                static_cast<std::uint32_t>(word >> 32)};
    }
};

} // namespace toft::lab
