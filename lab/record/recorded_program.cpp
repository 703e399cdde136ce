// SPDX-License-Identifier: MIT
#include "recorded_program.hpp"

#include "recorded_file.hpp"
#include "recording_names.hpp"
#include "run/paths.hpp"
#include "run/pipes.hpp"
#include "run/preloaded_program.hpp"
#include "run/recognise.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <set>
#include <stdexcept>
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
    if (fs::exists(path) && !is_recording(path.string()))
        throw std::invalid_argument(
            fmt::format("{} is there already and is no recording: name another file", asked.file));
    return path.string();
}

// With the program's number at its place.
std::string with_number(std::string path, const std::string &number) {
    if (const auto at = path.rfind(number_here); at != std::string::npos)
        path.replace(at, 1, number);
    return path;
}

// Throws when the recorder couldn't make the file: the program would have run for nothing.
void require_writable(const std::string &path, bool has_no_number) {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0)
        throw std::system_error(errno, std::generic_category(),
                                "can't write " + (has_no_number ? with_number(path, "PID") : path));
    close(descriptor);
    fs::remove(path);
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

// Whether the recorder has called it so. A recording that the user has called FILE.2 isn't that of
// process 2.
bool is_of_other_process(const std::string &path, const std::string &asked) {
    return is_named_before_exec(path, asked) ||
           is_named_for_process(path, asked, process_of_recording(path));
}

// An earlier recording of that name, with the files of its other processes: who reads NAME* later
// shall find one run.
void remove_former(const std::string &path) {
    for (const std::string &other : family_of(path))
        if (is_recording(other) && (other == path || is_of_other_process(other, path)))
            fs::remove(other);
}

// In the process that becomes the program. Another one may have had its number, in a container that
// shares this folder, or long ago; the files of that one's children have its name and more.
std::string with_free_number(const std::string &path) {
    const std::string process = std::to_string(getpid());
    std::string chosen = with_number(path, process);
    for (unsigned n = 2; !family_of(chosen).empty(); ++n)
        chosen = with_number(path, fmt::format("{}.{}", process, n));
    return chosen;
}

// Likewise.
void put_aside() {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0)
        return;
    std::perror("toft: can't put the program's input and output aside");
    constexpr int not_started = 127; // as shells have it
    _exit(not_started);
}

// Likewise.
void set_environment(const record_request &asked, const std::string &path, std::uint32_t run) {
    setenv("TOFT_RECORD_FILE", path.c_str(), 1);
    setenv("TOFT_RECORD_ROOT", std::to_string(getpid()).c_str(), 1);
    setenv("TOFT_RECORD_RUN", std::to_string(run).c_str(), 1);
    if (asked.sampled_bytes)
        setenv("TOFT_RECORD_SAMPLE", std::to_string(asked.sampled_bytes).c_str(), 1);
    else
        unsetenv("TOFT_RECORD_SAMPLE");
}

recorded_totals totals_of(const std::string &path) {
    recorded_totals t;
    t.path = path;
    t.file_bytes = fs::file_size(path);
    file_end file_ends;
    const auto take_block = [&](const toft_block_header &h, std::uint64_t,
                                std::span<const std::byte> payload) {
        file_ends.see(h, payload);
        toft_events_payload events{};
        toft_end_payload end{};
        if (h.kind == toft_block_events && take(payload, events)) {
            t.calls += h.records;
            t.objects +=
                h.records - events.counts[toft_event_free] - events.counts[toft_event_resize];
            t.requested_bytes += events.requested_bytes;
        } else if (h.kind == toft_block_end && take_end(payload, end)) {
            t.missed_events = end.missed_events;
            t.cut_stacks = end.cut_stacks;
        } else if (h.kind == toft_block_operators) {
            t.operators_of.assign(reinterpret_cast<const char *>(payload.data()), payload.size());
        }
    };
    t.incomplete = recorded_file(path).for_each_block(take_block);
    if (t.incomplete.empty()) t.incomplete = file_ends.why_missing();
    t.failed = file_ends.is_failure();
    t.ends_with_exec = file_ends.is_exec();
    return t;
}

// Likewise: for the process that waits for it.
void tell_path(const pipe_pair &to, const std::string &path) {
    (void)!write(to.write_end, path.data(), path.size()); // no longer than what a pipe holds
}

// When that process has ended. Empty: it couldn't tell.
std::string told_path(pipe_pair &from) {
    from.close_write_end();
    std::string path(PATH_MAX, '\0');
    const ssize_t n = read(from.read_end, path.data(), path.size());
    path.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    return path;
}

std::uint32_t number_of_new_run() {
    std::random_device random;
    return std::uniform_int_distribution<std::uint32_t>(1)(random);
}

} // namespace

finished_recording record_program(const record_request &asked) {
    refuse_what_cannot_be_recorded(asked.words.front());
    finished_recording done;
    done.path = path_for(asked);
    if (!asked.file.empty()) remove_former(done.path);
    require_writable(done.path, asked.file.empty());
    const std::uint32_t run = number_of_new_run();
    pipe_pair chosen;
    const preloaded_end end = run_preloaded(asked.words, helper_path(recorder_file), [&] {
        const std::string path = asked.file.empty() ? with_free_number(done.path) : done.path;
        tell_path(chosen, path);
        set_environment(asked, path, run);
        if (asked.is_aside) put_aside();
    });
    done.wait_status = end.wait_status;
    done.end_was_requested = end.was_requested;
    if (const std::string path = told_path(chosen); !path.empty()) done.path = path;
    // By a run that was given the same name at the same time, for which this one's file was an
    // earlier recording.
    done.taken = run_of_recording(done.path).value_or(run) != run;
    for (const std::string &path : family_of(done.path))
        if (run_of_recording(path) == run) done.files.push_back(totals_of(path));
    return done;
}

} // namespace toft::lab
