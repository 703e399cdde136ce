// SPDX-License-Identifier: MIT
#pragma once

#include "hooked_arenas.hpp"
#include "placed_frees.hpp"

#include <toft/arena.h>
#include <toft/pool.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

// What a replay can run on. They have the same members, and execution.hpp is a template over them,
// so that neither costs a call more than the other.
namespace toft::lab {

// This process's malloc, and Toft's strategies for chosen sites. An allocation that fails is null.
class real_heap {
  public:
    real_heap(std::uint32_t arenas, placed_frees frees)
        : arenas_(std::make_unique<toft_arena[]>(arenas)),
          frees_(frees) {
        for (std::uint32_t i = 0; i != arenas; ++i) toft_arena_init(&arenas_[i], nullptr);
        count_ = arenas;
    }
    ~real_heap() {
        // The threads of a replay have ended, but for this one.
        if (frees_ == placed_frees::hooked) hooked_arenas::end_use();
        for (std::uint32_t i = 0; i != count_; ++i) toft_arena_release(&arenas_[i]);
    }
    real_heap(const real_heap &) = delete;
    real_heap &operator=(const real_heap &) = delete;

    static constexpr std::uint64_t mask = ~std::uint64_t{0};

    char *allocate(std::uint32_t, std::uint64_t bytes) { return of(std::malloc(bytes)); }
    char *allocate_zeroed(std::uint32_t, std::uint64_t bytes) { return of(std::calloc(1, bytes)); }
    char *allocate_aligned(std::uint32_t, std::uint64_t bytes, std::uint64_t alignment) {
        void *object = nullptr;
        if (posix_memalign(&object, std::max(alignment, sizeof(void *)), bytes) != 0)
            return nullptr;
        return of(object);
    }
    char *resize(std::uint32_t, char *object, std::uint64_t bytes) {
        return of(std::realloc(object, bytes));
    }
    void free(char *object) { std::free(object); }

    char *arena_allocate(std::uint32_t, std::uint64_t bytes, std::uint32_t arena,
                         std::uint32_t alignment, bool zeroed) {
        if (frees_ == placed_frees::hooked)
            return of(hooked_arenas::allocate(arenas_[arena], bytes, aligned(alignment), zeroed));
        void *object = toft_arena_alloc(&arenas_[arena], bytes, aligned(alignment));
        if (object && zeroed) std::memset(object, 0, bytes);
        return of(object);
    }
    char *arena_resize(std::uint32_t, std::uint32_t arena, char *object, std::uint64_t before,
                       std::uint64_t bytes) {
        if (frees_ == placed_frees::hooked)
            return of(hooked_arenas::resize(arenas_[arena], object, bytes));
        return of(
            toft_arena_resize(&arenas_[arena], object, before, bytes, alignof(std::max_align_t)));
    }
    bool arena_frees_kept() const { return frees_ != placed_frees::dropped; }
    void arena_free(char *object) {
        if (frees_ == placed_frees::hooked) hooked_arenas::free(object);
    }
    void arena_reset(std::uint32_t arena) { toft_arena_reset(&arenas_[arena]); }

    char *pool_allocate(std::uint32_t, std::uint64_t bytes, std::uint32_t alignment, bool zeroed) {
        void *object = is_beyond_malloc(alignment)
                           ? toft_pool_alloc_aligned(toft_pool_shared(), bytes, alignment)
                           : toft_pool_alloc(toft_pool_shared(), bytes);
        if (object && zeroed) std::memset(object, 0, bytes);
        return of(object);
    }
    char *pool_resize(std::uint32_t slot, char *object, std::uint64_t before, std::uint64_t bytes,
                      std::uint64_t alignment_before) {
        char *larger = pool_allocate(slot, bytes, 0, false);
        if (!larger) return nullptr;
        std::memcpy(larger, object, std::min(before, bytes));
        pool_free(object, before, alignment_before);
        return larger;
    }
    void pool_free(char *object, std::uint64_t bytes, std::uint64_t alignment) {
        if (is_beyond_malloc(alignment))
            toft_pool_free_aligned(toft_pool_shared(), object, bytes, alignment);
        else
            toft_pool_free(toft_pool_shared(), object, bytes);
    }

  private:
    static char *of(void *object) { return static_cast<char *>(object); }
    static bool is_beyond_malloc(std::uint64_t alignment) {
        return alignment > alignof(std::max_align_t);
    }
    static std::size_t aligned(std::uint32_t alignment) {
        return alignment == 0 ? alignof(std::max_align_t) : alignment;
    }

    std::unique_ptr<toft_arena[]> arenas_;
    std::uint32_t count_ = 0;
    const placed_frees frees_;
};

// No heap at all: an object's address follows from its number. What a replay on it costs is the
// replayer's own.
class no_heap {
  public:
    explicit no_heap(placed_frees frees) : frees_(frees) {}

    static constexpr std::uint64_t mask = 0xfff;

    char *allocate(std::uint32_t slot, std::uint64_t) {
        return part() + std::size_t{slot % places} * 64;
    }
    char *allocate_zeroed(std::uint32_t slot, std::uint64_t) { return allocate(slot, 0); }
    char *allocate_aligned(std::uint32_t slot, std::uint64_t, std::uint64_t) {
        return allocate(slot, 0);
    }
    char *resize(std::uint32_t slot, char *, std::uint64_t) { return allocate(slot, 0); }
    void free(char *) {}
    char *arena_allocate(std::uint32_t slot, std::uint64_t, std::uint32_t, std::uint32_t, bool) {
        return allocate(slot, 0);
    }
    char *arena_resize(std::uint32_t slot, std::uint32_t, char *, std::uint64_t, std::uint64_t) {
        return allocate(slot, 0);
    }
    bool arena_frees_kept() const { return frees_ != placed_frees::dropped; }
    void arena_free(char *) {}
    void arena_reset(std::uint32_t) {}
    char *pool_allocate(std::uint32_t slot, std::uint64_t, std::uint32_t, bool) {
        return allocate(slot, 0);
    }
    char *pool_resize(std::uint32_t slot, char *, std::uint64_t, std::uint64_t, std::uint64_t) {
        return allocate(slot, 0);
    }
    void pool_free(char *, std::uint64_t, std::uint64_t) {}

  private:
    static constexpr std::uint32_t places = 64;
    static constexpr std::size_t part_bytes = (mask + 1) + std::size_t{places} * 64;
    static constexpr std::size_t parts = 64;

    // Threads that wrote to the same would wait for each other, which is no cost of a replay. A
    // part outlives its thread: others may read the objects.
    static char *part() {
        if (!part_) part_ = memory_.data() + next_part_++ % parts * part_bytes;
        return part_;
    }

    const placed_frees frees_;
    static inline std::array<char, parts * part_bytes> memory_{};
    static inline std::atomic<std::size_t> next_part_ = 0;
    static inline constinit thread_local char *part_ = nullptr;
};

} // namespace toft::lab
