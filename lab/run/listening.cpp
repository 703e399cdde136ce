// SPDX-License-Identifier: MIT
#include "listening.hpp"

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

std::vector<char *> pointers_to(std::vector<std::string> &strings) {
    std::vector<char *> pointers;
    for (std::string &s : strings) pointers.push_back(s.data());
    pointers.push_back(nullptr);
    return pointers;
}

struct descriptors {
    int output, errors;
};

// Runs in the new process, where only functions that are safe after a fork may be called. The files
// are closed by exec, as all of this process's are.
[[noreturn]] void become(char *const *words, char *const *variables, const descriptors &to) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    const int nothing = open("/dev/null", O_RDWR);
    const bool ready = dup2(nothing, STDIN_FILENO) >= 0 &&
                       dup2(to.output >= 0 ? to.output : nothing, STDOUT_FILENO) >= 0 &&
                       dup2(to.errors, STDERR_FILENO) >= 0;
    if (ready) execvpe(words[0], words, variables);
    _exit(127);
}

bool make_nonblocking(int fd) { return fcntl(fd, F_SETFL, O_NONBLOCK) == 0; }

// The process has an end of this pipe until its exec closes it. Until then its memory is a copy of
// this process's, which nobody must take for the program's.
void wait_for_exec(pipe_pair &begun) {
    begun.close_write_end();
    char nothing = 0;
    while (read(begun.read_end, &nothing, 1) < 0 && errno == EINTR) {}
}

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
    std::vector<std::string> texts = words;
    std::vector<std::string> variables = environment_with(with);
    const std::vector<char *> argv = pointers_to(texts), envp = pointers_to(variables);
    prctl(PR_SET_CHILD_SUBREAPER, 1); // what outlives it becomes a child of this process
    pipe_pair begun;
    if (!make_nonblocking(output_.read_end) || !make_nonblocking(errors_.read_end)) fail("fcntl");
    id_ = fork();
    if (id_ == 0)
        become(argv.data(), envp.data(),
               {keeps_output ? output_.write_end : -1, errors_.write_end});
    if (id_ < 0) fail("can't start a program");
    setpgid(id_, id_); // whoever of the two comes first
    wait_for_exec(begun);
    output_.close_write_end();
    errors_.close_write_end();
}

started_process::~started_process() {
    kill_all();
    int status = 0;
    while (!waited_for_ && waitpid(id_, &status, 0) < 0 && errno == EINTR) {}
    wait_for_group(id_);
}

bool started_process::has_ended() const {
    siginfo_t info{};
    return waited_for_ ||
           (waitid(P_PID, static_cast<id_t>(id_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
            info.si_pid == id_);
}

void started_process::read_output() {
    std::array<char, 65536> buffer;
    for (ssize_t n = 0; (n = read(output_.read_end, buffer.data(), buffer.size())) > 0;) {
        length_ += static_cast<std::uint64_t>(n);
        for (ssize_t i = 0; i != n; ++i) {
            hash_ ^= static_cast<unsigned char>(buffer[static_cast<std::size_t>(i)]);
            hash_ *= 1099511628211U;
        }
    }
}

void started_process::read_errors() {
    constexpr std::size_t most_kept = 4096;
    std::array<char, 4096> buffer;
    for (ssize_t n = 0; (n = read(errors_.read_end, buffer.data(), buffer.size())) > 0;) {
        last_errors_.append(buffer.data(), static_cast<std::size_t>(n));
        if (last_errors_.size() > most_kept) last_errors_.erase(0, last_errors_.size() - most_kept);
    }
}

// A process that it started may hold the pipes open for longer than it lives, so their end says
// nothing: that the process has ended is asked of the kernel.
bool started_process::listen(std::chrono::milliseconds longest) {
    const auto begin = std::chrono::steady_clock::now();
    const auto end = begin + longest;
    bool ended = has_ended();
    while (!ended && std::chrono::steady_clock::now() < end) {
        std::array<pollfd, 2> ends = {
            {{output_.read_end, POLLIN, 0}, {errors_.read_end, POLLIN, 0}}};
        poll(ends.data(), ends.size(), 1);
        read_output();
        read_errors();
        ended = has_ended();
        if (!ended && (ends[0].revents & ends[1].revents & POLLHUP) != 0) usleep(500);
    }
    read_output();
    read_errors();
    return !ended;
}

ended_process started_process::wait() {
    ended_process end;
    int status = 0;
    while (wait4(id_, &status, 0, &end.usage) < 0)
        if (errno != EINTR) fail("wait4");
    waited_for_ = true;
    read_output();
    read_errors();
    end.trouble = describe_end(status, last_errors_);
    return end;
}

void started_process::ask_to_end() const { kill(id_, SIGTERM); }

void started_process::kill_all() const { kill(-id_, SIGKILL); }

std::string started_process::digest() const {
    return fmt::format("{} bytes, {:016x}", length_, hash_);
}

} // namespace toft::lab
