// SPDX-License-Identifier: MIT
// A fork while other threads are in the middle of the pool: the child finds no lock held and no
// structure half changed.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <toft/pool.h>

#include "support/build.hpp"
#include "support/child.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

// Enough of each class that caches, depots, spans and large objects all have work.
void churn(toft_pool *pool, unsigned count) {
    std::vector<void *> objects(count);
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

TEST_CASE("fork under load, 1,000 times: the child can do all that the parent can") {
    // TSan can't follow a child that starts threads: it is left to the other builds.
    if (thread_sanitizer) return;
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
    for (int i = 0; i < (fast_build ? 1000 : 100) && failures == 0; i++) {
        void *object = toft_pool_alloc(own, 64);
        pid_t child = fork();
        if (child == 0) _exit(child_of_fork(own, object));
        toft_pool_free(own, object, 64);
        int status = 0;
        REQUIRE(waitpid(child, &status, 0) == child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) failures++;
    }
    stop = true;
    for (auto &thread : threads) thread.join();
    CHECK(failures == 0);
}
