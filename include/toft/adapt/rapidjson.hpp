// SPDX-License-Identifier: MIT
// RapidJSON's memory: its allocator concept over an arena, the shared pool, and what is current.
//
//     toft::arena arena;
//     toft::rapidjson_arena_allocator allocator(arena); // or allocator(&arena), with a toft_arena
//     rapidjson::GenericDocument<rapidjson::UTF8<>, toft::rapidjson_arena_allocator,
//                                toft::rapidjson_pool_allocator> document(&allocator);
//     document.Parse(text); // values in the arena, the parser's stack on the pool
//
// In an arena, nothing is freed alone: the document's end does nothing, and the arena's reset frees
// all. The other two free each value. Failure is nullptr, as RapidJSON has it. Threads: as the
// strategy. This header includes nothing of RapidJSON's.
#ifndef TOFT_ADAPT_RAPIDJSON_HPP
#define TOFT_ADAPT_RAPIDJSON_HPP

#include <cstddef>

#include <toft/arena.hpp>
#include <toft/current.h>
#include <toft/detail/cpp20.hpp>
#include <toft/malloc.h>

#ifdef TOFT_CPP20

namespace toft {

class rapidjson_arena_allocator {
  public:
    static constexpr bool kNeedFree = false;

    rapidjson_arena_allocator() noexcept : own_(), arena_(own_.c_arena()) {} // an arena of its own
    explicit rapidjson_arena_allocator(arena_owner auto &owner) noexcept
        : rapidjson_arena_allocator(owner.c_arena()) {}
    explicit rapidjson_arena_allocator(toft_arena *arena) noexcept : own_(), arena_(arena) {}
    explicit rapidjson_arena_allocator(std::nullptr_t) = delete;
    rapidjson_arena_allocator(const rapidjson_arena_allocator &) = delete;
    rapidjson_arena_allocator &operator=(const rapidjson_arena_allocator &) = delete;

    void *Malloc(std::size_t size) noexcept {
        return size == 0 ? nullptr : toft_arena_alloc(arena_, size, 8);
    }
    void *Realloc(void *object, std::size_t old_size, std::size_t new_size) noexcept {
        return new_size == 0 ? nullptr : toft_arena_resize(arena_, object, old_size, new_size, 8);
    }
    static void Free(void *) noexcept {}

  private:
    arena own_;
    toft_arena *arena_;
};

class rapidjson_pool_allocator {
  public:
    static constexpr bool kNeedFree = true;

    void *Malloc(std::size_t size) noexcept {
        return size == 0 ? nullptr : toft_pool_alloc(toft_pool_shared(), size);
    }
    void *Realloc(void *object, std::size_t, std::size_t new_size) noexcept {
        if (new_size != 0) return toft_pool_resize_any(toft_pool_shared(), object, new_size);
        Free(object);
        return nullptr;
    }
    static void Free(void *object) noexcept { toft_pool_free_any(toft_pool_shared(), object); }
};

class rapidjson_current_allocator {
  public:
    static constexpr bool kNeedFree = true;

    void *Malloc(std::size_t size) noexcept {
        return size == 0 ? nullptr : toft_current_alloc(size);
    }
    void *Realloc(void *object, std::size_t, std::size_t new_size) noexcept {
        return object == nullptr ? Malloc(new_size) : toft_current_resize(object, new_size);
    }
    static void Free(void *object) noexcept { toft_current_free(object); }
};

} // namespace toft

#endif // TOFT_CPP20
#endif
