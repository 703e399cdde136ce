// SPDX-License-Identifier: MIT
#pragma once

#include <toft/arena.h>
#include <toft/current.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

// Objects of arenas as a library makes them through its hook for memory: by <toft/current.h>, whose
// calls find the arena by a variable of the thread and put a label in front of each object. A
// program begins a use of its arena and allocates many objects in it. So does this: a thread's use
// lasts until the thread needs another arena.
namespace toft::lab::hooked_arenas {

inline toft_current_use &use_of_this_thread() {
    static thread_local toft_current_use use{};
    return use;
}

inline void end_use() {
    toft_current_use &use = use_of_this_thread();
    if (use.strategy.word != 0) toft_current_pop(use);
    use = {};
}

inline void use(toft_arena &arena) {
    const toft_strategy wanted = toft_strategy_of_arena(&arena);
    if (use_of_this_thread().strategy.word == wanted.word) return;
    end_use();
    use_of_this_thread() = toft_current_push(wanted);
}

inline void *allocate(toft_arena &arena, std::uint64_t bytes, std::size_t alignment, bool zeroed) {
    use(arena);
    void *object = alignment <= alignof(std::max_align_t)
                       ? toft_current_alloc(bytes)
                       : toft_current_alloc_aligned(bytes, alignment);
    if (object && zeroed) std::memset(object, 0, bytes);
    return object;
}

inline void *resize(toft_arena &arena, void *object, std::uint64_t bytes) {
    use(arena);
    return toft_current_resize(object, bytes);
}

inline void free(void *object) { toft_current_free(object); }

} // namespace toft::lab::hooked_arenas
