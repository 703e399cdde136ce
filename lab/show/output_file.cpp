// SPDX-License-Identifier: MIT
#include "output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace toft::lab {
namespace {

[[noreturn]] void fail(const std::string &path) {
    throw std::system_error(errno, std::generic_category(), "can't write " + path);
}

namespace fs = std::filesystem;

// The number of the open file that "/proc/self/fd/1" is a name of. It is no link like others: what
// is open there goes on where it is, while a file that is opened anew would begin at its start.
std::optional<int> open_file_called(const fs::path &path) {
    std::error_code ignored;
    const std::string number = path.filename().string();
    if (number.empty() || number.find_first_not_of("0123456789") != std::string::npos ||
        !fs::equivalent(path.parent_path(), "/proc/self/fd", ignored))
        return {};
    return std::atoi(number.c_str());
}

// Where links lead to. What is moved onto a link takes its place, and the file behind it stays old.
std::string behind_links(fs::path path) {
    constexpr int most_links = 40; // as the kernel follows
    std::error_code ignored;
    for (int links = 0; fs::is_symlink(path, ignored) && !open_file_called(path); ++links) {
        if (errno = ELOOP; links == most_links) fail(path.string());
        path = path.parent_path() / fs::read_symlink(path);
    }
    return path.string();
}

// A place that exists and isn't a regular file (a device, a pipe) is written to as it is.
bool is_special(const std::string &path) {
    struct stat status{};
    return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

// What open would give a new file. Asking for the mask means setting it: only one thread may.
mode_t ordinary_mode() {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

// Nobody may read or write the new file who couldn't do so with the old one. It stays its owner's
// where root writes it, and its group's where the writer is in that group. Otherwise the members of
// the group are among all others, who may then do what both could.
void take_rights(int descriptor, const std::string &path) {
    struct stat old{};
    if (stat(path.c_str(), &old) != 0) {
        fchmod(descriptor, ordinary_mode());
        return;
    }
    const bool has_group = fchown(descriptor, old.st_uid, old.st_gid) == 0 ||
                           fchown(descriptor, uid_t(-1), old.st_gid) == 0;
    const mode_t all = old.st_mode & 0777;
    fchmod(descriptor, has_group ? all : all & (0700 | (all >> 3 & 07)));
}

} // namespace

output_file::output_file(const std::string &path) : path_(behind_links(path)), draft_(path_) {
    if (const std::optional<int> open_file = open_file_called(path_)) {
        descriptor_ = fcntl(*open_file, F_DUPFD_CLOEXEC, 0);
    } else if (is_special(path_)) {
        descriptor_ = open(draft_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    } else {
        draft_ += ".part-XXXXXX";
        descriptor_ = mkostemp(draft_.data(), O_CLOEXEC);
        if (descriptor_ >= 0) take_rights(descriptor_, path_);
    }
    if (descriptor_ < 0) fail(path_);
}

output_file::~output_file() {
    if (descriptor_ < 0) return;
    close(descriptor_);
    drop_draft();
}

void output_file::drop_draft() {
    if (draft_ != path_) unlink(draft_.c_str());
}

void output_file::write(std::string_view text) {
    append(text);
    finish();
}

void output_file::append(std::string_view text) {
    for (std::size_t written = 0; written != text.size();) {
        const ssize_t n = ::write(descriptor_, text.data() + written, text.size() - written);
        if (n < 0 && errno != EINTR) fail(path_);
        if (n > 0) written += static_cast<std::size_t>(n);
    }
}

void output_file::finish() {
    const bool closed = close(std::exchange(descriptor_, -1)) == 0;
    if (closed && (draft_ == path_ || rename(draft_.c_str(), path_.c_str()) == 0)) return;
    const int error = errno;
    drop_draft();
    errno = error;
    fail(path_);
}

} // namespace toft::lab
