// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

[[noreturn]] void fail(const char *what) {
    throw std::system_error(errno, std::generic_category(), what);
}

// Closes by itself, also when something throws.
class descriptor {
  public:
    explicit descriptor(int number) : number_(number) {
        if (number < 0) fail("can't start a program");
    }
    ~descriptor() { close(); }
    descriptor(const descriptor &) = delete;
    descriptor &operator=(const descriptor &) = delete;

    int number() const { return number_; }
    void close() {
        if (number_ >= 0) ::close(number_);
        number_ = -1;
    }

  private:
    int number_;
};

// In the new process, where only what is safe after a fork may be called.
[[noreturn]] void become(char *const *words, int output, int errors) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (dup2(output, STDOUT_FILENO) >= 0 && dup2(errors, STDERR_FILENO) >= 0)
        execv(words[0], words);
    _exit(127);
}

std::string read_all(int from) {
    std::string text;
    std::array<char, 4096> buffer;
    while (true) {
        const ssize_t n = read(from, buffer.data(), buffer.size());
        if (n < 0 && errno != EINTR) fail("read");
        if (n == 0) return text;
        if (n > 0) text.append(buffer.data(), static_cast<std::size_t>(n));
    }
}

std::string last_words(int errors) {
    lseek(errors, 0, SEEK_SET);
    std::string text = read_all(errors);
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text.empty() ? text : ": " + text.substr(text.rfind('\n') + 1);
}

void expect_success(pid_t program, const std::string &path, int errors) {
    int status = 0;
    while (waitpid(program, &status, 0) < 0)
        if (errno != EINTR) fail("waitpid");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    const std::string name = std::filesystem::path(path).filename();
    const std::string end = WIFSIGNALED(status)
                                ? fmt::format("crashed with signal {}", WTERMSIG(status))
                                : fmt::format("exited with status {}", WEXITSTATUS(status));
    throw std::runtime_error(fmt::format("{} {}{}", name, end, last_words(errors)));
}

} // namespace

std::string output_of_program(const std::string &path, const std::vector<std::string> &arguments) {
    std::vector<std::string> texts = {path};
    texts.insert(texts.end(), arguments.begin(), arguments.end());
    std::vector<char *> words;
    for (std::string &text : texts) words.push_back(text.data());
    words.push_back(nullptr);

    // What it complains about goes to a file, which never fills up while nobody reads.
    const descriptor errors(memfd_create("errors", MFD_CLOEXEC));
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail("pipe");
    const descriptor read_end(ends[0]);
    descriptor write_end(ends[1]);

    const pid_t program = fork();
    if (program == 0) become(words.data(), write_end.number(), errors.number());
    if (program < 0) fail("can't start a program");
    write_end.close();
    std::string output = read_all(read_end.number());
    expect_success(program, path, errors.number());
    return output;
}

} // namespace toft::lab
