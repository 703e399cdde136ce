// SPDX-License-Identifier: MIT
// Broken rules in a child: what it says before it aborts.
#ifndef TOFT_TESTS_SUPPORT_LAST_WORDS_HPP
#define TOFT_TESTS_SUPPORT_LAST_WORDS_HPP

#include <array>
#include <csignal>
#include <cstdio>
#include <doctest/doctest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "support/child.hpp"

namespace toft_test {

struct last_words {
    std::string said; // to standard error
    int status;       // as of waitpid
};

// What a child says that calls the function.
template <class F>
last_words last_words_of(F function) {
    std::array<int, 2> ends;
    REQUIRE(pipe(ends.data()) == 0);
    std::fflush(nullptr);
    pid_t child = fork();
    if (child == 0) {
        alarm(hang_seconds);
        std::signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        function();
        _exit(0);
    }
    close(ends[1]);
    last_words words;
    std::array<char, 256> buffer;
    for (ssize_t n; (n = read(ends[0], buffer.data(), buffer.size())) > 0;)
        words.said.append(buffer.data(), static_cast<std::size_t>(n));
    close(ends[0]);
    REQUIRE(waitpid(child, &words.status, 0) == child);
    return words;
}

inline bool aborted(const last_words &words) {
    return WIFSIGNALED(words.status) && WTERMSIG(words.status) == SIGABRT;
}

// The function breaks a rule: one line that has the sign in it, then abort.
template <class F>
void expect_one_line(const std::string &sign, F function) {
    last_words words = last_words_of(function);
    CAPTURE(words.said);
    CHECK(aborted(words));
    CHECK(words.said.starts_with("toft: "));
    CHECK(words.said.find(sign) != std::string::npos);
    CHECK(words.said.find('\n') == words.said.size() - 1);
}

} // namespace toft_test

#endif
