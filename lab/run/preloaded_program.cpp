// SPDX-License-Identifier: MIT
#include "preloaded_program.hpp"

#include "preload_path.hpp"
#include "tell.hpp"

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
volatile std::sig_atomic_t end_requested;

extern "C" void note_request(int) { end_requested = 1; }

extern "C" void hand_on(int signal) {
    const int error = errno;
    kill(child, signal);
    errno = error;
}

extern "C" void note_and_hand_on(int signal) {
    note_request(signal);
    hand_on(signal);
}

// SIGINT and SIGQUIT aren't handed on, since a terminal sends them to both. What somebody sends to
// this process is, and waits until there is a program. A terminal that goes sends SIGHUP to both as
// well, which looks as if somebody had: the program gets it twice then, rather than never when it
// was sent to this process alone. Lives while the program runs.
class signal_passage {
  public:
    signal_passage() {
        sigset_t handed_on;
        sigemptyset(&handed_on);
        for (const int signal : signals) sigaddset(&handed_on, signal);
        sigprocmask(SIG_BLOCK, &handed_on, &former_mask_);
        end_requested = 0;
        for (std::size_t i = 0; i < std::size(signals); ++i) {
            sigaction(signals[i], nullptr, &former_[i]);
            struct sigaction action{};
            action.sa_handler = handler_of(signals[i], former_[i].sa_handler == SIG_IGN);
            action.sa_flags = SA_RESTART;
            sigaction(signals[i], &action, nullptr);
        }
    }
    ~signal_passage() { restore(); }
    signal_passage(const signal_passage &) = delete;
    signal_passage &operator=(const signal_passage &) = delete;

    void open_to(pid_t program) const {
        child = program;
        sigprocmask(SIG_SETMASK, &former_mask_, nullptr);
    }

    void restore() const {
        for (std::size_t i = 0; i < std::size(signals); ++i)
            sigaction(signals[i], &former_[i], nullptr);
        sigprocmask(SIG_SETMASK, &former_mask_, nullptr);
    }

  private:
    // One that was to be ignored, as nohup asks for, is no request.
    static void (*handler_of(int signal, bool was_ignored))(int) {
        if (signal == SIGINT || signal == SIGQUIT) return was_ignored ? SIG_IGN : note_request;
        if (signal == SIGTERM || signal == SIGHUP) return was_ignored ? hand_on : note_and_hand_on;
        return hand_on;
    }

    static constexpr int signals[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};
    struct sigaction former_[std::size(signals)];
    sigset_t former_mask_{};
};

[[noreturn]] void become(const std::vector<std::string> &program, std::string preload) {
    if (const char *others = std::getenv("LD_PRELOAD"); others && *others)
        preload += std::string(":") + others;
    setenv("LD_PRELOAD", preload.c_str(), 1);
    std::vector<char *> words;
    for (const std::string &word : program) words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    tell_stderr("toft: can't start {}: {}\n", program.front(),
                std::generic_category().message(errno));
    constexpr int not_started = 127; // as shells have it
    _exit(not_started);
}

} // namespace

preloaded_end run_preloaded(const std::vector<std::string> &words, const std::string &library,
                            const std::function<void()> &set_environment) {
    preload_links links; // of this process: the other one ends without a destructor
    const std::string preload = links.path_to(library);
    const signal_passage passage;
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "can't start a process");
    if (pid == 0) {
        passage.restore();
        set_environment();
        become(words, preload);
    }
    passage.open_to(pid);
    preloaded_end end;
    end.process_id = pid;
    while (waitpid(pid, &end.wait_status, 0) < 0)
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
    passage.restore(); // from here on a signal has its usual effect: none is lost
    end.was_requested = end_requested != 0;
    return end;
}

} // namespace toft::lab
