// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <string>

// Listening to another process, and telling how it ended.
namespace toft::lab {

// A pipe. Its ends close by themselves, also when something throws, and they are closed in every
// program that is started meanwhile.
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

// Closes this process's write ends, and reads both pipes until the other process has closed its
// write ends too. Returns false when the limit passed first, or when this process was told to stop
// (see interrupt.hpp).
//
// What else there is to do meanwhile is called again and again; it says when it wants to be next.
using meanwhile = std::function<std::chrono::milliseconds()>;
bool listen(pipe_pair &answer, pipe_pair &errors, speech &heard, double limit_seconds,
            const meanwhile &other = {});

// Says in words what waitpid's status means, with the last line of the errors; empty for the usual
// exit status.
std::string describe_end(int status, const std::string &errors, int usual_status = 0);

} // namespace toft::lab
