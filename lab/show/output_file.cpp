// SPDX-License-Identifier: MIT
#include "output_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace toft::lab {
namespace {

[[noreturn]] void fail(const std::string &path) {
    throw std::system_error(errno, std::generic_category(), "can't write " + path);
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

} // namespace

output_file::output_file(std::string path) : path_(std::move(path)), draft_(path_) {
    if (is_special(path_)) {
        descriptor_ = open(draft_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    } else {
        draft_ += ".part-XXXXXX";
        descriptor_ = mkostemp(draft_.data(), O_CLOEXEC);
        if (descriptor_ >= 0) fchmod(descriptor_, ordinary_mode());
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
