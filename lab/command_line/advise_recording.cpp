// SPDX-License-Identifier: MIT
#include "advise_recording.hpp"

#include "command.hpp"
#include "record/recording_names.hpp"
#include "run/interrupt.hpp"
#include "run/pipes.hpp"
#include "run/target.hpp"
#include "run/tell.hpp"
#include "show/cells.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/wait.h>

namespace toft::lab {
namespace {

// All recordings of such a run lie in the current folder.
std::string name_of(const std::string &path) {
    return std::filesystem::path(path).filename().string();
}

bool was_ended_by_request(int wait_status) {
    if (!WIFSIGNALED(wait_status)) return false;
    const int signal = WTERMSIG(wait_status);
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

// While the program is recorded, Ctrl-C and the like are its own business. But who sends them
// doesn't want it to be run again, also when it handles them and succeeds.
void stop_if_asked(const finished_recording &done) {
    if (!done.end_was_requested && !was_ended_by_request(done.wait_status)) return;
    if (is_whole(done))
        tell_stderr("toft advise: the recording is kept: `toft advise {}` tells of it\n",
                    name_of(done.files.front().path));
    throw interruption{};
}

// Many programs say by their status what they found, as those that check files do. A shell says by
// 126 and 127 that it couldn't start a program, and by more that a signal ended it; by 255 scripts
// say that they died.
bool has_told_by_status(int wait_status) {
    constexpr int least_failure = 126;
    return WIFEXITED(wait_status) && WEXITSTATUS(wait_status) < least_failure;
}

void require_an_end(const finished_recording &done, const std::string &program) {
    const std::string trouble = describe_end(done.wait_status, "");
    if (trouble.empty() || (has_told_by_status(done.wait_status) && is_whole(done))) return;
    if (!is_whole(done))
        throw std::invalid_argument(fmt::format("{} {}. {}", program, trouble, how_to_succeed));
    throw std::invalid_argument(
        fmt::format("{} {}. Make it succeed first, or take its recording without running it again: "
                    "toft advise {}",
                    program, trouble, name_of(done.files.front().path)));
}

// Who gives a shell's script or a compiler's driver means what that starts, and sometimes what it
// did before it became another program: the recorder has renamed the file of that time.
std::string remark_on_other_files(const finished_recording &done) {
    const recorded_totals &own = done.files.front();
    const auto most = std::ranges::max_element(done.files, {}, &recorded_totals::calls);
    if (most->calls == own.calls) return {};
    const char *who = is_named_before_exec(most->path, own.path)
                          ? "Before it became another program, this process"
                          : "Another process of this run";
    return fmt::format(
        "{} made more calls of its heap, {} beside {}: `toft advise {}` tells of it.", who,
        with_commas(most->calls), with_commas(own.calls), name_of(most->path));
}

} // namespace

recording_for_advice record_for_advice(const std::vector<std::string> &program) {
    record_request asked;
    asked.words = program;
    asked.is_aside = true;
    const finished_recording done = record_and_tell(asked);
    stop_if_asked(done);
    require_an_end(done, program.front());
    if (!is_whole(done)) throw std::runtime_error("without a whole recording there is no advice");
    recording_for_advice made;
    made.path = done.files.front().path;
    made.usual_status = WEXITSTATUS(done.wait_status);
    if (made.usual_status != 0)
        made.remarks.push_back(
            fmt::format("{} exited with status {}. That is taken for its usual end: if it failed, "
                        "this tells of no more than it did until then.",
                        program.front(), made.usual_status));
    made.notes.push_back(
        fmt::format("The program was recorded into {}, which `toft verify` and `toft replay` take.",
                    name_of(made.path)));
    if (std::string remark = remark_on_other_files(done); !remark.empty())
        made.remarks.push_back(std::move(remark));
    return made;
}

} // namespace toft::lab
