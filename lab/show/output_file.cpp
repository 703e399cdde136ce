// SPDX-License-Identifier: MIT
#include "output_file.hpp"

#include <cerrno>
#include <cstdio>
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

} // namespace

output_file::output_file(std::string path)
    : path_(std::move(path)),
      draft_(is_special(path_) ? path_ : path_ + ".part"),
      descriptor_(open(draft_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
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
    for (std::size_t written = 0; written != text.size();) {
        const ssize_t n = ::write(descriptor_, text.data() + written, text.size() - written);
        if (n < 0 && errno != EINTR) fail(path_);
        if (n > 0) written += static_cast<std::size_t>(n);
    }
    const bool closed = close(std::exchange(descriptor_, -1)) == 0;
    if (closed && (draft_ == path_ || rename(draft_.c_str(), path_.c_str()) == 0)) return;
    const int error = errno;
    drop_draft();
    errno = error;
    fail(path_);
}

} // namespace toft::lab
