// SPDX-License-Identifier: MIT
#include "recorded_program.hpp"

#include "recorded_file.hpp"
#include "run/paths.hpp"
#include "run/preload_path.hpp"
#include "run/recognise.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char *recorder_file = "recorder.so";
constexpr const char *number_here = "%"; // stands for the number of the process

void refuse_what_cannot_be_recorded(const std::string &program) {
    const recognised_program known = recognise_program(program);
    if (!known.trouble.empty()) throw std::invalid_argument(known.trouble);
    if (!fs::exists(helper_path(recorder_file)))
        throw std::invalid_argument("this toft has no recorder: that needs Linux on x86-64, glibc "
                                    "2.35 or newer and libzstd-dev when it is built");
}

std::string path_for(const record_request &asked) {
    if (asked.file.empty())
        return (fs::current_path() / fmt::format("{}.{}.toft",
                                                 fs::path(asked.words.front()).filename().string(),
                                                 number_here))
            .string();
    const fs::path path = fs::absolute(asked.file);
    if (fs::exists(path)) {
        if (!is_recording(path.string()))
            throw std::invalid_argument(fmt::format(
                "{} is there already and is no recording: name another file", asked.file));
        fs::remove(path);
    }
    return path.string();
}

// Those that lie beside it and have its name and more.
std::set<std::string> family_of(const std::string &path) {
    const fs::path folder = fs::path(path).parent_path();
    const std::string name = fs::path(path).filename().string();
    std::set<std::string> found;
    std::error_code ignored;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder, ignored)) {
        const std::string other = entry.path().filename().string();
        if (other == name || other.starts_with(name + ".")) found.insert(entry.path().string());
    }
    return found;
}

// --- the process ---

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

[[noreturn]] void become(const record_request &asked, std::string path) {
    const std::string number = std::to_string(getpid());
    if (const auto at = path.rfind(number_here); asked.file.empty() && at != std::string::npos)
        path.replace(at, 1, number);
    std::string preload = preload_path(helper_path(recorder_file));
    if (const char *others = std::getenv("LD_PRELOAD"); others && *others)
        preload += std::string(":") + others;
    setenv("LD_PRELOAD", preload.c_str(), 1);
    setenv("TOFT_RECORD_FILE", path.c_str(), 1);
    setenv("TOFT_RECORD_ROOT", number.c_str(), 1);
    if (asked.sampled_bytes)
        setenv("TOFT_RECORD_SAMPLE", std::to_string(asked.sampled_bytes).c_str(), 1);
    else
        unsetenv("TOFT_RECORD_SAMPLE");
    std::vector<char *> words;
    for (const std::string &word : asked.words) words.push_back(const_cast<char *>(word.c_str()));
    words.push_back(nullptr);
    execvp(words.front(), words.data());
    fmt::print(stderr, "toft: can't start {}: {}\n", asked.words.front(),
               std::generic_category().message(errno));
    constexpr int not_started = 127; // as shells have it
    _exit(not_started);
}

recorded_totals totals_of(const std::string &path) {
    recorded_totals t;
    t.path = path;
    t.file_bytes = fs::file_size(path);
    bool has_end = false;
    const auto take_block = [&](const toft_block_header &h, std::uint64_t,
                                std::span<const std::byte> payload) {
        has_end = h.kind == toft_block_end;
        toft_events_payload events{};
        toft_end_payload end{};
        if (h.kind == toft_block_events && take(payload, events)) {
            t.calls += h.records;
            t.allocations += h.records - events.counts[toft_event_free];
            t.requested_bytes += events.requested_bytes;
        } else if (has_end && take(payload, end)) {
            t.missed_events = end.missed_events;
        }
    };
    t.incomplete = recorded_file(path).for_each_block(take_block);
    if (t.incomplete.empty() && !has_end)
        t.incomplete = "the process was killed, or is still running";
    return t;
}

} // namespace

finished_recording record_program(const record_request &asked) {
    refuse_what_cannot_be_recorded(asked.words.front());
    finished_recording done;
    done.path = path_for(asked);
    const std::set<std::string> there_before = family_of(done.path);
    const signal_passage passage;
    std::fflush(nullptr);
    const pid_t pid = fork();
    if (pid < 0) throw std::system_error(errno, std::generic_category(), "can't start a process");
    if (pid == 0) {
        passage.restore();
        become(asked, done.path);
    }
    child = pid;
    while (waitpid(pid, &done.wait_status, 0) < 0 && errno == EINTR) {}
    if (asked.file.empty()) done.path.replace(done.path.rfind(number_here), 1, std::to_string(pid));
    for (const std::string &path : family_of(done.path))
        if (!there_before.contains(path) && is_recording(path))
            done.files.push_back(totals_of(path));
    return done;
}

} // namespace toft::lab
