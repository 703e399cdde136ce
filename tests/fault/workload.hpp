// SPDX-License-Identifier: MIT
// Work that needs memory again and again, for tests that refuse it at every point: whatever fails,
// everything allocated before stays valid, and the arena usable.
#ifndef TOFT_TESTS_FAULT_WORKLOAD_HPP
#define TOFT_TESTS_FAULT_WORKLOAD_HPP

#include <cstddef>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <toft/arena.h>
#include <toft/toft.hpp>

namespace toft_test {

// Counts the functions that were deferred and have not run yet.
struct pending {
    static inline int count = 0;
    static void run(void *) { count--; }
};

// In C. False when something was lost or damaged.
inline bool c_workload(toft_arena *arena) {
    struct object {
        unsigned char *memory;
        std::size_t size;
    };
    std::vector<object> live;
    auto note = [&](void *memory, std::size_t size) {
        if (memory == nullptr) return;
        live.push_back({static_cast<unsigned char *>(memory), size});
        std::memset(memory, static_cast<int>(live.size() % 251), size);
    };
    auto intact = [&] {
        for (std::size_t i = 0; i < live.size(); i++)
            for (std::size_t at : {std::size_t(0), live[i].size / 2, live[i].size - 1})
                if (live[i].memory[at] != (i + 1) % 251) return false;
        return true;
    };
    auto some_work = [&] {
        for (std::size_t size : {1u, 100u, 5000u, 70000u, 10u, 600000u, 3000u})
            note(toft_arena_alloc(arena, size, 16), size);
        note(toft_arena_calloc(arena, 10, 1000, 8), 10000);
        note(toft_arena_alloc(arena, 100, 65536), 100);
        if (toft_arena_defer(arena, pending::run, nullptr)) pending::count++;
        if (void *grown = toft_arena_alloc(arena, 50, 8)) {
            std::memset(grown, 42, 50);
            auto *copy = static_cast<char *>(toft_arena_resize(arena, grown, 50, 900000, 8));
            auto *kept = copy != nullptr ? copy : static_cast<char *>(grown);
            if (kept[0] != 42 || kept[49] != 42) return false;
            note(kept, copy != nullptr ? 900000 : 50);
        }
        return intact();
    };
    if (!some_work()) return false;
    std::size_t before = live.size();
    int pending_before = pending::count;
    toft_savepoint point = toft_arena_save(arena);
    if (!some_work()) return false;
    toft_arena_rewind(arena, point);
    live.resize(before);
    if (!intact() || pending::count != pending_before) return false;
    if (!some_work()) return false;
    toft_arena_reset(arena);
    live.clear();
    return pending::count == 0 && toft_arena_get_stats(arena).used_bytes == 0 && some_work();
}

// In C++, where failure is std::bad_alloc. Says whether there was one.
inline bool cpp_workload(toft::arena &arena) {
    try {
        using text = std::basic_string<char, std::char_traits<char>, toft::allocator<char>>;
        using entry = std::pair<const int, text>;
        std::map<int, text, std::less<int>, toft::allocator<entry>> map(arena);
        for (int i = 0; i < 100; i++) {
            arena.make<std::string>(100, 'x');
            (void)arena.make_span<std::string>(20);
            map.emplace(i, text(static_cast<std::size_t>(i) * 10, 'y', arena));
            arena.defer([owned = std::make_unique<int>(i)] {});
            toft::scope scratch(arena);
            (void)arena.make_span<std::unique_ptr<int>>(20000);
            (void)arena.copy("some text");
        }
        return false;
    } catch (const std::bad_alloc &) {
        return true;
    }
}

} // namespace toft_test

#endif
