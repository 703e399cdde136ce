// SPDX-License-Identifier: MIT
#include "arena_lives.hpp"

#include "command.hpp"

#include <algorithm>
#include <utility>

namespace toft::lab {

std::uint32_t arena_lives::allocate(std::uint32_t group, std::uint32_t thread,
                                    std::uint32_t stack) {
    const std::uint64_t key = static_cast<std::uint64_t>(group) << 32 | thread;
    const auto [found, is_new] = numbers_.try_emplace(key, count());
    if (is_new) arenas_.push_back({.thread = thread});
    life &arena = arenas_[found->second];
    if (arena.living == 0 && arena.used) reset(found->second);
    note_keepers(arena);
    ++arena.living;
    ++arena.living_of[stack];
    ++arena.made;
    ++objects_of_[stack];
    arena.used = true;
    return found->second;
}

void arena_lives::free(std::uint32_t number, std::uint32_t stack, moment freed) {
    life &arena = arenas_[number];
    if (--arena.living_of[stack] == 0) arena.living_of.erase(stack);
    if (freed.thread != arena.thread) arena.freed_elsewhere[freed.thread] = freed.position;
    if (--arena.living == 0 && freed.thread == arena.thread) reset(number);
}

void arena_lives::reset(std::uint32_t number) {
    life &arena = arenas_[number];
    for (const auto &[thread, position] : arena.freed_elsewhere)
        order_.wait(arena.thread, {thread, position});
    arena.freed_elsewhere.clear();
    arena.used = false;
    arena.made = 0;
    const std::uint64_t word = pack(opcode::arena_reset, number, 0);
    to_.add(arena.thread, {&word, 1});
    ++resets_;
}

// Before an object is made: others that go one after another may still be about to.
void arena_lives::note_keepers(life &arena) {
    constexpr std::uint64_t few = 10; // one in so many
    constexpr std::size_t most_noted = 100;
    if (arena.living == 0 || arena.made < few * arena.living) return;
    arena.made = 0;
    std::vector<std::uint32_t> stacks;
    for (const auto &[stack, living] : arena.living_of) stacks.push_back(stack);
    const auto known = times_kept_.find(stacks);
    if (known != times_kept_.end())
        ++known->second;
    else if (times_kept_.size() < most_noted)
        times_kept_.emplace(std::move(stacks), 1);
}

arena_keepers arena_lives::most_frequent_keepers() const {
    arena_keepers found;
    const auto most =
        std::ranges::max_element(times_kept_, {}, [](const auto &kept) { return kept.second; });
    if (most == times_kept_.end()) return found;
    found.times = most->second;
    for (const std::uint32_t stack : most->first) found.objects[stack] = objects_of_.at(stack);
    return found;
}

} // namespace toft::lab
