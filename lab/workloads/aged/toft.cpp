// SPDX-License-Identifier: MIT
// Toft's pool of the process; a reap that keeps the program's frees, by sizes known when it runs,
// as a program's hook for its memory would; and an arena behind the same hook, which drops them.
#include "programs.hpp"
#include "ways.hpp"

#include <toft/arena.h>
#include <toft/pool.h>
#include <toft/reap.h>

namespace toft::lab {
namespace {

constexpr const char *version = TOFT_LAB_VERSION;

struct pool_door {
    static constexpr bool on_malloc = false;
    static constexpr bool for_one_thread = false;
    static constexpr bool drops_frees = false;
    [[gnu::always_inline]] void *allocate(std::size_t size) {
        return toft_pool_alloc(toft_pool_shared(), size);
    }
    [[gnu::always_inline]] void free(void *object, std::size_t size) {
        toft_pool_free(toft_pool_shared(), object, size);
    }
    void *resize(void *object, std::size_t old_size, std::size_t size) {
        return toft_pool_resize(toft_pool_shared(), object, old_size, size);
    }
    void end_of_round() {}
};

// What malloc promises: aligned for every type that fits.
constexpr std::size_t alignment_of(std::size_t size) { return size > 8 ? 16 : 8; }

toft_reap the_reap = TOFT_REAP_INIT;

struct reap_door {
    static constexpr bool on_malloc = false;
    static constexpr bool for_one_thread = true;
    static constexpr bool drops_frees = false;
    [[gnu::always_inline]] void *allocate(std::size_t size) {
        return toft_reap_alloc(&the_reap, size, alignment_of(size));
    }
    [[gnu::always_inline]] void free(void *object, std::size_t size) {
        toft_reap_free(&the_reap, object, size, alignment_of(size));
    }
    void *resize(void *object, std::size_t old_size, std::size_t size) {
        return toft_reap_resize(&the_reap, object, old_size, size, alignment_of(size));
    }
    void end_of_round() {}
};

toft_arena the_arena = TOFT_ARENA_INIT;

struct arena_door {
    static constexpr bool on_malloc = false;
    static constexpr bool for_one_thread = true;
    static constexpr bool drops_frees = true;
    [[gnu::always_inline]] void *allocate(std::size_t size) {
        return toft_arena_alloc(&the_arena, size, alignment_of(size));
    }
    [[gnu::always_inline]] void free(void *, std::size_t) {}
    void end_of_round() { toft_arena_reset(&the_arena); }
};

template <class Door>
void age_toft(session &run) {
    run.set_version(version);
    age<Door>(run);
}

} // namespace

void age_shared_pool(session &run) { age_toft<pool_door>(run); }
void age_reap(session &run) { age_toft<reap_door>(run); }
void age_arena(session &run) { age_toft<arena_door>(run); }

} // namespace toft::lab
