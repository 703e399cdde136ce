// SPDX-License-Identifier: MIT
#include "listening.hpp"

#include "side_by_side.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

[[noreturn]] void fail(const char *what) {
    throw std::system_error(errno, std::generic_category(), what);
}

bool make_nonblocking(int fd) { return fcntl(fd, F_SETFL, O_NONBLOCK) == 0; }

// Until what the process started is gone too: a server's dying worker must not answer in the next
// one's place. A process with privileges of its own can't be killed, and isn't waited for.
void wait_for_group(pid_t leader) {
    using namespace std::chrono_literals;
    const auto end = std::chrono::steady_clock::now() + 2s;
    while (std::chrono::steady_clock::now() < end) {
        const pid_t ended = waitpid(-leader, nullptr, WNOHANG);
        if (ended < 0 && errno != EINTR) return;
        if (ended <= 0) usleep(500);
    }
}

} // namespace

started_process::started_process(const std::vector<std::string> &words, const surroundings &with,
                                 bool keeps_output) {
    prctl(PR_SET_CHILD_SUBREAPER, 1); // what outlives it becomes a child of this process
    if (!make_nonblocking(output_.read_end) || !make_nonblocking(errors_.read_end)) fail("fcntl");
    launched_.emplace(words, with, keeps_output ? output_.write_end : -1, errors_.write_end);
    leave_the_processor();
    output_.close_write_end();
    errors_.close_write_end();
    if (keeps_output) ends_[0].fd = output_.read_end;
    ends_[1].fd = errors_.read_end;
}

started_process::~started_process() {
    kill_all();
    int status = 0;
    while (!waited_for_ && waitpid(id(), &status, 0) < 0 && errno == EINTR) {}
    wait_for_group(id());
}

bool started_process::has_ended() const {
    siginfo_t info{};
    return waited_for_ ||
           (waitid(P_PID, static_cast<id_t>(id()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == id());
}

void started_process::read_output() {
    std::array<char, 65536> buffer;
    ssize_t n = 0;
    while ((n = read(output_.read_end, buffer.data(), buffer.size())) > 0) {
        length_ += static_cast<std::uint64_t>(n);
        for (ssize_t i = 0; i != n; ++i) {
            hash_ ^= static_cast<unsigned char>(buffer[static_cast<std::size_t>(i)]);
            hash_ *= 1099511628211U;
        }
    }
    if (n == 0) ends_[0].fd = -1;
}

void started_process::read_errors() {
    constexpr std::size_t most_kept = 4096;
    std::array<char, 4096> buffer;
    ssize_t n = 0;
    while ((n = read(errors_.read_end, buffer.data(), buffer.size())) > 0) {
        last_errors_.append(buffer.data(), static_cast<std::size_t>(n));
        if (last_errors_.size() > most_kept) last_errors_.erase(0, last_errors_.size() - most_kept);
    }
    if (n == 0) ends_[1].fd = -1;
}

void started_process::hear() {
    read_output();
    read_errors();
}

// A process that it started may hold the pipes open for longer than it lives, so their end says
// nothing: that the process has ended is asked of the kernel.
bool started_process::listen(std::chrono::milliseconds longest, started_process *beside) {
    const auto begin = std::chrono::steady_clock::now();
    const auto end = begin + longest;
    bool ended = has_ended();
    while (!ended && std::chrono::steady_clock::now() < end) {
        poll(ends_.data(), ends_.size(), 1);
        hear();
        if (beside) beside->hear();
        ended = has_ended();
    }
    hear();
    return !ended;
}

ended_process started_process::wait(int usual_status) {
    ended_process end;
    int status = 0;
    while (wait4(id(), &status, 0, &end.usage) < 0)
        if (errno != EINTR) fail("wait4");
    waited_for_ = true;
    hear();
    end.trouble = describe_end(status, last_errors_, usual_status);
    return end;
}

void started_process::ask_to_end() const { kill(id(), SIGTERM); }

void started_process::kill_all() const { kill(-id(), SIGKILL); }

std::string started_process::digest() const {
    return fmt::format("{} bytes, {:016x}", length_, hash_);
}

} // namespace toft::lab
