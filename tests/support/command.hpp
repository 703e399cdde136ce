// SPDX-License-Identifier: MIT
// Another program's end and output.
#ifndef TOFT_TESTS_SUPPORT_COMMAND_HPP
#define TOFT_TESTS_SUPPORT_COMMAND_HPP

#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace toft_test {

struct command_result {
    int exit_code; // -1 where a signal ended it
    int signal;    // 0 where none did
    std::string output;
};

// Runs a shell command, standard error with standard output.
inline command_result run_command(const std::string &command) {
    std::fflush(nullptr);
    FILE *pipe = popen(("ulimit -c 0; exec " + command + " 2>&1").c_str(), "r");
    if (pipe == nullptr) return {-1, 0, "popen failed"};
    std::string output;
    for (int c; (c = std::fgetc(pipe)) != EOF;) output += static_cast<char>(c);
    int status = pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            WIFSIGNALED(status) ? WTERMSIG(status) : 0, output};
}

} // namespace toft_test

#endif
