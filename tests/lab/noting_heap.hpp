// SPDX-License-Identifier: MIT
#pragma once

#include "replay/compile.hpp"
#include "replay/execution.hpp"
#include "replay/heaps.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace toft::lab {

using call_list = std::vector<std::string>;

// A heap that notes what it is asked for; its objects are no memory.
class noting_heap {
  public:
    static constexpr std::uint64_t mask = 0;

    char *allocate(std::uint32_t, std::uint64_t bytes) { return make("allocate", bytes); }
    char *allocate_zeroed(std::uint32_t, std::uint64_t bytes) { return make("zeroed", bytes); }
    char *allocate_aligned(std::uint32_t, std::uint64_t bytes, std::uint64_t alignment) {
        return make("aligned to " + std::to_string(alignment), bytes);
    }
    char *resize(std::uint32_t, char *object, std::uint64_t bytes) {
        drop(object);
        return make("resize", bytes);
    }
    void free(char *object) {
        drop(object);
        note("free");
    }
    char *arena_allocate(std::uint32_t, std::uint64_t bytes, std::uint32_t arena, std::uint32_t,
                         bool) {
        return make("arena " + std::to_string(arena), bytes);
    }
    char *arena_resize(std::uint32_t, std::uint32_t arena, char *object, std::uint64_t,
                       std::uint64_t bytes) {
        drop(object);
        return make("arena resize " + std::to_string(arena), bytes);
    }
    bool arena_frees_kept() const { return true; }
    void arena_free(char *) {}
    void arena_reset(std::uint32_t arena) { note("reset " + std::to_string(arena)); }
    char *pool_allocate(std::uint32_t, std::uint64_t bytes, std::uint32_t alignment, bool) {
        return make("pool" + beyond_malloc(alignment), bytes);
    }
    char *pool_resize(std::uint32_t, char *object, std::uint64_t before, std::uint64_t bytes,
                      std::uint64_t alignment) {
        CHECK(size_of(object) == before);
        drop(object);
        return make("pool resize" + beyond_malloc(alignment), bytes);
    }
    void pool_free(char *object, std::uint64_t bytes, std::uint64_t alignment) {
        CHECK(size_of(object) == bytes);
        drop(object);
        note("pool free" + beyond_malloc(alignment));
    }

    std::vector<std::string> calls;
    std::vector<std::uint64_t> live_bytes; // after each call
    unsigned broken = 0;                   // objects that weren't there

  private:
    static std::string beyond_malloc(std::uint64_t alignment) {
        return alignment > 16 ? " of " + std::to_string(alignment) : "";
    }
    char *make(const std::string &call, std::uint64_t bytes) {
        const std::lock_guard lock(mutex_);
        next_ += 16;
        objects_[next_] = bytes;
        now_ += bytes;
        note_locked(call + " " + std::to_string(bytes));
        return reinterpret_cast<char *>(next_);
    }
    void drop(char *object) {
        const std::lock_guard lock(mutex_);
        const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(object));
        if (found == objects_.end()) {
            ++broken;
            return;
        }
        now_ -= found->second;
        objects_.erase(found);
    }
    std::uint64_t size_of(char *object) {
        const std::lock_guard lock(mutex_);
        return objects_[reinterpret_cast<std::uintptr_t>(object)];
    }
    void note(const std::string &call) {
        const std::lock_guard lock(mutex_);
        note_locked(call);
    }
    void note_locked(const std::string &call) {
        calls.push_back(call);
        live_bytes.push_back(now_);
    }

    std::mutex mutex_;
    std::map<std::uintptr_t, std::uint64_t> objects_;
    std::uintptr_t next_ = 4096;
    std::uint64_t now_ = 0;
};

struct replayed {
    compiled_counts counts;
    program_facts facts;
};

template <class Heap>
replayed replay_on(Heap &heap, const recording &from, const placement &where = {},
                   touching how = touching::none, bool clean_up = false) {
    program_writer writer;
    const compiled_counts counts = compile(from, where, writer);
    const program_reader program(writer.path());
    const mapped_words addresses(program.facts().slots);
    thread_paces paces(program.facts().threads);
    execution<Heap> all(program, heap, how, reinterpret_cast<char **>(addresses.data()), paces);
    all.run();
    if (clean_up) all.clean_up();
    return {counts, program.facts()};
}

} // namespace toft::lab
