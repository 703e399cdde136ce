// SPDX-License-Identifier: MIT
// How many instructions malloc's shape over a current strategy takes: a child is stepped through
// them, one by one. They branch, so that tests/golden can't count them in what is compiled.
#include <doctest/doctest.h>
#include <toft/current.h>

#include "support/build.hpp"

#if defined(__x86_64__) && defined(__linux__) && defined(__OPTIMIZE__)

    #include <sys/ptrace.h>
    #include <sys/wait.h>
    #include <unistd.h>

    #include <csignal>

namespace {

void mark() { __asm__ volatile("int3"); }

void allocate_and_free(std::size_t size) { toft_current_free(toft_current_alloc(size)); }

// In the child. The second pair reuses what the first one gave back.
[[noreturn]] void work(toft_strategy strategy, std::size_t size) {
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    const toft_current_use use = toft_current_push(strategy);
    void *const other = toft_current_alloc(size); // a reap that holds nothing is made as new
    allocate_and_free(size);
    mark();
    allocate_and_free(size);
    mark();
    toft_current_free(other);
    toft_current_pop(use);
    _exit(0);
}

// Whether the child stopped at a mark, not after a step.
bool at_mark(pid_t child) {
    siginfo_t info{};
    REQUIRE(ptrace(PTRACE_GETSIGINFO, child, nullptr, &info) == 0);
    return info.si_signo == SIGTRAP && info.si_code == SI_KERNEL;
}

// 0 where the system lets no process trace another.
long steps_of_pair(toft_strategy strategy, std::size_t size) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) work(strategy, size);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (!WIFSTOPPED(status)) return 0; // the mark ended it
    REQUIRE(at_mark(child));
    long steps = 0;
    do {
        steps++;
        REQUIRE(ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0);
        REQUIRE(waitpid(child, &status, 0) == child);
        REQUIRE(WIFSTOPPED(status));
    } while (!at_mark(child));
    ptrace(PTRACE_CONT, child, nullptr, nullptr);
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 0);
    return steps;
}

} // namespace

// With the call here, and the one that ends it. In a reap, most of them find out that the object is
// no pool's, and whose it is.
TEST_CASE("an allocation and its free over a current strategy take few instructions") {
    if (toft_test::address_sanitizer || toft_test::thread_sanitizer) return;
    if (steps_of_pair({0}, 24) == 0) {
        MESSAGE("left out: no process may trace another here");
        return;
    }
    toft_arena arena = TOFT_ARENA_INIT;
    toft_reap reap = TOFT_REAP_INIT;
    toft_pool *pool = toft_pool_create(nullptr);
    REQUIRE(pool != nullptr);
    for (std::size_t size = 24; size <= 240; size *= 10) {
        CHECK(steps_of_pair({0}, size) <= 84);
        CHECK(steps_of_pair(toft_strategy_of_pool(pool), size) <= 102);
        CHECK(steps_of_pair(toft_strategy_of_reap(&reap), size) <= 180);
        CHECK(steps_of_pair(toft_strategy_of_arena(&arena), size) <= 137);
    }
    toft_pool_destroy(pool);
    toft_reap_release(&reap);
    toft_arena_release(&arena);
}

#endif
