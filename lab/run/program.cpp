// SPDX-License-Identifier: MIT
#include "program.hpp"

#include "pipes.hpp"

#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

[[noreturn]] void fail(const char *what) {
    throw std::system_error(errno, std::generic_category(), what);
}

// Runs in the new process, where only functions that are safe after a fork may be called.
[[noreturn]] void become(char *const *words, int output, int errors) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(output, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0)
        execv(words[0], words);
    _exit(127);
}

} // namespace

std::string output_of_program(const std::string &path, const std::vector<std::string> &arguments) {
    std::vector<std::string> texts = {path};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char *> words;
    for (std::string &text : texts) words.push_back(text.data());
    words.push_back(nullptr);

    pipe_pair output;
    pipe_pair errors;
    const pid_t program = fork();
    if (program == 0) become(words.data(), output.write_end, errors.write_end);
    if (program < 0) fail("can't start a program");
    speech heard;
    // There is no limit here: the lab's own limit ends this process, and the program with it.
    if (!listen(output, errors, heard, std::numeric_limits<double>::infinity()))
        kill(program, SIGKILL);

    int status = 0;
    while (waitpid(program, &status, 0) < 0)
        if (errno != EINTR) fail("waitpid");
    const std::string trouble = describe_end(status, heard.errors);
    if (!trouble.empty())
        throw std::runtime_error(
            fmt::format("{} {}", std::filesystem::path(path).filename().string(), trouble));
    return heard.answer;
}

} // namespace toft::lab
