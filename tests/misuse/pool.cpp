// SPDX-License-Identifier: MIT
// Broken rules of a pool that it detects without a tool's help: one clear line and an abort.
#include <doctest/doctest.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <toft/malloc.h>
#include <toft/pool.hpp>

#include "support/build.hpp"
#include "support/last_words.hpp"

using namespace toft_test;

namespace {

template <class F>
void expect(const std::string &sign, F function) {
    expect_one_line(sign, [&] {
        toft_pool *pool = toft_pool_shared();
        function(pool);
        toft_pool_trim(pool); // if not before, it is found when slots go back to their spans
    });
}

// All that a program may do when it is about to end.
extern "C" void allocate_and_fork(int) {
    for (std::size_t size = 8; size < 2000000; size += size / 4) {
        void *objects[2];
        for (void *&p : objects) p = toft_pool_alloc(toft_pool_shared(), size);
        for (void *p : objects) toft_pool_free(toft_pool_shared(), p, size);
    }
    toft_pool_trim(toft_pool_shared());
    pid_t child = fork();
    if (child == 0) _exit(0);
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && status == 0) _exit(3);
}

void *idle(void *) {
    for (;;) pause();
}

} // namespace

TEST_CASE("a pool tells broken rules, when it finds them") {
    constexpr std::size_t large = 100000, mapped = 3000000;
    expect("freed twice", [](toft_pool *pool) {
        void *object = toft_pool_alloc(pool, 64);
        for (int i = 0; i < 2; i++) toft_pool_free(pool, object, 64);
    });
    expect(tracked() ? "with: as 70 bytes, but it is an object of 60 bytes\n"
                     : "with: as up to 80 bytes, but it lies in a slot of 64 bytes\n",
           [](toft_pool *pool) { toft_pool_free(pool, toft_pool_alloc(pool, 60), 70); });
    expect(
        tracked() ? "with: as 40 bytes, but it is an object of 60 bytes\n"
                  : "with: as up to 48 bytes, but it lies in a slot of 64 bytes\n",
        [](toft_pool *pool) { (void)!toft_pool_resize(pool, toft_pool_alloc(pool, 60), 40, 200); });
    expect(tracked() ? "freed with another alignment than it was allocated with\n"
                     : "with: as up to 24 bytes, but it lies in a slot of 32 bytes\n",
           [](toft_pool *pool) { toft_pool_free_aligned(pool, toft_pool_alloc(pool, 24), 24, 8); });
    expect("freed to a pool that it is not of", [](toft_pool *pool) {
        toft_pool_free(pool, toft_pool_alloc(toft_pool_create(nullptr), 64), 64);
    });
    if (tracked()) // where else such an address leads, nobody knows
        expect("freed to a pool that it is not of",
               [](toft_pool *pool) { toft_pool_free(pool, std::malloc(64), 64); });
    expect(tracked() ? "freed to a pool that it is not of"
                     : "with: as up to 64 bytes, but it is an object of 100000 bytes\n",
           [=](toft_pool *pool) { toft_pool_free(pool, toft_pool_alloc(pool, large), 64); });
    expect("freed, but it is no object of this pool, or the pool was destroyed\n",
           [](toft_pool *pool) {
               static long outside[3];
               toft_pool_free_any(pool, outside);
           });
    for (std::size_t size : {large, mapped}) {
        expect("freed to a pool that it is not of", [=](toft_pool *pool) {
            toft_pool_free(pool, toft_pool_alloc(toft_pool_create(nullptr), size), size);
        });
        expect("freed, but it is no object of this pool", [=](toft_pool *pool) {
            void *others = toft_pool_alloc(toft_pool_create(nullptr), size);
            (void)!toft_pool_resize_any(pool, others, size + size / 4);
        });
        expect("another size or alignment", [=](toft_pool *pool) {
            void *object = toft_pool_alloc(pool, size);
            (void)!toft_pool_resize(pool, object, size - 1, size + size / 4);
        });
        expect("freed twice", [=](toft_pool *pool) {
            void *object = toft_pool_alloc(pool, size);
            for (int i = 0; i < 2; i++) toft_pool_free(pool, object, size);
        });
        const std::string is = " but it is an object of " + std::to_string(size) + " bytes\n";
        const std::string misaligned = " but it is an object of this size with another alignment\n";
        const std::string longer = std::to_string(size + 1) + " bytes (aligned to 16),";
        expect(
            "another size or alignment than it was allocated with: as " + longer + is,
            [=](toft_pool *pool) { toft_pool_free(pool, toft_pool_alloc(pool, size), size + 1); });
        expect("with: as " + std::to_string(size) + " bytes (aligned to 0)," + misaligned,
               [=](toft_pool *pool) {
                   toft_pool_free_aligned(pool, toft_pool_alloc_aligned(pool, size, 64), size, 0);
               });
    }
}

TEST_CASE("a pool tells the sizes of a small object that is freed as a large one") {
    const auto free_as_large = [](toft_pool *pool) {
        toft_pool_free(pool, toft_pool_alloc(pool, 100), 200000);
    };
    expect(tracked() ? "(aligned to 16), but it lies in a slot of 128 bytes\n" // with a redzone
                     : "another size or alignment than it was allocated with: as 200000 bytes "
                       "(aligned to 16), but it lies in a slot of 112 bytes\n",
           free_as_large);
    if (tracked()) return; // what is free isn't handed out again then
    expect("freed twice, or never allocated", [](toft_pool *pool) {
        void *object = toft_pool_alloc(pool, 100000);
        toft_pool_free(pool, object, 100000);
        toft_pool_free(pool, object, 200000);
    });
}

TEST_CASE("a pool tells a wrong size of what is freed into the middle of a slot") {
    if (tracked()) return;
    expect(
        "with: as up to 64 bytes, but it lies 8 bytes behind the beginning of a slot of 80 bytes\n",
        [](toft_pool *pool) {
            toft_pool_free(pool, static_cast<char *>(toft_pool_alloc(pool, 80)) + 8, 64);
        });
}

TEST_CASE("a pool tells what is freed behind the last slot of a span") {
    if (tracked()) return; // the tool tells it
    expect("freed, but never allocated", [](toft_pool *pool) {
        constexpr std::size_t size = 48, unit_bytes = 32768, slots_bytes = unit_bytes / size * size;
        for (int i = 0; i < 5000; i++) {
            auto *object = static_cast<char *>(toft_pool_alloc(pool, size));
            auto address = reinterpret_cast<std::uintptr_t>(object);
            if (address % unit_bytes != slots_bytes - size) continue;
            toft_pool_free(pool, object + size, size);
            return;
        }
    });
}

TEST_CASE("a pool tells what is freed twice when its span has gone back already") {
    expect("freed twice", [](toft_pool *pool) {
        void *other = toft_pool_alloc(pool, 200); // so that the span's block stays
        std::vector<void *> objects(2000);
        for (void *&p : objects) p = toft_pool_alloc(pool, 64);
        for (void *p : objects) toft_pool_free(pool, p, 64);
        toft_pool_trim(pool);
        toft_pool_free(pool, objects[1000], 64);
        toft_pool_trim(pool);
        toft_pool_free(pool, other, 200);
    });
}

TEST_CASE("a trim of the whole process tells what it finds, in whatever pool") {
    expect_one_line("pool 'unnamed': freed twice", [] {
        toft_pool *pool = toft_pool_create(nullptr), *newer = toft_pool_create(nullptr);
        void *object = toft_pool_alloc(pool, 50);
        if (toft_pool_alloc(newer, 50) == nullptr) _exit(1);
        for (int i = 0; i < 2; i++) toft_pool_free(pool, object, 50);
        toft_trim();
    });
    expect_one_line("pool 'shared': freed twice", [] {
        void *object = toft_malloc(50);
        for (int i = 0; i < 2; i++) toft_free(object);
        toft_trim();
    });
}

TEST_CASE("a pool tells what is freed to it of a destroyed pool, whose memory it has got") {
    if (tracked()) return; // such memory is unmapped then
    expect("never allocated", [](toft_pool *pool) {
        toft_pool *destroyed = toft_pool_create(nullptr);
        std::vector<void *> objects(400);
        for (void *&p : objects) p = toft_pool_alloc(destroyed, 1000);
        toft_pool_destroy(destroyed);
        if (toft_pool_alloc(pool, 1000) == nullptr) _exit(1);
        for (std::size_t i = 350; i < objects.size(); i++) // far from the pool's only span
            toft_pool_free(pool, objects[i], 1000);
    });
}

TEST_CASE("a pool that is destroyed twice is told, and what is no pool") {
    for (int others = 0; others < 2; others++)
        expect("destroyed already, or never created", [=](toft_pool *) {
            toft_pool *pool = toft_pool_create(nullptr);
            if (toft_pool_alloc(pool, 40) == nullptr) _exit(1);
            toft_pool *living = others != 0 ? toft_pool_create(nullptr) : nullptr;
            for (int i = 0; i < 2; i++) toft_pool_destroy(pool);
            toft_pool_destroy(living);
        });
    expect("destroyed already, or never created", [](toft_pool *shared) {
        toft_pool_destroy(static_cast<toft_pool *>(toft_pool_alloc(shared, 40)));
    });
}

TEST_CASE("a handler of SIGABRT may allocate and fork, whatever was misused") {
    if (thread_sanitizer) return; // it follows no child of a program with threads
    last_words words = last_words_of([] {
        std::signal(SIGABRT, allocate_and_fork);
        pthread_t thread; // so that a fork takes the locks
        if (pthread_create(&thread, nullptr, idle, nullptr) != 0) _exit(1);
        // Enough for the span to see it, rather than the thread's magazines.
        void *objects[1000];
        for (void *&p : objects) p = toft_pool_alloc(toft_pool_shared(), 48);
        for (int i = 0; i < 2; i++)
            for (void *p : objects) toft_pool_free(toft_pool_shared(), p, 48);
        toft_pool_trim(toft_pool_shared());
    });
    CAPTURE(words.said);
    CHECK(words.said.find("freed twice") != std::string::npos);
    CHECK(WIFEXITED(words.status));
    CHECK(WEXITSTATUS(words.status) == 3);
}

namespace {

void *misaligned(void *, std::size_t bytes, std::size_t alignment) {
    static char memory[4 << 20];
    auto begin = reinterpret_cast<std::uintptr_t>(memory);
    return bytes <= sizeof memory / 2 ? memory + alignment - begin % alignment + 8 : nullptr;
}

} // namespace

TEST_CASE("so it may where an upstream returned memory that isn't aligned as asked") {
    if (thread_sanitizer) return;
    for (std::size_t size : {std::size_t{48}, std::size_t{100000}, std::size_t{1500000}}) {
        last_words words = last_words_of([=] {
            std::signal(SIGABRT, allocate_and_fork);
            alarm(10); // where it hangs
            pthread_t thread;
            if (pthread_create(&thread, nullptr, idle, nullptr) != 0) _exit(1);
            const toft_upstream upstream = {misaligned, nullptr, nullptr};
            toft_pool_options options = {.upstream = &upstream};
            toft_pool *pool = toft_pool_create(&options);
            if (toft_pool_alloc(pool, size) == nullptr) _exit(2);
        });
        CAPTURE(words.said);
        CHECK(words.said.find("not aligned as asked") != std::string::npos);
        CHECK(WIFEXITED(words.status));
        CHECK(WEXITSTATUS(words.status) == 3);
    }
}

namespace {

// An upstream that has no pool of its own until it is first called, or none any more.
toft_pool *its_own;
void *create(void *, std::size_t, std::size_t) {
    its_own = toft_pool_create(nullptr);
    return nullptr;
}
void *destroy(void *, std::size_t, std::size_t) {
    toft_pool_destroy(its_own);
    return nullptr;
}

} // namespace

// A thread that ends would wait for the call, and the call for that thread.
TEST_CASE("a pool tells that an upstream creates or destroys a pool") {
    for (auto *allocate : {create, destroy})
        expect("in a call of a pool's upstream", [=](toft_pool *) {
            its_own = toft_pool_create(nullptr);
            const toft_upstream upstream = {allocate, nullptr, nullptr};
            toft_pool_options options = {.upstream = &upstream};
            toft_pool *outer = toft_pool_create(&options);
            toft_pool_trim(outer); // the thread's first call of a pool
            (void)!toft_pool_alloc(outer, 100);
        });
}

TEST_CASE("a pool tells options that can't be meant, and that the process's own is destroyed") {
    expect("the upstream in a pool's options has no allocate", [](toft_pool *) {
        const auto give = [](void *, void *, std::size_t, std::size_t) {};
        const toft_upstream upstream = {nullptr, give, nullptr};
        const toft_pool_options options = {.upstream = &upstream};
        toft_pool_destroy(toft_pool_create(&options));
    });
    expect("it can't be destroyed", [](toft_pool *pool) { toft_pool_destroy(pool); });
}

#ifndef NDEBUG
TEST_CASE("a pool that was moved from tells its use") {
    for (int use = 0; use < 3; use++) {
        last_words words = last_words_of([=] {
            toft::pool first, second(std::move(first));
            if (use == 0) (void)first.try_allocate(8);
            if (use == 1) (void)first.stats();
            if (use == 2) (void)toft::allocator<int, toft::pool>(first).allocate(1);
        });
        CAPTURE(words.said);
        CHECK(aborted(words));
        CHECK(words.said.find("toft: a pool is used that was moved from") != std::string::npos);
    }
}
#endif
