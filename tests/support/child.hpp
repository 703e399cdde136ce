// SPDX-License-Identifier: MIT
// Part of a test in a forked child, where a hang, a crash or a fresh process's state is at stake.
#ifndef TOFT_TESTS_SUPPORT_CHILD_HPP
#define TOFT_TESTS_SUPPORT_CHILD_HPP

#include <cstdio>
#include <sys/wait.h>
#include <unistd.h>

namespace toft_test {

// In a child: the condition holds, or the child ends and says where it didn't.
inline void child_requires(bool holds, const char *what, int line) {
    if (holds) return;
    std::fprintf(stderr, "in a child, line %d: %s doesn't hold\n", line, what);
    _exit(1);
}
#define CHILD_REQUIRE(condition) toft_test::child_requires((condition), #condition, __LINE__)

// A child that takes so long hangs, however loaded the machine is.
inline constexpr unsigned hang_seconds = 600;

// How a child process ended that called the function: 0 when it returned, -1 for a signal, which
// comes to one that hangs too.
template <class F>
int exit_code_in_child(F function) {
    std::fflush(nullptr);
    pid_t child = fork();
    if (child == 0) {
        alarm(hang_seconds);
        function();
        _exit(0);
    }
    int status = 0;
    bool exited = child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status);
    return exited ? WEXITSTATUS(status) : -1;
}

template <class F>
bool runs_in_child(F function) {
    return exit_code_in_child(function) == 0;
}

} // namespace toft_test

#endif
