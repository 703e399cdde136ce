// SPDX-License-Identifier: MIT
#pragma once

#include "program.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>
#include <stdexcept>
#include <toft/arena.h>
#include <toft/pool.h>
#include <toft/reap.h>

// Where a library's memory may come from. Each is a type of the same shape. It has no objects: a
// process measures one of them, and many hooks have no context.
//
//     struct memory {
//         static constexpr memory_kind kind;
//         static constexpr bool drops_frees;
//         static void *allocate(std::size_t size);             // NULL when out of memory
//         static void free(void *, std::size_t size);          // for hooks that tell the size
//         static void *resize(void *, std::size_t old_size, std::size_t new_size);
//         static void end();                                   // no object is used any more
//     };
//
// Objects are aligned to 8, as strongly as any that these libraries make.
namespace toft::lab {

inline constexpr std::size_t hook_alignment = 8;

// A hook isn't set for it. Its functions are for code that has no default of its own.
struct heap_memory {
    static constexpr memory_kind kind = memory_kind::heap;
    static constexpr bool drops_frees = false;
    static void *allocate(std::size_t size) { return std::malloc(size); }
    static void free(void *object, std::size_t) { std::free(object); }
    static void *resize(void *object, std::size_t, std::size_t new_size) {
        return std::realloc(object, new_size);
    }
    static void end() {}
};

// The pool of the process.
struct pool_memory {
    static constexpr memory_kind kind = memory_kind::pool;
    static constexpr bool drops_frees = false;
    static toft_pool *pool() { return toft_pool_shared(); }
    static void *allocate(std::size_t size) { return toft_pool_alloc(pool(), size); }
    static void free(void *object, std::size_t size) { toft_pool_free(pool(), object, size); }
    static void *resize(void *object, std::size_t old_size, std::size_t new_size) {
        return toft_pool_resize(pool(), object, old_size, new_size);
    }
    static void end() {}
};

// A pool of its own for each document, state or context, whose end frees all.
struct dropping_pool_memory {
    static constexpr memory_kind kind = memory_kind::pool;
    static constexpr bool drops_frees = true;
    static inline toft_pool *own = nullptr;
    static toft_pool *pool() {
        if (!own) own = toft_pool_create(nullptr);
        if (!own) throw std::bad_alloc();
        return own;
    }
    static void *allocate(std::size_t size) { return toft_pool_alloc(pool(), size); }
    static void free(void *object, std::size_t size) { toft_pool_free(pool(), object, size); }
    static void *resize(void *object, std::size_t old_size, std::size_t new_size) {
        return toft_pool_resize(pool(), object, old_size, new_size);
    }
    static void end() {
        toft_pool_destroy(own);
        own = nullptr;
    }
};

template <bool DropsFrees>
struct reap_memory {
    static constexpr memory_kind kind = memory_kind::reap;
    static constexpr bool drops_frees = DropsFrees;
    static inline toft_reap reap = TOFT_REAP_INIT;
    static void *allocate(std::size_t size) { return toft_reap_alloc(&reap, size, hook_alignment); }
    static void free(void *object, std::size_t size) {
        toft_reap_free(&reap, object, size, hook_alignment);
    }
    static void *resize(void *object, std::size_t old_size, std::size_t new_size) {
        return toft_reap_resize(&reap, object, old_size, new_size, hook_alignment);
    }
    static void end() {
        if (DropsFrees) toft_reap_reset(&reap);
    }
};

// It can't reuse what is freed: where a program keeps its frees, they are calls that do nothing.
template <bool DropsFrees>
struct arena_memory {
    static constexpr memory_kind kind = memory_kind::arena;
    static constexpr bool drops_frees = DropsFrees;
    static inline toft_arena arena = TOFT_ARENA_INIT;
    static void *allocate(std::size_t size) {
        return toft_arena_alloc(&arena, size, hook_alignment);
    }
    static void free(void *, std::size_t) {}
    static void *resize(void *object, std::size_t old_size, std::size_t new_size) {
        return toft_arena_resize(&arena, object, old_size, new_size, hook_alignment);
    }
    static void end() { toft_arena_reset(&arena); }
};

// malloc's shape, for hooks that free and resize without a size. The pool knows its objects' sizes.
// For a reap or an arena, 8 bytes in front of each object keep its size.
template <class Memory>
struct sizeless {
    static constexpr std::size_t header_bytes = sizeof(std::size_t);
    static void *with_header(void *memory, std::size_t size) {
        if (!memory) return nullptr;
        auto *header = static_cast<std::size_t *>(memory);
        *header = size;
        return header + 1;
    }
    static bool is_too_large(std::size_t size) {
        return size > std::numeric_limits<std::size_t>::max() - header_bytes;
    }
    static std::size_t size_of(const void *object) {
        return *(static_cast<const std::size_t *>(object) - 1);
    }

    static void *allocate(std::size_t size) {
        if constexpr (Memory::kind == memory_kind::heap || Memory::kind == memory_kind::pool)
            return Memory::allocate(size);
        else
            return is_too_large(size) ? nullptr
                                      : with_header(Memory::allocate(size + header_bytes), size);
    }
    static void free(void *object) {
        if constexpr (Memory::kind == memory_kind::heap)
            std::free(object);
        else if constexpr (Memory::kind == memory_kind::pool)
            toft_pool_free_any(Memory::pool(), object);
        else if (object)
            Memory::free(static_cast<std::size_t *>(object) - 1, size_of(object) + header_bytes);
    }
    static void *resize(void *object, std::size_t size) {
        if constexpr (Memory::kind == memory_kind::heap) return std::realloc(object, size);
        if constexpr (Memory::kind == memory_kind::pool)
            return toft_pool_resize_any(Memory::pool(), object, size);
        if (!object) return allocate(size);
        if (is_too_large(size)) return nullptr;
        return with_header(Memory::resize(static_cast<std::size_t *>(object) - 1,
                                          size_of(object) + header_bytes, size + header_bytes),
                           size);
    }
};

// The allocator of a container.
template <class T, class Memory>
struct container_allocator {
    using value_type = T;
    container_allocator() = default;
    template <class U>
    container_allocator(const container_allocator<U, Memory> &) noexcept {}

    T *allocate(std::size_t count) {
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
        void *memory = Memory::allocate(count * sizeof(T));
        if (!memory) throw std::bad_alloc();
        return static_cast<T *>(memory);
    }
    void deallocate(T *objects, std::size_t count) noexcept {
        Memory::free(objects, count * sizeof(T));
    }
    bool operator==(const container_allocator &) const { return true; }
};

// The program for the memory that is chosen.
template <template <class> class Program>
std::unique_ptr<program> make_program(const program_choice &chosen) {
    const bool drops = chosen.drops_frees;
    switch (chosen.memory) {
    case memory_kind::heap:
        if (drops) break;
        return std::make_unique<Program<heap_memory>>(chosen);
    case memory_kind::pool:
        if (drops) return std::make_unique<Program<dropping_pool_memory>>(chosen);
        return std::make_unique<Program<pool_memory>>(chosen);
    case memory_kind::reap:
        if (drops) return std::make_unique<Program<reap_memory<true>>>(chosen);
        return std::make_unique<Program<reap_memory<false>>>(chosen);
    case memory_kind::arena:
        if (drops) return std::make_unique<Program<arena_memory<true>>>(chosen);
        return std::make_unique<Program<arena_memory<false>>>(chosen);
    }
    throw std::logic_error("malloc has nothing that frees all at once");
}

// "1.7.15" of three macros that stand for numbers.
#define TOFT_LAB_NUMBER_TEXT(number) #number
#define TOFT_LAB_VERSION_PART(macro) TOFT_LAB_NUMBER_TEXT(macro)
#define TOFT_LAB_VERSION_TEXT(major, minor, patch)                                                 \
    TOFT_LAB_VERSION_PART(major) "." TOFT_LAB_VERSION_PART(minor) "." TOFT_LAB_VERSION_PART(patch)

// Defines the symbol of a module.
#define TOFT_LAB_PROGRAM(version, make)                                                            \
    extern "C" [[gnu::visibility("default")]] const toft::lab::program_module *toft_program() {    \
        static const toft::lab::program_module module = {version, make};                           \
        return &module;                                                                            \
    }

} // namespace toft::lab
