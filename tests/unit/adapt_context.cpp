// SPDX-License-Identifier: MIT
// Hooks that hand a context on: a pool, a reap and an arena of one's own behind each of their
// usual shapes.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <toft/adapt/context.h>

#include "support/arena_guard.hpp"
#include "support/counting_upstream.hpp"
#include "support/pool_guard.hpp"
#include "support/reap_guard.hpp"

using namespace toft_test;

namespace {

// What a library is given.
struct hooks {
    const char *name;
    void *(*alloc)(void *context, std::size_t size);
    void *(*calloc)(void *context, std::size_t count, std::size_t size);
    void *(*resize)(void *context, void *object, std::size_t new_size);
    void (*free)(void *context, void *object);
    void *(*last_alloc)(std::size_t size, void *context);
    void *(*last_resize)(void *object, std::size_t new_size, void *context);
    void (*last_free)(void *object, void *context);
    std::size_t (*usable_bytes)(const void *object);
};

constexpr hooks of_pool = {"pool",
                           toft_context_alloc,
                           toft_context_calloc,
                           toft_context_resize,
                           toft_context_free,
                           toft_context_last_alloc,
                           toft_context_last_resize,
                           toft_context_last_free,
                           toft_pool_usable_bytes};
constexpr hooks of_reap = {"reap",
                           toft_context_alloc_in_reap,
                           toft_context_calloc_in_reap,
                           toft_context_resize_in_reap,
                           toft_context_free_in_reap,
                           toft_context_last_alloc_in_reap,
                           toft_context_last_resize_in_reap,
                           toft_context_last_free_in_reap,
                           toft_context_usable_bytes};
constexpr hooks of_arena = {"arena",
                            toft_context_alloc_in_arena,
                            toft_context_calloc_in_arena,
                            toft_context_resize_in_arena,
                            toft_context_free_in_arena,
                            toft_context_last_alloc_in_arena,
                            toft_context_last_resize_in_arena,
                            toft_context_last_free_in_arena,
                            toft_context_usable_bytes};

// Runs a test over each of them.
template <typename F>
void over_each(F test) {
    pool_guard pool;
    reap_guard reap;
    arena_guard arena;
    test(of_pool, static_cast<toft_pool *>(pool));
    test(of_reap, reap.get());
    test(of_arena, arena.get());
}

// A library's objects, and what each must hold.
class shadow {
  public:
    shadow(const hooks &h, void *context) : h_(h), context_(context) {}

    // One step; false where there was no memory.
    bool step() {
        std::size_t i = choice_() % objects_.size();
        object &o = objects_[i];
        check(o);
        std::size_t size = any_size();
        if (o.memory == nullptr) return made(o, size);
        if (choice_() % 2 == 0) return resized(o, size);
        h_.free(context_, o.memory);
        o = {};
        return true;
    }

    void check_all() const {
        for (const object &o : objects_) check(o);
    }

    void free_all() {
        for (object &o : objects_) {
            h_.free(context_, o.memory);
            o = {};
        }
    }

  private:
    struct object {
        unsigned char *memory = nullptr;
        std::size_t size = 0;
        unsigned char byte = 0;
    };

    std::size_t any_size() {
        return choice_() % (choice_() % 50 == 0 ? std::size_t(100000) : std::size_t(300)) + 1;
    }

    static void check(const object &o) {
        REQUIRE(std::count(o.memory, o.memory + o.size, o.byte) == std::ptrdiff_t(o.size));
    }

    void fill(object &o, void *memory, std::size_t size) {
        REQUIRE(reinterpret_cast<std::uintptr_t>(memory) % (size > 8 ? 16 : 8) == 0);
        REQUIRE(h_.usable_bytes(memory) >= size);
        o = {static_cast<unsigned char *>(memory), size, static_cast<unsigned char>(choice_())};
        std::memset(o.memory, o.byte, size);
    }

    bool made(object &o, std::size_t size) {
        bool zeroed = choice_() % 2 == 0;
        void *memory = zeroed ? h_.calloc(context_, 1, size) : h_.alloc(context_, size);
        if (memory == nullptr) return false;
        if (zeroed) check({static_cast<unsigned char *>(memory), size, 0});
        fill(o, memory, size);
        return true;
    }

    // The old contents go along; and stay where there is no memory.
    bool resized(object &o, std::size_t size) {
        void *memory = choice_() % 2 == 0 ? h_.resize(context_, o.memory, size)
                                          : h_.last_resize(o.memory, size, context_);
        if (memory == nullptr) {
            check(o);
            return false;
        }
        check({static_cast<unsigned char *>(memory), std::min(o.size, size), o.byte});
        fill(o, memory, size);
        return true;
    }

    const hooks &h_;
    void *context_;
    std::minstd_rand choice_{1};
    std::vector<object> objects_{40};
};

// The nth call of the upstream fails, for each n until the steps need no more calls.
template <typename Guard, typename Options>
void fail_at_each_call(const hooks &h) {
    for (std::size_t nth = 1;; nth++) {
        CAPTURE(nth);
        counting_upstream upstream;
        Options options = {};
        options.upstream = upstream.c();
        options.chunk_bytes = 4096;
        std::size_t failed = 0;
        {
            Guard guard(options);
            shadow objects(h, guard.get());
            upstream.fail_at(nth);
            for (int i = 0; i < 600; i++) failed += !objects.step();
            objects.check_all();
        }
        CHECK(upstream.live_blocks() == 0);
        if (upstream.calls < nth) break;
        CHECK(failed <= 1); // an arena or reap may do with less where it asked for more
    }
}

} // namespace

TEST_CASE("context: allocated, resized and freed, the context first") {
    over_each([](const hooks &h, void *context) {
        CAPTURE(h.name);
        auto *text = static_cast<char *>(h.alloc(context, 6));
        REQUIRE(text != nullptr);
        std::memcpy(text, "hello", 6);
        text = static_cast<char *>(h.resize(context, text, 100000));
        REQUIRE(text != nullptr);
        CHECK(std::strcmp(text, "hello") == 0);
        CHECK(h.resize(context, text, 0) == nullptr);
        h.free(context, h.resize(context, nullptr, 10));
        h.free(context, nullptr);
        void *empty = h.alloc(context, 0);
        CHECK(empty != nullptr);
        h.free(context, empty);
    });
}

TEST_CASE("context: one function for all three, the context last") {
    over_each([](const hooks &h, void *context) {
        CAPTURE(h.name);
        CHECK(h.last_resize(nullptr, 0, context) == nullptr);
        void *object = h.last_resize(nullptr, 40, context);
        REQUIRE(object != nullptr);
        object = h.last_resize(object, 400, context);
        REQUIRE(object != nullptr);
        CHECK(h.last_resize(object, 0, context) == nullptr);
    });
}

TEST_CASE("context: allocated and freed, the context last") {
    over_each([](const hooks &h, void *context) {
        CAPTURE(h.name);
        void *object = h.last_alloc(40, context);
        REQUIRE(object != nullptr);
        CHECK(h.usable_bytes(object) >= 40);
        std::memset(object, 1, 40);
        h.last_free(object, context);
        h.last_free(nullptr, context);
        void *empty = h.last_alloc(0, context);
        CHECK(empty != nullptr);
        h.last_free(empty, context);
        CHECK(h.last_alloc(SIZE_MAX, context) == nullptr);
    });
}

TEST_CASE("context: what is freed, also by a size of 0, is free") {
    pool_guard pool;
    toft_context_free(pool, toft_context_alloc(pool, 40));
    toft_context_last_free(toft_context_last_alloc(40, pool), pool);
    CHECK(toft_context_resize(pool, toft_context_alloc(pool, 40), 0) == nullptr);
    CHECK(toft_context_last_resize(toft_context_alloc(pool, 40), 0, pool) == nullptr);
    CHECK(live_bytes(pool) == 0);

    reap_guard reap;
    toft_context_free_in_reap(reap, toft_context_alloc_in_reap(reap, 40));
    toft_context_last_free_in_reap(toft_context_last_alloc_in_reap(40, reap), reap);
    CHECK(toft_context_resize_in_reap(reap, toft_context_alloc_in_reap(reap, 40), 0) == nullptr);
    CHECK(toft_context_last_resize_in_reap(toft_context_alloc_in_reap(reap, 40), 0, reap) ==
          nullptr);
    CHECK(toft_reap_get_stats(reap).used_bytes == 0);

    arena_guard arena;
    std::size_t before = toft_arena_get_stats(arena).used_bytes;
    toft_context_free_in_arena(arena, toft_context_alloc_in_arena(arena, 40));
    toft_context_last_free_in_arena(toft_context_last_alloc_in_arena(40, arena), arena);
    CHECK(toft_context_resize_in_arena(arena, toft_context_alloc_in_arena(arena, 40), 0) ==
          nullptr);
    CHECK(toft_arena_get_stats(arena).used_bytes == before);
}

TEST_CASE("context: a reap and an arena resize in place where they can") {
    reap_guard reap;
    void *object = toft_context_alloc_in_reap(reap, 200);
    CHECK(toft_context_resize_in_reap(reap, object, 201) == object);
    CHECK(toft_context_usable_bytes(object) == 201);

    arena_guard arena;
    object = toft_context_alloc_in_arena(arena, 200);
    CHECK(toft_context_resize_in_arena(arena, object, 2000) == object);
    CHECK(toft_context_usable_bytes(object) == 2000);
    CHECK(toft_context_usable_bytes(nullptr) == 0);
}

TEST_CASE("context: sizes and products that can't be represented give NULL") {
    over_each([](const hooks &h, void *context) {
        CAPTURE(h.name);
        auto *kept = static_cast<char *>(h.alloc(context, 10));
        REQUIRE(kept != nullptr);
        std::memcpy(kept, "kept", 5);
        for (std::size_t size : {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 16, SIZE_MAX - 17,
                                 SIZE_MAX / 2, SIZE_MAX / 2 - 15}) {
            CAPTURE(size);
            CHECK(h.alloc(context, size) == nullptr);
            CHECK(h.calloc(context, size, 1) == nullptr);
            CHECK(h.resize(context, kept, size) == nullptr);
            CHECK(h.last_resize(kept, size, context) == nullptr);
        }
        CHECK(h.calloc(context, SIZE_MAX / 16 + 2, 16) == nullptr);
        CHECK(std::strcmp(kept, "kept") == 0);
        void *none = h.calloc(context, SIZE_MAX, 0);
        CHECK(none != nullptr);
        h.free(context, none);
        h.free(context, kept);
    });
}

TEST_CASE("context: objects keep what is in them, whatever comes and goes") {
    over_each([](const hooks &h, void *context) {
        CAPTURE(h.name);
        shadow objects(h, context);
        for (int i = 0; i < 20000; i++) REQUIRE(objects.step());
        objects.check_all();
        objects.free_all();
    });
}

TEST_CASE("context: an upstream that fails at any call loses nothing") {
    fail_at_each_call<reap_guard, toft_reap_options>(of_reap);
    fail_at_each_call<arena_guard, toft_arena_options>(of_arena);
}
