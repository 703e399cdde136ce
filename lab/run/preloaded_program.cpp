// SPDX-License-Identifier: MIT
#include "preloaded_program.hpp"

#include "preload_path.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

volatile std::sig_atomic_t child;

extern "C" void hand_on(int signal) {
    const int error = errno;
    kill(child, signal);
    errno = error;
}

// What a terminal sends to both is the program's business only; what somebody sends to this process
// is handed on. Lives while the program runs.
class signal_passage {
  public:
    signal_passage() {
        for (std::size_t i = 0; i < std::size(signals); ++i) {
            struct sigaction action{};
            action.sa_handler = i < 2 ? SIG_IGN : hand_on;
            action.sa_flags = SA_RESTART;
            sigaction(signals[i], &action, &former_[i]);
        }
    }
    ~signal_passage() { restore(); }
    signal_passage(const signal_passage &) = delete;
    signal_passage &operator=(const signal_passage &) = delete;

    void restore() const {
        for (std::size_t i = 0; i < std::size(signals); ++i)
            sigaction(signals[i], &former_[i], nullptr);
    }

  private:
    static constexpr int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    struct sigaction former_[std::size(signals)];
};

[[noreturn]] void become(const std::vector<std::string> &program, const std::string &library) {
    std::string preload = preload_path(library);
    if (const char *others = std::getenv("LD_PRELOAD"); others && *others)
        preload += std::string(":") + others;
    setenv("LD_PRELOAD", preload.c_str(), 1);
    std::vector<char *> words;
    for (const std::string &word : program) words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    fmt::print(stderr, "toft: can't start {}: {}\n", program.front(),
               std::generic_category().message(errno));
    constexpr int not_started = 127; // as shells have it
    _exit(not_started);
}

} // namespace

preloaded_end run_preloaded(const std::vector<std::string> &words, const std::string &library,
                            const std::function<void()> &set_environment) {
    const signal_passage passage;
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "can't start a process");
    if (pid == 0) {
        passage.restore();
        set_environment();
        become(words, library);
    }
    child = pid;
    preloaded_end end{pid, 0};
    while (waitpid(pid, &end.wait_status, 0) < 0 && errno == EINTR) {}
    return end;
}

} // namespace toft::lab
