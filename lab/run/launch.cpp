// SPDX-License-Identifier: MIT
#include "launch.hpp"

#include "launch_report.h"
#include "paths.hpp"
#include "spawning.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

[[noreturn]] void fail(int error, const std::string &what) {
    throw std::system_error(error, std::generic_category(), what);
}

std::vector<std::string> words_for_launcher(const std::vector<std::string> &program, int report,
                                            int lifeline) {
    std::vector<std::string> words = {launcher_file, std::to_string(report),
                                      std::to_string(lifeline)};
    words.insert(words.end(), program.begin(), program.end());
    return words;
}

// The program's, under names that mean nothing to the launcher's own loader.
std::vector<std::string> variables_for_launcher(const surroundings &with) {
    std::vector<std::string> variables = environment_with(with);
    for (std::string &v : variables) v.insert(0, 1, '_');
    return variables;
}

pid_t spawn(std::vector<std::string> words, std::vector<std::string> variables, int output,
            int errors, int report, int lifeline) {
    spawn_actions files;
    posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&files.actions, output >= 0 ? output : STDIN_FILENO,
                                     STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files.actions, errors, STDERR_FILENO);
    for (const int kept : {report, lifeline}) // one that becomes itself isn't closed by exec
        posix_spawn_file_actions_adddup2(&files.actions, kept, kept);
    const group_leader attributes;
    const std::string path = helper_path(launcher_file);
    pid_t launcher = -1;
    const int error = posix_spawn(&launcher, path.c_str(), &files.actions, &attributes.flags,
                                  pointers_to(words).data(), pointers_to(variables).data());
    if (error == ENOENT) fail(error, fmt::format("{} is missing: install toft again", path));
    if (error != 0) fail(error, "can't start a program");
    return launcher;
}

// All of it, or as much as there is before the other end is closed.
std::size_t read_all(int file, void *to, std::size_t size) {
    std::size_t done = 0;
    while (done != size) {
        const ssize_t n = read(file, static_cast<char *>(to) + done, size - done);
        if (n == 0 || (n < 0 && errno != EINTR)) break;
        if (n > 0) done += static_cast<std::size_t>(n);
    }
    return done;
}

} // namespace

launch::launch(const std::vector<std::string> &words, const surroundings &with, int output,
               int errors) {
    pipe_pair report;
    launcher_ =
        spawn(words_for_launcher(words, report.write_end, lifeline_.read_end),
              variables_for_launcher(with), output, errors, report.write_end, lifeline_.read_end);
    report.close_write_end();
    launch_report told{};
    const bool any = read_all(report.read_end, &told, sizeof told) == sizeof told;
    if (!any || told.program < 0) {
        end_launcher();
        fail(any ? told.error : EPIPE, "can't start a program");
    }
    program_ = told.program;
    begun_ = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(told.begun_ns));
    char nothing = 0; // the program has the other end until its exec closes it
    read_all(report.read_end, &nothing, 1);
}

// The launcher goes before its lifeline does: the program's number may be another group's by now.
launch::~launch() { end_launcher(); }

void launch::end_launcher() const {
    kill(launcher_, SIGKILL);
    while (waitpid(launcher_, nullptr, 0) < 0 && errno == EINTR) {}
}

} // namespace toft::lab
