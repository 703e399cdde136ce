// SPDX-License-Identifier: MIT
#include "recognise.hpp"

#include "elf_file.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace toft::lab {
namespace {

// As execvp searches; empty when there is none.
std::string find_program(const std::string &name) {
    if (name.find('/') != std::string::npos) return name;
    const char *path = std::getenv("PATH");
    std::istringstream folders(path ? path : "/bin:/usr/bin");
    for (std::string folder; std::getline(folders, folder, ':');) {
        const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
        struct stat status{};
        if (stat(candidate.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
            access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return {};
}

// What keeps the system from running it, or the loader from preloading into it.
std::string find_obstacle(const std::string &path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0)
        return fmt::format("there is no file {}: check the path", path);
    if (S_ISDIR(status.st_mode)) return fmt::format("{} is a folder, not a program", path);
    if (!S_ISREG(status.st_mode)) // to open a pipe would wait for somebody who writes to it
        return fmt::format("{} is no regular file, and so no program", path);
    if (access(path.c_str(), X_OK) != 0)
        return fmt::format("{} isn't executable: chmod +x it, or name its interpreter", path);
    const bool privileged = (status.st_mode & (S_ISUID | S_ISGID)) != 0 ||
                            getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
    if (privileged)
        return fmt::format(
            "{} runs with privileges of its own (setuid, setgid or capabilities), so "
            "the loader refuses to preload anything: try a copy without them",
            path);
    return {};
}

// The interpreter that a script's first line names; empty when it is no script.
std::string interpreter_of(const std::string &path) {
    std::ifstream file(path);
    std::string line;
    if (!std::getline(file, line) || !line.starts_with("#!")) return {};
    std::istringstream words(line.substr(2));
    std::string program, argument;
    words >> program >> argument;
    const bool is_env = std::filesystem::path(program).filename() == "env";
    return is_env && !argument.empty() && argument[0] != '-' ? argument : program;
}

std::string malloc_among(const std::vector<std::string> &libraries) {
    constexpr std::array<std::string_view, 6> known = {
        "libmimalloc", "libjemalloc", "libtcmalloc", "libhoard", "libsnmalloc", "libtoft-malloc"};
    for (const std::string &library : libraries)
        for (const std::string_view name : known)
            if (library.starts_with(name)) return library;
    return {};
}

// What is built with toft is for the C library that toft itself is built for.
bool is_of_another_libc(const std::string &interpreter) {
#ifdef __GLIBC__
    return std::filesystem::path(interpreter).filename().string().starts_with("ld-musl");
#else
    (void)interpreter;
    return false;
#endif
}

void look_inside(recognised_program &p, const elf_file &elf) {
    if (elf.is_go) {
        p.trouble =
            fmt::format("{} is a Go program: its heap is its own runtime's, which no malloc "
                        "takes part in. Use Toft's Go module in it, and toft bench go to see "
                        "what that gains",
                        p.path);
    } else if (!elf.is_64_bit) {
        p.trouble = fmt::format("{} is a 32-bit program, and what is preloaded is for 64 bits: "
                                "build it for 64 bits",
                                p.path);
    } else if (elf.interpreter.empty()) {
        p.trouble = fmt::format("{} is linked statically, so nothing can be preloaded: link it "
                                "dynamically (to compare mallocs, each can be linked into a copy)",
                                p.path);
    } else if (is_of_another_libc(elf.interpreter)) {
        p.trouble =
            fmt::format("{} is built for musl, and what is preloaded is for glibc: build it "
                        "for glibc (to compare mallocs, each can be linked into a copy)",
                        p.path);
    } else if (elf.defines_malloc) {
        p.trouble = fmt::format(
            "{} brings its own malloc{}, which comes before any that is preloaded: build it "
            "without (often an option such as --with-malloc=libc)",
            p.path, elf.allocator_inside.empty() ? "" : fmt::format(" ({})", elf.allocator_inside));
    } else {
        p.own_library = malloc_among(elf.libraries);
        if (!p.own_library.empty())
            p.remark = fmt::format("{} is linked with {}: the row 'as it is' has that malloc",
                                   p.path, p.own_library);
        else if (!elf.allocator_inside.empty())
            p.remark =
                fmt::format("{} holds text of {}: it may bring that malloc for a part of its "
                            "memory, which stays as it is in every row",
                            p.path, elf.allocator_inside);
    }
}

void recognise(recognised_program &p, const std::string &name, unsigned depth) {
    constexpr unsigned deepest = 4; // interpreters of interpreters, as the kernel allows
    const std::string path = find_program(name);
    if (path.empty()) {
        p.trouble = fmt::format("no program is named '{}' in PATH", name);
        return;
    }
    p.trouble = find_obstacle(path);
    if (!p.trouble.empty()) return;
    if (const auto elf = read_elf_file(path)) {
        const std::string asked_for = std::exchange(p.path, path);
        look_inside(p, *elf);
        if (!asked_for.empty()) p.path = asked_for;
        return;
    }
    if (p.path.empty()) p.path = path;
    const std::string interpreter = interpreter_of(path);
    if (interpreter.empty() || depth == deepest)
        p.trouble =
            fmt::format("{} is neither a program nor a script that names its interpreter in "
                        "a first line with #!",
                        path);
    else
        recognise(p, interpreter, depth + 1);
}

} // namespace

recognised_program recognise_program(const std::string &name) {
    recognised_program p;
    try {
        recognise(p, name, 0);
    } catch (const std::system_error &e) {
        p.trouble = e.what();
    }
    return p;
}

} // namespace toft::lab
