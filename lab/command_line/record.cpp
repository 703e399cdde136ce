// SPDX-License-Identifier: MIT
// `toft record`: what a program asks of its heap, into a file.
#include "command.hpp"
#include "record/guesses.h"
#include "run/tell.hpp"
#include "show/cells.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <sys/wait.h>

namespace toft::lab {
namespace {

std::string bytes_text(std::uint64_t bytes) {
    constexpr const char *units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < std::size(units); ++unit) amount /= 1024;
    return unit ? fmt::format("{:.1f} {}", amount, units[unit]) : fmt::format("{} B", bytes);
}

std::string notes_on(const recorded_totals &t) {
    std::string notes;
    if (t.missed_events)
        notes += fmt::format("; {} missed: in signal handlers, during an exec that failed, for "
                             "want of memory or files, or beyond four million sampled objects at "
                             "a time",
                             counted(t.missed_events, "call"));
    if (!t.incomplete.empty()) notes += "; incomplete: " + t.incomplete;
    return notes;
}

// No program can do anything at SIGKILL, nor at a crash without a stack.
std::string note_on_signal(const finished_recording &done) {
    if (!WIFSIGNALED(done.wait_status) || done.files.front().incomplete.empty()) return {};
    return fmt::format("  Signal {} ended the program: up to {} calls of each thread are "
                       "missing.\n",
                       WTERMSIG(done.wait_status), with_commas(toft_block_events_most));
}

std::string note_on_stacks(const recorded_totals &t) {
    if (t.cut_stacks == 0) return {};
    return fmt::format("  For some calls only the inner frames are known ({} a stack couldn't be "
                       "followed to its outermost frame): code without unwind rules, or a "
                       "recursion of thousands of frames.\n",
                       counted(t.cut_stacks, "time"));
}

std::string note_on_operators(const recorded_totals &t) {
    if (t.operators_of.empty()) return {};
    return fmt::format(
        "  {} has new and delete of its own. What C++ takes by them is recorded only "
        "where they call malloc: run the program on glibc's malloc to record all.\n",
        t.operators_of);
}

// A program that becomes another one which is recorded leaves its own file under another name.
std::string note_on_exec(const finished_recording &done) {
    const recorded_totals &own = done.files.front();
    if (own.path != done.path || !own.ends_with_exec) return {};
    return "  Then it became another program, which isn't recorded: it was started without the "
           "recorder in its environment (LD_PRELOAD), or without the right to make its file, or is "
           "one that can't be recorded.\n";
}

// What a script becomes isn't looked at before it runs.
std::string note_on_nothing(const finished_recording &done, bool sampled) {
    const bool is_clear = std::ranges::all_of(
        done.files, [](const recorded_totals &t) { return t.calls == 0 && t.incomplete.empty(); });
    if (sampled || !is_clear) return {};
    return "  A program without any call may bring a malloc of its own, which can't be recorded; "
           "toft record says so when it is given that program itself.\n";
}

void tell(const finished_recording &done, bool sampled) {
    if (done.taken)
        return tell_stderr("toft record: {} is the recording of another run, which was given the "
                           "same name before this one ended; this one's is {}\n",
                           done.path,
                           done.files.empty() ? "lost" : "in " + done.files.front().path);
    if (done.files.empty())
        return tell_stderr("toft record: nothing was recorded in {}\n", done.path);
    const recorded_totals &first = done.files.front();
    tell_stderr("toft record: {}: {}, {} of {}, in {}{}\n", first.path,
                counted(first.calls, "call"), counted(first.objects, "object"),
                bytes_text(first.requested_bytes), bytes_text(first.file_bytes), notes_on(first));
    tell_stderr("{}{}{}{}{}", note_on_operators(first), note_on_stacks(first), note_on_signal(done),
                note_on_exec(done), note_on_nothing(done, sampled));
    if (done.files.size() == 1) return;
    std::uint64_t calls = 0, file_bytes = 0, without_end = 0;
    for (const recorded_totals &t : std::span(done.files).subspan(1)) {
        calls += t.calls;
        file_bytes += t.file_bytes;
        without_end += !t.incomplete.empty();
    }
    tell_stderr("  and {} of processes that it started or was before: {}, in {}\n",
                counted(done.files.size() - 1, "file"), counted(calls, "call"),
                bytes_text(file_bytes));
    if (without_end != 0)
        tell_stderr(
            "  {} of them {} no end yet: such a process still runs, or was killed; up to {} "
            "calls of each of its threads are missing\n",
            with_commas(without_end), without_end == 1 ? "has" : "have",
            with_commas(toft_block_events_most));
}

} // namespace

finished_recording record_and_tell(const record_request &asked) {
    finished_recording done = record_program(asked);
    tell(done, asked.sampled_bytes != 0);
    return done;
}

bool is_whole(const finished_recording &done) {
    const auto has_failed = [](const recorded_totals &t) { return t.failed; };
    return !done.taken && !done.files.empty() &&
           std::none_of(done.files.begin(), done.files.end(), has_failed);
}

int run_record(const record_request &asked) {
    const finished_recording done = record_and_tell(asked);
    const int status = status_like(done.wait_status);
    return status == exit_success && !is_whole(done) ? exit_problems : status;
}

} // namespace toft::lab
