// SPDX-License-Identifier: MIT
#include "recorded_program.hpp"

#include "recorded_file.hpp"
#include "recording_names.hpp"
#include "run/paths.hpp"
#include "run/preloaded_program.hpp"
#include "run/recognise.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
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

// In the process that becomes the program.
void put_aside() {
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 && dup2(nothing, STDOUT_FILENO) >= 0)
        return;
    std::perror("toft: can't put the program's input and output aside");
    constexpr int not_started = 127; // as shells have it
    _exit(not_started);
}

// Likewise.
void set_environment(const record_request &asked, std::string path) {
    const std::string number = std::to_string(getpid());
    if (asked.file.empty()) path = with_number(path, number);
    setenv("TOFT_RECORD_FILE", path.c_str(), 1);
    setenv("TOFT_RECORD_ROOT", number.c_str(), 1);
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

// Whether it is of a run that was given the same name at the same time, and has taken this one's
// file for an earlier recording.
bool is_of_another_run(const std::string &path, pid_t process) {
    return is_recording(path) && process_of_recording(path) != static_cast<std::uint64_t>(process);
}

} // namespace

finished_recording record_program(const record_request &asked) {
    refuse_what_cannot_be_recorded(asked.words.front());
    finished_recording done;
    done.path = path_for(asked);
    if (!asked.file.empty()) remove_former(done.path);
    require_writable(done.path, asked.file.empty());
    const std::set<std::string> there_before = family_of(done.path);
    const preloaded_end end = run_preloaded(asked.words, helper_path(recorder_file), [&] {
        set_environment(asked, done.path);
        if (asked.is_aside) put_aside();
    });
    done.wait_status = end.wait_status;
    done.end_was_requested = end.was_requested;
    if (asked.file.empty()) done.path = with_number(done.path, std::to_string(end.process_id));
    done.taken = is_of_another_run(done.path, end.process_id);
    for (const std::string &path : family_of(done.path))
        if (!there_before.contains(path) && is_recording(path) &&
            !(done.taken && is_of_another_run(path, end.process_id)))
            done.files.push_back(totals_of(path));
    return done;
}

} // namespace toft::lab
