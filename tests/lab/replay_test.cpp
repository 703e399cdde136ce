// SPDX-License-Identifier: MIT
// A compiled recording does the recorded heap work, call by call, and can't hang.
#include "made_recording.hpp"
#include "noting_heap.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <doctest/doctest.h>
#include <map>
#include <random>
#include <string>

using namespace toft::lab;

namespace {

// The memory that a replay really works on, with each object's bytes filled and looked at again.
class filled_heap : public real_heap {
  public:
    using real_heap::real_heap;

    unsigned unaligned = 0, not_zero = 0, lost = 0;

    char *allocate(std::uint32_t slot, std::uint64_t bytes) {
        return fill(real_heap::allocate(slot, bytes), bytes, 16);
    }
    char *allocate_zeroed(std::uint32_t slot, std::uint64_t bytes) {
        return fill(zeroed(real_heap::allocate_zeroed(slot, bytes), bytes), bytes, 16);
    }
    char *allocate_aligned(std::uint32_t slot, std::uint64_t bytes, std::uint64_t alignment) {
        return fill(real_heap::allocate_aligned(slot, bytes, alignment), bytes, alignment);
    }
    char *resize(std::uint32_t slot, char *object, std::uint64_t bytes) {
        const filling before = taken(object);
        return moved(before, real_heap::resize(slot, object, bytes), bytes);
    }
    void free(char *object) {
        taken(object);
        real_heap::free(object);
    }
    char *arena_allocate(std::uint32_t slot, std::uint64_t bytes, std::uint32_t arena,
                         std::uint32_t alignment, bool is_zeroed) {
        char *object = real_heap::arena_allocate(slot, bytes, arena, alignment, is_zeroed);
        return fill(is_zeroed ? zeroed(object, bytes) : object, bytes, alignment);
    }
    char *arena_resize(std::uint32_t slot, std::uint32_t arena, char *object, std::uint64_t old,
                       std::uint64_t bytes) {
        const filling before = taken(object);
        return moved(before, real_heap::arena_resize(slot, arena, object, old, bytes), bytes);
    }
    void arena_free(char *object) {
        taken(object);
        real_heap::arena_free(object);
    }
    char *pool_allocate(std::uint32_t slot, std::uint64_t bytes, std::uint32_t alignment,
                        bool is_zeroed) {
        char *object = real_heap::pool_allocate(slot, bytes, alignment, is_zeroed);
        return fill(is_zeroed ? zeroed(object, bytes) : object, bytes, alignment);
    }
    char *pool_resize(std::uint32_t slot, char *object, std::uint64_t old, std::uint64_t bytes,
                      std::uint64_t alignment) {
        const filling before = taken(object);
        return moved(before, real_heap::pool_resize(slot, object, old, bytes, alignment), bytes);
    }
    void pool_free(char *object, std::uint64_t bytes, std::uint64_t alignment) {
        taken(object);
        real_heap::pool_free(object, bytes, alignment);
    }

    // Two objects in one place would have written over each other.
    void look_at_all() {
        for (const auto &[object, kept] : objects_) look(object, kept);
    }

  private:
    struct filling {
        std::uint64_t bytes;
        char with;
    };

    // The replayer writes a byte into some of them, and always the same one.
    static bool differs(char byte, char with) { return byte != with && byte != 1; }

    void look(const char *object, const filling &of) {
        for (std::uint64_t i = 0; i != of.bytes; ++i)
            if (differs(object[i], of.with)) {
                ++lost;
                return;
            }
    }
    char *zeroed(char *object, std::uint64_t bytes) {
        not_zero += static_cast<std::uint64_t>(std::count(object, object + bytes, 0)) != bytes;
        return object;
    }
    char *fill(char *object, std::uint64_t bytes, std::uint64_t alignment) {
        const auto address = reinterpret_cast<std::uintptr_t>(object);
        unaligned += address % std::max<std::uint64_t>(alignment, 1) != 0;
        objects_[object] = {bytes, static_cast<char>(2 + ++made_ % 100)};
        std::memset(object, objects_[object].with, bytes);
        return object;
    }
    filling taken(char *object) {
        const filling with = objects_.at(object);
        objects_.erase(object);
        return with;
    }
    char *moved(const filling &before, char *to, std::uint64_t bytes) {
        look(to, {std::min(bytes, before.bytes), before.with});
        return fill(to, bytes, 16);
    }

    std::map<char *, filling> objects_;
    unsigned made_ = 0;
};

} // namespace

TEST_CASE("replay: the same calls in the same order, with the same bytes alive after each") {
    std::mt19937 random(7);
    made_recording made;
    std::map<std::uint64_t, std::uint64_t> living; // the shadow model
    std::vector<std::uint64_t> live_bytes;
    std::uint64_t now = 0, next = 1 << 20;
    for (int i = 0; i != 30'000; ++i) {
        const unsigned choice = random() % 8;
        if (living.size() < 100 || choice < 3) {
            const std::uint64_t bytes = random() % 300;
            made.allocate(0, next, bytes);
            living[next] = bytes;
            now += bytes;
            next += 512;
        } else {
            auto one = living.begin();
            std::advance(one, random() % 20);
            now -= one->second;
            if (choice < 5) {
                made.resize(0, one->first, next, choice * 1000);
                living[next] = choice * 1000;
                now += choice * 1000;
                next += 8192;
            } else {
                made.free(0, one->first);
            }
            living.erase(one);
        }
        live_bytes.push_back(now);
    }
    noting_heap heap;
    const replayed done = replay_on(heap, made.made());
    CHECK(heap.calls.size() == 30'000);
    CHECK(heap.live_bytes == live_bytes);
    noting_heap cleaned; // more objects than a thread says at once how far it is
    replay_on(cleaned, made.made(), {}, touching::none, true);
    CHECK(cleaned.live_bytes.back() == 0);
    CHECK(heap.broken == 0);
    CHECK(done.counts.leftovers == living.size());
    CHECK(done.counts.peak_live_bytes == *std::max_element(live_bytes.begin(), live_bytes.end()));
    // Numbers are used again: there are hardly more than objects alive at once.
    CHECK(done.facts.slots < 30'000 / 3);
    CHECK(done.counts.waits == 0);
}

TEST_CASE("replay: what is unknown is left out and counted, and nothing else") {
    made_recording made;
    made.free(0, 0x100).allocate(0, 0x200, 10).free(0, 0x200).free(0, 0x200);
    made.resize(0, 0x300, 0x400, 20).free(0, 0x400);    // from before the recording
    made.allocate(0, 0x600, 40).allocate(0, 0x600, 50); // the free between wasn't recorded
    noting_heap heap;
    const compiled_counts counts = replay_on(heap, made.made()).counts;
    CHECK(heap.calls == call_list{"allocate 10", "free", "allocate 20", "free", "allocate 40",
                                  "free", "allocate 50"});
    CHECK(counts.allocations == 4);
    CHECK(counts.allocated_bytes == 120);
    CHECK(counts.unknown_frees == 2);
    CHECK(counts.unknown_resizes == 1);
    CHECK(counts.lost_frees == 1);
    CHECK(counts.leftovers == 1);
    CHECK(heap.broken == 0);
}

TEST_CASE("replay: no bytes, very many, zeroed, and aligned") {
    made_recording made;
    made.allocate(0, 0x100, 0).resize(0, 0x100, 0x100, 0).free(0, 0x100);
    made.allocate(0, 0x200, (5ULL << 32) + 7).resize(0, 0x200, 0x300, (6ULL << 32) + 8);
    made.allocate(0, 0x400, 9); // the upper half of a size is one command's only
    made.add({.address = 0x500, .bytes = 10, .alignment = 4096});
    made.add({.address = 0x600, .bytes = 11, .zeroed = true});
    made.add({.address = 0x700, .bytes = 12, .alignment = 3}); // no alignment at all
    noting_heap heap;
    replay_on(heap, made.made(), {}, touching::none, true);
    CHECK(heap.calls == call_list{"allocate 0", "resize 0", "free", "allocate 21474836487",
                                  "resize 25769803784", "allocate 9", "aligned to 4096 10",
                                  "zeroed 11", "allocate 12", "free", "free", "free", "free",
                                  "free"});
    CHECK(heap.live_bytes.back() == 0);
}

TEST_CASE("replay: real memory is touched, aligned, kept by a resize, and given back") {
    std::mt19937 random(11);
    made_recording made;
    for (std::uint64_t i = 1; i != 3000; ++i) {
        made.add({.address = i << 20,
                  .bytes = random() % 5000,
                  .alignment = 1U << random() % 9,
                  .stack = static_cast<std::uint32_t>(i % 3),
                  .zeroed = i % 7 == 0});
        if (i > 50 && i % 2 == 0) made.resize(0, (i - 50) << 20, ((i - 50) << 20) + 64, i);
        if (i > 100 && i % 2 == 1) made.free(0, (i - 100) << 20);
    }
    placement where;
    where.of_stack[1] = {object_home::arena, 0};
    where.of_stack[2] = {object_home::pool, 0};
    for (const placed_frees frees :
         {placed_frees::kept, placed_frees::hooked, placed_frees::dropped})
        for (const touching how : {touching::none, touching::headers, touching::whole}) {
            const recording from = made.made();
            filled_heap heap(8, frees);
            const compiled_counts counts = replay_on(heap, from, where, how).counts;
            heap.look_at_all();
            CHECK(heap.unaligned == 0);
            CHECK(heap.not_zero == 0);
            CHECK(heap.lost == 0);
            CHECK(counts.placed > 1900);
            CHECK(counts.moved_out == 0);
            real_heap cleaned(8, frees); // LeakSanitizer looks at what stays
            replay_on(cleaned, from, where, how, true);
        }
}

TEST_CASE("replay: objects outlive the threads that made them, also where there is no heap") {
    constexpr std::uint32_t threads = 64; // more stacks than the C library keeps
    made_recording made;
    for (std::uint32_t i = 1; i != threads; ++i) made.allocate(i, std::uint64_t{i} << 20, 100);
    for (std::uint64_t i = 0; i != 100'000; ++i) made.allocate(0, 8, 8).free(0, 8);
    for (std::uint32_t i = 1; i != threads; ++i) made.free(0, std::uint64_t{i} << 20);
    no_heap heap(placed_frees::kept);
    CHECK(replay_on(heap, made.made(), {}, touching::whole).counts.leftovers == 0);
}

TEST_CASE("replay: through a hook, each object has a label in front and lies in the arena in use") {
    {
        real_heap heap(2, placed_frees::hooked);
        char *first = heap.arena_allocate(0, 24, 0, 0, false);
        const toft_strategy in_use = toft_current_get();
        CHECK(in_use.word != 0);
        char *next = heap.arena_allocate(1, 24, 0, 0, true);
#ifndef __SANITIZE_ADDRESS__       // under which poisoned bytes lie between objects
        CHECK(next - first == 48); // without labels it is 32
#endif
        CHECK(std::count(next, next + 24, 0) == 24);
        CHECK(toft_current_get().word == in_use.word);
        const char *other = heap.arena_allocate(2, 24, 1, 256, false);
        CHECK(reinterpret_cast<std::uintptr_t>(other) % 256 == 0);
        CHECK(toft_current_get().word != in_use.word);
        std::memset(first, 7, 24);
        const char *resized = heap.arena_resize(0, 0, first, 24, 100);
        CHECK(std::count(resized, resized + 24, 7) == 24);
        heap.arena_free(next);
        CHECK(toft_current_get().word == in_use.word);
    }
    CHECK(toft_current_get().word == 0);
}

TEST_CASE("replay: objects handed from thread to thread come in order, however the threads run") {
    std::mt19937 random(13);
    made_recording made;
    constexpr std::uint32_t threads = 7;
    std::vector<std::uint64_t> living;
    std::uint64_t next = 1 << 20;
    for (int i = 0; i != 60'000; ++i) {
        const auto thread = static_cast<std::uint32_t>(random() % threads);
        if (living.size() < 30 || random() % 2 == 0) {
            made.allocate(thread, next, random() % 100);
            living.push_back(next);
            next += 128;
        } else {
            std::swap(living[random() % living.size()], living.back());
            if (random() % 3 == 0) {
                made.resize(thread, living.back(), next, 64);
                living.back() = next;
                next += 128;
            } else {
                made.free(thread, living.back());
                living.pop_back();
            }
        }
    }
    for (int again = 0; again != 5; ++again) {
        noting_heap heap;
        const replayed done = replay_on(heap, made.made());
        CHECK(heap.broken == 0); // a free before its allocation would be of another object, or none
        CHECK(heap.calls.size() == 60'000);
        CHECK(done.counts.waits > 1000);
        CHECK(done.facts.slots < 20'000);
    }
    real_heap heap(0, placed_frees::kept);
    replay_on(heap, made.made(), {}, touching::whole, true);
}

TEST_CASE("replay: thousands of short threads, and frees of what others made, need few numbers") {
    made_recording made;
    for (std::uint32_t i = 0; i != 2000; ++i) {
        const std::uint64_t base = std::uint64_t{i} << 20;
        for (std::uint64_t k = 1; k != 20; ++k) made.allocate(i + 1, base + k * 64, 32);
        for (std::uint64_t k = 1; k != 20; ++k) made.free(0, base + k * 64);
    }
    noting_heap heap;
    const replayed done = replay_on(heap, made.made());
    CHECK(heap.broken == 0);
    CHECK(heap.live_bytes.back() == 0);
    CHECK(done.facts.slots < 1100);
    CHECK(done.counts.threads == 2001);
}

TEST_CASE("replay: a recording that ends anywhere replays to its end") {
    for (std::size_t length = 0; length != 200; ++length) {
        std::mt19937 random(17);
        made_recording made;
        std::vector<std::uint64_t> living;
        for (std::size_t i = 0; i != length; ++i) {
            const auto thread = static_cast<std::uint32_t>(random() % 3);
            if (living.size() < 4 || random() % 2 == 0) {
                living.push_back(4096 + i * 64);
                made.allocate(thread, living.back(), 48);
            } else {
                made.free(thread, living.back());
                living.pop_back();
            }
        }
        noting_heap heap;
        replay_on(heap, made.made());
        REQUIRE(heap.calls.size() == length);
        REQUIRE(heap.broken == 0);
    }
}

TEST_CASE("replay: a recording that can't be replayed says why") {
    recording sampled = made_recording().allocate(0, 0x100, 10).made();
    sampled.sampled_bytes = 4096;
    program_writer writer;
    CHECK_THROWS_WITH_AS(compile(sampled, {}, writer), doctest::Contains("record without --sample"),
                         std::runtime_error);
    recording damaged = made_recording().allocate(3, 0x100, 10).made();
    damaged.threads.resize(2);
    CHECK_THROWS_WITH_AS(compile(damaged, {}, writer), doctest::Contains("damaged"),
                         std::runtime_error);
    CHECK_THROWS_AS(program_reader("/no/such/program"), std::system_error);
    CHECK_THROWS_WITH_AS(program_reader("/dev/null"), doctest::Contains("cut short"),
                         std::runtime_error);
}
