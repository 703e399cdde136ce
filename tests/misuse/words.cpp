// SPDX-License-Identifier: MIT
// What is said of a broken rule arrives as one whole line, whatever the program is and does.
#include <doctest/doctest.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <string>
#include <sys/time.h>
#include <unistd.h>

#include <toft/arena.hpp>
#include <toft/pool.h>
#include <toft/reap.hpp>

#include "support/build.hpp"
#include "support/last_words.hpp"

using namespace toft_test;

namespace {

void free_twice(toft_pool *pool) {
    void *object = toft_pool_alloc(pool, 64);
    for (int i = 0; i < 2; i++) toft_pool_free(pool, object, 64);
    toft_pool_trim(pool);
}

// A pipe with two ends, of which the second is written to.
std::array<int, 2> ends;

void never_wait(int end) { fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK); }

std::string what_is_in_the_pipe() {
    std::string all;
    std::array<char, 4096> buffer;
    for (ssize_t n; (n = read(ends[0], buffer.data(), buffer.size())) > 0;)
        all.append(buffer.data(), static_cast<std::size_t>(n));
    return all;
}

void fill_the_pipe() {
    const std::array<char, 4096> something = {};
    int flags = fcntl(ends[1], F_GETFL);
    never_wait(ends[1]);
    while (write(ends[1], something.data(), something.size()) > 0) {}
    fcntl(ends[1], F_SETFL, flags);
}

extern "C" void make_room(int) {
    std::array<char, 4096> buffer;
    while (read(ends[0], buffer.data(), buffer.size()) > 0) {}
}

// Calls the handler in a moment. A system call that waits then ends with EINTR.
void call_soon(void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    sigaction(SIGALRM, &action, nullptr);
    const itimerval soon = {{0, 0}, {0, 200000}};
    setitimer(ITIMER_REAL, &soon, nullptr);
}

} // namespace

// ThreadSanitizer calls the handler after the system call, which waits for it.
TEST_CASE("a broken rule is told to a reader who is slow, though a signal comes meanwhile" *
          doctest::skip(thread_sanitizer)) {
    REQUIRE(pipe(ends.data()) == 0);
    never_wait(ends[0]);
    last_words words = last_words_of([] {
        fill_the_pipe();
        dup2(ends[1], STDERR_FILENO);
        call_soon(make_room);
        free_twice(toft_pool_shared());
    });
    CHECK(aborted(words));
    std::string said = what_is_in_the_pipe();
    for (int end : ends) close(end);
    CAPTURE(said);
    CHECK(said.starts_with("toft: "));
    CHECK(said.find("freed twice") != std::string::npos);
    CHECK(said.find('\n') == said.size() - 1);
}

TEST_CASE("a scope that outlives a reset is told as such") {
    expect_one_line("as by a scope, to a savepoint from before a reset or release", [] {
        toft::arena arena;
        toft::scope scratch(arena);
        arena.reset();
    });
    expect_one_line("savepoint or scope was ended already, or the reap was reset or released", [] {
        toft::reap reap;
        toft::reap_scope scratch(reap);
        reap.reset();
    });
}

TEST_CASE("a broken rule is told in full, however long the pool's name is") {
    for (std::size_t length : {63U, 64U, 65U, 1100U}) {
        const std::string name(length, 'n');
        const std::string told = length <= 64 ? name : std::string(61, 'n') + "...";
        expect_one_line(": pool '" + told + "': freed twice", [&] {
            const toft_pool_options options = {.name = name.c_str()};
            free_twice(toft_pool_create(&options));
        });
    }
}
