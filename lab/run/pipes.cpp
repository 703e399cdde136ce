// SPDX-License-Identifier: MIT
#include "pipes.hpp"

#include "interrupt.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

using clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char *what) {
    throw std::system_error(errno, std::generic_category(), what);
}

// Short enough that an interrupt just before the wait is soon seen.
constexpr double longest_wait_seconds = 0.2;

std::string last_line_of(std::string text) {
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

} // namespace

pipe_pair::pipe_pair() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
    read_end = ends[0];
    write_end = ends[1];
}

pipe_pair::~pipe_pair() {
    close(read_end);
    close_write_end();
}

void pipe_pair::close_write_end() {
    if (write_end >= 0) close(write_end);
    write_end = -1;
}

bool listen(pipe_pair &answer, pipe_pair &errors, speech &heard, double limit_seconds,
            const meanwhile &other) {
    answer.close_write_end();
    errors.close_write_end();
    std::array<pollfd, 2> ends = {{{answer.read_end, POLLIN, 0}, {errors.read_end, POLLIN, 0}}};
    const std::array<std::string *, 2> texts = {&heard.answer, &heard.errors};
    const auto begin = clock::now();
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
        const std::chrono::duration<double> passed = clock::now() - begin;
        const double left_seconds = limit_seconds - passed.count();
        if (left_seconds <= 0 || interrupted()) return false;
        double wait_ms = 1 + 1e3 * std::min(left_seconds, longest_wait_seconds);
        if (other) wait_ms = std::min(wait_ms, static_cast<double>(other().count()));
        if (poll(ends.data(), ends.size(), static_cast<int>(wait_ms)) < 0 && errno != EINTR)
            fail("poll");
        for (std::size_t i = 0; i != ends.size(); ++i) {
            if (ends[i].fd < 0 || ends[i].revents == 0) continue;
            std::array<char, 4096> buffer;
            const ssize_t n = read(ends[i].fd, buffer.data(), buffer.size());
            if (n > 0)
                texts[i]->append(buffer.data(), static_cast<std::size_t>(n));
            else if (n == 0 || errno != EINTR)
                ends[i].fd = -1; // poll passes over it from now on
        }
    }
    return true;
}

std::string describe_end(int status, const std::string &errors, int usual_status) {
    std::string said = last_line_of(errors);
    if (!said.empty()) said = ": " + said;
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return fmt::format("crashed with signal {} ({}){}", signal, strsignal(signal), said);
    }
    if (WEXITSTATUS(status) != usual_status)
        return fmt::format("exited with status {}{}", WEXITSTATUS(status), said);
    return {};
}

} // namespace toft::lab
