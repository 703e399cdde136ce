// SPDX-License-Identifier: MIT
#include "process.hpp"

#include "cpu_time.hpp"
#include "interrupt.hpp"
#include "pipes.hpp"
#include "preload_path.hpp"
#include "process_tree.hpp"
#include "side_by_side.hpp"
#include "spawning.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

extern char **environ;

namespace toft::lab {
namespace {

[[noreturn]] void fail(int error, const char *what) {
    throw std::system_error(error, std::generic_category(), what);
}

// A variable that is there twice has its first value to some programs and its last to others.
void set_variable(std::vector<std::string> &variables, const std::string &assignment) {
    const std::string name = assignment.substr(0, assignment.find('=') + 1);
    std::erase_if(variables, [&](const std::string &v) { return v.starts_with(name); });
    if (assignment != name) variables.push_back(assignment);
}

pid_t spawn(const std::vector<std::string> &arguments, const surroundings &with, int answer,
            int errors) {
    spawn_actions files;
    posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files.actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files.actions, errors, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&files.actions, answer, answer_fd);

    std::vector<std::string> words = {"toft"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = environment_with(with);
    pid_t child = -1;
    const group_leader attributes;
    const int error = posix_spawn(&child, "/proc/self/exe", &files.actions, &attributes.flags,
                                  pointers_to(words).data(), pointers_to(variables).data());
    if (error != 0) fail(error, "can't start a child process");
    return child;
}

} // namespace

std::vector<std::string> environment_with(const surroundings &with) {
    std::vector<std::string> variables;
    for (char **v = environ; *v; ++v) variables.emplace_back(*v);
    set_variable(variables, "LD_PRELOAD=" + preload_path(with.preload));
    if (!with.setting.empty()) set_variable(variables, with.setting);
    return variables;
}

finished_process run_self(const std::vector<std::string> &arguments, const surroundings &with,
                          double limit_seconds, memory looked_at) {
    pipe_pair answer;
    pipe_pair errors;
    const pid_t child = spawn(arguments, with, answer.write_end, errors.write_end);
    leave_the_processor();
    speech heard;
    memory_watch watch(child);
    meanwhile look;
    if (looked_at == memory::watched)
        look = [&watch] {
            watch.look();
            return watch.pause();
        };
    const bool in_time = listen(answer, errors, heard, limit_seconds, look);
    if (!in_time) kill(-child, SIGKILL);

    int status = 0;
    rusage usage{};
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR) fail(errno, "wait4");
    finished_process done;
    done.answer = std::move(heard.answer);
    done.cpu_ns = cpu_ns_of(usage);
    done.trouble = in_time ? describe_end(status, heard.errors)
                           : fmt::format("hung: stopped after {:g} s", limit_seconds);
    done.interrupted = interrupted();
    done.resident = watch.samples();
    done.begun_ns = watch.begun_ns();
    return done;
}

void die_with_parent() {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail(errno, "prctl");
}

void answer_parent(const std::string &answer) {
    for (std::size_t sent = 0; sent != answer.size();) {
        const ssize_t n = write(answer_fd, answer.data() + sent, answer.size() - sent);
        if (n < 0 && errno != EINTR) fail(errno, "can't answer the parent process");
        if (n > 0) sent += static_cast<std::size_t>(n);
    }
}

} // namespace toft::lab
