// SPDX-License-Identifier: MIT
#include "arena_lives.hpp"

#include "command.hpp"

namespace toft::lab {

std::uint32_t arena_lives::allocate(std::uint32_t group, std::uint32_t thread) {
    const std::uint64_t key = static_cast<std::uint64_t>(group) << 32 | thread;
    const auto [found, is_new] = numbers_.try_emplace(key, count());
    if (is_new) arenas_.push_back({.thread = thread});
    life &arena = arenas_[found->second];
    if (arena.living == 0 && arena.used) reset(found->second);
    ++arena.living;
    arena.used = true;
    return found->second;
}

void arena_lives::free(std::uint32_t number, moment freed) {
    life &arena = arenas_[number];
    if (freed.thread != arena.thread) arena.freed_elsewhere[freed.thread] = freed.position;
    if (--arena.living == 0 && freed.thread == arena.thread) reset(number);
}

void arena_lives::reset(std::uint32_t number) {
    life &arena = arenas_[number];
    for (const auto &[thread, position] : arena.freed_elsewhere)
        order_.wait(arena.thread, {thread, position});
    arena.freed_elsewhere.clear();
    arena.used = false;
    const std::uint64_t word = pack(opcode::arena_reset, number, 0);
    to_.add(arena.thread, {&word, 1});
    ++resets_;
}

} // namespace toft::lab
