// SPDX-License-Identifier: MIT
// A fork while other threads are in the middle of the pool: the child finds no lock held and no
// structure half changed.
#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <toft/arena.h>
#include <toft/pool.h>

#include "support/build.hpp"
#include "support/child.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

// Enough of each class that caches, depots, spans and large objects all have work. Nothing comes
// from malloc: AddressSanitizer's holds none of its locks at a fork before LLVM 18 (the change is
// llvm-project#75290; gcc 12 has it neither), and a child would wait for one that is locked.
constexpr std::size_t most_objects = 500;
void churn(toft_pool *pool, std::size_t count) {
    void *objects[most_objects];
    for (std::size_t size : {24u, 64u, 400u, 3000u, 30000u, 50000u}) {
        std::size_t some = size > 1000 ? count / 20 : count;
        for (std::size_t i = 0; i < some; i++) {
            objects[i] = toft_pool_alloc(pool, size);
            if (objects[i] == nullptr) std::abort();
            *static_cast<std::size_t *>(objects[i]) = i;
        }
        for (std::size_t i = 0; i < some; i++) {
            if (*static_cast<std::size_t *>(objects[i]) != i) std::abort();
            toft_pool_free(pool, objects[i], size);
        }
    }
}

int child_of_fork(toft_pool *own, void *from_parent) {
    alarm(hang_seconds);
    toft_pool_free(own, from_parent, 64);
    for (toft_pool *pool : {toft_pool_shared(), own}) churn(pool, 500);
    std::thread([=] { churn(own, 100); }).join();
    toft_pool *another = toft_pool_create(nullptr);
    if (another == nullptr) return 1;
    churn(another, 100);
    toft_pool_destroy(another);
    return 0;
}

} // namespace

// --- handlers of a fork that allocate, registered before the library's and after ---

namespace {

std::atomic<bool> handlers_allocate = false;
void *from_handler = nullptr;
toft_pool *goes_in_handler = nullptr;

void use_everything() {
    if (!handlers_allocate) return;
    churn(toft_pool_shared(), 200);
    toft_pool *own = toft_pool_create(nullptr);
    if (own == nullptr) std::abort();
    churn(own, 100);
    toft_pool_destroy(own);
    toft_arena arena = TOFT_ARENA_INIT;
    for (std::size_t bytes : {100u, 100000u, 10000000u})
        if (toft_arena_alloc(&arena, bytes, 8) == nullptr) std::abort();
    toft_arena_release(&arena);
    toft_pool_free(toft_pool_shared(), from_handler, 64);
    from_handler = toft_pool_alloc(toft_pool_shared(), 64);
    toft_pool_destroy(goes_in_handler);
    goes_in_handler = nullptr;
}

// Before the constructors of the program, and so before the library registers its own handlers.
void register_early(int, char **, char **) {
    pthread_atfork(use_everything, use_everything, use_everything);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const early)(int, char **,
                                                                  char **) = register_early;

} // namespace

TEST_CASE("a handler of a fork may allocate, whenever it was registered") {
    if (thread_sanitizer) return; // it follows no child of a program with threads
    CHECK(runs_in_child([] {
        pthread_atfork(use_everything, use_everything, use_everything);
        std::atomic<bool> stop = false;
        std::vector<std::thread> threads;
        for (int i = 0; i < 2; i++)
            threads.emplace_back([&] {
                while (!stop) churn(toft_pool_shared(), 100);
            });
        handlers_allocate = true;
        for (int i = 0; i < 20; i++)
            CHILD_REQUIRE(runs_in_child([] { churn(toft_pool_shared(), 100); }));
        handlers_allocate = false;
        stop = true;
        for (auto &thread : threads) thread.join();
    }));
}

// The fork holds its locks, and after it those of the pools that are left must be released.
TEST_CASE("a handler of a fork may destroy the only pool, or one of several") {
    if (thread_sanitizer) return;
    for (unsigned others = 0; others < 2; others++)
        CHECK(runs_in_child([=] {
            toft_pool *other = others == 0 ? nullptr : toft_pool_create(nullptr);
            goes_in_handler = toft_pool_create(nullptr);
            std::atomic<bool> stop = false;
            std::thread thread([&] { stop.wait(false); });
            handlers_allocate = true;
            CHILD_REQUIRE(runs_in_child([] { churn(toft_pool_shared(), 500); }));
            handlers_allocate = false;
            churn(toft_pool_shared(), 500);
            toft_pool_trim(toft_pool_shared());
            stop = true;
            stop.notify_all();
            thread.join();
            toft_pool_destroy(other);
        }));
}

// --- what the child gets back ---

TEST_CASE("a child gets back what the threads of its parent kept") {
    if (thread_sanitizer) return;
    pool_guard own;
    const std::size_t size = 256, each = std::size_t{1} << 20;
    std::mutex lock;
    std::condition_variable changed;
    unsigned idle = 0;
    bool done = false;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 16; i++)
        threads.emplace_back([&] {
            std::vector<void *> objects(each / size);
            for (void *&p : objects) p = toft_pool_alloc(own, size);
            toft_arena arena = TOFT_ARENA_INIT;
            if (toft_arena_alloc(&arena, 500000, 8) == nullptr) std::abort();
            toft_arena_release(&arena);
            for (void *p : objects) toft_pool_free(own, p, size);
            std::unique_lock held(lock);
            if (++idle == 16) changed.notify_all();
            changed.wait(held, [&] { return done; });
        });
    std::unique_lock held(lock);
    changed.wait(held, [&] { return idle == 16; });
    toft_pool *pool = own;
    CHECK(runs_in_child([=] {
        toft_pool_trim(pool);
        toft_pool_stats stats = toft_pool_get_stats(pool);
        CHILD_REQUIRE(stats.caches <= 1);
        // What is lost: a magazine of each thread's.
        std::size_t lost = 16 * 62 * size;
        CHILD_REQUIRE(tracked() || stats.live_bytes <= lost);
        // Their spans stay; all other memory has been given back to the system.
        CHILD_REQUIRE(stats.cached_bytes + stats.idle_bytes == 0);
    }));
    done = true;
    changed.notify_all();
    held.unlock();
    for (auto &thread : threads) thread.join();
}

TEST_CASE("a large object whose pages a child lacks is nothing to others") {
    if (tracked()) return; // those that were freed wait, and their records are read
    constexpr std::size_t size = std::size_t{4} << 20, page = 4096;
    toft_pool *pool = toft_pool_shared();
    char *before = static_cast<char *>(toft_pool_alloc(pool, size));
    char *kept = static_cast<char *>(toft_pool_alloc(pool, size));
    char *after = static_cast<char *>(toft_pool_alloc(pool, size));
    // As libibverbs does with what a device may write: whole pages, whatever else is there.
    char *begin = kept - reinterpret_cast<std::uintptr_t>(kept) % page;
    REQUIRE(madvise(begin, size + page, MADV_DONTFORK) == 0);
    CHECK(runs_in_child([=] {
        toft_pool_free(pool, before, size);
        void *another = toft_pool_alloc(pool, 2 * size);
        CHILD_REQUIRE(another != nullptr);
        void *longer = toft_pool_resize(pool, after, size, 3 * size);
        CHILD_REQUIRE(longer != nullptr);
        toft_pool_free(pool, longer, 3 * size);
        toft_pool_free(pool, another, 2 * size);
    }));
    REQUIRE(madvise(begin, size + page, MADV_DOFORK) == 0);
    for (char *object : {before, kept, after}) toft_pool_free(pool, object, size);
}

TEST_CASE("a child that lacks an object's pages can end its pool") {
    constexpr std::size_t size = (std::size_t{2} << 20) - 128, page = 4096; // a huge page with all
    toft_pool *pool = toft_pool_create(nullptr);
    char *kept = static_cast<char *>(toft_pool_alloc(pool, size));
    char *begin = kept + (page - reinterpret_cast<std::uintptr_t>(kept) % page);
    REQUIRE(madvise(begin, size - page, MADV_DONTFORK) == 0);
    CHECK(runs_in_child([=] { toft_pool_destroy(pool); }));
    toft_pool_destroy(pool);
}

TEST_CASE("a child ends pools that threads of its parent have used, and threads that use them") {
    if (thread_sanitizer) return;
    CHECK(runs_in_child([] {
        constexpr int pools = 4, threads = 3;
        toft_pool *own[pools];
        for (toft_pool *&pool : own) pool = toft_pool_create(nullptr);
        std::barrier<> all_used(threads + 1), done(threads + 1);
        std::vector<std::thread> users;
        for (int t = 0; t < threads; t++)
            users.emplace_back([&, t] {
                for (int p = 0; p < pools; p++) churn(own[(p + t) % pools], 100);
                all_used.arrive_and_wait();
                done.arrive_and_wait();
            });
        all_used.arrive_and_wait();
        churn(own[1], 100);
        CHILD_REQUIRE(runs_in_child([&] {
            toft_pool_destroy(own[0]);
            std::thread([&] {
                for (toft_pool *pool : {own[1], own[2], toft_pool_shared()}) churn(pool, 100);
            }).join();
            for (int p = 1; p < pools; p++) toft_pool_destroy(own[p]);
            churn(toft_pool_shared(), 100);
        }));
        done.arrive_and_wait();
        for (toft_pool *pool : own) toft_pool_destroy(pool);
        for (auto &user : users) user.join();
    }));
}

TEST_CASE("fork under load, 1,000 times: the child can do all that the parent can") {
    // TSan can't follow a child that starts threads: it is left to the other builds.
    if (thread_sanitizer) return;
    const int forks = std::getenv("TOFT_TEST_LONG") ? 100000 : fast_build ? 1000 : 100;
    pool_guard own;
    std::atomic<bool> stop = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&, i] {
            while (!stop) {
                churn(i % 2 == 0 ? toft_pool_shared() : static_cast<toft_pool *>(own), 300);
                if (i == 1) toft_pool_trim(own);
                if (i == 2) toft_pool_destroy(toft_pool_create(nullptr));
            }
        });
    unsigned failures = 0;
    for (int i = 0; i < forks && failures == 0; i++) {
        void *object = toft_pool_alloc(own, 64);
        pid_t child = fork();
        if (child == 0) _exit(child_of_fork(own, object));
        toft_pool_free(own, object, 64);
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        CAPTURE(i);
        CAPTURE(status);
        CHECK(status == 0);
        if (status != 0) failures++;
    }
    stop = true;
    for (auto &thread : threads) thread.join();
    CHECK(failures == 0);
}
