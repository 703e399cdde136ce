// SPDX-License-Identifier: MIT
// What RapidJSON's tests get in place of its two allocators: for CrtAllocator the shared pool, with
// the size in front of each block, since it frees without one; for MemoryPoolAllocator an arena.
// Included at the end of a copy of its allocators.h.
#ifndef TOFT_TESTS_FOREIGN_RAPIDJSON_ALLOCATORS_HPP
#define TOFT_TESTS_FOREIGN_RAPIDJSON_ALLOCATORS_HPP

#include <cstring>

#include <toft/arena.hpp>
#include <toft/pool.hpp>

RAPIDJSON_NAMESPACE_BEGIN

class CrtAllocator {
  public:
    static const bool kNeedFree = true;
    void *Malloc(std::size_t size) {
        if (size == 0) return nullptr;
        void *block = toft_pool_alloc_aligned(toft_pool_shared(), header_bytes + size, 16);
        if (block == nullptr) return nullptr;
        std::memcpy(block, &size, sizeof size);
        return static_cast<char *>(block) + header_bytes;
    }
    void *Realloc(void *object, std::size_t, std::size_t new_size) {
        void *moved = Malloc(new_size);
        if (object != nullptr && moved != nullptr) {
            const std::size_t old_size = size_of(object);
            std::memcpy(moved, object, old_size < new_size ? old_size : new_size);
        }
        if (moved != nullptr || new_size == 0) Free(object);
        return moved;
    }
    static void Free(void *object) {
        if (object == nullptr) return;
        toft_pool_free_aligned(toft_pool_shared(), static_cast<char *>(object) - header_bytes,
                               header_bytes + size_of(object), 16);
    }

  private:
    static constexpr std::size_t header_bytes = 16;
    static std::size_t size_of(void *object) {
        std::size_t size;
        std::memcpy(&size, static_cast<char *>(object) - header_bytes, sizeof size);
        return size;
    }
};

// The base allocator, which makes no difference to an arena, is taken and left alone.
template <class BaseAllocator = CrtAllocator>
class MemoryPoolAllocator {
  public:
    static const bool kNeedFree = false;
    explicit MemoryPoolAllocator(std::size_t chunk_bytes = 64 << 10, BaseAllocator * = nullptr)
        : arena_({.chunk_bytes = chunk_bytes}) {}
    MemoryPoolAllocator(void *buffer, std::size_t bytes, std::size_t chunk_bytes = 64 << 10,
                        BaseAllocator * = nullptr)
        : arena_(
              {.first_buffer = buffer, .first_buffer_bytes = bytes, .chunk_bytes = chunk_bytes}) {}

    void Clear() { arena_.release(); }
    std::size_t Capacity() const { return arena_.stats().reserved_bytes; }
    std::size_t Size() const { return arena_.stats().used_bytes; }
    void *Malloc(std::size_t size) { return size == 0 ? nullptr : arena_.try_allocate(size, 8); }
    void *Realloc(void *object, std::size_t old_size, std::size_t new_size) {
        if (new_size == 0) return nullptr;
        return toft_arena_resize(arena_.c_arena(), object, old_size, new_size, 8);
    }
    static void Free(void *) {}

  private:
    toft::arena arena_;
};

RAPIDJSON_NAMESPACE_END

#endif
