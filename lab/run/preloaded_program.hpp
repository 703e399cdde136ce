// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

// Runs a program with a library of the lab's in front of its heap, until it ends.
namespace toft::lab {

struct preloaded_end {
    pid_t process_id = 0;
    int wait_status = 0; // as waitpid gives it
    // Whether this process got SIGINT, SIGQUIT, SIGTERM or SIGHUP meanwhile. The program may have
    // handled it and ended as if nothing had happened. One that was ignored before doesn't count.
    bool was_requested = false;
};

// `set_environment` is called in the process that becomes the program. Signals to this process are
// handed on, but for SIGINT and SIGQUIT, which a terminal sends to both; it may get a SIGHUP twice.
// Throws std::system_error when no process can be started; one that can't become the program says
// so, and ends with 127.
preloaded_end run_preloaded(const std::vector<std::string> &words, const std::string &library,
                            const std::function<void()> &set_environment);

} // namespace toft::lab
