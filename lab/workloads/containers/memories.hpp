// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <toft/toft.hpp>

// What the containers of this suite live on. Each is made anew for every round:
//
//     struct memory {
//         memory(std::span<std::byte> stack, bool counted);
//         template <class T> using allocator = ...;
//         template <class T> allocator<T> get();
//     };
//
// A memory that is called "stack" begins in a buffer on the thread's stack. The others take a first
// buffer of the same size from the heap, or whatever they take by themselves. In a counted run,
// Toft's memories take their chunks from malloc, so that these are counted as everyone's are.
namespace toft::lab {

struct heap_memory {
    heap_memory(std::span<std::byte>, bool) {}
    template <class T>
    using allocator = std::allocator<T>;
    template <class T>
    allocator<T> get() {
        return {};
    }
};

enum class place { heap, stack };

template <place Place>
class pmr_buffer : public std::pmr::monotonic_buffer_resource {
  public:
    explicit pmr_buffer(std::span<std::byte> stack)
        requires(Place == place::heap)
        : monotonic_buffer_resource(stack.size()) {}
    explicit pmr_buffer(std::span<std::byte> stack)
        requires(Place == place::stack)
        : monotonic_buffer_resource(stack.data(), stack.size()) {}
};

struct pmr_memory {
    template <class T>
    using allocator = std::pmr::polymorphic_allocator<T>;
};

template <place Place>
class monotonic_memory : public pmr_memory {
  public:
    monotonic_memory(std::span<std::byte> stack, bool) : buffer_(stack) {}
    template <class T>
    allocator<T> get() {
        return &buffer_;
    }

  private:
    pmr_buffer<Place> buffer_;
};

// A resource as it is made by default, over new and delete.
template <class Resource>
class resource_memory : public pmr_memory {
  public:
    resource_memory(std::span<std::byte>, bool) {}
    template <class T>
    allocator<T> get() {
        return &resource_;
    }

  private:
    Resource resource_;
};

// A pool over a monotonic buffer.
template <class Pool, place Place>
class pool_over_buffer_memory : public pmr_memory {
  public:
    pool_over_buffer_memory(std::span<std::byte> stack, bool) : buffer_(stack) {}
    template <class T>
    allocator<T> get() {
        return &pool_;
    }

  private:
    pmr_buffer<Place> buffer_;
    Pool pool_{&buffer_};
};

inline const toft_upstream malloc_upstream = {
    [](void *, std::size_t bytes, std::size_t) { return std::malloc(bytes); },
    [](void *, void *memory, std::size_t, std::size_t) { std::free(memory); }, nullptr};

template <place Place>
arena_options options_for(std::span<std::byte> stack, bool counted) {
    arena_options options = {};
    if (counted) options.upstream = &malloc_upstream;
    if (Place == place::stack) {
        options.first_buffer = stack.data();
        options.first_buffer_bytes = stack.size();
    }
    return options;
}

template <class Strategy, place Place>
class toft_memory {
  public:
    toft_memory(std::span<std::byte> stack, bool counted)
        : memory_(options_for<Place>(stack, counted)) {}
    template <class T>
    using allocator = toft::allocator<T, Strategy>;
    template <class T>
    allocator<T> get() {
        return memory_;
    }

  private:
    Strategy memory_;
};

template <class Strategy, place Place>
class toft_resource_memory : public pmr_memory {
  public:
    toft_resource_memory(std::span<std::byte> stack, bool counted)
        : memory_(options_for<Place>(stack, counted)),
          resource_(memory_) {}
    template <class T>
    allocator<T> get() {
        return &resource_;
    }

  private:
    Strategy memory_;
    strategy_resource<Strategy> resource_;
};

// The process's pool, which all threads share. It stays warm from one container to the next.
struct shared_pool_memory {
    shared_pool_memory(std::span<std::byte>, bool) {}
    template <class T>
    using allocator = pool_allocator<T>;
    template <class T>
    allocator<T> get() {
        return {};
    }
};

class shared_pool_resource_memory : public pmr_memory {
  public:
    shared_pool_resource_memory(std::span<std::byte>, bool) {}
    template <class T>
    allocator<T> get() {
        return &resource_;
    }

  private:
    pool_resource resource_{pool::shared()};
};

} // namespace toft::lab
