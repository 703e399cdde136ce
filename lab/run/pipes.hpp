// SPDX-License-Identifier: MIT
#pragma once

#include <string>

// Listening to another process, and telling how it ended.
namespace toft::lab {

// Both ends close by themselves, also when something throws; and in every program started
// meanwhile.
struct pipe_pair {
    int read_end = -1;
    int write_end = -1;

    pipe_pair();
    ~pipe_pair();
    pipe_pair(const pipe_pair &) = delete;
    pipe_pair &operator=(const pipe_pair &) = delete;

    void close_write_end();
};

// What a process said on two pipes.
struct speech {
    std::string answer;
    std::string errors;
};

// Closes this process's write ends and listens to both pipes until the other one's are closed too.
// False when the limit passed first, or when this process was told to stop (see interrupt.hpp).
bool listen(pipe_pair &answer, pipe_pair &errors, speech &heard, double limit_seconds);

// What waitpid's status means, with the last line of what was said; empty for exit status 0.
std::string describe_end(int status, const std::string &errors);

} // namespace toft::lab
